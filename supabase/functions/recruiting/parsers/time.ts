import type { Json } from "../../_shared/json.ts";
import { toText } from "./fields.ts";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** The zones that RFC 2822, section 4.3, names. Other abbreviations mean different zones in different countries. */
const ZONES: Record<string, string> = {
  "Z": "Z",
  "UT": "Z",
  "UTC": "Z",
  "GMT": "Z",
  "EDT": "-04:00",
  "EST": "-05:00",
  "CDT": "-05:00",
  "CST": "-06:00",
  "MDT": "-06:00",
  "MST": "-07:00",
  "PDT": "-07:00",
  "PST": "-08:00",
};

const CLOCK = String.raw`(\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)`;
const ZONE = String.raw`(?: ?([A-Z]{1,3}|[+-]\d{2}(?::?\d{2})?))?`;
/** `2024-05-01T10:00:00Z`, `2024-05-01 10:00:00`, and Meta's `2024-05-01T10:00:00+0000`. */
const ISO_8601 = new RegExp(String.raw`^(\d{4})-(\d{2})-(\d{2})[T ]${CLOCK}${ZONE}$`, "i");
/** `Wed, 1 May 2024 10:00:00 -0400` */
const RFC_2822 = new RegExp(
  String.raw`^(?:[A-Z]{3}, ?)?(\d{1,2}) ([A-Z]{3}) (\d{4}) ${CLOCK}${ZONE}$`,
  "i",
);
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const UNIX_TIME = /^\d{10,13}(?:\.\d{1,9})?$/;

/** Unix times of at least this value are milliseconds: as seconds, they would be after the year 5000. */
const FIRST_MILLISECONDS = 1e11;

/** Leads have no earlier or later submission time. Other years come from empty or wrong fields. */
const FIRST_YEAR = 2000;
const LAST_YEAR = 2099;

/**
 * Returns a time as ISO 8601 in UTC, such as `2024-05-01T14:00:00.000Z`, from ISO 8601, RFC 2822, or Unix seconds or
 * milliseconds. A time without a zone counts as UTC. A date alone stays a date, `2024-05-01`. Returns undefined for
 * anything else, and for years before 2000 or after 2099.
 */
export function readTime(value: Json | undefined): string | undefined {
  const text = toText(value);
  if (text === undefined) return undefined;
  if (UNIX_TIME.test(text)) return readUnixTime(Number(text));

  const iso = ISO_8601.exec(text);
  if (iso) return toUtc(toDate(iso[1], iso[2], iso[3]), iso[4], iso[5]);
  const rfc = RFC_2822.exec(text);
  if (rfc) return toUtc(toDate(rfc[3], monthNumber(rfc[2]), rfc[1]), rfc[4], rfc[5]);
  const date = DATE.exec(text);
  return date ? toDate(date[1], date[2], date[3]) : undefined;
}

function readUnixTime(number: number): string | undefined {
  const time = new Date(number < FIRST_MILLISECONDS ? number * 1_000 : number).toISOString();
  return isUsualYear(time.slice(0, 4)) ? time : undefined;
}

function monthNumber(name = ""): string {
  return String(MONTHS.indexOf(name.toLowerCase()) + 1).padStart(2, "0");
}

/** Returns the date as `YYYY-MM-DD`; undefined if the calendar has no such day. */
function toDate(year = "", month = "", day = ""): string | undefined {
  const date = `${year}-${month}-${day.padStart(2, "0")}`;
  const time = new Date(`${date}T00:00:00Z`);
  // JavaScript reads February 31 as March 2.
  const exists = !Number.isNaN(time.getTime()) && time.toISOString().startsWith(date);
  return exists && isUsualYear(year) ? date : undefined;
}

function isUsualYear(year: string): boolean {
  return Number(year) >= FIRST_YEAR && Number(year) <= LAST_YEAR;
}

function toUtc(date: string | undefined, clock = "", zone = "Z"): string | undefined {
  const offset = /^[+-]/.test(zone) ? fullOffset(zone) : ZONES[zone.toUpperCase()];
  if (date === undefined || offset === undefined) return undefined;
  const time = new Date(`${date}T${clock.replace(",", ".")}${offset}`);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** Converts `+0000`, `+00` and `+00:00` to `+00:00`. */
function fullOffset(offset: string): string {
  return `${offset.slice(0, 3)}:${offset.slice(3).replace(":", "") || "00"}`;
}
