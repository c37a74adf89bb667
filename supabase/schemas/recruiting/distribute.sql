-- Distributing leads to orders and agents: the new ones of a call, and the stored ones that are `pending`, oldest first.
--
-- One transaction at a time distributes, because turns, shares and daily counts depend on every choice before it. It
-- holds the distribution lock. No transaction waits for that lock: one that does not get it leaves its leads `pending`.
-- The next one that gets it distributes them too, whatever has become of the request. Waiting was measured: with many
-- isolates it gave 0.2 to 0.6 of the rate.
--
-- The holder of the lock never waits for a row, because all other leads would wait with it. An order or an agent that
-- somebody else has locked is passed over, for example one that an operator has changed in an open transaction. For a
-- table it waits 20 ms at most, and then all leads stay pending.
--
-- Which order is first: recruiting/order_choice.sql. Which agent is first is also said by agents_turn_idx. A plain
-- model of both is in supabase/tests/recruiting/distribution_model.test.sql.

create type private.pending_lead as (id uuid, vendor_id uuid, state text);

comment on type private.pending_lead is 'A pending lead, and what its order depends on.';

create type private.placement_outcome as enum ('placed', 'unwanted', 'locked');

comment on type private.placement_outcome is
  '`placed`: an order gets the lead. `unwanted`: no order wants it. `locked`: others have locked the orders that want it, or '
  'their agents.';

create type private.placement as (
  outcome private.placement_outcome,
  leads integer,
  order_id uuid,
  agency_id uuid,
  agent_ids uuid[],
  has_greeting boolean
);

comment on type private.placement is
  'The place of the next leads. Where they are placed: how many, in which order, and its agents in the order of their turns '
  '(empty: the agency gets the leads without an agent).';

create type private.placed_lead as (
  id uuid,
  distribution text,
  order_id uuid,
  agency_id uuid,
  agent_id uuid,
  distributed_at timestamptz
);

comment on type private.placed_lead is 'The columns of recruiting_leads that a distributed lead gets.';

create function public.distribute_pending_leads(lead_ids uuid[]) returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '2s'
set lock_timeout = '100ms'
set enable_seqscan = off
-- Without it, statements with arrays are planned at each call, which takes longer than to run them.
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

  -- The transaction that stored a lead, or distributed it, may not have waited for the disk.
  -- A transaction that has written nothing to the log would end without waiting for the disk.
  perform pg_logical_emit_message(true, 'recruiting leads', '');
  return jsonb_build_object('leads', leads, 'order_is_locked', is_pending and coalesce(has_tried_all, false));
end
$$;

comment on function public.distribute_pending_leads(uuid[]) is
  'Distributes every pending lead, oldest first, if one of these is pending, and says where they went: {leads: {<id>: '
  '{distribution, distributed_to: {agency_id, agent_id|null}|null}}, order_is_locked}. distribution is null when there is '
  'no such lead: it was deleted, or the server crashed before it was on disk. A lead stays pending while another '
  'transaction distributes; ask again a moment later. With order_is_locked it waits for somebody who has locked the '
  'orders that want it. What it says of a lead is on disk.';
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
  'Finds the places of new leads that an order wants, after those of all leads that are pending. The caller stores them. '
  'Returns null, and the new leads are pending too, while another transaction distributes or when there was no time for '
  'them. 55P03 when somebody has locked a table.';

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
  -- Somebody has locked a table.
  return true;
end
$$;

comment on function private.try_distribute_pending() is
  'Distributes the leads that are pending, unless another transaction distributes: then null. True when it has tried all of '
  'them: those that are still pending wait for an order, an agent or a table that somebody has locked. False when its time '
  'was over.';

-- Not in SQL, which would be planned at each call.
create function private.distribution_lock() returns bigint
language plpgsql
immutable
set search_path = ''
as $$
begin
  return hashtextextended('recruiting lead distribution', 0);
end
$$;

comment on function private.distribution_lock() is 'The key of the advisory lock of the transaction that distributes.';

create function private.distribute_pending(seconds double precision default 0.2) returns boolean
language plpgsql
set search_path = ''
-- Otherwise the leads that were placed could be joined with all leads.
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  -- So that others do not wait long for the lock, and the statement stays far below its timeout.
  deadline constant timestamptz := clock_timestamp() + make_interval(secs => seconds);
  pending private.pending_lead[];
  placed private.placed_lead[];
  -- Vendors and states whose orders are locked.
  locked text[] := '{}';
begin
  loop
    -- Not those that an operator has locked.
    pending := array(
      select row(l.id, l.vendor_id, l.state)::private.pending_lead
      from public.recruiting_leads l
      where l.distribution = 'pending'
        and (locked = '{}' or l.vendor_id || coalesce(l.state, '') <> all (locked))
      order by l.created_at, l.id
      limit 100
      for no key update skip locked
    );
    placed := private.distribute_leads(pending, deadline);
    update public.recruiting_leads l
    set
      distribution = p.distribution,
      order_id = p.order_id,
      agency_id = p.agency_id,
      agent_id = p.agent_id,
      distributed_at = p.distributed_at
    from unnest(placed) p
    where l.id = p.id and p.distribution <> 'pending';

    if cardinality(placed) < cardinality(pending) then
      return false;
    end if;
    exit when cardinality(pending) < 100;
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
  'Distributes the leads that are pending, oldest first. Returns false when its seconds were over, perhaps before the last. '
  'The caller holds the distribution lock.';

create function private.distribute_leads(pending private.pending_lead[], deadline timestamptz default 'infinity')
returns private.placed_lead[]
language plpgsql
set search_path = ''
as $$
declare
  -- Each further lead is distributed a microsecond later, so that the turns go on in this order.
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
      -- The same is true of all leads of this vendor and state.
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
  'Gives leads to orders and agents, by turns, and counts them there; the caller writes the leads themselves. Returns the '
  'place of each: unmatched when no order wants it; pending when others have locked all that do. Without those for which '
  'there was no time until the deadline. The caller holds the distribution lock, and locked the leads that are stored.';

create function private.assign_leads(leads private.pending_lead[], place private.placement, moment timestamptz)
returns private.placed_lead[]
language plpgsql
set search_path = ''
as $$
declare
  agents constant integer := cardinality(place.agent_ids);
  placed private.placed_lead[];
begin
  -- The worker that sends texts does the rest.
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
      -- The last of the leads that came to this agent.
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
  'Counts these leads in their order, gives its agents their turns, queues their notifications, and returns the place of '
  'each lead. The first one is distributed at the moment. The caller has locked the order and the agents.';

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
  -- From now on all leads wait with this function call.
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
    -- Not those that an operator has locked.
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
  'Distributes leads that came when no order wanted them (unmatched), and pending ones: oldest first, at most max, of one '
  'vendor or of all. Returns how many; 0 when nothing that waits is wanted. For an order that was opened late. Holds the '
  'distribution lock, so that other leads wait meanwhile: call it with max of about 100 until it returns 0. 55P03 when '
  'others keep the lock for more than 5 s, or somebody has locked a table that it needs; PT400 for a max below 1.';
grant execute on function public.distribute_waiting_leads(integer, uuid) to service_role;
