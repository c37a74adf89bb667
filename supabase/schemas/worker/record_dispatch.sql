-- What became of a dispatch that a worker has sent: destinations/claim.sql has its states.

create function public.record_dispatch(
  id uuid,
  attempt integer,
  outcome text,
  status integer default null,
  excerpt text default null,
  reason text default null,
  retry_after integer default null
) returns text
language plpgsql
set search_path = ''
set lock_timeout = '5s'
as $$
declare
  -- In seconds. Without another one, it has failed.
  pauses constant integer[] := '{5,300,1800,7200,18000,36000,36000}';
  sent private.dispatches;
  destination public.destinations;
  ends_as text := case outcome when 'gone' then 'failed' else outcome end;
  pause integer;
begin
  if outcome not in ('delivered', 'rejected', 'gone', 'retry', 'failed') then
    raise exception 'outcome: "%" is unknown', private.quoted(outcome) using errcode = 'invalid_parameter_value';
  end if;
  select p.* into sent from private.dispatches p where p.id = record_dispatch.id for no key update;
  if not found or sent.state in ('delivered', 'cancelled')
    or (sent.state <> 'sending' or sent.attempt <> record_dispatch.attempt) and outcome <> 'delivered'
  then
    return sent.state;
  end if;
  select d.* into destination from public.destinations d where d.id = sent.destination_id;

  pause := pauses[sent.attempt - sent.attempts_before];
  if ends_as = 'retry' then
    ends_as := case when sent.body is null then 'cancelled' when pause is null then 'failed' else 'waiting' end;
  end if;
  if destination.agency_id is null and outcome <> 'delivered' then
    ends_as := case when sent.event = 'test' or sent.event = 'alert.resolved' and sent.created_at <= now() - interval '7 days'
      then 'failed' else 'waiting' end;
    pause := least(10 * 2 ^ least(sent.attempt - 1, 9), 3600);
    retry_after := least(coalesce(retry_after, 0), 3600);
  end if;
  update private.dispatches p
  set
    state = ends_as,
    lease_until = null,
    due_at = case when ends_as = 'waiting'
      then clock_timestamp() + make_interval(secs => greatest(pause, least(coalesce(retry_after, 0), 86400))) else p.due_at end,
    delivered_at = case when ends_as = 'delivered' then clock_timestamp() end,
    ended_at = case when ends_as <> 'waiting' then clock_timestamp() end,
    status = record_dispatch.status,
    -- The receiver may quote the person.
    excerpt = case when p.body is not null then left(record_dispatch.excerpt, 500) end,
    reason = case when p.body is not null then left(record_dispatch.reason, 500) end,
    return_due_at = case
      when ends_as = 'rejected' and destination.returns_rejected and p.body is not null and p.event in ('lead.distributed', 'lead.reassigned')
      then clock_timestamp() end
  where p.id = sent.id;
  if destination.agency_id is null then
    perform private.record_alerts(sent, ends_as, record_dispatch.status is null and record_dispatch.reason in ('lost', 'timeout'));
  end if;

  if ends_as <> 'waiting' and sent.lead_id is not null then
    update private.dispatches p
    set due_at = clock_timestamp()
    where p.id = (
      select next.id
      from private.dispatches next
      where next.destination_id = sent.destination_id and next.lead_id = sent.lead_id and next.state in ('waiting', 'sending')
      order by next.seq
      limit 1
    ) and p.state = 'waiting' and p.attempt = p.attempts_before;
  end if;

  if outcome = 'delivered' and destination.push_subscription_id is not null then
    update public.push_subscriptions s set last_used_at = clock_timestamp() where s.id = destination.push_subscription_id;
  end if;
  if outcome in ('delivered', 'rejected') then
    if destination.failing_since is not null then
      update public.destinations d set failing_since = null, failures = 0 where d.id = destination.id;
    end if;
  else
    update public.destinations d
    set failing_since = coalesce(d.failing_since, clock_timestamp()), failures = d.failures + 1
    where d.id = destination.id
    returning d.* into destination;
    if destination.is_on and destination.agency_id is not null
      and (outcome = 'gone' or destination.failing_since <= clock_timestamp() - interval '5 days')
    then
      delete from public.push_subscriptions s where s.id = destination.push_subscription_id;
      update public.destinations d
      set is_on = false, off_reason = case outcome
        when 'gone' then 'The receiver answered 410 Gone.' else 'Nothing but failures for five days.' end
      where d.id = destination.id;
    end if;
  end if;
  return ends_as;
end
$$;

comment on function public.record_dispatch(uuid, integer, text, integer, text, text, integer) is
  'Records what became of a dispatch. id and attempt are those of claim_dispatches(). outcome: `delivered`; `rejected`: the '
  'receiver has refused it for good; `gone`: the receiver wants nothing any more (410), so that its destination is switched '
  'off; `retry`: sent again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, or after retry_after seconds where that is '
  'longer, at most a day, and then failed; `failed`: never sent again. status, excerpt and reason: of the response, see '
  'private.dispatches. Returns the resulting state; null if there is no such dispatch. A late report changes nothing unless it '
  'was delivered. Five days of nothing but failures switch the destination off. A browser''s subscription is deleted '
  'in place of that, with all that waits for it. Alerts are sent again after 10 s to 1 h until '
  'they have resolved, and then for a week. 22023 for an unknown outcome.';

grant execute on function public.record_dispatch(uuid, integer, text, integer, text, text, integer) to service_role;
