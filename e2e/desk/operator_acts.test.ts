/** The acts of operators on texts and rejected deliveries. Their replays are in operator_replay.test.ts. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { signInNewOperator } from "../support/agents.ts";
import { createVendor, sql } from "../support/client.ts";
import { reject } from "../support/deliveries.ts";
import { receive } from "../support/sms.ts";
import { assertAccessible, deskTest, signIn } from "./harness.ts";
import { createTalk, createTexter, type Talk } from "./talks.ts";
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
  "an unmatched text gets a conversation with the lead that the page showed, once, if two operators act together",
  async (page) => {
    const agent = await createTexter();
    // Names of their own: tests that run at the same time have rows in this list.
    const unmatched = async (name: string): Promise<Talk & { name: string }> => {
      const own = `${name}-${crypto.randomUUID()}`;
      const talk = await createTalk(agent, own);
      await sql`delete from public.recruiting_conversations where recruiting_lead_id = ${talk.lead_id}`;
      await receive(talk, { Body: "<b>STOP</b> it" });
      return { ...talk, name: own };
    };
    const [devon, taken, older] = [await unmatched("Devon"), await unmatched("Taken"), await unmatched("Older")];
    const sid = crypto.randomUUID();
    await sql`
      insert into public.unmatched_texts (message_sid, recruit_phone, service_phone, body, received_at)
      values (${sid}, '$(reboot)', '+13125550199', ${sid}, now() + interval '1 hour')`;
    await signIn(page, await signInNewOperator(), "operator/texts");
    await row(page, sid).getByText("No lead of this number's agency has this phone.").waitFor();
    assert.equal(await row(page, sid).getByRole("button").count(), 0);
    await sql`delete from public.unmatched_texts where message_sid = ${sid}`;

    const text = row(page, devon.name);
    await text.getByText("<b>STOP</b> it").waitFor();
    await text.getByText("is a lead of").waitFor();
    await text.getByRole("button", { name: "Give it a conversation" }).click();
    const question = page.getByRole("dialog");
    await question.getByText("All texts between these two numbers become a conversation of Devon").waitFor();
    await assertAccessible(page);
    await question.getByRole("button", { name: "Cancel" }).click();
    const stored = ({ recruit }: Talk) =>
      sql`
        select recruiting_lead_id, assigned_agent_id from public.recruiting_conversations
        where recruit_phone = ${recruit}`;
    assert.equal((await stored(devon)).length, 0);
    await press(page, devon.name, "Give it a conversation");
    await page.getByText("1 text has a conversation at").waitFor();
    await text.waitFor({ state: "detached" });
    assert.deepEqual((await stored(devon)).map(({ assigned_agent_id }) => assigned_agent_id), [agent.agent_id]);

    await row(page, taken.name).waitFor();
    await sql`select public.adopt_texts(${taken.recruit}, ${taken.service})`;
    await press(page, taken.name, "Give it a conversation");
    await page.getByText("Somebody else has given it a conversation meanwhile.").waitFor();
    await row(page, taken.name).waitFor({ state: "detached" });

    const newer = `Newer-${crypto.randomUUID()}`;
    const [lead] = await sql`
      insert into public.recruiting_leads (vendor_id, first_name, vendor_metadata, distribution, agency_id, agent_id)
      select vendor_id, ${newer}, vendor_metadata, distribution, agency_id, agent_id
      from public.recruiting_leads where id = ${older.lead_id}
      returning id`;
    await press(page, older.name, "Give it a conversation");
    await question.getByText("A newer lead of this phone has come meanwhile. Look again.").waitFor();
    await question.getByText(newer).waitFor();
    await question.getByRole("button", { name: "Give it a conversation" }).click();
    await page.getByText("1 text has a conversation at").waitFor();
    await row(page, newer).waitFor({ state: "detached" });
    assert.deepEqual((await stored(older)).map(({ recruiting_lead_id }) => recruiting_lead_id), [lead!.id]);
  },
);

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
