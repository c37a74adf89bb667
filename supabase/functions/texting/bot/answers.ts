/**
 * What a recruit's text says in answer to a question of a script. A text that can be read in two ways, or says more
 * than an answer, is no answer. The question is asked once more then, and after that a person reads the text.
 */
import { STATES } from "../../_shared/states.ts";

/** The kind of answer that a question wants. */
export type AnswerType =
  | "yes_no"
  | "states"
  | "text"
  /** The names of the choices, each with the words that people use for it. */
  | { choice: Record<string, string[]> }
  | { number: { min: number; max: number } };

/** `yes` or `no`, the name of a choice, USPS codes in their order, a number, or the text itself. */
export type Answer = string | number | string[];

/** Reads an answer; undefined for a text that is none. */
export function readAnswer(type: AnswerType, text: string): Answer | undefined {
  if (type === "yes_no") return readYesNo(text);
  if (type === "states") return readStates(text);
  if (type === "text") return text.trim() || undefined;
  return "choice" in type ? readChoice(type.choice, text) : readNumber(type.number, text);
}

/** The words of a text in lower case, without accents, apostrophes and punctuation. */
export function wordsOf(text: string): string[] {
  return text.normalize("NFKD").toLowerCase().replace(/[\p{M}'’‘`]/gu, "")
    .split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
}

/** Whether the words of a phrase stand in a text, one after another. */
export function hasPhrase(words: readonly string[], phrase: string): boolean {
  return ` ${words.join(" ")} `.includes(` ${wordsOf(phrase).join(" ")} `);
}

const YES =
  `yes, y, ye, yea, yeah, yah, ya, yas, yep, yup, yip, yessir, aye, affirmative, absolutely, definitely, of course,
  for sure, certainly, totally, you bet, u bet, sure do, sure am, sure thing, i sure do, i sure am,
    already have one, si, sip, claro, claro que si, por supuesto, asi es, correcto`;
const NO =
  `no, n, nop, nope, nah, naw, not yet, not really, not at all, not currently, not right now, not now, not anymore,
  not at this time, not at the moment, never, negative, absolutely not, definitely not, of course not,
    certainly not,
  unfortunately not, unfortunately no, afraid not, dont have one, havent, i havent, todavia no, aun no,
    claro que no, para nada, nunca`;
/** An answer where nothing else is said. */
const BARE_YES = "i do, i am, i have, i have one, i already do, sure, correct, right, true, that is correct, 100";
const BARE_NO = "i do not, i dont, i have not, i am not, im not, i dont have one, not me, false";
/** They sound like a yes or no, and are neither. */
const NEITHER =
  `no problem, no prob, no worries, no doubt, no question, no idea, no clue, not sure, im not sure, no se, no sure,
  why not, yes and no, i dont know, dont know, no comment, no rush, no biggie`;
/** After a yes or no they take it back in part. */
const CONTRAST =
  `but, not, except, however, maybe, although, though, unless, until, if, used, expired, expire, lapsed, soon,
    kind,
  kinda, sort, sorta, almost, depends, think, guess, hope, want, plan, working, studying, pero, casi, quizas,
    creo`;
/** They say nothing. */
const POLITE =
  `hi, hello, hey, hola, please, pls, plz, thanks, thank, you, thx, ty, gracias, sir, maam, mam, um, uh, well,
    oh, lol, haha,
  sorry, good, morning, afternoon, evening, ok, okay, so, bro, man, dude`;

/** The phrases by their words; a phrase has at most 4. */
const PHRASES = new Map(
  Object.entries({
    yes: YES,
    no: NO,
    bare_yes: BARE_YES,
    bare_no: BARE_NO,
    neither: NEITHER,
    polite: POLITE,
    contrast: CONTRAST,
  })
    .flatMap(([meaning, list]) => list.split(/,\s+/).map((phrase) => [spelled(phrase), meaning] as const)),
);
const LONGEST_PHRASE = 4;

/** The words of a text, in which "yesss" and "noo" are yes and no. */
function spelled(text: string): string {
  return wordsOf(text).map((word) => word.replace(/([a-z])\1{2,}/g, "$1").replace(/([a-z])\1+$/, "$1")).join(" ");
}

function readYesNo(text: string): "yes" | "no" | undefined {
  const meanings = meaningsOf(text).filter((meaning) => meaning !== "polite");
  const [first] = meanings;
  if (first === "bare_yes" || first === "bare_no") {
    return meanings.length === 1 ? first === "bare_yes" ? "yes" : "no" : undefined;
  }
  if (first !== "yes" && first !== "no") return undefined;
  const after = first === "yes" ? ["yes", "bare_yes", "other"] : ["no", "bare_no", "other"];
  return meanings.every((meaning) => after.includes(meaning)) ? first : undefined;
}

/** The meaning of each phrase of a text; `other` for a word that is in none. */
function meaningsOf(text: string): string[] {
  const words = spelled(text.replace(/👍|✅|👌/gu, " yes ").replace(/👎|❌/gu, " no ")).split(" ");
  const meanings: string[] = [];
  for (let i = 0; i < words.length;) {
    let length = Math.min(LONGEST_PHRASE, words.length - i);
    while (length > 1 && !PHRASES.has(words.slice(i, i + length).join(" "))) length--;
    meanings.push(PHRASES.get(words.slice(i, i + length).join(" ")) ?? "other");
    i += length;
  }
  return meanings;
}

/** They turn the words around them into their opposite, or into more than one. */
const NEGATIONS = new Set(
  "not no dont doesnt isnt cant wont never neither nor except without but excluding all every any either both"
    .split(" "),
);

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

const SMALL_NUMBERS =
  `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
  seventeen eighteen nineteen`.split(/\s+/);
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const SPANISH_NUMBERS = "cero uno dos tres cuatro cinco seis siete ocho nueve diez".split(" ");
const NONE = /^(no|none|nope|nothing|zero|nada|ninguno|ninguna|not yet|not any|no experience)$/;
const LESS = new Set("not less under below fewer menos never except or".split(" "));

function readNumber({ min, max }: { min: number; max: number }, text: string): number | undefined {
  const words = wordsOf(text);
  if (words.some((word) => LESS.has(word)) && !NONE.test(words.join(" "))) return undefined;
  const numbers = NONE.test(words.join(" ")) ? [0] : [...digitsIn(text), ...numberWordsIn(words)];
  const [number] = numbers;
  if (number === undefined || numbers.length > 1) return undefined;
  return number >= min && number <= max ? number : undefined;
}

/** The numbers that are written in digits: `5`, `5+`, `$1,500`, `2.5`, `10k`. */
function digitsIn(text: string): number[] {
  const found = text.matchAll(/(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?\s?(k\b)?|\d+/gi);
  return Array.from(
    found,
    ([digits, k]) => parseFloat(digits.replaceAll(",", "")) * (k ? 1000 : 1),
  );
}

/** The numbers below 100 that are written as words. */
function numberWordsIn(words: string[]): number[] {
  const numbers: number[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    const ten = TENS.indexOf(word);
    const small = Math.max(SMALL_NUMBERS.indexOf(word), SPANISH_NUMBERS.indexOf(word));
    if (small >= 0) numbers.push(small);
    if (ten < 0) continue;
    const unit = SMALL_NUMBERS.indexOf(words[i + 1] ?? "");
    const hasUnit = unit > 0 && unit < 10;
    numbers.push((ten + 2) * 10 + (hasUnit ? unit : 0));
    if (hasUnit) i++;
  }
  return numbers;
}

const CODES = new Set(STATES.map(({ code }) => code));
/** The codes by the words of the names, the longest first: West Virginia is not Virginia. */
const STATE_NAMES = [
  ...STATES,
  ...[
    ["CA", "cali"],
    ["CA", "calif"],
    ["TX", "tex"],
    ["PA", "penn"],
    ["FL", "fla"],
    ["MA", "mass"],
    ["DC", "d c"],
    [
      "IL",
      "ill",
    ],
  ]
    .map(([code, name]) => ({ code: code!, name: name! })),
].map(({ code, name }) => ({ code, words: wordsOf(name) })).sort((a, b) => b.words.length - a.words.length);
/** Codes that are also words in English or Spanish. */
const WORD_CODES = new Set("IN OR ME OK HI OH LA DE AL AS MI ID".split(" "));
const OPENINGS = new Set("IN HI OH".split(" "));
const CONNECTORS = new Set("and also plus y e n then state states".split(" "));

/** The codes of the states that a text lists; an empty list for `none`. */
function readStates(text: string): string[] | undefined {
  const words = text.split(/\s+/).flatMap(splitListed);
  const plain = words.map(({ word }) => wordsOf(word).join(""));
  if (NONE.test(plain.join(" ").trim())) return [];
  if (plain.some((word) => NEGATIONS.has(word))) return undefined;

  const codes = new Set<string>();
  const left: { word: string; isListed: boolean; i: number }[] = [];
  let isList = true;
  for (let i = 0; i < words.length; i++) {
    const named = STATE_NAMES.find((state) => state.words.every((word, j) => word === plain[i + j]));
    const code = plain[i]!.toUpperCase();
    if (named !== undefined) {
      codes.add(named.code);
      i += named.words.length - 1;
    } else if (WORD_CODES.has(code)) left.push({ ...words[i]!, i });
    else if (CODES.has(code)) codes.add(code);
    else if (!CONNECTORS.has(plain[i]!) && plain[i] !== "") isList = false;
  }
  for (const { word, isListed, i } of left) {
    const code = word.toUpperCase();
    const isCapital = word === code && text !== text.toUpperCase();
    const follows = i > 0 || isListed || CONNECTORS.has(plain[i + 1] ?? "");
    if (code === "OR" && !isListed && i > 0 && i < words.length - 1) continue;
    const isOpening = i === 0 && OPENINGS.has(code) && !(code === "IN" && isListed);
    if (isCapital || (isList && follows && words.length > 1 && !(isOpening && word !== code))) {
      codes.add(code);
    } else if (isList && !isOpening) return undefined;
  }
  return codes.size > 0 ? [...codes].sort() : undefined;
}

/** The words of a list, and whether a comma or the like stands behind each. */
function splitListed(text: string): { word: string; isListed: boolean }[] {
  const parts = text.split(/([,;/&+|]+)/);
  return parts.flatMap((part, i) =>
    i % 2 === 1 || part === "" ? [] : [{ word: part.replace(/[^\p{L}\p{N}]/gu, ""), isListed: i + 1 < parts.length }]
  );
}
