-- How a conversation goes on in its script, and how it ends. The locks are in the order of turns.sql.

create function private.stop_bot(conversation_id uuid, reason text) returns void
language plpgsql
set search_path = ''
as $$
declare
  unanswered uuid;
begin
  delete from public.bot_turns t
  where t.conversation_id = stop_bot.conversation_id
  returning t.last_message_id into unanswered;
  if unanswered is not null and reason <> 'taken_over' then
    perform private.notify_agents(conversation_id, unanswered, 'text');
  end if;
  update public.bot_sessions s
  set state = 'stopped', reason = stop_bot.reason, version = s.version + 1
  where s.conversation_id = stop_bot.conversation_id and s.state = 'active';
  with refused as (
    update public.text_outbox o
    set state = 'refused', reason = stop_bot.reason
    where o.message_id = any (array(
      select waiting.message_id
      from public.text_outbox waiting
      where waiting.conversation_id = stop_bot.conversation_id and waiting.state = 'pending' and waiting.kind = 'bot'
      order by waiting.ordinal
      for update
    ))
    returning o.message_id
  )
  update public.recruiting_messages m
  set status = 'failed', failed_at = coalesce(m.failed_at, now())
  from refused r
  where m.id = r.message_id;
  if found then
    -- What the bot was about to say is no answer any more.
    update public.recruiting_conversations c
    set waiting_since = private.unanswered_since(c)
    where c.id = stop_bot.conversation_id;
  end if;
end
$$;

comment on function private.stop_bot(uuid, text) is
  'The bot says nothing more in a conversation: its turn is gone, its session stopped, and its texts that wait are refused, so '
  'that the recruit may wait again. reason: as in bot_sessions. An agent is told of the text that the turn would have '
  'answered, unless an agent writes (taken_over). The caller has locked the conversation.';
grant execute on function private.stop_bot(uuid, text) to service_role;

create function private.carry_out_step(
  conversation public.recruiting_conversations,
  message_id uuid,
  old public.bot_sessions,
  script_id uuid,
  step jsonb
) returns void
language plpgsql
set search_path = ''
as $$
declare
  ended constant jsonb := nullif(step -> 'ended', 'null');
  reply constant text := step ->> 'reply';
  lead constant public.recruiting_leads := (
    select l from public.recruiting_leads l where l.id = conversation.recruiting_lead_id
  );
  sent public.text_outbox;
begin
  delete from public.bot_turns t where t.conversation_id = conversation.id;
  insert into public.screening_answers as a (lead_id, question, value, said)
  select lead.id, answered.question, answered.value, answered.said
  from jsonb_to_record(nullif(step -> 'answered', 'null')) as answered (question text, value jsonb, said text)
  where answered.question is not null
  on conflict on constraint screening_answers_pkey do update
  set value = excluded.value, said = excluded.said, answered_at = now();

  if (ended ->> 'goes_to_person')::boolean then
    perform private.escalate(conversation);
  end if;
  if ended is not null then
    perform private.notify_agents(conversation.id, message_id, 'handoff', ended ->> 'reason');
  end if;
  if reply is not null then
    -- The agent who has it by now.
    conversation.assigned_agent_id := (
      select c.assigned_agent_id from public.recruiting_conversations c where c.id = conversation.id
    );
    sent := private.queue_text(
      conversation.id, 'bot', private.fill_template(reply, lead, conversation.assigned_agent_id));
  end if;
  perform private.store_bot_session(conversation.id, old, script_id, step, sent.message_id);
end
$$;

comment on function private.carry_out_step(public.recruiting_conversations, uuid, public.bot_sessions, uuid, jsonb) is
  'Does what a step says (see complete_bot_turn()), and ends the turn: the session, the answer, the reply in the outbox, and '
  'who is told. message_id: the last text that the step answers; null: only time has passed. old: the session before it. '
  'The caller has locked all of them.';
grant execute on function private.carry_out_step(public.recruiting_conversations, uuid, public.bot_sessions, uuid, jsonb)
  to service_role;

create function private.store_bot_session(
  conversation_id uuid,
  old public.bot_sessions,
  script_id uuid,
  step jsonb,
  message_id uuid
) returns void
language plpgsql
set search_path = ''
as $$
declare
  next record;
  -- The last answer comes with no session.
  answered constant jsonb := (
    select coalesce(jsonb_object_agg(a.question, a.value), '{}')
    from jsonb_to_record(nullif(step -> 'answered', 'null')) as a (question text, value jsonb)
    where a.question is not null
  );
begin
  select * into next
  from jsonb_to_record(nullif(step -> 'session', 'null')) as s (
    question text, tries integer, answers jsonb, has_told_about boolean,
    asked_at timestamptz, remind_at timestamptz, expires_at timestamptz
  );
  if old.conversation_id is null then
    -- A step without a session and without an end has not begun: the next text is the first.
    insert into public.bot_sessions (
      conversation_id, script_id, question, answers, has_told_about, state, reason, asked_at, remind_at, expires_at,
      asked_message_id
    )
    select
      store_bot_session.conversation_id, b.id, coalesce(next.question, b.script #>> '{questions,0,id}'), answered,
      coalesce(next.has_told_about, false), coalesce(step #>> '{ended,state}', 'active'), step #>> '{ended,reason}',
      next.asked_at, next.remind_at, next.expires_at,
      case when next.asked_at is not null then store_bot_session.message_id end
    from public.bot_scripts b
    where b.id = store_bot_session.script_id and (next.question is not null or step #>> '{ended,state}' is not null);
  else
    update public.bot_sessions s
    set
      question = coalesce(next.question, s.question),
      tries = coalesce(next.tries, s.tries),
      answers = coalesce(next.answers, s.answers || answered),
      has_told_about = coalesce(next.has_told_about, s.has_told_about),
      state = coalesce(step #>> '{ended,state}', s.state),
      reason = step #>> '{ended,reason}',
      version = s.version + 1,
      asked_at = coalesce(next.asked_at, s.asked_at),
      remind_at = case when next is null then s.remind_at else next.remind_at end,
      expires_at = coalesce(next.expires_at, s.expires_at),
      -- A reminder is not the question.
      asked_message_id = case
        when next.asked_at <> coalesce(s.asked_at, '-infinity') then store_bot_session.message_id
        else s.asked_message_id
      end
    where s.conversation_id = old.conversation_id;
  end if;
end
$$;

comment on function private.store_bot_session(uuid, public.bot_sessions, uuid, jsonb, uuid) is
  'Stores the session of a step, or how it has ended. message_id: the text that the step sends, if any.';
grant execute on function private.store_bot_session(uuid, public.bot_sessions, uuid, jsonb, uuid) to service_role;

create function private.forget_question(message_id uuid, may_arrive boolean) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- The opening is in the same text as the first question.
  delete from public.bot_sessions s
  where s.asked_message_id = forget_question.message_id and s.state = 'active' and s.version = 1 and not may_arrive;
  update public.bot_sessions s
  set asked_at = null, expires_at = null, asked_message_id = null, version = s.version + 1,
    remind_at = case when s.remind_at is not null then 'infinity'::timestamptz end
  where s.asked_message_id = forget_question.message_id and s.state = 'active';
end
$$;

comment on function private.forget_question(uuid, boolean) is
  'The text that asks a question has not arrived: the bot asks it again at the recruit''s next text, which is no answer. '
  'Where it was the first text, the bot introduces itself again, unless it may still arrive. The caller has locked the '
  'conversation.';
grant execute on function private.forget_question(uuid, boolean) to service_role;

create function private.escalate(conversation public.recruiting_conversations) returns void
language plpgsql
set search_path = ''
as $$
declare
  lead_agent_id constant uuid := (
    select l.agent_id from public.recruiting_leads l where l.id = conversation.recruiting_lead_id
  );
begin
  update public.recruiting_conversations c
  set status = 'escalated', assigned_agent_id = chosen.id
  from private.choose_agent(conversation.agency_id, conversation.assigned_agent_id, lead_agent_id) chosen (id)
  where c.id = conversation.id and chosen.id is not null;
end
$$;

comment on function private.escalate(public.recruiting_conversations) is
  'Gives a conversation to a person: its assigned agent, else its lead''s, else the agent of the agency who has waited '
  'longest for a recruit, else a manager. It stays with the bot where none of them is active.';
grant execute on function private.escalate(public.recruiting_conversations) to service_role;
