/** The routes below `/operator`: who may call them, and with what. */
import assert from "node:assert/strict";
import { OPERATIONS } from "../../dev/scripts/openapi/document.ts";
import { signInNewAgent, signInNewOperator, signInNewUser, signToken } from "../support/agents.ts";
import { type ApiResponse, assertError, assertResponse, createAgency, send, sql, stack } from "../support/client.ts";
import { reject } from "../support/deliveries.ts";
import { actionsOf, get, operator, post } from "../support/operator.ts";

const ROUTES = OPERATIONS.filter(({ path, security }) => path.startsWith("/operator/") && security.length > 0);

Deno.test("without the token of a user each route is UNAUTHORIZED, before its body is looked at", async () => {
  const [head, payload] = operator.token.split(".") as [string, string];
  const tokens = [
    stack.publishable_key,
    stack.secret_key,
    stack.anon_key,
    `${head}.${payload}.AAAA`,
    await signToken({ sub: operator.id, role: "authenticated", exp: 1_700_000_000 }),
    ...[8, 20, 60].map((kib) => `${head}.${"A".repeat(kib * 1024)}.AAAA`),
  ];
  const wrong: Record<string, string>[] = [
    {},
    { apikey: stack.publishable_key },
    { apikey: operator.token },
    ...tokens.map((token) => ({ authorization: `Bearer ${token}`, apikey: stack.publishable_key })),
  ];
  assert(ROUTES.length > 8);
  for (const { method, path } of ROUTES) {
    for (const headers of wrong) {
      const response = await send(path, {
        method: method.toUpperCase(),
        headers,
        body: method === "post" ? "not JSON" : undefined,
      });
      assertError(response, 401, "UNAUTHORIZED", /token/);
      assert.match(response.headers.get("www-authenticate") ?? "", /^Bearer/);
    }
  }
});

Deno.test("agents, managers and users without a role are FORBIDDEN each route", async () => {
  const agency = await createAgency();
  const callers = [
    await signInNewUser(),
    await signInNewAgent(agency.id),
    await signInNewAgent(agency.id, "manager"),
    { token: stack.service_role_key },
  ];
  for (const { method, path } of ROUTES) {
    for (const by of callers) {
      const below = path.slice("/operator".length);
      const response = await (method === "get" ? get(below, by) : post(below, {}, by));
      assertError(response, 403, "FORBIDDEN", /^only an operator may do this$/);
    }
  }
});

Deno.test("who is an operator no longer is refused at once, with the same token", async () => {
  const former = await signInNewOperator();
  assertResponse(await get("/deliveries", former), 200);
  await sql`delete from public.operators where user_id = ${former.id}`;
  assertError(await get("/deliveries", former), 403, "FORBIDDEN", /operator/);
  await sql`insert into public.operators (user_id) values (${former.id})`;
  assertResponse(await get("/deliveries", former), 200);
  await sql`delete from auth.users where id = ${former.id}`;
  assertError(await get("/deliveries", former), 403, "FORBIDDEN", /operator/);
});

Deno.test("a value that is wrong is BAD_REQUEST and named", async () => {
  const id = crypto.randomUUID();
  const wrong: [RegExp, Promise<ApiResponse>][] = [
    ...["/deliveries", "/leads/waiting", "/texts/unmatched"].flatMap((path) =>
      [
        "",
        "x",
        `2026-01-01T00:00:00Z,x`,
        `2026-13-01T00:00:00Z,${id}`,
        `2026-02-30T00:00:00Z,${id}`,
        `0000-01-01T00:00:00Z,${id}`,
        `2026-01-01T25:00:00Z,${id}`,
        `2026-01-01T00:00:00Z,${id},id.gt.x`,
      ]
        .map((after): [RegExp, Promise<ApiResponse>] => [
          /^after must be the `next` of a page$/,
          get(`${path}?after=${encodeURIComponent(after)}`),
        ])
    ),
    [/^code must not have U\+0000; reason must not have U\+0000$/, get("/deliveries?code=%00&reason=a%00")],
    [/^timezone must not have U\+0000$/, get("/vendors/days?timezone=%00")],
    [/^vendor_id must be a UUID or import$/, get("/deliveries?vendor_id=acme")],
    [/^delivery_id is missing$/, post("/deliveries/payload", {})],
    [/^delivery_id must be a UUID$/, post("/deliveries/payload", { delivery_id: "5f0c6a3e" })],
    [/^the body must be a JSON object$/, post("/deliveries/payload", [])],
    [/^delivery_ids is missing; dry_run is missing$/, post("/deliveries/replay", {})],
    [/^delivery_ids is empty$/, post("/deliveries/replay", { delivery_ids: [], dry_run: true })],
    [
      /^delivery_ids must have at most 100$/,
      post("/deliveries/replay", { delivery_ids: Array(101).fill(id), dry_run: true }),
    ],
    [
      /^delivery_ids\.1 must be a UUID; dry_run must be true or false$/,
      post("/deliveries/replay", { delivery_ids: [id, "x"], dry_run: "yes" }),
    ],
    ...[0, 101, 1.5, "1", undefined].map((max): [RegExp, Promise<ApiResponse>] => [
      /^max (must be a whole number from 1 to 100|is missing)$/,
      post("/leads/hand-out", { max }),
    ]),
    [/^vendor_id must be a UUID$/, post("/leads/hand-out", { max: 1, vendor_id: "acme" })],
    ...["0", "91", "x", "1.5", ""].map((days): [RegExp, Promise<ApiResponse>] => [
      /^days must be a whole number from 1 to 90$/,
      get(`/vendors/days?days=${days}`),
    ]),
    [/^timezone: "Mars" is not an IANA time zone name$/, get("/vendors/days?timezone=Mars")],
  ];
  for (const [reason, response] of wrong) assertError(await response, 400, "BAD_REQUEST", reason);
  assert.deepEqual(await actionsOf(operator), [], "nothing of it is an action");
});

Deno.test("nothing is shown or done that cannot be kept", async () => {
  const careless = await signInNewOperator();
  const [delivery_id] = await reject({ payload: { first_name: "Ada" } });
  await sql.unsafe(
    `alter table public.operator_actions add constraint careless check (user_id <> '${careless.id}') not valid`,
  );
  try {
    const responses = [
      post("/deliveries/payload", { delivery_id }, careless),
      post("/deliveries/replay", { delivery_ids: [delivery_id], dry_run: true }, careless),
      post("/deliveries/replay", { delivery_ids: [delivery_id], dry_run: false }, careless),
      post("/leads/hand-out", { max: 1 }, careless),
    ];
    for (const response of responses) assertError(await response, 500, "INTERNAL_ERROR", /./);
  } finally {
    await sql`alter table public.operator_actions drop constraint careless`;
  }
  const [row] = await sql`select status from public.rejected_deliveries where id = ${delivery_id!}`;
  assert.equal(row!.status, "open");
});

Deno.test("no response is kept by a cache, nor is an error", async () => {
  const headers = { authorization: `Bearer ${operator.token}` };
  const responses: [status: number, Promise<ApiResponse>][] = [
    ...ROUTES.filter(({ method }) => method === "get").map(({ path }): [number, Promise<ApiResponse>] => [
      200,
      send(path, { method: "GET", headers }),
    ]),
    ...["/operator/health", "/operator/openapi.json"].map((path): [number, Promise<ApiResponse>] => [
      200,
      send(path, { method: "GET" }),
    ]),
    [200, send("/operator/check", { method: "HEAD", headers })],
    [400, get("/vendors/days?days=0")],
    [401, send("/operator/check", { method: "GET" })],
    [403, get("/check", { token: stack.service_role_key })],
    [404, get("/nothing")],
    [404, post("/deliveries/payload", { delivery_id: crypto.randomUUID() })],
    [405, post("/check", {})],
    [413, post("/deliveries/replay", { delivery_ids: ["x".repeat(70_000)] })],
    [204, send("/operator/check", { method: "OPTIONS", headers: { origin: "https://desk.example" } })],
  ];
  for (const [status, sent] of responses) {
    const response = await sent;
    assert.deepEqual([response.status, response.headers.get("cache-control")], [status, "no-store"]);
  }
});

Deno.test("a browser of another origin may call each route with the user's token", async () => {
  for (const { method, path } of ROUTES) {
    const asked = await send(path, {
      method: "OPTIONS",
      headers: {
        origin: "https://desk.example",
        "access-control-request-method": method.toUpperCase(),
        "access-control-request-headers": "authorization,apikey,content-type,x-client-info,x-request-id",
      },
    });
    assert.equal(asked.status, 204);
    assert.equal(asked.headers.get("access-control-allow-origin"), "*");
    for (const name of ["authorization", "apikey", "content-type", "x-client-info", "x-request-id"]) {
      assert(asked.headers.get("access-control-allow-headers")!.includes(name), name);
    }
  }
  const refused = await send("/operator/check", { method: "GET", headers: { origin: "https://desk.example" } });
  assert.equal(refused.headers.get("access-control-allow-origin"), "*", "the page can read what an error says");
});
