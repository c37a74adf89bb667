import type { TextState } from "./claimed_text.ts";
import { createdAtOf, errorCodeOf, type Exchange } from "../twilio/api.ts";

/** The outcome of a text that was posted to Twilio, as the SQL function `record_text_outcome` expects it. */
export interface Outcome {
  outcome:
    /** Twilio has the text. */
    | "accepted"
    /** Twilio may have the text. It must be looked up before it is sent again. */
    | "unconfirmed"
    /** Twilio does not have the text, for a transient reason. */
    | "later"
    /** Twilio refuses our credentials, so every text must wait. */
    | "credentials"
    /** The recruit has opted out at Twilio. */
    | "opted_out"
    /** Twilio currently sends no texts of this number. */
    | "number_paused"
    /** Twilio will never send this text. */
    | "failed"
    /** We do not send this text, and make no request to Twilio. */
    | "refused";
  /** Twilio's id of the text; only with `accepted`. */
  sid?: string;
  /**
   * When Twilio created the message, by Twilio's clock and to the second; only with `accepted`, if Twilio reports it.
   */
  createdAt?: Date | null;
  /** Twilio's error code, or the HTTP status if there is none; with `refused`, our own reason. */
  code?: string;
  /** The number of seconds that Twilio requests to wait. */
  retryAfter?: number;
}

/** The state of a text after its outcome or its look-up is recorded. */
export interface TextResult {
  /** Null if the outcome could not be recorded. */
  state: TextState | null;
  /** Twilio's error code if Twilio refuses our credentials; no text can be sent then. */
  refusedLogin?: string;
}

/**
 * The error codes of Twilio that do not mean "this text cannot be sent": https://www.twilio.com/docs/api/errors
 */
const MEANING_OF_CODE: Record<string, Outcome["outcome"]> = {
  // Too many requests, and too many queued texts of this number.
  "20429": "later",
  "21611": "later",
  "21610": "opted_out",
  // The number is not registered for 10DLC, without which US carriers accept no texts.
  "30034": "number_paused",
};

/** HTTP statuses of requests that Twilio has not processed. */
const PASSING = [408, 429];

/** A longer wait would be a mistake: the text is tried again after this time, and Twilio can request another wait. */
const MAX_WAIT_S = 3_600;

/**
 * Determines the outcome of a text. Twilio has no idempotency key, so a request that may have reached Twilio is
 * `unconfirmed` and is not repeated without a look-up. That includes 5xx: Twilio calls them safe to retry, but the text
 * may have been sent.
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
  // The path contains only the account, so 404 concerns the account. 20xxx are errors of the account, such as a
  // suspended one (20005) or test credentials (20008); other codes concern the text.
  if (status === 401 || status === 404) return "credentials";
  if (status === 403 && code !== null && /^20\d{3}$/.test(code)) return "credentials";
  return "failed";
}

function sidOf(body: unknown): string | undefined {
  const sid = typeof body === "object" && body !== null && "sid" in body ? body.sid : undefined;
  return typeof sid === "string" && sid !== "" ? sid : undefined;
}

/** Returns the seconds of a `Retry-After` header, which is a number of seconds or a date. */
function secondsOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  const seconds = /^\s*\d+\s*$/.test(retryAfter)
    ? Number(retryAfter)
    : Math.ceil((Date.parse(retryAfter) - Date.now()) / 1000);
  return seconds >= 0 ? Math.min(seconds, MAX_WAIT_S) : undefined;
}
