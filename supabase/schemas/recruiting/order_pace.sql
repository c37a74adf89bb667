-- The agency's orders for a manager's page.

create function private.vendor_name(vendor_id uuid) returns text
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return (select v.name from public.vendors v where v.id = vendor_name.vendor_id);
end
$$;

comment on function private.vendor_name(uuid) is
  'Returns the name of a vendor; null if it does not exist. Security definer because managers may not read vendors. '
  'It returns only the name.';
grant execute on function private.vendor_name(uuid) to authenticated;
-- The day of a daily cap.
grant execute on function private.day_start(timestamptz, text) to authenticated;

create function private.leads_per_day(leads integer, begun_at timestamptz) returns numeric
language sql
stable
set search_path = ''
as $$
  select leads / least(7, extract(epoch from now() - begun_at) / 86400) where begun_at <= now() - interval '3 days'
$$;

comment on function private.leads_per_day(integer, timestamptz) is
  'The pace of an order that has got this number of leads in the last 7 days, over these days or since it began. Null in its '
  'first three days, which say little about the others.';
grant execute on function private.leads_per_day(integer, timestamptz) to authenticated;

create view public.order_pace with (security_invoker = true) as
select o.id, o.agency_id, private.vendor_name(o.vendor_id) as vendor,
  nullif(concat_ws(' ', a.first_name, a.last_name), '') as agent, o.states, o.quantity, o.filled, o.status, o.priority,
  o.daily_cap, o.greeting_template is not null as has_greeting, o.greeting_template, o.starts_at, o.ends_at, o.created_at,
  recent.leads_today, recent.leads_7_days, round(pace.per_day, 1) as per_day,
  case when o.status = 'open' and pace.per_day > 0
    then ceil((o.quantity - o.filled) / pace.per_day)::integer end as full_in_days,
  (
    select coalesce(jsonb_agg(
      jsonb_build_object('at', c.created_at, 'by', concat_ws(' ', c.first_name, c.last_name), 'before', c.before, 'after', c.after)
      order by c.created_at desc, c.id desc), '[]')
    from (
      select h.*, m.first_name, m.last_name
      from public.order_changes h
      join public.agents m on m.id = h.agent_id
      where h.agency_id = o.agency_id and h.order_id = o.id
      order by h.created_at desc, h.id desc
      limit 5
    ) c
  ) as changes
from public.recruiting_orders o
-- Agents cannot read their agency, so they see no rows.
join public.agencies g on g.id = o.agency_id
left join public.agents a on a.id = o.agent_id
cross join lateral (
  select count(*)::integer as leads_7_days,
    (count(*) filter (where l.distributed_at >= (select private.day_start(now(), g.timezone))))::integer as leads_today
  from public.recruiting_leads l
  where l.agency_id = o.agency_id and l.order_id = o.id and l.distributed_at > now() - interval '7 days'
) recent
cross join lateral private.leads_per_day(recent.leads_7_days, greatest(o.created_at, o.starts_at)) pace (per_day);

comment on view public.order_pace is
  'The orders of a manager''s agency, with the names of their vendor and agent (null: any) and their pace: '
  'leads_today (by the agency''s day), leads_7_days (the last 7 times 24 hours), per_day (over these days, or since '
  'the order began; null in its first three days), and full_in_days at this pace (null if it is not open or receives no leads). '
  'changes: the latest five of managers, newest first: [{at, by, before, after}] (see order_changes). Paginate by the '
  'last row, ordered by created_at and id.';
grant select on public.order_pace to authenticated;
