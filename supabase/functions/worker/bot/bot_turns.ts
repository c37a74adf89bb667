import { callDatabase } from "../../_shared/database.ts";
import type { Job, Report } from "../../_shared/jobs.ts";
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

/**
 * Decides what the bot says in the turns that are due, and puts it into the outbox. A turn that fails is due again in
 * 60 s.
 */
export function botTurns(): Job<ClaimedTurn> {
  return {
    atOnce: 4,
    claim: async (max) => ({ items: await callDatabase("claim_bot_turns", { max }) }),
    async handle(turn, report) {
      await takeTurn(turn, report);
      return { state: "taken" };
    },
    idsOf: ({ conversation_id }) => ({ conversation_id }),
  };
}

async function takeTurn({ conversation_id, attempt }: ClaimedTurn, report: Report): Promise<void> {
  const turn: Turn | null = await callDatabase("read_bot_turn", { conversation_id, attempt });
  if (turn === null) return;
  const { now, version, script_id, script, session, texts } = turn;
  let taken: Step | null = null;
  try {
    taken = script && step(script, session, texts, new Date(now));
  } catch (error) {
    // The turn would fail again, so the conversation goes to an agent.
    report(error, { step: "bot_step" });
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
