import { callDatabase } from "../../_shared/database.ts";
import type { Report } from "../report.ts";
import { type RecruitText, type Script, type Session, type Step, step } from "./step.ts";

/** A turn that one worker has to itself for 60 s. */
export interface ClaimedTurn {
  conversation_id: string;
  attempt: number;
}

/** The result of read_bot_turn(). */
export interface Turn {
  now: string;
  /** Of the session. */
  version: number | null;
  script_id: string | null;
  /** Null where the bot was switched off meanwhile. */
  script: Script | null;
  session: Session | null;
  texts: RecruitText[];
}

/** The number of turns that are claimed at once. Each takes some milliseconds. */
const CLAIM_AT_MOST = 20;

/**
 * Decides what the bot says in the turns that are due, and puts it into the outbox. A turn that fails holds up no
 * other, and is due again in 60 s. Returns how many turns were due.
 *
 * @throws ApiError INTERNAL_ERROR when the database gives no turns.
 */
export async function takeBotTurns(report: Report): Promise<number> {
  const claims: ClaimedTurn[] = await callDatabase("claim_bot_turns", { max: CLAIM_AT_MOST });
  for (const claim of claims) {
    try {
      await takeTurn(claim, report);
    } catch (error) {
      report(error, { step: "bot_turn", conversation_id: claim.conversation_id });
    }
  }
  return claims.length;
}

async function takeTurn({ conversation_id, attempt }: ClaimedTurn, report: Report): Promise<void> {
  const turn: Turn | null = await callDatabase("read_bot_turn", { conversation_id, attempt });
  if (turn === null) return;
  const { now, version, script_id, script, session, texts } = turn;
  let taken: Step | null = null;
  try {
    taken = script && step(script, session, texts, new Date(now));
  } catch (error) {
    // The turn would fail again. An agent is told.
    report(error, { step: "bot_step", conversation_id });
  }
  await callDatabase("complete_bot_turn", {
    conversation_id,
    attempt,
    version,
    script_id,
    texts: texts.length,
    step: taken,
  });
}
