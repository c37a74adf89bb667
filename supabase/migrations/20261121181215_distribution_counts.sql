set local check_function_bodies = off;

drop index "public"."recruiting_orders_open_idx";

drop function "private"."assign_lead"(public.recruiting_leads, public.recruiting_orders);

drop function "private"."distribute_lead"(public.recruiting_leads, public.recruiting_orders);

drop function "private"."distribute_new_lead"(public.recruiting_leads);

drop function "private"."next_agent"(uuid, uuid, uuid[]);

drop function "private"."set_distribution"(public.recruiting_leads, text);

drop function "private"."take_turn"(public.recruiting_orders, timestamp with time zone);

create table "private"."recruiting_order_days" (
  "order_id" uuid not null,
  "starts_at" timestamp with time zone not null,
  "ends_at" timestamp with time zone not null,
  "leads" integer not null,
  constraint "recruiting_order_days_check" check ((ends_at > starts_at)),
  constraint "recruiting_order_days_pkey" primary key (order_id, ends_at)
);

alter table "private"."recruiting_order_days"
  enable row level security;

alter table "private"."recruiting_order_days"
  set (fillfactor=50);

create type "private"."placement" as (
  "distribution" text,
  "leads" integer,
  "order_id" uuid,
  "agency_id" uuid,
  "agent_ids" uuid[],
  "distributed_at" timestamp with time zone
);

create or replace function private.count_changed_leads()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
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
    -- Most updates change neither the order nor the time, and leave nothing.
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

create or replace function private.count_placement (
  placement private.placement
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

create or replace function private.counted_order_days (
  agency_id uuid default null::uuid
)
  returns table (
    order_id uuid,
    starts_at timestamp with time zone,
    ends_at timestamp with time zone,
    leads integer
  )
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return query
  -- From each day of an order to the next that has a lead, by the index, because day_start() is slow to call for each lead.
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
  from days d;
end
$function$;

create or replace function private.day_end (
  day_start timestamp with time zone,
  timezone text
)
  returns timestamp with time zone
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  -- A day has 23 to 25 hours, so this moment is always in the next one.
  return private.day_start(day_start + interval '30 hours', timezone);
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
    perform private.count_placement(placement);
    rest := rest[array_position(rest, locked[placement.leads]) + 1:];
    exit when clock_timestamp() > deadline;
  end loop;
  return placement.distribution;
end
$function$;

create or replace function private.distribute_pending()
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
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
        select * into rival
        from private.match_recruiting_order(vendor_id, state, moment, passed_over || chosen_order.id);
        leads := least(wanted, private.leads_before_rival(chosen_order, rival));
      end if;
      -- After the lock, because a count changes without the order's row. Null, for no cap, does not count in least().
      leads := least(leads, private.room_under_cap(chosen_order.id, chosen_order.daily_cap, moment));
      if leads > 0 then
        agent_ids := private.lock_agents(chosen_order.agency_id, chosen_order.agent_id, leads);
        if agent_ids is not null then
          return row(
            'distributed', leads, chosen_order.id, chosen_order.agency_id, agent_ids, moment)::private.placement;
        end if;
      end if;
    end if;

    select * into chosen_order
    from private.match_recruiting_order(vendor_id, state, clock_timestamp(), passed_over);
    exit when not found;
    passed_over := passed_over || chosen_order.id;
  end loop;

  return row(
    case
      when exists (select from private.match_recruiting_order(vendor_id, state, clock_timestamp())) then 'pending'
      else 'unmatched'
    end, null, null, null, null, null)::private.placement;
end
$function$;

create or replace function private.forget_daily_counts()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  delete from private.recruiting_order_days where true;
  return null;
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
    perform private.count_placement(placement);
  end if;
  return stored;
end
$function$;

create or replace function private.keep_waits_short()
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform set_config('lock_timeout', '20ms', true);
end
$function$;

create or replace function private.lead_state (
  vendor_metadata jsonb
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return case when vendor_metadata ->> 'state' ~ '^[A-Za-z]{2}$' then upper(vendor_metadata ->> 'state') end;
end
$function$;

create or replace function private.leads_before_rival (
  chosen_order public.recruiting_orders,
  rival public.recruiting_orders
)
  returns integer
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
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

create or replace function private.lock_order (
  chosen_order public.recruiting_orders
)
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
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
$function$;

create or replace function private.lock_waiting_leads (
  lead_ids uuid[],
  vendor_id uuid,
  state text,
  max integer default null::integer
)
  returns uuid[]
  language plpgsql
  set search_path to ''
  AS $function$
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
$function$;

create or replace function private.match_recruiting_order (
  vendor_id uuid,
  state text,
  moment timestamp with time zone,
  passed_over uuid[] default '{}'::uuid[]
)
  returns SETOF public.recruiting_orders
  language plpgsql
  stable
  rows 1
  set search_path to ''
  set enable_seqscan to 'off'
  AS $function$
begin
  -- Up to four searches, for this vendor or any, and this state or any. recruiting_orders_choice_idx has the orders of each
  -- best first, so a search ends at the first that fits, however many there are.
  return query
  select best.*
  from (values ('00000000-0000-0000-0000-000000000000'), (match_recruiting_order.vendor_id)) as wanted (vendor)
  cross join (values (''), (match_recruiting_order.state)) as from_state (state)
  cross join lateral (
    select o.*
    from public.recruiting_orders o
    where coalesce(o.vendor_id, '00000000-0000-0000-0000-000000000000') = wanted.vendor
      and coalesce(case when array_length(o.states, 1) = 1 then o.states[1] end, '') = from_state.state
      and o.status = 'open'
      and o.filled < o.quantity
      and o.id <> all (passed_over)
      and (o.vendor_id is null or o.vendor_id = match_recruiting_order.vendor_id)
      and (o.states is null or match_recruiting_order.state = any (o.states))
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
end
$function$;

create or replace function private.next_agent (
  agency_id uuid,
  named_agent_id uuid
)
  returns uuid
  language plpgsql
  stable
  set search_path to ''
  AS $function$
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
  wanted_by public.recruiting_orders;
begin
  select * into wanted_by from private.match_recruiting_order(vendor_id, state, clock_timestamp());

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
  end if;
  return row(
    case when wanted_by.id is null then 'unmatched' else 'pending' end, null, null, null, null, null)::private.placement;
end
$function$;

create or replace function private.recount_after_timezone()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform private.recount_order_days(new.id);
  return null;
end
$function$;

create or replace function private.recount_order_days (
  agency_id uuid default null::uuid
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  -- Nobody gives these orders a lead meanwhile, or takes one away. The agency is not locked: distribution would wait for it
  -- if its row had been updated before in the same transaction, because `skip locked` does not skip a newer version.
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
  indexed_id constant text := private.indexable_id(lead ->> 'vendor_lead_id');
  stored public.recruiting_leads;
  existing_id uuid;
begin
  perform private.wait_for_same_lead(delivery.vendor_id, indexed_id);
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

create or replace function private.room_under_cap (
  order_id uuid,
  daily_cap integer,
  moment timestamp with time zone
)
  returns integer
  language plpgsql
  stable
  set search_path to ''
  AS $function$
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
  indexed_id constant text := private.indexable_id(lead ->> 'vendor_lead_id');
  stored public.recruiting_leads;
begin
  perform private.require_recruiting_lead(lead);
  perform private.wait_for_same_lead(store_recruiting_lead.vendor_id, indexed_id);

  loop
    select * into stored
    from public.recruiting_leads l
    where l.id = lead_id
      or (l.vendor_id = store_recruiting_lead.vendor_id and l.vendor_lead_id = indexed_id)
    order by l.id = lead_id desc
    limit 1;

    if stored.vendor_id <> store_recruiting_lead.vendor_id then
      raise exception 'the id belongs to a lead of another vendor' using errcode = 'unique_violation';
    elsif stored.id = lead_id then
      return private.created_lead(stored);
    elsif found then
      return private.repeated_lead(lead, stored.id);
    end if;

    stored := private.insert_recruiting_lead(store_recruiting_lead.vendor_id, lead);
    if stored.id is not null then
      return private.created_lead(stored);
    end if;
    -- The other lead may have been committed after this one was looked for, so only a new statement can see it. If it has
    -- been deleted since, the loop tries the insert again.
  end loop;
end
$function$;

create or replace function private.take_distribution_lock()
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
declare
  key constant bigint := private.distribution_lock();
begin
  if pg_try_advisory_xact_lock(key) then
    perform private.keep_waits_short();
    return true;
  end if;

  -- Whoever waits keeps a connection of the pool, which texts and activities need too. So only three may wait, each with
  -- a lock on its place, and not longer than the lock_timeout.
  for place in 1..3 loop
    if pg_try_advisory_xact_lock(key + place) then
      begin
        perform pg_advisory_xact_lock(key);
        perform private.keep_waits_short();
        return true;
      exception when lock_not_available then
        return false;
      end;
    end if;
  end loop;
  return false;
end
$function$;

create or replace function private.wait_for_same_lead (
  vendor_id uuid,
  vendor_lead_id text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  key constant bigint := hashtextextended(format('recruiting lead %s %s', vendor_id, vendor_lead_id), 0);
begin
  -- The first has the lock alone. All that wait for it go on together when it ends.
  if vendor_lead_id is not null and not pg_try_advisory_xact_lock(key) then
    perform pg_advisory_xact_lock_shared(key);
  end if;
end
$function$;

create or replace function public.check_daily_counts()
  returns table (
    order_id uuid,
    starts_at timestamp with time zone,
    kept integer,
    counted integer
  )
  language plpgsql
  stable
  set search_path to ''
  set statement_timeout to '60s'
  AS $function$
begin
  return query
  select coalesce(k.order_id, c.order_id), coalesce(k.starts_at, c.starts_at), coalesce(k.leads, 0), coalesce(c.leads, 0)
  from private.recruiting_order_days k
  full join private.counted_order_days() c
    on c.order_id = k.order_id and c.starts_at = k.starts_at and c.ends_at = k.ends_at
  where k.leads is distinct from c.leads;
end
$function$;

create or replace function public.distribute_waiting_leads (
  max integer,
  vendor_id uuid default null::uuid
)
  returns integer
  language plpgsql
  set search_path to ''
  set statement_timeout to '60s'
  set lock_timeout to '5s'
  AS $function$
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
    select * into matched
    from private.match_recruiting_order(sender_id, private.lead_state(lead -> 'vendor_metadata'), now());
  end if;

  return jsonb_build_object(
    'status', case when existing_id is null then 'created' else 'duplicate' end,
    'id', existing_id,
    'distributed_to', private.distributed_to(
      matched.agency_id, private.next_agent(matched.agency_id, matched.agent_id))
  );
end
$function$;

alter table "private"."recruiting_order_days"
  add constraint "recruiting_order_days_order_id_fkey" foreign key (order_id) references public.recruiting_orders(id)
    on delete cascade;

create index agents_turn_idx on public.agents using btree (agency_id, last_assigned_at nulls first, created_at, id)
  where (is_active AND accepts_recruits);

create index recruiting_orders_choice_idx on public.recruiting_orders
  using btree (COALESCE(vendor_id, '00000000-0000-0000-0000-000000000000'::uuid), COALESCE(
CASE
    when (array_length(states, 1) = 1) THEN states[1]
    ELSE null::text
end, ''::text), priority desc, (((filled)::numeric / (quantity)::numeric)), created_at, id)
  where (status = 'open'::text);

create trigger recount_after_timezone
  after update of timezone on public.agencies
  for each row
  when ((old.timezone <> new.timezone))
  execute function private.recount_after_timezone();

create trigger count_deleted_leads
  after delete on public.recruiting_leads referencing OLD table as old_leads
  for each STATEMENT
  execute function private.count_changed_leads();

create trigger count_inserted_leads
  after insert on public.recruiting_leads referencing NEW table as new_leads
  for each STATEMENT
  execute function private.count_changed_leads();

create trigger count_updated_leads
  after update on public.recruiting_leads referencing OLD table as old_leads NEW table as new_leads
  for each STATEMENT
  execute function private.count_changed_leads();

create trigger forget_daily_counts
  after truncate on public.recruiting_leads
  for each STATEMENT
  execute function private.forget_daily_counts();

comment on column "private"."recruiting_order_days"."ends_at" is 'When the next day begins.';

comment on column "private"."recruiting_order_days"."starts_at" is 'When the day began in the agency''s time zone.';

comment on function "private"."count_changed_leads"() is 'Trigger: counts the leads that a statement has given to orders, or taken away from them.';

comment on function "private"."count_leads"(uuid[], timestamp with time zone[], integer[]) is 'Adds to the counts of orders: to each order, on the day of the moment, the difference, which may be negative. The three arrays are of one length. Locks the orders.';

comment on function "private"."count_placement"(private.placement) is 'Counts the leads of a placement at its order and its agents, which find_placement() has locked.';

comment on function "private"."counted_order_days"(uuid) is 'What private.recruiting_order_days must hold, counted anew from the leads of one agency, or of all (null). Reads all of them.';

comment on function "private"."day_end"(timestamp with time zone, text) is 'When the day that began then ends in this time zone.';

comment on function "private"."distribute_leads"(uuid[], uuid, text, timestamp
  with time zone) is 'Gives stored leads of one vendor and state, one after the other, each to the best order that can take it now. Leaves out those that lock_waiting_leads() leaves out, and after the deadline those that are left. Returns what became of the last: distributed; or unmatched or pending, as find_placement() says, and then so are the leads before it that found no order. The caller holds the distribution lock.';

comment on function "private"."distribute_pending"() is 'Hands out the leads that are pending, oldest first. Returns false when its time was over, perhaps before the last. The caller holds the distribution lock.';

comment on function "private"."find_placement"(uuid, text, integer, public.recruiting_orders) is
  'Finds the best order that can take leads of this vendor and state now, and its agents, and locks them. The caller holds the distribution lock, gives the leads to them, and then calls count_placement(). `unmatched`: no order wants such leads. `pending`: all orders that want them, or their agents, are locked by somebody else. wanted: how many leads there are. A chosen_order is tried first: the one that match_recruiting_order() returned before.';

comment on function "private"."forget_daily_counts"() is 'Trigger: without leads there are no counts.';

comment on function "private"."insert_recruiting_lead"(uuid, jsonb) is 'Distributes and stores a lead of a vendor, and returns it, or null when the vendor has a lead with its vendor_lead_id. lead: see public.ingest_recruiting_lead(). The caller has called wait_for_same_lead(). 55P03 when such a lead is in a transaction that has not called it, of a bulk request or an operator, and is not committed: the call is to be repeated.';

comment on function "private"."keep_waits_short"() is 'From now on this function call waits only 20 ms for what others have locked (55P03), because all leads wait with it.';

comment on function "private"."lead_state"(jsonb) is 'The state of a lead that is not stored yet: what recruiting_leads.state will be.';

comment on function "private"."leads_before_rival"(public.recruiting_orders, public.recruiting_orders) is
  'How many leads the chosen order gets, one after the other, before the rival is the better choice or the quantity is reached. The rival is what match_recruiting_order() returns without the chosen order; null: there is none. At least one, also when somebody has changed the rival since the order was chosen.';

comment on function "private"."lock_agents"(uuid, uuid, integer) is 'Locks the agents who get the next leads of an order, at most as many as are wanted, and returns their ids in the order of their turns: the named agent alone if active; else those who have waited longest and whom nobody else has locked. Empty when the agency has no agent for them; null when it has, but somebody else has locked the agent that the order names, or all of them.';

comment on function "private"."lock_order"(public.recruiting_orders) is 'Locks an order, so that it can take leads. False when it has changed since it was chosen, or when somebody else has locked it or its agency.';

comment on function "private"."lock_waiting_leads"(uuid[], uuid, text, integer) is 'Locks those of the leads that still wait, are still of this vendor and state, and that nobody else has locked. Returns their ids in the same order, at most max.';

comment on function "private"."next_agent"(uuid, uuid) is 'The agent that the order names if active; else the active agent of the agency who accepts recruits and has waited longest; else null.';

comment on function "private"."place_new_lead"(uuid, text) is 'Distributes the leads that are pending, and then finds the placement of a lead that is about to be stored, as find_placement() does: `pending`, too, while other transactions hand leads out.';

comment on function "private"."recount_after_timezone"() is 'Trigger: the days of an agency begin at other times once its time zone has changed.';

comment on function "private"."recount_order_days"(uuid) is 'Counts the leads of each order and day of an agency anew, or of all agencies (null). For counts that public.check_daily_counts() found to be wrong. Reads all their leads, and nothing is distributed to them meanwhile.';

comment on function "private"."room_under_cap"(uuid, integer, timestamp with time zone) is 'How many more leads the order may get on the day of this moment; null without a cap.';

comment on function "private"."wait_for_same_lead"(uuid, text) is 'Waits for another transaction that stores a lead with this vendor_lead_id. Without it the insert would wait, and hold the distribution lock meanwhile. 55P03 when it takes longer than the lock_timeout.';

comment on function "public"."check_daily_counts"() is 'The orders and days whose kept count differs from the leads that are there, and when the day begins; no row when all agree. Reads every lead. They differ when leads were written while triggers were off, or when the server has got new rules for a time zone; private.recount_order_days() mends them.';

comment on table "private"."recruiting_order_days" is 'How many leads an order has got on a day of its agency, by recruiting_leads.distributed_at. Kept by triggers. A day without leads has no row.';

comment on type "private"."placement" is 'Where the next leads of one vendor and state go. distribution: as in recruiting_leads. The rest is for `distributed` alone: how many leads the order takes now, its agents in the order of their turns (empty: the agency gets the leads with no agent), and when the first of them is distributed. Each further lead is distributed a microsecond later, so that the turns go on in this order.';

revoke all on function "private"."count_changed_leads"() from public;

grant execute on function "private"."count_changed_leads"() to "postgres";

revoke all on function "private"."count_leads"(uuid[], timestamp with time zone[], integer[]) from public;

grant execute
  on function "private"."count_leads"(uuid[], timestamp with time zone[], integer[])
  to "postgres", "service_role";

revoke all on function "private"."count_placement"(private.placement) from public;

grant execute on function "private"."count_placement"(private.placement) to "postgres", "service_role";

revoke all on function "private"."counted_order_days"(uuid) from public;

grant execute on function "private"."counted_order_days"(uuid) to "postgres", "service_role";

revoke all on function "private"."day_end"(timestamp with time zone, text) from public;

grant execute on function "private"."day_end"(timestamp with time zone, text) to "postgres", "service_role";

revoke all on function "private"."distribute_leads"(uuid[], uuid, text, timestamp with time zone) from public;

grant execute
  on function "private"."distribute_leads"(uuid[], uuid, text, timestamp with time zone)
  to "postgres", "service_role";

revoke all on function "private"."find_placement"(uuid, text, integer, public.recruiting_orders) from public;

grant execute
  on function "private"."find_placement"(uuid, text, integer, public.recruiting_orders)
  to "postgres", "service_role";

revoke all on function "private"."forget_daily_counts"() from public;

grant execute on function "private"."forget_daily_counts"() to "postgres";

revoke all on function "private"."insert_recruiting_lead"(uuid, jsonb) from public;

grant execute on function "private"."insert_recruiting_lead"(uuid, jsonb) to "postgres", "service_role";

revoke all on function "private"."keep_waits_short"() from public;

grant execute on function "private"."keep_waits_short"() to "postgres", "service_role";

revoke all on function "private"."lead_state"(jsonb) from public;

grant execute on function "private"."lead_state"(jsonb) to "postgres", "service_role";

revoke all on function "private"."leads_before_rival"(public.recruiting_orders, public.recruiting_orders) from public;

grant execute
  on function "private"."leads_before_rival"(public.recruiting_orders, public.recruiting_orders)
  to "postgres", "service_role";

revoke all on function "private"."lock_agents"(uuid, uuid, integer) from public;

grant execute on function "private"."lock_agents"(uuid, uuid, integer) to "postgres", "service_role";

revoke all on function "private"."lock_order"(public.recruiting_orders) from public;

grant execute on function "private"."lock_order"(public.recruiting_orders) to "postgres", "service_role";

revoke all on function "private"."lock_waiting_leads"(uuid[], uuid, text, integer) from public;

grant execute on function "private"."lock_waiting_leads"(uuid[], uuid, text, integer) to "postgres", "service_role";

revoke all on function "private"."next_agent"(uuid, uuid) from public;

grant execute on function "private"."next_agent"(uuid, uuid) to "postgres", "service_role";

revoke all on function "private"."place_new_lead"(uuid, text) from public;

grant execute on function "private"."place_new_lead"(uuid, text) to "postgres", "service_role";

revoke all on function "private"."recount_after_timezone"() from public;

grant execute on function "private"."recount_after_timezone"() to "postgres";

revoke all on function "private"."recount_order_days"(uuid) from public;

grant execute on function "private"."recount_order_days"(uuid) to "postgres", "service_role";

revoke all on function "private"."room_under_cap"(uuid, integer, timestamp with time zone) from public;

grant execute
  on function "private"."room_under_cap"(uuid, integer, timestamp with time zone)
  to "postgres", "service_role";

revoke all on function "private"."wait_for_same_lead"(uuid, text) from public;

grant execute on function "private"."wait_for_same_lead"(uuid, text) to "postgres", "service_role";

revoke all on function "public"."check_daily_counts"() from public;

grant execute on function "public"."check_daily_counts"() to "postgres", "service_role";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."recruiting_order_days"
  to "postgres";

grant delete, insert, select, update on table "private"."recruiting_order_days" to "service_role";

grant usage on type "private"."placement" to "postgres";

-- Written by hand: the leads that are there count too.
select private.recount_order_days();
