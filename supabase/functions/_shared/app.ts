import { type Context, Hono } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import { routePath } from "hono/route";
import { finishBody, receivedBody, releaseBody } from "./body_bytes.ts";
import { ApiError, internalError } from "./errors.ts";
import { Journal, type Sender } from "./journal.ts";
import { describeError, logError, type LogFields, logInfo } from "./log.ts";

/** What a route finds in its context: `c.get("requestId")`, `c.get("log")`. */
export interface Env {
  Variables: {
    /** The caller's `x-request-id` where it is usable, else a new one. */
    requestId: string;
    /** The route's path, e.g. `/recruiting/ingest`. Undefined for an unknown path, which may hold anything. */
    route?: string;
    /** Fields that a route adds to the request's log line: `vendor_id` and counts. */
    log: LogFields;
    /** Who has sent the request, once that is known. From then on a refusal is written to the journal. */
    sender?: Sender;
    /** Where refusals are written; see journalOf(). */
    journal?: Journal;
    /** The error that the request has ended with. */
    refusal?: ApiError;
  };
}

export type App = Hono<Env>;
export type AppContext = Context<Env>;

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Makes the app of an edge function. Whatever happens in a route, the caller gets a response with `x-request-id`, an
 * error in the shape of errors.ts, and the log gets one line.
 *
 * @example
 * const app = createApp("/recruiting");
 * addRoute(app, "/ingest", ingest);
 * export default { fetch: app.fetch };
 */
export function createApp(basePath: string): App {
  const app = new Hono<Env>({ strict: false });

  app.use(async (c, next) => {
    const started = performance.now();
    const given = c.req.header("x-request-id") ?? "";
    c.set("requestId", REQUEST_ID.test(given) ? given : crypto.randomUUID());
    c.set("log", {});
    try {
      await next();
      await finishBody(c.req.raw, c.get("sender") !== undefined);
      if (c.get("refusal") !== undefined || c.get("journal") !== undefined) {
        await journalOf(c)?.close(c.get("refusal"), receivedBody(c.req.raw));
      }
    } finally {
      releaseBody(c.req.raw);
    }
    c.header("x-request-id", c.get("requestId"));
    logInfo({
      request_id: c.get("requestId"),
      method: c.req.method,
      route: c.get("route") ?? null,
      status: c.res.status,
      duration_ms: Math.round((performance.now() - started) * 10) / 10,
      ...c.get("log"),
    });
  });
  app.use(methodNotAllowed({
    app,
    onMethodNotAllowed: (c, methods) => {
      const error = new ApiError("METHOD_NOT_ALLOWED", `this path takes ${methods.join(" or ")}`, {
        headers: { Allow: methods.join(", ") },
      });
      return errorResponse(error, c);
    },
  }));
  app.notFound((c) => errorResponse(new ApiError("NOT_FOUND", "there is no such path"), c));
  app.onError(errorResponse);
  return app.basePath(basePath);
}

/** Adds a route. GET takes HEAD as well; any other method on its path is METHOD_NOT_ALLOWED. */
export function addRoute(
  app: App,
  path: string,
  handle: (c: AppContext) => Promise<Response>,
  method: "POST" | "GET" = "POST",
): void {
  app.use(path, async (c, next) => {
    c.set("route", routePath(c));
    await next();
  });
  app.on(method, path, handle);
}

/** The journal of a request's refusals; undefined where nothing is written: the sender is unknown, or it is a dry run. */
export function journalOf(c: AppContext): Journal | undefined {
  const sender = c.get("sender");
  if (sender === undefined) return undefined;
  const request = { request_id: c.get("requestId"), route: c.get("route") ?? "" };
  const journal = c.get("journal") ?? new Journal(sender, request);
  c.set("journal", journal);
  return journal;
}

function errorResponse(error: Error, c: AppContext): Response {
  const apiError = error instanceof ApiError ? error : internalError(error);
  c.set("refusal", apiError);
  // The messages are constant texts with names of fields, never with values.
  Object.assign(c.get("log"), { code: apiError.code, reason: apiError.message });
  if (apiError.code === "INTERNAL_ERROR") {
    logError({ request_id: c.get("requestId"), ...describeError(apiError.cause) });
  }
  return apiError.toResponse(c.get("requestId"));
}
