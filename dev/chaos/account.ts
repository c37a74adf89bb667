import { Buffer } from "node:buffer";
import { downloadResume } from "../../e2e/support/applications.ts";
import { sql } from "../../e2e/support/client.ts";
import { loggedErrors } from "../../e2e/support/processes.ts";
import type { Sent } from "./driver.ts";
import { orderFindings } from "./account_orders.ts";
import type { Finding } from "./finding.ts";
import type { Row, Table, Told } from "./traffic.ts";
import type { World } from "./world.ts";

interface Stored {
  key: string;
  id: string;
  agency_id?: string | null;
  agent_id?: string | null;
}

/** How often a row must be there. A request of which nobody knows whether it was stored may have stored it. */
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
    ...await countFindings(world),
    ...await orderFindings(world),
    ...await resumeFindings(world, sent),
  ];
}

function responseFindings(sent: Sent[]): Finding[] {
  const errors = loggedErrors();
  return sent.flatMap((one): Finding[] => {
    const { request: { route, rows }, outcome, wrong, attempts, gotError } = one;
    if (outcome === "wrong") {
      const what = `${route} got ${wrong!.status} ${JSON.stringify(wrong!.body)}`;
      return [{ kind: "wrong response", what, sent: one }];
    }
    if (outcome === "failed") {
      return [{ kind: "lost", what: `${route} failed ${attempts.length} times`, sent: one }];
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
  const rows = new Map(
    [...stored].map(([table, rows]) => [table, new Map(rows.map((row) => [row.key, row]))]),
  );
  const findings: Finding[] = [];
  for (const one of sent) {
    for (const { table, key, id, distributed_to } of one.told) {
      const row = rows.get(table)!.get(key);
      if (row?.id !== id) {
        const what = `${table} ${key}: the response names ${id}, stored is ${row?.id ?? "nothing"}`;
        findings.push({ kind: "lost", what, sent: one });
      } else if (distributed_to && !isSame(distributed_to, row)) {
        const what = `lead ${id}: the response names another agency or agent than is stored`;
        findings.push({ kind: "wrongly charged", what, sent: one });
      }
    }
  }
  return findings;
}

function isSame(told: NonNullable<Told["distributed_to"]>, row: Stored): boolean {
  return told.agency_id === row.agency_id && told.agent_id === row.agent_id;
}

async function readStored(world: World): Promise<Map<Table, Stored[]>> {
  const conversationIds = world.conversations.map(({ id }) => id);
  const [leads, salesLeads, activities, messages, unmatched, events] = await Promise.all([
    sql<Stored[]>`
      select first_name as key, id, agency_id, agent_id from public.recruiting_leads
      where vendor_id in ${sql(world.vendorIds)}`,
    sql<Stored[]>`
      select external_id as key, id from public.leads
      where agency_id = ${world.target.agency_id} and id not in ${sql(world.salesLeadIds)}`,
    sql<Stored[]>`
      select lead_id || ' ' || type as key, id from public.lead_activities
      where agent_id = ${world.target.agent_id}`,
    sql<Stored[]>`
      select provider_message_id as key, id from public.recruiting_messages
      where conversation_id in ${sql(conversationIds)} and direction = 'inbound'`,
    sql<Stored[]>`
      select message_sid as key, id from public.unmatched_texts where body like 'Text %'`,
    sql<Stored[]>`
      select provider_message_id as key, id from public.recruiting_message_events
      where provider_message_id in (
        select provider_message_id from public.recruiting_messages
        where conversation_id in ${sql(conversationIds)} and direction = 'outbound'
      )`,
  ]);
  return new Map<Table, Stored[]>([
    ["recruiting_leads", leads],
    ["leads", salesLeads],
    ["lead_activities", activities],
    ["recruiting_messages", messages],
    ["unmatched_texts", unmatched],
    ["recruiting_message_events", events],
  ]);
}

/** Whether what is counted by triggers agrees with the rows, and the last status of a message with its callbacks. */
async function countFindings({ target, conversations }: World): Promise<Finding[]> {
  const metrics = await sql`
    select l.id
    from public.leads l
    left join public.lead_metrics m on m.lead_id = l.id
    left join lateral (
      select
        count(*) filter (where type = 'presentation_started') as started,
        count(*) filter (where type = 'presentation_resumed') as resumed,
        count(*) filter (where type = 'presentation_paused') as paused
      from public.lead_activities a
      where a.lead_id = l.id
    ) a on true
    where l.agency_id = ${target.agency_id}
      and (m.presentations_started, m.presentations_resumed, m.presentations_paused)
        is distinct from (a.started, a.resumed, a.paused)`;
  const alone = await sql`
    select lead_id from public.lead_metrics m
    where not exists (select from public.leads l where l.id = m.lead_id)`;
  const messages = await sql`
    select m.provider_message_id as sid
    from public.recruiting_messages m
    where m.conversation_id in ${sql(conversations.map(({ id }) => id))}
      and m.direction = 'outbound'
      and m.status is distinct from (
        select e.status from public.recruiting_message_events e
        where e.provider_message_id = m.provider_message_id
        order by e.received_at desc limit 1
      )`;
  const orphaned = (what: string): Finding => ({ kind: "orphaned", what });
  return [
    ...metrics.map(({ id }) => orphaned(`the metrics of lead ${id} are missing or count wrong`)),
    ...alone.map(({ lead_id }) => orphaned(`there are metrics of ${lead_id}, and no such lead`)),
    ...messages.map(({ sid }) =>
      orphaned(`the status of message ${sid} is not that of its callback`)
    ),
  ];
}

/** Whether each resume has its lead, and each lead the resume that was sent. */
async function resumeFindings({ vendorIds }: World, sent: Sent[]): Promise<Finding[]> {
  const orphaned = (what: string): Finding => ({ kind: "orphaned", what });
  const objects = await sql`
    select o.name from storage.objects o
    where o.bucket_id = 'resumes' and split_part(o.name, '/', 1) in ${sql(vendorIds)}
      and not exists (select from public.recruiting_leads l where l.resume_path = o.name)`;
  const leads = await sql`
    select first_name, resume_path from public.recruiting_leads where vendor_id in ${
    sql(vendorIds)
  }`;
  const paths = new Map(leads.map(({ first_name, resume_path }) => [first_name, resume_path]));
  const wrong: Finding[] = [];
  const rows = sent.flatMap((one) =>
    one.request.rows.filter(({ resume }) => resume !== undefined)
      .map((row) => ({ row: row as Required<Row>, sent: one }))
  ).values();
  await Promise.all(Array.from({ length: 4 }, async () => {
    for (const { row: { key, resume }, sent } of rows) {
      // A lead that is not there is counted as lost.
      if (!paths.has(key)) continue;
      const path = paths.get(key);
      const bytes = path === null ? null : await downloadResume(path).catch(() => null);
      if (bytes !== null && Buffer.compare(bytes, resume) === 0) continue;
      wrong.push({ ...orphaned(`the resume of ${key} is missing or another (${path})`), sent });
    }
  }));
  return [
    ...objects.map(({ name }) => orphaned(`the resume ${name} has no lead`)),
    ...wrong,
  ];
}
