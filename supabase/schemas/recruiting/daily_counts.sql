-- The number of leads that each order received on each day, so that a check of a daily cap does not count leads.
--
-- Triggers maintain the counts, so leads that are inserted, corrected or deleted by other means are counted too. A
-- transaction that changes a count locks its order until the transaction ends. Distribution skips locked orders, so it
-- never waits for a count, and never reads one that is about to change.

create function public.check_daily_counts()
returns table (order_id uuid, starts_at timestamptz, kept integer, counted integer)
language plpgsql
stable
set search_path = ''
set statement_timeout = '60s'
as $$
begin
  return query
  select coalesce(k.order_id, c.order_id), coalesce(k.starts_at, c.starts_at), coalesce(k.leads, 0), coalesce(c.leads, 0)
  from private.recruiting_order_days k
  full join private.counted_order_days() c
    on c.order_id = k.order_id and c.starts_at = k.starts_at and c.ends_at = k.ends_at
  where k.leads is distinct from c.leads;
end
$$;

comment on function public.check_daily_counts() is
  'Returns the orders and days whose stored count differs from the leads, with the start of the day; no rows if all '
  'counts are correct. Reads every lead. Counts differ if leads were written while triggers were disabled, or if the '
  'server''s time zone rules have changed; recount_orders() corrects them.';
grant execute on function public.check_daily_counts() to service_role;

create function public.recount_orders() returns table (order_id uuid, starts_at timestamptz, kept integer, counted integer)
language plpgsql
set search_path = ''
set statement_timeout = '60s'
as $$
begin
  return query select * from public.check_daily_counts();
  if found then
    perform private.recount_order_days();
  end if;
end
$$;

comment on function public.recount_orders() is
  'Recounts the leads of each order and day whose stored count is wrong, and returns the previous result of '
  'check_daily_counts(). Nothing is distributed in the meantime.';
grant execute on function public.recount_orders() to service_role;

create function private.day_start(moment timestamptz, timezone text) returns timestamptz
language plpgsql
stable
set search_path = ''
as $$
declare
  midnight timestamp;
  day_start timestamptz;
  first_midnight timestamptz;
begin
  -- If the clock goes back over midnight, the next local date may already have begun.
  for day_offset in reverse 1 .. 0 loop
    midnight := date_trunc('day', moment at time zone timezone) + make_interval(days => day_offset);
    -- Postgres chooses the second of two midnights. The first is found with the offset of 24 hours before.
    day_start := midnight at time zone timezone;
    first_midnight := day_start - interval '24 hours'
      + (midnight - (day_start - interval '24 hours') at time zone timezone);
    if first_midnight < day_start and first_midnight at time zone timezone = midnight then
      day_start := first_midnight;
    end if;
    exit when day_start <= moment;
  end loop;
  return day_start;
end
$$;

comment on function private.day_start(timestamptz, text) is
  'Returns when the day of this moment began in this time zone. If the clock goes back over midnight, a day begins at '
  'the first of the two midnights. If it skips midnight, a day begins at the first moment after it.';

create function private.day_end(day_start timestamptz, timezone text) returns timestamptz
language plpgsql
stable
set search_path = ''
as $$
begin
  -- A day has 23 to 25 hours, so this moment is always in the next day.
  return private.day_start(day_start + interval '30 hours', timezone);
end
$$;

comment on function private.day_end(timestamptz, text) is
  'Returns when the day that began at this moment ends in this time zone.';

create function private.count_leads(order_ids uuid[], moments timestamptz[], differences integer[]) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- The fast path: distribution assigns leads to one order at a time, usually on a day that already has a count. It
  -- takes half the time of the general path.
  with locked as materialized (
    select o.id from public.recruiting_orders o where o.id = order_ids[1] for no key update
  )
  update private.recruiting_order_days d
  set leads = d.leads + cardinality(differences)
  from locked l
  where d.order_id = l.id
    and d.ends_at > moments[1]
    and d.starts_at <= all (moments)
    and d.ends_at > all (moments)
    and order_ids[1] = all (order_ids)
    and 1 = all (differences);
  if found then
    return;
  end if;

  -- In a fixed order, so that two transactions do not deadlock.
  perform from public.recruiting_orders o where o.id = any (order_ids) order by o.id for no key update;
  insert into private.recruiting_order_days as d (order_id, starts_at, ends_at, leads)
  select day.order_id, day.starts_at, day.ends_at, sum(day.difference)
  from (
    select
      change.order_id,
      coalesce(known.starts_at, private.day_start(change.moment, a.timezone)) as starts_at,
      coalesce(known.ends_at, private.day_end(private.day_start(change.moment, a.timezone), a.timezone)) as ends_at,
      change.difference
    from unnest(order_ids, moments, differences) as change (order_id, moment, difference)
    join public.recruiting_orders o on o.id = change.order_id
    join public.agencies a on a.id = o.agency_id
    left join private.recruiting_order_days known
      on known.order_id = change.order_id and known.starts_at <= change.moment and known.ends_at > change.moment
  ) day
  group by day.order_id, day.starts_at, day.ends_at
  on conflict on constraint recruiting_order_days_pkey do update
  set leads = d.leads + excluded.leads;

  if 0 > any (differences) then
    delete from private.recruiting_order_days d where d.order_id = any (order_ids) and d.leads <= 0;
  end if;
end
$$;

comment on function private.count_leads(uuid[], timestamptz[], integer[]) is
  'Adds to the counts of orders: for each order, on the day of the moment, the difference, which may be negative. The '
  'three arrays have the same length. Locks the orders.';

create function private.count_changed_leads() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  order_ids uuid[];
  moments timestamptz[];
  differences integer[];
begin
  if tg_op = 'INSERT' then
    select array_agg(n.order_id), array_agg(n.distributed_at), array_agg(1)
    into order_ids, moments, differences
    from new_leads n
    where n.order_id is not null;
  elsif tg_op = 'DELETE' then
    select array_agg(o.order_id), array_agg(o.distributed_at), array_agg(-1)
    into order_ids, moments, differences
    from old_leads o
    where o.order_id is not null;
  else
    -- Most updates change neither the order nor the time, and produce no rows.
    select array_agg(change.order_id), array_agg(change.distributed_at), array_agg(change.difference)
    into order_ids, moments, differences
    from (
      select version.order_id, version.distributed_at, sum(version.difference)::integer as difference
      from (
        select n.order_id, n.distributed_at, 1 as difference from new_leads n where n.order_id is not null
        union all
        select o.order_id, o.distributed_at, -1 from old_leads o where o.order_id is not null
      ) version
      group by version.order_id, version.distributed_at
      having sum(version.difference) <> 0
    ) change;
  end if;

  if order_ids is not null then
    perform private.count_leads(order_ids, moments, differences);
  end if;
  return null;
end
$$;

comment on function private.count_changed_leads() is
  'Trigger: counts the leads that a statement assigned to orders or removed from them.';

-- A statement trigger, because a row that is changed a thousand times in one transaction has a thousand versions, and
-- each change would read all of them.

create trigger count_inserted_leads
  after insert on public.recruiting_leads
  referencing new table as new_leads
  for each statement execute function private.count_changed_leads();

create trigger count_updated_leads
  after update on public.recruiting_leads
  referencing old table as old_leads new table as new_leads
  for each statement execute function private.count_changed_leads();

create trigger count_deleted_leads
  after delete on public.recruiting_leads
  referencing old table as old_leads
  for each statement execute function private.count_changed_leads();

create function private.forget_daily_counts() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  delete from private.recruiting_order_days where true;
  return null;
end
$$;

comment on function private.forget_daily_counts() is 'Trigger: deletes all counts when the leads are truncated.';

create trigger forget_daily_counts
  after truncate on public.recruiting_leads
  for each statement execute function private.forget_daily_counts();

create function private.room_under_cap(order_id uuid, daily_cap integer, moment timestamptz) returns integer
language plpgsql
stable
set search_path = ''
as $$
begin
  return daily_cap - coalesce(
    (
      select d.leads
      from private.recruiting_order_days d
      where d.order_id = room_under_cap.order_id and d.starts_at <= moment and d.ends_at > moment
    ),
    0
  );
end
$$;

comment on function private.room_under_cap(uuid, integer, timestamptz) is
  'Returns the number of further leads that the order may receive on the day of this moment; null without a cap.';

create function private.counted_order_days(agency_id uuid default null)
returns table (order_id uuid, starts_at timestamptz, ends_at timestamptz, leads integer)
language sql
stable
set search_path = ''
as $$
  -- Moves from each day of an order to the next day with a lead, by the index, because calling day_start() for each
  -- lead is slow.
  with recursive days as (
    select o.id as order_id, o.agency_id, a.timezone, first.day_start, private.day_end(first.day_start, a.timezone) as day_end
    from public.recruiting_orders o
    join public.agencies a on a.id = o.agency_id
    cross join lateral (
      select private.day_start(min(l.distributed_at), a.timezone) as day_start
      from public.recruiting_leads l
      where l.agency_id = o.agency_id and l.order_id = o.id
    ) first
    where first.day_start is not null
      and (counted_order_days.agency_id is null or o.agency_id = counted_order_days.agency_id)
    union all
    select d.order_id, d.agency_id, d.timezone, next.day_start, private.day_end(next.day_start, d.timezone)
    from days d
    cross join lateral (
      select private.day_start(min(l.distributed_at), d.timezone) as day_start
      from public.recruiting_leads l
      where l.agency_id = d.agency_id and l.order_id = d.order_id and l.distributed_at >= d.day_end
    ) next
    where next.day_start is not null
  )
  select d.order_id, d.day_start, d.day_end, (
    select count(*)::integer
    from public.recruiting_leads l
    where l.agency_id = d.agency_id
      and l.order_id = d.order_id
      and l.distributed_at >= d.day_start
      and l.distributed_at < d.day_end
  )
  from days d
$$;

comment on function private.counted_order_days(uuid) is
  'Returns the rows that private.recruiting_order_days must contain, recounted from the leads of one agency, or of '
  'all agencies (null). Reads all of their leads.';

create function private.recount_order_days(agency_id uuid default null) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- Nobody else can assign leads to these orders, or remove them, in the meantime. The agency is not locked: if the
  -- same transaction had updated its row before, distribution would wait for it, because `skip locked` does not skip a
  -- newer version.
  perform
  from public.recruiting_orders o
  where recount_order_days.agency_id is null or o.agency_id = recount_order_days.agency_id
  order by o.id
  for no key update;

  delete from private.recruiting_order_days d
  using public.recruiting_orders o
  where o.id = d.order_id
    and (recount_order_days.agency_id is null or o.agency_id = recount_order_days.agency_id);

  insert into private.recruiting_order_days (order_id, starts_at, ends_at, leads)
  select c.order_id, c.starts_at, c.ends_at, c.leads
  from private.counted_order_days(recount_order_days.agency_id) c;
end
$$;

comment on function private.recount_order_days(uuid) is
  'Recounts the leads of each order and day of an agency, or of all agencies (null), after '
  'public.check_daily_counts() found wrong counts. Reads all of their leads; nothing is distributed to these orders '
  'in the meantime.';

create function private.recount_after_timezone() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.recount_order_days(new.id);
  return null;
end
$$;

comment on function private.recount_after_timezone() is
  'Trigger: recounts the days of an agency after its time zone has changed.';

create trigger recount_after_timezone
  after update of timezone on public.agencies
  for each row when (old.timezone <> new.timezone)
  execute function private.recount_after_timezone();
