set local check_function_bodies = off;

create or replace function public.import_leads (
  agency_id uuid,
  agent_id uuid,
  distribution_id uuid,
  leads json
)
  returns jsonb
  language plpgsql
  set search_path to ''
  set statement_timeout to '60s'
  AS $function$
declare
  agent_is_active boolean;
  imported jsonb := '[]';
  duplicates jsonb := '[]';
  failed jsonb := '[]';
  lead json;
begin
  if not exists (select from public.agencies a where a.id = agency_id) then
    raise exception 'agency_id: no such agency' using errcode = 'PT400';
  end if;
  select a.is_active into agent_is_active
  from public.agents a
  where a.id = agent_id and a.agency_id = import_leads.agency_id;
  if not found then
    raise exception 'agent_id: no such agent in this agency' using errcode = 'PT400';
  elsif not agent_is_active then
    raise exception 'agent_id: the agent is deactivated' using errcode = 'PT400';
  end if;

  begin
    imported := private.insert_leads(agency_id, agent_id, distribution_id, leads);
  exception when others then
    if not private.is_row_error(sqlstate) then
      raise;
    end if;
    -- One bad row makes the whole statement fail. Row by row costs about three times as much, so it is done only here.
    for lead in
      select l from json_array_elements(leads) l order by l ->> 'external_id', (l ->> 'index')::integer
    loop
      begin
        imported := imported
          || private.insert_leads(agency_id, agent_id, distribution_id, json_build_array(lead));
      exception when others then
        if not private.is_row_error(sqlstate) then
          raise;
        end if;
        failed := failed || jsonb_build_object('index', lead -> 'index', 'reason', private.row_error_reason(sqlstate));
      end;
    end loop;
  end;

  -- All other leads are duplicates. Another import may have committed them after ours began, so only a new statement
  -- can see them.
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
$function$;

create or replace function public.log_presentation_activity (
  lead_id uuid,
  agent_id uuid,
  type text,
  per_minute integer default null::integer
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  retry_after integer;
begin
  if type is null or type not in ('presentation_started', 'presentation_resumed', 'presentation_paused') then
    raise exception 'type: must be presentation_started, presentation_resumed or presentation_paused'
      using errcode = 'PT400';
  end if;

  insert into public.lead_activities (lead_id, agent_id, type)
  select l.id, l.agent_id, log_presentation_activity.type
  from public.leads l
  join public.agents a on a.id = l.agent_id
  where l.id = log_presentation_activity.lead_id and a.id = log_presentation_activity.agent_id and a.is_active;

  if not found and exists (
    select
    from public.leads l
    where l.id = log_presentation_activity.lead_id and l.agent_id = log_presentation_activity.agent_id
  ) then
    raise exception 'agent_id: the agent is deactivated' using errcode = 'PT400';
  elsif not found then
    raise exception 'lead_id: no such lead of this agent' using errcode = 'PT404';
  end if;

  -- The exception undoes the activity, and its count with it.
  if per_minute is not null then
    retry_after := private.seconds_until_allowed('lead ' || lead_id, per_minute);
    if retry_after is not null then
      raise exception 'the lead has more than % activities a minute', per_minute
        using errcode = 'PT429', detail = retry_after;
    end if;
  end if;
  return '{}';
end
$function$;

comment on function "public"."import_leads"(uuid, uuid, uuid, json) is 'Stores sales leads for an agent of an agency. leads: [{index, external_id, first_name, last_name, phone, phone_e164, email, address, city, state, zip, language, type}], at most about 2,000; send more in several calls at the same time. Returns {imported: [{index, id}], duplicates: [{index, id}] with the id of the lead that has this external_id, failed: [{index, reason}] for rows that the database refused}. PT400 for an unknown agency, an agent of another agency or a deactivated agent, also when leads is empty.';

comment on function "public"."log_presentation_activity"(uuid, uuid, text, integer) is 'Adds an activity to a lead and returns {}. PT404 when the lead does not exist or is not this agent''s, PT400 for an unknown type or a deactivated agent. per_minute, unless null, is the most activities a minute of one lead: beyond it PT429, whose detail is the seconds to wait.';
