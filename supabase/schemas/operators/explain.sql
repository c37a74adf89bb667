-- Why an order gets a lead, or does not, as of now.
--
-- Which order gets a lead is asked of private.best_order(), and which agent of private.next_agent(), so what is said
-- here is what distribution does. The reasons of the others are written here once more: the worlds of
-- supabase/tests/recruiting/distribution_model.test.sql compare both.

create type private.tried_order as (
  o public.recruiting_orders,
  place bigint,
  agency text,
  vendor text,
  vendor_name text,
  obstacle text
);

comment on type private.tried_order is
  'An order, its place among those that distribution tries, and why it gets no lead at all now (null: it may get one).';

create function public.explain_lead(lead_id uuid) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  lead public.recruiting_leads;
  best public.recruiting_orders;
begin
  select l.* into lead from public.recruiting_leads l where l.id = lead_id;
  if not found then
    raise exception 'lead_id: there is no such recruiting lead' using errcode = 'PT404';
  end if;
  best := private.best_order(lead.vendor_id, lead.state, now());

  return jsonb_build_object(
    'as_of', now(),
    'lead', (
      select jsonb_build_object(
        'id', lead.id, 'vendor', v.slug, 'state', lead.state, 'distribution', lead.distribution,
        'agency_id', lead.agency_id, 'order_id', lead.order_id,
        'distributed_at', lead.distributed_at,
        'earlier_id', (select r.earlier_id from private.lead_repeats r where r.lead_id = lead.id)
      )
      from public.vendors v
      where v.id = lead.vendor_id
    ),
    'orders', (
      select coalesce(jsonb_agg(private.order_line(t) || jsonb_build_object(
        'gets_it', coalesce((t.o).id = best.id, false),
        'reason', coalesce(
          t.obstacle,
          case when (t.o).vendor_id <> lead.vendor_id then format('wants leads of %s alone', t.vendor_name) end,
          case when (lead.state = any ((t.o).states)) is not true then 'wants leads from ' || array_to_string((t.o).states, ', ') end,
          case when (t.o).id = best.id then 'would get it, ' || private.for_agent(t.o) end,
          case when private.take_turns(t.o, best)
            then format('takes turns with order %s, which takes this one', left(best.id::text, 8)) end,
          format('order %s takes it before this order', left(best.id::text, 8))
        )
      ) order by t.place), '[]')
      from private.orders_tried() t
    )
  );
end
$$;

comment on function public.explain_lead(uuid) is
  'The orders for a lead of the vendor and state of this one, in the order in which distribution tries them, and '
  'why each would get it now or not: {as_of, lead: {id, vendor, state|null, distribution, agency_id|null, order_id|null, '
  'distributed_at|null, earlier_id|null: the lead that it repeats}, orders: [{order_id, agency_id, agency, vendor|null, states|null, priority, filled, quantity, '
  'gets_it, reason}]}. Not closed orders. PT404 for an unknown lead.';
grant execute on function public.explain_lead(uuid) to service_role;

create function public.explain_order(order_id uuid) returns jsonb
language plpgsql
stable
security definer
set search_path = ''
-- As search_leads(): it reads the leads of seven days.
set statement_timeout = '6s'
-- The leads of the last days are found by an index of times, whatever the plan before was made for.
set plan_cache_mode = force_custom_plan
set jit = off
as $$
declare
  since constant timestamptz := now() - interval '7 days';
  mine public.recruiting_orders;
  tried private.tried_order[];
  ahead public.recruiting_orders[];
  -- The orders that take turns with it for some of the same leads.
  equals uuid[];
  gets_leads boolean;
  takes_turns boolean;
  came jsonb;
begin
  perform private.require_operator();
  select o.* into mine from public.recruiting_orders o where o.id = order_id;
  if not found then
    raise exception 'order_id: there is no such order' using errcode = 'PT404';
  end if;
  tried := array(select t from private.orders_tried() t order by t.place);
  ahead := array(
    select t.o
    from unnest(tried) t
    where t.obstacle is null
      and t.place < (select own.place from unnest(tried) own where (own.o).id = mine.id)
      and coalesce((t.o).vendor_id = mine.vendor_id, true)
      and coalesce((t.o).states && mine.states, true)
  );
  equals := array(
    select (t.o).id
    from unnest(tried) t
    where t.obstacle is null
      and (t.o).id <> mine.id
      and private.take_turns(t.o, mine)
      and coalesce((t.o).vendor_id = mine.vendor_id, true)
      and coalesce((t.o).states && mine.states, true)
  );
  gets_leads := (select own.obstacle is null from unnest(tried) own where (own.o).id = mine.id)
    and private.is_best_for_some(mine, ahead);
  takes_turns := (select own.obstacle is null from unnest(tried) own where (own.o).id = mine.id)
    and equals <> '{}'
    and (
      gets_leads
      -- Once those are as full as it is.
      or private.is_best_for_some(mine, array(select a from unnest(ahead) a where a.id <> all (equals)), equals)
    );

  -- Where the leads went that the order wants.
  select jsonb_object_agg(coalesce(l.order_id::text, 'waiting'), l.leads) into came
  from (
    select l.order_id, count(*) as leads
    from public.recruiting_leads l
    where l.created_at >= since
      -- A lead that follows its person's earlier one is of no order, as these are.
      and l.distribution not in ('not_requested', 'returned', 'repeat', 'suppressed')
      and (l.order_id is not null or l.agency_id is null)
      and (mine.vendor_id is null or l.vendor_id = mine.vendor_id)
      and (mine.states is null or l.state = any (mine.states))
    group by l.order_id
  ) l;

  return jsonb_build_object(
    'as_of', now(),
    'order', (
      select jsonb_build_object(
        'order_id', mine.id, 'vendor', (select v.slug from public.vendors v where v.id = mine.vendor_id), 'states', mine.states,
        'status', mine.status, 'gets_leads', coalesce(gets_leads, false), 'takes_turns', coalesce(takes_turns, false))
    ),
    'since', since,
    'leads', (select coalesce(sum(c.value::bigint), 0) from jsonb_each_text(came) c),
    'waiting', coalesce((came ->> 'waiting')::bigint, 0),
    'orders', (
      select coalesce(jsonb_agg(private.order_line(t) || jsonb_build_object(
        'got', coalesce((came ->> (t.o).id::text)::bigint, 0),
        'gets_it', case when (t.o).id = mine.id then gets_leads else (t.o).id in (select (unnest(ahead)).id) end,
        'reason', coalesce(
          t.obstacle,
          case when (t.o).vendor_id <> mine.vendor_id then format('wants leads of %s alone', t.vendor_name) end,
          case when not (t.o).states && mine.states then 'wants leads from ' || array_to_string((t.o).states, ', ') end,
          case
            when (t.o).id = mine.id and takes_turns
              then private.turn_words(gets_leads) || case when gets_leads then ', ' || private.for_agent(t.o) else '' end
            when (t.o).id = any (equals) and takes_turns then 'takes turns with this order, and is '
              || case when (t.o).id in (select (unnest(ahead)).id) then 'ahead of it now' else 'behind it now' end
            when (t.o).id = mine.id and gets_leads then 'gets the leads that no order takes before it, ' || private.for_agent(t.o)
            when (t.o).id = mine.id then 'other orders take every lead that it wants'
            when (t.o).id in (select (unnest(ahead)).id) then 'takes leads before this order'
            else 'gets leads after this order'
          end
        )
      ) order by t.place), '[]')
      from unnest(tried) t
    )
  );
end
$$;

comment on function public.explain_order(uuid) is
  'Why an order gets leads now, or none: all orders except closed ones, in the order in which distribution tries them, and '
  'what each does to the leads that this one wants: {as_of, order: {order_id, vendor|null, states|null, status, gets_leads, '
  'takes_turns}, since, leads, waiting, orders: [{order_id, agency_id, agency, vendor|null, states|null, priority, filled, '
  'quantity, got, gets_it, reason}]}. leads: how many that it wants came since then (seven days), without those in bulk and '
  'tests; got: how many of them each order got; waiting: how many went to no order; gets_leads: whether it goes first for some '
  'lead now; takes_turns: whether it takes turns with other orders. For operators. PT404 for an unknown order; 42501 for a '
  'user who is not an operator. Security definer because operators may not read or write the tables.';
grant execute on function public.explain_order(uuid) to authenticated, service_role;

create function private.orders_tried() returns setof private.tried_order
language sql
stable
set search_path = ''
as $$
  select
    r.o,
    r.place,
    a.name,
    v.slug,
    v.name,
    case
      when (r.o).status <> 'open' then (r.o).status
      when (r.o).filled = (r.o).quantity then 'filled'
      when (r.o).starts_at > now() then 'begins ' || private.in_utc((r.o).starts_at)
      when (r.o).ends_at <= now() then 'ended ' || private.in_utc((r.o).ends_at)
      when private.room_under_cap((r.o).id, (r.o).daily_cap, now()) <= 0
        then format('has got its %s leads of today', (r.o).daily_cap)
    end
  from private.ranked_orders() r
  join public.agencies a on a.id = (r.o).agency_id
  left join public.vendors v on v.id = (r.o).vendor_id
$$;

comment on function private.orders_tried() is 'All orders except closed ones, as distribution sees them now.';

create function private.is_best_for_some(
  mine public.recruiting_orders,
  ahead public.recruiting_orders[],
  passed_over uuid[] default '{}'
) returns boolean
language plpgsql
stable
set search_path = ''
as $$
declare
  kind record;
begin
  for kind in
    -- A lead of another vendor or state would get the same as one of these: those that orders ahead name, and one
    -- that none of them names.
    select v.id as vendor_id, s.state
    from (
      select mine.vendor_id as id where mine.vendor_id is not null
      union all
      (
        select v.id
        from public.vendors v
        where mine.vendor_id is null and v.id not in (select a.vendor_id from unnest(ahead) a where a.vendor_id is not null)
        limit 1
      )
      union all
      select distinct a.vendor_id from unnest(ahead) a where mine.vendor_id is null and a.vendor_id is not null
    ) v
    cross join (
      select unnest(mine.states) as state
      union all
      select null where mine.states is null
    ) s
    -- An order ahead that takes everything leaves nothing to look for.
    where not exists (
      select
      from unnest(ahead) a
      where (a.vendor_id is null or a.vendor_id = mine.vendor_id) and (a.states is null or a.states @> mine.states)
    )
  loop
    if (private.best_order(kind.vendor_id, kind.state, now(), passed_over)).id = mine.id then
      return true;
    end if;
  end loop;
  -- Without orders ahead the loop has a vendor at least, unless there is none.
  return false;
end
$$;

comment on function private.is_best_for_some(public.recruiting_orders, public.recruiting_orders[], uuid[]) is
  'Whether there is a vendor and a state whose next lead the order gets now, without the orders in passed_over. ahead: the '
  'other orders that get leads it wants before it.';

create function private.order_line(tried private.tried_order) returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'order_id', (tried.o).id, 'agency_id', (tried.o).agency_id, 'agency', tried.agency, 'vendor', tried.vendor,
    'states', (tried.o).states, 'priority', (tried.o).priority, 'filled', (tried.o).filled, 'quantity', (tried.o).quantity)
$$;

comment on function private.order_line(private.tried_order) is
  'The fields that identify an order, for explain_lead() and explain_order().';

create function private.for_agent(o public.recruiting_orders) returns text
language sql
stable
set search_path = ''
as $$
  select case when a.id is null then 'for no agent: none of the agency is active, not away and accepts recruits'
    else 'for ' || concat_ws(' ', a.first_name, a.last_name)
      || case when a.id <> o.agent_id then (
        select ', because its own agent is ' || case when own.is_active then 'away' else 'inactive' end
        from public.agents own
        where own.id = o.agent_id
      ) else '' end
    end
  from (select private.next_agent(o.agency_id, o.agent_id) as id) n
  left join public.agents a on a.id = n.id
$$;

comment on function private.for_agent(public.recruiting_orders) is 'The agent who gets the next lead of an order, in words.';
