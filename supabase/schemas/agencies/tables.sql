-- Agencies and their agents.

create table public.agencies (
  id uuid primary key default gen_random_uuid(),
  name text not null check (btrim(name) <> ''),
  timezone text not null,
  opens_at time not null default '09:00',
  closes_at time not null default '18:00',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (opens_at < closes_at)
);

comment on table public.agencies is 'An insurance agency that buys recruiting leads and works sales leads.';
comment on column public.agencies.timezone is
  'IANA name such as America/New_York. A day of an order''s daily_cap begins at midnight there.';
comment on column public.agencies.opens_at is
  'When its agents begin to answer recruits, Monday to Friday, in its time zone; they end at closes_at.';

create trigger set_updated_at
  before update on public.agencies
  for each row execute function private.set_updated_at();

alter table public.agencies enable row level security;
grant select on public.agencies to authenticated;
grant select, insert, update, delete on public.agencies to service_role;

create table public.agents (
  id uuid primary key default gen_random_uuid(),
  agency_id uuid not null references public.agencies (id),
  user_id uuid unique references auth.users (id) on delete set null,
  first_name text not null check (btrim(first_name) <> ''),
  last_name text,
  email text,
  phone text check (phone ~ '^\+[1-9][0-9]{1,14}$'),
  role text not null default 'agent' check (role in ('agent', 'manager')),
  is_active boolean not null default true,
  accepts_recruits boolean not null,
  away_until timestamptz,
  last_assigned_at timestamptz,
  mail_about text[] not null default '{}' check (mail_about <@ '{lead,recruit_waiting}'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Other tables refer to both columns, so that an agent is never used with another agency.
  unique (id, agency_id)
);

create index on public.agents (agency_id);
-- Finds the agent whose turn it is: the agents of an agency who take turns, the longest waiting first.
create index agents_turn_idx on public.agents (agency_id, last_assigned_at nulls first, created_at, id)
  where is_active and accepts_recruits;

comment on table public.agents is
  'A person who works for an agency: an agent or a manager. A person without a user_id cannot sign in.';
comment on column public.agents.phone is 'In E.164.';
comment on column public.agents.role is
  'A `manager` can read everything of the agency; an `agent` only what is assigned to the agent.';
comment on column public.agents.is_active is
  'An inactive agent cannot read anything and receives no recruits. The row stays, because earlier work refers to it.';
comment on column public.agents.accepts_recruits is
  'Whether the agent takes turns for the agency''s recruiting leads. Defaults to true for agents, false for managers.';
comment on column public.agents.away_until is
  'Until this time, the agent receives no new recruits, and managers are also notified of texts for the agent; null '
  'or in the past: not away.';
comment on column public.agents.mail_about is
  'What the agent gets e-mails about: a new `lead`, and a recruit who waits for an answer (`recruit_waiting`).';
comment on column public.agents.last_assigned_at is
  'When the agent last received a lead by turn; null: never. The agent who has waited longest is next, null first.';

create trigger set_updated_at
  before update on public.agents
  for each row execute function private.set_updated_at();

alter table public.agents enable row level security;
grant select on public.agents to authenticated;
grant select, insert, update, delete on public.agents to service_role;
