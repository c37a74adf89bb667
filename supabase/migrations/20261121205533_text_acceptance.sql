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
