-- Thousands of texts of one recruit: the texts of all others go on, and a person is notified of the flood.
begin;
select plan(38);
\ir ../helpers.psql

-- Forgets what the planner knew of these tables, which differs with what has run before, and keeps autovacuum away.
truncate public.service_numbers, public.recruiting_conversations, public.recruiting_messages, public.text_outbox,
  public.unmatched_texts cascade;
-- The desk hears of each notification, which takes a quarter of the time and is not looked at here.
alter table public.agent_notifications disable trigger broadcast_notification;
update public.recruiting_orders set status = 'closed';
select pg_temp.create_people(), pg_temp.create_vendor('vendor', encode(sha256('test-vendor'), 'hex'));
update public.vendors set has_text_consent = true where id = md5('vendor')::uuid;
insert into public.service_numbers (phone, agency_id, segments_per_second) values ('+19995550100', md5('agency')::uuid, 100000);
insert into public.recruiting_orders (agency_id, vendor_id, quantity, greeting_template)
values (md5('agency')::uuid, md5('vendor')::uuid, 100, 'Hi {first_name}. {agency}, STOP to opt out.');
delete from public.texting_hours;
insert into public.texting_hours (opens, closes, source) values ('00:00', '24:00', 'test');
select private.store_bot_script(md5('agency')::uuid, '{
  "opening": "{agency}. STOP ends this.", "questions": [{"id": "licensed", "ask": "Licensed?", "answer": "yes_no"}],
  "done": "Bye", "handoff": "A person will write.", "handoff_words": ["agent"]}');

create function pg_temp.begin_talk(name text) returns void language plpgsql as $$
begin
  insert into public.recruiting_leads (id, vendor_id, first_name, distribution, agency_id, agent_id, distributed_at)
  values (md5(name)::uuid, md5('vendor')::uuid, 'Ada', 'distributed', md5('agency')::uuid, md5('ann')::uuid, now());
  perform pg_temp.create_conversation(
    name, '+1999' || lpad((hashtext(name) & 8388607)::text, 7, '0'), '+19995550100', lead => name);
end
$$;
create function pg_temp.write(name text, body text default 'ok') returns void language sql as $$
  select public.receive_sms(c.recruit_phone, c.service_phone, gen_random_uuid()::text, body, '[]')
  from public.recruiting_conversations c where c.id = md5(name)::uuid
$$;
-- The turns that are due, each as the worker reads it.
create function pg_temp.turn_of(name text) returns jsonb language plpgsql as $$
declare
  claims jsonb;
begin
  update public.bot_turns set due_at = now(), lease_until = null;
  claims := public.claim_bot_turns(100);
  return (
    select public.read_bot_turn(md5(name)::uuid, (t -> 'attempt')::integer)
    from jsonb_array_elements(claims) t where t ->> 'conversation_id' = md5(name)::uuid::text
  );
end
$$;
create function pg_temp.notified(name text) returns text language sql as $$
  select string_agg(format('%s %s %s', a.first_name, n.kind, coalesce(n.reason, count::text)), ', ' order by n.kind, n.reason)
  from (
    select agent_id, kind, reason, count(*) as count from public.agent_notifications
    where conversation_id = md5(name)::uuid group by agent_id, kind, reason
  ) n join public.agents a on a.id = n.agent_id
$$;
create function pg_temp.state_of(name text) returns text language sql as $$
  select concat_ws(' ', c.status, s.state, s.reason)
  from public.recruiting_conversations c left join public.bot_sessions s on s.conversation_id = c.id where c.id = md5(name)::uuid
$$;

-- A conversation of 500 texts, in which we have texted 60 times
select pg_temp.begin_talk('flood');
insert into public.recruiting_messages (conversation_id, direction, sender_type, body, created_at)
select md5('flood')::uuid, 'inbound', 'recruit', 'ok', now() - interval '1 day' - n * interval '1 second'
from generate_series(1, 500) n;
with sent as (
  insert into public.recruiting_messages (conversation_id, direction, sender_type, body, created_at)
  select md5('flood')::uuid, 'outbound', 'bot', 'Hi', now() - n * interval '1 minute' from generate_series(1, 60) n
  returning id, created_at
)
insert into public.text_outbox (message_id, kind, state, attempted_at) select id, 'bot', 'accepted', created_at from sent;

select pg_temp.write('flood') from generate_series(1, 20);
select is(
  (select cardinality(message_ids) from public.bot_turns where conversation_id = md5('flood')::uuid), 20, 'a turn has 20 texts');
select cmp_ok(
  pg_temp.rows_read('public.recruiting_messages', $$select pg_temp.turn_of('flood')$$), '<', 200::bigint,
  'to read it is to read them, and not those before them');
select is(jsonb_array_length(pg_temp.turn_of('flood') -> 'texts'), 20, 'the worker gets 20');
select pg_temp.write('flood') from generate_series(1, 30);
select is(pg_temp.state_of('flood'), 'escalated escalated not_understood', 'with one more the conversation goes to a person');
select is(pg_temp.notified('flood'), 'ann handoff not_understood, ann text 29', 'the agent is notified of the reason, and of each later text');
select is(pg_temp.turn_of('flood') #> '{session,is_handed_over}', 'true', 'and in a later turn the bot only listens');
select is_empty(
  $$select from public.text_outbox o where o.conversation_id = md5('flood')::uuid and o.state = 'pending'$$,
  'and the recruit is sent nothing');
select throws_ok(
  $$insert into public.bot_turns (conversation_id, due_at, message_ids)
    select md5('flood')::uuid, now(), array_agg(gen_random_uuid()) from generate_series(1, 21)$$,
  '23514', null, 'no turn has more');

select pg_temp.begin_talk('first'), pg_temp.write('first') from generate_series(1, 1);
select pg_temp.write('first') from generate_series(1, 20);
select is(pg_temp.state_of('first'), 'escalated escalated not_understood', 'so it is before the first question');
select pg_temp.begin_talk('nobody');
update public.agents set is_active = false where agency_id = md5('agency')::uuid;
select pg_temp.write('nobody') from generate_series(1, 25);
select is(pg_temp.state_of('nobody'), 'bot escalated not_understood', 'and where nobody is active, the bot ends');
update public.agents set is_active = first_name <> 'former' where agency_id = md5('agency')::uuid;

-- Long texts
select pg_temp.begin_talk('long');
select pg_temp.write('long', repeat(U&'\FDFA', 5000));
select is(
  length(pg_temp.turn_of('long') #>> '{texts,0,body}'), 1600,
  'the bot reads as much of a text as the provider sends');
select is(
  (select length(body) from public.recruiting_messages where conversation_id = md5('long')::uuid), 5000,
  'all of it is stored');

-- An answering machine
select pg_temp.begin_talk('machine');
create function pg_temp.answer(at timestamptz, after interval, body text) returns void language sql as $$
  with sent as (
    insert into public.recruiting_messages (conversation_id, direction, sender_type, body, created_at)
    values (md5('machine')::uuid, 'outbound', 'bot', 'Hi', at) returning id
  )
  insert into public.text_outbox (message_id, kind, state, attempted_at) select id, 'bot', 'accepted', at from sent;
  insert into public.recruiting_messages (id, conversation_id, direction, sender_type, body, created_at)
  values (md5('answer ' || at)::uuid, md5('machine')::uuid, 'inbound', 'recruit', body, at + after);
$$;
select pg_temp.answer('2026-01-01 10:00', '1 s', 'I am driving'), pg_temp.answer('2026-01-01 11:00', '5 s', 'I am driving '),
  pg_temp.answer('2026-01-01 12:00', '1 s', ' i am Driving'), pg_temp.answer('2026-01-01 13:00', '1 s', 'yes');
select is(
  array(select private.is_automatic_reply(m) from public.recruiting_messages m
    where conversation_id = md5('machine')::uuid and direction = 'inbound' order by created_at),
  '{f,f,t,f}', 'the same words twice, both at once after one of our texts');

-- Others
select pg_temp.begin_talk('other'), pg_temp.write('other', 'Hello');
select is(pg_temp.turn_of('other') -> 'texts', '[{"body": "Hello", "consent": null, "is_early": false, "is_automatic": false}]', 'the bot answers others');
select private.queue_text(md5('other')::uuid, 'agent', 'Hi');
select ok(public.claim_texts(10)::text like '%"body": "Hi"%', 'and their texts are sent');

-- Unmatched texts of one number. Those to a service number that is added later contain an opt-out, which is not the oldest.
create function pg_temp.add_unmatched(
  recruit text, service text, texts integer, opt_out integer default null, days integer default 10)
returns void language sql as $$
  insert into public.unmatched_texts (id, message_sid, recruit_phone, service_phone, body, received_at)
  select md5(recruit || service || n)::uuid, format('flood %s %s %s', recruit, service, n), recruit, service,
    case when n = opt_out then 'STOP' when n = opt_out - 1 then 'START' else 'ok' end,
    now() - make_interval(days => days) + n * interval '1 second'
  from generate_series(1, texts) n
$$;
create function pg_temp.ingest(name text, phone text) returns void language sql as $$
  select pg_temp.ingest_lead(encode(sha256('test-vendor'), 'hex'), jsonb_build_object(
    'id', md5(name)::uuid, 'vendor_lead_id', name, 'first_name', 'Ada', 'vendor_metadata', jsonb_build_object('phone', phone)))
$$;
create function pg_temp.conversation(phone text) returns uuid language sql stable as $$
  select id from public.recruiting_conversations where recruit_phone = phone
$$;
create function pg_temp.messages(phone text, which text default 'inbound') returns integer language sql as $$
  select count(*)::integer from public.recruiting_messages
  where conversation_id = pg_temp.conversation(phone) and direction = which
$$;
create function pg_temp.take_over() returns integer language plpgsql as $$
declare
  portions integer := 0;
  id text;
begin
  loop
    for id in select jsonb_array_elements_text(public.claim_take_overs(20)) loop
      perform public.take_over_texts(id::uuid);
      portions := portions + 1;
    end loop;
    exit when id is null;
  end loop;
  return portions;
end
$$;

select pg_temp.add_unmatched('+13125550001', '+19995550100', 2100), pg_temp.ingest('flood lead', '+13125550001');
select is(public.claim_greetings(10), jsonb_build_array(md5('flood lead')::uuid), 'a lead of the flood''s number is to be greeted');
select cmp_ok(
  pg_temp.rows_read('public.unmatched_texts', $$select public.queue_greeting(md5('flood lead')::uuid)$$), '<', 5000::bigint,
  'its conversation takes over a portion of the texts');
select is(
  array[pg_temp.messages('+13125550001'), pg_temp.messages('+13125550001', 'outbound')], '{1000,1}', 'and the greeting is queued');
select ok(private.is_text_due(), 'the worker goes on');
select is(public.claim_take_overs(10), jsonb_build_array(pg_temp.conversation('+13125550001')), 'with this conversation');
select is(public.claim_take_overs(10), '[]', 'one worker at a time');
select cmp_ok(
  pg_temp.rows_read('public.unmatched_texts', format('select public.take_over_texts(%L)', pg_temp.conversation('+13125550001'))),
  '<', 5000::bigint, 'each time it reads a portion');
select is(pg_temp.take_over(), 1, 'until none is left');
select is(
  array[pg_temp.messages('+13125550001'), (select count(*)::integer from public.unmatched_texts),
    (select count(*)::integer from private.waiting_take_overs)],
  '{2100,0,0}', 'all are taken over, and nothing waits any more');
select results_eq(
  $$select count(*), min(created_at), max(created_at), min(id::text) filter (where created_at = now() - interval '10 days' + interval '7 seconds')
    from public.recruiting_messages where conversation_id = pg_temp.conversation('+13125550001') and direction = 'inbound'$$,
  $$values (2100::bigint, now() - interval '10 days' + interval '1 second', now() - interval '10 days' + interval '2100 seconds',
    md5('+13125550001+199955501007')::uuid::text)$$,
  'each with the time it came');
select results_eq(
  $$select last_message_at, (select count(*) from public.agent_notifications n where n.conversation_id = c.id and kind = 'text')
    from public.recruiting_conversations c where recruit_phone = '+13125550001'$$,
  $$values (now() - interval '10 days' + interval '2100 seconds', 2100::bigint)$$,
  'last_message_at is that of the last one, and somebody is notified of each');

-- The words about a consent, where no agency had the number
select pg_temp.add_unmatched('+13125550002', '+19995550200', 1200, opt_out => 1100);
select pg_temp.create_conversation('consent', '+13125550002', '+19995550200');
select is(pg_temp.messages('+13125550002'), 1000, 'an opt-out is not among the first texts that are taken over');
select ok(private.is_opted_out(md5('agency')::uuid, '+13125550002'), 'and holds at once');
select pg_temp.take_over();
select results_eq(
  $$select state::text, count(*) from public.text_consent_events where phone = '+13125550002' group by state order by state$$,
  $$values ('opted_in', 1::bigint), ('opted_out', 1::bigint)$$, 'each consent stands there once');
select results_eq(
  $$select state::text, changed_at from public.text_consents where phone = '+13125550002'$$,
  $$values ('opted_out', now() - interval '10 days' + interval '1100 seconds')$$, 'as of when it came');
select is(pg_temp.notified('consent'), 'mia opt_out 1, mia text 1199', 'a person is notified of the opt-out as such');

-- Texts of the last hour are for the bot, which leaves so many to a person
select pg_temp.add_unmatched('+13125550003', '+19995550100', 30, days => 0);
update public.unmatched_texts set received_at = now() where recruit_phone = '+13125550003';
select pg_temp.ingest('new flood', '+13125550003'), public.claim_greetings(10), public.queue_greeting(md5('new flood')::uuid);
select results_eq(
  $$select c.status, s.reason from public.recruiting_conversations c join public.bot_sessions s on s.conversation_id = c.id
    where recruit_phone = '+13125550003'$$,
  $$values ('escalated', 'not_understood')$$, 'a flood of the last hour goes to a person');

-- One bad greeting. A trigger stands for a greeting that takes too long.
create function pg_temp.cancel() returns trigger language plpgsql as $$
begin
  if new.recruit_phone = '+13125550004' then raise exception 'too slow' using errcode = 'query_canceled'; end if;
  return new;
end
$$;
create trigger cancel before insert on public.recruiting_conversations for each row execute function pg_temp.cancel();
select pg_temp.ingest('bad', '+13125550004'), pg_temp.ingest('good', '+13125550005');
select is(jsonb_array_length(public.claim_greetings(10)), 2, 'two leads are to be greeted');
create function pg_temp.is_cancelled(query text) returns boolean language plpgsql as $$
begin
  execute query;
  return false;
exception when query_canceled then
  return true;
end
$$;
select ok(pg_temp.is_cancelled($$select public.queue_greeting(md5('bad')::uuid)$$), 'the greeting of one is cancelled');
select lives_ok($$select public.queue_greeting(md5('good')::uuid)$$, 'the other one');
select is(pg_temp.messages('+13125550005', 'outbound'), 1, 'is queued');
select is(
  (select array_agg(due_at = now() + interval '1 minute') from private.waiting_greetings), '{t}', 'the cancelled one comes again later');
update private.waiting_greetings set due_at = now(), attempt = 5000;
select lives_ok($$select public.claim_greetings(10)$$, 'any number of times');

select * from finish();
rollback;
