import type { Replayed } from "../data/operator_acts.ts";

/** The outcome of a replayed delivery, in a sentence. */
export function outcomeText({ status, distributed_to, reason, was_replayed }: Replayed): string {
  if (status === "refused") return `It is still refused: ${reason}.`;
  if (was_replayed) return "It was already replayed. Nothing more was stored.";
  if (status === "duplicate") return "Its lead had come meanwhile. Nothing more was stored.";
  if (distributed_to === undefined) return "Replayed. Its lead is stored.";
  return distributed_to === null
    ? "Replayed. Its lead is stored, and waits: no open order wants it now."
    : "Replayed. Its lead is stored and distributed.";
}

/** The same of a dry run. */
export function previewText({ status, distributed_to, reason, was_replayed }: Replayed): string {
  if (status === "refused") return `It would still be refused: ${reason}.`;
  if (was_replayed) return "It was already replayed. A replay would store nothing more.";
  if (status === "duplicate") return "Its lead has come meanwhile. A replay would store nothing more.";
  if (distributed_to === undefined) return "A replay would store this lead:";
  return distributed_to === null
    ? "A replay would store this lead, which no open order wants now:"
    : "A replay would store this lead, and distribute it:";
}

/** What became of deliveries that were to be dismissed, `asked` of them, in a sentence. */
export function dismissedText(dismissed: number, asked: number): string {
  if (dismissed === asked) return `Dismissed: ${asked}.`;
  return `Dismissed: ${dismissed}. Replayed or dismissed before: ${asked - dismissed}.`;
}
