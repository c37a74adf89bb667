-- The messages about alerts, by the claims and outcomes of a worker.
begin;
select plan(39);
\ir ../helpers.psql

create function pg_temp.claim(has_webhook boolean default true) returns setof text language sql as $$
  select d #>> '{body,kind}' || ' ' || (d #>> '{body,state}') || ' ' || (d ->> 'attempt')
  from jsonb_array_elements(public.claim_alert_deliveries(5, has_webhook, false) -> 'deliveries') d
$$;

-- Records an outcome of all that is claimed.
create function pg_temp.record(outcome text, code text default 'HTTP 200', retry_after integer default null)
returns setof text language sql as $$
  select public.record_alert_delivery(d.id, d.attempt, record.outcome, code, retry_after)
  from private.alert_deliveries d where d.lease_until is not null order by d.created_at
$$;

create function pg_temp.open_alert(name text, kind text default 'test_kind') returns void language sql as $$
  insert into public.alerts (id, kind, subject, opened_at) values (md5(name)::uuid, kind, name, '2026-01-01')
$$;

create function pg_temp.change(name text, state text) returns void language sql as $$
  update public.alerts set state = change.state, resolved_at = case when change.state = 'resolved' then now() end
  where id = md5(name)::uuid
$$;

create function pg_temp.delivery(name text) returns setof text language sql as $$
  select concat_ws(' ', d.event, d.state, d.outcome) from private.alert_deliveries d where d.alert_id = md5(name)::uuid
  order by array_position(array['opened', 'repeated', 'resolved'], d.event)
$$;

-- Alerts of other tests may be there; this one's outcome must not depend on them.
delete from private.alert_deliveries;
delete from public.alerts;
delete from private.job_runs where job = 'check alerts';
insert into public.alert_rules (kind, threshold) values ('test_kind', '{}') on conflict do nothing;
insert into public.alert_rules (kind, threshold) values ('order_filled', '{}') on conflict do nothing;
update public.alert_rules set is_on = true;

select pg_temp.open_alert('one');
select ok(private.is_alert_due(), 'the worker is called for an alert of which nobody was notified');
select results_eq('select pg_temp.claim()', array['test_kind open 1'], 'it is claimed');
select is_empty('select pg_temp.claim()', 'once');
select ok(not private.is_alert_due(), 'and then the worker is not called for it');
select throws_ok(
  $$insert into private.alert_deliveries (alert_id, event, body) values (md5('one')::uuid, 'repeated', '{}')$$, '23505', null,
  'an alert has one delivery at a time');
select results_eq($$select pg_temp.record('refused', 'HTTP 500')$$, array['pending'], 'one that was refused stays pending');
select is(
  (select d.due_at - now() from private.alert_deliveries d where d.state = 'pending'), interval '10 seconds', 'for 10 seconds');
update private.alert_deliveries set due_at = now(), attempt = 4;
select results_eq('select pg_temp.claim()', array['test_kind open 5'], 'and is claimed again');
select is(public.record_alert_delivery(d.id, 4, 'lost', 'lost'), 'pending', 'a late report of an earlier claim')
from private.alert_deliveries d;
select ok(d.lease_until is not null, 'changes nothing') from private.alert_deliveries d;
select pg_temp.record('lost', 'lost');
select is(
  (select d.due_at - now() from private.alert_deliveries d), interval '160 seconds', 'the pause doubles each time');
update private.alert_deliveries set due_at = now(), attempt = 40;
select pg_temp.claim(), pg_temp.record('refused', 'HTTP 503');
select is((select d.due_at - now() from private.alert_deliveries d), interval '1 hour', 'to an hour');
update private.alert_deliveries set due_at = now(), created_at = now() - interval '8 days', attempt = 0;
select pg_temp.claim(), pg_temp.record('refused', 'HTTP 429', 90);
select is(
  (select d.due_at - now() from private.alert_deliveries d), interval '90 seconds', 'or is as long as the receiver asks for');
select is((select d.state from private.alert_deliveries d), 'pending', 'while the alert is open this never ends');

update private.alert_deliveries set due_at = now();
select pg_temp.claim(), pg_temp.record('delivered');
select results_eq($$select pg_temp.delivery('one')$$, array['opened delivered HTTP 200'], 'until it has arrived');
select is_empty('select pg_temp.claim()', 'then nothing more is sent');
update public.alerts set told_at = now() - interval '24 hours';
select results_eq('select pg_temp.claim()', array['test_kind open 1'], 'for 24 hours');
select pg_temp.record('refused', 'HTTP 500'), pg_temp.change('one', 'acknowledged');
update private.alert_deliveries set due_at = now() where state = 'pending';
select is_empty('select pg_temp.claim()', 'one that was acknowledged is not repeated');
select pg_temp.change('one', 'resolved');
select results_eq('select pg_temp.claim()', array['test_kind resolved 1'], 'but its end is sent');
select pg_temp.record('refused', 'no_connection');
update private.alert_deliveries set due_at = now(), created_at = now() - interval '7 days' where state = 'pending';
select pg_temp.claim(), pg_temp.record('refused', 'HTTP 410');
select results_eq(
  $$select pg_temp.delivery('one')$$,
  array['opened delivered HTTP 200', 'repeated dropped HTTP 500', 'resolved failed HTTP 410'], 'for a week');
select is_empty('select pg_temp.claim()', 'and then not any more');

select pg_temp.open_alert('acknowledged early'), pg_temp.change('acknowledged early', 'acknowledged');
select results_eq('select pg_temp.claim()', array['test_kind acknowledged 1'], 'one that was acknowledged at once is sent');
select pg_temp.record('delivered');

select pg_temp.open_alert('filled', 'order_filled');
select pg_temp.claim(), pg_temp.record('delivered');
update public.alerts set told_at = now() - interval '25 hours' where subject = 'filled';
select is_empty('select pg_temp.claim()', 'that an order is full is sent once');

select pg_temp.open_alert('brief'), pg_temp.change('brief', 'resolved');
select is_empty('select pg_temp.claim()', 'nothing is sent about an alert that ended at once');

select pg_temp.open_alert('off'), pg_temp.open_alert('off in doubt');
select pg_temp.claim(), pg_temp.record('delivered');
update public.alert_rules set is_on = false where kind = 'test_kind';
select pg_temp.change('off', 'resolved');
select ok(not exists (select from private.alert_notifications_due), 'a rule that is off ends its alerts silently');
select is_empty('select pg_temp.claim()', 'for the receiver too');
update public.alert_rules set is_on = true where kind = 'test_kind';
select is_empty('select pg_temp.claim()', 'also when it is on again');

select pg_temp.open_alert('dead');
select pg_temp.claim();
update private.alert_deliveries set lease_until = now() where lease_until is not null;
select ok(private.is_alert_due(), 'what a dead worker has claimed is due again');
select pg_temp.change('dead', 'resolved');
select results_eq('select pg_temp.claim()', array['test_kind resolved 1'], 'it may have arrived, so its end is sent');
select pg_temp.record('delivered');
select results_eq(
  $$select pg_temp.delivery('dead')$$, array['opened dropped worker_died', 'resolved delivered HTTP 200'], 'and nothing else');

select pg_temp.open_alert('unset');
select is_empty('select pg_temp.claim(false)', 'without a URL nothing is claimed');
select ok(not private.is_alert_due(), 'and the worker is not called');
update private.alert_receivers set asked_at = now() + interval '1 day';
select ok(private.is_alert_due(), 'unless the clock was wrong');

insert into private.job_runs (job, started_at, ended_at) values ('check alerts', now(), now() - interval '4 minutes');
select is(public.claim_alert_deliveries(0, false, true) -> 'is_heartbeat_due', 'true', 'the monitor is notified of a check that completed');
update private.job_runs set heartbeat_at = now() + interval '1 hour' where job = 'check alerts';
select is(public.claim_alert_deliveries(0, false, true) -> 'is_heartbeat_due', 'true', 'also after a clock was set back');

select throws_ok(
  $$select public.record_alert_delivery(d.id, d.attempt, 'eaten', 'HTTP 200') from private.alert_deliveries d where d.state = 'pending'
    union all select public.record_alert_delivery(public.test_alert(), 0, 'eaten', 'HTTP 200')$$,
  '22023', 'outcome: "eaten" is unknown', 'an unknown outcome is an error');

-- Each scheduler asks every few seconds, with any number of alerts that are over.
set local enable_seqscan = off;
select matches(pg_temp.plan_of('select from private.alert_notifications_due'), index, 'what is due is found by ' || index)
from unnest(array['alerts_unresolved_idx', 'alerts_told_at_idx']) index;
select matches(
  pg_temp.plan_of('select from private.due_alert_deliveries'), 'alert_deliveries_(due_at|pending)_idx',
  'what is due is found among what is pending');

select * from finish();
rollback;
