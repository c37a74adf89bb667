import assert from "node:assert/strict";
import { sql } from "../support/client.ts";
import { newPhone, receive } from "../support/sms.ts";
import { assertAccessible, assertFits, deskTest, NARROW, signIn, until } from "./harness.ts";
import {
  box,
  createColleague,
  createTalk,
  createTexter,
  openFilters,
  send,
  type Talk,
  type Texter,
  texts,
} from "./talks.ts";

/** Makes a recruit of an agent's who has written to another number of the agency. */
async function writeWithoutConversation(agent: Texter, bodies: string[]): Promise<Talk> {
  const talk = await createTalk(agent, "Ada", { last_name: "Byron" });
  await sql`delete from public.recruiting_conversations where id = ${talk.id}`;
  for (const Body of bodies) await receive(talk, { Body });
  return talk;
}

deskTest("texts of a recruit without a conversation stand beside the inbox, and start one", async (page) => {
  const agent = await createTexter();
  await signIn(page, agent, "inbox");
  const region = page.getByRole("region", { name: "Without a conversation" });
  await page.getByText("Nobody waits for an answer.").waitFor();
  assert.equal(await region.count(), 0);
  const talk = await writeWithoutConversation(agent, ["I saw your ad", "Is it still open?"]);
  await region.getByText("Is it still open?").waitFor();
  await region.getByText("Ada Byron", { exact: true }).waitFor();
  await until(async () => /2 texts\./.test(await region.innerText()) || (await page.reload(), false));
  await assertAccessible(page);
  const start = region.getByRole("button", { name: "Start the conversation with Ada Byron" });
  await start.click();
  await texts(page).getByText("I saw your ad").waitFor();
  await texts(page).getByText("Is it still open?").waitFor();
  await region.waitFor({ state: "detached" });
  const begun = page.url();
  await box(page, "Ada Byron").fill("It is");
  await send(page).click();
  await texts(page).getByText("It is", { exact: true }).waitFor();
  const [row] = await sql`
  select c.recruiting_lead_id from public.recruiting_messages m
  join public.recruiting_conversations c on c.id = m.conversation_id
  where c.recruit_phone = ${talk.recruit} and m.direction = 'inbound' limit 1`;
  assert.equal(row!.recruiting_lead_id, talk.lead_id);

  const service = newPhone();
  await sql`insert into public.service_numbers (phone, agency_id) values (${service}, ${agent.agency_id})`;
  await receive({ ...talk, service }, { Body: "To your other number" });
  // An agent is notified of one such text of a recruit a day.
  await page.reload();
  await start.click();
  await texts(page).getByText("To your other number").waitFor();
  await region.waitFor({ state: "detached" });
  assert.notEqual(page.url(), begun);
});

deskTest("a manager sees whose recruits have written, and the list while several are selected", async (page) => {
  const manager = await createTexter("manager");
  const omar = await createColleague(manager);
  for (let n = 0; n < 4; n++) await receive(await createTalk(manager, `Ruth ${n}`), { Body: "Is it open?" });
  for (let n = 0; n < 3; n++) await writeWithoutConversation(omar, ["I saw your ad"]);
  await signIn(page, manager, "inbox");
  await page.getByRole("heading", { name: "Without a conversation: 3" }).waitFor();
  const region = page.getByRole("region", { name: "Without a conversation" });
  await region.getByText("Recruit of Omar Quist.").first().waitFor();
  for (const size of [{ width: 1280, height: 800 }, { width: 390, height: 844 }]) {
    await page.setViewportSize(size);
    for (const act of ["Select several", "Cancel"]) {
      if (act === "Select several") await openFilters(page);
      await page.getByRole("button", { name: act }).click();
      // Three rows and more.
      await until(async () => await page.evaluate("document.querySelector('.list').clientHeight >= 210"));
    }
  }
  await page.setViewportSize(NARROW);
  await assertFits(page);
  await page.context().setOffline(true);
  await region.getByRole("button", { name: /Start the conversation/ }).first().click();
  await region.getByRole("alert").getByText("No connection. Check your network and try again.").waitFor();
});
