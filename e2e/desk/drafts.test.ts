import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { sql } from "../support/client.ts";
import { deskTest } from "./harness.ts";
import { assertQueued, box, createTexter, openTalk, send, texts } from "./talks.ts";

/** Chooses a file whose upload ends only when the returned function is called. */
async function beginUpload(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route("**/storage/v1/object/text-media/**", async (route) => {
    await promise;
    await route.continue();
  });
  const file = {
    name: "card.png",
    mimeType: "image/png",
    buffer: Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    ),
  };
  await page.getByLabel("Add a file").setInputFiles(file);
  await page.getByText("Uploading").waitFor();
  return resolve;
}

deskTest("a file goes with its text, once it is there and although another conversation was open", async (page) => {
  const talk = await openTalk(page, await createTexter());
  await page.getByLabel("Add a file").setInputFiles({
    name: "notes.txt",
    mimeType: "text/plain",
    buffer: Buffer.from("notes"),
  });
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

  await box(page).fill("My card");
  const endUpload = await beginUpload(page);
  await box(page).press("Control+Enter");
  await page.evaluate("location.hash = '#/inbox/all'");
  await page.getByText("No conversation is open.").waitFor();
  await page.evaluate(`location.hash = '#/inbox/${talk.id}'`);
  await texts(page).getByText("Is this still open?").waitFor();
  endUpload();
  await page.getByText("card.png").waitFor();

  // What is sent is what was written, although the box is free at once.
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
  const sent = await sql`
    select body, jsonb_path_query_array(media, '$[*].content_type') as files from public.recruiting_messages
    where conversation_id = ${talk.id} and sender_type = 'agent'`;
  assert.deepEqual([...sent], [{ body: "My card", files: ["image/png"] }]);
});
