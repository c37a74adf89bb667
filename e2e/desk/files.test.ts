/** The files of texts: those of a recruit, and those of an agent. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { sql, stack } from "../support/client.ts";
import { assertFits, deskTest, PHONE, signIn, until } from "./harness.ts";
import { assertQueued, box, createTalk, createTexter, send, type Talk, texts } from "./talks.ts";

/** Makes a text with files whose copies are in these states. Returns its id. */
async function receiveFiles({ id }: Talk, copies: { state: string; reason?: string; content_type?: string }[]) {
  const media = copies.map(() => ({ url: "https://api.twilio.com/Media/1", content_type: "image/jpeg" }));
  const [message] = await sql`
    insert into public.recruiting_messages (conversation_id, direction, sender_type, body, media)
    values (${id}, 'inbound', 'recruit', 'Here is my license', ${sql.json(media)}) returning id`;
  const message_id: string = message!.id;
  for (const [position, copy] of copies.entries()) {
    const path = copy.state === "copied" ? `${id}/${message_id}-${position}` : null;
    await sql`insert into public.media_copies ${sql({ message_id, position, path, ...copy })}`;
  }
  return message_id;
}

/** Puts a picture into storage, as the worker does. */
async function store(page: Page, path: string): Promise<void> {
  const { status } = await fetch(`${stack.api_url}/storage/v1/object/text-media/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${stack.service_role_key}`, "content-type": "image/png" },
    body: new Blob([new Uint8Array(await page.screenshot())]),
  });
  assert.equal(status, 200);
}

deskTest("a recruit's picture shows once it is fetched; an agent's file goes with its text", async (page) => {
  const agent = await createTexter();
  const talk = await createTalk(agent);
  const id = await receiveFiles(talk, [{ state: "waiting" }, { state: "copied", content_type: "application/pdf" }]);
  const path = `${talk.id}/${id}-0`;
  await page.addInitScript(
    `globalThis.violations = []; addEventListener("securitypolicyviolation", (event) => violations.push(event.blockedURI))`,
  );
  await signIn(page, agent, `inbox/${talk.id}`);
  await texts(page).getByText("A file (image/jpeg) that is being fetched").waitFor();
  await texts(page).getByRole("button", { name: "Download the file (application/pdf)" }).waitFor();
  await sql`
  update public.media_copies set state = 'copied', path = ${path}, content_type = 'image/png'
  where message_id = ${id} and position = 0`;
  const open = texts(page).getByRole("button", { name: "Show picture 1" });
  await open.click();
  await page.getByText("The file is not there any more.").waitFor();

  await store(page, path);
  for (const viewport of [{ width: 1280, height: 800 }, PHONE.viewport!]) {
    await page.setViewportSize(viewport);
    await open.focus();
    const signed = page.waitForResponse((response) => /object\/sign\/text-media.*token=/.test(response.url()));
    await page.keyboard.press("Enter");
    assert.equal((await signed).status(), 200);
    const image = texts(page).getByRole("img", { name: "Picture 1 from Maya" });
    await until(() => image.evaluate(({ naturalWidth }: { naturalWidth: number }) => naturalWidth > 0));
    assert.match((await image.getAttribute("src"))!, /^blob:/);
    const place = (await image.boundingBox())!;
    const around = (await texts(page).boundingBox())!;
    assert(place.x >= around.x && place.y >= around.y && place.y + place.height <= around.y + around.height);
    assert(place.width > 150 && place.x + place.width <= around.x + around.width);
    await texts(page).getByRole("button", { name: "Download", exact: true }).waitFor();
    await assertFits(page);
    await page.keyboard.press("Enter");
    await image.waitFor({ state: "detached" });
    await until(() => page.evaluate("document.activeElement.textContent === 'Show picture 1'") as Promise<boolean>);
  }
  assert.deepEqual(await page.evaluate("violations"), []);
  await page.setViewportSize({ width: 1280, height: 800 });
  await sendFile(page, talk);
});

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

/** Sends a file with its text, once it is there and although another conversation was open. */
async function sendFile(page: Page, talk: Talk): Promise<void> {
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
  await texts(page).getByText("Here is my license").waitFor();
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
}
