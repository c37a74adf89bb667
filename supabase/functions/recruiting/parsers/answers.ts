import { isObject, type Json, type JsonObject } from "../../_shared/json.ts";

/** One screening question and what the applicant answered, as kept under `vendor_metadata.answers`. */
export interface Answer extends JsonObject {
  question: Json;
  answer: Json;
}

/** What a vendor's item says; undefined where it does not say. */
export interface QuestionAndAnswer {
  question?: Json;
  answer?: Json;
}

/**
 * A list of question and answer pairs in one shape, from whatever list of objects a vendor sends; undefined where it
 * is none. An item that `read` finds neither in is kept whole as an answer.
 */
export function readAnswers(
  list: Json | undefined,
  read: (item: JsonObject) => QuestionAndAnswer = readPair,
): Answer[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const answers = list.filter(isObject).map((item) => {
    const { question, answer } = read(item);
    const isUnknown = question === undefined && answer === undefined;
    return { question: question ?? null, answer: (isUnknown ? item : answer) ?? null };
  });
  return answers.length > 0 ? answers : undefined;
}

/** The pair in an item of the usual names. */
function readPair(item: JsonObject): QuestionAndAnswer {
  const own = (...keys: string[]) => {
    const key = keys.find((key) => Object.hasOwn(item, key) && item[key] !== null);
    return key === undefined ? undefined : item[key];
  };
  return {
    question: own("question", "questionText", "label", "name", "questionId", "id"),
    answer: own("answer", "answers", "answerText", "value", "values", "response"),
  };
}
