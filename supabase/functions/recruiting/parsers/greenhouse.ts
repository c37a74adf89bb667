import { isObject, type Json, type JsonObject } from "../../_shared/json.ts";
import { failure, success } from "../../_shared/result.ts";
import { readAnswers } from "./answers.ts";
import { Fields, toText } from "./fields.ts";
import { readFile } from "./files.ts";
import { normalizeLead } from "./normalize.ts";
import { NOT_A_NEW_APPLICATION, type Parser } from "./parser.ts";

const APPLICATION = "payload.application";

/** The `action` of the one event that is a new application. A prospect's event is none: a prospect "has not yet applied". */
const NEW_APPLICATION = "new_candidate_application";

/**
 * A candidate as partners push it to Greenhouse's Candidate Ingestion API (flat, `emails[]`, `phone_numbers[]`, the
 * resume as a URL), or Greenhouse's own `new_candidate_application` webhook. Its other events are no new applications.
 * Sources: https://developers.greenhouse.io/candidate-ingestion.html and …/webhooks.html
 */
export const greenhouse: Parser = (payload) => {
  const fields = new Fields(payload);
  const action = toText(fields.peek("action"));
  if (action !== undefined && action !== NEW_APPLICATION) return failure(NOT_A_NEW_APPLICATION);

  const isWebhook = isObject(fields.peek(APPLICATION));
  const candidate = (name: string) => isWebhook ? `${APPLICATION}.candidate.${name}` : name;
  return success(normalizeLead({
    vendor_lead_id: fields.text(isWebhook ? `${APPLICATION}.id` : "external_id"),
    first_name: fields.text(candidate("first_name")),
    last_name: fields.text(candidate("last_name")),
    email: firstOf(
      fields.peek(candidate(isWebhook ? "email_addresses" : "emails")),
      "email",
      "personal",
    ),
    phone: firstOf(fields.peek(candidate("phone_numbers")), "phone_number", "mobile"),
    address: firstOf(fields.peek(candidate("addresses")), "address", "home"),
    resume: isWebhook
      ? { url: resumeUrl(fields.peek(candidate("attachments"))) }
      : readFile(fields, "resume"),
    more: {
      job_id: fields.text("job_id", `${APPLICATION}.job_id`) ??
        firstOf(fields.peek(`${APPLICATION}.jobs`), "id"),
      job_title: firstOf(fields.peek(`${APPLICATION}.jobs`), "name"),
      answers: readAnswers(fields, `${APPLICATION}.answers`),
    },
    fields,
  }));
};

/**
 * The first readable entry of the preferred type, else of any type. The list itself stays among the vendor's fields.
 */
function firstOf(list: Json | undefined, name: string, preferred?: string): string | undefined {
  const items = objects(list);
  const first = items.filter(({ type }) => type === preferred);
  return [...first, ...items].map((item) => toText(item[name]) ?? toText(item.value))
    .find((text) => text !== undefined);
}

function resumeUrl(attachments: Json | undefined): Json | undefined {
  return objects(attachments).find(({ type }) => type === "resume")?.url;
}

function objects(list: Json | undefined): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
