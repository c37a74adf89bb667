import { readAnswer, type ScreeningAnswer } from "./answers.ts";
import type { Fields } from "./fields.ts";
import { LEAD_NOTICE, readLeadSync } from "./linkedin_lead_sync.ts";
import { parserOf, type RawLead } from "./normalize.ts";
import { NOT_A_NEW_APPLICATION } from "./parser.ts";
import { wordList } from "../../_shared/word_list.ts";

const CONTACT = "questionResponses.contactInformationQuestionResponses";
const CELLPHONE = `${CONTACT}.cellphoneNumberQuestionAnswer`;
const RESUME = "questionResponses.resumeQuestionResponses.resumeQuestionAnswer";
const CUSTOM = "questionResponses.additionalQuestionResponses.customQuestionSetResponses";

/**
 * A LinkedIn Apply Connect application, whose resume is a URL that expires after 30 days, or a lead of a LinkedIn lead
 * form (see linkedin_lead_sync.ts).
 * Source: https://learn.microsoft.com/linkedin/talent/apply-connect/receive-applications
 */
export const linkedin = parserOf((fields) => {
  if (fields.peek("type") === "LEAD_ACTION") {
    return fields.peek("leadAction") === "CREATED" ? LEAD_NOTICE : NOT_A_NEW_APPLICATION;
  }
  return fields.peek("formResponse") === undefined ? readApplication(fields) : readLeadSync(fields);
});

function readApplication(fields: Fields): RawLead {
  return {
    vendor_lead_id: fields.text("jobApplicationId"),
    first_name: fields.text(`${CONTACT}.firstNameAnswer.value`),
    last_name: fields.text(`${CONTACT}.lastNameAnswer.value`),
    email: fields.text(`${CONTACT}.emailAnswer.value`),
    phone: fields.text(`${CELLPHONE}.nationalNumber`),
    phone_country: fields.text(`${CELLPHONE}.countryCode`),
    resume: { url: fields.text(`${RESUME}.mediaUrl`) },
    submitted_at: fields.text("appliedAt"),
    more: {
      job_id: fields.text("externalJobId"),
      answers: fields.items(CUSTOM).flatMap((set) => set.items("customQuestionResponses"))
        .flatMap(readResponse),
    },
  };
}

/** The fields of the answer, below the key of its type. A phone number and a document have further keys beside it. */
const VALUES = wordList`
  value values symbolicNames integerValue decimalValue
  nationalNumber mediaUrl mediaUrn
`;

function readResponse(item: Fields): ScreeningAnswer[] {
  // An answer has one key, which is its type: `{"numericAnswerValue": {"integerValue": 4}}`.
  const keys = item.at("answer").keys();
  const type = keys.find((key) => /AnswerValue$/.test(key)) ?? keys[0];
  const answer = type === undefined ? readAnswer(item, "answer") : readTypedAnswer(item.at("answer"), type);
  return answer ? [{ question: item.text("questionIdentifier") ?? null, answer }] : [];
}

function readTypedAnswer(typed: Fields, type: string): ScreeningAnswer["answer"] | undefined {
  const object = typed.at([type]);
  const key = VALUES.find((key) => (object.peek([key]) ?? null) !== null);
  if (key !== undefined) return readAnswer(object, key);
  return object.keys().length > 0 ? readDate(object) : readAnswer(typed, type);
}

/**
 * Reads a date as ISO 8601, `2026-05-01`, or `2026-05` without a day. The lead does not contain its parts as they were
 * sent, so they stay among the vendor's fields.
 */
function readDate(object: Fields): string | undefined {
  const [year, month, day] = ["year", "month", "day"].map((key) => object.peek([key]));
  if (!isWithin(year, 1, 9999) || !isWithin(month, 1, 12)) return undefined;
  const parts = isWithin(day, 1, 31) ? [month, day] : [month];
  return [String(year).padStart(4, "0"), ...parts.map((part) => String(part).padStart(2, "0"))]
    .join("-");
}

function isWithin(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}
