import type postgres from "postgres";
import { explained } from "../errors.ts";
import { findVendorId } from "../find.ts";
import type { Outcome, Session } from "../session.ts";
import { formatTable } from "../table.ts";
import { dryRunnable } from "../transaction.ts";

/** New leads wait while a batch is handed out. */
const BATCH = 100;

/** Hands out what waits, in batches, until nothing that waits is wanted. A dry run is one batch. */
export async function distributeLeads(
  { sql, progress }: Session,
  { vendor, max = Infinity, dryRun = false }: { vendor?: string; max?: number; dryRun?: boolean },
): Promise<Outcome> {
  const vendorId = await findVendorId(sql, vendor);
  const leads: postgres.Row[] = [];
  while (leads.length < max) {
    const batch = await distributeBatch(sql, vendorId, Math.min(BATCH, max - leads.length), dryRun);
    leads.push(...batch);
    progress(`${leads.length} handed out`);
    if (batch.length === 0 || dryRun) break;
  }
  const [{ waiting }] = await sql<[{ waiting: number }]>`
    select count(*)::int as waiting from public.waiting_lead_list
    where ${vendorId}::uuid is null or vendor_id = ${vendorId}`;
  const summary = dryRun
    ? `Dry run: nothing was changed. These would be handed out first: ${leads.length} of the ${waiting} that wait.`
    : `Handed out ${leads.length}; ${waiting} still wait.`;
  return {
    data: { dry_run: dryRun, handed_out: leads.length, waiting, leads },
    text: leads.length > 0 ? `${formatTable(leads)}\n\n${summary}` : summary,
  };
}

/** Hands out at most so many leads, and returns where each of them went. */
async function distributeBatch(
  sql: postgres.Sql,
  vendorId: string | null,
  max: number,
  dryRun: boolean,
): Promise<postgres.Row[]> {
  const batch = dryRunnable(sql, dryRun, async (transaction) => {
    // Whatever is handed out from here on until the end is this call's.
    await transaction`set local lock_timeout = '5s'`;
    await transaction`select pg_advisory_xact_lock(private.distribution_lock())`;
    const [{ start }] = await transaction<[{ start: string }]>`
      select clock_timestamp()::text as start`;
    await transaction`select public.distribute_waiting_leads(${max}, ${vendorId})`;
    return await transaction`
      select l.id, v.slug as vendor, concat_ws(' ', l.first_name, l.last_name) as name, l.state,
        g.name as agency, concat_ws(' ', a.first_name, a.last_name) as agent, l.order_id
      from public.recruiting_orders o
      join public.recruiting_leads l
        on l.agency_id = o.agency_id and l.order_id = o.id and l.distributed_at >= ${start}::timestamptz
      join public.vendors v on v.id = l.vendor_id
      join public.agencies g on g.id = l.agency_id
      left join public.agents a on a.id = l.agent_id
      order by l.created_at, l.id`;
  });
  return await explained(batch, {
    "55P03": "Others are handing out leads, or have locked them. Try again in a moment.",
  });
}
