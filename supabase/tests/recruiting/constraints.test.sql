-- Rows that the tables of agencies, vendors, orders and recruiting leads refuse, and rows that they must store.
begin;
select plan(38);
\ir ../helpers.psql

select pg_temp.create_agency('agency', 'America/Chicago', 'agent'), pg_temp.create_agency('other agency', 'UTC', 'other agent');
select pg_temp.create_vendor('vendor');
insert into public.recruiting_orders (id, agency_id, quantity) values (md5('order')::uuid, md5('agency')::uuid, 5);

-- Agencies and agents
select throws_ok(statement, code, message, description)
from (values
  ($$insert into public.agencies (name, timezone) values ('A', 'America/Gotham')$$,
    '22023', 'timezone: "America/Gotham" is not an IANA time zone name', 'an unknown time zone is named'),
  ($$update public.agencies set timezone = 'EST5EDT4' where id = md5('agency')::uuid$$,
    '22023', null, 'a POSIX rule is refused as a time zone'),
  ($$insert into public.agencies (name, timezone) values ('  ', 'UTC')$$, '23514', null, 'an agency has a name'),
  ($$insert into public.agents (agency_id, first_name, role) values (md5('agency')::uuid, 'Bo', 'owner')$$,
    '23514', null, 'a role is agent or manager'),
  ($$insert into public.agents (agency_id, first_name, phone) values (md5('agency')::uuid, 'Bo', '555-0100')$$,
    '23514', null, 'the phone of an agent is E.164')
) as refused (statement, code, message, description);
select results_eq(
  $$insert into public.agents (agency_id, first_name, role) values
      (md5('agency')::uuid, 'Bo', 'agent'), (md5('agency')::uuid, 'Mo', 'manager') returning accepts_recruits$$,
  array[true, false], 'by default an agent accepts recruits and a manager does not');
select results_eq(
  $$insert into public.agents (agency_id, first_name, role, accepts_recruits) values
      (md5('agency')::uuid, 'Bo', 'agent', false), (md5('agency')::uuid, 'Mo', 'manager', true)
    returning accepts_recruits$$,
  array[false, true], 'accepts_recruits is kept when the insert has it');
select throws_ok(
  $$update public.agents set agency_id = md5('other agency')::uuid, first_name = null$$,
  '23502', null, 'an agent has a first name');

-- Vendors and keys
select throws_ok(
  format('insert into public.vendors (slug, name) values (%L, %L)', slug, 'V'), '23514', null,
  format('the slug %L is refused', slug))
from unnest(array['Indeed', 'a b']) slug;
select lives_ok(
  $$insert into public.vendors (slug, name, parser) values ('test_v-2', 'V', 'a parser of tomorrow')$$,
  'a parser may have any name, because only the code knows which parsers exist');
select throws_ok(
  $$insert into public.vendors (slug, name, parser_config) values ('test-3', 'V', '[]')$$,
  '23514', null, 'a parser_config is an object');
select throws_ok(
  $$insert into public.vendor_api_keys (vendor_id, key_hash, key_prefix) values (md5('vendor')::uuid, 'lik_plain', 'x')$$,
  '23514', null, 'a key cannot be stored in place of its hash');

-- Orders
select throws_ok(
  format('insert into public.recruiting_orders (agency_id, quantity, %s) values (md5(''agency'')::uuid, 5, %s)', columns, literals),
  '23514', null, description)
from (values
  ('filled', '6', 'filled beyond quantity'),
  ('filled', '-1', 'filled below zero'),
  ('daily_cap', '0', 'a daily cap of zero'),
  ('status', '''done''', 'an unknown status'),
  ('starts_at, ends_at', '''2026-01-02'', ''2026-01-02''', 'an end that is not after the start'),
  ('states', '''{}''', 'no state at all'),
  ('states', '''{tx}''', 'a state in lower case'),
  ('states', '''{TX,Ohio}''', 'a state by its name'),
  ('states', '''{TX,NULL}''', 'a null among the states')
) as refused (columns, literals, description);
select throws_ok(
  $$insert into public.recruiting_orders (agency_id, quantity) values (md5('agency')::uuid, 0)$$,
  '23514', null, 'an order for nothing');
select throws_ok(
  $$insert into public.recruiting_orders (agency_id, agent_id, quantity) values (md5('agency')::uuid, md5('other agent')::uuid, 1)$$,
  '23503', null, 'an order for an agent of another agency');

-- Recruiting leads
select throws_ok(statement, code, message, description)
from (values
  ($$insert into public.recruiting_leads (vendor_id, first_name) values (md5('vendor')::uuid, ' ')$$,
    '23514', null, 'a lead has a first name'),
  ($$insert into public.recruiting_leads (vendor_id, first_name, vendor_metadata) values (md5('vendor')::uuid, 'A', '[]')$$,
    '23514', null, 'vendor_metadata is an object'),
  ($$insert into public.recruiting_leads (vendor_id, first_name, agency_id, order_id, distributed_at)
    values (md5('vendor')::uuid, 'A', md5('other agency')::uuid, md5('order')::uuid, now())$$,
    '23503', null, 'a lead has the agency of its order'),
  ($$insert into public.recruiting_leads (vendor_id, first_name, agency_id, agent_id)
    values (md5('vendor')::uuid, 'A', md5('agency')::uuid, md5('other agent')::uuid)$$,
    '23503', null, 'a lead''s agent works for its agency'),
  ($$insert into public.recruiting_leads (vendor_id, first_name, agent_id)
    values (md5('vendor')::uuid, 'A', md5('other agent')::uuid)$$,
    '23514', null, 'a lead with an agent has an agency'),
  ($$insert into public.recruiting_leads (vendor_id, first_name, order_id)
    values (md5('vendor')::uuid, 'A', md5('order')::uuid)$$,
    '23514', null, 'a lead with an order has an agency')
) as refused (statement, code, message, description);
select throws_ok(
  format(
    'insert into public.recruiting_leads (vendor_id, first_name, distribution, agency_id) values (%L, ''A'', %L, %L)',
    md5('vendor')::uuid, distribution, agency_id),
  '23514', null, description)
from (values
  ('waiting', null, 'an unknown distribution'),
  ('pending', md5('agency')::uuid, 'a pending lead that has an agency'),
  ('unmatched', md5('agency')::uuid, 'an unmatched lead that has an agency'),
  ('distributed', null, 'a distributed lead without an agency')
) as refused (distribution, agency_id, description);
select lives_ok(
  $$insert into public.recruiting_leads (vendor_id, first_name, agency_id) values (md5('vendor')::uuid, 'A', md5('agency')::uuid)$$,
  'a lead that is given to an agency by hand needs no order');
select results_eq(
  $$insert into public.recruiting_leads (vendor_id, first_name, vendor_metadata) values
      (md5('vendor')::uuid, 'A', '{"last_name": "Lee", "email": "a@b.c", "phone": "+1555", "state": "tX"}'),
      (md5('vendor')::uuid, 'A', '{"last_name": ["Lee"], "email": {}, "phone": 15550100, "state": "Texas"}'),
      (md5('vendor')::uuid, 'A', '{"last_name": null, "email": true, "phone": "call me", "state": ["TX"]}'),
      (md5('vendor')::uuid, 'A', '{}')
    returning last_name, email, phone, state$$,
  $$values ('Lee', 'a@b.c', '+1555', 'TX'), (null, null, '15550100', null), (null, null, 'call me', null), (null, null, null, null)$$,
  'a generated column is null when its value cannot be read, and never an error');
select lives_ok(
  $$insert into public.recruiting_leads (vendor_id, first_name, vendor_metadata)
    select md5('vendor')::uuid, repeat('é', 100000), jsonb_build_object('email', string_agg(md5(i::text), ''))
    from generate_series(1, 10000) i$$,
  'very long values are stored');
select lives_ok(
  $$insert into public.recruiting_leads (vendor_id, vendor_lead_id, first_name)
    values (md5('vendor')::uuid, null, 'A'), (md5('vendor')::uuid, null, 'A')$$,
  'two leads without a vendor_lead_id are no duplicates');

select * from finish();
rollback;
