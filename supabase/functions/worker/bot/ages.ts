/** Reads an age, where a question asks for the age of majority: "I am 22". */
import { numberOf, remembering, wordsOf } from "./words.ts";

/** The age for which a question asks, such as 18 of "Are you 18 or older?"; undefined for any other question. */
export function ageAsked(ask: string): number | undefined {
  return agesAsked(ask)[0];
}

const agesAsked = remembering((ask: string): number[] => {
  const words = wordsOf(ask).join(" ");
  const [, at, over] =
    /\b(1[68]|21)(?: years?| anos)?(?: old| of age| de edad)? (?:or|o|and) (?:older|over|above|mas|mayor)\b|\b(?:at least|over|older than|mas de|mayor de) (1[68]|21)\b/
      .exec(words) ?? [];
  const age = at ?? over;
  return age === undefined ? [] : [Number(age)];
});

const FILLERS = new Set(
  "i im am is age years year yr yrs yo old young yes yeah yep y tengo anos de edad sir maam now almost turning just turned my over way well in fact lol"
    .split(" "),
);
/** They make of a number something else than an age. */
const OLDEST = 99;
/** "10 years" tell of something else than the age of somebody who writes. */
const YOUNGEST = 13;

/** Whether the age that a text says is at least the one asked for; undefined where it says none. */
export function isOfAge(text: string, least: number): boolean | undefined {
  const age = ageIn(text);
  if (age === undefined || age >= least) return age === undefined ? undefined : true;
  return /\b(almost|turning)\b/i.test(text) ? undefined : false;
}

/** Whether a text that answers a question for an age says that it is below the one asked for. */
export function saysMinor(text: string, least: number): boolean {
  return isOfAge(text, least) === false && ageIn(text)! >= YOUNGEST;
}

/** The age that a text says, and nothing else. */
function ageIn(text: string): number | undefined {
  const words = wordsOf(text.replace(/(?<=\d)(?=[a-z])/gi, " "));
  const numbers: number[] = [];
  for (let i = 0; i < words.length; i++) {
    const number = numberOf(words[i]!);
    if (number === undefined) {
      if (!FILLERS.has(words[i]!) || words[i] === "in" && words[i + 1] !== "fact") return undefined;
      continue;
    }
    const unit = numberOf(words[i + 1] ?? "");
    const hasUnit = number >= 20 && number % 10 === 0 && unit !== undefined && unit > 0 && unit < 10;
    numbers.push(number + (hasUnit ? unit : 0));
    if (hasUnit) i++;
  }
  const [age] = numbers;
  return age === undefined || numbers.length > 1 || age > OLDEST || age < 10 ? undefined : age;
}
