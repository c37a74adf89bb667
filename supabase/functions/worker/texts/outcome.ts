import type { TextState } from "./claimed_text.ts";
import { createdAtOf, errorCodeOf, type Exchange } from "../twilio/api.ts";

/** The outcome of a text that was posted to Twilio, as the SQL function `record_text_outcome` takes it. */
export interface Outcome {
  outcome:
    /** Twilio has the text. */
    | "accepted"
    /** Twilio may have it. It must be looked up before it is sent again. */
    | "unconfirmed"
    /** Twilio does not have it and says, or lets us see, that this will pass. */
    | "later"
    /** Twilio does not know us, so every text has to wait. */
    | "credentials"
    /** The recruit has told Twilio to stop. */
    | "opted_out"
    /** Twilio sends no text of this number for now. */
    | "number_paused"
    /** Twilio will never send this text. */
    | "failed"
    /** We do not send this text, and Twilio gets no request. */
    | "refused";
  /** Twilio's id of the text; only with `accepted`. */
  sid?: string;
  /** When Twilio made the message, by its own clock and to the second; with `accepted`, where it says so. */
  createdAt?: Date | null;
  /** Twilio's error code, or the HTTP status where there is none; with `refused` our own reason. */
  code?: string;
  /** The seconds that Twilio asks to wait. */
  retryAfter?: number;
}

/** The state in which a text is left when its outcome, or its look-up, is recorded. */
export interface TextResult {
  /** Null where the database could not be told. */
  state: TextState | null;
  /** Twilio's error code where Twilio does not know our login; no text can be sent then. */
  refusedLogin?: string;
}

/**
 * The error codes of Twilio that do not mean "this text cannot be sent": https://www.twilio.com/docs/api/errors
 */
const MEANING_OF_CODE: Record<string, Outcome["outcome"]> = {
  // Too many requests, and too many texts of this number in Twilio's queue.
  "20429": "later",
  "21611": "later",
  "21610": "opted_out",
  // The number is not registered for 10DLC, without which US carriers take no texts.
  "30034": "number_paused",
};

/** HTTP statuses of requests that Twilio has not looked at. */
const PASSING = [408, 429];

/** A longer wait would be a mistake: the text is tried again then, and told anew to wait. */
const MAX_WAIT_S = 3_600;

/**
 * Decides what became of a text. Twilio has no idempotency key, so whatever may have reached it is `unconfirmed` and is
 * never just sent again. That holds for 5xx too: Twilio calls them safe to retry, but not free of a text that was sent.
 *
 * @see https://support.twilio.com/hc/en-us/articles/48916449686299
 */
export function outcomeOf(exchange: Exchange): Outcome {
  if (exchange.kind === "not_sent") return { outcome: "later" };
  if (exchange.kind === "lost") return { outcome: "unconfirmed" };
  const { status, body, retryAfter } = exchange;
  if (status >= 400 && status < 500) {
    const code = errorCodeOf(body);
    return {
      outcome: meaningOf(status, code),
      code: code ?? String(status),
      retryAfter: secondsOf(retryAfter),
    };
  }
  const sid = status >= 200 && status < 300 ? sidOf(body) : undefined;
  return sid === undefined
    ? { outcome: "unconfirmed", code: errorCodeOf(body) ?? String(status) }
    : { outcome: "accepted", sid, createdAt: createdAtOf(body) };
}

function meaningOf(status: number, code: string | null): Outcome["outcome"] {
  const meaning = code === null ? undefined : MEANING_OF_CODE[code];
  if (meaning !== undefined) return meaning;
  if (PASSING.includes(status)) return "later";
  // The path names the account and nothing else, so 404 is about the account. 20xxx are errors of the account, such as
  // a suspended one (20005) or test credentials (20008); other codes are about the text.
  if (status === 401 || status === 404) return "credentials";
  if (status === 403 && code !== null && /^20\d{3}$/.test(code)) return "credentials";
  return "failed";
}

function sidOf(body: unknown): string | undefined {
  const sid = typeof body === "object" && body !== null && "sid" in body ? body.sid : undefined;
  return typeof sid === "string" && sid !== "" ? sid : undefined;
}

/** The seconds of a header `Retry-After`, which is a number of seconds or a date. */
function secondsOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  const seconds = /^\s*\d+\s*$/.test(retryAfter)
    ? Number(retryAfter)
    : Math.ceil((Date.parse(retryAfter) - Date.now()) / 1000);
  return seconds >= 0 ? Math.min(seconds, MAX_WAIT_S) : undefined;
}
