import { ApiError } from "./errors.ts";

/** A JSON value. */
export type Json = string | number | boolean | null | Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  [key: string]: Json;
}

/** Postgres' own parser gives up on jsonb somewhere above 6,000 levels; no vendor comes near this limit. */
export const MAX_DEPTH = 100;

/** True for `{…}`, false for arrays, null and scalars. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Parses a request body so that whatever it holds can be stored:
 *
 * - a number that JavaScript cannot hold exactly becomes its source text, so a 19-digit id keeps every digit;
 * - U+0000, which Postgres cannot store, is dropped and a lone surrogate becomes U+FFFD, in keys too.
 *
 * @throws ApiError BAD_REQUEST when the text is not JSON or is nested deeper than {@link MAX_DEPTH}.
 */
export function parseJson(text: string): Json {
  let value: Json;
  try {
    value = INEXACT_NUMBER.test(text) ? JSON.parse(text, keepDigits as Reviver) : JSON.parse(text);
  } catch (cause) {
    throw new ApiError("BAD_REQUEST", "the body is not valid JSON", { cause });
  }
  return clean(value, UNSTORABLE_ESCAPE.test(text), 0);
}

/** Makes a text storable: drops U+0000 and replaces lone surrogates by U+FFFD. */
export function cleanText(text: string): string {
  return (text.includes("\0") ? text.replaceAll("\0", "") : text).toWellFormed();
}

// The reviver costs several times a plain parse, so it runs only where a number with many digits or an exponent makes it
// matter. A number stands after one of these characters; in a UUID, say, digits and an e mean nothing.
const INEXACT_NUMBER = /(?:^|[\s:,[])-?\d(?:[\d.]{15}|[\d.]*[eE])/;

// Decoding has already replaced what is broken in the bytes; only escapes can still smuggle such characters in.
const UNSTORABLE_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;

type Reviver = (this: unknown, key: string, value: unknown) => unknown;

function keepDigits(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== "number" || context.source === undefined) return value;
  const exact = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
  return exact ? value : context.source;
}

function clean(value: Json, rewrite: boolean, depth: number): Json {
  if (typeof value === "string") return rewrite ? cleanText(value) : value;
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) {
    throw new ApiError("BAD_REQUEST", `the body is nested deeper than ${MAX_DEPTH} levels`);
  }
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = clean(value[i] as Json, rewrite, depth + 1);
    return value;
  }
  if (!rewrite) {
    for (const item of Object.values(value)) clean(item, rewrite, depth + 1);
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [cleanText(key), clean(item, rewrite, depth + 1)]),
  );
}
