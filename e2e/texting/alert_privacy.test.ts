/** The messages about alerts have no name, number or word of a person, whatever people and vendors send. */
import assert from "node:assert/strict";
import fc, { character } from "fast-check";
import { createAgency, createVendor, sql } from "../support/client.ts";
import { newPhone } from "../support/sms.ts";
import { receiver } from "./alert_receiver.ts";
import { createConversation, double, queueText, work } from "./texts.ts";

const AWKWARD = [`"}],"`, "<!channel>", "\\u0000", "'; --", "{agent}", "%s", "${name}", "\n\n", "üñí", "😀"].join("");

/** Texts that none of our sentences has by chance, and that are awkward in JSON, SQL and messages of Slack. */
const words = fc.string({ unit: character, minLength: 6, maxLength: 40 })
  .map((text) => `Zyx${AWKWARD}${text}`.replaceAll("\0", "").toWellFormed());

const people = fc.record({ first: words, last: words, email: words, body: words, street: words });

type Person = typeof people extends fc.Arbitrary<infer Value> ? Value : never;

/** Whose conditions they are. */
interface Trouble {
  agency_id: string;
  vendor_ids: string[];
}

/** Makes a person part of the condition of each kind of alert. */
async function makeTrouble(person: Person): Promise<Trouble> {
  const { id: agency_id, agent_ids: [agent_id] } = await createAgency();
  const [vendor, silent] = [await createVendor(), await createVendor()];
  const vendor_ids = [vendor.id, silent.id];
  await sql`
    update public.agents
    set first_name = ${person.first}, last_name = ${person.last}, email = ${person.email}, phone = ${newPhone()}
    where id = ${agent_id!}`;
  await sql`update public.agencies set opens_at = '00:00', closes_at = '24:00' where id = ${agency_id}`;

  // leads_waiting, vendor_silent
  const metadata = { last_name: person.last, phone: newPhone(), email: person.email, answers: [{ said: person.body }] };
  await sql`
    insert into public.recruiting_leads
      (vendor_id, first_name, vendor_metadata, vendor_lead_id, distribution, created_at)
    values (${vendor.id}, ${person.first}, ${
    sql.json(metadata)
  }, ${person.street}, 'unmatched', now() - interval '1 hour'),
      (${silent.id}, ${person.first}, ${sql.json(metadata)}, null, 'not_requested', now() - interval '1 day')`;
  await sql`
    update public.vendors set silent_after = '1 hour', created_at = now() - interval '2 days' where id = ${silent.id}`;
  // deliveries_rejected
  await sql`
    insert into public.rejected_deliveries
      (request_id, route, vendor_id, vendor_lead_id, code, reason, payload, payload_text, payload_bytes, context)
    select 'test', '/recruiting/ingest', ${vendor.id}, ${person.street}, 'BAD_REQUEST', ${person.first},
      ${sql.json(metadata)}, ${person.body}, 100, ${sql.json(metadata)}
    from generate_series(1, 12)`;
  // fetch_refused
  await sql`
    insert into private.lead_fetches (vendor_id, leadgen_id, notice, request_id, due_at, held_since, reason)
    values (${vendor.id}, ${String(Math.random()).slice(2)}, ${
    sql.json(metadata)
  }, 'test', 'infinity', now(), 'code 190')`;
  // destination_failing
  await sql`
    insert into public.destinations (agency_id, name, kind, url, events, failing_since, failures)
    values (${agency_id}, 'crm', 'webhook', 'https://crm.example.com', '{}', now() - interval '2 hours', 9)`;
  // key_expires
  await sql`
    update public.vendor_api_keys set expires_at = now() + interval '1 day' where vendor_id = ${vendor.id}`;
  // order_nearly_filled, order_filled, order_stalled
  await sql`
    insert into public.recruiting_orders (agency_id, vendor_id, quantity, filled, status, starts_at, ends_at)
    values (${agency_id}, ${vendor.id}, 10, 9, 'open', null, null),
      (${agency_id}, ${vendor.id}, 10, 10, 'filled', null, null),
      (${agency_id}, ${vendor.id}, 10, 1, 'open', now() - interval '2 days', now() - interval '1 day')`;
  // number_paused, opt_out_unmatched
  const [paused, phone] = [newPhone(), newPhone()];
  await sql`
    insert into public.service_numbers (phone, agency_id, status, segments_per_second)
    values (${paused}, ${agency_id}, 'paused', 1), (${phone}, ${agency_id}, 'active', 1000)`;
  await sql`
    insert into public.unmatched_texts (message_sid, recruit_phone, service_phone, body, opt_out_type)
    values (${crypto.randomUUID()}, ${newPhone()}, ${phone}, ${person.body}, 'STOP')`;
  // recruit_waiting, texts_failing
  const conversation = await createConversation({ agency_id, phone });
  await sql`
    insert into public.recruiting_messages (conversation_id, direction, sender_type, body, created_at)
    values (${conversation.id}, 'inbound', 'recruit', ${person.body}, now() - interval '10 days')`;
  for (let text = 0; text < 20; text++) {
    const id = await queueText(conversation, `${person.body} ${text}`);
    await sql`update public.text_outbox set state = 'failed', attempted_at = now() where message_id = ${id}`;
    await sql`update public.recruiting_messages set status = 'failed', failed_at = now() where id = ${id}`;
  }
  await sql`
    update public.recruiting_conversations
    set waiting_since = now() - interval '10 days', status = 'escalated', assigned_agent_id = ${agent_id!}
    where id = ${conversation.id}`;
  // texts_held
  const held = await queueText(await createConversation({ agency_id, phone }), person.body);
  await sql`
    update public.text_outbox
    set due_at = 'infinity', first_due_at = 'infinity', created_at = now() - interval '3 days'
    where message_id = ${held}`;
  // texts_stuck, worker_late
  const stuck = await queueText(await createConversation({ agency_id, phone }), person.body);
  await sql`
    update public.text_outbox set due_at = now() - interval '1 hour', first_due_at = now() - interval '1 hour'
    where message_id = ${stuck}`;
  await sql`
    insert into private.job_runs (job, started_at) values ('send texts', now() - interval '1 hour')
    on conflict (job) do update set started_at = excluded.started_at`;
  return { agency_id, vendor_ids };
}

/** Ends the conditions that would last. */
async function endTrouble({ agency_id, vendor_ids }: Trouble): Promise<void> {
  await sql`update public.service_numbers set status = 'active' where agency_id = ${agency_id}`;
  await sql`update public.recruiting_orders set status = 'closed' where agency_id = ${agency_id}`;
  await sql`update public.recruiting_conversations set waiting_since = null where agency_id = ${agency_id}`;
  await sql`
    delete from public.text_outbox where conversation_id in (
      select id from public.recruiting_conversations where agency_id = ${agency_id})`;
  await sql`delete from public.destinations where agency_id = ${agency_id}`;
  await sql`update public.vendors set is_active = false where id in ${sql(vendor_ids)}`;
  await sql`delete from public.rejected_deliveries where vendor_id in ${sql(vendor_ids)}`;
  await sql`
    delete from public.unmatched_texts where service_phone in (
      select phone from public.service_numbers where agency_id = ${agency_id})`;
}

/** All that the database has of the people of an agency and of vendors' leads, as texts. */
async function personalValues(
  { agency_id, vendor_ids }: { agency_id: string; vendor_ids: string[] },
): Promise<string[]> {
  const rows = await sql<{ value: string }[]>`
    with rows (value) as (
      select to_jsonb(array[a.first_name, a.last_name, a.email, a.phone])
      from public.agents a where a.agency_id = ${agency_id}
      union all
      select jsonb_build_array(l.first_name, l.vendor_metadata, l.vendor_lead_id) from public.recruiting_leads l
      where l.vendor_id in ${sql(vendor_ids)}
      union all
      select jsonb_build_array(r.vendor_lead_id, r.reason, r.payload, r.payload_text, r.context)
      from public.rejected_deliveries r where r.vendor_id in ${sql(vendor_ids)}
      union all
      select to_jsonb(c.recruit_phone) from public.recruiting_conversations c where c.agency_id = ${agency_id}
      union all
      select to_jsonb(m.body) from public.recruiting_messages m
      join public.recruiting_conversations c on c.id = m.conversation_id where c.agency_id = ${agency_id}
      union all
      select jsonb_build_array(u.recruit_phone, u.body) from public.unmatched_texts u
      join public.service_numbers n on n.phone = u.service_phone where n.agency_id = ${agency_id}
      union all
      select to_jsonb(e.phone) from public.text_consents e where e.agency_id = ${agency_id}
    )
    select distinct v #>> '{}' as value
    from rows r cross join lateral jsonb_path_query(r.value, 'strict $.**') v
    where jsonb_typeof(v) = 'string'`;
  return rows.map(({ value }) => value);
}

Deno.test("no kind of alert has a name, a number or a word of a person", async () => {
  double.callBack({ statuses: [] });
  // The last worker of another test may have had no receiver.
  await work();
  const kinds = (await sql`select kind from public.alert_rules order by kind`).map(({ kind }) => kind);
  await fc.assert(
    fc.asyncProperty(people, async (person) => {
      await sql`delete from public.alerts`;
      await sql`delete from private.dispatches`;
      receiver.requests.length = 0;
      const trouble = await makeTrouble(person);
      try {
        await sql`select private.check_alerts()`;
        const values = await personalValues(trouble);
        assert(values.length > 20, "there is somebody to find");
        while ((await sql`select private.is_alert_due() or private.is_dispatch_due() as due`)[0]!.due) await work();

        const bodies = receiver.requests.map(({ body, headers }) => `${JSON.stringify(headers)} ${body}`);
        const sent = new Set(receiver.requests.filter(({ body }) => body).map(({ body }) => JSON.parse(body).kind));
        assert.deepEqual([...sent].sort(), kinds, "each kind was sent");
        for (const value of values) {
          const escaped = JSON.stringify(value).slice(1, -1);
          const body = bodies.find((body) => body.includes(value) || body.includes(escaped));
          assert.equal(body, undefined, `${JSON.stringify(value)} was sent`);
        }
      } finally {
        await endTrouble(trouble);
      }
    }),
    // A run takes seconds, and far more beside other tests.
    { numRuns: 2, interruptAfterTimeLimit: 300_000 },
  );
  double.callBack();
});
