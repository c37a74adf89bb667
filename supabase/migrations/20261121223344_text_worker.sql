set local check_function_bodies = off;

create or replace function private.accept_text (
  message_id uuid,
  sid text
)
  returns text
  language plpgsql
  set search_path to ''
  AS $function$
declare
  message_sid constant text := private.indexable_id(sid);
  sent public.text_outbox;
begin
  -- Before the rows, as every callback does.
  perform private.lock_callbacks(message_sid);
  select o.* into sent from public.text_outbox o where o.message_id = accept_text.message_id for update;
  if not found then
    return null;
  end if;

  update public.recruiting_messages m
  set
    provider_message_id = case
      when not exists (select from public.recruiting_messages other where other.provider_message_id = message_sid)
        then message_sid
    end,
    status = case when m.status is null or m.status = 'failed' then 'queued' else m.status end,
    error_code = null,
    failed_at = null
  where m.id = sent.message_id and m.provider_message_id is null;

  if sent.state <> 'accepted' then
    update public.text_outbox o
    set state = 'accepted', reason = null, lease_until = null
    where o.message_id = sent.message_id;
  end if;
  return 'accepted';
end
$function$;

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

create or replace function private.claimed_text (
  claimed public.text_outbox,
  task text,
  validity_seconds integer default null::integer
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
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
$function$;

create or replace function private.end_text (
  ended public.text_outbox,
  state text,
  reason text,
  code text
)
  returns text
  language plpgsql
  set search_path to ''
  AS $function$
begin
  update public.text_outbox o
  set state = end_text.state, reason = end_text.reason, lease_until = null
  where o.message_id = ended.message_id;
  update public.recruiting_messages m
  set status = 'failed', error_code = coalesce(code, m.error_code), failed_at = coalesce(m.failed_at, now())
  where m.id = ended.message_id;
  return end_text.state;
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
        -- One that has been claimed before keeps its place while it waits to be tried again. So does one that is about to be
        -- due: of two that are queued at once, the first may have a later due_at, and this transaction a still earlier now().
        else o.ordinal < waiting.ordinal
          and (
            o.due_at <= now()
            or o.reason is distinct from 'quiet_hours' and (o.claim > 0 or o.due_at <= now() + interval '1 minute')
          )
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

create or replace function private.retry_text (
  message_id uuid
)
  returns public.text_outbox
  language plpgsql
  set search_path to ''
  AS $function$
declare
  conversation public.recruiting_conversations;
  failed public.text_outbox;
  problem text;
begin
  select c.* into conversation
  from public.text_outbox o
  join public.recruiting_conversations c on c.id = o.conversation_id
  where o.message_id = retry_text.message_id;
  if not found then
    raise exception 'message_id: there is no such text' using errcode = 'PT404';
  end if;

  -- The consent's lock before rows, as everywhere.
  perform private.lock_consent(conversation.agency_id, conversation.recruit_phone);
  select o.* into failed from public.text_outbox o where o.message_id = retry_text.message_id for update;

  problem := case
    when exists (
      select
      from public.recruiting_messages m
      where m.id = retry_text.message_id and m.provider_message_id is not null
    ) or failed.state = 'accepted' then 'the provider has accepted this text'
    when failed.state = 'refused' then 'this text was refused, because the recruit had opted out'
    when failed.state in ('pending', 'sending') then 'this text is not sent yet'
    when failed.state = 'unconfirmed' and failed.due_at < 'infinity' then
      'the provider is still being asked for this text'
  end;
  if problem is not null then
    raise exception 'message_id: %', problem using errcode = 'PT409';
  elsif private.is_opted_out(conversation.agency_id, conversation.recruit_phone) then
    raise exception 'message_id: the recruit has opted out of texts from this agency' using errcode = 'PT403';
  end if;

  update public.recruiting_messages m
  set status = null, error_code = null, failed_at = null
  where m.id = retry_text.message_id;
  -- So that the agent is told if it fails again.
  delete from public.agent_notifications n
  where n.message_id = retry_text.message_id and n.kind = 'failed';
  update public.text_outbox o
  set state = 'pending', due_at = now(), reason = null, lease_until = null, lookups = 0, resends = 0
  where o.message_id = retry_text.message_id
  returning o.* into failed;
  return failed;
end
$function$;

create or replace function public.claim_texts (
  max integer
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
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

comment on function "private"."accept_text"(uuid, text) is 'The provider has the text under this MessageSid: it is accepted, whatever was believed before, and its message gets the MessageSid unless it has one, or another message has this one. The callbacks that came before are applied. Returns accepted, or null when the text is not in the outbox.';

comment on function "private"."claim_lookups"(integer) is 'Texts of which nobody knows whether they were sent, for the worker to look up. See claim_texts().';

comment on function "private"."claim_sends"(integer) is 'Texts to send now. An agent''s come first, then those that have been due for longest; see claim_texts(). It never waits for a lock.';

comment on function "private"."claimed_text"(public.text_outbox, text, integer) is 'A claimed text as the worker needs it; see claim_texts().';

comment on function "private"."end_text"(public.text_outbox, text, text, text) is 'Ends a text that was not sent: state refused or failed. Its message is failed, with the provider''s code.';

comment on function "private"."is_behind"(public.text_outbox) is 'Whether another text of the conversation must be sent before this one: one that is on its way, or an earlier one that is due, or will be within a minute. One that quiet hours hold does not count.';

comment on function "private"."is_text_due"() is 'Whether claim_texts() would find something to do. Cheap: by indexes of what is open, however much has been sent.';

comment on function "private"."postpone_texts"(integer) is 'Makes all that is due wait, because the provider refuses our account and not a text.';

comment on function "private"."retry_text"(uuid) is 'Makes a text that has failed, or of which the provider will not be asked any more, due once more. One that is unconfirmed may then be sent twice. PT404 for an unknown text; PT409 when it waits, is being sent, was accepted or refused; PT403 when the recruit has opted out.';

comment on function "public"."claim_texts"(integer) is 'Gives the worker up to max texts, each for 60 seconds: {texts: [{message_id, task: send|look_up, attempt, kind, to, from, messaging_service_sid|null, body, media, validity_seconds|null, attempted_at}], next_at|null}. To send: due, the next of its conversation, its number active and not busy, no opt-out, no quiet hours. It is `sending` from then on, and must be sent at once. To look up: unconfirmed and due. attempt is the number of the claim, for record_text_outcome() and record_text_lookup(). validity_seconds: how long the provider may keep it. next_at: when to call again, although nothing becomes due, because a number is busy or another worker has locked a text.';

comment on function "public"."record_text_lookup"(uuid, integer, text[], boolean) is 'Records which messages of the provider may be this text: the MessageSids, oldest first, of those to and from the same numbers with the same body, since attempted_at. The first that no other message has is it. Without one the text is looked up again 2 minutes after it was sent, and is then sent once more; after that, the look-up 10 minutes later is the last. A text whose worker has died may never have left, and is sent again after the last look-up too, at most 5 times in all. may_resend = false: it is not sent again, and its agent is told. attempt and the returned state: as record_text_outcome().';

comment on function "public"."record_text_outcome"(uuid, integer, text, text, text, integer) is
  'Records what came of sending a text. attempt is that of claim_texts(). outcome: `accepted` with the sid; `unconfirmed`: the response was lost; `later`: not taken now, in retry_after seconds or after a growing pause; `credentials`: the account or its key is wrong, all that is due waits for 60 seconds; `opted_out`; `number_paused`: the number may not send; `failed`. code: the provider''s error code. Of a look-up that got no response, `later` or `credentials`. Returns the state in which the text is left, null when there is no such text. A late or repeated report changes nothing, but `accepted` counts always. 22023 for an unknown outcome.';

revoke all on function "private"."accept_text"(uuid, text) from public;

grant execute on function "private"."accept_text"(uuid, text) to "postgres", "service_role";

revoke all on function "private"."claim_lookups"(integer) from public;

grant execute on function "private"."claim_lookups"(integer) to "postgres", "service_role";

revoke all on function "private"."claim_sends"(integer) from public;

grant execute on function "private"."claim_sends"(integer) to "postgres", "service_role";

revoke all on function "private"."claimed_text"(public.text_outbox, text, integer) from public;

grant execute on function "private"."claimed_text"(public.text_outbox, text, integer) to "postgres", "service_role";

revoke all on function "private"."end_text"(public.text_outbox, text, text, text) from public;

grant execute on function "private"."end_text"(public.text_outbox, text, text, text) to "postgres", "service_role";

revoke all on function "private"."is_behind"(public.text_outbox) from public;

grant execute on function "private"."is_behind"(public.text_outbox) to "postgres", "service_role";

revoke all on function "private"."is_text_due"() from public;

grant execute on function "private"."is_text_due"() to "postgres", "service_role";

revoke all on function "private"."postpone_texts"(integer) from public;

grant execute on function "private"."postpone_texts"(integer) to "postgres", "service_role";

revoke all on function "private"."retry_text"(uuid) from public;

grant execute on function "private"."retry_text"(uuid) to "postgres", "service_role";

revoke all on function "public"."claim_texts"(integer) from public;

grant execute on function "public"."claim_texts"(integer) to "postgres", "service_role";

revoke all on function "public"."record_text_lookup"(uuid, integer, text[], boolean) from public;

grant execute on function "public"."record_text_lookup"(uuid, integer, text[], boolean) to "postgres", "service_role";

revoke all on function "public"."record_text_outcome"(uuid, integer, text, text, text, integer) from public;

grant execute
  on function "public"."record_text_outcome"(uuid, integer, text, text, text, integer)
  to "postgres", "service_role";
