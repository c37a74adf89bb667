-- The session of a conversation: how it goes on in its script, and ends. The locks are in the order of turns.sql.

create function private.end_bot_session(conversation_id uuid, reason text) returns void
language plpgsql
set search_path = ''
as $$
declare
  unanswered uuid;
begin
  delete from public.bot_turns t
  where t.conversation_id = end_bot_session.conversation_id
  returning t.last_message_id into unanswered;
  if unanswered is not null and reason <> 'taken_over' then
    perform private.notify_of_texts(conversation_id, array[unanswered], 'text');
  end if;
  update public.bot_sessions s
  set state = 'stopped', reason = end_bot_session.reason, version = s.version + 1
  where s.conversation_id = end_bot_session.conversation_id and s.state = 'active';
end
$$;

comment on function private.end_bot_session(uuid, text) is
  'The bot answers nothing more in a conversation: its turn is gone, and its session stopped. reason: as in bot_sessions. An '
  'agent is notified of the text that the turn would have answered, unless an agent writes (taken_over). The caller has locked '
  'the conversation.';

create function private.stop_bot(conversation_id uuid, reason text) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.end_bot_session(conversation_id, reason);
  perform private.refuse_waiting_texts(conversation_id, reason, 'bot');
end
$$;

comment on function private.stop_bot(uuid, text) is
  'Does end_bot_session(), and refuses the bot''s texts that wait, so that the recruit may wait again.';

create function private.end_session_of_taken_over() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.end_bot_session(new.id, 'taken_over');
  return null;
end
$$;

comment on function private.end_session_of_taken_over() is
  'Trigger: a person has the conversation now. Where the bot itself has given it away, its session has ended before.';

create trigger end_bot_session
  after update of status on public.recruiting_conversations
  for each row when (old.status = 'bot' and new.status <> 'bot')
  execute function private.end_session_of_taken_over();

create function private.end_sessions_of_opted_out() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_conversations_of(new.agency_id, new.phone);
  perform private.end_bot_session(c.id, 'opted_out')
  from public.recruiting_conversations c
  where c.agency_id = new.agency_id and c.recruit_phone = new.phone
  order by c.id;
  return null;
end
$$;

comment on function private.end_sessions_of_opted_out() is
  'Trigger: the bot answers nothing more in the conversations of a recruit who has opted out.';

create trigger end_bot_sessions
  after insert or update on public.text_consents
  for each row when (new.state = 'opted_out')
  execute function private.end_sessions_of_opted_out();

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
  answers constant jsonb := coalesce(nullif(step -> 'answered', 'null'), '[]');
  lead constant public.recruiting_leads := (
    select l from public.recruiting_leads l where l.id = conversation.recruiting_lead_id
  );
  sent public.text_outbox;
  heard_ids uuid[];
begin
  delete from public.bot_turns t where t.conversation_id = conversation.id returning t.message_ids into heard_ids;
  update public.recruiting_messages m
  set heard = case when step ->> 'heard' in ('answer', 'no_answer') and private.is_early(m, old) then 'early' else step ->> 'heard' end
  where m.id = any (heard_ids) and step ->> 'heard' is not null;
  if step ->> 'heard' = 'early' then
    perform private.notify_of_texts(conversation.id, array[message_id], 'text');
  end if;
  insert into public.screening_answers as a (lead_id, question, value, said)
  select lead.id, answered.question, answered.value, answered.said
  from jsonb_to_recordset(answers) as answered (question text, value jsonb, said text)
  on conflict on constraint screening_answers_pkey do update
  set value = excluded.value, said = excluded.said, answered_at = now();
  -- The first answer. A stage that is there was set by a person, or by an answer before.
  insert into public.recruit_stages (recruiting_lead_id, agency_id, stage)
  select lead.id, lead.agency_id, 'contacted'
  where answers <> '[]' and lead.agency_id is not null
  on conflict do nothing;

  if ended is not null then
    -- Before a person has the conversation, which ends what is still active.
    perform private.store_bot_session(conversation.id, old, script_id, step, null);
    -- Neither a question nor the greeting is sent after the end.
    perform private.refuse_waiting_texts(conversation.id, 'script_ended', k.kind) from unnest(array['greeting', 'bot']) k (kind);
    if (ended ->> 'goes_to_person')::boolean then
      perform private.escalate(conversation);
    end if;
    perform private.notify_of_texts(conversation.id, array[message_id], 'handoff', ended ->> 'reason');
  end if;
  if reply is not null then
    -- The agent who has it by now, and since when the recruit waits without what was refused.
    select c.assigned_agent_id, c.waiting_since
    into conversation.assigned_agent_id, conversation.waiting_since
    from public.recruiting_conversations c
    where c.id = conversation.id;
    sent := private.queue_text(
      conversation.id, 'bot', private.fill_template(reply, lead, conversation.assigned_agent_id));
    if (ended ->> 'goes_to_person')::boolean then
      -- "Ann will text you soon" does not answer the recruit, who waits for Ann.
      update public.text_outbox o set hands_over = true where o.message_id = sent.message_id;
      update public.recruiting_conversations c set waiting_since = conversation.waiting_since where c.id = conversation.id;
    end if;
  end if;
  if ended is null then
    perform private.store_bot_session(conversation.id, old, script_id, step, sent.message_id);
  end if;
end
$$;

comment on function private.carry_out_step(public.recruiting_conversations, uuid, public.bot_sessions, uuid, jsonb) is
  'Does what a step says (see complete_bot_turn()), and ends the turn: the session, the answers, the reply in the outbox, and '
  'who is notified. A step that ends the script refuses the texts of the bot that wait, and the greeting. message_id: the last '
  'text that the step answers; null: only time has passed. old: the session before it. The caller has locked all of them.';

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
  -- The last answers come with no session.
  answered constant jsonb := (
    select coalesce(jsonb_object_agg(a.question, a.value), '{}')
    from jsonb_to_recordset(coalesce(nullif(step -> 'answered', 'null'), '[]')) as a (question text, value jsonb)
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
      reason = coalesce(step #>> '{ended,reason}', s.reason),
      version = s.version + 1,
      asked_at = coalesce(next.asked_at, s.asked_at),
      remind_at = case when next is null then s.remind_at else next.remind_at end,
      expires_at = coalesce(next.expires_at, s.expires_at),
      heard_since = case
        when next.asked_at <> coalesce(s.asked_at, '-infinity') then (
          select least(s.heard_since, o.accepted_at)
          from public.text_outbox o
          where o.message_id = s.asked_message_id and s.asked_at is not null and s.question = next.question
        )
        else s.heard_since
      end,
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
  'Stores the session of a step, or how it has ended. message_id: the text that asks the next question, if any.';

create function private.forget_question() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  asking_id constant uuid := to_jsonb(new) ->> tg_argv[0];
  may_arrive constant boolean := tg_table_name = 'text_outbox';
begin
  -- The opening is in the same text as the first question.
  delete from public.bot_sessions s
  where s.asked_message_id = asking_id and s.state = 'active' and s.version = 1 and not may_arrive;
  update public.bot_sessions s
  set asked_at = null, expires_at = null, asked_message_id = null, version = s.version + 1,
    remind_at = case when s.remind_at is not null then 'infinity'::timestamptz end
  where s.asked_message_id = asking_id and s.state = 'active';
  return null;
end
$$;

comment on function private.forget_question() is
  'Trigger: one of our texts has failed, or has waited for a day. If it asks a question, the bot asks it again at the '
  'recruit''s next text, which is not an answer. If it was the first text, the bot introduces itself again, unless the text '
  'may still arrive. The argument is the column with the id of the text.';

create trigger forget_failed_question
  after update of status on public.recruiting_messages
  for each row when (new.status = 'failed' and old.status is distinct from 'failed' and new.direction = 'outbound')
  execute function private.forget_question('id');

create trigger forget_late_question
  after update of late_at on public.text_outbox
  for each row when (old.late_at is null and new.late_at is not null)
  execute function private.forget_question('message_id');
