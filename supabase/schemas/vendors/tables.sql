-- Vendors, the API keys they authenticate with, and the secrets that prove their webhooks.

-- The functions (recruiting/webhooks/proof.ts) and the admin command (admin/nouns/webhook_schemes.ts) have an entry for
-- each value: the types generated from this list require it.
create type public.webhook_scheme as enum (
  'hmac', 'standard', 'indeed', 'greenhouse', 'linkedin', 'meta', 'google_ads', 'basic', 'header', 'query'
);
comment on type public.webhook_scheme is
  'How vendors prove that they sent a request to their webhook.';
grant usage on type public.webhook_scheme to service_role;

create table public.vendors (
  id uuid primary key default gen_random_uuid(),
  slug text not null unique check (slug ~ '^[a-z0-9]+([_-][a-z0-9]+)*$' and length(slug) <= 63),
  name text not null check (btrim(name) <> ''),
  parser text,
  parser_config jsonb not null default '{}' check (jsonb_typeof(parser_config) = 'object'),
  is_active boolean not null default true,
  rate_limit integer check (rate_limit > 0),
  webhook_scheme public.webhook_scheme,
  -- vendors/webhooks.sql has the check.
  webhook_config jsonb not null default '{}',
  has_text_consent boolean not null default false,
  silent_after interval check (silent_after >= '1 minute'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table public.vendors is 'A company that sends recruiting leads.';
comment on column public.vendors.slug is 'Identifies the vendor in commands, and in the URL of its webhook.';
comment on column public.vendors.parser is
  'Name of the parser for this vendor''s payloads. Parsers are part of the function''s code, so the database cannot '
  'check the name. If it is null or unknown, the vendor''s requests get BAD_REQUEST.';
comment on column public.vendors.parser_config is
  'Settings of the parser for this vendor. Each parser defines its own shape.';
comment on column public.vendors.is_active is 'The keys and the webhook of an inactive vendor do not work.';
comment on column public.vendors.rate_limit is
  'Requests per minute, over all of the vendor''s keys and routes, including refused requests; null for no limit.';
comment on column public.vendors.webhook_scheme is
  'The scheme that verifies the vendor''s webhook requests; null if it has no webhook.';
comment on column public.vendors.webhook_config is
  'The settings of the scheme: header, algorithm (sha1, sha256, sha512), encoding (hex, base64), prefix, signed (`{body}` '
  'unless set, also `{timestamp}`), timestamp_header, tolerance_seconds (300 unless set) and parameter.';
comment on column public.vendors.has_text_consent is
  'Whether the vendor''s leads have agreed to texts from the agency that gets them, unless a lead''s own consent says no. '
  'Without it nobody is greeted.';
comment on column public.vendors.silent_after is
  'An alert is opened when the vendor has sent no lead for this time; null: by the hours in which it usually sends.';

create trigger set_updated_at
  before update on public.vendors
  for each row execute function private.set_updated_at();

alter table public.vendors enable row level security;
grant select, insert, update, delete on public.vendors to service_role;

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

create table private.vendor_webhook_secrets (
  id uuid primary key default gen_random_uuid(),
  vendor_id uuid not null references public.vendors (id) on delete cascade,
  kind text not null default 'secret' check (kind in ('secret', 'verify_token', 'access_token')),
  secret text not null check (secret = btrim(secret) and secret !~ '[[:cntrl:]]' and length(secret) between 1 and 1024),
  label text,
  expires_at timestamptz,
  revoked_at timestamptz,
  -- Not now(): of two secrets made in one transaction the newer one is known.
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default now()
);

create index on private.vendor_webhook_secrets (vendor_id, created_at);

comment on table private.vendor_webhook_secrets is
  'The secrets by which vendors prove their webhook requests, and the tokens by which their leads are fetched. A vendor may '
  'have several valid ones, so that it can change to a new one at any time.';
comment on column private.vendor_webhook_secrets.kind is
  '`secret`: proves a request; `verify_token`: what Meta sends when the webhook is entered in its console; `access_token`: '
  'fetches the leads of Meta''s notices.';
comment on column private.vendor_webhook_secrets.secret is
  'As it is, because a signature can only be checked with the secret itself. The scheme basic has user:password.';

create trigger set_updated_at
  before update on private.vendor_webhook_secrets
  for each row execute function private.set_updated_at();

alter table private.vendor_webhook_secrets enable row level security;
grant select, insert, update, delete on private.vendor_webhook_secrets to service_role;

-- The functions (recruiting/webhooks/refusal.ts) and the admin command (admin/nouns/refused_proofs.ts) have a line for
-- each: the types made from this list demand it.
create type public.proof_refusal as enum (
  'webhook_off', 'no_secret', 'proof_missing', 'proof_malformed', 'time_missing', 'time_in_milliseconds', 'time_too_old',
  'time_in_future', 'differs', 'challenge'
);
comment on type public.proof_refusal is 'Why a request to a webhook proves nothing. Its sender does not learn it.';
grant usage on type public.proof_refusal to service_role;

create table private.refused_proofs (
  vendor_id uuid not null references public.vendors (id) on delete cascade,
  reason public.proof_refusal not null,
  requests bigint not null check (requests > 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (vendor_id, reason)
);

comment on table private.refused_proofs is
  'The number of requests to a vendor''s webhook that got 401, by reason. Anybody may have sent them, so a reason has one row '
  'and nothing is kept of what was sent. created_at: of the first one; updated_at: of the last one.';

create trigger set_updated_at
  before update on private.refused_proofs
  for each row execute function private.set_updated_at();

alter table private.refused_proofs enable row level security;
grant select, insert, update, delete on private.refused_proofs to service_role;

create view private.valid_api_keys with (security_invoker = true) as
select k.key_hash, k.vendor_id
from public.vendor_api_keys k
join public.vendors v on v.id = k.vendor_id
where k.revoked_at is null and (k.expires_at is null or k.expires_at > now()) and v.is_active;

comment on view private.valid_api_keys is
  'The keys that prove their vendor now: not revoked, not expired, of an active vendor. key_hash: SHA-256 in lower-case hex.';
grant select on private.valid_api_keys to service_role;
