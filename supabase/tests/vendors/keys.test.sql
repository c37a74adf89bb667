-- API keys of vendors: made, used, rotated, expired, revoked.
begin;
select plan(28);

insert into public.vendors (id, slug, name, parser, parser_config) values
  (md5('vendor')::uuid, 'test-vendor', 'Vendor', 'generic', '{"a": 1}');

create function pg_temp.hash(key text) returns text language sql as $$select encode(sha256(convert_to(key, 'UTF8')), 'hex')$$;

create temp table made as
select
  public.create_vendor_api_key('test-vendor', 'first') as first,
  public.create_vendor_api_key('test-vendor', 'second', now() + interval '1 hour') as second,
  public.create_vendor_api_key('test-vendor', 'third', now() - interval '1 second') as expired;

select matches(first, '^lik_[A-Za-z0-9_-]{43}$', 'a key is lik_ and 256 bits in base64url') from made;
select isnt(first, second, 'two keys are different') from made;
select results_eq(
  $$select key_hash, key_prefix, label, expires_at, revoked_at from public.vendor_api_keys k, made
    where k.vendor_id = md5('vendor')::uuid and k.label = 'first'$$,
  $$select pg_temp.hash(first), left(first, 12), 'first', null::timestamptz, null::timestamptz from made$$,
  'the hash and the first 12 characters of a key are stored');
select is_empty(
  $$select from public.vendor_api_keys k, made where to_jsonb(k)::text like '%' || substr(first, 13) || '%'$$,
  'the key itself is not stored');

select is(
  public.authenticate_vendor(pg_temp.hash(first)),
  jsonb_build_object('vendor_id', md5('vendor')::uuid, 'parser', 'generic', 'parser_config', '{"a": 1}'::jsonb, 'rate_limit', null),
  'a key identifies its vendor and selects the parser')
from made;
select lives_ok(format('select public.authenticate_vendor(%L)', pg_temp.hash(second)), 'a second key works at the same time as the first')
from made;
select throws_ok(format('select public.authenticate_vendor(%L)', hash), 'PT401', 'invalid API key', description)
from made, lateral (values
  (pg_temp.hash(expired), 'an expired key'), (pg_temp.hash('lik_unknown'), 'an unknown key'), ('', 'an empty hash'),
  (null, 'no hash'), (upper(pg_temp.hash(first)), 'a hash in upper case')
) as wrong (hash, description);

update public.vendors set parser = null where id = md5('vendor')::uuid;
select is(public.authenticate_vendor(pg_temp.hash(first)) -> 'parser', 'null', 'a vendor without a parser is authenticated')
from made;

update public.vendors set is_active = false where id = md5('vendor')::uuid;
select throws_ok(
  format('select public.authenticate_vendor(%L)', pg_temp.hash(first)), 'PT401', 'invalid API key',
  'a key of an inactive vendor')
from made;
update public.vendors set is_active = true where id = md5('vendor')::uuid;

select is(public.revoke_vendor_api_key(left(first, 12)), true, 'revoking a key returns true') from made;
select throws_ok(format('select public.authenticate_vendor(%L)', pg_temp.hash(first)), 'PT401', 'invalid API key', 'a revoked key')
from made;
select lives_ok(format('select public.authenticate_vendor(%L)', pg_temp.hash(second)), 'the vendor''s other key still works')
from made;
select is(public.revoke_vendor_api_key(left(first, 12)), false, 'revoking a key again returns false') from made;
select is(public.revoke_vendor_api_key('lik_nothing'), false, 'revoking an unknown key returns false');
select throws_ok(
  $$select public.create_vendor_api_key('nobody', 'x')$$,
  'PT404', 'vendor_slug: no vendor "nobody"', 'a key for an unknown vendor');

select throws_ok(
  format('select public.%s(%L, %s)', function, pg_temp.hash(first), argument), 'PT401', 'invalid API key',
  function || ' checks the key again in its own transaction')
from made, (values
  ('preview_recruiting_lead', $$'{"first_name": "A"}'$$),
  ('preview_recruiting_lead_batch', $$'[]'$$),
  ('ingest_recruiting_lead_batch', $$'[]'$$)
) as functions (function, argument);

select is(
  public.ingest_recruiting_leads(jsonb_build_array(
    jsonb_build_object('key_hash', pg_temp.hash(first), 'lead', '{"id": "00000000-0000-4000-8000-000000000000", "first_name": "A"}'::jsonb),
    jsonb_build_object('key_hash', pg_temp.hash(second), 'lead', '{"id": "00000000-0000-4000-8000-000000000001", "first_name": "B"}'::jsonb)
  )) #>> '{0,error,message}', 'invalid API key', 'ingest_recruiting_leads checks each key again')
from made;

-- When a key was last used
insert into public.vendors (id, slug, name) values (md5('used')::uuid, 'test-used', 'Used');
insert into public.vendor_api_keys (vendor_id, key_hash, key_prefix) values
  (md5('used')::uuid, repeat('c', 64), 'used'), (md5('used')::uuid, repeat('d', 64), 'unused');
select is(
  public.identify_vendor(repeat('c', 64)), public.authenticate_vendor(repeat('c', 64)),
  'identify_vendor() returns what authenticate_vendor() returns');
select results_eq(
  $$select key_prefix, last_used_at from public.vendor_api_keys where vendor_id = md5('used')::uuid order by 1$$,
  $$values ('unused', null), ('used', now())$$, 'and notes that the key was used');
update public.vendor_api_keys set last_used_at = now() - interval '30 seconds' where key_prefix = 'used';
select public.identify_vendor(repeat('c', 64));
select is(last_used_at, now() - interval '30 seconds', 'at most once a minute')
from public.vendor_api_keys where key_prefix = 'used';
update public.vendor_api_keys set last_used_at = now() - interval '61 seconds' where key_prefix = 'used';
select public.identify_vendor(repeat('c', 64));
select is(last_used_at, now(), 'a minute later it is noted again') from public.vendor_api_keys where key_prefix = 'used';
select throws_ok($$select public.identify_vendor(repeat('0', 64))$$, 'PT401', 'invalid API key', 'an unknown key is refused');

select * from finish();
rollback;
