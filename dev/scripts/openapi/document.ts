import * as z from "zod";
import { type ErrorCode, STATUS_OF_CODE } from "../../../supabase/functions/_shared/errors.ts";
import { uuid } from "../../../supabase/functions/_shared/validate.ts";
import * as api from "./api.ts";
import { ERROR_RESPONSES, errorSchema } from "./errors.ts";
import * as health from "./health.ts";
import * as ingest from "./ingest.ts";
import * as openapi from "./openapi.ts";
import type { Examples, NamedSchemas, Operation } from "./operation.ts";
import { SECURITY_SCHEMES } from "./security.ts";
import * as sms from "./sms.ts";
import * as texting from "./texting.ts";
import * as webhooks from "./webhooks.ts";

const DESCRIPTION = [
  "Recruiting leads, sales leads, presentation activity, and texts of insurance agencies.",
  "A method that a path does not take gets 405 with `Allow`, an unknown path gets 404.",
  "Unknown fields in a request are accepted.",
  "Responses may gain fields: a client must ignore fields that it does not know.",
].join(" ");

const ROUTES = [ingest, api, sms, webhooks, texting, health, openapi];

/** What a request with an Idempotency-Key may get besides. */
const IDEMPOTENCY_ERRORS: ErrorCode[] = ["CONFLICT", "IDEMPOTENCY_KEY_REUSED"];

/** The routes in the order of SPEC.md, and then those that it does not have. */
export const OPERATIONS: Operation[] = ROUTES.flatMap(({ operations }) => operations);

/**
 * The OpenAPI 3.1 document of all routes.
 *
 * @param strict responses may have no other fields. The tests check responses against the strict document.
 */
export function openApiDocument({ strict = false } = {}) {
  const requests = register(ROUTES.map(({ requestSchemas }) => requestSchemas));
  const responses = register([
    ...ROUTES.map(({ responseSchemas }) => responseSchemas),
    { Error: errorSchema },
  ]);
  const codes = new Set([...OPERATIONS.flatMap(({ errors }) => errors), ...IDEMPOTENCY_ERRORS]);
  return {
    openapi: "3.1.0",
    info: { title: "Lead intake", version: "1.0.0", description: DESCRIPTION },
    servers: [
      {
        url: "https://{project}.supabase.co/functions/v1",
        description: "A hosted project",
        variables: { project: { default: "your-project-ref" } },
      },
      { url: "http://127.0.0.1:54321/functions/v1", description: "The local stack" },
    ],
    paths: Object.fromEntries(
      Map.groupBy(OPERATIONS, ({ path }) => path).entries().map(([path, operations]) => [
        path,
        Object.fromEntries(
          operations.map((operation) => [
            operation.method,
            describe(operation, requests, responses),
          ]),
        ),
      ]),
    ),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters: {
        IdempotencyKey: {
          name: "Idempotency-Key",
          in: "header",
          description: "Makes the request safe to send again for 24 hours: the same key with the " +
            "same body gets the first response again and changes nothing. A new random UUID for " +
            "each new request is a good key.",
          schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$" },
        },
      },
      headers: {
        RequestId: {
          description:
            "The caller's x-request-id if it has 1 to 128 of A-Z a-z 0-9 . _ -, else a new one.",
          schema: { type: "string" },
        },
      },
      responses: Object.fromEntries(Array.from(codes, (code) => [code, errorResponse(code)])),
      schemas: { ...toSchemas(requests, "input"), ...toSchemas(responses, "output", strict) },
    },
  };
}

function describe(operation: Operation, requests: Registry, responses: Registry) {
  const { body, parameters = {}, query = {}, isIdempotent = false } = operation;
  const errors = [...operation.errors, ...(isIdempotent ? IDEMPOTENCY_ERRORS : [])];
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: operation.description,
    security: operation.security.map((name) => ({ [name]: [] })),
    parameters: [
      ...Object.entries(parameters).map(([name, description]) => ({
        name,
        in: "path",
        required: true,
        description,
        schema: { type: "string" },
      })),
      ...Object.entries(query).map(([name, { description, schema }]) => ({
        name,
        in: "query",
        description,
        schema: toInlineSchema(schema),
      })),
      ...(isIdempotent ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
    ],
    requestBody: body && {
      required: true,
      content: Object.fromEntries(
        body.types.map((type) => [type, {
          schema: refer(requests, body.schema),
          examples: body.examples,
        }]),
      ),
    },
    responses: {
      ...Object.fromEntries(
        Object.entries(operation.responses).map((
          [status, { description, schema, examples, text }],
        ) => [
          status,
          response(description, {
            "application/json": { schema: refer(responses, schema), examples },
            ...(text && {
              "text/plain": { schema: refer(responses, text.schema), examples: text.examples },
            }),
          }),
        ]),
      ),
      ...Object.fromEntries(
        errors.map((code) => [
          STATUS_OF_CODE[code],
          { $ref: `#/components/responses/${code}` },
        ]),
      ),
    },
  };
}

type Registry = z.core.$ZodRegistry<{ id: string }>;

function register(schemas: NamedSchemas[]): Registry {
  const registry: Registry = z.registry<{ id: string }>();
  for (const [id, schema] of schemas.flatMap(Object.entries)) registry.add(schema, { id });
  return registry;
}

function uriOf(id: string): string {
  return `#/components/schemas/${id}`;
}

function refer(registry: Registry, schema: z.ZodType) {
  const named = registry.get(schema);
  if (named === undefined) throw new Error("a schema of an operation has no name");
  return { $ref: uriOf(named.id) };
}

function toSchemas(registry: Registry, io: "input" | "output", strict = true) {
  const { schemas } = z.toJSONSchema(registry, {
    io,
    uri: uriOf,
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      if (!strict && jsonSchema.additionalProperties === false) {
        delete jsonSchema.additionalProperties;
      }
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (zodSchema === uuid) {
        delete jsonSchema.pattern;
        jsonSchema.format = "uuid";
      }
    },
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema]),
  );
}

function toInlineSchema(schema: z.ZodType) {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return rest;
}

function response(
  description: string,
  content: Record<string, { schema: object; examples: Examples }>,
  headers = {},
) {
  return {
    description,
    headers: { "x-request-id": { $ref: "#/components/headers/RequestId" }, ...headers },
    content,
  };
}

function errorResponse(code: ErrorCode) {
  const { description, message, details, headers } = ERROR_RESPONSES[code];
  const value = { error: { code, message, details }, request_id: "req-1" };
  const examples = { [code]: { summary: description, value } };
  const schema = { $ref: uriOf("Error") };
  return response(description, { "application/json": { schema, examples } }, headers);
}
