import assert from "node:assert/strict";
import { sql } from "../support/client.ts";
import { receive } from "../support/sms.ts";
import { assertAccessible, assertFits, deskTest, NARROW, until } from "./harness.ts";
import { createColleague, createTalk, createTexter, openFilters, signInJoined, type Texter, texts } from "./talks.ts";

/** Makes a recruit of an agent's who has written to a number without a conversation. */
async function writeWithoutConversation(agent: Texter, name: string, bodies: string[]): Promise<void> {
  const talk = await createTalk(agent, name, { last_name: "Byron" });
  await sql`delete from public.recruiting_conversations where id = ${talk.id}`;
  for (const Body of bodies) await receive(talk, { Body });
}

deskTest("texts of a recruit without a conversation stand beside the inbox, and start one", async (page) => {
  const manager = await createTexter("manager");
  const omar = await createColleague(manager);
  for (let n = 0; n < 4; n++) await receive(await createTalk(manager, `Ruth ${n}`), { Body: "Is it open?" });
  await signInJoined(page, manager, "inbox");
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
