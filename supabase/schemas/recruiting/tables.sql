-- Orders, the leads that fill them, and the tables that distribution maintains.

create function private.is_greeting_template(template text) returns boolean
language sql
immutable
set search_path = ''
as $$
  select private.utf16_length(template) <= 1600
    and template like '%{agency}%'
    and template ~ '\mSTOP\M'
    and regexp_replace(template, '\{(first_name|agent|agency)\}', '', 'g') !~ '[{}]'
$$;

comment on function private.is_greeting_template(text) is
  'Returns whether this text may be used as a greeting. Law and carriers require it to name the sender and the way to '
  'opt out.';

create table public.recruiting_orders (
  id uuid primary key default gen_random_uuid(),
  agency_id uuid not null references public.agencies (id),
  agent_id uuid,
  vendor_id uuid references public.vendors (id),
  states text[] check (
    array_to_string(states, ',', '?') ~ '^[A-Z]{2}(,[A-Z]{2})*$'
  ),
  quantity integer not null check (quantity > 0),
  filled integer not null default 0,
  daily_cap integer check (daily_cap > 0),
  priority integer not null default 0,
  status text not null default 'open' check (status in ('open', 'paused', 'filled', 'closed')),
  starts_at timestamptz,
  ends_at timestamptz,
  -- The function is not called for null, because each lead updates its order.
  greeting_template text check (greeting_template is null or private.is_greeting_template(greeting_template)),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (filled between 0 and quantity),
  check (ends_at > starts_at),
  foreign key (agent_id, agency_id) references public.agents (id, agency_id),
  -- recruiting_leads refers to both columns, so that a lead's agency is always the agency of its order.
  unique (agency_id, id)
);

-- Most orders name no agent, and each lead updates every index that contains its order.
create index recruiting_orders_agent_idx on public.recruiting_orders (agent_id, agency_id) where agent_id is not null;
create index on public.recruiting_orders (vendor_id);

comment on table public.recruiting_orders is 'An agency''s order for a number of recruiting leads.';
comment on column public.recruiting_orders.agent_id is
  'The agent who receives all leads of the order while active; null: the agency''s agents take turns.';
comment on column public.recruiting_orders.vendor_id is 'Only leads of this vendor; null for any vendor.';
comment on column public.recruiting_orders.states is
  'Only leads from these states, each as two upper-case letters; null: any lead, including leads without a state.';
comment on column public.recruiting_orders.filled is
  'The number of leads that the order has received, at most quantity.';
comment on column public.recruiting_orders.daily_cap is
  'The maximum number of leads in one day of the agency''s time zone; null for no limit.';
comment on column public.recruiting_orders.priority is 'The order with the highest priority receives leads first.';
comment on column public.recruiting_orders.status is
  'Only an open order receives leads. Distribution sets `filled` when the count reaches quantity; people set the '
  'other values.';
comment on column public.recruiting_orders.starts_at is
  'The order receives leads from this time on; null: immediately.';
comment on column public.recruiting_orders.ends_at is 'The order receives no leads from this time on; null: no end.';
comment on column public.recruiting_orders.greeting_template is
  'The text that each recruit of the order receives, if the vendor has their consent; null: none. At most 1,600 '
  'UTF-16 units, with {agency}, the word STOP, and optionally {first_name} and {agent}.';

create trigger set_updated_at
  before update on public.recruiting_orders
  for each row execute function private.set_updated_at();

alter table public.recruiting_orders enable row level security;
grant select on public.recruiting_orders to authenticated;
grant select, insert, update, delete on public.recruiting_orders to service_role;

create policy "agents read orders that name them, managers their agency's" on public.recruiting_orders
  for select to authenticated
  using (
    agent_id = (select private.current_agent_id())
    or agency_id = (select private.managed_agency_id())
  );

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
  state text generated always as (private.lead_state(vendor_metadata)) stored,
  resume_path text,
  distribution text not null default 'not_requested'
    check (distribution in ('distributed', 'unmatched', 'pending', 'not_requested', 'returned', 'repeat', 'suppressed')),
  request_id text,
  received_via text check (received_via in ('single', 'bulk', 'webhook', 'replay')),
  order_id uuid,
  agency_id uuid,
  agent_id uuid,
  distributed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (vendor_id, vendor_lead_id),
  -- Deferrable, so that private.store_recruiting_leads() can store a lead while these tables are locked.
  foreign key (agency_id) references public.agencies (id) deferrable,
  foreign key (agency_id, order_id) references public.recruiting_orders (agency_id, id) deferrable,
  foreign key (agent_id, agency_id) references public.agents (id, agency_id) deferrable,
  -- Postgres does not check a foreign key of two columns while one of them is null. A lead that already has an agency
  -- must not be distributed again. It is one constraint, because an insert parses each constraint again.
  check (
    case when agency_id is null
      then agent_id is null and order_id is null and distribution <> 'distributed'
      else (order_id is null or distributed_at is not null) and distribution in ('distributed', 'not_requested')
    end
  )
);

-- The first lists an agency's leads and counts the leads of an order in a day. Leads that went to no agency are in
-- neither index.
create index recruiting_leads_order_day_idx on public.recruiting_leads (agency_id, order_id, distributed_at)
  where agency_id is not null;
create index recruiting_leads_agent_idx on public.recruiting_leads (agent_id, agency_id)
  where agent_id is not null;
-- The newest leads, and those of some days, for lists and reports; with the vendor, for the alert vendor_silent. New entries go
-- to its end.
create index recruiting_leads_created_idx on public.recruiting_leads (created_at, id) include (vendor_id);
create index recruiting_leads_pending_idx on public.recruiting_leads (created_at, id) where distribution = 'pending';
-- With the vendor, so that waiting leads are counted by the index alone.
create index recruiting_leads_unmatched_idx on public.recruiting_leads (created_at, id) include (vendor_id)
  where distribution = 'unmatched';
-- Ids that are stored as hashes: very long ones, and those of erased people.
create index recruiting_leads_hashed_id_idx on public.recruiting_leads (vendor_id) where vendor_lead_id like 'sha256:%';
-- Finds the lead of an object in the bucket `resumes`, for the policy on storage.objects.
create index recruiting_leads_resume_path_idx on public.recruiting_leads (resume_path)
  where resume_path is not null;

-- Find the recruit of a text, and the newest leads of a person. A longer value is not a phone number or an email
-- address, and would be too long for the index.
create index recruiting_leads_phone_idx on public.recruiting_leads (phone, created_at) where length(phone) <= 16;
create index recruiting_leads_email_idx on public.recruiting_leads (email, created_at) where length(email) <= 320;

comment on table public.recruiting_leads is
  'A recruit sent by a vendor, with the order, agency and agent that received it.';
comment on column public.recruiting_leads.vendor_lead_id is
  'The vendor''s own id, by which a repeated lead is recognized; null if the vendor sent none. An id of more than 512 '
  'characters is stored as `sha256:` and its hash, because index entries have a size limit; so is an id that '
  'contained the phone or address of an erased person.';
comment on column public.recruiting_leads.vendor_metadata is
  'The data that the parser read besides the first name: last_name, email, phone, city, state, zip, ... and vendor_fields. '
  'is_test = true marks a test lead of the vendor, which is never distributed.';
comment on column public.recruiting_leads.distribution is
  '`distributed`: assigned to an agency. `unmatched`: no order accepted it. `pending`: stored, and the next '
  'distribution chooses its order. `not_requested`: never distributed, such as bulk leads and test leads. `returned`: '
  'an operator took it back from an agency (lead_returns). `repeat`: held, because a rule of repeat_rules says so. '
  '`suppressed`: the person is in suppressions.';
comment on column public.recruiting_leads.request_id is
  'The x-request-id of the request that contained the lead; null for a lead entered by hand.';
comment on column public.recruiting_leads.received_via is
  'How the lead arrived: `single`, `bulk`, `webhook`, or by `replay` of a rejected delivery; null if entered by hand.';
comment on column public.recruiting_leads.state is
  'Two upper-case letters, or null if the state in vendor_metadata is anything else.';
comment on column public.recruiting_leads.resume_path is
  'Name of the object in the bucket `resumes`: <vendor_id>/<lead id>.<extension>. The extension is pdf, docx, doc, '
  'rtf, odt or txt.';

create trigger set_updated_at
  before update on public.recruiting_leads
  for each row execute function private.set_updated_at();

alter table public.recruiting_leads enable row level security;
grant select on public.recruiting_leads to authenticated;
grant select, insert, update, delete on public.recruiting_leads to service_role;

-- Its policy asks for conversations too: desk/recruits.sql.

create table private.lead_notifications_due (
  -- In the order of distribution. New entries are added at the end of the only index.
  id bigint generated always as identity primary key,
  -- Not a foreign key, because distribution would wait for its check.
  lead_id uuid not null,
  placed_at timestamptz not null default clock_timestamp()
);

comment on table private.lead_notifications_due is
  'Distributed recruiting leads whose agents are not notified yet. A job reads and deletes the rows and notifies the '
  'agents outside the transaction that distributes the lead, so that it can never fail the distribution.';

alter table private.lead_notifications_due enable row level security;
grant select, insert, update, delete on private.lead_notifications_due to service_role;

create table private.waiting_greetings (
  -- Deferrable, because the row is inserted when the lead gets its order, and the lead may be stored later.
  lead_id uuid primary key references public.recruiting_leads (id) on delete cascade deferrable,
  due_at timestamptz not null default now(),
  attempt integer not null default 0,
  created_at timestamptz not null default clock_timestamp()
);

create index on private.waiting_greetings (created_at);
create index on private.waiting_greetings (due_at);

comment on table private.waiting_greetings is
  'Leads that were distributed by an order with a greeting, and have not been greeted yet.';
comment on column private.waiting_greetings.due_at is 'When a worker may claim it next.';
comment on column private.waiting_greetings.attempt is 'The number of claims.';

alter table private.waiting_greetings enable row level security;
grant select, insert, update, delete on private.waiting_greetings to service_role;

create table public.recruiting_lead_duplicates (
  id uuid primary key default private.time_ordered_id(),
  lead_id uuid not null references public.recruiting_leads (id) on delete cascade,
  vendor_id uuid not null references public.vendors (id),
  request_id text,
  reason text not null default 'same_lead' check (reason in ('same_lead', 'same_person')),
  received_at timestamptz not null default clock_timestamp()
);

create index on public.recruiting_lead_duplicates (lead_id, received_at);
create index on public.recruiting_lead_duplicates (vendor_id, received_at);
create index on public.recruiting_lead_duplicates (received_at, id);

comment on table public.recruiting_lead_duplicates is
  'One row for each time that a vendor repeated a stored lead, and for each lead that a repeat rule has refused.';
comment on column public.recruiting_lead_duplicates.lead_id is 'The stored lead.';
comment on column public.recruiting_lead_duplicates.request_id is 'The x-request-id of the repeated request.';
comment on column public.recruiting_lead_duplicates.reason is
  '`same_lead`: with the same vendor_lead_id, or the same delivery. `same_person`: a rule of repeat_rules refused a lead of '
  'the person. The id of this row is that of private.refused_id().';

alter table public.recruiting_lead_duplicates enable row level security;
grant select, insert, update, delete on public.recruiting_lead_duplicates to service_role;

create table private.recruiting_order_days (
  order_id uuid not null references public.recruiting_orders (id) on delete cascade,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  leads integer not null,
  -- By the end, so that a search for the current day skips no earlier days.
  primary key (order_id, ends_at),
  check (ends_at > starts_at)
)
-- Leaves room in each page for a new version of a row, so that counting updates no index.
with (fillfactor = 50);

comment on table private.recruiting_order_days is
  'The number of leads that an order received on a day of its agency, by recruiting_leads.distributed_at. Maintained '
  'by triggers. A day without leads has no row.';
comment on column private.recruiting_order_days.starts_at is 'When the day began in the agency''s time zone.';
comment on column private.recruiting_order_days.ends_at is 'When the next day begins.';

alter table private.recruiting_order_days enable row level security;
grant select, insert, update, delete on private.recruiting_order_days to service_role;

create table private.resume_uploads (
  lead_id uuid primary key,
  path text not null,
  begun_at timestamptz not null default now()
);

create index on private.resume_uploads (begun_at);

comment on table private.resume_uploads is
  'Resumes that may be in storage without a lead: their upload has begun, and the lead is not stored.';
comment on column private.resume_uploads.begun_at is
  'When the upload began, or when a request last tried to remove the object.';

alter table private.resume_uploads enable row level security;
grant select, insert, update, delete on private.resume_uploads to service_role;

create table private.abandoned_leads (
  lead_id uuid primary key,
  abandoned_at timestamptz not null default now()
);

create index on private.abandoned_leads (abandoned_at);

comment on table private.abandoned_leads is
  'Ids of leads that were not stored in time, and can no longer be stored. Kept for an hour; no call takes that long.';

alter table private.abandoned_leads enable row level security;
grant select, insert, update, delete on private.abandoned_leads to service_role;
