-- Delivery callbacks: each is stored, and the message gets the status of the last one.
begin;
select plan(37);
\ir ../helpers.psql

select pg_temp.create_agency('agency'), pg_temp.create_conversation('c', '+19995550001', '+19995550002');
insert into public.recruiting_messages (conversation_id, direction, sender_type, provider_message_id) values
  (md5('c')::uuid, 'outbound', 'bot', 'test SM1'), (md5('c')::uuid, 'inbound', 'recruit', 'test IN');

create function pg_temp.callback(sid text, status text, code text default null) returns text language sql as $$
  select public.update_sms_status(sid, status, code) ->> 'status'
$$;
create function pg_temp.message(sid text) returns public.recruiting_messages language sql as $$
  select m from public.recruiting_messages m where m.provider_message_id = sid
$$;

-- From any status to any other
select is(
  (select pg_temp.callback('test SM1', provider_status) || ': ' || (pg_temp.message('test SM1')).status),
  'updated: ' || status, format('%s means %s', provider_status, status))
from (values
  (1, 'queued', 'queued'), (2, 'sent', 'sent'), (3, 'delivered', 'delivered'), (4, 'undelivered', 'failed'),
  (5, 'failed', 'failed'), (6, 'queued', 'queued'), (7, 'delivered', 'delivered'), (8, 'sent', 'sent')
) as statuses (n, provider_status, status);
select is(
  (select pg_temp.callback('test SM1', provider_status) || ': ' || (pg_temp.message('test SM1')).status),
  'ignored: sent', format('%s is ignored', coalesce(quote_literal(provider_status), 'no status')))
from unnest(array['accepted', 'read', '', null, 'DELIVERED']) provider_status;

select is(
  (select count(*)::integer from public.recruiting_message_events where provider_message_id = 'test SM1'), 13,
  'every callback is stored');
select results_eq(
  $$select provider_status, status from public.recruiting_message_events
    where provider_message_id = 'test SM1' and provider_status in ('undelivered', 'accepted') order by 1 desc$$,
  $$values ('undelivered', 'failed'), ('accepted', null)$$,
  'a callback is stored as it came, with the status that it stands for');

select is(
  (select array[m.sent_at = min(e.received_at) filter (where e.status = 'sent'),
     m.delivered_at = min(e.received_at) filter (where e.status = 'delivered'),
     m.failed_at = min(e.received_at) filter (where e.status = 'failed')]
   from public.recruiting_messages m join public.recruiting_message_events e using (provider_message_id)
   where m.provider_message_id = 'test SM1' group by m.sent_at, m.delivered_at, m.failed_at),
  array[true, true, true], 'the message has the times at which it was first sent, delivered and failed');

select is(pg_temp.callback('test SM1', 'failed', '30003'), 'updated', 'a failure with a code updates the message');
select is((pg_temp.message('test SM1')).error_code, '30003', 'the message has the code');
select pg_temp.callback('test SM1', 'delivered');
select is((pg_temp.message('test SM1')).error_code, '30003', 'the code stays when a later callback has none');
select is(pg_temp.callback('test IN', 'delivered'), 'updated',
  'a callback updates an inbound message too, as the specification says "any"');

select is(pg_temp.callback(sid, 'sent'), 'ignored', 'a callback without a MessageSid is ignored')
from unnest(array[null, '', ' ']) sid;
select is_empty(
  $$select from public.recruiting_message_events where btrim(provider_message_id) = ''$$,
  'a callback without a MessageSid is not stored');
select is(pg_temp.callback(repeat('x', 60000), repeat('y', 60000), repeat('z', 60000)), 'ignored', 'very long values are no error');

-- A callback that is repeated with its event_id, as after a lost response
insert into public.recruiting_messages (conversation_id, direction, sender_type, provider_message_id) values
  (md5('c')::uuid, 'outbound', 'bot', 'test SM4');
create function pg_temp.repeatable(sid text, status text, event text) returns text language sql as $$
  select public.update_sms_status(sid, status, null, md5(event)::uuid) ->> 'status'
$$;
select is(pg_temp.repeatable('test SM4', 'sent', 'first'), 'updated', 'a callback with an event_id updates the message');
select pg_temp.callback('test SM4', 'delivered');
select is(pg_temp.repeatable('test SM4', 'sent', 'first'), 'updated', 'the same event_id again returns the first result');
select is((pg_temp.message('test SM4')).status, 'delivered', 'the same event_id again does not change the status back');
select is(
  array[pg_temp.repeatable('test SM4', 'read', 'second'), pg_temp.repeatable('test SM4', 'read', 'second')],
  array['ignored', 'ignored'], 'a callback that is ignored may be repeated too');
select is(
  array[pg_temp.repeatable('test SM5', 'sent', 'third'), pg_temp.repeatable('test SM5', 'sent', 'third')],
  array['ignored', 'ignored'], 'a callback without a message may be repeated too');
select results_eq(
  $$select provider_message_id, count(*) from public.recruiting_message_events
    where provider_message_id in ('test SM4', 'test SM5') group by 1 order by 1$$,
  $$values ('test SM4', 3::bigint), ('test SM5', 1)$$, 'each event_id is stored once');

-- A callback that comes before its message
select is(pg_temp.callback('test SM2', 'sent'), 'ignored', 'a callback that comes before its message is ignored');
select pg_temp.callback('test SM2', 'undelivered', '30005');
select pg_temp.callback('test SM2', 'accepted');
insert into public.recruiting_messages (conversation_id, direction, sender_type, provider_message_id, status) values
  (md5('c')::uuid, 'outbound', 'bot', 'test SM2', 'queued');
select is(
  (select array[status, error_code, (sent_at < failed_at)::text, delivered_at::text] from pg_temp.message('test SM2')),
  array['failed', '30005', 'true', null], 'it is applied when the message is stored');

insert into public.recruiting_messages (id, conversation_id, direction, sender_type, status) values
  (md5('handed over')::uuid, md5('c')::uuid, 'outbound', 'bot', 'queued');
select pg_temp.callback('test SM3', 'delivered');
update public.recruiting_messages set provider_message_id = 'test SM3' where id = md5('handed over')::uuid;
select is((pg_temp.message('test SM3')).status, 'delivered', 'it is applied when a stored message gets its MessageSid');
update public.recruiting_messages set body = 'corrected', status = 'queued' where id = md5('handed over')::uuid;
select is((pg_temp.message('test SM3')).status, 'queued', 'it is not applied again when the message changes otherwise');

-- Postgres has room for about 6,400 locks in all
insert into public.recruiting_messages (conversation_id, direction, sender_type, provider_message_id)
select md5('c')::uuid, 'outbound', 'bot', 'test many ' || n from generate_series(1, 600) n;
select ok(
  (select count(*) from pg_locks where locktype = 'advisory' and mode = 'ShareLock' and pid = pg_backend_pid()) <= 256,
  'a transaction takes at most 256 locks for however many messages');
select is(pg_temp.callback('test many 600', 'delivered'), 'updated', 'a callback finds a message that came with many');

select * from finish();
rollback;
