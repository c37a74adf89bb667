/**
 * The bot's turn in a conversation: what a script says next to what a recruit has written. A script was checked when it
 * was published (`publish_bot_script`), so nothing is checked here.
 */
import { type AnswerType, type AnswerValue, readAnswer } from "./answers.ts";
import { type Intent, intentOf, isReaction } from "./intents.ts";

/** A script: an opening and questions, which only go forward. Its texts may have {first_name}, {agent} and {agency}. */
export interface Script {
  opening: string;
  questions: Question[];
  done: string;
  /** One sentence about the agency, for a recruit who asks; said once. Without it a person goes on. */
  about?: string;
  /** The last text to a recruit who does not want the job; none is sent without it. */
  not_interested?: string;
  /** The last text before a person goes on; none is sent without it. */
  handoff?: string;
  /** Words with which a recruit asks for a person. */
  handoff_words: string[];
  /** When an unanswered question is asked again, such as `20h`; once in a conversation, and never without it. */
  remind_after?: string;
  /** When an unanswered question ends the script; `3d` without it. */
  expire_after?: string;
}

export interface Question {
  id: string;
  ask: string;
  answer: AnswerType;
  /** Said when the answer is none, once; `ask` without it. */
  retry?: string;
  /** The step that follows an answer in place of the next question, by `yes`, `no` or the name of a choice. */
  then?: Record<string, { skip_to: string } | { end: string }>;
  /** The earlier answers with which alone it is asked. */
  only_if?: Record<string, string>;
}

/** Where a conversation stands in its script. Times are in ISO 8601, as JSON has them. */
export interface Session {
  /** The question that waits for an answer. */
  question: string;
  /** The number of texts in a row that were no answer to it. */
  tries: number;
  answers: Record<string, AnswerValue>;
  /** Whether `about` was said. */
  has_told_about: boolean;
  /** When the question was asked last, the reminder aside; null where it is asked at the next text. */
  asked_at: string | null;
  /** When the question is asked again; null where it is not, or has been: there is one reminder in a conversation. */
  remind_at: string | null;
  /** When the script ends without an answer; null where the question has not been asked. */
  expires_at: string | null;
}

/** A text of the recruit. */
export interface RecruitText {
  body: string;
  /** Whether an answering machine has sent it: the same words as before, and both at once after one of our texts. */
  is_automatic?: boolean;
  /** Whether it came before the question had left, or may have: it is no answer then. */
  is_early?: boolean;
}

/** The result of a turn. */
export interface Step {
  /** The text to send, with its placeholders; null for none. */
  reply: string | null;
  /** Where the conversation stands afterwards; null where the script has come to its end. */
  session: Session | null;
  /** The meaning of the texts; absent where only time has passed. */
  heard?: Intent | "opening" | "automatic_reply" | "answer" | "no_answer" | "early";
  answered?: { question: string; value: AnswerValue; said: string };
  /** Why the script has ended: for the agent who is notified of it. */
  ended?: { state: "done" | "escalated" | "expired"; reason: string; goes_to_person: boolean };
}

const EXPIRE_AFTER = "3d";
const TRIES = 2;
/** More texts in one turn are a person's to read. */
const MOST_TEXTS = 20;
/** No text message is longer (https://www.twilio.com/docs/glossary/what-sms-character-limit). */
const LONGEST_TEXT = 1600;

/**
 * Decides what a script does next. What is read of the texts is bounded, however many and long they are.
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
  const bodies = texts.slice(0, MOST_TEXTS + 1).map(({ body }) => body.slice(0, LONGEST_TEXT));
  const heard = intentOfAll(script, bodies);
  if (heard === "help") return { reply: null, session, heard };
  if (texts.some(({ is_automatic }) => is_automatic)) {
    return { ...handOff(null, "automatic_reply"), heard: "automatic_reply" };
  }
  if (texts.length > MOST_TEXTS) return { ...handOff(script, "not_understood"), heard: "no_answer" };
  if (heard === "person") return { ...handOff(script, "asked"), heard };
  if (session === null) return open(script, heard, now);
  if (heard === "not_interested") {
    return { reply: script.not_interested ?? null, session: null, heard, ended: endedAs("not_interested") };
  }
  if (heard === "about" && script.about !== undefined && !session.has_told_about) {
    return { ...tellAbout(script, script.about, session, now), heard };
  }
  if (heard !== undefined) return { ...handOff(script, "asked"), heard };

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
  const said = timely.join("\n");
  const value = readAnswer(question.answer, answerIn(timely), question.ask);
  if (value !== undefined) {
    const step = goOn(script, session, question, { question: question.id, value, said }, now);
    return { ...step, heard: "answer" };
  }
  if (session.tries + 1 >= TRIES) return { ...handOff(script, "not_understood"), heard: "no_answer" };
  return {
    reply: question.retry ?? question.ask,
    session: { ...ask(script, question, session, session.answers, now), tries: session.tries + 1 },
    heard: "no_answer",
  };
}

/** The intents by rank, where the texts of a turn say several things. */
const INTENTS: readonly Intent[] = ["person", "not_interested", "about", "question"];

function intentOfAll(script: Script, bodies: string[]): Intent | undefined {
  const intents = bodies.map((body) => intentOf(body, script.handoff_words));
  if (intents.every((intent) => intent === "help")) return "help";
  return INTENTS.find((intent) => intents.includes(intent));
}

/** The texts that are read as an answer: neither HELP nor a reaction beside it. */
function answerIn(bodies: string[]): string {
  const said = bodies.filter((body) => !isReaction(body) && intentOf(body, []) !== "help");
  return (said.length > 0 ? said : bodies).join("\n");
}

/** The first reply, whatever the recruit has written; to a question with `about`. */
function open(script: Script, heard: Intent | undefined, now: Date): Step {
  const [first] = script.questions as [Question];
  const about = heard === "about" || heard === "question" ? script.about : undefined;
  return {
    reply: [script.opening, about, first.ask].filter((part) => part !== undefined).join(" "),
    session: { ...ask(script, first, null, {}, now), has_told_about: about !== undefined },
    heard: "opening",
  };
}

/** Says what it is about, and asks the same question again. It costs no try. */
function tellAbout(script: Script, about: string, session: Session, now: Date): Step {
  const question = questionOf(script, session);
  const asked = ask(script, question, session, session.answers, now);
  return {
    reply: `${about} ${question.ask}`,
    session: { ...asked, tries: session.tries, has_told_about: true },
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

/** Goes on after an answer, to the next question that is to be asked or to the end. */
function goOn(
  script: Script,
  session: Session,
  question: Question,
  answered: { question: string; value: AnswerValue; said: string },
  now: Date,
): Step {
  const answers = { ...session.answers, [question.id]: answered.value };
  const jump = typeof answered.value === "string" ? question.then?.[answered.value] : undefined;
  if (jump !== undefined && "end" in jump) {
    return { reply: null, session: null, answered, ended: endedAs(jump.end) };
  }
  const from = jump === undefined
    ? script.questions.indexOf(question) + 1
    : script.questions.findIndex(({ id }) => id === jump.skip_to);
  const next = script.questions.slice(from).find((later) => isWanted(later, answers));
  if (next === undefined) {
    return {
      reply: script.done,
      session: null,
      answered,
      ended: { state: "done", reason: "done", goes_to_person: true },
    };
  }
  return { reply: next.ask, session: ask(script, next, session, answers, now), answered };
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

/** Leaves the conversation to a person, with a last text where the script has one. */
function handOff(script: Script | null, reason: string): Step {
  return {
    reply: script?.handoff ?? null,
    session: null,
    ended: { state: "escalated", reason, goes_to_person: true },
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
