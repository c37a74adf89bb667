import { Buffer } from "node:buffer";
import { isObject, type Json, type JsonObject } from "../../_shared/json.ts";
import { type Fields, MOST_KEYS, plainKey } from "./fields.ts";
import type { ResumeFields } from "./resume.ts";

/** How vendors spell what they say of a file, as compared by {@link plainKey}. */
const CONTENT = new Set([
  ...["data", "content", "contents", "base64", "base64data", "base64content"],
  ...["filecontent", "filecontents", "filedata"],
]);
const TYPE = new Set(["contenttype", "mimetype", "mediatype", "fileext", "fileextension"]);
const NAME = new Set(["filename", "name"]);
const ADDRESS = new Set(["url", "href", "link", "fileurl", "downloadurl", "mediaurl"]);

/** An object with one of these describes a file; `name` alone would be too common. */
const FILE_MARK = new Set([...TYPE, "filename"]);

/** The form key by which Google proves itself to the advertiser. It is a secret, and no part of the lead. */
const GOOGLE_KEY = "googlekey";

/** Text without a blank this long is a file, whatever it is called. */
const LONGEST_TOKEN = 4_096;
const BASE64 = /^[A-Za-z0-9+/_=\r\n-]+$/;
const DATA_URL = /^data:[^,]{0,200};base64,/i;
/** How base64 of a PDF, a zip archive (docx), an OLE file (doc) and RTF begins. */
const FILE_START = /^(?:JVBERi0|UEsDB|0M8R4K|e1xydGY)/;

/**
 * A file at a path: an object that holds it under any of the usual names, or else the value itself. What is recognised
 * is taken; the rest of the object stays among the vendor's fields.
 */
export function readFile(fields: Fields, path: string): ResumeFields {
  const file = fields.peek(path);
  if (!isObject(file)) return { data: bytesAsBase64(fields.value(path)) };
  const take = (spellings: Set<string>) => {
    const keys = Object.keys(file).filter((key) => spellings.has(plainKey(key))).slice(
      0,
      MOST_KEYS,
    );
    return fields.value(...keys.map((key) => `${path}.${key}`));
  };
  return {
    data: bytesAsBase64(take(CONTENT)),
    content_type: take(TYPE),
    file_name: take(NAME),
    url: take(ADDRESS),
  };
}

/**
 * Metadata fit to be kept: files are named, not kept, since they may be megabytes and the resume has its own place; and
 * Google's form key is dropped wherever it stands.
 *
 * @param resume the resume's own text, dropped wherever else it stands
 */
export function withoutFiles(metadata: JsonObject, resume?: string): JsonObject {
  const isLeftOut = (value: Json) =>
    typeof value === "string" &&
    (isFileText(value) || (resume !== undefined && value === resume));

  const clean = (value: Json): Json => {
    if (Array.isArray(value)) return value.map((item) => isLeftOut(item) ? null : clean(item));
    return isObject(value) ? cleanObject(value) : value;
  };
  const cleanObject = (object: JsonObject): JsonObject => {
    const entries = Object.entries(object);
    const isFile = entries.some(([key]) => FILE_MARK.has(plainKey(key)));
    return Object.fromEntries(
      entries.filter(([key, value]) =>
        !isLeftOut(value) && plainKey(key) !== GOOGLE_KEY &&
        !(isFile && typeof value === "string" && CONTENT.has(plainKey(key)))
      ).map(([key, value]) => [key, clean(value)]),
    );
  };
  return cleanObject(metadata);
}

function isFileText(text: string): boolean {
  return FILE_START.test(text) || DATA_URL.test(text) ||
    (text.length >= LONGEST_TOKEN && BASE64.test(text));
}

// .NET's own serializer writes a file as an array of its bytes.
function bytesAsBase64(value: Json | undefined): Json | undefined {
  if (!Array.isArray(value) || value.length === 0) return value;
  const isBytes = value.every((byte) =>
    typeof byte === "number" && Number.isInteger(byte) && byte >= 0 && byte <= 255
  );
  return isBytes ? Buffer.from(value as number[]).toString("base64") : value;
}
