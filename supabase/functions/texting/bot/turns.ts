import { callDatabase } from "../../_shared/database.ts";
import { describeError, logError } from "../../_shared/log.ts";
import { type RecruitText, type Script, type Session, type Step, step } from "./step.ts";

/** A turn that one worker has to itself for 60 s. */
export interface ClaimedTurn {
  conversation_id: string;
  attempt: number;
  /** Of the session. */
  version: number | null;
  script_id: string | null;
  /** Null where the bot was switched off meanwhile. */
  script: Script | null;
  session: Session | null;
  texts: RecruitText[];
}

/** How many turns are claimed at once. Each takes a millisecond. */
const CLAIM_AT_MOST = 20;

/**
 * Decides what the bot says in the turns that are due, and puts it into the outbox. A turn that fails holds up no
 * other.
 *
 * @throws ApiError INTERNAL_ERROR when the database gives no turns. What was claimed is due again in 60 s.
 */
export async function takeBotTurns(requestId: string): Promise<void> {
  const { now, turns }: { now: string; turns: ClaimedTurn[] } = await callDatabase(
    "claim_bot_turns",
    { max: CLAIM_AT_MOST },
  );
  for (const turn of turns) {
    try {
      await takeTurn(turn, new Date(now), requestId);
    } catch (error) {
      logFailure(turn, error, requestId);
    }
  }
}

async function takeTurn(turn: ClaimedTurn, now: Date, requestId: string): Promise<void> {
  const { conversation_id, attempt, version, script_id, script, session, texts } = turn;
  let taken: Step | null = null;
  try {
    taken = script && step(script, session, texts, now);
  } catch (error) {
    // It would fail again. An agent is told.
    logFailure(turn, error, requestId);
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

function logFailure({ conversation_id }: ClaimedTurn, error: unknown, request_id: string): void {
  logError({ request_id, event: "bot_turn_failed", conversation_id, ...describeError(error) });
}
