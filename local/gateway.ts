/**
 * The one port of the stack, in place of the hosted gateway. The functions run in this process, which saves them a hop.
 * Started by the launcher, which tells it where the parts are in LOCAL_GATEWAY.
 */
import { callFunction, failure, loadFunctions } from "./gateway_functions.ts";
import { authorizationFor, type ProjectKeys } from "./gateway_keys.ts";

interface Upstream {
  /** For messages. */
  name: string;
  /** Path prefix on the gateway, which the upstream may or may not see. */
  prefix: string;
  /** What takes the prefix's place. */
  base: string;
}

const config: { port: number; restUrl: string; liteUrl: string } = JSON.parse(
  Deno.env.get("LOCAL_GATEWAY")!,
);
const env = (name: string) => Deno.env.get(name)!;
const own = env("SUPABASE_URL");
const keys: ProjectKeys = [
  [JSON.parse(env("SUPABASE_PUBLISHABLE_KEYS")).default, env("SUPABASE_ANON_KEY")],
  [JSON.parse(env("SUPABASE_SECRET_KEYS")).default, env("SUPABASE_SERVICE_ROLE_KEY")],
];
const upstreams: Upstream[] = [
  { name: "PostgREST", prefix: "/rest/v1", base: config.restUrl },
  { name: "auth", prefix: "/auth/v1", base: `${config.liteUrl}/auth/v1` },
  { name: "storage", prefix: "/storage/v1", base: `${config.liteUrl}/storage/v1` },
];

// PostgREST closes idle connections after 30 s; letting go of them earlier avoids writing to one that is just closing.
const client = Deno.createHttpClient({ poolIdleTimeout: 20_000, poolMaxIdlePerHost: 64 });
const plainFetch = globalThis.fetch;

// The functions reach the parts by SUPABASE_URL, which is this gateway: their requests go straight on instead.
globalThis.fetch = (input, init) => {
  const url = input instanceof Request ? null : String(input);
  const pathAndQuery = url?.startsWith(own) ? url.slice(own.length) : "";
  const upstream = upstreams.find(({ prefix }) => isBelow(pathAndQuery, prefix));
  if (!upstream) return plainFetch(input, init);
  const headers = new Headers(init?.headers);
  const authorization = authorizationFor(headers, keys);
  if (authorization) headers.set("authorization", authorization);
  return plainFetch(upstream.base + pathAndQuery.slice(upstream.prefix.length), {
    ...init,
    headers,
    client,
  });
};

// Hosted, a promise that a function forgot to catch ends that function's worker, not the gateway.
globalThis.addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  console.error("A function left a rejected promise.", event.reason);
});

const functions = await loadFunctions();

Deno.serve({ port: config.port, hostname: "127.0.0.1", onListen() {} }, (request) => {
  const pathAndQuery = request.url.slice(request.url.indexOf("/", "http://".length));
  if (pathAndQuery.startsWith("/functions/v1/")) {
    return callFunction(functions, request, pathAndQuery.slice("/functions/v1".length));
  }
  const upstream = upstreams.find(({ prefix }) => isBelow(pathAndQuery, prefix));
  if (upstream) return pass(request, pathAndQuery, upstream);
  if (/^\/(health)?(\?|$)/.test(pathAndQuery)) return health();
  return failure(404, "NOT_FOUND", "nothing is served here");
});

async function pass(request: Request, pathAndQuery: string, upstream: Upstream): Promise<Response> {
  if (request.method === "OPTIONS" && request.headers.has("access-control-request-method")) {
    return new Response(null, { status: 204, headers: corsHeaders(request) });
  }
  const target = new URL(upstream.base + pathAndQuery.slice(upstream.prefix.length));
  const queryKey = target.searchParams.get("apikey");
  // PostgREST would take the key for a filter on a column of that name.
  if (queryKey !== null) target.searchParams.delete("apikey");
  if (upstream.name === "PostgREST" && queryKey === null && !request.headers.has("apikey")) {
    return Response.json({
      message: "No API key found in request",
      hint: "No `apikey` request header or url param was found.",
    }, { status: 401, headers: corsHeaders(request) });
  }
  let response: Response;
  try {
    response = await plainFetch(target, {
      method: request.method,
      headers: upstreamHeaders(request.headers, queryKey),
      body: request.body,
      redirect: "manual",
      client,
    });
  } catch (error) {
    console.error(`${upstream.name} cannot be reached.`, error);
    return failure(502, "BAD_GATEWAY", `${upstream.name} cannot be reached`);
  }
  const headers = new Headers(response.headers);
  headers.delete("connection");
  headers.delete("transfer-encoding");
  for (const [name, value] of Object.entries(corsHeaders(request))) headers.set(name, value);
  return new Response(response.body, { status: response.status, headers });
}

function upstreamHeaders(received: Headers, queryKey: string | null): Headers {
  const headers = new Headers(received);
  for (const name of ["host", "connection", "keep-alive", "te", "upgrade", "expect"]) {
    headers.delete(name);
  }
  // What comes back is passed on as it is; a compressed body would be unpacked on the way.
  headers.set("accept-encoding", "identity");
  const authorization = authorizationFor(received, keys, queryKey);
  if (authorization) headers.set("authorization", authorization);
  return headers;
}

function corsHeaders(request: Request): Record<string, string> {
  if (!request.headers.has("origin")) return {};
  return {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
    "access-control-allow-headers": request.headers.get("access-control-request-headers") ?? "*",
    "access-control-expose-headers": "*",
    "access-control-max-age": "3600",
  };
}

/** Whether the gateway itself works; the launcher looks after the other parts. */
function health(): Response {
  return Response.json({ status: "ok", functions: [...functions.keys()].sort() });
}

function isBelow(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && /^[/?]?$/.test(path.charAt(prefix.length));
}
