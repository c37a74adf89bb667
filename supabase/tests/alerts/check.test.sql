-- The check of alerts: what opens, stays and ends, whatever the kind.
begin;
select plan(10);
\ir ../helpers.psql

select pg_temp.create_agency('agency');
-- Alerts of other tests may be there; this one's outcome must not depend on them.
delete from public.alerts;
delete from private.job_runs where job = 'check alerts';
delete from public.alert_rules where kind <> 'number_paused';
update public.service_numbers set status = 'active' where status = 'paused';
insert into public.service_numbers (phone, agency_id, status) values ('+19995550000', md5('agency')::uuid, 'paused');

create function pg_temp.alert() returns setof text language sql as $$
  select concat_ws(' ', a.kind, a.subject, a.state) from public.alerts a order by a.opened_at, a.id
$$;

select is(private.check_alerts(), '{"open": 1, "opened": 1, "resolved": 0}', 'a condition opens an alert');
select is(private.check_alerts(), '{"open": 1, "opened": 0, "resolved": 0}', 'which is opened once');
select results_eq('select pg_temp.alert()', array['number_paused +19995550000 open'], 'and says what it is about');

update public.alerts set state = 'acknowledged';
select is(private.check_alerts(), '{"open": 1, "opened": 0, "resolved": 0}', 'one that was acknowledged is not opened again');

update public.service_numbers set status = 'active' where phone = '+19995550000';
select is(private.check_alerts(), '{"open": 0, "opened": 0, "resolved": 1}', 'and ends with its condition');
select is(private.check_alerts(), '{"open": 0, "opened": 0, "resolved": 0}', 'once');

update public.service_numbers set status = 'paused' where phone = '+19995550000';
select is(private.check_alerts(), '{"open": 1, "opened": 1, "resolved": 0}', 'a condition that returns opens another alert');
update public.alert_rules set is_on = false;
select is(private.check_alerts(), '{"open": 0, "opened": 0, "resolved": 1}', 'a rule that is off ends its alerts');

update private.job_runs set started_at = now() + interval '1 hour' where job = 'check alerts';
select private.check_alerts();
select is(
  (select j.started_at from private.job_runs j where j.job = 'check alerts'), now() + interval '1 hour',
  'a clock that was set back does not take the check back');
update private.job_runs set started_at = now() + interval '2 days' where job = 'check alerts';
select private.check_alerts();
select is(
  (select j.started_at from private.job_runs j where j.job = 'check alerts'), now(), 'one that was two days ahead was wrong');

select * from finish();
rollback;
