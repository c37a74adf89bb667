-- A mapping's gaps are filled, and texts for nobody get their conversation.
begin;
select plan(26);
\ir ../helpers.psql

select pg_temp.create_agency('agency', 'UTC', 'ann', 'gone'), pg_temp.create_agency('elsewhere', 'UTC', 'otto'),
  pg_temp.create_vendor('vendor'), pg_temp.create_vendor('other');
update public.agents set is_active = false where id = md5('gone')::uuid;

-- Rereading
create function pg_temp.filled(stored jsonb, given jsonb) returns jsonb language plpgsql as $$
begin
  insert into public.recruiting_leads (id, vendor_id, first_name, vendor_metadata)
  values (md5('lead')::uuid, md5('vendor')::uuid, 'Ada', '{"vendor_fields": {}}' || stored)
  on conflict (id) do update set vendor_metadata = excluded.vendor_metadata;
  perform public.fill_leads(jsonb_build_array(jsonb_build_object('id', md5('lead')::uuid, 'vendor_metadata', given)));
  return (select vendor_metadata from public.recruiting_leads where id = md5('lead')::uuid);
end
$$;
select is(pg_temp.filled(stored::jsonb, given::jsonb), '{"vendor_fields": {}}' || filled::jsonb, title)
from (values
  ('what is missing is filled', '{"vendor_fields": {"tel": 1}}', '{"phone": "+13125550142", "city": "Bern"}',
    '{"vendor_fields": {"tel": 1}, "phone": "+13125550142", "city": "Bern"}'),
  ('what is blank is filled', '{"a": null, "b": " ", "c": [], "d": {}}', '{"a": 1, "b": "x", "c": ["y"], "d": {"z": false}}',
    '{"a": 1, "b": "x", "c": ["y"], "d": {"z": false}}'),
  ('what is there stays', '{"a": 0, "b": false, "c": "x", "d": ["y"]}', '{"a": 1, "b": true, "c": "z", "d": ["y", "z"]}',
    '{"a": 0, "b": false, "c": "x", "d": ["y"]}'),
  ('a blank fills nothing', '{}', '{"a": " ", "b": null, "c": []}', '{}'),
  ('the raw phone of another number is none of this one', '{"phone": "+13125550142"}',
    '{"phone": "+13125550143", "phone_raw": "x 143"}', '{"phone": "+13125550142"}'),
  ('a phone joins what could not be read as one', '{"phone_raw": "ask me"}', '{"phone": "+13125550143", "phone_raw": "x 143"}',
    '{"phone_raw": "ask me", "phone": "+13125550143"}'),
  ('vendor_fields, is_test and resume_skipped stay', '{"vendor_fields": {}}',
    '{"vendor_fields": {"a": 1}, "is_test": true, "resume_skipped": "replay"}', '{"vendor_fields": {}}')
) e (title, stored, given, filled);
select results_eq(
  $$select phone, state from public.fill_leads(jsonb_build_array(jsonb_build_object(
    'id', md5('lead')::uuid, 'vendor_metadata', '{"phone": "+13125550144", "state": "IL"}'::jsonb)))$$,
  $$values ('+13125550144', 'IL')$$, 'the columns that are made of it follow, and the lead is returned');
select is_empty(
  $$select * from public.fill_leads(jsonb_build_array(jsonb_build_object(
    'id', md5('lead')::uuid, 'vendor_metadata', '{"phone": "+13125550199"}'::jsonb)))$$,
  'a lead without a gap is not changed');

delete from public.recruiting_leads;
insert into public.recruiting_leads (id, vendor_id, first_name, vendor_metadata, created_at)
select md5(name)::uuid, md5(vendor)::uuid, name, metadata::jsonb, created_at::timestamptz
from (values
  ('a', 'vendor', '{"vendor_fields": {"x": 1}}', '2026-01-01'), ('b', 'vendor', '{"vendor_fields": {"x": 1}}', '2026-02-01'),
  ('c', 'other', '{"vendor_fields": {"x": 1}}', '2026-02-01'), ('d', 'vendor', '{"x": 1}', '2026-02-01')
) l (name, vendor, metadata, created_at);
create function pg_temp.names(vendor text, since text) returns text language sql as $$
  select string_agg(first_name, '' order by first_name)
  from public.leads_to_reread(md5(vendor)::uuid, since::timestamptz)
$$;
select is(pg_temp.names(null, null), 'abc', 'leads with vendor_fields can be reread');
select is(pg_temp.names('vendor', null), 'ab', 'those of one vendor');
select is(pg_temp.names(null, '2026-01-15'), 'bc', 'those since a day');
select results_eq(
  $$select id from public.leads_to_reread(max => 1, after => (select id from public.leads_to_reread(max => 1)))$$,
  $$select id from public.recruiting_leads where first_name <> 'd' order by id offset 1 limit 1$$, 'page by page');

-- Texts for nobody
create function pg_temp.add_lead(name text, phone text, agent text, agency text default 'agency') returns void
language sql as $$
  insert into public.recruiting_leads (
    id, vendor_id, first_name, vendor_metadata, agency_id, agent_id, distribution, distributed_at)
  values (md5(name)::uuid, md5('vendor')::uuid, name, jsonb_build_object('phone', phone), md5(agency)::uuid, md5(agent)::uuid,
    case when agency is null then 'unmatched' else 'distributed' end, case when agency is not null then now() end)
$$;
create function pg_temp.text(sender text, number text, body text default 'Hi') returns void language sql as $$
  select public.receive_sms(sender, number, sender || number || body, body, '[]')
$$;
select pg_temp.add_lead('older', '+19995550001', 'ann');
update public.recruiting_leads set created_at = '2026-01-01' where id = md5('older')::uuid;
select pg_temp.add_lead('newest', '+19995550001', 'ann');
select pg_temp.add_lead('homeless', '+19995550001', null, null);
select pg_temp.text('+19995550001', '+19995550100'), pg_temp.text('+19995550001', '+19995550100', 'STOP'),
  pg_temp.text('+19995550001', '+19995550101');
select results_eq(
  $$select a ->> 'lead_id', a ->> 'agent_id', a ->> 'agency_id', a ->> 'texts'
    from jsonb_array_elements(public.adopt_texts('+19995550001', '+19995550100')) a$$,
  $$values (md5('newest')::uuid::text, md5('ann')::uuid::text, md5('agency')::uuid::text, '2')$$,
  'the texts to a number become a conversation with the newest lead that has an agency');
select results_eq(
  $$select status, recruiting_lead_id, assigned_agent_id from public.recruiting_conversations where recruit_phone = '+19995550001'$$,
  $$values ('escalated', md5('newest')::uuid, md5('ann')::uuid)$$, 'its agent has taken it over');
select results_eq(
  $$select kind from public.agent_notifications where agent_id = md5('ann')::uuid order by 1$$,
  $$values ('opt_out'), ('text')$$, 'and is notified of each text');
select is(private.is_opted_out(md5('agency')::uuid, '+19995550001'), true, 'a STOP in it holds for the agency');
select is((select count(*) from public.unmatched_texts where recruit_phone = '+19995550001'), 1::bigint, 'other texts wait');
select is(
  jsonb_path_query_array(public.adopt_texts('+19995550001'), '$[*].service_phone'), '["+19995550101"]',
  'without a number, the texts to all of them are taken');
select throws_ok($$select public.adopt_texts('+19995550001')$$, 'PT404', 'no text of this phone waits for a conversation',
  'again, there is nothing to take');

select pg_temp.add_lead('left', '+19995550002', 'gone'), pg_temp.text('+19995550002', '+19995550100');
select is(public.adopt_texts('+19995550002') #>> '{0,agent_id}', null, 'an inactive agent does not get the conversation');
select is(status, 'bot', 'which waits for somebody') from public.recruiting_conversations where recruit_phone = '+19995550002';

insert into public.service_numbers (phone, agency_id) values ('+19995550102', md5('elsewhere')::uuid);
select pg_temp.text('+19995550003', '+19995550100'), pg_temp.add_lead('unknown', '+19995550003', null, null),
  pg_temp.add_lead('of agency', '+19995550004', 'ann'), pg_temp.text('+19995550004', '+19995550102');
select throws_ok(format('select public.adopt_texts(%L)', phone), code, message, message)
from (values
  ('+19995550003', 'PT409', 'no lead with an agency has this phone'),
  ('+19995550004', 'PT409', 'no lead of the agency of +19995550102 has this phone'),
  ('+19995550009', 'PT404', 'no text of this phone waits for a conversation')
) e (phone, code, message);
select pg_temp.add_lead('of elsewhere', '+19995550004', 'otto', 'elsewhere');
update public.recruiting_leads set created_at = '2026-01-01' where id = md5('of elsewhere')::uuid;
select is(
  public.adopt_texts('+19995550004') #>> '{0,agent_id}', md5('otto')::uuid::text,
  'a text to an agency''s number goes to the agency''s lead, though another is newer');

select * from finish();
rollback;
