import type postgres from "postgres";
import { valueOf } from "../database.ts";
import { idOf } from "../find.ts";
import type { Outcome, Session } from "../session.ts";
import { formatTable } from "../table.ts";

/** New leads wait while a batch is distributed. */
const BATCH = 100;

/** Distributes what waits, in batches, until nothing that waits is wanted. A dry run is one batch. */
export async function distributeLeads(
  { sql, progress, act }: Session,
  { vendor, max = Infinity, dryRun = false }: { vendor?: string; max?: number; dryRun?: boolean },
): Promise<Outcome> {
  const vendorId = await idOf(sql, "vendor", vendor);
  const leads: postgres.Row[] = [];
  const subjectOf = (leads: postgres.Row[]) => ({
    ...(vendorId && { vendor_id: vendorId }),
    lead_ids: leads.map(({ id }) => id),
  });
  while (leads.length < max) {
    const batch: postgres.Row[] = await act(
      (transaction) =>
        transaction`select * from public.distribute_leads(${Math.min(BATCH, max - leads.length)}, ${vendorId})`,
      (batch: postgres.Row[]) => batch.length > 0 ? subjectOf(batch) : null,
      dryRun,
    );
    leads.push(...batch);
    progress(`${leads.length} distributed`);
    if (batch.length === 0 || dryRun) break;
  }
  const waiting = await valueOf<number>(sql`
    select count(*)::int from public.waiting_lead_list
    where ${vendorId}::uuid is null or vendor_id = ${vendorId}`);
  const summary = dryRun
    ? `Dry run: nothing was changed. These would be distributed first: ${leads.length} of the ${waiting} that wait.`
    : `Distributed ${leads.length}; ${waiting} still wait.`;
  return {
    data: { dry_run: dryRun, distributed: leads.length, waiting, leads },
    text: leads.length > 0 ? `${formatTable(leads)}\n\n${summary}` : summary,
    ...(dryRun && leads.length > 0 && { shows: { ...subjectOf(leads), dry_run: true } }),
  };
}
