-- Tells an agent's open pages that a notification is there, through Supabase Realtime. Realtime belongs to the platform: it
-- may be missing, switched off or failing, and no text is ever lost or late for it. The notification itself is a row.

create function private.broadcast_notification() returns trigger
language plpgsql
-- Realtime stores the message with the rights of its caller, and whoever stores a text has none there.
security definer
set search_path = ''
-- A text must not wait for Realtime's maintenance.
set lock_timeout = '500ms'
as $$
begin
  if to_regprocedure('realtime.send(jsonb, text, text, boolean)') is not null then
    perform realtime.send(
      jsonb_build_object(
        'id', new.id, 'conversation_id', new.conversation_id, 'message_id', new.message_id, 'lead_id', new.lead_id,
        'kind', new.kind),
      'notification', 'agent:' || new.agent_id, true);
  end if;
  return null;
exception when others then
  raise warning 'a notification was stored but not broadcast (SQLSTATE %)', sqlstate;
  return null;
end
$$;

comment on function private.broadcast_notification() is
  'Trigger: sends the ids of a notification that is new, or now another agent''s, to the private topic agent:<agent id>, '
  'where the project has Realtime. A failure of Realtime is a warning and nothing else.';

create trigger broadcast_notification
  after insert or update of agent_id on public.agent_notifications
  for each row when (new.is_broadcast) execute function private.broadcast_notification();

create trigger broadcast_notification_later
  after update of is_broadcast on public.agent_notifications
  for each row when (new.is_broadcast and not old.is_broadcast) execute function private.broadcast_notification();

create function private.allow_agent_topics() returns boolean
language plpgsql
set search_path = ''
as $$
begin
  if to_regclass('realtime.messages') is null or to_regprocedure('realtime.topic()') is null then
    return false;
  end if;
  drop policy if exists "agents receive what is sent to their own topic" on realtime.messages;
  create policy "agents receive what is sent to their own topic" on realtime.messages
    for select to authenticated
    using (
      extension = 'broadcast'
      and (select realtime.topic()) = 'agent:' || (select private.current_agent_id())
    );
  return true;
end
$$;

comment on function private.allow_agent_topics() is
  'Lets each active agent join its own private topic of Realtime, agent:<agent id>, and no other. Returns whether the project '
  'has Realtime''s table, which may come after the migrations: call it again then. It may be called any number of times.';

select private.allow_agent_topics();
