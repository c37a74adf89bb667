-- What agents do with leads, and POST /api/leads/log-presentation-activity.

create table public.lead_activities (
  id uuid primary key default gen_random_uuid(),
  lead_id uuid not null references public.leads (id) on delete cascade,
  agent_id uuid not null references public.agents (id),
  type text not null check (
    type in ('presentation_started', 'presentation_resumed', 'presentation_paused')
  ),
  occurred_at timestamptz not null default now(),
  created_at timestamptz not null default now()
);

create index on public.lead_activities (lead_id, occurred_at);
create index on public.lead_activities (agent_id);

comment on table public.lead_activities is 'What an agent did with a lead: one row for each time.';
comment on column public.lead_activities.type is
  'presentation_started: the presentation opened; presentation_resumed: the agent returned to it; presentation_paused: '
  'its window was minimized or closed before it was submitted.';

-- A trigger and not a foreign key: the lead may get another agent later, and the activities of the first agent stay.
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
  'Trigger: refuses an activity of an agent who is not the lead''s agent.';

create trigger require_agent_of_lead
  before insert on public.lead_activities
  for each row execute function private.require_agent_of_lead();

alter table public.lead_activities enable row level security;
grant select on public.lead_activities to authenticated;
grant select, insert, update, delete on public.lead_activities to service_role;

-- Security definer, because nobody but the service role may write metrics. It adds and subtracts instead of counting
-- all rows again, so that two transactions at once lose nothing.
create function private.count_lead_activity() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  activity constant public.lead_activities := coalesce(new, old);
  change constant integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  update public.lead_metrics m
  set
    presentations_started =
      m.presentations_started + change * (activity.type = 'presentation_started')::integer,
    presentations_resumed =
      m.presentations_resumed + change * (activity.type = 'presentation_resumed')::integer,
    presentations_paused =
      m.presentations_paused + change * (activity.type = 'presentation_paused')::integer,
    last_activity_at = greatest(m.last_activity_at, new.occurred_at)
  where m.lead_id = activity.lead_id;
  return null;
end
$$;

comment on function private.count_lead_activity() is 'Trigger: counts an activity in lead_metrics.';

create trigger count_lead_activity
  after insert or delete on public.lead_activities
  for each row execute function private.count_lead_activity();

create policy "readers of a lead read its activities" on public.lead_activities
  for select to authenticated
  using (exists (select from public.leads l where l.id = lead_activities.lead_id));

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
  kept constant jsonb := private.kept_result('log', idempotency);
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

  -- The exception undoes the activity, and its count with it.
  if per_minute is not null then
    retry_after := private.seconds_until_allowed('lead ' || lead_id, per_minute);
    if retry_after is not null then
      raise exception 'the lead has more than % activities a minute', per_minute
        using errcode = 'PT429', detail = retry_after;
    end if;
  end if;
  return private.keep_result('log', idempotency, '{}');
end
$$;

comment on function public.log_presentation_activity(uuid, uuid, text, integer, jsonb) is
  'Adds an activity to a lead and returns {}. PT404 when the lead does not exist or is not this agent''s, PT400 for an '
  'unknown type or a deactivated agent. per_minute, unless null, is the most activities a minute of one lead: beyond '
  'it PT429, whose detail is the seconds to wait. idempotency and its errors: see private.kept_result().';
grant execute on function public.log_presentation_activity(uuid, uuid, text, integer, jsonb) to service_role;
