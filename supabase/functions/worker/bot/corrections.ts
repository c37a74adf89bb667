/** Texts that take back what was said before, and texts that say the opposite of their words. */
import { anyOf, wordsOf } from "./words.ts";

/** In front of what is meant in place of what was said: "wait I meant yes", "oops IL". */
const STRONG = mark(
  "(?:oh |no )?wait|o+ps|oop|whoops|correction|perd[oó]n|digo|quise decir|typo|my bad|(?:scratch|strike) that",
  "i (?:actually )?(?:meant|mean)|meant",
);
/** It may also stand in front of a first answer: "actually part time". */
const WEAK = mark("actually", "actually|en realidad");
/** Two in a row: "oops, I meant no". */
const MOST_MARKS = 3;

function mark(alone: string, behind: string): RegExp {
  const apology = "(?:sorry|srry|my bad|oh|no|ok|lol)?[\\s,.!-]{0,3}";
  return new RegExp(
    `^[\\s.,!*-]{0,5}(?:(?:oh|ah)?[\\s,.!-]{0,3}(?:${alone})|${apology}(?:${behind})(?: to (?:say|put|type|write))?)(?![\\p{L}\\p{N}'’])[\\s,.!:-]{0,5}`,
    "iu",
  );
}

export interface Correction {
  said: string;
  /** Whether it cannot be a first answer. */
  isStrong: boolean;
}

/** What a text says in place of what was said before; undefined where it corrects nothing. */
export function correctionIn(text: string): Correction | undefined {
  let said = text.trim();
  const isMarked = { strong: false, weak: false };
  for (let i = 0; i < MOST_MARKS; i++) {
    const strong = STRONG.exec(said)?.[0];
    const marked = strong ?? WEAK.exec(said)?.[0];
    if (marked === undefined) break;
    isMarked[strong === undefined ? "weak" : "strong"] = true;
    said = said.slice(marked.length);
  }
  // "Ohio*" and "*Ohio"
  const starred = /^(?=\*|.*\*$)\*?([\p{L}\p{N} -]{1,40})\*?$/u.exec(said)?.[1];
  if (starred !== undefined) return { said: starred, isStrong: true };
  if (said === "" || !(isMarked.strong || isMarked.weak)) return undefined;
  return { said, isStrong: isMarked.strong };
}

const SARCASM = anyOf(`
  (su{3,}re|ri{3,}ght|oka{3,}y)
  (yeah|yea|yeh|ya|oh|sure|yes) right(?! (here|now|away|after|this))
  sure jan
  (as if|in your dreams|like hell|fat chance|good one|nice try|give me a break|yeah ok|yeah okay sure)
  (just kidding|jk|psych)$
  si como no
`);

/** Whether a text is marked as the opposite of what it says. */
export function isSarcastic(text: string): boolean {
  return /🙄|😒|🤡|🙃|\/s\s*$/u.test(text) || wordsOf(text).join(" ").search(SARCASM) >= 0;
}
