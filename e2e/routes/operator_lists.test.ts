/** The lists and counts that operators read by supabase-js, and the leads that they distribute. */
import assert from "node:assert/strict";
import { signInNewOperator } from "../support/agents.ts";
import { createOrder, createVendor, send, sql, type Vendor, withKey } from "../support/client.ts";
import { reject } from "../support/deliveries.ts";
import { actionsOf, operator } from "../support/operator.ts";

const { client } = operator;

/** Makes a vendor with open deliveries, of which two each came at the same time. */
async function rejectMany(count: number): Promise<Vendor> {
  const vendor = await createVendor();
  await sql`
    insert into public.rejected_deliveries
      (request_id, route, vendor_id, code, reason, payload, payload_bytes, received_at)
    select 'test', '/recruiting/ingest', ${vendor.id}, 'BAD_REQUEST', 'reason ' || n % 3, '{}', 2,
      now() - n / 2 * interval '1.000001 s'
    from generate_series(1, ${count}::int) n`;
  return vendor;
}

Deno.test("open deliveries have all but their payloads", async () => {
  const vendor = await rejectMany(3);
  const { data } = await client.from("delivery_list").select().eq("vendor_id", vendor.id).order("received_at");
  assert.equal(data!.length, 3);
  const { received_at, id, ...rest } = data!.at(-1);
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
    payload_kept: "whole",
  });
});

Deno.test("open deliveries are counted by vendor, code and reason, and dismissed ones are left out", async () => {
  const vendor = await rejectMany(10);
  const read = async () =>
    (await client.from("delivery_reason_list").select().eq("vendor_id", vendor.id)
      .order("deliveries", { ascending: false }).order("reason")).data!;
  const reasons = await read();
  assert.deepEqual(reasons.map((row) => [row.vendor, row.code, row.reason, row.deliveries]), [
    [vendor.slug, "BAD_REQUEST", "reason 1", 4],
    [vendor.slug, "BAD_REQUEST", "reason 0", 3],
    [vendor.slug, "BAD_REQUEST", "reason 2", 3],
  ]);
  assert(reasons[0].first_at < reasons[0].last_at);
  await sql`update public.rejected_deliveries set status = 'dismissed' where vendor_id = ${vendor.id}`;
  assert.deepEqual(await read(), []);
});

Deno.test("rejected imports have no vendor", async () => {
  const [imported] = await reject({ vendor_id: null, route: "/api/leads/import", payload: {} });
  const { data } = await client.from("delivery_list").select("id, vendor").is("vendor_id", null);
  assert(data!.some(({ id }) => id === imported));
  assert.deepEqual([...new Set(data!.map(({ vendor }) => vendor))], ["import"]);
});

Deno.test("leads that wait are listed, and distributed to the orders that want them now", async () => {
  const by = await signInNewOperator();
  const vendor = await createVendor();
  await sql`
    insert into public.recruiting_leads (vendor_id, first_name, distribution, vendor_metadata, created_at)
    select ${vendor.id}, 'Ada ' || n, 'unmatched', '{"state": "TX"}', '2020-01-01'::timestamptz + n / 2 * interval '1 s'
    from generate_series(1, 60) n`;
  const waiting = () =>
    client.from("waiting_lead_list").select("*", { count: "exact" }).eq("vendor_id", vendor.id)
      .order("received").order("id");
  const { data: listed } = await waiting();
  const stored = await sql`
    select id from public.recruiting_leads where vendor_id = ${vendor.id} order by created_at, id`;
  assert.deepEqual(listed!.map(({ id }) => id), stored.map(({ id }) => id));
  assert.deepEqual([listed![0].name, listed![0].state, listed![0].distribution], ["Ada 1", "TX", "unmatched"]);

  const order = await createOrder(vendor, { quantity: 3 });
  const distribute = async (max: number) =>
    (await by.client.rpc("distribute_leads", { max, vendor_id: vendor.id })).data!;
  const first = await distribute(2);
  assert.deepEqual(first.map(({ id, order_id }: Record<string, string>) => [id, order_id]), [
    [stored[0]!.id, order.id],
    [stored[1]!.id, order.id],
  ]);
  assert.equal((await waiting()).count, 58);
  assert.equal((await distribute(100)).length, 1);
  assert.deepEqual(await distribute(100), []);
  assert.equal((await waiting()).count, 57);
  assert.deepEqual(await actionsOf(by), [
    ["lead distribute", { vendor_id: vendor.id, lead_ids: [stored[0]!.id, stored[1]!.id] }],
    ["lead distribute", { vendor_id: vendor.id, lead_ids: [stored[2]!.id] }],
  ]);
  await sql`delete from public.recruiting_leads where vendor_id = ${vendor.id} and distribution = 'unmatched'`;
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

Deno.test("texts without a conversation are listed", async () => {
  const sid = crypto.randomUUID();
  await sql`
    insert into public.unmatched_texts (message_sid, recruit_phone, service_phone, body, media)
    values (${sid}, '+13125550142', '+13125550199', 'Hello', '[{"url": "u", "content_type": null}]')`;
  const { data } = await client.from("unmatched_text_list").select().eq("message_sid", sid);
  const { id: _, received_at: __, ...text } = data![0];
  assert.deepEqual(text, {
    from: "+13125550142",
    to: "+13125550199",
    body: "Hello",
    media: 1,
    message_sid: sid,
    ...{ lead_id: null, recruit: null, agency_id: null, agency: null, agent_id: null, agent: null },
  });
  await sql`delete from public.unmatched_texts where message_sid = ${sid}`;
});

Deno.test("the leads of each vendor are counted by day, in the time zone that is asked for", async () => {
  const vendor = await rejectMany(1);
  await send("/recruiting/ingest", { headers: withKey(vendor), body: { first_name: "Ada" } });
  const quiet = await createVendor();
  const { data } = await client.rpc("count_vendor_days", { days: 3, timezone: "Asia/Tokyo" });
  const { dates, ...own } = data!.find((row: Record<string, unknown>) => row.vendor === vendor.slug);
  assert.deepEqual(own, { vendor: vendor.slug, leads: [0, 0, 1], refused: [0, 0, 1] });
  assert(!data!.some((row: Record<string, unknown>) => row.vendor === quiet.slug));
  assert.deepEqual([dates.length, dates], [3, dates.toSorted()]);
  const { data: fortnight } = await client.rpc("count_vendor_days");
  assert.equal(fortnight![0].dates.length, 14);
});

Deno.test("alerts have their words, and are acknowledged", async () => {
  const order = await createOrder(await createVendor(), { quantity: 7 });
  await sql`
    update public.recruiting_orders set starts_at = now() - interval '2 h', ends_at = now() - interval '1 h'
    where id = ${order.id}`;
  await sql`select private.check_alerts()`;
  const { data: alert } = await client.from("alert_list").select().eq("subject", order.id).single();
  assert.equal(alert!.name, `order ${order.id.slice(0, 8)} of An agency under test`);
  assert.match(alert!.problem, /^ended .* UTC, 7 of 7 leads short$/);
  assert.equal(alert!.command, `order close ${order.id.slice(0, 8)}`);
  assert.equal(alert!.state, "open");

  assert.equal((await client.rpc("acknowledge_alert", { alert_id: alert!.id })).data.state, "acknowledged");
  await sql`update public.recruiting_orders set status = 'closed' where id = ${order.id}`;
  await sql`select private.check_alerts()`;
  const again = await client.rpc("acknowledge_alert", { alert_id: alert!.id });
  assert.match(again.error!.message, /^alert_id: the alert was resolved /);
});

Deno.test("the rule of a kind is changed by the numbers that it has", async () => {
  const set = (given: object) => client.rpc("set_alert_rule", { kind: "order_stalled", ...given });
  assert.match(
    (await set({ kind: "order_lost" })).error!.message,
    /^kind: "order_lost" is none; give one of: .*order_stalled/,
  );
  assert.match(
    (await set({ threshold: { days: "many" } })).error!.message,
    /^threshold: give each as a number above 0, up to 1,000,000$/,
  );
  assert.match(
    (await set({ threshold: { days: 2 } })).error!.message,
    /^threshold: "days" is none of this kind; it has: none$/,
  );
  assert.deepEqual((await set({})).data.is_on, true);
});
