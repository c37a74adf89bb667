-- All that is held of a person, and all that is left once the person was erased.
begin;
select plan(44);
\ir ../helpers.psql

select ok(given ~* private.contact_pattern(array['+13125550142', '+442079460018'], array['m.lo+x@example.com']) = is_found,
  format('%s %s a number or an address of the person', given, case when is_found then 'has' else 'has not' end))
from (values
  ('{"phone": "(312) 555-0142"}', true), ('{"phone": 3125550142}', true), ('001 312.555.0142', true),
  ('phone=%2B13125550142&x=1', true), ('phone=%28312%29%20555-0142', true), ('93125550142', false), ('31255501421', false),
  ('["312", "555", "0142"]', false), ('+44 (0)20 7946 0018', true), ('020 7946 0018', true), ('12079460018', false),
  ('"Mail:\nM.Lo+X@Example.com."', true), ('e=m.lo%2Bx%40example.com&', true), ('am.lo+x@example.com', false),
  ('m.lo+x@example.com.au', false), ('mxlo+x@example.com', false)
) c (given, is_found);
select ok('anything' !~* private.contact_pattern('{}', '{}'), 'without a number or an address nothing is found');

update public.recruiting_orders set status = 'paused';
select pg_temp.create_agency('agency', 'UTC', 'ann');
select pg_temp.create_vendor('vendor', repeat('a', 64));
insert into public.recruiting_orders (id, agency_id, vendor_id, quantity, daily_cap)
values (md5('order')::uuid, md5('agency')::uuid, md5('vendor')::uuid, 1, 1);

create function pg_temp.ingest(name text, vendor_lead_id text, metadata jsonb) returns text language sql as $$
  select pg_temp.ingest_lead(repeat('a', 64), jsonb_build_object('id', md5(name)::uuid, 'first_name', name,
    'vendor_lead_id', vendor_lead_id, 'vendor_metadata', metadata)) ->> 'status'
$$;
select pg_temp.ingest('Maria', '(312) 555-0142', '{"phone": "+13125550142", "email": "M@example.com", "state": "IL"}');
-- The same address, and another phone
select pg_temp.ingest('Mary', 'M@example.com', '{"phone": "+13125550143", "email": "m@example.com", "is_test": true}');
-- The phone that is two steps away
select pg_temp.ingest('Omar', 'V-3', '{"phone": "+13125550143", "email": "omar@example.com"}');
insert into public.leads (id, external_id, agency_id, agent_id, first_name, phone, phone_e164, email, state, type)
select md5('sales ' || n)::uuid, md5('external ' || n)::uuid, md5('agency')::uuid, md5('ann')::uuid, 'Maria', phone, e164, email, 'IL', 'fe'
from (values (1, '312-555-0142', '+13125550142', null), (2, '312 555 0149', '+13125550149', 'omar@example.com')) s (n, phone, e164, email);
insert into public.lead_presentations (id, lead_id, agent_id)
select md5('presentation ' || n)::uuid, md5('sales ' || n)::uuid, md5('ann')::uuid from generate_series(1, 2) n;
insert into public.lead_demographics (lead_id, spouse_name) values (md5('sales 1')::uuid, 'Juan');
insert into public.lead_sales (presentation_id, lead_id, agent_id, product, annual_premium, policy_number)
values (md5('presentation 1')::uuid, md5('sales 1')::uuid, md5('ann')::uuid, 'Final expense', 600, 'P-1');
insert into public.lead_referrals (id, presentation_id, lead_id, agent_id, first_name, phone, notes)
select md5('referral ' || n)::uuid, md5('presentation ' || n)::uuid, md5('sales ' || n)::uuid, md5('ann')::uuid, name, phone, 'Her sister'
from (values (1, 'Ola', '312-555-0190'), (2, 'Maria', '(312) 555-0142')) r (n, name, phone);
insert into public.service_numbers (phone, agency_id) values ('+13125550190', md5('agency')::uuid);
insert into public.recruiting_conversations (id, agency_id, recruit_phone, service_phone, recruiting_lead_id)
select md5('conversation ' || n)::uuid, md5('agency')::uuid, phone, '+13125550190', lead
from (values (1, '+13125550142', md5('Maria')::uuid), (2, '+13125550149', null)) c (n, phone, lead);
select public.receive_sms(from_phone, to_phone, sid, body, '[{"url": "https://api.example/ME1", "content_type": "image/png"}]')
from (values
  ('+13125550142', '+13125550190', 'SM1', 'I am Maria'), ('+13125550142', '+13125550101', 'SM2', 'Maria here'),
  ('+13125550142', '+13125550102', 'SM3', 'STOP'), ('+13125550142', '+13125550190', 'SM4', 'Stop texting me'),
  ('+13125550149', '+13125550190', 'SM5', 'I am Omar')
) t (from_phone, to_phone, sid, body);
select public.update_sms_status('SM1', 'delivered', null);
insert into private.idempotency_keys (scope, key, part, result)
values ('import', 'm@example.com', 0, '{}'), ('import', 'omar@example.com', 0, '{}');
insert into public.rejected_deliveries (id, request_id, route, vendor_id, row, code, reason, payload, payload_text, payload_bytes)
select md5('delivery ' || n)::uuid, 'request', route, vendor, row, 'BAD_REQUEST', 'no name', payload, payload_text, 9
from (values
  (1, '/recruiting/ingest', md5('vendor')::uuid, null, '{"tel": "312 555 0142"}'::jsonb, null),
  (2, '/recruiting/ingest/bulk', md5('vendor')::uuid, null, null, 'leads=[{"mail": "M@Example.com"}, {"mail": "x@example.com"}'),
  (3, '/api/leads/import', null, 4, '{"phone": "+1 312 555 0142"}', null),
  (4, '/recruiting/ingest', md5('vendor')::uuid, null, '{"tel": "312 555 0149"}', null)
) d (n, route, vendor, row, payload, payload_text);

insert into public.suppressions (kind, value, reason, source) values ('phone', '+13125550142', 'Maria asked us', 'operator');

create view pg_temp.found as select * from public.find_person('+13125550142');
select results_eq(
  $$select kind, count(*)::integer, stays from pg_temp.found group by kind, stays order by stays, kind collate "C"$$,
  $$values ('conversation', 1, false), ('delivery', 3, false), ('idempotency_key', 1, false), ('lead', 1, false),
    ('recruiting_lead', 2, false), ('referral', 1, false), ('suppression', 1, false),
    ('unmatched_text', 1, false), ('consent', 1, true), ('unmatched_text', 1, true)$$,
  'a person has what shares the phone, and what shares an address with that');
select set_eq(
  $$select id from pg_temp.found where kind = 'recruiting_lead'$$, array[md5('Maria')::uuid::text, md5('Mary')::uuid::text],
  'but not what is two steps away');
select set_eq(
  $$select id from public.find_person(' M@Example.com ') where kind = 'recruiting_lead'$$,
  array[md5('Maria')::uuid::text, md5('Mary')::uuid::text, md5('Omar')::uuid::text], 'from the address it is one step');
select throws_ok($$select * from public.find_person('Maria')$$, 'PT400',
  'contact: must be a phone number in E.164 or an e-mail address', 'a name is no person');
select is(
  (select jsonb_object_agg(key, case jsonb_typeof(value) when 'array' then jsonb_array_length(value) end)
    from jsonb_each(public.export_person('+13125550142'))),
  '{"phones": 1, "emails": 1, "recruiting_leads": 2, "leads": 1, "named_in_referrals": 1, "rejected_deliveries": 3,
    "conversations": 1, "unmatched_texts": 2, "text_consents": 1, "text_consent_events": 1, "idempotency_keys": 1,
    "suppressions": 1, "files": 0}',
  'the export has it all');
select is(
  public.person_copies('+13125550142') - 'service_phones',
  '{"phones": ["+13125550142"], "message_sids": ["SM1", "SM2", "SM4"], "files": []}',
  'its copies outside are the texts that the provider knows');

-- Copies that are gone are not erased twice, and nothing is erased before its copy is.
select throws_ok($$select public.erase_person('+13125550142', array['SM1', 'SM2'])$$, 'PT409',
  'a text or a file has come meanwhile: try again', 'a text that was not deleted at the provider stops it');
insert into storage.objects (bucket_id, name) values ('text-media', md5('conversation 1')::uuid || '/offer.png');
select throws_ok($$select public.erase_person('+13125550142')$$, 'PT409',
  'a text or a file has come meanwhile: try again', 'so does a file');
set local storage.allow_delete_query = 'true';
delete from storage.objects where name like md5('conversation 1')::uuid || '/%';
select pg_temp.add_text('sent', 'conversation 1', state => 'sending');
update public.text_outbox set lease_until = now() + interval '1 minute' where message_id = md5('sent')::uuid;
select throws_ok($$select public.erase_person('+13125550142')$$, 'PT409',
  'a text to this person is being sent: try again in a minute', 'and a text that is on its way');
update public.text_outbox set lease_until = now() where message_id = md5('sent')::uuid;

create temporary table before as
select (select jsonb_agg(o) from public.recruiting_orders o) as orders,
  (select jsonb_agg(d) from private.recruiting_order_days d) as days,
  (select jsonb_agg(to_jsonb(m) - 'updated_at' order by lead_id) from public.lead_metrics m) as metrics;
select is(
  public.erase_person('+13125550142', array['SM1', 'SM2', 'SM4', 'SM8', 'SM9'], 1),
  '{"recruiting_lead": 2, "lead": 1, "referral": 1, "delivery": 3, "conversation": 1, "unmatched_text": 1,
    "idempotency_key": 1, "suppression": 1, "file": 1}', 'what was erased is told');
select results_eq(
  $$select asked_by, erased -> 'lead', provider_copies from public.erasures where created_at = now()$$,
  $$values ('phone', '1'::jsonb, 5)$$, 'and noted, without the person');
select results_eq(
  $$select kind, stays from public.find_person('+13125550142') order by kind$$,
  $$values ('consent', true), ('suppression', true), ('unmatched_text', true)$$,
  'what was said about texts is left, and the suppression');
select results_eq(
  $$select kind, value, reason, source, private.is_suppressed('+13125550142', null) from public.suppressions$$,
  $$values ('phone', private.suppression_hash('phone', '+13125550142'), '(erased)', 'erased', true)$$,
  'it holds, and is a hash of the number');
select results_eq(
  $$select t.body, t.media from public.unmatched_texts t where t.recruit_phone = '+13125550142'$$,
  $$values ('STOP', '[]'::jsonb)$$, 'an opt-out that no agency has recorded yet stays, without its picture');
select is_empty($$select from public.recruiting_message_events where provider_message_id = 'SM1'$$, 'callbacks are gone');
select results_eq(
  $$select (select jsonb_agg(o) from public.recruiting_orders o),
    (select jsonb_agg(d) from private.recruiting_order_days d),
    (select jsonb_agg(to_jsonb(m) - 'updated_at' order by lead_id) from public.lead_metrics m)$$,
  $$select * from before$$, 'all counts are as before');
select results_eq(
  $$select first_name, vendor_metadata, agency_id, distribution from public.recruiting_leads
    where vendor_id = md5('vendor')::uuid order by vendor_lead_id = 'V-3', vendor_metadata$$,
  $$values ('(erased)', '{}'::jsonb, md5('agency')::uuid, 'distributed'),
    ('(erased)', '{"is_test": true}', null, 'not_requested'),
    ('Omar', '{"phone": "+13125550143", "email": "omar@example.com"}', null, 'unmatched')$$,
  'leads are emptied, and stay where they went');
select is(
  array[pg_temp.ingest('again', '(312) 555-0142', '{}'), pg_temp.ingest('again 2', 'M@example.com', '{}'),
    public.preview_recruiting_lead(repeat('a', 64), '{"first_name": "x", "vendor_lead_id": "M@example.com"}') ->> 'status'],
  array['duplicate', 'duplicate', 'duplicate'], 'the vendor''s ids are still known, though they were a phone and an address');
select is_empty(
  $$select from public.recruiting_leads where vendor_lead_id ~ '@|555'$$, 'and do not stand there any more');
select results_eq(
  $$select first_name, relationship, notes from public.lead_referrals where agent_id = md5('ann')::uuid order by 1$$,
  $$values ('(erased)', null::text, null::text), ('Ola', null, null)$$,
  'whom the person has named stays, and the person''s own name goes');
select results_eq(
  $$select d.status, d.payload, d.payload_text
    from generate_series(1, 4) n join public.rejected_deliveries d on d.id = md5('delivery ' || n)::uuid order by n$$,
  $$values ('dismissed', null::jsonb, null::text), ('open', null, null), ('dismissed', null, null),
    ('open', '{"tel": "312 555 0149"}', null)$$,
  'rejected deliveries are emptied; one of several leads stays open, because the others must be sent again');
select results_eq(
  $$select m.body from public.recruiting_messages m join public.recruiting_conversations c on c.id = m.conversation_id
    where c.agency_id = md5('agency')::uuid$$,
  array['I am Omar'], 'the texts of others are there');
select is(
  public.receive_sms('+13125550142', '+13125550190', 'SM10', 'Hello again', '[]') ->> 'status', 'no_conversation',
  'what the person sends afterwards is new');
select ok(private.is_opted_out(md5('agency')::uuid, '+13125550142'), 'and the opt-out holds');

-- Never again
select public.erase_person('omar@example.com', never_again => true);
select results_eq(
  $$select private.is_suppressed(phone, email), phone, email from (values
      ('+13125550143', null), ('+13125550149', null), (null, 'omar@example.com'), ('+13125550144', 'else@example.com')
    ) p (phone, email)$$,
  $$values (true, '+13125550143', null), (true, '+13125550149', null), (true, null, 'omar@example.com'),
    (false, '+13125550144', 'else@example.com')$$,
  'all numbers and addresses of the person are suppressed');
select is_empty($$select from public.suppressions where value !~ '^sha256:'$$, 'of which only hashes are left');
select results_eq(
  $$select kind, stays from public.find_person('omar@example.com')$$, $$values ('suppression', true)$$,
  'which is all that is held of the address');

select * from finish();
rollback;
