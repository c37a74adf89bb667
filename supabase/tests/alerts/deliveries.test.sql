-- The messages about alerts, by the claims and outcomes of a worker.
begin;
select plan(40);
\ir ../helpers.psql

create function pg_temp.claim(has_url boolean default true) returns setof text language sql as $$
  select d #>> '{body,kind}' || ' ' || (d #>> '{body,state}') || ' ' || (d ->> 'attempt')
  from jsonb_array_elements(public.claim_dispatches(5, false, has_url) -> 'dispatches') d
$$;

-- Records an outcome of all that is claimed.
create function pg_temp.record(outcome text, reason text default 'HTTP 500', retry_after integer default null)
returns setof text language sql as $$
  select public.record_dispatch(
    p.id, p.attempt, record.outcome, case when reason ~ '^HTTP' then right(reason, 3)::integer end, null,
    case when record.outcome <> 'delivered' then record.reason end, retry_after)
  from private.dispatches p where p.state = 'sending' order by p.seq
$$;

create function pg_temp.pause() returns numeric language sql as $$
  select round(extract(epoch from p.due_at - clock_timestamp()), -1) from private.dispatches p where p.state = 'waiting'
$$;

create function pg_temp.open_alert(name text, kind text default 'test_kind') returns void language sql as $$
  insert into public.alerts (id, kind, subject, opened_at) values (md5(name)::uuid, kind, name, '2026-01-01')
$$;

create function pg_temp.change(name text, state text) returns void language sql as $$
  update public.alerts set state = change.state, resolved_at = case when change.state = 'resolved' then now() end
  where id = md5(name)::uuid
$$;

create function pg_temp.dispatch(name text) returns setof text language sql as $$
  select concat_ws(' ', p.event, p.state, p.reason) from private.dispatches p
  where p.body ->> 'subject' = name order by p.seq
$$;

-- Alerts of other tests may be there, and a worker may have been asked; this one's outcome must not depend on them.
delete from private.dispatches;
delete from public.alerts;
update private.sending_settings set is_set = false, asked_at = '-infinity';
delete from private.job_runs where job = 'check alerts';
insert into public.alert_rules (kind, threshold) values ('test_kind', '{}') on conflict do nothing;
insert into public.alert_rules (kind, threshold) values ('order_filled', '{}') on conflict do nothing;
update public.alert_rules set is_on = true;

select pg_temp.open_alert('one');
select ok(private.is_alert_due(), 'the worker is called for an alert of which nobody was notified');
select results_eq('select pg_temp.claim()', array['test_kind open 1'], 'it is claimed');
select is_empty('select pg_temp.claim()', 'once');
select ok(not private.is_alert_due(), 'and then the worker is not called for it');
select results_eq($$select pg_temp.record('retry')$$, array['waiting'], 'one that was refused waits');
select is(pg_temp.pause(), 10.0, 'for 10 seconds');
update private.dispatches set due_at = now(), attempt = 4;
select results_eq('select pg_temp.claim()', array['test_kind open 5'], 'and is claimed again');
select is(public.record_dispatch(p.id, 4, 'retry', null, null, 'lost'), 'sending', 'a late report of an earlier claim changes nothing')
from private.dispatches p;
select pg_temp.record('retry', 'lost');
select is(pg_temp.pause(), 160.0, 'the pause doubles each time');
update private.dispatches set due_at = now(), attempt = 40;
select pg_temp.claim(), pg_temp.record('gone', 'HTTP 410');
select is(pg_temp.pause(), 3600.0, 'to an hour');
update private.dispatches set due_at = now(), created_at = now() - interval '8 days', attempt = 0;
select pg_temp.claim(), pg_temp.record('retry', 'HTTP 429', 90);
select is(pg_temp.pause(), 90.0, 'or is as long as the receiver asks for');
update private.dispatches set attempt = 40, due_at = now();
select pg_temp.claim();
update private.dispatches set lease_until = now();
select results_eq('select pg_temp.claim()', array['test_kind open 42'], 'while the alert is open this never ends');
select pg_temp.record('retry');

update private.dispatches set due_at = now();
select pg_temp.claim(), pg_temp.record('delivered');
select results_eq($$select pg_temp.dispatch('one')$$, array['alert.opened delivered'], 'until it has arrived');
select is_empty('select pg_temp.claim()', 'then nothing more is sent');
update public.alerts set told_at = now() - interval '24 hours';
select results_eq('select pg_temp.claim()', array['test_kind open 1'], 'for 24 hours');
select pg_temp.record('retry', 'HTTP 500'), pg_temp.change('one', 'acknowledged');
update private.dispatches set due_at = now() where state = 'waiting';
select is_empty('select pg_temp.claim()', 'one that was acknowledged is not repeated');
select pg_temp.change('one', 'resolved');
select results_eq('select pg_temp.claim()', array['test_kind resolved 1'], 'but its end is sent');
select pg_temp.record('retry', 'no_connection');
update private.dispatches set due_at = now(), created_at = now() - interval '7 days' where state = 'waiting';
select pg_temp.claim(), pg_temp.record('retry', 'HTTP 410');
select results_eq(
  $$select pg_temp.dispatch('one')$$,
  array['alert.opened delivered', 'alert.repeated cancelled HTTP 500', 'alert.resolved failed HTTP 410'], 'for a week');
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
update private.dispatches set lease_until = now() where state = 'sending';
select ok(private.is_dispatch_due(), 'what a dead worker has claimed is due again');
select pg_temp.change('dead', 'resolved');
select results_eq('select pg_temp.claim()', array['test_kind resolved 1'], 'it may have arrived, so its end is sent');
select pg_temp.record('delivered');
select results_eq(
  $$select pg_temp.dispatch('dead')$$, array['alert.opened cancelled worker_died', 'alert.resolved delivered'], 'and nothing else');

-- The end of an alert and the next one of its subject
select pg_temp.open_alert('again');
select pg_temp.claim(), pg_temp.record('delivered'), pg_temp.change('again', 'resolved');
insert into public.alerts (kind, subject, opened_at) values ('test_kind', 'again', '2026-01-02');
select pg_temp.claim(), pg_temp.record('retry');
select is_empty('select pg_temp.claim()', 'the next alert of a subject waits for the end of the last one');
update private.dispatches set due_at = now() where state = 'waiting';
select pg_temp.claim(), pg_temp.record('delivered');
select results_eq('select pg_temp.claim()', array['test_kind open 1'], 'and then is sent');
select pg_temp.record('delivered');

-- Several alerts of an agency
select pg_temp.create_agency('Prairie');
update public.agencies set name = 'Prairie Life' where id = md5('Prairie')::uuid;
update public.alert_rules set summary = '%s recruits of %s wait' where kind = 'test_kind';
insert into public.alerts (id, kind, subject, opened_at, agency_id, details)
select md5('waits ' || n)::uuid, 'test_kind', 'waits ' || n, timestamptz '2026-01-03 12:00' + n * interval '10 seconds', md5('Prairie')::uuid, '{}'
from generate_series(1, 6) n;
create function pg_temp.texts() returns setof text language sql as $$
  select d #>> '{body,text}' from jsonb_array_elements(public.claim_dispatches(5, false, true) -> 'dispatches') d
$$;
select set_eq(
  'select pg_temp.texts()', array['Open: 5 recruits of Prairie Life wait.', 'Open: waits 6.'],
  'those of an agency that open in the same minute are one message');
select results_eq(
  $$select body - '{text,since,kind}'::text[] from private.dispatches where body -> 'details' ? 'count'$$,
  array[jsonb_build_object('state', 'open', 'subject', md5('Prairie')::uuid, 'details', '{"agency": "Prairie Life", "count": 5}'::jsonb)],
  'with their number and the agency');
select pg_temp.record('delivered'), pg_temp.change('waits 1', 'resolved'), pg_temp.change('waits 2', 'resolved');
select results_eq('select pg_temp.texts()', array['Over: 2 recruits of Prairie Life wait.'], 'so are those that end');
select pg_temp.record('delivered');

select pg_temp.open_alert('unset');
select is_empty('select pg_temp.claim(false)', 'without a URL nothing is claimed');
select ok(not private.is_alert_due(), 'and the worker is not called');
update private.sending_settings set asked_at = now() + interval '1 day' where name = 'alerts';
select ok(private.is_alert_due(), 'unless the clock was wrong');

insert into private.job_runs (job, started_at, ended_at) values ('check alerts', now(), now() - interval '4 minutes');
select ok(public.claim_heartbeat(true), 'the monitor is notified of a check that completed');
update private.job_runs set heartbeat_at = now() + interval '1 hour' where job = 'check alerts';
select ok(public.claim_heartbeat(true), 'also after a clock was set back');

-- Each scheduler asks every few seconds, with any number of alerts that are over.
set local enable_seqscan = off;
select matches(pg_temp.plan_of('select from private.alert_notifications_due'), index, 'what is due is found by ' || index)
from unnest(array['alerts_unresolved_idx', 'alerts_told_at_idx']) index;
select * from finish();
rollback;
