import type { CallOptions } from "./database.ts";
import type { Idempotency } from "./body/json.ts";

/**
 * The options of a call that stores many rows. The timeout is slightly longer than the statement timeout of the SQL
 * functions, so the database gives up before the function does.
 */
export const BATCH_CALL: CallOptions = { timeout: 61_000, retryWithin: 70_000 };

/**
 * Returns the Idempotency-Key of a batch. If the request has none, the function generates a key: when a response of the
 * database is lost and the function repeats the call, the key identifies what the first call stored.
 */
export function batchIdempotency(sent: Idempotency | null, part = 0): Idempotency {
  return sent === null ? { key: crypto.randomUUID(), part, request_hash: "" } : { ...sent, part };
}
