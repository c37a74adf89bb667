/**
 * Converts the value found for a mapped field to the type that the field has in every parser.
 */
import { isObject, type Json } from "../../_shared/json.ts";
import { MAPPING_FIELDS } from "../../_shared/mapping_fields.ts";
import { readAnswersOfAnyShape } from "./answers.ts";
import { readBoolean, readConsent } from "./consent.ts";
import { compact, type Fields, isEmpty, toText } from "./fields.ts";
import { readFile, takeContent } from "./files.ts";
import { readTime } from "./time.ts";

/**
 * Takes the value of a key. Returns the value of the field; undefined if there is none or it has another type.
 */
export type ReadValue = (fields: Fields, key: string) => Json | undefined;

const text = taking(firstText);

/** Any non-empty value, unchanged. */
export const anyValue = taking((value) => isEmpty(value) ? undefined : value);

/** The fields that are separate in normalizeLead(). */
export const LEAD_FIELDS = new Map([
  ...each([...MAPPING_FIELDS.Person, "vendor_lead_id"], text),
  ...each(["is_test"], taking((value) => readBoolean(firstOf(value)))),
  ...each(["submitted_at"], taking((value) => readTime(firstText(value)))),
  ...each(["consent"], taking((value) => readConsent(firstOfEach(firstOf(value))))),
]);

/** The other fields that have the same type in every parser. */
export const SHARED_FIELDS = new Map([
  ...each([...MAPPING_FIELDS.Job, ...MAPPING_FIELDS.Campaign], text),
  ...each(["answers"], readAnswersOfAnyShape),
]);

export const RESUME_FIELDS = new Map([
  ...each(["data"], readContent),
  ...each(["content_type", "file_name", "url"], text),
]);

function each(names: string[], read: ReadValue): [string, ReadValue][] {
  return names.map((name) => [name, read]);
}

function taking(read: (value: Json) => Json | undefined): ReadValue {
  return (fields, key) => fields.first((value) => read(value ?? null), [key]);
}

// A list is a list of files, or the bytes of one file.
function readContent(fields: Fields, key: string): Json | undefined {
  const value = fields.peek([key]) ?? null;
  if (Array.isArray(value) && typeof value[0] === "string") return readFile(fields, key).data;
  return isEmpty(value) ? undefined : takeContent(fields, [key]);
}

/** Returns a value, or the first value of a list. */
function firstOf(value: Json): Json | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function firstOfEach(value: Json | undefined): Json | undefined {
  if (!isObject(value)) return value;
  return compact(
    Object.fromEntries(Object.entries(value).map(([key, part]) => [key, firstOf(part)])),
  );
}

/** Returns a text, or the first text of a list. */
function firstText(value: Json): string | undefined {
  if (!Array.isArray(value)) return toText(value);
  return toText(value.find((item) => toText(item) !== undefined));
}
