import { type Context, Hono } from "hono";
import { cors } from "hono/cors";
import { routePath } from "hono/route";
import type { Description } from "./description.ts";
import { ApiError, internalError } from "./errors.ts";
import { IncomingBody } from "./body/read.ts";
import { describeError, logError, type LogFields, logInfo, traceIds } from "./log.ts";
import { RejectedDeliveries } from "./rejected_deliveries.ts";

/** A request while its route handles it. */
export interface RequestContext {
  readonly request: Request;
  /** The caller's `x-request-id` if it is valid, otherwise a new id. */
  readonly requestId: string;
  readonly body: IncomingBody;
  /** Fields that a route adds to the request's log line: `vendor_id` and counts. */
  readonly log: LogFields;
  /** The rejected parts of the request. They are stored once the sender is known. */
  readonly rejected: RejectedDeliveries;
}

/** Responds to a request, or throws an ApiError. The parameters come from the route's path. */
export type Handler = (
  context: RequestContext,
  parameters: Record<string, string>,
) => Promise<Response>;

/** A handler that the OpenAPI document describes. */
export interface Endpoint extends Description {
  handler: Handler;
}

/**
 * The methods that a path supports. A path that supports GET also supports HEAD; any other method is
 * METHOD_NOT_ALLOWED.
 */
export interface Route {
  POST?: Endpoint | Handler;
  GET?: Endpoint | Handler;
  /** Set if browsers from other origins may call the path. */
  cors?: Parameters<typeof cors>[0];
}

/** The routes of a function by their paths below its base path, e.g. `/webhooks/:slug`. */
export type Routes = Record<string, Route>;

interface Env {
  Variables: { context: RequestContext; error?: ApiError };
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** The `traceparent` header of a caller that traces its requests: https://www.w3.org/TR/trace-context/ */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?=$|-)/;

/**
 * Creates the app of an edge function. Every response has `x-request-id`, every error has the shape defined in
 * errors.ts, and every request writes one log line.
 *
 * @param headers added to every response, errors included
 * @example
 * export const routes = { "/ingest": { POST: ingestEndpoint } };
 * export default { fetch: createApp("/recruiting", routes).fetch };
 */
export function createApp(basePath: string, routes: Routes, headers: Record<string, string> = {}): Hono<Env> {
  const app = new Hono<Env>({ strict: false });
  app.use(async (c, next) => {
    const started = performance.now();
    // An unknown path may contain anything, so it is not logged. Only this middleware matches it.
    const path = routePath(c, -1);
    const route = path === "/*" ? null : path;
    const context = contextOf(c.req.raw, route ?? "");
    const { request, requestId, body, rejected, log } = context;
    c.set("context", context);
    const [, traceId] = TRACEPARENT.exec(request.headers.get("traceparent") ?? "") ?? [];
    if (traceId !== undefined) traceIds.set(requestId, traceId);
    try {
      await next();
      await body.finish(rejected.areKept);
      await rejected.write(c.get("error"), body.received);
      for (const [name, value] of Object.entries({ ...headers, "x-request-id": requestId })) {
        c.res.headers.set(name, value);
      }
      logInfo({
        request_id: requestId,
        method: request.method,
        route,
        status: c.res.status,
        duration_ms: Math.round((performance.now() - started) * 10) / 10,
        ...log,
      });
    } finally {
      body.release();
      traceIds.delete(requestId);
    }
  });
  for (const [path, { cors: corsOptions, ...handlers }] of Object.entries(routes)) {
    if (corsOptions !== undefined) app.use(basePath + path, cors(corsOptions));
    app.all(basePath + path, (c) => handlerFor(c, handlers)(c.get("context"), c.req.param()));
  }
  app.notFound((c) => errorResponse(new ApiError("NOT_FOUND", "there is no such path"), c));
  app.onError(errorResponse);
  return app;
}

function contextOf(request: Request, route: string): RequestContext {
  const given = request.headers.get("x-request-id") ?? "";
  const requestId = REQUEST_ID.test(given) ? given : crypto.randomUUID();
  const rejected = new RejectedDeliveries({ request_id: requestId, route });
  return { request, requestId, body: new IncomingBody(request), log: {}, rejected };
}

function handlerFor(c: Context<Env>, { GET, POST }: Route): Handler {
  const { method } = c.req;
  const found = method === "POST" ? POST : method === "GET" || method === "HEAD" ? GET : undefined;
  if (found !== undefined) return typeof found === "function" ? found : found.handler;
  const methods = [...(POST ? ["POST"] : []), ...(GET ? ["GET", "HEAD"] : [])];
  throw new ApiError("METHOD_NOT_ALLOWED", `this path takes ${methods.join(" or ")}`, {
    headers: { Allow: methods.join(", ") },
  });
}

function errorResponse(error: Error, c: Context<Env>): Response {
  const apiError = error instanceof ApiError ? error : internalError(error);
  const { log, requestId } = c.get("context");
  c.set("error", apiError);
  // Messages are constant texts that contain field names, never values.
  Object.assign(log, { code: apiError.code, reason: apiError.message });
  if (apiError.code === "INTERNAL_ERROR") {
    logError({ request_id: requestId, ...describeError(apiError.cause) });
  }
  return apiError.toResponse(requestId);
}

/**
 * Returns whether a request has `?dry_run=true`. A dry run and a malformed `dry_run` are not stored as rejected
 * deliveries, because a replay would store the lead. Only the exact name and values are accepted, so that a misspelled
 * dry run does not store anything.
 *
 * @throws ApiError BAD_REQUEST if `dry_run` is misspelled, repeated, or neither `true` nor `false`.
 */
export function isDryRun({ request, rejected }: Pick<RequestContext, "request" | "rejected">): boolean {
  if (!request.url.includes("?")) return false;
  const values: string[] = [];
  let problem: string | undefined;
  for (const [name, value] of new URL(request.url).searchParams) {
    if (name === "dry_run") values.push(value);
    else if (name.replace(/[-_]/g, "").toLowerCase() === "dryrun") problem = "write the parameter as dry_run";
  }
  if (values.length > 1) problem ??= "dry_run must be given once";
  const [value = "false"] = values;
  if (value !== "true" && value !== "false") problem ??= "dry_run must be true or false";
  if (problem === undefined && value === "false") return false;

  rejected.keepFrom(null);
  if (problem !== undefined) throw new ApiError("BAD_REQUEST", problem);
  return true;
}

/**
 * Rejects a dry run on a route that does not support one.
 *
 * @throws ApiError BAD_REQUEST if `?dry_run=true` is present, and whenever isDryRun() throws.
 */
export function refuseDryRun(context: Pick<RequestContext, "request" | "rejected">): void {
  if (isDryRun(context)) throw new ApiError("BAD_REQUEST", "dry_run: this path has no dry run");
}
