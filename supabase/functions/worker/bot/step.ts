/**
 * The bot's turn in a conversation: what a script says next to what a recruit has written. A script was checked when it
 * was published (`publish_bot_script`), so nothing is checked here.
 */
import { ageAsked, saysMinor } from "./ages.ts";
import { readAnswer } from "./answers.ts";
import {
  type HandoffReason,
  intentOfAll,
  linesIn,
  MOST_TEXTS,
  readable,
  type Reason,
  reasonOf,
  type RecruitText,
} from "./heard.ts";
import { type Intent, isReaction } from "./intents.ts";
import { isSpanish } from "./language.ts";
import { listen } from "./listen.ts";
import type { Question, Script, Session } from "./script.ts";
import { isAttempt, readAnswers } from "./spoken.ts";
import { answersIn } from "./turn_answers.ts";
import { type Answered, answersOnTheWay, walk, withAnswers } from "./walk.ts";
import { hintFor, isInSpanish, sentences, whatItIs } from "./words_of_ours.ts";

export type { RecruitText } from "./heard.ts";
export type { Question, Script, Session } from "./script.ts";
export type { Answered } from "./walk.ts";

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
  ended?:
    & { goes_to_person: boolean }
    & (
      { state: "escalated"; reason: HandoffReason } | { state: "done" | "expired" | "stopped"; reason: string }
    );
}

const EXPIRE_AFTER = "3d";
const TRIES = 2;

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
  if (session?.is_handed_over) return { reply: null, session: null, ...listen(script, session, texts, bodies, now) };
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
    // A person had the conversation meanwhile, who may have heard the answer.
    const isAnswered = question.id in session.answers;
    if (isAnswered) return { ...follow(script, session, session.answers, now), heard: "opening" };
    return { reply: question.ask, session: ask(script, question, session, session.answers, now), heard: "opening" };
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

/** Goes on after answers, to the next question that is to be asked or to the end. */
function goOn(script: Script, session: Session, question: Question, all: Answered[], now: Date): Step {
  const answered = answersOnTheWay(script, session.answers, all);
  if (answered.length === 0) return handOff("not_understood");
  const answers = withAnswers(session.answers, answered);
  const { next } = walk(script, answers);
  if (next !== undefined && !all.some(({ question: id }) => id === question.id)) {
    // Of what was corrected there is nothing to explain.
    const isCorrection = answered.some(({ question: id }) => id in session.answers);
    if (isCorrection || next === question) {
      return askAgain(script, session, next, answered, now, isCorrection ? next.ask : undefined);
    }
  }
  return { ...follow(script, session, answers, now), heard: "answer", answered };
}

/** What comes after these answers: the next question, or the end. */
function follow(script: Script, session: Session, answers: Session["answers"], now: Date): Step {
  const { next, end } = walk(script, answers);
  if (next !== undefined) {
    const tries = session.tries < TRIES ? 0 : TRIES;
    return { reply: next.ask, session: { ...ask(script, next, session, answers, now), tries } };
  }
  if (end !== undefined) return { reply: null, session: null, ended: endedAs(end) };
  return { reply: script.done, session: null, ended: { state: "done", reason: "done", goes_to_person: true } };
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
