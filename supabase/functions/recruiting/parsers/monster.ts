import type { Json } from "../../_shared/json.ts";
import { readAnswersOfAnyShape } from "./answers.ts";
import type { Fields } from "./fields.ts";
import { readFile } from "./files.ts";
import { parserOf } from "./normalize.ts";

/**
 * A Monster Easy Apply application: version 2, with `integratedApplyID` and `applicant`, or version 1, which is flat,
 * in PascalCase or, from older integrations, in camelCase; its resume is base64 or an array of bytes.
 * Sources: https://partner.monster.com/apply-with-monster-implementing-V2 and …/apply-with-monster-implementing
 */
export const monster = parserOf((fields) => {
  const resume = readFile(fields, "applicant.resume");
  const job = fields.text("jobRefCode", ...fields.spelt("jobrefid"));
  return {
    vendor_lead_id: fields.text("integratedApplyID") ?? version1Id(fields, job),
    first_name: fields.text("applicant.firstName", ...fields.spelt("firstname")),
    last_name: fields.text("applicant.lastName", ...fields.spelt("lastname")),
    email: fields.text("applicant.emailAddress", ...fields.spelt("emailaddress")),
    phone: fields.text("applicant.phoneNumber", ...fields.spelt("phonenumber", "phone")),
    city: fields.text("applicant.city", ...fields.spelt("city")),
    state: fields.text("applicant.region", ...fields.spelt("state")),
    zip: fields.text("applicant.postalCode", ...fields.spelt("zipcode")),
    country: fields.text("applicant.countryCode", ...fields.spelt("countrycode")),
    resume: {
      ...resume,
      data: resume.data ?? version1File(fields),
      content_type: resume.content_type ?? fields.text(...fields.spelt("fileext")),
    },
    more: {
      job_id: job,
      answers: readAnswersOfAnyShape(fields, "questions"),
    },
  };
});

// Version 1 has no application id. The same resume for the same job counts as the same application.
function version1Id(fields: Fields, job: string | undefined): string | undefined {
  const resume = fields.text(...fields.spelt("resumevalue"));
  return job !== undefined && resume !== undefined ? `${job}:${resume}` : undefined;
}

function version1File(fields: Fields): Json | undefined {
  const [key] = fields.spelt("filecontents");
  return key === undefined ? undefined : readFile(fields, key).data;
}
