/** Leads of all agencies: the newest ones, those that an operator looks for, and what is done about one. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { signInNewOperator, type User } from "../support/agents.ts";
import { createOrder, createVendor, send, sql, type Vendor, withKey } from "../support/client.ts";
import { actionsOf } from "../support/operator.ts";
import { newPhone } from "../support/sms.ts";
import { assertAccessible, assertAccessibleInDarkToo, assertFits, deskTest, PHONE, signIn } from "./harness.ts";

/** A vendor whose name says nothing of its slug. */
async function createNamedVendor(): Promise<Vendor & { name: string }> {
  const vendor = await createVendor();
  const name = `Acme ${vendor.id.slice(0, 8)}`;
  await sql`update public.vendors set name = ${name} where id = ${vendor.id}`;
  return { ...vendor, name };
}

async function searchFor(page: Page, typed: string): Promise<void> {
  await page.getByRole("searchbox").fill(typed);
  await page.locator("#main").getByRole("button", { name: "Search" }).click();
}

/** Today has the newest leads: the vendor, and who has each, or why nobody has it. From there all are found. */
async function readNewest(page: Page, operator: User): Promise<void> {
  const vendor = await createVendor();
  const order = await createOrder(vendor, { quantity: 1 });
  // Later than those of tests that run meanwhile.
  await sql`
    insert into public.recruiting_leads (vendor_id, vendor_lead_id, first_name, distribution, agency_id, agent_id, created_at)
    select ${vendor.id}, l.ref, 'Ada', l.distribution, agency_id, g.id, now() + days * interval '1 day'
    from (values
      ('first', 'distributed', ${order.agency_id}::uuid, 1), ('second', 'unmatched', null, 2), ('third', 'not_requested', null, 3)
    ) l (ref, distribution, agency_id, days)
    left join public.agents g using (agency_id)`;
  await signIn(page, operator, "operator");
  const rows = page.getByRole("table", { name: "Leads" }).getByRole("row").filter({ hasText: vendor.slug });
  await rows.first().waitFor();
  const outcomes = (await rows.allInnerTexts()).map((text) => text.split("\t").map((cell) => cell.trim()))
    .map(([lead, , , outcome]) => [lead, outcome]);
  assert.deepEqual(outcomes, [
    ["third", "For no order it came in bulk, or is a test"],
    ["second Ada", "Waits no order wanted it when it came"],
    ["first", "To Agent 1, An agency under test"],
  ]);
  await page.getByRole("link", { name: "All leads" }).click();
  await page.getByRole("heading", { level: 1, name: "Leads" }).waitFor();
  await page.getByLabel("Vendor").selectOption({ label: vendor.slug });
  await page.getByLabel("Outcome").selectOption("Waits: no order wanted it when it came");
  await rows.nth(1).waitFor({ state: "detached" });
  await rows.getByRole("link", { name: "second Ada" }).waitFor();
  await sql`delete from public.recruiting_leads where vendor_id = ${vendor.id}`;
}

deskTest(
  "an operator finds a lead, also on coming back, reads where it is and why, and distributes and returns it",
  async (page) => {
    const operator = await signInNewOperator();
    const vendor = await createNamedVendor();
    await readNewest(page, operator);
    const [last_name, name, phone] = [`Byron-${vendor.id.slice(0, 8)}`, `Zelda-${vendor.id.slice(0, 8)}`, newPhone()];
    const order = await createOrder(vendor, { quantity: 1 });
    const ids: string[] = [];
    for (const lead of [{ first_name: "Ben" }, { first_name: "Ada", phone }]) {
      const response = await send("/recruiting/ingest", { headers: withKey(vendor), body: { ...lead, last_name } });
      ids.push(response.body.id as string);
    }
    const [, ada_id] = ids;
    const answers = [{ question: "Licensed?", answer: "Yes" }];
    await sql`
      update public.recruiting_leads set vendor_metadata = vendor_metadata || ${sql.json({ answers })}
      where id = ${ada_id!}`;
    await sql`
      insert into public.recruiting_leads (vendor_id, first_name, vendor_metadata)
      select ${(await createVendor()).id}, ${name}, jsonb_build_object('last_name', 'No ' || n)
      from generate_series(1, 21) n`;
    await page.evaluate(`location.hash = "#/operator/search"`);
    const ada = page.getByRole("link", { name: `Ada ${last_name}` });
    await searchFor(page, phone.slice(2));
    await ada.waitFor();
    await assertAccessible(page);
    await ada.click();
    await page.getByRole("heading", { name: `Ada ${last_name}` }).waitFor();
    const fields = page.getByRole("region", { name: "Fields" });
    await fields.getByText("Licensed?", { exact: true }).waitFor();
    assert.equal(await fields.getByText("last_name").isVisible(), false, "what the vendor calls it is folded");
    await fields.getByText("As it is stored").click();
    await fields.getByText(`"last_name": "${last_name}"`).waitFor();
    const noted = await actionsOf(operator);
    assert.deepEqual(noted.at(-1), ["lead show", { lead_id: ada_id }]);
    assert.deepEqual(noted.find(([action]) => action === "lead find"), ["lead find", { by: "phone" }]);

    await page.goBack();
    await searchFor(page, "nobody of this name");
    await page.getByText("Nothing was found for “nobody of this name”.").waitFor();
    await searchFor(page, last_name);
    await page.getByText(`2 found for “${last_name}”`).waitFor();
    await page.getByText("To Agent 1, An agency under test").first().waitFor();
    const found = page.getByRole("table", { name: "Found" });
    await found.getByText(vendor.name).first().waitFor();
    assert.equal(await page.getByText(vendor.slug).filter({ visible: true }).count(), 0);

    // Where it is and why. The names in its history are links.
    await page.getByRole("link", { name: `Ben ${last_name}` }).click();
    const address = page.url();
    const headline = page.locator(".headline");
    const short = order.id.slice(0, 8);
    const distributed = `Distributed to An agency under test, Agent 1, by the order ${short}, `;
    await headline.getByText(distributed).waitFor();
    await headline.getByRole("link", { name: "An agency under test" }).waitFor();
    await assertAccessible(page);
    const events = page.locator(".timeline").getByRole("listitem");
    for (const name of [vendor.name, "An agency under test", "Agent 1", short]) {
      await events.getByRole("link", { name, exact: true }).waitFor();
    }
    await events.getByRole("link", { name: short }).click();
    await page.getByText("2 leads that it wants came in the last seven days").waitFor();
    const own = page.getByRole("region", { name: "Why it gets leads" }).locator("[aria-current]");
    await own.getByText("filled").waitFor();
    await own.getByText(`1 of 1 leads, priority 1000. Took 1 of the 2`).waitFor();
    await assertAccessibleInDarkToo(page);

    // What was found is there again. Of more than 20 the page says so, and how to find the right one.
    await page.goBack();
    await headline.waitFor();
    await page.goBack();
    await ada.waitFor();
    assert.equal(await page.getByRole("searchbox").inputValue(), last_name);
    await searchFor(page, name);
    await page.getByText(/^20 shown for .*, of recruiting leads only the newest 20\. Search for first and last/)
      .waitFor();
    assert.equal(await found.getByRole("rowheader").count(), 20);
    await page.setViewportSize(PHONE.viewport!);
    await assertFits(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    // It stays beside a search that took too long.
    const stopped = { code: "57014", message: "canceling statement due to statement timeout" };
    await page.route("**/rpc/search_leads", (route) => route.fulfill({ status: 500, json: stopped }));
    await searchFor(page, last_name);
    await page.getByText("This took too long, and was stopped. Try again in a moment.").waitFor();
    assert.equal(await found.getByRole("rowheader").count(), 20);
    // The words are in the memory of the page, and nowhere else.
    assert(!address.includes(last_name) && !page.url().includes(last_name));
    const kept: string = await page.evaluate(
      "JSON.stringify([history.state, { ...localStorage }, { ...sessionStorage }])",
    );
    assert(!kept.includes(last_name), kept);
    await page.reload();
    await page.getByRole("heading", { name: "Search" }).waitFor();
    assert.equal(await page.getByRole("searchbox").inputValue(), "");
    assert.equal(await page.getByRole("link", { name: last_name }).count(), 0);

    // One that waits is distributed once an order wants it.
    await page.evaluate(`location.hash = "#/operator/search/${ada_id}"`);
    await headline.getByText("Waits: no order wanted it when it came. No order wants it now.").waitFor();
    assert.equal(
      await page.getByRole("link", { name: /^(Raise|Change) the order/ }).getAttribute("href"),
      `#/operator/orders/${order.id}`,
    );
    await page.getByText(`A new lead of ${vendor.name} from no state is offered to them in this order`).waitFor();
    await sql`update public.recruiting_orders set quantity = 2, status = 'open' where id = ${order.id}`;
    await page.reload();
    await headline.getByText("An agency under test would get it now.").waitFor();
    await page.getByRole("region", { name: "Orders for such a lead" }).getByText("would get it, for Agent 1")
      .waitFor();
    await page.getByRole("button", { name: "Distribute now" }).click();
    const question = page.getByRole("dialog");
    await question.getByRole("button", { name: "Distribute now" }).click();
    await headline.getByText(distributed).waitFor();

    // It is returned with a reason, and without one it stays.
    await page.getByRole("button", { name: "Return the lead" }).click();
    await question.getByRole("button", { name: "Return the lead" }).click();
    await question.getByText("must be a text of 1 to 500 characters").waitFor();
    await question.getByLabel("Reason").fill("The number is a fax");
    await question.getByRole("button", { name: "Return the lead" }).click();
    await page.getByRole("region", { name: "History" }).getByText("returned").first().waitFor();
    assert.equal(await page.getByRole("button", { name: "Return the lead" }).count(), 0);
    const [returned] =
      await sql`select order_id, reason from public.lead_returns where recruiting_lead_id = ${ada_id!}`;
    assert.deepEqual({ ...returned }, { order_id: order.id, reason: "The number is a fax" });
    await sql`update public.recruiting_orders set status = 'closed' where id = ${order.id}`;
  },
);
