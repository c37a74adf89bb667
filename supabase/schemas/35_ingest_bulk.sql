-- POST /recruiting/ingest/bulk: many leads, none of them distributed.

create function private.insert_recruiting_leads(vendor_id uuid, leads jsonb, request_id text) returns uuid[]
language plpgsql
set search_path = ''
as $$
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
$$;

comment on function private.insert_recruiting_leads(uuid, jsonb, text) is
  'Stores the leads that are not duplicates, in one statement, and returns their ids.';
grant execute on function private.insert_recruiting_leads(uuid, jsonb, text) to service_role;

create function private.record_duplicates(vendor_id uuid, leads jsonb, created uuid[], request_id text)
returns text
language plpgsql
set search_path = ''
set lock_timeout = '250ms'
as $$
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
$$;

comment on function private.record_duplicates(uuid, jsonb, uuid[], text) is
  'Records each row that is a duplicate of a stored lead or of an earlier row. created: the leads that the rows became. '
  'Returns null, or the SQLSTATE where none could be recorded.';
grant execute on function private.record_duplicates(uuid, jsonb, uuid[], text) to service_role;

create function public.ingest_recruiting_leads(
  key_hash text,
  leads jsonb,
  idempotency jsonb default null,
  request_id text default null
) returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '60s'
as $$
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
$$;

comment on function public.ingest_recruiting_leads(text, jsonb, jsonb, text) is
  'Stores many leads of the key''s vendor; none is distributed. leads: [{row, first_name, vendor_lead_id|null, '
  'vendor_metadata}]. Returns {created, duplicates, errors: [{row, reason}]}, with record_error: a SQLSTATE where the '
  'duplicates could not be recorded. A duplicate has the vendor_lead_id of a stored lead or of an earlier row; an error is a row that the database refused. PT401 as '
  'authenticate_vendor(). idempotency and its errors: see private.kept_result().';
grant execute on function public.ingest_recruiting_leads(text, jsonb, jsonb, text) to service_role;
