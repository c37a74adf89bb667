/**
 * The answer of a recruit's text to a question of a script. A text that can be read in two ways, or says more
 * than an answer, is no answer. The question is asked once more then, and after that a person reads the text.
 */
import { wordList } from "../../_shared/word_list.ts";
import { ageAsked, isOfAge } from "./ages.ts";
import { readHours, withSpanish } from "./hours.ts";
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
export const LONGEST_ANSWER = 800;

/**
 * Reads an answer; undefined for a text that is not one.
 *
 * @param ask the question, which tells what "I am licensed" and "6 months" mean
 */
export function readAnswer(type: AnswerType, text: string, ask = "", now = new Date()): AnswerValue | undefined {
  if (isReaction(text)) return undefined;
  if (type === "text") return text.trim() || undefined;
  if (text.length > LONGEST_ANSWER) return undefined;
  const said = withoutSignature(text);
  if (type === "yes_no") {
    const age = ageAsked(ask);
    const isOld = age === undefined ? undefined : isOfAge(said, age);
    return isOld === undefined ? readYesNo(said, ask) : isOld ? "yes" : undefined;
  }
  if (type === "states") return readStates(said);
  return "choice" in type ? readChoice(type.choice, said) : readNumber(type.number, said, ask, now);
}

/** A text without what a phone puts below it. */
function withoutSignature(text: string): string {
  const lines = text.split("\n");
  return lines.filter((line, i) => i === 0 || !/^\s*(sent from|get outlook|enviado desde) /i.test(line)).join("\n");
}

/** They turn the words around them into their opposite, or into more than one. */
const NEGATIONS = new Set(wordList`
  not no dont doesnt isnt cant wont never neither nor except without but excluding doubt unsure
  all every any either both
  of already used was were until school student college class classes husband wife
`);

function readChoice(choice: Record<string, string[]>, text: string): string | undefined {
  const hours = readHours(choice, text);
  if (hours !== undefined) return hours;
  const { found, rest, isNamed } = choicesIn(phrasesOf(choice), text);
  const isPlain = !rest.some((word) => NEGATIONS.has(word));
  // "I'm full, just ate" has a word of a choice, and does not choose.
  const isChosen = isNamed || rest.filter((word) => !WISHES.has(word)).length <= MOST_BESIDE_A_WORD;
  return isPlain && isChosen && found.size === 1 ? [...found][0] : undefined;
}

/** A choice of a single word stands beside no more words that say something else. */
const MOST_BESIDE_A_WORD = 2;

/** They say nothing beside a choice. */
const WISHES = new Set(wordList`
  i im id ill am looking look for want wanna would like prefer preferably need seeking and also but so plus to start
  work job position only just now please pls thanks thank you asap a the in with interested now yes y busco quiero or
  available can do some
`);

/** The choice that a text names by two words at least, and says nothing else. */
export function readNamedChoice(choice: Record<string, string[]>, text: string): string | undefined {
  const { found, rest } = choicesIn(phrasesOf(choice).filter(({ words }) => words.length > 1), text);
  return found.size === 1 && rest.every((word) => WISHES.has(word)) ? [...found][0] : undefined;
}

/** Whether a text has a word of a choice, or one that chooses several. */
export function speaksOfChoice(choice: Record<string, string[]>, text: string): boolean {
  return choicesIn(phrasesOf(choice), text).found.size > 0 || readHours(choice, text) !== undefined ||
    wordsOf(text).some((word) => SEVERAL.has(word));
}

const SEVERAL = new Set(
  wordList`either both any depends whichever whatever flexible hours hrs first second time shift`,
);

interface Phrase {
  name: string;
  words: readonly string[];
}
const PHRASES = new WeakMap<Record<string, string[]>, Phrase[]>();

/** The phrases of a question's choices, the longest first. */
function phrasesOf(choice: Record<string, string[]>): Phrase[] {
  const known = PHRASES.get(choice);
  if (known !== undefined) return known;
  const phrases = Object.entries(choice)
    .flatMap(([name, words]) => [name, ...words].map((word) => ({ name, words: wordsOf(word) })))
    .concat(withSpanish(choice))
    .sort((a, b) => b.words.length - a.words.length);
  PHRASES.set(choice, phrases);
  return phrases;
}

/** The choices that a text names, its other words, and whether a phrase of several words does so. */
function choicesIn(phrases: Phrase[], text: string): { found: Set<string>; rest: string[]; isNamed: boolean } {
  const found = new Set<string>();
  let isNamed = false;
  let rest = ` ${wordsOf(text).join(" ")} `;
  for (const { name, words } of phrases) {
    // "full-time" is also written "fulltime".
    for (const spelling of [` ${words.join(" ")} `, ` ${words.join("")} `]) {
      if (words.length === 0 || !rest.includes(spelling)) continue;
      rest = rest.replaceAll(spelling, " ");
      found.add(name);
      isNamed ||= words.length > 1;
    }
  }
  return { found, rest: rest.split(" ").filter((word) => word !== ""), isNamed };
}
