-- The first text to a recruit, when the lead goes to an agency.
begin;
create extension if not exists dblink with schema extensions;
select plan(87);
\ir ../helpers.psql

-- Orders and leads of the seed would take part.
update public.recruiting_orders set status = 'closed';
update public.recruiting_leads set distribution = 'not_requested' where distribution in ('unmatched', 'pending');

insert into public.agencies (id, name, timezone) values (md5('agency')::uuid, 'Acme {agent} Agency', 'UTC');
insert into public.agents (id, agency_id, first_name, last_name) values (md5('ann')::uuid, md5('agency')::uuid, 'Ann', 'Smith');
insert into public.vendors (id, slug, name, has_text_consent) values
  (md5('vendor')::uuid, 'test-vendor', 'Vendor', true), (md5('without')::uuid, 'test-without', 'Without', false);
insert into public.vendor_api_keys (vendor_id, key_hash, key_prefix)
select v.id, encode(sha256(v.slug::bytea), 'hex'), 'test' from public.vendors v where v.slug like 'test-%';
insert into public.service_numbers (phone, agency_id) values ('+13125550190', md5('agency')::uuid);

-- All that wait, as the worker does it.
create function pg_temp.greet() returns void language sql as $$
  select public.queue_greeting(lead_id::uuid) from jsonb_array_elements_text(public.claim_greetings(1000)) lead_id
$$;
create function pg_temp.order(template text, quantity integer default 100) returns void language sql as $$
  update public.recruiting_orders set status = 'closed' where agency_id = md5('agency')::uuid and status = 'open';
  insert into public.recruiting_orders (agency_id, quantity, greeting_template) values (md5('agency')::uuid, quantity, template);
$$;
create function pg_temp.ingest(name text, phone text, first_name text default 'Ada', vendor text default 'vendor', more jsonb default '{}')
returns text language plpgsql as $$
declare
  went_to constant text := pg_temp.ingest_lead(encode(sha256(('test-' || vendor)::bytea), 'hex'), jsonb_build_object(
    'id', md5(name)::uuid, 'vendor_lead_id', name, 'first_name', first_name,
    'vendor_metadata', jsonb_build_object('phone', phone) || more)) #>> '{distributed_to,agency_id}';
begin
  perform pg_temp.greet();
  return went_to;
end
$$;
create function pg_temp.greetings(phone text) returns text language sql as $$
  select pg_temp.greet();
  select string_agg(m.body, ' | ' order by m.created_at)
  from public.text_outbox o
  join public.recruiting_messages m on m.id = o.message_id
  join public.recruiting_conversations c on c.id = m.conversation_id
  where c.recruit_phone = phone and o.kind = 'greeting'
$$;

-- The template
select throws_ok(format('select pg_temp.order(%L)', template), '23514', null, 'no template: ' || left(template, 40))
from unnest(array[
  '', ' ', E'\u200b', 'Hi, reply STOP to opt out', '{agency}', '{agency}: reply stop to opt out', '{agency} STOPS', '{agency} STOP {',
  '{agency} STOP {name}', '{agency} STOP {{first_name}}', rpad('{agency} STOP', 1601, '.'),
  -- 1,601 UTF-16 units
  rpad('{agency} STOP', 807, '😀'), E'{agency} ST\u200bOP'
]) template;
select lives_ok(format('select pg_temp.order(%L)', template), 'a template: ' || left(template, 40))
from unnest(array[
  null, '{agency}: STOP to opt out', rpad('{agency} STOP', 1600, '.'), rpad('{agency} STOP', 806, '😀'),
  'Hi {first_name}, {agent} of {agency} here. Reply STOP to opt out.'
]) template;

-- Leads that are greeted
select is(pg_temp.ingest('first', '+13125550001'), md5('agency')::uuid::text, 'a lead goes to the agency');
select is(pg_temp.greetings('+13125550001'), 'Hi Ada, Ann Smith of Acme {agent} Agency here. Reply STOP to opt out.',
  'its recruit is greeted');
select results_eq(
  $$select c.recruiting_lead_id, c.agency_id, c.service_phone::text, c.status, c.assigned_agent_id,
    m.direction, m.sender_type, o.state
    from public.text_outbox o
    join public.recruiting_messages m on m.id = o.message_id
    join public.recruiting_conversations c on c.id = m.conversation_id
    where c.recruit_phone = '+13125550001'$$,
  $$values (md5('first')::uuid, md5('agency')::uuid, '+13125550190', 'bot', md5('ann')::uuid, 'outbound', 'bot', 'pending')$$,
  'by the bot, in a conversation of the lead and its agent');
select pg_temp.ingest('first', '+13125550001');
select pg_temp.ingest('again', '+13125550001', 'Ada B.');
select is(pg_temp.greetings('+13125550001') like '%|%', false, 'a recruit who is sent again, or is another lead, is greeted once');

select pg_temp.ingest('no consent', '+13125550002', vendor => 'without');
select pg_temp.ingest('test lead', '+13125550003', more => '{"is_test": true}');
select pg_temp.ingest('says no', '+13125550028', more => '{"consent": {"given": false}}');
select pg_temp.ingest('no E.164', '312-555-0004');
select pg_temp.ingest('no phone', null);
select public.ingest_recruiting_lead_batch(encode(sha256('test-vendor'), 'hex'),
  '[{"row": 0, "first_name": "Ada", "vendor_lead_id": "bulk", "vendor_metadata": {"phone": "+13125550005"}}]');
select private.record_consent(md5('agency')::uuid, '+13125550006', 'opted_out', 'admin', reason => 'x');
select pg_temp.ingest('opted out', '+13125550006');
select is(pg_temp.greetings(phone), null, 'not greeted: ' || description)
from (values
  ('+13125550002', 'a lead of a vendor without consent'), ('+13125550003', 'a test lead'), ('+13125550028', 'a lead that says no'),
  ('312-555-0004', 'a lead without E.164'),
  ('+13125550005', 'a lead of a bulk request'), ('+13125550006', 'a recruit who has opted out')
) others (phone, description);
select is(
  (select array_agg(distribution order by distribution) from public.recruiting_leads
   where id in (md5('no consent')::uuid, md5('no E.164')::uuid, md5('no phone')::uuid, md5('opted out')::uuid)),
  array['distributed', 'distributed', 'distributed', 'distributed'], 'they are distributed anyway');
select pg_temp.create_conversation('known', '+13125550007', '+13125550199');
insert into public.recruiting_messages (conversation_id, direction, sender_type, body) values
  (md5('known')::uuid, 'outbound', 'bot', 'Hello');
select pg_temp.ingest('texted before', '+13125550007');
select is(pg_temp.greetings('+13125550007'), null, 'nor is a recruit whom the agency has texted before');
select pg_temp.create_conversation('attended', '+13125550008', '+13125550190', 'ann');
select pg_temp.ingest('escalated', '+13125550008');
select is(pg_temp.greetings('+13125550008'), null, 'nor one to whose conversation an agent attends');

-- Names
create temp table names (n, first_name, greeted) as values
  (101, E'  Mary \n Ann ', 'Mary Ann'), (102, 'evil.com', 'there'), (103, repeat('a', 51), 'there'),
  (104, 'J.R. O''Neil-Díaz', 'J.R. O''Neil-Díaz'), (105, '{agency}', 'there'), (106, 'http://x', 'there'),
  -- With invisible characters
  (201, E'\u202eMary\u200b\u2069 \u2028Ann', 'Mary Ann'), (202, E'\u200b\u2060', 'there'), (203, E'Ma\u001b]\u0007ry', 'Ma]ry'),
  (204, E'Da\u00advid\u2003', 'David'), (205, E'evil\u200b.c\u200dom', 'there'), (206, E'Zoë\U000e0041-M\u00e4\ufe0f', 'Zoë-Mä');
select pg_temp.ingest('name ' || n, '+1312555' || n || 0, first_name) from names;
select is(substring(pg_temp.greetings('+1312555' || n || 0) from '^Hi (.*), Ann'), greeted, format('the first name %s: %s', n, greeted))
from names;
update public.agents set first_name = E'An\u202en', last_name = E'Smi\u200bth\n\u001b' where id = md5('ann')::uuid;
update public.agencies set name = E'Ac\u2066me\u00ad {agent}\tAgency\u200f' where id = md5('agency')::uuid;
select pg_temp.ingest('invisible names', '+13125550207');
select is(pg_temp.greetings('+13125550207'), 'Hi Ada, Ann Smith of Acme {agent} Agency here. Reply STOP to opt out.',
  'nor has it invisible characters of the agent''s and the agency''s name');
update public.agents set first_name = E'\u200b', last_name = E'\u2060' where id = md5('ann')::uuid;
select pg_temp.ingest('no visible name', '+13125550208');
select is(pg_temp.greetings('+13125550208'), 'Hi Ada, an agent of Acme {agent} Agency here. Reply STOP to opt out.',
  'an agent without a visible name is an agent');
update public.agents set first_name = 'Ann', last_name = 'Smith' where id = md5('ann')::uuid;
update public.agencies set name = 'Acme {agent} Agency' where id = md5('agency')::uuid;

-- The name for {agent}
insert into public.agents (id, agency_id, first_name, role, is_active, accepts_recruits, last_assigned_at) values
  (md5('next')::uuid, md5('agency')::uuid, 'Nora', 'agent', true, true, now()),
  (md5('later')::uuid, md5('agency')::uuid, 'Leo', 'agent', true, true, now() + interval '1 day'),
  (md5('boss')::uuid, md5('agency')::uuid, 'Boss', 'manager', true, false, null);
create function pg_temp.filled(
  template text, of_lead text, assigned text, inactive text[] default '{}', away text[] default '{}'
) returns text language plpgsql as $$
begin
  update public.agents a
  set is_active = a.first_name <> all (inactive),
    away_until = case when a.first_name = any (away) then now() + interval '1 second' else now() end
  where a.agency_id = md5('agency')::uuid;
  return private.fill_template(template, jsonb_populate_record(null::public.recruiting_leads, jsonb_build_object(
    'first_name', 'Ada', 'agency_id', md5('agency')::uuid, 'agent_id', md5(of_lead)::uuid)), md5(assigned)::uuid);
end
$$;
select is(
  pg_temp.filled('{agent} of {agency}', of_lead, assigned, inactive, away), greeted || ' of Acme {agent} Agency', description)
from (values
  ('next', 'later', '{}'::text[], '{}'::text[], 'Leo', '{agent} is the conversation''s agent'),
  ('next', null, '{}', '{}', 'Nora', 'else the lead''s'),
  ('next', 'later', '{Leo}', '{}', 'Nora', 'of whom one who is inactive counts as none'),
  ('next', null, '{}', '{Nora}', 'Nora', 'one who is away still has the lead'),
  (null, null, '{Ann}', '{}', 'Nora', 'else the agent who has waited longest'),
  (null, null, '{Ann}', '{Nora}', 'Leo', 'and is not away'),
  ('next', 'later', '{Ann,Nora,Leo}', '{}', 'Boss', 'else a manager'),
  (null, null, '{Ann}', '{Nora,Leo}', 'Boss', 'also while the agents are away'),
  (null, null, '{Ann,Boss}', '{Nora,Leo}', 'Nora', 'else one who is away'),
  (null, null, '{Ann,Nora,Leo,Boss}', '{}', 'An agent', 'and an agent where there is nobody')
) c (of_lead, assigned, inactive, away, greeted, description);
update public.agents set first_name = 'acme {agent}', last_name = 'agency' where id = md5('next')::uuid;
select is(pg_temp.filled('Hi. {agent} from {agency}', 'next', null), 'Hi. An agent from Acme {agent} Agency',
  'an agent with the agency''s own name is an agent');
update public.agents set first_name = 'Nora', last_name = null where id = md5('next')::uuid;
select is(pg_temp.filled('Hi {first_name}! {agent} and {agent}. {agent}', null, null, '{Ann,Nora,Leo,Boss}'),
  'Hi Ada! An agent and an agent. An agent', 'a sentence begins with a capital letter');
delete from public.agents where id in (md5('next')::uuid, md5('later')::uuid, md5('boss')::uuid);
update public.agents set is_active = true where id = md5('ann')::uuid;

-- Leads that are distributed later
select pg_temp.order(null);
update public.recruiting_orders set status = 'closed' where agency_id = md5('agency')::uuid;
select pg_temp.ingest('later', '+13125550009');
select is(pg_temp.greetings('+13125550009'), null, 'a lead that no order wants is not greeted');
insert into public.recruiting_leads (id, vendor_id, first_name, vendor_metadata, distribution) values
  (md5('pending')::uuid, md5('vendor')::uuid, 'Ada', '{"phone": "+13125550010"}', 'pending');
insert into public.recruiting_leads (id, vendor_id, first_name, vendor_metadata, distribution)
select gen_random_uuid(), md5('vendor')::uuid, 'Ada', jsonb_build_object('phone', '+1312555030' || n), 'pending'
from generate_series(1, 3) n;
update public.agents set is_active = false where id = md5('ann')::uuid;
select pg_temp.order('{agent}, {agency}: STOP');
select public.distribute_pending_leads(array[md5('pending')::uuid]);
select public.distribute_waiting_leads(100);
select is(pg_temp.greetings('+13125550010'), 'An agent, Acme {agent} Agency: STOP',
  'a pending lead is greeted when it is distributed, also where the agency has no agent');
select is(pg_temp.greetings('+13125550009'), 'An agent, Acme {agent} Agency: STOP', 'so is one that has waited for an order');
select is((select count(pg_temp.greetings('+1312555030' || n))::integer from generate_series(1, 3) n), 3, 'and each of many');
insert into public.rejected_deliveries (id, request_id, route, vendor_id, code, reason, payload, payload_bytes) values
  (md5('delivery')::uuid, 'r', '/recruiting/ingest', md5('vendor')::uuid, 'BAD_REQUEST', 'x', '{}', 2);
select public.replay_delivery(md5('delivery')::uuid, '{"first_name": "Ada", "vendor_metadata": {"phone": "+13125550011"}}');
select is(pg_temp.greetings('+13125550011'), 'An agent, Acme {agent} Agency: STOP', 'and one that is replayed');

-- Nothing that goes wrong costs the lead
select pg_temp.order('{agency}' || rpad(' STOP', 1590, '.'));
select is(pg_temp.ingest('long', '+13125550012'), md5('agency')::uuid::text, 'a lead whose greeting would be too long is distributed');
select is_empty($$select from public.recruiting_conversations where recruit_phone = '+13125550012'$$, 'and not greeted');
select pg_temp.order(rpad('{agency} STOP {first_name}', 812, '😀'));
select pg_temp.ingest('long in UTF-16', '+13125550209', 'Ada Ada Ada Ada Ada');
select is_empty($$select from public.recruiting_conversations where recruit_phone = '+13125550209'$$,
  'a greeting''s length is counted in UTF-16 units');
select pg_temp.order('{agency} STOP');

-- While the agency's number is paused, and after that
delete from public.texting_hours;
insert into public.texting_hours (opens, closes, source) values ('00:00', '24:00', 'test');
update public.text_outbox set state = 'refused' where state = 'pending';
create function pg_temp.sent(phone text) returns text language sql as $$
  update public.text_outbox set due_at = now() where state = 'pending';
  select public.claim_texts(100);
  select concat_ws(' ', o.state, o.reason)
  from public.text_outbox o join public.recruiting_conversations c on c.id = o.conversation_id where c.recruit_phone = phone
    and o.kind = 'greeting'
$$;
update public.service_numbers set status = 'paused', segments_per_second = 1000 where agency_id = md5('agency')::uuid;
select pg_temp.ingest(name, phone) from (values ('paused', '+13125550013'), ('paused for days', '+13125550017')) l (name, phone);
select is(pg_temp.sent('+13125550013'), 'pending number_paused', 'a lead that comes while the number is paused waits in the outbox');
update public.text_outbox o set created_at = now() - interval '1 day'
from public.recruiting_conversations c where c.id = o.conversation_id and c.recruit_phone = '+13125550017';
update public.service_numbers set status = 'active' where agency_id = md5('agency')::uuid;
select is(pg_temp.sent('+13125550017'), 'refused expired', 'after its day it is not greeted any more');
select is(pg_temp.sent('+13125550013'), 'sending', 'and is greeted once the number is resumed');
update public.text_outbox o set state = 'failed', created_at = now() - interval '1 day'
from public.recruiting_conversations c where c.id = o.conversation_id and c.recruit_phone = '+13125550013';
select throws_ok(
  format('select private.retry_text(%L)', o.message_id), 'PT409', 'message_id: this greeting is more than a day late',
  'nor is a greeting sent again after its day')
from public.text_outbox o join public.recruiting_conversations c on c.id = o.conversation_id where c.recruit_phone = '+13125550013';
select pg_temp.ingest('hours', '+13125550018');
update public.text_outbox o set created_at = now() - interval '1 day'
from public.recruiting_conversations c where c.id = o.conversation_id and c.recruit_phone = '+13125550018';
insert into public.texting_closures (starts_on, ends_on, source)
select d.yesterday, d.yesterday, 'test' from (select (now() at time zone 'America/Chicago')::date - 1) d (yesterday);
select is(pg_temp.sent('+13125550018'), 'sending', 'its day begins with its hours');
delete from public.texting_closures where source = 'test';

-- What has changed while a greeting was held
select pg_temp.ingest('consent withdrawn', '+13125550023');
update public.vendors set has_text_consent = false where id = md5('vendor')::uuid;
select is(pg_temp.sent('+13125550023'), 'refused no_consent', 'nobody is greeted any more when the vendor''s consent is withdrawn');
update public.vendors set has_text_consent = true where id = md5('vendor')::uuid;
select pg_temp.ingest('greeting withdrawn', '+13125550024');
update public.recruiting_orders set greeting_template = null where agency_id = md5('agency')::uuid and status = 'open';
select is(pg_temp.sent('+13125550024'), 'refused no_greeting', 'nor when the order has no greeting any more');
update public.recruiting_orders set greeting_template = '{agency} STOP' where agency_id = md5('agency')::uuid and status = 'open';
create function pg_temp.answer(phone text, state text, attempted_at timestamptz default null) returns void language plpgsql as $$
declare
  queued public.text_outbox;
begin
  select q.* into queued
  from public.recruiting_conversations c
  cross join lateral private.queue_text(c.id, 'agent', 'Hello') q
  where c.recruit_phone = phone;
  update public.text_outbox o
  set state = answer.state, attempted_at = answer.attempted_at
  where o.message_id = queued.message_id;
end
$$;
select pg_temp.ingest('answered', '+13125550025'), pg_temp.answer('+13125550025', 'accepted', now());
select is(pg_temp.sent('+13125550025'), 'refused taken_over', 'nor a recruit whom an agent has texted meanwhile');
select pg_temp.ingest('answer waits', '+13125550026'), pg_temp.answer('+13125550026', 'pending');
select is(pg_temp.sent('+13125550026'), 'sending', 'while an agent''s text waits too, the greeting goes before it');
select pg_temp.ingest('earlier', '+13125550027', vendor => 'without');
select pg_temp.create_conversation('of earlier', '+13125550027', '+13125550190', lead => 'earlier'),
  pg_temp.ingest('consents', '+13125550027');
select is(pg_temp.sent('+13125550027'), 'sending', 'and consent may come with another lead than that of the conversation');

select pg_temp.hold(format($$select private.lock_consent(%L, '+13125550014')::text$$, md5('agency')::uuid));
select is(pg_temp.ingest('locked', '+13125550014'), md5('agency')::uuid::text, 'a lead is distributed while somebody else has its consent');
select set_eq('select lead_id from private.waiting_greetings', array[md5('locked')::uuid], 'its greeting waits');
select pg_temp.let_go();
update private.waiting_greetings set due_at = now();
select ok(private.is_text_due(), 'the worker has something to do');
select is(pg_temp.greetings('+13125550014'), 'Acme {agent} Agency STOP', 'and queues it');
select is_empty('select from private.waiting_greetings', 'once');

select pg_temp.ingest_lead(encode(sha256('test-vendor'), 'hex'), jsonb_build_object(
  'id', md5('old')::uuid, 'first_name', 'Ada', 'vendor_metadata', '{"phone": "+13125550016"}'::jsonb));
update private.waiting_greetings set created_at = now() - interval '1 day';
select is(pg_temp.greetings('+13125550016'), null, 'a lead that has waited for a day is not greeted any more');

-- What is not queued
insert into public.agencies (id, name, timezone) values (md5('numberless')::uuid, 'Numberless', 'UTC');
insert into public.recruiting_orders (agency_id, quantity, greeting_template, priority) values (md5('numberless')::uuid, 1, '{agency} STOP', 1);
select pg_temp.ingest('no number', '+13125550019');
select pg_temp.ingest_lead(encode(sha256('test-vendor'), 'hex'), jsonb_build_object(
  'id', md5(name)::uuid, 'vendor_lead_id', name, 'first_name', 'Ada', 'vendor_metadata', jsonb_build_object('phone', phone)))
from (values ('taken back', '+13125550021'), ('no greeting', '+13125550022')) l (name, phone);
update public.recruiting_orders set greeting_template = null where id = (
  select order_id from public.recruiting_leads where id = md5('no greeting')::uuid);
select public.return_lead(md5('taken back')::uuid, 'test');
select pg_temp.greet();
select is(
  (select string_agg(s.reason || ': ' || coalesce(l.vendor_lead_id, 'old'), ', ' order by s.reason, l.vendor_lead_id)
    from public.skipped_greetings s join public.recruiting_leads l on l.id = s.recruiting_lead_id),
  'expired: old, lead_returned: taken back, no_consent: earlier, no_consent: no consent, no_consent: says no, '
  'no_greeting: no greeting, no_number: no number, '
  'no_phone: no E.164, no_phone: no phone, opted_out: opted out, taken_over: escalated, texted_before: again, '
  'texted_before: texted before, too_long: long, too_long: long in UTF-16',
  'each lead that is not greeted has the reason');

-- Many at once
select pg_temp.order(null);
update public.recruiting_orders set status = 'closed' where agency_id = md5('agency')::uuid;
insert into public.recruiting_leads (vendor_id, first_name, vendor_metadata, distribution)
select md5('vendor')::uuid, 'Ada', jsonb_build_object('phone', '+1312556' || 1000 + n), 'pending' from generate_series(1, 20) n;
select pg_temp.order('{agency} STOP', 1000);
select public.distribute_pending_leads(array(select id from public.recruiting_leads where phone = '+13125561001'));
select is((select count(*)::integer from public.recruiting_leads where phone like '+1312556%' and distribution = 'distributed'), 20,
  'many leads at once are distributed');
select is((select count(*)::integer from private.waiting_greetings), 20, 'and distribution leaves their greetings to the worker');
select pg_temp.greet();
select is((select count(*)::integer from public.text_outbox o join public.recruiting_conversations c on c.id = o.conversation_id
   where c.recruit_phone like '+1312556%'), 20, 'which the worker queues');

create function pg_temp.fail() returns trigger language plpgsql as $$ begin raise exception 'no room' using errcode = '53100'; end $$;
create trigger fail before insert on public.text_outbox for each row execute function pg_temp.fail();
select is(pg_temp.ingest('fails', '+13125550015'), md5('agency')::uuid::text, 'a lead is distributed when its greeting fails');
select is_empty($$select from public.recruiting_conversations where recruit_phone = '+13125550015'$$,
  'and nothing of the greeting is left');

select * from finish();
rollback;
