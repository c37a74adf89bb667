/** A table that somebody has locked, as `create index` does, loses no lead and stops no other request. */
import assert from "node:assert/strict";
import { ingest, ingestBulk, PDF_BASE64 } from "../support/applications.ts";
import {
  assertDailyCounts,
  assertError,
  assertResponse,
  atOnce,
  createOrder,
  createVendor,
  filledOf,
  sql,
  storedLeads,
  type Vendor,
  withoutOpenOrders,
} from "../support/client.ts";
import { eventually, loggedErrors } from "../support/processes.ts";
import { createConversation, receive } from "../support/sms.ts";
import { createWebhook, deliver, rejected } from "../support/webhooks.ts";
import { tableLock, whileHeld } from "../../dev/testing/faults/database.ts";

/** Tables on the road of a lead, with the lock of `create index` or the one of `alter table`. */
const LOCKS = [
  ["public.recruiting_orders", "share"],
  ["public.agents", "access exclusive"],
  ["private.recruiting_order_days", "share"],
] as const;

/** Runs something while a table is locked in an open transaction. No order takes the leads of any vendor then. */
async function whileLocked(table: string, mode: string, run: () => Promise<void>): Promise<void> {
  await withoutOpenOrders(() => whileHeld(tableLock(table, mode), run));
}

for (const [table, mode] of LOCKS) {
  Deno.test(`fault: while a table is locked leads are stored and wait, and are distributed afterwards: ${table}, ${mode}`, async () => {
    const [vendor, webhook] = [await createVendor(), await createWebhook()];
    const orders = [await createOrder(vendor), await createOrder(webhook)];
    const conversation = await createConversation(orders[0]!.agency_id, orders[0]!.agent_ids[0]);

    await whileLocked(table, mode, async () => {
      const leads = Array.from({ length: 20 }, (_, n) => ({
        first_name: `lead ${n}`,
        ...n % 2 === 0 ? { vendor_lead_id: `${n}` } : {},
        ...n % 4 === 0 ? { resume: PDF_BASE64 } : {},
      }));
      const responses = Promise.all([
        ...leads.map((lead) => ingest(vendor, lead)),
        deliver(webhook, { first_name: "hooked" }),
      ]);
      const texts = atOnce(10, () => receive(conversation));
      for (const { status, body } of await responses) {
        assert.deepEqual([status, body.distributed_to], [201, null], JSON.stringify(body));
      }
      for (const response of await texts) assertResponse(response, 200, { status: "received" });
      const again = await ingest(vendor, leads[0]);
      assert.deepEqual([again.status, again.body.status], [200, "duplicate"]);
      const dryRun = await ingest(vendor, { first_name: "A" }, "?dry_run=true");
      assert.deepEqual([dryRun.status, dryRun.body.status], [200, "created"]);
      for (const { distribution } of await storedLeads(vendor)) {
        assert.equal(distribution, "pending");
      }
    });

    const handedOut = [vendor, webhook].map((sender, n) =>
      eventually(20, async () => {
        for (const lead of await storedLeads(sender)) assert.equal(lead.order_id, orders[n]!.id);
      })
    );
    await Promise.all(handedOut);
    // As the scheduler does.
    await sql`select private.deliver_notifications()`;
    const told = await sql`
      select from public.agent_notifications where conversation_id = ${conversation.id} and kind = 'text'`;
    assert.equal(told.length, 10);
    assert.deepEqual(await Promise.all(orders.map(filledOf)), [20, 1]);
    await assertDailyCounts();
  });
}

function recordedDuplicates(vendor: Vendor) {
  return sql`select from public.recruiting_lead_duplicates where vendor_id = ${vendor.id}`;
}

Deno.test("fault: a duplicate that cannot be recorded, because their table is locked, is one anyway, with a line in the log", async () => {
  const [vendor, webhook] = [await createVendor(), await createWebhook("standard")];
  const lead = { first_name: "Ada", vendor_lead_id: "1" };
  const first = await ingest(vendor, lead);
  const delivery = { id: crypto.randomUUID() };
  const hooked = await deliver(webhook, { first_name: "Ada" }, delivery);

  const sentAgain: string[] = [];
  await whileLocked("public.recruiting_lead_duplicates", "share", async () => {
    const duplicate = await ingest(vendor, { ...lead, resume: PDF_BASE64 });
    assertResponse(duplicate, 200, { id: first.body.id, status: "duplicate" });
    const repeated = await deliver(webhook, { first_name: "Ada" }, delivery);
    assertResponse(repeated, 200, { id: hooked.body.id, status: "duplicate" });
    const leads = [lead, { first_name: "Bob", vendor_lead_id: "2" }, { first_name: "C" }];
    const bulk = await ingestBulk(vendor, { leads });
    assertResponse(bulk, 200, { created: 2, duplicates: 1, errors: [] });
    for (const { headers } of [duplicate, repeated, bulk]) {
      sentAgain.push(headers.get("x-request-id")!);
    }
  });

  assert.equal((await recordedDuplicates(vendor)).length, 0);
  assert.equal((await storedLeads(vendor)).length, 3);
  for (const id of sentAgain) {
    // A line is on its way to the log for a moment.
    await eventually(2, () => {
      const line = loggedErrors().split("\n").find((line) => line.includes(id));
      return Promise.resolve(assert.match(line ?? "none", /"event":"duplicate_not_recorded"/));
    });
  }
  await ingest(vendor, lead);
  assert.equal((await recordedDuplicates(vendor)).length, 1, "afterwards they are recorded");
});

Deno.test("fault: a notice of a lead that cannot be kept, because the table is locked, is INTERNAL_ERROR, and kept when it comes again", async () => {
  const webhook = await createWebhook("linkedin", { parser: "linkedin" });
  const leadGenFormResponse = "urn:li:leadGenFormResponse:52dc-5";
  const notice = { type: "LEAD_ACTION", leadAction: "CREATED", leadGenFormResponse };
  await whileHeld(tableLock("public.rejected_deliveries", "share"), async () => {
    assertError(await deliver(webhook, notice), 500, "INTERNAL_ERROR", /./);
    const dryRun = await deliver(webhook, notice, { query: "dry_run=true" });
    assertResponse(dryRun, 200, { status: "ignored" });
  });
  assertResponse(await deliver(webhook, notice), 200, { status: "ignored" });
  const kept = await rejected(webhook);
  assert.deepEqual(kept.map(({ code, vendor_lead_id }) => [code, vendor_lead_id]), [["BAD_REQUEST", "52dc-5"]]);
});
