create function private.insert_leads(agency_id uuid, agent_id uuid, distribution_id uuid, leads json)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  imported jsonb;
begin
  -- json and not jsonb: the rows go from text to columns without being built as jsonb in between. For a row in chunks
  -- of 2,000, from the text that PostgREST hands over: jsonb 37 us, an array of a composite type 35, json 31, thirteen
  -- parallel arrays 30, and a bare insert ... select 19. Parallel arrays save little and read badly; with a composite
  -- type a value that does not fit its column fails the call before the function can set the row apart.
  with input as (
    -- In the order of external_id, so that two imports of the same leads wait for each other and never deadlock.
    select distinct on (lead.external_id) lead.*
    from json_to_recordset(leads) as lead (
      index integer, external_id uuid, first_name text, last_name text, phone text, phone_e164 text, email text,
      address text, city text, state text, zip text, language text, type text
    )
    order by lead.external_id, lead.index
  ), inserted as (
    insert into public.leads as l (
      external_id, agency_id, agent_id, distribution_id, first_name, last_name, phone, phone_e164, email, address, city,
      state, zip, language, type, source, status, stage
    )
    select
      i.external_id, insert_leads.agency_id, insert_leads.agent_id, insert_leads.distribution_id, i.first_name,
      i.last_name, i.phone, i.phone_e164, i.email, i.address, i.city, i.state, i.zip, i.language, i.type, 'platform',
      'open', 'new'
    from input i
    order by i.external_id
    on conflict on constraint leads_agency_id_external_id_key do nothing
    returning l.id, l.external_id
  )
  select jsonb_agg(jsonb_build_object('index', input.index, 'id', inserted.id)) into imported
  from inserted
  join input using (external_id);

  return coalesce(imported, '[]');
end
$$;

comment on function private.insert_leads(uuid, uuid, uuid, json) is
  'Stores those of the leads that the agency does not have yet, in one statement: [{index, id}] of the stored ones.';
grant execute on function private.insert_leads(uuid, uuid, uuid, json) to service_role;

create function public.import_leads(agency_id uuid, agent_id uuid, distribution_id uuid, leads json)
returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '60s'
as $$
declare
  imported jsonb := '[]';
  duplicates jsonb := '[]';
  failed jsonb := '[]';
  lead json;
begin
  if not exists (select from public.agencies a where a.id = agency_id) then
    raise exception 'agency_id: no such agency' using errcode = 'PT400';
  elsif not exists (
    select from public.agents a where a.id = agent_id and a.agency_id = import_leads.agency_id
  ) then
    raise exception 'agent_id: no such agent in this agency' using errcode = 'PT400';
  end if;

  begin
    imported := private.insert_leads(agency_id, agent_id, distribution_id, leads);
  exception when others then
    if not private.is_refusal(sqlstate) then
      raise;
    end if;
    -- One row spoils a batch, so the rows are tried one by one; that costs about three times as much.
    for lead in
      select l from json_array_elements(leads) l order by l ->> 'external_id', (l ->> 'index')::integer
    loop
      begin
        imported := imported
          || private.insert_leads(agency_id, agent_id, distribution_id, json_build_array(lead));
      exception when others then
        if not private.is_refusal(sqlstate) then
          raise;
        end if;
        failed := failed || jsonb_build_object('index', lead -> 'index', 'reason', private.refusal(sqlstate));
      end;
    end loop;
  end;

  -- The rest was there before. Another import may have committed it after ours began, so this is a statement of its own
  -- with a snapshot of its own.
  if jsonb_array_length(imported) + jsonb_array_length(failed) < json_array_length(leads) then
    select jsonb_agg(jsonb_build_object('index', r.index, 'id', l.id)) into duplicates
    from json_to_recordset(leads) as r (index integer, external_id uuid)
    join public.leads l on l.agency_id = import_leads.agency_id and l.external_id = r.external_id
    where r.index not in (
      select done.index from jsonb_to_recordset(imported || failed) as done (index integer)
    );
  end if;

  return jsonb_build_object('imported', imported, 'duplicates', coalesce(duplicates, '[]'), 'failed', failed);
end
$$;

comment on function public.import_leads(uuid, uuid, uuid, json) is
  'Stores sales leads of an agency''s agent. leads: [{index, external_id, first_name, last_name, phone, phone_e164, '
  'email, address, city, state, zip, language, type}], about 2,000 of them: send more in several calls, side by side. '
  'Returns {imported: [{index, id}], duplicates: [{index, id}] with the id of the lead that has this external_id, '
  'failed: [{index, reason}] for rows that the database alone refused}. PT400 for an unknown agency or an agent that '
  'is not of this agency, also without leads.';
grant execute on function public.import_leads(uuid, uuid, uuid, json) to service_role;
