/** Plays conversations by the code of the worker, with the opt-outs that the database recognizes. */
import type postgres from "postgres";
import { type Script, type Session, type Step, step } from "../../supabase/functions/worker/bot/step.ts";
import { withAnswers } from "../../supabase/functions/worker/bot/walk.ts";
import { answerLine, type Conversation, replyLine } from "./format.ts";

/** What a text says of the consent to texts, as `private.wish_to_end()`. */
export type Consent = "opted_out" | "may_opt_out" | undefined;
export type ConsentOf = (body: string) => Consent;

/** Asks the database for the consent of texts, all at once. */
export async function readConsents(sql: postgres.Sql, bodies: string[]): Promise<ConsentOf> {
  const rows = await sql<{ body: string; consent: Consent | null }[]>`
    select b.body, case
      when (private.consent_in_text(b.body, null)).state = 'opted_out' then 'opted_out'
      else private.wish_to_end(private.visible_text(b.body))
    end as consent
    from unnest(${[...new Set(bodies)]}::text[]) b (body)`;
  const consents = new Map(rows.map(({ body, consent }) => [body, consent ?? undefined]));
  return (body) => consents.get(body);
}

/** A conversation that goes on, turn by turn. */
export class Play {
  #session: Session | null = null;
  /** Why the bot's part has ended; undefined while it goes on. */
  reason: string | undefined;
  #isOptedOut = false;
  #isHandedOver = false;

  constructor(readonly script: Script) {}

  /** Takes the texts of a turn; undefined where the bot reads none of them any more. */
  take(texts: string[], consentOf: ConsentOf, now = new Date()): Step | undefined {
    const consents = texts.map(consentOf);
    if (consents.includes("opted_out") && !this.#isOptedOut) {
      this.#isOptedOut = true;
      // An opt-out ends what waits for an answer before the worker reads it.
      this.reason = "opted_out";
      const ended = { state: "stopped", reason: "opted_out", goes_to_person: false } as const;
      return { reply: null, session: null, ended };
    }
    if (this.#isOptedOut || this.reason !== undefined && !this.#isHandedOver) return undefined;
    const said = texts.map((body, i) => ({ body, ...(consents[i] !== undefined && { consent: consents[i] }) }));
    const taken = step(this.script, this.#session, said, now);
    this.reason ??= taken.ended?.reason;
    this.#isHandedOver ||= taken.ended?.state === "escalated";
    this.#session = this.#isHandedOver ? this.#handedOver(taken) : taken.session;
    return taken;
  }

  /** The session after a hand-over, in which the bot only listens. */
  #handedOver({ answered = [] }: Step): Session {
    const before = this.#session ?? {
      ...{ question: this.script.questions[0]!.id, tries: 0, answers: {}, has_told_about: false },
      ...{ asked_at: null, remind_at: null, expires_at: null },
    };
    return { ...before, answers: withAnswers(before.answers, answered), is_handed_over: true };
  }
}

/** A turn's outcome as the lines of a file; none for silence. */
export function outcomeOf(script: Script, { reply, answered, ended }: Step): string[] {
  return [
    ...(answered ?? []).map(({ question, value }) => answerLine(question, value)),
    ...(reply === null ? [] : [replyLine(script, reply)]),
    ...(ended === undefined || ended.reason === "done" ? [] : [`! ${ended.reason}`]),
  ];
}

/** All texts of a conversation with those that lead to its first question, by turns. */
export function turnsOf(script: Script, { from, turns }: Conversation): { before: string[][]; after: string[][] } {
  return { before: from === undefined ? [] : leadingTo(script, from), after: turns.map(({ texts }) => texts) };
}

/** The outcome of each turn. */
export function playConversation(script: Script, conversation: Conversation, consentOf: ConsentOf): string[][] {
  const play = new Play(script);
  const { before, after } = turnsOf(script, conversation);
  for (const texts of before) play.take(texts, consentOf);
  return after.map((texts) => {
    const taken = play.take(texts, consentOf);
    return taken === undefined ? [] : outcomeOf(script, taken);
  });
}

/** The texts of a recruit who has answered all questions before this one. */
function leadingTo({ questions }: Script, id: string): string[][] {
  const answers: Record<string, string> = {};
  const texts = [["Hi"]];
  for (const question of questions) {
    if (question.id === id) return texts;
    const { answer, only_if = {} } = question;
    if (Object.entries(only_if).some(([earlier, value]) => answers[earlier] !== value)) continue;
    answers[question.id] = answer === "yes_no"
      ? "yes"
      : answer === "states"
      ? "WY"
      : answer === "text"
      ? "nothing else"
      : "choice" in answer
      ? Object.keys(answer.choice).at(-1)!.replaceAll("_", " ")
      : String(answer.number.min + 1);
    texts.push([answers[question.id]!]);
  }
  throw new RangeError(`"${id}" is no question of the script`);
}
