import type * as z from "zod";
import type { ErrorCode } from "./errors.ts";

/** The ways in which callers authenticate (SPEC 5). */
export type SecurityScheme =
  | "vendorKey"
  | "webhookProof"
  | "importKey"
  | "projectKey"
  | "projectKeyInQuery"
  | "userToken"
  | "twilioSignature"
  | "workerKey"
  | "metricsKey";

/** The errors of any JSON route, without those of its Idempotency-Key. */
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
 * One route, as the OpenAPI document describes it. It stands beside the route, which does not use it. Its schemas have
 * names, which `.meta({ id })` gives them.
 */
export interface Operation {
  method: "get" | "post";
  /** Below `{base_url}`, e.g. `/recruiting/ingest`. A part in braces is a parameter. */
  path: string;
  /** The parameters of the path: what each is. */
  parameters?: Record<string, string>;
  id: string;
  summary: string;
  description?: string;
  /** Any one of them is enough; none: the route is open to everybody. */
  security: SecurityScheme[];
  /** Whether it takes the header `Idempotency-Key`. */
  isIdempotent?: boolean;
  query?: Record<string, { description: string; schema: z.ZodType }>;
  /** The body that a `post` takes. */
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

/** A successful response: as JSON, as `text/plain`, or as either. */
export interface Success {
  description: string;
  schema?: z.ZodType;
  examples?: Examples;
  text?: { schema: z.ZodType; examples: Examples };
}

/** Values that fit a schema, by name: what each is, and the value. */
export type Examples = Record<string, [summary: string, value: object | string]>;
