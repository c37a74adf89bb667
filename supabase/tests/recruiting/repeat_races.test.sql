-- Leads of one person in the same moment, over several connections: exactly one of them is the earlier. What they commit is
-- deleted at the end.
begin;
create extension if not exists dblink with schema extensions;
select plan(9);
\ir ../helpers.psql

select pg_temp.create_committed('repeat', 'repeat 1', 'repeat 2', 'repeat 3');
create function pg_temp.make_rule(action text) returns void language sql as $$
  select pg_temp.commit(format($sql$
    delete from public.recruiting_leads where vendor_id = md5('repeat')::uuid;
    delete from public.recruiting_orders where agency_id = md5('repeat')::uuid;
    insert into public.recruiting_orders (id, agency_id, vendor_id, quantity, priority)
    values (md5('repeat')::uuid, md5('repeat')::uuid, md5('repeat')::uuid, 1000, 1000);
    delete from public.repeat_rules where vendor_id = md5('repeat')::uuid;
    insert into public.repeat_rules (vendor_id, match, within, action)
    values (md5('repeat')::uuid, '{phone,email}', '1 day', %L);
  $sql$, action))
$$;
-- Six connections send ten people each: as a call of several leads, each with its phone or with its email, in either
-- direction; and every third connection as a bulk.
create function pg_temp.send_people() returns void language plpgsql as $$
declare
  ignored text;
begin
  perform pg_temp.race(6, $race$
    select case when {worker} % 3 = 0
      then public.ingest_recruiting_lead_batch(encode(sha256('repeat'), 'hex'), jsonb_agg(lead || '{"row": 0}' order by n))
      else public.ingest_recruiting_leads(jsonb_agg(jsonb_build_object('key_hash', encode(sha256('repeat'), 'hex'), 'lead', lead) order by n))
    end
    from (
      select n * (-1) ^ {worker} as n, jsonb_build_object(
        'id', gen_random_uuid(), 'vendor_lead_id', '{worker} ' || n, 'first_name', 'Ada', 'vendor_metadata', jsonb_build_object(
          'phone', '+1312555' || to_char(2000 + n, 'FM0000'), 'email', n || '@example.com')) as lead
      from generate_series(1, 10) n
    ) people
  $race$, 'repeated');
  for attempt in 1..50 loop
    exit when not exists (select from public.recruiting_leads l where l.distribution = 'pending');
    perform from extensions.dblink(pg_temp.connected(), $ask$
      select public.distribute_pending_leads(array(select l.id from public.recruiting_leads l where l.distribution = 'pending'))
    $ask$) as result (leads jsonb);
  end loop;
end
$$;
create view pg_temp.own as select * from public.recruiting_leads where vendor_id = md5('repeat')::uuid;

select pg_temp.make_rule('hold'), pg_temp.send_people();
select is((select count(*)::integer from own), 60, 'all leads are stored');
select is(
  (select array_agg(distinct firsts) from (
    select count(*) filter (where distribution <> 'repeat') as firsts from own group by phone) p),
  array[1::bigint], 'of each person exactly one lead is not held');
select is(
  (select filled from public.recruiting_orders where id = md5('repeat')::uuid),
  (select count(*)::integer from own where order_id is not null), 'the order counts what it has');

select pg_temp.make_rule('duplicate'), pg_temp.send_people();
select is((select array_agg(distinct leads) from (select count(*) as leads from own group by phone) p), array[1::bigint],
  'of each person exactly one lead is stored');
select is((select count(*)::integer from own), 10, 'and of all people');

select pg_temp.make_rule('same_agent'), pg_temp.send_people();
select is(
  (select max(orders) from (select count(order_id) as orders from own group by phone) p), 1::bigint,
  'of each person at most one lead is charged to an order');
select is_empty(
  $$select phone from own where distribution = 'distributed' group by phone having count(distinct agent_id) <> 1$$,
  'all leads of a person that an agent has are one agent''s');
select is_empty($$select * from public.check_daily_counts() where order_id = md5('repeat')::uuid$$, 'the daily counts are right');

-- A call that ended without its lead lets the next one be first.
select pg_temp.make_rule('hold');
create function pg_temp.lead_query(phone text) returns text language sql as $$
  select pg_temp.ingest_query(pg_temp.key_of('repeat'), jsonb_build_object(
    'id', gen_random_uuid(), 'first_name', 'Ada', 'vendor_metadata', jsonb_build_object('phone', phone)))
$$;
select pg_temp.hold(pg_temp.lead_query('+13125553001'), 'first');
do $$
begin
  perform extensions.dblink_connect('second', pg_temp.dsn());
  perform pg_temp.send_and_wait('second', pg_temp.lead_query('+13125553001'));
  perform pg_temp.let_go('rollback', 'first');
end
$$;
create temp table second as select (pg_temp.answer_of('second')::jsonb ->> 'id')::uuid as lead_id;
-- Where the first call is slow to end, its distribution lock outlives it for a moment, and the lead is pending.
select ok(
  (select l.distribution in ('distributed', 'pending') from second s join public.recruiting_leads l on l.id = s.lead_id),
  'a lead waits for another of its person, and is the first if that one is not stored');
select extensions.dblink_disconnect('second');

select pg_temp.commit($$delete from public.repeat_rules where vendor_id = md5('repeat')::uuid$$);
select pg_temp.remove_committed('repeat');
select * from finish();
rollback;
