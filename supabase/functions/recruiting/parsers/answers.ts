import { isObject, type JsonObject } from "../../_shared/json.ts";
import { type Fields, isEmpty, type Key, toText } from "./fields.ts";
import { isFile, leaveOutContent } from "./files.ts";

/** A screening question and the applicant's answer, as stored under `vendor_metadata.answers`. */
export interface ScreeningAnswer extends JsonObject {
  /** Null if the vendor sends an answer without its question. */
  question: string | null;
  /** A list if several may be chosen. Null if the question was not answered. */
  answer: string | string[] | null;
}

/** The usual spellings of an item's keys, normalized by `plainKey`. The first one that can be read wins. */
const QUESTION = ["question", "questiontext", "label", "name", "title", "text"];
const QUESTION_ID = ["questionid", "questionidentifier", "id", "key"];
const ANSWER = ["answer", "answers", "answertext", "response", "responses"];
const VALUE = ["value", "values", "choice"];
const OPTIONS = ["options", "choices"];

/**
 * The fields with the answer if the answer is an object, such as `{value: "1", label: "Yes"}`. A file has its name.
 */
const LABEL = ["label", "text", "choice", "answer", "answertext", "value", "values", "filename", "name"];

/** The labels of a question's options by their codes. */
export type Labels = Map<string, string>;

/** A question that the vendor sends as an object. */
export interface Question {
  fields: Fields;
  labels: Labels;
}

/** The questions by their ids. */
type Questions = Map<string | undefined, Question>;

/**
 * Takes the questions and answers of the first list that has any. Values of an unknown shape are not taken, so they
 * stay among the vendor's fields; an item with such an answer stays there completely. Returns undefined if there are no
 * answers.
 *
 * @param paths of the lists; the value may also be a single item
 * @param definitions the questions with their ids, if the vendor sends them separately from the answers
 */
export function readAnswers(
  fields: Fields,
  paths: string | string[],
  definitions: Fields[] = [],
): ScreeningAnswer[] | undefined {
  const questions = new Map(
    definitions.map((item) => [peekText(item, QUESTION_ID), readQuestion(item)]),
  );
  for (const path of [paths].flat()) {
    const isList = Array.isArray(fields.peek(path));
    const items = isList ? fields.items(path) : [fields.at(path)].filter(isItem);
    const answers = items.flatMap((item) => readItem(item, questions));
    if (answers.length > 0) return answers;
  }
  return undefined;
}

/**
 * Like {@link readAnswers}, for a vendor that does not document the shape or changes it. The value may also be an
 * object: with answers by question, `{"Are you licensed?": "Yes"}`, by id, `{"q1": {question, answer}}`, or with a
 * list.
 */
export function readAnswersOfAnyShape(fields: Fields, ...paths: string[]): ScreeningAnswer[] | undefined {
  for (const path of paths) {
    const answers = readAnswers(fields, path) ?? readAnswersByQuestion(fields.at(path));
    if (answers.length > 0) return answers;
  }
  return undefined;
}

/**
 * Takes the answer that is the value of a key. Returns null if the value is empty, undefined if its shape is unknown.
 */
export function readAnswer(
  fields: Fields,
  key: Key,
  labels: Labels = new Map(),
): ScreeningAnswer["answer"] | undefined {
  const value = fields.peek([key]);
  if (isEmpty(value)) {
    fields.take([key]);
    return null;
  }
  const texts = readTexts(fields, key, labels);
  return texts.length > 1 || (texts.length === 1 && Array.isArray(value)) ? texts : texts[0];
}

function readAnswersByQuestion(object: Fields): ScreeningAnswer[] {
  if (isItem(object)) return [];
  return object.keys().flatMap((key) => {
    // A list of items is not an answer; the items are nested one level deeper than usual.
    const items = object.items([key]).filter(isItem);
    if (items.length > 0) return items.flatMap((item) => readItem(item, new Map()));
    const item = object.at([key]);
    if (item.spelt(...ANSWER).length > 0) return readItem(item, new Map(), key);
    const answer = readAnswer(object, key);
    return answer === undefined ? [] : [{ question: key, answer }];
  });
}

function isItem(item: Fields): boolean {
  return item.spelt(...ANSWER).length > 0 && item.spelt(...QUESTION).length > 0;
}

/** @param name the key of the item in its parent object */
function readItem(item: Fields, questions: Questions, name?: string): ScreeningAnswer[] {
  // The question may be an object with its text, type and options.
  const nested = item.spelt("question").find((key) => isObject(item.peek([key])));
  const question = nested !== undefined
    ? readQuestion(item.at([nested]))
    : questions.get(peekText(item, QUESTION_ID) ?? name);
  const labels = question && question.labels.size > 0 ? question.labels : labelsOf(item);

  const usual = item.spelt(...ANSWER, ...VALUE);
  const keys = usual.length > 0 ? usual : item.spelt("text", "file");
  // The name of a file that is the answer.
  keys.push(...item.spelt("filename"));
  const said = keys.filter((key) => !isEmpty(item.peek([key])));
  for (const key of said.length > 0 ? said : keys) {
    const answer = readAnswer(item, key, labels);
    if (answer === undefined) continue;
    const text = takeText(question?.fields, QUESTION) ??
      item.text(...item.spelt(...QUESTION).filter((other) => other !== key)) ??
      takeText(question?.fields, QUESTION_ID) ?? name ?? takeText(item, QUESTION_ID);
    return [{ question: text ?? null, answer }];
  }
  return [];
}

/** Takes the texts in a value: its own, those of its items, or the value of a usual key of an object. */
function readTexts(fields: Fields, key: Key, labels: Labels): string[] {
  const value = fields.peek([key]);
  if (isFile(value)) return [];
  if (Array.isArray(value)) {
    const list = fields.at([key]);
    return value.flatMap((_, index) => readTexts(list, index, labels));
  }
  if (isObject(value)) {
    const object = fields.at([key]);
    if (object.spelt("filename").length > 0) leaveOutContent(object);
    const ids = object.spelt("id").filter((key) => labels.has(textAt(object, key)));
    for (const key of [...object.spelt(...LABEL), ...ids]) {
      const texts = readTexts(object, key, labels);
      if (texts.length > 0) return texts;
    }
    return [];
  }
  const text = textAt(fields, key);
  fields.take([key]);
  return text === "" ? [] : [labels.get(text) ?? text];
}

function readQuestion(fields: Fields): Question {
  return { fields, labels: labelsOf(fields) };
}

function labelsOf(question: Fields): Labels {
  const options = question.spelt(...OPTIONS).flatMap((key) => question.items([key]));
  return readLabels(options, (option) => [
    peekText(option, ["value", "id"]),
    peekText(option, ["label", "text", "name"]),
  ]);
}

/** @param read returns an option's code and label, if present */
export function readLabels(
  options: Fields[],
  read: (option: Fields) => [code: string | undefined, label: string | undefined],
): Labels {
  const pairs = options.map(read);
  return new Map(pairs.filter((pair): pair is [string, string] => !pair.includes(undefined)));
}

/** Returns the text at a key, without taking it; "" if there is none. */
function textAt(fields: Fields, key: Key): string {
  const value = fields.peek([key]);
  return typeof value === "boolean" ? String(value) : toText(value) ?? "";
}

/** Returns the first text under one of these spellings, without taking it. */
function peekText(fields: Fields, spellings: string[]): string | undefined {
  return fields.spelt(...spellings).map((key) => textAt(fields, key)).find((text) => text !== "");
}

/** Takes the first text under one of these spellings. */
function takeText(fields: Fields | undefined, spellings: string[]): string | undefined {
  return fields?.text(...fields.spelt(...spellings));
}
