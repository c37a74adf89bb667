-- The parts of an order that a manager of its agency changes. The others are the operator's.

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
  'The first of these codes that is no state of a lead (_shared/states.ts); null: each is one, or there are none.';

create function public.change_order(order_id uuid, changes jsonb, seen jsonb) returns jsonb
language plpgsql
-- Managers may not write the table. Which orders and columns they may change is decided here.
security definer
set search_path = ''
set lock_timeout = '2s'
as $$
declare
  caller constant public.agents := private.current_agent();
  saved public.recruiting_orders;
  before jsonb;
  after jsonb;
  field text;
  today integer;
begin
  if caller.id is null or caller.role <> 'manager' or not private.hold_agent(caller.id) then
    raise exception 'only a manager may change an order' using errcode = 'insufficient_privilege';
  end if;
  select o.* into saved
  from public.recruiting_orders o
  where o.id = change_order.order_id and o.agency_id = caller.agency_id
  for no key update;
  if not found then
    raise exception 'order_id: there is no such order' using errcode = 'PT404';
  elsif jsonb_typeof(changes) is distinct from 'object' then
    perform private.invalid_field('changes', 'must be an object');
  end if;
  for field in select k from jsonb_object_keys(changes) k loop
    if field not in ('status', 'daily_cap', 'states', 'greeting_template') then
      perform private.invalid_field(field, 'is not for managers to change');
    elsif to_jsonb(saved) -> field is distinct from seen -> field then
      raise exception '%: somebody has changed it meanwhile', private.quoted(field) using errcode = 'PT409';
    end if;
  end loop;

  if jsonb_typeof(changes -> 'daily_cap') = 'number' then
    today := (
      select count(*)
      from public.recruiting_leads l
      join public.agencies g on g.id = saved.agency_id
      where l.agency_id = saved.agency_id and l.order_id = saved.id
        and l.distributed_at >= private.day_start(now(), g.timezone)
    );
    if (changes ->> 'daily_cap')::numeric not between 1 and 100000 or changes ->> 'daily_cap' !~ '^\d+$' then
      perform private.invalid_field('daily_cap', 'must be a whole number from 1 to 100,000');
    elsif (changes ->> 'daily_cap')::integer < today then
      perform private.invalid_field('daily_cap', format('%s is less than the %s leads of today', changes ->> 'daily_cap', today));
    end if;
  elsif jsonb_typeof(changes -> 'daily_cap') <> 'null' then
    perform private.invalid_field('daily_cap', 'must be a whole number, or null');
  end if;
  if changes ? 'states' and not (
    changes -> 'states' = 'null'
    or jsonb_typeof(changes -> 'states') = 'array' and jsonb_array_length(changes -> 'states') between 1 and 100
      and not changes -> 'states' @? '$[*] ? (@.type() != "string" || !(@ like_regex "^[A-Z]{2}$"))'
  ) then
    perform private.invalid_field('states', 'must be two upper-case letters each, or null');
  elsif private.unknown_state(changes -> 'states') is not null then
    perform private.invalid_field('states', format('%s is no state', private.unknown_state(changes -> 'states')));
  end if;
  if changes ->> 'greeting_template' is not null and not private.is_greeting_template(changes ->> 'greeting_template') then
    perform private.invalid_field(
      'greeting_template',
      'must have {agency} and the word STOP, at most 1,600 characters, and no other braces than {agency}, {first_name} and {agent}');
  end if;

  if changes ? 'status' then
    if coalesce(changes ->> 'status', '') not in ('open', 'paused') then
      perform private.invalid_field('status', 'must be open or paused');
    elsif saved.status not in ('open', 'paused') then
      raise exception 'status: the order is %', private.quoted(saved.status) using errcode = 'PT409';
    elsif changes ->> 'status' = 'open' and saved.filled = saved.quantity then
      raise exception 'status: the order is filled' using errcode = 'PT409';
    elsif changes ->> 'status' = 'open' and saved.ends_at <= now() then
      raise exception 'status: the order has ended' using errcode = 'PT409';
    end if;
  end if;
  select jsonb_object_agg(k, to_jsonb(saved) -> k), jsonb_object_agg(k, changes -> k) into before, after
  from jsonb_object_keys(changes) k
  where to_jsonb(saved) -> k is distinct from changes -> k;
  if after is not null then
    insert into public.order_changes (agency_id, order_id, agent_id, before, after)
    values (saved.agency_id, saved.id, caller.id, before, after);
  end if;
  saved := jsonb_populate_record(saved, changes);
  update public.recruiting_orders o
  set
    status = saved.status, daily_cap = saved.daily_cap, states = saved.states, greeting_template = saved.greeting_template
  where o.id = saved.id;
  return jsonb_build_object('order_id', saved.id) || changes;
end
$$;

comment on function public.change_order(uuid, jsonb, jsonb) is
  'Changes an order of a manager''s agency. changes: any of {status: open|paused, daily_cap: number|null, states: [text]|null, '
  'greeting_template: text|null}. seen: the values of these as the caller has read them. What differs is kept in order_changes. '
  'Returns {order_id} with the changes. Errors: 22023 (HTTP 400) names the member, also a daily_cap below the leads of today and '
  'a state that does not exist; 42501 (403) when the caller is no active manager; PT404 for an order of another agency; PT409 '
  'names a member that somebody has changed meanwhile, or says that the order is filled, closed or has ended.';
grant execute on function public.change_order(uuid, jsonb, jsonb) to authenticated;
