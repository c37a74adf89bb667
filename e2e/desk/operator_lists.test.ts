/** The lists of operators are whole: what is not shown yet is one press away. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { signInNewOperator } from "../support/agents.ts";
import { createAgency, createOrder, createVendor, sql } from "../support/client.ts";
import { reject } from "../support/deliveries.ts";
import { assertAccessible, assertFits, DESK, deskTest, signIn, until } from "./harness.ts";

/** Presses a button of a part of the page until its list is whole. */
async function showAll(part: ReturnType<Page["getByRole"]>): Promise<void> {
  const more = part.getByRole("button", { name: /^(Show more|Loading)$/ });
  while (await more.count() > 0) await more.click({ timeout: 500 }).catch(() => {});
}

deskTest("Today has the newest leads: the vendor, and who has each, or why nobody has it", async (page) => {
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
  await signIn(page, await signInNewOperator(), "operator");
  const rows = page.getByRole("table", { name: "Leads" }).getByRole("row").filter({ hasText: vendor.slug });
  await rows.first().waitFor();
  const outcomes = (await rows.allInnerTexts()).map((text) => text.split("\t").map((cell) => cell.trim()))
    .map(([lead, , , outcome]) => [lead, outcome]);
  assert.deepEqual(outcomes, [
    ["third", "For no order it came in bulk, or is a test"],
    ["second Ada", "Waits no order wanted it when it came"],
    ["first", "To Agent 1, An agency under test"],
  ]);
  await assertAccessible(page);
  await assertFits(page);
  await page.getByRole("link", { name: "All leads" }).click();
  await page.getByRole("heading", { level: 1, name: "Leads" }).waitFor();
  await assertAccessible(page);
  await assertFits(page);
  await page.getByLabel("Vendor").selectOption({ label: vendor.slug });
  await page.getByLabel("Outcome").selectOption("Waits: no order wanted it when it came");
  await rows.nth(1).waitFor({ state: "detached" });
  await rows.getByRole("link", { name: "second Ada" }).waitFor();
  await page.getByLabel("Outcome").selectOption("All outcomes");
  await rows.getByRole("link", { name: "first" }).click();
  await page.locator(".headline").getByText("Distributed to").waitFor();
  await sql`delete from public.recruiting_leads where vendor_id = ${vendor.id}`;
});

deskTest("all numbers are read to their end, the paused ones first", async (page) => {
  const agency = await createAgency();
  const name = 'Numbers, "Inc."';
  await sql`update public.agencies set name = ${name} where id = ${agency.id}`;
  // Those of a run that failed.
  await sql`delete from public.service_numbers where phone like '+1999555%'`;
  await sql`
    insert into public.service_numbers (phone, agency_id, status)
    select '+1999' || (5550000 + n), ${agency.id}, case when n <= 60 then 'paused' else 'active' end
    from generate_series(1, 180) n`;
  await signIn(page, await signInNewOperator(), "operator/numbers");
  const table = page.getByRole("table", { name: "Numbers" });
  await table.getByRole("row").nth(1).getByText("paused", { exact: true }).waitFor();
  await showAll(page.getByRole("main"));
  // Of many, only those near the window are in the page. Other tests add numbers, and take theirs away.
  await until(async () => Number(await table.getAttribute("aria-rowcount")) > 180);
  await table.getByRole("row").filter({ hasText: name }).first().waitFor();
  await assertAccessible(page);
  await sql`delete from public.service_numbers where agency_id = ${agency.id}`;
});

deskTest(
  "a number that holds texts for long says why, with the next step, and its agency's tab says so",
  async (page) => {
    const agency = await createAgency();
    const waiting_since = new Date(Date.now() - 3 * 86_400_000).toISOString();
    const number = { phone: "+13125550177", agency: "Prairie Life", status: "active", paused_reason: null };
    await page.route(
      "**/rest/v1/number_list*",
      (route) => route.fulfill({ json: [{ ...number, conversations: 3, waiting: 12, waiting_since }] }),
    );
    await page.route(
      "**/rest/v1/unsent_cause_list*",
      (route) =>
        route.fulfill({ json: [{ cause: "no_hours", subject: "NV", agency: null, texts: 12, since: waiting_since }] }),
    );
    await signIn(page, await signInNewOperator(), "operator/numbers");
    const row = page.getByRole("row").filter({ hasText: "Prairie Life" });
    for (const words of ["12 texts not sent", "oldest 3 days", "Nevada has no open hours"]) {
      await row.getByText(words).waitFor();
    }
    await row.getByRole("button", { name: "Open Nevada" }).waitFor();
    await assertAccessible(page);
    await page.goto(`${DESK}#/operator/agencies/${agency.id}/numbers`);
    await page.getByRole("link", { name: "12 texts not sent" }).waitFor();
  },
);

deskTest(
  "all reasons of rejected deliveries are read to their end and narrowed, and each delivery is counted",
  async (page) => {
    const vendor = await createVendor();
    const rejections = Array.from({ length: 120 }, (_, n) => ({ vendor_id: vendor.id, reason: `reason, "${n}"` }));
    await reject(...rejections, ...rejections.slice(0, 70));
    await signIn(page, await signInNewOperator(), "operator/deliveries");
    const own = page.getByRole("row").filter({ hasText: vendor.slug });
    await page.getByLabel("Vendor").selectOption({ label: vendor.slug });
    // The row of the head is left.
    await page.getByRole("row").filter({ hasNotText: vendor.slug }).nth(1).waitFor({ state: "detached" });
    await page.locator("table[aria-busy=false]").waitFor();
    await own.first().waitFor();
    await showAll(page.getByRole("main"));
    const counts = (await own.locator("td.number").allInnerTexts()).map(Number);
    assert.deepEqual(counts, rejections.map((_, n) => n < 70 ? 2 : 1));
    assert.equal(new Set(await own.getByRole("rowheader").allInnerTexts()).size, 120);
    await page.getByRole("searchbox").fill('"119"');
    await page.getByLabel("Code").selectOption("BAD_REQUEST");
    await page.getByRole("row").nth(2).waitFor({ state: "detached" });
    await page.getByRole("rowheader", { name: 'reason, "119"' }).waitFor();
    const act = own.getByRole("link", { name: /^Replay or dismiss/ });
    const heights = await Promise.all([act, own].map(async (one) => (await one.boundingBox())!.height));
    assert.deepEqual(heights, [28, 36], "a button makes no row higher");
    const [counted] = await sql`select count(*)::int as open from public.rejected_deliveries where status = 'open'`;
    await page.reload();
    await page.getByRole("navigation", { name: "Operator" })
      .getByText(`Rejected deliveries${counted!.open.toLocaleString("en-US")}`).waitFor();
    await page.getByRole("rowheader", { name: 'reason, "119"' }).waitFor();
    await sql`delete from public.rejected_deliveries where vendor_id = ${vendor.id}`;
  },
);

deskTest("waiting leads of a vendor can be distributed, also behind the first page of the list", async (page) => {
  const [old, young] = [await createVendor(), await createVendor()];
  await sql`
    insert into public.recruiting_leads (vendor_id, first_name, distribution, vendor_metadata, created_at)
    select vendor_id, 'Ada', 'unmatched', '{}', since
    from (
      select ${old.id}::uuid as vendor_id, '2019-01-01'::timestamptz as since from generate_series(1, 60)
      union all
      select ${young.id}, now()
    ) l`;
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route("**/rpc/count_wanted_leads", (route) => promise.then(() => route.continue()));
  await signIn(page, await signInNewOperator(), "operator/waiting");
  await page.getByLabel("Vendor", { exact: true }).waitFor();
  assert.equal(await page.getByRole("table").count(), 0, "what comes above the list would move it down");
  resolve();
  await page.getByRole("button", { name: "Show more" }).waitFor();
  await page.getByLabel("Vendor", { exact: true }).selectOption({ label: `${young.slug} (1)` });
  await page.getByLabel("Vendor", { exact: true }).selectOption({ label: `${old.slug} (60)` });
  await sql`delete from public.recruiting_leads where vendor_id in ${sql([old.id, young.id])}`;
});
