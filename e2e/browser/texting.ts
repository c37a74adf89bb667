import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { sql } from "../support/client.ts";
import { createEscalated, type Escalated } from "../support/realtime.ts";
import { receive } from "../support/sms.ts";
import { browserTest, signIn, until } from "./harness.ts";

/** Makes an escalated conversation, on a number of its agency's, in which the recruit has just written. */
async function createConversation(): Promise<Escalated> {
  const agent = await createEscalated();
  const { conversation, agency_id } = agent;
  await sql`
    insert into public.service_numbers (phone, agency_id) values (${conversation.service}, ${agency_id})`;
  await receive(conversation, { Body: "Is this still open?" });
  return agent;
}

function outbox({ conversation }: Escalated) {
  return sql`
    select o.state, o.reason, m.body, m.media
    from public.text_outbox o join public.recruiting_messages m on m.id = o.message_id
    where o.conversation_id = ${conversation.id} order by o.ordinal`;
}

browserTest(
  "an agent hears of a text, responds once although the response was lost, and marks it as read",
  async (page, origin) => {
    const agent = await createConversation();
    await signIn(page, origin, agent);
    const notifications = page.locator("#notifications li");
    await notifications.getByText("A recruit has written").waitFor();
    await page.getByRole("button", { name: agent.conversation.recruit }).click();
    await page.getByText("recruit: Is this still open?").waitFor();

    let calls = 0;
    await page.route("**/rpc/send_text", async (route) => {
      if (route.request().method() === "POST" && calls++ === 0) {
        await route.fetch();
        await route.abort();
      } else {
        await route.continue();
      }
    });
    await page.getByLabel("Text").fill("It is. When may I call?");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("agent: It is. When may I call? (is being sent)").waitFor();
    assert.equal(calls, 2);
    assert.deepEqual((await outbox(agent)).map(({ body }) => body), ["It is. When may I call?"]);

    // It comes while the page is open.
    await receive(agent.conversation, { Body: "At noon" });
    await page.getByText("recruit: At noon").waitFor();
    assert.equal(await notifications.count(), 2);
    for (const left of [1, 0]) {
      await notifications.getByRole("button", { name: "Read" }).first().click();
      await until(async () => await notifications.count() === left);
    }
    const [unread] = await sql`
    select count(*)::int from public.agent_notifications where agent_id = ${agent.agent_id} and read_at is null`;
    assert.equal(unread!.count, 0);
  },
);

browserTest(
  "a text is held while the number is paused, and refused after a STOP",
  async (page, origin) => {
    const agent = await createConversation();
    await sql`
    update public.service_numbers set status = 'paused', paused_reason = 'test'
    where phone = ${agent.conversation.service}`;
    await signIn(page, origin, agent);
    await page.getByRole("button", { name: agent.conversation.recruit }).click();
    await page.getByLabel("Text").fill("Held");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("agent: Held (is sent when the agency's number works again)").waitFor();

    await receive(agent.conversation, { Body: "STOP" });
    await page.getByText("A recruit wants no more texts").waitFor();
    await page.getByLabel("Text").fill("Please");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("the recruit has opted out of texts from this agency").waitFor();
    assert.equal(await page.getByLabel("Text").inputValue(), "Please");
    assert.deepEqual((await outbox(agent)).map(({ body, state }) => [body, state]), [[
      "Held",
      "refused",
    ]]);
  },
);

browserTest(
  "an agent writes to a recruit first, with a file, and hands the conversation back",
  async (page, origin) => {
    const agent = await createConversation();
    const [recruit] = await sql`
    with vendor as (
      insert into public.vendors (slug, name) values (${`test-${agent.agent_id}`}, 'A vendor') returning id
    )
    insert into public.recruiting_leads (vendor_id, first_name, vendor_metadata, distribution, agency_id, agent_id)
    select id, 'Ada', ${sql.json({ phone: "+13125550123" })}, 'not_requested', ${agent.agency_id}, ${agent.agent_id}
    from vendor returning id`;
    await signIn(page, origin, agent);
    await page.getByRole("listitem").filter({ hasText: "Ada" }).getByRole("button", {
      name: "Text",
    })
      .click();
    await page.getByRole("heading", { name: "+13125550123" }).waitFor();
    await page.getByLabel("File").setInputFiles({
      name: "card.png",
      mimeType: "image/png",
      buffer: Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    });
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("agent: [file]").waitFor();

    const [row] = await sql`
    select c.id, c.status, m.media from public.recruiting_conversations c
    join public.recruiting_messages m on m.conversation_id = c.id
    where c.recruiting_lead_id = ${recruit!.id}`;
    assert.equal(row!.status, "escalated");
    const [{ url, content_type }] = row!.media;
    assert.equal(content_type, "image/png");
    const stored = await sql`
    select from storage.objects where bucket_id || '/' || name = ${url} and name like ${`${row!.id}/%`}`;
    assert.equal(stored.length, 1);

    await page.getByRole("button", { name: "Hand back to the bot" }).click();
    await page.getByText("The bot responds again.").waitFor();
    const [after] = await sql`
    select status from public.recruiting_conversations where id = ${row!.id}`;
    assert.equal(after!.status, "bot");
  },
);

browserTest(
  "a page reads what it has missed, after each reconnect and after its session was over",
  async (page, origin) => {
    const agent = await createConversation();
    await signIn(page, origin, agent);
    const notifications = page.locator("#notifications li");
    await notifications.first().waitFor();
    // Only an event tells the page of this one: it has joined.
    await receive(agent.conversation);
    await notifications.nth(1).waitFor();

    await missNotification(agent);
    await sql`
    select pg_terminate_backend(pid) from pg_stat_activity where usename = 'supabase_realtime_admin'`;
    await notifications.nth(2).waitFor();

    await missNotification(agent);
    const setAuth = (token: string) =>
      page.evaluate(
        `import("/supabase.ts").then(({ supabase }) => supabase.realtime.setAuth(${token}))`,
      );
    await setAuth('"over"');
    await page.waitForTimeout(500);
    await setAuth("");
    await notifications.nth(3).waitFor();
  },
);

/** Stores a notification whose event nobody hears. */
async function missNotification({ agent_id, conversation }: Escalated): Promise<void> {
  await sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    await sql`
      with message as (
        insert into public.recruiting_messages (conversation_id, direction, sender_type)
        values (${conversation.id}, 'inbound', 'recruit') returning id
      )
      insert into public.agent_notifications (agent_id, conversation_id, message_id, kind)
      select ${agent_id}, ${conversation.id}, id, 'text' from message`;
  });
}
