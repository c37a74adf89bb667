set local check_function_bodies = off;

create or replace function public.distribute_pending_leads (
  lead_id uuid,
  other_lead_ids uuid[] default '{}'::uuid[]
)
  returns jsonb
  language plpgsql
  set search_path to ''
  set statement_timeout to '2s'
  set lock_timeout to '250ms'
  set enable_seqscan to 'off'
  set plan_cache_mode to 'force_generic_plan'
  AS $function$
declare
  lead_ids constant uuid[] := lead_id || other_lead_ids;
  is_complete boolean := false;
  is_pending boolean;
  leads jsonb;
begin
  if exists (select from public.recruiting_leads l where l.id = any (lead_ids) and l.distribution = 'pending') then
    if private.take_distribution_lock() then
      is_complete := private.distribute_pending();
    end if;
  end if;

  select
    coalesce(bool_or(l.distribution = 'pending'), false),
    coalesce(jsonb_object_agg(l.id, jsonb_build_object(
      'distribution', l.distribution,
      'distributed_to', private.distributed_to(l.agency_id, l.agent_id)
    )), '{}')
  into is_pending, leads
  from public.recruiting_leads l
  where l.id = any (lead_ids);

  return coalesce(leads -> lead_id::text, '{"distribution": null, "distributed_to": null}')
    || case when is_complete and is_pending then '{"order_is_locked": true}' else '{}' end::jsonb
    || case when other_lead_ids <> '{}' then jsonb_build_object('others', leads - lead_id::text) else '{}' end;
end
$function$;

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
  set plan_cache_mode to 'force_generic_plan'
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
