/**
 * What the parts of a JMESPath expression cost, paid before they are evaluated. Limits of size and time are not enough,
 * because nothing can stop an expression that runs. With them alone `join(s, split(s, ''))` of 20 kB took all memory.
 * An expression that joins two lists of 3,000 by their ids took 4 s, and the platform ends the isolate after 2 s.
 */
import { isObject, JSON_BOUNDS } from "../../_shared/json.ts";

/** How much a JSON value holds: its values, objects and arrays among them, and the characters of its texts and keys. */
export interface Size {
  values: number;
  characters: number;
}

// deno-lint-ignore no-explicit-any -- the library checks the types of the arguments when it calls the function
export type Argument = any;

/** Evaluates a part of the expression, and pays for it. */
export type Evaluate = (part: Argument, value: Argument) => Argument;

/**
 * What the expression may still do: evaluate a part of itself, make a value, or read 64 characters (a step each), write
 * characters, and open JSON texts with so many values.
 */
let left = { steps: 0, characters: 0, opened: 0 };
let most: Size = { values: 0, characters: 0 };

/** Begins an expression: what it may do depends on the payload's size. */
export function allow({ values, characters }: Size): void {
  left = {
    steps: 1_000 + 10 * values + characters / 4,
    characters: 5_000 + 4 * characters,
    opened: JSON_BOUNDS.values,
  };
  most = { values: values + 100, characters: characters + 1_000 };
}

/** How much the expression may find. */
export function findable(): Size {
  return { ...most };
}

/** How many values the JSON texts may still have that the expression opens. */
export function openable(): number {
  return left.opened;
}

/**
 * Counts the value of a JSON text as a part of the payload: the expression may do with it as much as if it were one.
 */
export function payForOpened({ values }: Size): void {
  left.opened -= values;
  left.steps += 10 * values;
  most.values += values;
}

/**
 * Pays for steps and for written characters.
 *
 * @throws {Error} when there is not as much left
 */
export function pay(steps: number, characters = 0): void {
  left.steps -= steps;
  left.characters -= characters;
  if (left.steps < 0 || left.characters < 0) throw new Error("the expression takes too much");
}

/** Pays for something that reads a value with all that is in it. Returns the value's size. */
export function payForReading(value: Argument): Size {
  const size = { values: 0, characters: 0 };
  addSize(value, size, left.steps);
  pay(size.values + reading(size.characters));
  return size;
}

/** Pays for an array with the items of a list or the characters of a text, which only a text of modest length gets. */
export function payForTakingApart(value: Argument): void {
  const isText = typeof value === "string";
  if (isText && value.length > 100_000) throw new Error("the text is too long");
  pay(isText ? value.length / 8 : lengthOf(value));
}

/** How much a JSON value holds. */
export function sizeOf(value: unknown): Size {
  const size = { values: 0, characters: 0 };
  addSize(value, size, Infinity);
  return size;
}

/** Items of an array, members of an object, or characters of a text. */
export function lengthOf(value: Argument): number {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}

/** Pays for the call of a function. A function that is not here is not offered. */
export const FUNCTION_COSTS: Record<string, (args: Argument[], evaluate: Evaluate) => void> = {
  ...each(["abs", "ceil", "floor", "lookup", "not_null", "to_array", "type"], () => {}),
  ...each(
    ["avg", "from_items", "group_by", "items", "keys", "map", "max_by", "merge"],
    payForItems,
  ),
  ...each(["min_by", "sum", "values", "zip"], payForItems),
  ...each(["ends_with", "max", "min", "starts_with", "to_number"], payForTexts),
  ...each(["contains", "find_first", "find_last"], ([searched, text]) => {
    if (typeof searched === "string") payForSearch(searched, text);
    else payForTexts([searched]);
  }),
  ...each(["lower", "trim", "trim_left", "trim_right", "upper"], ([text]) => {
    pay(reading(lengthOf(text)), lengthOf(text));
  }),
  ...each(["length", "reverse"], ([value]) => payForTakingApart(value)),
  join([separator, list]) {
    payForTexts([list]);
    pay(0, lengthOf(separator) * lengthOf(list) + charactersIn(list));
  },
  parse_json([text]) {
    // The whole payload may be opened four times. Even a very short text takes a while.
    if (typeof text === "string") pay(50 + text.length / 16, text.length);
  },
  replace([text, old, by]) {
    const pieces = countPieces(text, old);
    pay(pieces, lengthOf(text) + pieces * lengthOf(by));
  },
  split([text, separator]) {
    pay(countPieces(text, separator), lengthOf(text));
  },
  sort: ([list]) => payForSorting(list),
  sort_by([list, key], evaluate) {
    if (Array.isArray(list) && isObject(key)) {
      payForSorting(list.map((item) => evaluate(key, item)));
    }
  },
  to_string([value]) {
    // An escape takes up to six characters.
    pay(0, 6 * payForReading(value).characters);
  },
};

function each<Cost>(names: string[], cost: Cost): Record<string, Cost> {
  return Object.fromEntries(names.map((name) => [name, cost]));
}

/** The steps that reading so many characters takes. */
function reading(characters: number): number {
  return characters / 64;
}

function payForItems(args: Argument[]): void {
  for (const arg of args) if (typeof arg !== "string") pay(lengthOf(arg));
}

function payForTexts(args: Argument[]): void {
  for (const arg of args) {
    if (typeof arg === "string") pay(reading(arg.length));
    else pay(lengthOf(arg) + reading(charactersIn(arg)));
  }
}

// At worst, a search compares the whole of the text that it looks for at each place.
function payForSearch(searched: Argument, text: Argument): void {
  pay(reading(lengthOf(searched)) * Math.max(1, reading(lengthOf(text))));
}

// The library takes both texts apart each time that it compares two.
function payForSorting(list: Argument): void {
  const comparisons = Math.ceil(Math.log2(lengthOf(list) + 2));
  pay(comparisons * (lengthOf(list) + charactersIn(list) / 8));
}

/** Into how many pieces a text is split; the search is paid for. */
function countPieces(text: Argument, separator: Argument): number {
  if (typeof text !== "string" || typeof separator !== "string") return 0;
  payForSearch(text, separator);
  if (separator === "") return text.length;
  let pieces = 1;
  for (let at = -separator.length; (at = text.indexOf(separator, at + separator.length)) >= 0;) {
    pieces++;
  }
  return pieces;
}

function charactersIn(list: Argument): number {
  if (!Array.isArray(list)) return 0;
  return list.reduce((sum, item) => typeof item === "string" ? sum + item.length : sum, 0);
}

/** Adds a value's size. Stops above so many values: one object may be in a value any number of times. */
function addSize(value: unknown, size: Size, most: number): void {
  if (++size.values > most) throw new Error("the expression takes too much");
  if (typeof value === "string") size.characters += value.length;
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) { for (const item of value) addSize(item, size, most); }
  else {
    for (const [key, item] of Object.entries(value)) {
      size.characters += key.length;
      addSize(item, size, most);
    }
  }
}
