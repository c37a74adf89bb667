-- The figures of an agency, with which a manager begins the day.

create function public.agency_figures(days integer default 14) returns jsonb
language plpgsql
stable
-- Managers read no vendors, and policies on each text would take longer than to count it. A manager gets the figures of the
-- own agency alone.
security definer
set search_path = ''
-- The number of rows of the days decides the plan.
set plan_cache_mode = force_custom_plan
as $$
declare
  agency public.agencies;
  first_day date;
  begins timestamptz;
begin
  select a.* into agency from public.agencies a where a.id = private.managed_agency_id();
  if not found then
    raise exception 'only a manager reads the figures of an agency' using errcode = 'insufficient_privilege';
  elsif days is null or days not between 1 and 90 then
    perform private.invalid_field('days', 'must be from 1 to 90');
  end if;
  first_day := (now() at time zone agency.timezone)::date - (days - 1);
  begins := first_day::timestamp at time zone agency.timezone;

  return (
    with counted as (
      select l.vendor_id, (l.distributed_at at time zone agency.timezone)::date as day, count(*) as leads
      from public.recruiting_orders o
      join public.recruiting_leads l on l.agency_id = o.agency_id and l.order_id = o.id
      where o.agency_id = agency.id and l.distributed_at >= begins
      group by 1, 2
    ), of_vendors as (
      select v.vendor_id, jsonb_agg(coalesce(c.leads, 0) order by d.n) as leads
      from (select distinct c.vendor_id from counted c) v
      cross join generate_series(0, agency_figures.days - 1) d (n)
      left join counted c on c.vendor_id = v.vendor_id and c.day = first_day + d.n
      group by v.vendor_id
    ), begun as (
      select c.id, first.created_at as written_at
      from public.recruiting_conversations c
      cross join lateral (
        select m.created_at
        from public.recruiting_messages m
        where m.conversation_id = c.id and m.direction = 'inbound'
        order by m.created_at
        limit 1
      ) first
      where c.agency_id = agency.id and c.last_text_at >= begins and first.created_at >= begins
    ), answered as (
      select private.waited_minutes(agency, b.written_at, answer.created_at) as minutes
      from begun b
      left join lateral (
        select m.created_at
        from public.recruiting_messages m
        where m.conversation_id = b.id and m.direction = 'outbound' and m.sender_type = 'agent' and m.created_at > b.written_at
          and m.status is distinct from 'failed'
        order by m.created_at
        limit 1
      ) answer on true
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
          jsonb_build_object('vendor', private.vendor_name(v.vendor_id), 'leads', v.leads)
          order by private.vendor_name(v.vendor_id), v.vendor_id), '[]')
        from of_vendors v
      ),
      'first_response', (
        select jsonb_build_object(
          'recruits', count(*), 'answered', count(a.minutes),
          'median', percentile_disc(0.5) within group (order by a.minutes),
          'ninety', percentile_disc(0.9) within group (order by a.minutes))
        from answered a
      ),
      'waiting', (select jsonb_build_object('recruits', w.recruits, 'since', w.since) from waiting w),
      'opt_outs', (
        select count(*) from public.text_consent_events e
        where e.agency_id = agency.id and e.state = 'opted_out' and e.occurred_at >= begins
      ),
      'failed', (
        select count(distinct c.id)
        from public.recruiting_conversations c
        join public.recruiting_messages m on m.conversation_id = c.id
        where c.agency_id = agency.id and m.direction = 'outbound' and m.status = 'failed' and m.created_at >= begins
      )
    )
  );
end
$$;

comment on function public.agency_figures(integer) is
  'The figures of a manager''s agency for the last days of its time zone, today included: {first_day, days, vendors: [{vendor, '
  'leads: [number of each day]}], first_response: {recruits, answered, median, ninety}, waiting: {recruits, since}, opt_outs, '
  'failed}. vendors: the leads that orders have brought. first_response: the minutes, in the hours of the agency, from the '
  'first text of each recruit who began to write in these days to the first text of an agent after it; the bot does not '
  'count, and neither does a text that failed. ninety: nine of ten were answered as fast. failed: the conversations in which '
  'a text of ours was not delivered. Errors: 42501 (HTTP 403) for who is no manager; 22023 (400) names days.';
grant execute on function public.agency_figures(integer) to authenticated;
