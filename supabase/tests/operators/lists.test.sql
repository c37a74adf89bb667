-- The views that operators list, and what they do to orders and keys.
begin;
select plan(21);
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

create function pg_temp.save(settings jsonb, order_id uuid default null) returns public.recruiting_orders language sql
return public.save_order(settings, md5('agency')::uuid, order_id);
create temp table made as
select * from pg_temp.save('{"quantity": 3, "states": ["IL"], "ends_at": "2097-07-01", "starts_at": "2097-06-01T09:00Z"}');
select is((select ends_at from made), '2097-07-01T05:00Z', 'a day begins at midnight in the agency''s time zone');
select is((select starts_at from made), '2097-06-01T09:00Z', 'an offset counts');
select is((select (status, filled, priority, states) from made), ('open'::text, 0, 0, '{IL}'::text[]), 'an order is open');
select throws_ok(
  $$select pg_temp.save('{"quantity": 3, "states": ["IL", "ZZ"]}')$$, 'PT400', 'states: ZZ is no state', 'a state that is none');
select ok(
  (select (o.states, o.ends_at, o.quantity) is not distinct from (null::text[], m.ends_at, 3)
    from made m, pg_temp.save('{"states": null}', m.id) o),
  'null takes a setting away, and the others stay');

update public.recruiting_orders o set filled = 2 from made m where o.id = m.id;
select throws_ok(
  $$select pg_temp.save('{"quantity": 1}', id) from made$$, 'PT400',
  'quantity: 1 is less than the 2 leads it has already received');
select is((select o.status from made m, pg_temp.save('{"quantity": 2}', m.id) o), 'filled', 'a quantity that is reached');
select throws_ok(
  $$select public.set_order_status(id, 'open') from made$$, 'PT409', null, 'an order that is filled stays so');
select is((select o.status from made m, pg_temp.save('{"quantity": 3}', m.id) o), 'open', 'a higher one opens it again');
select is(
  (select array[p.status, c.status] from made m, public.set_order_status(m.id, 'paused') p,
    public.set_order_status(p.id, 'closed') c),
  '{paused,closed}', 'an order is paused and closed');
update public.agents a set is_active = false where a.id = md5('bob')::uuid;
select throws_like(
  $$select pg_temp.save(jsonb_build_object('agent_id', md5('bob')::uuid), id) from made$$,
  'agent_id: % is inactive and gets no lead: %');
select throws_ok($$select public.set_order_status(md5('none')::uuid, 'open')$$, 'PT404');

select * from finish();
rollback;
