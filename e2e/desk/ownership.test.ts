import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { sql } from "../support/client.ts";
import { receive } from "../support/sms.ts";
import { assertAccessibleInDarkToo, assertFits, deskTest, NARROW, signIn, until, withOther } from "./harness.ts";
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
  type Talk,
  type Texter,
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

deskTest("a manager's text takes a conversation only from the agent it names, who can ask for it", async (page) => {
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
  await takeFromAnother(page, manager, talk);
});

/** A manager who has agreed to take a conversation from one agent does not take it from another. */
async function takeFromAnother(page: Page, manager: Texter, talk: Talk): Promise<void> {
  const lena = await createColleague(manager, "Lena");
  await page.context().setOffline(true);
  await page.getByText("You are offline.").waitFor();
  await box(page).fill("Any time");
  await send(page).click();
  await page.getByRole("dialog").getByText("Omar Quist answers here.").waitFor();
  await page.getByRole("button", { name: "Send and take over" }).click();
  await texts(page).getByText("Not sent yet. It is sent when there is a connection.").waitFor();
  await sql`update public.recruiting_conversations set assigned_agent_id = ${lena.agent_id} where id = ${talk.id}`;
  await page.context().setOffline(false);
  await texts(page).getByText("Not sent: Lena Quist has this conversation.").waitFor();
  assert.equal((await outbox(talk)).length, 2);
  await page.getByRole("button", { name: "Take over from Lena Quist and send" }).click();
  await assertQueued(page, talk, ["It is", "As I said", "Any time"]);
}

deskTest("what was written before a take-over is not sent after it, and stays to be copied", async (page) => {
  const manager = await createTexter("manager");
  const omar = await createColleague(manager);
  const talk = await openTalk(page, omar);
  await page.context().setOffline(true);
  await page.getByText("You are offline.").waitFor();
  await box(page).fill("As I said");
  await send(page).click();
  await texts(page).getByText("Not sent yet. It is sent when there is a connection.").waitFor();
  await box(page).fill("And one more");
  await manager.client.rpc("assign_conversation", { conversation_id: talk.id, agent_id: manager.agent_id });
  await page.context().setOffline(false);
  await texts(page).getByText("Not sent: The conversation is not yours any more.").waitFor();
  await page.getByText("Nora Quist answers here. You can read along.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Send it now" }).count(), 0);
  assert.deepEqual([...await outbox(talk)], []);

  // It is nobody's recruit, so that Omar does not read the conversation any more.
  await sql`update public.recruiting_leads set agent_id = null where id = ${talk.lead_id}`;
  await page.reload();
  await page.getByText("Nora Quist has this conversation now.").waitFor();
  assert.equal(await page.locator(".thread .state bdi").innerText(), "Nora Quist");
  assert.equal(await page.getByLabel("What you have not sent").inputValue(), "As I said");
  assert.equal(await page.getByLabel("What you have written").inputValue(), "And one more");
  await page.getByRole("button", { name: "Ask for this conversation" }).click();
  await page.getByRole("button", { name: "The manager was asked" }).waitFor();
  await (await openBell(page)).getByText("Nora has the conversation with a recruit now.").first().waitFor();
});

deskTest("a recruit who may be in danger is an alert, comes first in the bell, and is read alone", async (page) => {
  const manager = await createTexter("manager");
  for (
    const [name, kind, reason] of [["Maya", "handoff", "distress"], ["Cleo", "failed", null], ["Ada", "failed", null]]
  ) {
    const { id } = await createTalk(manager, name!);
    await sql`
    insert into public.agent_notifications (agent_id, conversation_id, kind, reason)
    values (${manager.agent_id}, ${id}, ${kind!}, ${reason!})`;
  }
  await signIn(page, manager, "sales");
  const line = "Maya may be in danger. The 988 Suicide & Crisis Lifeline takes calls and texts at 988.";
  await page.getByRole("alert").getByText(line).waitFor();
  await page.getByRole("button", { name: "Notifications 3 unread, one is urgent" }).waitFor();
  const bell = await openBell(page);
  const items = bell.getByRole("listitem");
  await items.nth(2).waitFor();
  assert.ok((await items.first().textContent())!.startsWith(line));
  await assertAccessibleInDarkToo(page);
  await page.setViewportSize(NARROW);
  await assertFits(page);
  await bell.getByRole("button", { name: "Mark all as read" }).click();
  await until(async () => await items.count() === 1);
  await items.first().getByRole("button", { name: "OK" }).click();
  await bell.getByText(line).waitFor({ state: "detached" });
});
