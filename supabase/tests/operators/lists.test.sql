-- The views that operators list, and what they do to keys.
begin;
select plan(9);
\ir ../helpers.psql

select pg_temp.create_agency('agency', 'America/Chicago', 'ann', 'bob'), pg_temp.create_vendor('vendor', repeat('a', 64));

select lives_ok(
  format('set local role service_role; select * from public.%I; reset role', c.relname),
  c.relname || ' is open to the service role')
from pg_class c
where c.oid = any ('{public.webhook_secret_list, public.greeting_list, public.outbox_list}'::regclass[]);

insert into public.vendor_api_keys (vendor_id, key_hash, key_prefix, revoked_at, expires_at)
select md5('vendor')::uuid, md5(p) || md5(p), p, revoked_at, expires_at
from (values ('lik_revoked1', now(), null), ('lik_expired1', null, now()), ('lik_works111', null, 'infinity'))
  k (p, revoked_at, expires_at);
select results_eq(
  $$select key, state from public.key_list where key like 'lik_%1' order by key$$,
  $$values ('lik_expired1', 'expired'), ('lik_revoked1', 'revoked'), ('lik_works111', 'works')$$,
  'the state of a key');

create temp table slug as select v.slug from public.vendors v where v.id = md5('vendor')::uuid;
create temp table rotated as select public.rotate_vendor_api_keys((table slug), 'new', now() + interval '1 day') as r;
select ok((table rotated) -> 'ended' @> '["lik_works111"]', 'the keys that work end');
select ok(not (table rotated) -> 'ended' ?| '{lik_revoked1,lik_expired1}', 'but not those that do not');
select is(
  (select k.expires_at from public.vendor_api_keys k where k.key_prefix = 'lik_works111'), now() + interval '1 day',
  'a key that is kept for a while ends then');
select is(
  (select k.state from public.key_list k where k.key = left((table rotated) ->> 'key', 12)), 'works', 'the new key works');
select throws_ok($$select public.rotate_vendor_api_keys('nobody')$$, 'PT404', 'vendor_slug: no vendor "nobody"');

select * from finish();
rollback;
