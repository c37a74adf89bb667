/** What stands at Today leads to where it is resolved. */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { signInNewOperator } from "../support/agents.ts";
import { checkAlerts } from "../support/alerts.ts";
import { createOrder, createVendor, sql } from "../support/client.ts";
import { reject } from "../support/deliveries.ts";
import { receive } from "../support/sms.ts";
import { phoneText } from "../../desk/ui/phone.ts";
import { assertAccessible, assertFits, deskTest, PHONE, signIn } from "./harness.ts";
import { createTalk, createTexter, outbox, type Talk } from "./talks.ts";

deskTest(
  "today leads to what mends what is wrong, alerts are acknowledged, and unmatched texts get a conversation",
  async (page) => {
    const vendor = await createVendor();
    const order = await createOrder(vendor, { quantity: 7 });
    await sql`
    update public.recruiting_orders set starts_at = now() - interval '2 h', ends_at = now() - interval '1 h'
    where id = ${order.id}`;
    await checkAlerts();
    const other = await createVendor();
    await reject({ vendor_id: other.id }, { vendor_id: other.id });
    await sql`
    update public.rejected_deliveries set received_at = now() - interval '29 days 5 hours'
    where id = (select id from public.rejected_deliveries where vendor_id = ${other.id} limit 1)`;
    const [first, idle] = [await createOrder(other), await createOrder(other)];
    await sql`update public.recruiting_orders set priority = 1001 where id = ${first.id}`;
    // Before those of other tests.
    await sql`update public.recruiting_orders set created_at = '2020-01-01' where id = ${idle.id}`;
    const [one, two] = [crypto.randomUUID(), crypto.randomUUID()];
    // Older problems than those of other tests, because the page shows only some of them.
    await sql`
    insert into public.alerts (kind, subject, subject_name, problem, link, details)
    select kind, subject, 'thing ' || subject, 'is wrong', link, '{"since": "2020-01-01T10:00:00Z", "leads": 3}'
    from (values
      ('number_paused', ${one}, '/operator/numbers'), ('number_paused', ${two}, '/operator/numbers'),
      ('fetch_refused', ${one}, null),
      ('leads_waiting', ${one}, '/operator/waiting'), ('leads_waiting', ${two}, '/operator/waiting')
    ) a (kind, subject, link)`;
    try {
      await sql.begin(async (sql) => {
        // A check would resolve them.
        await sql`select from private.job_runs where job = 'check alerts' for update`;
        await signIn(page, await signInNewOperator(), "operator");
        await page.getByText("Last checked at").waitFor();
        const [now, toDo, inHand] = ["Now", "To do", "In hand"].map((name) =>
          page.getByRole("rowgroup", { name }).getByRole("row")
        ) as [Locator, Locator, Locator];
        const dialog = page.getByRole("dialog");

        // What an alert asks for is done in the desk, and the command is left out.
        const ended = page.getByRole("row").filter({ hasText: `An agency under test: ${vendor.slug}, any state` });
        await ended.getByText("Order ended, 7 of 7 leads short", { exact: true }).waitFor();
        assert.equal(await ended.locator("code").count(), 0);
        await ended.getByRole("button", { name: "Close the order" }).click();
        await dialog.getByText("It gets no more leads.").waitFor();
        await dialog.getByRole("button", { name: "Close" }).click();
        await dialog.waitFor({ state: "hidden" });
        const [closed] = await sql`select status from public.recruiting_orders where id = ${order.id}`;
        assert.equal(closed!.status, "closed");

        // What is done by commands alone has no view, and says so beside its row.
        const refused = page.getByRole("row").filter({ hasText: "Operators add a new one." }).filter({ hasText: one });
        assert.equal(await refused.getByRole("link").count(), 1);
        await refused.getByRole("link").click();
        await dialog.getByText("Operators add a new one.").waitFor();
        await assertAccessible(page);
        await dialog.getByRole("button", { name: "Acknowledge" }).click();
        await dialog.getByText("acknowledged").waitFor();
        await dialog.getByRole("button", { name: "Close" }).click();

        const paused = (rows: Locator, subject: string) =>
          rows.filter({ hasText: "Number is wrong" }).filter({ hasText: subject });
        for (const subject of [one, two]) await paused(now, subject).getByRole("checkbox").check();
        await page.getByRole("group", { name: "Selected rows" }).getByRole("button", { name: "Acknowledge" }).click();
        for (const subject of [one, two]) await paused(inHand, subject).waitFor();

        // The waiting leads of all vendors are one row.
        const leads = { has: page.getByText(/^[\d,]+ leads? without an order$/) };
        await toDo.filter(leads)
          .getByRole("button", { name: /^More about [\d,]+ leads? without an order: \d+ vendors$/ }).click();
        await page.getByRole("menuitem", { name: "Acknowledge" }).click();
        await inHand.filter(leads).waitFor();
        const states = await sql`select state from public.alerts where kind = 'leads_waiting' and state = 'open'`;
        assert.equal(states.length, 0);

        const deliveries = now.filter({ hasText: other.slug });
        await deliveries.getByText(`1 delivery of ${other.slug} will be deleted: no name`, { exact: true }).first()
          .waitFor();
        await deliveries.getByText(/^due in 1[89] h$/).waitFor();
        assert.match(
          (await deliveries.getByRole("link", { name: "Replay or dismiss" }).getAttribute("href"))!,
          /^#\/operator\/deliveries\//,
        );
        const linkTo = ({ id }: { id: string }) => page.locator(`[href="#/operator/orders/${id}"]`);
        const idleRow = toDo.filter({ has: linkTo(idle) });
        await idleRow.getByText("Order gets no leads: orders with a higher priority take them", { exact: true })
          .waitFor();
        assert.equal(await toDo.filter({ has: linkTo(first) }).count(), 0);
        await idleRow.getByRole("link", { name: "Find who goes first" }).click();
        await page.getByText(/^It gets no leads because /).waitFor();
        await page.getByRole("link", { name: "See the order that takes them" }).click();
        await page.locator(".facts").getByText(first.id.slice(0, 8)).waitFor();
      });
    } finally {
      await sql`delete from public.alerts where subject in ${sql([one, two])}`;
      await sql`delete from public.rejected_deliveries where vendor_id = ${other.id}`;
      await sql`delete from public.recruiting_orders where vendor_id = ${other.id}`;
    }
    await matchTexts(page);
  },
);

/** Gives texts a conversation with the lead that the page showed, and with a newer one after a question. */
async function matchTexts(page: Page): Promise<void> {
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
  await page.evaluate(`location.hash = "#/operator/texts"`);
  const row = (words: string) => page.locator("ul.rows > li").filter({ hasText: words });
  await row(sid).getByText("No lead of this number's agency has this phone.").waitFor();
  assert.equal(await row(sid).getByRole("button").count(), 0);
  await sql`delete from public.unmatched_texts where message_sid = ${sid}`;

  const text = row(devon.name);
  await text.getByText("<b>STOP</b> it").waitFor();
  await text.getByText("is a lead of").waitFor();
  await text.getByRole("button", { name: "Give it a conversation" }).click();
  const question = page.getByRole("dialog");
  await question.getByText("All texts between these two numbers become a conversation of Devon").waitFor();
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
  await row(older.name).getByRole("button", { name: "Give it a conversation" }).click();
  await question.getByRole("button", { name: "Give it a conversation" }).click();
  await question.getByText("A newer lead of this phone has come meanwhile. Look again.").waitFor();
  await question.getByText(newer).waitFor();
  await question.getByRole("button", { name: "Give it a conversation" }).click();
  await row(newer).waitFor({ state: "detached" });
  assert.deepEqual((await stored(older)).map(({ recruiting_lead_id }) => recruiting_lead_id), [lead!.id]);
}

deskTest(
  "an operator sees which texts are not sent, and why, and resumes a number, opens a state and cancels",
  async (page) => {
    const agent = await createTexter();
    await sql`
    update public.service_numbers set status = 'paused', paused_reason = 'the campaign is not registered'
    where phone = ${agent.service}`;
    const talk = await createTalk(agent);
    const { error } = await agent.client.rpc("send_text", {
      conversation_id: talk.id,
      body: "A secret between us",
      client_message_id: crypto.randomUUID(),
    });
    assert.equal(error, null);
    await signIn(page, await signInNewOperator(), "operator/numbers");
    const number = page.getByRole("row").filter({ hasText: phoneText(agent.service) });
    await number.getByText("the campaign is not registered").waitFor();
    await number.getByText("Paused", { exact: true }).waitFor();
    await number.getByRole("link", { name: "1 text not sent" }).click();
    const cause = page.getByRole("table", { name: "Causes" }).getByRole("row").filter({
      hasText: phoneText(agent.service),
    });
    const text = page.getByRole("row").filter({ hasText: phoneText(talk.recruit) });
    await cause.getByRole("link").click();
    await page.waitForURL(/cause=number_paused/);
    await text.getByText("now", { exact: true }).waitFor();
    assert.equal(await page.getByText("A secret between us").count(), 0);
    await assertAccessible(page);
    await assertFits(page);

    // A number is resumed, and a state without hours is opened.
    const waitForHours = () =>
      sql`
      update public.text_outbox set reason = 'quiet_hours', due_at = 'infinity' where conversation_id = ${talk.id}`;
    const question = page.getByRole("dialog");
    await sql`update public.recruiting_leads set vendor_metadata = '{"state": "NY"}' where id = ${talk.lead_id}`;
    await sql`select public.close_hours('NY', null, null, 'the test')`;
    try {
      // Not earlier, because what changes the hours makes the text due.
      await waitForHours();
      await cause.getByRole("button", { name: `Resume ${phoneText(agent.service)}` }).click();
      await question.getByRole("button", { name: "Resume" }).click();
      await cause.waitFor({ state: "detached" });
      const [stored] = await sql`select status from public.service_numbers where phone = ${agent.service}`;
      assert.equal(stored!.status, "active");
      await page.evaluate(`location.hash = "#/operator/outbox?cause=no_hours"`);
      await text.waitFor();
      await page.getByRole("button", { name: "Open New York" }).first().click();
      await question.getByText(/sent when those hours are open/).waitFor();
      await assertFits(page);
      // So that it is not sent.
      await sql`update public.service_numbers set status = 'paused' where phone = ${agent.service}`;
      await question.getByRole("button", { name: "Open New York" }).click();
      await page.getByText("The hours of the law count for New York.").waitFor();
      // Where it is still yesterday somewhere, that day stays closed.
      const closed = await sql`
        select from public.texting_closures
        where source = 'the test' and coalesce(ends_on, 'infinity') >= (now() at time zone 'America/New_York')::date`;
      assert.equal(closed.length, 0);
    } finally {
      await sql`delete from public.texting_closures where source = 'the test'`;
    }
    await waitForHours();
    await sql`update public.service_numbers set status = 'active' where phone = ${agent.service}`;

    // The page of a lead leads to its greeting, which is cancelled.
    await sql`update public.text_outbox set kind = 'greeting' where conversation_id = ${talk.id}`;
    await sql`
    update public.recruiting_leads set distribution = 'distributed', distributed_at = now() where id = ${talk.lead_id}`;
    await page.evaluate(`location.hash = "#/operator/search/${talk.lead_id}"`);
    await page.getByText("Greeting held: its state has no open hours.").waitFor();
    await page.getByRole("link", { name: "Texts without open hours" }).click();
    // What was read a moment ago is not read again.
    await page.reload();
    await text.waitFor();
    assert.equal(await text.getByRole("checkbox").count(), 0, "on a phone rows can be selected after a tap");
    await page.getByRole("button", { name: "Select", exact: true }).click();
    await text.getByRole("checkbox").check();
    await page.getByRole("button", { name: "Cancel the selected" }).click();
    await question.getByText("1 text is never sent. This can’t be undone. It is noted with your name.").waitFor();
    await question.getByRole("button", { name: "Cancel the selected" }).click();
    await page.getByText("Cancelled 1 text.").waitFor();
    await text.waitFor({ state: "detached" });
    assert.deepEqual((await outbox(talk)).map(({ state, reason }) => [state, reason]), [["refused", "cancelled"]]);

    await sql`
    update public.text_outbox set state = 'failed', reason = '30007' where conversation_id = ${talk.id}`;
    await page.evaluate(`location.hash = "#/operator/outbox/failed/${agent.agency_id}"`);
    await text.getByText("Twilio: 30007, the carrier has taken it for spam").waitFor();
    await page.getByRole("link", { name: "See the agency’s orders" }).click();
    await page.getByRole("region", { name: "Orders and greetings" }).waitFor();

    // One that holds texts for long has the next step beside it.
    const waiting_since = new Date(Date.now() - 3 * 86_400_000).toISOString();
    const held = { phone: agent.service, agency: "Acme", status: "active", paused_reason: null, conversations: 3 };
    await page.route(
      "**/rest/v1/number_list*",
      (route) => route.fulfill({ json: [{ ...held, waiting: 12, waiting_since }] }),
    );
    await page.route(
      "**/rest/v1/unsent_cause_list*",
      (route) =>
        route.fulfill({ json: [{ cause: "no_hours", subject: "NV", agency: null, texts: 12, since: waiting_since }] }),
    );
    await page.evaluate(`location.hash = "#/operator/numbers"`);
    await page.reload();
    for (const words of ["12 texts not sent", "oldest 3 days", "Nevada has no open hours"]) {
      await number.getByText(words).waitFor();
    }
    await number.getByRole("button", { name: "Open Nevada" }).waitFor();
  },
  PHONE,
);
