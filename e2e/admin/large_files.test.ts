/** Files and lists with more rows than a command reads or stores at a time. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { admin, adminJson } from "../support/admin.ts";
import { createVendor, sql } from "../support/client.ts";

const folder = await Deno.makeTempDir();
Deno.test.afterAll(() => Deno.remove(folder, { recursive: true }));

Deno.test("lead import stores a file of several batches once, and its refused rows are in a file that can be imported again", async () => {
  const vendor = await createVendor();
  const file = join(folder, "leads.csv");
  const lines = Array.from({ length: 250 }, (_, i) => `id-${i},${i % 50 === 0 ? "" : `"Recruit, ${i}"`},Chicago`);
  await Deno.writeTextFile(file, `\uFEFFvendor_lead_id,first_name,city\r\n${lines.join("\r\n")}\r\n`);
  const importFile = async (path: string) => {
    const { out, err } = await admin(`--json lead import ${path} --vendor ${vendor.slug}`);
    assert.equal(err, "");
    const { created, duplicates, refused, refused_file } = JSON.parse(out);
    return { created, duplicates, refused, refused_file };
  };
  const refused_file = file.replace(".csv", ".refused.csv");

  assert.deepEqual(await importFile(file), { created: 245, duplicates: 0, refused: 5, refused_file });
  assert.deepEqual(await importFile(file), { created: 0, duplicates: 245, refused: 5, refused_file });
  const refused = await Deno.readTextFile(refused_file);
  assert.match(refused, /^vendor_lead_id,first_name,city,refused_because\r\nid-0,,Chicago,missing first_name\r\n/);
  await Deno.writeTextFile(refused_file, refused.replaceAll(",,Chicago", ",Ann,Chicago"));
  assert.deepEqual(await importFile(refused_file), { created: 5, duplicates: 0, refused: 0, refused_file: null });
  assert.equal((await adminJson(`lead match ${file} --vendor ${vendor.slug}`)).stored, 250);
});

Deno.test("suppression import stores more people than one statement takes, and again it changes nothing", async () => {
  const file = join(folder, `list of ${crypto.randomUUID()}.csv`);
  const rows = Array.from(
    { length: 10_001 },
    (_, i) =>
      i % 2 === 0
        ? `907-${200 + Math.floor(i / 10_000)}-${String(i % 10_000).padStart(4, "0")},`
        : `,person${i}@list.example`,
  );
  await Deno.writeTextFile(file, `phone,email\r\n${rows.join("\r\n")}\r\n`);
  try {
    const counts = { dry_run: false, rows: 10_001, extended: 0, refused: [] };
    const importIt = () => adminJson(`suppression import "${file}" --reason "state list"`);
    assert.deepEqual(await importIt(), { ...counts, added: 10_001, unchanged: 0 });
    assert.deepEqual(await importIt(), { ...counts, added: 0, unchanged: 10_001 });
  } finally {
    await sql`delete from public.suppressions where source like 'list of %'`;
  }
});

Deno.test("lead list --csv has all leads and whole ids, and runs nothing in a spreadsheet", async () => {
  const vendor = await createVendor();
  const rows = await sql<{ id: string }[]>`
    insert into public.recruiting_leads (vendor_id, first_name, distribution, created_at)
    select ${vendor.id}, case n when 1 then '=HYPERLINK("x")' else 'Recruit ' || n end, 'unmatched',
      timestamptz '2026-03-08T12:00Z' + n * interval '1 second'
    from generate_series(1, 2500) n
    returning id`;
  const list = async (options = "") =>
    (await admin(`lead list --vendor ${vendor.slug} --csv${options}`)).out.split("\r\n");
  const lines = await list();
  assert.deepEqual(lines.slice(1, -1).map((line) => line.split(",")[0]), rows.map(({ id }) => id).reverse());
  assert.match(lines[2500]!, /,"'=HYPERLINK\(""x""\)",/);
  assert.equal((await list(" --limit 1200")).length, 1202);
  assert.equal(
    lines[0],
    "id,received,vendor,vendor_lead_id,name,phone,email,state,distribution,distributed_at,agency,agent,agency_id,agent_id,order_id,returned_at,return_reason",
  );
});
