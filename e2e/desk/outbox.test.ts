import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { sql } from "../support/client.ts";
import { receive } from "../support/sms.ts";
import { assertAccessible, deskTest, signIn, until } from "./harness.ts";
import {
  assertQueued,
  box,
  countWaiting,
  createColleague,
  createTexter,
  inOutbox,
  openTalk,
  outbox,
  send,
  texts,
} from "./talks.ts";

/** Writes and sends a text while no text can be sent, and waits until the page keeps it. */
async function sendWithoutNetwork(page: Page, body: string): Promise<void> {
  await page.route("**/rpc/send_text", (route) => route.abort());
  await box(page).fill(body);
  await send(page).click();
  await texts(page).getByText(body).waitFor();
  await texts(page).getByText("Not sent yet. It is sent when there is a connection.").first().waitFor();
}

/** From now on texts can be sent; the page notices it as it does after the network was gone. */
async function connectAgain(page: Page): Promise<void> {
  await page.unroute("**/rpc/send_text");
  await page.evaluate(() => dispatchEvent(new Event("online")));
}

/** Makes the texts that wait older. */
async function age(page: Page, hours: number): Promise<void> {
  await inOutbox(
    page,
    `store.getAll().onsuccess = ({ target }) => {
      for (const text of target.result) store.put({ ...text, sent_at: text.sent_at - ${hours} * 3_600_000 });
    }`,
  );
}

deskTest("texts without a network are sent once when it is back, in their order", async (page) => {
  const talk = await openTalk(page, await createTexter());
  await sendWithoutNetwork(page, "One");
  await sendWithoutNetwork(page, "Two");
  assert.equal(await box(page).inputValue(), "");
  assert.equal(await countWaiting(page), 2);
  await assertAccessible(page);
  await connectAgain(page);
  await assertQueued(page, talk, ["One", "Two"]);
  await texts(page).getByText("Not sent yet.").first().waitFor({ state: "detached" });
  assert.equal(await texts(page).getByText("One", { exact: true }).count(), 1);
});

deskTest("a text without a network is sent once after the tab was closed, whatever is open then", async (page) => {
  const agent = await createTexter();
  const talk = await openTalk(page, agent);
  await sendWithoutNetwork(page, "One");
  await page.close();
  const next = await page.context().newPage();
  await signIn(next, agent, "recruits");
  await assertQueued(next, talk, ["One"]);
});

deskTest("a text that the service has is not sent again after a reload", async (page) => {
  const talk = await openTalk(page, await createTexter());
  const isQueued = Promise.withResolvers<void>();
  await page.route("**/rpc/send_text", async (route) => {
    await route.fetch();
    await route.abort();
    isQueued.resolve();
  });
  await box(page).fill("One");
  await send(page).click();
  await isQueued.promise;
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.reload();
  await texts(page).getByText("One", { exact: true }).waitFor();
  await assertQueued(page, talk, ["One"]);
  assert.equal(await texts(page).getByText("One", { exact: true }).count(), 1);
});

deskTest("two tabs send what waits once, and show it once", async (page) => {
  const agent = await createTexter();
  const talk = await openTalk(page, agent);
  const other = await page.context().newPage();
  await other.route("**/rpc/send_text", (route) => route.abort());
  await signIn(other, agent, `inbox/${talk.id}`);
  await sendWithoutNetwork(page, "One");
  await sendWithoutNetwork(page, "Two");
  await texts(other).getByText("Two").waitFor();
  await Promise.all([connectAgain(page), connectAgain(other)]);
  await assertQueued(page, talk, ["One", "Two"]);
  for (const tab of [page, other]) {
    await texts(tab).getByText("Waits to be sent").nth(1).waitFor();
    assert.equal(await texts(tab).getByText("One", { exact: true }).count(), 1);
  }
});

deskTest("after 12 hours the page asks before it sends", async (page) => {
  const talk = await openTalk(page, await createTexter());
  await sendWithoutNetwork(page, "Good evening");
  await age(page, 13);
  await connectAgain(page);
  await texts(page).getByText("Not sent: You wrote this more than 12 hours ago.").waitFor();
  await page.getByText("A text is not sent yet, and waits for your answer.").waitFor();
  await assertAccessible(page);
  await page.reload();
  await texts(page).getByText("Not sent: You wrote this more than 12 hours ago.").waitFor();
  assert.deepEqual([...await outbox(talk)], []);
  await page.getByRole("button", { name: "Send it now" }).click();
  await assertQueued(page, talk, ["Good evening"]);
  await page.getByText("A text is not sent yet").waitFor({ state: "detached" });
});

deskTest("after a STOP a text that waits is not sent, and its words go back to the box", async (page) => {
  const talk = await openTalk(page, await createTexter());
  await sendWithoutNetwork(page, "Are you there?");
  await receive(talk, { Body: "STOP" });
  await connectAgain(page);
  await texts(page).getByText("Not sent: The recruit has opted out of texts from this agency.").waitFor();
  await page.getByText("Maya wrote “STOP”").waitFor();
  assert.equal(await page.getByRole("button", { name: "Send it now" }).count(), 0);
  await page.getByRole("button", { name: "Back to the box" }).click();
  await until(async () => await box(page).inputValue() === "Are you there?");
  await assertQueued(page, talk, []);
});

deskTest("a text that waits is deleted after a question", async (page) => {
  const talk = await openTalk(page, await createTexter());
  await sendWithoutNetwork(page, "One");
  await box(page).fill("Two");
  assert.equal(await page.getByRole("button", { name: "Back to the box" }).count(), 0);
  await page.getByRole("button", { name: "Delete this text" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete this text" }).click();
  await texts(page).getByText("One", { exact: true }).waitFor({ state: "detached" });
  await connectAgain(page);
  await assertQueued(page, talk, []);
  assert.equal(await box(page).inputValue(), "Two");
});

/** Presses "Sign out" in the menu of the account. */
async function pressSignOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Nora" }).click();
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
}

deskTest("who signs out is asked before texts are deleted, and nobody else sees them", async (page) => {
  const nora = await createTexter();
  const omar = await createColleague(nora);
  const talk = await openTalk(page, nora);
  await sendWithoutNetwork(page, "A secret text");
  await pressSignOut(page);
  await page.getByText("1 text is not sent yet.").waitFor();
  await assertAccessible(page);
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  assert.equal(await countWaiting(page), 1);
  await pressSignOut(page);
  await page.getByRole("button", { name: "Sign out and delete" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  assert.equal(await countWaiting(page), 0);
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await signIn(page, omar, "inbox");
  assert.deepEqual([...await outbox(talk)], []);
});

deskTest("a text waits for its own user while another signs in", async (page) => {
  const nora = await createTexter();
  const omar = await createColleague(nora);
  const talk = await openTalk(page, nora);
  await sql`update public.agents set role = 'manager' where id = ${omar.agent_id}`;
  await sendWithoutNetwork(page, "A secret text");
  await page.close();
  const next = await page.context().newPage();
  await signIn(next, omar, `inbox/${talk.id}`);
  await texts(next).getByText("Is this still open?").waitFor();
  await next.waitForTimeout(1_500);
  assert.equal(await next.getByText("secret").count(), 0);
  assert.deepEqual([...await outbox(talk)], []);
  await signIn(next, nora, `inbox/${talk.id}`);
  await next.reload();
  await assertQueued(next, talk, ["A secret text"]);
});
