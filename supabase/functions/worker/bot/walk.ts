/** The way through a script: the questions that answers lead to. */
import type { AnswerValue } from "./answers.ts";
import type { Question, Script, Session } from "./script.ts";

export interface Answered {
  question: string;
  value: AnswerValue;
  /** The recruit's own words. */
  said: string;
}

export function withAnswers(before: Session["answers"], answered: Answered[]): Session["answers"] {
  return { ...before, ...Object.fromEntries(answered.map(({ question, value }) => [question, value])) };
}

/** The next question that is to be asked, from the first one on; or the end of the script's own. */
export function walk(
  { questions }: Script,
  answers: Session["answers"],
): { next?: Question; end?: string; passed: Set<string> } {
  const passed = new Set<string>();
  for (let i = 0; i < questions.length;) {
    const question = questions[i]!;
    const value = answers[question.id];
    if (!isWanted(question, answers)) i++;
    else if (value === undefined) return { next: question, passed };
    else {
      passed.add(question.id);
      const jump = typeof value === "string" ? question.then?.[value] : undefined;
      if (jump !== undefined && "end" in jump) return { end: jump.end, passed };
      i = jump === undefined ? i + 1 : questions.findIndex(({ id }) => id === jump.skip_to);
    }
  }
  return { passed };
}

/** Those of the answers whose questions are asked: a question that is skipped is not. */
export function answersOnTheWay(script: Script, before: Session["answers"], all: Answered[]): Answered[] {
  const { next, passed } = walk(script, withAnswers(before, all));
  const places = new Map(script.questions.map(({ id }, i) => [id, i]));
  return all.filter(({ question: id }) =>
    passed.has(id) || (next !== undefined && places.get(id)! > places.get(next.id)!)
  );
}

function isWanted({ only_if = {} }: Question, answers: Record<string, AnswerValue>): boolean {
  return Object.entries(only_if).every(([earlier, value]) => answers[earlier] === value);
}
