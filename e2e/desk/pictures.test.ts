/** The files of a recruit's texts: what the page shows of them. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { sql, stack } from "../support/client.ts";
import { assertAccessible, assertFits, deskTest, PHONE, signIn, until } from "./harness.ts";
import { createColleague, createTalk, createTexter, type Talk, texts } from "./talks.ts";

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

const PNG = { state: "copied", content_type: "image/png" };

for (const [size, options] of [["a window", undefined], ["a phone", PHONE]] as const) {
  deskTest(
    `on ${size} a recruit's picture is shown in its place by keyboard, and hidden; the page loads it from no other origin`,
    async (page) => {
      const agent = await createTexter();
      const talk = await createTalk(agent);
      const id = await receiveFiles(talk, [PNG]);
      await store(page, `${talk.id}/${id}-0`);
      await page.addInitScript(
        `globalThis.violations = []; addEventListener("securitypolicyviolation", (event) => violations.push(event.blockedURI))`,
      );
      await signIn(page, agent, `inbox/${talk.id}`);
      const open = texts(page).getByRole("button", { name: "Show picture 1" });
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
      await texts(page).getByRole("button", { name: "Download" }).waitFor();
      await assertFits(page);
      await assertAccessible(page);
      await page.keyboard.press("Enter");
      await image.waitFor({ state: "detached" });
      await until(() => page.evaluate("document.activeElement.textContent === 'Show picture 1'") as Promise<boolean>);
      assert.deepEqual(await page.evaluate("violations"), []);
    },
    options,
  );
}

deskTest("a file that is fetched, or that could not be kept, says so; a copy shows once it is there", async (page) => {
  const agent = await createTexter();
  const talk = await createTalk(agent);
  const id = await receiveFiles(talk, [
    { state: "waiting" },
    { state: "failed", reason: "too_large" },
    { state: "failed", reason: "type" },
    { state: "failed", reason: "gone" },
    { state: "failed", reason: "HTTP 500" },
    { state: "copied", content_type: "application/pdf" },
  ]);
  await sql`
    insert into public.recruiting_messages (conversation_id, direction, sender_type, body, media)
    values (${talk.id}, 'inbound', 'recruit', 'An old one', ${
    sql.json([{ url: "https://x", content_type: "image/gif" }])
  })`;
  await signIn(page, agent, `inbox/${talk.id}`);
  for (
    const words of [
      "A file (image/jpeg) that is being fetched",
      "The file (image/jpeg) could not be kept: it has more than 5 MB.",
      "could not be kept: it is no picture, video, sound, PDF or contact.",
      "could not be kept: the provider does not have it any more.",
      "could not be kept: the provider did not give it.",
      "A file (image/gif) that this page cannot show",
    ]
  ) await texts(page).getByText(words).waitFor();
  await texts(page).getByRole("button", { name: "Download the file (application/pdf)" }).waitFor();
  await assertAccessible(page);

  await store(page, `${talk.id}/${id}-0`);
  await sql`
    update public.media_copies set state = 'copied', path = ${`${talk.id}/${id}-0`}, content_type = 'image/png'
    where message_id = ${id} and position = 0`;
  await texts(page).getByRole("button", { name: "Show picture 1" }).waitFor();
});

deskTest("a file that is not there any more says so, and a colleague gets no file", async (page) => {
  const agent = await createTexter();
  const talk = await createTalk(agent);
  const id = await receiveFiles(talk, [PNG]);
  await signIn(page, agent, `inbox/${talk.id}`);
  await texts(page).getByRole("button", { name: "Show picture 1" }).click();
  await page.getByText("The file is not there any more.").waitFor();
  await store(page, `${talk.id}/${id}-0`);
  const colleague = await createColleague(agent);
  const { error } = await colleague.client.storage.from("text-media").createSignedUrl(`${talk.id}/${id}-0`, 60);
  assert.notEqual(error, null);
});
