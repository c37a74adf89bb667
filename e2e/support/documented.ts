/** Holds every response that a test gets against the OpenAPI document. */
import { Ajv2020 } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";
import assert from "node:assert/strict";
import { openApiDocument } from "../../dev/scripts/openapi.ts";

/** A response with its body already read. */
export interface ApiResponse {
  status: number;
  headers: Headers;
  /**
   * As JSON.parse gives it, because tests compare bodies as a caller sees them. A text where it is no JSON, null
   * without one.
   */
  body: ReturnType<typeof JSON.parse>;
}

const document = JSON.parse(JSON.stringify(openApiDocument({ strict: true })));
const ajv = ajvFormats.default(new Ajv2020({ strict: false })).addSchema(document, "openapi");
const REMEDY = "the Endpoint beside each handler says what it responds; npm run openapi writes openapi.json";

/** The routes that the desk alone calls; the document is for callers. */
export const OF_THE_DESK = [
  "/desk/deliveries/replay",
  "/desk/invitations",
  "/desk/mappings",
  "/desk/mappings/preview",
  "/desk/push-key",
];

/** The response to a path or a method that the document does not have. */
const ERROR = { content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } } };

/**
 * Reads a response, and asserts that it is one that the document has: its status for the path and the method, and a
 * body of that status, without any other field.
 *
 * @param path below `{base_url}`, with its query
 */
export async function readDocumented(
  method: string,
  path: string,
  received: Response,
): Promise<ApiResponse> {
  const { status, headers } = received;
  const text = await received.text();
  const type = headers.get("content-type")?.split(";", 1)[0] ?? "";
  const body = text === "" ? null : type === "application/json" ? JSON.parse(text) : text;
  assertDocumented(method, path, type, { status, headers, body });
  return { status, headers, body };
}

function assertDocumented(
  method: string,
  path: string,
  type: string,
  { status, headers, body }: ApiResponse,
): void {
  const what = `${method} ${path.split("?", 1)[0]} responds with ${status}`;
  assert(headers.get("x-request-id"), `${what} without x-request-id: ${JSON.stringify(body)}`);
  if (OF_THE_DESK.includes(path)) return;
  // The question of a browser before a request of another origin is no route.
  if (method === "OPTIONS" && status === 204) return;
  const response = documentedResponses(method, path)[status];
  assert(response, `${what}, which is not documented: ${REMEDY}`);
  if (method === "HEAD") return assert.equal(body, null);
  const { content } = response.$ref ? resolve(response.$ref) : response;
  assert(content[type], `${what} and the type "${type}", which is not documented: ${REMEDY}`);
  const validate = ajv.getSchema(`openapi${content[type].schema.$ref}`)!;
  const isValid = validate(body);
  const errors = JSON.stringify(validate.errors);
  assert(
    isValid,
    `${what} and a body that is not documented: ${errors} in ${JSON.stringify(body)}: ${REMEDY}`,
  );
}

function documentedResponses(method: string, path: string) {
  const asked = path.split("?", 1)[0]!.replace(/\/$/, "");
  const route = Object.keys(document.paths)
    .find((route) => new RegExp(`^${route.replace(/\{\w+\}/g, "[^/]+")}$`).test(asked));
  if (route === undefined) return { 404: ERROR };
  const name = method === "HEAD" ? "get" : method.toLowerCase();
  return document.paths[route][name]?.responses ?? { 405: ERROR };
}

/** The part of the document that a reference such as `#/components/responses/BAD_REQUEST` names. */
function resolve(ref: string) {
  return ref.slice(2).split("/").reduce((value, key) => value[key], document);
}
