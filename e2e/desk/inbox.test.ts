import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { sql } from "../support/client.ts";
import { receive } from "../support/sms.ts";
import { assertAccessible, DESK, deskTest, NARROW, signIn, until } from "./harness.ts";
import {
  assertQueued,
  box,
  createColleague,
  createTalk,
  createTexter,
  list,
  noteBox,
  noteMode,
  openFilters,
  openTalk,
  outbox,
  saveNote,
  send,
  texts,
} from "./talks.ts";
import { revoke, wake } from "./tokens.ts";

deskTest("a text appears, is announced and moves nothing; what is sent is one text", async (page) => {
  const talk = await openTalk(page, await createTexter());
  await box(page).fill("I am writ");
  await receive(talk, { Body: "Hello?" });
  await texts(page).getByText("Hello?").waitFor();
  await page.locator("[aria-live=polite]", { hasText: "Maya: Hello?" }).waitFor();
  assert.equal(await box(page).evaluate("document.activeElement.value"), "I am writ");
  await list(page).getByText("Hello?").waitFor();
  for (
    const [body, count] of [
      ["a".repeat(161), "161 of 1,600 · 2 segments"],
      ["Ünïcödé 😀", "10 of 1,600 · 1 segment"],
      ["x".repeat(1601), "1,601 of 1,600 · 11 segments"],
    ] as const
  ) {
    await box(page).fill(body);
    await page.getByText(count, { exact: true }).waitFor();
  }
  // It is too long. The page sends one text after the other, so that it would come first.
  await box(page).press("Control+Enter");
  await box(page).fill("When may I call?");
  await send(page).dblclick();
  await texts(page).getByText("When may I call?").waitFor();
  await assertQueued(page, talk, ["When may I call?"]);

  // The response is lost. The box is free once the text is queued, however long the list is read.
  let calls = 0;
  await page.route("**/rpc/send_text", async (route) => {
    if (route.request().method() !== "POST" || calls++ > 0) return await route.continue();
    await route.fetch();
    await route.abort();
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route("**/rest/v1/inbox?*limit=51*", async (route) => {
    await promise;
    await route.continue().catch(() => {});
  });
  await box(page).fill("It is");
  await send(page).click();
  await texts(page).getByText("It is", { exact: true }).waitFor();
  await until(() => calls === 2);
  await until(async () => await box(page).inputValue() === "" && await box(page).getAttribute("readonly") === null);
  await assertQueued(page, talk, ["When may I call?", "It is"]);
  resolve();
});

deskTest("no word is lost by a reload, the session's end or a closed tab, and tabs share a draft", async (page) => {
  const agent = await createTexter();
  const talk = await openTalk(page, agent);
  await box(page).fill("Kept words");
  await page.reload();
  await texts(page).getByText("Is this still open?").waitFor();
  assert.equal(await box(page).inputValue(), "Kept words");

  await box(page).fill("Half a sen");
  await revoke(page);
  await wake(page);
  await page.getByText("Your session has ended.").filter({ visible: true }).first().waitFor();
  await page.getByLabel("Password", { exact: true }).fill(agent.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await box(page).waitFor();
  assert.equal(await box(page).inputValue(), "Half a sen");

  const tabs = [await page.context().newPage(), await page.context().newPage()] as const;
  await page.close();
  for (const tab of tabs) {
    await tab.goto(`${DESK}#/inbox/${talk.id}`);
    await until(async () => await box(tab).inputValue() === "Half a sen");
  }
  const [one, two] = tabs;
  await box(one).fill("A whole one");
  await until(async () => await box(two).inputValue() === "A whole one");
  await Promise.all([send(one).click(), send(two).click({ timeout: 500 }).catch(() => {})]);
  await until(async () => await box(one).inputValue() === "" && await box(two).inputValue() === "");
  await assertQueued(one, talk, ["A whole one"]);
  await one.reload();
  await texts(one).getByText("A whole one").waitFor();
  assert.equal(await box(one).inputValue(), "");
});

deskTest("a text that is held or has failed says why, and is cancelled or tried again", async (page) => {
  const agent = await createTexter();
  const talk = await openTalk(page, agent);
  await sql`update public.service_numbers set status = 'paused', paused_reason = 'test' where phone = ${agent.service}`;
  await box(page).fill("Good morning");
  await send(page).click();
  await texts(page).getByText("Held until the agency's number works again.").waitFor();
  await assertQueued(page, talk, ["Good morning"]);
  for (
    const [code, words] of [["30007", "the carrier has taken it for spam"], ["unconfirmed", "It may have been sent"]]
  ) {
    await sql`
      update public.text_outbox set state = 'failed', reason = ${code!} where conversation_id = ${talk.id}`;
    await sql`
      update public.recruiting_messages set status = 'failed' where conversation_id = ${talk.id} and sender_type = 'agent'`;
    await texts(page).getByText(words!).waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    if (code === "unconfirmed") {
      await page.getByText("If so, it comes a second time.").waitFor();
      await page.getByRole("dialog").getByRole("button", { name: "Try again" }).click();
    }
    await texts(page).getByText("Held until the agency's number works again.").waitFor();
    await until(async () => (await outbox(talk))[0]!.state === "pending");
  }
  await sql`update public.text_outbox set reason = 'no_account' where conversation_id = ${talk.id}`;
  await page.reload();
  await texts(page).getByText("Held until the service has an account to send texts with.").waitFor();
  await sql`
    update public.text_outbox set reason = 'quiet_hours', due_at = date_trunc('day', now()) + interval '38 hours'
    where conversation_id = ${talk.id}`;
  await page.reload();
  await texts(page).getByText(/Held, because it is too early .* It is sent at [A-Z][a-z]+ \d+, \d+:00 [AP]M C.T/)
    .waitFor();
  await assertAccessible(page);
  await page.getByRole("button", { name: "Cancel this text" }).click();
  await texts(page).getByText("Not sent: it was cancelled.").waitFor();
  await until(async () => (await outbox(talk))[0]!.reason === "cancelled");
  assert.deepEqual((await outbox(talk)).map(({ state, reason }) => [state, reason]), [["refused", "cancelled"]]);
  await page.getByRole("button", { name: "Write it again" }).click();
  assert.equal(await box(page).inputValue(), "Good morning");
});

deskTest("after a STOP the box is disabled and says the recruit's words; notes are possible", async (page) => {
  const agent = await createTexter();
  const talk = await openTalk(page, agent);
  await box(page).fill("Please wait");
  await receive(talk, { Body: "Stop texting me" });
  await page.getByText(/Maya wrote “Stop texting me” \(\d+:\d\d [AP]M C.T\)\. Nobody of the agency may text/)
    .waitFor();
  assert.equal(await box(page).isDisabled(), true);
  assert.equal(await box(page).inputValue(), "Please wait");
  assert.equal(await send(page).count(), 0);
  assert.equal(await page.getByRole("button", { name: "Hand to bot" }).count(), 0);
  await assertAccessible(page);
  await noteMode(page).click();
  await noteBox(page).fill("Has asked us to stop");
  await saveNote(page).click();
  await texts(page).getByText("Has asked us to stop").waitFor();
  await assertAccessible(page);
  await noteMode(page).click();
  await receive(talk, { Body: "START" });
  await send(page).waitFor();
  assert.equal(await box(page).inputValue(), "Please wait");
});

deskTest("an agent takes over from the bot, and hands back", async (page) => {
  const agent = await createTexter();
  const talk = await createTalk(agent, "Maya", {}, "bot");
  await receive(talk, { Body: "Hi" });
  await sql`
    with script as (
      insert into public.bot_scripts (agency_id, version, script) values (${agent.agency_id}, 1, '{}') returning id
    )
    insert into public.bot_sessions (conversation_id, script_id, question, state)
    select ${talk.id}, id, 'states', 'active' from script`;
  await signIn(page, agent, `inbox/${talk.id}`);
  const takesOver = page.getByText("Sending takes over from the bot");
  await takesOver.waitFor();
  await page.setViewportSize(NARROW);
  assert.equal(await takesOver.isVisible(), true);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("button", { name: "Take over" }).click();
  await page.getByText("Assigned to you").waitFor();
  await takesOver.waitFor({ state: "detached" });
  const status = async () =>
    (await sql`select status, assigned_agent_id from public.recruiting_conversations where id = ${talk.id}`)[0];
  await until(async () => (await status())!.status === "escalated");
  assert.deepEqual({ ...await status() }, { status: "escalated", assigned_agent_id: agent.agent_id });
  await page.getByRole("button", { name: "Hand to bot" }).click();
  await page.getByRole("button", { name: "Take over" }).waitFor();
  assert.equal((await status())!.status, "bot");
  await page.getByRole("button", { name: "Done: No reply needed" }).click();
  await list(page).getByText("Nobody waits for an answer.").waitFor();
});

deskTest("an agent sees nothing of another's, also in a browser in which that one was signed in", async (page) => {
  const nora = await createTexter();
  const omar = await createColleague(nora);
  const talk = await openTalk(page, nora);
  await box(page).fill("A secret draft");
  await page.getByRole("button", { name: "Nora" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  assert.doesNotMatch(await page.evaluate("JSON.stringify({ ...localStorage })") as string, /secret/);
  await signIn(page, omar, `inbox/${talk.id}`);
  await page.getByText("There is no such conversation, or it is not yours.").waitFor();
  await list(page).getByText("Nobody waits for an answer.").waitFor();
  await list(page).getByRole("button", { name: "All" }).click();
  await list(page).getByText("There are no conversations yet.").waitFor();
  assert.doesNotMatch(await page.content(), /Maya|Is this still open|secret/);
  await assertAccessible(page);
  await page.getByRole("link", { name: "Back to the inbox" }).click();
  await page.getByText("No conversation is open.").waitFor();
});

deskTest("20 seconds without a network miss nothing and lose no word", async (page) => {
  await page.clock.install();
  const talk = await openTalk(page, await createTexter());
  await page.context().setOffline(true);
  await page.getByText("You are offline.").waitFor();
  await box(page).fill("Written offline");
  await send(page).click();
  await receive(talk, { Body: "Are you there?" });
  await texts(page).getByText("Not sent yet. It is sent when there is a connection.").waitFor();
  await assertAccessible(page);
  await page.clock.fastForward(20_000);
  assert.equal(await texts(page).getByText("Are you there?").count(), 0);
  await page.context().setOffline(false);
  await texts(page).getByText("Are you there?").waitFor();
  await assertQueued(page, talk, ["Written offline"]);
});

deskTest("a part of the inbox that cannot be loaded takes nothing else away", async (page) => {
  await page.route(/\/(recruit_timeline|assign_many|keys_dialog)[^/]*\.js/, (route) => route.abort());
  const talk = await openTalk(page, await createTexter("manager"));
  await page.getByText("The timeline could not be loaded.").waitFor();
  await openFilters(page);
  await page.getByRole("button", { name: "Select several" }).click();
  await page.getByText("Select several could not be loaded.").waitFor();
  await openFilters(page);
  await page.getByRole("button", { name: "Keys" }).click();
  await page.getByText("The page of keys could not be loaded.").waitFor();
  await assertAccessible(page);
  await box(page).fill("Yes, it is");
  await send(page).click();
  await assertQueued(page, talk, ["Yes, it is"]);
});

deskTest("scripts in a text and in a name stay text", async (page) => {
  await page.addInitScript(`
    globalThis.found = [];
    addEventListener("securitypolicyviolation", (event) => found.push(event.violatedDirective));
    globalThis.alert = () => found.push("alert");`);
  const agent = await createTexter();
  const name = "<img src=x onerror=alert(1)>";
  const bodies = [
    "<script>alert(1)</script>",
    "<b>bold</b> javascript:alert(1)",
    "<svg onload=alert(1)>",
    "{{1+1}} ${1}",
  ];
  const talk = await createTalk(agent, name, {
    last_name: "<script>alert(2)</script>",
    email: "javascript:alert(3)",
    vendor_fields: { "<i>key</i>": "<img src=x onerror=alert(4)>" },
  });
  for (const Body of bodies) await receive(talk, { Body });
  await signIn(page, agent, `inbox/${talk.id}`);
  for (const body of bodies) await texts(page).getByText(body).waitFor();
  await page.getByRole("heading", { name }).waitFor();
  await list(page).getByText(name).waitFor();
  await page.getByRole("complementary").getByText("<img src=x onerror=alert(4)>").waitFor();
  assert.equal(
    await page.locator("main img, main script, main svg[onload], main b, main i, [href^=javascript]").count(),
    0,
  );
  assert.deepEqual(await page.evaluate("found"), []);
});

deskTest("an agent signs in, opens, writes, sends and cancels by the keyboard alone", async (page) => {
  const agent = await createTexter();
  await sql`update public.service_numbers set status = 'paused', paused_reason = 'test' where phone = ${agent.service}`;
  const talk = await createTalk(agent);
  await receive(talk, { Body: "Hi" });
  await page.goto(`${DESK}`);
  await page.getByLabel("E-mail").waitFor();
  await page.keyboard.type(agent.email);
  await page.keyboard.press("Tab");
  await page.keyboard.type(agent.password);
  await page.keyboard.press("Enter");
  await list(page).getByRole("link", { name: /Maya/ }).waitFor();
  await tabTo(page, "Maya, unread");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Maya" }).waitFor();
  await until(() => page.evaluate("document.activeElement.textContent === 'Maya'") as Promise<boolean>);
  await tabTo(page, "Text to Maya");
  await page.keyboard.type("By keyboard");
  await page.keyboard.press("Control+Enter");
  await texts(page).getByText("Held until the agency's number works again.").waitFor();
  await page.keyboard.press("Shift+Tab");
  await until(() => page.evaluate("document.activeElement.textContent === 'Cancel this text'") as Promise<boolean>);
  await page.keyboard.press("Enter");
  await texts(page).getByText("Not sent: it was cancelled.").waitFor();
  await until(async () => (await outbox(talk)).map(({ reason }) => reason).join() === "cancelled");
});

/** Presses Tab until the focus is on what has this name. */
async function tabTo(page: Page, name: string): Promise<void> {
  const focused = `[document.activeElement.ariaLabel, document.activeElement.textContent].join(" ")`;
  for (let pressed = 0; pressed < 40; pressed++) {
    if ((await page.evaluate(focused) as string).includes(name)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab does not lead to ${name}`);
}
