create function private.bounded_key(value text) returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return case
    when btrim(value) = '' then null
    when length(value) <= 512 then value
    else 'sha256:' || encode(sha256(convert_to(value, 'UTF8')), 'hex')
  end;
end
$$;

comment on function private.bounded_key(text) is
  'An id given from outside, made fit for an index, whose entries hold about 2,700 bytes: null when blank, and beyond '
  '512 characters `sha256:` and its hash.';
grant execute on function private.bounded_key(text) to service_role;

create function private.distributed_to(agency_id uuid, agent_id uuid) returns jsonb
language plpgsql
immutable
set search_path = ''
as $$
begin
  return case when agency_id is not null
    then jsonb_build_object('agency_id', agency_id, 'agent_id', agent_id) end;
end
$$;

comment on function private.distributed_to(uuid, uuid) is
  'Where a lead went, as the API answers it: {agency_id, agent_id|null}, or null when it went nowhere.';
grant execute on function private.distributed_to(uuid, uuid) to service_role;

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

comment on function private.require_recruiting_lead(jsonb) is 'PT400 unless this is a lead that can be stored.';
grant execute on function private.require_recruiting_lead(jsonb) to service_role;

create function public.ingest_recruiting_lead(key_hash text, lead jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  key_vendor_id constant uuid := public.authenticate_vendor(key_hash) ->> 'vendor_id';
  lead_id constant uuid := lead ->> 'id';
  key constant text := private.bounded_key(lead ->> 'vendor_lead_id');
  is_test constant boolean := 'true' in (lead -> 'is_test', lead #> '{vendor_metadata,is_test}');
  metadata jsonb := coalesce(nullif(lead -> 'vendor_metadata', 'null'), '{}');
  stored public.recruiting_leads;
  distributed public.recruiting_leads;
begin
  perform private.require_recruiting_lead(lead);
  -- A call that was held up on its way would store a lead whose sender was told that it had failed, and whose resume has
  -- been removed since.
  if (lead ->> 'not_after')::timestamptz < clock_timestamp() then
    raise exception 'the call comes too late';
  end if;
  if is_test then
    metadata := metadata || '{"is_test": true}';
  end if;

  loop
    insert into public.recruiting_leads (id, vendor_id, vendor_lead_id, first_name, vendor_metadata, resume_path)
    values (lead_id, key_vendor_id, key, lead ->> 'first_name', metadata, lead ->> 'resume_path')
    on conflict do nothing
    returning * into stored;

    if found then
      if is_test is not true then
        distributed := private.distribute_recruiting_lead(stored.id, stored.vendor_id, stored.state);
      end if;
      return jsonb_build_object(
        'id', stored.id,
        'status', 'created',
        'vendor_id', stored.vendor_id,
        'distributed_to', private.distributed_to(distributed.agency_id, distributed.agent_id)
      );
    end if;

    -- The row in the way may have been committed after the insert began, so it is looked for by a statement of its own;
    -- and if it was deleted meanwhile, the insert has its second chance.
    select * into stored
    from public.recruiting_leads l
    where l.id = lead_id or (l.vendor_id = key_vendor_id and l.vendor_lead_id = key)
    order by l.id = lead_id desc
    limit 1;

    if stored.vendor_id <> key_vendor_id then
      raise exception 'the id belongs to a lead of another vendor' using errcode = 'unique_violation';
    elsif stored.id = lead_id then
      return jsonb_build_object(
        'id', stored.id,
        'status', 'created',
        'vendor_id', stored.vendor_id,
        'distributed_to', private.distributed_to(stored.agency_id, stored.agent_id)
      );
    elsif found then
      return jsonb_build_object('id', stored.id, 'status', 'duplicate', 'vendor_id', stored.vendor_id);
    end if;
  end loop;
end
$$;

comment on function public.ingest_recruiting_lead(text, jsonb) is
  'Stores one lead of the key''s vendor and distributes it. lead: {id, first_name, vendor_lead_id|null, '
  'vendor_metadata, resume_path|null, is_test?, not_after?}; the id is the caller''s, so that a repeated call answers '
  'what the first one did, and after the time not_after nothing is stored. Returns {id, status: created, vendor_id, '
  'distributed_to: {agency_id, agent_id|null}|null}, or {id, status: duplicate, vendor_id} with the id of the lead that '
  'has this vendor_lead_id. PT401 as authenticate_vendor(), PT400 without a first_name.';
grant execute on function public.ingest_recruiting_lead(text, jsonb) to service_role;
