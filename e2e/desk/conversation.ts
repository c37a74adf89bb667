import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { signInNewAgent } from "../support/agents.ts";
import { sql } from "../support/client.ts";
import { receive } from "../support/sms.ts";
import { assertAccessible, assertFits, deskTest, NARROW, PHONE, picture, signIn, until } from "./harness.ts";
import {
  assertQueued,
  box,
  createColleague,
  createTalk,
  createTexter,
  openTalk,
  outbox,
  send,
  type Talk,
  tell,
  type Texter,
  texts,
} from "./talks.ts";

/** The button that leads from texts to notes and back. */
function noteMode(page: Page) {
  return page.getByRole("button", { name: "Note", exact: true });
}

function noteBox(page: Page) {
  return page.getByLabel("Note about Maya");
}

function saveNote(page: Page) {
  return page.getByRole("button", { name: "Save note" });
}

interface Styled {
  getComputedStyle(element: unknown): { backgroundColor: string };
}

function colourOf(element: Locator): Promise<string> {
  return element.evaluate((element) => (globalThis as unknown as Styled).getComputedStyle(element).backgroundColor);
}

function notesOf({ lead_id }: Talk) {
  return sql`select body, agent_id from public.recruit_notes where recruiting_lead_id = ${lead_id} order by created_at`;
}

async function addReplies({ agency_id }: Texter, replies: Record<string, string>): Promise<void> {
  const rows = Object.entries(replies).map(([shortcut, body]) => ({ agency_id, shortcut, body }));
  await sql`insert into public.quick_replies ${sql(rows)}`;
}

async function sendAs({ client }: Texter, { id }: Talk, body: string): Promise<void> {
  const { error } = await client.rpc("send_text", {
    conversation_id: id,
    body,
    client_message_id: crypto.randomUUID(),
    take_over: true,
  });
  assert.equal(error, null);
}

deskTest("each text of ours says who wrote it, once for what was written in one go", async (page) => {
  const manager = await createTexter("manager");
  const omar = await createColleague(manager);
  const talk = await createTalk(omar);
  await tell(talk, [["bot", "Hi from the bot", 90], ["agent", "Of old times", 80], ["recruit", "Who is this?", 70]]);
  await sendAs(omar, talk, "It is Omar");
  await sendAs(omar, talk, "Of Prairie Life");
  await sendAs(manager, talk, "And his manager");
  await signIn(page, manager, `inbox/${talk.id}`);
  const entry = (words: string) => texts(page).getByRole("listitem").filter({ hasText: words });
  await entry("And his manager").waitFor();
  for (
    const [words, writer] of [
      ["Hi from the bot", "Bot"],
      ["Of old times", "Agent"],
      ["Who is this?", "Maya"],
      ["It is Omar", "Omar Quist"],
      ["And his manager", "You"],
    ] as const
  ) assert.equal(await entry(words).locator("strong").innerText(), writer);
  const head = (words: string) => entry(words).locator("p").first();
  assert.ok((await head("It is Omar").boundingBox())!.height > 5);
  assert.ok((await head("Of Prairie Life").boundingBox())!.height < 5, "who and when stand above the first alone");
  assert.match(await head("Of Prairie Life").innerText(), /^Omar Quist/, "and a screen reader hears them of each");
  await assertAccessible(page);
  await box(page).fill("Mine");
  await send(page).click();
  await assertQueued(page, talk, ["It is Omar", "Of Prairie Life", "And his manager", "Mine"]);
});

deskTest("a note is marked, seen at once by the colleague, and never sent", async (page) => {
  const manager = await createTexter("manager");
  const omar = await createColleague(manager);
  const talk = await createTalk(omar);
  await tell(talk, [["recruit", "Is this still open?", 5]]);
  const context = await page.context().browser()!.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const other = await context.newPage();
    await signIn(other, manager, `inbox/${talk.id}`);
    await texts(other).getByText("Is this still open?").waitFor();
    await signIn(page, omar, `inbox/${talk.id}`);
    await box(page).fill("A text in the making");
    await noteMode(page).click();
    await noteBox(page).and(page.locator(":focus")).waitFor();
    assert.equal(await box(page).count(), 0);
    assert.equal(await page.getByRole("button", { name: /Send/ }).count(), 0);
    await page.getByText("Maya does not get it.").waitFor();
    await assertAccessible(page);
    await noteBox(page).fill("Has a licence in Texas.\nCall after 5.");
    await noteBox(page).press("Control+Enter");
    for (const [seen, head] of [[page, "Your note"], [other, "Note of Omar Quist"]] as const) {
      const note = texts(seen).getByRole("listitem").filter({ hasText: "Has a licence in Texas." });
      await note.getByText(head).waitFor();
      assert.notEqual(await colourOf(note), await colourOf(texts(seen).getByText("Is this still open?")));
    }
    await picture(page, "note");
    await assertAccessible(other);
    await until(async () => await noteBox(page).inputValue() === "");
    assert.deepEqual([...await notesOf(talk)], [{
      body: "Has a licence in Texas.\nCall after 5.",
      agent_id: omar.agent_id,
    }]);
    assert.deepEqual([...await outbox(talk)], []);
    // The next words are a note as well, until the agent says otherwise.
    await noteMode(page).click();
    assert.equal(await box(page).inputValue(), "A text in the making");
    await send(page).click();
    await assertQueued(page, talk, ["A text in the making"]);
    await page.reload();
    await texts(page).getByText("A text in the making").waitFor();
    const words = await texts(page).getByRole("listitem").filter({ has: page.locator(".body") }).locator(".body")
      .allInnerTexts();
    assert.deepEqual(words, ["Is this still open?", "Has a licence in Texas.\nCall after 5.", "A text in the making"]);
  } finally {
    await context.close();
  }
});

deskTest("a note that is too long, or that the service refuses, stays in the box with a sentence", async (page) => {
  const agent = await createTexter();
  const talk = await openTalk(page, agent);
  await noteMode(page).click();
  await noteBox(page).fill("a".repeat(10_000));
  await saveNote(page).click();
  await page.getByRole("alert").getByText(
    "A note has at most 4,000 characters, and this one has 10,000. Make it shorter.",
  ).waitFor();
  assert.equal((await noteBox(page).inputValue()).length, 10_000);
  await assertAccessible(page);
  await assertFits(page);
  assert.deepEqual([...await notesOf(talk)], []);

  await noteBox(page).fill("Too late");
  await page.reload();
  assert.equal(await noteBox(page).inputValue(), "Too late", "a reload keeps it, and keeps it a note");
  // The lead goes back meanwhile.
  await sql`update public.recruiting_leads set agency_id = null, agent_id = null where id = ${talk.lead_id}`;
  await saveNote(page).click();
  await page.getByRole("alert").getByText("There is no such recruit.").waitFor();
  assert.equal(await noteBox(page).inputValue(), "Too late");
  assert.equal(await texts(page).getByText("Too late").count(), 0);
});

deskTest("a recruit who has opted out gets no text, and one may still write a note", async (page) => {
  const agent = await createTexter();
  const talk = await openTalk(page, agent);
  await receive(talk, { Body: "STOP" });
  await page.getByText("Nobody of the agency may text this number until Maya writes START.").waitFor();
  await noteMode(page).click();
  await noteBox(page).fill("Has asked us to stop");
  await saveNote(page).click();
  await texts(page).getByText("Has asked us to stop").waitFor();
  await until(async () => (await notesOf(talk)).length === 1);
  await assertAccessible(page);
});

deskTest("/ opens the quick replies, Enter puts the words in the box, and nothing is sent", async (page) => {
  const agent = await createTexter();
  await addReplies(agent, {
    bye: "Good bye, {first_name}.",
    call: "Hi {first_name}, {agent} of {agency} here. May I call you?",
    "call-later": "I call you later, {first_name}.",
  });
  await sql`update public.agencies set name = 'Prairie Life' where id = ${agent.agency_id}`;
  const talk = await openTalk(page, agent);
  const options = page.getByRole("option");
  await box(page).pressSequentially("/");
  await until(async () => await options.count() === 3);
  await page.getByRole("status").getByText("3 quick replies").waitFor({ state: "attached" });
  await assertAccessible(page);
  await picture(page, "quick-replies");
  await box(page).pressSequentially("CAL");
  await until(async () => await options.count() === 2);
  await box(page).press("ArrowDown");
  const active = await box(page).getAttribute("aria-activedescendant");
  assert.equal(await page.locator(`[id="${active}"]`).innerText(), "/call-later I call you later, Maya.");
  await box(page).press("ArrowDown");
  await box(page).press("Enter");
  assert.equal(await box(page).inputValue(), "Hi Maya, Nora Quist of Prairie Life here. May I call you?");
  assert.equal(await options.count(), 0);
  assert.deepEqual([...await outbox(talk)], []);

  // A list that was closed stays closed, and words that only look so are a text.
  await box(page).fill("/b");
  await options.waitFor();
  await box(page).press("Escape");
  await until(async () => await options.count() === 0);
  await box(page).press("Enter");
  assert.equal(await box(page).inputValue(), "/b\n");
  await box(page).fill("/nothing");
  await page.getByText("No quick reply has this shortcut.").waitFor();
  await box(page).fill("/b");
  await options.click();
  assert.equal(await box(page).inputValue(), "Good bye, Maya.");
  await send(page).click();
  await assertQueued(page, talk, ["Good bye, Maya."]);
});

for (const [width, height] of [[360, 440], [390, 844]] as const) {
  deskTest(`${width} × ${height}: notes and quick replies leave room for the texts`, async (page) => {
    const agent = await createTexter();
    await addReplies(
      agent,
      Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`reply-${n}`, `Words ${n}. `.repeat(9)])),
    );
    await openTalk(page, agent);
    await page.setViewportSize({ width, height });
    const assertRoom = async (button: ReturnType<typeof send>) => {
      const { y, height: tall, x, width: wide } = (await button.boundingBox())!;
      assert.ok(y >= 0 && y + tall <= height && x >= 0 && x + wide <= width, "the button is seen");
      const read = (await texts(page).boundingBox())!.height;
      assert.ok(read >= 0.4 * height, `texts have ${read} of ${height} px`);
      await assertFits(page);
      await assertAccessible(page);
    };
    await box(page).fill("/");
    await page.getByRole("option").first().waitFor();
    const list = (await page.getByRole("listbox").locator("..").boundingBox())!;
    assert.ok(list.y >= 0 && list.y + list.height <= height);
    await assertRoom(send(page));
    await page.getByRole("option", { name: /reply-1 / }).tap();
    assert.match(await box(page).inputValue(), /^Words 1\./);
    await noteMode(page).tap();
    await assertRoom(saveNote(page));
    await noteBox(page).fill("A line that is long enough to need a second one, and a third. ".repeat(3));
    const saved = (await saveNote(page).boundingBox())!;
    assert.ok(saved.y + saved.height <= height);
    await saveNote(page).tap();
    await texts(page).getByText("Your note").waitFor();
  }, PHONE);
}

deskTest("a manager keeps the quick replies, and an agent sees none of that", async (page) => {
  const manager = await createTexter("manager");
  await signIn(page, manager, "team");
  const region = page.getByRole("region", { name: "Quick replies" });
  await region.getByText("No quick reply yet.").waitFor();
  await region.getByRole("button", { name: "New quick reply" }).click();
  await region.getByLabel("Shortcut").fill("Call");
  await region.getByLabel("Words").fill("Hi {surname}");
  await region.getByRole("button", { name: "Save" }).click();
  await region.getByRole("alert").getByText(
    "There is no placeholder {surname}. Use {first_name}, {agent} or {agency}.",
  ).waitFor();
  assert.equal(await region.getByLabel("Words").inputValue(), "Hi {surname}");
  await assertAccessible(page);
  await region.getByLabel("Words").fill("Hi {first_name}");
  await region.getByRole("button", { name: "Save" }).click();
  await region.getByText("/call").first().waitFor();
  await region.getByLabel("Words").waitFor({ state: "detached" });

  await region.getByRole("button", { name: "Change /call" }).click();
  await region.getByLabel("Words").fill("Hello {first_name}");
  // Another manager is faster.
  const { data: [reply] } = await manager.client.from("quick_replies").select("id") as { data: { id: string }[] };
  const other = await signInNewAgent(manager.agency_id, "manager");
  const { error } = await other.client.rpc("save_quick_reply", {
    shortcut: "call",
    body: "Good day",
    quick_reply_id: reply!.id,
  });
  assert.equal(error, null);
  await region.getByRole("button", { name: "Save" }).click();
  await region.getByText("Another manager has changed this quick reply meanwhile.").waitFor();
  assert.equal(await region.getByLabel("Words").inputValue(), "Hello {first_name}");
  await region.locator(".reply").getByText("Good day").waitFor();
  await region.getByRole("button", { name: "Save" }).click();
  await region.locator(".reply").getByText("Hello {first_name}").waitFor();
  await region.getByLabel("Words").waitFor({ state: "detached" });
  await page.setViewportSize(NARROW);
  await assertFits(page);
  await assertAccessible(page);

  await region.getByRole("button", { name: "Delete /call" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete /call" }).click();
  await region.getByText("No quick reply yet.").waitFor();
  assert.equal((await sql`select from public.quick_replies where agency_id = ${manager.agency_id}`).length, 0);
});
