-- The notification of operators: dispatches of the destination `operators`, whose receiver is the worker's setting
-- ALERT_WEBHOOK_URL. destinations/claim.sql has the states of a dispatch. Of alerts:
--
-- - an alert without a notification: `alert.opened`
-- - one that is open, its notification 24 h ago: `alert.repeated`
-- - one that is resolved, with a notification: `alert.resolved`
-- - a dispatch whose alerts have resolved before it went out, or whose rule is off: cancelled
-- - one that did not arrive: sent again until its alerts have resolved, and then for a week
--
-- alerts.told_at records what the receiver may know. A lost outcome sets it, because the request may have arrived; a
-- refused one does not. So an alert that opened and resolved while the receiver was down has no notification.

create view private.alert_notifications_due as
with pending as (
  select a.kind, a.subject, a.opened_at
  from private.dispatches p
  cross join lateral unnest(p.alert_ids) alert (id)
  join public.alerts a on a.id = alert.id
  where p.destination_id = (select d.id from public.destinations d where d.agency_id is null and d.name = 'operators')
    and p.state in ('waiting', 'sending')
), found as (
  select a.*, 'alert.' || case when a.told_at is null then 'opened' else 'repeated' end as event,
    coalesce(a.told_at, a.opened_at) as began_at
  from public.alerts a
  where a.state <> 'resolved'
    and (a.told_at is null or a.state = 'open' and a.told_at <= now() - interval '24 hours' and a.kind <> 'order_filled')
  union all
  select a.*, 'alert.resolved', a.resolved_at
  from public.alerts a
  where a.state = 'resolved' and a.told_at is not null
)
select f.*, r.summary
from found f
join public.alert_rules r on r.kind = f.kind and r.is_on
-- Of a subject only the oldest: else the end of an alert could arrive after the next one.
where not exists (
  select from pending p where p.kind = f.kind and p.subject = f.subject and p.opened_at <= f.opened_at
) and not exists (
  select
  from found earlier
  where earlier.kind = f.kind and earlier.subject = f.subject and earlier.opened_at < f.opened_at
);

comment on view private.alert_notifications_due is
  'The alerts of which the receiver must be notified, with the event. An alert with a pending dispatch waits for it, as does '
  'the next one of its subject; one whose rule is off ends silently.';

grant select on private.alert_notifications_due to service_role;

create function private.make_alert_dispatches() returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
-- claim_dispatches() switches them off.
set enable_hashjoin = on
set enable_sort = on
as $$
declare
  -- One claim at a time, so that nothing is made twice.
  operators constant uuid := (
    select d.id from public.destinations d where d.agency_id is null and d.name = 'operators' for no key update skip locked);
begin
  if operators is null then
    return;
  end if;
  perform
  from public.alerts a
  where a.id in (
    select unnest(p.alert_ids)
    from private.dispatches p
    where p.destination_id = operators and p.state = 'waiting' and p.reason = 'worker_died')
  order by a.kind, a.subject, a.id
  for no key update;
  -- Whether a dead worker has sent its request is unknown.
  update public.alerts a
  set told_at = now()
  from private.dispatches p
  where p.destination_id = operators and p.state = 'waiting' and p.reason = 'worker_died' and a.id = any (p.alert_ids)
    and a.told_at is null;

  update private.dispatches p
  set
    alert_ids = n.needed,
    state = case n.needed when '{}' then 'cancelled' else p.state end,
    ended_at = case n.needed when '{}' then clock_timestamp() end
  from private.dispatches o
  cross join lateral (
    select array(
      select a.id
      from public.alerts a
      join public.alert_rules r on r.kind = a.kind and r.is_on
      where a.id = any (o.alert_ids)
        and case o.event
          when 'alert.opened' then a.state <> 'resolved' when 'alert.repeated' then a.state = 'open' else true end
      order by array_position(o.alert_ids, a.id)
    ) as needed
  ) n
  where o.destination_id = operators and o.state = 'waiting' and o.alert_ids <> n.needed and p.id = o.id and p.state = 'waiting';

  update public.alerts a
  set told_at = null
  from public.alert_rules r
  where r.kind = a.kind and not r.is_on and a.state = 'resolved' and a.told_at is not null;

  insert into private.dispatches (destination_id, event, alert_ids, body)
  select operators, t.event, array_agg(t.id), jsonb_build_object(
    'text', concat(
      case t.event when 'alert.opened' then 'Open: ' when 'alert.repeated' then 'Still open: ' else 'Over: ' end,
      case count(*) when 1 then min(concat_ws(': ', coalesce(t.subject_name, t.subject), t.problem))
        else format(min(t.summary), count(*), min(t.agency)) end, '.'),
    'kind', t.kind, 'state', t.state, 'since', private.iso_time(min(t.opened_at))
  ) || case count(*) when 1 then jsonb_build_object('subject', min(t.subject), 'details', (array_agg(t.details))[1])
    else jsonb_build_object(
      'subject', min(t.agency_id::text), 'details', jsonb_build_object('agency', min(t.agency), 'count', count(*))) end
  from (
    select d.*, g.name as agency
    from private.alert_notifications_due d
    left join public.agencies g on g.id = d.agency_id
  ) t
  -- Those of an agency that began in the same minute are one message.
  group by t.event, t.kind, t.state, case
    when t.summary is not null and t.agency is not null then concat(t.agency_id, date_trunc('minute', t.began_at)) else t.id::text end
  order by min(t.opened_at);
end
$$;

comment on function private.make_alert_dispatches() is
  'Creates the dispatches of due alerts, and cancels those that are no longer needed. claim_dispatches() calls it if the '
  'receiver is set up.';

create function private.record_alerts(sent private.dispatches, state text, is_lost boolean) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform from public.alerts a where a.id = any (sent.alert_ids) order by a.kind, a.subject, a.id for no key update;
  update public.alerts a
  set told_at = case
    when record_alerts.state = 'delivered' then case when sent.event <> 'alert.resolved' then now() end
    when record_alerts.state = 'waiting' then coalesce(a.told_at, case when is_lost then now() end)
  end
  where a.id = any (sent.alert_ids);
  if record_alerts.state = 'delivered' then
    -- The receiver is available again, so waiting dispatches become due.
    update private.dispatches p
    set due_at = clock_timestamp()
    where p.id = any (array(
      select w.id
      from private.dispatches w
      where w.destination_id = sent.destination_id and w.state = 'waiting' and w.due_at > clock_timestamp()
      for no key update skip locked
    ));
  end if;
end
$$;

comment on function private.record_alerts(private.dispatches, text, boolean) is
  'Records in the alerts of a dispatch what the receiver knows of them. state: the dispatch''s new state. is_lost: it may have '
  'arrived.';

create function private.is_heartbeat_due(run private.job_runs) returns boolean
language sql
stable
set search_path = ''
as $$
  select run.job = 'check alerts'
    and run.ended_at > now() - interval '5 minutes'
    -- A time that lies ahead was of a wrong clock.
    -- Not now(): a worker that waited for another began before that one notified the monitor.
    and (
      run.heartbeat_at is null
      or run.heartbeat_at not between clock_timestamp() - interval '5 minutes' and clock_timestamp()
    )
$$;

comment on function private.is_heartbeat_due(private.job_runs) is
  'Whether to notify the monitor that alerts are checked: a check has completed in the last 5 minutes, and the monitor was not '
  'notified in them.';

create function public.claim_heartbeat(has_heartbeat boolean) returns boolean
language plpgsql
set search_path = ''
as $$
begin
  perform private.note_setting('heartbeat', has_heartbeat);
  update private.job_runs j set heartbeat_at = clock_timestamp() where has_heartbeat and private.is_heartbeat_due(j);
  return found;
end
$$;

comment on function public.claim_heartbeat(boolean) is
  'Whether this worker, and no other, notifies the monitor that alerts are checked. has_heartbeat: whether it has a URL for '
  'it.';

create function private.is_alert_due() returns boolean
language plpgsql
stable
set search_path = ''
-- By the indexes of what is open, also while the planner does not know how little that is.
set enable_seqscan = off
as $$
begin
  return exists (
    select
    from private.sending_settings s
    -- Without a URL, the worker is asked again from time to time.
    where (s.is_set or s.asked_at not between now() - interval '5 minutes' and now())
      and case s.name
        when 'alerts' then exists (select from private.alert_notifications_due)
        when 'heartbeat' then exists (select from private.job_runs j where private.is_heartbeat_due(j))
      end
  );
end
$$;

comment on function private.is_alert_due() is
  'Whether the worker would make a notification of an alert, or notify the monitor. While no URL is set: every 5 minutes, to '
  'learn whether one is.';

create function public.test_alert() returns uuid
language plpgsql
set search_path = ''
as $$
declare
  test_id uuid;
begin
  insert into private.dispatches (destination_id, event, body)
  select d.id, 'test', jsonb_build_object(
    'text', 'This is a test: alerts arrive here.', 'kind', 'test', 'subject', 'test', 'state', 'open',
    'since', private.iso_time(now()), 'details', '{}'::jsonb
  )
  from public.destinations d
  where d.agency_id is null and d.name = 'operators'
  returning id into test_id;
  -- The worker is asked at once, even if it had no URL before.
  update private.sending_settings s set asked_at = '-infinity' where s.name = 'alerts';
  return test_id;
end
$$;

comment on function public.test_alert() is
  'Queues a dispatch `test` to the receiver of alerts, which the worker sends once, within some seconds. Returns its id in '
  'private.dispatches, whose state, status and reason then show the outcome: `not_configured` where no URL is set.';

grant execute on function public.claim_heartbeat(boolean), public.test_alert() to service_role;
