-- claim_texts(): which texts a worker gets, in which order, and with which data.
begin;
select plan(57);
\ir ../helpers.psql

select pg_temp.create_agency('agency', 'UTC', 'agent'), pg_temp.create_agency('elsewhere');
insert into public.service_numbers (phone, agency_id, segments_per_second, messaging_service_sid) values
  ('+19995550100', md5('agency')::uuid, 100, null), ('+19995550101', md5('agency')::uuid, 100, 'MG' || repeat('a', 32)),
  ('+19995550102', md5('elsewhere')::uuid, 100, null);
-- Open all day, but for numbers of Utah.
delete from public.texting_hours;
insert into public.texting_hours (state, opens, closes, source) values (null, '00:00', '24:00', 'test'), ('UT', '00:00', '00:00', 'test');

create temp table names (name text, id uuid generated always as (md5(name)::uuid) stored);
insert into names (name)
select n from unnest(array['one', 'two', 'three', 'four', 'greeting', 'late', 'first', 'second', 'third', 'utah', 'alaska',
  'gone', 'lost', 'dead', 'a', 'b', 'c']) n;
-- The texts that the worker gets: name and task of each
create function pg_temp.claim(max integer default 100) returns text language sql as $$
  select coalesce(string_agg(n.name || ' ' || (t ->> 'task'), ', ' order by ordinality), 'nothing')
  from jsonb_array_elements(public.claim_texts(max) -> 'texts') with ordinality e (t, ordinality)
  join names n on n.id = (t ->> 'message_id')::uuid
$$;
create function pg_temp.text(name text) returns text language sql as $$
  select concat_ws(' ', o.state, o.reason, case when o.due_at > now() then 'later' end)
  from public.text_outbox o where o.message_id = md5(name)::uuid
$$;
create function pg_temp.clear() returns void language sql as $$
  delete from public.text_outbox o using names n where o.message_id = n.id;
  delete from public.recruiting_messages m using names n where m.id = n.id;
  update public.service_numbers set busy_until = '-infinity', status = 'active' where agency_id = md5('agency')::uuid
$$;

select pg_temp.create_conversation(name, recruit, service, spoke => spoke)
from (values
  ('x', '+19995550001', '+19995550100', null::interval), ('y', '+19995550002', '+19995550100', null),
  ('z', '+19995550003', '+19995550101', null), ('foreign', '+19995550004', '+19995550102', null),
  ('without', '+19995550005', '+19995550199', null), ('utah', '+18015550006', '+19995550100', null),
  ('replied', '+18015550007', '+19995550100', '11:59')
) c (name, recruit, service, spoke);

-- Nothing to do
select is(public.claim_texts(10), '{"texts": [], "next_at": null}', 'where nothing is due, nothing is claimed');
select ok(not private.is_text_due(), 'and nothing is due');

-- Fields of a claim
select pg_temp.add_text('one', 'x', body => 'Hello');
update public.recruiting_messages set media = '[{"url": "https://example.com/1", "content_type": "image/png"}]' where id = md5('one')::uuid;
select ok(private.is_text_due(), 'a due text is due');
create temp table claimed as select public.claim_texts(10) as claim;
select is(
  claim #> '{texts,0}' #- '{attempted_at}',
  jsonb_build_object('message_id', md5('one')::uuid, 'task', 'post', 'claim', 1, 'kind', 'agent', 'to', '+19995550001', 'country', null,
    'from', '+19995550100', 'messaging_service_sid', null, 'body', 'Hello',
    'media', '[{"url": "https://example.com/1", "content_type": "image/png"}]'::jsonb, 'validity_seconds', 36000),
  'a claim has what the request needs')
from claimed;
select results_eq(
  $$select state, attempt, reason, lease_until > clock_timestamp() + interval '55 seconds',
      attempted_at > now() from public.text_outbox where message_id = md5('one')::uuid$$,
  $$values ('sending', 1, null::text, true, true)$$, 'it is committed as sending, with a lease');
select is(pg_temp.claim(), 'nothing', 'nobody else gets it');
select ok(not private.is_text_due(), 'nothing is due while it is sent');
select pg_temp.clear();
select pg_temp.add_text('one', 'z');
select is(public.claim_texts(10) #>> '{texts,0,messaging_service_sid}', 'MG' || repeat('a', 32), 'a number''s messaging service is named');
select pg_temp.clear();

-- One at a time in a conversation, oldest first
select pg_temp.add_text('one', 'x'), pg_temp.add_text('two', 'x', due => '-1 hour'), pg_temp.add_text('three', 'y'), pg_temp.add_text('four', 'z');
select is(pg_temp.claim(), 'one post, three post, four post', 'the oldest of each conversation, whenever each became due');
select is(pg_temp.claim(), 'nothing', 'the next waits while one is sent');
select private.accept_text(md5('one')::uuid, 'SM1');
select ok(private.is_text_due(), 'then it is due');
select is(pg_temp.claim(), 'two post', 'and is claimed');
select pg_temp.clear();
select pg_temp.add_text('one', 'x', due => '-1 minute'), pg_temp.add_text('two', 'x', due => '-1 minute'),
  pg_temp.add_text('three', 'y', due => '-1 second');
select is(pg_temp.claim(1), 'one post', 'the text that has been due for longest comes first');
select private.accept_text(md5('one')::uuid, 'SM2');
select is(pg_temp.claim(1), 'three post', 'then it is another conversation''s turn');
select is(pg_temp.claim(1), 'two post', 'and then the first one''s again');
select pg_temp.clear();
select pg_temp.add_text('one', 'x'), pg_temp.add_text('two', 'x');
select is(pg_temp.claim(1), 'one post', 'as many as the worker wants');
update public.text_outbox set state = 'pending', due_at = now() + interval '1 minute' where message_id = md5('one')::uuid;
select is(pg_temp.claim(), 'nothing', 'one that is tried again later keeps its place');
select ok(not private.is_text_due(), 'nothing is due meanwhile');
update public.text_outbox set state = 'unconfirmed' where message_id = md5('one')::uuid;
select is(pg_temp.claim(), 'nothing', 'one that is unconfirmed holds those behind it');
update public.text_outbox set due_at = 'infinity' where message_id = md5('one')::uuid;
select is(pg_temp.claim(), 'two post', 'but not for ever');
select pg_temp.clear();
select pg_temp.add_text('one', 'x', due => '1 second'), pg_temp.add_text('two', 'x');
select is(pg_temp.claim(), 'nothing', 'one that was queued first and is due a moment later keeps its place too');
update public.text_outbox set reason = 'quiet_hours' where message_id = md5('one')::uuid;
select is(pg_temp.claim(), 'two post', 'but not when quiet hours hold it');
select pg_temp.clear();
select pg_temp.add_text('greeting', 'x', 'greeting', due => '1 hour'), pg_temp.add_text('two', 'x');
select is(pg_temp.claim(), 'two post', 'one that is held lets the next one go');
update public.text_outbox set due_at = now() where message_id = md5('greeting')::uuid;
select is(pg_temp.claim(), 'nothing', 'and waits when it becomes due while that one is sent');
select pg_temp.clear();
select pg_temp.add_text('greeting', 'x', 'greeting', due => '-1 hour'), pg_temp.add_text('two', 'y');
select is(pg_temp.claim(), 'two post, greeting post', 'what an agent writes goes before greetings');
select pg_temp.clear();

-- The number
select pg_temp.add_text('one', 'foreign'), pg_temp.add_text('two', 'without'), pg_temp.add_text('three', 'z');
update public.service_numbers set status = 'paused' where phone = '+19995550101';
select is(pg_temp.claim(), 'nothing', 'nothing is sent from a number that is paused, unknown or another agency''s');
select ok(not private.is_text_due(), 'and nothing is due');
update public.service_numbers set status = 'active' where phone = '+19995550101';
select is(pg_temp.claim(), 'three post', 'a number that is active again sends what it held');
update public.recruiting_conversations set service_phone = '+19995550100' where id = md5('foreign')::uuid;
select is(pg_temp.claim(), 'one post', 'a conversation whose number is corrected sends from the new one');
update public.recruiting_conversations set service_phone = '+19995550102' where id = md5('foreign')::uuid;
select pg_temp.clear();

-- The rate
update public.service_numbers set segments_per_second = 1 where phone = '+19995550100';
select pg_temp.add_text('one', 'x'), pg_temp.add_text('two', 'y', body => repeat('x', 459)), pg_temp.add_text('three', 'z');
create temp table busy as select public.claim_texts(10) as claim;
select is(jsonb_array_length(claim -> 'texts'), 2, 'a number sends so many segments a second; others go on') from busy;
select is((claim ->> 'next_at')::timestamptz, now() + interval '1 second', 'the claim says when it can send again') from busy;
select ok(private.is_text_due(), 'the worker is needed then');
update public.service_numbers set busy_until = now() where phone = '+19995550100';
select is(pg_temp.claim(), 'two post', 'a long text goes when the number is free');
select is(busy_until, now() + interval '3 seconds', 'and keeps it busy by its segments')
from public.service_numbers where phone = '+19995550100';
select ok(not private.is_text_due(), 'nothing is due while the number is busy');
update public.service_numbers set segments_per_second = 10, busy_until = '-infinity' where phone = '+19995550100';
select pg_temp.clear();
select pg_temp.create_conversation('many ' || n, '+1999555' || 2000 + n, '+19995550100') from generate_series(1, 30) n;
insert into names (name) select 'many ' || n from generate_series(1, 30) n;
select pg_temp.add_text('many ' || n, 'many ' || n) from generate_series(1, 30) n;
select is(jsonb_array_length(public.claim_texts(100) -> 'texts'), 10, 'what a number sends in a second may go at once');
select pg_temp.clear();
update public.service_numbers set segments_per_second = 100;

-- Consent
select private.record_consent(md5('agency')::uuid, '+19995550001', 'opted_out', 'keyword', 'STOP');
select pg_temp.add_text('one', 'x'), pg_temp.add_text('greeting', 'x', 'greeting'), pg_temp.add_text('two', 'y');
select is(pg_temp.claim(), 'two post', 'nothing is sent to somebody who has opted out');
select is(array[pg_temp.text('one'), pg_temp.text('greeting')], array['refused opted_out', 'refused opted_out'], 'it is refused');
select is(setting, reset_val, 'the rest of the transaction waits for locks as before') from pg_settings where name = 'lock_timeout';
select results_eq(
  $$select status, error_code, failed_at from public.recruiting_messages where id = md5('one')::uuid$$,
  $$values ('failed', '21610', now())$$, 'its message has failed, with the provider''s code');
select private.record_consent(md5('agency')::uuid, '+19995550001', 'opted_in', 'keyword', 'START');
select is(pg_temp.claim(), 'nothing', 'and is not sent later');
select pg_temp.clear();

-- Quiet hours
select pg_temp.add_text('one', 'utah'), pg_temp.add_text('greeting', 'replied', 'greeting'), pg_temp.add_text('two', 'replied');
select is(pg_temp.claim(), 'nothing', 'quiet hours are checked again');
select is(
  array[pg_temp.text('one'), pg_temp.text('greeting')], array['pending quiet_hours later', 'pending quiet_hours later'],
  'a text in them waits for their end');
select is(pg_temp.claim(), 'two post', 'a reply to what the recruit has just written does not');
select pg_temp.clear();
select pg_temp.add_text('two', 'replied');
select is(public.claim_texts(1) #> '{texts,0,validity_seconds}', 'null', 'and the provider may keep it');
select pg_temp.clear();
select pg_temp.add_text('a', 'x', body => 'x'), pg_temp.add_text('b', 'y'), pg_temp.add_text('c', 'z');
-- In place of the hours of a time zone, whatever time it is there
create function pg_temp.open_until(closes timestamptz) returns void language plpgsql as $do$
begin
  execute format($sql$
    create or replace function private.text_window(phone text, state text, moment timestamptz, out opens_at timestamptz,
      out closes_at timestamptz) language sql as
    $body$select case when moment < %1$L then moment else %1$L::timestamptz + interval '11 hours' end,
      case when moment < %1$L then %1$L::timestamptz else %1$L::timestamptz + interval '24 hours' end$body$$sql$, closes);
end
$do$;
select pg_temp.open_until(now() + interval '61 seconds');
select is(public.claim_texts(1) #> '{texts,0,validity_seconds}', '61', 'the provider may keep a text until the hours end');
select pg_temp.open_until(now() + interval '59 seconds');
select is(pg_temp.claim(), 'nothing', 'with less than a minute left nothing is sent');
select is(due_at, now() + interval '59 seconds' + interval '11 hours', 'but when they begin again')
from public.text_outbox where message_id = md5('b')::uuid;
select pg_temp.clear();

-- Look-ups
select pg_temp.add_text('lost', 'x', state => 'unconfirmed'), pg_temp.add_text('one', 'x'), pg_temp.add_text('dead', 'y', state => 'sending');
update public.text_outbox set lease_until = now() where message_id = md5('dead')::uuid;
select ok(private.is_text_due(), 'a dead worker''s text is due');
select is(pg_temp.claim(), 'lost look_up, dead look_up', 'unconfirmed texts and those of a dead worker are looked up');
select is(
  array[pg_temp.text('lost'), pg_temp.text('dead')], array['unconfirmed later', 'unconfirmed worker_died later'],
  'they stay unconfirmed, and another worker may look them up later');
select is(pg_temp.claim(), 'nothing', 'one worker looks a text up');
select ok(not private.is_text_due(), 'nothing is due meanwhile');
update public.text_outbox set due_at = now() where state = 'unconfirmed';
select is(pg_temp.claim(1), 'lost look_up', 'another one does when it has died');
select is(pg_temp.claim(1), 'dead look_up', 'one after the other');
update public.text_outbox set state = 'sending', resends = 1, attempted_at = now(), lease_until = now()
where message_id = md5('dead')::uuid;
select is(pg_temp.claim(), 'nothing', 'one that was sent again is looked up later');
select is(due_at, now() + interval '10 minutes', 'ten minutes after it was sent')
from public.text_outbox where message_id = md5('dead')::uuid;

select * from finish();
rollback;
