-- Handing out the leads that are stored as `pending`, oldest first.
--
-- One transaction at a time hands leads out, because turns, shares and daily counts depend on every choice before it. It
-- holds the distribution lock. Nobody waits for that lock: a transaction that does not get it leaves its leads `pending`.
-- The next one that gets it hands them out too, whatever has become of the request. Waiting was measured: with many
-- isolates it gave 0.2 to 0.6 of the rate.
--
-- Whoever holds the lock never waits for a row, because all other leads would wait with it. An order or an agent that
-- somebody else has locked is passed over, for example one that an operator has changed in an open transaction. For a table
-- it waits 20 ms at most, and then all leads stay pending.
--
-- Which order is first: recruiting/order_choice.sql. Which agent is first is also said by agents_turn_idx. A plain
-- model of both is in supabase/tests/38_distribution_model.test.sql.

create type private.waiting_lead as (id uuid, vendor_id uuid, state text);

comment on type private.waiting_lead is 'A pending lead, and what its order depends on.';

create type private.placement as (
  leads integer,
  order_id uuid,
  agency_id uuid,
  agent_ids uuid[],
  has_greeting boolean
);

comment on type private.placement is
  'Where the next leads go: how many of them, to which order, and to its agents in the order of their turns (empty: the '
  'agency gets the leads with no agent). leads is null when no order wants the first lead, 0 when those that do are locked.';

create type private.placed_lead as (
  id uuid,
  distribution text,
  order_id uuid,
  agency_id uuid,
  agent_id uuid,
  distributed_at timestamptz
);

comment on type private.placed_lead is 'What becomes of a lead: columns of recruiting_leads.';

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
    has_tried_all := private.hand_out_pending();
  end if;

  select
    coalesce(bool_or(l.distribution = 'pending'), false),
    coalesce(jsonb_object_agg(asked.id, jsonb_build_object(
      'distribution', l.distribution, 'distributed_to', private.created_lead(l) -> 'distributed_to'
    )), '{}')
  into is_pending, leads
  from unnest(lead_ids) as asked (id)
  left join lateral (select * from public.recruiting_leads stored where stored.id = asked.id offset 0) l on true;

  -- Whoever stored a lead or handed it out may not have waited for the disk.
  -- A transaction that has written nothing to the log would end without waiting for the disk.
  perform pg_logical_emit_message(true, 'recruiting leads', '');
  return jsonb_build_object('leads', leads, 'order_is_locked', is_pending and coalesce(has_tried_all, false));
end
$$;

comment on function public.distribute_pending_leads(uuid[]) is
  'Hands out every pending lead, oldest first, if one of these is pending, and says where they went: {leads: {<id>: '
  '{distribution, distributed_to: {agency_id, agent_id|null}|null}}, order_is_locked}. distribution is null when there is '
  'no such lead: it was deleted, or the server crashed before it was on disk. A lead stays pending while another '
  'transaction hands leads out; ask again a moment later. With order_is_locked it waits for somebody who has locked the '
  'orders that want it. What it says of a lead is on disk.';
grant execute on function public.distribute_pending_leads(uuid[]) to service_role;

create function private.hand_out(fresh private.waiting_lead[], are_others_waiting boolean) returns private.placed_lead[]
language plpgsql
set search_path = ''
as $$
begin
  if not pg_try_advisory_xact_lock(private.distribution_lock()) then
    return null;
  end if;
  perform set_config('lock_timeout', '20ms', true);
  if are_others_waiting and not private.distribute_pending() then
    return null;
  end if;
  return private.place_leads(fresh);
end
$$;

comment on function private.hand_out(private.waiting_lead[], boolean) is
  'Hands out the leads that are pending, if there are some (are_others_waiting), and finds a place for fresh ones, which the '
  'caller then stores. Returns null, and the fresh leads are pending too, when somebody else hands out or when there was no '
  'time for them. 55P03 when somebody has locked a table.';
grant execute on function private.hand_out(private.waiting_lead[], boolean) to service_role;

create function private.hand_out_pending() returns boolean
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

comment on function private.hand_out_pending() is
  'Hands out the leads that are pending, unless somebody else does: then null. Returns true when it has tried all of '
  'them: those that are still pending wait for somebody who has locked an order, an agent or a table. Returns false when '
  'its time was over.';
grant execute on function private.hand_out_pending() to service_role;

create function private.distribution_lock() returns bigint
language plpgsql
immutable
set search_path = ''
as $$
begin
  return hashtextextended('recruiting lead distribution', 0);
end
$$;

comment on function private.distribution_lock() is 'The key of the advisory lock that whoever hands leads out holds.';
grant execute on function private.distribution_lock() to service_role;

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
  waiting private.waiting_lead[];
  placed private.placed_lead[];
  -- Vendors and states whose orders are locked.
  locked text[] := '{}';
begin
  loop
    -- Not those that an operator has locked.
    waiting := array(
      select row(l.id, l.vendor_id, l.state)::private.waiting_lead
      from public.recruiting_leads l
      where l.distribution = 'pending'
        and (locked = '{}' or l.vendor_id || coalesce(l.state, '') <> all (locked))
      order by l.created_at, l.id
      limit 100
      for no key update skip locked
    );
    placed := private.place_leads(waiting, deadline);
    update public.recruiting_leads l
    set
      distribution = p.distribution,
      order_id = p.order_id,
      agency_id = p.agency_id,
      agent_id = p.agent_id,
      distributed_at = p.distributed_at
    from unnest(placed) p
    where l.id = p.id and p.distribution <> 'pending';

    if cardinality(placed) < cardinality(waiting) then
      return false;
    end if;
    exit when cardinality(waiting) < 100;
    locked := locked || array(
      select distinct w.vendor_id || coalesce(w.state, '')
      from unnest(waiting) w
      join unnest(placed) p on p.id = w.id
      where p.distribution = 'pending'
    );
  end loop;
  return true;
end
$$;

comment on function private.distribute_pending(double precision) is
  'Hands out the leads that are pending, oldest first. Returns false when its seconds were over, perhaps before the last. '
  'The caller holds the distribution lock.';
grant execute on function private.distribute_pending(double precision) to service_role;

create function private.place_leads(waiting private.waiting_lead[], deadline timestamptz default 'infinity')
returns private.placed_lead[]
language plpgsql
set search_path = ''
as $$
declare
  -- Each further lead is distributed a microsecond later, so that the turns go on in this order.
  moment timestamptz := clock_timestamp();
  placement private.placement;
  agents integer;
  placed private.placed_lead[] := '{}';
begin
  while waiting <> '{}' and (placed = '{}' or clock_timestamp() < deadline) loop
    placement := private.find_placement(waiting, moment, placed);
    if placement.leads > 0 then
      agents := cardinality(placement.agent_ids);
      with ordered as (
        update public.recruiting_orders o
        set
          filled = o.filled + placement.leads,
          status = case when o.filled + placement.leads = o.quantity then 'filled' else o.status end
        where o.id = placement.order_id
      )
      update public.agents a
      set last_assigned_at = moment
        -- The last of the leads that came to this agent.
        + (turn.ordinal - 1 + (placement.leads - turn.ordinal) / agents * agents) * interval '1 microsecond'
      from unnest(placement.agent_ids) with ordinality as turn (agent_id, ordinal)
      where a.id = turn.agent_id and turn.ordinal <= placement.leads;

      -- The worker that sends texts does the rest.
      if placement.has_greeting then
        set constraints private.waiting_greetings_lead_id_fkey deferred;
        insert into private.waiting_greetings (lead_id) select w.id from unnest(waiting[:placement.leads]) w;
      end if;
      placed := placed || array(
        select row(
          w.id, 'distributed', placement.order_id, placement.agency_id,
          placement.agent_ids[(w.ordinal - 1) % greatest(agents, 1) + 1], moment + (w.ordinal - 1) * interval '1 microsecond'
        )::private.placed_lead
        from unnest(waiting[:placement.leads]) with ordinality as w (id, vendor_id, state, ordinal)
      );
      moment := moment + placement.leads * interval '1 microsecond';
      waiting := waiting[placement.leads + 1:];
    else
      placed := placed || array(
        select row(
          w.id, case when placement.leads = 0 then 'pending' else 'unmatched' end, null, null, null, null
        )::private.placed_lead
        from unnest(waiting) w
        where w.vendor_id = waiting[1].vendor_id and w.state is not distinct from waiting[1].state
      );
      waiting := array(
        select w
        from unnest(waiting) w
        where w.vendor_id <> waiting[1].vendor_id or w.state is distinct from waiting[1].state
      );
    end if;
  end loop;
  insert into private.untold_leads (lead_id)
  select p.id from unnest(placed) p where p.distribution = 'distributed'
  on conflict do nothing;
  return placed;
end
$$;

comment on function private.place_leads(private.waiting_lead[], timestamptz) is
  'Gives leads to orders and agents, by turns, and counts them there; the caller writes the leads themselves. Returns what '
  'becomes of each: unmatched when no order wants it; pending when somebody has locked all that do. Not of those for which '
  'there was no time until the deadline. The caller holds the distribution lock, and locked the leads that are stored.';
grant execute on function private.place_leads(private.waiting_lead[], timestamptz) to service_role;

create function private.find_placement(
  waiting private.waiting_lead[],
  moment timestamptz,
  placed private.placed_lead[]
) returns private.placement
language plpgsql
set search_path = ''
as $$
declare
  first constant private.waiting_lead := waiting[1];
  passed_over uuid[] := '{}';
  are_locked boolean := false;
  chosen public.recruiting_orders;
  leads integer;
  agent_ids uuid[];
begin
  -- Each statement takes a new snapshot (the function is volatile, the isolation level read committed), so each choice
  -- sees what was committed before it.
  loop
    chosen := private.best_order(first.vendor_id, first.state, moment, passed_over);
    if chosen.id is null then
      return row(case when are_locked then 0 end, null, null, null, null)::private.placement;
    end if;
    passed_over := passed_over || chosen.id;
    -- An operator does not take the distribution lock, so the order may have changed since it was chosen. The agency is
    -- locked here because the foreign key of the lead locks it, and would wait for it.
    perform
    from public.recruiting_orders o
    join public.agencies a on a.id = o.agency_id
    where o.id = chosen.id and o is not distinct from chosen
    for no key update of o skip locked
    for key share of a skip locked;
    if not found then
      are_locked := true;
      continue;
    end if;

    leads := cardinality(waiting);
    if leads > 1 then
      leads := private.leads_for_order(chosen, waiting, moment, passed_over);
    end if;
    -- After the lock, because a count changes without the order's row. The leads of this call are not counted yet.
    if chosen.daily_cap is not null then
      leads := least(
        leads,
        private.room_under_cap(chosen.id, chosen.daily_cap, moment)
          - (select count(*) from unnest(placed) p where p.order_id = chosen.id)
      );
    end if;
    continue when leads <= 0;

    agent_ids := private.lock_agents(chosen.agency_id, chosen.agent_id, leads);
    if agent_ids is not null then
      return row(leads, chosen.id, chosen.agency_id, agent_ids, chosen.greeting_template is not null)::private.placement;
    end if;
    are_locked := true;
  end loop;
end
$$;

comment on function private.find_placement(private.waiting_lead[], timestamptz, private.placed_lead[]) is
  'Finds the best order that can take the first of these leads at this moment, and its agents, and locks them. The placement '
  'is for that lead and all that follow it and want the same order. placed: the leads of this call that have their place '
  'already. The caller holds the distribution lock.';
grant execute on function private.find_placement(private.waiting_lead[], timestamptz, private.placed_lead[]) to service_role;

create function private.leads_for_order(
  chosen public.recruiting_orders,
  waiting private.waiting_lead[],
  moment timestamptz,
  passed_over uuid[]
) returns integer
language plpgsql
set search_path = ''
as $$
declare
  lead private.waiting_lead;
  kind text;
  -- For each vendor and state, how many leads the order gets before another one is better for such a lead.
  kinds text[] := '{}';
  bounds integer[] := '{}';
  bound integer;
  leads integer := 0;
begin
  foreach lead in array waiting loop
    if kind is distinct from lead.vendor_id || coalesce(lead.state, '') then
      kind := lead.vendor_id || coalesce(lead.state, '');
      bound := bounds[array_position(kinds, kind)];
      if bound is null then
        bound := 0;
        if (chosen.vendor_id is null or chosen.vendor_id = lead.vendor_id)
          and (chosen.states is null or lead.state = any (chosen.states))
        then
          bound := private.leads_before_rival(
            chosen, private.best_order(lead.vendor_id, lead.state, moment, passed_over));
        end if;
        kinds := kinds || kind;
        bounds := bounds || bound;
      end if;
    end if;
    exit when leads >= bound;
    leads := leads + 1;
  end loop;
  -- Somebody may have changed a rival since the order was chosen.
  return greatest(leads, 1);
end
$$;

comment on function private.leads_for_order(public.recruiting_orders, private.waiting_lead[], timestamptz, uuid[]) is
  'How many of these leads, from the first on, the chosen order gets when they are handed out one after the other: until '
  'it is full, or another order, which is not in passed_over, is better for the next lead. At least one. Without a look at '
  'the daily cap.';
grant execute on function private.leads_for_order(public.recruiting_orders, private.waiting_lead[], timestamptz, uuid[])
  to service_role;

create function private.lock_agents(agency_id uuid, named_agent_id uuid, wanted integer) returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  agent_ids uuid[];
begin
  -- The same choice as private.next_agent() makes.
  if named_agent_id is not null and exists (
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

  agent_ids := array(
    select a.id
    from public.agents a
    where a.agency_id = lock_agents.agency_id and a.is_active and a.accepts_recruits
    order by a.last_assigned_at nulls first, a.created_at, a.id
    limit wanted
    for no key update skip locked
  );
  if agent_ids = '{}' and exists (
    select from public.agents a where a.agency_id = lock_agents.agency_id and a.is_active and a.accepts_recruits
  ) then
    return null;
  end if;
  return agent_ids;
end
$$;

comment on function private.lock_agents(uuid, uuid, integer) is
  'Locks the agents who get the next leads of an order, at most as many as are wanted. Returns their ids in the order of '
  'their turns: the named agent alone if active; else those who have waited longest and whom nobody else has locked. '
  'Empty when the agency has no agent for them; null when it has, but somebody else has locked the agent that the order '
  'names, or all of them.';
grant execute on function private.lock_agents(uuid, uuid, integer) to service_role;

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
  'Hands out leads that came when no order wanted them (unmatched), and pending ones: oldest first, at most max, of one '
  'vendor or of all. Returns how many; 0 when nothing that waits is wanted. For an order that was opened late. Holds the '
  'distribution lock, so that other leads wait meanwhile: call it with max of about 100 until it returns 0. 55P03 when '
  'others keep the lock for more than 5 s, or somebody has locked a table that it needs; PT400 for a max below 1.';
grant execute on function public.distribute_waiting_leads(integer, uuid) to service_role;
