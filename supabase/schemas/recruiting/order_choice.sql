-- Chooses the order for a lead of this vendor and state.
--
-- recruiting_order_choices_best_idx must agree with the choice of the first order, and private.leads_for_order() with
-- which orders accept a lead. supabase/tests/recruiting/distribution_model.test.sql models both.
--
-- An order that accepts leads has a row for each of its states, so the best order is the first entry of an index,
-- however many orders there are.

create function private.keep_order_choices() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  is_open constant boolean := new.status = 'open' and new.filled < new.quantity;
begin
  if tg_op = 'UPDATE' then
    -- As each lead changes it.
    if is_open
      and (old.vendor_id, old.states, old.priority, old.status) is not distinct from
        (new.vendor_id, new.states, new.priority, new.status)
    then
      update private.recruiting_order_choices c
      set share = new.filled::numeric / new.quantity
      where c.order_id = new.id;
      if found then
        return null;
      end if;
    end if;
    delete from private.recruiting_order_choices c where c.order_id = new.id;
  end if;

  if is_open then
    insert into private.recruiting_order_choices (order_id, vendor_id, state, priority, share, created_at)
    select
      new.id, coalesce(new.vendor_id, '00000000-0000-0000-0000-000000000000'), wanted.state, new.priority,
      new.filled::numeric / new.quantity, new.created_at
    from (select distinct unnest(coalesce(new.states, '{""}')) as state) wanted;
  end if;
  return null;
end
$$;

comment on function private.keep_order_choices() is
  'Trigger: maintains the rows of an order in recruiting_order_choices.';

create trigger keep_order_choices
  after insert or update of vendor_id, states, priority, quantity, filled, status on public.recruiting_orders
  for each row execute function private.keep_order_choices();

create function private.best_order(
  vendor_id uuid,
  state text,
  moment timestamptz,
  passed_over uuid[] default '{}'
) returns public.recruiting_orders
-- Not a SQL function, which would be planned at each call.
language plpgsql
stable
set search_path = ''
-- The planner would scan a small table completely, and the cached plan outlives the small size.
set enable_seqscan = off
as $$
declare
  chosen public.recruiting_orders;
begin
  -- Up to four searches, for this vendor or any, and this state or any. Each ends at the first order that fits.
  select (best.o).* into chosen
  from (values ('00000000-0000-0000-0000-000000000000'), (best_order.vendor_id)) as wanted (vendor)
  cross join (values (''), (best_order.state)) as from_state (state)
  cross join lateral (
    select o, c.priority, c.share, c.created_at, c.order_id
    from private.recruiting_order_choices c
    join public.recruiting_orders o on o.id = c.order_id
    where c.vendor_id = wanted.vendor
      and c.state = from_state.state
      -- A vendor's own id may be all zeros. Written so that no index on vendors is used.
      and coalesce(o.vendor_id, best_order.vendor_id) = best_order.vendor_id
      and o.id <> all (passed_over)
      and (o.starts_at is null or o.starts_at <= moment)
      and (o.ends_at is null or o.ends_at > moment)
      and (o.daily_cap is null or o.daily_cap > coalesce(
        (
          select d.leads
          from private.recruiting_order_days d
          where d.order_id = o.id and d.starts_at <= moment and d.ends_at > moment
        ),
        0
      ))
    order by c.priority desc, c.share, c.created_at, c.order_id
    limit 1
  ) best
  order by best.priority desc, best.share, best.created_at, best.order_id
  limit 1;
  return chosen;
end
$$;

comment on function private.best_order(uuid, text, timestamptz, uuid[]) is
  'Returns the order for a lead of this vendor and state (null: unknown) at this moment, or null. The highest '
  'priority is first, then the smallest filled share, then the oldest order. Skips the orders in passed_over.';

create function private.leads_before_rival(chosen_order public.recruiting_orders, rival public.recruiting_orders)
returns integer
language plpgsql
immutable
set search_path = ''
as $$
declare
  -- The rival's share of the chosen order's quantity.
  product constant bigint := rival.filled::bigint * chosen_order.quantity;
  is_older constant boolean := (chosen_order.created_at, chosen_order.id) < (rival.created_at, rival.id);
  last_filled bigint;
begin
  if rival.id is null or rival.priority < chosen_order.priority then
    return chosen_order.quantity - chosen_order.filled;
  elsif rival.priority > chosen_order.priority then
    return 0;
  end if;
  -- If the shares are equal, the older order is first.
  last_filled := (product - case when is_older then 0 else 1 end) / rival.quantity;
  return greatest(least(last_filled + 1, chosen_order.quantity) - chosen_order.filled, 0);
end
$$;

comment on function private.leads_before_rival(public.recruiting_orders, public.recruiting_orders) is
  'Returns the number of consecutive leads that the chosen order receives before the rival is the better choice or '
  'the quantity is reached. The rival is the result of best_order() without the chosen order; null if there is none.';
