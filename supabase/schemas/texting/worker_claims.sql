-- How the worker gets texts to send and to look up. The states are in texting/worker.sql.

create function private.claimed_text(claimed public.text_outbox, task text, validity_seconds integer default null)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'message_id', claimed.message_id,
      'task', claimed_text.task,
      'attempt', claimed.claim,
      'kind', claimed.kind,
      'to', c.recruit_phone,
      'from', c.service_phone,
      'messaging_service_sid', n.messaging_service_sid,
      'body', coalesce(m.body, ''),
      'media', m.media,
      'validity_seconds', claimed_text.validity_seconds,
      'attempted_at', claimed.attempted_at
    )
    from public.recruiting_messages m
    join public.recruiting_conversations c on c.id = m.conversation_id
    left join public.service_numbers n on n.phone = c.service_phone
    where m.id = claimed.message_id
  );
end
$$;

comment on function private.claimed_text(public.text_outbox, text, integer) is
  'A claimed text as the worker needs it; see claim_texts().';
grant execute on function private.claimed_text(public.text_outbox, text, integer) to service_role;

create function private.claim_lookups(max integer, out texts jsonb)
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_incremental_sort = off
as $$
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
$$;

comment on function private.claim_lookups(integer) is
  'Texts of which nobody knows whether they were sent, for the worker to look up. See claim_texts().';
grant execute on function private.claim_lookups(integer) to service_role;

create function private.claim_sends(max integer, out texts jsonb, out next_at timestamptz)
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_incremental_sort = off
as $$
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
$$;

comment on function private.claim_sends(integer) is
  'Texts to send now. An agent''s come first, then those that have been due for longest; see claim_texts(). It never '
  'waits for a lock.';
grant execute on function private.claim_sends(integer) to service_role;

create function public.claim_texts(max integer) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  lookups jsonb;
  sends record;
begin
  perform private.queue_waiting_greetings(max);
  -- Look-ups come first, because the texts behind them wait. They leave room for others.
  lookups := private.claim_lookups((max + 1) / 2);
  sends := private.claim_sends(max - jsonb_array_length(lookups));
  return jsonb_build_object('texts', lookups || sends.texts, 'next_at', sends.next_at);
end
$$;

comment on function public.claim_texts(integer) is
  'Gives the worker up to max texts, each for 60 seconds: {texts: [{message_id, task: send|look_up, attempt, kind, to, '
  'from, messaging_service_sid|null, body, media, validity_seconds|null, attempted_at}], next_at|null}. '
  'To send: due, the next of its conversation, its number active and not busy, no opt-out, no quiet hours. It is '
  '`sending` from then on, and must be sent at once. To look up: unconfirmed and due. attempt is the number of the claim, '
  'for record_text_outcome() and record_text_lookup(). validity_seconds: how long the provider may keep it. next_at: '
  'when to call again, although nothing becomes due, because a number is busy or another worker has locked a text.';
grant execute on function public.claim_texts(integer) to service_role;
