import type { Message } from "../data/messages.ts";
import { reasonOf } from "../ui/text_reasons.ts";

/** The progress of one of our texts. */
export interface Progress {
  words: string;
  /** Held: not sent before. */
  heldUntil?: string;
  isBad?: boolean;
  mayCancel?: boolean;
  /** `once`: it was surely not sent. `twice`: it may have been. */
  retry?: "once" | "twice";
  /** The same words may be sent as another text. */
  mayWriteAgain?: boolean;
}

/** The progress of one of our texts, in words for the agent. */
export function progressOf({ status, error_code, text_outbox: outbox }: Message): Progress {
  switch (outbox?.state) {
    case "pending":
      return pending(outbox);
    case "sending":
      return { words: "Being sent" };
    case "unconfirmed":
      return outbox.due_at === "infinity"
        ? { words: "Perhaps not sent: the provider has never confirmed it.", isBad: true, retry: "twice" }
        : { words: "Being sent. The provider is asked whether it has it." };
    case "refused":
      return {
        ...notSent(outbox.reason),
        mayWriteAgain: outbox.reason !== "opted_out" && outbox.reason !== "suppressed",
      };
    case "failed":
      return { ...notSent(outbox.reason ?? error_code), retry: outbox.reason === "unconfirmed" ? "twice" : "once" };
  }
  if (status === "failed") {
    return { words: `Not delivered: ${reasonOf(error_code)}.`, isBad: true, mayWriteAgain: error_code !== "21610" };
  }
  return { words: status === "delivered" ? "Delivered" : status === "sent" ? "Sent" : "Sent to the provider" };
}

function pending({ reason, due_at }: NonNullable<Message["text_outbox"]>): Progress {
  if (reason === "quiet_hours") {
    return {
      words: "Held, because it is too early or too late where the recruit lives.",
      heldUntil: due_at,
      mayCancel: true,
    };
  }
  if (reason === "number_paused") {
    return { words: "Held until the agency's number works again.", mayCancel: true };
  }
  if (reason === "no_account") {
    return { words: "Held until the service has an account to send texts with.", mayCancel: true };
  }
  return { words: "Waits to be sent", mayCancel: true };
}

function notSent(reason: string | null): Progress {
  return { words: `Not sent: ${reasonOf(reason)}.`, isBad: true };
}
