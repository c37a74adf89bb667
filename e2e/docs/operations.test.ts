/** Every command in docs/operations.md does what the page says. */
import assert from "node:assert/strict";
import { TwilioDouble } from "../../dev/testing/twilio/double.ts";
import { send, sql, withoutOpenOrders } from "../support/client.ts";
import { testPage, type Variables } from "../support/docs.ts";
import { eventually } from "../support/processes.ts";

/** Takes away what the commands of the page make. */
async function removeWhatCommandsMake(): Promise<void> {
  const phone = "+13125550163";
  const agencies = sql`select id from public.agencies where name = 'Prairie Life'`;
  const vendors = sql`select id from public.vendors where slug = 'acme'`;
  await sql`delete from public.unmatched_texts where recruit_phone = ${phone}`;
  await sql`delete from public.recruiting_conversations where recruit_phone = ${phone}`;
  await sql`delete from public.recruiting_leads where vendor_id in (${vendors})`;
  await sql`delete from public.recruiting_orders where agency_id in (${agencies})`;
  await sql`delete from public.service_numbers where agency_id in (${agencies})`;
  await sql`delete from public.text_consents where agency_id in (${agencies})`;
  await sql.begin(async (transaction) => {
    // The proof of a consent may not be deleted; but then the agency cannot be, either.
    await transaction`set local session_replication_role = replica`;
    await transaction`delete from public.text_consent_events where agency_id in (
      select id from public.agencies where name = 'Prairie Life')`;
  });
  await sql`delete from public.agents where agency_id in (${agencies})`;
  await sql`delete from auth.users where email in ('olivia@example.com', 'nora@example.com')`;
  await sql`delete from public.agencies where name = 'Prairie Life'`;
  await sql`delete from public.vendors where slug = 'acme'`;
}

/** Stands for Twilio. */
let twilio: TwilioDouble | undefined;

/** The events before an operator follows a recipe, by its heading. */
const BEFORE: Record<string, (terminal: Variables) => Promise<void>> = {
  "A vendor that cannot send a key": (terminal) => {
    terminal.WEBHOOK_SECRET = "whsec_Zm9yIHRoZSB3ZWJob29r";
    return Promise.resolve();
  },
  "Who may use the operators' page": async () => {
    await sql`update auth.users set email_confirmed_at = now() where email = 'nora@example.com'`;
  },
  "A parser or mapping was wrong for a week": async ({ VENDOR_API_KEY }) => {
    for (
      const body of [{ ref: "1", who: "Ann", tel: "(312) 555-0171" }, { ref: "2", who: "Bob" }, { ref: "3" }]
    ) {
      const headers = { authorization: `Bearer ${VENDOR_API_KEY}` };
      const { status } = await send("/recruiting/ingest", { headers, body });
      assert.equal(status, 400);
    }
    await eventually(5, async () => assert.equal((await deliveries()).length, 3));
  },
  "A recruit asks to be forgotten": async () => {
    await sql`
      insert into public.recruiting_leads (vendor_id, first_name, vendor_metadata)
      select id, 'Rosa', '{"phone": "+13125550177", "email": "rosa@example.com"}'
      from public.vendors where slug = 'acme'`;
  },
  "Postgres was away": async (terminal) => {
    twilio = await TwilioDouble.start();
    Object.assign(terminal, twilio.settings);
    const [from, to] = ["+13125550163", "+13125550110"];
    twilio.receive({ from, to, body: "I can start on Monday" });
  },
};

/** The assertions after a recipe, by its heading. */
const AFTER: Record<string, () => Promise<void>> = {
  "From an empty database to the first lead": async () => {
    assert.deepEqual(await leads(), ["Ada distributed"]);
    const [login] = await sql`
      select u.email from public.agents a join public.agencies g on g.id = a.agency_id
      join auth.users u on u.id = a.user_id where g.name = 'Prairie Life'`;
    assert.equal(login!.email, "olivia@example.com");
  },
  "Leads in a file": async () => {
    assert.deepEqual(await leads(), ["Ada distributed", "Grace unmatched"]);
  },
  "A vendor that cannot send a key": async () => {
    const secrets = await sql`
      select s.label, s.revoked_at is null as works from private.vendor_webhook_secrets s
      join public.vendors v on v.id = s.vendor_id where v.slug = 'acme' order by s.created_at`;
    assert.deepEqual(secrets.map(({ label, works }) => [label, works]), [["console", false], ["from 2027", true]]);
  },
  "A parser or mapping was wrong for a week": async () => {
    assert.deepEqual(await leads(), ["Ada distributed", "Ann unmatched", "Bob unmatched", "Grace unmatched"]);
    assert.deepEqual(await deliveries(), ["replayed", "replayed", "dismissed"]);
    const [ann] = await sql`
      select l.phone from public.recruiting_leads l join public.vendors v on v.id = l.vendor_id
      where v.slug = 'acme' and l.first_name = 'Ann'`;
    assert.equal(ann!.phone, "+13125550171");
  },
  "An order opened late": async () => {
    assert.deepEqual(await leads(), ["Ada distributed", "Ann distributed", "Bob distributed", "Grace distributed"]);
  },
  "A recruit asks to be forgotten": async () => {
    const names = (await leads()).map((lead) => lead.split(" ", 1)[0]);
    assert.deepEqual(names, ["(erased)", "Ada", "Ann", "Bob", "Grace"]);
  },
  "Postgres was away": async () => {
    assert.deepEqual(await texts(), ["Is the job still open?", "I can start on Monday"]);
  },
};

async function leads(): Promise<string[]> {
  const rows = await sql`
    select l.first_name || ' ' || l.distribution as lead
    from public.recruiting_leads l join public.vendors v on v.id = l.vendor_id
    where v.slug = 'acme' order by l.first_name`;
  return rows.map(({ lead }) => lead);
}

async function deliveries(): Promise<string[]> {
  const rows = await sql`
    select d.status from public.rejected_deliveries d join public.vendors v on v.id = d.vendor_id
    where v.slug = 'acme' order by d.received_at`;
  return rows.map(({ status }) => status);
}

async function texts(): Promise<string[]> {
  const rows = await sql`
    select m.body
    from public.recruiting_messages m join public.recruiting_conversations c on c.id = m.conversation_id
    where c.recruit_phone = '+13125550163' order by m.created_at`;
  return rows.map(({ body }) => body);
}

testPage("docs/operations.md", {
  clean: removeWhatCommandsMake,
  before: BEFORE,
  after: AFTER,
  around: (run) => withoutOpenOrders(run).finally(() => twilio?.stop()),
});
