-- Operators change one order while leads come, while others change it, and while a manager does, over several
-- connections. What they commit is deleted at the end.
begin;
create extension if not exists dblink with schema extensions;
select plan(12);
\ir ../helpers.psql

select pg_temp.create_committed('race', 'race mia', 'race olga', 'race otis');
select pg_temp.commit_of('race', $sql$
  update public.agents set role = 'manager' where first_name = 'race mia';
  insert into public.operators (user_id) values (md5('user race olga')::uuid), (md5('user race otis')::uuid);
  insert into public.recruiting_orders (id, agency_id, vendor_id, quantity, priority) values ({id}, {id}, {id}, 10, 2000);
  insert into public.service_numbers (phone, agency_id, status) values ('+19995550600', {id}, 'paused');
$sql$);

-- A command as this person.
create function pg_temp.signed_in(name text, command text) returns text language sql as $$
  select format('select (%s)::text from (select set_config(''request.jwt.claims'', json_build_object(''sub'', '
    'md5(''user race '' || (%s))::uuid)::text, false)) signed_in', command, name)
$$;
-- What was noted of the changes of the order and the number.
create function pg_temp.noted() returns setof text language sql as $$
  select case a.action when 'order pause' then 'order paused' when 'order close' then 'order closed' else a.action end
  from public.operator_actions a
  where a.user_id in (md5('user race olga')::uuid, md5('user race otis')::uuid) and a.action in ('order pause', 'order open', 'order close', 'number resume')
  union all
  select 'change_order ' || (c.after ->> 'status') from public.order_changes c where c.agency_id = md5('race')::uuid
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
          perform public.resize_order(md5('race')::uuid, changes, to_jsonb(o)) from public.recruiting_orders o where o.id = md5('race')::uuid;
        exception when sqlstate 'PT409' or sqlstate 'PT400' then
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
select is((select count(*)::integer from finished), 6, 'leads that come and operators who resize their order end');
select is(filled, leads, 'the order counts the leads that it has') from pg_temp.raced;
select ok(filled <= quantity, 'which are no more than it is to get') from pg_temp.raced;
select is(status, case when filled = quantity then 'filled' else 'open' end, 'it is filled when it has all of them, and else open')
from pg_temp.raced;

-- Two operators and a manager have read that the order is open. One closes it, and the others pause it.
select pg_temp.commit_of('race', $$update public.recruiting_orders set quantity = 1000, status = 'open' where id = {id}$$);
create temp table changed as select * from pg_temp.race(6, pg_temp.signed_in(
  $$(array['olga', 'otis', 'mia'])[1 + {worker} % 3]$$, $$
  case {worker} % 3
    when 0 then (public.set_order_status(md5('race')::uuid, 'closed', 'open')).status
    when 1 then (public.set_order_status(md5('race')::uuid, 'paused', 'open')).status
    else public.change_order(md5('race')::uuid, '{"status": "paused"}', '{"status": "open"}') ->> 'status'
  end$$), 'left out') as status;
select is((select array_agg(distinct c.status) from changed c), array[(select r.status from pg_temp.raced r)],
  'of several who change the status one does, and nobody is told of another status');
select is((select array_agg(split_part(n, ' ', 2)) from pg_temp.noted() n), array[(select r.status from pg_temp.raced r)],
  'it is noted once');

-- The last lead comes while an operator pauses the order.
select pg_temp.commit_of('race', $$update public.recruiting_orders set quantity = filled + 1, status = 'open' where id = {id}$$);
select pg_temp.hold(pg_temp.ingest_query(pg_temp.key_of('race'), jsonb_build_object(
  'id', md5('race last')::uuid, 'first_name', 'Ada', 'vendor_metadata', '{}'::jsonb)));
select extensions.dblink_connect('pausing', pg_temp.dsn());
select pg_temp.send_and_wait('pausing', $$select public.set_order_status(md5('race')::uuid, 'paused', 'open')::text$$);
select pg_temp.let_go('commit');
select throws_ok(
  $$select * from extensions.dblink_get_result('pausing') as r (ignored text)$$, 'PT409',
  'seen: the order is filled now. Look again', 'who pauses an order while it gets its last lead is told');
select extensions.dblink_disconnect('pausing');
select is(status || ' ' || (quantity - filled), 'filled 0', 'and it stays filled') from pg_temp.raced;

select results_eq(
  format('select * from pg_temp.race(4, %L)', pg_temp.signed_in(
    $$case {worker} % 2 when 0 then 'olga' else 'otis' end$$, $$(public.resume_number('+19995550600')).status$$)),
  $$select 'active' from generate_series(1, 4)$$, 'four times an operator resumes a number: it is active');
select is((select count(*) from pg_temp.noted() n where n = 'number resume'), 1::bigint, 'which is noted once');
select pg_temp.commit($$update public.service_numbers set status = 'paused' where phone = '+19995550600'$$);
select pg_temp.hold($$select 1 from public.service_numbers where phone = '+19995550600' for update$$);
select throws_ok(
  $$select * from extensions.dblink(pg_temp.dsn(), 'select public.resume_number(''+19995550600'')::text') as r (number text)$$,
  'PT409', 'Others have locked the number. Try again in a moment.', 'one that others have locked is waited for, and then left');
select pg_temp.let_go();
select is((select n.status from public.service_numbers n where n.phone = '+19995550600'), 'paused', 'and stays paused');

select pg_temp.commit($$delete from public.operator_actions where user_id in (md5('user race olga')::uuid, md5('user race otis')::uuid)$$);
select pg_temp.remove_committed('race');
select * from finish();
rollback;
