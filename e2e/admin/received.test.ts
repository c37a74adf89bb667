/** `npm run admin`: what came, in lists and reports. */
import assert from "node:assert/strict";
import { admin, adminJson, assertAllRefused, npmRun } from "../support/admin.ts";
import { createOrder, createVendor, send, sql, withKey, withoutOpenOrders } from "../support/client.ts";

interface Listed {
  leads: { id: string; name: string; agent: string | null }[];
  next: string | null;
}

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

Deno.test("leads are listed in pages, the newest first", async () => {
  const { vendor, ids } = await storeLeads(["Ann", "Bob", "Cem"]);
  const line = `lead list --vendor ${vendor.slug} --since 2026-03-08 --until 2026-03-08 --limit 2`;
  const first: Listed = await adminJson(line);
  assert.deepEqual(first.leads.map(({ id }) => id), ids.slice(0, 2));
  assert.equal(first.next, ids[1]);
  const { leads, next }: Listed = await adminJson(`${line} --after ${first.next}`);
  assert.deepEqual(leads.map(({ id }) => id), ids.slice(2));
  assert.equal(next, null);

  const { out } = await admin(line);
  assert.match(
    out,
    new RegExp(`\\bCem\\b.*\\n.*\\bBob\\b.*\\n\\nThe next page: --after ${ids[1]}\\n$`),
  );
  assert.equal((await admin(`${line} --distribution pending`)).out, "No lead is like that.\n");
});

Deno.test("leads are listed by their agency, agent and order", async () => {
  const vendor = await createVendor();
  const order = await createOrder(vendor, { agents: 2 });
  for (const first_name of ["Ann", "Bob"]) {
    await send("/recruiting/ingest", { headers: withKey(vendor), body: { first_name } });
  }
  const names = async (filter: string) => {
    const { leads }: Listed = await adminJson(`lead list ${filter}`);
    return leads.map(({ name }) => name);
  };
  const { leads }: Listed = await adminJson(`lead list --order ${order.id}`);
  assert.deepEqual(leads.map(({ name }) => name), ["Bob", "Ann"]);
  assert.deepEqual(await names(`--agency ${order.agency_id} --distribution distributed`), [
    "Bob",
    "Ann",
  ]);
  assert.deepEqual(await names(`--agency ${order.agency_id} --agent "${leads[1]!.agent}"`), [
    "Ann",
  ]);
});

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
    "id,received,vendor,vendor_lead_id,name,phone,email,state,distribution,agency,agent,agency_id,agent_id,order_id",
  );
  assert.deepEqual(lines.slice(1, -1).map((line) => line.split(",")[0]), ids);
  assert.equal(
    lines[1],
    `${ids[0]},2026-03-08T12:41:40.000Z,${vendor.slug},,Recruit 2499,,,,unmatched,,,,,`,
  );
  assert.match(lines[2500]!, /,"'=HYPERLINK\(""x""\)",/);
  assert.equal(lines[2501], "");

  const some = await admin(`lead list --vendor ${vendor.slug} --csv --limit 1200`);
  assert.equal(some.out.split("\r\n").length, 1202);
  const none = await admin(`lead list --vendor ${(await createVendor()).slug} --csv`);
  assert.equal(none.out, `${lines[0]}\r\n`);
});

Deno.test("a report counts what came by vendor, day, agency, agent and order", async () => {
  const vendor = await createVendor();
  const ingest = (body: object) => send("/recruiting/ingest", { headers: withKey(vendor), body });
  await withoutOpenOrders(async () => {
    await ingest({ vendor_lead_id: "1", first_name: "Ann" });
    await ingest({ vendor_lead_id: "1", first_name: "Ann" });
  });
  const order = await createOrder(vendor);
  await ingest({ vendor_lead_id: "2", first_name: "Bob" });
  await send("/recruiting/ingest/bulk", {
    headers: withKey(vendor),
    body: { leads: [{ vendor_lead_id: "2", first_name: "Bob" }, { first_name: "Cem" }, {}] },
  });
  const line = `report --vendor ${vendor.slug}`;
  const totals = {
    ...{ created: 3, duplicates: 2, refused: 1, refused_by_reason: { "missing first_name": 1 } },
    ...{ distributed: 1, unmatched: 1, texted: 0, answered: 0, opted_out: 0 },
  };
  const byVendor = await adminJson(`${line} --by vendor`);
  assert.deepEqual(byVendor, { rows: [{ vendor: vendor.slug, ...totals }], totals });
  for (const by of ["day", "agency", "agent", "order"]) {
    assert.deepEqual((await adminJson(`${line} --by ${by}`)).totals, totals, by);
  }
  const byAgency = await adminJson(`${line} --by agency`);
  const countsOf = (
    { agency_id, created, duplicates, refused }: Record<string, unknown>,
  ) => [agency_id, created, duplicates, refused];
  assert.deepEqual(byAgency.rows.map(countsOf), [[order.agency_id, 1, 1, 0], [null, 2, 1, 1]]);
  const table = (await admin(`${line} --by vendor`)).out.split("\n")
    .map((text) => text.split(/ {2,}/));
  const counts = ["3", "2", "1", "1", "1", "0", "0", "0", "1 × missing first_name"];
  assert.deepEqual(table, [
    ["vendor", ...Object.keys(totals).filter((name) => name !== "refused_by_reason"), "reasons"],
    [vendor.slug, ...counts],
    ["total", ...counts],
    [""],
  ]);
  assert.equal(
    (await admin(`${line} --by vendor --csv`)).out,
    "vendor,created,duplicates,refused,refused_by_reason,distributed,unmatched,texted,answered,opted_out\r\n" +
      `${vendor.slug},3,2,1,"{""missing first_name"":1}",1,1,0,0,0\r\n`,
  );
  const quiet = await createVendor();
  assert.match(
    (await admin(`report --vendor ${quiet.slug}`)).out,
    /^Nothing was received on these days/,
  );
});

Deno.test("what no list or report can be is an error in one line", async () => {
  await assertAllRefused(
    [2, /^--csv: it cannot be printed with --json$/, "lead list --csv --json"],
    [2, /^--csv: it cannot be printed with --json$/, "--json report --csv"],
    [
      2,
      /^--until: 2026-03-01 is before --since 2026-03-02$/,
      "report --since 2026-03-02 --until 2026-03-01",
    ],
    [2, /^--until: "2026-02-30" is not a day such as/, "lead list --until 2026-02-30"],
    [2, /^--by: "week" is not vendor or agency or agent or order or day$/, "report --by week"],
    [2, /^--after: "4711" is not the whole id of a lead/, "lead list --after 4711"],
    [1, /^--after: there is no lead 0{8}-/, "lead list --after 00000000-0000-0000-0000-000000000000"],
    [1, /^--timezone: "Mars" is not an IANA time zone name$/, "report --timezone Mars"],
    [1, /^There is no vendor "nobody-4711"/, "lead list --vendor nobody-4711"],
  );
});
