-- What agents are told about the conversations that they have taken over.

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

create function private.notify_agent(conversation_id uuid, message_id uuid, kind text) returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into public.agent_notifications (agent_id, conversation_id, message_id, kind)
  select c.assigned_agent_id, c.id, notify_agent.message_id, notify_agent.kind
  from public.recruiting_conversations c
  where c.id = notify_agent.conversation_id and c.status = 'escalated'
  -- The conversation may be going to another agent.
  for share
  on conflict on constraint agent_notifications_message_id_kind_key do nothing;
end
$$;

comment on function private.notify_agent(uuid, uuid, text) is
  'Tells the assigned agent of an escalated conversation about one of its messages, once for each kind: text, opt_out or '
  'failed. Does nothing while the bot has the conversation.';
grant execute on function private.notify_agent(uuid, uuid, text) to service_role;
