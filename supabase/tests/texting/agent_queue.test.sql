-- The queue of an agent: who waits, what is put off, failed and held, and how a conversation is found.
begin;
select plan(50);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_vendor('vendor');
insert into public.recruiting_leads (id, vendor_id, first_name, vendor_metadata, agency_id, agent_id, distribution) values
  (md5('ruth')::uuid, md5('vendor')::uuid, 'Ruth', '{"last_name": "Ba%ker", "email": "ruth.b@example.com"}', md5('agency')::uuid,
    md5('ann')::uuid, 'not_requested'),
  (md5('devon')::uuid, md5('vendor')::uuid, 'Devon', '{}', md5('agency')::uuid, md5('cal')::uuid, 'not_requested');
select pg_temp.create_conversation('ruth', '+13125550101', '+19995550000', 'ann', lead => 'ruth'),
  pg_temp.create_conversation('devon', '+13125550202', '+19995550000', 'cal', lead => 'devon');
update public.recruiting_conversations set waiting_since = now() - interval '1 hour', last_message_at = now() - interval '1 hour';
insert into public.recruiting_messages (id, conversation_id, direction, sender_type, body, created_at) values
  (md5('in ruth')::uuid, md5('ruth')::uuid, 'inbound', 'recruit', 'Is the Dallas office open?', now() - interval '1 hour'),
  (md5('in devon')::uuid, md5('devon')::uuid, 'inbound', 'recruit', 'Dallas is far', now() - interval '1 hour'),
  (md5('old')::uuid, md5('ruth')::uuid, 'inbound', 'recruit', 'I like Chicago', now() - interval '91 days');
-- The result of a query with one text in each row, as this person reads it.
create function pg_temp.seen(name text, query text) returns text language sql as $$
  select pg_temp.value_as(name, format('(select string_agg(x, '','' order by x) from (%s) q (x))', query)) #>> '{}'
$$;
create function pg_temp.call(name text, query text) returns jsonb language sql as $$
  select pg_temp.value_as(name, 'public.' || query)
$$;
create function pg_temp.found(name text, typed text, agency text default 'agency') returns text language sql as $$
  select pg_temp.seen(name, format('select i.name from public.search_inbox(%L, %L) i', md5(agency)::uuid, typed))
$$;
create function pg_temp.snooze(name text, until timestamptz, conversation text default 'ruth') returns jsonb language sql as $$
  select pg_temp.call(name, format('snooze_conversation(%L, %L)', md5(conversation)::uuid, until))
$$;
create function pg_temp.with_flag(flag text) returns text language sql as $$
  select pg_temp.seen('mia', 'select i.name from public.inbox i where i.' || flag)
$$;

-- The search
select is(pg_temp.found(who, typed), found, format('%s finds %s for "%s"', who, coalesce(found, 'nobody'), typed))
from (values
  ('ann', 'rut', 'Ruth Ba%ker'), ('ann', 'BA%K ruth', 'Ruth Ba%ker'), ('ann', 'ruth devon', null), ('ann', 'R_th', null),
  ('ann', 'ruth.b@', 'Ruth Ba%ker'), ('ann', '550101', 'Ruth Ba%ker'), ('ann', '(312) 555-01', 'Ruth Ba%ker'),
  ('ann', '3125', 'Ruth Ba%ker'), ('mia', '3125', 'Devon,Ruth Ba%ker'), ('ann', '01', null),
  ('ann', 'dallas office', 'Ruth Ba%ker'), ('mia', 'dallas', 'Devon,Ruth Ba%ker'), ('ann', 'da', null), ('ann', 'far', null),
  ('ann', 'chicago', null), ('eve', 'dallas', null), ('ann', ' ', null)
) c (who, typed, found);
select is(pg_temp.found('otto', 'dallas'), null, 'nobody of another agency finds anything');
select is(pg_temp.found('ann', 'ruth', 'elsewhere'), null, 'and nobody finds what another agency has');

-- What is put off
select is(
  pg_temp.snooze('ann', now() + interval '2 days'),
  jsonb_build_object('conversation_id', md5('ruth')::uuid, 'snoozed_until', now() + interval '2 days'), 'an answer is put off');
select is(pg_temp.with_flag('is_due'), 'Devon', 'so the recruit is not among those who wait');
select is(pg_temp.with_flag('snoozed_until > now() + interval ''1 day'''), 'Ruth Ba%ker', 'but waits till then');
select is_empty(
  $$select from private.find_recruit_waiting('{"minutes": 1}', now()) f where f.subject = md5('ruth')::uuid::text$$,
  'nobody is notified that this recruit waits');
update public.recruiting_conversations set snoozed_until = now() where id = md5('ruth')::uuid;
select is(pg_temp.with_flag('is_due'), 'Devon,Ruth Ba%ker', 'when the time has come, the recruit waits again');
select pg_temp.snooze('mia', now() + interval '90 days');
select is(pg_temp.snooze('ann', null) -> 'snoozed_until', 'null', 'it may be taken back');
select throws_ok(format('select pg_temp.snooze(%L, %L, %L)', who, until, conversation), code, message, message || ' for ' || who)
from (values
  ('ann', now(), 'ruth', '22023', 'until: must be in the future'),
  ('ann', now() + interval '90 days 1 s', 'ruth', '22023', 'until: must be within 90 days'),
  ('ann', now() + interval '1 day', 'devon', 'PT404', 'conversation_id: there is no such conversation'),
  ('eve', now() + interval '1 day', 'ruth', 'PT404', 'conversation_id: there is no such conversation'),
  ('former', now() + interval '1 day', 'ruth', '42501', 'only an active agent may write to recruits')
) c (who, until, conversation, code, message);
select pg_temp.snooze('ann', now() + interval '2 days');
select public.receive_sms('+13125550101', '+19995550000', 'SM1', 'Hello?', '[]');
select is(pg_temp.with_flag('is_due'), 'Devon,Ruth Ba%ker', 'a new text ends it');

-- No reply needed, and back
select pg_temp.call('ann', format('no_reply_needed(%L)', md5('ruth')::uuid));
select pg_temp.call('ann', format('reply_needed(%L)', md5('ruth')::uuid));
select is(
  (select waiting_since from public.recruiting_conversations where id = md5('ruth')::uuid), now() - interval '91 days',
  'one who needs an answer after all waits since the first text that has none');
select throws_ok(
  format('select pg_temp.call(%L, %L)', 'cal', format('reply_needed(%L)', md5('ruth')::uuid)), 'PT404', null,
  'only who may write there says so');

-- A conversation that comes back, though the recruit does not wait
create function pg_temp.is_due() returns text language sql as $$
  select pg_temp.seen('ann', 'select concat_ws('' '', case when i.is_due then ''due'' end, case when i.waiting_since is null then ''answered'' end,
    case when i.snoozed_until is not null then ''put off'' end) from public.inbox i')
$$;
create function pg_temp.time_comes() returns void language sql as $$
  update public.recruiting_conversations set snoozed_until = now() where id = md5('ruth')::uuid;
$$;
select private.queue_text(md5('ruth')::uuid, 'agent', 'See you on Friday');
select pg_temp.snooze('ann', now() + interval '2 days');
select is(pg_temp.is_due(), 'answered put off', 'one who was answered is put off');
select pg_temp.time_comes();
select is(pg_temp.is_due(), 'due answered put off', 'and is due when the time comes');
select is(
  pg_temp.seen('ann', 'select (i.due_since = i.snoozed_until)::text from public.inbox i'), 'true', 'since that time');
select is_empty(
  $$select from private.find_recruit_waiting('{"minutes": 0}', now() + interval '1 day') f where f.subject = md5('ruth')::uuid::text$$,
  'no operator is notified that this recruit waits');
select is((public.agency_figures() -> 'waiting' ->> 'recruits')::integer, 2, 'a manager counts it among those who wait')
from (select pg_temp.become('mia')) mia;
reset role;
select pg_temp.call('ann', format('no_reply_needed(%L)', md5('ruth')::uuid));
select is(pg_temp.is_due(), 'answered', 'the agent is done with it');
select pg_temp.call('ann', format('reply_needed(%L)', md5('ruth')::uuid));
select is(pg_temp.is_due(), 'due answered put off', 'and takes that back');
select private.queue_text(md5('ruth')::uuid, 'bot', 'Are you still there?');
select is(pg_temp.is_due(), 'due answered put off', 'a text of the bot does not end it');
select private.queue_text(md5('ruth')::uuid, 'agent', 'We call you');
select is(pg_temp.is_due(), 'answered', 'a text of an agent does');

delete from public.text_outbox where conversation_id = md5('ruth')::uuid;

-- A text that the agent has not read
select public.receive_sms('+13125550101', '+19995550000', 'SM2', 'When?', '[]');
select throws_ok(
  format('select pg_temp.call(%L, %L)', 'ann', format(act, md5('ruth')::uuid, now() - interval '1 microsecond')), 'PT409',
  'read_up_to: the recruit has written meanwhile', act || ' does not hide a text')
from (values ('no_reply_needed(%L, %L)'), ('snooze_conversation(%L, now() + interval ''1 day'', %L)')) acts (act);
select lives_ok(
  format('select pg_temp.call(%L, %L)', 'ann', format('no_reply_needed(%L, %L)', md5('ruth')::uuid, now())), 'one that was read is put aside');

-- What is failed and held
select is(pg_temp.with_flag('is_failed'), null, 'nothing has failed');
select pg_temp.add_text('first', 'ruth', state => 'failed'), pg_temp.add_text('held', 'devon');
update public.recruiting_messages set status = 'failed' where id = md5('first')::uuid;
update public.text_outbox set reason = 'quiet_hours', due_at = now() + interval '1 hour' where message_id = md5('held')::uuid;
select is(pg_temp.with_flag('is_failed') || '/' || pg_temp.with_flag('is_held'), 'Ruth Ba%ker/Devon', 'a text has failed, and one is held');
update public.text_outbox set reason = 'cancelled', state = 'refused' where message_id = md5('first')::uuid;
select is(pg_temp.with_flag('is_failed'), null, 'one that was cancelled has not failed');
update public.text_outbox set reason = 'taken_over' where message_id = md5('first')::uuid;
select is(pg_temp.with_flag('is_failed'), null, 'nor one of the bot where an agent has taken over');

-- The plan
insert into public.recruiting_messages (conversation_id, direction, sender_type, body)
select md5('ruth')::uuid, 'inbound', 'recruit', 'number ' || md5(n::text) from generate_series(1, 500) n;
set local enable_seqscan = off;
select ok(
  pg_temp.plan_of($$select m.conversation_id from public.recruiting_messages m where m.body ilike '%dallas%'$$)
    like '%recruiting_messages_words_idx%', 'words are found by their index');

select * from finish();
rollback;
