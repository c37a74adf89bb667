create function public.authenticate_vendor(key_hash text) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  vendor public.vendors;
begin
  select v.* into vendor
  from public.vendor_api_keys k
  join public.vendors v on v.id = k.vendor_id
  where k.key_hash = authenticate_vendor.key_hash
    and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > now())
    and v.is_active;

  -- One message for every reason: which of them it was is nobody's business without a valid key.
  if not found then
    raise exception 'invalid API key' using errcode = 'PT401';
  end if;

  return jsonb_build_object(
    'vendor_id', vendor.id,
    'slug', vendor.slug,
    'parser', vendor.parser,
    'parser_config', vendor.parser_config
  );
end
$$;

comment on function public.authenticate_vendor(text) is
  'The vendor whose key has this SHA-256 (lower-case hex): {vendor_id, slug, parser|null, parser_config}. PT401 when '
  'the key is unknown, expired or revoked, or the vendor inactive.';
grant execute on function public.authenticate_vendor(text) to service_role;
