/** Operators replay what was refused. */
import assert from "node:assert/strict";
import { rowLock, whileHeld } from "../../dev/testing/faults/database.ts";
import { withFetch } from "../../dev/testing/faults/responses.ts";
import { signInNewOperator, type User } from "../support/agents.ts";
import {
  type ApiResponse,
  assertResponse,
  createOrder,
  createVendor,
  filledOf,
  send,
  sql,
  storedLeads,
  type Vendor,
  withKey,
} from "../support/client.ts";
import { reject } from "../support/deliveries.ts";
import { consoleOf, functionWith } from "../support/function.ts";
import { createTarget, lead as salesLead } from "../support/leads.ts";
import { actionsOf, operator, post } from "../support/operator.ts";
import { MISSING_FIRST_NAME } from "../../supabase/functions/recruiting/ingest/lead.ts";

async function replay(delivery_ids: string[], dry_run = false, by: User = operator): Promise<ApiResponse["body"][]> {
  const { results, ...rest } = assertResponse(await post("/deliveries/replay", { delivery_ids, dry_run }, by), 200);
  assert.deepEqual(rest, { dry_run });
  return results;
}

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
  assert.deepEqual(nameless, { delivery_id: ids[1], status: "refused", reason: MISSING_FIRST_NAME });
  assert.deepEqual([known.status, known.lead_id, known.lead.first_name], ["duplicate", stored, "Bob"]);
  assert.deepEqual(missing, { delivery_id: unknown, status: "refused", reason: "there is no such delivery" });

  assert.deepEqual(await actionsOf(trier), [["delivery replay", { delivery_ids: [...ids, unknown], dry_run: true }]]);
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
    { delivery_id: ids[0], status: "refused", reason: MISSING_FIRST_NAME },
    {
      delivery_id: ids[1],
      status: "created",
      lead_id: ids[1],
      distributed_to: { agency_id: order.agency_id, agent_id: order.agent_ids[0] },
    },
    { delivery_id: ids[2], status: "duplicate", lead_id: ids[1] },
    { delivery_id: ids[3], status: "refused", reason: "the delivery has been dismissed" },
  ]);
  assert.deepEqual(
    await replay(ids, false, by),
    results.map((result) => result.status === "refused" ? result : { ...result, was_replayed: true }),
    "again, the same",
  );
  assert.deepEqual((await storedLeads(vendor)).map(({ id, received_via }) => [id, received_via]), [[ids[1], "replay"]]);
  assert.equal(await filledOf(order), 1);
  assert.deepEqual(await actionsOf(by), Array(2).fill(["delivery replay", { delivery_ids: ids }]));
});

Deno.test("a row of an import is replayed, and one that the database refuses says so", async () => {
  const { agency_id, agent_id } = await createTarget();
  const row = { vendor_id: null, route: "/api/leads/import", row: 0 };
  const [good, bad] = await reject(
    { ...row, payload: salesLead(), context: { agency_id, agent_id } },
    { ...row, payload: salesLead(), context: { agency_id, agent_id: crypto.randomUUID() } },
  ) as [string, string];
  assert.deepEqual(await replay([good, bad]), [
    { delivery_id: good, status: "created", lead_id: good },
    { delivery_id: bad, status: "refused", reason: "the database refuses it" },
  ]);
});

Deno.test("a delivery for which there is no time is not tried, and is replayed when it is sent again", async () => {
  const { vendor, ids } = await rejectOf({ first_name: "Ada" }, { first_name: "Bob" }, { first_name: "Cy" });
  const here = await functionWith("desk", {});
  const headers = { authorization: `Bearer ${operator.token}`, "content-type": "application/json" };
  const sent = { headers, body: { delivery_ids: ids, dry_run: false } };
  const realNow = Date.now;
  const replayHere = async () => {
    const { status, body } = await here("/desk/deliveries/replay", sent);
    assert.equal(status, 200);
    return body.results.map(({ status }: { status: string }) => status);
  };
  try {
    await withFetch(async (fetch, input, init) => {
      const response = await fetch(input, init);
      // As if the first delivery took so long.
      if (String(input).endsWith("/rpc/replay_delivery")) Date.now = () => realNow() + 61_000;
      return response;
    }, () => consoleOf(async () => assert.deepEqual(await replayHere(), ["created", "not_tried", "not_tried"])));
  } finally {
    Date.now = realNow;
  }
  assert.equal((await storedLeads(vendor)).length, 1);
  await consoleOf(async () => assert.deepEqual(await replayHere(), ["created", "created", "created"]));
  assert.equal((await storedLeads(vendor)).length, 3);
});

Deno.test("a delivery that somebody has locked is refused, and does not stop the others", async () => {
  const { ids } = await rejectOf({ first_name: "Ada" }, { first_name: "Bob" });
  const results = await whileHeld(rowLock("public.rejected_deliveries", ids[0]!), () => replay(ids));
  const reason = "others have locked it; try again in a moment";
  assert.deepEqual(results[0], { delivery_id: ids[0], status: "refused", reason });
  assert.equal(results[1].status, "created");
  assert.equal((await replay(ids))[0].status, "created");
});
