/** The reads and acts of operators over the network, and the rights for them. */
import assert from "node:assert/strict";
import { signInNewAgent, signInNewOperator, signToken } from "../support/agents.ts";
import { type ApiResponse, assertError, createAgency, send, sql, stack } from "../support/client.ts";
import { reject } from "../support/deliveries.ts";
import { actionsOf, operator, post } from "../support/operator.ts";

const REPLAY = "/deliveries/replay";
const ROUTE = `/desk${REPLAY}`;
/** A request that is valid, and changes nothing. */
const NOTHING = { delivery_ids: [crypto.randomUUID()], dry_run: true };

Deno.test("only an operator replays, tries or saves a mapping, and before the body is looked at", async () => {
  const [head, payload] = operator.token.split(".") as [string, string];
  const tokens = [
    stack.secret_key,
    stack.anon_key,
    `${head}.${payload}.AAAA`,
    await signToken({ sub: operator.id, role: "authenticated", exp: 1_700_000_000 }),
    `${head}.${"A".repeat(60 * 1024)}.AAAA`,
  ];
  const wrong: Record<string, string>[] = [
    { apikey: stack.publishable_key },
    { apikey: operator.token },
    ...tokens.map((token) => ({ authorization: `Bearer ${token}`, apikey: stack.publishable_key })),
  ];
  for (const headers of wrong) {
    const response = await send(ROUTE, { method: "POST", headers, body: "not JSON" });
    assertError(response, 401, "UNAUTHORIZED", /token/);
    assert.match(response.headers.get("www-authenticate") ?? "", /^Bearer/);
  }
  const manager = await signInNewAgent((await createAgency()).id, "manager");
  for (const path of [REPLAY, "/mappings", "/mappings/preview"]) {
    assertError(await send(`/desk${path}`, { body: "not JSON" }), 401, "UNAUTHORIZED", /token/);
    for (const by of [manager, { token: stack.service_role_key }]) {
      assertError(await post(path, {}, by), 403, "FORBIDDEN", /^only an operator may do this$/);
    }
  }
});

Deno.test("a value that is wrong is refused and named, and is no action", async () => {
  const id = crypto.randomUUID();
  const by = await signInNewOperator();
  const requests: [path: string, reason: RegExp, body: unknown][] = [
    [REPLAY, /^the body must be a JSON object$/, []],
    [REPLAY, /^delivery_ids is missing; dry_run is missing$/, {}],
    [REPLAY, /^delivery_ids is empty$/, { delivery_ids: [], dry_run: true }],
    [REPLAY, /^delivery_ids must have at most 100$/, { delivery_ids: Array(101).fill(id), dry_run: true }],
    [REPLAY, /^delivery_ids\.1 must be a UUID; dry_run must be true/, { delivery_ids: [id, "x"], dry_run: "yes" }],
    ["/mappings/preview", /^action_id is missing; parser_config is missing$/, {}],
    ["/mappings", /^seen must be a text$/, { vendor_id: id, parser_config: "{}", seen: 1 }],
  ];
  // One after another: a login has few requests at once.
  for (const [path, reason, body] of requests) assertError(await post(path, body, by), 400, "BAD_REQUEST", reason);
  assert.deepEqual(await actionsOf(by), []);
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

Deno.test("no response of the desk is kept by a cache, nor is an error, and a page of another origin may read it", async () => {
  const headers = { authorization: `Bearer ${operator.token}`, origin: "https://desk.example" };
  // One after another: a login has few requests at once.
  const responses: [status: number, send: () => Promise<ApiResponse>][] = [
    [200, () => send("/desk/health", { method: "GET" })],
    [200, () => post(REPLAY, NOTHING)],
    [401, () => send(ROUTE, { headers: { origin: "https://desk.example" } })],
    [404, () => send("/desk/check", { method: "GET", headers })],
    [413, () => post(REPLAY, { delivery_ids: ["x".repeat(70_000)] })],
    [204, () => send(ROUTE, { method: "OPTIONS", headers: { ...headers, "access-control-request-method": "POST" } })],
  ];
  for (const [status, sendIt] of responses) {
    const response = await sendIt();
    assert.deepEqual([response.status, response.headers.get("cache-control")], [status, "no-store"]);
    if (status !== 401 && status !== 204) continue;
    assert.equal(response.headers.get("access-control-allow-origin"), "*");
    if (status === 401) continue;
    const allowed = response.headers.get("access-control-allow-headers")!;
    for (const name of ["authorization", "apikey", "content-type", "x-client-info", "x-request-id"]) {
      assert(allowed.includes(name), name);
    }
  }
});

Deno.test("while others distribute leads, an operator is told so", async () => {
  const by = await signInNewOperator();
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>();
  const holding = sql.begin(async (other) => {
    await other`select pg_advisory_xact_lock(private.distribution_lock())`;
    hold();
    await held;
  });
  await isHeld;
  const { status, error } = await by.client.rpc("distribute_leads", { max: 1 });
  letGo();
  await holding;
  assert.deepEqual([status, error?.code], [409, "PT409"]);
  assert.match(error!.message, /^Others are distributing leads, or have locked them\./);
  assert.deepEqual(await actionsOf(by), [], "nothing was distributed");
});

Deno.test("the rule of a kind of alert is changed by the numbers that it has", async () => {
  const set = (given: object) => operator.client.rpc("set_alert_rule", { kind: "order_stalled", ...given });
  for (
    const [given, reason] of [
      [{ kind: "order_lost" }, /^kind: "order_lost" is none; give one of: .*order_stalled/],
      [{ threshold: { days: "many" } }, /^threshold: give each as a number above 0, up to 1,000,000$/],
      [{ threshold: { days: 2 } }, /^threshold: "days" is none of this kind; it has: none$/],
    ] as const
  ) assert.match((await set(given)).error!.message, reason);
  assert.equal((await set({})).data.is_on, true);
});
