-- Distributes waiting leads, and says where they went.

create function public.distribute_leads(max integer, vendor_id uuid default null)
returns table (id uuid, vendor text, name text, state text, agency text, agent text, order_id uuid)
language plpgsql
security definer
set search_path = ''
-- Longer than the lock timeout, also under load (private.admit_request()), so that the operator gets its error.
set statement_timeout = '4s'
set lock_timeout = '2s'
as $$
declare
  begun timestamptz;
  leads uuid[];
begin
  perform private.require_operator();
  if max is null or max not between 1 and 100 then
    raise exception 'max: must be a whole number from 1 to 100' using errcode = 'PT400';
  end if;
  -- The leads that are distributed from here on are this call's.
  perform pg_advisory_xact_lock(private.distribution_lock());
  begun := clock_timestamp();
  perform public.distribute_waiting_leads(max, distribute_leads.vendor_id);
  leads := array(
    select l.id
    from public.recruiting_orders o
    join public.recruiting_leads l on l.agency_id = o.agency_id and l.order_id = o.id and l.distributed_at >= begun
    order by l.created_at, l.id
  );
  if leads <> '{}' then
    perform private.note_operator_action('lead distribute', jsonb_strip_nulls(
      jsonb_build_object('vendor_id', distribute_leads.vendor_id, 'lead_ids', leads)));
  end if;
  return query
    select l.id, v.slug, concat_ws(' ', l.first_name, l.last_name), l.state, g.name,
      concat_ws(' ', a.first_name, a.last_name), l.order_id
    from unnest(leads) with ordinality d (lead_id, place)
    join public.recruiting_leads l on l.id = d.lead_id
    join public.vendors v on v.id = l.vendor_id
    join public.agencies g on g.id = l.agency_id
    left join public.agents a on a.id = l.agent_id
    order by d.place;
exception when lock_not_available then
  raise exception 'Others are distributing leads, or have locked them. Try again in a moment.' using errcode = 'PT409';
end
$$;

comment on function public.distribute_leads(integer, uuid) is
  'Distributes at most `max` waiting leads, of all vendors or of one, the oldest first, and returns them with the agency and '
  'the agent. For operators; for a signed-in one, it adds a row to operator_actions. PT400 unless max is from 1 to 100, '
  'because new leads wait meanwhile. PT409 if other transactions hold the lock for 2 s. 42501 for a user who is not an '
  'operator. Security definer because operators may not read or write the tables.';
grant execute on function public.distribute_leads(integer, uuid) to authenticated, service_role;

create function public.count_wanted_leads() returns table (vendor_id uuid, wanted integer, states jsonb)
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_operator();
  return query
    with tried as materialized (
      select t.o, t.place, t.agency, t.obstacle from private.orders_tried() t
    )
    select k.vendor_id, sum(case when k.best is null then 0 else k.leads end)::integer,
      jsonb_agg(jsonb_build_object(
        'state', k.state, 'leads', k.leads, 'wanted', case when k.best is null then 0 else k.leads end, 'oldest', k.oldest,
        'order', (
          select jsonb_build_object('id', (t.o).id, 'agency', t.agency,
            'vendor', (select v.slug from public.vendors v where v.id = (t.o).vendor_id), 'states', (t.o).states, 'status', (t.o).status, 'wants_state', w.is_wanted, 'obstacle', case when k.best is null then coalesce(
            t.obstacle, 'wants leads from ' || array_to_string((t.o).states, ', ')) end)
          from tried t
          cross join lateral (select coalesce((t.o).states is null or k.state = any ((t.o).states), false) as is_wanted) w
          where coalesce((t.o).vendor_id = k.vendor_id, true)
          order by (t.o).id = k.best desc nulls last, w.is_wanted desc, t.obstacle is null desc, t.place
          limit 1
        )))
    from (
      select l.vendor_id, l.state, count(*) as leads, min(l.received) as oldest,
        (private.best_order(l.vendor_id, l.state, now())).id as best
      from private.waiting_lead_list l
      group by l.vendor_id, l.state
    ) k
    group by k.vendor_id;
end
$$;

comment on function public.count_wanted_leads() is
  'Of each vendor with waiting leads the number of those that an open order wants now, which distribute_leads() tries, and by '
  'state [{state|null, leads, wanted, oldest, order: {id, agency, vendor|null, states|null, status, wants_state, obstacle|null}|null}]. order: the one that takes them first, '
  'else the nearest, with its obstacle: one that wants the state before others. An order may have room for fewer. 42501 for a user who is not an operator. Security '
  'definer because operators may not read the tables.';
grant execute on function public.count_wanted_leads() to authenticated, service_role;
