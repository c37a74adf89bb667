-- What agencies have ordered.

create function private.is_greeting_template(template text) returns boolean
language sql
immutable
set search_path = ''
as $$
  select private.utf16_length(template) <= 1600
    and template like '%{agency}%'
    and template ~ '\mSTOP\M'
    and regexp_replace(template, '\{(first_name|agent|agency)\}', '', 'g') !~ '[{}]'
$$;

comment on function private.is_greeting_template(text) is
  'Whether recruits may be greeted with this text. Law and carriers want it to name the sender and the way to opt out.';
grant execute on function private.is_greeting_template(text) to service_role;

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
  -- The function is not called for null, because each lead updates its order.
  greeting_template text check (greeting_template is null or private.is_greeting_template(greeting_template)),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (filled between 0 and quantity),
  check (ends_at > starts_at),
  foreign key (agent_id, agency_id) references public.agents (id, agency_id),
  -- recruiting_leads refers to both columns, so that a lead's agency is always the agency of its order.
  unique (agency_id, id)
);

-- Most orders name no agent, and each lead changes every index that its order is in.
create index recruiting_orders_agent_idx on public.recruiting_orders (agent_id, agency_id) where agent_id is not null;
create index on public.recruiting_orders (vendor_id);

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

comment on column public.recruiting_orders.greeting_template is
  'The text that each recruit of the order gets, if the vendor has their consent; null: none. At most 1,600 UTF-16 units, '
  'with {agency}, the word STOP, and if wanted {first_name} and {agent}.';

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
