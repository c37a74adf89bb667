-- Distributes leads to orders and agents: the new leads of a call, and stored leads that are `pending`, oldest first.
--
-- Only one transaction at a time distributes, because turns, shares and daily counts depend on every earlier choice. It
-- holds the distribution lock. No transaction waits for that lock: a transaction that does not get it leaves its leads
-- `pending`, and the next one that gets it distributes them too, whatever happened to the request. Waiting was
-- measured: with many isolates, it reduced the rate to between 0.2 and 0.6.
--
-- The holder of the lock never waits for a row, because all other leads would wait too. It skips orders and agents that
-- another transaction has locked, such as one that an operator changed in an open transaction. It waits at most 20 ms
-- for a table, and then all leads stay pending.
--
-- recruiting/order_choice.sql defines which order is first; agents_turn_idx must agree with the choice of the first
-- agent. supabase/tests/recruiting/distribution_model.test.sql contains a simple model of both.

create type private.pending_lead as (id uuid, vendor_id uuid, state text);

comment on type private.pending_lead is 'A pending lead, and the columns that determine its order.';

create type private.placement_outcome as enum ('placed', 'unwanted', 'locked');

comment on type private.placement_outcome is
  '`placed`: an order accepts the lead. `unwanted`: no order accepts it. `locked`: the orders that accept it, or '
  'their agents, are locked by other transactions.';

create type private.placement as (
  outcome private.placement_outcome,
  leads integer,
  order_id uuid,
  agency_id uuid,
  agent_ids uuid[],
  has_greeting boolean
);

comment on type private.placement is
  'The place of the next leads. If they are placed: how many, the order, and its agents in the order of their turns '
  '(empty: the agency receives the leads without an agent).';

create type private.placed_lead as (
  id uuid,
  distribution text,
  order_id uuid,
  agency_id uuid,
  agent_id uuid,
  distributed_at timestamptz
);

comment on type private.placed_lead is 'The columns of recruiting_leads that are set when a lead is distributed.';

create function public.distribute_pending_leads(lead_ids uuid[]) returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '2s'
set lock_timeout = '100ms'
set enable_seqscan = off
-- Otherwise, statements with arrays are planned at each call, which takes longer than running them.
set plan_cache_mode = force_generic_plan
as $$
declare
  has_tried_all boolean;
  is_pending boolean;
  leads jsonb;
begin
  if exists (select from public.recruiting_leads l where l.id = any (lead_ids) and l.distribution = 'pending') then
    has_tried_all := private.try_distribute_pending();
  end if;

  select
    coalesce(bool_or(l.distribution = 'pending'), false),
    coalesce(jsonb_object_agg(asked.id, jsonb_build_object(
      'distribution', l.distribution, 'distributed_to', private.created_lead(l) -> 'distributed_to'
    )), '{}')
  into is_pending, leads
  from unnest(lead_ids) as asked (id)
  left join lateral (select * from public.recruiting_leads stored where stored.id = asked.id offset 0) l on true;

  -- The transaction that stored or distributed a lead may not have waited for the disk. A transaction that has written
  -- nothing to the log would end without waiting for it either.
  perform pg_logical_emit_message(true, 'recruiting leads', '');
  return jsonb_build_object('leads', leads, 'order_is_locked', is_pending and coalesce(has_tried_all, false));
end
$$;

comment on function public.distribute_pending_leads(uuid[]) is
  'Distributes every pending lead, oldest first, if one of these is pending, and returns where they went: {leads: '
  '{<id>: {distribution, distributed_to: {agency_id, agent_id|null}|null}}, order_is_locked}. distribution is null if '
  'the lead does not exist: it was deleted, or the server crashed before it was on disk. A lead stays pending while '
  'another transaction distributes; call again after a moment. If order_is_locked is true, the orders that accept it '
  'are locked. Every returned state is on disk.';
grant execute on function public.distribute_pending_leads(uuid[]) to service_role;

create function private.distribute_new_leads(fresh private.pending_lead[]) returns private.placed_lead[]
language plpgsql
set search_path = ''
as $$
declare
  are_others_pending constant boolean := exists (select from public.recruiting_leads l where l.distribution = 'pending');
begin
  if fresh = '{}' and not are_others_pending then
    return '{}';
  end if;
  if not pg_try_advisory_xact_lock(private.distribution_lock()) then
    return null;
  end if;
  perform set_config('lock_timeout', '20ms', true);
  if are_others_pending and not private.distribute_pending() then
    return null;
  end if;
  return private.distribute_leads(fresh);
end
$$;

comment on function private.distribute_new_leads(private.pending_lead[]) is
  'Finds places for new leads that an order accepts, after distributing all pending leads. The caller stores the new '
  'leads. Returns null, and the new leads become pending too, if another transaction distributes or time runs out. '
  '55P03 if a table is locked.';

create function private.try_distribute_pending() returns boolean
language plpgsql
set search_path = ''
as $$
begin
  if not pg_try_advisory_xact_lock(private.distribution_lock()) then
    return null;
  end if;
  perform set_config('lock_timeout', '20ms', true);
  return private.distribute_pending();
exception when lock_not_available then
  -- A table is locked.
  return true;
end
$$;

comment on function private.try_distribute_pending() is
  'Distributes the pending leads. Returns null if another transaction distributes; true if all leads were tried: '
  'those that are still pending wait for a locked order, agent or table; false if time ran out.';

-- Not a SQL function, which would be planned at each call.
create function private.distribution_lock() returns bigint
language plpgsql
immutable
set search_path = ''
as $$
begin
  return hashtextextended('recruiting lead distribution', 0);
end
$$;

comment on function private.distribution_lock() is
  'Returns the key of the advisory lock that the distributing transaction holds.';

create function private.distribute_pending(seconds double precision default 0.2) returns boolean
language plpgsql
set search_path = ''
-- Otherwise, the planner might hash all leads to join the placed ones.
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  -- Others do not wait long for the lock, and the statement stays far below its timeout.
  deadline constant timestamptz := clock_timestamp() + make_interval(secs => seconds);
  pending private.pending_lead[];
  placed private.placed_lead[];
  -- Vendors and states whose orders are locked.
  locked text[] := '{}';
  withheld private.placed_lead[] := '{}';
  -- Leads whose earlier lead stays pending.
  waiting uuid[] := '{}';
  fetched integer;
  is_followed boolean;
begin
  loop
    -- Leads that an operator has locked are skipped.
    pending := array(
      select row(l.id, l.vendor_id, l.state)::private.pending_lead
      from public.recruiting_leads l
      where l.distribution = 'pending'
        and (locked = '{}' or l.vendor_id || coalesce(l.state, '') <> all (locked))
        and (waiting = '{}' or l.id <> all (waiting))
      order by l.created_at, l.id
      limit 100
      for no key update skip locked
    );
    fetched := cardinality(pending);
    if exists (select from public.suppressions) or exists (select from private.lead_repeats) then
      withheld := private.withhold_leads(pending);
      pending := array(select p from unnest(pending) p where p.id <> all (array(select w.id from unnest(withheld) w)));
    end if;
    placed := private.distribute_leads(pending, deadline);
    update public.recruiting_leads l
    set
      distribution = p.distribution,
      order_id = p.order_id,
      agency_id = p.agency_id,
      agent_id = p.agent_id,
      distributed_at = p.distributed_at
    from unnest(placed || withheld) p
    where l.id = p.id and p.distribution <> 'pending';

    if cardinality(placed) < cardinality(pending) then
      return false;
    end if;
    is_followed := false;
    if withheld <> '{}' then
      select
        coalesce(bool_or(e.distribution is distinct from 'pending'), false),
        waiting || coalesce(array_agg(w.id) filter (where e.distribution = 'pending'), '{}')
      into is_followed, waiting
      from unnest(withheld) w
      join private.lead_repeats r on r.lead_id = w.id
      left join public.recruiting_leads e on e.id = r.earlier_id
      where w.distribution = 'pending';
    end if;
    exit when fetched < 100 and not is_followed;
    locked := locked || array(
      select distinct w.vendor_id || coalesce(w.state, '')
      from unnest(pending) w
      join unnest(placed) p on p.id = w.id
      where p.distribution = 'pending'
    );
  end loop;
  return true;
end
$$;

comment on function private.distribute_pending(double precision) is
  'Distributes the pending leads, oldest first. Returns false if the time limit was reached, possibly before the last '
  'lead. The caller holds the distribution lock.';

create function private.distribute_leads(pending private.pending_lead[], deadline timestamptz default 'infinity')
returns private.placed_lead[]
language plpgsql
set search_path = ''
as $$
declare
  -- Each further lead is distributed a microsecond later, so that turns continue in this order.
  moment timestamptz := clock_timestamp();
  placement private.placement;
  placed private.placed_lead[] := '{}';
begin
  while pending <> '{}' and (placed = '{}' or clock_timestamp() < deadline) loop
    placement := private.find_placement(pending, moment, placed);
    if placement.outcome = 'placed' then
      placed := placed || private.assign_leads(pending[:placement.leads], placement, moment);
      moment := moment + placement.leads * interval '1 microsecond';
      pending := pending[placement.leads + 1:];
    else
      -- The same applies to all leads of this vendor and state.
      placed := placed || array(
        select row(
          p.id, case placement.outcome when 'locked' then 'pending' else 'unmatched' end, null, null, null, null
        )::private.placed_lead
        from unnest(pending) p
        where p.vendor_id = pending[1].vendor_id and p.state is not distinct from pending[1].state
      );
      pending := array(
        select p
        from unnest(pending) p
        where p.vendor_id <> pending[1].vendor_id or p.state is distinct from pending[1].state
      );
    end if;
  end loop;
  return placed;
end
$$;

comment on function private.distribute_leads(private.pending_lead[], timestamptz) is
  'Assigns leads to orders and agents, by turns, and counts them there; the caller writes the leads. Returns the '
  'place of each lead: unmatched if no order accepts it; pending if all orders that accept it are locked. Leads that '
  'did not fit before the deadline are omitted. The caller holds the distribution lock, and has locked the stored '
  'leads.';

create function private.assign_leads(leads private.pending_lead[], place private.placement, moment timestamptz)
returns private.placed_lead[]
language plpgsql
set search_path = ''
as $$
declare
  agents constant integer := cardinality(place.agent_ids);
  placed private.placed_lead[];
begin
  -- The worker does the rest.
  if place.has_greeting then
    set constraints private.waiting_greetings_lead_id_fkey deferred;
    insert into private.waiting_greetings (lead_id) select l.id from unnest(leads) l;
  end if;
  with ordered as (
    update public.recruiting_orders o
    set
      filled = o.filled + place.leads,
      status = case when o.filled + place.leads = o.quantity then 'filled' else o.status end
    where o.id = place.order_id
  ), taken_turns as (
    update public.agents a
    set last_assigned_at = moment
      -- The last lead that this agent received.
      + (turn.ordinal - 1 + (place.leads - turn.ordinal) / agents * agents) * interval '1 microsecond'
    from unnest(place.agent_ids) with ordinality as turn (agent_id, ordinal)
    where a.id = turn.agent_id and turn.ordinal <= place.leads
  ), notifications as (
    insert into private.lead_notifications_due (lead_id) select l.id from unnest(leads) l
  )
  select array_agg(
    row(
      l.id, 'distributed', place.order_id, place.agency_id,
      place.agent_ids[(l.ordinal - 1) % greatest(agents, 1) + 1], moment + (l.ordinal - 1) * interval '1 microsecond'
    )::private.placed_lead
    order by l.ordinal
  )
  into placed
  from unnest(leads) with ordinality as l (id, vendor_id, state, ordinal);
  return placed;
end
$$;

comment on function private.assign_leads(private.pending_lead[], private.placement, timestamptz) is
  'Counts these leads for their order, advances its agents'' turns, queues their notifications, and returns the place '
  'of each lead. The first lead is distributed at this moment. The caller has locked the order and the agents.';

create function public.distribute_waiting_leads(max integer, vendor_id uuid default null) returns integer
language plpgsql
set search_path = ''
set statement_timeout = '60s'
set lock_timeout = '5s'
as $$
declare
  wanted uuid[];
begin
  if max is null or max < 1 then
    raise exception 'max: must be 1 or more' using errcode = 'PT400';
  end if;
  perform pg_advisory_xact_lock(private.distribution_lock());
  -- From here on, all leads wait for this call.
  perform set_config('lock_timeout', '20ms', true);

  with kinds as materialized (
    select k.vendor_id, k.state
    from (
      select distinct l.vendor_id, l.state
      from public.recruiting_leads l
      where l.distribution in ('unmatched', 'pending')
        and (distribute_waiting_leads.vendor_id is null or l.vendor_id = distribute_waiting_leads.vendor_id)
    ) k
    where (private.best_order(k.vendor_id, k.state, clock_timestamp())).id is not null
  ), waiting as (
    -- Leads that an operator has locked are skipped.
    select l.id, l.distribution
    from public.recruiting_leads l
    join kinds k on k.vendor_id = l.vendor_id and k.state is not distinct from l.state
    where l.distribution in ('unmatched', 'pending')
    order by l.created_at, l.id
    limit max
    for no key update of l skip locked
  ), made_pending as (
    update public.recruiting_leads l
    set distribution = 'pending'
    from waiting w
    where l.id = w.id and w.distribution = 'unmatched'
  )
  select array_agg(w.id) into wanted from waiting w;

  perform private.distribute_pending(seconds => 50);
  return (
    select count(*) from public.recruiting_leads l where l.id = any (wanted) and l.distribution = 'distributed'
  );
end
$$;

comment on function public.distribute_waiting_leads(integer, uuid) is
  'Distributes leads that no order accepted when they arrived (unmatched), and pending ones: oldest first, at most '
  'max, of one vendor or of all. Returns their number; 0 if no order accepts a waiting lead. For an order that was '
  'opened late. Holds the distribution lock, so other leads wait: call it with a max of about 100 until it returns 0. '
  '55P03 if another transaction holds the lock for more than 5 s, or has locked a required table; PT400 if max is '
  'less than 1.';
grant execute on function public.distribute_waiting_leads(integer, uuid) to service_role;
