import { Buffer } from "node:buffer";
import { isObject, type Json, type JsonObject } from "../../_shared/json.ts";
import { type Fields, type Key, type Path, plainKey, toText } from "./fields.ts";
import { isListOfFiles, type ResumeFields } from "./resume.ts";
import { wordList } from "../../_shared/word_list.ts";

/** The keys that vendors use for the properties of a file, normalized by {@link plainKey}. */
const CONTENT_KEYS = new Set(wordList`
  data content contents base64 base64data base64content
  filecontent filecontents filedata
`);
const TYPE_KEYS = new Set(["contenttype", "mimetype", "mediatype", "fileext", "fileextension"]);
const NAME_KEYS = new Set(["filename", "name"]);
const URL_KEYS = new Set(["url", "href", "link", "fileurl", "downloadurl", "mediaurl"]);

/** An object with one of these keys describes a file. `name` is too common to be included. */
const FILE_KEYS = new Set([...TYPE_KEYS, "filename"]);

/** The key of a Google form. It authenticates Google as the sender, so it is a secret and not stored. */
const GOOGLE_KEY = "googlekey";

/** The same key in a text of any format: its name, a separator, and the value up to its end. */
const GOOGLE_KEY_IN_TEXT = /(google.{0,6}?key[^\w<]{0,10})(?:(?<=[^\\]")(?:[^"\\]|\\.)*|[^\s"'&,<}\\]*)/gis;

/** Base64 of at least this length is a file, whatever its key, and so is an array of this many bytes. */
const MIN_FILE_LENGTH = 4_096;
const BASE64 = /^[A-Za-z0-9+/_=\r\n-]+$/;
const DATA_URL = /^data:[^,]{0,200};base64,/i;
/** Media types by the first characters of a file in base64. */
const TYPE_OF_START: [start: string, type: string][] = [
  ["JVBERi0", "application/pdf"],
  ["UEsDB", "application/zip"],
  ["0M8R4K", "application/x-ole-storage"],
  ["e1xydGY", "application/rtf"],
];

/**
 * Takes the file at a path. The value is the file itself, an object that contains it under a usual key, or a list of
 * these. The first file of a list is taken, and the others are left out. `data` is then a list: the content of the
 * first file, and `{type, bytes}` for each other file. Other keys of an object, and values that are not files, stay
 * among the vendor's fields.
 */
export function readFile(fields: Fields, path: Path): ResumeFields {
  const value = fields.peek(path);
  if (Array.isArray(value)) {
    const first = value.findIndex((item) => item !== null && !isBlank(item));
    if (typeof value[first] === "string" || isObject(value[first])) {
      return readFirst(fields.at(path), first, value.length);
    }
  }
  if (!isObject(value) || isDescription(value)) return { data: takeContent(fields, path) };
  const file = fields.at(path);
  const keys = (spellings: Set<string>) => file.spelt(...spellings).map((key) => [key]);
  return {
    data: takeContent(file, ...keys(CONTENT_KEYS)),
    content_type: file.value(...keys(TYPE_KEYS)),
    file_name: file.value(...keys(NAME_KEYS)),
    url: file.value(...keys(URL_KEYS)),
  };
}

function readFirst(list: Fields, first: number, length: number): ResumeFields {
  const file = readFile(list, [first]);
  const others: Json[] = [];
  for (let index = first + 1; index < length; index++) others.push(...leaveOutFiles(list, index));
  return withOthers(file, others);
}

/** Returns the fields of a resume, followed by the descriptions of the files after it. */
export function withOthers(file: ResumeFields, others: Json[]): ResumeFields {
  if (others.length === 0) return file;
  const data = file.data ?? null;
  return { ...file, data: isListOfFiles(data) ? [...data, ...others] : [data, ...others] };
}

/**
 * Leaves out the files at a key: the value itself, those of an object, or those of each item of a list. Returns their
 * descriptions.
 */
export function leaveOutFiles(fields: Fields, key: Key): JsonObject[] {
  const value = fields.peek([key]);
  if (Array.isArray(value) && !isFile(value)) {
    const list = fields.at([key]);
    return value.flatMap((_, index) => leaveOutFiles(list, index));
  }
  if (!isObject(value) || isDescription(value)) return leaveOutFile(fields, [key]);
  const file = fields.at([key]);
  const isNamed = file.spelt(...FILE_KEYS).length > 0;
  const [type] = file.spelt(...TYPE_KEYS).map((key) => toText(file.peek([key])));
  return file.spelt(...CONTENT_KEYS).flatMap((key) => leaveOutFile(file, [key], isNamed, type));
}

/** @param isNamed whether the surrounding keys identify the value as a file, so that a short one also counts */
function leaveOutFile(fields: Fields, path: Path, isNamed = false, type?: string): JsonObject[] {
  const content = fields.peek(path);
  const isKnown = isObject(content) && isDescription(content);
  if (!isKnown && !isFile(content) && !(isNamed && isBase64(content))) return [];
  fields.leaveOut(path);
  const description = isKnown ? content : describeFile(content as string | number[]);
  return [
    type === undefined ? description : { ...description, type: type.slice(0, 100).toWellFormed() },
  ];
}

/** Leaves out the content of a file that is not stored: base64 under a usual key. */
export function leaveOutContent(file: Fields): void {
  for (const key of file.spelt(...CONTENT_KEYS)) {
    if (isBase64(file.peek([key]))) file.leaveOut([key]);
  }
}

/**
 * Removes the content of files from a lead's metadata, because a file may be megabytes. Names, types and plain texts in
 * place of a file remain. Also removes Google's form key everywhere.
 */
export function withoutFiles(metadata: JsonObject): JsonObject {
  return replaceFiles(metadata, isNamedBase64, () => undefined) as JsonObject;
}

/**
 * Returns a vendor's fields with `{type, bytes}` in place of each file, to show that it existed. The resume is stored
 * elsewhere and is removed everywhere, like Google's form key.
 *
 * @param resume in base64
 */
export function describeOtherFiles(fields: Json, resume?: string): Json | undefined {
  // It may have been sent as a `data:` URL; base64 contains no comma.
  const isResume = (text: string) => resume !== undefined && text.slice(text.indexOf(",") + 1).trim() === resume;
  const isOther = (text: string, isNamed: boolean) => isResume(text) || isNamedBase64(text, isNamed);
  return replaceFiles(
    fields,
    isOther,
    (file) => typeof file === "string" && isResume(file) ? undefined : describeFile(file),
  );
}

function isNamedBase64(text: string, isNamed: boolean): boolean {
  return isNamed && isBase64(text);
}

/** Removes Google's form key from a text that could not be parsed. */
export function withoutGoogleKey(text: string): string {
  return text.replace(GOOGLE_KEY_IN_TEXT, "$1");
}

/**
 * Returns a payload with `{type, bytes}` in place of each file, for a rejected delivery. Google's form key is removed
 * everywhere.
 */
export function describeFiles(value: Json): Json {
  return replaceFiles(value, (_, isNamed) => isNamed, describeFile) as Json;
}

/**
 * @param isOther whether a text that is not recognizable as a file counts as one; `isNamed` is set if the surrounding
 * keys identify it as a file
 * @param replace returns the replacement of a file; undefined to leave it out
 */
function replaceFiles(
  value: Json,
  isOther: (text: string, isNamed: boolean) => boolean,
  replace: (file: string | number[]) => Json | undefined,
  isNamed = false,
): Json | undefined {
  if (isFile(value) || (typeof value === "string" && isOther(value, isNamed))) {
    return replace(value);
  }
  if (Array.isArray(value)) {
    return value.map((item) => replaceFiles(item, isOther, replace) ?? null);
  }
  if (!isObject(value)) return withoutFileText(value);
  const keys = Object.keys(value);
  const holdsFile = keys.some((key) => FILE_KEYS.has(plainKey(key)));
  const entries: [string, Json][] = [];
  for (const key of keys) {
    const plain = plainKey(key);
    if (plain === GOOGLE_KEY) continue;
    const item = replaceFiles(value[key]!, isOther, replace, holdsFile && CONTENT_KEYS.has(plain));
    if (item !== undefined) entries.push([key, item]);
  }
  return Object.fromEntries(entries);
}

/** Whether a value is the content of a file, whatever its key. */
export function isFile(value: Json | undefined): value is string | number[] {
  return typeof value === "string"
    ? isFileText(value)
    : Array.isArray(value) && value.length >= MIN_FILE_LENGTH && isBytes(value);
}

function describeFile(file: string | number[]): JsonObject {
  if (typeof file !== "string") return { type: "unknown", bytes: file.length };
  const [, mediaType, base64 = file] = /^data:([^;,]{0,100})[^,]{0,200},([^]*)$/i.exec(file) ?? [];
  const padding = /={0,2}$/.exec(base64.slice(-2))![0].length;
  const bytes = Math.floor((base64.length - padding) * 3 / 4);
  return { type: mediaType || typeByStart(base64) || "unknown", bytes };
}

/** Whether a text in place of a file can be its content in base64. A shorter text is more likely a word. */
export function mayBeFile(text: string): boolean {
  return isFileText(text) || (text.length >= 8 && isBase64(text));
}

function typeByStart(base64: string): string | undefined {
  return TYPE_OF_START.find(([start]) => base64.startsWith(start))?.[1];
}

function isBlank(value: Json): boolean {
  return typeof value === "string" && value.trim() === "";
}

function isBase64(value: Json | undefined): boolean {
  return typeof value === "string" && BASE64.test(value.trim());
}

/** Whether an object is the description of a file in a rejected delivery, so that a replay knows that there was one. */
function isDescription(object: JsonObject): boolean {
  return Object.keys(object).length === 2 && typeof object.type === "string" &&
    typeof object.bytes === "number";
}

function isFileText(text: string): boolean {
  return typeByStart(text) !== undefined || DATA_URL.test(text) ||
    (text.length >= MIN_FILE_LENGTH && BASE64.test(text));
}

/** The characters of a file in a JSON text, in which a backslash may precede a slash or encode a line break. */
const RUN_IN_FILE = /[A-Za-z0-9+/_=\\-]+/g;

/** Returns a text without the files in it: a field may be a JSON text that contains files. */
function withoutFileText<Value extends Json>(value: Value): Value | string {
  if (typeof value !== "string" || value.length < MIN_FILE_LENGTH) return value;
  return value.replace(RUN_IN_FILE, (run) => run.length < MIN_FILE_LENGTH ? run : "");
}

/** Takes the content of a file at the first path that has a value. A list of bytes becomes base64. */
export function takeContent(fields: Fields, ...paths: Path[]): Json | undefined {
  const path = paths.find((path) => (fields.peek(path) ?? null) !== null);
  const content = path && fields.value(path);
  if (!path || !Array.isArray(content) || content.length === 0 || !isBytes(content)) return content;
  // .NET serializes a file as an array of its bytes.
  fields.leaveOut(path);
  return Buffer.from(content).toString("base64");
}

function isBytes(list: Json[]): list is number[] {
  return list.every((item) => typeof item === "number" && Number.isInteger(item) && item >= 0 && item <= 255);
}
