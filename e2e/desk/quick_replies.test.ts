import assert from "node:assert/strict";
import { sql } from "../support/client.ts";
import { assertAccessible, assertFits, DESK, deskTest, NARROW, signIn, until } from "./harness.ts";
import { assertQueued, box, createTalk, createTexter, outbox, send } from "./talks.ts";
import { wake } from "./tokens.ts";

deskTest("a manager keeps quick replies, hears of a change meanwhile, and / puts one in the box", async (page) => {
  const manager = await createTexter("manager");
  await sql`update public.agencies set name = 'Prairie Life' where id = ${manager.agency_id}`;
  const talk = await createTalk(manager);
  await signIn(page, manager, "settings/quick-replies");
  const region = page.getByRole("region", { name: "Quick replies" });
  await region.getByText("No quick reply yet.").waitFor();
  await region.getByRole("button", { name: "New quick reply" }).click();
  await region.getByLabel("Shortcut").fill("Call");
  await region.getByLabel("Words").fill("Hi {surname}");
  await region.getByRole("button", { name: "Save" }).click();
  await region.getByRole("alert").getByText("There is no placeholder {surname}.").waitFor();
  await region.getByLabel("Words").fill("Hi {first_name}");
  await region.getByRole("button", { name: "Save" }).click();
  await region.getByLabel("Words").waitFor({ state: "detached" });

  await region.getByRole("button", { name: "Change /call" }).click();
  await region.getByLabel("Words").fill("Hi {first_name}, {agent} of {agency} here.");
  // Another manager is faster.
  await sql`update public.quick_replies set body = 'Good day' where agency_id = ${manager.agency_id}`;
  // The page has read the other's words before Save: the user may not have.
  await wake(page);
  await region.locator(".reply").getByText("Good day").waitFor();
  await region.getByRole("button", { name: "Save" }).click();
  await region.getByText("Somebody else has changed this quick reply meanwhile.").waitFor();
  assert.equal(await region.getByLabel("Words").inputValue(), "Hi {first_name}, {agent} of {agency} here.");
  await region.getByRole("button", { name: "Save" }).click();
  await region.getByLabel("Words").waitFor({ state: "detached" });
  await region.locator(".reply").getByText("Hi {first_name}, {agent} of {agency} here.").waitFor();
  await page.setViewportSize(NARROW);
  await assertFits(page);
  await assertAccessible(page);
  await page.setViewportSize({ width: 1280, height: 800 });

  // In a conversation / opens them, and Enter puts the words in the box.
  const rows = ["bye", "call-later"].map((shortcut) => ({
    ...{ agency_id: manager.agency_id, shortcut, body: "Good bye, {first_name}." },
  }));
  await sql`insert into public.quick_replies ${sql(rows)}`;
  await page.goto(`${DESK}#/inbox/${talk.id}`);
  const options = page.getByRole("listbox").getByRole("option");
  await box(page).fill("/");
  await until(async () => await options.count() === 3);
  await page.getByRole("status").getByText("3 quick replies").waitFor({ state: "attached" });
  await assertAccessible(page);
  await box(page).pressSequentially("CAL");
  await until(async () => await options.count() === 2);
  await box(page).press("ArrowDown");
  const active = await box(page).getAttribute("aria-activedescendant");
  assert.equal(await page.locator(`[id="${active}"]`).innerText(), "/call-later Good bye, Maya.");
  await box(page).press("ArrowDown");
  await box(page).press("Enter");
  assert.equal(await box(page).inputValue(), "Hi Maya, Nora Quist of Prairie Life here.");
  assert.equal(await options.count(), 0);

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
  assert.deepEqual([...await outbox(talk)], []);
  await send(page).click();
  await assertQueued(page, talk, ["Good bye, Maya."]);
});
