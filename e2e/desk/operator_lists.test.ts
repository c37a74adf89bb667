/** The lists of operators are whole: what is not shown yet is one press away. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { signInNewOperator } from "../support/agents.ts";
import { phoneText } from "../../desk/ui/phone.ts";
import { checkAlerts } from "../support/alerts.ts";
import { createAgency, createOrder, createVendor, sql } from "../support/client.ts";
import { reject } from "../support/deliveries.ts";
import { newPhone } from "../support/sms.ts";
import { assertAccessible, assertFits, DESK, deskTest, PHONE, signIn, until } from "./harness.ts";
import { createTalk, createTexter, tell } from "./talks.ts";

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

deskTest(
  "all numbers are read to their end, the paused ones first, and one that holds texts says why and is resumed",
  async (page) => {
    const agency = await createAgency();
    const name = 'Numbers, "Inc."';
    await sql`update public.agencies set name = ${name} where id = ${agency.id}`;
    // Those of a run that failed.
    await sql`delete from public.service_numbers where phone like '+1999555%'`;
    await sql`
      insert into public.service_numbers (phone, agency_id, status)
      select '+1999' || (5550000 + n), ${agency.id}, case when n <= 60 then 'paused' else 'active' end
      from generate_series(1, 180) n`;
    const phone = newPhone();
    await sql`
      insert into public.service_numbers (phone, agency_id, status, paused_reason)
      values (${phone}, ${agency.id}, 'paused', ${`the campaign ${phone} is not registered`})`;
    await signIn(page, await signInNewOperator(), "operator/numbers");
    const table = page.getByRole("table", { name: "Numbers" });
    await table.getByRole("row").nth(1).getByText("Paused", { exact: true }).waitFor();
    await showAll(page.getByRole("main"));
    // Of many, only those near the window are in the page. Other tests add numbers, and take theirs away.
    await until(async () => Number(await table.getAttribute("aria-rowcount")) > 180);
    await sql`delete from public.service_numbers where phone like '+1999555%'`;
    await page.reload();
    const number = table.getByRole("row").filter({ hasText: phoneText(phone) });
    await number.getByText(`the campaign ${phone} is not registered`).waitFor();
    await number.getByText(name).waitFor();
    assert.equal(await number.getByText("not sent").count(), 0);
    await page.setViewportSize(PHONE.viewport!);
    await assertFits(page);
    await number.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click();
    // Among others, the paused ones come first.
    await number.getByText("Paused", { exact: true }).waitFor({ state: "detached" });
    const [stored] = await sql`select status from public.service_numbers where phone = ${phone}`;
    assert.equal(stored!.status, "active");

    // One that holds texts for long has the next step, and its agency's tab says so too.
    const waiting_since = new Date(Date.now() - 3 * 86_400_000).toISOString();
    const held = { phone, agency: name, status: "active", paused_reason: null, conversations: 3 };
    await page.route(
      "**/rest/v1/number_list*",
      (route) => route.fulfill({ json: [{ ...held, waiting: 12, waiting_since }] }),
    );
    await page.route(
      "**/rest/v1/unsent_cause_list*",
      (route) =>
        route.fulfill({ json: [{ cause: "no_hours", subject: "NV", agency: null, texts: 12, since: waiting_since }] }),
    );
    await page.reload();
    for (const words of ["12 texts not sent", "oldest 3 days", "Nevada has no open hours"]) {
      await number.getByText(words).waitFor();
    }
    await number.getByRole("button", { name: "Open Nevada" }).waitFor();
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
    await own.getByRole("link", { name: /^Replay or dismiss/ }).waitFor();
    assert.equal((await own.boundingBox())!.height, 36, "a button makes no row higher");
    const [counted] = await sql`select count(*)::int as open from public.rejected_deliveries where status = 'open'`;
    await page.reload();
    await page.getByRole("navigation", { name: "Operator" })
      .getByText(`Rejected deliveries${counted!.open.toLocaleString("en-US")}`).waitFor();
    await page.getByRole("rowheader", { name: 'reason, "119"' }).waitFor();
    await sql`delete from public.rejected_deliveries where vendor_id = ${vendor.id}`;
  },
);

deskTest("recruits who wait, and leads that came again to the last of one moment, are lists", async (page) => {
  const agent = await createTexter();
  const talk = await createTalk(agent, "Devonshire");
  await sql`update public.agents set email = 'ada@example.com' where id = ${agent.agent_id}`;
  await tell(talk, [["recruit", "Hello?", 6_000]]);
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
  await checkAlerts();
  await signIn(page, await signInNewOperator(), "operator/recruits");
  const waiting = page.getByRole("row").filter({ hasText: "Devonshire" }).filter({ hasText: phoneText(talk.recruit) });
  assert.match(
    (await waiting.getByRole("link", { name: /^E-mail/ }).getAttribute("href"))!,
    /^mailto:ada@example.com\?subject=/,
  );
  await page.evaluate("location.hash = '#/operator/duplicates'");
  const list = page.getByRole("table", { name: "Duplicate leads" });
  const leads = list.getByRole("rowheader", { name: /^once-more-/ });
  for (const count of [50, 100, 120]) {
    await leads.nth(count - 1).waitFor();
    if (count < 120) await page.getByRole("button", { name: "Show more" }).click();
  }
  assert.equal(new Set(await leads.allInnerTexts()).size, 120);
  await list.getByRole("row").nth(1).getByText(/^\d+ (h|days?)$/).waitFor();
  await sql`delete from public.recruiting_lead_duplicates where vendor_id = ${vendor.id}`;
});
