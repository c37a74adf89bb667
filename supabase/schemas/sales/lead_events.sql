-- What is counted of leads, by days or otherwise: each figure of leads reads this view.

create view private.lead_events with (security_invoker = true) as
select 'created' as result, l.created_at as at, l.vendor_id, l.id as lead_id, l.agency_id, l.agent_id, l.order_id,
  l.state, l.phone, l.distribution, null as reason
from public.recruiting_leads l
union all
select 'created', l.created_at, null, null, l.agency_id, l.agent_id, null, l.state, null, null, null
from public.leads l
where l.source = 'platform'
union all
select 'distributed', l.distributed_at, l.vendor_id, l.id, l.agency_id, l.agent_id, l.order_id, l.state, null, null, null
-- Order by order, because the index is of these.
from public.recruiting_orders o
join public.recruiting_leads l on l.agency_id = o.agency_id and l.order_id = o.id
union all
select 'duplicate', d.received_at, d.vendor_id, d.lead_id, l.agency_id, l.agent_id, l.order_id, l.state, null, null, null
from public.recruiting_lead_duplicates d
-- A left join is left out where nothing of its table is asked for.
left join public.recruiting_leads l on l.id = d.lead_id
union all
select 'rejected', d.received_at, d.vendor_id, null, g.id, a.id, null, null, null, null, d.reason
from public.rejected_deliveries d
left join public.agencies g on g.id = case
  when pg_input_is_valid(d.context ->> 'agency_id', 'uuid') then (d.context ->> 'agency_id')::uuid end
left join public.agents a on a.agency_id = g.id and a.id = case
  when pg_input_is_valid(d.context ->> 'agent_id', 'uuid') then (d.context ->> 'agent_id')::uuid end;

comment on view private.lead_events is
  'What happened to leads. result: `created`, `distributed` (to the agency that has the lead now), `duplicate` or '
  '`rejected`, at that time. vendor_id: null for imported sales leads. lead_id: of a recruiting lead that is stored. phone and '
  'distribution: of `created` alone; reason: of `rejected` alone.';
grant select on private.lead_events to service_role;
