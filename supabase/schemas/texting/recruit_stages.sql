-- How far each recruit has come. Agents and the bot set stages.

create table public.recruit_stages (
  id uuid primary key default gen_random_uuid(),
  recruiting_lead_id uuid not null references public.recruiting_leads (id) on delete cascade,
  agency_id uuid not null references public.agencies (id),
  stage text not null check (stage in ('new', 'contacted', 'interview', 'licensed', 'hired', 'lost')),
  agent_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  foreign key (agent_id, agency_id) references public.agents (id, agency_id),
  check (ended_at >= created_at)
);

-- A recruit has one stage.
create unique index recruit_stages_current_idx on public.recruit_stages (recruiting_lead_id) where ended_at is null;
create index on public.recruit_stages (recruiting_lead_id, created_at, id);
-- The recruits of an agency in one stage.
create index on public.recruit_stages (agency_id, stage, ended_at, recruiting_lead_id);
-- What an agent has set since a time.
create index on public.recruit_stages (agent_id, agency_id, created_at) where agent_id is not null;

comment on table public.recruit_stages is
  'The stages of recruits with their history. The one that has not ended is the recruit''s stage; without one it is `new`.';
comment on column public.recruit_stages.agency_id is 'The agency that had the recruit then.';
comment on column public.recruit_stages.agent_id is 'The agent who set it; null: the bot.';
comment on column public.recruit_stages.ended_at is
  'When the next stage began, or the lead was returned; null: it is the current stage.';

alter table public.recruit_stages enable row level security;
grant select on public.recruit_stages to authenticated;
grant select, insert, update, delete on public.recruit_stages to service_role;

-- Not by exists(): the planner would read all recruits for the stages of one.
create policy "readers of a recruit read its stages in their agency" on public.recruit_stages
  for select to authenticated
  using (
    agency_id = (select private.managed_agency_id())
    or agency_id = (select private.current_agency_id())
      and (select true from public.recruiting_leads l where l.id = recruit_stages.recruiting_lead_id)
  );

create trigger broadcast_recruit
  after insert on public.recruit_stages
  for each row execute function private.broadcast_changed_recruit('stage');
