-- Alerts under several schedulers, and under a clock that jumps. What other connections commit is deleted at the end.
begin;
create extension if not exists dblink with schema extensions;
select plan(5);
\ir ../helpers.psql

-- A vendor with a lead that waits.
select pg_temp.create_committed('alerts');
select pg_temp.commit_of('alerts', $sql$
  insert into public.recruiting_leads (vendor_id, first_name, distribution, created_at)
  values ({id}, 'Ada', 'unmatched', now() - interval '1 hour')
$sql$);
-- The alerts of the vendor, as another connection reads them.
create function pg_temp.alerts() returns table (state text) language plpgsql as $$
begin
  return query
  select r.state from extensions.dblink(pg_temp.connected(), $sql$
    select a.state from public.alerts a where a.subject = 'test-alerts' order by a.opened_at
  $sql$) as r (state text);
end
$$;

select is(
  (select count(*) filter (where r is null or r::jsonb ? 'open')
    from pg_temp.race(8, $$select private.check_alerts()$$) r), 8::bigint, 'eight checks at once all end well');
select results_eq('select * from pg_temp.alerts()', array['open'], 'and open one alert');

-- While one check runs, another one does nothing.
select pg_temp.hold('select private.check_alerts()');
select is(
  (select r from extensions.dblink(pg_temp.connected(), 'select private.check_alerts()') as c (r jsonb)), null,
  'a second check does nothing while one runs');
select pg_temp.let_go('commit');

-- The clock jumps: the check before has run at another time.
create function pg_temp.check_after(last_run interval) returns void language sql as $$
  select pg_temp.commit(format($sql$
    update private.job_runs set started_at = now() + %L::interval where job = 'check alerts';
    do 'begin perform private.check_alerts(); end'
  $sql$, last_run))
$$;
select pg_temp.check_after(jump) from unnest(array['-10 years', '-1 minute', '5 minutes', '23 hours', '25 hours', '10 years']::interval[]) jump;
select results_eq('select * from pg_temp.alerts()', array['open'], 'a clock that jumps opens no alert twice, and ends none');

select pg_temp.commit_of('alerts', $sql$
  update public.recruiting_leads set distribution = 'not_requested' where vendor_id = {id}
$sql$);
select pg_temp.race(4, $$select private.check_alerts()$$);
select results_eq('select * from pg_temp.alerts()', array['resolved'], 'several checks end an alert once');

select pg_temp.commit(format(
  $$delete from public.alerts where opened_at >= %L; delete from private.job_runs where job = 'check alerts'$$, now()));
select pg_temp.remove_committed('alerts');
select * from finish();
rollback;
