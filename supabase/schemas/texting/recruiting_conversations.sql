-- Text conversations with recruits.

create table public.recruiting_conversations (
  id uuid primary key default gen_random_uuid(),
  recruiting_lead_id uuid references public.recruiting_leads (id) on delete set null,
  agency_id uuid not null references public.agencies (id),
  recruit_phone text not null check (recruit_phone ~ '^\+[1-9][0-9]{1,14}$'),
  service_phone text not null check (service_phone ~ '^(\+[1-9][0-9]{1,14}|[0-9]{5,6})$'),
  status text not null default 'bot' check (status in ('bot', 'escalated')),
  assigned_agent_id uuid,
  last_message_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (recruit_phone, service_phone),
  foreign key (assigned_agent_id, agency_id) references public.agents (id, agency_id),
  check (status <> 'escalated' or assigned_agent_id is not null)
);

create index on public.recruiting_conversations (recruiting_lead_id);
create index on public.recruiting_conversations (agency_id);
create index on public.recruiting_conversations (assigned_agent_id, agency_id);
-- How much each of our numbers is used.
create index on public.recruiting_conversations (service_phone, created_at);

comment on table public.recruiting_conversations is
  'A text conversation with a recruit: one for each pair of a recruit''s number and a number of ours.';
comment on column public.recruiting_conversations.recruit_phone is
  'The recruit''s number, as the SMS provider writes it in From: E.164 (ITU-T).';
comment on column public.recruiting_conversations.service_phone is
  'Our number, as the SMS provider writes it in To: E.164, or a short code of 5 or 6 digits. A text to a messaging '
  'service also has a number there.';
comment on column public.recruiting_conversations.status is
  '`bot`: answered automatically; `escalated`: the assigned agent has taken over.';
comment on column public.recruiting_conversations.last_message_at is 'When the last inbound message was stored.';

create trigger set_updated_at
  before update on public.recruiting_conversations
  for each row execute function private.set_updated_at();

alter table public.recruiting_conversations enable row level security;
grant select on public.recruiting_conversations to authenticated;
grant select, insert, update, delete on public.recruiting_conversations to service_role;

create policy "agents read their conversations, managers their agency's" on public.recruiting_conversations
  for select to authenticated
  using (
    assigned_agent_id = (select private.current_agent_id())
    or agency_id = (select private.managed_agency_id())
    or exists (
      select
      from public.recruiting_leads l
      where l.id = recruiting_conversations.recruiting_lead_id
        and l.agent_id = (select private.current_agent_id())
    )
  );
