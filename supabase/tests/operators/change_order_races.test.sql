-- Managers who change one order at once, over several connections. What they commit is deleted at the end.
begin;
create extension if not exists dblink with schema extensions;
select plan(4);
\ir ../helpers.psql

select pg_temp.create_committed('race', 'race mia');
select pg_temp.commit($sql$
  update public.agents set role = 'manager' where first_name = 'race mia';
  insert into public.recruiting_orders (id, agency_id, quantity, daily_cap) values (md5('race order')::uuid, md5('race')::uuid, 100, 5);
$sql$);

-- Each has seen the cap of 5, and sets another.
create temp table changed as select result::jsonb as result from pg_temp.race(8, $$
  select public.change_order(md5('race order')::uuid, jsonb_build_object('daily_cap', 10 + {worker}), '{"daily_cap": 5}')
  from (select set_config('request.jwt.claims', json_build_object('sub', md5('user race mia')::uuid)::text, false)) signed_in
$$, 'left out') result;
select is((select count(*)::integer from changed), 1, 'of eight who have seen the same, one changes the order');
select is(
  (select o.daily_cap from public.recruiting_orders o where o.id = md5('race order')::uuid),
  (select (result ->> 'daily_cap')::integer from changed), 'as it said');
select is(
  (select array_agg((c.before ->> 'daily_cap') || ' ' || (c.after ->> 'daily_cap')) from public.order_changes c
   where c.order_id = md5('race order')::uuid),
  (select array['5 ' || (result ->> 'daily_cap')] from changed), 'and one change is kept');

select pg_temp.commit($$delete from public.recruiting_orders where id = md5('race order')::uuid$$);
select is((select count(*)::integer from public.order_changes), 0, 'which goes with the order');
select pg_temp.remove_committed('race');
select * from finish();
rollback;
