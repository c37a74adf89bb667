import { ApiError } from "./errors.ts";
import { JsonSyntaxError, readByKey } from "./json_reader.ts";
import { type JsonBounds, type JsonScan, scanJson, type Span } from "./json_scan.ts";
import { MIB } from "./units.ts";

/** A JSON value. */
export type Json = string | number | boolean | null | Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  [key: string]: Json;
}

/** True for `{…}`, false for arrays, null and scalars. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Postgres' own parser gives up on jsonb somewhere above 6,000 levels; no vendor comes near this. */
export const MAX_DEPTH = 100;

/**
 * The bounds of a body with one record, such as a lead. Parsed, JSON takes far more memory and time than its bytes say,
 * and the platform gives a request 256 MB and 2 s of CPU: docs/performance.md has what the largest bodies take.
 */
export const JSON_BOUNDS: JsonBounds = {
  depth: MAX_DEPTH,
  values: 100_000,
  keys: 20_000,
  keyBytes: 8_192,
  textBytes: 4 * MIB,
  fileNumbers: 2_000_000,
};

/** The bounds of a body with many records: 10,000 leads of 24 fields. */
export const BATCH_BOUNDS: JsonBounds = {
  ...JSON_BOUNDS,
  values: 260_000,
  textBytes: 10 * MIB,
};

/**
 * Parses a JSON text so that whatever it holds can be stored:
 *
 * - a number that JavaScript cannot hold exactly becomes its own text, so a 19-digit id keeps every digit;
 * - U+0000, which Postgres cannot store, is dropped and a lone surrogate becomes U+FFFD, in keys too.
 *
 * @throws ApiError BAD_REQUEST when it is not JSON or nested too deep, PAYLOAD_TOO_LARGE beyond another bound.
 */
export function parseJson(text: string, bounds = JSON_BOUNDS): Json {
  const bytes = new TextEncoder().encode(text);
  return parseScanned(bytes, scanJson(bytes, bounds));
}

/**
 * The second half of {@link parseJson}, for a text in UTF-8 that has been scanned. The bytes are gone afterwards: their
 * memory is needed for what becomes of them.
 */
export function parseScanned(bytes: Uint8Array<ArrayBuffer>, scan: JsonScan): Json {
  const files = new Map(scan.largeFiles.map((span) => [crypto.randomUUID() as string, span]));
  const edits: Edit[] = [
    ...scan.inexactNumbers.flatMap(({ start, end }) => [insert(start, '"'), insert(end, '"')]),
    // Parsing copies each text once more, which takes memory for a large one.
    ...files.entries().map(([name, span]) => ({ ...span, by: name })),
  ];
  const decoder = new TextDecoder();
  const text = decoder.decode(edit(bytes, edits));
  const contents = new Map(
    files.entries().map((
      [name, { start, end }],
    ) => [name, decoder.decode(bytes.subarray(start, end))]),
  );
  // Left to the garbage collector, they would stay for as long as there is memory.
  bytes.buffer.transfer(0);

  let value: Json;
  try {
    value = scan.hasEscapedKey ? readByKey(text) as Json : JSON.parse(text);
  } catch (cause) {
    throw new ApiError("BAD_REQUEST", whyInvalid(text, edits), { cause });
  }
  if (contents.size === 0 && !scan.hasUnstorable) return value;
  return mapTexts(value, (text) => cleanText(contents.get(text) ?? text));
}

/**
 * Says where a text stops being JSON, in lines and columns of the text that was sent, both from 1.
 *
 * @param edits what stands otherwise in this text
 */
function whyInvalid(text: string, edits: Edit[]): string {
  if (text.trim() === "") return "the body is empty";
  const at = errorPlace(text);
  if (at === undefined) return "the body is not valid JSON";
  if (at >= text.length) return "the body is not valid JSON: it ends too early";
  const lineStart = text.lastIndexOf("\n", at - 1) + 1;
  const line = text.slice(0, lineStart).split("\n").length;
  const encoder = new TextEncoder();
  const atByte = encoder.encode(text.slice(0, at)).length;
  const lineByte = encoder.encode(text.slice(0, lineStart)).length;
  let [column, growth] = [at - lineStart + 1, 0];
  for (const { start, end, by } of edits.toSorted(byStart)) {
    if (start + growth >= atByte) break;
    if (start + growth >= lineByte) column -= by.length - (end - start);
    growth += by.length - (end - start);
  }
  return `the body is not valid JSON at line ${line}, column ${column}`;
}

/** The place of the first character that is wrong; undefined where none is found. */
function errorPlace(text: string): number | undefined {
  try {
    readByKey(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.at;
  }
}

/** Makes a text storable: drops U+0000 and replaces lone surrogates by U+FFFD. */
export function cleanText(text: string): string {
  return (text.includes("\0") ? text.replaceAll("\0", "") : text).toWellFormed();
}

/** A text that takes the place of a span. */
interface Edit extends Span {
  by: string;
}

function insert(at: number, by: string): Edit {
  return { start: at, end: at, by };
}

function byStart(a: Edit, b: Edit): number {
  return a.start - b.start;
}

/** The bytes with these edits made. */
function edit(bytes: Uint8Array, edits: Edit[]): Uint8Array {
  if (edits.length === 0) return bytes;
  const sorted = edits.toSorted(byStart);
  const change = edits.reduce((sum, { start, end, by }) => sum + by.length - (end - start), 0);
  const edited = new Uint8Array(bytes.length + change);
  const encoder = new TextEncoder();
  let [from, to] = [0, 0];
  for (const { start, end, by } of sorted) {
    edited.set(bytes.subarray(from, start), to);
    to += start - from;
    to += encoder.encodeInto(by, edited.subarray(to)).written;
    from = end;
  }
  edited.set(bytes.subarray(from), to);
  return edited;
}

/** A value with each of its texts and keys changed. */
function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [change(key), mapTexts(item, change)]),
  );
}
