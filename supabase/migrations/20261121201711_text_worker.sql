set local check_function_bodies = off;

drop index "public"."text_outbox_pending_idx";

alter table "public"."text_outbox"
  add column "priority" smallint generated always as (
CASE kind
    when 'agent'::text THEN 0
    ELSE 1
end) stored not null;

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
    provider_message_id = message_sid,
    status = case when m.status is null or m.status = 'failed' then 'queued' else m.status end,
    error_code = null,
    failed_at = null
  where m.id = sent.message_id
    and m.provider_message_id is null
    and not exists (select from public.recruiting_messages other where other.provider_message_id = message_sid);

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
  AS $function$
begin
  -- Nobody knows whether a dead worker has sent its text. One that was sent again gets its 10 minutes all the same.
  with abandoned as (
    select o.message_id
    from public.text_outbox o
    where o.state = 'sending' and o.lease_until <= now()
    order by o.lease_until
    limit 1000
    for update skip locked
  )
  update public.text_outbox o
  set
    state = 'unconfirmed',
    reason = 'worker_died',
    claim = o.claim + 1,
    lease_until = null,
    attempted_at = coalesce(o.attempted_at, o.created_at),
    due_at = case when o.resends = 0 then now() else coalesce(o.attempted_at, o.created_at) + interval '10 minutes' end
  from abandoned a
  where o.message_id = a.message_id;

  with due as (
    select o.message_id
    from public.text_outbox o
    where o.state = 'unconfirmed' and o.due_at <= now() and (o.lease_until is null or o.lease_until <= now())
    order by o.due_at, o.ordinal
    limit claim_lookups.max
    for update skip locked
  ), claimed as (
    update public.text_outbox o
    set
      claim = o.claim + 1,
      lease_until = clock_timestamp() + interval '60 seconds',
      attempted_at = coalesce(o.attempted_at, o.created_at)
    from due d
    where o.message_id = d.message_id
    returning o as text, o.due_at, o.ordinal
  )
  select coalesce(jsonb_agg(private.claimed_text(c.text, 'look_up') order by c.due_at, c.ordinal), '[]') into texts
  from claimed c;
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
  if not exists (select from public.text_outbox o where o.state = 'pending' and o.due_at <= now()) then
    return;
  end if;

  for service_phone in
    select n.phone
    from public.service_numbers n
    where n.status = 'active' and exists (
      select
      from public.text_outbox o
      where o.service_phone = n.phone and o.state = 'pending' and o.priority in (0, 1) and o.due_at <= now()
    )
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
      'body', m.body,
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
  return exists (
    select
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
  );
end
$function$;

create or replace function private.is_text_due()
  returns boolean
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return exists (
    select from public.text_outbox o where o.state = 'sending' and o.lease_until <= now()
  ) or exists (
    select
    from public.text_outbox o
    where o.state = 'unconfirmed' and o.due_at <= now() and (o.lease_until is null or o.lease_until <= now())
  ) or exists (
    select from public.text_outbox o where o.state = 'pending' and o.due_at <= now()
  ) and exists (
    select
    from public.service_numbers n
    join public.text_outbox o on o.service_phone = n.phone
    join public.recruiting_conversations c on c.id = o.conversation_id
    where n.status = 'active'
      and n.busy_until <= now() + interval '1 second'
      and o.state = 'pending'
      and o.priority in (0, 1)
      and o.due_at <= now()
      and c.agency_id = n.agency_id
      and not private.is_behind(o)
  );
end
$function$;

create or replace function private.postpone_texts (
  seconds integer
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  -- The claim too, so that a text keeps its place before those that are queued meanwhile.
  with due as (
    select o.message_id
    from public.text_outbox o
    join public.service_numbers n on n.phone = o.service_phone and n.status = 'active'
    where o.state = 'pending' and o.due_at <= now()
    for update of o skip locked
  )
  update public.text_outbox o
  set due_at = now() + make_interval(secs => seconds), claim = o.claim + 1
  from due d
  where o.message_id = d.message_id;

  with due as (
    select o.message_id
    from public.text_outbox o
    where o.state = 'unconfirmed' and o.due_at <= now() and (o.lease_until is null or o.lease_until <= now())
    for update skip locked
  )
  update public.text_outbox o
  set due_at = now() + make_interval(secs => seconds)
  from due d
  where o.message_id = d.message_id;
end
$function$;

create or replace function private.queue_text (
  conversation_id uuid,
  kind text,
  body text,
  media jsonb default '[]'::jsonb,
  client_message_id uuid default null::uuid
)
  returns public.text_outbox
  language plpgsql
  set search_path to ''
  AS $function$
declare
  conversation public.recruiting_conversations;
  opens_at timestamptz;
  new_message_id uuid;
  queued public.text_outbox;
begin
  -- One after another, so that a text with a lower ordinal never appears after a later one was sent.
  select c.* into conversation
  from public.recruiting_conversations c
  where c.id = queue_text.conversation_id
  for no key update;

  insert into public.recruiting_messages (conversation_id, direction, sender_type, body, media)
  values (
    queue_text.conversation_id, 'outbound', case queue_text.kind when 'agent' then 'agent' else 'bot' end,
    queue_text.body, queue_text.media
  )
  returning id into new_message_id;

  opens_at := (private.sending_hours(conversation, queue_text.kind)).opens_at;
  insert into public.text_outbox (message_id, kind, due_at, reason, client_message_id)
  values (
    new_message_id,
    queue_text.kind,
    opens_at,
    case
      when opens_at > now() then 'quiet_hours'
      when exists (
        select from public.service_numbers n where n.phone = conversation.service_phone and n.status = 'paused'
      ) then 'number_paused'
    end,
    queue_text.client_message_id
  )
  returning * into queued;
  return queued;
end
$function$;

create or replace function private.read_media (
  media jsonb,
  conversation_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  max_items constant integer := 10;
  files constant jsonb := coalesce(nullif(media, 'null'), '[]');
  item jsonb;
  path text;
  url text;
  result jsonb := '[]';
begin
  if jsonb_typeof(files) <> 'array' then
    perform private.invalid_field('media', 'must be an array');
  elsif jsonb_array_length(files) > max_items then
    perform private.invalid_field('media', format('must have at most %s items', max_items));
  end if;
  for item in select i from jsonb_array_elements(files) with ordinality e (i, n) order by n loop
    path := format('media[%s]', jsonb_array_length(result));
    perform private.require_fields(item, path, array['url', 'content_type']);
    url := private.text_field(item, path, 'url', is_required => true);
    if url !~ '^https://[^[:space:]/]+(/[^[:space:]]*)?$'
      and url !~ format('^text-media/%s/[^[:space:]/]{1,200}$', conversation_id)
    then
      perform private.invalid_field(path || '.url', 'must begin with https:// or text-media/<conversation_id>/');
    elsif length(url) > 2000 then
      perform private.invalid_field(path || '.url', 'must have at most 2000 characters');
    end if;
    result := result || jsonb_build_object(
      'url', url, 'content_type', private.text_field(item, path, 'content_type', is_required => true));
  end loop;
  return result;
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
  update public.text_outbox o
  set due_at = now(), reason = null
  where o.conversation_id = release_replies.conversation_id
    and o.state = 'pending'
    and o.kind = 'agent'
    and o.reason = 'quiet_hours'
    and o.due_at > now();
end
$function$;

create or replace function private.sending_hours (
  conversation public.recruiting_conversations,
  kind text,
  OUT opens_at timestamp with time zone,
  OUT closes_at timestamp with time zone
)
  returns record
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  -- A minute is left for the request and the provider's queue.
  enough constant interval := '60 seconds';
  state constant text := (select l.state from public.recruiting_leads l where l.id = conversation.recruiting_lead_id);
begin
  if kind = 'agent' and conversation.last_message_at > now() - interval '12 hours' then
    opens_at := now();
    return;
  end if;
  select w.opens_at, w.closes_at into opens_at, closes_at
  from private.text_window(conversation.recruit_phone, state, now()) w;
  if opens_at <= now() and closes_at < now() + enough then
    select w.opens_at, w.closes_at into opens_at, closes_at
    from private.text_window(conversation.recruit_phone, state, closes_at) w;
  end if;
end
$function$;

create or replace function private.text_segments (
  body text
)
  returns integer
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  gsm constant text :=
    '[]\n\f\r !"#$%&''()*+,./0-9:;<=>?@A-Z[\\^_a-z{|}~¡£¤¥§¿ÄÅÆÉÑÖØÜßàäåæÇèéìñòöøùüΓΔΘΛΞΠΣΦΨΩ€-]';
  -- These need an escape character before them.
  gsm_extension constant text := '[]\f[\\^{|}~€]';
  -- What follows a character and stays with it: accents, variation selectors, skin tones, tags, and what is joined.
  -- Flags are pairs of letters of their own.
  character constant text :=
    '(?:[\U0001F1E6-\U0001F1FF]{2}|.)'
    '(?:[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20F0\uFE00-\uFE0F\uFE20-\uFE2F\U0001F3FB-\U0001F3FF'
    '\U000E0020-\U000E007F]|\u200D[\u2600-\u27BF\U0001F300-\U0001FAFF]?)*';
  is_gsm constant boolean := coalesce(body, '') !~ ('[^' || substr(gsm, 2));
  -- Characters of 7 bits, or pairs of octets: of a text in one segment, and of each of several segments.
  single constant integer := case when is_gsm then 160 else 70 end;
  part constant integer := case when is_gsm then 153 else 67 end;
  wide constant text := case when is_gsm then gsm_extension else '[\U00010000-\U0010FFFF]' end;
  segments integer := 1;
  used integer := 0;
  unit text;
  size integer;
begin
  if length(body) + regexp_count(body, wide) <= single then
    return 1;
  end if;
  for unit in
    select m[1] from regexp_matches(body, case when is_gsm then '.' else character end, 'g') m
  loop
    size := length(unit) + regexp_count(unit, wide);
    if used + size > part then
      segments := segments + 1;
      used := 0;
    end if;
    used := used + size;
  end loop;
  return segments;
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
  claimed public.text_outbox;
begin
  if found_sid is not null then
    return private.accept_text(message_id, found_sid);
  end if;

  select o.* into claimed from public.text_outbox o where o.message_id = record_text_lookup.message_id for update;
  if claimed.claim is distinct from record_text_lookup.attempt or claimed.state <> 'unconfirmed' then
    return claimed.state;
  elsif claimed.resends > 0 then
    perform private.end_text(claimed, 'failed', 'unconfirmed', null);
    perform private.notify_agent(claimed.conversation_id, claimed.message_id, 'failed');
    return 'failed';
  elsif claimed.lookups = 0 then
    update public.text_outbox o
    set lookups = 1, claim = o.claim + 1, lease_until = null, due_at = o.attempted_at + interval '2 minutes'
    where o.message_id = claimed.message_id;
    return 'unconfirmed';
  elsif may_resend then
    update public.text_outbox o
    set state = 'pending', reason = 'resend', lookups = 0, resends = 1, lease_until = null, due_at = now()
    where o.message_id = claimed.message_id;
    return 'pending';
  else
    update public.text_outbox o
    set reason = 'unconfirmed', lookups = o.lookups + 1, claim = o.claim + 1, lease_until = null, due_at = 'infinity'
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
      lease_until = null,
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
        conversation.agency_id, conversation.recruit_phone, 'opted_out', 'provider', message_id => claimed.message_id);
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

create or replace function public.send_text (
  conversation_id uuid,
  body text,
  client_message_id uuid,
  media jsonb default '[]'::jsonb
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  max_length constant integer := 1600;
  caller constant public.agents := private.current_agent();
  files jsonb;
  conversation public.recruiting_conversations;
  queued public.text_outbox;
  is_duplicate boolean;
begin
  if caller.id is null then
    raise exception 'only an active agent may send a text' using errcode = 'insufficient_privilege';
  end if;
  files := private.read_media(media, conversation_id);
  if coalesce(body, '') !~ '[^[:space:]]' and files = '[]' then
    perform private.invalid_field('body', 'must not be empty');
  elsif length(body) > max_length then
    perform private.invalid_field('body', format('must have at most %s characters', max_length));
  elsif client_message_id is null then
    perform private.invalid_field('client_message_id', 'is required');
  end if;

  -- A repeated call waits here while the first one is still running.
  select c.* into conversation
  from public.recruiting_conversations c
  where c.id = send_text.conversation_id
    and c.agency_id = caller.agency_id
    and (
      caller.role = 'manager'
      or c.assigned_agent_id = caller.id
      or c.assigned_agent_id is null and exists (
        select from public.recruiting_leads l where l.id = c.recruiting_lead_id and l.agent_id = caller.id
      )
    )
  for no key update;
  if not found then
    raise exception 'conversation_id: there is no such conversation' using errcode = 'PT404';
  end if;

  select o.* into queued
  from public.text_outbox o
  where o.conversation_id = conversation.id and o.client_message_id = send_text.client_message_id;
  is_duplicate := found;

  if not is_duplicate then
    if not exists (
      select from public.service_numbers n
      where n.phone = conversation.service_phone and n.agency_id = conversation.agency_id
    ) then
      raise exception 'conversation_id: its number is not one of the agency''s service numbers' using errcode = 'PT409';
    elsif private.is_opted_out(conversation.agency_id, conversation.recruit_phone) then
      raise exception 'conversation_id: the recruit has opted out of texts from this agency' using errcode = 'PT403';
    end if;
    queued := private.queue_text(conversation.id, 'agent', body, files, client_message_id);
    update public.recruiting_conversations c
    set status = 'escalated', assigned_agent_id = caller.id
    where c.id = conversation.id and c.status = 'bot';
  end if;

  return jsonb_build_object(
    'message_id', queued.message_id,
    'status', case when is_duplicate then 'duplicate' when queued.reason is null then 'queued' else 'held' end,
    'due_at', queued.due_at,
    'segments', queued.segments
  );
end
$function$;

create index text_outbox_pending_idx on public.text_outbox using btree (service_phone, priority, due_at, ordinal)
  where (state = 'pending'::text);

comment on column "public"."text_outbox"."priority" is 'Of the due texts of a number the lowest is sent first: what an agent writes does not wait for a morning''s greetings.';

comment on function "private"."accept_text"(uuid, text) is 'The provider has the text under this MessageSid: it is accepted, whatever was believed before, and its message gets the MessageSid unless it has one, or another message has this one. The callbacks that came before are applied. Returns accepted, or null when the text is not in the outbox.';

comment on function "private"."claim_lookups"(integer) is 'Texts of which nobody knows whether they were sent, for the worker to look up. See claim_texts().';

comment on function "private"."claim_sends"(integer) is 'Texts to send now. An agent''s come first, then those that have been due for longest; see claim_texts(). It never waits for a lock.';

comment on function "private"."claimed_text"(public.text_outbox, text, integer) is 'A claimed text as the worker needs it; see claim_texts().';

comment on function "private"."end_text"(public.text_outbox, text, text, text) is 'Ends a text that was not sent: state refused or failed. Its message is failed, with the provider''s code.';

comment on function "private"."is_behind"(public.text_outbox) is 'Whether another text of the conversation must be sent before this one: one that is on its way, or an earlier one that is due. One that quiet hours hold does not count.';

comment on function "private"."is_text_due"() is 'Whether claim_texts() would find something to do. Cheap: by indexes of what is open, however much has been sent.';

comment on function "private"."postpone_texts"(integer) is 'Makes all that is due wait, because the provider refuses our account and not a text.';

comment on function "private"."queue_text"(uuid, text, text, jsonb, uuid) is 'Adds a text to a conversation, to be sent as soon as its hours, its number and the texts before it allow. kind: see text_outbox. media: [{url, content_type}]. Consent is checked when it is sent. 23503 or 23502 when there is no such conversation, 23505 when the conversation has the client_message_id already.';

comment on function "private"."read_media"(jsonb, uuid) is 'Reads and checks the media of a text: at most 10 of {url, content_type}. A url is https, or names an object of the conversation in the bucket text-media.';

comment on function "private"."release_replies"(uuid) is 'Makes an agent''s texts that quiet hours hold due, because the recruit has just written.';

comment on function "private"."sending_hours"(public.recruiting_conversations, text) is 'From when a text of this kind may be sent to the recruit, now or later, and until when. closes_at is null for an agent''s reply within 12 hours of the recruit''s own text, which may be sent at any hour.';

comment on function "private"."text_segments"(text) is 'The number of segments that the SMS provider sends and charges for this text; 1 for an empty one. As Twilio''s sms-segments-calculator counts; it may differ by one where accents of rare scripts lie between two segments.';

comment on function "public"."claim_texts"(integer) is 'Gives the worker up to max texts, each for 60 seconds: {texts: [{message_id, task: send|look_up, attempt, kind, to, from, messaging_service_sid|null, body, media, validity_seconds|null, attempted_at}], next_at|null}. To send: due, the next of its conversation, its number active and not busy, no opt-out, no quiet hours. It is `sending` from then on, and must be sent at once. To look up: unconfirmed and due. attempt is the number of the claim, for record_text_outcome() and record_text_lookup(). validity_seconds: how long the provider may keep it. next_at: when to call again, although nothing becomes due, because a number is busy or another worker has locked a text.';

comment on function "public"."record_text_lookup"(uuid, integer, text[], boolean) is 'Records which messages of the provider may be this text: the MessageSids, oldest first, of those to and from the same numbers with the same body, since attempted_at. The first that no other message has is it. Without one the text is looked up again 2 minutes after it was sent, and is then sent once more; after that, the look-up 10 minutes later is the last. may_resend = false: it is not sent again, and its agent is told. attempt and the returned state: as record_text_outcome().';

comment on function "public"."record_text_outcome"(uuid, integer, text, text, text, integer) is
  'Records what came of sending a text. attempt is that of claim_texts(). outcome: `accepted` with the sid; `unconfirmed`: the response was lost; `later`: not taken now, in retry_after seconds or after a growing pause; `credentials`: the account or its key is wrong, all that is due waits for 60 seconds; `opted_out`; `number_paused`: the number may not send; `failed`. code: the provider''s error code. Of a look-up that got no response, `later` or `credentials`. Returns the state in which the text is left, null when there is no such text. A late or repeated report changes nothing, but `accepted` counts always. 22023 for an unknown outcome.';

comment on function "public"."send_text"(uuid, text, uuid, jsonb) is 'Queues a text of the signed-in agent, who must be the conversation''s assigned agent, without one the agent of its lead, or a manager of its agency. body: at most 1,600 characters; may be empty with media, at most 10 of {url, content_type}. A `bot` conversation is taken over: it becomes escalated, and the sender''s. Returns {message_id, status: queued|held|duplicate, due_at, segments}: held by quiet hours or a paused number; duplicate for a client_message_id that the conversation has, with the values of the first call. Errors: 22023 (HTTP 400) names the field; 42501 (403) when the caller is no active agent; PT404 for an unknown conversation or another agent''s; PT403 when the recruit has opted out; PT409 when the conversation''s number is not one of the agency''s.';

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

revoke all on function "private"."queue_text"(uuid, text, text, jsonb, uuid) from public;

grant execute on function "private"."queue_text"(uuid, text, text, jsonb, uuid) to "postgres", "service_role";

revoke all on function "private"."read_media"(jsonb, uuid) from public;

grant execute on function "private"."read_media"(jsonb, uuid) to "postgres";

revoke all on function "private"."release_replies"(uuid) from public;

grant execute on function "private"."release_replies"(uuid) to "postgres", "service_role";

revoke all on function "private"."sending_hours"(public.recruiting_conversations, text) from public;

grant execute on function "private"."sending_hours"(public.recruiting_conversations, text) to "postgres", "service_role";

revoke all on function "public"."claim_texts"(integer) from public;

grant execute on function "public"."claim_texts"(integer) to "postgres", "service_role";

revoke all on function "public"."record_text_lookup"(uuid, integer, text[], boolean) from public;

grant execute on function "public"."record_text_lookup"(uuid, integer, text[], boolean) to "postgres", "service_role";

revoke all on function "public"."record_text_outcome"(uuid, integer, text, text, text, integer) from public;

grant execute
  on function "public"."record_text_outcome"(uuid, integer, text, text, text, integer)
  to "postgres", "service_role";

revoke all on function "public"."send_text"(uuid, text, uuid, jsonb) from public;

grant execute on function "public"."send_text"(uuid, text, uuid, jsonb) to "authenticated", "postgres";
