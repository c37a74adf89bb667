-- Conversations: their begin, who may write in them, who has them.

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
    -- From a person it is taken in this way alone.
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
  'The conversation with a lead''s recruit: with service_phone, the one with this number of the agency; otherwise the '
  'existing one with the number of the agency that the recruit knows, or a new one with its least used active number. It takes over the recruit''s unmatched texts to that number, and '
  'the notifications of them count as read. The '
  'lead''s agent may call it, and a manager of its agency. It is assigned to the agent named, else to the lead''s. One '
  'that is escalated already goes to the agent named as assign_conversation() says, with its errors, else it stays as it is. '
  'Returns {conversation_id, service_phone}. '
  'Errors: 42501 (HTTP 403) when the caller is no active agent; PT404 for an unknown lead or another agent''s; 22023 '
  '(400) when the lead has no phone in E.164, or the named agent or number is none of the agency; PT403 '
  'when the recruit is suppressed; PT409 when the agency has no active number. '
  'Security definer because agents may not write the tables.';
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
  'The active agent who is signed in, and does not leave before the transaction ends. 42501 when there is none.';

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
  'Whether this agent may write in a conversation: of those who may read it, the agency''s managers and one agent, the '
  'assigned one or else the lead''s.';

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
  -- Others need not answer any more, and the agent has not lost it any more.
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
    -- The first has a notification. The others say that the agent had them, and may ask for them. Who does it knows it.
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
  '`taken_over`). A manager who gives the own ones away is not notified. The earlier notifications of others about them count as read. One '
  'that the agent has already is passed over. conversations: as they were before, and locked.';

create function public.assign_conversation(conversation_id uuid, agent_id uuid) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.writer();
  conversation public.recruiting_conversations;
begin
  if agent_id is null then
    perform private.invalid_field('agent_id', 'is required');
  elsif agent_id <> caller.id and caller.role <> 'manager' then
    perform private.invalid_field('agent_id', 'must be your own; only a manager may name another agent');
  elsif not (private.lock_active_agent(agent_id) and exists (
    select from public.agents a where a.id = assign_conversation.agent_id and a.agency_id = caller.agency_id
  )) then
    perform private.invalid_field('agent_id', 'must be an active agent of the agency');
  end if;

  conversation := private.lock_to_write(caller, conversation_id);
  if conversation.status <> 'escalated' or conversation.assigned_agent_id <> agent_id then
    perform private.refuse_waiting_texts(conversation.id, 'taken_over', 'bot');
    update public.recruiting_conversations c
    set status = 'escalated', assigned_agent_id = assign_conversation.agent_id
    where c.id = conversation.id;
    perform private.notify_of_new_owner(array[conversation], agent_id);
    if agent_id <> caller.id then
      perform private.notify_agents(conversation.id, null, 'handoff', 'assigned');
    end if;
  end if;
  return jsonb_build_object(
    'conversation_id', conversation.id, 'status', 'escalated', 'assigned_agent_id', agent_id);
end
$$;

comment on function public.assign_conversation(uuid, uuid) is
  'Gives a conversation to an agent, who is notified, unless it is the caller. A user who may write in it takes it over by naming '
  'itself; a manager may name any active agent of the agency. The bot says nothing more. Who had it is notified, and the earlier '
  'notifications of others about it count as read. Returns {conversation_id, '
  'status: escalated, assigned_agent_id}, also when the agent has it already. Errors: 22023 (HTTP 400) names agent_id; '
  '42501 (403) when the caller is no active agent; PT404 for a conversation in which the caller may not write. '
  'Security definer because agents may not write the tables.';
grant execute on function public.assign_conversation(uuid, uuid) to authenticated;

create function public.assign_conversations(ids uuid[], agent uuid) returns jsonb
language plpgsql
security definer
set search_path = ''
set lock_timeout = '2s'
as $$
declare
  caller constant public.agents := private.writer();
  locked public.recruiting_conversations[];
  given public.recruiting_conversations[];
begin
  if caller.role <> 'manager' then
    raise exception 'only a manager may give several conversations away' using errcode = 'insufficient_privilege';
  elsif coalesce(cardinality(ids), 0) not between 1 and 200 then
    perform private.invalid_field('ids', 'must be 1 to 200 conversations');
  elsif agent is null or not (private.lock_active_agent(agent) and exists (
    select from public.agents a where a.id = assign_conversations.agent and a.agency_id = caller.agency_id
  )) then
    perform private.invalid_field('agent', 'must be an active agent of the agency');
  end if;

  locked := array(
    select c
    from public.recruiting_conversations c
    where c.id = any (ids) and c.agency_id = caller.agency_id
    -- In one order, so that two managers never wait for each other.
    order by c.id
    for no key update
  );
  given := array(select c from unnest(locked) c where c.status <> 'escalated' or c.assigned_agent_id <> agent);
  perform private.refuse_waiting_texts(g.id, 'taken_over', 'bot') from unnest(given) g;
  update public.recruiting_conversations c
  set status = 'escalated', assigned_agent_id = assign_conversations.agent
  from unnest(given) g
  where c.id = g.id;
  perform private.notify_of_new_owner(given, agent);
  -- The agent is notified once, of the first.
  if cardinality(given) > 0 and agent <> caller.id then
    insert into public.agent_notifications (agent_id, conversation_id, kind, reason, others)
    values (agent, given[1].id, 'handoff', 'assigned', nullif(cardinality(given) - 1, 0));
  end if;
  return jsonb_build_object('given', cardinality(given), 'not_given', (
    select coalesce(jsonb_agg(i), '[]')
    from unnest(ids) i
    where not exists (
      select from public.recruiting_conversations c where c.id = i and c.agency_id = caller.agency_id
    )
  ));
end
$$;

comment on function public.assign_conversations(uuid[], uuid) is
  'Gives up to 200 conversations of a manager''s agency to one of its active agents, who is notified once. Each who had some of '
  'them is notified once, too. One that the agent has already stays as it is. Returns {given, not_given: [id]}: how many have '
  'changed hands, and the ids that are none of the agency''s. Errors: 22023 (HTTP 400) names ids or agent; 42501 (403) when the '
  'caller is no active manager; 55P03 when others have locked one for 2 seconds: then none has changed. '
  'Security definer because agents may not write the tables.';
grant execute on function public.assign_conversations(uuid[], uuid) to authenticated;

create function public.ask_for_conversation(conversation_id uuid) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.writer();
  conversation public.recruiting_conversations;
begin
  select c.* into conversation
  from public.recruiting_conversations c
  where c.id = ask_for_conversation.conversation_id
    and c.agency_id = caller.agency_id
    and (
      private.may_write(caller, c)
      or exists (
        select from public.recruiting_leads l where l.id = c.recruiting_lead_id and l.agent_id = caller.id
      )
      or exists (
        select from public.agent_notifications n
        where n.conversation_id = c.id and n.agent_id = caller.id and n.kind = 'taken_over'
      )
    )
  -- Another transaction may be assigning the conversation to the caller.
  for share;
  if not found then
    raise exception 'conversation_id: there is no such conversation' using errcode = 'PT404';
  elsif private.may_write(caller, conversation) then
    raise exception 'conversation_id: you may write in this conversation already' using errcode = 'PT409';
  elsif not exists (
    select from public.agents m where m.agency_id = caller.agency_id and m.role = 'manager' and m.is_active
  ) then
    raise exception 'conversation_id: the agency has no active manager who could give it to you' using errcode = 'PT409';
  end if;

  insert into public.agent_notifications (agent_id, conversation_id, kind, by_agent_id)
  select m.id, conversation.id, 'asked_for', caller.id
  from public.agents m
  where m.agency_id = conversation.agency_id
    and m.role = 'manager'
    and m.is_active
    and (
      m.id = conversation.assigned_agent_id
      or not exists (
        select from public.agents o
        where o.id = conversation.assigned_agent_id and o.role = 'manager' and o.is_active
      )
    )
  order by m.id
  on conflict do nothing;
  return jsonb_build_object('conversation_id', conversation.id);
end
$$;

comment on function public.ask_for_conversation(uuid) is
  'Asks the manager who has a conversation to give it to the caller, or each active manager of the agency where no manager '
  'has it. They are notified (kind `asked_for` of agent_notifications), once until they have read it. The recruit''s agent may '
  'ask, and the agent who has lost the conversation. Returns {conversation_id}. Errors: 42501 (HTTP 403) when the caller is no '
  'active agent; PT404 for any other conversation; PT409 when the caller may write in it already, or '
  'the agency has no active manager. '
  'Security definer because agents may not write the tables.';
grant execute on function public.ask_for_conversation(uuid) to authenticated;

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
  'The value of waiting_since once one of our texts is not sent after all: the recruit''s first text since our latest one that has '
  'not failed. Null without one, after an opt-out, and of a suppressed recruit.';
