-- A vendor's mapping, which an operator edits in a browser beside the lead that it makes of a payload.

create view private.mapping_list as
select v.id as vendor_id, v.slug as vendor, v.name, v.is_active, jsonb_pretty(v.parser_config) as parser_config,
  md5(v.parser_config::text) as version
from public.vendors v
where v.parser = 'mapping' and (select private.may_operate());

grant select on private.mapping_list to authenticated, service_role;

create view public.mapping_list with (security_invoker = true) as select * from private.mapping_list;

comment on view public.mapping_list is
  'Vendors whose parser is mapping, with their parser_config as a text of JSON. version: what save_mapping() takes as `seen`.';
grant select on public.mapping_list to authenticated, service_role;

create function public.mapping_samples(vendor_id uuid, delivery_id uuid default null)
returns table(kind text, id uuid, received_at timestamptz, vendor_lead_id text, status text, reason text)
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_operator();
  return query
  select s.kind, s.id, s.received_at, s.vendor_lead_id, s.status, s.reason
  from (
    (
      select 'delivery' as kind, d.id, d.received_at, d.vendor_lead_id, d.status, d.reason
      from public.rejected_deliveries d
      where d.vendor_id = mapping_samples.vendor_id and d.payload is not null
      order by d.received_at desc
      limit 20
    )
    union
    select 'delivery', d.id, d.received_at, d.vendor_lead_id, d.status, d.reason
    from public.rejected_deliveries d
    where d.id = mapping_samples.delivery_id and d.vendor_id = mapping_samples.vendor_id and d.payload is not null
    union all
    select 'lead', l.id, l.created_at, l.vendor_lead_id, null, null
    from (
      select n.id
      from public.recruiting_leads n
      where n.vendor_id = mapping_samples.vendor_id and n.created_at > now() - interval '30 days'
      order by n.created_at desc
      limit 10
    ) newest
    join public.recruiting_leads l on l.id = newest.id
    where l.vendor_metadata ? 'vendor_fields'
  ) s
  order by s.kind, s.received_at desc;
end
$$;

comment on function public.mapping_samples(uuid, uuid) is
  'The payloads on which a vendor''s mapping can be tried: its newest 20 rejected deliveries whose payload is kept whole, '
  'delivery_id among them if it is one, and of its newest 10 leads those that still have vendor_fields. Newest first, '
  'deliveries before leads. status and reason are those of a delivery, and null for a lead. 42501 for a user who is not an '
  'operator. Security definer because operators may not read or write the tables.';
grant execute on function public.mapping_samples(uuid, uuid) to authenticated, service_role;

create function public.read_sample(action_id uuid) returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  -- A person who edits a mapping reads one payload after each change, for up to a working day.
  subject constant jsonb := private.noted_subject(action_id, 'mapping try', '12 hours');
  sample jsonb;
begin
  if subject ? 'delivery_id' then
    select jsonb_build_object(
      'kind', 'delivery', 'vendor_id', d.vendor_id, 'route', d.route, 'row', d.row, 'payload', jsonb_pretty(d.payload))
    into sample
    from public.rejected_deliveries d
    where d.id = (subject ->> 'delivery_id')::uuid and d.vendor_id is not null and d.payload is not null;
  elsif subject ? 'lead_id' then
    select jsonb_build_object(
      'kind', 'lead', 'vendor_id', l.vendor_id, 'first_name', l.first_name, 'vendor_lead_id', l.vendor_lead_id,
      'metadata', l.vendor_metadata::text, 'payload', jsonb_pretty(l.vendor_metadata -> 'vendor_fields'))
    into sample
    from public.recruiting_leads l
    where l.id = (subject ->> 'lead_id')::uuid and l.vendor_metadata ? 'vendor_fields';
  end if;
  if sample is null then
    raise exception 'action_id: its payload is not kept' using errcode = 'PT404';
  end if;
  return sample;
end
$$;

comment on function public.read_sample(uuid) is
  'A payload on which a mapping is tried, as texts of JSON: {kind: delivery, vendor_id, route, row|null, payload}, or {kind: '
  'lead, vendor_id, first_name, vendor_lead_id|null, metadata, payload: its vendor_fields}. action_id: what '
  'begin_operator_action(''mapping try'', {delivery_id} or {lead_id}) has returned to the same user in the last 12 hours. '
  'PT404 also if the payload is no longer kept. Other errors as private.noted_subject(). Security definer because operators '
  'may not read or write the tables.';
grant execute on function public.read_sample(uuid) to authenticated;

create function public.save_mapping(vendor_id uuid, parser_config jsonb, seen text) returns text
language plpgsql
set search_path = ''
set lock_timeout = '5s'
as $$
declare
  saved public.vendors;
begin
  select v.* into saved from public.vendors v where v.id = save_mapping.vendor_id for no key update;
  if not found then
    raise exception 'vendor_id: there is no such vendor' using errcode = 'PT404';
  elsif saved.parser is distinct from 'mapping' then
    raise exception 'vendor_id: its parser is %, which has no mapping',
      private.quoted(coalesce(saved.parser, 'none')) using errcode = 'PT409';
  elsif jsonb_typeof(save_mapping.parser_config) is distinct from 'object' then
    raise exception 'parser_config: must be an object' using errcode = 'PT400';
  elsif saved.parser_config = save_mapping.parser_config then
    -- Already saved: the response to the first call was lost, or another operator saved the same.
    return md5(saved.parser_config::text);
  elsif seen is distinct from md5(saved.parser_config::text) then
    raise exception 'parser_config: somebody has changed it meanwhile' using errcode = 'PT409';
  end if;
  update public.vendors v set parser_config = save_mapping.parser_config where v.id = saved.id;
  return md5(save_mapping.parser_config::text);
end
$$;

comment on function public.save_mapping(uuid, jsonb, text) is
  'Saves the mapping of a vendor, and returns its new version. The edge function calls it after it has checked the '
  'expressions, which the database cannot, and after begin_operator_action(''mapping save'') has recorded who saves. seen: the '
  'version that was edited, of mapping_list. PT404 for an unknown vendor; PT400 if it is not an object; PT409 for a vendor of '
  'another parser, and if another mapping was saved since.';
grant execute on function public.save_mapping(uuid, jsonb, text) to service_role;
