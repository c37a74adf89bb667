-- The API keys of vendors.

create function public.create_vendor_api_key(
  vendor_slug text,
  label text,
  expires_at timestamptz default null
) returns text
language plpgsql
security definer
set search_path = ''
as $$
declare
  vendor_id uuid;
  new_key text := 'lik_' || translate(
    rtrim(encode(extensions.gen_random_bytes(32), 'base64'), '='), '+/', '-_');
begin
  perform private.require_operator();
  select v.id into vendor_id from public.vendors v where v.slug = create_vendor_api_key.vendor_slug;
  if not found then
    raise exception 'vendor_slug: no vendor "%"', private.quoted(vendor_slug) using errcode = 'PT404';
  end if;
  insert into public.vendor_api_keys (vendor_id, key_hash, key_prefix, label, expires_at)
  values (vendor_id, encode(sha256(convert_to(new_key, 'UTF8')), 'hex'), left(new_key, 12), label, expires_at);
  perform private.note_operator_action(
    'key create', jsonb_build_object('vendor_id', vendor_id, 'key_prefix', left(new_key, 12)));
  return new_key;
end
$$;

comment on function public.create_vendor_api_key(text, text, timestamptz) is
  'Creates an API key for a vendor and returns it: `lik_` and 43 base64url characters. It cannot be read again. PT404 '
  'for an unknown slug. For operators; for a signed-in one, it adds a row to operator_actions. Security definer because '
  'operators may not write keys.';
grant execute on function public.create_vendor_api_key(text, text, timestamptz) to authenticated, service_role;

create function public.revoke_vendor_api_key(key_prefix text) returns boolean
language plpgsql
set search_path = ''
as $$
begin
  update public.vendor_api_keys k
  set revoked_at = now()
  where k.key_prefix = revoke_vendor_api_key.key_prefix and k.revoked_at is null;
  return found;
end
$$;

comment on function public.revoke_vendor_api_key(text) is
  'Revokes the key with this prefix immediately. Returns false if it does not exist or was already revoked.';
grant execute on function public.revoke_vendor_api_key(text) to service_role;

create function public.rotate_vendor_api_keys(
  vendor_slug text,
  label text default null,
  keep_old_until timestamptz default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  ended text[];
begin
  with stopped as (
    update public.vendor_api_keys k
    set
      revoked_at = case when keep_old_until is null then now() end,
      expires_at = least(k.expires_at, keep_old_until)
    from public.vendors v
    where v.slug = vendor_slug and k.vendor_id = v.id and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > now())
    returning k.key_prefix, k.created_at
  )
  select coalesce(array_agg(s.key_prefix order by s.created_at, s.key_prefix), '{}') into ended from stopped s;
  return jsonb_build_object('key', public.create_vendor_api_key(vendor_slug, label), 'ended', ended);
end
$$;

comment on function public.rotate_vendor_api_keys(text, text, timestamptz) is
  'Creates an API key for a vendor, and ends all other valid keys: at keep_old_until, or immediately if it is null. '
  'Returns {key, ended: [key_prefix]}, oldest first. PT404 for an unknown slug.';
grant execute on function public.rotate_vendor_api_keys(text, text, timestamptz) to service_role;
