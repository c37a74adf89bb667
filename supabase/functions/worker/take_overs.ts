import { callDatabase } from "../_shared/database.ts";
import type { Job } from "../_shared/jobs.ts";

/**
 * Moves the next unmatched texts into their conversation if there are many. Each item is the id of a conversation; if
 * it fails, it is due again later.
 */
export function takeOvers(): Job<string> {
  return {
    atOnce: 4,
    claim: async (max) => ({ items: await callDatabase("claim_take_overs", { max }) }),
    async handle(id) {
      await callDatabase("take_over_texts", { id });
      return { state: "taken_over" };
    },
    idsOf: (id) => ({ conversation_id: id }),
  };
}
