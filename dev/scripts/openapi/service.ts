/** The routes that are not in SPEC.md: the texting worker's, and those that each function has. */
import * as z from "zod";
import { type Health, healthResponse } from "../../../supabase/functions/_shared/health.ts";
import { workResult } from "../../../supabase/functions/texting/worker.ts";
import type { Operation } from "./operation.ts";

const FUNCTIONS = ["recruiting", "api", "texting", "operator"];

const NO_TEXTS: z.infer<typeof workResult> = {
  accepted: 0,
  unconfirmed: 0,
  pending: 0,
  refused: 0,
  failed: 0,
  errors: 0,
};
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

const openApi = z.looseObject({ openapi: z.string(), paths: z.looseObject({}) })
  .meta({ id: "OpenApi", description: "An OpenAPI document." });

const worker: Operation = {
  method: "post",
  path: "/texting/work",
  id: "sendDueTexts",
  summary: "Scheduler: send the texts that are due",
  description: "Several calls at the same time do no harm. A body is ignored.",
  security: ["workerKey"],
  responses: {
    200: {
      description: "Nothing is due any more, or 1,000 texts or 40 s have passed",
      schema: workResult,
      examples: {
        sent: ["Twilio has got two texts", { ...NO_TEXTS, accepted: 2 }],
        nothing: ["Nothing was due", NO_TEXTS],
      },
    },
  },
  errors: ["UNAUTHORIZED", "INTERNAL_ERROR"],
};

const health = FUNCTIONS.map((name): Operation => ({
  method: "get",
  path: `/${name}/health`,
  id: `${name}Health`,
  summary: "Tell whether the service can do its work",
  security: [],
  responses: {
    200: {
      description: "The database responds and has the migrations that the functions need",
      schema: healthResponse,
      examples: { ok: ["All is well", HEALTHY] },
    },
    503: {
      description: "The database does not respond, or lacks a migration. Comes within 10 s.",
      schema: healthResponse,
      examples: { unreachable: ["No database", UNREACHABLE] },
    },
  },
  errors: [],
}));

const documents = FUNCTIONS.map((name): Operation => ({
  method: "get",
  path: `/${name}/openapi.json`,
  id: `${name}OpenApi`,
  summary: "This document",
  security: [],
  responses: {
    200: {
      description: "The document of all routes",
      schema: openApi,
      examples: { beginning: ["How it begins", { openapi: "3.1.0", paths: {} }] },
    },
  },
  errors: [],
}));

export const operations = [worker, ...health, ...documents];
