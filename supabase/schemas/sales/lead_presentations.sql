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
