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
