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
  -- What the foreign keys of other tables point at, so that an agent never works for another agency than its own.
  unique (id, agency_id)
);

-- Finds the agent whose turn it is too. It holds no last_assigned_at on purpose: taking a turn stays a heap-only
-- update, and an agency's agents are few enough to sort.
create index on public.agents (agency_id);

comment on table public.agents is 'A person of an agency, manager or not. Without a user_id the person cannot sign in.';
comment on column public.agents.is_active is
  'An inactive agent sees nothing, is given no recruit, and stays on record for what was done before.';
comment on column public.agents.accepts_recruits is
  'Takes turns at the agency''s recruiting leads. Left out of an insert, it is true for agents and false for managers.';
comment on column public.agents.last_assigned_at is
  'When the agent last took a turn; who has waited longest is next, and null comes first.';

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
  'Trigger: a manager takes no turn at recruits unless the insert says so. A column default cannot see the role.';

create trigger default_accepts_recruits
  before insert on public.agents
  for each row execute function private.default_accepts_recruits();

create trigger set_updated_at
  before update on public.agents
  for each row execute function private.set_updated_at();

alter table public.agents enable row level security;
grant select on public.agents to authenticated;
grant select, insert, update, delete on public.agents to service_role;
