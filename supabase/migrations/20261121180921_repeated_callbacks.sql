set local check_function_bodies = off;

create or replace function public.update_sms_status (
  message_sid text,
  provider_status text,
  error_code text,
  event_id uuid default gen_random_uuid()
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
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
$function$;
