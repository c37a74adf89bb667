import assert from "node:assert/strict";
import { createOrder, createVendor, sql, stack, storedLeads, withKey } from "./client.ts";
import { functionWith } from "./function.ts";
import { createTarget, lead } from "./leads.ts";

/** Runs something while the first response of an SQL function is lost, after the function has been carried out. */
async function losingResponseOf<Result>(
  sqlFunction: string,
  run: () => Promise<Result>,
): Promise<Result> {
  const realFetch = globalThis.fetch;
  let lost = 0;
  globalThis.fetch = async (input, init) => {
    const response = await realFetch(input, init);
    if (lost === 1 || !String(input).endsWith(`/rpc/${sqlFunction}`)) return response;
    lost++;
    await response.body?.cancel();
    throw new TypeError("the connection was closed");
  };
  try {
    return await run();
  } finally {
    globalThis.fetch = realFetch;
    assert.equal(lost, 1);
  }
}

Deno.test("fault: a lead without an id is stored once when the database's response is lost", async () => {
  const recruiting = await functionWith("recruiting", {});
  const vendor = await createVendor();
  const order = await createOrder(vendor);
  const response = await losingResponseOf(
    "ingest_recruiting_lead",
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

Deno.test("fault: bulk leads without ids are stored once, and counted right, when the response is lost", async () => {
  const recruiting = await functionWith("recruiting", {});
  const vendor = await createVendor();
  const response = await losingResponseOf(
    "ingest_recruiting_leads",
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
