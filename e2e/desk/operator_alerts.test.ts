/** What stands at Today leads to where it is resolved. */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { signInNewOperator } from "../support/agents.ts";
import { checkAlerts } from "../support/alerts.ts";
import { createOrder, createVendor, sql } from "../support/client.ts";
import { reject } from "../support/deliveries.ts";
import { phoneText } from "../../desk/ui/phone.ts";
import { assertAccessible, assertFits, deskTest, PHONE, signIn } from "./harness.ts";
import { createTalk, createTexter, outbox } from "./talks.ts";

deskTest(
  "today says what is wrong and leads to what mends it, and alerts are acknowledged alone and together",
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
  },
);

deskTest("an operator sees which texts are not sent, and why", async (page) => {
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
  await number.getByRole("link", { name: "1 text not sent" }).click();
  const cause = page.getByRole("table", { name: "Causes" }).getByRole("row").filter({
    hasText: phoneText(agent.service),
  });
  await cause.getByRole("button", { name: `Resume ${phoneText(agent.service)}` }).waitFor();
  const text = page.getByRole("row").filter({ hasText: phoneText(talk.recruit) });
  await cause.getByRole("link").click();
  await page.waitForURL(/cause=number_paused/);
  await text.getByText("now", { exact: true }).waitFor();
  assert.equal(await page.getByText("A secret between us").count(), 0);
  await assertAccessible(page);
  await assertFits(page);

  await sql`update public.recruiting_leads set vendor_metadata = '{"state": "NY"}' where id = ${talk.lead_id}`;
  await sql`select public.close_hours('NY', null, null, 'the test')`;
  try {
    // Not earlier, because what changes the hours makes the text due.
    await sql`
      update public.text_outbox set reason = 'quiet_hours', due_at = 'infinity' where conversation_id = ${talk.id}`;
    await sql`update public.service_numbers set status = 'active' where phone = ${agent.service}`;
    await page.evaluate(`location.hash = "#/operator/outbox?cause=no_hours"`);
    await page.reload();
    await text.waitFor();
    await page.getByRole("button", { name: "Open New York" }).first().click();
    const question = page.getByRole("dialog");
    await question.getByText(/sent when those hours are open/).waitFor();
    await assertAccessible(page);
    await assertFits(page);
    // So that it is not sent.
    await sql`update public.service_numbers set status = 'paused' where phone = ${agent.service}`;
    await question.getByRole("button", { name: "Open New York" }).click();
    await page.getByText("The hours of the law count for New York.").waitFor();
    assert.equal((await sql`select from public.texting_closures where source = 'the test'`).length, 0);
  } finally {
    await sql`delete from public.texting_closures where source = 'the test'`;
  }
  await sql`
    update public.text_outbox set reason = 'quiet_hours', due_at = 'infinity' where conversation_id = ${talk.id}`;
  await sql`update public.service_numbers set status = 'active' where phone = ${agent.service}`;

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
  const question = page.getByRole("dialog");
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
}, PHONE);
