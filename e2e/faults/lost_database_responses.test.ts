import assert from "node:assert/strict";
import {
  assertResponse,
  assertStored,
  atOnce,
  createOrder,
  createVendor,
  sql,
  stack,
  storedLeads,
  withKey,
} from "../support/client.ts";
import { functionWith, ingestHere } from "../support/function.ts";
import { createTarget, lead } from "../support/leads.ts";
import { createWebhook, proofOf } from "../support/webhooks.ts";
import { losingResponseOf } from "../../dev/testing/faults/responses.ts";

Deno.test("fault: leads that go in one call are stored once when its response is lost", async () => {
  const vendors = await Promise.all([createVendor(), createVendor()]);
  const order = await createOrder(vendors[0]!);
  // The function then knows the vendors, so that their leads come to its queue together.
  for (const vendor of vendors) await ingestHere(vendor, { first_name: "before" });
  const responses = await losingResponseOf(
    "ingest_recruiting_leads",
    () => atOnce(10, (n) => ingestHere(vendors[n % 2]!, { first_name: `lead ${n}` })),
  );
  assert.deepEqual(responses.map(({ status }) => status), Array(10).fill(201));
  for (const [which, vendor] of vendors.entries()) {
    const ids = responses.filter((_, n) => n % 2 === which).map(({ body }) => body.id);
    const stored = (await storedLeads(vendor)).slice(1);
    assert.deepEqual(stored.map(({ id }) => id).sort(), ids.sort());
  }
  for (const { body } of responses.filter((_, n) => n % 2 === 0)) {
    assert.equal(body.distributed_to.agency_id, order.agency_id);
  }
});

Deno.test("fault: a webhook's lead without an id is stored once, and known again, when the response is lost", async () => {
  const recruiting = await functionWith("recruiting", {});
  const webhook = await createWebhook("standard");
  const body = JSON.stringify({ first_name: "Ada" });
  const { path, headers } = proofOf(webhook, body);
  const post = () => recruiting(path, { headers, body });
  const { id } = assertResponse(await losingResponseOf("ingest_recruiting_leads", post), 201);
  assertResponse(await post(), 200, { id, status: "duplicate" });
  await assertStored(webhook, 1);
});

Deno.test("fault: bulk leads without ids are stored once, and counted right, when the response is lost", async () => {
  const recruiting = await functionWith("recruiting", {});
  const vendor = await createVendor();
  const response = await losingResponseOf(
    "ingest_recruiting_lead_batch",
    () =>
      recruiting("/recruiting/ingest/bulk", {
        headers: withKey(vendor),
        body: { leads: [{ first_name: "A" }, { first_name: "B" }, {}] },
      }),
  );
  const { created, duplicates, errors } = assertResponse(response, 200);
  assert.deepEqual([created, duplicates, errors.length], [2, 0, 1]);
  await assertStored(vendor, 2);
});

Deno.test("fault: imported leads are imported and no duplicates when the response is lost", async () => {
  const api = await functionWith("api", {});
  const target = await createTarget();
  const leads = [lead(), lead()];
  const headers = { "x-api-key": stack.leads_import_api_key };
  const sent = { headers, body: { ...target, leads } };
  const { body } = await losingResponseOf("import_leads", () => api("/api/leads/import", sent));
  const { imported, failed, lead_ids } = body;
  assert.deepEqual([imported, failed], [2, 0]);
  const stored = await sql`select id from public.leads where agency_id = ${target.agency_id}`;
  assert.deepEqual(stored.map(({ id }) => id).sort(), [...lead_ids].sort());
});
