set local check_function_bodies = off;

drop function "private"."record_duplicates"(uuid, jsonb, uuid[], text);

create or replace function private.insert_placed_lead (
  vendor_id uuid,
  lead jsonb,
  placement private.placement
)
  returns public.recruiting_leads
  language plpgsql
  set search_path to ''
  AS $function$
declare
  stored public.recruiting_leads;
begin
  -- The lead is written once, with its placement, because each update of it changes all its indexes.
  insert into public.recruiting_leads (
    id, vendor_id, vendor_lead_id, first_name, vendor_metadata, resume_path, request_id, received_via,
    distribution, order_id, agency_id, agent_id, distributed_at
  )
  values (
    (lead ->> 'id')::uuid, insert_placed_lead.vendor_id, private.indexable_id(lead ->> 'vendor_lead_id'),
    lead ->> 'first_name', coalesce(nullif(lead -> 'vendor_metadata', 'null'), '{}'), lead ->> 'resume_path',
    lead ->> 'request_id', lead ->> 'received_via', placement.distribution, placement.order_id, placement.agency_id,
    placement.agent_ids[1], placement.distributed_at
  )
  on conflict on constraint recruiting_leads_vendor_id_vendor_lead_id_key do nothing
  returning * into stored;

  if found and placement.distribution = 'distributed' then
    perform private.record_placement(placement, array[stored.id]);
  end if;
  return stored;
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
  metadata constant jsonb := lead -> 'vendor_metadata';
  not_placed constant private.placement := row('not_requested', null, null, null, null, null);
  stored public.recruiting_leads;
begin
  if metadata -> 'is_test' is not distinct from 'true' then
    return private.insert_placed_lead(vendor_id, lead, not_placed);
  end if;

  return private.insert_placed_lead(
    vendor_id, lead, private.place_new_lead(insert_recruiting_lead.vendor_id, private.lead_state(metadata)));
exception when lock_not_available then
  -- Somebody has locked a table that distribution needs. The distribution lock has been given back with everything else.
  -- The check of a foreign key waits for its table even where the key is null. But a deferred one leaves out a version of
  -- the row that the same transaction has replaced, and an update to a key that is null.
  set constraints all deferred;
  stored := private.insert_placed_lead(vendor_id, lead, not_placed);
  update public.recruiting_leads l set distribution = 'pending' where l.id = stored.id returning * into stored;
  return stored;
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
  kept := private.find_result(scope, idempotency);
  if kept is null and not is_alone then
    raise exception 'the first request with this Idempotency-Key or webhook id is still at work' using errcode = 'PT409';
  end if;
  return kept;
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
$function$;

create or replace function private.preview_placement (
  vendor_id uuid,
  state text
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  matched constant public.recruiting_orders := private.best_order(vendor_id, state, now());
begin
  return private.distributed_to(matched.agency_id, private.next_agent(matched.agency_id, matched.agent_id));
end
$function$;

create or replace function private.record_duplicates (
  vendor_id uuid,
  leads jsonb,
  created uuid[],
  request_id text
)
  returns text
  language plpgsql
  set search_path to ''
  set lock_timeout to '250ms'
  AS $function$
begin
  insert into public.recruiting_lead_duplicates (lead_id, vendor_id, request_id)
  select l.id, l.vendor_id, record_duplicates.request_id
  from (
    select
      private.indexable_id(lead.vendor_lead_id) as vendor_lead_id,
      row_number() over (partition by private.indexable_id(lead.vendor_lead_id) order by lead."row") as occurrence
    from jsonb_to_recordset(leads) as lead ("row" integer, vendor_lead_id text)
  ) sent
  join public.recruiting_leads l
    on l.vendor_id = record_duplicates.vendor_id and l.vendor_lead_id = sent.vendor_lead_id
  left join unnest(created) as new (id) on new.id = l.id
  -- The first row with the id of a new lead is that lead itself.
  where new.id is null or sent.occurrence > 1;
  return null;
exception when others then
  return sqlstate;
end
$function$;

create or replace function private.repeated_lead (
  lead jsonb,
  stored_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  repeated constant jsonb := jsonb_build_object('id', stored_id, 'status', 'duplicate');
begin
  -- A repeated call has the same id and is the same duplicate.
  insert into public.recruiting_lead_duplicates (id, lead_id, vendor_id, request_id)
  select (lead ->> 'id')::uuid, l.id, l.vendor_id, lead ->> 'request_id'
  from public.recruiting_leads l
  where l.id = stored_id
  on conflict (id) do nothing;
  return repeated;
exception when others then
  -- It is a duplicate all the same, of a lead that may not be on disk yet.
  perform private.force_flush();
  return repeated || jsonb_build_object('record_error', sqlstate);
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
$function$;

create or replace function public.ingest_recruiting_leads (
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
  created uuid[] := '{}';
  errors jsonb[] := '{}';
  duplicates integer;
  record_error text;
  lead jsonb;
begin
  if kept is not null then
    return kept;
  end if;

  begin
    created := private.insert_recruiting_leads(key_vendor_id, leads, request_id);
  exception when others then
    if not private.is_row_error(sqlstate) then
      raise;
    end if;
    -- One bad row makes the whole statement fail. Row by row costs about three times as much, so it is done only here.
    for lead in
      select l from jsonb_array_elements(leads) l
      order by private.indexable_id(l ->> 'vendor_lead_id'), (l ->> 'row')::integer
    loop
      begin
        created := created
          || private.insert_recruiting_leads(key_vendor_id, jsonb_build_array(lead), request_id);
      exception when others then
        if not private.is_row_error(sqlstate) then
          raise;
        end if;
        errors := array_append(
          errors, jsonb_build_object('row', lead -> 'row', 'reason', private.row_error_reason(sqlstate)));
      end;
    end loop;
  end;

  duplicates := jsonb_array_length(leads) - cardinality(created) - cardinality(errors);
  if duplicates > 0 then
    record_error := private.record_duplicates(
      key_vendor_id,
      case when errors = '{}' then leads else (
        select jsonb_agg(l)
        from jsonb_array_elements(leads) l
        where l -> 'row' <> all (select e -> 'row' from unnest(errors) e)
      ) end,
      created,
      request_id
    );
  end if;

  return private.keep_result(scope, idempotency, jsonb_build_object(
    'created', cardinality(created),
    'duplicates', duplicates,
    'errors', (select coalesce(jsonb_agg(e order by (e ->> 'row')::integer), '[]') from unnest(errors) e)
  ) || case when record_error is null then '{}' else jsonb_build_object('record_error', record_error) end);
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
  existing_id uuid := private.find_result('delivery ' || sender_id, private.webhook_delivery(webhook)) ->> 'id';
  distributed_to jsonb;
begin
  perform private.require_recruiting_lead(lead);

  if existing_id is null then
    select l.id into existing_id
    from public.recruiting_leads l
    where l.vendor_id = sender_id and l.vendor_lead_id = indexed_id;
  end if;

  if existing_id is null and not is_test then
    begin
      distributed_to := private.preview_placement(sender_id, private.lead_state(lead -> 'vendor_metadata'));
    exception when lock_not_available then
      -- Somebody has locked a table, so the lead would wait.
      distributed_to := null;
    end;
  end if;

  return jsonb_build_object(
    'status', case when existing_id is null then 'created' else 'duplicate' end,
    'id', existing_id,
    'distributed_to', distributed_to
  );
end
$function$;

alter table "public"."recruiting_leads" alter constraint "recruiting_leads_agency_id_fkey" deferrable;

alter table "public"."recruiting_leads" alter constraint "recruiting_leads_agency_id_order_id_fkey" deferrable;

alter table "public"."recruiting_leads" alter constraint "recruiting_leads_agent_id_agency_id_fkey" deferrable;

comment on function "private"."insert_placed_lead"(uuid, jsonb, private.placement) is 'Stores a lead with its placement. Arguments and result: see private.insert_recruiting_lead().';

comment on function "private"."insert_recruiting_lead"(uuid, jsonb) is 'Distributes and stores a lead of a vendor, and returns it, or null when the vendor has a lead with its vendor_lead_id. While somebody has locked what distribution needs, the lead is pending. lead: see public.ingest_recruiting_lead(). The caller has called lock_vendor_lead_id(). 55P03 when such a lead is in a transaction that has not called it, of a bulk request or an operator, and is not committed: the call is to be repeated.';

comment on function "private"."kept_result"(text, jsonb) is 'The kept result of a request that came before, or null. idempotency: {key, part, request_hash|null}, or null for a request without a key. PT409 while the first transaction works on the same key; PT422 when the key came with another body.';

comment on function "private"."place_new_lead"(uuid, text) is 'Distributes the leads that are pending, and then finds the placement of a lead that is about to be stored, as find_placement() does: `pending`, too, while other transactions hand leads out. Then this transaction does not wait for the disk. 55P03 when somebody has locked a table: the caller undoes what was done since, and the lead is pending.';

comment on function "private"."preview_placement"(uuid, text) is 'Where a lead of this vendor and state would go now: {agency_id, agent_id|null}, or null when no order wants it.';

comment on function "private"."record_duplicates"(uuid, jsonb, uuid[], text) is 'Records each row that is a duplicate of a stored lead or of an earlier row. created: the leads that the rows became. Returns null, or the SQLSTATE where none could be recorded.';

comment on function "private"."repeated_lead"(jsonb, uuid) is 'Records that a lead was sent again, and returns it as ingest_recruiting_lead() does: {id, status: duplicate}, with record_error: the SQLSTATE where it could not be recorded.';

comment on function "private"."take_distribution_lock"(integer, integer) is 'Whether this transaction may hand out leads. It then holds the distribution lock until it ends. It may wait 250 ms at the places from the first to the last: new leads at 1 to 3, questions where leads went at 4 and 5.';

comment on function "public"."distribute_pending_leads"(uuid, uuid[]) is 'Hands out every pending lead, oldest first, if the lead or one of the others is pending, and says where they went: {distribution, distributed_to: {agency_id, agent_id|null}|null}, for the others in others: {<id>: {...}}. distribution is null when there is no such lead: it was deleted, or the server crashed before it was on disk. A lead stays pending while other transactions hand leads out; ask again a moment later. With order_is_locked: true it waits for somebody who has locked the orders that want it, or a table. What it says of a lead is on disk.';

comment on function "public"."distribute_waiting_leads"(integer, uuid) is 'Hands out leads that came when no order wanted them (unmatched), and pending ones: oldest first, at most max, of one vendor or of all. Returns how many; 0 when nothing that waits is wanted. For an order that was opened late. Holds the distribution lock, so that other leads wait meanwhile: call it with max of about 100 until it returns 0. 55P03 when others keep the lock for more than 5 s, or somebody has locked a table that it needs; PT400 for a max below 1.';

comment on function "public"."ingest_recruiting_lead"(text, jsonb, jsonb, jsonb) is 'Stores one lead of the key''s vendor and distributes it, unless vendor_metadata.is_test is true. lead: {id, first_name, vendor_lead_id|null, vendor_metadata, resume_path|null, request_id|null, received_via|null}. The caller makes the id; a repeated call with the same id returns the first result and stores nothing. 55000 for an id that was abandoned. Returns {id, status: created, distributed_to: {agency_id, agent_id|null}|null}, with distribution: pending while it is not known where the lead goes, or whether it is on disk: then distribute_pending_leads() must be asked, because a crash of the server within a second may take such a lead away; or {id, status: duplicate} with the id of the lead that has this vendor_lead_id, and with record_error: a SQLSTATE where the duplicate could not be recorded. PT401 as authenticate_vendor(), PT400 without a first_name. idempotency and its errors: see private.kept_result(). webhook: see authenticate_vendor(). A delivery_id and part that stored a lead within 7 days return it as a duplicate, whatever the lead is now; PT409 while the first is still at work.';

comment on function "public"."ingest_recruiting_leads"(text, jsonb, jsonb, text) is 'Stores many leads of the key''s vendor; none is distributed. leads: [{row, first_name, vendor_lead_id|null, vendor_metadata}]. Returns {created, duplicates, errors: [{row, reason}]}, with record_error: a SQLSTATE where the duplicates could not be recorded. A duplicate has the vendor_lead_id of a stored lead or of an earlier row; an error is a row that the database refused. PT401 as authenticate_vendor(). idempotency and its errors: see private.kept_result().';

revoke all on function "private"."insert_placed_lead"(uuid, jsonb, private.placement) from public;

grant execute on function "private"."insert_placed_lead"(uuid, jsonb, private.placement) to "postgres", "service_role";

revoke all on function "private"."preview_placement"(uuid, text) from public;

grant execute on function "private"."preview_placement"(uuid, text) to "postgres", "service_role";

revoke all on function "private"."record_duplicates"(uuid, jsonb, uuid[], text) from public;

grant execute on function "private"."record_duplicates"(uuid, jsonb, uuid[], text) to "postgres", "service_role";
