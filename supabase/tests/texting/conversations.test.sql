-- Rights of agents and managers over conversations, notifications and consents.
begin;
select plan(51);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_agency('no number');
-- eve works for an agency without a number.
update public.agents set agency_id = md5('no number')::uuid, role = 'manager' where id = md5('eve')::uuid;
select pg_temp.create_vendor('vendor');
insert into public.recruiting_leads (id, vendor_id, first_name, vendor_metadata, distribution,
  agency_id, agent_id, distributed_at)
select md5(name)::uuid, md5('vendor')::uuid, 'Ada', jsonb_strip_nulls(jsonb_build_object('phone', phone)), 'distributed',
  md5(agency)::uuid, md5(agent)::uuid, now()
from (values
  ('first', '+19995550001', 'agency', 'ann'), ('second', '+19995550002', 'agency', 'ann'),
  ('third', '+19995550003', 'agency', 'ann'), ('texted', '+19995550004', 'agency', 'ann'),
  ('no phone', null, 'agency', 'ann'), ('bad phone', '555-0100', 'agency', 'ann'),
  ('of a former agent', '+19995550005', 'agency', 'former'), ('elsewhere', '+19995550001', 'no number', 'eve'),
  ('again', '+19995550001', 'agency', 'cal')
) l (name, phone, agency, agent);

create function pg_temp.start(name text, lead text, agent text default null) returns jsonb language sql as $$
  select pg_temp.value_as(name, format('public.start_conversation(%L, %L)', md5(lead)::uuid, md5(agent)::uuid))
$$;
create function pg_temp.number(name text, lead text, agent text default null) returns text language sql as $$
  select pg_temp.start(name, lead, agent) ->> 'service_phone'
$$;
create function pg_temp.conversation(recruit text) returns public.recruiting_conversations language sql as $$
  select c from public.recruiting_conversations c
  where c.recruit_phone = '+1999555' || recruit and c.agency_id = md5('agency')::uuid
$$;

-- The number
select throws_ok($$select pg_temp.start('ann', 'first')$$, 'PT409', 'recruiting_lead_id: its agency has no active service number',
  'without a number of the agency there is no conversation');
insert into public.service_numbers (phone, agency_id, status) values
  ('+19995550100', md5('agency')::uuid, 'active'), ('+19995550101', md5('agency')::uuid, 'active'),
  ('+19995550102', md5('agency')::uuid, 'paused'), ('+19995550103', md5('elsewhere')::uuid, 'active');
select is(pg_temp.number('ann', 'first'), '+19995550100', 'a conversation gets an active number of the agency');
select results_eq(
  $$select recruiting_lead_id, status, assigned_agent_id from pg_temp.conversation('0001')$$,
  $$values (md5('first')::uuid, 'bot', md5('ann')::uuid)$$, 'it is the bot''s, of the lead and its agent');
select is(pg_temp.start('ann', 'first') ->> 'conversation_id', (pg_temp.conversation('0001')).id::text,
  'started again it is the same conversation');
select is(pg_temp.number('ann', 'second'), '+19995550101', 'the next recruit gets the number that is used less');
select public.receive_sms('+19995550004', '+19995550102', 'test early', 'Hi', '[]');
select is(pg_temp.number('ann', 'texted'), '+19995550102', 'a recruit who has texted gets that number, though it is paused');
select is(
  (select conversation_id from public.recruiting_messages where provider_message_id = 'test early'),
  (pg_temp.conversation('0004')).id, 'and the text is in the conversation');
insert into public.recruiting_conversations (agency_id, recruit_phone, service_phone) values
  (md5('elsewhere')::uuid, '+19995550003', '+19995550100');
select is(pg_temp.number('ann', 'third'), '+19995550101', 'a number at which another agency has the recruit is left out');
delete from public.service_numbers where phone = '+19995550100';
select is(pg_temp.number('ann', 'first'), '+19995550101', 'a number that the agency has lost is not used any more');

-- The assigned agent
select pg_temp.start('mia', 'first', 'mia');
select is((pg_temp.conversation('0002')).assigned_agent_id, md5('ann')::uuid, 'without an agent named it is the lead''s');
select is(
  (select assigned_agent_id from public.recruiting_conversations where recruit_phone = '+19995550001' and service_phone = '+19995550101'),
  md5('mia')::uuid, 'it is assigned to the agent named');
update public.recruiting_conversations set status = 'escalated'
where recruit_phone = '+19995550001' and service_phone = '+19995550101';
select is(
  (pg_temp.start('cal', 'again') ->> 'conversation_id')::uuid,
  (select id from public.recruiting_conversations
   where recruit_phone = '+19995550001' and service_phone = '+19995550101' and assigned_agent_id = md5('mia')::uuid),
  'a conversation that somebody has taken over stays with that agent');
select pg_temp.start('mia', 'of a former agent');
select is((pg_temp.conversation('0005')).assigned_agent_id, null, 'that of a deactivated agent''s lead is nobody''s');

-- Rights
select throws_ok(format('select pg_temp.start(%L, %L)', name, lead), code, message, description)
from (values
  ('cal', 'first', 'PT404', 'recruiting_lead_id: there is no such lead', 'another agent''s lead'),
  ('otto', 'first', 'PT404', 'recruiting_lead_id: there is no such lead', 'another agency''s lead'),
  ('ann', 'unknown', 'PT404', 'recruiting_lead_id: there is no such lead', 'an unknown lead'),
  ('former', 'first', '42501', 'only an active agent may start a conversation', 'a deactivated agent'),
  ('visitor', 'first', '42501', 'only an active agent may start a conversation', 'somebody who is not an agent'),
  ('ann', 'no phone', '22023', 'recruiting_lead_id: the lead has no phone number in E.164', 'a lead without a phone'),
  ('ann', 'bad phone', '22023', 'recruiting_lead_id: the lead has no phone number in E.164', 'a phone that cannot be texted'),
  ('eve', 'elsewhere', 'PT409', 'recruiting_lead_id: its agency has no active service number', 'an agency without a number')
) errors (name, lead, code, message, description);
select throws_ok(format($$select pg_temp.start('mia', 'first', %L)$$, agent), '22023',
  'agent_id: must be an active agent of the lead''s agency', 'assigned to ' || agent)
from unnest(array['former', 'otto', 'nobody']) agent;

-- Back to the bot
create function pg_temp.hand_back(name text) returns text language sql as $$
  select pg_temp.value_as(name, format('public.hand_back_to_bot(%L)', (pg_temp.conversation('0002')).id)) ->> 'status'
$$;
update public.recruiting_conversations set status = 'escalated' where recruit_phone = '+19995550002';
select throws_ok(format('select pg_temp.hand_back(%L)', name), 'PT404', 'conversation_id: there is no such conversation',
  name || ' may not hand it back')
from unnest(array['cal', 'otto', 'former', 'visitor']) name;
select is(pg_temp.hand_back('ann'), 'bot', 'the assigned agent hands a conversation back to the bot');
select results_eq($$select status, assigned_agent_id from pg_temp.conversation('0002')$$, $$values ('bot', md5('ann')::uuid)$$,
  'it stays assigned');
select is(pg_temp.hand_back('mia'), 'bot', 'a manager may as well, also when the bot has it already');
select throws_ok($$select pg_temp.value_as('mia', 'public.hand_back_to_bot(gen_random_uuid())')$$, 'PT404', null,
  'an unknown conversation cannot be handed back');

-- Notifications
select pg_temp.create_conversation('told', '+19995550020', '+19995550101', 'ann');
select public.receive_sms('+19995550020', '+19995550101', 'test told ' || n, 'Hi', '[]') from generate_series(1, 3) n;
create function pg_temp.read(name text) returns integer language sql as $$
  select pg_temp.value_as(name, format('public.mark_read(%L)', array(
    select id from public.agent_notifications where conversation_id = md5('told')::uuid
  )))::integer
$$;
select is(pg_temp.value_as('ann', '(select count(*) from public.agent_notifications where conversation_id = md5(''told'')::uuid)'), '3'::jsonb, 'an agent reads the agent''s own');
select is(pg_temp.read('cal'), 0, 'nobody else marks them as read');
select is(pg_temp.read('visitor'), 0, 'nor does somebody who is not an agent');
select is(pg_temp.read('ann'), 3, 'the agent marks them as read');
select is(pg_temp.read('ann'), 0, 'once');
select is(pg_temp.value_as('ann', 'public.mark_read(null)'), '0'::jsonb, 'no ids are none');
select is((select count(*)::integer from public.agent_notifications
  where conversation_id = md5('told')::uuid and read_at is null), 0, 'they are read');

-- Consent that a manager records
create function pg_temp.record(name text, phone text, state text, reason text) returns jsonb language sql as $$
  select pg_temp.value_as(name, format('public.record_text_consent(%L, %L, %L)', phone, state, reason))
$$;
select is(pg_temp.record('mia', '+19995550020', 'opted_out', 'Told me on the phone'),
  '{"phone": "+19995550020", "state": "opted_out"}', 'a manager records an opt-out');
select results_eq(
  $$select agency_id, state::text, source, agent_id, reason from public.text_consent_events where phone = '+19995550020'$$,
  $$values (md5('agency')::uuid, 'opted_out', 'manager', md5('mia')::uuid, 'Told me on the phone')$$,
  'with the reason and the manager''s id, for the own agency');
select ok(private.is_opted_out(md5('agency')::uuid, '+19995550020'), 'it holds');
select is(pg_temp.value_as('ann', '(select state from public.text_consents)'), '"opted_out"',
  'an agent reads the consents of the agent''s conversations');
select throws_ok(format('select pg_temp.record(%L, %L, %L, %L)', name, phone, state, reason), code, message)
from (values
  ('ann', '+19995550020', 'opted_in', 'x', '42501', 'only an active manager may record a consent'),
  ('former', '+19995550020', 'opted_in', 'x', '42501', 'only an active manager may record a consent'),
  ('visitor', '+19995550020', 'opted_in', 'x', '42501', 'only an active manager may record a consent'),
  ('mia', '9995550020', 'opted_in', 'x', '22023', 'phone: must be a number in E.164, such as +13125550100'),
  ('mia', null, 'opted_in', 'x', '22023', 'phone: must be a number in E.164, such as +13125550100'),
  ('mia', '+19995550020', 'yes', 'x', '22023', 'state: must be opted_in or opted_out'),
  ('mia', '+19995550020', 'opted_in', E' \n', '22023', 'reason: is required'),
  ('mia', '+19995550020', 'opted_in', null, '22023', 'reason: is required')
) errors (name, phone, state, reason, code, message);

select * from finish();
rollback;
