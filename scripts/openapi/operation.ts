import type * as z from "zod";
import type { ErrorCode } from "../../supabase/functions/_shared/errors.ts";
import type { SecurityScheme } from "./security.ts";

/** One route, as the OpenAPI document describes it. */
export interface Operation {
  method: "get" | "post";
  /** Below `{base_url}`, e.g. `/recruiting/ingest`. */
  path: string;
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
    types: ("application/json" | "text/plain" | "application/x-www-form-urlencoded")[];
    schema: z.ZodType;
    examples: Examples;
  };
  /** Successful responses by HTTP status. */
  responses: Record<number, { description: string; schema: z.ZodType; examples: Examples }>;
  errors: ErrorCode[];
}

/** Values that fit a schema, by name. */
export type Examples = Record<string, { summary: string; value: object }>;

/** Schemas by the name that they have in the document. Other schemas refer to them by this name. */
export type NamedSchemas = Record<string, z.ZodType>;
