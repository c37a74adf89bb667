import type { Alert } from "../data/operator.ts";
import { phoneText } from "../ui/phone.ts";
import { until } from "../ui/time.tsx";

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
  if (kind === "key_expires" && expires_at !== undefined) {
    const when = Date.parse(expires_at) < Date.now() ? "has expired" : `expires ${until(expires_at)}`;
    return problem.replace(/expires .*/, when).replace("api key", "API key");
  }
  if (kind === "order_nearly_filled") return problem.replace(/^has \S+ of its/, "has nearly all of its");
  return problem.replace(/(,? the first)?( written| due)?( since)? [A-Z]\w\w \d+, \d{4}, \d+:\d\d [AP]M UTC/, "");
}
