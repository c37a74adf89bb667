import { isObject, type Json, type JsonObject } from "../../_shared/json.ts";

/**
 * The number of keys that may match one spelling. A JavaScript call cannot have hundreds of thousands of arguments.
 */
const MAX_KEYS = 100;

/** A key of an object, or an index of a list. */
export type Key = string | number;

/**
 * The path of a value: keys and indexes joined by dots (`applicant.email`, `emails.0.value`), or a list of them if keys
 * may contain dots.
 */
export type Path = string | readonly Key[];

/** What happens to a value. A "left out" value must not be stored; a "taken" value remains if it is not in the lead. */
type Mark = "taken" | "left out";

/** The marks of a payload's values, by parent object or list and by key. */
type Marks = Map<Json, Map<Key, Mark>>;

/**
 * A vendor's payload while a parser reads it. A parser takes the values that it understands, and `rest()` returns
 * everything else. A value that was taken but is not in the finished lead, such as "Texas" that became "TX", counts as
 * not taken, so nothing is lost, whatever a parser does with the values. Nothing here throws, whatever the payload
 * contains.
 *
 * @example
 * const fields = new Fields({ id: 7, state: "Texas", applicant: { email: "A@b.c", age: 30 } });
 * fields.text("id"); // "7"
 * fields.text("state"); // "Texas"
 * fields.text("applicant.mail", "applicant.email"); // "A@b.c"
 * fields.rest({ id: "7", state: "TX", email: "a@b.c" }); // { state: "Texas", applicant: { age: 30 } }
 */
export class Fields {
  readonly #value: Json | undefined;
  readonly #marks: Marks;
  #spellings?: Map<string, string[]>;

  /** @param marks the marks of the payload that contains the value */
  constructor(value: Json | undefined, marks: Marks = new Map()) {
    this.#value = value;
    this.#marks = marks;
  }

  /** Takes the first path with a non-blank text or a number. Returns it as trimmed text. */
  text(...paths: Path[]): string | undefined {
    return this.first(toText, ...paths);
  }

  /** Takes the first path with a value other than null. Returns the whole value. */
  value(...paths: Path[]): Json | undefined {
    return this.first((value) => value ?? undefined, ...paths);
  }

  /** Takes the first path whose value can be read, that is, `read` does not return undefined. */
  first<Read>(read: (value: Json | undefined) => Read | undefined, ...paths: Path[]) {
    for (const path of paths) {
      const found = read(this.peek(path));
      if (found === undefined) continue;
      this.take(path);
      return found;
    }
    return undefined;
  }

  /** Takes the value at a path, whatever it is. */
  take(path: Path): void {
    this.#mark(path, "taken");
  }

  /** Leaves out a value that must not be stored, such as the bytes of a file. */
  leaveOut(path: Path): void {
    this.#mark(path, "left out");
  }

  /** Returns the value at a path without taking it. */
  peek(path: Path): Json | undefined {
    return this.#keysOf(path).reduce<Json | undefined>(childOf, this.#value);
  }

  /** Returns the object or list at a path, to be read with relative paths. It has no fields if there is neither. */
  at(path: Path): Fields {
    this.#mark(path);
    return new Fields(this.peek(path), this.#marks);
  }

  /** Returns the objects in the list at a path, each to be read with relative paths. */
  items(path: Path): Fields[] {
    const list = this.peek(path);
    if (!Array.isArray(list)) return [];
    this.#mark(path);
    return list.filter(isObject).map((item) => new Fields(item, this.#marks));
  }

  /** Returns the keys of an object; none for any other value. */
  keys(): string[] {
    return isObject(this.#value) ? Object.keys(this.#value) : [];
  }

  /** Returns the keys that match one of these spellings (see {@link plainKey}), in the order of the spellings. */
  spelt(...spellings: string[]): string[] {
    this.#spellings ??= Map.groupBy(this.keys(), plainKey);
    const keys: string[] = [];
    for (const spelling of spellings) {
      const found = this.#spellings.get(spelling);
      if (found) keys.push(...found.slice(0, MAX_KEYS));
    }
    return keys;
  }

  /**
   * Returns the fields that were not taken, or are not values of the lead, in the vendor's own shape. A list keeps its
   * indexes, with null for items of which nothing remains. Returns undefined if nothing remains.
   *
   * @param lead the finished lead; texts are compared case-insensitively. If omitted, no taken value remains.
   */
  rest(lead?: Json): Json | undefined {
    const texts = lead === undefined ? undefined : textsOf(lead);
    const rest = this.#restOf(this.#value ?? null, undefined, texts);
    const isEmpty = rest === null || (isContainer(rest) && Object.keys(rest).length === 0);
    return isEmpty ? undefined : rest;
  }

  #restOf(value: Json, mark: Mark | undefined, texts?: Set<string>): Json | undefined {
    if (mark === "left out") return undefined;
    if (!isContainer(value)) {
      return mark === undefined || (texts && isMissingIn(texts, value)) ? value : undefined;
    }
    const marks = this.#marks.get(value);
    if (mark === undefined && marks === undefined) return value;
    const restOf = (child: Json, key: Key) => this.#restOf(child, marks?.get(key) ?? mark, texts);
    if (Array.isArray(value)) {
      const rest = value.map((item, index) => restOf(item, index) ?? null);
      return rest.some((item) => item !== null) ? rest : undefined;
    }
    const rest = Object.entries(value).map(([key, child]) => [key, restOf(child, key)] as const)
      .filter((entry): entry is [string, Json] => entry[1] !== undefined);
    return rest.length > 0 ? Object.fromEntries(rest) : undefined;
  }

  /** Marks the value at a path. Every object and list on the way gets marks, so that `rest()` looks into it. */
  #mark(path: Path, mark?: Mark): void {
    const keys = this.#keysOf(path);
    let value = this.#value;
    for (const [i, key] of keys.entries()) {
      if (!isContainer(value)) return;
      const marks = this.#marksOf(value);
      if (i === keys.length - 1 && mark) marks.set(Array.isArray(value) ? Number(key) : key, mark);
      value = childOf(value, key);
    }
    if (isContainer(value)) this.#marksOf(value);
  }

  #marksOf(container: Json): Map<Key, Mark> {
    const marks = this.#marks.get(container) ?? new Map<Key, Mark>();
    this.#marks.set(container, marks);
    return marks;
  }

  // A key that contains a dot takes precedence over a path.
  #keysOf(path: Path): readonly Key[] {
    if (typeof path !== "string") return path;
    return isObject(this.#value) && Object.hasOwn(this.#value, path) ? [path] : path.split(".");
  }
}

function isContainer(value: Json | undefined): value is Json[] | JsonObject {
  return typeof value === "object" && value !== null;
}

const INDEX = /^(?:0|[1-9]\d{0,9})$/;

function childOf(value: Json | undefined, key: Key): Json | undefined {
  if (Array.isArray(value)) return INDEX.test(String(key)) ? value[Number(key)] : undefined;
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** A cache of normalized keys: the leads of a bulk request have the same keys. */
const plainKeys = new Map<string, string>();
const MAX_PLAIN_KEYS = 1_000;
const MAX_PLAIN_KEY_LENGTH = 100;

/**
 * Normalizes a key to compare spellings: `firstName`, `First Name` and `first_name` all become `firstname`. Accents are
 * ignored: `teléfono` becomes `telefono`.
 */
export function plainKey(key: string): string {
  const known = plainKeys.get(key);
  if (known !== undefined) return known;
  const plain = key.normalize("NFD").toLowerCase().replace(/[^a-z0-9]/g, "");
  if (plainKeys.size < MAX_PLAIN_KEYS && key.length < MAX_PLAIN_KEY_LENGTH) {
    plainKeys.set(key, plain);
  }
  return plain;
}

/** Returns a string or number as trimmed text; undefined for a blank string and for any other type. */
export function toText(value: Json | undefined): string | undefined {
  if (typeof value === "number") return String(value);
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  return text === "" ? undefined : text;
}

/** Takes the first text that one of these items has at one of the paths. */
export function firstTextOf(items: Fields[], ...paths: Path[]): string | undefined {
  return items.values().map((item) => item.text(...paths)).find((text) => text !== undefined);
}

/** Whether a value is empty: null, a blank text, an empty list or object. */
export function isEmpty(value: Json | undefined): boolean {
  if (typeof value === "string") return value.trim() === "";
  return value === undefined || value === null ||
    (typeof value === "object" && Object.keys(value).length === 0);
}

/** Drops the keys whose value is undefined. */
export function compact(object: Record<string, Json | undefined>): JsonObject {
  const entries: [string, Json][] = [];
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (value !== undefined) entries.push([key, value]);
  }
  return Object.fromEntries(entries);
}

/** Longer than any text that is lowercased in a lead. A longer text is compared unchanged, which takes no memory. */
const LONGEST_LOWERED = 1_000;

/** Returns a string, number or boolean in the form used for comparison; "" for null and a blank string. */
function comparable(value: Json): string {
  if (value === null) return "";
  const text = String(value).trim();
  return text.length > LONGEST_LOWERED ? text : text.toLowerCase();
}

function isMissingIn(texts: Set<string>, value: Json): boolean {
  const text = comparable(value);
  return text !== "" && !texts.has(text);
}

/** Returns the texts of all strings, numbers and booleans in a value. */
function textsOf(value: Json, texts = new Set<string>()): Set<string> {
  if (!isContainer(value)) return texts.add(comparable(value));
  for (const child of Object.values(value)) textsOf(child, texts);
  return texts;
}
