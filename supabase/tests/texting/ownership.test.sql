-- Whose conversation it is: a manager takes one over from an agent, who is notified, keeps what was queued and may ask for
-- it.
begin;
select plan(44);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_vendor('vendor');
update public.agents set last_name = 'Quist' where first_name = 'ann';
insert into auth.users (id, email) values (md5('user moe')::uuid, 'moe@example.com');
insert into public.agents (id, agency_id, user_id, first_name, role)
values (md5('moe')::uuid, md5('agency')::uuid, md5('user moe')::uuid, 'moe', 'manager');
insert into public.service_numbers (phone, agency_id) values ('+19995550100', md5('agency')::uuid);
insert into public.recruiting_leads (id, vendor_id, first_name, agency_id, agent_id)
values (md5('of ann')::uuid, md5('vendor')::uuid, 'Ada', md5('agency')::uuid, md5('ann')::uuid);
select pg_temp.create_conversation(name, recruit, '+19995550100', assigned, lead => lead, status => status, spoke => '1 minute')
from (values
  ('anns', '+19995550001', 'ann', null, 'escalated'),
  ('of the bot', '+19995550002', 'ann', null, 'bot'),
  ('of the lead', '+19995550003', null, 'of ann', 'bot'),
  ('of nobody', '+19995550004', null, null, 'bot'),
  ('mias', '+19995550005', 'mia', null, 'escalated'),
  ('formers', '+19995550006', 'former', null, 'escalated'),
  ('of cal', '+19995550007', 'cal', 'of ann', 'escalated')
) c (name, recruit, assigned, lead, status);

-- Sends a text as the API does, with the arguments that it names. Returns its status, and whose the conversation is.
create function pg_temp.send(name text, conversation text, client text, more text default '') returns text language plpgsql as $$
declare
  status text;
begin
  perform pg_temp.become(name);
  execute format(
    'select public.send_text(conversation_id => %L, body => %L, client_message_id => %L, media => %L %s) ->> %L',
    md5(conversation)::uuid, 'Hi', md5(client)::uuid, '[]', more, 'status') into status;
  reset role;
  return concat_ws(' ', status, (
    select concat_ws(' ', c.status, a.first_name)
    from public.recruiting_conversations c left join public.agents a on a.id = c.assigned_agent_id
    where c.id = md5(conversation)::uuid));
end
$$;
create function pg_temp.take(name text, conversation text, client text) returns text language sql as $$
  select pg_temp.send(name, conversation, client, ', take_over => true')
$$;
create function pg_temp.call(name text, query text) returns jsonb language sql as $$
  select pg_temp.value_as(name, 'public.' || query)
$$;
create function pg_temp.ask(name text, conversation text) returns jsonb language sql as $$
  select pg_temp.call(name, format('ask_for_conversation(%L)', md5(conversation)::uuid))
$$;
create function pg_temp.assign(name text, conversation text, agent text) returns jsonb language sql as $$
  select pg_temp.call(name, format('assign_conversation(%L, %L)', md5(conversation)::uuid, md5(agent)::uuid))
$$;
-- Notifications of a conversation that are unread: "ann taken_over by mia".
create function pg_temp.notified(conversation text) returns text[] language sql as $$
  select array_agg(
    concat_ws(' ', a.first_name, n.kind, 'by ' || b.first_name) order by a.first_name, n.kind)
  from public.agent_notifications n
  join public.agents a on a.id = n.agent_id
  left join public.agents b on b.id = n.by_agent_id
  where n.conversation_id = md5(conversation)::uuid and n.read_at is null
$$;

-- Nobody loses a conversation unasked
select throws_ok(
  $$select pg_temp.send('mia', 'anns', 'first')$$, 'PT409', 'take_over: ann Quist has this conversation',
  'a manager who sends to an agent''s conversation reads whose it is');
select throws_ok(
  format($$select pg_temp.send('mia', 'anns', 'first', ', take_over => %s')$$, given), 'PT409',
  'take_over: ann Quist has this conversation', 'also with ' || given)
from unnest(array['false', 'null']) given;
select is_empty(
  $$select from public.recruiting_messages where conversation_id = md5('anns')::uuid$$, 'and nothing is stored');
select is(pg_temp.notified('anns'), null, 'nobody is notified');
select throws_ok(
  $$select pg_temp.take('cal', 'anns', 'first')$$, 'PT404', 'conversation_id: there is no such conversation',
  'a colleague takes nothing over');

-- A manager takes it over
insert into public.recruiting_messages (id, conversation_id, direction, sender_type, body)
values (md5('to ann')::uuid, md5('anns')::uuid, 'inbound', 'recruit', 'Hi');
insert into public.agent_notifications (agent_id, conversation_id, message_id, kind)
values (md5('ann')::uuid, md5('anns')::uuid, md5('to ann')::uuid, 'text');
select is(pg_temp.send('ann', 'anns', 'of ann'), 'queued escalated ann', 'the agent writes');
select is(pg_temp.take('mia', 'anns', 'first'), 'queued escalated mia', 'a manager takes it over by a text');
select results_eq(
  $$select a.first_name from public.recruiting_messages m join public.text_outbox o on o.message_id = m.id
    join public.agents a on a.id = m.sent_by where m.conversation_id = md5('anns')::uuid order by o.ordinal$$,
  array['ann', 'mia'], 'each text says who wrote it');
select is(pg_temp.notified('anns'), array['ann taken_over by mia'], 'the agent is notified by whom, and need not answer');
select is(
  (select count(*)::integer from public.text_outbox where conversation_id = md5('anns')::uuid and state = 'pending'), 2,
  'what the agent has sent stays');
select is(pg_temp.take('mia', 'anns', 'second'), 'queued escalated mia', 'who has it takes it over from nobody');
select is(pg_temp.notified('anns'), array['ann taken_over by mia'], 'and notifies nobody');
select is(pg_temp.send('mia', 'anns', 'third'), 'queued escalated mia', 'nor need take_over be said');

-- The same text is one text, with any owner of the conversation
select is(pg_temp.send('mia', 'anns', 'first'), 'duplicate escalated mia', 'the same text is never asked about again');
select is(pg_temp.send('ann', 'anns', 'of ann'), 'duplicate escalated mia', 'nor is one whose agent has lost the conversation');
select throws_ok(
  $$select pg_temp.send('ann', 'anns', 'new')$$, 'PT404', 'conversation_id: there is no such conversation',
  'who sends nothing new there');
select throws_ok(
  $$select pg_temp.send('otto', 'anns', 'first')$$, 'PT404', 'conversation_id: there is no such conversation',
  'another agency hears of no text');
select is(pg_temp.take('moe', 'anns', 'of moe'), 'queued escalated moe', 'another manager takes it over');
select is(pg_temp.send('mia', 'anns', 'first'), 'duplicate escalated moe', 'a repeated text takes nothing back');
select is(pg_temp.notified('anns'), array['ann taken_over by mia', 'mia taken_over by moe'], 'each is notified once');

-- A conversation that is nobody's, the sender's or the bot's is taken over as ever
select is(pg_temp.send(name, conversation, 'x'), 'queued escalated mia', conversation || ': no question')
from (values ('mia', 'of the bot'), ('mia', 'of the lead'), ('mia', 'of nobody'), ('mia', 'mias'), ('mia', 'formers')) c (name, conversation);
select results_eq(
  $$select name, pg_temp.notified(name) from unnest(array['of the bot', 'of the lead', 'of nobody', 'mias', 'formers']) name$$,
  $$values ('of the bot', array['ann taken_over by mia']), ('of the lead', array['ann taken_over by mia']), ('of nobody', null),
    ('mias', null), ('formers', null)$$, 'who was to answer there is notified');

-- An agent who has lost a conversation asks for it
select throws_ok(format('select pg_temp.ask(%L, %L)', name, conversation), code, message, name || ' asks for ' || conversation)
from (values
  ('cal', 'anns', 'PT404', 'conversation_id: there is no such conversation'),
  ('otto', 'anns', 'PT404', 'conversation_id: there is no such conversation'),
  ('former', 'anns', '42501', 'only an active agent may write to recruits'),
  ('moe', 'anns', 'PT409', 'conversation_id: you may write in this conversation already'),
  ('cal', 'of cal', 'PT409', 'conversation_id: you may write in this conversation already')
) refused (name, conversation, code, message);
select is(pg_temp.ask('ann', 'anns'), pg_temp.ask('ann', 'anns'), 'an agent asks, and may repeat it');
select is(
  pg_temp.notified('anns'), array['ann taken_over by mia', 'mia taken_over by moe', 'moe asked_for by ann'],
  'the manager who has it is notified once');
select pg_temp.ask('ann', 'of cal');
select is(
  pg_temp.notified('of cal'), array['mia asked_for by ann', 'moe asked_for by ann'],
  'the recruit''s agent may ask, and each manager is notified where none has it');
select pg_temp.assign('moe', 'anns', 'ann');
select is(
  pg_temp.notified('anns'), array['ann handoff', 'mia taken_over by moe'],
  'once the agent has it again, nobody asks, it is lost no more, and the manager who gives it away is not notified');

-- To begin a conversation that a colleague has takes it from nobody unasked
update public.recruiting_leads set vendor_metadata = '{"phone": "+19995550007"}' where id = md5('of ann')::uuid;
create function pg_temp.start(name text, agent text) returns text language sql as $$
  select pg_temp.call(name, format('start_conversation(%L, %L)', md5('of ann')::uuid, md5(agent)::uuid)) ->> 'conversation_id'
$$;
select throws_ok(
  $$select pg_temp.start('ann', 'ann')$$, 'PT404', 'conversation_id: there is no such conversation', 'the recruit''s agent does not take it');
select throws_ok(
  $$select pg_temp.start('ann', 'mia')$$, '22023', 'agent_id: must be your own; only a manager may name another agent',
  'nor gives anything away');
select is(pg_temp.start('ann', null), md5('of cal')::uuid::text, 'but finds it');
select is(
  (select assigned_agent_id from public.recruiting_conversations where id = md5('of cal')::uuid), md5('cal')::uuid,
  'and it stays the colleague''s');
select is(pg_temp.start('mia', 'ann'), md5('of cal')::uuid::text, 'a manager gives it away');
select is(
  pg_temp.notified('of cal'), array['ann handoff', 'cal taken_over by ann'], 'and both agents are notified');

update public.agents set is_active = false where role = 'manager' and agency_id = md5('agency')::uuid;
update public.recruiting_conversations set status = 'escalated', assigned_agent_id = md5('cal')::uuid where id = md5('of cal')::uuid;
select throws_ok(
  $$select pg_temp.ask('ann', 'of cal')$$, 'PT409', 'conversation_id: the agency has no active manager who could give it to you',
  'where there is no manager, nobody is asked, and the agent hears so');

select throws_ok(
  $$delete from public.agents where id = (select sent_by from public.recruiting_messages where sent_by is not null limit 1)$$, 'PT409',
  'it has recruiting_messages', 'an agent who has written a text is not removed');

select * from finish();
rollback;
