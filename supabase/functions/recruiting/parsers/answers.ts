import { isObject, type Json, type JsonObject } from "../../_shared/json.ts";

/** A screening question and the applicant's answer, as kept under `vendor_metadata.answers`. */
export interface Answer extends JsonObject {
  question: Json;
  answer: Json;
}

/** The question and the answer in a vendor's item; undefined where the item has none. */
export interface QuestionAndAnswer {
  question?: Json;
  answer?: Json;
}

/**
 * Reads a vendor's list of questions and answers into one shape. Undefined where the value is no list, or an empty one.
 * An item in which `read` finds neither a question nor an answer is kept whole as an answer.
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

/** The question and the answer in an item with the usual keys. */
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
