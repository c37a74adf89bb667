-- /recruiting/webhooks/<vendor slug>: the way in for vendors that cannot send an API key. How such a vendor proves that
-- a request is its own stands in vendors.webhook_scheme and webhook_config; what it proves it with stands here.

create function public.create_vendor_webhook_secret(
  vendor_slug text,
  kind text,
  secret text,
  label text,
  expires_at timestamptz default null
) returns uuid
language plpgsql
set search_path = ''
as $$
declare
  vendor public.vendors;
  new_id uuid;
begin
  select v.* into vendor from public.vendors v where v.slug = create_vendor_webhook_secret.vendor_slug;
  if not found then
    raise exception 'vendor_slug: no vendor "%"', private.quoted(vendor_slug) using errcode = 'PT404';
  end if;

  -- Before the table's own checks: their errors quote the row, including the secret, in the server's log.
  if coalesce(kind, '') not in ('secret', 'verify_token', 'access_token') then
    raise exception 'kind: must be secret, verify_token or access_token' using errcode = 'PT400';
  elsif kind = 'access_token' and vendor.webhook_scheme is distinct from 'meta' then
    raise exception 'kind: access_token is for the scheme meta' using errcode = 'PT400';
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

  -- If it were stored twice, it would still work after one of them is revoked.
  if exists (
    select
    from private.vendor_webhook_secrets s
    where s.vendor_id = vendor.id
      and s.kind = create_vendor_webhook_secret.kind
      and s.secret = create_vendor_webhook_secret.secret
      and s.revoked_at is null
      and (s.expires_at is null or s.expires_at > now())
  ) then
    raise exception 'secret: the vendor has it already' using errcode = 'PT409';
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
$$;

comment on function public.create_vendor_webhook_secret(text, text, text, text, timestamptz) is
  'Adds a secret to a vendor''s webhook and returns its id. kind: secret, verify_token or access_token. PT404 for an '
  'unknown slug. PT400 for a secret that the vendor''s scheme cannot use: basic requires user:password, standard '
  'requires whsec_ and base64, and only meta supports an access_token. PT409 if the secret already exists and is '
  'valid.';
grant execute on function public.create_vendor_webhook_secret(text, text, text, text, timestamptz) to service_role;

create function public.revoke_vendor_webhook_secret(id uuid) returns boolean
language plpgsql
set search_path = ''
as $$
begin
  update private.vendor_webhook_secrets s
  set revoked_at = now()
  where s.id = revoke_vendor_webhook_secret.id and s.revoked_at is null;
  return found;
end
$$;

comment on function public.revoke_vendor_webhook_secret(uuid) is
  'Revokes a secret immediately. Returns false if it does not exist or was already revoked.';
grant execute on function public.revoke_vendor_webhook_secret(uuid) to service_role;

create function private.fetches_leads(vendor_id uuid) returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (
    select from private.vendor_webhook_secrets s
    where s.vendor_id = fetches_leads.vendor_id and s.kind = 'access_token'
  );
end
$$;

comment on function private.fetches_leads(uuid) is
  'Returns whether the leads of a vendor''s notices are fetched: it has or had an access token, even an expired one.';

create function public.identify_webhook(slug text) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'vendor_id', v.id,
      'parser', v.parser,
      'parser_config', v.parser_config,
      'rate_limit', v.rate_limit,
      'scheme', v.webhook_scheme,
      'config', v.webhook_config,
      'fetches_leads', private.fetches_leads(v.id),
      'secrets', (
        select coalesce(
          jsonb_agg(jsonb_build_object('id', s.id, 'kind', s.kind, 'secret', s.secret) order by s.created_at desc), '[]')
        from private.vendor_webhook_secrets s
        where s.vendor_id = v.id
          -- An access token does not prove requests. Only the fetch of a lead uses it.
          and s.kind <> 'access_token'
          and s.revoked_at is null
          and (s.expires_at is null or s.expires_at > now())
      )
    )
    from public.vendors v
    where v.slug = identify_webhook.slug and v.is_active and v.webhook_scheme is not null
  );
end
$$;

comment on function public.identify_webhook(text) is
  'Returns the webhook of the vendor with this slug, to verify a request''s proof: {vendor_id, parser|null, '
  'parser_config, rate_limit|null, scheme, config, fetches_leads, secrets: [{id, kind, secret}]} with the valid '
  'secrets, newest first. fetches_leads: see private.fetches_leads(); the access tokens themselves are not among the '
  'secrets. Null for an unknown slug, an inactive vendor, and a vendor without a webhook.';
grant execute on function public.identify_webhook(text) to service_role;

create function public.record_refused_proofs(refused jsonb) returns integer
language plpgsql
set search_path = ''
set statement_timeout = '2s'
set lock_timeout = '1s'
as $$
declare
  recorded integer;
begin
  insert into private.refused_proofs as p (vendor_id, reason, requests)
  select v.id, r.reason::public.proof_refusal, sum(r.requests)
  from jsonb_to_recordset(refused) as r (slug text, reason text, requests bigint)
  join public.vendors v on v.slug = r.slug
  group by v.id, r.reason
  -- In a fixed order, so that two isolates never deadlock.
  order by v.id, r.reason
  on conflict on constraint refused_proofs_pkey do update set requests = p.requests + excluded.requests;
  get diagnostics recorded = row_count;
  return recorded;
end
$$;

comment on function public.record_refused_proofs(jsonb) is
  'Counts requests to webhooks that got 401: [{slug, reason, requests}]. Ignores unknown slugs. Returns the number of '
  'rows written. 55P03 after a second if a row is locked.';
grant execute on function public.record_refused_proofs(jsonb) to service_role;

create function private.is_webhook_setting(name text, value jsonb) returns boolean
language sql
immutable
set search_path = ''
as $$
  select case
    when name = 'tolerance_seconds' then
      jsonb_typeof(value) = 'number' and value #>> '{}' ~ '^[1-9][0-9]{0,4}$' and value <= '86400'
    when jsonb_typeof(value) <> 'string' then false
    -- The characters that a header's name may have: RFC 9110, 5.6.2. X-Request-Id is logged, so it must not contain a
    -- secret.
    when name in ('header', 'timestamp_header') then
      value #>> '{}' ~ '^[A-Za-z0-9!#$%&''*+.^_`|~-]{1,128}$' and lower(value #>> '{}') <> 'x-request-id'
    when name = 'page_id' then value #>> '{}' ~ '^[1-9][0-9]{0,24}$'
    when name = 'parameter' then value #>> '{}' ~ '^[\x21-\x7e]{1,128}$' and lower(translate(value #>> '{}', '-_', '')) <> 'dryrun'
    when name = 'algorithm' then value #>> '{}' in ('sha1', 'sha256', 'sha512')
    when name = 'encoding' then value #>> '{}' in ('hex', 'base64')
    when name = 'prefix' then value #>> '{}' ~ '^[\x20-\x7e]{0,64}$'
    when name = 'signed' then
      value #>> '{}' like '%{body}%'
      and replace(replace(value #>> '{}', '{body}', ''), '{timestamp}', '') !~ '[{}]'
      and length(value #>> '{}') <= 256
    else false
  end
$$;

comment on function private.is_webhook_setting(text, jsonb) is
  'Returns whether vendors.webhook_config may have a setting of this name with this value. Other names are invalid.';

create function private.is_webhook_config(scheme public.webhook_scheme, config jsonb) returns boolean
language plpgsql
immutable
set search_path = ''
as $$
declare
  signs_timestamp boolean;
begin
  if jsonb_typeof(config) <> 'object' or exists (
    select from jsonb_each(config) as setting (name, value)
    where not private.is_webhook_setting(setting.name, setting.value)
  ) then
    return false;
  end if;

  signs_timestamp := coalesce(config ->> 'signed' like '%{timestamp}%', false);
  return case scheme
    -- A time that is not signed proves nothing.
    when 'hmac' then config ?& array['header', 'algorithm'] and signs_timestamp = config ? 'timestamp_header'
    when 'header' then config ? 'header'
    when 'query' then config ? 'parameter'
    else true
  end;
end
$$;

comment on function private.is_webhook_config(public.webhook_scheme, jsonb) is
  'Returns whether each setting of a webhook is valid, and the required settings of the scheme are present.';

alter table public.vendors
  add constraint vendors_webhook_config_check check (private.is_webhook_config(webhook_scheme, webhook_config));
