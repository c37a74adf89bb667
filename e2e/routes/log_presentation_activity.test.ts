import assert from "node:assert/strict";
import { signInNewUser, signToken } from "../support/agents.ts";
import { assertError, assertResponse, send, sql, stack } from "../support/client.ts";
import { type Activity, createActivity, logActivity } from "../support/leads.ts";

const PATH = "/api/leads/log-presentation-activity";

async function counts({ lead_id }: Activity): Promise<number[]> {
  const [row] = await sql`select * from public.lead_metrics where lead_id = ${lead_id}`;
  return [row!.presentations_started, row!.presentations_resumed, row!.presentations_paused];
}

Deno.test("without a valid credential the request is UNAUTHORIZED, before its body is looked at", async () => {
  const [mine, user, removed] = [await createActivity(), await signInNewUser(), await signInNewUser()];
  await sql`delete from auth.users where id = ${removed.id}`;
  const [head, payload, signature] = user.token.split(".") as [string, string, string];
  const bearers = [
    stack.leads_import_api_key,
    `${head}.${payload}.${"A".repeat(signature.length)}`,
    `${head}.${payload}.`,
    `${btoa('{"alg":"none"}').replaceAll("=", "")}.${payload}.`,
    `${btoa('{"alg":"none"}').replaceAll("=", "")}.${payload}.${signature}`,
    "eyJhbGciOiJFUzI1NiIsImtpZCI6IngifQ.e30.AAAA",
    await signToken({ sub: user.id, role: "authenticated", exp: 1_700_000_000 }),
    await signToken({ role: "authenticated", exp: 4_102_444_800 }),
    removed.token,
  ];
  const wrong: Record<string, string>[] = [
    {},
    { apikey: user.token },
    { authorization: stack.anon_key },
    { authorization: `Basic ${btoa(`:${stack.anon_key}`)}` },
    ...bearers.map((token) => ({ authorization: `Bearer ${token}` })),
  ];
  for (const headers of wrong) {
    const response = await logActivity("not JSON", headers);
    assertError(response, 401, "UNAUTHORIZED", /apikey/);
    assert.match(response.headers.get("www-authenticate") ?? "", /^Bearer/);
  }
  // The token of a user who is signed in counts, and comes again, as each activity may.
  const headers = { authorization: `Bearer ${user.token}` };
  for (let n = 0; n < 2; n++) assertResponse(await logActivity(mine, headers), 200, { success: true });
  assert.deepEqual(await counts(mine), [2, 0, 0]);
});

Deno.test("SPEC 2.3: a field that is missing or wrong is named, and a lead that is not this agent's is NOT_FOUND", async () => {
  const [mine, other] = [await createActivity(), await createActivity()];
  for (
    const [field, value] of [["lead_id", "x"], ["agent_id", undefined], ["type", "presentation_submitted"]] as const
  ) {
    const response = await logActivity({ ...mine, [field]: value });
    assertError(response, 400, "BAD_REQUEST", new RegExp(`^${field} `));
    assert.deepEqual(response.body.error.details.map((d: { field: string }) => d.field), [field]);
  }
  assertError(await logActivity({ ...mine, agent_id: other.agent_id }), 404, "NOT_FOUND", /lead/);
  assert.deepEqual(await counts(mine), [0, 0, 0]);
});

Deno.test("a text or a JSON Blob that sendBeacon sends from another origin is logged, unknown fields are ignored, and ids may be in upper case", async () => {
  const mine = await createActivity();
  const upper = { ...mine, lead_id: mine.lead_id.toUpperCase(), occurred_at: "1999-01-01" };
  for (const type of ["text/plain;charset=UTF-8", "application/json"]) {
    // The browser adds the cookies of this domain; the route does not read them.
    const headers = { origin: "https://popout.example", "content-type": type, cookie: "session=1" };
    const response = await logActivity(JSON.stringify(upper), headers, `?apikey=${stack.publishable_key}`);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("access-control-allow-origin"), "https://popout.example");
  }
  assert.deepEqual(await counts(mine), [2, 0, 0]);
});

const ALLOWED_HEADERS = [
  "apikey",
  "authorization",
  "baggage",
  "content-type",
  "idempotency-key",
  "sentry-trace",
  "traceparent",
  "tracestate",
  "x-client-info",
  "x-request-id",
];

Deno.test("a page of any origin may call the route, with credentials, and read each response", async () => {
  const mine = await createActivity();
  for (const origin of ["https://popout.example", "null"]) {
    const preflight = await send(PATH, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": ALLOWED_HEADERS.join(","),
      },
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get("access-control-allow-methods"), "POST");
    const allowed = preflight.headers.get("access-control-allow-headers")!.toLowerCase();
    assert.deepEqual(allowed.split(",").sort(), ALLOWED_HEADERS);

    const responses = [
      await logActivity(mine, { origin, apikey: stack.anon_key }),
      await logActivity(mine, { origin }),
      await logActivity("{", { origin, apikey: stack.anon_key }),
      await send(PATH, { method: "GET", headers: { origin } }),
    ];
    assert.deepEqual(responses.map(({ status }) => status), [200, 401, 400, 405]);
    for (const { headers } of [preflight, ...responses]) {
      // A browser refuses `*` here, because sendBeacon sends credentials with a JSON Blob.
      assert.equal(headers.get("access-control-allow-origin"), origin);
      assert.equal(headers.get("access-control-allow-credentials"), "true");
      assert.match(headers.get("vary") ?? "", /\borigin\b/i);
      assert(headers.get("x-request-id"));
    }
    for (const { headers } of responses) {
      assert.equal(headers.get("access-control-expose-headers"), "retry-after,x-request-id");
    }
  }
});

Deno.test("a page may not call a route of servers: its preflight is METHOD_NOT_ALLOWED, without CORS headers", async () => {
  const preflight = await send("/recruiting/ingest", {
    method: "OPTIONS",
    headers: { origin: "https://popout.example", "access-control-request-method": "POST" },
  });
  assertError(preflight, 405, "METHOD_NOT_ALLOWED", /POST/);
  assert.deepEqual([...preflight.headers.keys()].filter((name) => name.startsWith("access-control-")), []);
});
