-- Conversations: how they begin, who may write in them, and who has them.

create function public.start_conversation(
  recruiting_lead_id uuid,
  agent_id uuid default null,
  service_phone text default null
) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.current_agent();
  lead public.recruiting_leads;
  lead_agent_id uuid;
  conversation public.recruiting_conversations;
begin
  if caller.id is null or not private.lock_active_agent(caller.id) then
    raise exception 'only an active agent may start a conversation' using errcode = 'insufficient_privilege';
  end if;
  -- Before the lead is read, so that nobody takes it back from the agency meanwhile.
  perform private.lock_consent(
    caller.agency_id, (select l.phone from public.recruiting_leads l where l.id = start_conversation.recruiting_lead_id));
  select l.* into lead
  from public.recruiting_leads l
  where l.id = start_conversation.recruiting_lead_id
    and l.agency_id = caller.agency_id
    and (l.agent_id = caller.id or caller.role = 'manager');
  if not found then
    raise exception 'recruiting_lead_id: there is no such lead' using errcode = 'PT404';
  elsif not pg_input_is_valid(coalesce(lead.phone, ''), 'public.e164') then
    perform private.invalid_field('recruiting_lead_id', 'the lead has no phone number in E.164');
  elsif agent_id is not null and not (private.lock_active_agent(agent_id) and exists (
    select from public.agents a where a.id = start_conversation.agent_id and a.agency_id = lead.agency_id
  )) then
    perform private.invalid_field('agent_id', 'must be an active agent of the lead''s agency');
  elsif service_phone is not null and not exists (
    select
    from public.service_numbers n
    where n.phone = start_conversation.service_phone and n.agency_id = lead.agency_id
  ) then
    perform private.invalid_field('service_phone', 'must be a number of the lead''s agency');
  end if;
  perform private.refuse_banned('recruiting_lead_id', lead.agency_id, lead.phone, lead.id, 'suppressed');

  lead_agent_id := (select a.id from public.agents a where a.id = lead.agent_id and a.is_active);
  conversation := private.open_conversation(lead, coalesce(agent_id, lead_agent_id), service_phone);
  if conversation.id is null then
    raise exception 'recruiting_lead_id: its agency has no active service number' using errcode = 'PT409';
  end if;

  if conversation.status <> 'escalated' then
    update public.recruiting_conversations c
    set assigned_agent_id = coalesce(start_conversation.agent_id, lead_agent_id, c.assigned_agent_id)
    where c.id = conversation.id;
  elsif agent_id is not null then
    -- Only this takes it from a person.
    perform public.assign_conversation(conversation.id, agent_id);
  end if;
  -- The texts stand in the conversation now, and its agent is notified of them there.
  update public.agent_notifications n
  set read_at = now()
  where n.lead_id = lead.id and n.kind = 'unmatched_text' and n.read_at is null;
  return jsonb_build_object('conversation_id', conversation.id, 'service_phone', conversation.service_phone);
end
$$;

comment on function public.start_conversation(uuid, uuid, text) is
  'The conversation with a lead''s recruit: with service_phone, the one with this number of the agency; otherwise the existing '
  'one with the number of the agency that the recruit knows, or a new one with its least used active number. The recruit''s '
  'unmatched texts to that number become its messages, and their notifications count as read. The lead''s agent and the '
  'managers of its agency may call it. It is assigned to the agent named, else to the lead''s. An escalated one goes to the '
  'named agent as with assign_conversation(), with its errors; without one it stays as it is. Returns {conversation_id, '
  'service_phone}. Errors: 42501 (HTTP 403) if the caller is not an active agent; PT404 for an unknown lead or another '
  'agent''s; 22023 (400) when the lead has no phone in E.164, or the named agent or number is none of the agency; PT403 when '
  'the recruit is suppressed; PT409 when the agency has no active number. Security definer because agents may not write the '
  'tables.';
grant execute on function public.start_conversation(uuid, uuid, text) to authenticated;

create function private.writer() returns public.agents
language plpgsql
set search_path = ''
as $$
declare
  caller constant public.agents := private.current_agent();
begin
  if caller.id is null or not private.lock_active_agent(caller.id) then
    raise exception 'only an active agent may write to recruits' using errcode = 'insufficient_privilege';
  end if;
  return caller;
end
$$;

comment on function private.writer() is
  'Returns the active agent who is signed in, and who cannot leave before the transaction ends. 42501 if there is none.';

create function private.may_write(caller public.agents, conversation public.recruiting_conversations) returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return conversation.agency_id = caller.agency_id
    and (
      caller.role = 'manager'
      or conversation.assigned_agent_id = caller.id
      or conversation.assigned_agent_id is null and exists (
        select from public.recruiting_leads l where l.id = conversation.recruiting_lead_id and l.agent_id = caller.id
      )
    );
end
$$;

comment on function private.may_write(public.agents, public.recruiting_conversations) is
  'Whether this agent may write in a conversation: the agency''s managers may, and one agent, the assigned one or else the '
  'lead''s.';

create function private.lock_to_write(caller public.agents, conversation_id uuid) returns public.recruiting_conversations
language plpgsql
set search_path = ''
as $$
declare
  conversation public.recruiting_conversations;
begin
  select c.* into conversation
  from public.recruiting_conversations c
  where c.id = lock_to_write.conversation_id and private.may_write(caller, c)
  for no key update;
  if not found then
    raise exception 'conversation_id: there is no such conversation' using errcode = 'PT404';
  end if;
  return conversation;
end
$$;

comment on function private.lock_to_write(public.agents, uuid) is
  'A conversation in which this agent may write, locked. PT404 for any other.';

create function private.notify_of_new_owner(conversations public.recruiting_conversations[], agent_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  changing constant public.recruiting_conversations[] := array(
    select c
    from unnest(conversations) c
    where c.status <> 'escalated' or c.assigned_agent_id <> notify_of_new_owner.agent_id
  );
begin
  -- Others no longer need to answer, and the agent has the conversation again.
  update public.agent_notifications n
  set read_at = now()
  from unnest(changing) c
  where n.conversation_id = c.id
    and n.read_at is null
    and case n.kind
      when 'taken_over' then n.agent_id = notify_of_new_owner.agent_id
      else n.agent_id <> notify_of_new_owner.agent_id
    end;
  insert into public.agent_notifications (agent_id, conversation_id, kind, by_agent_id, others, read_at)
  select
    l.agent_id, l.id, 'taken_over', notify_of_new_owner.agent_id,
    case when l.place = 1 then nullif(l.lost - 1, 0) end,
    -- The first one notifies. The others record that the agent had them and may ask for them. The caller knows already.
    case when l.place > 1 or l.agent_id = private.current_agent_id() then now() end
  from (
    select
      before as agent_id, c.id, row_number() over (partition by before order by c.id) as place,
      count(*) over (partition by before) as lost
    from unnest(changing) c
    cross join private.answering_agent(c) before
    where before <> notify_of_new_owner.agent_id
  ) l
  order by l.agent_id, l.place;
end
$$;

comment on function private.notify_of_new_owner(public.recruiting_conversations[], uuid) is
  'Notifies each agent who was to answer in some of these conversations, once, that this agent has them from now on (kind '
  '`taken_over`). Managers who give their own conversations away are not notified. The earlier notifications of others about '
  'them count as read. Conversations that the agent already has are skipped. conversations: as they were before, and locked.';

create function private.unanswered_since(conversation public.recruiting_conversations) returns timestamptz
language plpgsql
stable
set search_path = ''
as $$
begin
  if private.texting_ban(conversation.agency_id, conversation.recruit_phone, conversation.recruiting_lead_id) is not null then
    return null;
  end if;
  return (
    select m.created_at
    from public.recruiting_messages m
    where m.conversation_id = conversation.id
      and m.direction = 'inbound'
      and m.created_at > coalesce(
        (
          select answer.created_at
          from public.recruiting_messages answer
          where answer.conversation_id = conversation.id
            and answer.direction = 'outbound'
            and answer.status is distinct from 'failed'
            and not exists (select from public.text_outbox o where o.message_id = answer.id and o.hands_over)
          order by answer.created_at desc
          limit 1
        ),
        '-infinity')
    order by m.created_at
    limit 1
  );
end
$$;

comment on function private.unanswered_since(public.recruiting_conversations) is
  'The value of waiting_since once one of our texts is not sent after all: the recruit''s first text since our latest one that '
  'has not failed, the bot''s last text before a hand-over aside. Null without one, after an opt-out, and of a suppressed recruit.';
