-- Agencies, their agents, and which agent is signed in.

create table public.agencies (
  id uuid primary key default gen_random_uuid(),
  name text not null check (btrim(name) <> ''),
  timezone text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table public.agencies is 'An insurance agency that buys recruiting leads and works sales leads.';
comment on column public.agencies.timezone is
  'IANA name such as America/New_York. A day of an order''s daily_cap begins at midnight there.';

-- A trigger and not a check constraint: the list of time zones changes with the server, and a row from a backup must
-- never be refused.
create function private.require_known_timezone() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if not exists (select from pg_catalog.pg_timezone_names where name = new.timezone) then
    raise exception 'timezone: "%" is not an IANA time zone name', new.timezone
      using errcode = 'invalid_parameter_value', hint = 'For example America/New_York.';
  end if;
  return new;
end
$$;

comment on function private.require_known_timezone() is 'Trigger: refuses a timezone that the server does not know.';

create trigger require_known_timezone
  before insert or update of timezone on public.agencies
  for each row execute function private.require_known_timezone();

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
  phone text,
  role text not null default 'agent' check (role in ('agent', 'manager')),
  is_active boolean not null default true,
  accepts_recruits boolean not null,
  last_assigned_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Other tables refer to both columns, so that an agent is never used with another agency.
  unique (id, agency_id)
);

create index on public.agents (agency_id);
-- Finds the agent whose turn it is: the agents of an agency who take turns, the one who has waited longest first.
create index agents_turn_idx on public.agents (agency_id, last_assigned_at nulls first, created_at, id)
  where is_active and accepts_recruits;

comment on table public.agents is
  'A person who works for an agency: an agent or a manager. Without a user_id the person cannot sign in.';
comment on column public.agents.is_active is
  'An inactive agent can read nothing and gets no recruits. The row stays, because earlier work refers to it.';
comment on column public.agents.accepts_recruits is
  'Whether the agent takes turns at the agency''s recruiting leads. Default: true for agents, false for managers.';
comment on column public.agents.last_assigned_at is
  'When the agent last got a lead by turn; null: never. The agent who has waited longest is next, null first.';

create function private.default_accepts_recruits() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.accepts_recruits := coalesce(new.accepts_recruits, new.role = 'agent');
  return new;
end
$$;

comment on function private.default_accepts_recruits() is
  'Trigger: sets the default of accepts_recruits by the role, which a column default cannot read.';

create trigger default_accepts_recruits
  before insert on public.agents
  for each row execute function private.default_accepts_recruits();

create trigger set_updated_at
  before update on public.agents
  for each row execute function private.set_updated_at();

alter table public.agents enable row level security;
grant select on public.agents to authenticated;
grant select, insert, update, delete on public.agents to service_role;

-- Who is signed in. Policies call these functions inside a scalar subquery, so that each runs once for a statement and
-- not once for each row. They are security definer because the policy on agents would otherwise call itself.

create function private.current_agent() returns public.agents
language sql
stable
security definer
set search_path = ''
as $$
  select a
  from public.agents a
  -- Both, because PostgREST 12 sets only the JSON of all claims, and some versions of auth.uid() do not read it.
  where a.user_id = coalesce(auth.uid(), (auth.jwt() ->> 'sub')::uuid) and a.is_active
$$;

comment on function private.current_agent() is 'The active agent who is signed in, or null.';

create function private.current_agent_id() returns uuid
language sql
stable
security definer
set search_path = ''
as $$
  select (private.current_agent()).id
$$;

comment on function private.current_agent_id() is 'Id of the active agent who is signed in, or null.';
grant execute on function private.current_agent_id() to authenticated;

create function private.current_agency_id() returns uuid
language sql
stable
security definer
set search_path = ''
as $$
  select (private.current_agent()).agency_id
$$;

comment on function private.current_agency_id() is 'Agency of the active agent who is signed in, or null.';
grant execute on function private.current_agency_id() to authenticated;

create function private.managed_agency_id() returns uuid
language sql
stable
security definer
set search_path = ''
as $$
  select case when a.role = 'manager' then a.agency_id end
  from private.current_agent() a
$$;

comment on function private.managed_agency_id() is 'Agency of the active manager who is signed in, or null.';
grant execute on function private.managed_agency_id() to authenticated;

-- A signed-in agent reads what is assigned to the agent, a manager everything of the agency. A table without a policy
-- for a role shows that role no row. Only the service role writes; the exceptions are submit_lead_presentation()
-- and what agents do about texts.

create policy "managers read their agency" on public.agencies
  for select to authenticated
  using (id = (select private.managed_agency_id()));

create policy "agents read the agents of their agency" on public.agents
  for select to authenticated
  using (agency_id = (select private.current_agency_id()));
