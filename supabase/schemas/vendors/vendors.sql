-- Vendors and the API keys they authenticate with.

create table public.vendors (
  id uuid primary key default gen_random_uuid(),
  slug text not null unique check (slug ~ '^[a-z0-9]+([_-][a-z0-9]+)*$' and length(slug) <= 63),
  name text not null check (btrim(name) <> ''),
  parser text,
  parser_config jsonb not null default '{}' check (jsonb_typeof(parser_config) = 'object'),
  is_active boolean not null default true,
  rate_limit integer check (rate_limit > 0),
  webhook_scheme text check (
    webhook_scheme in (
      'hmac', 'standard', 'indeed', 'greenhouse', 'linkedin', 'meta', 'google_ads', 'basic', 'header', 'query'
    )
  ),
  -- vendors/webhooks.sql has the check.
  webhook_config jsonb not null default '{}',
  has_text_consent boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table public.vendors is 'A company that sends recruiting leads.';
comment on column public.vendors.parser is
  'Name of the parser that reads this vendor''s payloads. Parsers are part of the function''s code, so the database '
  'cannot check the name. With null or an unknown name the vendor''s requests get BAD_REQUEST.';
comment on column public.vendors.parser_config is
  'Settings of the parser for this vendor. Each parser defines its own shape.';
comment on column public.vendors.is_active is 'The keys and the webhook of an inactive vendor do not work.';
comment on column public.vendors.rate_limit is
  'Requests a minute, over all the vendor''s keys and routes, refused ones included; null: no limit.';
comment on column public.vendors.webhook_scheme is
  'How the vendor proves that a request to its webhook is its own; null: it has no webhook.';
comment on column public.vendors.webhook_config is
  'What the scheme needs: header, algorithm (sha1, sha256, sha512), encoding (hex, base64), prefix, signed (`{body}` '
  'unless set, also `{timestamp}`), timestamp_header, tolerance_seconds (300 unless set) and parameter.';
comment on column public.vendors.has_text_consent is
  'Whether the vendor''s leads have agreed to texts from the agency that gets them. Without it nobody is greeted.';

create trigger set_updated_at
  before update on public.vendors
  for each row execute function private.set_updated_at();

alter table public.vendors enable row level security;
grant select, insert, update, delete on public.vendors to service_role;

create extension if not exists pgcrypto with schema extensions;

create table public.vendor_api_keys (
  id uuid primary key default gen_random_uuid(),
  vendor_id uuid not null references public.vendors (id) on delete cascade,
  key_hash text not null unique check (key_hash ~ '^[0-9a-f]{64}$'),
  key_prefix text not null,
  label text,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create index on public.vendor_api_keys (vendor_id);

comment on table public.vendor_api_keys is
  'API keys of vendors. A vendor may have several valid keys, so that it can change to a new one at any time.';
comment on column public.vendor_api_keys.key_hash is
  'SHA-256 of the key in lower-case hex. A key has 256 random bits, so a slow password hash is not needed.';
comment on column public.vendor_api_keys.key_prefix is
  'The first 12 characters of the key, by which a person recognises it.';
comment on column public.vendor_api_keys.last_used_at is 'When a request last came with the key, to about a minute.';

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
  'Makes an API key for a vendor and returns it: `lik_` and 43 base64url characters. It cannot be read again later. '
  'PT404 for an unknown slug.';
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
  'Revokes the key with this prefix at once. False when there is no such key or it was revoked before.';
grant execute on function public.revoke_vendor_api_key(text) to service_role;

create function private.proved_vendor(key_hash text, webhook jsonb) returns uuid
language plpgsql
stable
set search_path = ''
as $$
begin
  if webhook is null then
    return (
      select k.vendor_id
      from public.vendor_api_keys k
      join public.vendors v on v.id = k.vendor_id
      where k.key_hash = proved_vendor.key_hash
        and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > now())
        and v.is_active
    );
  end if;
  return (
    select s.vendor_id
    from private.vendor_webhook_secrets s
    join public.vendors v on v.id = s.vendor_id
    where s.id = (webhook ->> 'secret_id')::uuid
      and s.kind = 'secret'
      and s.revoked_at is null
      and (s.expires_at is null or s.expires_at > now())
      and v.is_active
      and v.webhook_scheme is not null
  );
end
$$;

comment on function private.proved_vendor(text, jsonb) is
  'The vendor whose key has this SHA-256 (lower-case hex), or whose webhook request was proved with {secret_id}. Null when '
  'the key or secret is unknown, expired or taken away, the vendor is inactive, or its webhook is off.';
grant execute on function private.proved_vendor(text, jsonb) to service_role;

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
    raise exception '%', case when webhook is null then 'invalid API key' else 'invalid webhook secret' end
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
  'The vendor whose key has this SHA-256 (lower-case hex): {vendor_id, parser|null, parser_config, rate_limit|null}. '
  'PT401 when the key is unknown, expired or revoked, or the vendor is inactive. webhook: {secret_id, delivery_id|null, '
  'part} of a request to a webhook, in place of a key, after its proof was found right with this secret. PT401 when the '
  'secret has been taken away since, the vendor is inactive, or its webhook is off.';
grant execute on function public.authenticate_vendor(text, jsonb) to service_role;

create function public.identify_vendor(key_hash text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  vendor constant jsonb := public.authenticate_vendor(key_hash);
begin
  -- Not in authenticate_vendor(), which each function that writes calls: there one request would wait for another.
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
  'Returns what authenticate_vendor() returns, or its error, and notes at most once a minute that the key was used.';
grant execute on function public.identify_vendor(text) to service_role;
