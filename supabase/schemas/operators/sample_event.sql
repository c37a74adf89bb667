-- The event on which a destination's template is tried before it is saved.

create function public.sample_event(agency_id uuid, order_id uuid default null) returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'type', 'lead.distributed', 'timestamp', private.iso_time(l.distributed_at), 'data', private.lead_event(l))
  from public.recruiting_leads l
  where l.agency_id = sample_event.agency_id and l.distribution = 'distributed'
    and (sample_event.order_id is null or l.order_id = sample_event.order_id)
  order by l.distributed_at desc
  limit 1
$$;

comment on function public.sample_event(uuid, uuid) is
  'The event `lead.distributed` of the newest lead that the agency has, of this order unless it is null; null if there is '
  'none.';
grant execute on function public.sample_event(uuid, uuid) to service_role;
