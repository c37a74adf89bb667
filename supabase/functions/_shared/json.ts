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
  const text = new TextDecoder().decode(bytes);
  // Left to the garbage collector, they would stay for as long as there is memory.
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

/** Replaces a number that JavaScript cannot hold exactly by the text that was sent. */
const keepDigits: Reviver = (_key, value, context) =>
  typeof value === "number" && isInexact(value, context!.source!) ? context!.source : value;

/** Longer numbers are not looked at any closer. */
const LONGEST_EXACT = 100;

function isInexact(value: number, source: string): boolean {
  if (Number.isInteger(value) ? !Number.isSafeInteger(value) : !Number.isFinite(value)) return true;
  return source.length > LONGEST_EXACT || decimal(source) !== decimal(String(value));
}

/** A number's digits and power of ten, the same for every way to write it: `1.50` and `15e-1` are both `15e-1`. */
function decimal(text: string): string {
  const [, integer = "", fraction = "", exponent = "0"] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (integer + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${significant}e${power}`;
}

/** Says where a text stops being JSON, as far as V8 does: its message may quote the text, which is never repeated. */
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

/** How much V8 quotes before and after a token, of a text that has more. */
const QUOTED = 10;

/** Where V8 stopped: its message has the position, or quotes the text there. Undefined where that stands several times. */
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

/** A place in a text, both from 1 on. */
function lineAndColumn(text: string, at: number): string {
  let [line, start] = [1, 0];
  for (let end = text.indexOf("\n"); end >= 0 && end < at; end = text.indexOf("\n", start)) {
    line++;
    start = end + 1;
  }
  return `line ${line}, column ${at - start + 1}`;
}

/** Makes a text storable: drops U+0000 and replaces lone surrogates by U+FFFD. */
export function cleanText(text: string): string {
  return (text.includes("\0") ? text.replaceAll("\0", "") : text).toWellFormed();
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
