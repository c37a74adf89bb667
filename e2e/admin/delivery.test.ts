/** `npm run admin -- delivery`: from the refused request to the stored lead. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { admin, adminJson, assertRefused } from "../support/admin.ts";
import { createVendor, PDF, send, sql, storedLeads, type Vendor, withKey } from "../support/client.ts";
import { createTarget, importLeads, lead as salesLead, storedLeads as storedSalesLeads } from "../support/leads.ts";
import { eventually } from "../support/processes.ts";
import { MISSING_FIRST_NAME } from "../../supabase/functions/recruiting/ingest/lead.ts";

/** A payload that the vendor's parser does not read yet: the name is in a field that only this mapping knows. */
const MAPPING = { fields: { first_name: "who", vendor_lead_id: "ref", phone: "phone" } };

async function putRight(vendor: Vendor): Promise<void> {
  await sql`
    update public.vendors set parser = 'mapping', parser_config = ${sql.json(MAPPING)}
    where id = ${vendor.id}`;
}

function replayAll(vendor: Vendor) {
  return adminJson(`delivery replay --vendor ${vendor.slug}`);
}

Deno.test("a lead, a row in bulk and a row of an import go from the refused request to the stored lead", async () => {
  const vendor = await createVendor();
  const headers = withKey(vendor);
  const refused = await send("/recruiting/ingest", { headers, body: { ref: "1", who: "Ann" } });
  assert.equal(refused.status, 400);
  const bulk = await send("/recruiting/ingest/bulk", {
    headers,
    body: { leads: [{ first_name: "Bob" }, { ref: "2", who: "Cem" }] },
  });
  assert.equal(bulk.body.errors.length, 1);

  const listed = await eventually(5, async () => {
    const rows = await adminJson(`delivery list --vendor ${vendor.slug}`);
    assert.equal(rows.length, 2);
    return rows;
  });
  const [inBulk, single] = listed;
  assert.partialDeepStrictEqual(single, {
    ...{ route: "/recruiting/ingest", row: null, code: "BAD_REQUEST" },
    ...{ reason: MISSING_FIRST_NAME, request_id: refused.body.request_id },
  });
  assert.partialDeepStrictEqual(inBulk, { route: "/recruiting/ingest/bulk", row: 1 });

  await putRight(vendor);
  assert.partialDeepStrictEqual(await replayAll(vendor), { created: 2, refused: 0 });
  assert.deepEqual(
    (await storedLeads(vendor)).map(({ first_name }) => first_name).toSorted(),
    ["Ann", "Bob", "Cem"],
  );

  const target = await createTarget();
  const wrong = salesLead({ type: "boat" });
  await importLeads(target, [salesLead(), wrong]);
  const [delivery] = await eventually(5, async () => {
    const found = await adminJson(`lead find ${String(wrong.external_id)}`);
    assert.equal(found.length, 1);
    return found;
  });
  assert.equal(delivery.kind, "delivery");
  assertRefused(await admin(`delivery replay ${delivery.id}`), 1, /type/);
  // As an operator does who knows which type was meant.
  await sql`
    update public.rejected_deliveries
    set payload = payload || '{"type": "fe"}' where id = ${delivery.id}`;
  await adminJson(`delivery replay ${delivery.id}`);
  assert((await storedSalesLeads(target)).has(String(wrong.external_id)));
});

Deno.test("a lead whose file was not kept is stored without it, and says so", async () => {
  const vendor = await createVendor();
  const body = { who: "Ida", cv: Buffer.from(PDF).toString("base64") };
  const { status } = await send("/recruiting/ingest", { headers: withKey(vendor), body });
  assert.equal(status, 400);
  const mapping = { fields: { first_name: "who", resume: { data: "cv" } } };
  await sql`
    update public.vendors set parser = 'mapping', parser_config = ${sql.json(mapping)}
    where id = ${vendor.id}`;
  await eventually(5, async () => assert.equal((await replayAll(vendor)).created, 1));
  const [lead] = await storedLeads(vendor);
  assert.equal(lead!.resume_path, null);
  assert.equal(lead!.vendor_metadata.resume_skipped, "replay");
});
