-- Notes and quick replies over several connections: the same call at once, and two managers. What they commit is deleted at
-- the end. And how much is read for the notes of one recruit among many.
begin;
create extension if not exists dblink with schema extensions;
select plan(7);
\ir ../helpers.psql

select pg_temp.create_committed('race', 'race ann', 'race mia', 'race moe');
select pg_temp.commit_of('race', $sql$
  update public.agents set role = 'manager' where first_name in ('race mia', 'race moe');
  insert into public.recruiting_leads (id, vendor_id, first_name, agency_id, agent_id)
  values (md5('race lead')::uuid, {id}, 'Ada', {id}, md5('race ann')::uuid);
$sql$);
create function pg_temp.calling(agents text[], call text) returns text language sql as $$
  select format(
    'select %s from (select set_config(''request.jwt.claims'', json_build_object(''sub'', (%L::uuid[])[{worker}])::text, false)) signed_in',
    call, array(select md5('user ' || agent)::uuid from unnest(agents) agent))
$$;

-- A page that got no response
create temp table noted as select distinct result from pg_temp.race(5, pg_temp.calling(array_fill('race ann'::text, array[5]),
  $$public.add_note(md5('race lead')::uuid, 'Call on Monday', md5('race note')::uuid)$$)) result;
select is((select count(*)::integer from noted), 1, 'a note five times at once has one response');
select is((select count(*)::integer from public.recruit_notes where recruiting_lead_id = md5('race lead')::uuid), 1, 'and is stored once');

-- Two managers
create temp table made as select result from pg_temp.race(2, pg_temp.calling('{race mia,race moe}',
  $$public.save_quick_reply('call', 'By ' || {worker})$$), 'left out') result;
select is((select count(*)::integer from public.quick_replies where agency_id = md5('race')::uuid), 1,
  'of two new quick replies with one shortcut one is stored');
select is((select count(*)::integer from made where result is not null), 1, 'and one manager is told so');
create temp table saved as select result from pg_temp.race(2, pg_temp.calling('{race mia,race moe}',
  (select format('public.save_quick_reply(%L, %L, %L, %L)', 'call', 'Again', q.id, q.updated_at)
    from public.quick_replies q where q.agency_id = md5('race')::uuid)), 'left out') result;
select is((select count(*)::integer from saved where result is not null), 1, 'of two changes of what both have read, one is stored');

select pg_temp.remove_committed('race');
select is_empty($$select from public.quick_replies where agency_id = md5('race')::uuid$$, 'they go with their agency');

-- However many recruits there are
select pg_temp.create_people(), pg_temp.create_vendor('vendor');
insert into public.recruiting_leads (id, vendor_id, first_name, agency_id, agent_id)
select md5('lead ' || n)::uuid, md5('vendor')::uuid, 'Lead', md5('agency')::uuid, md5('ann')::uuid from generate_series(1, 1500) n;
insert into public.recruit_notes (recruiting_lead_id, agent_id, body)
select md5('lead ' || n)::uuid, md5('ann')::uuid, 'Note' from generate_series(1, 1500) n;
insert into public.recruit_notes (recruiting_lead_id, agent_id, body)
select md5('lead 1')::uuid, md5('ann')::uuid, 'Note' from generate_series(1, 100);
analyze public.recruit_notes, public.recruiting_leads;
create function pg_temp.rows_read_by(person text, read_table regclass, query text) returns bigint language plpgsql as $$
declare
  before constant bigint := pg_temp.rows_read(read_table);
begin
  perform pg_temp.become(person);
  execute query;
  perform set_config('role', 'none', true);
  return pg_temp.rows_read(read_table) - before;
end
$$;
select cmp_ok(
  pg_temp.rows_read_by('ann', 'public.recruiting_leads', format(
    'select n.* from public.recruit_notes n where n.recruiting_lead_id = %L order by n.created_at, n.id limit 999', md5('lead 1')::uuid)),
  '<', 500::bigint, 'the notes of one recruit read no other recruits');

select * from finish();
rollback;
