/** Operators distribute the leads that wait. */
import assert from "node:assert/strict";
import { signInNewOperator } from "../support/agents.ts";
import { createOrder, createVendor, sql, storedLeads } from "../support/client.ts";
import { assertAccessible, deskTest, signIn } from "./harness.ts";

deskTest("waiting leads go to the orders that want them, and the page shows which agent got which", async (page) => {
  const vendor = await createVendor();
  // They wait longer than all others.
  await sql`
    insert into public.recruiting_leads (vendor_id, first_name, distribution, vendor_metadata, created_at)
    select ${vendor.id}, 'Ada ' || n, 'unmatched', '{"state": "TX"}', '2020-01-01'::timestamptz + n * interval '1 hour'
    from generate_series(1, 3) n`;
  const order = await createOrder(vendor, { quantity: 2 });
  await signIn(page, await signInNewOperator(), "operator/waiting");
  const table = page.getByRole("table", { name: "Waiting leads", exact: true });
  const own = table.getByRole("row").filter({ hasText: vendor.slug });
  await own.first().waitFor();
  assert.equal(await own.count(), 3);
  await page.getByLabel("Vendor", { exact: true }).selectOption({ label: `${vendor.slug} (3)` });
  await page.getByText("Open orders now want 3 of them.").waitFor();
  await page.getByText("An order takes by itself only leads that come later").waitFor();
  const state = page.getByRole("table", { name: "Waiting leads by state" }).getByRole("row").filter({
    hasText: "Texas",
  });
  const nearest = state.getByRole("link", { name: `An agency under test: ${vendor.slug}, any state` });
  assert.match(
    await state.innerText(),
    /^Texas\s+3\s+3\s+[\d,]+ days\s+An agency under test: .* takes them first\s+Distribute now$/,
  );
  await state.getByRole("link", { name: "Texas" }).click();
  await page.waitForURL(/[?&]state=TX/);
  await own.first().waitFor();
  await page.getByRole("button", { name: "Distribute 3" }).click();
  await page.getByRole("dialog").getByText(`Up to 100 leads of ${vendor.slug} go to the open orders`).waitFor();
  assert.equal((await storedLeads(vendor)).filter(({ order_id }) => order_id !== null).length, 0);
  await page.getByRole("dialog").getByRole("button", { name: "Distribute" }).click();

  await page.getByText("Distributed: 2. Still waiting: 1.").waitFor();
  const rows = page.getByRole("table", { name: "Distributed" }).getByRole("row");
  assert.match(await rows.nth(1).innerText(), /^Ada 1\s.*TX\s+An agency under test\s+Agent 1$/);
  await assertAccessible(page);
  const leads = await storedLeads(vendor);
  assert.deepEqual(leads.map(({ order_id }) => order_id), [order.id, order.id, null]);
  // The list is read again.
  await own.nth(1).waitFor({ state: "detached" });
  assert.equal(await own.count(), 1);
  await page.getByText("No open order wants any of them. Take the next step of a state").waitFor();
  assert.match(await state.innerText(), /filled\s+Raise the order\s+of An agency under test$/);
  assert.equal(await nearest.getAttribute("href"), `#/operator/orders/${order.id}`);
  await page.getByRole("button", { name: /^Distribute/ }).waitFor({ state: "detached" });

  // An order that is closed after the operator has read the counts.
  await sql`update public.recruiting_orders set quantity = 10, status = 'open' where id = ${order.id}`;
  await page.reload();
  await page.getByLabel("Vendor", { exact: true }).selectOption({ label: `${vendor.slug} (1)` });
  const button = page.getByRole("button", { name: "Distribute 1" });
  await button.waitFor();
  await sql`update public.recruiting_orders set status = 'paused' where id = ${order.id}`;
  await button.click();
  await page.getByRole("dialog").getByRole("button", { name: "Distribute" }).click();
  await page.getByText("None was distributed: no open order wants them now.").waitFor();
  await state.getByRole("button", { name: "Open the order of An agency under test" }).click();
  await page.getByRole("dialog").getByText("From now on it gets leads.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Open the order" }).click();
  await state.getByRole("button", { name: "Distribute now" }).waitFor();
  await sql`delete from public.recruiting_leads where vendor_id = ${vendor.id} and distribution = 'unmatched'`;
});
