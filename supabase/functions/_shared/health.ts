import type { AppContext } from "./app.ts";
import { callDatabase } from "./database.ts";
import { describeError, logError } from "./log.ts";
import { NEWEST_MIGRATION, VERSION } from "./version.ts";

/** The health check must be answered within 10 s, also when the database is not. */
const TIMEOUT_MS = 6_000;

/** What `GET /recruiting/health` and `GET /api/health` respond. */
export interface Health {
  /** `ok` with HTTP 200; `unavailable` with HTTP 503. */
  status: "ok" | "unavailable";
  database: "ok" | "unreachable";
  /** Version of the newest migration applied; null when it is not known. One older than the functions need is no health. */
  migrations: string | null;
  /** Version of the functions. */
  version: string;
}

/** Tells whether the service can do its work. Open to everybody; it gives out versions and nothing else. */
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
