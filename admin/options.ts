/** The options of the verbs by the kind of their value. Each names itself in its error. */
import { Option } from "commander";
import { UsageError } from "./outcome.ts";

/**
 * An option whose text becomes a value.
 *
 * @param flags such as `--quantity <number>`
 * @param expected what the text must be, as the error says it
 * @param read returns undefined where the text is not that
 */
export function option<Value>(
  flags: string,
  description: string,
  expected: string,
  read: (text: string) => Value | undefined,
): Option {
  const result = new Option(flags, description);
  return result.argParser((text) => {
    const value = read(text.trim());
    if (value === undefined) throw new UsageError(`${result.long}: "${text}" is not ${expected}`);
    return value;
  });
}

/** The same option, where the word `none` takes the value away (null). */
export function orNone(inner: Option): Option {
  const parse = inner.parseArg! as (text: string, previous: unknown) => unknown;
  inner.argParser((text, previous) => text === "none" ? null : parse(text, previous));
  inner.description += ', or "none"';
  return inner;
}

/** A text that is not blank. */
export function text(flags: string, description: string): Option {
  return option(flags, description, "a text with something in it", (given) => given || undefined);
}

/** `true` or `false`. */
export function boolean(flags: string, description: string): Option {
  return option(
    flags,
    description,
    "true or false",
    (given) => given === "true" ? true : given === "false" ? false : undefined,
  );
}

/** One of a few words. */
export function choice(flags: string, description: string, words: readonly string[]): Option {
  return option(
    flags,
    `${description}: ${words.join(" or ")}`,
    words.join(" or "),
    (given) => words.find((word) => word === given),
  );
}

/** A whole number that Postgres can hold as an integer. */
export function integer(flags: string, description: string, min = -2147483648): Option {
  const expected = min === 1 ? "a whole number from 1 on" : "a whole number";
  return option(flags, description, expected, (given) => {
    const number = Number(given);
    return /^-?\d+$/.test(given) && number >= min && number <= 2147483647 ? number : undefined;
  });
}

/** A moment in the future; a date alone is midnight in UTC. */
export function futureTime(flags: string, description: string): Option {
  return option(
    flags,
    description,
    "a time in the future such as 2027-01-31 or 2027-01-31T18:00Z",
    (given) => {
      const date = new Date(given);
      return date.getTime() > Date.now() ? date : undefined;
    },
  );
}

/**
 * A day, or a day with a time, and perhaps its offset from UTC. It stays text, because what has no offset is meant in
 * the time zone of the agency, which the database knows.
 */
export function agencyTime(flags: string, description: string): Option {
  return option(
    flags,
    `${description}; in the agency's time zone unless it says another`,
    "a time such as 2027-01-31, 2027-01-31T09:00 or 2027-01-31T09:00Z",
    (given) => {
      const form = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)?)?$/;
      const isReal = form.test(given) && !Number.isNaN(Date.parse(given)) &&
        new Date(`${given.slice(0, 10)}Z`).toISOString().startsWith(given.slice(0, 10));
      return isReal ? given : undefined;
    },
  );
}

/** States as two letters each, separated by commas. */
export function states(flags: string, description: string): Option {
  return option(flags, description, "a list of states such as IL,IN,WI", (given) => {
    const codes = given.toUpperCase().split(",").map((code) => code.trim());
    return codes.every((code) => /^[A-Z]{2}$/.test(code)) ? [...new Set(codes)] : undefined;
  });
}
