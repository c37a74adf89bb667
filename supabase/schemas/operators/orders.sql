-- An order is made and changed by one function, which reads times in the time zone of the agency.

create function public.save_order(settings jsonb, agency_id uuid default null, order_id uuid default null)
returns public.recruiting_orders
language plpgsql
set search_path = ''
as $$
declare
  saved public.recruiting_orders;
  inactive public.agents;
  zone text;
  field text;
begin
  -- `filled` does not grow meanwhile.
  select o.* into saved from public.recruiting_orders o where o.id = order_id for no key update;
  if order_id is null then
    saved := jsonb_populate_record(saved, jsonb_build_object('id', gen_random_uuid(), 'agency_id', agency_id, 'filled', 0,
      'priority', 0, 'status', 'open'));
  elsif saved.id is null then
    raise exception 'order_id: no order %', private.quoted(order_id) using errcode = 'PT404';
  end if;
  select a.timezone into zone from public.agencies a where a.id = saved.agency_id;
  foreach field in array array['starts_at', 'ends_at'] loop
    if settings ->> field !~ 'T.*(Z|[+-]\d\d:\d\d)$' then
      settings := jsonb_set(settings, array[field], to_jsonb((settings ->> field)::timestamp at time zone zone));
    end if;
  end loop;
  saved := jsonb_populate_record(saved, settings);

  select a.* into inactive from public.agents a where a.id = saved.agent_id and not a.is_active;
  if settings ? 'agent_id' and inactive.id is not null then
    raise exception 'agent_id: % is inactive and gets no lead: npm run admin -- agent update % --active true',
      private.quoted(inactive.first_name), private.quoted(inactive.id) using errcode = 'PT400';
  elsif settings ? 'ends_at' and saved.ends_at <= now() then
    raise exception 'ends_at: % is in the past, so the order would get no lead',
      private.quoted(private.iso_time(saved.ends_at))
      using errcode = 'PT400';
  elsif private.unknown_state(settings -> 'states') is not null then
    raise exception 'states: % is no state', private.quoted(private.unknown_state(settings -> 'states')) using errcode = 'PT400';
  elsif settings ->> 'greeting_template' is not null and not private.is_greeting_template(saved.greeting_template) then
    raise exception 'greeting_template: give a text of at most 1,600 characters with {agency} and the word STOP, and no '
      'other braces than {agency}, {first_name} and {agent}. Characters are UTF-16 units: most emoji have 2 or more'
      using errcode = 'PT400';
  elsif saved.ends_at <= saved.starts_at then
    raise exception 'ends_at: % is not after the start, %', private.quoted(private.iso_time(saved.ends_at)),
      private.quoted(private.iso_time(saved.starts_at)) using errcode = 'PT400';
  elsif saved.quantity < saved.filled then
    raise exception 'quantity: % is less than the % leads it has already received',
      private.quoted(saved.quantity), private.quoted(saved.filled)
      using errcode = 'PT400';
  end if;

  insert into public.recruiting_orders as o (
    id, agency_id, agent_id, vendor_id, states, quantity, daily_cap, priority, status, starts_at, ends_at, greeting_template
  )
  values (
    saved.id, saved.agency_id, saved.agent_id, saved.vendor_id, saved.states, saved.quantity, saved.daily_cap,
    saved.priority,
    case
      when saved.status = 'open' and saved.filled = saved.quantity then 'filled'
      when saved.status = 'filled' and saved.filled < saved.quantity then 'open'
      else saved.status
    end,
    saved.starts_at, saved.ends_at, saved.greeting_template
  )
  on conflict (id) do update set
    agent_id = excluded.agent_id, vendor_id = excluded.vendor_id, states = excluded.states, quantity = excluded.quantity,
    daily_cap = excluded.daily_cap, priority = excluded.priority, status = excluded.status,
    starts_at = excluded.starts_at, ends_at = excluded.ends_at, greeting_template = excluded.greeting_template
  returning o.* into saved;
  return saved;
end
$$;

comment on function public.save_order(jsonb, uuid, uuid) is
  'Changes an order, or without order_id makes one of the agency, which is open. settings: the columns to set; null takes '
  'one away, and a time without an offset is meant in the agency''s time zone. A quantity that is reached makes the order '
  'filled, and a higher one opens it again. Returns the order. PT404 for an unknown one; PT400 names the column.';
grant execute on function public.save_order(jsonb, uuid, uuid) to service_role;

create function public.resize_order(order_id uuid, changes jsonb, seen jsonb) returns public.recruiting_orders
language plpgsql
-- An operator who is signed in has no right on orders.
security definer
set search_path = ''
-- Longer, also while many read (private.admit_request()): the operator is told of a lock.
set statement_timeout = '4s'
set lock_timeout = '2s'
as $$
declare
  stored jsonb;
  field text;
begin
  perform private.require_operator();
  select to_jsonb(o) into stored from public.recruiting_orders o where o.id = order_id for no key update;
  if stored is null then
    raise exception 'order_id: no order %', private.quoted(order_id) using errcode = 'PT404';
  elsif jsonb_typeof(changes) is distinct from 'object' then
    raise exception 'changes: must be an object' using errcode = 'PT400';
  end if;
  for field in select k from jsonb_object_keys(changes) k order by k desc loop
    if field not in ('quantity', 'daily_cap') then
      raise exception '%: is not changed here', private.quoted(field) using errcode = 'PT400';
    elsif changes ->> field !~ '^[1-9]\d{0,5}$' or (field = 'quantity' and changes -> field = 'null') then
      raise exception '%: must be a whole number from 1 to 999,999', private.quoted(field) using errcode = 'PT400';
    elsif stored -> field is distinct from seen -> field then
      raise exception '%: somebody has changed it meanwhile', private.quoted(field) using errcode = 'PT409';
    end if;
  end loop;
  perform private.note_operator_action('order update', jsonb_build_object('order_id', order_id, 'changes', changes));
  return public.save_order(changes, order_id => order_id);
exception when lock_not_available then
  raise exception 'Others have locked the order. Try again in a moment.' using errcode = 'PT409';
end
$$;

comment on function public.resize_order(uuid, jsonb, jsonb) is
  'Changes how many leads an order gets, in all and a day, and returns it. changes: {quantity, daily_cap|null}, either or both; '
  'seen: the order as the caller has read it. A quantity that is reached makes it filled, and a higher one opens it again. For '
  'operators; of one who is signed in, a row of operator_actions says so. PT404 for an unknown one; PT400 names the column; '
  'PT409 when somebody has changed it, or holds the lock for 2 s. 42501 for a user who is no operator.';
grant execute on function public.resize_order(uuid, jsonb, jsonb) to authenticated, service_role;

create function public.set_order_status(order_id uuid, status text, seen text default null) returns public.recruiting_orders
language plpgsql
-- An operator who is signed in has no right on orders.
security definer
set search_path = ''
set statement_timeout = '4s'
set lock_timeout = '2s'
as $$
declare
  changed public.recruiting_orders;
begin
  perform private.require_operator();
  -- An order is filled by its leads alone.
  if status in ('open', 'paused', 'closed') is not true then
    raise exception 'status: must be open, paused or closed' using errcode = 'PT400';
  end if;
  select o.* into changed from public.recruiting_orders o where o.id = order_id for no key update;
  if changed.id is null then
    raise exception 'order_id: no order %', private.quoted(order_id) using errcode = 'PT404';
  elsif changed.status = set_order_status.status then
    return changed;
  elsif changed.status <> seen then
    raise exception 'seen: the order is % now. Look again', private.quoted(changed.status) using errcode = 'PT409';
  end if;
  perform private.note_operator_action(
    private.order_action(status), jsonb_build_object('order_ids', array[order_id]));
  return private.put_order_status(changed, status);
exception when lock_not_available then
  raise exception 'Others have locked the order. Try again in a moment.' using errcode = 'PT409';
end
$$;

comment on function public.set_order_status(uuid, text, text) is
  'Pauses, opens or closes an order, and returns it. One that is filled can only be closed. seen: the status that the caller '
  'has read; with another one nothing is changed. For operators; of one who is signed in, a row of operator_actions says so. '
  'PT404 for an unknown one; PT400 for another status; PT409 says why it cannot be, as when others hold the lock for 2 s. '
  '42501 for a user who is no operator.';
grant execute on function public.set_order_status(uuid, text, text) to authenticated, service_role;

create function private.order_action(status text) returns text
language sql
immutable
set search_path = ''
return case status when 'open' then 'order open' when 'paused' then 'order pause' else 'order close' end;

comment on function private.order_action(text) is 'The action of operator_actions that gives an order this status.';

create function private.put_order_status(changed public.recruiting_orders, status text) returns public.recruiting_orders
language plpgsql
set search_path = ''
as $$
begin
  if put_order_status.status <> 'closed' and changed.filled = changed.quantity then
    raise exception 'The order % has all of its % leads. Give it a higher quantity first.',
      private.quoted(changed.id), private.quoted(changed.quantity)
      using errcode = 'PT409';
  elsif put_order_status.status = 'open' and changed.ends_at <= now() then
    raise exception 'The order % has ended. Give it a later end first.', private.quoted(changed.id) using errcode = 'PT409';
  elsif put_order_status.status = 'paused' and changed.status <> 'open' then
    raise exception 'The order % is %, so it gets no leads as it is.',
      private.quoted(changed.id), private.quoted(changed.status) using errcode = 'PT409';
  end if;
  update public.recruiting_orders o set status = put_order_status.status where o.id = changed.id returning o.* into changed;
  return changed;
end
$$;

comment on function private.put_order_status(public.recruiting_orders, text) is
  'Gives an order, which the caller has locked, another status, and returns it. PT409 says why it cannot have it.';

create function public.set_agency_orders(agency_id uuid, status text, order_ids uuid[])
returns setof public.recruiting_orders
language plpgsql
-- An operator who is signed in has no right on orders.
security definer
set search_path = ''
set statement_timeout = '4s'
set lock_timeout = '2s'
as $$
declare
  changed public.recruiting_orders;
begin
  perform private.require_operator();
  if status in ('open', 'paused') is not true then
    raise exception 'status: must be open or paused' using errcode = 'PT400';
  end if;
  -- A lead that an order is getting comes before. From then on distribution passes over the orders.
  perform from public.recruiting_orders o where o.agency_id = set_agency_orders.agency_id order by o.id for no key update;
  if order_ids is distinct from private.orders_to_set(agency_id, status) then
    raise exception 'order_ids: others have changed the agency''s orders meanwhile. Try again' using errcode = 'PT409';
  end if;
  for changed in
    select o.* from unnest(order_ids) with ordinality given (id, place) join public.recruiting_orders o on o.id = given.id
    order by given.place
  loop
    return next private.put_order_status(changed, status);
  end loop;
  if order_ids <> '{}' then
    perform private.note_operator_action(
      private.order_action(status), jsonb_build_object('agency_id', agency_id, 'order_ids', order_ids));
  end if;
exception when lock_not_available then
  raise exception 'Others have locked the agency''s orders. Try again in a moment.' using errcode = 'PT409';
end
$$;

comment on function public.set_agency_orders(uuid, text, uuid[]) is
  'Pauses all open orders of an agency, or opens all that are paused: all or none. order_ids: what the caller has seen, the '
  'oldest first, as private.orders_to_set() says. Returns the orders. Once it is committed, no lead goes to a paused one. Of an '
  'operator who is signed in, a row of operator_actions says so. PT409 when the agency has other such '
  'orders by now, others hold the lock for 2 s, or says why one cannot be opened; PT400 for another status. 42501 for a user '
  'who is no operator.';
grant execute on function public.set_agency_orders(uuid, text, uuid[]) to authenticated, service_role;

create function private.orders_to_set(agency_id uuid, status text) returns uuid[]
language sql
stable
set search_path = ''
return array(
  select o.id
  from public.recruiting_orders o
  where o.agency_id = orders_to_set.agency_id
    and o.status = case orders_to_set.status when 'paused' then 'open' else 'paused' end
  order by o.created_at, o.id
);

comment on function private.orders_to_set(uuid, text) is
  'The orders of an agency that set_agency_orders() would give this status, the oldest first.';
grant execute on function private.orders_to_set(uuid, text) to service_role;

create function private.iso_time(moment timestamptz) returns text
language sql
stable
set search_path = ''
return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

comment on function private.iso_time(timestamptz) is 'A time as ISO 8601 in UTC, to the millisecond.';
