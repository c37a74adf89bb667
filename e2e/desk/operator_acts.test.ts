/** The acts of operators on texts, numbers and rejected deliveries. Their replays are in operator_replay.ts. */
import assert from "node:assert/strict";
import { phoneText } from "../../desk/ui/phone.ts";
import type { Page } from "playwright-core";
import { signInNewOperator } from "../support/agents.ts";
import { createVendor, sql } from "../support/client.ts";
import { reject } from "../support/deliveries.ts";
import { newPhone, receive } from "../support/sms.ts";
import { assertAccessible, assertFits, deskTest, PHONE, signIn } from "./harness.ts";
import { createTalk, createTexter } from "./talks.ts";
import { wake } from "./tokens.ts";

/** The row of a list that has these words. */
function row(page: Page, words: string) {
  return page.locator("ul.rows > li").filter({ hasText: words });
}

/** Presses a button of a row, and the same one of the question that it asks. */
async function press(page: Page, words: string, name: string): Promise<void> {
  await row(page, words).getByRole("button", { name }).click();
  await page.getByRole("dialog").getByRole("button", { name }).click();
}

deskTest(
  "an unmatched text gets its conversation, with the lead and the agent that the page has shown",
  async (page) => {
    const operator = await signInNewOperator();
    const agent = await createTexter();
    const talk = await createTalk(agent, "Devon");
    const { lead_id } = talk;
    await sql`delete from public.recruiting_conversations where recruiting_lead_id = ${lead_id}`;
    await receive(talk, { Body: "<b>STOP</b> it" });
    await signIn(page, operator, "operator/texts");
    const text = row(page, "<b>STOP</b> it").filter({ hasText: "Devon" });
    await text.getByText("is a lead of").waitFor();
    await assertAccessible(page);
    await text.getByRole("button", { name: "Give it a conversation" }).click();
    const question = page.getByRole("dialog");
    await question.getByText("All texts between these two numbers become a conversation of Devon").waitFor();
    await assertAccessible(page);
    await question.getByRole("button", { name: "Cancel" }).click();
    const stored = () =>
      sql`select assigned_agent_id from public.recruiting_conversations where recruiting_lead_id = ${lead_id}`;
    assert.equal((await stored()).length, 0);
    await text.getByRole("button", { name: "Give it a conversation" }).click();
    await question.getByRole("button", { name: "Give it a conversation" }).click();
    await page.getByText("1 text has a conversation at").waitFor();
    await text.waitFor({ state: "detached" });
    assert.deepEqual((await stored()).map(({ assigned_agent_id }) => assigned_agent_id), [agent.agent_id]);
  },
);

deskTest("a text that another operator has taken meanwhile says so", async (page) => {
  const operator = await signInNewOperator();
  const agent = await createTexter();
  // A name of its own: tests that run at the same time have rows in this list.
  const name = `Devon-${crypto.randomUUID()}`;
  const talk = await createTalk(agent, name);
  await sql`delete from public.recruiting_conversations where recruiting_lead_id = ${talk.lead_id}`;
  await receive(talk, { Body: "Is this still open?" });
  await signIn(page, operator, "operator/texts");
  await row(page, name).waitFor();
  await sql`select public.adopt_texts(${talk.recruit}, ${talk.service})`;
  await press(page, name, "Give it a conversation");
  await page.getByText("Somebody else has given it a conversation meanwhile.").waitFor();
  await row(page, name).waitFor({ state: "detached" });
});

deskTest(
  "a text whose newest lead is another one meanwhile is shown with that lead, and then goes to it",
  async (page) => {
    const agent = await createTexter();
    const [older, newer] = [`Older-${crypto.randomUUID()}`, `Newer-${crypto.randomUUID()}`];
    const talk = await createTalk(agent, older);
    await sql`delete from public.recruiting_conversations where recruiting_lead_id = ${talk.lead_id}`;
    await receive(talk, { Body: "Is this still open?" });
    await signIn(page, await signInNewOperator(), "operator/texts");
    await row(page, older).waitFor();
    const [lead] = await sql`
    insert into public.recruiting_leads (vendor_id, first_name, vendor_metadata, distribution, agency_id, agent_id)
    select vendor_id, ${newer}, vendor_metadata, distribution, agency_id, agent_id
    from public.recruiting_leads where id = ${talk.lead_id}
    returning id`;
    await press(page, older, "Give it a conversation");
    const question = page.getByRole("dialog");
    await question.getByText("A newer lead of this phone has come meanwhile. Look again.").waitFor();
    await question.getByText(newer).waitFor();
    await question.getByRole("button", { name: "Give it a conversation" }).click();
    await page.getByText("1 text has a conversation at").waitFor();
    const stored = await sql`
    select recruiting_lead_id from public.recruiting_conversations where recruit_phone = ${talk.recruit}`;
    assert.deepEqual(stored.map(({ recruiting_lead_id }) => recruiting_lead_id), [lead!.id]);
  },
);

deskTest("a text of nobody's lead has no act, also where its sender is no number", async (page) => {
  const sid = crypto.randomUUID();
  await sql`
    insert into public.unmatched_texts (message_sid, recruit_phone, service_phone, body, received_at)
    values (${sid}, '$(reboot)', '+13125550199', ${sid}, now() + interval '1 hour')`;
  await signIn(page, await signInNewOperator(), "operator/texts");
  await row(page, sid).getByText("No lead of this number's agency has this phone.").waitFor();
  assert.equal(await row(page, sid).getByRole("button").count(), 0);
  await sql`delete from public.unmatched_texts where message_sid = ${sid}`;
});

deskTest("a rejected delivery is dismissed alone, and then all that are left of its reason", async (page) => {
  const vendor = await createVendor();
  await reject(
    ...Array.from({ length: 3 }, (_, n) => ({ vendor_id: vendor.id, payload: {}, vendor_lead_id: `lead-${n}` })),
  );
  await signIn(page, await signInNewOperator(), "operator/deliveries");
  await page.getByRole("row").filter({ hasText: vendor.slug }).getByRole("rowheader").getByRole("link").click();
  await press(page, "lead-1", "Dismiss");
  await page.getByText("Dismissed: 1.").waitFor();
  await row(page, "lead-1").waitFor({ state: "detached" });
  await assertAccessible(page);
  const status = () =>
    sql`select vendor_lead_id, status from public.rejected_deliveries where vendor_id = ${vendor.id} order by 1`;
  assert.deepEqual((await status()).map(({ status }) => status), ["open", "dismissed", "open"]);

  // Somebody else is faster.
  await row(page, "lead-0").waitFor();
  await sql`
    update public.rejected_deliveries set status = 'dismissed'
    where vendor_id = ${vendor.id} and vendor_lead_id = 'lead-0'`;
  await press(page, "lead-0", "Dismiss");
  await page.getByText("Dismissed: 0. Replayed or dismissed before: 1.").waitFor();
  await row(page, "lead-0").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Replay all 1", exact: true }).waitFor();
  await page.getByRole("button", { name: "Dismiss all" }).click();
  // The question does not count one that comes now, although the page reads it.
  await reject({ vendor_id: vendor.id, payload: {}, vendor_lead_id: "lead-3" });
  await wake(page);
  await row(page, "lead-3").waitFor();
  await page.locator("button", { hasText: "Replay all 2" }).first().waitFor();
  await page.getByRole("dialog").getByText("No lead is made of any of these 1 deliveries.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Dismiss all" }).click();
  await page.getByText("Dismissed: 1.").waitFor();
  await row(page, "lead-3").waitFor();
  assert.deepEqual((await status()).map(({ status }) => status), ["dismissed", "dismissed", "dismissed", "open"]);
  await page.getByRole("button", { name: "Dismiss all" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Dismiss all" }).click();
  await page.getByText("None of these deliveries is open any more.").waitFor();
});

for (const [size, options] of Object.entries({ desktop: undefined, phone: PHONE })) {
  deskTest(`a paused number says why, and is resumed, on a ${size}`, async (page) => {
    const agent = await createTexter();
    const phone = newPhone();
    await sql`
      insert into public.service_numbers (phone, agency_id, status, paused_reason)
      values (${phone}, ${agent.agency_id}, 'paused', ${`the campaign ${phone} is not registered`})`;
    await signIn(page, await signInNewOperator(), "operator/numbers");
    const number = page.getByRole("row").filter({ hasText: phoneText(phone) });
    await number.getByText(`the campaign ${phone} is not registered`).waitFor();
    assert.equal(await number.getByText("not sent").count(), 0);
    await assertAccessible(page);
    await assertFits(page);
    await number.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click();
    // Among others, the paused ones come first.
    await number.getByText("paused", { exact: true }).waitFor({ state: "detached" });
    const [stored] = await sql`select status from public.service_numbers where phone = ${phone}`;
    assert.equal(stored!.status, "active");
  }, options);
}
