-- Which order and which agent a recruiting lead goes to. Two functions choose, and both a preview and the distribution
-- itself call them, so that the two always agree. They are written in plpgsql because it keeps their query plans, while
-- an SQL function is planned again at every call.

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
  -- When the clock goes back over midnight, the local date after the moment may already have begun.
  for day_offset in reverse 1 .. 0 loop
    midnight := date_trunc('day', moment at time zone timezone) + make_interval(days => day_offset);
    -- Of two midnights Postgres takes the second. The first is found with the offset of 24 hours before.
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
  'When the day of this moment began in this time zone. Where the clock goes back over midnight, a day begins at the '
  'first of the two midnights; where it skips midnight, at the first moment after it.';
grant execute on function private.day_start(timestamptz, text) to service_role;

create function private.match_recruiting_order(vendor_id uuid, state text, moment timestamptz)
returns setof public.recruiting_orders
language plpgsql
stable
rows 1
set search_path = ''
as $$
begin
  return query
  select o.*
  from public.recruiting_orders o
  join public.agencies a on a.id = o.agency_id
  where o.status = 'open'
    and o.filled < o.quantity
    and (o.vendor_id is null or o.vendor_id = match_recruiting_order.vendor_id)
    and (o.states is null or match_recruiting_order.state = any (o.states))
    and (o.starts_at is null or o.starts_at <= moment)
    and (o.ends_at is null or o.ends_at > moment)
    and (o.daily_cap is null or o.daily_cap > (
      select count(*)
      from public.recruiting_leads l
      where l.order_id = o.id
        and l.agency_id = o.agency_id
        and l.distributed_at >= private.day_start(moment, a.timezone)
    ))
  order by o.priority desc, o.filled::numeric / o.quantity, o.created_at, o.id
  limit 1;
end
$$;

comment on function private.match_recruiting_order(uuid, text, timestamptz) is
  'The order that gets a lead of this vendor and state (null: unknown) at this moment, or no row. Highest priority '
  'first, then the smallest filled share, then the oldest.';
grant execute on function private.match_recruiting_order(uuid, text, timestamptz) to service_role;

create function private.next_agent(agency_id uuid, preferred_agent_id uuid) returns uuid
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select a.id
    from public.agents a
    where a.agency_id = next_agent.agency_id
      and a.is_active
      and (a.accepts_recruits or a.id = preferred_agent_id)
    order by
      (a.id = preferred_agent_id) desc nulls last,
      a.last_assigned_at nulls first,
      a.created_at,
      a.id
    limit 1
  );
end
$$;

comment on function private.next_agent(uuid, uuid) is
  'The preferred agent if active; else the active agent of the agency who accepts recruits and has waited longest; '
  'else null.';
grant execute on function private.next_agent(uuid, uuid) to service_role;

create function private.distribute_recruiting_lead(lead_id uuid, vendor_id uuid, state text)
returns public.recruiting_leads
language plpgsql
set search_path = ''
as $$
declare
  chosen_order public.recruiting_orders;
  chosen_agent_id uuid;
  moment timestamptz;
  lead public.recruiting_leads;
begin
  -- A lead that no order matches does not wait for the lock.
  if not exists (
    select from private.match_recruiting_order(vendor_id, state, clock_timestamp())
  ) then
    return null;
  end if;

  -- One lead at a time, because turns, shares and daily counts depend on every choice before. Each statement takes a
  -- new snapshot (the function is volatile, the isolation level read committed), so under the lock it sees the last
  -- choice. There is no deadlock: a transaction inserts its lead before it waits here, so the one that holds the lock
  -- never waits for another one's insert.
  perform pg_advisory_xact_lock(hashtextextended('recruiting lead distribution', 0));

  -- An administrator does not take the lock, and may change the order or deactivate the agent just after the choice.
  -- Therefore each update repeats the conditions: the order must be unchanged, the agent must still be allowed. When an
  -- update finds no row, the choice is made again.
  loop
    moment := clock_timestamp();
    select * into chosen_order from private.match_recruiting_order(vendor_id, state, moment);
    if not found then
      return null;
    end if;

    update public.recruiting_orders o
    set
      filled = o.filled + 1,
      status = case when o.filled + 1 = o.quantity then 'filled' else o.status end
    where o.id = chosen_order.id and o is not distinct from chosen_order;
    exit when found;
  end loop;

  loop
    chosen_agent_id := private.next_agent(chosen_order.agency_id, chosen_order.agent_id);
    exit when chosen_agent_id is null;

    update public.agents a
    set last_assigned_at = moment
    where a.id = chosen_agent_id
      and a.is_active
      and (a.accepts_recruits or a.id = chosen_order.agent_id);
    exit when found;
  end loop;

  update public.recruiting_leads l
  set
    order_id = chosen_order.id,
    agency_id = chosen_order.agency_id,
    agent_id = chosen_agent_id,
    distributed_at = moment
  where l.id = lead_id
  returning * into lead;
  return lead;
end
$$;

comment on function private.distribute_recruiting_lead(uuid, uuid, text) is
  'Gives a stored lead to an order and an agent and counts it, in the transaction of the caller. Returns the lead with '
  'its order and agent, or null when no order matches.';
grant execute on function private.distribute_recruiting_lead(uuid, uuid, text) to service_role;
