import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { sql } from "../support/client.ts";
import { receive } from "../support/sms.ts";
import { assertAccessible, DESK, deskTest, signIn, until } from "./harness.ts";
import {
  assertQueued,
  box,
  createColleague,
  createTalk,
  createTexter,
  list,
  openFilters,
  openTalk,
  outbox,
  send,
  texts,
} from "./talks.ts";
import { revoke, wake } from "./tokens.ts";

deskTest("a text appears without reload, is announced, and moves neither scroll nor focus", async (page) => {
  const agent = await createTexter();
  const talk = await openTalk(page, agent);
  await box(page).fill("I am writ");
  await receive(talk, { Body: "Hello?" });
  await texts(page).getByText("Hello?").waitFor();
  await page.locator("[aria-live=polite]", { hasText: "Maya: Hello?" }).waitFor();
  assert.equal(await box(page).evaluate("document.activeElement.value"), "I am writ");
  await list(page).getByText("Hello?").waitFor();
});

deskTest("a double click makes one text, and the box is empty afterwards", async (page) => {
  const talk = await openTalk(page, await createTexter());
  await box(page).fill("It is. When may I call?");
  await send(page).dblclick();
  await texts(page).getByText("It is. When may I call?").waitFor();
  await assertQueued(page, talk, ["It is. When may I call?"]);
});

deskTest("a text whose response is lost is one text", async (page) => {
  const talk = await openTalk(page, await createTexter());
  let calls = 0;
  await page.route("**/rpc/send_text", async (route) => {
    if (route.request().method() !== "POST" || calls++ > 0) return await route.continue();
    await route.fetch();
    await route.abort();
  });
  await box(page).fill("It is");
  await send(page).click();
  await texts(page).getByText("It is", { exact: true }).waitFor();
  await until(() => calls === 2);
  await until(async () => await box(page).inputValue() === "");
  await assertQueued(page, talk, ["It is"]);
});

deskTest("a reload after a lost response keeps the words, and sends nothing twice", async (page) => {
  const talk = await openTalk(page, await createTexter());
  await box(page).fill("Kept words");
  await page.reload();
  await texts(page).getByText("Is this still open?").waitFor();
  assert.equal(await box(page).inputValue(), "Kept words");

  // The text is queued, and the page closed before it hears of that.
  const isQueued = Promise.withResolvers<void>();
  await page.route("**/rpc/send_text", async (route) => {
    if (route.request().method() !== "POST") return await route.continue();
    await route.fetch();
    isQueued.resolve();
  });
  await page.route("**/rest/v1/recruiting_messages*", (route) => route.abort());
  await send(page).click();
  await isQueued.promise;
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.reload();
  await texts(page).getByText("Kept words").waitFor();
  await until(async () => await box(page).inputValue() === "");
  await assertQueued(page, talk, ["Kept words"]);
});

deskTest("a session that ends loses no word", async (page) => {
  const agent = await createTexter();
  const talk = await openTalk(page, agent);
  await box(page).fill("Before the end");
  await revoke(page);
  await wake(page);
  await page.getByText("Your session has ended.").filter({ visible: true }).first().waitFor();
  await page.getByLabel("Password", { exact: true }).fill(agent.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await box(page).waitFor();
  assert.equal(await box(page).inputValue(), "Before the end");
  await send(page).click();
  await texts(page).getByText("Before the end").waitFor();
  await assertQueued(page, talk, ["Before the end"]);
});

deskTest("a held text shows when it is sent, and is cancelled", async (page) => {
  const agent = await createTexter();
  const talk = await openTalk(page, agent);
  await sql`update public.service_numbers set status = 'paused', paused_reason = 'test' where phone = ${agent.service}`;
  await box(page).fill("Good morning");
  await send(page).click();
  await texts(page).getByText("Held until the agency's number works again.").waitFor();
  const [{ message_id }] = await outbox(talk) as unknown as [{ message_id: string }];
  await sql`update public.text_outbox set reason = 'no_account' where message_id = ${message_id}`;
  await page.reload();
  await texts(page).getByText("Held until the service has an account to send texts with.").waitFor();
  await sql`
    update public.text_outbox set reason = 'quiet_hours', due_at = date_trunc('day', now()) + interval '38 hours'
    where message_id = ${message_id}`;
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

deskTest("a failed text says why, and is tried again", async (page) => {
  const talk = await openTalk(page, await createTexter());
  await box(page).fill("Hello");
  await send(page).click();
  await texts(page).getByText("Waits to be sent").waitFor();
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
    await texts(page).getByText("Waits to be sent").waitFor();
    assert.deepEqual((await outbox(talk)).map(({ state }) => state), ["pending"]);
  }
});

deskTest("after a STOP the box is disabled and says the recruit's words, and when", async (page) => {
  const agent = await createTexter();
  const talk = await openTalk(page, agent);
  await box(page).fill("Please wait");
  await receive(talk, { Body: "Stop texting me" });
  await page.getByText(/Maya wrote “Stop texting me” \(\d+:\d\d [AP]M C.T\)\. Nobody of the agency may text/).waitFor();
  assert.equal(await box(page).isDisabled(), true);
  assert.equal(await box(page).inputValue(), "Please wait");
  assert.equal(await send(page).count(), 0);
  assert.equal(await page.getByRole("button", { name: "Hand back to the bot" }).count(), 0);
  await assertAccessible(page);
  await receive(talk, { Body: "START" });
  await send(page).waitFor();
  assert.equal(await box(page).inputValue(), "Please wait");
});

deskTest("an agent takes over from the bot, and hands back", async (page) => {
  const agent = await createTexter();
  const talk = await createTalk(agent, "Maya", {}, "bot");
  await receive(talk, { Body: "Hi" });
  await signIn(page, agent, `inbox/${talk.id}`);
  await page.getByRole("button", { name: "Take over" }).click();
  await page.getByText("Assigned to you").waitFor();
  const status = async () =>
    (await sql`select status, assigned_agent_id from public.recruiting_conversations where id = ${talk.id}`)[0];
  await until(async () => (await status())!.status === "escalated");
  assert.deepEqual({ ...await status() }, { status: "escalated", assigned_agent_id: agent.agent_id });
  await page.getByRole("button", { name: "Hand back to the bot" }).click();
  await page.getByRole("button", { name: "Take over" }).waitFor();
  assert.equal((await status())!.status, "bot");
  await page.getByRole("button", { name: "No reply needed" }).click();
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
  await signIn(page, omar, `inbox/${talk.id}`);
  await page.getByText("There is no such conversation, or it is not yours.").waitFor();
  await list(page).getByText("Nobody waits for an answer.").waitFor();
  await list(page).getByRole("button", { name: "All" }).click();
  await list(page).getByText("There are no conversations yet.").waitFor();
  assert.doesNotMatch(await page.content(), /Maya|Is this still open|secret/);
  assert.doesNotMatch(await page.evaluate("JSON.stringify({ ...localStorage })") as string, /secret/);
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

deskTest("a timeline that cannot be loaded takes nothing of the conversation away", async (page) => {
  await page.route("**/recruit_timeline*.js", (route) => route.abort());
  const talk = await openTalk(page, await createTexter());
  await page.getByText("The timeline could not be loaded.").waitFor();
  await box(page).fill("Yes, it is");
  await send(page).click();
  await assertQueued(page, talk, ["Yes, it is"]);
  await assertAccessible(page);
});

deskTest(
  "a manager's inbox stays where what only managers have cannot be loaded, and so does one without its keys",
  async (page) => {
    await page.route(/\/(assign_many|keys_dialog)[^/]*\.js/, (route) => route.abort());
    const talk = await openTalk(page, await createTexter("manager"));
    await openFilters(page);
    await page.getByRole("button", { name: "Select several" }).click();
    await page.getByText("Select several could not be loaded.").waitFor();
    await openFilters(page);
    await page.getByRole("button", { name: "Keys" }).click();
    await page.getByText("The page of keys could not be loaded.").waitFor();
    await box(page).fill("Yes, it is");
    await send(page).click();
    await assertQueued(page, talk, ["Yes, it is"]);
  },
);

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

deskTest("a file goes with a text, and opens for a user who reads it", async (page) => {
  const talk = await openTalk(page, await createTexter());
  const file = page.getByLabel("Add a file");
  await file.setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("notes") });
  await page.getByText("Send a JPEG, PNG or GIF picture").waitFor();
  // Made in the page, because it would take long to get there.
  await page.evaluate(`{
    const input = document.querySelector("input[type=file]");
    const chosen = new DataTransfer();
    chosen.items.add(new File([new Uint8Array(5 * 1024 * 1024 + 1)], "large.png", { type: "image/png" }));
    input.files = chosen.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  }`);
  await page.getByText("The file has more than 5 MB.").waitFor();
  const buffer = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  await file.setInputFiles({ name: "card.png", mimeType: "image/png", buffer });
  await page.getByText("card.png").waitFor();
  await send(page).click();
  await texts(page).getByRole("button", { name: "Show picture 1" }).click();
  await texts(page).getByRole("img", { name: "Picture 1 from your agency" }).waitFor();
  const signed = page.waitForRequest((request) => /object\/sign\/text-media.*token=/.test(request.url()));
  await texts(page).getByRole("button", { name: "Download" }).click();
  await signed;
  const [row] = await sql`
    select media from public.recruiting_messages where conversation_id = ${talk.id} and sender_type = 'agent'`;
  assert.equal(row!.media[0].content_type, "image/png");
});

deskTest("a text counts its segments, and one that is too long is not sent", async (page) => {
  const talk = await openTalk(page, await createTexter());
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
  await box(page).press("Control+Enter");
  // The page sends one text after the other, so that the long one would come first.
  await box(page).fill("A short one");
  await box(page).press("Control+Enter");
  await assertQueued(page, talk, ["A short one"]);
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
