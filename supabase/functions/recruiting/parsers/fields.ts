import { isObject, type Json, type JsonObject } from "../../_shared/json.ts";

/** Keys that count as one spelling at most: a call cannot take hundreds of thousands of arguments. */
export const MOST_KEYS = 100;

/**
 * A vendor's payload while a parser reads it: hands out values by dotted path and remembers which were taken, so that
 * everything else can be kept as the vendor's own fields. Nothing here throws, whatever the payload holds.
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

  /** The first of the paths that holds readable text, trimmed; taken. */
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

  /** The first of the paths that holds anything but null; taken as a whole. */
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

  /** The value at a path, left where it is. */
  peek(path: string): Json | undefined {
    if (Object.hasOwn(this.#payload, path)) return this.#payload[path];
    let value: Json | undefined = this.#payload;
    for (const key of path.split(".")) {
      value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    }
    return value;
  }

  /** The top-level keys written in one of these ways (see {@link plainKey}); earlier spellings come first. */
  spelt(...spellings: string[]): string[] {
    this.#keys ??= Map.groupBy(Object.keys(this.#payload), plainKey);
    return spellings.flatMap((spelling) => this.#keys?.get(spelling)?.slice(0, MOST_KEYS) ?? []);
  }

  /** What nobody has taken, in the vendor's own shape; undefined where nothing is left. */
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

/** A key as spellings are compared: `firstName`, `First Name` and `first_name` are all `firstname`. */
export function plainKey(key: string): string {
  return key.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** A string or number as trimmed text; undefined for anything blank or of another type. */
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
