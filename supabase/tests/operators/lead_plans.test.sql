-- Lists, reports and explanations of leads read what they show and little more, however many leads there are. So does the
-- alert about orders.
begin;
select plan(22);
\ir ../helpers.psql

-- Leaves out the rows that tests before have rolled back, which an index still has.
truncate public.recruiting_leads, public.rejected_deliveries cascade;
-- Triggers of conversations would take most of the time.
alter table public.recruiting_conversations disable trigger user;
select pg_temp.create_vendor('vendor ' || n) from generate_series(1, 10) n;
select pg_temp.create_agency('agency ' || n, 'America/Chicago', 'agent ' || n) from generate_series(1, 30) n;
insert into public.recruiting_orders (id, agency_id, vendor_id, quantity, daily_cap, priority)
select md5('order ' || n)::uuid, md5('agency ' || n)::uuid, case when n % 3 > 0 then md5('vendor ' || 1 + n % 10)::uuid end, 10000,
  1000, n % 5
from generate_series(1, 30) n;
create function pg_temp.moment(n integer) returns timestamptz language sql as $$
  select now() - interval '100 days' * (1 - n / 6000.0)
$$;
-- 60 leads a day.
insert into public.recruiting_leads (
  id, vendor_id, vendor_lead_id, first_name, distribution, agency_id, agent_id, order_id, distributed_at, created_at)
select
  md5('lead ' || n)::uuid, md5('vendor ' || 1 + n % 10)::uuid, n, 'Lead', case when n % 7 > 2 then 'distributed' else 'unmatched' end,
  p.agency_id, md5('agent ' || p.place)::uuid, md5('order ' || p.place)::uuid, now(), pg_temp.moment(n)
from generate_series(1, 6000) n, lateral (
  select place, md5('agency ' || place)::uuid as agency_id from (select case when n % 7 > 2 then 1 + n % 30 end as place) c) p;
insert into public.recruiting_conversations (id, recruiting_lead_id, agency_id, recruit_phone, service_phone)
select md5('talk ' || n)::uuid, md5('lead ' || n)::uuid, md5('agency 1')::uuid, '+13' || 100000 + n, '+13125550100'
from generate_series(1, 6000, 9) n;
insert into public.recruiting_messages (conversation_id, direction, sender_type)
select md5('talk ' || n)::uuid, 'inbound', 'recruit' from generate_series(1, 6000, 9) n;
insert into public.recruiting_lead_duplicates (lead_id, vendor_id, received_at)
select md5('lead ' || n)::uuid, md5('vendor ' || 1 + n % 10)::uuid, pg_temp.moment(n) from generate_series(1, 6000, 20) n;
insert into public.rejected_deliveries (request_id, route, code, reason, payload_bytes, vendor_id, received_at)
select 'r', '/', 'BAD_REQUEST', 'no name', 1, md5('vendor ' || 1 + n % 10)::uuid, pg_temp.moment(n) from generate_series(1, 6000, 3) n;
analyze public.recruiting_leads, public.recruiting_conversations, public.recruiting_messages, public.recruiting_lead_duplicates,
  public.rejected_deliveries, public.vendors, public.agencies, public.agents, public.recruiting_orders, private.recruiting_order_days;

set local max_parallel_workers_per_gather = 0;

select cmp_ok(
  pg_temp.rows_read('public.recruiting_leads', 'select * from public.list_leads(' || arguments || ')'), '<', rows::bigint,
  'a page of leads reads few: ' || arguments)
from (values
  ('max_leads => 50', 100),
  ('after => md5(''lead 3000'')::uuid', 100),
  ('since => (now() - interval ''40 days'')::date, until => (now() - interval ''38 days'')::date', 400),
  ('of_vendor => md5(''vendor 1'')::uuid', 600),
  ('of_agency => md5(''agency 1'')::uuid', 500),
  ('of_agent => md5(''agent 1'')::uuid', 500),
  ('of_order => md5(''order 1'')::uuid', 500),
  ('of_distribution => ''unmatched''', 100)
) c (arguments, rows);
select cmp_ok(
  pg_temp.rows_read('public.recruiting_leads', 'select * from public.lead_list ' || page), '<=', rows::bigint,
  'operators'' list of leads reads few: ' || page)
from (values
  ('order by received desc, id desc limit 51', 51),
  ('where received <= now() - interval ''40 days'' and (received < now() - interval ''40 days'' or id < md5('''')::uuid)
    order by received desc, id desc limit 51', 52)
) c (page, rows);
select cmp_ok(
  pg_temp.rows_read(read_table, 'select public.report_leads(since => (now() - interval ''40 days'')::date,
    until => (now() - interval ''38 days'')::date)'), '<', rows::bigint, 'a report of three days reads few ' || read_table)
from (values
  ('public.recruiting_leads'::regclass, 800), ('public.recruiting_messages', 70), ('public.rejected_deliveries', 300)
) c (read_table, rows);
select cmp_ok(
  pg_temp.rows_read('public.recruiting_leads', 'select public.report_leads(since => (now() - interval ''40 days'')::date,
    until => (now() - interval ''38 days'')::date, day_of => ''distributed'')'), '<', 100::bigint,
  'so does one by the days of distribution, on which no lead was distributed');
select cmp_ok(
  pg_temp.rows_read(read_table, 'select public.count_vendor_days(3)'), '<', rows::bigint,
  'the counts of three days read few ' || read_table)
from (values ('public.recruiting_leads'::regclass, 300), ('public.rejected_deliveries', 100)) c (read_table, rows);
select cmp_ok(
  pg_temp.rows_read('public.recruiting_leads', 'select public.show_lead(md5(''lead 4711'')::uuid)'), '<', 10::bigint,
  'one lead is shown by itself');
select cmp_ok(
  pg_temp.rows_read('public.recruiting_leads', 'select * from public.find_leads(''lead 4711'')'), '<=', 6200::bigint,
  'a search reads each lead once');

select cmp_ok(pg_temp.rows_read(read_table::regclass, query), '<', rows::bigint, format('%s reads few %s', query, read_table))
from (values
  ('public.recruiting_leads', 'select public.explain_lead(md5(''lead 4711'')::uuid)', 10),
  ('public.recruiting_orders', 'select public.explain_lead(md5(''lead 4711'')::uuid)', 400),
  -- Seven days of leads
  ('public.recruiting_leads', 'select public.explain_order(md5(''order 3'')::uuid)', 600),
  ('public.recruiting_leads', 'select private.find_order_stalled(''{}'', now())', 1)
) c (read_table, query, rows);

select * from finish();
rollback;
