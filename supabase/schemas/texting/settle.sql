-- The outcome of a claimed text. The states are in claim.sql.

create function public.record_text_outcome(
  message_id uuid,
  claim integer,
  outcome text,
  sid text default null,
  code text default null,
  retry_after integer default null,
  created_at timestamptz default null
) returns text
language plpgsql
set search_path = ''
as $$
declare
  credentials_pause constant integer := 60;
  claimed public.text_outbox;
  conversation public.recruiting_conversations;
begin
  if outcome = 'accepted' then
    return private.accept_text(message_id, sid, created_at);
  elsif outcome in ('opted_out', 'failed', 'refused', 'later', 'credentials', 'number_paused') then
    conversation := private.lock_conversation_of(message_id, with_consent => outcome = 'opted_out');
  end if;

  select o.* into claimed from public.text_outbox o where o.message_id = record_text_outcome.message_id for update;
  if claimed.claim is distinct from record_text_outcome.claim or claimed.state not in ('sending', 'unconfirmed') then
    return claimed.state;
  elsif claimed.state = 'unconfirmed' then
    -- A look-up without a response. It is not counted, so that nothing is sent again because of it.
    update public.text_outbox o
    set
      claim = o.claim + 1,
      due_at = now() + make_interval(secs => case outcome when 'credentials' then credentials_pause else 20 end)
    where o.message_id = claimed.message_id;
  elsif outcome in ('unconfirmed', 'later', 'credentials', 'number_paused') then
    update public.text_outbox o
    set
      state = case outcome when 'unconfirmed' then 'unconfirmed' else 'pending' end,
      reason = case outcome
        when 'unconfirmed' then coalesce(code, 'no_response')
        when 'later' then coalesce(code, 'later')
        when 'number_paused' then 'number_paused'
        when 'credentials' then 'credentials'
      end,
      due_at = case outcome
        when 'unconfirmed' then
          coalesce(o.attempted_at, now()) + case when o.resends = 0 then interval '20 seconds' else interval '10 minutes' end
        when 'later' then
          now() + make_interval(
            secs => least(greatest(coalesce(retry_after, least(5 * 2 ^ least(o.attempt - 1, 6), 300)), 1), 3600))
        when 'credentials' then now() + make_interval(secs => credentials_pause)
        when 'number_paused' then now()
      end,
      attempt = o.attempt - case outcome when 'credentials' then 1 else 0 end,
      lease_until = null
    where o.message_id = claimed.message_id
    returning o.* into claimed;
    claimed := private.refuse_taken_over(claimed);
  elsif outcome = 'opted_out' then
    claimed := private.end_text(claimed, 'refused', 'opted_out', coalesce(code, '21610'));
    perform private.record_consent(
      conversation.agency_id, conversation.recruit_phone, 'opted_out', 'provider', message_id => claimed.message_id,
      -- The recruit may have opted in since.
      occurred_at => claimed.attempted_at);
  elsif outcome = 'refused' then
    claimed := private.end_text(claimed, 'refused', coalesce(code, 'refused'), null);
  elsif outcome = 'failed' then
    claimed := private.end_text(claimed, 'failed', coalesce(code, 'failed'), code);
  else
    raise exception 'outcome: "%" is unknown', private.quoted(outcome) using errcode = 'invalid_parameter_value';
  end if;

  if outcome = 'credentials' then
    perform private.postpone_texts(credentials_pause, 'credentials');
  elsif outcome = 'number_paused' and claimed.state in ('pending', 'refused') then
    perform private.pause_number(claimed.service_phone, code);
  end if;
  return claimed.state;
end
$$;

comment on function public.record_text_outcome(uuid, integer, text, text, text, integer, timestamptz) is
  'Records the outcome of posting a text to the provider. claim is that of claim_texts(). outcome: `accepted` with the sid, '
  'and created_at, the time that the provider names (to the second); `unconfirmed`: the response was lost; `later`: not '
  'accepted now, to be repeated in retry_after seconds or after a growing pause; `credentials`: the account or its key is '
  'wrong, and all due texts wait for 60 seconds; `opted_out`; `number_paused`: the number may not send; `failed`; `refused`: '
  'the service does not send it. code: the provider''s error code; with `refused`, the service''s reason. A look-up that got '
  'no response is reported here too, as `later` or `credentials`. Returns the state in which the text is left, null when there '
  'is no such text: a text of the bot that was not accepted is `refused` where a person has the conversation now. A late or '
  'repeated report changes nothing, except that `accepted` always counts. 22023 for an unknown outcome.';
grant execute on function public.record_text_outcome(uuid, integer, text, text, text, integer, timestamptz) to service_role;

create function private.accept_text(message_id uuid, sid text, created_at timestamptz default null) returns text
language plpgsql
set search_path = ''
as $$
declare
  message_sid constant text := private.indexable_id(sid);
  sent public.text_outbox;
begin
  -- Before the rows, as every callback does.
  perform pg_advisory_xact_lock_shared(private.message_lock(message_sid));
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
  update public.text_outbox o
  set
    state = 'accepted',
    reason = null,
    lease_until = null,
    accepted_at = least(
      o.accepted_at,
      -- The provider's time has no fractions, and its clock is another one.
      case when accept_text.created_at is not null
        then greatest(accept_text.created_at + interval '1 second', o.attempted_at)
      end,
      now())
  where o.message_id = sent.message_id and (o.state <> 'accepted' or accept_text.created_at is not null);
  return 'accepted';
end
$$;

comment on function private.accept_text(uuid, text, timestamptz) is
  'Records that the provider has the text under this MessageSid: it becomes accepted from any state, and its message gets the '
  'MessageSid unless it already has one or another message has this one. Earlier callbacks are applied. created_at: as in '
  'record_text_outcome(); null where the provider does not name it, as in callbacks. Returns accepted, or null when the text '
  'is not in the outbox.';

create function private.end_text(ended public.text_outbox, state text, reason text, code text) returns public.text_outbox
language plpgsql
set search_path = ''
as $$
begin
  update public.recruiting_messages m
  set status = 'failed', error_code = coalesce(code, m.error_code), failed_at = coalesce(m.failed_at, now())
  where m.id = ended.message_id;
  perform private.notify_of_failed_text(ended.conversation_id, ended.message_id);
  update public.text_outbox o
  set state = end_text.state, reason = end_text.reason, lease_until = null
  where o.message_id = ended.message_id
  returning o.* into ended;
  return ended;
end
$$;

comment on function private.end_text(public.text_outbox, text, text, text) is
  'Ends a text that was not sent: state refused or failed. Its message becomes failed, with the provider''s code, and its '
  'agent is notified. Returns the changed text.';

create function private.refuse_text(waiting public.text_outbox, reason text) returns public.text_outbox
language plpgsql
set search_path = ''
as $$
begin
  update public.text_outbox o
  set state = 'refused', reason = refuse_text.reason
  where o.message_id = waiting.message_id
  returning o.* into waiting;
  update public.recruiting_messages m
  set status = 'failed', failed_at = coalesce(m.failed_at, now())
  where m.id = waiting.message_id;
  update public.recruiting_conversations c
  set waiting_since = private.unanswered_since(c)
  where c.id = waiting.conversation_id;
  return waiting;
end
$$;

comment on function private.refuse_text(public.text_outbox, text) is
  'Refuses one text that waits, as refuse_waiting_texts() does, and returns it. The caller has locked its conversation and it.';

create function private.refuse_taken_over(returned public.text_outbox) returns public.text_outbox
language plpgsql
set search_path = ''
as $$
begin
  if returned.state = 'pending' and returned.kind = 'bot' and not returned.hands_over and returned.retried_at is null and exists (
    select from public.recruiting_conversations c where c.id = returned.conversation_id and c.status = 'escalated'
  ) then
    return private.refuse_text(returned, 'taken_over');
  end if;
  return returned;
end
$$;

comment on function private.refuse_taken_over(public.text_outbox) is
  'Refuses a text of the bot that waits again after it was being sent, where a person has the conversation now: as '
  'refuse_waiting_texts() would have done. The bot''s last text is sent, and so is one that a person has sent again. Returns '
  'the text. The caller has locked its conversation, and then the text.';

create function private.lock_conversation_of(message_id uuid, with_consent boolean)
returns public.recruiting_conversations
language plpgsql
set search_path = ''
as $$
declare
  conversation public.recruiting_conversations;
begin
  select c.* into conversation
  from public.recruiting_messages m
  join public.recruiting_conversations c on c.id = m.conversation_id
  where m.id = lock_conversation_of.message_id;
  if found and with_consent then
    perform private.lock_conversations_of(conversation.agency_id, conversation.recruit_phone);
  elsif found then
    perform from public.recruiting_conversations c where c.id = conversation.id for no key update;
  end if;
  return conversation;
end
$$;

comment on function private.lock_conversation_of(uuid, boolean) is
  'Locks the rows that change if one of our texts is not sent, before the text itself: its conversation, or those of '
  'lock_conversations_of() if with_consent. Returns the conversation; null if there is no such text.';

create function private.notify_of_failed_text(conversation_id uuid, message_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.notify_of_texts(conversation_id, array[message_id], 'failed');
  update public.recruiting_conversations c
  set waiting_since = private.unanswered_since(c)
  where c.id = notify_of_failed_text.conversation_id;
end
$$;

comment on function private.notify_of_failed_text(uuid, uuid) is
  'Handles a text of the bot or a person that does not arrive: a person is notified, and the recruit waits for an answer '
  'again. The message is already failed. The caller has locked the conversation.';

create function private.notify_of_late_texts() returns void
language plpgsql
set search_path = ''
as $$
declare
  late record;
begin
  for late in
    select o.message_id, o.conversation_id
    from public.text_outbox o
    where o.state = 'pending' and o.kind = 'bot' and o.late_at is null and o.created_at <= now() - interval '1 day'
    order by o.created_at
    limit 100
  loop
    -- Before the text, as everywhere. One that somebody has locked comes next time.
    perform
    from public.recruiting_conversations c
    where c.id = late.conversation_id
    for no key update skip locked;
    continue when not found;
    update public.text_outbox o
    set late_at = now()
    where o.message_id = (
      select waiting.message_id
      from public.text_outbox waiting
      where waiting.message_id = late.message_id and waiting.state = 'pending'
      for update skip locked
    );
    continue when not found;
    perform private.notify_of_texts(late.conversation_id, array[late.message_id], 'failed');
  end loop;
end
$$;

comment on function private.notify_of_late_texts() is
  'Notifies a person of the bot''s texts that have waited for a day, up to 100. They are still sent as soon as possible.';

create function private.postpone_texts(seconds integer, reason text) returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_incremental_sort = off
as $$
declare
  waiting constant uuid[] := array(
    select due.message_id
    from public.service_numbers n
    cross join (values (0), (1)) p (priority)
    join public.text_outbox due
      on due.service_phone = n.phone and due.state = 'pending' and due.priority = p.priority and due.due_at <= now()
    where n.status = 'active'
    for update of due skip locked
  );
  in_doubt constant uuid[] := array(
    select due.message_id
    from public.text_outbox due
    where due.state = 'unconfirmed' and due.due_at <= now()
    for update skip locked
  );
begin
  -- The claim too, so that a text keeps its place before those that are queued meanwhile.
  update public.text_outbox o
  set
    due_at = now() + make_interval(secs => seconds),
    claim = o.claim + 1,
    reason = case o.state when 'pending' then postpone_texts.reason else o.reason end
  where o.message_id = any (waiting || in_doubt);
end
$$;

comment on function private.postpone_texts(integer, text) is
  'Makes all due texts wait for this reason, because the provider refuses the account and not a text.';

create function public.hold_texts() returns integer
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_incremental_sort = off
as $$
declare
  newly_held integer;
begin
  perform private.note_worker();
  update public.text_outbox o
  set reason = 'no_account'
  where o.message_id = any (array(
    select due.message_id
    from public.service_numbers n
    cross join (values (0), (1)) p (priority)
    join public.text_outbox due
      on due.service_phone = n.phone and due.state = 'pending' and due.priority = p.priority and due.due_at <= now()
    where n.status = 'active' and due.reason is distinct from 'no_account'
    for update of due skip locked
  ));
  get diagnostics newly_held = row_count;
  return newly_held;
end
$$;

comment on function public.hold_texts() is
  'Replaces claim_texts() while no account at the provider is set: gives due texts the reason `no_account`. They stay due, so '
  'that they are sent as soon as there is an account. Returns the number of texts that did not have this reason before.';
grant execute on function public.hold_texts() to service_role;
