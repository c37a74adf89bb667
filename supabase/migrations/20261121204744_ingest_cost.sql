set local check_function_bodies = off;

drop index "public"."recruiting_orders_agent_id_agency_id_idx";

drop function "private"."count_placement"(private.placement);

drop function "private"."keep_waits_short"();

drop function "private"."lock_lead_id"(uuid);

drop function "private"."match_recruiting_order"(uuid, text, timestamp with time zone, uuid[]);

drop function "private"."require_recruiting_lead"(jsonb);

drop function "private"."take_distribution_lock"();

drop function "private"."wait_for_same_lead"(uuid, text);

create or replace function private.best_order (
  vendor_id uuid,
  state text,
  moment timestamp with time zone,
  passed_over uuid[] default '{}'::uuid[]
)
  returns public.recruiting_orders
  language plpgsql
  stable
  set search_path to ''
  set enable_seqscan to 'off'
  AS $function$
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
$function$;

create or replace function private.count_leads (
  order_ids uuid[],
  moments timestamp with time zone[],
  differences integer[]
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  -- In one order, so that two transactions do not wait for each other.
  perform from public.recruiting_orders o where o.id = any (order_ids) order by o.id for no key update;

  -- Distribution gives leads to one order at a time, on a day that mostly has a count. This costs half of what the rest does.
  update private.recruiting_order_days d
  set leads = d.leads + cardinality(differences)
  where d.order_id = order_ids[1]
    and d.ends_at > moments[1]
    and d.starts_at <= all (moments)
    and d.ends_at > all (moments)
    and order_ids[1] = all (order_ids)
    and 1 = all (differences);
  if found then
    return;
  end if;

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
$function$;

create or replace function private.created_lead (
  lead public.recruiting_leads
)
  returns jsonb
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  if lead.distribution = 'pending' then
    return private.pending_lead(lead.id);
  end if;
  return jsonb_build_object(
    'id', lead.id, 'status', 'created', 'distributed_to', private.distributed_to(lead.agency_id, lead.agent_id));
end
$function$;

create or replace function private.distribute_leads (
  lead_ids uuid[],
  vendor_id uuid,
  state text,
  deadline timestamp with time zone default 'infinity'::timestamp with time zone
)
  returns text
  language plpgsql
  set search_path to ''
  AS $function$
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
$function$;

create or replace function private.do_others_wait()
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
declare
  key constant bigint := private.distribution_lock();
begin
  -- Somebody waits at a place whose lock cannot be had. Locks of the session, because they can be given back at once.
  for place in 1..5 loop
    if not (pg_try_advisory_lock(key + place) and pg_advisory_unlock(key + place)) then
      return true;
    end if;
  end loop;
  return false;
end
$function$;

create or replace function private.find_placement (
  vendor_id uuid,
  state text,
  wanted integer,
  chosen_order public.recruiting_orders default null::public.recruiting_orders
)
  returns private.placement
  language plpgsql
  set search_path to ''
  AS $function$
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
$function$;

create or replace function private.force_flush()
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  -- A transaction that has written nothing to the log ends without waiting for the disk.
  perform pg_logical_emit_message(true, 'recruiting leads', '');
end
$function$;

create or replace function private.insert_recruiting_lead (
  vendor_id uuid,
  lead jsonb
)
  returns public.recruiting_leads
  language plpgsql
  set search_path to ''
  AS $function$
declare
  metadata constant jsonb := coalesce(nullif(lead -> 'vendor_metadata', 'null'), '{}');
  is_test constant boolean := metadata -> 'is_test' is not distinct from 'true';
  placement private.placement := row('not_requested', null, null, null, null, null);
  stored public.recruiting_leads;
begin
  if not is_test then
    placement := private.place_new_lead(insert_recruiting_lead.vendor_id, private.lead_state(metadata));
  end if;

  -- The lead is written once, with its placement, because each update of it changes all its indexes.
  insert into public.recruiting_leads (
    id, vendor_id, vendor_lead_id, first_name, vendor_metadata, resume_path, request_id, received_via,
    distribution, order_id, agency_id, agent_id, distributed_at
  )
  values (
    (lead ->> 'id')::uuid, insert_recruiting_lead.vendor_id, private.indexable_id(lead ->> 'vendor_lead_id'),
    lead ->> 'first_name', metadata, lead ->> 'resume_path', lead ->> 'request_id', lead ->> 'received_via',
    placement.distribution, placement.order_id, placement.agency_id, placement.agent_ids[1], placement.distributed_at
  )
  on conflict on constraint recruiting_leads_vendor_id_vendor_lead_id_key do nothing
  returning * into stored;

  if found and placement.distribution = 'distributed' then
    perform private.record_placement(placement, array[stored.id]);
  end if;
  return stored;
end
$function$;

create or replace function private.is_abandoned (
  lead_id uuid
)
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
declare
  key constant bigint := hashtextextended('recruiting lead ' || lead_id, 0);
begin
  if not pg_try_advisory_xact_lock(key) then
    perform pg_advisory_xact_lock(key);
  end if;
  return exists (select from private.abandoned_leads a where a.lead_id = is_abandoned.lead_id);
end
$function$;

create or replace function private.lock_agents (
  agency_id uuid,
  named_agent_id uuid,
  wanted integer
)
  returns uuid[]
  language plpgsql
  set search_path to ''
  AS $function$
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
$function$;

create or replace function private.lock_vendor_lead_id (
  vendor_id uuid,
  vendor_lead_id text
)
  returns text
  language plpgsql
  set search_path to ''
  AS $function$
declare
  indexed_id constant text := private.indexable_id(vendor_lead_id);
  key constant bigint := hashtextextended(format('recruiting lead %s %s', vendor_id, indexed_id), 0);
begin
  -- The first has the lock alone. All that wait for it go on together when it ends.
  if indexed_id is not null and not pg_try_advisory_xact_lock(key) then
    perform pg_advisory_xact_lock_shared(key);
  end if;
  return indexed_id;
end
$function$;

create or replace function private.match_recruiting_order (
  vendor_id uuid,
  state text,
  moment timestamp with time zone
)
  returns SETOF public.recruiting_orders
  language plpgsql
  stable
  rows 1
  set search_path to ''
  AS $function$
declare
  chosen constant public.recruiting_orders := private.best_order(vendor_id, state, moment);
begin
  if chosen.id is not null then
    return next chosen;
  end if;
end
$function$;

create or replace function private.pending_lead (
  lead_id uuid
)
  returns jsonb
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return jsonb_build_object('id', lead_id, 'status', 'created', 'distributed_to', null, 'distribution', 'pending');
end
$function$;

create or replace function private.place_new_lead (
  vendor_id uuid,
  state text
)
  returns private.placement
  language plpgsql
  set search_path to ''
  AS $function$
declare
  wanted_by public.recruiting_orders := private.best_order(vendor_id, state, clock_timestamp());
begin
  -- A lead that no order wants needs no lock, unless others have left leads behind.
  if wanted_by.id is null
    and not exists (select from public.recruiting_leads l where l.distribution = 'pending')
  then
    return row('unmatched', null, null, null, null, null)::private.placement;
  end if;

  if private.take_distribution_lock() then
    if not exists (select from public.recruiting_leads l where l.distribution = 'pending')
      or private.distribute_pending()
    then
      return private.find_placement(vendor_id, state, 1, wanted_by);
    end if;
  elsif wanted_by.id is not null then
    -- Whoever hands the lead out waits for the disk.
    perform set_config('synchronous_commit', 'off', true);
  end if;
  return row(
    case when wanted_by.id is null then 'unmatched' else 'pending' end, null, null, null, null, null)::private.placement;
end
$function$;

create or replace function private.record_placement (
  placement private.placement,
  lead_ids uuid[]
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  turns constant integer := cardinality(placement.agent_ids);
begin
  update public.recruiting_orders o
  set
    filled = o.filled + placement.leads,
    status = case when o.filled + placement.leads = o.quantity then 'filled' else o.status end
  where o.id = placement.order_id;

  update public.agents a
  set last_assigned_at = placement.distributed_at
    -- The last of the leads that came to this agent.
    + (turn.ordinal - 1 + (placement.leads - turn.ordinal) / turns * turns) * interval '1 microsecond'
  from unnest(placement.agent_ids) with ordinality as turn (agent_id, ordinal)
  where a.id = turn.agent_id and turn.ordinal <= placement.leads;
end
$function$;

create or replace function private.replay_recruiting_lead (
  delivery public.rejected_deliveries,
  lead jsonb
)
  returns uuid
  language plpgsql
  set search_path to ''
  AS $function$
declare
  indexed_id constant text := private.lock_vendor_lead_id(delivery.vendor_id, lead ->> 'vendor_lead_id');
  stored public.recruiting_leads;
  existing_id uuid;
begin
  loop
    -- Also for a lead that could not be stored: the vendor may have sent it again in a better form.
    select l.id into existing_id
    from public.recruiting_leads l
    where l.vendor_id = delivery.vendor_id and l.vendor_lead_id = indexed_id;
    if found then
      return existing_id;
    end if;

    perform private.require_recruiting_lead(lead);
    stored := private.insert_recruiting_lead(delivery.vendor_id, lead || jsonb_build_object(
      'id', delivery.id, 'resume_path', null, 'request_id', delivery.request_id, 'received_via', 'replay'));
    if stored.id is not null then
      return stored.id;
    end if;
  end loop;
end
$function$;

create or replace function private.require_recruiting_lead (
  lead jsonb
)
  returns jsonb
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  if coalesce(btrim(lead ->> 'first_name'), '') = '' then
    raise exception 'missing first_name' using errcode = 'PT400';
  elsif coalesce(jsonb_typeof(lead -> 'vendor_metadata'), 'null') not in ('object', 'null') then
    raise exception 'vendor_metadata must be an object' using errcode = 'PT400';
  end if;
  return lead;
end
$function$;

create or replace function private.store_recruiting_lead (
  vendor_id uuid,
  lead jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  lead_id constant uuid := lead ->> 'id';
  indexed_id text;
  stored public.recruiting_leads;
begin
  lead := private.require_recruiting_lead(lead);
  indexed_id := private.lock_vendor_lead_id(store_recruiting_lead.vendor_id, lead ->> 'vendor_lead_id');

  loop
    -- Two searches, each by an index. With `or` they would cost three times as much.
    select * into stored
    from (
      select * from public.recruiting_leads l where l.id = lead_id
      union all
      select *
      from public.recruiting_leads l
      where l.vendor_id = store_recruiting_lead.vendor_id and l.vendor_lead_id = indexed_id
    ) same
    limit 1;

    if stored.vendor_id <> store_recruiting_lead.vendor_id then
      raise exception 'the id belongs to a lead of another vendor' using errcode = 'unique_violation';
    elsif stored.id = lead_id then
      perform private.force_flush();
      return private.created_lead(stored);
    elsif found then
      return private.repeated_lead(lead, stored.id);
    end if;

    stored := private.insert_recruiting_lead(store_recruiting_lead.vendor_id, lead);
    if stored.id is not null then
      if stored.distribution = 'distributed' and private.do_others_wait() then
        perform set_config('synchronous_commit', 'off', true);
        return private.pending_lead(stored.id);
      end if;
      return private.created_lead(stored);
    end if;
    -- The other lead may have been committed after this one was looked for, so only a new statement can see it. If it has
    -- been deleted since, the loop tries the insert again.
  end loop;
end
$function$;

create or replace function private.take_distribution_lock (
  first_place integer default 1,
  last_place integer default 3
)
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
declare
  key constant bigint := private.distribution_lock();
  is_taken boolean := pg_try_advisory_xact_lock(key);
begin
  -- Whoever waits keeps a connection of the pool, which texts and activities need too. So only a few may wait, each with a
  -- lock on its place, and not longer than the lock_timeout.
  for place in first_place..last_place loop
    exit when is_taken;
    if pg_try_advisory_xact_lock(key + place) then
      begin
        perform pg_advisory_xact_lock(key);
        is_taken := true;
      exception when lock_not_available then
        return false;
      end;
    end if;
  end loop;

  if is_taken then
    -- From now on all leads wait with this function call. What it does itself waits 20 ms for other locks at most (55P03).
    perform set_config('lock_timeout', '20ms', true);
  end if;
  return is_taken;
end
$function$;

create or replace function private.take_lock_for_pending (
  lead_ids uuid[],
  gives_way boolean
)
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if not private.take_distribution_lock(first_place => 4, last_place => 5) then
    return false;
  end if;
  -- Others may have handed the leads out while this transaction waited.
  if exists (select from public.recruiting_leads l where l.id = any (lead_ids) and l.distribution = 'pending')
    and not (gives_way and private.do_others_wait())
  then
    return true;
  end if;
  -- Gives the lock back, so that nobody waits for the disk with this transaction.
  raise exception using errcode = 'object_not_in_prerequisite_state';
exception when object_not_in_prerequisite_state then
  return false;
end
$function$;

create or replace function public.abandon_recruiting_lead (
  lead_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  set statement_timeout to '4s'
  AS $function$
declare
  lead public.recruiting_leads;
begin
  if not private.is_abandoned(lead_id) then
    select * into lead from public.recruiting_leads l where l.id = lead_id;
    if found then
      perform private.force_flush();
      return private.created_lead(lead);
    end if;
    insert into private.abandoned_leads (lead_id) values (abandon_recruiting_lead.lead_id);
  end if;

  delete from private.abandoned_leads a
  where a.lead_id in (
    select old.lead_id
    from private.abandoned_leads old
    where old.abandoned_at < now() - interval '1 hour'
    limit 10
    for update skip locked
  );
  return null;
end
$function$;

create or replace function public.distribute_pending_leads (
  lead_id uuid,
  other_lead_ids uuid[] default '{}'::uuid[]
)
  returns jsonb
  language plpgsql
  set search_path to ''
  set statement_timeout to '2s'
  set lock_timeout to '250ms'
  set enable_seqscan to 'off'
  set plan_cache_mode to 'force_generic_plan'
  AS $function$
declare
  lead_ids constant uuid[] := lead_id || other_lead_ids;
  is_complete boolean := false;
  is_pending boolean;
  leads jsonb;
begin
  for attempt in 1..2 loop
    exit when not exists (
      select from public.recruiting_leads l where l.id = any (lead_ids) and l.distribution = 'pending'
    );
    if private.take_lock_for_pending(lead_ids, gives_way => attempt = 1) then
      is_complete := private.distribute_pending();
      exit;
    end if;
  end loop;

  select
    coalesce(bool_or(l.distribution = 'pending'), false),
    coalesce(jsonb_object_agg(l.id, jsonb_build_object(
      'distribution', l.distribution,
      'distributed_to', private.distributed_to(l.agency_id, l.agent_id)
    )), '{}')
  into is_pending, leads
  from public.recruiting_leads l
  where l.id = any (lead_ids);

  -- Whoever stored a lead or handed it out may not have waited for the disk.
  perform private.force_flush();
  return coalesce(leads -> lead_id::text, '{"distribution": null, "distributed_to": null}')
    || case when is_complete and is_pending then '{"order_is_locked": true}' else '{}' end::jsonb
    || case when other_lead_ids <> '{}' then jsonb_build_object('others', leads - lead_id::text) else '{}' end;
end
$function$;

create or replace function public.ingest_recruiting_lead (
  key_hash text,
  lead jsonb,
  idempotency jsonb default null::jsonb,
  webhook jsonb default null::jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  set statement_timeout to '2s'
  set lock_timeout to '250ms'
  set enable_seqscan to 'off'
  set plan_cache_mode to 'force_generic_plan'
  AS $function$
declare
  sender_id constant uuid := public.authenticate_vendor(key_hash, webhook) ->> 'vendor_id';
  delivery constant jsonb := private.webhook_delivery(webhook);
  -- The caller and the route, as with every Idempotency-Key.
  scope constant text := case when webhook is null then 'ingest ' else 'webhook ' end || sender_id;
  delivery_scope constant text := 'delivery ' || sender_id;
  kept jsonb;
begin
  if private.is_abandoned((lead ->> 'id')::uuid) then
    -- No error of the lead: sent again, it is stored under another id.
    raise exception 'the lead was abandoned' using errcode = 'object_not_in_prerequisite_state';
  end if;

  -- As most calls are.
  if delivery is null and idempotency is null then
    return private.store_recruiting_lead(sender_id, lead);
  end if;

  kept := private.kept_result(delivery_scope, delivery);
  if kept is not null then
    -- The id of this very lead: the call is repeated, not the delivery.
    return case when kept ->> 'id' = lead ->> 'id' then kept else private.repeated_lead(lead, (kept ->> 'id')::uuid) end;
  end if;

  return private.keep_result(
    delivery_scope,
    delivery,
    coalesce(
      private.kept_result(scope, idempotency),
      private.keep_result(scope, idempotency, private.store_recruiting_lead(sender_id, lead))
    ),
    '7 days'
  );
end
$function$;

create or replace function public.preview_recruiting_lead (
  key_hash text,
  lead jsonb,
  webhook jsonb default null::jsonb
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  set statement_timeout to '2s'
  AS $function$
declare
  sender_id constant uuid := public.authenticate_vendor(key_hash, webhook) ->> 'vendor_id';
  indexed_id constant text := private.indexable_id(lead ->> 'vendor_lead_id');
  is_test constant boolean := lead #> '{vendor_metadata,is_test}' is not distinct from 'true';
  existing_id uuid := private.find_result('delivery ' || sender_id, private.webhook_delivery(webhook)) ->> 'id';
  matched public.recruiting_orders;
begin
  perform private.require_recruiting_lead(lead);

  if existing_id is null then
    select l.id into existing_id
    from public.recruiting_leads l
    where l.vendor_id = sender_id and l.vendor_lead_id = indexed_id;
  end if;

  if existing_id is null and not is_test then
    matched := private.best_order(sender_id, private.lead_state(lead -> 'vendor_metadata'), now());
  end if;

  return jsonb_build_object(
    'status', case when existing_id is null then 'created' else 'duplicate' end,
    'id', existing_id,
    'distributed_to', private.distributed_to(
      matched.agency_id, private.next_agent(matched.agency_id, matched.agent_id))
  );
end
$function$;

create index recruiting_orders_agent_idx on public.recruiting_orders using btree (agent_id, agency_id)
  where (agent_id is not null);

comment on function "private"."best_order"(uuid, text, timestamp with time zone, uuid[]) is 'The order that gets a lead of this vendor and state (null: unknown) at this moment, or null. Highest priority first, then the smallest filled share, then the oldest. Leaves out the orders in passed_over.';

comment on function "private"."do_others_wait"() is 'Whether other transactions wait for the distribution lock, which this transaction holds.';

comment on function "private"."find_placement"(uuid, text, integer, public.recruiting_orders) is
  'Finds the best order that can take leads of this vendor and state now, and its agents, and locks them. The caller holds the distribution lock, gives the leads to them, and then calls record_placement(). `unmatched`: no order wants such leads. `pending`: all orders that want them, or their agents, are locked by somebody else. wanted: how many leads there are. A chosen_order is tried first: the one that best_order() returned before.';

comment on function "private"."force_flush"() is 'The commit of this transaction puts on disk what others have committed before, although it has changed nothing itself.';

comment on function "private"."insert_recruiting_lead"(uuid, jsonb) is 'Distributes and stores a lead of a vendor, and returns it, or null when the vendor has a lead with its vendor_lead_id. lead: see public.ingest_recruiting_lead(). The caller has called lock_vendor_lead_id(). 55P03 when such a lead is in a transaction that has not called it, of a bulk request or an operator, and is not committed: the call is to be repeated.';

comment on function "private"."is_abandoned"(uuid) is 'Whether the lead with this id was abandoned. Until the transaction ends, nobody else stores or abandons it.';

comment on function "private"."leads_before_rival"(public.recruiting_orders, public.recruiting_orders) is
  'How many leads the chosen order gets, one after the other, before the rival is the better choice or the quantity is reached. The rival is what best_order() returns without the chosen order; null: there is none. At least one, also when somebody has changed the rival since the order was chosen.';

comment on function "private"."lock_vendor_lead_id"(uuid, text) is 'Returns the id as it is stored, and waits for another transaction that stores a lead with it. Without that the insert would wait, and hold the distribution lock meanwhile. 55P03 when it takes longer than the lock_timeout.';

comment on function "private"."match_recruiting_order"(uuid, text, timestamp
  with time zone) is 'The order that best_order() returns, or no row. For queries; in a function, an assignment costs less.';

comment on function "private"."pending_lead"(uuid) is 'A lead of which it is not known yet where it goes, or that is not on disk yet, as ingest_recruiting_lead() returns it.';

comment on function "private"."place_new_lead"(uuid, text) is 'Distributes the leads that are pending, and then finds the placement of a lead that is about to be stored, as find_placement() does: `pending`, too, while other transactions hand leads out. Then this transaction does not wait for the disk.';

comment on function "private"."record_placement"(private.placement, uuid[]) is 'Called once for each placement, when its leads have been stored with it: counts them at the order and the agents, which find_placement() has locked. lead_ids: the leads in the order of their turns; the nth goes to agent (n - 1) % cardinality(agent_ids) + 1.';

comment on function "private"."require_recruiting_lead"(jsonb) is 'Returns the lead. Raises PT400 when it has no first_name, or a vendor_metadata that is no object.';

comment on function "private"."take_distribution_lock"(integer, integer) is 'Whether this transaction may hand out leads. It then holds the distribution lock until it ends. It may wait at the places from the first to the last: new leads at 1 to 3, questions where leads went at 4 and 5.';

comment on function "private"."take_lock_for_pending"(uuid[], boolean) is 'Whether this transaction has taken the distribution lock because one of the leads is still pending. gives_way: not while others wait for it, who will hand the leads out, too.';

comment on function "public"."distribute_pending_leads"(uuid, uuid[]) is 'Hands out every pending lead, oldest first, if the lead or one of the others is pending, and says where they went: {distribution, distributed_to: {agency_id, agent_id|null}|null}, for the others in others: {<id>: {...}}. distribution is null when there is no such lead: it was deleted, or the server crashed before it was on disk. A lead stays pending while other transactions hand leads out; ask again a moment later. With order_is_locked: true it waits for somebody who has locked the orders that want it. What it says of a lead is on disk.';

comment on function "public"."ingest_recruiting_lead"(text, jsonb, jsonb, jsonb) is 'Stores one lead of the key''s vendor and distributes it, unless vendor_metadata.is_test is true. lead: {id, first_name, vendor_lead_id|null, vendor_metadata, resume_path|null, request_id|null, received_via|null}. The caller makes the id; a repeated call with the same id returns the first result and stores nothing. 55000 for an id that was abandoned. Returns {id, status: created, distributed_to: {agency_id, agent_id|null}|null}, with distribution: pending while it is not known where the lead goes, or whether it is on disk: then distribute_pending_leads() must be asked, because a crash of the server within a second may take such a lead away; or {id, status: duplicate} with the id of the lead that has this vendor_lead_id. PT401 as authenticate_vendor(), PT400 without a first_name. idempotency and its errors: see private.kept_result(). webhook: see authenticate_vendor(). A delivery_id and part that stored a lead within 7 days return it as a duplicate, whatever the lead is now; PT409 while the first is still at work.';

revoke all on function "private"."best_order"(uuid, text, timestamp with time zone, uuid[]) from public;

grant execute
  on function "private"."best_order"(uuid, text, timestamp with time zone, uuid[])
  to "postgres", "service_role";

revoke all on function "private"."do_others_wait"() from public;

grant execute on function "private"."do_others_wait"() to "postgres", "service_role";

revoke all on function "private"."force_flush"() from public;

grant execute on function "private"."force_flush"() to "postgres", "service_role";

revoke all on function "private"."is_abandoned"(uuid) from public;

grant execute on function "private"."is_abandoned"(uuid) to "postgres", "service_role";

revoke all on function "private"."lock_vendor_lead_id"(uuid, text) from public;

grant execute on function "private"."lock_vendor_lead_id"(uuid, text) to "postgres", "service_role";

revoke all on function "private"."match_recruiting_order"(uuid, text, timestamp with time zone) from public;

grant execute
  on function "private"."match_recruiting_order"(uuid, text, timestamp with time zone)
  to "postgres", "service_role";

revoke all on function "private"."pending_lead"(uuid) from public;

grant execute on function "private"."pending_lead"(uuid) to "postgres", "service_role";

revoke all on function "private"."record_placement"(private.placement, uuid[]) from public;

grant execute on function "private"."record_placement"(private.placement, uuid[]) to "postgres", "service_role";

revoke all on function "private"."require_recruiting_lead"(jsonb) from public;

grant execute on function "private"."require_recruiting_lead"(jsonb) to "postgres", "service_role";

revoke all on function "private"."take_distribution_lock"(integer, integer) from public;

grant execute on function "private"."take_distribution_lock"(integer, integer) to "postgres", "service_role";

revoke all on function "private"."take_lock_for_pending"(uuid[], boolean) from public;

grant execute on function "private"."take_lock_for_pending"(uuid[], boolean) to "postgres", "service_role";
