-- explain_lead() and explain_order(): which orders there are, and why each gets a lead or not. That they agree with
-- distribution is shown in supabase/tests/recruiting/distribution_model.test.sql.
begin;
select plan(31);
\ir ../helpers.psql

update public.recruiting_orders set status = 'closed';
select pg_temp.create_agency('agency', 'America/Chicago', 'ann', 'bob'), pg_temp.create_agency('empty');
select pg_temp.create_vendor('vendor', repeat('a', 64)), pg_temp.create_vendor('other');
-- An order of quantity 10, the older ones first.
create function pg_temp.create_order(name text, changes text default 'priority = 0', agency text default 'agency')
returns void language plpgsql as $$
begin
  insert into public.recruiting_orders (id, agency_id, quantity, created_at)
  values (md5(name)::uuid, md5(agency)::uuid, 10, clock_timestamp() - interval '1 day');
  execute format('update public.recruiting_orders set %s where id = md5(%L)::uuid', changes, name);
end
$$;
create function pg_temp.lead(name text, state text, distribution text default 'unmatched', order_name text default null)
returns void language plpgsql as $$
begin
  insert into public.recruiting_leads (
    id, vendor_id, first_name, vendor_metadata, distribution, order_id, agency_id, distributed_at
  )
  values (md5(name)::uuid, md5('vendor')::uuid, name, jsonb_build_object('state', state), lead.distribution, md5(order_name)::uuid,
    case when order_name is not null then md5('agency')::uuid end, case when order_name is not null then now() end);
end
$$;

create temp table names (name text, id uuid generated always as (md5(name)::uuid) stored);
insert into names (name) select * from unnest(array['best', 'later', 'paused', 'full', 'early', 'over', 'capped', 'foreign',
  'elsewhere', 'nobody', 'mine', 'rival']);
-- The orders with their reasons, in the order that is said. Ids are shown by their names, and times as <time>.
create function pg_temp.said(answer jsonb) returns setof text language plpgsql as $$
declare
  line text;
  other names;
begin
  for line in
    select concat_ws(' ', n.name, case when (o ->> 'gets_it')::boolean then '+' end, o ->> 'got') || ': ' || (o ->> 'reason')
    from jsonb_array_elements(answer -> 'orders') with ordinality a (o, ordinality)
    join names n on n.id = (o ->> 'order_id')::uuid
    order by ordinality
  loop
    for other in select * from names loop
      line := replace(line, left(other.id::text, 8), '<' || other.name || '>');
    end loop;
    return next regexp_replace(line, '[A-Z][a-z]+ \d+, \d{4}, \d+:\d\d [AP]M UTC', '<time>');
  end loop;
end
$$;

select pg_temp.create_order('best'), pg_temp.create_order('later'), pg_temp.create_order('paused', 'status = ''paused'', priority = 9'),
  pg_temp.create_order('full', 'filled = 10, status = ''filled'', priority = 9'),
  pg_temp.create_order('early', 'starts_at = now() + interval ''1 day'', priority = 8'),
  pg_temp.create_order('over', 'ends_at = now() - interval ''1 day'', priority = 7'),
  pg_temp.create_order('capped', 'daily_cap = 1, priority = 6'),
  pg_temp.create_order('foreign', 'vendor_id = md5(''other'')::uuid, priority = 5'),
  pg_temp.create_order('elsewhere', 'states = array[''OK'', ''NV''], priority = 4');
select pg_temp.lead('lead', 'tx'), pg_temp.lead('earlier', 'TX', 'distributed', 'capped'), pg_temp.lead('unknown', 'Texas');

select results_eq(
  format('select * from pg_temp.said(public.explain_lead(md5(%L)::uuid))', lead),
  array[
    'early: begins <time>', 'over: ended <time>', 'capped: has got its 1 leads of today', 'foreign: wants leads of other alone',
    'elsewhere: wants leads from OK, NV', 'best +: would get it, for ann', 'later: takes turns with order <best>, which takes this one',
    'paused: paused', 'full: filled'
  ],
  format('every order but closed ones is said for the lead %s, with its reason', lead))
from unnest(array['lead', 'unknown', 'earlier']) lead;
select is(public.explain_lead(md5('lead')::uuid) -> 'lead', jsonb_build_object(
  'id', md5('lead')::uuid, 'vendor', 'test-vendor', 'state', 'TX', 'distribution', 'unmatched', 'order_id', null,
  'distributed_at', null, 'earlier_id', null, 'agency_id', null), 'with what its order depends on');
select is((public.explain_lead(md5('lead')::uuid) ->> 'as_of')::timestamptz, now(), 'as of now');
select is(public.explain_lead(md5('lead')::uuid) #> '{orders,4}', jsonb_build_object(
  'order_id', md5('elsewhere')::uuid, 'agency_id', md5('agency')::uuid, 'agency', 'agency', 'vendor', null,
  'states', array['OK', 'NV'], 'priority', 4, 'filled', 0, 'quantity', 10, 'gets_it', false, 'reason', 'wants leads from OK, NV'),
  'and what tells each order from others');

-- The agent
select pg_temp.create_order('nobody', 'priority = 9', 'empty');
select is((select s from pg_temp.said(public.explain_lead(md5('lead')::uuid)) s where s like 'nobody%'),
  'nobody +: would get it, for no agent: none of the agency is active, not away and accepts recruits',
  'an order gets leads although its agency has nobody for them');
update public.recruiting_orders set status = 'closed' where id = md5('nobody')::uuid;
update public.recruiting_orders set agent_id = md5('bob')::uuid where id = md5('best')::uuid;
create function pg_temp.best_said() returns text language sql as $$
  select s from pg_temp.said(public.explain_lead(md5('lead')::uuid)) s where s like 'best%'
$$;
select is(pg_temp.best_said(), 'best +: would get it, for bob', 'an order''s own agent gets its lead');
update public.agents set is_active = false where id = md5('bob')::uuid;
select is(pg_temp.best_said(), 'best +: would get it, for ann, because its own agent is inactive', 'unless inactive');
select throws_ok('select public.explain_lead(md5(''none'')::uuid)', 'PT404', null, 'an unknown lead is an error');
select throws_ok('select public.explain_order(md5(''none'')::uuid)', 'PT404', null, 'so is an unknown order');

-- An order, and what others do to its leads
select pg_temp.create_order('mine', 'vendor_id = md5(''vendor'')::uuid, states = array[''TX'', ''OK''], filled = 5');
select results_eq(
  'select * from pg_temp.said(public.explain_order(md5(''mine'')::uuid))',
  array[
    'early 0: begins <time>', 'over 0: ended <time>', 'capped 1: has got its 1 leads of today',
    'foreign 0: wants leads of other alone', 'elsewhere + 0: takes leads before this order',
    'best + 0: takes turns with this order, and is ahead of it now', 'later + 0: takes turns with this order, and is ahead of it now',
    'mine 0: takes turns with orders of its priority: the least filled gets the next lead', 'paused 0: paused', 'full 0: filled'
  ],
  'an order has others before it, some of which it shares with');
select is(public.explain_order(md5('mine')::uuid) - 'orders' - 'as_of' - 'since', jsonb_build_object(
  'order', jsonb_build_object('order_id', md5('mine')::uuid, 'vendor', 'test-vendor', 'states', array['TX', 'OK'], 'status', 'open',
    'gets_leads', false, 'takes_turns', true),
  'leads', 2, 'waiting', 1), 'with the leads of the last days that it wants, and how many of them wait');

-- The explanation of `mine` after a change, which is undone again
create function pg_temp.mine_after(changes text) returns text language plpgsql as $$
declare
  line text;
begin
  begin
    execute changes;
    line := coalesce((select s from pg_temp.said(public.explain_order(md5('mine')::uuid)) s where s like 'mine%'), 'not listed');
    raise exception using errcode = 'UNDO0';
  exception when sqlstate 'UNDO0' then
    return line;
  end;
end
$$;
select is(pg_temp.mine_after('update public.recruiting_orders set ' || changes), line, changes)
from (values
  ('priority = 20 where id = md5(''mine'')::uuid', 'mine + 0: gets the leads that no order takes before it, for ann'),
  ('priority = -1 where id = md5(''mine'')::uuid', 'mine 0: other orders take every lead that it wants'),
  ('filled = 6 where id in (md5(''best'')::uuid, md5(''later'')::uuid)',
    'mine + 0: takes turns with orders of its priority, and is ahead of them now, for ann'),
  ('states = array[''OK''] where id in (md5(''mine'')::uuid, md5(''best'')::uuid)', 'mine 0: other orders take every lead that it wants'),
  ('states = array[''TX''] where id in (md5(''best'')::uuid, md5(''later'')::uuid)',
    'mine 0: takes turns with orders of its priority: the least filled gets the next lead'),
  ('states = array[''NV''] where id in (md5(''best'')::uuid, md5(''later'')::uuid)', 'mine + 0: gets the leads that no order takes before it, for ann'),
  ('vendor_id = md5(''other'')::uuid where id in (md5(''best'')::uuid, md5(''later'')::uuid)',
    'mine + 0: gets the leads that no order takes before it, for ann'),
  ('status = ''paused'' where id = md5(''mine'')::uuid', 'mine 0: paused'),
  ('filled = 10, status = ''filled'' where id = md5(''mine'')::uuid', 'mine 0: filled'),
  ('starts_at = now() + interval ''1 hour'' where id = md5(''mine'')::uuid', 'mine 0: begins <time>'),
  ('ends_at = now() - interval ''1 hour'' where id = md5(''mine'')::uuid', 'mine 0: ended <time>'),
  ('vendor_id = null, states = null where id = md5(''mine'')::uuid',
    'mine 0: takes turns with orders of its priority: the least filled gets the next lead'),
  ('states = array[''TX''], vendor_id = case when id = md5(''mine'')::uuid then null else md5(''vendor'')::uuid end
    where id in (md5(''mine'')::uuid, md5(''best'')::uuid, md5(''later'')::uuid)',
    'mine + 0: takes turns with orders of its priority, and is ahead of them now, for ann'),
  ('status = ''closed'' where id = md5(''mine'')::uuid', 'not listed')
) c (changes, line);
select is(public.explain_order(md5('nobody')::uuid) #>> '{order,status}', 'closed', 'a closed order says that it is');
select pg_temp.lead('in bulk', 'TX', 'not_requested');
select is(public.explain_order(md5('mine')::uuid) -> 'leads', '2'::jsonb, 'leads in bulk and tests do not count');

insert into auth.users (id, email) values (md5('user olivia')::uuid, 'olivia@explain.example');
insert into public.operators (user_id) values (md5('user olivia')::uuid);
select pg_temp.become('olivia');
select is(public.explain_order(md5('mine')::uuid) #>> '{order,vendor}', 'test-vendor', 'an operator who is signed in asks about an order');
select throws_ok('select public.explain_lead(md5(''mine'')::uuid)', '42501', null, 'but about a lead by read_lead() alone, which is noted');
reset role;
select * from finish();
rollback;
