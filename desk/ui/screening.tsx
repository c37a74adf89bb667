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
  return words === null
    ? <Nothing words={recruit.screening === "not_asked" ? "not asked" : "no answer yet"} />
    : <span className="screening" title={words}>{words}</span>;
}

/** The same as words; null: the bot has not asked, or a recruit without answers waits. The asking rests while one waits. */
export function screeningOf({ asking, screening, screening_answers, waiting_since }: Recruit): string | null {
  if (screening === "not_asked") return null;
  const isAsking = asking !== null && waiting_since === null;
  const parts = [...isAsking ? [`Asking ${asking.join(" of ")}`] : [], ...screening_answers.map(shortAnswer)];
  if (parts.length > 0) return parts.join(" · ");
  return asking === null ? "No answer" : null;
}

/** An answer with its question, where it says nothing without it. */
function shortAnswer({ question, value }: Recruit["screening_answers"][number]): string {
  const needsQuestion = value === "yes" || value === "no" || typeof value === "number" || answerOf(value) === "None";
  return needsQuestion ? `${labelOf(question)}: ${answerOf(value)}` : answerOf(value);
}
