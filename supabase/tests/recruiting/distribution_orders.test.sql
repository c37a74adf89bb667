-- The order to which a recruiting lead goes.
begin;
select plan(35);
\ir ../helpers.psql

update public.recruiting_orders set status = 'paused';
select pg_temp.create_agency('agency'), pg_temp.create_vendor('vendor', repeat('a', 64)), pg_temp.create_vendor('other');
insert into public.vendors (id, slug, name) values ('00000000-0000-0000-0000-000000000000', 'test-zeros', 'Zeros');

-- The name of the order that a lead goes to, or null, when there are only these orders: {name: columns}.
create function pg_temp.goes_to(orders jsonb, metadata jsonb default '{}') returns text language plpgsql as $$
declare
  lead constant uuid := gen_random_uuid();
begin
  delete from public.recruiting_leads where agency_id = md5('agency')::uuid;
  delete from public.recruiting_orders where agency_id = md5('agency')::uuid;
  insert into public.recruiting_orders (
    id, agency_id, vendor_id, states, quantity, filled, priority, status, starts_at, ends_at, created_at)
  select
    md5(name)::uuid, md5('agency')::uuid, r.vendor_id, r.states, coalesce(r.quantity, 100), coalesce(r.filled, 0),
    coalesce(r.priority, 0), coalesce(r.status, 'open'), r.starts_at, r.ends_at, coalesce(r.created_at, now())
  from jsonb_each(orders) o (name, columns)
  cross join jsonb_populate_record(null::public.recruiting_orders, o.columns) r;

  perform pg_temp.ingest_lead(
    repeat('a', 64), jsonb_build_object('id', lead, 'first_name', 'Ada', 'vendor_metadata', metadata));
  return (
    select name
    from jsonb_object_keys(orders) name
    join public.recruiting_leads l on l.order_id = md5(name)::uuid and l.id = lead
  );
end
$$;

select is(pg_temp.goes_to(orders, metadata), expected, description)
from (values
  ('{}'::jsonb, '{}'::jsonb, null, 'without an order a lead goes nowhere'),
  ('{"any": {}}', '{}', 'any', 'an order that asks for nothing takes any lead'),
  ('{"any": {}}', '{"is_test": true}', null, 'a vendor''s test lead goes nowhere'),
  ('{"any": {}}', '{"is_test": false}', 'any', 'a lead with is_test: false goes to an order'),

  ('{"a": {"status": "paused"}}', '{}', null, 'a paused order takes none'),
  ('{"a": {"status": "closed"}}', '{}', null, 'a closed order takes none'),
  ('{"a": {"status": "filled"}}', '{}', null, 'an order with the status filled takes none, whatever its count'),
  ('{"a": {"quantity": 5, "filled": 5}}', '{}', null, 'an open order whose quantity is reached takes none'),

  (jsonb_build_object('a', jsonb_build_object('vendor_id', md5('vendor')::uuid)), '{}', 'a', 'an order for the vendor'),
  (jsonb_build_object('a', jsonb_build_object('vendor_id', md5('other')::uuid)), '{}', null, 'an order for another vendor'),
  ('{"a": {"vendor_id": "00000000-0000-0000-0000-000000000000"}}', '{}', null,
    'an order for the vendor with the id that stands for any vendor in the index'),

  ('{"a": {"states": ["OK", "TX"]}}', '{"state": "TX"}', 'a', 'an order for the lead''s state'),
  ('{"a": {"states": ["OK", "TX"]}}', '{"state": "tx"}', 'a', 'the lead''s state in lower case matches too'),
  ('{"a": {"states": ["OK", "TX"]}}', '{"state": "CA"}', null, 'an order for other states'),
  ('{"a": {"states": ["OK", "TX"]}}', '{}', null, 'a lead without a state does not match an order for states'),
  ('{"a": {"states": ["OK", "TX"]}}', '{"state": "Texas"}', null, 'a lead whose state cannot be read does not match an order for states'),
  ('{"a": {"states": ["OK"]}, "b": {}}', '{}', 'b', 'a lead without a state goes to an order for any state'),

  (jsonb_build_object('a', jsonb_build_object('starts_at', now() + interval '1 hour')), '{}', null, 'an order that begins later'),
  (jsonb_build_object('a', jsonb_build_object('starts_at', now() - interval '1 hour')), '{}', 'a', 'an order that has begun'),
  (jsonb_build_object('a', jsonb_build_object('ends_at', now() - interval '1 hour')), '{}', null, 'an order that is over'),
  (jsonb_build_object('a', jsonb_build_object('ends_at', now() + interval '1 hour')), '{}', 'a', 'an order that ends later'),

  ('{"a": {"priority": 1}, "b": {"priority": 2, "filled": 99}}', '{}', 'b',
    'the order with the highest priority goes first, even when it is almost full'),
  ('{"a": {"priority": -1}, "b": {}}', '{}', 'b', 'a priority may be negative'),
  ('{"a": {"quantity": 10, "filled": 3}, "b": {"quantity": 100, "filled": 20}}', '{}', 'b',
    'then the order with the smallest filled share, not the smallest count'),
  ('{"a": {"quantity": 100000, "filled": 2}, "b": {"quantity": 100000, "filled": 1}}', '{}', 'b', 'shares are compared exactly'),
  ('{"a": {"created_at": "2026-02-01"}, "b": {"created_at": "2026-01-01"}}', '{}', 'b', 'then the oldest order'),
  ('{"a": {"priority": 9, "states": ["OK"]}, "b": {"filled": 50}}', '{"state": "TX"}', 'b', 'an order that does not match is passed over')
) as rules (orders, metadata, expected, description);

-- Changes when a lead goes to an order
create temp table result as select pg_temp.ingest_lead(
  repeat('a', 64), jsonb_build_object('id', md5('lead')::uuid, 'first_name', 'Ada', 'vendor_metadata', '{"state": "TX"}'::jsonb)
) as json
from (select pg_temp.goes_to('{"b": {"quantity": 2}}')) as one_before;

select is(
  json -> 'distributed_to', jsonb_build_object('agency_id', md5('agency')::uuid, 'agent_id', null),
  'the result names the agency, and null as agent when the agency has none')
from result;
select results_eq(
  $$select distribution, order_id, agency_id, agent_id, distributed_at between now() and clock_timestamp()
    from public.recruiting_leads where id = md5('lead')::uuid$$,
  $$values ('distributed', md5('b')::uuid, md5('agency')::uuid, null::uuid, true)$$,
  'the lead has its order, agency and time');
select results_eq(
  $$select filled, status from public.recruiting_orders where id = md5('b')::uuid$$,
  $$values (2, 'filled')$$,
  'the order counts the lead, and its last lead sets it to filled');
select is(
  pg_temp.ingest_lead(repeat('a', 64), '{"id": "00000000-0000-4000-8000-000000000000", "first_name": "A"}') -> 'distributed_to',
  'null', 'the next lead goes to no order');
select is(distribution, 'unmatched', 'and it is unmatched')
from public.recruiting_leads where id = '00000000-0000-4000-8000-000000000000';
select is(
  pg_temp.ingest_lead(
    repeat('a', 64),
    jsonb_build_object('id', md5('test')::uuid, 'first_name', 'A', 'vendor_metadata', '{"is_test": true}'::jsonb)
  ) ->> 'id', md5('test')::uuid::text, 'a test lead is stored');
select is(distribution, 'not_requested', 'and its distribution was not requested')
from public.recruiting_leads where id = md5('test')::uuid;
select is(
  pg_temp.ingest_lead(repeat('a', 64), jsonb_build_object('id', md5('lead')::uuid, 'first_name', 'Ada')),
  json, 'the first call again returns the same and counts nothing')
from result;

select * from finish();
rollback;
