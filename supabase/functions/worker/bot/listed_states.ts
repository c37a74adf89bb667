/** Reads a list of states. A word that is neither a state nor known to say nothing makes it none: "Texas, Flordia". */
import { STATES } from "../../_shared/states.ts";
import { NONE } from "./numbers.ts";
import { phrasesIn, wordsOf } from "./words.ts";

const CODES = new Set(STATES.map(({ code }) => code));
/** Codes that are also words in English or Spanish. */
const WORD_CODES = new Set("IN OR ME OK HI OH LA DE AL AS MI ID".split(" "));
/** They are no words in capitals. */
const PLAIN_IN_CAPITALS = new Set("AL MI ID DE".split(" "));
/** They open a sentence: "in Texas", "hi, TX". */
const OPENINGS = new Set("IN HI OH".split(" "));
/** Words that people say for nothing: "ok, in". */
const INTERJECTIONS = new Set("OK IN ME HI OH OR".split(" "));

/** The names with their codes; a name may stand for several states. */
const NAMES = [
  ...STATES.map(({ code, name }) => ({ codes: [code], name })),
  ...`
    CA cali, CA calif, TX tex, PA penn, FL fla, MA mass, IL ill, DC d c, IN ind, TN tenn
    AR ark, AZ ariz, KS kans, MT mont, NE neb, NE nebr, NV nev, OR oreg, WA wash, WY wyo, WI wis, AL ala
    OK okla, WI wisc, MN minn, MI mich, CO colo, CT conn
    NC n carolina, SC s carolina, ND n dakota, SD s dakota, WV w virginia
    NY nueva york, NJ nueva jersey, NM nuevo mexico, NH nueva hampshire, TX tejas, PA pensilvania, PA pennsilvania
    NC carolina del norte, SC carolina del sur, ND dakota del norte, SD dakota del sur, WV virginia occidental
    LA luisiana, MS misisipi, MO misuri, HI hawai, FL la florida, WA washington state, WA estado de washington
  `.trim().split(/[,\n]\s*/).map((line) => ({ codes: [line.slice(0, 2)], name: line.slice(3) })),
  ...["carolina", "dakota"].flatMap((name) => {
    const codes = [`N${name[0]!.toUpperCase()}`, `S${name[0]!.toUpperCase()}`];
    return [
      ...["and", "n", "y", "or", ""].flatMap((
        and,
      ) => [`north ${and} south ${name}`, `south ${and} north ${name}`, `n ${and} s ${name}`]),
      `${name}s`,
      `both ${name}s`,
    ].map((name) => ({ codes, name }));
  }),
  ...phrasesIn("all 50, all fifty, 50 states, all of the 50, all of 50").map((name) => ({ codes: fifty(), name })),
].map(({ codes, name }) => ({ codes, words: wordsOf(name) })).sort((a, b) => b.words.length - a.words.length);

const NAMES_BY_WORD = Map.groupBy(NAMES, ({ words }) => words[0]!);

/** The longest name that begins at a place. */
function nameAt(parts: Part[], i: number): { codes: string[]; words: readonly string[] } | undefined {
  return NAMES_BY_WORD.get(parts[i]!.word)?.find(({ words }) => words.every((part, j) => part === parts[i + j]?.word));
}

/** The 50 states, without the District of Columbia, the territories and the military. */
function fifty(): string[] {
  const others = new Set("DC AS GU MP PR VI AA AE AP".split(" "));
  return [...CODES].filter((code) => !others.has(code));
}

const CONNECTORS = new Set("and also plus y e n then both".split(" "));
/** Words that say nothing about states. */
const FILLERS = new Set(
  phrasesIn(`
    i, im, ive, am, is, it, its, are, be, been, have, hold, got, do, we, they, thats, that, would
    licensed, license, licenses, licensing, resident, nonresident, active, actively, home, live, based, located
    state, states, the, of, for, with, a, an, my, from, here, insurance, life, health
    just, only, currently, right, now, at, this, time, moment, mainly, so, far, about
    yes, yeah, yep, sure, hello, hey, there, well, um, uh, thanks, please, pls, sir, maam
    en, vivo, tengo, licencia, soy, estado, estados, si, hola
  `),
);

type Token = {
  kind: "state" | "word_code" | "connector" | "filler";
  codes: string[];
  /** As it was written. */
  raw: string;
  /** Whether a comma or the like stands behind it. */
  isListed: boolean;
  isName: boolean;
};

/** The USPS codes of the states that a text lists, in their order; an empty list for `none`. */
export function readStates(text: string): string[] | undefined {
  // Nobody shouts the preposition alone.
  if (/^\s*IN[.!]?\s*$/.test(text)) return ["IN"];
  // Each line is a text of its own: "ok" and then "TX".
  if (text.split("\n").some((line) => INTERJECTIONS.has(wordsOf(line).join(" ").toUpperCase()))) return undefined;
  const parts = splitListed(text.replace(/\bthank (?:you|u)\b/gi, " "));
  if (NONE.test(parts.map(({ word }) => word).join(" "))) return [];
  const tokens = tokensOf(parts);
  if (tokens === undefined) return undefined;
  const codes = new Set<string>();
  const isShouted = text === text.toUpperCase();
  for (const [i, token] of tokens.entries()) {
    const isState = token.kind === "state" || (token.kind === "word_code" && isMeant(tokens, i, isShouted));
    if (isState === undefined) return undefined;
    if (isState) token.codes.forEach((code) => codes.add(code));
  }
  return codes.size > 0 ? [...codes].sort() : undefined;
}

/** Whether a text names a state in a way that is nothing else: by its name, or by a code that is not a word. */
export function namesState(text: string): boolean {
  const parts = splitListed(text);
  return parts.some(({ word, raw }, i) => {
    const code = word.toUpperCase();
    return CODES.has(code) && (!WORD_CODES.has(code) || PLAIN_IN_CAPITALS.has(code) && raw === code) ||
      (nameAt(parts, i)?.words.join("").length ?? 0) > 3;
  });
}

/** The tokens of a text; undefined where one of its words is unknown. */
function tokensOf(parts: Part[]): Token[] | undefined {
  const tokens: Token[] = [];
  for (let i = 0; i < parts.length; i++) {
    const { word, raw } = parts[i]!;
    const token = (kind: Token["kind"], codes: string[] = [], isName = false, last = i) =>
      tokens.push({ kind, codes, raw, isListed: parts[last]!.isListed, isName });
    const named = nameAt(parts, i);
    const code = word.toUpperCase();
    if (named !== undefined) {
      const last = i + named.words.length - 1;
      token("state", named.codes, true, last);
      i = last;
    } else if (WORD_CODES.has(code)) {
      token(PLAIN_IN_CAPITALS.has(code) && raw === code ? "state" : "word_code", [code]);
    } else if (CODES.has(code)) token("state", [code]);
    else if (CONNECTORS.has(word)) token("connector");
    else if (FILLERS.has(word)) token("filler");
    else if (word !== "") return undefined;
  }
  return tokens;
}

/** Whether a code that is also a word is meant as a state; undefined where it can be read in two ways. */
function isMeant(tokens: Token[], i: number, isShouted: boolean): boolean | undefined {
  const { codes: [code], raw, isListed } = tokens[i]! as Token & { codes: [string] };
  const [before, after] = [tokens[i - 1], tokens[i + 1]];
  const isCapital = raw === code;
  const isLinked = (link: Token | undefined, other: Token | undefined) =>
    link?.kind === "connector" && (other?.kind === "state" || other?.kind === "word_code");
  const hasConnector = isLinked(before, tokens[i - 2]) || isLinked(after, tokens[i + 2]);
  const wasListed = before?.isListed === true;

  // "TX or OK" has two states.
  if (code === "OR" && before !== undefined && after !== undefined && !isListed && !wasListed && !hasConnector) {
    return isShouted && isCapital && !tokens.some(({ isName }) => isName) ? undefined : false;
  }
  if (isCapital && !isShouted) {
    // "OK, Texas" and "OK Texas" may be a yes.
    return i === 0 && code === "OK" && after?.isName ? undefined : true;
  }
  if (before?.kind === "filler" && !isListed && !isCapital && (code === "IN" || code === "DE")) return false;
  // "Al and me" are two people.
  if (code === "ME" && !isCapital && !tokens.some(({ kind }) => kind === "state")) return undefined;
  if (hasConnector) return true;
  if (i === 0 && after !== undefined && OPENINGS.has(code) && (!isCapital || after.isName)) {
    return after.kind === "word_code" ? undefined : false;
  }
  if (before?.kind === "filler" && code === "IN" && after !== undefined && !isListed) return false;

  // In a list of codes, written in one way.
  const others = [before, after].filter((other) => other !== undefined);
  const isList = others.length > 0 &&
    others.every(({ kind, isName }) => (kind === "state" || kind === "word_code") && !isName);
  const hasPlain = tokens.some(({ kind }) => kind === "state");
  const isOneStyle = others.every((other) => styleOf(other.raw) === styleOf(raw));
  if (isList && isOneStyle && hasPlain) return true;
  const isInterjection = tokens.every(({ codes }) => codes.every((code) => INTERJECTIONS.has(code)));
  if (isList && isOneStyle && (isListed || wasListed) && (isCapital || !isInterjection)) return true;
  // "Texas, Oklahoma, LA"
  return (isListed || wasListed) && hasPlain && others.every(({ kind }) => kind !== "filler") &&
      !INTERJECTIONS.has(code)
    ? true
    : undefined;
}

function styleOf(raw: string): "upper" | "lower" | "title" {
  if (raw === raw.toUpperCase()) return "upper";
  return raw === raw.toLowerCase() ? "lower" : "title";
}

interface Part {
  /** In lower case. */
  word: string;
  raw: string;
  isListed: boolean;
}

/** The words of a text, and whether a comma or the like stands behind each; `&` and `+` are words. */
function splitListed(text: string): Part[] {
  const parts: Part[] = [];
  for (const piece of text.replace(/[&+]/g, " and ").split(/\s+/)) {
    for (const [i, part] of piece.split(/([,;/|\n]+)/).entries()) {
      if (i % 2 === 1) {
        if (parts.length > 0) parts.at(-1)!.isListed = true;
        continue;
      }
      // "U-T" is one word, and "D.C." too.
      const raw = part.replace(/[^\p{L}\p{N}]/gu, "");
      if (raw !== "") parts.push({ word: wordsOf(raw).join(""), raw, isListed: false });
    }
  }
  return parts;
}
