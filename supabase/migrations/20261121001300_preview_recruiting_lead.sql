create function public.preview_recruiting_lead(key_hash text, lead jsonb) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  key_vendor_id constant uuid := public.authenticate_vendor(key_hash) ->> 'vendor_id';
  key constant text := private.bounded_key(lead ->> 'vendor_lead_id');
  is_test constant boolean := 'true' in (lead -> 'is_test', lead #> '{vendor_metadata,is_test}');
  existing_id uuid;
  matched public.recruiting_orders;
begin
  perform private.require_recruiting_lead(lead);

  select l.id into existing_id
  from public.recruiting_leads l
  where l.vendor_id = key_vendor_id and l.vendor_lead_id = key;

  if existing_id is null and is_test is not true then
    select * into matched
    from private.match_recruiting_order(key_vendor_id, upper(lead #>> '{vendor_metadata,state}'), now());
  end if;

  return jsonb_build_object(
    'status', case when existing_id is null then 'created' else 'duplicate' end,
    'id', existing_id,
    'order_id', matched.id,
    'distributed_to', private.distributed_to(
      matched.agency_id, private.next_agent(matched.agency_id, matched.agent_id))
  );
end
$$;

comment on function public.preview_recruiting_lead(text, jsonb) is
  'What ingest_recruiting_lead() would do with the same arguments now, changing nothing: {status: created|duplicate, '
  'id|null of the existing lead, order_id|null, distributed_to|null}. The same errors.';
grant execute on function public.preview_recruiting_lead(text, jsonb) to service_role;
