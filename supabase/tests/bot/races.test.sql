-- Texts, opt-outs, agents, workers and operators that meet in the bot's conversations, over several connections. What they
-- commit is deleted at the end.
begin;
create extension if not exists dblink with schema extensions;
select plan(8);
\ir ../helpers.psql

-- Scripts are never deleted but here.
create function pg_temp.remove_scripts() returns void language sql as $$
  select pg_temp.commit($sql$
    alter table public.bot_scripts disable trigger refuse_change;
    delete from public.recruiting_conversations where agency_id = md5('race')::uuid;
    delete from public.bot_scripts where agency_id = md5('race')::uuid;
    alter table public.bot_scripts enable trigger refuse_change;
  $sql$)
$$;
select pg_temp.remove_scripts(), pg_temp.create_committed('race', 'ann', 'mia');
select pg_temp.commit($sql$
  update public.agents set role = 'manager' where id = md5('mia')::uuid;
  insert into public.service_numbers (phone, agency_id)
  values ('+19995552000', md5('race')::uuid), ('+19995552001', md5('race')::uuid);
  insert into public.recruiting_leads (id, vendor_id, first_name, distribution, agency_id, agent_id, distributed_at)
  values (md5('race')::uuid, md5('race')::uuid, 'Ada', 'distributed', md5('race')::uuid, md5('ann')::uuid, now());
  -- Each recruit writes to both numbers.
  insert into public.recruiting_conversations (id, recruiting_lead_id, agency_id, recruit_phone, service_phone)
  select md5(format('race %s %s', n, m))::uuid, md5('race')::uuid, md5('race')::uuid, '+1999557' || 1000 + n, '+1999555200' || m
  from generate_series(1, 6) n, generate_series(0, 1) m;
  insert into public.bot_scripts (agency_id, version, script) values (md5('race')::uuid, 1, '{
    "opening": "{agency}. STOP ends this.", "questions": [{"id": "a", "ask": "A?", "answer": "text"}], "done": "Bye",
    "handoff_words": ["agent"], "remind_after": "20h"}');
$sql$);

-- A manager records an opt-out while an agent takes the conversation over: both change its turn, its session and its text.
select pg_temp.commit($sql$
  do $do$ begin perform public.receive_sms('+19995571001', '+19995552000', 'race turn', 'hello', '[]'); end $do$;
  insert into public.bot_sessions (conversation_id, script_id, question)
  select md5('race 1 0')::uuid, id, 'a' from public.bot_scripts where agency_id = md5('race')::uuid;
  do $do$ begin perform private.queue_text(md5('race 1 0')::uuid, 'bot', 'A?'); end $do$;
$sql$);
select pg_temp.hold($$select 1 from public.bot_sessions where conversation_id = md5('race 1 0')::uuid for update$$);
select extensions.dblink_connect(name, pg_temp.dsn()) from unnest(array['agent', 'manager']) name;
select from extensions.dblink('agent', $$select set_config('request.jwt.claims', '{"sub": "' || md5('user mia')::uuid || '"}', false)$$) as s (ignored text);
select pg_temp.send_and_wait('agent', $$select public.send_text(md5('race 1 0')::uuid, 'Hi', gen_random_uuid())::text$$);
select pg_temp.send_and_wait('manager', $$select private.record_consent(md5('race')::uuid, '+19995571001', 'opted_out', 'manager',
  agent_id => md5('mia')::uuid, reason => 'race')::text$$);
select pg_temp.let_go();
select lives_ok(
  $$select from unnest(array['agent', 'manager']) name, extensions.dblink_get_result(name) as result (result text)$$,
  'an opt-out and an agent''s text do not wait for each other');
select extensions.dblink_disconnect(name) from unnest(array['agent', 'manager']) name;

-- One connection each: texts, opt-outs by text, opt-outs by a manager, an agent who writes and hands back, two workers, and
-- the operator who switches the bot off and on. A circle of locks would end one of them by an error.
select lives_ok($query$
  select from pg_temp.race(8, $work$
  do $do$
  declare
    n integer;
    recruit text;
    conversation uuid;
    turn jsonb;
    script jsonb;
  begin
    for i in 1..20 loop
      n := 1 + (i * 7 + {worker}) % 6;
      recruit := '+1999557' || 1000 + n;
      conversation := md5(format('race %s %s', n, i % 2))::uuid;
      if {worker} <= 2 then
        perform public.receive_sms(recruit, '+1999555200' || i % 2, format('race text {worker} %s', i), 'hello', '[]');
      elsif {worker} = 3 then
        perform public.receive_sms(recruit, '+1999555200' || i % 2, format('race stop %s', i),
          case when i % 3 = 0 then 'STOP' else 'START' end, '[]');
      elsif {worker} = 4 then
        perform private.record_consent(md5('race')::uuid, recruit, case when i % 2 = 0 then 'opted_out' else 'opted_in' end,
          'manager', agent_id => md5('mia')::uuid, reason => 'race');
      elsif {worker} = 5 then
        perform set_config('request.jwt.claims', json_build_object('sub', md5('user mia')::uuid, 'role', 'authenticated')::text, true);
        begin
          perform public.send_text(conversation, 'Hi', gen_random_uuid());
        exception when sqlstate 'PT403' then null;
        end;
        perform public.hand_back_to_bot(conversation);
      elsif {worker} <= 7 then
        update public.bot_turns t set due_at = now(), lease_until = null
        where t.conversation_id in (
          select waiting.conversation_id from public.bot_turns waiting order by waiting.conversation_id for update skip locked);
        commit;
        for turn in select t from jsonb_array_elements(public.claim_bot_turns(5)) t loop
          commit;
          turn := turn || coalesce(public.read_bot_turn((turn ->> 'conversation_id')::uuid, (turn -> 'attempt')::integer), '{}');
          continue when turn -> 'texts' is null;
          perform public.complete_bot_turn((turn ->> 'conversation_id')::uuid, (turn -> 'attempt')::integer,
            (turn ->> 'version')::integer, (turn ->> 'script_id')::uuid, jsonb_array_length(turn -> 'texts'),
            case when turn -> 'script' <> 'null' then jsonb_build_object('reply', 'A?', 'session', jsonb_build_object(
              'question', 'a', 'tries', 0, 'answers', '{}'::jsonb, 'asked_at', now(), 'remind_at', now(), 'expires_at', now() + interval '3 days')) end);
          commit;
        end loop;
        perform public.claim_texts(3);
      elsif i % 10 = 0 then
        perform private.end_bot(md5('race')::uuid);
        commit;
        select b.script into script from public.bot_scripts b
        where b.agency_id = md5('race')::uuid and b.version = 1;
        perform private.store_bot_script(md5('race')::uuid, script);
      end if;
      commit;
    end loop;
  end
  $do$
  $work$)
$query$, 'nobody waits in a circle');

create view pg_temp.talks as
select c.id, c.status, s.state, t.conversation_id is not null as has_turn
from public.recruiting_conversations c
left join public.bot_sessions s on s.conversation_id = c.id
left join public.bot_turns t on t.conversation_id = c.id
where c.agency_id = md5('race')::uuid;
select is_empty('select from pg_temp.talks where has_turn and state <> ''active''', 'no turn is left of a session that has ended');
select is_empty('select from pg_temp.talks where status = ''escalated'' and state = ''active''', 'no session goes on beside a person');
select is_empty($$
  select from public.text_outbox o
  join public.recruiting_conversations c on c.id = o.conversation_id
  join public.text_consents t on t.agency_id = c.agency_id and t.phone = c.recruit_phone and t.state = 'opted_out'
  where c.agency_id = md5('race')::uuid and o.state = 'pending' and o.kind = 'bot'$$, 'no text waits for a recruit who has opted out');

-- Each recruit's text, while nobody opts out or writes: answered in a turn, or a person is notified.
select pg_temp.commit($sql$
  delete from public.bot_sessions s using public.recruiting_conversations c
  where c.id = s.conversation_id and c.agency_id = md5('race')::uuid;
  delete from public.bot_turns s using public.recruiting_conversations c
  where c.id = s.conversation_id and c.agency_id = md5('race')::uuid;
  delete from public.text_outbox s using public.recruiting_conversations c
  where c.id = s.conversation_id and c.agency_id = md5('race')::uuid;
  delete from public.text_consents where agency_id = md5('race')::uuid;
  update public.recruiting_conversations set status = 'bot' where agency_id = md5('race')::uuid;
$sql$);
select lives_ok($query$
  select from pg_temp.race(6, $work$
  do $do$
  declare
    turn jsonb;
    ids uuid[];
  begin
    for i in 1..24 loop
      if {worker} <= 3 then
        -- Of more than 20 in a turn a person is notified once.
        continue when i > 12;
        perform public.receive_sms('+1999557' || 1001 + i % 6, '+1999555200' || i % 2, format('race lost {worker} %s', i), 'hello', '[]');
      else
        update public.bot_turns t set due_at = now(), lease_until = null
        where t.conversation_id in (
          select waiting.conversation_id from public.bot_turns waiting order by waiting.conversation_id for update skip locked);
        commit;
        for turn in select t from jsonb_array_elements(public.claim_bot_turns(5)) t loop
          turn := turn || coalesce(public.read_bot_turn((turn ->> 'conversation_id')::uuid, (turn -> 'attempt')::integer), '{}');
          continue when turn -> 'texts' is null;
          select message_ids into ids from public.bot_turns where conversation_id = (turn ->> 'conversation_id')::uuid;
          commit;
          if public.complete_bot_turn((turn ->> 'conversation_id')::uuid, (turn -> 'attempt')::integer,
            (turn ->> 'version')::integer, (turn ->> 'script_id')::uuid, jsonb_array_length(turn -> 'texts'),
            jsonb_build_object('reply', null, 'session', jsonb_build_object(
              'question', 'a', 'tries', 0, 'answers', '{}'::jsonb, 'asked_at', now()))) = 'done'
          then
            -- Twice for one text would be an error.
            insert into public.agent_notifications (agent_id, conversation_id, message_id, kind)
            select md5('ann')::uuid, (turn ->> 'conversation_id')::uuid, unnest(ids[:jsonb_array_length(turn -> 'texts')]), 'handoff';
          end if;
          commit;
        end loop;
      end if;
      commit;
    end loop;
  end
  $do$
  $work$)
$query$, 'three workers answer what recruits write');
create view pg_temp.heard as
select m.id, (select count(*) from public.agent_notifications a where a.message_id = m.id)
  + (select count(*) from public.bot_turns t where m.id = any (t.message_ids)) as times
from public.recruiting_messages m where m.provider_message_id like 'race lost %';
select is((select count(*)::integer from pg_temp.heard), 36, 'every text is stored');
select is_empty('select from pg_temp.heard where times <> 1', 'and is in one turn');

select pg_temp.remove_scripts(), pg_temp.remove_committed('race');
select * from finish();
rollback;
