-- The figures of the service for a monitor.

create table private.metric_days (
  day date not null,
  metric text not null check (metric in ('leads', 'texts', 'dispatches')),
  vendor_id uuid references public.vendors (id) on delete cascade,
  result text not null,
  count bigint not null check (count >= 0),
  created_at timestamptz not null default now(),
  unique nulls not distinct (day, metric, vendor_id, result)
);

create index on private.metric_days (vendor_id);

comment on table private.metric_days is
  'The numbers of leads, texts and dispatches on each day (UTC). A count never falls, also when rows are pruned or erased.';
comment on column private.metric_days.vendor_id is 'The vendor of leads; null: imports. Null for texts.';
comment on column private.metric_days.result is
  'Of leads: `created`, `duplicate` or `rejected`. Of texts the state in which they have ended: `accepted`, `refused` or '
  '`failed`. Of dispatches: `delivered`, `rejected` or `failed`.';

alter table private.metric_days enable row level security;
grant select, insert, update, delete on private.metric_days to service_role;

create function private.count_metric_days() returns void
language plpgsql
set search_path = ''
-- By the indexes on times, also while the planner does not know how few rows a day has.
set enable_seqscan = off
as $$
declare
  -- The last counted day is counted again, because some of its rows came later. So is yesterday for an hour, because
  -- transactions end after midnight, and today if a clock was ahead.
  since constant timestamptz := least(
    (select max(d.day) from private.metric_days d where d.result <> 'rejected'),
    ((now() - interval '1 hour') at time zone 'UTC')::date
  )::timestamp at time zone 'UTC';
begin
  insert into private.metric_days as m (day, metric, vendor_id, result, count)
  select (c.at at time zone 'UTC')::date, c.metric, c.vendor_id, c.result, count(*)
  from (
    select e.at, 'leads' as metric, e.vendor_id, e.result
    from private.lead_events e
    where e.result in ('created', 'duplicate') and e.at >= since
    union all
    select o.attempted_at, 'texts', null, o.state
    from public.service_numbers n
    join public.text_outbox o on o.service_phone = n.phone
    where o.attempted_at >= since and o.state in ('accepted', 'refused', 'failed')
    union all
    select p.ended_at, 'dispatches', null, p.state
    from private.dispatches p
    where p.ended_at >= since and p.state in ('delivered', 'rejected', 'failed')
  ) c
  group by 1, 2, 3, 4
  -- In one order, so that two monitors do not wait for each other.
  order by 1, 2, 3, 4
  on conflict on constraint metric_days_day_metric_vendor_id_result_key
    do update set count = excluded.count where m.count < excluded.count;
end
$$;

comment on function private.count_metric_days() is
  'Counts the leads, texts and dispatches of today, and of the last day that was counted. The first time it begins with today, '
  'within the first hour of a day (UTC) with yesterday.';

create function private.count_rejections() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- Not by reading the rows later: of a vendor only the newest ones are kept.
  insert into private.metric_days as m (day, metric, vendor_id, result, count)
  select (now() at time zone 'UTC')::date, 'leads', i.vendor_id, 'rejected', count(*)
  from inserted i
  group by i.vendor_id
  -- In one order, so that two transactions do not wait for each other.
  order by i.vendor_id
  on conflict on constraint metric_days_day_metric_vendor_id_result_key
    do update set count = m.count + excluded.count;
  return null;
end
$$;

comment on function private.count_rejections() is 'Trigger: counts rejected deliveries in their day.';

create trigger count_rejections
  after insert on public.rejected_deliveries
  referencing new table as inserted
  for each statement execute function private.count_rejections();

create function public.read_metrics() returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '10s'
as $$
begin
  perform private.count_metric_days();
  -- One value, because the API returns at most 1,000 rows.
  return (
    with vendor_labels as materialized (
      select v.id, case when row_number() over (order by v.created_at, v.id) < 199 then v.slug else 'other' end as vendor
      from public.vendors v
      union all
      -- A vendor may have this slug as well: then it is counted with the imports.
      select null, 'import'
    ), agency_labels as materialized (
      select a.id, case when row_number() over (order by a.created_at, a.id) < 200 then a.id::text else 'other' end as agency
      from public.agencies a
    ), orders as materialized (
      select
        case when o.place < 200 then o.id::text else 'other' end as "order",
        case when o.place < 200 then l.agency else 'other' end as agency, o.filled, o.quantity
      from (
        select p.*, row_number() over (order by p.created_at desc, p.id) as place
        from public.recruiting_orders p
        where p.status in ('open', 'paused', 'filled')
      ) o
      join agency_labels l on l.id = o.agency_id
    ), waiting as materialized (
      select l.vendor_id, 'unmatched' as distribution, count(*) as leads
      from public.recruiting_leads l
      where l.distribution = 'unmatched'
      group by l.vendor_id
      union all
      select l.vendor_id, 'pending', count(*)
      from public.recruiting_leads l
      where l.distribution = 'pending'
      group by l.vendor_id
    ), counted as materialized (
      select d.metric, d.vendor_id, d.result, sum(d.count) as count
      from private.metric_days d
      group by d.metric, d.vendor_id, d.result
    ), samples (name, labels, value) as (
      select
        'lead_intake_leads_total', jsonb_build_object('vendor', v.vendor, 'result', r.result),
        coalesce(sum(d.count), 0)
      from vendor_labels v
      cross join unnest(array['created', 'duplicate', 'rejected']) r (result)
      left join counted d
        on d.vendor_id is not distinct from v.id and d.metric = 'leads' and d.result = r.result
      group by v.vendor, r.result
      union all
      select
        'lead_intake_leads_waiting', jsonb_build_object('vendor', v.vendor, 'distribution', s.distribution),
        coalesce(sum(w.leads), 0)
      from vendor_labels v
      cross join unnest(array['unmatched', 'pending']) s (distribution)
      left join waiting w on w.vendor_id = v.id and w.distribution = s.distribution
      where v.id is not null
      group by v.vendor, s.distribution
      union all
      select f.name, jsonb_build_object('agency', o.agency, 'order', o."order"), sum(f.leads)
      from orders o
      cross join lateral (
        values ('lead_intake_order_filled', o.filled), ('lead_intake_order_quantity', o.quantity)
      ) f (name, leads)
      group by f.name, o.agency, o."order"
      union all
      select 'lead_intake_texts_total', jsonb_build_object('state', s.state), coalesce(sum(d.count), 0)
      from unnest(array['accepted', 'refused', 'failed']) s (state)
      left join counted d on d.metric = 'texts' and d.result = s.state
      group by s.state
      union all
      select 'lead_intake_texts_open', jsonb_build_object('state', s.state), (
        select count(*)
        from public.text_outbox o
        where o.state in ('pending', 'sending', 'unconfirmed') and o.state = s.state
      )
      from unnest(array['pending', 'sending', 'unconfirmed']) s (state)
      union all
      select 'lead_intake_texts_oldest_due_seconds', '{}', coalesce(extract(epoch from now() - (
        select min(o.first_due_at)
        from public.text_outbox o
        where o.state in ('pending', 'sending', 'unconfirmed')
          and o.first_due_at > '-infinity' and o.first_due_at <= now()
      )), 0)
      union all
      select 'lead_intake_dispatches_total', jsonb_build_object('state', s.state), coalesce(sum(d.count), 0)
      from unnest(array['delivered', 'rejected', 'failed']) s (state)
      left join counted d on d.metric = 'dispatches' and d.result = s.state
      group by s.state
      union all
      select 'lead_intake_dispatches_open', jsonb_build_object('state', s.state), (
        select count(*)
        from private.dispatches p
        where p.state in ('waiting', 'sending') and p.state = s.state
      )
      from unnest(array['waiting', 'sending']) s (state)
      union all
      -- What waits for a destination that is off is not due.
      select 'lead_intake_dispatches_oldest_due_seconds', '{}', coalesce(max(extract(epoch from now() - p.first_due_at)), 0)
      from public.destinations d
      cross join lateral (
        select o.first_due_at
        from private.dispatches o
        where o.destination_id = d.id and o.state in ('waiting', 'sending') and o.first_due_at <= now()
        order by o.first_due_at
        limit 1
      ) p
      where d.is_on
      union all
      select 'lead_intake_recruits_unanswered', jsonb_build_object('agency', a.agency), count(c.id)
      from agency_labels a
      left join public.recruiting_conversations c on c.agency_id = a.id and c.due_since is not null
        and c.waiting_since is not null
      group by a.agency
      union all
      select 'lead_intake_bot_sessions', jsonb_build_object('state', s.state), (
        select count(*) from public.bot_sessions b where b.state = s.state
      )
      from unnest(array['active', 'done', 'escalated', 'expired', 'stopped']) s (state)
      union all
      select 'lead_intake_alerts', jsonb_build_object('kind', r.kind, 'state', s.state), count(a.id)
      from public.alert_rules r
      cross join unnest(array['open', 'acknowledged']) s (state)
      left join public.alerts a on a.kind = r.kind and a.state = s.state and a.state <> 'resolved'
      group by r.kind, s.state
    )
    select jsonb_agg(jsonb_build_object('name', s.name, 'labels', s.labels, 'value', s.value)) from samples s
  );
end
$$;

comment on function public.read_metrics() is
  'The figures of now for a monitor: [{name, labels, value}], one for each series. Names that end in `_total` never fall. A '
  'label has at most 200 values: the newest orders and the oldest vendors and agencies, and `other` for the rest. Closed '
  'orders are omitted. The vendor `import` stands for imported sales leads.';
grant execute on function public.read_metrics() to service_role;
