/** The routes below `/operator` that list and count, and the one that hands out what is listed. */
import assert from "node:assert/strict";
import { signInNewOperator } from "../support/agents.ts";
import {
  type ApiResponse,
  assertResponse,
  createOrder,
  createVendor,
  send,
  sql,
  type Vendor,
  withKey,
} from "../support/client.ts";
import { reject } from "../support/deliveries.ts";
import { actionsOf, get, post } from "../support/operator.ts";

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
  const vendor = await rejectMany(1);
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
