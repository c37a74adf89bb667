import type { Json } from "../../_shared/json.ts";
import { readAnswersOfAnyShape } from "./answers.ts";
import { type Fields, toText } from "./fields.ts";
import { leaveOutContent, readFile } from "./files.ts";
import { parserOf } from "./normalize.ts";
import type { ResumeFields } from "./resume.ts";

/**
 * A CleverConnect (Meteojob) application: a numeric `id`, `jobId`, `candidate`, and `attachments` of type `resume` or
 * `letter` in base64. Its guide documents no questions; they are read if they come in a usual shape.
 * Source: CleverConnect's "Webhook Integration Guide for Partners and Customers" (cleverconnect.notion.site).
 */
export const cleverconnect = parserOf((fields) => {
  const [resume, others] = readAttachments(fields);
  return {
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
      attachments: others,
      answers: readAnswersOfAnyShape(fields, "questions", "answers"),
    },
  };
});

/** Returns the resume, and the other attachments as sent. An object without a `type` is not an attachment. */
function readAttachments(fields: Fields): [ResumeFields, Json[]] {
  const list = fields.peek("attachments");
  const paths = Array.isArray(list) ? Array.from(list.keys(), (index) => `attachments.${index}`) : ["attachments"];
  const type = (path: string) => toText(fields.peek(`${path}.type`))?.toLowerCase();
  const files = paths.filter((path) => type(path) !== undefined);
  const resume = files.find((path) => type(path) === "resume");
  const others = files.filter((path) => path !== resume);
  for (const path of others) {
    fields.take(path);
    leaveOutContent(fields.at(path));
  }
  return [resume ? readFile(fields, resume) : {}, others.map((path) => fields.peek(path)!)];
}
