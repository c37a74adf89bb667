-- Leads as an operator asks for them: those that came, and those of which something is known.

create function public.list_leads(
  of_vendor uuid default null,
  of_agency uuid default null,
  of_agent uuid default null,
  of_order uuid default null,
  of_distribution text default null,
  since date default null,
  until date default null,
  timezone text default 'UTC',
  after uuid default null,
  max_leads integer default 50,
  of_state text default null,
  distributed_since date default null,
  distributed_until date default null
) returns table (
  id uuid, received timestamptz, vendor text, vendor_lead_id text, name text, phone text, email text, state text,
  distribution text, distributed_at timestamptz, agency text, agent text, agency_id uuid, agent_id uuid, order_id uuid,
  returned_at timestamptz, return_reason text
)
language plpgsql
stable
set search_path = ''
-- The best index depends on the filters that are given.
set plan_cache_mode = force_custom_plan
set jit = off
as $$
declare
  -- The index of an order's leads has the agency first.
  agency_of_order constant uuid := (select o.agency_id from public.recruiting_orders o where o.id = of_order);
  after_received timestamptz;
begin
  perform private.today_in(timezone);
  if after is not null then
    select l.created_at into after_received from public.recruiting_leads l where l.id = after;
    if not found then
      raise exception 'after: there is no lead %', private.quoted(after) using errcode = 'PT404';
    end if;
  end if;

  return query
  select
    l.id, l.created_at, v.slug, l.vendor_lead_id, concat_ws(' ', l.first_name, l.last_name), l.phone, l.email, l.state,
    l.distribution, l.distributed_at, g.name, nullif(concat_ws(' ', a.first_name, a.last_name), ''), l.agency_id,
    l.agent_id, l.order_id, l.returned_at, l.return_reason
  from private.lead_places l
  join public.vendors v on v.id = l.vendor_id
  left join public.agencies g on g.id = l.agency_id
  left join public.agents a on a.id = l.agent_id
  where l.is_last
    and (of_vendor is null or l.vendor_id = of_vendor)
    and (of_agency is null or l.agency_id = of_agency)
    and (of_agent is null or l.agent_id = of_agent)
    and (of_order is null or l.agency_id = agency_of_order and l.order_id = of_order)
    and (of_distribution is null or l.distribution = of_distribution)
    and (of_state is null or l.state = of_state)
    and (after is null or (l.created_at, l.id) < (after_received, after))
    -- An index has no days of agencies. Wherever a day is, it neither begins nor ends a whole day away from UTC's.
    and (since is null or l.created_at >= (since - 1)::timestamp at time zone 'UTC')
    and (until is null or l.created_at < (until + 2)::timestamp at time zone 'UTC')
    and (since is null or l.created_at >= since::timestamp at time zone coalesce(g.timezone, list_leads.timezone))
    and (until is null or l.created_at < (until + 1)::timestamp at time zone coalesce(g.timezone, list_leads.timezone))
    and (distributed_since is null or l.distributed_at >= distributed_since::timestamp at time zone g.timezone)
    and (distributed_until is null or l.distributed_at < (distributed_until + 1)::timestamp at time zone g.timezone)
    -- No lead is distributed before it comes.
    and (distributed_until is null or l.created_at < (distributed_until + 2)::timestamp at time zone 'UTC')
  order by l.created_at desc, l.id desc
  limit max_leads;
end
$$;

comment on function public.list_leads(
  uuid, uuid, uuid, uuid, text, date, date, text, uuid, integer, text, date, date
) is
  'A page of the recruiting leads, the newest first. of_vendor to of_distribution, and of_state: only leads that have this; '
  'null: all. since and until: days on which they came, both included, in the time zone of the lead''s agency, else in this '
  'one. distributed_since and distributed_until: days of the agency on which they were distributed. after: the last lead of '
  'the page before. A page holds what is older than that lead, so leads that arrive meanwhile are neither repeated nor '
  'skipped. A returned lead has the agency, agent and order that had it. PT400 for an unknown time zone, PT404 for an '
  'unknown after.';
grant execute on function public.list_leads(
  uuid, uuid, uuid, uuid, text, date, date, text, uuid, integer, text, date, date
) to service_role;

create function public.find_leads(search text, max_each integer default 50)
returns table (
  kind text, id uuid, sender text, sender_id text, name text, phone text, email text, state text, received timestamptz,
  by_sender_id boolean
)
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_custom_plan
set jit = off
as $$
declare
  given constant text := btrim(search);
  wanted constant text := lower(given);
  wanted_id constant text := private.indexable_id(given);
  separators constant text := ' ()-.+/';
  -- Without the US country code
  plain constant text := regexp_replace(regexp_replace(given, '\D', '', 'g'), '^1(\d{10})$', '\1');
  -- Null for what is no phone number as a person writes it, or is too short to be one
  digits constant text := case when given ~ '^[+\d\s().-]+$' and length(plain) >= 7 then plain end;
  -- The digits in their order, whatever stands between them: a tenth of the time of taking the separators out.
  nearly constant text := regexp_replace('%' || digits, '(\d)', '\1%', 'g');
  first_id uuid;
  last_id uuid;
begin
  if coalesce(given, '') = '' then
    raise exception 'search: must not be blank' using errcode = 'PT400';
  end if;
  select r.first_id, r.last_id into first_id, last_id from private.id_range(given) r;

  return query
  select
    'recruiting', l.id, v.slug, l.vendor_lead_id, concat_ws(' ', l.first_name, l.last_name), l.phone, l.email,
    l.distribution, l.created_at, coalesce(l.vendor_lead_id = wanted_id, false)
  from public.recruiting_leads l
  join public.vendors v on v.id = l.vendor_id
  where l.vendor_lead_id = wanted_id
    or l.request_id = given
    or wanted in (lower(l.email), lower(l.first_name), lower(l.last_name))
    or (wanted like '% %' and lower(concat_ws(' ', l.first_name, l.last_name)) = wanted)
    or (l.phone like nearly and right(translate(l.phone, separators, ''), length(digits)) = digits)
    or l.id between first_id and last_id
  order by coalesce(l.vendor_lead_id = wanted_id, false) desc, l.created_at desc
  limit max_each;

  return query
  select
    'sales', l.id, l.source, l.external_id::text, concat_ws(' ', l.first_name, l.last_name), l.phone, l.email, l.status,
    l.created_at, l.external_id::text = wanted
  from public.leads l
  where l.external_id::text = wanted
    or wanted in (lower(l.email), lower(l.first_name), lower(l.last_name))
    or (wanted like '% %' and lower(concat_ws(' ', l.first_name, l.last_name)) = wanted)
    or (
      coalesce(l.phone_e164, l.phone) like nearly
      and right(translate(coalesce(l.phone_e164, l.phone), separators, ''), length(digits)) = digits
    )
    or l.id between first_id and last_id
  order by l.external_id::text = wanted desc, l.created_at desc
  limit max_each;

  -- A delivery has no columns for what a lead has, so its payload is searched.
  return query
  select
    'delivery', d.id, coalesce(v.slug, 'import'), d.vendor_lead_id, null::text, null::text, null::text,
    d.status || ': ' || d.reason, d.received_at, coalesce(d.vendor_lead_id = wanted_id, false)
  from public.rejected_deliveries d
  left join public.vendors v on v.id = d.vendor_id
  cross join lateral (select lower(coalesce(d.payload::text, d.payload_text)) as content) p
  where d.vendor_lead_id = wanted_id
    or d.request_id = given
    or strpos(p.content, wanted) > 0
    or (p.content like nearly and strpos(translate(p.content, separators, ''), digits) > 0)
    or d.id between first_id and last_id
  order by coalesce(d.vendor_lead_id = wanted_id, false) desc, d.received_at desc
  limit max_each;
end
$$;

comment on function public.find_leads(text, integer) is
  'Leads of both kinds (`recruiting`, `sales`) and rejected deliveries (`delivery`), by the sender''s own id, a request''s id, '
  'a phone, an e-mail address, a name, or the first 8 characters of an id or more. state: a recruiting lead''s distribution, a '
  'sales lead''s status, a delivery''s status and reason. Of each kind those with this very sender''s id (by_sender_id) come '
  'first, then the newest. Reads every lead. PT400 for a blank search.';
grant execute on function public.find_leads(text, integer) to service_role;

create function private.id_range(beginning text, out first_id uuid, out last_id uuid)
language plpgsql
immutable
set search_path = ''
as $$
declare
  given constant text := lower(btrim(beginning));
  lowest constant text := given || substr('00000000-0000-0000-0000-000000000000', length(given) + 1);
begin
  if length(given) >= 8 and lowest ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    first_id := lowest;
    last_id := given || substr('ffffffff-ffff-ffff-ffff-ffffffffffff', length(given) + 1);
  end if;
end
$$;

comment on function private.id_range(text) is
  'The first and the last id that begin with a text of at least 8 characters: an index of ids finds such a range. Null if the '
  'text is not the beginning of an id. Fewer than 8 characters may be a sender''s own id.';

create function private.today_in(timezone text) returns date
language plpgsql
stable
set search_path = ''
as $$
begin
  return (now() at time zone timezone)::date;
exception
  when invalid_parameter_value then
    raise exception 'timezone: "%" is not an IANA time zone name', private.quoted(timezone) using errcode = 'PT400';
end
$$;

comment on function private.today_in(text) is 'Returns the current day in this time zone. PT400 for an unknown one.';
