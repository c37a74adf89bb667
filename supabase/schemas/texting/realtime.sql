-- Notifies open pages of new rows through Supabase Realtime, with ids only. Realtime belongs to the platform: it may be
-- missing, off or failing, which never loses or delays a text. Only the rows count.

create function private.broadcast(event text, payload jsonb, variadic topics text[]) returns void
language plpgsql
security definer
set search_path = ''
-- A text must not wait for Realtime's maintenance.
set lock_timeout = '100ms'
-- To plan the query takes longer than to run it.
set plan_cache_mode = force_generic_plan
as $$
declare
  -- More than deliver_notifications() takes. A transaction that moves thousands of conversations holds their locks
  -- meanwhile.
  most constant integer := 2000;
  longest constant interval := '100 milliseconds';
  remaining integer := coalesce(nullif(current_setting('lead_intake.broadcasts_left', true), '')::integer, most);
  topic text;
  began_at timestamptz;
begin
  if remaining = 0 or to_regprocedure('realtime.send(jsonb, text, text, boolean)') is null then
    return;
  end if;
  for topic in
    select given.topic
    from unnest(topics) as given (topic)
    where given.topic is not null
      -- Realtime asks its policy when a page joins, and not for each event. The page of an agent who was set inactive
      -- stays.
      -- Not `not exists (…)`, whose plan reads all agents, and all versions that a burst of turns has left.
      and coalesce((
        select a.is_active
        from public.agents a
        where a.id = case when starts_with(given.topic, 'agent:') then substr(given.topic, 7)::uuid end
      ), true)
  loop
    exit when remaining = 0;
    began_at := clock_timestamp();
    perform realtime.send(payload, event, topic, true);
    -- realtime.send() may have waited for a lock, and does not say so. Of many rows only the first one waits.
    remaining := case when clock_timestamp() - began_at < longest then remaining - 1 else 0 end;
  end loop;
  perform set_config('lead_intake.broadcasts_left', remaining::text, true);
exception when others then
  raise warning '% was stored but not broadcast (SQLSTATE %)', event, sqlstate;
  perform set_config('lead_intake.broadcasts_left', '0', true);
end
$$;

comment on function private.broadcast(text, jsonb, text[]) is
  'Sends an event to private topics, if the project has Realtime; null topics and those of inactive agents are skipped. A '
  'failure of Realtime is only a warning. A transaction sends nothing more after 2,000 sends, a failure, or one that has taken '
  '100 ms. Security definer because Realtime stores with its caller''s rights, and the service role has none there. Only '
  'triggers call it. They send ids to the agent concerned and to the managers of the agency.';

create function private.broadcast_notification() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.broadcast(
    'notification',
    jsonb_build_object(
      'id', new.id, 'conversation_id', new.conversation_id, 'message_id', new.message_id, 'lead_id', new.lead_id,
      'kind', new.kind),
    'agent:' || new.agent_id);
  return null;
end
$$;

comment on function private.broadcast_notification() is
  'Trigger: sends the ids of a notification that is new, or went to another agent, to the topic agent:<agent id>.';

create trigger broadcast_notification
  after insert or update of agent_id on public.agent_notifications
  for each row
  -- One that was written as read is nothing new.
  when (new.read_at is null)
  execute function private.broadcast_notification();

create function private.broadcast_changed(conversation public.recruiting_conversations, agent_before uuid) returns void
language plpgsql
set search_path = ''
-- No text is late because somebody has locked the recruits.
set lock_timeout = '100ms'
as $$
declare
  lead_agent_id uuid;
begin
  -- A statement may change thousands of conversations.
  if current_setting('lead_intake.broadcasts_left', true) = '0' then
    return;
  elsif conversation.assigned_agent_id is null or agent_before is null then
    begin
      select l.agent_id into lead_agent_id from public.recruiting_leads l where l.id = conversation.recruiting_lead_id;
    exception when lock_not_available then
      raise warning 'nobody was notified of a changed conversation, because recruiting_leads is locked';
      perform set_config('lead_intake.broadcasts_left', '0', true);
      return;
    end;
  end if;
  perform private.broadcast(
    'changed',
    jsonb_build_object('conversation_id', conversation.id),
    'agency:' || conversation.agency_id,
    'agent:' || coalesce(conversation.assigned_agent_id, lead_agent_id),
    'agent:' || nullif(
      coalesce(agent_before, lead_agent_id), coalesce(conversation.assigned_agent_id, lead_agent_id)));
end
$$;

comment on function private.broadcast_changed(public.recruiting_conversations, uuid) is
  'Sends {conversation_id} to the topic of its agency, and to the topics of the agent who is to answer, the assigned one or '
  'else the lead''s, and of the one before. agent_before: who was assigned before.';

create function private.broadcast_changed_conversation() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.broadcast_changed(new, old.assigned_agent_id);
  return null;
end
$$;

comment on function private.broadcast_changed_conversation() is
  'Trigger: a conversation has a new text or another agent, or the recruit''s waiting has changed. Each text sets '
  'last_text_at.';

create trigger broadcast_changed
  after update of status, assigned_agent_id, waiting_since, snoozed_until, last_text_at on public.recruiting_conversations
  for each row execute function private.broadcast_changed_conversation();

create function private.broadcast_changed_message() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.broadcast_changed(c, c.assigned_agent_id)
  from public.recruiting_conversations c
  where c.id = new.conversation_id;
  return null;
end
$$;

comment on function private.broadcast_changed_message() is 'Trigger: the delivery status of a text has changed.';

create trigger broadcast_changed
  after update of status on public.recruiting_messages
  for each row when (new.status is distinct from old.status) execute function private.broadcast_changed_message();

create function private.broadcast_changed_copy() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.broadcast_changed(c, c.assigned_agent_id)
  from public.recruiting_messages m
  join public.recruiting_conversations c on c.id = m.conversation_id
  where m.id = new.message_id;
  return null;
end
$$;

comment on function private.broadcast_changed_copy() is 'Trigger: a file of a recruit was copied, or cannot be.';

create trigger broadcast_changed
  after update of state on public.media_copies
  for each row when (new.state is distinct from old.state) execute function private.broadcast_changed_copy();

create function private.broadcast_changed_recruit() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.broadcast(
    'changed',
    jsonb_build_object('lead_id', l.id, 'timeline_id', tg_argv[0] || ':' || new.id),
    variadic array['agency:' || l.agency_id] || array(
      select 'agent:' || l.agent_id where l.agent_id is not null
      union
      select 'agent:' || c.assigned_agent_id
      from public.recruiting_conversations c
      where c.recruiting_lead_id = l.id and c.assigned_agent_id is not null
    ))
  from public.recruiting_leads l
  where l.id = new.recruiting_lead_id;
  return null;
end
$$;

comment on function private.broadcast_changed_recruit() is
  'Trigger: a recruit has a new note, stage, call or change of hands. Its argument is the kind of the row in recruit_timeline. '
  'Sends {lead_id, timeline_id} to the topics of those who read what agents say about a recruit: the agency, the recruit''s '
  'agent, and each agent who is assigned a conversation with the recruit.';

create function private.allow_agent_topics() returns boolean
language plpgsql
set search_path = ''
as $$
begin
  if to_regclass('realtime.messages') is null or to_regprocedure('realtime.topic()') is null then
    return false;
  end if;
  drop policy if exists "agents receive what is sent to their own topics" on realtime.messages;
  create policy "agents receive what is sent to their own topics" on realtime.messages
    for select to authenticated
    using (
      extension = 'broadcast'
      and (select realtime.topic()) in (
        'agent:' || (select private.current_agent_id()), 'agency:' || (select private.managed_agency_id())
      )
    );
  return true;
end
$$;

comment on function private.allow_agent_topics() is
  'Lets active agents join only their own private Realtime topic, agent:<agent id>, and managers also agency:<agency id>. '
  'Returns whether the project has Realtime''s table, which may be created after the migrations: call it again then. It may be '
  'called any number of times.';

select private.allow_agent_topics();
