import assert from "node:assert/strict";
import { sql } from "../support/client.ts";
import { receive } from "../support/sms.ts";
import { assertAccessible, assertAccessibleInDarkToo, DESK, deskTest, rendered, signIn, until } from "./harness.ts";
import {
  assertRows,
  box,
  createColleague,
  createTalk,
  createTexter,
  giveTo,
  list,
  openFilters,
  openSearch,
  send,
  type Talk,
  tell,
  type Texter,
  texts,
} from "./talks.ts";
import { wake } from "./tokens.ts";
import type { Page, Route } from "playwright-core";

/** A recruit who has waited for so many minutes. */
async function waits(agent: Texter, name: string, minutes: number, status?: "bot"): Promise<Talk> {
  const talk = await createTalk(agent, name, {}, status);
  await tell(talk, [["recruit", `I am ${name}`, minutes]]);
  return talk;
}

/** Opens a part of the inbox that the menu has. */
async function openPart(page: Page, name: string): Promise<void> {
  await list(page).locator(".views [aria-haspopup]").click();
  await page.getByRole("menuitem", { name }).click();
}

deskTest("a manager shares, reloads and leaves each part of the inbox, and gives several away", async (page) => {
  const manager = await createTexter("manager");
  const omar = await createColleague(manager, "Omar");
  const ruth = await waits(manager, "Ruth", 90);
  await waits(omar, "Devon", 30);
  const held = await waits(manager, "Grace", 10);
  const failed = await waits(manager, "Lee", 5);
  const nobody = await waits(manager, "Max", 20, "bot");
  await sql`update public.recruiting_conversations set assigned_agent_id = null where id = ${nobody.id}`;
  await sql`update public.recruiting_leads set agent_id = null where id = ${nobody.lead_id}`;
  await tell(held, [["recruit", "Hi", 10], ["agent", "We call you", 4]]);
  await tell(failed, [["recruit", "Hi", 10], ["agent", "We called you", 3]]);
  await sql`update public.recruiting_messages set status = 'failed' where conversation_id = ${failed.id} and body = 'We called you'`;
  await sql`
  insert into public.text_outbox (message_id, kind, reason, due_at)
  select id, 'agent', 'quiet_hours', now() + interval '9 hours' from public.recruiting_messages
  where conversation_id = ${held.id} and body = 'We call you'`;

  await signIn(page, manager, "inbox");
  await assertRows(page, ["Ruth", "Devon", "Max"]);
  // Each row has its agent, also the manager's own, or says that there is none.
  for (const row of [/Ruth.*Nora Quist/, /Devon.*Omar Quist/, /Max.*No agent/]) {
    await list(page).getByRole("link", { name: row }).waitFor();
  }
  const whose = list(page).getByLabel("Whose conversations");
  await openFilters(page);
  for (const [choice, found] of [["Omar Quist", ["Devon"]], ["", ["Ruth", "Devon", "Max"]]] as const) {
    await whose.selectOption(choice);
    await assertRows(page, [...found]);
  }
  await page.keyboard.press("Escape");
  for (const [name, address, found] of [["Bot", "bot", "Max"], ["Mine", "mine", "Lee,Grace,Ruth"]] as const) {
    await openPart(page, name);
    await assertRows(page, found.split(","));
    assert.equal(await page.evaluate("location.hash"), `#/inbox/${address}`);
  }
  await page.goBack();
  await assertRows(page, ["Max"]);
  await page.evaluate("location.hash = '#/inbox/nobody'");
  await list(page).getByRole("button", { name: "Nobody’s" }).waitFor();
  await assertRows(page, ["Max"]);

  await page.goto(`${DESK}#/inbox/all/${ruth.id}`);
  await page.reload();
  await texts(page).getByText("I am Ruth").waitFor();
  await list(page).getByRole("button", { name: /^All/, pressed: true }).waitFor();
  await assertRows(page, ["Lee", "Grace", "Max", "Devon", "Ruth"]);
  await page.evaluate(`location.hash = "#/inbox/${ruth.id}"`);
  await list(page).getByRole("button", { name: "Waiting", pressed: true }).waitFor();

  await openPart(page, "Held");
  await list(page).getByRole("link", { name: /Grace.*Held/ }).waitFor();
  await openFilters(page);
  await whose.selectOption("Omar Quist");
  await page.keyboard.press("Escape");
  await list(page).getByText("There are no conversations here.").waitFor();
  await list(page).getByRole("button", { name: "See everyone’s" }).click();
  await assertRows(page, ["Grace"]);
  await list(page).getByRole("button", { name: "Failed 1" }).click();
  await assertRows(page, ["Lee"]);
  await giveSeveral(page, omar);
});

/** Gives several conversations to one agent, who is notified once, and the open one. */
async function giveSeveral(page: Page, { agent_id }: Texter): Promise<void> {
  await page.evaluate("location.hash = '#/inbox/mine'");
  await assertRows(page, ["Lee", "Grace", "Ruth"]);
  await openFilters(page);
  await list(page).getByRole("button", { name: "Select several" }).click();
  await list(page).getByLabel("Select Ruth").check();
  await list(page).getByLabel("Select Grace").check();
  await assertAccessible(page);
  const bar = list(page).getByRole("group", { name: "Selected conversations" });
  await bar.getByText("2 conversations selected").waitFor();
  // What is not in the list is not given away unseen.
  await (await openSearch(page)).fill("Ruth");
  await bar.getByText("1 conversation selected").waitFor();
  await list(page).getByRole("button", { name: "End the search" }).click();
  await bar.getByText("2 conversations selected").waitFor();
  await bar.getByLabel("Give them to").selectOption("Omar Quist");
  await bar.getByRole("button", { name: "Give", exact: true }).click();
  await page.getByRole("dialog", { name: "Give" }).getByRole("button", { name: "Give" }).click();
  await page.getByText("2 given to Omar Quist.").waitFor();
  const told = await sql`select kind from public.agent_notifications where agent_id = ${agent_id}`;
  assert.deepEqual(told.map(({ kind }) => kind), ["handoff"]);
  await assertRows(page, ["Lee"]);
  await list(page).getByRole("link", { name: "Lee" }).click();
  await giveTo(page, "Omar Quist");
  await page.getByText("Assigned to Omar Quist").waitFor();
}

deskTest("an agent works through the own queue, also by keys, and puts a conversation off", async (page) => {
  const agent = await createTexter();
  for (const [name, minutes] of [["Ruth", 90], ["Devon", 30], ["Grace", 10]] as const) {
    await waits(agent, name, minutes);
  }
  const given = await waits(agent, "Cleo", 40);
  const lena = await createColleague(agent, "Lena");
  await sql`update public.recruiting_conversations set assigned_agent_id = ${lena.agent_id} where id = ${given.id}`;
  // A part of managers leads to the queue, which has nobody who waits for a colleague.
  await signIn(page, agent, "inbox/nobody");
  await assertRows(page, ["Ruth", "Devon", "Grace"]);
  // A key does nothing to a conversation that nobody has opened yet.
  await box(page, "Ruth").waitFor();
  await page.keyboard.press("e");
  await page.keyboard.press("j");
  await page.waitForURL(/#\/inbox\/.*[0-9a-f-]{36}$/);
  await page.keyboard.press("r");
  await page.keyboard.type("je k?");
  assert.equal(await box(page, "Ruth").inputValue(), "je k?");
  await page.locator("h2#recruit").focus();

  let undone = 0;
  page.on("request", (request) => undone += Number(request.url().endsWith("/rpc/reply_needed")));
  await page.keyboard.down("e");
  await page.getByRole("button", { name: /Undo/ }).waitFor();
  // A key that is held down repeats itself, and would take back what it did.
  await page.keyboard.down("e");
  await page.keyboard.up("e");
  await assertRows(page, ["Devon", "Grace"]);
  assert.equal(undone, 0);
  await page.keyboard.press("e");
  await assertRows(page, ["Ruth", "Devon", "Grace"]);
  await page.getByRole("button", { name: "Done: No reply needed" }).waitFor();

  // Who types fast types the first letter before the page is painted again.
  const focused = `document.dispatchEvent(new KeyboardEvent("keydown", { key: "/" })), document.activeElement.type`;
  assert.equal(await page.evaluate(focused), "search");
  await page.keyboard.type("dev");
  await assertRows(page, ["Devon"]);
  assert.equal(await list(page).getByRole("searchbox").inputValue(), "dev");
  await page.keyboard.press("Escape");

  await page.locator("h2#recruit").focus();
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog", { name: "Keys" });
  await dialog.getByText("The next conversation of the list").waitFor();
  await assertAccessibleInDarkToo(page);
  await page.keyboard.press("j");
  await dialog.getByLabel("Single keys work").uncheck();
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.keyboard.press("j");
  await openFilters(page);
  await list(page).getByRole("button", { name: "Keys" }).click();
  await dialog.getByLabel("Single keys work").check();
  await dialog.getByRole("button", { name: "Close" }).click();
  // The keys before this one would have opened the last.
  await page.keyboard.press("j");
  await texts(page).getByText("I am Devon").waitFor();
  await page.keyboard.press("k");
  await texts(page).getByText("I am Ruth").waitFor();

  assert.equal(await page.getByRole("link", { name: /Next waiting/ }).count(), 0);
  await box(page, "Ruth").fill("Welcome!");
  await send(page).click();
  await page.getByRole("link", { name: "Next waiting: Devon" }).waitFor();
  // An answered row stays where it is until it is left.
  const readAnew = page.waitForEvent(
    "requestfinished",
    (request) => /\/rest\/v1\/inbox\?.*limit=51/.test(request.url()),
  );
  await wake(page);
  await readAnew;
  await rendered(page);
  await assertRows(page, ["Ruth", "Devon", "Grace"]);
  assert.equal(await list(page).locator("[aria-current]").count(), 1);
  await page.getByRole("link", { name: "Next waiting: Devon" }).click();
  await texts(page).getByText("I am Devon").waitFor();
  await assertRows(page, ["Devon", "Grace"]);

  await box(page, "Devon").fill("Welcome, Devon!");
  await page.keyboard.press("Control+Shift+Enter");
  await texts(page).getByText("I am Grace").waitFor();
  await page.locator(":focus").and(box(page, "Grace")).waitFor();
  await until(async () =>
    (await sql`
      select from public.recruiting_messages m join public.recruiting_conversations c on c.id = m.conversation_id
      where c.agency_id = ${agent.agency_id} and m.body = 'Welcome, Devon!'`).length === 1
  );
  await assertRows(page, ["Grace"]);
  await putOff(page, agent);
});

/** Puts a conversation off until a time that one chooses. A new text ends that. */
async function putOff(page: Page, agent: Texter): Promise<void> {
  const talk = await waits(agent, "Maya", 5);
  await page.evaluate(`location.hash = "#/inbox/${talk.id}"`);
  await texts(page).getByText("I am Maya").waitFor();
  const snooze = page.getByRole("button", { name: "Snooze", exact: true });
  await snooze.click();
  const dialog = page.getByRole("dialog", { name: "Snooze" });
  await assertAccessible(page);
  await dialog.getByLabel("Until").fill("2099-01-01T09:00");
  await dialog.getByRole("button", { name: "Snooze until then" }).click();
  await dialog.getByRole("alert").getByText("Choose a time within 90 days.").waitFor();
  await dialog.getByRole("button", { name: "Tomorrow morning" }).click();
  await page.getByText(/Snoozed until .*9:00 AM/).waitFor();
  await assertRows(page, ["Grace"]);
  await page.getByRole("link", { name: "Next waiting: Grace" }).waitFor();
  await list(page).getByRole("button", { name: /^All/ }).click();
  await list(page).getByRole("link", { name: /Maya.*Until/ }).waitFor();
  await page.getByRole("button", { name: "End the snooze" }).click();
  await list(page).getByRole("button", { name: /^Waiting/ }).click();
  await assertRows(page, ["Grace", "Maya"]);

  // What is read after the change is from before the text.
  const reads: Route[] = [];
  const hold = (route: Route) => void reads.push(route);
  await page.route(/\/inbox\?select=\*&id=in\./, hold, { times: 1 });
  await snooze.click();
  await dialog.getByRole("button", { name: "3 hours" }).click();
  await assertRows(page, ["Grace"]);
  await until(() => reads.length > 0);
  const response = await reads[0]!.fetch();
  await receive(talk, { Body: "Are you there?" });
  await texts(page).getByText("Are you there?").waitFor();
  await reads[0]!.fulfill({ response });
  await assertRows(page, ["Grace", "Maya"]);
  await snooze.waitFor();

  // It comes back at its time, until the agent is done with it.
  await sql`
    update public.recruiting_conversations set waiting_since = null, snoozed_until = now() where id = ${talk.id}`;
  await list(page).getByRole("link", { name: /Maya.*Snoozed until now/ }).waitFor();
  await page.getByText("Snoozed until now.").waitFor();
  await page.locator("h2#recruit").focus();
  await page.keyboard.press("e");
  await list(page).getByText("Snoozed until now").waitFor({ state: "detached" });
}
