import assert from "node:assert/strict";
import { sql } from "../support/client.ts";
import { assertAccessible, assertFits, deskTest, NARROW, signIn, until } from "./harness.ts";
import { assertQueued, box, createTexter, openTalk, outbox, send, type Texter } from "./talks.ts";

async function addReplies({ agency_id }: Texter, replies: Record<string, string>): Promise<void> {
  const rows = Object.entries(replies).map(([shortcut, body]) => ({ agency_id, shortcut, body }));
  await sql`insert into public.quick_replies ${sql(rows)}`;
}

deskTest("/ opens the quick replies, Enter puts the words in the box, and nothing is sent", async (page) => {
  const agent = await createTexter();
  await addReplies(agent, {
    bye: "Good bye, {first_name}.",
    call: "Hi {first_name}, {agent} of {agency} here. May I call you?",
    "call-later": "I call you later, {first_name}.",
  });
  await sql`update public.agencies set name = 'Prairie Life' where id = ${agent.agency_id}`;
  const talk = await openTalk(page, agent);
  const options = page.getByRole("listbox").getByRole("option");
  await box(page).pressSequentially("/");
  await until(async () => await options.count() === 3);
  await page.getByRole("status").getByText("3 quick replies").waitFor({ state: "attached" });
  await assertAccessible(page);
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

deskTest("a manager keeps the quick replies, and hears that somebody else has changed one meanwhile", async (page) => {
  const manager = await createTexter("manager");
  await signIn(page, manager, "settings/quick-replies");
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
  await region.getByLabel("Words").fill("Hi {first_name}");
  await region.getByRole("button", { name: "Save" }).click();
  await region.getByText("/call").first().waitFor();
  await region.getByLabel("Words").waitFor({ state: "detached" });

  await region.getByRole("button", { name: "Change /call" }).click();
  await region.getByLabel("Words").fill("Hello {first_name}");
  // Another manager is faster.
  await sql`update public.quick_replies set body = 'Good day' where agency_id = ${manager.agency_id}`;
  // The page has read the other's words before Save: the user may not have.
  await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
  await region.locator(".reply").getByText("Good day").waitFor();
  await region.getByRole("button", { name: "Save" }).click();
  await region.getByText("Somebody else has changed this quick reply meanwhile.").waitFor();
  assert.equal(await region.getByLabel("Words").inputValue(), "Hello {first_name}");
  await region.locator(".reply").getByText("Good day").waitFor();
  await region.getByRole("button", { name: "Save" }).click();
  await region.locator(".reply").getByText("Hello {first_name}").waitFor();
  await region.getByLabel("Words").waitFor({ state: "detached" });
  await page.setViewportSize(NARROW);
  await assertFits(page);
  await assertAccessible(page);

  await region.getByRole("button", { name: "Delete /call" }).click();
  await page.getByRole("dialog", { name: "Delete /call" }).getByRole("button", { name: "Delete" }).click();
  await region.getByText("No quick reply yet.").waitFor();
  assert.equal((await sql`select from public.quick_replies where agency_id = ${manager.agency_id}`).length, 0);
});
