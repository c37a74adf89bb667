-- Each time that a conversation with a recruit has changed hands.

create table public.conversation_assignments (
  id uuid primary key default gen_random_uuid(),
  conversation_id uuid not null references public.recruiting_conversations (id) on delete cascade,
  recruiting_lead_id uuid not null references public.recruiting_leads (id) on delete cascade,
  agency_id uuid not null references public.agencies (id),
  status text not null check (status in ('bot', 'escalated')),
  from_agent_id uuid,
  to_agent_id uuid,
  by_agent_id uuid,
  reason text,
  created_at timestamptz not null default clock_timestamp(),
  foreign key (from_agent_id, agency_id) references public.agents (id, agency_id),
  foreign key (to_agent_id, agency_id) references public.agents (id, agency_id),
  foreign key (by_agent_id, agency_id) references public.agents (id, agency_id)
);

create index on public.conversation_assignments (recruiting_lead_id, created_at, id);
create index on public.conversation_assignments (conversation_id);
create index on public.conversation_assignments (agency_id);
create index on public.conversation_assignments (from_agent_id, agency_id) where from_agent_id is not null;
create index on public.conversation_assignments (to_agent_id, agency_id) where to_agent_id is not null;
create index on public.conversation_assignments (by_agent_id, agency_id) where by_agent_id is not null;

comment on table public.conversation_assignments is
  'Each time that a conversation with a recruit went to another agent, to the bot, or from it. Written by a trigger.';
comment on column public.conversation_assignments.recruiting_lead_id is 'The recruit of the conversation then.';
comment on column public.conversation_assignments.status is 'From then on: `bot`: the bot answers; `escalated`: the agent.';
comment on column public.conversation_assignments.from_agent_id is 'The agent who had it before; null: nobody.';
comment on column public.conversation_assignments.to_agent_id is 'The agent who has had it since; null: nobody.';
comment on column public.conversation_assignments.by_agent_id is
  'The agent who did it; null: the bot, or an operator.';
comment on column public.conversation_assignments.reason is
  'Why the bot gave it away, as in bot_sessions.reason; null: an agent or an operator did it.';

alter table public.conversation_assignments enable row level security;
grant select on public.conversation_assignments to authenticated;
grant select, insert, update, delete on public.conversation_assignments to service_role;

create policy "readers of a recruit read who had its conversations" on public.conversation_assignments
  for select to authenticated
  using (
    agency_id = (select private.managed_agency_id())
    or agency_id = (select private.current_agency_id())
      and (select true from public.recruiting_leads l where l.id = conversation_assignments.recruiting_lead_id)
  );

create trigger broadcast_recruit
  after insert on public.conversation_assignments
  for each row execute function private.broadcast_changed_recruit('hands');

create function private.note_assignment() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  insert into public.conversation_assignments (
    conversation_id, recruiting_lead_id, agency_id, status, from_agent_id, to_agent_id, by_agent_id
  )
  select new.id, new.recruiting_lead_id, new.agency_id, new.status, old.assigned_agent_id, new.assigned_agent_id,
    (select a.id from private.current_agent() a where a.agency_id = new.agency_id);
  return null;
end
$$;

comment on function private.note_assignment() is 'Trigger: records that a conversation with a recruit has changed hands.';

-- A text that is stored changes neither column, and does not come here. While the bot answers, its agent has nothing in hand.
create trigger note_assignment
  after update of status, assigned_agent_id on public.recruiting_conversations
  for each row when (
    new.recruiting_lead_id is not null
    and (
      new.status <> old.status
      or new.status = 'escalated' and new.assigned_agent_id <> old.assigned_agent_id
    )
  )
  execute function private.note_assignment();
