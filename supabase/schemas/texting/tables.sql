-- Our numbers, conversations with recruits, their messages and delivery callbacks, and their consents.

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
  'The number of segments that may be sent in a second. A long text has several.';
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
  snoozed_until timestamptz,
  due_since timestamptz generated always as (coalesce(waiting_since, snoozed_until)) stored,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (recruit_phone, service_phone),
  foreign key (assigned_agent_id, agency_id) references public.agents (id, agency_id),
  check (status <> 'escalated' or assigned_agent_id is not null)
);

create index on public.recruiting_conversations (recruiting_lead_id);
-- The pages of the inbox: the latest first, and the conversation that has been due longest first.
create index on public.recruiting_conversations (agency_id, last_text_at, id);
create index recruiting_conversations_due_idx on public.recruiting_conversations (agency_id, due_since, id)
  where due_since is not null;
create index on public.recruiting_conversations (assigned_agent_id, agency_id);
-- The use of each of our numbers.
create index on public.recruiting_conversations (service_phone, created_at);

comment on table public.recruiting_conversations is
  'A text conversation with a recruit: one for each pair of a recruit''s number and one of our numbers.';
comment on column public.recruiting_conversations.recruiting_lead_id is
  'The recruit; null: no lead is known, or it was deleted or returned.';
comment on column public.recruiting_conversations.assigned_agent_id is
  'The agent who answers once the conversation is escalated.';
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
  'Since when the recruit waits for an answer: their first text since ours. The bot''s last text before it hands the conversation '
  'to a person does not count. Null: nobody waits, or nobody may text the recruit.';
comment on column public.recruiting_conversations.snoozed_until is
  'Until when an agent has put the conversation off; it is due again then, also where the recruit does not wait. Null: nobody '
  'has. A text of the recruit or of an agent ends it.';
comment on column public.recruiting_conversations.due_since is
  'The place in the queue: waiting_since, else snoozed_until. Null: the conversation is not in the queue.';

create trigger set_updated_at
  before update on public.recruiting_conversations
  for each row execute function private.set_updated_at();

alter table public.recruiting_conversations enable row level security;
grant select on public.recruiting_conversations to authenticated;
grant select, insert, update, delete on public.recruiting_conversations to service_role;

-- With the owner's rights: the policy of recruits would be planned again wherever one of conversations is.
create view private.own_recruits as
select l.id from public.recruiting_leads l where l.agent_id = (select private.current_agent_id());

comment on view private.own_recruits is 'The ids of the caller''s recruits, for the policy of conversations.';
grant select on private.own_recruits to authenticated;

create policy "agents read their conversations, managers their agency's" on public.recruiting_conversations
  for select to authenticated
  using (
    assigned_agent_id = (select private.current_agent_id())
    or agency_id = (select private.managed_agency_id())
    or exists (select from private.own_recruits r where r.id = recruiting_conversations.recruiting_lead_id)
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

comment on table public.conversation_reads is
  'The place up to which each agent has read a conversation. read_conversation() writes it.';
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
  -- No foreign key: its check would have each text of a recruit wait while the agents are locked.
  sent_by uuid,
  provider_message_id text unique check (length(provider_message_id) <= 512),
  body text,
  media jsonb not null default '[]' check (jsonb_typeof(media) = 'array'),
  heard text,
  status text check (status in ('queued', 'sent', 'delivered', 'failed')),
  error_code text,
  sent_at timestamptz,
  delivered_at timestamptz,
  failed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((direction = 'inbound') = (sender_type = 'recruit')),
  check (heard is null or direction = 'inbound'),
  check (sent_by is null or sender_type = 'agent')
);

create index on public.recruiting_messages (conversation_id, created_at);
-- A recruit may write thousands of texts, and we do not.
create index recruiting_messages_outbound_idx on public.recruiting_messages (conversation_id, created_at)
  where direction = 'outbound';
-- Most texts are a recruit's, or the bot's.
create index recruiting_messages_sent_by_idx on public.recruiting_messages (sent_by) where sent_by is not null;
-- The conversations in which one of our texts has failed.
create index recruiting_messages_undelivered_idx on public.recruiting_messages (conversation_id, created_at)
  where direction = 'outbound' and status = 'failed';
-- For alerts: whether one of our texts has failed.
create index recruiting_messages_failed_idx on public.recruiting_messages (id)
  where direction = 'outbound' and status = 'failed';

comment on table public.recruiting_messages is 'A text message from or to a recruit.';
comment on column public.recruiting_messages.direction is '`inbound`: from the recruit; `outbound`: from us.';
comment on column public.recruiting_messages.sender_type is 'The writer: `recruit`, `bot` or `agent`.';
comment on column public.recruiting_messages.sent_by is
  'The agent who wrote it; null for a recruit''s and the bot''s, and for texts of before this was kept.';
comment on column public.recruiting_messages.provider_message_id is
  'The SMS provider''s MessageSid; null for an outbound message that the provider has not accepted yet.';
comment on column public.recruiting_messages.body is 'Exactly as sent; null or empty when the message has only media.';
comment on column public.recruiting_messages.media is 'Array of {url, content_type}.';
comment on column public.recruiting_messages.heard is
  'How the bot read a recruit''s text: `answer`; `no_answer`; `early`: it came before the question had left, so that it is no '
  'answer to it; `opening`: the bot then asked its first question, or asked again; `person`, `question`, `about`, `help`, '
  '`not_interested`, or the reason for which a person reads it (bot_sessions.reason). Null: the bot did not read it.';
comment on column public.recruiting_messages.status is
  'Delivery status from the last callback. Before the first one: null, queued once the provider has accepted one of our texts, '
  'or failed when it was not sent.';
comment on column public.recruiting_messages.error_code is
  'Error code of the last callback that had one, or why one of our texts was not sent.';
comment on column public.recruiting_messages.sent_at is
  'When the first callback with the status sent came. delivered_at and failed_at likewise.';

create trigger set_updated_at
  before update on public.recruiting_messages
  for each row execute function private.set_updated_at();

alter table public.recruiting_messages enable row level security;
grant select on public.recruiting_messages to authenticated;
grant select, insert, update, delete on public.recruiting_messages to service_role;

create function private.refuse_removal_of_writer() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if exists (select from public.recruiting_messages m where m.sent_by = old.id) then
    raise exception 'it has recruiting_messages' using errcode = 'PT409';
  end if;
  return old;
end
$$;

comment on function private.refuse_removal_of_writer() is
  'Trigger: an agent who has written a text stays. A text has no foreign key for its writer.';

create trigger refuse_removal_of_writer
  before delete on public.agents
  for each row execute function private.refuse_removal_of_writer();

create policy "readers of a conversation read its messages" on public.recruiting_messages
  for select to authenticated
  using (
    (select true from public.recruiting_conversations c where c.id = recruiting_messages.conversation_id)
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
  'Whether an agency may text a recruit, from any of its numbers. Without a row, the recruit has said nothing. '
  'record_consent() writes it from text_consent_events, which has the proof.';
comment on column public.text_consents.phone is 'The recruit''s number: E.164 (ITU-T).';
comment on column public.text_consents.source is 'As in the event that decided.';
comment on column public.text_consents.changed_at is
  'When it was said. An earlier event that is stored later changes nothing.';

alter table public.text_consents enable row level security;
grant select on public.text_consents to authenticated;
grant select, insert, update, delete on public.text_consents to service_role;

create policy "readers of a conversation read its consent, managers their agency's" on public.text_consents
  for select to authenticated
  using (
    agency_id = (select private.managed_agency_id())
    or (
      select true
      from public.recruiting_conversations c
      where c.recruit_phone = text_consents.phone and c.agency_id = text_consents.agency_id
      limit 1
    )
  );

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
-- For alerts: an agency's latest opt-outs.
create index text_consent_events_opted_out_idx on public.text_consent_events (agency_id, occurred_at) where state = 'opted_out';

comment on table public.text_consent_events is 'Each opt-in and opt-out with its proof. Rows are never changed or removed.';
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

create policy "readers of a conversation read its consents, managers their agency's" on public.text_consent_events
  for select to authenticated
  using (
    agency_id = (select private.managed_agency_id())
    or (
      select true
      from public.recruiting_conversations c
      where c.recruit_phone = text_consent_events.phone and c.agency_id = text_consent_events.agency_id
      limit 1
    )
  );

create function private.clear_paused_reason() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.paused_reason := null;
  return new;
end
$$;

comment on function private.clear_paused_reason() is 'Trigger: an active number has no paused_reason.';

create trigger clear_paused_reason
  before insert or update on public.service_numbers
  for each row when (new.status = 'active' and new.paused_reason is not null)
  execute function private.clear_paused_reason();

create function private.pause_number(phone text, reason text) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.service_numbers n
  set status = 'paused', paused_reason = reason
  where n.phone = pause_number.phone and n.status = 'active';
end
$$;

comment on function private.pause_number(text, text) is
  'Pauses one of our numbers that may not send. reason: the provider''s code.';
