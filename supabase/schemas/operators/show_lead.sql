-- The history of a lead: its row, and all that has happened to it.

create function public.show_lead(lead_id uuid) returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  shown json;
begin
  select json_build_object('kind', found.kind, 'lead', found.lead, 'timeline', found.timeline, 'others', found.others) into shown
  from (
    select 'recruiting' as kind, row_to_json(r) as lead, (
      select json_agg(json_build_object('at', e.at, 'event', e.event, 'detail', e.detail) order by e.at, e.step)
      from private.recruiting_lead_events(r.id) e
    ) as timeline, (
      select coalesce(json_agg(json_build_object(
        'id', o.id, 'received', o.created_at, 'vendor', v.slug, 'vendor_lead_id', o.vendor_lead_id,
        'distribution', o.distribution, 'agency', g.name
      ) order by o.created_at, o.id), '[]')
      from private.other_leads(r.id) o
      join public.vendors v on v.id = o.vendor_id
      left join public.agencies g on g.id = o.agency_id
    ) as others
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
    ), '[]'
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
  'A lead of either kind with its history, the oldest event first: {kind: recruiting|sales, lead: {id, name, ...}, timeline: '
  '[{at, event, detail}], others: [{id, received, vendor, vendor_lead_id|null, distribution, agency|null}]}. others: the '
  'recruiting leads with the same phone or e-mail address. PT404 for an unknown lead.';
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
  )
  select lead.created_at, 1, 'stored', concat_ws(', ', case lead.received_via
    when 'single' then 'alone'
    when 'bulk' then 'in bulk'
    else 'by a ' || lead.received_via
  end, 'request ' || lead.request_id)
  union all
  select p.distributed_at, 2, 'distributed',
    concat_ws(' ', 'to', concat_ws(' of ', a.first_name || coalesce(' ' || a.last_name, ''), g.name), 'by the order ' || p.order_id)
  from private.lead_places p
  join public.agencies g on g.id = p.agency_id
  -- The agent who got it by distribution
  cross join lateral (
    select f.agent_id
    from (
      select s.from_agent_id, s.created_at, s.id from public.lead_assignments s where s.recruiting_lead_id = p.id
      union all
      select p.agent_id, 'infinity', null
    ) f (agent_id, at, id)
    order by f.at, f.id
    limit 1
  ) first
  left join public.agents a on a.id = first.agent_id
  where p.id = recruiting_lead_events.lead_id and p.is_last and p.distributed_at is not null
  union all
  select r.created_at, 7, 'returned', concat_ws(': ', concat_ws(' ',
    'from', concat_ws(' of ', a.first_name || coalesce(' ' || a.last_name, ''), g.name), 'by ' || r.returned_by), r.reason)
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
  select c.created_at, 4, 'conversation', c.recruit_phone || ' with ' || c.service_phone
    || case c.status when 'bot' then ', now with the bot' else ', now with a person' end
  from conversations c
  union all
  select t.received_at, 5, 'text without a conversation', t.body
  from public.unmatched_texts t
  where t.recruit_phone = lead.phone
  union all
  select t.* from private.texting_events(lead_id, lead.phone) t
  union all
  select e.* from private.dispatch_events(lead_id) e;
end
$$;

comment on function private.recruiting_lead_events(uuid) is
  'The events of a recruiting lead. step: the order of events of the same time.';

create function private.in_utc(moment timestamptz) returns text
language sql
stable
set search_path = ''
as $$
  select to_char(moment at time zone 'UTC', 'Mon FMDD, YYYY, FMHH12:MI AM "UTC"')
$$;

comment on function private.in_utc(timestamptz) is 'A moment to the minute, in words for operators, such as `Nov 8, 2026, 1:05 PM UTC`.';

create function private.if_later(moment timestamptz, later timestamptz) returns text
language sql
stable
set search_path = ''
as $$
  select case when later > moment + interval '5 minutes' then ' ' || private.in_utc(later) else '' end
$$;

comment on function private.if_later(timestamptz, timestamptz) is
  'The later moment in words, after a space; nothing if it follows within five minutes, because the event has its time already.';

create function private.bot_reason(reason text) returns text
language sql
immutable
set search_path = ''
as $$
  select case reason
    when 'early' then 'it came before the question had left'
    when 'no_answer' then 'the bot did not understand it'
    when 'not_understood' then 'the bot did not understand it'
    when 'person' then 'the recruit asks for a person'
    when 'asked' then 'the recruit asks for a person'
    when 'question' then 'the recruit asks back'
    when 'about' then 'the recruit asks about the agency'
    when 'help' then 'HELP'
    when 'not_interested' then 'the recruit is not interested'
    when 'automatic_reply' then 'a machine seems to have written it'
    when 'machine' then 'a machine has written it'
    when 'done' then 'the bot asked all its questions'
    when 'expired' then 'the bot got no answer in time'
    when 'distress' then 'the recruit may be in danger'
    when 'bereavement' then 'somebody has died'
    when 'health' then 'somebody is ill or hurt'
    when 'legal' then 'the recruit speaks of law, or threatens'
    when 'minor' then 'the recruit is below 18'
    when 'accessibility' then 'the recruit needs another way to write'
    when 'language' then 'a language that the script lacks'
    when 'busy' then 'the recruit is busy now'
    when 'may_opt_out' then 'the recruit may want no more texts'
    when 'other_person' then 'somebody else has the phone'
    when 'media' then 'a file without words'
    when 'answers_greeting' then 'a no to the greeting'
    else replace(reason, '_', ' ')
  end
$$;

comment on function private.bot_reason(text) is
  'The words for how the bot read a text that does not answer its question, or for why its part in a conversation has ended. '
  'desk/ui/bot_reasons.ts has the same.';

create function private.texting_events(lead_id uuid, phone text)
returns table (at timestamptz, step integer, event text, detail text)
language sql
stable
set search_path = ''
as $$
  select e.at,
    case e.kind when 'text_in' then 5 when 'text_out' then 5 when 'consent' then 6 when 'answer' then 6 else 7 end,
    case e.kind
      when 'text_in' then 'text from the recruit'
      when 'text_out' then 'text to the recruit'
      when 'never_queued' then 'greeting never queued'
      when 'consent' then replace(e.details ->> 'state', '_', ' ')
      when 'hands' then 'conversation to ' || case e.details ->> 'status' when 'bot' then 'the bot' else 'a person' end
      when 'bot_ended' then 'the bot ended'
      else e.kind
    end,
    case e.kind
      when 'text_in' then concat_ws(' ', words.said, case e.details ->> 'heard'
        when 'answer' then null
        when 'opening' then '(the bot asked a question in reply)'
        else '(no answer to the bot: ' || private.bot_reason(e.details ->> 'heard') || ')'
      end)
      when 'text_out' then format('%s (%s)', words.said, concat_ws(', ',
        case e.details ->> 'state' when 'due' then 'queued' else e.details ->> 'state' end
          || private.if_later(e.at, (e.details ->> 'state_at')::timestamptz),
        case when e.details ->> 'state' in ('held', 'unconfirmed', 'refused', 'failed') then private.why_not_sent(
          e.details ->> 'state', e.details ->> 'reason', coalesce(private.in_utc((e.details ->> 'until')::timestamptz), 'infinity'),
          case e.details ->> 'reason' when 'number_paused' then 'paused' else 'active' end, null) end))
      when 'never_queued' then private.why_not_sent('never_queued', e.details ->> 'reason', null, null, null)
      when 'consent' then concat_ws(' ', 'by ' || (e.details ->> 'source'), '(' || (e.details ->> 'reason') || ')')
      when 'answer' then format('%s: %s (%s)', e.details ->> 'question', e.details ->> 'value', e.details ->> 'said')
      when 'hands' then concat_ws(' ', case
        when e.details ->> 'from' = e.details ->> 'to' then (e.details ->> 'to') || ' keeps it'
        else concat_ws(' ', 'from ' || (e.details ->> 'from'), 'to ' || (e.details ->> 'to'))
      end, '(' || private.bot_reason(e.details ->> 'reason') || ')')
      else private.bot_reason(e.details ->> 'reason')
    end
  from (
    select t.id, t.at, t.kind, t.details from public.texting_timeline t where t.recruiting_lead_id = texting_events.lead_id
    union
    select t.id, t.at, t.kind, t.details from public.texting_timeline t where t.recruit_phone = texting_events.phone
  ) e
  cross join lateral (
    select concat_ws(' ', nullif(e.details ->> 'body', ''), '(' || nullif((e.details ->> 'files')::integer, 0) || ' files)')
  ) words (said)
$$;

comment on function private.texting_events(uuid, text) is
  'The rows of texting_timeline of a lead, and of its phone, as private.recruiting_lead_events() has them.';

create function private.dispatch_events(lead_id uuid)
returns table (at timestamptz, step integer, event text, detail text)
language sql
stable
set search_path = ''
as $$
  select p.created_at, 8, 'to the destination ' || d.name, concat_ws(', ', p.event,
    p.state || case p.state
      when 'waiting' then ' until ' || private.in_utc(p.due_at)
      when 'delivered' then private.if_later(p.created_at, p.delivered_at)
      else ''
    end,
    case when p.attempt > 1 then 'attempt ' || p.attempt end, coalesce(p.reason, 'HTTP ' || p.status),
    case when p.state <> 'delivered' then p.excerpt end)
  from private.dispatches p
  join public.destinations d on d.id = p.destination_id
  where p.lead_id = dispatch_events.lead_id
$$;

comment on function private.dispatch_events(uuid) is
  'What was sent about a lead to destinations, and what came back, as private.recruiting_lead_events() has it.';

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
  select s.created_at, 3, 'assigned', concat_ws(' ',
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
