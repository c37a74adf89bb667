-- The conditions of alerts about orders. Each function returns the orders for which its condition is true.

create function private.find_order_nearly_filled(threshold jsonb, checked_at timestamptz)
returns setof private.found_alert
language plpgsql
stable
set search_path = ''
as $$
declare
  share constant numeric := (threshold ->> 'percent')::numeric / 100;
  days constant numeric := threshold ->> 'days';
begin
  return query
  select
    o.id::text,
    jsonb_build_object(
      'agency', a.name, 'filled', o.filled, 'quantity', o.quantity, 'leads_7_days', recent.leads,
      'full_in_days', round(pace.days_left, 1)
    ),
    format('order %s of %s', left(o.id::text, 8), a.name), format('has %s of its %s leads', o.filled, o.quantity),
    format('order update %s --quantity %s', left(o.id::text, 8), 2 * o.quantity::bigint), '/operator/orders/' || o.id, o.agency_id
  from public.recruiting_orders o
  join public.agencies a on a.id = o.agency_id
  cross join lateral (
    select count(*) as leads
    from public.recruiting_leads l
    where l.agency_id = o.agency_id and l.order_id = o.id
      and l.distributed_at > checked_at - interval '7 days' and l.distributed_at <= checked_at
  ) recent
  -- As private.leads_per_day(), but also in the first days of an order: a warning must not wait for them.
  cross join lateral (
    select (o.quantity - o.filled) * age.days / nullif(recent.leads, 0) as days_left
    from (
      select least(7, greatest(1, extract(epoch from checked_at - greatest(o.created_at, o.starts_at)) / 86400)) as days
    ) age
  ) pace
  where o.status = 'open' and o.filled < o.quantity
    and (o.ends_at is null or o.ends_at > checked_at)
    and (o.filled >= share * o.quantity or pace.days_left <= days);
end
$$;

comment on function private.find_order_nearly_filled(jsonb, timestamptz) is
  'Open orders that have {percent} of their leads, or will be full within {days} at the pace of the last 7 days: {agency, '
  'filled, quantity, leads_7_days, full_in_days|null}. Not one that has ended.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label, summary, severity) values (
  'order_nearly_filled', 'find_order_nearly_filled', '{"percent": 90, "days": 2}',
  'Orders that are nearly full', 'Ask the agency whether it wants more leads.',
  'See the order',
  '%s orders of %s are nearly full',
  3);

create function private.find_order_filled(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language sql
stable
set search_path = ''
as $$
  select
    o.id::text, jsonb_build_object('agency', a.name, 'filled', o.filled, 'quantity', o.quantity),
    format('order %s of %s', left(o.id::text, 8), a.name), format('is full, with %s leads', o.quantity),
    'order close ' || left(o.id::text, 8), '/operator/orders/' || o.id, o.agency_id
  from public.recruiting_orders o
  join public.agencies a on a.id = o.agency_id
  where o.status = 'filled'
$$;

comment on function private.find_order_filled(jsonb, timestamptz) is
  'Orders that have all of their leads, until they are closed or get a higher quantity: {agency, filled, quantity}.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label, summary, severity) values (
  'order_filled', 'find_order_filled', '{}',
  'Full orders', 'They get no lead any more. Raise them, or close them.',
  'See the order',
  '%s orders of %s are full',
  3);
