-- The authentication of requests.

create extension if not exists pgcrypto with schema extensions;

create function public.authenticate_vendor(key_hash text, webhook jsonb default null) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  vendor public.vendors;
begin
  select v.* into vendor from public.vendors v where v.id = private.proved_vendor(key_hash, webhook);
  if not found then
    -- One message for every reason, so that a stranger learns nothing about keys, webhooks and vendors.
    raise exception '%', private.quoted(case when webhook is null then 'invalid API key' else 'invalid webhook secret' end)
      using errcode = 'PT401';
  end if;

  return jsonb_build_object(
    'vendor_id', vendor.id,
    'parser', vendor.parser,
    'parser_config', vendor.parser_config,
    'rate_limit', vendor.rate_limit
  );
end
$$;

comment on function public.authenticate_vendor(text, jsonb) is
  'Returns the vendor whose key has this SHA-256 (lower-case hex): {vendor_id, parser|null, parser_config, '
  'rate_limit|null}. PT401 if the key is unknown, expired or revoked, or the vendor is inactive. webhook: {secret_id, '
  'delivery_id|null, part} of a webhook request, instead of a key, after its proof was verified with this secret. '
  'PT401 if the secret has been removed since, the vendor is inactive, or its webhook is off.';
grant execute on function public.authenticate_vendor(text, jsonb) to service_role;

create function public.identify_vendor(key_hash text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  vendor constant jsonb := public.authenticate_vendor(key_hash);
begin
  -- Not in authenticate_vendor(), which each writing function calls: requests would wait for each other.
  update public.vendor_api_keys k
  set last_used_at = now()
  where k.id = (
    select used.id
    from public.vendor_api_keys used
    where used.key_hash = identify_vendor.key_hash
      and (used.last_used_at is null or used.last_used_at < now() - interval '1 minute')
    for no key update skip locked
  );
  return vendor;
end
$$;

comment on function public.identify_vendor(text) is
  'Returns the result or error of authenticate_vendor(), and records the use of the key at most once a minute.';
grant execute on function public.identify_vendor(text) to service_role;

create function private.proved_vendor(key_hash text, webhook jsonb) returns uuid
language plpgsql
stable
set search_path = ''
as $$
begin
  if webhook is null then
    return (select k.vendor_id from private.valid_api_keys k where k.key_hash = proved_vendor.key_hash);
  end if;
  return (
    select s.vendor_id
    from private.vendor_webhook_secrets s
    join public.vendors v on v.id = s.vendor_id
    where s.id = (webhook ->> 'secret_id')::uuid
      -- A fetched lead is proved by the token that fetched it.
      and s.kind in ('secret', 'access_token')
      and s.revoked_at is null
      and (s.expires_at is null or s.expires_at > now())
      and v.is_active
      and v.webhook_scheme is not null
  );
end
$$;

comment on function private.proved_vendor(text, jsonb) is
  'Returns the vendor whose key has this SHA-256 (lower-case hex), or whose webhook request was proved, or lead '
  'fetched, with {secret_id}. Null if the key or secret is unknown, expired or removed, the vendor is inactive, or '
  'its webhook is off.';
