-- The bot's turns: what ends them, and what may come between their claim and their end.
begin;
select plan(87);
\ir ../helpers.psql

select pg_temp.create_people();
select pg_temp.create_vendor('vendor');
insert into public.service_numbers (phone, agency_id) values ('+19995550100', md5('agency')::uuid);
delete from public.texting_hours;
insert into public.texting_hours (opens, closes, source) values ('00:00', '24:00', 'test');

create function pg_temp.publish() returns jsonb language sql as $$
  select private.store_bot_script(md5('agency')::uuid, '{
    "opening": "{agency}. STOP ends this.", "questions": [{"id": "licensed", "ask": "Licensed?", "answer": "yes_no"}],
    "done": "Bye", "handoff_words": ["agent"], "remind_after": "20h"}')
$$;
-- A conversation of its own lead, whose agent is ann.
create function pg_temp.begin_talk(name text, agent text default 'ann') returns void language plpgsql as $$
begin
  insert into public.recruiting_leads (id, vendor_id, first_name, distribution, agency_id, agent_id, distributed_at)
  values (md5(name)::uuid, md5('vendor')::uuid, 'Ada', 'distributed', md5('agency')::uuid, md5(agent)::uuid, now());
  perform pg_temp.create_conversation(
    name, '+1999' || lpad((hashtext(name) & 8388607)::text, 7, '0'), '+19995550100', lead => name);
end
$$;
create function pg_temp.write(name text, body text, received_at timestamptz default null) returns void language sql as $$
  select public.receive_sms(
    c.recruit_phone, c.service_phone, gen_random_uuid()::text, body, '[]', received_at => write.received_at)
  from public.recruiting_conversations c where c.id = md5(name)::uuid
$$;
create function pg_temp.write_to(id uuid, body text) returns void language sql as $$
  select public.receive_sms(c.recruit_phone, c.service_phone, gen_random_uuid()::text, body, '[]')
  from public.recruiting_conversations c where c.id = write_to.id
$$;
-- All that is claimed, with what has become due by the passing of time.
create function pg_temp.claim() returns jsonb language plpgsql as $$
declare
  claims jsonb;
begin
  update public.bot_turns set due_at = now(), lease_until = null;
  claims := public.claim_bot_turns(100);
  return (
    select coalesce(jsonb_agg(t || public.read_bot_turn((t ->> 'conversation_id')::uuid, (t -> 'attempt')::integer)), '[]')
    from jsonb_array_elements(claims) t
  );
end
$$;
create function pg_temp.claim(name text) returns jsonb language sql as $$
  select t from jsonb_array_elements(pg_temp.claim()) t where t ->> 'conversation_id' = md5(name)::uuid::text
$$;
create function pg_temp.complete(turn jsonb, step jsonb) returns text language sql as $$
  select public.complete_bot_turn((turn ->> 'conversation_id')::uuid, (turn -> 'attempt')::integer,
    (turn ->> 'version')::integer, (turn ->> 'script_id')::uuid, jsonb_array_length(turn -> 'texts'), step)
$$;
-- The results of step() for the first text, of a text that is not an answer, of a question back, and of a reminder.
create function pg_temp.step(reply text default 'Licensed?') returns jsonb language sql as $$
  select jsonb_build_object('reply', reply, 'session', jsonb_build_object(
    'question', 'licensed', 'tries', 0, 'answers', '{}'::jsonb, 'asked_at', now(), 'remind_at', now() + interval '20 hours',
    'expires_at', now() + interval '3 days'))
$$;
create function pg_temp.ask(name text) returns text language plpgsql as $$
begin
  perform pg_temp.write(name, 'Hello');
  return pg_temp.complete(pg_temp.claim(name), pg_temp.step());
end
$$;
create function pg_temp.send_all() returns void language sql as $$
  update public.text_outbox set state = 'accepted' where state = 'pending'
$$;
create function pg_temp.session(name text) returns text language sql as $$
  select concat_ws(' ', c.status, s.state, s.reason)
  from public.recruiting_conversations c left join public.bot_sessions s on s.conversation_id = c.id where c.id = md5(name)::uuid
$$;
create function pg_temp.notified(name text) returns text[] language sql as $$
  select coalesce(array_agg(concat_ws(' ', a.first_name, n.kind, n.reason) order by n.created_at, a.first_name), '{}')
  from public.agent_notifications n join public.agents a on a.id = n.agent_id where n.conversation_id = md5(name)::uuid
$$;
create function pg_temp.has_turn(name text) returns boolean language sql as $$
  select exists (select from public.bot_turns where conversation_id = md5(name)::uuid)
$$;

-- Conversations without a turn
select pg_temp.publish();
select pg_temp.begin_talk('old');
select pg_temp.write('old', 'Hi', now() - interval '61 minutes');
select is(pg_temp.notified('old'), '{ann text}', 'a text that was fetched an hour later is for a person');
select pg_temp.write('old', 'Hi', now() - interval '59 minutes');
select ok(pg_temp.has_turn('old'), 'one that is younger is for the bot');
select pg_temp.begin_talk('ours');
insert into public.service_numbers (phone, agency_id)
select recruit_phone, md5('elsewhere')::uuid from public.recruiting_conversations where id = md5('ours')::uuid;
select pg_temp.write('ours', 'Hi');
select is((pg_temp.has_turn('ours'), pg_temp.notified('ours')), (false, '{ann text}'::text[]), 'the bot does not answer one of our numbers');

-- Claims
select pg_temp.begin_talk('picture');
select pg_temp.write('picture', null);
select is(pg_temp.claim('picture') -> 'texts', '[{"body": "", "consent": null, "is_early": false, "is_automatic": false}]', 'a picture alone is a text without words');

-- Events between the claim and the end
create temporary table claimed (name text primary key, turn jsonb);
create function pg_temp.begin_claim(name text) returns void language plpgsql as $$
begin
  perform pg_temp.begin_talk(name);
  perform pg_temp.write(name, 'Hello');
  insert into claimed values (name, pg_temp.claim(name));
end
$$;
create function pg_temp.end_claim(name text, step jsonb default pg_temp.step()) returns text language sql as $$
  select pg_temp.complete(c.turn, end_claim.step) from claimed c where c.name = end_claim.name
$$;

select pg_temp.begin_claim('off');
select private.end_bot(md5('agency')::uuid);
select is(pg_temp.end_claim('off'), 'dropped', 'the bot is switched off in a turn');
select is(pg_temp.notified('off'), '{ann text}', 'and the agent is notified of its text');
select pg_temp.publish();
select pg_temp.begin_claim('unseen off');
insert into public.bot_scripts (agency_id, version) values (md5('agency')::uuid, 9);
select is(pg_temp.end_claim('unseen off'), 'dropped', 'no session begins once the bot is off');
select is(pg_temp.notified('unseen off'), '{ann text}', 'and the agent is notified of its text, too');
select pg_temp.publish();

select pg_temp.begin_claim('no lead');
delete from public.recruiting_leads where id = md5('no lead')::uuid;
select is(pg_temp.end_claim('no lead'), 'dropped', 'the lead is deleted in a turn');
select is(pg_temp.notified('no lead'), '{mia text}', 'and a manager is notified of its text');

select pg_temp.begin_claim('erased');
delete from public.recruiting_conversations where id = md5('erased')::uuid;
select is(pg_temp.end_claim('erased'), 'dropped', 'the conversation is erased in a turn');

select pg_temp.begin_talk('handed back');
select pg_temp.ask('handed back');
select pg_temp.send_all();
select pg_temp.write('handed back', 'well');
insert into claimed values ('handed back', pg_temp.claim('handed back'));
update public.bot_sessions set version = version + 1 where conversation_id = md5('handed back')::uuid;
select is(pg_temp.end_claim('handed back'), 'again', 'a session that has changed in a turn: the turn begins again');

select pg_temp.begin_talk('waiting');
select pg_temp.ask('waiting');
select pg_temp.write('waiting', 'yes');
select is(pg_temp.complete(pg_temp.claim('waiting'), pg_temp.step()), 'held', 'a question waits until the one before it is sent');
select pg_temp.send_all();
select is(pg_temp.complete(pg_temp.claim('waiting'), pg_temp.step()), 'done', 'and then follows');

-- Ends while only time has passed
select pg_temp.begin_talk('deleted');
select pg_temp.ask('deleted');
select pg_temp.send_all();
delete from public.recruiting_leads where id = md5('deleted')::uuid;
update public.bot_sessions set expires_at = now() where conversation_id = md5('deleted')::uuid;
select is(pg_temp.complete(pg_temp.claim('deleted'), '{"reply": null, "session": null}'), 'dropped', 'a session without a lead ends');
select is(pg_temp.session('deleted') || pg_temp.notified('deleted')::text, 'bot stopped no_lead{}', 'once, and nobody is notified of a missing text');
select pg_temp.begin_talk('escalated');
select pg_temp.ask('escalated');
select pg_temp.send_all();
update public.recruiting_conversations set status = 'escalated', assigned_agent_id = md5('cal')::uuid where id = md5('escalated')::uuid;
update public.bot_sessions set expires_at = now() where conversation_id = md5('escalated')::uuid;
select pg_temp.complete(pg_temp.claim('escalated'), '{"reply": null, "session": null}');
select is(pg_temp.session('escalated'), 'escalated stopped taken_over', 'and one that an operator has escalated');


select pg_temp.begin_talk('failing'), pg_temp.ask('failing'), pg_temp.send_all(), pg_temp.write('failing', 'yes');
select pg_temp.complete(pg_temp.claim('failing'), null);
select is(
  pg_temp.session('failing') || pg_temp.notified('failing')::text, 'bot stopped failed{"ann text"}',
  'a script that the worker cannot follow is left to a person');

-- Quiet hours
select private.end_bot(md5('agency')::uuid), pg_temp.publish(), pg_temp.send_all();
select pg_temp.begin_talk('night ' || n), pg_temp.ask('night ' || n) from generate_series(1, 3) n;
select pg_temp.send_all();
update public.bot_sessions set remind_at = now() where state = 'active';
update public.texting_hours set closes = '00:00';
select is(array_agg(distinct pg_temp.complete(t, pg_temp.step())), '{held}', 'quiet hours hold reminders')
from jsonb_array_elements(pg_temp.claim()) t;
select is(private.is_work_due(), false, 'and the worker is not called for them all night');
select pg_temp.begin_talk('late', null), pg_temp.write('late', 'Hi');
select is(pg_temp.complete(pg_temp.claim('late'), pg_temp.step()), 'held', 'a late text waits for its hour');
update public.texting_hours set closes = '24:00';
select is(pg_temp.complete(pg_temp.claim('night 1'), pg_temp.step()), 'done', 'until they end');

-- An agent writes before the bot's text is sent
update public.text_outbox set state = 'pending' where conversation_id = md5('night 1')::uuid;
select private.stop_bot(md5('night 1')::uuid, 'taken_over');
select results_eq(
  $$select distinct o.state, o.reason, m.status from public.text_outbox o join public.recruiting_messages m on m.id = o.message_id
    where o.conversation_id = md5('night 1')::uuid$$,
  $$values ('refused', 'taken_over', 'failed')$$, 'it is refused, and its message has failed');
select throws_ok(
  $$select private.retry_text(message_id) from public.text_outbox where conversation_id = md5('night 1')::uuid limit 1$$,
  'PT409', 'message_id: this text was refused (taken_over)', 'and is not sent by an operator');

-- Nobody can take it over
create function pg_temp.ended(reason text) returns jsonb language sql as $$
  select jsonb_build_object('reply', null, 'session', null,
    'ended', jsonb_build_object('state', 'escalated', 'reason', reason, 'goes_to_person', true))
$$;
select pg_temp.begin_claim('nobody');
update public.agents set is_active = false where agency_id = md5('agency')::uuid;
select is(pg_temp.end_claim('nobody', pg_temp.ended('asked')), 'done', 'a person is asked for, and nobody is active');
select is(pg_temp.session('nobody') || pg_temp.notified('nobody')::text, 'bot escalated asked{}', 'the bot says nothing more');
update public.agents set is_active = first_name <> 'former' where agency_id = md5('agency')::uuid;
select pg_temp.write('nobody', 'Anybody?');
select is(pg_temp.notified('nobody'), '{ann text}', 'the agent who is active by then is notified of the next text');

-- What waits when the bot's part ends
create function pg_temp.outbox(name text) returns text language sql as $$
  select string_agg(concat_ws(' ', m.body, o.state, o.reason), ', ' order by o.ordinal)
  from public.text_outbox o join public.recruiting_messages m on m.id = o.message_id where o.conversation_id = md5(name)::uuid
$$;
create function pg_temp.end_held(name text, step jsonb) returns text language plpgsql as $$
begin
  perform pg_temp.begin_talk(name), pg_temp.ask(name);
  perform private.queue_text(md5(name)::uuid, 'greeting', 'Welcome'), private.queue_text(md5(name)::uuid, 'agent', 'Ann here');
  perform pg_temp.write(name, 'my husband passed away');
  perform pg_temp.complete(pg_temp.claim(name), step);
  return pg_temp.outbox(name);
end
$$;
select is(
  pg_temp.end_held('mourns', pg_temp.ended('bereavement')),
  'Licensed? refused script_ended, Welcome refused script_ended, Ann here pending',
  'neither a question that waits nor the greeting is sent once a person has the conversation');
select is(
  pg_temp.end_held('asks early', pg_temp.ended('asked') || '{"reply": "Ann will text you soon."}'),
  'Licensed? refused script_ended, Welcome refused script_ended, Ann here pending, Ann will text you soon. pending', 'its last text is');
select is(
  pg_temp.end_held('no job', '{"reply": "Bye", "session": null, "ended": {"state": "done", "reason": "not_interested", "goes_to_person": false}}'),
  'Licensed? refused script_ended, Welcome refused script_ended, Ann here pending, Bye pending', 'nor where the recruit does not want the job');
select pg_temp.begin_talk('waits longer'), pg_temp.ask('waits longer');
update public.recruiting_messages set created_at = now() - interval '1 hour' where conversation_id = md5('waits longer')::uuid;
select pg_temp.write('waits longer', 'agent');
select pg_temp.complete(pg_temp.claim('waits longer'), pg_temp.ended('asked') || '{"reply": "Ann will text you soon."}');
select is(
  c.waiting_since, now() - interval '1 hour', 'the recruit waits since the text that the question would have answered')
from public.recruiting_conversations c where c.id = md5('waits longer')::uuid;
select is(
  (select array_agg(s.is_failed) from private.conversation_states s where s.id = md5('mourns')::uuid), '{false}',
  'and no text counts as failed');

-- A reminder that waits when the recruit writes
select pg_temp.begin_talk('reminded'), pg_temp.ask('reminded'), pg_temp.send_all();
select private.queue_text(md5('reminded')::uuid, 'bot', 'Still there?'), pg_temp.write('reminded', 'HELP');
select pg_temp.complete(pg_temp.claim('reminded'), '{"reply": null, "session": null}');
select is(pg_temp.outbox('reminded'), 'Licensed? accepted, Still there? pending', 'is sent where the bot has nothing to say to that');
select pg_temp.write('reminded', 'yes');
select is(pg_temp.complete(pg_temp.claim('reminded'), pg_temp.step('Where?')), 'done', 'else the next question does not wait for it');
select is(
  pg_temp.outbox('reminded'), 'Licensed? accepted, Still there? refused answered, Where? pending', 'and it is not sent any more');

-- Handing back
create function pg_temp.hand_back(name text) returns text language plpgsql as $$
begin
  update public.recruiting_conversations set assigned_agent_id = md5('ann')::uuid where id = md5(name)::uuid;
  perform pg_temp.become('ann');
  perform public.hand_back_to_bot(md5(name)::uuid);
  reset role;
  return pg_temp.session(name);
end
$$;
delete from public.bot_turns where conversation_id = md5('night 2')::uuid;
update public.bot_sessions set state = 'done', reason = 'done' where conversation_id = md5('night 2')::uuid;
select is(pg_temp.hand_back('night 2'), 'bot done done', 'a script that has come to its end does not begin again');
update public.bot_sessions set state = 'expired', reason = 'expired' where conversation_id = md5('night 2')::uuid;
select is(pg_temp.hand_back('night 2'), 'bot expired expired', 'nor one that has expired');
select pg_temp.write('night 2', 'Hi');
select is((pg_temp.has_turn('night 2'), pg_temp.notified('night 2')), (false, '{ann text}'::text[]), 'the agent is notified of the next text');
select is(pg_temp.hand_back('night 1'), 'bot active', 'one that was stopped goes on');
select is(pg_temp.session('nobody'), 'bot escalated asked', 'a recruit asked for a person in the first text');
select is(pg_temp.hand_back('nobody'), 'bot', 'handed back, the bot has not introduced itself and begins');
select private.stop_bot(md5('night 1')::uuid, 'taken_over'), private.end_bot(md5('agency')::uuid);
select is(pg_temp.hand_back('night 1'), 'bot stopped taken_over', 'none goes on while the bot is off');

-- The texts of a turn, in order
select pg_temp.publish(), pg_temp.begin_talk('several');
select pg_temp.write('several', body) from unnest(array['one', 'two', 'three']) body;
select is(
  array(select t ->> 'body' from jsonb_array_elements(pg_temp.claim('several') -> 'texts') t), '{one,two,three}', 'oldest first');
select is_empty($$select from public.bot_turns where message_ids = '{}'$$, 'nothing else is left');

-- After the bot has given a conversation to a person
create function pg_temp.hand_over(name text) returns void language plpgsql as $$
begin
  perform pg_temp.ask(name), pg_temp.send_all();
  perform pg_temp.write(name, 'asdf');
  perform pg_temp.complete(pg_temp.claim(name), pg_temp.ended('not_understood'));
end
$$;
create function pg_temp.listen(name text) returns text language sql as $$
  select pg_temp.complete(pg_temp.claim(name), '{"reply": null, "session": null, "heard": "answer",
    "answered": [{"question": "licensed", "value": "yes", "said": "I am licensed"}]}')
$$;
create function pg_temp.answers(name text) returns text language sql as $$
  select concat_ws(' ', s.answers, (select a.value::text || ' ' || a.said from public.screening_answers a where a.lead_id = md5(name)::uuid))
  from public.bot_sessions s where s.conversation_id = md5(name)::uuid
$$;
create function pg_temp.texts(name text) returns bigint language sql as $$
  select count(*) from public.text_outbox o where o.conversation_id = md5(name)::uuid
$$;
create function pg_temp.waits(name text) returns boolean language sql as $$
  select waiting_since is not null from public.recruiting_conversations where id = md5(name)::uuid
$$;
select pg_temp.begin_talk('asks'), pg_temp.ask('asks'), pg_temp.send_all();
select ok(not pg_temp.waits('asks'), 'a question of the bot answers the recruit');
update public.recruiting_messages set created_at = now() - interval '1 hour' where conversation_id = md5('asks')::uuid;
select pg_temp.write('asks', 'agent', now() - interval '1 minute');
select pg_temp.complete(pg_temp.claim('asks'), pg_temp.ended('asked') || '{"reply": "Ann will text you soon."}');
select is(
  (pg_temp.texts('asks'), pg_temp.waits('asks')), (2::bigint, true), 'its last text before it hands the conversation over does not');
select private.queue_text(md5('asks')::uuid, 'agent', 'Ann here.', sent_by => md5('ann')::uuid);
select ok(not pg_temp.waits('asks'), 'the person does');
select private.refuse_waiting_texts(md5('asks')::uuid, 'cancelled', 'agent');
select ok(pg_temp.waits('asks'), 'unless that text is not sent after all: then the recruit waits again');
select pg_temp.begin_talk('given'), pg_temp.hand_over('given');
select pg_temp.write('given', 'I am licensed');
select is(
  array(select n from unnest(pg_temp.notified('given')) n order by n), '{"ann handoff not_understood","ann text"}',
  'the person is notified of each text');
select is(pg_temp.claim('given') -> 'session' -> 'is_handed_over', 'true', 'the bot listens');
select is(pg_temp.listen('given'), 'done', 'and fills in what is answered');
select is(pg_temp.answers('given'), '{"licensed": "yes"} "yes" I am licensed', 'with the words');
select is(pg_temp.session('given'), 'escalated escalated not_understood', 'the person keeps the conversation');
select is(pg_temp.texts('given'), 1::bigint, 'and nothing is sent');
select throws_ok(
  format('update public.bot_sessions set state = ''escalated'', reason = %L where conversation_id = md5(''given'')::uuid', reason),
  '23514', null, format('a hand-over for %s is refused', coalesce(reason, 'nothing')))
from unnest(array['taken_over', 'asked ', null]) reason;
select is(
  (select array_agg(m.heard order by m.heard) from public.recruiting_messages m where m.conversation_id = md5('given')::uuid and m.body <> 'Licensed?'),
  '{answer,NULL,NULL}', 'the text says how it was read');
select pg_temp.write('given', 'Also');
select is(
  pg_temp.complete(pg_temp.claim('given'), pg_temp.step() || pg_temp.ended('asked')), 'done', 'whatever the worker says');
select is(
  concat_ws(' ', pg_temp.session('given'), pg_temp.texts('given'), pg_temp.answers('given')),
  'escalated escalated not_understood 1 {"licensed": "yes"} "yes" I am licensed', 'nothing is sent, and nothing else changes');

select pg_temp.write('given', 'I want to die');
select is(
  pg_temp.complete(pg_temp.claim('given'), '{"reply": null, "session": null, "heard": "distress"}'), 'done', 'distress is heard');
select is(
  (select array_agg(format('%s %s', n.kind, n.reason)) from public.agent_notifications n where n.conversation_id = md5('given')::uuid and n.urgent),
  '{handoff distress}', 'and the person is notified that it is urgent');
select pg_temp.write('given', 'full ' || n) from generate_series(1, 21) n;
select is(jsonb_array_length(pg_temp.claim('given') -> 'texts'), 20, 'more texts than a turn has');
select is(pg_temp.hand_back('given'), 'bot active', 'are the person''s, until it goes back to the bot');
select ok(not pg_temp.has_turn('given'), 'which answers none of them');
select pg_temp.write('given', 'Hello?'), pg_temp.hand_back('given');
select ok(pg_temp.has_turn('given'), 'but what comes then, also where the agent''s page hands it back once more');

-- What ends it
create function pg_temp.stops_listening(name text, act text) returns text language plpgsql as $$
begin
  perform pg_temp.begin_talk(name), pg_temp.hand_over(name);
  perform pg_temp.write(name, 'I am licensed');
  execute format(act, md5(name)::uuid);
  return (
    with taken as materialized (select case when pg_temp.has_turn(name) then pg_temp.listen(name) else 'gone' end as result)
    select concat_ws(' ', t.result, pg_temp.answers(name)) from taken t
  );
end
$$;
select matches(pg_temp.stops_listening('given ' || n, act), '^(dropped|gone) \{\}$', what)
from (values
  (1, 'select private.queue_text(%L, ''agent'', ''Are you free on Monday?'', sent_by => md5(''ann'')::uuid)', 'a text of an agent'),
  (2, 'select pg_temp.write_to(%L, ''STOP'')', 'an opt-out'),
  (3, 'select pg_temp.write_to(%1$L, ''STOP''), pg_temp.write_to(%1$L, ''START''), pg_temp.write_to(%1$L, ''I am licensed'')', 'also one that was taken back'),
  (4, 'update public.recruiting_conversations set recruiting_lead_id = null where id = %L', 'a lead that is gone')
) v (n, act, what);
select ok(not pg_temp.has_turn('given ' || n), format('no turn is left (%s)', n)) from generate_series(1, 4) n;
select pg_temp.write('given 1', 'I am licensed');
select ok(not pg_temp.has_turn('given 1'), 'nor does a turn begin once an agent has written');

-- A wrong number
create function pg_temp.consent(name text) returns text language sql as $$
  select concat_ws(' ', k.state, k.source, e.reason, e.words)
  from public.recruiting_conversations c
  left join public.text_consents k on k.agency_id = c.agency_id and k.phone = c.recruit_phone
  left join public.text_consent_events e on e.agency_id = k.agency_id and e.phone = k.phone
  where c.id = md5(name)::uuid
$$;
select pg_temp.begin_talk('wrong'), pg_temp.ask('wrong'), pg_temp.send_all();
insert into public.service_numbers (phone, agency_id) values ('+19995550177', md5('agency')::uuid);
select pg_temp.create_conversation('also wrong', c.recruit_phone, '+19995550177', lead => 'wrong')
from public.recruiting_conversations c where c.id = md5('wrong')::uuid;
select from private.queue_text(md5('also wrong')::uuid, 'agent', 'Hi', sent_by => md5('ann')::uuid);
select pg_temp.write('wrong', 'You have the wrong guy');
select is(
  pg_temp.complete(pg_temp.claim('wrong'), pg_temp.ended('wrong_number') || '{"heard": "wrong_number"}'), 'done', 'a wrong number');
select is(pg_temp.consent('wrong'), 'opted_out wording a wrong number You have the wrong guy', 'gets no texts of the agency any more');
select is(pg_temp.session('wrong'), 'escalated escalated wrong_number', 'a person has the conversation, with the reason');
select is(
  (select o.state || ' ' || o.reason from public.text_outbox o where o.conversation_id = md5('also wrong')::uuid),
  'refused opted_out', 'what waits for it from any number is refused');
select pg_temp.begin_talk('wrong later'), pg_temp.hand_over('wrong later');
select pg_temp.write('wrong later', 'Nobody by that name here');
select is(
  pg_temp.complete(pg_temp.claim('wrong later'), '{"reply": null, "session": null, "heard": "wrong_number"}'), 'done',
  'one that says so after a hand-over');
select is(
  pg_temp.consent('wrong later'), 'opted_out wording a wrong number Nobody by that name here', 'gets none either');
select from public.recruiting_conversations c, private.record_consent(c.agency_id, c.recruit_phone, 'opted_in', 'admin', reason => 'theirs')
where c.id = md5('wrong later')::uuid;
select is(
  (select private.is_opted_out(c.agency_id, c.recruit_phone) from public.recruiting_conversations c where c.id = md5('wrong later')::uuid),
  false, 'until an operator says otherwise');

-- The name in the text that ends the script
create function pg_temp.named(name text, assigned text, inactive text) returns text language plpgsql as $$
begin
  perform pg_temp.begin_claim(name);
  update public.recruiting_conversations set assigned_agent_id = md5(assigned)::uuid where id = md5(name)::uuid;
  update public.agents set is_active = first_name not in ('former', inactive) where agency_id = md5('agency')::uuid;
  perform pg_temp.end_claim(name, pg_temp.ended('asked') || '{"reply": "{agent} will write."}');
  update public.agents set is_active = first_name <> 'former' where agency_id = md5('agency')::uuid;
  return (
    select format('%s (%s)', m.body, a.first_name)
    from public.recruiting_conversations c
    join public.recruiting_messages m on m.conversation_id = c.id and m.direction = 'outbound'
    join public.agents a on a.id = c.assigned_agent_id
    where c.id = md5(name)::uuid
  );
end
$$;
select is(pg_temp.named('named 1', 'mia', 'nobody'), 'mia will write. (mia)', '{agent} is the conversation''s agent');
select is(pg_temp.named('named 2', null, 'nobody'), 'ann will write. (ann)', 'else the lead''s');
select is(pg_temp.named('named 3', null, 'ann'), 'cal will write. (cal)', 'else who gets the conversation by this very turn');

-- The worker asks for one more when its number of turns is over
select pg_temp.begin_talk('more ' || n), pg_temp.write('more ' || n, 'Hi') from generate_series(1, 3) n;
update public.bot_turns set due_at = now(), lease_until = null;
select is(jsonb_array_length(public.claim_bot_turns(2)), 2, 'no more are claimed than asked for');
select ok(private.is_work_due(), 'and the others are due');

select * from finish();
rollback;
