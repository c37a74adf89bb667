-- A daily cap counts the leads of a day that begins at midnight where the agency is.
begin;
select plan(13);

update public.recruiting_orders set status = 'paused';
insert into public.vendors (id, slug, name) values (md5('vendor')::uuid, 'test-vendor', 'Vendor');
insert into public.vendor_api_keys (vendor_id, key_hash, key_prefix) values
  (md5('vendor')::uuid, repeat('a', 64), 'test');
insert into public.agencies (id, name, timezone) values (md5('agency')::uuid, 'Agency', 'UTC');
insert into public.recruiting_orders (id, agency_id, quantity, daily_cap) values
  (md5('order')::uuid, md5('agency')::uuid, 1000, 2);

create function pg_temp.ingest() returns jsonb language sql as $$
  select public.ingest_recruiting_lead(
    repeat('a', 64), jsonb_build_object('id', gen_random_uuid(), 'first_name', 'Ada')) -> 'distributed_to'
$$;

-- Whether the order takes a lead at a moment when two came at another.
create function pg_temp.takes(zone text, came timestamptz, moment timestamptz) returns boolean language plpgsql as $$
begin
  update public.agencies set timezone = zone where id = md5('agency')::uuid;
  delete from public.recruiting_leads where order_id = md5('order')::uuid;
  insert into public.recruiting_leads (vendor_id, first_name, agency_id, order_id, distributed_at)
  select md5('vendor')::uuid, 'Ada', md5('agency')::uuid, md5('order')::uuid, came from generate_series(1, 2);
  return exists (select from private.match_recruiting_order(md5('vendor')::uuid, null, moment));
end
$$;

select isnt(pg_temp.ingest(), 'null', 'the first lead of the day goes to the order');
select isnt(pg_temp.ingest(), 'null', 'so does the second');
select is(pg_temp.ingest(), 'null', 'the third passes the cap of two and does not');
select is(status, 'open', 'the order stays open for tomorrow') from public.recruiting_orders where id = md5('order')::uuid;
update public.recruiting_leads set distributed_at = distributed_at - interval '1 day'
where order_id = md5('order')::uuid;
select isnt(pg_temp.ingest(), 'null', 'leads of the day before do not count');
select isnt(pg_temp.ingest(), 'null', 'and the cap is reached again');
insert into public.recruiting_orders (id, agency_id, quantity, priority) values
  (md5('next order')::uuid, md5('agency')::uuid, 1000, -1);
select isnt(pg_temp.ingest(), 'null', 'a capped order makes room for the next one');
update public.recruiting_orders set status = 'closed' where id = md5('next order')::uuid;

select is(pg_temp.takes(zone, came, moment), expected, description)
from (values
  ('America/Los_Angeles', '2026-06-10 23:30-07'::timestamptz, '2026-06-11 00:30-07'::timestamptz, true,
    'past midnight in Los Angeles is a new day, though it is the same one in UTC'),
  ('America/Los_Angeles', '2026-06-10 16:30-07', '2026-06-10 17:30-07', false,
    'a new day in UTC is none in Los Angeles'),
  ('Pacific/Auckland', '2026-06-10 23:30+12', '2026-06-11 00:30+12', true, 'Auckland''s day begins before UTC''s'),
  ('America/New_York', '2026-03-08 00:30-05', '2026-03-08 23:30-04', false,
    'the day the clock goes forward is one day, of 23 hours'),
  ('America/New_York', '2026-11-01 00:30-04', '2026-11-01 23:30-05', false,
    'the day the clock goes back is one day, of 25 hours'),
  ('America/New_York', '2026-11-01 23:30-05', '2026-11-02 00:30-05', true, 'and the next begins after it')
) as days (zone, came, moment, expected, description);

select * from finish();
rollback;
