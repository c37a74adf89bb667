-- Webhooks: what a vendor's webhook may be set to, its secrets, and deliveries that come again.
begin;
select plan(123);
\ir ../helpers.psql

-- Settings
create function pg_temp.is_accepted(scheme text, config jsonb) returns boolean language plpgsql as $$
begin
  insert into public.vendors (slug, name, webhook_scheme, webhook_config)
  values ('test-setting', 'Setting', scheme::public.webhook_scheme, config);
  delete from public.vendors where slug = 'test-setting';
  return true;
exception when check_violation or not_null_violation or invalid_text_representation then
  return false;
end
$$;
select is(pg_temp.is_accepted(scheme, config), true, format('%s may be set to %s', coalesce(scheme, 'no webhook'), config))
from (values
  (null, array['{}', '{"header": "x-signature"}']),
  ('hmac', array[
    '{"header": "X-Signature", "algorithm": "sha256"}',
    '{"header": "x", "algorithm": "sha1", "encoding": "base64", "prefix": "sha1=", "signed": "{body}"}',
    '{"header": "x", "algorithm": "sha512", "encoding": "hex", "signed": "v0:{timestamp}:{body}", "timestamp_header": "x-time",
      "tolerance_seconds": 60}']),
  ('standard', array['{}', '{"tolerance_seconds": 86400}']), ('indeed', array['{}']), ('greenhouse', array['{}']), ('linkedin', array['{}']),
  ('meta', array['{}', '{"page_id": "102938475610293"}']), ('google_ads', array['{}']), ('basic', array['{}']), ('header', array['{"header": "X-Api-Key"}']),
  ('query', array['{"parameter": "token"}'])
) s (scheme, configs), unnest(configs::jsonb[]) config;
select is(pg_temp.is_accepted(scheme, config), false, format('%s is refused: %s %s', description, scheme, left(config::text, 99)))
from (values
  ('an unknown scheme', 'md5', array['{}']),
  ('hmac without a header or an algorithm', 'hmac', array['{}', '{"header": "x"}', '{"algorithm": "sha256"}']),
  ('header without a header', 'header', array['{}']),
  ('query without a parameter', 'query', array['{}', '{"header": "x"}']),
  ('a signed time without its header', 'hmac', array['{"header": "x", "algorithm": "sha256", "signed": "{timestamp}.{body}"}']),
  ('a time that is not signed', 'hmac', array['{"header": "x", "algorithm": "sha256", "timestamp_header": "t"}']),
  ('an unknown setting', 'standard', array['{"secret": "x"}']),
  ('an unknown setting of a webhook that is off', null, array['{"secret": "x"}']),
  ('what is no object', 'standard', array['[]', null]),
  ('what is no header', 'header', array['{"header": ""}', '{"header": "x y"}', '{"header": 1}']),
  ('the header that every line of the log has', 'header', array['{"header": "X-Request-ID"}']),
  ('the parameter that is ours', 'query', array['{"parameter": "dry_run"}', '{"parameter": "Dry-Run"}']),
  ('an unknown algorithm', 'hmac', array['{"header": "x", "algorithm": "md5"}']),
  ('an unknown encoding', 'hmac', array['{"header": "x", "algorithm": "sha256", "encoding": "base32"}']),
  ('a prefix of two lines', 'hmac', array['{"header": "x", "algorithm": "sha256", "prefix": "a\nb"}']),
  ('a signed text without the body', 'hmac', array['{"header": "x", "algorithm": "sha256", "signed": "{timestamp}", "timestamp_header": "t"}']),
  ('an unknown part of the signed text', 'hmac', array['{"header": "x", "algorithm": "sha256", "signed": "{id}.{body}"}']),
  ('what is no page''s id', 'meta', array['{"page_id": "12a"}', '{"page_id": 102938475610293}', '{"page_id": "12345678901234567890123456"}']),
  ('no tolerance, or another than from a second to a day', 'standard', array['{"tolerance_seconds": 0}', '{"tolerance_seconds": 1.5}',
    '{"tolerance_seconds": "300"}', '{"tolerance_seconds": 86401}'])
) s (description, scheme, configs), unnest(configs::jsonb[]) config;

-- Secrets
insert into public.vendors (id, slug, name, parser, parser_config, rate_limit, webhook_scheme) values
  (md5('hook')::uuid, 'test-hook', 'Hook', 'generic', '{"a": 1}', 60, 'standard'),
  (md5('basic')::uuid, 'test-basic', 'Basic', 'generic', '{}', null, 'basic'),
  (md5('meta')::uuid, 'test-meta', 'Meta', 'meta', '{}', null, 'meta'),
  (md5('off')::uuid, 'test-off', 'Off', 'generic', '{}', null, null);
create temp table made as
select
  public.create_vendor_webhook_secret('test-hook', 'secret', 'whsec_Zmlyc3Q=', 'first') as first,
  public.create_vendor_webhook_secret('test-hook', 'secret', 'whsec_c2Vjb25k', 'second', now() + interval '1 hour') as second,
  public.create_vendor_webhook_secret('test-hook', 'verify_token', 'my token', null) as token,
  public.create_vendor_webhook_secret('test-hook', 'secret', 'whsec_b2xk', 'old', now() - interval '1 second') as expired,
  public.create_vendor_webhook_secret('test-basic', 'secret', 'ann:pass:word', 'basic') as basic,
  public.create_vendor_webhook_secret('test-meta', 'secret', 'app secret', null) as app,
  public.create_vendor_webhook_secret('test-meta', 'access_token', 'EAAB', null) as access,
  public.create_vendor_webhook_secret('test-off', 'secret', 'anything', 'off') as off;

select is(
  public.identify_webhook('test-hook'),
  jsonb_build_object('vendor_id', md5('hook')::uuid, 'parser', 'generic', 'parser_config', '{"a": 1}'::jsonb,
    'rate_limit', 60, 'scheme', 'standard', 'config', '{}'::jsonb, 'fetches_leads', false, 'secrets', jsonb_build_array(
      jsonb_build_object('id', token, 'kind', 'verify_token', 'secret', 'my token'),
      jsonb_build_object('id', second, 'kind', 'secret', 'secret', 'whsec_c2Vjb25k'),
      jsonb_build_object('id', first, 'kind', 'secret', 'secret', 'whsec_Zmlyc3Q='))),
  'a slug identifies the vendor''s webhook with its valid secrets, newest first')
from made;
select is(
  public.identify_webhook('test-meta') -> 'secrets',
  jsonb_build_array(jsonb_build_object('id', app, 'kind', 'secret', 'secret', 'app secret')),
  'the access token is not among the secrets')
from made;
select is(public.identify_webhook(slug), null, description)
from (values
  ('test-off', 'a vendor without a webhook'), ('test-nobody', 'an unknown slug'), ('TEST-HOOK', 'a slug in upper case')
) as wrong (slug, description);

select throws_ok(format('select public.create_vendor_webhook_secret(%L, %L, %L, null)', slug, kind, secret), errcode, message, description)
from (values
  ('test-nobody', 'secret', 'x', 'PT404', 'vendor_slug: no vendor "test-nobody"', 'a secret for an unknown vendor'),
  ('test-basic', 'secret', 'password', 'PT400', 'secret: must be user:password', 'basic without a user'),
  ('test-basic', 'secret', ':password', 'PT400', 'secret: must be user:password', 'basic with an empty user'),
  ('test-basic', 'secret', 'user:', 'PT400', 'secret: must be user:password', 'basic with an empty password'),
  ('test-hook', 'secret', 'whsec_not base64', 'PT400', 'secret: must be whsec_ and base64', 'standard without base64'),
  ('test-hook', 'secret', 'whsec_====', 'PT400', 'secret: must be whsec_ and base64', 'standard with nothing in it'),
  ('test-off', 'password', 'x', 'PT400', 'kind: must be secret, verify_token or access_token', 'a secret of an unknown kind'),
  ('test-off', null, 'x', 'PT400', 'kind: must be secret, verify_token or access_token', 'a secret of no kind'),
  ('test-hook', 'access_token', 'x', 'PT400', 'kind: access_token is for the scheme meta', 'an access token of another scheme'),
  ('test-off', 'access_token', 'x', 'PT400', 'kind: access_token is for the scheme meta', 'an access token without a webhook')
) as wrong (slug, kind, secret, errcode, message, description);
create temp table bad_secrets (secret, description) as values
  ('', 'an empty secret'), ('  ', 'a blank secret'), (' x', 'a secret with a space before it'),
  (E'x\n', 'a secret with the end of a line'), (E'a\tb', 'a secret with a tab'),
  (repeat('x', 1025), 'a secret of 1,025 characters');
select throws_ok(
  format('select public.create_vendor_webhook_secret(%L, %L, %L, null)', 'test-off', 'secret', secret), 'PT400',
  'secret: must be one line of 1 to 1,024 characters, without spaces around it', description)
from bad_secrets;
select throws_ok(
  format('insert into private.vendor_webhook_secrets (vendor_id, secret) values (%L, %L)', md5('off')::uuid, secret),
  '23514', null, 'the table refuses ' || description)
from bad_secrets limit 2;
select lives_ok(
  $$select public.create_vendor_webhook_secret('test-off', 'secret', repeat('x', 1024), null)$$,
  'a secret of 1,024 characters');

select throws_ok(
  format('select public.create_vendor_webhook_secret(%L, %L, %L, null)', 'test-hook', kind, secret), 'PT409',
  'secret: the vendor has it already', description)
from (values
  ('secret', 'whsec_Zmlyc3Q=', 'a secret that the vendor has'),
  ('verify_token', 'my token', 'a verify_token that the vendor has')
) as twice (kind, secret, description);
select throws_ok(
  $$select public.create_vendor_webhook_secret('test-meta', 'access_token', 'EAAB', null)$$, 'PT409',
  'secret: the vendor has it already', 'an access_token that the vendor has');
select lives_ok(
  $$select public.create_vendor_webhook_secret('test-hook', 'secret', 'whsec_b2xk', null)$$,
  'a secret that has expired may be made anew');
select lives_ok(
  $$select public.create_vendor_webhook_secret('test-basic', 'verify_token', 'ann:pass:word', null)$$,
  'a secret of another kind');

-- A request to a webhook
create function pg_temp.webhook(secret_id uuid, delivery_id text default null, part integer default 0) returns jsonb
language sql as $$
  select jsonb_build_object('secret_id', secret_id, 'delivery_id', delivery_id, 'part', part)
$$;
select is(
  public.authenticate_vendor(null, pg_temp.webhook(first)),
  jsonb_build_object('vendor_id', md5('hook')::uuid, 'parser', 'generic', 'parser_config', '{"a": 1}'::jsonb, 'rate_limit', 60),
  'a secret stands for its vendor')
from made;
select throws_ok(format('select public.authenticate_vendor(null, %L)', webhook), 'PT401', 'invalid webhook secret', description)
from made, lateral (values
  (pg_temp.webhook(expired), 'an expired secret'), (pg_temp.webhook(token), 'a verify_token'),
  (pg_temp.webhook(off), 'a secret of a vendor without a webhook'),
  (pg_temp.webhook(gen_random_uuid()), 'an unknown secret'), ('{}', 'no secret')
) as wrong (webhook, description);

create function pg_temp.ingest(secret_id uuid, lead_id text, delivery_id text, part integer default 0) returns jsonb
language sql as $$
  select pg_temp.ingest_lead(null,
    jsonb_build_object('id', md5(lead_id)::uuid, 'first_name', lead_id, 'received_via', 'webhook',
      'vendor_metadata', '{"is_test": true}'::jsonb),
    webhook => pg_temp.webhook(secret_id, delivery_id, part))
$$;
create function pg_temp.preview(secret_id uuid, delivery_id text) returns jsonb language sql as $$
  select public.preview_recruiting_lead(null, '{"first_name": "A"}', webhook => pg_temp.webhook(secret_id, delivery_id))
$$;
create function pg_temp.created(lead_id text) returns jsonb language sql as $$
  select jsonb_build_object('id', md5(lead_id)::uuid, 'status', 'created', 'distributed_to', null)
$$;
create function pg_temp.repeated(lead_id text) returns jsonb language sql as $$
  select jsonb_build_object('id', md5(lead_id)::uuid, 'status', 'duplicate')
$$;

select is(pg_temp.preview(first, 'd1') ->> 'status', 'created', 'a first delivery is no duplicate') from made;
select is(pg_temp.ingest(first, 'one', 'd1'), pg_temp.created('one'), 'a delivery stores a lead') from made;
select results_eq(
  $$select vendor_id, first_name, received_via from public.recruiting_leads where id = md5('one')::uuid$$,
  $$values (md5('hook')::uuid, 'one', 'webhook')$$, 'of the vendor of the secret');
select is(pg_temp.ingest(first, 'one', 'd1'), pg_temp.created('one'), 'a repeated call returns the first result') from made;
select is(
  pg_temp.ingest(second, 'two', 'd1'), pg_temp.repeated('one'),
  'a repeated delivery is a duplicate, also with another body and another secret')
from made;
select is(pg_temp.ingest(second, 'two', 'd1'), pg_temp.repeated('one'), 'and its repeated call too') from made;
select results_eq(
  $$select id, lead_id from public.recruiting_lead_duplicates where vendor_id = md5('hook')::uuid$$,
  $$values (md5('two')::uuid, md5('one')::uuid)$$, 'which is recorded once');
select is(pg_temp.preview(first, 'd1') - 'distributed_to', pg_temp.repeated('one'), 'a preview knows it as a duplicate') from made;
select is(pg_temp.ingest(first, 'part', 'd1', 1), pg_temp.created('part'), 'another part is another lead') from made;
select is(pg_temp.ingest(basic, 'other', 'd1'), pg_temp.created('other'), 'the id of another vendor is another id') from made;
select is(pg_temp.ingest(first, 'none ' || n, id), pg_temp.created('none ' || n), 'a delivery without an id is no repeat')
from made, (values (1, null), (2, null), (3, ''), (4, ' ')) as without (n, id);
select is(
  array[pg_temp.ingest(first, 'long', repeat('ä ', 1000)), pg_temp.ingest(first, 'x', repeat('ä ', 1000))],
  array[pg_temp.created('long'), pg_temp.repeated('long')], 'any text is an id')
from made;

select throws_ok(
  format($$select pg_temp.ingest_lead(null, '{"id": %s}', webhook => %L)$$, to_json(md5('nameless')::uuid), pg_temp.webhook(first, 'd2')),
  'PT400', private.lead_problem('{}'), 'a delivery without a name is refused')
from made;
select is(pg_temp.ingest(first, 'three', 'd2'), pg_temp.created('three'), 'which does not use its id up') from made;

-- A rejected delivery that is replayed
insert into public.rejected_deliveries (id, request_id, route, vendor_id, code, reason, payload_bytes, context)
select
  md5(name)::uuid, 'test', '/recruiting/webhooks/:slug', md5('hook')::uuid, 'BAD_REQUEST', 'no name', 2,
  jsonb_build_object('webhook', jsonb_build_object('delivery_id', delivery_id, 'part', part))
from (values
  ('came again', 'd2', 0), ('other part', 'd2', 1), ('refused', 'd4', 0), ('refused again', 'd4', 0), ('no id', null, 0)
) as refused (name, delivery_id, part);
create function pg_temp.replay(name text) returns jsonb language sql as $$
  select public.replay_delivery(md5(name)::uuid, '{"first_name": "A", "vendor_metadata": {"is_test": true}}')
$$;
select is(pg_temp.replay('came again'), pg_temp.repeated('three'), 'a rejected delivery that was stored when it came again');
select is(pg_temp.replay('other part'), pg_temp.created('other part'), 'another part of it was not stored');
select is(pg_temp.replay('refused'), pg_temp.created('refused'), 'nor was a delivery that was refused each time');
select is(pg_temp.replay('refused again'), pg_temp.repeated('refused'), 'it is stored once');
select is(pg_temp.ingest(first, 'late', 'd4'), pg_temp.repeated('refused'), 'and known when it comes after that') from made;
select is(pg_temp.replay('no id'), pg_temp.created('no id'), 'a delivery without an id is stored');

-- An Idempotency-Key of the same vendor, without and with a webhook
insert into public.vendor_api_keys (vendor_id, key_hash, key_prefix)
values (md5('hook')::uuid, repeat('f', 64), 'test-hook');
create function pg_temp.ingest_once(lead_id text, key_hash text, webhook jsonb) returns jsonb language sql as $$
  select pg_temp.ingest_lead(key_hash,
    jsonb_build_object('id', md5(lead_id)::uuid, 'first_name', lead_id, 'vendor_metadata', '{"is_test": true}'::jsonb),
    '{"key": "k", "part": 0, "request_hash": "h"}', webhook)
$$;
select is(
  array[
    pg_temp.ingest_once('k1', repeat('f', 64), null), pg_temp.ingest_once('k2', null, pg_temp.webhook(first)),
    pg_temp.ingest_once('k3', null, pg_temp.webhook(first))
  ],
  array[pg_temp.created('k1'), pg_temp.created('k2'), pg_temp.created('k2')],
  'an Idempotency-Key counts on the webhook too, and is not that of another route')
from made;

-- Seven days
update private.idempotency_keys set created_at = now() - interval '7 days' + interval '1 second'
where scope = 'delivery ' || md5('hook')::uuid;
select is(pg_temp.ingest(first, 'four', 'd2'), pg_temp.repeated('three'), 'an id is kept for 7 days') from made;
update private.idempotency_keys set created_at = now() - interval '7 days'
where scope = 'delivery ' || md5('hook')::uuid;
select is(pg_temp.preview(first, 'd2') ->> 'status', 'created', 'and not longer') from made;
select is(pg_temp.ingest(first, 'four', 'd2'), pg_temp.created('four'), 'then it may be used again') from made;
select is(pg_temp.ingest(first, 'five', 'd3'), pg_temp.created('five'), 'another delivery') from made;
select results_eq(
  $$select result ->> 'id' from private.idempotency_keys where scope = 'delivery ' || md5('hook')::uuid order by 1$$,
  $$select md5(lead_id)::uuid::text from (values ('four'), ('five')) as l (lead_id) order by 1$$, 'removes expired ids');

-- A lead that was deleted
delete from public.recruiting_leads where id = md5('five')::uuid;
select is(pg_temp.ingest(first, 'six', 'd3'), pg_temp.repeated('five'), 'a repeat of a deleted lead is a duplicate') from made;

-- Taken away
select is(public.revoke_vendor_webhook_secret(first), true, 'revoking a secret returns true') from made;
select is(public.revoke_vendor_webhook_secret(first), false, 'revoking it again returns false') from made;
select is(public.revoke_vendor_webhook_secret(gen_random_uuid()), false, 'revoking an unknown secret returns false');
select throws_ok(format('select pg_temp.%s', call), 'PT401', 'invalid webhook secret', 'a revoked secret stops at once: ' || call)
from made, lateral (values
  (format('ingest(%L, %L, %L)', first, 'seven', 'd9')), (format('ingest(%L, %L, %L)', first, 'one', 'd3')),
  (format('preview(%L, %L)', first, 'd9'))
) as calls (call);
select is(pg_temp.ingest(second, 'seven', 'd9'), pg_temp.created('seven'), 'the vendor''s other secret still works') from made;
update public.vendors set webhook_scheme = null where id = md5('hook')::uuid;
select throws_ok(format('select pg_temp.ingest(%L, %L, %L)', second, 'eight', 'd10'), 'PT401', null, 'a webhook that is switched off')
from made;
update public.vendors set webhook_scheme = 'standard', is_active = false where id = md5('hook')::uuid;
select throws_ok(format('select pg_temp.ingest(%L, %L, %L)', second, 'eight', 'd10'), 'PT401', null, 'an inactive vendor')
from made;
select is(public.identify_webhook('test-hook'), null, 'the webhook of an inactive vendor is not found');

delete from public.recruiting_leads where vendor_id = md5('hook')::uuid;
delete from public.vendors where id = md5('hook')::uuid;
select is_empty(
  $$select from private.vendor_webhook_secrets where vendor_id = md5('hook')::uuid$$,
  'the secrets of a vendor that is deleted are gone');

select * from finish();
rollback;
