-- The first migration: the files of supabase/schemas one after the other, as they were at the start. They are not the
-- output of a schema differ, so that comments, the storage bucket and the default privileges are kept.

-- From schemas/01_privileges.sql

-- A role may do only what is granted to it by name, beside the table or function concerned. Two defaults work against
-- that, so they are removed before the first object is made: hosted projects grant everything new in `public` to the
-- API roles, and Postgres grants execute on every new function to everybody.
alter default privileges in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges in schema public revoke all on functions from anon, authenticated, service_role;
alter default privileges in schema public revoke all on sequences from anon, authenticated, service_role;
alter default privileges revoke execute on functions from public;

-- A project may have a schema of this name already.
create schema if not exists private;
comment on schema private is 'Helpers of the functions, triggers and policies in public. No API exposes it.';
revoke all on schema private from public;

-- Usage of the schema allows nothing by itself: execute is granted function by function.
grant usage on schema private to authenticated, service_role;

-- From schemas/02_helpers.sql

-- Functions that several topics share.

create function private.set_updated_at() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end
$$;

comment on function private.set_updated_at() is
  'Trigger of every table with an updated_at: sets it to the time of the transaction that changes the row.';

create function private.indexable_id(id text) returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return case
    when btrim(id) = '' then null
    when length(id) <= 512 then id
    else 'sha256:' || encode(sha256(convert_to(id, 'UTF8')), 'hex')
  end;
end
$$;

comment on function private.indexable_id(text) is
  'A vendor''s or provider''s id as it is stored: null when blank; above 512 characters `sha256:` and its SHA-256 in '
  'hex, because an index entry cannot be larger than about 2,700 bytes.';
grant execute on function private.indexable_id(text) to service_role;

-- For batches of rows: a row that the database refuses is reported, and the other rows are stored.

create function private.is_row_error(code text) returns boolean
language sql
immutable
set search_path = ''
as $$
  -- Class 22 is bad data, 23 and 44 are broken constraints, P0 is a raised exception. A trigger may also raise an
  -- exception with a code of its own, so every class that Postgres itself does not use counts as well.
  select left(code, 2) in ('22', '23', '44', 'P0') or left(code, 2) not in (
    '00', '01', '02', '03', '08', '09', '0A', '0B', '0F', '0L', '0P', '0Z', '10', '20', '21', '24', '25', '26', '27',
    '28', '2B', '2D', '2F', '34', '38', '39', '3B', '3D', '3F', '40', '42', '53', '54', '55', '57', '58', '72', 'F0',
    'HV', 'XX'
  )
$$;

comment on function private.is_row_error(text) is
  'Whether an error with this SQLSTATE concerns one row, so that other rows may still be stored. Any other error, such '
  'as a missing privilege, a lock or a full disk, concerns the whole call.';
grant execute on function private.is_row_error(text) to service_role;

create function private.row_error_reason(code text) returns text
language sql
immutable
set search_path = ''
as $$
  select format('refused by the database (SQLSTATE %s)', code)
$$;

comment on function private.row_error_reason(text) is
  'The reason reported for a row that the database refused. It holds only the SQLSTATE, because the error''s message '
  'may quote data or internal names.';
grant execute on function private.row_error_reason(text) to service_role;

-- From schemas/10_agencies.sql

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

-- Also finds the agent whose turn it is. last_assigned_at is not in it: an update of a column without an index is
-- cheaper (heap-only), and the agents of one agency are few enough to sort.
create index on public.agents (agency_id);

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
-- for a role shows that role no row. Only the service role writes; the exception is submit_lead_presentation().

create policy "managers read their agency" on public.agencies
  for select to authenticated
  using (id = (select private.managed_agency_id()));

create policy "agents read the agents of their agency" on public.agents
  for select to authenticated
  using (agency_id = (select private.current_agency_id()));

-- From schemas/20_vendors.sql

-- Vendors and the API keys they authenticate with.

create table public.vendors (
  id uuid primary key default gen_random_uuid(),
  slug text not null unique check (slug ~ '^[a-z0-9]+([_-][a-z0-9]+)*$' and length(slug) <= 63),
  name text not null check (btrim(name) <> ''),
  parser text,
  parser_config jsonb not null default '{}' check (jsonb_typeof(parser_config) = 'object'),
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table public.vendors is 'A company that sends recruiting leads.';
comment on column public.vendors.parser is
  'Name of the parser that reads this vendor''s payloads. Parsers are part of the function''s code, so the database '
  'cannot check the name. With null or an unknown name the vendor''s requests get BAD_REQUEST.';
comment on column public.vendors.parser_config is
  'Settings of the parser for this vendor. Each parser defines its own shape.';
comment on column public.vendors.is_active is 'The keys of an inactive vendor do not work.';

create trigger set_updated_at
  before update on public.vendors
  for each row execute function private.set_updated_at();

alter table public.vendors enable row level security;
grant select, insert, update, delete on public.vendors to service_role;

create extension if not exists pgcrypto with schema extensions;

create table public.vendor_api_keys (
  id uuid primary key default gen_random_uuid(),
  vendor_id uuid not null references public.vendors (id) on delete cascade,
  key_hash text not null unique check (key_hash ~ '^[0-9a-f]{64}$'),
  key_prefix text not null,
  label text,
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create index on public.vendor_api_keys (vendor_id);

comment on table public.vendor_api_keys is
  'API keys of vendors. A vendor may have several valid keys, so that it can change to a new one at any time.';
comment on column public.vendor_api_keys.key_hash is
  'SHA-256 of the key in lower-case hex. A key has 256 random bits, so a slow password hash is not needed.';
comment on column public.vendor_api_keys.key_prefix is
  'The first 12 characters of the key, by which a person recognises it.';

create trigger set_updated_at
  before update on public.vendor_api_keys
  for each row execute function private.set_updated_at();

alter table public.vendor_api_keys enable row level security;
grant select, insert, update, delete on public.vendor_api_keys to service_role;

create function public.create_vendor_api_key(
  vendor_slug text,
  label text,
  expires_at timestamptz default null
) returns text
language plpgsql
set search_path = ''
as $$
declare
  new_key text := 'lik_' || translate(
    rtrim(encode(extensions.gen_random_bytes(32), 'base64'), '='), '+/', '-_');
begin
  insert into public.vendor_api_keys (vendor_id, key_hash, key_prefix, label, expires_at)
  select
    v.id,
    encode(sha256(convert_to(new_key, 'UTF8')), 'hex'),
    left(new_key, 12),
    create_vendor_api_key.label,
    create_vendor_api_key.expires_at
  from public.vendors v
  where v.slug = create_vendor_api_key.vendor_slug;

  if not found then
    raise exception 'vendor_slug: no vendor "%"', vendor_slug using errcode = 'PT404';
  end if;
  return new_key;
end
$$;

comment on function public.create_vendor_api_key(text, text, timestamptz) is
  'Makes an API key for a vendor and returns it: `lik_` and 43 base64url characters. It cannot be read again later. '
  'PT404 for an unknown slug.';
grant execute on function public.create_vendor_api_key(text, text, timestamptz) to service_role;

create function public.revoke_vendor_api_key(key_prefix text) returns boolean
language plpgsql
set search_path = ''
as $$
begin
  update public.vendor_api_keys k
  set revoked_at = now()
  where k.key_prefix = revoke_vendor_api_key.key_prefix and k.revoked_at is null;
  return found;
end
$$;

comment on function public.revoke_vendor_api_key(text) is
  'Revokes the key with this prefix at once. False when there is no such key or it was revoked before.';
grant execute on function public.revoke_vendor_api_key(text) to service_role;

create function public.authenticate_vendor(key_hash text) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  vendor public.vendors;
begin
  select v.* into vendor
  from public.vendor_api_keys k
  join public.vendors v on v.id = k.vendor_id
  where k.key_hash = authenticate_vendor.key_hash
    and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > now())
    and v.is_active;

  -- One message for every reason, so that a stranger learns nothing about keys and vendors.
  if not found then
    raise exception 'invalid API key' using errcode = 'PT401';
  end if;

  return jsonb_build_object(
    'vendor_id', vendor.id,
    'parser', vendor.parser,
    'parser_config', vendor.parser_config
  );
end
$$;

comment on function public.authenticate_vendor(text) is
  'The vendor whose key has this SHA-256 (lower-case hex): {vendor_id, parser|null, parser_config}. PT401 when the key '
  'is unknown, expired or revoked, or the vendor is inactive.';
grant execute on function public.authenticate_vendor(text) to service_role;

-- From schemas/30_recruiting_orders.sql

-- What agencies have ordered.

create table public.recruiting_orders (
  id uuid primary key default gen_random_uuid(),
  agency_id uuid not null references public.agencies (id),
  agent_id uuid,
  vendor_id uuid references public.vendors (id),
  states text[] check (
    array_to_string(states, ',', '?') ~ '^[A-Z]{2}(,[A-Z]{2})*$'
  ),
  quantity integer not null check (quantity > 0),
  filled integer not null default 0,
  daily_cap integer check (daily_cap > 0),
  priority integer not null default 0,
  status text not null default 'open' check (status in ('open', 'paused', 'filled', 'closed')),
  starts_at timestamptz,
  ends_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (filled between 0 and quantity),
  check (ends_at > starts_at),
  foreign key (agent_id, agency_id) references public.agents (id, agency_id),
  -- recruiting_leads refers to both columns, so that a lead's agency is always the agency of its order.
  unique (agency_id, id)
);

create index on public.recruiting_orders (agent_id, agency_id);
create index on public.recruiting_orders (vendor_id);
-- For choosing an order. `filled` is not in it, because it changes with every lead: an update of a column without an
-- index is cheaper (heap-only).
create index recruiting_orders_open_idx on public.recruiting_orders (priority desc) where status = 'open';

comment on table public.recruiting_orders is 'An agency''s order for a number of recruiting leads.';
comment on column public.recruiting_orders.agent_id is
  'The agent who gets all leads of the order while active; null: the agency''s agents take turns.';
comment on column public.recruiting_orders.vendor_id is 'Only leads of this vendor; null: of any vendor.';
comment on column public.recruiting_orders.states is
  'Only leads from these states, each as two upper-case letters; null: any lead, also one without a state.';
comment on column public.recruiting_orders.filled is
  'How many leads the order has received; never more than quantity.';
comment on column public.recruiting_orders.daily_cap is
  'Largest number of leads in one day of the agency''s time zone; null: no limit.';
comment on column public.recruiting_orders.priority is 'The order with the highest priority gets a lead first.';
comment on column public.recruiting_orders.status is
  'Only an open order gets leads. Distribution sets `filled` when the count reaches quantity; people set the others.';
comment on column public.recruiting_orders.starts_at is 'The order gets leads from this time on; null: at once.';
comment on column public.recruiting_orders.ends_at is 'The order gets no leads from this time on; null: no end.';

create trigger set_updated_at
  before update on public.recruiting_orders
  for each row execute function private.set_updated_at();

alter table public.recruiting_orders enable row level security;
grant select on public.recruiting_orders to authenticated;
grant select, insert, update, delete on public.recruiting_orders to service_role;

create policy "agents read orders that name them, managers their agency's" on public.recruiting_orders
  for select to authenticated
  using (
    agent_id = (select private.current_agent_id())
    or agency_id = (select private.managed_agency_id())
  );

-- From schemas/31_recruiting_leads.sql

-- Recruiting leads: applicants that vendors send.

create table public.recruiting_leads (
  id uuid primary key default gen_random_uuid(),
  vendor_id uuid not null references public.vendors (id),
  vendor_lead_id text check (btrim(vendor_lead_id) <> '' and length(vendor_lead_id) <= 512),
  first_name text not null check (btrim(first_name) <> ''),
  vendor_metadata jsonb not null default '{}' check (jsonb_typeof(vendor_metadata) = 'object'),
  last_name text generated always as (
    case when jsonb_typeof(vendor_metadata -> 'last_name') in ('string', 'number')
      then vendor_metadata ->> 'last_name' end
  ) stored,
  email text generated always as (
    case when jsonb_typeof(vendor_metadata -> 'email') in ('string', 'number')
      then vendor_metadata ->> 'email' end
  ) stored,
  phone text generated always as (
    case when jsonb_typeof(vendor_metadata -> 'phone') in ('string', 'number')
      then vendor_metadata ->> 'phone' end
  ) stored,
  state text generated always as (
    case when vendor_metadata ->> 'state' ~ '^[A-Za-z]{2}$'
      then upper(vendor_metadata ->> 'state') end
  ) stored,
  resume_path text,
  order_id uuid,
  agency_id uuid references public.agencies (id),
  agent_id uuid,
  distributed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (vendor_id, vendor_lead_id),
  foreign key (agency_id, order_id) references public.recruiting_orders (agency_id, id),
  foreign key (agent_id, agency_id) references public.agents (id, agency_id),
  -- Postgres does not check a foreign key of two columns while one of them is null; these two constraints do.
  check (agent_id is null or agency_id is not null),
  check (order_id is null or (agency_id is not null and distributed_at is not null))
);

-- The first lists an agency's leads and counts the leads of an order in a day. Leads that went to no agency are in
-- neither index.
create index recruiting_leads_order_day_idx on public.recruiting_leads (agency_id, order_id, distributed_at)
  where agency_id is not null;
create index recruiting_leads_agent_idx on public.recruiting_leads (agent_id, agency_id)
  where agent_id is not null;

comment on table public.recruiting_leads is 'A recruit sent by a vendor, with the order, agency and agent that got it.';
comment on column public.recruiting_leads.vendor_lead_id is
  'The vendor''s own id, by which a lead that is sent again is recognised; null: the vendor gave none. Above 512 '
  'characters it is stored as `sha256:` and its hash, because an index entry has a size limit.';
comment on column public.recruiting_leads.vendor_metadata is
  'What the parser read besides the first name: last_name, email, phone, city, state, zip, ... and vendor_fields. '
  'is_test = true marks a test lead of the vendor, which is never distributed.';
comment on column public.recruiting_leads.state is
  'Two upper-case letters, or null when the state in vendor_metadata is anything else.';
comment on column public.recruiting_leads.resume_path is
  'Name of the object in the bucket `resumes`: <vendor_id>/<lead id>.pdf';

create trigger set_updated_at
  before update on public.recruiting_leads
  for each row execute function private.set_updated_at();

alter table public.recruiting_leads enable row level security;
grant select on public.recruiting_leads to authenticated;
grant select, insert, update, delete on public.recruiting_leads to service_role;

create policy "agents read their recruits, managers their agency's" on public.recruiting_leads
  for select to authenticated
  using (
    agent_id = (select private.current_agent_id())
    or agency_id = (select private.managed_agency_id())
  );

-- From schemas/32_resumes.sql

-- The bucket for resumes is private and has no policy on storage.objects: only the service role reads or writes it.
-- A project may have a bucket of this name already. It then gets the same settings, since a public one would publish
-- the resumes.
insert into storage.buckets as b (id, name, public, file_size_limit, allowed_mime_types)
values ('resumes', 'resumes', false, 10 * 1024 * 1024, array['application/pdf'])
on conflict (id) do update
set
  public = excluded.public,
  file_size_limit = excluded.file_size_limit,
  allowed_mime_types = excluded.allowed_mime_types;

-- From schemas/33_distribution.sql

-- Which order and which agent a recruiting lead goes to. Two functions choose, and both a preview and the distribution
-- itself call them, so that the two always agree. They are written in plpgsql because it keeps their query plans, while
-- an SQL function is planned again at every call.

create function private.match_recruiting_order(vendor_id uuid, state text, moment timestamptz)
returns setof public.recruiting_orders
language plpgsql
stable
rows 1
set search_path = ''
as $$
begin
  return query
  select o.*
  from public.recruiting_orders o
  join public.agencies a on a.id = o.agency_id
  where o.status = 'open'
    and o.filled < o.quantity
    and (o.vendor_id is null or o.vendor_id = match_recruiting_order.vendor_id)
    and (o.states is null or match_recruiting_order.state = any (o.states))
    and (o.starts_at is null or o.starts_at <= moment)
    and (o.ends_at is null or o.ends_at > moment)
    and (o.daily_cap is null or o.daily_cap > (
      select count(*)
      from public.recruiting_leads l
      where l.order_id = o.id
        and l.agency_id = o.agency_id
        and l.distributed_at >= date_trunc('day', moment, a.timezone)
    ))
  order by o.priority desc, o.filled::numeric / o.quantity, o.created_at, o.id
  limit 1;
end
$$;

comment on function private.match_recruiting_order(uuid, text, timestamptz) is
  'The order that gets a lead of this vendor and state (null: unknown) at this moment, or no row. Highest priority '
  'first, then the smallest filled share, then the oldest.';
grant execute on function private.match_recruiting_order(uuid, text, timestamptz) to service_role;

create function private.next_agent(agency_id uuid, preferred_agent_id uuid) returns uuid
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select a.id
    from public.agents a
    where a.agency_id = next_agent.agency_id
      and a.is_active
      and (a.accepts_recruits or a.id = preferred_agent_id)
    order by
      (a.id = preferred_agent_id) desc nulls last,
      a.last_assigned_at nulls first,
      a.created_at,
      a.id
    limit 1
  );
end
$$;

comment on function private.next_agent(uuid, uuid) is
  'The preferred agent if active; else the active agent of the agency who accepts recruits and has waited longest; '
  'else null.';
grant execute on function private.next_agent(uuid, uuid) to service_role;

create function private.distribute_recruiting_lead(lead_id uuid, vendor_id uuid, state text)
returns public.recruiting_leads
language plpgsql
set search_path = ''
as $$
declare
  chosen_order public.recruiting_orders;
  chosen_agent_id uuid;
  moment timestamptz;
  lead public.recruiting_leads;
begin
  -- A lead that no order matches does not wait for the lock.
  if not exists (
    select from private.match_recruiting_order(vendor_id, state, clock_timestamp())
  ) then
    return null;
  end if;

  -- One lead at a time, because turns, shares and daily counts depend on every choice before. Each statement takes a
  -- new snapshot (the function is volatile, the isolation level read committed), so under the lock it sees the last
  -- choice. There is no deadlock: a transaction inserts its lead before it waits here, so the one that holds the lock
  -- never waits for another one's insert.
  perform pg_advisory_xact_lock(hashtextextended('recruiting lead distribution', 0));

  -- An administrator does not take the lock, and may change the order or deactivate the agent just after the choice.
  -- Therefore each update repeats the conditions: the order must be unchanged, the agent must still be allowed. When an
  -- update finds no row, the choice is made again.
  loop
    moment := clock_timestamp();
    select * into chosen_order from private.match_recruiting_order(vendor_id, state, moment);
    if not found then
      return null;
    end if;

    update public.recruiting_orders o
    set
      filled = o.filled + 1,
      status = case when o.filled + 1 = o.quantity then 'filled' else o.status end
    where o.id = chosen_order.id and o is not distinct from chosen_order;
    exit when found;
  end loop;

  loop
    chosen_agent_id := private.next_agent(chosen_order.agency_id, chosen_order.agent_id);
    exit when chosen_agent_id is null;

    update public.agents a
    set last_assigned_at = moment
    where a.id = chosen_agent_id
      and a.is_active
      and (a.accepts_recruits or a.id = chosen_order.agent_id);
    exit when found;
  end loop;

  update public.recruiting_leads l
  set
    order_id = chosen_order.id,
    agency_id = chosen_order.agency_id,
    agent_id = chosen_agent_id,
    distributed_at = moment
  where l.id = lead_id
  returning * into lead;
  return lead;
end
$$;

comment on function private.distribute_recruiting_lead(uuid, uuid, text) is
  'Gives a stored lead to an order and an agent and counts it, in the transaction of the caller. Returns the lead with '
  'its order and agent, or null when no order matches.';
grant execute on function private.distribute_recruiting_lead(uuid, uuid, text) to service_role;

-- From schemas/34_ingest.sql

-- POST /recruiting/ingest: one lead.

create function private.distributed_to(agency_id uuid, agent_id uuid) returns jsonb
language plpgsql
immutable
set search_path = ''
as $$
begin
  return case when agency_id is not null
    then jsonb_build_object('agency_id', agency_id, 'agent_id', agent_id) end;
end
$$;

comment on function private.distributed_to(uuid, uuid) is
  'Where a lead went, as in the response: {agency_id, agent_id|null}, or null when it went to no agency.';
grant execute on function private.distributed_to(uuid, uuid) to service_role;

create function private.require_recruiting_lead(lead jsonb) returns void
language plpgsql
immutable
set search_path = ''
as $$
begin
  if coalesce(btrim(lead ->> 'first_name'), '') = '' then
    raise exception 'missing first_name' using errcode = 'PT400';
  elsif coalesce(jsonb_typeof(lead -> 'vendor_metadata'), 'null') not in ('object', 'null') then
    raise exception 'vendor_metadata must be an object' using errcode = 'PT400';
  end if;
end
$$;

comment on function private.require_recruiting_lead(jsonb) is
  'Raises PT400 when the lead has no first_name, or a vendor_metadata that is no object.';
grant execute on function private.require_recruiting_lead(jsonb) to service_role;

create function public.ingest_recruiting_lead(key_hash text, lead jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  key_vendor_id constant uuid := public.authenticate_vendor(key_hash) ->> 'vendor_id';
  lead_id constant uuid := lead ->> 'id';
  indexed_id constant text := private.indexable_id(lead ->> 'vendor_lead_id');
  is_test constant boolean := lead #> '{vendor_metadata,is_test}' is not distinct from 'true';
  metadata constant jsonb := coalesce(nullif(lead -> 'vendor_metadata', 'null'), '{}');
  stored public.recruiting_leads;
  distributed public.recruiting_leads;
begin
  perform private.require_recruiting_lead(lead);
  -- A call may be delayed on its way. By now the vendor may have been told that it failed, and the resume been removed.
  if (lead ->> 'not_after')::timestamptz < clock_timestamp() then
    raise exception 'the call comes too late';
  end if;

  loop
    insert into public.recruiting_leads (id, vendor_id, vendor_lead_id, first_name, vendor_metadata, resume_path)
    values (lead_id, key_vendor_id, indexed_id, lead ->> 'first_name', metadata, lead ->> 'resume_path')
    on conflict do nothing
    returning * into stored;

    if found then
      if not is_test then
        distributed := private.distribute_recruiting_lead(stored.id, stored.vendor_id, stored.state);
      end if;
      return jsonb_build_object(
        'id', stored.id,
        'status', 'created',
        'distributed_to', private.distributed_to(distributed.agency_id, distributed.agent_id)
      );
    end if;

    -- The conflicting row may have been committed after the insert began, so only a new statement can see it. If it
    -- has been deleted since, the loop tries the insert again.
    select * into stored
    from public.recruiting_leads l
    where l.id = lead_id or (l.vendor_id = key_vendor_id and l.vendor_lead_id = indexed_id)
    order by l.id = lead_id desc
    limit 1;

    if stored.vendor_id <> key_vendor_id then
      raise exception 'the id belongs to a lead of another vendor' using errcode = 'unique_violation';
    elsif stored.id = lead_id then
      return jsonb_build_object(
        'id', stored.id,
        'status', 'created',
        'distributed_to', private.distributed_to(stored.agency_id, stored.agent_id)
      );
    elsif found then
      return jsonb_build_object('id', stored.id, 'status', 'duplicate');
    end if;
  end loop;
end
$$;

comment on function public.ingest_recruiting_lead(text, jsonb) is
  'Stores one lead of the key''s vendor and distributes it, unless vendor_metadata.is_test is true. lead: {id, '
  'first_name, vendor_lead_id|null, vendor_metadata, resume_path|null, not_after?}. The caller makes the id; a '
  'repeated call with the same id returns the first result and stores nothing. After the time not_after nothing is '
  'stored (P0001). Returns {id, status: created, distributed_to: {agency_id, agent_id|null}|null}, or {id, status: '
  'duplicate} with the id of the lead that has this vendor_lead_id. PT401 as authenticate_vendor(), PT400 without a '
  'first_name.';
grant execute on function public.ingest_recruiting_lead(text, jsonb) to service_role;

create function public.preview_recruiting_lead(key_hash text, lead jsonb) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  key_vendor_id constant uuid := public.authenticate_vendor(key_hash) ->> 'vendor_id';
  indexed_id constant text := private.indexable_id(lead ->> 'vendor_lead_id');
  is_test constant boolean := lead #> '{vendor_metadata,is_test}' is not distinct from 'true';
  existing_id uuid;
  matched public.recruiting_orders;
begin
  perform private.require_recruiting_lead(lead);

  select l.id into existing_id
  from public.recruiting_leads l
  where l.vendor_id = key_vendor_id and l.vendor_lead_id = indexed_id;

  if existing_id is null and not is_test then
    select * into matched
    from private.match_recruiting_order(key_vendor_id, upper(lead #>> '{vendor_metadata,state}'), now());
  end if;

  return jsonb_build_object(
    'status', case when existing_id is null then 'created' else 'duplicate' end,
    'id', existing_id,
    'order_id', matched.id,
    'distributed_to', private.distributed_to(
      matched.agency_id, private.next_agent(matched.agency_id, matched.agent_id))
  );
end
$$;

comment on function public.preview_recruiting_lead(text, jsonb) is
  'What ingest_recruiting_lead() would do with this lead now; changes nothing. Returns {status: created|duplicate, '
  'id|null of the existing lead, order_id|null, distributed_to|null}. Raises the same errors.';
grant execute on function public.preview_recruiting_lead(text, jsonb) to service_role;

-- From schemas/35_ingest_bulk.sql

-- POST /recruiting/ingest/bulk: many leads, none of them distributed.

create function private.insert_recruiting_leads(vendor_id uuid, leads jsonb) returns integer
language plpgsql
set search_path = ''
as $$
declare
  created integer;
begin
  -- Sorted by vendor_lead_id, so that two requests with the same leads wait for each other and never deadlock; then by
  -- row, so that of two rows with the same vendor_lead_id the first is stored.
  insert into public.recruiting_leads (vendor_id, vendor_lead_id, first_name, vendor_metadata)
  select
    insert_recruiting_leads.vendor_id,
    private.indexable_id(lead.vendor_lead_id),
    lead.first_name,
    coalesce(nullif(lead.vendor_metadata, 'null'), '{}')
  from jsonb_to_recordset(leads)
    as lead ("row" integer, first_name text, vendor_lead_id text, vendor_metadata jsonb)
  order by private.indexable_id(lead.vendor_lead_id), lead."row"
  on conflict on constraint recruiting_leads_vendor_id_vendor_lead_id_key do nothing;

  get diagnostics created = row_count;
  return created;
end
$$;

comment on function private.insert_recruiting_leads(uuid, jsonb) is
  'Stores the leads that are not duplicates, in one statement, and returns how many they were.';
grant execute on function private.insert_recruiting_leads(uuid, jsonb) to service_role;

create function public.ingest_recruiting_leads(key_hash text, leads jsonb) returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '60s'
as $$
declare
  key_vendor_id constant uuid := public.authenticate_vendor(key_hash) ->> 'vendor_id';
  created integer := 0;
  errors jsonb[] := '{}';
  lead jsonb;
begin
  begin
    created := private.insert_recruiting_leads(key_vendor_id, leads);
  exception when others then
    if not private.is_row_error(sqlstate) then
      raise;
    end if;
    -- One bad row makes the whole statement fail. Row by row costs about three times as much, so it is done only here.
    for lead in
      select l from jsonb_array_elements(leads) l
      order by private.indexable_id(l ->> 'vendor_lead_id'), (l ->> 'row')::integer
    loop
      begin
        created := created + private.insert_recruiting_leads(key_vendor_id, jsonb_build_array(lead));
      exception when others then
        if not private.is_row_error(sqlstate) then
          raise;
        end if;
        errors := array_append(
          errors, jsonb_build_object('row', lead -> 'row', 'reason', private.row_error_reason(sqlstate)));
      end;
    end loop;
  end;

  return jsonb_build_object(
    'created', created,
    'duplicates', jsonb_array_length(leads) - created - cardinality(errors),
    'errors', (select coalesce(jsonb_agg(e order by (e ->> 'row')::integer), '[]') from unnest(errors) e)
  );
end
$$;

comment on function public.ingest_recruiting_leads(text, jsonb) is
  'Stores many leads of the key''s vendor; none is distributed. leads: [{row, first_name, vendor_lead_id|null, '
  'vendor_metadata}]. Returns {created, duplicates, errors: [{row, reason}]}. A duplicate has the vendor_lead_id of a '
  'stored lead or of an earlier row; an error is a row that the database refused. PT401 as authenticate_vendor().';
grant execute on function public.ingest_recruiting_leads(text, jsonb) to service_role;

-- From schemas/40_leads.sql

-- Sales leads, which agents work.

create table public.leads (
  -- The first 48 bits are the time in milliseconds, the rest is random. New ids therefore go to the end of this index
  -- and of the index of lead_metrics. An import into 1,000,000 leads just after a checkpoint writes 3.6 kB of log for a
  -- lead; with random ids it writes 7.1 kB.
  id uuid primary key default encode(
    overlay(
      uuid_send(gen_random_uuid())
      placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
      from 1 for 6),
    'hex')::uuid,
  external_id uuid,
  agency_id uuid not null,
  agent_id uuid not null,
  distribution_id uuid,
  first_name text not null check (btrim(first_name) <> ''),
  last_name text,
  phone text not null check (btrim(phone) <> ''),
  phone_e164 text check (phone_e164 ~ '^\+[1-9][0-9]{1,14}$'),
  email text,
  address text,
  city text,
  state text not null check (btrim(state) <> ''),
  zip text,
  language text,
  type text not null
    check (type in ('fwk', 'csk', 'br', 'union', 'ncr', 'pos', 'dcard', 'fe', 'globe')),
  source text not null default 'platform' check (source in ('platform', 'manual')),
  -- The specification names only these defaults and no other values, so any text is allowed.
  status text not null default 'open' check (btrim(status) <> ''),
  stage text not null default 'new' check (btrim(stage) <> ''),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (agency_id, external_id),
  foreign key (agent_id, agency_id) references public.agents (id, agency_id)
);

create index on public.leads (agent_id, agency_id);

comment on table public.leads is 'A sales lead that an agent works, imported from a lead vendor or entered by hand.';
comment on column public.leads.external_id is
  'The lead vendor''s id, by which a lead that is sent again is recognised; null for a lead entered by hand.';
comment on column public.leads.distribution_id is 'The lead vendor''s id of the batch the lead came with.';
comment on column public.leads.phone is 'As it was sent. A lead is not refused for its phone number.';
comment on column public.leads.phone_e164 is 'The same number in E.164 (ITU-T); null when it could not be read.';
comment on column public.leads.type is 'Kind of lead: fwk, csk, br, union, ncr, pos, dcard, fe or globe.';
comment on column public.leads.source is '`platform` for an imported lead, `manual` for one entered by hand.';

create trigger set_updated_at
  before update on public.leads
  for each row execute function private.set_updated_at();

alter table public.leads enable row level security;
grant select on public.leads to authenticated;
grant select, insert, update, delete on public.leads to service_role;

create policy "agents read their leads, managers their agency's" on public.leads
  for select to authenticated
  using (
    agent_id = (select private.current_agent_id())
    or agency_id = (select private.managed_agency_id())
  );

-- From schemas/41_lead_metrics.sql

-- Counts of what has happened to a lead.

create table public.lead_metrics (
  lead_id uuid primary key references public.leads (id) on delete cascade,
  presentations_started integer not null default 0 check (presentations_started >= 0),
  presentations_resumed integer not null default 0 check (presentations_resumed >= 0),
  presentations_paused integer not null default 0 check (presentations_paused >= 0),
  presentations_submitted integer not null default 0 check (presentations_submitted >= 0),
  sales integer not null default 0 check (sales >= 0),
  annual_premium numeric not null default 0,
  referrals integer not null default 0 check (referrals >= 0),
  last_activity_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table public.lead_metrics is
  'What has happened to a lead, counted by triggers. Every lead has a row from the moment it is stored.';
comment on column public.lead_metrics.annual_premium is
  'Sum of the annual premiums of the lead''s sales, in US dollars.';
comment on column public.lead_metrics.last_activity_at is 'Time of the latest activity or submitted presentation.';

create trigger set_updated_at
  before update on public.lead_metrics
  for each row execute function private.set_updated_at();

alter table public.lead_metrics enable row level security;
grant select on public.lead_metrics to authenticated;
grant select, insert, update, delete on public.lead_metrics to service_role;

create function private.create_lead_metrics() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  insert into public.lead_metrics (lead_id) select id from inserted;
  return null;
end
$$;

comment on function private.create_lead_metrics() is 'Trigger: makes a lead_metrics row for each new lead.';

-- Once for each statement and not for each row, because an import inserts thousands of leads in one statement.
create trigger create_lead_metrics
  after insert on public.leads
  referencing new table as inserted
  for each statement execute function private.create_lead_metrics();

-- The policy on leads applies inside the subquery, so whoever reads the lead reads its metrics.
create policy "readers of a lead read its metrics" on public.lead_metrics
  for select to authenticated
  using (exists (select from public.leads l where l.id = lead_metrics.lead_id));

-- From schemas/42_import_leads.sql

-- POST /api/leads/import: one chunk of the sales leads of a request.

create function private.insert_leads(agency_id uuid, agent_id uuid, distribution_id uuid, leads json)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  imported jsonb;
begin
  -- The argument is json and not jsonb, because json goes from text to columns directly. Time for one row in a chunk of
  -- 2,000, measured from the text that PostgREST passes on: jsonb 37 us, an array of a composite type 35 us, json 31
  -- us, thirteen parallel arrays 30 us, a plain insert ... select 19 us. Parallel arrays save little and are hard to
  -- read. With a composite type, a value that does not fit its column fails the call before the function can report the
  -- row.
  with input as (
    -- Sorted by external_id, so that two imports of the same leads wait for each other and never deadlock.
    select distinct on (lead.external_id) lead.*
    from json_to_recordset(leads) as lead (
      index integer, external_id uuid, first_name text, last_name text, phone text, phone_e164 text, email text,
      address text, city text, state text, zip text, language text, type text
    )
    order by lead.external_id, lead.index
  ), inserted as (
    insert into public.leads as l (
      external_id, agency_id, agent_id, distribution_id, first_name, last_name, phone, phone_e164, email, address, city,
      state, zip, language, type, source, status, stage
    )
    select
      i.external_id, insert_leads.agency_id, insert_leads.agent_id, insert_leads.distribution_id, i.first_name,
      i.last_name, i.phone, i.phone_e164, i.email, i.address, i.city, i.state, i.zip, i.language, i.type, 'platform',
      'open', 'new'
    from input i
    order by i.external_id
    on conflict on constraint leads_agency_id_external_id_key do nothing
    returning l.id, l.external_id
  )
  select jsonb_agg(jsonb_build_object('index', input.index, 'id', inserted.id)) into imported
  from inserted
  join input using (external_id);

  return coalesce(imported, '[]');
end
$$;

comment on function private.insert_leads(uuid, uuid, uuid, json) is
  'Stores the leads that the agency does not have yet, in one statement. Returns [{index, id}] of the stored ones.';
grant execute on function private.insert_leads(uuid, uuid, uuid, json) to service_role;

create function public.import_leads(agency_id uuid, agent_id uuid, distribution_id uuid, leads json)
returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '60s'
as $$
declare
  imported jsonb := '[]';
  duplicates jsonb := '[]';
  failed jsonb := '[]';
  lead json;
begin
  if not exists (select from public.agencies a where a.id = agency_id) then
    raise exception 'agency_id: no such agency' using errcode = 'PT400';
  elsif not exists (
    select from public.agents a where a.id = agent_id and a.agency_id = import_leads.agency_id
  ) then
    raise exception 'agent_id: no such agent in this agency' using errcode = 'PT400';
  end if;

  begin
    imported := private.insert_leads(agency_id, agent_id, distribution_id, leads);
  exception when others then
    if not private.is_row_error(sqlstate) then
      raise;
    end if;
    -- One bad row makes the whole statement fail. Row by row costs about three times as much, so it is done only here.
    for lead in
      select l from json_array_elements(leads) l order by l ->> 'external_id', (l ->> 'index')::integer
    loop
      begin
        imported := imported
          || private.insert_leads(agency_id, agent_id, distribution_id, json_build_array(lead));
      exception when others then
        if not private.is_row_error(sqlstate) then
          raise;
        end if;
        failed := failed || jsonb_build_object('index', lead -> 'index', 'reason', private.row_error_reason(sqlstate));
      end;
    end loop;
  end;

  -- All other leads are duplicates. Another import may have committed them after ours began, so only a new statement
  -- can see them.
  if jsonb_array_length(imported) + jsonb_array_length(failed) < json_array_length(leads) then
    select jsonb_agg(jsonb_build_object('index', r.index, 'id', l.id)) into duplicates
    from json_to_recordset(leads) as r (index integer, external_id uuid)
    join public.leads l on l.agency_id = import_leads.agency_id and l.external_id = r.external_id
    where r.index not in (
      select done.index from jsonb_to_recordset(imported || failed) as done (index integer)
    );
  end if;

  return jsonb_build_object('imported', imported, 'duplicates', coalesce(duplicates, '[]'), 'failed', failed);
end
$$;

comment on function public.import_leads(uuid, uuid, uuid, json) is
  'Stores sales leads for an agent of an agency. leads: [{index, external_id, first_name, last_name, phone, '
  'phone_e164, email, address, city, state, zip, language, type}], at most about 2,000; send more in several calls at '
  'the same time. Returns {imported: [{index, id}], duplicates: [{index, id}] with the id of the lead that has this '
  'external_id, failed: [{index, reason}] for rows that the database refused}. PT400 for an unknown agency or an agent '
  'of another agency, also when leads is empty.';
grant execute on function public.import_leads(uuid, uuid, uuid, json) to service_role;

-- From schemas/43_lead_activities.sql

-- What agents do with leads, and POST /api/leads/log-presentation-activity.

create table public.lead_activities (
  id uuid primary key default gen_random_uuid(),
  lead_id uuid not null references public.leads (id) on delete cascade,
  agent_id uuid not null references public.agents (id),
  type text not null check (
    type in ('presentation_started', 'presentation_resumed', 'presentation_paused')
  ),
  occurred_at timestamptz not null default now(),
  created_at timestamptz not null default now()
);

create index on public.lead_activities (lead_id, occurred_at);
create index on public.lead_activities (agent_id);

comment on table public.lead_activities is 'What an agent did with a lead: one row for each time.';
comment on column public.lead_activities.type is
  'presentation_started: the presentation opened; presentation_resumed: the agent returned to it; presentation_paused: '
  'its window was minimized or closed before it was submitted.';

-- A trigger and not a foreign key: the lead may get another agent later, and the activities of the first agent stay.
create function private.require_agent_of_lead() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if not exists (select from public.leads l where l.id = new.lead_id and l.agent_id = new.agent_id) then
    raise exception 'agent_id: not the agent of this lead' using errcode = 'foreign_key_violation';
  end if;
  return new;
end
$$;

comment on function private.require_agent_of_lead() is
  'Trigger: refuses an activity of an agent who is not the lead''s agent.';

create trigger require_agent_of_lead
  before insert on public.lead_activities
  for each row execute function private.require_agent_of_lead();

alter table public.lead_activities enable row level security;
grant select on public.lead_activities to authenticated;
grant select, insert, update, delete on public.lead_activities to service_role;

-- Security definer, because nobody but the service role may write metrics. It adds and subtracts instead of counting
-- all rows again, so that two transactions at once lose nothing.
create function private.count_lead_activity() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  activity constant public.lead_activities := coalesce(new, old);
  change constant integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  update public.lead_metrics m
  set
    presentations_started =
      m.presentations_started + change * (activity.type = 'presentation_started')::integer,
    presentations_resumed =
      m.presentations_resumed + change * (activity.type = 'presentation_resumed')::integer,
    presentations_paused =
      m.presentations_paused + change * (activity.type = 'presentation_paused')::integer,
    last_activity_at = greatest(m.last_activity_at, new.occurred_at)
  where m.lead_id = activity.lead_id;
  return null;
end
$$;

comment on function private.count_lead_activity() is 'Trigger: counts an activity in lead_metrics.';

create trigger count_lead_activity
  after insert or delete on public.lead_activities
  for each row execute function private.count_lead_activity();

create policy "readers of a lead read its activities" on public.lead_activities
  for select to authenticated
  using (exists (select from public.leads l where l.id = lead_activities.lead_id));

create function public.log_presentation_activity(lead_id uuid, agent_id uuid, type text) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  if type is null or type not in ('presentation_started', 'presentation_resumed', 'presentation_paused') then
    raise exception 'type: must be presentation_started, presentation_resumed or presentation_paused'
      using errcode = 'PT400';
  end if;

  insert into public.lead_activities (lead_id, agent_id, type)
  select l.id, l.agent_id, log_presentation_activity.type
  from public.leads l
  where l.id = log_presentation_activity.lead_id and l.agent_id = log_presentation_activity.agent_id;

  if not found then
    raise exception 'lead_id: no such lead of this agent' using errcode = 'PT404';
  end if;
  return '{}';
end
$$;

comment on function public.log_presentation_activity(uuid, uuid, text) is
  'Adds an activity to a lead and returns {}. PT404 when the lead does not exist or is not this agent''s, PT400 for an '
  'unknown type.';
grant execute on function public.log_presentation_activity(uuid, uuid, text) to service_role;

-- From schemas/44_lead_presentations.sql

-- What submit_lead_presentation() stores: a presentation, and the demographics, the sale and the referrals of it.
--
-- The function runs with the rights of the signed-in agent, so the agent needs grants and policies to write these
-- tables. Each policy for writing allows one lead at a time: the lead that the function has named in a setting of the
-- transaction. The API gives no way to change a setting, so the same insert sent directly to the table is refused.
--
-- The triggers that count in lead_metrics are security definer, because the signed-in agent must not be able to write
-- metrics. Each changes only the metrics of the lead of its row. They add and subtract instead of counting all rows
-- again, so that two transactions at once lose nothing.

create function private.submitting_lead_id() returns uuid
language sql
stable
set search_path = ''
as $$
  select nullif(current_setting('lead_intake.submitting_lead_id', true), '')::uuid
$$;

comment on function private.submitting_lead_id() is
  'The lead for which this transaction is running submit_lead_presentation(), or null.';
grant execute on function private.submitting_lead_id() to authenticated;

create table public.lead_presentations (
  id uuid primary key default gen_random_uuid(),
  lead_id uuid not null references public.leads (id) on delete cascade,
  agent_id uuid not null references public.agents (id),
  client_submission_id uuid,
  submitted_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  unique (lead_id, client_submission_id),
  -- Sales and referrals refer to all three columns, so that they always have the lead and agent of their presentation.
  unique (id, lead_id, agent_id)
);

create index on public.lead_presentations (agent_id);

comment on table public.lead_presentations is 'A presentation that was submitted.';
comment on column public.lead_presentations.agent_id is
  'Who submitted it: the lead''s agent, or a manager of its agency.';
comment on column public.lead_presentations.client_submission_id is
  'Made by the client, so that a submission that is sent again is not stored twice.';

create function private.count_lead_presentation() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  update public.lead_metrics m
  set
    presentations_submitted =
      m.presentations_submitted + case tg_op when 'INSERT' then 1 else -1 end,
    last_activity_at = greatest(m.last_activity_at, new.submitted_at)
  where m.lead_id = coalesce(new.lead_id, old.lead_id);
  return null;
end
$$;

comment on function private.count_lead_presentation() is 'Trigger: counts a submitted presentation in lead_metrics.';

create trigger count_lead_presentation
  after insert or delete on public.lead_presentations
  for each row execute function private.count_lead_presentation();

alter table public.lead_presentations enable row level security;
grant select on public.lead_presentations to authenticated;
grant insert (lead_id, agent_id, client_submission_id) on public.lead_presentations to authenticated;
grant select, insert, update, delete on public.lead_presentations to service_role;

create policy "readers of a lead read its presentations" on public.lead_presentations
  for select to authenticated
  using (exists (select from public.leads l where l.id = lead_presentations.lead_id));

create policy "readers of a lead submit its presentations" on public.lead_presentations
  for insert to authenticated
  with check (
    lead_id = (select private.submitting_lead_id())
    and agent_id = (select private.current_agent_id())
    and exists (select from public.leads l where l.id = lead_presentations.lead_id)
  );

create table public.lead_demographics (
  lead_id uuid primary key references public.leads (id) on delete cascade,
  date_of_birth date,
  marital_status text,
  spouse_name text,
  children integer check (children >= 0),
  occupation text,
  employer text,
  annual_income numeric(14, 2) check (annual_income >= 0),
  tobacco_user boolean,
  beneficiary_name text,
  notes text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table public.lead_demographics is
  'What is known about the person, from the latest presentation with demographics.';
comment on column public.lead_demographics.annual_income is 'In US dollars.';

create trigger set_updated_at
  before update on public.lead_demographics
  for each row execute function private.set_updated_at();

alter table public.lead_demographics enable row level security;
grant select on public.lead_demographics to authenticated;
grant
  insert (
    lead_id, date_of_birth, marital_status, spouse_name, children, occupation, employer, annual_income, tobacco_user,
    beneficiary_name, notes
  ),
  update (
    date_of_birth, marital_status, spouse_name, children, occupation, employer, annual_income, tobacco_user,
    beneficiary_name, notes
  )
  on public.lead_demographics to authenticated;
grant select, insert, update, delete on public.lead_demographics to service_role;

create policy "readers of a lead read its demographics" on public.lead_demographics
  for select to authenticated
  using (exists (select from public.leads l where l.id = lead_demographics.lead_id));

create policy "submitters of a presentation add demographics" on public.lead_demographics
  for insert to authenticated
  with check (
    lead_id = (select private.submitting_lead_id())
    and exists (select from public.leads l where l.id = lead_demographics.lead_id)
  );

create policy "submitters of a presentation replace demographics" on public.lead_demographics
  for update to authenticated
  using (
    lead_id = (select private.submitting_lead_id())
    and exists (select from public.leads l where l.id = lead_demographics.lead_id)
  );

create table public.lead_sales (
  id uuid primary key default gen_random_uuid(),
  presentation_id uuid not null,
  lead_id uuid not null references public.leads (id) on delete cascade,
  agent_id uuid not null,
  product text not null check (btrim(product) <> ''),
  carrier text,
  policy_number text,
  face_amount numeric(14, 2) check (face_amount >= 0),
  annual_premium numeric(14, 2) not null check (annual_premium >= 0),
  payment_frequency text check (payment_frequency in ('monthly', 'quarterly', 'semiannual', 'annual')),
  effective_date date,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  foreign key (presentation_id, lead_id, agent_id)
    references public.lead_presentations (id, lead_id, agent_id) on delete cascade
);

create index on public.lead_sales (presentation_id, lead_id, agent_id);
create index on public.lead_sales (lead_id);

comment on table public.lead_sales is 'An insurance policy sold in a presentation.';
comment on column public.lead_sales.face_amount is 'In US dollars.';
comment on column public.lead_sales.annual_premium is 'In US dollars a year, for every payment frequency.';

create trigger set_updated_at
  before update on public.lead_sales
  for each row execute function private.set_updated_at();

create function private.count_lead_sale() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  update public.lead_metrics m
  set
    sales = m.sales + case tg_op when 'INSERT' then 1 when 'DELETE' then -1 else 0 end,
    annual_premium =
      m.annual_premium + coalesce(new.annual_premium, 0) - coalesce(old.annual_premium, 0)
  where m.lead_id = coalesce(new.lead_id, old.lead_id);
  return null;
end
$$;

comment on function private.count_lead_sale() is
  'Trigger: counts a sale and adds up the annual premiums in lead_metrics.';

create trigger count_lead_sale
  after insert or update of annual_premium or delete on public.lead_sales
  for each row execute function private.count_lead_sale();

alter table public.lead_sales enable row level security;
grant select on public.lead_sales to authenticated;
grant
  insert (
    presentation_id, lead_id, agent_id, product, carrier, policy_number, face_amount, annual_premium,
    payment_frequency, effective_date
  )
  on public.lead_sales to authenticated;
grant select, insert, update, delete on public.lead_sales to service_role;

create policy "readers of a lead read its sales" on public.lead_sales
  for select to authenticated
  using (exists (select from public.leads l where l.id = lead_sales.lead_id));

create policy "submitters of a presentation add its sale" on public.lead_sales
  for insert to authenticated
  with check (
    lead_id = (select private.submitting_lead_id())
    and agent_id = (select private.current_agent_id())
    and exists (select from public.leads l where l.id = lead_sales.lead_id)
  );

create table public.lead_referrals (
  id uuid primary key default gen_random_uuid(),
  presentation_id uuid not null,
  lead_id uuid not null references public.leads (id) on delete cascade,
  agent_id uuid not null,
  position integer not null default 1,
  first_name text not null check (btrim(first_name) <> ''),
  last_name text,
  phone text not null check (btrim(phone) <> ''),
  email text,
  relationship text,
  notes text,
  created_at timestamptz not null default now(),
  foreign key (presentation_id, lead_id, agent_id)
    references public.lead_presentations (id, lead_id, agent_id) on delete cascade
);

create index on public.lead_referrals (presentation_id, lead_id, agent_id);
create index on public.lead_referrals (lead_id);

comment on table public.lead_referrals is 'A person whom the lead recommended in a presentation.';
comment on column public.lead_referrals.position is 'Place in the submission, from 1.';

create function private.count_lead_referral() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  update public.lead_metrics m
  set referrals = m.referrals + case tg_op when 'INSERT' then 1 else -1 end
  where m.lead_id = coalesce(new.lead_id, old.lead_id);
  return null;
end
$$;

comment on function private.count_lead_referral() is 'Trigger: counts a referral in lead_metrics.';

create trigger count_lead_referral
  after insert or delete on public.lead_referrals
  for each row execute function private.count_lead_referral();

alter table public.lead_referrals enable row level security;
grant select on public.lead_referrals to authenticated;
grant
  insert (
    presentation_id, lead_id, agent_id, position, first_name, last_name, phone, email, relationship, notes
  )
  on public.lead_referrals to authenticated;
grant select, insert, update, delete on public.lead_referrals to service_role;

create policy "readers of a lead read its referrals" on public.lead_referrals
  for select to authenticated
  using (exists (select from public.leads l where l.id = lead_referrals.lead_id));

create policy "submitters of a presentation add its referrals" on public.lead_referrals
  for insert to authenticated
  with check (
    lead_id = (select private.submitting_lead_id())
    and agent_id = (select private.current_agent_id())
    and exists (select from public.leads l where l.id = lead_referrals.lead_id)
  );

-- From schemas/45_json_fields.sql

-- How submit_lead_presentation() reads the fields of JSON objects. A wrong value is an error with errcode 22023
-- (invalid_parameter_value), whose message begins with the path of the field, such as `sale.annual_premium`. A missing
-- field, null and a blank string all become null.

create function private.invalid_field(path text, problem text) returns void
language plpgsql
set search_path = ''
as $$
begin
  raise exception '%: %', path, problem using errcode = 'invalid_parameter_value';
end
$$;

comment on function private.invalid_field(text, text) is 'Raises the error for the field with this path.';
grant execute on function private.invalid_field(text, text) to authenticated;

create function private.require_fields(object jsonb, path text, known text[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  key text;
begin
  if jsonb_typeof(object) <> 'object' then
    perform private.invalid_field(path, 'must be an object');
  end if;
  for key in select k from jsonb_object_keys(object) k loop
    if key <> all (known) then
      perform private.invalid_field(path || '.' || key, 'unknown field');
    end if;
  end loop;
end
$$;

comment on function private.require_fields(jsonb, text, text[]) is
  'Raises an error when the value is no object or has an unknown key.';
grant execute on function private.require_fields(jsonb, text, text[]) to authenticated;

create function private.text_field(object jsonb, path text, key text, is_required boolean default false)
returns text
language plpgsql
set search_path = ''
as $$
declare
  value constant text := nullif(btrim(object ->> key, e' \t\n\r'), '');
begin
  if coalesce(jsonb_typeof(object -> key), 'null') not in ('string', 'null') then
    perform private.invalid_field(path || '.' || key, 'must be a string');
  elsif value is null and is_required then
    perform private.invalid_field(path || '.' || key, 'is required');
  end if;
  return value;
end
$$;

comment on function private.text_field(jsonb, text, text, boolean) is
  'A string without spaces, tabs and line ends around it.';
grant execute on function private.text_field(jsonb, text, text, boolean) to authenticated;

create function private.amount_field(object jsonb, path text, key text, is_required boolean default false)
returns numeric
language plpgsql
set search_path = ''
as $$
declare
  type constant text := coalesce(jsonb_typeof(object -> key), 'null');
begin
  if type = 'number' and (object ->> key)::numeric between 0 and 999999999999.99 then
    return round((object ->> key)::numeric, 2);
  elsif type <> 'null' then
    perform private.invalid_field(path || '.' || key, 'must be a number from 0 to 999999999999.99');
  elsif is_required then
    perform private.invalid_field(path || '.' || key, 'is required');
  end if;
  return null;
end
$$;

comment on function private.amount_field(jsonb, text, text, boolean) is 'An amount of money, rounded to cents.';
grant execute on function private.amount_field(jsonb, text, text, boolean) to authenticated;

create function private.count_field(object jsonb, path text, key text) returns integer
language plpgsql
set search_path = ''
as $$
declare
  type constant text := coalesce(jsonb_typeof(object -> key), 'null');
begin
  if type = 'number'
    and (object ->> key)::numeric between 0 and 100
    and (object ->> key)::numeric % 1 = 0
  then
    return (object ->> key)::numeric;
  elsif type <> 'null' then
    perform private.invalid_field(path || '.' || key, 'must be a whole number from 0 to 100');
  end if;
  return null;
end
$$;

comment on function private.count_field(jsonb, text, text) is 'A number of people, from 0 to 100.';
grant execute on function private.count_field(jsonb, text, text) to authenticated;

create function private.boolean_field(object jsonb, path text, key text) returns boolean
language plpgsql
set search_path = ''
as $$
begin
  if coalesce(jsonb_typeof(object -> key), 'null') not in ('boolean', 'null') then
    perform private.invalid_field(path || '.' || key, 'must be true or false');
  end if;
  return object ->> key;
end
$$;

comment on function private.boolean_field(jsonb, text, text) is 'True, false or null.';
grant execute on function private.boolean_field(jsonb, text, text) to authenticated;

create function private.date_field(object jsonb, path text, key text) returns date
language plpgsql
set search_path = ''
as $$
declare
  value constant text := private.text_field(object, path, key);
  result date;
begin
  if value !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' then
    perform private.invalid_field(path || '.' || key, 'must be a date, YYYY-MM-DD');
  end if;
  result := value;
  return result;
exception when datetime_field_overflow or invalid_datetime_format then
  perform private.invalid_field(path || '.' || key, 'must be a date that exists');
end
$$;

comment on function private.date_field(jsonb, text, text) is 'A date as YYYY-MM-DD (ISO 8601).';
grant execute on function private.date_field(jsonb, text, text) to authenticated;

-- From schemas/46_submit_lead_presentation.sql

-- The procedure that the pop-out calls with the agent's own session. It first reads each part of the submission from
-- JSON, whose keys are the column names, into a row of its table.

create function private.read_demographics(demographics jsonb) returns public.lead_demographics
language plpgsql
set search_path = ''
as $$
declare
  path constant text := 'demographics';
  result public.lead_demographics;
begin
  perform private.require_fields(demographics, path, array[
    'date_of_birth', 'marital_status', 'spouse_name', 'children', 'occupation', 'employer', 'annual_income',
    'tobacco_user', 'beneficiary_name', 'notes'
  ]);
  result.date_of_birth := private.date_field(demographics, path, 'date_of_birth');
  result.marital_status := private.text_field(demographics, path, 'marital_status');
  result.spouse_name := private.text_field(demographics, path, 'spouse_name');
  result.children := private.count_field(demographics, path, 'children');
  result.occupation := private.text_field(demographics, path, 'occupation');
  result.employer := private.text_field(demographics, path, 'employer');
  result.annual_income := private.amount_field(demographics, path, 'annual_income');
  result.tobacco_user := private.boolean_field(demographics, path, 'tobacco_user');
  result.beneficiary_name := private.text_field(demographics, path, 'beneficiary_name');
  result.notes := private.text_field(demographics, path, 'notes');
  if result.date_of_birth > current_date then
    perform private.invalid_field(path || '.date_of_birth', 'must not be in the future');
  end if;
  return result;
end
$$;

comment on function private.read_demographics(jsonb) is
  'Reads and checks the columns of lead_demographics from a JSON object.';
grant execute on function private.read_demographics(jsonb) to authenticated;

create function private.read_sale(sale jsonb) returns public.lead_sales
language plpgsql
set search_path = ''
as $$
declare
  path constant text := 'sale';
  result public.lead_sales;
begin
  perform private.require_fields(sale, path, array[
    'product', 'carrier', 'policy_number', 'face_amount', 'annual_premium', 'payment_frequency', 'effective_date'
  ]);
  result.product := private.text_field(sale, path, 'product', is_required => true);
  result.carrier := private.text_field(sale, path, 'carrier');
  result.policy_number := private.text_field(sale, path, 'policy_number');
  result.face_amount := private.amount_field(sale, path, 'face_amount');
  result.annual_premium := private.amount_field(sale, path, 'annual_premium', is_required => true);
  result.payment_frequency := private.text_field(sale, path, 'payment_frequency');
  result.effective_date := private.date_field(sale, path, 'effective_date');
  if result.payment_frequency not in ('monthly', 'quarterly', 'semiannual', 'annual') then
    perform private.invalid_field(
      path || '.payment_frequency', 'must be monthly, quarterly, semiannual or annual');
  end if;
  return result;
end
$$;

comment on function private.read_sale(jsonb) is 'Reads and checks the columns of lead_sales from a JSON object.';
grant execute on function private.read_sale(jsonb) to authenticated;

create function private.read_referrals(referrals jsonb) returns public.lead_referrals[]
language plpgsql
set search_path = ''
as $$
declare
  result public.lead_referrals[] := '{}';
  referral public.lead_referrals;
  item jsonb;
  path text;
begin
  if jsonb_typeof(referrals) <> 'array' then
    perform private.invalid_field('referrals', 'must be an array');
  end if;
  for item in select i from jsonb_array_elements(referrals) with ordinality as e (i, n) order by n loop
    path := format('referrals[%s]', cardinality(result));
    perform private.require_fields(item, path, array[
      'first_name', 'last_name', 'phone', 'email', 'relationship', 'notes'
    ]);
    referral.position := cardinality(result) + 1;
    referral.first_name := private.text_field(item, path, 'first_name', is_required => true);
    referral.last_name := private.text_field(item, path, 'last_name');
    referral.phone := private.text_field(item, path, 'phone', is_required => true);
    referral.email := private.text_field(item, path, 'email');
    referral.relationship := private.text_field(item, path, 'relationship');
    referral.notes := private.text_field(item, path, 'notes');
    result := result || referral;
  end loop;
  return result;
end
$$;

comment on function private.read_referrals(jsonb) is 'Reads and checks the rows of lead_referrals from a JSON array.';
grant execute on function private.read_referrals(jsonb) to authenticated;

create function public.submit_lead_presentation(
  lead_id uuid,
  demographics jsonb,
  sale jsonb default null,
  referrals jsonb default '[]',
  client_submission_id uuid default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  caller_id constant uuid := private.current_agent_id();
  has_demographics constant boolean := demographics not in ('null', '{}');
  has_sale constant boolean := sale <> 'null';
  new_demographics public.lead_demographics;
  new_sale public.lead_sales;
  new_referrals public.lead_referrals[];
  submission_id uuid;
  is_duplicate boolean;
begin
  if caller_id is null then
    raise exception 'only an active agent may submit a presentation' using errcode = 'insufficient_privilege';
  elsif not exists (select from public.leads l where l.id = submit_lead_presentation.lead_id) then
    raise exception 'lead_id: no such lead among those you may read' using errcode = 'PT404';
  end if;

  if has_demographics then
    new_demographics := private.read_demographics(demographics);
  end if;
  if has_sale then
    new_sale := private.read_sale(sale);
  end if;
  new_referrals := private.read_referrals(coalesce(nullif(referrals, 'null'), '[]'));

  perform set_config('lead_intake.submitting_lead_id', lead_id::text, true);

  -- A repeated call waits here while the first one is still running.
  insert into public.lead_presentations as p (lead_id, agent_id, client_submission_id)
  values (submit_lead_presentation.lead_id, caller_id, submit_lead_presentation.client_submission_id)
  on conflict on constraint lead_presentations_lead_id_client_submission_id_key do nothing
  returning p.id into submission_id;
  is_duplicate := not found;

  if is_duplicate then
    select p.id into submission_id
    from public.lead_presentations p
    where p.lead_id = submit_lead_presentation.lead_id
      and p.client_submission_id = submit_lead_presentation.client_submission_id;
  end if;

  if has_demographics and not is_duplicate then
    insert into public.lead_demographics (
      lead_id, date_of_birth, marital_status, spouse_name, children, occupation, employer, annual_income, tobacco_user,
      beneficiary_name, notes
    )
    values (
      submit_lead_presentation.lead_id, new_demographics.date_of_birth, new_demographics.marital_status,
      new_demographics.spouse_name, new_demographics.children, new_demographics.occupation, new_demographics.employer,
      new_demographics.annual_income, new_demographics.tobacco_user, new_demographics.beneficiary_name,
      new_demographics.notes
    )
    on conflict on constraint lead_demographics_pkey do update
    set
      date_of_birth = excluded.date_of_birth,
      marital_status = excluded.marital_status,
      spouse_name = excluded.spouse_name,
      children = excluded.children,
      occupation = excluded.occupation,
      employer = excluded.employer,
      annual_income = excluded.annual_income,
      tobacco_user = excluded.tobacco_user,
      beneficiary_name = excluded.beneficiary_name,
      notes = excluded.notes;
  end if;

  if has_sale and not is_duplicate then
    insert into public.lead_sales (
      presentation_id, lead_id, agent_id, product, carrier, policy_number, face_amount, annual_premium,
      payment_frequency, effective_date
    )
    values (
      submission_id, submit_lead_presentation.lead_id, caller_id, new_sale.product, new_sale.carrier,
      new_sale.policy_number, new_sale.face_amount, new_sale.annual_premium, new_sale.payment_frequency,
      new_sale.effective_date
    );
  end if;

  if not is_duplicate then
    insert into public.lead_referrals (
      presentation_id, lead_id, agent_id, position, first_name, last_name, phone, email, relationship, notes
    )
    select
      submission_id, submit_lead_presentation.lead_id, caller_id, r.position, r.first_name, r.last_name, r.phone,
      r.email, r.relationship, r.notes
    from unnest(new_referrals) r;
  end if;

  perform set_config('lead_intake.submitting_lead_id', '', true);

  -- Read from the tables, so that a repeated call returns the result of the first one.
  return jsonb_build_object(
    'presentation_id', submission_id,
    'sale_id', (select s.id from public.lead_sales s where s.presentation_id = submission_id),
    'referral_ids', (
      select coalesce(jsonb_agg(r.id order by r.position), '[]')
      from public.lead_referrals r
      where r.presentation_id = submission_id
    ),
    'duplicate', is_duplicate
  );
end
$$;

comment on function public.submit_lead_presentation(uuid, jsonb, jsonb, jsonb, uuid) is
  'Stores what an agent learned and sold in a presentation: all of it or nothing. The lead''s agent may call it, and a '
  'manager of its agency. demographics, sale (or null) and each of referrals are objects whose keys are the column '
  'names of lead_demographics, lead_sales (product and annual_premium required) and lead_referrals (first_name and '
  'phone required). New demographics replace all earlier ones; null or {} leaves them unchanged. Returns '
  '{presentation_id, sale_id|null, referral_ids, duplicate}; a repeated client_submission_id returns the first result '
  'and stores nothing. Errors: 22023 (HTTP 400) names the field, such as `sale.annual_premium: is required`; 42501 '
  '(403) when the caller is no active agent; PT404 (404) when the caller may not read the lead.';
grant execute on function public.submit_lead_presentation(uuid, jsonb, jsonb, jsonb, uuid) to authenticated;

-- From schemas/50_recruiting_conversations.sql

-- Text conversations with recruits.

create table public.recruiting_conversations (
  id uuid primary key default gen_random_uuid(),
  recruiting_lead_id uuid references public.recruiting_leads (id) on delete set null,
  agency_id uuid not null references public.agencies (id),
  recruit_phone text not null check (btrim(recruit_phone) <> ''),
  service_phone text not null check (btrim(service_phone) <> ''),
  status text not null default 'bot' check (status in ('bot', 'escalated')),
  assigned_agent_id uuid,
  last_message_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (recruit_phone, service_phone),
  foreign key (assigned_agent_id, agency_id) references public.agents (id, agency_id),
  check (status <> 'escalated' or assigned_agent_id is not null)
);

create index on public.recruiting_conversations (recruiting_lead_id);
create index on public.recruiting_conversations (agency_id);
create index on public.recruiting_conversations (assigned_agent_id, agency_id);

comment on table public.recruiting_conversations is
  'A text conversation with a recruit: one for each pair of a recruit''s number and a number of ours.';
comment on column public.recruiting_conversations.recruit_phone is
  'The recruit''s number, as the SMS provider writes it in From: E.164.';
comment on column public.recruiting_conversations.service_phone is
  'Our number, as the SMS provider writes it in To. A text to a messaging service also has a number there.';
comment on column public.recruiting_conversations.status is
  '`bot`: answered automatically; `escalated`: the assigned agent has taken over.';
comment on column public.recruiting_conversations.last_message_at is 'When the last inbound message was stored.';

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

-- From schemas/51_recruiting_messages.sql

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
  'Delivery status from the last callback; null before the first.';
comment on column public.recruiting_messages.error_code is 'Error code of the last callback that had one.';
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

-- A callback may be stored before its message, after it, or at the same time. Both therefore first take a lock on the
-- MessageSid and then look for what the other one stored, so that the second always sees the first.

create function private.lock_message(provider_message_id text) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('recruiting message ' || provider_message_id, 0));
end
$$;

comment on function private.lock_message(text) is
  'Makes every other transaction that stores this message or a callback of it wait until this one ends.';
grant execute on function private.lock_message(text) to service_role;

create function private.apply_early_callbacks() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_message(new.provider_message_id);

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

-- From schemas/52_sms.sql

-- The SMS provider's two webhooks: POST /recruiting/sms/inbound and POST /recruiting/sms/status.

create function public.receive_sms(
  recruit_phone text,
  service_phone text,
  message_sid text,
  body text,
  media jsonb
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  conversation_id uuid;
  sid constant text := private.indexable_id(message_sid);
begin
  select c.id into conversation_id
  from public.recruiting_conversations c
  where c.recruit_phone = receive_sms.recruit_phone and c.service_phone = receive_sms.service_phone;

  if not found then
    return jsonb_build_object('status', 'no_conversation');
  end if;

  insert into public.recruiting_messages (
    conversation_id, direction, sender_type, provider_message_id, body, media
  )
  values (
    conversation_id, 'inbound', 'recruit', sid, receive_sms.body, coalesce(nullif(receive_sms.media, 'null'), '[]')
  )
  on conflict (provider_message_id) do nothing;

  if found then
    update public.recruiting_conversations c set last_message_at = now() where c.id = conversation_id;
  end if;
  return jsonb_build_object('status', 'received');
end
$$;

comment on function public.receive_sms(text, text, text, text, jsonb) is
  'Stores an inbound message in the conversation of these two numbers, once for each MessageSid. media: [{url, '
  'content_type}]. Returns {status: received}, also when it was stored before, or {status: no_conversation}.';
grant execute on function public.receive_sms(text, text, text, text, jsonb) to service_role;

create function public.update_sms_status(message_sid text, provider_status text, error_code text)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  sid constant text := private.indexable_id(message_sid);
  new_status constant text := case provider_status
    when 'queued' then 'queued'
    when 'sent' then 'sent'
    when 'delivered' then 'delivered'
    when 'undelivered' then 'failed'
    when 'failed' then 'failed'
  end;
  received_at timestamptz;
begin
  if sid is null then
    return jsonb_build_object('status', 'ignored');
  end if;

  perform private.lock_message(sid);

  insert into public.recruiting_message_events as e (provider_message_id, provider_status, status, error_code)
  values (sid, update_sms_status.provider_status, new_status, update_sms_status.error_code)
  returning e.received_at into received_at;

  if new_status is null then
    return jsonb_build_object('status', 'ignored');
  end if;

  -- The specification moves "message, any": the last callback wins, whatever the message's status and direction.
  update public.recruiting_messages m
  set
    status = new_status,
    error_code = coalesce(update_sms_status.error_code, m.error_code),
    sent_at = case when new_status = 'sent' then coalesce(m.sent_at, received_at) else m.sent_at end,
    delivered_at =
      case when new_status = 'delivered' then coalesce(m.delivered_at, received_at) else m.delivered_at end,
    failed_at = case when new_status = 'failed' then coalesce(m.failed_at, received_at) else m.failed_at end
  where m.provider_message_id = sid;

  return jsonb_build_object('status', case when found then 'updated' else 'ignored' end);
end
$$;

comment on function public.update_sms_status(text, text, text) is
  'Stores a delivery callback and sets the message''s status to queued, sent, delivered or failed (also for '
  'undelivered). Returns {status: updated}, or {status: ignored} for any other provider_status, without a message_sid, '
  'and when there is no such message yet; in that case the callback is applied when the message is stored.';
grant execute on function public.update_sms_status(text, text, text) to service_role;
