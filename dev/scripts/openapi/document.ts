import * as z from "zod";
import { type ErrorCode, STATUS_OF_CODE } from "../../../supabase/functions/_shared/errors.ts";
import { uuid } from "../../../supabase/functions/_shared/validate.ts";
import { VERSION } from "../../../supabase/functions/_shared/version.ts";
import { importOperation } from "../../../supabase/functions/api/import_leads.ts";
import { activityOperation } from "../../../supabase/functions/api/log_presentation_activity.ts";
import { bulkOperation } from "../../../supabase/functions/recruiting/ingest/bulk.ts";
import { ingestOperation } from "../../../supabase/functions/recruiting/ingest/ingest.ts";
import { metricsOperation } from "../../../supabase/functions/recruiting/metrics/metrics.ts";
import { inboundOperation } from "../../../supabase/functions/recruiting/sms/inbound.ts";
import { statusOperation } from "../../../supabase/functions/recruiting/sms/status.ts";
import { challengeOperation, webhookOperation } from "../../../supabase/functions/recruiting/webhooks/webhook.ts";
import { fetchOperation } from "../../../supabase/functions/recruiting/fetches/work.ts";
import { workOperation } from "../../../supabase/functions/texting/work.ts";
import { healthOperation } from "../../../supabase/functions/_shared/health.ts";
import { openApiOperation } from "../../../supabase/functions/_shared/openapi_route.ts";
import type { Examples, Operation } from "../../../supabase/functions/_shared/operation.ts";
import { ERROR_RESPONSES, errorSchema } from "./errors.ts";
import { SECURITY_SCHEMES } from "./security.ts";

const DESCRIPTION = [
  "Recruiting leads, sales leads, presentation activity, and texts of insurance agencies.",
  "A method that a path does not take gets 405 with `Allow`, an unknown path gets 404.",
  "Unknown fields in a request are accepted.",
  "Responses may gain fields: a client must ignore fields that it does not know.",
].join(" ");

/** The further errors of a request with an Idempotency-Key. */
const IDEMPOTENCY_ERRORS: ErrorCode[] = ["CONFLICT", "IDEMPOTENCY_KEY_REUSED"];

const FUNCTIONS = ["recruiting", "api", "texting", "operator"];

/** The routes in the order of docs/specification.md, and then those that it does not have. */
export const OPERATIONS: Operation[] = [
  ingestOperation,
  bulkOperation,
  importOperation,
  activityOperation,
  inboundOperation,
  statusOperation,
  webhookOperation,
  challengeOperation,
  fetchOperation,
  workOperation,
  metricsOperation,
  ...FUNCTIONS.map(healthOperation),
  ...FUNCTIONS.map(openApiOperation),
];

/**
 * The OpenAPI 3.1 document of all routes, as each is described in its file.
 *
 * @param strict responses may have no other fields. The tests check responses against the strict document.
 */
export function openApiDocument({ strict = false } = {}) {
  const codes = new Set([...OPERATIONS.flatMap(({ errors }) => errors), ...IDEMPOTENCY_ERRORS]);
  return {
    openapi: "3.1.0",
    info: { title: "Lead intake", version: VERSION, description: DESCRIPTION },
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
          operations.map((operation) => [operation.method, describe(operation)]),
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
          description: "The caller's x-request-id if it has 1 to 128 of A-Z a-z 0-9 . _ -, else a new one.",
          schema: { type: "string" },
        },
      },
      responses: Object.fromEntries(Array.from(codes, (code) => [code, errorResponse(code)])),
      schemas: namedSchemas(strict),
    },
  };
}

function describe(operation: Operation) {
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
        body.types.map((type) => [type, content(body)]),
      ),
    },
    responses: {
      ...Object.fromEntries(
        Object.entries(operation.responses).map(([status, { description, text, schema, examples }]) => [
          status,
          response(description, {
            ...(schema && { "application/json": content({ schema, examples: examples ?? {} }) }),
            ...(text && { "text/plain": content(text) }),
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

function content({ schema, examples }: { schema: z.ZodType; examples: Examples }) {
  return {
    schema: { $ref: uriOf(nameOf(schema)) },
    examples: Object.fromEntries(
      Object.entries(examples).map(([name, [summary, value]]) => [name, { summary, value }]),
    ),
  };
}

function uriOf(name: string): string {
  return `#/components/schemas/${name}`;
}

function nameOf(schema: z.ZodType): string {
  const name = z.globalRegistry.get(schema)?.id;
  if (name === undefined) {
    const fields = schema instanceof z.ZodObject ? Object.keys(schema.shape).join(", ") : schema.type;
    throw new Error(`a schema of an operation has no name, give it one by .meta({ id }): ${fields}`);
  }
  return name;
}

/** The schemas that have a name. A request's are as they are sent, the others as they are responded with. */
function namedSchemas(strict: boolean) {
  const sent = toSchemas("input");
  const received = toSchemas("output", strict);
  const requests = OPERATIONS.flatMap(({ body }) => body === undefined ? [] : refersTo(body.schema));
  return Object.fromEntries(
    Object.keys(received).sort().map((name) => [name, (requests.includes(name) ? sent : received)[name]]),
  );

  function refersTo(schema: z.ZodType): string[] {
    const text = JSON.stringify(sent[nameOf(schema)]);
    const inside = text.matchAll(/#\/components\/schemas\/(\w+)/g).map(([, name]) => name!);
    return [nameOf(schema), ...inside];
  }
}

function toSchemas(io: "input" | "output", strict = true) {
  const { schemas } = z.toJSONSchema(z.globalRegistry, {
    io,
    uri: uriOf,
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      delete jsonSchema.id;
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
  content: Record<string, { schema: object; examples: object }>,
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
  const examples: Examples = { [code]: [description, value] };
  const json = content({ schema: errorSchema, examples });
  return response(description, { "application/json": json }, headers);
}
