/** A question of a vendor, and what the recruit has answered; null: nothing. */
export interface VendorAnswer {
  question: string;
  answer: unknown;
}

// In lower case, without what separates words.
const QUESTION = ["question", "questiontext", "label", "title"];
const ANSWER = ["answer", "answers", "answertext", "response", "responses", "value", "values"];
const ASIDE = ["id", "key", "ref", "type", "questionid"];

/**
 * Takes the answers out of what a vendor has sent: `answers` as most parsers make them, and those that the parser left
 * among the fields, as lists of question and answer or by their question, `{"Are you licensed?": "Yes"}`.
 */
export function answersOf(answers: unknown, vendor_fields: unknown): { answers: VendorAnswer[]; fields: object } {
  const found = answersIn(answers) ?? [];
  const rest: [string, unknown][] = [];
  for (const [key, value] of Object.entries(vendor_fields ?? {})) {
    const more = idsOfAnswers(key, value) ?? answersIn(value) ??
      (isQuestion(key) ? [{ question: key, answer: value }] : null);
    if (more === null) rest.push([key, value]);
    else found.push(...more);
  }
  return { answers: found, fields: Object.fromEntries(rest) };
}

/** The answers that a value consists of; null: it is something else. */
function answersIn(value: unknown): VendorAnswer[] | null {
  if (typeof value !== "object" || value === null) return null;
  const items = Array.isArray(value) ? value.filter((item) => item !== null) : Object.entries(value);
  const read = items.map((item) => {
    if (Array.isArray(value)) return readAnswer(item);
    return isQuestion(item[0]) ? { question: item[0], answer: item[1] } : null;
  });
  return read.length > 0 && read.every((answer) => answer !== null) ? read : null;
}

/** Of answers that a parser has taken out, it may leave the ids, which say nothing to people: no answers. Null: no ids. */
function idsOfAnswers(key: string, value: unknown): [] | null {
  const areIds = /answer|question/i.test(key) && Array.isArray(value) &&
    value.every((item) =>
      typeof item === "object" && Object.keys(item ?? {}).every((member) => ASIDE.includes(member))
    );
  return areIds ? [] : null;
}

function readAnswer(item: unknown): VendorAnswer | null {
  if (typeof item !== "object" || item === null) return null;
  const members = Object.entries(item).map(([key, value]) =>
    [key.toLowerCase().replace(/[^a-z]/g, ""), value] as const
  );
  const question = members.find(([key]) => QUESTION.includes(key));
  const answer = members.find(([key]) => ANSWER.includes(key));
  const others = members.filter((member) => member !== question && member !== answer && !ASIDE.includes(member[0]));
  if (typeof question?.[1] !== "string" || question[1] === "" || others.length > 0) return null;
  if (answer === undefined && question[0] !== "question") return null;
  return { question: question[1], answer: answer?.[1] ?? null };
}

function isQuestion(key: string): boolean {
  return /\?\s*$/.test(key);
}
