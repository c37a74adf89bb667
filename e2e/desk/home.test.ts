import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { createVendor, sql } from "../support/client.ts";
import { type Conversation, createConversation, receive } from "../support/sms.ts";
import { assertAccessibleInDarkToo, assertFits, deskTest, NARROW, signIn, until } from "./harness.ts";
import { rows } from "./recruit_rows.ts";
import { createTeam } from "./teams.ts";

/** An agency on a Monday morning: two vendors, four orders, and recruits who wait, opted out or were not reached, or have no agent. */
async function createMonday() {
  const team = await createTeam([
    { states: ["TX", "OK"], filled: 60, leads: 5, daily_cap: 80 },
    { filled: 10, quantity: 400, leads: 3, states: ["IL"] },
    { filled: 0 },
    { filled: 20, status: "paused", vendor_id: null },
    { filled: 2, quantity: 2, leads: 2, status: "filled" },
  ]);
  await sql`update public.agencies set opens_at = '00:00', closes_at = '24:00' where id = ${team.agency_id}`;
  const other = await createVendor("generic");
  await sql`update public.vendors set name = 'Bright Careers', has_text_consent = true where id = ${other.id}`;
  // Some of each day, and the last of them long ago.
  await sql`
    insert into public.recruiting_leads
      (vendor_id, first_name, vendor_metadata, distribution, agency_id, agent_id, order_id, distributed_at, created_at)
    select ${other.id}, 'Dana', '{"last_name": "Reyes", "phone": "+13125550199"}', 'distributed', o.agency_id, ${team.first}, o.id,
      now() - d * interval '1 day', now() - d * interval '1 day'
    from (select agency_id, id from public.recruiting_orders
          where agency_id = ${team.agency_id} and states = '{IL}') o, generate_series(0, 20) d, generate_series(0, d % 3)`;
  const talks: Conversation[] = [];
  for (const name of ["Ruth", "Devon", "Grace", "Omar"]) {
    const talk = await createConversation(team.agency_id, team.first);
    await sql`
      with lead as (
        insert into public.recruiting_leads
          (vendor_id, first_name, vendor_metadata, distribution, agency_id, agent_id, created_at)
        values (${other.id}, ${name}, '{"last_name": "Marsh"}', 'not_requested', ${team.agency_id}, ${team.first},
          now() - interval '1 day') returning id
      )
      update public.recruiting_conversations c set recruiting_lead_id = lead.id from lead where c.id = ${talk.id}`;
    talks.push(talk);
  }
  const [ruth, devon, grace, omar] = talks as [Conversation, Conversation, Conversation, Conversation];
  await receive(ruth, { Body: "Is this still open?" });
  await receive(devon, { Body: "STOP" });
  await sql`update public.recruiting_conversations set waiting_since = now() - interval '2 days' where id = ${ruth.id}`;
  await sql`
    insert into public.recruiting_messages (conversation_id, direction, sender_type, body, status)
    values (${grace.id}, 'outbound', 'agent', 'When could we talk?', 'failed')`;
  await sql`
    insert into public.recruiting_messages (conversation_id, direction, sender_type, sent_by, body, created_at) values
      (${omar.id}, 'inbound', 'recruit', null, 'Do you hire?', now() - interval '3 hours'),
      (${omar.id}, 'outbound', 'agent', ${team.first}, 'We do. When could we talk?', now() - interval '168 minutes')`;
  await sql`update public.recruiting_conversations set last_text_at = now() - interval '10 days' where id = ${grace.id}`;
  await sql`
    insert into public.recruit_stages (recruiting_lead_id, agency_id, stage, agent_id)
    select recruiting_lead_id, ${team.agency_id}, 'interview', ${team.first} from public.recruiting_conversations
    where id = ${omar.id}`;
  await sql`
    with left_agent as (
      insert into public.agents (agency_id, first_name, last_name, is_active)
      values (${team.agency_id}, 'Vic', 'Hale', false) returning id
    )
    update public.recruiting_leads l set agent_id = left_agent.id from left_agent
    where l.first_name = 'Ruth' and l.agency_id = ${team.agency_id}`;
  await sql`
    update public.recruiting_leads set agent_id = null
    where id in (select id from public.recruiting_leads where agency_id = ${team.agency_id} and first_name = 'Ida' limit 2)`;
  return { ...team, other, grace };
}

const figure = (page: Page, name: string) =>
  page.getByRole("region", { name: /^The last \d+ days$/ }).getByRole("link", { name });
const table = (page: Page, name: string) => page.getByRole("table", { name });

async function back(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Back to the figures" }).click();
  await figure(page, "Opt-outs").waitFor();
}

/** The cells of a row of a table. */
async function cells(page: Page, name: string, row: RegExp): Promise<string[]> {
  const texts = await table(page, name).getByRole("row", { name: row }).getByRole("cell").allInnerTexts();
  return texts.map((text) => text.replace(/\s+/g, " ").trim());
}

deskTest(
  "a manager sees at home what needs them, what agents did, how far leads have come, and opens the list of a number",
  async (page) => {
    const monday = await createMonday();
    await signIn(page, monday);
    await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
    assert.equal(await page.getByRole("navigation").getByRole("link").first().innerText(), "Home");
    await table(page, "Orders").getByText("of 400").waitFor();
    await table(page, "Recruits by vendor").getByRole("row", { name: /Bright Careers/ }).waitFor();
    await assertAccessibleInDarkToo(page);
    const needs = page.getByRole("region", { name: "Needs you" }).getByRole("listitem");
    const undelivered = needs.filter({ hasText: "1 text was not delivered to Grace Marsh, last text " });
    await undelivered.waitFor();
    for (
      const words of [
        "1 recruit waits for Ada Byron longest 2 days",
        "2 recruits of the last 14 days have no agent",
        "Order “Acme Leads, any state”: no recruits in 7 days",
        "Nobody gets an alert while the desk is closed",
      ]
    ) await needs.filter({ hasText: words }).waitFor();
    await needs.filter({ hasText: /^None of \d+ recruits of Bright Careers was texted: no order greets them/ })
      .getByRole("link", { name: "Set up" }).waitFor();
    await figure(page, "Texts not delivered").filter({ hasText: /1\s*up,\s*0 before/ }).waitFor();

    // Waiting, recruits, answered, first response, moved on, hired.
    const [waiting, recruits, answered, first, ...others] = await cells(page, "Agents", /Ada Byron/);
    assert.deepEqual([waiting, answered, ...others], ["1", "1 of 3", "1", "0"]);
    assert.ok(Number(recruits) > 2);
    // Only the agency's hours count: none of a wait on a weekend, and a part of one that begins or ends there.
    assert.match(first!, /^(<1|[1-9]|1[012]) min$/);
    await table(page, "Agents").getByTitle("Fewer than half were answered").getByText("1 of 3").waitFor();
    // Nobody wrote to him.
    assert.equal((await cells(page, "Agents", /Vic Hale deactivated/))[2], "none");
    assert.deepEqual(await cells(page, "Agents", /No agent/), ["0", "2", "none", "none", "0", "0"]);
    const [leads, texted, replied, screened, interview] = await cells(page, "Recruits by vendor", /Bright Careers/);
    assert.ok(Number(leads) > 20);
    assert.deepEqual([texted, screened], ["0", "0"]);
    assert.match(replied!, /^2 \d+%$/);
    assert.match(interview!, /^1 \d+%$/);
    const few = table(page, "Recruits by vendor").getByRole("link", { name: "few texted" });
    assert.equal(await few.getAttribute("href"), `#/home/not_texted/days/${monday.other.id}`);
    const troubled = await table(page, "Orders").getByRole("row").allInnerTexts();
    assert.match(troubled[1]!, /paused/);
    assert.match(troubled[2]!, /no recruits in 7 days/);

    // The list of a figure and of a day. Which recruits each counts is proved in pgTAP.
    await figure(page, "Not answered").filter({
      hasText: /2 of 3\s*Median first response (<1|\d+)\smin/s,
    }).click();
    await rows(page).getByText("waits").waitFor();
    await rows(page).getByText("opted out").waitFor();
    assert.equal(await rows(page).count(), 2);
    await page.getByRole("link", { name: "Answered by a person 1" }).click();
    await rows(page).getByText(/\d min/).waitFor();
    assert.equal(await rows(page).count(), 1);
    await page.getByText(/^90% were answered within .* Only the agency’s hours count: midnight to midnight, Monday/)
      .waitFor();
    await back(page);
    const today = page.getByRole("figure", { name: "Recruits by day and vendor" }).locator(".bar").last();
    assert.match((await today.getAttribute("aria-label"))!, /: 11 recruits, Bright Careers 1, Acme Leads 10$/);
    await page.locator('.bar[aria-label$=": 1 recruit, Bright Careers 1"]').first().waitFor({ state: "attached" });
    await today.click();
    await until(async () => await rows(page).count() === 11);
    await back(page);
    await page.getByRole("group", { name: "Days" }).getByRole("button", { name: "7 days" }).click();
    await figure(page, "Recruits").getByText("27", { exact: true }).waitFor();
    // It is older than the days.
    await undelivered.waitFor({ state: "detached" });
    const links = [
      table(page, "Recruits by vendor").getByRole("link", { name: "Bright Careers" }),
      table(page, "Orders").getByRole("row").filter({ hasText: "TX, OK" }).getByRole("link", { name: "60 of 100" }),
    ];
    const [ofVendor, ofOrder] = await Promise.all(links.map((link) => link.getAttribute("href")));
    assert.equal(ofVendor, `#/home/leads/days/${monday.other.id}?days=7`);
    assert.match(ofOrder!, /^#\/home\/order\/[0-9a-f-]{36}/);

    // The longest range on the narrowest screen. A tablet leaves no stage out.
    await page.setViewportSize(NARROW);
    await page.evaluate(`location.hash = "#/home?days=90"`);
    await page.getByRole("region", { name: "The last 90 days" }).waitFor();
    await assertFits(page);
    const right = async (css: string) => {
      const { x, width } = (await page.locator(css).last().boundingBox())!;
      return x + width;
    };
    assert.ok(await right(".bar") <= NARROW.width);
    assert.ok(await right(".tick") <= await right(".plot"), "the last day is not cut");
    await page.setViewportSize({ width: 768, height: 800 });
    await table(page, "Recruits by vendor").getByRole("columnheader", { name: "Licensed" }).waitFor();
    await assertFits(page);
    await page.evaluate(`location.hash = "#/home/nothing"`);
    await page.getByRole("region", { name: "The last 14 days" }).waitFor();
    assert.equal(await page.evaluate("location.hash"), "#/home", "an address of no list leads home");

    // As the number at Inbox says, at once.
    await receive(monday.grace, { Body: "Tuesday is fine" });
    await page.getByRole("navigation").getByRole("link", { name: "Inbox 2 waiting" }).waitFor();
    const open = needs.filter({ hasText: /2 recruits wait for/ }).getByRole("link", { name: "Open" });
    assert.equal(await open.getAttribute("href"), "#/inbox/waiting");
  },
);
