import { isObject, type Json, type JsonObject } from "../../_shared/json.ts";
import { readAnswers } from "./answers.ts";
import { Fields } from "./fields.ts";
import { normalizeLead } from "./normalize.ts";
import type { Parser } from "./parser.ts";

/**
 * An Indeed Apply application: `id`, `applicant`, `job`, `analytics`, and the questions as
 * `screenerQuestionsAndAnswers` or the older `questionsAndAnswers`, each a container or a bare array.
 * Source: https://docs.indeed.com/indeed-apply ("Receive applications").
 */
export const indeed: Parser = (payload) => {
  const fields = new Fields(payload);
  const file = fields.value("applicant.resume.file");
  return normalizeLead({
    vendor_lead_id: fields.text("id"),
    first_name: fields.text("applicant.firstName"),
    last_name: fields.text("applicant.lastName"),
    full_name: fields.text("applicant.fullName"),
    email: fields.text("applicant.email"),
    phone: fields.text("applicant.phoneNumber"),
    city: fields.text("applicant.location.city"),
    state: fields.text("applicant.location.state", "applicant.location.region"),
    zip: fields.text("applicant.location.postalCode"),
    country: fields.text("applicant.location.country"),
    resume: isObject(file)
      ? {
        data: file.data,
        content_type: file.contentType,
        file_name: file.fileName,
      }
      : { data: file },
    more: {
      job_id: fields.text("job.jobId"),
      job_title: fields.text("job.jobTitle"),
      job_company: fields.text("job.jobCompany"),
      job_location: fields.text("job.jobLocation"),
      job_url: fields.text("job.jobUrl"),
      answers: readAnswers(questions(fields), readQuestion),
      resume_skipped: file === undefined
        ? otherResume(fields.peek("applicant.resume"))
        : undefined,
    },
    vendor_fields: fields.rest(),
  });
};

function questions(fields: Fields): Json | undefined {
  return fields.value(
    "screenerQuestionsAndAnswers.questionsAndAnswers",
    "questionsAndAnswers.questionsAndAnswers",
    "screenerQuestionsAndAnswers",
    "questionsAndAnswers",
  );
}

function readQuestion(item: JsonObject) {
  const { question, answer } = item;
  return {
    question: isObject(question) ? question.question ?? question.id : question,
    answer,
  };
}

// An Indeed resume may come as text, HTML or JSON alone; it stays among the vendor's fields and its form is named.
function otherResume(resume: Json | undefined): string | undefined {
  if (!isObject(resume)) return undefined;
  return ["text", "html", "json"].find((form) =>
    resume[form] !== undefined && resume[form] !== null
  );
}
