import type { AppContext } from "./app.ts";
import { callDatabase } from "./database.ts";
import { describeError, logError } from "./log.ts";
import { NEWEST_MIGRATION, VERSION } from "./version.ts";

/** The response must come within 10 s, even if the database does not respond. */
const TIMEOUT_MS = 6_000;

/** The body of `GET /recruiting/health` and `GET /api/health`. */
export interface Health {
  /** `ok` with HTTP 200; `unavailable` with HTTP 503. */
  status: "ok" | "unavailable";
  database: "ok" | "unreachable";
  /** Version of the newest migration applied; null where it is not known. Too old a version is `unavailable`. */
  migrations: string | null;
  /** Version of the functions. */
  version: string;
}

/** Says whether the service can do its work. Anybody may ask, so the response has versions and nothing else. */
export async function health(c: AppContext): Promise<Response> {
  const body = await check(c.get("requestId"));
  return c.json(body, body.status === "ok" ? 200 : 503, { "Cache-Control": "no-store" });
}

async function check(requestId: string): Promise<Health> {
  try {
    const { migrations } = await callDatabase("service_health", {}, { timeout: TIMEOUT_MS });
    const isBehind = migrations !== null && migrations < NEWEST_MIGRATION;
    return {
      status: isBehind ? "unavailable" : "ok",
      database: "ok",
      migrations,
      version: VERSION,
    };
  } catch (error) {
    const cause = error instanceof Error ? error.cause ?? error : error;
    logError({ request_id: requestId, event: "health", ...describeError(cause) });
    return {
      status: "unavailable",
      database: "unreachable",
      migrations: null,
      version: VERSION,
    };
  }
}
