import { callDatabase } from "../_shared/database.ts";
import type { Job } from "../_shared/jobs.ts";

/**
 * Takes over the next unmatched texts of conversations that have many. Each item is the id of a conversation, and due
 * again later when it fails.
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
