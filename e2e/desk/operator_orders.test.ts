/** The acts of operators on orders. What they do with a lead is in look_up.test.ts. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { signInNewOperator } from "../support/agents.ts";
import { createOrder, createVendor, sql } from "../support/client.ts";
import { assertAccessible, DESK, deskTest, signIn } from "./harness.ts";

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
  "an order is paused, opened and changed, alone and with those of its agency, and what can't be is said",
  async (page) => {
    const vendor = await createVendor();
    const order = await createOrder(vendor, { quantity: 10 });
    const [other] = await sql`
    insert into public.recruiting_orders (agency_id, vendor_id, quantity)
    values (${order.agency_id}, ${vendor.id}, 3) returning id`;
    const statuses = async () => [await statusOf(order), await statusOf({ id: other!.id })];
    await signIn(page, await signInNewOperator(), `operator/orders/${order.id}`);
    await page.locator(".facts").getByText("0 of 10").waitFor();
    await press(page, "Pause the order");
    await page.getByText("It gets no leads because it is paused.").waitFor();
    await page.getByRole("button", { name: "Open the order" }).waitFor();
    assert.deepEqual(await statuses(), ["paused", "open"]);

    await page.locator(".facts").getByRole("link").click();
    await press(page, "Pause the open order");
    await page.getByRole("button", { name: "Open all 2 paused orders" }).waitFor();
    assert.deepEqual(await statuses(), ["paused", "paused"]);
    await press(page, "Open all 2 paused orders");
    await page.getByRole("button", { name: "Pause all 2 open orders" }).waitFor();
    assert.deepEqual(await statuses(), ["open", "open"]);

    await sql`update public.recruiting_orders set filled = 10, status = 'filled' where id = ${order.id}`;
    await page.evaluate(`location.hash = "#/operator/orders/${order.id}"`);
    await page.locator(".facts").getByText("10 of 10").waitFor();
    await page.getByRole("button", { name: "Change order" }).click();
    const form = page.getByRole("dialog");
    await assertAccessible(page);
    const save = async (name: string, value: string, words: string) => {
      await form.getByLabel(name).fill(value);
      await form.getByRole("button", { name: "Save" }).click();
      await form.getByText(words).waitFor();
    };
    await save("Leads in all", "ten", "Leads in all must be a whole number.");
    await save("Leads in all", "9", "9 is less than the 10 leads it has already received");
    await form.getByLabel("Leads in all").fill("30");
    await form.getByLabel("Leads a day, at most").fill("5");
    await form.getByRole("button", { name: "Save" }).click();
    await page.locator(".facts").getByText("10 of 30").waitFor();
    await page.getByText("0 of 5", { exact: true }).waitFor();
    assert.equal(await statusOf(order), "open", "with more leads a full order is open again");

    // Somebody else changes it while the form is open.
    await page.getByRole("button", { name: "Change order" }).click();
    await sql`update public.recruiting_orders set quantity = 50 where id = ${order.id}`;
    await save("Leads in all", "60", "somebody has changed it meanwhile");
    await page.locator(".facts").getByText("10 of 50").waitFor();
  },
);

deskTest("an order is created, found by its agency, vendor and status, and closed in its row", async (page) => {
  const vendor = await createVendor();
  const { agency_id } = await createOrder(vendor, { quantity: 7 });
  const name = `Agency ${crypto.randomUUID()}`;
  await sql`update public.agencies set name = ${name} where id = ${agency_id}`;
  await signIn(page, await signInNewOperator(), "operator/orders?new=IL");
  const form = page.getByRole("dialog", { name: "New order" });
  await form.getByLabel("Agency").selectOption({ label: name });
  await form.getByLabel("Leads in all").fill("ten");
  await form.getByLabel("Vendor").selectOption({ label: vendor.slug });
  await form.getByLabel("Agent").selectOption({ label: "Agent 1" });
  await form.getByRole("button", { name: "Create the order" }).click();
  await form.getByText("must be a whole number from 1 to 999,999").waitFor();
  await assertAccessible(page);
  await form.getByLabel("Leads in all").fill("12");
  await form.getByLabel("States").fill("il, tx");
  await form.getByRole("button", { name: "Create the order" }).click();
  await page.locator(".facts").getByText(`${vendor.slug}, IL, TX`).waitFor();
  await page.locator(".facts").getByText("0 of 12").waitFor();
  const [made] =
    await sql`select agent_id from public.recruiting_orders where agency_id = ${agency_id} and quantity = 12`;
  assert.notEqual(made!.agent_id, null);

  await page.goto(`${DESK}#/operator/orders`);
  const row = page.getByRole("row").filter({ hasText: name }).filter({ hasText: "0 of 7" });
  await page.getByRole("searchbox").fill(name);
  await page.waitForURL(/[?&]q=/);
  await row.waitFor();
  await page.getByLabel("Vendor", { exact: true }).selectOption({ label: vendor.slug });
  await page.getByRole("row").nth(1).filter({ hasText: name }).waitFor();
  await row.getByRole("button", { name: /^More about/ }).click();
  await page.getByRole("menuitem", { name: "Close" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await row.waitFor({ state: "detached" });
  await page.getByLabel("Status", { exact: true }).selectOption("closed");
  // The address has all of it.
  await page.reload();
  await row.getByText("closed", { exact: true }).waitFor();
});
