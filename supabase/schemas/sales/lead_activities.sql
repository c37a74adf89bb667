-- POST /api/leads/log-presentation-activity.

create function public.log_presentation_activity(
  lead_id uuid,
  agent_id uuid,
  type text,
  per_minute integer default null,
  idempotency jsonb default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  kept constant jsonb := private.find_idempotent_result('log', idempotency);
  retry_after integer;
begin
  if kept is not null then
    return kept;
  end if;
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

  -- The exception also undoes the activity and its count.
  if per_minute is not null then
    retry_after := private.seconds_until_allowed('lead ' || lead_id, per_minute);
    if retry_after is not null then
      raise exception 'the lead has more than % activities a minute', private.quoted(per_minute)
        using errcode = 'PT429', detail = private.quoted(retry_after);
    end if;
  end if;
  return private.save_idempotent_result('log', idempotency, '{}');
end
$$;

comment on function public.log_presentation_activity(uuid, uuid, text, integer, jsonb) is
  'Adds an activity to a lead and returns {}. PT404 if the lead does not exist or is not this agent''s, PT400 for an '
  'unknown type or a deactivated agent. per_minute, unless null, is the maximum number of activities of one lead per '
  'minute: beyond it, PT429, whose detail is the seconds to wait. For idempotency and its errors, see '
  'private.find_idempotent_result().';
grant execute on function public.log_presentation_activity(uuid, uuid, text, integer, jsonb) to service_role;

-- A trigger and not a foreign key: the lead may be reassigned later, and the activities of the first agent stay.
create function private.require_agent_of_lead() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if not exists (select from public.leads l where l.id = new.lead_id and l.agent_id = new.agent_id) then
    raise exception 'agent_id: not the agent of this lead' using errcode = 'foreign_key_violation';
  end if;
  return new;
end
$$;

comment on function private.require_agent_of_lead() is
  'Trigger: rejects an activity of an agent who is not the lead''s agent.';

create trigger require_agent_of_lead
  before insert on public.lead_activities
  for each row execute function private.require_agent_of_lead();
