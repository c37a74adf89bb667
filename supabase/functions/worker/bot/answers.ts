/**
 * The answer of a recruit's text to a question of a script. A text that can be read in two ways, or says more
 * than an answer, is no answer. The question is asked once more then, and after that a person reads the text.
 */
import { wordList } from "../../_shared/word_list.ts";
import { isReaction } from "./intents.ts";
import { readStates } from "./listed_states.ts";
import { readNumber } from "./numbers.ts";
import { wordsOf } from "./words.ts";
import { readYesNo } from "./yes_no.ts";

/** The kind of answer that a question wants. */
export type AnswerType =
  | "yes_no"
  | "states"
  | "text"
  /** The names of the choices, each with the words that people use for it. */
  | { choice: Record<string, string[]> }
  | { number: { min: number; max: number } };

/** `yes` or `no`, the name of a choice, USPS codes in their order, a number, or the text itself. */
export type AnswerValue = string | number | string[];

/** A longer text says more than an answer. The names of all states have 600 characters. */
const LONGEST_ANSWER = 800;

/**
 * Reads an answer; undefined for a text that is not one.
 *
 * @param ask the question, which tells what "I am licensed" and "6 months" mean
 */
export function readAnswer(type: AnswerType, text: string, ask = ""): AnswerValue | undefined {
  if (isReaction(text)) return undefined;
  if (type === "text") return text.trim() || undefined;
  if (text.length > LONGEST_ANSWER) return undefined;
  const said = withoutSignature(text);
  if (type === "yes_no") return readYesNo(said, ask);
  if (type === "states") return readStates(said);
  return "choice" in type ? readChoice(type.choice, said) : readNumber(type.number, said, ask);
}

/** A text without what a phone puts below it. */
function withoutSignature(text: string): string {
  const lines = text.split("\n");
  return lines.filter((line, i) => i === 0 || !/^\s*(sent from|get outlook|enviado desde) /i.test(line)).join("\n");
}

/** They turn the words around them into their opposite, or into more than one. */
const NEGATIONS = new Set(wordList`
  not no dont doesnt isnt cant wont never neither nor except without but excluding
  all every any either both
`);

function readChoice(choice: Record<string, string[]>, text: string): string | undefined {
  const phrases = Object.entries(choice)
    .flatMap(([name, words]) => [name, ...words].map((word) => ({ name, words: wordsOf(word) })))
    .sort((a, b) => b.words.length - a.words.length);
  const found = new Set<string>();
  let rest = ` ${wordsOf(text).join(" ")} `;
  for (const { name, words } of phrases) {
    // "full-time" is also written "fulltime".
    for (const spelling of [` ${words.join(" ")} `, ` ${words.join("")} `]) {
      if (words.length === 0 || !rest.includes(spelling)) continue;
      rest = rest.replaceAll(spelling, " ");
      found.add(name);
    }
  }
  const isPlain = !rest.split(" ").some((word) => NEGATIONS.has(word));
  return isPlain && found.size === 1 ? [...found][0] : undefined;
}
