-- What submit_lead_presentation() stores. Its writes are the only ones that are not the service role's: the grants and
-- policies for them stand with the function.

create table public.lead_presentations (
  id uuid primary key default gen_random_uuid(),
  lead_id uuid not null references public.leads (id) on delete cascade,
  agent_id uuid not null references public.agents (id),
  client_submission_id uuid,
  submitted_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  unique (lead_id, client_submission_id),
  unique (id, lead_id, agent_id)
);

create index on public.lead_presentations (agent_id);

comment on table public.lead_presentations is 'A presentation that was submitted.';
comment on column public.lead_presentations.agent_id is
  'Who submitted it: the lead''s agent, or a manager of its agency.';
comment on column public.lead_presentations.client_submission_id is
  'Made by the client, so that sending a submission again does not store it twice.';

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

comment on table public.lead_demographics is 'What is known of a lead''s person, from the latest submission.';
comment on column public.lead_demographics.annual_income is 'In US dollars.';

create trigger set_updated_at
  before update on public.lead_demographics
  for each row execute function private.set_updated_at();

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

comment on table public.lead_sales is 'A policy sold in a presentation.';
comment on column public.lead_sales.face_amount is 'In US dollars.';
comment on column public.lead_sales.annual_premium is 'In US dollars a year, whatever the payment frequency.';

create trigger set_updated_at
  before update on public.lead_sales
  for each row execute function private.set_updated_at();

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

comment on table public.lead_referrals is 'A person whom a lead named in a presentation.';
comment on column public.lead_referrals.position is 'Place in the submission, from 1.';

alter table public.lead_presentations enable row level security;
alter table public.lead_demographics enable row level security;
alter table public.lead_sales enable row level security;
alter table public.lead_referrals enable row level security;

grant select
  on public.lead_presentations, public.lead_demographics, public.lead_sales, public.lead_referrals
  to authenticated;
grant select, insert, update, delete
  on public.lead_presentations, public.lead_demographics, public.lead_sales, public.lead_referrals
  to service_role;
