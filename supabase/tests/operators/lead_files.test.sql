-- Leads that operators name or have in a file.
begin;
select plan(10);
\ir ../helpers.psql

select pg_temp.create_vendor('vendor');
select pg_temp.create_agency('agency', 'UTC', 'ann');
insert into public.recruiting_orders (id, agency_id, quantity, vendor_id)
values (md5('order')::uuid, md5('agency')::uuid, 3, md5('vendor')::uuid);
insert into public.recruiting_leads (id, vendor_id, vendor_lead_id, first_name, vendor_metadata, distribution, created_at)
select md5(name)::uuid, md5('vendor')::uuid, name, name, metadata::jsonb, distribution, timestamptz '2026-01-01' + n * interval '1 day'
from (values
  (1, 'bulk', '{}', 'not_requested'), (2, 'held', '{}', 'repeat'), (3, 'test', '{"is_test": true}', 'not_requested'),
  (4, 'returned', '{}', 'returned'), (5, 'suppressed', '{}', 'suppressed'), (6, 'unmatched', '{}', 'unmatched'), (7, 'late', '{}', 'not_requested')
) l (n, name, metadata, distribution);
select results_eq(
  $$select d.name, d.distribution, d.agent, d.problem
    from public.distribute_named_leads(array(
      select md5(name)::uuid from unnest(array['late', 'bulk', 'held', 'test', 'returned', 'suppressed', 'unmatched']) with ordinality o (name, n)
      order by n)) d$$,
  $$values ('late', 'unmatched', null, null), ('bulk', 'distributed', 'ann', null), ('held', 'distributed', 'ann', null),
    ('test', 'not_requested', null, 'it is a test lead, which is never distributed'), ('returned', 'returned', null, 'it was returned, for good'),
    ('suppressed', 'suppressed', null, 'its person is suppressed'), ('unmatched', 'distributed', 'ann', null)$$,
  'each named lead goes where it would if it came now, the oldest first, and the others say why not');
select results_eq(
  $$select o.filled, o.status, (
      select count(*)::integer from private.lead_notifications_due n
      join public.recruiting_leads l on l.id = n.lead_id and l.vendor_id = md5('vendor')::uuid) from public.recruiting_orders o where o.id = md5('order')::uuid$$,
  $$values (3, 'filled', 3)$$, 'the order counts them, and their agents are notified');
select results_eq(
  $$select d.distribution, d.problem from public.distribute_named_leads(array[md5('bulk')::uuid]) d$$,
  $$values ('distributed', 'an agency has it already')$$, 'a lead is distributed once');
update public.recruiting_leads set first_name = '(erased)' where id in (md5('late')::uuid, md5('suppressed')::uuid);
update public.recruiting_leads set distribution = 'not_requested' where id = md5('late')::uuid;
select results_eq(
  $$select d.distribution, d.problem
    from public.distribute_named_leads(array[md5('late')::uuid, md5('suppressed')::uuid]) d$$,
  $$values ('not_requested', 'its person was erased'), ('suppressed', 'its person is suppressed')$$, 'a lead whose person was erased is not distributed');
select throws_ok(
  $$select public.distribute_named_leads(array_fill(md5('bulk')::uuid, array[101]))$$, 'PT400', 'lead_ids: must be at most 100',
  'new leads wait, so at most 100');

-- A row that the database refuses leaves the others.
update public.recruiting_orders set quantity = 4, status = 'open' where id = md5('order')::uuid;
create temp table imported as
select r ->> 'status' as status, r ->> 'distribution' as distribution, r #>> '{error,message}' is not null as is_refused
from jsonb_array_elements(public.import_recruiting_leads(md5('vendor')::uuid, jsonb_build_array(
  '{"first_name": "Ida", "vendor_lead_id": "new", "vendor_metadata": {}}'::jsonb,
  '{"first_name": " ", "vendor_lead_id": "none", "vendor_metadata": {}}'::jsonb,
  '{"first_name": "Ida", "vendor_lead_id": "new", "vendor_metadata": {}}'::jsonb,
  '{"first_name": "Bob", "vendor_lead_id": "bulk", "vendor_metadata": {}}'::jsonb), md5('import')::uuid, true)) r;
select results_eq(
  $$select * from imported$$,
  $$values ('created', 'distributed', false), (null, null, true), ('duplicate', null, false), ('duplicate', null, false)$$,
  'a lead of a file is stored once and distributed, and a row that is none is refused');
select results_eq(
  $$select l.first_name, l.received_via, l.request_id from public.recruiting_leads l where l.vendor_lead_id = 'new'$$,
  format($$values ('Ida', 'bulk', %L)$$, md5('import')::uuid), 'the leads of an import have its request_id');
insert into public.repeat_rules (match, within, action) values ('{phone}', '30 days', 'hold');
select results_eq(
  $$select r ->> 'distribution' from jsonb_array_elements(public.import_recruiting_leads(md5('vendor')::uuid, jsonb_build_array(
      '{"first_name": "Eve", "vendor_lead_id": "first", "vendor_metadata": {"phone": "+12025550107"}}'::jsonb,
      '{"first_name": "Eve", "vendor_lead_id": "again", "vendor_metadata": {"phone": "+12025550107"}}'::jsonb),
      md5('import')::uuid, true)) r$$,
  $$values ('unmatched'), ('repeat')$$, 'a lead of a file that a repeat rule holds is not distributed');

update public.repeat_rules set action = 'same_agent';
select pg_temp.create_agency('other', 'UTC', 'bea');
insert into public.recruiting_orders (agency_id, quantity, vendor_id)
select md5(name)::uuid, 1, md5('vendor')::uuid from unnest(array['agency', 'other']) name;
do $$begin
  perform public.import_recruiting_leads(md5('vendor')::uuid, jsonb_build_array(
    '{"first_name": "Flo", "vendor_lead_id": "flo", "vendor_metadata": {"phone": "+12025550108"}}'::jsonb,
    '{"first_name": "Flo", "vendor_lead_id": "flo again", "vendor_metadata": {"phone": "+12025550108"}}'::jsonb),
    md5('import')::uuid, true);
end$$;
select is(
  (select array[count(*), count(distinct l.agency_id), count(distinct l.agent_id), count(l.order_id)]
   from public.recruiting_leads l where l.first_name = 'Flo'),
  '{2,1,1,1}', 'two leads of a person in a file go to one agent, and one order counts them');
select results_eq(
  $$select m.vendor_lead_id, m.result, m.distribution from public.match_leads(md5('vendor')::uuid, array['none', 'test', 'nobody', 'test']) m$$,
  $$values ('none', 'unknown', null), ('test', 'stored', 'not_requested'), ('nobody', 'unknown', null), ('test', 'stored', 'not_requested')$$,
  'each id of a list is looked up, in its order');
select * from finish();
rollback;
