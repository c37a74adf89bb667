-- Rejected deliveries: what is recorded, how much is kept, and what is deleted.
begin;
select plan(34);
\ir ../helpers.psql

select pg_temp.create_vendor('vendor'), pg_temp.create_vendor('other');
-- Imports of other tests count as one sender with these.
delete from public.rejected_deliveries where vendor_id is null;

create function pg_temp.rejection(change jsonb default '{}') returns json language sql as $$
  select ('{"request_id": "test", "route": "/recruiting/ingest", "code": "BAD_REQUEST", "reason": "no name",
    "payload_bytes": 2}'::jsonb || jsonb_build_object('vendor_id', md5('vendor')::uuid) || change)::json
$$;
create function pg_temp.record(variadic changes jsonb[]) returns integer language sql as $$
  select public.record_rejections((select json_agg(pg_temp.rejection(c)) from unnest(changes) c))
$$;
-- Counts rows that the test has written itself as record_rejections() would have.
create function pg_temp.count_open() returns void language sql as $$
  delete from private.open_delivery_counts;
  insert into private.open_delivery_counts
  select d.vendor_id, count(*), sum(d.stored_bytes) from public.rejected_deliveries d where d.status = 'open' group by 1
$$;
create function pg_temp.kept(vendor text, status text default 'open') returns integer language sql as $$
  select count(*)::integer from public.rejected_deliveries d
  where d.status = kept.status and d.vendor_id is not distinct from md5(vendor)::uuid
$$;

-- Written rows
select is(
  pg_temp.record('{"vendor_lead_id": "4711", "payload": {"email": "a@b.c"}}',
    '{"row": 3, "vendor_id": null, "route": "/api/leads/import", "code": "INVALID", "payload_text": "<xml>",
      "context": {"agency_id": "a"}}'),
  2, 'each refusal is written');
select results_eq(
  $$select route, vendor_lead_id, row, code, reason, payload, payload_text, payload_bytes, stored_bytes, context, status,
      lead_id, resolved_at
    from public.rejected_deliveries where request_id = 'test' order by received_at$$,
  $$values
    ('/recruiting/ingest', '4711', null, 'BAD_REQUEST', 'no name', '{"email": "a@b.c"}'::jsonb, null, 2, 18, '{}'::jsonb,
      'open', null::uuid, null::timestamptz),
    ('/api/leads/import', null, 3, 'INVALID', 'no name', null, '<xml>', 2, 5, '{"agency_id": "a"}'::jsonb, 'open', null, null)$$,
  'a refusal is written with everything that was given');
select is((select pg_temp.record(jsonb_build_object('vendor_lead_id', repeat('x', 60000)))), 1, 'an id of any length is written');
select is(public.record_rejections('[]'), 0, 'nothing to write is no error');

-- Rows that the table refuses
select throws_ok(
  format('insert into public.rejected_deliveries (request_id, route, code, reason, payload_bytes, %s)
    values (''test'', ''/'', ''X'', ''x'', 1, %s)', columns, literals),
  '23514', null, description)
from (values
  ('status', '''lost''', 'an unknown status'),
  ('status', '''replayed''', 'a replayed delivery without a lead'),
  ('row', '-1', 'a row below zero'),
  ('context', '''[]''', 'a context that is not an object')
) as refused (columns, literals, description);

-- The time at which it was resolved
update public.rejected_deliveries set status = 'dismissed' where vendor_lead_id = '4711';
select is(resolved_at, now(), 'a dismissed delivery has the time') from public.rejected_deliveries
where vendor_lead_id = '4711';
update public.rejected_deliveries set status = 'open' where vendor_lead_id = '4711';
select is(resolved_at, null, 'an open one has none') from public.rejected_deliveries where vendor_lead_id = '4711';

-- At most 10,000 open ones
delete from public.rejected_deliveries where request_id = 'test';
insert into public.rejected_deliveries (request_id, route, vendor_id, code, reason, payload_bytes, received_at, status)
select 'old ' || n, '/', v, 'BAD_REQUEST', 'x', 1, timestamptz '2026-01-01' + n * interval '1 second', s
from (values (md5('vendor')::uuid, 'open', 10000), (md5('vendor')::uuid, 'dismissed', 10), (null, 'open', 3000)) kinds (v, s, many),
  generate_series(1, many) n;
select pg_temp.count_open();
select is(pg_temp.record('{}', '{}', '{}'), 3, 'a vendor at its limit is still written');
select is(pg_temp.kept('vendor'), 9500, 'a vendor that would have more than 10,000 open ones keeps 9,500');
select results_eq(
  $$select min(received_at) from public.rejected_deliveries where vendor_id = md5('vendor')::uuid and status = 'open'$$,
  array[timestamptz '2026-01-01' + interval '504 seconds'], 'the oldest go');
select is(pg_temp.kept(null), 3000, 'another sender loses none');
select is(pg_temp.kept('vendor', 'dismissed'), 10, 'dismissed ones do not count');
select is(
  pg_temp.record('{"request_id": "other"}', jsonb_build_object('vendor_id', md5('other')::uuid)), 2,
  'several senders may be written in one call');
select is(array[pg_temp.kept('vendor'), pg_temp.kept('other')], array[9501, 1], 'and each has its own limit');

-- What it reads, whatever the planner believes of how many rows there are
analyze public.rejected_deliveries;
select is(
  pg_temp.rows_read('public.rejected_deliveries', $$select pg_temp.record(variadic array_fill(jsonb '{}', array[499]))$$), 0::bigint,
  'the next 499 are written without reading those that are open');
select is(pg_temp.kept('vendor'), 10000, 'then the vendor is at its limit again');
select cmp_ok(
  pg_temp.rows_read('public.rejected_deliveries', $$select pg_temp.record('{}', '{"vendor_id": null}')$$), '<', 12000::bigint,
  'with the next one those of the vendor are read once, and no others');
select is(pg_temp.kept('vendor'), 9500, 'and the oldest go');
update public.rejected_deliveries set status = 'dismissed'
where id in (select id from public.rejected_deliveries where vendor_id = md5('vendor')::uuid and status = 'open' limit 600);
select pg_temp.record(variadic array_fill(jsonb '{}', array[501]));
select is(pg_temp.kept('vendor'), 9401, 'what was dismissed meanwhile costs no open one its place');

-- At most 100 MiB of open ones, which are 400 of 256 KiB. These only say that they are so large.
delete from public.rejected_deliveries;
alter table public.rejected_deliveries alter stored_bytes drop expression, alter stored_bytes set default 0;
create function pg_temp.fill(vendor uuid, stored text, many integer default 400, apart interval default '1 second')
returns void language sql as $$
  insert into public.rejected_deliveries (
    request_id, route, vendor_id, code, reason, payload_bytes, received_at, status, stored_bytes)
  select 'large ' || n, '/', vendor, 'BAD_REQUEST', 'x', 1, timestamptz '2026-01-01' + n * apart, stored, 262144
  from generate_series(1, many) n
$$;
select pg_temp.fill(md5('vendor')::uuid, 'open'), pg_temp.fill(md5('vendor')::uuid, 'dismissed', 4), pg_temp.fill(null, 'open');
select pg_temp.count_open();
select pg_temp.record('{}');
select is(pg_temp.kept('vendor'), 401, '100 MiB of a vendor are kept');
alter table public.rejected_deliveries alter stored_bytes set default 9;
select pg_temp.record('{}', '{}');
select is(pg_temp.kept('vendor'), 382, 'beyond, the oldest go until 95 MiB are left: 379 large ones and 3 small ones');
select results_eq(
  $$select request_id from public.rejected_deliveries
    where vendor_id = md5('vendor')::uuid and status = 'open' order by received_at limit 1$$,
  array['large 22'], 'the newest stay');
select is(pg_temp.kept('vendor', 'dismissed'), 4, 'dismissed ones do not count');
select is(pg_temp.kept(null), 400, 'another sender loses none');
select pg_temp.record(
  '{"vendor_id": null, "context": {"agency_id": "a"}}', '{"vendor_id": null, "context": {"agency_id": "b"}}');
select is(pg_temp.kept(null), 381, 'all imports together are one sender');
select is(
  (select count(*)::integer from public.rejected_deliveries where vendor_id is null and request_id = 'test'), 2,
  'the newest imports stay');

-- All at the same time
delete from public.rejected_deliveries;
select pg_temp.fill(md5('vendor')::uuid, 'open', apart => '0');
select pg_temp.count_open();
select pg_temp.record('{}');
select is(pg_temp.kept('vendor'), 380, 'the limit holds for deliveries of one moment, too');

-- Deleted
select throws_ok(
  format('select public.prune_deliveries(%L)', older_than), 'PT400', 'older_than: must be an interval from 0 on',
  format('prune_deliveries(%s) is refused', coalesce(older_than, 'null')))
from unnest(array['-1 day', null]) older_than;
delete from public.rejected_deliveries;
insert into public.rejected_deliveries (request_id, route, code, reason, payload_bytes, received_at, status, lead_id)
select 'age', '/', 'BAD_REQUEST', 'x', 1, now() - age, status, md5('')::uuid
from unnest(array['29 days', '31 days']::interval[]) age, unnest(array['open', 'replayed', 'dismissed']) status;
select is(public.prune_deliveries('30 days'), 3, 'prune_deliveries deletes older ones in every status');
select is((select count(*)::integer from public.rejected_deliveries where received_at > now() - interval '30 days'), 3, 'newer ones stay');

select * from finish();
rollback;
