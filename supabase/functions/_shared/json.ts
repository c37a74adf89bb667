import { ApiError } from "./errors.ts";
import { readByKey, type Reviver } from "./json_reader.ts";
import { type JsonBounds, type JsonScan, scanJson } from "./json_scan.ts";
import { MIB } from "./units.ts";

/** A JSON value. */
export type Json = string | number | boolean | null | Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  [key: string]: Json;
}

/** Returns true for `{…}`, false for arrays, null and scalars. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Postgres' own parser rejects jsonb above roughly 6,000 levels; no vendor comes near this. */
export const MAX_DEPTH = 100;

/**
 * The bounds of a body with one record, such as a lead. Parsed JSON takes far more memory and time than its size
 * suggests, and the platform gives a request 256 MB and 2 s of CPU: docs/performance.md lists what the largest bodies
 * take.
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
 * Parses a JSON text so that every value can be stored:
 *
 * - a number that JavaScript cannot represent exactly becomes its own text, so a 19-digit id keeps every digit;
 * - U+0000, which Postgres cannot store, is dropped and a lone surrogate becomes U+FFFD, in keys too.
 *
 * @throws ApiError BAD_REQUEST if the text is not JSON or nested too deeply, PAYLOAD_TOO_LARGE if it exceeds another
 * bound.
 */
export function parseJson(text: string, bounds = JSON_BOUNDS): Json {
  const bytes = new TextEncoder().encode(text);
  return parseScanned(bytes, scanJson(bytes, bounds));
}

/**
 * The second half of {@link parseJson}, for a scanned text in UTF-8. The buffer is detached afterwards, because its
 * memory is needed for the result.
 */
export function parseScanned(bytes: Uint8Array<ArrayBuffer>, scan: JsonScan): Json {
  const text = new TextDecoder().decode(bytes);
  // The garbage collector would not free the bytes until memory runs short.
  bytes.buffer.transfer(0);

  // A reviver makes parsing several times slower.
  const reviver = scan.hasLongNumber ? keepDigits : undefined;
  let value: Json;
  try {
    value = scan.hasEscapedKey ? readByKey(text, reviver) as Json : JSON.parse(text, reviver);
  } catch (cause) {
    throw new ApiError("BAD_REQUEST", whyInvalid(text), { cause });
  }
  return scan.hasUnstorable ? mapTexts(value, cleanText) : value;
}

/** Replaces a number that JavaScript cannot represent exactly with the text that was sent. */
const keepDigits: Reviver = (_key, value, context) =>
  typeof value === "number" && isInexact(value, context!.source!) ? context!.source : value;

/** Longer numbers always count as inexact. */
const LONGEST_EXACT = 100;

function isInexact(value: number, source: string): boolean {
  if (Number.isInteger(value) ? !Number.isSafeInteger(value) : !Number.isFinite(value)) return true;
  return source.length > LONGEST_EXACT || decimal(source) !== decimal(String(value));
}

/** Normalizes a number to its digits and power of ten: `1.50` and `15e-1` both become `15e-1`. */
function decimal(text: string): string {
  const [, integer = "", fraction = "", exponent = "0"] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (integer + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${significant}e${power}`;
}

/** Says where a text stops being JSON, if V8 reports it. V8's message may quote the text, so it is never repeated. */
function whyInvalid(text: string): string {
  if (text.trim() === "") return "the body is empty";
  try {
    JSON.parse(text);
  } catch (error) {
    const { message } = error as SyntaxError;
    const at = errorPlace(message, text);
    if (message.startsWith("Unexpected end") || at !== undefined && at >= text.length) {
      return "the body is not valid JSON: it ends too early";
    }
    if (at !== undefined) return `the body is not valid JSON at ${lineAndColumn(text, at)}`;
  }
  return "the body is not valid JSON";
}

/** The number of characters that V8 quotes before and after a token in a longer text. */
const QUOTED = 10;

/**
 * Returns where V8 stopped: its message contains the position, or quotes the text there. Undefined if the quote occurs
 * more than once.
 */
function errorPlace(message: string, text: string): number | undefined {
  const [, position] = / at position (\d+) \(line/.exec(message) ?? [];
  if (position) return Number(position);
  const [, token, before, quoted, after] =
    /^Unexpected token '(.)', (\.\.\.)?"(.*)"(\.\.\.)? is not valid JSON$/s.exec(message) ?? [];
  if (token === undefined) return undefined;
  if (!before && after) return quoted!.length - QUOTED;
  if (before && !after) return text.length - quoted!.length + QUOTED;
  const known = before ? quoted! : token;
  const at = text.indexOf(known);
  return at === text.lastIndexOf(known) ? at + (before ? QUOTED : 0) : undefined;
}

/** A position in a text, both numbers from 1. */
function lineAndColumn(text: string, at: number): string {
  let [line, start] = [1, 0];
  for (let end = text.indexOf("\n"); end >= 0 && end < at; end = text.indexOf("\n", start)) {
    line++;
    start = end + 1;
  }
  return `line ${line}, column ${at - start + 1}`;
}

/** Makes a text storable: drops U+0000 and replaces lone surrogates with U+FFFD. */
export function cleanText(text: string): string {
  return (text.includes("\0") ? text.replaceAll("\0", "") : text).toWellFormed();
}

/** Returns a value with a function applied to each of its texts and keys. */
function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [change(key), mapTexts(item, change)]),
  );
}
