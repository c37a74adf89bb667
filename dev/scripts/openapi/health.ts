import * as z from "zod";
import type { Health } from "../../../supabase/functions/_shared/health.ts";
import type { NamedSchemas, Operation } from "./operation.ts";

const health: z.ZodType<Health> = z.strictObject({
  status: z.enum(["ok", "unavailable"]),
  database: z.enum(["ok", "unreachable"]),
  migrations: z.string().nullable().describe("Version of the newest migration, where it is known."),
  version: z.string().describe("Version of the functions."),
});

const HEALTHY: Health = {
  status: "ok",
  database: "ok",
  migrations: "20261121000000",
  version: "1.0.0",
};
const UNREACHABLE: Health = {
  status: "unavailable",
  database: "unreachable",
  migrations: null,
  version: "1.0.0",
};

/** The health routes take no body. */
export const requestSchemas: NamedSchemas = {};

/** Response schemas of the routes below. */
export const responseSchemas: NamedSchemas = { Health: health };

/** The health route of each function. */
export const operations: Operation[] = [
  { path: "/recruiting/health", id: "recruitingHealth" },
  { path: "/api/health", id: "apiHealth" },
  { path: "/texting/health", id: "textingHealth" },
].map(({ path, id }) => ({
  method: "get",
  path,
  id,
  summary: "Tell whether the service can do its work",
  security: [],
  responses: {
    200: {
      description: "The database responds and has the migrations that the functions need",
      schema: health,
      examples: { ok: { summary: "All is well", value: HEALTHY } },
    },
    503: {
      description: "The database does not respond, or lacks a migration. Comes within 10 s.",
      schema: health,
      examples: { unreachable: { summary: "No database", value: UNREACHABLE } },
    },
  },
  errors: [],
}));
