-- The explanations of orders and leads read few rows, however many leads there are. So does the alert about orders.
begin;
select plan(4);
\ir ../helpers.psql

-- Leaves out the rows that tests before have rolled back, which an index still has.
truncate public.recruiting_leads cascade;
select pg_temp.create_vendor('vendor ' || n) from generate_series(1, 10) n;
select pg_temp.create_agency('agency ' || n, 'America/Chicago', 'agent ' || n) from generate_series(1, 30) n;
insert into public.recruiting_orders (id, agency_id, vendor_id, quantity, daily_cap, priority)
select md5('order ' || n)::uuid, md5('agency ' || n)::uuid, case when n % 3 > 0 then md5('vendor ' || 1 + n % 10)::uuid end, 10000,
  100, n % 5
from generate_series(1, 30) n;
-- 300 leads a day.
insert into public.recruiting_leads (
  id, vendor_id, vendor_lead_id, first_name, distribution, agency_id, agent_id, order_id, distributed_at, created_at)
select
  md5('lead ' || n)::uuid, md5('vendor ' || 1 + n % 10)::uuid, n, 'Lead',
  case when n % 50 > 0 then 'distributed' else 'unmatched' end, p.agency_id, md5('agent ' || p.place)::uuid,
  md5('order ' || p.place)::uuid, p.at, p.at
from generate_series(1, 30000) n, lateral (
  select
    c.place, md5('agency ' || c.place)::uuid as agency_id, now() - interval '100 days' * (1 - n / 30000.0) as at
  from (select case when n % 50 > 0 then 1 + n % 30 end as place) c
) p;
analyze public.recruiting_leads, public.vendors, public.agencies, public.agents,
  public.recruiting_orders, private.recruiting_order_days;

-- The number of rows that a query reads of a table: by scans of the whole table, and by an index.
set local max_parallel_workers_per_gather = 0;

select cmp_ok(pg_temp.rows_read(read_table::regclass, query), '<', rows::bigint, format('%s reads few %s', query, read_table))
from (values
  ('public.recruiting_leads', 'select public.explain_lead(md5(''lead 4711'')::uuid)', 10),
  ('public.recruiting_orders', 'select public.explain_lead(md5(''lead 4711'')::uuid)', 400),
  -- Seven days of leads
  ('public.recruiting_leads', 'select public.explain_order(md5(''order 3'')::uuid)', 3000),
  ('public.recruiting_leads', 'select private.find_order_stalled(''{}'', now())', 1)
) c (read_table, query, rows);

select * from finish();
rollback;
