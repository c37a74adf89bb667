-- Which order and which agent a recruiting lead goes to.
--
-- Whoever hands leads out holds the distribution lock (33_pending_leads.sql) and never waits for a row, because all other
-- leads would wait with it. An order or an agent that somebody else has locked is passed over, for example one that an
-- operator has changed in an open transaction.

-- Which order or agent is first is also said by recruiting_orders_choice_idx (30_recruiting_orders.sql), agents_turn_idx
-- (10_agencies.sql) and the model in supabase/tests/38_distribution_model.test.sql.
--
-- Two functions choose, and both a preview and the distribution itself call them, so that the two always agree. They are
-- written in plpgsql because it keeps their query plans, while an SQL function is planned again at every call.

create function private.best_order(
  vendor_id uuid,
  state text,
  moment timestamptz,
  passed_over uuid[] default '{}'
) returns public.recruiting_orders
language plpgsql
stable
set search_path = ''
-- The planner would read all of a small table for each order, and a kept plan lives longer than the table stays small.
set enable_seqscan = off
as $$
declare
  chosen public.recruiting_orders;
begin
  -- Up to four searches, for this vendor or any, and this state or any. recruiting_orders_choice_idx has the orders of each
  -- best first, so a search ends at the first that fits, however many there are.
  select best.* into chosen
  from (values ('00000000-0000-0000-0000-000000000000'), (best_order.vendor_id)) as wanted (vendor)
  cross join (values (''), (best_order.state)) as from_state (state)
  cross join lateral (
    select o.*
    from public.recruiting_orders o
    where coalesce(o.vendor_id, '00000000-0000-0000-0000-000000000000') = wanted.vendor
      and coalesce(case when array_length(o.states, 1) = 1 then o.states[1] end, '') = from_state.state
      and o.status = 'open'
      and o.filled < o.quantity
      and o.id <> all (passed_over)
      and (o.vendor_id is null or o.vendor_id = best_order.vendor_id)
      and (o.states is null or best_order.state = any (o.states))
      and (o.starts_at is null or o.starts_at <= moment)
      and (o.ends_at is null or o.ends_at > moment)
      and (o.daily_cap is null or o.daily_cap > coalesce(
        (
          select d.leads
          from private.recruiting_order_days d
          where d.order_id = o.id and d.starts_at <= moment and d.ends_at > moment
        ),
        0
      ))
    order by o.priority desc, o.filled::numeric / o.quantity, o.created_at, o.id
    limit 1
  ) best
  order by best.priority desc, best.filled::numeric / best.quantity, best.created_at, best.id
  limit 1;
  return chosen;
end
$$;

comment on function private.best_order(uuid, text, timestamptz, uuid[]) is
  'The order that gets a lead of this vendor and state (null: unknown) at this moment, or null. Highest priority first, '
  'then the smallest filled share, then the oldest. Leaves out the orders in passed_over.';
grant execute on function private.best_order(uuid, text, timestamptz, uuid[]) to service_role;

create function private.match_recruiting_order(vendor_id uuid, state text, moment timestamptz)
returns setof public.recruiting_orders
language plpgsql
stable
rows 1
set search_path = ''
as $$
declare
  chosen constant public.recruiting_orders := private.best_order(vendor_id, state, moment);
begin
  if chosen.id is not null then
    return next chosen;
  end if;
end
$$;

comment on function private.match_recruiting_order(uuid, text, timestamptz) is
  'The order that best_order() returns, or no row. For queries; in a function, an assignment costs less.';
grant execute on function private.match_recruiting_order(uuid, text, timestamptz) to service_role;

create function private.next_agent(agency_id uuid, named_agent_id uuid) returns uuid
language plpgsql
stable
set search_path = ''
as $$
begin
  return coalesce(
    (
      select a.id
      from public.agents a
      where a.id = named_agent_id and a.agency_id = next_agent.agency_id and a.is_active
    ),
    (
      select a.id
      from public.agents a
      where a.agency_id = next_agent.agency_id and a.is_active and a.accepts_recruits
      order by a.last_assigned_at nulls first, a.created_at, a.id
      limit 1
    )
  );
end
$$;

comment on function private.next_agent(uuid, uuid) is
  'The agent that the order names if active; else the active agent of the agency who accepts recruits and has waited '
  'longest; else null.';
grant execute on function private.next_agent(uuid, uuid) to service_role;

create function private.lock_agents(agency_id uuid, named_agent_id uuid, wanted integer) returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  agent_ids uuid[];
begin
  -- The same choice as next_agent() makes.
  if named_agent_id is not null then
    if exists (
      select
      from public.agents a
      where a.id = named_agent_id and a.agency_id = lock_agents.agency_id and a.is_active
    ) then
      return (
        select array[a.id]
        from public.agents a
        where a.id = named_agent_id and a.is_active
        for no key update skip locked
      );
    end if;
  end if;

  agent_ids := array(
    select a.id
    from public.agents a
    where a.agency_id = lock_agents.agency_id and a.is_active and a.accepts_recruits
    order by a.last_assigned_at nulls first, a.created_at, a.id
    limit wanted
    for no key update skip locked
  );
  if agent_ids = '{}' and private.next_agent(agency_id, null) is not null then
    return null;
  end if;
  return agent_ids;
end
$$;

comment on function private.lock_agents(uuid, uuid, integer) is
  'Locks the agents who get the next leads of an order, at most as many as are wanted, and returns their ids in the order '
  'of their turns: the named agent alone if active; else those who have waited longest and whom nobody else has locked. '
  'Empty when the agency has no agent for them; null when it has, but somebody else has locked the agent that the order '
  'names, or all of them.';
grant execute on function private.lock_agents(uuid, uuid, integer) to service_role;

create function private.lock_order(chosen_order public.recruiting_orders) returns boolean
language plpgsql
set search_path = ''
as $$
begin
  -- An operator does not take the distribution lock, so the order may have changed since it was chosen. The agency is
  -- locked here because the foreign key of the lead locks it, and would wait for it.
  perform
  from public.recruiting_orders o
  join public.agencies a on a.id = o.agency_id
  where o.id = chosen_order.id and o is not distinct from chosen_order
  for no key update of o skip locked
  for key share of a skip locked;
  return found;
end
$$;

comment on function private.lock_order(public.recruiting_orders) is
  'Locks an order, so that it can take leads. False when it has changed since it was chosen, or when somebody else has '
  'locked it or its agency.';
grant execute on function private.lock_order(public.recruiting_orders) to service_role;

create function private.leads_before_rival(chosen_order public.recruiting_orders, rival public.recruiting_orders)
returns integer
language plpgsql
immutable
set search_path = ''
as $$
declare
  -- The rival's share of the chosen order's quantity.
  product constant bigint := rival.filled::bigint * chosen_order.quantity;
  is_older constant boolean := (chosen_order.created_at, chosen_order.id) < (rival.created_at, rival.id);
  last_filled bigint;
begin
  if rival.id is null or rival.priority < chosen_order.priority then
    return chosen_order.quantity - chosen_order.filled;
  elsif rival.priority > chosen_order.priority then
    return 1;
  end if;
  -- Of equal shares the older order comes first.
  last_filled := (product - case when is_older then 0 else 1 end) / rival.quantity;
  return greatest(least(last_filled + 1, chosen_order.quantity) - chosen_order.filled, 1);
end
$$;

comment on function private.leads_before_rival(public.recruiting_orders, public.recruiting_orders) is
  'How many leads the chosen order gets, one after the other, before the rival is the better choice or the quantity is '
  'reached. The rival is what best_order() returns without the chosen order; null: there is none. At least '
  'one, also when somebody has changed the rival since the order was chosen.';
grant execute on function private.leads_before_rival(public.recruiting_orders, public.recruiting_orders) to service_role;

create type private.placement as (
  distribution text,
  leads integer,
  order_id uuid,
  agency_id uuid,
  agent_ids uuid[],
  distributed_at timestamptz
);

comment on type private.placement is
  'Where the next leads of one vendor and state go. distribution: as in recruiting_leads. The rest is for `distributed` '
  'alone: how many leads the order takes now, its agents in the order of their turns (empty: the agency gets the leads with '
  'no agent), and when the first of them is distributed. Each further lead is distributed a microsecond later, so that '
  'the turns go on in this order.';

create function private.find_placement(
  vendor_id uuid,
  state text,
  wanted integer,
  chosen_order public.recruiting_orders default null
) returns private.placement
language plpgsql
set search_path = ''
as $$
declare
  passed_over uuid[] := '{}';
  moment timestamptz;
  leads integer;
  rival public.recruiting_orders;
  agent_ids uuid[];
begin
  -- Each statement takes a new snapshot (the function is volatile, the isolation level read committed), so each choice
  -- sees what was committed before it.
  loop
    if chosen_order.id is not null and private.lock_order(chosen_order) then
      moment := clock_timestamp();
      leads := wanted;
      if wanted > 1 then
        rival := private.best_order(vendor_id, state, moment, passed_over || chosen_order.id);
        leads := least(wanted, private.leads_before_rival(chosen_order, rival));
      end if;
      -- After the lock, because a count changes without the order's row.
      if chosen_order.daily_cap is not null then
        leads := least(leads, private.room_under_cap(chosen_order.id, chosen_order.daily_cap, moment));
      end if;
      if leads > 0 then
        agent_ids := private.lock_agents(chosen_order.agency_id, chosen_order.agent_id, leads);
        if agent_ids is not null then
          return row(
            'distributed', leads, chosen_order.id, chosen_order.agency_id, agent_ids, moment)::private.placement;
        end if;
      end if;
    end if;

    chosen_order := private.best_order(vendor_id, state, clock_timestamp(), passed_over);
    exit when chosen_order.id is null;
    passed_over := passed_over || chosen_order.id;
  end loop;

  return row(
    case
      when (private.best_order(vendor_id, state, clock_timestamp())).id is not null then 'pending'
      else 'unmatched'
    end, null, null, null, null, null)::private.placement;
end
$$;

comment on function private.find_placement(uuid, text, integer, public.recruiting_orders) is
  'Finds the best order that can take leads of this vendor and state now, and its agents, and locks them. The caller '
  'holds the distribution lock, gives the leads to them, and then calls record_placement(). `unmatched`: no order wants such '
  'leads. `pending`: all orders that want them, or their agents, are locked by somebody else. wanted: how many leads there '
  'are. A chosen_order is tried first: the one that best_order() returned before.';
grant execute on function private.find_placement(uuid, text, integer, public.recruiting_orders) to service_role;

create function private.record_placement(placement private.placement, lead_ids uuid[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  turns constant integer := cardinality(placement.agent_ids);
  has_greeting boolean;
begin
  update public.recruiting_orders o
  set
    filled = o.filled + placement.leads,
    status = case when o.filled + placement.leads = o.quantity then 'filled' else o.status end
  where o.id = placement.order_id
  returning o.greeting_template is not null into has_greeting;

  update public.agents a
  set last_assigned_at = placement.distributed_at
    -- The last of the leads that came to this agent.
    + (turn.ordinal - 1 + (placement.leads - turn.ordinal) / turns * turns) * interval '1 microsecond'
  from unnest(placement.agent_ids) with ordinality as turn (agent_id, ordinal)
  where a.id = turn.agent_id and turn.ordinal <= placement.leads;

  if has_greeting then
    perform private.queue_greetings(lead_ids);
  end if;
end
$$;

comment on function private.record_placement(private.placement, uuid[]) is
  'Called once for each placement, when its leads have been stored with it: counts them at the order and the agents, which '
  'find_placement() has locked, and greets the recruits if the order has a greeting. lead_ids: the leads in the order of '
  'their turns; the nth goes to agent (n - 1) % cardinality(agent_ids) + 1.';
grant execute on function private.record_placement(private.placement, uuid[]) to service_role;

create function private.lock_waiting_leads(lead_ids uuid[], vendor_id uuid, state text, max integer default null)
returns uuid[]
language plpgsql
set search_path = ''
as $$
begin
  return array(
    select l.id
    from unnest(lead_ids) with ordinality as waiting (lead_id, ordinal)
    join public.recruiting_leads l on l.id = waiting.lead_id
    where l.distribution in ('unmatched', 'pending')
      and l.vendor_id = lock_waiting_leads.vendor_id
      and l.state is not distinct from lock_waiting_leads.state
    order by waiting.ordinal
    limit max
    for no key update of l skip locked
  );
end
$$;

comment on function private.lock_waiting_leads(uuid[], uuid, text, integer) is
  'Locks those of the leads that still wait, are still of this vendor and state, and that nobody else has locked. Returns '
  'their ids in the same order, at most max.';
grant execute on function private.lock_waiting_leads(uuid[], uuid, text, integer) to service_role;

create function private.distribute_leads(
  lead_ids uuid[],
  vendor_id uuid,
  state text,
  deadline timestamptz default 'infinity'
) returns text
language plpgsql
set search_path = ''
as $$
declare
  placement private.placement;
  rest uuid[] := lead_ids;
  locked uuid[];
begin
  while rest <> '{}' loop
    placement := private.find_placement(vendor_id, state, cardinality(rest));
    -- An operator may have locked, changed or deleted a lead.
    locked := private.lock_waiting_leads(rest, vendor_id, state, placement.leads);
    exit when locked = '{}';

    if placement.distribution <> 'distributed' then
      update public.recruiting_leads l
      set distribution = placement.distribution
      where l.id = any (locked) and l.distribution <> placement.distribution;
      exit;
    end if;

    placement.leads := cardinality(locked);
    update public.recruiting_leads l
    set
      distribution = 'distributed',
      order_id = placement.order_id,
      agency_id = placement.agency_id,
      agent_id = placement.agent_ids[(place.ordinal - 1) % greatest(cardinality(placement.agent_ids), 1) + 1],
      distributed_at = placement.distributed_at + (place.ordinal - 1) * interval '1 microsecond'
    from unnest(locked) with ordinality as place (lead_id, ordinal)
    where l.id = place.lead_id;
    perform private.record_placement(placement, locked);
    rest := rest[array_position(rest, locked[placement.leads]) + 1:];
    exit when clock_timestamp() > deadline;
  end loop;
  return placement.distribution;
end
$$;

comment on function private.distribute_leads(uuid[], uuid, text, timestamptz) is
  'Gives stored leads of one vendor and state, one after the other, each to the best order that can take it now. Leaves out '
  'those that lock_waiting_leads() leaves out, and after the deadline those that are left. Returns what became of the last: '
  'distributed; or unmatched or pending, as find_placement() says, and then so are the leads before it that found no '
  'order. The caller holds the distribution lock.';
grant execute on function private.distribute_leads(uuid[], uuid, text, timestamptz) to service_role;

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
