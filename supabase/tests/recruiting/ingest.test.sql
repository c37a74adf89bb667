-- One recruiting lead: stored, recognised when it comes again, whatever it holds. Where it goes is another file.
begin;
select plan(31);
\ir ../helpers.psql

select pg_temp.create_vendor('vendor', repeat('a', 64)), pg_temp.create_vendor('other', repeat('b', 64));
update public.recruiting_orders set status = 'paused';

create function pg_temp.ingest(lead jsonb, key_hash text default repeat('a', 64)) returns jsonb language sql as $$
  select pg_temp.ingest_lead(
    key_hash, jsonb_build_object('id', gen_random_uuid(), 'first_name', 'Ada', 'vendor_metadata', '{}'::jsonb) || lead)
$$;

select is(
  pg_temp.ingest(jsonb_build_object('id', md5('1')::uuid, 'vendor_lead_id', 'V-1')),
  jsonb_build_object('id', md5('1')::uuid, 'status', 'created', 'distributed_to', null),
  'a new lead has the id that the caller made');
select is(
  pg_temp.ingest(jsonb_build_object('id', md5('2')::uuid, 'vendor_lead_id', 'V-1')),
  jsonb_build_object('id', md5('1')::uuid, 'status', 'duplicate'),
  'the same vendor_lead_id again is a duplicate and returns the id of the first lead');
select is_empty($$select from public.recruiting_leads where id = md5('2')::uuid$$, 'a duplicate creates nothing');
select is(
  pg_temp.ingest(jsonb_build_object('id', md5('1')::uuid, 'vendor_lead_id', 'V-1')) ->> 'status', 'created',
  'the same call again, as after a lost connection, returns the first result');
select is(
  pg_temp.ingest('{"vendor_lead_id": "V-1"}', repeat('b', 64)) ->> 'status', 'created',
  'another vendor may use the same vendor_lead_id');
select throws_ok(
  $$select pg_temp.ingest(jsonb_build_object('id', md5('1')::uuid), repeat('b', 64))$$,
  '23505', null, 'the id of another vendor''s lead is refused');

select is(
  pg_temp.ingest(jsonb_build_object('vendor_lead_id', id)) ->> 'status', 'created',
  format('a lead with the vendor_lead_id %s is never a duplicate', coalesce(quote_literal(id), 'null')))
from unnest(array[null, null, ' ']) id;
select is(pg_temp.ingest('{"vendor_lead_id": 12345678901234567890}') ->> 'status', 'created', 'a vendor_lead_id may be a number');
select is(
  pg_temp.ingest('{"vendor_lead_id": "12345678901234567890"}') ->> 'status', 'duplicate',
  'a number and a string with its digits are the same vendor_lead_id');

create temp table long as select string_agg(md5(i::text), '') as id from generate_series(1, 3125) i;
select is(
  pg_temp.ingest(jsonb_build_object('vendor_lead_id', id)) ->> 'status', 'created',
  'a vendor_lead_id may have 100,000 characters') from long;
select is(
  pg_temp.ingest(jsonb_build_object('vendor_lead_id', id)) ->> 'status', 'duplicate',
  'a vendor_lead_id of 100,000 characters is recognised again') from long;

select is(
  public.abandon_recruiting_leads(array[md5('late')::uuid]), jsonb_build_object(md5('late')::uuid, null),
  'a lead that is not stored may be abandoned');
select throws_ok(
  $$select pg_temp.ingest(jsonb_build_object('id', md5('late')::uuid))$$,
  '55000', 'the lead was abandoned', 'a call that comes after that stores nothing');
select is_empty($$select from public.recruiting_leads where id = md5('late')::uuid$$, 'and leaves nothing');
select is(
  public.abandon_recruiting_leads(array[md5('late')::uuid]), jsonb_build_object(md5('late')::uuid, null),
  'to abandon it again changes nothing');
select is(
  public.abandon_recruiting_leads(array[md5('1')::uuid, md5('nobody')::uuid]),
  jsonb_build_object(
    md5('1')::uuid, jsonb_build_object('id', md5('1')::uuid, 'status', 'created', 'distributed_to', null),
    md5('nobody')::uuid, null),
  'a lead that is stored is not abandoned; the result is that of its call');
select is(
  pg_temp.ingest(jsonb_build_object('id', md5('1')::uuid, 'vendor_lead_id', 'V-1')) ->> 'status', 'created',
  'and a repeated call returns it still');

create temp table stored as select pg_temp.ingest(
  '{"first_name": "Zoë 🌷", "vendor_metadata": {"last_name": "Ng", "vendor_fields": {"a": [1]}}, "resume_path": "v/l.pdf"}'
) as lead;
select results_eq(
  $$select l.first_name, l.vendor_metadata, l.resume_path
    from stored s join public.recruiting_leads l on l.id = (s.lead ->> 'id')::uuid$$,
  $$values ('Zoë 🌷', '{"last_name": "Ng", "vendor_fields": {"a": [1]}}'::jsonb, 'v/l.pdf')$$,
  'first_name, vendor_metadata and resume_path are stored unchanged');

select throws_ok(format('select pg_temp.ingest(%L)', lead), 'PT400', message, description)
from (values
  ('{"first_name": null}', 'missing first_name', 'no first_name'),
  ('{"first_name": " "}', 'missing first_name', 'a blank first_name'),
  ('{"vendor_metadata": []}', 'vendor_metadata must be an object', 'vendor_metadata that is a list')
) as wrong (lead, message, description);

select lives_ok(format('select pg_temp.ingest(%L)', lead), 'never an error: ' || left(lead, 60))
from unnest(array[
  '{"first_name": 7, "vendor_lead_id": ["a"], "vendor_metadata": null}',
  '{"first_name": {"a": 1}, "vendor_metadata": {"state": {}, "phone": [], "email": false, "last_name": null}}',
  '{"vendor_metadata": {"state": "\uD83C\uDF37x", "is_test": "yes"}}',
  '{"first_name": "'' or 1=1; --", "vendor_metadata": {"state": "Robert''); drop table leads; --"}}',
  '{"vendor_metadata": {"phone": 1e400, "state": 12}}'
]) lead;

-- Leads of one call with the same vendor_lead_id, which find their place before they are stored
select pg_temp.create_agency('twins', 'America/New_York');
insert into public.recruiting_orders (id, agency_id, quantity) values (md5('twins')::uuid, md5('twins')::uuid, 10);
create temp table twins as
select public.ingest_recruiting_leads(jsonb_agg(jsonb_build_object(
  'key_hash', repeat('a', 64),
  'lead', jsonb_build_object('id', md5('twin ' || n)::uuid, 'first_name', 'Ada', 'vendor_lead_id', 'twin ' || n / 2)
) order by n)) as results
from generate_series(2, 4) n;
select results_eq(
  $$select r ->> 'status', r ->> 'id' from twins, jsonb_array_elements(results) r$$,
  $$values ('created', md5('twin 2')::uuid::text), ('duplicate', md5('twin 2')::uuid::text), ('created', md5('twin 4')::uuid::text)$$,
  'of two leads of one call with the same vendor_lead_id the first is stored');
select is(
  public.distribute_pending_leads(array[md5('twin 2'), md5('twin 4')]::uuid[])
    #>> array['leads', md5('twin 2')::uuid::text, 'distribution'], 'distributed', 'and distributed');
select results_eq(
  $$select o.filled, (select sum(d.leads)::integer from private.recruiting_order_days d where d.order_id = o.id)
    from public.recruiting_orders o where o.id = md5('twins')::uuid$$,
  'values (2, 2)', 'the order counts each stored lead once');

select * from finish();
rollback;
