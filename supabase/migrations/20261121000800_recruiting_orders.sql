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
  -- What recruiting_leads points at, so that a lead's agency is that of its order.
  unique (agency_id, id)
);

create index on public.recruiting_orders (agent_id, agency_id);
create index on public.recruiting_orders (vendor_id);
-- Choosing an order. `filled` stays out of it, so that counting a lead is a heap-only update.
create index recruiting_orders_open_idx on public.recruiting_orders (priority desc) where status = 'open';

comment on table public.recruiting_orders is 'An agency''s order for a number of recruiting leads.';
comment on column public.recruiting_orders.agent_id is
  'The agent who gets the leads while active; null: the agency''s agents take turns.';
comment on column public.recruiting_orders.vendor_id is 'Only leads of this vendor; null: of any.';
comment on column public.recruiting_orders.states is
  'Only leads from these states, as two upper-case letters; null: from anywhere, also when the lead names no state.';
comment on column public.recruiting_orders.filled is
  'Leads distributed to this order so far; never more than quantity.';
comment on column public.recruiting_orders.daily_cap is
  'Most leads in one day of the agency''s time zone; null: no cap.';
comment on column public.recruiting_orders.priority is 'The highest goes first.';
comment on column public.recruiting_orders.status is
  'Only an open order gets leads. It becomes filled by itself when filled reaches quantity; the rest is set by hand.';
comment on column public.recruiting_orders.starts_at is 'First moment at which the order gets leads; null: at once.';
comment on column public.recruiting_orders.ends_at is 'From this moment on the order gets none; null: no end.';

create trigger set_updated_at
  before update on public.recruiting_orders
  for each row execute function private.set_updated_at();

alter table public.recruiting_orders enable row level security;
grant select on public.recruiting_orders to authenticated;
grant select, insert, update, delete on public.recruiting_orders to service_role;
