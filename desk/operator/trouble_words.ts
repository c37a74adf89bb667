import type { Alert } from "../data/operator.ts";
import { phoneText } from "../ui/phone.ts";

const DAY = 86_400_000;

type Words = Pick<Alert, "kind" | "subject" | "name" | "problem" | "details">;

export function isOpen({ state }: { state: string }): boolean {
  return state === "open";
}

/**
 * What an alert is about, as people know it, without its kind where that is plain. The words of the database are those of
 * the commands, which take slugs and ids.
 */
export function aboutOf({ subject, name }: Words, nameOf: (slug: string) => string): string {
  const vendor = nameOf(subject);
  if (vendor !== subject) return vendor;
  const about = name.replace(/^(agency|conversation \S+ of) /, "")
    .replace(/^number (\+\d+)/, (_, phone) => phoneText(phone));
  return about.slice(0, 1).toUpperCase() + about.slice(1);
}

/** What is wrong, without the time since when, which stands beside it, and without a count that goes on. */
export function problemOf({ kind, problem, details }: Words): string {
  const { expires_at } = details as { expires_at?: string };
  const days = Math.round((Date.parse(expires_at ?? "") - Date.now()) / DAY);
  if (kind === "key_expires" && !Number.isNaN(days)) {
    const when = days < 0
      ? "has expired"
      : days === 0
      ? "expires today"
      : days === 1
      ? "expires in 1 day"
      : `expires in ${days} days`;
    return problem.replace(/expires .*/, when).replace("api key", "API key");
  }
  if (kind === "order_nearly_filled") return problem.replace(/^has \S+ of its/, "has nearly all of its");
  return problem.replace(/(,? the first)?( written| due)?( since)? [A-Z]\w\w \d+, \d{4}, \d+:\d\d [AP]M UTC/, "");
}
