-- Distribution of many leads at once, over several connections. What they commit is deleted at the end.
begin;
create extension if not exists dblink with schema extensions;
select plan(18);
\ir ../helpers.psql

-- Runs the command on several connections at once, then distributes what is pending, as each request does for its own
-- leads.
create function pg_temp.race_for_orders(workers integer, command text) returns void language plpgsql as $$
begin
  perform pg_temp.race(workers, command);
  -- On a busy machine one call may not have the time for all of them.
  for attempt in 1..50 loop
    exit when not exists (select from public.recruiting_leads l where l.distribution = 'pending');
    perform from extensions.dblink(pg_temp.connected(), $ask$
      select public.distribute_pending_leads(array(select l.id from public.recruiting_leads l where l.distribution = 'pending'))
    $ask$) as result (leads jsonb);
  end loop;
end
$$;

-- The agency `overflow` takes every lead that no order under test takes, so that the seed's order gets none.
select pg_temp.create_committed('race', 'race 1', 'race 2', 'race 3'), pg_temp.create_committed('overflow');
select pg_temp.commit($sql$
  insert into public.recruiting_orders (agency_id, vendor_id, quantity, priority)
  values (md5('overflow')::uuid, md5('race')::uuid, 1000000, 1000)
$sql$);

create function pg_temp.make_orders(orders text) returns void language sql as $$
  select pg_temp.commit(format($new$
    delete from public.recruiting_leads where vendor_id = md5('race')::uuid;
    delete from public.recruiting_orders where agency_id = md5('race')::uuid;
    insert into public.recruiting_orders (id, agency_id, vendor_id, quantity, filled, daily_cap, priority)
    select md5('race ' || name)::uuid, md5('race')::uuid, md5('race')::uuid, quantity, filled, daily_cap, 1001
    from (values %s) o (name, quantity, filled, daily_cap);
  $new$, orders))
$$;
-- Connections send leads with vendor_lead_ids that SQL makes of n and {worker}. Each lead is a transaction.
create function pg_temp.send(connections integer, leads integer, vendor_lead_id text) returns void language sql as $$
  select pg_temp.race_for_orders(connections, format($work$
    do $do$
    begin
      for n in 1..%s loop
        perform public.ingest_recruiting_leads(jsonb_build_array(jsonb_build_object(
          'key_hash', encode(sha256('race'), 'hex'),
          'lead', jsonb_build_object('id', gen_random_uuid(), 'first_name', 'Ada', 'vendor_lead_id', %s))));
        commit;
      end loop;
    end
    $do$
  $work$, leads, vendor_lead_id))
$$;
create function pg_temp.send_100_leads(orders text) returns void language sql as $$
  select pg_temp.make_orders(orders);
  select pg_temp.send(5, 20, $id$'{worker}-' || n$id$)
$$;
create view pg_temp.own_leads as select * from public.recruiting_leads where vendor_id = md5('race')::uuid;
create view pg_temp.sent as
select o.id, o.filled, o.status, count(l.id)::integer as leads
from public.recruiting_orders o
left join own_leads l on l.order_id = o.id
where o.agency_id = md5('race')::uuid
group by o.id;

select pg_temp.send_100_leads($$('ten left', 100, 90, null::integer)$$);
select results_eq(
  'select filled, leads, status from sent', $$values (100, 10, 'filled')$$,
  'of 100 leads at once, an order with 10 left gets exactly 10');
select is((select count(*)::integer from own_leads), 100, 'all 100 leads are stored');
select is((select count(*)::integer from own_leads where agency_id = md5('overflow')::uuid), 90, 'the other 90 leads go to the next order');

select pg_temp.send_100_leads($$('a', 50, 0, null::integer), ('b', 50, 0, null)$$);
select results_eq(
  'select filled, leads, status from sent', $$values (50, 50, 'filled'), (50, 50, 'filled')$$,
  'two orders of 50 get all of 100 leads');
select set_eq(
  $$select count(*)::integer from own_leads where agency_id = md5('race')::uuid group by agent_id$$, array[33, 34],
  'three agents take turns: none has more than one lead more than another');

select pg_temp.send_100_leads($$('capped', 1000, 0, 7)$$);
select results_eq('select filled, leads, status from sent', $$values (7, 7, 'open')$$, 'a daily cap of 7 lets exactly 7 through');

-- Four leads choose an order while an administrator's change is not committed yet.
create function pg_temp.send_4_leads_during(change text) returns void language plpgsql as $$
begin
  perform pg_temp.make_orders($orders$('meanwhile', 1000, 0, null::integer)$orders$);
  perform pg_temp.send(1, 1, $id$'first'$id$);
  perform pg_temp.hold(change, 'administrator');
  perform extensions.dblink_send_query('administrator', 'select pg_sleep(0.2); commit');
  perform pg_temp.send(4, 1, $id$'late {worker}'$id$);
  perform extensions.dblink_disconnect('administrator');
end
$$;

select pg_temp.send_4_leads_during($$update public.agents set is_active = false where agency_id = md5('race')::uuid
  and id <> md5('race 2')::uuid$$);
select results_eq(
  $$select agent_id, count(*) from own_leads where vendor_lead_id like 'late %' group by agent_id$$,
  $$values (md5('race 2')::uuid, 4::bigint)$$,
  'leads whose agent is deactivated at that moment go to an active agent');

create function pg_temp.takes_no_more(change text, order_kind text) returns text language plpgsql as $$
begin
  perform pg_temp.send_4_leads_during(
    format('update public.recruiting_orders set %s where agency_id = %L', change, md5('race')::uuid));
  return results_eq(
    'select filled, leads from sent', 'values (1, 1)', format('leads do not go to an order %s at that moment', order_kind));
end
$$;
select pg_temp.takes_no_more($$states = '{AK}'$$, 'that is limited to other states');
select pg_temp.takes_no_more('daily_cap = 1', 'whose daily cap is set');
select pg_temp.takes_no_more($$status = 'closed'$$, 'that is closed');
select is(
  (select count(*)::integer from own_leads where vendor_lead_id like 'late %' and agency_id = md5('overflow')::uuid), 4,
  'they go to the next order');

-- One lead sent many times at once.
select pg_temp.send(5, 10, $id$'same ' || n$id$);
select results_eq(
  $$select count(*), count(distinct vendor_lead_id), count(distributed_at) from own_leads where vendor_lead_id like 'same %'$$,
  'values (10::bigint, 10::bigint, 10::bigint)',
  'ten leads, each sent five times at once, are stored and distributed once each');
-- 90, 93, 4 and 4 leads went to it in earlier rounds; those leads are deleted by now.
select is(
  (select filled from public.recruiting_orders where agency_id = md5('overflow')::uuid),
  (select count(*)::integer from public.recruiting_leads where agency_id = md5('overflow')::uuid) + 90 + 93 + 4 + 4,
  'the order counts each of them once');

-- Orders that an administrator edits all the time, while leads are sent and deleted. Each edit is a transaction.
select extensions.dblink_connect('administrator', pg_temp.dsn());
create function pg_temp.send_100_leads_during_edits() returns void language plpgsql as $$
begin
  perform pg_temp.make_orders($orders$
    ('capped', 1000, 0, 10), ('small', 30, 0, null), ('changing', 1000, 0, null), ('deleted', 1000, 0, null),
    ('given', 1000, 999, null)
  $orders$);
  perform extensions.dblink_send_query('administrator', $edits$
    do $do$
    begin
      for n in 1..30 loop
        update public.recruiting_orders set daily_cap = 10 + 10 * (n % 2) where id = md5('race capped')::uuid;
        commit;
        update public.recruiting_orders set quantity = 25 + 5 * (n % 2) where id = md5('race small')::uuid and filled <= 25;
        commit;
        update public.recruiting_orders set status = case n % 3 when 0 then 'paused' else 'open' end, priority = 1000 + n % 4
        where id = md5('race changing')::uuid;
        commit;
        update public.agencies set timezone = case n % 2 when 0 then 'UTC' else 'Asia/Tokyo' end
        where id = md5('race')::uuid;
        commit;
        delete from public.recruiting_leads
        where id in (select l.id from public.recruiting_leads l where l.order_id = md5('race deleted')::uuid limit 2);
        commit;
        update public.recruiting_leads set order_id = md5('race given')::uuid
        where id in (select l.id from public.recruiting_leads l where l.order_id = md5('race deleted')::uuid limit 1);
        commit;
        perform pg_sleep(0.003);
      end loop;
    end
    $do$
  $edits$);
  perform pg_temp.send(5, 20, $id$'{worker}-' || n$id$);
  perform from extensions.dblink_get_result('administrator') as result (status text);
  perform extensions.dblink_disconnect('administrator');
end
$$;
select pg_temp.send_100_leads_during_edits();
select pg_temp.commit($$ update public.recruiting_orders set status = 'open' where id = md5('race changing')::uuid and filled < quantity$$);
-- Leads that could not be distributed while everything was locked
select from extensions.dblink(pg_temp.connected(), $$
  select public.distribute_waiting_leads(100, md5('race')::uuid)$$) as result (leads integer);

select is((select count(*)::integer from own_leads where agency_id is null), 0, 'while orders are edited every lead is distributed');
select is_empty(
  $$select * from sent where id <> md5('race deleted')::uuid and id <> md5('race given')::uuid and filled <> leads$$,
  'each is counted by the order that got it');
select ok(
  (select leads <= 20 from sent where id = md5('race capped')::uuid) and (select leads <= 30 from sent where id = md5('race small')::uuid),
  'no order passes a cap or a quantity that it ever had');
select is_empty($$select id from own_leads where distribution <> 'distributed'$$, 'and none of them waits');

select is_empty('select * from public.check_daily_counts()', 'after all this the kept counts of the days are right');

select pg_temp.remove_committed('race'), pg_temp.remove_committed('overflow');
select * from finish();
rollback;
