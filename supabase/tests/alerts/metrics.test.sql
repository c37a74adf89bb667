-- The figures for a monitor: few rows are read, however many leads there are, and a count never falls.
begin;
select plan(8);
\ir ../helpers.psql

-- Leaves out the rows that tests before have rolled back, which an index still has.
truncate public.recruiting_leads, public.rejected_deliveries cascade;
truncate private.metric_days;
select pg_temp.create_vendor('vendor ' || n) from generate_series(1, 10) n;
insert into public.recruiting_leads (vendor_id, vendor_lead_id, first_name, distribution, created_at)
select md5('vendor ' || 1 + n % 10)::uuid, n, 'Lead', case when n % 50 = 0 then 'unmatched' else 'not_requested' end,
  now() - interval '100 days' * (1 - n / 1500.0)
from generate_series(1, 1500) n;
create temp table read_before as select pg_temp.rows_read('public.recruiting_leads') as rows;
select lives_ok('select public.read_metrics()', 'the figures can be read');
-- Those of a day, and those that wait.
select cmp_ok(pg_temp.rows_read('public.recruiting_leads') - (select rows from read_before), '<', 100::bigint, 'few leads are read');

create function pg_temp.created() returns numeric language sql as $$
  select sum((s ->> 'value')::numeric)
  from jsonb_array_elements(public.read_metrics()) s
  where s ->> 'name' = 'lead_intake_leads_total' and s #>> '{labels,result}' = 'created' and s #>> '{labels,vendor}' <> 'import'
$$;
create temp table counted as select pg_temp.created() as leads;
delete from public.recruiting_leads;
select is(pg_temp.created(), (select leads from counted), 'a count stays when its rows are gone');
insert into public.recruiting_leads (vendor_id, first_name) select md5('vendor 1')::uuid, 'Lead' from generate_series(1, 3);
update private.metric_days set day = day - 3;
select is(pg_temp.created(), (select leads + 3 from counted), 'and what comes on a later day is added');
select is(
  (select count(*) from jsonb_array_elements(public.read_metrics()) s
    where s #>> '{labels,vendor}' = 'test-vendor-1' and s ->> 'name' = 'lead_intake_leads_total'),
  3::bigint, 'each vendor has a series for each result');


create function pg_temp.rejected() returns numeric language sql as $$
  select sum((s ->> 'value')::numeric)
  from jsonb_array_elements(public.read_metrics()) s
  where s ->> 'name' = 'lead_intake_leads_total' and s #>> '{labels,result}' = 'rejected'
$$;
create function pg_temp.reject(rows integer) returns integer language sql as $$
  select public.record_rejections(json_agg(json_build_object('request_id', 'r', 'route', '/ingest',
    'vendor_id', md5('vendor 1')::uuid, 'code', 'BAD_REQUEST', 'reason', 'test', 'payload_bytes', 1)))
  from generate_series(1, rows)
$$;
select pg_temp.reject(3);
select is(pg_temp.rejected(), 3::numeric, 'rejected deliveries count');
select public.prune_deliveries('0');
select pg_temp.reject(1);
select is(pg_temp.rejected(), 4::numeric, 'and the next ones after the others are pruned');

insert into private.metric_days (day, metric, vendor_id, result, count)
values (current_date + 30, 'leads', md5('vendor 2')::uuid, 'created', 0);
insert into public.recruiting_leads (vendor_id, first_name) select md5('vendor 2')::uuid, 'Lead' from generate_series(1, 4);
select is(pg_temp.created(), (select leads + 3 + 4 from counted), 'a clock that was ahead for a while stops no count');

select * from finish();
rollback;
