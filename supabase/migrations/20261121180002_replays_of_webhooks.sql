set local check_function_bodies = off;

create or replace function private.replay_once (
  delivery public.rejected_deliveries,
  lead jsonb
)
  returns uuid
  language plpgsql
  set search_path to ''
  AS $function$
declare
  scope constant text := 'delivery ' || delivery.vendor_id;
  webhook_id constant jsonb := private.webhook_delivery(delivery.context -> 'webhook');
  kept constant jsonb := private.kept_result(scope, webhook_id);
  lead_id uuid;
begin
  if kept is not null then
    return kept ->> 'id';
  end if;
  lead_id := private.replay_recruiting_lead(delivery, lead);
  perform private.keep_result(
    scope, webhook_id, jsonb_build_object('id', lead_id, 'status', 'created'), '7 days');
  return lead_id;
end
$function$;

create or replace function public.replay_delivery (
  delivery_id uuid,
  lead jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  set statement_timeout to '20s'
  set lock_timeout to '5s'
  AS $function$
declare
  delivery public.rejected_deliveries;
begin
  -- A second operator waits here, and then finds it replayed.
  select * into delivery from public.rejected_deliveries d where d.id = delivery_id for update;
  if not found then
    raise exception 'delivery_id: no such delivery' using errcode = 'PT404';
  elsif delivery.status = 'dismissed' then
    raise exception 'the delivery has been dismissed' using errcode = 'PT409';
  elsif delivery.status = 'replayed' then
    return private.replayed(delivery);
  elsif coalesce(jsonb_typeof(lead), 'null') <> 'object' then
    raise exception 'lead: must be an object' using errcode = 'PT400';
  end if;

  update public.rejected_deliveries d
  set
    status = 'replayed',
    lead_id = case
      when delivery.vendor_id is null then private.replay_imported_lead(delivery, lead)
      else private.replay_once(delivery, lead)
    end
  where d.id = delivery.id
  returning * into delivery;
  return private.replayed(delivery);
end
$function$;

comment on column "public"."rejected_deliveries"."context" is 'What a replay needs besides the lead. For a row of an import: {agency_id, agent_id, distribution_id|null}. For a webhook''s delivery that is known when it comes again: {webhook: {delivery_id, part}}.';

comment on function "private"."replay_once"(public.rejected_deliveries, jsonb) is 'Does replay_recruiting_lead(), unless the same delivery of a webhook has been stored within 7 days: when it came again, or by another replay. Returns the id of the lead. PT409 while it is being stored.';

revoke all on function "private"."replay_once"(public.rejected_deliveries, jsonb) from public;

grant execute on function "private"."replay_once"(public.rejected_deliveries, jsonb) to "postgres", "service_role";
