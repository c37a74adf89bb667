import { ApiError } from "./errors.ts";
import { tooManyRequests } from "./rate_limit.ts";

/**
 * Wrong keys a minute that one caller may show before it is refused without asking the database. Guessing then costs the
 * guesser a request and the database nothing. A person who mistypes a key, or a vendor with an old one, stays far below.
 */
const WRONG_KEYS_A_MINUTE = 300;
const MINUTE_MS = 60_000;

/** Callers remembered at most. The count is in memory, one for each isolate, so that it costs no query itself. */
const MOST_CALLERS = 10_000;

const counts = new Map<string, { since: number; wrong: number }>();

/**
 * Runs a check of a key, and counts it when the key is wrong.
 *
 * @param check throws UNAUTHORIZED for a wrong key
 * @throws ApiError as the check does; TOO_MANY_REQUESTS for a caller that has shown too many wrong keys.
 */
export async function countWrongKeys<Checked>(
  request: Request,
  check: () => Promise<Checked>,
): Promise<Checked> {
  const caller = callerAddress(request);
  const now = Date.now();
  const counted = counts.get(caller);
  const current = counted && counted.since > now - MINUTE_MS ? counted : { since: now, wrong: 0 };
  if (current.wrong >= WRONG_KEYS_A_MINUTE) {
    const seconds = Math.ceil((current.since + MINUTE_MS - now) / 1000);
    throw tooManyRequests("too many wrong keys", seconds);
  }
  try {
    return await check();
  } catch (error) {
    if (error instanceof ApiError && error.code === "UNAUTHORIZED") {
      if (counts.size >= MOST_CALLERS) counts.clear();
      current.wrong += 1;
      counts.set(caller, current);
    }
    throw error;
  }
}

/**
 * The address of the caller. Hosted, Cloudflare stands in front and writes `CF-Connecting-IP` itself, while a caller may
 * write anything into `X-Forwarded-For`. Callers without an address share one count.
 */
function callerAddress(request: Request): string {
  return request.headers.get("cf-connecting-ip") ?? "";
}
