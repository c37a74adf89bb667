-- Leads that came when no order wanted them are distributed when one is opened.
begin;
select plan(22);
\ir ../helpers.psql

-- Orders and leads of the seed would take part.
update public.recruiting_orders set status = 'closed';
update public.recruiting_leads set distribution = 'not_requested' where distribution in ('unmatched', 'pending');

select pg_temp.create_agency('agency', 'UTC', 'ann', 'bob'), pg_temp.create_vendor('vendor'), pg_temp.create_vendor('other');

create function pg_temp.lead(name text, distribution text, vendor text default 'vendor', state text default null)
returns void language sql as $$
  insert into public.recruiting_leads (id, vendor_id, first_name, distribution, vendor_metadata, created_at)
  values (md5(name)::uuid, md5(vendor)::uuid, name, distribution, jsonb_build_object('state', state),
    timestamptz '2026-01-01' + (name || ' days')::interval)
$$;
create function pg_temp.distribution(name text) returns text language sql as $$
  select l.distribution from public.recruiting_leads l where l.id = md5(name)::uuid
$$;
create function pg_temp.filled() returns integer language sql as $$
  select sum(o.filled)::integer from public.recruiting_orders o where o.agency_id = md5('agency')::uuid
$$;

select pg_temp.lead('5', 'unmatched');
select pg_temp.lead('1', 'unmatched');
select pg_temp.lead('2', 'pending');
select pg_temp.lead('3', 'unmatched', 'other');
select pg_temp.lead('4', 'not_requested');
select is(public.distribute_waiting_leads(100), 0, 'without an order nothing is distributed');
select is(pg_temp.distribution('1'), 'unmatched', 'and a lead stays as it is');

insert into public.recruiting_orders (id, agency_id, quantity) values (md5('order')::uuid, md5('agency')::uuid, 3);
select is(public.distribute_waiting_leads(1), 1, 'at most max leads are distributed');
select is(pg_temp.distribution('1'), 'distributed', 'the oldest goes first');
select results_eq(
  $$select agency_id, agent_id, order_id, distributed_at is not null from public.recruiting_leads where id = md5('1')::uuid$$,
  $$values (md5('agency')::uuid, md5('ann')::uuid, md5('order')::uuid, true)$$,
  'it goes to the order and the agent whose turn it is');
select is(public.distribute_waiting_leads(100, md5('other')::uuid), 1, 'of one vendor only its own leads');
select is(array[pg_temp.distribution('2'), pg_temp.distribution('3')], array['unmatched', 'distributed'], 'leads of another vendor stay');
select is(public.distribute_waiting_leads(100), 1, 'an order gets at most its quantity');
select is(array[pg_temp.distribution('2'), pg_temp.distribution('5')], array['distributed', 'unmatched'], 'a pending lead is taken along');
select is(pg_temp.filled(), 3, 'each lead is counted');
select is(status, 'filled', 'a full order is filled') from public.recruiting_orders where id = md5('order')::uuid;
select is(public.distribute_waiting_leads(100), 0, 'when it is full, nothing is distributed');
select is(pg_temp.distribution('4'), 'not_requested', 'a lead sent in bulk or a test lead is never distributed');

-- By state, with a cap a day, and behind many that nobody wants
select pg_temp.lead((10 + n)::text, 'unmatched', 'vendor', 'NY') from generate_series(1, 50) n;
select pg_temp.lead((100 + n)::text, 'unmatched', 'vendor', 'TX') from generate_series(1, 5) n;
insert into public.recruiting_orders (agency_id, quantity, states, daily_cap) values (md5('agency')::uuid, 10, '{TX}', 2);
select is(public.distribute_waiting_leads(100), 2, 'leads that no order wants do not hide those that one wants');
select is(
  array[pg_temp.distribution('101'), pg_temp.distribution('102'), pg_temp.distribution('103')],
  array['distributed', 'distributed', 'unmatched'], 'a daily cap holds');
update public.recruiting_leads set distributed_at = distributed_at - interval '2 days' where state = 'TX' and agency_id is not null;
select is(public.distribute_waiting_leads(100), 2, 'the next day gets the next ones');
select is(public.distribute_waiting_leads(100, md5('unknown')::uuid), 0, 'an unknown vendor has no leads');

select throws_ok(
  format('select public.distribute_waiting_leads(%s)', coalesce(max, 'null')), 'PT400', 'max: must be 1 or more',
  format('max %s is refused', coalesce(max, 'null')))
from unnest(array['0', null]) max;
-- A distribution that takes long ends at its deadline, and has always done something.
insert into public.recruiting_orders (agency_id, quantity, states) select md5('agency')::uuid, 10, '{WY}' from generate_series(1, 2);
select pg_temp.lead((910 + n)::text, 'pending', 'vendor', 'WY') from generate_series(1, 3) n;
create function pg_temp.distribute_late() returns text[] language sql as $$
  select private.distribute_pending(seconds => 0);
  select array[pg_temp.distribution('911'), pg_temp.distribution('912'), pg_temp.distribution('913')]
$$;
select is(pg_temp.distribute_late(), array['distributed', 'pending', 'pending'], 'after the deadline the other leads stay');
select is(pg_temp.distribute_late(), array['distributed', 'distributed', 'pending'], 'the next distribution goes on with them');

select is_empty('select * from public.check_daily_counts()', 'the kept counts of the days are right');

select * from finish();
rollback;
