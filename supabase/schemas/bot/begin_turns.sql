-- A recruit's text makes a turn of the bot or extends it: see turns.sql.

create function private.begin_bot_turn(conversation public.recruiting_conversations, message_ids uuid[]) returns boolean
language plpgsql
set search_path = ''
-- No text is lost or late because somebody has locked the agents.
set lock_timeout = '100ms'
as $$
declare
  debounce constant interval := '8 seconds';
  longest constant interval := '30 seconds';
  most_texts constant integer := 20;
  session public.bot_sessions;
  script public.bot_scripts;
  earlier integer;
  is_listening boolean;
begin
  if message_ids is null or conversation.recruiting_lead_id is null then
    return false;
  end if;
  select s.* into session from public.bot_sessions s where s.conversation_id = conversation.id;
  is_listening := coalesce(session.state = 'escalated', false);
  if is_listening and not private.may_listen(conversation) or not is_listening and conversation.status <> 'bot' then
    return false;
  end if;
  if session.conversation_id is null then
    script := private.newest_bot_script(conversation.agency_id);
  else
    select b.* into script from public.bot_scripts b where b.id = session.script_id;
  end if;
  if session.state not in ('active', 'escalated')
    or script.script is null
    or exists (select from public.service_numbers n where n.phone = conversation.recruit_phone)
  then
    return false;
  end if;

  earlier := (select cardinality(t.message_ids) from public.bot_turns t where t.conversation_id = conversation.id);
  if coalesce(earlier, 0) + cardinality(message_ids) > most_texts then
    if is_listening then
      return false;
    end if;
    perform private.carry_out_step(
      conversation, message_ids[cardinality(message_ids)], session, script.id,
      '{"ended": {"state": "escalated", "reason": "not_understood", "goes_to_person": true}}');
    return true;
  end if;

  insert into public.bot_turns as t (conversation_id, due_at, message_ids)
  values (conversation.id, clock_timestamp() + debounce, begin_bot_turn.message_ids)
  on conflict on constraint bot_turns_pkey do update
  set
    message_ids = t.message_ids || excluded.message_ids,
    -- One that only waits for its time begins now.
    first_at = case when t.message_ids = '{}' then excluded.first_at else t.first_at end,
    due_at = case when t.message_ids = '{}' then excluded.due_at else least(excluded.due_at, t.first_at + longest) end;
  return not is_listening;
exception when lock_not_available then
  return false;
end
$$;

comment on function private.begin_bot_turn(public.recruiting_conversations, uuid[]) is
  'Makes or extends the bot''s turn for a recruit''s texts, oldest first. A turn has at most 20: where there are more, the '
  'script ends as `not_understood` and a person goes on. Returns false where the bot does not answer: there is no text, a '
  'person has the conversation, it has no lead, its agency no script or its script has ended, the number is a service number, '
  'or somebody has locked what it needs. Where the bot has given it to a person, there may still be a turn, in which it only '
  'listens. The caller has locked the conversation.';

create function private.may_listen(conversation public.recruiting_conversations) returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return (private.newest_bot_script(conversation.agency_id)).script is not null
    and not exists (
      select
      from public.text_consent_events e
      where e.agency_id = conversation.agency_id and e.phone = conversation.recruit_phone and e.state = 'opted_out'
    )
    -- A text of an agent may ask anything.
    and (
      select m.sender_type
      from public.recruiting_messages m
      where m.conversation_id = conversation.id and m.direction = 'outbound'
      order by m.created_at desc, m.sender_type
      limit 1
    ) is distinct from 'agent';
end
$$;

comment on function private.may_listen(public.recruiting_conversations) is
  'Whether the bot fills in what a recruit answers after it has given the conversation to a person: it is on, no agent has '
  'written since, and the recruit has never opted out.';

create function private.take_texts_to_answer() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  conversation constant public.recruiting_conversations := (
    select c from public.recruiting_conversations c where c.id = new.conversation_id
  );
begin
  return case when not private.begin_bot_turn(conversation, new.message_ids) then new end;
end
$$;

comment on function private.take_texts_to_answer() is
  'Trigger: the bot takes the texts that it answers. It returns those that it does not, for an agent.';

create trigger take_texts_to_answer
  instead of insert on private.texts_to_answer
  for each row execute function private.take_texts_to_answer();
