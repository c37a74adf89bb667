-- The report: the number of leads, and what became of them.

create function public.report_leads(
  by text default 'day',
  since date default null,
  until date default null,
  timezone text default 'UTC',
  of_vendor uuid default null,
  of_agency uuid default null,
  day_of text default 'received'
) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  today constant date := private.today_in(timezone);
  first_day constant date := greatest(coalesce(since, least(until, today) - 6), '2000-01-01');
  -- Elsewhere it may be the day after tomorrow.
  last_day constant date := least(until, today + 2);
  none constant jsonb := '{"created": 0, "duplicates": 0, "refused": 0, "distributed": 0, "returned": 0, "unmatched": 0, '
    '"texted": 0, "answered": 0, "opted_out": 0}';
begin
  if coalesce(by, '') not in ('vendor', 'agency', 'agent', 'order', 'state', 'day', 'month') then
    raise exception 'by: must be vendor, agency, agent, order, state, day or month' using errcode = 'PT400';
  elsif coalesce(day_of, '') not in ('received', 'distributed') then
    raise exception 'day_of: must be received or distributed' using errcode = 'PT400';
  end if;

  return (
    with counted as (
      select c.*
      from private.count_leads_received(by, first_day, last_day, timezone, of_vendor, of_agency) c
      where day_of = 'received'
      union all
      select c.key, null, null, null, null, c.distributed, c.returned, null, null, null, null, null, null
      from private.count_leads_distributed(by, first_day, last_day, of_vendor, of_agency) c
      where day_of = 'distributed'
    ),
    sums as (
      select
        c.key, grouping(c.key) = 1 as is_total, sum(c.created) as created, sum(c.duplicates) as duplicates,
        sum(c.refused) as refused, sum(c.distributed) as distributed, sum(c.returned) as returned,
        sum(c.unmatched) as unmatched, sum(c.texted) as texted, sum(c.answered) as answered, sum(c.opted_out) as opted_out,
        sum(c.repeats) as repeats, sum(c.first) as first
      from counted c
      group by grouping sets ((c.key), ())
    ),
    reasons as (
      select r.key, r.is_total, jsonb_object_agg(r.reason, r.refused) as by_reason
      from (
        select c.key, grouping(c.key) = 1 as is_total, c.reason, sum(c.refused) as refused
        from counted c
        where c.reason is not null
        group by grouping sets ((c.key, c.reason), (c.reason))
      ) r
      group by r.key, r.is_total
    ),
    rows as (
      select
        s.key, s.is_total, coalesce(s.created, s.distributed) as leads,
        case by
          when 'vendor' then jsonb_build_object('vendor', coalesce(v.slug, 'import'))
          when 'agency' then jsonb_build_object('agency', g.name, 'agency_id', g.id)
          when 'agent' then jsonb_build_object(
            'agent', nullif(concat_ws(' ', a.first_name, a.last_name), ''), 'agency', g.name, 'agent_id', a.id)
          when 'order' then jsonb_build_object('order_id', o.id, 'agency', g.name)
          when 'state' then jsonb_build_object('state', s.key)
          else jsonb_build_object(by, s.key)
        end as names,
        jsonb_build_object(
          'created', s.created, 'duplicates', s.duplicates, 'refused', s.refused,
          'refused_by_reason', coalesce(r.by_reason, '{}'), 'distributed', s.distributed, 'returned', s.returned,
          'unmatched', s.unmatched, 'texted', s.texted, 'answered', s.answered, 'opted_out', s.opted_out
        ) || case when by = 'vendor'
          then jsonb_build_object('repeats', s.repeats, 'first', s.first) else '{}' end as counts
      from sums s
      left join reasons r on r.is_total = s.is_total and r.key is not distinct from s.key
      left join public.vendors v on by = 'vendor' and v.id::text = s.key
      left join public.agents a on by = 'agent' and a.id::text = s.key
      left join public.recruiting_orders o on by = 'order' and o.id::text = s.key
      left join public.agencies g on g.id::text = coalesce(a.agency_id::text, o.agency_id::text, s.key)
    )
    select jsonb_build_object(
      'rows', coalesce(
        jsonb_agg(
          w.names || w.counts
          order by case when by in ('day', 'month') then w.key end desc, w.key is null, w.leads desc, w.key
        ) filter (where not w.is_total),
        '[]'),
      'totals', none || case when by = 'vendor' then '{"repeats": 0, "first": 0}' else '{}' end::jsonb || jsonb_strip_nulls((jsonb_agg(w.counts) filter (where w.is_total)) -> 0)
    )
    from rows w
  );
end
$$;

comment on function public.report_leads(text, date, date, text, uuid, uuid, text) is
  'Counts the leads of these days, by `vendor`, `agency`, `agent`, `order`, `state`, `day` or `month`: {rows, totals}. A row names '
  'what it is about (vendor; agency, agency_id; agent, agency, agent_id; order_id, agency; state; day, or month such as 2026-01, the newest first) and '
  'has created, duplicates, refused, refused_by_reason {<reason>: number}, distributed, returned, unmatched (they wait now), '
  'texted, answered and opted_out, as private.count_leads_received() says. With day_of `distributed` it has only distributed '
  'and returned, as private.count_leads_distributed() says, and the rest is null. totals has the same counts of everything, '
  'whatever the rows are by; by vendor they also have repeats and first: the leads whose person had an earlier lead of any '
  'vendor, and the others, as private.repeated_leads has them, test leads aside. What has no agency, agent, order or state stands in a row where these are null. The vendor '
  '`import` stands for imported sales leads; what is not known of them is null. since and until: days, both included, in the '
  'time zone of the lead''s agency, else in this one; null: seven days up to now. of_vendor, of_agency: only these. PT400 for '
  'an unknown `by`, day_of or time zone.';
grant execute on function public.report_leads(text, date, date, text, uuid, uuid, text) to service_role;

create function private.count_leads_received(
  by text,
  first_day date,
  last_day date,
  zone text,
  of_vendor uuid,
  of_agency uuid
)
returns table (
  key text, reason text, created bigint, duplicates bigint, refused bigint, distributed bigint, returned bigint,
  unmatched bigint, texted bigint, answered bigint, opted_out bigint, repeats bigint, first bigint
)
language plpgsql
stable
set search_path = ''
-- The number of rows of the days, and `by`, decide the plan.
set plan_cache_mode = force_custom_plan
set jit = off
set work_mem = '32MB'
as $$
declare
  -- An index has no days of agencies. Wherever a day is, it neither begins nor ends a whole day away from UTC's.
  earliest constant timestamptz := (first_day - 1)::timestamp at time zone 'UTC';
  latest constant timestamptz := (last_day + 2)::timestamp at time zone 'UTC';
begin
  return query
  with zones as materialized (
    select z.* from private.days_of_zones(first_day, last_day, zone) z
  ),
  events as materialized (
    select
      e.result, e.reason, e.vendor_id is null as is_import, e.distribution,
      case when e.result = 'created' then e.lead_id end as lead_id,
      o.phone is not null as is_opted_out,
      case by
        when 'vendor' then e.vendor_id::text
        when 'agency' then place.agency_id::text
        when 'agent' then place.agent_id::text
        when 'order' then place.order_id::text
        when 'state' then e.state
        else left((first_day + width_bucket(e.at, z.midnights) - 1)::text, case by when 'month' then 7 else 10 end)
      end as key
    from private.lead_events e
    left join public.lead_returns r on r.recruiting_lead_id = e.lead_id
    cross join lateral (
      select coalesce(e.agency_id, r.agency_id), coalesce(e.agent_id, r.agent_id), coalesce(e.order_id, r.order_id)
    ) place (agency_id, agent_id, order_id)
    left join public.agencies g on g.id = place.agency_id
    join zones z on z.timezone = coalesce(g.timezone, zone)
    left join public.text_consents o on o.agency_id = place.agency_id and o.phone = e.phone and o.state = 'opted_out'
    where e.result <> 'distributed'
      and (of_vendor is null or e.vendor_id = of_vendor)
      and (of_agency is null or place.agency_id = of_agency)
      and e.at >= earliest and e.at < latest
      and e.at >= z.begins and e.at < z.ends
  ),
  texts as (
    select e.key, bool_or(c.is_texted) as is_texted, bool_or(c.is_answered) as is_answered
    from events e
    join private.conversation_texts c on c.recruiting_lead_id = e.lead_id
    group by e.lead_id, e.key
  ),
  persons as (
    select e.key, r.earlier_id is not null as is_repeat
    from events e
    join private.repeated_leads r on r.id = e.lead_id
    where by = 'vendor'
  )
  select
    e.key, e.reason, count(*) filter (where e.result = 'created'),
    -- Of imports only created and refused are known.
    case when not e.is_import then count(*) filter (where e.result = 'duplicate') end,
    count(*) filter (where e.result = 'rejected'),
    case when not e.is_import then count(*) filter (where e.distribution = 'distributed') end,
    case when not e.is_import then count(*) filter (where e.distribution = 'returned') end,
    case when not e.is_import then count(*) filter (where e.distribution in ('unmatched', 'pending')) end,
    case when not e.is_import then 0::bigint end,
    case when not e.is_import then 0::bigint end,
    case when not e.is_import then count(*) filter (where e.is_opted_out) end,
    case when not e.is_import then 0::bigint end,
    case when not e.is_import then 0::bigint end
  from events e
  group by e.key, e.reason, e.is_import
  union all
  select
    t.key, null, 0, 0, 0, 0, 0, 0, count(*) filter (where t.is_texted), count(*) filter (where t.is_answered), 0, 0, 0
  from texts t
  group by 1
  union all
  select
    p.key, null, 0, 0, 0, 0, 0, 0, 0, 0, 0, count(*) filter (where p.is_repeat), count(*) filter (where not p.is_repeat)
  from persons p
  group by 1;
end
$$;

comment on function private.count_leads_received(text, date, date, text, uuid, uuid) is
  'The leads of these days and their results, in the groups of report_leads(); key: its id, the day, or the month. created, '
  'distributed, returned, unmatched, texted, answered and opted_out count leads, on the day on which the lead came, '
  'whenever the rest happened. A returned lead is not among the distributed ones. texted: the provider accepted one '
  'of our texts to the lead, and has not reported that it failed. answered: the lead has texted. opted_out: the lead''s '
  'agency may not text the lead''s phone now. duplicates and refused count deliveries, on their own day. Of imported '
  'leads only created and refused are known; the rest is null. repeats and first are counted by vendor alone.';

create function private.count_leads_distributed(by text, first_day date, last_day date, of_vendor uuid, of_agency uuid)
returns table (key text, distributed bigint, returned bigint)
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_custom_plan
set jit = off
as $$
declare
  earliest constant timestamptz := (first_day - 1)::timestamp at time zone 'UTC';
  latest constant timestamptz := (last_day + 2)::timestamp at time zone 'UTC';
begin
  return query
  with zones as materialized (
    select z.* from private.days_of_zones(first_day, last_day, 'UTC') z
  ),
  moments as (
    select e.vendor_id, e.agency_id, e.agent_id, e.order_id, e.state, e.at as moment, true as is_distribution
    from private.lead_events e
    where e.result = 'distributed' and e.at >= earliest and e.at < latest
    union all
    select l.vendor_id, r.agency_id, r.agent_id, r.order_id, l.state, e.moment, e.is_distribution
    from public.lead_returns r
    join public.recruiting_leads l on l.id = r.recruiting_lead_id
    cross join lateral (values (r.distributed_at, true), (r.created_at, false)) e (moment, is_distribution)
    where r.created_at >= earliest and r.distributed_at < latest
  )
  select
    case by
      when 'vendor' then m.vendor_id::text
      when 'agency' then m.agency_id::text
      when 'agent' then m.agent_id::text
      when 'order' then m.order_id::text
      when 'state' then m.state
      else left((first_day + width_bucket(m.moment, z.midnights) - 1)::text, case by when 'month' then 7 else 10 end)
    end,
    count(*) filter (where m.is_distribution),
    count(*) filter (where not m.is_distribution)
  from moments m
  join public.agencies g on g.id = m.agency_id
  join zones z on z.timezone = g.timezone
  where (of_vendor is null or m.vendor_id = of_vendor)
    and (of_agency is null or m.agency_id = of_agency)
    and m.moment >= z.begins and m.moment < z.ends
  group by 1;
end
$$;

comment on function private.count_leads_distributed(text, date, date, uuid, uuid) is
  'The leads that orders got on these days of their agency, and those that were returned on them, in the groups of '
  'report_leads(). A lead that was returned later stays counted on the day on which it was distributed, so that the sum of '
  'days that are over never changes.';

create function private.days_of_zones(first_day date, last_day date, zone text)
returns table (timezone text, begins timestamptz, ends timestamptz, midnights timestamptz[])
language sql
stable
rows 20
set search_path = ''
as $$
  -- A search in this list takes a tenth of the time of converting a moment.
  select z.timezone, min(z.midnight), max(z.midnight), array_agg(z.midnight order by z.midnight)
  from (
    select z.timezone, d.day at time zone z.timezone as midnight
    from (select g.timezone from public.agencies g union select days_of_zones.zone) z
    cross join generate_series(first_day::timestamp, last_day + 1, '1 day') d (day)
  ) z
  group by 1
$$;

comment on function private.days_of_zones(date, date, text) is
  'When each of these days begins, and the last one ends, in this time zone and in those of the agencies.';
