import assert from "node:assert/strict";
import { signInNewAgent } from "../support/agents.ts";
import { createAgency, sql } from "../support/client.ts";
import { createConversation, receive } from "../support/sms.ts";
import { assertAccessible, assertFits, deskTest, NARROW, picture, signIn, until } from "./harness.ts";
import { createTeam } from "./teams.ts";

deskTest("a manager sees how the orders fill, who waits for whom, and the numbers", async (page) => {
  const team = await createTeam([
    { states: ["TX", "OK"], filled: 60, leads: 70, daily_cap: 80 },
    { filled: 10, quantity: 100000, leads: 1 },
    { filled: 0 },
    { filled: 20, status: "paused", priority: 2, vendor_id: null },
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

  await signIn(page, team, "team");
  assert.equal(await page.title(), "Team – Desk");
  const orders = page.getByRole("region", { name: "Orders" });
  const acme = orders.getByRole("listitem").filter({ hasText: "TX, OK" });
  for (const words of ["Acme Leads", "60 of 100 leads", "10 a day, full in about 4 days", "70 of at most 80 today"]) {
    await acme.getByText(words).first().waitFor();
  }
  assert.equal(await acme.getByRole("progressbar").getAttribute("value"), "60");
  for (
    const words of [
      "not full within a year",
      "no leads in 7 days",
      "paused, gets none now",
      "1 a day, ends before it is full",
    ]
  ) await orders.getByText(words).waitFor();
  await orders.getByRole("listitem").filter({ hasText: "Any vendor" }).getByText("priority 2").waitFor();
  await picture(page, "team");
  assert.equal(await orders.getByText("100 of 100 leads").count(), 0);
  await orders.getByText("Filled and closed orders").click();
  await orders.getByText("100 of 100 leads").waitFor();
  const ended = orders.getByRole("listitem").filter({ hasText: "NV" });
  await ended.getByText("has ended, gets no more").waitFor();
  assert.equal(await ended.getByRole("button", { name: "Open again" }).count(), 0);

  const agents = page.getByRole("region", { name: "Agents" }).getByRole("listitem");
  await agents.filter({ hasText: "Ada Byron" }).getByText("1 waits, 1 unread, longest: now").waitFor();
  await agents.filter({ hasText: "Ada Byron" }).getByText("78 recruits in 7 days").waitFor();
  await agents.filter({ hasText: "Nora Quist" }).getByText("manager").waitFor();
  const nobodys = page.getByRole("link", { name: "Conversations that nobody has: 1" });
  assert.equal(await nobodys.getAttribute("href"), "#/inbox/nobody");
  const numbers = page.getByRole("region", { name: "Our numbers" }).getByRole("listitem");
  await numbers.filter({ hasText: "30034" }).getByText("paused").waitFor();
  assert.equal(await numbers.count(), 2);
  await assertAccessible(page);
  await page.setViewportSize(NARROW);
  await assertFits(page);
  await agents.getByRole("link", { name: "1 waits, 1 unread" }).click();
  await page.getByRole("region", { name: "Conversations" }).getByText("Is this still open?").waitFor();
  assert.equal(await page.getByLabel("Whose conversations").locator("option:checked").innerText(), "Ada Byron");
});

deskTest("a list of a team is never cut", async (page) => {
  const team = await createTeam();
  await sql`
    insert into public.agents (agency_id, first_name)
    select ${team.agency_id}, 'Agent "' || n % 7 from generate_series(1, 120) n`;
  await sql`
    insert into public.recruiting_orders (agency_id, quantity, status)
    select ${team.agency_id}, n, 'paused' from generate_series(1, 60) n`;
  await signIn(page, team, "team");
  const agents = page.getByRole("region", { name: "Agents" });
  for (const shown of [50, 100]) {
    await until(async () => await agents.getByRole("listitem").count() === shown);
    await agents.getByRole("button", { name: "Show more" }).click();
  }
  await until(async () => await agents.getByRole("listitem").count() === 122);
  assert.equal(await agents.getByRole("button", { name: "Show more" }).count(), 0);
  const orders = page.getByRole("region", { name: "Orders" });
  await orders.getByRole("button", { name: "Show more" }).click();
  await until(async () => await orders.getByRole("listitem").count() === 60);
  // The parts far below are one press away.
  await page.getByRole("navigation", { name: "Parts of the team" }).getByRole("button", { name: "Our numbers" })
    .click();
  const heading = page.getByRole("heading", { name: "Our numbers" });
  await until(async () => {
    const box = await heading.boundingBox();
    return box!.y > 50 && box!.y < 800;
  });
});

deskTest("all changes of an order are read, the latest first", async (page) => {
  const team = await createTeam([{ filled: 3, leads: 3 }]);
  await sql`
    insert into public.order_changes (agency_id, order_id, agent_id, before, after, created_at)
    select agency_id, id, ${team.agent_id}, jsonb_build_object('daily_cap', n - 1), jsonb_build_object('daily_cap', n),
      now() - interval '1 day' + n * interval '1 minute'
    from public.recruiting_orders, generate_series(1, 70) n
    where agency_id = ${team.agency_id}`;
  await signIn(page, team, "team");
  const changes = page.getByRole("region", { name: "Orders" }).getByText(/Changed by Nora Quist, .* → \d+ a day$/);
  await changes.first().waitFor();
  await page.getByText("Earlier changes").click();
  await changes.nth(49).waitFor();
  await page.getByRole("button", { name: "Show earlier" }).click();
  await changes.nth(69).waitFor();
  const caps = (await changes.allInnerTexts()).map((text) => Number(/→ (\d+)/.exec(text)![1]));
  assert.deepEqual(caps, Array.from({ length: 70 }, (_, n) => 70 - n));
  await assertAccessible(page);
});

deskTest("an agency that has nothing yet says what to do, and a fault of a part leaves the others", async (page) => {
  const team = await createTeam();
  await page.route(
    "**/rest/v1/team?**",
    (route) => route.fulfill({ status: 400, json: { code: "X", message: "oh no" } }),
  );
  await signIn(page, team, "team");
  await page.getByText("No order is open.").waitFor();
  await page.getByText("No number yet.").waitFor();
  await page.getByText("The agents could not be read. Oh no.").waitFor();
  await assertAccessible(page);
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Nobody waits").first().waitFor();
});

deskTest("an agent who opens the team is told whose it is", async (page) => {
  const { id } = await createAgency();
  await signIn(page, await signInNewAgent(id), "team");
  await page.getByText("This part is for an agency's managers.").waitFor();
  assert.equal(await page.getByRole("link", { name: "Team" }).count(), 0);
});

deskTest(
  "a manager pauses an order, and changes its cap, states and greeting; what can't be is said there",
  async (page) => {
    const team = await createTeam([{ filled: 3, leads: 3 }]);
    await signIn(page, team, "team");
    const order = page.getByRole("region", { name: "Orders" }).getByRole("listitem").filter({ hasText: "Acme Leads" });
    await order.getByRole("button", { name: "Pause" }).click();
    await order.getByText("paused", { exact: true }).waitFor();
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
    await form.getByLabel("States").fill("tx, Oklahoma");
    await form.getByLabel("Leads a day, at most").fill("40");
    await form.getByLabel("Greeting").fill("Hi {name}");
    await save.click();
    await form.getByRole("alert").getByText("1,600 characters with {agency} and the word STOP").waitFor();
    assert.equal(await form.getByLabel("Greeting").inputValue(), "Hi {name}", "nothing that was typed is lost");
    await form.getByLabel("Greeting").fill("Hi {first_name}, {agency} here. STOP ends this.");
    await save.click();
    await form.waitFor({ state: "hidden" });
    for (const words of ["TX, OK", "3 of at most 40 today", "recruits are greeted"]) {
      await order.getByText(words, { exact: false }).first().waitFor();
    }
    await order.getByText(/Changed by Nora Quist, .*: any state → TX, OK; no limit → 40 a day; greeting added/)
      .waitFor();
    await order.getByText("Earlier changes").click();
    await order.getByText(/Changed by Nora Quist, .*: opened again/).waitFor();
    await order.getByText(/Changed by Nora Quist, .*: paused/).waitFor();
    await assertAccessible(page);
  },
);
