-- Text messages, and the delivery callbacks of the SMS provider.

create table public.recruiting_messages (
  id uuid primary key default gen_random_uuid(),
  conversation_id uuid not null references public.recruiting_conversations (id) on delete cascade,
  direction text not null check (direction in ('inbound', 'outbound')),
  sender_type text not null check (sender_type in ('recruit', 'bot', 'agent')),
  provider_message_id text unique check (length(provider_message_id) <= 512),
  body text,
  media jsonb not null default '[]' check (jsonb_typeof(media) = 'array'),
  status text check (status in ('queued', 'sent', 'delivered', 'failed')),
  error_code text,
  sent_at timestamptz,
  delivered_at timestamptz,
  failed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((direction = 'inbound') = (sender_type = 'recruit'))
);

create index on public.recruiting_messages (conversation_id, created_at);

comment on table public.recruiting_messages is 'A text message from or to a recruit.';
comment on column public.recruiting_messages.provider_message_id is
  'The SMS provider''s MessageSid; null for an outbound message that the provider has not accepted yet.';
comment on column public.recruiting_messages.body is 'Exactly as sent; null or empty when the message has only media.';
comment on column public.recruiting_messages.media is 'Array of {url, content_type}.';
comment on column public.recruiting_messages.status is
  'Delivery status from the last callback. Before the first one: null, queued once the provider has accepted a text of ours, '
  'or failed when it was not sent.';
comment on column public.recruiting_messages.error_code is
  'Error code of the last callback that had one, or why a text of ours was not sent.';
comment on column public.recruiting_messages.sent_at is
  'When the first callback with the status sent came. delivered_at and failed_at likewise.';

create trigger set_updated_at
  before update on public.recruiting_messages
  for each row execute function private.set_updated_at();

alter table public.recruiting_messages enable row level security;
grant select on public.recruiting_messages to authenticated;
grant select, insert, update, delete on public.recruiting_messages to service_role;

create policy "readers of a conversation read its messages" on public.recruiting_messages
  for select to authenticated
  using (
    exists (
      select from public.recruiting_conversations c where c.id = recruiting_messages.conversation_id
    )
  );

create table public.recruiting_message_events (
  id uuid primary key default gen_random_uuid(),
  provider_message_id text not null check (length(provider_message_id) <= 512),
  provider_status text,
  status text check (status in ('queued', 'sent', 'delivered', 'failed')),
  error_code text,
  received_at timestamptz not null default clock_timestamp()
);

create index on public.recruiting_message_events (provider_message_id, received_at);

comment on table public.recruiting_message_events is
  'Every delivery callback of the SMS provider, also for unknown messages. Rows are added and never changed.';
comment on column public.recruiting_message_events.status is
  'The delivery status that provider_status stands for; null when it stands for none.';

alter table public.recruiting_message_events enable row level security;
grant select, insert on public.recruiting_message_events to service_role;

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
