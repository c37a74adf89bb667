/** The pages of operators. What stands at Today is in operator_alerts.test.ts. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { type SignedIn, signInNewAgent } from "../support/agents.ts";
import { createAgency, createOrder, sql, type Vendor } from "../support/client.ts";
import { checkAlerts } from "../support/alerts.ts";
import { reject } from "../support/deliveries.ts";
import { assertAccessible, assertFits, deskTest, hideOtherVendors, NARROW, PHONE, signIn, until } from "./harness.ts";
import { wake } from "./tokens.ts";

const VIEWS = {
  "operator": "Today",
  "operator/deliveries": "Rejected deliveries",
  "operator/waiting": "Waiting leads",
  "operator/leads": "Leads",
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
    from generate_series(0, 13) d`;
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

/** Signs in while the alerts cannot be read, which is not nothing. */
async function signInDespite(page: Page, operator: SignedIn): Promise<void> {
  const [alerts, jobs] = ["**/rest/v1/alert_list*", "**/rest/v1/job_list*"] as const;
  await page.route(
    alerts,
    (route) => route.fulfill({ status: 400, json: { code: "PT400", message: "days: out of order" } }),
  );
  await page.route(
    jobs,
    (route) => route.fulfill({ json: [{ job: "check alerts", ended_at: "2026-01-05T10:00:00Z" }] }),
  );
  await signIn(page, operator, "operator");
  await page.getByText("The alerts could not be read.").waitFor();
  await page.getByText("Nobody has looked for alerts since").waitFor();
  assert.equal(await page.getByText("Nothing is wrong.").count(), 0);
  await page.unroute(alerts);
  await page.unroute(jobs);
}

deskTest(
  "each view of an operator, a manager too, is accessible and fits, says what could not be read, and ends with the right",
  async (page) => {
    const clear = await furnish();
    await hideOtherVendors(page);
    // One row is like the others, and axe looks at each.
    await page.route(/\/rest\/v1\/(?!vendor_list)\w+_list\?/, async (route) => {
      const url = new URL(route.request().url());
      url.searchParams.set("limit", "8");
      await route.continue({ url: url.href });
    });
    const { user_id, ...operator } = await managingOperator();
    const lead = crypto.randomUUID();
    await sql`
      insert into public.operator_actions (user_id, action, subject)
      values (${user_id}, 'lead show', ${sql.json({ lead_id: lead })})`;
    await signInDespite(page, operator);
    await page.evaluate(`location.hash = "#/operator/actions"`);
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

    // The times are in UTC.
    const desktop = page.viewportSize()!;
    for (const [view, title] of Object.entries(VIEWS)) {
      await page.evaluate(`location.hash = "#/${view}"`);
      await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
      await until(async () => await page.locator(".skeleton").count() === 0);
      // In a table, where the page has the zone once, and of an age it is in the tooltip.
      // In one evaluation: a row that is removed meanwhile would be outside a table.
      const times = await page.evaluate(`[...document.querySelectorAll("main time")].map((time) =>
        [time.closest("table") !== null, time.textContent, time.title])`) as [boolean, string, string][];
      for (const [isInRow, time, title] of times) {
        assert.match(title, / UTC$/, view);
        if (!isInRow) assert.match(time, / UTC$|^(now|[\d,]+ (min|h|days?))$/, view);
      }
      // What is around it is the same as in the stories of single views.
      await assertAccessible(page, "main");
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
    await page.keyboard.press("Escape");
    await views.waitFor({ state: "hidden" });
    await page.locator(":focus").and(menu).waitFor();

    await menu.press("Enter");
    await views.getByRole("link", { name: "Vendors" }).press("Enter");
    await page.getByRole("heading", { level: 1, name: "Vendors" }).and(page.locator(":focus")).waitFor();
    await views.waitFor({ state: "hidden" });

    await page.setViewportSize(NARROW);
    await page.getByRole("button", { name: "Vendors", exact: true }).click();
    assert.equal(await queues.getByRole("link").count(), 13);
    await assertFits(page);
    await queues.getByRole("link", { name: "Unmatched texts" }).click();
    await page.getByRole("heading", { level: 1, name: "Unmatched texts" }).and(page.locator(":focus")).waitFor();

    await page.setViewportSize(desktop);
    await sql`delete from public.operators where user_id = ${user_id}`;
    // The view shows until the page has read whose login it is.
    await wake(page);
    await page.getByText("This part is for operators of the service.").waitFor();
    assert.equal(await main.getByRole("link", { name: "Operator" }).count(), 0);
  },
);
