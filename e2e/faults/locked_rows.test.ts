/** Rows that somebody with an open transaction has locked stop nobody else. */
import assert from "node:assert/strict";
import { ingest } from "../support/applications.ts";
import {
  type ApiResponse,
  assertDailyCounts,
  assertResponse,
  atOnce,
  createOrder,
  createVendor,
  filledOf,
  sql,
  storedLeads,
  turnsOf,
  type Vendor,
  withoutOpenOrders,
} from "../support/client.ts";
import { createActivity, logActivity } from "../support/leads.ts";
import { eventually } from "../support/processes.ts";
import { createConversation, receive } from "../support/sms.ts";
import { rowLock, whileHeld } from "../../dev/testing/faults/database.ts";

/** Keeps an order locked in an open transaction, as an operator may, until `run` ends. No other order is open then. */
async function whileLocked(order: { id: string }, run: () => Promise<void>): Promise<void> {
  await withoutOpenOrders(() => whileHeld(rowLock("public.recruiting_orders", order.id), run));
}

function ingestMany(vendor: Vendor, count: number) {
  return atOnce(
    count,
    (n) => ingest(vendor, { first_name: "A", vendor_lead_id: `${vendor.slug}-${n}` }),
  );
}

function assertHandedOut({ status, body }: ApiResponse, order: { agency_id: string }): void {
  assert.deepEqual([status, body.distributed_to?.agency_id], [201, order.agency_id]);
}

Deno.test("fault: while an order is locked its 50 leads wait, and everything else goes on", async () => {
  const [lockedOut, other] = [await createVendor(), await createVendor()];
  const lockedOrder = await createOrder(lockedOut, { agents: 5 });
  const otherOrder = await createOrder(other);
  const conversation = await createConversation();
  const activity = await createActivity();

  await whileLocked(lockedOrder, async () => {
    const waiting = ingestMany(lockedOut, 50);
    const handedOut = ingestMany(other, 10);
    const texts = atOnce(10, () => receive(conversation));
    const activities = atOnce(10, () => logActivity(activity));
    // All responses come while the order is locked: nothing here waits for the lock to end.
    for (const response of await handedOut) assertHandedOut(response, otherOrder);
    for (const response of await texts) assertResponse(response, 200, { status: "received" });
    for (const response of await activities) assertResponse(response, 200);
    for (const { status, body } of await waiting) {
      assert.deepEqual([status, body.distributed_to], [201, null]);
    }
    const stored = await storedLeads(lockedOut);
    assert.deepEqual(stored.map(({ distribution }) => distribution), Array(50).fill("pending"));
  });

  // No request comes any more. The function goes on asking after its response.
  await eventually(20, async () => {
    const stored = await storedLeads(lockedOut);
    assert.deepEqual(stored.map(({ order_id }) => order_id), Array(50).fill(lockedOrder.id));
  });
  assert.equal(await filledOf(lockedOrder), 50);
  assert.deepEqual(await turnsOf(lockedOrder), Array(5).fill(10));
  await assertDailyCounts();
});

Deno.test("fault: while somebody stores a lead and has not committed, the same lead is retried, and others are distributed", async () => {
  for (const outcome of ["committed", "rolled back"]) {
    const [vendor, other] = [await createVendor(), await createVendor()];
    const [order, otherOrder] = [await createOrder(vendor), await createOrder(other)];
    let retried: ReturnType<typeof ingest> | undefined;
    await sql.begin(async (transaction) => {
      await transaction`
        insert into public.recruiting_leads (vendor_id, vendor_lead_id, first_name) values (${vendor.id}, 'same', 'Ada')`;
      retried = ingest(vendor, { first_name: "Ada", vendor_lead_id: "same" });
      for (const response of await ingestMany(other, 10)) assertHandedOut(response, otherOrder);
      if (outcome === "rolled back") throw new Error(outcome);
    }).catch((error) => assert.equal(error.message, outcome));

    const { status, body } = await retried!;
    const [stored] = await storedLeads(vendor);
    assert.equal(body.id, stored!.id);
    const isFirst = outcome === "rolled back";
    assert.deepEqual([status, stored!.order_id], isFirst ? [201, order.id] : [200, null]);
    assert.equal(await filledOf(order), isFirst ? 1 : 0);
  }
  await assertDailyCounts();
});

Deno.test("fault: a lead whose request has died is distributed with the next one, and before it", async () => {
  const vendor = await createVendor();
  const order = await createOrder(vendor, { quantity: 1 });
  const [left] = await sql`
    insert into public.recruiting_leads (vendor_id, first_name, distribution)
    values (${vendor.id}, 'Ada', 'pending') returning id`;

  const { status, body } = await ingest(vendor, { first_name: "B" });
  assert.equal(status, 201);
  const stored = new Map((await storedLeads(vendor)).map((row) => [row.id, row]));
  assert.equal(stored.get(left!.id)!.order_id, order.id);
  assert.notEqual(stored.get(body.id)!.order_id, order.id);
});

Deno.test("fault: a lead that a crash takes before it is on disk is stored again before the response", async () => {
  const vendor = await createVendor();
  const order = await createOrder(vendor);
  let responses: ReturnType<typeof ingestMany> | undefined;
  await sql.begin(async (transaction) => {
    // Nobody distributes leads meanwhile, so the leads are pending, and the function asks where they went.
    await transaction`select pg_advisory_xact_lock(private.distribution_lock())`;
    responses = ingestMany(vendor, 4);
    await eventually(2, async () => assert.equal((await storedLeads(vendor)).length, 4));
    // The state after the crash.
    const lost = await sql`delete from public.recruiting_leads where vendor_id = ${vendor.id} returning id`;
    assert.equal(lost.length, 4);
  });
  const ids = (await responses!).map((response) => {
    assertHandedOut(response, order);
    return response.body.id;
  });
  const stored = await storedLeads(vendor);
  assert.deepEqual(stored.map(({ id }) => id).sort(), ids.sort());
  await assertDailyCounts();
});
