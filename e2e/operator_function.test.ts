/** The edge function `operator`: what a page of operators may ask and do. */
import assert from "node:assert/strict";
import { OPERATIONS } from "../dev/scripts/openapi/document.ts";
import { signInNewAgent, signInNewOperator, signInNewUser, signToken, type User } from "./support/agents.ts";
import {
  type ApiResponse,
  assertError,
  assertResponse,
  atOnce,
  createAgency,
  createOrder,
  createVendor,
  filledOf,
  send,
  sql,
  stack,
  storedLeads,
  type Vendor,
  withKey,
} from "./support/client.ts";
import { reject } from "./support/deliveries.ts";
import { createTarget, lead as salesLead } from "./support/leads.ts";

const operator = await signInNewOperator();
const ROUTES = OPERATIONS.filter(({ path, security }) => path.startsWith("/operator/") && security.length > 0);

function get(path: string, by: { token: string } = operator): Promise<ApiResponse> {
  return send(`/operator${path}`, { method: "GET", headers: { authorization: `Bearer ${by.token}` } });
}

function post(path: string, body: unknown, by: { token: string } = operator): Promise<ApiResponse> {
  return send(`/operator${path}`, { headers: { authorization: `Bearer ${by.token}` }, body });
}

async function replay(delivery_ids: string[], dry_run = false, by: User = operator): Promise<ApiResponse["body"][]> {
  const { results, ...rest } = assertResponse(await post("/deliveries/replay", { delivery_ids, dry_run }, by), 200);
  assert.deepEqual(rest, { dry_run });
  return results;
}

/** What was kept of an operator's actions, the oldest first. */
async function actionsOf({ id }: User) {
  const rows = await sql`
    select action, subject from public.operator_actions where user_id = ${id} order by created_at, id`;
  return rows.map(({ action, subject }) => [action, subject]);
}

/** All pages of a list, and how many rows each has. */
async function allPages(path: string, name: string): Promise<{ rows: ApiResponse["body"][]; sizes: number[] }> {
  const rows: ApiResponse["body"][] = [];
  const sizes: number[] = [];
  for (let after = ""; after !== null;) {
    const query = after && `${path.includes("?") ? "&" : "?"}after=${after}`;
    const body = assertResponse(await get(path + query), 200);
    rows.push(...body[name]);
    sizes.push(body[name].length);
    after = body.next;
  }
  return { rows, sizes };
}

/** Makes a vendor with open deliveries, of which two each came at the same time. */
async function rejectMany(count: number): Promise<Vendor> {
  const vendor = await createVendor();
  await sql`
    insert into public.rejected_deliveries
      (request_id, route, vendor_id, code, reason, payload_bytes, received_at)
    select 'test', '/recruiting/ingest', ${vendor.id}, 'BAD_REQUEST', 'reason ' || n % 3, 2,
      now() - n / 2 * interval '1.000001 s'
    from generate_series(1, ${count}::int) n`;
  return vendor;
}

Deno.test("without the token of a user each route is UNAUTHORIZED, before its body is looked at", async () => {
  const [head, payload] = operator.token.split(".") as [string, string];
  const tokens = [
    stack.publishable_key,
    stack.secret_key,
    stack.anon_key,
    `${head}.${payload}.AAAA`,
    await signToken({ sub: operator.id, role: "authenticated", exp: 1_700_000_000 }),
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
      ["", "x", `2026-01-01T00:00:00Z,x`, `2026-13-01T00:00:00Z,${id}`, `2026-01-01T00:00:00Z,${id},id.gt.x`]
        .map((after): [RegExp, Promise<ApiResponse>] => [
          /^after must be the `next` of a page$/,
          get(`${path}?after=${encodeURIComponent(after)}`),
        ])
    ),
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

Deno.test("open deliveries come page by page, the newest first, each once", async () => {
  const vendor = await rejectMany(120);
  const { rows, sizes } = await allPages(`/deliveries?vendor_id=${vendor.id}`, "deliveries");
  assert.deepEqual(sizes, [50, 50, 20]);
  const stored = await sql`
    select id from public.rejected_deliveries where vendor_id = ${vendor.id} order by received_at desc, id`;
  assert.deepEqual(rows.map(({ id }) => id), stored.map(({ id }) => id));
  const { received_at, id, ...rest } = rows[0];
  assert(Date.parse(received_at) > Date.now() - 600_000 && id);
  assert.deepEqual(rest, {
    vendor: vendor.slug,
    vendor_id: vendor.id,
    route: "/recruiting/ingest",
    row: null,
    vendor_lead_id: null,
    code: "BAD_REQUEST",
    reason: "reason 1",
    status: "open",
    lead_id: null,
    resolved_at: null,
    request_id: "test",
    payload_bytes: 2,
  });
});

Deno.test("a page that is full ends the list when no row follows", async () => {
  const vendor = await rejectMany(50);
  const { sizes } = await allPages(`/deliveries?vendor_id=${vendor.id}`, "deliveries");
  assert.deepEqual(sizes, [50]);
});

Deno.test("open deliveries are narrowed by vendor, code and reason, and dismissed ones are left out", async () => {
  const vendor = await rejectMany(6);
  const lookFor = async (query: string) => (await allPages(`/deliveries?${query}`, "deliveries")).rows;
  const of = `vendor_id=${vendor.id}`;
  assert.equal((await lookFor(`${of}&reason=reason%201`)).length, 2);
  assert.equal((await lookFor(`${of}&reason=reason`)).length, 0);
  assert.equal((await lookFor(`${of}&code=BAD_REQUEST`)).length, 6);
  assert.equal((await lookFor(`${of}&code=INVALID`)).length, 0);
  await sql`update public.rejected_deliveries set status = 'dismissed' where vendor_id = ${vendor.id}`;
  assert.equal((await lookFor(of)).length, 0);

  const [imported] = await reject({ vendor_id: null, route: "/api/leads/import", payload: {} });
  const imports = await lookFor("vendor_id=import");
  assert(imports.some(({ id }) => id === imported));
  assert.deepEqual([...new Set(imports.map(({ vendor_id, vendor }) => `${vendor_id} ${vendor}`))], ["null import"]);
});

Deno.test("open deliveries are counted by vendor, code and reason, the most frequent first", async () => {
  const vendor = await rejectMany(10);
  const { reasons, more } = assertResponse(await get("/deliveries/reasons"), 200);
  assert.equal(more, 0);
  const counts = reasons.map(({ deliveries }: { deliveries: number }) => deliveries);
  assert.deepEqual(counts, counts.toSorted((a: number, b: number) => b - a));
  const own = reasons.filter(({ vendor_id }: { vendor_id: string }) => vendor_id === vendor.id);
  assert.deepEqual(own.map((row: ApiResponse["body"]) => [row.vendor, row.code, row.reason, row.deliveries]), [
    [vendor.slug, "BAD_REQUEST", "reason 1", 4],
    [vendor.slug, "BAD_REQUEST", "reason 0", 3],
    [vendor.slug, "BAD_REQUEST", "reason 2", 3],
  ]);
  assert(own[0].first_at < own[0].last_at);
});

Deno.test("the payload of a delivery is as it was sent, and each read of it leaves one row", async () => {
  const reader = await signInNewOperator();
  const vendor = await createVendor();
  await send("/recruiting/ingest", {
    headers: { ...withKey(vendor), "content-type": "application/json" },
    body: '{"last_name":"<script>","ref":12345678901234567890}',
  });
  const [kept] = await sql`select id from public.rejected_deliveries where vendor_id = ${vendor.id}`;
  const [text] = await reject({ vendor_id: vendor.id, payload_text: "<lead" });

  assertResponse(await post("/deliveries/payload", { delivery_id: kept!.id }, reader), 200, {
    delivery_id: kept!.id,
    payload: { last_name: "<script>", ref: "12345678901234567890" },
    payload_text: null,
  });
  assert.deepEqual(await actionsOf(reader), [["read_payload", { delivery_ids: [kept!.id] }]]);
  const none = { delivery_id: text, payload: null, payload_text: "<lead" };
  assertResponse(await post("/deliveries/payload", { delivery_id: text }, reader), 200, none);
  const unknown = crypto.randomUUID();
  const response = await post("/deliveries/payload", { delivery_id: unknown }, reader);
  assertError(response, 404, "NOT_FOUND", /^delivery_id: no such delivery$/);
  assert.deepEqual((await actionsOf(reader)).slice(1), [
    ["read_payload", { delivery_ids: [text] }],
    ["read_payload", { delivery_ids: [unknown] }],
  ]);
});

Deno.test("where the action cannot be kept, no payload is shown", async () => {
  const reader = await signInNewOperator();
  const vendor = await createVendor();
  const [id] = await reject({ vendor_id: vendor.id, payload: { last_name: "Secret" } });
  await sql.unsafe(`
    alter table public.operator_actions add constraint refused check (user_id <> '${reader.id}') not valid`);
  try {
    const response = await post("/deliveries/payload", { delivery_id: id }, reader);
    assertError(response, 500, "INTERNAL_ERROR", /send the same request again/);
    assert(!JSON.stringify(response.body).includes("Secret"));
  } finally {
    await sql`alter table public.operator_actions drop constraint refused`;
  }
});

/** A vendor whose payloads can be read now, and deliveries of it. */
async function rejectOf(...payloads: object[]): Promise<{ vendor: Vendor; ids: string[] }> {
  const vendor = await createVendor();
  return { vendor, ids: await reject(...payloads.map((payload) => ({ vendor_id: vendor.id, payload }))) };
}

Deno.test("a dry run says what would become of each delivery, and changes nothing but that it was asked", async () => {
  const trier = await signInNewOperator();
  const { vendor, ids } = await rejectOf(
    { first_name: "Ada", vendor_lead_id: "1", last_name: "Lee", state: "TX" },
    { last_name: "Nobody" },
    { first_name: "Bob", vendor_lead_id: "2" },
  );
  const order = await createOrder(vendor);
  const { body: { id: stored } } = await send("/recruiting/ingest", {
    headers: withKey(vendor),
    body: { first_name: "Bob", vendor_lead_id: "2" },
  });
  const unknown = crypto.randomUUID();

  const [first, nameless, known, missing] = await replay([...ids, unknown], true, trier);
  assert.deepEqual(first, {
    delivery_id: ids[0],
    status: "created",
    lead_id: ids[0],
    distributed_to: { agency_id: order.agency_id, agent_id: order.agent_ids[0] },
    lead: {
      first_name: "Ada",
      vendor_lead_id: "1",
      vendor_metadata: first.lead.vendor_metadata,
    },
  });
  assert.deepEqual([first.lead.vendor_metadata.last_name, first.lead.vendor_metadata.state], ["Lee", "TX"]);
  assert.deepEqual(nameless, { delivery_id: ids[1], status: "refused", reason: "missing first_name" });
  assert.deepEqual([known.status, known.lead_id, known.lead.first_name], ["duplicate", stored, "Bob"]);
  assert.deepEqual(missing, { delivery_id: unknown, status: "refused", reason: "there is no such delivery" });

  assert.deepEqual(await actionsOf(trier), [["preview_replay", { delivery_ids: [...ids, unknown] }]]);
  assert.deepEqual((await storedLeads(vendor)).map(({ id }) => id), [stored]);
  assert.equal(await filledOf(order), 1);
  const deliveries = await sql`
    select status, lead_id, resolved_at from public.rejected_deliveries where vendor_id = ${vendor.id}`;
  for (const row of deliveries) assert.deepEqual({ ...row }, { status: "open", lead_id: null, resolved_at: null });
});

Deno.test("deliveries are replayed, and one that is refused does not stop the others", async () => {
  const by = await signInNewOperator();
  const { vendor, ids } = await rejectOf(
    { last_name: "Nobody" },
    { first_name: "Ada", vendor_lead_id: "1" },
    { first_name: "Ada", vendor_lead_id: "1" },
    { first_name: "Cy", vendor_lead_id: "3" },
  );
  await sql`update public.rejected_deliveries set status = 'dismissed' where id = ${ids[3]!}`;
  const order = await createOrder(vendor);

  const results = await replay(ids, false, by);
  assert.deepEqual(results, [
    { delivery_id: ids[0], status: "refused", reason: "missing first_name" },
    {
      delivery_id: ids[1],
      status: "created",
      lead_id: ids[1],
      distributed_to: { agency_id: order.agency_id, agent_id: order.agent_ids[0] },
    },
    { delivery_id: ids[2], status: "duplicate", lead_id: ids[1] },
    { delivery_id: ids[3], status: "refused", reason: "the delivery has been dismissed" },
  ]);
  assert.deepEqual(await replay(ids, false, by), results, "again, the same");
  assert.deepEqual((await storedLeads(vendor)).map(({ id, received_via }) => [id, received_via]), [[ids[1], "replay"]]);
  assert.equal(await filledOf(order), 1);
  assert.deepEqual(await actionsOf(by), Array(2).fill(["replay", { delivery_ids: ids }]));
});

Deno.test("a lead of an import is replayed, and one that the database refuses says so", async () => {
  const target = await createTarget();
  const [good, bad] = [salesLead(), salesLead()];
  const context = { agency_id: target.agency_id, agent_id: target.agent_id };
  const [goodId, badId, whole] = await reject(
    { vendor_id: null, route: "/api/leads/import", row: 0, payload: good, context },
    {
      vendor_id: null,
      route: "/api/leads/import",
      row: 1,
      payload: bad,
      context: { ...context, agent_id: crypto.randomUUID() },
    },
    { vendor_id: null, route: "/api/leads/import", payload: { leads: [] } },
  );
  const results = await replay([goodId!, badId!, whole!]);
  assert.deepEqual(results, [
    { delivery_id: goodId, status: "created", lead_id: goodId },
    { delivery_id: badId, status: "refused", reason: "the database refuses it" },
    {
      delivery_id: whole,
      status: "refused",
      reason: "it is a whole request of several leads, which must be sent again",
    },
  ]);
  const [stored] = await sql`select external_id from public.leads where id = ${goodId!}`;
  assert.equal(stored!.external_id, good.external_id);
});

Deno.test("race: two operators who replay the same deliveries at once make one lead of each", async () => {
  const { vendor, ids } = await rejectOf(
    ...Array.from({ length: 5 }, (_, n) => ({ first_name: "Ada", vendor_lead_id: String(n) })),
  );
  const order = await createOrder(vendor);
  const operators = [await signInNewOperator(), await signInNewOperator()];
  const results = await atOnce(4, (n) => replay(ids, false, operators[n % 2]));
  for (const result of results) assert.deepEqual(result, results[0]);
  assert.deepEqual(results[0]!.map(({ status, lead_id }) => [status, lead_id]), ids.map((id) => ["created", id]));
  assert.equal((await storedLeads(vendor)).length, 5);
  assert.equal(await filledOf(order), 5);
});

Deno.test("a delivery that somebody has locked is refused, and does not stop the others", async () => {
  const { ids } = await rejectOf({ first_name: "Ada" }, { first_name: "Bob" });
  const results = await sql.begin(async (other) => {
    await other`select from public.rejected_deliveries where id = ${ids[0]!} for update`;
    return await replay(ids);
  });
  const reason = "others have locked it; try again in a moment";
  assert.deepEqual(results[0], { delivery_id: ids[0], status: "refused", reason });
  assert.equal(results[1].status, "created");
  assert.equal((await replay(ids))[0].status, "created");
});

Deno.test("a lead is handed out also while others hand leads out", async () => {
  const { vendor, ids } = await rejectOf({ first_name: "Ada" });
  const order = await createOrder(vendor);
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  const holding = sql.begin(async (other) => {
    await other`select pg_advisory_xact_lock(private.distribution_lock())`;
    setTimeout(letGo, 300);
    await held;
  });
  const [result] = await replay(ids);
  await holding;
  assert.deepEqual([result.status, result.distributed_to?.agency_id], ["created", order.agency_id]);
});

Deno.test("leads that wait are listed, the oldest first, and handed out to the orders that want them now", async () => {
  const by = await signInNewOperator();
  const vendor = await createVendor();
  await sql`
    insert into public.recruiting_leads (vendor_id, first_name, distribution, vendor_metadata, created_at)
    select ${vendor.id}, 'Ada ' || n, 'unmatched', '{"state": "TX"}', '2020-01-01'::timestamptz + n / 2 * interval '1 s'
    from generate_series(1, 60) n`;
  const { rows, sizes } = await allPages("/leads/waiting", "leads");
  assert(sizes.length > 1 && sizes.slice(0, -1).every((size) => size === 50));
  const own = rows.filter(({ vendor_id }) => vendor_id === vendor.id);
  const stored = await sql`
    select id from public.recruiting_leads where vendor_id = ${vendor.id} order by created_at, id`;
  assert.deepEqual(own.map(({ id }) => id), stored.map(({ id }) => id));
  assert.deepEqual([own[0].name, own[0].state, own[0].distribution], ["Ada 1", "TX", "unmatched"]);
  const { waiting } = assertResponse(await get("/leads/waiting"), 200);
  assert(waiting >= 60);

  const order = await createOrder(vendor, { quantity: 3 });
  const handed = assertResponse(await post("/leads/hand-out", { max: 2, vendor_id: vendor.id }, by), 200);
  assert.deepEqual(handed.handed_out.map(({ id, order_id }: Record<string, string>) => [id, order_id]), [
    [stored[0]!.id, order.id],
    [stored[1]!.id, order.id],
  ]);
  assert.equal(handed.waiting, 58);
  const rest = assertResponse(await post("/leads/hand-out", { max: 100, vendor_id: vendor.id }, by), 200);
  assert.deepEqual([rest.handed_out.length, rest.waiting], [1, 57]);
  assert.deepEqual(
    assertResponse(await post("/leads/hand-out", { max: 100, vendor_id: vendor.id }, by), 200),
    { handed_out: [], waiting: 57 },
  );
  assert.deepEqual(await actionsOf(by), [
    ["hand_out", { max: 2, vendor_id: vendor.id }],
    ...Array(2).fill(["hand_out", { max: 100, vendor_id: vendor.id }]),
  ]);
  await sql`delete from public.recruiting_leads where vendor_id = ${vendor.id} and distribution = 'unmatched'`;
});

Deno.test("texts without a conversation are listed, the newest first", async () => {
  const sid = crypto.randomUUID();
  await sql`
    insert into public.unmatched_texts (message_sid, recruit_phone, service_phone, body, media, received_at)
    select ${sid} || n, '+13125550142', '+13125550199', 'text ' || n, '[{"url": "u", "content_type": null}]',
      now() + interval '1 hour' - n / 2 * interval '1 s'
    from generate_series(1, 55) n`;
  const { rows, sizes } = await allPages("/texts/unmatched", "texts");
  assert(sizes.length > 1);
  const own = rows.filter(({ message_sid }) => message_sid?.startsWith(sid));
  const stored = await sql`
    select id from public.unmatched_texts where starts_with(message_sid, ${sid}) order by received_at desc, id`;
  assert.deepEqual(own.map(({ id }) => id), stored.map(({ id }) => id));
  const { id: _, received_at: __, ...first } = own[0];
  assert.deepEqual(first, {
    from: "+13125550142",
    to: "+13125550199",
    body: "text 1",
    media: 1,
    message_sid: `${sid}1`,
  });
  await sql`delete from public.unmatched_texts where starts_with(message_sid, ${sid})`;
});

Deno.test("the leads of each vendor are counted by day, in the time zone that is asked for", async () => {
  const { vendor } = await rejectOf({ last_name: "Nobody" });
  await send("/recruiting/ingest", { headers: withKey(vendor), body: { first_name: "Ada" } });
  const quiet = await createVendor();
  const { days, vendors } = assertResponse(await get("/vendors/days?days=3&timezone=Asia%2FTokyo"), 200);
  assert.equal(days.length, 3);
  const own = vendors.find((row: Record<string, string>) => row.vendor === vendor.slug);
  assert.deepEqual(own, { vendor: vendor.slug, leads: [0, 0, 1], refused: [0, 0, 1] });
  assert(!vendors.some((row: Record<string, string>) => row.vendor === quiet.slug));
  const fortnight = assertResponse(await get("/vendors/days"), 200);
  assert.equal(fortnight.days.length, 14);
  assert.deepEqual(fortnight.days, fortnight.days.toSorted());
});

Deno.test("what is wrong now is what the command says", async () => {
  const { findings, more } = assertResponse(await get("/check"), 200);
  assert.equal(more, 0);
  const said = await sql`select * from public.check_service()`;
  assert.deepEqual(findings, said.map((row) => ({ ...row })));
});
