-- The messages about alerts: one row for each request to the receiver, the URL of the setting ALERT_WEBHOOK_URL.
-- notify.sql has their states.

create table private.alert_deliveries (
  id uuid primary key default gen_random_uuid(),
  alert_id uuid references public.alerts (id) on delete cascade,
  event text not null check (event in ('opened', 'repeated', 'resolved', 'test')),
  body jsonb not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'dropped', 'failed')),
  outcome text,
  attempt integer not null default 0,
  due_at timestamptz not null default now(),
  lease_until timestamptz check (lease_until is null or state = 'pending'),
  delivered_at timestamptz,
  created_at timestamptz not null default now(),
  check ((alert_id is null) = (event = 'test')),
  check ((delivered_at is not null) = (state = 'delivered'))
);

create index on private.alert_deliveries (alert_id);
create unique index alert_deliveries_pending_idx on private.alert_deliveries (alert_id) where state = 'pending';
create index on private.alert_deliveries (due_at) where state = 'pending';

comment on table private.alert_deliveries is
  'The notifications of the receiver of alerts, one request each. The id is the header webhook-id: a repeated request has the same.';
comment on column private.alert_deliveries.alert_id is 'The alert; null: a test.';
comment on column private.alert_deliveries.body is 'The body without its link. It stays the same when the request is repeated.';
comment on column private.alert_deliveries.outcome is
  'What became of the last request: `HTTP <status>`, `no_connection`, `lost` (no response), `worker_died` or `not_configured`.';
comment on column private.alert_deliveries.attempt is 'The number of times that it was claimed.';
comment on column private.alert_deliveries.lease_until is 'Until when a worker has it; null: no worker does.';

create table private.alert_receivers (
  name text primary key check (name in ('webhook', 'heartbeat')),
  is_set boolean not null default false,
  asked_at timestamptz not null default '-infinity'
);

comment on table private.alert_receivers is
  'Whether the worker has a URL that is notified of alerts, and one that learns that they are checked. The database sees no setting.';
comment on column private.alert_receivers.asked_at is 'When the worker last said so.';

insert into private.alert_receivers (name) values ('webhook'), ('heartbeat');

alter table private.alert_deliveries enable row level security;
alter table private.alert_receivers enable row level security;
grant select, insert, update, delete on private.alert_deliveries, private.alert_receivers to service_role;

create view private.alert_notifications_due as
with found as (
  select a.*, case when a.told_at is null then 'opened' else 'repeated' end as event
  from public.alerts a
  where a.state <> 'resolved'
    and (a.told_at is null or a.state = 'open' and a.told_at <= now() - interval '24 hours' and a.kind <> 'order_filled')
  union all
  select a.*, 'resolved'
  from public.alerts a
  where a.state = 'resolved' and a.told_at is not null
)
select f.*
from found f
join public.alert_rules r on r.kind = f.kind and r.is_on
where not exists (select from private.alert_deliveries d where d.alert_id = f.id and d.state = 'pending');

comment on view private.alert_notifications_due is
  'The alerts of which the receiver is to be notified, and the event: opened, repeated or resolved. An alert that has a pending '
  'delivery waits for it, and one whose rule is off ends silently.';

create view private.due_alert_deliveries as
select d.*
from private.alert_deliveries d
left join public.alerts a on a.id = d.alert_id
where d.state = 'pending'
  and d.due_at <= now()
  and (d.lease_until is null or d.lease_until <= now())
  -- Else the end of an alert could arrive after the next one of its subject.
  and not exists (
    select
    from private.alert_deliveries earlier
    join public.alerts b on b.id = earlier.alert_id
    where earlier.state = 'pending' and b.kind = a.kind and b.subject = a.subject and b.opened_at < a.opened_at
  );

comment on view private.due_alert_deliveries is 'The deliveries that a worker may take now: of a kind and subject only the oldest alert''s.';

grant select on private.alert_notifications_due, private.due_alert_deliveries to service_role;

create function private.is_heartbeat_due(run private.job_runs) returns boolean
language sql
stable
set search_path = ''
as $$
  select run.job = 'check alerts'
    and run.ended_at > now() - interval '5 minutes'
    -- A time that lies ahead was of a wrong clock.
    -- Not now(): a worker that waited for another began before that one notified the monitor.
    and (
      run.heartbeat_at is null
      or run.heartbeat_at not between clock_timestamp() - interval '5 minutes' and clock_timestamp()
    )
$$;

comment on function private.is_heartbeat_due(private.job_runs) is
  'Whether a monitor is to learn that alerts are checked: a check has completed in the last 5 minutes, and it was not '
  'notified in these.';

create function private.is_alert_due() returns boolean
language plpgsql
stable
set search_path = ''
-- By the indexes of what is open, also while the planner does not know how little that is.
set enable_seqscan = off
as $$
begin
  return exists (
    select
    from private.alert_receivers r
    -- Where there was no URL, the worker is asked again from time to time.
    where (r.is_set or r.asked_at not between now() - interval '5 minutes' and now())
      and case r.name
        when 'webhook' then
          exists (select from private.due_alert_deliveries) or exists (select from private.alert_notifications_due)
        else exists (select from private.job_runs j where private.is_heartbeat_due(j))
      end
  );
end
$$;

comment on function private.is_alert_due() is
  'Whether the worker would send a notification of an alert, or that alerts are checked. While no URL is set: every 5 minutes, to learn '
  'whether one is.';
