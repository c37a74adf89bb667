import { success } from "../../_shared/result.ts";
import { type Answer, readAnswer } from "./answers.ts";
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
  const answers = fields.items(CUSTOM).flatMap((set) => set.items("customQuestionResponses"))
    .flatMap(readResponse);
  return success(normalizeLead({
    vendor_lead_id: fields.text("jobApplicationId"),
    first_name: fields.text(`${CONTACT}.firstNameAnswer.value`),
    last_name: fields.text(`${CONTACT}.lastNameAnswer.value`),
    email: fields.text(`${CONTACT}.emailAnswer.value`),
    ...readPhone(fields),
    resume: { url: fields.text(`${RESUME}.mediaUrl`) },
    more: {
      job_id: fields.text("externalJobId"),
      answers: answers.length > 0 ? answers : undefined,
    },
    fields,
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

// An answer has its type's name as its key.
function readResponse(item: Fields): Answer[] {
  const answer = readAnswer(item.at("answer.numericAnswerValue"), "integerValue") ??
    readAnswer(item.at("answer.multipleChoiceAnswerValue"), "symbolicNames");
  return answer ? [{ question: item.text("questionIdentifier") ?? null, answer }] : [];
}
