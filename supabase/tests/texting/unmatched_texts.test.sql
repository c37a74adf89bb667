-- A text without a conversation is kept, and becomes a message when the conversation is made.
begin;
select plan(23);
\ir ../helpers.psql

select pg_temp.create_agency('agency');

create function pg_temp.receive(sid text, recruit text default '+19995551001', service text default '+19995551002',
  body text default 'Hi', media jsonb default '[]')
returns text language sql as $$ select public.receive_sms(recruit, service, sid, body, media) ->> 'status' $$;

-- Kept
select is(pg_temp.receive('test U1', body => E' STOP\n', media => '[{"url": "https://example.com/1"}]'),
  'no_conversation', 'a text without a conversation is no_conversation');
select results_eq(
  $$select recruit_phone, service_phone, body, media from public.unmatched_texts where message_sid = 'test U1'$$,
  $$values ('+19995551001', '+19995551002', E' STOP\n', '[{"url": "https://example.com/1"}]'::jsonb)$$,
  'it is kept exactly as sent');
select is(pg_temp.receive('test U1', body => 'again'), 'no_conversation', 'the same MessageSid again is no_conversation');
select results_eq(
  $$select body from public.unmatched_texts where message_sid = 'test U1'$$, array[E' STOP\n'],
  'the same MessageSid is kept once');
select is(
  array[pg_temp.receive(null), pg_temp.receive(''), pg_temp.receive('test U2', null), pg_temp.receive('test U3', service => null)],
  array_fill('no_conversation'::text, array[4]), 'a text without MessageSid, From or To is no_conversation');
select results_eq(
  $$select count(*) from public.unmatched_texts
    where message_sid is null and recruit_phone = '+19995551001' or message_sid in ('test U2', 'test U3')$$,
  array[4::bigint], 'each of them is kept');
select is(
  pg_temp.receive(repeat('s', 60000), repeat('f', 60000), repeat('t', 60000), repeat('b', 60000)),
  'no_conversation', 'values of any length are kept');

-- Taken over
update public.unmatched_texts set received_at = '2026-01-02' where message_sid = 'test U1';
update public.unmatched_texts set received_at = '2026-01-01' where message_sid is null;
select public.update_sms_status('test U1', 'delivered', null);
select pg_temp.receive('test other', '+19995551009');
select pg_temp.create_conversation('new', '+19995551001', '+19995551002');
select results_eq(
  $$select direction, sender_type, body, media, created_at, status from public.recruiting_messages
    where provider_message_id = 'test U1' and conversation_id = md5('new')::uuid$$,
  $$values ('inbound', 'recruit', E' STOP\n', '[{"url": "https://example.com/1"}]'::jsonb, '2026-01-02'::timestamptz, 'delivered')$$,
  'a new conversation takes the text over, with the time it came and the callback that came before');
select is(
  (select count(*)::integer from public.recruiting_messages where conversation_id = md5('new')::uuid), 3,
  'it takes over the texts without MessageSid too');
select is(last_message_at, '2026-01-02'::timestamptz, 'last_message_at is the time of the latest text')
from public.recruiting_conversations where id = md5('new')::uuid;
select is_empty(
  $$select from public.unmatched_texts where recruit_phone = '+19995551001' and service_phone = '+19995551002'$$,
  'a text that was taken over is not unmatched any more');
select results_eq(
  $$select message_sid from public.unmatched_texts where message_sid like 'test %' order by 1$$,
  array['test U2', 'test U3', 'test other'], 'texts of other numbers stay');
select is(pg_temp.receive('test U1'), 'received', 'the text sent once more is received');
select is(
  (select count(*)::integer from public.recruiting_messages where provider_message_id = 'test U1')
    + (select count(*)::integer from public.unmatched_texts where message_sid = 'test U1'),
  1, 'and is still stored once');

-- A conversation that has a later message already
select pg_temp.receive('test U4', '+19995551004');
insert into public.recruiting_conversations (id, agency_id, recruit_phone, service_phone, last_message_at) values
  (md5('later')::uuid, md5('agency')::uuid, '+19995551004', '+19995551002', '2999-01-01');
select is(last_message_at, '2999-01-01'::timestamptz, 'last_message_at never goes back')
from public.recruiting_conversations where id = md5('later')::uuid;

-- Changed numbers
select pg_temp.receive('test U5', '+19995551005');
select pg_temp.create_conversation('changed', '+19995551006', '+19995551002');
select pg_temp.receive('test U6', '+19995551006');
update public.recruiting_conversations set recruit_phone = '+19995551005' where id = md5('changed')::uuid;
select set_eq(
  $$select provider_message_id from public.recruiting_messages where conversation_id = md5('changed')::uuid$$,
  array['test U5', 'test U6'], 'a conversation whose numbers are corrected takes the texts of its new numbers over');
select is(pg_temp.receive('test U6', '+19995551006'), 'no_conversation', 'its old numbers have no conversation');
select is_empty(
  $$select from public.unmatched_texts where message_sid = 'test U6'$$,
  'a message that is stored in a conversation is not kept a second time');

insert into public.unmatched_texts (message_sid, recruit_phone, service_phone) values ('test U6', '+19995551007', '+19995551002');
select lives_ok(
  $$select pg_temp.create_conversation('seven', '+19995551007', '+19995551002')$$,
  'a text that is a message already does not stop a conversation');
select is(
  (select conversation_id from public.recruiting_messages where provider_message_id = 'test U6'), md5('changed')::uuid,
  'the message stays where it is');

-- An upsert that changes nothing
select pg_temp.receive('test U8', '+19995551008');
select lives_ok(
  $$insert into public.recruiting_conversations (agency_id, recruit_phone, service_phone)
    values (md5('agency')::uuid, '+19995551008', '+19995551002'), (md5('agency')::uuid, '+19995551008', '+19995551002')
    on conflict do nothing$$,
  'conversations may be inserted several at once');
select is(
  (select count(*)::integer from public.recruiting_messages where provider_message_id = 'test U8'), 1,
  'each takes its texts over once');

-- Postgres has room for about 6,400 locks in all
insert into public.recruiting_conversations (agency_id, recruit_phone, service_phone)
select md5('agency')::uuid, '+1999666' || n, '+19995551002' from generate_series(1000, 2499) n;
select cmp_ok(
  (select count(*)::integer from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()), '<=', 2 * 1024,
  'many conversations take no more locks than there are for consents and pairs of numbers');

select * from finish();
rollback;
