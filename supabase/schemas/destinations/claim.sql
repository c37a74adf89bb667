-- What a claim of dispatches is made of. The worker calls claim_dispatches() and record_dispatch(), which span areas: see
-- supabase/schemas/worker.
--
-- - waiting and due, claim_dispatches(): sending, with a lease of 60 s
-- - sending, its lease is over, claim_dispatches(): waiting and due, or failed after the last attempt
-- - sending, record_dispatch():
--   - delivered, rejected, failed: the same
--   - gone: failed, and its destination is off
--   - retry: waiting, due after a pause; failed after the eighth attempt, or for alerts as alerts/notify.sql says
-- - failed or rejected, retry_dispatches(), the agency has the lead: waiting and due
-- - waiting, the person is erased: cancelled
--
-- Locks: a claim locks a destination, and passes over its dispatches that are locked. A record locks a dispatch, and then its
-- destination only where that begins or ceases to fail.

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
      on s.name = case when d.agency_id is null then 'alerts' when d.kind = 'email' then 'mail' when d.kind = 'push' then 'push' end
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

comment on function private.is_dispatch_due() is
  'Whether the worker would find a dispatch to send. Reads one row of each destination.';
