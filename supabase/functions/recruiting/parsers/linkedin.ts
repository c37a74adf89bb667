import { isObject, type Json } from "../../_shared/json.ts";
import { success } from "../../_shared/result.ts";
import { readAnswers } from "./answers.ts";
import { Fields } from "./fields.ts";
import { normalizeLead } from "./normalize.ts";
import type { Parser } from "./parser.ts";

const CONTACT = "questionResponses.contactInformationQuestionResponses";
const CELLPHONE = `${CONTACT}.cellphoneNumberQuestionAnswer`;
const RESUME = "questionResponses.resumeQuestionResponses.resumeQuestionAnswer";
const CUSTOM = "questionResponses.additionalQuestionResponses.customQuestionSetResponses";

/**
 * A LinkedIn Apply Connect application (`EXPORT_JOB_APPLICATION`). The resume is a URL that expires after 30 days.
 * Source: https://learn.microsoft.com/linkedin/talent/apply-connect/receive-applications
 */
export const linkedin: Parser = (payload) => {
  const fields = new Fields(payload);
  return success(normalizeLead({
    vendor_lead_id: fields.text("jobApplicationId"),
    first_name: fields.text(`${CONTACT}.firstNameAnswer.value`),
    last_name: fields.text(`${CONTACT}.lastNameAnswer.value`),
    email: fields.text(`${CONTACT}.emailAnswer.value`),
    ...readPhone(fields),
    resume: { url: fields.text(`${RESUME}.mediaUrl`) },
    more: {
      job_id: fields.text("externalJobId"),
      answers: readAnswers(customQuestions(fields.value(CUSTOM)), (item) => ({
        question: item.questionIdentifier,
        answer: item.answer,
      })),
    },
    vendor_fields: fields.rest(),
  }));
};

// The country code is two letters or a dialling code.
function readPhone(fields: Fields): { phone?: string; phone_country?: string } {
  const phone = fields.text(`${CELLPHONE}.nationalNumber`);
  const code = fields.text(`${CELLPHONE}.countryCode`);
  const dialling = /^\+?(\d{1,3})$/.exec(code ?? "")?.[1];
  return dialling !== undefined && phone !== undefined
    ? { phone: `+${dialling} ${phone}` }
    : { phone, phone_country: code };
}

function customQuestions(sets: Json | undefined): Json[] {
  if (!Array.isArray(sets)) return [];
  return sets.flatMap((set) => isObject(set) ? set.customQuestionResponses ?? [] : []);
}
