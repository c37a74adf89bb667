import { type Context, Hono } from "hono";
import { drain } from "./body.ts";
import { ApiError, internalError } from "./errors.ts";
import { describeError, logError, type LogFields, logInfo } from "./log.ts";

/** What every route finds in its context: `c.get("requestId")`, `c.get("log")`. */
export interface Env {
  Variables: {
    /** The caller's `x-request-id` where it is usable, else a new one. */
    requestId: string;
    /** The path of the matched route; an unknown path is the caller's own text and is not logged. */
    route?: string;
    /** Fields a route adds to the request's log line: `vendor_id` and counts. */
    log: LogFields;
  };
}

export type App = Hono<Env>;
export type AppContext = Context<Env>;

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * A function's app: whatever happens in a route, the caller gets an answer of the error table and `x-request-id`, and
 * the log gets one line.
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
    await next();
    await drain(c.req.raw);
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
  app.notFound((c) => answer(new ApiError("NOT_FOUND", "there is no such path"), c));
  app.onError(answer);
  return app.basePath(basePath);
}

/** Adds a route; any other method on its path is METHOD_NOT_ALLOWED. */
export function addRoute(
  app: App,
  path: string,
  handle: (c: AppContext) => Promise<Response>,
  method: "POST" | "GET" = "POST",
): void {
  app.all(path, (c) => {
    c.set("route", c.req.path);
    if (c.req.method !== method) {
      throw new ApiError("METHOD_NOT_ALLOWED", `this path takes ${method}`, {
        headers: { Allow: method },
      });
    }
    return handle(c);
  });
}

function answer(error: Error, c: AppContext): Response {
  const known = error instanceof ApiError ? error : internalError(error);
  if (known.code === "INTERNAL_ERROR") {
    logError({ request_id: c.get("requestId"), ...describeError(known.cause) });
  }
  return known.toResponse(c.get("requestId"));
}
