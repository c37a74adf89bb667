import { isObject, type Json } from "../../_shared/json.ts";
import { stateOfAddress } from "./address.ts";
import { readAnswers } from "./answers.ts";
import { type Fields, firstTextOf, plainKey, toText } from "./fields.ts";
import { readFile } from "./files.ts";
import { parserOf, type RawLead } from "./normalize.ts";
import { NOT_A_NEW_APPLICATION } from "./parser.ts";
import { stateCode } from "../../_shared/states.ts";

const APPLICATION = "payload.application";

/**
 * The `action` of the only event for a new application. A prospect's event is not one: a prospect "has not yet
 * applied".
 */
const NEW_APPLICATION = "new_candidate_application";

/** Names of a custom field with the candidate's home state, normalized by `plainKey`. */
const STATE_NAMES = ["state", "homestate", "residentstate", "stateofresidence"];

/**
 * A candidate as partners push it to Greenhouse's Candidate Ingestion API (flat, `emails[]`, `phone_numbers[]`, the
 * resume as a URL), or Greenhouse's own `new_candidate_application` webhook. Its other events are not new applications.
 * The answers and the location are read in the Harvest API's format; the documentation of the webhook does not show
 * them.
 * Sources: https://developers.greenhouse.io/candidate-ingestion.html, …/webhooks.html and …/harvest.html
 */
export const greenhouse = parserOf((fields) => {
  const action = toText(fields.peek("action")) ?? NEW_APPLICATION;
  if (action !== NEW_APPLICATION) return NOT_A_NEW_APPLICATION;
  return isObject(fields.peek(APPLICATION)) ? readWebhook(fields) : readCandidate(fields);
});

/** A candidate of the Candidate Ingestion API. */
function readCandidate(fields: Fields): RawLead {
  const address = textOf(fields.items("addresses"), "address", "home");
  return {
    vendor_lead_id: fields.text("external_id"),
    first_name: fields.text("first_name"),
    last_name: fields.text("last_name"),
    email: textOf(fields.items("emails"), "email", "personal"),
    phone: textOf(fields.items("phone_numbers"), "phone_number", "mobile"),
    address,
    state: stateOfAddress(address ?? ""),
    resume: readFile(fields, "resume"),
    more: { job_id: fields.text("job_id") },
  };
}

function readWebhook(fields: Fields): RawLead {
  const application = fields.at(APPLICATION);
  const candidate = application.at("candidate");
  const job = application.items("jobs")[0];
  const address = textOf(candidate.items("addresses"), "value", "home");
  const location = application.text("location.address");
  const customState = readCustomState(candidate);
  const [resumeUrl, attachments] = readAttachments(candidate);
  return {
    vendor_lead_id: application.text("id"),
    submitted_at: application.text("applied_at"),
    first_name: candidate.text("first_name"),
    last_name: candidate.text("last_name"),
    email: textOf(candidate.items("email_addresses"), "value", "personal"),
    phone: textOf(candidate.items("phone_numbers"), "value", "mobile"),
    address,
    state: stateCode(customState ?? "") ?? stateOfAddress(address ?? "") ??
      stateCode(location ?? "") ?? customState,
    resume: { url: resumeUrl },
    more: {
      job_id: job?.text("id"),
      job_title: job?.text("name"),
      answers: readAnswers(application, "answers"),
      attachments,
    },
  };
}

/** Takes the text of the first item of this type, or of any type if there is none. */
function textOf(items: Fields[], key: string, type: string): string | undefined {
  const isOther = (item: Fields) => Number(item.peek("type") !== type);
  return firstTextOf(items.toSorted((a, b) => isOther(a) - isOther(b)), key, "value");
}

/** The state in one of the candidate's custom fields: `{"state": {"name": "State", "type": …, "value": "Texas"}}`. */
function readCustomState(candidate: Fields): string | undefined {
  const customFields = candidate.at("custom_fields");
  for (const key of customFields.keys()) {
    const field = customFields.at([key]);
    const names = [key, toText(field.peek("name")) ?? ""].map(plainKey);
    const state = names.some((name) => STATE_NAMES.includes(name)) ? field.text("value") : undefined;
    if (state !== undefined) return state;
  }
  return undefined;
}

/** The web address of the resume, and the other attachments as sent. */
function readAttachments(candidate: Fields): [resumeUrl: string | undefined, others: Json[]] {
  const list = candidate.peek("attachments");
  const files = Array.isArray(list) ? list.map((file) => isObject(file) ? file : {}) : [];
  const resume = files.findIndex(({ type, url }) => type === "resume" && toText(url));
  const others = [...files.keys()].filter((index) => index !== resume && files[index]!.url);
  for (const index of others) candidate.take(["attachments", index]);
  return [candidate.text(["attachments", resume, "url"]), others.map((index) => files[index]!)];
}
