-- Consents: the words of recruits and managers, and the state that holds now.
--
-- A consent applies to one agency and all its numbers. A transaction that changes it, or sends a text because of it, holds
-- its lock, so that no text is sent after an opt-out was stored. To prevent deadlocks, locks are taken in this order: the
-- consent, conversations by id, their rows of the bot, texts of the outbox by ordinal, messages, notifications.

create function private.refuse_change() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  raise exception '% is append-only', private.quoted(tg_table_name) using errcode = 'insufficient_privilege';
end
$$;

comment on function private.refuse_change() is 'Trigger: refuses every change of rows that are a proof, also by the owner.';

create trigger refuse_change
  before update or delete or truncate on public.text_consent_events
  for each statement execute function private.refuse_change();

-- Postgres has room for a few thousand locks, and one transaction may need the consents of more recruits. A consent
-- therefore maps to one of 1,024 locks. A transaction that needs several takes them in order.

create function private.consent_lock(agency_id uuid, phone text) returns bigint
language plpgsql
immutable
set search_path = ''
as $$
begin
  return hashtextextended('text consent', 0) + (hashtextextended(format('%s %s', agency_id, phone), 0) & 1023);
end
$$;

comment on function private.consent_lock(uuid, text) is
  'The advisory lock of a recruit''s consent. Other consents have it too: there are 1,024.';

create function private.lock_consent(agency_id uuid, phone text) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(private.consent_lock(agency_id, phone));
end
$$;

comment on function private.lock_consent(uuid, text) is
  'Until this transaction ends, no other one changes the consent or claims a text that depends on it. Call it before locking '
  'rows.';

create function private.lock_conversations_of(agency_id uuid, phone text) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_consent(agency_id, phone);
  -- The recruit may write to several numbers.
  perform
  from public.recruiting_conversations c
  where c.agency_id = lock_conversations_of.agency_id and c.recruit_phone = lock_conversations_of.phone
  order by c.id
  for no key update;
end
$$;

comment on function private.lock_conversations_of(uuid, text) is
  'Locks the recruit''s consent, then all conversations of the recruit with the agency, in the order of their ids. A '
  'function that may record an opt-out calls it before any text is locked.';

create function private.is_opted_out(agency_id uuid, phone text) returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (
    select
    from public.text_consents c
    where c.agency_id = is_opted_out.agency_id and c.phone = is_opted_out.phone and c.state = 'opted_out'
  );
end
$$;

comment on function private.is_opted_out(uuid, text) is
  'Whether the agency must not text the recruit with this number. The result is valid while the caller holds the consent''s '
  'lock.';

create function private.texting_ban(agency_id uuid, phone text, recruiting_lead_id uuid) returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  -- A statement of its own: one that reads leads waits for a lock of theirs, also where nobody is suppressed.
  if exists (select from public.suppressions) then
    if private.is_suppressed(
      phone, (select l.email from public.recruiting_leads l where l.id = texting_ban.recruiting_lead_id)
    ) then
      return 'suppressed';
    end if;
  end if;
  return case when private.is_opted_out(agency_id, phone) then 'opted_out' end;
end
$$;

comment on function private.texting_ban(uuid, text, uuid) is
  'Returns why the agency must not text the recruit with this number, as a reason of text_outbox: `suppressed` where the '
  'number or the email address of the lead is in suppressions, otherwise `opted_out`. Null: it may. The answer about the '
  'opt-out holds while the caller holds the consent''s lock.';

create function private.refuse_banned(
  field text,
  agency_id uuid,
  phone text,
  recruiting_lead_id uuid,
  only_ban text default null
) returns void
language plpgsql
stable
set search_path = ''
as $$
declare
  ban constant text := private.texting_ban(agency_id, phone, recruiting_lead_id);
begin
  if ban = coalesce(only_ban, ban) then
    raise exception '%: %', private.quoted(field), private.quoted(case ban
      when 'opted_out' then 'the recruit has opted out of texts from this agency'
      when 'suppressed' then 'the recruit is suppressed, so nobody may text this person'
    end) using errcode = 'PT403';
  end if;
end
$$;

comment on function private.refuse_banned(text, uuid, text, uuid, text) is
  'PT403 if private.texting_ban() has a reason. field: the argument that the message names. only_ban: this reason; null: any.';

create function private.refuse_texts(agency_id uuid, phone text, reason text) returns void
language plpgsql
set search_path = ''
as $$
begin
  with refused as (
    update public.text_outbox o
    set state = 'refused', reason = refuse_texts.reason
    where o.message_id = any (array(
      select waiting.message_id
      from public.recruiting_conversations c
      join public.text_outbox waiting on waiting.conversation_id = c.id and waiting.state = 'pending'
      where c.agency_id = refuse_texts.agency_id and c.recruit_phone = refuse_texts.phone
      -- A transaction that changes several texts locks them in order, to prevent deadlocks.
      order by waiting.ordinal
      for update of waiting
    ))
    returning o.message_id
  )
  update public.recruiting_messages m
  -- The code that the provider would have refused them with.
  set
    status = 'failed',
    error_code = case when refuse_texts.reason = 'opted_out' then '21610' end,
    failed_at = coalesce(m.failed_at, now())
  from refused r
  where m.id = r.message_id;
end
$$;

comment on function private.refuse_texts(uuid, text, text) is
  'Refuses the agency''s texts to this number that wait to be sent, with this reason: their messages are failed, after an '
  'opt-out with the provider''s code 21610. The caller holds the consent''s lock.';

create function private.refuse_waiting_texts(
  conversation_id uuid,
  reason text,
  of_kind text default null,
  but_not uuid default null
) returns void
language plpgsql
set search_path = ''
as $$
begin
  with refused as (
    update public.text_outbox o
    set state = 'refused', reason = refuse_waiting_texts.reason
    where o.message_id = any (array(
      select waiting.message_id
      from public.text_outbox waiting
      where waiting.conversation_id = refuse_waiting_texts.conversation_id
        and waiting.state = 'pending'
        and (of_kind is null or waiting.kind = of_kind)
        and waiting.message_id is distinct from but_not
      order by waiting.ordinal
      for update
    ))
    returning o.message_id
  )
  update public.recruiting_messages m
  set status = 'failed', failed_at = coalesce(m.failed_at, now())
  from refused r
  where m.id = r.message_id;
  if found then
    -- A text that is not sent is no answer.
    update public.recruiting_conversations c
    set waiting_since = private.unanswered_since(c)
    where c.id = refuse_waiting_texts.conversation_id;
  end if;
end
$$;

comment on function private.refuse_waiting_texts(uuid, text, text, uuid) is
  'Refuses the waiting texts of a conversation with this reason, so that the recruit may wait again. of_kind: as '
  'text_outbox.kind; null: all. but_not: the message of one that is kept. The caller has locked the conversation.';

create function private.apply_consent(event public.text_consent_events) returns boolean
language plpgsql
set search_path = ''
as $$
begin
  insert into public.text_consents as c (agency_id, phone, state, source, changed_at)
  values (event.agency_id, event.phone, event.state, event.source, event.occurred_at)
  on conflict on constraint text_consents_pkey do update
  set
    state = excluded.state,
    source = excluded.source,
    changed_at = greatest(c.changed_at, excluded.changed_at)
  where c.changed_at <= excluded.changed_at
    -- A text that is fetched later has the provider's time, in seconds, and others that of their arrival. In doubt it
    -- is an opt-out.
    or excluded.source in ('keyword', 'wording')
      and excluded.state = 'opted_out'
      and c.changed_at <= excluded.changed_at + interval '1 minute';
  if not found then
    return false;
  end if;

  if event.state = 'opted_out' then
    perform private.lock_conversations_of(event.agency_id, event.phone);
    -- They may not be answered any more.
    update public.recruiting_conversations c
    set waiting_since = null
    where c.agency_id = event.agency_id and c.recruit_phone = event.phone and c.waiting_since is not null;
    perform private.refuse_texts(event.agency_id, event.phone, 'opted_out');
  end if;
  return true;
end
$$;

comment on function private.apply_consent(public.text_consent_events) is
  'Sets the consent to a new event, unless a later one has already decided. An opt-out refuses the agency''s unsent texts to '
  'this number. Returns whether the event decides. The caller holds the consent''s lock.';

create function private.record_consent(
  agency_id uuid,
  phone text,
  state text,
  source text,
  words text default null,
  message_id uuid default null,
  agent_id uuid default null,
  reason text default null,
  occurred_at timestamptz default null
) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  event public.text_consent_events;
begin
  perform private.lock_consent(agency_id, phone);

  insert into public.text_consent_events (
    agency_id, phone, state, source, words, message_id, agent_id, reason, occurred_at
  )
  values (
    record_consent.agency_id, record_consent.phone, record_consent.state, record_consent.source, record_consent.words,
    record_consent.message_id, record_consent.agent_id, record_consent.reason,
    -- After the lock, so that of two at once the second one decides.
    coalesce(record_consent.occurred_at, clock_timestamp())
  )
  on conflict on constraint text_consent_events_agency_id_message_id_key do nothing
  returning * into event;
  return event.id is not null and private.apply_consent(event);
end
$$;

comment on function private.record_consent(uuid, text, text, text, text, uuid, uuid, text, timestamptz) is
  'Adds an event and calls apply_consent() with it. state: opted_in or opted_out. source and the rest: see '
  'text_consent_events. occurred_at: when it was said; null: now. A second event with a message_id changes nothing. Returns '
  'whether the event decides.';

create function public.record_text_consent(phone text, state text, reason text) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.current_agent();
begin
  if caller.role is distinct from 'manager' then
    raise exception 'only an active manager may record a consent' using errcode = 'insufficient_privilege';
  elsif not pg_input_is_valid(coalesce(phone, ''), 'public.e164') then
    perform private.invalid_field('phone', 'must be a number in E.164, such as +13125550100');
  elsif coalesce(state, '') not in ('opted_in', 'opted_out') then
    perform private.invalid_field('state', 'must be opted_in or opted_out');
  elsif coalesce(reason, '') !~ '[^[:space:]]' then
    perform private.invalid_field('reason', 'is required');
  end if;
  perform private.record_consent(caller.agency_id, phone, state, 'manager', agent_id => caller.id, reason => reason);
  return jsonb_build_object('phone', phone, 'state', state);
end
$$;

comment on function public.record_text_consent(text, text, text) is
  'Records for the agency of the signed-in manager what a recruit said other than by text: state opted_in or opted_out, with '
  'the reason. An opt-out refuses the texts that wait. Returns {phone, state}. Errors: 42501 (HTTP 403) if the caller is not '
  'an active manager; 22023 (400) names the field. The provider has its own list: after a recruit''s STOP to a number, it '
  'sends nothing from that number until START, whatever is recorded here. Security definer because agents may not write the '
  'tables.';
grant execute on function public.record_text_consent(text, text, text) to authenticated;
