-- A dry run returns what would happen and changes nothing.
begin;
select plan(18);
\ir ../helpers.psql

update public.recruiting_orders set status = 'paused';
select pg_temp.create_agency('agency', 'UTC', 'agent');
select pg_temp.create_vendor('vendor', repeat('a', 64));
insert into public.recruiting_orders (id, agency_id, quantity, states) values (md5('order')::uuid, md5('agency')::uuid, 1, '{TX}');
insert into public.recruiting_leads (id, vendor_id, vendor_lead_id, first_name) values
  (md5('known')::uuid, md5('vendor')::uuid, 'known', 'Ada');

create function pg_temp.preview(lead jsonb) returns jsonb language sql as $$
  select public.preview_recruiting_lead(repeat('a', 64), '{"first_name": "Ada"}' || lead)
$$;
create view pg_temp.state as select
  (select jsonb_agg(o) from public.recruiting_orders o where o.agency_id = md5('agency')::uuid) as orders,
  (select jsonb_agg(a) from public.agents a where a.agency_id = md5('agency')::uuid) as agents,
  (select count(*) from public.recruiting_leads l where l.vendor_id = md5('vendor')::uuid) as leads;
create temp table before as select * from state;

select is(
  pg_temp.preview('{"vendor_lead_id": "new", "vendor_metadata": {"state": "tx"}}'),
  jsonb_build_object('status', 'created', 'id', null, 'distributed_to',
    jsonb_build_object('agency_id', md5('agency')::uuid, 'agent_id', md5('agent')::uuid)),
  'for a new lead: the agency and the agent whose turn it is');
select is(
  pg_temp.preview('{"vendor_lead_id": "known", "vendor_metadata": {"state": "TX"}}'),
  jsonb_build_object('status', 'duplicate', 'id', md5('known')::uuid, 'distributed_to', null),
  'for a duplicate: the id of the stored lead');
select is(pg_temp.preview(lead), '{"status": "created", "id": null, "distributed_to": null}', description)
from (values
  ('{"vendor_metadata": {"state": "CA"}}'::jsonb, 'a lead that no order wants'),
  ('{"vendor_metadata": {"state": "TX", "is_test": true}}', 'a test lead')
) as leads (lead, description);

select throws_ok(format('select pg_temp.preview(%L)', lead), 'PT400', private.lead_problem(lead),
  'refused as by ingest: ' || lead::text)
from (values ('{"first_name": " "}'::jsonb), ('{"first_name": "Ada", "vendor_metadata": []}')) as refused (lead);

select results_eq('select * from state', 'select * from before', 'a dry run changes no order, no agent''s turn and no lead');
select is(
  pg_temp.ingest_lead(repeat('a', 64), jsonb_build_object(
    'id', md5('real')::uuid, 'first_name', 'Ada', 'vendor_metadata', '{"state": "TX"}'::jsonb)) -> 'distributed_to',
  jsonb_build_object('agency_id', md5('agency')::uuid, 'agent_id', md5('agent')::uuid),
  'the lead then goes where the dry run said');

update public.recruiting_orders set quantity = 100, status = 'open', states = '{TX,ID,SD}' where id = md5('order')::uuid;
insert into public.agents (id, agency_id, first_name, last_name)
values (md5('newcomer')::uuid, md5('agency')::uuid, 'Cal', 'Reyes');
select is(
  pg_temp.preview('{"vendor_metadata": {"state": "TX"}}') #>> '{distributed_to,agent_id}', md5('newcomer')::uuid::text,
  'an agent without a lead is next, as private.lock_agents() chooses');
update public.agents set is_active = false where id = md5('newcomer')::uuid;

-- Values that count as the state of a lead. Some letters outside of ASCII have an upper-case form in ASCII.
select is(
  array[
    pg_temp.preview(jsonb_build_object('vendor_metadata', jsonb_build_object('state', state))) -> 'distributed_to',
    pg_temp.ingest_lead(repeat('a', 64), jsonb_build_object(
      'id', md5('state ' || state)::uuid, 'first_name', 'Ada', 'vendor_metadata', jsonb_build_object('state', state)))
      -> 'distributed_to'
  ],
  array_fill(
    case when goes then jsonb_build_object('agency_id', md5('agency')::uuid, 'agent_id', md5('agent')::uuid) else 'null' end,
    array[2]),
  format('a preview and ingest agree about the state %s', to_json(state)))
from (values ('tx', true), ('ıd', false), ('ſd', false), ('Texas', false)) states (state, goes);
select is_empty(
  $$select from public.recruiting_leads where vendor_id = md5('vendor')::uuid and (order_id is null) <> (state is null)$$,
  'a lead goes to an order for states only by the state that it has');
select is(
  (select private.lead_state(l.vendor_metadata) from public.recruiting_leads l where l.id = md5('state tx')::uuid), 'TX',
  'this state is known before the lead is stored');

-- Many leads at once: as ingest_recruiting_lead_batch() would count them
select is(
  public.preview_recruiting_lead_batch(repeat('a', 64), (
    select jsonb_agg(jsonb_build_object('vendor_lead_id', id, 'vendor_metadata', '{}'::jsonb) order by n)
    from unnest(array['known', 'new', null, 'new', 'new', null, ' ']) with ordinality l (id, n))),
  jsonb_build_array(
    jsonb_build_object('status', 'duplicate', 'id', md5('known')::uuid),
    '{"status": "created", "id": null}'::jsonb, '{"status": "created", "id": null}'::jsonb,
    '{"status": "duplicate", "id": null}'::jsonb, '{"status": "duplicate", "id": null}'::jsonb,
    '{"status": "created", "id": null}'::jsonb, '{"status": "created", "id": null}'::jsonb),
  'of many leads: what is stored, and what is repeated, is a duplicate');
select is(public.preview_recruiting_lead_batch(repeat('a', 64), '[]'), '[]', 'no leads are no error');
select is(
  (select provolatile from pg_proc where oid = 'public.preview_recruiting_lead_batch(text, jsonb)'::regprocedure), 's',
  'it cannot write');
select * from finish();
rollback;
