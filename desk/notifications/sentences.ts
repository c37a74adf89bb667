import { LIFELINE } from "../data/lifeline.ts";
import type { Notification } from "../data/notifications.ts";

/** What a sentence needs of a notification. */
type Subject = Pick<Notification, "kind" | "reason" | "urgent" | "recruit" | "by" | "others">;
/** What the address of a notification needs of it. */
export type Place = Pick<Notification, "kind" | "conversation_id" | "lead_id">;

/** A notification in a sentence, without any words of a text. */
export function sentenceOf({ kind, reason, urgent, recruit, by, others }: Subject): string {
  const who = recruit?.first_name || "A recruit";
  const whom = recruit?.first_name || "a recruit";
  const colleague = by?.first_name ?? "A colleague";
  if (urgent) return `${who} may be in danger. ${LIFELINE}.`;
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
        : `The bot handed ${whom} over to you.`;
    case "taken_over":
      return `${colleague} has the conversation with ${whom}${moreText(others)} now.`;
    case "asked_for":
      return `${colleague} asks for the conversation with ${whom}.`;
    case "lead":
      return `${who} is a new recruit.`;
    case "unmatched_text":
      return `${who} has written, and has no conversation yet.`;
    case "recruit_waiting":
      return `${who} is waiting for an answer.`;
    case "destination_off":
      return `${reason === null ? "A destination" : `The destination ${reason}`} was switched off, because it fails.`;
    default:
      return "Something is new.";
  }
}

/** The route of the view to which a notification leads. */
export function pathOf({ kind, conversation_id, lead_id }: Place): string {
  if (kind === "destination_off") return "/settings/destinations";
  return conversation_id === null ? `/recruits/${lead_id}` : `/inbox/${conversation_id}`;
}

/** Whether an address, such as `/inbox/all/<id>`, is that of what a notification is about. */
export function isAbout(address: string, { conversation_id, lead_id }: Place): boolean {
  return address.split("?")[0]!.split("/").at(-1) === (conversation_id ?? lead_id);
}

/**
 * Identifies a browser notification: a later one about the same conversation replaces it, and so does the same one that
 * the service worker or another tab shows.
 */
export function tagOf({ id, conversation_id }: Pick<Notification, "id" | "conversation_id">): string {
  return conversation_id ?? id;
}

/** The further conversations of a notification, in words: " and 2 more". */
function moreText(others: number | null): string {
  return others === null ? "" : ` and ${others} more`;
}
