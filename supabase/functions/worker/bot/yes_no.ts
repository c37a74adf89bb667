/** Reads yes or no. What is said besides must not change it: "yes I'm in the process of getting it" is no yes. */
import { STATES } from "../../_shared/states.ts";
import { numberOf, phrasesIn, remembering, wordsOf } from "./words.ts";

const YES = `
  yes, y, ye, yea, yeah, yah, ya, yas, yep, yup, yip, yessir, yesir, aye
  affirmative, absolutely, definitely, def, defo, of course, for sure, certainly, totally
  for real, fr, you bet, u bet, hell yes, hell yeah, heck yes, heck yeah
  sure do, sure am, sure thing, i sure do, i sure am, already have one
  si, sip, claro, claro que si, por supuesto, asi es, correcto
`;
const NO = `
  no, n, nop, nope, nah, naw, never, negative, no way, hell no, heck no, god no
  not yet, not really, not at all, not currently, not right now, not now, not anymore
  not at this time, not at the moment, not as of now, not as of yet
  absolutely not, definitely not, definitely no, def not, of course not, certainly not
  unfortunately not, unfortunately no, afraid not, im afraid not
  dont have one, havent, i havent
  todavia no, aun no, claro que no, para nada, nunca
`;
/** Yes where nothing else is said. */
const BARE_YES = `
  i do, i did, i am, i have, i have one, ive got one, i got one, i already do, i already have, i have it
  sure, correct, right, true, that is correct, thats correct, thats right, 100
`;
/** No where nothing else is said. */
const BARE_NO = `
  i do not, i dont, i did not, i didnt, i have not, i am not, im not, i never have
  i dont have one, i do not have one, i dont have it, i do not have it
  not me, false
`;
/** They go with a no, and are none by themselves. */
const DENIAL = `
  not, dont, do not, didnt, did not, wont, will not, wouldnt, would not, cant, couldnt
  dont have, do not have, havent had, never had, never got, never did, never have
  not licensed, im not licensed, i am not licensed, never licensed, never been licensed
  no license, dont have a license, do not have a license, dont have my license
`;
/** They say yes or no only at the end: "yes I would", but not "yes I would love to". */
const MODAL = "i will, i would, i can, i could";
/** They say nothing. */
const POLITE = `
  hi, hello, hey, hola, good morning, good afternoon, good evening, good day
  please, pls, plz, thanks, thank you, thank u, thx, ty, gracias, por favor, sorry
  sir, maam, mam, bro, man, dude, buddy, boss, fam, bruh, homie, sis, girl, love, dear, honey, mate, my friend, tho
  um, uh, er, well, oh, ok, okay, so, lol, haha, jaja, unfortunately, honestly, i mean, dead serious, im dead serious, at the moment, at this time, right now, as of now
  period, finally, i swear, trust me
  my bad, senor, senora, friend, hun, for the late reply, for the delay, late reply
  was asleep, i was asleep, fell asleep, i fell asleep, just woke up, i just woke up, was at work, i was at work
  was busy, i was busy, was driving, i was driving, was on a call, i was on a call, was on the phone, i was on the phone, just saw this, i just saw this, just now saw this, just got this
  just saw your text, just saw your message, just seeing this, estaba dormido, estaba dormida, estaba ocupado
`;
/** Yes or no, to a question for a license, where articles and the like are left out. */
const LICENSED = `
  licensed, i am licensed, im licensed, have been licensed, ive been licensed
  have license, i have license, hold license, i hold license, got license, i got license
  have licenses, i have licenses, yo tengo licencia, tengo licencia, con licencia
`;
const NOT_LICENSED = `
  unlicensed, not licensed, am not licensed, i am not licensed, im not licensed
  never licensed, never been licensed, no longer licensed
  no license, have no license, i have no license, havent got license
  dont have license, i dont have license, do not have license, i do not have license
  dont hold license, i dont hold license, do not hold license, i do not hold license
  no tengo licencia, sin licencia, no tengo, no la tengo, no lo tengo, todavia no la tengo, aun no la tengo
`;

/** Single words that change nothing after a yes. */
const WITH_YES = wordSet(`
  i im ive do have am been got hold own it its one a an the that my mine is
  since for now still already currently current actively active valid right just fully recently renewed
  last this year years yr yrs month months week about over ago
  in of from with through thru and y both as well too also very really much
  license licenses licensed licence licenses licenced life health accident insurance agent broker producer
  resident nonresident state states
  interested looking available ready willing work job position
  sounds excited great good perfect cool awesome fine thats works
  miss desde hace tengo con licencia anos vida salud
`);
/** Single words that change nothing after a no. */
const WITH_NO = wordSet(`
  i im ive it one a an any that this at the moment time now currently yet anymore really
  miss ever gotten let lapse lapsed expired lost
`);
const STATE_WORDS = wordSet(STATES.map(({ code, name }) => `${code} ${name}`).join(" "));

type Meaning = "yes" | "no" | "bare_yes" | "bare_no" | "denial" | "modal" | "polite";

const GENERAL = meanings({
  yes: YES,
  no: NO,
  bare_yes: BARE_YES,
  bare_no: BARE_NO,
  denial: DENIAL,
  modal: MODAL,
  polite: POLITE,
});
const MEANINGS = byFirstWord(GENERAL);
const POLITENESS = byFirstWord(new Map(Array.from(GENERAL).filter(([, meaning]) => meaning === "polite")));
const MEANINGS_OF_LICENSED = byFirstWord(new Map([...GENERAL, ...meanings({ yes: LICENSED, no: NOT_LICENSED })]));

interface Phrase {
  words: string[];
  meaning: Meaning;
}
type Phrases = Map<string, Phrase[]>;

/** Phrases by their first word, the longest first. */
function byFirstWord(known: Map<string, Meaning>): Phrases {
  const phrases = Array.from(known, ([phrase, meaning]): Phrase => ({ words: phrase.split(" "), meaning }));
  return Map.groupBy(phrases.sort((one, other) => other.words.length - one.words.length), ({ words }) => words[0]!);
}

/** The longest phrase that begins at a word. */
function phraseAt(known: Phrases, words: string[], i: number): Phrase | undefined {
  return known.get(words[i]!)?.find((phrase) => phrase.words.every((word, j) => word === words[i + j]));
}

function meanings(lists: Partial<Record<Meaning, string>>): Map<string, Meaning> {
  return new Map(
    Object.entries(lists).flatMap(([meaning, list]) =>
      phrasesIn(list).map((phrase) => [spelled(phrase).join(" "), meaning as Meaning] as const)
    ),
  );
}

function wordSet(list: string): Set<string> {
  return new Set(spelled(list));
}

/** The words of a text, in which "yesss" and "noo" are yes and no. */
function spelled(text: string): string[] {
  return wordsOf(text).map((word) => word.replace(/([a-z])\1{2,}/g, "$1").replace(/([a-z])\1+$/, "$1"));
}

/**
 * Reads yes or no.
 *
 * @param ask the question: where it asks for a license, "I am licensed" is a yes
 */
export function readYesNo(text: string, ask: string): "yes" | "no" | undefined {
  // "jk yes" takes back what was said before.
  const words = spelled(
    text.replace(/^\s*(?:jk|just kidding|kidding)\b/i, "").replace(/👍|✅|👌/gu, " yes ").replace(/👎|❌/gu, " no "),
  );
  const isForLicense = asksForLicense(ask);
  if (isForLicense && words.some((word) => ANOTHER_TIME.has(word))) return undefined;
  const read = readBy(MEANINGS, words);
  if (read !== undefined || !isForLicense) return read;
  const extra = new Set(wordsOfAsk(ask).filter((word) => !CORE_OF_LICENSED.has(word)));
  return readBy(MEANINGS_OF_LICENSED, words.filter((word) => !extra.has(word) && !SMALL_WORDS.has(word)));
}

/** Whether a text has only words that say nothing: "sorry, was asleep". */
export function isPolite(text: string): boolean {
  const words = spelled(text);
  for (let i = 0; i < words.length;) {
    const phrase = phraseAt(POLITENESS, words, i);
    if (phrase === undefined) return false;
    i += phrase.words.length;
  }
  return true;
}

/** Yes or no to a question for a license, in words that name the license. */
export function saysLicensed(text: string, ask: string): "yes" | "no" | undefined {
  if (!asksForLicense(ask) || !/licen[cs]/i.test(text)) return undefined;
  return readYesNo(text, ask);
}

/** Whether a text has a word that says yes or no, or one of the question's own. */
export function speaksOfYesNo(text: string, ask: string): boolean {
  const words = spelled(text.replace(/👍|✅|👌|👎|❌/gu, " yes "));
  const isOfQuestion = asksForLicense(ask) ? /^(un)?licen[cs]/ : /^(?!)/;
  return words.some((word) => TRYING.has(word) || isOfQuestion.test(word)) ||
    words.length <= 2 && words.some((word) => word === "ok" || word === "okay" || word === "k");
}

const TRYING = wordSet(`
  yes y ye yea yeah yah yep yup si no n nop nope nah naw never not yet maybe kinda kind sorta sort think guess used
  sure dont havent pending process soon studying expired lapsed passed exam working
`);

const SMALL_WORDS = wordSet("a an the my any currently fully now already still actively active valid current yet");
const CORE_OF_LICENSED = wordSet(`${LICENSED} ${NOT_LICENSED} ${YES} ${NO}`);
/** They speak of a license that somebody may get, or had. */
const ANOTHER_TIME = wordSet(`
  would will could get getting obtain earn become willing want plan planning interested able open study studying
  exam cost pay within how when where which did had was
`);

const wordsOfAsk = remembering(spelled);

/** Whether a question asks for the license that somebody has, and not for a later one. */
export function asksForLicense(ask: string): boolean {
  const words = wordsOfAsk(ask);
  return words.some((word) => /^licen[cs]e/.test(word)) && !words.some((word) => ANOTHER_TIME.has(word));
}

function readBy(known: Phrases, words: string[]): "yes" | "no" | undefined {
  const said: { meaning: Meaning | undefined; word: string }[] = [];
  for (let i = 0; i < words.length;) {
    const phrase = phraseAt(known, words, i);
    if (phrase?.meaning !== "polite") said.push({ meaning: phrase?.meaning, word: words[i]! });
    i += phrase?.words.length ?? 1;
  }
  const is = (...these: Meaning[]) => said.some(({ meaning }) => meaning !== undefined && these.includes(meaning));
  const [isYes, isNo] = [is("yes", "bare_yes"), is("no", "bare_no")];
  if (isYes === isNo) return undefined;
  const isBare = !is("yes", "no");
  const fits = said.every(({ meaning, word }, i) => {
    if (meaning === "yes" || meaning === "no" || meaning === "bare_yes" || meaning === "bare_no") return true;
    if (isBare) return false;
    if (meaning === "denial") return isNo;
    if (meaning === "modal") return isYes && i === said.length - 1;
    return isNo ? WITH_NO.has(word) : WITH_YES.has(word) || STATE_WORDS.has(word) || numberOf(word) !== undefined;
  });
  return fits ? isYes ? "yes" : "no" : undefined;
}
