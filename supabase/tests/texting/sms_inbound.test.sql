-- An inbound message is stored once, in the conversation of its two numbers.
begin;
select plan(19);
\ir ../helpers.psql

select pg_temp.create_agency('agency', 'UTC', 'agent'), pg_temp.create_conversation('bot', '+19995550001', '+19995550002'),
  pg_temp.create_conversation('escalated', '+19995550003', '+19995550002', 'agent');

create function pg_temp.receive(recruit text, service text, sid text, body text default 'Hi', media jsonb default '[]')
returns text language sql as $$
  select public.receive_sms('+1999555' || recruit, '+1999555' || service, sid, body, media) ->> 'status'
$$;

select is(pg_temp.receive('0001', '0002', 'test SM1', E' Hi\n there '), 'received', 'a message in a bot conversation is received');
select results_eq(
  $$select conversation_id, direction, sender_type, body, media, status, error_code from public.recruiting_messages
    where provider_message_id = 'test SM1'$$,
  $$values (md5('bot')::uuid, 'inbound', 'recruit', E' Hi\n there ', '[]'::jsonb, null, null)$$,
  'it is stored as inbound from the recruit, with the body exactly as sent');
select is(last_message_at, now(), 'the conversation has the time of the message') from public.recruiting_conversations
where id = md5('bot')::uuid;
select is(pg_temp.receive('0003', '0002', 'test SM2'), 'received', 'a message in an escalated conversation is received');
select results_eq(
  $$select status, assigned_agent_id from public.recruiting_conversations where id = md5('escalated')::uuid$$,
  $$values ('escalated', md5('agent')::uuid)$$, 'an escalated conversation stays escalated');

update public.recruiting_conversations set last_message_at = null where id = md5('bot')::uuid;
select is(pg_temp.receive('0001', '0002', 'test SM1', 'again'), 'received', 'the same MessageSid again is received');
select is((select body from public.recruiting_messages where provider_message_id = 'test SM1'), E' Hi\n there ',
  'the same MessageSid is not stored again');
select is(last_message_at, null, 'the same MessageSid does not change the time in its conversation') from public.recruiting_conversations
where id = md5('bot')::uuid;

select is(pg_temp.receive(recruit, service, 'test SM3'), 'no_conversation', description)
from (values
  ('0009', '0002', 'an unknown recruit'), ('0001', '0009', 'another our number'), ('0002', '0001', 'the two numbers exchanged'),
  (null, '0002', 'no From'), ('0001', null, 'no To')
) as unmatched (recruit, service, description);
select is_empty(
  $$select from public.recruiting_messages where provider_message_id = 'test SM3'$$,
  'without a conversation no message is stored');

select pg_temp.receive('0001', '0002', 'test MM1', null, '[{"url": "https://example.com/1", "content_type": "image/png"}]');
select results_eq(
  $$select body, media from public.recruiting_messages where provider_message_id = 'test MM1'$$,
  $$values (null::text, '[{"url": "https://example.com/1", "content_type": "image/png"}]'::jsonb)$$,
  'a message with only media is stored with its media');

-- A message without MessageSid that is repeated with its message_id, as after a lost response
create function pg_temp.receive_without_sid(message text) returns text language sql as $$
  select public.receive_sms('+19995550001', '+19995550002', null, 'no sid', '[]', md5(message)::uuid) ->> 'status'
$$;
select is(pg_temp.receive_without_sid('first'), 'received', 'a message without MessageSid is received');
update public.recruiting_conversations set last_message_at = null where id = md5('bot')::uuid;
select is(
  array[pg_temp.receive_without_sid('first'), pg_temp.receive_without_sid('second')], array['received', 'received'],
  'the same message_id again and another one are received');
select is((select count(*)::integer from public.recruiting_messages where body = 'no sid'), 2, 'each message_id is stored once');

select is(
  array[pg_temp.receive('0001', '0002', repeat('x', 60000), repeat('é', 60000), null), pg_temp.receive('0001', '0002', '', '')],
  array['received', 'received'], 'very long values and an empty MessageSid are received');

select * from finish();
rollback;
