create function public.log_presentation_activity(lead_id uuid, agent_id uuid, type text) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  if type is null or type not in ('presentation_started', 'presentation_resumed', 'presentation_paused') then
    raise exception 'type: must be presentation_started, presentation_resumed or presentation_paused'
      using errcode = 'PT400';
  end if;

  insert into public.lead_activities (lead_id, agent_id, type)
  select l.id, l.agent_id, log_presentation_activity.type
  from public.leads l
  where l.id = log_presentation_activity.lead_id and l.agent_id = log_presentation_activity.agent_id;

  if not found then
    raise exception 'lead_id: no such lead of this agent' using errcode = 'PT404';
  end if;
  return '{}';
end
$$;

comment on function public.log_presentation_activity(uuid, uuid, text) is
  'Appends an activity to a lead and returns {}. PT404 unless the lead is this agent''s, PT400 for an unknown type.';
grant execute on function public.log_presentation_activity(uuid, uuid, text) to service_role;
