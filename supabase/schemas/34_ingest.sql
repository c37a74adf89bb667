-- POST /recruiting/ingest: one lead.

create function private.require_recruiting_lead(lead jsonb) returns void
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
end
$$;

comment on function private.require_recruiting_lead(jsonb) is
  'Raises PT400 when the lead has no first_name, or a vendor_metadata that is no object.';
grant execute on function private.require_recruiting_lead(jsonb) to service_role;

create function private.created_lead(lead public.recruiting_leads) returns jsonb
language plpgsql
immutable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'id', lead.id,
    'status', 'created',
    'distributed_to', private.distributed_to(lead.agency_id, lead.agent_id)
  ) || case when lead.distribution = 'pending' then '{"distribution": "pending"}' else '{}' end::jsonb;
end
$$;

comment on function private.created_lead(public.recruiting_leads) is
  'A stored lead, as ingest_recruiting_lead() returns it.';
grant execute on function private.created_lead(public.recruiting_leads) to service_role;

create function private.repeated_lead(lead jsonb, stored_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  -- A repeated call has the same id and is the same duplicate.
  insert into public.recruiting_lead_duplicates (id, lead_id, vendor_id, request_id)
  select (lead ->> 'id')::uuid, l.id, l.vendor_id, lead ->> 'request_id'
  from public.recruiting_leads l
  where l.id = stored_id
  on conflict (id) do nothing;
  return jsonb_build_object('id', stored_id, 'status', 'duplicate');
end
$$;

comment on function private.repeated_lead(jsonb, uuid) is
  'Records that a lead was sent again, and returns it as ingest_recruiting_lead() does: {id, status: duplicate}.';
grant execute on function private.repeated_lead(jsonb, uuid) to service_role;

create function private.wait_for_same_lead(vendor_id uuid, vendor_lead_id text) returns void
language plpgsql
set search_path = ''
as $$
declare
  key constant bigint := hashtextextended(format('recruiting lead %s %s', vendor_id, vendor_lead_id), 0);
begin
  -- The first has the lock alone. All that wait for it go on together when it ends.
  if vendor_lead_id is not null and not pg_try_advisory_xact_lock(key) then
    perform pg_advisory_xact_lock_shared(key);
  end if;
end
$$;

comment on function private.wait_for_same_lead(uuid, text) is
  'Waits for another transaction that stores a lead with this vendor_lead_id. Without it the insert would wait, and hold the '
  'distribution lock meanwhile. 55P03 when it takes longer than the lock_timeout.';
grant execute on function private.wait_for_same_lead(uuid, text) to service_role;

create function private.insert_recruiting_lead(vendor_id uuid, lead jsonb) returns public.recruiting_leads
language plpgsql
set search_path = ''
as $$
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
$$;

comment on function private.insert_recruiting_lead(uuid, jsonb) is
  'Distributes and stores a lead of a vendor, and returns it, or null when the vendor has a lead with its vendor_lead_id. '
  'lead: see public.ingest_recruiting_lead(). The caller has called wait_for_same_lead(). 55P03 when such a lead is in a '
  'transaction that has not called it, of a bulk request or an operator, and is not committed: the call is to be repeated.';
grant execute on function private.insert_recruiting_lead(uuid, jsonb) to service_role;

create function private.store_recruiting_lead(vendor_id uuid, lead jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
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

create function private.lock_lead_id(lead_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('recruiting lead ' || lead_id, 0));
end
$$;

comment on function private.lock_lead_id(uuid) is
  'Until the transaction ends, nobody else stores or abandons the lead with this id.';
grant execute on function private.lock_lead_id(uuid) to service_role;

create function public.abandon_recruiting_lead(lead_id uuid) returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '4s'
as $$
declare
  lead public.recruiting_leads;
begin
  perform private.lock_lead_id(lead_id);
  select * into lead from public.recruiting_leads l where l.id = lead_id;
  if found then
    return private.created_lead(lead);
  end if;

  insert into private.abandoned_leads as a (lead_id) values (abandon_recruiting_lead.lead_id)
  on conflict do nothing;

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
  -- The caller and the route, as with every Idempotency-Key.
  scope constant text := case when webhook is null then 'ingest ' else 'webhook ' end || sender_id;
  delivery_scope constant text := 'delivery ' || sender_id;
  delivery constant jsonb := private.webhook_delivery(webhook);
  kept jsonb;
begin
  perform private.lock_lead_id((lead ->> 'id')::uuid);
  if exists (select from private.abandoned_leads a where a.lead_id = (lead ->> 'id')::uuid) then
    -- No error of the lead: sent again, it is stored under another id.
    raise exception 'the lead was abandoned' using errcode = 'object_not_in_prerequisite_state';
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
  'while it is not known where the lead goes; or {id, status: duplicate} with the id of the lead that has this '
  'vendor_lead_id. PT401 as authenticate_vendor(), PT400 without a first_name. idempotency and its errors: see '
  'private.kept_result(). webhook: see authenticate_vendor(). A delivery_id and part that stored a lead within 7 days '
  'return it as a duplicate, whatever the lead is now; PT409 while the first is still at work.';
grant execute on function public.ingest_recruiting_lead(text, jsonb, jsonb, jsonb) to service_role;

create function public.preview_recruiting_lead(key_hash text, lead jsonb, webhook jsonb default null) returns jsonb
language plpgsql
stable
set search_path = ''
set statement_timeout = '2s'
as $$
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
$$;

comment on function public.preview_recruiting_lead(text, jsonb, jsonb) is
  'What ingest_recruiting_lead() would do with this lead now; changes nothing. Returns {status: created|duplicate, '
  'id|null of the existing lead, distributed_to|null}. Raises the same errors.';
grant execute on function public.preview_recruiting_lead(text, jsonb, jsonb) to service_role;
