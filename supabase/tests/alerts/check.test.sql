-- The check of alerts: what opens, stays and ends, whatever the kind.
begin;
select plan(17);
\ir ../helpers.psql

select is_empty(
  $$select r.kind from public.alert_rules r
    where to_regprocedure(format('private.%I(jsonb, timestamptz)', r.finder)) is null or r.title is null or r.advice is null$$,
  'each kind has a function that finds it, a title and an advice');

select pg_temp.create_agency('agency');
-- Alerts of other tests may be there; this one's outcome must not depend on them.
delete from public.alerts;
delete from private.job_runs where job = 'check alerts';
delete from public.alert_rules;

-- A kind of alert is one function and one row.
create table private.troubles (subject text);
create function private.find_trouble(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language sql stable set search_path = '' as $$
  select t.subject, jsonb_build_object('since', '2026-01-05T10:00:00Z'), 'thing ' || t.subject, 'in trouble for ' || (threshold ->> 'minutes'),
    'thing mend ' || t.subject, '/operator/things/' || t.subject, null::uuid
  from private.troubles t
$$;
insert into public.alert_rules (kind, finder, threshold, title, advice, link_label, severity)
values ('trouble', 'find_trouble', '{"minutes": 7}', 'Troubles', 'Mend them.', 'See the thing', 1);

create function pg_temp.alert() returns setof text language sql as $$
  select concat_ws(' ', a.kind, a.subject, a.state) from public.alerts a order by a.opened_at, a.id
$$;

insert into private.troubles values ('one');
select is(private.check_alerts(), '{"open": 1, "opened": 1, "resolved": 0}', 'a condition opens an alert');
select is(private.check_alerts(), '{"open": 1, "opened": 0, "resolved": 0}', 'which is opened once');
select results_eq('select pg_temp.alert()', array['trouble one open'], 'and says what it is about');
select results_eq(
  $$select name, problem, command, link, title, advice, link_label, severity, since from private.alert_list$$,
  $$values ('thing one', 'in trouble for 7', 'thing mend one', '/operator/things/one', 'Troubles', 'Mend them.', 'See the thing', 1::smallint,
    timestamptz '2026-01-05 10:00Z')$$,
  'by the words of its function and its row');
update public.alert_rules set threshold = '{"minutes": 9}';
select private.check_alerts();
select is((select problem from public.alerts), 'in trouble for 9', 'each check renews the words');

update public.alerts set state = 'acknowledged';
select is(private.check_alerts(), '{"open": 1, "opened": 0, "resolved": 0}', 'one that was acknowledged is not opened again');

delete from private.troubles;
select is(private.check_alerts(), '{"open": 0, "opened": 0, "resolved": 1}', 'and ends with its condition');
select is(private.check_alerts(), '{"open": 0, "opened": 0, "resolved": 0}', 'once');

insert into private.troubles values ('one');
select is(private.check_alerts(), '{"open": 1, "opened": 1, "resolved": 0}', 'a condition that returns opens another alert');
update public.alert_rules set is_on = false;
select is(private.check_alerts(), '{"open": 0, "opened": 0, "resolved": 1}', 'a rule that is off ends its alerts');

-- The row can name only a function that finds alerts.
select throws_ok(
  format('update public.alert_rules set finder = %L', finder), '23514', null, format('"%s" is no function that finds alerts', finder))
from unnest(array['check_alerts', 'public.find_leads']) finder;
update public.alert_rules set is_on = true, finder = 'find_trouble(null, null); drop table private.troubles';
select throws_ok('select private.check_alerts()', '42883', null, 'a name is no code');
update public.alert_rules set finder = null;
select is(private.check_alerts(), '{"open": 0, "opened": 0, "resolved": 0}', 'a kind without a function is not looked for');

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
