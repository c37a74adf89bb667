/** What a manager sees in the settings, and what is done about orders and destinations. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { sql } from "../support/client.ts";
import { createConversation, receive } from "../support/sms.ts";
import { assertAccessible, assertAccessibleInDarkToo, assertFits, deskTest, NARROW, signIn, until } from "./harness.ts";
import { createTeam } from "./teams.ts";
import { wake } from "./tokens.ts";

deskTest(
  "a manager sees how orders fill, changes one, sees numbers and who gets alerts and waits, and tests a destination",
  async (page) => {
    const team = await createTeam([
      { states: ["TX", "OK"], filled: 60, leads: 70, daily_cap: 80 },
      { filled: 10, quantity: 100000, leads: 1 },
      { filled: 20, status: "paused", priority: 2, vendor_id: null },
      { filled: 5, priority: -5, states: ["AZ"] },
      { filled: 100, status: "filled" },
      { filled: 30, status: "paused", states: ["NV"], ends_at: new Date(Date.now() - 86_400_000).toISOString() },
    ]);
    const conversation = await createConversation(team.agency_id, team.first);
    await sql`insert into public.service_numbers (phone, agency_id) values (${conversation.service}, ${team.agency_id})`;
    await receive(conversation, { Body: "Is this still open?" });
    await sql`
    insert into public.recruiting_conversations (agency_id, recruit_phone, service_phone)
    values (${team.agency_id}, '+14155550133', ${conversation.service})`;
    const paused = `+1312555${String(Math.random()).slice(2, 6)}`;
    await sql`
    insert into public.service_numbers (phone, agency_id, status, paused_reason)
    values (${paused}, ${team.agency_id}, 'paused', '30034')`;
    await sql`update public.agents set email = 'nora@example.com' where id = ${team.agent_id}`;
    await signIn(page, team, "settings/orders");
    assert.match(await page.title(), /^(\(1\) )?Settings – Desk$/);
    const orders = page.getByRole("region", { name: "Orders and greetings" });
    const acme = orders.getByRole("row").filter({ hasText: "TX, OK" });
    for (const words of ["Acme Leads", "60 of 100", "10 a day, full in about 4 days", "70 of 80"]) {
      await acme.getByText(words).first().waitFor();
    }
    assert.equal(await acme.getByRole("progressbar").getAttribute("value"), "60");
    await orders.getByRole("row").filter({ hasText: "Any vendor" }).getByText("higher priority").waitFor();
    const last = orders.getByRole("row").filter({ hasText: "AZ" });
    await last.getByText("lower priority").waitFor();
    await last.getByText("gets none yet: it comes after Acme Leads").waitFor();
    await last.getByRole("button", { name: "Pause Acme Leads, AZ, 5 of 100 recruits" }).waitFor();
    assert.equal(await orders.getByText("100 of 100", { exact: true }).count(), 0);
    await orders.getByText("Filled and closed orders").click();
    await orders.getByText("100 of 100", { exact: true }).waitFor();
    const ended = orders.getByRole("row").filter({ hasText: "NV" });
    await ended.getByText("has ended, gets no more").waitFor();
    assert.equal(await ended.getByRole("button", { name: "Open again" }).count(), 0);
    await assertAccessible(page);
    await changeOrder(page);

    const tabs = page.getByRole("navigation", { name: "Settings" });
    await tabs.getByRole("link", { name: "Numbers" }).click();
    const numbers = page.getByRole("table", { name: "Numbers" }).getByRole("row");
    await numbers.filter({ hasText: "30034" }).getByText("paused").waitFor();
    assert.equal(await numbers.count(), 3);

    await tabs.getByRole("link", { name: "Notifications" }).click();
    await page.getByText("Nobody gets an alert while the desk is closed.").waitFor();
    await assertAccessibleInDarkToo(page);
    await page.getByRole("button", { name: "Turn on mine" }).click();
    const mails = page.getByRole("group", { name: "Mail me" });
    await mails.getByLabel("A new lead").check();
    await mails.getByLabel("A recruit has waited 15 minutes").check();
    const stored = async () => (await sql`select mail_about from public.agents where id = ${team.agent_id}`)[0]!;
    await until(async () => (await stored()).mail_about.join() === "lead,recruit_waiting");
    await mails.getByLabel("A new lead").uncheck();
    await until(async () => (await stored()).mail_about.join() === "recruit_waiting");
    const push = {
      endpoint: `https://push.example/${crypto.randomUUID()}`,
      p256dh: "B".repeat(87),
      auth: "a".repeat(22),
    };
    assert.equal((await team.client.rpc("save_push_subscription", push)).error, null);
    await page.keyboard.press("Escape");
    await wake(page);
    const chosen = async (name: string) =>
      (await page.getByRole("row", { name }).getByRole("cell").allInnerTexts()).map((text) => text.trim());
    await page.getByRole("row", { name: "Nora Quist" }).waitFor();
    await until(async () => (await chosen("Nora Quist")).join() === "1 device,Off,On");
    assert.deepEqual(await chosen("Ada Byron"), ["No alerts on", "Off", "Off"]);
    assert.equal(await page.getByText("Nobody gets an alert").count(), 0);

    await testDestination(page, team.agency_id);
    await page.setViewportSize({ width: 1280, height: 800 });
    await tabs.getByRole("link", { name: "People" }).click();
    const ada = page.getByRole("row", { name: "Ada Byron" });
    await ada.getByRole("cell", { name: "71" }).waitFor();
    await ada.getByRole("link", { name: "1 waits, now" }).click();
    await page.getByRole("region", { name: "Conversations" }).getByText("Is this still open?").waitFor();
    const whose = page.getByLabel("Whose conversations").locator("option:checked");
    // Until the agents are read, the choice has no name.
    await until(async () => await whose.innerText() === "Ada Byron");
  },
);

/** Pauses the order for any state, and changes its cap, states and greeting. What can't be is said there. */
async function changeOrder(page: Page): Promise<void> {
  const order = page.getByRole("region", { name: "Orders" }).getByRole("row").filter({ hasText: "of 100,000" });
  await order.getByRole("button", { name: "Pause" }).click();
  await order.getByText("paused, gets none now").waitFor();
  await order.getByRole("button", { name: "Open again" }).click();
  await order.getByRole("button", { name: "Pause" }).waitFor();

  await order.getByRole("button", { name: "Change" }).click();
  const form = page.getByRole("dialog", { name: "Change the order" });
  await assertAccessible(page);
  await form.getByLabel("Leads a day, at most").fill("2");
  await form.getByLabel("States").fill("tx, Okla");
  const save = form.getByRole("button", { name: "Save" });
  await save.click();
  await form.getByRole("alert").getByText('"Okla" is no state').waitFor();
  assert.equal(await form.getByLabel("Leads a day, at most").inputValue(), "2", "nothing that was typed is lost");
  await form.getByLabel("States").fill("tx, Oklahoma");
  await form.getByLabel("Leads a day, at most").fill("40");
  await form.getByLabel("Greeting").fill("Hi {first_name}, {agency} here. STOP ends this.");
  await save.click();
  await form.waitFor({ state: "hidden" });
  for (const words of ["TX, OK", "1 of 40", "Greeting: “Hi {first_name}, {agency} here. STOP ends this.”"]) {
    await order.getByText(words, { exact: false }).first().waitFor();
  }
  const change = /Nora Quist changed .* from any state to TX, OK, .* from no limit to 40 a day, and added a greeting,/;
  await order.getByText(change).waitFor();
  await order.getByText("Earlier changes").click();
  await order.getByText("Nora Quist paused the order").waitFor();
}

/** Tests a destination, sends again what failed, and pauses it. */
async function testDestination(page: Page, agency_id: string): Promise<void> {
  const changes = { kind: "webhook", url: "https://crm.example.com/leads", events: ["lead.distributed"] };
  const [{ id }] = await sql<[{ id: string }]>`
    select (public.save_destination(${agency_id}, 'crm', ${sql.json(changes)}) ->> 'id')::uuid as id`;
  await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Destinations" }).click();
  const destinations = page.getByRole("region", { name: "Destinations" });
  await destinations.getByText("The people who run the service manage destinations. Ask them to change one.").waitFor();
  const crm = destinations.getByRole("listitem").filter({ hasText: "crm.example.com/leads" });
  assert.equal(await crm.locator(".url").getAttribute("title"), changes.url);
  await crm.getByText("nothing delivered yet").waitFor();
  await crm.getByRole("button", { name: "Test crm" }).click();
  await crm.getByText("test", { exact: true }).waitFor();
  await crm.getByText("waiting", { exact: true }).waitFor();
  await sql`
    update private.dispatches set state = 'failed', ended_at = now(), attempt = 8, status = 503, reason = 'HTTP 503'
    where destination_id = ${id}`;
  await wake(page);
  await crm.getByRole("cell", { name: "503", exact: true }).waitFor();
  assert.equal(await crm.getByRole("row").getByRole("link").count(), 0);
  await page.setViewportSize(NARROW);
  await assertFits(page);
  await crm.getByRole("button", { name: "Send again test" }).click();
  await until(async () => {
    const dispatches = await sql`select state from private.dispatches where destination_id = ${id}`;
    return dispatches.map(({ state }) => state).join() === "waiting";
  });
  await crm.getByRole("button", { name: "Pause crm" }).click();
  await crm.getByText("Paused", { exact: true }).waitFor();
  assert.equal(await crm.getByRole("button", { name: "Test crm" }).count(), 0);
}
