import { isObject, type Json, type JsonObject } from "../../_shared/json.ts";
import { toText } from "./fields.ts";

/** One screening question and what the applicant answered, as kept under `vendor_metadata.answers`. */
export interface Answer extends JsonObject {
  question: Json;
  answer: Json;
}

/**
 * A list of question and answer pairs in one shape, from whatever list of objects a vendor sends; undefined where it
 * is none. `read` gives a pair of one item. Files in answers are named, not kept: they may be megabytes.
 */
export function readAnswers(
  list: Json | undefined,
  read: (
    item: JsonObject,
  ) => { question: Json | undefined; answer: Json | undefined },
): Answer[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const answers = list.filter(isObject).map((item) => {
    const { question, answer } = read(item);
    return { question: question ?? null, answer: withoutFiles(answer ?? null) };
  });
  return answers.length > 0 ? answers : undefined;
}

function withoutFiles(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutFiles);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key, item]) =>
    !(key === "data" && typeof item === "string" &&
      toText(value.fileName ?? value.contentType))
  );
  return Object.fromEntries(
    kept.map(([key, item]) => [key, withoutFiles(item)]),
  );
}
