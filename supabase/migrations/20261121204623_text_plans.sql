set local check_function_bodies = off;

drop index "public"."text_outbox_unconfirmed_idx";

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
    where o.state = 'unconfirmed' and o.due_at <= now() and (o.lease_until is null or o.lease_until <= now())
    order by o.due_at, o.ordinal
    limit claim_lookups.max
    for update skip locked
  loop
    update public.text_outbox o
    set
      claim = o.claim + 1,
      lease_until = clock_timestamp() + interval '60 seconds',
      attempted_at = coalesce(o.attempted_at, o.created_at)
    where o.message_id = found_text.message_id
    returning o.* into found_text;
    texts := texts || private.claimed_text(found_text, 'look_up');
  end loop;
end
$function$;

create or replace function private.claim_sends (
  max integer,
  OUT texts jsonb,
  OUT next_at timestamp with time zone
)
  returns record
  language plpgsql
  set search_path to ''
  set enable_seqscan to 'off'
  set enable_bitmapscan to 'off'
  set enable_sort to 'off'
  set enable_incremental_sort to 'off'
  AS $function$
declare
  -- When to come again for what another worker has locked, and for what is left when much had to be held or refused.
  soon constant timestamptz := clock_timestamp() + interval '50 milliseconds';
  max_examined constant integer := max + 200;
  burst constant interval := '1 second';
  max_validity constant interval := '36000 seconds';
  examined integer := 0;
  service_phone text;
  number public.service_numbers;
  candidate record;
  waiting public.text_outbox;
  conversation public.recruiting_conversations;
  hours record;
  duration interval;
  validity_seconds integer;
begin
  texts := '[]';
  if coalesce((
    select o.due_at > now() from public.text_outbox o where o.state = 'pending' order by o.due_at limit 1
  ), true) then
    return;
  end if;

  for service_phone in
    select n.phone
    from public.service_numbers n
    cross join (values (0), (1)) p (priority)
    cross join lateral (
      select
      from public.text_outbox o
      where o.service_phone = n.phone and o.state = 'pending' and o.priority = p.priority and o.due_at <= now()
      order by o.due_at, o.ordinal
      limit 1
    ) due
    where n.status = 'active'
    group by n.phone, n.busy_until
    order by n.busy_until, n.phone
  loop
    exit when jsonb_array_length(texts) >= max or examined >= max_examined;
    select n.* into number
    from public.service_numbers n
    where n.phone = service_phone and n.status = 'active'
    for no key update skip locked;
    if not found then
      next_at := least(next_at, soon);
      continue;
    elsif number.busy_until > now() + burst then
      next_at := least(next_at, number.busy_until - burst);
      continue;
    end if;

    <<due_texts>>
    for priority in 0..1 loop
      for candidate in
        select o.message_id, o.segments, c.agency_id, c.recruit_phone
        from public.text_outbox o
        join public.recruiting_conversations c on c.id = o.conversation_id and c.agency_id = number.agency_id
        where o.service_phone = number.phone
          and o.state = 'pending'
          and o.priority = due_texts.priority
          and o.due_at <= now()
          and not private.is_behind(o)
        order by o.due_at, o.ordinal
      loop
        exit due_texts when jsonb_array_length(texts) >= max;
        duration := make_interval(secs => least(candidate.segments / number.segments_per_second, 86400)::double precision);
        if number.busy_until > now() and number.busy_until + duration > now() + burst then
          next_at := least(next_at, number.busy_until - greatest(burst - duration, '0'));
          exit due_texts;
        end if;
        examined := examined + 1;
        if examined > max_examined then
          next_at := least(next_at, soon);
          exit due_texts;
        elsif not private.try_lock_consent(candidate.agency_id, candidate.recruit_phone) then
          next_at := least(next_at, soon);
          continue;
        end if;

        -- Everything again, as it is now that nobody else claims texts of this conversation.
        select o.* into waiting
        from public.text_outbox o
        where o.message_id = candidate.message_id
          and o.state = 'pending'
          and o.due_at <= now()
          and not private.is_behind(o)
        for update skip locked;
        continue when not found;
        select c.* into conversation from public.recruiting_conversations c where c.id = waiting.conversation_id;

        if private.is_opted_out(conversation.agency_id, conversation.recruit_phone) then
          perform private.end_text(waiting, 'refused', 'opted_out', '21610');
          continue;
        end if;
        hours := private.sending_hours(conversation, waiting.kind);
        if hours.opens_at > now() then
          update public.text_outbox o
          set due_at = hours.opens_at, reason = 'quiet_hours'
          where o.message_id = waiting.message_id;
          continue;
        end if;

        update public.text_outbox o
        set
          state = 'sending',
          attempt = o.attempt + 1,
          claim = o.claim + 1,
          attempted_at = clock_timestamp(),
          lease_until = clock_timestamp() + interval '60 seconds',
          lookups = 0,
          reason = null
        where o.message_id = waiting.message_id
        returning o.* into waiting;
        number.busy_until := greatest(number.busy_until, now()) + duration;
        validity_seconds := case
          when hours.closes_at is not null
            then floor(extract(epoch from least(hours.closes_at, now() + max_validity) - now()))
        end;
        texts := texts || private.claimed_text(waiting, 'send', validity_seconds);
      end loop;
    end loop;

    update public.service_numbers n
    set busy_until = number.busy_until
    where n.phone = number.phone and n.busy_until <> number.busy_until;
  end loop;
end
$function$;

create or replace function private.is_behind (
  waiting public.text_outbox
)
  returns boolean
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return coalesce((
    select true
    from public.text_outbox o
    where o.conversation_id = waiting.conversation_id
      and o.state in ('pending', 'sending', 'unconfirmed')
      and o.message_id <> waiting.message_id
      and case o.state
        when 'sending' then true
        when 'unconfirmed' then o.due_at < 'infinity'
        -- One that has been claimed before keeps its place while it waits to be tried again.
        else o.ordinal < waiting.ordinal
          and (o.due_at <= now() or o.claim > 0 and o.reason is distinct from 'quiet_hours')
      end
    order by o.ordinal
    limit 1
  ), false);
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
    where o.state = 'unconfirmed' and o.due_at <= now() and (o.lease_until is null or o.lease_until <= now())
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
  ), false);
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
    where o.state = 'unconfirmed' and o.due_at <= now() and (o.lease_until is null or o.lease_until <= now())
    order by o.due_at, o.ordinal
    for update skip locked
  loop
    update public.text_outbox o
    set due_at = now() + make_interval(secs => seconds)
    where o.message_id = postponed_id;
  end loop;
end
$function$;

create or replace function private.release_replies (
  conversation_id uuid
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  with held as (
    select o.message_id
    from public.text_outbox o
    where o.conversation_id = release_replies.conversation_id
      and o.state = 'pending'
      and o.kind = 'agent'
      and o.reason = 'quiet_hours'
      and o.due_at > now()
    order by o.ordinal
    for update
  )
  update public.text_outbox o
  set due_at = now(), reason = null
  from held h
  where o.message_id = h.message_id;
end
$function$;

create index text_outbox_unconfirmed_idx on public.text_outbox using btree (due_at, ordinal)
  where (state = 'unconfirmed'::text);
