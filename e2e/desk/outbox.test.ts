import assert from "node:assert/strict";
import type { Page, Route } from "playwright-core";
import { sql } from "../support/client.ts";
import { receive } from "../support/sms.ts";
import { DESK, deskTest, signIn, until } from "./harness.ts";
import {
  assertQueued,
  box,
  countWaiting,
  createColleague,
  createTalk,
  createTexter,
  inOutbox,
  list,
  noteBox,
  noteMode,
  openTalk,
  outbox,
  saveNote,
  send,
  type Talk,
  type Texter,
  texts,
} from "./talks.ts";

/** Writes and sends a text while no text can be sent, and waits until the page keeps it. */
async function sendWithoutNetwork(page: Page, body: string): Promise<void> {
  await page.route("**/rpc/send_text", (route) => route.abort());
  await box(page).fill(body);
  await send(page).click();
  await texts(page).getByText(body, { exact: true }).waitFor();
  await texts(page).getByText("Not sent yet. It is sent when there is a connection.").first().waitFor();
}

/** From now on texts can be sent; the page notices it as it does after the network was gone. */
async function connectAgain(page: Page): Promise<void> {
  await page.unroute("**/rpc/send_text");
  await page.evaluate(() => dispatchEvent(new Event("online")));
}

/** Makes the texts that wait older. */
async function age(page: Page, hours: number): Promise<void> {
  // Otherwise a try that has begun would go on with the text as it was.
  await page.evaluate("navigator.locks.request('desk-outbox', () => {})");
  await inOutbox(
    page,
    `store.getAll().onsuccess = ({ target }) => {
      for (const text of target.result) store.put({ ...text, sent_at: text.sent_at - ${hours} * 3_600_000 });
    }`,
  );
}

deskTest("a reload and 20 s without a network lose no word; two tabs send once and in order", async (page) => {
  await page.clock.install();
  const agent = await createTexter();
  const talk = await openTalk(page, agent);
  await box(page).fill("In both tabs");
  await page.reload();
  await texts(page).getByText("Is this still open?").waitFor();
  assert.equal(await box(page).inputValue(), "In both tabs");
  const other = await page.context().newPage();
  await other.goto(`${DESK}#/inbox/${talk.id}`);
  await until(async () => await box(other).inputValue() === "In both tabs");
  await Promise.all([send(page).click(), send(other).click({ timeout: 500 }).catch(() => {})]);
  for (const tab of [page, other]) await until(async () => await box(tab).inputValue() === "");
  await assertQueued(page, talk, ["In both tabs"]);

  await page.context().setOffline(true);
  await page.getByText("You are offline.").waitFor();
  for (const body of ["One", "Two"]) {
    await box(page).fill(body);
    await send(page).click();
    await texts(page).getByText(body, { exact: true }).waitFor();
  }
  await texts(other).getByText("Two").waitFor();
  assert.equal(await countWaiting(page), 2);
  await receive(talk, { Body: "Are you there?" });
  await texts(page).getByText("Not sent yet. It is sent when there is a connection.").first().waitFor();
  await page.clock.fastForward(20_000);
  assert.equal(await texts(page).getByText("Are you there?").count(), 0);
  await page.context().setOffline(false);
  for (const tab of [page, other]) {
    await texts(tab).getByText("Are you there?").waitFor();
    await texts(tab).getByText("Not sent yet").first().waitFor({ state: "detached" });
    // It fails where there are two.
    await texts(tab).getByText("One", { exact: true }).waitFor();
  }
  await assertQueued(page, talk, ["In both tabs", "One", "Two"]);
});

deskTest("a closed tab's text waits for its user, and a sign-out sends nothing that it deletes", async (page) => {
  const nora = await createTexter();
  const omar = await createColleague(nora);
  await sql`update public.agents set role = 'manager' where id = ${omar.agent_id}`;
  const talk = await openTalk(page, nora);
  let calls = 0;
  await page.route("**/rpc/send_text", async (route) => {
    if (route.request().method() === "POST" && calls++ === 0) await route.fetch();
    await route.abort();
  });
  for (const body of ["It has arrived", "A secret text"]) {
    await box(page).fill(body);
    await send(page).click();
    await texts(page).getByText(body, { exact: true }).waitFor();
  }
  await until(() => calls > 0);
  await texts(page).getByText("Not sent yet.").first().waitFor();
  assert.equal(await countWaiting(page), 2);
  await page.close();
  const next = await page.context().newPage();
  await signIn(next, omar, `inbox/${talk.id}`);
  await texts(next).getByText("It has arrived").waitFor();
  // A tab sends under this lock, and a lock is given in the order in which it is asked for.
  await next.evaluate("navigator.locks.request('desk-outbox', () => {})");
  assert.equal(await next.getByText("secret").count(), 0);
  assert.deepEqual((await outbox(talk)).map(({ body }) => body), ["It has arrived"]);
  await signIn(next, nora, "recruits");
  await assertQueued(next, talk, ["It has arrived", "A secret text"]);
  await sql`update public.agents set role = 'agent' where id = ${omar.agent_id}`;
  await signOutAndDelete(next, omar, talk);
});

/** A sign-out asks first and sends nothing that it deletes, and the next user finds nothing. */
async function signOutAndDelete(page: Page, omar: Texter, talk: Talk): Promise<void> {
  await page.evaluate(`location.hash = "#/inbox/${talk.id}"`);
  await texts(page).getByText("It has arrived").waitFor();
  for (const body of ["Under way", "Another secret"]) await sendWithoutNetwork(page, body);
  await box(page).fill("A secret draft");
  const held: Route[] = [];
  await page.unroute("**/rpc/send_text");
  await page.route("**/rpc/send_text", (route) => void held.push(route));
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await until(() => held.length === 1);
  // The session ends once the browser has ended its pushes, or does not say for three seconds whether there are any.
  await page.evaluate("navigator.serviceWorker.getRegistration = () => new Promise(() => {})");
  for (const answer of ["Cancel", "Sign out and delete"]) {
    await page.getByRole("button", { name: "Nora" }).click();
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("2 texts are not sent yet.").waitFor();
    assert.equal(await countWaiting(page), 2);
    await dialog.getByRole("button", { name: answer }).click();
  }
  await until(async () => await countWaiting(page) === 0);
  await held[0]!.continue();
  await until(async () => (await outbox(talk)).length === 3 && await countLocks(page) === 0);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  assert.equal(held.length, 1);
  assert.doesNotMatch(await page.evaluate("JSON.stringify({ ...localStorage })") as string, /secret/);
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await signIn(page, omar, `inbox/${talk.id}`);
  await page.getByText("There is no such conversation, or it is not yours.").waitFor();
  await list(page).getByText("Nobody waits for an answer.").waitFor();
  assert.doesNotMatch(await page.content(), /Maya|Is this still open|secret/);
  await page.getByRole("link", { name: "Back to the inbox" }).click();
  await page.getByText("No conversation is open.").waitFor();
  assert.deepEqual((await outbox(talk)).map(({ body }) => body), ["It has arrived", "A secret text", "Under way"]);
}

deskTest("a STOP returns a waiting text to the box; after 12 hours or above a limit it waits", async (page) => {
  const agent = await createTexter();
  const talk = await openTalk(page, agent);
  await sendWithoutNetwork(page, "Are you there?");
  await receive(talk, { Body: "Stop texting me" });
  await connectAgain(page);
  await texts(page).getByText("Not sent: The recruit has opted out of texts from this agency.").waitFor();
  await page.getByText(/Maya wrote “Stop texting me” \(\d+:\d\d [AP]M C.T\)\. Nobody of the agency may text/)
    .waitFor();
  assert.equal(await page.getByRole("button", { name: "Send it now" }).count(), 0);
  assert.equal(await page.getByRole("button", { name: "Hand to bot" }).count(), 0);
  await page.getByRole("button", { name: "Back to the box" }).click();
  await until(async () => await box(page).inputValue() === "Are you there?");
  assert.equal(await box(page).isDisabled(), true);
  assert.equal(await send(page).count(), 0);
  await noteMode(page).click();
  await noteBox(page).fill("Has asked us to stop");
  await saveNote(page).click();
  await texts(page).getByText("Has asked us to stop").waitFor();
  await noteMode(page).click();
  await receive(talk, { Body: "START" });
  await send(page).waitFor();
  assert.equal(await box(page).inputValue(), "Are you there?");
  await assertQueued(page, talk, []);
  await waitForUser(page, agent);
});

/** A text waits for the user after 12 hours, or above a limit, and holds up no other. */
async function waitForUser(page: Page, agent: Texter): Promise<void> {
  const omar = await createTalk(agent, "Omar");
  const talk = await createTalk(agent);
  await page.evaluate(`location.hash = "#/inbox/${talk.id}"`);
  await texts(page).getByText("No text yet.").waitFor();
  await sql`update public.service_numbers set status = 'paused' where phone = ${agent.service}`;
  await sendWithoutNetwork(page, "One");
  await box(page).fill("Two");
  assert.equal(await page.getByRole("button", { name: "Back to the box" }).count(), 0);
  await page.getByRole("button", { name: "Delete this text" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete this text" }).click();
  await texts(page).getByText("One", { exact: true }).waitFor({ state: "detached" });
  assert.equal(await countWaiting(page), 0);
  assert.equal(await box(page).inputValue(), "Two");

  await sendWithoutNetwork(page, "Good evening");
  await age(page, 13);
  await connectAgain(page);
  const asked = texts(page).getByText("Not sent: You wrote this more than 12 hours ago.");
  await asked.waitFor();
  await page.getByText("A text is not sent yet, and waits for your answer.").waitFor();
  await page.reload();
  await asked.waitFor();
  assert.deepEqual([...await outbox(talk)], []);
  await page.getByRole("button", { name: "Send it now" }).click();
  await assertQueued(page, talk, ["Good evening"]);
  await page.getByText("A text is not sent yet").waitFor({ state: "detached" });

  for (let n = 2; n <= 10; n++) {
    const text = { conversation_id: talk.id, body: `Text ${n}`, client_message_id: crypto.randomUUID() };
    assert.equal((await agent.client.rpc("send_text", text)).error, null);
  }
  await box(page).fill("The eleventh");
  await send(page).click();
  await texts(page).getByText("Not sent: 10 texts already wait to be sent to this recruit").waitFor();
  await page.evaluate(`location.hash = "#/inbox/${omar.id}"`);
  await box(page, "Omar").fill("Is this still open?");
  await send(page).click();
  await until(async () => (await outbox(omar)).length === 1 && await countWaiting(page) === 1);
}

/** The number of tabs that send, or wait to. */
async function countLocks(page: Page): Promise<number> {
  return await page.evaluate(`navigator.locks.query().then(({ held, pending }) =>
    [...held, ...pending].filter(({ name }) => name === "desk-outbox").length)`) as number;
}
