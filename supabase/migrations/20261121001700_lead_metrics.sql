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
  'What has happened to a lead, counted by triggers. Every lead has its row from the start.';
comment on column public.lead_metrics.annual_premium is 'Sum over the lead''s sales, in US dollars.';
comment on column public.lead_metrics.last_activity_at is 'Of the latest activity or submitted presentation.';

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

comment on function private.create_lead_metrics() is 'Trigger: makes the lead_metrics rows of the leads just inserted.';

-- Once a statement, because an import inserts thousands of leads in one.
create trigger create_lead_metrics
  after insert on public.leads
  referencing new table as inserted
  for each statement execute function private.create_lead_metrics();
