-- Acts of agents in conversations besides writing: cancel and retry texts, give conversations away, need no reply.
begin;
select plan(67);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_vendor('vendor');
insert into public.service_numbers (phone, agency_id) values ('+19995550100', md5('agency')::uuid);
insert into public.recruiting_leads (id, vendor_id, first_name, agency_id, agent_id)
values (md5('ada')::uuid, md5('vendor')::uuid, 'Ada', md5('agency')::uuid, md5('ann')::uuid);
select pg_temp.create_conversation(name, recruit, '+19995550100', assigned, lead => lead, status => status, spoke => '1 minute')
from (values
  ('hers', '+19995550001', null, 'ada', 'bot'),
  ('given', '+19995550002', 'cal', 'ada', 'escalated'),
  ('of nobody', '+19995550003', null, null, 'bot')
) c (name, recruit, assigned, lead, status);

-- Calls one of these functions as this person.
create function pg_temp.call(name text, query text) returns jsonb language sql as $$
  select pg_temp.value_as(name, 'public.' || query)
$$;
create function pg_temp.of(function text, name text) returns text language sql as $$
  select format('%s(%L)', function, md5(name)::uuid)
$$;
create function pg_temp.assign(conversation text, agent text) returns text language sql as $$
  select format('assign_conversation(%L, %L)', md5(conversation)::uuid, md5(agent)::uuid)
$$;
create function pg_temp.text_of(name text) returns text language sql as $$
  select concat_ws(' ', o.state, o.reason, m.status)
  from public.text_outbox o join public.recruiting_messages m on m.id = o.message_id
  where o.message_id = md5(name)::uuid
$$;
create function pg_temp.conversation(name text) returns text language sql as $$
  select concat_ws(' ', c.status, a.first_name, case when c.waiting_since is not null then 'waits' end)
  from public.recruiting_conversations c left join public.agents a on a.id = c.assigned_agent_id
  where c.id = md5(name)::uuid
$$;
create view pg_temp.notifications as
select n.* from public.agent_notifications n join public.agents a on a.id = n.agent_id where a.agency_id = md5('agency')::uuid;
create function pg_temp.add_inbound(name text, conversation text, ago interval) returns void language sql as $$
  insert into public.recruiting_messages (id, conversation_id, direction, sender_type, created_at)
  values (md5(name)::uuid, md5(conversation)::uuid, 'inbound', 'recruit', now() - ago);
$$;

-- Rights: as in send_text(), of each function
select pg_temp.add_text('text of hers', 'hers'), pg_temp.add_text('text of given', 'given');
select throws_ok(format('select pg_temp.call(%L, %L)', name, query), code, message, name || ' may not ' || query)
from (values
  ('cal', 'hers', 'PT404', 'there is no such %s'),
  ('ann', 'given', 'PT404', 'there is no such %s'),
  ('otto', 'given', 'PT404', 'there is no such %s'),
  ('mia', 'nothing', 'PT404', 'there is no such %s'),
  ('visitor', 'hers', '42501', 'only an active agent may write to recruits'),
  ('former', 'hers', '42501', 'only an active agent may write to recruits')
) refused (name, conversation, code, message_format)
cross join lateral (values
  (pg_temp.of('cancel_text', 'text of ' || conversation), 'message_id: ', 'text'),
  (pg_temp.of('retry_text', 'text of ' || conversation), 'message_id: ', 'text'),
  (pg_temp.of('no_reply_needed', conversation), 'conversation_id: ', 'conversation'),
  (format('assign_conversation(%L, (select private.current_agent_id()))', md5(conversation)::uuid), 'conversation_id: ', 'conversation')
) queries (query, field, thing)
cross join lateral (select case code when 'PT404' then field || format(message_format, thing) else message_format end) m (message);

-- A text is cancelled
select pg_temp.add_inbound('first', 'hers', '3 minutes'), pg_temp.add_inbound('second', 'hers', '2 minutes');
update public.recruiting_conversations set waiting_since = null where id = md5('hers')::uuid;
select is(
  pg_temp.call('ann', pg_temp.of('cancel_text', 'text of hers')),
  jsonb_build_object('message_id', md5('text of hers')::uuid, 'status', 'cancelled'), 'a text that waits is cancelled');
select is(pg_temp.text_of('text of hers'), 'refused cancelled failed', 'and never sent');
select is(waiting_since, now() - interval '3 minutes', 'so that the recruit waits again since the first text')
from public.recruiting_conversations where id = md5('hers')::uuid;
select is(
  pg_temp.call('mia', pg_temp.of('cancel_text', 'text of hers')) ->> 'status', 'cancelled', 'again, it is the same');
select is((select count(*)::integer from notifications), 0, 'nobody is notified of it');
select pg_temp.add_text('second answer', 'hers'), pg_temp.add_text('third answer', 'hers');
update public.recruiting_conversations set waiting_since = null where id = md5('hers')::uuid;
select pg_temp.call('ann', pg_temp.of('cancel_text', 'third answer'));
select is(pg_temp.conversation('hers'), 'bot', 'nobody waits while another text is an answer');
update public.text_outbox set due_at = now() + interval '1 hour', reason = 'quiet_hours' where message_id = md5('text of given')::uuid;
select is(pg_temp.call('cal', pg_temp.of('cancel_text', 'text of given')) ->> 'status', 'cancelled', 'a text that is held too');
create function pg_temp.call_in(state text, reason text, query text) returns jsonb language plpgsql as $$
begin
  update public.text_outbox o set state = call_in.state, reason = call_in.reason where o.message_id = md5('second answer')::uuid;
  return pg_temp.call('ann', query);
end
$$;
select throws_ok(
  format('select pg_temp.call_in(%L, %L, %L)', state, reason, pg_temp.of(function, 'second answer')), 'PT409', 'message_id: ' || message,
  format('%s when it is %s', function, state))
from (values
  ('cancel_text', 'sending', null, 'this text is being sent already'),
  ('cancel_text', 'unconfirmed', 'no_response', 'this text is being sent already'),
  ('cancel_text', 'accepted', null, 'this text was sent'),
  ('cancel_text', 'failed', '30003', 'this text was not sent'),
  ('cancel_text', 'refused', 'taken_over', 'this text was not sent'),
  ('retry_text', 'pending', null, 'this text is not sent yet'),
  ('retry_text', 'sending', null, 'this text is not sent yet'),
  ('retry_text', 'accepted', null, 'the provider has accepted this text'),
  ('retry_text', 'refused', 'cancelled', 'this text was refused (cancelled)')
) s (function, state, reason, message);

-- A text is sent once more
delete from public.texting_hours;
insert into public.texting_hours (opens, closes, source) values ('00:00', '24:00', 'test');
update public.recruiting_messages set status = 'failed', error_code = '30003', failed_at = now() where id = md5('second answer')::uuid;
update public.text_outbox set attempt = 3, lookups = 2, resends = 1 where message_id = md5('second answer')::uuid;
select private.notify_of_texts(md5('hers')::uuid, array[md5('second answer')::uuid], 'failed');
select is(
  pg_temp.call_in('failed', '30003', pg_temp.of('retry_text', 'second answer')),
  jsonb_build_object('message_id', md5('second answer')::uuid, 'status', 'queued', 'due_at', now()), 'a failed text is sent once more');
select results_eq(
  $$select o.state, o.reason, o.attempt, o.lookups, o.resends, m.status, m.error_code, m.failed_at
    from public.text_outbox o join public.recruiting_messages m on m.id = o.message_id where m.id = md5('second answer')::uuid$$,
  $$values ('pending', null::text, 3, 0, 0, null::text, null::text, null::timestamptz)$$,
  'it is looked for and sent again as a new one, has not failed any more, and its attempts are counted on');
select is_empty($$select from notifications where kind = 'failed'$$, 'so that the agent is notified again if it fails again');
update public.texting_hours set closes = '00:00';
update public.recruiting_conversations set last_message_at = now() - interval '13 hours' where id = md5('hers')::uuid;
select results_eq(
  format($$select r ->> 'status', (r ->> 'due_at')::timestamptz > now() from pg_temp.call_in('failed', '30003', %L) r$$,
    pg_temp.of('retry_text', 'second answer')),
  $$values ('held', true)$$, 'quiet hours hold it as any other');
select is(pg_temp.text_of('second answer'), 'pending quiet_hours', 'and it says so');
select private.record_consent(md5('agency')::uuid, '+19995550001', 'opted_out', 'keyword', 'STOP');
select throws_ok(
  format('select pg_temp.call_in(%L, null, %L)', 'failed', pg_temp.of('retry_text', 'second answer')), 'PT403',
  'message_id: the recruit has opted out of texts from this agency', 'nothing is sent to a recruit who has opted out');
select pg_temp.call_in('pending', null, pg_temp.of('cancel_text', 'second answer'));
select is(pg_temp.conversation('hers'), 'bot', 'nor do they wait when it is cancelled');
update public.recruiting_messages set provider_message_id = 'test SM1' where id = md5('second answer')::uuid;
select throws_ok(
  format('select pg_temp.call_in(%L, null, %L)', 'failed', pg_temp.of('retry_text', 'second answer')), 'PT409',
  'message_id: the provider has accepted this text', 'a text that the provider has accepted is never sent again');

-- Nobody waits any more
update public.recruiting_conversations set waiting_since = now() where id = md5('given')::uuid;
select is(
  pg_temp.call('cal', pg_temp.of('no_reply_needed', 'given')), jsonb_build_object('conversation_id', md5('given')::uuid),
  'the agent says that no reply is needed');
select is(pg_temp.conversation('given'), 'escalated cal', 'and the recruit waits no more');
select lives_ok(format('select pg_temp.call(%L, %L)', 'mia', pg_temp.of('no_reply_needed', 'given')), 'it may be said again');

-- A text that the bot was about to send is no answer
insert into public.bot_scripts (id, agency_id, version, script)
values (md5('script')::uuid, md5('agency')::uuid, 1, '{"questions": [{"id": "a"}]}');
select pg_temp.create_conversation('of bot', '+19995550004', '+19995550100');
insert into public.bot_sessions (conversation_id, script_id, question) values (md5('of bot')::uuid, md5('script')::uuid, 'a');
select pg_temp.add_inbound('to bot', 'of bot', '1 minute'), pg_temp.add_text('of the bot', 'of bot', 'bot', due => '1 hour');
select private.end_bot(md5('agency')::uuid);
select is(pg_temp.text_of('of the bot'), 'refused switched_off failed', 'a bot that is switched off says nothing more');
select is(pg_temp.conversation('of bot'), 'bot waits', 'and the recruit waits for an answer again');

-- A conversation gets another agent
select throws_ok(format('select pg_temp.call(%L, %L)', name, pg_temp.assign('given', agent)), '22023', 'agent_id: ' || message, message)
from (values
  ('cal', 'ann', 'must be your own; only a manager may name another agent'),
  ('mia', 'former', 'must be an active agent of the agency'),
  ('mia', 'eve', 'must be an active agent of the agency'),
  ('mia', 'nobody', 'must be an active agent of the agency')
) refused (name, agent, message);
select throws_ok(
  format('select pg_temp.call(%L, %L)', 'mia', format('assign_conversation(%L, null)', md5('given')::uuid)), '22023',
  'agent_id: is required', 'an agent must be named');
select pg_temp.add_inbound('question', 'of nobody', '1 minute'), pg_temp.add_text('reply', 'of nobody', 'bot');
insert into public.bot_turns (conversation_id, due_at, message_ids) values (md5('of nobody')::uuid, now(), array[md5('question')::uuid]);
insert into public.agent_notifications (agent_id, conversation_id, message_id, kind)
values (md5('mia')::uuid, md5('of nobody')::uuid, md5('question')::uuid, 'text');
select is(
  pg_temp.call('mia', pg_temp.assign('of nobody', 'cal')),
  jsonb_build_object('conversation_id', md5('of nobody')::uuid, 'status', 'escalated', 'assigned_agent_id', md5('cal')::uuid),
  'a manager gives a conversation of the bot to an agent');
select is(pg_temp.conversation('of nobody'), 'escalated cal waits', 'the recruit waits, because the bot is silent');
select is(pg_temp.text_of('reply'), 'refused taken_over failed', 'what it was about to say is not sent');
select is((select count(*)::integer from public.bot_turns), 0, 'nor does it answer');
select results_eq(
  $$select a.first_name, n.kind, n.reason, n.read_at is not null
    from notifications n join public.agents a on a.id = n.agent_id order by n.kind$$,
  $$values ('cal', 'handoff', 'assigned', false), ('mia', 'text', null, true)$$,
  'the agent is notified, and the agent who was notified before need not answer');
select pg_temp.call('mia', pg_temp.assign('of nobody', 'cal')), pg_temp.call('cal', pg_temp.assign('of nobody', 'cal'));
select is((select count(*)::integer from notifications), 2, 'again, nothing happens');
select pg_temp.call('mia', pg_temp.assign('of nobody', 'mia'));
select is(pg_temp.conversation('of nobody'), 'escalated mia waits', 'a manager takes it over, and the recruit waits on');
select results_eq(
  $$select a.first_name, n.kind, n.read_at is not null
    from notifications n join public.agents a on a.id = n.agent_id order by n.kind$$,
  $$values ('cal', 'handoff', true), ('cal', 'taken_over', false), ('mia', 'text', true)$$,
  'who has lost it is notified, and who takes it is not');
select private.record_consent(md5('agency')::uuid, '+19995550001', 'opted_in', 'keyword', 'START');
select pg_temp.call('ann', pg_temp.assign('hers', 'ann'));
select is(pg_temp.conversation('hers'), 'escalated ann', 'the recruit''s agent takes over where nobody is assigned');

select * from finish();
rollback;
