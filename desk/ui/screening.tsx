import type { Recruit, Screening } from "../data/recruits.ts";
import { answerOf, labelOf } from "./json_value.tsx";
import { Nothing } from "./nothing.tsx";

export const SCREENING_WORDS: Record<Screening, string> = {
  answered: "Answered",
  asking: "Being asked",
  unanswered: "Asked, no answer",
  not_asked: "Not asked",
};

/** The screening of a recruit as tags: "Asking 3 of 4", "Licensed: Yes", "IL, IN". Of more than `most` the number shows. */
export function ScreeningTags({ recruit, most = Infinity }: { recruit: Recruit; most?: number }) {
  const tags = screeningOf(recruit);
  return tags.length === 0
    ? <Nothing words={recruit.screening === "not_asked" ? "not asked" : "no answer yet"} />
    : (
      <span className="screening" title={tags.join(" · ")}>
        {tags.slice(0, most).map((tag) => <span key={tag} className="badge">{tag}</span>)}
        {tags.length > most && <span className="badge">+{tags.length - most}</span>}
      </span>
    );
}

/** The same as words. None: the bot has not asked, or a recruit without answers waits. The asking rests while one waits. */
export function screeningOf({ asking, screening, screening_answers, waiting_since }: Recruit): string[] {
  if (screening === "not_asked") return [];
  const isAsking = asking !== null && waiting_since === null;
  const parts = [...isAsking ? [`Asking ${asking.join(" of ")}`] : [], ...screening_answers.map(shortAnswer)];
  return parts.length === 0 && asking === null ? ["No answer"] : parts;
}

/** An answer with its question, where it says nothing without it. */
function shortAnswer({ question, value }: Recruit["screening_answers"][number]): string {
  const needsQuestion = value === "yes" || value === "no" || typeof value === "number" || answerOf(value) === "None";
  return needsQuestion ? `${labelOf(question)}: ${answerOf(value)}` : answerOf(value);
}
