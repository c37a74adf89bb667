-- The outbox: what is to be sent, and what became of it. Only what stands here is ever sent.

create table public.text_outbox (
  message_id uuid primary key references public.recruiting_messages (id) on delete cascade,
  kind text not null check (kind in ('agent', 'bot', 'greeting')),
  state text not null default 'pending'
    check (state in ('pending', 'sending', 'accepted', 'unconfirmed', 'refused', 'failed')),
  due_at timestamptz not null default now(),
  attempt integer not null default 0 check (attempt >= 0),
  lease_until timestamptz,
  reason text,
  client_message_id uuid,
  conversation_id uuid not null references public.recruiting_conversations (id) on delete cascade,
  service_phone text not null,
  segments integer not null check (segments > 0),
  priority smallint not null generated always as (case kind when 'agent' then 0 else 1 end) stored,
  ordinal bigint generated always as identity,
  claim integer not null default 0,
  attempted_at timestamptz,
  lookups integer not null default 0,
  resends integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (conversation_id, client_message_id)
);

-- All that claim_texts() reads. What is accepted, refused or failed is in none of them, so that they stay small.
create index text_outbox_pending_idx on public.text_outbox (service_phone, priority, due_at, ordinal)
  where state = 'pending';
create index text_outbox_due_idx on public.text_outbox (due_at) where state = 'pending';
create index text_outbox_sending_idx on public.text_outbox (lease_until) where state = 'sending';
create index text_outbox_unconfirmed_idx on public.text_outbox (due_at, ordinal) where state = 'unconfirmed';
-- What comes before a text in its conversation.
create index text_outbox_open_idx on public.text_outbox (conversation_id, ordinal)
  where state in ('pending', 'sending', 'unconfirmed');

comment on table public.text_outbox is
  'Outbound texts and how far each has come. Only what stands here is ever sent; texting/worker.sql has the states.';
comment on column public.text_outbox.kind is
  '`agent`: written by an agent. `bot` and `greeting`: sent by the service itself.';
comment on column public.text_outbox.due_at is
  'pending: not sent before. unconfirmed: when the provider is asked for it; infinity: never again.';
comment on column public.text_outbox.attempt is 'How often its request to the provider has begun.';
comment on column public.text_outbox.lease_until is
  'Until then it belongs to the worker that has claimed it. After that the worker is dead.';
comment on column public.text_outbox.reason is
  'Why it waits or was not sent: `quiet_hours`, `number_paused`, `opted_out`, `later`, `no_response`, `worker_died`, '
  '`resend`, `unconfirmed`, `storage`, `media_not_found`, or the provider''s error code or HTTP status.';
comment on column public.text_outbox.client_message_id is
  'Made by the agent''s page, so that one text that is sent twice is one text.';
comment on column public.text_outbox.conversation_id is
  'The message''s conversation. A trigger fills in this column, service_phone and segments.';
comment on column public.text_outbox.service_phone is 'The number of ours that it is sent from: the conversation''s.';
comment on column public.text_outbox.segments is 'What it counts for the number''s rate.';
comment on column public.text_outbox.priority is
  'Of the due texts of a number the lowest is sent first: what an agent writes does not wait for a morning''s greetings.';
comment on column public.text_outbox.ordinal is 'The order in which texts of a conversation are sent.';
comment on column public.text_outbox.claim is
  'Grows with each claim. A worker reports with the number of its claim, so that a late report changes nothing.';
comment on column public.text_outbox.attempted_at is 'When the last request to the provider began.';
comment on column public.text_outbox.lookups is
  'How often the provider did not know it since the last request.';
comment on column public.text_outbox.resends is 'How often it was sent again after the provider did not know it.';

create trigger set_updated_at
  before update on public.text_outbox
  for each row execute function private.set_updated_at();

alter table public.text_outbox enable row level security;
grant select on public.text_outbox to authenticated;
grant select, insert, update, delete on public.text_outbox to service_role;

create policy "readers of a conversation read what it waits to send" on public.text_outbox
  for select to authenticated
  using (
    exists (
      select from public.recruiting_conversations c where c.id = text_outbox.conversation_id
    )
  );

create function private.complete_outbox_text() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  select m.conversation_id, c.service_phone, case when m.media = '[]' then private.text_segments(m.body) else 1 end
  into new.conversation_id, new.service_phone, new.segments
  from public.recruiting_messages m
  join public.recruiting_conversations c on c.id = m.conversation_id
  where m.id = new.message_id and m.direction = 'outbound';
  if not found then
    raise exception 'message_id: there is no such outbound message' using errcode = 'foreign_key_violation';
  end if;
  return new;
end
$$;

comment on function private.complete_outbox_text() is
  'Trigger: fills in the conversation, the number and the segments of a text. One with media counts as one segment.';

create trigger complete_outbox_text
  before insert on public.text_outbox
  for each row execute function private.complete_outbox_text();

create function private.move_outbox_texts() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  with open_texts as (
    select o.message_id
    from public.text_outbox o
    where o.conversation_id = new.id and o.state in ('pending', 'sending', 'unconfirmed')
    order by o.ordinal
    for update
  )
  update public.text_outbox o
  set service_phone = new.service_phone
  from open_texts t
  where o.message_id = t.message_id;
  return null;
end
$$;

comment on function private.move_outbox_texts() is
  'Trigger: what waits in a conversation is sent from its new number.';

create trigger move_outbox_texts
  after update of service_phone on public.recruiting_conversations
  for each row when (new.service_phone is distinct from old.service_phone)
  execute function private.move_outbox_texts();

create function private.forget_number_paused() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- Whoever has locked a text is about to send or refuse it. And one statement may set many numbers to active, so to wait
  -- here could be to wait in a circle.
  with held as (
    select o.message_id
    from public.text_outbox o
    where o.service_phone = new.phone and o.state = 'pending' and o.reason = 'number_paused'
    for update skip locked
  )
  update public.text_outbox o
  set reason = null
  from held h
  where o.message_id = h.message_id;
  return null;
end
$$;

comment on function private.forget_number_paused() is
  'Trigger: texts do not wait for a paused number any more once it is active.';

create trigger forget_number_paused
  after update of status on public.service_numbers
  for each row when (new.status = 'active' and old.status <> 'active')
  execute function private.forget_number_paused();
