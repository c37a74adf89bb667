import * as z from "zod";
import { type ErrorCode, STATUS_OF_CODE } from "../../supabase/functions/_shared/errors.ts";

const CODES = Object.keys(STATUS_OF_CODE) as [ErrorCode, ...ErrorCode[]];

/** The body of every error response. */
export const errorSchema = z.strictObject({
  error: z.strictObject({
    code: z.enum(CODES),
    message: z.string().describe("For people. It names the field that is wrong."),
    details: z.array(z.strictObject({
      field: z.string().describe("Path of the field, e.g. `leads.0.phone`; empty for the body."),
      message: z.string(),
      code: z.enum(["MAY_HAVE_BEEN_STORED"]).optional().describe(
        "With INTERNAL_ERROR: the leads may have been stored. Sent again, they may be stored twice.",
      ),
    })).optional().describe("Each wrong field of the body, or what else a program may want to know."),
  }),
  request_id: z.string().describe("The same as the header x-request-id."),
}).meta({ id: "Error" });

/** The description of an error response, besides its status and its schema. */
export interface ErrorResponse {
  description: string;
  /** The message of the example. */
  message: string;
  details?: { field: string; message: string }[];
  headers?: Record<string, { description: string; schema: object }>;
}

/** The response of each error code. */
export const ERROR_RESPONSES: Record<ErrorCode, ErrorResponse> = {
  BAD_REQUEST: {
    description: "The body is not JSON, or a field is missing or wrong.",
    message: "type must be one of presentation_started, presentation_resumed, presentation_paused",
    details: [{
      field: "type",
      message: "must be one of presentation_started, presentation_resumed, presentation_paused",
    }],
  },
  UNAUTHORIZED: {
    description: "The key or the signature is missing or wrong.",
    message: "invalid API key",
    headers: {
      "WWW-Authenticate": {
        description: "On the routes that take `Authorization: Bearer`.",
        schema: { type: "string" },
      },
    },
  },
  FORBIDDEN: { description: "The user may not do this.", message: "only an operator may do this" },
  NOT_FOUND: { description: "There is no such lead of this agent.", message: "lead_id: no such lead of this agent" },
  METHOD_NOT_ALLOWED: {
    description: "The path takes other methods.",
    message: "this path takes POST",
    headers: { Allow: { description: "The methods that the path takes.", schema: { type: "string" } } },
  },
  REQUEST_TIMEOUT: {
    description: "The body did not arrive within 30 s. Send the request again.",
    message: "the body did not arrive within 30 s",
  },
  CONFLICT: {
    description: "The first request with this Idempotency-Key, or the first delivery with this " +
      "webhook-id, is still at work. Send it again.",
    message: "the first request with this Idempotency-Key or webhook id is still at work",
  },
  IDEMPOTENCY_KEY_REUSED: {
    description: "The Idempotency-Key came before with another body.",
    message: "Idempotency-Key: the key came before with another body",
  },
  PAYLOAD_TOO_LARGE: {
    description: "The body is too large, or holds too many rows, values or keys, or too much text: " +
      "at most 4 MiB, in bulk and import 10 MiB, besides its files, which are texts of 4 KiB or more " +
      "in base64. The message names the bound.",
    message: "the body is larger than 10 MiB",
  },
  UNSUPPORTED_MEDIA_TYPE: {
    description: "The body has another type than the route takes, or a Content-Encoding. A JSON " +
      "body may be `application/json`, any `+json` type, `text/plain` or without a type. Webhooks " +
      "take forms besides.",
    message: "send the body as application/json",
  },
  TOO_MANY_REQUESTS: {
    description: "The rate limit is reached.",
    message: "more than 10 requests a minute",
    headers: {
      "Retry-After": {
        description: "Seconds to wait before the next request.",
        schema: { type: "integer", minimum: 1, maximum: 60 },
      },
    },
  },
  INTERNAL_ERROR: {
    description: "The database or storage failed. Send the request again. With `MAY_HAVE_BEEN_STORED` in the details " +
      "a lead without an id and an Idempotency-Key may then be stored twice.",
    message: "the request could not be completed; send the same request again",
  },
};
