-- Chooses the order for a lead of this vendor and state. supabase/tests/recruiting/distribution_model.test.sql models it.
--
-- The order of recruiting_order_choices_best_idx, of best_order() and of ranked_orders() is one rule; take_turns() and
-- turn_words() state it for operators. Which leads an order wants is asked by best_order() and leads_for_order().
--
-- An order that accepts leads has a row for each of its states, so the best order is the first entry of an index,
-- however many orders there are.

create table private.recruiting_order_choices (
  order_id uuid not null references public.recruiting_orders (id) on delete cascade,
  vendor_id uuid not null,
  state text not null,
  priority integer not null,
  share numeric not null,
  created_at timestamptz not null,
  primary key (order_id, state)
)
-- Leaves room in each page for a new version of a row.
with (fillfactor = 50);

create index recruiting_order_choices_best_idx on private.recruiting_order_choices (
  vendor_id, state, priority desc, share, created_at, order_id
);

comment on table private.recruiting_order_choices is
  'The orders that are open and not full, one row for each of their states, in the order in which they receive leads. '
  'Maintained by a trigger. Dates and daily caps are not included.';
comment on column private.recruiting_order_choices.vendor_id is 'All zeros for an order for any vendor.';
comment on column private.recruiting_order_choices.state is 'Empty for an order for any state.';
comment on column private.recruiting_order_choices.share is 'The received part of its quantity.';

alter table private.recruiting_order_choices enable row level security;
grant select, insert, update, delete on private.recruiting_order_choices to service_role;

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

create function private.leads_for_order(
  chosen public.recruiting_orders,
  pending private.pending_lead[],
  moment timestamptz,
  passed_over uuid[]
) returns integer
language plpgsql
set search_path = ''
as $$
declare
  lead private.pending_lead;
  kind text;
  -- For each vendor and state, the number of leads before another order is better for such a lead.
  kinds text[] := '{}';
  bounds integer[] := '{}';
  bound integer;
  leads integer := 0;
begin
  foreach lead in array pending loop
    if kind is distinct from lead.vendor_id || coalesce(lead.state, '') then
      kind := lead.vendor_id || coalesce(lead.state, '');
      bound := bounds[array_position(kinds, kind)];
      if bound is null then
        bound := 0;
        if (chosen.vendor_id is null or chosen.vendor_id = lead.vendor_id)
          and (chosen.states is null or lead.state = any (chosen.states))
        then
          bound := private.leads_before_rival(
            chosen, private.best_order(lead.vendor_id, lead.state, moment, passed_over));
        end if;
        kinds := kinds || kind;
        bounds := bounds || bound;
      end if;
    end if;
    exit when leads >= bound;
    leads := leads + 1;
  end loop;
  -- A rival may have changed since the order was chosen.
  return greatest(leads, 1);
end
$$;

comment on function private.leads_for_order(public.recruiting_orders, private.pending_lead[], timestamptz, uuid[]) is
  'Returns the number of these leads, from the first, that the chosen order receives when they are distributed in '
  'sequence: until it is full, or another order that is not in passed_over is better for the next lead. At least one. '
  'Ignores the daily cap.';

create function private.ranked_orders() returns table (o public.recruiting_orders, place bigint)
language sql
stable
set search_path = ''
as $$
  select
    o,
    row_number() over (
      order by (o.status = 'open' and o.filled < o.quantity) desc, o.priority desc, o.filled::numeric / o.quantity,
        o.created_at, o.id
    )
  from public.recruiting_orders o
  where o.status <> 'closed'
$$;

comment on function private.ranked_orders() is
  'All orders but closed ones, in the order in which best_order() tries them; first those that are open and not full, the '
  'only ones that it tries.';

create function private.take_turns(one public.recruiting_orders, other public.recruiting_orders) returns boolean
language sql
immutable
set search_path = ''
return one.priority = other.priority;

comment on function private.take_turns(public.recruiting_orders, public.recruiting_orders) is
  'Returns whether two orders that want the same leads take turns, so that neither is first for all of them.';

create function private.turn_words(is_first boolean) returns text
language sql
immutable
set search_path = ''
return 'takes turns with orders of its priority'
  || case when is_first then ', and is ahead of them now' else ': the least filled gets the next lead' end;

comment on function private.turn_words(boolean) is
  'Describes an order that takes turns with others: one that is first now for some lead, or one that is not.';
