import { type ContactField, contactFieldNamed } from "./contact.ts";
import { wordList } from "../../_shared/word_list.ts";

/** Words that do not change what a question asks for. */
const FILLERS = new Set(wordList`
  what whats which is are s do does may can could have
  the a an of in at to and so with here please
  you your yours my me us we i live reach contact
  enter type give provide share tell add let lets start begin
  current currently best preferred legal required
  hello hi hey thanks great
`);

/** Longer than any question for a contact field. */
const MAX_LENGTH = 200;

/** Typeform's placeholder in a question for an earlier answer. */
const PLACEHOLDER = /\{\{[^{}]*\}\}/g;

/**
 * Returns the contact field for which a question asks: `first_name` for "What's your first name?", `zip` for "ZIP /
 * postal code". Returns undefined for any other question. A single unusual word changes the meaning: "Their first
 * name", "Name of your company".
 */
export function contactFieldOf(question: string): ContactField | undefined {
  if (question.length > MAX_LENGTH) return undefined;
  const parts = question.replace(PLACEHOLDER, " ").split("/").map(fieldOfPart);
  return parts.every((field) => field === parts[0]) ? parts[0] : undefined;
}

function fieldOfPart(question: string): ContactField | undefined {
  const words = question.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const needed = words.filter((word) => !FILLERS.has(word));
  return contactFieldNamed(words.join("")) ?? contactFieldNamed(needed.join(""));
}

/** Whether a question asks for a resume. */
export function asksForResume(question: string): boolean {
  const plain = question.normalize("NFD").replace(/\p{M}/gu, "");
  return /\b(?:resume|cv|curriculum|lebenslauf)\b/i.test(plain);
}
