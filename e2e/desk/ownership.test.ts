import assert from "node:assert/strict";
import { sql } from "../support/client.ts";
import { receive } from "../support/sms.ts";
import { assertAccessible, assertFits, deskTest, NARROW, signIn, until, withOther } from "./harness.ts";
import {
  assertQueued,
  box,
  createColleague,
  createTalk,
  createTexter,
  openBell,
  openTalk,
  outbox,
  send,
  texts,
} from "./talks.ts";

/** A manager, and an agent with the conversation. */
async function createTeam() {
  const manager = await createTexter("manager");
  const omar = await createColleague(manager);
  const talk = await createTalk(omar);
  await receive(talk, { Body: "Is this still open?" });
  return { manager, omar, talk };
}

deskTest("a text of a manager takes a conversation after a question, and its agent asks for it", async (page) => {
  const { manager, omar, talk } = await createTeam();
  await withOther(page, async (other) => {
    await signIn(other, omar, `inbox/${talk.id}`);
    await box(other).fill("As I said");
    await signIn(page, manager, `inbox/${talk.id}`);
    await texts(page).getByText("Is this still open?").waitFor();
    await box(page).fill("It is");
    await send(page).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Omar Quist answers here.").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    assert.equal(await box(page).inputValue(), "It is");
    assert.deepEqual([...await outbox(talk)], []);
    await box(page).press("Control+Enter");
    await dialog.getByRole("button", { name: "Send and take over" }).click();
    await page.getByText("Assigned to you").waitFor();
    await assertQueued(page, talk, ["It is"]);

    // The recruit is still Omar's, so that he reads along.
    await other.getByText("Nora has the conversation with Maya now.").waitFor();
    await other.getByText("Nora Quist answers here. You can read along.").waitFor();
    assert.equal(await box(other).inputValue(), "As I said");
    assert.ok(!await box(other).isEditable());
    assert.ok(!await box(other).isDisabled());
    await other.getByRole("button", { name: "Copy", exact: true }).click();
    await other.getByRole("button", { name: "Copied" }).waitFor();
    assert.equal(await other.evaluate("navigator.clipboard.readText()"), "As I said");
    await other.getByRole("button", { name: "Ask for this conversation" }).click();
    await other.getByRole("button", { name: "The manager was asked" }).waitFor();

    const asked = (await openBell(page)).getByText("Omar asks for the conversation with Maya.");
    await asked.waitFor();
    await page.getByRole("button", { name: "Give it to Omar Quist" }).click();
    await asked.waitFor({ state: "detached" });
    await other.getByText("Assigned to you").waitFor();
    assert.equal(await box(other).inputValue(), "As I said");
    await send(other).click();
    await assertQueued(other, talk, ["It is", "As I said"]);
    // A manager hears of the whole agency.
    await receive(talk, { Body: "Thank you" });
    await texts(page).getByText("Thank you").waitFor();
  });
});

deskTest("a manager who has agreed to take it from one agent does not take it from another", async (page) => {
  const { manager, omar, talk } = await createTeam();
  const lena = await createColleague(manager, "Lena");
  await signIn(page, manager, `inbox/${talk.id}`);
  await texts(page).getByText("Is this still open?").waitFor();
  await page.context().setOffline(true);
  await page.getByText("You are offline.").waitFor();
  await box(page).fill("It is");
  await send(page).click();
  await page.getByRole("dialog").getByText("Omar Quist answers here.").waitFor();
  await page.getByRole("button", { name: "Send and take over" }).click();
  await texts(page).getByText("Not sent yet. It is sent when there is a connection.").waitFor();
  await sql`update public.recruiting_conversations set assigned_agent_id = ${lena.agent_id} where id = ${talk.id}`;
  await page.context().setOffline(false);
  await texts(page).getByText("Not sent: Lena Quist has this conversation.").waitFor();
  assert.deepEqual([...await outbox(talk)], []);
  await page.getByRole("button", { name: "Take over from Lena Quist and send" }).click();
  await assertQueued(page, talk, ["It is"]);
  const told = await sql`
    select agent_id from public.agent_notifications where conversation_id = ${talk.id} and kind = 'taken_over'`;
  assert.deepEqual([...told], [{ agent_id: lena.agent_id }]);
  assert.notEqual(omar.agent_id, lena.agent_id);
});

deskTest("a text is sent once before a take-over, and what is written after it stays to be copied", async (page) => {
  const manager = await createTexter("manager");
  const omar = await createColleague(manager);
  const talk = await openTalk(page, omar);
  let calls = 0;
  await page.route("**/rpc/send_text", async (route) => {
    if (calls++ > 0) return await route.continue();
    await route.fetch();
    await manager.client.rpc("send_text", {
      conversation_id: talk.id,
      body: "Mine now",
      client_message_id: crypto.randomUUID(),
      take_over: true,
    });
    await route.abort();
  });
  await box(page).fill("It is");
  await send(page).click();
  await assertQueued(page, talk, ["It is", "Mine now"]);
  await until(() => calls === 2);
  assert.equal(await page.getByText("waits for your answer").count(), 0);

  const assign = ({ agent_id }: { agent_id: string }) =>
    manager.client.rpc("assign_conversation", { conversation_id: talk.id, agent_id });
  await assign(omar);
  await page.getByText("Assigned to you").waitFor();
  await page.context().setOffline(true);
  await page.getByText("You are offline.").waitFor();
  await box(page).fill("As I said");
  await send(page).click();
  await texts(page).getByText("Not sent yet. It is sent when there is a connection.").waitFor();
  await box(page).fill("And one more");
  await assign(manager);
  await page.context().setOffline(false);
  await texts(page).getByText("Not sent: The conversation is not yours any more.").waitFor();
  await page.getByText("Nora Quist answers here. You can read along.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Send it now" }).count(), 0);
  assert.equal((await outbox(talk)).length, 2);

  // It is nobody's recruit, so that Omar does not read the conversation any more.
  await sql`update public.recruiting_leads set agent_id = null where id = ${talk.lead_id}`;
  await page.reload();
  await page.getByText("Nora Quist has this conversation now.").waitFor();
  assert.equal(await page.locator(".thread .state bdi").innerText(), "Nora Quist");
  assert.equal(await page.getByLabel("What you have not sent").inputValue(), "As I said");
  assert.equal(await page.getByLabel("What you have written").inputValue(), "And one more");
  await assertAccessible(page);
  await page.getByRole("button", { name: "Ask for this conversation" }).click();
  await page.getByRole("button", { name: "The manager was asked" }).waitFor();
  const asked = await sql`
    select kind, by_agent_id from public.agent_notifications
    where agent_id = ${manager.agent_id} and kind = 'asked_for'`;
  assert.deepEqual([...asked], [{ kind: "asked_for", by_agent_id: omar.agent_id }]);
  const bell = await openBell(page);
  await bell.getByText("Nora has the conversation with a recruit now.").first().waitFor();
});

deskTest("what asks for something stands first in the bell, after a recruit in danger", async (page) => {
  const manager = await createTexter("manager");
  const omar = await createColleague(manager);
  async function notify(kind: string, name: string, waiting: string | null, reason: string | null = null) {
    const { id, lead_id } = await createTalk(omar, name, name === "Maya" ? {} : { last_name: "Marsh" });
    const owner = name === "Cleo" ? null : omar.agent_id;
    await sql`
    update public.recruiting_conversations set waiting_since = ${waiting}, assigned_agent_id = ${owner},
      status = ${owner === null ? "bot" : "escalated"} where id = ${id}`;
    await sql`update public.recruiting_leads set agent_id = ${owner} where id = ${lead_id}`;
    await sql`
    insert into public.agent_notifications (agent_id, conversation_id, kind, reason, by_agent_id)
    values (${manager.agent_id}, ${id}, ${kind}, ${reason}, ${kind === "asked_for" ? omar.agent_id : null})`;
  }
  await notify("handoff", "Maya", null, "distress");
  await notify("asked_for", "Ada", null);
  // Ben was answered since.
  await notify("recruit_waiting", "Ben", null);
  await notify("failed", "Cleo", null);
  await notify("recruit_waiting", "Finn", new Date().toISOString());
  await signIn(page, manager, "sales");
  const line = "Maya may be in danger. The 988 Suicide & Crisis Lifeline takes calls and texts at 988.";
  // To a user who has just come, too.
  await page.getByRole("alert").getByText(line).waitFor();
  await page.getByRole("button", { name: "Notifications 5 unread, one is urgent" }).waitFor();
  const bell = await openBell(page);
  const items = bell.getByRole("listitem");
  await items.first().waitFor();
  await assertAccessible(page);
  const rows = items.locator("> :first-child");
  assert.ok((await items.first().textContent())!.startsWith(line));
  assert.deepEqual((await rows.allInnerTexts()).slice(1), [
    "Finn Marsh is waiting for an answer.",
    "Omar asks for the conversation with Ada Marsh.",
    "A text to Cleo Marsh could not be sent.\nno agent, so it came to you",
    "Ben Marsh is waiting for an answer.",
  ]);
  await page.setViewportSize(NARROW);
  await assertFits(page);
  await bell.getByRole("button", { name: "Mark all as read" }).click();
  await until(async () => await items.count() === 1);
  await items.first().getByRole("button", { name: "OK" }).click();
  await bell.getByText(line).waitFor({ state: "detached" });
});
