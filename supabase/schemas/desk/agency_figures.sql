-- The figures of an agency, with which a manager begins the day.

create function private.figures_begin(days integer, out agency public.agencies, out first_day date, out begins timestamptz)
language plpgsql
stable
set search_path = ''
as $$
begin
  select a.* into agency from public.agencies a where a.id = private.managed_agency_id();
  if agency.id is null then
    raise exception 'only a manager reads the figures of an agency' using errcode = 'insufficient_privilege';
  elsif days is null or days not between 1 and 90 then
    perform private.invalid_field('days', 'must be from 1 to 90');
  end if;
  first_day := (now() at time zone agency.timezone)::date - (days - 1);
  begins := first_day::timestamp at time zone agency.timezone;
end
$$;

comment on function private.figures_begin(integer) is
  'The agency of the manager who calls, and the beginning of the last days in its time zone, today included. 42501 for users '
  'who are not managers; 22023 names days.';

create function private.figure_leads(agency_id uuid, since timestamptz, until timestamptz, order_id uuid default null)
returns table (lead_id uuid, vendor_id uuid, agent_id uuid, at timestamptz)
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  -- Order by order, because the index is of these. A lead is not distributed before it comes.
  select l.id, l.vendor_id, l.agent_id, l.created_at
  from public.recruiting_orders o
  join public.recruiting_leads l on l.agency_id = o.agency_id and l.order_id = o.id
  where figure_leads.order_id is null and o.agency_id = figure_leads.agency_id and l.distributed_at >= since
    and l.created_at >= since and l.created_at < until and l.vendor_metadata -> 'is_test' is distinct from 'true'
  union all
  select l.id, l.vendor_id, l.agent_id, l.created_at
  from public.recruiting_leads l
  where figure_leads.order_id is null and l.agency_id = figure_leads.agency_id and l.order_id is null
    and l.created_at >= since and l.created_at < until and l.vendor_metadata -> 'is_test' is distinct from 'true'
  union all
  select l.id, l.vendor_id, l.agent_id, l.distributed_at
  from public.recruiting_leads l
  where l.agency_id = figure_leads.agency_id and l.order_id = figure_leads.order_id;
end
$$;

comment on function private.figure_leads(uuid, timestamptz, timestamptz, uuid) is
  'The leads of an agency that came from one moment until before another, tests aside, by an order or not, as '
  'vendor_quality() counts them; or all that one order has brought, each with the time at which it did.';

create function private.figure_responses(agency public.agencies, begins timestamptz)
returns table (conversation_id uuid, written_at timestamptz, minutes integer, answered_by uuid, agent_id uuid)
language plpgsql
stable
set search_path = ''
-- The number of rows of the days decides the plan.
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  select c.id, first.created_at, private.waited_minutes(agency, first.created_at, answer.created_at),
    answer.sent_by, coalesce(
      answer.sent_by, c.assigned_agent_id, (select l.agent_id from public.recruiting_leads l where l.id = c.recruiting_lead_id))
  from public.recruiting_conversations c
  cross join lateral (
    select m.created_at
    from public.recruiting_messages m
    where m.conversation_id = c.id and m.direction = 'inbound'
    order by m.created_at
    limit 1
  ) first
  left join lateral (
    select m.created_at, m.sent_by
    from public.recruiting_messages m
    where m.conversation_id = c.id and m.direction = 'outbound' and m.sender_type = 'agent' and m.created_at > first.created_at
      and m.status is distinct from 'failed'
    order by m.created_at
    limit 1
  ) answer on true
  where c.agency_id = agency.id and c.last_text_at >= begins and first.created_at >= begins;
end
$$;

comment on function private.figure_responses(public.agencies, timestamptz) is
  'The conversations in which the recruit has written for the first time since then, each with the minutes, in the hours of '
  'the agency, to the first text of an agent after it, and that agent. Null: there is none. The bot does not count, and '
  'neither does a text that failed. agent_id: the agent for whom it counts: the one who answered, otherwise '
  'the one who has the recruit.';

create function private.figure_failures(agency_id uuid, begins timestamptz, until timestamptz default 'infinity')
returns table (conversation_id uuid, failed_at timestamptz)
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  select c.id, failed.at
  from public.recruiting_conversations c
  cross join lateral (
    select max(m.created_at) as at
    from public.recruiting_messages m
    where m.conversation_id = c.id and m.direction = 'outbound' and m.status = 'failed'
      and m.created_at >= begins and m.created_at < until
      and not exists (select from public.text_outbox o where o.message_id = m.id and private.was_stopped(o.reason))
  ) failed
  -- A conversation with a text of these days had its latest text in these days.
  where c.agency_id = figure_failures.agency_id and c.last_text_at >= begins and failed.at is not null;
end
$$;

comment on function private.figure_failures(uuid, timestamptz, timestamptz) is
  'The conversations of an agency in which one of our texts of this time was not delivered, each with the time of the latest. '
  'Texts that were stopped (was_stopped()) do not count.';

create function private.figure_opt_outs(agency_id uuid, begins timestamptz, until timestamptz default 'infinity')
returns table (event_id uuid, phone text, opted_out_at timestamptz)
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  select distinct on (e.phone) e.id, e.phone::text, e.occurred_at
  from public.text_consent_events e
  where e.agency_id = figure_opt_outs.agency_id and e.state = 'opted_out'
    and e.occurred_at >= begins and e.occurred_at < until
  order by e.phone, e.occurred_at desc, e.id;
end
$$;

comment on function private.figure_opt_outs(uuid, timestamptz, timestamptz) is
  'The numbers that opted out of texts of an agency in this time, each once, with the latest time.';

create function private.figure_agents(agency_id uuid, begins timestamptz)
returns table (agent_id uuid, name text, is_active boolean, waiting bigint, moved_on bigint, hired bigint)
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
begin
  return query
  select a.id, concat_ws(' ', a.first_name, a.last_name), a.is_active, coalesce(w.waiting, 0), s.moved_on, s.hired
  from public.agents a
  left join (
    select coalesce(c.assigned_agent_id, l.agent_id) as agent_id, count(*) as waiting
    from public.recruiting_conversations c
    left join public.recruiting_leads l on l.id = c.recruiting_lead_id
    where c.agency_id = figure_agents.agency_id and c.due_since is not null
      and (c.snoozed_until is null or c.snoozed_until <= now())
    group by 1
  ) w on w.agent_id = a.id
  -- Agent by agent, because the index is of these.
  cross join lateral (
    select count(distinct t.recruiting_lead_id) as moved_on,
      count(distinct t.recruiting_lead_id) filter (where t.stage = 'hired') as hired
    from public.recruit_stages t
    where t.agent_id = a.id and t.agency_id = figure_agents.agency_id and t.created_at >= begins
      and t.stage not in ('new', 'lost')
  ) s
  where a.agency_id = figure_agents.agency_id;
end
$$;

comment on function private.figure_agents(uuid, timestamptz) is
  'The agents of an agency with the conversations that wait for each now, and with the recruits for whom the agent has set a '
  'stage after `new` since then (moved_on), other than `lost`, or the stage `hired`.';

create function public.agency_figures(days integer default 14) returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  period constant record := private.figures_begin(agency_figures.days);
  agency constant public.agencies := period.agency;
  first_day constant date := period.first_day;
  begins constant timestamptz := period.begins;
  -- As many days before these.
  earlier constant timestamptz := (first_day - agency_figures.days)::timestamp at time zone agency.timezone;
begin
  return (
    with counted as materialized (
      select l.vendor_id, l.agent_id, (l.at at time zone agency.timezone)::date as day, count(*) as leads
      from private.figure_leads(agency.id, earlier, 'infinity') l
      group by 1, 2, 3
    ), of_vendors as (
      select v.vendor_id, jsonb_agg(coalesce(c.leads, 0) order by d.n) as leads
      from (select distinct c.vendor_id from counted c where c.day >= first_day) v
      cross join generate_series(0, agency_figures.days - 1) d (n)
      left join (
        select c.vendor_id, c.day, sum(c.leads) as leads from counted c group by 1, 2
      ) c on c.vendor_id = v.vendor_id and c.day = first_day + d.n
      group by v.vendor_id
    ), all_responses as materialized (
      select r.minutes, r.answered_by, r.agent_id, (r.written_at at time zone agency.timezone)::date as day
      from private.figure_responses(agency, earlier) r
    ), responses as (
      select r.* from all_responses r where r.day >= first_day
    ), failures as materialized (
      select (f.failed_at at time zone agency.timezone)::date as day from private.figure_failures(agency.id, begins) f
    ), opt_outs as materialized (
      select (o.opted_out_at at time zone agency.timezone)::date as day from private.figure_opt_outs(agency.id, begins) o
    ), waiting as (
      select count(*) as recruits, min(c.due_since) as since
      from public.recruiting_conversations c
      where c.agency_id = agency.id and c.due_since is not null
        and (c.snoozed_until is null or c.snoozed_until <= now())
    )
    select jsonb_build_object(
      'first_day', first_day, 'days', agency_figures.days,
      'vendors', (
        select coalesce(jsonb_agg(
          jsonb_build_object(
            'id', v.vendor_id, 'vendor', private.vendor_name(v.vendor_id), 'leads', v.leads,
            'has_text_consent', (select x.has_text_consent from public.vendors x where x.id = v.vendor_id))
          order by private.vendor_name(v.vendor_id), v.vendor_id), '[]')
        from of_vendors v
      ),
      'first_response', (
        select jsonb_build_object(
          'recruits', count(*), 'answered', count(a.minutes),
          'median', percentile_disc(0.5) within group (order by a.minutes),
          'ninety', percentile_disc(0.9) within group (order by a.minutes))
        from responses a
      ),
      'waiting', (select jsonb_build_object('recruits', w.recruits, 'since', w.since) from waiting w),
      'opt_outs', (select count(*) from opt_outs),
      'failed', (select count(*) from failures),
      'daily', (
        select jsonb_build_object(
          'median', jsonb_agg(r.median order by d.n), 'opt_outs', jsonb_agg(coalesce(o.number, 0) order by d.n),
          'failed', jsonb_agg(coalesce(f.number, 0) order by d.n))
        from generate_series(0, agency_figures.days - 1) d (n)
        left join (
          select r.day, percentile_disc(0.5) within group (order by r.minutes) as median from responses r group by 1
        ) r on r.day = first_day + d.n
        left join (select o.day, count(*) as number from opt_outs o group by 1) o on o.day = first_day + d.n
        left join (select f.day, count(*) as number from failures f group by 1) f on f.day = first_day + d.n
      ),
      'before', jsonb_build_object(
        'recruits', (select coalesce(sum(c.leads), 0) from counted c where c.day < first_day),
        'median', (
          select percentile_disc(0.5) within group (order by r.minutes) from all_responses r where r.day < first_day
        ),
        'opt_outs', (select count(*) from private.figure_opt_outs(agency.id, earlier, begins)),
        'failed', (select count(*) from private.figure_failures(agency.id, earlier, begins))
      ),
      'agents', (
        select coalesce(jsonb_agg(
          jsonb_build_object(
            'id', a.agent_id, 'name', a.name, 'is_active', a.is_active, 'waiting', a.waiting, 'recruits', coalesce(c.leads, 0),
            'wrote', coalesce(r.wrote, 0), 'answered', coalesce(r.answered, 0), 'median', r.median, 'moved_on', a.moved_on, 'hired', a.hired)
          order by a.name, a.agent_id), '[]')
        from private.figure_agents(agency.id, begins) a
        left join (
          select c.agent_id, sum(c.leads) as leads from counted c where c.day >= first_day group by 1
        ) c on c.agent_id = a.agent_id
        left join (
          select r.agent_id, count(*) as wrote, count(r.minutes) as answered,
            percentile_disc(0.5) within group (order by r.minutes) as median
          from responses r
          where r.answered_by is not null or r.minutes is null
          group by 1
        ) r on r.agent_id = a.agent_id
        where a.is_active or a.waiting + a.moved_on + coalesce(c.leads, 0) + coalesce(r.answered, 0) > 0
      )
    )
  );
end
$$;

comment on function public.agency_figures(integer) is
  'The figures of a manager''s agency for the last days of its time zone, today included: {first_day, days, vendors: [{id, '
  'vendor, leads: [number of each day], has_text_consent}], first_response: {recruits, answered, median, ninety}, waiting: '
  '{recruits, since}, '
  'opt_outs, failed, daily: {median, opt_outs, failed: [number of each day]}, before: {recruits, median, opt_outs, failed}, '
  'agents: [{id, name, is_active, waiting, recruits, wrote, answered, median, moved_on, hired}]}. vendors: the leads of the agency '
  'that came, by an order or not. '
  'first_response: the minutes, in the hours of the agency, from the first text of each recruit who began to write in these '
  'days to the first text of an agent after it; the bot does not count, and neither does a text that failed. ninety: the 90th '
  'percentile. opt_outs: the numbers that have opted out. failed: the conversations in which one of our texts was not '
  'delivered; daily counts each number and conversation on its last day. before: the same for as many days before these; '
  'recruits: the leads of all vendors. agents: those who are active, or of whom something counts. waiting: the conversations '
  'that wait for the agent now; recruits: the leads of vendors that the agent has now; answered and median: the first '
  'responses that the agent gave; wrote: these, and the recruits of the agent who have none from anybody; moved_on and hired: the '
  'recruits for whom the agent has set a stage after `new` other than `lost`, or `hired`, in these days. figure_list() has the '
  'rows behind the figures. Errors: 42501 (HTTP 403) for users who are not managers; 22023 (400) names days. Security definer '
  'because managers may not read vendors, and policies on each text would take long. It reads the caller''s own agency alone.';
grant execute on function public.agency_figures(integer) to authenticated;
