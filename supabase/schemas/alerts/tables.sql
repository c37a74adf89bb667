-- The alerts: conditions that somebody must know of, and the rules by which they are found.

create function private.is_threshold(threshold jsonb) returns boolean
language sql
immutable
set search_path = ''
as $$
  select jsonb_typeof(threshold) = 'object'
    and not jsonb_path_exists(threshold, '$.* ? (@.type() != "number" || @ <= 0 || @ > 1000000)')
$$;

comment on function private.is_threshold(jsonb) is
  'Whether the value is an object of which each member is a number above 0, up to a '
  'million: with any of these a check computes its times without an error.';

create table public.alert_rules (
  kind text primary key,
  is_on boolean not null default true,
  threshold jsonb not null check (private.is_threshold(threshold)),
  created_at timestamptz not null default now()
);

comment on table public.alert_rules is 'The rules of alerts, one for each kind: whether it is looked for, and from what on.';
comment on column public.alert_rules.threshold is 'The numbers of the rule, by name: {minutes}, {percent, days}, ...; {} where it has none.';

alter table public.alert_rules enable row level security;
grant select, insert, update, delete on public.alert_rules to service_role;

insert into public.alert_rules (kind, threshold) values
  ('number_paused', '{}'),
  ('order_stalled', '{}'),
  ('texts_stuck', '{"minutes": 5}'),
  ('texts_failing', '{"percent": 5, "opt_out_percent": 3, "texts": 100, "at_least": 20}'),
  ('opt_out_unmatched', '{}'),
  ('worker_late', '{"minutes": 5}'),
  ('recruit_waiting', '{"minutes": 15, "managers_after": 60}'),
  ('leads_waiting', '{"minutes": 15}'),
  ('deliveries_rejected', '{"per_hour": 10, "percent": 20, "last": 50, "at_least": 20}'),
  ('fetch_refused', '{}'),
  ('vendor_silent', '{"leads": 5}'),
  ('key_expires', '{"days": 7}'),
  ('order_nearly_filled', '{"percent": 90, "days": 2}'),
  ('order_filled', '{}');

create table public.alerts (
  id uuid primary key default gen_random_uuid(),
  kind text not null references public.alert_rules (kind),
  subject text not null check (subject <> ''),
  state text not null default 'open' check (state in ('open', 'acknowledged', 'resolved')),
  opened_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  resolved_at timestamptz,
  told_at timestamptz,
  details jsonb not null default '{}' check (jsonb_typeof(details) = 'object'),
  check ((state = 'resolved') = (resolved_at is not null))
);

create unique index alerts_unresolved_idx on public.alerts (kind, subject) where state <> 'resolved';
create index on public.alerts (kind, subject, opened_at);
create index on public.alerts (resolved_at) where state = 'resolved';
create index on public.alerts (told_at) where state = 'resolved' and told_at is not null;

comment on table public.alerts is
  'The alerts: one row for each time that a condition began. Nothing in it is of a person: no name, number or word.';
comment on column public.alerts.subject is
  'The slug of a vendor, the id of an order, agency or conversation, or our own number, by the kind; else the kind itself.';
comment on column public.alerts.state is
  '`open`: the condition is true; `acknowledged`: it is, and somebody has it in hand; `resolved`: it is over, or its '
  'rule is off.';
comment on column public.alerts.seen_at is 'When the condition was last found.';
comment on column public.alerts.told_at is
  'When the receiver of alerts last learnt, or may have, that it is open; null: it did not, or knows that it is over.';
comment on column public.alerts.details is 'The figures of the condition when it was last found: counts and times, by name.';

alter table public.alerts enable row level security;
grant select, insert, update, delete on public.alerts to service_role;

create type private.found_alert as (subject text, details jsonb);

comment on type private.found_alert is 'A subject of which the condition of a kind is true, with the figures about it.';
