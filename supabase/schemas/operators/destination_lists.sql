-- The lists of destinations, and of what was sent, that managers of the agency and operators read (desk_lists.sql says how).

grant execute on function private.managed_agency_id() to service_role;

create view private.destination_list as
select d.id, d.agency_id, coalesce(g.name, 'operators') as agency, d.name, d.kind, d.url, d.address, d.is_on, d.off_reason, d.events,
  d.order_id, d.template, d.accepted_when, d.rejected_when, d.returns_rejected, d.max_at_once,
  array(
    select s.name from private.destination_secrets s where s.destination_id = d.id and s.kind = 'header' order by s.name
  ) as headers,
  (select count(*)::int from private.dispatches p where p.destination_id = d.id and p.state in ('waiting', 'sending')) as waiting,
  f.failed_24h,
  (select max(p.delivered_at) from private.dispatches p where p.destination_id = d.id and p.state = 'delivered') as last_delivered_at,
  d.failing_since, d.failures,
  case when d.failing_since is not null then (
    select concat_ws(' ', 'HTTP ' || p.status, nullif(p.reason, 'HTTP ' || p.status))
    from private.dispatches p
    where p.destination_id = d.id and p.attempt > 0 and p.state in ('waiting', 'failed')
    order by p.seq desc
    limit 1
  ) end as last_failure,
  d.created_at,
  concat_ws(' ',
    case when d.failing_since is not null or d.off_reason is not null then 0 when f.failed_24h > 0 then 1 when d.is_on then 3 else 2 end,
    coalesce(g.name, 'operators'), d.name) as place
from public.destinations d
left join public.agencies g on g.id = d.agency_id
cross join lateral (
  select count(*)::int as failed_24h
  from private.dispatches p
  where p.destination_id = d.id and p.state = 'failed' and p.ended_at > now() - interval '24 hours'
) f
where d.agent_id is null and ((select private.may_operate()) or d.agency_id = (select private.managed_agency_id()));

comment on view private.destination_list is 'Destinations, for operators and the managers of their agency.';
grant select on private.destination_list to authenticated, service_role;

create view public.destination_list with (security_invoker = true) as select * from private.destination_list;

comment on view public.destination_list is
  'Destinations, with the names of their headers and how their dispatches fare: waiting, failed_24h (in the last 24 hours), '
  'last_delivered_at, failing_since and failures (since the last success), last_failure (the last response while it fails). '
  'place: orders them, those that fail first, then by agency. '
  'Operators see all, also `operators`, to which alerts go; managers those of their agency.';
grant select on public.destination_list to authenticated, service_role;

create view private.dispatch_list as
select p.id, p.destination_id, d.name as destination, d.agency_id, p.event, p.lead_id, l.first_name, p.state, p.attempt, p.due_at,
  p.status, p.excerpt, p.reason, p.delivered_at, p.created_at, p.seq
from private.dispatches p
join public.destinations d on d.id = p.destination_id
left join public.recruiting_leads l on l.id = p.lead_id
where d.agent_id is null and ((select private.may_operate()) or d.agency_id = (select private.managed_agency_id()));

comment on view private.dispatch_list is 'Dispatches without their bodies, for operators and the managers of their agency.';
grant select on private.dispatch_list to authenticated, service_role;

create view public.dispatch_list with (security_invoker = true) as select * from private.dispatch_list;

comment on view public.dispatch_list is
  'Dispatches without their bodies, which show_dispatch() has. first_name: of the lead; status, excerpt, reason: of the last '
  'response. Ask for pages by seq.';
grant select on public.dispatch_list to authenticated, service_role;
