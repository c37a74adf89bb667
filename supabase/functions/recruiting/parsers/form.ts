import type { Json } from "../../_shared/json.ts";
import { type Answer, readAnswer } from "./answers.ts";
import { readContact } from "./contact.ts";
import { Fields, toText } from "./fields.ts";
import type { RawLead } from "./normalize.ts";

/** The keys of a lead form's question. */
export interface FormKeys {
  /** The form's own name of the question, such as `FULL_NAME` or `phone_number`. */
  name: string;
  /** The question as it was shown. It counts as the name where a question has no other. */
  label?: string;
  /** The applicant's answer: a text, or a list of texts. */
  answer: string;
}

/**
 * Reads the questions of an advertisement's lead form. Those with a usual name are contact fields, all others become
 * `answers`. Of several questions with one name, the first is the contact field. What is not understood is not taken.
 */
export function readLeadForm(questions: Fields[], keys: FormKeys): RawLead {
  const { name, label = name, answer } = keys;
  const nameOf = (question: Fields) =>
    toText(question.peek([name])) ?? toText(question.peek([label]));
  const first = new Map(questions.toReversed().map((question) => [nameOf(question), question]));
  const form = new Fields(
    Object.fromEntries(
      first.entries().map(([name = "", item]) => [name, onlyItem(item.peek([answer]))]),
    ),
  );
  const contact = readContact(form);
  const others = new Fields(form.rest());

  const answers = questions.flatMap((question): Answer[] => {
    const name = nameOf(question);
    if (name === undefined) return [];
    if (first.get(name) === question && others.peek([name]) === undefined) {
      question.take([answer]);
      return [];
    }
    const given = readAnswer(question, answer);
    if (given === undefined) return [];
    return [{
      question: question.text([label], [keys.name]) ?? null,
      answer: Array.isArray(given) && given.length === 1 ? given[0]! : given,
    }];
  });
  return { ...contact, more: { answers: answers.length > 0 ? answers : undefined } };
}

/** The item of a list that has only one; any other value as it is, with null for none. */
function onlyItem(value: Json | undefined): Json {
  return (Array.isArray(value) && value.length === 1 ? value[0] : value) ?? null;
}
