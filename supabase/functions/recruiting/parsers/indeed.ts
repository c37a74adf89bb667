import { isObject, type Json } from "../../_shared/json.ts";
import { readAnswers } from "./answers.ts";
import type { Fields } from "./fields.ts";
import { readFile } from "./files.ts";
import { parserOf } from "./normalize.ts";

/** Both containers may be present, and the newer one may be empty. */
const QUESTIONS = [
  "screenerQuestionsAndAnswers.questionsAndAnswers",
  "screenerQuestionsAndAnswers",
  "questionsAndAnswers.questionsAndAnswers",
  "questionsAndAnswers",
];

/**
 * An Indeed Apply application. Its answers are in one of {@link QUESTIONS}. In the oldest format, `questions.answers`
 * has ids and codes, and `questions.questions` their questions and labels.
 * Sources: https://docs.indeed.com/indeed-apply/application-data and …/screener-questions; for the oldest form
 * https://integrate.apploi.com/reference/easy-apply and, on GitHub, loganh0522/eko
 * (app/controllers/inbound_candidates_controller.rb).
 */
export const indeed = parserOf((fields) => {
  const resume = readFile(fields, resumePath(fields));
  const email = fields.text("applicant.email");
  return {
    vendor_lead_id: fields.text("id"),
    first_name: fields.text("applicant.firstName"),
    last_name: fields.text("applicant.lastName"),
    full_name: fields.text("applicant.fullName"),
    email,
    phone: fields.text("applicant.phoneNumber"),
    city: fields.text("applicant.location.city"),
    state: fields.text("applicant.location.state", "applicant.location.region"),
    zip: fields.text("applicant.location.postalCode"),
    country: fields.text("applicant.location.country"),
    resume,
    submitted_at: fields.text("appliedOnMillis"),
    more: {
      email_is_alias: isAlias(email) || undefined,
      job_id: fields.text("job.jobId"),
      job_title: fields.text("job.jobTitle"),
      job_company: fields.text("job.jobCompany"),
      job_location: fields.text("job.jobLocation"),
      job_url: fields.text("job.jobUrl"),
      answers: readAnswers(fields, QUESTIONS) ??
        readAnswers(fields, "questions.answers", fields.items("questions.questions")),
      resume_skipped: resume.data ? undefined : otherResume(fields.peek("applicant.resume")),
    },
  };
});

// The resume is an object with `file` as one format. A relay may send the file in its place.
function resumePath(fields: Fields): string {
  return isObject(fields.peek("applicant.resume")) ? "applicant.resume.file" : "applicant.resume";
}

// Indeed forwards email sent to such an address, and creates a new one for each application.
function isAlias(email: string | undefined): boolean {
  return /@indeedemail\.com$/i.test(email ?? "");
}

// An Indeed resume may be only text, HTML or JSON. It stays among the vendor's fields, and resume_skipped names its
// format.
function otherResume(resume: Json | undefined): string | undefined {
  if (!isObject(resume)) return undefined;
  return ["text", "html", "json"].find((form) => Object.hasOwn(resume, form) && resume[form] !== null);
}
