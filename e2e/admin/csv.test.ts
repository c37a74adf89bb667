/** `npm run admin -- lead list --csv`: more leads than one page has. */
import assert from "node:assert/strict";
import { admin, npmRun } from "../support/admin.ts";
import { createVendor, sql } from "../support/client.ts";

/** Stores leads of a new vendor, a second apart, and returns it with their ids, the newest first. */
async function storeLeads(names: readonly string[]) {
  const vendor = await createVendor();
  const rows = await sql<{ id: string }[]>`
    insert into public.recruiting_leads (vendor_id, first_name, distribution, created_at)
    select ${vendor.id}, name, 'unmatched', timestamptz '2026-03-08T12:00Z' + n * interval '1 second'
    from unnest(${names as string[]}::text[]) with ordinality n (name, n)
    returning id`;
  return { vendor, ids: rows.map(({ id }) => id).reverse() };
}

Deno.test("CSV has all leads of a list and whole ids, and runs nothing in a spreadsheet", async () => {
  const names = Array.from(
    { length: 2500 },
    (_, i) => i === 0 ? '=HYPERLINK("x")' : `Recruit ${i}`,
  );
  const { vendor, ids } = await storeLeads(names);
  const { code, out, err } = await npmRun("admin", `lead list --vendor ${vendor.slug} --csv`);
  assert.equal(code, 0, err);
  const lines = out.split("\r\n");
  assert.equal(
    lines[0],
    "id,received,vendor,vendor_lead_id,name,phone,email,state,distribution,distributed_at,agency,agent,agency_id,agent_id,order_id,returned_at,return_reason",
  );
  assert.deepEqual(lines.slice(1, -1).map((line) => line.split(",")[0]), ids);
  assert.equal(
    lines[1],
    `${ids[0]},2026-03-08T12:41:40.000Z,${vendor.slug},,Recruit 2499,,,,unmatched,,,,,,,,`,
  );
  assert.match(lines[2500]!, /,"'=HYPERLINK\(""x""\)",/);
  assert.equal(lines[2501], "");

  const some = await admin(`lead list --vendor ${vendor.slug} --csv --limit 1200`);
  assert.equal(some.out.split("\r\n").length, 1202);
  const none = await admin(`lead list --vendor ${(await createVendor()).slug} --csv`);
  assert.equal(none.out, `${lines[0]}\r\n`);
});
