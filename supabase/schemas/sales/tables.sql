-- Sales leads, which agents work, and what comes of them.

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
  phone_e164 public.e164,
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
-- The pages of the list, newest first. Without it, each page would sort all leads of the agency with their metrics. New
-- entries go to its end.
create index on public.leads (created_at, id);

comment on table public.leads is 'A sales lead that an agent works, imported from a lead vendor or entered by hand.';
comment on column public.leads.external_id is
  'The lead vendor''s id, by which a lead that is sent again is recognised; null for a lead entered by hand.';
comment on column public.leads.distribution_id is 'The lead vendor''s id of the batch the lead came with.';
comment on column public.leads.phone is 'As it was sent. A lead is not refused for its phone number.';
comment on column public.leads.phone_e164 is 'The same number in E.164 (ITU-T); null when it could not be read.';
comment on column public.leads.type is 'Kind of lead: fwk, csk, br, union, ncr, pos, dcard, fe or globe.';
comment on column public.leads.state is 'As it was sent.';
comment on column public.leads.status is '`open` unless set; any other value is allowed.';
comment on column public.leads.stage is '`new` unless set; any other value is allowed.';
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

create view public.lead_stages with (security_invoker = true) as
select distinct l.agency_id, l.stage from public.leads l;

comment on view public.lead_stages is 'The stages of the sales leads that the signed-in agent reads: agencies name their own.';
grant select on public.lead_stages to authenticated;

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
  'The events of a lead, counted by triggers. Every lead has a row from the moment it is stored.';
comment on column public.lead_metrics.annual_premium is
  'Sum of the annual premiums of the lead''s sales, in US dollars.';
comment on column public.lead_metrics.last_activity_at is 'Time of the latest activity or submitted presentation.';

create trigger set_updated_at
  before update on public.lead_metrics
  for each row execute function private.set_updated_at();

alter table public.lead_metrics enable row level security;
grant select on public.lead_metrics to authenticated;
grant select, insert, update, delete on public.lead_metrics to service_role;

-- The policy on leads applies inside the subquery, so a user who reads the lead reads its metrics.
create policy "readers of a lead read its metrics" on public.lead_metrics
  for select to authenticated
  using ((select true from public.leads l where l.id = lead_metrics.lead_id));

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

comment on table public.lead_activities is 'The acts of an agent with a lead: one row for each time.';
comment on column public.lead_activities.type is
  'presentation_started: the presentation opened; presentation_resumed: the agent returned to it; presentation_paused: '
  'its window was minimized or closed before it was submitted.';

alter table public.lead_activities enable row level security;
grant select on public.lead_activities to authenticated;
grant select, insert, update, delete on public.lead_activities to service_role;

create policy "readers of a lead read its activities" on public.lead_activities
  for select to authenticated
  using ((select true from public.leads l where l.id = lead_activities.lead_id));

-- submit_lead_presentation() stores a presentation, and the demographics, the sale and the referrals of it. It runs
-- with the rights of the signed-in agent, so the agent needs grants and policies to write these four tables. Each
-- policy for writing allows one lead at a time: the lead that the function has named in a setting of the transaction.
-- The API gives no way to change a setting, so the same insert sent directly to the table is refused.

create function private.submitting_lead_id() returns uuid
language plpgsql
stable
set search_path = ''
as $$
begin
  return nullif(current_setting('lead_intake.submitting_lead_id', true), '')::uuid;
end
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
  'The agent who submitted it: the lead''s agent, or a manager of its agency.';
comment on column public.lead_presentations.client_submission_id is
  'Made by the client, so that a submission that is sent again is not stored twice.';

alter table public.lead_presentations enable row level security;
grant select on public.lead_presentations to authenticated;
grant insert (lead_id, agent_id, client_submission_id) on public.lead_presentations to authenticated;
grant select, insert, update, delete on public.lead_presentations to service_role;

create policy "readers of a lead read its presentations" on public.lead_presentations
  for select to authenticated
  using ((select true from public.leads l where l.id = lead_presentations.lead_id));

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
  'The demographics of the person, from the latest presentation with demographics.';
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
  using ((select true from public.leads l where l.id = lead_demographics.lead_id));

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
comment on column public.lead_sales.payment_frequency is '`monthly`, `quarterly`, `semiannual` or `annual`.';
comment on column public.lead_sales.annual_premium is 'In US dollars a year, for every payment frequency.';

create trigger set_updated_at
  before update on public.lead_sales
  for each row execute function private.set_updated_at();

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
  using ((select true from public.leads l where l.id = lead_sales.lead_id));

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
  using ((select true from public.leads l where l.id = lead_referrals.lead_id));

create policy "submitters of a presentation add its referrals" on public.lead_referrals
  for insert to authenticated
  with check (
    lead_id = (select private.submitting_lead_id())
    and agent_id = (select private.current_agent_id())
    and exists (select from public.leads l where l.id = lead_referrals.lead_id)
  );
