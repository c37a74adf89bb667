import type postgres from "postgres";
import { findLead } from "../find.ts";
import type { Outcome, Session } from "../session.ts";
import { formatFields, formatTable } from "../table.ts";

/** Shows a lead and everything that happened to it, oldest first. */
export async function showLead({ sql }: Session, given: string): Promise<Outcome> {
  const { id, kind } = await findLead(sql, given.trim());
  const [[lead], timeline] = await Promise.all(
    kind === "recruiting"
      ? [recruitingLead(sql, id), recruitingTimeline(sql, id)]
      : [salesLead(sql, id), salesTimeline(sql, id)],
  );
  const known = Object.entries({ kind, ...lead }).filter(([, value]) => value !== null);
  return {
    data: { kind, lead, timeline },
    text: `${formatFields(Object.fromEntries(known))}\n\n${formatTable(timeline)}`,
  };
}

function recruitingLead(sql: postgres.Sql, id: string) {
  return sql`
    select l.id, v.slug as vendor, l.vendor_lead_id, concat_ws(' ', l.first_name, l.last_name) as name,
      l.phone, l.email, l.state, l.distribution, g.name as agency,
      concat_ws(' ', a.first_name, a.last_name) as agent, l.resume_path, l.received_via, l.request_id,
      l.vendor_metadata
    from public.recruiting_leads l
    join public.vendors v on v.id = l.vendor_id
    left join public.agencies g on g.id = l.agency_id
    left join public.agents a on a.id = l.agent_id
    where l.id = ${id}`;
}

function salesLead(sql: postgres.Sql, id: string) {
  return sql`
    select l.id, l.external_id, l.source, concat_ws(' ', l.first_name, l.last_name) as name, l.phone,
      l.phone_e164, l.email, l.state, l.type, l.status, l.stage, g.name as agency,
      concat_ws(' ', a.first_name, a.last_name) as agent, l.distribution_id
    from public.leads l
    join public.agencies g on g.id = l.agency_id
    join public.agents a on a.id = l.agent_id
    where l.id = ${id}`;
}

function recruitingTimeline(sql: postgres.Sql, id: string) {
  return sql`
    with lead as (select * from public.recruiting_leads where id = ${id}),
    deliveries as (
      select d.* from public.rejected_deliveries d where d.lead_id = ${id}
      union
      select d.*
      from lead l
      join public.rejected_deliveries d
        on d.vendor_id = l.vendor_id and d.vendor_lead_id = l.vendor_lead_id
    ),
    conversations as (
      select c.* from public.recruiting_conversations c where c.recruiting_lead_id = ${id}
      union
      select c.* from lead l join public.recruiting_conversations c on c.recruit_phone = l.phone
    ),
    messages as (
      select m.* from conversations c join public.recruiting_messages m on m.conversation_id = c.id
    )
    select at, event, detail
    from (
      select l.created_at as at, 1 as step, 'stored' as event,
        concat_ws(', ', 'via ' || l.received_via, 'request ' || l.request_id) as detail
      from lead l
      union all
      select l.distributed_at, 2, 'handed out',
        concat_ws(', ', 'to ' || g.name, a.first_name || coalesce(' ' || a.last_name, ''), 'order ' || l.order_id)
      from lead l
      join public.agencies g on g.id = l.agency_id
      left join public.agents a on a.id = l.agent_id
      where l.distributed_at is not null
      union all
      ${deliveryEvents(sql)}
      union all
      select p.received_at, 3, 'sent again', 'request ' || p.request_id
      from public.recruiting_lead_duplicates p where p.lead_id = ${id}
      union all
      select c.created_at, 4, 'conversation',
        concat_ws(', ', c.recruit_phone || ' with ' || c.service_phone, c.status)
      from conversations c
      union all
      select t.received_at, 5, 'text without a conversation', t.body
      from lead l join public.unmatched_texts t on t.recruit_phone = l.phone
      union all
      select m.created_at, 5, 'text ' || case m.direction when 'inbound' then 'from' else 'to' end || ' the recruit',
        m.body
      from messages m
      union all
      select e.received_at, 6, 'delivery status', concat_ws(', ', e.provider_status, 'error ' || e.error_code)
      from messages m join public.recruiting_message_events e on e.provider_message_id = m.provider_message_id
    ) events
    order by at, step`;
}

function salesTimeline(sql: postgres.Sql, id: string) {
  return sql`
    with lead as (select * from public.leads where id = ${id}),
    deliveries as (
      select d.* from public.rejected_deliveries d where d.lead_id = ${id}
      union
      select d.*
      from lead l
      join public.rejected_deliveries d
        on d.vendor_id is null and d.vendor_lead_id = l.external_id::text
        and d.context ->> 'agency_id' = l.agency_id::text
    )
    select at, event, detail
    from (
      select l.created_at as at, 1 as step, 'stored' as event, 'source ' || l.source as detail from lead l
      union all
      ${deliveryEvents(sql)}
      union all
      select a.occurred_at, 3, replace(a.type, '_', ' '), 'by ' || g.first_name || coalesce(' ' || g.last_name, '')
      from public.lead_activities a join public.agents g on g.id = a.agent_id
      where a.lead_id = ${id}
      union all
      select p.submitted_at, 4, 'presentation submitted',
        'by ' || g.first_name || coalesce(' ' || g.last_name, '')
      from public.lead_presentations p join public.agents g on g.id = p.agent_id
      where p.lead_id = ${id}
      union all
      select s.created_at, 5, 'sale', concat_ws(', ', s.product, s.carrier, s.annual_premium || ' a year')
      from public.lead_sales s where s.lead_id = ${id}
      union all
      select r.created_at, 6, 'referral', concat_ws(' ', r.first_name, r.last_name, r.phone)
      from public.lead_referrals r where r.lead_id = ${id}
    ) events
    order by at, step`;
}

/** What happened to the rejected deliveries of a lead. */
function deliveryEvents(sql: postgres.Sql) {
  return sql`
    select d.received_at, 0, 'refused', concat_ws(', ', d.reason, 'delivery ' || d.id) from deliveries d
    union all
    select d.resolved_at, 2, 'delivery ' || d.status, 'delivery ' || d.id
    from deliveries d where d.resolved_at is not null`;
}
