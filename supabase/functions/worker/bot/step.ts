/**
 * The bot's turn in a conversation: what a script says next to what a recruit has written. A script was checked when it
 * was published (`publish_bot_script`), so nothing is checked here.
 */
import { ageAsked, saysMinor } from "./ages.ts";
import { type AnswerValue, readAnswer } from "./answers.ts";
import { correctionIn } from "./corrections.ts";
import { type Intent, intentOf, isReaction } from "./intents.ts";
import { isSpanish } from "./language.ts";
import { PEOPLE_FIRST, personReason } from "./people.ts";
import type { Question, Script, Session } from "./script.ts";
import { isAttempt, readAnswers } from "./spoken.ts";
import { hintFor, isInSpanish, sentences, whatItIs } from "./words_of_ours.ts";

export type { Question, Script, Session } from "./script.ts";

/** A text of the recruit. */
export interface RecruitText {
  /** Empty where only a photo or the like came. */
  body: string;
  /** Whether an answering machine has sent it: the same words as before, and both at once after one of our texts. */
  is_automatic?: boolean;
  /** Whether it came before the question had left, or may have: it is no answer then. */
  is_early?: boolean;
  /** Whether it takes back the consent to texts, or may do so. */
  consent?: "opted_out" | "may_opt_out";
}

export interface Answered {
  question: string;
  value: AnswerValue;
  /** The recruit's own words. */
  said: string;
}

/** The result of a turn. */
export interface Step {
  /** The text to send, with its placeholders; null for none. */
  reply: string | null;
  /** Where the conversation stands afterwards; null where the script has come to its end. */
  session: Session | null;
  /** The meaning of the texts; absent where only time has passed. */
  heard?: Intent | Reason | "opening" | "answer" | "no_answer" | "early" | "opted_out";
  answered?: Answered[];
  /** Why the script has ended: for the agent who is notified of it. */
  ended?: { state: "done" | "escalated" | "expired" | "stopped"; reason: string; goes_to_person: boolean };
}

/** Why a person goes on, and the recruit is sent nothing. */
export const REASONS = [
  ...["may_opt_out", ...PEOPLE_FIRST, "automatic_reply", "media", "answers_greeting", "not_understood"] as const,
];
export type Reason = (typeof REASONS)[number];

const EXPIRE_AFTER = "3d";
const TRIES = 2;
/** More texts in one turn are a person's to read. */
const MOST_TEXTS = 20;
/** No text message is longer (https://www.twilio.com/docs/glossary/what-sms-character-limit). */
const LONGEST_TEXT = 1600;

/**
 * Decides what a script does next. It says something only where it has understood; anything else is a person's to
 * read, and nothing is sent. What is read of the texts is bounded, however many and long they are.
 *
 * @param session null before the first turn
 * @param texts what the recruit has written since the question was asked; none where only time has passed
 */
export function step(
  script: Script,
  session: Session | null,
  texts: RecruitText[],
  now: Date,
): Step {
  if (texts.length === 0) {
    return session === null ? { reply: null, session } : wait(script, session, now);
  }
  const bodies = texts.slice(0, MOST_TEXTS + 1).map(({ body }) => readable(body));
  if (texts.some(({ consent }) => consent === "opted_out")) {
    const ended = { state: "stopped", reason: "opted_out", goes_to_person: false } as const;
    return { reply: null, session: null, heard: "opted_out", ended };
  }
  const heard = intentOfAll(script, bodies);
  if (heard === "help") return { reply: null, session, heard };
  const reason = reasonOf(texts, bodies);
  if (reason !== undefined) return handOff(reason);
  if (bodies.every(isReaction)) return { reply: null, session, heard: "no_answer" };
  if (heard === "person") return callPerson(script, heard);
  if (heard === "not_interested") {
    return { reply: script.not_interested ?? null, session: null, heard, ended: endedAs("not_interested") };
  }
  if (session === null) return open(script, heard, bodies, now);
  if (heard === "bot" || (heard === "about" && script.about !== undefined && !session.has_told_about)) {
    return tellAbout(script, session, heard, now);
  }
  if (heard !== undefined) return callPerson(script, heard);

  const question = questionOf(script, session);
  if (session.asked_at === null) {
    return {
      reply: question.ask,
      session: ask(script, question, session, session.answers, now),
      heard: "opening",
    };
  }
  const timely = bodies.filter((_, i) => !texts[i]!.is_early);
  // A person reads it. The question is still to be answered.
  if (timely.length === 0) return { reply: null, session, heard: "early" };
  const lines = linesIn(timely);
  const age = ageAsked(question.ask);
  if (age !== undefined && lines.some((line) => saysMinor(line, age))) return handOff("minor");
  const answered = answersIn(script, session, question, lines, now);
  if (answered !== undefined) return goOn(script, session, question, answered, now);
  const said = lines.join("\n");
  if (isSpanish(said) && !isInSpanish(question.ask)) return handOff("language");
  return isAttempt(question, said) ? askAgain(script, session, question, [], now) : handOff("not_understood");
}

/** What is read of a text. A letter that stands for many is read as these. */
function readable(body: string): string {
  const start = body.slice(0, LONGEST_TEXT);
  const plain = start.normalize("NFKC");
  return plain.length > LONGEST_TEXT ? plain.slice(0, LONGEST_TEXT) : start;
}

/** The intents by rank, where the texts of a turn say several things. */
const INTENTS: readonly Intent[] = ["person", "not_interested", "bot", "about", "question"];

function intentOfAll(script: Script, bodies: string[]): Intent | undefined {
  const intents = bodies.map((body) => intentOf(body, script.handoff_words));
  if (intents.every((intent) => intent === "help")) return "help";
  return INTENTS.find((intent) => intents.includes(intent));
}

/** Why a person reads the texts of a turn, and nothing is sent. */
function reasonOf(texts: RecruitText[], bodies: string[]): Reason | undefined {
  if (texts.some(({ consent }) => consent === "may_opt_out")) return "may_opt_out";
  if (texts.some(({ is_automatic }) => is_automatic)) return "automatic_reply";
  const reasons = bodies.map((body) => isReaction(body) ? undefined : personReason(body));
  const first = PEOPLE_FIRST.find((reason) => reasons.includes(reason));
  if (first !== undefined) return first;
  if (bodies.every((body) => body.trim() === "")) return "media";
  return texts.length > MOST_TEXTS ? "not_understood" : undefined;
}

/** The texts that are read as an answer: neither HELP nor a reaction beside it. */
function linesIn(bodies: string[]): string[] {
  return bodies.filter((body) => !isReaction(body) && body.trim() !== "" && intentOf(body, []) !== "help");
}

/** The answers that the texts of a turn give; undefined where they say anything else too. */
function answersIn(
  script: Script,
  session: Session,
  question: Question,
  lines: string[],
  now: Date,
): Answered[] | undefined {
  const at = lines.findLastIndex((line) => correctionIn(line) !== undefined);
  const earlier = lines.slice(0, Math.max(at, 0));
  const read = (current: Question, answers: Session["answers"], said: string) => {
    const others = script.questions.filter(({ id }) => id !== current.id && !(id in answers));
    const found = readAnswers(current, others, said, now);
    return found && Array.from(found, ([id, value]): Answered => ({ question: id, value, said: lines.join("\n") }));
  };
  if (at < 0) return read(question, session.answers, lines.join("\n"));

  const correction = correctionIn(lines[at]!)!;
  const said = [correction.said, ...lines.slice(at + 1)].join("\n");
  const before = earlier.length === 0 ? [] : read(question, session.answers, earlier.join("\n")) ?? [];
  const answers = { ...session.answers, ...Object.fromEntries(before.map(({ question, value }) => [question, value])) };
  // What was answered last, or what is asked, and then what was answered before.
  const answeredBefore = script.questions.slice(0, script.questions.indexOf(question)).reverse();
  const last = [question, ...answeredBefore].filter(({ id }) => id in answers);
  const isForLast = last.length > 0 && (correction.isStrong || question.answer === "text");
  const candidates = isForLast ? [last[0]!, question, ...last] : [question, ...last];
  // Yes and no alone may be meant for any question before.
  const [first] = candidates as [Question, ...Question[]];
  for (const candidate of candidates) {
    if (candidate !== first && candidate !== question && isBare(said)) continue;
    const found = candidate.answer === "text" && candidate !== first ? undefined : read(candidate, answers, said);
    if (found?.some(({ question: id }) => id === candidate.id)) {
      const changed = new Set(found.map(({ question: id }) => id));
      return [...before.filter(({ question: id }) => !changed.has(id)), ...found];
    }
  }
}

/** Whether a text says yes or no, and not to what. */
function isBare(said: string): boolean {
  return readAnswer("yes_no", said) !== undefined && !/licen[cs]/i.test(said);
}

/** The first reply. A no answers our greeting, and what it says of itself to a question is in `about`. */
function open(script: Script, heard: Intent | undefined, bodies: string[], now: Date): Step {
  const said = linesIn(bodies).join("\n");
  if (readAnswer("yes_no", said) === "no") return handOff("answers_greeting");
  const found = heard === undefined ? readAnswers(undefined, script.questions, said, now) : undefined;
  const answered = Array.from(found ?? [], ([question, value]): Answered => ({ question, value, said }));
  const answers = withAnswers({}, answered);
  const { next } = walk(script, answers);
  const first = next ?? script.questions[0]!;
  const isKept = next !== undefined && answered.length > 0;
  const asksBack = heard === "about" || heard === "question" || heard === "bot";
  const about = heard === "bot" ? script.about ?? whatItIs(first.ask) : asksBack ? script.about : undefined;
  return {
    reply: [script.opening, about, first.ask].filter((part) => part !== undefined).join(" "),
    session: { ...ask(script, first, null, isKept ? answers : {}, now), has_told_about: about !== undefined },
    heard: "opening",
    ...(isKept && { answered }),
  };
}

/** Says what it is or what it is about, and asks the same question again. It costs no try. */
function tellAbout(script: Script, session: Session, heard: "bot" | "about", now: Date): Step {
  const question = questionOf(script, session);
  const isAgain = session.has_told_about;
  if (heard === "bot" && isAgain) {
    const { handoff } = script;
    const said = whatItIs(question.ask);
    return { ...callPerson(script, heard), reply: handoff === undefined ? said : sentences(said, handoff) };
  }
  const asked = ask(script, question, session, session.answers, now);
  return {
    reply: heard === "bot" ? sentences(whatItIs(question.ask), question.ask) : `${script.about} ${question.ask}`,
    session: { ...asked, tries: session.tries, has_told_about: true },
    heard: heard === "bot" ? "about" : heard,
  };
}

function wait(script: Script, session: Session, now: Date): Step {
  const isPast = (time: string | null) => time !== null && new Date(time) <= now;
  if (isPast(session.expires_at)) {
    return {
      reply: null,
      session: null,
      ended: { state: "expired", reason: "expired", goes_to_person: false },
    };
  }
  if (!isPast(session.remind_at)) return { reply: null, session };
  return { reply: questionOf(script, session).ask, session: { ...session, remind_at: null } };
}

function questionOf(script: Script, session: Session): Question {
  return script.questions.find(({ id }) => id === session.question)!;
}

function withAnswers(before: Session["answers"], answered: Answered[]): Session["answers"] {
  return { ...before, ...Object.fromEntries(answered.map(({ question, value }) => [question, value])) };
}

/** The next question that is to be asked, from the first one on; or the end of the script's own. */
function walk(
  { questions }: Script,
  answers: Session["answers"],
): { next?: Question; end?: string; passed: Set<string> } {
  const passed = new Set<string>();
  for (let i = 0; i < questions.length;) {
    const question = questions[i]!;
    const value = answers[question.id];
    if (!isWanted(question, answers)) i++;
    else if (value === undefined) return { next: question, passed };
    else {
      passed.add(question.id);
      const jump = typeof value === "string" ? question.then?.[value] : undefined;
      if (jump !== undefined && "end" in jump) return { end: jump.end, passed };
      i = jump === undefined ? i + 1 : questions.findIndex(({ id }) => id === jump.skip_to);
    }
  }
  return { passed };
}

/** Goes on after answers, to the next question that is to be asked or to the end. */
function goOn(script: Script, session: Session, question: Question, all: Answered[], now: Date): Step {
  const { next, end, passed } = walk(script, withAnswers(session.answers, all));
  const places = new Map(script.questions.map(({ id }, i) => [id, i]));
  const reached = end !== undefined || next === undefined ? -1 : places.get(next.id)!;
  // A question that is skipped was not asked.
  const answered = all.filter(({ question: id }) => passed.has(id) || (reached >= 0 && places.get(id)! > reached));
  const heard = "answer";
  if (answered.length === 0) return handOff("not_understood");
  const answers = withAnswers(session.answers, answered);
  if (end !== undefined) return { reply: null, session: null, heard, answered, ended: endedAs(end) };
  if (next === undefined) {
    const ended = { state: "done", reason: "done", goes_to_person: true } as const;
    return { reply: script.done, session: null, heard, answered, ended };
  }
  if (!all.some(({ question: id }) => id === question.id)) {
    // Of what was corrected there is nothing to explain.
    const isCorrection = answered.some(({ question: id }) => id in session.answers);
    if (isCorrection || next === question) {
      return askAgain(script, session, next, answered, now, isCorrection ? next.ask : undefined);
    }
  }
  const asked = ask(script, next, session, answers, now);
  const tries = session.tries < TRIES ? 0 : TRIES;
  return { reply: next.ask, session: { ...asked, tries }, heard, answered };
}

/**
 * Asks the same question once more, and says what would be an answer. Or asks another one after a correction: from then
 * on none is asked once more, or it would be asked a third time.
 */
function askAgain(
  script: Script,
  session: Session,
  question: Question,
  answered: Answered[],
  now: Date,
  words = question.retry,
): Step {
  const kept = answered.length > 0 ? { answered } : {};
  const heard = answered.length > 0 ? "answer" : "no_answer";
  if (session.tries + 1 >= TRIES) return { ...handOff("not_understood"), heard, ...kept };
  const hint = hintFor(question.answer, question.ask);
  return {
    reply: words ?? (hint === undefined ? question.ask : sentences(question.ask, hint)),
    session: {
      ...ask(script, question, session, withAnswers(session.answers, answered), now),
      tries: question.id === session.question ? session.tries + 1 : TRIES,
    },
    heard,
    ...kept,
  };
}

function isWanted({ only_if = {} }: Question, answers: Record<string, AnswerValue>): boolean {
  return Object.entries(only_if).every(([earlier, value]) => answers[earlier] === value);
}

/** The session once a question has been asked. */
function ask(
  script: Script,
  { id }: Question,
  before: Session | null,
  answers: Session["answers"],
  now: Date,
): Session {
  const { remind_after, expire_after = EXPIRE_AFTER } = script;
  const isReminded = before?.remind_at === null;
  return {
    question: id,
    tries: 0,
    answers,
    has_told_about: before?.has_told_about ?? false,
    asked_at: now.toISOString(),
    remind_at: remind_after === undefined || isReminded ? null : after(now, remind_after),
    expires_at: after(now, expire_after),
  };
}

/** Leaves the conversation to a person, and says nothing. */
function handOff(reason: Reason): Step {
  return {
    reply: null,
    session: null,
    heard: reason === "not_understood" ? "no_answer" : reason,
    ended: { state: "escalated", reason, goes_to_person: true },
  };
}

/** Leaves the conversation to the person for whom a recruit has asked, or a question: with a last text. */
function callPerson({ handoff }: Script, heard: Intent): Step {
  return {
    reply: handoff ?? null,
    session: null,
    heard: heard === "bot" ? "about" : heard,
    ended: { state: "escalated", reason: heard === "person" ? "asked" : "question", goes_to_person: true },
  };
}

/** An end of the script's own: the bot is silent from then on, and nobody has to go on. */
function endedAs(reason: string): Step["ended"] {
  return { state: "done", reason, goes_to_person: false };
}

const UNIT_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function after(time: Date, duration: string): string {
  return new Date(time.getTime() + parseInt(duration) * UNIT_MS[duration.at(-1)!]!).toISOString();
}
