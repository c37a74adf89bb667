-- The alert about an open order that can't fill.

create function private.find_order_stalled(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language sql
stable
set search_path = ''
as $$
  select
    o.id::text,
    jsonb_build_object('agency', a.name) || case
      -- Of several reasons the first: while an order has ended, nothing else matters.
      when o.ends_at <= checked_at then
        jsonb_build_object('reason', 'ended', 'ends_at', o.ends_at, 'missing', remaining.leads, 'quantity', o.quantity)
      when not v.is_active then jsonb_build_object('reason', 'vendor_inactive', 'vendor', v.slug)
      when private.next_agent(o.agency_id, o.agent_id) is null then
        jsonb_build_object('reason', 'no_agent', 'agency_id', o.agency_id)
      else jsonb_build_object(
        'reason', 'capped', 'possible', remaining.days * o.daily_cap, 'missing', remaining.leads,
        'daily_cap', ceil(remaining.leads::numeric / greatest(remaining.days, 1))
      )
    end
  from public.recruiting_orders o
  join public.agencies a on a.id = o.agency_id
  left join public.vendors v on v.id = o.vendor_id
  -- Days of the agency, with today and the last one.
  cross join lateral (
    select ((o.ends_at - interval '1 microsecond') at time zone a.timezone)::date
      - (greatest(o.starts_at, checked_at) at time zone a.timezone)::date + 1 as days,
      o.quantity - o.filled as leads
  ) remaining
  where o.status = 'open' and o.filled < o.quantity
    and (
      o.ends_at <= checked_at
      or not v.is_active
      or private.next_agent(o.agency_id, o.agent_id) is null
      or remaining.days * o.daily_cap < remaining.leads
    )
$$;

comment on function private.find_order_stalled(jsonb, timestamptz) is
  'Open orders that can''t fill: they have ended, their vendor is inactive, their agency has nobody for them, or their daily '
  'cap times the days left is less than the leads left.';
