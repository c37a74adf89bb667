-- The inbox: each conversation with its agent, its latest text, and whether it waits or is unread. The signed-in user.
begin;
select plan(51);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_vendor('vendor');
insert into public.service_numbers (phone, agency_id) values ('+19995550100', md5('agency')::uuid);
insert into public.recruiting_leads (id, vendor_id, first_name, vendor_metadata, agency_id, agent_id)
values (md5('ada')::uuid, md5('vendor')::uuid, 'Ada', '{"last_name": "Byron", "state": "TX"}', md5('agency')::uuid, md5('ann')::uuid);
select pg_temp.create_conversation(name, recruit, '+19995550100', assigned, lead => lead, status => status)
from (values
  ('hers', '+19995550001', null, 'ada', 'bot'),
  ('given', '+19995550002', 'cal', 'ada', 'escalated'),
  ('unknown', '+19995550003', 'cal', null, 'escalated')
) c (name, recruit, assigned, lead, status);
update public.recruiting_conversations set last_text_at = '2026-01-01', created_at = '2026-01-01' where agency_id = md5('agency')::uuid;

-- The row of a conversation in this person's inbox.
create function pg_temp.inbox(name text, conversation text) returns public.inbox language plpgsql as $$
declare
  found public.inbox;
begin
  perform pg_temp.become(name);
  select i.* into found from public.inbox i where i.id = md5(conversation)::uuid;
  reset role;
  return found;
end
$$;
create function pg_temp.read_as(name text, conversation text, up_to timestamptz) returns integer language sql as $$
  select pg_temp.value_as(name, format('public.read_conversation(%L, %L)', md5(conversation)::uuid, up_to))::integer
$$;
create function pg_temp.counts(name text) returns text language sql as $$
  select pg_temp.result_as(name, $q$
    select concat_ws(' ', waiting, waiting_for_me, bot, failed, held, total, mine, nobody)
    from public.inbox_counts where agency_id = md5('agency')::uuid
  $q$)
$$;
-- A text of the recruit, as the provider got it.
create function pg_temp.text(conversation text, body text, received timestamptz) returns void language plpgsql as $$
begin
  perform public.receive_sms(c.recruit_phone, c.service_phone, 'test ' || gen_random_uuid(), body,
    case body when '' then '[{"url": "https://example.com/1", "content_type": "image/png"}]' else '[]' end::jsonb,
    received_at => received)
  from public.recruiting_conversations c where c.id = md5(conversation)::uuid;
end
$$;

-- The agent who answers, and the recruit
select results_eq(
  format('select name, state, agent, agent_id from pg_temp.inbox(%L, %L)', reader, conversation),
  format('values (%L::text, %L::text, %L::text, %L::uuid)', name, state, agent, md5(agent)::uuid), description)
from (values
  ('ann', 'hers', 'Ada Byron', 'TX', 'ann', 'where nobody is assigned, the recruit''s agent answers'),
  ('ann', 'given', 'Ada Byron', 'TX', 'cal', 'else the assigned agent'),
  ('cal', 'given', 'Ada Byron', 'TX', 'cal', 'who reads the name of a colleague''s recruit'),
  ('cal', 'unknown', null, null, 'cal', 'a conversation without a lead has no name')
) as rows (reader, conversation, name, state, agent, description);
select results_eq(
  format('select pg_temp.counts(%L)', reader), format('values (%L)', counts), description)
from (values
  ('ann', '0 0 1 0 0 2 1 0', 'who reads two conversations counts these: one with the bot, and that is hers'),
  ('cal', '0 0 0 0 0 2 2 0', 'so does a colleague')
) as rows (reader, counts, description);
select pg_temp.become('cal');
select is((select count(*)::integer from public.recruiting_leads), 1, 'and the recruit too');
reset role;

-- Whether the bot answers
insert into public.bot_scripts (id, agency_id, version) values (md5('script')::uuid, md5('agency')::uuid, 1);
select is((pg_temp.inbox('ann', 'hers')).has_bot, false, 'a bot that was not begun does not answer');
insert into public.bot_sessions (conversation_id, script_id, question)
select md5(conversation)::uuid, md5('script')::uuid, 'licensed' from unnest(array['hers', 'given']) conversation;
select is((pg_temp.inbox('ann', 'hers')).has_bot, true, 'one whose session is active does');
select is((pg_temp.inbox('ann', 'given')).has_bot, false, 'unless a person answers');
update public.bot_sessions set state = 'stopped', reason = 'switched_off' where conversation_id = md5('hers')::uuid;
select is((pg_temp.inbox('ann', 'hers')).has_bot, false, 'nor does it once it has stopped');
delete from public.bot_sessions where script_id = md5('script')::uuid;

-- The latest text, and the recruits who wait
select results_eq(
  $$select last_body, last_sender, last_media, waiting_since, is_unread, is_opted_out from pg_temp.inbox('ann', 'hers')$$,
  $$values (null::text, null::text, 0, null::timestamptz, false, false)$$, 'before the first text nobody waits');
select pg_temp.text('hers', 'Hi', '2026-02-01 10:00+00');
select results_eq(
  $$select last_body, last_sender, last_media, waiting_since, last_text_at, is_unread from pg_temp.inbox('ann', 'hers')$$,
  $$values ('Hi', 'recruit', 0, timestamptz '2026-02-01 10:00+00', timestamptz '2026-02-01 10:00+00', true)$$,
  'a recruit''s text is unread, and the recruit waits');
select pg_temp.text('hers', '', '2026-02-01 11:00+00');
select results_eq(
  $$select last_body, last_media, waiting_since, last_text_at from pg_temp.inbox('ann', 'hers')$$,
  $$values ('', 1, timestamptz '2026-02-01 10:00+00', timestamptz '2026-02-01 11:00+00')$$,
  'since their first text, also with another one, which has a file');
select pg_temp.text('hers', 'Earlier', '2026-02-01 09:00+00');
select results_eq(
  $$select last_body, waiting_since, last_text_at from pg_temp.inbox('ann', 'hers')$$,
  $$values ('', timestamptz '2026-02-01 09:00+00', timestamptz '2026-02-01 11:00+00')$$, 'a text that is fetched later counts as of its time');
select private.queue_text(md5('hers')::uuid, 'agent', 'Hello');
update public.recruiting_messages set sent_by = md5('mia')::uuid where body = 'Hello';
select results_eq(
  $$select last_body, last_sender, last_author, waiting_since, last_text_at from pg_temp.inbox('ann', 'hers')$$,
  $$values ('Hello', 'agent', 'mia', null::timestamptz, now())$$, 'one of our texts is an answer');
select pg_temp.text('hers', 'Thanks', null);
select is((pg_temp.inbox('ann', 'hers')).waiting_since, now(), 'after which the recruit may wait anew');
select pg_temp.text('hers', 'Other', '2026-03-01'), pg_temp.text('given', 'Hi', now() - interval '1 minute');
update public.recruiting_conversations set recruit_phone = '+19995550009', service_phone = '+19995550101' where id = md5('unknown')::uuid;
select private.record_consent(md5('agency')::uuid, '+19995550001', 'opted_out', 'manager', agent_id => md5('mia')::uuid, reason => 'Call');
select results_eq(
  $$select waiting_since, is_opted_out from pg_temp.inbox('ann', 'hers')$$, $$values (null::timestamptz, true)$$,
  'nobody waits who has opted out');
select is((pg_temp.inbox('ann', 'given')).waiting_since, now() - interval '1 minute', 'another recruit still does');
select pg_temp.text('given', 'STOP', null);
select results_eq(
  $$select waiting_since, is_opted_out, is_unread, last_body from pg_temp.inbox('cal', 'given')$$,
  $$values (null::timestamptz, true, true, 'STOP')$$, 'a STOP waits for no answer, and is unread');
select pg_temp.text('given', 'Where is your office?', null);
select results_eq(
  $$select waiting_since, is_due, is_unread, last_body from pg_temp.inbox('cal', 'given')$$,
  $$values (null::timestamptz, false, true, 'Where is your office?')$$, 'nor does what follows a STOP, which nobody may answer');
select is(
  (select count(*)::integer from public.agent_notifications n where n.conversation_id = md5('given')::uuid and n.kind = 'text'), 2,
  'though the agent is notified of it');
select pg_temp.text('given', 'START', null);
select is((pg_temp.inbox('cal', 'given')).waiting_since, now(), 'with a START the recruit waits');

-- Conversations that are read
update public.recruiting_conversations set last_message_at = '2026-02-01 10:00:00.123456+00' where id = md5('hers')::uuid;
insert into public.recruiting_messages (id, conversation_id, direction, sender_type, created_at)
select md5('text ' || n)::uuid, md5('hers')::uuid, 'inbound', 'recruit', timestamptz '2026-02-01 10:00:00.123456+00' + n * interval '1 minute'
from generate_series(0, 1) n;
delete from public.agent_notifications where conversation_id = md5('hers')::uuid;
insert into public.agent_notifications (agent_id, conversation_id, message_id, kind)
select md5(agent)::uuid, md5('hers')::uuid, md5('text ' || n)::uuid, 'text'
from unnest(array['ann', 'mia']) agent, generate_series(0, 1) n;
insert into public.agent_notifications (agent_id, conversation_id, kind, created_at) values
  (md5('ann')::uuid, md5('hers')::uuid, 'handoff', '2026-02-01 09:00+00'), (md5('ann')::uuid, md5('given')::uuid, 'handoff', '2026-01-01');
select is((pg_temp.inbox(reader, 'hers')).is_unread, true, reader || ' has read nothing yet') from unnest(array['ann', 'mia']) reader;
select is(pg_temp.read_as('ann', 'hers', '2026-02-01 10:00:00.123456+00'), 2, 'the notifications up to then are read');
select is((pg_temp.inbox('ann', 'hers')).is_unread, false, 'what the agent has read up to is not unread');
select is((pg_temp.inbox('mia', 'hers')).is_unread, true, 'for a manager it is');
select is(pg_temp.read_as('ann', 'hers', '2026-01-01'), 0, 'an earlier time comes later');
select is((pg_temp.inbox('ann', 'hers')).is_unread, false, 'and changes nothing');
select results_eq(
  $$select a.first_name, n.kind, n.read_at is not null from public.agent_notifications n join public.agents a on a.id = n.agent_id
    where n.conversation_id = md5('hers')::uuid order by a.first_name, n.kind, n.message_id <> md5('text 0')::uuid$$,
  $$values ('ann', 'handoff', true), ('ann', 'text', true), ('ann', 'text', false), ('mia', 'text', false), ('mia', 'text', false)$$,
  'later texts are not read, nor those of colleagues');
select is(pg_temp.read_as('ann', 'hers', 'infinity'), 1, 'an end of time is now');
update public.recruiting_conversations set last_message_at = now() + interval '1 second' where id = md5('hers')::uuid;
select is((pg_temp.inbox('ann', 'hers')).is_unread, true, 'so that the next text is unread');
select is(pg_temp.read_as('mia', 'hers', now()), 2, 'a manager reads too');
select throws_ok(format('select pg_temp.read_as(%L, %L, %L)', reader, conversation, up_to), code, message, reader || ' does not read ' || conversation)
from (values
  ('cal', 'hers', 'now', 'PT404', 'conversation_id: there is no such conversation'),
  ('otto', 'hers', 'now', 'PT404', 'conversation_id: there is no such conversation'),
  ('mia', 'nothing', 'now', 'PT404', 'conversation_id: there is no such conversation'),
  ('former', 'hers', 'now', '42501', 'only an active agent may read a conversation'),
  ('visitor', 'hers', 'now', '42501', 'only an active agent may read a conversation'),
  ('ann', 'hers', null, '22023', 'up_to: is required')
) as refused (reader, conversation, up_to, code, message);

-- When a text that is written now would be sent
create function pg_temp.hours(name text, conversation text) returns jsonb language sql as $$
  select pg_temp.value_as(name, format('public.text_hours_of(%L)', md5(conversation)::uuid))
$$;
select pg_temp.create_conversation('texan', '+12125550101', '+19995550100', 'cal'),
  pg_temp.create_conversation('new yorker', '+12125550102', '+19995550100', 'cal'),
  pg_temp.create_conversation('just wrote', '+12125550103', '+19995550100', 'cal', spoke => '1 hour');
update public.recruiting_conversations set recruiting_lead_id = md5('ada')::uuid where id = md5('texan')::uuid;
select is(pg_temp.hours('cal', conversation) -> 'timezones', zones::jsonb, conversation)
from (values
  ('texan', '["America/Denver", "America/Chicago", "America/New_York"]'), ('new yorker', '["America/New_York"]'), ('unknown', '[]')
) c (conversation, zones);
select is(
  pg_temp.hours('mia', 'new yorker') - 'timezones' - 'at',
  (select to_jsonb(h) from private.text_window('+12125550102', null, now()) h), 'a text waits for the hours of the recruit');
select is(
  pg_temp.hours('cal', 'just wrote') - 'timezones',
  jsonb_build_object('at', now(), 'opens_at', now(), 'closes_at', null), 'and not after the recruit has just written');
select throws_ok(
  $$select pg_temp.hours('ann', 'new yorker')$$, 'PT404', 'conversation_id: there is no such conversation', 'who may not write here');

-- The signed-in user
create function pg_temp.signed_in(name text) returns jsonb language sql as $$
  select pg_temp.value_as(name, 'public.signed_in_user()')
$$;
insert into public.operators (user_id) values (md5('user visitor')::uuid), (md5('user mia')::uuid);
select is(
  pg_temp.signed_in('mia'),
  jsonb_build_object('user_id', md5('user mia')::uuid, 'is_operator', true,
    'agent', jsonb_build_object('id', md5('mia')::uuid, 'agency_id', md5('agency')::uuid, 'first_name', 'mia', 'last_name', null, 'role', 'manager'),
    'agency', jsonb_build_object('id', md5('agency')::uuid, 'name', 'agency', 'timezone', 'UTC'),
    'migrations', private.newest_migration()),
  'a manager may be an operator too');
select is(pg_temp.signed_in(name) - 'migrations', jsonb_build_object(
  'user_id', md5('user ' || name)::uuid, 'agent', null, 'agency', null, 'is_operator', is_operator), name || ' is no agent')
from (values ('visitor', true), ('former', false)) p (name, is_operator);
select results_eq(
  $$select s #>> '{agent,role}', s -> 'is_operator' from pg_temp.signed_in('ann') s$$, $$values ('agent', 'false'::jsonb)$$,
  'an agent is no operator');
delete from auth.users where id = md5('user visitor')::uuid;
select is((select count(*)::integer from public.operators where user_id = any (array[md5('user visitor'), md5('user mia')]::uuid[])), 1, 'a user without a login is no operator');

select * from finish();
rollback;
