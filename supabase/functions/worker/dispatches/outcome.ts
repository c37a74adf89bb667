import { compileExpression } from "../../_shared/expression/expression.ts";
import { cleanText, type Json, parseJson } from "../../_shared/json.ts";
import type { PinnedResponse } from "../../_shared/pinned_request.ts";

/** The outcome of an attempt, as the SQL function `record_dispatch` expects it. */
export interface Outcome {
  outcome:
    | "delivered"
    /** The receiver does not want it, whatever the attempt. */
    | "rejected"
    /** The receiver wants nothing more. */
    | "gone"
    /** It is tried again after a pause. */
    | "retry"
    /** Another attempt would have the same result. */
    | "failed";
  /** The HTTP status; null without a response. */
  status: number | null;
  /** The beginning of the response's body. */
  excerpt: string | null;
  /** What an operator or a manager reads, such as `HTTP 500` or `no_connection`; null if it was delivered. */
  reason: string | null;
  /** The number of seconds that the receiver asks to wait. */
  retryAfter: number | null;
}

/** What a destination says about its responses: JMESPath on `{status, body}`. */
export interface ResponseRules {
  /** Default: a status of 200 to 299. */
  accepted_when: string | null;
  /** Default: never. */
  rejected_when: string | null;
}

/** The maximum number of characters of a response that are stored. */
const EXCERPT_LENGTH = 500;

/** The maximum number of characters of a reason. */
const REASON_LENGTH = 200;

/** The longest wait that a receiver may ask for, in seconds: a day. */
const LONGEST_WAIT = 86_400;

/** Returns the outcome of an attempt without a response. */
export function noResponse(outcome: "retry" | "failed", reason: string): Outcome {
  return { outcome, status: null, excerpt: null, reason, retryAfter: null };
}

/**
 * Returns the outcome of a response. A text that `rejected_when` finds is the reason. An expression that cannot be evaluated
 * finds nothing.
 *
 * @param gone the statuses with which the receiver says that it wants nothing more
 */
export function outcomeOf(
  { status, headers, body: bytes }: PinnedResponse,
  rules: ResponseRules,
  gone = [410],
): Outcome {
  const text = new TextDecoder().decode(bytes);
  const excerpt = cleanText(text.slice(0, EXCERPT_LENGTH)) || null;
  const response = { status, body: bodyOf(text) };
  const answer = (outcome: Outcome["outcome"], reason: string | null, retryAfter: number | null = null): Outcome => ({
    outcome,
    status,
    excerpt,
    reason,
    retryAfter,
  });

  if (gone.includes(status)) return answer("gone", `HTTP ${status}`);
  const rejected = find(rules.rejected_when, response);
  if (isTrue(rejected)) {
    return answer(
      "rejected",
      typeof rejected === "string" ? cleanText(rejected.slice(0, REASON_LENGTH)) : `HTTP ${status}`,
    );
  }
  const isSuccess = status >= 200 && status < 300;
  const isAccepted = rules.accepted_when === null ? isSuccess : isTrue(find(rules.accepted_when, response));
  if (isAccepted) return answer("delivered", null);
  if (isSuccess) return answer("retry", "not_accepted");
  const mayWait = status === 429 || status === 503;
  return answer("retry", `HTTP ${status}`, mayWait ? secondsOf(headers.get("retry-after")) : null);
}

/** Returns the JSON of a body; the text if it is not JSON. */
function bodyOf(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    return cleanText(text);
  }
}

function find(expression: string | null, response: Json): Json | undefined {
  return expression === null ? undefined : compileExpression(expression).data?.search(response);
}

/** What JMESPath counts as true. */
function isTrue(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === false || value === "") return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}

/** Returns the seconds of a Retry-After header, which has them or a date, at most a day; null if it has neither. */
export function secondsOf(header: string | null, now = Date.now()): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Math.min(Number(text), LONGEST_WAIT);
  const date = /GMT$/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? null : Math.min(Math.max(0, Math.ceil((date - now) / 1000)), LONGEST_WAIT);
}
