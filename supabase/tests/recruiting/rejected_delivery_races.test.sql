-- Rejected deliveries and replays under many connections at once. What they commit is deleted at the end.
begin;
create extension if not exists dblink with schema extensions;
select plan(16);
\ir ../helpers.psql

select pg_temp.create_committed('race', 'ann', 'bob');
select pg_temp.commit($sql$
  insert into public.rejected_deliveries (id, request_id, route, vendor_id, code, reason, payload_bytes)
  select md5('race delivery ' || n)::uuid, 'race', '/recruiting/ingest', md5('race')::uuid, 'BAD_REQUEST', 'x', 1
  from generate_series(0, 20) n;
$sql$);

create view pg_temp.own_leads as select * from public.recruiting_leads where vendor_id = md5('race')::uuid;
create view pg_temp.own_deliveries as select * from public.rejected_deliveries where vendor_id = md5('race')::uuid;

-- One delivery, replayed by five operators at once
create temp table replays as select result::jsonb from pg_temp.race(5, $$
  select public.replay_delivery(md5('race delivery 0')::uuid, '{"first_name": "Ada", "vendor_lead_id": "race 0"}')
$$) result;
select results_eq(
  $$select result ->> 'status', count(*) from replays group by 1$$, $$values ('created', 5::bigint)$$,
  'five replays of one delivery at once return the same');
select is((select count(*)::integer from own_leads), 1, 'they store one lead');

-- Twenty deliveries, each replayed while the vendor sends the same lead again
create temp table resent as select pg_temp.race(2, $$
  do $do$
  begin
    for n in 1..20 loop
      if {worker} = 1 then
        perform public.replay_delivery(md5('race delivery ' || n)::uuid,
          jsonb_build_object('first_name', 'Ada', 'vendor_lead_id', 'race ' || n));
      else
        perform public.ingest_recruiting_leads(jsonb_build_array(jsonb_build_object(
          'key_hash', encode(sha256('race'), 'hex'), 'lead', jsonb_build_object(
          'id', md5('race lead ' || n)::uuid, 'first_name', 'Ada', 'vendor_lead_id', 'race ' || n))));
      end if;
      commit;
    end loop;
  end
  $do$
$$);
select is(
  (select count(*)::integer from own_leads where vendor_lead_id <> 'race 0'), 20,
  'a replay while the vendor sends the lead again makes one lead');
select is_empty(
  $$select from public.rejected_deliveries d where d.request_id = 'race' and not exists (
      select from public.recruiting_leads l
      where l.id = d.lead_id and d.status = 'replayed')$$,
  'each delivery points to the lead that is stored');

-- 21 leads wait; four operators distribute them while new ones come
select pg_temp.commit($sql$
  update public.recruiting_leads set distribution = 'unmatched', order_id = null, agency_id = null, agent_id = null
  where vendor_id = md5('race')::uuid;
  insert into public.recruiting_orders (id, agency_id, vendor_id, quantity, priority) values
    (md5('race')::uuid, md5('race')::uuid, md5('race')::uuid, 60, 1000);
$sql$);
create temp table handed_out as select result from pg_temp.race(6, $$
  select case when {worker} <= 4
    then public.distribute_waiting_leads(8, md5('race')::uuid)::text
    else public.ingest_recruiting_leads(jsonb_build_array(jsonb_build_object(
          'key_hash', encode(sha256('race'), 'hex'), 'lead', jsonb_build_object(
      'id', md5('race new {worker}')::uuid, 'first_name', 'Ada')))) -> 0 ->> 'status'
  end
$$) result;
select is(
  (select count(*)::integer from own_leads where distribution = 'distributed'),
  (select filled from public.recruiting_orders where id = md5('race')::uuid),
  'the order counts each lead that it was given');
select is((select count(*)::integer from handed_out where result = 'created'), 2, 'leads that come meanwhile are created');
select pg_temp.race(1, 'select public.distribute_waiting_leads(100, md5(''race'')::uuid)::text');
select is((select count(*)::integer from own_leads where distribution = 'distributed'), 23, 'every lead that waited is distributed');
select is((select filled from public.recruiting_orders where id = md5('race')::uuid), 23, 'each of them once');
select results_eq('select count(*)::integer from own_leads group by agent_id order by 1', array[11, 12], 'the agents take turns');

-- Rejected deliveries at their limit, with ten writers at once
select pg_temp.commit($sql$
  delete from public.rejected_deliveries where request_id = 'race';
  insert into public.rejected_deliveries (request_id, route, vendor_id, code, reason, payload_bytes, received_at)
  select 'race', '/', md5('race')::uuid, 'BAD_REQUEST', 'x', 1, timestamptz '2026-01-01' + n * interval '1 second'
  from generate_series(1, 9990) n;
  insert into private.open_delivery_counts values (md5('race')::uuid, 9990, 0);
$sql$);
create temp table writers as select result from pg_temp.race(10, $$
  select public.record_rejections((
    select json_agg(json_build_object('request_id', 'race new', 'route', '/', 'vendor_id', md5('race')::uuid,
      'code', 'BAD_REQUEST', 'reason', 'x', 'payload_bytes', 1))
    from generate_series(1, 5)))::text
$$) result;
select is((select count(*)::integer from writers where result = '5'), 10, 'ten writers at once all write');
select is((select count(*)::integer from own_deliveries where status = 'open'), 9535, 'together they keep at most 10,000: the oldest go once');
select is((select count(*)::integer from own_deliveries where request_id = 'race new'), 50, 'and what each of them has written');

select is(
  (select deliveries from private.open_delivery_counts where vendor_id = md5('race')::uuid), 9535, 'and each of them is counted');

-- A table of rejected deliveries that somebody has locked
create function pg_temp.record() returns integer language sql as $$
  select recorded from extensions.dblink(pg_temp.connected(), $sql$
    select public.record_rejections(json_build_array(json_build_object('request_id', 'race', 'route', '/', 'vendor_id',
      md5('race')::uuid, 'code', 'BAD_REQUEST', 'reason', 'x', 'payload_bytes', 1)))
  $sql$) as results (recorded integer)
$$;
select pg_temp.hold('lock table public.rejected_deliveries in share mode');
select throws_ok('select pg_temp.record()', '55P03', null, 'a locked table is given up');
select pg_temp.let_go();
select pg_temp.hold($$update public.rejected_deliveries set reason = 'y' where vendor_id = md5('race')::uuid$$);
select is(pg_temp.record(), 1, 'entries that an operator is working on do not stop a new one');
select pg_temp.let_go();
select is(pg_temp.record(), 1, 'afterwards rejected deliveries are recorded as before');

select pg_temp.remove_committed('race');
select * from finish();
rollback;
