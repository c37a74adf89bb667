import assert from "node:assert/strict";
import { createAgentWithLead, signInNewOperator } from "../support/agents.ts";
import { createVendor, send, sql } from "../support/client.ts";
import { reject } from "../support/deliveries.ts";
import { deskTest, hideOtherVendors, signIn } from "./harness.ts";

deskTest("the charts of vendors have the numbers of the rows as tables, with their quality and keys", async (page) => {
  const vendor = await createVendor();
  await sql`
    insert into public.recruiting_leads (vendor_id, first_name, distribution, created_at)
    select ${vendor.id}, 'Ada', 'unmatched', now() - d * interval '1 day'
    from generate_series(0, 14) d, generate_series(0, d % 4)`;
  const idle = await createVendor();
  await reject({ vendor_id: idle.id, payload: {} });
  await createAgentWithLead();
  await hideOtherVendors(page, vendor.slug, idle.slug);
  await signIn(page, await signInNewOperator(), "operator/vendors");
  const leads = page.getByRole("figure", { name: "Leads by vendor" });
  await leads.getByRole("button", { name: "Table" }).click();
  await leads.getByRole("columnheader", { name: vendor.slug }).waitFor();
  const [head, ...rows] = (await leads.getByRole("row").allInnerTexts()).map((row) => row.split("\t"));
  const place = head!.findIndex((title) => title.trim() === vendor.slug);
  const numbers = Array.from({ length: 14 }, (_, d) => d % 4 + 1);
  assert.deepEqual(rows.map((row) => Number(row[place])), numbers, "the latest day first");
  assert.equal(await leads.getByRole("columnheader", { name: "Imported sales leads" }).count(), 0);
  const quality = page.getByRole("table", { name: "Quality of leads" }).getByRole("row").filter({
    hasText: vendor.slug,
  });
  assert.equal(
    await quality.getByRole("cell").first().innerText(),
    String(numbers.reduce((all, number) => all + number)),
  );
  await page.getByText("Repeats are leads of people who had an earlier lead").getByRole("link").waitFor();
  await sql`update public.vendors set webhook_scheme = 'standard' where id = ${vendor.id}`;
  await sql`update public.vendor_api_keys set expires_at = now() + interval '5 days 1 hour' where vendor_id = ${vendor.id}`;
  await page.getByRole("link", { name: "Keys and mappings" }).click();
  const table = page.getByRole("table", { name: "Keys of vendors" });
  // The key that expires soon stands first.
  await table.getByRole("row").nth(2).getByText("in 5 days").waitFor();
  await table.getByRole("row").nth(2).getByRole("cell", { name: "uses its webhook" }).waitFor();
  const keys = table.getByRole("row").filter({ hasText: idle.slug });
  const cells = await keys.getByRole("cell").allInnerTexts();
  assert.deepEqual([cells[0], cells[2], cells[3]], ["1", "never", "never"]);
  assert.match(cells[1]!, /^(Today|[A-Z]\w\w \d+)$/, "the day of the last delivery, also one that was rejected");
  assert.equal(await keys.getByRole("button", { name: "New key" }).count(), 0);
  await table.getByRole("row").nth(2).getByRole("button", { name: "New key" }).waitFor();
  await keys.getByRole("button", { name: /^More about/ }).click();
  await page.getByRole("menuitem", { name: "New key" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "New key" }).click();
  const shown = page.getByText(`The new key of ${idle.slug}, shown only this once`);
  const key = await shown.locator("code").innerText();
  assert.equal(
    (await send("/recruiting/ingest", { headers: { authorization: `Bearer ${key}` }, body: {} })).status,
    400,
  );
  await keys.getByRole("cell", { name: "2", exact: true }).waitFor();
  await sql`delete from public.recruiting_leads where vendor_id = ${vendor.id}`;
});
