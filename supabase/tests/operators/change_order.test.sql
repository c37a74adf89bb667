-- Orders are created and changed: by whom, which values they may have, what others have changed meanwhile, and what is kept.
begin;
select plan(78);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_vendor('vendor');
insert into public.operators (user_id) values (md5('user visitor')::uuid);
insert into public.recruiting_orders (id, agency_id, quantity, filled, status, ends_at) values
  (md5('order')::uuid, md5('agency')::uuid, 10, 2, 'open', null),
  (md5('full')::uuid, md5('agency')::uuid, 10, 10, 'filled', null),
  (md5('over')::uuid, md5('agency')::uuid, 10, 0, 'paused', now() - interval '1 hour'),
  (md5('reduced')::uuid, md5('agency')::uuid, 5, 5, 'paused', null),
  (md5('closed')::uuid, md5('agency')::uuid, 10, 0, 'closed', null);
insert into public.recruiting_leads (vendor_id, first_name, agency_id, order_id, distribution, distributed_at)
select md5('vendor')::uuid, 'Ada', md5('agency')::uuid, md5('order')::uuid, 'distributed', at
from unnest(array[private.day_start(now(), 'UTC'), private.day_start(now(), 'UTC') - interval '1 s', now()]) at;

-- Who it is: mia is a manager, visitor an operator, postgres the command. They have seen the order as it is, unless `seen` says
-- otherwise.
create function pg_temp.change(who text, changes text, seen text default '{}', order_name text default 'order') returns text
language plpgsql as $$
declare
  sought jsonb;
begin
  select to_jsonb(o) || seen::jsonb into sought from public.recruiting_orders o where o.id = md5(order_name)::uuid;
  return pg_temp.result_as(who, format(
    'select concat_ws('' '', o.status, o.quantity, o.daily_cap, o.states, o.greeting_template) from public.change_order(%L, %L, %L) o',
    md5(order_name)::uuid, changes, sought));
end
$$;
create function pg_temp.order_now() returns text language sql as $$
  select concat_ws(' ', status, quantity, daily_cap, states, greeting_template)
  from public.recruiting_orders where id = md5('order')::uuid
$$;

-- What managers change
select is(pg_temp.change('mia', '{"status": "paused"}'), 'paused 10', 'a manager pauses an order, and is given it as it is now');
select is(
  pg_temp.change('mia', '{"status": "open", "daily_cap": 2, "states": ["TX", "OK"], "greeting_template": "{agency}: hi. STOP ends it."}'),
  'open 10 2 {TX,OK} {agency}: hi. STOP ends it.', 'and changes several parts at once');
select is(
  pg_temp.change('mia', '{"daily_cap": null, "states": null, "greeting_template": null}'), 'open 10', 'or takes them away');
select is(pg_temp.change('mia', '{}'), 'open 10', 'nothing to change changes nothing');
select is(
  pg_temp.change('mia', '{"status": "open"}', '{"status": "paused"}'), 'open 10', 'nor does what is so already, whatever was seen');
select is(pg_temp.order_now(), 'open 10', 'it is stored');

-- What is kept of it
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

-- What operators change, and the command
select is(pg_temp.change('visitor', '{"status": "paused"}'), 'paused 10', 'an operator pauses an order');
select is(pg_temp.change('visitor', '{"status": "paused"}', '{"status": "open"}'), 'paused 10', 'again, it stays so');
select is(
  pg_temp.change('visitor', '{"quantity": 20, "daily_cap": 5}', '{}', 'full'), 'open 20 5',
  'a full order gets more leads, and is open again');
select is(pg_temp.change('visitor', '{"daily_cap": null}', '{}', 'full'), 'open 20', 'a daily cap is taken away');
select is(pg_temp.change('visitor', '{"quantity": 10}', '{}', 'full'), 'filled 10', 'a quantity that is reached fills the order');
select is(pg_temp.change('visitor', '{"daily_cap": 1}'), 'paused 10 1', 'an operator''s cap may be below the leads of today');
select is(
  pg_temp.change('visitor', '{"greeting_template": "{agency}: hi. STOP ends it."}'), 'paused 10 1 {agency}: hi. STOP ends it.',
  'an operator changes the greeting');
select is(
  pg_temp.change('visitor', '{"greeting_template": null}', '{"greeting_template": "{agency}: hello. STOP ends it."}'),
  'PT409 greeting_template: somebody has changed it meanwhile', 'not one that was changed meanwhile');
select pg_temp.change('visitor', '{"greeting_template": null}');
select is(
  pg_temp.change('visitor', '{"daily_cap": null, "status": "open"}'), 'open 10', 'several parts are changed at once');
select results_eq(
  $$select a.action || ' ' || a.subject from public.operator_actions a
    where a.user_id = md5('user visitor')::uuid and a.done_by is null order by a.created_at$$,
  array[
    format('order pause {"order_ids": ["%s"]}', md5('order')::uuid),
    format('order update {"changes": {"quantity": 20, "daily_cap": 5}, "order_id": "%s"}', md5('full')::uuid),
    format('order update {"changes": {"daily_cap": null}, "order_id": "%s"}', md5('full')::uuid),
    format('order update {"changes": {"quantity": 10}, "order_id": "%s"}', md5('full')::uuid),
    format('order update {"changes": {"daily_cap": 1}, "order_id": "%s"}', md5('order')::uuid),
    format('order update {"changes": {"greeting_template": "{agency}: hi. STOP ends it."}, "order_id": "%s"}', md5('order')::uuid),
    format('order update {"changes": {"greeting_template": null}, "order_id": "%s"}', md5('order')::uuid),
    format('order update {"changes": {"status": "open", "daily_cap": null}, "order_id": "%s"}', md5('order')::uuid)],
  'each change is noted with who is signed in, and what is so already is not');
select is((select count(*)::integer from public.order_changes), 3, 'among managers'' changes is none of them');
select is(pg_temp.change(who, '{"status": "closed"}', '{}', 'reduced'), 'closed 5', who || ' closes an order')
from unnest(array['postgres', 'service_role']) who;
select is((select count(*)::integer from public.operator_actions), 8, 'which the command notes itself');
delete from public.operator_actions;
update public.recruiting_orders set status = 'paused' where id = md5('reduced')::uuid;

-- What is refused
select is(pg_temp.change(who, changes, seen, order_name), error, concat_ws(' ', who, changes, order_name))
from (values
  ('ann', '{"status": "paused"}', '{}', 'order', '42501 only a manager or an operator may change an order'),
  ('former', '{"status": "paused"}', '{}', 'order', '42501 only a manager or an operator may change an order'),
  ('cal', '{}', '{}', 'none', '42501 only a manager or an operator may change an order'),
  ('otto', '{"status": "paused"}', '{}', 'order', 'PT404 order_id: there is no such order'),
  ('mia', '{"status": "paused"}', '{}', 'none', 'PT404 order_id: there is no such order'),
  ('visitor', '{"status": "paused"}', '{}', 'none', 'PT404 order_id: there is no such order'),
  ('mia', '[]', '{}', 'order', '22023 changes: must be an object'),
  ('mia', '{"quantity": 99}', '{}', 'order', '22023 quantity: is not for managers to change'),
  ('visitor', '{"priority": 1}', '{}', 'order', '22023 priority: is not for operators to change'),
  ('visitor', '{"states": null}', '{}', 'order', '22023 states: is not for operators to change'),
  ('postgres', '{"filled": 1}', '{}', 'order', '22023 filled: is not for operators to change'),
  ('mia', '{"status": "closed"}', '{}', 'order', '22023 status: must be open or paused'),
  ('mia', '{"status": null}', '{}', 'order', '22023 status: must be open or paused'),
  ('visitor', '{"status": "filled"}', '{}', 'order', '22023 status: must be open, paused or closed'),
  ('visitor', '{"status": null}', '{}', 'order', '22023 status: must be open, paused or closed'),
  ('mia', '{"daily_cap": 1}', '{}', 'order', '22023 daily_cap: 1 is less than the 2 leads of today'),
  ('mia', '{"daily_cap": 0}', '{}', 'order', '22023 daily_cap: must be a whole number from 1 to 999,999'),
  ('mia', '{"daily_cap": 2.5}', '{}', 'order', '22023 daily_cap: must be a whole number from 1 to 999,999'),
  ('mia', '{"daily_cap": "5"}', '{}', 'order', '22023 daily_cap: must be a whole number from 1 to 999,999'),
  ('visitor', '{"quantity": 0}', '{}', 'order', '22023 quantity: must be a whole number from 1 to 999,999'),
  ('visitor', '{"quantity": null}', '{}', 'order', '22023 quantity: must be a whole number from 1 to 999,999'),
  ('visitor', '{"quantity": 9}', '{}', 'full', '22023 quantity: 9 is less than the 10 leads it has already received'),
  ('mia', '{"states": ["tx"]}', '{}', 'order', '22023 states: must be two upper-case letters each, or null'),
  ('mia', '{"states": ["TX", "ZZ"]}', '{}', 'order', '22023 states: ZZ is no state'),
  ('mia', '{"states": []}', '{}', 'order', '22023 states: must be two upper-case letters each, or null'),
  ('mia', '{"greeting_template": "Hi {name}"}', '{}', 'order',
    '22023 greeting_template: give a text of at most 1,600 characters with {agency} and the word STOP, and no other braces than '
    '{agency}, {first_name} and {agent}. Characters are UTF-16 units: most emoji have 2 or more'),
  ('mia', '{"daily_cap": 5}', '{"daily_cap": 9}', 'order', 'PT409 daily_cap: somebody has changed it meanwhile'),
  ('visitor', '{"quantity": 30}', '{"quantity": 11}', 'order', 'PT409 quantity: somebody has changed it meanwhile'),
  ('visitor', '{"status": "closed"}', '{"status": "paused"}', 'order', 'PT409 status: somebody has changed it meanwhile'),
  ('mia', '{"status": "open"}', '{}', 'full', 'PT409 status: the order is filled'),
  ('mia', '{"status": "open"}', '{}', 'closed', 'PT409 status: the order is closed'),
  ('mia', '{"status": "open"}', '{}', 'over', format('PT409 The order %s has ended. Give it a later end first.', md5('over')::uuid)),
  ('visitor', '{"status": "open"}', '{}', 'full',
    format('PT409 The order %s has all of its 10 leads. Give it a higher quantity first.', md5('full')::uuid)),
  ('mia', '{"status": "open"}', '{}', 'reduced',
    format('PT409 The order %s has all of its 5 leads. Give it a higher quantity first.', md5('reduced')::uuid)),
  ('visitor', '{"status": "paused"}', '{}', 'closed',
    format('PT409 The order %s is closed, so it gets no leads as it is.', md5('closed')::uuid)),
  ('mia', '{"daily_cap": 1, "status": "paused"}', '{}', 'order', '22023 daily_cap: 1 is less than the 2 leads of today')
) c (who, changes, seen, order_name, error);
select is(pg_temp.order_now(), 'open 10', 'what is refused changes nothing, also where one part of several is wrong');
select is((select count(*)::integer from public.order_changes), 3, 'and is not kept');
select is_empty('select from public.operator_actions', 'nor noted');
select throws_ok(
  $$select public.change_order(md5('order')::uuid, '{"daily_cap": 5}', '{}')$$, 'PT409', null, 'what was not seen is not changed');
select is(
  (with changed as (select pg_temp.change('mia', format('{"daily_cap": %s}', 10 + n)) from generate_series(1, 6) n)
   select count(*)::integer from changed), 6, 'of many changes');
select is(cardinality(pg_temp.changes('mia')), 5, 'the latest five are shown');
reset role;

-- A manager who is an operator too changes what either of them may.
insert into public.operators (user_id) values (md5('user mia')::uuid), (md5('user otto')::uuid);
select is(
  pg_temp.change('mia', '{"quantity": 12, "daily_cap": null, "states": ["TX"]}'), 'open 12 {TX}', 'of the agency''s own orders');
select is(
  pg_temp.change('otto', '{"states": null}'), '22023 states: is not for operators to change', 'but no more than an operator of others''');

-- Settings
create function pg_temp.create_order(settings jsonb) returns public.recruiting_orders language sql
return public.create_order(md5('agency')::uuid, settings);
update public.agencies set timezone = 'America/Chicago' where id = md5('agency')::uuid;
create temp table made as
select * from pg_temp.create_order('{"quantity": 3, "states": ["IL"], "ends_at": "2097-07-01", "starts_at": "2097-06-01T09:00Z"}');
select is(
  (select row(agency_id, quantity, ends_at, starts_at, status, filled, priority, states) from made),
  row(md5('agency')::uuid, 3, timestamptz '2097-07-01T05:00Z', timestamptz '2097-06-01T09:00Z', 'open'::text, 0, 0, '{IL}'::text[]),
  'an order is open; a day begins at midnight in the agency''s time zone, and an offset counts');
select is(
  (select row(c.states, c.ends_at, c.quantity, c.priority) from made m, public.change_order(m.id, '{"states": null, "priority": 2}') c),
  row(null::text[], timestamptz '2097-07-01T05:00Z', 3, 2), 'null takes a setting away, and the others stay');
update public.agents a set is_active = false where a.id = md5('ann')::uuid;
select throws_ok(format('select pg_temp.create_order(%L)', settings), '22023', message, message)
from (values
  ('{"quantity": 3, "states": ["IL", "ZZ"]}'::jsonb, 'states: ZZ is no state'),
  ('{"quantity": 3, "ends_at": "2020-01-01"}', 'ends_at: 2020-01-01T06:00:00.000Z is in the past, so the order would get no lead'),
  ('{"quantity": 3, "starts_at": "2097-01-02", "ends_at": "2097-01-01"}',
    'ends_at: 2097-01-01T06:00:00.000Z is not after the start, 2097-01-02T06:00:00.000Z'),
  (jsonb_build_object('quantity', 3, 'agent_id', md5('ann')::uuid),
    format('agent_id: ann is inactive and gets no lead: npm run admin -- agent update %s --active true', md5('ann')::uuid))
) s (settings, message);

-- By an operator
create function pg_temp.create_as(who text, settings jsonb) returns text language sql as $$
  select pg_temp.result_as(who, format('select (public.create_order(%L, %L)).quantity', md5('agency')::uuid, settings))
$$;
select is(pg_temp.create_as('visitor', '{"daily_cap": 3}'), '22023 quantity: must be a whole number from 1 to 999,999',
  'an order has a quantity');
select is(pg_temp.create_as('visitor', '{"quantity": 3, "filled": 2}'), '22023 filled: is no setting of an order', 'and no other columns');
delete from public.operator_actions;
select is(pg_temp.create_as('visitor', '{"quantity": 3, "priority": 2}'), '3', 'an operator creates one,');
select is(
  (select a.action || ' ' || (a.subject - 'order_id')::text from public.operator_actions a),
  format('order create {"changes": {"priority": 2, "quantity": 3}, "agency_id": "%s"}', md5('agency')::uuid), 'which is noted');

select * from finish();
rollback;
