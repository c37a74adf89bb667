// Alerts, each of which leads to where it is resolved.
import assert from "node:assert/strict";
import { signInNewOperator } from "../support/agents.ts";
import { sql } from "../support/client.ts";
import { phoneText } from "../../desk/ui/phone.ts";
import { assertAccessible, assertFits, deskTest, PHONE, signIn } from "./harness.ts";
import { createTalk, createTexter, outbox } from "./talks.ts";

deskTest("an alert says what to do, leads there, and is acknowledged with others at once", async (page) => {
  const [one, other] = [crypto.randomUUID(), crypto.randomUUID()];
  // Troubles that are older than those of other tests, of which there are more than the page shows.
  await sql`
    insert into public.alerts (kind, subject, subject_name, problem, link, details)
    select kind, subject, 'thing ' || subject, 'is wrong', link, '{"since": "2020-01-01T10:00:00Z", "leads": 3}'
    from (values
      ('order_stalled', ${one}, ${`/operator/orders/${one}`}), ('order_stalled', ${other}, ${`/operator/orders/${other}`}),
      ('number_paused', ${one}, '/operator/numbers'), ('number_paused', ${other}, '/operator/numbers'),
      ('texts_failing', ${one}, ${`/operator/agencies/${one}/orders`}), ('fetch_refused', ${one}, null),
      ('leads_waiting', ${one}, '/operator/waiting'), ('leads_waiting', ${other}, '/operator/waiting')
    ) a (kind, subject, link)`;
  try {
    await sql.begin(async (sql) => {
      // A check would resolve them.
      await sql`select from private.job_runs where job = 'check alerts' for update`;
      await signIn(page, await signInNewOperator(), "operator");
      const alert = (problem: string, subject: string) =>
        page.getByRole("row").filter({ hasText: problem }).filter({ hasText: `Thing ${subject}` });
      const order = alert("Order is wrong", one);
      await order.waitFor();
      assert.match(await order.getByTitle(/Jan 1, 2020/).innerText(), /^for [\d,]+ days$/);
      await page.getByRole("rowgroup", { name: "Now" }).getByRole("row").filter({ hasText: "Number is wrong" })
        .filter({ hasText: one }).waitFor();
      await page.getByRole("rowgroup", { name: "To do" }).getByRole("row").filter({ hasText: "Order is wrong" })
        .filter({ hasText: one }).waitFor();
      const link = order.getByRole("link", { name: "Change or close it" });
      assert.equal(await link.getAttribute("href"), `#/operator/orders/${one}`, "each order has its own view");
      await alert("Number is wrong", other).getByRole("button", { name: /^Resume/ }).waitFor();
      await alert("Is wrong", one).getByRole("link", { name: "Pause its orders" }).waitFor();
      const fetch = alert("Is wrong", one).filter({ hasText: "Operators add a new one." });
      assert.equal(await fetch.getByRole("link").count(), 1, "what is not done in a browser has no view");
      await fetch.getByRole("link").click();
      const drawer = page.getByRole("dialog");
      await drawer.getByText("Operators add a new one.").waitFor();
      await drawer.getByRole("button", { name: "Acknowledge" }).click();
      await drawer.getByText("acknowledged").waitFor();
      await drawer.getByRole("button", { name: "Close" }).click();

      await alert("Number is wrong", one).getByRole("checkbox").check();
      await alert("Number is wrong", other).getByRole("checkbox").check();
      await page.getByRole("group", { name: "Selected rows" }).getByRole("button", { name: "Acknowledge" }).click();
      const inHand = page.getByRole("rowgroup", { name: "In hand" }).getByRole("row");
      await inHand.filter({ hasText: "Number is wrong" }).filter({ hasText: one }).waitFor();
      await inHand.filter({ hasText: "Number is wrong" }).filter({ hasText: other }).waitFor();
      assert.equal(await inHand.filter({ hasText: "Order is wrong" }).filter({ hasText: one }).count(), 0);

      // The waiting leads of all vendors are one row.
      const name = /^[\d,]+ leads? without an order$/;
      const leads = page.getByRole("rowgroup", { name: "To do" }).getByRole("row").filter({
        has: page.getByText(name),
      });
      await leads.getByRole("button", { name: /^More about [\d,]+ leads? without an order: \d+ vendors$/ }).click();
      await page.getByRole("menuitem", { name: "Acknowledge" }).click();
      await inHand.filter({ has: page.getByText(name) }).waitFor();
      const states = await sql`select state from public.alerts where kind = 'leads_waiting' and state = 'open'`;
      assert.equal(states.length, 0);
    });
  } finally {
    await sql`delete from public.alerts where subject in ${sql([one, other])}`;
  }
});

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

  await sql`
    update public.text_outbox set reason = 'quiet_hours', due_at = 'infinity' where conversation_id = ${talk.id}`;
  await sql`update public.service_numbers set status = 'active' where phone = ${agent.service}`;
  await sql`update public.recruiting_leads set vendor_metadata = '{"state": "NY"}' where id = ${talk.lead_id}`;
  await page.evaluate(`location.hash = "#/operator/outbox?cause=no_hours"`);
  await page.reload();
  await text.waitFor();
  const close = () => sql`select public.close_hours('NY', null, null, 'the test')`;
  await close();
  try {
    await page.getByRole("button", { name: "Open New York" }).first().click();
    const question = page.getByRole("dialog");
    await question.getByText("Use the hours of the law for New York?").waitFor();
    await question.getByText(/sent when those hours are open/).waitFor();
    await assertAccessible(page);
    await assertFits(page);
    await question.getByRole("link", { name: "See the texts first" }).click();
    await question.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Open New York" }).first().click();
    // So that it is not sent.
    await sql`update public.service_numbers set status = 'paused' where phone = ${agent.service}`;
    await question.getByRole("button", { name: "Open New York" }).click();
    await page.getByText("The hours of the law count for New York.").waitFor();
    assert.equal((await sql`select from public.texting_closures where source = 'the test'`).length, 0);
  } finally {
    await sql`delete from public.texting_closures where source = 'the test'`;
  }
  await page.evaluate(`location.hash = "#/operator/actions"`);
  await page.getByRole("row").filter({ hasText: "Hours set" }).getByText("NY, back to the hours of the law").first()
    .waitFor();
  await sql`
    update public.text_outbox set reason = 'quiet_hours', due_at = 'infinity' where conversation_id = ${talk.id}`;
  await sql`update public.service_numbers set status = 'active' where phone = ${agent.service}`;

  await sql`update public.text_outbox set kind = 'greeting' where conversation_id = ${talk.id}`;
  await sql`
    update public.recruiting_leads set distribution = 'distributed', distributed_at = now() where id = ${talk.lead_id}`;
  await page.evaluate(`location.hash = "#/operator/search/${talk.lead_id}"`);
  await page.getByText("Greeting held: its state has no open hours.").waitFor();
  await page.getByRole("link", { name: "Texts without open hours" }).click();
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
  await page.evaluate(`location.hash = "#/operator/actions"`);
  await page.getByRole("row").filter({ hasText: "Text cancelled" }).getByText("1 message").first().waitFor();

  await sql`
    update public.text_outbox set state = 'failed', reason = '30007' where conversation_id = ${talk.id}`;
  await page.evaluate(`location.hash = "#/operator/outbox/failed/${agent.agency_id}"`);
  await text.getByText("Twilio: 30007, the carrier has taken it for spam").waitFor();
  await page.getByRole("link", { name: "See the agency’s orders" }).click();
  await page.getByRole("region", { name: "Orders and greetings" }).waitFor();
}, PHONE);
