-- Distribution with many leads at once, over connections of their own. What the connections commit is deleted at the end.
begin;
create extension if not exists dblink with schema extensions;
select plan(14);

create function pg_temp.dsn() returns text language sql as $$
  select format('host=%s port=%s dbname=%s user=%s password=postgres',
    host(inet_server_addr()), inet_server_port(), current_database(), session_user)
$$;

-- Runs the command on several connections at once and waits for all of them. {worker} is the number of the connection.
create function pg_temp.race(workers integer, command text) returns void language plpgsql as $$
begin
  for i in 1..workers loop
    perform extensions.dblink_connect('worker' || i, pg_temp.dsn());
  end loop;
  for i in 1..workers loop
    perform extensions.dblink_send_query('worker' || i, replace(command, '{worker}', i::text));
  end loop;
  for i in 1..workers loop
    perform from extensions.dblink_get_result('worker' || i) as result (status text);
    perform extensions.dblink_disconnect('worker' || i);
  end loop;
end
$$;

create function pg_temp.clean_up() returns void language plpgsql as $$
begin
  perform extensions.dblink_exec(pg_temp.dsn(), $sql$
    delete from public.recruiting_leads where vendor_id = md5('race')::uuid;
    delete from public.recruiting_orders where vendor_id = md5('race')::uuid;
    delete from public.agents where agency_id = md5('race')::uuid;
    delete from public.agencies where id in (md5('race')::uuid, md5('overflow')::uuid);
    delete from public.vendors where id = md5('race')::uuid;
  $sql$);
end
$$;
select pg_temp.clean_up();

-- The agency `overflow` takes what no order under test takes, so that nothing reaches an order of the seed.
create temp table setup as select extensions.dblink_exec(pg_temp.dsn(), $setup$
  insert into public.agencies (id, name, timezone) values
    (md5('race')::uuid, 'Race', 'UTC'), (md5('overflow')::uuid, 'Overflow', 'UTC');
  insert into public.agents (id, agency_id, first_name)
  select md5('race ' || n)::uuid, md5('race')::uuid, 'Agent ' || n from generate_series(1, 3) n;
  insert into public.vendors (id, slug, name) values (md5('race')::uuid, 'test-race', 'Race');
  insert into public.vendor_api_keys (vendor_id, key_hash, key_prefix)
  values (md5('race')::uuid, encode(sha256('race'), 'hex'), 'test');
  insert into public.recruiting_orders (agency_id, vendor_id, quantity, priority)
  values (md5('overflow')::uuid, md5('race')::uuid, 1000000, 1000);
$setup$);

-- Ten connections send ten leads each, every one in a transaction of its own.
create function pg_temp.send_100_leads(orders text) returns void language plpgsql as $$
begin
  perform extensions.dblink_exec(pg_temp.dsn(), format($new$
    delete from public.recruiting_leads where vendor_id = md5('race')::uuid;
    delete from public.recruiting_orders where agency_id = md5('race')::uuid;
    insert into public.recruiting_orders (id, agency_id, vendor_id, quantity, filled, daily_cap, priority)
    select md5('race ' || name)::uuid, md5('race')::uuid, md5('race')::uuid, quantity, filled, daily_cap, 1001
    from (values %s) o (name, quantity, filled, daily_cap);
  $new$, orders));
  perform pg_temp.race(10, $work$
    do $do$
    begin
      for n in 1..10 loop
        perform public.ingest_recruiting_lead(
          encode(sha256('race'), 'hex'),
          jsonb_build_object('id', gen_random_uuid(), 'first_name', 'Ada', 'vendor_lead_id', '{worker}-' || n));
        commit;
      end loop;
    end
    $do$
  $work$);
end
$$;
create view pg_temp.sent as
select o.id, o.filled, o.status, count(l.id)::integer as leads
from public.recruiting_orders o
left join public.recruiting_leads l on l.order_id = o.id
where o.agency_id = md5('race')::uuid
group by o.id;

select pg_temp.send_100_leads($$('ten left', 100, 90, null::integer)$$);
select results_eq(
  'select filled, leads, status from sent', $$values (100, 10, 'filled')$$,
  'of 100 leads at once, an order with 10 left gets exactly 10');
select is(
  (select count(*)::integer from public.recruiting_leads where vendor_id = md5('race')::uuid), 100,
  'and all 100 are stored');
select is(
  (select count(*)::integer from public.recruiting_leads
   where vendor_id = md5('race')::uuid and agency_id = md5('overflow')::uuid),
  90, 'the other 90 go to the next order');

select pg_temp.send_100_leads($$('a', 50, 0, null::integer), ('b', 50, 0, null)$$);
select results_eq(
  'select filled, leads, status from sent', $$values (50, 50, 'filled'), (50, 50, 'filled')$$,
  'two orders of 50 get all of 100 leads');
select pg_temp.send_100_leads($$('turns', 1000, 0, null::integer)$$);
select results_eq('select filled, leads from sent', 'values (100, 100)', 'an order with room gets all 100');
select set_eq(
  $$select count(*)::integer from public.recruiting_leads where agency_id = md5('race')::uuid group by agent_id$$,
  array[33, 34], 'three agents take turns: their leads are within one of each other');

select pg_temp.send_100_leads($$('capped', 1000, 0, 7)$$);
select results_eq(
  'select filled, leads, status from sent', $$values (7, 7, 'open')$$, 'a daily cap of 7 lets exactly 7 through');

-- An administrator whose change is not yet committed when four leads choose.
create function pg_temp.send_4_leads_during(change text) returns void language plpgsql as $$
begin
  perform pg_temp.send_100_leads($orders$('meanwhile', 1000, 0, null::integer)$orders$);
  perform extensions.dblink_connect('administrator', pg_temp.dsn());
  perform extensions.dblink_exec('administrator', 'begin');
  perform extensions.dblink_exec('administrator', change);
  perform extensions.dblink_send_query('administrator', 'select pg_sleep(0.2); commit');
  perform pg_temp.race(4, $work$
    select public.ingest_recruiting_lead(
      encode(sha256('race'), 'hex'),
      jsonb_build_object('id', gen_random_uuid(), 'first_name', 'Ada', 'vendor_lead_id', 'late {worker}'))::text
  $work$);
  perform extensions.dblink_disconnect('administrator');
end
$$;

select pg_temp.send_4_leads_during($$update public.agents set is_active = false where agency_id = md5('race')::uuid
  and id <> md5('race 2')::uuid$$);
select results_eq(
  $$select agent_id, count(*) from public.recruiting_leads
    where vendor_id = md5('race')::uuid and vendor_lead_id like 'late %' group by agent_id$$,
  $$values (md5('race 2')::uuid, 4::bigint)$$,
  'leads that chose an agent who was being deactivated go to one who is active');

select pg_temp.send_4_leads_during(
  $$update public.recruiting_orders set states = '{AK}' where agency_id = md5('race')::uuid$$);
select results_eq(
  'select filled, leads from sent', 'values (100, 100)',
  'leads that chose an order while it was being kept to other states do not get in');
select pg_temp.send_4_leads_during(
  $$update public.recruiting_orders set daily_cap = 100 where agency_id = md5('race')::uuid$$);
select results_eq(
  'select filled, leads from sent', 'values (100, 100)',
  'nor do those that chose one while its day was being capped');

select pg_temp.send_4_leads_during(
  $$update public.recruiting_orders set status = 'closed' where agency_id = md5('race')::uuid$$);
select results_eq(
  'select filled, leads from sent', 'values (100, 100)',
  'leads that chose an order while it was being closed do not get in');
select is(
  (select count(*)::integer from public.recruiting_leads
   where vendor_id = md5('race')::uuid and vendor_lead_id like 'late %' and agency_id = md5('overflow')::uuid),
  4, 'but choose again');

-- One lead sent many times at once.
select pg_temp.race(10, $$
  do $do$
  begin
    for n in 1..20 loop
      perform public.ingest_recruiting_lead(
        encode(sha256('race'), 'hex'),
        jsonb_build_object('id', gen_random_uuid(), 'first_name', 'Ada', 'vendor_lead_id', 'same ' || n));
      commit;
    end loop;
  end
  $do$
$$);
select results_eq(
  $$select count(*), count(distinct vendor_lead_id), count(distributed_at) from public.recruiting_leads
    where vendor_id = md5('race')::uuid and vendor_lead_id like 'same %'$$,
  'values (20::bigint, 20::bigint, 20::bigint)',
  'twenty leads sent ten times each at once are twenty leads, distributed once each');
-- 90, 93, 4 and 4 are what earlier rounds left over; those leads are deleted by now.
select is(
  (select filled from public.recruiting_orders where agency_id = md5('overflow')::uuid),
  (select count(*)::integer from public.recruiting_leads where agency_id = md5('overflow')::uuid) + 90 + 93 + 4 + 4,
  'and counted once each');

select pg_temp.clean_up();
select * from finish();
rollback;
