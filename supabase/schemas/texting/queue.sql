-- The outbox: the texts to be sent, and their outcomes. A text is sent only from here.

create table public.text_outbox (
  message_id uuid primary key references public.recruiting_messages (id) on delete cascade,
  kind text not null check (kind in ('agent', 'bot', 'greeting')),
  hands_over boolean not null default false check (not hands_over or kind = 'bot'),
  state text not null default 'pending'
    check (state in ('pending', 'sending', 'accepted', 'unconfirmed', 'refused', 'failed')),
  due_at timestamptz not null default now(),
  first_due_at timestamptz not null,
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
  accepted_at timestamptz,
  late_at timestamptz,
  lookups integer not null default 0,
  resends integer not null default 0,
  retried_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (conversation_id, client_message_id)
);

-- The indexes that claim_texts() reads. Accepted, refused and failed texts are in none of them, so that they stay small.
create index text_outbox_pending_idx on public.text_outbox (service_phone, priority, due_at, ordinal)
  where state = 'pending';
create index text_outbox_sending_idx on public.text_outbox (lease_until) where state = 'sending';
create index text_outbox_unconfirmed_idx on public.text_outbox (due_at, ordinal) where state = 'unconfirmed';
-- The bot's texts that wait, until a person is notified that one is late.
create index text_outbox_late_idx on public.text_outbox (created_at)
  where state = 'pending' and kind = 'bot' and late_at is null;
-- The text that was sent last in a conversation.
create index on public.text_outbox (conversation_id, attempted_at);
-- For alerts: texts that have been due for long, by number, and those that wait for an account or a login. The last condition is
-- always true. Without it, a plan that was made for a small table could take this index in place of
-- text_outbox_open_idx.
create index text_outbox_first_due_idx on public.text_outbox (service_phone, first_due_at)
  where state in ('pending', 'sending', 'unconfirmed') and first_due_at > '-infinity';
create index text_outbox_no_login_idx on public.text_outbox (service_phone, reason, first_due_at)
  where reason in ('credentials', 'no_account') and state in ('pending', 'sending');
-- For alerts: the texts that have waited for longest, by number. The last condition is as that of text_outbox_first_due_idx.
create index text_outbox_held_idx on public.text_outbox (service_phone, created_at)
  where state = 'pending' and created_at > '-infinity';
-- For alerts: the latest texts of a number that have ended.
create index text_outbox_ended_idx on public.text_outbox (service_phone, attempted_at)
  where attempted_at is not null and state in ('accepted', 'refused', 'failed');
-- The texts before a text in its conversation.
create index text_outbox_open_idx on public.text_outbox (conversation_id, ordinal)
  where state in ('pending', 'sending', 'unconfirmed');

comment on table public.text_outbox is
  'Outbound texts and their states, which texting/claim.sql lists. A text is sent only from here.';
comment on column public.text_outbox.kind is
  '`agent`: written by an agent. `bot` and `greeting`: sent by the service itself.';
comment on column public.text_outbox.hands_over is
  'The bot''s last text before a person has the conversation: it does not count as an answer.';
comment on column public.text_outbox.due_at is
  'pending: the earliest time of sending. unconfirmed: when the provider is asked for it; infinity: never again.';
comment on column public.text_outbox.first_due_at is
  'When it first became due, regardless of later attempts. Quiet hours, a paused number and retry_text() move it. A trigger '
  'sets it to due_at.';
comment on column public.text_outbox.attempt is 'The number of times that its request to the provider has begun.';
comment on column public.text_outbox.lease_until is
  'Until then it belongs to the worker that claimed it. Afterwards the worker counts as dead.';
comment on column public.text_outbox.reason is
  'Why it waits or was not sent: `quiet_hours`, `number_paused`, `opted_out`, `suppressed`, `cancelled`, `later`, '
  '`no_response`, `worker_died`, `resend`, `unconfirmed`, `storage`, `media_not_found`, `country` (see TEXTING_COUNTRIES), '
  '`lead_returned`, `expired` (a greeting after its day), `answered` (a reminder, once the recruit has written), '
  '`no_consent` and `no_greeting` (withdrawn while the greeting waited), `taken_over` (a person has answered), '
  '`script_ended` (the bot''s part had ended), why the bot was stopped (see bot_sessions), or the provider''s error code or '
  'HTTP status. `credentials`: the provider refuses our login; it stays until the next outcome. `no_account`: no account at '
  'the provider is set.';
comment on column public.text_outbox.client_message_id is
  'Generated by the agent''s page, so that a repeated call does not send a second text.';
comment on column public.text_outbox.conversation_id is
  'The message''s conversation. A trigger fills in this column, service_phone and segments.';
comment on column public.text_outbox.service_phone is 'The number that it is sent from: the conversation''s.';
comment on column public.text_outbox.segments is 'Its cost for the number''s rate.';
comment on column public.text_outbox.priority is
  'Due texts of a number with the lowest value are sent first, so that agents'' texts do not wait for a morning''s greetings.';
comment on column public.text_outbox.ordinal is 'The order in which texts of a conversation are sent.';
comment on column public.text_outbox.claim is
  'Grows with each claim. A worker reports with the number of its claim, so that a late report changes nothing. (attempt '
  'decreases if the provider refused the login and not the text.)';
comment on column public.text_outbox.attempted_at is 'When the last request to the provider began.';
comment on column public.text_outbox.accepted_at is
  'The latest time at which the provider accepted it: the end of the second that the provider names, or when the service '
  'learned it, whichever is earlier; not before attempted_at. Null: not accepted.';
comment on column public.text_outbox.late_at is
  'When a person was notified that a text of the bot had waited for a day.';
comment on column public.text_outbox.lookups is
  'The number of look-ups since the last request in which the provider did not know it.';
comment on column public.text_outbox.resends is
  'The number of times that it was sent again after the provider did not know it.';
comment on column public.text_outbox.retried_at is 'When a person last had it sent again, by retry_text(); null: never.';

create trigger set_updated_at
  before update on public.text_outbox
  for each row execute function private.set_updated_at();

alter table public.text_outbox enable row level security;
grant select on public.text_outbox to authenticated;
grant select, insert, update, delete on public.text_outbox to service_role;

create policy "readers of a conversation read what it waits to send" on public.text_outbox
  for select to authenticated
  using (
    (select true from public.recruiting_conversations c where c.id = text_outbox.conversation_id)
  );

create function private.complete_outbox_text() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  direction text;
begin
  select m.conversation_id, c.service_phone, case when m.media = '[]' then private.text_segments(m.body) else 1 end,
    m.direction
  into new.conversation_id, new.service_phone, new.segments, direction
  from public.recruiting_messages m
  join public.recruiting_conversations c on c.id = m.conversation_id
  -- Not "and m.direction = 'outbound'": without statistics the planner may read all outbound messages for it.
  where m.id = new.message_id;
  if direction is distinct from 'outbound' then
    raise exception 'message_id: there is no such outbound message' using errcode = 'foreign_key_violation';
  end if;
  new.first_due_at := new.due_at;
  return new;
end
$$;

comment on function private.complete_outbox_text() is
  'Trigger: fills in the conversation, the number, the segments and first_due_at of a text. One with media counts as one '
  'segment.';

create trigger complete_outbox_text
  before insert on public.text_outbox
  for each row execute function private.complete_outbox_text();

create function private.move_outbox_texts() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  update public.text_outbox o
  set service_phone = new.service_phone
  where o.message_id = any (array(
    select waiting.message_id
    from public.text_outbox waiting
    where waiting.conversation_id = new.id and waiting.state in ('pending', 'sending', 'unconfirmed')
    order by waiting.ordinal
    for update
  ));
  return null;
end
$$;

comment on function private.move_outbox_texts() is 'Trigger: waiting texts of a conversation are sent from its new number.';

create trigger move_outbox_texts
  after update of service_phone on public.recruiting_conversations
  for each row when (new.service_phone is distinct from old.service_phone)
  execute function private.move_outbox_texts();

create function private.forget_number_paused() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- A transaction that has locked a text is about to send or refuse it. Waiting could deadlock, because one statement may
  -- set many numbers to active.
  update public.text_outbox o
  set reason = nullif(o.reason, 'number_paused'), first_due_at = greatest(o.first_due_at, now())
  where o.message_id = any (array(
    select held.message_id
    from public.text_outbox held
    where held.service_phone = new.phone and held.state = 'pending'
      and (held.reason = 'number_paused' or held.first_due_at < now())
    for update skip locked
  ));
  return null;
end
$$;

comment on function private.forget_number_paused() is
  'Trigger: once a number is active, its texts no longer wait for it. Due texts become due again.';

create trigger forget_number_paused
  after update of status on public.service_numbers
  for each row when (new.status = 'active' and old.status <> 'active')
  execute function private.forget_number_paused();

create function private.queue_text(
  conversation_id uuid,
  kind text,
  body text,
  media jsonb default '[]',
  client_message_id uuid default null,
  sent_by uuid default null
) returns public.text_outbox
language plpgsql
set search_path = ''
as $$
declare
  conversation public.recruiting_conversations;
  new_message_id uuid;
  queued public.text_outbox;
begin
  -- Serialized, so that a text with a lower ordinal never appears after a later one was sent.
  update public.recruiting_conversations c
  set
    last_text_at = greatest(c.last_text_at, now()),
    waiting_since = null,
    -- The bot does not know what an agent wants to remember.
    snoozed_until = case when queue_text.kind <> 'agent' then c.snoozed_until end,
    status = case when queue_text.sent_by is null then c.status else 'escalated' end,
    assigned_agent_id = coalesce(queue_text.sent_by, c.assigned_agent_id)
  where c.id = queue_text.conversation_id
  returning c.* into conversation;

  insert into public.recruiting_messages (conversation_id, direction, sender_type, sent_by, body, media)
  values (
    queue_text.conversation_id, 'outbound', case queue_text.kind when 'agent' then 'agent' else 'bot' end,
    queue_text.sent_by, queue_text.body, queue_text.media
  )
  returning id into new_message_id;

  insert into public.text_outbox (message_id, kind, due_at, reason, client_message_id)
  select new_message_id, queue_text.kind, d.due_at, d.reason, queue_text.client_message_id
  from private.next_sending(conversation, queue_text.kind) d
  returning * into queued;
  return queued;
end
$$;

comment on function private.queue_text(uuid, text, text, jsonb, uuid, uuid) is
  'Adds a text to a conversation, to be sent as soon as its hours, its number and the texts before it allow. kind: see '
  'text_outbox. media: [{url, content_type}]. sent_by: the agent who wrote it and has the conversation from now on. Consent is '
  'checked when it is sent. 23503 or 23502 when there is no such conversation, 23505 when the conversation has the '
  'client_message_id already.';

create function private.is_number_active(phone text, agency_id uuid) returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  select exists (
    select
    from public.service_numbers n
    where n.phone = is_number_active.phone and n.agency_id = is_number_active.agency_id and n.status = 'active'
  )
$$;

comment on function private.is_number_active(text, uuid) is
  'Whether this is a number of the agency, and not paused. Security definer because agents may not read the numbers of their '
  'agency. The timeline calls it for waiting texts.';
grant execute on function private.is_number_active(text, uuid) to authenticated;

create function private.text_state(message_status text, outbox_state text, due_at timestamptz, may_leave boolean)
returns text
language sql
stable
set search_path = ''
as $$
  select case
    when message_status = 'failed' and outbox_state is distinct from 'refused' then 'failed'
    when outbox_state = 'pending' then case when due_at > now() or not may_leave then 'held' else 'due' end
    when outbox_state in ('sending', 'unconfirmed', 'refused', 'failed') then outbox_state
    when message_status = 'delivered' then 'delivered'
    else 'sent'
  end
$$;

comment on function private.text_state(text, text, timestamptz, boolean) is
  'Returns the state of one of our texts: held, due (it is sent next), sending, unconfirmed, refused, sent, delivered or '
  'failed. outbox_state null: a text that predates the outbox. may_leave, only for a pending text: whether its number is '
  'active and there is an account.';
grant execute on function private.text_state(text, text, timestamptz, boolean) to authenticated;

create function private.next_sending(
  conversation public.recruiting_conversations,
  kind text,
  out due_at timestamptz,
  out reason text
)
language plpgsql
stable
set search_path = ''
as $$
begin
  due_at := (private.sending_hours(conversation, kind)).opens_at;
  reason := case
    when due_at > now() then 'quiet_hours'
    when exists (
      select from public.service_numbers n where n.phone = conversation.service_phone and n.status = 'paused'
    ) then 'number_paused'
  end;
end
$$;

comment on function private.next_sending(public.recruiting_conversations, text) is
  'Returns when a text of this kind is due, and what holds it until then: `quiet_hours`, `number_paused`, or null.';

-- The number of segments that a text is sent in. A segment has 140 octets; of several, each begins with a header of 6
-- octets. The alphabet decides: GSM-7 (3GPP TS 23.038) has 7 bits for a character, and any other character makes the
-- whole text UCS-2, with 16 bits. A character with its accents or joined emoji is never divided between two segments.

create function private.text_segments(body text) returns integer
language plpgsql
immutable
set search_path = ''
as $$
declare
  gsm constant text :=
    '[]\n\f\r !"#$%&''()*+,./0-9:;<=>?@A-Z[\\^_a-z{|}~¡£¤¥§¿ÄÅÆÉÑÖØÜßàäåæÇèéìñòöøùüΓΔΘΛΞΠΣΦΨΩ€-]';
  -- These need an escape character before them.
  gsm_extension constant text := '[]\f[\\^{|}~€]';
  -- Marks after a character that stay with it: accents, variation selectors, skin tones, tags, and joined characters.
  -- Flags are pairs of letters of their own.
  character constant text :=
    '(?:[\U0001F1E6-\U0001F1FF]{2}|.)'
    '(?:[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20F0\uFE00-\uFE0F\uFE20-\uFE2F\U0001F3FB-\U0001F3FF'
    '\U000E0020-\U000E007F]|\u200D[\u2600-\u27BF\U0001F300-\U0001FAFF]?)*';
  is_gsm constant boolean := coalesce(body, '') !~ ('[^' || substr(gsm, 2));
  -- Characters of 7 bits, or pairs of octets: of a text in one segment, and of each of several segments.
  single constant integer := case when is_gsm then 160 else 70 end;
  part constant integer := case when is_gsm then 153 else 67 end;
  wide constant text := case when is_gsm then gsm_extension else '[\U00010000-\U0010FFFF]' end;
  segments integer := 1;
  used integer := 0;
  unit text;
  size integer;
begin
  if length(body) + regexp_count(body, wide) <= single then
    return 1;
  end if;
  for unit in
    select m[1] from regexp_matches(body, case when is_gsm then '.' else character end, 'g') m
  loop
    size := length(unit) + regexp_count(unit, wide);
    if used + size > part then
      segments := segments + 1;
      used := 0;
    end if;
    used := used + size;
  end loop;
  return segments;
end
$$;

comment on function private.text_segments(text) is
  'The number of segments that the SMS provider sends and charges for this text; 1 for an empty one. As Twilio''s '
  'sms-segments-calculator counts; it may differ by one where accents of rare scripts lie between two segments.';
