-- The alerts: conditions that an operator must act on, and their kinds, each with its rule.

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
  -- check_alerts() calls it. The check limits it to functions of `private` that find alerts.
  finder text check (finder ~ '^find_'),
  is_on boolean not null default true,
  threshold jsonb not null check (private.is_threshold(threshold)),
  title text,
  advice text,
  link_label text,
  summary text,
  severity smallint not null default 2 check (severity between 1 and 3),
  created_at timestamptz not null default now()
);

comment on table public.alert_rules is
  'The kinds of alerts with their rules: whether a kind is checked, and its thresholds. The row of a kind is defined below the '
  'function that finds its alerts.';
comment on column public.alert_rules.finder is
  'The function of the schema `private` that finds the alerts: (threshold jsonb, checked_at timestamptz) returns setof '
  'private.found_alert. Null: none does.';
comment on column public.alert_rules.threshold is
  'The numbers of the rule, by name: {minutes}, {percent, days}, ...; {} where it has none.';
comment on column public.alert_rules.title is 'The heading of its alerts on the page of operators.';
comment on column public.alert_rules.advice is 'What to do about them, in a sentence or two.';
comment on column public.alert_rules.link_label is 'The words of the links of its alerts; null: they have none.';
comment on column public.alert_rules.summary is
  'The message about several of its alerts of an agency, with %s for their number and for the agency''s name; null: each has '
  'its own.';

comment on column public.alert_rules.severity is
  '1: leads, texts or recruits wait, or somebody who has opted out may be texted; 2: they may soon; 3: nobody loses anything.';

alter table public.alert_rules enable row level security;
grant select, insert, update, delete on public.alert_rules to service_role;

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
  subject_name text,
  problem text,
  command text,
  link text,
  agency_id uuid,
  check ((state = 'resolved') = (resolved_at is not null))
);

create unique index alerts_unresolved_idx on public.alerts (kind, subject) where state <> 'resolved';
create index on public.alerts (kind, subject, opened_at);
create index on public.alerts (resolved_at) where state = 'resolved';
create index on public.alerts (told_at) where state = 'resolved' and told_at is not null;

comment on table public.alerts is
  'The alerts: one row each time that a condition began. It contains no personal data: no name, number or word of a person.';
comment on column public.alerts.subject is
  'The slug of a vendor, the id of an order, agency or conversation, or our own number, by the kind; else the kind itself.';
comment on column public.alerts.state is
  '`open`: the condition is true; `acknowledged`: it is true, and an operator has acknowledged it; `resolved`: it is over, or '
  'its rule is off.';
comment on column public.alerts.seen_at is 'When the condition was last found.';
comment on column public.alerts.told_at is
  'When the receiver of alerts last learned, or may have learned, that it is open; null: it did not, or knows that it is over.';
comment on column public.alerts.details is 'The figures of the condition when it was last found: counts and times, by name.';
comment on column public.alerts.subject_name is
  'The subject as people know it, such as `vendor talroo` or `order 5f0c6a3e of Prairie Life`.';
comment on column public.alerts.problem is 'What is wrong, to follow the name and a colon. Times are in UTC.';
comment on column public.alerts.command is 'The admin command that helps, without `npm run admin --`.';
comment on column public.alerts.link is 'The view of the desk that helps, such as `/operator/outbox`; null: none does.';
comment on column public.alerts.agency_id is 'The agency of the subject; null: it has none.';

alter table public.alerts enable row level security;
grant select, insert, update, delete on public.alerts to service_role;

create type private.found_alert as (subject text, details jsonb, subject_name text, problem text, command text, link text, agency_id uuid);

comment on type private.found_alert is
  'A subject of which the condition of a kind is true, with the figures about it, its words, its link and its agency, as '
  'public.alerts has them.';

create function private.counted(count bigint, noun text) returns text
language sql
immutable
set search_path = ''
as $$
  select format('%s %s', to_char(count, 'FM999,999,999,990'), case when count = 1 then noun else regexp_replace(noun, 'y$', 'ie') || 's' end)
$$;

comment on function private.counted(bigint, text) is 'A number with its noun, such as `1 lead` or `1,200 leads`.';
