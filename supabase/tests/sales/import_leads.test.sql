-- A chunk of an import of sales leads.
begin;
select plan(28);
\ir ../helpers.psql

select pg_temp.create_agency('agency', 'UTC', 'agent', 'former'), pg_temp.create_agency('other', 'UTC', 'other agent');
update public.agents set is_active = false where id = md5('former')::uuid;

-- Leads by number, with changes to some of them: {number: {column: value}}.
create function pg_temp.leads(numbers integer[], changes jsonb default '{}') returns json language sql as $$
  select coalesce(json_agg(jsonb_build_object(
    'index', place - 1, 'external_id', md5('external ' || number)::uuid, 'first_name', 'Lead ' || number,
    'phone', '(312) 555-0100', 'state', 'IL', 'type', 'fe') || coalesce(changes -> number::text, '{}') order by place),
      '[]')
  from unnest(numbers) with ordinality as n (number, place)
$$;
-- The result with each id replaced by the lead's first name.
create function pg_temp.import(leads json, agency text default 'agency', agent text default 'agent') returns jsonb
language plpgsql as $$
declare
  result constant jsonb := public.import_leads(md5(agency)::uuid, md5(agent)::uuid, md5('batch')::uuid, leads);
begin
  return jsonb_build_object('failed', (
    select coalesce(jsonb_agg(e order by (e ->> 'index')::integer), '[]') from jsonb_array_elements(result -> 'failed') e
  )) || (
    select jsonb_object_agg(kind, (
      select coalesce(jsonb_agg(jsonb_build_array(e -> 'index', l.first_name) order by (e ->> 'index')::integer), '[]')
      from jsonb_array_elements(result -> kind) e
      left join public.leads l on l.id = (e ->> 'id')::uuid))
    from unnest(array['imported', 'duplicates']) kind);
end
$$;

select is(
  pg_temp.import(pg_temp.leads('{1,2,3}')),
  '{"imported": [[0, "Lead 1"], [1, "Lead 2"], [2, "Lead 3"]], "duplicates": [], "failed": []}',
  'new leads are imported, each with its id in the result');
select is(
  pg_temp.import(pg_temp.leads('{4,3,5,1}')),
  '{"imported": [[0, "Lead 4"], [2, "Lead 5"]], "duplicates": [[1, "Lead 3"], [3, "Lead 1"]], "failed": []}',
  'a lead that the agency has is a duplicate, with the id of the stored lead');
select is(
  pg_temp.import(pg_temp.leads('{6,6,1,6}', '{"6": {"last_name": "x"}}')),
  '{"imported": [[0, "Lead 6"]], "duplicates": [[1, "Lead 6"], [2, "Lead 1"], [3, "Lead 6"]], "failed": []}',
  'when an external_id comes several times in a chunk, the first is imported');
select is(
  pg_temp.import(pg_temp.leads('{1}'), 'other', 'other agent'),
  '{"imported": [[0, "Lead 1"]], "duplicates": [], "failed": []}',
  'another agency may have the same external_id');
select is(pg_temp.import('[]'), '{"imported": [], "duplicates": [], "failed": []}', 'an empty list is no error');

select is(
  public.import_leads(md5('agency')::uuid, md5('agent')::uuid, md5('batch')::uuid, json_build_array(json_build_object(
    'index', 7, 'external_id', md5('full')::uuid, 'first_name', 'Zoë', 'last_name', 'Ng', 'phone', 'ext. 5',
    'phone_e164', '+13125550100', 'email', 'not an address', 'address', '1 Main St', 'city', 'Chicago', 'state', 'illinois',
    'zip', '60601-1234', 'language', 'es', 'type', 'union', 'source', 'manual', 'status', 'won', 'stage', 'old')))
    #> '{imported,0,index}',
  '7', 'a lead may have every field, and fields that do not exist');
select results_eq(
  $$select agency_id, agent_id, distribution_id, first_name, last_name, phone, phone_e164::text, email, address, city, state,
      zip, language, type, source, status, stage from public.leads where external_id = md5('full')::uuid$$,
  $$values (md5('agency')::uuid, md5('agent')::uuid, md5('batch')::uuid, 'Zoë', 'Ng', 'ext. 5', '+13125550100',
      'not an address', '1 Main St', 'Chicago', 'illinois', '60601-1234', 'es', 'union', 'platform', 'open', 'new')$$,
  'its fields are stored as sent; source, status and stage are always platform, open and new');
select is(
  (select count(*)::integer from public.lead_metrics m join public.leads l on l.id = m.lead_id
   where l.agency_id in (md5('agency')::uuid, md5('other')::uuid)),
  8, 'every imported lead has its metrics');

-- The agency and the agent
select throws_ok(format('select pg_temp.import(%L, %L, %L)', leads, agency, agent), 'PT400', message, message || ' ' || leads)
from (values
  ('nobody', 'agent', 'agency_id: no such agency'),
  ('agency', 'nobody', 'agent_id: no such agent in this agency'),
  ('agency', 'other agent', 'agent_id: no such agent in this agency'),
  ('agency', 'former', 'agent_id: the agent is deactivated')
) as wrong (agency, agent, message),
unnest(array['[]', pg_temp.leads('{20}')::text]) leads;

-- Rows that only the database refuses
select is(
  pg_temp.import(pg_temp.leads('{30,31,1,32,31,33}', '{"31": {"type": "nope"}, "32": {"first_name": null}}')),
  '{"imported": [[0, "Lead 30"], [5, "Lead 33"]], "duplicates": [[2, "Lead 1"]], "failed": [
    {"index": 1, "reason": "refused by the database (SQLSTATE 23514)"},
    {"index": 3, "reason": "refused by the database (SQLSTATE 23502)"},
    {"index": 4, "reason": "refused by the database (SQLSTATE 23514)"}]}',
  'a lead that a constraint refuses fails, and the others are stored');

create function pg_temp.refuse() returns trigger language plpgsql as $$
begin
  if new.first_name = 'Lead 40' then
    raise exception 'secret of the inside';
  elsif new.first_name = 'Lead 42' then
    raise exception 'no space left' using errcode = 'disk_full';
  elsif new.first_name = 'Lead 45' then
    raise exception 'not today' using errcode = 'LI001';
  elsif new.first_name like 'Broken %' then
    raise exception 'secret of the inside' using errcode = split_part(new.first_name, ' ', 2);
  end if;
  return new;
end
$$;
create trigger refuse before insert on public.leads for each row execute function pg_temp.refuse();
select is(
  pg_temp.import(pg_temp.leads('{40,41}')),
  '{"imported": [[1, "Lead 41"]], "duplicates": [], "failed": [{"index": 0, "reason": "refused by the database (SQLSTATE P0001)"}]}',
  'a lead that a trigger refuses fails, and the reason tells nothing of the error''s text');
select is(
  pg_temp.import(pg_temp.leads('{45,46}')),
  '{"imported": [[1, "Lead 46"]], "duplicates": [], "failed": [{"index": 0, "reason": "refused by the database (SQLSTATE LI001)"}]}',
  'an exception with a code of its author''s own makes only its lead fail');
select throws_ok(
  $$select pg_temp.import(pg_temp.leads('{41,42,43}'))$$, '53100', null,
  'an error that is not about one lead fails the whole chunk');
select is((select count(*)::integer from public.leads where first_name = 'Lead 43'), 0, 'of a chunk that fails nothing is stored');
select is(
  pg_temp.import(pg_temp.leads('{50,51,52,53}', '{"50": {"first_name": "Broken XX000"}, "52": {"first_name": "Broken 42703"}}')),
  '{"imported": [[1, "Lead 51"], [3, "Lead 53"]], "duplicates": [], "failed": [
    {"index": 0, "reason": "refused by the database (SQLSTATE XX000)"},
    {"index": 2, "reason": "refused by the database (SQLSTATE 42703)"}]}',
  'SPEC 4.3: a lead for which a trigger breaks fails, and the others are stored');
select is(
  pg_temp.import(pg_temp.leads('{50,51}', '{"50": {"first_name": "Broken XX000"}}')),
  '{"imported": [], "duplicates": [[1, "Lead 51"]], "failed": [{"index": 0, "reason": "refused by the database (SQLSTATE XX000)"}]}',
  'a duplicate beside it is one');
select throws_ok(
  $$select pg_temp.import(pg_temp.leads('{50,40}', '{"50": {"first_name": "Broken XX000"}}'))$$, 'XX000', null,
  'where no lead is stored, the whole chunk fails');
create temp sequence inserts;
create function pg_temp.count_inserts() returns trigger language plpgsql as $$
begin
  perform nextval('inserts');
  return null;
end
$$;
create trigger count_inserts before insert on public.leads for each statement execute function pg_temp.count_inserts();
select is(
  (select pg_temp.import(pg_temp.leads(array(select * from generate_series(3000, 3299)),
     '{"3000": {"first_name": "Broken XX000"}, "3222": {"first_name": "Broken XX000"}}')) -> 'failed'),
  '[{"index": 0, "reason": "refused by the database (SQLSTATE XX000)"},
    {"index": 222, "reason": "refused by the database (SQLSTATE XX000)"}]',
  'of 300 leads two fail');
select cmp_ok(nextval('inserts'), '<', 100::bigint, 'and they are found by few statements');

-- A connection keeps the plans that it made while the table was small, those of foreign keys too.
truncate public.leads cascade;
analyze public.leads;
select lives_ok(
  $$select pg_temp.import(pg_temp.leads(array(select * from generate_series(4990, 5000))))$$, 'the first leads of all are imported');
create temp table read_before as select pg_stat_get_xact_tuples_returned('public.leads'::regclass) as rows;
select is(
  (select pg_stat_get_xact_tuples_returned('public.leads'::regclass) - rows
   from public.import_leads(
     md5('agency')::uuid, md5('agent')::uuid, null, pg_temp.leads(array(select * from generate_series(5001, 5200)))), read_before),
  0::bigint, 'an import into a table that has grown reads none of the other leads');

select * from finish();
rollback;
