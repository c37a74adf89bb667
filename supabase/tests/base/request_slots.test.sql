-- How many requests of users are served at once. Other connections hold slots as PostgREST's do: each in a transaction
-- of its own, until it ends.
begin;
create extension if not exists dblink with schema extensions;
select plan(15);
\ir ../helpers.psql

-- A connection on which a request of this user is under way, and has run for so long.
create function pg_temp.begin_request(connection text, name text, running interval default '0') returns void
language plpgsql as $$
begin
  perform pg_temp.hold('select 1', connection);
  perform from extensions.dblink(connection, format(
    'select set_config(''role'', %L, true), set_config(''request.jwt.claims'', %L, true), private.admit_request()',
    case when name in ('anon', 'service_role') then name else 'authenticated' end,
    case when name in ('anon', 'service_role') then '{}' else json_build_object('sub', md5(name)::uuid)::text end
  )) as admitted (a text, b text, c text);
  perform pg_sleep(extract(epoch from running));
end
$$;

-- Whether such a request is admitted, beside those under way. Its transaction ends at once.
create function pg_temp.is_admitted(name text) returns boolean language plpgsql as $$
begin
  perform pg_temp.begin_request('probe', name), pg_temp.let_go(connection => 'probe');
  return true;
exception when sqlstate 'PGRST' then
  perform extensions.dblink_disconnect('probe');
  return false;
end
$$;

select ok(of_caller = 3 and of_slow_callers < of_all and of_all < 10, 'the service always has some of the ten connections')
from private.request_slots;
select ok(busy_timeout < '1 s', 'a statement in a reserved slot has less than a second') from private.request_slots;
select throws_ok('insert into private.request_slots default values', '23505', null, 'there is one row');
select is(
  (select array_agg(c order by c) from pg_db_role_setting s, unnest(s.setconfig) c
    where s.setrole in ('authenticator'::regrole, 'authenticated'::regrole, 'anon'::regrole) and c ~ 'pre_request|authenticat'
      or s.setrole = 'authenticated'::regrole and c ~ 'statement_timeout' or s.setrole = 'anon'::regrole and c ~ 'statement_timeout'),
  array['pgrst.db_pre_request=private.admit_request', 'statement_timeout=1s', 'statement_timeout=3s'],
  'PostgREST calls the function, and statements of users and of callers without a login end after 3 s and 1 s');

-- On a busy computer nobody counts as slow before that is tested, and no statement of this test takes too long.
select pg_temp.commit($$update private.request_slots set slow_after = '1 hour', busy_timeout = '77 s'$$);

-- One user
select pg_temp.begin_request('ann' || n, 'ann') from generate_series(1, 3) n;
select ok(not pg_temp.is_admitted('ann'), 'a user has three requests at once, and no fourth');
select throws_like(
  $$select pg_temp.become('ann'), set_config('request.jwt.claims', json_build_object('sub', md5('ann')::uuid)::text, true),
    private.admit_request()$$,
  '%Send this one again in a second.%', 'words say what to do');
select ok(pg_temp.is_admitted('eve'), 'another user is admitted meanwhile');
select ok(pg_temp.is_admitted('service_role'), 'so is the service');
select pg_temp.let_go(connection => 'ann3');
select ok(pg_temp.is_admitted('ann'), 'a slot is free again when its transaction ends');

-- Many users: ann has two of the slots for all
select pg_temp.begin_request('other' || n, 'other ' || n) from generate_series(1, 4) n;
select ok(not pg_temp.is_admitted('eve') and not pg_temp.is_admitted('anon'), 'all users have six requests at once, and no seventh');
select ok(pg_temp.is_admitted('service_role'), 'the service is admitted beside them');
select is(
  (select timeouts from extensions.dblink('other1', $$select current_setting('statement_timeout')$$) as t (timeouts text)),
  '77s', 'while no slot is free for all users, a statement has only this time');
select pg_temp.let_go(connection => 'other' || n) from generate_series(1, 4) n;

-- A user who is slow
select pg_temp.let_go(connection => 'ann' || n) from generate_series(1, 2) n;
select pg_temp.commit($$update private.request_slots set slow_after = '2 s'$$);
select pg_temp.begin_request('open' || n, 'open ' || n) from generate_series(1, 2) n;
select pg_temp.begin_request('slow', 'slow', '2.1 s');
select pg_temp.begin_request('observer', 'observer');
select pg_temp.let_go(connection => 'slow');
select ok(not pg_temp.is_admitted('slow'), 'a user whose request was slow leaves the other slots to others');
select ok(pg_temp.is_admitted('eve'), 'who are admitted');
select pg_temp.let_go(connection => 'open1');
select ok(pg_temp.is_admitted('slow'), 'the slots of all users are open to a slow one as well');
select pg_temp.let_go(connection => name) from unnest(array['open2', 'observer']) name;
select pg_temp.commit($$update private.request_slots set slow_after = default, busy_timeout = default$$);

select * from finish();
rollback;
