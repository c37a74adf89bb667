-- The SMS provider's two webhooks: POST /recruiting/sms/inbound and POST /recruiting/sms/status.

create function private.conversation_of(recruit_phone text, service_phone text) returns uuid
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select c.id
    from public.recruiting_conversations c
    where c.recruit_phone = conversation_of.recruit_phone and c.service_phone = conversation_of.service_phone
  );
end
$$;

comment on function private.conversation_of(text, text) is 'The conversation of these two numbers, or null.';
grant execute on function private.conversation_of(text, text) to service_role;

create function public.receive_sms(
  recruit_phone text,
  service_phone text,
  message_sid text,
  body text,
  media jsonb,
  message_id uuid default gen_random_uuid()
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  conversation_id uuid := private.conversation_of(recruit_phone, service_phone);
  sid constant text := private.indexable_id(message_sid);
  files constant jsonb := coalesce(nullif(media, 'null'), '[]');
begin
  if conversation_id is null then
    perform private.lock_conversation(recruit_phone, service_phone);
    conversation_id := private.conversation_of(recruit_phone, service_phone);
  end if;

  if conversation_id is null then
    insert into public.unmatched_texts (id, message_sid, recruit_phone, service_phone, body, media)
    select message_id, sid, receive_sms.recruit_phone, receive_sms.service_phone, receive_sms.body, files
    -- The message may have been stored in a conversation whose numbers were changed since.
    where not exists (
      select from public.recruiting_messages m where m.provider_message_id = sid or m.id = message_id
    )
    on conflict do nothing;
    return jsonb_build_object('status', 'no_conversation');
  end if;

  insert into public.recruiting_messages (
    id, conversation_id, direction, sender_type, provider_message_id, body, media
  )
  values (message_id, conversation_id, 'inbound', 'recruit', sid, receive_sms.body, files)
  on conflict do nothing;

  if found then
    update public.recruiting_conversations c set last_message_at = now() where c.id = conversation_id;
  end if;
  return jsonb_build_object('status', 'received');
end
$$;

comment on function public.receive_sms(text, text, text, text, jsonb, uuid) is
  'Stores an inbound message in the conversation of these two numbers, once for each MessageSid and once for each '
  'message_id, which the caller makes so that it may repeat the call. media: [{url, content_type}]. Returns {status: '
  'received}, also when it was stored before. Without a conversation it stores the text in unmatched_texts in the same '
  'way, and returns {status: no_conversation}.';
grant execute on function public.receive_sms(text, text, text, text, jsonb, uuid) to service_role;

create function public.update_sms_status(
  message_sid text,
  provider_status text,
  error_code text,
  event_id uuid default gen_random_uuid()
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
  received_at timestamptz;
  is_repeated boolean;
begin
  if sid is null then
    return jsonb_build_object('status', 'ignored');
  end if;

  perform private.lock_message(sid);

  insert into public.recruiting_message_events as e (id, provider_message_id, provider_status, status, error_code)
  values (event_id, sid, update_sms_status.provider_status, new_status, update_sms_status.error_code)
  on conflict do nothing
  returning e.received_at into received_at;
  is_repeated := not found;

  if new_status is null then
    return jsonb_build_object('status', 'ignored');
  elsif is_repeated then
    -- The message has this status already, or a later callback has changed it since.
    return jsonb_build_object('status', case
      when exists (select from public.recruiting_messages m where m.provider_message_id = sid) then 'updated'
      else 'ignored'
    end);
  end if;

  -- The specification moves "message, any": the last callback wins, whatever the message's status and direction.
  update public.recruiting_messages m
  set
    status = new_status,
    error_code = coalesce(update_sms_status.error_code, m.error_code),
    sent_at = case when new_status = 'sent' then coalesce(m.sent_at, received_at) else m.sent_at end,
    delivered_at =
      case when new_status = 'delivered' then coalesce(m.delivered_at, received_at) else m.delivered_at end,
    failed_at = case when new_status = 'failed' then coalesce(m.failed_at, received_at) else m.failed_at end
  where m.provider_message_id = sid;

  return jsonb_build_object('status', case when found then 'updated' else 'ignored' end);
end
$$;

comment on function public.update_sms_status(text, text, text, uuid) is
  'Stores a delivery callback and sets the message''s status to queued, sent, delivered or failed (also for '
  'undelivered). Returns {status: updated}, or {status: ignored} for any other provider_status, without a message_sid, '
  'and when there is no such message yet; in that case the callback is applied when the message is stored. '
  'The caller makes the event_id so that it may repeat the call: a repeated one stores and changes nothing.';
grant execute on function public.update_sms_status(text, text, text, uuid) to service_role;
