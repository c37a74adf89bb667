import type * as z from "zod";
import type { ErrorCode } from "../../../supabase/functions/_shared/errors.ts";
import type { SecurityScheme } from "./security.ts";

/** One route, as the OpenAPI document describes it. Its schemas have names, which `.meta({ id })` gives them. */
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
  /** What a `post` takes. */
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

/** A successful response, as JSON and perhaps as `text/plain` as well. */
export interface Success {
  description: string;
  schema: z.ZodType;
  examples: Examples;
  text?: { schema: z.ZodType; examples: Examples };
}

/** Values that fit a schema, by name: what each is, and the value. */
export type Examples = Record<string, [summary: string, value: object | string]>;
