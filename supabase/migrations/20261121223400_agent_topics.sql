set local check_function_bodies = off;

create or replace function private.allow_agent_topics()
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
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
$function$;

create or replace function private.broadcast_notification()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  set lock_timeout to '500ms'
  AS $function$
begin
  if to_regprocedure('realtime.send(jsonb, text, text, boolean)') is not null then
    perform realtime.send(
      jsonb_build_object(
        'id', new.id, 'conversation_id', new.conversation_id, 'message_id', new.message_id, 'kind', new.kind),
      'notification', 'agent:' || new.agent_id, true);
  end if;
  return null;
exception when others then
  raise warning 'a notification was stored but not broadcast (SQLSTATE %)', sqlstate;
  return null;
end
$function$;

create trigger broadcast_notification
  after insert on public.agent_notifications
  for each row
  execute function private.broadcast_notification();

comment on function "private"."allow_agent_topics"() is 'Lets each active agent join its own private topic of Realtime, agent:<agent id>, and no other. Returns whether the project has Realtime''s table, which may come after the migrations: call it again then. It may be called any number of times.';

comment on function "private"."broadcast_notification"() is 'Trigger: sends the ids of a new notification to the private topic agent:<agent id>, where the project has Realtime. A failure of Realtime is a warning and nothing else.';

revoke all on function "private"."allow_agent_topics"() from public;

grant execute on function "private"."allow_agent_topics"() to "postgres";

revoke all on function "private"."broadcast_notification"() from public;

grant execute on function "private"."broadcast_notification"() to "postgres";

select private.allow_agent_topics();
