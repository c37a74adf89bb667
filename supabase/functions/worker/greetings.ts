import { callDatabase } from "../_shared/database.ts";
import type { Job } from "../_shared/jobs.ts";

/** Queues the greetings that are due. Each item is the id of a lead; if it fails, it is due again later. */
export function greetings(): Job<string> {
  return {
    atOnce: 4,
    claim: async (max) => ({ items: await callDatabase("claim_greetings", { max }) }),
    async handle(id) {
      await callDatabase("queue_greeting", { id });
      return { state: "queued" };
    },
    idsOf: (id) => ({ lead_id: id }),
  };
}
