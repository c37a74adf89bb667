-- The settings of a destination, and what they may be.

create function private.destination_problem(changes jsonb, kind text) returns text
language plpgsql
stable
set search_path = ''
as $$
declare
  known constant text[] := '{kind,url,address,events,order_id,template,accepted_when,rejected_when,returns_rejected,max_at_once,headers}';
  known_events constant text[] := '{lead.distributed,lead.returned,lead.reassigned,recruit.replied,recruit.screened,recruit.opted_out,'
    'recruit.stage_changed,recruit.erased}';
  setting record;
begin
  if jsonb_typeof(changes) is distinct from 'object' then
    return 'changes: must be an object';
  end if;
  for setting in select c.name, c.value, jsonb_typeof(c.value) as type, c.value #>> '{}' as given from jsonb_each(changes) c (name, value) loop
    if setting.name <> all (known) then
      return format('%s: there is no such setting', private.quoted(setting.name));
    elsif setting.name in ('url', 'template', 'accepted_when', 'rejected_when') and kind <> 'webhook' and setting.type <> 'null' then
      return format('%s: only a webhook has one', setting.name);
    elsif (case setting.name
      when 'kind' then setting.given is distinct from kind
      when 'url' then not coalesce(setting.type = 'string' and private.is_destination_url(setting.given), false)
      when 'address' then kind <> 'email' or setting.given !~ '^[^\s@]+@[^\s@]+\.[^\s@]+$' or length(setting.given) > 320
        or setting.type <> 'string'
      when 'events' then setting.type <> 'array' or setting.value = '[]' or exists (
        select from jsonb_array_elements(setting.value) e where e #>> '{}' <> all (known_events) or jsonb_typeof(e) <> 'string')
      when 'order_id' then setting.type <> 'null' and setting.given !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
      when 'returns_rejected' then setting.type <> 'boolean'
      when 'max_at_once' then setting.type <> 'number' or setting.given !~ '^([1-9]|1[0-6])$'
      when 'headers' then setting.type <> 'object'
      else setting.type not in ('string', 'null') or setting.given = ''
        or length(setting.given) > case setting.name when 'template' then 4000 else 1000 end
    end) then
      return setting.name || ': ' || case setting.name
        when 'kind' then 'must be webhook or email, and stays as it is'
        when 'url' then 'must be https with the name of a host, and without user information'
        when 'address' then 'must be the address of an e-mail destination'
        when 'events' then 'must be a list of: ' || array_to_string(known_events, ', ')
        when 'order_id' then 'must be the id of an order, or null'
        when 'returns_rejected' then 'must be true or false'
        when 'max_at_once' then 'must be from 1 to 16'
        when 'headers' then 'must be an object'
        else 'must be an expression of at most ' || case setting.name when 'template' then '4,000' else '1,000' end || ' characters'
      end;
    end if;
  end loop;
  return (
    select case
      when h.name !~ '^[A-Za-z0-9!#$%&''*+.^_`|~-]{1,128}$'
        or lower(h.name) ~ '^(webhook-|content-|proxy-|sec-)|^(host|connection|transfer-encoding|te|trailer|upgrade|expect|keep-alive|cookie)$'
        then 'headers: a request cannot have this header of its own'
      else 'headers: a value must be one line of 1 to 1,024 characters, or null'
    end
    from jsonb_each(case jsonb_typeof(changes -> 'headers') when 'object' then changes -> 'headers' else '{}' end) h (name, value)
    where h.name !~ '^[A-Za-z0-9!#$%&''*+.^_`|~-]{1,128}$'
      or lower(h.name) ~ '^(webhook-|content-|proxy-|sec-)|^(host|connection|transfer-encoding|te|trailer|upgrade|expect|keep-alive|cookie)$'
      or jsonb_typeof(h.value) not in ('string', 'null')
      or jsonb_typeof(h.value) = 'string' and (h.value #>> '{}' !~ '^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$' or length(h.value #>> '{}') > 1024)
    limit 1
  );
end
$$;

comment on function private.destination_problem(jsonb, text) is
  'Why a destination of this kind cannot have these settings, naming the setting and never a header''s value; null: it can.';

create function private.add_signing_secret(destination_id uuid) returns text
language plpgsql
set search_path = ''
as $$
declare
  made constant text := 'whsec_' || encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'base64');
begin
  update private.destination_secrets s
  set expires_at = least(s.expires_at, now() + interval '1 day')
  where s.destination_id = add_signing_secret.destination_id and s.kind = 'signing';
  insert into private.destination_secrets (destination_id, kind, secret) values (destination_id, 'signing', made);
  return made;
end
$$;

comment on function private.add_signing_secret(uuid) is
  'Adds a new secret, with which requests to the destination are signed, and returns it. The old one signs for a day more.';

create function public.save_destination(agency_id uuid, name text, changes jsonb) returns jsonb
language plpgsql
security definer
set search_path = ''
set lock_timeout = '2s'
as $$
declare
  owner_id constant uuid := coalesce(agency_id, private.managed_agency_id());
  given_name constant text := lower(btrim(name));
  headers constant jsonb := changes -> 'headers';
  is_new boolean := false;
  chosen_events text[];
  destination public.destinations;
  problem text;
begin
  if not private.may_manage(owner_id) then
    if private.may_operate() then
      raise exception 'agency_id: is missing' using errcode = 'PT400';
    end if;
    raise exception 'only a manager of the agency or an operator may do this' using errcode = '42501';
  elsif coalesce(given_name, '') !~ '^[a-z0-9][a-z0-9-]{0,62}$' then
    raise exception 'name: must have 1 to 63 letters from a to z, digits and -, and begin with no -' using errcode = 'PT400';
  elsif not exists (select from public.agencies a where a.id = owner_id) then
    raise exception 'agency_id: there is no such agency' using errcode = 'PT404';
  end if;
  select d.* into destination from public.destinations d where d.agency_id = owner_id and d.name = given_name and d.agent_id is null
  for no key update;
  if not found then
    is_new := true;
    destination.kind := case changes ->> 'kind' when 'email' then 'email' else 'webhook' end;
  end if;
  problem := coalesce(
    private.destination_problem(changes, destination.kind),
    case when is_new and not changes ?| array['url', 'address'] then case destination.kind when 'email' then 'address' else 'url' end || ': is missing' end);
  if problem is not null then
    raise exception '%', private.quoted(problem, 400) using errcode = 'PT400';
  elsif not exists (
    select
    where changes ->> 'order_id' is null
    union all
    select from public.recruiting_orders o where o.id = (changes ->> 'order_id')::uuid and o.agency_id = owner_id
  ) then
    raise exception 'order_id: the agency has no such order' using errcode = 'PT404';
  end if;

  if changes ? 'events' then
    chosen_events := array(select distinct e from jsonb_array_elements_text(changes -> 'events') e order by 1);
  end if;
  if is_new then
    insert into public.destinations as d (agency_id, name, kind, url, address, events)
    values (
      owner_id, given_name, destination.kind, changes ->> 'url', changes ->> 'address',
      coalesce(chosen_events, '{lead.distributed,lead.returned,recruit.erased}'))
    returning d.* into destination;
  end if;
  update public.destinations d
  set
    url = coalesce(changes ->> 'url', d.url),
    address = coalesce(changes ->> 'address', d.address),
    events = coalesce(chosen_events, d.events),
    order_id = case when changes ? 'order_id' then (changes ->> 'order_id')::uuid else d.order_id end,
    template = case when changes ? 'template' then changes ->> 'template' else d.template end,
    accepted_when = case when changes ? 'accepted_when' then changes ->> 'accepted_when' else d.accepted_when end,
    rejected_when = case when changes ? 'rejected_when' then changes ->> 'rejected_when' else d.rejected_when end,
    returns_rejected = coalesce((changes ->> 'returns_rejected')::boolean, d.returns_rejected),
    max_at_once = coalesce((changes ->> 'max_at_once')::integer, d.max_at_once)
  where d.id = destination.id;

  delete from private.destination_secrets s
  where s.destination_id = destination.id and s.kind = 'header'
    and lower(s.name) in (select lower(h.name) from jsonb_object_keys(headers) h (name));
  insert into private.destination_secrets (destination_id, kind, name, secret)
  select distinct on (lower(h.name)) destination.id, 'header', h.name, h.value
  from jsonb_each_text(headers) h (name, value)
  where h.value is not null
  order by lower(h.name);
  if (select count(*) from private.destination_secrets s where s.destination_id = destination.id and s.kind = 'header') > 3 then
    raise exception 'headers: a destination has at most 3' using errcode = 'PT400';
  end if;

  if is_new then
    perform private.note_operator_action(
      'destination create', jsonb_build_object('destination_id', destination.id, 'agency_id', owner_id));
  else
    perform private.note_operator_action('destination update', jsonb_build_object(
      'destination_id', destination.id,
      'changed', (select coalesce(jsonb_agg(k order by k), '[]') from jsonb_object_keys(changes) k)));
  end if;
  return jsonb_strip_nulls(jsonb_build_object(
    'id', destination.id, 'name', destination.name, 'kind', destination.kind,
    'secret', case when is_new and destination.kind = 'webhook' then private.add_signing_secret(destination.id) end));
exception when unique_violation then
  raise exception 'name: another destination of the agency was created with it meanwhile. Try again.' using errcode = 'PT409';
end
$$;

comment on function public.save_destination(uuid, text, jsonb) is
  'Creates the destination of this name of the agency, or changes it. agency_id null: the manager''s own. changes: {kind '
  '(webhook unless it is email), url, address, events, order_id|null, template|null, accepted_when|null, rejected_when|null, '
  'returns_rejected, max_at_once, headers: {name: value|null}}; omitted settings stay unchanged, null removes one. The caller '
  'has checked the expressions. Returns {id, name, kind, secret}: secret, `whsec_...`, only of a new webhook, and never again. '
  'PT400 names the setting; PT404 for an unknown agency or order; PT409 if two create it at once; 42501 for a user who is '
  'neither a manager of the agency nor an operator. Security definer because users may not read or write the tables.';
grant execute on function public.save_destination(uuid, text, jsonb) to authenticated, service_role;
