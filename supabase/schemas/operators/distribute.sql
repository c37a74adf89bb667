-- Hands waiting leads out, and says where they went.

create function public.hand_out_leads(max integer, vendor_id uuid default null)
returns table (id uuid, vendor text, name text, state text, agency text, agent text, order_id uuid)
language plpgsql
set search_path = ''
set lock_timeout = '5s'
as $$
declare
  begun timestamptz;
begin
  -- Whatever is handed out from here on until the end is this call's.
  perform pg_advisory_xact_lock(private.distribution_lock());
  begun := clock_timestamp();
  perform public.distribute_waiting_leads(hand_out_leads.max, hand_out_leads.vendor_id);
  return query
    select l.id, v.slug, concat_ws(' ', l.first_name, l.last_name), l.state, g.name,
      concat_ws(' ', a.first_name, a.last_name), l.order_id
    from public.recruiting_orders o
    join public.recruiting_leads l on l.agency_id = o.agency_id and l.order_id = o.id and l.distributed_at >= begun
    join public.vendors v on v.id = l.vendor_id
    join public.agencies g on g.id = l.agency_id
    left join public.agents a on a.id = l.agent_id
    order by l.created_at, l.id;
exception when lock_not_available then
  raise exception 'Others are handing out leads, or have locked them. Try again in a moment.' using errcode = 'PT409';
end
$$;

comment on function public.hand_out_leads(integer, uuid) is
  'Hands out at most so many waiting leads, of all vendors or of one, the oldest first, and returns them with whoever got '
  'them. New leads wait meanwhile, so max is about 100. PT409 when others hold the locks for 5 s.';
grant execute on function public.hand_out_leads(integer, uuid) to service_role;
