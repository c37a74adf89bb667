-- Text messages, and the delivery callbacks of the SMS provider.

-- A callback may be stored before its message, after it, or at the same moment. Both therefore take the message's lock first:
-- a message a shared one, a callback an exclusive one. Then each looks for what the other one has stored.
--
-- A transaction may store more messages than Postgres has room for locks. So a MessageSid stands for one of 256 locks. This
-- makes no deadlock: messages share locks, and a callback takes a single one, before any row.

create function private.message_lock(provider_message_id text) returns bigint
language sql
immutable
set search_path = ''
as $$
  select hashtextextended('recruiting message ' || (hashtextextended(provider_message_id, 0) & 255), 0)
$$;

comment on function private.message_lock(text) is
  'Number of the advisory lock of a message and its callbacks. There are 256 locks, so messages share them.';

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
