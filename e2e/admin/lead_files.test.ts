/** `npm run admin -- lead import` with as many rows as a bulk request may have. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { admin } from "../support/admin.ts";
import { createVendor, sql } from "../support/client.ts";

const ROWS = 10_000;

Deno.test("a file of 10,000 rows is stored once, and its refused rows are in a file that can be imported again", async () => {
  const vendor = await createVendor();
  const file = join(await Deno.makeTempDir(), "leads.csv");
  const lines = Array.from({ length: ROWS }, (_, i) => `id-${i},${i % 1000 === 0 ? "" : `"Recruit, ${i}"`},Chicago`);
  await Deno.writeTextFile(file, `\uFEFFvendor_lead_id,first_name,city\r\n${lines.join("\r\n")}\r\n`);
  const importFile = async (path: string) => {
    const { out, err } = await admin(`--json lead import ${path} --vendor ${vendor.slug}`);
    assert.equal(err, "");
    const { created, duplicates, refused, refused_file } = JSON.parse(out);
    return { created, duplicates, refused, refused_file };
  };
  const refused_file = file.replace(".csv", ".refused.csv");

  assert.deepEqual(await importFile(file), { created: 9990, duplicates: 0, refused: 10, refused_file });
  assert.deepEqual(await importFile(file), { created: 0, duplicates: 9990, refused: 10, refused_file });
  const [stored] = await sql`
    select count(*)::int, count(*) filter (where distribution = 'not_requested')::int as waiting
    from public.recruiting_leads where vendor_id = ${vendor.id}`;
  assert.deepEqual(stored, { count: 9990, waiting: 9990 });
  const refused = await Deno.readTextFile(refused_file);
  assert.match(refused, /^vendor_lead_id,first_name,city,refused_because\r\nid-0,,Chicago,missing first_name\r\n/);

  await Deno.writeTextFile(refused_file, refused.replaceAll(",,Chicago", ",Ann,Chicago"));
  assert.deepEqual(await importFile(refused_file), { created: 10, duplicates: 0, refused: 0, refused_file: null });
  const { out } = await admin(`--json lead match ${file} --vendor ${vendor.slug}`);
  assert.deepEqual(JSON.parse(out).stored, ROWS);
});
