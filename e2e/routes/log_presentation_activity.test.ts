import assert from "node:assert/strict";
import fc from "fast-check";
import { signInNewUser, signToken } from "../support/agents.ts";
import { assertError, assertResponse, atOnce, send, sql, stack } from "../support/client.ts";
import { type Activity, createActivity, logActivity } from "../support/leads.ts";

const PATH = "/api/leads/log-presentation-activity";

async function counts({ lead_id }: Activity): Promise<number[]> {
  const [row] = await sql`select * from public.lead_metrics where lead_id = ${lead_id}`;
  return [row!.presentations_started, row!.presentations_resumed, row!.presentations_paused];
}

Deno.test("SPEC 2.3, 4.4: an activity that comes again is appended, with its time, and counted", async () => {
  const mine = await createActivity("presentation_paused");
  const before = Date.now();
  for (let n = 0; n < 2; n++) assertResponse(await logActivity(mine), 200, { success: true });
  const rows = await sql`
    select agent_id, type, occurred_at from public.lead_activities where lead_id = ${mine.lead_id}`;
  assert.equal(rows.length, 2);
  for (const { agent_id, type, occurred_at } of rows) {
    assert.deepEqual([agent_id, type], [mine.agent_id, mine.type]);
    assert(Math.abs(occurred_at.getTime() - before) < 60_000);
  }
  assert.deepEqual(await counts(mine), [0, 0, 2]);
});

Deno.test("race: thirty activities at once are all counted", async () => {
  const mine = await createActivity();
  const types = ["presentation_paused", "presentation_resumed", "presentation_resumed"];
  const responses = await atOnce(30, (n) => logActivity({ ...mine, type: types[n % 3]! }));
  assert.deepEqual(responses.map(({ status }) => status), Array(30).fill(200));
  assert.deepEqual(await counts(mine), [0, 20, 10]);
});

Deno.test("the anon or publishable key counts in apikey, as Bearer and as ?apikey=", async () => {
  const mine = await createActivity();
  for (const key of [stack.anon_key, stack.publishable_key]) {
    for (
      const response of [
        await logActivity(mine, { apikey: key }),
        await logActivity(mine, { authorization: `Bearer ${key}` }),
        await logActivity(mine, {}, `?apikey=${encodeURIComponent(key)}`),
        await logActivity(mine, { apikey: key, authorization: `Bearer ${key}` }),
      ]
    ) assert.equal(response.status, 200);
  }
  assert.deepEqual(await counts(mine), [8, 0, 0]);
});

Deno.test("the service role's keys count too, and a signed-in user's token with a key or without", async () => {
  const [mine, user] = [await createActivity(), await signInNewUser()];
  const authorization = `Bearer ${user.token}`;
  for (
    const headers of [
      { apikey: stack.service_role_key },
      { apikey: stack.secret_key },
      { authorization },
      { authorization, apikey: stack.anon_key },
    ] as Record<string, string>[]
  ) assert.equal((await logActivity(mine, headers)).status, 200);
});

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
    for (const body of [mine, "not JSON"]) {
      const response = await logActivity(body, headers);
      assertError(response, 401, "UNAUTHORIZED", /apikey/);
      assert.match(response.headers.get("www-authenticate") ?? "", /^Bearer/);
    }
  }
  assertError(await logActivity(mine, {}, "?apikey="), 401, "UNAUTHORIZED", /apikey/);
  assert.deepEqual(await counts(mine), [0, 0, 0]);
});

Deno.test("a lead that is not this agent's is NOT_FOUND, known or unknown", async () => {
  const [mine, other] = [await createActivity(), await createActivity()];
  for (
    const wrong of [
      { ...mine, agent_id: other.agent_id },
      { ...mine, lead_id: other.lead_id },
      { ...mine, lead_id: crypto.randomUUID() },
      { ...mine, agent_id: crypto.randomUUID() },
    ]
  ) assertError(await logActivity(wrong), 404, "NOT_FOUND", /lead/);
  assert.deepEqual(await counts(mine), [0, 0, 0]);
});

Deno.test("an activity of a deactivated agent is BAD_REQUEST and is not stored", async () => {
  const mine = await createActivity();
  await sql`update public.agents set is_active = false where id = ${mine.agent_id}`;
  const response = await logActivity(mine);
  assertError(response, 400, "BAD_REQUEST", /^agent_id: the agent is deactivated$/);
  assert.deepEqual(await counts(mine), [0, 0, 0]);
});

for (const field of ["lead_id", "agent_id", "type"]) {
  Deno.test(`SPEC 2.3: ${field} is required; a wrong one is BAD_REQUEST and named in the details`, async () => {
    const mine = await createActivity();
    for (const value of [undefined, null, "", "x", 7, {}, [], true, "presentation_submitted"]) {
      const response = await logActivity({ ...mine, [field]: value });
      assertError(response, 400, "BAD_REQUEST", new RegExp(`^${field} `));
      assert.deepEqual(response.body.error.details.map((d: { field: string }) => d.field), [field]);
    }
    assert.deepEqual(await counts(mine), [0, 0, 0]);
  });
}

Deno.test("a text or a JSON Blob that sendBeacon sends from another origin is logged, unknown fields are ignored, and ids may be in upper case", async () => {
  const mine = await createActivity();
  const upper = {
    ...mine,
    lead_id: mine.lead_id.toUpperCase(),
    agent_id: mine.agent_id.toUpperCase(),
    occurred_at: "1999-01-01",
  };
  for (const type of ["text/plain;charset=UTF-8", "application/json"]) {
    // The browser adds the cookies of this domain; the route does not read them.
    const headers = { origin: "https://popout.example", "content-type": type, cookie: "session=1" };
    const query = `?apikey=${stack.publishable_key}`;
    const response = await logActivity(JSON.stringify(upper), headers, query);
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

for (const origin of ["https://popout.example", "http://127.0.0.1:8080", "null"]) {
  Deno.test(`a page of ${origin} may call the route, with credentials, and read each response`, async () => {
    const mine = await createActivity();
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
  });
}

Deno.test("a page may not call the routes of servers: their preflight is METHOD_NOT_ALLOWED, without CORS headers", async () => {
  for (const path of ["/api/leads/import", "/recruiting/ingest", "/recruiting/ingest/bulk"]) {
    const preflight = await send(path, {
      method: "OPTIONS",
      headers: { origin: "https://popout.example", "access-control-request-method": "POST" },
    });
    assertError(preflight, 405, "METHOD_NOT_ALLOWED", /POST/);
    const cors = [...preflight.headers.keys()].filter((name) => name.startsWith("access-control-"));
    assert.deepEqual(cors, []);
  }
});

Deno.test("property: no body causes a 500 or stores an activity", async () => {
  const mine = await createActivity();
  const value = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.string({ unit: "binary" }));
  const body = fc.oneof(
    fc.json(),
    fc.record({ lead_id: value, agent_id: value, type: value }),
    value.map((type) => ({ ...mine, type })),
  );
  await fc.assert(
    fc.asyncProperty(body, async (sent) => assert.equal((await logActivity(sent)).status, 400)),
    { numRuns: 60 },
  );
  assert.deepEqual(await counts(mine), [0, 0, 0]);
});
