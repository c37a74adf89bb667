-- Orders: who may change which column, and which values an order may have.

create function public.create_order(agency_id uuid, settings jsonb) returns public.recruiting_orders
language plpgsql
security definer
set search_path = ''
as $$
declare
  created public.recruiting_orders;
begin
  perform private.require_operator();
  if not exists (select from public.agencies a where a.id = create_order.agency_id) then
    raise exception 'agency_id: there is no such agency' using errcode = 'PT404';
  end if;
  insert into public.recruiting_orders (agency_id, quantity) values (create_order.agency_id, 1) returning * into created;
  perform private.check_changes(
    to_jsonb(created), settings, null,
    '{daily_cap,states,greeting_template,quantity,priority,agent_id,vendor_id,starts_at,ends_at}', 'is no setting of an order');
  created := private.save_order(private.changed_order(created, '{"quantity": null}' || settings));
  perform private.note_operator_action('order create', jsonb_build_object(
    'order_id', created.id, 'agency_id', created.agency_id, 'changes', settings));
  return created;
end
$$;

comment on function public.create_order(uuid, jsonb) is
  'Creates an order of an agency, which is open, and returns it. settings: quantity, and any other columns that change_order() '
  'takes, whose errors it has. PT404 for an unknown agency. For operators; for a signed-in one, it adds a row to '
  'operator_actions. Security definer because operators may not write orders.';
grant execute on function public.create_order(uuid, jsonb) to authenticated, service_role;

create function private.save_order(saved public.recruiting_orders) returns public.recruiting_orders
language sql
set search_path = ''
as $$
  update public.recruiting_orders o
  set
    status = saved.status, daily_cap = saved.daily_cap, states = saved.states, greeting_template = saved.greeting_template,
    quantity = saved.quantity, priority = saved.priority, agent_id = saved.agent_id, vendor_id = saved.vendor_id,
    starts_at = saved.starts_at, ends_at = saved.ends_at
  where o.id = saved.id
  returning o.*
$$;

comment on function private.save_order(public.recruiting_orders) is 'Stores what change_order() may change, and returns the order.';

create function public.change_order(order_id uuid, changes jsonb, seen jsonb default null) returns public.recruiting_orders
language plpgsql
security definer
set search_path = ''
-- Longer than the lock timeout, also under load (private.admit_request()), so that the caller gets its error.
set statement_timeout = '4s'
set lock_timeout = '2s'
as $$
declare
  caller constant public.agents := private.current_agent();
  is_manager constant boolean := coalesce(caller.role = 'manager' and private.lock_active_agent(caller.id), false);
  is_operator constant boolean := private.is_operator();
  operates constant boolean := is_operator or caller.id is null and private.may_operate();
  stored public.recruiting_orders;
  saved public.recruiting_orders;
  columns text[];
  today integer;
  before jsonb;
  after jsonb;
begin
  if not (operates or is_manager) then
    raise exception 'only a manager or an operator may change an order' using errcode = 'insufficient_privilege';
  end if;
  select o.* into stored
  from public.recruiting_orders o
  where o.id = change_order.order_id and (operates or o.agency_id = caller.agency_id)
  for no key update;
  if not found then
    raise exception 'order_id: there is no such order' using errcode = 'PT404';
  end if;

  columns := case
    when not operates then '{status,daily_cap,states,greeting_template}'::text[]
    when not is_operator then
      '{status,daily_cap,states,greeting_template,quantity,priority,agent_id,vendor_id,starts_at,ends_at}'
    when is_manager and stored.agency_id = caller.agency_id then '{status,daily_cap,states,greeting_template,quantity}'
    else '{status,daily_cap,greeting_template,quantity}'
  end;
  perform private.check_changes(
    to_jsonb(stored), changes, seen, columns, case when operates then 'is not for operators to change' else 'is not for managers to change' end);

  saved := private.changed_order(stored, changes);
  if saved.status is distinct from stored.status then
    perform private.check_order_status(stored.status, saved, operates);
  end if;
  if not operates and changes ->> 'daily_cap' is not null then
    today := (
      select count(*)
      from public.recruiting_leads l
      join public.agencies g on g.id = saved.agency_id
      where l.agency_id = saved.agency_id and l.order_id = saved.id
        and l.distributed_at >= private.day_start(now(), g.timezone)
    );
    if saved.daily_cap < today then
      perform private.invalid_field('daily_cap', format('%s is less than the %s leads of today', saved.daily_cap, today));
    end if;
  end if;
  if saved.status in ('open', 'filled') then
    saved.status := case when saved.filled = saved.quantity then 'filled' else 'open' end;
  end if;

  select jsonb_object_agg(k, to_jsonb(stored) -> k), jsonb_object_agg(k, to_jsonb(saved) -> k) into before, after
  from jsonb_object_keys(changes) k
  where to_jsonb(stored) -> k <> to_jsonb(saved) -> k;
  if after is null then
    return stored;
  elsif not operates then
    insert into public.order_changes (agency_id, order_id, agent_id, before, after)
    values (stored.agency_id, stored.id, caller.id, before, after);
  elsif after - 'status' = '{}' then
    perform private.note_operator_action(
      case saved.status when 'open' then 'order open' when 'paused' then 'order pause' else 'order close' end,
      jsonb_build_object('order_ids', array[stored.id]));
  else
    perform private.note_operator_action('order update', jsonb_build_object('order_id', stored.id, 'changes', after));
  end if;
  return private.save_order(saved);
exception when lock_not_available then
  raise exception 'Others have locked the order. Try again in a moment.' using errcode = 'PT409';
end
$$;

comment on function public.change_order(uuid, jsonb, jsonb) is
  'Changes an order and returns it as it is now. changes: the new values of columns; null takes one away. Managers change '
  'status (open or paused), daily_cap, states and greeting_template of the orders of their agency; operators status (also '
  'closed), daily_cap, greeting_template and quantity of any order; the service role all columns. A time without an offset is '
  'in the agency''s time zone. A quantity that is reached makes the order filled, and a higher one opens it again. seen: the '
  'values of these columns as the caller has read them; null: nothing is compared. A column that already has its new value is '
  'not a change. order_changes records the changes of managers, operator_actions those of operators. Errors: 22023 (HTTP 400) '
  'names the column; 42501 (403) for a user who is neither an active manager nor an operator; PT404 for an unknown order or '
  'that of another agency; PT409 names a column that was changed since, or says why the order cannot have this status, or that '
  'its lock was held for 2 s. Security definer because neither managers nor operators may write orders. It decides which orders '
  'and columns each of them may change.';
grant execute on function public.change_order(uuid, jsonb, jsonb) to authenticated;
grant execute on function public.change_order(uuid, jsonb, jsonb) to service_role;

create function private.changed_order(stored public.recruiting_orders, changes jsonb) returns public.recruiting_orders
language plpgsql
set search_path = ''
as $$
declare
  zone constant text := (select a.timezone from public.agencies a where a.id = stored.agency_id);
  saved public.recruiting_orders;
  inactive public.agents;
  field text;
begin
  foreach field in array array['quantity', 'daily_cap'] loop
    if (changes -> field)::text !~ '^[1-9]\d{0,5}$' and not (field = 'daily_cap' and changes -> field = 'null') then
      perform private.invalid_field(field, 'must be a whole number from 1 to 999,999');
    end if;
  end loop;
  if changes ? 'states' and not (
    changes -> 'states' = 'null'
    or jsonb_typeof(changes -> 'states') = 'array' and jsonb_array_length(changes -> 'states') between 1 and 100
      and not changes -> 'states' @? '$[*] ? (@.type() != "string" || !(@ like_regex "^[A-Z]{2}$"))'
  ) then
    perform private.invalid_field('states', 'must be two upper-case letters each, or null');
  elsif private.unknown_state(changes -> 'states') is not null then
    perform private.invalid_field('states', format('%s is no state', private.unknown_state(changes -> 'states')));
  elsif not private.is_greeting_template(changes ->> 'greeting_template') then
    perform private.invalid_field('greeting_template', 'give a text of at most 1,600 characters with {agency} and the word STOP, '
      'and no other braces than {agency}, {first_name} and {agent}. Characters are UTF-16 units: most emoji have 2 or more');
  end if;
  foreach field in array array['starts_at', 'ends_at'] loop
    if changes ->> field !~ 'T.*(Z|[+-]\d\d:\d\d)$' then
      changes := jsonb_set(changes, array[field], to_jsonb((changes ->> field)::timestamp at time zone zone));
    end if;
  end loop;
  saved := jsonb_populate_record(stored, changes);

  select a.* into inactive from public.agents a where a.id = (changes ->> 'agent_id')::uuid and not a.is_active;
  if found then
    perform private.invalid_field('agent_id', format('%s is inactive and gets no lead: npm run admin -- agent update %s --active true',
      private.quoted(inactive.first_name), inactive.id));
  elsif changes ? 'ends_at' and saved.ends_at <= now() then
    perform private.invalid_field(
      'ends_at', format('%s is in the past, so the order would get no lead', private.iso_time(saved.ends_at)));
  elsif saved.ends_at <= saved.starts_at then
    perform private.invalid_field(
      'ends_at', format('%s is not after the start, %s', private.iso_time(saved.ends_at), private.iso_time(saved.starts_at)));
  elsif saved.quantity < saved.filled then
    perform private.invalid_field(
      'quantity', format('%s is less than the %s leads it has already received', saved.quantity, saved.filled));
  end if;
  return saved;
end
$$;

comment on function private.changed_order(public.recruiting_orders, jsonb) is
  'The row of an order with these changes. 22023 names the column with an invalid value. The status is not checked.';

create function private.check_order_status(stored_status text, saved public.recruiting_orders, operates boolean) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- Only leads fill an order.
  if saved.status in ('open', 'paused') is not true and (operates and saved.status = 'closed') is not true then
    perform private.invalid_field(
      'status', case when operates then 'must be open, paused or closed' else 'must be open or paused' end);
  elsif not operates and stored_status not in ('open', 'paused') then
    raise exception 'status: the order is %', private.quoted(stored_status) using errcode = 'PT409';
  elsif saved.status <> 'closed' and saved.filled = saved.quantity then
    raise exception 'The order % has all of its % leads. Give it a higher quantity first.',
      private.quoted(saved.id::text), private.quoted(saved.quantity::text)
      using errcode = 'PT409';
  elsif saved.status = 'open' and saved.ends_at <= now() then
    raise exception 'The order % has ended. Give it a later end first.', private.quoted(saved.id::text) using errcode = 'PT409';
  elsif saved.status = 'paused' and stored_status <> 'open' then
    raise exception 'The order % is %, so it gets no leads as it is.',
      private.quoted(saved.id::text), private.quoted(stored_status) using errcode = 'PT409';
  end if;
end
$$;

comment on function private.check_order_status(text, public.recruiting_orders, boolean) is
  'Refuses a status that an order cannot have: 22023 for another word, PT409 says why.';

create function private.unknown_state(states jsonb) returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return (
    select state
    from jsonb_array_elements_text(case jsonb_typeof(states) when 'array' then states end) state
    where state <> all (regexp_split_to_array(
      'AL AK AS AZ AR AA AE AP CA CO CT DE DC FL GA GU HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ
      NM NY NC ND MP OH OK OR PA PR RI SC SD TN TX UT VT VI VA WA WV WI WY',
      '\s+'))
    limit 1
  );
end
$$;

comment on function private.unknown_state(jsonb) is
  'Returns the first of these codes that is not a state of a lead (_shared/states.ts); null if there is none.';
