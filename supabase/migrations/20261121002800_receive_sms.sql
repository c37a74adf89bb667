create function public.receive_sms(
  recruit_phone text,
  service_phone text,
  message_sid text,
  body text,
  media jsonb
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  conversation_id uuid;
  sid constant text := private.bounded_key(message_sid);
begin
  select c.id into conversation_id
  from public.recruiting_conversations c
  where c.recruit_phone = receive_sms.recruit_phone and c.service_phone = receive_sms.service_phone;

  if not found then
    return jsonb_build_object('status', 'no_conversation');
  end if;

  insert into public.recruiting_messages (
    conversation_id, direction, sender_type, provider_message_id, body, media
  )
  values (
    conversation_id, 'inbound', 'recruit', sid, receive_sms.body, coalesce(nullif(receive_sms.media, 'null'), '[]')
  )
  on conflict (provider_message_id) do nothing;

  if found then
    update public.recruiting_conversations c set last_message_at = now() where c.id = conversation_id;
  end if;
  return jsonb_build_object('status', 'received');
end
$$;

comment on function public.receive_sms(text, text, text, text, jsonb) is
  'Stores an inbound message in the conversation of these two numbers, once for each MessageSid. media: [{url, '
  'content_type}]. Returns {status: received|no_conversation}; received too when it was stored before.';
grant execute on function public.receive_sms(text, text, text, text, jsonb) to service_role;
