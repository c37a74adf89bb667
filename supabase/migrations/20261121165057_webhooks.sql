set local check_function_bodies = off;

drop index "private"."idempotency_keys_created_at_idx";

drop function "private"."keep_result"(text, jsonb, jsonb);

drop function "public"."authenticate_vendor"(text);

drop function "public"."ingest_recruiting_lead"(text, jsonb, jsonb);

drop function "public"."preview_recruiting_lead"(text, jsonb);

create table "private"."vendor_webhook_secrets" (
  "id" uuid not null default gen_random_uuid(),
  "vendor_id" uuid not null,
  "kind" text not null default 'secret'::text,
  "secret" text not null,
  "label" text,
  "expires_at" timestamp with time zone,
  "revoked_at" timestamp with time zone,
  "created_at" timestamp with time zone not null default clock_timestamp(),
  "updated_at" timestamp with time zone not null default now(),
  constraint "vendor_webhook_secrets_kind_check" check ((kind = ANY (ARRAY['secret'::text, 'verify_token'::text]))),
  constraint "vendor_webhook_secrets_pkey" primary key (id),
  constraint "vendor_webhook_secrets_secret_check"
    check
    (((secret = btrim(secret)) AND (secret !~ '[[:cntrl:]]'::text) AND ((length(secret) >= 1) AND (length(secret) <=
    1024))))
);

alter table "private"."vendor_webhook_secrets"
  enable row level security;

alter table "private"."idempotency_keys"
  add column "retention" interval not null default '24:00:00'::interval;

alter table "public"."vendors"
  add column "webhook_scheme" text;

alter table "public"."vendors"
  add column "webhook_config" jsonb not null default '{}'::jsonb;

alter table "private"."idempotency_keys"
  alter column "request_hash" drop not null;

create or replace function private.is_webhook_config (
  scheme text,
  config jsonb
)
  returns boolean
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
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
$function$;

create or replace function private.is_webhook_setting (
  name text,
  value jsonb
)
  returns boolean
  language sql
  immutable
  set search_path to ''
  AS $function$
  select case
    when name = 'tolerance_seconds' then
      jsonb_typeof(value) = 'number' and value #>> '{}' ~ '^[1-9][0-9]{0,4}$' and value <= '86400'
    when jsonb_typeof(value) <> 'string' then false
    -- The characters that a header's name may have: RFC 9110, 5.6.2.
    when name in ('header', 'timestamp_header') then value #>> '{}' ~ '^[A-Za-z0-9!#$%&''*+.^_`|~-]{1,128}$'
    when name = 'parameter' then value #>> '{}' ~ '^[\x21-\x7e]{1,128}$'
    when name = 'algorithm' then value #>> '{}' in ('sha1', 'sha256', 'sha512')
    when name = 'encoding' then value #>> '{}' in ('hex', 'base64')
    when name = 'prefix' then value #>> '{}' ~ '^[\x20-\x7e]{0,64}$'
    when name = 'signed' then
      value #>> '{}' like '%{body}%'
      and replace(replace(value #>> '{}', '{body}', ''), '{timestamp}', '') !~ '[{}]'
      and length(value #>> '{}') <= 256
    else false
  end
$function$;

create or replace function private.keep_result (
  scope text,
  idempotency jsonb,
  result jsonb,
  retention interval default '24:00:00'::interval
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if idempotency is null then
    return result;
  end if;

  insert into private.idempotency_keys (scope, key, part, request_hash, result, retention)
  values (
    keep_result.scope,
    idempotency ->> 'key',
    (idempotency ->> 'part')::integer,
    idempotency ->> 'request_hash',
    keep_result.result,
    keep_result.retention
  )
  -- Only an expired one can be in the way.
  on conflict on constraint idempotency_keys_pkey do update
  set
    request_hash = excluded.request_hash,
    result = excluded.result,
    retention = excluded.retention,
    created_at = excluded.created_at;

  delete from private.idempotency_keys k
  where (k.scope, k.key, k.part) in (
    select expired.scope, expired.key, expired.part
    from private.idempotency_keys expired
    where expired.retention = keep_result.retention and expired.created_at <= now() - keep_result.retention
    order by expired.created_at
    limit 10
    for update skip locked
  );
  return result;
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

  return (
    select k.result
    from private.idempotency_keys k
    where k.scope = kept_result.scope
      and k.key = idempotency ->> 'key'
      and k.part = (idempotency ->> 'part')::integer
      and k.created_at > now() - k.retention
  );
end
$function$;

create or replace function private.repeated_lead (
  lead jsonb,
  stored_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  -- A repeated call has the same id and is the same duplicate.
  insert into public.recruiting_lead_duplicates (id, lead_id, vendor_id, request_id)
  select (lead ->> 'id')::uuid, l.id, l.vendor_id, lead ->> 'request_id'
  from public.recruiting_leads l
  where l.id = stored_id
  on conflict (id) do nothing;
  return jsonb_build_object('id', stored_id, 'status', 'duplicate');
end
$function$;

create or replace function private.store_recruiting_lead (
  vendor_id uuid,
  lead jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  lead_id constant uuid := lead ->> 'id';
  indexed_id constant text := private.indexable_id(lead ->> 'vendor_lead_id');
  is_test constant boolean := lead #> '{vendor_metadata,is_test}' is not distinct from 'true';
  metadata constant jsonb := coalesce(nullif(lead -> 'vendor_metadata', 'null'), '{}');
  stored public.recruiting_leads;
begin
  perform private.require_recruiting_lead(lead);

  loop
    insert into public.recruiting_leads (
      id, vendor_id, vendor_lead_id, first_name, vendor_metadata, resume_path, distribution, request_id, received_via
    )
    values (
      lead_id, store_recruiting_lead.vendor_id, indexed_id, lead ->> 'first_name', metadata, lead ->> 'resume_path',
      case when is_test then 'not_requested' else 'unmatched' end, lead ->> 'request_id', lead ->> 'received_via'
    )
    on conflict do nothing
    returning * into stored;

    if found then
      if not is_test then
        stored := private.distribute_new_lead(stored);
      end if;
      return private.created_lead(stored);
    end if;

    -- The conflicting row may have been committed after the insert began, so only a new statement can see it. If it
    -- has been deleted since, the loop tries the insert again.
    select * into stored
    from public.recruiting_leads l
    where l.id = lead_id
      or (l.vendor_id = store_recruiting_lead.vendor_id and l.vendor_lead_id = indexed_id)
    order by l.id = lead_id desc
    limit 1;

    if stored.vendor_id <> store_recruiting_lead.vendor_id then
      raise exception 'the id belongs to a lead of another vendor' using errcode = 'unique_violation';
    elsif stored.id = lead_id then
      return private.created_lead(stored);
    elsif found then
      return private.repeated_lead(lead, stored.id);
    end if;
  end loop;
end
$function$;

create or replace function private.webhook_delivery (
  webhook jsonb
)
  returns jsonb
  language plpgsql
  immutable
  strict
  set search_path to ''
  AS $function$
begin
  if coalesce(btrim(webhook ->> 'delivery_id'), '') = '' then
    return null;
  end if;
  return jsonb_build_object(
    -- Senders put anything into an id, and a key is at most 255 visible ASCII characters.
    'key', encode(sha256(convert_to(webhook ->> 'delivery_id', 'UTF8')), 'hex'),
    'part', coalesce((webhook ->> 'part')::integer, 0),
    'request_hash', null
  );
end
$function$;

create or replace function public.authenticate_vendor (
  key_hash text,
  webhook jsonb default null::jsonb
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  vendor public.vendors;
begin
  if webhook is null then
    select v.* into vendor
    from public.vendor_api_keys k
    join public.vendors v on v.id = k.vendor_id
    where k.key_hash = authenticate_vendor.key_hash
      and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > now())
      and v.is_active;
  else
    select v.* into vendor
    from private.vendor_webhook_secrets s
    join public.vendors v on v.id = s.vendor_id
    where s.id = (webhook ->> 'secret_id')::uuid
      and s.kind = 'secret'
      and s.revoked_at is null
      and (s.expires_at is null or s.expires_at > now())
      and v.is_active
      and v.webhook_scheme is not null;
  end if;

  -- One message for every reason, so that a stranger learns nothing about keys, webhooks and vendors.
  if not found then
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
    and secret !~ '^(whsec_)?([A-Za-z0-9+/]{4})+([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$'
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

create or replace function public.identify_webhook (
  slug text
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return (
    select jsonb_build_object(
      'vendor_id', v.id,
      'parser', v.parser,
      'parser_config', v.parser_config,
      'rate_limit', v.rate_limit,
      'scheme', v.webhook_scheme,
      'config', v.webhook_config,
      'secrets', (
        select coalesce(
          jsonb_agg(jsonb_build_object('id', s.id, 'kind', s.kind, 'secret', s.secret) order by s.created_at desc), '[]')
        from private.vendor_webhook_secrets s
        where s.vendor_id = v.id
          and s.revoked_at is null
          and (s.expires_at is null or s.expires_at > now())
      )
    )
    from public.vendors v
    where v.slug = identify_webhook.slug and v.is_active and v.webhook_scheme is not null
  );
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
  scope constant text := 'ingest ' || sender_id;
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
  existing_id uuid := private.kept_result('delivery ' || sender_id, private.webhook_delivery(webhook)) ->> 'id';
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

create or replace function public.revoke_vendor_webhook_secret (
  id uuid
)
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
begin
  update private.vendor_webhook_secrets s
  set revoked_at = now()
  where s.id = revoke_vendor_webhook_secret.id and s.revoked_at is null;
  return found;
end
$function$;

alter table "private"."vendor_webhook_secrets"
  add constraint "vendor_webhook_secrets_vendor_id_fkey" foreign key (vendor_id) references public.vendors(id)
    on delete cascade;

alter table "public"."vendors"
  add constraint "vendors_webhook_scheme_check"
    check
    ((webhook_scheme = ANY (ARRAY['hmac'::text, 'standard'::text, 'indeed'::text, 'greenhouse'::text, 'linkedin'::text,
    'meta'::text, 'google_ads'::text, 'basic'::text, 'header'::text, 'query'::text])));

create index idempotency_keys_retention_created_at_idx on private.idempotency_keys using btree (retention, created_at);

create index vendor_webhook_secrets_vendor_id_created_at_idx on private.vendor_webhook_secrets
  using btree (vendor_id, created_at);

create trigger set_updated_at
  before update on private.vendor_webhook_secrets
  for each row
  execute function private.set_updated_at();

comment on column "private"."idempotency_keys"."key" is 'The key as sent, or the SHA-256 of a delivery''s id in hex.';

comment on column "private"."idempotency_keys"."request_hash" is 'SHA-256 of the bytes of the request''s body, in hex; null: the key stands for the same request whatever its body is.';

comment on column "private"."idempotency_keys"."retention" is 'How long after created_at the key is kept.';

comment on column "private"."idempotency_keys"."scope" is 'Route and caller, e.g. `ingest <vendor id>`, or `delivery <vendor id>` for the ids of a vendor''s deliveries. The same key of another caller or route is another key.';

comment on column "private"."vendor_webhook_secrets"."kind" is '`secret`: proves a request; `verify_token`: what Meta sends when the webhook is entered in its console.';

comment on column "private"."vendor_webhook_secrets"."secret" is 'As it is, because a signature can only be checked with the secret itself. Of the scheme basic: user:password.';

comment on column "public"."vendors"."is_active" is 'The keys and the webhook of an inactive vendor do not work.';

comment on column "public"."vendors"."webhook_config" is 'What the scheme needs: header, algorithm (sha1, sha256, sha512), encoding (hex, base64), prefix, signed (`{body}` unless set, also `{timestamp}`), timestamp_header, tolerance_seconds (300 unless set) and parameter.';

comment on column "public"."vendors"."webhook_scheme" is 'How the vendor proves that a request to its webhook is its own; null: it has no webhook.';

comment on function "private"."is_webhook_config"(text, jsonb) is 'Whether each setting of a webhook is valid, and the scheme has those that it needs.';

comment on function "private"."is_webhook_setting"(text, jsonb) is 'Whether vendors.webhook_config may have a setting of this name with this value. No other name is known.';

comment on function "private"."keep_result"(text, jsonb, jsonb, interval) is 'Keeps the result of a request with an Idempotency-Key, in the transaction of its work, and returns it. Without a key it only returns it. Removes a few expired keys of the same retention.';

comment on function "private"."kept_result"(text, jsonb) is 'The kept result of a request that came before, or null. idempotency: {key, part, request_hash|null}, or null for a request without a key. PT409 while another transaction works on the same key; PT422 when the key came with another body.';

comment on function "private"."repeated_lead"(jsonb, uuid) is 'Records that a lead was sent again, and returns it as ingest_recruiting_lead() does: {id, status: duplicate}.';

comment on function "private"."webhook_delivery"(jsonb) is 'The delivery of a webhook {secret_id, delivery_id|null, part} as private.kept_result() takes it. Null without an id.';

comment on function "public"."authenticate_vendor"(text, jsonb) is 'The vendor whose key has this SHA-256 (lower-case hex): {vendor_id, parser|null, parser_config, rate_limit|null}. PT401 when the key is unknown, expired or revoked, or the vendor is inactive. webhook: {secret_id, delivery_id|null, part} of a request to a webhook, in place of a key, after its proof was found right with this secret. PT401 when the secret has been taken away since, the vendor is inactive, or its webhook is off.';

comment on function "public"."create_vendor_webhook_secret"(text, text, text, text, timestamp
  with time zone) is 'Adds a secret to a vendor''s webhook and returns its id. PT404 for an unknown slug. PT400 for a secret that the vendor''s scheme cannot use: basic takes user:password, standard takes whsec_ and base64.';

comment on function "public"."identify_webhook"(text) is 'The webhook of the vendor with this slug, to check a request''s proof with: {vendor_id, parser|null, parser_config, rate_limit|null, scheme, config, secrets: [{id, kind, secret}]} with the valid secrets, newest first. Null for an unknown slug, an inactive vendor, and a vendor without a webhook.';

comment on function "public"."ingest_recruiting_lead"(text, jsonb, jsonb, jsonb) is 'Stores one lead of the key''s vendor and distributes it, unless vendor_metadata.is_test is true. lead: {id, first_name, vendor_lead_id|null, vendor_metadata, resume_path|null, request_id|null, received_via|null}. The caller makes the id; a repeated call with the same id returns the first result and stores nothing. P0001 for an id that was abandoned. Returns {id, status: created, distributed_to: {agency_id, agent_id|null}|null}, with distribution: pending while it is not known where the lead goes; or {id, status: duplicate} with the id of the lead that has this vendor_lead_id. PT401 as authenticate_vendor(), PT400 without a first_name. idempotency and its errors: see private.kept_result(). webhook: see authenticate_vendor(). A delivery_id and part that stored a lead within 7 days return it as a duplicate, whatever the lead is now; PT409 while the first is still at work.';

comment on function "public"."preview_recruiting_lead"(text, jsonb, jsonb) is 'What ingest_recruiting_lead() would do with this lead now; changes nothing. Returns {status: created|duplicate, id|null of the existing lead, distributed_to|null}. Raises the same errors.';

comment on function "public"."revoke_vendor_webhook_secret"(uuid) is 'Revokes a secret at once. False when there is no such secret or it was revoked before.';

comment on table "private"."idempotency_keys" is 'What a request with an Idempotency-Key, or with the id of a webhook''s delivery, came to. Errors are not kept.';

comment on table "private"."vendor_webhook_secrets" is 'What vendors prove their webhook requests with. A vendor may have several valid ones, so that it can change to a new one at any time.';

revoke all on function "private"."is_webhook_config"(text, jsonb) from public;

grant execute on function "private"."is_webhook_config"(text, jsonb) to "postgres", "service_role";

revoke all on function "private"."is_webhook_setting"(text, jsonb) from public;

grant execute on function "private"."is_webhook_setting"(text, jsonb) to "postgres", "service_role";

revoke all on function "private"."keep_result"(text, jsonb, jsonb, interval) from public;

grant execute on function "private"."keep_result"(text, jsonb, jsonb, interval) to "postgres", "service_role";

revoke all on function "private"."repeated_lead"(jsonb, uuid) from public;

grant execute on function "private"."repeated_lead"(jsonb, uuid) to "postgres", "service_role";

revoke all on function "private"."webhook_delivery"(jsonb) from public;

grant execute on function "private"."webhook_delivery"(jsonb) to "postgres", "service_role";

revoke all on function "public"."authenticate_vendor"(text, jsonb) from public;

grant execute on function "public"."authenticate_vendor"(text, jsonb) to "postgres", "service_role";

revoke all
  on function "public"."create_vendor_webhook_secret"(text, text, text, text, timestamp with time zone)
  from public;

grant execute
  on function "public"."create_vendor_webhook_secret"(text, text, text, text, timestamp with time zone)
  to "postgres", "service_role";

revoke all on function "public"."identify_webhook"(text) from public;

grant execute on function "public"."identify_webhook"(text) to "postgres", "service_role";

revoke all on function "public"."ingest_recruiting_lead"(text, jsonb, jsonb, jsonb) from public;

grant execute on function "public"."ingest_recruiting_lead"(text, jsonb, jsonb, jsonb) to "postgres", "service_role";

revoke all on function "public"."preview_recruiting_lead"(text, jsonb, jsonb) from public;

grant execute on function "public"."preview_recruiting_lead"(text, jsonb, jsonb) to "postgres", "service_role";

revoke all on function "public"."revoke_vendor_webhook_secret"(uuid) from public;

grant execute on function "public"."revoke_vendor_webhook_secret"(uuid) to "postgres", "service_role";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."vendor_webhook_secrets"
  to "postgres";

grant delete, insert, select, update on table "private"."vendor_webhook_secrets" to "service_role";

alter table "public"."vendors"
  add constraint "vendors_webhook_config_check" check (private.is_webhook_config(webhook_scheme, webhook_config));
