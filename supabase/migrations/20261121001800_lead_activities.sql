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

comment on table public.lead_activities is 'What an agent did with a lead, one row each time.';
comment on column public.lead_activities.type is
  'presentation_started: it opened; presentation_resumed: it was returned to; presentation_paused: it was minimized or '
  'closed without being submitted.';

-- A trigger and not a foreign key: a lead may be reassigned later, and what its former agent did stays.
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

comment on function private.require_agent_of_lead() is 'Trigger: only the lead''s own agent acts on it.';

create trigger require_agent_of_lead
  before insert on public.lead_activities
  for each row execute function private.require_agent_of_lead();

alter table public.lead_activities enable row level security;
grant select on public.lead_activities to authenticated;
grant select, insert, update, delete on public.lead_activities to service_role;
