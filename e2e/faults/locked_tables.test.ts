/** A table that somebody has locked, as `create index` does, loses no lead and stops no other request. */
import assert from "node:assert/strict";
import { ingest, ingestBulk, PDF_BASE64 } from "../support/applications.ts";
import {
  assertDailyCounts,
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
import { createWebhook, deliver } from "../support/webhooks.ts";
import { tableLock, whileHeld, whileRefused } from "../../dev/testing/faults/database.ts";

/** The lock of `create index`, and the one of `alter table`. */
const MODES = ["share", "access exclusive"];

/** Runs something while a table is locked in an open transaction. No order takes the leads of any vendor then. */
async function whileLocked(table: string, mode: string, run: () => Promise<void>): Promise<void> {
  await withoutOpenOrders(() => whileHeld(tableLock(table, mode), run));
}

for (
  const table of ["public.recruiting_orders", "public.agents", "private.recruiting_order_days"]
) {
  for (const mode of MODES) {
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
}

Deno.test("fault: the next lead distributes what a locked table has left pending, and before itself", async () => {
  const vendor = await createVendor();
  const order = await createOrder(vendor, { quantity: 1 });
  let left: string | undefined;
  await whileLocked("public.recruiting_orders", "share", async () => {
    left = (await ingest(vendor, { first_name: "first" })).body.id;
  });
  const next = await ingest(vendor, { first_name: "next" });
  assert.equal(next.status, 201);
  const stored = new Map((await storedLeads(vendor)).map((lead) => [lead.id, lead.order_id]));
  assert.equal(stored.get(left), order.id);
  assert.notEqual(stored.get(next.body.id), order.id);
});

/** A fault that makes it impossible to record a duplicate, and the end of it. */
const UNRECORDABLE: Record<string, (run: () => Promise<void>) => Promise<void>> = {
  "their table is locked": (run) => whileLocked("public.recruiting_lead_duplicates", "share", run),
  "a trigger refuses them": (run) => whileRefused("public.recruiting_lead_duplicates", run),
};

function recordedDuplicates(vendor: Vendor) {
  return sql`select from public.recruiting_lead_duplicates where vendor_id = ${vendor.id}`;
}

for (const [what, whileUnrecordable] of Object.entries(UNRECORDABLE)) {
  Deno.test(`fault: a duplicate that cannot be recorded is one anyway, with a line in the log: ${what}`, async () => {
    const [vendor, webhook] = [await createVendor(), await createWebhook("standard")];
    const lead = { first_name: "Ada", vendor_lead_id: "1" };
    const first = await ingest(vendor, lead);
    const delivery = { id: crypto.randomUUID() };
    const hooked = await deliver(webhook, { first_name: "Ada" }, delivery);

    const sentAgain: string[] = [];
    await whileUnrecordable(async () => {
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
}
