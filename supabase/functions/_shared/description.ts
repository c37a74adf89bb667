import type * as z from "zod";
import type { ErrorCode } from "./errors.ts";

/** The groups of the routes. */
export const TAGS = {
  "Recruiting leads": "Applicants for the jobs of agencies, from vendors.",
  "Sales leads": "Prospective customers, each imported for one agent.",
  "Presentations": "Events of the window in which an agent presents.",
  "Text messages": "Called by Twilio.",
  "Scheduler": "Called by the scheduler of the database.",
  "Monitoring": "The health and the figures of the service.",
  "Documentation": "This document.",
};

/** The ways in which callers authenticate (SPEC 5), in the form of the OpenAPI document. */
export const SECURITY_SCHEMES = {
  vendorKey: {
    type: "http",
    scheme: "bearer",
    description: "A vendor's API key. It also selects the parser of the body.",
  },
  webhookProof: {
    type: "apiKey",
    in: "header",
    name: "webhook-signature",
    description: "The proof that is agreed with the vendor: a signature as Standard Webhooks " +
      "(shown here), Indeed, Greenhouse, LinkedIn or Meta send it, or another header, user and " +
      "password, a parameter of the query, or `google_key` in the body.",
  },
  importKey: { type: "apiKey", in: "header", name: "x-api-key" },
  projectKey: {
    type: "apiKey",
    in: "header",
    name: "apikey",
    description: "The project's anon or publishable key.",
  },
  projectKeyInQuery: {
    type: "apiKey",
    in: "query",
    name: "apikey",
    description: "The same key, for sendBeacon, which cannot set headers.",
  },
  userToken: { type: "http", scheme: "bearer", description: "A signed-in user's JWT." },
  twilioSignature: {
    type: "apiKey",
    in: "header",
    name: "X-Twilio-Signature",
    description: "Twilio's signature over the public URL and every parameter.",
  },
  workerKey: {
    type: "http",
    scheme: "bearer",
    description: "The scheduler's key: `WORKER_KEY`.",
  },
  metricsKey: {
    type: "http",
    scheme: "bearer",
    description: "The monitor's key: `METRICS_KEY`.",
  },
};

/**
 * The errors of a path that supports only GET and is open to everybody: linters require an error for each operation.
 */
export const GET_ERRORS: ErrorCode[] = ["METHOD_NOT_ALLOWED"];

/** The errors of any JSON route, without the errors of its Idempotency-Key. */
export const JSON_ERRORS: ErrorCode[] = [
  "BAD_REQUEST",
  "UNAUTHORIZED",
  "REQUEST_TIMEOUT",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
  "TOO_MANY_REQUESTS",
  "INTERNAL_ERROR",
];

/**
 * The OpenAPI description of a route. Its method and path are in the `index.ts` of its function. The schemas are named
 * with `.meta({ id })`.
 */
export interface Description {
  /** Unique among all routes. */
  id: string;
  tag: keyof typeof TAGS;
  summary: string;
  description: string;
  /** The accepted security schemes; any one is sufficient. If empty, the route is open to everybody. */
  security: (keyof typeof SECURITY_SCHEMES)[];
  /** The descriptions of the path parameters. */
  parameters?: Record<string, string>;
  /** Whether the route accepts the `Idempotency-Key` header. */
  isIdempotent?: boolean;
  query?: Record<string, { description: string; schema: z.ZodType }>;
  /** The body of a `post`. */
  body?: {
    types: (
      | "application/json"
      | "text/plain"
      | "application/x-www-form-urlencoded"
      | "multipart/form-data"
    )[];
    schema: z.ZodType;
    examples: Examples;
  };
  /** Successful responses by HTTP status. */
  responses: Record<number, Success>;
  errors: ErrorCode[];
}

/** A successful response: JSON, `text/plain`, or either. */
export interface Success {
  description: string;
  schema?: z.ZodType;
  examples?: Examples;
  text?: { schema: z.ZodType; examples: Examples };
}

/** Example values by name, each with a summary. */
export type Examples = Record<string, [summary: string, value: object | string]>;
