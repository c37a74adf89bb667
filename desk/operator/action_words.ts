import type { OperatorAction } from "../data/operator_actions.ts";
import { countText } from "../ui/count.ts";
import { labelOf } from "../ui/json_value.tsx";
import { phoneText } from "../ui/phone.ts";
import { momentOf, timeText } from "../ui/time.tsx";

/** The actions whose second word is no verb, and the verbs that are not regular. */
const ACTIONS: Record<string, string> = {
  "alert rule": "Rule for alerts changed",
  "alert test": "Test alert sent",
  "bot answers": "Answers to the bot listed",
  "bot conversation": "Conversation with the bot shown",
  "bot off": "Bot switched off",
  "bot sessions": "Conversations with the bot listed",
  "lead waiting": "Waiting leads listed",
  "text outbox": "Unsent texts listed",
  "text unmatched": "Unmatched texts listed",
  "text waiting": "Waiting recruits listed",
  "webhook off": "Webhook switched off",
};
const VERBS: Record<string, string> = {
  cancel: "cancelled",
  find: "looked up",
  leave: "left",
  reread: "read again",
  send: "sent",
  set: "set",
  show: "shown",
};

/** An action, which is the noun and the verb of a command, in words: `delivery replay` is "Delivery replayed". */
export function actionText(action: string): string {
  const [noun, verb] = action.split(" ") as [string, string];
  const done = () => VERBS[verb] ?? verb.replace(/([^aeiou])y$/, "$1i").replace(/e?$/, "ed");
  return ACTIONS[action] ?? `${labelOf(noun)} ${done()}`;
}

/** An action in words. A dry run has changed nothing. */
export function actionOf({ action, subject }: Pick<OperatorAction, "action" | "subject">): string {
  return subject.dry_run === true ? `${actionText(action)} in a dry run` : actionText(action);
}

/** What an action was done to, in words. An id is shown where it leads to a view, and cut as it is named there. */
export function subjectText({ subject, ...names }: OperatorAction, nameOf: (slug: string) => string): string {
  const { agency, agent, vendor } = names;
  // Of what, before what was changed of it.
  const members = Object.entries(subject).sort(([one], [other]) => Number(isChange(one)) - Number(isChange(other)));
  const parts = members.map(([name, value]) => {
    const what = wordsOf(name.replace(/_ids?$/, ""));
    if (name === "agency_id" || name === "destination_id" && !("agency_id" in subject)) return agency;
    if (name === "vendor_id") return vendor && nameOf(vendor);
    if (name === "agent_id") return agent;
    // Beside an agent it has no name.
    if (name === "to_agent_id") return "agent_id" in subject ? null : agent && `to ${agent}`;
    if (Array.isArray(value) && name !== "changed") {
      return `${countText(value.length)} ${value.length === 1 ? what : `${what}s`.replace(/ys$/, "ies")}`;
    }
    if (/^(lead|delivery|order)_id$/.test(name)) return `${what} ${String(value).slice(0, 8)}`;
    if (name.endsWith("_id")) return null;
    if (name === "by") return `by ${value}`;
    if (name === "service_phone") return phoneText(String(value));
    if (name === "dry_run") return null;
    if (name === "key_prefix") return `${value}…`;
    return valueText(value);
  });
  return parts.filter(Boolean).join(", ");
}

function isChange(member: string): boolean {
  return member.startsWith("change");
}

function valueText(value: unknown): string {
  if (value === null) return "none";
  if (Array.isArray(value)) return value.map(valueText).join(", ");
  if (typeof value === "object") {
    return Object.entries(value!).map(([column, set]) =>
      column === "none" ? "back to the hours of the law" : `${wordsOf(column)} ${valueText(set)}`
    ).join(", ");
  }
  const moment = momentOf(value);
  return moment === null ? wordsOf(String(value)) : timeText(moment, undefined, true);
}

function wordsOf(name: string): string {
  return name.replaceAll("_", " ");
}
