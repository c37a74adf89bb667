/**
 * The counter of an expression's steps, which the payload's weight limits. Limits of size and time are not sufficient,
 * because a running library function cannot be interrupted: `join(s, split(s, ''))` of 20 kB took all memory.
 */
import { isObject, JSON_BOUNDS } from "../json.ts";

// deno-lint-ignore no-explicit-any -- the library checks the types of the arguments when it calls the function
export type Argument = any;

/** The remaining steps, the remaining weight of texts to open, and the maximum weight of a value. */
let left = { steps: 0, opened: 0, most: 0 };

/** Begins an expression on a payload. */
export function begin(payload: unknown): void {
  left = { steps: Infinity, opened: JSON_BOUNDS.values, most: Infinity };
  const weight = weigh(payload);
  left.steps = 5_000 + 10 * weight;
  left.most = 1_000 + weight;
}

/** Raises the limits for the value of a JSON text as for a part of the payload. Returns false if it weighs too much. */
export function allowOpened(value: unknown): boolean {
  const steps = left.steps;
  left.steps = Infinity;
  const weight = weigh(value);
  left.steps = steps;
  if (weight > left.opened) return false;
  left.opened -= weight;
  left.steps += 10 * weight;
  left.most += weight;
  return true;
}

/**
 * Counts steps.
 *
 * @throws {Error} if too few are left
 */
export function step(count: number): void {
  left.steps -= count;
  if (!(left.steps >= 0)) throw new Error("the expression takes too much");
}

/** @throws {Error} if a value weighs more than the payload allows */
export function checkWeight(value: Argument): void {
  if (weigh(value) > left.most) throw new Error("the expression finds too much");
}

const weights = new WeakMap<object, number>();

/**
 * Returns the weight of a value: the number of its values, objects and arrays included, plus a 32nd of its characters.
 * An object that occurs several times counts each time, but is weighed once, at one step per member.
 */
export function weigh(value: Argument): number {
  if (typeof value === "string") return 1 + value.length / 32;
  if (typeof value !== "object" || value === null) return 1;
  let weight = weights.get(value);
  if (weight !== undefined) return weight;
  weight = 1;
  if (Array.isArray(value)) {
    step(value.length);
    for (const item of value) weight += weigh(item);
  } else {
    for (const [key, item] of Object.entries(value)) {
      step(1);
      weight += key.length / 32 + weigh(item);
    }
  }
  weights.set(value, weight);
  return weight;
}

/** Counts the steps of a function before the call: twice the weight of its arguments, plus its own work. */
export function stepsOfCall(
  name: string,
  args: Argument[],
  evaluate: (part: Argument, value: Argument) => Argument,
): void {
  if (OUTSIDE.has(name)) return;
  for (const arg of args) step(2 * weigh(arg));
  const [first, second, third] = args;
  switch (name) {
    case "length":
    case "reverse":
      return stepsOfTakingApart(first);
    case "contains":
    case "find_first":
    case "find_last":
      return stepsOfSearch(first, second);
    case "split":
      return step(piecesOf(first, second));
    case "replace":
      return step(piecesOf(first, second) * weigh(third));
    case "join":
      return step((Array.isArray(second) ? second.length : 0) * weigh(first));
    case "parse_json":
      // Even a very short text has a fixed cost.
      return step(50);
    case "sort":
      return stepsOfSorting(first);
    case "sort_by":
      if (Array.isArray(first) && isObject(second)) stepsOfSorting(first.map((item) => evaluate(second, item)));
      return;
    case "to_string":
      // An escape takes up to six characters.
      return step(12 * weigh(first));
  }
}

/** The functions that do not look inside their arguments. */
const OUTSIDE = new Set(["lookup", "not_null", "to_array", "type"]);

/** The library splits such a text into an array of characters, so only a text of modest length is allowed. */
export function stepsOfTakingApart(value: Argument): void {
  if (typeof value === "string" && value.length > 100_000) throw new Error("the text is too long");
  step(typeof value === "string" ? weigh(value) : 1);
}

// In the worst case, a search compares the whole searched text at each position.
function stepsOfSearch(searched: Argument, text: Argument): void {
  if (typeof searched === "string") step(weigh(searched) * weigh(text));
}

/** Returns the number of pieces when a text is split, limited to one more than the remaining steps. */
function piecesOf(text: Argument, separator: Argument): number {
  if (typeof text !== "string" || typeof separator !== "string") return 0;
  stepsOfSearch(text, separator);
  return text.split(separator, Math.floor(left.steps) + 1).length;
}

// The library splits both texts into characters for each comparison.
function stepsOfSorting(list: Argument): void {
  if (!Array.isArray(list)) return;
  step(4 * Math.ceil(Math.log2(list.length + 2)) * weigh(list));
}
