-- What operators do with a mapping: what it is tried on, what opens a payload, and how it is saved.
begin;
create extension if not exists dblink with schema extensions;
select plan(32);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_vendor('mapped'), pg_temp.create_vendor('other'), pg_temp.create_vendor('plain');
insert into public.operators (user_id) values (md5('user visitor')::uuid), (md5('user mia')::uuid);
update public.vendors set parser = 'mapping', parser_config = '{"fields": {"first_name": "name"}}'
where id in (md5('mapped')::uuid, md5('other')::uuid);
update public.vendors set parser = 'generic' where id = md5('plain')::uuid;

insert into public.rejected_deliveries
  (id, request_id, route, row, vendor_id, code, reason, payload, payload_text, payload_bytes, received_at)
select md5(name)::uuid, 'test', '/recruiting/ingest', row, md5(vendor)::uuid, 'BAD_REQUEST', 'no name', payload::jsonb,
  payload_text, 2, now() - age::interval
from (values
  ('delivery', 'mapped', null, '{"id": 12345678901234567890}', null, '1 h'),
  ('cut', 'mapped', null, null, '<lead', '1 h'),
  ('foreign', 'other', 3, '{"name": "Ada"}', null, '1 h')
) d (name, vendor, row, payload, payload_text, age);
insert into public.rejected_deliveries (id, request_id, route, vendor_id, code, reason, payload, payload_bytes, received_at)
select md5('old ' || n)::uuid, 'test', '/recruiting/ingest', md5('mapped')::uuid, 'BAD_REQUEST', 'no name', '{}', 2,
  now() - n * interval '1 day'
from generate_series(1, 25) n;
insert into public.rejected_deliveries (id, request_id, route, code, reason, payload, payload_bytes)
values (md5('import')::uuid, 'test', '/api/leads/import', 'BAD_REQUEST', 'no name', '{}', 2);
insert into public.recruiting_leads (id, vendor_id, vendor_lead_id, first_name, vendor_metadata, created_at)
select md5(name)::uuid, md5('mapped')::uuid, name, 'Ada', metadata::jsonb, now() - age::interval
from (values
  ('stored', '{"phone": "+13125550142", "vendor_fields": {"tel": 12345678901234567890}}', '2 h'),
  ('whole', '{"phone": "+13125550143"}', '1 h'),
  ('ancient', '{"vendor_fields": {"tel": 1}}', '31 days')
) l (name, metadata, age);

-- The value of a statement that is run as this user, or its error code.
create function pg_temp.as_user(name text, statement text) returns text language sql as $$
  select regexp_replace(pg_temp.result_as(name, statement), '^(PT\d{3}|42501) .*', '\1')
$$;
-- An action of this user, of so long ago.
create function pg_temp.begun(who text, kind text, name text, age interval default '1 s', action text default 'mapping try')
returns uuid language plpgsql as $$
declare
  begun uuid;
begin
  insert into public.operator_actions (user_id, action, subject, created_at)
  values (md5('user ' || who)::uuid, action, jsonb_build_object(kind || '_id', md5(name)::uuid), now() - age)
  returning id into begun;
  return begun;
end
$$;
create function pg_temp.sample(reader text, action_id uuid) returns text language sql as $$
  select pg_temp.as_user(reader, format('select public.read_sample(%L)', action_id))
$$;
create function pg_temp.samples(reader text, vendor text, delivery text default null) returns text language sql as $$
  select pg_temp.as_user(reader, format(
    'select string_agg(kind || coalesce(vendor_lead_id, '''') || coalesce(status, ''''), '' '')
     from (select * from public.mapping_samples(%L, %L) limit 100) s where received_at > now() - interval ''20 h''',
    md5(vendor)::uuid, md5(delivery)::uuid))
$$;

select is(
  pg_temp.as_user('visitor', format('select parser_config from public.mapping_list where vendor_id = %L', md5('mapped')::uuid)),
  jsonb_pretty('{"fields": {"first_name": "name"}}'), 'the list has the mapping as a text');

-- What it is tried on
select is(pg_temp.samples('visitor', 'mapped'), 'deliveryopen leadstored', 'a delivery that is whole, and a lead with leftovers');
select is(pg_temp.samples('visitor', 'plain'), null, 'a vendor that has sent nothing has none');
select is(
  pg_temp.as_user('visitor', format('select count(*) from public.mapping_samples(%L, %L)', md5('mapped')::uuid, md5(name)::uuid)),
  count, message)
from (values
  ('delivery', '21', 'the newest 20 deliveries, and a lead'),
  ('old 25', '22', 'one that is asked for is there too'),
  ('cut', '21', 'not where it is not whole'),
  ('foreign', '21', 'nor of another vendor')
) s (name, count, message);

-- What opens a payload
select is(
  pg_temp.sample('visitor', pg_temp.begun('visitor', 'delivery', 'delivery'))::jsonb,
  jsonb_build_object('kind', 'delivery', 'vendor_id', md5('mapped')::uuid, 'route', '/recruiting/ingest', 'row', null,
    'payload', jsonb_pretty('{"id": 12345678901234567890}')),
  'a delivery is read after it was noted, with each digit');
select is(
  pg_temp.sample('visitor', pg_temp.begun('visitor', 'delivery', 'foreign', '11:59'))::jsonb ->> 'row', '3', 'also hours later');
select is(
  pg_temp.sample('visitor', pg_temp.begun('visitor', 'lead', 'stored'))::jsonb,
  jsonb_build_object('kind', 'lead', 'vendor_id', md5('mapped')::uuid, 'first_name', 'Ada', 'vendor_lead_id', 'stored',
    'metadata', '{"phone": "+13125550142", "vendor_fields": {"tel": 12345678901234567890}}',
    'payload', jsonb_pretty('{"tel": 12345678901234567890}')),
  'of a lead what nobody has read of it');
select is(pg_temp.sample(reader, pg_temp.begun(who, kind, name, age::interval, action)), code, message)
from (values
  ('visitor', 'visitor', 'delivery', 'delivery', '12:00:01', 'mapping try', 'PT404', 'not after 12 hours'),
  ('visitor', 'visitor', 'delivery', 'delivery', '-1 ms', 'mapping try', 'PT404', 'nor in the same transaction'),
  ('visitor', 'visitor', 'delivery', 'delivery', '1 s', 'delivery show', 'PT404', 'nor after another action'),
  ('mia', 'visitor', 'delivery', 'delivery', '1 s', 'mapping try', 'PT404', 'nor after that of another operator'),
  ('visitor', 'visitor', 'delivery', 'cut', '1 s', 'mapping try', 'PT404', 'what is kept in part is no payload'),
  ('visitor', 'visitor', 'delivery', 'import', '1 s', 'mapping try', 'PT404', 'nor is an import one of a mapping'),
  ('visitor', 'visitor', 'lead', 'whole', '1 s', 'mapping try', 'PT404', 'nor has a lead one that was read whole'),
  ('visitor', 'visitor', 'lead', 'delivery', '1 s', 'mapping try', 'PT404', 'a delivery is no lead')
) s (reader, who, kind, name, age, action, code, message);

-- Saving
create function pg_temp.version(vendor_name text) returns text language sql as $$
  select l.version from public.mapping_list l where l.vendor_id = md5(vendor_name)::uuid
$$;
create temp table first as select pg_temp.version('mapped') as version;
select is(
  (select public.save_mapping(md5('mapped')::uuid, '{"fields": {"full_name": "name"}}', version) from first),
  pg_temp.version('mapped'), 'a mapping is saved, and its version returned');
select isnt(pg_temp.version('mapped'), (select version from first), 'which is a new one');
select is(
  (select parser_config from public.vendors where id = md5('mapped')::uuid), '{"fields": {"full_name": "name"}}'::jsonb, 'it is there');
select is(
  (select public.save_mapping(md5('mapped')::uuid, '{"fields": {"full_name": "name"}}', version) from first),
  pg_temp.version('mapped'), 'a repeat of the same save changes nothing');
select is((select parser_config from public.vendors where id = md5('other')::uuid), '{"fields": {"first_name": "name"}}'::jsonb,
  'no other vendor is changed');
select throws_ok(
  format('select public.save_mapping(%L, %L, %L)', md5(vendor)::uuid, config, seen), code, message, message)
from (values
  ('mapped', '{"fields": {"full_name": "nom"}}', (select version from first), 'PT409', 'parser_config: somebody has changed it meanwhile'),
  ('mapped', '{"fields": {"full_name": "nom"}}', null, 'PT409', 'parser_config: somebody has changed it meanwhile'),
  ('mapped', '[]', pg_temp.version('mapped'), 'PT400', 'parser_config: must be an object'),
  ('mapped', null, pg_temp.version('mapped'), 'PT400', 'parser_config: must be an object'),
  ('plain', '{}', md5('{}'), 'PT409', 'vendor_id: its parser is generic, which has no mapping'),
  ('nobody', '{}', md5('{}'), 'PT404', 'vendor_id: there is no such vendor')
) s (vendor, config, seen, code, message);
select is(
  (select parser_config from public.vendors where id = md5('mapped')::uuid), '{"fields": {"full_name": "name"}}'::jsonb,
  'what is refused changes nothing');

-- Two operators save what they have made of the same mapping.
select pg_temp.commit($$
  insert into public.vendors (id, slug, name, parser, parser_config)
  values (md5('mapping race')::uuid, 'test-mapping-race', 'race', 'mapping', '{"fields": {"first_name": "a"}}')$$);
create function pg_temp.save_query(config text) returns text language sql as $$
  select format('select public.save_mapping(%L, %L, %L)', md5('mapping race')::uuid, config, md5('{"fields": {"first_name": "a"}}'))
$$;
select extensions.dblink_connect('other', pg_temp.dsn());
select pg_temp.hold(pg_temp.save_query('{"fields": {"first_name": "b"}}'));
select pg_temp.send_and_wait('other', pg_temp.save_query('{"fields": {"first_name": "c"}}'));
select pg_temp.let_go('commit');
select is(pg_temp.answer_of('other'), 'PT409 parser_config: somebody has changed it meanwhile', 'of two who save at once, the second is told');
select is(
  (select parser_config from extensions.dblink(pg_temp.connected(),
    $$select parser_config from public.vendors where id = md5('mapping race')::uuid$$) as r (parser_config jsonb)),
  '{"fields": {"first_name": "b"}}'::jsonb, 'and the mapping of the first one stays');
select extensions.dblink_disconnect('other');
select pg_temp.commit($$delete from public.vendors where id = md5('mapping race')::uuid$$);

select * from finish();
rollback;
