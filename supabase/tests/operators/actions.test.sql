-- Who is an operator, what is kept of what operators do, a replay that is taken back, and the leads of each day.
begin;
-- What others do meanwhile is not seen, so that all tables can be compared.
set transaction isolation level repeatable read;
select plan(32);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_vendor('vendor'), pg_temp.create_vendor('quiet');
insert into public.operators (user_id) values (md5('user visitor')::uuid);
insert into public.recruiting_orders (id, agency_id, vendor_id, quantity, priority) values
  (md5('order')::uuid, md5('agency')::uuid, md5('vendor')::uuid, 5, 1000);
insert into public.rejected_deliveries (id, request_id, route, vendor_id, code, reason, payload_bytes)
select md5(name)::uuid, 'test', '/recruiting/ingest', md5('vendor')::uuid, 'BAD_REQUEST', 'missing first_name', 2
from unnest(array['first', 'again', 'dismissed']) name;
update public.rejected_deliveries set status = 'dismissed' where id = md5('dismissed')::uuid;

-- What a statement run as this user returns, or its error code.
create function pg_temp.begin_as(name text, action text, subject jsonb default '{}') returns text language plpgsql as $$
declare
  result text;
begin
  perform pg_temp.become(name);
  result := public.begin_operator_action(action, subject);
  reset role;
  return coalesce(result, 'nothing is kept');
exception when others then
  reset role;
  return sqlstate;
end
$$;
create function pg_temp.actions() returns bigint language sql as $$
  select count(*) from public.operator_actions a where a.user_id = md5('user visitor')::uuid
$$;

-- Who may
select is(pg_temp.begin_as(name, action), '42501', format('%s may not %s', name, action))
from unnest(array['anon', 'service_role', 'ann', 'mia', 'former']) name
cross join unnest(array['list', 'read_payload']) action;
select is(pg_temp.begin_as('visitor', 'list'), 'nothing is kept', 'a list leaves no row');
select is(pg_temp.actions(), 0::bigint, 'of nobody');
select isnt(
  pg_temp.begin_as('visitor', 'read_payload', '{"delivery_ids": ["x"]}'), '42501', 'an operator may read a payload');
select results_eq(
  $$select user_id, action, subject from public.operator_actions$$,
  $$values (md5('user visitor')::uuid, 'read_payload', '{"delivery_ids": ["x"]}'::jsonb)$$, 'which leaves one row');
select is(pg_temp.begin_as('visitor', action, subject), code, message)
from (values
  ('delete', '{}', '23514', 'an action is one of those that are known'),
  (null, '{}', '23502', 'an action has a name'),
  ('replay', '[]', '23514', 'a subject is an object'),
  ('replay', null, '23502', 'a subject is there'),
  ('replay', jsonb_build_object('x', repeat('x', 8192)), '23514', 'a subject is small')
) wrong (action, subject, code, message);
select is(pg_temp.actions(), 1::bigint, 'what is refused leaves no row');

delete from public.operators where user_id = md5('user visitor')::uuid;
select is(pg_temp.begin_as('visitor', 'list'), '42501', 'who was an operator is none at once');
delete from auth.users where id = md5('user visitor')::uuid;
select is(pg_temp.actions(), 1::bigint, 'what a user did stays when the user is deleted');

-- A replay that is taken back
create function pg_temp.all_tables() returns table (name text, rows text) language plpgsql as $$
begin
  for name in
    select c.oid::regclass from pg_class c
    where c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, 'private'::regnamespace) order by 1
  loop
    execute format('select md5(string_agg(t::text, chr(10) order by t::text)) from %s t', name) into rows;
    return next;
  end loop;
end
$$;
create temp table before as select * from pg_temp.all_tables();
create temp table preview as
select public.preview_replay(md5('first')::uuid,
  '{"first_name": "Ada", "vendor_lead_id": "4711", "vendor_metadata": {"state": "TX"}}') as result;
select results_eq('select * from pg_temp.all_tables()', 'select * from before', 'a preview changes no table');
select throws_ok(
  format('select public.preview_replay(%L, %L)', md5(name)::uuid, '{"vendor_metadata": {}}'), code, null, message)
from (values
  ('first', 'PT400', 'a preview refuses what a replay refuses'),
  ('dismissed', 'PT409', 'as it does a dismissed delivery'),
  ('nothing', 'PT404', 'and one that is not there')
) refused (name, code, message);
select is(
  public.replay_delivery(md5('first')::uuid,
    '{"first_name": "Ada", "vendor_lead_id": "4711", "vendor_metadata": {"state": "TX"}}'),
  result, 'a preview says what the replay does') from preview;
select is(
  public.preview_replay(md5('again')::uuid, '{"first_name": "Ada", "vendor_lead_id": "4711"}'),
  (result || '{"status": "duplicate"}'::jsonb) - 'distributed_to', 'and that a lead has come meanwhile') from preview;

-- The leads of each day
create function pg_temp.days(days integer, timezone text) returns jsonb language sql as $$
  select d -> 'days' || jsonb_agg(v.*)
  from public.count_vendor_days(days, timezone) d
  left join jsonb_array_elements(d -> 'vendors') v on v ->> 'vendor' in ('test-vendor', 'test-quiet')
  group by d
$$;
create temp table today as select (now() at time zone 'Asia/Tokyo')::date as day;
update public.recruiting_leads set created_at = day::timestamp at time zone 'Asia/Tokyo' from today where id = md5('first')::uuid;
update public.rejected_deliveries
set received_at = (day::timestamp - case when id <> md5('again')::uuid then interval '1 s' else '0' end) at time zone 'Asia/Tokyo'
from today where vendor_id = md5('vendor')::uuid;
select is(
  pg_temp.days(3, 'Asia/Tokyo'),
  jsonb_build_array(
    day - 2, day - 1, day,
    jsonb_build_object('vendor', 'test-vendor', 'leads', array[0, 0, 1], 'refused', array[0, 2, 1])),
  'leads and rejected deliveries count on their day in the time zone') from today;
select throws_ok(format('select public.count_vendor_days(%L, %L)', days, timezone), 'PT400', message)
from (values
  (0, 'UTC', 'days: must be from 1 to 90'), (91, 'UTC', 'days: must be from 1 to 90'),
  (1, 'Mars', 'timezone: "Mars" is not an IANA time zone name')
) wrong (days, timezone, message);

select * from finish();
rollback;
