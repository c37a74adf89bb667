-- POST /recruiting/ingest: one lead.

create function private.require_recruiting_lead(lead jsonb) returns jsonb
language plpgsql
immutable
set search_path = ''
as $$
begin
  if coalesce(btrim(lead ->> 'first_name'), '') = '' then
    raise exception 'missing first_name' using errcode = 'PT400';
  elsif coalesce(jsonb_typeof(lead -> 'vendor_metadata'), 'null') not in ('object', 'null') then
    raise exception 'vendor_metadata must be an object' using errcode = 'PT400';
  end if;
  return lead;
end
$$;

comment on function private.require_recruiting_lead(jsonb) is
  'Returns the lead. Raises PT400 when it has no first_name, or a vendor_metadata that is no object.';
grant execute on function private.require_recruiting_lead(jsonb) to service_role;

create function private.pending_lead(lead_id uuid) returns jsonb
language plpgsql
immutable
set search_path = ''
as $$
begin
  return jsonb_build_object('id', lead_id, 'status', 'created', 'distributed_to', null, 'distribution', 'pending');
end
$$;

comment on function private.pending_lead(uuid) is
  'A lead of which it is not known yet where it goes, or that is not on disk yet, as ingest_recruiting_lead() returns it.';
grant execute on function private.pending_lead(uuid) to service_role;

create function private.created_lead(lead public.recruiting_leads) returns jsonb
language plpgsql
immutable
set search_path = ''
as $$
begin
  if lead.distribution = 'pending' then
    return private.pending_lead(lead.id);
  end if;
  return jsonb_build_object(
    'id', lead.id, 'status', 'created', 'distributed_to', private.distributed_to(lead.agency_id, lead.agent_id));
end
$$;

comment on function private.created_lead(public.recruiting_leads) is
  'A stored lead, as ingest_recruiting_lead() returns it.';
grant execute on function private.created_lead(public.recruiting_leads) to service_role;

create function private.repeated_lead(lead jsonb, stored_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
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
$$;

comment on function private.repeated_lead(jsonb, uuid) is
  'Records that a lead was sent again, and returns it as ingest_recruiting_lead() does: {id, status: duplicate}, with '
  'record_error: the SQLSTATE where it could not be recorded.';
grant execute on function private.repeated_lead(jsonb, uuid) to service_role;

create function private.lock_vendor_lead_id(vendor_id uuid, vendor_lead_id text) returns text
language plpgsql
set search_path = ''
as $$
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
$$;

comment on function private.lock_vendor_lead_id(uuid, text) is
  'Returns the id as it is stored, and waits for another transaction that stores a lead with it. Without that the insert '
  'would wait, and hold the distribution lock meanwhile. 55P03 when it takes longer than the lock_timeout.';
grant execute on function private.lock_vendor_lead_id(uuid, text) to service_role;

create function private.insert_placed_lead(vendor_id uuid, lead jsonb, placement private.placement)
returns public.recruiting_leads
language plpgsql
set search_path = ''
as $$
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
$$;

comment on function private.insert_placed_lead(uuid, jsonb, private.placement) is
  'Stores a lead with its placement. Arguments and result: see private.insert_recruiting_lead().';
grant execute on function private.insert_placed_lead(uuid, jsonb, private.placement) to service_role;

create function private.insert_recruiting_lead(vendor_id uuid, lead jsonb) returns public.recruiting_leads
language plpgsql
set search_path = ''
as $$
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
$$;

comment on function private.insert_recruiting_lead(uuid, jsonb) is
  'Distributes and stores a lead of a vendor, and returns it, or null when the vendor has a lead with its vendor_lead_id. '
  'While somebody has locked what distribution needs, the lead is pending. lead: see public.ingest_recruiting_lead(). The '
  'caller has called lock_vendor_lead_id(). 55P03 when such a lead is in a transaction that has not called it, of a bulk '
  'request or an operator, and is not committed: the call is to be repeated.';
grant execute on function private.insert_recruiting_lead(uuid, jsonb) to service_role;

create function private.store_recruiting_lead(vendor_id uuid, lead jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
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
$$;

comment on function private.store_recruiting_lead(uuid, jsonb) is
  'Stores a lead of a vendor and distributes it. Arguments and result: see public.ingest_recruiting_lead().';
grant execute on function private.store_recruiting_lead(uuid, jsonb) to service_role;

-- A call may be slow on its way to the database and begin after the function has given it up. So before the function says
-- that a lead was not stored, it abandons the lead's id: a later call with that id stores nothing.

create table private.abandoned_leads (
  lead_id uuid primary key,
  abandoned_at timestamptz not null default now()
);

create index on private.abandoned_leads (abandoned_at);

comment on table private.abandoned_leads is
  'Ids of leads that were not stored in time, and must not be stored any more. Kept for an hour; no call is that slow.';

alter table private.abandoned_leads enable row level security;
grant select, insert, update, delete on private.abandoned_leads to service_role;

create function private.is_abandoned(lead_id uuid) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  key constant bigint := hashtextextended('recruiting lead ' || lead_id, 0);
begin
  if not pg_try_advisory_xact_lock(key) then
    perform pg_advisory_xact_lock(key);
  end if;
  return exists (select from private.abandoned_leads a where a.lead_id = is_abandoned.lead_id);
end
$$;

comment on function private.is_abandoned(uuid) is
  'Whether the lead with this id was abandoned. Until the transaction ends, nobody else stores or abandons it.';
grant execute on function private.is_abandoned(uuid) to service_role;

create function public.abandon_recruiting_lead(lead_id uuid) returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '4s'
as $$
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
$$;

comment on function public.abandon_recruiting_lead(uuid) is
  'Decides what became of a lead whose call of ingest_recruiting_lead() got no response. Returns the lead as that '
  'function does if it is stored, and else null: then it will never be stored.';
grant execute on function public.abandon_recruiting_lead(uuid) to service_role;

create function public.ingest_recruiting_lead(
  key_hash text,
  lead jsonb,
  idempotency jsonb default null,
  webhook jsonb default null
) returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '2s'
set lock_timeout = '250ms'
-- Plans are kept. One that was made while a table was small would read all of it when it has grown.
set enable_seqscan = off
-- Without it, statements with arrays are planned at each call, which takes longer than to run them.
set plan_cache_mode = force_generic_plan
as $$
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
$$;

comment on function public.ingest_recruiting_lead(text, jsonb, jsonb, jsonb) is
  'Stores one lead of the key''s vendor and distributes it, unless vendor_metadata.is_test is true. lead: {id, '
  'first_name, vendor_lead_id|null, vendor_metadata, resume_path|null, request_id|null, received_via|null}. The caller '
  'makes the id; a repeated call with the same id returns the first result and stores nothing. 55000 for an id that was '
  'abandoned. Returns {id, status: created, distributed_to: {agency_id, agent_id|null}|null}, with distribution: pending '
  'while it is not known where the lead goes, or whether it is on disk: then distribute_pending_leads() must be asked, '
  'because a crash of the server within a second may take such a lead away; or {id, status: duplicate} with the id of the lead that has this '
  'vendor_lead_id, and with record_error: a SQLSTATE where the duplicate could not be recorded. PT401 as authenticate_vendor(), PT400 without a first_name. idempotency and its errors: see '
  'private.kept_result(). webhook: see authenticate_vendor(). A delivery_id and part that stored a lead within 7 days '
  'return it as a duplicate, whatever the lead is now; PT409 while the first is still at work.';
grant execute on function public.ingest_recruiting_lead(text, jsonb, jsonb, jsonb) to service_role;

create function private.preview_placement(vendor_id uuid, state text) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  matched constant public.recruiting_orders := private.best_order(vendor_id, state, now());
begin
  return private.distributed_to(matched.agency_id, private.next_agent(matched.agency_id, matched.agent_id));
end
$$;

comment on function private.preview_placement(uuid, text) is
  'Where a lead of this vendor and state would go now: {agency_id, agent_id|null}, or null when no order wants it.';
grant execute on function private.preview_placement(uuid, text) to service_role;

create function public.preview_recruiting_lead(key_hash text, lead jsonb, webhook jsonb default null) returns jsonb
language plpgsql
stable
set search_path = ''
set statement_timeout = '2s'
set lock_timeout = '250ms'
as $$
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
$$;

comment on function public.preview_recruiting_lead(text, jsonb, jsonb) is
  'What ingest_recruiting_lead() would do with this lead now; changes nothing. Returns {status: created|duplicate, '
  'id|null of the existing lead, distributed_to|null}. Raises the same errors.';
grant execute on function public.preview_recruiting_lead(text, jsonb, jsonb) to service_role;
