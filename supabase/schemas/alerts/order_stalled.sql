-- The alert about an open order that can't fill.

create function private.find_order_stalled(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language sql
stable
set search_path = ''
as $$
  with orders as materialized (
    select
      o.id, left(o.id::text, 8) as name, o.agency_id, a.name as agency, o.ends_at, o.quantity, o.daily_cap, v.slug as vendor, v.name as vendor_name,
      left_over.*,
      case
        -- Of several reasons the first: while an order has ended, nothing else matters.
        when o.ends_at <= checked_at then 'ended'
        when not v.is_active then 'vendor_inactive'
        when private.next_agent(o.agency_id, o.agent_id) is null then 'no_agent'
        when left_over.days * o.daily_cap < left_over.leads then 'capped'
      end as reason,
      ceil(left_over.leads::numeric / greatest(left_over.days, 1)) as cap
    from public.recruiting_orders o
    join public.agencies a on a.id = o.agency_id
    left join public.vendors v on v.id = o.vendor_id
    -- Days of the agency, with today and the last one.
    cross join lateral (
      select ((o.ends_at - interval '1 microsecond') at time zone a.timezone)::date
        - (greatest(o.starts_at, checked_at) at time zone a.timezone)::date + 1 as days,
        o.quantity - o.filled as leads
    ) left_over
    where o.status = 'open' and o.filled < o.quantity
  )
  select
    o.id::text, jsonb_build_object('agency', o.agency, 'reason', o.reason) || w.details,
    format('order %s of %s', o.name, o.agency), w.problem, w.command, '/operator/orders/' || o.id, o.agency_id
  from orders o
  cross join lateral (
    values
      (
        'ended', jsonb_build_object('ends_at', o.ends_at, 'missing', o.leads, 'quantity', o.quantity),
        format('ended %s, %s of %s leads short', private.in_utc(o.ends_at), o.leads, o.quantity), 'order close ' || o.name
      ),
      (
        'vendor_inactive', jsonb_build_object('vendor', o.vendor),
        format('wants leads of %s, which is inactive', o.vendor_name), format('vendor update %s --active true', o.vendor)
      ),
      (
        'no_agent', jsonb_build_object('agency_id', o.agency_id),
        'gives its leads to no agent, because none of its agency is active, not away and accepts recruits',
        'agent list --agency ' || left(o.agency_id::text, 8)
      ),
      (
        'capped', jsonb_build_object('possible', o.days * o.daily_cap, 'missing', o.leads, 'daily_cap', o.cap),
        format('can get %s of its %s missing leads until its end, by its daily cap', o.days * o.daily_cap, o.leads),
        format('order update %s --daily-cap %s', o.name, o.cap)
      )
  ) w (reason, details, problem, command)
  where o.reason is not null and w.reason = o.reason
$$;

comment on function private.find_order_stalled(jsonb, timestamptz) is
  'Open orders that can''t fill: they have ended, their vendor is inactive, their agency has nobody for them, or their daily '
  'cap times the days left is less than the leads left.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label, summary) values (
  'order_stalled', 'find_order_stalled', '{}',
  'Orders that can''t fill', 'Change these open orders, or close them.',
  'See the order',
  '%s orders of %s can''t fill');
