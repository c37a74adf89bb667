import { ApiError } from "./errors.ts";
import { tooManyRequests } from "./rate_limit.ts";

/**
 * How many wrong keys one caller may send in a minute. After that it is refused without a query, so guessing costs the
 * database nothing. A person who mistypes a key, or a vendor with an old one, stays far below.
 */
const WRONG_KEYS_A_MINUTE = 300;
const MINUTE_MS = 60_000;

/** How many callers are remembered. The counts are in the memory of each isolate, so they cost no query. */
const MAX_CALLERS = 10_000;

const counts = new Map<string, { since: number; wrong: number }>();

/**
 * Checks a key, or another proof of who the caller is, and counts the caller's wrong ones.
 *
 * @param check throws UNAUTHORIZED for a wrong key
 * @throws ApiError as the check does; TOO_MANY_REQUESTS for a caller that has sent too many wrong keys.
 */
export async function countWrongKeys<Checked>(
  request: Request,
  check: () => Promise<Checked>,
): Promise<Checked> {
  const caller = callerAddress(request);
  const { since, wrong } = currentCount(caller);
  if (wrong >= WRONG_KEYS_A_MINUTE) {
    const seconds = Math.ceil((since + MINUTE_MS - Date.now()) / 1000);
    throw tooManyRequests("too many wrong keys", seconds);
  }
  try {
    return await check();
  } catch (error) {
    if (error instanceof ApiError && error.code === "UNAUTHORIZED") {
      // Anew, because a check takes time, and others of the caller may have ended meanwhile.
      const current = currentCount(caller);
      if (counts.size >= MAX_CALLERS) counts.clear();
      counts.set(caller, { ...current, wrong: current.wrong + 1 });
    }
    throw error;
  }
}

function currentCount(caller: string): { since: number; wrong: number } {
  const counted = counts.get(caller);
  const now = Date.now();
  return counted && counted.since > now - MINUTE_MS ? counted : { since: now, wrong: 0 };
}

/**
 * The IP address of the caller. On a hosted project Cloudflare writes it into `CF-Connecting-IP`. `X-Forwarded-For` is not
 * used, because a caller can write anything into it. Callers without an address share one count.
 */
function callerAddress(request: Request): string {
  return request.headers.get("cf-connecting-ip") ?? "";
}
