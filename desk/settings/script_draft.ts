/** The bot's script as its form holds it: questions and answers have keys, which stay when they are renamed or moved. */
import type { AnswerType } from "../../supabase/functions/worker/bot/answers.ts";
import type { Question, Script } from "../../supabase/functions/worker/bot/script.ts";

export interface Draft extends Required<Omit<Script, "questions">> {
  questions: DraftQuestion[];
}

export interface DraftQuestion extends Required<Pick<Question, "id" | "ask" | "retry">> {
  key: string;
  kind: Kind;
  /** Of both kinds, so that nothing is lost where the kind is changed back. */
  answers: Record<"yes_no" | "choice", DraftAnswer[]>;
  min: string;
  max: string;
  /** The keys of the answers with which alone it is asked. */
  onlyIf: string[];
}

export interface DraftAnswer {
  key: string;
  name: string;
  /** Other words for it. */
  words: string[];
  /** The question that follows, by its key, or the reason of the end; null: the next question. */
  next: { skipTo: string } | { end: string } | null;
}

export type Kind = Extract<AnswerType, string> | "choice" | "number";

/** Sentences about fields by the member of the script, or by `<key> <member>` of a question; `script`: no field's. */
export type Problems = Record<string, string>;

/** The members that are left out where nothing is in them. */
const OPTIONAL = { about: "", not_interested: "", handoff: "", remind_after: "", expire_after: "" };

/** The answers on which other questions and steps may depend. */
export function answersOf({ kind, answers }: DraftQuestion): DraftAnswer[] {
  return kind === "yes_no" || kind === "choice" ? answers[kind] : [];
}

export function newAnswer(name = "", words: string[] = []): DraftAnswer {
  return { key: crypto.randomUUID(), name, words, next: null };
}

/** A question that no other has the id of. */
export function newQuestion(others: { id: string }[]): DraftQuestion {
  let number = others.length + 1;
  while (others.some(({ id }) => id === `question_${number}`)) number++;
  return {
    key: crypto.randomUUID(),
    id: `question_${number}`,
    ask: "",
    retry: "",
    kind: "yes_no",
    answers: { yes_no: [newAnswer("yes"), newAnswer("no")], choice: [newAnswer(), newAnswer()] },
    min: "0",
    max: "100",
    onlyIf: [],
  };
}

export function toDraft({ questions, ...texts }: Script): Draft {
  const drafts = questions.map(({ answer, id, ask, retry = "" }): DraftQuestion => {
    const draft = { ...newQuestion([]), id, ask, retry };
    if (typeof answer === "string") return { ...draft, kind: answer };
    if ("number" in answer) {
      return { ...draft, kind: "number", min: String(answer.number.min), max: String(answer.number.max) };
    }
    const choice = Object.entries(answer.choice).map(([name, words]) => newAnswer(name, words));
    return { ...draft, kind: "choice", answers: { ...draft.answers, choice } };
  });
  const named = (id: string) => drafts.find((draft) => draft.id === id)!;
  const answer = (draft: DraftQuestion, name: string) => answersOf(draft).find((answer) => answer.name === name)!;
  questions.forEach(({ then = {}, only_if = {} }, place) => {
    const draft = drafts[place]!;
    for (const [name, step] of Object.entries(then)) {
      answer(draft, name).next = "end" in step ? step : { skipTo: named(step.skip_to).key };
    }
    draft.onlyIf = Object.entries(only_if).map(([id, name]) => answer(named(id), name).key);
  });
  return { ...OPTIONAL, ...texts, questions: drafts };
}

/** The script without empty optional texts, and without what depends on a question or an answer that is gone. */
export function toScript({ questions, ...texts }: Draft): Script {
  const ids = new Map(questions.map(({ key, id }) => [key, id]));
  const names = new Map(questions.flatMap((question) => [...uniqueNames(answersOf(question))]));
  const given = Object.entries(texts).filter(([member, value]) => !(member in OPTIONAL) || String(value).trim() !== "");
  return {
    ...Object.fromEntries(given) as Omit<Script, "questions">,
    questions: questions.map((question): Question => {
      const { id, ask, retry, onlyIf } = question;
      const then: Question["then"] = {};
      for (const { key, next } of answersOf(question)) {
        if (next === null) continue;
        if ("end" in next) then[names.get(key)!] = next;
        else if (ids.has(next.skipTo)) then[names.get(key)!] = { skip_to: ids.get(next.skipTo)! };
      }
      const only_if: Question["only_if"] = {};
      for (const earlier of questions) {
        for (const { key } of answersOf(earlier)) if (onlyIf.includes(key)) only_if[earlier.id] = names.get(key)!;
      }
      return {
        id,
        ask,
        answer: answerType(question, names),
        ...retry.trim() !== "" && { retry },
        ...Object.keys(then).length > 0 && { then },
        ...Object.keys(only_if).length > 0 && { only_if },
      };
    }),
  };
}

function answerType({ kind, answers, min, max }: DraftQuestion, names: Map<string, string>): AnswerType {
  if (kind === "number") return { number: { min: numberIn(min), max: numberIn(max) } };
  if (kind !== "choice") return kind;
  const choice = answers.choice.map(({ key, name, words }): [string, string[]] => {
    const unique = names.get(key)!;
    return [unique, unique === name ? words : [...words, name]];
  });
  return { choice: Object.fromEntries(choice) };
}

/** The names by keys. JSON can't have one twice: the second one is also a word of its choice, which is refused. */
function uniqueNames(answers: DraftAnswer[]): Map<string, string> {
  const taken = new Set<string>();
  return new Map(answers.map(({ key, name }): [string, string] => {
    while (taken.has(name)) name += "_";
    taken.add(name);
    return [key, name];
  }));
}

/** The number in a text. Anything else stays as it is, and is refused. */
function numberIn(text: string): number {
  return text.trim() === "" || Number.isNaN(Number(text)) ? text as unknown as number : Number(text);
}

/** Finds the field of each line of a refusal. A line is `<question id or member>: <problem>`. */
export function problemsOf(refusal: string, draft: Draft): Problems {
  const problems: Problems = {};
  for (const line of refusal.split("\n")) {
    const [, place = "", member, words] = /^(?:(\S+): )?(?:(id|ask|answer|retry|then|only_if):? )?(.*?)\.?$/i.exec(
      line,
    )!;
    const owners = member === undefined
      ? [place in draft ? place : "script"]
      : draft.questions.filter(({ id }, n) => place === id || place === `questions[${n}]`)
        .map(({ key }) => `${key} ${member.toLowerCase()}`);
    const sentence = `${words!.charAt(0).toUpperCase()}${words!.slice(1)}.`;
    for (const owner of owners) problems[owner] = [problems[owner], sentence].filter(Boolean).join(" ");
  }
  return problems;
}
