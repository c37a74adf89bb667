import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { signInNewOperator } from "../support/agents.ts";
import { createOrder, createVendor, send, sql, type Vendor, withKey } from "../support/client.ts";
import { reject } from "../support/deliveries.ts";
import { newPhone } from "../support/sms.ts";
import { assertAccessible, assertFits, deskTest, hideOtherVendors, NARROW, PHONE, signIn, until } from "./harness.ts";

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

deskTest(
  "an operator finds a lead while the vendor is on the telephone, and reads why it went where it is",
  async (page) => {
    const vendor = await createNamedVendor();
    const short = vendor.id.slice(0, 8);
    const { agency_id } = await createOrder(vendor);
    await sql`update public.recruiting_orders set states = '{TX}' where vendor_id = ${vendor.id}`;
    await sql`update public.agencies set name = 'Prairie Life' where id = ${agency_id}`;
    const phone = newPhone();
    const [lead] = await sql`
    insert into public.recruiting_leads
      (vendor_id, vendor_lead_id, first_name, vendor_metadata, distribution, request_id)
    values (${vendor.id}, ${"app-" + short}, 'Ada', ${
      sql.json({ phone, state: "OK", last_name: "Byron", answers: [{ question: "Licensed?", answer: "Yes" }] })
    },
      'unmatched', ${"req-" + short})
    returning id`;
    const operator = await signInNewOperator();
    await signIn(page, operator, "operator/search");
    const search = page.getByRole("searchbox");
    for (const typed of [phone.slice(2), `app-${short}`, `req-${short}`, lead!.id]) {
      await search.fill(typed);
      await page.getByRole("button", { name: "Search" }).click();
      await page.getByRole("link", { name: "Ada Byron" }).waitFor();
    }
    await assertAccessible(page);
    await page.getByRole("link", { name: "Ada Byron" }).click();
    await page.getByRole("heading", { name: "Ada Byron" }).waitFor();
    const fields = page.getByRole("region", { name: "Fields" });
    await fields.getByText("Licensed?", { exact: true }).waitFor();
    assert.equal(await fields.getByText("last_name").isVisible(), false, "what the vendor calls it is folded");
    await fields.getByText("As it is stored").click();
    await fields.getByText('"last_name": "Byron"').waitFor();
    await page.getByRole("region", { name: "Orders for such a lead" }).getByText("Prairie Life").first().waitFor();
    await page.getByRole("region", { name: "History" }).getByRole("listitem").first().waitFor();
    await assertAccessible(page);
    await page.setViewportSize(NARROW);
    await assertFits(page);
    const noted = await sql`
    select action, subject from public.operator_actions
    where user_id = ${operator.id} order by created_at`;
    assert.deepEqual(noted.at(-1)!.subject, { lead_id: lead!.id });
    const searches = noted.filter(({ action }) => action === "lead find").map(({ subject }) => subject);
    assert.deepEqual(searches, [{ by: "phone" }, { by: "words" }, { by: "words" }, { by: "words" }]);
  },
);

for (const [size, options] of Object.entries({ desktop: undefined, phone: PHONE })) {
  deskTest(
    `what a search found is still there when the operator comes back from a lead, on a ${size}`,
    async (page) => {
      const vendor = await createNamedVendor();
      const last_name = `Byron-${vendor.id.slice(0, 8)}`;
      await createOrder(vendor);
      for (const first_name of ["Ada", "Ben", "Cleo"]) {
        await send("/recruiting/ingest", { headers: withKey(vendor), body: { first_name, last_name } });
      }
      await signIn(page, await signInNewOperator(), "operator/search");
      await searchFor(page, "nobody of this name");
      await page.getByText("Nothing was found for “nobody of this name”.").waitFor();
      await searchFor(page, last_name);
      await page.getByText(`3 found for “${last_name}”`).waitFor();
      await page.getByText("To Agent 1, An agency under test").first().waitFor();
      await page.getByRole("link", { name: `Ben ${last_name}` }).click();
      await page.getByRole("heading", { name: `Ben ${last_name}` }).waitFor();
      const address = page.url();
      await page.goBack();
      await page.getByRole("link", { name: `Cleo ${last_name}` }).waitFor();
      assert.equal(await page.getByRole("searchbox").inputValue(), last_name);
      await page.goForward();
      await page.getByRole("link", { name: "Search", exact: true }).last().click();
      await page.getByRole("link", { name: `Ada ${last_name}` }).waitFor();
      await assertAccessible(page);
      await assertFits(page);

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
    },
    options,
  );
}

deskTest("of more than 20 the page says that there are more, and how to find the right one", async (page) => {
  const vendor = await createNamedVendor();
  const name = `Zelda-${vendor.id.slice(0, 8)}`;
  await sql`
    insert into public.recruiting_leads (vendor_id, first_name, vendor_metadata)
    select ${vendor.id}, ${name}, jsonb_build_object('last_name', 'No ' || n) from generate_series(1, 21) n`;
  await signIn(page, await signInNewOperator(), "operator/search");
  await searchFor(page, name);
  await page.getByText(/^20 shown for .*, of recruiting leads only the newest 20\. Search for first and last/)
    .waitFor();
  const found = page.getByRole("table", { name: "Found" });
  assert.equal(await found.getByRole("rowheader").count(), 20);
  await found.getByText(vendor.name).first().waitFor();
  assert.equal(await page.getByText(vendor.slug).count(), 0);
  await assertAccessible(page);
  await searchFor(page, `${name} No 7`);
  await page.getByText("1 found for").waitFor();
  assert.equal(await page.getByText("only the newest").count(), 0);
});

deskTest("a delivery that is found leads to where it is replayed, and then to its lead", async (page) => {
  const vendor = await createNamedVendor();
  const vendor_lead_id = `lost-${vendor.id}`;
  const payload = { first_name: "Ada", vendor_lead_id };
  const [found] = await reject({ vendor_id: vendor.id, vendor_lead_id, payload }, { vendor_id: vendor.id, payload });
  await signIn(page, await signInNewOperator(), "operator/search");
  await searchFor(page, `lost-${vendor.id}`);
  await page.getByRole("link", { name: vendor_lead_id }).first().click();
  await page.getByRole("heading", { name: `Rejected delivery of ${vendor.name}` }).waitFor();
  await page.getByText("no name").waitFor();
  assert.equal(await page.locator(".delivery").count(), 1);
  await assertAccessible(page);
  await page.getByRole("link", { name: "All deliveries of this reason" }).click();
  await page.getByRole("heading", { name: `Rejected deliveries of ${vendor.name}` }).waitFor();
  await page.locator(".delivery").nth(1).waitFor();
  assert.equal(await page.locator(".delivery").count(), 2);
  await page.goBack();
  await page.getByRole("button", { name: "Replay" }).click();
  await page.getByText("Replayed. Its lead is stored").waitFor();
  await page.getByRole("link", { name: "See the lead" }).click();
  await page.getByRole("heading", { name: "Ada" }).waitFor();
  const [{ status }] = await sql<[{ status: string }]>`
    select status from public.rejected_deliveries where id = ${found!}`;
  assert.equal(status, "replayed");
  for (const id of [crypto.randomUUID(), "no-id"]) {
    await page.evaluate(`location.hash = "#/operator/deliveries/${id}"`);
    await page.getByText("There is no such delivery.").waitFor();
  }
});

deskTest("the page of a lead begins with where it is and why, in words, and names the vendor", async (page) => {
  const vendor = await createNamedVendor();
  const order = await createOrder(vendor, { quantity: 1 });
  const ids: string[] = [];
  for (const is_test of [false, false, true]) {
    const body = { first_name: "Ada", is_test };
    const response = await send("/recruiting/ingest", { headers: withKey(vendor), body });
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

  // Its greeting is in the same sentence.
  await sql`
    insert into public.skipped_greetings (recruiting_lead_id, agency_id, reason)
    values (${ids[0]!}, ${order.agency_id}, 'no_phone')`;
  await page.evaluate(`location.hash = "#/operator/search/${ids[0]}"`);
  await page.reload();
  await headline.getByText("Greeting never queued: the lead has no phone number that can be texted.").waitFor();

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
  await assertAccessible(page);
  await page.getByRole("button", { name: "Distribute now" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Distribute now" }).click();
  await headline.getByText(`Distributed to An agency under test, Agent 1, by the order ${short}, `).waitFor();
  await page.evaluate(`location.hash = "#/operator/search/${ids[2]}"`);
  await headline.getByText("For no order: it came in bulk, or is a test.").waitFor();
  await sql`update public.recruiting_orders set status = 'closed' where id = ${order.id}`;
});

deskTest("a search that takes too long ends with a sentence, and what was found before stays", async (page) => {
  const vendor = await createNamedVendor();
  const unknown = `unknown-${vendor.id}`;
  await send("/recruiting/ingest", {
    headers: withKey(vendor),
    body: { first_name: "Ada", vendor_lead_id: `slow-${vendor.id}` },
  });
  await signIn(page, await signInNewOperator(), "operator/search");
  await searchFor(page, `slow-${vendor.id}`);
  await page.getByText("1 found for").waitFor();
  await sql.begin(async (sql) => {
    // Imports of sales leads wait meanwhile, and nothing else.
    await sql`lock table public.leads in access exclusive mode`;
    await searchFor(page, unknown);
    await page.getByText("This took too long, and was stopped. Try again in a moment.").waitFor();
  });
  await page.getByText(`1 found for “slow-${vendor.id}”`).waitFor();
  await searchFor(page, unknown);
  await page.getByText(`Nothing was found for “${unknown}”.`).waitFor();
  assert.equal(await page.getByText("This took too long").count(), 0);
});

deskTest("all times of operators are in UTC, as those of the commands, and the page says so", async (page) => {
  const vendor = await createNamedVendor();
  await sql`
    insert into public.recruiting_leads (vendor_id, vendor_lead_id, first_name, created_at)
    values (${vendor.id}, ${"zone-" + vendor.id}, 'Ada', '2026-01-05T03:04:00Z')`;
  await hideOtherVendors(page);
  await signIn(page, await signInNewOperator(), "operator/search");
  await searchFor(page, `zone-${vendor.id}`);
  await page.getByText("Jan 5, 3:04 AM", { exact: true }).waitFor();
  for (
    const view of ["", "/search", "/deliveries", "/waiting", "/orders", "/texts", "/vendors", "/recruits", "/jobs"]
  ) {
    await page.evaluate(`location.hash = "#/operator${view}"`);
    await until(async () => await page.locator(".skeleton").count() === 0);
    // In a table, where the page has the zone once, and of an age it is in the tooltip.
    const times = await page.locator("main time").evaluateAll((all) =>
      all.map((time) => [time.closest("table") !== null, time.textContent!, time.title] as const)
    );
    for (const [isInRow, time, title] of times) {
      assert.match(title, / UTC$/, view);
      if (!isInRow) assert.match(time, / UTC$|^(now|[\d,]+ (min|h|days?))$/, view);
    }
  }
  await page.evaluate("location.hash = '#/operator/vendors'");
  await page.getByText("days in UTC").waitFor();
});
