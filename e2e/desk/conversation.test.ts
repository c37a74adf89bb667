import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { sql } from "../support/client.ts";
import { receive } from "../support/sms.ts";
import { assertAccessibleInDarkToo, deskTest, until } from "./harness.ts";
import {
  assertQueued,
  box,
  createColleague,
  createTalk,
  createTexter,
  noteBox,
  noteMode,
  saveNote,
  send,
  signInJoined,
  type Talk,
  tell,
  type Texter,
  texts,
} from "./talks.ts";

interface Styled {
  getComputedStyle(element: unknown): { backgroundColor: string };
}

function colourOf(element: Locator): Promise<string> {
  return element.evaluate((element) => (globalThis as unknown as Styled).getComputedStyle(element).backgroundColor);
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

deskTest("each text names its author, and in quiet hours when it is sent; a note is never sent", async (page) => {
  const manager = await createTexter("manager");
  const omar = await createColleague(manager);
  const talk = await createTalk(omar);
  await tell(talk, [["bot", "Hi from the bot", 90], ["agent", "Of old times", 80], ["recruit", "Who is this?", 70]]);
  await sql`
  update public.recruiting_messages set heard = 'bereavement'
  where conversation_id = ${talk.id} and direction = 'inbound'`;
  await sendAs(omar, talk, "It is Omar");
  await sendAs(omar, talk, "Of Prairie Life");
  await sendAs(manager, talk, "And his manager");
  await signInJoined(page, manager, `inbox/${talk.id}`);
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
  const head = entry("Of Prairie Life").locator("div").first();
  assert.ok((await head.boundingBox())!.height < 5, "who and when stand above the first of several alone");
  assert.match(await head.innerText(), /^Omar Quist/, "and a screen reader hears them of each");
  await entry("Who is this?").getByText("No answer to the bot: somebody has died", { exact: true }).waitFor();
  const noted = { recruiting_lead_id: talk.lead_id, body: "Is at work till 5.", note_id: crypto.randomUUID() };
  assert.equal((await omar.client.rpc("add_note", noted)).error, null);
  await entry("Is at work till 5.").getByText("Note by Omar Quist").waitFor();

  await box(page).fill("A text in the making");
  await noteMode(page).click();
  await noteBox(page).and(page.locator(":focus")).waitFor();
  assert.equal(await page.getByRole("button", { name: /Send/ }).count(), 0);
  await page.getByText("Only your agency reads notes.").waitFor();
  await noteBox(page).fill("Has a licence in Texas.\nCall after 5.");
  await noteBox(page).press("Control+Enter");
  const note = entry("Has a licence in Texas.");
  await note.getByText("Your note").waitFor();
  assert.notEqual(await colourOf(note), await colourOf(texts(page).getByText("Who is this?")));
  await assertAccessibleInDarkToo(page);
  await until(async () => await noteBox(page).inputValue() === "");
  const [, stored] = await sql`
  select body, agent_id from public.recruit_notes where recruiting_lead_id = ${talk.lead_id} order by created_at`;
  assert.deepEqual(stored, { body: "Has a licence in Texas.\nCall after 5.", agent_id: manager.agent_id });

  await noteBox(page).fill("a".repeat(10_000));
  await saveNote(page).click();
  await page.getByRole("alert").getByText(
    "A note has at most 4,000 characters, and this one has 10,000. Make it shorter.",
  ).waitFor();
  assert.equal((await noteBox(page).inputValue()).length, 10_000);
  await noteBox(page).fill("Too late");
  // The next words are a note as well, until the agent says otherwise.
  await noteMode(page).click();
  assert.equal(await box(page).inputValue(), "A text in the making");
  await send(page).click();
  await assertQueued(page, talk, ["It is Omar", "Of Prairie Life", "And his manager", "A text in the making"]);
  await noteMode(page).click();
  await page.reload();
  for (const words of ["A text in the making", "Has a licence in Texas."]) await entry(words).waitFor();
  assert.equal(await noteBox(page).inputValue(), "Too late", "a reload keeps it, and keeps it a note");
  assert.deepEqual((await texts(page).locator("li .body").allInnerTexts()).slice(-3), [
    "Is at work till 5.",
    "Has a licence in Texas.\nCall after 5.",
    "A text in the making",
  ]);

  // The lead goes back meanwhile.
  await sql`update public.recruiting_leads set agency_id = null, agent_id = null where id = ${talk.lead_id}`;
  await saveNote(page).click();
  await page.getByRole("alert").getByText("There is no such recruit.").waitFor();
  assert.equal(await noteBox(page).inputValue(), "Too late");
  assert.equal(await texts(page).getByText("Too late").count(), 0);
  await writeInQuietHours(page, manager);
});

/** In quiet hours the box says what time it is for the recruit, and a text when it is sent. */
async function writeInQuietHours(page: Page, agent: Texter): Promise<void> {
  await sql`
    insert into public.texting_closures (state, starts_on, ends_on, source)
    values ('AS', current_date - 2, current_date + 2, 'a test of the desk')`;
  try {
    const talk = await createTalk(agent, "Maya", { state: "AS" });
    await page.evaluate(`location.hash = "#/inbox/${talk.id}"`);
    const words = page.getByText(
      /^It is \d+:\d\d [AP]M .* for Maya\. A text waits until [A-Z][a-z]+ \d+,( \d{4},)? \d+:\d\d [AP]M C.T\.$/,
    );
    await words.waitFor();
    await box(page).fill("Good morning");
    await send(page).click();
    await texts(page).getByText(
      /Held, because it is too early .* It is sent at [A-Z][a-z]+ \d+,( \d{4},)? \d+:\d\d [AP]M C.T/,
    )
      .waitFor();
    await receive(talk, { Body: "Call me now" });
    await texts(page).getByText("Call me now").waitFor();
    await words.waitFor({ state: "detached" });
  } finally {
    await sql`delete from public.texting_closures where source = 'a test of the desk'`;
  }
}
