set local check_function_bodies = off;

create or replace function public.preview_recruiting_lead (
  key_hash text,
  lead jsonb
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  key_vendor_id constant uuid := public.authenticate_vendor(key_hash) ->> 'vendor_id';
  indexed_id constant text := private.indexable_id(lead ->> 'vendor_lead_id');
  is_test constant boolean := lead #> '{vendor_metadata,is_test}' is not distinct from 'true';
  existing_id uuid;
  matched public.recruiting_orders;
begin
  perform private.require_recruiting_lead(lead);

  select l.id into existing_id
  from public.recruiting_leads l
  where l.vendor_id = key_vendor_id and l.vendor_lead_id = indexed_id;

  if existing_id is null and not is_test then
    select * into matched
    from private.match_recruiting_order(key_vendor_id, upper(lead #>> '{vendor_metadata,state}'), now());
  end if;

  return jsonb_build_object(
    'status', case when existing_id is null then 'created' else 'duplicate' end,
    'id', existing_id,
    'distributed_to', private.distributed_to(
      matched.agency_id, private.next_agent(matched.agency_id, matched.agent_id))
  );
end
$function$;

comment on function "public"."preview_recruiting_lead"(text, jsonb) is 'What ingest_recruiting_lead() would do with this lead now; changes nothing. Returns {status: created|duplicate, id|null of the existing lead, distributed_to|null}. Raises the same errors.';
