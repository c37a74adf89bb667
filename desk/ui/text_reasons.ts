import { TWILIO_ERRORS } from "../../supabase/functions/_shared/twilio_errors.ts";

/** The words for why a text was not sent or not delivered, by the reason in the outbox. */
const REASONS: Record<string, string> = {
  cancelled: "it was cancelled",
  taken_over: "a person has answered instead of the bot",
  answered: "the recruit had written before this reminder",
  script_ended: "the bot's part had ended",
  switched_off: "the bot was switched off",
  no_lead: "the recruit is not the agency's any more",
  lead_returned: "the recruit is not the agency's any more",
  opted_out: "the recruit has opted out of texts",
  suppressed: "nobody may text this person",
  unconfirmed: "the provider has never confirmed it. It may have been sent",
  storage: "its file could not be read",
  media_not_found: "its file is gone",
  quiet_hours: "it was not the hour for texts",
  number_paused: "the agency's number is paused",
  no_account: "no account at the provider is set",
  expired: "it could not be sent for a day",
  no_greeting: "the order has no greeting any more",
  no_consent: "the vendor has no consent to texts any more",
};

/** The words for why a greeting was never queued. */
const NEVER_QUEUED: Record<string, string> = {
  no_greeting: "the order has no greeting any more",
  no_consent: "there is no consent to texts",
  no_phone: "the recruit has no phone number that can be texted",
  is_test: "it is a test lead",
  opted_out: "the recruit had opted out before",
  suppressed: "nobody may text this person",
  lead_returned: "the recruit is not the agency's any more",
  texted_before: "the agency has texted the recruit before",
  no_number: "the agency had no number",
  taken_over: "an agent had the conversation already",
  too_long: "it was too long",
  expired: "it could not be queued for a day",
};

/** Why a text was not sent or not delivered. */
export function reasonOf(reason: string | null): string {
  if (reason === null) return "nobody knows why";
  return REASONS[reason] ?? TWILIO_ERRORS[reason] ?? `the provider refused it (${reason})`;
}

/** Why a greeting was never queued. */
export function whyNeverQueued(reason: string): string {
  return NEVER_QUEUED[reason] ?? "of an error";
}
