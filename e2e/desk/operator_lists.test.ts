/** The lists of operators. */
import assert from "node:assert/strict";
import { signInNewOperator } from "../support/agents.ts";
import { phoneText } from "../../desk/ui/phone.ts";
import { checkAlerts } from "../support/alerts.ts";
import { createAgency, createOrder, createVendor, sql } from "../support/client.ts";
import { reject } from "../support/deliveries.ts";
import { newPhone } from "../support/sms.ts";
import { assertAccessible, assertFits, deskTest, signIn } from "./harness.ts";
import { createTalk, createTexter, tell } from "./talks.ts";

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
  await page.getByRole("link", { name: "All leads" }).click();
  await page.getByRole("heading", { level: 1, name: "Leads" }).waitFor();
  await assertAccessible(page);
  await assertFits(page);
  await page.getByLabel("Vendor").selectOption({ label: vendor.slug });
  await page.getByLabel("Outcome").selectOption("Waits: no order wanted it when it came");
  await rows.nth(1).waitFor({ state: "detached" });
  await rows.getByRole("link", { name: "second Ada" }).waitFor();
  await sql`delete from public.recruiting_leads where vendor_id = ${vendor.id}`;
});

deskTest(
  "a paused number says why and is resumed, and one that holds texts for long has the next step",
  async (page) => {
    const agency = await createAgency();
    const name = 'Numbers, "Inc."';
    await sql`update public.agencies set name = ${name} where id = ${agency.id}`;
    const phone = newPhone();
    await sql`
    insert into public.service_numbers (phone, agency_id, status, paused_reason)
    values (${phone}, ${agency.id}, 'paused', ${`the campaign ${phone} is not registered`})`;
    await signIn(page, await signInNewOperator(), "operator/numbers");
    const number = page.getByRole("table", { name: "Numbers" }).getByRole("row").filter({ hasText: phoneText(phone) });
    await number.getByText(`the campaign ${phone} is not registered`).waitFor();
    await number.getByText(name).waitFor();
    assert.equal(await number.getByText("not sent").count(), 0);
    await number.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click();
    // Among others, the paused ones come first.
    await number.getByText("Paused", { exact: true }).waitFor({ state: "detached" });
    const [stored] = await sql`select status from public.service_numbers where phone = ${phone}`;
    assert.equal(stored!.status, "active");

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
  },
);

deskTest(
  "reasons are narrowed, recruits wait with their agent's address, and what came again is read to its end",
  async (page) => {
    const vendor = await createVendor();
    await reject(
      ...["some", "other", "other"].map((reason) => ({ vendor_id: vendor.id, reason: `reason, "${reason}"` })),
    );
    const agent = await createTexter();
    const talk = await createTalk(agent, "Devonshire");
    await sql`update public.agents set email = 'ada@example.com' where id = ${agent.agent_id}`;
    await tell(talk, [["recruit", "Hello?", 6_000]]);
    // Later than those of other tests, and all of one moment.
    await sql`
    with leads as (
      insert into public.recruiting_leads (vendor_id, vendor_lead_id, first_name, distribution)
      select ${vendor.id}, 'once-more-' || n, 'Ada', 'not_requested' from generate_series(1, 60) n
      returning id
    )
    insert into public.recruiting_lead_duplicates (lead_id, vendor_id, received_at, request_id)
    select id, ${vendor.id}, date_trunc('day', now() + interval '2 days'), gen_random_uuid()
    from leads`;
    await checkAlerts();
    await signIn(page, await signInNewOperator(), "operator/deliveries");
    await page.getByLabel("Vendor").selectOption({ label: vendor.slug });
    await page.getByRole("searchbox").fill('"other"');
    await page.getByLabel("Code").selectOption("BAD_REQUEST");
    await page.getByRole("row").nth(2).waitFor({ state: "detached" });
    const own = page.getByRole("row").filter({ hasText: vendor.slug });
    await own.getByRole("rowheader", { name: 'reason, "other"' }).waitFor();
    assert.equal(await own.locator("td.number").innerText(), "2");
    await own.getByRole("link", { name: /^Replay or dismiss/ }).waitFor();
    assert.equal((await own.boundingBox())!.height, 36, "a button makes no row higher");
    // The address has all of it, and the navigation counts each delivery.
    const [counted] = await sql`select count(*)::int as open from public.rejected_deliveries where status = 'open'`;
    await page.reload();
    await page.getByRole("navigation", { name: "Operator" })
      .getByText(`Rejected deliveries${counted!.open.toLocaleString("en-US")}`).waitFor();
    await own.getByRole("rowheader", { name: 'reason, "other"' }).waitFor();

    await page.evaluate("location.hash = '#/operator/recruits'");
    const waiting = page.getByRole("row").filter({ hasText: "Devonshire" }).filter({
      hasText: phoneText(talk.recruit),
    });
    const mail = await waiting.getByRole("link", { name: /^E-mail/ }).getAttribute("href");
    assert.match(mail!, /^mailto:ada@example.com\?subject=/);

    await page.evaluate("location.hash = '#/operator/duplicates'");
    const leads = page.getByRole("table", { name: "Duplicate leads" }).getByRole("rowheader", { name: /^once-more-/ });
    await leads.nth(49).waitFor();
    await page.getByRole("button", { name: "Show more" }).click();
    await leads.nth(59).waitFor();
    assert.equal(new Set(await leads.allInnerTexts()).size, 60);
    await sql`delete from public.recruiting_lead_duplicates where vendor_id = ${vendor.id}`;
    await sql`delete from public.rejected_deliveries where vendor_id = ${vendor.id}`;
  },
);
