/** The reads and acts of operators over the network, and the rights for them. */
import assert from "node:assert/strict";
import { signInNewAgent, signInNewOperator, signInNewUser, signToken } from "../support/agents.ts";
import { type ApiResponse, assertError, createAgency, send, sql, stack } from "../support/client.ts";
import { reject } from "../support/deliveries.ts";
import { actionsOf, operator, post } from "../support/operator.ts";

const REPLAY = "/deliveries/replay";
const ROUTE = `/desk${REPLAY}`;
/** A request that is valid, and changes nothing. */
const NOTHING = { delivery_ids: [crypto.randomUUID()], dry_run: true };

Deno.test("without the token of a user a replay is UNAUTHORIZED, before its body is looked at", async () => {
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
  for (const headers of wrong) {
    const response = await send(ROUTE, { method: "POST", headers, body: "not JSON" });
    assertError(response, 401, "UNAUTHORIZED", /token/);
    assert.match(response.headers.get("www-authenticate") ?? "", /^Bearer/);
  }
});

/** Users who are not operators, and what they sign in with. */
async function others() {
  const agency = await createAgency();
  return [await signInNewUser(), await signInNewAgent(agency.id), await signInNewAgent(agency.id, "manager")];
}

Deno.test("agents, managers and users without a role are FORBIDDEN a replay", async () => {
  for (const by of [...await others(), { token: stack.service_role_key }]) {
    assertError(await post(REPLAY, {}, by), 403, "FORBIDDEN", /^only an operator may do this$/);
  }
});

Deno.test("an operator reads the lists, and no table or view of theirs", async () => {
  await reject({ payload: { first_name: "Ada" } });
  const { count } = await operator.client.from("delivery_list").select("*", { count: "exact", head: true });
  assert(count! > 0);
  for (const table of ["rejected_deliveries", "vendors", "operators", "operator_actions", "key_list"]) {
    assert.equal((await operator.client.from(table).select()).error?.code, "42501", table);
  }
  for (const table of ["recruiting_leads", "unmatched_texts"]) {
    assert.deepEqual((await operator.client.from(table).select()).data, [], table);
  }
});

Deno.test("a value that is wrong is refused and named", async () => {
  const id = crypto.randomUUID();
  const by = await signInNewOperator();
  const replays: [RegExp, unknown][] = [
    [/^the body must be a JSON object$/, []],
    [/^delivery_ids is missing; dry_run is missing$/, {}],
    [/^delivery_ids is empty$/, { delivery_ids: [], dry_run: true }],
    [/^delivery_ids must have at most 100$/, { delivery_ids: Array(101).fill(id), dry_run: true }],
    [/^delivery_ids\.1 must be a UUID; dry_run must be true or false$/, { delivery_ids: [id, "x"], dry_run: "yes" }],
  ];
  // One after another: a login has few requests at once.
  for (const [reason, body] of replays) assertError(await post(REPLAY, body, by), 400, "BAD_REQUEST", reason);
  assert.deepEqual(await actionsOf(by), [], "nothing of it is an action");
});

Deno.test("nothing is shown or done that cannot be kept", async () => {
  const careless = await signInNewOperator();
  const [delivery_id] = await reject({ payload: { first_name: "Ada" } });
  await sql.unsafe(
    `alter table public.operator_actions add constraint careless check (user_id <> '${careless.id}') not valid`,
  );
  try {
    for (const dry_run of [true, false]) {
      const response = await post(REPLAY, { delivery_ids: [delivery_id], dry_run }, careless);
      assertError(response, 500, "INTERNAL_ERROR", /send the same request again/);
    }
    const read = { action: "delivery show", subject: { delivery_id } };
    const { data, error } = await careless.client.rpc("begin_operator_action", read);
    assert.deepEqual([data, error?.code], [null, "23514"]);
  } finally {
    await sql`alter table public.operator_actions drop constraint careless`;
  }
  const [row] = await sql`select status from public.rejected_deliveries where id = ${delivery_id!}`;
  assert.equal(row!.status, "open");
});

Deno.test("a login that already has as many requests as the API serves at once is told when to send a replay again", async () => {
  const by = await signInNewOperator();
  await sql.begin(async (sql) => {
    await sql`
      select pg_advisory_xact_lock(greatest(1, hashtext(${by.id}) & 2147483647), slot)
      from private.request_slots, generate_series(1, of_caller) as slot`;
    const response = await post(REPLAY, NOTHING, by);
    assertError(response, 429, "TOO_MANY_REQUESTS", /^Too many requests at once/);
    assert.equal(response.headers.get("retry-after"), "1");
  });
  assert.equal((await post(REPLAY, NOTHING, by)).status, 200);
});

Deno.test("no parameter of a request shows a payload and takes back that it was read", async () => {
  const [delivery_id] = await reject({ payload: { last_name: "Secret" } });
  const tricks: [query: string, headers: Record<string, string>][] = [
    // The error shows what cannot be converted, and the transaction is rolled back.
    ["select=pgrst_scalar::int", {}],
    ["select=read_payload::int", {}],
    ["", { accept: "text/csv" }],
    ["", { prefer: "tx=rollback" }],
    ["", { prefer: "handling=strict, max-affected=0" }],
  ];
  let shown = 0;
  for (const [query, headers] of tricks) {
    const by = await signInNewOperator();
    const subject = { delivery_id };
    const { data: action_id } = await by.client.rpc("begin_operator_action", { action: "delivery show", subject });
    const response = await fetch(`${stack.api_url}/rest/v1/rpc/read_payload?${query}`, {
      method: "POST",
      headers: {
        apikey: stack.publishable_key,
        authorization: `Bearer ${by.token}`,
        "content-type": "application/json",
        ...headers,
      },
      body: JSON.stringify({ action_id }),
    });
    if ((await response.text()).includes("Secret")) shown++;
    const what = `${query} ${JSON.stringify(headers)}: ${response.status}`;
    assert.deepEqual(await actionsOf(by), [["delivery show", subject]], what);
  }
  assert(shown > 1, "a payload is shown, also in an error");
});

Deno.test("no response of a replay is kept by a cache, nor is an error", async () => {
  const headers = { authorization: `Bearer ${operator.token}` };
  // One after another: a login has few requests at once.
  const responses: [status: number, send: () => Promise<ApiResponse>][] = [
    [200, () => send("/desk/health", { method: "GET" })],
    [200, () => send("/desk/openapi.json", { method: "GET" })],
    [200, () => post(REPLAY, NOTHING)],
    [400, () => post(REPLAY, {})],
    [401, () => send(ROUTE, { method: "POST" })],
    [403, () => post(REPLAY, NOTHING, { token: stack.service_role_key })],
    [404, () => send("/desk/check", { method: "GET", headers })],
    [405, () => send(ROUTE, { method: "GET", headers })],
    [413, () => post(REPLAY, { delivery_ids: ["x".repeat(70_000)] })],
    [204, () => send(ROUTE, { method: "OPTIONS", headers: { origin: "https://desk.example" } })],
  ];
  for (const [status, sendIt] of responses) {
    const response = await sendIt();
    assert.deepEqual([response.status, response.headers.get("cache-control")], [status, "no-store"]);
  }
});

Deno.test("a browser of another origin may send a replay with the user's token", async () => {
  const asked = await send(ROUTE, {
    method: "OPTIONS",
    headers: {
      origin: "https://desk.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,apikey,content-type,x-client-info,x-request-id",
    },
  });
  assert.equal(asked.status, 204);
  assert.equal(asked.headers.get("access-control-allow-origin"), "*");
  for (const name of ["authorization", "apikey", "content-type", "x-client-info", "x-request-id"]) {
    assert(asked.headers.get("access-control-allow-headers")!.includes(name), name);
  }
  const refused = await send(ROUTE, { method: "POST", headers: { origin: "https://desk.example" } });
  assert.equal(refused.headers.get("access-control-allow-origin"), "*", "the page can read what an error says");
});
