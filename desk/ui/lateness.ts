import type { Meaning } from "./badge.tsx";
import { ago } from "./time.tsx";

/** How late an answer is to a recruit who has waited since then: within an hour, within a day, or later. */
export function latenessOf(since: string): Meaning {
  const hours = (Date.now() - Date.parse(since)) / 3_600_000;
  return hours >= 24 ? "bad" : hours >= 1 ? "warn" : "info";
}

/** How long a recruit has waited, in words. */
export function waitText(since: string): string {
  const age = ago(since);
  return age === "now" ? "just wrote" : `waits ${age}`;
}
