import assert from "node:assert/strict";
import { signInNewAgent } from "../support/agents.ts";
import { createAgency, sql } from "../support/client.ts";
import { createConversation, receive } from "../support/sms.ts";
import { assertAccessible, assertFits, deskTest, NARROW, signIn, until } from "./harness.ts";
import { createTeam } from "./teams.ts";

deskTest(
  "a manager sees how the orders fill and who changed them, who waits for whom, and the numbers",
  async (page) => {
    const team = await createTeam([
      { states: ["TX", "OK"], filled: 60, leads: 70, daily_cap: 80 },
      { filled: 10, quantity: 100000, leads: 1 },
      { filled: 0 },
      { filled: 20, status: "paused", priority: 2, vendor_id: null },
      { filled: 5, priority: -5, states: ["AZ"] },
      { filled: 50, leads: 7, ends_at: new Date(Date.now() + 3 * 86_400_000).toISOString() },
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
    from public.recruiting_orders, generate_series(1, 70) n
    where agency_id = ${team.agency_id} and states = '{AZ}'`;

    await signIn(page, team, "settings/orders");
    assert.match(await page.title(), /^(\(1\) )?Settings – Desk$/);
    const orders = page.getByRole("region", { name: "Orders and greetings" });
    const acme = orders.getByRole("row").filter({ hasText: "TX, OK" });
    for (const words of ["Acme Leads", "60 of 100", "10 a day, full in about 4 days", "70 of 80"]) {
      await acme.getByText(words).first().waitFor();
    }
    assert.equal(await acme.getByRole("progressbar").getAttribute("value"), "60");
    for (
      const words of [
        "not full within a year",
        "no recruits in 7 days",
        "paused, gets none now",
        "1 a day, ends before it is full",
      ]
    ) await orders.getByText(words).first().waitFor();
    await orders.getByRole("row").filter({ hasText: "Any vendor" }).getByText("higher priority")
      .waitFor();
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
    await orders.getByText("Earlier changes").click();
    const changes = orders.getByText(/Nora Quist changed the limit from \d+ to \d+ a day,/);
    await changes.nth(49).waitFor();
    await page.getByRole("button", { name: "Show earlier" }).click();
    await changes.nth(69).waitFor();
    const caps = (await changes.allInnerTexts()).map((text) => Number(/to (\d+) a day/.exec(text)![1]));
    assert.deepEqual(caps, Array.from({ length: 70 }, (_, n) => 70 - n), "the latest first");
    await assertAccessible(page);

    const tabs = page.getByRole("navigation", { name: "Settings" });
    await tabs.getByRole("link", { name: "Numbers" }).click();
    const numbers = page.getByRole("table", { name: "Numbers" }).getByRole("row");
    await numbers.filter({ hasText: "30034" }).getByText("paused").waitFor();
    assert.equal(await numbers.count(), 3);
    await tabs.getByRole("link", { name: "People" }).click();
    const ada = page.getByRole("row", { name: "Ada Byron" });
    await ada.getByRole("cell", { name: "78" }).waitFor();
    await ada.getByRole("link", { name: "1 waits, now" }).click();
    await page.getByRole("region", { name: "Conversations" }).getByText("Is this still open?").waitFor();
    const whose = page.getByLabel("Whose conversations").locator("option:checked");
    // Until the agents are read, the choice has no name.
    await until(async () => await whose.innerText() === "Ada Byron");
  },
);

deskTest("an agency that has nothing yet says what to do, and a fault of one tab leaves the others", async (page) => {
  const team = await createTeam();
  await page.route(
    "**/rest/v1/team?**",
    (route) => route.fulfill({ status: 400, json: { code: "X", message: "oh no" } }),
  );
  await signIn(page, team, "settings");
  await page.getByText("The agents could not be read. Oh no.").waitFor();
  const tabs = page.getByRole("navigation", { name: "Settings" });
  for (
    const [tab, words] of Object.entries({
      "Orders and greetings": "No order is open.",
      Numbers: "No number yet.",
      History: "Nobody has changed a setting yet.",
    })
  ) {
    await tabs.getByRole("link", { name: tab }).click();
    await page.getByText(words).waitFor();
  }
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await tabs.getByRole("link", { name: "People" }).click();
  await page.getByRole("rowheader", { name: "Ada Byron" }).waitFor();
  await page.evaluate(`location.hash = "#/home"`);
  await page.getByText("No recruit has come in these days.").waitFor();
  await page.evaluate(`location.hash = "#/home/opt_outs"`);
  await page.getByText("Nobody is in this list.").waitFor();
});

deskTest("a manager sees how each agent is notified, and chooses what to be mailed about", async (page) => {
  const team = await createTeam();
  await sql`update public.agents set email = 'nora@example.com' where id = ${team.agent_id}`;
  const former = await signInNewAgent(team.agency_id);
  await sql`update public.agents set first_name = 'Former', is_active = false where id = ${former.agent_id}`;
  const push = {
    endpoint: `https://push.example/${crypto.randomUUID()}`,
    p256dh: "B".repeat(87),
    auth: "a".repeat(22),
  };
  for (
    const act of [team.client.rpc("save_push_subscription", push), team.client.rpc("set_my_mail", { about: ["lead"] })]
  ) {
    assert.equal((await act).error, null);
  }
  await page.setViewportSize(NARROW);
  await signIn(page, team, "settings/notifications");
  await page.locator(".frame-menu").getByRole("button", { name: "Notifications" }).click();
  await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "People" }).waitFor();
  await assertFits(page);
  await page.keyboard.press("Escape");
  const chosen = async (name: string) =>
    (await page.getByRole("row", { name }).getByRole("cell").allInnerTexts()).map((text) => text.trim());
  await page.getByRole("row", { name: "Nora Quist" }).waitFor();
  assert.deepEqual(await chosen("Nora Quist"), ["1 device", "On"]);
  assert.deepEqual(await chosen("Ada Byron"), ["No alerts on"]);
  assert.equal(await page.getByRole("row", { name: "Former" }).count(), 0);
  assert.equal(await page.getByRole("button", { name: "Turn on mine" }).count(), 0);
  assert.equal(await page.getByText("Nobody gets an alert").count(), 0);
  await page.setViewportSize({ width: 1280, height: 800 });
  await until(async () => (await chosen("Ada Byron")).length === 3);
  assert.deepEqual(await chosen("Nora Quist"), ["1 device", "On", "Off"]);
  assert.deepEqual(await chosen("Ada Byron"), ["No alerts on", "Off", "Off"]);
  await team.client.rpc("set_my_mail", { about: [] });
  await sql`delete from public.push_subscriptions where agent_id = ${team.agent_id}`;
  await page.reload();
  await page.getByText("Nobody gets an alert while the desk is closed.").waitFor();
  await page.getByText("Each person turns on their own in the menu of their initials").waitFor();
  await assertFits(page);
  await assertAccessible(page);
  await page.getByRole("button", { name: "Turn on mine" }).click();
  const mails = page.getByRole("group", { name: "Mail me" });
  await mails.getByLabel("A new lead").check();
  await mails.getByLabel("A recruit has waited 15 minutes").check();
  const stored = async () => (await sql`select mail_about from public.agents where id = ${team.agent_id}`)[0]!;
  await until(async () => (await stored()).mail_about.join() === "lead,recruit_waiting");
  await mails.getByLabel("A new lead").uncheck();
  await until(async () => (await stored()).mail_about.join() === "recruit_waiting");
});

deskTest("an agent who has nothing yet reads so, and is told whose the other parts are", async (page) => {
  const { id } = await createAgency();
  await signIn(page, await signInNewAgent(id), "recruits");
  await page.getByText("There are no recruits yet.").waitFor();
  await page.getByRole("navigation").getByRole("link", { name: "Sales leads" }).click();
  await page.getByText("There are no sales leads yet.").waitFor();
  for (
    const [view, who] of [
      ["Home", "an agency's managers"],
      ["Settings", "an agency's managers"],
      ["Operator", "operators of the service"],
    ] as const
  ) {
    await page.evaluate(`location.hash = "#/${view.toLowerCase()}"`);
    await page.getByText(`This part is for ${who}.`).waitFor();
    assert.equal(await page.getByRole("link", { name: view }).count(), 0);
  }
  await page.evaluate(`location.hash = "#/"`);
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
});
