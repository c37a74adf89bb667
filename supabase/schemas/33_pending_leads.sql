-- When leads are handed out.
--
-- One transaction at a time hands leads out, because turns, shares and daily counts depend on every choice before it. It
-- holds the distribution lock. A request that does not get the lock stores its lead as `pending`, and the next
-- transaction that gets it hands that lead out too, whatever has become of the request.
--
-- A new lead does not keep others waiting for the disk. When it is left pending, or when others wait for the lock that its
-- transaction holds, it is committed without waiting (synchronous_commit = off), and its result says `pending`. The next
-- transaction sees all of it at once. A crash of the server can take only the last commits, because the log is written in
-- their order, so it never leaves a choice without those before it. Nobody may be told that such a lead is stored before
-- distribute_pending_leads() has said so: that waits for the disk, for many leads at once.

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

create function private.take_distribution_lock(first_place integer default 1, last_place integer default 3)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  key constant bigint := private.distribution_lock();
  is_taken boolean := pg_try_advisory_xact_lock(key);
begin
  -- Whoever waits keeps a connection of the pool, which texts and activities need too. So only a few may wait, each with a
  -- lock on its place, and not for long.
  for place in first_place..last_place loop
    exit when is_taken;
    if pg_try_advisory_xact_lock(key + place) then
      begin
        perform set_config('lock_timeout', '250ms', true);
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
$$;

comment on function private.take_distribution_lock(integer, integer) is
  'Whether this transaction may hand out leads. It then holds the distribution lock until it ends. It may wait 250 ms at '
  'the places from the first to the last: new leads at 1 to 3, questions where leads went at 4 and 5.';
grant execute on function private.take_distribution_lock(integer, integer) to service_role;

create function private.do_others_wait() returns boolean
language plpgsql
set search_path = ''
as $$
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
$$;

comment on function private.do_others_wait() is
  'Whether other transactions wait for the distribution lock, which this transaction holds.';
grant execute on function private.do_others_wait() to service_role;

create function private.take_lock_for_pending(lead_ids uuid[], gives_way boolean) returns boolean
language plpgsql
set search_path = ''
as $$
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
$$;

comment on function private.take_lock_for_pending(uuid[], boolean) is
  'Whether this transaction has taken the distribution lock because one of the leads is still pending. gives_way: not '
  'while others wait for it, who will hand the leads out, too.';
grant execute on function private.take_lock_for_pending(uuid[], boolean) to service_role;

create function private.force_flush() returns void
language plpgsql
set search_path = ''
as $$
begin
  -- A transaction that has written nothing to the log ends without waiting for the disk.
  perform pg_logical_emit_message(true, 'recruiting leads', '');
end
$$;

comment on function private.force_flush() is
  'The commit of this transaction puts on disk what others have committed before, although it has changed nothing itself.';
grant execute on function private.force_flush() to service_role;

create function private.distribute_pending() returns boolean
language plpgsql
set search_path = ''
as $$
declare
  -- So that others do not wait long for the lock, and the statement stays far below its timeout.
  deadline constant timestamptz := clock_timestamp() + interval '200 ms';
  last_created_at timestamptz := '-infinity';
  last_id uuid := '00000000-0000-0000-0000-000000000000';
  is_more boolean := true;
  run record;
  -- Vendors and states whose orders are locked: leads of the same vendor and state want the same orders.
  locked text[] := '{}';
begin
  while is_more loop
    is_more := false;
    -- A run is what follows each other with the same vendor and state. It is handed out together, because an order that is
    -- changed for each of many leads has as many versions, and each change reads them all.
    for run in
      with pending as materialized (
        select l.id, l.created_at, l.vendor_id, l.state, l.vendor_id || coalesce(l.state, '') as kind
        from public.recruiting_leads l
        where l.distribution = 'pending'
          and (l.created_at, l.id) > (last_created_at, last_id)
          and l.vendor_id || coalesce(l.state, '') <> all (locked)
        order by l.created_at, l.id
        limit 500
      ),
      numbered as (
        select
          p.*,
          row_number() over (order by p.created_at, p.id) as ordinal,
          row_number() over (partition by p.kind order by p.created_at, p.id) as ordinal_in_kind
        from pending p
      )
      select
        n.vendor_id, n.state, n.kind, max(n.created_at) as last_created_at, array_agg(n.id order by n.ordinal) as lead_ids
      from numbered n
      -- The two ordinals go up together within a run.
      group by n.vendor_id, n.state, n.kind, n.ordinal - n.ordinal_in_kind
      order by min(n.ordinal)
    loop
      is_more := true;
      last_created_at := run.last_created_at;
      last_id := run.lead_ids[cardinality(run.lead_ids)];
      continue when run.kind = any (locked);
      if private.distribute_leads(run.lead_ids, run.vendor_id, run.state, deadline) = 'pending' then
        locked := locked || run.kind;
      end if;
      if clock_timestamp() > deadline then
        return false;
      end if;
    end loop;
  end loop;
  return true;
end
$$;

comment on function private.distribute_pending() is
  'Hands out the leads that are pending, oldest first. Returns false when its time was over, perhaps before the last. '
  'The caller holds the distribution lock.';
grant execute on function private.distribute_pending() to service_role;

create function private.place_new_lead(vendor_id uuid, state text) returns private.placement
language plpgsql
set search_path = ''
as $$
declare
  wanted_by public.recruiting_orders;
begin
  -- For a table that somebody has locked.
  perform set_config('lock_timeout', '20ms', true);
  wanted_by := private.best_order(vendor_id, state, clock_timestamp());

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
$$;

comment on function private.place_new_lead(uuid, text) is
  'Distributes the leads that are pending, and then finds the placement of a lead that is about to be stored, as '
  'find_placement() does: `pending`, too, while other transactions hand leads out. Then this transaction does not wait for '
  'the disk. 55P03 when somebody has locked a table: the caller undoes what was done since, and the lead is pending.';
grant execute on function private.place_new_lead(uuid, text) to service_role;

create function public.distribute_pending_leads(lead_id uuid, other_lead_ids uuid[] default '{}') returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '2s'
set lock_timeout = '250ms'
-- As in ingest_recruiting_lead().
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
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
      begin
        is_complete := private.distribute_pending();
      exception when lock_not_available then
        -- Somebody has locked a table, and so all orders.
        is_complete := true;
      end;
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
$$;

comment on function public.distribute_pending_leads(uuid, uuid[]) is
  'Hands out every pending lead, oldest first, if the lead or one of the others is pending, and says where they went: '
  '{distribution, distributed_to: {agency_id, agent_id|null}|null}, for the others in others: {<id>: {...}}. '
  'distribution is null when there is no such lead: it was deleted, or the server crashed before it was on disk. A lead '
  'stays pending while other transactions hand leads out; ask again a moment later. With order_is_locked: true it waits '
  'for somebody who has locked the orders that want it, or a table. What it says of a lead is on disk.';
grant execute on function public.distribute_pending_leads(uuid, uuid[]) to service_role;

create function public.distribute_waiting_leads(max integer, vendor_id uuid default null) returns integer
language plpgsql
set search_path = ''
set statement_timeout = '60s'
set lock_timeout = '5s'
as $$
declare
  handed_out integer := 0;
  waiting record;
  lead public.recruiting_leads;
  -- Vendors and states that no order wants any more, or whose orders are locked.
  passed_over text[] := '{}';
begin
  if max is null or max < 1 then
    raise exception 'max: must be 1 or more' using errcode = 'PT400';
  end if;
  perform pg_advisory_xact_lock(private.distribution_lock());
  -- From now on all leads wait with this function call.
  perform set_config('lock_timeout', '20ms', true);

  for waiting in
    with wanted as materialized (
      select k.vendor_id, k.state
      from (
        select distinct l.vendor_id, l.state
        from public.recruiting_leads l
        where l.distribution in ('unmatched', 'pending')
          and (distribute_waiting_leads.vendor_id is null or l.vendor_id = distribute_waiting_leads.vendor_id)
      ) k
      where exists (select from private.match_recruiting_order(k.vendor_id, k.state, clock_timestamp()))
    )
    select l.id, l.vendor_id || coalesce(l.state, '') as kind
    from public.recruiting_leads l
    join wanted w on w.vendor_id = l.vendor_id and w.state is not distinct from l.state
    where l.distribution in ('unmatched', 'pending')
    order by l.created_at, l.id
  loop
    exit when handed_out = max;
    continue when waiting.kind = any (passed_over);

    -- An operator may have locked, changed or deleted the lead.
    select * into lead
    from public.recruiting_leads l
    where l.id = waiting.id and l.distribution in ('unmatched', 'pending')
    for no key update skip locked;
    continue when not found;

    if private.distribute_leads(array[lead.id], lead.vendor_id, lead.state) = 'distributed' then
      handed_out := handed_out + 1;
    else
      passed_over := passed_over || waiting.kind;
    end if;
  end loop;
  return handed_out;
end
$$;

comment on function public.distribute_waiting_leads(integer, uuid) is
  'Hands out leads that came when no order wanted them (unmatched), and pending ones: oldest first, at most max, of one '
  'vendor or of all. Returns how many; 0 when nothing that waits is wanted. For an order that was opened late. Holds the '
  'distribution lock, so that other leads wait meanwhile: call it with max of about 100 until it returns 0. 55P03 when '
  'others keep the lock for more than 5 s, or somebody has locked a table that it needs; PT400 for a max below 1.';
grant execute on function public.distribute_waiting_leads(integer, uuid) to service_role;
