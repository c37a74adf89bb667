import { isObject } from "../../_shared/json.ts";
import { readAnswer, type ScreeningAnswer } from "./answers.ts";
import { type Fields, toText } from "./fields.ts";
import { parserOf } from "./normalize.ts";
import { NOT_A_NEW_APPLICATION } from "./parser.ts";

/** The only event for a new candidate. Others concern a moved or deleted candidate, or an employee. */
const NEW_CANDIDATE = "candidate_created";

/** The keys of an answer, by the type of its question. */
const ANSWER_KEYS = ["body", "checked", "date", "number", "value", "file_url", "answer"];

/**
 * A candidate of Workable: the event `candidate_created` with the candidate as `data`, the response of
 * `/candidates/{id}` with the candidate as `candidate`, or the candidate alone.
 * Source: https://workable.readme.io/reference/candidate-events
 */
export const workable = parserOf((fields) => {
  const event = toText(fields.peek("event_type")) ?? NEW_CANDIDATE;
  if (event !== NEW_CANDIDATE) return NOT_A_NEW_APPLICATION;
  const wrapper = ["data", "candidate"].find((name) => isObject(fields.peek(name)));
  const candidate = wrapper === undefined ? fields : fields.at(wrapper);
  return {
    vendor_lead_id: candidate.text("id"),
    first_name: candidate.text("firstname"),
    last_name: candidate.text("lastname"),
    full_name: candidate.text("name"),
    email: candidate.text("email"),
    phone: candidate.text("phone"),
    address: candidate.text("address"),
    city: candidate.text("location.city"),
    state: candidate.text("location.region", "location.region_code"),
    zip: candidate.text("location.zip_code"),
    country: candidate.text("location.country_code", "location.country"),
    resume: { url: candidate.text("resume_url") },
    submitted_at: candidate.text("created_at"),
    more: {
      job_id: candidate.text("job.shortcode"),
      job_title: candidate.text("job.title"),
      answers: candidate.items("answers").flatMap(readItem),
    },
  };
});

// The answer is a separate object, or part of the item. The question is a text, or only its key.
function readItem(item: Fields): ScreeningAnswer[] {
  const said = isObject(item.peek("answer")) ? item.at("answer") : item;
  const answer = readChoices(said) ??
    ANSWER_KEYS.map((key) => readAnswer(said, key)).find((answer) => answer != null);
  if (answer === undefined) return [];
  return [{ question: item.text("question.body", "question", "question_key") ?? null, answer }];
}

/**
 * Returns the selected choices: texts, or objects with `body` whose optional `selected` is not false.
 */
function readChoices(said: Fields): string[] | undefined {
  const choices = said.items("choices").filter((choice) => choice.peek("selected") !== false);
  const labels = choices.flatMap((choice) => choice.text("body") ?? []);
  if (labels.length > 0) return labels;
  const texts = readAnswer(said, "choices");
  return Array.isArray(texts) ? texts : undefined;
}
