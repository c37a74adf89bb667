import { readAnswersOfAnyShape } from "./answers.ts";
import { readFile } from "./files.ts";
import { parserOf } from "./normalize.ts";

/**
 * A ZipRecruiter Apply application: flat `response_id`, `job_id`, `name` and its parts, `email`, `phone`, `resume`
 * (base64 PDF), `answers`, with `profile` beside them.
 * Source: https://www.ziprecruiter.com/partner/documentation/ ("Candidate Delivery", Apply Webhook 1.2).
 */
export const ziprecruiter = parserOf((fields) => ({
  vendor_lead_id: fields.text("response_id"),
  first_name: fields.text("first_name"),
  last_name: fields.text("last_name"),
  full_name: fields.text("name"),
  email: fields.text("email"),
  phone: fields.text("phone", "profile.mobile"),
  city: fields.text("profile.city"),
  state: fields.text("profile.state"),
  zip: fields.text("profile.postal_code"),
  country: fields.text("profile.country"),
  resume: readFile(fields, "resume"),
  more: {
    job_id: fields.text("job_id"),
    answers: readAnswersOfAnyShape(fields, "answers"),
  },
}));
