import { explainWhy } from "../../supabase/functions/_shared/twilio_errors.ts";
import type { UnsentText } from "../data/operator_rows.ts";
import { STATE_NAMES } from "../ui/state_names.ts";
import { timeText } from "../ui/time.tsx";

/** The words for each place of a recruiting lead. */
export const DISTRIBUTIONS: Record<string, string> = {
  distributed: "Distributed",
  unmatched: "Waits: no order wanted it when it came",
  pending: "Waits: it is not distributed yet",
  not_requested: "For no order: it came in bulk, or is a test",
  repeat: "Held: its person has an earlier lead",
  suppressed: "Suppressed: its person must not be sold or texted",
  returned: "Returned: it was taken back from its agency",
};

/** The name of a state by its code, such as Texas. */
export function stateName(code: string): string {
  return STATE_NAMES.get(code) ?? code;
}

/** Where a recruiting lead is, in words. */
export function distributionText(distribution: string): string {
  return DISTRIBUTIONS[distribution] ?? distribution;
}

/** The state of a greeting that the provider does not have, and why. */
export function greetingText({ state, ...text }: Pick<UnsentText, "state" | "why" | "reason">): string {
  return `Greeting ${state.replace("_", " ")}: ${whyText(text)}.`;
}

/** Why the provider does not have a text, without the command: the page has what is done about it. */
export function whyText(text: Pick<UnsentText, "why" | "reason">): string {
  return explainWhy(text).replace(/\d{4}-\d\d-\d\dT\S+Z/, (at) => timeText(at, new Date(), true))
    .replace(/: set them with the command.*/, "");
}
