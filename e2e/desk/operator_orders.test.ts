/** The acts of operators on orders and leads, and the lists that belong to them. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { signInNewOperator } from "../support/agents.ts";
import { createOrder, createVendor, send, sql, withKey } from "../support/client.ts";
import { phoneText } from "../../desk/ui/phone.ts";
import { checkAlerts } from "../support/alerts.ts";
import { assertAccessible, assertFits, deskTest, PHONE, signIn } from "./harness.ts";
import { createTalk, createTexter, tell } from "./talks.ts";

/** Presses a button, and the one that confirms it. */
async function press(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name }).click();
  await page.getByRole("dialog").locator(".primary").click();
}

async function statusOf({ id }: { id: string }): Promise<string> {
  const [row] = await sql`select status from public.recruiting_orders where id = ${id}`;
  return row!.status;
}

for (const [size, options] of Object.entries({ desktop: undefined, phone: PHONE })) {
  deskTest(`an order is paused and opened, and all orders of an agency, on a ${size}`, async (page) => {
    const vendor = await createVendor();
    const order = await createOrder(vendor, { quantity: 7 });
    const [other] = await sql`
      insert into public.recruiting_orders (agency_id, vendor_id, quantity)
      values (${order.agency_id}, ${vendor.id}, 3) returning id`;
    await signIn(page, await signInNewOperator(), `operator/orders/${order.id}`);
    await page.locator(".facts").getByText("0 of 7").waitFor();
    await assertAccessible(page);
    await assertFits(page);
    await press(page, "Pause the order");
    await page.getByText("It gets no leads because it is paused.").waitFor();
    await page.getByRole("button", { name: "Open the order" }).waitFor();
    assert.equal(await statusOf(order), "paused");

    await page.locator(".facts").getByRole("link").click();
    await page.getByRole("row").filter({ hasText: "0 of 3" })
      .getByRole("button", { name: `More about An agency under test: ${vendor.slug}, any state` }).click();
    await page.getByRole("menuitem", { name: "Pause" }).waitFor();
    await page.keyboard.press("Escape");
    await press(page, "Pause the open order");
    await page.getByRole("button", { name: "Open all 2 paused orders" }).waitFor();
    await assertAccessible(page);
    assert.equal(await statusOf({ id: other!.id }), "paused");
    await press(page, "Open all 2 paused orders");
    await page.getByRole("button", { name: "Pause all 2 open orders" }).waitFor();
    assert.deepEqual([await statusOf(order), await statusOf({ id: other!.id })], ["open", "open"]);
  }, options);
}

deskTest(
  "an order that is full and closed is not opened, and one that there is not is said to be none",
  async (page) => {
    const order = await createOrder(await createVendor(), { quantity: 10 });
    await sql`update public.recruiting_orders set filled = 10, status = 'closed' where id = ${order.id}`;
    await signIn(page, await signInNewOperator(), `operator/orders/${order.id}`);
    await page.getByRole("button", { name: "Change order" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Open the order" }).count(), 0);
    await page.evaluate(`location.hash = "#/operator/orders/none"`);
    await page.getByText("There is no such order.").waitFor();
  },
);

deskTest("a lead is returned with its reason, and without one it stays", async (page) => {
  const vendor = await createVendor();
  const order = await createOrder(vendor);
  const response = await send("/recruiting/ingest", { headers: withKey(vendor), body: { first_name: "Ada" } });
  const id = response.body.id as string;
  await signIn(page, await signInNewOperator(), `operator/search/${id}`);
  await page.getByRole("button", { name: "Return the lead" }).click();
  const question = page.getByRole("dialog");
  await assertAccessible(page);
  await question.getByRole("button", { name: "Return the lead" }).click();
  await question.getByText("must be a text of 1 to 500 characters").waitFor();
  await question.getByLabel("Reason").fill("The number is a fax");
  await question.getByRole("button", { name: "Return the lead" }).click();
  await page.getByRole("region", { name: "History" }).getByText("returned").first().waitFor();
  assert.equal(await page.getByRole("button", { name: "Return the lead" }).count(), 0);
  const [row] = await sql`select order_id, reason from public.lead_returns where recruiting_lead_id = ${id}`;
  assert.deepEqual({ ...row }, { order_id: order.id, reason: "The number is a fax" });
});

deskTest("recruits who wait, leads that came again and jobs are lists of the desk", async (page) => {
  const agent = await createTexter();
  const talk = await createTalk(agent, "Devonshire");
  await sql`update public.agents set email = 'ada@example.com' where id = ${agent.agent_id}`;
  await tell(talk, [["recruit", "Hello?", 6_000]]);
  const vendor = await createVendor();
  for (let n = 0; n < 2; n++) {
    await send("/recruiting/ingest", {
      headers: withKey(vendor),
      body: { first_name: "Ada", vendor_lead_id: `again-${vendor.id}` },
    });
  }
  await checkAlerts();
  await signIn(page, await signInNewOperator(), "operator/recruits");
  const waiting = page.getByRole("row").filter({ hasText: "Devonshire" }).filter({ hasText: phoneText(talk.recruit) });
  assert.match(
    (await waiting.getByRole("link", { name: /^E-mail/ }).getAttribute("href"))!,
    /^mailto:ada@example.com\?subject=/,
  );
  await assertAccessible(page);
  await page.evaluate("location.hash = '#/operator/duplicates'");
  await page.getByRole("row").filter({ has: page.getByRole("link", { name: `again-${vendor.id}` }) })
    .getByText(/^(in the same second|\d+ s)$/).waitFor();
  await assertAccessible(page);
  await page.evaluate("location.hash = '#/operator/jobs'");
  await page.getByText("check alerts").waitFor();
  await assertAccessible(page);
  await page.setViewportSize({ width: 360, height: 740 });
  await assertFits(page);
});

deskTest("leads that came again are read to their end, also those of one moment", async (page) => {
  const vendor = await createVendor();
  // Later than those of other tests.
  await sql`
    with leads as (
      insert into public.recruiting_leads (vendor_id, vendor_lead_id, first_name, distribution)
      select ${vendor.id}, 'once-more-' || n, 'Ada', 'not_requested' from generate_series(1, 120) n
      returning id
    )
    insert into public.recruiting_lead_duplicates (lead_id, vendor_id, received_at, request_id)
    select id, ${vendor.id}, date_trunc('day', now() + interval '2 days'), gen_random_uuid()
    from leads`;
  await signIn(page, await signInNewOperator(), "operator/duplicates");
  const list = page.getByRole("table", { name: "Duplicate leads" });
  const leads = list.getByRole("rowheader", { name: /^once-more-/ });
  for (const count of [50, 100, 120]) {
    await leads.nth(count - 1).waitFor();
    if (count < 120) await page.getByRole("button", { name: "Show more" }).click();
  }
  assert.equal(new Set(await leads.allInnerTexts()).size, 120);
  await sql`delete from public.recruiting_lead_duplicates where vendor_id = ${vendor.id}`;
});

deskTest("an order that is nearly full gets more leads, and what can't be says so beside the form", async (page) => {
  const order = await createOrder(await createVendor(), { quantity: 10 });
  await sql`update public.recruiting_orders set filled = 10, status = 'filled' where id = ${order.id}`;
  await signIn(page, await signInNewOperator(), `operator/orders/${order.id}`);
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
  await save("Leads a day, at most", "x", "Leads a day must be a whole number, or empty for no limit.");
  await form.getByLabel("Leads a day, at most").fill("5");
  await form.getByRole("button", { name: "Save" }).click();
  await page.locator(".facts").getByText("10 of 30").waitFor();
  await page.getByText("0 of 5", { exact: true }).waitFor();
  assert.equal(await statusOf(order), "open");

  // Somebody else changes it while the form is open.
  await page.getByRole("button", { name: "Change order" }).click();
  await sql`update public.recruiting_orders set quantity = 50 where id = ${order.id}`;
  await save("Leads in all", "60", "somebody has changed it meanwhile");
  await page.locator(".facts").getByText("10 of 50").waitFor();
  await form.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Change order" }).click();
  await form.getByLabel("Leads in all").fill("60");
  await form.getByRole("button", { name: "Save" }).click();
  await page.locator(".facts").getByText("10 of 60").waitFor();
  await page.setViewportSize({ width: 360, height: 740 });
  await assertFits(page);
});

deskTest("an order is created for a state, and what can't be stands beside its field", async (page) => {
  const vendor = await createVendor();
  const { agency_id } = await createOrder(vendor);
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

  await page.locator(".facts").getByRole("link").click();
  await page.getByRole("button", { name: "New order" }).click();
  await form.getByLabel("Leads in all").waitFor();
  assert.equal(await form.getByLabel("Agency").count(), 0);
  assert.equal(await form.getByLabel("States").inputValue(), "");
  await page.setViewportSize({ width: 360, height: 740 });
  await assertFits(page);
});

deskTest("orders are found by their agency, vendor and status, and one is closed in its row", async (page) => {
  const vendor = await createVendor();
  const order = await createOrder(vendor, { quantity: 7 });
  const name = `Agency ${crypto.randomUUID()}`;
  await sql`update public.agencies set name = ${name} where id = ${order.agency_id}`;
  await signIn(page, await signInNewOperator(), "operator/orders");
  const row = page.getByRole("row").filter({ hasText: name });
  await page.getByRole("searchbox").fill(name);
  await page.waitForURL(/[?&]q=/);
  await row.getByText("0 of 7").waitFor();
  await page.getByLabel("Vendor", { exact: true }).selectOption({ label: vendor.slug });
  await page.getByRole("row").nth(1).filter({ hasText: name }).waitFor();
  // What is read again is pale.
  await page.locator('table[aria-busy="false"]').waitFor();
  await assertAccessible(page);
  await assertFits(page);
  // A tablet has what the order wants below the agency.
  await page.setViewportSize({ width: 768, height: 1024 });
  await row.locator(".if-narrow").getByText(`${vendor.slug}, any state`).waitFor();
  assert.equal(await row.getByRole("progressbar").isVisible(), false);
  await assertFits(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await assertFits(page);
  await row.getByRole("button", { name: /^More about/ }).click();
  await page.getByRole("menuitem", { name: "Close" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await page.getByText("There is no such order.").waitFor();
  await page.getByLabel("Status").selectOption("closed");
  // The address has all of it.
  await page.reload();
  await row.getByText("closed", { exact: true }).waitFor();
  await row.getByRole("link").click();
  await page.getByRole("heading", { name: "Why it gets leads, or none" }).waitFor();
});

deskTest(
  "the list says which open order gets no leads because others take them, and when the others are full",
  async (page) => {
    const vendor = await createVendor();
    const order = await createOrder(vendor, { quantity: 7 });
    const [first] = await sql`
    insert into public.recruiting_orders (agency_id, vendor_id, quantity, priority)
    values (${order.agency_id}, ${vendor.id}, 3, 1001) returning id`;
    await send("/recruiting/ingest", { headers: withKey(vendor), body: { first_name: "Ada" } });
    await signIn(page, await signInNewOperator(), `operator/orders?vendor=${vendor.slug}`);
    const rowOf = ({ id }: { id: string }) =>
      page.getByRole("row").filter({ has: page.getByTitle(`order ${id.slice(0, 8)}`) });
    await rowOf(order).getByText("gets no leads").waitFor();
    await rowOf(first as { id: string }).getByText("too new for a forecast").waitFor();
    await sql`update public.recruiting_orders set created_at = now() - interval '30 days' where id = ${first!.id}`;
    await page.reload();
    await rowOf(first as { id: string }).getByText("0.1 a day, full in about").waitFor();
    // No order of the list ends.
    await sql`update public.recruiting_orders set filled = 3, status = 'filled' where id = ${first!.id}`;
    await page.reload();
    await rowOf(first as { id: string }).getByText("filled").waitFor();
    await assertAccessible(page);

    // The page of an order begins with it too.
    await rowOf(first as { id: string }).getByRole("link").click();
    await page.getByText("It gets no leads because it is filled.").waitFor();
    await page.getByTitle(`order ${order.id.slice(0, 8)}`).click();
    await page.getByText("It gets leads.", { exact: true }).waitFor();
    await sql`update public.recruiting_orders set filled = 1, status = 'open' where id = ${first!.id}`;
    await page.reload();
    await page.getByText("It gets no leads because other orders took the lead that it wants.").waitFor();
    await assertAccessible(page);
    await page.setViewportSize({ width: 360, height: 740 });
    await assertFits(page);
    await page.getByRole("link", { name: "See the order that takes them" }).click();
    await page.locator(".facts").getByText(first!.id.slice(0, 8)).waitFor();
  },
);
