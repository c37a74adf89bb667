import type { AgencyChange } from "../data/agency.ts";
import { eventName } from "../ui/event_name.ts";

/** What actions change, before its name, and its columns, in words. Others stand with their own names. */
const NOUNS: Record<string, string> = { agent: "", destination: "the destination ", quick_reply: "the quick reply " };
const COLUMNS: Record<string, string> = {
  timezone: "time zone",
  opens_at: "opening time",
  closes_at: "closing time",
  first_name: "first name",
  last_name: "last name",
  email: "e-mail",
  body: "words",
  url: "URL",
  order_id: "order",
  accepted_when: "condition for accepted leads",
  rejected_when: "condition for rejected leads",
  max_at_once: "most requests at once",
};
/** The columns whose values are not words that go on in the sentence. */
const QUOTED = ["name", "shortcut", "body"];
/** The columns whose values say nothing to people. */
const UNSAID = ["order_id", "template", "accepted_when", "rejected_when"];

/** The columns that have a verb of their own, with the new value. */
const VERBS: Record<string, (what: string, now: unknown) => string> = {
  role: (what, role) => `made ${what} ${role === "manager" ? "a manager" : "an agent"}`,
  is_active: (what, is) => is ? `let ${what} back in` : `deactivated ${what}`,
  accepts_recruits: (what, is) => is ? `gave ${what} new recruits again` : `stopped new recruits for ${what}`,
  away_until: (what, until) =>
    isNone(until) ? `marked ${what} as back` : `marked ${what} as away until ${valueText(until)}`,
  is_on: (what, is) => `turned ${what} ${is ? "on" : "off"}`,
  returns_rejected: (what, is) => `turned ${is ? "on" : "off"} the return of rejected leads for ${what}`,
};

export const LIST = new Intl.ListFormat("en-US");

/** What a change of settings did, each part in words: `made Ada Byron a manager`. */
export function deedsOf(
  { action, subject, before, after }: Pick<AgencyChange, "action" | "subject" | "before" | "after">,
) {
  const [noun, verb] = action.split(" ") as [string, string];
  const named = subject === null
    ? "that is gone"
    : noun === "agent"
    ? subject
    : `“${noun === "quick_reply" ? "/" : ""}${subject}”`;
  const what = noun === "agency" ? "the agency" : `${NOUNS[noun] ?? `${noun} `}${named}`;
  return deeds(noun, verb, what, before, after);
}

function deeds(noun: string, verb: string, what: string, before: Values, after: Values): string[] {
  if (noun === "bot") return [verb === "off" ? "turned the bot off" : `published version ${after.version} of the bot`];
  if (verb === "create") return [`added ${what}`];
  if (verb === "remove") return [`removed ${what}`];
  return Object.keys(after).sort().flatMap((name) =>
    VERBS[name]?.(what, after[name]) ?? columnDeeds(name, what, before[name], after[name])
  );
}

function columnDeeds(name: string, what: string, before: unknown, after: unknown): string[] {
  const column = `the ${COLUMNS[name] ?? name} of ${what}`;
  if (Array.isArray(before) && Array.isArray(after)) return listDeeds(column, before, after);
  if (isNone(after)) return [`removed ${column}`];
  if (UNSAID.includes(name)) return [`${isNone(before) ? "set" : "changed"} ${column}`];
  const text = (value: unknown) => QUOTED.includes(name) ? `“${valueText(value)}”` : valueText(value);
  if (isNone(before)) return [`set ${column} to ${text(after)}`];
  return [`changed ${column} from ${text(before)} to ${text(after)}`];
}

/** What a list has got and lost: `added “opt-out” to the events of the destination “crm”`. */
function listDeeds(column: string, before: string[], after: string[]): string[] {
  const without = (some: string[], others: string[]) =>
    some.filter((item) => !others.includes(item)).map((item) => `“${eventName(item)}”`);
  const [added, removed] = [without(after, before), without(before, after)];
  const deeds = [
    added.length > 0 && `added ${LIST.format(added)} to ${column}`,
    removed.length > 0 && `removed ${LIST.format(removed)} from ${column}`,
  ].filter((deed) => deed !== false);
  return deeds.length === 0 ? [`put ${column} in another order`] : deeds;
}

type Values = Record<string, unknown>;

const isNone = (value: unknown) => value === null || value === undefined;

function valueText(value: unknown): string {
  const text = String(value).replace(/^(\d\d:\d\d):\d\d$/, "$1").replace(/^(\d{4}-\d\d-\d\d)T.*$/, "$1");
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
