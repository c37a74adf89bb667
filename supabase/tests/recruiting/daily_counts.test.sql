-- The leads of each order and day are counted, by whatever means the leads are written.
begin;
select plan(38);
\ir ../helpers.psql

update public.recruiting_orders set status = 'paused';
select pg_temp.create_vendor('vendor', repeat('a', 64));
select pg_temp.create_agency('agency', 'America/New_York');
insert into public.recruiting_orders (id, agency_id, quantity) values
  (md5('a')::uuid, md5('agency')::uuid, 1000), (md5('b')::uuid, md5('agency')::uuid, 1000);

create function pg_temp.lead(name text, order_name text, moment timestamptz) returns void language sql as $$
  insert into public.recruiting_leads (id, vendor_id, first_name, agency_id, order_id, distributed_at)
  values (md5(name)::uuid, md5('vendor')::uuid, name, md5('agency')::uuid, md5(order_name)::uuid, moment)
$$;
-- The counts of both orders: order, day in New York, leads.
create function pg_temp.counts() returns setof text language sql as $$
  select format('%s %s: %s', case d.order_id when md5('a')::uuid then 'a' else 'b' end,
    to_char(d.starts_at at time zone 'America/New_York', 'MM-DD HH24:MI'), d.leads)
  from private.recruiting_order_days d
  where d.order_id in (md5('a')::uuid, md5('b')::uuid)
  order by 1
$$;
-- The counts after a statement, and whether those of all orders are right.
create function pg_temp.counts_after(statement text, counts text[], description text) returns setof text
language plpgsql as $$
begin
  execute statement;
  return next results_eq('select * from pg_temp.counts()', counts, description);
  return next is_empty('select * from public.check_daily_counts()', description || ': kept and counted agree');
end
$$;

select pg_temp.counts_after(
  $$select pg_temp.lead('1', 'a', '2026-06-10 23:59:59.999999-04'), pg_temp.lead('2', 'a', '2026-06-11 00:00-04'),
    pg_temp.lead('3', 'b', '2026-06-11 12:00-04')$$,
  array['a 06-10 00:00: 1', 'a 06-11 00:00: 1', 'b 06-11 00:00: 1'], 'inserted leads count on the day of their agency');
select pg_temp.counts_after(
  $$insert into public.recruiting_leads (vendor_id, first_name, agency_id, order_id, distributed_at)
    select md5('vendor')::uuid, 'import', case when n <= 100 then md5('agency')::uuid end,
      case when n <= 100 then md5('a')::uuid end, timestamptz '2026-06-10 22:00-04' + n * interval '80 seconds'
    from generate_series(1, 110) n$$,
  array['a 06-10 00:00: 90', 'a 06-11 00:00: 12', 'b 06-11 00:00: 1'],
  'an import in one statement counts, without the leads that went to no order');
select pg_temp.counts_after(
  $$delete from public.recruiting_leads where first_name = 'import'$$,
  array['a 06-10 00:00: 1', 'a 06-11 00:00: 1', 'b 06-11 00:00: 1'], 'deleted leads count no more');
select pg_temp.counts_after(
  $$update public.recruiting_leads set order_id = md5('b')::uuid where id = md5('2')::uuid$$,
  array['a 06-10 00:00: 1', 'b 06-11 00:00: 2'], 'a lead that is moved to another order counts there');
select pg_temp.counts_after(
  $$update public.recruiting_leads
    set order_id = case order_id when md5('a')::uuid then md5('b')::uuid else md5('a')::uuid end
    where vendor_id = md5('vendor')::uuid$$,
  array['a 06-11 00:00: 2', 'b 06-10 00:00: 1'], 'so do leads that are exchanged in one statement');
select pg_temp.counts_after(
  $$update public.recruiting_leads set distributed_at = distributed_at - interval '1 day' where id = md5('2')::uuid$$,
  array['a 06-10 00:00: 1', 'a 06-11 00:00: 1', 'b 06-10 00:00: 1'], 'a lead whose time is corrected counts on that day');
select pg_temp.counts_after(
  $$update public.recruiting_leads set id = md5('new id')::uuid, order_id = md5('a')::uuid where id = md5('1')::uuid$$,
  array['a 06-10 00:00: 2', 'a 06-11 00:00: 1'], 'a lead that gets another id and order counts there');
select pg_temp.counts_after(
  $$update public.recruiting_leads set order_id = null where id = md5('2')::uuid$$,
  array['a 06-10 00:00: 1', 'a 06-11 00:00: 1'], 'a lead that is taken away from its order counts no more');
select pg_temp.counts_after(
  $$update public.recruiting_leads set first_name = 'corrected', resume_path = 'x'$$,
  array['a 06-10 00:00: 1', 'a 06-11 00:00: 1'], 'another correction changes no count');
select pg_temp.counts_after(
  $$insert into public.recruiting_leads (id, vendor_id, first_name, agency_id, order_id, distributed_at)
    values (md5('3')::uuid, md5('vendor')::uuid, 'upsert', md5('agency')::uuid, md5('b')::uuid, '2026-06-12 12:00-04')
    on conflict (id) do update set order_id = excluded.order_id, distributed_at = excluded.distributed_at$$,
  array['a 06-10 00:00: 1', 'b 06-12 00:00: 1'], 'an upsert counts');

-- Another time zone
select pg_temp.counts_after(
  $$update public.agencies set timezone = 'Asia/Tokyo' where id = md5('agency')::uuid$$,
  array['a 06-10 11:00: 1', 'b 06-12 11:00: 1'], 'when the agency''s time zone changes, its days are other days');
select is(private.room_under_cap(md5('a')::uuid, 5, '2026-06-11 10:59-04'), 4, 'a cap counts the new day to its end');
select is(private.room_under_cap(md5('a')::uuid, 5, '2026-06-11 11:00-04'), 5, 'and not longer');
select is(private.room_under_cap(md5('a')::uuid, null, '2026-06-11 10:59-04'), null, 'without a cap there is no limit');
update public.agencies set timezone = 'America/New_York' where id = md5('agency')::uuid;

-- Counts that are wrong
alter table public.recruiting_leads disable trigger user;
select pg_temp.lead('unseen', 'a', '2026-06-10 12:00-04'), pg_temp.lead('unseen 2', 'b', '2026-06-20 12:00-04');
delete from public.recruiting_leads where id = md5('3')::uuid;
alter table public.recruiting_leads enable trigger user;
select results_eq(
  $$select order_id = md5('a')::uuid, starts_at, kept, counted from public.check_daily_counts() order by 2$$,
  $$values (true, '2026-06-10 00:00-04'::timestamptz, 1, 2), (false, '2026-06-12 00:00-04', 1, 0), (false, '2026-06-20 00:00-04', 0, 1)$$,
  'the check finds what was written while triggers were off');
select pg_temp.counts_after(
  $$select private.recount_order_days(md5('agency')::uuid)$$,
  array['a 06-10 00:00: 2', 'b 06-20 00:00: 1'], 'counting anew mends it');
delete from private.recruiting_order_days;
select lives_ok($$delete from public.recruiting_leads where id = md5('unseen')::uuid$$, 'a lead that was not counted can be deleted');
select pg_temp.counts_after(
  'select private.recount_order_days()', array['a 06-10 00:00: 1', 'b 06-20 00:00: 1'], 'all agencies can be counted anew');

-- Distribution
update public.recruiting_orders set daily_cap = 2 where id = md5('a')::uuid;
update public.recruiting_orders set status = 'closed' where id = md5('b')::uuid;
select pg_temp.ingest_lead(
  repeat('a', 64), jsonb_build_object('id', md5('lead ' || n)::uuid, 'first_name', 'Ada')) from generate_series(1, 3) n;
select results_eq(
  $$select d.leads, d.ends_at > now() from private.recruiting_order_days d
    where d.order_id = md5('a')::uuid and d.starts_at = private.day_start(now(), 'America/New_York')$$,
  'values (2, true)', 'leads that are distributed count today');
delete from public.recruiting_leads where id = md5('lead 1')::uuid;
select isnt(
  pg_temp.ingest_lead(repeat('a', 64), jsonb_build_object('id', md5('lead 4')::uuid, 'first_name', 'Ada'))
    -> 'distributed_to', 'null', 'a lead that is deleted makes room under the cap');

delete from public.recruiting_leads where order_id = md5('b')::uuid;
select lives_ok(
  $$update public.recruiting_orders set agency_id = (
      select id from public.agencies where id <> md5('agency')::uuid order by id limit 1)
    where id = md5('b')::uuid$$,
  'an order without leads can go to another agency, because no day of the former agency is left');

savepoint before_truncate;
select pg_temp.counts_after('truncate public.recruiting_leads cascade', array[]::text[], 'truncate leaves no counts');
rollback to before_truncate;

-- The service role writes leads too.
set local role service_role;
select lives_ok($$
  with lead as (
    insert into public.recruiting_leads (vendor_id, first_name, agency_id, order_id, distributed_at)
    values (md5('vendor')::uuid, 'rest', md5('agency')::uuid, md5('a')::uuid, '2026-05-01')
    returning id
  )
  select from lead$$, 'the service role can write leads, which counts them');
select is_empty('select * from public.check_daily_counts()', 'and can check the counts');
reset role;

select * from finish();
rollback;
