import { callDatabase } from "../_shared/database.ts";
import type { Report } from "./report.ts";

/** The number of rows that are claimed at once. */
const CLAIM_AT_MOST = 20;

/** Queues the greetings that are due. Returns how many were. */
export function queueGreetings(report: Report): Promise<number> {
  return doWaiting("claim_greetings", "queue_greeting", report);
}

/** Takes over the next unmatched texts of conversations that have many. Returns how many conversations had some. */
export function takeOverTexts(report: Report): Promise<number> {
  return doWaiting("claim_take_overs", "take_over_texts", report);
}

/** Does what waits, each in a transaction of its own: what fails costs only itself, and is due again later. */
async function doWaiting(
  claim: "claim_greetings" | "claim_take_overs",
  act: "queue_greeting" | "take_over_texts",
  report: Report,
): Promise<number> {
  const ids: string[] = await callDatabase(claim, { max: CLAIM_AT_MOST });
  for (const id of ids) {
    try {
      await callDatabase(act, { id });
    } catch (error) {
      report(error, { step: act, id });
    }
  }
  return ids.length;
}
