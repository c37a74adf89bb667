/** The notification of a new lead costs no lead, and comes once. */
import assert from "node:assert/strict";
import { ingest, ingestBulk } from "../support/applications.ts";
import { assertResponse, atOnce, createOrder, createVendor, sql } from "../support/client.ts";
import { whileRefused } from "../../dev/testing/faults/database.ts";

/** The notifications of a vendor's leads: the agent and the lead of each. */
async function toldOf(vendor: { id: string }): Promise<string[]> {
  const rows = await sql`
    select n.agent_id, l.first_name, n.kind
    from public.agent_notifications n join public.recruiting_leads l on l.id = n.lead_id
    where l.vendor_id = ${vendor.id} order by l.first_name, n.agent_id`;
  return rows.map(({ agent_id, first_name, kind }) => `${kind} ${first_name} ${agent_id}`);
}

/** Tells what waits to be told, as the worker does. */
function tell() {
  return sql`select private.deliver_notifications()`;
}

Deno.test("a notification that fails costs neither its lead nor the notification of another one", async () => {
  const [vendor, other] = [await createVendor(), await createVendor()];
  const [order, others] = [await createOrder(vendor), await createOrder(other)];
  const agent_id = order.agent_ids[0]!;
  await whileRefused("public.agent_notifications", async () => {
    const lead = assertResponse(await ingest(vendor, { first_name: "Ann" }), 201);
    assert.deepEqual(lead.distributed_to, { agency_id: order.agency_id, agent_id });
    assertResponse(await ingest(other, { first_name: "Ben" }), 201);
    await tell();
    assert.deepEqual(await toldOf(vendor), []);
    assert.deepEqual(await toldOf(other), [`lead Ben ${others.agent_ids[0]}`]);
  }, `new.agent_id = '${agent_id}'`);
  await atOnce(5, () => tell());
  assert.deepEqual(await toldOf(vendor), [`lead Ann ${agent_id}`]);
});

Deno.test("agents are told of leads that are distributed, once, and of no bulk, duplicate or test lead", async () => {
  const vendor = await createVendor();
  const order = await createOrder(vendor);
  await ingest(vendor, { first_name: "Ann", vendor_lead_id: "1" });
  await ingest(vendor, { first_name: "Ann", vendor_lead_id: "1" });
  await ingest(vendor, { first_name: "Ben", is_test: true });
  await ingestBulk(vendor, { leads: [{ first_name: "Cyd" }] });
  await tell();
  await tell();
  assert.deepEqual(await toldOf(vendor), [`lead Ann ${order.agent_ids[0]}`]);
});
