import { callDatabase } from "../../_shared/database.ts";
import { type RecruitText, type Script, type Session, step } from "./step.ts";

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
 * Decides what the bot says in the turns that are due, and puts it into the outbox.
 *
 * @returns how many turns were claimed
 * @throws ApiError INTERNAL_ERROR when the database gives no turns. What was claimed is due again in 60 s.
 */
export async function takeBotTurns(): Promise<number> {
  const { now, turns }: { now: string; turns: ClaimedTurn[] } = await callDatabase(
    "claim_bot_turns",
    {
      max: CLAIM_AT_MOST,
    },
  );
  for (const { conversation_id, attempt, version, script_id, script, session, texts } of turns) {
    await callDatabase("complete_bot_turn", {
      conversation_id,
      attempt,
      version,
      script_id,
      texts: texts.length,
      step: script && step(script, session, texts, new Date(now)),
    });
  }
  return turns.length;
}
