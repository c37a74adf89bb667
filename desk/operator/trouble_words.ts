import type { Alert } from "../data/operator_rows.ts";
import { countText } from "../ui/count.ts";
import { phoneText } from "../ui/phone.ts";
import { left } from "../ui/time.tsx";

type Words = Pick<Alert, "kind" | "subject" | "name" | "problem" | "details">;

export function isOpen({ state }: { state: string }): boolean {
  return state === "open";
}

/** The words before a problem that would not say what it is about. */
const BEGINNINGS: Record<string, string> = {
  destination_failing: "Destination fails: ",
  number_paused: "Number ",
  order_filled: "Order ",
  order_nearly_filled: "Order ",
  order_stalled: "Order ",
  order_without_leads: "Order ",
  worker_late: "Worker ",
};

/** Those whose title names the vendor. */
const OF_VENDORS = ["deliveries_deleted", "deliveries_rejected", "key_expires", "vendor_silent"];

/**
 * What is wrong, without the time since when, which stands beside it. The words of the database are those of the commands,
 * which take slugs and ids.
 *
 * @param because what the view of its kind begins with, once it is read: the cause, the reason, or who waits for whom
 */
export function titleOf({ kind, subject, problem, details }: Words, nameOf: (slug: string) => string, because = "") {
  const { texts, deliveries, what, expires_at } = details as Record<string, number> & Record<string, string>;
  const vendor = nameOf(subject);
  const why = because && `: ${because}`;
  const words = problem.replace(
    /(,? the first)?( written| due)?( since)? [A-Z]\w\w \d+, \d{4}, \d+:\d\d [AP]M UTC/,
    "",
  );
  if (kind === "recruit_waiting" && because) return because;
  if (kind === "texts_held" && because) {
    return `${counted(Number(texts), "text")} held for over ${/\d+ hours?/.exec(problem)}${why}`;
  }
  if (kind === "deliveries_rejected") return `${counted(Number(deliveries), "delivery")} of ${vendor} rejected${why}`;
  if (kind === "key_expires" && expires_at !== undefined) {
    const when = Date.parse(expires_at) < Date.now() ? "has expired" : `expires in ${left(expires_at)}`;
    return `${vendor}’s ${what === "api key" ? "API key" : what} ${when}`;
  }
  if (kind === "vendor_silent") return `${vendor} ${words}`;
  return upperFirst(
    (BEGINNINGS[kind] ?? "") + words.replace(/^is full, with/, "full:").replace(/^of its last/, "of the last"),
  );
}

/** What it is about, as people know it, unless its title says it. */
export function aboutOf({ kind, subject, name, details }: Words, nameOf: (slug: string) => string): string {
  if (OF_VENDORS.includes(kind)) {
    const { prefix } = details as { prefix?: string };
    return prefix === undefined ? "" : `Key ${prefix}…`;
  }
  const vendor = nameOf(subject);
  if (vendor !== subject) return vendor;
  return upperFirst(
    name.replace(/^(agency|(conversation|order) \S+ of) /, "").replace(
      /^number (\+\d+)/,
      (_, phone) => phoneText(phone),
    ),
  );
}

export function counted(count: number, noun: string): string {
  return `${countText(count)} ${count === 1 ? noun : `${noun}s`.replace(/ys$/, "ies")}`;
}

function upperFirst(words: string): string {
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
