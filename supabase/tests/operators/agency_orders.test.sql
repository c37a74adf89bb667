-- All orders of an agency are paused or opened, also while leads come over several connections. What these commit is
-- deleted at the end.
begin;
create extension if not exists dblink with schema extensions;
select plan(17);
\ir ../helpers.psql

create function pg_temp.set_orders(agency text, status text) returns text language plpgsql as $$
begin
  return (
    select count(*)
    from public.set_agency_orders(
      md5(agency)::uuid, set_orders.status, private.orders_to_set(md5(agency)::uuid, set_orders.status)));
exception when others then
  return sqlstate || ': ' || sqlerrm;
end
$$;
create function pg_temp.states(agency text) returns text language sql as $$
  select string_agg(o.status, ' ' order by o.priority) from public.recruiting_orders o where o.agency_id = md5(agency)::uuid
$$;

-- Orders that are meant
select pg_temp.create_agency('agency'), pg_temp.create_agency('elsewhere');
insert into public.recruiting_orders (id, agency_id, quantity, filled, priority, status)
select md5('order ' || n)::uuid, md5('agency')::uuid, 10, filled, n, status
from (values (1, 'open', 0), (2, 'open', 3), (3, 'paused', 0), (4, 'closed', 0), (5, 'filled', 10)) o (n, status, filled);
insert into public.recruiting_orders (agency_id, quantity) values (md5('elsewhere')::uuid, 10);
select is(pg_temp.set_orders('agency', 'paused'), '2', 'all open orders of an agency are paused');
select is(pg_temp.states('agency'), 'paused paused paused closed filled', 'those that are closed or filled stay so');
select is(pg_temp.states('elsewhere'), 'open', 'and so do those of other agencies');
select is(pg_temp.set_orders('agency', 'paused'), '0', 'a second time there is none');
select is(pg_temp.set_orders('agency', 'open'), '3', 'all paused orders of an agency are opened');
select is(pg_temp.states('agency'), 'open open open closed filled', 'and no closed one');

-- All or none, and what was shown
select pg_temp.set_orders('agency', 'paused');
update public.recruiting_orders set starts_at = '2020-01-01', ends_at = '2020-02-01' where id = md5('order 2')::uuid;
select matches(pg_temp.set_orders('agency', 'open'), '^PT409: The order .* has ended', 'one that cannot be opened is named');
select is(pg_temp.states('agency'), 'paused paused paused closed filled', 'and none is opened');
select throws_ok(
  $$select public.set_agency_orders(md5('agency')::uuid, 'open', array[md5('order 1')::uuid])$$, 'PT409',
  'order_ids: others have changed the agency''s orders meanwhile. Try again', 'orders that nobody was shown are not changed');
select throws_ok(
  $$select public.set_agency_orders(md5('agency')::uuid, 'closed', '{}')$$, 'PT400', null, 'an agency''s orders are not closed so');

-- A lead that arrives meanwhile
select pg_temp.create_committed('paused', 'ann');
select pg_temp.commit_of('paused', $sql$
  insert into public.recruiting_orders (id, agency_id, vendor_id, quantity, priority) values ({id}, {id}, {id}, 1000, 2000)
$sql$);
select extensions.dblink_connect('other', pg_temp.dsn());
select pg_temp.hold(pg_temp.ingest_query(pg_temp.key_of('paused'), '{"first_name": "Ada", "vendor_metadata": {}}'));
select pg_temp.send_and_wait('other', $$select count(*) from public.set_agency_orders(
  md5('paused')::uuid, 'paused', array[md5('paused')::uuid])$$);
select pg_temp.let_go('commit');
select is((select result from extensions.dblink_get_result('other') as r (result text)), '1',
  'a lead that an order is getting is waited for');
select * from extensions.dblink_get_result('other') as r (result text);
select is(
  (select (o.filled, o.status) from public.recruiting_orders o where o.id = md5('paused')::uuid), (1, 'paused'::text),
  'it is the order''s last one');
select pg_temp.commit_of('paused', $sql$update public.recruiting_orders set status = 'open' where id = {id}$sql$);
select pg_temp.hold($$select public.set_agency_orders(md5('paused')::uuid, 'paused', array[md5('paused')::uuid])$$);
select is(
  (select result::jsonb ->> 'distribution' from extensions.dblink(pg_temp.dsn(),
    pg_temp.ingest_query(pg_temp.key_of('paused'), '{"first_name": "Bea", "vendor_metadata": {}}')) as r (result text)),
  'pending', 'a lead that comes while the orders are being paused does not wait for them');
select pg_temp.let_go('commit');
select pg_temp.commit('do $do$ begin perform private.try_distribute_pending(); end $do$');
select is(
  (select l.distribution from public.recruiting_leads l where l.vendor_id = md5('paused')::uuid and l.first_name = 'Bea'),
  'unmatched', 'and goes to no order that is paused then');
select pg_temp.commit_of('paused', $sql$update public.recruiting_orders set status = 'open' where id = {id}$sql$);
select is(
  (select count(*)::integer from pg_temp.race(5, replace($work$
    do $do$
    begin
      for n in 1..20 loop
        if {worker} > 1 then
          perform public.ingest_recruiting_leads(jsonb_build_array(jsonb_build_object('key_hash', '{key}', 'lead',
            jsonb_build_object('id', md5('pause {worker} ' || n)::uuid, 'first_name', 'Cy', 'vendor_metadata', '{}'::jsonb))));
          commit;
        elsif n = 10 then
          perform public.set_agency_orders(md5('paused')::uuid, 'paused', array[md5('paused')::uuid]);
          commit;
          -- Its leads when the command had answered.
          update public.recruiting_orders o set priority = o.filled where o.id = md5('paused')::uuid;
          commit;
        else
          perform pg_sleep(0.002);
        end if;
      end loop;
    end
    $do$
  $work$, '{key}', pg_temp.key_of('paused')))),
  5, 'nobody waits in a circle');
select is(
  (select count(*)::integer from public.recruiting_leads l where l.vendor_id = md5('paused')::uuid and l.first_name = 'Cy'),
  80, 'each lead is stored');
select is(
  (select (o.filled, o.status, (select count(*)::integer from public.recruiting_leads l where l.order_id = o.id))
    from public.recruiting_orders o where o.id = md5('paused')::uuid),
  (select (o.priority, 'paused'::text, o.priority) from public.recruiting_orders o where o.id = md5('paused')::uuid),
  'once the command has answered, no lead goes to a paused order');

select pg_temp.commit($$delete from public.operator_actions where subject ->> 'agency_id' = md5('paused')::uuid::text$$);
select extensions.dblink_disconnect('other');
select pg_temp.remove_committed('paused');
select * from finish();
rollback;
