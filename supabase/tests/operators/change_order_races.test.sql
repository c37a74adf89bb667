-- Managers and operators change one order at once, while leads come, over several connections. What they commit is deleted at
-- the end.
begin;
create extension if not exists dblink with schema extensions;
select plan(17);
\ir ../helpers.psql

select pg_temp.create_committed('race', 'race mia', 'race olga', 'race otis');
select pg_temp.commit_of('race', $sql$
  update public.agents set role = 'manager' where first_name = 'race mia';
  insert into public.operators (user_id) values (md5('user race olga')::uuid), (md5('user race otis')::uuid);
  insert into public.recruiting_orders (id, agency_id, vendor_id, quantity, priority) values ({id}, {id}, {id}, 10, 2000);
$sql$);

-- A command as this person.
create function pg_temp.signed_in(name text, command text) returns text language sql as $$
  select format('select (%s)::text from (select set_config(''request.jwt.claims'', json_build_object(''sub'', '
    'md5(''user race '' || (%s))::uuid)::text, false)) signed_in', command, name)
$$;
-- What was noted of the order's status.
create function pg_temp.noted() returns setof text language sql as $$
  select case a.action when 'order pause' then 'paused' when 'order close' then 'closed' end
  from public.operator_actions a
  where a.user_id in (md5('user race olga')::uuid, md5('user race otis')::uuid) and a.action in ('order pause', 'order open', 'order close')
  union all
  select c.after ->> 'status' from public.order_changes c where c.agency_id = md5('race')::uuid and c.after ? 'status'
$$;
create view pg_temp.raced as
select o.status, o.filled, o.quantity, (select count(*)::integer from public.recruiting_leads l where l.order_id = o.id) as leads
from public.recruiting_orders o
where o.id = md5('race')::uuid;

-- Four send 15 leads each, while two operators set one quantity after the other.
create temp table finished as select * from pg_temp.race(6, replace($work$
  do $do$
  declare
    changes jsonb;
  begin
    for n in 1..15 loop
      if {worker} > 4 then
        changes := jsonb_build_object('quantity', 5 + (n * {worker}) % 40);
        begin
          perform public.change_order(o.id, changes, to_jsonb(o)) from public.recruiting_orders o where o.id = md5('race')::uuid;
        exception when sqlstate 'PT409' or sqlstate '22023' then
          perform pg_sleep(0.002);
        end;
      else
        perform public.ingest_recruiting_leads(jsonb_build_array(jsonb_build_object('key_hash', '{key}', 'lead',
          jsonb_build_object('id', md5('race {worker} ' || n)::uuid, 'first_name', 'Ada', 'vendor_metadata', '{}'::jsonb))));
      end if;
      commit;
    end loop;
  end
  $do$
$work$, '{key}', pg_temp.key_of('race')));
select is((select count(*)::integer from finished), 6, 'leads that come and operators who change its quantity end');
select is(filled, leads, 'the order counts the leads that it has') from pg_temp.raced;
select ok(filled <= quantity, 'and no order gets more than its quantity') from pg_temp.raced;
select is(status, case when filled = quantity then 'filled' else 'open' end, 'it is filled when it has all of them, and else open')
from pg_temp.raced;

-- Two operators and a manager have read that the order is open. One closes it, and the others pause it.
select pg_temp.commit_of('race', $$update public.recruiting_orders set quantity = 1000, status = 'open' where id = {id}$$);
create temp table changed as select * from pg_temp.race(6, pg_temp.signed_in(
  $$(array['olga', 'otis', 'mia'])[1 + {worker} % 3]$$, $$
  (public.change_order(md5('race')::uuid, case {worker} % 3 when 0 then '{"status": "closed"}' else '{"status": "paused"}' end::jsonb,
    '{"status": "open"}')).status$$), 'left out') as status;
select is((select array_agg(distinct c.status) from changed c), array[(select r.status from pg_temp.raced r)],
  'of several who change the status one does, and nobody gets another status');
select is((select array_agg(n) from pg_temp.noted() n), array[(select r.status from pg_temp.raced r)], 'it is noted once');

-- The last lead comes while an operator pauses the order.
select pg_temp.commit_of('race', $$update public.recruiting_orders set quantity = filled + 1, daily_cap = null, status = 'open' where id = {id}$$);
select pg_temp.hold(pg_temp.ingest_query(pg_temp.key_of('race'), jsonb_build_object(
  'id', md5('race last')::uuid, 'first_name', 'Ada', 'vendor_metadata', '{}'::jsonb)));
select extensions.dblink_connect('pausing', pg_temp.dsn());
select pg_temp.send_and_wait('pausing', $$
  select public.change_order(md5('race')::uuid, '{"status": "paused"}', '{"status": "open"}')::text$$);
select pg_temp.let_go('commit');
select is(pg_temp.answer_of('pausing'), 'PT409 status: somebody has changed it meanwhile', 'who pauses an order while it gets its last lead is told');
select extensions.dblink_disconnect('pausing');
select is(status || ' ' || (quantity - filled), 'filled 0', 'and it stays filled') from pg_temp.raced;

-- Leads come while an order is paused.
create function pg_temp.pause() returns text language sql as $$
  select $q$select (public.change_order(md5('race')::uuid, '{"status": "paused"}')).status$q$
$$;
select pg_temp.commit_of('race', $$update public.recruiting_orders set quantity = 1000, status = 'open' where id = {id}$$);
select extensions.dblink_connect('other', pg_temp.dsn());
select pg_temp.hold(pg_temp.ingest_query(pg_temp.key_of('race'), '{"first_name": "Ada", "vendor_metadata": {}}'));
select pg_temp.send_and_wait('other', pg_temp.pause());
select pg_temp.let_go('commit');
select is(pg_temp.answer_of('other'), 'paused',
  'a lead that an order is getting is waited for');
select is(status || ' ' || filled, 'paused ' || leads, 'it is the order''s last one') from pg_temp.raced;
select pg_temp.commit_of('race', $sql$update public.recruiting_orders set status = 'open' where id = {id}$sql$);
select pg_temp.hold(pg_temp.pause());
select is(
  (select result::jsonb ->> 'distribution' from extensions.dblink(pg_temp.connected(),
    pg_temp.ingest_query(pg_temp.key_of('race'), '{"first_name": "Bea", "vendor_metadata": {}}')) as r (result text)),
  'pending', 'a lead that comes while the order is being paused does not wait for it');
select pg_temp.let_go('commit');
select pg_temp.commit('do $do$ begin perform private.try_distribute_pending(); end $do$');
select is(
  (select l.distribution from public.recruiting_leads l where l.vendor_id = md5('race')::uuid and l.first_name = 'Bea'),
  'unmatched', 'and goes to no order that is paused then');
select pg_temp.commit_of('race', $sql$update public.recruiting_orders set status = 'open' where id = {id}$sql$);
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
          perform public.change_order(md5('race')::uuid, '{"status": "paused"}');
          commit;
          -- Its leads when the command had answered.
          update public.recruiting_orders o set priority = o.filled where o.id = md5('race')::uuid;
          commit;
        else
          perform pg_sleep(0.002);
        end if;
      end loop;
    end
    $do$
  $work$, '{key}', pg_temp.key_of('race')))),
  5, 'nobody waits in a circle');
select is(
  (select count(*)::integer from public.recruiting_leads l where l.vendor_id = md5('race')::uuid and l.first_name = 'Cy'),
  80, 'each lead is stored');
select is(
  row(r.filled, r.leads, r.status), row(o.priority, o.priority, 'paused'::text), 'once the command has answered, no lead goes to a paused order')
from pg_temp.raced r, public.recruiting_orders o
where o.id = md5('race')::uuid;

select extensions.dblink_disconnect('other');
select pg_temp.hold($$select 1 from public.recruiting_orders where id = md5('race')::uuid for update$$);
select throws_ok(
  format('select * from extensions.dblink(pg_temp.connected(), %L) as r (status text)', pg_temp.pause()),
  'PT409', 'Others have locked the order. Try again in a moment.', 'one that others have locked is waited for, and then left');
select pg_temp.let_go();

select pg_temp.commit($$delete from public.operator_actions where user_id in (md5('user race olga')::uuid, md5('user race otis')::uuid)$$);
select pg_temp.remove_committed('race');
select is((select count(*)::integer from public.order_changes), 0, 'what was kept goes with the order');
select * from finish();
rollback;
