import { isObject } from "../../_shared/json.ts";
import { readAnswer, type ScreeningAnswer } from "./answers.ts";
import { type ContactField, readContact } from "./contact.ts";
import { type Fields, toText } from "./fields.ts";
import { parserOf, type RawLead } from "./normalize.ts";
import { NOT_A_NEW_APPLICATION } from "./parser.ts";
import { asksForResume, contactFieldOf } from "./wording.ts";

/** The event of a completed form. An abandoned form (`form_response_partial`) is not an application. */
const COMPLETED = "form_response";

/** The contact fields that an answer of these types may be. A text may be any of them. */
const FIELDS_OF_TYPE = new Map<string | undefined, ContactField[]>([
  ["choice", ["city", "state", "country"]],
  ["number", ["phone", "zip"]],
]);

/**
 * A response to a Typeform form: the webhook's event with its `form_response`, or the response alone.
 * `definition.fields` has the questions. `answers` has the answers, each with its `type`, its value under the name of
 * the type, and the question's id in `field`. `hidden` has the parameters of the form's URL.
 *
 * Source: https://www.typeform.com/developers/webhooks/example-payload/
 */
export const typeform = parserOf((fields) => {
  if ((toText(fields.peek("event_type")) ?? COMPLETED) !== COMPLETED) return NOT_A_NEW_APPLICATION;
  const response = isObject(fields.peek(COMPLETED)) ? fields.at(COMPLETED) : fields;
  const { more, ...lead } = readForm(response);
  return {
    ...lead,
    vendor_lead_id: response.text("token"),
    is_test: isTest(fields),
    submitted_at: response.text("submitted_at"),
    more: { ...more, form_id: response.text("form_id") },
  };
});

// Typeform does not mark tests. In published examples, the response of a test has the event's id and took no time.
function isTest(event: Fields): boolean {
  const areEqual = (one: string, other: string) =>
    toText(event.peek(one)) !== undefined && event.peek(one) === event.peek(other);
  return areEqual(`${COMPLETED}.token`, "event_id") &&
    areEqual(`${COMPLETED}.landed_at`, `${COMPLETED}.submitted_at`);
}

function readForm(response: Fields): RawLead {
  const questions = Map.groupBy(questionsIn(response.at("definition")), (item) => item.peek("id"));
  const lead: RawLead = {};
  const answers: ScreeningAnswer[] = [];
  for (const item of response.items("answers")) {
    const answer = readValue(item);
    if (answer === undefined) continue;
    const [question] = questions.get(item.peek("field.id") ?? null) ?? [];
    const name = leadFieldOf(item, question);
    // The first of several questions for the same field counts. The others are kept as answers.
    if (name === undefined || typeof answer !== "string" || lead[name] !== undefined) {
      const text = question?.text("title") ?? item.text("field.ref", "field.id");
      answers.push({ question: text ?? null, answer });
    } else if (name === "resume") lead.resume = { url: answer };
    else if (name === "consent") lead.consent = { given: answer, text: question?.text("title") };
    else lead[name] = answer;
  }
  return { ...readHidden(response.at("hidden"), lead), ...lead, more: { answers } };
}

/** Returns the questions of a form, including those inside groups. */
function questionsIn(form: Fields): Fields[] {
  return form.items("fields").flatMap((field) => [field, ...questionsIn(field.at("properties"))]);
}

/** Takes the value of an answer; returns undefined for an unknown type, such as a payment. */
function readValue(item: Fields): ScreeningAnswer["answer"] | undefined {
  const type = toText(item.peek("type")) ?? "";
  const value = item.peek([type]);
  if (type === "choice") return item.at([type]).text("label", "other");
  if (type === "choices") return readChoices(item, item.at([type]));
  return isObject(value) || Array.isArray(value) ? undefined : readAnswer(item, type);
}

// The selected choices are `{labels, other}`, or a list with a `label` each.
function readChoices(item: Fields, choices: Fields): string[] | undefined {
  const labels = readAnswer(choices, "labels");
  const texts = [
    ...(Array.isArray(labels) ? labels : []),
    ...item.items("choices").flatMap((choice) => choice.text("label") ?? []),
    ...[choices.text("other") ?? []].flat(),
  ];
  return texts.length > 0 ? texts : undefined;
}

/**
 * Returns the lead's field for an answer, by its type or by the question's wording; undefined for a screening question.
 */
function leadFieldOf(item: Fields, question?: Fields) {
  const type = toText(item.peek("type"));
  if (type === "email") return "email";
  if (type === "phone_number") return "phone";
  if (type === "boolean") return item.peek("field.type") === "legal" ? "consent" : undefined;

  const words = [item.peek("field.ref"), question?.peek("subfield_key"), question?.peek("title")]
    .map((text) => toText(text) ?? "");
  if (type === "file_url") return words.some(asksForResume) ? "resume" : undefined;
  const field = words.map(contactFieldOf).find((name) => name !== undefined);
  const isPossible = type === "text" || (field && FIELDS_OF_TYPE.get(type)?.includes(field));
  return isPossible ? field : undefined;
}

/**
 * Returns the contact fields in the form's URL that the form does not ask for. A name counts only as a whole.
 */
function readHidden(hidden: Fields, lead: RawLead): RawLead {
  const { first_name, last_name, full_name, ...others } = readContact(hidden);
  const hasName = lead.first_name !== undefined || lead.full_name !== undefined;
  return hasName ? others : { ...others, first_name, last_name, full_name };
}
