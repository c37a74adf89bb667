set local check_function_bodies = off;

create or replace function private.find_result (
  scope text,
  idempotency jsonb
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return (
    select k.result
    from private.idempotency_keys k
    where k.scope = find_result.scope
      and k.key = idempotency ->> 'key'
      and k.part = (idempotency ->> 'part')::integer
      and k.created_at > now() - k.retention
  );
end
$function$;

create or replace function private.kept_result (
  scope text,
  idempotency jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if idempotency is null then
    return null;
  end if;

  -- Held until the transaction ends. So of two requests at once only one goes on, and the other does not wait.
  if not pg_try_advisory_xact_lock(
    hashtextextended(format('idempotency %s %s %s', scope, idempotency ->> 'part', idempotency ->> 'key'), 0)
  ) then
    raise exception 'the first request with this Idempotency-Key or webhook id is still at work' using errcode = 'PT409';
  end if;

  -- Another body may have other parts, so all parts are compared.
  if exists (
    select
    from private.idempotency_keys k
    where k.scope = kept_result.scope
      and k.key = idempotency ->> 'key'
      and k.request_hash <> idempotency ->> 'request_hash'
      and k.created_at > now() - k.retention
  ) then
    raise exception 'Idempotency-Key: the key came before with another body' using errcode = 'PT422';
  end if;

  return private.find_result(scope, idempotency);
end
$function$;

create or replace function public.create_vendor_webhook_secret (
  vendor_slug text,
  kind text,
  secret text,
  label text,
  expires_at timestamp with time zone default null::timestamp with time zone
)
  returns uuid
  language plpgsql
  set search_path to ''
  AS $function$
declare
  vendor public.vendors;
  new_id uuid;
begin
  select v.* into vendor from public.vendors v where v.slug = create_vendor_webhook_secret.vendor_slug;
  if not found then
    raise exception 'vendor_slug: no vendor "%"', vendor_slug using errcode = 'PT404';
  elsif kind = 'secret' and vendor.webhook_scheme = 'basic' and secret !~ '^[^:]+:.' then
    raise exception 'secret: must be user:password' using errcode = 'PT400';
  elsif kind = 'secret' and vendor.webhook_scheme = 'standard'
    and secret !~ '^(whsec_)?[A-Za-z0-9+/_-]{4,}={0,2}$'
  then
    raise exception 'secret: must be whsec_ and base64' using errcode = 'PT400';
  end if;

  insert into private.vendor_webhook_secrets (vendor_id, kind, secret, label, expires_at)
  values (
    vendor.id,
    create_vendor_webhook_secret.kind,
    create_vendor_webhook_secret.secret,
    create_vendor_webhook_secret.label,
    create_vendor_webhook_secret.expires_at
  )
  returning id into new_id;
  return new_id;
end
$function$;

create or replace function public.preview_recruiting_lead (
  key_hash text,
  lead jsonb,
  webhook jsonb default null::jsonb
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  set statement_timeout to '2s'
  AS $function$
declare
  sender_id constant uuid := public.authenticate_vendor(key_hash, webhook) ->> 'vendor_id';
  indexed_id constant text := private.indexable_id(lead ->> 'vendor_lead_id');
  is_test constant boolean := lead #> '{vendor_metadata,is_test}' is not distinct from 'true';
  existing_id uuid := private.find_result('delivery ' || sender_id, private.webhook_delivery(webhook)) ->> 'id';
  matched public.recruiting_orders;
begin
  perform private.require_recruiting_lead(lead);

  if existing_id is null then
    select l.id into existing_id
    from public.recruiting_leads l
    where l.vendor_id = sender_id and l.vendor_lead_id = indexed_id;
  end if;

  if existing_id is null and not is_test then
    select * into matched
    from private.match_recruiting_order(sender_id, upper(lead #>> '{vendor_metadata,state}'), now());
  end if;

  return jsonb_build_object(
    'status', case when existing_id is null then 'created' else 'duplicate' end,
    'id', existing_id,
    'distributed_to', private.distributed_to(
      matched.agency_id, private.next_agent(matched.agency_id, matched.agent_id))
  );
end
$function$;

comment on function "private"."find_result"(text, jsonb) is 'The kept result of a request that came before, or null, without a look at whether one is at work now. idempotency: see private.kept_result().';

revoke all on function "private"."find_result"(text, jsonb) from public;

grant execute on function "private"."find_result"(text, jsonb) to "postgres", "service_role";
