import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { sql } from "../support/client.ts";
import { deskTest, signIn, until } from "./harness.ts";
import { assertQueued, box, createTalk, createTexter, openTalk, send, texts } from "./talks.ts";

/** Chooses a file whose upload ends only when the returned function is called. */
async function beginUpload(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route("**/storage/v1/object/text-media/**", async (route) => {
    await promise;
    await route.continue();
  });
  const file = { name: "card.png", mimeType: "image/png", buffer: Buffer.alloc(100, 1) };
  await page.getByLabel("Add a file").setInputFiles(file);
  await page.getByText("Uploading").waitFor();
  return resolve;
}

deskTest("a text is not sent before its file is there, and then once", async (page) => {
  const talk = await openTalk(page, await createTexter());
  await box(page).fill("My card");
  const endUpload = await beginUpload(page);
  await box(page).press("Control+Enter");
  endUpload();
  await page.getByText("card.png").waitFor();
  await send(page).click();
  await assertQueued(page, talk, ["My card"]);
  const sent = await sql`
    select body, jsonb_array_length(media) as files from public.recruiting_messages
    where conversation_id = ${talk.id} and sender_type = 'agent'`;
  assert.deepEqual([...sent], [{ body: "My card", files: 1 }]);
});

deskTest("a file that was uploaded while another conversation was open goes with its text", async (page) => {
  const talk = await openTalk(page, await createTexter());
  const endUpload = await beginUpload(page);
  await page.evaluate("location.hash = '#/inbox'");
  await page.getByText("No conversation is open.").waitFor();
  await page.evaluate(`location.hash = '#/inbox/${talk.id}'`);
  await texts(page).getByText("Is this still open?").waitFor();
  endUpload();
  await page.getByText("card.png").waitFor();
});

deskTest("what is sent is what was written, although the box is free at once", async (page) => {
  const talk = await openTalk(page, await createTexter());
  const endUpload = await beginUpload(page);
  endUpload();
  await page.getByText("card.png").waitFor();
  await box(page).fill("My card");
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route("**/rpc/send_text", async (route) => {
    await promise;
    await route.continue();
  });
  await send(page).click();
  await texts(page).getByText("card.png").waitFor();
  assert.equal(await page.getByRole("button", { name: "Remove the file" }).count(), 0);
  await box(page).fill("Another one");
  resolve();
  await assertQueued(page, talk, ["My card"]);
  assert.equal(await box(page).inputValue(), "Another one");
});

deskTest("a box is free again once its text is queued, however long the list is read", async (page) => {
  const agent = await createTexter();
  const talk = await openTalk(page, agent);
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route("**/rest/v1/inbox?*limit=51*", async (route) => {
    await promise;
    await route.continue().catch(() => {});
  });
  await box(page).fill("It is");
  await send(page).click();
  await texts(page).getByText("It is", { exact: true }).waitFor();
  await until(async () => await box(page).inputValue() === "");
  await until(async () => await box(page).getAttribute("readonly") === null);
  await assertQueued(page, talk, ["It is"]);
  resolve();
});

deskTest("a refusal that was not written for people is told in words", async (page) => {
  await openTalk(page, await createTexter());
  await box(page).fill("It is");
  const answers = [
    { status: 404, json: { code: "PGRST202", message: "Could not find the function public.send_text in the cache" } },
    { status: 413, contentType: "text/html", body: "<html><title>Too large</title></html>" },
    { status: 409, json: { code: "23505", message: "duplicate key value violates unique constraint" } },
  ];
  for (const answer of answers) {
    await page.route("**/rpc/send_text", (route) => route.fulfill(answer));
    await send(page).click();
    await page.getByText(`Not sent: The service has refused this (HTTP ${answer.status}). Reload the page`).waitFor();
    await page.getByText(/public.send_text|<html>|constraint/).waitFor({ state: "detached" });
    await page.unroute("**/rpc/send_text");
    await page.getByRole("button", { name: "Back to the box" }).click();
    await until(async () => await box(page).inputValue() === "It is");
  }
});

deskTest("a user who signs out leaves no draft in the browser", async (page) => {
  await openTalk(page, await createTexter());
  await box(page).fill("A secret draft");
  await page.getByRole("button", { name: "Nora" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  assert.doesNotMatch(await page.evaluate("JSON.stringify({ ...localStorage })") as string, /secret/);
});

deskTest("a draft survives the closing of its tab, and is gone when it is sent", async (page) => {
  const agent = await createTexter();
  const talk = await openTalk(page, agent);
  const other = await createTalk(agent, "Omar");
  await box(page).fill("Half a sen");
  await page.close();
  const next = await page.context().newPage();
  await signIn(next, agent, `inbox/${talk.id}`);
  await until(async () => await box(next).inputValue() === "Half a sen");
  await next.evaluate(`location.hash = "#/inbox/${other.id}"`);
  assert.equal(await box(next, "Omar").inputValue(), "");
  await next.evaluate(`location.hash = "#/inbox/${talk.id}"`);
  await send(next).click();
  await assertQueued(next, talk, ["Half a sen"]);
  await next.reload();
  await texts(next).getByText("Half a sen").waitFor();
  assert.equal(await box(next).inputValue(), "");
});

deskTest("two tabs have one draft", async (page) => {
  const agent = await createTexter();
  const talk = await openTalk(page, agent);
  const other = await page.context().newPage();
  await signIn(other, agent, `inbox/${talk.id}`);
  await box(page).fill("In both");
  await until(async () => await box(other).inputValue() === "In both");
  await Promise.all([send(page).click(), send(other).click({ timeout: 500 }).catch(() => {})]);
  await until(async () => await box(other).inputValue() === "" && await box(page).inputValue() === "");
  await assertQueued(page, talk, ["In both"]);
});
