-- Our numbers, conversations with recruits and their texts, who may be texted and when, and what is to be sent.

create table public.service_numbers (
  phone public.service_phone primary key,
  agency_id uuid not null references public.agencies (id),
  messaging_service_sid text check (messaging_service_sid ~ '^MG[0-9a-f]{32}$'),
  segments_per_second numeric not null default 1 check (segments_per_second > 0 and segments_per_second < 'infinity'),
  status text not null default 'active' check (status in ('active', 'paused')),
  paused_reason text,
  busy_until timestamptz not null default '-infinity',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create index on public.service_numbers (agency_id);

comment on table public.service_numbers is
  'The numbers that texts are sent from, each with its agency. A text whose number is not here is never sent.';
comment on column public.service_numbers.phone is 'E.164, or a short code of 5 or 6 digits.';
comment on column public.service_numbers.messaging_service_sid is
  'The SMS provider''s messaging service that the number is sent through; null: the number alone.';
comment on column public.service_numbers.segments_per_second is
  'How many segments the number may send in a second. A long text has several.';
comment on column public.service_numbers.status is 'A `paused` number takes texts and holds them.';
comment on column public.service_numbers.paused_reason is
  'Why it is paused, such as the provider''s error code; null while it is active.';
comment on column public.service_numbers.busy_until is
  'When what has been claimed for this number is sent, at its rate. Set by claim_texts().';

create trigger set_updated_at
  before update on public.service_numbers
  for each row execute function private.set_updated_at();

alter table public.service_numbers enable row level security;
grant select on public.service_numbers to authenticated;
grant select, insert, update, delete on public.service_numbers to service_role;

create policy "managers read their agency's numbers" on public.service_numbers
  for select to authenticated
  using (agency_id = (select private.managed_agency_id()));

create table public.recruiting_conversations (
  id uuid primary key default gen_random_uuid(),
  recruiting_lead_id uuid references public.recruiting_leads (id) on delete set null,
  agency_id uuid not null references public.agencies (id),
  recruit_phone public.e164 not null,
  service_phone public.service_phone not null,
  status text not null default 'bot' check (status in ('bot', 'escalated')),
  assigned_agent_id uuid,
  last_message_at timestamptz,
  last_text_at timestamptz not null default now(),
  waiting_since timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (recruit_phone, service_phone),
  foreign key (assigned_agent_id, agency_id) references public.agents (id, agency_id),
  check (status <> 'escalated' or assigned_agent_id is not null)
);

create index on public.recruiting_conversations (recruiting_lead_id);
-- The pages of the inbox: the latest first, and the recruit who has waited longest first.
create index on public.recruiting_conversations (agency_id, last_text_at, id);
create index recruiting_conversations_waiting_idx on public.recruiting_conversations (agency_id, waiting_since, id)
  where waiting_since is not null;
create index on public.recruiting_conversations (assigned_agent_id, agency_id);
-- How much each of our numbers is used.
create index on public.recruiting_conversations (service_phone, created_at);

comment on table public.recruiting_conversations is
  'A text conversation with a recruit: one for each pair of a recruit''s number and a number of ours.';
comment on column public.recruiting_conversations.recruiting_lead_id is 'The recruit; null: no lead is known, or it was deleted.';
comment on column public.recruiting_conversations.assigned_agent_id is 'Who answers once the conversation is escalated.';
comment on column public.recruiting_conversations.recruit_phone is
  'The recruit''s number, as the SMS provider writes it in From: E.164 (ITU-T).';
comment on column public.recruiting_conversations.service_phone is
  'Our number, as the SMS provider writes it in To: E.164, or a short code of 5 or 6 digits. A text to a messaging '
  'service also has a number there.';
comment on column public.recruiting_conversations.status is
  '`bot`: answered automatically; `escalated`: the assigned agent has taken over.';
comment on column public.recruiting_conversations.last_message_at is 'When the last inbound message was stored.';
comment on column public.recruiting_conversations.last_text_at is
  'The time of the latest text of either side; before the first one, when the conversation was made.';
comment on column public.recruiting_conversations.waiting_since is
  'Since when the recruit waits for an answer: their first text since ours; null: nobody waits.';

create trigger set_updated_at
  before update on public.recruiting_conversations
  for each row execute function private.set_updated_at();

alter table public.recruiting_conversations enable row level security;
grant select on public.recruiting_conversations to authenticated;
grant select, insert, update, delete on public.recruiting_conversations to service_role;

create policy "agents read their conversations, managers their agency's" on public.recruiting_conversations
  for select to authenticated
  using (
    assigned_agent_id = (select private.current_agent_id())
    or agency_id = (select private.managed_agency_id())
    or exists (
      select
      from public.recruiting_leads l
      where l.id = recruiting_conversations.recruiting_lead_id
        and l.agent_id = (select private.current_agent_id())
    )
  );

create table public.conversation_reads (
  conversation_id uuid not null references public.recruiting_conversations (id) on delete cascade,
  agent_id uuid not null references public.agents (id) on delete cascade,
  read_up_to timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (conversation_id, agent_id)
);

create index on public.conversation_reads (agent_id);

comment on table public.conversation_reads is 'How far each agent has read a conversation. read_conversation() writes it.';
comment on column public.conversation_reads.read_up_to is 'The created_at of the latest text that the agent has read.';

create trigger set_updated_at
  before update on public.conversation_reads
  for each row execute function private.set_updated_at();

alter table public.conversation_reads enable row level security;
grant select on public.conversation_reads to authenticated;
grant select, insert, update, delete on public.conversation_reads to service_role;

create policy "agents read how far they have read, managers how far their agents have" on public.conversation_reads
  for select to authenticated
  using (
    agent_id = (select private.current_agent_id())
    or agent_id in (select a.id from public.agents a where a.agency_id = (select private.managed_agency_id()))
  );

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
-- A recruit may write thousands of texts, and we do not.
create index recruiting_messages_outbound_idx on public.recruiting_messages (conversation_id, created_at)
  where direction = 'outbound';

comment on table public.recruiting_messages is 'A text message from or to a recruit.';
comment on column public.recruiting_messages.direction is '`inbound`: from the recruit; `outbound`: from us.';
comment on column public.recruiting_messages.sender_type is 'Who wrote it: `recruit`, `bot` or `agent`.';
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
  'Every delivery callback of the SMS provider, also for unknown messages. Rows are added, and go only with their message.';
comment on column public.recruiting_message_events.status is
  'The delivery status that provider_status stands for; null when it stands for none.';

alter table public.recruiting_message_events enable row level security;
grant select, insert, delete on public.recruiting_message_events to service_role;

create table public.unmatched_texts (
  id uuid primary key default gen_random_uuid(),
  message_sid text unique check (length(message_sid) <= 512),
  recruit_phone text,
  service_phone text,
  body text,
  media jsonb not null default '[]' check (jsonb_typeof(media) = 'array'),
  opt_out_type text,
  consent text generated always as ((private.consent_in_text(body, opt_out_type)).state) stored,
  received_at timestamptz not null default clock_timestamp()
);

-- For the take-over, in portions. Only a From and a To of this length can have a conversation.
create index unmatched_texts_numbers_idx on public.unmatched_texts (recruit_phone, service_phone, received_at, id)
  where length(recruit_phone) <= 16 and length(service_phone) <= 16;
create index unmatched_texts_consents_idx on public.unmatched_texts (recruit_phone, service_phone, received_at)
  where length(recruit_phone) <= 16 and length(service_phone) <= 16 and consent is not null;
-- A hash index takes a From or To of any length.
create index on public.unmatched_texts using hash (recruit_phone);
create index on public.unmatched_texts using hash (service_phone) where consent is not null;
create index on public.unmatched_texts (received_at);
-- What agents read of their agency's numbers. A longer To is no number, and would be too long for the index.
create index unmatched_texts_waiting_idx on public.unmatched_texts (service_phone, received_at)
  where length(service_phone) <= 16;

comment on table public.unmatched_texts is
  'Inbound texts that were answered `no_conversation`. When the conversation of their two numbers is made, they become '
  'its messages and are removed here.';
comment on column public.unmatched_texts.message_sid is 'The SMS provider''s MessageSid; null when there was none.';
comment on column public.unmatched_texts.recruit_phone is 'From, as received; null when there was none.';
comment on column public.unmatched_texts.service_phone is 'To, as received; null when there was none.';
comment on column public.unmatched_texts.body is 'Exactly as sent; null or empty when the text has only media.';
comment on column public.unmatched_texts.media is 'Array of {url, content_type}.';
comment on column public.unmatched_texts.opt_out_type is 'Twilio''s OptOutType, as received; null when there was none.';
comment on column public.unmatched_texts.consent is
  'What the text says about further texts: opted_in or opted_out. It holds when an agency gets the text or the number.';

alter table public.unmatched_texts enable row level security;
grant select on public.unmatched_texts to authenticated;
grant select, insert, update, delete on public.unmatched_texts to service_role;

create table public.text_consents (
  agency_id uuid not null references public.agencies (id),
  phone public.e164 not null,
  state public.consent_state not null,
  source text not null,
  changed_at timestamptz not null default clock_timestamp(),
  created_at timestamptz not null default now(),
  primary key (agency_id, phone)
);

-- For a reader who has a number and not the agency: an agent's page, and the admin command.
create index on public.text_consents (phone);

comment on table public.text_consents is
  'Whether a recruit may be texted by an agency, from any of its numbers. Without a row nothing has been said. '
  'record_consent() writes it from text_consent_events, which has the proof.';
comment on column public.text_consents.phone is 'The recruit''s number: E.164 (ITU-T).';
comment on column public.text_consents.source is 'As in the event that decided.';
comment on column public.text_consents.changed_at is
  'When it was said. What was said earlier and is stored later changes nothing.';

alter table public.text_consents enable row level security;
grant select on public.text_consents to authenticated;
grant select, insert, update, delete on public.text_consents to service_role;

create policy "readers of a conversation read its consent, managers their agency's" on public.text_consents
  for select to authenticated
  using (
    agency_id = (select private.managed_agency_id())
    or exists (
      select
      from public.recruiting_conversations c
      where c.recruit_phone = text_consents.phone and c.agency_id = text_consents.agency_id
    )
  );

create unlogged table private.texts_to_answer (
  conversation_id uuid primary key references public.recruiting_conversations (id) on delete cascade,
  message_ids uuid[] not null
);

comment on table private.texts_to_answer is
  'A recruit''s texts that have just come to a conversation with the status `bot`. A row stands here within a transaction '
  'alone: a trigger of the bot takes those that the bot answers, and an agent is told of the others.';
comment on column private.texts_to_answer.message_ids is 'The messages, oldest first.';

alter table private.texts_to_answer enable row level security;
grant select, insert, delete on private.texts_to_answer to service_role;

create table public.text_consent_events (
  id uuid primary key default gen_random_uuid(),
  agency_id uuid not null references public.agencies (id),
  phone public.e164 not null,
  state public.consent_state not null,
  source text not null check (source in ('keyword', 'wording', 'provider', 'manager', 'admin')),
  words text,
  message_id uuid,
  agent_id uuid,
  reason text check (btrim(reason) <> ''),
  occurred_at timestamptz not null default clock_timestamp(),
  created_at timestamptz not null default clock_timestamp(),
  foreign key (agent_id, agency_id) references public.agents (id, agency_id),
  -- Nobody but the recruit changes a consent without saying why.
  check (source not in ('manager', 'admin') or reason is not null),
  check ((source = 'manager') = (agent_id is not null)),
  -- A text says one thing, however often it is stored or taken over.
  unique (agency_id, message_id)
);

create index on public.text_consent_events (agency_id, phone, occurred_at);
create index on public.text_consent_events (agent_id, agency_id) where agent_id is not null;

comment on table public.text_consent_events is
  'Each opt-in and opt-out with its proof. Rows are added and never changed or removed.';
comment on column public.text_consent_events.source is
  '`keyword`: a word such as STOP; `wording`: a sentence such as "stop texting me"; `provider`: Twilio''s OptOutType or '
  'its error 21610; `manager`: a manager of the agency, with a reason; `admin`: the admin command, with a reason.';
comment on column public.text_consent_events.words is
  'The text that was the reason, exactly as sent; null: there was none.';
comment on column public.text_consent_events.message_id is
  'The message that was the reason: the recruit''s text, or ours that the provider refused. It may have been deleted '
  'since.';
comment on column public.text_consent_events.agent_id is 'The manager who recorded it.';
comment on column public.text_consent_events.occurred_at is
  'When it was said. The latest event of a recruit decides.';

alter table public.text_consent_events enable row level security;
grant select on public.text_consent_events to authenticated;
grant select, insert on public.text_consent_events to service_role;

create policy "managers read their agency's" on public.text_consent_events
  for select to authenticated
  using (agency_id = (select private.managed_agency_id()));

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
  late_at timestamptz,
  lookups integer not null default 0,
  resends integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (conversation_id, client_message_id)
);

-- All that claim_texts() reads. What is accepted, refused or failed is in none of them, so that they stay small.
create index text_outbox_pending_idx on public.text_outbox (service_phone, priority, due_at, ordinal)
  where state = 'pending';
create index text_outbox_sending_idx on public.text_outbox (lease_until) where state = 'sending';
create index text_outbox_unconfirmed_idx on public.text_outbox (due_at, ordinal) where state = 'unconfirmed';
-- The bot's texts that wait, until a person is told that one is late.
create index text_outbox_late_idx on public.text_outbox (created_at)
  where state = 'pending' and kind = 'bot' and late_at is null;
-- What was sent last in a conversation.
create index on public.text_outbox (conversation_id, attempted_at);
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
  'Why it waits or was not sent: `quiet_hours`, `number_paused`, `opted_out`, `cancelled`, `later`, `no_response`, '
  '`worker_died`, `resend`, `unconfirmed`, `storage`, `media_not_found`, `country` (see TEXTING_COUNTRIES), why the bot '
  'was stopped (see bot_sessions), or the provider''s error code or HTTP status.';
comment on column public.text_outbox.client_message_id is
  'Made by the agent''s page, so that one text that is sent twice is one text.';
comment on column public.text_outbox.conversation_id is
  'The message''s conversation. A trigger fills in this column, service_phone and segments.';
comment on column public.text_outbox.service_phone is 'The number of ours that it is sent from: the conversation''s.';
comment on column public.text_outbox.segments is 'What it counts for the number''s rate.';
comment on column public.text_outbox.priority is
  'The lowest of a number''s due texts is sent first: what an agent writes does not wait for a morning''s greetings.';
comment on column public.text_outbox.ordinal is 'The order in which texts of a conversation are sent.';
comment on column public.text_outbox.claim is
  'Grows with each claim. A worker reports with the number of its claim, so that a late report changes nothing. (attempt '
  'goes back when the provider refused the login and not the text.)';
comment on column public.text_outbox.attempted_at is 'When the last request to the provider began.';
comment on column public.text_outbox.late_at is
  'When a person was told that a text of the bot had waited for a day.';
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

create table private.waiting_take_overs (
  conversation_id uuid primary key references public.recruiting_conversations (id) on delete cascade,
  due_at timestamptz not null default now(),
  attempt integer not null default 0,
  created_at timestamptz not null default clock_timestamp()
);

create index on private.waiting_take_overs (due_at);

comment on table private.waiting_take_overs is
  'Conversations that have more unmatched texts than were taken over when they were made. Columns as in waiting_greetings.';

alter table private.waiting_take_overs enable row level security;
grant select, insert, update, delete on private.waiting_take_overs to service_role;

create table public.texting_hours (
  id uuid primary key default gen_random_uuid(),
  state text check (state ~ '^[A-Z]{2}$'),
  day_of_week smallint check (day_of_week between 0 and 6),
  opens time not null,
  closes time not null,
  source text not null check (btrim(source) <> ''),
  law_opens time,
  law_closes time,
  law_source text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique nulls not distinct (state, day_of_week),
  check (opens <= closes),
  check (num_nulls(law_opens, law_closes, law_source) in (0, 3))
);

comment on table public.texting_hours is
  'The hours in which texts may be sent, by the recipient''s state and day: never before `opens` and never from `closes` '
  'on, local time. A row of the state goes before one of all states; after that, a row of the day before one of all days. '
  'An operator may change rows; counsel must review them. Holidays are not in it; texting_closures is for them.';
comment on column public.texting_hours.state is
  'Two letters of a state, territory or Canadian province; null: every state without a row of its own.';
comment on column public.texting_hours.day_of_week is '0 is Sunday; null: every day without a row of its own.';
comment on column public.texting_hours.closes is 'The same as `opens`: nothing is sent on this day.';
comment on column public.texting_hours.source is 'The law, or what else the row comes from.';
comment on column public.texting_hours.law_opens is
  'opens as this service came with it. law_closes and law_source likewise: what is restored when an operator''s own hours are '
  'taken away. Null: there is nothing to restore.';

create trigger set_updated_at
  before update on public.texting_hours
  for each row execute function private.set_updated_at();

alter table public.texting_hours enable row level security;
grant select, insert, update, delete on public.texting_hours to service_role;

create table public.texting_closures (
  id uuid primary key default gen_random_uuid(),
  state text check (state ~ '^[A-Z]{2}$'),
  starts_on date not null,
  ends_on date,
  source text not null check (btrim(source) <> ''),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique nulls not distinct (state, starts_on, ends_on),
  check (ends_on >= starts_on)
);

comment on table public.texting_closures is
  'Days on which nothing is sent to a state, whatever texting_hours says. The rows of texting_hours stay as they are.';
comment on column public.texting_closures.state is 'As in texting_hours; null: every state.';
comment on column public.texting_closures.starts_on is 'The first day, in the recipient''s time.';
comment on column public.texting_closures.ends_on is 'The last day; null: until the row is taken away.';
comment on column public.texting_closures.source is 'Why, such as a holiday''s law.';

create trigger set_updated_at
  before update on public.texting_closures
  for each row execute function private.set_updated_at();

alter table public.texting_closures enable row level security;
grant select, insert, update, delete on public.texting_closures to service_role;

create table public.area_codes (
  area_code text primary key check (area_code ~ '^[2-9][0-9]{2}$'),
  state text check (state ~ '^[A-Z]{2}$'),
  country text not null check (country ~ '^[A-Z]{2}$'),
  timezones text[] not null check (cardinality(timezones) > 0 and array_position(timezones, null) is null),
  source text not null check (btrim(source) <> ''),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create index on public.area_codes (state);

comment on table public.area_codes is
  'The area codes of the North American Numbering Plan, with the state and the time zones of their area. An operator may '
  'change rows.';
comment on column public.area_codes.state is
  'Two letters of a state, territory or Canadian province; null in other countries. Where an area has several provinces, '
  'one of them.';
comment on column public.area_codes.country is 'Two letters (ISO 3166-1); US for its territories too.';
comment on column public.area_codes.timezones is 'IANA names: all the time zones in which a part of the area lies.';

create trigger set_updated_at
  before update on public.area_codes
  for each row execute function private.set_updated_at();

alter table public.area_codes enable row level security;
grant select, insert, update, delete on public.area_codes to service_role;

create table public.agent_notifications (
  id uuid primary key default gen_random_uuid(),
  agent_id uuid not null references public.agents (id),
  conversation_id uuid references public.recruiting_conversations (id) on delete cascade,
  message_id uuid references public.recruiting_messages (id) on delete cascade,
  lead_id uuid references public.recruiting_leads (id) on delete cascade,
  kind text not null check (kind in ('text', 'opt_out', 'failed', 'handoff', 'taken_over', 'asked_for', 'lead', 'unmatched_text')),
  reason text,
  day date,
  by_agent_id uuid references public.agents (id),
  created_at timestamptz not null default now(),
  read_at timestamptz,
  unique (message_id, kind, agent_id),
  -- Many texts of a recruit in a day are told once.
  unique (lead_id, agent_id, day),
  check ((kind in ('lead', 'unmatched_text')) = (conversation_id is null)),
  check ((kind in ('lead', 'unmatched_text')) = (lead_id is not null)),
  check ((kind = 'unmatched_text') = (day is not null)),
  check ((kind in ('taken_over', 'asked_for')) = (by_agent_id is not null))
);

create index on public.agent_notifications (agent_id, created_at);
create index agent_notifications_unread_idx on public.agent_notifications (agent_id, created_at) where read_at is null;
create index on public.agent_notifications (conversation_id);
create index on public.agent_notifications (by_agent_id) where by_agent_id is not null;
-- However often a colleague asks, a manager is asked once until that is read.
create unique index agent_notifications_asked_for_idx
  on public.agent_notifications (conversation_id, agent_id, by_agent_id)
  where kind = 'asked_for' and read_at is null;

comment on table public.agent_notifications is
  'What an agent is told: about a text that the bot does not answer, with which it is stored; or about a lead, within some '
  'seconds. Realtime only says that there is a row: clients read the unread rows on every connect.';
comment on column public.agent_notifications.message_id is
  'The message that it is about; null for a lead, an unmatched text, and where only time has passed.';
comment on column public.agent_notifications.lead_id is
  'The recruit who was distributed, or has written; only with `lead` and `unmatched_text`.';
comment on column public.agent_notifications.day is
  'The day of the agency on which the recruit has written; only with `unmatched_text`.';
comment on column public.agent_notifications.kind is
  '`text`: the recruit has written; `opt_out`: and wants no texts any more; `failed`: a text could not be sent; `handoff`: '
  'the bot''s script has ended, or a colleague has given the conversation; `taken_over`: a colleague has it now; `asked_for`: '
  'a colleague asks for it; `lead`: a recruit was distributed to the agent, or the agency; `unmatched_text`: a '
  'recruit without a conversation has written (see waiting_texts).';
comment on column public.agent_notifications.reason is 'With `handoff`: as in bot_sessions.reason, or `assigned`.';
comment on column public.agent_notifications.by_agent_id is
  'With `taken_over`: who has the conversation now; with `asked_for`: who asks for it.';
comment on column public.agent_notifications.read_at is 'When the agent has read it; null: not yet.';

alter table public.agent_notifications enable row level security;
grant select on public.agent_notifications to authenticated;
grant select, insert, update, delete on public.agent_notifications to service_role;

create policy "agents read their own notifications" on public.agent_notifications
  for select to authenticated
  using (agent_id = (select private.current_agent_id()));

create table private.waiting_notifications (
  id uuid primary key default gen_random_uuid(),
  conversation_id uuid references public.recruiting_conversations (id) on delete cascade,
  message_id uuid references public.recruiting_messages (id) on delete cascade,
  unmatched_text_id uuid references public.unmatched_texts (id) on delete cascade,
  kind text not null,
  reason text,
  created_at timestamptz not null default clock_timestamp(),
  check (num_nonnulls(conversation_id, unmatched_text_id) = 1)
);

create index on private.waiting_notifications (created_at);
create index on private.waiting_notifications (conversation_id);
create index on private.waiting_notifications (message_id);
create index on private.waiting_notifications (unmatched_text_id);

comment on table private.waiting_notifications is
  'Notifications that could not be written because somebody had locked the agents. Columns as in agent_notifications.';

alter table private.waiting_notifications enable row level security;
grant select, insert, update, delete on private.waiting_notifications to service_role;
