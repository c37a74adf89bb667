import { createContext, use, useEffect, useState } from "react";
import { countOf } from "./count.ts";

const CLOCK: Intl.DateTimeFormatOptions = { hour: "numeric", minute: "2-digit" };
const DAY: Intl.DateTimeFormatOptions = { month: "short", day: "numeric" };
const LONG_DAY: Intl.DateTimeFormatOptions = { weekday: "long", month: "long", day: "numeric" };

/** Whether the times below it are in UTC, not in the zone of the user's machine. */
export const Utc = createContext(false);

/** Whether the times below it have their zone in their title alone, as in the rows of a table, where the page has it once. */
export const ZoneInTitle = createContext(false);

// Made once: to make one takes a hundred times as long as to use it.
const FORMATS = {
  day: formatter(LONG_DAY),
  yearAndDay: formatter({ ...LONG_DAY, year: "numeric" }),
  shortDay: formatter(DAY),
  yearAndShortDay: formatter({ ...DAY, year: "numeric" }),
  // Of times whose zone nobody has said.
  zoneless: formatter({ dateStyle: "medium", timeStyle: "short", timeZone: "UTC" }),
  zonelessDay: formatter({ dateStyle: "medium", timeZone: "UTC" }),
};
const TIMES = new Map<string, ReturnType<typeof timesIn>>();

function timesIn(zone: Intl.DateTimeFormatOptions) {
  const clock = { ...CLOCK, ...zone };
  return {
    time: formatter(clock),
    dayAndTime: formatter({ ...DAY, ...clock }),
    yearAndTime: formatter({ ...DAY, ...clock, year: "numeric" }),
    full: formatter({ dateStyle: "full", timeStyle: "long", timeZone: zone.timeZone }),
  };
}

function times(isUtc: boolean, isZoneless: boolean): ReturnType<typeof timesIn> {
  const key = `${isUtc} ${isZoneless}`;
  let those = TIMES.get(key);
  if (those === undefined) {
    those = timesIn({ ...isUtc && { timeZone: "UTC" }, ...!isZoneless && { timeZoneName: "short" } });
    TIMES.set(key, those);
  }
  return those;
}

function formatter(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-US", options);
}

/**
 * A time with its zone, that of the user's machine or {@link Utc}: "2:05 PM CST", and with the day unless it is today. In
 * the rows of a table all have a day: "today, 2:05 PM".
 *
 * @param isDayKnown the day stands above it already, so that it is the time alone; its title has the zone
 * @param isAge it is {@link ago}, and its title has the time
 * @param isShort it is the day alone, or of today the time alone, and its title has both
 */
export function Time({ at, isDayKnown = false, isAge = false, isShort = false }: {
  at: string;
  isDayKnown?: boolean;
  isAge?: boolean;
  isShort?: boolean;
}) {
  const isUtc = use(Utc);
  const isInRow = use(ZoneInTitle) && !isDayKnown;
  const isZoneless = isInRow || isDayKnown;
  const date = new Date(at);
  const isToday = isInRow && isSameDay(date, new Date(), isUtc);
  return (
    <time dateTime={at} title={times(isUtc, isZoneless).full.format(date)}>
      {isAge
        ? ago(at)
        : isShort
        ? shortText(date)
        : (isToday ? "today, " : "") + timeText(at, isDayKnown ? date : new Date(), isUtc, isZoneless)}
    </time>
  );
}

/** The same as a text. */
export function timeText(at: string, now = new Date(), isUtc = false, isZoneless = false): string {
  const date = new Date(at);
  const { time, dayAndTime, yearAndTime } = times(isUtc, isZoneless);
  if (isSameDay(date, now, isUtc)) return time.format(date);
  return (isSameYear(date, now, isUtc) ? dayAndTime : yearAndTime).format(date);
}

/** A time of today, or the day of another one: "2:05 PM", "Nov 23", with the year unless it is this one. */
function shortText(date: Date, now = new Date()): string {
  if (isSameDay(date, now, false)) return times(false, true).time.format(date);
  return (isSameYear(date, now, false) ? FORMATS.shortDay : FORMATS.yearAndShortDay).format(date);
}

/** The day of a time: "Today", "Monday, November 23", with the year unless it is this one. */
export function dayText(at: string, now = new Date()): string {
  const date = new Date(at);
  if (isSameDay(date, now, false)) return "Today";
  return (isSameYear(date, now, false) ? FORMATS.day : FORMATS.yearAndDay).format(date);
}

function isSameDay(one: Date, other: Date, isUtc: boolean): boolean {
  if (isUtc) return one.toISOString().slice(0, 10) === other.toISOString().slice(0, 10);
  return one.toDateString() === other.toDateString();
}

function isSameYear(one: Date, other: Date, isUtc: boolean): boolean {
  return isUtc ? one.getUTCFullYear() === other.getUTCFullYear() : one.getFullYear() === other.getFullYear();
}

// Milliseconds of the years 2001 to 2096, which no vendor counts anything else in.
const [FIRST_MS, LAST_MS] = [1e12, 4e12];

/** The time that a vendor's value is, in ISO 8601: with its zone, or in milliseconds; null: it is none. */
export function momentOf(value: unknown): string | null {
  const isMoment = typeof value === "number" && value >= FIRST_MS && value < LAST_MS ||
    typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/.test(value);
  const date = isMoment ? new Date(value) : null;
  return date === null || Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** A vendor's day, or time without a zone, in words: "Jul 29, 2026, 8:00 AM"; null: it is something else. */
export function dateText(value: unknown): string | null {
  const parts = typeof value === "string"
    ? /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?)?$/.exec(value)
    : null;
  if (parts === null) return null;
  const [, day, clock] = parts;
  const date = new Date(`${day}T${clock ?? "00:00"}Z`);
  if (Number.isNaN(date.getTime())) return null;
  return (clock === undefined ? FORMATS.zonelessDay : FORMATS.zoneless).format(date);
}

/** The time since then, in its largest unit: "now", "12 min", "3 h", "5 days". */
export function ago(at: string, now = Date.now()): string {
  const minutes = Math.floor((now - Date.parse(at)) / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h`;
  return countOf(Math.floor(minutes / 60 / 24), "day", "days");
}

/** The time until then: "5 days". */
export function left(at: string): string {
  return ago(new Date().toISOString(), Date.parse(at));
}

/** Renders again each minute, so that {@link ago} stays true. Returns a number that grows with it. */
export function useMinute(): number {
  const [minute, setMinute] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setMinute((minute) => minute + 1), 60_000);
    return () => clearInterval(timer);
  }, []);
  return minute;
}
