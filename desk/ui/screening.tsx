import type { Recruit, Screening } from "../data/recruits.ts";
import { answerOf, labelOf } from "./json_value.tsx";
import { Nothing } from "./nothing.tsx";

export const SCREENING_WORDS: Record<Screening, string> = {
  answered: "Answered",
  asking: "Being asked",
  unanswered: "Asked, no answer",
  not_asked: "Not asked",
};

/** The screening of a recruit in a line: "Asking 3 of 4 · Licensed: Yes · IL, IN". */
export function ScreeningLine({ recruit }: { recruit: Recruit }) {
  const words = screeningOf(recruit);
  return words === null ? <Nothing words="not asked" /> : <span className="screening" title={words}>{words}</span>;
}

/** The same as words; null: the bot has not asked. */
export function screeningOf({ asking, screening, screening_answers }: Recruit): string | null {
  if (screening === "not_asked") return null;
  const parts = [...asking ? [`Asking ${asking.join(" of ")}`] : [], ...screening_answers.map(shortAnswer)];
  return parts.length > 0 ? parts.join(" · ") : "No answer";
}

/** An answer with its question, where it says nothing without it. */
function shortAnswer({ question, value }: Recruit["screening_answers"][number]): string {
  const needsQuestion = value === "yes" || value === "no" || typeof value === "number" || answerOf(value) === "None";
  return needsQuestion ? `${labelOf(question)}: ${answerOf(value)}` : answerOf(value);
}
