-- Leads as an operator asks for them: those that came, those of which something is known, and what happened to one.

create function public.list_leads(
  of_vendor uuid default null,
  of_agency uuid default null,
  of_agent uuid default null,
  of_order uuid default null,
  of_distribution text default null,
  since date default null,
  until date default null,
  timezone text default 'UTC',
  after uuid default null,
  max_leads integer default 50,
  of_state text default null,
  distributed_since date default null,
  distributed_until date default null
) returns table (
  id uuid, received timestamptz, vendor text, vendor_lead_id text, name text, phone text, email text, state text,
  distribution text, distributed_at timestamptz, agency text, agent text, agency_id uuid, agent_id uuid, order_id uuid,
  returned_at timestamptz, return_reason text
)
language plpgsql
stable
set search_path = ''
-- The best index depends on the filters that are given.
set plan_cache_mode = force_custom_plan
set jit = off
as $$
declare
  -- The index of an order's leads has the agency first.
  agency_of_order constant uuid := (select o.agency_id from public.recruiting_orders o where o.id = of_order);
  after_received timestamptz;
begin
  perform private.today_in(timezone);
  if after is not null then
    select l.created_at into after_received from public.recruiting_leads l where l.id = after;
    if not found then
      raise exception 'after: there is no lead %', after using errcode = 'PT404';
    end if;
  end if;

  return query
  select
    l.id, l.created_at, v.slug, l.vendor_lead_id, concat_ws(' ', l.first_name, l.last_name), l.phone, l.email, l.state,
    l.distribution, l.distributed_at, g.name, nullif(concat_ws(' ', a.first_name, a.last_name), ''), l.agency_id,
    l.agent_id, l.order_id, l.returned_at, l.return_reason
  from private.lead_places l
  join public.vendors v on v.id = l.vendor_id
  left join public.agencies g on g.id = l.agency_id
  left join public.agents a on a.id = l.agent_id
  where l.is_last
    and (of_vendor is null or l.vendor_id = of_vendor)
    and (of_agency is null or l.agency_id = of_agency)
    and (of_agent is null or l.agent_id = of_agent)
    and (of_order is null or l.agency_id = agency_of_order and l.order_id = of_order)
    and (of_distribution is null or l.distribution = of_distribution)
    and (of_state is null or l.state = of_state)
    and (after is null or (l.created_at, l.id) < (after_received, after))
    -- An index has no days of agencies. Wherever a day is, it neither begins nor ends a whole day away from UTC's.
    and (since is null or l.created_at >= (since - 1)::timestamp at time zone 'UTC')
    and (until is null or l.created_at < (until + 2)::timestamp at time zone 'UTC')
    and (since is null or l.created_at >= since::timestamp at time zone coalesce(g.timezone, list_leads.timezone))
    and (until is null or l.created_at < (until + 1)::timestamp at time zone coalesce(g.timezone, list_leads.timezone))
    and (distributed_since is null or l.distributed_at >= distributed_since::timestamp at time zone g.timezone)
    and (distributed_until is null or l.distributed_at < (distributed_until + 1)::timestamp at time zone g.timezone)
    -- No lead is distributed before it comes.
    and (distributed_until is null or l.created_at < (distributed_until + 2)::timestamp at time zone 'UTC')
  order by l.created_at desc, l.id desc
  limit max_leads;
end
$$;

comment on function public.list_leads(
  uuid, uuid, uuid, uuid, text, date, date, text, uuid, integer, text, date, date
) is
  'A page of the recruiting leads, the newest first. of_vendor to of_distribution, and of_state: only leads that have this; '
  'null: all. since and until: days on which they came, both included, in the time zone of the lead''s agency, else in this '
  'one. distributed_since and distributed_until: days of the agency on which they were distributed. after: the last lead of '
  'the page before. A page holds what is older than that lead, so leads that arrive meanwhile are neither repeated nor '
  'skipped. A returned lead has the agency, agent and order that had it. PT400 for an unknown time zone, PT404 for an '
  'unknown after.';
grant execute on function public.list_leads(
  uuid, uuid, uuid, uuid, text, date, date, text, uuid, integer, text, date, date
) to service_role;

create function public.find_leads(search text, max_each integer default 50)
returns table (
  kind text, id uuid, sender text, sender_id text, name text, phone text, email text, state text, received timestamptz
)
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_custom_plan
set jit = off
as $$
declare
  given constant text := btrim(search);
  wanted constant text := lower(given);
  separators constant text := ' ()-.+/';
  digits constant text := private.phone_digits(given);
  -- The digits in their order, whatever stands between them: a tenth of the time of taking the separators out.
  nearly constant text := regexp_replace('%' || digits, '(\d)', '\1%', 'g');
  first_id uuid;
  last_id uuid;
begin
  if coalesce(given, '') = '' then
    raise exception 'search: must not be blank' using errcode = 'PT400';
  end if;
  select r.first_id, r.last_id into first_id, last_id from private.id_range(given) r;

  return query
  select
    'recruiting', l.id, v.slug, l.vendor_lead_id, concat_ws(' ', l.first_name, l.last_name), l.phone, l.email,
    l.distribution, l.created_at
  from public.recruiting_leads l
  join public.vendors v on v.id = l.vendor_id
  where l.vendor_lead_id = private.indexable_id(given)
    or wanted in (lower(l.email), lower(l.first_name), lower(l.last_name))
    or (wanted like '% %' and lower(concat_ws(' ', l.first_name, l.last_name)) = wanted)
    or (l.phone like nearly and right(translate(l.phone, separators, ''), length(digits)) = digits)
    or l.id between first_id and last_id
  order by l.created_at desc
  limit max_each;

  return query
  select
    'sales', l.id, l.source, l.external_id::text, concat_ws(' ', l.first_name, l.last_name), l.phone, l.email, l.status,
    l.created_at
  from public.leads l
  where l.external_id::text = wanted
    or wanted in (lower(l.email), lower(l.first_name), lower(l.last_name))
    or (wanted like '% %' and lower(concat_ws(' ', l.first_name, l.last_name)) = wanted)
    or (
      coalesce(l.phone_e164, l.phone) like nearly
      and right(translate(coalesce(l.phone_e164, l.phone), separators, ''), length(digits)) = digits
    )
    or l.id between first_id and last_id
  order by l.created_at desc
  limit max_each;

  -- A delivery has no columns for what a lead has, so its payload is searched.
  return query
  select
    'delivery', d.id, coalesce(v.slug, 'import'), d.vendor_lead_id, null::text, null::text, null::text,
    d.status || ': ' || d.reason, d.received_at
  from public.rejected_deliveries d
  left join public.vendors v on v.id = d.vendor_id
  cross join lateral (select lower(coalesce(d.payload::text, d.payload_text)) as content) p
  where d.vendor_lead_id = private.indexable_id(given)
    or strpos(p.content, wanted) > 0
    or (p.content like nearly and strpos(translate(p.content, separators, ''), digits) > 0)
    or d.id between first_id and last_id
  order by d.received_at desc
  limit max_each;
end
$$;

comment on function public.find_leads(text, integer) is
  'Leads of both kinds (`recruiting`, `sales`) and rejected deliveries (`delivery`), the newest of each first, by the '
  'sender''s own id, a phone, an e-mail address, a name, or the first 8 characters of an id or more. state: a recruiting '
  'lead''s distribution, a sales lead''s status, a delivery''s status and reason. Reads every lead. PT400 for a blank search.';
grant execute on function public.find_leads(text, integer) to service_role;

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

create function private.id_range(beginning text, out first_id uuid, out last_id uuid)
language plpgsql
immutable
set search_path = ''
as $$
declare
  given constant text := lower(btrim(beginning));
  lowest constant text := given || substr('00000000-0000-0000-0000-000000000000', length(given) + 1);
begin
  if length(given) >= 8 and lowest ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    first_id := lowest;
    last_id := given || substr('ffffffff-ffff-ffff-ffff-ffffffffffff', length(given) + 1);
  end if;
end
$$;

comment on function private.id_range(text) is
  'The first and the last id that begin with a text of at least 8 characters: an index of ids finds such a range. Null for '
  'what is not the beginning of an id. Less than 8 characters may well be a sender''s own id.';

create function private.phone_digits(given text) returns text
language plpgsql
immutable
set search_path = ''
as $$
declare
  digits constant text := regexp_replace(regexp_replace(given, '\D', '', 'g'), '^1(\d{10})$', '\1');
begin
  return case when given ~ '^[+\d\s().-]+$' and length(digits) >= 7 then digits end;
end
$$;

comment on function private.phone_digits(text) is
  'The digits of a phone number as a person writes it, without the US country code; null for what is too short to be one.';

create function private.today_in(timezone text) returns date
language plpgsql
stable
set search_path = ''
as $$
begin
  return (now() at time zone timezone)::date;
exception
  when invalid_parameter_value then
    raise exception 'timezone: "%" is not an IANA time zone name', timezone using errcode = 'PT400';
end
$$;

comment on function private.today_in(text) is 'The day that it is in this time zone. PT400 for an unknown one.';
