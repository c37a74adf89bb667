-- The bot's scripts, the sessions of conversations in them, and the answers of recruits.

create table public.bot_scripts (
  id uuid primary key default gen_random_uuid(),
  agency_id uuid not null references public.agencies (id),
  version integer not null check (version > 0),
  script jsonb,
  published_at timestamptz not null default now(),
  unique (agency_id, version)
);

comment on table public.bot_scripts is
  'The scripts that an agency has published. Rows are added and never changed: the newest is for conversations that begin, '
  'and a conversation keeps its own.';
comment on column public.bot_scripts.version is 'Counts an agency''s scripts from 1.';
comment on column public.bot_scripts.script is
  'The script (docs/bot.md has its members); null: the bot was switched off.';

create trigger refuse_change
  before update or delete or truncate on public.bot_scripts
  for each statement execute function private.refuse_change();

alter table public.bot_scripts enable row level security;
grant select on public.bot_scripts to authenticated;
grant select, insert on public.bot_scripts to service_role;

create policy "managers read their agency's scripts" on public.bot_scripts
  for select to authenticated
  using (agency_id = (select private.managed_agency_id()));

create type public.handoff_reason as enum (
  'asked', 'question', 'may_opt_out', 'machine', 'distress', 'bereavement', 'health', 'legal', 'minor', 'wrong_number',
  'other_person', 'accessibility', 'language', 'busy', 'automatic_reply', 'media', 'answers_greeting', 'not_understood');

comment on type public.handoff_reason is
  'Why the bot gives a conversation to a person. Only with the first two it may send a last text. The worker has its reasons '
  'from here.';

create table public.bot_sessions (
  conversation_id uuid primary key references public.recruiting_conversations (id) on delete cascade,
  script_id uuid not null references public.bot_scripts (id),
  question text not null,
  tries integer not null default 0 check (tries >= 0),
  answers jsonb not null default '{}' check (jsonb_typeof(answers) = 'object'),
  has_told_about boolean not null default false,
  state text not null default 'active' check (state in ('active', 'done', 'escalated', 'expired', 'stopped')),
  reason text,
  version integer not null default 1,
  asked_at timestamptz,
  heard_since timestamptz,
  asked_message_id uuid references public.recruiting_messages (id) on delete set null,
  remind_at timestamptz,
  expires_at timestamptz,
  wakes_at timestamptz generated always as (least(remind_at, expires_at)) stored,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (state <> 'escalated' or coalesce(reason = any (enum_range(null::public.handoff_reason)::text[]), false))
);

create index on public.bot_sessions (script_id);
create index on public.bot_sessions (asked_message_id);
-- For a monitor: how many there are of each state.
create index on public.bot_sessions (state);
create index bot_sessions_wakes_at_idx on public.bot_sessions (wakes_at) where state = 'active';

comment on table public.bot_sessions is 'Where a conversation stands in its script.';
comment on column public.bot_sessions.question is 'The id of the question that waits for an answer, or was the last.';
comment on column public.bot_sessions.tries is 'The number of texts in a row that did not answer the question.';
comment on column public.bot_sessions.answers is 'The answers by the id of the question, as in screening_answers.value.';
comment on column public.bot_sessions.has_told_about is
  'Whether the script''s `about` was said. It is said once.';
comment on column public.bot_sessions.state is
  '`active`: the bot answers. `done`: the script has come to an end of its own. `escalated`: a person goes on. `expired`: no '
  'answer came. `stopped`: an agent has written, the recruit has opted out, or the bot was switched off.';
comment on column public.bot_sessions.reason is
  'Why it is no longer active: `done`, the script''s own end, `not_interested`, one of handoff_reason where it is `escalated`, '
  '`expired`, `taken_over`, `opted_out`, `suppressed`, `switched_off`, `no_lead` (the lead was deleted or returned) or '
  '`failed`.';
comment on column public.bot_sessions.version is 'Grows with each change, so that a late worker changes nothing.';
comment on column public.bot_sessions.asked_at is
  'When the question was asked, the reminder aside; null: it is asked at the recruit''s next text.';
comment on column public.bot_sessions.heard_since is
  'When the provider had accepted an earlier text that asks the same question; null: there is none.';
comment on column public.bot_sessions.asked_message_id is
  'The text that asks it, the reminder aside; null: none has arrived.';
comment on column public.bot_sessions.remind_at is 'When the question is asked again; null: it is not, or has been.';
comment on column public.bot_sessions.expires_at is 'When the script ends without an answer.';
comment on column public.bot_sessions.wakes_at is 'The next of both.';

create trigger set_updated_at
  before update on public.bot_sessions
  for each row execute function private.set_updated_at();

alter table public.bot_sessions enable row level security;
grant select on public.bot_sessions to authenticated;
grant select, insert, update, delete on public.bot_sessions to service_role;

create policy "readers of a conversation read its session" on public.bot_sessions
  for select to authenticated
  using (
    (select true from public.recruiting_conversations c where c.id = bot_sessions.conversation_id)
  );

create table public.bot_turns (
  conversation_id uuid primary key references public.recruiting_conversations (id) on delete cascade,
  first_at timestamptz not null default clock_timestamp(),
  due_at timestamptz not null,
  message_ids uuid[] not null check (cardinality(message_ids) <= 20),
  last_message_id uuid generated always as (message_ids[cardinality(message_ids)]) stored,
  lease_until timestamptz,
  attempt integer not null default 0,
  created_at timestamptz not null default now()
);

create index on public.bot_turns (due_at);

comment on table public.bot_turns is
  'Turns of the bot that are due or at work. The row is gone when the turn is done.';
comment on column public.bot_turns.first_at is 'When its first text came.';
comment on column public.bot_turns.due_at is
  '8 seconds after its last text, and 30 seconds after the first at most; or when quiet hours end.';
comment on column public.bot_turns.message_ids is
  'The recruit''s texts that it answers, oldest first; none: only time has passed. The conversation of one who writes more '
  'goes to a person.';
comment on column public.bot_turns.last_message_id is 'The last of them.';
comment on column public.bot_turns.lease_until is
  'Until then it belongs to the worker that claimed it. Afterwards the worker counts as dead.';
comment on column public.bot_turns.attempt is
  'The number of times that it was claimed. A worker reports with the number of its claim.';

alter table public.bot_turns enable row level security;
grant select, insert, update, delete on public.bot_turns to service_role;

create table public.screening_answers (
  lead_id uuid not null references public.recruiting_leads (id) on delete cascade,
  question text not null,
  value jsonb not null,
  said text not null,
  answered_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  primary key (lead_id, question)
);

comment on table public.screening_answers is 'The answers of a recruit to the bot''s questions; the latest answer of each.';
comment on column public.screening_answers.question is 'The id of the question in the script.';
comment on column public.screening_answers.value is
  '"yes" or "no", the name of a choice, a list of USPS codes, a number, or a text.';
comment on column public.screening_answers.said is
  'The recruit''s own words, exactly; several texts are separated by line breaks.';

alter table public.screening_answers enable row level security;
grant select on public.screening_answers to authenticated;
grant select, insert, update, delete on public.screening_answers to service_role;

create policy "readers of a lead read its answers" on public.screening_answers
  for select to authenticated
  using ((select true from public.recruiting_leads l where l.id = screening_answers.lead_id));
