-- A daily cap counts the leads of one day. A day begins at midnight in the agency's time zone.
begin;
select plan(25);
\ir ../helpers.psql

update public.recruiting_orders set status = 'paused';
select pg_temp.create_vendor('vendor', repeat('a', 64));
select pg_temp.create_agency('agency');
insert into public.recruiting_orders (id, agency_id, quantity, daily_cap) values (md5('order')::uuid, md5('agency')::uuid, 1000, 2);

create function pg_temp.ingest() returns jsonb language sql as $$
  select pg_temp.ingest_lead(
    repeat('a', 64), jsonb_build_object('id', gen_random_uuid(), 'first_name', 'Ada')) -> 'distributed_to'
$$;

-- Whether the order takes a lead at this moment, when two leads have come at another time.
create function pg_temp.takes(zone text, came timestamptz, moment timestamptz) returns boolean language plpgsql as $$
begin
  update public.agencies set timezone = zone where id = md5('agency')::uuid;
  delete from public.recruiting_leads where order_id = md5('order')::uuid;
  insert into public.recruiting_leads (vendor_id, first_name, agency_id, order_id, distributed_at)
  select md5('vendor')::uuid, 'Ada', md5('agency')::uuid, md5('order')::uuid, came from generate_series(1, 2);
  return (private.best_order(md5('vendor')::uuid, null, moment)).id is not null;
end
$$;

select isnt(pg_temp.ingest(), 'null', 'the first lead of the day goes to the order');
select isnt(pg_temp.ingest(), 'null', 'the second lead of the day goes to the order');
select is(pg_temp.ingest(), 'null', 'the third lead would pass the cap of two, so it does not');
select is(status, 'open', 'the order stays open for the next day') from public.recruiting_orders where id = md5('order')::uuid;
update public.recruiting_leads set distributed_at = distributed_at - interval '1 day'
where order_id = md5('order')::uuid;
select isnt(pg_temp.ingest(), 'null', 'leads of the day before do not count');
select isnt(pg_temp.ingest(), 'null', 'a second lead of the new day goes to the order');
insert into public.recruiting_orders (id, agency_id, quantity, priority) values (md5('next order')::uuid, md5('agency')::uuid, 1000, -1);
select isnt(pg_temp.ingest(), 'null', 'when the cap is reached, the next order gets the lead');
update public.recruiting_orders set status = 'closed' where id = md5('next order')::uuid;

select is(pg_temp.takes(zone, came, moment), expected, description)
from (values
  ('America/Los_Angeles', '2026-06-10 23:30-07'::timestamptz, '2026-06-11 00:30-07'::timestamptz, true,
    'after midnight in Los Angeles a new day begins, although in UTC the day is the same'),
  ('America/Los_Angeles', '2026-06-10 16:30-07', '2026-06-10 17:30-07', false, 'when a new day begins in UTC, none begins in Los Angeles'),
  ('Pacific/Auckland', '2026-06-10 23:30+12', '2026-06-11 00:30+12', true, 'in Auckland the day begins before the day in UTC'),
  ('America/New_York', '2026-03-08 00:30-05', '2026-03-08 23:30-04', false,
    'the day on which the clock goes forward is one day of 23 hours'),
  ('America/New_York', '2026-11-01 00:30-04', '2026-11-01 23:30-05', false, 'the day on which the clock goes back is one day of 25 hours'),
  ('America/New_York', '2026-11-01 23:30-05', '2026-11-02 00:30-05', true, 'the next day begins after the 25 hours'),

  -- In Havana the clock goes from 1:00 back to 0:00, so that this day has two midnights.
  ('America/Havana', '2026-10-31 23:50-04', '2026-11-01 00:10-04', true, 'a day begins at the first of two midnights'),
  ('America/Havana', '2026-11-01 00:10-04', '2026-11-01 00:50-04', false, 'leads count after the first of two midnights'),
  ('America/Havana', '2026-11-01 00:10-04', '2026-11-01 00:10-05', false, 'no day begins at the second of two midnights'),
  ('America/Havana', '2026-11-01 00:10-04', '2026-11-01 23:50-05', false, 'a day with two midnights has 25 hours'),
  ('America/Havana', '2026-11-01 23:50-05', '2026-11-02 00:10-05', true, 'the day after it begins at its midnight'),
  ('America/Havana', '2026-03-07 23:50-05', '2026-03-08 01:10-04', true, 'a day without a midnight begins at 1:00'),
  ('America/Havana', '2026-03-08 01:10-04', '2026-03-08 23:50-04', false, 'a day without a midnight has 23 hours'),
  ('Atlantic/Azores', '2026-10-25 00:10+00', '2026-10-25 00:50+00', false, 'the Azores have two midnights as well'),
  ('Atlantic/Azores', '2026-10-25 00:10+00', '2026-10-25 00:10-01', false, 'the second one there begins no day'),
  -- Until 2011 the clock in St. John's went from 0:01 back to 23:01.
  ('America/St_Johns', '2010-11-06 22:50-02:30', '2010-11-06 23:30-03:30', true,
    'a new day stays the new day when the clock goes back into the old one'),
  ('America/St_Johns', '2010-11-06 23:30-03:30', '2010-11-07 00:30-03:30', false,
    'no second day begins when the clock reaches midnight again')
) as days (zone, came, moment, expected, description);

-- Every hour of a year in time zones with unusual changes
select is_empty($$
  select zone, moment, day_start
  from (
    select zone, moment, s.day_start, lag(s.day_start) over (partition by zone order by moment) as earlier
    from unnest(array[
      'America/Havana', 'Atlantic/Azores', 'Asia/Beirut', 'Australia/Lord_Howe', 'Antarctica/Troll'
    ]) zone,
    generate_series('2026-01-01Z'::timestamptz, '2026-12-31Z', '1 hour') moment,
    private.day_start(moment, zone) s (day_start)
  ) hours
  where day_start > moment or day_start < earlier or moment - day_start >= '26 hours'$$,
  'a day has always begun, never ends before it began, and has at most 26 hours');

select * from finish();
rollback;
