import type { Json } from "../../_shared/json.ts";
import { readContact } from "./contact.ts";
import { Fields } from "./fields.ts";
import type { RawLead } from "./normalize.ts";

/** One question of an advertisement's lead form, with its answer. */
export interface FormQuestion {
  /** The form's own name of the question, such as `FULL_NAME` or `phone_number`. */
  name: string;
  /** The question as it was shown, where the vendor sends it. */
  label?: string;
  value: Json;
}

/** Reads a lead form. Questions with a usual name are contact fields, all others become `answers`. */
export function readLeadForm(questions: FormQuestion[]): RawLead {
  const fields = new Fields(Object.fromEntries(questions.map(({ name, value }) => [name, value])));
  const contact = readContact(fields);
  const left = fields.rest() ?? {};
  const answers = questions.filter(({ name }) => Object.hasOwn(left, name))
    .map(({ name, label, value }) => ({ question: label ?? name, answer: value }));
  return { ...contact, more: { answers: answers.length > 0 ? answers : undefined } };
}
