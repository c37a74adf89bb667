/** What the bot hears after it has given a conversation to a person. It says nothing any more. */
import { correctionIn } from "./corrections.ts";
import { intentOfAll, linesIn, type Reason, reasonOf, type RecruitText } from "./heard.ts";
import type { Question, Script, Session } from "./script.ts";
import { readAnswers } from "./spoken.ts";
import { type Answered, answersOnTheWay } from "./walk.ts";

/** What was heard of texts to a person; nothing of those that are the person's alone. */
export interface Heard {
  heard?: Reason | "answer";
  answered?: Answered[];
}

/**
 * Fills in what a recruit answers in words that name what they answer. "Yes" may be meant for the person.
 *
 * @param bodies what is read of the texts
 */
export function listen(script: Script, session: Session, texts: RecruitText[], bodies: string[], now: Date): Heard {
  const reason = reasonOf(texts, bodies);
  if (reason !== undefined) return reason === "not_understood" ? {} : { heard: reason };
  if (intentOfAll(script, bodies) !== undefined) return {};
  const answered = answersIn(script, session.answers, linesIn(bodies.filter((_, i) => !texts[i]!.is_early)), now);
  return answered.length === 0 ? {} : { heard: "answer", answered };
}

/**
 * The answers to open questions, and behind "oops" or the like also to others; none where the texts say anything else
 * too.
 */
function answersIn(script: Script, before: Session["answers"], lines: string[], now: Date): Answered[] {
  const said = lines.join("\n");
  const read = (questions: Question[], text: string) => readAnswers(undefined, questions, text, now) ?? [];
  const open = script.questions.filter(({ id }) => !(id in before));
  const at = lines.findLastIndex((line) => correctionIn(line) !== undefined);
  const earlier = lines.slice(0, Math.max(at, 0)).join("\n");
  const corrected = at < 0
    ? []
    : [...read(script.questions, [correctionIn(lines[at]!)!.said, ...lines.slice(at + 1)].join("\n"))];
  // What it takes back is not known.
  if (at >= 0 && corrected.length === 0) return [];
  const found = new Map([...read(open, at < 0 ? said : earlier), ...corrected]);
  return answersOnTheWay(script, before, Array.from(found, ([question, value]) => ({ question, value, said })));
}
