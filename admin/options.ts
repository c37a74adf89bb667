/** The options of the verbs by the kind of their value. Each names itself in its error. */
import { Argument, Option } from "commander";
import type postgres from "postgres";
import { toE164 } from "../supabase/functions/_shared/phone.ts";
import { namedState, readStates } from "../supabase/functions/_shared/states.ts";
import { UsageError } from "./errors.ts";
import { visibleText } from "./formats/visible.ts";

/** The options for the settings of a row, by their columns. */
export type Settings = Record<string, Option>;

/** The options of a command line, by their names in camelCase. */
export type Given = Record<string, unknown>;

/** The columns to write: an omitted option gives none, and the word `none` gives null. */
export function columnsOf(
  settings: Settings,
  given: Given,
): Record<string, postgres.SerializableParameter | undefined> {
  return Object.fromEntries(
    Object.entries(settings)
      .map(([column, option]) => [column, given[option.attributeName()]] as const)
      .filter(([, value]) => value !== undefined)
      .map(([column, value]) => [column, value === NONE ? null : value as string]),
  );
}

/**
 * An option whose text becomes a value.
 *
 * @param flags such as `--quantity <number>`
 * @param expected describes a valid text in the error
 * @param read returns undefined if the text is not valid
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

/** An argument whose text becomes a value; see {@link option}. */
function argument<Value>(name: string, expected: string, read: (text: string) => Value | undefined): Argument {
  return new Argument(name).argParser((text) => {
    const value = read(text.trim());
    if (value === undefined) throw new UsageError(`"${text}" is not ${expected}`);
    return value;
  });
}

/** The value of an option given as `none`. Not null, because commander turns null into an empty text. */
const NONE = Symbol("none");

/** Makes an option also accept the word `none`. */
export function orNone(inner: Option): Option {
  const parse = inner.parseArg! as (text: string, previous: unknown) => unknown;
  inner.argParser((text, previous) => text === "none" ? NONE : parse(text, previous));
  inner.description += ' ("none" removes it)';
  return inner;
}

/** Makes options of one kind; see {@link option}. */
function kind<Value>(expected: string, read: (text: string) => Value | undefined) {
  return (flags: string, description: string) => option(flags, description, expected, read);
}

/** A text that is not blank. */
export const text = kind(
  "a text with something in it",
  (given) => visibleText(given).trim() === "" ? undefined : given,
);

/** An e-mail address, in lower case. */
const toEmail = (given: string) => /^[^\s@]+@[^\s@]+$/.test(given) ? given.toLowerCase() : undefined;
export const email = kind("an e-mail address", toEmail);
export const EMAIL = argument("<email>", "an e-mail address", toEmail);

/** `true` or `false`. */
export const boolean = kind(
  "true or false",
  (given) => given === "true" || (given === "false" ? false : undefined),
);

/** A moment in the future; a date alone is midnight in UTC. */
export const futureTime = kind(
  "a time in the future such as 2027-01-31 or 2027-01-31T18:00Z",
  (given) => momentOf(given) > Date.now() ? new Date(momentOf(given)) : undefined,
);

/** A moment in the past; a date alone, `today` and `yesterday` are midnight in UTC. */
export function pastTime(flags: string, description: string): Option {
  const expected = "a time in the past such as 2026-01-31 or 2026-01-31T18:00Z, today or yesterday";
  return option(flags, `${description}; a day is midnight in UTC`, expected, (given) => {
    const moment = momentOf(dayIn(given, "UTC"));
    return moment <= Date.now() ? new Date(moment) : undefined;
  });
}

/** The end of a period: a moment in the past, or the end of a day in UTC, today at the latest. */
export function endTime(flags: string, description: string): Option {
  const expected = "a time in the past such as 2026-01-31 or 2026-01-31T18:00Z, today or yesterday";
  return option(flags, `${description}; a day counts whole, in UTC`, expected, (given) => {
    const text = dayIn(given, "UTC");
    const moment = momentOf(text);
    return moment <= Date.now() ? new Date(isDay(text) ? moment + 86_400_000 : moment) : undefined;
  });
}

/** A time of any day, from 00:00 to 24:00. */
export const timeOfDay = kind(
  "a time such as 08:00",
  (given) => /^([01]\d|2[0-3]):[0-5]\d$|^24:00$/.test(given) ? given : undefined,
);

/** A phone number, in E.164. */
const A_PHONE = "a phone number such as +13125550142";
export const phone = kind(A_PHONE, toE164);
export const PHONE = argument("<phone>", A_PHONE, toE164);

/** A number that the service sends from: a phone number, or a short code of 5 or 6 digits. */
const toServicePhone = (given: string) => /^\d{5,6}$/.test(given) ? given : toE164(given);
export const servicePhone = kind(A_PHONE, toServicePhone);
export const SERVICE_PHONE = argument("<phone>", A_PHONE, toServicePhone);

/** A phone number or an e-mail address. */
export const CONTACT = argument(
  "<contact>",
  `${A_PHONE} or an e-mail address`,
  (given) => toEmail(given) ?? toE164(given),
);

/** A state by name or code: the code that a lead can have. */
export const state = kind("a state such as IL or Indiana", namedState);

/** States by name or code, separated by commas: the codes of those that a lead can have. */
export function states(flags: string, description: string): Option {
  const result = new Option(flags, description);
  return result.argParser((text) => {
    const { data, error } = readStates(text);
    if (error !== null) throw new UsageError(`${result.long}: ${error}`);
    return data;
  });
}

/** One of a few words. */
export function choice(flags: string, description: string, words: readonly string[]): Option {
  const expected = words.join(" or ");
  const read = (given: string) => words.find((word) => word === given);
  return option(flags, `${description}: ${expected}`, expected, read);
}

/** A whole number that Postgres can hold as an integer. */
export function integer(flags: string, description: string, min = -2147483648): Option {
  const expected = min === 1 ? "a whole number from 1 on" : "a whole number";
  return option(flags, description, expected, (given) => {
    const number = Number(given);
    return /^-?\d+$/.test(given) && number >= min && number <= 2147483647 ? number : undefined;
  });
}

/** A length of time from one minute on, as Postgres reads it. */
export const duration = kind("a length of time such as 30m, 4h or 2d", (given) => {
  const [, number, unit] = /^([1-9]\d{0,3})([mhd])$/.exec(given) ?? [];
  return number && `${number} ${{ m: "minutes", h: "hours", d: "days" }[unit as "m" | "h" | "d"]}`;
});

/**
 * A day, or a day with a time and optionally its offset from UTC. It stays text, because a time without an offset is in
 * the time zone of the agency, which the database knows.
 */
export function agencyTime(flags: string, description: string): Option {
  const expected = "a time such as 2027-01-31, 2027-01-31T09:00 or 2027-01-31T09:00Z";
  const where = `${description}, in the agency's time zone unless it says another`;
  return option(flags, where, expected, (given) => {
    const form = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)?)?$/;
    const [, day] = form.exec(given) ?? [];
    return day !== undefined && isDay(day) && !Number.isNaN(Date.parse(given)) ? given : undefined;
  });
}

/** Milliseconds since 1970; NaN if the text is not a time, or its day does not exist. */
function momentOf(text: string): number {
  const [, day, time, offset] = /^(\d{4}-\d\d-\d\d)(?:(T[\d:.]+)(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? [];
  if (day === undefined || !isDay(day)) return NaN;
  // Otherwise JavaScript would use the time zone of the computer.
  return Date.parse(time === undefined || offset !== undefined ? text : `${text}Z`);
}

function isDay(text: string): boolean {
  if (!/^[12]\d{3}-\d\d-\d\d$/.test(text) || Number.isNaN(Date.parse(text))) return false;
  // JavaScript reads February 30 as March 2.
  return new Date(text).toISOString().startsWith(text);
}

/** A date, such as 2026-01-31. */
export const day = kind("a day such as 2026-01-31", (given) => isDay(given) ? given : undefined);

/** The first day of a period: a day in the past, `today` or `yesterday`. */
export const firstDay = kind("a day in the past such as 2026-01-31, today or yesterday", (given) => {
  // In some time zone it is already tomorrow.
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  return isNamedDay(given) || isDay(given) && given <= tomorrow ? given : undefined;
});

/** The last day of a period: any day, `today` or `yesterday`. */
export const lastDay = kind(
  "a day such as 2026-01-31, today or yesterday",
  (given) => isNamedDay(given) || isDay(given) ? given : undefined,
);

const isNamedDay = (given: string): boolean => given === "today" || given === "yesterday";

/**
 * The date of a day: of `today` and `yesterday` their dates, otherwise the given one.
 *
 * @param zone an IANA time zone; UTC replaces an unknown one, which the database refuses
 */
export function dayIn(given: string, zone: string): string {
  if (!isNamedDay(given)) return given;
  const moment = new Date();
  let today: string;
  try {
    today = moment.toLocaleDateString("sv-SE", { timeZone: zone });
  } catch {
    today = moment.toISOString().slice(0, 10);
  }
  if (given === "today") return today;
  return new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10);
}

/** The days of a list or report, and whether it is CSV. */
export interface Period {
  since?: string;
  until?: string;
  timezone: string;
  csv?: boolean;
}

/** Prints a list for a spreadsheet. */
export const CSV = new Option("--csv", "print CSV for a spreadsheet, with whole ids");

/** The problem of a list's format. */
export function wrongCsv({ csv, json }: { csv?: boolean; json?: boolean }): string | undefined {
  if (csv && json) return "--csv: it cannot be printed with --json";
}

/**
 * The first and the last day as dates.
 *
 * @param agency whose time zone determines `today` and `yesterday`; otherwise `--timezone` does
 */
export function datesOf({ since, until, timezone }: Period, agency?: { timezone: string }) {
  const dateOf = (day?: string) => day === undefined ? null : dayIn(day, agency?.timezone ?? timezone);
  return { since: dateOf(since), until: dateOf(until) };
}

/** The options of a {@link Period}. */
export const PERIOD = [
  firstDay("--since <day>", "the first day, in the time zone of the lead's agency; also today, yesterday"),
  lastDay("--until <day>", "the last day"),
  text("--timezone <zone>", "the IANA time zone of what has no agency, and of today without --agency").default("UTC"),
  CSV,
];

/** The problem of a {@link Period}. */
export function wrongPeriod(given: Period & { json?: boolean }): string | undefined {
  return wrongOrder(given.timezone, ["--since", given.since], ["--until", given.until]) ?? wrongCsv(given);
}

/** The problem of two options if the second names a day before the first. */
export function wrongOrder(
  zone: string,
  [first, since]: [string, string | undefined],
  [last, until]: [string, string | undefined],
): string | undefined {
  if (since && until && dayIn(until, zone) < dayIn(since, zone)) return `${last}: ${until} is before ${first} ${since}`;
}

/** The words that name an agency. */
export const AGENCY_NAMES = "its name, its id, or the beginning of either";

/** The agency of a new row. */
export const AGENCY = text("--agency <agency>", `the agency: ${AGENCY_NAMES}`);

/** The agency of a list. */
export const ONLY_AGENCY = text("--agency <agency>", `only this agency's; ${AGENCY_NAMES}`);

/** Allows a second row with the same name or e-mail address. `--yes` does not, because it answers other questions. */
export const AGAIN = new Option("--again", "even if there is one of the same name or address");

/** Tries a verb. */
export const DRY_RUN = new Option("--dry-run", "say what would happen, and change nothing");

/** The length of a list. */
export const LIMIT = integer("--limit <number>", "how many at most", 1).default(50);
