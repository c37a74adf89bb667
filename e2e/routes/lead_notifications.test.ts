/** The notification of a new lead comes once. supabase/tests/texting/notifications.test.sql has who is notified. */
import assert from "node:assert/strict";
import { ingest, ingestBulk } from "../support/applications.ts";
import { atOnce, createOrder, createVendor, sql } from "../support/client.ts";
import { notifyAgents } from "../../dev/local/mod.ts";
import { eventually } from "../support/processes.ts";
import { whileRefused } from "../../dev/testing/faults/database.ts";

/** The notifications of a vendor's leads: the agent and the lead of each. */
async function notificationsOf(vendor: { id: string }): Promise<string[]> {
  const rows = await sql`
    select n.agent_id, l.first_name, n.kind
    from public.agent_notifications n join public.recruiting_leads l on l.id = n.lead_id
    where l.vendor_id = ${vendor.id} order by l.first_name, n.agent_id`;
  return rows.map(({ agent_id, first_name, kind }) => `${kind} ${first_name} ${agent_id}`);
}

/** Delivers the notifications that are due, as the scheduler does; the stack's own may be about to deliver some. */
function tell() {
  return notifyAgents(sql);
}

/** Stores so many leads for the agent of an order, who is not notified yet. */
function storeUntold(
  { id }: { id: string },
  { agency_id, agent_ids }: { agency_id: string; agent_ids: string[] },
  count: number,
) {
  return sql`
    with stored as (
      insert into public.recruiting_leads (vendor_id, first_name, distribution, agency_id, agent_id, distributed_at)
      select ${id}, 'Lead ' || n, 'distributed', ${agency_id}, ${agent_ids[
    0
  ]!}, now() from generate_series(1, ${count}::integer) n
      returning id
    )
    insert into private.lead_notifications_due (lead_id) select id from stored`;
}

Deno.test("agents are notified of leads that are distributed, once, and of no bulk, duplicate or test lead", async () => {
  const vendor = await createVendor();
  const order = await createOrder(vendor);
  await ingest(vendor, { first_name: "Ann", vendor_lead_id: "1" });
  await ingest(vendor, { first_name: "Ann", vendor_lead_id: "1" });
  await ingest(vendor, { first_name: "Ben", is_test: true });
  await ingestBulk(vendor, { leads: [{ first_name: "Cyd" }] });
  await tell();
  await tell();
  await eventually(10, async () => assert.deepEqual(await notificationsOf(vendor), [`lead Ann ${order.agent_ids[0]}`]));
});

Deno.test("a burst of several batches is delivered in one pass, where the notifications of another agent fail", async () => {
  const [vendor, other] = [await createVendor(), await createVendor()];
  const [order, others] = [await createOrder(vendor), await createOrder(other)];
  await whileRefused("public.agent_notifications", async () => {
    await storeUntold(vendor, order, 600);
    await storeUntold(other, others, 1_100);
    await tell();
    await eventually(60, async () => assert.equal((await notificationsOf(other)).length, 1_100));
    assert.equal((await notificationsOf(vendor)).length, 0);
  }, `new.agent_id = '${order.agent_ids[0]}'`);
  await atOnce(3, () => tell());
  await eventually(60, async () => assert.equal((await notificationsOf(vendor)).length, 600));
});
