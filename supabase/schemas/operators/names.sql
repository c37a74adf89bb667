-- The names that people call agencies, agents, vendors and orders.

create view private.named with (security_invoker = true) as
select 'agency' as noun, a.id, a.id as agency_id, array[a.name] as names from public.agencies a
union all
select 'agent', a.id, a.agency_id, array_remove(array[concat_ws(' ', a.first_name, a.last_name), a.email], null)
from public.agents a
union all
select 'vendor', v.id, null, array[v.slug, v.name] from public.vendors v
union all
select 'order', o.id, o.agency_id, '{}' from public.recruiting_orders o;

comment on view private.named is
  'The named things: noun is agency, agent, vendor or order; the first of the names identifies it.';
grant select on private.named to service_role;

create function public.find_named(noun text, given text, agency_id uuid default null)
returns table (id uuid, name text)
language sql
stable
set search_path = ''
begin atomic
  select f.id, f.name
  from (
    select n.id, n.names[1] as name, bool_or(lower(c) = lower(given)) as is_whole,
      bool_or(bool_or(lower(c) = lower(given))) over () as has_whole
    from private.named n, unnest(n.names || n.id::text) c
    where n.noun = find_named.noun and (find_named.agency_id is null or n.agency_id = find_named.agency_id)
      and starts_with(lower(c), lower(given))
      and (c <> n.id::text or (select r.first_id from private.id_range(given) r) is not null)
    group by n.id, n.names
  ) f
  where f.is_whole or not f.has_whole
  order by f.id;
end;

comment on function public.find_named(text, text, uuid) is
  'The rows that have this name or id, in upper or lower case; else those that have one that begins so; of an id, the first '
  '8 characters at least. noun: agency, agent, vendor or order, of all agencies or of one.';
grant execute on function public.find_named(text, text, uuid) to service_role;

create function public.find_double(noun text, id uuid) returns text
language sql
stable
set search_path = ''
begin atomic
  select case
    when d.name like '%@%' then format('The e-mail address %s is that of the %s "%s" (%s)', d.name, o.noun, o.names[1], o.id)
    else format('There is the %s "%s" already (%s)', o.noun, o.names[1], o.id)
  end
  from private.named r
  join private.named o on o.noun = r.noun and o.id <> r.id
  cross join lateral unnest(r.names) as d (name)
  where r.noun = find_double.noun and r.id = find_double.id
    and lower(d.name) in (select lower(m) from unnest(o.names) m)
    -- Two agencies may have agents of the same name, but an address is one person's.
    and (r.noun <> 'agent' or o.agency_id = r.agency_id or d.name like '%@%')
  order by d.name like '%@%' desc, o.id
  limit 1;
end;

comment on function public.find_double(text, uuid) is
  'Describes another agency, agent or vendor with a name or an e-mail address of this one; null if there is none.';
grant execute on function public.find_double(text, uuid) to service_role;

create function public.find_lead(given text) returns table (id uuid, kind text, name text)
language sql
stable
set search_path = ''
begin atomic
  with found as (
    select l.id, 'recruiting' as kind, concat_ws(' ', l.first_name, l.last_name) as name, true as by_sender
    from public.vendors v
    join public.recruiting_leads l on l.vendor_id = v.id and l.vendor_lead_id = private.indexable_id(given)
    union all
    select l.id, 'sales', concat_ws(' ', l.first_name, l.last_name), true
    from public.leads l where l.external_id::text = lower(given)
    union all
    select l.id, 'recruiting', concat_ws(' ', l.first_name, l.last_name), false
    from private.id_range(given) r join public.recruiting_leads l on l.id between r.first_id and r.last_id
    union all
    select l.id, 'sales', concat_ws(' ', l.first_name, l.last_name), false
    from private.id_range(given) r join public.leads l on l.id between r.first_id and r.last_id
  )
  select f.id, f.kind, f.name from found f
  where f.by_sender or not exists (select from found o where o.by_sender)
  order by f.id;
end;

comment on function public.find_lead(text) is
  'The leads of either kind with this id of the sender''s; else with this id, or the first 8 characters of it, or more. '
  'kind: recruiting or sales.';
grant execute on function public.find_lead(text) to service_role;
