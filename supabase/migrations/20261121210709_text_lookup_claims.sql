set local check_function_bodies = off;

alter table "public"."text_consent_events"
  alter column "occurred_at" set default clock_timestamp();

create or replace function private.claim_lookups (
  max integer,
  OUT texts jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  set enable_seqscan to 'off'
  set enable_bitmapscan to 'off'
  set enable_sort to 'off'
  set enable_incremental_sort to 'off'
  AS $function$
declare
  found_text public.text_outbox;
begin
  -- Nobody knows whether a dead worker has sent its text. One that was sent again gets its 10 minutes all the same.
  for found_text in
    select o.*
    from public.text_outbox o
    where o.state = 'sending' and o.lease_until <= now()
    order by o.lease_until
    limit 1000
    for update skip locked
  loop
    update public.text_outbox o
    set
      state = 'unconfirmed',
      reason = 'worker_died',
      claim = o.claim + 1,
      lease_until = null,
      attempted_at = coalesce(o.attempted_at, o.created_at),
      due_at = case when o.resends = 0 then now() else coalesce(o.attempted_at, o.created_at) + interval '10 minutes' end
    where o.message_id = found_text.message_id;
  end loop;

  texts := '[]';
  for found_text in
    select o.*
    from public.text_outbox o
    where o.state = 'unconfirmed' and o.due_at <= now()
    order by o.due_at, o.ordinal
    limit claim_lookups.max
    for update skip locked
  loop
    update public.text_outbox o
    set
      claim = o.claim + 1,
      -- When another worker may look it up. A lease of its own would hold it longer than due_at says.
      due_at = clock_timestamp() + interval '60 seconds',
      attempted_at = coalesce(o.attempted_at, o.created_at)
    where o.message_id = found_text.message_id
    returning o.* into found_text;
    texts := texts || private.claimed_text(found_text, 'look_up');
  end loop;
end
$function$;

create or replace function private.is_text_due()
  returns boolean
  language plpgsql
  stable
  set search_path to ''
  set enable_seqscan to 'off'
  set enable_bitmapscan to 'off'
  set enable_sort to 'off'
  set enable_incremental_sort to 'off'
  AS $function$
begin
  return coalesce((
    select o.lease_until <= now()
    from public.text_outbox o
    where o.state = 'sending'
    order by o.lease_until
    limit 1
  ), false) or coalesce((
    select true
    from public.text_outbox o
    where o.state = 'unconfirmed' and o.due_at <= now()
    order by o.due_at
    limit 1
  ), false) or coalesce((
    select o.due_at <= now() from public.text_outbox o where o.state = 'pending' order by o.due_at limit 1
  ), false) and coalesce((
    select true
    from public.service_numbers n
    cross join (values (0), (1)) p (priority)
    cross join lateral (
      select
      from public.text_outbox o
      join public.recruiting_conversations c on c.id = o.conversation_id and c.agency_id = n.agency_id
      where o.service_phone = n.phone
        and o.state = 'pending'
        and o.priority = p.priority
        and o.due_at <= now()
        and not private.is_behind(o)
      order by o.due_at, o.ordinal
      limit 1
    ) due
    where n.status = 'active' and n.busy_until <= now() + interval '1 second'
    limit 1
  ), false) or exists (select from private.waiting_greetings);
end
$function$;

create or replace function private.postpone_texts (
  seconds integer
)
  returns void
  language plpgsql
  set search_path to ''
  set enable_seqscan to 'off'
  set enable_bitmapscan to 'off'
  set enable_sort to 'off'
  set enable_incremental_sort to 'off'
  AS $function$
declare
  postponed_id uuid;
begin
  for postponed_id in
    select o.message_id
    from public.text_outbox o
    join public.service_numbers n on n.phone = o.service_phone and n.status = 'active'
    where o.state = 'pending' and o.due_at <= now()
    order by o.due_at
    for update of o skip locked
  loop
    -- The claim too, so that a text keeps its place before those that are queued meanwhile.
    update public.text_outbox o
    set due_at = now() + make_interval(secs => seconds), claim = o.claim + 1
    where o.message_id = postponed_id;
  end loop;

  for postponed_id in
    select o.message_id
    from public.text_outbox o
    where o.state = 'unconfirmed' and o.due_at <= now()
    order by o.due_at, o.ordinal
    for update skip locked
  loop
    update public.text_outbox o
    set due_at = now() + make_interval(secs => seconds)
    where o.message_id = postponed_id;
  end loop;
end
$function$;

create or replace function public.record_text_lookup (
  message_id uuid,
  attempt integer,
  sids text[],
  may_resend boolean default true
)
  returns text
  language plpgsql
  set search_path to ''
  AS $function$
declare
  found_sid constant text := (
    select s.sid
    from unnest(sids) with ordinality s (sid, n)
    where not exists (
      select from public.recruiting_messages m where m.provider_message_id = private.indexable_id(s.sid)
    )
    order by s.n
    limit 1
  );
  -- A text that ends every worker must not be sent for ever.
  max_resends constant integer := 5;
  claimed public.text_outbox;
begin
  if found_sid is not null then
    return private.accept_text(message_id, found_sid);
  end if;

  select o.* into claimed from public.text_outbox o where o.message_id = record_text_lookup.message_id for update;
  if claimed.claim is distinct from record_text_lookup.attempt or claimed.state <> 'unconfirmed' then
    return claimed.state;
  elsif claimed.resends > 0 and not (claimed.reason = 'worker_died' and claimed.resends < max_resends and may_resend) then
    perform private.end_text(claimed, 'failed', 'unconfirmed', null);
    perform private.notify_agent(claimed.conversation_id, claimed.message_id, 'failed');
    return 'failed';
  elsif claimed.resends = 0 and claimed.lookups = 0 then
    update public.text_outbox o
    set lookups = 1, claim = o.claim + 1, due_at = o.attempted_at + interval '2 minutes'
    where o.message_id = claimed.message_id;
    return 'unconfirmed';
  elsif may_resend then
    update public.text_outbox o
    set state = 'pending', reason = 'resend', lookups = 0, resends = o.resends + 1, due_at = now()
    where o.message_id = claimed.message_id;
    return 'pending';
  else
    update public.text_outbox o
    set reason = 'unconfirmed', lookups = o.lookups + 1, claim = o.claim + 1, due_at = 'infinity'
    where o.message_id = claimed.message_id;
    perform private.notify_agent(claimed.conversation_id, claimed.message_id, 'failed');
    return 'unconfirmed';
  end if;
end
$function$;

create or replace function public.record_text_outcome (
  message_id uuid,
  attempt integer,
  outcome text,
  sid text default null::text,
  code text default null::text,
  retry_after integer default null::integer
)
  returns text
  language plpgsql
  set search_path to ''
  AS $function$
declare
  credentials_pause constant integer := 60;
  claimed public.text_outbox;
  conversation public.recruiting_conversations;
begin
  if outcome = 'accepted' then
    return private.accept_text(message_id, sid);
  elsif outcome = 'opted_out' then
    -- Before any row is locked, as everywhere.
    select c.* into conversation
    from public.recruiting_messages m
    join public.recruiting_conversations c on c.id = m.conversation_id
    where m.id = record_text_outcome.message_id;
    if found then
      perform private.lock_consent(conversation.agency_id, conversation.recruit_phone);
    end if;
  end if;

  select o.* into claimed from public.text_outbox o where o.message_id = record_text_outcome.message_id for update;
  if claimed.claim is distinct from record_text_outcome.attempt or claimed.state not in ('sending', 'unconfirmed') then
    return claimed.state;
  elsif claimed.state = 'unconfirmed' then
    -- A look-up without a response. It is not counted, so that nothing is sent again because of it.
    update public.text_outbox o
    set
      claim = o.claim + 1,
      due_at = now() + make_interval(secs => case outcome when 'credentials' then credentials_pause else 20 end)
    where o.message_id = claimed.message_id;
    if outcome = 'credentials' then
      perform private.postpone_texts(credentials_pause);
    end if;
    return claimed.state;
  end if;

  case outcome
    when 'unconfirmed' then
      update public.text_outbox o
      set
        state = 'unconfirmed',
        reason = coalesce(code, 'no_response'),
        lease_until = null,
        due_at = coalesce(o.attempted_at, now())
          + case when o.resends = 0 then interval '20 seconds' else interval '10 minutes' end
      where o.message_id = claimed.message_id;
      return 'unconfirmed';
    when 'later' then
      update public.text_outbox o
      set
        state = 'pending',
        reason = coalesce(code, 'later'),
        lease_until = null,
        due_at = now() + make_interval(
          secs => least(greatest(coalesce(retry_after, least(5 * 2 ^ least(o.attempt - 1, 6), 300)), 1), 3600))
      where o.message_id = claimed.message_id;
      return 'pending';
    when 'credentials' then
      update public.text_outbox o
      set
        state = 'pending',
        attempt = o.attempt - 1,
        lease_until = null,
        due_at = now() + make_interval(secs => credentials_pause)
      where o.message_id = claimed.message_id;
      perform private.postpone_texts(credentials_pause);
      return 'pending';
    when 'number_paused' then
      update public.text_outbox o
      set state = 'pending', reason = 'number_paused', lease_until = null, due_at = now()
      where o.message_id = claimed.message_id;
      update public.service_numbers n
      set status = 'paused', paused_reason = code
      where n.phone = claimed.service_phone and n.status = 'active';
      return 'pending';
    when 'opted_out' then
      perform private.end_text(claimed, 'refused', 'opted_out', coalesce(code, '21610'));
      perform private.record_consent(
        conversation.agency_id, conversation.recruit_phone, 'opted_out', 'provider', message_id => claimed.message_id,
        -- The recruit may have opted in since.
        occurred_at => claimed.attempted_at);
      perform private.notify_agent(claimed.conversation_id, claimed.message_id, 'failed');
      return 'refused';
    when 'failed' then
      perform private.end_text(claimed, 'failed', coalesce(code, 'failed'), code);
      perform private.notify_agent(claimed.conversation_id, claimed.message_id, 'failed');
      return 'failed';
    else
      raise exception 'outcome: "%" is unknown', outcome using errcode = 'invalid_parameter_value';
  end case;
end
$function$;
