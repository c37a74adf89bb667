import assert from "node:assert/strict";
import {
  createOrder,
  createVendor,
  sql,
  stack,
  storedLeads,
  type Vendor,
  withKey,
} from "./support/client.ts";
import { functionWith, losingResponseOf } from "./support/function.ts";
import { createTarget, lead } from "./support/leads.ts";
import { createWebhook, proofOf } from "./support/webhooks.ts";

Deno.test("fault: a lead without an id is stored once when the database's response is lost", async () => {
  const recruiting = await functionWith("recruiting", {});
  const vendor = await createVendor();
  const order = await createOrder(vendor);
  const response = await losingResponseOf(
    "ingest_recruiting_leads",
    () =>
      recruiting("/recruiting/ingest", {
        method: "POST",
        headers: withKey(vendor),
        body: JSON.stringify({ first_name: "Ada" }),
      }),
  );
  const body = await response.json();
  assert.deepEqual([response.status, body.distributed_to.agency_id], [201, order.agency_id]);
  const leads = await storedLeads(vendor);
  assert.deepEqual(leads.map(({ id }) => id), [body.id]);
});

Deno.test("fault: leads that go in one call are stored once when its response is lost", async () => {
  const recruiting = await functionWith("recruiting", {});
  const vendors = await Promise.all([createVendor(), createVendor()]);
  const order = await createOrder(vendors[0]!);
  const post = async (vendor: Vendor, first_name: string) => {
    const init = { method: "POST", headers: withKey(vendor), body: JSON.stringify({ first_name }) };
    const response = await recruiting("/recruiting/ingest", init);
    return { status: response.status, body: await response.json() };
  };
  // The function then knows the vendors, so that their leads come to its queue together.
  for (const vendor of vendors) await post(vendor, "before");
  const responses = await losingResponseOf(
    "ingest_recruiting_leads",
    () => Promise.all(Array.from({ length: 10 }, (_, n) => post(vendors[n % 2]!, `lead ${n}`))),
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
  const post = () => recruiting(path, { method: "POST", headers, body });
  const first = await losingResponseOf("ingest_recruiting_leads", post);
  const { id } = await first.json();
  const again = await post();
  assert.deepEqual([first.status, again.status, await again.json()], [
    201,
    200,
    { id, status: "duplicate" },
  ]);
  assert.equal((await storedLeads(webhook)).length, 1);
});

Deno.test("fault: bulk leads without ids are stored once, and counted right, when the response is lost", async () => {
  const recruiting = await functionWith("recruiting", {});
  const vendor = await createVendor();
  const response = await losingResponseOf(
    "ingest_recruiting_lead_batch",
    () =>
      recruiting("/recruiting/ingest/bulk", {
        method: "POST",
        headers: withKey(vendor),
        body: JSON.stringify({ leads: [{ first_name: "A" }, { first_name: "B" }, {}] }),
      }),
  );
  assert.equal(response.status, 200);
  const { created, duplicates, errors } = await response.json();
  assert.deepEqual([created, duplicates, errors.length], [2, 0, 1]);
  assert.equal((await storedLeads(vendor)).length, 2);
});

Deno.test("fault: imported leads are imported and no duplicates when the response is lost", async () => {
  const api = await functionWith("api", {});
  const target = await createTarget();
  const leads = [lead(), lead()];
  const response = await losingResponseOf("import_leads", () =>
    api("/api/leads/import", {
      method: "POST",
      headers: { "x-api-key": stack.leads_import_api_key },
      body: JSON.stringify({ ...target, leads }),
    }));
  const { imported, failed, lead_ids } = await response.json();
  assert.deepEqual([imported, failed], [2, 0]);
  const stored = await sql`select id from public.leads where agency_id = ${target.agency_id}`;
  assert.deepEqual(stored.map(({ id }) => id).sort(), [...lead_ids].sort());
});
