import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { signInNewOperator } from "../support/agents.ts";
import { sql } from "../support/client.ts";
import { receive } from "../support/sms.ts";
import { assertAccessible, deskTest, signIn } from "./harness.ts";
import { createTalk, createTexter, type Talk } from "./talks.ts";

/** The row of a list that has these words. */
function row(page: Page, words: string) {
  return page.locator("ul.rows > li").filter({ hasText: words });
}

deskTest(
  "an unmatched text gets a conversation with the lead that the page showed, and with a newer one after a question",
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
    const [devon, older] = [await unmatched("Devon"), await unmatched("Older")];
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
    const stored = ({ recruit }: Talk) =>
      sql`
        select recruiting_lead_id, assigned_agent_id from public.recruiting_conversations
        where recruit_phone = ${recruit}`;
    assert.equal((await stored(devon)).length, 0);
    await question.getByRole("button", { name: "Give it a conversation" }).click();
    await page.getByText("1 text has a conversation at").waitFor();
    await text.waitFor({ state: "detached" });
    assert.deepEqual((await stored(devon)).map(({ assigned_agent_id }) => assigned_agent_id), [agent.agent_id]);

    const newer = `Newer-${crypto.randomUUID()}`;
    const [lead] = await sql`
      insert into public.recruiting_leads (vendor_id, first_name, vendor_metadata, distribution, agency_id, agent_id)
      select vendor_id, ${newer}, vendor_metadata, distribution, agency_id, agent_id
      from public.recruiting_leads where id = ${older.lead_id}
      returning id`;
    await row(page, older.name).getByRole("button", { name: "Give it a conversation" }).click();
    await question.getByRole("button", { name: "Give it a conversation" }).click();
    await question.getByText("A newer lead of this phone has come meanwhile. Look again.").waitFor();
    await question.getByText(newer).waitFor();
    await question.getByRole("button", { name: "Give it a conversation" }).click();
    await page.getByText("1 text has a conversation at").waitFor();
    await row(page, newer).waitFor({ state: "detached" });
    assert.deepEqual((await stored(older)).map(({ recruiting_lead_id }) => recruiting_lead_id), [lead!.id]);
  },
);
