import { isObject } from "../../_shared/json.ts";
import { type Labels, type Question, readAnswer, readLabels, type ScreeningAnswer } from "./answers.ts";
import { readBoolean, readBoxes } from "./consent.ts";
import { type Fields, toText } from "./fields.ts";
import { type FormAnswer, sortAnswers } from "./form.ts";
import type { RawLead } from "./normalize.ts";

/** The error for LinkedIn's notice of a lead, which must be fetched. */
export const LEAD_NOTICE =
  "this is LinkedIn's lead notification, which carries no contact details: fetch the lead with " +
  "GET /rest/leadFormResponses/{id}, with its form among the fields, and send its response " +
  "(id, submittedAt, formResponse, form)";

/**
 * The paths of the form's questions. LinkedIn returns them below `form` if a request lists it among its fields.
 */
const QUESTIONS = ["form.content.questions", "content.questions", "questions"];

/**
 * Reads a lead of LinkedIn's Lead Sync: `formResponse.answers`, each with only a `questionId`. The form's questions
 * identify the contact fields; all others become `answers`.
 * Source: https://learn.microsoft.com/linkedin/marketing/lead-sync/lead-sync-schema
 */
export function readLeadSync(fields: Fields): RawLead {
  const path = QUESTIONS.find((path) => Array.isArray(fields.peek(path))) ?? QUESTIONS[0]!;
  const questions = new Map(
    fields.items(path).map((item) => [toText(item.peek("questionId")), readQuestion(item)]),
  );

  const form = sortAnswers(
    fields.items("formResponse.answers").flatMap((item): FormAnswer[] => {
      const question = questions.get(toText(item.peek("questionId")));
      const answer = readDetails(item.at("answerDetails"), question?.labels);
      if (answer === undefined) return [];
      const takeQuestion = () => takeLabel(item, question);
      return [{ name: nameOf(item, question), value: answer, answer, takeQuestion }];
    }),
  );
  return {
    ...form,
    vendor_lead_id: fields.text("id"),
    is_test: fields.value("testLead"),
    submitted_at: fields.text("submittedAt"),
    consent: {
      given: readBoxes(
        fields.peek("formResponse.consentResponses"),
        ({ accepted }) => readBoolean(accepted),
      ),
    },
    more: {
      ...form.more,
      form_id: fields.text("versionedLeadGenFormUrn"),
      campaign_id: fields.text("leadMetadata.sponsoredLeadMetadata.campaign"),
      ad_id: fields.text("associatedEntity.associatedCreative"),
    },
  };
}

function readQuestion(fields: Fields): Question {
  const options = fields.items("questionDetails.multipleChoiceQuestionDetails.options");
  const labels = readLabels(options, (option) => [
    toText(option.peek("id")),
    toText(option.peek(localized(option, "text"))) ?? toText(option.peek("label")),
  ]);
  return { fields, labels };
}

function readDetails(details: Fields, labels?: Labels): ScreeningAnswer["answer"] | undefined {
  const text = details.at("textQuestionAnswer");
  if (text.keys().includes("answer")) return readAnswer(text, "answer");
  const choice = details.at("multipleChoiceAnswer");
  return choice.keys().includes("options") ? readAnswer(choice, "options", labels) : undefined;
}

/**
 * Returns the form's own name of a question: `FIRST_NAME` for LinkedIn's own questions, otherwise the author's name for
 * it.
 */
function nameOf(item: Fields, question?: Question): string | undefined {
  return toText(question?.fields.peek("predefinedField")) ??
    toText(question?.fields.peek("name")) ?? toText(item.peek("name"));
}

/** Takes the wording of the question, or else its identifier. */
function takeLabel(item: Fields, question?: Question): string | undefined {
  return question?.fields.text(localized(question.fields, "question"), "label", "name") ??
    item.text("name", "questionId");
}

/** Returns the path of a localized text, `{"localized": {"en_US": "…"}}`, or of a plain text. */
function localized(fields: Fields, key: string): string[] {
  const texts = fields.peek([key, "localized"]);
  const [locale] = isObject(texts) ? Object.keys(texts) : [];
  return locale === undefined ? [key] : [key, "localized", locale];
}
