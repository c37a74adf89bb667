-- What agents are told.

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

create function private.answering_agent(conversation public.recruiting_conversations) returns uuid
language sql
stable
set search_path = ''
as $$
  select coalesce(
    (select a.id from public.agents a where a.id = conversation.assigned_agent_id and a.is_active),
    (
      select a.id
      from public.recruiting_leads l
      join public.agents a on a.id = l.agent_id and a.is_active
      where l.id = conversation.recruiting_lead_id
    ))
$$;

comment on function private.answering_agent(public.recruiting_conversations) is
  'The active agent who is to answer in a conversation: the assigned one, else the lead''s; null where there is none.';
grant execute on function private.answering_agent(public.recruiting_conversations) to service_role;

create function private.notify_agents(conversation_id uuid, message_id uuid, kind text, reason text default null) returns void
language plpgsql
set search_path = ''
-- No text is lost or late because somebody has locked the agents.
set lock_timeout = '100ms'
as $$
declare
  conversation public.recruiting_conversations;
  told uuid[];
begin
  -- The conversation may be going to another agent.
  select c.* into conversation from public.recruiting_conversations c where c.id = notify_agents.conversation_id for share;
  if kind = 'failed' and conversation.status = 'bot' then
    return;
  end if;
  told := array_remove(array[private.answering_agent(conversation)], null);
  if told = '{}' then
    told := array(
      select a.id from public.agents a where a.agency_id = conversation.agency_id and a.role = 'manager' and a.is_active
    );
  end if;
  if told = '{}' and conversation.assigned_agent_id is not null then
    told := array[conversation.assigned_agent_id];
  end if;
  insert into public.agent_notifications (agent_id, conversation_id, message_id, kind, reason)
  select t.agent_id, conversation.id, notify_agents.message_id, notify_agents.kind, notify_agents.reason
  from unnest(told) as t (agent_id)
  on conflict on constraint agent_notifications_message_id_kind_agent_id_key do nothing;
exception when lock_not_available then
  insert into private.waiting_notifications (conversation_id, message_id, kind, reason)
  values (notify_agents.conversation_id, notify_agents.message_id, notify_agents.kind, notify_agents.reason);
end
$$;

comment on function private.notify_agents(uuid, uuid, text, text) is
  'Tells whoever is to answer in a conversation about one of its messages, once for each kind (see agent_notifications): '
  'the assigned agent, else the lead''s, else each manager of the agency, as far as they are active. Where nobody is, the '
  'assigned agent, who may come back. Of a text that has failed nobody is told while the bot has the conversation. Where '
  'others have locked the agents or the conversation, they are told later, by deliver_notifications().';
grant execute on function private.notify_agents(uuid, uuid, text, text) to service_role;

create function private.notify_of_leads(placed private.placed_lead[]) returns void
language plpgsql
set search_path = ''
as $$
begin
  set constraints public.agent_notifications_lead_id_fkey deferred;
  with managers as (
    select a.id, a.agency_id
    from public.agents a
    where a.role = 'manager'
      and a.is_active
      and a.agency_id = any (array(select p.agency_id from unnest(placed) p where p.agent_id is null))
    -- Distribution never waits for a row, and the foreign key would. It has locked the agents.
    for key share skip locked
  )
  insert into public.agent_notifications (agent_id, lead_id, kind, is_broadcast)
  select coalesce(p.agent_id, m.id), p.id, 'lead', false
  from unnest(placed) p
  left join managers m on m.agency_id = p.agency_id and p.agent_id is null
  where p.distribution = 'distributed' and coalesce(p.agent_id, m.id) is not null;
end
$$;

comment on function private.notify_of_leads(private.placed_lead[]) is
  'Tells the agents of leads that are handed out, or the managers where an agency got them, but no manager whose row '
  'somebody has locked. Realtime is told later, by deliver_notifications().';
grant execute on function private.notify_of_leads(private.placed_lead[]) to service_role;

create function private.deliver_notifications() returns void
language plpgsql
set search_path = ''
as $$
declare
  late private.waiting_notifications;
begin
  for late in
    with taken as (
      select w.id from private.waiting_notifications w order by w.created_at limit 1000 for update skip locked
    )
    delete from private.waiting_notifications w using taken t where w.id = t.id returning w.*
  loop
    perform private.notify_agents(late.conversation_id, late.message_id, late.kind, late.reason);
  end loop;

  update public.agent_notifications n
  set is_broadcast = true
  where n.id = any (array(
    select waiting.id
    from public.agent_notifications waiting
    where not waiting.is_broadcast
    order by waiting.created_at
    limit 1000
    for update skip locked
  ));
end
$$;

comment on function private.deliver_notifications() is
  'Tells agents what they could not be told at once, and Realtime which leads were handed out: up to 1,000 of each. The '
  'scheduler calls it every 10 seconds.';
grant execute on function private.deliver_notifications() to service_role;
