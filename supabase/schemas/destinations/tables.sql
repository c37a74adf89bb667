-- Destinations: the systems and addresses of agencies that learn what becomes of their recruits, and what is sent to them.

create table public.destinations (
  id uuid primary key default gen_random_uuid(),
  agency_id uuid references public.agencies (id) on delete cascade,
  name text not null check (name ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  kind text not null check (kind in ('webhook', 'email', 'push')),
  url text check (length(url) <= 2048),
  address text check (address ~ '^[^\s@]+@[^\s@]+$' and length(address) <= 320),
  is_on boolean not null default true,
  off_reason text,
  events text[] not null,
  agent_id uuid,
  push_subscription_id uuid unique references public.push_subscriptions (id) on delete cascade,
  order_id uuid,
  template text check (length(template) between 1 and 4000),
  accepted_when text check (length(accepted_when) between 1 and 1000),
  rejected_when text check (length(rejected_when) between 1 and 1000),
  returns_rejected boolean not null default false,
  max_at_once integer not null default 4 check (max_at_once between 1 and 16),
  failing_since timestamptz,
  failures integer not null default 0 check (failures >= 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (agency_id, name),
  foreign key (agent_id, agency_id) references public.agents (id, agency_id) on delete cascade,
  foreign key (agency_id, order_id) references public.recruiting_orders (agency_id, id) on delete cascade,
  check (case
    when agency_id is null then name = 'operators' and kind = 'webhook' and url is null
    when kind = 'webhook' then url is not null and address is null
    -- An agent's address is the agent's.
    else (address is null) = (agent_id is not null) and url is null and template is null
  end),
  check ((kind = 'push') = (push_subscription_id is not null)),
  check (agent_id is null or kind = 'push' or kind = 'email' and name = 'agent-' || agent_id),
  check (off_reason is null or not is_on),
  check ((failing_since is null) = (failures = 0))
);

create unique index destinations_operators_idx on public.destinations (name) where agency_id is null;
create unique index destinations_agent_mail_idx on public.destinations (agent_id) where kind = 'email';
create index on public.destinations (agent_id, agency_id) where agent_id is not null;
create index on public.destinations (agency_id, order_id) where order_id is not null;

comment on table public.destinations is
  'The webhooks and e-mail addresses to which events about an agency''s recruits are sent.';
comment on column public.destinations.agency_id is
  'Null: the destination of alerts, `operators`, whose URL is a setting of the worker.';
comment on column public.destinations.name is 'Identifies the destination in its agency.';
comment on column public.destinations.is_on is 'While it is off, its dispatches wait.';
comment on column public.destinations.off_reason is
  'Why the service has switched it off; null: it is on, or a person has paused it.';
comment on column public.destinations.events is 'The events that are sent to it, such as `lead.distributed`.';
comment on column public.destinations.agent_id is
  'The agent who has chosen to get e-mails (agents.mail_about), or whose browser it is; null: it is the agency''s.';
comment on column public.destinations.push_subscription_id is 'The browser that shows the notifications of the agent; only with `push`.';
comment on column public.destinations.order_id is 'Only events about leads of this order; null: of any.';
comment on column public.destinations.template is
  'JMESPath expression that makes the body from the event; null: the event itself.';
comment on column public.destinations.accepted_when is
  'JMESPath expression on {status, body} of the response: whether the receiver has accepted the event; null: status 2xx.';
comment on column public.destinations.rejected_when is 'The same: whether it has rejected it for good; null: never.';
comment on column public.destinations.returns_rejected is
  'Whether a lead that the receiver rejects is returned, as return_lead() does.';
comment on column public.destinations.max_at_once is
  'How many dispatches are sent to it at the same time, 1 while the last one has failed.';
comment on column public.destinations.failing_since is
  'When the first of the failures since the last success was; null: the last attempt has not failed.';
comment on column public.destinations.failures is 'The number of failed attempts since the last success.';

create trigger set_updated_at
  before update on public.destinations
  for each row execute function private.set_updated_at();

alter table public.destinations enable row level security;
grant select, insert, update, delete on public.destinations to service_role;

insert into public.destinations (name, kind, events) values ('operators', 'webhook', '{alert.opened,alert.repeated,alert.resolved}');

create table private.destination_secrets (
  id uuid primary key default gen_random_uuid(),
  destination_id uuid not null references public.destinations (id) on delete cascade,
  kind text not null check (kind in ('signing', 'header')),
  name text check (name ~ '^[A-Za-z0-9!#$%&''*+.^_`|~-]{1,128}$'),
  secret text not null check (secret = btrim(secret) and secret !~ '[[:cntrl:]]' and length(secret) between 1 and 1024),
  expires_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  check ((kind = 'header') = (name is not null))
);

create index on private.destination_secrets (destination_id, created_at);
create unique index destination_secrets_header_idx on private.destination_secrets (destination_id, lower(name)) where kind = 'header';

comment on table private.destination_secrets is
  'The secrets with which requests to a destination are signed, and its own headers. Nobody reads them back.';
comment on column private.destination_secrets.name is 'The name of a header; null for a signing secret.';
comment on column private.destination_secrets.expires_at is
  'Until when a signing secret that was replaced still signs; null: no end.';

alter table private.destination_secrets enable row level security;
grant select, insert, update, delete on private.destination_secrets to service_role;

create table private.dispatches (
  id uuid primary key default gen_random_uuid(),
  destination_id uuid not null references public.destinations (id) on delete cascade,
  event text not null,
  -- Not foreign keys: what happens to the recruit or the alert does not wait for what is sent about it.
  lead_id uuid,
  alert_ids uuid[],
  body jsonb,
  state text not null default 'waiting' check (state in ('waiting', 'sending', 'delivered', 'rejected', 'failed', 'cancelled')),
  due_at timestamptz not null default clock_timestamp(),
  first_due_at timestamptz not null default clock_timestamp(),
  attempt integer not null default 0,
  attempts_before integer not null default 0,
  lease_until timestamptz,
  status integer,
  excerpt text check (length(excerpt) <= 500),
  reason text check (length(reason) <= 500),
  return_due_at timestamptz,
  delivered_at timestamptz,
  ended_at timestamptz,
  seq bigint generated always as identity,
  created_at timestamptz not null default clock_timestamp(),
  check ((state = 'sending') = (lease_until is not null)),
  check ((state = 'delivered') = (delivered_at is not null)),
  check ((state in ('waiting', 'sending')) = (ended_at is null))
);

create index dispatches_due_idx on private.dispatches (destination_id, due_at, seq) where state = 'waiting';
create index dispatches_lease_idx on private.dispatches (destination_id, lease_until) where state = 'sending';
create index dispatches_order_idx on private.dispatches (destination_id, lead_id, seq) where state in ('waiting', 'sending');
create index dispatches_open_idx on private.dispatches (destination_id, first_due_at) where state in ('waiting', 'sending');
create index dispatches_ended_idx on private.dispatches (ended_at) where ended_at is not null;
create index dispatches_list_idx on private.dispatches (destination_id, seq);
create index dispatches_lead_idx on private.dispatches (lead_id, seq) where lead_id is not null;
create index dispatches_return_idx on private.dispatches (return_due_at) where return_due_at is not null;
create index dispatches_failed_idx on private.dispatches (destination_id, ended_at) where state = 'failed';
create index dispatches_delivered_idx on private.dispatches (destination_id, delivered_at) where state = 'delivered';

comment on table private.dispatches is
  'One row for each event that is sent to a destination. The id is the header webhook-id: each attempt has the same. Kept for '
  '30 days after it has ended.';
comment on column private.dispatches.event is 'The type of the event, or `test`.';
comment on column private.dispatches.alert_ids is 'The alerts of which the operators'' destination is notified.';
comment on column private.dispatches.body is
  'The event as it was: {type, timestamp, data}; of alerts {text, kind, subject, state, since, details}. Null once the person '
  'was erased.';
comment on column private.dispatches.state is
  '`waiting`; `sending`: a worker has it; `delivered`; `rejected`: the receiver has refused it for good; `failed`: no attempt '
  'is left; `cancelled`: it is not needed any more.';
comment on column private.dispatches.attempt is 'The number of times that it was claimed.';
comment on column private.dispatches.attempts_before is
  'How many of them were before a person had it sent again: the pauses count from there.';
comment on column private.dispatches.lease_until is 'Until when the worker has it.';
comment on column private.dispatches.status is 'The HTTP status of the last response; null: there was none.';
comment on column private.dispatches.excerpt is 'The beginning of the last response that was not an acceptance.';
comment on column private.dispatches.reason is 'Why the last attempt did not succeed, such as `timeout`.';
comment on column private.dispatches.return_due_at is 'When the rejected lead is to be returned; null: it is not, or was.';
comment on column private.dispatches.seq is 'The order in which the events of one lead are sent.';

alter table private.dispatches enable row level security;
grant select, insert, update, delete on private.dispatches to service_role;

create table private.sending_settings (
  name text primary key check (name in ('mail', 'push', 'alerts', 'heartbeat')),
  is_set boolean not null default false,
  asked_at timestamptz not null default '-infinity'
);

comment on table private.sending_settings is
  'Whether the worker can send e-mail and push, and has the URLs of the receiver of alerts and of the monitor. The database sees no '
  'setting.';
comment on column private.sending_settings.asked_at is 'When the worker last said so.';

insert into private.sending_settings (name) values ('mail'), ('push'), ('alerts'), ('heartbeat');

alter table private.sending_settings enable row level security;
grant select, insert, update, delete on private.sending_settings to service_role;

create function private.note_setting(name text, is_set boolean) returns void
language sql
set search_path = ''
as $$
  update private.sending_settings s
  set is_set = note_setting.is_set, asked_at = now()
  where s.name = note_setting.name
    and (s.is_set <> note_setting.is_set or s.asked_at not between now() - interval '1 minute' and now())
$$;

comment on function private.note_setting(text, boolean) is
  'Notes what a worker says of a setting, once a minute while it stays.';
