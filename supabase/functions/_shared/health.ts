import * as z from "zod";
import { GET_ERRORS } from "./description.ts";
import type { Endpoint, RequestContext } from "./app.ts";
import { callDatabase } from "./database.ts";
import { describeError, logError } from "./log.ts";
import { NEWEST_MIGRATION, VERSION } from "./version.ts";

/** The response must be sent within 10 s, even if the database does not respond. */
const TIMEOUT_MS = 6_000;

/** The body of `GET /health` of each function. */
const healthResponse = z.strictObject({
  status: z.enum(["ok", "unavailable"]),
  database: z.enum(["ok", "unreachable"]),
  migrations: z.string().nullable().describe("Version of the newest migration, where it is known."),
  version: z.string().describe("Version of the functions."),
}).meta({ id: "Health" });

export type Health = z.infer<typeof healthResponse>;

const HEALTHY: Health = {
  status: "ok",
  database: "ok",
  migrations: "20261121000000",
  version: "1.0.0",
};
const UNREACHABLE: Health = {
  ...HEALTHY,
  status: "unavailable",
  database: "unreachable",
  migrations: null,
};

/** `GET /health` of a function. */
export function healthEndpoint(name: string): Endpoint {
  return {
    handler: health,
    id: `${name}Health`,
    tag: "Monitoring",
    summary: "Tell whether the service can do its work",
    description: "Anybody may ask. The response comes within 10 s, also where the database does not respond.",
    security: [],
    responses: {
      200: {
        description: "The database responds and has the migrations that the functions need",
        schema: healthResponse,
        examples: { ok: ["All is well", HEALTHY] },
      },
      503: {
        description: "The database does not respond, or lacks a migration",
        schema: healthResponse,
        examples: { unreachable: ["No database", UNREACHABLE] },
      },
    },
    errors: GET_ERRORS,
  };
}

/** A migration that is too old is `unavailable`. The route is public, so the response contains only versions. */
async function health({ requestId }: RequestContext): Promise<Response> {
  const body = await check(requestId);
  const headers = { "Cache-Control": "no-store" };
  return Response.json(body, { status: body.status === "ok" ? 200 : 503, headers });
}

async function check(requestId: string): Promise<Health> {
  const version = VERSION;
  try {
    const { migrations }: { migrations: string | null } = await callDatabase(
      "service_health",
      {},
      { timeout: TIMEOUT_MS },
    );
    const isBehind = migrations !== null && migrations < NEWEST_MIGRATION;
    return { status: isBehind ? "unavailable" : "ok", database: "ok", migrations, version };
  } catch (error) {
    const cause = error instanceof Error ? error.cause ?? error : error;
    logError({ request_id: requestId, event: "health", ...describeError(cause) });
    return { status: "unavailable", database: "unreachable", migrations: null, version };
  }
}
