-- The worker claims dispatches and sends them: destinations/claim.sql has their states. This area spans all others: before a
-- claim, the dispatches of alerts are made.

create function public.claim_dispatches(
  max integer,
  can_mail boolean,
  alert_url_is_set boolean,
  can_push boolean default false
) returns jsonb
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
  perform private.note_setting('push', can_push);
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
        and case d.kind when 'email' then can_mail when 'push' then can_push else d.agency_id is not null or alert_url_is_set end
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
          'id', d.id, 'kind', d.kind, 'url', coalesce(d.url, s.endpoint),
          'push_keys', case when s.id is not null then jsonb_build_object('p256dh', s.p256dh, 'auth', s.auth) end,
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
  join public.destinations d on d.id = p.destination_id
  left join public.push_subscriptions s on s.id = d.push_subscription_id;

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
  where d.is_on and d.agency_id is not null and case d.kind when 'email' then can_mail when 'push' then can_push else true end;
  return jsonb_build_object('dispatches', claimed, 'next_at', private.iso_time(next_at));
end
$$;

comment on function public.claim_dispatches(integer, boolean, boolean, boolean) is
  'Gives the worker up to max dispatches that are due, each for 60 seconds: {dispatches: [{id, attempt, event, lead_id|null, '
  'body, destination: {id, kind, url|null, push_keys: {p256dh, auth}|null, address|null, template|null, accepted_when|null, rejected_when|null, headers: '
  '{name: value}, secrets: [whsec_...]}}], next_at|null: when the next one is due, or a lease ends}. secrets: the newest '
  'first; during a day after a rotation there are two. Of a destination at most max_at_once are with workers, one while its '
  'last attempt has failed, and of a lead one at a time, in the order of its events. Those that work come before those that '
  'fail, of which at most 8 are with workers; each has an equal share of max. can_mail: without it no e-mail is claimed; can_push: without it no push; '
  'alert_url_is_set: without it no alert. The destination of alerts has no url and no secrets. Pass id and attempt to '
  'record_dispatch().';
grant execute on function public.claim_dispatches(integer, boolean, boolean, boolean) to service_role;
