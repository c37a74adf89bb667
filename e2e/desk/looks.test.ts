import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { deskTest, PHONE, signIn, until } from "./harness.ts";
import { createTalk, createTexter, list, tell } from "./talks.ts";

deskTest("at 900 px eleven waiting recruits are seen at once, each with its agent", async (page) => {
  const manager = await createTexter("manager");
  for (let n = 0; n < 12; n++) await tell(await createTalk(manager, `Recruit ${n}`), [["recruit", "Hi", 100 - n]]);
  await signIn(page, manager, "inbox");
  const { y, height } = (await list(page).getByRole("link", { name: "Recruit 10" }).boundingBox())!;
  assert.ok(y + height <= 900, `the eleventh ends at ${y + height}`);
  // The last row beside the box, which grows to six lines and no more.
  await list(page).getByRole("link", { name: "Recruit 0" }).click();
  const box = page.getByLabel("Text to Recruit 0");
  const heightOf = async (lines: number) => {
    await box.fill("Line\n".repeat(lines).trim());
    return (await box.boundingBox())!.height;
  };
  const [one, two, six, nine] = [await heightOf(1), await heightOf(2), await heightOf(6), await heightOf(9)];
  assert.ok(Math.abs(six - one - 5 * (two - one)) < 6, `${one}, ${two}, ${six}`);
  assert.ok(nine - six < two - one, `${six}, ${nine}`);
}, { viewport: { width: 1440, height: 900 } });

deskTest("each row of a long list is reached in a small window, by the hand and by the keyboard", async (page) => {
  const agent = await createTexter();
  for (let n = 0; n < 25; n++) {
    await tell(await createTalk(agent, `Recruit ${n}`), [["recruit", "Is this still open?", 1000 - n]]);
  }
  await signIn(page, agent, "inbox");
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
    // By the keyboard: what has the focus is scrolled to, and what follows it is there.
    await rows.first().focus();
    for (let n = 0; n < 25; n++) {
      await page.locator("a:focus", { hasText: new RegExp(`Recruit ${n}\\b`) }).waitFor();
      assert.ok(await isSeen(page), `Recruit ${n} is not seen at ${width} x ${height}`);
      // What follows the last one is a conversation, which the focus opens.
      if (n < 24) await page.keyboard.press("Tab");
    }
  }
}, PHONE);

/** Whether what has the focus is seen where it is. */
async function isSeen(page: Page): Promise<boolean> {
  return await page.evaluate(`(() => {
    const { x, y, width, height } = document.activeElement.getBoundingClientRect();
    const seen = document.elementFromPoint(x + width / 2, y + height / 2);
    return document.activeElement.contains(seen);
  })()`) as boolean;
}
