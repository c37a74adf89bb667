set local check_function_bodies = off;

drop function "private"."distribute_recruiting_lead"(uuid, uuid, text);

drop function "private"."match_recruiting_order"(uuid, text, timestamp with time zone);

drop function "private"."next_agent"(uuid, uuid);

alter table "public"."recruiting_leads"
  add column "distribution" text not null default 'not_requested'::text;

-- Written by hand. Of the other leads nothing tells which were sent in bulk and which no order wanted.
update public.recruiting_leads set distribution = 'distributed' where order_id is not null;

create or replace function private.assign_lead (
  lead public.recruiting_leads,
  chosen_order public.recruiting_orders
)
  returns public.recruiting_leads
  language plpgsql
  set search_path to ''
  AS $function$
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
  return jsonb_build_object(
    'id', lead.id,
    'status', 'created',
    'distributed_to', private.distributed_to(lead.agency_id, lead.agent_id)
  ) || case when lead.distribution = 'pending' then '{"distribution": "pending"}' else '{}' end::jsonb;
end
$function$;

create or replace function private.distribute_lead (
  lead public.recruiting_leads,
  chosen_order public.recruiting_orders default null::public.recruiting_orders
)
  returns public.recruiting_leads
  language plpgsql
  set search_path to ''
  AS $function$
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
$function$;

create or replace function private.distribute_new_lead (
  lead public.recruiting_leads
)
  returns public.recruiting_leads
  language plpgsql
  set search_path to ''
  AS $function$
declare
  wanted_by public.recruiting_orders;
begin
  select * into wanted_by
  from private.match_recruiting_order(lead.vendor_id, lead.state, clock_timestamp());

  -- A lead that no order wants needs no lock, unless others have left leads behind.
  if wanted_by.id is null
    and not exists (select from public.recruiting_leads l where l.distribution = 'pending')
  then
    return lead;
  end if;

  if private.take_distribution_lock() then
    if not exists (select from public.recruiting_leads l where l.distribution = 'pending')
      or private.distribute_pending()
    then
      return private.distribute_lead(lead, wanted_by);
    end if;
  end if;
  return private.set_distribution(lead, case when wanted_by.id is null then 'unmatched' else 'pending' end);
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
  pending record;
  lead public.recruiting_leads;
  -- Vendors and states whose orders are locked: leads of the same vendor and state want the same orders.
  locked text[] := '{}';
begin
  for pending in
    select l.id, l.vendor_id || coalesce(l.state, '') as kind
    from public.recruiting_leads l
    where l.distribution = 'pending'
    order by l.created_at, l.id
  loop
    continue when pending.kind = any (locked);
    if clock_timestamp() > deadline then
      return false;
    end if;

    -- An operator may have locked, changed or deleted the lead.
    select * into lead
    from public.recruiting_leads l
    where l.id = pending.id and l.distribution = 'pending'
    for no key update skip locked;
    continue when not found;

    lead := private.distribute_lead(lead);
    if lead.distribution = 'pending' then
      locked := locked || pending.kind;
    end if;
  end loop;
  return true;
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
  AS $function$
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
$function$;

create or replace function private.next_agent (
  agency_id uuid,
  named_agent_id uuid,
  passed_over uuid[] default '{}'::uuid[]
)
  returns uuid
  language plpgsql
  stable
  set search_path to ''
  AS $function$
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
$function$;

create or replace function private.set_distribution (
  lead public.recruiting_leads,
  distribution text
)
  returns public.recruiting_leads
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if lead.distribution <> set_distribution.distribution then
    update public.recruiting_leads l
    set distribution = set_distribution.distribution
    where l.id = lead.id
    returning * into lead;
  end if;
  return lead;
end
$function$;

create or replace function private.take_distribution_lock()
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
declare
  key constant bigint := hashtextextended('recruiting lead distribution', 0);
begin
  if pg_try_advisory_xact_lock(key) then
    return true;
  end if;

  -- Whoever waits keeps a connection of the pool, which texts and activities need too. So only three may wait, each with
  -- a lock on its place, and not longer than the lock_timeout.
  for place in 1..3 loop
    if pg_try_advisory_xact_lock(key + place) then
      begin
        perform pg_advisory_xact_lock(key);
        return true;
      exception when lock_not_available then
        return false;
      end;
    end if;
  end loop;
  return false;
end
$function$;

create or replace function private.take_turn (
  chosen_order public.recruiting_orders,
  moment timestamp with time zone,
  OUT agent_id uuid,
  OUT is_locked boolean
)
  returns record
  language plpgsql
  set search_path to ''
  AS $function$
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
  AS $function$
declare
  lead_ids constant uuid[] := lead_id || other_lead_ids;
  is_complete boolean := false;
  is_pending boolean;
  leads jsonb;
begin
  if exists (select from public.recruiting_leads l where l.id = any (lead_ids) and l.distribution = 'pending') then
    if private.take_distribution_lock() then
      is_complete := private.distribute_pending();
    end if;
  end if;

  select
    coalesce(bool_or(l.distribution = 'pending'), false),
    coalesce(jsonb_object_agg(l.id, jsonb_build_object(
      'distribution', l.distribution,
      'distributed_to', private.distributed_to(l.agency_id, l.agent_id)
    )), '{}')
  into is_pending, leads
  from public.recruiting_leads l
  where l.id = any (lead_ids);

  return coalesce(leads -> lead_id::text, '{"distribution": null, "distributed_to": null}')
    || case when is_complete and is_pending then '{"order_is_locked": true}' else '{}' end::jsonb
    || case when other_lead_ids <> '{}' then jsonb_build_object('others', leads - lead_id::text) else '{}' end;
end
$function$;

create or replace function public.ingest_recruiting_lead (
  key_hash text,
  lead jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  set statement_timeout to '2s'
  set lock_timeout to '250ms'
  AS $function$
declare
  key_vendor_id constant uuid := public.authenticate_vendor(key_hash) ->> 'vendor_id';
  lead_id constant uuid := lead ->> 'id';
  indexed_id constant text := private.indexable_id(lead ->> 'vendor_lead_id');
  is_test constant boolean := lead #> '{vendor_metadata,is_test}' is not distinct from 'true';
  metadata constant jsonb := coalesce(nullif(lead -> 'vendor_metadata', 'null'), '{}');
  stored public.recruiting_leads;
begin
  perform private.require_recruiting_lead(lead);
  -- A call may be delayed on its way. By now the vendor may have been told that it failed, and the resume been removed.
  if (lead ->> 'not_after')::timestamptz < clock_timestamp() then
    raise exception 'the call comes too late';
  end if;

  loop
    insert into public.recruiting_leads (
      id, vendor_id, vendor_lead_id, first_name, vendor_metadata, resume_path, distribution
    )
    values (
      lead_id, key_vendor_id, indexed_id, lead ->> 'first_name', metadata, lead ->> 'resume_path',
      case when is_test then 'not_requested' else 'unmatched' end
    )
    on conflict do nothing
    returning * into stored;

    if found then
      if not is_test then
        stored := private.distribute_new_lead(stored);
      end if;
      return private.created_lead(stored);
    end if;

    -- The conflicting row may have been committed after the insert began, so only a new statement can see it. If it
    -- has been deleted since, the loop tries the insert again.
    select * into stored
    from public.recruiting_leads l
    where l.id = lead_id or (l.vendor_id = key_vendor_id and l.vendor_lead_id = indexed_id)
    order by l.id = lead_id desc
    limit 1;

    if stored.vendor_id <> key_vendor_id then
      raise exception 'the id belongs to a lead of another vendor' using errcode = 'unique_violation';
    elsif stored.id = lead_id then
      return private.created_lead(stored);
    elsif found then
      return jsonb_build_object('id', stored.id, 'status', 'duplicate');
    end if;
  end loop;
end
$function$;

alter table "public"."recruiting_leads"
  add constraint "recruiting_leads_check2"
    check (((distribution <> ALL (ARRAY['unmatched'::text, 'pending'::text])) OR (agency_id IS NULL)));

alter table "public"."recruiting_leads"
  add constraint "recruiting_leads_check3" check (((distribution <> 'distributed'::text) OR (agency_id IS NOT NULL)));

alter table "public"."recruiting_leads"
  add constraint "recruiting_leads_distribution_check"
    check ((distribution = ANY (ARRAY['distributed'::text, 'unmatched'::text, 'pending'::text, 'not_requested'::text])));

create index recruiting_leads_pending_idx on public.recruiting_leads using btree (created_at, id)
  where (distribution = 'pending'::text);

comment on column "public"."recruiting_leads"."distribution" is '`distributed`: it went to an agency. `unmatched`: no order wanted it. `pending`: it is stored, and the next distribution hands it out. `not_requested`: it is never handed out, as leads sent in bulk and test leads.';

comment on function "private"."assign_lead"(public.recruiting_leads, public.recruiting_orders) is
  'Gives a lead to an order and an agent, counts it, and returns it. Null, and nothing is counted, when the order has changed since it was chosen, or when somebody has locked the order, its agency, or every agent who may get the lead.';

comment on function "private"."created_lead"(public.recruiting_leads) is 'A stored lead, as ingest_recruiting_lead() returns it.';

comment on function "private"."distribute_lead"(public.recruiting_leads, public.recruiting_orders) is
  'Gives a stored lead to the best order that can take it now, and returns the lead as it is then: distributed; unmatched, when no order wants it; or pending, when all orders that want it are locked by somebody else. The caller holds the distribution lock. A chosen_order is tried first: the one that match_recruiting_order() returned before.';

comment on function "private"."distribute_new_lead"(public.recruiting_leads) is 'Distributes the leads that are pending, and then a lead that this transaction has stored as unmatched. Returns it as it is then: pending, too, while other transactions hand leads out.';

comment on function "private"."distribute_pending"() is 'Hands out the leads that are pending, oldest first. Returns false when its time was over before the last of them. The caller holds the distribution lock.';

comment on function "private"."match_recruiting_order"(uuid, text, timestamp
  with time zone, uuid[]) is 'The order that gets a lead of this vendor and state (null: unknown) at this moment, or no row. Highest priority first, then the smallest filled share, then the oldest. Leaves out the orders in passed_over.';

comment on function "private"."next_agent"(uuid, uuid, uuid[]) is 'The agent that the order names if active; else the active agent of the agency who accepts recruits and has waited longest; else null. Leaves out the agents in passed_over.';

comment on function "private"."set_distribution"(public.recruiting_leads, text) is 'Changes the distribution of a lead, if it is another one, and returns the lead.';

comment on function "private"."take_distribution_lock"() is 'Whether this transaction may hand out leads. It then holds the distribution lock until it ends.';

comment on function "private"."take_turn"(public.recruiting_orders, timestamp
  with time zone) is 'Gives the turn to the next agent of the order whom nobody has locked, and returns the agent_id; null without such an agent. is_locked: there is an agent, but the one that the order names, or each of them, is locked.';

comment on function "public"."distribute_pending_leads"(uuid, uuid[]) is 'Hands out every pending lead, oldest first, if the lead or one of the others is pending, and says where they went: {distribution, distributed_to: {agency_id, agent_id|null}|null}, for the others in others: {<id>: {...}}. distribution is null when there is no such lead. A lead stays pending while other transactions hand leads out; ask again a moment later. With order_is_locked: true it waits for somebody who has locked the orders that want it.';

revoke all on function "private"."assign_lead"(public.recruiting_leads, public.recruiting_orders) from public;

grant execute
  on function "private"."assign_lead"(public.recruiting_leads, public.recruiting_orders)
  to "postgres", "service_role";

revoke all on function "private"."created_lead"(public.recruiting_leads) from public;

grant execute on function "private"."created_lead"(public.recruiting_leads) to "postgres", "service_role";

revoke all on function "private"."distribute_lead"(public.recruiting_leads, public.recruiting_orders) from public;

grant execute
  on function "private"."distribute_lead"(public.recruiting_leads, public.recruiting_orders)
  to "postgres", "service_role";

revoke all on function "private"."distribute_new_lead"(public.recruiting_leads) from public;

grant execute on function "private"."distribute_new_lead"(public.recruiting_leads) to "postgres", "service_role";

revoke all on function "private"."distribute_pending"() from public;

grant execute on function "private"."distribute_pending"() to "postgres", "service_role";

revoke all on function "private"."match_recruiting_order"(uuid, text, timestamp with time zone, uuid[]) from public;

grant execute
  on function "private"."match_recruiting_order"(uuid, text, timestamp with time zone, uuid[])
  to "postgres", "service_role";

revoke all on function "private"."next_agent"(uuid, uuid, uuid[]) from public;

grant execute on function "private"."next_agent"(uuid, uuid, uuid[]) to "postgres", "service_role";

revoke all on function "private"."set_distribution"(public.recruiting_leads, text) from public;

grant execute on function "private"."set_distribution"(public.recruiting_leads, text) to "postgres", "service_role";

revoke all on function "private"."take_distribution_lock"() from public;

grant execute on function "private"."take_distribution_lock"() to "postgres", "service_role";

revoke all on function "private"."take_turn"(public.recruiting_orders, timestamp with time zone) from public;

grant execute
  on function "private"."take_turn"(public.recruiting_orders, timestamp with time zone)
  to "postgres", "service_role";

revoke all on function "public"."distribute_pending_leads"(uuid, uuid[]) from public;

grant execute on function "public"."distribute_pending_leads"(uuid, uuid[]) to "postgres", "service_role";
