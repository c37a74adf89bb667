/** The events for destinations in words, as docs/destinations.md has them. */
const NAMES: Record<string, string> = {
  "lead.distributed": "new lead",
  "lead.returned": "lead taken back",
  "lead.reassigned": "lead to another agent",
  "recruit.replied": "text of the recruit",
  "recruit.screened": "answers to the bot",
  "recruit.opted_out": "opt-out",
  "recruit.stage_changed": "new stage",
  "recruit.erased": "erased recruit",
  "alert.opened": "alert",
  "alert.repeated": "alert that goes on",
  "alert.resolved": "alert that has ended",
};

/** An event in words; without some, its own name. */
export const eventName = (event: string): string => NAMES[event] ?? event;
