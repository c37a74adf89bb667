import { isObject, type Json } from "../../_shared/json.ts";
import { success } from "../../_shared/result.ts";
import { Fields } from "./fields.ts";
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
  const { resume, others } = readAttachments(fields.value("attachments"));
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
    vendor_fields: fields.rest(),
  }));
};

function readAttachments(list: Json | undefined): { resume: ResumeFields; others: Json[] } {
  const files = Array.isArray(list) ? list.filter(isObject) : [];
  const resume = files.find(({ type }) => type === "resume") ?? {};
  return {
    resume: { data: resume.content, content_type: resume.contentType, file_name: resume.fileName },
    others: files.filter((file) => file !== resume),
  };
}
