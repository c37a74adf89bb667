-- What the leads of each vendor are worth: how far the recruits of a period have come since.

create type private.quality as (
  vendor_id uuid, vendor text, leads bigint, repeats bigint, suppressed bigint, returned bigint, returned_by_reason jsonb,
  texted bigint, replied bigint, opted_out bigint, screened bigint, "new" bigint, contacted bigint, interview bigint,
  licensed bigint, hired bigint, lost bigint
);

comment on type private.quality is 'A row of vendor_quality().';

create table private.quality_days (
  day date primary key,
  counted_at timestamptz not null,
  counts jsonb check (jsonb_typeof(counts) = 'array')
);

comment on table private.quality_days is
  'The counts of past days (UTC) of all agencies, so that a report of some weeks need not read each lead of a large '
  'installation. private.count_quality_days() keeps them. No row of the road of a lead or a text refers to them.';
comment on column private.quality_days.counts is
  'The rows of private.count_quality(). Null: the day has fewer than 100 leads, which are counted when they are read.';

alter table private.quality_days enable row level security;
grant select, insert, update, delete on private.quality_days to service_role;

create function public.vendor_quality(
  since date,
  until date,
  agency_id uuid default null,
  timezone text default 'UTC'
) returns table (
  vendor_id uuid, vendor text, leads bigint, repeats bigint, suppressed bigint, returned bigint, returned_by_reason jsonb,
  texted bigint, replied bigint, opted_out bigint, screened bigint, "new" bigint, contacted bigint, interview bigint,
  licensed bigint, hired bigint, lost bigint
)
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  zone text := vendor_quality.timezone;
begin
  if not private.may_operate() and (vendor_quality.agency_id = private.managed_agency_id()) is not true then
    raise exception 'only an operator reads this of all agencies, and a manager of the own one' using errcode = '42501';
  elsif since is null or until is null or until < since then
    raise exception 'until: must be a day from since on' using errcode = 'PT400';
  end if;
  if vendor_quality.agency_id is not null then
    select g.timezone into zone from public.agencies g where g.id = vendor_quality.agency_id;
  end if;
  perform private.today_in(zone);
  return query
  select q.*
  from private.sum_quality(
    since::timestamp at time zone zone, (until + 1)::timestamp at time zone zone, vendor_quality.agency_id) q;
end
$$;

comment on function public.vendor_quality(date, date, uuid, text) is
  'What became of the leads, tests aside, that came on these days, both included: one row a vendor, the one with the most leads first. Each '
  'count is of leads, on the day on which they came, whenever the rest happened. repeats: the person had an earlier lead, of '
  'any vendor (private.repeated_leads). suppressed: held back because the person is suppressed. returned: taken back from the '
  'agency, and returned_by_reason {<reason>: number}. texted, replied, opted_out: as in report_leads(). screened: the bot''s '
  'script came to its end. new: an agency got the lead; contacted, interview, licensed, hired and lost: the recruit has had '
  'this stage, whatever the stage is now. agency_id: only leads that this agency has, or had until they were returned; the '
  'days are those of its time zone, and without an agency those of timezone. Of all agencies, what happened to the leads of a '
  'past day with 100 leads or more is known since this day was last counted (private.count_quality_days). For operators, and for managers of their own '
  'agency. Errors: 42501 for any other user, and for a manager without the own agency_id; PT400 names until or timezone. '
  'Security definer because neither may read the tables. It returns counts, and only of an agency that the caller may read.';
grant execute on function public.vendor_quality(date, date, uuid, text) to authenticated, service_role;

create function private.count_quality(since timestamptz, until timestamptz, of_agency uuid) returns setof private.quality
language plpgsql
stable
set search_path = ''
-- The number of leads of the period decides the plan.
set plan_cache_mode = force_custom_plan
set jit = off
set work_mem = '64MB'
-- What belongs to the leads of some days is in memory, or lies together on the disk.
set random_page_cost = 1.1
as $$
begin
  return query
  with cohort as materialized (
    select l.id, l.vendor_id, l.distribution, l.earlier_id, l.phone, r.reason, coalesce(l.agency_id, r.agency_id) as agency_id
    from private.repeated_leads l
    left join public.lead_returns r on r.recruiting_lead_id = l.id
    where l.created_at >= since and l.created_at < until
      and (of_agency is null or of_agency in (l.agency_id, r.agency_id))
  ),
  counted as (
    select
      k.vendor_id, count(*) as leads, count(*) filter (where k.earlier_id is not null) as repeats,
      count(*) filter (where k.distribution = 'suppressed') as suppressed,
      count(*) filter (where k.distribution = 'returned') as returned,
      count(*) filter (where o.phone is not null) as opted_out,
      count(*) filter (where k.agency_id is not null) as got
    from cohort k
    left join public.text_consents o on o.agency_id = k.agency_id and o.phone = k.phone and o.state = 'opted_out'
    group by k.vendor_id
  ),
  reasons as (
    select r.vendor_id, jsonb_object_agg(r.reason, r.returned) as by_reason
    from (
      select k.vendor_id, k.reason, count(*) as returned from cohort k where k.reason is not null group by 1, 2
    ) r
    group by r.vendor_id
  ),
  talks as (
    select
      t.vendor_id, count(*) filter (where t.is_texted) as texted, count(*) filter (where t.is_answered) as replied,
      count(*) filter (where t.is_screened) as screened
    from (
      select
        k.vendor_id, bool_or(c.is_texted) as is_texted, bool_or(c.is_answered) as is_answered,
        bool_or(s.state = 'done') as is_screened
      from cohort k
      join private.conversation_texts c on c.recruiting_lead_id = k.id
      left join public.bot_sessions s on s.conversation_id = c.id
      group by k.id, k.vendor_id
    ) t
    group by t.vendor_id
  ),
  stages as (
    select
      t.vendor_id, count(*) filter (where 'contacted' = any (t.reached)) as contacted,
      count(*) filter (where 'interview' = any (t.reached)) as interview,
      count(*) filter (where 'licensed' = any (t.reached)) as licensed,
      count(*) filter (where 'hired' = any (t.reached)) as hired, count(*) filter (where 'lost' = any (t.reached)) as lost
    from (
      select k.vendor_id, array_agg(s.stage) as reached
      from cohort k
      join public.recruit_stages s on s.recruiting_lead_id = k.id
      where of_agency is null or s.agency_id = of_agency
      group by k.id, k.vendor_id
    ) t
    group by t.vendor_id
  )
  select
    k.vendor_id, private.vendor_name(k.vendor_id), k.leads, k.repeats, k.suppressed, k.returned,
    coalesce(r.by_reason, '{}'), coalesce(t.texted, 0), coalesce(t.replied, 0), k.opted_out, coalesce(t.screened, 0), k.got,
    coalesce(s.contacted, 0), coalesce(s.interview, 0), coalesce(s.licensed, 0), coalesce(s.hired, 0), coalesce(s.lost, 0)
  from counted k
  left join reasons r on r.vendor_id = k.vendor_id
  left join talks t on t.vendor_id = k.vendor_id
  left join stages s on s.vendor_id = k.vendor_id;
end
$$;

comment on function private.count_quality(timestamptz, timestamptz, uuid) is
  'Counts, for each vendor, the leads that came from one moment until before another, by reading each of them.';

create function private.sum_quality(since timestamptz, until timestamptz, of_agency uuid) returns setof private.quality
language sql
stable
set search_path = ''
as $$
  with days as materialized (
    select d.day::timestamp at time zone 'UTC' as begins, (d.day + 1)::timestamp at time zone 'UTC' as ends, d.counts
    from private.quality_days d
    where of_agency is null and d.counts is not null and d.counted_at > now() - interval '3 days'
      and d.day::timestamp at time zone 'UTC' >= since and (d.day + 1)::timestamp at time zone 'UTC' <= until
  ),
  between_days as (
    select lag(d.ends, 1, since) over (order by d.begins) as since, d.begins as until
    from (select begins, ends from days union all select until, null) d
  ),
  parts as (
    select q.* from days d cross join jsonb_populate_recordset(null::private.quality, d.counts) q
    union all
    select q.*
    from between_days b
    cross join private.count_quality(b.since, b.until, of_agency) q
    where b.since < b.until
  ),
  reasons as (
    select r.vendor_id, jsonb_object_agg(r.reason, r.returned) as by_reason
    from (
      select p.vendor_id, r.key as reason, sum(r.value::bigint) as returned
      from parts p
      cross join jsonb_each_text(p.returned_by_reason) r
      group by p.vendor_id, r.key
    ) r
    group by r.vendor_id
  )
  select
    p.vendor_id, private.vendor_name(p.vendor_id) as vendor, sum(p.leads)::bigint as leads, sum(p.repeats)::bigint,
    sum(p.suppressed)::bigint, sum(p.returned)::bigint, coalesce(min(r.by_reason::text)::jsonb, '{}'), sum(p.texted)::bigint,
    sum(p.replied)::bigint, sum(p.opted_out)::bigint, sum(p.screened)::bigint, sum(p."new")::bigint,
    sum(p.contacted)::bigint, sum(p.interview)::bigint, sum(p.licensed)::bigint, sum(p.hired)::bigint, sum(p.lost)::bigint
  from parts p
  left join reasons r on r.vendor_id = p.vendor_id
  group by p.vendor_id
  order by leads desc, vendor, p.vendor_id
$$;

comment on function private.sum_quality(timestamptz, timestamptz, uuid) is
  'The rows of vendor_quality() about the leads that came from one moment until before another. Takes the days of '
  'private.quality_days that lie within, if no agency is given, and counts the time between them.';

create function private.count_quality_days() returns integer
language plpgsql
set search_path = ''
as $$
declare
  began_at constant timestamptz := clock_timestamp();
  counted integer := 0;
  past record;
begin
  for past in
    select p.day, p.day::timestamp at time zone 'UTC' as begins, (p.day + 1)::timestamp at time zone 'UTC' as ends
    from (select (now() at time zone 'UTC')::date - n as day, n as age from generate_series(1, 400) n) p
    left join private.quality_days d on d.day = p.day
    where d.day is null or d.counted_at < now() - p.age * interval '5 minutes'
    order by extract(epoch from now() - d.counted_at) / p.age desc nulls first, p.age
  loop
    insert into private.quality_days as d (day, counted_at, counts)
    select past.day, now(), case
      when exists (
        select from public.recruiting_leads l where l.created_at >= past.begins and l.created_at < past.ends offset 99
      ) then (select jsonb_agg(q) from private.count_quality(past.begins, past.ends, null) q)
    end
    on conflict (day) do update set counted_at = excluded.counted_at, counts = excluded.counts;
    counted := counted + 1;
    exit when clock_timestamp() > began_at + interval '2 seconds';
  end loop;
  return counted;
end
$$;

comment on function private.count_quality_days() is
  'Counts again what became of the leads of past days: yesterday''s every 5 minutes, those of 12 days ago every hour, those '
  'of a year ago in 30 hours. Ends after about 2 seconds, and goes on with the day that is the most late when it is called '
  'again. Returns the number of days.';
