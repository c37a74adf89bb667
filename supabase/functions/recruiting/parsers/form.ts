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
 * `answers`. The first of several questions with one name is the contact field. What is not understood is not taken.
 */
export function readLeadForm(questions: Fields[], keys: FormKeys): RawLead {
  const { label = keys.name } = keys;
  const nameOf = (question: Fields) =>
    toText(question.peek([keys.name])) ?? toText(question.peek([label])) ?? "";
  const firstNamed = new Map(questions.toReversed().map((item) => [nameOf(item), item]));
  const form = new Fields(
    Object.fromEntries(
      firstNamed.entries().map(([name, item]) => [name, onlyItem(item.peek([keys.answer]))]),
    ),
  );
  const contact = readContact(form);
  const others = new Fields(form.rest());
  const isContactField = (question: Fields, name: string) =>
    firstNamed.get(name) === question && others.peek([name]) === undefined;

  const answers = questions.flatMap((question): Answer[] => {
    const name = nameOf(question);
    if (name === "") return [];
    if (isContactField(question, name)) {
      question.take([keys.answer]);
      return [];
    }
    const answer = readAnswer(question, keys.answer);
    if (answer === undefined) return [];
    return [{
      question: question.text([label], [keys.name]) ?? null,
      answer: Array.isArray(answer) && answer.length === 1 ? answer[0]! : answer,
    }];
  });
  return { ...contact, more: { answers: answers.length > 0 ? answers : undefined } };
}

/** The item of a list that has only one; any other value as it is, with null for none. */
function onlyItem(value: Json | undefined): Json {
  return (Array.isArray(value) && value.length === 1 ? value[0] : value) ?? null;
}
