-- The notification of the receiver: the worker claims deliveries of alerts, posts them, and records what became of each.
--
-- | from | by | to |
-- | --- | --- | --- |
-- | an alert without a notification | claim_alert_deliveries() | pending, `opened` |
-- | an open alert, its notification 24 h ago | the same | pending, `repeated` |
-- | a resolved alert with a notification | the same | pending, `resolved` |
-- | pending, due | the same | pending, with a lease of 30 s |
-- | pending, its lease is over | the same: its worker is dead | pending, due; the same id is sent again |
-- | pending, its alert has resolved meanwhile, or its rule is off | the same | dropped |
-- | pending, leased | outcome delivered | delivered |
-- | pending, leased | outcome refused or lost | pending, due after a pause that grows to an hour |
-- | the same, of a resolved alert for a week, or of a test | the same | failed |
--
-- alerts.told_at is what the receiver may know. A lost outcome sets it, because the request may have arrived; a refused
-- one does not. So an alert that was opened and resolved while the receiver was away has no notification.

create function public.claim_alert_deliveries(max integer, has_webhook boolean, has_heartbeat boolean) returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  claimed jsonb := '[]';
  is_heartbeat_due boolean := false;
begin
  -- One claim at a time, so that nothing is made twice.
  perform from private.alert_receivers r where r.name = 'webhook' for update;
  update private.alert_receivers r
  set is_set = case r.name when 'webhook' then has_webhook else has_heartbeat end, asked_at = now()
  where r.name in ('webhook', 'heartbeat');

  if has_heartbeat then
    update private.job_runs j set heartbeat_at = clock_timestamp() where private.is_heartbeat_due(j);
    is_heartbeat_due := found;
  end if;
  if has_webhook then
    perform private.end_alert_deliveries();
    perform private.add_alert_deliveries();
    claimed := private.take_alert_deliveries(max);
  else
    update private.alert_deliveries d
    set state = 'failed', outcome = 'not_configured', lease_until = null
    where d.state = 'pending' and d.event = 'test';
  end if;
  return jsonb_build_object('deliveries', claimed, 'is_heartbeat_due', is_heartbeat_due);
end
$$;

comment on function public.claim_alert_deliveries(integer, boolean, boolean) is
  'Gives the worker up to max deliveries of alerts, each for 30 seconds: {deliveries: [{id, attempt, body}], '
  'is_heartbeat_due}. attempt is for record_alert_delivery(). is_heartbeat_due: this worker, and no other, notifies '
  'the monitor that alerts are checked. has_webhook and has_heartbeat: whether the worker has a URL for either; without one '
  'nothing is made or claimed.';

create function private.end_alert_deliveries() returns void
language plpgsql
set search_path = ''
as $$
begin
  -- Nobody knows whether a dead worker has sent its request.
  with lapsed as (
    update private.alert_deliveries d
    set lease_until = null, outcome = 'worker_died'
    where d.state = 'pending' and d.lease_until <= now()
    returning d.alert_id
  )
  update public.alerts a set told_at = coalesce(a.told_at, now()) where a.id in (select l.alert_id from lapsed l);

  update private.alert_deliveries d
  set state = 'dropped'
  from public.alerts a
  join public.alert_rules r on r.kind = a.kind
  where a.id = d.alert_id and d.state = 'pending' and d.lease_until is null
    and (
      not r.is_on
      or d.event <> 'resolved' and a.state = 'resolved'
      or d.event = 'repeated' and a.state = 'acknowledged'
    );

  update public.alerts a
  set told_at = null
  from public.alert_rules r
  where r.kind = a.kind and not r.is_on and a.state = 'resolved' and a.told_at is not null;
end
$$;

comment on function private.end_alert_deliveries() is
  'Takes deliveries from workers that are dead, and drops those that are no longer needed. An alert that '
  'is resolved because its rule is off has none.';

create function private.add_alert_deliveries() returns void
language plpgsql
set search_path = ''
as $$
begin
  with added as (
    insert into private.alert_deliveries (alert_id, event, body)
    select t.id, t.event, jsonb_build_object(
      'text', concat_ws(
        ': ', case t.event when 'opened' then 'Open' when 'repeated' then 'Still open' else 'Over' end,
        coalesce(t.subject_name, t.subject), t.problem
      ) || '.',
      'kind', t.kind, 'subject', t.subject, 'state', t.state,
      'since', private.iso_time(t.opened_at), 'details', t.details
    )
    from private.alert_notifications_due t
    returning alert_id
  )
  -- The messages of an earlier alert of the subject go first.
  update private.alert_deliveries d
  set due_at = now()
  where d.state = 'pending' and d.lease_until is null and d.alert_id in (
    select earlier.id
    from added
    join public.alerts a on a.id = added.alert_id
    join public.alerts earlier on earlier.kind = a.kind and earlier.subject = a.subject and earlier.opened_at < a.opened_at
  );
end
$$;

comment on function private.add_alert_deliveries() is 'Makes the deliveries that are due. The caller has the lock of claims.';

create function private.take_alert_deliveries(max integer) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  claimed jsonb;
begin
  with taken as (
    update private.alert_deliveries d
    set attempt = d.attempt + 1, lease_until = clock_timestamp() + interval '30 seconds'
    where d.id = any (array(
      select locked.id
      from private.alert_deliveries locked
      where locked.id in (select due.id from private.due_alert_deliveries due)
        -- Again, as it is when its lock was had.
        and locked.state = 'pending' and locked.lease_until is null
      order by locked.created_at, locked.id
      limit take_alert_deliveries.max
      for update skip locked
    ))
    returning d.id, d.attempt, d.body, d.created_at
  )
  select coalesce(
    jsonb_agg(jsonb_build_object('id', t.id, 'attempt', t.attempt, 'body', t.body) order by t.created_at, t.id), '[]')
  into claimed
  from taken t;
  return claimed;
end
$$;

comment on function private.take_alert_deliveries(integer) is 'Gives up to max due deliveries to a worker, for 30 seconds.';

create function public.record_alert_delivery(
  id uuid,
  attempt integer,
  outcome text,
  code text,
  retry_after integer default null
) returns text
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  -- How long the end of an alert is sent again. An alert that is open is sent until it ends.
  patience constant interval := '7 days';
  claimed private.alert_deliveries;
begin
  select d.* into claimed from private.alert_deliveries d where d.id = record_alert_delivery.id for update;
  if not found or claimed.state <> 'pending' then
    return claimed.state;
  elsif outcome = 'delivered' then
    update private.alert_deliveries d
    set state = 'delivered', outcome = code, lease_until = null, delivered_at = now()
    where d.id = claimed.id;
    update public.alerts a
    set told_at = case when claimed.event <> 'resolved' then now() end
    where a.id = claimed.alert_id;
    -- The receiver is back, so what waits for it need wait no longer.
    update private.alert_deliveries d
    set due_at = now()
    where d.id = any (array(
      select waiting.id
      from private.alert_deliveries waiting
      where waiting.state = 'pending' and waiting.lease_until is null and waiting.due_at > now()
      for update skip locked
    ));
    return 'delivered';
  elsif outcome not in ('refused', 'lost') then
    raise exception 'outcome: "%" is unknown', private.quoted(outcome) using errcode = 'invalid_parameter_value';
  elsif claimed.attempt <> record_alert_delivery.attempt then
    return claimed.state;
  end if;

  update private.alert_deliveries d
  set
    state = case
      when d.event = 'test' or d.event = 'resolved' and d.created_at <= now() - patience then 'failed'
      else 'pending'
    end,
    outcome = code,
    lease_until = null,
    due_at = now() + make_interval(secs => least(greatest(10 * 2 ^ least(d.attempt - 1, 9), retry_after), 3600))
  where d.id = claimed.id
  returning d.* into claimed;
  update public.alerts a
  set told_at = case when claimed.state = 'pending' then coalesce(a.told_at, case outcome when 'lost' then now() end) end
  where a.id = claimed.alert_id;
  return claimed.state;
end
$$;

comment on function public.record_alert_delivery(uuid, integer, text, text, integer) is
  'Records what became of a delivery. attempt is that of claim_alert_deliveries(). outcome: `delivered`; `refused`: the '
  'receiver has not taken it; `lost`: there was no response. code says which, such as `HTTP 500`. One that was not '
  'delivered is sent again after retry_after seconds, or after a pause that grows from 10 seconds to an hour: until its '
  'alert has resolved, and then for a week. A test is sent once. Returns the state in which it is left, null where there '
  'is none. A late report changes nothing unless it was delivered. 22023 for an unknown outcome.';

create function public.test_alert() returns uuid
language plpgsql
set search_path = ''
as $$
declare
  test_id uuid;
begin
  insert into private.alert_deliveries (event, body)
  values ('test', jsonb_build_object(
    'text', 'This is a test: alerts arrive here.', 'kind', 'test', 'subject', 'test', 'state', 'open',
    'since', private.iso_time(now()), 'details', '{}'::jsonb
  ))
  returning id into test_id;
  -- The worker is asked at once, also where it had no URL before.
  update private.alert_receivers r set asked_at = '-infinity' where r.name = 'webhook';
  return test_id;
end
$$;

comment on function public.test_alert() is
  'Queues a delivery of the kind `test`, which the worker sends once, within some seconds. Returns its id in '
  'private.alert_deliveries, whose state and outcome then say what became of it: `not_configured` where no URL is set.';

grant execute on function public.claim_alert_deliveries(integer, boolean, boolean),
  public.record_alert_delivery(uuid, integer, text, text, integer), public.test_alert() to service_role;
