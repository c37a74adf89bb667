import { Buffer } from "node:buffer";
import { downloadResume } from "../../e2e/support/applications.ts";
import { sql } from "../../e2e/support/client.ts";
import { loggedErrors } from "../../e2e/support/processes.ts";
import type { Sent } from "./driver.ts";
import { checkRows } from "./account_checks.ts";
import type { Finding } from "./report.ts";
import { type Table, TABLES, type Told } from "./request.ts";
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
    ...await checkRows(world),
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

/** Whether each lead has the resume that was sent. */
async function resumeFindings({ vendorIds }: World, sent: Sent[]): Promise<Finding[]> {
  const leads = await sql`
    select first_name, resume_path from public.recruiting_leads where vendor_id in ${
    sql(vendorIds)
  }`;
  const paths = new Map(leads.map(({ first_name, resume_path }) => [first_name, resume_path]));
  const findings: Finding[] = [];
  const rows = sent.flatMap((one) => one.request.rows.map((row) => ({ ...row, sent: one })))
    // A lead that is not there is counted as lost.
    .filter(({ key, resume }) => resume !== undefined && paths.has(key))
    .values();
  await Promise.all(Array.from({ length: 4 }, async () => {
    for (const { key, resume, sent } of rows) {
      const path = paths.get(key);
      const bytes = path === null ? null : await downloadResume(path).catch(() => null);
      if (bytes !== null && Buffer.compare(bytes, resume!) === 0) continue;
      const what = `the resume of ${key} is missing or another (${path})`;
      findings.push({ kind: "orphaned", what, sent });
    }
  }));
  return findings;
}
