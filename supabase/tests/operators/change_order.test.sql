-- What a manager changes of an order: who may, what is refused, and what another has changed meanwhile.
begin;
select plan(39);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_vendor('vendor');
insert into public.recruiting_orders (id, agency_id, quantity, filled, status, ends_at) values
  (md5('order')::uuid, md5('agency')::uuid, 10, 2, 'open', null),
  (md5('full')::uuid, md5('agency')::uuid, 10, 10, 'filled', null),
  (md5('over')::uuid, md5('agency')::uuid, 10, 0, 'paused', now() - interval '1 hour'),
  (md5('reduced')::uuid, md5('agency')::uuid, 5, 5, 'paused', null);
insert into public.recruiting_leads (vendor_id, first_name, agency_id, order_id, distribution, distributed_at)
select md5('vendor')::uuid, 'Ada', md5('agency')::uuid, md5('order')::uuid, 'distributed', at
from unnest(array[private.day_start(now(), 'UTC'), private.day_start(now(), 'UTC') - interval '1 s', now()]) at;

create function pg_temp.change(name text, changes text, seen text default '{}', order_name text default 'order')
returns jsonb language plpgsql as $$
declare
  result jsonb;
  sought jsonb;
begin
  -- As it is, unless the test says what was seen.
  select to_jsonb(o) || seen::jsonb into sought from public.recruiting_orders o where o.id = md5(order_name)::uuid;
  perform pg_temp.become(name);
  result := public.change_order(md5(order_name)::uuid, changes::jsonb, sought);
  reset role;
  return result;
end
$$;
create function pg_temp.order_now() returns text language sql as $$
  select concat_ws(' ', status, daily_cap, states, greeting_template, quantity, filled)
  from public.recruiting_orders where id = md5('order')::uuid
$$;

select is(
  pg_temp.change('mia', '{"status": "paused"}'), jsonb_build_object('order_id', md5('order')::uuid, 'status', 'paused'),
  'a manager pauses an order');
select is(pg_temp.order_now(), 'paused 10 2', 'which gets no leads then');
select pg_temp.change('mia', '{"status": "open", "daily_cap": 2, "states": ["TX", "OK"], "greeting_template": "{agency}: hi. STOP ends it."}');
select is(pg_temp.order_now(), 'open 2 {TX,OK} {agency}: hi. STOP ends it. 10 2', 'and changes several parts at once');
select pg_temp.change('mia', '{"daily_cap": null, "states": null, "greeting_template": null}');
select is(pg_temp.order_now(), 'open 10 2', 'or takes them away');
select lives_ok($$select pg_temp.change('mia', '{}')$$, 'nothing to change changes nothing');


-- Who has changed what
create function pg_temp.changes(name text) returns text[] language plpgsql as $$
declare
  result text[];
begin
  perform pg_temp.become(name);
  result := array(
    select concat_ws(' ', c ->> 'by', c -> 'before', '->', c -> 'after')
    from public.order_pace p
    cross join jsonb_array_elements(p.changes) with ordinality e (c, place)
    where p.id = md5('order')::uuid
    order by place
  );
  reset role;
  return result;
end
$$;
update public.order_changes c set after = c.after - 'greeting_template', before = c.before - 'greeting_template';
select is(
  pg_temp.changes('mia'),
  array[
    'mia {"states": ["TX", "OK"], "daily_cap": 2} -> {"states": null, "daily_cap": null}',
    'mia {"states": null, "status": "paused", "daily_cap": null} -> {"states": ["TX", "OK"], "status": "open", "daily_cap": 2}',
    'mia {"status": "open"} -> {"status": "paused"}'],
  'each change is kept with who made it, the last first');
select is(pg_temp.changes(name), '{}', 'not for ' || name) from unnest(array['ann', 'otto', 'visitor']) name;
select lives_ok($$select pg_temp.change('mia', '{"status": "open"}')$$, 'what is as it was');
select is((select count(*)::integer from public.order_changes), 3, 'is no change');

select throws_ok(format('select pg_temp.change(%L, %L, %L, %L)', who, changes, seen, order_name), code, message, message)
from (values
  ('ann', '{"status": "paused"}', '{}', 'order', '42501', 'only a manager may change an order'),
  ('former', '{"status": "paused"}', '{}', 'order', '42501', 'only a manager may change an order'),
  ('visitor', '{"status": "paused"}', '{}', 'order', '42501', 'only a manager may change an order'),
  ('otto', '{"status": "paused"}', '{}', 'order', 'PT404', 'order_id: there is no such order'),
  ('mia', '{"status": "paused"}', '{}', 'none', 'PT404', 'order_id: there is no such order'),
  ('mia', '[]', '{}', 'order', '22023', 'changes: must be an object'),
  ('mia', '{"quantity": 99}', '{}', 'order', '22023', 'quantity: is not for managers to change'),
  ('mia', '{"status": "closed"}', '{}', 'order', '22023', 'status: must be open or paused'),
  ('mia', '{"status": null}', '{}', 'order', '22023', 'status: must be open or paused'),
  ('mia', '{"daily_cap": 1}', '{}', 'order', '22023', 'daily_cap: 1 is less than the 2 leads of today'),
  ('mia', '{"daily_cap": 0}', '{}', 'order', '22023', 'daily_cap: must be a whole number from 1 to 100,000'),
  ('mia', '{"daily_cap": 2.5}', '{}', 'order', '22023', 'daily_cap: must be a whole number from 1 to 100,000'),
  ('mia', '{"daily_cap": "5"}', '{}', 'order', '22023', 'daily_cap: must be a whole number, or null'),
  ('mia', '{"states": ["tx"]}', '{}', 'order', '22023', 'states: must be two upper-case letters each, or null'),
  ('mia', '{"states": ["TX", "ZZ"]}', '{}', 'order', '22023', 'states: ZZ is no state'),
  ('mia', '{"states": []}', '{}', 'order', '22023', 'states: must be two upper-case letters each, or null'),
  ('mia', '{"greeting_template": "Hi {name}"}', '{}', 'order', '22023',
    'greeting_template: must have {agency} and the word STOP, at most 1,600 characters, and no other braces than {agency}, {first_name} and {agent}'),
  ('mia', '{"daily_cap": 5}', '{"daily_cap": 9}', 'order', 'PT409', 'daily_cap: somebody has changed it meanwhile'),
  ('mia', '{"status": "paused"}', '{"status": "paused"}', 'order', 'PT409', 'status: somebody has changed it meanwhile'),
  ('mia', '{"status": "open"}', '{}', 'full', 'PT409', 'status: the order is filled'),
  ('mia', '{"status": "open"}', '{}', 'over', 'PT409', 'status: the order has ended'),
  ('mia', '{"status": "open"}', '{}', 'reduced', 'PT409', 'status: the order is filled')
) c (who, changes, seen, order_name, code, message);
select is(pg_temp.order_now(), 'open 10 2', 'what is refused changes nothing');
select throws_ok(
  format('select pg_temp.change(%L, %L)', 'mia', '{"daily_cap": 1, "status": "paused"}'), '22023', null, 'one wrong part changes nothing');
select is(pg_temp.order_now(), 'open 10 2', 'of the others');
select is((select count(*)::integer from public.order_changes), 3, 'and is not kept');
select is(
  (with changed as (select pg_temp.change('mia', format('{"daily_cap": %s}', 10 + n)) from generate_series(1, 6) n)
   select count(*)::integer from changed), 6, 'of many');
select is(cardinality(pg_temp.changes('mia')), 5, 'the latest five are shown');

select * from finish();
rollback;
