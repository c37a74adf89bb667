import { ConfigurationError } from "./configuration.ts";
import { callDatabase } from "./database.ts";
import { ApiError } from "./errors.ts";

/**
 * Counts a request toward a limit. The count is in the database, so the limit applies across all isolates.
 *
 * @param bucket who is counted, e.g. `vendor <id>`
 * @param perMinute requests per minute; null means no limit, and nothing is counted
 * @throws ApiError TOO_MANY_REQUESTS with `Retry-After` if the limit is exceeded.
 */
export async function requireWithinLimit(bucket: string, perMinute: number | null): Promise<void> {
  if (perMinute === null) return;
  const { retry_after }: { retry_after: number | null } = await callDatabase("count_request", {
    bucket,
    per_minute: perMinute,
  });
  if (retry_after === null) return;
  const headers = { "Retry-After": String(retry_after) };
  throw new ApiError("TOO_MANY_REQUESTS", `more than ${perMinute} requests a minute`, { headers });
}

/**
 * Returns a limit set in the environment, e.g. `LEADS_IMPORT_RATE_LIMIT=60`; null (no limit) if it is unset or blank.
 *
 * @throws ConfigurationError for anything but a positive integer, so that a typo never disables a limit.
 */
export function rateLimitFromEnv(name: string): number | null {
  const text = (Deno.env.get(name) ?? "").trim();
  if (text === "") return null;
  const limit = /^[0-9]{1,9}$/.test(text) ? Number(text) : 0;
  if (limit < 1) throw new ConfigurationError(`${name} must be a whole number from 1 on`);
  return limit;
}
