-- Where a lead came from, and each time it was sent again.
begin;
select plan(9);
\ir ../helpers.psql

select pg_temp.create_vendor('vendor', repeat('a', 64));
update public.recruiting_orders set status = 'paused';

create function pg_temp.ingest(id text, request text) returns text language sql as $$
  select pg_temp.ingest_lead(repeat('a', 64), jsonb_build_object('id', md5(id)::uuid, 'first_name', 'Ada',
    'vendor_lead_id', 'V-1', 'request_id', request, 'received_via', 'single')) ->> 'status'
$$;
create function pg_temp.bulk(leads jsonb, request text) returns jsonb language sql as $$
  select public.ingest_recruiting_lead_batch(repeat('a', 64), leads, request_id => request)
$$;
create function pg_temp.duplicates(request text) returns setof text language sql as $$
  select l.vendor_lead_id
  from public.recruiting_lead_duplicates d
  join public.recruiting_leads l on l.id = d.lead_id
  where d.vendor_id = md5('vendor')::uuid and d.request_id = request
  order by 1
$$;

select is(pg_temp.ingest('1', 'request 1'), 'created', 'a lead is created');
select results_eq(
  $$select request_id, received_via from public.recruiting_leads where id = md5('1')::uuid$$,
  $$values ('request 1', 'single')$$, 'it knows its request and how it came');
select is(
  array[pg_temp.ingest('1', 'request 1'), pg_temp.ingest('2', 'request 2'), pg_temp.ingest('2', 'request 2')],
  array['created', 'duplicate', 'duplicate'], 'a call that is repeated has the same result');
select is_empty($$select * from pg_temp.duplicates('request 1')$$, 'a repeated call of a new lead is no duplicate');
select results_eq($$select * from pg_temp.duplicates('request 2')$$, array['V-1'], 'a lead that is sent again is recorded once');

select is(
  pg_temp.bulk('[
    {"row": 0, "first_name": "Ada", "vendor_lead_id": "V-1"}, {"row": 1, "first_name": "Bob", "vendor_lead_id": "V-2"},
    {"row": 2, "first_name": "Bob", "vendor_lead_id": "V-2"}, {"row": 3, "first_name": "Cyd"},
    {"row": 4, "first_name": " ", "vendor_lead_id": "V-3"}, {"row": 5, "first_name": "Eve", "vendor_lead_id": "V-3"}
  ]', 'request 3') - 'errors',
  '{"created": 3, "duplicates": 2}', 'a bulk request may hold duplicates and rows that the database refuses');
select results_eq(
  $$select * from pg_temp.duplicates('request 3')$$, array['V-1', 'V-2'],
  'each of its duplicates is recorded: of a stored lead, and of an earlier row');
select results_eq(
  $$select first_name, received_via from public.recruiting_leads where request_id = 'request 3' order by 1$$,
  $$values ('Bob', 'bulk'), ('Cyd', 'bulk'), ('Eve', 'bulk')$$, 'its leads know how they came');
select pg_temp.bulk('[{"row": 0, "first_name": "Ada", "vendor_lead_id": "V-9"}]', 'request 4');
select is_empty($$select * from pg_temp.duplicates('request 4')$$, 'without duplicates nothing is recorded');

select * from finish();
rollback;
