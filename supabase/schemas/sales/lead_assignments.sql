-- Leads, both recruiting and sales, that operators and managers have reassigned.

create table public.lead_assignments (
  id uuid primary key default gen_random_uuid(),
  recruiting_lead_id uuid references public.recruiting_leads (id) on delete cascade,
  sales_lead_id uuid references public.leads (id) on delete cascade,
  from_agent_id uuid references public.agents (id),
  to_agent_id uuid references public.agents (id),
  assigned_by text default private.operator_name() check (assigned_by <> '' and length(assigned_by) <= 128),
  created_at timestamptz not null default now(),
  check (num_nonnulls(recruiting_lead_id, sales_lead_id) = 1)
);

create index on public.lead_assignments (recruiting_lead_id, created_at) where recruiting_lead_id is not null;
create index on public.lead_assignments (sales_lead_id, created_at) where sales_lead_id is not null;
create index on public.lead_assignments (from_agent_id);
create index on public.lead_assignments (to_agent_id);

comment on table public.lead_assignments is
  'Each reassignment of a lead by an operator or a manager to another agent, or back to its agency. Rows are never updated, and '
  'are deleted with their lead. They contain no personal data, so they stay when a recruit is erased.';
comment on column public.lead_assignments.recruiting_lead_id is 'Null for a sales lead.';
comment on column public.lead_assignments.sales_lead_id is 'Null for a recruiting lead.';
comment on column public.lead_assignments.from_agent_id is 'The agent who had the lead; null: nobody.';
comment on column public.lead_assignments.to_agent_id is 'The agent who has got the lead; null: the agency, without an agent.';
comment on column public.lead_assignments.assigned_by is 'The operator or manager, as private.operator_name() says.';

alter table public.lead_assignments enable row level security;
-- Agents do not read who it was.
grant select (id, recruiting_lead_id, from_agent_id, to_agent_id, created_at) on public.lead_assignments to authenticated;
grant select, insert, delete on public.lead_assignments to service_role;

create policy "readers of a recruit read which agents it was given to" on public.lead_assignments
  for select to authenticated
  using (
    recruiting_lead_id is not null
    and (select true from public.recruiting_leads l where l.id = lead_assignments.recruiting_lead_id)
  );
