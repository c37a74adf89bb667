-- Refused proofs: how many requests to a vendor's webhook got 401, and why. Strangers send them.
begin;
select plan(13);
\ir ../helpers.psql

insert into public.vendors (id, slug, name, parser, webhook_scheme) values
  (md5('known')::uuid, 'test-known', 'Known', 'generic', 'standard'),
  (md5('off')::uuid, 'test-off', 'Off', 'generic', null);
create function pg_temp.counted() returns table (vendor text, reason text, requests bigint) language sql as $$
  select l.vendor, l.reason::text, l.requests from public.refused_proof_list l where l.vendor like 'test-%'
$$;

select is(
  public.record_refused_proofs('[
    {"slug": "test-known", "reason": "differs", "requests": 2}, {"slug": "test-known", "reason": "time_too_old", "requests": 1},
    {"slug": "test-off", "reason": "webhook_off", "requests": 3}, {"slug": "test-unknown", "reason": "webhook_off", "requests": 9}
  ]'),
  3, 'a row for each reason of a vendor is written');
select set_eq('select * from pg_temp.counted()',
  $$values ('test-known', 'differs', 2::bigint), ('test-known', 'time_too_old', 1), ('test-off', 'webhook_off', 3)$$,
  'nothing is kept of an unknown slug');

update private.refused_proofs set created_at = now() - interval '2 days';
select is(
  public.record_refused_proofs('[
    {"slug": "test-known", "reason": "differs", "requests": 1}, {"slug": "test-known", "reason": "differs", "requests": 4}
  ]'),
  1, 'one reason twice in a call is one row');
select results_eq(
  $$select l.requests, l.first_at = now() - interval '2 days', l.last_at = now()
    from public.refused_proof_list l where l.vendor = 'test-known' and l.reason = 'differs'$$,
  $$values (7::bigint, true, true)$$, 'a reason keeps its one row, with the first and the last request');
select is(public.record_refused_proofs('[]'), 0, 'no request is no row');
select throws_ok(
  $$select public.record_refused_proofs('[{"slug": "test-known", "reason": "because", "requests": 1}]')$$, '22P02', null,
  'another reason is refused');
select throws_ok(
  $$select public.record_refused_proofs('[{"slug": "test-off", "reason": "differs", "requests": 0}]')$$, '23514', null,
  'a count of none is refused');

-- Row level security and grants
select is((select relrowsecurity from pg_class where oid = 'private.refused_proofs'::regclass), true, 'the table has row level security');
select is(has_table_privilege('authenticated', 'private.refused_proofs', 'select')
  or has_table_privilege('anon', 'public.refused_proof_list', 'select')
  or has_table_privilege('authenticated', 'public.refused_proof_list', 'select'), false, 'no user reads it');

-- In the end
alter table private.refused_proofs disable trigger set_updated_at;
update private.refused_proofs set updated_at = now() - interval '31 days' where reason = 'time_too_old';
select is(public.prune_deliveries('30 days'), 0, 'prune_deliveries returns deliveries alone');
select set_eq('select reason from pg_temp.counted()', array['differs', 'webhook_off'], 'and deletes a count that has not grown for so long');
select lives_ok(format('select public.remove_vendor(%L)', md5('known')::uuid), 'strangers do not keep a vendor from being removed');
select is_empty($$select from pg_temp.counted() where vendor = 'test-known'$$, 'its counts go with it');

select * from finish();
rollback;
