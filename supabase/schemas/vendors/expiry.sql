-- Keys, secrets and tokens of vendors that expire.

create function private.expiring_keys(moment timestamptz)
returns table (vendor_id uuid, vendor text, what text, id text, label text, expires_at timestamptz)
language sql
stable
set search_path = ''
as $$
  with proofs as materialized (
    select k.vendor_id, 'api key' as what, k.key_prefix as id, k.label, k.created_at, k.expires_at
    from public.vendor_api_keys k
    where k.revoked_at is null
    union all
    select s.vendor_id, case s.kind when 'secret' then 'webhook secret' else replace(s.kind, '_', ' ') end, s.id::text,
      s.label, s.created_at, s.expires_at
    from private.vendor_webhook_secrets s
    join public.vendors v on v.id = s.vendor_id and v.webhook_scheme is not null
    where s.revoked_at is null
  )
  select v.id, v.slug, p.what, p.id, p.label, p.expires_at
  from proofs p
  join public.vendors v on v.id = p.vendor_id and v.is_active
  where p.expires_at < 'infinity'
    and not exists (
      select
      from proofs newer
      where newer.vendor_id = p.vendor_id
        and newer.what = p.what
        and newer.created_at > p.created_at
        and (newer.expires_at is null or newer.expires_at > greatest(p.expires_at, moment))
    )
$$;

comment on function private.expiring_keys(timestamptz) is
  'Returns the keys, secrets and tokens that expire, or have expired, if the vendor has no newer one of the same kind '
  'that is valid for longer at this moment. what: api key, webhook secret, verify token or access token; id: a key''s '
  'first characters. Excludes inactive vendors, and secrets and tokens of webhooks that are off.';
