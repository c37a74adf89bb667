-- The worker's part: it claims dispatches and sends them. record.sql records what became of each.
--
-- - waiting and due, claim_dispatches(): sending, with a lease of 60 s
-- - sending, its lease is over, claim_dispatches(): waiting and due, or failed after the last attempt
-- - sending, record_dispatch():
--   - delivered, rejected, failed: the same
--   - gone: failed, and its destination is off
--   - retry: waiting, due after a pause; failed after the eighth attempt, or for alerts as alerts/notify.sql says
-- - failed or rejected, retry_dispatches(): waiting and due
-- - waiting, the person is erased: cancelled
--
-- Locks: a claim locks a destination, and passes over its dispatches that are locked. A record locks a dispatch, and then its
-- destination only where that begins or ceases to fail.

create function public.claim_dispatches(max integer, can_mail boolean, alert_url_is_set boolean) returns jsonb
language plpgsql
set search_path = ''
-- By the indexes, also with a plan that was made while the tables were small.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
as $$
declare
  failing_at_once constant integer := 8;
  is_failing boolean;
  free integer;
  destinations uuid[];
  destination_id uuid;
  taken uuid[] := '{}';
  claimed jsonb;
  next_at timestamptz;
begin
  perform private.note_setting('mail', can_mail);
  perform private.note_setting('alerts', alert_url_is_set);
  perform private.end_lapsed_dispatches();
  if alert_url_is_set then
    perform private.make_alert_dispatches();
  else
    update private.dispatches p
    set state = 'failed', reason = 'not_configured', ended_at = clock_timestamp()
    from public.destinations d
    where d.agency_id is null and p.destination_id = d.id and p.state = 'waiting' and p.event = 'test';
  end if;

  -- Those that work come first. Of the others, which may take long to answer, only some are tried at once.
  foreach is_failing in array '{false,true}'::boolean[] loop
    free := claim_dispatches.max - cardinality(taken);
    if is_failing then
      free := least(free, failing_at_once - (
        select count(*)
        from public.destinations d
        join private.dispatches p on p.destination_id = d.id and p.state = 'sending'
        where d.failing_since is not null
      ));
    end if;
    continue when free <= 0;
    destinations := array(
      select d.id
      from public.destinations d
      cross join lateral (
        select p.due_at
        from private.dispatches p
        where p.destination_id = d.id and p.state = 'waiting'
        order by p.due_at, p.seq
        limit 1
      ) w
      cross join lateral (
        select count(*) as sending from private.dispatches p where p.destination_id = d.id and p.state = 'sending'
      ) f
      where d.is_on and (d.failing_since is not null) = is_failing and w.due_at <= clock_timestamp()
        and f.sending < case when is_failing then 1 else d.max_at_once end
        and case when d.agency_id is null then alert_url_is_set else can_mail or d.kind = 'webhook' end
      order by f.sending, w.due_at
      limit free
      for no key update of d skip locked
    );
    foreach destination_id in array destinations loop
      taken := taken || private.take_dispatches(
        destination_id,
        -- An equal share, so that none waits for another that has more to send.
        least(ceil(free / cardinality(destinations)::numeric)::integer, claim_dispatches.max - cardinality(taken)));
    end loop;
  end loop;

  select coalesce(
    jsonb_agg(
      jsonb_build_object(
        'id', p.id, 'attempt', p.attempt, 'event', p.event, 'lead_id', p.lead_id, 'body', p.body,
        'destination', jsonb_build_object(
          'id', d.id, 'kind', d.kind, 'url', d.url,
          'address', coalesce(d.address, (select a.email from public.agents a where a.id = d.agent_id)), 'template', d.template,
          'accepted_when', d.accepted_when, 'rejected_when', d.rejected_when,
          'headers', (
            select coalesce(jsonb_object_agg(s.name, s.secret), '{}')
            from private.destination_secrets s
            where s.destination_id = d.id and s.kind = 'header'
          ),
          'secrets', (
            select coalesce(jsonb_agg(s.secret order by s.created_at desc), '[]')
            from private.destination_secrets s
            where s.destination_id = d.id and s.kind = 'signing' and (s.expires_at is null or s.expires_at > now())
          ))
      ) order by t.place),
    '[]')
  into claimed
  from unnest(taken) with ordinality t (id, place)
  join private.dispatches p on p.id = t.id
  join public.destinations d on d.id = p.destination_id;

  select min(case
    when f.sending < case when d.failing_since is null then d.max_at_once else 1 end then least(w.due_at, f.lease_until)
    -- The worker that sends these comes again.
    else f.lease_until
  end) into next_at
  from public.destinations d
  cross join lateral (
    select min(p.lease_until) as lease_until, count(*) as sending
    from private.dispatches p
    where p.destination_id = d.id and p.state = 'sending'
  ) f
  left join lateral (
    select p.due_at
    from private.dispatches p
    where p.destination_id = d.id and p.state = 'waiting'
    order by p.due_at, p.seq
    limit 1
  ) w on true
  -- Alerts are sent again by a later run.
  where d.is_on and d.agency_id is not null and (can_mail or d.kind = 'webhook');
  return jsonb_build_object('dispatches', claimed, 'next_at', private.iso_time(next_at));
end
$$;

comment on function public.claim_dispatches(integer, boolean, boolean) is
  'Gives the worker up to max dispatches that are due, each for 60 seconds: {dispatches: [{id, attempt, event, lead_id|null, body, '
  'destination: {id, kind, url|null, address|null, template|null, accepted_when|null, rejected_when|null, headers: {name: value}, '
  'secrets: [whsec_...]}}], next_at|null: when the next one is due, or a lease ends}. secrets: the newest first; during a day after a rotation there are two. Of a destination '
  'at most max_at_once are with workers, one while its last attempt has failed, and of a lead one at a time, in the order of its '
  'events. Those that work come before those that fail, of which at most 8 are with workers; each has an equal share of max. can_mail: without it no e-mail is claimed; alert_url_is_set: without it no '
  'alert. The destination of alerts has no url and no secrets. Pass id and attempt to record_dispatch().';

create function private.end_lapsed_dispatches() returns void
language plpgsql
set search_path = ''
as $$
declare
  as_of constant timestamptz := clock_timestamp();
begin
  -- Nobody knows whether a dead worker has sent it: it is sent again with the same id.
  update private.dispatches p
  set
    state = l.state, ended_at = case when l.state <> 'waiting' then as_of end, lease_until = null, reason = 'worker_died'
  from (
    select l.id, case
      when l.body is null then 'cancelled'
      when d.agency_id is not null and l.attempt - l.attempts_before >= 8 then 'failed'
      else 'waiting'
    end as state
    from public.destinations d
    cross join lateral (
      select s.*
      from private.dispatches s
      where s.destination_id = d.id and s.state = 'sending' and s.lease_until <= as_of
      order by s.lease_until
      for no key update skip locked
    ) l
  ) l
  where p.id = l.id;
end
$$;

comment on function private.end_lapsed_dispatches() is 'Takes dispatches from workers whose lease is over: they are due again.';

create function private.take_dispatches(destination_id uuid, max integer) returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  -- How many rows one claim reads.
  most constant integer := 100;
  as_of constant timestamptz := clock_timestamp();
  -- Not more than the destination takes at once.
  free constant integer := least(max, (
    select case when d.failing_since is null then d.max_at_once else 1 end
    from public.destinations d
    where d.id = take_dispatches.destination_id
  ) - (
    select count(*)
    from private.dispatches p
    where p.destination_id = take_dispatches.destination_id and p.state = 'sending'
  ));
  candidate record;
  earlier private.dispatches;
  taken uuid[] := '{}';
begin
  for candidate in
    select p.id, p.lead_id, p.seq
    from private.dispatches p
    where p.destination_id = take_dispatches.destination_id and p.state = 'waiting' and p.due_at <= as_of
    order by p.due_at, p.seq
    limit most
    for no key update skip locked
  loop
    exit when cardinality(taken) >= free;
    select p.* into earlier
    from private.dispatches p
    where p.destination_id = take_dispatches.destination_id and p.lead_id = candidate.lead_id
      and p.state in ('waiting', 'sending')
    order by p.seq
    limit 1;
    if earlier.seq < candidate.seq then
      -- It is looked at again when the earlier one may have ended. record_dispatch() releases it sooner.
      update private.dispatches p
      set due_at = greatest(earlier.lease_until, earlier.due_at, as_of)
      where p.id = candidate.id;
      continue;
    end if;
    update private.dispatches p
    set state = 'sending', attempt = p.attempt + 1, lease_until = clock_timestamp() + interval '60 seconds'
    where p.id = candidate.id;
    taken := taken || candidate.id;
  end loop;
  return taken;
end
$$;

comment on function private.take_dispatches(uuid, integer) is
  'Gives up to max due dispatches of a destination to a worker. The caller has locked the destination.';

create function private.is_dispatch_due() returns boolean
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_sort = off
as $$
begin
  return exists (
    select
    from public.destinations d
    left join private.sending_settings s
      on s.name = case when d.agency_id is null then 'alerts' when d.kind = 'email' then 'mail' end
    where d.is_on
      -- Where it was not set, the worker is asked again from time to time.
      and (s.is_set or s.name is null or s.asked_at not between now() - interval '5 minutes' and now())
      and (
        (
          select p.due_at
          from private.dispatches p
          where p.destination_id = d.id and p.state = 'waiting'
          order by p.due_at, p.seq
          limit 1
        ) <= clock_timestamp()
          -- The workers that send to it come again.
          and (select count(*) from private.dispatches p where p.destination_id = d.id and p.state = 'sending')
            < case when d.failing_since is null then d.max_at_once else 1 end
        or (
          select p.lease_until
          from private.dispatches p
          where p.destination_id = d.id and p.state = 'sending'
          order by p.lease_until
          limit 1
        ) <= clock_timestamp()
      )
  );
end
$$;

comment on function private.is_dispatch_due() is 'Whether the worker would find a dispatch to send. Reads one row of each destination.';

grant execute on function public.claim_dispatches(integer, boolean, boolean) to service_role;
