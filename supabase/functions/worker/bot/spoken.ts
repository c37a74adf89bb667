/** The answers of a text, wherever they stand in it: to the question that waits, and to later ones. */
import { ageAsked, isOfAge } from "./ages.ts";
import {
  type AnswerType,
  type AnswerValue,
  LONGEST_ANSWER,
  readAnswer,
  readNamedChoice,
  speaksOfChoice,
} from "./answers.ts";
import { isSarcastic } from "./corrections.ts";
import { namesState, readStates } from "./listed_states.ts";
import { asksForYears, readNumber, speaksOfNumber } from "./numbers.ts";
import { wordsOf } from "./words.ts";
import { asksForLicense, isPolite, saysLicensed, speaksOfYesNo } from "./yes_no.ts";

/** What is read of a question. */
export interface Asked {
  id: string;
  ask: string;
  answer: AnswerType;
}

export type Answers = Map<string, AnswerValue>;

/** A longer text is read as one answer, or not at all. */
const MOST_LETTERS = 240;
const MOST_PIECES = 8;
const MOST_WORDS = 14;
const MOST_JOINED = 4;

/**
 * Reads the answers that a text gives; undefined where it says anything else too.
 *
 * @param current the question that waits; undefined where none does, so that only answers are read that name their kind
 * @param others the questions that are still to come
 */
export function readAnswers(
  current: Asked | undefined,
  others: Asked[],
  text: string,
  now: Date,
): Answers | undefined {
  if (current?.answer === "text") {
    const said = readAnswer("text", text);
    return said === undefined ? undefined : new Map([[current.id, said]]);
  }
  if (isSarcastic(text)) return undefined;
  const isLong = text.length > MOST_LETTERS;
  const reader = new Reader(current, isLong ? [] : others.filter((other) => mayBeIn(other, text)), now, text);
  const pieces = isLong ? [] : text.split(/[.,;!()\n]+|\s[-–—]\s/).map((piece) => piece.trim())
    .filter((piece) => /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(piece));
  const isIdle = idlePiece(current, others);
  const answering = pieces.filter((piece) => !isIdle(piece));
  const all = pieces.length > MOST_PIECES ? undefined : reader.readAll(answering);
  const isBesideYes = current?.answer !== "yes_no" || all?.get(current.id) === "yes";
  const found = answering.length === pieces.length || isBesideYes ? all : undefined;
  const whole = current === undefined ? undefined : readAnswer(current.answer, text, current.ask, now);
  if (found !== undefined && found.size > 0 && isConsistent(current, others, found)) {
    const read = current === undefined ? undefined : found.get(current.id);
    if (whole === undefined || String(read) === String(whole)) return found;
  }
  return whole === undefined ? undefined : new Map([[current!.id, whole]]);
}

/** "No, I am licensed in TX" says both. */
function isConsistent(current: Asked | undefined, others: Asked[], found: Answers): boolean {
  if (current === undefined || found.get(current.id) !== "no") return true;
  return !others.some(({ id, answer }) =>
    found.has(id) && (answer === "states" || typeof answer === "object" && "number" in answer)
  );
}

/**
 * What answers none of the questions, and says nothing against the answers beside it: for how long, and not of what, next
 * to a yes, "Yes. TX. 10 years.", and an age that nobody asks for.
 */
function idlePiece(current: Asked | undefined, others: Asked[]): (piece: string) => boolean {
  const isOfLicense = current !== undefined && asksForLicense(current.ask);
  const isAgeAsked = [current, ...others].some((asked) => asked !== undefined && ageAsked(asked.ask) !== undefined);
  return (piece) =>
    isOfLicense && SINCE.test(piece) || !isAgeAsked && AN_AGE.test(piece) && isOfAge(piece, MAJORITY) === true;
}
const SINCE = /^(?:for |about |over |almost |like )?\d{1,2}\+? ?(?:years?|yrs?|años?)(?: now)?$/i;
const AN_AGE = /\bold$/i;
const MAJORITY = 18;

class Reader {
  /** "Yes, 5 years" may tell since when. */
  readonly #mayTellSince: boolean;

  constructor(readonly current: Asked | undefined, readonly others: Asked[], readonly now: Date, text: string) {
    // Beside an age they are no age.
    const isAge = current !== undefined && ageAsked(current.ask) !== undefined && /\bold\b/i.test(text);
    this.#mayTellSince = current?.answer === "yes_no" && !isAge;
  }

  /** The answers of pieces that stand one behind the other; undefined where one of them is not read. */
  readAll(pieces: string[]): Answers | undefined {
    // From the last piece to the first: of those behind each, once.
    const behind: (Answers | undefined)[] = Array(pieces.length).fill(undefined);
    behind.push(new Map());
    for (let i = pieces.length - 1; i >= 0; i--) {
      for (let length = 1; length <= Math.min(MOST_JOINED, pieces.length - i); length++) {
        const rest = behind[i + length];
        const first = rest &&
          (length === 1 ? this.read(pieces[i]!) : this.readOne(pieces.slice(i, i + length).join(", ")));
        const all = first && joined(first, rest);
        if (all === undefined) continue;
        behind[i] = all;
        break;
      }
    }
    return behind[0];
  }

  read(piece: string): Answers | undefined {
    const words = piece.split(/\s+/);
    if (this.others.length > 0 && words.length > 1 && words.length <= MOST_WORDS) {
      for (let i = 1; i < words.length; i++) {
        // "No full time" denies what follows; "in 6 months" is to come.
        if (DENIALS.has(wordsOf(words[i - 1]!).join("")) || isToCome(words, i) || isToCome(words, i - 1)) continue;
        const behind = words.slice(i).join(" ");
        const last = this.readLater(behind) ?? this.readLater(behind.replace(LEADING, ""));
        if (last === undefined) continue;
        const first = this.readOne(words.slice(0, i).join(" ").replace(TRAILING, ""));
        const both = first && joined(first, last);
        if (both !== undefined && first!.size > 0) return both;
      }
    }
    return this.readOne(piece);
  }

  readOne(piece: string): Answers | undefined {
    const { current, now } = this;
    const value = current && readAnswer(current.answer, piece, current.ask, now);
    if (value !== undefined) return new Map([[current!.id, value]]);
    return isPolite(piece) ? new Map() : this.readLater(piece);
  }

  /** The answer to a later question, in words that name what they answer. */
  readLater(piece: string): Answers | undefined {
    for (const { id, ask, answer } of this.others) {
      const value = readNamed(answer, piece, ask, this.now, this.#mayTellSince);
      if (value !== undefined) return new Map([[id, value]]);
    }
  }
}

/** Whether a time that is to come begins at a word: "in 6 months". */
function isToCome(words: string[], i: number): boolean {
  return /^in$/i.test(words[i]!) && /^(?:\d|an?$|half$|one$|two$|three$|six$|couple$)/i.test(words[i + 1] ?? "");
}

const DENIALS = new Set("no not dont never isnt without nor cant wont".split(" "));
const LEADING = /^(?:(?:and|also|but|so|plus|y|en|in|for|with|then|i|have|im|i'm|i’m|been)\s+){1,4}/i;
const TRAILING =
  /(?: (?:and|also|but|so|plus|y|en|in|for|with|looking|look|want|would|like|prefer|need|i|i'd|im|i'm|i’m|been|doing|it)){1,5}$/i;

function joined(one: Answers, other: Answers): Answers | undefined {
  const all = new Map(one);
  for (const [id, value] of other) {
    const before = all.get(id);
    if (Array.isArray(before) && Array.isArray(value)) all.set(id, [...new Set([...before, ...value])].sort());
    else if (before !== undefined && String(before) !== String(value)) return undefined;
    else all.set(id, value);
  }
  return all;
}

/** They tell of a place where somebody lives, and not of a license. */
const ABODE = new Set("live home based located from moving vivo soy resident".split(" "));

/** Whether a text may have an answer to a later question, so that it is worth while to look where. */
function mayBeIn({ answer, ask }: Asked, text: string): boolean {
  if (answer === "text") return false;
  if (answer === "states") return namesState(text);
  if (answer === "yes_no") return ageAsked(ask) === undefined ? /licen[cs]/i.test(text) : speaksOfNumber(text);
  return "choice" in answer ? speaksOfChoice(answer.choice, text) : speaksOfNumber(text);
}

/** An answer that names its kind, so that it answers no other question. */
function readNamed(
  type: AnswerType,
  text: string,
  ask: string,
  now: Date,
  mayTellSince: boolean,
): AnswerValue | undefined {
  if (type === "text") return undefined;
  if (type === "states") {
    if (!namesState(text) || wordsOf(text).some((word) => word !== "resident" && ABODE.has(word))) return undefined;
    const states = readStates(text);
    return states?.length === 0 ? undefined : states;
  }
  if (type === "yes_no") {
    const age = ageAsked(ask);
    if (age !== undefined) {
      return /\bold\b|^\s*i(?:['’]?m| am)\b|años/i.test(text) && isOfAge(text, age) ? "yes" : undefined;
    }
    return saysLicensed(text, ask);
  }
  if ("choice" in type) return readNamedChoice(type.choice, text);
  const words = wordsOf(text);
  const isNamed = mayTellSince
    ? words.some((word) => /^(sales|selling|sold|doing|experience|exp|ventas|experiencia)$/.test(word))
    : words.some((word) => /^(years?|yrs?|months?|mos|anos|decades?|meses)$|^\d+(yrs?|y)$/.test(word));
  return asksForYears(ask) && isNamed ? readNumber(type.number, text, ask, now) : undefined;
}

/** Whether a text is an attempt at an answer: it has a word of the question's kind. */
export function isAttempt({ answer, ask }: Asked, text: string): boolean {
  if (answer === "text" || text.length > LONGEST_ANSWER || isSarcastic(text)) return false;
  if (answer === "yes_no") return speaksOfYesNo(text, ask);
  if (answer === "states") return namesState(text) || wordsOf(text).some((word) => OF_STATES.has(word));
  return "choice" in answer ? speaksOfChoice(answer.choice, text) : speaksOfNumber(text);
}

const OF_STATES = new Set(
  "state states all everywhere nationwide most many several few multiple any some every none ok in or oh me hi la flordia pensylvania"
    .split(" "),
);
