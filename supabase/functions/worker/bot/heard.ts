/** What the texts of a turn say as a whole, before any answer is looked for in them. */
import type { Enums } from "../../_shared/database.types.ts";
import { type Intent, intentOf, isReaction } from "./intents.ts";
import { PEOPLE_FIRST, personReason } from "./people.ts";
import type { Script } from "./script.ts";

/** A text of the recruit. */
export interface RecruitText {
  /** Empty where only a photo or the like came. */
  body: string;
  /** Whether an answering machine has sent it: the same words as before, and both at once after one of our texts. */
  is_automatic?: boolean;
  /** Whether it came before the question had left, or may have: it is no answer then. */
  is_early?: boolean;
  /** Whether it takes back the consent to texts, or may do so. */
  consent?: "opted_out" | "may_opt_out";
}

/** Why a person goes on. */
export type HandoffReason = Enums<"handoff_reason">;
/** Why a person goes on, and the recruit is sent nothing. */
export type Reason = Exclude<HandoffReason, "asked" | "question">;

/** More texts in one turn are a person's to read. */
export const MOST_TEXTS = 20;
/** No text message is longer (https://www.twilio.com/docs/glossary/what-sms-character-limit). */
const LONGEST_TEXT = 1600;

/** A question that a text quotes beside its own words: one that the script has asked. */
const QUOTED_QUESTION = /["“„][^"“”„\n]*\?["”]/g;

/** What is read of a text. A letter that stands for many is read as these, and a question that it quotes is left out. */
export function readable(body: string): string {
  const start = body.slice(0, LONGEST_TEXT);
  const plain = start.normalize("NFKC");
  const text = plain.length > LONGEST_TEXT ? plain.slice(0, LONGEST_TEXT) : start;
  const own = isReaction(text) ? text : text.replace(QUOTED_QUESTION, "\n");
  return /[\p{L}\p{N}]/u.test(own) ? own : text;
}

/** The intents by rank, where the texts of a turn say several things. */
const INTENTS: readonly Intent[] = ["person", "not_interested", "bot", "about", "question"];

/** What the texts of a turn want, if anything; `help` where each of them is HELP. */
export function intentOfAll(script: Script, bodies: string[]): Intent | undefined {
  const intents = bodies.map((body) => intentOf(body, script.handoff_words));
  if (intents.every((intent) => intent === "help")) return "help";
  return INTENTS.find((intent) => intents.includes(intent));
}

/** Why a person reads the texts of a turn, and nothing is sent. */
export function reasonOf(texts: RecruitText[], bodies: string[]): Reason | undefined {
  if (texts.some(({ consent }) => consent === "may_opt_out")) return "may_opt_out";
  if (texts.some(({ is_automatic }) => is_automatic)) return "automatic_reply";
  const reasons = bodies.map((body) => isReaction(body) ? undefined : personReason(body));
  const first = PEOPLE_FIRST.find((reason) => reasons.includes(reason));
  if (first !== undefined) return first;
  if (bodies.every((body) => body.trim() === "")) return "media";
  return texts.length > MOST_TEXTS ? "not_understood" : undefined;
}

/** The texts that are read as an answer: neither HELP nor a reaction beside it. */
export function linesIn(bodies: string[]): string[] {
  return bodies.filter((body) => !isReaction(body) && body.trim() !== "" && intentOf(body, []) !== "help");
}
