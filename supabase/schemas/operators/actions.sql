-- What the edge function `operator` asks of the database, besides the lists.

create function public.begin_operator_action(action text, subject jsonb default '{}') returns uuid
language plpgsql
-- A user reads neither who is an operator nor what operators have done, and writes the latter in no other way.
security definer
set search_path = ''
as $$
declare
  action_id uuid;
begin
  if not private.is_operator() then
    raise exception 'only an operator may do this' using errcode = '42501';
  elsif action = 'list' then
    return null;
  end if;

  insert into public.operator_actions (user_id, action, subject)
  values (private.current_user_id(), begin_operator_action.action, begin_operator_action.subject)
  returning id into action_id;
  return action_id;
end
$$;

comment on function public.begin_operator_action(text, jsonb) is
  'Whether the user who is signed in may do this as an operator; called before it is done. Stores a row of '
  'operator_actions and returns its id. For the action `list`, which shows no payload and changes nothing, stores none and '
  'returns null. 42501 for who is no operator.';
grant execute on function public.begin_operator_action(text, jsonb) to authenticated;

create function public.preview_replay(delivery_id uuid, lead jsonb) returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '20s'
set lock_timeout = '5s'
as $$
declare
  result jsonb;
begin
  result := public.replay_delivery(delivery_id, lead);
  raise exception 'taken back' using errcode = 'PVIEW';
exception
  when sqlstate 'PVIEW' then
    return result;
end
$$;

comment on function public.preview_replay(uuid, jsonb) is
  'What replay_delivery() would return or raise. It is carried out and taken back, so nothing changes.';
grant execute on function public.preview_replay(uuid, jsonb) to service_role;

create function public.count_vendor_days(days integer default 14, timezone text default 'UTC') returns jsonb
language plpgsql
stable
set search_path = ''
-- How much the days hold decides how it is read.
set plan_cache_mode = force_custom_plan
as $$
declare
  last_day constant date := private.today_in(timezone);
  first_day constant date := last_day - (days - 1);
  begins constant timestamptz := first_day::timestamp at time zone timezone;
begin
  if days is null or days not between 1 and 90 then
    raise exception 'days: must be from 1 to 90' using errcode = 'PT400';
  end if;

  return (
    with received as (
      select l.vendor_id, (l.created_at at time zone timezone)::date as day, count(*) as leads, 0::bigint as refused
      from public.recruiting_leads l
      where l.created_at >= begins
      group by 1, 2
      union all
      select null, (l.created_at at time zone timezone)::date, count(*), 0
      from public.leads l
      where l.source = 'platform' and l.created_at >= begins
      group by 2
      union all
      select d.vendor_id, (d.received_at at time zone timezone)::date, 0, count(*)
      from public.rejected_deliveries d
      where d.received_at >= begins
      group by 1, 2
    ),
    counted as (
      select
        s.vendor_id, sum(coalesce(r.leads, 0)) as all_leads,
        jsonb_agg(coalesce(r.leads, 0) order by s.day) as leads,
        jsonb_agg(coalesce(r.refused, 0) order by s.day) as refused
      from (
        select v.vendor_id, g.day::date as day
        from (select distinct r.vendor_id from received r) v
        cross join generate_series(first_day::timestamp, last_day::timestamp, '1 day') g (day)
      ) s
      left join (
        select r.vendor_id, r.day, sum(r.leads) as leads, sum(r.refused) as refused from received r group by 1, 2
      ) r on r.vendor_id is not distinct from s.vendor_id and r.day = s.day
      group by s.vendor_id
    )
    select jsonb_build_object(
      'days', (
        select jsonb_agg(g.day::date order by g.day)
        from generate_series(first_day::timestamp, last_day::timestamp, '1 day') g (day)
      ),
      'vendors', coalesce(
        jsonb_agg(
          jsonb_build_object('vendor', coalesce(v.slug, 'import'), 'leads', c.leads, 'refused', c.refused)
          order by c.all_leads desc, v.slug
        ),
        '[]')
    )
    from counted c
    left join public.vendors v on v.id = c.vendor_id
  );
end
$$;

comment on function public.count_vendor_days(integer, text) is
  'How many leads each vendor has brought on each of the last days, up to today: {days: [date], vendors: [{vendor, leads: '
  '[number], refused: [number]}]}, the vendor with the most leads first; the numbers are in the order of days. The vendor '
  '`import` stands for imported sales leads; a vendor of which nothing came is left out. Days are those of the time zone. '
  'PT400 unless days is from 1 to 90, and for an unknown time zone.';
grant execute on function public.count_vendor_days(integer, text) to service_role;
