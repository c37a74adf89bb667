-- POST /api/leads/import: one chunk of the sales leads of a request.

create function public.import_leads(
  agency_id uuid,
  agent_id uuid,
  distribution_id uuid,
  leads json,
  idempotency jsonb default null
) returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '60s'
-- Plans are cached, including those of foreign keys. A plan made while a table was small would scan all of it for each
-- lead.
set enable_seqscan = off
as $$
declare
  agent_is_active boolean;
  kept constant jsonb := private.find_idempotent_result('import', idempotency);
  imported jsonb;
  left_over integer;
  duplicates jsonb;
  failed jsonb;
begin
  if kept is not null then
    return kept;
  end if;

  if not exists (select from public.agencies a where a.id = agency_id) then
    raise exception 'agency_id: no such agency' using errcode = 'PT400';
  end if;
  agent_is_active := private.lock_active_agent(agent_id);
  if not exists (select from public.agents a where a.id = agent_id and a.agency_id = import_leads.agency_id) then
    raise exception 'agent_id: no such agent in this agency' using errcode = 'PT400';
  elsif not agent_is_active then
    raise exception 'agent_id: the agent is deactivated' using errcode = 'PT400';
  end if;

  select * into imported, left_over, failed from private.store_leads(agency_id, agent_id, distribution_id, leads);
  if imported = '[]' and left_over = 0 then
    perform private.require_stored(failed);
  end if;

  -- All other leads are duplicates. Another import may have committed them after this statement began, so only a new
  -- statement can see them.
  if left_over > 0 then
    select jsonb_agg(jsonb_build_object('index', r.index, 'id', l.id)) into duplicates
    from json_to_recordset(leads) as r (index integer, external_id uuid)
    join public.leads l on l.agency_id = import_leads.agency_id and l.external_id = r.external_id
    where r.index not in (
      select done.index from jsonb_to_recordset(imported || failed) as done (index integer)
    );
  end if;

  return private.save_idempotent_result('import', idempotency, jsonb_build_object(
    'imported', imported,
    'duplicates', coalesce(duplicates, '[]'),
    'failed', (
      select coalesce(jsonb_agg(jsonb_build_object('index', f -> 'index', 'reason', f #> '{error,message}')), '[]')
      from jsonb_array_elements(failed) f
    )));
end
$$;

comment on function public.import_leads(uuid, uuid, uuid, json, jsonb) is
  'Stores sales leads for an agent of an agency. leads: [{index, external_id, first_name, last_name, phone, '
  'phone_e164, email, address, city, state, zip, language, type}], at most about 2,000. Send more in several '
  'concurrent calls. Returns {imported: [{index, id}], duplicates: [{index, id}] with the id of the lead that has '
  'this external_id, failed: [{index, reason}] for rows that the database refused}. PT400 for an unknown agency, an '
  'agent of another agency or a deactivated agent, even if leads is empty.';
grant execute on function public.import_leads(uuid, uuid, uuid, json, jsonb) to service_role;

create function private.store_leads(
  agency_id uuid,
  agent_id uuid,
  distribution_id uuid,
  leads json,
  out imported jsonb,
  out left_over integer,
  out failed jsonb
)
language plpgsql
set search_path = ''
as $$
declare
  part json;
  stored record;
begin
  begin
    select i.imported, i.left_over, '[]' into imported, left_over, failed
    from private.insert_leads(agency_id, agent_id, distribution_id, leads) i;
    return;
  exception when others then
    if private.is_call_error(sqlstate) then
      raise;
    end if;
    imported := '[]';
    left_over := 0;
    failed := '[]';
    if json_array_length(leads) = 1 then
      failed := jsonb_build_array(private.row_error(sqlstate) || jsonb_build_object('index', leads -> 0 -> 'index'));
      return;
    end if;
  end;
  -- In parts, like private.store_batch(), in the order in which insert_leads() inserts.
  for part in
    select json_agg(l order by n)
    from (
      select l, row_number() over (order by l ->> 'external_id', (l ->> 'index')::integer) as n
      from json_array_elements(leads) l
    ) e
    group by (n - 1) * 10 / json_array_length(leads)
    order by min(n)
  loop
    stored := private.store_leads(agency_id, agent_id, distribution_id, part);
    imported := imported || stored.imported;
    left_over := left_over + stored.left_over;
    failed := failed || stored.failed;
  end loop;
end
$$;

comment on function private.store_leads(uuid, uuid, uuid, json) is
  'Stores the leads that the agency does not have yet. Returns the result of private.insert_leads(), and failed: '
  '[{index, error: {code, message}}] for leads that the database refuses.';

create function private.insert_leads(
  agency_id uuid,
  agent_id uuid,
  distribution_id uuid,
  leads json,
  out imported jsonb,
  out left_over integer
)
language plpgsql
set search_path = ''
as $$
begin
  -- The argument is json and not jsonb, because json goes from text to columns directly. Time for one row in a chunk of
  -- 2,000, measured from the text that PostgREST passes on: jsonb 37 us, an array of a composite type 35 us, json 31
  -- us, thirteen parallel arrays 30 us, a plain insert ... select 19 us. Parallel arrays save little and are hard to
  -- read. With a composite type, a value that does not fit its column fails the call before the function can report the
  -- row.
  with sent as materialized (
    select lead.*
    from json_to_recordset(leads) as lead (
      index integer, external_id uuid, first_name text, last_name text, phone text, phone_e164 text, email text,
      address text, city text, state text, zip text, language text, type text
    )
  ), input as (
    -- Sorted by external_id, so that two imports of the same leads wait for each other and never deadlock.
    select distinct on (sent.external_id) sent.* from sent order by sent.external_id, sent.index
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
  select coalesce(jsonb_agg(stored), '[]'), (select count(*) from sent) - count(*) into imported, left_over
  from (select input.index, inserted.id from inserted join input using (external_id)) stored;
end
$$;

comment on function private.insert_leads(uuid, uuid, uuid, json) is
  'Stores the leads that the agency does not have yet, in one statement. Returns [{index, id}] of the stored leads, '
  'and the number of others.';
