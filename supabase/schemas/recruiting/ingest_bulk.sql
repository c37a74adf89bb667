-- POST /recruiting/ingest/bulk: many leads, none of them distributed.

create function public.ingest_recruiting_lead_batch(
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
  kept constant jsonb := private.find_idempotent_result(scope, idempotency);
  -- The first of two rows with the same vendor_lead_id is stored.
  sent constant jsonb := (
    select coalesce(jsonb_agg(jsonb_build_object(
      'lead', l || jsonb_build_object('request_id', request_id, 'received_via', 'bulk')
    ) order by (l -> 'row')::integer), '[]')
    from jsonb_array_elements(leads) l
  );
  results jsonb;
begin
  if kept is not null then
    return kept;
  end if;

  results := private.store_batch(sent, key_vendor_id);
  perform private.require_stored(results);

  return private.save_idempotent_result(scope, idempotency, (
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
    from jsonb_array_elements(results) with ordinality as r (result, ordinal)
    join rows from (jsonb_to_recordset(sent) as (lead jsonb)) with ordinality as s (lead, ordinal)
      on s.ordinal = r.ordinal
  ));
end
$$;

comment on function public.ingest_recruiting_lead_batch(text, jsonb, jsonb, text) is
  'Stores many leads of the key''s vendor; none is distributed. leads: [{row, first_name, vendor_lead_id|null, '
  'vendor_metadata}]. Returns {created, duplicates, errors: [{row, reason}]}, with record_error, a SQLSTATE, if the '
  'duplicates could not be recorded. A duplicate has the vendor_lead_id of a stored lead or of an earlier row, and is '
  'recorded. An error is a row that the database refused. PT401 as in authenticate_vendor(). For idempotency and its '
  'errors, see private.find_idempotent_result().';
grant execute on function public.ingest_recruiting_lead_batch(text, jsonb, jsonb, text) to service_role;

create function private.store_batch(leads jsonb, vendor_id uuid, are_distributed boolean default false) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  part jsonb;
  results jsonb := '[]';
begin
  begin
    return private.store_recruiting_leads(leads, vendor_id, are_distributed);
  exception when others then
    if private.is_call_error(sqlstate) then
      raise;
    elsif jsonb_array_length(leads) = 1 then
      return jsonb_build_array(private.row_error(sqlstate));
    end if;
  end;
  -- A single invalid lead makes the whole statement fail. Parts are divided into tenths until the invalid lead is
  -- alone: for 10,000 leads, after 40 statements. Storing lead by lead would take ten times as long.
  for part in
    select jsonb_agg(l order by n)
    from jsonb_array_elements(leads) with ordinality as e (l, n)
    group by (n - 1) * 10 / jsonb_array_length(leads)
    order by min(n)
  loop
    results := results || private.store_batch(part, vendor_id, are_distributed);
  end loop;
  return results;
end
$$;

comment on function private.store_batch(jsonb, uuid, boolean) is
  'Stores leads of a vendor, and distributes them if are_distributed. For leads and the result, see '
  'private.store_recruiting_leads(); a lead that the database refuses has the result {error}, and the others are '
  'stored.';
