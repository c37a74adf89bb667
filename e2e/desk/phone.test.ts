import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { sql } from "../support/client.ts";
import { assertAccessible, assertFits, deskTest, NARROW, PHONE, signIn, until } from "./harness.ts";
import {
  box,
  createColleague,
  createTalk,
  createTexter,
  list,
  noteMode,
  openAbout,
  openFilters,
  outbox,
  saveNote,
  send,
  tell,
  type Texter,
  texts,
} from "./talks.ts";

const [LONG_NAME, LONG_LAST_NAME] = ["Maximiliane", "Featherstonehaugh-Cholmondeley"];

/** Opens a conversation with many texts, as a manager whose colleague has a long name. */
async function openLongTalk(page: Page) {
  const manager = await createTexter("manager");
  await tell(await createTalk(manager, "Devon"), [["recruit", "Is this still open?", 75]]);
  const talk = await createTalk(manager, LONG_NAME, { last_name: LONG_LAST_NAME }, "bot");
  await tell(
    talk,
    Array.from({ length: 20 }, (_, n) => [n % 2 ? "recruit" : "agent", `Text ${n} of the talk.`, 90 - n]),
  );
  await signIn(page, manager, `inbox/${talk.id}`);
  await texts(page).getByText("Text 19 of the talk.").waitFor();
  return { manager, talk };
}

/** Waits until all of an element is in the window, above `bottom`, and returns its place. */
async function placeOf(page: Page, element: Locator, bottom = page.viewportSize()!.height) {
  const { width } = page.viewportSize()!;
  let place = (await element.boundingBox())!;
  await until(async () => {
    place = (await element.boundingBox())!;
    const { x, y } = place;
    return x >= 0 && y >= 0 && x + place.width <= width && y + place.height <= bottom;
  });
  return place;
}

/** How much of the words of an element is cut, in pixels. */
function cutOff(element: Locator): Promise<number> {
  return element.evaluate(({ scrollWidth, clientWidth }: { scrollWidth: number; clientWidth: number }) =>
    Math.max(0, scrollWidth - clientWidth)
  );
}

/** Asserts that one can read and write in a part of the window that is so high. */
async function assertWorkable(
  page: Page,
  height: number,
  { write = box(page, LONG_NAME), submit = send(page), share = 0.4 } = {},
): Promise<void> {
  const written = await placeOf(page, write, height);
  const sent = await placeOf(page, submit, height);
  assert.ok(
    sent.y < written.y + written.height && written.y < sent.y + sent.height,
    "the button stands beside the box",
  );
  const read = await placeOf(page, texts(page), height);
  // The browser reckons in 64ths of a pixel.
  assert.ok(read.height >= share * height - 1 / 64, `texts have ${read.height} of ${height} px`);
}

const LONG_TEXT = "A line that is long enough to need a second one, and a third. ".repeat(3);

/** Narrow and low windows: a phone with its keyboard and with a browser's bars, and one on its side. */
const WINDOWS = [[360, 440], [844, 390]] as const;

deskTest("in a small window and above a keyboard Send is there, and the texts have 40 %", async (page) => {
  const { manager, talk } = await openLongTalk(page);
  const replies = Array.from({ length: 12 }, (_, n) => ({
    agency_id: manager.agency_id,
    shortcut: `reply-${n}`,
    body: `Words ${n}. `.repeat(9),
  }));
  await sql`insert into public.quick_replies ${sql(replies)}`;
  const last = texts(page).getByText("Text 19 of the talk.");
  await assertWorkable(page, 740);
  await placeOf(page, last);
  // As Safari tells of a keyboard that only covers the window: less of it is seen.
  await page.evaluate(`
    for (const [name, value] of [["height", 400], ["offsetTop", 40]]) {
      Object.defineProperty(visualViewport, name, { configurable: true, get: () => value });
    }
    visualViewport.dispatchEvent(new Event("resize"));`);
  await until(async () => (await send(page).boundingBox())!.y < 440);
  await assertWorkable(page, 440);
  await placeOf(page, last, 440);
  assert.ok((await page.getByRole("heading", { name: LONG_NAME }).boundingBox())!.y >= 40);
  await page.evaluate("delete visualViewport.height; delete visualViewport.offsetTop;");
  await page.evaluate("visualViewport.dispatchEvent(new Event('resize'))");
  await until(async () => (await send(page).boundingBox())!.y > 440);

  const write = box(page, LONG_NAME);
  for (const [width, height] of WINDOWS) {
    await page.setViewportSize({ width, height });
    await write.tap();
    await assertWorkable(page, height);
    await placeOf(page, last);
    await assertFits(page);
    await write.fill(LONG_TEXT);
    await assertWorkable(page, height);
    await write.fill("/");
    await page.getByRole("option", { name: /reply-1 / }).waitFor();
    await placeOf(page, page.getByRole("listbox").locator(".."));
    await assertWorkable(page, height);
    await page.getByRole("option", { name: /reply-1 / }).tap();
    assert.match(await write.inputValue(), /^Words 1\./);
    await noteMode(page).tap();
    const note = page.getByLabel(`Note about ${LONG_NAME}`);
    await note.fill(LONG_TEXT);
    await assertWorkable(page, height, {
      write: note,
      submit: saveNote(page),
      // On its side both the head and the words above the note have two lines.
      share: width > 720 ? 0.3 : 0.4,
    });
    await note.fill("");
    await noteMode(page).tap();
    await page.getByRole("button", { name: "More acts" }).tap();
    for (const act of ["Snooze", "Give it to"]) {
      const item = page.getByRole("menuitem", { name: act }).first();
      await item.scrollIntoViewIfNeeded();
      await placeOf(page, item);
    }
    if (width === 360) await assertAccessible(page);
    await page.keyboard.press("Escape");
  }
  await page.setViewportSize({ width: 360, height: 440 });
  await write.fill("By thumb");
  await send(page).tap();
  await until(async () => (await outbox(talk)).length === 1);
  await placeOf(page, page.getByRole("link", { name: "Next waiting: Devon" }));
  await assertWorkable(page, 440);
}, PHONE);

deskTest("a phone shows the list, each row of it, or the conversation; long names hide nothing", async (page) => {
  const manager = await createTexter("manager");
  const omar = await createColleague(manager, "Bartholomew-Alexander Montgomery");
  await sql`update public.agents set last_name = 'Wolfeschlegelsteinhausenbergerdorff' where id = ${omar.agent_id}`;
  const talk = await createTalk(omar, "Maya", { last_name: "Ortiz" });
  await tell(talk, [["agent", "w".repeat(300), 90], ["recruit", "https://example.com/".repeat(9), 75]]);
  await signIn(page, manager, "inbox/all");
  const row = list(page).getByRole("link");
  for (const words of ["Maya Ortiz", "1 h"]) await placeOf(page, row.getByText(words).last());
  for (const part of [".name", ".since"]) assert.equal(await cutOff(row.locator(part)), 0);
  await page.setViewportSize(NARROW);
  // Who waits next stands beside the list alone.
  assert.equal(await page.locator(".thread").count(), 0);
  await openFilters(page);
  assert.ok(!await list(page).getByRole("button", { name: "Keys" }).isVisible());
  await assertFits(page);
  await page.keyboard.press("Escape");
  await row.tap();
  await texts(page).waitFor();
  assert.equal(await page.evaluate("location.hash"), `#/inbox/all/${talk.id}`);
  assert.equal(await list(page).count(), 0);
  await assertFits(page);
  await openAbout(page);
  await placeOf(page, page.locator("#about").getByText("Assigned to Bartholomew-Alexander").first());
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Done: No reply needed" }).tap();
  await page.getByRole("main").getByRole("link", { name: "Inbox" }).tap();
  await list(page).getByRole("button", { name: /^All/, pressed: true }).waitFor();
  assert.equal(await texts(page).count(), 0);
  assert.equal(await page.evaluate("document.activeElement.textContent"), "Inbox");
  await reachRows(page, manager);
}, PHONE);

/** Each row of a long list is reached in a small window, by the hand and by the keyboard. */
async function reachRows(page: Page, manager: Texter): Promise<void> {
  for (let n = 0; n < 25; n++) {
    await tell(await createTalk(manager, `Recruit ${n}`), [["recruit", "Is this still open?", 1000 - n]]);
  }
  await page.evaluate("location.hash = '#/inbox'");
  const rows = list(page).getByRole("link");
  await rows.filter({ hasText: "Recruit 0" }).waitFor();
  for (const [width, height] of [[740, 360], [320, 256]] as const) {
    await page.setViewportSize({ width, height });
    // By the hand: the last row is at the end of what scrolls, and its neighbours are seen.
    for (const [end, seen] of [[1e6, 24], [-1e6, 0]] as const) {
      await until(async () => {
        await page.evaluate(`for (const scrolled of document.querySelectorAll("html, main, .conversations, .list"))
          scrolled.scrollBy(0, ${end})`);
        return await rows.filter({ hasText: new RegExp(`^Recruit ${seen}\\b`) }).count() === 1;
      });
    }
  }
  // By the keyboard: what has the focus is scrolled to, and what follows it is there.
  await rows.first().focus();
  for (let n = 0; n < 25; n++) {
    await page.locator("a:focus", { hasText: new RegExp(`Recruit ${n}\\b`) }).waitFor();
    assert.ok(await isSeen(page), `Recruit ${n} is not seen`);
    // What follows the last one is a conversation, which the focus opens.
    if (n < 24) await page.keyboard.press("Tab");
  }
}

/** Whether what has the focus is seen where it is. */
async function isSeen(page: Page): Promise<boolean> {
  return await page.evaluate(`(() => {
    const { x, y, width, height } = document.activeElement.getBoundingClientRect();
    const seen = document.elementFromPoint(x + width / 2, y + height / 2);
    return document.activeElement.contains(seen);
  })()`) as boolean;
}
