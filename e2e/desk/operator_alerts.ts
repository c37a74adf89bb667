// Alerts, each of which leads to where it is mended.
import assert from "node:assert/strict";
import { signInNewOperator } from "../support/agents.ts";
import { sql } from "../support/client.ts";
import { phoneText } from "../../desk/ui/phone.ts";
import { assertAccessible, assertFits, deskTest, PHONE, signIn } from "./harness.ts";
import { createTalk, createTexter } from "./talks.ts";

deskTest("each kind of alert says what to do, and leads there", async (page) => {
  const subject = `${crypto.randomUUID()}`;
  const views = {
    "Texts that are not sent": "#/operator/outbox",
    "Paused numbers": "#/operator/numbers",
    "Waiting leads": "#/operator/waiting",
    "Rejected deliveries": "#/operator/deliveries",
    "Leads that are not fetched": "The people who run the service add a new one.",
    "Silent vendors": "#/operator/vendors",
    "Orders that are nearly full": `#/operator/orders/${subject}`,
    "Full orders": `#/operator/orders/${subject}`,
    "Orders that can't fill": `#/operator/orders/${subject}`,
    "Recruits who wait": "#/operator/recruits",
    "Texts that fail": `#/operator/outbox/failed/${subject}`,
    "Keys of vendors": "#/operator/vendors",
    "Opt-outs for nobody": "#/operator/texts",
    "Sending texts": "#/operator/outbox",
  };
  const operator = await signInNewOperator();
  // Older than those of other tests, of which there are more than the page shows.
  await sql`
    insert into public.alerts (kind, subject, opened_at, details)
    select kind, ${subject}, '2020-01-01', '{"since": "2020-01-01T00:00:00Z"}' from public.alert_rules`;
  try {
    await sql.begin(async (sql) => {
      // A check would resolve them.
      await sql`select from private.job_runs where job = 'check alerts' for update`;
      await signIn(page, operator, "operator");
      for (const [title, view] of Object.entries(views)) {
        const section = page.locator("section.findings").filter({
          has: page.getByRole("heading", { name: title, exact: true }),
        });
        const alert = section.getByRole("listitem").filter({ hasText: subject.slice(0, 8) });
        await alert.getByText("Since Jan 1, 2020").waitFor();
        if (!view.startsWith("#")) await section.getByText(view).waitFor();
        else assert.equal(await section.locator(`a[href="${view}"]`).count(), 1, title);
        assert.equal(await section.locator("code").count(), 0, "no command stands in place of an act");
      }
    });
  } finally {
    await sql`delete from public.alerts where subject = ${subject}`;
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
  const number = page.getByRole("listitem").filter({ hasText: phoneText(agent.service) });
  await number.getByRole("link", { name: "1 text waits to be sent" }).click();
  await page.getByRole("region", { name: "Texts" }).waitFor();
  const text = page.getByRole("row").filter({ hasText: phoneText(talk.recruit) });
  // Other tests leave texts, too.
  while (await text.count() === 0) await page.getByRole("button", { name: "Show more" }).click();
  await text.getByText("its number is paused: the campaign is not registered").waitFor();
  assert.equal(await page.getByText("A secret between us").count(), 0);
  await assertAccessible(page);
  await assertFits(page);

  await sql`
    update public.text_outbox set state = 'failed', reason = '30007' where conversation_id = ${talk.id}`;
  await page.evaluate(`location.hash = "#/operator/outbox/failed/${agent.agency_id}"`);
  await text.getByText("Twilio: 30007, the carrier has taken it for spam").waitFor();
  await page.getByRole("link", { name: "See the agency’s orders" }).click();
  await page.getByRole("heading", { name: /^Orders/ }).waitFor();
}, PHONE);
