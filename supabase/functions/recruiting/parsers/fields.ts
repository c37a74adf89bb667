import { isObject, type Json, type JsonObject } from "../../_shared/json.ts";

/** How many keys may count as one spelling. A JavaScript call cannot take hundreds of thousands of arguments. */
export const MAX_KEYS = 100;

/**
 * A vendor's payload while a parser reads it. Gives values by dotted path and remembers which were taken, so that all
 * others can be kept as the vendor's own fields. Nothing here throws, whatever the payload holds.
 *
 * @example
 * const fields = new Fields({ id: 7, applicant: { email: "a@b.c", age: 30 } });
 * fields.text("id"); // "7"
 * fields.text("applicant.mail", "applicant.email"); // "a@b.c"
 * fields.rest(); // { applicant: { age: 30 } }
 */
export class Fields {
  readonly #payload: JsonObject;
  readonly #taken = new Set<string>();
  #keys?: Map<string, string[]>;

  constructor(payload: Json) {
    this.#payload = isObject(payload) ? payload : {};
  }

  /** Takes the first of the paths that holds a text which is not blank, or a number. Returns it as trimmed text. */
  text(...paths: string[]): string | undefined {
    for (const path of paths) {
      const text = toText(this.peek(path));
      if (text !== undefined) {
        this.#taken.add(path);
        return text;
      }
    }
    return undefined;
  }

  /** Takes the first of the paths that holds a value other than null. Returns the whole value. */
  value(...paths: string[]): Json | undefined {
    for (const path of paths) {
      const value = this.peek(path);
      if (value !== undefined && value !== null) {
        this.#taken.add(path);
        return value;
      }
    }
    return undefined;
  }

  /** Returns the value at a path without taking it. */
  peek(path: string): Json | undefined {
    if (Object.hasOwn(this.#payload, path)) return this.#payload[path];
    let value: Json | undefined = this.#payload;
    for (const key of path.split(".")) {
      value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    }
    return value;
  }

  /** The top-level keys in one of these spellings (see {@link plainKey}), in the order of the spellings. */
  spelt(...spellings: string[]): string[] {
    this.#keys ??= Map.groupBy(Object.keys(this.#payload), plainKey);
    return spellings.flatMap((spelling) => this.#keys?.get(spelling)?.slice(0, MAX_KEYS) ?? []);
  }

  /** What was not taken, in the vendor's own shape; undefined where nothing is left. */
  rest(): JsonObject | undefined {
    return this.#without(this.#payload, "");
  }

  #without(object: JsonObject, prefix: string): JsonObject | undefined {
    const kept: [string, Json][] = [];
    for (const [key, value] of Object.entries(object)) {
      const path = prefix + key;
      if (this.#taken.has(path)) continue;
      const rest = isObject(value) && this.#reachesInto(path)
        ? this.#without(value, `${path}.`)
        : value;
      if (rest !== undefined) kept.push([key, rest]);
    }
    return kept.length > 0 ? Object.fromEntries(kept) : undefined;
  }

  #reachesInto(path: string): boolean {
    return this.#taken.values().some((taken) => taken.startsWith(`${path}.`));
  }
}

/**
 * A key in the form in which spellings are compared: `firstName`, `First Name` and `first_name` are all `firstname`.
 * Accents do not count: `teléfono` is `telefono`.
 */
export function plainKey(key: string): string {
  return key.normalize("NFD").toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** A string or number as trimmed text; undefined for a blank string and for any other type. */
export function toText(value: Json | undefined): string | undefined {
  if (typeof value === "number") return String(value);
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  return text === "" ? undefined : text;
}

/** Drops the keys whose value is undefined. */
export function compact(object: Record<string, Json | undefined>): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );
}
