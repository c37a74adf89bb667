-- The delivery callbacks of the SMS provider: POST /recruiting/sms/status.

create function public.update_sms_status(
  message_sid text,
  provider_status text,
  error_code text,
  event_id uuid default gen_random_uuid(),
  message_id uuid default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  sid constant text := private.indexable_id(message_sid);
  new_status constant text := case provider_status
    when 'queued' then 'queued'
    when 'sent' then 'sent'
    when 'delivered' then 'delivered'
    when 'undelivered' then 'failed'
    when 'failed' then 'failed'
  end;
  sent_id uuid;
  received_at timestamptz;
begin
  if sid is null then
    return '{"status": "ignored"}';
  end if;

  sent_id := private.lock_sent_text(sid, message_id, new_status = 'failed', coalesce(error_code = '21610', false));
  if new_status is not null and sent_id = message_id then
    perform private.accept_text(sent_id, sid);
  end if;

  insert into public.recruiting_message_events as e (id, provider_message_id, provider_status, status, error_code)
  values (event_id, sid, update_sms_status.provider_status, new_status, update_sms_status.error_code)
  on conflict do nothing
  returning e.received_at into received_at;

  -- A repeated callback changes nothing: a later one may have changed the message since.
  if found and new_status is not null then
    -- The specification moves "message, any": the last callback wins, whatever the message's status and direction.
    update public.recruiting_messages m
    set
      status = new_status,
      error_code = coalesce(update_sms_status.error_code, m.error_code),
      sent_at = case when new_status = 'sent' then coalesce(m.sent_at, received_at) else m.sent_at end,
      delivered_at =
        case when new_status = 'delivered' then coalesce(m.delivered_at, received_at) else m.delivered_at end,
      failed_at = case when new_status = 'failed' then coalesce(m.failed_at, received_at) else m.failed_at end
    where m.provider_message_id = sid
    returning m.id into sent_id;
    if found and new_status = 'failed' then
      perform private.handle_failed_text(sent_id, error_code);
    end if;
  end if;
  return jsonb_build_object('status', case
    when new_status is not null and exists (select from public.recruiting_messages m where m.provider_message_id = sid)
      then 'updated'
    else 'ignored'
  end);
end
$$;

comment on function public.update_sms_status(text, text, text, uuid, uuid) is
  'Stores a delivery callback and sets the message''s status to queued, sent, delivered or failed (also for undelivered). '
  'Returns {status: updated}, or {status: ignored} for any other provider_status, without a message_sid, and if there is no '
  'such message yet. In the last case the callback is applied when the message is stored. The caller generates the event_id, '
  'so that it may repeat the call: a repeated one stores and changes nothing. message_id: the id of our message that the '
  'provider was given with it; unless the callback is ignored, a text of the outbox without a MessageSid gets this one and '
  'becomes accepted. An error_code of 21610 opts the recruit out, and 30034 pauses our number.';
grant execute on function public.update_sms_status(text, text, text, uuid, uuid) to service_role;

create function private.lock_sent_text(message_sid text, message_id uuid, has_failed boolean, has_opted_out boolean) returns uuid
language plpgsql
set search_path = ''
as $$
declare
  sent_id uuid;
begin
  select m.id into sent_id
  from public.recruiting_messages m
  where m.direction = 'outbound'
    and (m.provider_message_id = message_sid or m.id = lock_sent_text.message_id)
  -- Of two messages, the one with the MessageSid.
  order by m.provider_message_id = message_sid desc nulls last
  limit 1;

  if has_failed then
    perform private.lock_conversation_of(sent_id, with_consent => has_opted_out);
  end if;
  perform pg_advisory_xact_lock(private.message_lock(message_sid));
  return sent_id;
end
$$;

comment on function private.lock_sent_text(text, uuid, boolean, boolean) is
  'Takes the locks that a callback needs before it locks a text: of the conversation if the text has failed, of the recruit if '
  'the consent changes, and of the MessageSid. Returns the outbound message that the callback is about, by its MessageSid or '
  'its id, or null.';

create function private.handle_failed_text(message_id uuid, error_code text) returns void
language plpgsql
set search_path = ''
as $$
declare
  failed record;
begin
  select c.id as conversation_id, c.agency_id, c.recruit_phone, c.service_phone, o.kind, o.attempted_at into failed
  from public.recruiting_messages m
  join public.recruiting_conversations c on c.id = m.conversation_id
  left join public.text_outbox o on o.message_id = m.id
  where m.id = handle_failed_text.message_id and m.direction = 'outbound';
  if not found then
    return;
  end if;

  if error_code = '21610' then
    -- With the time of sending, because the recruit may have opted in since.
    perform private.record_consent(
      failed.agency_id, failed.recruit_phone, 'opted_out', 'provider',
      message_id => handle_failed_text.message_id, occurred_at => failed.attempted_at);
  elsif error_code = '30034' then
    perform private.pause_number(failed.service_phone, error_code);
  end if;
  if failed.kind is not null then
    perform private.notify_of_failed_text(failed.conversation_id, message_id);
  end if;
end
$$;

comment on function private.handle_failed_text(uuid, text) is
  'Handles a message of the service that the provider could not deliver. 21610: the recruit has opted out. 30034: the number '
  'may not send, and is paused. A person is notified of a text of the outbox.';

-- A callback may be stored before its message, after it, or concurrently. Both therefore first take the message's lock, a
-- message in shared and a callback in exclusive mode, and then look for what the other one has stored.
--
-- A transaction may store more messages than Postgres has room for locks, so a MessageSid maps to one of 256 locks. This
-- cannot deadlock: messages share locks, and a callback takes a single one, before any row.

create function private.message_lock(provider_message_id text) returns bigint
language plpgsql
immutable
set search_path = ''
as $$
begin
  return hashtextextended('recruiting message ' || (hashtextextended(provider_message_id, 0) & 255), 0);
end
$$;

comment on function private.message_lock(text) is
  'Returns the key of the advisory lock of a message and its callbacks. There are 256 keys, so messages share them.';

create function private.apply_early_callbacks() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock_shared(private.message_lock(new.provider_message_id));

  select
    coalesce((array_agg(e.status order by e.received_at desc))[1], new.status),
    coalesce(
      (array_agg(e.error_code order by e.received_at desc) filter (where e.error_code is not null))[1],
      new.error_code),
    coalesce(new.sent_at, min(e.received_at) filter (where e.status = 'sent')),
    coalesce(new.delivered_at, min(e.received_at) filter (where e.status = 'delivered')),
    coalesce(new.failed_at, min(e.received_at) filter (where e.status = 'failed'))
  into new.status, new.error_code, new.sent_at, new.delivered_at, new.failed_at
  from public.recruiting_message_events e
  where e.provider_message_id = new.provider_message_id and e.status is not null;

  return new;
end
$$;

comment on function private.apply_early_callbacks() is
  'Trigger: applies the callbacks that came before the message had its provider_message_id.';

create trigger apply_early_callbacks_on_insert
  before insert on public.recruiting_messages
  for each row when (new.provider_message_id is not null)
  execute function private.apply_early_callbacks();

create trigger apply_early_callbacks_on_update
  before update of provider_message_id on public.recruiting_messages
  for each row when (
    new.provider_message_id is not null
    and new.provider_message_id is distinct from old.provider_message_id
  )
  execute function private.apply_early_callbacks();
