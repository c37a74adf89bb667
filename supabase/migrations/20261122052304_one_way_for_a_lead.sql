set local check_function_bodies = off;

drop index "public"."recruiting_leads_waiting_idx";

drop index "public"."recruiting_orders_choice_idx";

alter table "public"."recruiting_orders"
  drop constraint "recruiting_orders_greeting_template_check";

drop function "private"."distribute_leads"(uuid[], uuid, text, timestamp with time zone);

drop function "private"."distribute_pending"();

drop function "private"."distributed_to"(uuid, uuid);

drop function "private"."do_others_wait"();

drop function "private"."find_placement"(uuid, text, integer, public.recruiting_orders);

drop function "private"."find_result"(text, jsonb);

drop function "private"."force_flush"();

drop function "private"."insert_placed_lead"(uuid, jsonb, private.placement);

drop function "private"."insert_recruiting_lead"(uuid, jsonb);

drop function "private"."insert_recruiting_leads"(uuid, jsonb, text);

drop function "private"."is_abandoned"(uuid);

drop function "private"."lock_order"(public.recruiting_orders);

drop function "private"."lock_vendor_lead_id"(uuid, text);

drop function "private"."lock_waiting_leads"(uuid[], uuid, text, integer);

drop function "private"."match_recruiting_order"(uuid, text, timestamp with time zone);

drop function "private"."pending_lead"(uuid);

drop function "private"."place_new_lead"(uuid, text);

drop function "private"."preview_placement"(uuid, text);

drop function "private"."queue_greetings"(uuid[]);

drop function "private"."record_duplicates"(uuid, jsonb, uuid[], text);

drop function "private"."record_placement"(private.placement, uuid[]);

drop function "private"."repeated_lead"(jsonb, uuid);

drop function "private"."replay_once"(public.rejected_deliveries, jsonb);

drop function "private"."require_recruiting_lead"(jsonb);

drop function "private"."store_recruiting_lead"(uuid, jsonb);

drop function "private"."take_distribution_lock"(integer, integer);

drop function "private"."take_lock_for_pending"(uuid[], boolean);

drop function "private"."webhook_delivery"(jsonb);

drop function "public"."abandon_recruiting_lead"(uuid);

drop function "public"."distribute_pending_leads"(uuid, uuid[]);

drop function "public"."ingest_recruiting_lead"(text, jsonb, jsonb, jsonb);

drop function "public"."ingest_recruiting_leads"(text, jsonb, jsonb, text);

alter type "private"."placement" drop attribute "distribution" cascade;

create table "private"."recruiting_order_choices" (
  "order_id" uuid not null,
  "vendor_id" uuid not null,
  "state" text not null,
  "priority" integer not null,
  "share" numeric not null,
  "created_at" timestamp with time zone not null,
  constraint "recruiting_order_choices_pkey" primary key (order_id, state)
);

alter table "private"."recruiting_order_choices"
  enable row level security;

alter table "private"."recruiting_order_choices"
  set (fillfactor=50);

create type "private"."sent_lead" as (
  "ordinal" integer,
  "id" uuid,
  "vendor_id" uuid,
  "vendor_lead_id" text,
  "key" jsonb,
  "result" jsonb
);

create type "private"."sent_leads" as (
  "leads" private.sent_lead[],
  "results" jsonb,
  "is_repeated" boolean,
  "has_pending" boolean,
  "are_pending" boolean,
  "has_key" boolean
);

create type "private"."waiting_lead" as (
  "id" uuid,
  "vendor_id" uuid,
  "state" text
);

alter type "private"."placement" add attribute "has_greeting" boolean cascade;

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
  -- Up to four searches, for this vendor or any, and this state or any. Each ends at the first order that fits.
  select (best.o).* into chosen
  from (values ('00000000-0000-0000-0000-000000000000'), (best_order.vendor_id)) as wanted (vendor)
  cross join (values (''), (best_order.state)) as from_state (state)
  cross join lateral (
    select o, c.priority, c.share, c.created_at, c.order_id
    from private.recruiting_order_choices c
    join public.recruiting_orders o on o.id = c.order_id
    where c.vendor_id = wanted.vendor
      and c.state = from_state.state
      -- A vendor may have the id of zeros itself. Written so that no index of vendors is used for it.
      and coalesce(o.vendor_id, best_order.vendor_id) = best_order.vendor_id
      and o.id <> all (passed_over)
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
    order by c.priority desc, c.share, c.created_at, c.order_id
    limit 1
  ) best
  order by best.priority desc, best.share, best.created_at, best.order_id
  limit 1;
  return chosen;
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
    'id', lead.id, 'status', 'created', 'distributed_to',
    case when lead.agency_id is not null
      then jsonb_build_object('agency_id', lead.agency_id, 'agent_id', lead.agent_id) end
  ) || case when lead.distribution = 'pending' then '{"distribution": "pending"}' else '{}' end::jsonb;
end
$function$;

create or replace function private.distribute_pending (
  seconds double precision default 0.2
)
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
declare
  -- So that others do not wait long for the lock, and the statement stays far below its timeout.
  deadline constant timestamptz := clock_timestamp() + make_interval(secs => seconds);
  waiting private.waiting_lead[];
  is_more boolean := true;
  placement private.placement;
  -- Of one vendor and state, which want the same orders.
  alike uuid[];
  -- Vendors and states whose orders are locked.
  locked text[] := '{}';
begin
  while is_more loop
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
    is_more := cardinality(waiting) = 100;

    while waiting <> '{}' loop
      placement := private.find_placement(waiting);
      if placement.leads > 0 then
        perform private.place_leads(array(select w.id from unnest(waiting[:placement.leads]) w), placement);
        waiting := waiting[placement.leads + 1:];
      else
        alike := array(
          select w.id
          from unnest(waiting) w
          where w.vendor_id = waiting[1].vendor_id and w.state is not distinct from waiting[1].state
        );
        if (private.best_order(waiting[1].vendor_id, waiting[1].state, clock_timestamp())).id is not null then
          locked := locked || (waiting[1].vendor_id || coalesce(waiting[1].state, ''));
        else
          update public.recruiting_leads l set distribution = 'unmatched' where l.id = any (alike);
        end if;
        waiting := array(select w from unnest(waiting) w where w.id <> all (alike));
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
  waiting private.waiting_lead[]
)
  returns private.placement
  language plpgsql
  set search_path to ''
  AS $function$
declare
  first constant private.waiting_lead := waiting[1];
  passed_over uuid[] := '{}';
  chosen public.recruiting_orders;
  moment timestamptz;
  leads integer;
  agent_ids uuid[];
begin
  -- Each statement takes a new snapshot (the function is volatile, the isolation level read committed), so each choice
  -- sees what was committed before it.
  loop
    chosen := private.best_order(first.vendor_id, first.state, clock_timestamp(), passed_over);
    if chosen.id is null then
      return null;
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
    continue when not found;

    moment := clock_timestamp();
    leads := cardinality(waiting);
    if leads > 1 then
      leads := private.leads_for_order(chosen, waiting, moment, passed_over);
    end if;
    -- After the lock, because a count changes without the order's row.
    if chosen.daily_cap is not null then
      leads := least(leads, private.room_under_cap(chosen.id, chosen.daily_cap, moment));
    end if;
    continue when leads <= 0;

    agent_ids := private.lock_agents(chosen.agency_id, chosen.agent_id, leads);
    if agent_ids is not null then
      return row(
        leads, chosen.id, chosen.agency_id, agent_ids, moment, chosen.greeting_template is not null)::private.placement;
    end if;
  end loop;
end
$function$;

create or replace function private.hand_out_pending()
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
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
$function$;

create or replace function private.insert_recruiting_leads (
  leads jsonb,
  of_vendor uuid,
  are_distributed boolean
)
  returns private.sent_leads
  language plpgsql
  set search_path to ''
  AS $function$
declare
  sent private.sent_leads;
begin
  for attempt in 1..2 loop
    begin
      with given as materialized (
        select g.*, coalesce(of_vendor, private.proved_vendor(g.key_hash, g.webhook)) as vendor_id
        from rows from (
          jsonb_to_recordset(leads) as (key_hash text, webhook jsonb, lead jsonb, idempotency jsonb)
        ) with ordinality as g (key_hash, webhook, lead, idempotency, ordinal)
      ), read as materialized (
        select
          g.ordinal, g.vendor_id, g.webhook, g.lead,
          coalesce((g.lead ->> 'id')::uuid, gen_random_uuid()) as id,
          private.indexable_id(g.lead ->> 'vendor_lead_id') as vendor_lead_id,
          private.lead_state(g.lead -> 'vendor_metadata') as state,
          not are_distributed or g.lead #> '{vendor_metadata,is_test}' is not distinct from 'true' as is_kept,
          case when g.webhook is not null or g.idempotency is not null
            then private.lead_key(g.vendor_id, g.webhook, g.idempotency) end as key
        from given g
      ), known as materialized (
        -- What is known of each lead before it is stored: an error, or the result of a lead that came before.
        select r.*, case
          when r.vendor_id is null then private.lead_error(
            'PT401', case when r.webhook is null then 'invalid API key' else 'invalid webhook secret' end)
          when r.lead ->> 'id' is not null and exists (select from private.abandoned_leads a where a.lead_id = r.id)
            then private.lead_error('55000', 'the lead was abandoned')
          else coalesce(
            case when r.key is not null then private.kept_lead(r.key, r.id) end,
            case when r.lead ->> 'id' is not null then (
              select case when l.vendor_id = r.vendor_id
                then private.created_lead(l)
                else private.lead_error('23505', 'the id belongs to a lead of another vendor') end
              from public.recruiting_leads l
              where l.id = r.id
            ) end,
            (
              select jsonb_build_object('id', l.id, 'status', 'duplicate')
              from public.recruiting_leads l
              where l.vendor_id = r.vendor_id and l.vendor_lead_id = r.vendor_lead_id
            ),
            private.lead_error('PT400', private.lead_problem(r.lead))
          )
        end as result
        from read r
      ), wanted as materialized (
        select k.vendor_id, k.state
        from (select distinct n.vendor_id, n.state from known n where n.result is null and not n.is_kept) k
        -- While somebody has locked a table nobody knows. Whoever hands the leads out looks again.
        where attempt = 2 or (private.best_order(k.vendor_id, k.state, clock_timestamp())).id is not null
      ), inserted as (
        insert into public.recruiting_leads (
          id, vendor_id, vendor_lead_id, first_name, vendor_metadata, resume_path, request_id, received_via, distribution,
          created_at
        )
        select
          k.id, k.vendor_id, k.vendor_lead_id, k.lead ->> 'first_name',
          coalesce(nullif(k.lead -> 'vendor_metadata', 'null'), '{}'), k.lead ->> 'resume_path', k.lead ->> 'request_id',
          k.lead ->> 'received_via',
          case
            when k.is_kept then 'not_requested'
            when exists (select from wanted w where w.vendor_id = k.vendor_id and w.state is not distinct from k.state)
              then 'pending'
            else 'unmatched'
          end,
          -- In this order they are handed out.
          now() + k.ordinal * interval '1 microsecond'
        from known k
        where k.result is null
        -- So that two calls with the same leads wait for each other and never deadlock; of two leads of one call with the
        -- same vendor_lead_id the first is stored.
        order by k.vendor_id, k.vendor_lead_id, k.ordinal
        on conflict do nothing
        returning id, distribution
      )
      select
        array_agg(row(r.ordinal, r.id, r.vendor_id, r.vendor_lead_id, r.key, r.result)::private.sent_lead order by r.ordinal),
        jsonb_agg(r.result order by r.ordinal),
        bool_or(r.result is null or r.result ->> 'status' = 'duplicate'),
        bool_or(r.result ? 'distribution'),
        bool_and(r.result ? 'distribution'),
        bool_or(r.key is not null)
      into sent
      from (
        select k.ordinal, k.id, k.vendor_id, k.vendor_lead_id, k.key, coalesce(k.result, case
          when i.distribution = 'pending' then jsonb_build_object(
            'id', i.id, 'status', 'created', 'distributed_to', null, 'distribution', 'pending')
          when i.id is not null then jsonb_build_object('id', i.id, 'status', 'created', 'distributed_to', null)
        end) as result
        from known k
        left join inserted i on i.id = k.id
      ) r;

      if attempt = 2 then
        -- A deferred check leaves out a version of the row that the same transaction has replaced, and an update to a key
        -- that is null.
        update public.recruiting_leads l
        set distribution = l.distribution
        where l.id = any (array(select s.id from unnest(sent.leads) s));
      end if;
      return sent;
    exception when lock_not_available then
      -- Somebody has locked a table that a foreign key refers to: its check waits even where the key is null. Or somebody is
      -- storing the same lead, and the second attempt fails as well.
      if attempt = 2 then
        raise;
      end if;
      set constraints all deferred;
    end;
  end loop;
end
$function$;

create or replace function private.keep_order_choices()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
declare
  is_open constant boolean := new.status = 'open' and new.filled < new.quantity;
begin
  if tg_op = 'UPDATE' then
    -- As each lead changes it.
    if is_open
      and (old.vendor_id, old.states, old.priority, old.status) is not distinct from
        (new.vendor_id, new.states, new.priority, new.status)
    then
      update private.recruiting_order_choices c
      set share = new.filled::numeric / new.quantity
      where c.order_id = new.id;
      if found then
        return null;
      end if;
    end if;
    delete from private.recruiting_order_choices c where c.order_id = new.id;
  end if;

  if is_open then
    insert into private.recruiting_order_choices (order_id, vendor_id, state, priority, share, created_at)
    select
      new.id, coalesce(new.vendor_id, '00000000-0000-0000-0000-000000000000'), wanted.state, new.priority,
      new.filled::numeric / new.quantity, new.created_at
    from (select distinct unnest(coalesce(new.states, '{""}')) as state) wanted;
  end if;
  return null;
end
$function$;

create or replace function private.keep_result (
  scope text,
  idempotency jsonb,
  result jsonb,
  retention interval default '24:00:00'::interval
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if idempotency is null then
    return result;
  end if;

  insert into private.idempotency_keys (scope, key, part, request_hash, result, retention)
  values (
    keep_result.scope,
    idempotency ->> 'key',
    (idempotency ->> 'part')::integer,
    idempotency ->> 'request_hash',
    keep_result.result,
    keep_result.retention
  )
  -- Only an expired one can be in the way.
  on conflict on constraint idempotency_keys_pkey do update
  set
    request_hash = excluded.request_hash,
    result = excluded.result,
    retention = excluded.retention,
    created_at = excluded.created_at
  where idempotency_keys.created_at <= now() - idempotency_keys.retention;

  delete from private.idempotency_keys k
  where (k.scope, k.key, k.part) in (
    select expired.scope, expired.key, expired.part
    from private.idempotency_keys expired
    where expired.retention = keep_result.retention and expired.created_at <= now() - keep_result.retention
    order by expired.created_at
    limit 10
    for update skip locked
  );
  return result;
end
$function$;

create or replace function private.kept_lead (
  key jsonb,
  lead_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  kept jsonb;
begin
  kept := private.kept_result(key ->> 'scope', key -> 'idempotency');
  return case
    -- A delivery that comes again is a duplicate; a call that is repeated has the same id.
    when key ->> 'scope' like 'delivery %' and kept ->> 'id' <> lead_id::text
      then jsonb_build_object('id', kept -> 'id', 'status', 'duplicate')
    else kept
  end;
exception when sqlstate 'PT409' or sqlstate 'PT422' then
  return private.lead_error(sqlstate, sqlerrm);
end
$function$;

create or replace function private.kept_result (
  scope text,
  idempotency jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  is_alone boolean;
  kept jsonb;
begin
  if idempotency is null then
    return null;
  end if;

  -- Held until the transaction ends. So of two requests at once only one goes on, and the other does not wait.
  is_alone := pg_try_advisory_xact_lock(
    hashtextextended(format('idempotency %s %s %s', scope, idempotency ->> 'part', idempotency ->> 'key'), 0));

  -- Another body may have other parts, so all parts are compared.
  if exists (
    select
    from private.idempotency_keys k
    where k.scope = kept_result.scope
      and k.key = idempotency ->> 'key'
      and k.request_hash <> idempotency ->> 'request_hash'
      and k.created_at > now() - k.retention
  ) then
    raise exception 'Idempotency-Key: the key came before with another body' using errcode = 'PT422';
  end if;

  -- After the lock was tried: whoever has it may only read a result too, and then this new statement sees it as well.
  select k.result into kept
  from private.idempotency_keys k
  where k.scope = kept_result.scope
    and k.key = idempotency ->> 'key'
    and k.part = (idempotency ->> 'part')::integer
    and k.created_at > now() - k.retention;
  if kept is null and not is_alone then
    raise exception 'the first request with this Idempotency-Key or webhook id is still at work' using errcode = 'PT409';
  end if;
  return kept;
end
$function$;

create or replace function private.lead_error (
  code text,
  message text
)
  returns jsonb
  language plpgsql
  immutable
  strict
  set search_path to ''
  AS $function$
begin
  return jsonb_build_object('error', jsonb_build_object('code', code, 'message', message));
end
$function$;

create or replace function private.lead_key (
  vendor_id uuid,
  webhook jsonb,
  idempotency jsonb
)
  returns jsonb
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  if coalesce(btrim(webhook ->> 'delivery_id'), '') <> '' then
    return jsonb_build_object(
      'scope', 'delivery ' || vendor_id,
      'idempotency', jsonb_build_object(
        -- Senders put anything into an id, and a key is at most 255 visible ASCII characters.
        'key', encode(sha256(convert_to(webhook ->> 'delivery_id', 'UTF8')), 'hex'),
        'part', coalesce((webhook ->> 'part')::integer, 0),
        'request_hash', null
      ),
      'retention', '7 days'
    );
  elsif idempotency is not null then
    return jsonb_build_object(
      'scope', case when webhook is null then 'ingest ' else 'webhook ' end || vendor_id,
      'idempotency', idempotency,
      'retention', '24 hours'
    );
  end if;
  return null;
end
$function$;

create or replace function private.lead_problem (
  lead jsonb
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return case
    when coalesce(btrim(lead ->> 'first_name'), '') = '' then 'missing first_name'
    when jsonb_typeof(lead -> 'vendor_metadata') not in ('object', 'null') then 'vendor_metadata must be an object'
  end;
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
    return 0;
  end if;
  -- Of equal shares the older order comes first.
  last_filled := (product - case when is_older then 0 else 1 end) / rival.quantity;
  return greatest(least(last_filled + 1, chosen_order.quantity) - chosen_order.filled, 0);
end
$function$;

create or replace function private.leads_for_order (
  chosen public.recruiting_orders,
  waiting private.waiting_lead[],
  moment timestamp with time zone,
  passed_over uuid[]
)
  returns integer
  language plpgsql
  set search_path to ''
  AS $function$
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
$function$;

create or replace function private.note_duplicates (
  leads jsonb,
  sent private.sent_lead[]
)
  returns private.sent_lead[]
  language plpgsql
  set search_path to ''
  AS $function$
declare
  noted private.sent_lead[];
begin
  -- What another transaction has committed since the look-up, or what stands twice in the call, has no result yet.
  noted := array(
    select row(
      s.ordinal, s.id, s.vendor_id, s.vendor_lead_id, s.key,
      coalesce(s.result, (
        select jsonb_build_object('id', l.id, 'status', 'duplicate')
        from public.recruiting_leads l
        where l.vendor_id = s.vendor_id and l.vendor_lead_id = s.vendor_lead_id
      ))
    )::private.sent_lead
    from unnest(sent) s
  );
  if exists (select from unnest(noted) s where s.result is null) then
    raise exception 'a lead with the same vendor_lead_id was deleted meanwhile' using errcode = 'serialization_failure';
  end if;

  if exists (select from unnest(noted) s where s.result ->> 'status' = 'duplicate') then
    begin
      perform set_config('lock_timeout', '100ms', true);
      insert into public.recruiting_lead_duplicates (id, lead_id, vendor_id, request_id)
      select
        -- A repeated call has the same id, and is the same duplicate.
        coalesce((given.lead ->> 'id')::uuid, private.time_ordered_id()),
        (s.result ->> 'id')::uuid, s.vendor_id, given.lead ->> 'request_id'
      from unnest(noted) s
      join rows from (jsonb_to_recordset(leads) as (lead jsonb)) with ordinality as given (lead, ordinal)
        on given.ordinal = s.ordinal
      where s.result ->> 'status' = 'duplicate'
        and given.lead ->> 'received_via' is distinct from 'replay'
        -- A delivery may come again when its lead has been deleted.
        and exists (select from public.recruiting_leads l where l.id = (s.result ->> 'id')::uuid)
      order by 1
      on conflict (id) do nothing;
    exception when others then
      -- It is a duplicate all the same, of a lead that may not be on disk yet.
      perform pg_logical_emit_message(true, 'recruiting leads', '');
      noted := array(
        select row(
          s.ordinal, s.id, s.vendor_id, s.vendor_lead_id, s.key,
          s.result || case when s.result ->> 'status' = 'duplicate'
            then jsonb_build_object('record_error', sqlstate) else '{}' end
        )::private.sent_lead
        from unnest(noted) s
      );
    end;
  end if;
  return noted;
end
$function$;

create or replace function private.place_leads (
  lead_ids uuid[],
  placement private.placement
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  agents constant integer := cardinality(placement.agent_ids);
begin
  with ordered as (
    update public.recruiting_orders o
    set
      filled = o.filled + placement.leads,
      status = case when o.filled + placement.leads = o.quantity then 'filled' else o.status end
    where o.id = placement.order_id
  ), turned as (
    update public.agents a
    set last_assigned_at = placement.distributed_at
      -- The last of the leads that came to this agent.
      + (turn.ordinal - 1 + (placement.leads - turn.ordinal) / agents * agents) * interval '1 microsecond'
    from unnest(placement.agent_ids) with ordinality as turn (agent_id, ordinal)
    where a.id = turn.agent_id and turn.ordinal <= placement.leads
  )
  update public.recruiting_leads l
  set
    distribution = 'distributed',
    order_id = placement.order_id,
    agency_id = placement.agency_id,
    agent_id = placement.agent_ids[(array_position(lead_ids, l.id) - 1) % greatest(agents, 1) + 1],
    distributed_at = placement.distributed_at + (array_position(lead_ids, l.id) - 1) * interval '1 microsecond'
  -- A join could be planned to read all leads.
  where l.id = any (lead_ids);

  -- The worker that sends texts does the rest.
  if placement.has_greeting then
    insert into private.waiting_greetings (lead_id) select unnest(lead_ids);
  end if;
end
$function$;

create or replace function private.proved_vendor (
  key_hash text,
  webhook jsonb
)
  returns uuid
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  if webhook is null then
    return (
      select k.vendor_id
      from public.vendor_api_keys k
      join public.vendors v on v.id = k.vendor_id
      where k.key_hash = proved_vendor.key_hash
        and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > now())
        and v.is_active
    );
  end if;
  return (
    select s.vendor_id
    from private.vendor_webhook_secrets s
    join public.vendors v on v.id = s.vendor_id
    where s.id = (webhook ->> 'secret_id')::uuid
      and s.kind = 'secret'
      and s.revoked_at is null
      and (s.expires_at is null or s.expires_at > now())
      and v.is_active
      and v.webhook_scheme is not null
  );
end
$function$;

create or replace function private.queue_waiting_greetings (
  max integer
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  lead public.recruiting_leads;
begin
  for lead in
    with taken as (
      select w.lead_id
      from private.waiting_greetings w
      order by w.created_at
      limit max
      for update skip locked
    ), deleted as (
      delete from private.waiting_greetings w using taken t where w.lead_id = t.lead_id returning w.lead_id, w.created_at
    )
    select l.*
    from deleted d
    join public.recruiting_leads l on l.id = d.lead_id
    -- Where texts have not been sent for long, nobody expects a greeting any more.
    where d.created_at > now() - interval '24 hours'
    order by d.created_at
  loop
    perform private.queue_greeting(lead);
  end loop;
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
  result constant jsonb := private.store_recruiting_leads(
    jsonb_build_array(jsonb_build_object(
      'webhook', delivery.context -> 'webhook',
      'lead', lead || jsonb_build_object(
        'id', delivery.id, 'resume_path', null, 'request_id', delivery.request_id, 'received_via', 'replay'))),
    delivery.vendor_id) -> 0;
begin
  if result ? 'error' then
    raise exception '%', result #>> '{error,message}' using errcode = result #>> '{error,code}';
  end if;
  return result ->> 'id';
end
$function$;

create or replace function private.store_recruiting_leads (
  leads jsonb,
  of_vendor uuid default null::uuid,
  are_distributed boolean default true
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  sent private.sent_leads := private.insert_recruiting_leads(leads, of_vendor, are_distributed);
  results jsonb := sent.results;
begin
  if sent.is_repeated then
    sent.leads := private.note_duplicates(leads, sent.leads);
    results := (select jsonb_agg(s.result order by s.ordinal) from unnest(sent.leads) s);
  end if;

  -- Also when the leads of this call are not wanted: others may have left some behind.
  if are_distributed and exists (select from public.recruiting_leads l where l.distribution = 'pending') then
    if private.hand_out_pending() is null and sent.are_pending then
      -- Whoever hands them out waits for the disk, as does whoever asks about them.
      perform set_config('synchronous_commit', 'off', true);
    elsif sent.has_pending then
      results := (
        select jsonb_agg(
          coalesce(
            case when r ? 'distribution'
              then (select private.created_lead(l) from public.recruiting_leads l where l.id = (r ->> 'id')::uuid) end,
            r
          )
          order by ordinal
        )
        from jsonb_array_elements(results) with ordinality as result (r, ordinal)
      );
    end if;
  end if;

  if sent.has_key then
    perform private.keep_result(
      s.key ->> 'scope', s.key -> 'idempotency', results -> (s.ordinal - 1), (s.key ->> 'retention')::interval)
    from unnest(sent.leads) s
    where s.key is not null and not results -> (s.ordinal - 1) ? 'error';
  end if;
  return results;
end
$function$;

create or replace function private.time_ordered_id()
  returns uuid
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return encode(
    overlay(
      uuid_send(gen_random_uuid())
      placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
      from 1 for 6),
    'hex')::uuid;
end
$function$;

create or replace function public.abandon_recruiting_leads (
  lead_ids uuid[]
)
  returns jsonb
  language plpgsql
  set search_path to ''
  set statement_timeout to '4s'
  AS $function$
begin
  -- As ingest_recruiting_leads() does.
  perform pg_advisory_xact_lock(hashtextextended('recruiting lead ' || given.id, 0))
  from (select id from unnest(lead_ids) as ids (id) order by 1) given;

  insert into private.abandoned_leads (lead_id)
  select given.id
  from unnest(lead_ids) as given (id)
  where not exists (select from public.recruiting_leads l where l.id = given.id)
  on conflict do nothing;

  delete from private.abandoned_leads a
  where a.lead_id in (
    select old.lead_id
    from private.abandoned_leads old
    where old.abandoned_at < now() - interval '1 hour'
    limit 100
    for update skip locked
  );

  -- Whoever stored a lead may not have waited for the disk. Without anything written this commit would not either.
  perform pg_logical_emit_message(true, 'recruiting leads', '');
  return (
    select coalesce(jsonb_object_agg(given.id, case when l.id is not null then private.created_lead(l) end), '{}')
    from unnest(lead_ids) as given (id)
    left join public.recruiting_leads l on l.id = given.id
  );
end
$function$;

create or replace function public.authenticate_vendor (
  key_hash text,
  webhook jsonb default null::jsonb
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  vendor public.vendors;
begin
  select v.* into vendor from public.vendors v where v.id = private.proved_vendor(key_hash, webhook);
  if not found then
    -- One message for every reason, so that a stranger learns nothing about keys, webhooks and vendors.
    raise exception '%', case when webhook is null then 'invalid API key' else 'invalid webhook secret' end
      using errcode = 'PT401';
  end if;

  return jsonb_build_object(
    'vendor_id', vendor.id,
    'parser', vendor.parser,
    'parser_config', vendor.parser_config,
    'rate_limit', vendor.rate_limit
  );
end
$function$;

create or replace function public.distribute_pending_leads (
  lead_ids uuid[]
)
  returns jsonb
  language plpgsql
  set search_path to ''
  set statement_timeout to '2s'
  set lock_timeout to '100ms'
  set enable_seqscan to 'off'
  set plan_cache_mode to 'force_generic_plan'
  AS $function$
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
$function$;

create or replace function public.ingest_recruiting_lead_batch (
  key_hash text,
  leads jsonb,
  idempotency jsonb default null::jsonb,
  request_id text default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  set statement_timeout to '60s'
  AS $function$
declare
  key_vendor_id constant uuid := public.authenticate_vendor(key_hash) ->> 'vendor_id';
  scope constant text := 'bulk ' || key_vendor_id;
  kept constant jsonb := private.kept_result(scope, idempotency);
  -- Of two rows with the same vendor_lead_id the first is stored.
  sent constant jsonb := (
    select coalesce(jsonb_agg(jsonb_build_object(
      'lead', l || jsonb_build_object('request_id', request_id, 'received_via', 'bulk')
    ) order by (l -> 'row')::integer), '[]')
    from jsonb_array_elements(leads) l
  );
  results jsonb[];
  lead jsonb;
begin
  if kept is not null then
    return kept;
  end if;

  begin
    results := array(
      select r
      from jsonb_array_elements(private.store_recruiting_leads(sent, key_vendor_id, are_distributed => false)) r
    );
  exception when others then
    if not private.is_row_error(sqlstate) then
      raise;
    end if;
    -- One bad row makes the whole statement fail. Row by row costs about three times as much, so it is done only here.
    for lead in select l from jsonb_array_elements(sent) l loop
      begin
        results := array_append(
          results,
          private.store_recruiting_leads(jsonb_build_array(lead), key_vendor_id, are_distributed => false) -> 0
        );
      exception when others then
        if not private.is_row_error(sqlstate) then
          raise;
        end if;
        results := array_append(results, private.lead_error(sqlstate, private.row_error_reason(sqlstate)));
      end;
    end loop;
  end;

  return private.keep_result(scope, idempotency, (
    select jsonb_build_object(
      'created', count(*) filter (where r.result ->> 'status' = 'created'),
      'duplicates', count(*) filter (where r.result ->> 'status' = 'duplicate'),
      'errors', coalesce(
        jsonb_agg(
          jsonb_build_object('row', s.lead -> 'row', 'reason', r.result #> '{error,message}') order by r.ordinal
        ) filter (where r.result ? 'error'),
        '[]'
      )
    ) || case when count(r.result -> 'record_error') = 0 then '{}'
      else jsonb_build_object('record_error', max(r.result ->> 'record_error')) end
    from unnest(results) with ordinality as r (result, ordinal)
    join rows from (jsonb_to_recordset(sent) as (lead jsonb)) with ordinality as s (lead, ordinal)
      on s.ordinal = r.ordinal
  ));
end
$function$;

create or replace function public.ingest_recruiting_leads (
  leads jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  set statement_timeout to '2s'
  set lock_timeout to '100ms'
  set enable_seqscan to 'off'
  set plan_cache_mode to 'force_generic_plan'
  AS $function$
begin
  -- Until the transaction ends nobody abandons these leads. In one order, so that two calls never wait for each other.
  perform pg_advisory_xact_lock(hashtextextended('recruiting lead ' || sent.id, 0))
  from (select s.lead ->> 'id' as id from jsonb_to_recordset(leads) as s (lead jsonb) order by 1) sent;
  return private.store_recruiting_leads(leads);
end
$function$;

create or replace function public.left_over_resumes()
  returns jsonb
  language plpgsql
  set search_path to ''
  set statement_timeout to '4s'
  AS $function$
declare
  upload private.resume_uploads;
  paths jsonb := '[]';
begin
  for upload in
    select u.*
    from private.resume_uploads u
    where u.begun_at < now() - private.resume_upload_time()
    order by u.begun_at
    limit 20
    for update skip locked
  loop
    -- A request that is still alive, however slow, must not store the lead any more.
    if public.abandon_recruiting_leads(array[upload.lead_id]) -> upload.lead_id::text = 'null' then
      update private.resume_uploads u set begun_at = now() where u.lead_id = upload.lead_id;
      paths := paths || to_jsonb(upload.path);
    else
      delete from private.resume_uploads u where u.lead_id = upload.lead_id;
    end if;
  end loop;
  return paths;
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
  set lock_timeout to '250ms'
  AS $function$
declare
  sender_id constant uuid := public.authenticate_vendor(key_hash, webhook) ->> 'vendor_id';
  indexed_id constant text := private.indexable_id(lead ->> 'vendor_lead_id');
  is_test constant boolean := lead #> '{vendor_metadata,is_test}' is not distinct from 'true';
  known constant jsonb := private.lead_key(sender_id, webhook, null);
  existing_id uuid := (
    select k.result ->> 'id'
    from private.idempotency_keys k
    where k.scope = known ->> 'scope'
      and k.key = known #>> '{idempotency,key}'
      and k.part = (known #>> '{idempotency,part}')::integer
      and k.created_at > now() - k.retention
  );
  matched public.recruiting_orders;
  agent_id uuid;
begin
  if private.lead_problem(lead) is not null then
    raise exception '%', private.lead_problem(lead) using errcode = 'PT400';
  end if;

  if existing_id is null then
    select l.id into existing_id
    from public.recruiting_leads l
    where l.vendor_id = sender_id and l.vendor_lead_id = indexed_id;
  end if;

  if existing_id is null and not is_test then
    begin
      matched := private.best_order(sender_id, private.lead_state(lead -> 'vendor_metadata'), now());
      agent_id := private.next_agent(matched.agency_id, matched.agent_id);
    exception when lock_not_available then
      -- Somebody has locked a table, so the lead would wait.
      matched := null;
    end;
  end if;

  return jsonb_build_object(
    'status', case when existing_id is null then 'created' else 'duplicate' end,
    'id', existing_id,
    'distributed_to', case when matched.agency_id is not null
      then jsonb_build_object('agency_id', matched.agency_id, 'agent_id', agent_id) end
  );
end
$function$;

create or replace function public.replay_delivery (
  delivery_id uuid,
  lead jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  set statement_timeout to '20s'
  set lock_timeout to '5s'
  AS $function$
declare
  delivery public.rejected_deliveries;
begin
  -- A second operator waits here, and then finds it replayed.
  select * into delivery from public.rejected_deliveries d where d.id = delivery_id for update;
  if not found then
    raise exception 'delivery_id: no such delivery' using errcode = 'PT404';
  elsif delivery.status = 'dismissed' then
    raise exception 'the delivery has been dismissed' using errcode = 'PT409';
  elsif delivery.status = 'replayed' then
    return private.replayed(delivery);
  elsif coalesce(jsonb_typeof(lead), 'null') <> 'object' then
    raise exception 'lead: must be an object' using errcode = 'PT400';
  end if;

  update public.rejected_deliveries d
  set
    status = 'replayed',
    lead_id = case
      when delivery.vendor_id is null then private.replay_imported_lead(delivery, lead)
      else private.replay_recruiting_lead(delivery, lead)
    end
  where d.id = delivery.id
  returning * into delivery;
  return private.replayed(delivery);
end
$function$;

alter table "private"."recruiting_order_choices"
  add constraint "recruiting_order_choices_order_id_fkey" foreign key (order_id) references public.recruiting_orders(id)
    on delete cascade;

create index recruiting_order_choices_best_idx on private.recruiting_order_choices
  using btree (vendor_id, state, priority desc, share, created_at, order_id);

create index recruiting_leads_unmatched_idx on public.recruiting_leads using btree (created_at, id)
  where (distribution = 'unmatched'::text);

create trigger keep_order_choices
  after insert or update of vendor_id, states, priority, quantity, filled, status on public.recruiting_orders
  for each row
  execute function private.keep_order_choices();

comment on column "private"."recruiting_order_choices"."share" is 'Which part of its quantity the order has got.';

comment on column "private"."recruiting_order_choices"."state" is 'The empty text: an order for any state.';

comment on column "private"."recruiting_order_choices"."vendor_id" is 'The id of zeros: an order for any vendor.';

comment on function "private"."created_lead"(public.recruiting_leads) is 'The result of a lead that is stored.';

comment on function "private"."distribute_pending"(double precision) is 'Hands out the leads that are pending, oldest first. Returns false when its seconds were over, perhaps before the last. The caller holds the distribution lock.';

comment on function "private"."find_placement"(private.waiting_lead[]) is 'Finds the best order that can take the first of these leads now, and its agents, and locks them. The placement is for that lead and all that follow it and want the same order. Null: no order wants it, or all that do, or their agents, are locked by somebody else. The caller holds the distribution lock and locked the leads.';

comment on function "private"."hand_out_pending"() is 'Hands out the leads that are pending, unless somebody else does: then null. Returns true when it has tried all of them, so that those that are still pending wait for somebody who has locked an order, an agent or a table; false when its time was over.';

comment on function "private"."insert_recruiting_leads"(jsonb, uuid, boolean) is 'Looks up what is known of each lead, and stores those of which nothing is known: pending where an open order wants such a lead. Arguments: see store_recruiting_leads().';

comment on function "private"."keep_order_choices"() is 'Trigger: keeps the rows of an order in recruiting_order_choices.';

comment on function "private"."kept_lead"(jsonb, uuid) is 'The result of the request or delivery with this key that came before, or the {error} of private.kept_result(); null: it is the first.';

comment on function "private"."lead_error"(text, text) is 'The result of one lead that cannot be stored; null without a message.';

comment on function "private"."lead_key"(uuid, jsonb, jsonb) is 'By what a lead that comes again is known besides its vendor_lead_id: {scope, idempotency, retention} as private.kept_result() and private.keep_result() take them; null: by nothing.';

comment on function "private"."lead_problem"(jsonb) is 'Why this cannot be a recruiting lead; null when it can.';

comment on function "private"."leads_before_rival"(public.recruiting_orders, public.recruiting_orders) is
  'How many leads the chosen order gets, one after the other, before the rival is the better choice or the quantity is reached. The rival is what best_order() returns without the chosen order; null: there is none.';

comment on function "private"."leads_for_order"(public.recruiting_orders, private.waiting_lead[], timestamp
  with time zone, uuid[]) is 'How many of these leads, from the first on, the chosen order gets when they are handed out one after the other: until it is full, or another order, which is not in passed_over, is better for the next lead. At least one. Without a look at the daily cap.';

comment on function "private"."next_agent"(uuid, uuid) is 'The agent who would get the next lead of an order: the one that it names if active; else the active agent of the agency who accepts recruits and has waited longest; else null. private.lock_agents() makes the same choice.';

comment on function "private"."note_duplicates"(jsonb, private.sent_lead[]) is 'Gives the leads that were not stored their result, and records each duplicate. 40001 when a lead was in the way that has been deleted since: the call is to be repeated.';

comment on function "private"."place_leads"(uuid[], private.placement) is 'Gives the leads to the order and the agents of the placement, by turns, and counts them there. find_placement() has locked all of them.';

comment on function "private"."proved_vendor"(text, jsonb) is 'The vendor whose key has this SHA-256 (lower-case hex), or whose webhook request was proved with {secret_id}. Null when the key or secret is unknown, expired or taken away, the vendor is inactive, or its webhook is off.';

comment on function "private"."queue_waiting_greetings"(integer) is 'Does queue_greeting() for up to max leads of waiting_greetings, those that have waited longest. One that has waited for a day is not greeted any more.';

comment on function "private"."replay_recruiting_lead"(public.rejected_deliveries, jsonb) is 'Stores the lead of a delivery under the delivery''s id and distributes it. Returns its id, or the id of the lead that has this vendor_lead_id, or that the same delivery of a webhook has stored within 7 days. PT409 while that is at work.';

comment on function "private"."store_recruiting_leads"(jsonb, uuid, boolean) is 'Stores leads, and distributes them unless are_distributed is false. leads and result: see public.ingest_recruiting_leads(). of_vendor: the vendor of them all, whose proof the caller has checked; then a lead needs no id.';

comment on function "private"."time_ordered_id"() is 'A new id that begins with the time: new ids go to the end of their index, and not to a page that must be read first.';

comment on function "public"."abandon_recruiting_leads"(uuid[]) is 'Decides what became of leads whose call of ingest_recruiting_leads() got no response. Returns {<id>: result} with the result of that function for a lead that is stored, and on disk, and else null: then it will never be stored.';

comment on function "public"."distribute_pending_leads"(uuid[]) is 'Hands out every pending lead, oldest first, if one of these is pending, and says where they went: {leads: {<id>: {distribution, distributed_to: {agency_id, agent_id|null}|null}}, order_is_locked}. distribution is null when there is no such lead: it was deleted, or the server crashed before it was on disk. A lead stays pending while another transaction hands leads out; ask again a moment later. With order_is_locked it waits for somebody who has locked the orders that want it. What it says of a lead is on disk.';

comment on function "public"."ingest_recruiting_lead_batch"(text, jsonb, jsonb, text) is 'Stores many leads of the key''s vendor; none is distributed. leads: [{row, first_name, vendor_lead_id|null, vendor_metadata}]. Returns {created, duplicates, errors: [{row, reason}]}, with record_error, a SQLSTATE, where the duplicates could not be recorded. A duplicate has the vendor_lead_id of a stored lead or of an earlier row and is recorded; an error is a row that the database refused. PT401 as authenticate_vendor(). idempotency and its errors: see private.kept_result().';

comment on function "public"."ingest_recruiting_leads"(jsonb) is 'Stores leads of any vendors and distributes them, unless vendor_metadata.is_test is true. leads: [{key_hash|null, webhook|null, lead: {id, first_name, vendor_lead_id|null, vendor_metadata, resume_path|null, request_id|null, received_via|null}, idempotency|null}]. key_hash: SHA-256 of the vendor''s API key in lower-case hex; webhook: {secret_id, delivery_id|null, part} in place of a key. idempotency: see private.kept_result(). The caller makes the id; a repeated call with the same ids gives the first results and stores nothing. Returns an array with one result for each lead, in their order: {id, status: created, distributed_to: {agency_id, agent_id|null}|null}, with distribution: pending while it is not known where the lead goes, or whether it is on disk: then distribute_pending_leads() must be asked, because a crash of the server within a second may take such a lead away. Or {id, status: duplicate} with the id of the lead that has this vendor_lead_id, or that the same delivery_id and part stored within 7 days; with record_error, a SQLSTATE, where the repeat could not be recorded. Or {error: {code, message}}: PT401 as authenticate_vendor(), PT400 without a first_name, 55000 for an id that was abandoned, PT409 and PT422 as private.kept_result(). An exception concerns the call as a whole, which has then stored nothing: one lead that the database refuses, or that waits too long for another transaction (55P03), makes all fail.';

comment on function "public"."preview_recruiting_lead"(text, jsonb, jsonb) is 'What ingest_recruiting_leads() would do with this lead now; changes nothing. Returns {status: created|duplicate, id|null of the existing lead, distributed_to|null}. Raises the same errors.';

comment on function "public"."replay_delivery"(uuid, jsonb) is 'Stores the lead of a rejected delivery, once however often it is called, and sets the delivery to replayed. lead, for a recruiting vendor: {first_name, vendor_lead_id|null, vendor_metadata} as the vendor''s parser returns it; it is distributed as by POST /recruiting/ingest. For an import: the lead object, with phone_e164 where it can be read. Returns the result of ingest_recruiting_leads(): {id, status: created, distributed_to: {agency_id, agent_id|null}|null}, or {id, status: duplicate} with the lead that had come meanwhile. For an import there is no distributed_to. A repeated call returns the same. PT404 for an unknown delivery, PT409 for a dismissed one. A lead that cannot be stored is an error (PT400, or that of the constraint), and the delivery stays open.';

comment on table "private"."recruiting_order_choices" is 'The orders that are open and not full, once for each of their states, in the order in which leads go to them. Kept by a trigger. Dates and daily caps are not in it.';

comment on table "private"."waiting_greetings" is 'Leads that have gone to an agency by an order with a greeting, and are still to be greeted.';

comment on type "private"."placement" is 'Where the next leads go: how many of them, to which order, to its agents in the order of their turns (empty: the agency gets the leads with no agent), and when the first of them is distributed. Each further lead is distributed a microsecond later, so that the turns go on in this order.';

comment on type "private"."sent_lead" is 'A lead of a call: which one, with its vendor and vendor_lead_id as they are stored; by what a repeat is known, see private.lead_key(); and its result, null: another transaction, or an earlier lead of the call, has stored it meanwhile.';

comment on type "private"."sent_leads" is 'The leads of a call, and their results in an array. is_repeated: one of them came before; has_pending, are_pending: one of them, or all, are pending; has_key: one of them has a key.';

comment on type "private"."waiting_lead" is 'A pending lead, and what its order depends on.';

revoke all on function "private"."distribute_pending"(double precision) from public;

grant execute on function "private"."distribute_pending"(double precision) to "postgres", "service_role";

revoke all on function "private"."find_placement"(private.waiting_lead[]) from public;

grant execute on function "private"."find_placement"(private.waiting_lead[]) to "postgres", "service_role";

revoke all on function "private"."hand_out_pending"() from public;

grant execute on function "private"."hand_out_pending"() to "postgres", "service_role";

revoke all on function "private"."insert_recruiting_leads"(jsonb, uuid, boolean) from public;

grant execute on function "private"."insert_recruiting_leads"(jsonb, uuid, boolean) to "postgres", "service_role";

revoke all on function "private"."keep_order_choices"() from public;

grant execute on function "private"."keep_order_choices"() to "postgres";

revoke all on function "private"."kept_lead"(jsonb, uuid) from public;

grant execute on function "private"."kept_lead"(jsonb, uuid) to "postgres", "service_role";

revoke all on function "private"."lead_error"(text, text) from public;

grant execute on function "private"."lead_error"(text, text) to "postgres", "service_role";

revoke all on function "private"."lead_key"(uuid, jsonb, jsonb) from public;

grant execute on function "private"."lead_key"(uuid, jsonb, jsonb) to "postgres", "service_role";

revoke all on function "private"."lead_problem"(jsonb) from public;

grant execute on function "private"."lead_problem"(jsonb) to "postgres", "service_role";

revoke all
  on function "private"."leads_for_order"(public.recruiting_orders, private.waiting_lead[], timestamp
    with time zone, uuid[])
  from public;

grant execute
  on function "private"."leads_for_order"(public.recruiting_orders, private.waiting_lead[], timestamp
    with time zone, uuid[])
  to "postgres", "service_role";

revoke all on function "private"."note_duplicates"(jsonb, private.sent_lead[]) from public;

grant execute on function "private"."note_duplicates"(jsonb, private.sent_lead[]) to "postgres", "service_role";

revoke all on function "private"."place_leads"(uuid[], private.placement) from public;

grant execute on function "private"."place_leads"(uuid[], private.placement) to "postgres", "service_role";

revoke all on function "private"."proved_vendor"(text, jsonb) from public;

grant execute on function "private"."proved_vendor"(text, jsonb) to "postgres", "service_role";

revoke all on function "private"."store_recruiting_leads"(jsonb, uuid, boolean) from public;

grant execute on function "private"."store_recruiting_leads"(jsonb, uuid, boolean) to "postgres", "service_role";

revoke all on function "private"."time_ordered_id"() from public;

grant execute on function "private"."time_ordered_id"() to "postgres", "service_role";

revoke all on function "public"."abandon_recruiting_leads"(uuid[]) from public;

grant execute on function "public"."abandon_recruiting_leads"(uuid[]) to "postgres", "service_role";

revoke all on function "public"."distribute_pending_leads"(uuid[]) from public;

grant execute on function "public"."distribute_pending_leads"(uuid[]) to "postgres", "service_role";

revoke all on function "public"."ingest_recruiting_lead_batch"(text, jsonb, jsonb, text) from public;

grant execute
  on function "public"."ingest_recruiting_lead_batch"(text, jsonb, jsonb, text)
  to "postgres", "service_role";

revoke all on function "public"."ingest_recruiting_leads"(jsonb) from public;

grant execute on function "public"."ingest_recruiting_leads"(jsonb) to "postgres", "service_role";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."recruiting_order_choices"
  to "postgres";

grant delete, insert, select, update on table "private"."recruiting_order_choices" to "service_role";

grant usage on type "private"."sent_lead" to "postgres";

grant usage on type "private"."sent_leads" to "postgres";

grant usage on type "private"."waiting_lead" to "postgres";

alter table "public"."recruiting_lead_duplicates"
  alter column "id" set default private.time_ordered_id();

alter table "public"."recruiting_orders"
  add constraint "recruiting_orders_greeting_template_check"
    check (((greeting_template IS NULL) OR private.is_greeting_template(greeting_template)));

-- The differ writes no rows.
update public.recruiting_orders set filled = filled where status = 'open';
