/** The answers that the texts of a turn give, also in place of earlier ones: "wait I meant yes". */
import { readAnswer } from "./answers.ts";
import { correctionIn } from "./corrections.ts";
import type { Question, Script, Session } from "./script.ts";
import { readAnswers } from "./spoken.ts";
import type { Answered } from "./walk.ts";

/**
 * The answers that the texts of a turn give; undefined where they say anything else too.
 *
 * @param question the one that waits
 */
export function answersIn(
  script: Script,
  session: Session,
  question: Question,
  lines: string[],
  now: Date,
): Answered[] | undefined {
  const at = lines.findLastIndex((line) => correctionIn(line) !== undefined);
  const earlier = lines.slice(0, Math.max(at, 0));
  const read = (current: Question, answers: Session["answers"], said: string) => {
    const others = script.questions.filter(({ id }) => id !== current.id && !(id in answers));
    const found = readAnswers(current, others, said, now);
    return found && Array.from(found, ([id, value]): Answered => ({ question: id, value, said: lines.join("\n") }));
  };
  if (at < 0) return read(question, session.answers, lines.join("\n"));

  const correction = correctionIn(lines[at]!)!;
  const said = [correction.said, ...lines.slice(at + 1)].join("\n");
  const before = earlier.length === 0 ? [] : read(question, session.answers, earlier.join("\n")) ?? [];
  const answers = { ...session.answers, ...Object.fromEntries(before.map(({ question, value }) => [question, value])) };
  // What was answered last, or what is asked, and then what was answered before.
  const answeredBefore = script.questions.slice(0, script.questions.indexOf(question)).reverse();
  const last = [question, ...answeredBefore].filter(({ id }) => id in answers);
  const isForLast = last.length > 0 && (correction.isStrong || question.answer === "text");
  const candidates = isForLast ? [last[0]!, question, ...last] : [question, ...last];
  // Yes and no alone may be meant for any question before.
  const [first] = candidates as [Question, ...Question[]];
  for (const candidate of candidates) {
    if (candidate !== first && candidate !== question && isBare(said)) continue;
    const found = candidate.answer === "text" && candidate !== first ? undefined : read(candidate, answers, said);
    if (found?.some(({ question: id }) => id === candidate.id)) {
      const changed = new Set(found.map(({ question: id }) => id));
      return [...before.filter(({ question: id }) => !changed.has(id)), ...found];
    }
  }
}

/** Whether a text says yes or no, and not to what. */
function isBare(said: string): boolean {
  return readAnswer("yes_no", said) !== undefined && !/licen[cs]/i.test(said);
}
