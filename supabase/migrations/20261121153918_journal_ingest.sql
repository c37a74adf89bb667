set local check_function_bodies = off;

drop function "private"."insert_recruiting_leads"(uuid, jsonb);

drop function "public"."ingest_recruiting_leads"(text, jsonb, jsonb);

create or replace function private.insert_recruiting_leads (
  vendor_id uuid,
  leads jsonb,
  request_id text
)
  returns uuid[]
  language plpgsql
  set search_path to ''
  AS $function$
declare
  created uuid[];
begin
  -- Sorted by vendor_lead_id, so that two requests with the same leads wait for each other and never deadlock; then by
  -- row, so that of two rows with the same vendor_lead_id the first is stored.
  with inserted as (
    insert into public.recruiting_leads (
      vendor_id, vendor_lead_id, first_name, vendor_metadata, request_id, received_via
    )
    select
      insert_recruiting_leads.vendor_id,
      private.indexable_id(lead.vendor_lead_id),
      lead.first_name,
      coalesce(nullif(lead.vendor_metadata, 'null'), '{}'),
      insert_recruiting_leads.request_id,
      'bulk'
    from jsonb_to_recordset(leads)
      as lead ("row" integer, first_name text, vendor_lead_id text, vendor_metadata jsonb)
    order by private.indexable_id(lead.vendor_lead_id), lead."row"
    on conflict on constraint recruiting_leads_vendor_id_vendor_lead_id_key do nothing
    returning id
  )
  select coalesce(array_agg(i.id), '{}') into created from inserted i;
  return created;
end
$function$;

create or replace function private.record_duplicates (
  vendor_id uuid,
  leads jsonb,
  created uuid[],
  request_id text
)
  returns void
  language plpgsql
  set search_path to ''
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
      id, vendor_id, vendor_lead_id, first_name, vendor_metadata, resume_path, distribution, request_id, received_via
    )
    values (
      lead_id, store_recruiting_lead.vendor_id, indexed_id, lead ->> 'first_name', metadata, lead ->> 'resume_path',
      case when is_test then 'not_requested' else 'unmatched' end, lead ->> 'request_id', lead ->> 'received_via'
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
    where l.id = lead_id
      or (l.vendor_id = store_recruiting_lead.vendor_id and l.vendor_lead_id = indexed_id)
    order by l.id = lead_id desc
    limit 1;

    if stored.vendor_id <> store_recruiting_lead.vendor_id then
      raise exception 'the id belongs to a lead of another vendor' using errcode = 'unique_violation';
    elsif stored.id = lead_id then
      return private.created_lead(stored);
    elsif found then
      -- A repeated call has the same id and is the same duplicate.
      insert into public.recruiting_lead_duplicates (id, lead_id, vendor_id, request_id)
      values (lead_id, stored.id, stored.vendor_id, lead ->> 'request_id')
      on conflict (id) do nothing;
      return jsonb_build_object('id', stored.id, 'status', 'duplicate');
    end if;
  end loop;
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
    perform private.record_duplicates(
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
  ));
end
$function$;

comment on function "private"."insert_recruiting_leads"(uuid, jsonb, text) is 'Stores the leads that are not duplicates, in one statement, and returns their ids.';

comment on function "private"."record_duplicates"(uuid, jsonb, uuid[], text) is 'Records each row that is a duplicate of a stored lead or of an earlier row. created: the leads that the rows became.';

comment on function "public"."ingest_recruiting_lead"(text, jsonb, jsonb) is 'Stores one lead of the key''s vendor and distributes it, unless vendor_metadata.is_test is true. lead: {id, first_name, vendor_lead_id|null, vendor_metadata, resume_path|null, not_after?, request_id|null, received_via|null}. The caller makes the id; a repeated call with the same id returns the first result and stores nothing. After the time not_after nothing is stored (P0001). Returns {id, status: created, distributed_to: {agency_id, agent_id|null}|null}, or {id, status: duplicate} with the id of the lead that has this vendor_lead_id. PT401 as authenticate_vendor(), PT400 without a first_name. idempotency and its errors: see private.kept_result().';

comment on function "public"."ingest_recruiting_leads"(text, jsonb, jsonb, text) is 'Stores many leads of the key''s vendor; none is distributed. leads: [{row, first_name, vendor_lead_id|null, vendor_metadata}]. Returns {created, duplicates, errors: [{row, reason}]}. A duplicate has the vendor_lead_id of a stored lead or of an earlier row and is recorded; an error is a row that the database refused. PT401 as authenticate_vendor(). idempotency and its errors: see private.kept_result().';

revoke all on function "private"."insert_recruiting_leads"(uuid, jsonb, text) from public;

grant execute on function "private"."insert_recruiting_leads"(uuid, jsonb, text) to "postgres", "service_role";

revoke all on function "private"."record_duplicates"(uuid, jsonb, uuid[], text) from public;

grant execute on function "private"."record_duplicates"(uuid, jsonb, uuid[], text) to "postgres", "service_role";

revoke all on function "public"."ingest_recruiting_leads"(text, jsonb, jsonb, text) from public;

grant execute on function "public"."ingest_recruiting_leads"(text, jsonb, jsonb, text) to "postgres", "service_role";
