import type { AgencyChange } from "../data/agency.ts";
import { eventName } from "../ui/event_name.ts";

/** The nouns of actions, and the columns of what they change, in words. Others stand with their own names. */
const NOUNS: Record<string, string> = {
  agency: "The agency",
  agent: "Agent",
  destination: "Destination",
  quick_reply: "Quick reply",
};
const COLUMNS: Record<string, string> = {
  timezone: "time zone",
  opens_at: "opening time",
  closes_at: "closing time",
  first_name: "first name",
  last_name: "last name",
  email: "e-mail",
  accepts_recruits: "takes leads",
  is_active: "active",
  is_on: "on",
  away_until: "away until",
  body: "words",
  url: "URL",
  order_id: "order",
  accepted_when: "accepted when",
  rejected_when: "rejected when",
  returns_rejected: "returns rejected leads",
  max_at_once: "most at once",
};
/** The columns whose values say nothing to people. */
const UNSAID = ["order_id", "template"];

/** A change of a setting in a sentence without its author: `Agent Ada Byron: role from agent to manager`. */
export function changeText({ action, subject, before, after }: Omit<AgencyChange, "id" | "created_at" | "changed_by">) {
  if (action === "bot publish") return `Bot: version ${after.version} published`;
  if (action === "bot off") return "Bot: switched off";
  const [noun, verb] = action.split(" ");
  const what = `${NOUNS[noun!] ?? noun}${noun === "agency" || subject === null ? "" : ` ${subject}`}`;
  if (verb === "create") return `${what}: added`;
  if (verb === "remove") return `${what}: removed`;
  const columns = Object.keys(after).sort();
  return `${what}: ${
    columns.map((name) => `${COLUMNS[name] ?? name} ${valueChange(name, before[name], after[name])}`).join("; ")
  }`;
}

function valueChange(name: string, before: unknown, after: unknown): string {
  if (Array.isArray(before) && Array.isArray(after)) return itemsText(before, after);
  if (isNone(after)) return "removed";
  if (UNSAID.includes(name)) return isNone(before) ? "set" : "changed";
  return isNone(before) ? `set to ${valueText(after)}` : `from ${valueText(before)} to ${valueText(after)}`;
}

/** What a list has got and lost: `added opt-out and removed erased person`. */
function itemsText(before: string[], after: string[]): string {
  const added = after.filter((item) => !before.includes(item)).map(eventName);
  const removed = before.filter((item) => !after.includes(item)).map(eventName);
  return [added.length > 0 && `added ${added.join(", ")}`, removed.length > 0 && `removed ${removed.join(", ")}`]
    .filter(Boolean).join(" and ") || "reordered";
}

const isNone = (value: unknown) => value === null || value === undefined;

function valueText(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  const text = String(value).replace(/^(\d\d:\d\d):\d\d$/, "$1").replace(/^(\d{4}-\d\d-\d\d)T.*$/, "$1");
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
