/** The acts of operators on orders. What they do with a lead is in look_up.test.ts. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { signInNewOperator } from "../support/agents.ts";
import { createOrder, createVendor, sql, storedLeads } from "../support/client.ts";
import { assertAccessibleInDarkToo, deskTest, signIn } from "./harness.ts";

/** Presses a button, and the one that confirms it. */
async function press(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name }).click();
  await page.getByRole("dialog").locator(".primary").click();
}

async function statusOf({ id }: { id: string }): Promise<string> {
  const [row] = await sql`select status from public.recruiting_orders where id = ${id}`;
  return row!.status;
}

deskTest(
  "an order is created, paused, opened, changed, found and closed, and waiting leads go to the orders that want them",
  async (page) => {
    const vendor = await createVendor();
    const other = await createOrder(vendor, { quantity: 7 });
    const { agency_id } = other;
    const name = `Agency ${crypto.randomUUID()}`;
    await sql`update public.agencies set name = ${name} where id = ${agency_id}`;
    await signIn(page, await signInNewOperator(), "operator/orders?new=IL");
    const facts = page.locator(".facts");
    const form = page.getByRole("dialog");

    // What can't be is said at its field, and nothing that was typed is lost.
    await form.getByLabel("Agency").selectOption({ label: name });
    await form.getByLabel("Leads in all").fill("ten");
    await form.getByLabel("Vendor").selectOption({ label: vendor.slug });
    await form.getByLabel("Agent").selectOption({ label: "Agent 1" });
    await form.getByRole("button", { name: "Create the order" }).click();
    await form.getByText("must be a whole number from 1 to 999,999").waitFor();
    await assertAccessibleInDarkToo(page);
    await form.getByLabel("Leads in all").fill("12");
    await form.getByLabel("States").fill("il, tx");
    await form.getByRole("button", { name: "Create the order" }).click();
    await facts.getByText(`${vendor.slug}, IL, TX`).waitFor();
    await facts.getByText("0 of 12").waitFor();
    const [made] = await sql<[{ id: string; agent_id: string | null }]>`
      select id, agent_id from public.recruiting_orders where agency_id = ${agency_id} and quantity = 12`;
    assert.notEqual(made.agent_id, null);

    const statuses = async () => [await statusOf(made), await statusOf(other)];
    await press(page, "Pause the order");
    await page.getByText("It gets no leads because it is paused.").waitFor();
    await page.getByRole("button", { name: "Open the order" }).waitFor();
    assert.deepEqual(await statuses(), ["paused", "open"]);
    await facts.getByRole("link", { name }).click();
    await press(page, "Pause the open order");
    await page.getByRole("button", { name: "Open all 2 paused orders" }).waitFor();
    assert.deepEqual(await statuses(), ["paused", "paused"]);
    await press(page, "Open all 2 paused orders");
    await page.getByRole("button", { name: "Pause all 2 open orders" }).waitFor();
    assert.deepEqual(await statuses(), ["open", "open"]);

    await sql`update public.recruiting_orders set filled = 12, status = 'filled' where id = ${made.id}`;
    await page.evaluate(`location.hash = "#/operator/orders/${made.id}"`);
    await facts.getByText("12 of 12").waitFor();
    const save = async (value: string) => {
      await form.getByLabel("Leads in all").fill(value);
      await form.getByRole("button", { name: "Save" }).click();
    };
    await page.getByRole("button", { name: "Change order" }).click();
    await save("ten");
    await form.getByText("Leads in all must be a whole number.").waitFor();
    await form.getByLabel("Leads a day, at most").fill("5");
    await save("30");
    await facts.getByText("12 of 30").waitFor();
    await page.getByText("0 of 5", { exact: true }).waitFor();
    assert.equal(await statusOf(made), "open", "with more leads a full order is open again");
    // Somebody else changes it while the form is open.
    await page.getByRole("button", { name: "Change order" }).click();
    await sql`update public.recruiting_orders set quantity = 50 where id = ${made.id}`;
    await save("60");
    await form.getByText("somebody has changed it meanwhile").waitFor();
    await facts.getByText("12 of 50").waitFor();

    // The address has what the list is narrowed to.
    await page.evaluate(`location.hash = "#/operator/orders?q=${name}&status=open"`);
    const row = page.getByRole("row").filter({ hasText: name }).filter({ hasText: "0 of 7" });
    await row.waitFor();
    await page.getByLabel("Vendor", { exact: true }).selectOption({ label: vendor.slug });
    await page.getByRole("row").nth(1).filter({ hasText: name }).waitFor();
    await row.getByRole("button", { name: /^More about/ }).click();
    await page.getByRole("menuitem", { name: "Close" }).click();
    await form.getByRole("button", { name: "Close" }).click();
    await row.waitFor({ state: "detached" });
    await page.getByLabel("Status", { exact: true }).selectOption("closed");
    await row.getByText("closed", { exact: true }).waitFor();
    await distributeWaiting(page);
  },
);

/** Gives waiting leads to the orders that want them. The page shows which agent got which, and what helps the others. */
async function distributeWaiting(page: Page): Promise<void> {
  const vendor = await createVendor();
  // They wait longer than all others.
  await sql`
    insert into public.recruiting_leads (vendor_id, first_name, distribution, vendor_metadata, created_at)
    select ${vendor.id}, 'Ada ' || n, 'unmatched', '{"state": "TX"}', '2020-01-01'::timestamptz + n * interval '1 hour'
    from generate_series(1, 3) n`;
  const order = await createOrder(vendor, { quantity: 2 });
  await page.evaluate(`location.hash = "#/operator/waiting"`);
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
  const leads = await storedLeads(vendor);
  assert.deepEqual(leads.map(({ order_id }) => order_id), [order.id, order.id, null]);
  // The list is read again.
  await own.nth(1).waitFor({ state: "detached" });
  assert.equal(await own.count(), 1);
  await page.getByText("No open order wants any of them. Take the next step of a state").waitFor();
  assert.match(await state.innerText(), /filled\s+Raise the order\s+of An agency under test$/);
  assert.equal(await nearest.getAttribute("href"), `#/operator/orders/${order.id}`);
  await page.getByRole("button", { name: /^Distribute/ }).waitFor({ state: "detached" });
  await sql`delete from public.recruiting_leads where vendor_id = ${vendor.id} and distribution = 'unmatched'`;
}
