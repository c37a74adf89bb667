import assert from "node:assert/strict";
import { sql } from "../support/client.ts";
import { createConversation, receive } from "../support/sms.ts";
import { assertAccessible, deskTest, signIn, until } from "./harness.ts";
import { createTeam } from "./teams.ts";

deskTest(
  "a manager sees how the orders fill and who changed them, who waits for whom, the numbers, and who gets alerts",
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
    await sql`
    insert into public.order_changes (agency_id, order_id, agent_id, before, after, created_at)
    select agency_id, id, ${team.agent_id}, jsonb_build_object('daily_cap', n - 1), jsonb_build_object('daily_cap', n),
      now() - interval '1 day' + n * interval '1 minute'
    from public.recruiting_orders, generate_series(1, 52) n
    where agency_id = ${team.agency_id} and states = '{AZ}'`;

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
    await orders.getByText("Earlier changes").click();
    const changes = orders.getByText(/Nora Quist changed the limit from \d+ to \d+ a day,/);
    await changes.nth(49).waitFor();
    await page.getByRole("button", { name: "Show earlier" }).click();
    await changes.nth(51).waitFor();

    const tabs = page.getByRole("navigation", { name: "Settings" });
    await tabs.getByRole("link", { name: "Numbers" }).click();
    const numbers = page.getByRole("table", { name: "Numbers" }).getByRole("row");
    await numbers.filter({ hasText: "30034" }).getByText("paused").waitFor();
    assert.equal(await numbers.count(), 3);

    await tabs.getByRole("link", { name: "Notifications" }).click();
    await page.getByText("Nobody gets an alert while the desk is closed.").waitFor();
    await assertAccessible(page);
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
    await page.reload();
    const chosen = async (name: string) =>
      (await page.getByRole("row", { name }).getByRole("cell").allInnerTexts()).map((text) => text.trim());
    await page.getByRole("row", { name: "Nora Quist" }).waitFor();
    assert.deepEqual(await chosen("Nora Quist"), ["1 device", "Off", "On"]);
    assert.deepEqual(await chosen("Ada Byron"), ["No alerts on", "Off", "Off"]);
    assert.equal(await page.getByText("Nobody gets an alert").count(), 0);

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
