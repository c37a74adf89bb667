-- The acts of operators: unmatched texts get a conversation, deliveries are dismissed, texts cancelled, a paused number is
-- resumed. Those on orders are in change_order.test.sql. Who may is in rights.test.sql.
begin;
select plan(41);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_vendor('vendor');
insert into public.operators (user_id) values (md5('user visitor')::uuid);

create function pg_temp.act(statement text) returns text language sql as $$
  select pg_temp.result_as('visitor', statement)
$$;
create function pg_temp.actions() returns setof text language sql as $$
  select a.action || ' ' || a.subject::text from public.operator_actions a
  where a.user_id = md5('user visitor')::uuid order by a.created_at
$$;
create function pg_temp.add_lead(name text, phone text, agent text, created_at timestamptz default now()) returns void
language sql as $$
  insert into public.recruiting_leads (
    id, vendor_id, first_name, vendor_metadata, agency_id, agent_id, distribution, distributed_at, created_at)
  values (md5(name)::uuid, md5('vendor')::uuid, name, jsonb_build_object('phone', phone), md5('agency')::uuid,
    md5(agent)::uuid, 'distributed', now(), created_at)
$$;
create function pg_temp.text(sender text, number text, body text default 'Hi') returns void language sql as $$
  select public.receive_sms(sender, number, sender || number || body, body, '[]')
$$;

-- Keys
create temp table made as select pg_temp.act($$select public.create_vendor_api_key('test-vendor', 'mine')$$) as key;
select is(
  private.proved_vendor((select encode(sha256(convert_to(key, 'UTF8')), 'hex') from made), null), md5('vendor')::uuid,
  'an operator makes a vendor a key that works,');
select results_eq(
  'select pg_temp.actions()',
  $$select 'key create ' || jsonb_build_object('vendor_id', md5('vendor')::uuid, 'key_prefix', left(key, 12))::text from made$$,
  'the note has only its beginning');
delete from public.operator_actions;

-- Unmatched texts
insert into public.service_numbers (phone, agency_id) values ('+19995550100', md5('agency')::uuid);
select pg_temp.add_lead('older', '+19995550001', 'ann', '2026-01-01'), pg_temp.text('+19995550001', '+19995550100', 'STOP'),
  pg_temp.text('+19995550001', '+19995550101'), pg_temp.text('+19995550009', '+19995550100');
select is(
  pg_temp.act(format(
    $$select concat_ws(' ', recruit, agency, agent, lead_id = %L) from public.unmatched_text_list
      where "from" = '+19995550001' and "to" = '+19995550100'$$, md5('older')::uuid)),
  'older agency ann t', 'an operator reads whose lead a text is');
select is(
  pg_temp.act($$select lead_id::text from public.unmatched_text_list where "from" = '+19995550009'$$), null, 'or that it is nobody''s');
select pg_temp.add_lead('newer', '+19995550001', 'ann');
select is(
  pg_temp.act(format($$select public.adopt_texts('+19995550001', '+19995550100', %L)$$, md5('older')::uuid)),
  'PT409 lead_id: a newer lead of this phone has come meanwhile. Look again', 'nor does one with a lead that is not the newest any more');
select is((select count(*) from public.recruiting_conversations where recruit_phone = '+19995550001'), 0::bigint, 'nothing is changed');
select is_empty('select pg_temp.actions()', 'and nothing noted');
select is(
  pg_temp.act(format($$select public.adopt_texts('+19995550001', '+19995550100', %L) #>> '{0,agent_id}'$$, md5('newer')::uuid)),
  md5('ann')::uuid::text, 'with the lead that the operator has seen it becomes its agent''s conversation');
select results_eq(
  'select pg_temp.actions()',
  $$select 'text adopt ' || jsonb_build_object('conversation_ids', jsonb_build_array(c.id), 'lead_ids', jsonb_build_array(c.recruiting_lead_id))::text
    from public.recruiting_conversations c where c.recruit_phone = '+19995550001'$$,
  'the note names the conversation, and no phone');

-- A sender of many texts and with many leads, as a phone on which a vendor tries its form.
insert into public.recruiting_leads (vendor_id, first_name, vendor_metadata, agency_id, distribution, distributed_at)
select md5('vendor')::uuid, 'Ada', '{"phone": "+19995550003"}', md5('agency')::uuid, 'distributed', now()
from generate_series(1, 5000);
insert into public.unmatched_texts (message_sid, recruit_phone, service_phone, body)
select 'many ' || n, '+19995550003', '+19995550100', 'Hi' from generate_series(1, 3000) n;
set local statement_timeout = '4s';
select is(
  pg_temp.act($$select public.adopt_texts('+19995550003') #>> '{0,texts}'$$), '3000', 'many texts with many leads take no long time');
set local statement_timeout = 0;

-- Deliveries
delete from public.operator_actions;
insert into public.rejected_deliveries (id, request_id, route, vendor_id, code, reason, payload_bytes)
select md5(name)::uuid, 'test', '/recruiting/ingest', md5('vendor')::uuid, 'BAD_REQUEST', 'no name', 2
from unnest(array['first', 'second', 'replayed']) name;
update public.rejected_deliveries set status = 'replayed', lead_id = md5('newer')::uuid where id = md5('replayed')::uuid;
create function pg_temp.dismiss(variadic names text[]) returns text language sql as $$
  select pg_temp.act(format(
    'select string_agg(d.status || d.was_open, '' '' order by d.status, d.was_open) from public.dismiss_deliveries(%L) d',
    array(select md5(name)::uuid from unnest(names) name)))
$$;
select is(pg_temp.dismiss('first', 'replayed', 'nobody'), 'dismissedtrue replayedfalse', 'an open one is dismissed, a replayed one stays');
select isnt(
  (select resolved_at from public.rejected_deliveries where id = md5('first')::uuid), null, 'its time is kept');
select is(pg_temp.dismiss('first', 'second'), 'dismissedfalse dismissedtrue', 'again, what was dismissed is not counted');
select is((select count(*) from pg_temp.actions()), 2::bigint, 'each call is noted');
select is(
  pg_temp.act('select count(*)::text from public.dismiss_deliveries(array(select gen_random_uuid() from generate_series(1, 101)))'),
  'PT400 delivery_ids: must be a list of 1 to 100 ids', 'at most 100 at once');
select is(
  pg_temp.act('select count(*)::text from public.dismiss_deliveries(''{}'')'), 'PT400 delivery_ids: must be a list of 1 to 100 ids',
  'and at least one');
select is(
  pg_temp.act('select count(*)::text from public.dismiss_deliveries(null)'), 'PT400 delivery_ids: must be a list of 1 to 100 ids',
  'and a list');
select lives_ok(
  'select public.dismiss_deliveries(array(select gen_random_uuid() from generate_series(1, 1000)))', 'the command gives any number');

-- Texts
delete from public.operator_actions;
select pg_temp.create_conversation(name, recruit, '+19995550100', 'ann', lead => 'newer', status => 'escalated', spoke => '1 minute')
from (values ('waits', '+19995550011'), ('sent', '+19995550012')) c (name, recruit);
insert into public.recruiting_messages (conversation_id, direction, sender_type, created_at)
values (md5('waits')::uuid, 'inbound', 'recruit', now() - interval '3 minutes');
select pg_temp.add_text('held', 'waits'), pg_temp.add_text('greeting', 'sent', 'bot'), pg_temp.add_text('now', 'sent', state => 'sending'),
  pg_temp.add_text('before', 'sent', state => 'accepted');
update public.recruiting_conversations set waiting_since = null where id = md5('waits')::uuid;
create function pg_temp.cancel(variadic names text[]) returns text language sql as $$
  select pg_temp.act(format('select public.cancel_texts(%L)::text', array(select md5(name)::uuid from unnest(names) name)))
$$;
select is(pg_temp.cancel('now', 'before', 'nobody'), '0', 'what is being sent or was sent is not cancelled');
select is_empty('select pg_temp.actions()', 'nor noted');
select is(pg_temp.cancel('held', 'now', 'greeting', 'before', 'held'), '2', 'those that wait are, each once');
select results_eq(
  $$select o.state, o.reason, m.status from public.text_outbox o join public.recruiting_messages m on m.id = o.message_id
    where o.conversation_id in (md5('waits')::uuid, md5('sent')::uuid) order by o.ordinal$$,
  $$values ('refused', 'cancelled', 'failed'), ('refused', 'cancelled', 'failed'), ('sending', null, null), ('accepted', null, null)$$,
  'and are never sent');
select is(waiting_since, now() - interval '3 minutes', 'so that the recruit waits again since the first text')
from public.recruiting_conversations where id = md5('waits')::uuid;
select results_eq(
  'select pg_temp.actions()',
  format($$values ('text cancel {"message_ids": ["%s", "%s"]}')$$, md5('held')::uuid, md5('greeting')::uuid), 'the note names them');
select is(pg_temp.cancel('held'), '0', 'again, there is nothing to do');
select is(
  pg_temp.act(format('select public.cancel_texts(%s)', ids)), '22023 message_ids: must be a list of 1 to 500 ids', 'not ' || ids)
from unnest(array['null', '''{}''', 'array(select gen_random_uuid() from generate_series(1, 501))']) ids;

-- Numbers
delete from public.operator_actions;
update public.service_numbers set status = 'paused', paused_reason = '30034' where phone = '+19995550100';
select is(
  pg_temp.act($$select concat_ws(' ', agency, status, paused_reason) from public.number_list where phone = '+19995550100'$$),
  'agency paused 30034', 'an operator reads why a number is paused');
select is(pg_temp.act($$select (public.resume_number('+19995550100')).status$$), 'active', 'and resumes it');
select is((select paused_reason from public.service_numbers where phone = '+19995550100'), null, 'the reason is gone');
select is(pg_temp.act($$select (public.resume_number('+19995550100')).status$$), 'active', 'an active number stays active');
select results_eq('select pg_temp.actions()', $$values ('number resume {"service_phone": "+19995550100"}')$$, 'one act is noted');
select is(
  pg_temp.act($$select (public.resume_number('+19995550199')).status$$), 'PT404 phone: +19995550199 is not one of our numbers',
  'a number that is not ours is refused');

-- Hours
delete from public.operator_actions;
select is(pg_temp.act($$select public.use_law_hours('NV')::text$$), '0', 'a state with the hours of the law keeps them');
select is_empty('select pg_temp.actions()', 'which is not noted');
select public.close_hours('NV', null, null, 'Office'), public.set_texting_hours('NV', null, '00:00', '00:00', 'Office'),
  public.set_texting_hours('NV', 0, '00:00', '00:00', 'Office'), public.set_texting_hours('AL', null, '10:00', '11:00', 'Office');
select is(pg_temp.act($$select public.use_law_hours('NV')::text$$), '3', 'what closes a state is taken away,');
select is((public.text_hours('+17025550100', 'NV')).opens_at < now() + interval '1 day', true, 'so that it has open hours,');
select results_eq('select pg_temp.actions()', $$values ('hours set {"state": "NV", "changes": {"none": true}}')$$, 'and noted once');
select is(
  (select opens from public.texting_hours where state = 'AL' and day_of_week is null), '10:00'::time,
  'the hours of other states stay');
select public.set_texting_hours(null, null, '00:00', '00:00', 'Office');
select is(pg_temp.act('select public.use_law_hours()::text'), '1', 'the hours of all states are the law''s again too');

select * from finish();
rollback;
