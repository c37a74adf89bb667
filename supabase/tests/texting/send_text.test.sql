-- send_text(): who may send, what is refused, and what is queued.
begin;
select plan(60);
\ir ../helpers.psql

select pg_temp.create_people();
select pg_temp.create_vendor('vendor');
insert into public.recruiting_leads (id, vendor_id, first_name, agency_id, agent_id, distributed_at)
values (md5('lead')::uuid, md5('vendor')::uuid, 'Lea', md5('agency')::uuid, md5('ann')::uuid, now());
insert into public.service_numbers (phone, agency_id) values
  ('+19995550100', md5('agency')::uuid), ('+19995550101', md5('elsewhere')::uuid);
select pg_temp.create_conversation(name, recruit, service, assigned, status => status, lead => lead, spoke => '0')
from (values
  ('escalated', '+19995550001', '+19995550100', 'escalated', 'ann', null),
  ('bot', '+19995550002', '+19995550100', 'bot', 'ann', null),
  ('unassigned', '+19995550003', '+19995550100', 'bot', null, 'lead'),
  ('of nobody', '+19995550004', '+19995550100', 'bot', null, null),
  ('cal''s', '+19995550005', '+19995550100', 'escalated', 'cal', 'lead'),
  ('other number', '+19995550006', '+19995550101', 'escalated', 'ann', null),
  ('no number', '+19995550007', '+19995550102', 'escalated', 'ann', null),
  ('opted out', '+19995550008', '+19995550100', 'escalated', 'ann', null)
) c (name, recruit, service, status, assigned, lead);
select private.record_consent(md5('agency')::uuid, '+19995550008', 'opted_out', 'keyword', 'STOP');
-- Closed all day, so that a text is held when nothing exempts it.
delete from public.texting_hours;
insert into public.texting_hours (opens, closes, source) values ('00:00', '00:00', 'test');

-- Calls it as the API does for a signed-in user, with the claims of the JWT and the role.
create function pg_temp.send_as(
  name text, conversation text, body text default 'Hi', client text default gen_random_uuid()::text,
  media jsonb default '[]', take_over boolean default false
) returns jsonb language sql as $$
  select pg_temp.value_as(name, format('public.send_text(%L, %L, %L, %L, %L)', md5(conversation)::uuid, body, md5(client)::uuid, media, take_over))
$$;
create function pg_temp.conversation(name text) returns text language sql as $$
  select c.status || ' ' || coalesce(a.first_name, 'nobody')
  from public.recruiting_conversations c left join public.agents a on a.id = c.assigned_agent_id
  where c.id = md5(name)::uuid
$$;

-- The right to send
select throws_ok(format('select pg_temp.send_as(%L, %L)', name, conversation), code, message, name || ' may not send to ' || conversation)
from (values
  ('visitor', 'escalated', '42501', 'only an active agent may write to recruits'),
  ('former', 'escalated', '42501', 'only an active agent may write to recruits'),
  ('cal', 'escalated', 'PT404', 'conversation_id: there is no such conversation'),
  ('ann', 'cal''s', 'PT404', 'conversation_id: there is no such conversation'),
  ('cal', 'unassigned', 'PT404', 'conversation_id: there is no such conversation'),
  ('ann', 'of nobody', 'PT404', 'conversation_id: there is no such conversation'),
  ('eve', 'escalated', 'PT404', 'conversation_id: there is no such conversation'),
  ('otto', 'escalated', 'PT404', 'conversation_id: there is no such conversation'),
  ('mia', 'unknown', 'PT404', 'conversation_id: there is no such conversation')
) as refused (name, conversation, code, message);

-- Bad input
select throws_ok(format('select pg_temp.send_as(%L, %L, %L, %L, %L)', 'ann', 'escalated', body, client, media), '22023', message, message)
from (values
  (null, '1', '[]', 'body: must not be empty'),
  (E' \n\t ', '1', 'null', 'body: must not be empty'),
  (E'\u00ad \u2066\u202e\u200d\ufe0f\ufeff\U000e0041\u0007', '1', '[]', 'body: must not be empty'),
  (repeat('x', 1601), '1', '[]', 'body: must have at most 1600 characters, counted in UTF-16 units (most emoji have 2 or more)'),
  (repeat('😀', 801), '1', '[]', 'body: must have at most 1600 characters, counted in UTF-16 units (most emoji have 2 or more)'),
  ('Hi', null, '[]', 'client_message_id: is required'),
  ('Hi', '1', '{}', 'media: must be an array'),
  ('Hi', '1', '["https://example.com/1.jpg"]', 'media[0]: must be an object'),
  ('Hi', '1', '[{"url": "https://example.com/1.jpg"}]', 'media[0].content_type: is required'),
  ('Hi', '1', '[{"content_type": "image/jpeg"}]', 'media[0].url: is required'),
  ('Hi', '1', '[{"url": "https://example.com/1.jpg", "content_type": "image/jpeg", "size": 1}]', 'media[0].size: unknown field')
) as bad (body, client, media, message);
select throws_ok(
  format('select pg_temp.send_as(%L, %L, media => %L)', 'ann', 'escalated', jsonb_build_array(
    jsonb_build_object('url', 'https://example.com/1.jpg', 'content_type', 'image/jpeg'),
    jsonb_build_object('url', url, 'content_type', 'image/jpeg'))),
  '22023', 'media[1].url: must begin with https://, or be text-media/<conversation_id>/<name> with a name of A-Z, a-z, 0-9 and '
    '!-_.*''()&$@=;:+,', 'not a url: ' || url)
from unnest(array[
  'http://example.com/1.jpg', 'https:///1.jpg', 'text-media/1.jpg',
  'text-media/' || md5('bot')::uuid || '/1.jpg', 'text-media/' || md5('escalated')::uuid || '/',
  'https://example.com/a b',
  -- Ways from the conversation's folder to another one, as a URL reads them
  'text-media/' || md5('escalated')::uuid || '/../1.jpg', 'text-media/' || md5('escalated')::uuid || '/%2e%2e',
  'text-media/' || md5('escalated')::uuid || '/..\' || md5('bot')::uuid || '\1.jpg',
  'text-media/' || md5('escalated')::uuid || '/1.jpg?download']) url;
select throws_ok(
  format('select pg_temp.send_as(%L, %L, media => %L)', 'ann', 'escalated', jsonb_build_array(
    jsonb_build_object('url', 'https://example.com/1.jpg', 'content_type', repeat('x', 256)))),
  '22023', 'media[0].content_type: must have at most 255 characters', 'a long content_type is refused');
select throws_ok(
  format('select pg_temp.send_as(%L, %L, media => %L)', 'ann', 'escalated', (
    select jsonb_agg(jsonb_build_object('url', 'https://example.com/' || n, 'content_type', 'image/jpeg'))
    from generate_series(1, 11) n)),
  '22023', 'media: must have at most 10 items', 'eleven files are refused');
select throws_ok(format('select pg_temp.send_as(%L, %L)', name, conversation), code, message, description)
from (values
  ('ann', 'other number', 'PT409', 'conversation_id: its number is not one of the agency''s service numbers',
    'another agency''s number is refused'),
  ('ann', 'no number', 'PT409', 'conversation_id: its number is not one of the agency''s service numbers', 'an unknown number is refused'),
  ('ann', 'opted out', 'PT403', 'conversation_id: the recruit has opted out of texts from this agency',
    'a recruit who has opted out is not texted')
) as refused (name, conversation, code, message, description);
select throws_ok(
  $$select pg_temp.send_as('mia', 'opted out', take_over => true)$$, 'PT403', null, 'nor does a manager text who has opted out');
select is(
  (select count(*)::integer from public.recruiting_messages m join public.recruiting_conversations c on c.id = m.conversation_id
   where c.agency_id = md5('agency')::uuid), 0, 'nothing that is refused is stored');
select is(pg_temp.conversation('bot'), 'bot ann', 'nor changes it a conversation');

-- Queued texts
create temp table first as select pg_temp.send_as('ann', 'escalated', E' Hé€llo\n', 'first') as result;
select results_eq(
  $$select result - 'message_id' from first$$,
  $$select jsonb_build_object('status', 'queued', 'due_at', now(), 'segments', 1)$$, 'a text is queued, due at once');
select results_eq(
  $$select m.direction, m.sender_type, m.body, m.media, m.status, m.provider_message_id
    from public.recruiting_messages m, first where m.id = (result ->> 'message_id')::uuid$$,
  $$values ('outbound', 'agent', E' Hé€llo\n', '[]'::jsonb, null::text, null::text)$$,
  'its message is stored exactly as written, without a status');
select results_eq(
  $$select o.kind, o.state, o.due_at, o.attempt, o.reason, o.conversation_id, o.service_phone
    from public.text_outbox o, first where o.message_id = (result ->> 'message_id')::uuid$$,
  $$values ('agent', 'pending', now(), 0, null::text, md5('escalated')::uuid, '+19995550100')$$,
  'it stands in the outbox');
select results_eq(
  $$select pg_temp.send_as('ann', 'escalated', 'Another text', 'first')$$,
  $$select result || '{"status": "duplicate"}' from first$$, 'the same client_message_id is the first text');
select is((select count(*)::integer from public.text_outbox where conversation_id = md5('escalated')::uuid), 1, 'and stored once');
select is(pg_temp.send_as('ann', 'bot', 'Hi', 'first') ->> 'status', 'queued', 'in another conversation it is another text');
select is(pg_temp.conversation('bot'), 'escalated ann', 'sending takes a conversation over from the bot');
select is(pg_temp.send_as('ann', 'escalated', repeat('ж', 1600)) ->> 'segments', '24', '1,600 characters are sent in segments');
select is(pg_temp.send_as('ann', 'escalated', repeat('😀', 800)) ->> 'status', 'queued', '800 emoji of two UTF-16 units each are sent');
select is(pg_temp.conversation('escalated'), 'escalated ann', 'and the agent of a conversation keeps it');
select is(pg_temp.send_as('ann', 'unassigned') ->> 'status', 'queued', 'the lead''s agent may send where nobody is assigned');
select is(pg_temp.conversation('unassigned'), 'escalated ann', 'and has the conversation from then on');
select is(pg_temp.send_as('mia', 'of nobody') ->> 'status', 'queued', 'a manager may send in any conversation of the agency');
select is(pg_temp.conversation('of nobody'), 'escalated mia', 'and takes over from the bot too');
select pg_temp.send_as('ann', 'escalated', '', media => jsonb_build_array(jsonb_build_object(
  'url', format('text-media/%s/a.jpg', md5('escalated')::uuid), 'content_type', 'image/jpeg')));
select results_eq(
  $$select m.body, m.media ->> 0, o.segments from public.recruiting_messages m join public.text_outbox o on o.message_id = m.id
    where m.media <> '[]'$$,
  $$values ('', format('{"url": "text-media/%s/a.jpg", "content_type": "image/jpeg"}', md5('escalated')::uuid), 1)$$,
  'a file needs no body, and counts as one segment');

-- Texts that are held
update public.recruiting_conversations set last_message_at = now() - interval '12 hours' where id = md5('escalated')::uuid;
create temp table held as select pg_temp.send_as('ann', 'escalated', 'Later') as result;
select is(result ->> 'status', 'held', 'twelve hours after the recruit''s text, quiet hours hold a text') from held;
select results_eq(
  $$select o.state, o.reason, to_jsonb(o.due_at) from public.text_outbox o, held where o.message_id = (result ->> 'message_id')::uuid$$,
  $$select 'pending', 'quiet_hours', result -> 'due_at' from held$$, 'it says why, and until when');
select public.receive_sms('+19995550001', '+19995550100', 'test reply', 'Hi', '[]');
select results_eq(
  $$select o.state, o.reason, o.due_at from public.text_outbox o, held where o.message_id = (result ->> 'message_id')::uuid$$,
  $$values ('pending', null::text, now())$$, 'a text of the recruit releases it');
update public.texting_hours set opens = '00:00', closes = '24:00';
update public.service_numbers set status = 'paused', paused_reason = '30034' where phone = '+19995550100';
create temp table paused as select pg_temp.send_as('ann', 'escalated', 'Paused') as result;
select results_eq(
  $$select result ->> 'status', o.reason from public.text_outbox o, paused where o.message_id = (result ->> 'message_id')::uuid$$,
  $$values ('held', 'number_paused')$$, 'a paused number takes a text and holds it');
update public.service_numbers set status = 'active' where phone = '+19995550100';
select results_eq(
  $$select n.paused_reason, o.reason from public.service_numbers n, public.text_outbox o, paused
    where n.phone = '+19995550100' and o.message_id = (result ->> 'message_id')::uuid$$,
  $$values (null::text, null::text)$$, 'once it is active, nothing says that it is paused');

-- Rows that the table refuses
insert into public.recruiting_messages (id, conversation_id, direction, sender_type)
values (md5('inbound')::uuid, md5('bot')::uuid, 'inbound', 'recruit');
select throws_ok(
  $$insert into public.text_outbox (message_id, kind) values (md5('inbound')::uuid, 'agent')$$, '23503',
  'message_id: there is no such outbound message', 'what a recruit has sent is never sent');
select throws_ok(
  $$insert into public.text_outbox (message_id, kind) values (gen_random_uuid(), 'agent')$$, '23503',
  'message_id: there is no such outbound message', 'nor is what is no message');
select * from finish();
rollback;
