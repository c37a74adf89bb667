-- The bot's turns. A recruit's text makes a turn or extends it; the worker claims it, decides (bot/step.ts), and
-- completes it.
--
-- - none, a text to a conversation that the bot has, or has given to a person: due in 8 s
-- - none, claim_bot_turns() where the session's reminder or end is due: due now, without a text
-- - due, another text: due 8 s after it, within 30 s in all
-- - due, or its lease over, claim_bot_turns(): claimed for 60 s
-- - claimed, complete_bot_turn():
--   - a text has come since: due, as that text says
--   - the session has changed since, or the question has left: due
--   - the bot has a reply, and a reminder waits: the reminder is refused, and then as follows
--   - quiet hours hold the next question: due when they end
--   - our text before it is not sent yet, or nobody knows whether it is: due in 10 s
--   - else: gone; the reply is in the outbox
-- - any, more than 20 texts: gone; a person goes on
-- - any, of a session that is escalated: never a reply; gone, and the answers stored, unless an agent has written since
-- - any, an agent writes, an opt-out, the bot is switched off: gone
--
-- Locks, in this order: the recruit's consent, the conversation, the turn, the session, texts of the outbox.

create function public.claim_bot_turns(max integer) returns jsonb
language plpgsql
set search_path = ''
-- By the indexes, also with a plan that was made while the tables were small (texting/claim.sql).
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  claimed jsonb;
begin
  -- Where only time has passed.
  insert into public.bot_turns (conversation_id, due_at, message_ids)
  select s.conversation_id, now(), '{}'
  from public.bot_sessions s
  where s.state = 'active' and s.wakes_at <= now()
    and not exists (select from public.bot_turns t where t.conversation_id = s.conversation_id)
  order by s.wakes_at
  limit claim_bot_turns.max
  on conflict do nothing;

  with taken as (
    update public.bot_turns t
    set attempt = t.attempt + 1, lease_until = clock_timestamp() + interval '60 seconds'
    where t.conversation_id = any (array(
      select due.conversation_id
      from public.bot_turns due
      where due.due_at <= now() and (due.lease_until is null or due.lease_until <= now())
      order by due.due_at
      limit claim_bot_turns.max
      for update skip locked
    ))
    returning t.conversation_id, t.attempt, t.due_at
  )
  select coalesce(
    jsonb_agg(jsonb_build_object('conversation_id', t.conversation_id, 'attempt', t.attempt) order by t.due_at), '[]')
  into claimed
  from taken t;
  return claimed;
end
$$;

comment on function public.claim_bot_turns(integer) is
  'Gives the worker up to max turns that are due, each for 60 seconds: [{conversation_id, attempt}]. It reads nothing of '
  'them, so that a turn that cannot be read holds up no other: read_bot_turn() does.';
grant execute on function public.claim_bot_turns(integer) to service_role;

create function private.is_turn_due() returns boolean
language sql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
  select coalesce(
    (
      select t.due_at
      from public.bot_turns t
      where t.lease_until is null or t.lease_until <= now()
      order by t.due_at
      limit 1
    ) <= now()
      or (select s.wakes_at from public.bot_sessions s where s.state = 'active' order by s.wakes_at limit 1) <= now(),
    false)
$$;

comment on function private.is_turn_due() is
  'Whether a turn of the bot is due, or a session''s reminder or end. Cheap: by indexes of open rows.';

create function public.read_bot_turn(conversation_id uuid, attempt integer) returns jsonb
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  -- The longest text that the provider takes.
  max_length constant integer := 1600;
begin
  return (
    select jsonb_build_object(
      'now', now(),
      'version', s.version,
      'script_id', b.id,
      'script', b.script,
      'session', case when s.conversation_id is not null then jsonb_build_object(
        'question', s.question, 'tries', s.tries, 'answers', s.answers, 'has_told_about', s.has_told_about,
        'asked_at', s.asked_at, 'remind_at', s.remind_at, 'expires_at', s.expires_at,
        'is_handed_over', s.state = 'escalated'
      ) end,
      'texts', (
        select coalesce(jsonb_agg(
          jsonb_build_object(
            'body', left(coalesce(m.body, ''), max_length),
            'is_automatic', m.id = t.last_message_id and private.is_automatic_reply(m),
            'is_early', coalesce(private.is_early(m, s), true),
            'consent', private.wish_to_end(private.visible_text(coalesce(m.body, '')))
          ) order by i.n
        ), '[]')
        from unnest(t.message_ids) with ordinality i (id, n)
        join public.recruiting_messages m on m.id = i.id
      )
    )
    from public.bot_turns t
    join public.recruiting_conversations c on c.id = t.conversation_id
    left join public.bot_sessions s on s.conversation_id = t.conversation_id
    left join lateral private.newest_bot_script(c.agency_id) newest on s.conversation_id is null
    left join public.bot_scripts b on b.id = coalesce(s.script_id, newest.id)
    where t.conversation_id = read_bot_turn.conversation_id and t.attempt = read_bot_turn.attempt
  );
end
$$;

comment on function public.read_bot_turn(uuid, integer) is
  'A claimed turn: {now, version|null, script_id|null, script|null, session|null: {question, tries, answers, has_told_about, '
  'asked_at, remind_at, expires_at, is_handed_over}, texts: [{body, is_automatic, is_early, consent}]}. Without texts only '
  'time has passed. There are at most 20, of each the first 1,600 characters; only the last one may be automatic. consent: as '
  'wish_to_end() says. is_early: as private.is_early() says, and true while it is not known. Null when the turn has ended or '
  'was claimed again since.';
grant execute on function public.read_bot_turn(uuid, integer) to service_role;

create function public.complete_bot_turn(
  conversation_id uuid,
  attempt integer,
  version integer,
  script_id uuid,
  texts integer,
  step jsonb
) returns text
language plpgsql
set search_path = ''
as $$
declare
  ended constant jsonb := nullif(step -> 'ended', 'null');
  reply constant text := step ->> 'reply';
  is_wrong_number constant boolean := coalesce(step ->> 'heard' = 'wrong_number', false);
  is_silent constant boolean := coalesce(step ->> 'heard' = 'early', false);
  conversation public.recruiting_conversations;
  turn public.bot_turns;
  old public.bot_sessions;
  ban text;
  stop_reason text;
  opens_at timestamptz;
begin
  select c.* into conversation from public.recruiting_conversations c where c.id = complete_bot_turn.conversation_id;
  if is_wrong_number then
    perform private.lock_conversations_of(conversation.agency_id, conversation.recruit_phone);
  else
    perform private.lock_consent(conversation.agency_id, conversation.recruit_phone);
  end if;
  select c.* into conversation
  from public.recruiting_conversations c
  where c.id = complete_bot_turn.conversation_id
  for no key update;
  select t.* into turn from public.bot_turns t where t.conversation_id = conversation.id for update;
  select s.* into old from public.bot_sessions s where s.conversation_id = conversation.id for update;
  if turn.attempt is distinct from complete_bot_turn.attempt then
    return 'dropped';
  elsif old.version is distinct from complete_bot_turn.version
    or (select count(*) from public.recruiting_messages m where m.id = any (turn.message_ids)) <> texts
    or is_silent and exists (
      select from public.recruiting_messages m where m.id = any (turn.message_ids) and not private.is_early(m, old)
    )
  then
    update public.bot_turns t set lease_until = null where t.conversation_id = conversation.id;
    return 'again';
  end if;

  if old.state = 'escalated' then
    if step is null or conversation.recruiting_lead_id is null or not private.may_listen(conversation) then
      delete from public.bot_turns t where t.conversation_id = conversation.id;
      return 'dropped';
    end if;
    perform private.carry_out_step(conversation, turn.last_message_id, old, script_id, step - '{reply,session,ended}'::text[]);
    if step ->> 'heard' = 'distress' then
      perform private.notify_of_texts(conversation.id, array[turn.last_message_id], 'handoff', 'distress');
    elsif is_wrong_number then
      perform private.suppress_wrong_number(conversation, turn);
    end if;
    return 'done';
  end if;

  ban := private.texting_ban(conversation.agency_id, conversation.recruit_phone, conversation.recruiting_lead_id);
  stop_reason := case
    when old.state <> 'active' then old.reason
    when conversation.status <> 'bot' then 'taken_over'
    when conversation.recruiting_lead_id is null then 'no_lead'
    when ban is not null then ban
    when (step is null or old.conversation_id is null)
      and (private.newest_bot_script(conversation.agency_id)).script is null then 'switched_off'
    when step is null then 'failed'
  end;
  if stop_reason is not null then
    perform private.stop_bot(conversation.id, stop_reason);
    return 'dropped';
  end if;

  -- Any other text of the bot that waits is the reminder of that question.
  if ended is null and reply is not null and turn.message_ids <> '{}' and old.asked_message_id is not null then
    perform private.refuse_waiting_texts(conversation.id, 'answered', 'bot', old.asked_message_id);
  end if;

  -- A question waits for its hour and for our text before it, and is then worked out anew. So is a text of which nobody
  -- knows yet whether the question had left. A recruit who asks for a person is heard at once.
  if ended is null then
    opens_at := case when reply is not null then (private.sending_hours(conversation, 'bot')).opens_at else now() end;
    if opens_at <= now() and (
      is_silent and exists (
        select from public.recruiting_messages m where m.id = any (turn.message_ids) and private.is_early(m, old) is null
      )
      or reply is not null and exists (
        select
        from public.text_outbox o
        where o.conversation_id = conversation.id and o.state in ('pending', 'sending') and o.kind <> 'agent'
      )
    ) then
      opens_at := now() + interval '10 seconds';
    end if;
    if opens_at > now() then
      update public.bot_turns t set due_at = opens_at, lease_until = null where t.conversation_id = conversation.id;
      -- Nobody is called meanwhile for what has become due.
      update public.bot_sessions s
      set
        remind_at = case when s.remind_at < opens_at then opens_at else s.remind_at end,
        expires_at = case when s.expires_at < opens_at then opens_at else s.expires_at end
      where s.conversation_id = conversation.id and s.wakes_at < opens_at;
      return 'held';
    end if;
  end if;

  perform private.carry_out_step(conversation, turn.last_message_id, old, script_id, step);
  if is_wrong_number then
    perform private.suppress_wrong_number(conversation, turn);
  end if;
  return 'done';
end
$$;

comment on function public.complete_bot_turn(uuid, integer, integer, uuid, integer, jsonb) is
  'Stores what step() has decided for a claimed turn: the session, the answers, the reply in the outbox, and who is notified. '
  'attempt, version, script_id and the number of texts are those of the claim. step, null where there is none: {reply|null, '
  'session|null, heard?, answered?: [{question, value, said}], ended?: {state, reason, goes_to_person}}. heard: as '
  'recruiting_messages.heard; of `early` an agent is notified. Returns `done`; `again`: a text has come since, the session has '
  'changed, or the question has left; `held`: quiet hours, or our text before it, hold the question; `dropped`: something else '
  'has ended the turn.';
grant execute on function public.complete_bot_turn(uuid, integer, integer, uuid, integer, jsonb) to service_role;

create function private.suppress_wrong_number(conversation public.recruiting_conversations, turn public.bot_turns) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.record_consent(
    conversation.agency_id, conversation.recruit_phone, 'opted_out', 'wording', message_id => turn.last_message_id,
    words => (select string_agg(m.body, e'\n' order by m.created_at) from public.recruiting_messages m where m.id = any (turn.message_ids)),
    reason => 'a wrong number',
    occurred_at => (select m.created_at from public.recruiting_messages m where m.id = turn.last_message_id));
end
$$;

comment on function private.suppress_wrong_number(public.recruiting_conversations, public.bot_turns) is
  'Records an opt-out for a number that is not the recruit''s: its owner has never agreed to texts of the agency. The caller '
  'has locked the conversations of the number.';

create function private.is_early(message public.recruiting_messages, session public.bot_sessions) returns boolean
language plpgsql
stable
set search_path = ''
as $$
declare
  question constant public.text_outbox := (
    select o from public.text_outbox o where o.message_id = session.asked_message_id
  );
begin
  return case
    when session.asked_at is null or message.created_at >= session.heard_since or question.message_id is null then false
    when question.state = 'accepted' then coalesce(message.created_at < question.accepted_at, false)
    when question.state = 'pending' or question.due_at = 'infinity' then true
  end;
end
$$;

comment on function private.is_early(public.recruiting_messages, public.bot_sessions) is
  'Whether a recruit''s text came before the provider had accepted the question that the session asks '
  '(text_outbox.accepted_at), so that it is no answer to it. Null while nobody knows whether the provider has the question; '
  'true where nobody will.';

create function private.is_automatic_reply(message public.recruiting_messages) returns boolean
language plpgsql
stable
set search_path = ''
as $$
declare
  at_once constant interval := '2 seconds';
  -- More than a script sends.
  most_texts constant integer := 50;
begin
  return message.body <> ''
    and exists (
      select
      from public.text_outbox o
      where o.conversation_id = message.conversation_id
        and o.attempted_at between message.created_at - at_once and message.created_at
    )
    and exists (
      select
      from (
        select o.attempted_at
        from public.text_outbox o
        where o.conversation_id = message.conversation_id and o.attempted_at <= message.created_at
        order by o.attempted_at desc
        limit most_texts
      ) sent
      join public.recruiting_messages m
        on m.conversation_id = message.conversation_id
        and m.created_at between sent.attempted_at and least(sent.attempted_at + at_once, message.created_at)
      where m.direction = 'inbound' and m.id <> message.id and lower(btrim(m.body)) = lower(btrim(message.body))
    );
end
$$;

comment on function private.is_automatic_reply(public.recruiting_messages) is
  'Whether a machine seems to have written a recruit''s text: the same words came before, and both within 2 seconds of a text '
  'that we sent, one of the last 50.';
