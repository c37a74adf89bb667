-- People who come again without a rule: who sees it, and the report of repeats.
begin;
select plan(11);
\ir ../helpers.psql

select pg_temp.create_people();
select pg_temp.create_vendor('one'), pg_temp.create_vendor('two'), pg_temp.create_vendor('three');
delete from public.recruiting_leads;

create function pg_temp.store(name text, vendor text, hours integer, phone text, email text default null, agency text default null,
  agent text default null, distribution text default 'unmatched', is_test boolean default false)
returns void language sql as $$
  insert into public.recruiting_leads (
    id, vendor_id, first_name, vendor_metadata, distribution, agency_id, agent_id, distributed_at, created_at)
  values (md5(name)::uuid, md5(vendor)::uuid, name,
    jsonb_strip_nulls(jsonb_build_object('phone', phone, 'email', email, 'is_test', nullif(is_test, false))),
    case when agency is null then distribution else 'distributed' end, md5(agency)::uuid, md5(agent)::uuid,
    case when agency is not null then now() end, now() - interval '1 hour' * hours)
$$;
select pg_temp.store('first', 'one', 1000, '+13125550142', 'maria@example.com', 'agency', 'ann');
select pg_temp.store('same phone', 'two', 9, '+13125550142', 'other@example.com', 'agency', 'cal');
select pg_temp.store('same address', 'one', 8, '+13125550143', 'maria@example.com', 'agency');
select pg_temp.store('elsewhere', 'three', 7, '+13125550142', null, 'elsewhere', 'eve');
select pg_temp.store('waits', 'two', 6, '+13125550142');
select pg_temp.store('test', 'three', 5, '+13125550150', null, is_test => true);
select pg_temp.store('returned', 'three', 4, '+13125550150', null, distribution => 'returned');
select pg_temp.store('after both', 'two', 3, '+13125550150');
select pg_temp.store('no phone', 'two', 2, null), pg_temp.store('none either', 'two', 1, null);

select set_eq(
  $$select first_name from private.other_leads(md5('first')::uuid)$$,
  array['same phone', 'same address', 'elsewhere', 'waits'], 'a person''s leads have the same phone or the same address');
select is_empty($$select from private.other_leads(md5('no phone')::uuid)$$, 'without either, a lead has no others');
select set_eq(
  format('select o ->> ''vendor'' from json_array_elements(public.show_lead(%L) -> ''others'') o', md5('waits')::uuid),
  array['test-one', 'test-two', 'test-three'], 'an operator sees them with the lead');

select set_eq(
  $$select vendor, earlier_vendor, leads from public.report_repeats()$$,
  $$values ('test-one', 'test-one', 1::bigint), ('test-two', 'test-one', 1), ('test-two', 'test-three', 1),
    ('test-two', null, 3), ('test-three', 'test-two', 1), ('test-three', null, 1)$$,
  'the newest earlier lead counts, however old, but no test and none that was returned');

create function pg_temp.others(name text, lead text) returns text language sql as $$
  select regexp_replace(pg_temp.result_as(name, format($q$
    select coalesce(string_agg(concat_ws(' ', o.vendor, o.agent, case when o.may_read then 'may read' end), ', ' order by o.received_at), 'none')
    from public.other_recruits(%L) o
  $q$, md5(lead)::uuid)), '^(PT404) .*', '\1')
$$;
select is(pg_temp.others(name, lead), seen, format('%s sees of "%s": %s', name, lead, seen))
from (values
  ('ann', 'first', 'two cal, one'),
  ('cal', 'same phone', 'one ann'),
  ('mia', 'first', 'two cal may read, one may read'),
  ('ann', 'same phone', 'PT404'),
  ('eve', 'elsewhere', 'none'),
  ('otto', 'first', 'PT404'),
  ('former', 'first', 'PT404')
) s (name, lead, seen);

select * from finish();
rollback;
