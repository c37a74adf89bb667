import { wordList } from "../../_shared/word_list.ts";

/** Titles before a name in English, Spanish, French and German. In lower case, without dots. */
const TITLES = new Set(wordList`
  mr mister mrs miss ms mx dr prof professor rev reverend
  sr sra srta señor señora señorita dra lic
  mme mlle monsieur madame herr frau
`);

/** Titles only after another title: "Dr. med.", "Mr. and Mrs.". Alone, "Med." is short for Mohamed. */
const AFTER_TITLE = /^(?:med\.?|and|&)$/i;

/** Credentials after a name. In capitals, only letters and digits. */
const CREDENTIALS = new Set([
  ...wordList`JR SR II III IV 2ND 3RD ESQ ESQUIRE RET`,
  // Insurance and finance.
  ...wordList`CLU CHFC CFP CFA CPA CPCU CLTC LUTC LUTCF RICP FSCP FLMI`,
  ...wordList`ALMI AINS AIC CIC CISR CRM RHU REBC CASL CEBS MSFS FICF`,
  ...wordList`FIC CRPC CRPS AAMS AIF CDFA NSSA WMCP`,
  // Degrees and other professions.
  ...wordList`PHD EDD DBA MBA BBA BSC MSC MPA MPH MSW LCSW LLM LLB`,
  ...wordList`RN LPN BSN MSN DNP DDS DMD PMP PHR SPHR SHRMCP SHRMSCP`,
]);

/** Credentials that are also initials or first names: J.D. Vance, Md Rahman. */
const INITIALS = new Set(["BS", "EA", "JD", "MD", "MS", "NP", "PE", "V"]);

/** Credentials that are also last names: Jack Ma, Kim Do. */
const LAST_NAMES = new Set(["AAI", "ARM", "BA", "CAP", "DO", "MA", "PA"]);

/** The first words of last names with several words. */
const PARTICLES = new Set(wordList`
  van vande vanden vander von vom zu zum zur der den ter
  de del della di da das dos du des la las le lo los
  al el bin bint ibn st
`);

/** A last name in Chinese or Korean letters, followed by a first name, possibly in Japanese letters. */
const LAST_NAME_FIRST = /^[\p{sc=Han}\p{sc=Hangul}]+ [\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}]+$/u;

/** Parentheses with their text, and quotation marks without theirs. */
const BRACKETS = /\([^()]*\)|["“”]/g;

/** Text in parentheses or quotation marks, including them. */
const QUOTED = /\([^()]*\)|"[^"]*"|“[^“”]*”/g;
/** A letter that is neither upper nor lower case: a word with it is neither a title nor a credential. */
const MASK = "一";

/** Longer than any person's name. */
const MAX_LENGTH = 200;

/**
 * Splits a full name, `First Last` or `Last, First`, into the first and the last name. Titles, credentials and text in
 * parentheses, or after a dash or a bar, are left out. There is always a first name. A title before a single name, as
 * in `Dr. Smith`, is part of the first name. If nothing else remains, the first name is the full name.
 */
export function splitName(name: string): { first_name: string; last_name?: string } {
  if (name.length > MAX_LENGTH) return { first_name: name };
  const { groups, titles } = readName(withoutRemark(name));
  const [words = [], wordsAfterComma] = groups;
  if (wordsAfterComma) {
    return { first_name: wordsAfterComma[0] ?? name, last_name: words.join(" ") };
  }
  if (LAST_NAME_FIRST.test(words.join(" "))) words.reverse();
  const [first = name, ...others] = words;
  if (others.length > 0) return { first_name: first, last_name: lastName(others) };
  return titles.length > 0 ? { first_name: [...titles, first].join(" "), last_name: first } : { first_name: first };
}

/**
 * Returns a separate first or last name: as sent, with single spaces, and without surrounding titles and credentials.
 * `Doe, CLU, ChFC` becomes `Doe`. Text in parentheses or quotation marks is kept.
 */
export function withoutCredentials(name: string): string {
  const text = name.trim().replace(/\s{2,}/g, " ");
  if (text.length > MAX_LENGTH) return text;
  const masked = text.replace(QUOTED, (quoted) => MASK.repeat(quoted.length)).replace(/\s/g, " ");
  const count = groupsOf(masked).flat().length;
  const { groups: [words = [], ...others] } = readName(masked);
  if (words.length === count || others.length > 0) return text;
  const kept = words.join(" ");
  const start = masked.lastIndexOf(kept);
  return text.slice(start, start + kept.length);
}

/** Returns the words before a bar or a dash: "Jane Doe" of "Jane Doe - State Farm". */
function withoutRemark(name: string): string {
  const parts = name.replace(BRACKETS, " ").split(/\||\s[-–—]\s/);
  return parts.find((part) => part.trim() !== "") ?? "";
}

/** Returns the words of a name in groups, without titles and credentials, and the titles before it. */
function readName(name: string): { groups: string[][]; titles: string[] } {
  const groups = groupsOf(name);
  const titles = groups.flatMap(takeTitles);
  dropCredentials(groups);
  return { groups: groups.filter((group) => group.length > 0), titles };
}

/** Returns the words of a name in groups, which commas and similar characters separate. */
function groupsOf(name: string): string[][] {
  return name.split(/[,;|]|\s[-–—]\s/)
    .map((group) => group.split(/\s+/).filter((word) => word !== ""))
    .filter((group) => group.length > 0);
}

/** Takes the titles from the start of a group of words, but never the whole group. */
function takeTitles(group: string[]): string[] {
  const end = group.findIndex((word, i) => !isTitle(word) && !(i > 0 && AFTER_TITLE.test(word)));
  return group.splice(0, end < 0 ? group.length - 1 : end);
}

function isTitle(word: string): boolean {
  const parts = word.toLowerCase().split(".").filter((part) => part !== "");
  return parts.length > 0 && parts.every((part) => TITLES.has(part));
}

/** Drops the credentials from the end of each group of words. At least one word of the name remains. */
function dropCredentials(groups: string[][]): void {
  const isInCapitals = !/\p{Ll}/u.test(groups.flat().join(""));
  for (const [index, group] of Array.from(groups.entries()).reverse()) {
    while (group.length > 0) {
      const isApart = index > 0 && group.length === 1;
      const others = groups.flat().length - 1;
      if (!isCredential(group.at(-1) ?? "", { isApart, isInCapitals, others })) break;
      group.pop();
    }
  }
}

/** The context of a word. */
interface Place {
  /** Whether the word is the only one after a comma. */
  isApart: boolean;
  /** The whole name is in capitals. */
  isInCapitals: boolean;
  /** The number of the other words. */
  others: number;
}

function isCredential(word: string, { isApart, isInCapitals, others }: Place): boolean {
  if (others === 0) return false;
  if (isApart && isTitle(word)) return true;
  const parts = word.split("/").map((part) => part.replace(/[^\p{L}\d]/gu, ""));
  if (parts.every((part) => CREDENTIALS.has(part.toUpperCase()))) return true;
  // The others must be in capitals, and a first and a last name stand before them.
  if (others < 2 || word === "V.") return false;
  const letters = parts.join("");
  if (INITIALS.has(letters)) return true;
  if (LAST_NAMES.has(letters)) return isApart || !isInCapitals;
  // No list has all of them: "Jane Doe, LMFT".
  return isApart && !isInCapitals && /^\p{Lu}{3,}$/u.test(letters);
}

function lastName(words: string[]): string {
  let start = words.length - 1;
  while (start > 0 && isParticle(words[start - 1] ?? "")) start--;
  return words.slice(start).join(" ");
}

function isParticle(word: string): boolean {
  return PARTICLES.has(word.toLowerCase().replaceAll(".", ""));
}
