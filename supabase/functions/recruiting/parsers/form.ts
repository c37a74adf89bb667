import type { Json } from "../../_shared/json.ts";
import { readContact } from "./contact.ts";
import { Fields } from "./fields.ts";
import type { RawLead } from "./normalize.ts";

/** One question of an advertisement's lead form, with what was entered. */
export interface FormQuestion {
  /** The form's own name of the question, such as `FULL_NAME` or `phone_number`. */
  name: string;
  /** The question as it was shown, where the vendor says. */
  label?: string;
  value: Json;
}

/** A lead form: the contact questions by their usual names; every other question is one of the lead's answers. */
export function readForm(questions: FormQuestion[]): RawLead {
  const fields = new Fields(Object.fromEntries(questions.map(({ name, value }) => [name, value])));
  const contact = readContact(fields);
  const left = fields.rest() ?? {};
  const answers = questions.filter(({ name }) => Object.hasOwn(left, name))
    .map(({ name, label, value }) => ({ question: label ?? name, answer: value }));
  return { ...contact, more: { answers: answers.length > 0 ? answers : undefined } };
}
