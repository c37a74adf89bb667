import { countText } from "../ui/count.ts";

const DAY = new Intl.DateTimeFormat("en-US", { weekday: "short", month: "short", day: "numeric", timeZone: "UTC" });

/** A day in words: "Mon, Nov 23". The month and the day stay on one line. */
export function dayName(day: string): string {
  return DAY.format(new Date(`${day}T00:00Z`)).replace(/ (\d+)$/, "\u00a0$1");
}

/** A time in minutes of the agency's hours: "12 min", "3 h 5 min". */
export function minutesText(minutes: number): string {
  return minutes < 60 ? `${minutes} min` : `${countText(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}
