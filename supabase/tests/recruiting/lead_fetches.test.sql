-- The queue of leads that have to be fetched: who is given them, when, and what becomes of each.
begin;
select plan(60);
\ir ../helpers.psql

select pg_temp.create_vendor('one'), pg_temp.create_vendor('two'), pg_temp.create_vendor('three');
update public.vendors set webhook_scheme = 'meta', parser = 'meta' where slug like 'test-%';
insert into private.vendor_webhook_secrets (vendor_id, kind, secret, created_at) values
  (md5('one')::uuid, 'access_token', 'token of one', now()),
  (md5('one')::uuid, 'secret', 'older app secret', now() - interval '1 day'),
  (md5('one')::uuid, 'secret', 'app secret', now()),
  (md5('two')::uuid, 'access_token', 'token of two', now());

create function pg_temp.add(vendor text, variadic ids text[]) returns jsonb language plpgsql as $$
begin
  return public.add_lead_fetches(md5(vendor)::uuid, 'request', (
    select jsonb_agg(jsonb_build_object('leadgen_id', id, 'page_id', '7', 'form_id', '8', 'notice', jsonb_build_object('id', id)))
    from unnest(ids) id
  ));
end
$$;
create function pg_temp.claim(max integer default 10) returns setof text language sql as $$
  select c ->> 'leadgen_id' from jsonb_array_elements(public.claim_lead_fetches(max)) c order by 1
$$;
create function pg_temp.record(
  leadgen text, outcome text, reason text default null, retry_after integer default null, lead_id uuid default null,
  attempt integer default null, payload jsonb default null, token text default null
) returns text language plpgsql as $$
begin
  return (
    select public.record_lead_fetch(
      f.id, coalesce(record.attempt, f.attempt), coalesce((
        select s.id from private.vendor_webhook_secrets s where s.secret = token
      ), t.id), outcome, record.reason, retry_after, record.lead_id, payload)
    from private.lead_fetches f
    left join private.lead_fetch_tokens t on t.vendor_id = f.vendor_id
    where f.leadgen_id = leadgen
  );
end
$$;
-- The state of a fetch, when it is due from now on, and since when it is held.
create function pg_temp.shown(leadgen text) returns text language sql as $$
  select concat_ws(' ', f.state, case when f.due_at = 'infinity' then 'never' else (f.due_at - now())::text end,
    case when f.held_since is not null then 'held' end, f.reason)
  from private.lead_fetches f where f.leadgen_id = leadgen
$$;
create function pg_temp.fails_since(leadgen text, since interval) returns void language plpgsql as $$
begin
  update private.lead_fetches f set failing_since = now() - since where f.leadgen_id = leadgen;
end
$$;

-- Notices
select is(pg_temp.add('one', '11', '12', '11'), '{"added": 2, "of_others": []}', 'each id of a call is kept once');
select is(pg_temp.add('one', '11'), '{"added": 0, "of_others": []}', 'a notice that comes again changes nothing');
select is(f.xmax::text, '0', 'and locks nothing, so that no claim passes the fetch over at this moment')
from private.lead_fetches f where f.leadgen_id = '11';
select is(pg_temp.add('two', '11', '21'), '{"added": 1, "of_others": ["11"]}', 'the id of another vendor is not kept, and is named');
select throws_ok($$select pg_temp.add('one', '12x')$$, '23514', null, 'an id has digits alone');
select is(pg_temp.add('three', '31'), '{"added": 1, "of_others": []}', 'a vendor without a token has its notices kept');

-- Claims
create temporary table claimed as select c from jsonb_array_elements(public.claim_lead_fetches(10)) c;
select is(
  (select c - 'id' from claimed where c ->> 'leadgen_id' = '11'),
  jsonb_build_object(
    'attempt', 1, 'leadgen_id', '11', 'request_id', 'request', 'vendor_id', md5('one')::uuid, 'parser', 'meta',
    'parser_config', '{}'::jsonb, 'app_secrets', '["app secret", "older app secret"]'::jsonb,
    'token', (select jsonb_build_object('id', s.id, 'secret', s.secret) from private.vendor_webhook_secrets s
      where s.secret = 'token of one')),
  'a claim has all that the request to the vendor needs, the newest app secret first');
select results_eq(
  'select c ->> ''leadgen_id'' from claimed order by 1', array['11', '12', '21'],
  'fetches of several vendors are claimed together, but none of a vendor without a token');
select is(pg_temp.shown('31'), 'waiting 01:00:00 held no_token', 'which is held, and looked at again in an hour');
select is_empty('select pg_temp.claim()', 'nobody else gets what is claimed');
select ok(not private.is_fetch_due(), 'and nothing is due');
update private.lead_fetches set due_at = now() where leadgen_id = '12';
select ok(private.is_fetch_due(), 'the fetch of a worker that has died is due');
select results_eq('select pg_temp.claim()', array['12'], 'and is claimed again');

-- Passing failures
select is(pg_temp.record('12', 'later', 'HTTP 500', attempt => 1), 'waiting', 'the report of a claim that is over');
select is(pg_temp.shown('12'), 'waiting 00:01:00', 'changes nothing');
select pg_temp.record('12', 'later', 'HTTP 500');
select is(pg_temp.shown('12'), 'waiting 00:01:00 HTTP 500', 'a failure that may pass is retried in a minute');
select results_eq(
  $$
    select pause from (values (1, '59 s'), (2, '1 minute'), (3, '6 minutes'), (4, '21 minutes'), (5, '81 minutes'),
      (6, '261 minutes'), (7, '6 days')) t (n, failing)
    cross join lateral (select private.fetch_pause(failing::interval, null)) p (pause) order by n
  $$,
  array['1 minute', '5 minutes', '15 minutes', '1 hour', '3 hours', '6 hours', '6 hours']::interval[],
  'and then after ever longer pauses');
select is(private.fetch_pause('0', 1800), '30 minutes', 'or after the time that the vendor asks for');
select is(private.fetch_pause('0', 8640000), '1 day', 'of a day at most');
select pg_temp.fails_since('12', '7 days -1 s');
select is(pg_temp.record('12', 'later', 'HTTP 503'), 'waiting', 'it is retried for 7 days');
select pg_temp.fails_since('12', '7 days');
select is(pg_temp.record('12', 'later', 'HTTP 503'), 'failed', 'and has failed then');
select results_eq(
  $$select vendor_lead_id, reason, payload, status from public.rejected_deliveries where vendor_id = md5('one')::uuid$$,
  $$values ('12', 'Meta did not give the lead for 7 days: HTTP 503', '{"id": "12"}'::jsonb, 'open')$$,
  'with its notice as a rejected delivery');
select is(pg_temp.record('12', 'later', 'late'), 'failed', 'what comes after that changes nothing');
select is(pg_temp.record('11', 'missing', 'code 100/33'), 'waiting', 'a lead that is missing may come yet');
select pg_temp.fails_since('11', '1 day');
select is(pg_temp.record('11', 'missing', 'code 100/33'), 'failed', 'within a day');
select pg_temp.add('one', '14'), pg_temp.claim(), pg_temp.record('14', 'later', 'HTTP 500'), pg_temp.fails_since('14', '2 days');
select is(pg_temp.record('14', 'missing', 'code 100/33'), 'waiting', 'a day in which Meta said so, not one of other failures');
select is(pg_temp.shown('14'), 'waiting 00:01:00 code 100/33', 'and its pauses begin again');
select pg_temp.record('14', 'done');

-- A notice of what has failed
select is(pg_temp.add('one', '12'), '{"added": 1, "of_others": []}', 'the same notice begins a failed fetch again');
select is(pg_temp.shown('12'), 'waiting 00:00:00 HTTP 503', 'at once');
select ok(public.refetch_lead(d.id), 'as does a replay of its rejected delivery')
from public.rejected_deliveries d where d.vendor_lead_id = '11';
select is(pg_temp.shown('11'), 'waiting 00:00:00 code 100/33', 'which is due then');
select is(public.refetch_lead(gen_random_uuid()), false, 'an unknown delivery has nothing to fetch');

-- What is stored
insert into public.recruiting_leads (id, vendor_id, vendor_lead_id, first_name, received_via) values
  (md5('lead 12')::uuid, md5('one')::uuid, '12', 'Ada', 'webhook'), (md5('lead 13')::uuid, md5('one')::uuid, '13', 'Bo', 'webhook');
select results_eq('select pg_temp.claim()', array['11', '12'], 'both are claimed again');
select is(pg_temp.record('12', 'done', lead_id => md5('lead 12')::uuid), 'done', 'a lead is stored');
select is(d.status || ' ' || d.lead_id::text, 'replayed ' || md5('lead 12')::uuid::text, 'and its rejected delivery is replayed')
from public.rejected_deliveries d where d.vendor_lead_id = '12';
select is(pg_temp.record('12', 'failed', 'late'), 'done', 'nothing changes it then');
select is(pg_temp.add('one', '12', '13'), '{"added": 0, "of_others": []}', 'a lead that is stored is not fetched');
select is(pg_temp.record('11', 'failed', 'no name', payload => '{"id": "11", "field_data": []}'), 'failed',
  'a lead that cannot be stored has failed at once');
select is(d.reason || ' ' || d.payload::text, 'no name {"id": "11", "field_data": []}', 'and what was fetched is kept')
from public.rejected_deliveries d where d.vendor_lead_id = '11' order by d.received_at desc limit 1;
select is(pg_temp.record('11', 'done'), 'done', 'a report that it is stored counts, however late');

-- A token that is refused
select pg_temp.add('two', '22', '23'), pg_temp.claim();
select is(pg_temp.record('22', 'refused', 'code 190'), 'waiting', 'the token is refused');
select results_eq(
  $$select pg_temp.shown(id) from unnest(array['21', '22', '23']) id$$,
  array['waiting 01:00:00 held code 190', 'waiting never held code 190', 'waiting never held code 190'],
  'all fetches of the vendor wait, and one is tried in an hour');
select pg_temp.add('two', '24');
select is(pg_temp.shown('24'), 'waiting never held', 'a new notice waits, too');
update private.lead_fetches set due_at = now() where leadgen_id = '21';
select results_eq('select pg_temp.claim()', array['21'], 'one is tried');
select pg_temp.record('21', 'later', 'HTTP 500');
select is(pg_temp.shown('21'), 'waiting 00:01:00 held HTTP 500', 'a passing failure says nothing of the token');
update private.lead_fetches set due_at = now() where leadgen_id = '21';
select pg_temp.claim(), pg_temp.record('21', 'refused', 'code 200');
select results_eq(
  $$select pg_temp.shown(id) from unnest(array['21', '24']) id$$,
  array['waiting never held code 200', 'waiting 01:00:00 held code 200'],
  'after another refusal another one is tried, as one lead may be refused for its page alone');
select pg_temp.record('21', 'done');
select results_eq(
  $$select pg_temp.shown(id) from unnest(array['22', '23', '24']) id$$,
  array['waiting 00:00:00 code 200', 'waiting 00:00:00 code 200', 'waiting 00:00:00 code 200'],
  'when it is had, the others are due');
select results_eq('select pg_temp.claim(1)', array['24'], 'one that was tried less comes first, so that one refused alone is last');
select pg_temp.claim(), pg_temp.record('22', 'refused', 'code 190');
insert into private.vendor_webhook_secrets (vendor_id, kind, secret) values (md5('two')::uuid, 'access_token', 'another');
select is(
  array(select (c #>> '{token,secret}') || (c ->> 'leadgen_id') from jsonb_array_elements(public.claim_lead_fetches(10)) c order by 1),
  array['another22', 'another23', 'another24'], 'a new token starts all, and is used');
select is(pg_temp.record('22', 'refused', 'code 190', token => 'token of two'), 'waiting', 'a late refusal of the token before');
select results_eq(
  $$select pg_temp.shown(id) from unnest(array['22', '23']) id$$,
  array['waiting 00:00:00 code 190', 'waiting 00:01:00 code 190'],
  'holds nothing, and that lead is fetched again at once');
select pg_temp.record('23', 'refused', 'code 100');
insert into private.vendor_webhook_secrets (vendor_id, kind, secret) values (md5('two')::uuid, 'verify_token', 'words');
select is(pg_temp.shown('23'), 'waiting never held code 100', 'a verify token starts nothing');
insert into private.vendor_webhook_secrets (vendor_id, kind, secret) values (md5('two')::uuid, 'secret', 'app secret');
select is(pg_temp.shown('23'), 'waiting 00:00:00 code 100', 'a new secret of the app starts all, as it proves the requests');
update private.vendor_webhook_secrets set revoked_at = now() where vendor_id = md5('two')::uuid and kind = 'access_token';
update private.lead_fetches set due_at = now() where vendor_id = md5('two')::uuid and state = 'waiting';
select is_empty('select pg_temp.claim()', 'a vendor whose tokens are revoked gets none');
select is(pg_temp.shown('22'), 'waiting never held no_token', 'and waits');

-- The rights, and the plans
select throws_ok(
  format('select public.record_lead_fetch(%L, 1, %1$L, %L)', gen_random_uuid(), 'gone'), '22023', null, 'an unknown outcome is an error');
select is(
  (public.identify_webhook('test-one') -> 'fetches_leads')::text || (public.identify_webhook('test-one') -> 'secrets' @@ '$[*].kind == "access_token"')::text,
  'truefalse', 'a webhook knows that it fetches, and not the token');
insert into private.lead_fetches (vendor_id, leadgen_id, notice, request_id, state)
select md5('one')::uuid, (1000000 + n)::text, '{}', 'request', 'done' from generate_series(1, 5000) n;
select ok(
  pg_temp.plan_of($$
    select f.id from private.lead_fetches f where f.state = 'waiting' and f.due_at <= now() order by f.due_at, f.attempt limit 5
  $$)
    like '%lead_fetches_due_at_idx%', 'those that are due are found by their index');
insert into private.lead_fetches (vendor_id, leadgen_id, notice, request_id, due_at, held_since)
select md5('two')::uuid, (2000000 + n)::text, '{}', 'request', 'infinity', now() from generate_series(1, 5000) n;
analyze private.lead_fetches;
select ok(
  pg_temp.plan_of(format($$select f.id from private.lead_fetches f where f.vendor_id = %L and f.state = 'waiting'$$, md5('three')::uuid))
    like '%lead_fetches_waiting_idx%', 'those of a vendor that wait are found by theirs');
select ok(
  pg_temp.plan_of(format(
    $$select min(f.held_since) from private.lead_fetches f where f.vendor_id = %L and f.held_since is not null$$, md5('two')::uuid))
    ~ 'Limit.*lead_fetches_held_idx', 'whether a vendor''s are held is seen by the first of them');

select * from finish();
rollback;
