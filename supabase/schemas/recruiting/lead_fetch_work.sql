-- The worker's part of lead_fetches.sql: it claims fetches, and records their outcomes.

create function public.claim_lead_fetches(max integer) returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  without_token uuid;
  claimed jsonb;
begin
  for without_token in
    select distinct d.vendor_id
    from (
      select f.vendor_id
      from private.lead_fetches f
      where f.state = 'waiting' and f.due_at <= now()
      order by f.due_at
      limit 100
    ) d
    where not exists (select from private.lead_fetch_tokens t where t.vendor_id = d.vendor_id)
    order by 1
  loop
    perform private.lock_lead_fetches(without_token);
    if not exists (select from private.lead_fetch_tokens t where t.vendor_id = without_token) then
      perform private.hold_lead_fetches(without_token, 'no_token');
    end if;
  end loop;

  with due as (
    select f.id
    from private.lead_fetches f
    where f.state = 'waiting' and f.due_at <= now()
    -- Among fetches that are released together, one that only its own page refuses moves to the end, so that it does
    -- not block the others.
    order by f.due_at, f.attempt
    limit claim_lead_fetches.max
    for update skip locked
  ), taken as (
    update private.lead_fetches f
    set attempt = f.attempt + 1, lease_until = now() + interval '1 minute', due_at = now() + interval '1 minute'
    from due
    where f.id = due.id
    returning f.*
  )
  select coalesce(
    jsonb_agg(jsonb_build_object(
      'id', f.id, 'attempt', f.attempt, 'leadgen_id', f.leadgen_id, 'request_id', f.request_id, 'vendor_id', f.vendor_id,
      'parser', v.parser, 'parser_config', v.parser_config, 'token', jsonb_build_object('id', t.id, 'secret', t.secret),
      'app_secrets', (
        select coalesce(jsonb_agg(s.secret order by s.created_at desc), '[]')
        from private.vendor_webhook_secrets s
        where s.vendor_id = f.vendor_id and s.kind = 'secret' and s.revoked_at is null
          and (s.expires_at is null or s.expires_at > now())
      )
    )),
    '[]')
  into claimed
  from taken f
  join public.vendors v on v.id = f.vendor_id
  join private.lead_fetch_tokens t on t.vendor_id = f.vendor_id;
  return claimed;
end
$$;

comment on function public.claim_lead_fetches(integer) is
  'Claims up to max leads to fetch, each for a minute: [{id, attempt, leadgen_id, request_id, vendor_id, parser|null, '
  'parser_config, token: {id, secret}, app_secrets}]. app_secrets: the valid ones, newest first. Pass id, attempt and '
  'the token''s id to record_lead_fetch(). If a worker dies, its fetches are due again after the minute. Fetches of a '
  'vendor without a valid token are held instead of claimed.';

create function public.record_lead_fetch(
  id uuid,
  attempt integer,
  token_id uuid,
  outcome text,
  reason text default null,
  retry_after integer default null,
  lead_id uuid default null,
  payload jsonb default null
) returns text
language plpgsql
set search_path = ''
set lock_timeout = '5s'
as $$
declare
  fetched private.lead_fetches;
  failing interval;
  ends_as text := outcome;
begin
  if outcome not in ('done', 'later', 'missing', 'refused', 'failed') then
    raise exception 'outcome: "%" is unknown', private.quoted(outcome) using errcode = 'invalid_parameter_value';
  end if;
  perform private.lock_lead_fetches(f.vendor_id) from private.lead_fetches f where f.id = record_lead_fetch.id;
  select f.* into fetched from private.lead_fetches f where f.id = record_lead_fetch.id for update;
  -- A stored lead counts, however late it is reported.
  if not found or fetched.state = 'done'
    or outcome <> 'done' and (fetched.state = 'failed' or fetched.attempt <> record_lead_fetch.attempt)
  then
    return fetched.state;
  end if;

  -- Other failures say nothing about whether Meta has the lead.
  if outcome = 'missing' and fetched.reason is distinct from record_lead_fetch.reason then
    fetched.failing_since := null;
  end if;
  failing := now() - coalesce(fetched.failing_since, now());
  if outcome = 'later' and failing >= interval '7 days' or outcome = 'missing' and failing >= interval '1 day' then
    ends_as := 'failed';
  end if;
  if ends_as = 'refused' then
    if exists (
      select from private.lead_fetch_tokens t where t.vendor_id = fetched.vendor_id and t.id <> record_lead_fetch.token_id
    ) then
      -- The new token has released all fetches, and it has not been refused.
      update private.lead_fetches f
      set due_at = now(), lease_until = null, reason = record_lead_fetch.reason
      where f.id = fetched.id;
    else
      perform private.hold_lead_fetches(fetched.vendor_id, reason);
    end if;
    return 'waiting';
  end if;

  update private.lead_fetches f
  set
    state = case ends_as when 'done' then 'done' when 'failed' then 'failed' else 'waiting' end,
    lease_until = null,
    -- A transient fault does not concern the token.
    held_since = case when ends_as = 'later' then f.held_since end,
    failing_since = case when ends_as in ('later', 'missing') then coalesce(fetched.failing_since, now()) end,
    due_at = case when ends_as in ('later', 'missing') then now() + private.fetch_pause(failing, retry_after) else f.due_at end,
    reason = record_lead_fetch.reason,
    -- The id of a duplicate of another vendor's lead is that of no lead.
    lead_id = (select l.id from public.recruiting_leads l where l.id = record_lead_fetch.lead_id)
  where f.id = fetched.id
  returning f.* into fetched;
  if fetched.held_since is null and ends_as <> 'later' then
    perform private.release_lead_fetches(fetched.vendor_id);
  end if;

  if ends_as = 'failed' then
    perform public.record_rejections(json_build_array(json_build_object(
      'request_id', fetched.request_id, 'route', '/recruiting/webhooks/:slug', 'vendor_id', fetched.vendor_id,
      'vendor_lead_id', fetched.leadgen_id, 'code', 'BAD_REQUEST', 'reason', case outcome
        when 'missing' then
          'Meta had no such lead for a day: it was deleted, or its form is not one that the access token may read'
        when 'later' then format('Meta did not give the lead for 7 days: %s', reason)
        else reason
      end,
      'payload', coalesce(payload, fetched.notice), 'payload_bytes', octet_length(coalesce(payload, fetched.notice)::text)
    )));
  elsif record_lead_fetch.lead_id is not null then
    update public.rejected_deliveries d
    set status = 'replayed', lead_id = record_lead_fetch.lead_id
    where d.vendor_id = fetched.vendor_id and d.vendor_lead_id = fetched.leadgen_id and d.status = 'open';
  end if;
  return fetched.state;
end
$$;

comment on function public.record_lead_fetch(uuid, integer, uuid, text, text, integer, uuid, jsonb) is
  'Records the outcome of a fetch. id, attempt and token_id are those of claim_lead_fetches(). outcome: `done` with '
  'the lead_id, or without one if it is not a lead; `later`: retried for 7 days, after retry_after seconds or a pause '
  'that grows from a minute to 6 hours; `missing`: the same for one day, counted anew after another failure; '
  '`refused`: the token was refused, so all fetches of the vendor wait, unless it has another token by now; `failed`: '
  'the response cannot be read as a lead. '
  'reason: see private.lead_fetches. payload: the fetched response, which becomes the rejected delivery of a failed '
  'fetch; null: the notice. Returns the resulting state; null if the fetch does not exist. A late report changes '
  'nothing unless it is `done`. 22023 for an unknown outcome.';

create function private.fetch_pause(failing interval, retry_after integer) returns interval
language sql
immutable
set search_path = ''
as $$
  select case
    when retry_after > 0 then make_interval(secs => least(retry_after, 86400))
    -- The pauses are 1, 5 and 15 minutes, 1, 3 and then 6 hours. Each begins when the earlier ones have passed.
    when failing < interval '1 minute' then interval '1 minute'
    when failing < interval '6 minutes' then interval '5 minutes'
    when failing < interval '21 minutes' then interval '15 minutes'
    when failing < interval '81 minutes' then interval '1 hour'
    when failing < interval '261 minutes' then interval '3 hours'
    else interval '6 hours'
  end
$$;

comment on function private.fetch_pause(interval, integer) is
  'Returns the pause before the next attempt of a fetch that has been failing for this time, at most a day. '
  'retry_after: the seconds that the vendor requests; null if it requests none.';

create function public.refetch_lead(delivery_id uuid) returns boolean
language plpgsql
set search_path = ''
set lock_timeout = '5s'
as $$
begin
  perform public.add_lead_fetches(d.vendor_id, d.request_id, jsonb_build_array(jsonb_build_object(
    'leadgen_id', d.vendor_lead_id, 'notice', d.payload)))
  from public.rejected_deliveries d
  where d.id = refetch_lead.delivery_id and d.status = 'open' and d.vendor_lead_id ~ '^[0-9]{1,32}$'
    and private.fetches_leads(d.vendor_id);
  return found;
end
$$;

comment on function public.refetch_lead(uuid) is
  'Schedules a fetch of the lead of a rejected notice, including a fetch that failed before. The delivery is replayed '
  'when the lead is stored. Returns false if the delivery is not open, has no lead id, or its vendor never had an '
  'access token.';

grant execute on function public.add_lead_fetches(uuid, text, jsonb), public.claim_lead_fetches(integer),
  public.record_lead_fetch(uuid, integer, uuid, text, text, integer, uuid, jsonb), public.refetch_lead(uuid) to service_role;
