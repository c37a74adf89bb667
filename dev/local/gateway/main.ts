/**
 * The one port of the stack, in place of the hosted gateway. The functions run in this process, which saves them a hop.
 * Started by the launcher, which tells it where the services are in LOCAL_GATEWAY.
 */
import { Hono } from "hono";
import { cors } from "hono/cors";
import { serveStatic } from "hono/deno";
import { proxy } from "hono/proxy";
import { boundedBody } from "./bounded_body.ts";
import { callFunction, failure, loadFunctions } from "./functions.ts";
import { logOnceATurn } from "./log.ts";
import { authorizationFor, type ProjectKeys } from "./project_keys.ts";
import type { RealtimeConfig, RealtimeEndpoint } from "./realtime/endpoint.ts";
import { safePath } from "./safe_path.ts";

interface Service {
  /** For messages. */
  name: string;
  /** Path on the gateway. */
  prefix: string;
  /** The address in the prefix's place. */
  base: string;
}

/** Path of the functions on the gateway. */
const FUNCTIONS = "/functions/v1/";

/** The bytes of a body for PostgREST, which keeps the memory that a body took, from a caller without the secret key. */
const MOST_FROM_USERS = 1_048_576;

const REALTIME = "/realtime/v1/websocket";
/** The settings from the launcher. */
interface Config {
  port: number;
  restUrl: string;
  liteUrl: string;
  realtime: RealtimeConfig;
  /** The folder of the desk; null: it is not served. */
  desk: string | null;
}
const config: Config = JSON.parse(Deno.env.get("LOCAL_GATEWAY")!);
const env = (name: string) => Deno.env.get(name)!;
const apiUrl = env("SUPABASE_URL");
const keys: ProjectKeys = [
  [JSON.parse(env("SUPABASE_PUBLISHABLE_KEYS")).default, env("SUPABASE_ANON_KEY")],
  [JSON.parse(env("SUPABASE_SECRET_KEYS")).default, env("SUPABASE_SERVICE_ROLE_KEY")],
];
const services: Service[] = [
  { name: "PostgREST", prefix: "/rest/v1", base: config.restUrl },
  { name: "auth", prefix: "/auth/v1", base: `${config.liteUrl}/auth/v1` },
  { name: "storage", prefix: "/storage/v1", base: `${config.liteUrl}/storage/v1` },
];

// PostgREST closes idle connections after 30 s; letting go of them earlier avoids writing to one that is just closing.
const client = Deno.createHttpClient({ poolIdleTimeout: 20_000, poolMaxIdlePerHost: 64 });
const plainFetch = globalThis.fetch;

// The functions reach the services by SUPABASE_URL, which is this gateway: their requests go straight on instead.
globalThis.fetch = (input, init) => {
  const url = input instanceof Request ? null : String(input);
  const path = url?.startsWith(apiUrl) ? url.slice(apiUrl.length) : "";
  const service = services.find(({ prefix }) => isBelow(path, prefix));
  if (!service) return plainFetch(input, init);
  const headers = new Headers(init?.headers);
  const authorization = authorizationFor(headers, keys);
  if (authorization) headers.set("authorization", authorization);
  const target = service.base + path.slice(service.prefix.length);
  return plainFetch(target, { ...init, headers, client });
};

// Hosted, a promise that a function forgot to catch ends that function's worker, not the gateway.
globalThis.addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  console.error("A function left a rejected promise.", event.reason);
});

logOnceATurn();
const functions = await loadFunctions();

const app = new Hono();
app.get("/", health);
app.get("/health", health);
for (const service of services) {
  app.use(
    `${service.prefix}/*`,
    cors({
      origin: "*",
      allowMethods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
      exposeHeaders: ["*"],
      maxAge: 3600,
    }),
    async (c, next) => {
      const startedAt = performance.now();
      await next();
      console.log(JSON.stringify({
        level: "info",
        time: new Date(),
        method: c.req.method,
        route: new URL(c.req.url).pathname,
        status: c.res.status,
        duration_ms: Math.round(performance.now() - startedAt),
      }));
    },
  );
  app.all(`${service.prefix}/*`, (c) => pass(c.req.raw, service));
}
if (config.desk !== null) {
  app.get("/desk", (c) => c.redirect("/desk/"));
  app.get(
    "/desk/*",
    async (c, next) => {
      await next();
      // A page's own policy cannot say this. A static host sets the same (docs/hosting.md).
      c.header("content-security-policy", "frame-ancestors 'none'");
      c.header("x-content-type-options", "nosniff");
      const isAsset = c.res.ok && c.req.path.startsWith("/desk/assets/");
      c.header("cache-control", isAsset ? "max-age=31536000, immutable" : "no-cache");
    },
    serveStatic({
      root: config.desk,
      rewriteRequestPath: (path) => path.slice("/desk".length),
      precompressed: true,
    }),
  );
}
app.notFound(() => failure(404, "NOT_FOUND", "nothing is served here"));

Deno.serve({ port: config.port, hostname: "127.0.0.1", onListen() {} }, (request) => {
  const path = safePath(request.url);
  if (path === null) return failure(400, "BAD_REQUEST", "the path has encoded dot segments");
  if (path.split("?", 1)[0] === REALTIME) return connectToRealtime(request, path);
  if (!path.startsWith(FUNCTIONS)) return passOn(request, path);
  // A hosted function sees an internal address whose path begins with its own name. A copy of the request would cost
  // up to a fifth of a function's own work.
  Object.defineProperty(request, "url", { value: `http://internal${path.slice(FUNCTIONS.length - 1)}` });
  return callFunction(functions, path.slice(FUNCTIONS.length).split(/[/?]/, 1)[0]!, request);
});

/** Responds to a request for a service or the desk. Its copy has headers that can be changed. */
function passOn(request: Request, path: string): Response | Promise<Response> {
  try {
    return app.fetch(new Request(`http://internal${path}`, request));
  } catch {
    // A Request cannot have every method that HTTP has: TRACE is one.
    const refusal = failure(405, "METHOD_NOT_ALLOWED", "nothing here takes this method");
    refusal.headers.set("allow", "GET, POST, OPTIONS");
    return refusal;
  }
}

async function pass(request: Request, service: Service): Promise<Response> {
  const url = new URL(request.url);
  const queryKey = url.searchParams.get("apikey");
  // PostgREST would take the key for a filter on a column of that name.
  if (queryKey !== null) url.searchParams.delete("apikey");
  if (service.name === "PostgREST" && queryKey === null && !request.headers.has("apikey")) {
    return Response.json({
      message: "No API key found in request",
      hint: "No `apikey` request header or url param was found.",
    }, { status: 401 });
  }
  const authorization = authorizationFor(request.headers, keys, queryKey);
  if (authorization) request.headers.set("authorization", authorization);
  request.headers.delete("host");
  const isSecret = request.headers.get("authorization") === `Bearer ${env("SUPABASE_SERVICE_ROLE_KEY")}`;
  if (service.name === "PostgREST" && request.body !== null && !isSecret) {
    const body = await boundedBody(request, MOST_FROM_USERS);
    if (body === null) return failure(413, "PAYLOAD_TOO_LARGE", "The body is longer than 1 MiB");
    request = new Request(request, { body });
  }
  try {
    return await proxy(service.base + url.pathname.slice(service.prefix.length) + url.search, {
      raw: request,
      redirect: "manual",
      customFetch: (sent) => plainFetch(sent, { client }),
    });
  } catch (error) {
    console.error(`${service.name} cannot be reached.`, error);
    return failure(502, "BAD_GATEWAY", `${service.name} cannot be reached`);
  }
}

let realtime: Promise<RealtimeEndpoint> | undefined;

/** Loads Realtime with its first client, so that a fault of it is its own. */
async function connectToRealtime(request: Request, path: string): Promise<Response> {
  try {
    realtime ??= import("./realtime/endpoint.ts")
      .then(({ RealtimeEndpoint }) => new RealtimeEndpoint(config.realtime));
    const queryKey = new URL(path, apiUrl).searchParams.get("apikey");
    const authorization = authorizationFor(request.headers, keys, queryKey);
    return await (await realtime).connect(request, authorization?.slice("Bearer ".length) ?? null);
  } catch (error) {
    console.error("Realtime failed.", error);
    return failure(503, "INTERNAL_ERROR", "Realtime failed");
  }
}

/**
 * Whether the gateway itself works; the launcher looks after the services. With the public address as the functions
 * understand it, which Twilio's signature covers.
 */
async function health(): Promise<Response> {
  // Not loaded with the gateway, because a function that is broken must break alone.
  const publicUrl = await import("../../../supabase/functions/_shared/public_url.ts")
    .then(({ publicFunctionsUrl }) => publicFunctionsUrl(), () => null);
  return Response.json({
    status: "ok",
    functions: [...functions.keys()].sort(),
    public_functions_url: publicUrl ?? `${apiUrl}/functions/v1`,
  });
}

function isBelow(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && /^[/?]?$/.test(path.charAt(prefix.length));
}
