/** Reads one number. A number of another unit, such as months where years are asked for, is none. */
import { wordList } from "../../_shared/word_list.ts";
import { readYears } from "./durations.ts";
import { numberOf, remembering, wordsOf } from "./words.ts";

/** Zero where nothing else is said. */
export const NONE = /^(no|none|nope|nothing|zero|nada|ninguno|ninguna|not yet|none yet|not any|no experience)$/;
/** It says why that does not matter. */
const NONE_BUT =
  /^(none|zero|no experience|not any|nada)( yet| really)? but (im |i am |very |a |really ){0,4}(willing|eager|ready|quick|fast|open|motivated|hungry|excited|want|love)( [a-z]+){0,4}$/;
/** They make of a number a bound, a range or an opposite. */
const BOUNDS = new Set(wordList`
  not no never less under below fewer menos except or between to until half doubt unsure wish if anything
  next within after since from ago
`);
/** Words that name a unit, by the unit. */
const UNITS = new Map(
  Object.entries({
    year: "year years yr yrs y ano anos",
    month: "month months mo mos mth mths mes meses",
    week: "week weeks wk wks semana semanas",
    day: "day days dia dias",
    hour: "hour hours hr hrs hora horas",
    minute: "minute minutes min mins",
    percent: "percent",
    time: "am pm",
    age: "old",
  }).flatMap(([unit, words]) => words.split(" ").map((word) => [word, unit] as const)),
);
/** They stand behind a number, and are no unit. */
const BEHIND = new Set(wordList`
  in of as or with and for now plus more so because but i ive im de en
  total experience exp working work doing selling sales going ish
  full good solid long whole
  thanks thank please sir maam yes yeah lol
  k thousand dollars bucks usd
  a an per each
`);

/**
 * Reads a number that is in its bounds.
 *
 * @param ask the question, which names the unit
 */
export function readNumber(
  { min, max }: { min: number; max: number },
  text: string,
  ask: string,
  now = new Date(),
): number | undefined {
  const years = asksForYears(ask) ? readYears(text, now) : undefined;
  if (years !== undefined) return years >= min && years <= max ? years : undefined;
  const words = wordsOf(text.replace(/(?<=\d)(?=[a-z])/gi, " "));
  const said = words.join(" ");
  const isNone = NONE.test(said) || NONE_BUT.test(said) && numberWordsIn(words).length === 0;
  const isBound = (word: string, i: number) =>
    BOUNDS.has(word) || word === "at" && numberOf(words[i + 1] ?? "") !== undefined;
  if (!isNone && (words.some(isBound) || !isInUnit(text, words, ask))) return undefined;
  const numbers = new Set(isNone ? [0] : [...digitsIn(text), ...numberWordsIn(words)]);
  const [number] = numbers;
  if (number === undefined || numbers.size > 1) return undefined;
  return number >= min && number <= max ? number : undefined;
}

/** Whether a question asks for a number of years. */
export function asksForYears(ask: string): boolean {
  return /\bhow many years\b|cu[aá]ntos años/i.test(ask);
}

/** Whether a text has a word for a number or a unit, so that it may be meant as a number. */
export function speaksOfNumber(text: string): boolean {
  return /\d/.test(text) ||
    wordsOf(text).some((word) => numberOf(word) !== undefined || UNITS.has(word) || VAGUE.has(word));
}

const VAGUE = new Set(
  wordList`few many some several long couple lots lot forever while decade decades half little none ages`,
);

const wordsOfAsk = remembering(wordsOf);

/** Whether each unit in a text is one that its question asks for. */
function isInUnit(text: string, words: readonly string[], ask: string): boolean {
  const asked = wordsOfAsk(ask);
  const units = new Set(asked.flatMap((word) => UNITS.get(word) ?? []));
  const counted = UNITS.get(/how many (\w+)/i.exec(ask)?.[1]?.toLowerCase() ?? "");
  const wanted = counted === undefined ? units : new Set([counted]);
  if (text.includes("%") && !ask.includes("%") && !wanted.has("percent")) return false;
  if (/[$€£]/.test(text) && counted !== undefined) return false;
  return words.every((word, i) => {
    const unit = UNITS.get(word);
    // "$1500 a month" counts dollars.
    const isRate = units.size === 0 && /^(a|an|per|each|every)$/.test(words[i - 1] ?? "");
    if (unit !== undefined) return isRate || wanted.has(unit) || (wanted.size === 0 && unit === "year");
    // "in 5 years" has not been.
    if (word === "in" && numberOf(words[i + 1] ?? "") !== undefined) return false;
    if (numberOf(words[i - 1] ?? "") === undefined || numberOf(word) !== undefined) return true;
    return BEHIND.has(word) || asked.includes(word);
  });
}

/** The numbers that are written in digits: `5`, `5+`, `$1,500`, `2.5`, `10k`. */
function digitsIn(text: string): number[] {
  const found = text.matchAll(/(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?\s?(k\b)?|\d+/gi);
  return Array.from(found, ([digits, k]) => parseFloat(digits.replaceAll(",", "")) * (k ? 1000 : 1));
}

/** The numbers below 100 that are written as words. */
function numberWordsIn(words: readonly string[]): number[] {
  const numbers: number[] = [];
  for (let i = 0; i < words.length; i++) {
    const number = /\d/.test(words[i]!) ? undefined : numberOf(words[i]!);
    if (number === undefined) continue;
    const unit = numberOf(words[i + 1] ?? "");
    const hasUnit = number >= 20 && unit !== undefined && unit > 0 && unit < 10 && !/\d/.test(words[i + 1]!);
    numbers.push(number + (hasUnit ? unit : 0));
    if (hasUnit) i++;
  }
  return numbers;
}
