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
  'The SMS provider''s MessageSid; null until an outbound message has been handed over.';
comment on column public.recruiting_messages.body is 'Exactly as sent; null or empty when the message is only media.';
comment on column public.recruiting_messages.media is 'Array of {url, content_type}.';
comment on column public.recruiting_messages.status is
  'Delivery status as the latest callback named it; null before the first.';
comment on column public.recruiting_messages.error_code is 'The last error code that a callback gave.';
comment on column public.recruiting_messages.sent_at is 'First time that a callback said sent; the other two likewise.';

create trigger set_updated_at
  before update on public.recruiting_messages
  for each row execute function private.set_updated_at();

alter table public.recruiting_messages enable row level security;
grant select on public.recruiting_messages to authenticated;
grant select, insert, update, delete on public.recruiting_messages to service_role;

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
  'Every delivery callback of the SMS provider, appended and never changed, whether its message is known or not.';
comment on column public.recruiting_message_events.status is
  'What provider_status means for the message; null when it means nothing.';

alter table public.recruiting_message_events enable row level security;
grant select, insert on public.recruiting_message_events to service_role;
