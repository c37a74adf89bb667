-- What agents are told about the conversations that they have taken over.

create table public.agent_notifications (
  id uuid primary key default gen_random_uuid(),
  agent_id uuid not null references public.agents (id),
  conversation_id uuid not null references public.recruiting_conversations (id) on delete cascade,
  message_id uuid not null references public.recruiting_messages (id) on delete cascade,
  kind text not null check (kind in ('text', 'opt_out', 'failed')),
  created_at timestamptz not null default now(),
  read_at timestamptz,
  unique (message_id, kind)
);

create index on public.agent_notifications (agent_id, created_at);
create index agent_notifications_unread_idx on public.agent_notifications (agent_id, created_at) where read_at is null;
create index on public.agent_notifications (conversation_id);

comment on table public.agent_notifications is
  'What an agent is told about a conversation that the agent has taken over, stored with the message itself. Realtime '
  'only says that there is a row: clients read the unread rows on every connect.';
comment on column public.agent_notifications.kind is
  '`text`: the recruit has written; `opt_out`: and wants no texts any more; `failed`: a text could not be sent.';
comment on column public.agent_notifications.read_at is 'When the agent has read it; null: not yet.';

alter table public.agent_notifications enable row level security;
grant select on public.agent_notifications to authenticated;
grant select, insert, update, delete on public.agent_notifications to service_role;

create policy "agents read their own notifications" on public.agent_notifications
  for select to authenticated
  using (agent_id = (select private.current_agent_id()));

create function private.notify_agent(conversation_id uuid, message_id uuid, kind text) returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into public.agent_notifications (agent_id, conversation_id, message_id, kind)
  select c.assigned_agent_id, c.id, notify_agent.message_id, notify_agent.kind
  from public.recruiting_conversations c
  where c.id = notify_agent.conversation_id and c.status = 'escalated'
  on conflict on constraint agent_notifications_message_id_kind_key do nothing;
end
$$;

comment on function private.notify_agent(uuid, uuid, text) is
  'Tells the assigned agent of an escalated conversation about one of its messages, once for each kind: text, opt_out or '
  'failed. Does nothing while the bot has the conversation.';
grant execute on function private.notify_agent(uuid, uuid, text) to service_role;

create function public.mark_read(notification_ids uuid[]) returns integer
language plpgsql
-- Agents may not update the table, of which only read_at is theirs.
security definer
set search_path = ''
as $$
declare
  newly_read integer;
begin
  update public.agent_notifications n
  set read_at = now()
  where n.id = any (notification_ids) and n.agent_id = private.current_agent_id() and n.read_at is null;
  get diagnostics newly_read = row_count;
  return newly_read;
end
$$;

comment on function public.mark_read(uuid[]) is
  'Marks notifications of the signed-in agent as read. Returns how many were not read before; ids that are not the '
  'agent''s own are passed over.';
grant execute on function public.mark_read(uuid[]) to authenticated;
