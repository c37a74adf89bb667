-- Giving a conversation to another agent, and asking for one.

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
      perform private.notify_of_texts(conversation.id, '{null}', 'handoff', 'assigned');
    end if;
  end if;
  return jsonb_build_object(
    'conversation_id', conversation.id, 'status', 'escalated', 'assigned_agent_id', agent_id);
end
$$;

comment on function public.assign_conversation(uuid, uuid) is
  'Gives a conversation to an agent, who is notified, unless it is the caller. Users who may write in it take it over by '
  'naming themselves; a manager may name any active agent of the agency. The bot sends nothing more. The previous agent is '
  'notified, and the earlier notifications of others about it count as read. Returns {conversation_id, status: escalated, '
  'assigned_agent_id}, also if the agent already has it. Errors: 22023 (HTTP 400) names agent_id; 42501 (403) if the caller is '
  'not an active agent; PT404 for a conversation in which the caller may not write. Security definer because agents may not '
  'write the tables.';
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
  'Gives up to 200 conversations of a manager''s agency to one of its active agents, who is notified once. Each previous agent '
  'is notified once, too. A conversation that the agent already has stays as it is. Returns {given, not_given: [id]}: the '
  'number that changed hands, and the ids that do not belong to the agency. Errors: 22023 (HTTP 400) names ids or agent; 42501 '
  '(403) if the caller is not an active manager; 55P03 when others have locked one for 2 seconds: then none has changed. '
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
  'Asks the manager who has a conversation to give it to the caller, or each active manager of the agency where no manager has '
  'it. They are notified (kind `asked_for` of agent_notifications), once until they have read it. The recruit''s agent may '
  'ask, and the agent who lost the conversation. Returns {conversation_id}. Errors: 42501 (HTTP 403) if the caller is not an '
  'active agent; PT404 for any other conversation; PT409 if the caller may already write in it, or the agency has no active '
  'manager. Security definer because agents may not write the tables.';
grant execute on function public.ask_for_conversation(uuid) to authenticated;
