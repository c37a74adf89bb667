/** Additional functions of expressions, and replacements for library functions. */
import { TYPE_ANY, TYPE_NUMBER, TYPE_STRING } from "@jmespath-community/jmespath";
import { isObject, type Json, parseJson } from "../json.ts";
import { allowOpened, type Argument } from "./expression_steps.ts";

interface ExpressionFunction {
  call(...args: Argument[]): Argument;
  signature: { types: number[]; optional?: boolean }[];
}

const any = { types: [TYPE_ANY] };
const text = { types: [TYPE_STRING] };
const blanks = { types: [TYPE_STRING], optional: true };
const count = { types: [TYPE_NUMBER], optional: true };

export const FUNCTIONS: Record<string, ExpressionFunction> = {
  lookup: { call: lookup, signature: [any, any] },
  parse_json: { call: openText, signature: [any] },
  // The library's own trim functions take quadratic time for a run of whitespace.
  trim: {
    call: (value, blanks) => trimEnd(trimStart(value, blanks), blanks),
    signature: [text, blanks],
  },
  trim_left: { call: trimStart, signature: [text, blanks] },
  trim_right: { call: trimEnd, signature: [text, blanks] },
  // The library's own function accepts any count from the payload.
  replace: { call: replace, signature: [text, text, text, count] },
};

/** Returns the value of an object under a computed key; null if there is none. */
function lookup(object: Json, key: Json): Json {
  const name = typeof key === "number" ? String(key) : key;
  if (!isObject(object) || typeof name !== "string") return null;
  return Object.hasOwn(object, name) ? object[name]! : null;
}

/** The opened JSON texts of each payload: most fields of a mapping open the same text. */
const openedOf = new WeakMap<object, Map<string, Json>>();
let opened = new Map<string, Json>();
/** The texts that the expression has opened. Each raises the limits once. */
const allowed = new Set<string>();

/** Begins an expression on a payload. */
export function usePayload(payload: Json): void {
  const known = isObject(payload) ? openedOf.get(payload) : undefined;
  opened = known ?? new Map();
  allowed.clear();
  if (isObject(payload)) openedOf.set(payload, opened);
}

/**
 * Returns the value of a JSON text, with every digit of its numbers; null if the text is not JSON or exceeds the bounds
 * of a body. A value that is not a text is returned unchanged.
 */
function openText(text: Json): Json {
  if (typeof text !== "string") return text;
  if (!opened.has(text)) opened.set(text, parse(text));
  const value = opened.get(text)!;
  if (!allowed.has(text) && !allowOpened(value)) return null;
  allowed.add(text);
  return value;
}

function parse(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

function trimStart(text: string, blanks?: string): string {
  const isBlank = blankTest(blanks);
  let start = 0;
  while (start < text.length && isBlank(text[start]!)) start++;
  return text.slice(start);
}

function trimEnd(text: string, blanks?: string): string {
  const isBlank = blankTest(blanks);
  let end = text.length;
  while (end > 0 && isBlank(text[end - 1]!)) end--;
  return text.slice(0, end);
}

function blankTest(blanks?: string): (character: string) => boolean {
  if (!blanks) return (character) => /[\s\u0085]/.test(character);
  const given = new Set(blanks.split(""));
  return (character) => given.has(character);
}

function replace(text: string, old: string, by: string, count: number = text.length): string {
  if (!Number.isInteger(count) || count < 0) throw new Error("count must be a whole number");
  const pieces = text.split(old);
  return [pieces.slice(0, count + 1).join(by), ...pieces.slice(count + 1)].join(old);
}
