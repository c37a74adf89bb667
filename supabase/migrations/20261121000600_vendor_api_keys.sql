create extension if not exists pgcrypto with schema extensions;

create table public.vendor_api_keys (
  id uuid primary key default gen_random_uuid(),
  vendor_id uuid not null references public.vendors (id) on delete cascade,
  key_hash text not null unique check (key_hash ~ '^[0-9a-f]{64}$'),
  key_prefix text not null,
  label text,
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create index on public.vendor_api_keys (vendor_id);

comment on table public.vendor_api_keys is
  'API keys of vendors. Several may be valid at once, so that a vendor can change over without an interruption.';
comment on column public.vendor_api_keys.key_hash is
  'SHA-256 of the key in lower-case hex. A key has 256 random bits, so a slow password hash would add nothing.';
comment on column public.vendor_api_keys.key_prefix is 'The first 12 characters of the key, to recognise it by.';

create trigger set_updated_at
  before update on public.vendor_api_keys
  for each row execute function private.set_updated_at();

alter table public.vendor_api_keys enable row level security;
grant select, insert, update, delete on public.vendor_api_keys to service_role;

create function public.create_vendor_api_key(
  vendor_slug text,
  label text,
  expires_at timestamptz default null
) returns text
language plpgsql
set search_path = ''
as $$
declare
  new_key text := 'lik_' || translate(
    rtrim(encode(extensions.gen_random_bytes(32), 'base64'), '='), '+/', '-_');
begin
  insert into public.vendor_api_keys (vendor_id, key_hash, key_prefix, label, expires_at)
  select
    v.id,
    encode(sha256(convert_to(new_key, 'UTF8')), 'hex'),
    left(new_key, 12),
    create_vendor_api_key.label,
    create_vendor_api_key.expires_at
  from public.vendors v
  where v.slug = create_vendor_api_key.vendor_slug;

  if not found then
    raise exception 'vendor_slug: no vendor "%"', vendor_slug using errcode = 'PT404';
  end if;
  return new_key;
end
$$;

comment on function public.create_vendor_api_key(text, text, timestamptz) is
  'Makes a key for a vendor and returns it, this once: `lik_` and 43 base64url characters. PT404 for an unknown slug.';
grant execute on function public.create_vendor_api_key(text, text, timestamptz) to service_role;

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
  'Revokes the key with this prefix, at once. False when there is none or it was revoked before.';
grant execute on function public.revoke_vendor_api_key(text) to service_role;
