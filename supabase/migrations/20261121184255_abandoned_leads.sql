set local check_function_bodies = off;

create or replace function public.ingest_recruiting_lead (
  key_hash text,
  lead jsonb,
  idempotency jsonb default null::jsonb,
  webhook jsonb default null::jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  set statement_timeout to '2s'
  set lock_timeout to '250ms'
  set enable_seqscan to 'off'
  AS $function$
declare
  sender_id constant uuid := public.authenticate_vendor(key_hash, webhook) ->> 'vendor_id';
  -- The caller and the route, as with every Idempotency-Key.
  scope constant text := case when webhook is null then 'ingest ' else 'webhook ' end || sender_id;
  delivery_scope constant text := 'delivery ' || sender_id;
  delivery constant jsonb := private.webhook_delivery(webhook);
  kept jsonb;
begin
  perform private.lock_lead_id((lead ->> 'id')::uuid);
  if exists (select from private.abandoned_leads a where a.lead_id = (lead ->> 'id')::uuid) then
    -- No error of the lead: sent again, it is stored under another id.
    raise exception 'the lead was abandoned' using errcode = 'object_not_in_prerequisite_state';
  end if;

  kept := private.kept_result(delivery_scope, delivery);
  if kept is not null then
    -- The id of this very lead: the call is repeated, not the delivery.
    return case when kept ->> 'id' = lead ->> 'id' then kept else private.repeated_lead(lead, (kept ->> 'id')::uuid) end;
  end if;

  return private.keep_result(
    delivery_scope,
    delivery,
    coalesce(
      private.kept_result(scope, idempotency),
      private.keep_result(scope, idempotency, private.store_recruiting_lead(sender_id, lead))
    ),
    '7 days'
  );
end
$function$;

comment on function "public"."ingest_recruiting_lead"(text, jsonb, jsonb, jsonb) is 'Stores one lead of the key''s vendor and distributes it, unless vendor_metadata.is_test is true. lead: {id, first_name, vendor_lead_id|null, vendor_metadata, resume_path|null, request_id|null, received_via|null}. The caller makes the id; a repeated call with the same id returns the first result and stores nothing. 55000 for an id that was abandoned. Returns {id, status: created, distributed_to: {agency_id, agent_id|null}|null}, with distribution: pending while it is not known where the lead goes; or {id, status: duplicate} with the id of the lead that has this vendor_lead_id. PT401 as authenticate_vendor(), PT400 without a first_name. idempotency and its errors: see private.kept_result(). webhook: see authenticate_vendor(). A delivery_id and part that stored a lead within 7 days return it as a duplicate, whatever the lead is now; PT409 while the first is still at work.';
