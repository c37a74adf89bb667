-- How many requests of users the API serves at once. All roles share the few connections that PostgREST has to the
-- database, and a vendor's lead needs one of them. So a user who reads too much is refused at once, and never waits here.

create table private.request_slots (
  is_only_row boolean primary key default true check (is_only_row),
  of_caller integer not null default 3 check (of_caller > 0),
  of_slow_callers integer not null default 2 check (of_slow_callers > 0),
  -- PostgREST has ten connections.
  of_all integer not null default 6 check (of_all between of_slow_callers + 1 and 9),
  slow_after interval not null default '350 ms',
  busy_timeout interval not null default '500 ms'
);

comment on table private.request_slots is 'One row: how many requests of users the API serves at once.';
comment on column private.request_slots.of_caller is
  'The slots of one user. The desk sends as many requests at a time. Callers without a login share those of one user.';
comment on column private.request_slots.of_slow_callers is
  'The slots that all users may take. The others are for users who were not slow lately.';
comment on column private.request_slots.of_all is
  'All slots. It is less than the number of connections that PostgREST has, so that the service always has some.';
comment on column private.request_slots.slow_after is
  'A user is slow for 30 to 60 seconds where a request of the user has run for so long while no slot was free for all.';
comment on column private.request_slots.busy_timeout is
  'The time limit of a statement in one of the other slots, unless a function sets its own.';

insert into private.request_slots default values;
alter table private.request_slots enable row level security;

-- What is held is in advisory locks of two keys, which nothing else uses. The first key is the caller, or 0 for all
-- callers. The second is the number of a slot; when the request began (private.request_time()); or, where the caller was
-- slow, the number of that half minute. The last is held by the session of any connection: reads run in read-only
-- transactions, which write nothing.

create function private.admit_request() returns void
language plpgsql
security definer
set search_path = ''
as $$
declare
  slots private.request_slots;
  user_id text;
  caller integer;
begin
  if current_setting('role') = 'service_role' then
    return;
  end if;
  select s.* into slots from private.request_slots s;
  user_id := nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub';
  caller := greatest(1, hashtext(coalesce(user_id, '')) & 2147483647);

  if private.take_slot(caller, 1, slots.of_caller) then
    perform pg_advisory_xact_lock_shared(caller, private.request_time());
    if private.take_slot(0, 1, slots.of_slow_callers) then
      return;
    end if;
    -- One at a time, so that many who are slow for the first time leave some.
    if not private.is_slow(caller, slots.slow_after)
      and private.take_slot(caller, slots.of_caller + 1, slots.of_caller + 1)
      and private.take_slot(0, slots.of_slow_callers + 1, slots.of_all)
    then
      if current_setting('statement_timeout')::interval <= '3 s' then
        perform set_config('statement_timeout', extract(epoch from slots.busy_timeout) * 1000 || 'ms', true);
      end if;
      return;
    end if;
  end if;
  raise sqlstate 'PGRST' using
    message = '{"code": "TOO_MANY_REQUESTS", "message": "Too many requests at once. Send this one again in a second."}',
    detail = '{"status": 429, "headers": {"Retry-After": "1", "Access-Control-Expose-Headers": "Retry-After"}}';
end
$$;

comment on function private.admit_request() is
  'Called by PostgREST in the transaction of each request, before its work (db_pre_request). The service role passes. '
  'Anybody else gets one of the caller''s slots and one of all callers'', until the transaction ends, or 429. '
  'Security definer because users may not read the table. Only PostgREST calls it.';
grant execute on function private.admit_request() to anon, authenticated;

create function private.take_slot(key integer, first integer, last integer) returns boolean
language plpgsql
set search_path = ''
as $$
begin
  for slot in first..last loop
    if pg_try_advisory_xact_lock(key, slot) then
      return true;
    end if;
  end loop;
  return false;
end
$$;

comment on function private.take_slot(integer, integer, integer) is
  'Whether one of the slots of this key was free. It is taken until the transaction ends.';

create function private.request_time() returns integer
language plpgsql
set search_path = ''
as $$
begin
  return 1000000000 + (extract(epoch from clock_timestamp()) * 100)::bigint % 1000000000;
end
$$;

comment on function private.request_time() is
  'The present time in hundredths of a second, as the second key of a lock: it begins again every 115 days.';

create function private.is_slow(caller integer, slow_after interval) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  half_minute constant integer := extract(epoch from clock_timestamp()) / 30;
  began_before constant integer := private.request_time() - extract(epoch from slow_after) * 100;
  held record;
  slow integer[] := '{}';
begin
  for held in
    select
      l.classid::bigint::integer as caller,
      k.key between half_minute - 1 and half_minute as is_marked,
      l.pid = pg_backend_pid() and k.key between 1000 and half_minute - 2 as is_old,
      k.key between 1000000000 and began_before as is_running
    from pg_catalog.pg_locks l
    cross join lateral (select l.objid::bigint as key) k
    where l.locktype = 'advisory' and l.objsubid = 2 and l.classid <> 0
      and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())
    order by is_old desc, is_marked desc
  loop
    if held.is_old then
      perform pg_advisory_unlock_all();
    elsif held.is_marked then
      slow := slow || held.caller;
    elsif held.is_running and held.caller <> all (slow) then
      perform pg_advisory_lock_shared(held.caller, half_minute);
      slow := slow || held.caller;
    end if;
  end loop;
  return caller = any (slow);
end
$$;

comment on function private.is_slow(integer, interval) is
  'Whether a request of this caller has run for longer than that, lately or now. Marks all callers of whom it sees it.';

-- Roles belong to the server, which may have several such databases.
do $$
begin
  if not exists (
    select from pg_catalog.pg_db_role_setting s
    where s.setrole = 'authenticator'::regrole and 'pgrst.db_pre_request=private.admit_request' = any (s.setconfig)
  ) then
    alter role authenticator set pgrst.db_pre_request = 'private.admit_request';
    alter role authenticated set statement_timeout = '3s';
    alter role anon set statement_timeout = '1s';
    notify pgrst, 'reload config';
  end if;
end
$$;
