/** The pages of operators, and what stands at Today. */
import assert from "node:assert/strict";
import { signInNewAgent, signInNewOperator } from "../support/agents.ts";
import { createAgency, createOrder, createVendor, sql, type Vendor } from "../support/client.ts";
import { checkAlerts } from "../support/alerts.ts";
import { reject } from "../support/deliveries.ts";
import {
  assertAccessible,
  assertFits,
  DESK,
  deskTest,
  hideOtherVendors,
  NARROW,
  OLIVIA,
  PHONE,
  signIn,
  until,
} from "./harness.ts";

const VIEWS = {
  "operator": "Today",
  "operator/deliveries": "Rejected deliveries",
  "operator/waiting": "Waiting leads",
  "operator/orders": "Orders",
  "operator/texts": "Unmatched texts",
  "operator/numbers": "Numbers",
  "operator/vendors": "Vendors",
  "operator/vendors/keys": "Vendors",
  "operator/recruits": "Waiting recruits",
  "operator/duplicates": "Duplicate leads",
  "operator/jobs": "Jobs",
  "operator/actions": "Audit log",
};

/** A vendor of the seed with two weeks of leads, of which the latest wait, and with deliveries. Returns a function that removes it all. */
async function furnish(): Promise<() => Promise<void>> {
  const [vendor] = await sql<[Vendor]>`select id from public.vendors where slug = 'talroo'`;
  const { id } = vendor;
  await sql`
    insert into public.recruiting_leads (vendor_id, first_name, distribution, vendor_metadata, created_at)
    select ${id}, 'Ada', 'unmatched', '{"state": "TX"}', now() - d * interval '1 day'
    from generate_series(0, 13) d, generate_series(0, d % 3)`;
  await createOrder(vendor, { quantity: 10 });
  await sql`select public.distribute_waiting_leads(10, ${id})`;
  await reject({ vendor_id: id, payload: {} });
  const sid = crypto.randomUUID();
  await sql`
    insert into public.unmatched_texts (message_sid, recruit_phone, service_phone, body)
    values (${sid}, '+13125550142', '+13125550199', 'Is the job open?')`;
  await checkAlerts();
  return async () => {
    await sql`delete from public.recruiting_leads where vendor_id = ${id}`;
    await sql`delete from public.recruiting_orders where vendor_id = ${id} and priority = 1000`;
    await sql`delete from public.rejected_deliveries where vendor_id = ${id}`;
    await sql`delete from public.unmatched_texts where message_sid = ${sid}`;
  };
}

/** A manager who is an operator too. */
async function managingOperator() {
  const { id: agency_id } = await createAgency();
  const manager = await signInNewAgent(agency_id, "manager");
  const [agent] = await sql`select user_id from public.agents where id = ${manager.agent_id}`;
  await sql`insert into public.operators (user_id) values (${agent!.user_id})`;
  return { ...manager, user_id: agent!.user_id as string };
}

deskTest(
  "each view of an operator is accessible, has its times in UTC, and fits, with a menu where it is narrow",
  async (page) => {
    const clear = await furnish();
    await hideOtherVendors(page);
    await signIn(page, OLIVIA);
    const desktop = page.viewportSize()!;
    for (const [view, title] of Object.entries(VIEWS)) {
      await page.evaluate(`location.hash = "#/${view}"`);
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
      await until(async () => await page.locator(".skeleton").count() === 0);
      // In a table, where the page has the zone once, and of an age it is in the tooltip.
      const times = await page.locator("main time").evaluateAll((all) =>
        all.map((time) => [time.closest("table") !== null, time.textContent!, time.title] as const)
      );
      for (const [isInRow, time, title] of times) {
        assert.match(title, / UTC$/, view);
        if (!isInRow) assert.match(time, / UTC$|^(now|[\d,]+ (min|h|days?))$/, view);
      }
      await assertAccessible(page);
      await assertFits(page);
      await page.setViewportSize(PHONE.viewport!);
      await assertFits(page);
      await page.setViewportSize(desktop);
    }
    await clear();

    // What has something to do stands above, and a menu has the rest, also by keyboard.
    await page.setViewportSize({ width: 900, height: 1000 });
    await page.evaluate(`location.hash = "#/operator/numbers"`);
    const queues = page.getByRole("navigation", { name: "Operator", exact: true });
    await queues.getByRole("link", { name: "Unmatched texts" }).waitFor();
    assert.equal(await queues.getByRole("link").count(), 5);
    assert.equal(await queues.locator("[aria-current]").count(), 0);
    const menu = page.getByRole("button", { name: "Numbers", exact: true });
    const views = page.getByRole("navigation", { name: "More of the operator" });
    await menu.and(page.locator("[aria-current]")).waitFor();
    assert.equal(await views.isVisible(), false);
    await menu.press("Enter");
    await views.getByRole("link", { name: "Numbers" }).and(page.locator("[aria-current=page]")).waitFor();
    assert.equal(await views.getByRole("link").count(), 8);
    await assertAccessible(page);
    await page.keyboard.press("Escape");
    await views.waitFor({ state: "hidden" });
    await page.locator(":focus").and(menu).waitFor();

    await menu.press("Enter");
    await page.keyboard.press("Tab");
    await page.locator(":focus").and(views.getByRole("link", { name: /^Search/ })).waitFor();
    await views.getByRole("link", { name: "Vendors" }).press("Enter");
    await page.getByRole("heading", { level: 1, name: "Vendors" }).and(page.locator(":focus")).waitFor();
    await views.waitFor({ state: "hidden" });

    await page.setViewportSize(NARROW);
    await page.getByRole("button", { name: "Vendors", exact: true }).click();
    await queues.getByRole("link", { name: "Unmatched texts" }).click();
    await page.getByRole("heading", { level: 1, name: "Unmatched texts" }).and(page.locator(":focus")).waitFor();
    await assertFits(page);
    await page.getByRole("button", { name: /^Unmatched texts/ }).click();
    assert.equal(await queues.getByRole("link").count(), 13);
    await assertFits(page);
    await queues.getByRole("link", { name: "Audit log" }).click();
    await page.getByRole("heading", { level: 1, name: "Audit log" }).waitFor();
  },
);

deskTest(
  "today has each alert, what is deleted soon and the orders that get no leads, and leads to what mends it",
  async (page) => {
    const vendor = await createVendor();
    const order = await createOrder(vendor, { quantity: 7 });
    await sql`
    update public.recruiting_orders set starts_at = now() - interval '2 h', ends_at = now() - interval '1 h'
    where id = ${order.id}`;
    await checkAlerts();
    const other = await createVendor();
    await reject({ vendor_id: other.id }, { vendor_id: other.id });
    await sql`
    update public.rejected_deliveries set received_at = now() - interval '29 days 5 hours'
    where id = (select id from public.rejected_deliveries where vendor_id = ${other.id} limit 1)`;
    const [first, idle] = [await createOrder(other), await createOrder(other)];
    await sql`update public.recruiting_orders set priority = 1001 where id = ${first.id}`;
    // Before those of other tests.
    await sql`update public.recruiting_orders set created_at = '2020-01-01' where id = ${idle.id}`;
    await signIn(page, await signInNewOperator(), "operator");
    await page.getByText("Last checked at").waitFor();
    const name = `An agency under test: ${vendor.slug}, any state`;
    const alert = page.getByRole("row").filter({ hasText: name });
    await alert.getByText("Order ended, 7 of 7 leads short", { exact: true }).waitFor();
    // What an alert asks for is done in the desk, and the command is left out.
    assert.equal(await alert.locator("code").count(), 0);
    await assertAccessible(page);
    await alert.getByRole("button", { name: "Close the order" }).click();
    await page.getByRole("dialog").getByText("It gets no more leads.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.goto(`${DESK}#/operator/orders/${order.id}`);
    await page.locator(".facts .badge").getByText("closed").waitFor();
    // It has ended, so it is not opened again.
    assert.equal(await page.getByRole("button", { name: "Open the order" }).count(), 0);
    await checkAlerts();
    await page.goto(`${DESK}#/operator`);
    await page.reload();
    await page.getByText("Last checked at").waitFor();
    await until(async () => await page.locator(".skeleton").count() === 0);
    assert.equal(await page.getByText(name).count(), 0);

    const deliveries = page.getByRole("rowgroup", { name: "Now" }).getByRole("row").filter({ hasText: other.slug });
    await deliveries.getByText(`1 delivery of ${other.slug} will be deleted: no name`, { exact: true }).first()
      .waitFor();
    await deliveries.getByText(/^due in 1[89] h$/).waitFor();
    const table = page.getByRole("rowgroup", { name: "To do" });
    const idleRow = table.getByRole("row").filter({ has: page.locator(`[href="#/operator/orders/${idle.id}"]`) });
    await idleRow.getByText("Order gets no leads: orders with a higher priority take them", { exact: true }).waitFor();
    await idleRow.getByText(`An agency under test: ${other.slug}, any state`, { exact: true }).first().waitFor();
    assert.equal(await table.locator(`[href="#/operator/orders/${first.id}"]`).count(), 0);
    await idleRow.getByRole("rowheader").getByRole("link").click();
    await page.getByRole("dialog").getByText("See which orders go first.").waitFor();
    assert.equal(await page.getByRole("dialog").getByRole("button", { name: "Acknowledge" }).count(), 0);
    await assertAccessible(page);
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await idleRow.getByRole("link", { name: "Find who goes first" }).click();
    await page.getByText(/^It gets no leads because /).waitFor();
    await page.getByRole("link", { name: "See the order that takes them" }).click();
    await page.locator(".facts").getByText(first.id.slice(0, 8)).waitFor();
    await page.evaluate(`location.hash = "#/operator/orders?vendor=${other.slug}"`);
    const rowOf = ({ id }: { id: string }) =>
      page.getByRole("row").filter({ has: page.getByTitle(`order ${id.slice(0, 8)}`) });
    await rowOf(idle).getByText("gets no leads").waitFor();
    await rowOf(first).getByText("too new for a forecast").waitFor();
    await sql`update public.recruiting_orders set filled = 3, quantity = 3, status = 'filled' where id = ${first.id}`;
    await page.evaluate(`location.hash = "#/operator/orders/${idle.id}"`);
    await page.reload();
    await page.getByText("It gets leads.", { exact: true }).waitFor();
    await page.evaluate(`location.hash = "#/operator"`);
    await deliveries.getByRole("link", { name: "Replay or dismiss" }).click();
    await page.getByRole("heading", { level: 1, name: `Rejected deliveries of ${other.slug}` }).waitFor();
    await sql`delete from public.rejected_deliveries where vendor_id = ${other.id}`;
    await sql`delete from public.recruiting_orders where vendor_id = ${other.id}`;
  },
);

deskTest(
  "a manager who is an operator sees both, what operators did and what could not be read, until the right is taken away",
  async (page) => {
    const subject = crypto.randomUUID();
    await sql`insert into public.alerts (kind, subject, problem) values ('number_paused', ${subject}, 'is wrong')`;
    const { user_id, ...operator } = await managingOperator();
    const lead = crypto.randomUUID();
    await sql`
    insert into public.operator_actions (user_id, action, subject)
    values (${user_id}, 'lead show', ${sql.json({ lead_id: lead })})`;
    await signIn(page, operator, "operator/actions");
    const row = page.getByRole("row").filter({ hasText: operator.email });
    await row.getByText("Lead shown").waitFor();
    assert.equal(await row.getByRole("link").getAttribute("href"), `#/operator/search/${lead}`);
    const main = page.getByRole("navigation", { name: "Main" });
    assert.deepEqual((await main.getByRole("link").allInnerTexts()).map((name) => name.split("\n")[0]), [
      "Home",
      "Inbox",
      "Recruits",
      "Sales leads",
      "Settings",
      "Operator",
    ]);
    await main.getByRole("link", { name: /^Operator.*to do$/ }).waitFor();
    await page.locator(".subnav").getByRole("link", { name: "Today" }).click();
    await page.getByRole("rowgroup", { name: "Now" }).waitFor();
    await until(async () => {
      const groups = ["Now", "To do"].map((name) => page.getByRole("rowgroup", { name }).locator("small").first());
      const [now, toDo] = await Promise.all(
        groups.map(async (count) => await count.count() && Number(await count.innerText())),
      );
      const menu = await page.locator(".subnav").getByRole("link", { name: "Today" }).locator(".count-of").innerText();
      const more = await page.getByText(/^There are \d+ more/).count();
      return more > 0 || Number(menu.replaceAll(",", "")) === now! + toDo!;
    });
    await sql`delete from public.alerts where subject = ${subject}`;

    let isAway = true;
    await page.route(
      "**/rest/v1/alert_list*",
      (route) =>
        isAway
          ? route.fulfill({ status: 400, json: { code: "PT400", message: "days: out of order" } })
          : route.fulfill({ json: [], headers: { "content-range": "*/0" } }),
    );
    await page.route(/rest\/v1\/(rpc\/order_standings|delivery_reason_list)/, (route) => route.fulfill({ json: [] }));
    await page.route(
      "**/rest/v1/job_list*",
      (route) => route.fulfill({ json: [{ job: "check alerts", ended_at: "2026-01-05T10:00:00Z" }] }),
    );
    await page.reload();
    await page.getByText("The alerts could not be read.").waitFor();
    await page.getByText("Nobody has looked for alerts since").waitFor();
    await assertAccessible(page);
    isAway = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Nothing is wrong.").waitFor();
    await page.goto(`${DESK}#/operator/jobs`);
    const job = page.getByRole("row").filter({ hasText: "every minute" });
    await job.getByText(/^\d+ days late$/).waitFor();
    await job.getByText("Opens and ends alerts").waitFor();

    await sql`delete from public.operators where user_id = ${user_id}`;
    // The view may show for a moment, until the page has read whose login it is.
    await page.goto(`${DESK}#/operator/vendors`);
    await page.getByText("This part is for operators of the service.").waitFor();
    assert.equal(await main.getByRole("link", { name: "Operator" }).count(), 0);
  },
);
