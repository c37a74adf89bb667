-- Limits how many user requests the API serves at a time. All roles share PostgREST's few connections to the database,
-- and a vendor's lead needs one of them. A user who reads too much is therefore refused immediately, and never waits
-- here.

create table private.request_slots (
  is_only_row boolean primary key default true check (is_only_row),
  of_caller integer not null default 3 check (of_caller > 0),
  of_slow_callers integer not null default 2 check (of_slow_callers > 0),
  -- PostgREST has ten connections.
  of_all integer not null default 6 check (of_all between of_slow_callers + 1 and 9),
  slow_after interval not null default '350 ms',
  busy_timeout interval not null default '500 ms'
);

comment on table private.request_slots is 'One row: how many user requests the API serves at a time.';
comment on column private.request_slots.of_caller is
  'The slots of one user. The desk sends as many requests at a time. Callers who are not signed in share the slots of '
  'one user.';
comment on column private.request_slots.of_slow_callers is
  'The slots that all users may take. The others are reserved for users who were not slow recently.';
comment on column private.request_slots.of_all is
  'All slots. There are fewer than PostgREST has connections, so that some are always left for the service.';
comment on column private.request_slots.slow_after is
  'A user becomes slow for 30 to 60 seconds if a request of the user has run for this long while no shared slot was '
  'free.';
comment on column private.request_slots.busy_timeout is
  'The statement timeout in the reserved slots, unless a function sets its own.';

insert into private.request_slots default values;
alter table private.request_slots enable row level security;

-- Slots are advisory locks with two keys, which nothing else uses. The first key is the caller, or 0 for all callers.
-- The second is the number of a slot; the time when the request began (private.request_time()); or, for a slow caller,
-- the number of that half minute. The session of any connection holds the last: reads run in read-only transactions,
-- which write nothing.

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
    -- One at a time, so that many users who become slow at the same time leave some slots.
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
  'PostgREST calls it in the transaction of each request, before its work (db_pre_request). The service role passes. '
  'Anybody else gets one of the caller''s slots and one of the shared slots until the transaction ends, or 429. '
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
  'Takes one of the slots of this key until the transaction ends. Returns whether one was free.';

create function private.request_time() returns integer
language plpgsql
set search_path = ''
as $$
begin
  return 1000000000 + (extract(epoch from clock_timestamp()) * 100)::bigint % 1000000000;
end
$$;

comment on function private.request_time() is
  'Returns the current time in hundredths of a second, as the second key of a lock; it wraps around every 115 days.';

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
  'Returns whether a request of this caller runs, or recently ran, for longer than this. Marks every slow caller that '
  'it finds.';

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
