import type { AdminCommand } from "../command.ts";
import { findVendorId } from "../find.ts";
import { pastTime, text } from "../options.ts";
import { list, type Outcome, type Session } from "../session.ts";

const DAY_MS = 86_400_000;
const DAYS = 7;
const REASONS_SHOWN = 3;

export function addReport(program: AdminCommand): void {
  const report = "leads by vendor and day: created, duplicates, rejected by reason, unmatched";
  program.verb("report", report, "--since 2026-01-31 --vendor acme")
    .takes(pastTime("--since <date>", `the first day, in UTC; ${DAYS} days, unless given`))
    .takes(text("--vendor <slug>", "only this vendor"))
    .runs(countLeads);
}

/**
 * Counts by vendor and day. The vendor `import` stands for the sales leads of POST /api/leads/import: their duplicates
 * are not kept and they wait for no order, so both counts are null.
 */
async function countLeads(
  { sql }: Session,
  { since = new Date(Date.now() - (DAYS - 1) * DAY_MS), vendor }: { since?: Date; vendor?: string },
): Promise<Outcome> {
  const vendorId = await findVendorId(sql, vendor);
  const firstDay = since.toISOString().slice(0, 10);
  const rows = await sql`
    with created as (
      select (l.created_at at time zone 'UTC')::date as day, l.vendor_id, count(*) as leads,
        count(*) filter (where l.distribution in ('unmatched', 'pending')) as unmatched
      from public.recruiting_leads l
      where l.created_at >= ${firstDay}::date::timestamp at time zone 'UTC'
      group by 1, 2
      union all
      select (l.created_at at time zone 'UTC')::date, null, count(*), null
      from public.leads l
      where l.created_at >= ${firstDay}::date::timestamp at time zone 'UTC' and l.source = 'platform'
      group by 1
    ),
    duplicates as (
      select (p.received_at at time zone 'UTC')::date as day, p.vendor_id, count(*) as duplicates
      from public.recruiting_lead_duplicates p
      where p.received_at >= ${firstDay}::date::timestamp at time zone 'UTC'
      group by 1, 2
    ),
    reasons as (
      select (d.received_at at time zone 'UTC')::date as day, d.vendor_id, d.reason, count(*) as deliveries
      from public.rejected_deliveries d
      where d.received_at >= ${firstDay}::date::timestamp at time zone 'UTC'
      group by 1, 2, 3
    ),
    rejected as (
      select r.day, r.vendor_id, sum(r.deliveries) as rejected,
        json_object_agg(r.reason, r.deliveries order by r.deliveries desc, r.reason) as rejected_by_reason
      from reasons r group by 1, 2
    ),
    days as (
      select day, vendor_id from created
      union
      select day, vendor_id from duplicates
      union
      select day, vendor_id from rejected
    )
    select y.day::text as day, coalesce(v.slug, 'import') as vendor, coalesce(c.leads, 0)::int as created,
      case when y.vendor_id is not null then coalesce(p.duplicates, 0)::int end as duplicates,
      coalesce(r.rejected, 0)::int as rejected, coalesce(r.rejected_by_reason, '{}') as rejected_by_reason,
      case when y.vendor_id is not null then coalesce(c.unmatched, 0)::int end as unmatched
    from days y
    left join public.vendors v on v.id = y.vendor_id
    left join created c on c.day = y.day and c.vendor_id is not distinct from y.vendor_id
    left join duplicates p on p.day = y.day and p.vendor_id is not distinct from y.vendor_id
    left join rejected r on r.day = y.day and r.vendor_id is not distinct from y.vendor_id
    where ${vendorId}::uuid is null or y.vendor_id = ${vendorId}
    order by y.day desc, v.slug nulls last`;
  const none = `Nothing was received since ${firstDay}${vendor ? ` from ${vendor}` : ""}.`;
  return list(rows, none, ({ rejected_by_reason, ...row }) => {
    const reasons = Object.entries(rejected_by_reason)
      .map(([reason, count]) => `${count} × ${reason}`);
    const more = reasons.length - REASONS_SHOWN;
    const shown = reasons.slice(0, REASONS_SHOWN).join("; ");
    return { ...row, reasons: more > 0 ? `${shown}; ${more} more` : shown };
  });
}
