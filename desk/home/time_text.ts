import { countText } from "../ui/count.ts";

const DAY = new Intl.DateTimeFormat("en-US", { weekday: "short", month: "short", day: "numeric", timeZone: "UTC" });
const CLOCK = new Intl.DateTimeFormat("en-US", { hour: "numeric", minute: "2-digit", timeZone: "UTC" });

/** A day in words: "Mon, Nov 23". The month and the day stay on one line. */
export function dayName(day: string): string {
  return DAY.format(new Date(`${day}T00:00Z`)).replace(/ (\d+)$/, "\u00a0$1");
}

const SHORT_DAY = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric", timeZone: "UTC" });

/** A day in few words: "Nov 23". */
export function shortDayName(day: string): string {
  return SHORT_DAY.format(new Date(`${day}T00:00Z`));
}

/** A time of the database, such as 09:00:00, in words: "9:00 AM", "midnight". */
export function clockText(time: string): string {
  const [hour, minute] = time.split(":").map(Number) as [number, number];
  return hour % 24 === 0 && minute === 0 ? "midnight" : CLOCK.format(Date.UTC(2000, 0, 1, hour, minute));
}

/** A time in minutes of the agency's hours: "<1 min", "12 min", "3 h 5 min". */
export function minutesText(minutes: number): string {
  if (minutes === 0) return "<1 min";
  return minutes < 60 ? `${minutes} min` : `${countText(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}
