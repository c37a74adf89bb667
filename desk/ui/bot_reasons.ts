import type { Enums } from "../../supabase/functions/_shared/database.types.ts";
import { LIFELINE } from "../data/lifeline.ts";
import { labelOf } from "./json_value.tsx";

/** The words for how the bot read a text that is not an answer, and for why its part of a conversation has ended. */
const REASONS = {
  early: "it came before the question had left",
  no_answer: "the bot did not understand it",
  not_understood: "the bot did not understand it",
  person: "the recruit asks for a person",
  asked: "the recruit asks for a person",
  question: "the recruit asks back",
  about: "the recruit asks about the agency",
  help: "HELP",
  done: "the bot asked all its questions",
  expired: "the bot got no answer in time",
  not_interested: "the recruit is not interested",
  automatic_reply: "a machine seems to have written it",
  machine: "a machine has written it",
  distress: `the recruit may be in danger. ${LIFELINE}`,
  bereavement: "somebody has died",
  health: "somebody is ill or hurt",
  legal: "the recruit speaks of law, or threatens",
  minor: "the recruit is below 18",
  wrong_number: "a wrong number",
  other_person: "somebody else has the phone",
  accessibility: "the recruit needs another way to write",
  language: "a language that the script lacks",
  busy: "the recruit is busy now",
  may_opt_out: "the recruit may want no more texts",
  media: "a file without words",
  answers_greeting: "a no to the greeting",
} satisfies Record<Enums<"handoff_reason">, string> & Record<string, string>;

/** How the bot read a recruit's text, as a sentence without its full stop. */
export function heardWords(heard: string): string {
  if (heard === "opening") return "The bot asked a question in reply";
  return heard === "answer" ? "An answer to the bot" : `No answer to the bot: ${botReason(heard)}`;
}

/** How the bot read a text, or why it has ended, in words: those of the reason itself where it has no others. */
export function botReason(reason: string): string {
  return REASONS[reason as keyof typeof REASONS] ?? labelOf(reason);
}
