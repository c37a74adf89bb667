import { isObject, type Json } from "../../_shared/json.ts";
import { success } from "../../_shared/result.ts";
import { Fields } from "./fields.ts";
import { leaveOutContent, readFile } from "./files.ts";
import { normalizeLead } from "./normalize.ts";
import type { Parser } from "./parser.ts";
import type { ResumeFields } from "./resume.ts";

/**
 * A CleverConnect (Meteojob) application: a numeric `id`, `jobId`, `candidate`, and `attachments` of type `resume` or
 * `letter` in base64.
 * Source: CleverConnect's "Webhook Integration Guide for Partners and Customers" (cleverconnect.notion.site).
 */
export const cleverconnect: Parser = (payload) => {
  const fields = new Fields(payload);
  const [resume, others] = readAttachments(fields);
  return success(normalizeLead({
    vendor_lead_id: fields.text("id"),
    first_name: fields.text("candidate.firstName"),
    last_name: fields.text("candidate.lastName"),
    email: fields.text("candidate.email"),
    phone: fields.text("candidate.phoneNumber"),
    address: fields.text("candidate.location.raw"),
    city: fields.text("candidate.location.city"),
    state: fields.text("candidate.location.state", "candidate.location.region"),
    zip: fields.text("candidate.location.zipCode"),
    country: fields.text("candidate.location.country"),
    resume,
    more: {
      job_id: fields.text("jobId"),
      attachments: others.length > 0 ? others : undefined,
    },
    fields,
  }));
};

/** The resume, and the other files as they were sent. */
function readAttachments(fields: Fields): [ResumeFields, Json[]] {
  const list = fields.peek("attachments");
  const paths = Array.isArray(list)
    ? list.keys().map((index) => `attachments.${index}`).toArray()
    : ["attachments"];
  const files = paths.filter((path) => isObject(fields.peek(path)));
  const resume = files.find((path) => fields.peek(`${path}.type`) === "resume");
  const others = files.filter((path) => path !== resume);
  for (const path of others) {
    fields.take(path);
    leaveOutContent(fields.at(path));
  }
  return [resume ? readFile(fields, resume) : {}, others.map((path) => fields.peek(path)!)];
}
