-- Recruiting leads that came more than once.

create table public.recruiting_lead_duplicates (
  id uuid primary key default private.time_ordered_id(),
  lead_id uuid not null references public.recruiting_leads (id) on delete cascade,
  vendor_id uuid not null references public.vendors (id),
  request_id text,
  received_at timestamptz not null default clock_timestamp()
);

create index on public.recruiting_lead_duplicates (lead_id, received_at);
create index on public.recruiting_lead_duplicates (vendor_id, received_at);

comment on table public.recruiting_lead_duplicates is
  'One row each time a vendor sent a lead again that was stored already, with the same vendor_lead_id.';
comment on column public.recruiting_lead_duplicates.lead_id is 'The stored lead.';
comment on column public.recruiting_lead_duplicates.request_id is 'The x-request-id of the request that sent it again.';

alter table public.recruiting_lead_duplicates enable row level security;
grant select, insert, update, delete on public.recruiting_lead_duplicates to service_role;
