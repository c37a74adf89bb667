import assert from "node:assert/strict";
import { assertAccessible, deskTest, PHONE, signIn } from "./harness.ts";
import { createColleague, createTalk, createTexter, list, tell } from "./talks.ts";

for (const [name, options] of [["a desktop", undefined], ["a phone", PHONE]] as const) {
  deskTest(`who has waited for over an hour, and over a day, is marked in word and colour on ${name}`, async (page) => {
    const agent = await createTexter();
    for (const [name, minutes] of [["Ruth", 59], ["Devon", 61], ["Grace", 24 * 60 + 1]] as const) {
      await tell(await createTalk(agent, name), [["recruit", "Is this still open?", minutes]]);
    }
    await tell(await createTalk(agent, "Sam"), [["recruit", "Hi", 3000], ["agent", "Welcome aboard", 2000]]);
    await signIn(page, agent, "inbox");
    await list(page).getByRole("button", { name: "Newest" }).click();
    await list(page).getByRole("link", { name: "Sam" }).waitFor();
    const badges = list(page).locator(".badges > *");
    assert.deepEqual(await badges.allInnerTexts(), ["over an hour", "over a day"]);
    await list(page).getByRole("link", { name: /Devon.*over an hour/ }).waitFor();
    const colours = await page.evaluate(`[...document.querySelectorAll(".badges > *")]
      .map((badge) => getComputedStyle(badge).backgroundColor)`) as string[];
    assert.equal(new Set(colours).size, 2);
    await assertAccessible(page);
  }, options);
}

deskTest("an empty list offers the next one that has conversations", async (page) => {
  const manager = await createTexter("manager");
  const omar = await createColleague(manager);
  await signIn(page, manager, "inbox");
  await list(page).getByText("Nobody waits for an answer.").waitFor();
  assert.equal(await list(page).getByRole("button", { name: /^Show / }).count(), 0);

  await tell(await createTalk(manager, "Sam"), [["recruit", "Hi", 30], ["agent", "Welcome aboard", 5]]);
  await list(page).getByRole("button", { name: "Show all conversations, everyone's (1)" }).waitFor();
  await tell(await createTalk(omar, "Devon"), [["recruit", "Hi", 30]]);
  await page.reload();
  await list(page).getByLabel("Whose conversations").selectOption("Mine");
  const next = list(page).getByRole("button", { name: "Show who waits, everyone's (1)" });
  await next.waitFor();
  await assertAccessible(page);
  await next.click();
  await list(page).getByRole("link", { name: "Devon" }).waitFor();
  assert.equal(await list(page).getByLabel("Whose conversations").inputValue(), "");
});
