import { success } from "../../_shared/result.ts";
import { readAnswers, readAnswersByQuestion } from "./answers.ts";
import { Fields } from "./fields.ts";
import { readFile } from "./files.ts";
import { normalizeLead } from "./normalize.ts";
import type { Parser } from "./parser.ts";

/**
 * A Monster Easy Apply application: version 2 (`integratedApplyID`, `applicant` in camelCase) or version 1 (flat, in
 * PascalCase, the resume as base64 or as an array of bytes).
 * Sources: https://partner.monster.com/apply-with-monster-implementing-V2 and …/apply-with-monster-implementing
 */
export const monster: Parser = (payload) => {
  const fields = new Fields(payload);
  const resume = readFile(fields, "applicant.resume");
  const job = fields.text("jobRefCode", "JobRefID");
  return success(normalizeLead({
    vendor_lead_id: fields.text("integratedApplyID") ?? version1Id(fields, job),
    first_name: fields.text("applicant.firstName", "FirstName"),
    last_name: fields.text("applicant.lastName", "LastName"),
    email: fields.text("applicant.emailAddress", "EmailAddress"),
    phone: fields.text("applicant.phoneNumber", "PhoneNumber"),
    city: fields.text("applicant.city", "City"),
    state: fields.text("applicant.region", "State"),
    zip: fields.text("applicant.postalCode", "ZipCode"),
    country: fields.text("applicant.countryCode", "CountryCode"),
    resume: {
      ...resume,
      data: resume.data ?? readFile(fields, "FileContents").data,
      content_type: resume.content_type ?? fields.text("FileExt"),
    },
    more: {
      job_id: job,
      answers: readAnswers(fields, "questions") ?? readAnswersByQuestion(fields, "questions"),
    },
    fields,
  }));
};

// Version 1 has no application id. The same resume for the same job counts as the same application.
function version1Id(fields: Fields, job: string | undefined): string | undefined {
  const resume = fields.text("ResumeValue");
  return job !== undefined && resume !== undefined ? `${job}:${resume}` : undefined;
}
