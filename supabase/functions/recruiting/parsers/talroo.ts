import { readAnswersOfAnyShape } from "./answers.ts";
import { readFile } from "./files.ts";
import { parserOf } from "./normalize.ts";

/**
 * A Talroo Apply event: `data` is the application. The event's own `id` changes with each delivery, so `data.id` is the
 * lead's id. Talroo creates the event, with its `createdAt`, when the application is submitted.
 * Sources: https://docs.talroo.com/docs/guides/talroo-apply/receiving-application-data and
 * …/webhooks/webhook-events/job-application-events
 */
export const talroo = parserOf((fields) => ({
  vendor_lead_id: fields.text("data.id"),
  first_name: fields.text("data.applicant.firstName"),
  last_name: fields.text("data.applicant.lastName"),
  full_name: fields.text("data.applicant.fullName", "data.applicant.name"),
  email: fields.text("data.applicant.emailAddress", "data.applicant.email"),
  phone: fields.text("data.applicant.phone", "data.applicant.phoneNumber"),
  address: fields.text("data.applicant.address"),
  city: fields.text("data.applicant.city"),
  state: fields.text("data.applicant.state"),
  zip: fields.text("data.applicant.zipcode", "data.applicant.zipCode"),
  resume: readFile(fields, "data.applicant.resume"),
  submitted_at: fields.text("createdAt"),
  more: {
    job_id: fields.text("data.job.originalJobReference", "data.job.jobReference"),
    job_title: fields.text("data.job.title"),
    job_company: fields.text("data.job.company"),
    answers: readAnswersOfAnyShape(fields, "data.questions", "data.answers"),
  },
}));
