-- The claim: the worker takes texts of the outbox to post them, or to look them up.
--
-- | from | by | to |
-- | --- | --- | --- |
-- | pending, due | claim_texts() | sending |
-- | pending, due | claim_texts(), in quiet hours | pending, due when they end |
-- | pending | claim_texts() or record_consent(), the recruit has opted out | refused |
-- | pending | claim_texts(), the recruit is suppressed | refused |
-- | pending, of the bot | a person takes over, or the bot's part ends | refused |
-- | pending, a reminder | the recruit writes, and the bot answers | refused |
-- | pending | claim_texts(), a greeting that greeting_ban() has a reason against | refused |
-- | sending | outcome accepted | accepted |
-- | sending | outcome unconfirmed: the response was lost | unconfirmed, due in 20 s |
-- | sending | outcome later, credentials or number_paused: nothing was sent | pending |
-- | the same, of the bot | the same, and a person has taken over | refused |
-- | pending, due | hold_texts(): no account is set | pending, still due, with the reason |
-- | sending | outcome opted_out | refused |
-- | sending | outcome failed | failed |
-- | sending, lease over | claim_texts(): its worker is dead | unconfirmed, due now |
-- | unconfirmed, due | claim_texts(), for a look-up | unconfirmed, due in 60 s |
-- | unconfirmed | look-up: the provider knows it | accepted |
-- | unconfirmed | look-up: unknown, the first time | unconfirmed, due 2 min after |
-- | unconfirmed | look-up: unknown again | pending, to be sent once more |
-- | unconfirmed, of the bot | the same, and a person has taken over | refused |
-- | unconfirmed | the same, where nothing may be sent again | unconfirmed, due never |
-- | unconfirmed, resent | look-up: unknown 10 min after it was sent again | failed |
-- | the same | its worker has died, so that it may never have left | pending, at most 5 times in all |
-- | failed, not accepted | an operator: retry_text() | pending |
-- | unconfirmed, never | the same | pending |
-- | any | a callback with our id, a MessageSid and a status that we know: accept_text() | accepted |
--
-- Reports may be late or repeated. A report therefore changes a text only while the text is still in the state and the
-- claim that the report is about; both are compared under the row's lock. A report that a text was sent always counts.
--
-- The functions read the indexes of the outbox in order. A plan that was made while the outbox was small would later read
-- all of it, so their settings leave the planner no alternative.
--
-- No text is sent after an opt-out: claim_texts() holds the lock of the recruit's consent from its check until the text is
-- `sending`. The same lock lets only one worker at a time claim texts of a conversation.

create function private.is_behind(conversation_id uuid, ordinal bigint) returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (
    select
    from public.text_outbox o
    where o.conversation_id = is_behind.conversation_id
      and o.state in ('pending', 'sending', 'unconfirmed')
      and o.ordinal <> is_behind.ordinal
      and case o.state
        when 'sending' then true
        when 'unconfirmed' then o.due_at < 'infinity'
        -- One that has been claimed before keeps its place while it waits to be tried again. So does one that is about
        -- to be due: of two that are queued at once, the first may have a later due_at, and this transaction a still
        -- earlier now().
        else o.ordinal < is_behind.ordinal
          and (
            o.due_at <= now()
            or o.reason is distinct from 'quiet_hours' and (o.claim > 0 or o.due_at <= now() + interval '1 minute')
          )
      end
  );
end
$$;

comment on function private.is_behind(uuid, bigint) is
  'Whether another text of the conversation must be sent before the one with this ordinal: one that is being sent, or an '
  'earlier one that is due or will be due within a minute. Texts held by quiet hours do not count.';

create function private.is_text_due() returns boolean
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_incremental_sort = off
-- The same settings as of claim_texts(): both keep the plans of the functions that they share.
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  return coalesce(
    (select w.due_at from private.waiting_greetings w order by w.due_at limit 1) <= now()
      or (select w.due_at from private.waiting_take_overs w order by w.due_at limit 1) <= now()
      or (select o.lease_until from public.text_outbox o where o.state = 'sending' order by o.lease_until limit 1) <= now()
      or (select o.due_at from public.text_outbox o where o.state = 'unconfirmed' order by o.due_at limit 1) <= now()
      or exists (
        select
        from private.due_numbers() n
        cross join lateral private.next_texts(n, 1)
        where n.busy_until <= now() + interval '1 second'
      ),
    false);
end
$$;

comment on function private.is_text_due() is
  'Whether a text, a greeting or a take-over is due. Reads only indexes of open rows, so its cost does not depend on the '
  'number of sent texts.';

-- Claims texts to post and to look up.
--
-- For each number one statement takes the locks of the recruits' consents, and the next one claims the texts.
-- Alternatives that were measured (2026, 2 cores, claims of ten texts):
--
-- - One statement for both reads everything as it was before its locks. A text could be sent after its recruit's STOP.
-- - Text by text, each with its own checks and updates: 10.8 ms where one number has 4,000 due texts, here 5.3 ms.
-- - The due texts of all numbers in one order: with 4,000 texts of a busy number before those of a free one 236 ms,
-- here 8 ms.

create function public.claim_texts(max integer) returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_incremental_sort = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  lookups jsonb;
  posts record;
begin
  perform private.note_worker();
  -- Look-ups come first, because the texts behind them wait. They leave room for others.
  lookups := private.claim_lookups((max + 1) / 2);
  posts := private.claim_posts(max - jsonb_array_length(lookups));
  return jsonb_build_object('texts', lookups || posts.texts, 'next_at', posts.next_at);
end
$$;

comment on function public.claim_texts(integer) is
  'Gives the worker up to max texts, each for 60 seconds: {texts: [{message_id, task: post|look_up, claim, kind, to, from, '
  'messaging_service_sid|null, body, media, validity_seconds|null, attempted_at}], next_at|null}. To post: due, the next of '
  'its conversation, its number active and not busy, no opt-out, no suppression, no quiet hours. From then on it is `sending`, '
  'and must be sent at once. To look up: unconfirmed and due. claim is the number of the claim, for record_text_outcome() and '
  'record_text_lookup(). validity_seconds: how long the provider may keep it. next_at: when to call again, although nothing '
  'becomes due, because a number is busy or another worker has locked a text.';
grant execute on function public.claim_texts(integer) to service_role;

create function private.note_worker() returns void
language plpgsql
set search_path = ''
as $$
begin
  -- A run is noted every 30 seconds, so that most claims only read, and no claim waits for another.
  if not exists (
    -- A clock that was a day ahead was wrong.
    select
    from private.job_runs j
    where j.job = 'send texts' and j.started_at between now() - interval '30 seconds' and now() + interval '1 day'
  ) then
    insert into private.job_runs (job, started_at) values ('send texts', now()) on conflict do nothing;
    update private.job_runs j
    set started_at = now()
    where j.job = (select r.job from private.job_runs r where r.job = 'send texts' for no key update skip locked);
  end if;
end
$$;

comment on function private.note_worker() is 'Records that the worker was called, for the alert `worker_late`.';

create function private.claim_posts(max integer, out texts jsonb, out next_at timestamptz)
language plpgsql
set search_path = ''
as $$
declare
  -- When to claim again what another worker has locked, and what follows texts that were held or refused.
  soon constant timestamptz := clock_timestamp() + interval '50 milliseconds';
  -- The time by which a number may be ahead of its rate
  burst constant interval := '1 second';
  number public.service_numbers;
  segment interval;
  found_texts record;
  claimed record;
begin
  texts := '[]';
  for number in select * from private.due_numbers() loop
    exit when jsonb_array_length(texts) >= max;
    select n.* into number
    from public.service_numbers n
    where n.phone = number.phone and n.status = 'active'
    for no key update skip locked;
    if not found then
      next_at := least(next_at, soon);
      continue;
    elsif number.busy_until > now() + burst then
      next_at := least(next_at, number.busy_until - burst);
      continue;
    end if;
    segment := make_interval(secs => least(1 / number.segments_per_second, 86400)::double precision);

    -- Those whose turn it is by the number's rate, each with the lock of its recruit's consent
    with next_texts as (
      select t.conversation_id, t.message_id, t.segments * segment as duration,
        greatest(number.busy_until, now()) + segment * (sum(t.segments) over (order by t.place) - t.segments) as starts_at
      -- Those that fit, and one more
      from private.next_texts(
        number, least(max - jsonb_array_length(texts), ceil(number.segments_per_second) + 2)::integer
      ) with ordinality as t (message_id, conversation_id, segments, place)
    ), timed as (
      select t.conversation_id, t.message_id, least(t.starts_at, t.starts_at + t.duration - burst) as turn_at
      from next_texts t
    ), locked as (
      select t.message_id, t.turn_at, case
        when t.turn_at <= now() then pg_try_advisory_xact_lock(private.consent_lock(c.agency_id, c.recruit_phone))
      end as is_ours
      from timed t
      join public.recruiting_conversations c on c.id = t.conversation_id
    )
    select
      array_agg(l.message_id) filter (where l.is_ours) as ids,
      count(l.is_ours) as count,
      min(l.turn_at) filter (where l.is_ours is null) as next_turn_at
    into found_texts
    from locked l;

    perform private.refuse_unwanted(found_texts.ids);

    -- Read again, now that nobody else claims texts of these conversations
    with locked as (
      select o.message_id, o.conversation_id, o.kind, o.state, o.due_at, o.ordinal, o.created_at
      from public.text_outbox o
      where o.message_id = any (found_texts.ids)
      for update skip locked
    ), waiting as (
      select l.message_id, h.opens_at, h.closes_at
      from locked l
      join public.recruiting_conversations c on c.id = l.conversation_id
      cross join lateral private.sending_hours(c, l.kind) h
      where l.state = 'pending' and l.due_at <= now()
        and private.texting_ban(c.agency_id, c.recruit_phone, c.recruiting_lead_id) is null
        and not private.is_behind(l.conversation_id, l.ordinal)
        and (l.kind <> 'greeting' or private.greeting_ban(l.created_at, c) is null)
    ), held as (
      update public.text_outbox o
      set due_at = w.opens_at, first_due_at = w.opens_at, reason = 'quiet_hours'
      from waiting w
      where o.message_id = w.message_id and w.opens_at > now()
    ), claimed as (
      update public.text_outbox o
      set
        state = 'sending',
        attempt = o.attempt + 1,
        claim = o.claim + 1,
        attempted_at = clock_timestamp(),
        lease_until = clock_timestamp() + interval '60 seconds',
        lookups = 0,
        -- Whether the login is right is known with the outcome.
        reason = case when o.reason = 'credentials' then o.reason end
      from waiting w
      where o.message_id = w.message_id and w.opens_at <= now()
      returning o as text, w.closes_at
    ), later as (
      -- The conversations of a number take turns: the next text of one goes behind those that are due already.
      update public.text_outbox o
      set due_at = now()
      where o.due_at < now() and o.message_id in (
        select n.message_id
        from claimed c
        cross join lateral (
          select t.message_id
          from public.text_outbox t
          where t.conversation_id = (c.text).conversation_id and t.state = 'pending' and t.ordinal > (c.text).ordinal
          order by t.ordinal
          limit 1
          for update skip locked
        ) n
      )
    )
    select
      count(*) as count,
      sum((c.text).segments) as segments,
      coalesce(
        jsonb_agg(private.claimed_text(c.text, 'post', c.closes_at)
          order by (c.text).priority, (c.text).due_at, (c.text).ordinal),
        '[]') as texts
    into claimed
    from claimed c;

    texts := texts || claimed.texts;
    next_at := least(next_at, found_texts.next_turn_at, case when claimed.count < found_texts.count then soon end);
    update public.service_numbers n
    set busy_until = greatest(n.busy_until, now()) + segment * claimed.segments
    where n.phone = number.phone and claimed.count > 0;
  end loop;
end
$$;

comment on function private.claim_posts(integer) is
  'Texts to post now, number by number. Agents'' texts come first, then those that have been due longest; conversations take '
  'turns. See claim_texts().';

create function private.refuse_unwanted(message_ids uuid[]) returns void
language plpgsql
set search_path = ''
set lock_timeout = '20ms'
as $$
declare
  unwanted record;
begin
  perform private.refuse_texts(c.agency_id, c.recruit_phone, b.ban)
  from public.text_outbox o
  join public.recruiting_conversations c on c.id = o.conversation_id
  cross join lateral (
    select private.texting_ban(c.agency_id, c.recruit_phone, c.recruiting_lead_id) as ban offset 0
  ) b
  where o.message_id = any (message_ids) and b.ban is not null;
  for unwanted in
    select c.id, b.ban
    from public.text_outbox o
    join public.recruiting_conversations c on c.id = o.conversation_id
    cross join lateral (select private.greeting_ban(o.created_at, c) as ban offset 0) b
    where o.message_id = any (message_ids) and o.kind = 'greeting' and b.ban is not null
    for no key update of c
  loop
    perform private.refuse_waiting_texts(unwanted.id, unwanted.ban, 'greeting');
  end loop;
exception when lock_not_available then
  -- One of them is locked. The others do not wait.
  null;
end
$$;

comment on function private.refuse_unwanted(uuid[]) is
  'Refuses all waiting texts to the recruits of these texts who have opted out or are suppressed, and of these texts the '
  'greetings that greeting_ban() has a reason against. If one of them is locked, none is refused, and a later claim refuses '
  'them. The caller holds the locks of the consents.';

create function private.due_numbers() returns setof public.service_numbers
language plpgsql
stable
set search_path = ''
as $$
begin
  return query
  select n.*
  from public.service_numbers n
  where n.status = 'active'
    and (
      select true
      from public.text_outbox o
      where o.service_phone = n.phone and o.state = 'pending' and o.priority in (0, 1) and o.due_at <= now()
      order by o.priority, o.due_at
      limit 1
    )
  order by n.busy_until, n.phone;
end
$$;

comment on function private.due_numbers() is 'The active numbers with due texts, those that have been free longest first.';

create function private.next_texts(
  number public.service_numbers,
  max integer,
  out message_id uuid,
  out conversation_id uuid,
  out segments integer
) returns setof record
language plpgsql
stable
set search_path = ''
as $$
begin
  return query
  select o.message_id, o.conversation_id, o.segments
  from public.text_outbox o
  join public.recruiting_conversations c on c.id = o.conversation_id and c.agency_id = number.agency_id
  where o.service_phone = number.phone
    and o.state = 'pending'
    and o.priority in (0, 1)
    and o.due_at <= now()
    and not private.is_behind(o.conversation_id, o.ordinal)
  order by o.priority, o.due_at, o.ordinal
  limit next_texts.max;
end
$$;

comment on function private.next_texts(public.service_numbers, integer) is
  'Up to max due texts of a number, each the next of its conversation, in the order in which they go.';

create function private.claimed_text(claimed public.text_outbox, task text, closes_at timestamptz default null)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  max_validity constant interval := '36000 seconds';
begin
  return (
    select jsonb_build_object(
      'message_id', claimed.message_id,
      'task', claimed_text.task,
      'claim', claimed.claim,
      'kind', claimed.kind,
      'to', c.recruit_phone,
      'country', (
        select a.country
        from public.area_codes a
        where a.area_code = substring(c.recruit_phone from '^\+1([2-9][0-9]{2})[0-9]{7}$')
      ),
      'from', c.service_phone,
      'messaging_service_sid', n.messaging_service_sid,
      'body', coalesce(m.body, ''),
      'media', m.media,
      'validity_seconds',
        case when closes_at is not null then floor(extract(epoch from least(closes_at - now(), max_validity))) end,
      'attempted_at', claimed.attempted_at
    )
    from public.recruiting_messages m
    join public.recruiting_conversations c on c.id = m.conversation_id
    left join public.service_numbers n on n.phone = c.service_phone
    where m.id = claimed.message_id
  );
end
$$;

comment on function private.claimed_text(public.text_outbox, text, timestamptz) is
  'A claimed text as the worker needs it; see claim_texts(). closes_at: when quiet hours begin; null: never.';
