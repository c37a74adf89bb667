import type { AgencyChange } from "../data/agency.ts";

/** The nouns of actions, and the columns of what they change, in words. Others stand with their own names. */
const NOUNS: Record<string, string> = {
  agency: "The agency",
  agent: "Agent",
  destination: "Destination",
  quick_reply: "Quick reply",
};
const COLUMNS: Record<string, string> = {
  timezone: "time zone",
  opens_at: "opens at",
  closes_at: "closes at",
  first_name: "first name",
  last_name: "last name",
  email: "e-mail",
  accepts_recruits: "takes leads",
  is_active: "active",
  is_on: "on",
  away_until: "away until",
  body: "words",
};

/** A change of a setting in a sentence without its author: `Agent Ada Byron: role agent → manager`. */
export function changeText({ action, subject, before, after }: Omit<AgencyChange, "id" | "created_at" | "changed_by">) {
  if (action === "bot publish") return `Bot: version ${after.version} published`;
  if (action === "bot off") return "Bot: switched off";
  const [noun, verb] = action.split(" ");
  const what = `${NOUNS[noun!] ?? noun}${noun === "agency" || subject === null ? "" : ` ${subject}`}`;
  if (verb === "create") return `${what}: added`;
  if (verb === "remove") return `${what}: removed`;
  const columns = Object.keys(after).sort();
  return `${what}: ${
    columns.map((name) => `${COLUMNS[name] ?? name} ${valueText(before[name])} → ${valueText(after[name])}`).join("; ")
  }`;
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(", ");
  if (typeof value === "object") return JSON.stringify(value);
  const text = String(value).replace(/^(\d\d:\d\d):\d\d$/, "$1").replace(/^(\d{4}-\d\d-\d\d)T.*$/, "$1");
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
