import type postgres from "postgres";
import { valueOf } from "../database.ts";
import { findLead, idOf } from "../find.ts";
import { CommandError } from "../errors.ts";
import type { Outcome, Session } from "../session.ts";
import { formatTable } from "../table.ts";

/** New leads wait while a batch is distributed. */
const BATCH = 100;

/** Distributes the leads that are named; else what waits, in batches, until nothing that waits is wanted. A dry run is one batch. */
export async function distributeLeads(
  session: Session,
  names: string[],
  given: { vendor?: string; max?: number; dryRun?: boolean },
): Promise<Outcome> {
  return names.length > 0 ? await distributeNamed(session, names, given) : await distributeWaiting(session, given);
}

async function distributeWaiting(
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

/** Each lead goes where it would if it came now. The exit code is 1 where one of them may not be distributed. */
async function distributeNamed(
  { sql, progress, act }: Session,
  names: string[],
  { dryRun = false }: { dryRun?: boolean },
): Promise<Outcome> {
  const ids: string[] = [];
  for (const name of names) {
    const { id, kind } = await findLead(sql, name.trim());
    if (kind === "sales") throw new CommandError(`${id} is a sales lead, which no order gets.`);
    ids.push(id);
  }
  const leads: postgres.Row[] = [];
  const subjectOf = (leads: postgres.Row[]) => ({
    lead_ids: leads.filter(({ problem }) => problem === null).map(({ id }) => id),
  });
  for (let at = 0; at < (dryRun ? 1 : ids.length); at += BATCH) {
    leads.push(
      ...await act(
        (transaction) =>
          transaction<postgres.Row[]>`select * from public.distribute_named_leads(${ids.slice(at, at + BATCH)})`,
        (batch: postgres.Row[]) => batch.some(({ problem }) => problem === null) ? subjectOf(batch) : null,
        dryRun,
      ),
    );
    progress(`${leads.length} of ${ids.length} tried`);
  }
  const distributed = leads.filter(({ problem, distribution }) => problem === null && distribution === "distributed");
  const summary = dryRun
    ? `Dry run: nothing was changed. Of the first ${leads.length} these would be distributed: ${distributed.length}.`
    : `Distributed ${distributed.length} of ${leads.length}.`;
  return {
    data: { dry_run: dryRun, distributed: distributed.length, leads },
    text: `${formatTable(leads)}\n\n${summary}`,
    failed: leads.some(({ problem }) => problem !== null),
    ...(dryRun && { shows: { ...subjectOf(leads), dry_run: true } }),
  };
}
