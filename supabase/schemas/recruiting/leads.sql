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
  distribution text not null default 'not_requested'
    check (distribution in ('distributed', 'unmatched', 'pending', 'not_requested')),
  request_id text,
  received_via text check (received_via in ('single', 'bulk', 'webhook', 'replay')),
  order_id uuid,
  agency_id uuid,
  agent_id uuid,
  distributed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (vendor_id, vendor_lead_id),
  -- Deferrable, so that private.insert_recruiting_leads() can store a lead while somebody has locked these tables.
  foreign key (agency_id) references public.agencies (id) deferrable,
  foreign key (agency_id, order_id) references public.recruiting_orders (agency_id, id) deferrable,
  foreign key (agent_id, agency_id) references public.agents (id, agency_id) deferrable,
  -- Postgres does not check a foreign key of two columns while one of them is null; these two constraints do.
  check (agent_id is null or agency_id is not null),
  check (order_id is null or (agency_id is not null and distributed_at is not null)),
  -- Otherwise a lead that an agency already has would be handed out a second time.
  check (distribution not in ('unmatched', 'pending') or agency_id is null),
  check (distribution <> 'distributed' or agency_id is not null)
);

-- The first lists an agency's leads and counts the leads of an order in a day. Leads that went to no agency are in
-- neither index.
create index recruiting_leads_order_day_idx on public.recruiting_leads (agency_id, order_id, distributed_at)
  where agency_id is not null;
create index recruiting_leads_agent_idx on public.recruiting_leads (agent_id, agency_id)
  where agent_id is not null;
create index recruiting_leads_pending_idx on public.recruiting_leads (created_at, id) where distribution = 'pending';
create index recruiting_leads_unmatched_idx on public.recruiting_leads (created_at, id) where distribution = 'unmatched';
-- Finds the lead of an object in the bucket `resumes`, for the policy on storage.objects.
create index recruiting_leads_resume_path_idx on public.recruiting_leads (resume_path)
  where resume_path is not null;

comment on table public.recruiting_leads is 'A recruit sent by a vendor, with the order, agency and agent that got it.';
comment on column public.recruiting_leads.vendor_lead_id is
  'The vendor''s own id, by which a lead that is sent again is recognised; null: the vendor gave none. Above 512 '
  'characters it is stored as `sha256:` and its hash, because an index entry has a size limit.';
comment on column public.recruiting_leads.vendor_metadata is
  'What the parser read besides the first name: last_name, email, phone, city, state, zip, ... and vendor_fields. '
  'is_test = true marks a test lead of the vendor, which is never distributed.';
comment on column public.recruiting_leads.distribution is
  '`distributed`: it went to an agency. `unmatched`: no order wanted it. `pending`: it is stored, and the next '
  'distribution hands it out. `not_requested`: it is never handed out, as leads sent in bulk and test leads.';
comment on column public.recruiting_leads.request_id is
  'The x-request-id of the request that brought the lead; null for a lead entered by hand.';
comment on column public.recruiting_leads.received_via is
  'How the lead came: `single`, `bulk`, `webhook`, or by `replay` of a rejected delivery; null when entered by hand.';
comment on column public.recruiting_leads.state is
  'Two upper-case letters, or null when the state in vendor_metadata is anything else.';
comment on column public.recruiting_leads.resume_path is
  'Name of the object in the bucket `resumes`: <vendor_id>/<lead id>.<ending>, the ending being pdf, docx, doc, rtf, odt or txt.';

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

create function private.lead_state(vendor_metadata jsonb) returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return case when vendor_metadata ->> 'state' ~ '^[A-Za-z]{2}$' then upper(vendor_metadata ->> 'state') end;
end
$$;

comment on function private.lead_state(jsonb) is
  'The state of a lead that is not stored yet: what recruiting_leads.state will be.';
grant execute on function private.lead_state(jsonb) to service_role;
