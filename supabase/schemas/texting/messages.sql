-- Text messages, and the delivery callbacks of the SMS provider.

-- A callback may be stored before its message, after it, or at the same time. Both therefore first take a lock and then look
-- for what the other one stored, so that the second always sees the first.
--
-- Postgres has room for a few thousand locks in all, and one transaction may store more messages than that. So a MessageSid
-- stands for one of 256 locks. Messages share them: they never wait for each other, in whatever order a transaction stores
-- them. A callback takes one lock, for itself alone, and a transaction that waits for it holds nothing that it needs. So none
-- of them can make a deadlock.

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
  'The advisory lock of this message and its callbacks. Others have it too: there are 256.';
grant execute on function private.message_lock(text) to service_role;

create function private.lock_message(provider_message_id text) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(private.message_lock(provider_message_id));
end
$$;

comment on function private.lock_message(text) is
  'For a callback: makes every other transaction that stores its message or another callback of it wait until this one '
  'ends.';
grant execute on function private.lock_message(text) to service_role;

create function private.lock_callbacks(provider_message_id text) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock_shared(private.message_lock(provider_message_id));
end
$$;

comment on function private.lock_callbacks(text) is
  'For a message: makes every other transaction that stores a callback of it wait until this one ends.';
grant execute on function private.lock_callbacks(text) to service_role;

create function private.apply_early_callbacks() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_callbacks(new.provider_message_id);

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
