import type { CallOptions } from "./database.ts";
import type { Idempotency } from "./body/json.ts";

/**
 * The options of a call that stores many rows. The timeout is a little more than the statement timeout of the SQL
 * functions, so that the database gives up before the function does.
 */
export const BATCH_CALL: CallOptions = { timeout: 61_000, retryWithin: 70_000 };

/**
 * The Idempotency-Key of a batch. For a request without one the function makes a key: when the response of the database
 * is lost, the function repeats the call, and the key makes it find what the first call has stored.
 */
export function batchIdempotency(sent: Idempotency | null, part = 0): Idempotency {
  return sent === null ? { key: crypto.randomUUID(), part, request_hash: "" } : { ...sent, part };
}
