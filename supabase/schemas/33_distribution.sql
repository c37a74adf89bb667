-- Which order and which agent a recruiting lead goes to.
--
-- Whoever hands leads out holds the distribution lock (33_pending_leads.sql) and never waits for a row, because all other
-- leads would wait with it. An order or an agent that somebody else has locked is passed over, for example one that an
-- operator has changed in an open transaction.

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

-- Two functions choose, and both a preview and the distribution itself call them, so that the two always agree. They are
-- written in plpgsql because it keeps their query plans, while an SQL function is planned again at every call.

create function private.match_recruiting_order(
  vendor_id uuid,
  state text,
  moment timestamptz,
  passed_over uuid[] default '{}'
) returns setof public.recruiting_orders
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
    and o.id <> all (passed_over)
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

comment on function private.match_recruiting_order(uuid, text, timestamptz, uuid[]) is
  'The order that gets a lead of this vendor and state (null: unknown) at this moment, or no row. Highest priority '
  'first, then the smallest filled share, then the oldest. Leaves out the orders in passed_over.';
grant execute on function private.match_recruiting_order(uuid, text, timestamptz, uuid[]) to service_role;

create function private.next_agent(agency_id uuid, named_agent_id uuid, passed_over uuid[] default '{}')
returns uuid
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
      and (a.accepts_recruits or a.id = named_agent_id)
      and a.id <> all (passed_over)
    order by
      (a.id = named_agent_id) desc nulls last,
      a.last_assigned_at nulls first,
      a.created_at,
      a.id
    limit 1
  );
end
$$;

comment on function private.next_agent(uuid, uuid, uuid[]) is
  'The agent that the order names if active; else the active agent of the agency who accepts recruits and has waited '
  'longest; else null. Leaves out the agents in passed_over.';
grant execute on function private.next_agent(uuid, uuid, uuid[]) to service_role;

create function private.take_turn(
  chosen_order public.recruiting_orders,
  moment timestamptz,
  out agent_id uuid,
  out is_locked boolean
)
language plpgsql
set search_path = ''
as $$
declare
  passed_over uuid[] := '{}';
begin
  loop
    agent_id := private.next_agent(chosen_order.agency_id, chosen_order.agent_id, passed_over);
    exit when agent_id is null;

    update public.agents a
    set last_assigned_at = moment
    where a.id = (
      select free.id
      from public.agents free
      where free.id = take_turn.agent_id
        and free.is_active
        and (free.accepts_recruits or free.id = chosen_order.agent_id)
      for no key update skip locked
    );
    exit when found;

    passed_over := passed_over || agent_id;
    if agent_id = chosen_order.agent_id then
      agent_id := null;
      exit;
    end if;
  end loop;
  is_locked := agent_id is null and passed_over <> '{}';
end
$$;

comment on function private.take_turn(public.recruiting_orders, timestamptz) is
  'Gives the turn to the next agent of the order whom nobody has locked, and returns the agent_id; null without such an '
  'agent. is_locked: there is an agent, but the one that the order names, or each of them, is locked.';
grant execute on function private.take_turn(public.recruiting_orders, timestamptz) to service_role;

create function private.assign_lead(lead public.recruiting_leads, chosen_order public.recruiting_orders)
returns public.recruiting_leads
language plpgsql
set search_path = ''
as $$
declare
  moment constant timestamptz := clock_timestamp();
  turn record;
begin
  -- An operator does not take the distribution lock, so the order may have changed since it was chosen. The agency is
  -- locked here because the foreign key of the lead locks it, and would wait for it.
  perform
  from public.recruiting_orders o
  join public.agencies a on a.id = o.agency_id
  where o.id = chosen_order.id and o is not distinct from chosen_order
  for no key update of o skip locked
  for key share of a skip locked;
  if not found then
    return null;
  end if;

  select * into turn from private.take_turn(chosen_order, moment);
  if turn.is_locked then
    return null;
  end if;

  update public.recruiting_orders o
  set
    filled = o.filled + 1,
    status = case when o.filled + 1 = o.quantity then 'filled' else o.status end
  where o.id = chosen_order.id;

  update public.recruiting_leads l
  set
    distribution = 'distributed',
    order_id = chosen_order.id,
    agency_id = chosen_order.agency_id,
    agent_id = turn.agent_id,
    distributed_at = moment
  where l.id = lead.id
  returning * into lead;
  return lead;
end
$$;

comment on function private.assign_lead(public.recruiting_leads, public.recruiting_orders) is
  'Gives a lead to an order and an agent, counts it, and returns it. Null, and nothing is counted, when the order has '
  'changed since it was chosen, or when somebody has locked the order, its agency, or every agent who may get the lead.';
grant execute on function private.assign_lead(public.recruiting_leads, public.recruiting_orders) to service_role;

create function private.set_distribution(lead public.recruiting_leads, distribution text)
returns public.recruiting_leads
language plpgsql
set search_path = ''
as $$
begin
  if lead.distribution <> set_distribution.distribution then
    update public.recruiting_leads l
    set distribution = set_distribution.distribution
    where l.id = lead.id
    returning * into lead;
  end if;
  return lead;
end
$$;

comment on function private.set_distribution(public.recruiting_leads, text) is
  'Changes the distribution of a lead, if it is another one, and returns the lead.';
grant execute on function private.set_distribution(public.recruiting_leads, text) to service_role;

create function private.distribute_lead(
  lead public.recruiting_leads,
  chosen_order public.recruiting_orders default null
) returns public.recruiting_leads
language plpgsql
set search_path = ''
as $$
declare
  assigned public.recruiting_leads;
  passed_over uuid[] := '{}';
begin
  -- Each statement takes a new snapshot (the function is volatile, the isolation level read committed), so each choice
  -- sees what was committed before it.
  loop
    if chosen_order.id is not null then
      assigned := private.assign_lead(lead, chosen_order);
      exit when assigned.id is not null;
    end if;

    select * into chosen_order
    from private.match_recruiting_order(lead.vendor_id, lead.state, clock_timestamp(), passed_over);
    exit when not found;
    passed_over := passed_over || chosen_order.id;
  end loop;

  if assigned.id is not null then
    return assigned;
  end if;
  return private.set_distribution(
    lead,
    case
      when exists (select from private.match_recruiting_order(lead.vendor_id, lead.state, clock_timestamp()))
      then 'pending'
      else 'unmatched'
    end
  );
end
$$;

comment on function private.distribute_lead(public.recruiting_leads, public.recruiting_orders) is
  'Gives a stored lead to the best order that can take it now, and returns the lead as it is then: distributed; '
  'unmatched, when no order wants it; or pending, when all orders that want it are locked by somebody else. The caller '
  'holds the distribution lock. A chosen_order is tried first: the one that match_recruiting_order() returned before.';
grant execute on function private.distribute_lead(public.recruiting_leads, public.recruiting_orders) to service_role;

create function private.distributed_to(agency_id uuid, agent_id uuid) returns jsonb
language plpgsql
immutable
set search_path = ''
as $$
begin
  return case when agency_id is not null
    then jsonb_build_object('agency_id', agency_id, 'agent_id', agent_id) end;
end
$$;

comment on function private.distributed_to(uuid, uuid) is
  'Where a lead went, as in the response: {agency_id, agent_id|null}, or null when it went to no agency.';
grant execute on function private.distributed_to(uuid, uuid) to service_role;
