import type { Meaning } from "./badge.tsx";

/** How late an answer is to a recruit who has waited since then: within an hour, within a day, or later. */
export function latenessOf(since: string): Meaning {
  const hours = (Date.now() - Date.parse(since)) / 3_600_000;
  return hours >= 24 ? "bad" : hours >= 1 ? "warn" : "info";
}
