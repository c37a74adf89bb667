-- The history of a lead: its row, and all that has happened to it.

create function public.show_lead(lead_id uuid) returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  shown json;
begin
  select json_build_object('kind', found.kind, 'lead', found.lead, 'timeline', found.timeline) into shown
  from (
    select 'recruiting' as kind, row_to_json(r) as lead, (
      select json_agg(json_build_object('at', e.at, 'event', e.event, 'detail', e.detail) order by e.at, e.step)
      from private.recruiting_lead_events(r.id) e
    ) as timeline
    from (
      select
        l.id, v.slug as vendor, l.vendor_lead_id, concat_ws(' ', l.first_name, l.last_name) as name, l.phone, l.email,
        l.state, l.distribution, g.name as agency, concat_ws(' ', a.first_name, a.last_name) as agent, l.resume_path,
        l.received_via, l.request_id, l.vendor_metadata
      from public.recruiting_leads l
      join public.vendors v on v.id = l.vendor_id
      left join public.agencies g on g.id = l.agency_id
      left join public.agents a on a.id = l.agent_id
      where l.id = lead_id
    ) r
    union all
    select 'sales', row_to_json(s), (
      select json_agg(json_build_object('at', e.at, 'event', e.event, 'detail', e.detail) order by e.at, e.step)
      from private.sales_lead_events(s.id) e
    )
    from (
      select
        l.id, l.external_id, l.source, concat_ws(' ', l.first_name, l.last_name) as name, l.phone, l.phone_e164, l.email,
        l.state, l.type, l.status, l.stage, g.name as agency, concat_ws(' ', a.first_name, a.last_name) as agent,
        l.distribution_id
      from public.leads l
      join public.agencies g on g.id = l.agency_id
      join public.agents a on a.id = l.agent_id
      where l.id = lead_id
    ) s
  ) found;
  if shown is null then
    raise exception 'lead_id: there is no such lead' using errcode = 'PT404';
  end if;
  return shown;
end
$$;

comment on function public.show_lead(uuid) is
  'A lead of either kind, and everything that happened to it, the oldest first: {kind: recruiting|sales, lead: {id, name, '
  '...}, timeline: [{at, event, detail}]}. PT404 for an unknown lead.';
grant execute on function public.show_lead(uuid) to service_role;

create function private.recruiting_lead_events(lead_id uuid)
returns table (at timestamptz, step integer, event text, detail text)
language plpgsql
stable
set search_path = ''
as $$
declare
  lead public.recruiting_leads;
begin
  select * into lead from public.recruiting_leads l where l.id = lead_id;

  return query
  with conversations as (
    select c.*
    from public.recruiting_conversations c
    where c.recruiting_lead_id = lead_id or c.recruit_phone = lead.phone
  ),
  messages as (
    select m.* from conversations c join public.recruiting_messages m on m.conversation_id = c.id
  )
  select lead.created_at, 1, 'stored', concat_ws(', ', 'via ' || lead.received_via, 'request ' || lead.request_id)
  union all
  select p.distributed_at, 2, 'distributed',
    concat_ws(', ', 'to ' || g.name, a.first_name || coalesce(' ' || a.last_name, ''), 'order ' || p.order_id)
  from private.lead_places p
  join public.agencies g on g.id = p.agency_id
  left join public.agents a on a.id = private.first_agent_of(p.id, p.agent_id)
  where p.id = recruiting_lead_events.lead_id and p.is_last and p.distributed_at is not null
  union all
  select r.created_at, 7, 'returned', concat_ws(', ',
    'from ' || concat_ws(' ', a.first_name, a.last_name), 'of ' || g.name, 'by ' || r.returned_by, r.reason)
  from public.lead_returns r
  join public.agencies g on g.id = r.agency_id
  left join public.agents a on a.id = r.agent_id
  where r.recruiting_lead_id = recruiting_lead_events.lead_id
  union all
  select * from private.assignment_events(lead_id)
  union all
  select e.*
  from public.rejected_deliveries d, private.delivery_events(d) e
  where d.lead_id = recruiting_lead_events.lead_id
    or (d.vendor_id = lead.vendor_id and d.vendor_lead_id = lead.vendor_lead_id)
  union all
  select p.received_at, 3, 'sent again', 'request ' || p.request_id
  from public.recruiting_lead_duplicates p
  where p.lead_id = recruiting_lead_events.lead_id
  union all
  select c.created_at, 4, 'conversation', concat_ws(', ', c.recruit_phone || ' with ' || c.service_phone, c.status)
  from conversations c
  union all
  select t.received_at, 5, 'text without a conversation', t.body
  from public.unmatched_texts t
  where t.recruit_phone = lead.phone
  union all
  select m.created_at, 5, 'text ' || case m.direction when 'inbound' then 'from' else 'to' end || ' the recruit', m.body
  from messages m
  union all
  select a.answered_at, 6, 'answer', format('%s: %s (%s)', a.question, a.value #>> '{}', a.said)
  from public.screening_answers a
  where a.lead_id = recruiting_lead_events.lead_id
  union all
  select e.received_at, 6, 'delivery status', concat_ws(', ', e.provider_status, 'error ' || e.error_code)
  from messages m
  join public.recruiting_message_events e on e.provider_message_id = m.provider_message_id;
end
$$;

comment on function private.recruiting_lead_events(uuid) is
  'The events of a recruiting lead. step: the order of events of the same time.';

create function private.sales_lead_events(lead_id uuid)
returns table (at timestamptz, step integer, event text, detail text)
language plpgsql
stable
set search_path = ''
as $$
declare
  lead public.leads;
begin
  select * into lead from public.leads l where l.id = lead_id;

  return query
  select lead.created_at, 1, 'stored', 'source ' || lead.source
  union all
  select * from private.assignment_events(lead_id)
  union all
  select e.*
  from public.rejected_deliveries d, private.delivery_events(d) e
  where d.lead_id = sales_lead_events.lead_id
    or (
      d.vendor_id is null and d.vendor_lead_id = lead.external_id::text
      and d.context ->> 'agency_id' = lead.agency_id::text
    )
  union all
  select w.occurred_at, 3, replace(w.type, '_', ' '), 'by ' || a.first_name || coalesce(' ' || a.last_name, '')
  from public.lead_activities w
  join public.agents a on a.id = w.agent_id
  where w.lead_id = sales_lead_events.lead_id
  union all
  select p.submitted_at, 4, 'presentation submitted', 'by ' || a.first_name || coalesce(' ' || a.last_name, '')
  from public.lead_presentations p
  join public.agents a on a.id = p.agent_id
  where p.lead_id = sales_lead_events.lead_id
  union all
  select s.created_at, 5, 'sale', concat_ws(', ', s.product, s.carrier, s.annual_premium || ' a year')
  from public.lead_sales s
  where s.lead_id = sales_lead_events.lead_id
  union all
  select r.created_at, 6, 'referral', concat_ws(' ', r.first_name, r.last_name, r.phone)
  from public.lead_referrals r
  where r.lead_id = sales_lead_events.lead_id;
end
$$;

comment on function private.sales_lead_events(uuid) is
  'The events of a sales lead. step: the order of events of the same time.';

create function private.assignment_events(lead_id uuid)
returns table (at timestamptz, step integer, event text, detail text)
language sql
stable
set search_path = ''
as $$
  select s.created_at, 3, 'assigned', concat_ws(', ',
    'from ' || coalesce(nullif(concat_ws(' ', f.first_name, f.last_name), ''), 'nobody'),
    'to ' || coalesce(nullif(concat_ws(' ', t.first_name, t.last_name), ''), 'the agency'),
    'by ' || s.assigned_by)
  from public.lead_assignments s
  left join public.agents t on t.id = s.to_agent_id
  left join public.agents f on f.id = s.from_agent_id
  where s.recruiting_lead_id = lead_id or s.sales_lead_id = lead_id
$$;

comment on function private.assignment_events(uuid) is
  'Each time a lead of either kind was given to another agent, as private.recruiting_lead_events() has it.';

create function private.first_agent_of(lead_id uuid, agent_id uuid) returns uuid
language sql
stable
set search_path = ''
as $$
  select f.agent_id
  from (
    select a.from_agent_id, a.created_at, a.id
    from public.lead_assignments a
    where a.recruiting_lead_id = first_agent_of.lead_id
    union all
    select first_agent_of.agent_id, 'infinity', null
  ) f (agent_id, at, id)
  order by f.at, f.id
  limit 1
$$;

comment on function private.first_agent_of(uuid, uuid) is
  'The agent who got a recruiting lead by distribution. agent_id: who has it now.';

create function private.delivery_events(delivery public.rejected_deliveries)
returns table (at timestamptz, step integer, event text, detail text)
language sql
stable
set search_path = ''
as $$
  select delivery.received_at, 0, 'refused', concat_ws(', ', delivery.reason, 'delivery ' || delivery.id)
  union all
  select delivery.resolved_at, 2, 'delivery ' || delivery.status, 'delivery ' || delivery.id
  where delivery.resolved_at is not null
$$;

comment on function private.delivery_events(public.rejected_deliveries) is
  'The events of a rejected delivery of a lead, as private.recruiting_lead_events() has it.';
