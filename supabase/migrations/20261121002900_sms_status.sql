-- A callback and its message may be stored in either order, or at once. Both sides therefore first take a lock on the
-- message's sid and only then look for what the other side wrote: whichever comes second finds the first one's commit.

create function private.lock_message(provider_message_id text) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('recruiting message ' || provider_message_id, 0));
end
$$;

comment on function private.lock_message(text) is
  'Until the transaction ends, nobody else stores this message or an event of it.';
grant execute on function private.lock_message(text) to service_role;

create function public.update_sms_status(message_sid text, provider_status text, error_code text)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  sid constant text := private.bounded_key(message_sid);
  new_status constant text := case provider_status
    when 'queued' then 'queued'
    when 'sent' then 'sent'
    when 'delivered' then 'delivered'
    when 'undelivered' then 'failed'
    when 'failed' then 'failed'
  end;
  received_at timestamptz;
begin
  if sid is null then
    return jsonb_build_object('status', 'ignored');
  end if;

  perform private.lock_message(sid);

  insert into public.recruiting_message_events as e (provider_message_id, provider_status, status, error_code)
  values (sid, update_sms_status.provider_status, new_status, update_sms_status.error_code)
  returning e.received_at into received_at;

  if new_status is null then
    return jsonb_build_object('status', 'ignored');
  end if;

  -- "message, any" in the specification: whatever the message's direction and status, the latest callback wins.
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

comment on function public.update_sms_status(text, text, text) is
  'Appends a delivery callback and moves the message to what it says: queued, sent, delivered, undelivered (failed) or '
  'failed. Returns {status: updated}, or {status: ignored} for another provider_status, without a message_sid, or '
  'while there is no such message; then the callback is applied when the message is stored.';
grant execute on function public.update_sms_status(text, text, text) to service_role;

create function private.apply_early_callbacks() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_message(new.provider_message_id);

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
  'Trigger: gives a message what callbacks said before its provider_message_id was known here.';

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
