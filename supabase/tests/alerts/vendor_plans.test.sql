-- The conditions of alerts read few rows, however many leads and deliveries there are.
begin;
select plan(5);
\ir ../helpers.psql

-- Leaves out the rows that tests before have rolled back, which an index still has.
truncate public.recruiting_leads, public.rejected_deliveries cascade;
select pg_temp.create_vendor('vendor ' || n) from generate_series(0, 9) n;
select pg_temp.create_agency('agency ' || n) from generate_series(0, 9) n;
insert into public.recruiting_orders (id, agency_id, quantity)
select md5('order ' || n)::uuid, md5('agency ' || n)::uuid, 10000 from generate_series(0, 9) n;
-- 50 leads a day, of which one waits; the last two vendors have been silent for a month.
insert into public.recruiting_leads (
  vendor_id, vendor_lead_id, first_name, distribution, agency_id, order_id, distributed_at, created_at)
select
  md5('vendor ' || case when n > 3500 then n % 8 else n % 10 end)::uuid, n, 'Ada',
  case when n % 50 > 0 then 'distributed' else 'unmatched' end, md5('agency ' || p.place)::uuid,
  md5('order ' || p.place)::uuid, p.at, now() - interval '100 days' * (1 - n / 5000.0)
from generate_series(1, 5000) n, lateral (
  select case when n % 50 > 0 then n % 10 end as place,
    case when n % 50 > 0 then now() - interval '100 days' * (1 - n / 5000.0) end as at
) p;
insert into public.rejected_deliveries (request_id, route, code, reason, payload_bytes, vendor_id, received_at, status)
select 'r', '/', 'BAD_REQUEST', 'no name', 1, md5('vendor ' || n % 10)::uuid, now() - interval '100 days' * (1 - n / 5000.0),
  case when n % 3 = 0 then 'open' else 'dismissed' end
from generate_series(1, 5000) n;
update public.vendors set silent_after = '1 day' where id = md5('vendor 9')::uuid;
analyze public.recruiting_leads, public.rejected_deliveries, public.vendors, public.recruiting_orders;

set local max_parallel_workers_per_gather = 0;
select cmp_ok(
  pg_temp.rows_read(read_table::regclass, format(
    'select from public.alert_rules r cross join lateral private.find_%s(r.threshold, now()) where r.kind = %1$L', kind)),
  '<', rows::bigint, format('%s reads few %s', kind, read_table))
from (values
  -- Those that wait
  ('public.recruiting_leads', 'leads_waiting', 120),
  -- Of each vendor a week, and of the last hour
  ('public.rejected_deliveries', 'deliveries_rejected', 150),
  -- Of each vendor the last 50, and for the two that are silent the week
  ('public.recruiting_leads', 'deliveries_rejected', 3300),
  -- A day for the vendor that has a time of its own, and five hours
  ('public.recruiting_leads', 'vendor_silent', 170),
  -- A week
  ('public.recruiting_leads', 'order_nearly_filled', 370)
) c (read_table, kind, rows);

select * from finish();
rollback;
