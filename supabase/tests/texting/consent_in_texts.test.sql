-- Changes by an inbound text and a delivery callback besides the message: consent, the outbox, and the agent's notifications.
begin;
select plan(62);
\ir ../helpers.psql

select pg_temp.create_agency('agency', 'UTC', 'agent'), pg_temp.create_agency('other');
insert into public.service_numbers (phone, agency_id) values
  ('+19995550100', md5('agency')::uuid), ('+19995550101', md5('agency')::uuid), ('+19995550102', md5('other')::uuid);
select pg_temp.create_conversation('bot', '+19995550001', '+19995550100'),
  pg_temp.create_conversation('second number', '+19995550001', '+19995550101'),
  pg_temp.create_conversation('other agency', '+19995550001', '+19995550102', agency => 'other'),
  pg_temp.create_conversation('escalated', '+19995550002', '+19995550100', 'agent');

create function pg_temp.receive(recruit text, service text, sid text, body text, opt_out_type text default null,
  moment timestamptz default null)
returns text language sql as $$
  select public.receive_sms(
    '+1999555' || recruit, '+1999555' || service, 'test ' || sid, body, '[]', opt_out_type => opt_out_type,
    received_at => moment) ->> 'status'
$$;
create function pg_temp.consent(recruit text, agency text default 'agency') returns text language sql as $$
  select concat_ws(' ', state, source) from public.text_consents
  where agency_id = md5(agency)::uuid and phone = '+1999555' || recruit
$$;
create function pg_temp.events(recruit text) returns bigint language sql as $$
  select count(*) from public.text_consent_events where phone = '+1999555' || recruit
$$;
create function pg_temp.text_of(name text) returns text language sql as $$
  select concat_ws(' ', o.state, o.reason, m.status, m.error_code)
  from public.text_outbox o join public.recruiting_messages m on m.id = o.message_id where o.message_id = md5(name)::uuid
$$;
create function pg_temp.notified(name text) returns text language sql as $$
  select string_agg(kind, ' ' order by kind) from public.agent_notifications n
  join public.recruiting_messages m on m.id = n.message_id
  where n.agent_id = md5('agent')::uuid and (m.provider_message_id = 'test ' || name or m.id = md5(name)::uuid)
$$;

-- An ordinary text
select is(pg_temp.receive('0001', '0100', 'SM1', 'Hi'), 'received', 'an ordinary text is received');
select is(pg_temp.events('0001'), 0::bigint, 'it says nothing about texts');
select is(pg_temp.receive('0001', '0100', 'SM2', 'yes'), 'received', 'YES from somebody who has not opted out is received');
select pg_temp.receive('0001', '0100', 'SM2 invisible', E'Y\u200bes\nSent from my iPhone');
select is(pg_temp.events('0001'), 0::bigint, 'it is an ordinary reply, also with an invisible character and a signature');

-- STOP with what is no word of it
select pg_temp.receive('0090', '0100', 'SM signed', E'ST\u200bOP\n\nSent from my iPhone');
select is(pg_temp.consent('0090'), 'opted_out keyword', 'STOP with an invisible character and a signature opts out');
select is((select words from public.text_consent_events where phone = '+19995550090'), E'ST\u200bOP\n\nSent from my iPhone',
  'the event has the text exactly as sent');
select pg_temp.receive('0090', '0100', 'SM signed yes', E'YES\nSent from my iPhone');
select is(pg_temp.consent('0090'), 'opted_in keyword', 'YES from somebody who has opted out opts in, with a signature too');

-- STOP and START
select pg_temp.add_text('waits', 'bot');
select pg_temp.add_text('waits at the second number', 'second number', 'greeting');
select pg_temp.add_text('on its way', 'bot', state => 'sending');
select pg_temp.add_text('of the other agency', 'other agency');
select is(pg_temp.receive('0001', '0100', 'SM3', ' Stop. '), 'received', 'STOP is received');
select is(pg_temp.consent('0001'), 'opted_out keyword', 'it opts the recruit out');
select results_eq(
  $$select state::text, source, words, message_id, occurred_at > now() from public.text_consent_events where phone = '+19995550001'$$,
  $$select 'opted_out', 'keyword', ' Stop. ', id, true from public.recruiting_messages where provider_message_id = 'test SM3'$$,
  'the event has the words and the message');
select is(pg_temp.text_of('waits'), 'refused opted_out failed 21610', 'a text that waits is refused');
select is(pg_temp.text_of('waits at the second number'), 'refused opted_out failed 21610', 'one at another number of the agency as well');
select is(pg_temp.text_of('on its way'), 'sending', 'one that is on its way is not touched');
select is(pg_temp.text_of('of the other agency'), 'pending', 'nor is one of another agency');
select is(pg_temp.consent('0001', 'other'), null, 'which the recruit has said nothing to');
select pg_temp.receive('0001', '0101', 'SM4', 'START');
select is(pg_temp.consent('0001'), 'opted_in keyword', 'START to another number of the agency opts in again');
select is(pg_temp.receive('0001', '0100', 'SM3', 'STOP'), 'received', 'the same STOP once more is received');
select is(pg_temp.consent('0001'), 'opted_in keyword', 'and changes nothing');
select pg_temp.receive('0001', '0100', 'SM5', 'stop texting me');
select is(pg_temp.consent('0001'), 'opted_out wording', 'a sentence opts out');
select pg_temp.receive('0001', '0100', 'SM6', 'Yes');
select is(pg_temp.consent('0001'), 'opted_in keyword', 'YES from somebody who has opted out opts in');

-- OptOutType
select pg_temp.receive('0001', '0100', 'SM7', 'arretez', 'STOP');
select is(pg_temp.consent('0001'), 'opted_out provider', 'OptOutType counts for a word that only the account knows');
select pg_temp.receive('0001', '0100', 'SM8', 'start', 'HELP');
select is(pg_temp.consent('0001'), 'opted_out provider', 'and before the words');
select pg_temp.receive('0001', '0100', 'SM9', 'weiter', 'START');
select is(pg_temp.consent('0001'), 'opted_in provider', 'START of the provider opts in');
select pg_temp.receive('0001', '0100', 'SM10', 'quit', 'unknown');
select is(pg_temp.consent('0001'), 'opted_out keyword', 'with an OptOutType that does not exist the words count');

-- Fetched later from the provider
select pg_temp.receive('0001', '0100', 'SM11', 'start', moment => now() - interval '1 day');
select is(pg_temp.consent('0001'), 'opted_out keyword', 'a START from before the STOP, stored later, does not opt in');
select results_eq(
  $$select m.created_at, c.last_message_at from public.recruiting_messages m
    join public.recruiting_conversations c on c.id = m.conversation_id where m.provider_message_id = 'test SM11'$$,
  'values (now() - interval ''1 day'', now())', 'it has its own time, and last_message_at does not go back');
select pg_temp.receive('0001', '0100', 'SM12', 'start');
select pg_temp.receive('0001', '0100', 'SM13', 'stop', moment => now() - interval '10 minutes');
select is(pg_temp.consent('0001'), 'opted_in keyword', 'nor does a STOP from before a START opt out');
select pg_temp.receive('0001', '0100', 'SM14', 'stop', moment => now() - interval '30 seconds');
select is(pg_temp.consent('0001'), 'opted_out keyword', 'but one from about the same time does');

-- The agent is notified
select pg_temp.receive('0002', '0100', 'SM20', 'Hi');
select is(pg_temp.notified('SM20'), 'text', 'the agent is notified of a text to an escalated conversation');
select pg_temp.receive('0002', '0100', 'SM20', 'Hi');
select is(pg_temp.notified('SM20'), 'text', 'once');
select pg_temp.receive('0002', '0100', 'SM21', 'Stop');
select is(pg_temp.notified('SM21'), 'opt_out', 'and of an opt-out');
select is(pg_temp.notified('SM3'), null, 'nobody is notified of a text to the bot');
select pg_temp.receive('0002', '0100', 'SM22', 'unstop');

-- An agent's text that quiet hours hold
select pg_temp.add_text('held', 'escalated');
update public.text_outbox set due_at = 'infinity', reason = 'quiet_hours' where message_id = md5('held')::uuid;
select pg_temp.receive('0002', '0100', 'SM23', 'Are you there?');
select ok(
  (select due_at <= now() and reason is null from public.text_outbox where message_id = md5('held')::uuid),
  'a text of the recruit makes an agent''s reply due that quiet hours have held');

-- Without a conversation
select is(pg_temp.receive('0003', '0100', 'SM30', 'STOP'), 'no_conversation', 'STOP without a conversation is no_conversation');
select is(pg_temp.consent('0003'), 'opted_out keyword', 'it holds for the agency of the number');
select pg_temp.create_conversation('later', '+19995550003', '+19995550100', 'agent');
select is(pg_temp.events('0003'), 1::bigint, 'when the conversation is made, it is not said a second time');
select is(pg_temp.notified('SM30'), 'opt_out', 'but its agent is notified');

select pg_temp.receive('0004', '0109', 'SM40', 'stop');
select pg_temp.receive('0004', '0109', 'SM41', 'start');
select pg_temp.receive('0005', '0109', 'SM42', 'Hi');
select pg_temp.receive('0005', '0109', 'SM43', 'arret', 'STOP');
select is(array[pg_temp.consent('0004'), pg_temp.consent('0005')], array[null, null]::text[],
  'a number that nobody has: nothing holds yet');
update public.unmatched_texts set received_at = now() - interval '2 hours' where message_sid = 'test SM41';
update public.unmatched_texts set received_at = now() - interval '1 hour' where message_sid = 'test SM40';
insert into public.service_numbers (phone, agency_id) values ('+19995550109', md5('agency')::uuid);
select is(pg_temp.consent('0004'), 'opted_out keyword', 'when an agency gets the number, the latest text holds');
select is(pg_temp.consent('0005'), 'opted_out provider', 'and an OptOutType');
update public.service_numbers set agency_id = md5('other')::uuid where phone = '+19995550109';
select is(pg_temp.consent('0004', 'other'), 'opted_out keyword', 'and for the next agency that gets it');

select pg_temp.receive('0006', '0108', 'SM44', 'leave me alone');
select pg_temp.receive('0006', '0108', 'SM45', 'Hi');
select pg_temp.create_conversation('made', '+19995550006', '+19995550108');
select is(pg_temp.consent('0006'), 'opted_out wording', 'or when a conversation is made at a number that nobody has');
select is(public.receive_sms(null, '+19995550100', 'test SM46', 'STOP', '[]') ->> 'status', 'no_conversation',
  'STOP without From is no error');
select is(public.receive_sms('12345', '+19995550100', 'test SM47', 'STOP', '[]') ->> 'status', 'no_conversation',
  'nor is STOP from a short code');
select is(public.receive_sms(repeat('9', 60000), null, 'test SM48', 'STOP', '[]', opt_out_type => repeat('S', 60000)) ->> 'status',
  'no_conversation', 'nor are values of any length');

-- Callbacks with our id
create function pg_temp.callback(sid text, status text, code text default null, name text default null, event text default null)
returns text language sql as $$
  select public.update_sms_status(
    'test ' || sid, status, code, coalesce(md5(event)::uuid, gen_random_uuid()), md5(name)::uuid) ->> 'status'
$$;
create function pg_temp.sid_of(name text) returns text language sql as $$
  select provider_message_id from public.recruiting_messages where id = md5(name)::uuid
$$;
select is(
  (select pg_temp.callback('OUT1', 'nonsense', '21610', 'on its way') || ': ' ||
    concat_ws(' ', pg_temp.sid_of('on its way'), pg_temp.text_of('on its way'))),
  'ignored: sending', 'SPEC 3, 4.6: a callback with our id and an unknown status changes neither the message nor the outbox');
select is(pg_temp.callback('OUT1', 'sent', null, 'on its way'), 'updated', 'a callback with our id updates the message');
select is(pg_temp.sid_of('on its way') || ' ' || pg_temp.text_of('on its way'), 'test OUT1 accepted sent',
  'the message gets the MessageSid, and the text is accepted');
select is(pg_temp.callback('OUT2', 'delivered', null, 'on its way'), 'ignored', 'a callback of another MessageSid with its id is ignored');
select is(pg_temp.sid_of('on its way'), 'test OUT1', 'the message keeps its MessageSid');
select is(pg_temp.callback('OUT3', 'delivered', null, 'unknown'), 'ignored', 'an id that does not exist is ignored');
select is(pg_temp.callback('OUT1', 'delivered'), 'updated', 'a callback without an id finds the message by its MessageSid');

select pg_temp.add_text('to be refused', 'escalated', state => 'sending');
update public.text_outbox set attempted_at = clock_timestamp() where message_id = md5('to be refused')::uuid;
select pg_temp.callback('OUT4', 'failed', '21610', 'to be refused');
select is(pg_temp.consent('0002'), 'opted_out provider', 'error 21610 opts the recruit out');
select is(pg_temp.notified('to be refused'), 'failed', 'and the agent is notified that the text failed');
select pg_temp.receive('0002', '0100', 'SM24', 'START');
select pg_temp.callback('OUT4', 'undelivered', '21610', 'to be refused');
select is(pg_temp.consent('0002'), 'opted_in keyword', 'the same error once more, after START, does not');
select pg_temp.add_text('sent before START', 'escalated', state => 'sending');
update public.text_outbox set attempted_at = now() - interval '1 hour' where message_id = md5('sent before START')::uuid;
select pg_temp.callback('OUT5', 'failed', '21610', 'sent before START');
select is(pg_temp.consent('0002'), 'opted_in keyword', 'nor does the error of a text from before START');
select pg_temp.add_text('refused before START', 'escalated', state => 'sending');
update public.text_outbox set attempted_at = now() - interval '1 hour' where message_id = md5('refused before START')::uuid;
select is(public.record_text_outcome(md5('refused before START')::uuid, 0, 'opted_out'), 'refused', 'the worker''s report is taken');
select is(pg_temp.consent('0002'), 'opted_in keyword', 'nor does the response to such a text');

select pg_temp.add_text('unregistered', 'bot', 'bot', 'sending');
select pg_temp.callback('OUT6', 'undelivered', '30034', 'unregistered');
select results_eq(
  $$select status, paused_reason from public.service_numbers where phone = '+19995550100'$$,
  $$values ('paused', '30034')$$, 'error 30034 pauses the number');
select is(pg_temp.notified('unregistered'), null, 'nobody is notified of a text of the bot');
select is(pg_temp.callback('SM1', 'failed', '21610'), 'updated', 'a callback of an inbound message updates it, as the specification says');
select is(pg_temp.consent('0001'), 'opted_out keyword', 'and says nothing about texts');

select * from finish();
rollback;
