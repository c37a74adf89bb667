import assert from "node:assert/strict";
import { sql } from "../support/client.ts";
import { receive } from "../support/sms.ts";
import { assertAccessible, assertFits, deskTest, NARROW, until } from "./harness.ts";
import {
  createColleague,
  createTalk,
  createTexter,
  list,
  openFilters,
  signInJoined,
  tell,
  type Texter,
  texts,
} from "./talks.ts";

/** Makes a recruit of an agent's who has written to a number without a conversation. */
async function writeWithoutConversation(agent: Texter, name: string, bodies: string[]): Promise<void> {
  const talk = await createTalk(agent, name, { last_name: "Byron" });
  await sql`delete from public.recruiting_conversations where id = ${talk.id}`;
  for (const Body of bodies) await receive(talk, { Body });
}

deskTest("eleven waiting recruits are visible at once, beside texts that start a conversation", async (page) => {
  const manager = await createTexter("manager");
  const omar = await createColleague(manager);
  for (let n = 0; n < 12; n++) await tell(await createTalk(manager, `Ruth ${n}`), [["recruit", "Hi", 100 - n]]);
  await page.setViewportSize({ width: 1440, height: 900 });
  await signInJoined(page, manager, "inbox");
  const { y, height } = (await list(page).getByRole("link", { name: "Ruth 10" }).boundingBox())!;
  assert.ok(y + height <= 900, `the eleventh ends at ${y + height}`);
  // The last row beside the box, which grows to six lines and no more.
  await list(page).getByRole("link", { name: "Ruth 0" }).click();
  const box = page.getByLabel("Text to Ruth 0");
  const heightOf = async (lines: number) => {
    await box.fill("Line\n".repeat(lines).trim());
    return (await box.boundingBox())!.height;
  };
  const [one, two, six, nine] = [await heightOf(1), await heightOf(2), await heightOf(6), await heightOf(9)];
  assert.ok(Math.abs(six - one - 5 * (two - one)) < 6, `${one}, ${two}, ${six}`);
  assert.ok(nine - six < two - one, `${six}, ${nine}`);
  await box.fill("");
  await page.evaluate("location.hash = '#/inbox'");
  await page.setViewportSize({ width: 1280, height: 800 });

  const region = page.getByRole("region", { name: "Without a conversation" });
  assert.equal(await region.count(), 0);
  // The page hears of what was written to the manager's own recruits.
  for (const name of ["Ada", "Ben"]) await writeWithoutConversation(omar, name, ["Hello", "Is it still open?"]);
  await writeWithoutConversation(manager, "Cleo", ["I saw your ad"]);
  await region.getByText("I saw your ad").waitFor();
  await page.getByRole("heading", { name: "Without a conversation: 3" }).waitFor();
  const ada = region.getByRole("listitem").filter({ hasText: "Ada Byron" });
  assert.match(await ada.innerText(), /Is it still open\?\s+2 texts\. Recruit of Omar Quist\./);
  await assertAccessible(page);
  for (const size of [page.viewportSize()!, { width: 390, height: 844 }]) {
    await page.setViewportSize(size);
    await openFilters(page);
    await page.getByRole("button", { name: "Select several" }).click();
    // Three rows and more.
    await until(async () => await page.evaluate("document.querySelector('.list').clientHeight >= 210"));
    await page.getByRole("button", { name: "Cancel" }).click();
  }
  await page.setViewportSize(NARROW);
  await assertFits(page);
  await region.getByRole("button", { name: "Start the conversation with Ada Byron" }).click();
  for (const words of ["Hello", "Is it still open?"]) await texts(page).getByText(words).waitFor();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("heading", { name: "Without a conversation: 2" }).waitFor();
});
