-- The history of managers' changes to orders.

create table public.order_changes (
  id uuid primary key default gen_random_uuid(),
  agency_id uuid not null,
  order_id uuid not null,
  agent_id uuid not null,
  before jsonb not null check (jsonb_typeof(before) = 'object'),
  after jsonb not null check (jsonb_typeof(after) = 'object' and after <> '{}'),
  created_at timestamptz not null default clock_timestamp(),
  foreign key (agency_id, order_id) references public.recruiting_orders (agency_id, id) on delete cascade,
  foreign key (agent_id, agency_id) references public.agents (id, agency_id)
);

create index on public.order_changes (agency_id, order_id, created_at, id);
create index on public.order_changes (agent_id, agency_id);

comment on table public.order_changes is
  'Each change of an order by a manager of its agency, written by change_order(). Rows are never updated, and are '
  'deleted with their order. Changes by operators are in operator_actions.';
comment on column public.order_changes.agent_id is 'The manager.';
comment on column public.order_changes.before is
  'The previous values of the changed columns: any of status, daily_cap, states and greeting_template.';
comment on column public.order_changes.after is 'The new values of the same columns.';

alter table public.order_changes enable row level security;
grant select on public.order_changes to authenticated;
grant select, insert, update, delete on public.order_changes to service_role;

create policy "managers read their agency's" on public.order_changes
  for select to authenticated
  using (agency_id = (select private.managed_agency_id()));
