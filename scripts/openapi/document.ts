import * as z from "zod";
import { type ErrorCode, STATUS_OF_CODE } from "../../supabase/functions/_shared/errors.ts";

/** One route, as the OpenAPI document describes it. The schemas are those that validate, where anything does. */
export interface Operation {
  /** Below `{base_url}`, e.g. `/recruiting/ingest`. */
  path: string;
  id: string;
  summary: string;
  description?: string;
  /** Names of {@link SECURITY_SCHEMES}; any one of them will do. */
  security: (keyof typeof SECURITY_SCHEMES)[];
  query?: Record<string, { description: string; schema: z.ZodType }>;
  body: { type: "application/json" | "application/x-www-form-urlencoded"; schema: z.ZodType };
  /** Successful answers by HTTP status. */
  answers: Record<number, { description: string; schema: z.ZodType }>;
  errors: ErrorCode[];
}

export const SECURITY_SCHEMES = {
  vendorKey: {
    type: "http",
    scheme: "bearer",
    description: "A vendor's API key; it also selects the parser of the body.",
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
    description: "The same, for sendBeacon, which cannot set headers.",
  },
  userToken: { type: "http", scheme: "bearer", description: "A signed-in user's JWT." },
  twilioSignature: {
    type: "apiKey",
    in: "header",
    name: "X-Twilio-Signature",
    description: "Twilio's signature over the public URL and every parameter.",
  },
} as const;

const errorSchema = z.strictObject({
  error: z.strictObject({
    code: z.enum(Object.keys(STATUS_OF_CODE) as [ErrorCode, ...ErrorCode[]]),
    message: z.string(),
    details: z.array(z.strictObject({ field: z.string(), message: z.string() })).optional(),
  }),
  request_id: z.string(),
});

/** The OpenAPI 3.1 document of the given routes. */
export function openApiDocument(operations: Operation[]) {
  return {
    openapi: "3.1.0",
    info: {
      title: "Lead intake",
      version: "1.0.0",
      description: "Recruiting leads, sales leads, presentation activity and SMS webhooks.",
    },
    servers: [
      {
        url: "https://{project}.supabase.co/functions/v1",
        description: "A hosted project",
        variables: { project: { default: "your-project-ref" } },
      },
      { url: "http://127.0.0.1:54321/functions/v1", description: "The local stack" },
    ],
    paths: Object.fromEntries(operations.map((operation) => [operation.path, {
      post: describe(operation),
    }])),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      headers: {
        RequestId: {
          description:
            "The caller's x-request-id if it is 1 to 128 of A-Z a-z 0-9 . _ -, else a new one.",
          schema: { type: "string" },
        },
      },
      schemas: { Error: toSchema(errorSchema, "output") },
    },
  };
}

function describe({ id, summary, description, security, query, body, answers, errors }: Operation) {
  return {
    operationId: id,
    summary,
    description,
    security: security.map((name) => ({ [name]: [] })),
    parameters: Object.entries(query ?? {}).map(([name, { description, schema }]) => ({
      name,
      in: "query",
      description,
      schema: toSchema(schema, "input"),
    })),
    requestBody: {
      required: true,
      content: { [body.type]: { schema: toSchema(body.schema, "input") } },
    },
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, { description, schema }]) => [
          status,
          response(description, toSchema(schema, "output")),
        ]),
      ),
      ...Object.fromEntries(errors.map((code) => [
        STATUS_OF_CODE[code],
        response(code, { $ref: "#/components/schemas/Error" }),
      ])),
    },
  };
}

function response(description: string, schema: object) {
  return {
    description,
    headers: { "x-request-id": { $ref: "#/components/headers/RequestId" } },
    content: { "application/json": { schema } },
  };
}

function toSchema(schema: z.ZodType, io: "input" | "output") {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}
