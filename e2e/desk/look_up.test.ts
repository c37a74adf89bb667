import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { signInNewOperator } from "../support/agents.ts";
import { createOrder, createVendor, send, sql, type Vendor, withKey } from "../support/client.ts";
import { newPhone } from "../support/sms.ts";
import { assertAccessible, assertFits, deskTest, PHONE, signIn } from "./harness.ts";

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

deskTest("an operator finds a lead by what the vendor says of it, and finds it again on coming back", async (page) => {
  const vendor = await createNamedVendor();
  const short = vendor.id.slice(0, 8);
  const [last_name, name, phone] = [`Byron-${short}`, `Zelda-${short}`, newPhone()];
  await createOrder(vendor);
  await send("/recruiting/ingest", { headers: withKey(vendor), body: { first_name: "Ben", last_name } });
  const metadata = { phone, state: "OK", last_name, answers: [{ question: "Licensed?", answer: "Yes" }] };
  const [lead] = await sql`
    insert into public.recruiting_leads
      (vendor_id, vendor_lead_id, first_name, vendor_metadata, distribution, request_id, created_at)
    values (${vendor.id}, ${"app-" + short}, 'Ada', ${sql.json(metadata)}, 'unmatched', ${"req-" + short},
      '2026-01-05T03:04:00Z')
    returning id`;
  await sql`
    insert into public.recruiting_leads (vendor_id, first_name, vendor_metadata)
    select ${vendor.id}, ${name}, jsonb_build_object('last_name', 'No ' || n) from generate_series(1, 21) n`;
  const operator = await signInNewOperator();
  await signIn(page, operator, "operator/search");
  const ada = page.getByRole("link", { name: `Ada ${last_name}` });
  await searchFor(page, phone.slice(2));
  await ada.waitFor();
  // In UTC, as the commands have it.
  await page.getByText("Jan 5, 3:04 AM", { exact: true }).waitFor();
  await assertAccessible(page);
  await ada.click();
  await page.getByRole("heading", { name: `Ada ${last_name}` }).waitFor();
  const fields = page.getByRole("region", { name: "Fields" });
  await fields.getByText("Licensed?", { exact: true }).waitFor();
  assert.equal(await fields.getByText("last_name").isVisible(), false, "what the vendor calls it is folded");
  await fields.getByText("As it is stored").click();
  await fields.getByText(`"last_name": "${last_name}"`).waitFor();
  await page.getByRole("region", { name: "History" }).getByRole("listitem").first().waitFor();
  const noted = await sql`
    select action, subject from public.operator_actions
    where user_id = ${operator.id} order by created_at`;
  assert.deepEqual(noted.at(-1)!.subject, { lead_id: lead!.id });
  assert.deepEqual(noted.find(({ action }) => action === "lead find")!.subject, { by: "phone" });

  await page.goBack();
  await searchFor(page, "nobody of this name");
  await page.getByText("Nothing was found for “nobody of this name”.").waitFor();
  await searchFor(page, last_name);
  await page.getByText(`2 found for “${last_name}”`).waitFor();
  await page.getByText("To Agent 1, An agency under test").first().waitFor();
  await page.getByRole("link", { name: `Ben ${last_name}` }).click();
  await page.getByRole("heading", { name: `Ben ${last_name}` }).waitFor();
  const address = page.url();
  await page.goBack();
  await ada.waitFor();
  assert.equal(await page.getByRole("searchbox").inputValue(), last_name);

  // Of more than 20 the page says that there are more, and how to find the right one.
  await searchFor(page, name);
  await page.getByText(/^20 shown for .*, of recruiting leads only the newest 20\. Search for first and last/)
    .waitFor();
  const found = page.getByRole("table", { name: "Found" });
  assert.equal(await found.getByRole("rowheader").count(), 20);
  await found.getByText(vendor.name).first().waitFor();
  assert.equal(await page.getByText(vendor.slug).count(), 0);
  await page.setViewportSize(PHONE.viewport!);
  await assertFits(page);

  // What was found before stays beside a search that took too long.
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
});

deskTest(
  "the page of a lead begins with where it is and why, in words, and what can be done about it",
  async (page) => {
    const vendor = await createNamedVendor();
    const order = await createOrder(vendor, { quantity: 1 });
    const ids: string[] = [];
    for (let n = 0; n < 2; n++) {
      const response = await send("/recruiting/ingest", { headers: withKey(vendor), body: { first_name: "Ada" } });
      ids.push(response.body.id as string);
    }
    const headline = page.locator(".headline");
    await signIn(page, await signInNewOperator(), `operator/search/${ids[0]}`);
    const short = order.id.slice(0, 8);
    await headline.getByText(`Distributed to An agency under test, Agent 1, by the order ${short}, `).waitFor();
    await headline.getByRole("link", { name: "An agency under test" }).waitFor();
    await page.getByRole("region", { name: "Fields" }).getByText(vendor.name, { exact: true }).waitFor();
    assert.equal(await page.getByText(vendor.slug).filter({ visible: true }).count(), 0);
    await assertAccessible(page);
    // The names in its history are links.
    const events = page.locator(".timeline").getByRole("listitem");
    for (const name of [vendor.name, "An agency under test", "Agent 1", short]) {
      await events.getByRole("link", { name, exact: true }).waitFor();
    }
    await events.getByRole("link", { name: short }).click();
    await page.getByRole("heading", { name: "Why it gets leads, or none" }).waitFor();
    await page.getByText("2 leads that it wants came in the last seven days").waitFor();
    const own = page.getByRole("region", { name: "Why it gets leads" }).locator("[aria-current]");
    await own.getByText("filled").waitFor();
    await own.getByText(`1 of 1 leads, priority 1000. Took 1 of the 2`).waitFor();
    await assertAccessible(page);
    await assertFits(page);

    await page.evaluate(`location.hash = "#/operator/search/${ids[1]}"`);
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
    await page.getByRole("dialog").getByRole("button", { name: "Distribute now" }).click();
    await headline.getByText(`Distributed to An agency under test, Agent 1, by the order ${short}, `).waitFor();

    // It is returned with a reason, and without one it stays.
    await page.getByRole("button", { name: "Return the lead" }).click();
    const question = page.getByRole("dialog");
    await assertAccessible(page);
    await question.getByRole("button", { name: "Return the lead" }).click();
    await question.getByText("must be a text of 1 to 500 characters").waitFor();
    await question.getByLabel("Reason").fill("The number is a fax");
    await question.getByRole("button", { name: "Return the lead" }).click();
    await page.getByRole("region", { name: "History" }).getByText("returned").first().waitFor();
    assert.equal(await page.getByRole("button", { name: "Return the lead" }).count(), 0);
    const [returned] =
      await sql`select order_id, reason from public.lead_returns where recruiting_lead_id = ${ids[1]!}`;
    assert.deepEqual({ ...returned }, { order_id: order.id, reason: "The number is a fax" });
    await sql`update public.recruiting_orders set status = 'closed' where id = ${order.id}`;
  },
);
