/** The pages of operators. How they distribute leads is in operator_waiting.test.ts, their replays in operator_replay.test.ts. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { readSent } from "../../supabase/functions/recruiting/parsers/fixtures/read.ts";
import { createAgentWithLead, signInNewAgent, signInNewOperator } from "../support/agents.ts";
import { createAgency, createOrder, createVendor, send, sql, type Vendor } from "../support/client.ts";
import { checkAlerts } from "../support/alerts.ts";
import { reject } from "../support/deliveries.ts";
import {
  assertAccessible,
  assertFits,
  DESK,
  deskTest,
  hideOtherVendors,
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
  "operator/actions": "Audit log",
};

/** Two weeks of some vendors of the seed, of which the latest leads wait. Returns a function that removes it all. */
async function furnish(): Promise<() => Promise<void>> {
  const vendors = await sql`select id from public.vendors where slug in ('talroo', 'workable', 'jazzhr') order by slug`;
  for (const [place, { id }] of vendors.entries()) {
    await sql`
      insert into public.recruiting_leads (vendor_id, first_name, distribution, vendor_metadata, created_at)
      select ${id}, 'Ada', 'unmatched', '{"state": "TX", "last_name": "Lovelace"}', now() - d * interval '1 day'
      from generate_series(0, 13) d, generate_series(1, 20 + (d * ${place + 3} + ${place}) % 11)`;
    await createOrder({ id } as Vendor, { quantity: 300 });
    await sql`select public.distribute_waiting_leads(1000, ${id})`;
    // One that an order got is among the newest.
    await sql`
      update public.recruiting_leads set created_at = now() where id = (
        select id from public.recruiting_leads where vendor_id = ${id} and distribution = 'distributed' limit 1)`;
  }
  const rejections = [["no name", 8], ["phone: must be a phone number", 3]] as const;
  for (const [reason, count] of rejections) {
    const rejection = { vendor_id: vendors[0]!.id, reason, payload: readSent("jazzhr") };
    await reject(...Array.from({ length: count }, (_, n) => ({ ...rejection, vendor_lead_id: `prospect-${n + 1}` })));
  }
  const sid = crypto.randomUUID();
  await sql`
    insert into public.unmatched_texts (message_sid, recruit_phone, service_phone, body)
    values (${sid}, '+13125550142', '+13125550199', 'Is the job open?')`;
  await checkAlerts();
  const ids = vendors.map(({ id }) => id);
  return async () => {
    await sql`delete from public.recruiting_leads where vendor_id in ${sql(ids)}`;
    await sql`delete from public.recruiting_orders where vendor_id in ${sql(ids)} and priority = 1000`;
    await sql`delete from public.rejected_deliveries where vendor_id in ${sql(ids)}`;
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

async function open(page: Page, view: keyof typeof VIEWS): Promise<void> {
  await page.locator(".subnav").waitFor();
  const link = page.locator(".subnav").getByRole("link", { name: VIEWS[view] }).first();
  if (await link.count() === 0) await page.locator(".subnav > button").click();
  await link.click();
  await page.getByRole("heading", { level: 1, name: VIEWS[view] }).waitFor();
}

async function tryDelivery(page: Page): Promise<void> {
  await page.getByRole("row").filter({ hasText: "JazzHR" }).getByRole("link", { name: "JazzHR no name" }).click();
  await page.getByRole("button", { name: "Dry run", exact: true }).first().click();
  await page.getByText("A replay would store this lead").waitFor();
}

async function openLead(page: Page): Promise<void> {
  const [lead] = await sql`
    select l.id from public.recruiting_leads l
    join public.vendors v on v.id = l.vendor_id
    where v.slug = 'jazzhr' and l.distribution = 'distributed' limit 1`;
  await page.evaluate(`location.hash = "#/operator/search/${lead!.id}"`);
  await page.locator(".headline").getByText("Distributed to").waitFor();
  await assertFits(page);
}

for (const [size, options] of Object.entries({ desktop: undefined, phone: PHONE })) {
  deskTest(`each view of an operator is accessible and fits, on a ${size}`, async (page) => {
    const clear = await furnish();
    await hideOtherVendors(page);
    await signIn(page, OLIVIA);
    for (const view of Object.keys(VIEWS) as (keyof typeof VIEWS)[]) {
      await open(page, view);
      await until(async () => await page.locator(".skeleton").count() === 0);
      // The same elements on both, in the same colours.
      if (size === "desktop") await assertAccessible(page);
      await assertFits(page);
      if (size === "desktop" && view === "operator/deliveries") await tryDelivery(page);
      if (size === "phone" && view === "operator/vendors") await openLead(page);
    }
    await clear();
  }, options);
}

deskTest("an agent who is not an operator is told whose part this is", async (page) => {
  await signIn(page, await createAgentWithLead(), "operator");
  await page.getByText("This part is for operators of the service.").waitFor();
  assert.equal(await page.getByRole("link", { name: "Operator" }).count(), 0);
});

deskTest("a manager who is an operator sees both, until the right is taken away", async (page) => {
  const { user_id, ...manager } = await managingOperator();
  await signIn(page, manager, "operator");
  await page.getByRole("heading", { name: "Today" }).waitFor();
  const main = page.getByRole("navigation", { name: "Main" });
  assert.deepEqual((await main.getByRole("link").allInnerTexts()).map((name) => name.split("\n")[0]), [
    "Home",
    "Inbox",
    "Recruits",
    "Sales leads",
    "Settings",
    "Operator",
  ]);
  await page.getByText("Last checked at").waitFor();
  await sql`delete from public.operators where user_id = ${user_id}`;
  // The view may show for a moment, until the page has read whose login it is.
  await page.goto(`${DESK}#/operator/vendors`);
  await page.getByText("This part is for operators of the service.").waitFor();
  assert.equal(await main.getByRole("link", { name: "Operator" }).count(), 0);
});

deskTest("today has each alert, leads to what mends it, and takes it in hand", async (page) => {
  const vendor = await createVendor();
  const order = await createOrder(vendor, { quantity: 7 });
  await sql`
    update public.recruiting_orders set starts_at = now() - interval '2 h', ends_at = now() - interval '1 h'
    where id = ${order.id}`;
  await checkAlerts();
  await signIn(page, await signInNewOperator(), "operator");
  await page.getByText("Last checked at").waitFor();
  const name = `An agency under test: ${vendor.slug}, any state`;
  const alert = page.getByRole("row").filter({ hasText: name });
  await alert.getByText("Order ended, 7 of 7 leads short", { exact: true }).waitFor();
  // What an alert asks for is done in the desk, and the command is left out.
  assert.equal(await alert.locator("code").count(), 0);
  await assertAccessible(page);
  await alert.getByRole("button", { name: /^More about/ }).click();
  await page.getByRole("menuitem", { name: "Acknowledge" }).click();
  await page.getByRole("rowgroup", { name: "In hand" }).getByRole("row").filter({ hasText: name }).waitFor();
  const [{ state }] = await sql<[{ state: string }]>`select state from public.alerts where subject = ${order.id}`;
  assert.equal(state, "acknowledged");

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
});

deskTest("today has what is deleted soon of a vendor, and the orders that get no leads", async (page) => {
  const vendor = await createVendor();
  await reject({ vendor_id: vendor.id }, { vendor_id: vendor.id });
  await sql`
    update public.rejected_deliveries set received_at = now() - interval '29 days 5 hours'
    where id = (select id from public.rejected_deliveries where vendor_id = ${vendor.id} limit 1)`;
  const [first, idle] = [await createOrder(vendor), await createOrder(vendor)];
  await sql`update public.recruiting_orders set priority = 1001 where id = ${first.id}`;
  // Before those of other tests.
  await sql`update public.recruiting_orders set created_at = '2020-01-01' where id = ${idle.id}`;
  await signIn(page, await signInNewOperator(), "operator");
  const deliveries = page.getByRole("rowgroup", { name: "Now" }).getByRole("row").filter({ hasText: vendor.slug });
  await deliveries.getByText(`1 delivery of ${vendor.slug} will be deleted: no name`, { exact: true }).first()
    .waitFor();
  await deliveries.getByText(/^due in 1[89] h$/).waitFor();
  const table = page.getByRole("rowgroup", { name: "To do" });
  const order = table.getByRole("row").filter({ has: page.locator(`[href="#/operator/orders/${idle.id}"]`) });
  await order.getByText("Order gets no leads: orders with a higher priority take them", { exact: true }).waitFor();
  await order.getByText(`An agency under test: ${vendor.slug}, any state`, { exact: true }).first().waitFor();
  assert.equal(
    await order.getByRole("link", { name: "Find who goes first" }).getAttribute("href"),
    `#/operator/orders/${idle.id}`,
  );
  assert.equal(await table.locator(`[href="#/operator/orders/${first.id}"]`).count(), 0);
  for (const row of [deliveries.first(), order]) assert.equal((await row.boundingBox())!.height, 36);
  await order.getByRole("rowheader").getByRole("link").click();
  await page.getByRole("dialog").getByText("See which orders go first.").waitFor();
  assert.equal(await page.getByRole("dialog").getByRole("button", { name: "Acknowledge" }).count(), 0);
  await assertAccessible(page);
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await assertFits(page);
  await deliveries.getByRole("link", { name: "Replay or dismiss" }).click();
  await page.getByRole("heading", { level: 1, name: `Rejected deliveries of ${vendor.slug}` }).waitFor();
  await sql`delete from public.rejected_deliveries where vendor_id = ${vendor.id}`;
  await sql`delete from public.recruiting_orders where vendor_id = ${vendor.id}`;
});

deskTest(
  "what an operator did is listed, and the rail and the menu have the number of problems to do",
  async (page) => {
    const kind = "number_paused";
    const subject = crypto.randomUUID();
    await sql`insert into public.alerts (kind, subject, problem) values (${kind}, ${subject}, 'is wrong')`;
    const { user_id, ...operator } = await managingOperator();
    const lead = crypto.randomUUID();
    await sql`
    insert into public.operator_actions (user_id, action, subject)
    values (${user_id}, 'lead show', ${sql.json({ lead_id: lead })})`;
    await signIn(page, operator, "operator/actions");
    const row = page.getByRole("row").filter({ hasText: operator.email });
    await row.getByText("Lead shown").waitFor();
    assert.equal(await row.getByRole("link").getAttribute("href"), `#/operator/search/${lead}`);
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /^Operator.*to do$/ }).waitFor();
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
  },
);

deskTest("alerts that can't be read say so and are tried again; so does a check that is late", async (page) => {
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
  await signIn(page, await signInNewOperator(), "operator");
  await page.getByText("The alerts could not be read.").waitFor();
  await page.getByText("Nobody has looked for alerts since").waitFor();
  await assertAccessible(page);
  isAway = false;
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Nothing is wrong.").waitFor();
  await assertAccessible(page);
  await page.goto(`${DESK}#/operator/jobs`);
  const job = page.getByRole("row").filter({ hasText: "every minute" });
  await job.getByText(/^\d+ days late$/).waitFor();
  await job.getByText("Opens and ends alerts").waitFor();
});

deskTest("the charts of vendors have the numbers of the rows as tables, with their quality and keys", async (page) => {
  const vendor = await createVendor();
  await sql`
    insert into public.recruiting_leads (vendor_id, first_name, distribution, created_at)
    select ${vendor.id}, 'Ada', 'unmatched', now() - d * interval '1 day'
    from generate_series(0, 20) d, generate_series(0, d % 4)`;
  await reject({ vendor_id: vendor.id, payload: {} });
  const idle = await createVendor();
  await reject({ vendor_id: idle.id, payload: {} });
  await hideOtherVendors(page, vendor.slug, idle.slug);
  await signIn(page, await signInNewOperator(), "operator/vendors");
  const leads = page.getByRole("figure", { name: "Leads by vendor" });
  await leads.getByRole("button", { name: "Table" }).click();
  const days = await sql`
    select count(l.id)::int as leads
    from generate_series(0, 13) d
    left join public.recruiting_leads l on l.vendor_id = ${vendor.id}
      and (l.created_at at time zone 'UTC')::date = (now() at time zone 'UTC')::date - (13 - d)
    group by d order by d`;
  const numbers = days.map(({ leads }) => leads);
  const sum = numbers.reduce((all, number) => all + number);
  const numbersIn = async (figure: typeof leads, name: string) => {
    const [head, ...rows] = await figure.getByRole("row").allInnerTexts();
    const place = head!.split("\t").findIndex((title) => title.trim() === name);
    return rows.map((row) => Number(row.split("\t")[place]));
  };
  await leads.getByRole("columnheader", { name: vendor.slug }).waitFor();
  assert.deepEqual(await numbersIn(leads, vendor.slug), numbers.toReversed());
  const refused = page.getByRole("figure", { name: "Rejected deliveries by vendor" });
  await refused.getByRole("button", { name: "Table" }).click();
  for (const { slug } of [vendor, idle]) {
    assert.deepEqual(await numbersIn(refused, slug), [1, ...Array(13).fill(0)]);
  }
  const quality = page.getByRole("table", { name: "Quality of leads" }).getByRole("row").filter({
    hasText: vendor.slug,
  });
  assert.equal(await quality.getByRole("cell").first().innerText(), String(sum));
  await page.getByText("Repeats are leads of people who had an earlier lead").getByRole("link").waitFor();
  await sql`update public.vendor_api_keys set expires_at = now() + interval '5 days 1 hour' where vendor_id = ${vendor.id}`;
  await page.getByRole("link", { name: "Keys and mappings" }).click();
  const table = page.getByRole("table", { name: "Keys of vendors" });
  // The key that expires soon stands first.
  await table.getByRole("row").nth(2).getByText("in 5 days").waitFor();
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
