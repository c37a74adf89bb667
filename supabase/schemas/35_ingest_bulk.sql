-- POST /recruiting/ingest/bulk: many leads, none of them distributed.

create function private.insert_recruiting_leads(vendor_id uuid, leads jsonb) returns integer
language plpgsql
set search_path = ''
as $$
declare
  created integer;
begin
  -- Sorted by vendor_lead_id, so that two requests with the same leads wait for each other and never deadlock; then by
  -- row, so that of two rows with the same vendor_lead_id the first is stored.
  insert into public.recruiting_leads (vendor_id, vendor_lead_id, first_name, vendor_metadata)
  select
    insert_recruiting_leads.vendor_id,
    private.indexable_id(lead.vendor_lead_id),
    lead.first_name,
    coalesce(nullif(lead.vendor_metadata, 'null'), '{}')
  from jsonb_to_recordset(leads)
    as lead ("row" integer, first_name text, vendor_lead_id text, vendor_metadata jsonb)
  order by private.indexable_id(lead.vendor_lead_id), lead."row"
  on conflict on constraint recruiting_leads_vendor_id_vendor_lead_id_key do nothing;

  get diagnostics created = row_count;
  return created;
end
$$;

comment on function private.insert_recruiting_leads(uuid, jsonb) is
  'Stores the leads that are not duplicates, in one statement, and returns how many they were.';
grant execute on function private.insert_recruiting_leads(uuid, jsonb) to service_role;

create function public.ingest_recruiting_leads(key_hash text, leads jsonb, idempotency jsonb default null)
returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '60s'
as $$
declare
  key_vendor_id constant uuid := public.authenticate_vendor(key_hash) ->> 'vendor_id';
  scope constant text := 'bulk ' || key_vendor_id;
  kept constant jsonb := private.kept_result(scope, idempotency);
  created integer := 0;
  errors jsonb[] := '{}';
  lead jsonb;
begin
  if kept is not null then
    return kept;
  end if;

  begin
    created := private.insert_recruiting_leads(key_vendor_id, leads);
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
        created := created + private.insert_recruiting_leads(key_vendor_id, jsonb_build_array(lead));
      exception when others then
        if not private.is_row_error(sqlstate) then
          raise;
        end if;
        errors := array_append(
          errors, jsonb_build_object('row', lead -> 'row', 'reason', private.row_error_reason(sqlstate)));
      end;
    end loop;
  end;

  return private.keep_result(scope, idempotency, jsonb_build_object(
    'created', created,
    'duplicates', jsonb_array_length(leads) - created - cardinality(errors),
    'errors', (select coalesce(jsonb_agg(e order by (e ->> 'row')::integer), '[]') from unnest(errors) e)
  ));
end
$$;

comment on function public.ingest_recruiting_leads(text, jsonb, jsonb) is
  'Stores many leads of the key''s vendor; none is distributed. leads: [{row, first_name, vendor_lead_id|null, '
  'vendor_metadata}]. Returns {created, duplicates, errors: [{row, reason}]}. A duplicate has the vendor_lead_id of a '
  'stored lead or of an earlier row; an error is a row that the database refused. PT401 as authenticate_vendor(). '
  'idempotency and its errors: see private.kept_result().';
grant execute on function public.ingest_recruiting_leads(text, jsonb, jsonb) to service_role;
