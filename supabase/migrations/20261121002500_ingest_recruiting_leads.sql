create function private.refusal(code text) returns text
language sql
immutable
set search_path = ''
as $$
  select format('refused by the database (SQLSTATE %s)', code)
$$;

comment on function private.refusal(text) is
  'The reason given for a row that the database alone refused. The SQLSTATE says what kind of refusal it was; the '
  'message of the error stays inside, because it may quote data or name internals.';
grant execute on function private.refusal(text) to service_role;

create function private.is_refusal(code text) returns boolean
language sql
immutable
set search_path = ''
as $$
  -- Class 22 is bad data, 23 and 44 a broken constraint, P0 a raised exception. An exception may also be raised with a
  -- code of its author's own choice, which is none of the classes that Postgres itself uses.
  select left(code, 2) in ('22', '23', '44', 'P0') or left(code, 2) not in (
    '00', '01', '02', '03', '08', '09', '0A', '0B', '0F', '0L', '0P', '0Z', '10', '20', '21', '24', '25', '26', '27',
    '28', '2B', '2D', '2F', '34', '38', '39', '3B', '3D', '3F', '40', '42', '53', '54', '55', '57', '58', '72', 'F0',
    'HV', 'XX'
  )
$$;

comment on function private.is_refusal(text) is
  'Whether an error with this SQLSTATE is about the row it came with, so that other rows may fare better; else it is '
  'about the whole call, such as a missing privilege, a lock or a full disk.';
grant execute on function private.is_refusal(text) to service_role;

create function private.insert_recruiting_leads(vendor_id uuid, leads jsonb) returns integer
language plpgsql
set search_path = ''
as $$
declare
  created integer;
begin
  -- In the order of their keys, so that two requests with the same leads wait for each other and never deadlock; then
  -- in the order of rows, so that the first of two with one key is the one that is stored.
  insert into public.recruiting_leads (vendor_id, vendor_lead_id, first_name, vendor_metadata)
  select
    insert_recruiting_leads.vendor_id,
    private.bounded_key(lead.vendor_lead_id),
    lead.first_name,
    coalesce(nullif(lead.vendor_metadata, 'null'), '{}')
  from jsonb_to_recordset(leads)
    as lead ("row" integer, first_name text, vendor_lead_id text, vendor_metadata jsonb)
  order by private.bounded_key(lead.vendor_lead_id), lead."row"
  on conflict on constraint recruiting_leads_vendor_id_vendor_lead_id_key do nothing;

  get diagnostics created = row_count;
  return created;
end
$$;

comment on function private.insert_recruiting_leads(uuid, jsonb) is
  'Stores those of the leads that are not stored yet, in one statement, and returns how many they were.';
grant execute on function private.insert_recruiting_leads(uuid, jsonb) to service_role;

create function public.ingest_recruiting_leads(key_hash text, leads jsonb) returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '60s'
as $$
declare
  key_vendor_id constant uuid := public.authenticate_vendor(key_hash) ->> 'vendor_id';
  created integer := 0;
  errors jsonb[] := '{}';
  lead jsonb;
begin
  begin
    created := private.insert_recruiting_leads(key_vendor_id, leads);
  exception when others then
    if not private.is_refusal(sqlstate) then
      raise;
    end if;
    -- One row spoils a batch, so the rows are tried one by one; that costs about three times as much.
    for lead in
      select l from jsonb_array_elements(leads) l
      order by private.bounded_key(l ->> 'vendor_lead_id'), (l ->> 'row')::integer
    loop
      begin
        created := created + private.insert_recruiting_leads(key_vendor_id, jsonb_build_array(lead));
      exception when others then
        if not private.is_refusal(sqlstate) then
          raise;
        end if;
        errors := array_append(
          errors, jsonb_build_object('row', lead -> 'row', 'reason', private.refusal(sqlstate)));
      end;
    end loop;
  end;

  return jsonb_build_object(
    'created', created,
    'duplicates', jsonb_array_length(leads) - created - cardinality(errors),
    'vendor_id', key_vendor_id,
    'errors', (select coalesce(jsonb_agg(e order by (e ->> 'row')::integer), '[]') from unnest(errors) e)
  );
end
$$;

comment on function public.ingest_recruiting_leads(text, jsonb) is
  'Stores many leads of the key''s vendor; none is distributed. leads: [{row, first_name, vendor_lead_id|null, '
  'vendor_metadata}]. Returns {created, duplicates, vendor_id, errors: [{row, reason}]}: a duplicate has the '
  'vendor_lead_id of a stored lead or of an earlier row, an error is a row that the database alone refused. PT401 as '
  'authenticate_vendor().';
grant execute on function public.ingest_recruiting_leads(text, jsonb) to service_role;
