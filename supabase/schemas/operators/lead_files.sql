-- Leads that operators name, or have in a file: to store, to find and to distribute them.

create function public.distribute_named_leads(lead_ids uuid[])
returns table (
  id uuid, vendor text, name text, state text, distribution text, agency text, agent text, order_id uuid, problem text
)
language plpgsql
set search_path = ''
set statement_timeout = '60s'
set lock_timeout = '5s'
as $$
#variable_conflict use_column
declare
  chosen uuid[];
begin
  if cardinality(lead_ids) > 100 then
    raise exception 'lead_ids: must be at most 100' using errcode = 'PT400';
  end if;
  perform pg_advisory_xact_lock(private.distribution_lock());
  -- From here on, all leads wait for this call.
  perform set_config('lock_timeout', '20ms', true);
  with wanted as (
    select l.id
    from public.recruiting_leads l
    where l.id = any (lead_ids) and l.agency_id is null
      and l.distribution in ('not_requested', 'unmatched', 'pending', 'repeat')
      and l.first_name <> '(erased)' and l.vendor_metadata -> 'is_test' is distinct from 'true'
    for no key update skip locked
  ), made_pending as (
    update public.recruiting_leads l set distribution = 'pending' from wanted w where l.id = w.id returning l.id
  )
  select coalesce(array_agg(m.id), '{}') into chosen from made_pending m;
  perform private.distribute_pending(seconds => 50);

  return query
  select
    l.id, v.slug, concat_ws(' ', l.first_name, l.last_name), l.state, l.distribution, g.name,
    nullif(concat_ws(' ', a.first_name, a.last_name), ''), l.order_id,
    case
      when l.id = any (chosen) then null
      when l.vendor_metadata -> 'is_test' = 'true' then 'it is a test lead, which is never distributed'
      when l.agency_id is not null then 'an agency has it already'
      when l.distribution = 'returned' then 'it was returned, for good'
      when l.distribution = 'suppressed' then 'its person is suppressed'
      when l.first_name = '(erased)' then 'its person was erased'
      else 'others have locked it. Try again in a moment'
    end
  from unnest(lead_ids) with ordinality asked (lead_id, place)
  join public.recruiting_leads l on l.id = asked.lead_id
  join public.vendors v on v.id = l.vendor_id
  left join public.agencies g on g.id = l.agency_id
  left join public.agents a on a.id = l.agent_id
  order by asked.place;
end
$$;

comment on function public.distribute_named_leads(uuid[]) is
  'Distributes these leads as if they came now, with all pending ones, and returns each with where it went. For leads that were '
  'not to be distributed when they came (not_requested, repeat), and for waiting ones. distribution: `unmatched` if no order '
  'accepts the lead, `pending` if the orders that accept it are locked: the next distribution takes it. problem: why the lead '
  'was not tried; null: it was. A test lead, one that an agency has or has returned, and one whose person was erased are never '
  'distributed. PT400 for more than 100, because new leads wait meanwhile. 55P03 if another transaction holds the distribution lock for more than 5 s.';
grant execute on function public.distribute_named_leads(uuid[]) to service_role;

create function public.import_recruiting_leads(
  vendor_id uuid,
  leads jsonb,
  import_id uuid,
  are_distributed boolean default false
) returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '60s'
set lock_timeout = '5s'
-- private.store_recruiting_leads() does not wait for the disk if all leads are pending.
set synchronous_commit = on
as $$
declare
  results jsonb;
begin
  if are_distributed then
    perform pg_advisory_xact_lock(private.distribution_lock());
  end if;
  results := private.store_batch((
    select jsonb_agg(
      jsonb_build_object('lead', l || jsonb_build_object('request_id', import_id, 'received_via', 'bulk')) order by n)
    from jsonb_array_elements(leads) with ordinality e (l, n)
  ), import_recruiting_leads.vendor_id, are_distributed);
  perform private.require_stored(results);
  if are_distributed then
    -- Among them are those that follow an earlier lead of the file.
    perform private.distribute_pending(seconds => 50);
  end if;
  return (
    select jsonb_agg(
      case when r ->> 'status' = 'created'
        then jsonb_build_object('id', l.id, 'status', 'created', 'distribution', l.distribution) else r end order by n)
    from jsonb_array_elements(results) with ordinality e (r, n)
    left join public.recruiting_leads l on l.id = (r ->> 'id')::uuid
  );
end
$$;

comment on function public.import_recruiting_leads(uuid, jsonb, uuid, boolean) is
  'Stores leads of a vendor''s file as ingest_recruiting_lead_batch() stores those of a request, and distributes the new ones if '
  'are_distributed, except those that a repeat rule holds. leads: [{first_name, vendor_lead_id|null, vendor_metadata}]; 100 at '
  'most where they are distributed. import_id: the request_id of each. Returns [{id, status: created|duplicate, distribution} or {error: {code, message}}] in their order. 55P03 if another '
  'transaction holds the distribution lock for more than 5 s.';
grant execute on function public.import_recruiting_leads(uuid, jsonb, uuid, boolean) to service_role;

create function public.match_leads(vendor_id uuid, vendor_lead_ids text[])
returns table (
  vendor_lead_id text, result text, lead_id uuid, distribution text, received timestamptz, delivery_id uuid, reason text
)
language plpgsql
stable
set search_path = ''
-- By the indexes, also with a plan that was made while the tables were small.
set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  return query
  select
    given.id,
    case
      when l.id is not null then 'stored' when p.id is not null then 'duplicate' when d.id is not null then 'rejected'
      else 'unknown'
    end,
    coalesce(l.id, p.lead_id), l.distribution, coalesce(l.created_at, p.received_at, d.received_at), d.id, d.reason
  from unnest(vendor_lead_ids) with ordinality given (id, place)
  cross join lateral (select private.stored_lead_id(match_leads.vendor_id, given.id) as id offset 0) known
  left join lateral (
    select stored.*
    from public.recruiting_leads stored
    where stored.vendor_id = match_leads.vendor_id and stored.vendor_lead_id = known.id
    offset 0
  ) l on true
  -- A repeat rule has refused it.
  left join public.recruiting_lead_duplicates p on l.id is null and p.id = private.refused_id(match_leads.vendor_id, known.id)
  left join lateral (
    select rejected.*
    from public.rejected_deliveries rejected
    where rejected.vendor_id = match_leads.vendor_id and rejected.vendor_lead_id = private.indexable_id(given.id)
    order by rejected.received_at desc
    limit 1
  ) d on l.id is null and p.id is null
  order by given.place;
end
$$;

comment on function public.match_leads(uuid, text[]) is
  'What is known of a vendor''s own ids of leads, in their order. result: `stored`, with lead_id, distribution and when it was '
  'received; `duplicate`, because a repeat rule refused it, with the lead_id of the person''s earlier lead; `rejected`, with the '
  'latest rejected delivery of this id and its reason; or `unknown`.';
grant execute on function public.match_leads(uuid, text[]) to service_role;
