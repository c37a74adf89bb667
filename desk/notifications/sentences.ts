import type { News } from "../data/news.ts";
import { moreText } from "../data/notices.ts";

/** A notification in a sentence, without any words of a text. */
export function sentenceOf({ kind, reason, recruit, by, others }: News): string {
  const who = recruit || "A recruit";
  const whom = recruit || "a recruit";
  switch (kind) {
    case "text":
      return `${who} has written.`;
    case "opt_out":
      return `${who} wants no more texts.`;
    case "failed":
      return `A text to ${whom} could not be sent.`;
    case "handoff":
      return reason === "assigned"
        ? `You have the conversation with ${whom}${moreText(others)} now.`
        : `The bot has left ${whom} to you.`;
    case "taken_over":
      return `${by ?? "A colleague"} has the conversation with ${whom}${moreText(others)} now.`;
    case "asked_for":
      return `${by ?? "A colleague"} asks for the conversation with ${whom}.`;
    case "lead":
      return `${who} is a new recruit.`;
    case "unmatched_text":
      return `${who} has written, and has no conversation yet.`;
    case "recruit_waiting":
      return `${who} is waiting for an answer.`;
    default:
      return "Something is new.";
  }
}

/** The route of the view to which a notification leads. */
export function pathOf({ conversation_id, lead_id }: News): string {
  return conversation_id === null ? `/recruits/${lead_id}` : `/inbox/${conversation_id}`;
}

/** Whether an address, such as `/inbox/all/<id>`, is that of what a notification is about. */
export function isAbout(address: string, { conversation_id, lead_id }: News): boolean {
  return address.split("?")[0]!.split("/").at(-1) === (conversation_id ?? lead_id);
}
