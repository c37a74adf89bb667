import { isObject, type Json } from "../../_shared/json.ts";
import { readAnswer, type ScreeningAnswer } from "./answers.ts";
import { readContact } from "./contact.ts";
import { Fields, toText } from "./fields.ts";
import type { RawLead } from "./normalize.ts";

/** The keys of a question in a lead form. */
export interface FormKeys {
  /** The form's own name of the question, such as `FULL_NAME` or `phone_number`. */
  name: string;
  /** The wording that was shown. It counts as the name if a question has no other. */
  label?: string;
  /** The applicant's answer: a text, or a list of texts. */
  answer: string;
}

/** A question of a lead form with its answer. */
export interface FormAnswer {
  /** The form's own name of the question. */
  name?: string;
  /** The value if it is used as a contact field. */
  value: Json;
  /** Undefined if its shape is unknown. */
  answer?: ScreeningAnswer["answer"];
  /** Takes the wording that was shown. */
  takeQuestion(): string | undefined;
}

/** Reads the questions of a lead form. Values of an unknown shape are not taken. */
export function readLeadForm(questions: Fields[], keys: FormKeys): RawLead {
  const { label = keys.name } = keys;
  return sortAnswers(questions.flatMap((question): FormAnswer[] => {
    const name = toText(question.peek([keys.name])) ?? toText(question.peek([label]));
    if (name === undefined) return [];
    const value = onlyItem(question.peek([keys.answer]) ?? null);
    const answer = readAnswer(question, keys.answer);
    const takeQuestion = () => question.text([label], [keys.name]);
    return [{
      name,
      value,
      answer: onlyItem<string | null | undefined>(answer) as FormAnswer["answer"],
      takeQuestion,
    }];
  }));
}

/**
 * Sorts the answers of a form: answers to questions with a usual name become contact fields, all others become
 * `answers`. If several questions share a name, the first is the contact field.
 */
export function sortAnswers(given: FormAnswer[]): RawLead {
  const first = new Map(given.toReversed().map((item) => [item.name, item]));
  first.delete(undefined);
  const form = new Fields(
    Object.fromEntries(first.entries().map(([name = "", { value }]) => [name, value])),
  );
  const contact = readContact(form);
  const others = new Set(new Fields(form.rest()).keys());
  const answers = given
    .filter((item) => first.get(item.name) !== item || others.has(item.name ?? ""))
    .flatMap(({ answer, takeQuestion }): ScreeningAnswer[] =>
      answer === undefined ? [] : [{ question: takeQuestion() ?? null, answer }]
    );
  return { ...contact, more: { answers: answers.length > 0 ? answers : undefined } };
}

/**
 * Whether a lead comes from the testing tool of Meta's or TikTok's forms. Only its values show it: "<test lead: dummy
 * data for full_name>".
 */
export function isTestLead(value: Json): boolean {
  if (typeof value === "string") return /^\s*<?test lead: dummy data/i.test(value);
  if (Array.isArray(value)) return value.some(isTestLead);
  return isObject(value) && Object.values(value).some(isTestLead);
}

/** Returns the item of a list that has only one; any other value unchanged. */
function onlyItem<Value>(value: Value | Value[]): Value | Value[] {
  return Array.isArray(value) && value.length === 1 ? value[0]! : value;
}
