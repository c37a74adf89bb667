-- The views that operators list, the ids by which they name a row, and what they do to keys.
begin;
select plan(12);
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

-- Names
insert into public.recruiting_orders (id, agency_id, quantity) values (md5('order')::uuid, md5('agency')::uuid, 1);
select results_eq(
  $$select noun, (select array_agg(f.id) from public.find_named(noun, upper(left(md5(name), 8))) f) = array[md5(name)::uuid],
      (select count(*) from public.find_named(noun, left(md5(name), 7)))
    from (values ('agency', 'agency'), ('agent', 'ann'), ('vendor', 'vendor'), ('order', 'order')) n (noun, name)$$,
  $$select noun, true, 0::bigint from unnest(array['agency', 'agent', 'vendor', 'order']) noun$$,
  'the first 8 characters of an id stand for its row, and 7 do not');

insert into public.recruiting_leads (id, vendor_id, vendor_lead_id, first_name) values
  (md5('lead')::uuid, md5('vendor')::uuid, 'app-1', 'Ada'), (md5('other')::uuid, md5('vendor')::uuid, left(md5('lead'), 8), 'Bob');
select results_eq(
  $$select given, (select array_agg(f.name) from public.find_lead(given) f)
    from unnest(array['app-1', md5('lead')::uuid::text, left(md5('lead'), 8), left(upper(md5('other')), 8), left(md5('lead'), 7)]) given$$,
  format($$values ('app-1', array['Ada']), (%L, '{Ada}'), (%L, '{Bob}'), (%L, '{Bob}'), (%L, null)$$, md5('lead')::uuid,
    left(md5('lead'), 8), left(upper(md5('other')), 8), left(md5('lead'), 7)),
  'a lead is found by the sender''s own id, which goes before the beginning of another lead''s id');
select pg_temp.create_vendor('second');
insert into public.recruiting_leads (vendor_id, vendor_lead_id, first_name) values (md5('second')::uuid, 'app-1', 'Cem');
select is((select count(*) from public.find_lead('app-1')), 2::bigint, 'of several vendors it stands for several');

select * from finish();
rollback;
