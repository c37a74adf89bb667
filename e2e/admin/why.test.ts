/** `npm run admin -- check`, `order explain` and `lead explain`: what is wrong now, and why. */
import assert from "node:assert/strict";
import { admin, adminJson, assertAllRefused } from "../support/admin.ts";
import { createOrder, createVendor, send, sql, withKey } from "../support/client.ts";
import { createTarget, importLeads, lead as salesLead } from "../support/leads.ts";

/** Sends a lead from this state. */
async function ingest(vendor: { key: string }, state: string): Promise<string> {
  const { status, body } = await send("/recruiting/ingest", {
    headers: withKey(vendor as Parameters<typeof withKey>[0]),
    body: { first_name: "Ada", state },
  });
  assert.equal(status, 201);
  return body.id;
}

Deno.test("what is wrong is a line with the command that helps, and exit code 1", async () => {
  const vendor = await createVendor();
  const order = await createOrder(vendor);
  await sql`
    update public.recruiting_orders set starts_at = now() - interval '2 hours', ends_at = now() - interval '1 hour'
    where id = ${order.id}`;
  const id = order.id.slice(0, 8);
  const { code, out, err } = await admin("check");
  assert.equal(code, 1);
  assert.equal(err, "");
  assert.match(
    out,
    new RegExp(`^order ${id}: ended .* leads short\\. npm run admin -- order close ${id}$`, "m"),
  );
  const json = await admin("check --json");
  assert.equal(json.code, 1);
  const finding = JSON.parse(json.out).find(({ name }: { name: string }) => name === id);
  assert.equal(finding.kind, "order");
  assert.equal(finding.command, `order close ${id}`);
  await adminJson(`order close ${id}`);
  assert(!(await admin("check")).out.includes(id));
});

Deno.test("an order that gets nothing is explained, and so is its lead", async () => {
  const vendor = await createVendor();
  const [first, second] = [await createOrder(vendor), await createOrder(vendor)];
  await adminJson(`order update ${first.id} --priority 2000`);
  await adminJson(`order update ${second.id} --priority 1999 --states IL`);
  const lead = await ingest(vendor, "IL");

  const { out } = await admin(`order explain ${second.id}`);
  assert.match(
    out,
    new RegExp(
      `^The order is open, and gets no lead\\. It wants those of ${vendor.slug} from IL: 1 in seven days, of ` +
        "which 0 wait for an order\\. The orders, as of .* UTC:\n\norder_id ",
    ),
  );
  assert.match(out, new RegExp(`^${first.id.slice(0, 8)} .* 1\\/1000 +1 +yes +goes first$`, "m"));
  assert.match(
    out,
    new RegExp(`^${second.id.slice(0, 8)} .* others go first for every lead it wants$`, "m"),
  );
  const { order, orders } = await adminJson(`order explain ${second.id}`);
  assert.equal(order.gets_leads, false);
  assert.equal(orders.find(({ order_id }: { order_id: string }) => order_id === first.id).got, 1);

  const explained = await admin(`lead explain ${lead}`);
  const id = first.id.slice(0, 8);
  assert.match(
    explained.out,
    new RegExp(
      `^The lead is distributed, by the order ${id}\\. A new one of ${vendor.slug} from IL, as of .* UTC:\n\norder_id `,
    ),
  );
  assert.match(explained.out, new RegExp(`^${id} .* yes +would get it, for `, "m"));
  assert.match(
    explained.out,
    new RegExp(`^${second.id.slice(0, 8)} .* order ${id} goes first$`, "m"),
  );
});

Deno.test("an order that shares its leads by turns is told so, first or not", async () => {
  const vendor = await createVendor();
  const [first, second] = [await createOrder(vendor), await createOrder(vendor)];
  for (const { id } of [first, second]) await adminJson(`order update ${id} --priority 3000`);
  const turns = /^The order is open, and gets leads by turns with others of its priority, the least filled first\. /;
  for (const { id } of [first, second]) assert.match((await admin(`order explain ${id}`)).out, turns);
  await ingest(vendor, "IL");
  // The first one is fuller now.
  const { order, orders } = await adminJson(`order explain ${first.id}`);
  assert.deepEqual([order.gets_leads, order.takes_turns], [false, true]);
  const reasonOf = ({ id }: { id: string }) =>
    orders.find(({ order_id }: { order_id: string }) => order_id === id).reason;
  assert.equal(reasonOf(first), "takes turns with orders of its priority: the least filled goes first");
  assert.equal(reasonOf(second), "takes turns with it, and goes first now");
  for (const { id } of [first, second]) await adminJson(`order close ${id}`);
});

Deno.test("orders are listed with their leads of today beside the cap", async () => {
  const vendor = await createVendor();
  const order = await createOrder(vendor);
  await adminJson(`order update ${order.id} --daily-cap 5`);
  const listed = `order list --agency ${order.agency_id}`;
  assert.match((await admin(listed)).out, / leads_today +daily_cap +.*\n.* 0 +5 /);
  await ingest(vendor, "IL");
  await ingest(vendor, "IN");
  assert.deepEqual((await adminJson(listed)).map((row: Record<string, number>) => [row.leads_today, row.daily_cap]), [
    [2, 5],
  ]);
  // Leads of another day do not count.
  await sql`
    update public.recruiting_leads set distributed_at = now() - interval '2 days'
    where id = (select id from public.recruiting_leads where vendor_id = ${vendor.id} limit 1)`;
  assert.equal((await adminJson(listed))[0].leads_today, 1);
});

Deno.test("counts that differ are mended", async () => {
  const order = await createOrder(await createVendor());
  await sql`
    insert into private.recruiting_order_days (order_id, starts_at, ends_at, leads)
    values (${order.id}, now(), now() + interval '1 hour', 7)`;
  assert.match(
    (await admin("check")).out,
    new RegExp(`^order ${order.id.slice(0, 8)}: the day .* order recount$`, "m"),
  );
  const wrong = await adminJson("order recount");
  const { kept, counted } = wrong.find(({ order_id }: { order_id: string }) => order_id === order.id);
  assert.deepEqual([kept, counted], [7, 0]);
  assert.equal((await admin("order recount")).out, "Every count was right.\n");
});

Deno.test("what cannot be explained says why", async () => {
  const target = await createTarget();
  const imported = await importLeads(target, [salesLead({})]);
  await assertAllRefused(
    [1, /is a sales lead, which no order gets\.$/, `lead explain ${imported.body.lead_ids[0]}`],
    [1, /^There is no lead "4711-no"\./, "lead explain 4711-no"],
    [1, /^There is no order "ffffffff-no"\./, "order explain ffffffff-no"],
  );
});
