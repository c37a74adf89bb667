-- Sales leads, which agents work.

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
  phone_e164 text check (phone_e164 ~ '^\+[1-9][0-9]{1,14}$'),
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

comment on table public.leads is 'A sales lead that an agent works, imported from a lead vendor or entered by hand.';
comment on column public.leads.external_id is
  'The lead vendor''s id, by which a lead that is sent again is recognised; null for a lead entered by hand.';
comment on column public.leads.distribution_id is 'The lead vendor''s id of the batch the lead came with.';
comment on column public.leads.phone is 'As it was sent. A lead is not refused for its phone number.';
comment on column public.leads.phone_e164 is 'The same number in E.164 (ITU-T); null when it could not be read.';
comment on column public.leads.type is 'Kind of lead: fwk, csk, br, union, ncr, pos, dcard, fe or globe.';
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
