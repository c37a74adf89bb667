import { sql } from "../../e2e/support/client.ts";
import type { Finding } from "./report.ts";
import type { World } from "./world.ts";

/** Finds rows that do not agree with each other. Each row of a result says in `what` what is wrong. */
export async function checkRows(world: World): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [kind, checks] of [["orphaned", orphaned], ["wrongly charged", charged]] as const) {
    for (const rows of await Promise.all(checks(world))) {
      findings.push(...rows.map(({ what }) => ({ kind, what: what as string })));
    }
  }
  return findings;
}

/** Whether what triggers count agrees with the rows, and the last status of a message with its callbacks. */
function orphaned({ target, conversations, vendorIds }: World) {
  return [
    sql`
      select 'the metrics of lead ' || l.id || ' are missing or count wrong' as what
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
          is distinct from (a.started, a.resumed, a.paused)`,
    sql`
      select 'there are metrics of ' || lead_id || ', and no such lead' as what
      from public.lead_metrics m
      where not exists (select from public.leads l where l.id = m.lead_id)`,
    sql`
      select 'the status of message ' || m.provider_message_id || ' is not that of its callback' as what
      from public.recruiting_messages m
      where m.conversation_id in ${sql(conversations.map(({ id }) => id))}
        and m.direction = 'outbound'
        and m.status is distinct from (
          select e.status from public.recruiting_message_events e
          where e.provider_message_id = m.provider_message_id
          order by e.received_at desc limit 1
        )`,
    sql`
      select 'the resume ' || o.name || ' has no lead' as what
      from storage.objects o
      where o.bucket_id = 'resumes' and split_part(o.name, '/', 1) in ${sql(vendorIds)}
        and not exists (select from public.recruiting_leads l where l.resume_path = o.name)`,
  ];
}

/** Whether each order has what it is charged with, and each lead the order that wants it. */
function charged({ orderIds, vendorIds }: World) {
  const orders = sql`
    select o.*, l.leads
    from public.recruiting_orders o
    cross join lateral (
      select count(*) as leads from public.recruiting_leads l where l.order_id = o.id
    ) l
    where o.id in ${sql(orderIds)}`;
  return [
    sql`
      select format('order %s counts %s leads and has %s', id, filled, leads) as what
      from (${orders}) o where filled <> leads`,
    sql`
      select format('order %s has %s leads of %s', id, leads, quantity) as what
      from (${orders}) o where leads > quantity`,
    sql`
      select format('order %s is %s with %s leads of %s', id, status, filled, quantity) as what
      from (${orders}) o where (filled = quantity) <> (status = 'filled')`,
    sql`
      select format('order %s has %s leads of %s, and orders behind it got others', id, filled, quantity) as what
      from (${orders}) o
      where filled < quantity
        and quantity <= (
          select count(*) from public.recruiting_leads l
          where l.vendor_id = o.vendor_id and l.order_id is not null
        )`,
    sql`
      select format('order %s got %s leads in a day, and its daily cap is %s', o.id, count(*), o.daily_cap) as what
      from (${orders}) o
      join public.agencies a on a.id = o.agency_id
      join public.recruiting_leads l on l.order_id = o.id
      where o.daily_cap is not null
      group by o.id, o.daily_cap, (l.distributed_at at time zone a.timezone)::date
      having count(*) > o.daily_cap`,
    sql`
      select format('a day of order %s counts %s leads and has %s', order_id, kept, counted) as what
      from public.check_daily_counts()`,
    sql`
      select format('the agents of order %s got between %s and %s leads', o.id, min(t.leads), max(t.leads)) as what
      from (${orders}) o
      cross join lateral (
        select count(l.id) as leads
        from public.agents a
        left join public.recruiting_leads l on l.agent_id = a.id
        where a.agency_id = o.agency_id
        group by a.id
      ) t
      group by o.id
      having max(t.leads) - min(t.leads) > 1`,
    sql`
      select format('lead %s has an order of another vendor', l.id) as what
      from public.recruiting_leads l
      join public.recruiting_orders o on o.id = l.order_id
      where (o.id in ${sql(orderIds)} or l.vendor_id in ${sql(vendorIds)})
        and l.vendor_id is distinct from o.vendor_id`,
    // The last order of each vendor takes any lead, so none may wait.
    sql`
      select format('lead %s is %s while an open order wants it', id, distribution) as what
      from public.recruiting_leads
      where vendor_id in ${sql(vendorIds)} and distribution in ('pending', 'unmatched')`,
    sql`
      select format('lead %s came in bulk and was handed out', id) as what
      from public.recruiting_leads
      where vendor_id in ${sql(vendorIds)} and received_via = 'bulk' and order_id is not null`,
  ];
}
