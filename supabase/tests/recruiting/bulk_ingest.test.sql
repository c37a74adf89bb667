-- Many recruiting leads in one call.
begin;
select plan(19);
\ir ../helpers.psql

select pg_temp.create_vendor('vendor', repeat('a', 64)), pg_temp.create_vendor('other');
insert into public.recruiting_leads (vendor_id, vendor_lead_id, first_name) values
  (md5('vendor')::uuid, 'stored', 'Ada'), (md5('other')::uuid, 'other''s', 'Ada');

create function pg_temp.ingest(leads jsonb) returns jsonb language sql as $$
  select public.ingest_recruiting_lead_batch(repeat('a', 64), leads)
$$;

select is(
  pg_temp.ingest('[
    {"row": 0, "first_name": "Ann", "vendor_lead_id": "1", "vendor_metadata": {"state": "tx"}},
    {"row": 1, "first_name": "Bob", "vendor_lead_id": "stored", "vendor_metadata": {}},
    {"row": 3, "first_name": "Cyd", "vendor_lead_id": "1", "vendor_metadata": {}},
    {"row": 4, "first_name": "Dan", "vendor_lead_id": null, "vendor_metadata": {}},
    {"row": 5, "first_name": "Dan", "vendor_lead_id": null},
    {"row": 6, "first_name": "Eve", "vendor_lead_id": "other''s", "vendor_metadata": null}
  ]'),
  '{"created": 4, "duplicates": 2, "errors": []}',
  'new leads are created; a lead that is stored, or comes earlier in the request, makes a duplicate');
select results_eq(
  $$select vendor_lead_id, first_name, vendor_metadata, state from public.recruiting_leads
    where vendor_id = md5('vendor')::uuid and vendor_lead_id <> 'stored' order by 1$$,
  $$values ('1', 'Ann', '{"state": "tx"}'::jsonb, 'TX'), ('other''s', 'Eve', '{}', null)$$,
  'of two rows with one vendor_lead_id the first is stored');
select is(
  (select count(*)::integer from public.recruiting_leads where vendor_id = md5('vendor')::uuid and distribution <> 'not_requested'),
  0, 'none is distributed, although the seed has an open order');
select is(
  public.ingest_recruiting_lead_batch(repeat('a', 64), '[]'),
  '{"created": 0, "duplicates": 0, "errors": []}',
  'an empty list is no error');

select is(
  pg_temp.ingest('[
    {"row": 1, "first_name": "Second", "vendor_lead_id": "twice"},
    {"row": 0, "first_name": "First", "vendor_lead_id": "twice"}
  ]'), '{"created": 1, "duplicates": 1, "errors": []}', 'rows may come in any order');
select is(first_name, 'First', 'the row with the lower number is stored, wherever it stands')
from public.recruiting_leads where vendor_lead_id = 'twice';
select is(
  pg_temp.ingest(jsonb_build_array(
    jsonb_build_object('row', 0, 'first_name', 'A', 'vendor_lead_id', repeat('x', 100000)),
    jsonb_build_object('row', 1, 'first_name', 'A', 'vendor_lead_id', repeat('x', 100000)),
    jsonb_build_object('row', 2, 'first_name', repeat('é', 100000), 'vendor_lead_id', 12345678901234567890))),
  '{"created": 2, "duplicates": 1, "errors": []}', 'very long values and numbers are stored');

-- Rows that only the database refuses
select is(
  pg_temp.ingest('[
    {"row": 0, "first_name": "Ann", "vendor_lead_id": "10"},
    {"row": 1, "first_name": " ", "vendor_lead_id": "11"},
    {"row": 2, "first_name": "Cyd", "vendor_lead_id": "10"},
    {"row": 3, "first_name": "Dan", "vendor_metadata": [1]},
    {"row": 4, "first_name": "Eve", "vendor_lead_id": "12"}
  ]'),
  jsonb_build_object('created', 2, 'duplicates', 1, 'errors', jsonb_build_array(
    jsonb_build_object('row', 1, 'reason', private.lead_problem('{}')),
    jsonb_build_object('row', 3, 'reason', private.lead_problem('{"first_name": "Dan", "vendor_metadata": [1]}')))),
  'a row that cannot be a lead is an error row, and the rest is stored');

create function pg_temp.refuse() returns trigger language plpgsql as $$
begin
  if new.first_name = 'Raise' then
    raise exception 'secret of the inside';
  elsif new.first_name = 'Divide' then
    new.first_name := 1 / 0;
  elsif new.first_name = 'Disk' then
    raise exception 'no space left' using errcode = 'disk_full';
  elsif new.first_name = 'Own' then
    raise exception 'not today' using errcode = 'LI001';
  elsif new.first_name like 'Broken %' then
    raise exception 'secret of the inside' using errcode = split_part(new.first_name, ' ', 2);
  end if;
  return new;
end
$$;
create trigger refuse before insert on public.recruiting_leads for each row execute function pg_temp.refuse();

select is(
  pg_temp.ingest('[{"row": 0, "first_name": "Raise"}, {"row": 1, "first_name": "Ann"}, {"row": 2, "first_name": "Divide"}]'),
  '{"created": 1, "duplicates": 0, "errors": [
    {"row": 0, "reason": "refused by the database (SQLSTATE P0001)"},
    {"row": 2, "reason": "refused by the database (SQLSTATE 22012)"}
  ]}',
  'a row that a trigger refuses is an error row, and the reason tells nothing of the error''s text');
select is(
  pg_temp.ingest('[{"row": 7, "first_name": "Raise"}]'),
  '{"created": 0, "duplicates": 0, "errors": [{"row": 7, "reason": "refused by the database (SQLSTATE P0001)"}]}',
  'an error has the row''s own number');
select is(
  pg_temp.ingest('[{"row": 0, "first_name": "Own"}, {"row": 1, "first_name": "Ann"}]'),
  '{"created": 1, "duplicates": 0, "errors": [{"row": 0, "reason": "refused by the database (SQLSTATE LI001)"}]}',
  'an exception with a code of its author''s own makes only its row an error');
select is(
  jsonb_array_length(pg_temp.ingest((
    select jsonb_agg(jsonb_build_object('row', n, 'first_name', 'Raise')) from generate_series(0, 29) n)) -> 'errors'),
  30, 'thirty rows are refused one by one');
select throws_ok(
  $$select pg_temp.ingest('[{"row": 0, "first_name": "Late", "vendor_lead_id": "30"}, {"row": 1, "first_name": "Disk"}]')$$,
  '53100', null, 'an error that is not about one row fails the whole batch');
select is_empty($$select from public.recruiting_leads where vendor_lead_id = '30'$$, 'of a batch that fails nothing is stored');
select is(
  pg_temp.ingest('[{"row": 0, "first_name": "Broken XX000"}, {"row": 1, "first_name": "Ann"}, {"row": 2, "first_name": "Broken 42703"}]'),
  '{"created": 1, "duplicates": 0, "errors": [
    {"row": 0, "reason": "refused by the database (SQLSTATE XX000)"},
    {"row": 2, "reason": "refused by the database (SQLSTATE 42703)"}
  ]}',
  'SPEC 4.2: a row for which a trigger breaks is an error row, and the rest is stored');
select throws_ok(
  $$select pg_temp.ingest('[{"row": 0, "first_name": "Broken XX000"}, {"row": 1, "first_name": "Raise"}]')$$, 'XX000', null,
  'where no row is stored, the whole batch fails');
create temp sequence inserts;
create function pg_temp.count_inserts() returns trigger language plpgsql as $$
begin
  perform nextval('inserts');
  return null;
end
$$;
create trigger count_inserts before insert on public.recruiting_leads for each statement execute function pg_temp.count_inserts();
select is(
  pg_temp.ingest((
    select jsonb_agg(jsonb_build_object(
      'row', n, 'first_name', case n when 222 then 'Broken XX000' else 'Ann' end, 'vendor_lead_id', 'twice ' || n % 270))
    from generate_series(0, 299) n)),
  '{"created": 269, "duplicates": 30, "errors": [{"row": 222, "reason": "refused by the database (SQLSTATE XX000)"}]}',
  'of 300 rows one is refused, and of two with one vendor_lead_id the first is stored');
select cmp_ok(nextval('inserts'), '<', 60::bigint, 'and it is found by few statements');
drop trigger count_inserts on public.recruiting_leads;

select is(
  pg_temp.ingest((
    select jsonb_agg(jsonb_build_object('row', n, 'first_name', 'Ann', 'vendor_lead_id', 'many ' || n))
    from generate_series(0, 1999) n)),
  '{"created": 2000, "duplicates": 0, "errors": []}', '2,000 leads are created in one call');

select * from finish();
rollback;
