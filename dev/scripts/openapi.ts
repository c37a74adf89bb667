/** `npm run openapi`: writes the OpenAPI document of all routes, from the `routes` in the functions' `index.ts`. */
import { join } from "node:path";
import * as z from "zod";
import type { Endpoint, Routes } from "../../supabase/functions/_shared/app.ts";
import { type Examples, SECURITY_SCHEMES, type Success, TAGS } from "../../supabase/functions/_shared/description.ts";
import { type ErrorCode, STATUS_OF_CODE } from "../../supabase/functions/_shared/errors.ts";
import { uuid } from "../../supabase/functions/_shared/validate.ts";
import { VERSION } from "../../supabase/functions/_shared/version.ts";
import { FUNCTION_NAMES, FUNCTIONS_FOLDER } from "./edge_functions.ts";
import { ERROR_RESPONSES, errorSchema } from "./openapi_errors.ts";

/** Where the document is kept. The functions are deployed with it and serve it. */
export const OPENAPI_FILE = join(FUNCTIONS_FOLDER, "_shared/openapi.json");

const DESCRIPTION = [
  "Recruiting leads, sales leads, presentation activity, and texts of insurance agencies.",
  "A method that a path does not take gets 405 with `Allow`, an unknown path gets 404.",
  "Unknown fields in a request are accepted.",
  "Responses may gain fields: a client must ignore fields that it does not know.",
].join(" ");

/** The further errors of a request with an Idempotency-Key. */
const IDEMPOTENCY_ERRORS: ErrorCode[] = ["CONFLICT", "IDEMPOTENCY_KEY_REUSED"];

/** A method of a path. */
export interface Operation {
  method: "get" | "post";
  /** Below `{base_url}`, e.g. `/recruiting/webhooks/{slug}`. */
  path: string;
  /** Undefined where the document leaves it out. */
  endpoint: Endpoint | undefined;
}

/** Every route of the functions. */
export const OPERATIONS: Operation[] = (await Promise.all(FUNCTION_NAMES.map(operationsOf))).flat();

async function operationsOf(name: string): Promise<Operation[]> {
  const { routes }: { routes: Routes } = await import(`../../supabase/functions/${name}/index.ts`);
  return Object.entries(routes).flatMap(([path, { POST, GET }]) =>
    Object.entries({ post: POST, get: GET }).filter(([, found]) => found !== undefined).map(([method, found]) => ({
      method: method as Operation["method"],
      path: `/${name}${path.replace(/:(\w+)/g, "{$1}")}`,
      endpoint: typeof found === "function" ? undefined : found,
    }))
  );
}

/** The routes that the document has, by their tags. */
export const DOCUMENTED = Object.keys(TAGS).flatMap((tag) =>
  OPERATIONS.flatMap(({ endpoint, ...route }) => endpoint?.tag === tag ? [{ ...route, ...endpoint }] : [])
);

/** The document as text. */
export function openApiText(): string {
  return JSON.stringify(openApiDocument(), null, 2) + "\n";
}

/**
 * The OpenAPI 3.1 document of all routes, as each is described beside its handler.
 *
 * @param strict responses may have no other fields. The tests check responses against the strict document.
 */
export function openApiDocument({ strict = false } = {}) {
  const codes = new Set([...DOCUMENTED.flatMap(({ errors }) => errors), ...IDEMPOTENCY_ERRORS]);
  return {
    openapi: "3.1.0",
    info: {
      title: "Lead intake",
      version: VERSION,
      description: DESCRIPTION,
      contact: { name: "Operators of the service" },
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
    },
    servers: [
      {
        url: "https://{project}.supabase.co/functions/v1",
        description: "A hosted project",
        variables: { project: { default: "your-project-ref" } },
      },
      { url: "http://127.0.0.1:54321/functions/v1", description: "The local stack" },
    ],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(
      Map.groupBy(DOCUMENTED, ({ path }) => path).entries().map(([path, operations]) => [
        path,
        Object.fromEntries(operations.map((operation) => [operation.method, describe(operation)])),
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

function describe(endpoint: Endpoint) {
  const { body, parameters = {}, query = {}, isIdempotent = false } = endpoint;
  const errors = [...endpoint.errors, ...(isIdempotent ? IDEMPOTENCY_ERRORS : [])];
  return {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: endpoint.description,
    security: endpoint.security.map((name) => ({ [name]: [] })),
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
      content: Object.fromEntries(body.types.map((type) => [type, content(body)])),
    },
    responses: {
      ...mapValues(endpoint.responses, success),
      ...Object.fromEntries(
        errors.map((code) => [STATUS_OF_CODE[code], { $ref: `#/components/responses/${code}` }]),
      ),
    },
  };
}

function success({ description, text, schema, examples = {} }: Success) {
  return response(description, {
    ...(schema && { "application/json": content({ schema, examples }) }),
    ...(text && { "text/plain": content(text) }),
  });
}
function content({ schema, examples }: { schema: z.ZodType; examples: Examples }) {
  return {
    schema: { $ref: uriOf(nameOf(schema)) },
    examples: mapValues(examples, ([summary, value]) => ({ summary, value })),
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
  const requests = DOCUMENTED.flatMap(({ body }) => body === undefined ? [] : refersTo(body.schema));
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
  return mapValues(schemas, ({ $schema: _, $id: __, ...schema }) => schema);
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
  return { description, headers: { "x-request-id": { $ref: "#/components/headers/RequestId" }, ...headers }, content };
}

function errorResponse(code: ErrorCode) {
  const { description, message, details, headers } = ERROR_RESPONSES[code];
  const value = { error: { code, message, details }, request_id: "req-1" };
  const examples: Examples = { [code]: [description, value] };
  const json = content({ schema: errorSchema, examples });
  return response(description, { "application/json": json }, headers);
}

function mapValues<Value, Mapped>(record: Record<string, Value>, map: (value: Value) => Mapped) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}

if (import.meta.main) {
  Deno.writeTextFileSync(OPENAPI_FILE, openApiText());
  console.log(`Wrote ${OPENAPI_FILE}`);
}
