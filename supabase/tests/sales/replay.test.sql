-- A rejected delivery becomes a lead when it is replayed.
begin;
select plan(27);
\ir ../helpers.psql

select pg_temp.create_agency('agency', 'UTC', 'agent'), pg_temp.create_vendor('vendor');
insert into public.recruiting_orders (id, agency_id, vendor_id, quantity, priority) values
  (md5('order')::uuid, md5('agency')::uuid, md5('vendor')::uuid, 5, 1000);

insert into public.rejected_deliveries (id, request_id, route, vendor_id, code, reason, payload_bytes)
select md5(name)::uuid, 'test', '/recruiting/ingest', md5('vendor')::uuid, 'BAD_REQUEST', 'no name', 2
from unnest(array['first', 'again', 'test lead', 'wrong', 'dismissed', 'no id']) name;
insert into public.rejected_deliveries (id, request_id, route, code, reason, payload_bytes, context)
select md5(name)::uuid, 'test', '/api/leads/import', 'INVALID', 'phone is missing', 2, jsonb_build_object(
  'agency_id', md5('agency')::uuid, 'agent_id', md5('agent')::uuid, 'distribution_id', md5('distribution')::uuid)
from unnest(array['import', 'import again', 'wrong import']) name;
insert into public.rejected_deliveries (id, request_id, route, code, reason, payload_bytes) values
  (md5('whole import')::uuid, 'test', '/api/leads/import', 'BAD_REQUEST', 'leads must be an array', 2);

create function pg_temp.replay(name text, lead jsonb) returns jsonb language sql as $$
  select public.replay_delivery(md5(name)::uuid, lead)
$$;
create function pg_temp.delivery(name text) returns public.rejected_deliveries language sql as $$
  select d from public.rejected_deliveries d where d.id = md5(name)::uuid
$$;

-- A recruiting lead
create temp table replayed as select pg_temp.replay('first',
  '{"first_name": "Ada", "vendor_lead_id": "4711", "vendor_metadata": {"last_name": "Lee", "state": "TX"}}') as result;
select is(result ->> 'status', 'created', 'a delivery is replayed') from replayed;
select is(
  result -> 'distributed_to', jsonb_build_object('agency_id', md5('agency')::uuid, 'agent_id', md5('agent')::uuid),
  'the result says where the lead went') from replayed;
select results_eq(
  $$select vendor_id, vendor_lead_id, first_name, last_name, state, order_id, agency_id, agent_id, distribution,
      received_via, request_id
    from public.recruiting_leads where id = (select (result ->> 'id')::uuid from replayed)$$,
  $$values (md5('vendor')::uuid, '4711', 'Ada', 'Lee', 'TX', md5('order')::uuid, md5('agency')::uuid, md5('agent')::uuid,
    'distributed', 'replay', 'test')$$,
  'the lead is stored and distributed, and knows its request');
select is(
  to_jsonb(pg_temp.delivery('first')) - 'received_at' @> jsonb_build_object(
    'status', 'replayed', 'lead_id', result -> 'id', 'resolved_at', now()),
  true, 'the delivery points to its lead') from replayed;
select is(
  pg_temp.replay('first', '{"first_name": "Bob", "vendor_lead_id": "other"}'), result,
  'a second replay returns the same') from replayed;
select is(
  (select array[count(*), (select filled from public.recruiting_orders where id = md5('order')::uuid)]
   from public.recruiting_leads where vendor_id = md5('vendor')::uuid), array[1::bigint, 1],
  'and stores and distributes nothing');

select is(
  pg_temp.replay('again', '{"vendor_lead_id": "4711"}'),
  (select jsonb_build_object('id', result -> 'id', 'status', 'duplicate') from replayed),
  'a delivery whose lead has come meanwhile is a duplicate of it');
select is((pg_temp.delivery('again')).lead_id, (select (result ->> 'id')::uuid from replayed), 'and points to it');
select is(
  pg_temp.replay('again', null), (select jsonb_build_object('id', result -> 'id', 'status', 'duplicate') from replayed),
  'a second replay of a duplicate returns the same');
select is_empty(
  $$select from public.recruiting_lead_duplicates where vendor_id = md5('vendor')::uuid$$,
  'a replay is not a lead that was sent again');

select is(
  pg_temp.replay('test lead', '{"first_name": "Ada", "vendor_metadata": {"is_test": true}}') -> 'distributed_to',
  'null', 'a test lead is stored and not distributed');
select is(
  pg_temp.replay('no id', '{"first_name": "Ada", "vendor_lead_id": " "}') ->> 'status', 'created',
  'a lead without vendor_lead_id is stored');

-- Leads that cannot be stored
select throws_ok(format('select pg_temp.replay(%L, %L)', name, lead), code, message, description)
from (values
  ('unknown', '{"first_name": "Ada"}', 'PT404', 'delivery_id: no such delivery', 'an unknown delivery'),
  ('wrong', '{"vendor_metadata": {}}', 'PT400', private.lead_problem('{}'), 'a lead that still has no first name'),
  ('wrong', '{"first_name": "Ada", "vendor_metadata": []}', 'PT400', 'vendor_metadata must be an object',
    'a lead with metadata of another shape'),
  ('wrong', '[]', 'PT400', 'lead: must be an object', 'a lead that is not an object'),
  ('wrong', null, 'PT400', 'lead: must be an object', 'no lead')
) as refused (name, lead, code, message, description);
select results_eq(
  $$select status, lead_id, resolved_at from public.rejected_deliveries where id = md5('wrong')::uuid$$,
  $$values ('open', null::uuid, null::timestamptz)$$, 'what cannot be stored stays open');
update public.rejected_deliveries set status = 'dismissed' where id = md5('dismissed')::uuid;
select throws_ok(
  $$select pg_temp.replay('dismissed', '{"first_name": "Ada"}')$$, 'PT409', 'the delivery has been dismissed',
  'a dismissed delivery is not replayed');

-- A row of an import
create temp table imported as select pg_temp.replay('import', jsonb_build_object('external_id', md5('x')::uuid,
  'first_name', 'Rosa', 'phone', '(312) 555-0101', 'phone_e164', '+13125550101', 'state', 'IL', 'type', 'fe', 'zip', 60614))
  as result;
select is(result, jsonb_build_object('id', (pg_temp.delivery('import')).lead_id, 'status', 'created'),
  'a row of an import is replayed') from imported;
select results_eq(
  $$select external_id, agency_id, agent_id, distribution_id, first_name, phone, phone_e164::text, state, type, zip, source,
      status, stage, (select count(*) from public.lead_metrics m where m.lead_id = l.id)
    from public.leads l where id = (select (result ->> 'id')::uuid from imported)$$,
  $$values (md5('x')::uuid, md5('agency')::uuid, md5('agent')::uuid, md5('distribution')::uuid, 'Rosa', '(312) 555-0101',
    '+13125550101', 'IL', 'fe', '60614', 'platform', 'open', 'new', 1::bigint)$$,
  'its sales lead has the agency, the agent and the distribution of the request');
select is(
  pg_temp.replay('import again', jsonb_build_object('external_id', md5('x')::uuid, 'first_name', 'Rosa')) - 'id',
  '{"status": "duplicate"}', 'a row whose external_id has come meanwhile is a duplicate');
select throws_ok(format('select pg_temp.replay(%L, %L)', name, lead), code, message, description)
from (values
  ('wrong import', '{"first_name": "Rosa"}', 'PT400', 'external_id is missing', 'a row without external_id'),
  ('wrong import', '{"external_id": "20000000-0000-4000-8000-000000000009", "first_name": "Rosa", "state": "IL"}',
    '23502', null, 'a row without a phone'),
  ('wrong import', '{"external_id": "20000000-0000-4000-8000-000000000009", "first_name": "Rosa", "state": "IL",
    "phone": "1", "type": "xyz"}', '23514', null, 'a row of an unknown type'),
  ('whole import', '{"first_name": "Rosa"}', 'PT400', 'the delivery is a whole request: its leads must be sent again', 'a whole request')
) as refused (name, lead, code, message, description);

update public.agents set is_active = false where id = md5('agent')::uuid;
select throws_ok(
  $$select pg_temp.replay('wrong import', '{"external_id": "20000000-0000-4000-8000-000000000009"}')$$,
  'PT400', 'agent_id: the agent is deactivated', 'a row for an agent who was deactivated since');

select * from finish();
rollback;
