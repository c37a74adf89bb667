import { sql } from "../../e2e/support/client.ts";
import { loggedErrors } from "../../e2e/support/processes.ts";
import type { Sent } from "./driver.ts";
import type { Finding } from "./report.ts";
import { type Table, TABLES } from "./request.ts";
import type { World } from "./world.ts";

interface Stored {
  key: string;
  id: string;
  agency_id?: string | null;
  agent_id?: string | null;
}

/**
 * The number of times that a row must be there. A request of which nobody knows whether it was stored may have stored
 * it.
 */
interface Expected {
  least: number;
  most: number;
  sent: Sent;
}

/** Compares what was sent with what is stored, and what is stored with itself. */
export async function takeAccount(world: World, sent: Sent[]): Promise<Finding[]> {
  const stored = await readStored(world);
  return [
    ...responseFindings(sent),
    ...rowFindings(sent, stored),
    ...toldFindings(sent, stored),
    ...await orphaned(world, sent),
    ...await wronglyCharged(world),
  ];
}

function responseFindings(sent: Sent[]): Finding[] {
  const errors = loggedErrors();
  return sent.flatMap((one): Finding[] => {
    const { request: { route, rows }, outcome, wrong, statuses, gotError } = one;
    if (outcome === "wrong") {
      const what = `${route} got ${wrong!.status} ${JSON.stringify(wrong!.body)}`;
      return [{ kind: "wrong response", what, sent: one }];
    }
    if (outcome === "failed") {
      return [{ kind: "lost", what: `${route} failed: ${statuses.join()}`, sent: one }];
    }
    // An operator fetches such a text from Twilio by the MessageSid in the log.
    if (gotError && !errors.includes(rows[0]!.key)) {
      return [{ kind: "lost", what: `${route}: ${rows[0]!.key} is not in the log`, sent: one }];
    }
    return [];
  });
}

/** Whether each row is there, once. */
function rowFindings(sent: Sent[], stored: Map<Table, Stored[]>): Finding[] {
  const findings: Finding[] = [];
  for (const [table, rows] of stored) {
    const counts = new Map<string, number>();
    for (const { key } of rows) counts.set(key, (counts.get(key) ?? 0) + 1);
    const expected = expectedRows(sent, table);
    for (const [key, { least, most, sent }] of expected) {
      const count = counts.get(key) ?? 0;
      const what = `${table} ${key}: ${count} stored, ${least} sent (${sent.request.route})`;
      if (count < least) findings.push({ kind: "lost", what, sent });
      if (count > most) findings.push({ kind: "doubled", what, sent });
    }
    for (const [key, count] of counts) {
      if (expected.has(key)) continue;
      findings.push({ kind: "doubled", what: `${table} ${key}: ${count} stored, none sent` });
    }
  }
  return findings;
}

function expectedRows(sent: Sent[], table: Table): Map<string, Expected> {
  const expected = new Map<string, Expected>();
  // A request that is sent again on purpose stores nothing more. Activities alone have no ids.
  const isCounted = table === "lead_activities";
  for (const one of sent) {
    for (const { key } of one.request.rows.filter((row) => row.table === table)) {
      const { least, most } = expected.get(key) ?? { least: 0, most: 0 };
      const known = one.outcome === "done" ? 1 : 0;
      expected.set(key, {
        least: isCounted ? least + known : Math.max(least, known),
        most: isCounted ? most + 1 : 1,
        sent: one,
      });
    }
  }
  return expected;
}

/** Whether the ids, agencies and agents that the responses name are those stored. */
function toldFindings(sent: Sent[], stored: Map<Table, Stored[]>): Finding[] {
  const rows = new Map([...stored].map(([table, rows]) => [table, new Map(rows.map((row) => [row.key, row]))]));
  const findings: Finding[] = [];
  for (const one of sent) {
    for (const { table, key, id, distributed_to } of one.told) {
      const row = rows.get(table)!.get(key);
      if (row?.id !== id) {
        const what = `${table} ${key}: the response names ${id}, stored is ${row?.id ?? "nothing"}`;
        findings.push({ kind: "lost", what, sent: one });
      } else if (
        distributed_to && (distributed_to.agency_id !== row.agency_id || distributed_to.agent_id !== row.agent_id)
      ) {
        const what = `lead ${id}: the response names another agency or agent than is stored`;
        findings.push({ kind: "wrongly charged", what, sent: one });
      }
    }
  }
  return findings;
}

async function readStored(world: World): Promise<Map<Table, Stored[]>> {
  const conversationIds = sql(world.conversations.map(({ id }) => id));
  const rows = await sql<(Stored & { table: Table })[]>`
    select 'recruiting_leads' as table, first_name as key, id, agency_id, agent_id
    from public.recruiting_leads where vendor_id in ${sql(world.vendorIds)}
    union all
    select 'leads', external_id::text, id, null, null
    from public.leads
    where agency_id = ${world.target.agency_id} and id not in ${sql(world.salesLeadIds)}
    union all
    select 'lead_activities', lead_id || ' ' || type, id, null, null
    from public.lead_activities where agent_id = ${world.target.agent_id}
    union all
    select 'recruiting_messages', provider_message_id, id, null, null
    from public.recruiting_messages
    where conversation_id in ${conversationIds} and direction = 'inbound'
    union all
    select 'unmatched_texts', message_sid, id, null, null
    from public.unmatched_texts where body like 'Text %'
    union all
    select 'recruiting_message_events', e.provider_message_id, e.id, null, null
    from public.recruiting_message_events e
    join public.recruiting_messages m using (provider_message_id)
    where m.conversation_id in ${conversationIds} and m.direction = 'outbound'`;
  return new Map(TABLES.map((name) => [name, rows.filter(({ table }) => table === name)]));
}

/** Whether each resume has its lead, each lead the resume that was sent with it, and each message its last status. */
async function orphaned({ conversations, vendorIds }: World, sent: Sent[]): Promise<Finding[]> {
  const withResume = sent.flatMap(({ request }) => request.rows)
    .filter(({ hasResume }) => hasResume).map(({ key }) => key);
  const rows = await sql<{ what: string }[]>`
    select 'the resume ' || o.name || ' has no lead' as what
    from storage.objects o
    where o.bucket_id = 'resumes' and split_part(o.name, '/', 1) in ${sql(vendorIds)}
      and not exists (select from public.recruiting_leads l where l.resume_path = o.name)
    union all
    select l.first_name || ' has no resume'
    from public.recruiting_leads l
    where l.vendor_id in ${sql(vendorIds)} and l.first_name = any(${withResume})
      and not exists (select from storage.objects o where o.bucket_id = 'resumes' and o.name = l.resume_path)
    union all
    select 'the status of message ' || m.provider_message_id || ' is not that of its callback'
    from public.recruiting_messages m
    where m.conversation_id in ${sql(conversations.map(({ id }) => id))}
      and m.direction = 'outbound'
      and m.status is distinct from (
        select e.status from public.recruiting_message_events e
        where e.provider_message_id = m.provider_message_id
        order by e.received_at desc limit 1
      )`;
  return rows.map(({ what }) => ({ kind: "orphaned", what }));
}

/** Whether each order has what it is charged with, and no lead waits while an order wants it. */
async function wronglyCharged({ orderIds, vendorIds }: World): Promise<Finding[]> {
  const rows = await sql<{ what: string }[]>`
    select format('the agents of order %s got between %s and %s leads', o.id, min(t.leads), max(t.leads)) as what
    from public.recruiting_orders o
    cross join lateral (
      select (select count(*) from public.recruiting_leads l where l.agent_id = a.id) as leads
      from public.agents a where a.agency_id = o.agency_id and a.accepts_recruits
    ) t
    where o.id in ${sql(orderIds)}
    group by o.id
    having max(t.leads) - min(t.leads) > 1
    union all
    -- The last order of each vendor takes any lead, so none may wait.
    select format('lead %s is %s while an open order wants it', id, distribution)
    from public.recruiting_leads
    where vendor_id in ${sql(vendorIds)} and distribution in ('pending', 'unmatched')`;
  const all = [...await miscounted(orderIds), ...rows.map(({ what }) => what)];
  return all.map((what) => ({ kind: "wrongly charged", what }));
}

/** The orders whose counts are not those of their leads: in all, and on each day. */
export async function miscounted(orderIds: string[]): Promise<string[]> {
  const rows = await sql<{ what: string }[]>`
    with orders as (
      select o.*, (select count(*) from public.recruiting_leads l where l.order_id = o.id) as leads
      from public.recruiting_orders o where o.id in ${sql(orderIds)}
    )
    select format('order %s counts %s leads of %s and has %s', id, filled, quantity, leads) as what
    from orders where filled <> leads or leads > quantity
    union all
    select format('order %s got %s leads in a day, and its daily cap is %s', o.id, count(*), o.daily_cap)
    from orders o
    join public.agencies a on a.id = o.agency_id
    join public.recruiting_leads l on l.order_id = o.id
    where o.daily_cap is not null
    group by o.id, o.daily_cap, (l.distributed_at at time zone a.timezone)::date
    having count(*) > o.daily_cap
    union all
    select format('a day of order %s counts %s leads and has %s', order_id, kept, counted)
    from public.check_daily_counts()`;
  return rows.map(({ what }) => what);
}
