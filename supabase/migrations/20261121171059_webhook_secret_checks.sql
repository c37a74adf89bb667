set local check_function_bodies = off;

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
  end if;

  -- Before the table's own checks: their errors quote the row, and so the secret, in the server's log.
  if coalesce(kind, '') not in ('secret', 'verify_token') then
    raise exception 'kind: must be secret or verify_token' using errcode = 'PT400';
  elsif coalesce(secret, '') = '' or secret <> btrim(secret) or secret ~ '[[:cntrl:]]' or length(secret) > 1024 then
    raise exception 'secret: must be one line of 1 to 1,024 characters, without spaces around it'
      using errcode = 'PT400';
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
    raise exception 'the lead was abandoned';
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

comment on function "public"."create_vendor_webhook_secret"(text, text, text, text, timestamp
  with time zone) is 'Adds a secret to a vendor''s webhook and returns its id. kind: secret or verify_token. PT404 for an unknown slug. PT400 for a secret that the vendor''s scheme cannot use: basic takes user:password, standard takes whsec_ and base64.';
