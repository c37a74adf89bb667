-- supabase/schemas, one file after the other, in the order of supabase/config.toml.
-- Written by `npm run migration -- --baseline` until the first deployment, and never changed after it.

-- supabase/schemas/base/privileges.sql

-- A role has only the privileges that are granted explicitly, beside the table or function concerned. Two defaults
-- would grant more, so they are removed before the first object is created: hosted projects grant everything new in
-- `public` to the API roles, and Postgres grants execute on every new function to everybody.
alter default privileges in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges in schema public revoke all on functions from anon, authenticated, service_role;
alter default privileges in schema public revoke all on sequences from anon, authenticated, service_role;
alter default privileges revoke execute on functions from public;

-- A project may already have a schema with this name.
create schema if not exists private;
comment on schema private is 'Helpers of the functions, triggers and policies in public. No API exposes it.';
revoke all on schema private from public;

-- The service role may call all of them, because it bypasses every policy anyway. Other users may call those that are
-- granted to them explicitly.
grant usage on schema private to anon, authenticated, service_role;
alter default privileges in schema private grant execute on functions to service_role;

-- supabase/schemas/base/domains.sql

-- The values that several columns may have. An error names the domain and not the column, so a check constraint of the
-- column is better if people enter the value. Postgres cannot compare a record that contains a domain with one that
-- contains text. Functions use pg_input_is_valid().

create domain public.e164 as text check (value ~ '^\+[1-9][0-9]{1,14}$');
comment on domain public.e164 is 'A phone number in E.164 (ITU-T).';

create domain public.service_phone as text check (value ~ '^(\+[1-9][0-9]{1,14}|[0-9]{5,6})$');
comment on domain public.service_phone is 'One of our numbers: E.164, or a short code of 5 or 6 digits.';

create domain public.consent_state as text check (value in ('opted_in', 'opted_out'));
comment on domain public.consent_state is 'Whether a recruit has opted in to, or out of, the texts of an agency.';

-- supabase/schemas/base/tables.sql

-- Stored results and counts of requests.

create table private.idempotency_keys (
  scope text not null,
  -- Not {1,255}, because such a bounded repetition costs about 50 us per key.
  key text not null check (key ~ '^[\x21-\x7e]+$' and length(key) <= 255),
  part integer not null,
  request_hash text,
  result jsonb not null,
  retention interval not null default '24 hours',
  created_at timestamptz not null default now(),
  primary key (scope, key, part)
);

create index on private.idempotency_keys (retention, created_at);

comment on table private.idempotency_keys is
  'The results of requests with an Idempotency-Key, or with the id of a webhook''s delivery. Errors are not stored.';
comment on column private.idempotency_keys.scope is
  'Route and caller, e.g. `ingest <vendor id>`, or `delivery <vendor id>` for the ids of a vendor''s deliveries. Keys '
  'of different callers or routes are independent.';
comment on column private.idempotency_keys.key is 'The key as sent, or the SHA-256 of a delivery''s id in hexadecimal.';
comment on column private.idempotency_keys.part is
  'The part of the request, from 0: an import is stored in several transactions, each with its own result.';
comment on column private.idempotency_keys.request_hash is
  'SHA-256 of the request''s body, in hexadecimal; null if the key identifies the request whatever its body.';
comment on column private.idempotency_keys.result is 'The result that the SQL function returned the first time.';
comment on column private.idempotency_keys.retention is 'How long after created_at the key is kept.';

alter table private.idempotency_keys enable row level security;
grant select, insert, update, delete on private.idempotency_keys to service_role;

-- Unlogged: a count is worthless after its minute, so it need not survive a crash of the server.
create unlogged table private.request_counts (
  bucket text primary key,
  window_start timestamptz not null,
  requests integer not null,
  created_at timestamptz not null default now()
);

create index on private.request_counts (window_start);

comment on table private.request_counts is
  'The requests of the current minute, one row for each caller or lead with a limit.';
comment on column private.request_counts.bucket is 'The counted caller, e.g. `vendor <id>` or `import`.';
comment on column private.request_counts.window_start is
  'Time of the first request of the minute. The first request after that minute begins the next one.';

alter table private.request_counts enable row level security;
grant select, insert, update, delete on private.request_counts to service_role;

-- The state of scheduled jobs.

create table private.job_runs (
  job text primary key,
  started_at timestamptz not null,
  ended_at timestamptz,
  heartbeat_at timestamptz
);

comment on table private.job_runs is 'The last run of each job that a scheduler starts.';
comment on column private.job_runs.job is 'The name of the job, e.g. `check alerts`.';
comment on column private.job_runs.started_at is 'The time that the run uses as the current time. It never goes back.';
comment on column private.job_runs.ended_at is 'When a run last ended without an error; null: never.';
comment on column private.job_runs.heartbeat_at is 'When a monitor was last notified that the job runs; null: never.';

alter table private.job_runs enable row level security;
grant select, insert, update, delete on private.job_runs to service_role;

-- supabase/schemas/base/helpers.sql

-- Functions that several areas share.

create function private.set_updated_at() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end
$$;

comment on function private.set_updated_at() is
  'Trigger of every table with an updated_at: sets it to the time of the transaction that changes the row.';

-- Leads call these four, so they are not SQL functions, which would be planned at each call.

create function private.lead_state(vendor_metadata jsonb) returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return case when vendor_metadata ->> 'state' ~ '^[A-Za-z]{2}$' then upper(vendor_metadata ->> 'state') end;
end
$$;

comment on function private.lead_state(jsonb) is
  'Returns the state of a lead with this vendor_metadata, in two capitals: the value of recruiting_leads.state, also '
  'before the lead is stored. Null for anything but two letters.';

create function private.indexable_id(id text) returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return case
    when btrim(id) = '' then null
    when length(id) <= 512 then id
    else 'sha256:' || encode(sha256(convert_to(id, 'UTF8')), 'hex')
  end;
end
$$;

comment on function private.indexable_id(text) is
  'Returns a vendor''s or provider''s id in its stored form: null if blank; if longer than 512 characters, `sha256:` '
  'and its SHA-256 in hexadecimal, because an index entry cannot be larger than about 2,700 bytes.';

create function private.erased_id(vendor_id uuid, id text) returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return 'sha256:' || encode(sha256(convert_to(concat_ws(' ', vendor_id, id), 'UTF8')), 'hex');
end
$$;

comment on function private.erased_id(uuid, text) is
  'Returns the replacement of a vendor''s id that contains the phone or email address of an erased person: `sha256:` '
  'and the SHA-256 of the vendor''s id and this one in hexadecimal.';

create function private.time_ordered_id() returns uuid
language plpgsql
volatile
set search_path = ''
as $$
begin
  return encode(
    overlay(
      uuid_send(gen_random_uuid())
      placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
      from 1 for 6),
    'hex')::uuid;
end
$$;

comment on function private.time_ordered_id() is
  'Returns a new id that begins with the time: new ids are added at the end of their index, and not to a page that '
  'must be read first.';

-- Texts that people have typed or pasted.

create function private.visible_text(given text, instead text default '') returns text
language plpgsql
immutable
set search_path = ''
as $$
declare
  -- Control characters and invisible characters: Default_Ignorable_Code_Point (Unicode Standard, section 5.21) and
  -- interlinear annotation marks, such as zero-width spaces and joiners, soft hyphens, direction marks, variation
  -- selectors and tags.
  invisible constant text :=
    '[\x01-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e'
    '\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]';
  line_break constant text := '\r\n|[\x0a-\x0d\u0085\u2028\u2029]';
  -- [[:space:]] depends on the locale. The last but one character is the blank Braille pattern.
  blank constant text := '[\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]';
begin
  return regexp_replace(regexp_replace(regexp_replace(
    given, invisible, instead, 'g'), line_break, e'\n', 'g'), blank, ' ', 'g');
end
$$;

comment on function private.visible_text(text, text) is
  'Returns a text as its reader sees it: without characters that are invisible, change the direction or control a '
  'terminal. All whitespace becomes spaces and line feeds. instead: the replacement of each removed character.';

create function private.utf16_length(given text) returns integer
language plpgsql
immutable
set search_path = ''
as $$
begin
  return length(given) + regexp_count(given, '[\U00010000-\U0010FFFF]');
end
$$;

comment on function private.utf16_length(text) is
  'Returns the length of a text in UTF-16 units, as the SMS provider and JavaScript count it. Most emoji have two or '
  'more.';

-- Values in error messages.

create function private.quoted(value anyelement, most integer default 100) returns text
language sql
stable
set search_path = ''
as $$
  select regexp_replace(left(t.text, most), '[\x01-\x1f\x7f-\x9f\u2028\u2029]', '?', 'g')
    || case when length(t.text) > most then '...' else '' end
  from (select value::text as text) t
$$;

comment on function private.quoted(anyelement, integer) is
  'Returns a value for an error message: truncated to this many characters, with `?` in place of each control '
  'character and line separator. PostgREST writes the message of an error with a SQLSTATE PTxyz into the status line '
  'of its response, where a line end would begin a header.';
grant execute on function private.quoted(anyelement, integer) to authenticated;

create function private.iso_time(moment timestamptz) returns text
language sql
stable
set search_path = ''
return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

comment on function private.iso_time(timestamptz) is 'A time as ISO 8601 in UTC, to the millisecond.';

-- Batches of rows: a row that the database refuses is reported, and the other rows are stored.

create function private.is_call_error(code text) returns boolean
language sql
immutable
set search_path = ''
as $$
  -- The connection, a read-only transaction, a deadlock, resources, an operator, the system; a lock, and corrupted
  -- files.
  select left(code, 2) in ('08', '25', '40', '53', '57', '58') or code in ('55006', '55P03', 'XX001', 'XX002')
$$;

comment on function private.is_call_error(text) is
  'Returns whether an error with this SQLSTATE is never caused by a row, such as a lock or a full disk. It ends the '
  'whole call.';

create function private.row_error(code text) returns jsonb
language sql
immutable
set search_path = ''
as $$
  select jsonb_build_object('error', jsonb_build_object(
    'code', code, 'message', format('refused by the database (SQLSTATE %s)', code)))
$$;

comment on function private.row_error(text) is
  'Returns the result of a row that the database refused: {error: {code, message}}. The message contains only the '
  'SQLSTATE, because the error''s own message may quote data or internal names.';

create function private.require_stored(results jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  code text;
begin
  if results @? '$[*] ? (!exists (@.error))' then
    return;
  end if;
  -- Class 22 is invalid data, 23 and 44 are violated constraints, P0 is a raised exception: only the row is at fault. A
  -- trigger may also raise an exception with its own code, so every class that Postgres itself does not use counts as
  -- well.
  select r #>> '{error,code}' into code
  from jsonb_array_elements(results) r
  where left(r #>> '{error,code}', 2) in (
    '00', '01', '02', '03', '08', '09', '0A', '0B', '0F', '0L', '0P', '0Z', '10', '20', '21', '24', '25', '26', '27',
    '28', '2B', '2D', '2F', '34', '38', '39', '3B', '3D', '3F', '40', '42', '53', '54', '55', '57', '58', '72', 'F0',
    'HV', 'XX'
  )
  limit 1;
  if found then
    raise exception 'no row could be stored' using errcode = code;
  end if;
end
$$;

comment on function private.require_stored(jsonb) is
  'Ends the call if all of its rows have an error, and one of these may concern all rows. results: an array of '
  '{error: {code, message}} or anything else. Raises that error''s code.';

create function private.operator_name() returns text
language sql
stable
set search_path = ''
return left(coalesce(
  nullif(current_setting('admin.operator', true), ''),
  nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email'), 128);

comment on function private.operator_name() is
  'Returns the name of the operator in this transaction: the setting admin.operator of the command, or the email '
  'address of the signed-in user; null if there is neither.';
grant execute on function private.operator_name() to service_role;

-- supabase/schemas/base/rate_limits.sql

-- Counts of requests toward a limit. Callers without a limit are not counted.

create function public.count_request(bucket text, per_minute integer) returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '2s'
as $$
begin
  return jsonb_build_object('retry_after', private.seconds_until_allowed(bucket, per_minute));
end
$$;

comment on function public.count_request(text, integer) is
  'Counts a request toward a limit of requests per minute, and stores the count even if the request is refused. '
  'Returns {retry_after: null} if the request is within the limit, otherwise {retry_after: <seconds>}.';
grant execute on function public.count_request(text, integer) to service_role;

create function private.seconds_until_allowed(bucket text, per_minute integer) returns integer
language plpgsql
set search_path = ''
as $$
declare
  moment constant timestamptz := clock_timestamp();
  counted private.request_counts;
begin
  -- The row's lock serializes the counting of parallel requests.
  insert into private.request_counts as r (bucket, window_start, requests)
  values (seconds_until_allowed.bucket, moment, 1)
  on conflict on constraint request_counts_pkey do update
  set
    window_start = case when r.window_start <= moment - interval '1 minute' then moment else r.window_start end,
    requests = case when r.window_start <= moment - interval '1 minute' then 1 else r.requests + 1 end
  returning * into counted;

  -- The first request of a minute removes a few rows of callers that have stopped.
  if counted.requests = 1 then
    delete from private.request_counts r
    where r.bucket in (
      select old.bucket
      from private.request_counts old
      where old.window_start < moment - interval '1 hour'
      limit 10
      for update skip locked
    );
  end if;

  if counted.requests <= per_minute then
    return null;
  end if;
  return greatest(1, least(60, ceil(extract(epoch from counted.window_start + interval '1 minute' - moment))));
end
$$;

comment on function private.seconds_until_allowed(text, integer) is
  'Counts a request of this bucket. Returns null if it is within per_minute; otherwise the seconds, 1 to 60, until '
  'the next minute begins.';

-- supabase/schemas/base/request_slots.sql

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

-- supabase/schemas/base/idempotency.sql

-- The Idempotency-Key header: a repeated request gets the first response, and changes nothing. The id of a webhook's
-- delivery works in the same way.

create function private.find_idempotent_result(scope text, idempotency jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  is_alone boolean;
  kept jsonb;
begin
  if idempotency is null then
    return null;
  end if;

  -- Held until the transaction ends, so only one of two concurrent requests proceeds, and the other does not wait.
  is_alone := pg_try_advisory_xact_lock(
    hashtextextended(format('idempotency %s %s %s', scope, idempotency ->> 'part', idempotency ->> 'key'), 0));

  -- Another body may have other parts, so all parts are compared.
  if exists (
    select
    from private.idempotency_keys k
    where k.scope = find_idempotent_result.scope
      and k.key = idempotency ->> 'key'
      and k.request_hash <> idempotency ->> 'request_hash'
      and k.created_at > now() - k.retention
  ) then
    raise exception 'Idempotency-Key: the key came before with another body' using errcode = 'PT422';
  end if;

  -- After trying the lock: its holder may also only be reading a result, which this new statement then sees.
  select k.result into kept
  from private.idempotency_keys k
  where k.scope = find_idempotent_result.scope
    and k.key = idempotency ->> 'key'
    and k.part = (idempotency ->> 'part')::integer
    and k.created_at > now() - k.retention;
  if kept is null and not is_alone then
    raise exception 'the first request with this Idempotency-Key or webhook id is still at work' using errcode = 'PT409';
  end if;
  return kept;
end
$$;

comment on function private.find_idempotent_result(text, jsonb) is
  'Returns the stored result of the first request with this key, or null. idempotency: {key, part, '
  'request_hash|null}, or null for a request without a key. PT409 while the first transaction with the same key is in '
  'progress; PT422 if the key was used with another body.';

create function private.save_idempotent_result(
  scope text,
  idempotency jsonb,
  result jsonb,
  retention interval default '24 hours'
) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  if idempotency is null then
    return result;
  end if;

  insert into private.idempotency_keys (scope, key, part, request_hash, result, retention)
  values (
    save_idempotent_result.scope,
    idempotency ->> 'key',
    (idempotency ->> 'part')::integer,
    idempotency ->> 'request_hash',
    save_idempotent_result.result,
    save_idempotent_result.retention
  )
  -- Only an expired key can conflict.
  on conflict on constraint idempotency_keys_pkey do update
  set
    request_hash = excluded.request_hash,
    result = excluded.result,
    retention = excluded.retention,
    created_at = excluded.created_at
  where idempotency_keys.created_at <= now() - idempotency_keys.retention;

  delete from private.idempotency_keys k
  where (k.scope, k.key, k.part) in (
    select expired.scope, expired.key, expired.part
    from private.idempotency_keys expired
    where expired.retention = save_idempotent_result.retention
      and expired.created_at <= now() - save_idempotent_result.retention
    order by expired.created_at
    limit 10
    for update skip locked
  );
  return result;
end
$$;

comment on function private.save_idempotent_result(text, jsonb, jsonb, interval) is
  'Stores the result of a request with an Idempotency-Key, in the transaction of its work, and returns it. Without a '
  'key, it only returns the result. Removes a few expired keys with the same retention.';

-- supabase/schemas/base/health.sql

-- The query of the health routes.

create function public.service_health() returns jsonb
language plpgsql
stable
set search_path = ''
set statement_timeout = '4s'
as $$
begin
  return jsonb_build_object('migrations', private.newest_migration());
end
$$;

comment on function public.service_health() is
  'Shows that the database responds. Returns {migrations: <version of the newest migration>|null}.';
grant execute on function public.service_health() to service_role;

create function private.newest_migration() returns text
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  newest text;
begin
  -- A database that was set up without the Supabase CLI has no such table.
  if to_regclass('supabase_migrations.schema_migrations') is not null then
    execute 'select max(version) from supabase_migrations.schema_migrations' into newest;
  end if;
  return newest;
end
$$;

comment on function private.newest_migration() is
  'Returns the version of the newest applied migration, or null if the database has no record of migrations. Security '
  'definer because the service role may not read the record of migrations. It returns only a version.';

-- supabase/schemas/agencies/tables.sql

-- Agencies and their agents.

create table public.agencies (
  id uuid primary key default gen_random_uuid(),
  name text not null check (btrim(name) <> ''),
  timezone text not null,
  opens_at time not null default '09:00',
  closes_at time not null default '18:00',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (opens_at < closes_at)
);

comment on table public.agencies is 'An insurance agency that buys recruiting leads and works sales leads.';
comment on column public.agencies.timezone is
  'IANA name such as America/New_York. A day of an order''s daily_cap begins at midnight there.';
comment on column public.agencies.opens_at is
  'When its agents begin to answer recruits, Monday to Friday, in its time zone; they end at closes_at.';

create trigger set_updated_at
  before update on public.agencies
  for each row execute function private.set_updated_at();

alter table public.agencies enable row level security;
grant select on public.agencies to authenticated;
grant select, insert, update, delete on public.agencies to service_role;

create table public.agents (
  id uuid primary key default gen_random_uuid(),
  agency_id uuid not null references public.agencies (id),
  user_id uuid unique references auth.users (id) on delete set null,
  first_name text not null check (btrim(first_name) <> ''),
  last_name text,
  email text,
  phone text check (phone ~ '^\+[1-9][0-9]{1,14}$'),
  role text not null default 'agent' check (role in ('agent', 'manager')),
  is_active boolean not null default true,
  accepts_recruits boolean not null,
  away_until timestamptz,
  last_assigned_at timestamptz,
  mail_about text[] not null default '{}' check (mail_about <@ '{lead,recruit_waiting}'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Other tables refer to both columns, so that an agent is never used with another agency.
  unique (id, agency_id)
);

create index on public.agents (agency_id);
-- Finds the agent whose turn it is: the agents of an agency who take turns, the longest waiting first.
create index agents_turn_idx on public.agents (agency_id, last_assigned_at nulls first, created_at, id)
  where is_active and accepts_recruits;

comment on table public.agents is
  'A person who works for an agency: an agent or a manager. A person without a user_id cannot sign in.';
comment on column public.agents.phone is 'In E.164.';
comment on column public.agents.role is
  'A `manager` can read everything of the agency; an `agent` only what is assigned to the agent.';
comment on column public.agents.is_active is
  'An inactive agent cannot read anything and receives no recruits. The row stays, because earlier work refers to it.';
comment on column public.agents.accepts_recruits is
  'Whether the agent takes turns for the agency''s recruiting leads. Defaults to true for agents, false for managers.';
comment on column public.agents.away_until is
  'Until this time, the agent receives no new recruits, and managers are also notified of texts for the agent; null '
  'or in the past: not away.';
comment on column public.agents.mail_about is
  'What the agent gets e-mails about: a new `lead`, and a recruit who waits for an answer (`recruit_waiting`).';
comment on column public.agents.last_assigned_at is
  'When the agent last received a lead by turn; null: never. The agent who has waited longest is next, null first.';

create trigger set_updated_at
  before update on public.agents
  for each row execute function private.set_updated_at();

alter table public.agents enable row level security;
grant select on public.agents to authenticated;
grant select, insert, update, delete on public.agents to service_role;

-- supabase/schemas/agencies/agencies.sql

-- The signed-in agent, and the defaults of a stored agency or agent.

-- The signed-in agent. Policies call these functions inside a scalar subquery, so that each runs once per statement and
-- not once per row.

create function private.current_user_id() returns uuid
language sql
stable
set search_path = ''
as $$
  -- Both, because PostgREST 12 sets only the JSON of all claims, and some versions of auth.uid() do not read it.
  select coalesce(auth.uid(), (auth.jwt() ->> 'sub')::uuid)
$$;

comment on function private.current_user_id() is
  'Returns the id of the signed-in user, agent or not; null if nobody is signed in.';

create function private.current_agent() returns public.agents
language sql
stable
security definer
set search_path = ''
as $$
  select a
  from public.agents a
  where a.user_id = private.current_user_id() and a.is_active
$$;

comment on function private.current_agent() is
  'Returns the signed-in active agent, or null. Security definer because a policy on agents that reads agents would '
  'call itself. It returns only the caller''s own row.';

create function private.current_agent_id() returns uuid
language sql
stable
security definer
set search_path = ''
as $$
  select (private.current_agent()).id
$$;

comment on function private.current_agent_id() is
  'Returns the id of the signed-in active agent, or null. Security definer because a policy on agents that reads '
  'agents would call itself. It returns only the caller''s own id.';
grant execute on function private.current_agent_id() to authenticated;

create function private.current_agency_id() returns uuid
language sql
stable
security definer
set search_path = ''
as $$
  select (private.current_agent()).agency_id
$$;

comment on function private.current_agency_id() is
  'Returns the agency of the signed-in active agent, or null. Security definer because a policy on agents that reads '
  'agents would call itself. It returns only the caller''s own agency.';
grant execute on function private.current_agency_id() to authenticated;

create function private.managed_agency_id() returns uuid
language sql
stable
security definer
set search_path = ''
as $$
  select case when a.role = 'manager' then a.agency_id end
  from private.current_agent() a
$$;

comment on function private.managed_agency_id() is
  'Returns the agency of the signed-in active manager, or null. Security definer because a policy on agents that '
  'reads agents would call itself. It returns only the caller''s own agency.';
grant execute on function private.managed_agency_id() to authenticated;

-- Serializes an agent's leaving with concurrent assignments to that agent.

create function private.agent_lock(agent_id uuid) returns bigint
language plpgsql
immutable
set search_path = ''
as $$
begin
  return hashtextextended('agent ' || agent_id, 0);
end
$$;

comment on function private.agent_lock(uuid) is 'Returns the key of the advisory lock of an agent; null for null.';

create function private.lock_active_agent(agent_id uuid) returns boolean
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock_shared(private.agent_lock(agent_id));
  return exists (select from public.agents a where a.id = lock_active_agent.agent_id and a.is_active);
end
$$;

comment on function private.lock_active_agent(uuid) is
  'Returns whether the agent is active. Until the transaction ends, the agent cannot leave. Call it before locking '
  'rows, because leave_agent() takes its lock before all others.';

-- A signed-in agent can read everything that is assigned to the agent, a manager everything of the agency. A table
-- without a policy for a role shows that role no rows. Only the service role writes; the exceptions are
-- submit_lead_presentation() and agents' actions on texts.

create policy "managers read their agency" on public.agencies
  for select to authenticated
  using (id = (select private.managed_agency_id()));

create policy "agents read the agents of their agency" on public.agents
  for select to authenticated
  using (agency_id = (select private.current_agency_id()));

-- A trigger and not a check constraint: the list of time zones changes with the server, and restoring a row from a
-- backup must never fail.
create function private.require_known_timezone() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if not exists (select from pg_catalog.pg_timezone_names where name = new.timezone) then
    raise exception 'timezone: "%" is not an IANA time zone name', private.quoted(new.timezone)
      using errcode = 'invalid_parameter_value', hint = 'For example America/New_York.';
  end if;
  return new;
end
$$;

comment on function private.require_known_timezone() is 'Trigger: rejects a time zone that the server does not know.';

create trigger require_known_timezone
  before insert or update of timezone on public.agencies
  for each row execute function private.require_known_timezone();

create function private.default_accepts_recruits() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.accepts_recruits := coalesce(new.accepts_recruits, new.role = 'agent');
  return new;
end
$$;

comment on function private.default_accepts_recruits() is
  'Trigger: sets the default of accepts_recruits by the role, which a column default cannot read.';

create trigger default_accepts_recruits
  before insert on public.agents
  for each row execute function private.default_accepts_recruits();

create function private.waited_minutes(agency public.agencies, since timestamptz, until timestamptz) returns integer
language plpgsql
immutable
set search_path = ''
as $$
declare
  monday constant date := '2001-01-01';
  opening constant interval := agency.closes_at - agency.opens_at;
  opened interval[] := '{}';
  moment timestamp;
  days integer;
begin
  -- The business hours from that Monday to each of the two moments.
  foreach moment in array array[since at time zone agency.timezone, until at time zone agency.timezone] loop
    days := moment::date - monday;
    opened := opened || opening * (days / 7 * 5 + least(days % 7, 5))
      + case when days % 7 < 5 then least(greatest(moment::time - agency.opens_at, interval '0'), opening) else '0' end;
  end loop;
  return floor(extract(epoch from opened[2] - opened[1]) / 60);
end
$$;

comment on function private.waited_minutes(public.agencies, timestamptz, timestamptz) is
  'Returns the minutes between two moments that are within the business hours of an agency: opens_at to closes_at, '
  'Monday to Friday, in its time zone.';

-- supabase/schemas/vendors/tables.sql

-- Vendors, the API keys they authenticate with, and the secrets that prove their webhooks.

-- The functions (recruiting/webhooks/proof.ts) and the admin command (admin/nouns/webhook_schemes.ts) have an entry for
-- each value: the types generated from this list require it.
create type public.webhook_scheme as enum (
  'hmac', 'standard', 'indeed', 'greenhouse', 'linkedin', 'meta', 'google_ads', 'basic', 'header', 'query'
);
comment on type public.webhook_scheme is
  'How vendors prove that they sent a request to their webhook.';
grant usage on type public.webhook_scheme to service_role;

create table public.vendors (
  id uuid primary key default gen_random_uuid(),
  slug text not null unique check (slug ~ '^[a-z0-9]+([_-][a-z0-9]+)*$' and length(slug) <= 63),
  name text not null check (btrim(name) <> ''),
  parser text,
  parser_config jsonb not null default '{}' check (jsonb_typeof(parser_config) = 'object'),
  is_active boolean not null default true,
  rate_limit integer check (rate_limit > 0),
  webhook_scheme public.webhook_scheme,
  -- vendors/webhooks.sql has the check.
  webhook_config jsonb not null default '{}',
  has_text_consent boolean not null default false,
  silent_after interval check (silent_after >= '1 minute'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table public.vendors is 'A company that sends recruiting leads.';
comment on column public.vendors.slug is 'Identifies the vendor in commands, and in the URL of its webhook.';
comment on column public.vendors.parser is
  'Name of the parser for this vendor''s payloads. Parsers are part of the function''s code, so the database cannot '
  'check the name. If it is null or unknown, the vendor''s requests get BAD_REQUEST.';
comment on column public.vendors.parser_config is
  'Settings of the parser for this vendor. Each parser defines its own shape.';
comment on column public.vendors.is_active is 'The keys and the webhook of an inactive vendor do not work.';
comment on column public.vendors.rate_limit is
  'Requests per minute, over all of the vendor''s keys and routes, including refused requests; null for no limit.';
comment on column public.vendors.webhook_scheme is
  'The scheme that verifies the vendor''s webhook requests; null if it has no webhook.';
comment on column public.vendors.webhook_config is
  'The settings of the scheme: header, algorithm (sha1, sha256, sha512), encoding (hex, base64), prefix, signed (`{body}` '
  'unless set, also `{timestamp}`), timestamp_header, tolerance_seconds (300 unless set) and parameter.';
comment on column public.vendors.has_text_consent is
  'Whether the vendor''s leads have agreed to texts from the agency that gets them. Without it nobody is greeted.';
comment on column public.vendors.silent_after is
  'An alert is opened when the vendor has sent no lead for this time; null: by the hours in which it usually sends.';

create trigger set_updated_at
  before update on public.vendors
  for each row execute function private.set_updated_at();

alter table public.vendors enable row level security;
grant select, insert, update, delete on public.vendors to service_role;

create table public.vendor_api_keys (
  id uuid primary key default gen_random_uuid(),
  vendor_id uuid not null references public.vendors (id) on delete cascade,
  key_hash text not null unique check (key_hash ~ '^[0-9a-f]{64}$'),
  key_prefix text not null,
  label text,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create index on public.vendor_api_keys (vendor_id);

comment on table public.vendor_api_keys is
  'API keys of vendors. A vendor may have several valid keys, so that it can change to a new one at any time.';
comment on column public.vendor_api_keys.key_hash is
  'SHA-256 of the key in lower-case hex. A key has 256 random bits, so a slow password hash is not needed.';
comment on column public.vendor_api_keys.key_prefix is
  'The first 12 characters of the key, by which a person recognises it.';
comment on column public.vendor_api_keys.last_used_at is 'When a request last came with the key, to about a minute.';

create trigger set_updated_at
  before update on public.vendor_api_keys
  for each row execute function private.set_updated_at();

alter table public.vendor_api_keys enable row level security;
grant select, insert, update, delete on public.vendor_api_keys to service_role;

create table private.vendor_webhook_secrets (
  id uuid primary key default gen_random_uuid(),
  vendor_id uuid not null references public.vendors (id) on delete cascade,
  kind text not null default 'secret' check (kind in ('secret', 'verify_token', 'access_token')),
  secret text not null check (secret = btrim(secret) and secret !~ '[[:cntrl:]]' and length(secret) between 1 and 1024),
  label text,
  expires_at timestamptz,
  revoked_at timestamptz,
  -- Not now(): of two secrets made in one transaction the newer one is known.
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default now()
);

create index on private.vendor_webhook_secrets (vendor_id, created_at);

comment on table private.vendor_webhook_secrets is
  'The secrets by which vendors prove their webhook requests, and the tokens by which their leads are fetched. A vendor may '
  'have several valid ones, so that it can change to a new one at any time.';
comment on column private.vendor_webhook_secrets.kind is
  '`secret`: proves a request; `verify_token`: what Meta sends when the webhook is entered in its console; `access_token`: '
  'fetches the leads of Meta''s notices.';
comment on column private.vendor_webhook_secrets.secret is
  'As it is, because a signature can only be checked with the secret itself. The scheme basic has user:password.';

create trigger set_updated_at
  before update on private.vendor_webhook_secrets
  for each row execute function private.set_updated_at();

alter table private.vendor_webhook_secrets enable row level security;
grant select, insert, update, delete on private.vendor_webhook_secrets to service_role;

-- The functions (recruiting/webhooks/refusal.ts) and the admin command (admin/nouns/refused_proofs.ts) have a line for
-- each: the types made from this list demand it.
create type public.proof_refusal as enum (
  'webhook_off', 'no_secret', 'proof_missing', 'proof_malformed', 'time_missing', 'time_in_milliseconds', 'time_too_old',
  'time_in_future', 'differs', 'challenge'
);
comment on type public.proof_refusal is 'Why a request to a webhook proves nothing. Its sender does not learn it.';
grant usage on type public.proof_refusal to service_role;

create table private.refused_proofs (
  vendor_id uuid not null references public.vendors (id) on delete cascade,
  reason public.proof_refusal not null,
  requests bigint not null check (requests > 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (vendor_id, reason)
);

comment on table private.refused_proofs is
  'The number of requests to a vendor''s webhook that got 401, by reason. Anybody may have sent them, so a reason has one row '
  'and nothing is kept of what was sent. created_at: of the first one; updated_at: of the last one.';

create trigger set_updated_at
  before update on private.refused_proofs
  for each row execute function private.set_updated_at();

alter table private.refused_proofs enable row level security;
grant select, insert, update, delete on private.refused_proofs to service_role;

create view private.valid_api_keys with (security_invoker = true) as
select k.key_hash, k.vendor_id
from public.vendor_api_keys k
join public.vendors v on v.id = k.vendor_id
where k.revoked_at is null and (k.expires_at is null or k.expires_at > now()) and v.is_active;

comment on view private.valid_api_keys is
  'The keys that prove their vendor now: not revoked, not expired, of an active vendor. key_hash: SHA-256 in lower-case hex.';
grant select on private.valid_api_keys to service_role;

-- supabase/schemas/vendors/api_keys.sql

-- The API keys of vendors, and the authentication of requests.

create extension if not exists pgcrypto with schema extensions;

create function public.create_vendor_api_key(
  vendor_slug text,
  label text,
  expires_at timestamptz default null
) returns text
language plpgsql
set search_path = ''
as $$
declare
  new_key text := 'lik_' || translate(
    rtrim(encode(extensions.gen_random_bytes(32), 'base64'), '='), '+/', '-_');
begin
  insert into public.vendor_api_keys (vendor_id, key_hash, key_prefix, label, expires_at)
  select
    v.id,
    encode(sha256(convert_to(new_key, 'UTF8')), 'hex'),
    left(new_key, 12),
    create_vendor_api_key.label,
    create_vendor_api_key.expires_at
  from public.vendors v
  where v.slug = create_vendor_api_key.vendor_slug;

  if not found then
    raise exception 'vendor_slug: no vendor "%"', private.quoted(vendor_slug) using errcode = 'PT404';
  end if;
  return new_key;
end
$$;

comment on function public.create_vendor_api_key(text, text, timestamptz) is
  'Creates an API key for a vendor and returns it: `lik_` and 43 base64url characters. It cannot be read again. PT404 '
  'for an unknown slug.';
grant execute on function public.create_vendor_api_key(text, text, timestamptz) to service_role;

create function public.revoke_vendor_api_key(key_prefix text) returns boolean
language plpgsql
set search_path = ''
as $$
begin
  update public.vendor_api_keys k
  set revoked_at = now()
  where k.key_prefix = revoke_vendor_api_key.key_prefix and k.revoked_at is null;
  return found;
end
$$;

comment on function public.revoke_vendor_api_key(text) is
  'Revokes the key with this prefix immediately. Returns false if it does not exist or was already revoked.';
grant execute on function public.revoke_vendor_api_key(text) to service_role;

create function public.rotate_vendor_api_keys(
  vendor_slug text,
  label text default null,
  keep_old_until timestamptz default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  ended text[];
begin
  with stopped as (
    update public.vendor_api_keys k
    set
      revoked_at = case when keep_old_until is null then now() end,
      expires_at = least(k.expires_at, keep_old_until)
    from public.vendors v
    where v.slug = vendor_slug and k.vendor_id = v.id and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > now())
    returning k.key_prefix, k.created_at
  )
  select coalesce(array_agg(s.key_prefix order by s.created_at, s.key_prefix), '{}') into ended from stopped s;
  return jsonb_build_object('key', public.create_vendor_api_key(vendor_slug, label), 'ended', ended);
end
$$;

comment on function public.rotate_vendor_api_keys(text, text, timestamptz) is
  'Creates an API key for a vendor, and ends all other valid keys: at keep_old_until, or immediately if it is null. '
  'Returns {key, ended: [key_prefix]}, oldest first. PT404 for an unknown slug.';
grant execute on function public.rotate_vendor_api_keys(text, text, timestamptz) to service_role;

create function public.authenticate_vendor(key_hash text, webhook jsonb default null) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  vendor public.vendors;
begin
  select v.* into vendor from public.vendors v where v.id = private.proved_vendor(key_hash, webhook);
  if not found then
    -- One message for every reason, so that a stranger learns nothing about keys, webhooks and vendors.
    raise exception '%', private.quoted(case when webhook is null then 'invalid API key' else 'invalid webhook secret' end)
      using errcode = 'PT401';
  end if;

  return jsonb_build_object(
    'vendor_id', vendor.id,
    'parser', vendor.parser,
    'parser_config', vendor.parser_config,
    'rate_limit', vendor.rate_limit
  );
end
$$;

comment on function public.authenticate_vendor(text, jsonb) is
  'Returns the vendor whose key has this SHA-256 (lower-case hex): {vendor_id, parser|null, parser_config, '
  'rate_limit|null}. PT401 if the key is unknown, expired or revoked, or the vendor is inactive. webhook: {secret_id, '
  'delivery_id|null, part} of a webhook request, instead of a key, after its proof was verified with this secret. '
  'PT401 if the secret has been removed since, the vendor is inactive, or its webhook is off.';
grant execute on function public.authenticate_vendor(text, jsonb) to service_role;

create function public.identify_vendor(key_hash text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  vendor constant jsonb := public.authenticate_vendor(key_hash);
begin
  -- Not in authenticate_vendor(), which each writing function calls: requests would wait for each other.
  update public.vendor_api_keys k
  set last_used_at = now()
  where k.id = (
    select used.id
    from public.vendor_api_keys used
    where used.key_hash = identify_vendor.key_hash
      and (used.last_used_at is null or used.last_used_at < now() - interval '1 minute')
    for no key update skip locked
  );
  return vendor;
end
$$;

comment on function public.identify_vendor(text) is
  'Returns the result or error of authenticate_vendor(), and records the use of the key at most once a minute.';
grant execute on function public.identify_vendor(text) to service_role;

create function private.proved_vendor(key_hash text, webhook jsonb) returns uuid
language plpgsql
stable
set search_path = ''
as $$
begin
  if webhook is null then
    return (select k.vendor_id from private.valid_api_keys k where k.key_hash = proved_vendor.key_hash);
  end if;
  return (
    select s.vendor_id
    from private.vendor_webhook_secrets s
    join public.vendors v on v.id = s.vendor_id
    where s.id = (webhook ->> 'secret_id')::uuid
      -- A fetched lead is proved by the token that fetched it.
      and s.kind in ('secret', 'access_token')
      and s.revoked_at is null
      and (s.expires_at is null or s.expires_at > now())
      and v.is_active
      and v.webhook_scheme is not null
  );
end
$$;

comment on function private.proved_vendor(text, jsonb) is
  'Returns the vendor whose key has this SHA-256 (lower-case hex), or whose webhook request was proved, or lead '
  'fetched, with {secret_id}. Null if the key or secret is unknown, expired or removed, the vendor is inactive, or '
  'its webhook is off.';

-- supabase/schemas/vendors/webhooks.sql

-- /recruiting/webhooks/<vendor slug>: the way in for vendors that cannot send an API key. How such a vendor proves that
-- a request is its own stands in vendors.webhook_scheme and webhook_config; what it proves it with stands here.

create function public.create_vendor_webhook_secret(
  vendor_slug text,
  kind text,
  secret text,
  label text,
  expires_at timestamptz default null
) returns uuid
language plpgsql
set search_path = ''
as $$
declare
  vendor public.vendors;
  new_id uuid;
begin
  select v.* into vendor from public.vendors v where v.slug = create_vendor_webhook_secret.vendor_slug;
  if not found then
    raise exception 'vendor_slug: no vendor "%"', private.quoted(vendor_slug) using errcode = 'PT404';
  end if;

  -- Before the table's own checks: their errors quote the row, including the secret, in the server's log.
  if coalesce(kind, '') not in ('secret', 'verify_token', 'access_token') then
    raise exception 'kind: must be secret, verify_token or access_token' using errcode = 'PT400';
  elsif kind = 'access_token' and vendor.webhook_scheme is distinct from 'meta' then
    raise exception 'kind: access_token is for the scheme meta' using errcode = 'PT400';
  elsif coalesce(secret, '') = '' or secret <> btrim(secret) or secret ~ '[[:cntrl:]]' or length(secret) > 1024 then
    raise exception 'secret: must be one line of 1 to 1,024 characters, without spaces around it'
      using errcode = 'PT400';
  elsif kind = 'secret' and vendor.webhook_scheme = 'basic' and secret !~ '^[^:]+:.' then
    raise exception 'secret: must be user:password' using errcode = 'PT400';
  elsif kind = 'secret' and vendor.webhook_scheme = 'standard'
    and secret !~ '^(whsec_)?[A-Za-z0-9+/_-]{4,}={0,2}$'
  then
    raise exception 'secret: must be whsec_ and base64' using errcode = 'PT400';
  end if;

  -- If it were stored twice, it would still work after one of them is revoked.
  if exists (
    select
    from private.vendor_webhook_secrets s
    where s.vendor_id = vendor.id
      and s.kind = create_vendor_webhook_secret.kind
      and s.secret = create_vendor_webhook_secret.secret
      and s.revoked_at is null
      and (s.expires_at is null or s.expires_at > now())
  ) then
    raise exception 'secret: the vendor has it already' using errcode = 'PT409';
  end if;

  insert into private.vendor_webhook_secrets (vendor_id, kind, secret, label, expires_at)
  values (
    vendor.id,
    create_vendor_webhook_secret.kind,
    create_vendor_webhook_secret.secret,
    create_vendor_webhook_secret.label,
    create_vendor_webhook_secret.expires_at
  )
  returning id into new_id;
  return new_id;
end
$$;

comment on function public.create_vendor_webhook_secret(text, text, text, text, timestamptz) is
  'Adds a secret to a vendor''s webhook and returns its id. kind: secret, verify_token or access_token. PT404 for an '
  'unknown slug. PT400 for a secret that the vendor''s scheme cannot use: basic requires user:password, standard '
  'requires whsec_ and base64, and only meta supports an access_token. PT409 if the secret already exists and is '
  'valid.';
grant execute on function public.create_vendor_webhook_secret(text, text, text, text, timestamptz) to service_role;

create function public.revoke_vendor_webhook_secret(id uuid) returns boolean
language plpgsql
set search_path = ''
as $$
begin
  update private.vendor_webhook_secrets s
  set revoked_at = now()
  where s.id = revoke_vendor_webhook_secret.id and s.revoked_at is null;
  return found;
end
$$;

comment on function public.revoke_vendor_webhook_secret(uuid) is
  'Revokes a secret immediately. Returns false if it does not exist or was already revoked.';
grant execute on function public.revoke_vendor_webhook_secret(uuid) to service_role;

create function private.fetches_leads(vendor_id uuid) returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (
    select from private.vendor_webhook_secrets s
    where s.vendor_id = fetches_leads.vendor_id and s.kind = 'access_token'
  );
end
$$;

comment on function private.fetches_leads(uuid) is
  'Returns whether the leads of a vendor''s notices are fetched: it has or had an access token, even an expired one.';

create function public.identify_webhook(slug text) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'vendor_id', v.id,
      'parser', v.parser,
      'parser_config', v.parser_config,
      'rate_limit', v.rate_limit,
      'scheme', v.webhook_scheme,
      'config', v.webhook_config,
      'fetches_leads', private.fetches_leads(v.id),
      'secrets', (
        select coalesce(
          jsonb_agg(jsonb_build_object('id', s.id, 'kind', s.kind, 'secret', s.secret) order by s.created_at desc), '[]')
        from private.vendor_webhook_secrets s
        where s.vendor_id = v.id
          -- An access token does not prove requests. Only the fetch of a lead uses it.
          and s.kind <> 'access_token'
          and s.revoked_at is null
          and (s.expires_at is null or s.expires_at > now())
      )
    )
    from public.vendors v
    where v.slug = identify_webhook.slug and v.is_active and v.webhook_scheme is not null
  );
end
$$;

comment on function public.identify_webhook(text) is
  'Returns the webhook of the vendor with this slug, to verify a request''s proof: {vendor_id, parser|null, '
  'parser_config, rate_limit|null, scheme, config, fetches_leads, secrets: [{id, kind, secret}]} with the valid '
  'secrets, newest first. fetches_leads: see private.fetches_leads(); the access tokens themselves are not among the '
  'secrets. Null for an unknown slug, an inactive vendor, and a vendor without a webhook.';
grant execute on function public.identify_webhook(text) to service_role;

create function public.record_refused_proofs(refused jsonb) returns integer
language plpgsql
set search_path = ''
set statement_timeout = '2s'
set lock_timeout = '1s'
as $$
declare
  recorded integer;
begin
  insert into private.refused_proofs as p (vendor_id, reason, requests)
  select v.id, r.reason::public.proof_refusal, sum(r.requests)
  from jsonb_to_recordset(refused) as r (slug text, reason text, requests bigint)
  join public.vendors v on v.slug = r.slug
  group by v.id, r.reason
  -- In a fixed order, so that two isolates never deadlock.
  order by v.id, r.reason
  on conflict on constraint refused_proofs_pkey do update set requests = p.requests + excluded.requests;
  get diagnostics recorded = row_count;
  return recorded;
end
$$;

comment on function public.record_refused_proofs(jsonb) is
  'Counts requests to webhooks that got 401: [{slug, reason, requests}]. Ignores unknown slugs. Returns the number of '
  'rows written. 55P03 after a second if a row is locked.';
grant execute on function public.record_refused_proofs(jsonb) to service_role;

create function private.is_webhook_setting(name text, value jsonb) returns boolean
language sql
immutable
set search_path = ''
as $$
  select case
    when name = 'tolerance_seconds' then
      jsonb_typeof(value) = 'number' and value #>> '{}' ~ '^[1-9][0-9]{0,4}$' and value <= '86400'
    when jsonb_typeof(value) <> 'string' then false
    -- The characters that a header's name may have: RFC 9110, 5.6.2. X-Request-Id is logged, so it must not contain a
    -- secret.
    when name in ('header', 'timestamp_header') then
      value #>> '{}' ~ '^[A-Za-z0-9!#$%&''*+.^_`|~-]{1,128}$' and lower(value #>> '{}') <> 'x-request-id'
    when name = 'page_id' then value #>> '{}' ~ '^[1-9][0-9]{0,24}$'
    when name = 'parameter' then value #>> '{}' ~ '^[\x21-\x7e]{1,128}$' and lower(translate(value #>> '{}', '-_', '')) <> 'dryrun'
    when name = 'algorithm' then value #>> '{}' in ('sha1', 'sha256', 'sha512')
    when name = 'encoding' then value #>> '{}' in ('hex', 'base64')
    when name = 'prefix' then value #>> '{}' ~ '^[\x20-\x7e]{0,64}$'
    when name = 'signed' then
      value #>> '{}' like '%{body}%'
      and replace(replace(value #>> '{}', '{body}', ''), '{timestamp}', '') !~ '[{}]'
      and length(value #>> '{}') <= 256
    else false
  end
$$;

comment on function private.is_webhook_setting(text, jsonb) is
  'Returns whether vendors.webhook_config may have a setting of this name with this value. Other names are invalid.';

create function private.is_webhook_config(scheme public.webhook_scheme, config jsonb) returns boolean
language plpgsql
immutable
set search_path = ''
as $$
declare
  signs_timestamp boolean;
begin
  if jsonb_typeof(config) <> 'object' or exists (
    select from jsonb_each(config) as setting (name, value)
    where not private.is_webhook_setting(setting.name, setting.value)
  ) then
    return false;
  end if;

  signs_timestamp := coalesce(config ->> 'signed' like '%{timestamp}%', false);
  return case scheme
    -- A time that is not signed proves nothing.
    when 'hmac' then config ?& array['header', 'algorithm'] and signs_timestamp = config ? 'timestamp_header'
    when 'header' then config ? 'header'
    when 'query' then config ? 'parameter'
    else true
  end;
end
$$;

comment on function private.is_webhook_config(public.webhook_scheme, jsonb) is
  'Returns whether each setting of a webhook is valid, and the required settings of the scheme are present.';

alter table public.vendors
  add constraint vendors_webhook_config_check check (private.is_webhook_config(webhook_scheme, webhook_config));

-- supabase/schemas/vendors/expiry.sql

-- Keys, secrets and tokens of vendors that expire.

create function private.expiring_keys(moment timestamptz)
returns table (vendor_id uuid, vendor text, what text, id text, label text, expires_at timestamptz)
language sql
stable
set search_path = ''
as $$
  with proofs as materialized (
    select k.vendor_id, 'api key' as what, k.key_prefix as id, k.label, k.created_at, k.expires_at
    from public.vendor_api_keys k
    where k.revoked_at is null
    union all
    select s.vendor_id, case s.kind when 'secret' then 'webhook secret' else replace(s.kind, '_', ' ') end, s.id::text,
      s.label, s.created_at, s.expires_at
    from private.vendor_webhook_secrets s
    join public.vendors v on v.id = s.vendor_id and v.webhook_scheme is not null
    where s.revoked_at is null
  )
  select v.id, v.slug, p.what, p.id, p.label, p.expires_at
  from proofs p
  join public.vendors v on v.id = p.vendor_id and v.is_active
  where p.expires_at < 'infinity'
    and not exists (
      select
      from proofs newer
      where newer.vendor_id = p.vendor_id
        and newer.what = p.what
        and newer.created_at > p.created_at
        and (newer.expires_at is null or newer.expires_at > greatest(p.expires_at, moment))
    )
$$;

comment on function private.expiring_keys(timestamptz) is
  'Returns the keys, secrets and tokens that expire, or have expired, if the vendor has no newer one of the same kind '
  'that is valid for longer at this moment. what: api key, webhook secret, verify token or access token; id: a key''s '
  'first characters. Excludes inactive vendors, and secrets and tokens of webhooks that are off.';

-- supabase/schemas/recruiting/tables.sql

-- Orders, the leads that fill them, and the tables that distribution maintains.

create function private.is_greeting_template(template text) returns boolean
language sql
immutable
set search_path = ''
as $$
  select private.utf16_length(template) <= 1600
    and template like '%{agency}%'
    and template ~ '\mSTOP\M'
    and regexp_replace(template, '\{(first_name|agent|agency)\}', '', 'g') !~ '[{}]'
$$;

comment on function private.is_greeting_template(text) is
  'Returns whether this text may be used as a greeting. Law and carriers require it to name the sender and the way to '
  'opt out.';

create table public.recruiting_orders (
  id uuid primary key default gen_random_uuid(),
  agency_id uuid not null references public.agencies (id),
  agent_id uuid,
  vendor_id uuid references public.vendors (id),
  states text[] check (
    array_to_string(states, ',', '?') ~ '^[A-Z]{2}(,[A-Z]{2})*$'
  ),
  quantity integer not null check (quantity > 0),
  filled integer not null default 0,
  daily_cap integer check (daily_cap > 0),
  priority integer not null default 0,
  status text not null default 'open' check (status in ('open', 'paused', 'filled', 'closed')),
  starts_at timestamptz,
  ends_at timestamptz,
  -- The function is not called for null, because each lead updates its order.
  greeting_template text check (greeting_template is null or private.is_greeting_template(greeting_template)),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (filled between 0 and quantity),
  check (ends_at > starts_at),
  foreign key (agent_id, agency_id) references public.agents (id, agency_id),
  -- recruiting_leads refers to both columns, so that a lead's agency is always the agency of its order.
  unique (agency_id, id)
);

-- Most orders name no agent, and each lead updates every index that contains its order.
create index recruiting_orders_agent_idx on public.recruiting_orders (agent_id, agency_id) where agent_id is not null;
create index on public.recruiting_orders (vendor_id);

comment on table public.recruiting_orders is 'An agency''s order for a number of recruiting leads.';
comment on column public.recruiting_orders.agent_id is
  'The agent who receives all leads of the order while active; null: the agency''s agents take turns.';
comment on column public.recruiting_orders.vendor_id is 'Only leads of this vendor; null for any vendor.';
comment on column public.recruiting_orders.states is
  'Only leads from these states, each as two upper-case letters; null: any lead, including leads without a state.';
comment on column public.recruiting_orders.filled is
  'The number of leads that the order has received, at most quantity.';
comment on column public.recruiting_orders.daily_cap is
  'The maximum number of leads in one day of the agency''s time zone; null for no limit.';
comment on column public.recruiting_orders.priority is 'The order with the highest priority receives leads first.';
comment on column public.recruiting_orders.status is
  'Only an open order receives leads. Distribution sets `filled` when the count reaches quantity; people set the '
  'other values.';
comment on column public.recruiting_orders.starts_at is
  'The order receives leads from this time on; null: immediately.';
comment on column public.recruiting_orders.ends_at is 'The order receives no leads from this time on; null: no end.';
comment on column public.recruiting_orders.greeting_template is
  'The text that each recruit of the order receives, if the vendor has their consent; null: none. At most 1,600 '
  'UTF-16 units, with {agency}, the word STOP, and optionally {first_name} and {agent}.';

create trigger set_updated_at
  before update on public.recruiting_orders
  for each row execute function private.set_updated_at();

alter table public.recruiting_orders enable row level security;
grant select on public.recruiting_orders to authenticated;
grant select, insert, update, delete on public.recruiting_orders to service_role;

create policy "agents read orders that name them, managers their agency's" on public.recruiting_orders
  for select to authenticated
  using (
    agent_id = (select private.current_agent_id())
    or agency_id = (select private.managed_agency_id())
  );

create table public.recruiting_leads (
  id uuid primary key default gen_random_uuid(),
  vendor_id uuid not null references public.vendors (id),
  vendor_lead_id text check (btrim(vendor_lead_id) <> '' and length(vendor_lead_id) <= 512),
  first_name text not null check (btrim(first_name) <> ''),
  vendor_metadata jsonb not null default '{}' check (jsonb_typeof(vendor_metadata) = 'object'),
  last_name text generated always as (
    case when jsonb_typeof(vendor_metadata -> 'last_name') in ('string', 'number')
      then vendor_metadata ->> 'last_name' end
  ) stored,
  email text generated always as (
    case when jsonb_typeof(vendor_metadata -> 'email') in ('string', 'number')
      then vendor_metadata ->> 'email' end
  ) stored,
  phone text generated always as (
    case when jsonb_typeof(vendor_metadata -> 'phone') in ('string', 'number')
      then vendor_metadata ->> 'phone' end
  ) stored,
  state text generated always as (private.lead_state(vendor_metadata)) stored,
  resume_path text,
  distribution text not null default 'not_requested'
    check (distribution in ('distributed', 'unmatched', 'pending', 'not_requested', 'returned', 'repeat', 'suppressed')),
  request_id text,
  received_via text check (received_via in ('single', 'bulk', 'webhook', 'replay')),
  order_id uuid,
  agency_id uuid,
  agent_id uuid,
  distributed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (vendor_id, vendor_lead_id),
  -- Deferrable, so that private.store_recruiting_leads() can store a lead while these tables are locked.
  foreign key (agency_id) references public.agencies (id) deferrable,
  foreign key (agency_id, order_id) references public.recruiting_orders (agency_id, id) deferrable,
  foreign key (agent_id, agency_id) references public.agents (id, agency_id) deferrable,
  -- Postgres does not check a foreign key of two columns while one of them is null. A lead that already has an agency
  -- must not be distributed again. It is one constraint, because an insert parses each constraint again.
  check (
    case when agency_id is null
      then agent_id is null and order_id is null and distribution <> 'distributed'
      else (order_id is null or distributed_at is not null) and distribution in ('distributed', 'not_requested')
    end
  )
);

-- The first lists an agency's leads and counts the leads of an order in a day. Leads that went to no agency are in
-- neither index.
create index recruiting_leads_order_day_idx on public.recruiting_leads (agency_id, order_id, distributed_at)
  where agency_id is not null;
create index recruiting_leads_agent_idx on public.recruiting_leads (agent_id, agency_id)
  where agent_id is not null;
-- The newest leads, and those of some days, for lists and reports; with the vendor, for the alert vendor_silent. New entries go
-- to its end.
create index recruiting_leads_created_idx on public.recruiting_leads (created_at, id) include (vendor_id);
create index recruiting_leads_pending_idx on public.recruiting_leads (created_at, id) where distribution = 'pending';
-- With the vendor, so that waiting leads are counted by the index alone.
create index recruiting_leads_unmatched_idx on public.recruiting_leads (created_at, id) include (vendor_id)
  where distribution = 'unmatched';
-- Ids that are stored as hashes: very long ones, and those of erased people.
create index recruiting_leads_hashed_id_idx on public.recruiting_leads (vendor_id) where vendor_lead_id like 'sha256:%';
-- Finds the lead of an object in the bucket `resumes`, for the policy on storage.objects.
create index recruiting_leads_resume_path_idx on public.recruiting_leads (resume_path)
  where resume_path is not null;

-- Find the recruit of a text, and the newest leads of a person. A longer value is not a phone number or an email
-- address, and would be too long for the index.
create index recruiting_leads_phone_idx on public.recruiting_leads (phone, created_at) where length(phone) <= 16;
create index recruiting_leads_email_idx on public.recruiting_leads (email, created_at) where length(email) <= 320;

comment on table public.recruiting_leads is
  'A recruit sent by a vendor, with the order, agency and agent that received it.';
comment on column public.recruiting_leads.vendor_lead_id is
  'The vendor''s own id, by which a repeated lead is recognized; null if the vendor sent none. An id of more than 512 '
  'characters is stored as `sha256:` and its hash, because index entries have a size limit; so is an id that '
  'contained the phone or address of an erased person.';
comment on column public.recruiting_leads.vendor_metadata is
  'The data that the parser read besides the first name: last_name, email, phone, city, state, zip, ... and vendor_fields. '
  'is_test = true marks a test lead of the vendor, which is never distributed.';
comment on column public.recruiting_leads.distribution is
  '`distributed`: assigned to an agency. `unmatched`: no order accepted it. `pending`: stored, and the next '
  'distribution chooses its order. `not_requested`: never distributed, such as bulk leads and test leads. `returned`: '
  'an operator took it back from an agency (lead_returns). `repeat`: held, because a rule of repeat_rules says so. '
  '`suppressed`: the person is in suppressions.';
comment on column public.recruiting_leads.request_id is
  'The x-request-id of the request that contained the lead; null for a lead entered by hand.';
comment on column public.recruiting_leads.received_via is
  'How the lead arrived: `single`, `bulk`, `webhook`, or by `replay` of a rejected delivery; null if entered by hand.';
comment on column public.recruiting_leads.state is
  'Two upper-case letters, or null if the state in vendor_metadata is anything else.';
comment on column public.recruiting_leads.resume_path is
  'Name of the object in the bucket `resumes`: <vendor_id>/<lead id>.<extension>. The extension is pdf, docx, doc, '
  'rtf, odt or txt.';

create trigger set_updated_at
  before update on public.recruiting_leads
  for each row execute function private.set_updated_at();

alter table public.recruiting_leads enable row level security;
grant select on public.recruiting_leads to authenticated;
grant select, insert, update, delete on public.recruiting_leads to service_role;

-- Its policy asks for conversations too: desk/recruits.sql.

create table private.lead_notifications_due (
  -- In the order of distribution. New entries are added at the end of the only index.
  id bigint generated always as identity primary key,
  -- Not a foreign key, because distribution would wait for its check.
  lead_id uuid not null,
  placed_at timestamptz not null default clock_timestamp()
);

comment on table private.lead_notifications_due is
  'Distributed recruiting leads whose agents are not notified yet. A job reads and deletes the rows and notifies the '
  'agents outside the transaction that distributes the lead, so that it can never fail the distribution.';

alter table private.lead_notifications_due enable row level security;
grant select, insert, update, delete on private.lead_notifications_due to service_role;

create table private.waiting_greetings (
  -- Deferrable, because the row is inserted when the lead gets its order, and the lead may be stored later.
  lead_id uuid primary key references public.recruiting_leads (id) on delete cascade deferrable,
  due_at timestamptz not null default now(),
  attempt integer not null default 0,
  created_at timestamptz not null default clock_timestamp()
);

create index on private.waiting_greetings (created_at);
create index on private.waiting_greetings (due_at);

comment on table private.waiting_greetings is
  'Leads that were distributed by an order with a greeting, and have not been greeted yet.';
comment on column private.waiting_greetings.due_at is 'When a worker may claim it next.';
comment on column private.waiting_greetings.attempt is 'The number of claims.';

alter table private.waiting_greetings enable row level security;
grant select, insert, update, delete on private.waiting_greetings to service_role;

create table public.recruiting_lead_duplicates (
  id uuid primary key default private.time_ordered_id(),
  lead_id uuid not null references public.recruiting_leads (id) on delete cascade,
  vendor_id uuid not null references public.vendors (id),
  request_id text,
  reason text not null default 'same_lead' check (reason in ('same_lead', 'same_person')),
  received_at timestamptz not null default clock_timestamp()
);

create index on public.recruiting_lead_duplicates (lead_id, received_at);
create index on public.recruiting_lead_duplicates (vendor_id, received_at);
create index on public.recruiting_lead_duplicates (received_at, id);

comment on table public.recruiting_lead_duplicates is
  'One row for each time that a vendor repeated a stored lead, and for each lead that a repeat rule has refused.';
comment on column public.recruiting_lead_duplicates.lead_id is 'The stored lead.';
comment on column public.recruiting_lead_duplicates.request_id is 'The x-request-id of the repeated request.';
comment on column public.recruiting_lead_duplicates.reason is
  '`same_lead`: with the same vendor_lead_id, or the same delivery. `same_person`: a rule of repeat_rules refused a lead of '
  'the person; if the stored lead is another vendor''s, the vendor that sent it has got the id of this row.';

alter table public.recruiting_lead_duplicates enable row level security;
grant select, insert, update, delete on public.recruiting_lead_duplicates to service_role;

create table private.recruiting_order_days (
  order_id uuid not null references public.recruiting_orders (id) on delete cascade,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  leads integer not null,
  -- By the end, so that a search for the current day skips no earlier days.
  primary key (order_id, ends_at),
  check (ends_at > starts_at)
)
-- Leaves room in each page for a new version of a row, so that counting updates no index.
with (fillfactor = 50);

comment on table private.recruiting_order_days is
  'The number of leads that an order received on a day of its agency, by recruiting_leads.distributed_at. Maintained '
  'by triggers. A day without leads has no row.';
comment on column private.recruiting_order_days.starts_at is 'When the day began in the agency''s time zone.';
comment on column private.recruiting_order_days.ends_at is 'When the next day begins.';

alter table private.recruiting_order_days enable row level security;
grant select, insert, update, delete on private.recruiting_order_days to service_role;

create table private.resume_uploads (
  lead_id uuid primary key,
  path text not null,
  begun_at timestamptz not null default now()
);

create index on private.resume_uploads (begun_at);

comment on table private.resume_uploads is
  'Resumes that may be in storage without a lead: their upload has begun, and the lead is not stored.';
comment on column private.resume_uploads.begun_at is
  'When the upload began, or when a request last tried to remove the object.';

alter table private.resume_uploads enable row level security;
grant select, insert, update, delete on private.resume_uploads to service_role;

create table private.abandoned_leads (
  lead_id uuid primary key,
  abandoned_at timestamptz not null default now()
);

create index on private.abandoned_leads (abandoned_at);

comment on table private.abandoned_leads is
  'Ids of leads that were not stored in time, and can no longer be stored. Kept for an hour; no call takes that long.';

alter table private.abandoned_leads enable row level security;
grant select, insert, update, delete on private.abandoned_leads to service_role;

-- supabase/schemas/recruiting/suppressions.sql

-- People who must not be sold or texted, each by a phone number or an e-mail address.

create function private.contact_kind(contact text) returns text
language sql
immutable
set search_path = ''
return case
  when contact ~ '^\+[1-9][0-9]{1,14}$' then 'phone'
  when contact ~ '^[^\s@]+@[^\s@]+$' then 'email'
end;

comment on function private.contact_kind(text) is
  'Returns `phone` for a number in E.164, `email` for an e-mail address, null for any other text.';

create table public.suppressions (
  kind text not null check (kind in ('phone', 'email')),
  value text not null check (
    value ~ '^sha256:[0-9a-f]{64}$'
    or value = lower(value) and length(value) <= 320 and kind is not distinct from private.contact_kind(value)
  ),
  reason text not null check (btrim(reason) <> '' and length(reason) <= 500),
  source text not null check (btrim(source) <> '' and length(source) <= 255),
  created_at timestamptz not null default now(),
  ends_at timestamptz,
  primary key (kind, value)
);

-- The list of operators, the newest first.
create index on public.suppressions (created_at, kind, value);

comment on table public.suppressions is
  'Phone numbers and e-mail addresses of people whose leads go to no agency, and whom nobody may text.';
comment on column public.suppressions.value is
  'A number in E.164, an e-mail address in lower case, or private.suppression_hash() of either: of an erased person.';
comment on column public.suppressions.reason is 'The words of an operator, or of the imported file.';
comment on column public.suppressions.source is '`operator`, `erased`, or the name of the imported file.';
comment on column public.suppressions.ends_at is 'The person is not suppressed any more from this time on; null: no end.';

alter table public.suppressions enable row level security;
grant select, insert, update, delete on public.suppressions to service_role;

create function private.suppression_hash(kind text, value text) returns text
language plpgsql
immutable
strict
set search_path = ''
as $$
begin
  return 'sha256:' || encode(sha256(convert_to(kind || ' ' || value, 'UTF8')), 'hex');
end
$$;

comment on function private.suppression_hash(text, text) is
  'Returns the value that stands in suppressions for the phone or e-mail address of an erased person: `sha256:` and the '
  'SHA-256 of the kind and the value in hexadecimal.';

create function private.is_suppressed(phone text, email text) returns boolean
language plpgsql
stable
set search_path = ''
as $$
declare
  address constant text := lower(btrim(email));
begin
  return exists (
    select
    from public.suppressions s
    where s.kind = 'phone' and s.value in (is_suppressed.phone, private.suppression_hash('phone', is_suppressed.phone))
      and (s.ends_at is null or s.ends_at > now())
  ) or exists (
    select
    from public.suppressions s
    where s.kind = 'email' and s.value in (address, private.suppression_hash('email', address))
      and (s.ends_at is null or s.ends_at > now())
  );
end
$$;

comment on function private.is_suppressed(text, text) is
  'Returns whether the person with this phone in E.164 or this e-mail address, as vendor_metadata has them, is suppressed '
  'now. Null: not known. It costs two index look-ups; where many are asked for, first find whether there is any row.';

-- supabase/schemas/recruiting/resumes.sql

-- The bucket for resumes is private. Only the service role writes to it.
-- A project may already have a bucket with this name. It then gets the same settings, because a public bucket would
-- publish the resumes. The function determines a file's type by its content; the bucket's own limits are the same types
-- and size.
insert into storage.buckets as b (id, name, public, file_size_limit, allowed_mime_types)
values ('resumes', 'resumes', false, 10 * 1024 * 1024, array[
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/msword',
  'application/rtf',
  'application/vnd.oasis.opendocument.text',
  'text/plain'
])
on conflict (id) do update
set
  public = excluded.public,
  file_size_limit = excluded.file_size_limit,
  allowed_mime_types = excluded.allowed_mime_types;

-- A user who can read a lead can open its resume: the policies of recruiting_leads apply inside the subquery. Storage
-- requires nothing else when a signed-in user signs a URL, downloads or lists. A hosted project lets its owner create
-- policies on storage.objects, but not comment on them or change the table.
create policy "agents read their recruits' resumes, managers their agency's" on storage.objects
  for select to authenticated
  using (
    bucket_id = 'resumes'
    and exists (select from public.recruiting_leads l where l.resume_path = objects.name)
  );

-- Storage and the database share no transaction, and a request may die between the two. Each upload is therefore
-- recorded before it begins, until its lead is stored or its object is removed.

create function public.begin_resume_upload(lead_id uuid, path text) returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '2s'
as $$
begin
  insert into private.resume_uploads as u (lead_id, path)
  values (begin_resume_upload.lead_id, begin_resume_upload.path)
  on conflict do nothing;
  return jsonb_build_object('has_left_over', exists (
    select from private.resume_uploads u where u.begun_at < now() - private.resume_upload_time()
  ));
end
$$;

comment on function public.begin_resume_upload(uuid, text) is
  'Records that the resume of a lead is about to be uploaded to this path. Returns {has_left_over}: whether '
  'left_over_resumes() would return any. Repeated calls are harmless.';
grant execute on function public.begin_resume_upload(uuid, text) to service_role;

create function public.left_over_resumes() returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '4s'
as $$
declare
  upload private.resume_uploads;
  paths jsonb := '[]';
begin
  for upload in
    select u.*
    from private.resume_uploads u
    where u.begun_at < now() - private.resume_upload_time()
    order by u.begun_at
    limit 20
    for update skip locked
  loop
    -- A request that is still running, however slow, must not store the lead from now on.
    if public.abandon_recruiting_leads(array[upload.lead_id]) -> upload.lead_id::text = 'null' then
      update private.resume_uploads u set begun_at = now() where u.lead_id = upload.lead_id;
      paths := paths || to_jsonb(upload.path);
    else
      delete from private.resume_uploads u where u.lead_id = upload.lead_id;
    end if;
  end loop;
  return paths;
end
$$;

comment on function public.left_over_resumes() is
  'Returns the paths of up to 20 objects whose leads are not stored and never will be, for the caller to remove. No '
  'other caller gets them in the meantime. Call forget_resume_uploads() after removing them; otherwise they are '
  'returned again after 35 seconds.';
grant execute on function public.left_over_resumes() to service_role;

create function public.forget_resume_uploads(paths text[]) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  delete from private.resume_uploads u where u.path = any (paths);
  return null;
end
$$;

comment on function public.forget_resume_uploads(text[]) is
  'Deletes the records of these uploads, because their objects are removed. Returns null.';
grant execute on function public.forget_resume_uploads(text[]) to service_role;

create function private.end_resume_upload() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  delete from private.resume_uploads u where u.lead_id = new.id;
  return null;
end
$$;

comment on function private.end_resume_upload() is
  'Trigger: deletes the record of a resume''s upload, because its lead is stored.';

create trigger end_resume_upload
  after insert on public.recruiting_leads
  for each row when (new.resume_path is not null)
  execute function private.end_resume_upload();

create function private.resume_upload_time() returns interval
language sql
immutable
set search_path = ''
as $$
  select interval '35 seconds'
$$;

comment on function private.resume_upload_time() is
  'Returns the time after which a request has stored its lead or has died: an upload takes at most 20 s, and the lead '
  '8 s.';

-- supabase/schemas/recruiting/daily_counts.sql

-- The number of leads that each order received on each day, so that a check of a daily cap does not count leads.
--
-- Triggers maintain the counts, so leads that are inserted, corrected or deleted by other means are counted too. A
-- transaction that changes a count locks its order until the transaction ends. Distribution skips locked orders, so it
-- never waits for a count, and never reads one that is about to change.

create function public.check_daily_counts()
returns table (order_id uuid, starts_at timestamptz, kept integer, counted integer)
language plpgsql
stable
set search_path = ''
set statement_timeout = '60s'
as $$
begin
  return query
  select coalesce(k.order_id, c.order_id), coalesce(k.starts_at, c.starts_at), coalesce(k.leads, 0), coalesce(c.leads, 0)
  from private.recruiting_order_days k
  full join private.counted_order_days() c
    on c.order_id = k.order_id and c.starts_at = k.starts_at and c.ends_at = k.ends_at
  where k.leads is distinct from c.leads;
end
$$;

comment on function public.check_daily_counts() is
  'Returns the orders and days whose stored count differs from the leads, with the start of the day; no rows if all '
  'counts are correct. Reads every lead. Counts differ if leads were written while triggers were disabled, or if the '
  'server''s time zone rules have changed; recount_orders() corrects them.';
grant execute on function public.check_daily_counts() to service_role;

create function public.recount_orders() returns table (order_id uuid, starts_at timestamptz, kept integer, counted integer)
language plpgsql
set search_path = ''
set statement_timeout = '60s'
as $$
begin
  return query select * from public.check_daily_counts();
  if found then
    perform private.recount_order_days();
  end if;
end
$$;

comment on function public.recount_orders() is
  'Recounts the leads of each order and day whose stored count is wrong, and returns the previous result of '
  'check_daily_counts(). Nothing is distributed in the meantime.';
grant execute on function public.recount_orders() to service_role;

create function private.day_start(moment timestamptz, timezone text) returns timestamptz
language plpgsql
stable
set search_path = ''
as $$
declare
  midnight timestamp;
  day_start timestamptz;
  first_midnight timestamptz;
begin
  -- If the clock goes back over midnight, the next local date may already have begun.
  for day_offset in reverse 1 .. 0 loop
    midnight := date_trunc('day', moment at time zone timezone) + make_interval(days => day_offset);
    -- Postgres chooses the second of two midnights. The first is found with the offset of 24 hours before.
    day_start := midnight at time zone timezone;
    first_midnight := day_start - interval '24 hours'
      + (midnight - (day_start - interval '24 hours') at time zone timezone);
    if first_midnight < day_start and first_midnight at time zone timezone = midnight then
      day_start := first_midnight;
    end if;
    exit when day_start <= moment;
  end loop;
  return day_start;
end
$$;

comment on function private.day_start(timestamptz, text) is
  'Returns when the day of this moment began in this time zone. If the clock goes back over midnight, a day begins at '
  'the first of the two midnights. If it skips midnight, a day begins at the first moment after it.';

create function private.day_end(day_start timestamptz, timezone text) returns timestamptz
language plpgsql
stable
set search_path = ''
as $$
begin
  -- A day has 23 to 25 hours, so this moment is always in the next day.
  return private.day_start(day_start + interval '30 hours', timezone);
end
$$;

comment on function private.day_end(timestamptz, text) is
  'Returns when the day that began at this moment ends in this time zone.';

create function private.count_leads(order_ids uuid[], moments timestamptz[], differences integer[]) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- The fast path: distribution assigns leads to one order at a time, usually on a day that already has a count. It
  -- takes half the time of the general path.
  with locked as materialized (
    select o.id from public.recruiting_orders o where o.id = order_ids[1] for no key update
  )
  update private.recruiting_order_days d
  set leads = d.leads + cardinality(differences)
  from locked l
  where d.order_id = l.id
    and d.ends_at > moments[1]
    and d.starts_at <= all (moments)
    and d.ends_at > all (moments)
    and order_ids[1] = all (order_ids)
    and 1 = all (differences);
  if found then
    return;
  end if;

  -- In a fixed order, so that two transactions do not deadlock.
  perform from public.recruiting_orders o where o.id = any (order_ids) order by o.id for no key update;
  insert into private.recruiting_order_days as d (order_id, starts_at, ends_at, leads)
  select day.order_id, day.starts_at, day.ends_at, sum(day.difference)
  from (
    select
      change.order_id,
      coalesce(known.starts_at, private.day_start(change.moment, a.timezone)) as starts_at,
      coalesce(known.ends_at, private.day_end(private.day_start(change.moment, a.timezone), a.timezone)) as ends_at,
      change.difference
    from unnest(order_ids, moments, differences) as change (order_id, moment, difference)
    join public.recruiting_orders o on o.id = change.order_id
    join public.agencies a on a.id = o.agency_id
    left join private.recruiting_order_days known
      on known.order_id = change.order_id and known.starts_at <= change.moment and known.ends_at > change.moment
  ) day
  group by day.order_id, day.starts_at, day.ends_at
  on conflict on constraint recruiting_order_days_pkey do update
  set leads = d.leads + excluded.leads;

  if 0 > any (differences) then
    delete from private.recruiting_order_days d where d.order_id = any (order_ids) and d.leads <= 0;
  end if;
end
$$;

comment on function private.count_leads(uuid[], timestamptz[], integer[]) is
  'Adds to the counts of orders: for each order, on the day of the moment, the difference, which may be negative. The '
  'three arrays have the same length. Locks the orders.';

create function private.count_changed_leads() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  order_ids uuid[];
  moments timestamptz[];
  differences integer[];
begin
  if tg_op = 'INSERT' then
    select array_agg(n.order_id), array_agg(n.distributed_at), array_agg(1)
    into order_ids, moments, differences
    from new_leads n
    where n.order_id is not null;
  elsif tg_op = 'DELETE' then
    select array_agg(o.order_id), array_agg(o.distributed_at), array_agg(-1)
    into order_ids, moments, differences
    from old_leads o
    where o.order_id is not null;
  else
    -- Most updates change neither the order nor the time, and produce no rows.
    select array_agg(change.order_id), array_agg(change.distributed_at), array_agg(change.difference)
    into order_ids, moments, differences
    from (
      select version.order_id, version.distributed_at, sum(version.difference)::integer as difference
      from (
        select n.order_id, n.distributed_at, 1 as difference from new_leads n where n.order_id is not null
        union all
        select o.order_id, o.distributed_at, -1 from old_leads o where o.order_id is not null
      ) version
      group by version.order_id, version.distributed_at
      having sum(version.difference) <> 0
    ) change;
  end if;

  if order_ids is not null then
    perform private.count_leads(order_ids, moments, differences);
  end if;
  return null;
end
$$;

comment on function private.count_changed_leads() is
  'Trigger: counts the leads that a statement assigned to orders or removed from them.';

-- A statement trigger, because a row that is changed a thousand times in one transaction has a thousand versions, and
-- each change would read all of them.

create trigger count_inserted_leads
  after insert on public.recruiting_leads
  referencing new table as new_leads
  for each statement execute function private.count_changed_leads();

create trigger count_updated_leads
  after update on public.recruiting_leads
  referencing old table as old_leads new table as new_leads
  for each statement execute function private.count_changed_leads();

create trigger count_deleted_leads
  after delete on public.recruiting_leads
  referencing old table as old_leads
  for each statement execute function private.count_changed_leads();

create function private.forget_daily_counts() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  delete from private.recruiting_order_days where true;
  return null;
end
$$;

comment on function private.forget_daily_counts() is 'Trigger: deletes all counts when the leads are truncated.';

create trigger forget_daily_counts
  after truncate on public.recruiting_leads
  for each statement execute function private.forget_daily_counts();

create function private.room_under_cap(order_id uuid, daily_cap integer, moment timestamptz) returns integer
language plpgsql
stable
set search_path = ''
as $$
begin
  return daily_cap - coalesce(
    (
      select d.leads
      from private.recruiting_order_days d
      where d.order_id = room_under_cap.order_id and d.starts_at <= moment and d.ends_at > moment
    ),
    0
  );
end
$$;

comment on function private.room_under_cap(uuid, integer, timestamptz) is
  'Returns the number of further leads that the order may receive on the day of this moment; null without a cap.';

create function private.counted_order_days(agency_id uuid default null)
returns table (order_id uuid, starts_at timestamptz, ends_at timestamptz, leads integer)
language sql
stable
set search_path = ''
as $$
  -- Moves from each day of an order to the next day with a lead, by the index, because calling day_start() for each
  -- lead is slow.
  with recursive days as (
    select o.id as order_id, o.agency_id, a.timezone, first.day_start, private.day_end(first.day_start, a.timezone) as day_end
    from public.recruiting_orders o
    join public.agencies a on a.id = o.agency_id
    cross join lateral (
      select private.day_start(min(l.distributed_at), a.timezone) as day_start
      from public.recruiting_leads l
      where l.agency_id = o.agency_id and l.order_id = o.id
    ) first
    where first.day_start is not null
      and (counted_order_days.agency_id is null or o.agency_id = counted_order_days.agency_id)
    union all
    select d.order_id, d.agency_id, d.timezone, next.day_start, private.day_end(next.day_start, d.timezone)
    from days d
    cross join lateral (
      select private.day_start(min(l.distributed_at), d.timezone) as day_start
      from public.recruiting_leads l
      where l.agency_id = d.agency_id and l.order_id = d.order_id and l.distributed_at >= d.day_end
    ) next
    where next.day_start is not null
  )
  select d.order_id, d.day_start, d.day_end, (
    select count(*)::integer
    from public.recruiting_leads l
    where l.agency_id = d.agency_id
      and l.order_id = d.order_id
      and l.distributed_at >= d.day_start
      and l.distributed_at < d.day_end
  )
  from days d
$$;

comment on function private.counted_order_days(uuid) is
  'Returns the rows that private.recruiting_order_days must contain, recounted from the leads of one agency, or of '
  'all agencies (null). Reads all of their leads.';

create function private.recount_order_days(agency_id uuid default null) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- Nobody else can assign leads to these orders, or remove them, in the meantime. The agency is not locked: if the
  -- same transaction had updated its row before, distribution would wait for it, because `skip locked` does not skip a
  -- newer version.
  perform
  from public.recruiting_orders o
  where recount_order_days.agency_id is null or o.agency_id = recount_order_days.agency_id
  order by o.id
  for no key update;

  delete from private.recruiting_order_days d
  using public.recruiting_orders o
  where o.id = d.order_id
    and (recount_order_days.agency_id is null or o.agency_id = recount_order_days.agency_id);

  insert into private.recruiting_order_days (order_id, starts_at, ends_at, leads)
  select c.order_id, c.starts_at, c.ends_at, c.leads
  from private.counted_order_days(recount_order_days.agency_id) c;
end
$$;

comment on function private.recount_order_days(uuid) is
  'Recounts the leads of each order and day of an agency, or of all agencies (null), after '
  'public.check_daily_counts() found wrong counts. Reads all of their leads; nothing is distributed to these orders '
  'in the meantime.';

create function private.recount_after_timezone() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.recount_order_days(new.id);
  return null;
end
$$;

comment on function private.recount_after_timezone() is
  'Trigger: recounts the days of an agency after its time zone has changed.';

create trigger recount_after_timezone
  after update of timezone on public.agencies
  for each row when (old.timezone <> new.timezone)
  execute function private.recount_after_timezone();

-- supabase/schemas/recruiting/order_changes.sql

-- The history of managers' changes to orders.

create table public.order_changes (
  id uuid primary key default gen_random_uuid(),
  agency_id uuid not null,
  order_id uuid not null,
  agent_id uuid not null,
  before jsonb not null check (jsonb_typeof(before) = 'object'),
  after jsonb not null check (jsonb_typeof(after) = 'object' and after <> '{}'),
  created_at timestamptz not null default clock_timestamp(),
  foreign key (agency_id, order_id) references public.recruiting_orders (agency_id, id) on delete cascade,
  foreign key (agent_id, agency_id) references public.agents (id, agency_id)
);

create index on public.order_changes (agency_id, order_id, created_at, id);
create index on public.order_changes (agent_id, agency_id);

comment on table public.order_changes is
  'Each change of an order by a manager of its agency, written by change_order(). Rows are never updated, and are '
  'deleted with their order. Changes by operators are in operator_actions.';
comment on column public.order_changes.agent_id is 'The manager.';
comment on column public.order_changes.before is
  'The previous values of the changed columns: any of status, daily_cap, states and greeting_template.';
comment on column public.order_changes.after is 'The new values of the same columns.';

alter table public.order_changes enable row level security;
grant select on public.order_changes to authenticated;
grant select, insert, update, delete on public.order_changes to service_role;

create policy "managers read their agency's" on public.order_changes
  for select to authenticated
  using (agency_id = (select private.managed_agency_id()));

-- supabase/schemas/recruiting/order_pace.sql

-- The agency's orders for a manager's page.

create function private.vendor_name(vendor_id uuid) returns text
language sql
stable
security definer
set search_path = ''
as $$
  select (select v.name from public.vendors v where v.id = vendor_name.vendor_id)
$$;

comment on function private.vendor_name(uuid) is
  'Returns the name of a vendor; null if it does not exist. Security definer because managers may not read vendors. '
  'It returns only the name.';
grant execute on function private.vendor_name(uuid) to authenticated;
-- The day of a daily cap.
grant execute on function private.day_start(timestamptz, text) to authenticated;

create view public.order_pace with (security_invoker = true) as
select o.id, o.agency_id, private.vendor_name(o.vendor_id) as vendor,
  nullif(concat_ws(' ', a.first_name, a.last_name), '') as agent, o.states, o.quantity, o.filled, o.status, o.priority,
  o.daily_cap, o.greeting_template is not null as has_greeting, o.greeting_template, o.starts_at, o.ends_at, o.created_at,
  recent.leads_today, recent.leads_7_days, round(pace.per_day, 1) as per_day,
  case when o.status = 'open' and pace.per_day > 0
    then ceil((o.quantity - o.filled) / pace.per_day)::integer end as full_in_days,
  (
    select coalesce(jsonb_agg(
      jsonb_build_object('at', c.created_at, 'by', concat_ws(' ', c.first_name, c.last_name), 'before', c.before, 'after', c.after)
      order by c.created_at desc, c.id desc), '[]')
    from (
      select h.*, m.first_name, m.last_name
      from public.order_changes h
      join public.agents m on m.id = h.agent_id
      where h.agency_id = o.agency_id and h.order_id = o.id
      order by h.created_at desc, h.id desc
      limit 5
    ) c
  ) as changes
from public.recruiting_orders o
-- Agents cannot read their agency, so they see no rows.
join public.agencies g on g.id = o.agency_id
left join public.agents a on a.id = o.agent_id
cross join lateral (
  select count(*)::integer as leads_7_days,
    (count(*) filter (where l.distributed_at >= (select private.day_start(now(), g.timezone))))::integer as leads_today
  from public.recruiting_leads l
  where l.agency_id = o.agency_id and l.order_id = o.id and l.distributed_at > now() - interval '7 days'
) recent
cross join lateral (
  select recent.leads_7_days / least(7, greatest(1,
    extract(epoch from now() - greatest(o.created_at, o.starts_at)) / extract(epoch from interval '1 day'))) as per_day
) pace;

comment on view public.order_pace is
  'The orders of a manager''s agency, with the names of their vendor and agent (null: any) and their pace: '
  'leads_today (by the agency''s day), leads_7_days (the last 7 times 24 hours), per_day (over these days, or since '
  'the order began; at least one day), and full_in_days at this pace (null if it is not open or receives no leads). '
  'changes: the latest five of managers, newest first: [{at, by, before, after}] (see order_changes). Paginate by the '
  'last row, ordered by created_at and id.';
grant select on public.order_pace to authenticated;

-- supabase/schemas/recruiting/distribute.sql

-- Distributes leads to orders and agents: the new leads of a call, and stored leads that are `pending`, oldest first.
--
-- Only one transaction at a time distributes, because turns, shares and daily counts depend on every earlier choice. It
-- holds the distribution lock. No transaction waits for that lock: a transaction that does not get it leaves its leads
-- `pending`, and the next one that gets it distributes them too, whatever happened to the request. Waiting was
-- measured: with many isolates, it reduced the rate to between 0.2 and 0.6.
--
-- The holder of the lock never waits for a row, because all other leads would wait too. It skips orders and agents that
-- another transaction has locked, such as one that an operator changed in an open transaction. It waits at most 20 ms
-- for a table, and then all leads stay pending.
--
-- recruiting/order_choice.sql defines which order is first; agents_turn_idx must agree with the choice of the first
-- agent. supabase/tests/recruiting/distribution_model.test.sql contains a simple model of both.

create type private.pending_lead as (id uuid, vendor_id uuid, state text);

comment on type private.pending_lead is 'A pending lead, and the columns that determine its order.';

create type private.placement_outcome as enum ('placed', 'unwanted', 'locked');

comment on type private.placement_outcome is
  '`placed`: an order accepts the lead. `unwanted`: no order accepts it. `locked`: the orders that accept it, or '
  'their agents, are locked by other transactions.';

create type private.placement as (
  outcome private.placement_outcome,
  leads integer,
  order_id uuid,
  agency_id uuid,
  agent_ids uuid[],
  has_greeting boolean
);

comment on type private.placement is
  'The place of the next leads. If they are placed: how many, the order, and its agents in the order of their turns '
  '(empty: the agency receives the leads without an agent).';

create type private.placed_lead as (
  id uuid,
  distribution text,
  order_id uuid,
  agency_id uuid,
  agent_id uuid,
  distributed_at timestamptz
);

comment on type private.placed_lead is 'The columns of recruiting_leads that are set when a lead is distributed.';

create function public.distribute_pending_leads(lead_ids uuid[]) returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '2s'
set lock_timeout = '100ms'
set enable_seqscan = off
-- Otherwise, statements with arrays are planned at each call, which takes longer than running them.
set plan_cache_mode = force_generic_plan
as $$
declare
  has_tried_all boolean;
  is_pending boolean;
  leads jsonb;
begin
  if exists (select from public.recruiting_leads l where l.id = any (lead_ids) and l.distribution = 'pending') then
    has_tried_all := private.try_distribute_pending();
  end if;

  select
    coalesce(bool_or(l.distribution = 'pending'), false),
    coalesce(jsonb_object_agg(asked.id, jsonb_build_object(
      'distribution', l.distribution, 'distributed_to', private.created_lead(l) -> 'distributed_to'
    )), '{}')
  into is_pending, leads
  from unnest(lead_ids) as asked (id)
  left join lateral (select * from public.recruiting_leads stored where stored.id = asked.id offset 0) l on true;

  -- The transaction that stored or distributed a lead may not have waited for the disk. A transaction that has written
  -- nothing to the log would end without waiting for it either.
  perform pg_logical_emit_message(true, 'recruiting leads', '');
  return jsonb_build_object('leads', leads, 'order_is_locked', is_pending and coalesce(has_tried_all, false));
end
$$;

comment on function public.distribute_pending_leads(uuid[]) is
  'Distributes every pending lead, oldest first, if one of these is pending, and returns where they went: {leads: '
  '{<id>: {distribution, distributed_to: {agency_id, agent_id|null}|null}}, order_is_locked}. distribution is null if '
  'the lead does not exist: it was deleted, or the server crashed before it was on disk. A lead stays pending while '
  'another transaction distributes; call again after a moment. If order_is_locked is true, the orders that accept it '
  'are locked. Every returned state is on disk.';
grant execute on function public.distribute_pending_leads(uuid[]) to service_role;

create function private.distribute_new_leads(fresh private.pending_lead[]) returns private.placed_lead[]
language plpgsql
set search_path = ''
as $$
declare
  are_others_pending constant boolean := exists (select from public.recruiting_leads l where l.distribution = 'pending');
begin
  if fresh = '{}' and not are_others_pending then
    return '{}';
  end if;
  if not pg_try_advisory_xact_lock(private.distribution_lock()) then
    return null;
  end if;
  perform set_config('lock_timeout', '20ms', true);
  if are_others_pending and not private.distribute_pending() then
    return null;
  end if;
  return private.distribute_leads(fresh);
end
$$;

comment on function private.distribute_new_leads(private.pending_lead[]) is
  'Finds places for new leads that an order accepts, after distributing all pending leads. The caller stores the new '
  'leads. Returns null, and the new leads become pending too, if another transaction distributes or time runs out. '
  '55P03 if a table is locked.';

create function private.try_distribute_pending() returns boolean
language plpgsql
set search_path = ''
as $$
begin
  if not pg_try_advisory_xact_lock(private.distribution_lock()) then
    return null;
  end if;
  perform set_config('lock_timeout', '20ms', true);
  return private.distribute_pending();
exception when lock_not_available then
  -- A table is locked.
  return true;
end
$$;

comment on function private.try_distribute_pending() is
  'Distributes the pending leads. Returns null if another transaction distributes; true if all leads were tried: '
  'those that are still pending wait for a locked order, agent or table; false if time ran out.';

-- Not a SQL function, which would be planned at each call.
create function private.distribution_lock() returns bigint
language plpgsql
immutable
set search_path = ''
as $$
begin
  return hashtextextended('recruiting lead distribution', 0);
end
$$;

comment on function private.distribution_lock() is
  'Returns the key of the advisory lock that the distributing transaction holds.';

create function private.distribute_pending(seconds double precision default 0.2) returns boolean
language plpgsql
set search_path = ''
-- Otherwise, the planner might hash all leads to join the placed ones.
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  -- Others do not wait long for the lock, and the statement stays far below its timeout.
  deadline constant timestamptz := clock_timestamp() + make_interval(secs => seconds);
  pending private.pending_lead[];
  placed private.placed_lead[];
  -- Vendors and states whose orders are locked.
  locked text[] := '{}';
  withheld private.placed_lead[] := '{}';
  -- Leads whose earlier lead stays pending.
  waiting uuid[] := '{}';
  fetched integer;
  is_followed boolean;
begin
  loop
    -- Leads that an operator has locked are skipped.
    pending := array(
      select row(l.id, l.vendor_id, l.state)::private.pending_lead
      from public.recruiting_leads l
      where l.distribution = 'pending'
        and (locked = '{}' or l.vendor_id || coalesce(l.state, '') <> all (locked))
        and (waiting = '{}' or l.id <> all (waiting))
      order by l.created_at, l.id
      limit 100
      for no key update skip locked
    );
    fetched := cardinality(pending);
    if exists (select from public.suppressions) or exists (select from private.lead_repeats) then
      withheld := private.withhold_leads(pending);
      pending := array(select p from unnest(pending) p where p.id <> all (array(select w.id from unnest(withheld) w)));
    end if;
    placed := private.distribute_leads(pending, deadline);
    update public.recruiting_leads l
    set
      distribution = p.distribution,
      order_id = p.order_id,
      agency_id = p.agency_id,
      agent_id = p.agent_id,
      distributed_at = p.distributed_at
    from unnest(placed || withheld) p
    where l.id = p.id and p.distribution <> 'pending';

    if cardinality(placed) < cardinality(pending) then
      return false;
    end if;
    is_followed := false;
    if withheld <> '{}' then
      select
        coalesce(bool_or(e.distribution is distinct from 'pending'), false),
        waiting || coalesce(array_agg(w.id) filter (where e.distribution = 'pending'), '{}')
      into is_followed, waiting
      from unnest(withheld) w
      join private.lead_repeats r on r.lead_id = w.id
      left join public.recruiting_leads e on e.id = r.earlier_id
      where w.distribution = 'pending';
    end if;
    exit when fetched < 100 and not is_followed;
    locked := locked || array(
      select distinct w.vendor_id || coalesce(w.state, '')
      from unnest(pending) w
      join unnest(placed) p on p.id = w.id
      where p.distribution = 'pending'
    );
  end loop;
  return true;
end
$$;

comment on function private.distribute_pending(double precision) is
  'Distributes the pending leads, oldest first. Returns false if the time limit was reached, possibly before the last '
  'lead. The caller holds the distribution lock.';

create function private.distribute_leads(pending private.pending_lead[], deadline timestamptz default 'infinity')
returns private.placed_lead[]
language plpgsql
set search_path = ''
as $$
declare
  -- Each further lead is distributed a microsecond later, so that turns continue in this order.
  moment timestamptz := clock_timestamp();
  placement private.placement;
  placed private.placed_lead[] := '{}';
begin
  while pending <> '{}' and (placed = '{}' or clock_timestamp() < deadline) loop
    placement := private.find_placement(pending, moment, placed);
    if placement.outcome = 'placed' then
      placed := placed || private.assign_leads(pending[:placement.leads], placement, moment);
      moment := moment + placement.leads * interval '1 microsecond';
      pending := pending[placement.leads + 1:];
    else
      -- The same applies to all leads of this vendor and state.
      placed := placed || array(
        select row(
          p.id, case placement.outcome when 'locked' then 'pending' else 'unmatched' end, null, null, null, null
        )::private.placed_lead
        from unnest(pending) p
        where p.vendor_id = pending[1].vendor_id and p.state is not distinct from pending[1].state
      );
      pending := array(
        select p
        from unnest(pending) p
        where p.vendor_id <> pending[1].vendor_id or p.state is distinct from pending[1].state
      );
    end if;
  end loop;
  return placed;
end
$$;

comment on function private.distribute_leads(private.pending_lead[], timestamptz) is
  'Assigns leads to orders and agents, by turns, and counts them there; the caller writes the leads. Returns the '
  'place of each lead: unmatched if no order accepts it; pending if all orders that accept it are locked. Leads that '
  'did not fit before the deadline are omitted. The caller holds the distribution lock, and has locked the stored '
  'leads.';

create function private.assign_leads(leads private.pending_lead[], place private.placement, moment timestamptz)
returns private.placed_lead[]
language plpgsql
set search_path = ''
as $$
declare
  agents constant integer := cardinality(place.agent_ids);
  placed private.placed_lead[];
begin
  -- The worker does the rest.
  if place.has_greeting then
    set constraints private.waiting_greetings_lead_id_fkey deferred;
    insert into private.waiting_greetings (lead_id) select l.id from unnest(leads) l;
  end if;
  with ordered as (
    update public.recruiting_orders o
    set
      filled = o.filled + place.leads,
      status = case when o.filled + place.leads = o.quantity then 'filled' else o.status end
    where o.id = place.order_id
  ), taken_turns as (
    update public.agents a
    set last_assigned_at = moment
      -- The last lead that this agent received.
      + (turn.ordinal - 1 + (place.leads - turn.ordinal) / agents * agents) * interval '1 microsecond'
    from unnest(place.agent_ids) with ordinality as turn (agent_id, ordinal)
    where a.id = turn.agent_id and turn.ordinal <= place.leads
  ), notifications as (
    insert into private.lead_notifications_due (lead_id) select l.id from unnest(leads) l
  )
  select array_agg(
    row(
      l.id, 'distributed', place.order_id, place.agency_id,
      place.agent_ids[(l.ordinal - 1) % greatest(agents, 1) + 1], moment + (l.ordinal - 1) * interval '1 microsecond'
    )::private.placed_lead
    order by l.ordinal
  )
  into placed
  from unnest(leads) with ordinality as l (id, vendor_id, state, ordinal);
  return placed;
end
$$;

comment on function private.assign_leads(private.pending_lead[], private.placement, timestamptz) is
  'Counts these leads for their order, advances its agents'' turns, queues their notifications, and returns the place '
  'of each lead. The first lead is distributed at this moment. The caller has locked the order and the agents.';

create function public.distribute_waiting_leads(max integer, vendor_id uuid default null) returns integer
language plpgsql
set search_path = ''
set statement_timeout = '60s'
set lock_timeout = '5s'
as $$
declare
  wanted uuid[];
begin
  if max is null or max < 1 then
    raise exception 'max: must be 1 or more' using errcode = 'PT400';
  end if;
  perform pg_advisory_xact_lock(private.distribution_lock());
  -- From here on, all leads wait for this call.
  perform set_config('lock_timeout', '20ms', true);

  with kinds as materialized (
    select k.vendor_id, k.state
    from (
      select distinct l.vendor_id, l.state
      from public.recruiting_leads l
      where l.distribution in ('unmatched', 'pending')
        and (distribute_waiting_leads.vendor_id is null or l.vendor_id = distribute_waiting_leads.vendor_id)
    ) k
    where (private.best_order(k.vendor_id, k.state, clock_timestamp())).id is not null
  ), waiting as (
    -- Leads that an operator has locked are skipped.
    select l.id, l.distribution
    from public.recruiting_leads l
    join kinds k on k.vendor_id = l.vendor_id and k.state is not distinct from l.state
    where l.distribution in ('unmatched', 'pending')
    order by l.created_at, l.id
    limit max
    for no key update of l skip locked
  ), made_pending as (
    update public.recruiting_leads l
    set distribution = 'pending'
    from waiting w
    where l.id = w.id and w.distribution = 'unmatched'
  )
  select array_agg(w.id) into wanted from waiting w;

  perform private.distribute_pending(seconds => 50);
  return (
    select count(*) from public.recruiting_leads l where l.id = any (wanted) and l.distribution = 'distributed'
  );
end
$$;

comment on function public.distribute_waiting_leads(integer, uuid) is
  'Distributes leads that no order accepted when they arrived (unmatched), and pending ones: oldest first, at most '
  'max, of one vendor or of all. Returns their number; 0 if no order accepts a waiting lead. For an order that was '
  'opened late. Holds the distribution lock, so other leads wait: call it with a max of about 100 until it returns 0. '
  '55P03 if another transaction holds the lock for more than 5 s, or has locked a required table; PT400 if max is '
  'less than 1.';
grant execute on function public.distribute_waiting_leads(integer, uuid) to service_role;

-- supabase/schemas/recruiting/placement.sql

-- The place of leads: the best order that can accept them now, and its agents, all locked.

create function private.find_placement(
  pending private.pending_lead[],
  moment timestamptz,
  placed private.placed_lead[]
) returns private.placement
language plpgsql
set search_path = ''
as $$
declare
  first constant private.pending_lead := pending[1];
  passed_over uuid[] := '{}';
  are_locked boolean := false;
  chosen public.recruiting_orders;
  leads integer;
  agent_ids uuid[];
begin
  -- Each statement takes a new snapshot (the function is volatile, the isolation level read committed), so each choice
  -- sees everything committed before it.
  loop
    chosen := private.best_order(first.vendor_id, first.state, moment, passed_over);
    if chosen.id is null then
      return row(case when are_locked then 'locked' else 'unwanted' end, null, null, null, null, null)::private.placement;
    end if;
    passed_over := passed_over || chosen.id;
    -- Operators do not take the distribution lock, so the order may have changed since it was chosen. The agency is
    -- locked here because the lead's foreign key locks it, and would wait for it.
    perform
    from public.recruiting_orders o
    join public.agencies a on a.id = o.agency_id
    where o.id = chosen.id and o is not distinct from chosen
    for no key update of o skip locked
    for key share of a skip locked;
    if not found then
      are_locked := true;
      continue;
    end if;

    leads := cardinality(pending);
    if leads > 1 then
      leads := private.leads_for_order(chosen, pending, moment, passed_over);
    end if;
    -- After the lock, because a count can change without the order's row. The leads of this call are not counted yet.
    if chosen.daily_cap is not null then
      leads := least(
        leads,
        private.room_under_cap(chosen.id, chosen.daily_cap, moment)
          - (select count(*) from unnest(placed) p where p.order_id = chosen.id)
      );
    end if;
    continue when leads <= 0;

    agent_ids := private.lock_agents(chosen.agency_id, chosen.agent_id, leads);
    if agent_ids is not null then
      return row(
        'placed', leads, chosen.id, chosen.agency_id, agent_ids, chosen.greeting_template is not null
      )::private.placement;
    end if;
    are_locked := true;
  end loop;
end
$$;

comment on function private.find_placement(private.pending_lead[], timestamptz, private.placed_lead[]) is
  'Finds and locks the best order that can accept the first of these leads at this moment, and its agents. The '
  'placement applies to that lead and all consecutive leads with the same order. placed: the leads of this call that '
  'already have a place. The caller holds the distribution lock.';

-- The agents whom distribution may choose.
create view private.present_agents with (security_invoker = true) as
select a.id, a.agency_id, a.accepts_recruits, a.last_assigned_at, a.created_at
from public.agents a
where a.is_active and (a.away_until > now()) is not true;

comment on view private.present_agents is 'The active agents who are not away.';
-- To lock a row is to be able to update it.
grant select, update on private.present_agents to service_role;

create function private.lock_agents(agency_id uuid, named_agent_id uuid, wanted integer) returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  agent_ids uuid[];
begin
  if named_agent_id is not null and exists (
    select from private.present_agents a where a.id = named_agent_id and a.agency_id = lock_agents.agency_id
  ) then
    return (select array[a.id] from private.present_agents a where a.id = named_agent_id for no key update skip locked);
  end if;

  agent_ids := array(
    select a.id
    from private.present_agents a
    where a.agency_id = lock_agents.agency_id and a.accepts_recruits
    order by a.last_assigned_at nulls first, a.created_at, a.id
    limit wanted
    for no key update skip locked
  );
  if agent_ids = '{}' and exists (
    select from private.present_agents a where a.agency_id = lock_agents.agency_id and a.accepts_recruits
  ) then
    return null;
  end if;
  return agent_ids;
end
$$;

comment on function private.lock_agents(uuid, uuid, integer) is
  'Locks the agents for the next leads of an order, at most as many as requested. Returns their ids in the order of '
  'their turns: only the named agent, if active and not away; otherwise the unlocked agents who have waited longest. '
  'Empty if the agency has no such agent; null if it has, but the named agent, or all of them, are locked.';

create function private.next_agent(agency_id uuid, named_agent_id uuid) returns uuid
language sql
stable
set search_path = ''
as $$
  select coalesce(
    (select a.id from private.present_agents a where a.id = named_agent_id and a.agency_id = next_agent.agency_id),
    (
      select a.id
      from private.present_agents a
      where a.agency_id = next_agent.agency_id and a.accepts_recruits
      order by a.last_assigned_at nulls first, a.created_at, a.id
      limit 1
    )
  )
$$;

comment on function private.next_agent(uuid, uuid) is
  'Returns the first agent that lock_agents() would choose if no agent were locked; null if the agency has no such agent.';

-- supabase/schemas/recruiting/order_choice.sql

-- Chooses the order for a lead of this vendor and state. supabase/tests/recruiting/distribution_model.test.sql models it.
--
-- The order of recruiting_order_choices_best_idx, of best_order() and of ranked_orders() is one rule; take_turns() and
-- turn_words() state it for operators. Which leads an order wants is asked by best_order() and leads_for_order().
--
-- An order that accepts leads has a row for each of its states, so the best order is the first entry of an index,
-- however many orders there are.

create table private.recruiting_order_choices (
  order_id uuid not null references public.recruiting_orders (id) on delete cascade,
  vendor_id uuid not null,
  state text not null,
  priority integer not null,
  share numeric not null,
  created_at timestamptz not null,
  primary key (order_id, state)
)
-- Leaves room in each page for a new version of a row.
with (fillfactor = 50);

create index recruiting_order_choices_best_idx on private.recruiting_order_choices (
  vendor_id, state, priority desc, share, created_at, order_id
);

comment on table private.recruiting_order_choices is
  'The orders that are open and not full, one row for each of their states, in the order in which they receive leads. '
  'Maintained by a trigger. Dates and daily caps are not included.';
comment on column private.recruiting_order_choices.vendor_id is 'All zeros for an order for any vendor.';
comment on column private.recruiting_order_choices.state is 'Empty for an order for any state.';
comment on column private.recruiting_order_choices.share is 'The received part of its quantity.';

alter table private.recruiting_order_choices enable row level security;
grant select, insert, update, delete on private.recruiting_order_choices to service_role;

create function private.keep_order_choices() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  is_open constant boolean := new.status = 'open' and new.filled < new.quantity;
begin
  if tg_op = 'UPDATE' then
    -- As each lead changes it.
    if is_open
      and (old.vendor_id, old.states, old.priority, old.status) is not distinct from
        (new.vendor_id, new.states, new.priority, new.status)
    then
      update private.recruiting_order_choices c
      set share = new.filled::numeric / new.quantity
      where c.order_id = new.id;
      if found then
        return null;
      end if;
    end if;
    delete from private.recruiting_order_choices c where c.order_id = new.id;
  end if;

  if is_open then
    insert into private.recruiting_order_choices (order_id, vendor_id, state, priority, share, created_at)
    select
      new.id, coalesce(new.vendor_id, '00000000-0000-0000-0000-000000000000'), wanted.state, new.priority,
      new.filled::numeric / new.quantity, new.created_at
    from (select distinct unnest(coalesce(new.states, '{""}')) as state) wanted;
  end if;
  return null;
end
$$;

comment on function private.keep_order_choices() is
  'Trigger: maintains the rows of an order in recruiting_order_choices.';

create trigger keep_order_choices
  after insert or update of vendor_id, states, priority, quantity, filled, status on public.recruiting_orders
  for each row execute function private.keep_order_choices();

create function private.best_order(
  vendor_id uuid,
  state text,
  moment timestamptz,
  passed_over uuid[] default '{}'
) returns public.recruiting_orders
-- Not a SQL function, which would be planned at each call.
language plpgsql
stable
set search_path = ''
-- The planner would scan a small table completely, and the cached plan outlives the small size.
set enable_seqscan = off
as $$
declare
  chosen public.recruiting_orders;
begin
  -- Up to four searches, for this vendor or any, and this state or any. Each ends at the first order that fits.
  select (best.o).* into chosen
  from (values ('00000000-0000-0000-0000-000000000000'), (best_order.vendor_id)) as wanted (vendor)
  cross join (values (''), (best_order.state)) as from_state (state)
  cross join lateral (
    select o, c.priority, c.share, c.created_at, c.order_id
    from private.recruiting_order_choices c
    join public.recruiting_orders o on o.id = c.order_id
    where c.vendor_id = wanted.vendor
      and c.state = from_state.state
      -- A vendor's own id may be all zeros. Written so that no index on vendors is used.
      and coalesce(o.vendor_id, best_order.vendor_id) = best_order.vendor_id
      and o.id <> all (passed_over)
      and (o.starts_at is null or o.starts_at <= moment)
      and (o.ends_at is null or o.ends_at > moment)
      and (o.daily_cap is null or o.daily_cap > coalesce(
        (
          select d.leads
          from private.recruiting_order_days d
          where d.order_id = o.id and d.starts_at <= moment and d.ends_at > moment
        ),
        0
      ))
    order by c.priority desc, c.share, c.created_at, c.order_id
    limit 1
  ) best
  order by best.priority desc, best.share, best.created_at, best.order_id
  limit 1;
  return chosen;
end
$$;

comment on function private.best_order(uuid, text, timestamptz, uuid[]) is
  'Returns the order for a lead of this vendor and state (null: unknown) at this moment, or null. The highest '
  'priority is first, then the smallest filled share, then the oldest order. Skips the orders in passed_over.';

create function private.leads_before_rival(chosen_order public.recruiting_orders, rival public.recruiting_orders)
returns integer
language plpgsql
immutable
set search_path = ''
as $$
declare
  -- The rival's share of the chosen order's quantity.
  product constant bigint := rival.filled::bigint * chosen_order.quantity;
  is_older constant boolean := (chosen_order.created_at, chosen_order.id) < (rival.created_at, rival.id);
  last_filled bigint;
begin
  if rival.id is null or rival.priority < chosen_order.priority then
    return chosen_order.quantity - chosen_order.filled;
  elsif rival.priority > chosen_order.priority then
    return 0;
  end if;
  -- If the shares are equal, the older order is first.
  last_filled := (product - case when is_older then 0 else 1 end) / rival.quantity;
  return greatest(least(last_filled + 1, chosen_order.quantity) - chosen_order.filled, 0);
end
$$;

comment on function private.leads_before_rival(public.recruiting_orders, public.recruiting_orders) is
  'Returns the number of consecutive leads that the chosen order receives before the rival is the better choice or '
  'the quantity is reached. The rival is the result of best_order() without the chosen order; null if there is none.';

create function private.leads_for_order(
  chosen public.recruiting_orders,
  pending private.pending_lead[],
  moment timestamptz,
  passed_over uuid[]
) returns integer
language plpgsql
set search_path = ''
as $$
declare
  lead private.pending_lead;
  kind text;
  -- For each vendor and state, the number of leads before another order is better for such a lead.
  kinds text[] := '{}';
  bounds integer[] := '{}';
  bound integer;
  leads integer := 0;
begin
  foreach lead in array pending loop
    if kind is distinct from lead.vendor_id || coalesce(lead.state, '') then
      kind := lead.vendor_id || coalesce(lead.state, '');
      bound := bounds[array_position(kinds, kind)];
      if bound is null then
        bound := 0;
        if (chosen.vendor_id is null or chosen.vendor_id = lead.vendor_id)
          and (chosen.states is null or lead.state = any (chosen.states))
        then
          bound := private.leads_before_rival(
            chosen, private.best_order(lead.vendor_id, lead.state, moment, passed_over));
        end if;
        kinds := kinds || kind;
        bounds := bounds || bound;
      end if;
    end if;
    exit when leads >= bound;
    leads := leads + 1;
  end loop;
  -- A rival may have changed since the order was chosen.
  return greatest(leads, 1);
end
$$;

comment on function private.leads_for_order(public.recruiting_orders, private.pending_lead[], timestamptz, uuid[]) is
  'Returns the number of these leads, from the first, that the chosen order receives when they are distributed in '
  'sequence: until it is full, or another order that is not in passed_over is better for the next lead. At least one. '
  'Ignores the daily cap.';

create function private.ranked_orders() returns table (o public.recruiting_orders, place bigint)
language sql
stable
set search_path = ''
as $$
  select
    o,
    row_number() over (
      order by (o.status = 'open' and o.filled < o.quantity) desc, o.priority desc, o.filled::numeric / o.quantity,
        o.created_at, o.id
    )
  from public.recruiting_orders o
  where o.status <> 'closed'
$$;

comment on function private.ranked_orders() is
  'All orders but closed ones, in the order in which best_order() tries them; first those that are open and not full, the '
  'only ones that it tries.';

create function private.take_turns(one public.recruiting_orders, other public.recruiting_orders) returns boolean
language sql
immutable
set search_path = ''
return one.priority = other.priority;

comment on function private.take_turns(public.recruiting_orders, public.recruiting_orders) is
  'Returns whether two orders that want the same leads take turns, so that neither is first for all of them.';

create function private.turn_words(is_first boolean) returns text
language sql
immutable
set search_path = ''
return 'takes turns with orders of its priority'
  || case when is_first then ', and goes first now' else ': the least filled goes first' end;

comment on function private.turn_words(boolean) is
  'Describes an order that takes turns with others: one that is first now for some lead, or one that is not.';

-- supabase/schemas/recruiting/store.sql

-- Stores recruiting leads: those of POST /recruiting/ingest and of webhooks, which share a call if they arrive
-- together; those of POST /recruiting/ingest/bulk; and those of replays.

create function public.ingest_recruiting_leads(leads jsonb) returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '2s'
set lock_timeout = '100ms'
-- Plans are cached. A plan made while a table was small would scan all of it after it has grown.
set enable_seqscan = off
-- Otherwise, statements with arrays are planned at each call, which takes longer than running them.
set plan_cache_mode = force_generic_plan
as $$
begin
  -- Until the transaction ends, nobody can abandon these leads. In a fixed order, so that two calls never deadlock.
  perform pg_advisory_xact_lock(hashtextextended('recruiting lead ' || (sent.id #>> '{}'), 0))
  from (select id from jsonb_path_query(leads, '$[*].lead.id') as ids (id) order by 1) sent;
  return private.store_recruiting_leads(leads);
end
$$;

comment on function public.ingest_recruiting_leads(jsonb) is
  'Stores leads of any vendors and distributes them, unless vendor_metadata.is_test is true. leads: [{key_hash|null, '
  'webhook|null, lead: {id, first_name, vendor_lead_id|null, vendor_metadata, resume_path|null, request_id|null, '
  'received_via|null}, idempotency|null}]. key_hash: SHA-256 of the vendor''s API key in lower-case hex; webhook: '
  '{secret_id, delivery_id|null, part} in place of a key. idempotency: see private.find_idempotent_result(). The caller '
  'makes the id; a repeated call with the same ids gives the first results and stores nothing. Returns an array with one '
  'result for each lead, in their order: {id, status: created, distributed_to: {agency_id, agent_id|null}|null}, with '
  'distribution: pending while it is not known where the lead goes, or whether it is on disk: then '
  'distribute_pending_leads() must be asked, because a crash of the server within a second may take such a lead away. Or '
  '{id, status: duplicate} with the id of the lead that has this vendor_lead_id, or that the same delivery_id and part '
  'stored within 7 days. It has record_error, a SQLSTATE, where the repeat could not be recorded. Or {error: {code, '
  'message}}: PT401 as authenticate_vendor(), PT400 without a first_name, 55000 for an id that was abandoned, PT409 and '
  'PT422 as private.find_idempotent_result(). An exception concerns the call as a whole, which has then stored nothing: '
  'one lead that the database refuses, or that waits too long for another transaction (55P03), makes all fail.';
grant execute on function public.ingest_recruiting_leads(jsonb) to service_role;

create type private.sent_lead as (
  ordinal integer,
  id uuid,
  vendor_id uuid,
  vendor_lead_id text,
  state text,
  distribution text,
  lead jsonb,
  key jsonb,
  result jsonb
);

comment on type private.sent_lead is
  'A lead of a call. ordinal: its position in the call, from 1. vendor_id: null without a valid credential. '
  'vendor_lead_id, state: as stored. distribution: its state until it is distributed. lead: as sent. key: identifies '
  'a repetition, see private.lead_key(). result: for a repeated lead, or an error; null for a new lead.';

create type private.lead_contact as (ordinal integer, id uuid, vendor_id uuid, distribution text, phone text, email text);

comment on type private.lead_contact is
  'A new lead of a call, with what identifies its person. phone: null unless it is in E.164. email: in lower case.';

create type private.repeated_lead as (
  ordinal integer,
  rank integer,
  action text,
  earlier_id uuid,
  vendor_id uuid,
  agency_id uuid,
  agent_id uuid,
  is_pending boolean
);

comment on type private.repeated_lead is
  'A lead of a call to which a rule of public.repeat_rules applies. vendor_id and what follows it: of the earlier lead.';

create function private.store_recruiting_leads(
  leads jsonb,
  of_vendor uuid default null,
  are_distributed boolean default true
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  sent private.sent_lead[] := private.find_known_leads(private.read_leads(leads, of_vendor, are_distributed));
  repeated private.repeated_lead[] := '{}';
  placed private.placed_lead[];
  results jsonb;
begin
  if exists (select from public.suppressions) then
    sent := private.mark_suppressed(sent);
  end if;
  if exists (select from public.repeat_rules) then
    repeated := private.lock_and_find_repeats(sent);
    sent := private.mark_repeats(sent, repeated);
  end if;

  begin
    if are_distributed then
      placed := private.distribute_new_leads(array(
        select row(s.id, s.vendor_id, s.state)::private.pending_lead
        from unnest(sent) s
        where s.result is null and s.distribution = 'pending'
          and (repeated = '{}' or s.ordinal <> all (array(select r.ordinal from unnest(repeated) r)))
      ));
    end if;
    if repeated <> '{}' then
      placed := placed || private.place_repeats(sent, repeated);
    end if;
    results := private.insert_sent_leads(sent, placed);
  exception when lock_not_available then
    results := private.insert_pending_leads(sent);
  end;

  if results @? '$[*] ? (@ == null || @.status == "duplicate")' then
    results := private.note_duplicates(sent, results, repeated);
  end if;
  if repeated <> '{}' then
    perform private.note_repeats(sent, repeated, results);
  end if;
  -- If all leads are pending, their distribution waits for the disk, and so does a request that asks about them.
  if not results @? '$[*] ? (!exists (@.distribution))' then
    perform set_config('synchronous_commit', 'off', true);
  end if;
  if leads @? '$[*] ? (@.webhook != null || @.idempotency != null)' then
    perform private.save_idempotent_result(
      s.key ->> 'scope', s.key -> 'idempotency', results -> (s.ordinal - 1), (s.key ->> 'retention')::interval)
    from unnest(sent) s
    where s.key is not null and not results -> (s.ordinal - 1) ? 'error';
  end if;
  return results;
end
$$;

comment on function private.store_recruiting_leads(jsonb, uuid, boolean) is
  'Stores the new leads of a call, once, with their orders and agents unless are_distributed is false. For leads and '
  'the result, see public.ingest_recruiting_leads(). of_vendor: the vendor of all leads, whose proof the caller has '
  'verified; a lead then needs no id.';

create function private.read_leads(leads jsonb, of_vendor uuid, are_distributed boolean) returns private.sent_lead[]
language plpgsql
set search_path = ''
as $$
begin
  return (
    select array_agg(row(
      r.ordinal, coalesce((r.lead ->> 'id')::uuid, gen_random_uuid()), r.vendor_id,
      -- Most vendors have no such lead, and the index that shows it is small.
      case when exists (
        select from public.recruiting_leads e where e.vendor_id = r.vendor_id and e.vendor_lead_id like 'sha256:%'
      ) then private.stored_lead_id(r.vendor_id, r.lead ->> 'vendor_lead_id')
      else private.indexable_id(r.lead ->> 'vendor_lead_id') end,
      r.state,
      case
        when not are_distributed or r.lead #> '{vendor_metadata,is_test}' is not distinct from 'true' then 'not_requested'
        -- Dates and daily caps may still exclude it; its distribution checks them.
        when exists (
          select
          from private.recruiting_order_choices c
          where c.vendor_id in ('00000000-0000-0000-0000-000000000000', r.vendor_id) and c.state in ('', r.state)
        ) then 'pending'
        else 'unmatched'
      end,
      r.lead,
      case when r.webhook is not null or r.idempotency is not null
        then private.lead_key(r.vendor_id, r.webhook, r.idempotency) end,
      case when r.vendor_id is null then private.lead_error(
        'PT401', case when r.webhook is null then 'invalid API key' else 'invalid webhook secret' end) end
    )::private.sent_lead)
    from (
      select
        given.*,
        private.lead_state(given.lead -> 'vendor_metadata') as state,
        coalesce(of_vendor, case when given.webhook is null
          then (select k.vendor_id from private.valid_api_keys k where k.key_hash = given.key_hash)
          else private.proved_vendor(null, given.webhook) end) as vendor_id
      from rows from (
        jsonb_to_recordset(leads) as (key_hash text, webhook jsonb, lead jsonb, idempotency jsonb)
      ) with ordinality as given (key_hash, webhook, lead, idempotency, ordinal)
      -- Otherwise, each of these expressions is evaluated at every use.
      offset 0
    ) r
  );
end
$$;

comment on function private.read_leads(jsonb, uuid, boolean) is
  'Returns the leads of a call of private.store_recruiting_leads(), in order, with their vendors. A lead without a '
  'valid credential has the result {error}.';

create function private.find_known_leads(sent private.sent_lead[]) returns private.sent_lead[]
language plpgsql
set search_path = ''
as $$
begin
  return (
    select array_agg(row(
      s.ordinal, s.id, s.vendor_id, s.vendor_lead_id, s.state, s.distribution, s.lead, s.key,
      coalesce(
        s.result,
        (select private.lead_error('55000', 'the lead was abandoned') from private.abandoned_leads a where a.lead_id = s.id),
        case when s.key is not null then private.kept_lead(s.key, s.id) end,
        (
          select case when l.vendor_id = s.vendor_id
            then private.created_lead(l)
            else private.lead_error('23505', 'the id belongs to a lead of another vendor') end
          from public.recruiting_leads l
          where l.id = s.id
        ),
        (
          select jsonb_build_object('id', l.id, 'status', 'duplicate')
          from public.recruiting_leads l
          where l.vendor_id = s.vendor_id and l.vendor_lead_id = s.vendor_lead_id
        ),
        private.lead_error('PT400', private.lead_problem(s.lead))
      )
    )::private.sent_lead)
    from unnest(sent) s
  );
end
$$;

comment on function private.find_known_leads(private.sent_lead[]) is
  'Returns the same leads, with a result for each that is repeated, was abandoned, or has no first name.';

create function private.insert_sent_leads(sent private.sent_lead[], placed private.placed_lead[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  results jsonb;
  left_over bigint;
begin
  with inserted as (
    insert into public.recruiting_leads as l (
      id, vendor_id, vendor_lead_id, first_name, vendor_metadata, resume_path, request_id, received_via, distribution,
      order_id, agency_id, agent_id, distributed_at, created_at
    )
    select
      s.id, s.vendor_id, s.vendor_lead_id, s.lead ->> 'first_name',
      coalesce(nullif(s.lead -> 'vendor_metadata', 'null'), '{}'), s.lead ->> 'resume_path', s.lead ->> 'request_id',
      s.lead ->> 'received_via', coalesce(p.distribution, s.distribution), p.order_id, p.agency_id, p.agent_id,
      -- Pending leads are distributed in this order.
      p.distributed_at, now() + s.ordinal * interval '1 microsecond'
    from unnest(sent) s
    left join unnest(placed) p on p.id = s.id
    where s.result is null
    -- Two calls with the same leads wait for each other and never deadlock. If two leads of a call have the same
    -- vendor_lead_id, the first is stored.
    order by s.vendor_id, s.vendor_lead_id, s.ordinal
    on conflict do nothing
    returning l.id, jsonb_build_object('id', l.id, 'status', 'created', 'distributed_to',
      -- Same as private.created_lead(), but takes a twentieth of the time of a large call.
      case when l.agency_id is not null then jsonb_build_object('agency_id', l.agency_id, 'agent_id', l.agent_id) end
    ) || case when l.distribution = 'pending' then '{"distribution": "pending"}' else '{}' end::jsonb as result
  )
  select
    jsonb_agg(coalesce(s.result, i.result) order by s.ordinal),
    count(*) filter (where coalesce(s.result, i.result) is null)
  into results, left_over
  from unnest(sent) s
  left join inserted i on i.id = s.id;
  -- An order has counted each of them.
  if left_over > 0 and placed <> '{}' then
    raise lock_not_available using message = 'another transaction has stored one of these leads meanwhile';
  end if;
  return results;
end
$$;

comment on function private.insert_sent_leads(private.sent_lead[], private.placed_lead[]) is
  'Inserts the leads without a result, with their places if they have any. Returns an array with the result of each '
  'lead, in order. It is null if the vendor_lead_id is taken: another transaction has committed it since the look-up, '
  'or it occurs twice in the call. 55P03 for such a lead in a call with places.';

create function private.insert_pending_leads(sent private.sent_lead[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  results jsonb;
begin
  -- The check of a foreign key waits for the table that it refers to, even where the key is null. A deferred check
  -- leaves out a version of the row that the same transaction has replaced, and an update to a key that is null.
  set constraints all deferred;
  results := private.insert_sent_leads(sent, null);
  update public.recruiting_leads l
  set distribution = l.distribution
  where l.id = any (array(select s.id from unnest(sent) s));
  return results;
end
$$;

comment on function private.insert_pending_leads(private.sent_lead[]) is
  'Inserts leads while another transaction has locked a table that they refer to, or stores one of them: see '
  'private.insert_sent_leads(). A lead that an order accepts is pending.';

create function private.stored_lead_id(vendor_id uuid, given_id text) returns text
language plpgsql
stable
set search_path = ''
as $$
declare
  id constant text := private.indexable_id(given_id);
  erased_id constant text := private.erased_id(vendor_id, id);
begin
  return case
    when exists (
      select from public.recruiting_leads l where l.vendor_id = stored_lead_id.vendor_id and l.vendor_lead_id = erased_id
    ) then erased_id
    else id
  end;
end
$$;

comment on function private.stored_lead_id(uuid, text) is
  'Returns the vendor_lead_id under which a lead with this vendor id is or would be stored: as '
  'private.indexable_id(), or private.erased_id() if its person was erased. Null if blank.';

-- Each lead calls one of these, so they are not SQL functions, which would be planned at each call.

create function private.lead_problem(lead jsonb) returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return case
    when coalesce(btrim(lead ->> 'first_name'), '') = '' then 'missing first_name'
    when jsonb_typeof(lead -> 'vendor_metadata') not in ('object', 'null') then 'vendor_metadata must be an object'
  end;
end
$$;

comment on function private.lead_problem(jsonb) is 'Returns why this cannot be a recruiting lead; null if it can.';

create function private.lead_error(code text, message text) returns jsonb
language plpgsql
immutable
strict
set search_path = ''
as $$
begin
  return jsonb_build_object('error', jsonb_build_object('code', code, 'message', message));
end
$$;

comment on function private.lead_error(text, text) is
  'Returns the result of a lead that cannot be stored; null without a message.';

create function private.created_lead(lead public.recruiting_leads) returns jsonb
language plpgsql
immutable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'id', lead.id, 'status', 'created', 'distributed_to',
    case when lead.agency_id is not null
      then jsonb_build_object('agency_id', lead.agency_id, 'agent_id', lead.agent_id) end
  ) || case when lead.distribution = 'pending' then '{"distribution": "pending"}' else '{}' end::jsonb;
end
$$;

comment on function private.created_lead(public.recruiting_leads) is 'Returns the result of a stored lead.';

-- supabase/schemas/recruiting/repeats.sql

-- Repeated leads: with the same vendor_lead_id, Idempotency-Key or webhook delivery, or by a repeated call.

create function private.note_duplicates(
  sent private.sent_lead[],
  results jsonb,
  repeated private.repeated_lead[]
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  -- A lead that another transaction has committed since the look-up, or that occurs twice in the call, has no result
  -- yet.
  noted constant jsonb := (
    select jsonb_agg(coalesce(nullif(results -> (s.ordinal - 1), 'null'), (
      select jsonb_build_object('id', l.id, 'status', 'duplicate')
      from public.recruiting_leads l
      where l.vendor_id = s.vendor_id and l.vendor_lead_id = s.vendor_lead_id
    )))
    from unnest(sent) s
  );
begin
  if noted @> '[null]' then
    raise exception 'a lead with the same vendor_lead_id was deleted meanwhile' using errcode = 'serialization_failure';
  end if;

  perform set_config('lock_timeout', '100ms', true);
  insert into public.recruiting_lead_duplicates (id, lead_id, vendor_id, request_id, reason)
  select
    case
      -- The id that the vendor has got.
      when r.vendor_id <> s.vendor_id then (noted -> (s.ordinal - 1) ->> 'id')::uuid
      -- A repeated call has the same id, and is the same duplicate.
      else coalesce((s.lead ->> 'id')::uuid, private.time_ordered_id())
    end,
    l.id, s.vendor_id, s.lead ->> 'request_id', case when r.ordinal is null then 'same_lead' else 'same_person' end
  from unnest(sent) s
  left join unnest(repeated) r on r.ordinal = s.ordinal and r.action = 'duplicate'
  -- A delivery may be repeated after its lead has been deleted.
  join public.recruiting_leads l on l.id = coalesce(r.earlier_id, (noted -> (s.ordinal - 1) ->> 'id')::uuid)
  where noted -> (s.ordinal - 1) ->> 'status' = 'duplicate'
    and (r.ordinal is not null or s.lead ->> 'received_via' is distinct from 'replay')
  order by 1
  on conflict (id) do nothing;
  return noted;
exception
  when serialization_failure then
    raise;
  when others then
    -- The lead is a duplicate anyway, possibly of a lead that is not on disk yet.
    perform pg_logical_emit_message(true, 'recruiting leads', '');
    return (
      select jsonb_agg(r || case when r ->> 'status' = 'duplicate'
        then jsonb_build_object('record_error', sqlstate) else '{}' end order by ordinal)
      from jsonb_array_elements(noted) with ordinality as result (r, ordinal)
    );
end
$$;

comment on function private.note_duplicates(private.sent_lead[], jsonb, private.repeated_lead[]) is
  'Sets the results of leads that were not stored, records each duplicate, and returns the results. 40001 if a '
  'conflicting lead has been deleted since: the caller must repeat the call.';

-- A request with an Idempotency-Key, or a webhook delivery with an id, gets the first result again.

create function private.lead_key(vendor_id uuid, webhook jsonb, idempotency jsonb) returns jsonb
language plpgsql
immutable
set search_path = ''
as $$
begin
  if coalesce(btrim(webhook ->> 'delivery_id'), '') <> '' then
    return jsonb_build_object(
      'scope', 'delivery ' || vendor_id,
      'idempotency', jsonb_build_object(
        -- Senders may use any text as an id, and a key is at most 255 visible ASCII characters.
        'key', encode(sha256(convert_to(webhook ->> 'delivery_id', 'UTF8')), 'hex'),
        'part', coalesce((webhook ->> 'part')::integer, 0),
        'request_hash', null
      ),
      'retention', '7 days'
    );
  elsif idempotency is not null then
    return jsonb_build_object(
      'scope', case when webhook is null then 'ingest ' else 'webhook ' end || vendor_id,
      'idempotency', idempotency,
      'retention', '24 hours'
    );
  end if;
  return null;
end
$$;

comment on function private.lead_key(uuid, jsonb, jsonb) is
  'Returns the keys besides vendor_lead_id by which a repeated lead is recognized: {scope, idempotency, retention} as '
  'private.find_idempotent_result() and private.save_idempotent_result() take them; null if there are none.';

create function private.kept_lead(key jsonb, lead_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  kept jsonb;
begin
  kept := private.find_idempotent_result(key ->> 'scope', key -> 'idempotency');
  return case
    -- A repeated delivery is a duplicate; a repeated call has the same id.
    when key ->> 'scope' like 'delivery %' and kept ->> 'id' <> lead_id::text
      then jsonb_build_object('id', kept -> 'id', 'status', 'duplicate')
    else kept
  end;
exception when sqlstate 'PT409' or sqlstate 'PT422' then
  return private.lead_error(sqlstate, sqlerrm);
end
$$;

comment on function private.kept_lead(jsonb, uuid) is
  'Returns the first result of the request or delivery with this key, or the {error} of '
  'private.find_idempotent_result(); null if it is the first.';

-- A slow call may begin after the function has given it up. Before the function responds that a lead was not stored, it
-- therefore abandons the lead's id: a later call with that id stores nothing.

create function public.abandon_recruiting_leads(lead_ids uuid[]) returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '4s'
as $$
begin
  -- As ingest_recruiting_leads() does.
  perform pg_advisory_xact_lock(hashtextextended('recruiting lead ' || given.id, 0))
  from (select id from unnest(lead_ids) as ids (id) order by 1) given;

  insert into private.abandoned_leads (lead_id)
  select given.id
  from unnest(lead_ids) as given (id)
  where not exists (select from public.recruiting_leads l where l.id = given.id)
  on conflict do nothing;

  delete from private.abandoned_leads a
  where a.lead_id in (
    select old.lead_id
    from private.abandoned_leads old
    where old.abandoned_at < now() - interval '1 hour'
    limit 100
    for update skip locked
  );

  -- The transaction that stored a lead may not have waited for the disk. If this transaction writes nothing, its commit
  -- would not wait either.
  perform pg_logical_emit_message(true, 'recruiting leads', '');
  return (
    select coalesce(jsonb_object_agg(given.id, case when l.id is not null then private.created_lead(l) end), '{}')
    from unnest(lead_ids) as given (id)
    left join public.recruiting_leads l on l.id = given.id
  );
end
$$;

comment on function public.abandon_recruiting_leads(uuid[]) is
  'Decides the outcome of leads whose call of ingest_recruiting_leads() got no response. Returns {<id>: result} with '
  'the result of that function if the lead is stored and on disk, otherwise null: it will then never be stored.';
grant execute on function public.abandon_recruiting_leads(uuid[]) to service_role;

-- supabase/schemas/recruiting/repeat_rules.sql

-- One person, several leads: what becomes of a lead whose person has an earlier lead, of whatever vendor. Without a rule
-- nothing here runs.

create table public.repeat_rules (
  id uuid primary key default gen_random_uuid(),
  vendor_id uuid references public.vendors (id) on delete cascade,
  agency_id uuid references public.agencies (id) on delete cascade,
  match text[] not null check (match <@ '{phone,email}' and cardinality(match) > 0),
  within interval not null check (within > interval '0'),
  action text not null check (action in ('hold', 'same_agent', 'duplicate')),
  rank integer not null generated always as (
    case when vendor_id is null then 0 else 2 end + case when agency_id is null then 0 else 1 end
  ) stored,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint repeat_rules_scope_key unique nulls not distinct (vendor_id, agency_id)
);

create index on public.repeat_rules (agency_id);

comment on table public.repeat_rules is
  'What becomes of a new lead whose person has an earlier lead. Of the rules that fit, the most specific decides: vendor and '
  'agency, then vendor, then agency, then neither. The earlier lead is the newest other lead of the person that is not a '
  'test, returned, suppressed or held as a repeat.';
comment on column public.repeat_rules.vendor_id is 'Only new leads of this vendor; null: of any.';
comment on column public.repeat_rules.agency_id is 'Only where this agency has the earlier lead; null: whoever has it, or nobody.';
comment on column public.repeat_rules.match is
  'What makes two leads one person''s: the same `phone`, the same `email`, or, with both, one of them.';
comment on column public.repeat_rules.within is 'How old the earlier lead is at most.';
comment on column public.repeat_rules.action is
  '`hold`: the lead is stored as a `repeat` and goes to nobody. `same_agent`: it goes to the agency and the agent who have '
  'the earlier lead, without an order; if nobody has it, the lead is treated like any other. `duplicate`: it is not '
  'stored, and the vendor gets the response for a duplicate.';

comment on column public.repeat_rules.rank is 'Of the rules that fit, the one with the highest rank decides.';

create trigger set_updated_at
  before update on public.repeat_rules
  for each row execute function private.set_updated_at();

alter table public.repeat_rules enable row level security;
grant select, insert, update, delete on public.repeat_rules to service_role;

create table private.lead_repeats (
  lead_id uuid primary key references public.recruiting_leads (id) on delete cascade,
  -- Not a foreign key, because storing a lead would wait for a transaction that has locked the earlier one.
  earlier_id uuid not null,
  action text not null check (action in ('hold', 'same_agent')),
  created_at timestamptz not null default now()
);

comment on table private.lead_repeats is
  'Stored leads to which a repeat rule applied, with the earlier lead of the person, which may have been deleted since. A '
  'pending lead with `same_agent` waits for its earlier lead, and follows it.';

alter table private.lead_repeats enable row level security;
grant select, insert, update, delete on private.lead_repeats to service_role;

create unlogged table private.person_locks (person bigint primary key);

comment on table private.person_locks is
  'Always empty. A transaction that stores a lead under a repeat rule inserts and deletes a row for its person. Another '
  'one that inserts the same row waits until the first transaction has ended. Advisory locks would not do: a bulk of '
  '10,000 leads would need more of them than the server has.';

alter table private.person_locks enable row level security;
grant select, insert, delete on private.person_locks to service_role;

create view private.first_leads with (security_invoker = true) as
select l.id, l.vendor_id, l.agency_id, l.agent_id, l.distribution, l.phone, l.email, l.created_at
from public.recruiting_leads l
where l.distribution not in ('repeat', 'suppressed', 'returned')
  and l.vendor_metadata -> 'is_test' is distinct from 'true';

comment on view private.first_leads is
  'The leads that may be the earlier lead of a person. A held repeat is none, so that a person who comes again and again is '
  'held for the time of the rule and no longer. An erased lead has no phone and no email.';
grant select on private.first_leads to service_role;

create function private.lead_contacts(sent private.sent_lead[]) returns private.lead_contact[]
language plpgsql
set search_path = ''
as $$
begin
  return array(
    select row(
      s.ordinal, s.id, s.vendor_id, s.distribution,
      case when m.data ->> 'phone' ~ '^\+[1-9]\d{1,14}$' then m.data ->> 'phone' end,
      case when length(m.data ->> 'email') <= 320 then lower(m.data ->> 'email') end
    )::private.lead_contact
    from unnest(sent) s
    cross join lateral (select s.lead -> 'vendor_metadata' as data) m
    where s.result is null and s.distribution <> 'suppressed' and m.data -> 'is_test' is distinct from 'true'
  );
end
$$;

comment on function private.lead_contacts(private.sent_lead[]) is
  'Returns the new leads among these, without tests and suppressed ones, with what identifies their persons.';

create function private.mark_suppressed(sent private.sent_lead[]) returns private.sent_lead[]
language plpgsql
set search_path = ''
as $$
begin
  return array(
    select row(
      s.ordinal, s.id, s.vendor_id, s.vendor_lead_id, s.state,
      case when private.is_suppressed(c.phone, c.email) then 'suppressed' else s.distribution end, s.lead, s.key, s.result
    )::private.sent_lead
    from unnest(sent) s
    left join unnest(private.lead_contacts(sent)) c on c.ordinal = s.ordinal
    order by s.ordinal
  );
end
$$;

comment on function private.mark_suppressed(private.sent_lead[]) is
  'Returns the same leads; those of suppressed people are `suppressed`.';

create function private.lock_and_find_repeats(sent private.sent_lead[]) returns private.repeated_lead[]
language plpgsql
set search_path = ''
as $$
declare
  contacts constant private.lead_contact[] := private.lead_contacts(sent);
begin
  perform private.lock_people(contacts);
  -- A statement of its own, which sees what the transactions that held the locks have stored.
  return private.find_repeats(contacts);
end
$$;

comment on function private.lock_and_find_repeats(private.sent_lead[]) is
  'Returns the new leads to which a repeat rule applies. Until the transaction ends, no other one stores leads of their '
  'persons.';

create function private.lock_people(contacts private.lead_contact[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  people constant bigint[] := array(
    select distinct hashtextextended(k.value, 0) as person
    from unnest(contacts) c
    cross join lateral (values ('phone', c.phone), ('email', c.email)) k (kind, value)
    where k.value is not null
      and exists (
        select from public.repeat_rules r
        where (r.vendor_id is null or r.vendor_id = c.vendor_id) and k.kind = any (r.match)
      )
    order by person
  );
begin
  insert into private.person_locks (person) select unnest(people) on conflict do nothing;
  -- The row is in the index until the transaction ends, so others wait for it all the same.
  delete from private.person_locks p where p.person = any (people);
end
$$;

comment on function private.lock_people(private.lead_contact[]) is
  'Waits until no other transaction stores leads of these persons, for leads under a rule. In a fixed order, so that two '
  'calls do not deadlock.';

create function private.find_repeats(contacts private.lead_contact[]) returns private.repeated_lead[]
language plpgsql
set search_path = ''
-- By the indexes, also with a plan that was made while the table was small.
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  repeated constant private.repeated_lead[] := array(
    select row(
      c.ordinal, m.rank, m.action, m.id, m.vendor_id, m.agency_id,
      case when m.action = 'same_agent' then private.remaining_agent(m.agent_id) end, m.distribution = 'pending'
    )::private.repeated_lead
    from unnest(contacts) c
    cross join lateral (
      select r.rank, r.action, e.*
      from public.repeat_rules r
      cross join lateral (
        select f.*
        from (
          (
            select l.* from private.first_leads l
            where 'phone' = any (r.match) and l.phone = c.phone and length(l.phone) <= 16
              and l.created_at > now() - r.within and l.id <> c.id
              and (r.agency_id is null or l.agency_id = r.agency_id)
            order by l.created_at desc limit 1
          )
          union all
          (
            select l.* from private.first_leads l
            where 'email' = any (r.match) and l.email = c.email and length(l.email) <= 320
              and l.created_at > now() - r.within and l.id <> c.id
              and (r.agency_id is null or l.agency_id = r.agency_id)
            order by l.created_at desc limit 1
          )
        ) f
        order by f.created_at desc limit 1
      ) e
      where r.vendor_id is null or r.vendor_id = c.vendor_id
      order by r.rank desc limit 1
    ) m
    where private.is_decided(m.action, m.agency_id, m.distribution = 'pending', c.distribution)
  );
begin
  return case when cardinality(contacts) > 1 then private.find_repeats_together(contacts, repeated) else repeated end;
end
$$;

comment on function private.find_repeats(private.lead_contact[]) is
  'Returns the leads to which a repeat rule applies, with what the rule does. The caller has called lock_people(), unless it '
  'stores nothing.';

create function private.is_decided(action text, agency_id uuid, is_pending boolean, distribution text) returns boolean
language plpgsql
immutable
set search_path = ''
as $$
begin
  return action <> 'same_agent' or agency_id is not null or is_pending and distribution <> 'not_requested';
end
$$;

comment on function private.is_decided(text, uuid, boolean, text) is
  'Whether an action applies: there is an agency to follow, or there may be one as soon as the earlier lead, which is '
  'pending, is distributed. A lead in bulk does not wait for that.';

create function private.find_repeats_together(contacts private.lead_contact[], known private.repeated_lead[])
returns private.repeated_lead[]
language plpgsql
set search_path = ''
as $$
declare
  twin record;
  decision private.repeated_lead;
  decisions private.repeated_lead[] := '{}';
  -- By ordinal: what a lead that follows this one gets.
  heads private.repeated_lead[] := '{}';
  -- By number of the phone or email: the ordinal of its newest lead so far.
  of_phone integer[] := '{}';
  of_email integer[] := '{}';
  ordinals integer[] := '{}';
begin
  for twin in
    select t.*, f.rank, f as known
    from (
      select
        c.*,
        case when c.phone is not null and count(*) over (partition by c.phone) > 1
          then dense_rank() over (order by c.phone) end as phone_number,
        case when c.email is not null and count(*) over (partition by c.email) > 1
          then dense_rank() over (order by c.email) end as email_number
      from unnest(contacts) c
    ) t
    left join unnest(known) f on f.ordinal = t.ordinal
    where t.phone_number is not null or t.email_number is not null
    order by t.ordinal
  loop
    ordinals := ordinals || twin.ordinal;
    select twin.ordinal, r.rank, r.action, (h.lead).earlier_id, (h.lead).vendor_id, (h.lead).agency_id, (h.lead).agent_id,
      (h.lead).is_pending
    into decision
    from public.repeat_rules r
    cross join lateral (
      select heads[greatest(
        case when 'phone' = any (r.match) then of_phone[twin.phone_number] end,
        case when 'email' = any (r.match) then of_email[twin.email_number] end
      )] as lead
    ) h
    where (h.lead).earlier_id is not null
      and (r.vendor_id is null or r.vendor_id = twin.vendor_id)
      and (r.agency_id is null or r.agency_id = (h.lead).agency_id)
    order by r.rank desc limit 1;

    if decision.rank is null or decision.rank < twin.rank
      or not private.is_decided(decision.action, decision.agency_id, decision.is_pending, twin.distribution)
    then
      decision := twin.known;
    end if;
    if decision.action is not null then
      decisions := decisions || decision;
    end if;
    continue when decision.action in ('hold', 'duplicate');

    heads[twin.ordinal] := row(
      twin.ordinal, null, null, twin.id, twin.vendor_id, decision.agency_id, decision.agent_id,
      coalesce(decision.is_pending, twin.distribution = 'pending'));
    if twin.phone_number is not null then
      of_phone[twin.phone_number] := twin.ordinal;
    end if;
    if twin.email_number is not null then
      of_email[twin.email_number] := twin.ordinal;
    end if;
  end loop;
  return decisions || array(select f from unnest(known) f where f.ordinal <> all (ordinals));
end
$$;

comment on function private.find_repeats_together(private.lead_contact[], private.repeated_lead[]) is
  'Returns the same leads, and those that repeat an earlier lead of the same call. known: the leads that repeat a stored one.';

create function private.remaining_agent(agent_id uuid) returns uuid
language plpgsql
set search_path = ''
as $$
begin
  -- Until the transaction ends, the agent cannot leave. One who is leaving is gone.
  if pg_try_advisory_xact_lock_shared(private.agent_lock(agent_id)) then
    return (select a.id from public.agents a where a.id = remaining_agent.agent_id and a.is_active);
  end if;
  return null;
end
$$;

comment on function private.remaining_agent(uuid) is 'Returns the agent, if active; otherwise null.';

create function private.mark_repeats(sent private.sent_lead[], repeated private.repeated_lead[]) returns private.sent_lead[]
language plpgsql
set search_path = ''
as $$
begin
  return array(
    select row(
      s.ordinal, s.id, s.vendor_id, s.vendor_lead_id, s.state,
      case r.action when 'hold' then 'repeat' when 'same_agent' then 'pending' else s.distribution end, s.lead, s.key,
      case when r.action = 'duplicate' then jsonb_build_object('status', 'duplicate', 'id', case
        when r.vendor_id = s.vendor_id then r.earlier_id
        -- The id of another vendor's lead would tell the vendor more than its own lead does. Sent again, it gets the same.
        else private.refused_id(s.vendor_id, coalesce(s.vendor_lead_id, s.id::text))
      end) else s.result end
    )::private.sent_lead
    from unnest(sent) s
    left join unnest(repeated) r on r.ordinal = s.ordinal
    order by s.ordinal
  );
end
$$;

comment on function private.mark_repeats(private.sent_lead[], private.repeated_lead[]) is
  'Returns the same leads, with the distribution or the result of those to which a repeat rule applies.';

create function private.refused_id(vendor_id uuid, id text) returns uuid
language plpgsql
immutable
set search_path = ''
as $$
begin
  return encode(substring(sha256(convert_to(concat_ws(' ', 'refused', vendor_id, id), 'UTF8')) from 1 for 16), 'hex')::uuid;
end
$$;

comment on function private.refused_id(uuid, text) is
  'Returns the id with which a vendor hears that its lead is a duplicate of another vendor''s: no lead has it. It is made '
  'of the vendor and the vendor''s own id of the lead.';

create function private.note_repeats(
  sent private.sent_lead[],
  repeated private.repeated_lead[],
  results jsonb
) returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into private.lead_repeats (lead_id, earlier_id, action)
  select s.id, r.earlier_id, r.action
  from unnest(repeated) r
  join unnest(sent) s on s.ordinal = r.ordinal
  -- A lead with the same vendor_lead_id may have been stored meanwhile.
  where s.result is null and results -> (s.ordinal - 1) ->> 'status' = 'created'
  order by s.id;
  insert into private.lead_notifications_due (lead_id)
  select s.id
  from unnest(repeated) r
  join unnest(sent) s on s.ordinal = r.ordinal
  where r.action = 'same_agent' and results -> (s.ordinal - 1) -> 'distributed_to' <> 'null'
  order by s.ordinal;
end
$$;

comment on function private.note_repeats(private.sent_lead[], private.repeated_lead[], jsonb) is
  'Notes which stored leads are repeats, and notifies whoever got one. results: those of the leads.';

create function private.place_repeats(sent private.sent_lead[], repeated private.repeated_lead[])
returns private.placed_lead[]
language plpgsql
set search_path = ''
as $$
begin
  return array(
    select row(s.id, 'distributed', null, r.agency_id, r.agent_id, clock_timestamp())::private.placed_lead
    from unnest(repeated) r
    join unnest(sent) s on s.ordinal = r.ordinal
    where r.action = 'same_agent' and r.agency_id is not null and s.result is null
  );
end
$$;

comment on function private.place_repeats(private.sent_lead[], private.repeated_lead[]) is
  'Returns the places of leads that follow an earlier lead. They need no order, and so not the distribution lock.';

create function private.withhold_leads(pending private.pending_lead[]) returns private.placed_lead[]
language plpgsql
set search_path = ''
as $$
declare
  withheld constant private.placed_lead[] := array(
    select row(
      l.id,
      case when s.is_suppressed then 'suppressed' when e.agency_id is not null then 'distributed' else 'pending' end,
      null, e.agency_id, case when e.agency_id is not null then private.remaining_agent(e.agent_id) end,
      case when e.agency_id is not null then clock_timestamp() end
    )::private.placed_lead
    from unnest(pending) p
    join public.recruiting_leads l on l.id = p.id
    cross join lateral (select private.is_suppressed(l.phone, l.email) as is_suppressed offset 0) s
    left join private.lead_repeats r on r.lead_id = p.id and r.action = 'same_agent' and not s.is_suppressed
    left join public.recruiting_leads e on e.id = r.earlier_id and (e.agency_id is not null or e.distribution = 'pending')
    where s.is_suppressed or e.id is not null
  );
begin
  insert into private.lead_notifications_due (lead_id)
  select w.id from unnest(withheld) w where w.distribution = 'distributed';
  return withheld;
end
$$;

comment on function private.withhold_leads(private.pending_lead[]) is
  'Returns the places of those of the leads that no order gets: `suppressed`; `distributed` to the agency and the agent of '
  'the earlier lead that they follow; or `pending`, while that is pending. The caller writes them.';

-- supabase/schemas/recruiting/preview.sql

-- POST /recruiting/ingest?dry_run=true: what would happen to a lead.

create function public.preview_recruiting_lead(key_hash text, lead jsonb, webhook jsonb default null) returns jsonb
language plpgsql
stable
set search_path = ''
set statement_timeout = '2s'
set lock_timeout = '250ms'
as $$
declare
  sender_id constant uuid := public.authenticate_vendor(key_hash, webhook) ->> 'vendor_id';
  indexed_id constant text := private.stored_lead_id(sender_id, lead ->> 'vendor_lead_id');
  is_test constant boolean := lead #> '{vendor_metadata,is_test}' is not distinct from 'true';
  known constant jsonb := private.lead_key(sender_id, webhook, null);
  existing_id uuid := (
    select k.result ->> 'id'
    from private.idempotency_keys k
    where k.scope = known ->> 'scope'
      and k.key = known #>> '{idempotency,key}'
      and k.part = (known #>> '{idempotency,part}')::integer
      and k.created_at > now() - k.retention
  );
  repeated private.repeated_lead;
  status text;
  matched public.recruiting_orders;
  agent_id uuid;
begin
  if private.lead_problem(lead) is not null then
    raise exception '%', private.quoted(private.lead_problem(lead)) using errcode = 'PT400';
  end if;

  if existing_id is null then
    select l.id into existing_id
    from public.recruiting_leads l
    where l.vendor_id = sender_id and l.vendor_lead_id = indexed_id;
  end if;

  status := case when existing_id is null then 'created' else 'duplicate' end;
  if existing_id is null and not is_test then
    if private.is_suppressed(lead #>> '{vendor_metadata,phone}', lead #>> '{vendor_metadata,email}') then
      return jsonb_build_object('status', status, 'id', null, 'distributed_to', null);
    end if;
    repeated := (private.find_repeats(private.lead_contacts(array[
      row(1, gen_random_uuid(), sender_id, indexed_id, null, 'unmatched', lead, null, null)::private.sent_lead
    ])))[1];
    if repeated.action is not null and not coalesce(repeated.action = 'same_agent' and repeated.is_pending, false) then
      return jsonb_build_object(
        'status', case repeated.action when 'duplicate' then 'duplicate' else status end,
        'id', case when repeated.action = 'duplicate' and repeated.vendor_id = sender_id then repeated.earlier_id end,
        'distributed_to', case when repeated.action = 'same_agent'
          then jsonb_build_object('agency_id', repeated.agency_id, 'agent_id', repeated.agent_id) end);
    end if;
    begin
      matched := private.best_order(sender_id, private.lead_state(lead -> 'vendor_metadata'), now());
      agent_id := private.next_agent(matched.agency_id, matched.agent_id);
    exception when lock_not_available then
      -- A table is locked, so the lead would wait.
      matched := null;
    end;
  end if;

  return jsonb_build_object(
    'status', status,
    'id', existing_id,
    'distributed_to', case when matched.agency_id is not null
      then jsonb_build_object('agency_id', matched.agency_id, 'agent_id', agent_id) end
  );
end
$$;

comment on function public.preview_recruiting_lead(text, jsonb, jsonb) is
  'Returns the result that ingest_recruiting_leads() would return for this lead now; changes nothing. Returns '
  '{status: created|duplicate, id|null of the stored lead (null if it is another vendor''s), distributed_to|null}. Raises '
  'the same errors.';
grant execute on function public.preview_recruiting_lead(text, jsonb, jsonb) to service_role;

-- POST /recruiting/ingest/bulk?dry_run=true: what would happen to many leads.

create function public.preview_recruiting_lead_batch(key_hash text, vendor_lead_ids jsonb) returns jsonb
language plpgsql
stable
set search_path = ''
set statement_timeout = '60s'
-- A plan made while a table was small would scan it completely for each row.
set enable_seqscan = off
as $$
declare
  sender_id constant uuid := public.authenticate_vendor(key_hash) ->> 'vendor_id';
begin
  return (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'status', case when r.existing_id is null and r.is_first then 'created' else 'duplicate' end,
          'id', r.existing_id
        ) order by r.ordinal
      ),
      '[]'
    )
    from (
      select
        s.ordinal, l.id as existing_id,
        s.indexed_id is null or s.ordinal = min(s.ordinal) over (partition by s.indexed_id) as is_first
      from (
        select given.ordinal, private.stored_lead_id(sender_id, given.id) as indexed_id
        from jsonb_array_elements_text(vendor_lead_ids) with ordinality as given (id, ordinal)
        offset 0
      ) s
      left join lateral (
        select stored.id
        from public.recruiting_leads stored
        where stored.vendor_id = sender_id and stored.vendor_lead_id = s.indexed_id
        offset 0
      ) l on true
    ) r
  );
end
$$;

comment on function public.preview_recruiting_lead_batch(text, jsonb) is
  'Returns the result that ingest_recruiting_lead_batch() would return for leads with these vendor_lead_ids (texts '
  'and nulls); changes nothing. Returns an array with {status: created|duplicate, id|null} for each, in order: id is '
  'that of the stored lead; a repetition within the list is a duplicate without an id. PT401 as in '
  'authenticate_vendor().';
grant execute on function public.preview_recruiting_lead_batch(text, jsonb) to service_role;

-- supabase/schemas/recruiting/ingest_bulk.sql

-- POST /recruiting/ingest/bulk: many leads, none of them distributed.

create function public.ingest_recruiting_lead_batch(
  key_hash text,
  leads jsonb,
  idempotency jsonb default null,
  request_id text default null
) returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '60s'
as $$
declare
  key_vendor_id constant uuid := public.authenticate_vendor(key_hash) ->> 'vendor_id';
  scope constant text := 'bulk ' || key_vendor_id;
  kept constant jsonb := private.find_idempotent_result(scope, idempotency);
  -- The first of two rows with the same vendor_lead_id is stored.
  sent constant jsonb := (
    select coalesce(jsonb_agg(jsonb_build_object(
      'lead', l || jsonb_build_object('request_id', request_id, 'received_via', 'bulk')
    ) order by (l -> 'row')::integer), '[]')
    from jsonb_array_elements(leads) l
  );
  results jsonb;
begin
  if kept is not null then
    return kept;
  end if;

  results := private.store_batch(sent, key_vendor_id);
  perform private.require_stored(results);

  return private.save_idempotent_result(scope, idempotency, (
    select jsonb_build_object(
      'created', count(*) filter (where r.result ->> 'status' = 'created'),
      'duplicates', count(*) filter (where r.result ->> 'status' = 'duplicate'),
      'errors', coalesce(
        jsonb_agg(
          jsonb_build_object('row', s.lead -> 'row', 'reason', r.result #> '{error,message}') order by r.ordinal
        ) filter (where r.result ? 'error'),
        '[]'
      )
    ) || case when count(r.result -> 'record_error') = 0 then '{}'
      else jsonb_build_object('record_error', max(r.result ->> 'record_error')) end
    from jsonb_array_elements(results) with ordinality as r (result, ordinal)
    join rows from (jsonb_to_recordset(sent) as (lead jsonb)) with ordinality as s (lead, ordinal)
      on s.ordinal = r.ordinal
  ));
end
$$;

comment on function public.ingest_recruiting_lead_batch(text, jsonb, jsonb, text) is
  'Stores many leads of the key''s vendor; none is distributed. leads: [{row, first_name, vendor_lead_id|null, '
  'vendor_metadata}]. Returns {created, duplicates, errors: [{row, reason}]}, with record_error, a SQLSTATE, if the '
  'duplicates could not be recorded. A duplicate has the vendor_lead_id of a stored lead or of an earlier row, and is '
  'recorded. An error is a row that the database refused. PT401 as in authenticate_vendor(). For idempotency and its '
  'errors, see private.find_idempotent_result().';
grant execute on function public.ingest_recruiting_lead_batch(text, jsonb, jsonb, text) to service_role;

create function private.store_batch(leads jsonb, vendor_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  part jsonb;
  results jsonb := '[]';
begin
  begin
    return private.store_recruiting_leads(leads, vendor_id, are_distributed => false);
  exception when others then
    if private.is_call_error(sqlstate) then
      raise;
    elsif jsonb_array_length(leads) = 1 then
      return jsonb_build_array(private.row_error(sqlstate));
    end if;
  end;
  -- A single invalid lead makes the whole statement fail. Parts are divided into tenths until the invalid lead is
  -- alone: for 10,000 leads, after 40 statements. Storing lead by lead would take ten times as long.
  for part in
    select jsonb_agg(l order by n)
    from jsonb_array_elements(leads) with ordinality as e (l, n)
    group by (n - 1) * 10 / jsonb_array_length(leads)
    order by min(n)
  loop
    results := results || private.store_batch(part, vendor_id);
  end loop;
  return results;
end
$$;

comment on function private.store_batch(jsonb, uuid) is
  'Stores leads of a vendor without distributing them. For leads and the result, see '
  'private.store_recruiting_leads(); a lead that the database refuses has the result {error}, and the others are '
  'stored.';

-- supabase/schemas/recruiting/rejected_deliveries.sql

-- Rejected deliveries: requests of authenticated senders that could not be stored.

create table public.rejected_deliveries (
  id uuid primary key default gen_random_uuid(),
  request_id text not null,
  route text not null,
  vendor_id uuid references public.vendors (id) on delete cascade,
  vendor_lead_id text check (length(vendor_lead_id) <= 512),
  row integer check (row >= 0),
  code text not null,
  reason text not null,
  payload jsonb,
  payload_text text,
  payload_bytes integer not null check (payload_bytes >= 0),
  stored_bytes integer not null generated always as (
    coalesce(octet_length(payload::text), 0) + coalesce(octet_length(payload_text), 0)
  ) stored,
  context jsonb not null default '{}' check (jsonb_typeof(context) = 'object'),
  status text not null default 'open' check (status in ('open', 'replayed', 'dismissed')),
  lead_id uuid,
  -- Not now(): the rows of one call get increasing times, so the oldest is known.
  received_at timestamptz not null default clock_timestamp(),
  resolved_at timestamptz,
  check (status <> 'replayed' or lead_id is not null)
);

-- Also finds the oldest of a vendor's open deliveries, and adds up their sizes with an index-only scan.
create index rejected_deliveries_open_idx on public.rejected_deliveries (vendor_id, received_at, id)
  include (stored_bytes) where status = 'open';
create index on public.rejected_deliveries (vendor_id, received_at);
create index on public.rejected_deliveries (received_at);
create index on public.rejected_deliveries (vendor_lead_id) where vendor_lead_id is not null;
create index on public.rejected_deliveries (lead_id) where lead_id is not null;

comment on table public.rejected_deliveries is
  'Deliveries of leads, and rows of batches, that were rejected after their sender was authenticated. They can be '
  'replayed.';
comment on column public.rejected_deliveries.route is 'Path of the route, e.g. `/recruiting/ingest`.';
comment on column public.rejected_deliveries.vendor_id is 'The recruiting vendor; null for an import of sales leads.';
comment on column public.rejected_deliveries.vendor_lead_id is
  'The sender''s own id of the lead (external_id for an import), if it could be read.';
comment on column public.rejected_deliveries.row is
  'Zero-based index of the row in a batch; null if the whole request was rejected.';
comment on column public.rejected_deliveries.code is
  'The error code of the response. A row in bulk has BAD_REQUEST or DATABASE_ERROR, a row of an import INVALID or '
  'DATABASE_ERROR.';
comment on column public.rejected_deliveries.reason is 'The message of the response.';
comment on column public.rejected_deliveries.payload is
  'The body, or the row, as sent, so that a replay can parse it. Each file is replaced with {type, bytes}; secrets '
  'are omitted. Null if it is not JSON or is larger than 256 KiB without its files.';
comment on column public.rejected_deliveries.payload_text is
  'The beginning, at most 256 KiB, of a body that is not in payload.';
comment on column public.rejected_deliveries.payload_bytes is 'Size as received, in bytes, including files.';
comment on column public.rejected_deliveries.stored_bytes is
  'Size of payload and payload_text, as text in bytes, which counts toward the limit of a vendor.';
comment on column public.rejected_deliveries.context is
  'The data that a replay needs besides the lead. For a row of an import: {agency_id, agent_id, '
  'distribution_id|null}. For a webhook delivery with an id: {webhook: {delivery_id, part}}.';
comment on column public.rejected_deliveries.status is
  '`open`: not resolved; `replayed`: its lead is stored, see lead_id; `dismissed`: an operator decided that its lead '
  'is not needed.';
comment on column public.rejected_deliveries.lead_id is
  'The lead that the delivery became, or that was stored in the meantime: in recruiting_leads, or in leads for an '
  'import. Not a foreign key, because it may be in either table.';
comment on column public.rejected_deliveries.resolved_at is
  'When it was replayed or dismissed. A trigger sets it with the status.';

alter table public.rejected_deliveries enable row level security;
grant select, insert, update, delete on public.rejected_deliveries to service_role;


create table private.open_delivery_counts (
  vendor_id uuid references public.vendors (id) on delete cascade,
  deliveries integer not null,
  bytes bigint not null,
  unique nulls not distinct (vendor_id)
)
-- Leaves room in each page for a new version of a row.
with (fillfactor = 50);

comment on table private.open_delivery_counts is
  'An upper bound of the number of a vendor''s open rejected deliveries, and of their stored_bytes. Recorded '
  'deliveries are added; replayed, dismissed and deleted ones count until the open ones are recounted, so that '
  'resolving a delivery locks no row here.';
comment on column private.open_delivery_counts.vendor_id is 'Null for all imports.';

alter table private.open_delivery_counts enable row level security;
grant select, insert, update, delete on private.open_delivery_counts to service_role;

create function public.record_rejections(rejections json) returns integer
language plpgsql
set search_path = ''
set statement_timeout = '3s'
set lock_timeout = '2s'
as $$
declare
  sender record;
  recorded integer := 0;
begin
  -- A lock on the table must not block connections that leads and texts need.
  lock table public.rejected_deliveries in row exclusive mode nowait;

  for sender in
    with inserted as (
      insert into public.rejected_deliveries (
        request_id, route, vendor_id, vendor_lead_id, row, code, reason, payload, payload_text, payload_bytes, context
      )
      select
        r.request_id, r.route, r.vendor_id, private.indexable_id(r.vendor_lead_id), r.row, r.code, r.reason, r.payload,
        r.payload_text, r.payload_bytes, coalesce(r.context, '{}')
      from json_to_recordset(rejections) as r (
        request_id text, route text, vendor_id uuid, vendor_lead_id text, "row" integer, code text, reason text,
        payload jsonb, payload_text text, payload_bytes integer, context jsonb
      )
      returning vendor_id, stored_bytes
    ), counted as (
      -- Locks the sender's row, so that two transactions do not each make room only for their own rows.
      insert into private.open_delivery_counts as o (vendor_id, deliveries, bytes)
      select i.vendor_id, count(*), sum(i.stored_bytes)
      from inserted i
      group by i.vendor_id
      -- In a fixed order, so that two calls never deadlock.
      order by i.vendor_id
      on conflict (vendor_id) do update set deliveries = o.deliveries + excluded.deliveries, bytes = o.bytes + excluded.bytes
      returning o.*
    )
    select c.*, (select count(*) from inserted) as recorded from counted c
  loop
    recorded := sender.recorded;
    if sender.deliveries > 10000 or sender.bytes > 100 * 1024 * 1024 then
      perform private.delete_oldest_rejections(sender.vendor_id);
    end if;
  end loop;
  return recorded;
end
$$;

comment on function public.record_rejections(json) is
  'Stores rejected deliveries and returns their number. rejections: [{request_id, route, vendor_id|null, '
  'vendor_lead_id|null, row|null, code, reason, payload|null, payload_text|null, payload_bytes, context|null}], at '
  'most about 500. Keeps at most 10,000 open ones of a vendor, and 100 MiB of them; all imports together count as one '
  'vendor. 55P03 immediately if the table is locked.';
grant execute on function public.record_rejections(json) to service_role;

create function public.prune_deliveries(older_than interval) returns integer
language plpgsql
set search_path = ''
set statement_timeout = '60s'
as $$
declare
  deleted integer;
begin
  if older_than is null or older_than < interval '0' then
    raise exception 'older_than: must be an interval from 0 on' using errcode = 'PT400';
  end if;

  delete from public.rejected_deliveries d where d.received_at < now() - older_than;
  get diagnostics deleted = row_count;
  delete from private.refused_proofs p where p.updated_at < now() - older_than;
  return deleted;
end
$$;

comment on function public.prune_deliveries(interval) is
  'Deletes the deliveries that are older than this, including open ones, and returns their number. Also deletes the '
  'counts of refused proofs that have not increased since. PT400 for a negative interval.';
grant execute on function public.prune_deliveries(interval) to service_role;

create function private.set_resolved_at() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.resolved_at := case when new.status <> 'open' then coalesce(new.resolved_at, now()) end;
  return new;
end
$$;

comment on function private.set_resolved_at() is
  'Trigger: sets resolved_at while a delivery is replayed or dismissed.';

create trigger set_resolved_at
  before insert or update of status, resolved_at on public.rejected_deliveries
  for each row execute function private.set_resolved_at();

create function private.delete_oldest_rejections(vendor_id uuid) returns void
language plpgsql
set search_path = ''
-- The index is already in this order. Sorting takes four times as long, and the planner does not always avoid it.
set enable_sort = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
begin
  execute format(
    $sql$
      with open as materialized (
        select o.id, o.stored_bytes, row_number() over by_age as deliveries, sum(o.stored_bytes) over by_age as bytes
        from public.rejected_deliveries o
        where o.status = 'open' and o.vendor_id %1$s
        window by_age as (order by o.received_at desc, o.id desc rows unbounded preceding)
      ), deleted as (
        delete from public.rejected_deliveries d
        -- An array, because with `in (select …)` the planner may scan the whole table.
        where d.id = any (array(
          select o.id
          from public.rejected_deliveries o
          where o.status = 'open'
            and o.id = any (array(select t.id from open t where t.deliveries > 9500 or t.bytes > 95 * 1024 * 1024))
          -- An operator may be replaying one of them.
          for update skip locked
        ))
        returning d.stored_bytes
      )
      update private.open_delivery_counts c
      set
        deliveries = (select count(*) from open) - (select count(*) from deleted),
        bytes = (select coalesce(sum(o.stored_bytes), 0) from open o) - (select coalesce(sum(d.stored_bytes), 0) from deleted d)
      where c.vendor_id %1$s
    $sql$,
    -- Two variants, because `is not distinct from` would not use the index.
    case when vendor_id is null then 'is null' else '= $1' end
  ) using vendor_id;
end
$$;

comment on function private.delete_oldest_rejections(uuid) is
  'Keeps the newest open deliveries of a vendor, at most 9,500 with at most 95 MiB of stored_bytes, and counts them; '
  'null: of all imports. A vendor that sends a million invalid rows therefore does not fill the disk. Reads all of '
  'them, so it makes room for 500 more before the next call. The caller has locked the vendor''s row in '
  'private.open_delivery_counts.';

-- Every night if the project has pg_cron. Other projects use `npm run admin -- delivery prune`.
do $$
begin
  if exists (select from pg_available_extensions e where e.name = 'pg_cron') then
    create extension if not exists pg_cron with schema pg_catalog;
    perform cron.schedule(
      'prune rejected deliveries', '17 3 * * *', $job$select public.prune_deliveries('30 days')$job$);
  end if;
exception when others then
  -- pg_cron runs in only one database of a server. A missing schedule must not fail a deployment.
  raise warning 'rejected deliveries are not pruned by pg_cron: %', sqlerrm;
end
$$;

-- supabase/schemas/recruiting/lead_fetches.sql

-- Leads for which a vendor sends only a notice, such as Meta: each is fetched from the vendor, immediately and by the
-- worker.
--
-- | from | by | to |
-- | --- | --- | --- |
-- | a notice has come | add_lead_fetches() | waiting, due; held where the vendor's others are |
-- | waiting, due | claim_lead_fetches() | waiting, leased for a minute |
-- | waiting, its lease is over | the same: its worker is dead | waiting, leased |
-- | waiting, leased | outcome `done` | done; what the vendor has held is due |
-- | waiting, leased | outcome `later`, `missing` | waiting, due after a pause; failed after 7 days, or a day |
-- | waiting, leased | outcome `refused` | held, with all of the vendor; one of them is due each hour |
-- | waiting, leased | outcome `refused`, of a token that is not the newest any more | waiting, due |
-- | waiting, held | an access token or an app's secret is added or changed | waiting, due |
-- | waiting, leased | outcome `failed` | failed |
-- | failed | the notice comes again, or is replayed | waiting, due |

create table private.lead_fetches (
  id uuid primary key default gen_random_uuid(),
  vendor_id uuid not null references public.vendors (id) on delete cascade,
  leadgen_id text not null check (leadgen_id ~ '^[0-9]{1,32}$'),
  page_id text check (page_id ~ '^[0-9]{1,32}$'),
  form_id text check (form_id ~ '^[0-9]{1,32}$'),
  notice jsonb not null,
  request_id text not null,
  state text not null default 'waiting' check (state in ('waiting', 'done', 'failed')),
  due_at timestamptz not null default now(),
  attempt integer not null default 0,
  lease_until timestamptz check (lease_until is null or state = 'waiting'),
  failing_since timestamptz,
  held_since timestamptz check (held_since is null or state = 'waiting'),
  reason text,
  lead_id uuid references public.recruiting_leads (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (vendor_id, leadgen_id),
  check (state <> 'failed' or reason is not null)
);

create index lead_fetches_due_at_idx on private.lead_fetches (due_at, attempt) where state = 'waiting';
create index lead_fetches_waiting_idx on private.lead_fetches (vendor_id) where state = 'waiting';
create index lead_fetches_held_idx on private.lead_fetches (vendor_id, held_since) where held_since is not null;
create index on private.lead_fetches (leadgen_id);
create index on private.lead_fetches (lead_id) where lead_id is not null;

comment on table private.lead_fetches is
  'Leads for which a vendor sends only a notice, and the state of their fetches. The only personal data in a row are '
  'ids.';
comment on column private.lead_fetches.leadgen_id is 'The vendor''s id of the lead.';
comment on column private.lead_fetches.page_id is 'The id of the page with the form; null if the notice has none.';
comment on column private.lead_fetches.form_id is 'The id of the form; null if the notice has none.';
comment on column private.lead_fetches.notice is 'The notice as sent.';
comment on column private.lead_fetches.request_id is 'The request that brought the notice.';
comment on column private.lead_fetches.due_at is
  'When it is fetched; infinity: after another lead of the vendor was fetched, or a token is added.';
comment on column private.lead_fetches.attempt is 'The number of claims. It identifies the claim.';
comment on column private.lead_fetches.lease_until is 'When the claim ends; null if no worker has claimed it.';
comment on column private.lead_fetches.failing_since is
  'The first failure since the last success that a retry may resolve; null if there is none.';
comment on column private.lead_fetches.held_since is
  'Since when it waits for a valid access token; null if it does not wait.';
comment on column private.lead_fetches.reason is
  'Why the last attempt failed: `no_token`, `code <number>` or `code <number>/<subcode>` of the vendor, `HTTP '
  '<status>`, `no_connection`, `lost` (no response), `redirect`, `too_large`, `no_json`, `another_lead`, '
  '`configuration`, `token_changed`, `not_stored`; or why the response is not a lead.';
comment on column private.lead_fetches.lead_id is
  'The lead that was stored, or already existed; null if there is none, or it was deleted.';

create trigger set_updated_at
  before update on private.lead_fetches
  for each row execute function private.set_updated_at();

alter table private.lead_fetches enable row level security;
grant select, insert, update, delete on private.lead_fetches to service_role;

create view private.lead_fetch_tokens with (security_invoker = true) as
select distinct on (s.vendor_id) s.vendor_id, s.id, s.secret
from private.vendor_webhook_secrets s
join public.vendors v on v.id = s.vendor_id
where s.kind = 'access_token' and s.revoked_at is null and (s.expires_at is null or s.expires_at > now())
  and v.is_active and v.webhook_scheme is not null
order by s.vendor_id, s.created_at desc;

comment on view private.lead_fetch_tokens is
  'The access token with which a vendor''s leads are fetched: its newest valid one. Inactive vendors, and vendors '
  'whose webhook is off, have no row.';
grant select on private.lead_fetch_tokens to service_role;

create function private.lock_lead_fetches(vendor_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('lead fetches of ' || vendor_id, 0));
end
$$;

comment on function private.lock_lead_fetches(uuid) is
  'Locks the fetches of this vendor until the transaction ends, so that no other transaction adds, holds or releases '
  'them.';

create function public.add_lead_fetches(vendor_id uuid, request_id text, notices jsonb) returns jsonb
language plpgsql
set search_path = ''
set lock_timeout = '5s'
as $$
declare
  held_at timestamptz;
  added integer;
begin
  perform private.lock_lead_fetches(vendor_id);
  select min(f.held_since) into held_at
  from private.lead_fetches f
  where f.vendor_id = add_lead_fetches.vendor_id and f.held_since is not null;

  insert into private.lead_fetches as f (
    vendor_id, leadgen_id, page_id, form_id, notice, request_id, due_at, held_since
  )
  select
    add_lead_fetches.vendor_id, n.leadgen_id, n.page_id, n.form_id, n.notice, add_lead_fetches.request_id,
    case when held_at is null then now() else 'infinity' end, held_at
  from (
    select distinct on (n.leadgen_id) n.*
    from jsonb_to_recordset(notices) as n (leadgen_id text, page_id text, form_id text, notice jsonb)
    order by n.leadgen_id
  ) n
  where not exists (
    select from public.recruiting_leads l
    where l.vendor_id = add_lead_fetches.vendor_id and l.vendor_lead_id = n.leadgen_id
  ) and not exists (
    -- A conflict below locks its row, and a claim would then skip it.
    select from private.lead_fetches o
    where o.leadgen_id = n.leadgen_id and (o.vendor_id <> add_lead_fetches.vendor_id or o.state <> 'failed')
  )
  on conflict on constraint lead_fetches_vendor_id_leadgen_id_key do update
  set state = 'waiting', due_at = excluded.due_at, held_since = excluded.held_since, failing_since = null;
  get diagnostics added = row_count;

  return jsonb_build_object('added', added, 'of_others', (
    select coalesce(jsonb_agg(distinct o.leadgen_id), '[]')
    from jsonb_to_recordset(notices) as n (leadgen_id text)
    join private.lead_fetches o on o.leadgen_id = n.leadgen_id and o.vendor_id <> add_lead_fetches.vendor_id
  ));
end
$$;

comment on function public.add_lead_fetches(uuid, text, jsonb) is
  'Stores notices of leads that must be fetched: [{leadgen_id, page_id|null, form_id|null, notice}]; ids consist of '
  'digits. A known notice changes nothing, unless its fetch failed: it is then due again. A stored lead is not '
  'fetched. Returns {added, of_others: [leadgen_id]}: how many fetches are due now or later, and the ids that belong '
  'to notices of another vendor, which are not stored. 55P03 after 5 seconds if the vendor''s fetches are locked.';

create function private.hold_lead_fetches(vendor_id uuid, reason text) returns void
language plpgsql
set search_path = ''
as $$
declare
  probe_id constant uuid := (
    select f.id
    from private.lead_fetches f
    where f.vendor_id = hold_lead_fetches.vendor_id and f.state = 'waiting'
    -- A lead that only its own page refuses must not block the others forever.
    order by f.attempt, f.created_at, f.leadgen_id
    limit 1
  );
begin
  update private.lead_fetches f
  set
    due_at = case when f.id = probe_id then now() + interval '1 hour' else 'infinity' end,
    held_since = coalesce(f.held_since, now()),
    lease_until = null,
    failing_since = null,
    reason = hold_lead_fetches.reason
  where f.vendor_id = hold_lead_fetches.vendor_id and f.state = 'waiting';
end
$$;

comment on function private.hold_lead_fetches(uuid, text) is
  'Holds all fetches of a vendor until it has a valid access token. One of them is tried each hour: among those with '
  'the fewest attempts, the oldest.';

create function private.release_lead_fetches(vendor_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  update private.lead_fetches f
  set due_at = now(), held_since = null
  where f.vendor_id = release_lead_fetches.vendor_id and f.held_since is not null;
end
$$;

comment on function private.release_lead_fetches(uuid) is
  'Releases the fetches of this vendor that wait for an access token.';

create function private.release_by_secret() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_lead_fetches(new.vendor_id);
  perform private.release_lead_fetches(new.vendor_id);
  return null;
end
$$;

comment on function private.release_by_secret() is
  'Trigger: releases the vendor''s fetches when an access token or an app secret, which signs the requests, is added '
  'or changed.';

create trigger release_lead_fetches
  after insert or update on private.vendor_webhook_secrets
  for each row when (new.kind in ('access_token', 'secret')) execute function private.release_by_secret();

create function private.is_fetch_due() returns boolean
language plpgsql
stable
set search_path = ''
-- Uses the index of waiting fetches even before the planner knows how few there are.
set enable_seqscan = off
as $$
begin
  return exists (select from private.lead_fetches f where f.state = 'waiting' and f.due_at <= now());
end
$$;

comment on function private.is_fetch_due() is 'Returns whether a lead fetch is due.';

-- supabase/schemas/recruiting/lead_fetch_work.sql

-- The worker's part of lead_fetches.sql: it claims fetches, and records their outcomes.

create function public.claim_lead_fetches(max integer) returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  without_token uuid;
  claimed jsonb;
begin
  for without_token in
    select distinct d.vendor_id
    from (
      select f.vendor_id
      from private.lead_fetches f
      where f.state = 'waiting' and f.due_at <= now()
      order by f.due_at
      limit 100
    ) d
    where not exists (select from private.lead_fetch_tokens t where t.vendor_id = d.vendor_id)
    order by 1
  loop
    perform private.lock_lead_fetches(without_token);
    if not exists (select from private.lead_fetch_tokens t where t.vendor_id = without_token) then
      perform private.hold_lead_fetches(without_token, 'no_token');
    end if;
  end loop;

  with due as (
    select f.id
    from private.lead_fetches f
    where f.state = 'waiting' and f.due_at <= now()
    -- Among fetches that are released together, one that only its own page refuses moves to the end, so that it does
    -- not block the others.
    order by f.due_at, f.attempt
    limit claim_lead_fetches.max
    for update skip locked
  ), taken as (
    update private.lead_fetches f
    set attempt = f.attempt + 1, lease_until = now() + interval '1 minute', due_at = now() + interval '1 minute'
    from due
    where f.id = due.id
    returning f.*
  )
  select coalesce(
    jsonb_agg(jsonb_build_object(
      'id', f.id, 'attempt', f.attempt, 'leadgen_id', f.leadgen_id, 'request_id', f.request_id, 'vendor_id', f.vendor_id,
      'parser', v.parser, 'parser_config', v.parser_config, 'token', jsonb_build_object('id', t.id, 'secret', t.secret),
      'app_secrets', (
        select coalesce(jsonb_agg(s.secret order by s.created_at desc), '[]')
        from private.vendor_webhook_secrets s
        where s.vendor_id = f.vendor_id and s.kind = 'secret' and s.revoked_at is null
          and (s.expires_at is null or s.expires_at > now())
      )
    )),
    '[]')
  into claimed
  from taken f
  join public.vendors v on v.id = f.vendor_id
  join private.lead_fetch_tokens t on t.vendor_id = f.vendor_id;
  return claimed;
end
$$;

comment on function public.claim_lead_fetches(integer) is
  'Claims up to max leads to fetch, each for a minute: [{id, attempt, leadgen_id, request_id, vendor_id, parser|null, '
  'parser_config, token: {id, secret}, app_secrets}]. app_secrets: the valid ones, newest first. Pass id, attempt and '
  'the token''s id to record_lead_fetch(). If a worker dies, its fetches are due again after the minute. Fetches of a '
  'vendor without a valid token are held instead of claimed.';

create function public.record_lead_fetch(
  id uuid,
  attempt integer,
  token_id uuid,
  outcome text,
  reason text default null,
  retry_after integer default null,
  lead_id uuid default null,
  payload jsonb default null
) returns text
language plpgsql
set search_path = ''
set lock_timeout = '5s'
as $$
declare
  fetched private.lead_fetches;
  failing interval;
  ends_as text := outcome;
begin
  if outcome not in ('done', 'later', 'missing', 'refused', 'failed') then
    raise exception 'outcome: "%" is unknown', private.quoted(outcome) using errcode = 'invalid_parameter_value';
  end if;
  perform private.lock_lead_fetches(f.vendor_id) from private.lead_fetches f where f.id = record_lead_fetch.id;
  select f.* into fetched from private.lead_fetches f where f.id = record_lead_fetch.id for update;
  -- A stored lead counts, however late it is reported.
  if not found or fetched.state = 'done'
    or outcome <> 'done' and (fetched.state = 'failed' or fetched.attempt <> record_lead_fetch.attempt)
  then
    return fetched.state;
  end if;

  failing := now() - coalesce(fetched.failing_since, now());
  if outcome = 'later' and failing >= interval '7 days' or outcome = 'missing' and failing >= interval '1 day' then
    ends_as := 'failed';
  end if;
  if ends_as = 'refused' then
    if exists (
      select from private.lead_fetch_tokens t where t.vendor_id = fetched.vendor_id and t.id <> record_lead_fetch.token_id
    ) then
      -- The new token has released all fetches, and it has not been refused.
      update private.lead_fetches f
      set due_at = now(), lease_until = null, reason = record_lead_fetch.reason
      where f.id = fetched.id;
    else
      perform private.hold_lead_fetches(fetched.vendor_id, reason);
    end if;
    return 'waiting';
  end if;

  update private.lead_fetches f
  set
    state = case ends_as when 'done' then 'done' when 'failed' then 'failed' else 'waiting' end,
    lease_until = null,
    -- A transient fault does not concern the token.
    held_since = case when ends_as = 'later' then f.held_since end,
    failing_since = case when ends_as in ('later', 'missing') then coalesce(f.failing_since, now()) end,
    due_at = case when ends_as in ('later', 'missing') then now() + private.fetch_pause(failing, retry_after) else f.due_at end,
    reason = record_lead_fetch.reason,
    -- The id of a duplicate of another vendor's lead is that of no lead.
    lead_id = (select l.id from public.recruiting_leads l where l.id = record_lead_fetch.lead_id)
  where f.id = fetched.id
  returning f.* into fetched;
  if fetched.held_since is null and ends_as <> 'later' then
    perform private.release_lead_fetches(fetched.vendor_id);
  end if;

  if ends_as = 'failed' then
    perform public.record_rejections(json_build_array(json_build_object(
      'request_id', fetched.request_id, 'route', '/recruiting/webhooks/:slug', 'vendor_id', fetched.vendor_id,
      'vendor_lead_id', fetched.leadgen_id, 'code', 'BAD_REQUEST', 'reason', case outcome
        when 'missing' then
          'Meta had no such lead for a day: it was deleted, or its form is not one that the access token may read'
        when 'later' then format('Meta did not give the lead for 7 days: %s', reason)
        else reason
      end,
      'payload', coalesce(payload, fetched.notice), 'payload_bytes', octet_length(coalesce(payload, fetched.notice)::text)
    )));
  elsif record_lead_fetch.lead_id is not null then
    update public.rejected_deliveries d
    set status = 'replayed', lead_id = record_lead_fetch.lead_id
    where d.vendor_id = fetched.vendor_id and d.vendor_lead_id = fetched.leadgen_id and d.status = 'open';
  end if;
  return fetched.state;
end
$$;

comment on function public.record_lead_fetch(uuid, integer, uuid, text, text, integer, uuid, jsonb) is
  'Records the outcome of a fetch. id, attempt and token_id are those of claim_lead_fetches(). outcome: `done` with '
  'the lead_id, or without one if it is not a lead; `later`: retried for 7 days, after retry_after seconds or a pause '
  'that grows from a minute to 6 hours; `missing`: the same for one day; `refused`: the token was refused, so all '
  'fetches of the vendor wait, unless it has another token by now; `failed`: the response cannot be read as a lead. '
  'reason: see private.lead_fetches. payload: the fetched response, which becomes the rejected delivery of a failed '
  'fetch; null: the notice. Returns the resulting state; null if the fetch does not exist. A late report changes '
  'nothing unless it is `done`. 22023 for an unknown outcome.';

create function private.fetch_pause(failing interval, retry_after integer) returns interval
language sql
immutable
set search_path = ''
as $$
  select case
    when retry_after > 0 then make_interval(secs => least(retry_after, 86400))
    -- The pauses are 1, 5 and 15 minutes, 1, 3 and then 6 hours. Each begins when the earlier ones have passed.
    when failing < interval '1 minute' then interval '1 minute'
    when failing < interval '6 minutes' then interval '5 minutes'
    when failing < interval '21 minutes' then interval '15 minutes'
    when failing < interval '81 minutes' then interval '1 hour'
    when failing < interval '261 minutes' then interval '3 hours'
    else interval '6 hours'
  end
$$;

comment on function private.fetch_pause(interval, integer) is
  'Returns the pause before the next attempt of a fetch that has been failing for this time, at most a day. '
  'retry_after: the seconds that the vendor requests; null if it requests none.';

create function public.refetch_lead(delivery_id uuid) returns boolean
language plpgsql
set search_path = ''
set lock_timeout = '5s'
as $$
begin
  perform public.add_lead_fetches(d.vendor_id, d.request_id, jsonb_build_array(jsonb_build_object(
    'leadgen_id', d.vendor_lead_id, 'notice', d.payload)))
  from public.rejected_deliveries d
  where d.id = refetch_lead.delivery_id and d.status = 'open' and d.vendor_lead_id ~ '^[0-9]{1,32}$'
    and private.fetches_leads(d.vendor_id);
  return found;
end
$$;

comment on function public.refetch_lead(uuid) is
  'Schedules a fetch of the lead of a rejected notice, including a fetch that failed before. The delivery is replayed '
  'when the lead is stored. Returns false if the delivery is not open, has no lead id, or its vendor never had an '
  'access token.';

grant execute on function public.add_lead_fetches(uuid, text, jsonb), public.claim_lead_fetches(integer),
  public.record_lead_fetch(uuid, integer, uuid, text, text, integer, uuid, jsonb), public.refetch_lead(uuid) to service_role;

-- supabase/schemas/sales/tables.sql

-- Sales leads, which agents work, and what comes of them.

create table public.leads (
  -- The first 48 bits are the time in milliseconds, the rest is random. New ids therefore go to the end of this index
  -- and of the index of lead_metrics. An import into 1,000,000 leads just after a checkpoint writes 3.6 kB of log for a
  -- lead; with random ids it writes 7.1 kB.
  id uuid primary key default encode(
    overlay(
      uuid_send(gen_random_uuid())
      placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
      from 1 for 6),
    'hex')::uuid,
  external_id uuid,
  agency_id uuid not null,
  agent_id uuid not null,
  distribution_id uuid,
  first_name text not null check (btrim(first_name) <> ''),
  last_name text,
  phone text not null check (btrim(phone) <> ''),
  phone_e164 public.e164,
  email text,
  address text,
  city text,
  state text not null check (btrim(state) <> ''),
  zip text,
  language text,
  type text not null
    check (type in ('fwk', 'csk', 'br', 'union', 'ncr', 'pos', 'dcard', 'fe', 'globe')),
  source text not null default 'platform' check (source in ('platform', 'manual')),
  -- The specification names only these defaults and no other values, so any text is allowed.
  status text not null default 'open' check (btrim(status) <> ''),
  stage text not null default 'new' check (btrim(stage) <> ''),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (agency_id, external_id),
  foreign key (agent_id, agency_id) references public.agents (id, agency_id)
);

create index on public.leads (agent_id, agency_id);
-- The pages of the list, newest first. Without it, each page would sort all leads of the agency with their metrics. New
-- entries go to its end.
create index on public.leads (created_at, id);

comment on table public.leads is 'A sales lead that an agent works, imported from a lead vendor or entered by hand.';
comment on column public.leads.external_id is
  'The lead vendor''s id, by which a lead that is sent again is recognised; null for a lead entered by hand.';
comment on column public.leads.distribution_id is 'The lead vendor''s id of the batch the lead came with.';
comment on column public.leads.phone is 'As it was sent. A lead is not refused for its phone number.';
comment on column public.leads.phone_e164 is 'The same number in E.164 (ITU-T); null when it could not be read.';
comment on column public.leads.type is 'Kind of lead: fwk, csk, br, union, ncr, pos, dcard, fe or globe.';
comment on column public.leads.state is 'As it was sent.';
comment on column public.leads.status is '`open` unless set; any other value is allowed.';
comment on column public.leads.stage is '`new` unless set; any other value is allowed.';
comment on column public.leads.source is '`platform` for an imported lead, `manual` for one entered by hand.';

create trigger set_updated_at
  before update on public.leads
  for each row execute function private.set_updated_at();

alter table public.leads enable row level security;
grant select on public.leads to authenticated;
grant select, insert, update, delete on public.leads to service_role;

create policy "agents read their leads, managers their agency's" on public.leads
  for select to authenticated
  using (
    agent_id = (select private.current_agent_id())
    or agency_id = (select private.managed_agency_id())
  );

create table public.lead_metrics (
  lead_id uuid primary key references public.leads (id) on delete cascade,
  presentations_started integer not null default 0 check (presentations_started >= 0),
  presentations_resumed integer not null default 0 check (presentations_resumed >= 0),
  presentations_paused integer not null default 0 check (presentations_paused >= 0),
  presentations_submitted integer not null default 0 check (presentations_submitted >= 0),
  sales integer not null default 0 check (sales >= 0),
  annual_premium numeric not null default 0,
  referrals integer not null default 0 check (referrals >= 0),
  last_activity_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table public.lead_metrics is
  'The events of a lead, counted by triggers. Every lead has a row from the moment it is stored.';
comment on column public.lead_metrics.annual_premium is
  'Sum of the annual premiums of the lead''s sales, in US dollars.';
comment on column public.lead_metrics.last_activity_at is 'Time of the latest activity or submitted presentation.';

create trigger set_updated_at
  before update on public.lead_metrics
  for each row execute function private.set_updated_at();

alter table public.lead_metrics enable row level security;
grant select on public.lead_metrics to authenticated;
grant select, insert, update, delete on public.lead_metrics to service_role;

-- The policy on leads applies inside the subquery, so a user who reads the lead reads its metrics.
create policy "readers of a lead read its metrics" on public.lead_metrics
  for select to authenticated
  using (exists (select from public.leads l where l.id = lead_metrics.lead_id));

create table public.lead_activities (
  id uuid primary key default gen_random_uuid(),
  lead_id uuid not null references public.leads (id) on delete cascade,
  agent_id uuid not null references public.agents (id),
  type text not null check (
    type in ('presentation_started', 'presentation_resumed', 'presentation_paused')
  ),
  occurred_at timestamptz not null default now(),
  created_at timestamptz not null default now()
);

create index on public.lead_activities (lead_id, occurred_at);
create index on public.lead_activities (agent_id);

comment on table public.lead_activities is 'The acts of an agent with a lead: one row for each time.';
comment on column public.lead_activities.type is
  'presentation_started: the presentation opened; presentation_resumed: the agent returned to it; presentation_paused: '
  'its window was minimized or closed before it was submitted.';

alter table public.lead_activities enable row level security;
grant select on public.lead_activities to authenticated;
grant select, insert, update, delete on public.lead_activities to service_role;

create policy "readers of a lead read its activities" on public.lead_activities
  for select to authenticated
  using (exists (select from public.leads l where l.id = lead_activities.lead_id));

-- submit_lead_presentation() stores a presentation, and the demographics, the sale and the referrals of it. It runs
-- with the rights of the signed-in agent, so the agent needs grants and policies to write these four tables. Each
-- policy for writing allows one lead at a time: the lead that the function has named in a setting of the transaction.
-- The API gives no way to change a setting, so the same insert sent directly to the table is refused.

create function private.submitting_lead_id() returns uuid
language sql
stable
set search_path = ''
as $$
  select nullif(current_setting('lead_intake.submitting_lead_id', true), '')::uuid
$$;

comment on function private.submitting_lead_id() is
  'The lead for which this transaction is running submit_lead_presentation(), or null.';
grant execute on function private.submitting_lead_id() to authenticated;

create table public.lead_presentations (
  id uuid primary key default gen_random_uuid(),
  lead_id uuid not null references public.leads (id) on delete cascade,
  agent_id uuid not null references public.agents (id),
  client_submission_id uuid,
  submitted_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  unique (lead_id, client_submission_id),
  -- Sales and referrals refer to all three columns, so that they always have the lead and agent of their presentation.
  unique (id, lead_id, agent_id)
);

create index on public.lead_presentations (agent_id);

comment on table public.lead_presentations is 'A presentation that was submitted.';
comment on column public.lead_presentations.agent_id is
  'The agent who submitted it: the lead''s agent, or a manager of its agency.';
comment on column public.lead_presentations.client_submission_id is
  'Made by the client, so that a submission that is sent again is not stored twice.';

alter table public.lead_presentations enable row level security;
grant select on public.lead_presentations to authenticated;
grant insert (lead_id, agent_id, client_submission_id) on public.lead_presentations to authenticated;
grant select, insert, update, delete on public.lead_presentations to service_role;

create policy "readers of a lead read its presentations" on public.lead_presentations
  for select to authenticated
  using (exists (select from public.leads l where l.id = lead_presentations.lead_id));

create policy "readers of a lead submit its presentations" on public.lead_presentations
  for insert to authenticated
  with check (
    lead_id = (select private.submitting_lead_id())
    and agent_id = (select private.current_agent_id())
    and exists (select from public.leads l where l.id = lead_presentations.lead_id)
  );

create table public.lead_demographics (
  lead_id uuid primary key references public.leads (id) on delete cascade,
  date_of_birth date,
  marital_status text,
  spouse_name text,
  children integer check (children >= 0),
  occupation text,
  employer text,
  annual_income numeric(14, 2) check (annual_income >= 0),
  tobacco_user boolean,
  beneficiary_name text,
  notes text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table public.lead_demographics is
  'The demographics of the person, from the latest presentation with demographics.';
comment on column public.lead_demographics.annual_income is 'In US dollars.';

create trigger set_updated_at
  before update on public.lead_demographics
  for each row execute function private.set_updated_at();

alter table public.lead_demographics enable row level security;
grant select on public.lead_demographics to authenticated;
grant
  insert (
    lead_id, date_of_birth, marital_status, spouse_name, children, occupation, employer, annual_income, tobacco_user,
    beneficiary_name, notes
  ),
  update (
    date_of_birth, marital_status, spouse_name, children, occupation, employer, annual_income, tobacco_user,
    beneficiary_name, notes
  )
  on public.lead_demographics to authenticated;
grant select, insert, update, delete on public.lead_demographics to service_role;

create policy "readers of a lead read its demographics" on public.lead_demographics
  for select to authenticated
  using (exists (select from public.leads l where l.id = lead_demographics.lead_id));

create policy "submitters of a presentation add demographics" on public.lead_demographics
  for insert to authenticated
  with check (
    lead_id = (select private.submitting_lead_id())
    and exists (select from public.leads l where l.id = lead_demographics.lead_id)
  );

create policy "submitters of a presentation replace demographics" on public.lead_demographics
  for update to authenticated
  using (
    lead_id = (select private.submitting_lead_id())
    and exists (select from public.leads l where l.id = lead_demographics.lead_id)
  );

create table public.lead_sales (
  id uuid primary key default gen_random_uuid(),
  presentation_id uuid not null,
  lead_id uuid not null references public.leads (id) on delete cascade,
  agent_id uuid not null,
  product text not null check (btrim(product) <> ''),
  carrier text,
  policy_number text,
  face_amount numeric(14, 2) check (face_amount >= 0),
  annual_premium numeric(14, 2) not null check (annual_premium >= 0),
  payment_frequency text check (payment_frequency in ('monthly', 'quarterly', 'semiannual', 'annual')),
  effective_date date,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  foreign key (presentation_id, lead_id, agent_id)
    references public.lead_presentations (id, lead_id, agent_id) on delete cascade
);

create index on public.lead_sales (presentation_id, lead_id, agent_id);
create index on public.lead_sales (lead_id);

comment on table public.lead_sales is 'An insurance policy sold in a presentation.';
comment on column public.lead_sales.face_amount is 'In US dollars.';
comment on column public.lead_sales.payment_frequency is '`monthly`, `quarterly`, `semiannual` or `annual`.';
comment on column public.lead_sales.annual_premium is 'In US dollars a year, for every payment frequency.';

create trigger set_updated_at
  before update on public.lead_sales
  for each row execute function private.set_updated_at();

alter table public.lead_sales enable row level security;
grant select on public.lead_sales to authenticated;
grant
  insert (
    presentation_id, lead_id, agent_id, product, carrier, policy_number, face_amount, annual_premium,
    payment_frequency, effective_date
  )
  on public.lead_sales to authenticated;
grant select, insert, update, delete on public.lead_sales to service_role;

create policy "readers of a lead read its sales" on public.lead_sales
  for select to authenticated
  using (exists (select from public.leads l where l.id = lead_sales.lead_id));

create policy "submitters of a presentation add its sale" on public.lead_sales
  for insert to authenticated
  with check (
    lead_id = (select private.submitting_lead_id())
    and agent_id = (select private.current_agent_id())
    and exists (select from public.leads l where l.id = lead_sales.lead_id)
  );

create table public.lead_referrals (
  id uuid primary key default gen_random_uuid(),
  presentation_id uuid not null,
  lead_id uuid not null references public.leads (id) on delete cascade,
  agent_id uuid not null,
  position integer not null default 1,
  first_name text not null check (btrim(first_name) <> ''),
  last_name text,
  phone text not null check (btrim(phone) <> ''),
  email text,
  relationship text,
  notes text,
  created_at timestamptz not null default now(),
  foreign key (presentation_id, lead_id, agent_id)
    references public.lead_presentations (id, lead_id, agent_id) on delete cascade
);

create index on public.lead_referrals (presentation_id, lead_id, agent_id);
create index on public.lead_referrals (lead_id);

comment on table public.lead_referrals is 'A person whom the lead recommended in a presentation.';
comment on column public.lead_referrals.position is 'Place in the submission, from 1.';

alter table public.lead_referrals enable row level security;
grant select on public.lead_referrals to authenticated;
grant
  insert (
    presentation_id, lead_id, agent_id, position, first_name, last_name, phone, email, relationship, notes
  )
  on public.lead_referrals to authenticated;
grant select, insert, update, delete on public.lead_referrals to service_role;

create policy "readers of a lead read its referrals" on public.lead_referrals
  for select to authenticated
  using (exists (select from public.leads l where l.id = lead_referrals.lead_id));

create policy "submitters of a presentation add its referrals" on public.lead_referrals
  for insert to authenticated
  with check (
    lead_id = (select private.submitting_lead_id())
    and agent_id = (select private.current_agent_id())
    and exists (select from public.leads l where l.id = lead_referrals.lead_id)
  );

-- supabase/schemas/sales/lead_metrics.sql

-- Counts of what has happened to a lead.
--
-- Each trigger changes only the metrics of the lead of its row. It adds and subtracts instead of counting all rows again,
-- so that two transactions at once lose nothing.

create function private.create_lead_metrics() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  insert into public.lead_metrics (lead_id) select id from inserted;
  return null;
end
$$;

comment on function private.create_lead_metrics() is 'Trigger: makes a lead_metrics row for each new lead.';

-- Once for each statement and not for each row, because an import inserts thousands of leads in one statement.
create trigger create_lead_metrics
  after insert on public.leads
  referencing new table as inserted
  for each statement execute function private.create_lead_metrics();

create function private.count_lead_activity() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  activity constant public.lead_activities := coalesce(new, old);
  change constant integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  update public.lead_metrics m
  set
    presentations_started =
      m.presentations_started + change * (activity.type = 'presentation_started')::integer,
    presentations_resumed =
      m.presentations_resumed + change * (activity.type = 'presentation_resumed')::integer,
    presentations_paused =
      m.presentations_paused + change * (activity.type = 'presentation_paused')::integer,
    last_activity_at = greatest(m.last_activity_at, new.occurred_at)
  where m.lead_id = activity.lead_id;
  return null;
end
$$;

comment on function private.count_lead_activity() is
  'Trigger: counts an activity in lead_metrics. '
  'Security definer because the signed-in agent may not write lead_metrics.';

create trigger count_lead_activity
  after insert or delete on public.lead_activities
  for each row execute function private.count_lead_activity();

create function private.count_lead_presentation() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  update public.lead_metrics m
  set
    presentations_submitted =
      m.presentations_submitted + case tg_op when 'INSERT' then 1 else -1 end,
    last_activity_at = greatest(m.last_activity_at, new.submitted_at)
  where m.lead_id = coalesce(new.lead_id, old.lead_id);
  return null;
end
$$;

comment on function private.count_lead_presentation() is
  'Trigger: counts a submitted presentation in lead_metrics. '
  'Security definer because the signed-in agent may not write lead_metrics.';

create trigger count_lead_presentation
  after insert or delete on public.lead_presentations
  for each row execute function private.count_lead_presentation();

create function private.count_lead_sale() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  update public.lead_metrics m
  set
    sales = m.sales + case tg_op when 'INSERT' then 1 when 'DELETE' then -1 else 0 end,
    annual_premium =
      m.annual_premium + coalesce(new.annual_premium, 0) - coalesce(old.annual_premium, 0)
  where m.lead_id = coalesce(new.lead_id, old.lead_id);
  return null;
end
$$;

comment on function private.count_lead_sale() is
  'Trigger: counts a sale and adds up the annual premiums in lead_metrics. '
  'Security definer because the signed-in agent may not write lead_metrics.';

create trigger count_lead_sale
  after insert or update of annual_premium or delete on public.lead_sales
  for each row execute function private.count_lead_sale();

create function private.count_lead_referral() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  update public.lead_metrics m
  set referrals = m.referrals + case tg_op when 'INSERT' then 1 else -1 end
  where m.lead_id = coalesce(new.lead_id, old.lead_id);
  return null;
end
$$;

comment on function private.count_lead_referral() is
  'Trigger: counts a referral in lead_metrics. '
  'Security definer because the signed-in agent may not write lead_metrics.';

create trigger count_lead_referral
  after insert or delete on public.lead_referrals
  for each row execute function private.count_lead_referral();

-- supabase/schemas/sales/lead_events.sql

-- What is counted of leads, by days or otherwise: each figure of leads reads this view.

create view private.lead_events with (security_invoker = true) as
select 'created' as result, l.created_at as at, l.vendor_id, l.id as lead_id, l.agency_id, l.agent_id, l.order_id,
  l.state, l.phone, l.distribution, null as reason
from public.recruiting_leads l
union all
select 'created', l.created_at, null, null, l.agency_id, l.agent_id, null, l.state, null, null, null
from public.leads l
where l.source = 'platform'
union all
select 'distributed', l.distributed_at, l.vendor_id, l.id, l.agency_id, l.agent_id, l.order_id, l.state, null, null, null
-- Order by order, because the index is of these.
from public.recruiting_orders o
join public.recruiting_leads l on l.agency_id = o.agency_id and l.order_id = o.id
union all
select 'duplicate', d.received_at, d.vendor_id, d.lead_id, l.agency_id, l.agent_id, l.order_id, l.state, null, null, null
from public.recruiting_lead_duplicates d
-- A left join is left out where nothing of its table is asked for.
left join public.recruiting_leads l on l.id = d.lead_id
union all
select 'rejected', d.received_at, d.vendor_id, null, g.id, a.id, null, null, null, null, d.reason
from public.rejected_deliveries d
left join public.agencies g on g.id = case
  when pg_input_is_valid(d.context ->> 'agency_id', 'uuid') then (d.context ->> 'agency_id')::uuid end
left join public.agents a on a.agency_id = g.id and a.id = case
  when pg_input_is_valid(d.context ->> 'agent_id', 'uuid') then (d.context ->> 'agent_id')::uuid end;

comment on view private.lead_events is
  'What happened to leads. result: `created`, `distributed` (to the agency that has the lead now), `duplicate` or '
  '`rejected`, at that time. vendor_id: null for imported sales leads. lead_id: of a recruiting lead that is stored. phone and '
  'distribution: of `created` alone; reason: of `rejected` alone.';
grant select on private.lead_events to service_role;

-- supabase/schemas/sales/import_leads.sql

-- POST /api/leads/import: one chunk of the sales leads of a request.

create function public.import_leads(
  agency_id uuid,
  agent_id uuid,
  distribution_id uuid,
  leads json,
  idempotency jsonb default null
) returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '60s'
-- Plans are cached, including those of foreign keys. A plan made while a table was small would scan all of it for each
-- lead.
set enable_seqscan = off
as $$
declare
  agent_is_active boolean;
  kept constant jsonb := private.find_idempotent_result('import', idempotency);
  imported jsonb;
  left_over integer;
  duplicates jsonb;
  failed jsonb;
begin
  if kept is not null then
    return kept;
  end if;

  if not exists (select from public.agencies a where a.id = agency_id) then
    raise exception 'agency_id: no such agency' using errcode = 'PT400';
  end if;
  select a.is_active into agent_is_active
  from public.agents a
  where a.id = agent_id and a.agency_id = import_leads.agency_id;
  if not found then
    raise exception 'agent_id: no such agent in this agency' using errcode = 'PT400';
  elsif not agent_is_active then
    raise exception 'agent_id: the agent is deactivated' using errcode = 'PT400';
  end if;

  select * into imported, left_over, failed from private.store_leads(agency_id, agent_id, distribution_id, leads);
  if imported = '[]' and left_over = 0 then
    perform private.require_stored(failed);
  end if;

  -- All other leads are duplicates. Another import may have committed them after this statement began, so only a new
  -- statement can see them.
  if left_over > 0 then
    select jsonb_agg(jsonb_build_object('index', r.index, 'id', l.id)) into duplicates
    from json_to_recordset(leads) as r (index integer, external_id uuid)
    join public.leads l on l.agency_id = import_leads.agency_id and l.external_id = r.external_id
    where r.index not in (
      select done.index from jsonb_to_recordset(imported || failed) as done (index integer)
    );
  end if;

  return private.save_idempotent_result('import', idempotency, jsonb_build_object(
    'imported', imported,
    'duplicates', coalesce(duplicates, '[]'),
    'failed', (
      select coalesce(jsonb_agg(jsonb_build_object('index', f -> 'index', 'reason', f #> '{error,message}')), '[]')
      from jsonb_array_elements(failed) f
    )));
end
$$;

comment on function public.import_leads(uuid, uuid, uuid, json, jsonb) is
  'Stores sales leads for an agent of an agency. leads: [{index, external_id, first_name, last_name, phone, '
  'phone_e164, email, address, city, state, zip, language, type}], at most about 2,000. Send more in several '
  'concurrent calls. Returns {imported: [{index, id}], duplicates: [{index, id}] with the id of the lead that has '
  'this external_id, failed: [{index, reason}] for rows that the database refused}. PT400 for an unknown agency, an '
  'agent of another agency or a deactivated agent, even if leads is empty.';
grant execute on function public.import_leads(uuid, uuid, uuid, json, jsonb) to service_role;

create function private.store_leads(
  agency_id uuid,
  agent_id uuid,
  distribution_id uuid,
  leads json,
  out imported jsonb,
  out left_over integer,
  out failed jsonb
)
language plpgsql
set search_path = ''
as $$
declare
  part json;
  stored record;
begin
  begin
    select i.imported, i.left_over, '[]' into imported, left_over, failed
    from private.insert_leads(agency_id, agent_id, distribution_id, leads) i;
    return;
  exception when others then
    if private.is_call_error(sqlstate) then
      raise;
    end if;
    imported := '[]';
    left_over := 0;
    failed := '[]';
    if json_array_length(leads) = 1 then
      failed := jsonb_build_array(private.row_error(sqlstate) || jsonb_build_object('index', leads -> 0 -> 'index'));
      return;
    end if;
  end;
  -- In parts, like private.store_batch(), in the order in which insert_leads() inserts.
  for part in
    select json_agg(l order by n)
    from (
      select l, row_number() over (order by l ->> 'external_id', (l ->> 'index')::integer) as n
      from json_array_elements(leads) l
    ) e
    group by (n - 1) * 10 / json_array_length(leads)
    order by min(n)
  loop
    stored := private.store_leads(agency_id, agent_id, distribution_id, part);
    imported := imported || stored.imported;
    left_over := left_over + stored.left_over;
    failed := failed || stored.failed;
  end loop;
end
$$;

comment on function private.store_leads(uuid, uuid, uuid, json) is
  'Stores the leads that the agency does not have yet. Returns the result of private.insert_leads(), and failed: '
  '[{index, error: {code, message}}] for leads that the database refuses.';

create function private.insert_leads(
  agency_id uuid,
  agent_id uuid,
  distribution_id uuid,
  leads json,
  out imported jsonb,
  out left_over integer
)
language plpgsql
set search_path = ''
as $$
begin
  -- The argument is json and not jsonb, because json goes from text to columns directly. Time for one row in a chunk of
  -- 2,000, measured from the text that PostgREST passes on: jsonb 37 us, an array of a composite type 35 us, json 31
  -- us, thirteen parallel arrays 30 us, a plain insert ... select 19 us. Parallel arrays save little and are hard to
  -- read. With a composite type, a value that does not fit its column fails the call before the function can report the
  -- row.
  with sent as materialized (
    select lead.*
    from json_to_recordset(leads) as lead (
      index integer, external_id uuid, first_name text, last_name text, phone text, phone_e164 text, email text,
      address text, city text, state text, zip text, language text, type text
    )
  ), input as (
    -- Sorted by external_id, so that two imports of the same leads wait for each other and never deadlock.
    select distinct on (sent.external_id) sent.* from sent order by sent.external_id, sent.index
  ), inserted as (
    insert into public.leads as l (
      external_id, agency_id, agent_id, distribution_id, first_name, last_name, phone, phone_e164, email, address, city,
      state, zip, language, type, source, status, stage
    )
    select
      i.external_id, insert_leads.agency_id, insert_leads.agent_id, insert_leads.distribution_id, i.first_name,
      i.last_name, i.phone, i.phone_e164, i.email, i.address, i.city, i.state, i.zip, i.language, i.type, 'platform',
      'open', 'new'
    from input i
    order by i.external_id
    on conflict on constraint leads_agency_id_external_id_key do nothing
    returning l.id, l.external_id
  )
  select coalesce(jsonb_agg(stored), '[]'), (select count(*) from sent) - count(*) into imported, left_over
  from (select input.index, inserted.id from inserted join input using (external_id)) stored;
end
$$;

comment on function private.insert_leads(uuid, uuid, uuid, json) is
  'Stores the leads that the agency does not have yet, in one statement. Returns [{index, id}] of the stored leads, '
  'and the number of others.';

-- supabase/schemas/sales/lead_activities.sql

-- POST /api/leads/log-presentation-activity.

create function public.log_presentation_activity(
  lead_id uuid,
  agent_id uuid,
  type text,
  per_minute integer default null,
  idempotency jsonb default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  kept constant jsonb := private.find_idempotent_result('log', idempotency);
  retry_after integer;
begin
  if kept is not null then
    return kept;
  end if;
  if type is null or type not in ('presentation_started', 'presentation_resumed', 'presentation_paused') then
    raise exception 'type: must be presentation_started, presentation_resumed or presentation_paused'
      using errcode = 'PT400';
  end if;

  insert into public.lead_activities (lead_id, agent_id, type)
  select l.id, l.agent_id, log_presentation_activity.type
  from public.leads l
  join public.agents a on a.id = l.agent_id
  where l.id = log_presentation_activity.lead_id and a.id = log_presentation_activity.agent_id and a.is_active;

  if not found and exists (
    select
    from public.leads l
    where l.id = log_presentation_activity.lead_id and l.agent_id = log_presentation_activity.agent_id
  ) then
    raise exception 'agent_id: the agent is deactivated' using errcode = 'PT400';
  elsif not found then
    raise exception 'lead_id: no such lead of this agent' using errcode = 'PT404';
  end if;

  -- The exception also undoes the activity and its count.
  if per_minute is not null then
    retry_after := private.seconds_until_allowed('lead ' || lead_id, per_minute);
    if retry_after is not null then
      raise exception 'the lead has more than % activities a minute', private.quoted(per_minute)
        using errcode = 'PT429', detail = private.quoted(retry_after);
    end if;
  end if;
  return private.save_idempotent_result('log', idempotency, '{}');
end
$$;

comment on function public.log_presentation_activity(uuid, uuid, text, integer, jsonb) is
  'Adds an activity to a lead and returns {}. PT404 if the lead does not exist or is not this agent''s, PT400 for an '
  'unknown type or a deactivated agent. per_minute, unless null, is the maximum number of activities of one lead per '
  'minute: beyond it, PT429, whose detail is the seconds to wait. For idempotency and its errors, see '
  'private.find_idempotent_result().';
grant execute on function public.log_presentation_activity(uuid, uuid, text, integer, jsonb) to service_role;

-- A trigger and not a foreign key: the lead may be reassigned later, and the activities of the first agent stay.
create function private.require_agent_of_lead() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if not exists (select from public.leads l where l.id = new.lead_id and l.agent_id = new.agent_id) then
    raise exception 'agent_id: not the agent of this lead' using errcode = 'foreign_key_violation';
  end if;
  return new;
end
$$;

comment on function private.require_agent_of_lead() is
  'Trigger: rejects an activity of an agent who is not the lead''s agent.';

create trigger require_agent_of_lead
  before insert on public.lead_activities
  for each row execute function private.require_agent_of_lead();

-- supabase/schemas/sales/json_fields.sql

-- Readers of JSON fields for submit_lead_presentation(). An invalid value raises an error with errcode 22023
-- (invalid_parameter_value), whose message begins with the path of the field, such as `sale.annual_premium`. A missing
-- field, null and a blank string all become null.

create function private.invalid_field(path text, problem text) returns void
language plpgsql
set search_path = ''
as $$
begin
  raise exception '%: %', private.quoted(path), private.quoted(problem, 200)
    using errcode = 'invalid_parameter_value';
end
$$;

comment on function private.invalid_field(text, text) is 'Raises the error for the field with this path.';
grant execute on function private.invalid_field(text, text) to authenticated;

create function private.require_fields(object jsonb, path text, known text[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  key text;
begin
  if jsonb_typeof(object) <> 'object' then
    perform private.invalid_field(path, 'must be an object');
  end if;
  for key in select k from jsonb_object_keys(object) k loop
    if key <> all (known) then
      perform private.invalid_field(path || '.' || key, 'unknown field');
    end if;
  end loop;
end
$$;

comment on function private.require_fields(jsonb, text, text[]) is
  'Raises an error if the value is not an object or has an unknown key.';
grant execute on function private.require_fields(jsonb, text, text[]) to authenticated;

create function private.text_field(object jsonb, path text, key text, is_required boolean default false)
returns text
language plpgsql
set search_path = ''
as $$
declare
  value constant text := nullif(btrim(object ->> key, e' \t\n\r'), '');
begin
  if coalesce(jsonb_typeof(object -> key), 'null') not in ('string', 'null') then
    perform private.invalid_field(path || '.' || key, 'must be a string');
  elsif value is null and is_required then
    perform private.invalid_field(path || '.' || key, 'is required');
  end if;
  return value;
end
$$;

comment on function private.text_field(jsonb, text, text, boolean) is
  'Returns a string without surrounding spaces, tabs and line ends.';
grant execute on function private.text_field(jsonb, text, text, boolean) to authenticated;

create function private.amount_field(object jsonb, path text, key text, is_required boolean default false)
returns numeric
language plpgsql
set search_path = ''
as $$
declare
  type constant text := coalesce(jsonb_typeof(object -> key), 'null');
begin
  if type = 'number' and (object ->> key)::numeric between 0 and 999999999999.99 then
    return round((object ->> key)::numeric, 2);
  elsif type <> 'null' then
    perform private.invalid_field(path || '.' || key, 'must be a number from 0 to 999999999999.99');
  elsif is_required then
    perform private.invalid_field(path || '.' || key, 'is required');
  end if;
  return null;
end
$$;

comment on function private.amount_field(jsonb, text, text, boolean) is 'Returns an amount of money, rounded to cents.';
grant execute on function private.amount_field(jsonb, text, text, boolean) to authenticated;

create function private.count_field(object jsonb, path text, key text) returns integer
language plpgsql
set search_path = ''
as $$
declare
  type constant text := coalesce(jsonb_typeof(object -> key), 'null');
begin
  if type = 'number'
    and (object ->> key)::numeric between 0 and 100
    and (object ->> key)::numeric % 1 = 0
  then
    return (object ->> key)::numeric;
  elsif type <> 'null' then
    perform private.invalid_field(path || '.' || key, 'must be a whole number from 0 to 100');
  end if;
  return null;
end
$$;

comment on function private.count_field(jsonb, text, text) is 'Returns a number of people, from 0 to 100.';
grant execute on function private.count_field(jsonb, text, text) to authenticated;

create function private.boolean_field(object jsonb, path text, key text) returns boolean
language plpgsql
set search_path = ''
as $$
begin
  if coalesce(jsonb_typeof(object -> key), 'null') not in ('boolean', 'null') then
    perform private.invalid_field(path || '.' || key, 'must be true or false');
  end if;
  return object ->> key;
end
$$;

comment on function private.boolean_field(jsonb, text, text) is 'Returns true, false or null.';
grant execute on function private.boolean_field(jsonb, text, text) to authenticated;

create function private.date_field(object jsonb, path text, key text) returns date
language plpgsql
set search_path = ''
as $$
declare
  value constant text := private.text_field(object, path, key);
  result date;
begin
  if value !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' then
    perform private.invalid_field(path || '.' || key, 'must be a date, YYYY-MM-DD');
  end if;
  result := value;
  return result;
exception when datetime_field_overflow or invalid_datetime_format then
  perform private.invalid_field(path || '.' || key, 'must be a date that exists');
end
$$;

comment on function private.date_field(jsonb, text, text) is 'Returns a date in the format YYYY-MM-DD (ISO 8601).';
grant execute on function private.date_field(jsonb, text, text) to authenticated;

-- supabase/schemas/sales/submit_lead_presentation.sql

-- The procedure that the pop-out calls with the agent's own session. It first reads each part of the submission from
-- JSON, whose keys are the column names, into a row of its table.

create function public.submit_lead_presentation(
  lead_id uuid,
  demographics jsonb,
  sale jsonb default null,
  referrals jsonb default '[]',
  client_submission_id uuid default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  caller_id constant uuid := private.current_agent_id();
  has_demographics constant boolean := demographics not in ('null', '{}');
  has_sale constant boolean := sale <> 'null';
  new_demographics public.lead_demographics;
  new_sale public.lead_sales;
  new_referrals public.lead_referrals[];
  submission_id uuid;
  is_duplicate boolean;
begin
  if caller_id is null then
    raise exception 'only an active agent may submit a presentation' using errcode = 'insufficient_privilege';
  elsif not exists (select from public.leads l where l.id = submit_lead_presentation.lead_id) then
    raise exception 'lead_id: no such lead among those you may read' using errcode = 'PT404';
  end if;

  if has_demographics then
    new_demographics := private.read_demographics(demographics);
  end if;
  if has_sale then
    new_sale := private.read_sale(sale);
  end if;
  new_referrals := private.read_referrals(coalesce(nullif(referrals, 'null'), '[]'));

  perform set_config('lead_intake.submitting_lead_id', lead_id::text, true);

  -- A repeated call waits here while the first one is still running.
  insert into public.lead_presentations as p (lead_id, agent_id, client_submission_id)
  values (submit_lead_presentation.lead_id, caller_id, submit_lead_presentation.client_submission_id)
  on conflict on constraint lead_presentations_lead_id_client_submission_id_key do nothing
  returning p.id into submission_id;
  is_duplicate := not found;

  if is_duplicate then
    select p.id into submission_id
    from public.lead_presentations p
    where p.lead_id = submit_lead_presentation.lead_id
      and p.client_submission_id = submit_lead_presentation.client_submission_id;
  end if;

  if has_demographics and not is_duplicate then
    insert into public.lead_demographics (
      lead_id, date_of_birth, marital_status, spouse_name, children, occupation, employer, annual_income, tobacco_user,
      beneficiary_name, notes
    )
    values (
      submit_lead_presentation.lead_id, new_demographics.date_of_birth, new_demographics.marital_status,
      new_demographics.spouse_name, new_demographics.children, new_demographics.occupation, new_demographics.employer,
      new_demographics.annual_income, new_demographics.tobacco_user, new_demographics.beneficiary_name,
      new_demographics.notes
    )
    on conflict on constraint lead_demographics_pkey do update
    set
      date_of_birth = excluded.date_of_birth,
      marital_status = excluded.marital_status,
      spouse_name = excluded.spouse_name,
      children = excluded.children,
      occupation = excluded.occupation,
      employer = excluded.employer,
      annual_income = excluded.annual_income,
      tobacco_user = excluded.tobacco_user,
      beneficiary_name = excluded.beneficiary_name,
      notes = excluded.notes;
  end if;

  if has_sale and not is_duplicate then
    insert into public.lead_sales (
      presentation_id, lead_id, agent_id, product, carrier, policy_number, face_amount, annual_premium,
      payment_frequency, effective_date
    )
    values (
      submission_id, submit_lead_presentation.lead_id, caller_id, new_sale.product, new_sale.carrier,
      new_sale.policy_number, new_sale.face_amount, new_sale.annual_premium, new_sale.payment_frequency,
      new_sale.effective_date
    );
  end if;

  if not is_duplicate then
    insert into public.lead_referrals (
      presentation_id, lead_id, agent_id, position, first_name, last_name, phone, email, relationship, notes
    )
    select
      submission_id, submit_lead_presentation.lead_id, caller_id, r.position, r.first_name, r.last_name, r.phone,
      r.email, r.relationship, r.notes
    from unnest(new_referrals) r;
  end if;

  perform set_config('lead_intake.submitting_lead_id', '', true);

  -- Read from the tables, so that a repeated call returns the result of the first one.
  return jsonb_build_object(
    'presentation_id', submission_id,
    'sale_id', (select s.id from public.lead_sales s where s.presentation_id = submission_id),
    'referral_ids', (
      select coalesce(jsonb_agg(r.id order by r.position), '[]')
      from public.lead_referrals r
      where r.presentation_id = submission_id
    ),
    'duplicate', is_duplicate
  );
end
$$;

comment on function public.submit_lead_presentation(uuid, jsonb, jsonb, jsonb, uuid) is
  'Stores what an agent learned and sold in a presentation: all of it or nothing. The lead''s agent may call it, and a '
  'manager of its agency. demographics, sale (or null) and each of referrals are objects. Their keys are the column '
  'names of lead_demographics, lead_sales (product and annual_premium required) and lead_referrals (first_name and '
  'phone required). New demographics replace all earlier ones; null or {} leaves them unchanged. Returns '
  '{presentation_id, sale_id|null, referral_ids, duplicate}; a repeated client_submission_id returns the first result '
  'and stores nothing. Errors: 22023 (HTTP 400) names the field, such as `sale.annual_premium: is required`; 42501 '
  '(403) when the caller is no active agent; PT404 (404) when the caller may not read the lead.';
grant execute on function public.submit_lead_presentation(uuid, jsonb, jsonb, jsonb, uuid) to authenticated;

create function private.read_demographics(demographics jsonb) returns public.lead_demographics
language plpgsql
set search_path = ''
as $$
declare
  path constant text := 'demographics';
  result public.lead_demographics;
begin
  perform private.require_fields(demographics, path, array[
    'date_of_birth', 'marital_status', 'spouse_name', 'children', 'occupation', 'employer', 'annual_income',
    'tobacco_user', 'beneficiary_name', 'notes'
  ]);
  result.date_of_birth := private.date_field(demographics, path, 'date_of_birth');
  result.marital_status := private.text_field(demographics, path, 'marital_status');
  result.spouse_name := private.text_field(demographics, path, 'spouse_name');
  result.children := private.count_field(demographics, path, 'children');
  result.occupation := private.text_field(demographics, path, 'occupation');
  result.employer := private.text_field(demographics, path, 'employer');
  result.annual_income := private.amount_field(demographics, path, 'annual_income');
  result.tobacco_user := private.boolean_field(demographics, path, 'tobacco_user');
  result.beneficiary_name := private.text_field(demographics, path, 'beneficiary_name');
  result.notes := private.text_field(demographics, path, 'notes');
  if result.date_of_birth > current_date then
    perform private.invalid_field(path || '.date_of_birth', 'must not be in the future');
  end if;
  return result;
end
$$;

comment on function private.read_demographics(jsonb) is
  'Reads and checks the columns of lead_demographics from a JSON object.';
grant execute on function private.read_demographics(jsonb) to authenticated;

create function private.read_sale(sale jsonb) returns public.lead_sales
language plpgsql
set search_path = ''
as $$
declare
  path constant text := 'sale';
  result public.lead_sales;
begin
  perform private.require_fields(sale, path, array[
    'product', 'carrier', 'policy_number', 'face_amount', 'annual_premium', 'payment_frequency', 'effective_date'
  ]);
  result.product := private.text_field(sale, path, 'product', is_required => true);
  result.carrier := private.text_field(sale, path, 'carrier');
  result.policy_number := private.text_field(sale, path, 'policy_number');
  result.face_amount := private.amount_field(sale, path, 'face_amount');
  result.annual_premium := private.amount_field(sale, path, 'annual_premium', is_required => true);
  result.payment_frequency := private.text_field(sale, path, 'payment_frequency');
  result.effective_date := private.date_field(sale, path, 'effective_date');
  if result.payment_frequency not in ('monthly', 'quarterly', 'semiannual', 'annual') then
    perform private.invalid_field(
      path || '.payment_frequency', 'must be monthly, quarterly, semiannual or annual');
  end if;
  return result;
end
$$;

comment on function private.read_sale(jsonb) is 'Reads and checks the columns of lead_sales from a JSON object.';
grant execute on function private.read_sale(jsonb) to authenticated;

create function private.read_referrals(referrals jsonb) returns public.lead_referrals[]
language plpgsql
set search_path = ''
as $$
declare
  result public.lead_referrals[] := '{}';
  referral public.lead_referrals;
  item jsonb;
  path text;
begin
  if jsonb_typeof(referrals) <> 'array' then
    perform private.invalid_field('referrals', 'must be an array');
  end if;
  for item in select i from jsonb_array_elements(referrals) with ordinality as e (i, n) order by n loop
    path := format('referrals[%s]', cardinality(result));
    perform private.require_fields(item, path, array[
      'first_name', 'last_name', 'phone', 'email', 'relationship', 'notes'
    ]);
    referral.position := cardinality(result) + 1;
    referral.first_name := private.text_field(item, path, 'first_name', is_required => true);
    referral.last_name := private.text_field(item, path, 'last_name');
    referral.phone := private.text_field(item, path, 'phone', is_required => true);
    referral.email := private.text_field(item, path, 'email');
    referral.relationship := private.text_field(item, path, 'relationship');
    referral.notes := private.text_field(item, path, 'notes');
    result := result || referral;
  end loop;
  return result;
end
$$;

comment on function private.read_referrals(jsonb) is 'Reads and checks the rows of lead_referrals from a JSON array.';
grant execute on function private.read_referrals(jsonb) to authenticated;

-- supabase/schemas/sales/replay.sql

-- Taking in what was refused, after the parser, the mapping or the database has been put right.

create function public.replay_delivery(delivery_id uuid, lead jsonb) returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '20s'
set lock_timeout = '5s'
as $$
declare
  delivery public.rejected_deliveries;
begin
  -- A second operator waits here, and then finds it replayed.
  select * into delivery from public.rejected_deliveries d where d.id = delivery_id for update;
  if not found then
    raise exception 'delivery_id: no such delivery' using errcode = 'PT404';
  elsif delivery.status = 'dismissed' then
    raise exception 'the delivery has been dismissed' using errcode = 'PT409';
  elsif delivery.status = 'replayed' then
    return private.replayed(delivery);
  elsif coalesce(jsonb_typeof(lead), 'null') <> 'object' then
    raise exception 'lead: must be an object' using errcode = 'PT400';
  end if;

  update public.rejected_deliveries d
  set
    status = 'replayed',
    lead_id = case
      when delivery.vendor_id is null then private.replay_imported_lead(delivery, lead)
      else private.replay_recruiting_lead(delivery, lead)
    end
  where d.id = delivery.id
  returning * into delivery;
  return private.replayed(delivery);
end
$$;

comment on function public.replay_delivery(uuid, jsonb) is
  'Stores the lead of a rejected delivery, once however often it is called, and sets the delivery to replayed. lead, for '
  'a recruiting vendor: {first_name, vendor_lead_id|null, vendor_metadata} as the vendor''s parser returns it; it is '
  'distributed as by POST /recruiting/ingest. For an import: the lead object, with phone_e164 where it can be read. '
  'Returns the result of ingest_recruiting_leads(): {id, status: created, distributed_to: {agency_id, '
  'agent_id|null}|null}, or {id, status: duplicate} with the lead that had come meanwhile. For an import there is no '
  'distributed_to. A repeated call returns the same. PT404 for an unknown delivery, PT409 for a dismissed one. A lead '
  'that cannot be stored is an error (PT400, or that of the constraint), and the delivery stays open.';
grant execute on function public.replay_delivery(uuid, jsonb) to service_role;

create function private.replay_recruiting_lead(delivery public.rejected_deliveries, lead jsonb) returns uuid
language plpgsql
set search_path = ''
as $$
declare
  result constant jsonb := private.store_recruiting_leads(
    jsonb_build_array(jsonb_build_object(
      'webhook', delivery.context -> 'webhook',
      'lead', lead || jsonb_build_object(
        'id', delivery.id, 'resume_path', null, 'request_id', delivery.request_id, 'received_via', 'replay'))),
    delivery.vendor_id) -> 0;
begin
  if result ? 'error' then
    raise exception '%', private.quoted(result #>> '{error,message}') using errcode = result #>> '{error,code}';
  end if;
  return result ->> 'id';
end
$$;

comment on function private.replay_recruiting_lead(public.rejected_deliveries, jsonb) is
  'Stores the lead of a delivery under the delivery''s id and distributes it. Returns its id, or that of a stored lead: '
  'with this vendor_lead_id, or from the same delivery of a webhook within 7 days. PT409 while that is at work.';

create function private.replay_imported_lead(delivery public.rejected_deliveries, lead jsonb) returns uuid
language plpgsql
set search_path = ''
as $$
declare
  given_agency_id constant uuid := delivery.context ->> 'agency_id';
  given_external_id constant uuid := lead ->> 'external_id';
  lead_id uuid;
begin
  if given_agency_id is null then
    raise exception 'the delivery is a whole request: its leads must be sent again' using errcode = 'PT400';
  elsif given_external_id is null then
    raise exception 'external_id is missing' using errcode = 'PT400';
  elsif exists (
    select from public.agents a where a.id = (delivery.context ->> 'agent_id')::uuid and not a.is_active
  ) then
    raise exception 'agent_id: the agent is deactivated' using errcode = 'PT400';
  end if;

  loop
    select l.id into lead_id
    from public.leads l
    where l.agency_id = given_agency_id and l.external_id = given_external_id;
    exit when found;

    insert into public.leads (
      id, external_id, agency_id, agent_id, distribution_id, first_name, last_name, phone, phone_e164, email, address,
      city, state, zip, language, type
    )
    values (
      delivery.id, given_external_id, given_agency_id, (delivery.context ->> 'agent_id')::uuid,
      (delivery.context ->> 'distribution_id')::uuid, lead ->> 'first_name', lead ->> 'last_name', lead ->> 'phone',
      lead ->> 'phone_e164', lead ->> 'email', lead ->> 'address', lead ->> 'city', lead ->> 'state', lead ->> 'zip',
      lead ->> 'language', lead ->> 'type'
    )
    on conflict on constraint leads_agency_id_external_id_key do nothing
    returning id into lead_id;
    exit when found;
  end loop;
  return lead_id;
end
$$;

comment on function private.replay_imported_lead(public.rejected_deliveries, jsonb) is
  'Stores the sales lead of a delivery under the delivery''s id, for the agency and agent of its context. Returns its '
  'id, or the id of the lead that has this external_id.';

create function private.replayed(delivery public.rejected_deliveries) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  lead public.recruiting_leads;
begin
  if delivery.lead_id <> delivery.id then
    return jsonb_build_object('id', delivery.lead_id, 'status', 'duplicate');
  end if;

  select * into lead from public.recruiting_leads l where l.id = delivery.lead_id;
  if not found then
    return jsonb_build_object('id', delivery.lead_id, 'status', 'created');
  end if;
  return private.created_lead(lead);
end
$$;

comment on function private.replayed(public.rejected_deliveries) is
  'The result of replay_delivery() for a delivery that has been replayed.';

-- supabase/schemas/sales/lead_assignments.sql

-- Leads, both recruiting and sales, that operators have reassigned.

create table public.lead_assignments (
  id uuid primary key default gen_random_uuid(),
  recruiting_lead_id uuid references public.recruiting_leads (id) on delete cascade,
  sales_lead_id uuid references public.leads (id) on delete cascade,
  from_agent_id uuid references public.agents (id),
  to_agent_id uuid references public.agents (id),
  assigned_by text default private.operator_name() check (assigned_by <> '' and length(assigned_by) <= 128),
  created_at timestamptz not null default now(),
  check (num_nonnulls(recruiting_lead_id, sales_lead_id) = 1)
);

create index on public.lead_assignments (recruiting_lead_id, created_at) where recruiting_lead_id is not null;
create index on public.lead_assignments (sales_lead_id, created_at) where sales_lead_id is not null;
create index on public.lead_assignments (from_agent_id);
create index on public.lead_assignments (to_agent_id);

comment on table public.lead_assignments is
  'Each reassignment of a lead by an operator to another agent, or back to its agency. Rows are never updated, and '
  'are deleted with their lead. They contain no personal data, so they stay when a recruit is erased.';
comment on column public.lead_assignments.recruiting_lead_id is 'Null for a sales lead.';
comment on column public.lead_assignments.sales_lead_id is 'Null for a recruiting lead.';
comment on column public.lead_assignments.from_agent_id is 'The agent who had the lead; null: nobody.';
comment on column public.lead_assignments.to_agent_id is 'The agent who has got the lead; null: the agency, without an agent.';
comment on column public.lead_assignments.assigned_by is 'The operator, as private.operator_name() says.';

alter table public.lead_assignments enable row level security;
-- Who the operator is, agents do not read.
grant select (id, recruiting_lead_id, from_agent_id, to_agent_id, created_at) on public.lead_assignments to authenticated;
grant select, insert, delete on public.lead_assignments to service_role;

create policy "readers of a recruit read to whom operators gave it" on public.lead_assignments
  for select to authenticated
  using (
    recruiting_lead_id is not null
    and (select true from public.recruiting_leads l where l.id = lead_assignments.recruiting_lead_id)
  );

-- supabase/schemas/destinations/tables.sql

-- Destinations: the systems and addresses of agencies that learn what becomes of their recruits, and what is sent to them.

create table public.destinations (
  id uuid primary key default gen_random_uuid(),
  agency_id uuid references public.agencies (id) on delete cascade,
  name text not null check (name ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  kind text not null check (kind in ('webhook', 'email')),
  url text check (length(url) <= 2048),
  address text check (address ~ '^[^\s@]+@[^\s@]+$' and length(address) <= 320),
  is_on boolean not null default true,
  off_reason text,
  events text[] not null,
  agent_id uuid unique,
  order_id uuid,
  template text check (length(template) between 1 and 4000),
  accepted_when text check (length(accepted_when) between 1 and 1000),
  rejected_when text check (length(rejected_when) between 1 and 1000),
  returns_rejected boolean not null default false,
  max_at_once integer not null default 4 check (max_at_once between 1 and 16),
  failing_since timestamptz,
  failures integer not null default 0 check (failures >= 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (agency_id, name),
  foreign key (agent_id, agency_id) references public.agents (id, agency_id) on delete cascade,
  foreign key (agency_id, order_id) references public.recruiting_orders (agency_id, id) on delete cascade,
  check (case
    when agency_id is null then name = 'operators' and kind = 'webhook' and url is null
    when kind = 'webhook' then url is not null and address is null
    -- An agent's address is the agent's.
    else (address is null) = (agent_id is not null) and url is null and template is null
  end),
  check (agent_id is null or kind = 'email' and name = 'agent-' || agent_id),
  check (off_reason is null or not is_on),
  check ((failing_since is null) = (failures = 0))
);

create unique index destinations_operators_idx on public.destinations (name) where agency_id is null;
create index on public.destinations (agent_id, agency_id) where agent_id is not null;
create index on public.destinations (agency_id, order_id) where order_id is not null;

comment on table public.destinations is
  'The webhooks and e-mail addresses to which events about an agency''s recruits are sent.';
comment on column public.destinations.agency_id is
  'Null: the destination of alerts, `operators`, whose URL is a setting of the worker.';
comment on column public.destinations.name is 'Identifies the destination in its agency.';
comment on column public.destinations.is_on is 'While it is off, its dispatches wait.';
comment on column public.destinations.off_reason is 'Why the service has switched it off; null: it is on, or a person has paused it.';
comment on column public.destinations.events is 'The events that are sent to it, such as `lead.distributed`.';
comment on column public.destinations.agent_id is
  'The agent who has chosen to get e-mails (agents.mail_about); null: it is the agency''s.';
comment on column public.destinations.order_id is 'Only events about leads of this order; null: of any.';
comment on column public.destinations.template is 'JMESPath expression that makes the body from the event; null: the event itself.';
comment on column public.destinations.accepted_when is
  'JMESPath expression on {status, body} of the response: whether the receiver has accepted the event; null: status 2xx.';
comment on column public.destinations.rejected_when is 'The same: whether it has rejected it for good; null: never.';
comment on column public.destinations.returns_rejected is 'Whether a lead that the receiver rejects is returned, as return_lead() does.';
comment on column public.destinations.max_at_once is 'How many dispatches are sent to it at the same time, 1 while the last one has failed.';
comment on column public.destinations.failing_since is 'When the first of the failures since the last success was; null: the last attempt has not failed.';
comment on column public.destinations.failures is 'The number of failed attempts since the last success.';

create trigger set_updated_at
  before update on public.destinations
  for each row execute function private.set_updated_at();

alter table public.destinations enable row level security;
grant select, insert, update, delete on public.destinations to service_role;

insert into public.destinations (name, kind, events) values ('operators', 'webhook', '{alert.opened,alert.repeated,alert.resolved}');

create table private.destination_secrets (
  id uuid primary key default gen_random_uuid(),
  destination_id uuid not null references public.destinations (id) on delete cascade,
  kind text not null check (kind in ('signing', 'header')),
  name text check (name ~ '^[A-Za-z0-9!#$%&''*+.^_`|~-]{1,128}$'),
  secret text not null check (secret = btrim(secret) and secret !~ '[[:cntrl:]]' and length(secret) between 1 and 1024),
  expires_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  check ((kind = 'header') = (name is not null))
);

create index on private.destination_secrets (destination_id, created_at);
create unique index destination_secrets_header_idx on private.destination_secrets (destination_id, lower(name)) where kind = 'header';

comment on table private.destination_secrets is
  'The secrets with which requests to a destination are signed, and its own headers. Nobody reads them back.';
comment on column private.destination_secrets.name is 'The name of a header; null for a signing secret.';
comment on column private.destination_secrets.expires_at is 'Until when a signing secret that was replaced still signs; null: no end.';

alter table private.destination_secrets enable row level security;
grant select, insert, update, delete on private.destination_secrets to service_role;

create table private.dispatches (
  id uuid primary key default gen_random_uuid(),
  destination_id uuid not null references public.destinations (id) on delete cascade,
  event text not null,
  -- Not foreign keys: what happens to the recruit or the alert does not wait for what is sent about it.
  lead_id uuid,
  alert_ids uuid[],
  body jsonb,
  state text not null default 'waiting' check (state in ('waiting', 'sending', 'delivered', 'rejected', 'failed', 'cancelled')),
  due_at timestamptz not null default clock_timestamp(),
  first_due_at timestamptz not null default clock_timestamp(),
  attempt integer not null default 0,
  attempts_before integer not null default 0,
  lease_until timestamptz,
  status integer,
  excerpt text check (length(excerpt) <= 500),
  reason text check (length(reason) <= 500),
  return_due_at timestamptz,
  delivered_at timestamptz,
  ended_at timestamptz,
  seq bigint generated always as identity,
  created_at timestamptz not null default clock_timestamp(),
  check ((state = 'sending') = (lease_until is not null)),
  check ((state = 'delivered') = (delivered_at is not null)),
  check ((state in ('waiting', 'sending')) = (ended_at is null))
);

create index dispatches_due_idx on private.dispatches (destination_id, due_at, seq) where state = 'waiting';
create index dispatches_lease_idx on private.dispatches (destination_id, lease_until) where state = 'sending';
create index dispatches_order_idx on private.dispatches (destination_id, lead_id, seq) where state in ('waiting', 'sending');
create index dispatches_open_idx on private.dispatches (destination_id, first_due_at) where state in ('waiting', 'sending');
create index dispatches_ended_idx on private.dispatches (ended_at) where ended_at is not null;
create index dispatches_list_idx on private.dispatches (destination_id, seq);
create index dispatches_lead_idx on private.dispatches (lead_id, seq) where lead_id is not null;
create index dispatches_return_idx on private.dispatches (return_due_at) where return_due_at is not null;
create index dispatches_failed_idx on private.dispatches (destination_id, ended_at) where state = 'failed';
create index dispatches_delivered_idx on private.dispatches (destination_id, delivered_at) where state = 'delivered';

comment on table private.dispatches is
  'One row for each event that is sent to a destination. The id is the header webhook-id: each attempt has the same. Kept for 30 '
  'days after it has ended.';
comment on column private.dispatches.event is 'The type of the event, or `test`.';
comment on column private.dispatches.alert_ids is 'The alerts of which the operators'' destination is notified.';
comment on column private.dispatches.body is
  'The event as it was: {type, timestamp, data}; of alerts {text, kind, subject, state, since, details}. Null once the person was erased.';
comment on column private.dispatches.state is
  '`waiting`; `sending`: a worker has it; `delivered`; `rejected`: the receiver has refused it for good; `failed`: no attempt is '
  'left; `cancelled`: it is not needed any more.';
comment on column private.dispatches.attempt is 'The number of times that it was claimed.';
comment on column private.dispatches.attempts_before is 'How many of them were before a person had it sent again: the pauses count from there.';
comment on column private.dispatches.lease_until is 'Until when the worker has it.';
comment on column private.dispatches.status is 'The HTTP status of the last response; null: there was none.';
comment on column private.dispatches.excerpt is 'The beginning of the last response that was not an acceptance.';
comment on column private.dispatches.reason is 'Why the last attempt did not succeed, such as `timeout`.';
comment on column private.dispatches.return_due_at is 'When the rejected lead is to be returned; null: it is not, or was.';
comment on column private.dispatches.seq is 'The order in which the events of one lead are sent.';

alter table private.dispatches enable row level security;
grant select, insert, update, delete on private.dispatches to service_role;

create table private.sending_settings (
  name text primary key check (name in ('mail', 'alerts', 'heartbeat')),
  is_set boolean not null default false,
  asked_at timestamptz not null default '-infinity'
);

comment on table private.sending_settings is
  'Whether the worker can send e-mail, and has the URLs of the receiver of alerts and of the monitor. The database sees no setting.';
comment on column private.sending_settings.asked_at is 'When the worker last said so.';

insert into private.sending_settings (name) values ('mail'), ('alerts'), ('heartbeat');

alter table private.sending_settings enable row level security;
grant select, insert, update, delete on private.sending_settings to service_role;

create function private.note_setting(name text, is_set boolean) returns void
language sql
set search_path = ''
as $$
  update private.sending_settings s
  set is_set = note_setting.is_set, asked_at = now()
  where s.name = note_setting.name
    and (s.is_set <> note_setting.is_set or s.asked_at not between now() - interval '1 minute' and now())
$$;

comment on function private.note_setting(text, boolean) is 'Notes what a worker says of a setting, once a minute while it stays.';

-- supabase/schemas/destinations/add.sql

-- The dispatches of events about recruits. They are made in the transaction of what happens.

create function private.lead_event(lead public.recruiting_leads) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  metadata constant jsonb := lead.vendor_metadata;
begin
  return jsonb_build_object(
    'lead', jsonb_build_object(
      'id', lead.id,
      'vendor', (select jsonb_build_object('slug', v.slug, 'name', v.name) from public.vendors v where v.id = lead.vendor_id),
      'first_name', lead.first_name, 'last_name', lead.last_name, 'email', lead.email, 'phone', lead.phone,
      'city', metadata -> 'city', 'state', lead.state, 'zip', metadata -> 'zip',
      'received_at', private.iso_time(lead.created_at),
      'answers', case when jsonb_typeof(metadata -> 'answers') = 'array' then metadata -> 'answers' else '[]' end,
      'metadata', metadata - 'answers',
      'has_resume', lead.resume_path is not null,
      'link', '/recruits/' || lead.id),
    'order_id', lead.order_id,
    'agent', (
      select jsonb_build_object('id', a.id, 'first_name', a.first_name, 'last_name', a.last_name, 'email', a.email)
      from public.agents a
      where a.id = lead.agent_id
    ));
end
$$;

comment on function private.lead_event(public.recruiting_leads) is
  'The data of each event about a lead: {lead: {id, vendor: {slug, name}, first_name, last_name, email, phone, city, state, zip, '
  'received_at, answers: [{question, answer}], metadata, has_resume, link}, order_id, agent: {id, first_name, last_name, '
  'email}|null}. link is the path in the desk, to which the worker adds the desk''s address.';

create function private.add_dispatches(event text, lead_ids uuid[], extra jsonb default '{}') returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into private.dispatches (destination_id, event, lead_id, body)
  select d.id, add_dispatches.event, d.lead_id, jsonb_build_object(
    'type', add_dispatches.event, 'timestamp', private.iso_time(clock_timestamp()),
    'data', private.lead_event(d.lead) || extra)
  from (
    select t.id, l.id as lead_id, l as lead
    from unnest(lead_ids) with ordinality i (id, place)
    join public.recruiting_leads l on l.id = i.id
    join public.destinations t on t.agency_id = l.agency_id
    where add_dispatches.event = any (t.events) and (t.order_id is null or t.order_id = l.order_id)
    order by i.place, t.id
    -- One that is being removed is not waited for.
    for key share of t skip locked
  ) d;
exception when others then
  -- A text, an opt-out or a notification is worth more than what is sent about it.
  raise warning 'no dispatch of % was added (SQLSTATE %)', event, sqlstate;
end
$$;

comment on function private.add_dispatches(text, uuid[], jsonb) is
  'Adds a dispatch of this event for each of the leads and each destination of its agency that wants the event, also of one that is '
  'off. extra: further members of the event''s data. Call it while the agency has the lead. An error adds none, with a warning, and '
  'does not reach the caller.';

create function private.dispatch_reassignments() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.add_dispatches('lead.reassigned', array(
    select a.recruiting_lead_id from added a where a.recruiting_lead_id is not null order by a.recruiting_lead_id));
  return null;
end
$$;

comment on function private.dispatch_reassignments() is 'Trigger: adds the dispatches of `lead.reassigned`.';

create trigger dispatch_reassignments
  after insert on public.lead_assignments
  referencing new table as added
  for each statement execute function private.dispatch_reassignments();

create function private.erase_dispatches(lead_ids uuid[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  got jsonb;
begin
  -- In one order, so that two erasures do not wait in a circle.
  perform from private.dispatches p where p.lead_id = any (lead_ids) order by p.seq for no key update;
  select jsonb_agg(to_jsonb(s)) into got
  from (
    select p.destination_id, p.lead_id
    from private.dispatches p
    where p.lead_id = any (lead_ids) and p.attempt > 0 and p.event <> 'recruit.erased'
    union
    -- The record of what was sent may have been pruned.
    select d.id, l.id
    from public.recruiting_leads l
    join public.destinations d on d.agency_id = l.agency_id and (d.order_id is null or d.order_id = l.order_id)
    where l.id = any (lead_ids) and greatest(l.distributed_at, d.created_at) < now() - interval '30 days'
  ) s;
  update private.dispatches p
  set
    body = null, excerpt = null, reason = null,
    -- A worker may have sent one that it has. Once it says so, or its lease is over, it ends.
    state = case p.state when 'waiting' then 'cancelled' else p.state end,
    ended_at = coalesce(p.ended_at, case p.state when 'waiting' then now() end)
  where p.lead_id = any (lead_ids) and p.event <> 'recruit.erased';
  insert into private.dispatches (destination_id, event, lead_id, body)
  select d.id, 'recruit.erased', g.lead_id, jsonb_build_object(
    'type', 'recruit.erased', 'timestamp', private.iso_time(clock_timestamp()),
    'data', jsonb_build_object('lead', jsonb_build_object('id', g.lead_id)))
  from jsonb_to_recordset(got) as g (destination_id uuid, lead_id uuid)
  join public.destinations d on d.id = g.destination_id and 'recruit.erased' = any (d.events);
end
$$;

comment on function private.erase_dispatches(uuid[]) is
  'Cancels what waits to be sent about these leads, empties what was sent, and adds `recruit.erased`, {lead: {id}}, for each '
  'destination that may have got one.';

-- supabase/schemas/destinations/agent_mail.sql

-- The e-mails that agents get by choice.

create function public.set_my_mail(about text[]) returns text[]
language plpgsql
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.current_agent();
  chosen constant text[] := array(select distinct a from unnest(about) a order by a);
begin
  if caller.id is null then
    raise exception 'only an active agent may do this' using errcode = '42501';
  elsif not chosen <@ '{lead,recruit_waiting}' then
    raise exception 'about: must be a list of: lead, recruit_waiting' using errcode = 'PT400';
  elsif chosen <> '{}' and coalesce(caller.email, '') = '' then
    raise exception 'about: you have no e-mail address. Ask the people who run the service' using errcode = 'PT409';
  end if;
  update public.agents a set mail_about = chosen where a.id = caller.id and a.is_active;
  insert into public.destinations as d (agency_id, agent_id, name, kind, events)
  values (
    caller.agency_id, caller.id, 'agent-' || caller.id, 'email', array(select 'agent.' || c from unnest(chosen) c))
  on conflict on constraint destinations_agent_id_key
    do update set events = excluded.events, is_on = true, off_reason = null, failing_since = null, failures = 0;
  return chosen;
end
$$;

comment on function public.set_my_mail(text[]) is
  'Sets what the signed-in agent gets e-mails about: `lead`, a new recruit; `recruit_waiting`, a recruit who waits for an answer; {}: '
  'nothing. Returns the choice. An e-mail has the recruit''s first name alone, and an agent gets at most one in five minutes. PT400 for '
  'anything else; PT409 for an agent without an e-mail address; 42501 for a user who is not an active agent. '
  'Security definer because agents may not write the tables.';
grant execute on function public.set_my_mail(text[]) to authenticated;

create function private.add_agent_mail(agent_id uuid, event text, lead_id uuid, link text, others integer) returns void
language plpgsql
set search_path = ''
as $$
declare
  -- Two that are made at once wait for each other.
  destination constant uuid := (
    select d.id
    from public.destinations d
    where d.agent_id = add_agent_mail.agent_id and d.is_on and event = any (d.events)
    for no key update
  );
  latest private.dispatches;
  due timestamptz;
begin
  if destination is null then
    return;
  end if;
  select p.* into latest from private.dispatches p where p.destination_id = destination order by p.seq desc limit 1 for no key update;
  if latest.state = 'waiting' and latest.attempt = 0 then
    update private.dispatches p
    set body = jsonb_set(p.body, '{data,others}', to_jsonb((p.body #>> '{data,others}')::integer + 1 + others))
    where p.id = latest.id;
    return;
  end if;
  -- After it was sent, which may be later than it was due.
  due := greatest(clock_timestamp(), latest.due_at + interval '5 minutes', latest.delivered_at + interval '5 minutes');
  insert into private.dispatches (destination_id, event, lead_id, body, due_at, first_due_at)
  select destination, add_agent_mail.event, l.id, jsonb_build_object(
    'type', add_agent_mail.event, 'timestamp', private.iso_time(clock_timestamp()),
    'data', jsonb_build_object(
      'lead', jsonb_build_object('id', l.id, 'first_name', l.first_name, 'link', link), 'others', others)), due, due
  from public.recruiting_leads l
  where l.id = add_agent_mail.lead_id;
end
$$;

comment on function private.add_agent_mail(uuid, text, uuid, text, integer) is
  'Adds an e-mail to an agent who has chosen the event, with {lead: {id, first_name, link}, others}: others are how many further '
  'recruits there are. It is due five minutes after the last one; until then the others are counted in it.';

create function private.end_agent_mail() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  delete from public.destinations d where d.agent_id = new.id;
  return null;
end
$$;

comment on function private.end_agent_mail() is 'Trigger: an agent who has left gets no more e-mails.';

create trigger end_agent_mail
  after update of is_active on public.agents
  for each row when (old.is_active and not new.is_active)
  execute function private.end_agent_mail();

-- supabase/schemas/destinations/claim.sql

-- What a claim of dispatches is made of. The worker calls claim_dispatches() and record_dispatch(), which span areas: see
-- supabase/schemas/worker.
--
-- - waiting and due, claim_dispatches(): sending, with a lease of 60 s
-- - sending, its lease is over, claim_dispatches(): waiting and due, or failed after the last attempt
-- - sending, record_dispatch():
--   - delivered, rejected, failed: the same
--   - gone: failed, and its destination is off
--   - retry: waiting, due after a pause; failed after the eighth attempt, or for alerts as alerts/notify.sql says
-- - failed or rejected, retry_dispatches(): waiting and due
-- - waiting, the person is erased: cancelled
--
-- Locks: a claim locks a destination, and passes over its dispatches that are locked. A record locks a dispatch, and then its
-- destination only where that begins or ceases to fail.

create function private.end_lapsed_dispatches() returns void
language plpgsql
set search_path = ''
as $$
declare
  as_of constant timestamptz := clock_timestamp();
begin
  -- Nobody knows whether a dead worker has sent it: it is sent again with the same id.
  update private.dispatches p
  set
    state = l.state, ended_at = case when l.state <> 'waiting' then as_of end, lease_until = null, reason = 'worker_died'
  from (
    select l.id, case
      when l.body is null then 'cancelled'
      when d.agency_id is not null and l.attempt - l.attempts_before >= 8 then 'failed'
      else 'waiting'
    end as state
    from public.destinations d
    cross join lateral (
      select s.*
      from private.dispatches s
      where s.destination_id = d.id and s.state = 'sending' and s.lease_until <= as_of
      order by s.lease_until
      for no key update skip locked
    ) l
  ) l
  where p.id = l.id;
end
$$;

comment on function private.end_lapsed_dispatches() is 'Takes dispatches from workers whose lease is over: they are due again.';

create function private.take_dispatches(destination_id uuid, max integer) returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  -- How many rows one claim reads.
  most constant integer := 100;
  as_of constant timestamptz := clock_timestamp();
  -- Not more than the destination takes at once.
  free constant integer := least(max, (
    select case when d.failing_since is null then d.max_at_once else 1 end
    from public.destinations d
    where d.id = take_dispatches.destination_id
  ) - (
    select count(*)
    from private.dispatches p
    where p.destination_id = take_dispatches.destination_id and p.state = 'sending'
  ));
  candidate record;
  earlier private.dispatches;
  taken uuid[] := '{}';
begin
  for candidate in
    select p.id, p.lead_id, p.seq
    from private.dispatches p
    where p.destination_id = take_dispatches.destination_id and p.state = 'waiting' and p.due_at <= as_of
    order by p.due_at, p.seq
    limit most
    for no key update skip locked
  loop
    exit when cardinality(taken) >= free;
    select p.* into earlier
    from private.dispatches p
    where p.destination_id = take_dispatches.destination_id and p.lead_id = candidate.lead_id
      and p.state in ('waiting', 'sending')
    order by p.seq
    limit 1;
    if earlier.seq < candidate.seq then
      -- It is looked at again when the earlier one may have ended. record_dispatch() releases it sooner.
      update private.dispatches p
      set due_at = greatest(earlier.lease_until, earlier.due_at, as_of)
      where p.id = candidate.id;
      continue;
    end if;
    update private.dispatches p
    set state = 'sending', attempt = p.attempt + 1, lease_until = clock_timestamp() + interval '60 seconds'
    where p.id = candidate.id;
    taken := taken || candidate.id;
  end loop;
  return taken;
end
$$;

comment on function private.take_dispatches(uuid, integer) is
  'Gives up to max due dispatches of a destination to a worker. The caller has locked the destination.';

create function private.is_dispatch_due() returns boolean
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_sort = off
as $$
begin
  return exists (
    select
    from public.destinations d
    left join private.sending_settings s
      on s.name = case when d.agency_id is null then 'alerts' when d.kind = 'email' then 'mail' end
    where d.is_on
      -- Where it was not set, the worker is asked again from time to time.
      and (s.is_set or s.name is null or s.asked_at not between now() - interval '5 minutes' and now())
      and (
        (
          select p.due_at
          from private.dispatches p
          where p.destination_id = d.id and p.state = 'waiting'
          order by p.due_at, p.seq
          limit 1
        ) <= clock_timestamp()
          -- The workers that send to it come again.
          and (select count(*) from private.dispatches p where p.destination_id = d.id and p.state = 'sending')
            < case when d.failing_since is null then d.max_at_once else 1 end
        or (
          select p.lease_until
          from private.dispatches p
          where p.destination_id = d.id and p.state = 'sending'
          order by p.lease_until
          limit 1
        ) <= clock_timestamp()
      )
  );
end
$$;

comment on function private.is_dispatch_due() is 'Whether the worker would find a dispatch to send. Reads one row of each destination.';

-- supabase/schemas/destinations/prune.sql

-- What is kept of what was sent, and for how long.

create function private.prune_dispatches() returns integer
language plpgsql
set search_path = ''
-- By the indexes, also while the planner does not know how few there are.
set enable_seqscan = off
as $$
declare
  oldest constant timestamptz := now() - interval '30 days';
  -- The rest has its turn the next time.
  most constant integer := 1000;
  pruned integer;
begin
  update private.dispatches p
  set state = 'cancelled', ended_at = now(), reason = 'too old'
  where p.id = any (array(
    select w.id
    from public.destinations d
    cross join lateral (
      select o.id
      from private.dispatches o
      where o.destination_id = d.id and o.state = 'waiting' and o.first_due_at < oldest
      order by o.first_due_at
      limit most
      for no key update skip locked
    ) w
  ));
  delete from private.dispatches p
  where p.id = any (array(
    select e.id from private.dispatches e where e.ended_at < oldest order by e.ended_at limit most for update skip locked
  ));
  get diagnostics pruned = row_count;
  return pruned;
end
$$;

comment on function private.prune_dispatches() is
  'Deletes dispatches that ended more than 30 days ago, at most 1,000, and cancels those that have waited as long, because their '
  'destination is off. Returns how many were deleted.';

-- supabase/schemas/texting/opt_keywords.sql

-- The texts that are an opt-out or an opt-in.
--
-- US law (47 CFR 64.1200(a)(10)) names seven words and counts "any reasonable method to clearly express a desire not to
-- receive further" texts. So a wish to end them is an opt-out in any words, also in the middle of a sentence, though
-- Twilio stops at eight words alone. START takes back one that was not meant, and nothing takes back a text that was not
-- wanted. A text that may be such a wish and may not, such as "no thanks" or "don't text me before 9", is no opt-out: the
-- bot sends nothing to it, and a person reads it. What a phone adds by itself, a signature or invisible characters, says
-- nothing.

create function private.consent_in_text(body text, opt_out_type text, out state text, out source text, out words text)
language plpgsql
immutable
set search_path = ''
as $$
begin
  if opt_out_type in ('START', 'STOP', 'HELP') then
    state := case opt_out_type when 'START' then 'opted_in' when 'STOP' then 'opted_out' end;
    source := 'provider';
    return;
  end if;
  select coalesce(private.opt_keyword(w.words), 'opted_out'),
    case when private.opt_keyword(w.words) is null then 'wording' else 'keyword' end, w.words
  into state, source, words
  -- An invisible character stands inside a word, or between two.
  from (
    select distinct r.reading
    from unnest(array[private.visible_text(body), private.visible_text(body, ' ')]) v (visible)
    cross join unnest(array[v.visible, private.without_signature(v.visible)]) r (reading)
  ) r
  cross join private.plain_words(r.reading) w (words)
  where private.opt_keyword(w.words) is not null
    or private.is_opt_out_wording(w.words)
    or private.wish_to_end(r.reading) = 'opted_out'
  limit 1;
end
$$;

comment on function private.consent_in_text(text, text) is
  'The consent that a text gives (state opted_in) or takes back (opted_out), or null; its source as in '
  'text_consent_events, and its plain_words(). A keyword counts alone, a wish to end the texts wherever it stands; case, '
  'punctuation, quotes, spaces, invisible characters and a signature do not matter. YES counts only from somebody who has opted out: the caller must look. '
  'opt_out_type is Twilio''s OptOutType, which counts before the words because the account''s own keywords are in it: START, '
  'STOP or HELP; null or anything else: the words count.';

create function private.without_signature(visible text) returns text
language plpgsql
immutable
set search_path = ''
as $$
declare
  signature constant text := $regex$(?xi)
    # A line of dashes (RFC 3676, section 4.3), and all that follows
    \n[ ]*[-–—_=*~]{2,}[ ]*\n.*$
    |
    (
      [ ]sent[ ]from[ ]my[ ][^\n]*
      |
      \n\s*(
        (this[ ]message[ ]was[ ])?sent[ ](from|via|with|using|through|on[ ]the)[ ][^\n]*
        | get[ ][^\n]+[ ]for[ ](ios|android|iphone|ipad|windows|mac|mobile)\M[^\n]*
        | (connected|powered)[ ]by[ ][^\n]*
        | (please[ ])?(excuse|forgive|pardon)[ ][^\n]*
        # The phones' own signatures in other languages
        | (enviad[oa]|envoy[eé]|inviato|gesendet|von[ ]mein|发自|發自|đã[ ]gửi[ ]từ)[^\n]*
        # A dash and a name
        | [-–—~][ ]*[^\s\d?!,:;/]+([ ][^\s\d?!,:;/]+){0,2}
      )
      [ ]*
    )+
    \n*$ $regex$;
begin
  return regexp_replace(visible, signature, '');
end
$$;

comment on function private.without_signature(text) is
  'A visible_text() without what a phone, a mail program or its owner has put below it, such as "Sent from my iPhone". The '
  'lines must look like a signature: what else stands below a STOP is for a person to read.';

create function private.plain_words(body text) returns text
language plpgsql
immutable
set search_path = ''
as $$
declare
  -- Removed, so that "don't" is one word however it is written.
  apostrophes constant text := '''`´‘’ʼ＇';
  -- Characters other than ASCII letters and digits and the letters of other alphabets: spaces, punctuation, quotes,
  -- symbols, emoji.
  separators constant text :=
    '[\x01-\x2f\x3a-\x60\x7b-\xbf\u2000-\u2bff\u3000-\u303f\ufe30-\ufe6f\ufffc\ufffd\U0001f000-\U0001faff]+';
begin
  -- NFKC (Unicode Standard Annex 15) makes full-width letters plain ones.
  return btrim(regexp_replace(
    lower(normalize(translate(body, apostrophes, ''), nfkc) collate "C"), separators, ' ', 'g'));
end
$$;

comment on function private.plain_words(text) is
  'The words of a visible_text() in lower case, with one space between them and without punctuation, quotes and emoji.';

create function private.opt_out_sentences() returns text
language plpgsql
immutable
set search_path = ''
as $$
declare
  -- One sentence, or several.
  sentences text := $regex$(?x)^(no_)?((
    # The words alone, with a little more
    (<wish>_)?
    (
      (stop|unsubscribe|unsub|opt_?out|quit_it)(_(me|it|that|this|all))?
      | stop+ | s_t_o_p | cease(_and_desist)?
      # stop texting me
      | (stop|quit|cease|no_more)(_all)?_<contacting>((_and|_or)?_<contacting>)*(_<person>)*
      # stop sending me these messages
      | (stop|quit|cease|cancel|end|no_more)((_sending|_with|_receiving|_getting)(_me|_us)?)?(_<kind>)*_<messages>(_<person>)*
      | (stop|quit|cease)_sending(_me|_us)?(_(this|these|those|them|it|stuff|things))?(_<person>)*
      # take me off your list
      | remove | (remove|delete|erase|unlist)(_<contact_data>(_<from_list>)?|_<from_list>)
      | (take|get)_<contact_data>_<from_list>
    )(_(now|right_now|immediately|asap|at_once|today))?
    # do not text me
    | (do_not|dont|never|no_longer)_<contact>((_and|_or)?_<contact>)*(_<person>)*
    | (do_not|dont|never)_send(_me|_us)?(_<kind>)*_<messages>(_<person>)*
    # I don't want any more messages
    | i_(do_not|dont|no_longer)_(want|wish|need)(_to_(receive|get))?(_<kind>)*_<messages>(_<person>)*
    | i_(do_not|dont|no_longer)_(want|wish)_to_be_(texted|contacted|messaged|called)(_by_you)?
    # unsubscribe me from this list, I want to opt out
    | (unsubscribe|un_subscribe|opt_?out|opt_me_out)(_me)?((_from|_of)(_<kind>)*_(<messages>|lists?|this|here|you|all|everything))?
    | (<wish>|let_me|i_am|im|i)_
      (opt_?out|opting_out|unsubscribe|unsubscribing)((_from|_of)(_<kind>)*_(<messages>|lists?|this))?
    | (i_)?(revoke|withdraw)(_my)?_consent | consent_revoked
    # without any word for texts
    | (leave|let)_(me|us)_(alone|be) | go_away | get_lost | lose_(my|this)_number | (fuck|piss)_off
    # A recruit who writes this has not given consent.
    | ((you|u)_(have|got|have_got)_|youve_got_|you_have_|this_is_|its_)?(the_|a_)?wrong_(number|person)
  )(_|$))+$ $regex$;
  part record;
begin
  for part in
    select *
    from (values
      ('<wish>', '(i_want_to|i_would_like_to|id_like_to|i_wish_to|how_do_i|how_can_i|how_to)'),
      ('<contacting>', '(te?xting|messaging|contacting|calling|bothering|bugging|spamming|harassing|writing(_to)?)'),
      ('<contact>', '(te?xt|message|msg|sms|contact|call|bother|disturb|bug|spam|harass|write(_to)?|reach_out(_to)?)'),
      ('<person>', '(me|us|to_me|to_us|from_you|from_us|to_this_number|to_this_phone|this_number|this_phone|my_number|my_phone)'),
      ('<kind>', '(any|all|this|that|these|those|the|your|more|of|such|automated|spam|sms|text|marketing|further)'),
      ('<messages>', '(te?xts?|messages?|msgs?|te?xting|sms|spam|notifications?|alerts?|junk)'),
      ('<contact_data>', '(me|us|my_(name|number|phone_number|phone|info|information|contact(_info)?)|this_number)'),
      ('<from_list>',
        '(off|out|from)(_of|_from)?(_(your|the|this|that|these|any|all|text|texting|message|messages|messaging|contact|contacts|'
        'call|calling|mailing|marketing|sms|phone|email|lists?|database|system|records))*')
    ) as parts (name, expression)
  loop
    sentences := replace(sentences, part.name, part.expression);
  end loop;
  return sentences;
end
$$;

comment on function private.opt_out_sentences() is
  'A regular expression of the sentences that ask for no more texts, in lower case with underscores between the words.';

create function private.is_opt_out_wording(words text) returns boolean
language plpgsql
immutable
set search_path = ''
as $$
declare
  -- These change nothing, wherever they stand.
  fillers constant text :=
    '\m(please|pls|plz|kindly|just|ok|okay|hi|hello|hey|sorry|thanks|thank you|thx|no thanks|no thank you|i '
    'said|again|ever|sir|maam|forever|any ?more|(i am |im )?not interested|(can|could|would|will) you|you (need|have) '
    'to|(i want|i need|i would like|id like) you to)\M';
  telling_words constant text :=
    '\m(stop|s t o p|unsub|opt|cease|remove|delete|erase|unlist|revoke|withdraw|consent|leave|wrong|'
    '(un|quit|cancel|end|no|never|do|dont|take|get|go|let|lose|off)\M)';
begin
  -- No sentence is longer or without any of these words. Nearly all texts end here, and the search takes ten times as
  -- long.
  if length(words) > 100 or words !~ telling_words then
    return false;
  end if;
  return replace(btrim(regexp_replace(regexp_replace(words, fillers, ' ', 'g'), ' +', ' ', 'g')), ' ', '_')
    ~ private.opt_out_sentences();
end
$$;

comment on function private.is_opt_out_wording(text) is
  'Whether these plain_words() are a sentence in English that asks for no more texts, and nothing else.';

create function private.clauses(visible text) returns text
language plpgsql
immutable
set search_path = ''
as $$
declare
  apostrophes constant text := '''`´‘’ʼ＇';
  accents constant text := 'áàâäãéèêëíìîïóòôöõúùûüñç';
  plain constant text := 'aaaaaeeeeiiiiooooouuuunc';
  ends constant text := '[.,;:!?¡¿…|()\n/]+|\m(but|however|although|though|pero)\M';
  words text := lower(normalize(translate(visible, apostrophes, ''), nfkc) collate "C");
begin
  words := regexp_replace(translate(words, accents, plain), ends, ' | ', 'g');
  return '| ' || btrim(regexp_replace(words, '[^a-z0-9|]+', ' ', 'g')) || ' |';
end
$$;

comment on function private.clauses(text) is
  'The clauses of a visible_text(), as `| please stop | i am busy |`: in lower case and ASCII, '
  'without accents and apostrophes. A comma, another mark, a line break and "but" end a clause.';

create function private.wishes_to_end() returns text
language plpgsql
immutable
set search_path = ''
as $$
declare
  wishes text := $regex$(?x)
    # A clause of its own: stop | please stop now | stpo
    \|\s(<filler>\s)*(<stop>|stop\s?all|unsub\w*|unsc?ub?scribe|opt\s?out|quit\sit)(\s(it|this|that|all|now|right\snow|already|immediately|<stop>|<filler>))*\s\|(?!(\ssent\sfrom\s\w+\s\w+\s\|)?\s(by|in|over|at|signs?|the)\M)
    # stop texting me, wherever it stands
    | <may_ask>(<stop>|no\smore)(\s(all|with))?\s<contacting>((\s(and|or))?\s<contacting>)*(\s<whom>)*<no_condition>
    | <may_ask><stop>\s((with|sending|receiving|getting)\s)?((me|us)\s)?(<kind>\s)+<messages>(\s<whom>)*<no_condition>
    | <may_ask><stop>\ssending\s(me|us)\M<no_condition>
    # do not text me
    | <not_about_you>(do\snot|dont|never|no\slonger)\s(ever\s)?<contact>((\s(and|or))?\s<contact>)*(\s<whom>)+<no_condition>(?!\s<now>)
    | \|\s(<filler>\s)*(do\snot|dont|never)\s(ever\s)?(te?xt|message|msg|contact|call)(\s(again|any\s?more|ever|back))?\s\|
    # no more | no more messages | I want no more of this
    | \|\s(<filler>\s)*no\smore((\sof)?\s(<kind>\s)*(<messages>|calls?|please|pls|this|contact|thanks|thank\syou)((\s(or|and))?\s(<messages>|calls?))*)?\s\|
    | \m(no|dont\swant\s(any)?|do\snot\swant\s(any)?|dont\ssend|do\snot\ssend)\s?(me\s)?(any\s)?more\s(<kind>\s)*<messages>\M
    # take me off, remove my number
    | \m(take|remove|delete|get|erase)\s(me|us|him|her|my\s(number|phone|name|info|information|contact)|this\snumber)\s((off|out)\M|from\s(<kind>\s|our\s|contact\s)*(lists?|system|database|records|phone|texts))
    | \|\s(<filler>\s)*(remove|delete|erase|unlist)\s(me|us|my\s(number|phone|info|information))(\s(now|asap|immediately|<filler>))*\s\|
    | \m(leave|let)\s(me|us)\s(the\s\w+\s)?(alone|be)\M | \mlose\s(my|this)\s(number|digits)\M | \|\s(<filler>\s)*(fuck|piss|bug|buzz|go)\s(off|away)\M
    | \m(un\s?subscribe|unsub)\s(me|from|us)\M | \m(i|please|pls|me)\s((want|wish|need|like)\s)?(to\s)?(be\s)?(opt(ed)?|opting)\sout(\s(of|from)\s(<kind>\s)*(<messages>|lists?|this|here|it|all)|\s\||\snow|\splease)
    # who gave you permission
    | \m(never|didnt|did\snot|do\snot|dont|havent|have\snot)\s(gave|given|give|giving)\s(\w+\s){0,3}(permission|consent)\M
    | \m(revoke|withdraw|revoking|withdrawing)\s(my\s|all\s|any\s)?(consent|permission)\M | \m(no|without(\smy)?)\s(permission|consent)\M
    # what follows otherwise
    | \m(report|reporting|reported|block|blocking|sue|suing)\s(you|u|ya|this\s(number|company|spam|as\sspam)|your\s(number|company|agency))\M
    | \m(fcc|ftc|tcpa)\M | \mdo\snot\scall\s(list|registry)\M | \m(hear|hearing|call|calls|letter|contacted)\s(from|by)\s(my|our)\s(attorney|lawyer)
    | \m(call(ing)?|contact(ing)?|get(ting)?|talk(ing)?\sto|going\sto)\s(my|our|an?)\s(attorney|lawyer)\s(if|on|about|and|\|)
    | \m(this|you|its|it|youre|a)\s(is\s|are\s|r\s)?(just\s)?(an?\s)?harass(ing|ment|er)?\M
    # wrong number, in the middle of a sentence
    | \m(you|u)\s(have|got|have\sgot|must\shave|hav)\s(the\s|a\s)?wrong\s(number|person)\M | \m(its|this\sis|thats)\s(the\s|a\s)?wrong\s(number|person)\M
    # Spanish
    | \mno\s(me|nos|le|les)\s(manden?|mandes|envien?|envies|escriban?|escribas|llamen?|llames|contacten?|contactes|molesten?|molestes|texteen?|textees)\M(?!\s(ahora|hoy|antes|hasta|en\s|a\sla))
    | \m(dejen?|deja|paren?|para|parar)\s(ya\s)?de\s(mandar|enviar|escribir|llamar|molestar|textear|contactar)(me|nos|le)?\M
    | \m(dejame|dejeme|dejenme|dejanos)\s(en\spaz|tranquil[oa])\M | \|\s(<filler>\s)*(alto|parar|pare|paren|basta|ya\sno|ya\sbasta|ya\spare|no\smas)(\s(mensajes|textos|por\sfavor|gracias))*\s\|
    | \mno\s(quiero|deseo|necesito)\s(mas|recibir(\smas)?)\s(mensajes|textos|llamadas|nada|esto)\M
    | \m(quit|borr|elimin|sac)(ame|eme|enme|en\smi\snumero|e\smi\snumero)\M | \m(darme|deme|denme)\sde\sbaja\M | \mnumero\sequivocado\M
    $regex$;
  part record;
begin
  for part in
    select *
    from (values
      ('<may_ask>', '(\m(can|could|would|will|should|must|please|pls|plz|want|need|told|asked|tell|make)\s(you|u|yall|them|guys)'
        '(\s(to|please|pls|just|kindly|all|guys))*\s|(?<!\m(dont|not|never|cant|cannot|wont|didnt|doesnt|couldnt|t|i|we|they|he|she|if|when|'
        'why|reply|text|say|says|saying|you|u|havent|hasnt|wouldnt|type|send)\s))\m'),
      ('<not_about_you>', '(?<!\m(you|u|they|people|why|if|he|she|guys|recruiters)\s)\m'),
      ('<no_condition>', '(?!\s<whom>)\M(?!\s(before|until|till|between|during|while|when|whenever|at|on|so|if|unless|by|in|too|after\s'
        '(\d|work|school|hours|noon|dark|midnight|the|eight|nine|ten|five|six|seven)))'),
      ('<now>', '(now|right\snow|today|tonight|tomorrow|yet|and\sdrive|or\sdrive|first|this|later|about|back|your)\M'),
      ('<stop>', '(stop+|stpo|sotp|tsop|stp|sto|s\stop|dtop|atop|stio|stopo|satop|stoip|sttop|sstop|quit|cease|cease\sand\sdesist|discontinue)'),
      ('<contacting>', '(te?xti?ng|texting|messaging|messeging|contacting|calling|bothering|bugging|spamming|harassing|writing|reaching\sout|'
        'hitting\s(me|us)\sup|blowing\sup\smy\sphone)'),
      ('<contact>', '(te?xt|message|msg|sms|contact|call|bother|bug|spam|harass|write|reach\sout|hit|ever\scontact)'),
      ('<whom>', '(to\s)?(me|us|him|her|them|my\s(number|phone|husband|wife|son|daughter|mom|mother|dad|father)|this\s(number|phone|person)|'
        'here|again|any\s?more|ever|please|from\syou|up)\M'),
      ('<kind>', '(any|all|this|that|these|those|the|your|you|more|of|such|automated|spam|sms|text|marketing|further|stupid|damn|so|many|texting|mailing|calling)'),
      ('<messages>', '(te?xts?|messages?|msgs?|te?xting|sms|spam|notifications?|alerts?|junk|contact|list)'),
      ('<filler>', '(please|pls|plz|kindly|just|ok|okay|hi|hello|hey|sorry|thanks|thank\syou|thx|no|and|then|now|yes|yeah|so|i\ssaid|sir|maam|'
        'por\sfavor|gracias|ya|again|any\s?more|forever|bro|man|lol|omg|wtf|seriously|enough)')
    ) as parts (name, expression)
  loop
    wishes := replace(wishes, part.name, part.expression);
  end loop;
  return wishes;
end
$$;

comment on function private.wishes_to_end() is
  'A regular expression of the wishes for no more texts, wherever they stand among private.clauses().';

create function private.wish_to_end(visible text) returns text
language plpgsql
immutable
set search_path = ''
as $$
declare
  telling_words constant text :=
    '\m(stop\w*|stpo|sotp|tsop|stp|sto|dtop|atop|stio|stopo|satop|stoip|sttop|sstop|uns\w+|opt\w*|quit\w*|cease\w*|cancel|end|remove|delete|erase|take|leave|lose|go|get|let|'
    'block\w*|spam\w*|scam\w*|harass\w*|bother\w*|bug\w*|report\w*|fcc|ftc|tcpa|attorneys?|lawyers?|sue|suing|permission|consent|'
    'more|never|dont|not|no|nah|wrong|good|pass|alto|para[rn]?|paren?|basta|dej\w+|ya|quit[ae]\w*|borr\w*|elimin\w*|baja|equivocado)\M';
  maybe constant text := $regex$(?x)
    \m(stop\w*|stpo|sotp|stp|unsub\w*|opt(ing|ed)?\sout|quit|cease\w*|harass\w*|spam\w*|scam\w*|fcc|ftc|tcpa|attorneys?|lawyers?|sue|suing|permission)\M
    | \m(dont|do\snot|never|no\slonger|not\sto)\s(\w+\s)?(te?xt|txt|message|msg|contact|call|write|bother|send|email)\M
    | \mno\smore\M(?!\s(than|questions)) | \mleave\s(me|us)\M | \mbother(ing)?\M | \m(remove|delete|take)\s(me|my|us)\M
    | \|\s((nah|no|hi|hey|sorry|ok|okay|um)\s)*(not\snow|no\sthanks?|no\sthank\syou|no\sty|nah\s(im\s)?good|(im|i\sam)\s(all\s)?good|pass|not\stoday|never\smind|nevermind|ya\sno|no\sgracias)(\s(good|thanks|though|bro|man|ty|sorry|im\sgood))*\s\|
    | \m(never|didnt|did\snot)\s(sign(ed)?\sup|appl(y|ied)|ask(ed)?\sfor\sthis|request(ed)?)\M | \mwrong\s(number|person)\M
    | \mno\sme\s\w+ | \mdejen?\w*\M | \m(basta|paren?)\M | \mblock(ed|ing)?\s(you|u|this)\M
    $regex$;
  text_clauses constant text := private.clauses(left(visible, 1600));
  -- Searching all of a long text would take ten times as long. A person reads one that may be a wish.
  read_clauses constant text := private.clauses(
    left(visible, 480) || case when length(visible) > 480 then '.' || right(visible, 240) else '' end);
begin
  -- Nearly all texts end here.
  if text_clauses !~ telling_words
    -- What a phone writes for a reaction quotes our words.
    or text_clauses ~ '^\| (dis)?(liked|loved|emphasi[sz]ed|questioned|laughed at|removed an?|reacted)\M'
  then
    return null;
  end if;
  if read_clauses ~ private.wishes_to_end()
    -- A person reads a text that asks for another way, or says that it was a mistake.
    and text_clauses !~ '\|\s((please|just|instead|can you|you can|pls)\s)*(text|email|e mail|call|message|write|phone|ring)\s(me|us)\M'
    and text_clauses !~ '\m(by mistake|i meant|wrong chat|meant for)\M'
    and text_clauses !~ '\m(what happens|what if|reply stop|to opt out|am i the wrong|is this the wrong|not the wrong)\M'
  then
    return 'opted_out';
  end if;
  if text_clauses ~ maybe and regexp_replace(text_clauses, $regex$(?x)
      \m(
        stop\s(signs?|lights?|light|watch|the\spresses|by|in|over|at|working|smoking|drinking)
        | (dont|do\snot|cant|cannot|can\snot|never|wont|didnt|did\snot|couldnt)\sstop\w*
        | (can|could|will|ill|may|to|i|ill\sjust|going\sto|gonna|we)\sstop\s(by|in|over) | (bus|non|truck|one|pit|full|short|next|last)\sstops? | stopped\s(by|working|at|in|doing|selling)
        | (quit|quitting|to\squit)\s(my|the|that|a|working|smoking|drinking|last|job|at|from|in) | i\squit | just\squit
        | (im|i\sam|as|became|become|being|was)\s(an?\s)?(\w+\s)?(attorney|lawyer) | (an?\s)?(attorney|lawyer)s?\s(office|firm) | power\sof\sattorney | paralegal
        | (have|has|got|with|get|ask|need|give|gave|given)\s(\w+\s)?permission
        | (dont|do\snot|never)\s(\w+\s)?(call|text|email)\s(it|that|people|clients|leads|customers|strangers) | cold\scall\w*
        | (worked|work|sell|sold|deal)\s\w*\s?spam
      )\M $regex$, ' ', 'g') ~ maybe
  then
    return 'may_opt_out';
  end if;
  return null;
end
$$;

comment on function private.wish_to_end(text) is
  'Whether a visible_text() asks for no more texts, in any words, in English or Spanish: `opted_out`; `may_opt_out` where it may '
  'and may not, which a person reads; else null. A wish is looked for '
  'in the first 480 characters and the last 240, what may be one in the first 1,600.';

create function private.opt_keyword(words text) returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return case
    -- Twilio's words (https://www.twilio.com/docs/messaging/tutorials/advanced-opt-out), and those of the law.
    when words in ('stop', 'stopall', 'stop all', 'unsubscribe', 'cancel', 'end', 'quit', 'revoke', 'optout', 'opt out')
      then 'opted_out'
    when words in ('start', 'unstop', 'yes') then 'opted_in'
  end;
end
$$;

comment on function private.opt_keyword(text) is
  'The consent that these plain_words() give or take back when they are a keyword: opted_in, opted_out or null.';

-- supabase/schemas/texting/tables.sql

-- Our numbers, conversations with recruits, their messages and delivery callbacks, and their consents.

create table public.service_numbers (
  phone public.service_phone primary key,
  agency_id uuid not null references public.agencies (id),
  messaging_service_sid text check (messaging_service_sid ~ '^MG[0-9a-f]{32}$'),
  segments_per_second numeric not null default 1 check (segments_per_second > 0 and segments_per_second < 'infinity'),
  status text not null default 'active' check (status in ('active', 'paused')),
  paused_reason text,
  busy_until timestamptz not null default '-infinity',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create index on public.service_numbers (agency_id);

comment on table public.service_numbers is
  'The numbers that texts are sent from, each with its agency. A text whose number is not here is never sent.';
comment on column public.service_numbers.phone is 'E.164, or a short code of 5 or 6 digits.';
comment on column public.service_numbers.messaging_service_sid is
  'The SMS provider''s messaging service that the number is sent through; null: the number alone.';
comment on column public.service_numbers.segments_per_second is
  'The number of segments that may be sent in a second. A long text has several.';
comment on column public.service_numbers.status is 'A `paused` number takes texts and holds them.';
comment on column public.service_numbers.paused_reason is
  'Why it is paused, such as the provider''s error code; null while it is active.';
comment on column public.service_numbers.busy_until is
  'When what has been claimed for this number is sent, at its rate. Set by claim_texts().';

create trigger set_updated_at
  before update on public.service_numbers
  for each row execute function private.set_updated_at();

alter table public.service_numbers enable row level security;
grant select on public.service_numbers to authenticated;
grant select, insert, update, delete on public.service_numbers to service_role;

create policy "managers read their agency's numbers" on public.service_numbers
  for select to authenticated
  using (agency_id = (select private.managed_agency_id()));

create table public.recruiting_conversations (
  id uuid primary key default gen_random_uuid(),
  recruiting_lead_id uuid references public.recruiting_leads (id) on delete set null,
  agency_id uuid not null references public.agencies (id),
  recruit_phone public.e164 not null,
  service_phone public.service_phone not null,
  status text not null default 'bot' check (status in ('bot', 'escalated')),
  assigned_agent_id uuid,
  last_message_at timestamptz,
  last_text_at timestamptz not null default now(),
  waiting_since timestamptz,
  snoozed_until timestamptz,
  due_since timestamptz generated always as (coalesce(waiting_since, snoozed_until)) stored,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (recruit_phone, service_phone),
  foreign key (assigned_agent_id, agency_id) references public.agents (id, agency_id),
  check (status <> 'escalated' or assigned_agent_id is not null)
);

create index on public.recruiting_conversations (recruiting_lead_id);
-- The pages of the inbox: the latest first, and the conversation that has been due longest first.
create index on public.recruiting_conversations (agency_id, last_text_at, id);
create index recruiting_conversations_due_idx on public.recruiting_conversations (agency_id, due_since, id)
  where due_since is not null;
create index on public.recruiting_conversations (assigned_agent_id, agency_id);
-- The use of each of our numbers.
create index on public.recruiting_conversations (service_phone, created_at);

comment on table public.recruiting_conversations is
  'A text conversation with a recruit: one for each pair of a recruit''s number and one of our numbers.';
comment on column public.recruiting_conversations.recruiting_lead_id is 'The recruit; null: no lead is known, or it was deleted or returned.';
comment on column public.recruiting_conversations.assigned_agent_id is 'The agent who answers once the conversation is escalated.';
comment on column public.recruiting_conversations.recruit_phone is
  'The recruit''s number, as the SMS provider writes it in From: E.164 (ITU-T).';
comment on column public.recruiting_conversations.service_phone is
  'Our number, as the SMS provider writes it in To: E.164, or a short code of 5 or 6 digits. A text to a messaging '
  'service also has a number there.';
comment on column public.recruiting_conversations.status is
  '`bot`: answered automatically; `escalated`: the assigned agent has taken over.';
comment on column public.recruiting_conversations.last_message_at is 'When the last inbound message was stored.';
comment on column public.recruiting_conversations.last_text_at is
  'The time of the latest text of either side; before the first one, when the conversation was made.';
comment on column public.recruiting_conversations.waiting_since is
  'Since when the recruit waits for an answer: their first text since ours; null: nobody waits.';
comment on column public.recruiting_conversations.snoozed_until is
  'Until when an agent has put the conversation off; it is due again then, also where the recruit does not wait. Null: nobody '
  'has. A text of the recruit or of an agent ends it.';
comment on column public.recruiting_conversations.due_since is
  'The place in the queue: waiting_since, else snoozed_until. Null: the conversation is not in the queue.';

create trigger set_updated_at
  before update on public.recruiting_conversations
  for each row execute function private.set_updated_at();

alter table public.recruiting_conversations enable row level security;
grant select on public.recruiting_conversations to authenticated;
grant select, insert, update, delete on public.recruiting_conversations to service_role;

create policy "agents read their conversations, managers their agency's" on public.recruiting_conversations
  for select to authenticated
  using (
    assigned_agent_id = (select private.current_agent_id())
    or agency_id = (select private.managed_agency_id())
    or exists (
      select
      from public.recruiting_leads l
      where l.id = recruiting_conversations.recruiting_lead_id
        and l.agent_id = (select private.current_agent_id())
    )
  );

create table public.conversation_reads (
  conversation_id uuid not null references public.recruiting_conversations (id) on delete cascade,
  agent_id uuid not null references public.agents (id) on delete cascade,
  read_up_to timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (conversation_id, agent_id)
);

create index on public.conversation_reads (agent_id);

comment on table public.conversation_reads is 'The place up to which each agent has read a conversation. read_conversation() writes it.';
comment on column public.conversation_reads.read_up_to is 'The created_at of the latest text that the agent has read.';

create trigger set_updated_at
  before update on public.conversation_reads
  for each row execute function private.set_updated_at();

alter table public.conversation_reads enable row level security;
grant select on public.conversation_reads to authenticated;
grant select, insert, update, delete on public.conversation_reads to service_role;

create policy "agents read how far they have read, managers how far their agents have" on public.conversation_reads
  for select to authenticated
  using (
    agent_id = (select private.current_agent_id())
    or agent_id in (select a.id from public.agents a where a.agency_id = (select private.managed_agency_id()))
  );

create table public.recruiting_messages (
  id uuid primary key default gen_random_uuid(),
  conversation_id uuid not null references public.recruiting_conversations (id) on delete cascade,
  direction text not null check (direction in ('inbound', 'outbound')),
  sender_type text not null check (sender_type in ('recruit', 'bot', 'agent')),
  -- No foreign key: its check would have each text of a recruit wait while the agents are locked.
  sent_by uuid,
  provider_message_id text unique check (length(provider_message_id) <= 512),
  body text,
  media jsonb not null default '[]' check (jsonb_typeof(media) = 'array'),
  heard text,
  status text check (status in ('queued', 'sent', 'delivered', 'failed')),
  error_code text,
  sent_at timestamptz,
  delivered_at timestamptz,
  failed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((direction = 'inbound') = (sender_type = 'recruit')),
  check (heard is null or direction = 'inbound'),
  check (sent_by is null or sender_type = 'agent')
);

create index on public.recruiting_messages (conversation_id, created_at);
-- A recruit may write thousands of texts, and we do not.
create index recruiting_messages_outbound_idx on public.recruiting_messages (conversation_id, created_at)
  where direction = 'outbound';
-- Most texts are a recruit's, or the bot's.
create index recruiting_messages_sent_by_idx on public.recruiting_messages (sent_by) where sent_by is not null;
-- The conversations in which one of our texts has failed.
create index recruiting_messages_undelivered_idx on public.recruiting_messages (conversation_id, created_at)
  where direction = 'outbound' and status = 'failed';
-- For alerts: whether one of our texts has failed.
create index recruiting_messages_failed_idx on public.recruiting_messages (id)
  where direction = 'outbound' and status = 'failed';

comment on table public.recruiting_messages is 'A text message from or to a recruit.';
comment on column public.recruiting_messages.direction is '`inbound`: from the recruit; `outbound`: from us.';
comment on column public.recruiting_messages.sender_type is 'The writer: `recruit`, `bot` or `agent`.';
comment on column public.recruiting_messages.sent_by is
  'The agent who wrote it; null for a recruit''s and the bot''s, and for texts of before this was kept.';
comment on column public.recruiting_messages.provider_message_id is
  'The SMS provider''s MessageSid; null for an outbound message that the provider has not accepted yet.';
comment on column public.recruiting_messages.body is 'Exactly as sent; null or empty when the message has only media.';
comment on column public.recruiting_messages.media is 'Array of {url, content_type}.';
comment on column public.recruiting_messages.heard is
  'How the bot read a recruit''s text: `answer`; `no_answer`; `early`: it came before the question had left, so that it is no '
  'answer to it; `opening`: the bot then asked its first question, or asked again; `person`, `question`, `about`, `help`, '
  '`not_interested`, or the reason for which a person reads it (bot_sessions.reason). Null: the bot did not read it.';
comment on column public.recruiting_messages.status is
  'Delivery status from the last callback. Before the first one: null, queued once the provider has accepted one of our texts, '
  'or failed when it was not sent.';
comment on column public.recruiting_messages.error_code is
  'Error code of the last callback that had one, or why one of our texts was not sent.';
comment on column public.recruiting_messages.sent_at is
  'When the first callback with the status sent came. delivered_at and failed_at likewise.';

create trigger set_updated_at
  before update on public.recruiting_messages
  for each row execute function private.set_updated_at();

alter table public.recruiting_messages enable row level security;
grant select on public.recruiting_messages to authenticated;
grant select, insert, update, delete on public.recruiting_messages to service_role;

create function private.refuse_removal_of_writer() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if exists (select from public.recruiting_messages m where m.sent_by = old.id) then
    raise exception 'it has recruiting_messages' using errcode = 'PT409';
  end if;
  return old;
end
$$;

comment on function private.refuse_removal_of_writer() is
  'Trigger: an agent who has written a text stays. A text has no foreign key for its writer.';

create trigger refuse_removal_of_writer
  before delete on public.agents
  for each row execute function private.refuse_removal_of_writer();

create policy "readers of a conversation read its messages" on public.recruiting_messages
  for select to authenticated
  using (
    exists (
      select from public.recruiting_conversations c where c.id = recruiting_messages.conversation_id
    )
  );

create table public.recruiting_message_events (
  id uuid primary key default gen_random_uuid(),
  provider_message_id text not null check (length(provider_message_id) <= 512),
  provider_status text,
  status text check (status in ('queued', 'sent', 'delivered', 'failed')),
  error_code text,
  received_at timestamptz not null default clock_timestamp()
);

create index on public.recruiting_message_events (provider_message_id, received_at);

comment on table public.recruiting_message_events is
  'Every delivery callback of the SMS provider, also for unknown messages. Rows are added, and go only with their message.';
comment on column public.recruiting_message_events.status is
  'The delivery status that provider_status stands for; null when it stands for none.';

alter table public.recruiting_message_events enable row level security;
grant select, insert, delete on public.recruiting_message_events to service_role;

create table public.text_consents (
  agency_id uuid not null references public.agencies (id),
  phone public.e164 not null,
  state public.consent_state not null,
  source text not null,
  changed_at timestamptz not null default clock_timestamp(),
  created_at timestamptz not null default now(),
  primary key (agency_id, phone)
);

-- For a reader who has a number and not the agency: an agent's page, and the admin command.
create index on public.text_consents (phone);

comment on table public.text_consents is
  'Whether a recruit may be texted by an agency, from any of its numbers. Without a row nothing has been said. '
  'record_consent() writes it from text_consent_events, which has the proof.';
comment on column public.text_consents.phone is 'The recruit''s number: E.164 (ITU-T).';
comment on column public.text_consents.source is 'As in the event that decided.';
comment on column public.text_consents.changed_at is
  'When it was said. What was said earlier and is stored later changes nothing.';

alter table public.text_consents enable row level security;
grant select on public.text_consents to authenticated;
grant select, insert, update, delete on public.text_consents to service_role;

create policy "readers of a conversation read its consent, managers their agency's" on public.text_consents
  for select to authenticated
  using (
    agency_id = (select private.managed_agency_id())
    or exists (
      select
      from public.recruiting_conversations c
      where c.recruit_phone = text_consents.phone and c.agency_id = text_consents.agency_id
    )
  );

create table public.text_consent_events (
  id uuid primary key default gen_random_uuid(),
  agency_id uuid not null references public.agencies (id),
  phone public.e164 not null,
  state public.consent_state not null,
  source text not null check (source in ('keyword', 'wording', 'provider', 'manager', 'admin')),
  words text,
  message_id uuid,
  agent_id uuid,
  reason text check (btrim(reason) <> ''),
  occurred_at timestamptz not null default clock_timestamp(),
  created_at timestamptz not null default clock_timestamp(),
  foreign key (agent_id, agency_id) references public.agents (id, agency_id),
  -- Nobody but the recruit changes a consent without saying why.
  check (source not in ('manager', 'admin') or reason is not null),
  check ((source = 'manager') = (agent_id is not null)),
  -- A text says one thing, however often it is stored or taken over.
  unique (agency_id, message_id)
);

create index on public.text_consent_events (agency_id, phone, occurred_at);
create index on public.text_consent_events (agent_id, agency_id) where agent_id is not null;
-- For alerts: an agency's latest opt-outs.
create index text_consent_events_opted_out_idx on public.text_consent_events (agency_id, occurred_at) where state = 'opted_out';

comment on table public.text_consent_events is
  'Each opt-in and opt-out with its proof. Rows are added and never changed or removed.';
comment on column public.text_consent_events.source is
  '`keyword`: a word such as STOP; `wording`: a sentence such as "stop texting me"; `provider`: Twilio''s OptOutType or '
  'its error 21610; `manager`: a manager of the agency, with a reason; `admin`: the admin command, with a reason.';
comment on column public.text_consent_events.words is
  'The text that was the reason, exactly as sent; null: there was none.';
comment on column public.text_consent_events.message_id is
  'The message that was the reason: the recruit''s text, or ours that the provider refused. It may have been deleted '
  'since.';
comment on column public.text_consent_events.agent_id is 'The manager who recorded it.';
comment on column public.text_consent_events.occurred_at is
  'When it was said. The latest event of a recruit decides.';

alter table public.text_consent_events enable row level security;
grant select on public.text_consent_events to authenticated;
grant select, insert on public.text_consent_events to service_role;

create policy "readers of a conversation read its consents, managers their agency's" on public.text_consent_events
  for select to authenticated
  using (
    agency_id = (select private.managed_agency_id())
    or exists (
      select
      from public.recruiting_conversations c
      where c.recruit_phone = text_consent_events.phone and c.agency_id = text_consent_events.agency_id
    )
  );

create function private.clear_paused_reason() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.paused_reason := null;
  return new;
end
$$;

comment on function private.clear_paused_reason() is 'Trigger: an active number has no paused_reason.';

create trigger clear_paused_reason
  before insert or update on public.service_numbers
  for each row when (new.status = 'active' and new.paused_reason is not null)
  execute function private.clear_paused_reason();

create function private.pause_number(phone text, reason text) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.service_numbers n
  set status = 'paused', paused_reason = reason
  where n.phone = pause_number.phone and n.status = 'active';
end
$$;

comment on function private.pause_number(text, text) is
  'Pauses one of our numbers that may not send. reason: the provider''s code.';

-- supabase/schemas/texting/unmatched_texts.sql

-- Texts from a pair of numbers that has no conversation yet.
--
-- A text and the conversation of its numbers may come at the same moment. Both therefore first take a lock on the pair,
-- and then look for what the other one stored. So the second always sees the first. Many conversations may be made in
-- one transaction, so a pair stands for one of 1,024 locks, as a consent does.

create table public.unmatched_texts (
  id uuid primary key default gen_random_uuid(),
  message_sid text unique check (length(message_sid) <= 512),
  recruit_phone text,
  service_phone text,
  body text,
  media jsonb not null default '[]' check (jsonb_typeof(media) = 'array'),
  opt_out_type text,
  consent text generated always as ((private.consent_in_text(body, opt_out_type)).state) stored,
  received_at timestamptz not null default clock_timestamp(),
  copies_media boolean not null default false
);

-- For the take-over, in portions. Only a From and a To of this length can have a conversation.
create index unmatched_texts_numbers_idx on public.unmatched_texts (recruit_phone, service_phone, received_at, id)
  where length(recruit_phone) <= 16 and length(service_phone) <= 16;
create index unmatched_texts_consents_idx on public.unmatched_texts (recruit_phone, service_phone, received_at)
  where length(recruit_phone) <= 16 and length(service_phone) <= 16 and consent is not null;
-- A hash index takes a From or To of any length.
create index on public.unmatched_texts using hash (recruit_phone);
create index on public.unmatched_texts using hash (service_phone) where consent is not null;
create index on public.unmatched_texts (received_at);
-- For alerts: the opt-outs by number. A To of more characters is no number.
create index unmatched_texts_opt_outs_idx on public.unmatched_texts (coalesce(left(service_phone, 17), ''), received_at)
  where consent = 'opted_out';
-- The texts to their agency's numbers, which agents read. A longer To is no number, and would be too long for the index.
create index unmatched_texts_waiting_idx on public.unmatched_texts (service_phone, received_at)
  where length(service_phone) <= 16;

comment on table public.unmatched_texts is
  'Inbound texts that were answered `no_conversation`. When the conversation of their two numbers is made, they become '
  'its messages and are removed here.';
comment on column public.unmatched_texts.message_sid is 'The SMS provider''s MessageSid; null when there was none.';
comment on column public.unmatched_texts.recruit_phone is 'From, as received; null when there was none.';
comment on column public.unmatched_texts.service_phone is 'To, as received; null when there was none.';
comment on column public.unmatched_texts.body is 'Exactly as sent; null or empty when the text has only media.';
comment on column public.unmatched_texts.media is 'Array of {url, content_type}.';
comment on column public.unmatched_texts.opt_out_type is 'Twilio''s OptOutType, as received; null when there was none.';
comment on column public.unmatched_texts.copies_media is 'Whether its files are copied once it has a conversation.';
comment on column public.unmatched_texts.consent is
  'The consent that the text gives or withdraws: opted_in or opted_out. It holds when an agency gets the text or the number.';

alter table public.unmatched_texts enable row level security;
grant select on public.unmatched_texts to authenticated;
grant select, insert, update, delete on public.unmatched_texts to service_role;

create table private.waiting_take_overs (
  conversation_id uuid primary key references public.recruiting_conversations (id) on delete cascade,
  due_at timestamptz not null default now(),
  attempt integer not null default 0,
  created_at timestamptz not null default clock_timestamp()
);

create index on private.waiting_take_overs (due_at);

comment on table private.waiting_take_overs is
  'Conversations that have more unmatched texts than were taken over when they were made. Columns as in waiting_greetings.';

alter table private.waiting_take_overs enable row level security;
grant select, insert, update, delete on private.waiting_take_overs to service_role;

create function private.lock_conversation(recruit_phone text, service_phone text) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(
    hashtextextended('recruiting conversation', 0)
      + (hashtextextended(format('%s %s', recruit_phone, service_phone), 0) & 1023));
end
$$;

comment on function private.lock_conversation(text, text) is
  'Makes every other transaction that makes the conversation of these numbers, or finds that there is none, wait until '
  'this one ends. Other pairs have the same lock: there are 1,024.';

create function private.take_over_texts() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.take_over_portion(new);
  return null;
end
$$;

comment on function private.take_over_texts() is
  'Trigger: the unmatched texts of a new conversation become its inbound messages, with the time they were received at. The '
  'worker goes on where there are more than a portion.';

create function private.take_over_portion(conversation public.recruiting_conversations) returns void
language plpgsql
set search_path = ''
as $$
declare
  -- Taken over in less than a second. Nobody waits for thousands of texts of one number.
  portion constant integer := 1000;
  texts public.unmatched_texts[];
begin
  -- In the order of receive_sms().
  perform private.lock_consent(conversation.agency_id, conversation.recruit_phone);
  perform private.lock_conversation(conversation.recruit_phone, conversation.service_phone);
  with taken as (
    delete from public.unmatched_texts t
    where t.id = any (private.oldest_unmatched(conversation, portion))
    returning t as text
  )
  select array_agg(t.text) into texts from taken t;

  if cardinality(texts) = portion then
    insert into private.waiting_take_overs as w (conversation_id) values (conversation.id)
    on conflict on constraint waiting_take_overs_pkey do update set due_at = excluded.due_at, attempt = 0;
    -- The consents in the newest hold at once: one may be an opt-out.
    perform private.record_consents_in_texts(
      conversation.agency_id, conversation.recruit_phone,
      texts || private.newest_unmatched_consents(conversation, portion));
  else
    delete from private.waiting_take_overs w where w.conversation_id = conversation.id;
  end if;
  perform private.store_texts(conversation, texts);
end
$$;

comment on function private.take_over_portion(public.recruiting_conversations) is
  'Takes over up to 1,000 of a conversation''s unmatched texts, the oldest first. Where there may be more, the conversation '
  'stands in waiting_take_overs; the consents in the newest 1,000 that have one hold anyway.';

create function private.oldest_unmatched(conversation public.recruiting_conversations, max integer) returns uuid[]
language plpgsql
stable
set search_path = ''
-- By the index in its order, as in claim.sql.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
begin
  return array(
    select t.id
    from public.unmatched_texts t
    where t.recruit_phone = conversation.recruit_phone and length(t.recruit_phone) <= 16
      and t.service_phone = conversation.service_phone and length(t.service_phone) <= 16
    order by t.received_at, t.id
    limit oldest_unmatched.max
  );
end
$$;

comment on function private.oldest_unmatched(public.recruiting_conversations, integer) is
  'The ids of up to max unmatched texts of a conversation''s numbers, the oldest first.';

create function private.newest_unmatched_consents(conversation public.recruiting_conversations, max integer)
returns public.unmatched_texts[]
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
begin
  return array(
    select t
    from public.unmatched_texts t
    where t.recruit_phone = conversation.recruit_phone and length(t.recruit_phone) <= 16
      and t.service_phone = conversation.service_phone and length(t.service_phone) <= 16
      and t.consent is not null
    order by t.received_at desc
    limit newest_unmatched_consents.max
  );
end
$$;

comment on function private.newest_unmatched_consents(public.recruiting_conversations, integer) is
  'Up to max unmatched texts of a conversation''s numbers that give or take back a consent, the newest first.';

create trigger take_over_texts
  after insert on public.recruiting_conversations
  for each row execute function private.take_over_texts();

create trigger take_over_texts_of_changed_numbers
  after update of recruit_phone, service_phone on public.recruiting_conversations
  for each row when (
    (new.recruit_phone, new.service_phone) is distinct from (old.recruit_phone, old.service_phone)
  )
  execute function private.take_over_texts();

create function public.claim_take_overs(max integer) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  claimed jsonb;
begin
  with taken as (
    update private.waiting_take_overs w
    set attempt = w.attempt + 1, due_at = now() + interval '1 minute' * 2 ^ least(w.attempt, 10)
    where w.conversation_id = any (array(
      select due.conversation_id
      from private.waiting_take_overs due
      where due.due_at <= now()
      order by due.due_at
      limit claim_take_overs.max
      for update skip locked
    ))
    returning w.conversation_id
  )
  select coalesce(jsonb_agg(t.conversation_id), '[]') into claimed from taken t;
  return claimed;
end
$$;

comment on function public.claim_take_overs(integer) is
  'Gives the worker up to max conversations that have more unmatched texts to take over, for take_over_texts(): '
  '[conversation_id], those that have waited longest. What fails is due again after 1, 2, 4, 8 minutes and so on.';
grant execute on function public.claim_take_overs(integer) to service_role;

create function public.take_over_texts(id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  conversation public.recruiting_conversations;
begin
  select c.* into conversation from public.recruiting_conversations c where c.id = take_over_texts.id;
  if found then
    perform private.take_over_portion(conversation);
  end if;
end
$$;

comment on function public.take_over_texts(uuid) is
  'Takes over the next portion of a conversation''s unmatched texts. Where there may be more, it is due again at once. A '
  'conversation that there is not is passed over.';
grant execute on function public.take_over_texts(uuid) to service_role;

-- The unmatched texts that agents read.

create function private.own_service_phones() returns text[]
language sql
stable
security definer
set search_path = ''
as $$
  select array(select n.phone::text from public.service_numbers n where n.agency_id = private.current_agency_id())
$$;

comment on function private.own_service_phones() is
  'The numbers of the agency of the active agent who is signed in. '
  'Security definer because agents may not read the numbers of their agency. Only the policy of unmatched_texts calls '
  'it.';
grant execute on function private.own_service_phones() to authenticated;

-- As start_conversation() decides, which makes messages of them.
create policy "a recruit's agent and managers read texts to their agency" on public.unmatched_texts
  for select to authenticated
  using (
    length(service_phone) <= 16
    and service_phone = any ((select private.own_service_phones())::text[])
    -- Not by exists(): the planner would read all recruits for one page.
    and (
      select true
      from public.recruiting_leads l
      where l.agency_id = (select private.current_agency_id())
        and l.phone = unmatched_texts.recruit_phone
        and length(l.phone) <= 16
        and (l.agent_id = (select private.current_agent_id()) or l.agency_id = (select private.managed_agency_id()))
      limit 1
    )
  );

create view public.waiting_texts with (security_invoker = true) as
select t.id, l.agency_id, l.id as recruiting_lead_id, concat_ws(' ', l.first_name, l.last_name) as name, l.state, l.agent_id,
  nullif(concat_ws(' ', a.first_name, a.last_name), '') as agent, t.recruit_phone, t.service_phone, t.body, t.media, t.consent,
  t.received_at
from public.unmatched_texts t
cross join lateral (
  select r.*
  from public.recruiting_leads r
  where r.agency_id = (select private.current_agency_id()) and r.phone = t.recruit_phone and length(r.phone) <= 16
  order by r.distributed_at desc nulls last, r.id
  limit 1
) l
left join public.agents a on a.id = l.agent_id;

comment on view public.waiting_texts is
  'Texts of known recruits to a number of their agency that have no conversation yet, as the signed-in agent reads them: '
  'the recruit''s agent and the agency''s managers. With the recruit and the recruit''s agent; the rest as in '
  'unmatched_texts. start_conversation() makes messages of them. Ask for pages by the last row: ordered by received_at and id.';
grant select on public.waiting_texts to authenticated;

-- supabase/schemas/texting/media_copies.sql

-- The files of recruits' texts: the worker copies each from the provider into the bucket `text-media`.
--
-- | from | by | to |
-- | --- | --- | --- |
-- | a text with files is stored | store_texts() | waiting, due |
-- | waiting, due | claim_media_copies() | waiting, leased for 60 seconds |
-- | waiting, its lease is over | the same: its worker is dead | waiting, leased; the same file is stored again |
-- | waiting, for a day and after 5 attempts | the same | failed, with the reason of the last attempt |
-- | waiting, leased | outcome `copied` | copied |
-- | waiting, leased | outcome `failed` | failed |
-- | waiting, leased | outcome `later` | waiting, due after a pause that grows to an hour |
-- | failed, because the provider did not give it | queue_media_copies() | waiting, due |

create table public.media_copies (
  message_id uuid not null references public.recruiting_messages (id) on delete cascade,
  position integer not null check (position >= 0),
  state text not null default 'waiting' check (state in ('waiting', 'copied', 'failed')),
  path text,
  content_type text,
  reason text,
  due_at timestamptz not null default now(),
  attempt integer not null default 0,
  lease_until timestamptz check (lease_until is null or state = 'waiting'),
  created_at timestamptz not null default now(),
  queued_at timestamptz not null default now(),
  primary key (message_id, position),
  check ((state = 'copied') = (path is not null)),
  check ((path is null) = (content_type is null)),
  check (state <> 'failed' or reason is not null)
);

create index on public.media_copies (due_at) where state = 'waiting';

comment on table public.media_copies is
  'The files of recruits'' texts, and how far the copy of each has come. The table has none of a text that came while no '
  'account at the provider was set.';
comment on column public.media_copies.position is 'The place of the file in recruiting_messages.media, from 0.';
comment on column public.media_copies.path is 'The name of the copy in the bucket `text-media`; null: there is none.';
comment on column public.media_copies.content_type is 'The type by the content of the file, whatever the provider says.';
comment on column public.media_copies.reason is
  'Why there is no copy, or why the last attempt failed: `too_large`, `type` (of no type that is kept), `gone`, '
  '`address` (not at the provider, or sent on to where nothing is fetched), `credentials`, `no_connection`, `lost`, '
  '`storage` or `HTTP <status>`.';
comment on column public.media_copies.attempt is 'The number of times that it was claimed since queued_at.';
comment on column public.media_copies.lease_until is 'Until when a worker has it; null: no worker does.';

alter table public.media_copies enable row level security;
grant select on public.media_copies to authenticated;
grant select, insert, update, delete on public.media_copies to service_role;

create policy "readers of a message read of its files" on public.media_copies
  for select to authenticated
  using (exists (select from public.recruiting_messages m where m.id = media_copies.message_id));

create function private.is_media_due() returns boolean
language plpgsql
stable
set search_path = ''
-- By the index of what waits, also while the planner does not know how little that is.
set enable_seqscan = off
as $$
begin
  return exists (select from public.media_copies c where c.state = 'waiting' and c.due_at <= now());
end
$$;

comment on function private.is_media_due() is 'Whether the worker would find a file to copy.';

create function public.claim_media_copies(max integer) returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  claimed jsonb;
begin
  with due as (
    select
      c.message_id, c.position,
      c.queued_at <= now() - interval '1 day' and c.attempt >= 5 as is_over
    from public.media_copies c
    where c.state = 'waiting' and c.due_at <= now()
    order by c.due_at
    limit claim_media_copies.max
    for update skip locked
  ), taken as (
    update public.media_copies c
    set
      state = case when due.is_over then 'failed' else 'waiting' end,
      reason = case when due.is_over then coalesce(c.reason, 'worker_died') else c.reason end,
      attempt = c.attempt + 1,
      lease_until = case when due.is_over then null else now() + interval '1 minute' end,
      -- A file that ends its worker is rare then.
      due_at = now() + interval '1 minute' * 2 ^ least(c.attempt, 6)
    from due
    where c.message_id = due.message_id and c.position = due.position
    returning c.message_id, c.position, c.attempt, c.state
  )
  select coalesce(
    jsonb_agg(jsonb_build_object(
      'message_id', t.message_id, 'position', t.position, 'attempt', t.attempt,
      'url', m.media -> t.position ->> 'url', 'path', format('%s/%s-%s', m.conversation_id, t.message_id, t.position))),
    '[]')
  into claimed
  from taken t
  join public.recruiting_messages m on m.id = t.message_id
  where t.state = 'waiting';
  return claimed;
end
$$;

comment on function public.claim_media_copies(integer) is
  'Gives the worker up to max files to copy, each for 60 seconds: [{message_id, position, attempt, url, path}]. url: where the '
  'provider has it. path: its name in the bucket `text-media`. attempt is for record_media_copy(). The copy of a worker that '
  'has died is due again after 1, 2, 4 minutes and so on. A file that was not had in a day and 5 attempts is failed.';

create function public.record_media_copy(
  message_id uuid,
  "position" integer,
  attempt integer,
  outcome text,
  path text default null,
  content_type text default null,
  reason text default null
) returns text
language plpgsql
set search_path = ''
as $$
declare
  claimed public.media_copies;
begin
  select c.* into claimed
  from public.media_copies c
  where c.message_id = record_media_copy.message_id and c.position = record_media_copy.position
  for update;
  if not found then
    return null;
  elsif outcome not in ('copied', 'failed', 'later') then
    raise exception 'outcome: "%" is unknown', private.quoted(outcome) using errcode = 'invalid_parameter_value';
  -- A copy that is there counts, however late it came.
  elsif claimed.state = 'copied' or claimed.attempt <> record_media_copy.attempt and outcome <> 'copied' then
    return claimed.state;
  end if;

  update public.media_copies c
  set
    state = case outcome when 'later' then c.state else outcome end,
    path = record_media_copy.path,
    content_type = record_media_copy.content_type,
    reason = record_media_copy.reason,
    lease_until = null,
    due_at = case outcome
      when 'later' then now() + make_interval(secs => least(10 * 2 ^ least(c.attempt - 1, 9), 3600))
      else c.due_at
    end
  where c.message_id = claimed.message_id and c.position = claimed.position
  returning c.* into claimed;
  return claimed.state;
end
$$;

comment on function public.record_media_copy(uuid, integer, integer, text, text, text, text) is
  'Records what became of a file. attempt is that of claim_media_copies(). outcome: `copied` with its path and '
  'content_type; `failed` with the reason; `later` with the reason: it is due again after a pause that grows from 10 '
  'seconds to an hour. Returns the state in which it is left. null: the text was deleted, and the caller removes the '
  'copy. A late report changes nothing unless it was copied. 22023 for an unknown outcome.';

create function public.queue_media_copies(message_sids text[]) returns integer
language plpgsql
set search_path = ''
as $$
declare
  queued integer;
begin
  -- Those whose conversation is made later are copied then.
  update public.unmatched_texts t
  set copies_media = true
  where t.message_sid = any (message_sids) and t.media <> '[]' and not t.copies_media;

  insert into public.media_copies as c (message_id, position)
  select m.id, p.position - 1
  from public.recruiting_messages m
  cross join lateral jsonb_array_elements(m.media) with ordinality p (file, position)
  where m.provider_message_id = any (message_sids) and m.direction = 'inbound'
  on conflict on constraint media_copies_pkey do update
  set state = 'waiting', due_at = now(), attempt = 0, queued_at = now()
  -- The others are the same at the next attempt.
  where c.state = 'failed' and c.reason not in ('too_large', 'type', 'address');
  get diagnostics queued = row_count;
  return queued;
end
$$;

comment on function public.queue_media_copies(text[]) is
  'Queues the files of stored texts of recruits that have no copy: those that were never queued, and those that the provider '
  'did not give. Returns how many. message_sids: the SMS provider''s ids of the texts; an id of another text is passed over.';

grant execute on function public.claim_media_copies(integer),
  public.record_media_copy(uuid, integer, integer, text, text, text, text), public.queue_media_copies(text[]) to service_role;

-- supabase/schemas/texting/consent.sql

-- Consents: the words of recruits and managers, and the state that holds now.
--
-- A consent is one agency's, over all its numbers. A transaction that changes it, or sends a text by it, holds its
-- lock, so that no text is sent after an opt-out was stored. So that there are no deadlocks, locks are taken in this
-- order: the consent, conversations by their ids, what the bot has of them, texts of the outbox by their ordinals,
-- messages, notifications.

create function private.refuse_change() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  raise exception '% is append-only', private.quoted(tg_table_name) using errcode = 'insufficient_privilege';
end
$$;

comment on function private.refuse_change() is 'Trigger: refuses every change of rows that are a proof, also by the owner.';

create trigger refuse_change
  before update or delete or truncate on public.text_consent_events
  for each statement execute function private.refuse_change();

-- Postgres has room for a few thousand locks in all, and one transaction may need the consents of more recruits. So a
-- consent stands for one of 1,024 locks. Who needs several takes them in their order.

create function private.consent_lock(agency_id uuid, phone text) returns bigint
language plpgsql
immutable
set search_path = ''
as $$
begin
  return hashtextextended('text consent', 0) + (hashtextextended(format('%s %s', agency_id, phone), 0) & 1023);
end
$$;

comment on function private.consent_lock(uuid, text) is
  'The advisory lock of a recruit''s consent. Other consents have it too: there are 1,024.';

create function private.lock_consent(agency_id uuid, phone text) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(private.consent_lock(agency_id, phone));
end
$$;

comment on function private.lock_consent(uuid, text) is
  'Until this transaction ends, nobody else changes the consent or claims a text by it. Call it before any row is locked.';

create function private.lock_conversations_of(agency_id uuid, phone text) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_consent(agency_id, phone);
  -- The recruit may write to several numbers.
  perform
  from public.recruiting_conversations c
  where c.agency_id = lock_conversations_of.agency_id and c.recruit_phone = lock_conversations_of.phone
  order by c.id
  for no key update;
end
$$;

comment on function private.lock_conversations_of(uuid, text) is
  'Locks the recruit''s consent, then all conversations of the recruit with the agency, in the order of their ids. A '
  'function that may record an opt-out calls it before any text is locked.';

create function private.is_opted_out(agency_id uuid, phone text) returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (
    select
    from public.text_consents c
    where c.agency_id = is_opted_out.agency_id and c.phone = is_opted_out.phone and c.state = 'opted_out'
  );
end
$$;

comment on function private.is_opted_out(uuid, text) is
  'Whether the recruit with this number must not be texted by the agency. The answer holds while the caller holds the '
  'consent''s lock.';

create function private.texting_ban(agency_id uuid, phone text, recruiting_lead_id uuid) returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  if exists (select from public.suppressions) and private.is_suppressed(
    phone, (select l.email from public.recruiting_leads l where l.id = texting_ban.recruiting_lead_id)
  ) then
    return 'suppressed';
  end if;
  return case when private.is_opted_out(agency_id, phone) then 'opted_out' end;
end
$$;

comment on function private.texting_ban(uuid, text, uuid) is
  'Returns why the agency must not text the recruit with this number, as a reason of text_outbox: `suppressed` where the '
  'number or the email address of the lead is in suppressions, otherwise `opted_out`. Null: it may. The answer about the '
  'opt-out holds while the caller holds the consent''s lock.';

create function private.refuse_banned(
  field text,
  agency_id uuid,
  phone text,
  recruiting_lead_id uuid,
  only_ban text default null
) returns void
language plpgsql
stable
set search_path = ''
as $$
declare
  ban constant text := private.texting_ban(agency_id, phone, recruiting_lead_id);
begin
  if ban = coalesce(only_ban, ban) then
    raise exception '%: %', private.quoted(field), private.quoted(case ban
      when 'opted_out' then 'the recruit has opted out of texts from this agency'
      when 'suppressed' then 'the recruit is suppressed, so nobody may text this person'
    end) using errcode = 'PT403';
  end if;
end
$$;

comment on function private.refuse_banned(text, uuid, text, uuid, text) is
  'PT403 if private.texting_ban() has a reason. field: the argument that the message names. only_ban: this reason; null: any.';

create function private.refuse_texts(agency_id uuid, phone text, reason text) returns void
language plpgsql
set search_path = ''
as $$
begin
  with refused as (
    update public.text_outbox o
    set state = 'refused', reason = refuse_texts.reason
    where o.message_id = any (array(
      select waiting.message_id
      from public.recruiting_conversations c
      join public.text_outbox waiting on waiting.conversation_id = c.id and waiting.state = 'pending'
      where c.agency_id = refuse_texts.agency_id and c.recruit_phone = refuse_texts.phone
      -- A transaction that changes several texts locks them in their order, so that nothing waits in a circle.
      order by waiting.ordinal
      for update of waiting
    ))
    returning o.message_id
  )
  update public.recruiting_messages m
  -- The code that the provider would have refused them with.
  set
    status = 'failed',
    error_code = case when refuse_texts.reason = 'opted_out' then '21610' end,
    failed_at = coalesce(m.failed_at, now())
  from refused r
  where m.id = r.message_id;
end
$$;

comment on function private.refuse_texts(uuid, text, text) is
  'Refuses the agency''s texts to this number that wait to be sent, with this reason: their messages are failed, after an '
  'opt-out with the provider''s code 21610. The caller holds the consent''s lock.';

create function private.refuse_waiting_texts(conversation_id uuid, reason text, of_kind text default null) returns void
language plpgsql
set search_path = ''
as $$
begin
  with refused as (
    update public.text_outbox o
    set state = 'refused', reason = refuse_waiting_texts.reason
    where o.message_id = any (array(
      select waiting.message_id
      from public.text_outbox waiting
      where waiting.conversation_id = refuse_waiting_texts.conversation_id
        and waiting.state = 'pending'
        and (of_kind is null or waiting.kind = of_kind)
      order by waiting.ordinal
      for update
    ))
    returning o.message_id
  )
  update public.recruiting_messages m
  set status = 'failed', failed_at = coalesce(m.failed_at, now())
  from refused r
  where m.id = r.message_id;
  if found then
    -- A text that is not sent is no answer.
    update public.recruiting_conversations c
    set waiting_since = private.unanswered_since(c)
    where c.id = refuse_waiting_texts.conversation_id;
  end if;
end
$$;

comment on function private.refuse_waiting_texts(uuid, text, text) is
  'Refuses the texts of a conversation that wait to be sent, with this reason, so that the recruit may wait again. of_kind: '
  'as text_outbox.kind; null: all. The caller has locked the conversation.';

create function private.apply_consent(event public.text_consent_events) returns boolean
language plpgsql
set search_path = ''
as $$
begin
  insert into public.text_consents as c (agency_id, phone, state, source, changed_at)
  values (event.agency_id, event.phone, event.state, event.source, event.occurred_at)
  on conflict on constraint text_consents_pkey do update
  set
    state = excluded.state,
    source = excluded.source,
    changed_at = greatest(c.changed_at, excluded.changed_at)
  where c.changed_at <= excluded.changed_at
    -- A text that is fetched later has the provider's time, in seconds, and others that of their arrival. In doubt it
    -- is an opt-out.
    or excluded.source in ('keyword', 'wording')
      and excluded.state = 'opted_out'
      and c.changed_at <= excluded.changed_at + interval '1 minute';
  if not found then
    return false;
  end if;

  if event.state = 'opted_out' then
    perform private.lock_conversations_of(event.agency_id, event.phone);
    -- There is nothing that they may be answered.
    update public.recruiting_conversations c
    set waiting_since = null
    where c.agency_id = event.agency_id and c.recruit_phone = event.phone and c.waiting_since is not null;
    perform private.refuse_texts(event.agency_id, event.phone, 'opted_out');
  end if;
  return true;
end
$$;

comment on function private.apply_consent(public.text_consent_events) is
  'Sets the consent to a new event, unless a later one has decided already. An opt-out refuses the texts of the agency '
  'to this number that are not sent yet. Returns whether the event decides. The caller holds the '
  'consent''s lock.';

create function private.record_consent(
  agency_id uuid,
  phone text,
  state text,
  source text,
  words text default null,
  message_id uuid default null,
  agent_id uuid default null,
  reason text default null,
  occurred_at timestamptz default null
) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  event public.text_consent_events;
begin
  perform private.lock_consent(agency_id, phone);

  insert into public.text_consent_events (
    agency_id, phone, state, source, words, message_id, agent_id, reason, occurred_at
  )
  values (
    record_consent.agency_id, record_consent.phone, record_consent.state, record_consent.source, record_consent.words,
    record_consent.message_id, record_consent.agent_id, record_consent.reason,
    -- After the lock, so that of two at once the second one decides.
    coalesce(record_consent.occurred_at, clock_timestamp())
  )
  on conflict on constraint text_consent_events_agency_id_message_id_key do nothing
  returning * into event;
  return event.id is not null and private.apply_consent(event);
end
$$;

comment on function private.record_consent(uuid, text, text, text, text, uuid, uuid, text, timestamptz) is
  'Adds an event, and does apply_consent() with it. state: opted_in or opted_out. source and the rest: see '
  'text_consent_events. occurred_at, when it was said: now unless given. A message_id that has an event is the same event '
  'and changes nothing. Returns whether it decides.';

create function public.record_text_consent(phone text, state text, reason text) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.current_agent();
begin
  if caller.role is distinct from 'manager' then
    raise exception 'only an active manager may record a consent' using errcode = 'insufficient_privilege';
  elsif not pg_input_is_valid(coalesce(phone, ''), 'public.e164') then
    perform private.invalid_field('phone', 'must be a number in E.164, such as +13125550100');
  elsif coalesce(state, '') not in ('opted_in', 'opted_out') then
    perform private.invalid_field('state', 'must be opted_in or opted_out');
  elsif coalesce(reason, '') !~ '[^[:space:]]' then
    perform private.invalid_field('reason', 'is required');
  end if;
  perform private.record_consent(caller.agency_id, phone, state, 'manager', agent_id => caller.id, reason => reason);
  return jsonb_build_object('phone', phone, 'state', state);
end
$$;

comment on function public.record_text_consent(text, text, text) is
  'Records what a recruit has said otherwise than by text, for the agency of the signed-in manager: state opted_in or '
  'opted_out, with the reason. An opt-out refuses the texts that wait. Returns {phone, state}. Errors: 42501 (HTTP 403) '
  'when the caller is no active manager; 22023 (400) names the field. The provider keeps a list of its own: to a '
  'recruit who has texted STOP to a number, it sends nothing from it before START, whatever is recorded here. '
  'Security definer because agents may not write the tables.';
grant execute on function public.record_text_consent(text, text, text) to authenticated;

create function private.open_conversation(
  lead public.recruiting_leads,
  agent_id uuid,
  preferred_number text default null,
  takes_paused boolean default false
) returns public.recruiting_conversations
language plpgsql
set search_path = ''
as $$
declare
  -- Counting more conversations of a number would take long, and no longer matters.
  max_count constant integer := 1000;
  is_there boolean;
  number text;
  opened public.recruiting_conversations;
begin
  -- When two calls come at once, the second finds the conversation of the first.
  perform private.lock_consent(lead.agency_id, lead.phone);
  is_there := private.lock_active_agent(open_conversation.agent_id);
  number := coalesce(
    (select n.phone from public.service_numbers n where n.phone = preferred_number and n.agency_id = lead.agency_id),
    (
      select c.service_phone
      from public.recruiting_conversations c
      join public.service_numbers n on n.phone = c.service_phone and n.agency_id = c.agency_id
      where c.recruit_phone = lead.phone and c.agency_id = lead.agency_id
      order by c.last_message_at desc nulls last, c.created_at desc
      limit 1
    ),
    (
      select n.phone
      from public.service_numbers n
      cross join lateral (
        select t.received_at
        from public.unmatched_texts t
        where t.recruit_phone = lead.phone and length(t.recruit_phone) <= 16
          and t.service_phone = n.phone and length(t.service_phone) <= 16
        order by t.received_at desc, t.id desc
        limit 1
      ) latest
      where n.agency_id = lead.agency_id
      order by latest.received_at desc
      limit 1
    ),
    (
      select n.phone
      from public.service_numbers n
      cross join lateral (
        select count(*) as conversations, max(latest.created_at) as used_at
        from (
          select c.created_at
          from public.recruiting_conversations c
          where c.service_phone = n.phone
          order by c.created_at desc
          limit max_count
        ) latest
      ) use
      where n.agency_id = lead.agency_id
        and (n.status = 'active' or takes_paused)
        -- The number may have been another agency's.
        and not exists (
          select
          from public.recruiting_conversations c
          where c.recruit_phone = lead.phone and c.service_phone = n.phone
        )
      order by n.status, use.conversations, use.used_at nulls first, n.phone
      limit 1
    ));
  if number is null then
    return null;
  end if;

  insert into public.recruiting_conversations as c (
    recruiting_lead_id, agency_id, recruit_phone, service_phone, assigned_agent_id
  )
  values (lead.id, lead.agency_id, lead.phone, number, case when is_there then open_conversation.agent_id end)
  on conflict (recruit_phone, service_phone) do update
  set recruiting_lead_id = coalesce(c.recruiting_lead_id, excluded.recruiting_lead_id)
  -- Somebody may have just made it for another agency.
  where c.agency_id = excluded.agency_id
  returning c.* into opened;
  return opened;
end
$$;

comment on function private.open_conversation(public.recruiting_leads, uuid, text, boolean) is
  'The conversation of a lead''s recruit with its agency: the one with the preferred number, if it is the agency''s, else '
  'with the number of the agency that the recruit has '
  'last been in touch with, paused or not. Else a new one, assigned to this agent if active (null: nobody), with the '
  'active number that has the fewest conversations, counted up to 1,000; of several, the one that has got none for '
  'longest. takes_paused: a paused number is taken where none is active. The lead has an agency and a phone in E.164. Null '
  'when the agency has no such number.';

-- supabase/schemas/texting/consent_in_texts.sql

-- The consent in a recruit's text: for which agency it holds, and from when on.

create function private.record_consents_in_texts(agency_id uuid, phone text, received public.unmatched_texts[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  decisive record;
begin
  -- A sender without such a number cannot have a conversation either.
  if agency_id is null or phone is null or not pg_input_is_valid(phone, 'public.e164')
    or not exists (select from unnest(received) r where r.consent is not null)
  then
    return;
  end if;

  perform private.lock_consent(agency_id, phone);
  for decisive in
    with said as (
      select r.id, r.body, s.state, s.source, s.words, coalesce(r.received_at, clock_timestamp()) as said_at,
        lag(s.state, 1, case when private.is_opted_out(agency_id, phone) then 'opted_out' end)
          over (order by r.received_at nulls last, r.id) as state_before
      from unnest(received) r
      cross join lateral private.consent_in_text(r.body, r.opt_out_type) s
      where r.consent is not null
    ), stored as (
      insert into public.text_consent_events (agency_id, phone, state, source, words, message_id, occurred_at)
      select record_consents_in_texts.agency_id, record_consents_in_texts.phone, s.state, s.source, s.body, s.id, s.said_at
      from said s
      where s.words is distinct from 'yes' or s.state_before = 'opted_out'
      on conflict on constraint text_consent_events_agency_id_message_id_key do nothing
      returning text_consent_events as event
    ), latest as (
      select distinct on ((s.event).state) s.event
      from stored s
      order by (s.event).state, (s.event).occurred_at desc
    )
    -- Those before them would change nothing: the last one decides, or an opt-out shortly before what is known.
    select l.event from latest l order by (l.event).occurred_at
  loop
    perform private.apply_consent(decisive.event);
  end loop;
end
$$;

comment on function private.record_consents_in_texts(uuid, text, public.unmatched_texts[]) is
  'Records for an agency the consents that a recruit''s texts give or take back, if any. agency_id null: of none yet. '
  'received_at null: now.';

-- One of our numbers may be added after a text came to it. One stores a text that gives or takes back a consent, another
-- adds the number. Both first take a lock on the number and then look for what the other one stored. Texts share the
-- lock.

create function private.service_number_lock(phone text) returns bigint
language plpgsql
immutable
set search_path = ''
as $$
begin
  return hashtextextended('service number ' || phone, 0);
end
$$;

comment on function private.service_number_lock(text) is
  'The advisory lock of one of our numbers: of its texts, shared, and of the transaction that gives it to an agency.';

create function private.agency_of_numbers(recruit_phone text, service_phone text) returns uuid
language plpgsql
stable
set search_path = ''
as $$
begin
  return coalesce(
    (
      select c.agency_id
      from public.recruiting_conversations c
      where c.recruit_phone = agency_of_numbers.recruit_phone and c.service_phone = agency_of_numbers.service_phone
    ),
    (select n.agency_id from public.service_numbers n where n.phone = agency_of_numbers.service_phone)
  );
end
$$;

comment on function private.agency_of_numbers(text, text) is
  'The agency that a text from the recruit to our number concerns: that of their conversation, else the number''s, else '
  'null.';

create function private.read_unmatched_consents() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  unmatched record;
begin
  perform pg_advisory_xact_lock(private.service_number_lock(new.phone));
  for unmatched in
    select t.recruit_phone, array_agg(t) as texts
    from public.unmatched_texts t
    where t.service_phone = new.phone and t.consent is not null
    group by t.recruit_phone
    order by private.consent_lock(new.agency_id, t.recruit_phone)
  loop
    perform private.record_consents_in_texts(new.agency_id, unmatched.recruit_phone, unmatched.texts);
  end loop;
  return null;
end
$$;

comment on function private.read_unmatched_consents() is
  'Trigger: what recruits have texted to a number before an agency had it holds for the agency.';

create trigger read_unmatched_consents
  after insert or update of agency_id, phone on public.service_numbers
  for each row execute function private.read_unmatched_consents();

-- supabase/schemas/texting/arrive.sql

-- The arrival of a recruit's text: POST /recruiting/sms/inbound stores it, and the bot or an agent is notified.

-- A view, because nothing is stored: the bot, an area above, has a trigger on it.
create view private.texts_to_answer with (security_invoker = true) as
select null::uuid as conversation_id, null::uuid[] as message_ids
where false;

comment on view private.texts_to_answer is
  'A recruit''s texts that have just come to a conversation, oldest first, are inserted here: a trigger of the bot takes those '
  'that it answers, and returns the others.';
grant select, insert on private.texts_to_answer to service_role;

create function public.receive_sms(
  recruit_phone text,
  service_phone text,
  message_sid text,
  body text,
  media jsonb,
  message_id uuid default gen_random_uuid(),
  opt_out_type text default null,
  received_at timestamptz default null,
  copies_media boolean default false
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  -- In the order of the table's columns
  received public.unmatched_texts := (
    message_id, private.indexable_id(message_sid), recruit_phone, service_phone, body, coalesce(nullif(media, 'null'), '[]'),
    opt_out_type, (private.consent_in_text(body, opt_out_type)).state, received_at, copies_media);
  conversation public.recruiting_conversations;
begin
  -- Before any row is locked (consent.sql). Our number stays with its agency meanwhile.
  if received.consent is not null then
    perform pg_advisory_xact_lock_shared(private.service_number_lock(service_phone));
    perform private.lock_consent(private.agency_of_numbers(recruit_phone, service_phone), recruit_phone);
  end if;

  conversation := private.conversation_of(recruit_phone, service_phone);
  if conversation.id is null then
    perform private.lock_conversation(recruit_phone, service_phone);
    conversation := private.conversation_of(recruit_phone, service_phone);
  end if;
  if conversation.id is not null then
    perform private.store_texts(conversation, array[received]);
    return '{"status": "received"}';
  end if;

  insert into public.unmatched_texts (
    id, message_sid, recruit_phone, service_phone, body, media, opt_out_type, received_at, copies_media
  )
  select
    received.id, received.message_sid, received.recruit_phone, received.service_phone, received.body, received.media,
    received.opt_out_type, coalesce(received.received_at, clock_timestamp()), received.copies_media
  -- The message may have been stored in a conversation whose numbers were changed since.
  where not exists (
    select from public.recruiting_messages m where m.provider_message_id = received.message_sid or m.id = received.id
  )
  on conflict do nothing;
  if found then
    perform private.record_consents_in_texts(
      private.agency_of_numbers(recruit_phone, service_phone), recruit_phone, array[received]);
    perform private.notify_of_unmatched_text(received);
  end if;
  return '{"status": "no_conversation"}';
end
$$;

comment on function public.receive_sms(text, text, text, text, jsonb, uuid, text, timestamptz, boolean) is
  'Stores an inbound message in the conversation of these two numbers, once for each MessageSid and once for each '
  'message_id. The caller makes the message_id, so that it may repeat the call. media: [{url, content_type}]. Returns '
  '{status: received}, also when it was stored before. Without a conversation it stores the text in unmatched_texts in '
  'the same way, notifies the recruit''s agent, and returns {status: no_conversation}. An opt-in or opt-out holds with the '
  'message (opt_out_type: Twilio''s OptOutType), and the bot answers, or an agent is notified. received_at: when the '
  'provider got it; null: now. copies_media: whether the worker copies its files (media_copies).';
grant execute on function public.receive_sms(text, text, text, text, jsonb, uuid, text, timestamptz, boolean) to service_role;

create function private.conversation_of(recruit_phone text, service_phone text) returns public.recruiting_conversations
language plpgsql
set search_path = ''
as $$
declare
  conversation public.recruiting_conversations;
begin
  select c.* into conversation
  from public.recruiting_conversations c
  where c.recruit_phone = conversation_of.recruit_phone and c.service_phone = conversation_of.service_phone
  for key share;
  return conversation;
end
$$;

comment on function private.conversation_of(text, text) is
  'The conversation of these two numbers, or null. Nobody deletes it before this transaction ends.';

create function private.store_texts(conversation public.recruiting_conversations, received public.unmatched_texts[])
returns void
language plpgsql
set search_path = ''
as $$
declare
  texts public.unmatched_texts[];
  was_banned boolean;
  heard record;
begin
  with stored as (
    insert into public.recruiting_messages (
      id, conversation_id, direction, sender_type, provider_message_id, body, media, created_at
    )
    select r.id, conversation.id, 'inbound', 'recruit', r.message_sid, r.body, r.media, coalesce(r.received_at, now())
    from unnest(received) r
    on conflict do nothing
    returning recruiting_messages.id
  ), copied as (
    insert into public.media_copies (message_id, position)
    select r.id, p.position - 1
    from unnest(received) r
    join stored s on s.id = r.id
    cross join lateral jsonb_array_elements(r.media) with ordinality p (file, position)
    where r.copies_media
  )
  select array_agg(r) into texts from unnest(received) r where r.id in (select s.id from stored s);
  -- A STOP that comes again after a START is not said again.
  if texts is null then
    return;
  end if;

  was_banned := conversation.status = 'bot'
    and private.texting_ban(conversation.agency_id, conversation.recruit_phone, conversation.recruiting_lead_id) is not null;
  -- The next call may lock all conversations of the recruit, in their order.
  perform private.record_consents_in_texts(conversation.agency_id, conversation.recruit_phone, texts);

  with text as (
    select t.id, coalesce(t.received_at, now()) as at, t.consent is not distinct from 'opted_out' as is_opt_out
    from unnest(texts) t
  ), opt_out as (
    select max(t.at) as at from text t where t.is_opt_out
  )
  select
    o.at as opted_out_at,
    max(t.at) as last_at,
    min(t.at) filter (where not t.is_opt_out and (o.at is null or t.at > o.at)) as waits_since,
    array_agg(t.id) filter (where t.is_opt_out) as opt_outs,
    -- Texts that were fetched later, or waited for their conversation: a person reads them.
    array_agg(t.id order by t.at) filter (where not t.is_opt_out and t.at < now() - interval '1 hour') as old,
    array_agg(t.id order by t.at) filter (where not t.is_opt_out and t.at >= now() - interval '1 hour') as new
  into heard
  from text t
  cross join opt_out o
  group by o.at;

  -- Before the rows of the bot, as everywhere.
  update public.recruiting_conversations c
  set
    last_message_at = greatest(c.last_message_at, heard.last_at),
    last_text_at = greatest(c.last_text_at, heard.last_at),
    waiting_since = least(
      case when heard.opted_out_at is null then c.waiting_since end,
      heard.waits_since,
      case when heard.waits_since is not null then now() end),
    snoozed_until = null
  where c.id = conversation.id
  returning c.* into conversation;
  -- Quiet hours do not hold an agent's reply to what the recruit has just written.
  update public.text_outbox o
  set due_at = now(), first_due_at = now(), reason = null
  where o.message_id = any (array(
    select held.message_id
    from public.text_outbox held
    where held.conversation_id = conversation.id
      and held.state = 'pending'
      and held.kind = 'agent'
      and held.reason = 'quiet_hours'
      and held.due_at > now()
    order by held.ordinal
    for update
  ));
  perform private.notify_of_texts(conversation.id, heard.opt_outs, 'opt_out');
  perform private.notify_of_texts(conversation.id, heard.old, 'text');
  if heard.new is not null and not was_banned and heard.opted_out_at is null then
    insert into private.texts_to_answer values (conversation.id, heard.new) returning message_ids into heard.new;
  end if;
  perform private.notify_of_texts(conversation.id, heard.new, 'text');
end
$$;

comment on function private.store_texts(public.recruiting_conversations, public.unmatched_texts[]) is
  'Stores a recruit''s texts as messages of this conversation, once for each id and each MessageSid. A consent in them holds, '
  'an agent''s reply is not held any more, and the bot answers, or an agent is notified. received_at null: now. The caller '
  'holds the locks of receive_sms().';

-- supabase/schemas/texting/callbacks.sql

-- The delivery callbacks of the SMS provider: POST /recruiting/sms/status.

create function public.update_sms_status(
  message_sid text,
  provider_status text,
  error_code text,
  event_id uuid default gen_random_uuid(),
  message_id uuid default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  sid constant text := private.indexable_id(message_sid);
  new_status constant text := case provider_status
    when 'queued' then 'queued'
    when 'sent' then 'sent'
    when 'delivered' then 'delivered'
    when 'undelivered' then 'failed'
    when 'failed' then 'failed'
  end;
  sent_id uuid;
  received_at timestamptz;
begin
  if sid is null then
    return '{"status": "ignored"}';
  end if;

  sent_id := private.lock_sent_text(sid, message_id, new_status = 'failed', coalesce(error_code = '21610', false));
  if new_status is not null and sent_id = message_id then
    perform private.accept_text(sent_id, sid);
  end if;

  insert into public.recruiting_message_events as e (id, provider_message_id, provider_status, status, error_code)
  values (event_id, sid, update_sms_status.provider_status, new_status, update_sms_status.error_code)
  on conflict do nothing
  returning e.received_at into received_at;

  -- A repeated callback changes nothing: a later one may have changed the message since.
  if found and new_status is not null then
    -- The specification moves "message, any": the last callback wins, whatever the message's status and direction.
    update public.recruiting_messages m
    set
      status = new_status,
      error_code = coalesce(update_sms_status.error_code, m.error_code),
      sent_at = case when new_status = 'sent' then coalesce(m.sent_at, received_at) else m.sent_at end,
      delivered_at =
        case when new_status = 'delivered' then coalesce(m.delivered_at, received_at) else m.delivered_at end,
      failed_at = case when new_status = 'failed' then coalesce(m.failed_at, received_at) else m.failed_at end
    where m.provider_message_id = sid
    returning m.id into sent_id;
    if found and new_status = 'failed' then
      perform private.handle_failed_text(sent_id, error_code);
    end if;
  end if;
  return jsonb_build_object('status', case
    when new_status is not null and exists (select from public.recruiting_messages m where m.provider_message_id = sid)
      then 'updated'
    else 'ignored'
  end);
end
$$;

comment on function public.update_sms_status(text, text, text, uuid, uuid) is
  'Stores a delivery callback and sets the message''s status to queued, sent, delivered or failed (also for undelivered). '
  'Returns {status: updated}, or {status: ignored} for any other provider_status, without a message_sid, and when there '
  'is no such message yet. In that last case the callback is applied when the message is stored. The caller makes the '
  'event_id so that it may repeat the call: a repeated one stores and changes nothing. message_id: the id of our message '
  'that the provider was given with it; unless the callback is ignored, a text of the outbox without a MessageSid gets this '
  'one and is accepted. An error_code of 21610 opts the recruit out, and 30034 pauses our number.';
grant execute on function public.update_sms_status(text, text, text, uuid, uuid) to service_role;

create function private.lock_sent_text(message_sid text, message_id uuid, has_failed boolean, has_opted_out boolean) returns uuid
language plpgsql
set search_path = ''
as $$
declare
  sent_id uuid;
begin
  select m.id into sent_id
  from public.recruiting_messages m
  where m.direction = 'outbound'
    and (m.provider_message_id = message_sid or m.id = lock_sent_text.message_id)
  -- Where there are two messages, the one that has the MessageSid.
  order by m.provider_message_id = message_sid desc nulls last
  limit 1;

  if has_failed then
    perform private.lock_conversation_of(sent_id, with_consent => has_opted_out);
  end if;
  perform pg_advisory_xact_lock(private.message_lock(message_sid));
  return sent_id;
end
$$;

comment on function private.lock_sent_text(text, uuid, boolean, boolean) is
  'Takes the locks that a callback needs, before any text: of the conversation if the text has failed, of the recruit if it '
  'changes the consent, and of the MessageSid. '
  'Returns the outbound message that the callback is about, by its MessageSid or its id, or null.';

create function private.handle_failed_text(message_id uuid, error_code text) returns void
language plpgsql
set search_path = ''
as $$
declare
  failed record;
begin
  select c.id as conversation_id, c.agency_id, c.recruit_phone, c.service_phone, o.kind, o.attempted_at into failed
  from public.recruiting_messages m
  join public.recruiting_conversations c on c.id = m.conversation_id
  left join public.text_outbox o on o.message_id = m.id
  where m.id = handle_failed_text.message_id and m.direction = 'outbound';
  if not found then
    return;
  end if;

  if error_code = '21610' then
    -- As of when it was sent: the recruit may have opted in since.
    perform private.record_consent(
      failed.agency_id, failed.recruit_phone, 'opted_out', 'provider',
      message_id => handle_failed_text.message_id, occurred_at => failed.attempted_at);
  elsif error_code = '30034' then
    perform private.pause_number(failed.service_phone, error_code);
  end if;
  if failed.kind is not null then
    perform private.notify_of_failed_text(failed.conversation_id, message_id);
  end if;
end
$$;

comment on function private.handle_failed_text(uuid, text) is
  'The steps when the provider could not deliver one of our messages. 21610: the recruit has opted out. 30034: the number '
  'may not send, and is paused. A person is notified of a text of the outbox.';

-- A callback may be stored before its message, after it, or at the same moment. Both therefore take the message's lock
-- first: a message a shared one, a callback an exclusive one. Then each looks for what the other one has stored.
--
-- A transaction may store more messages than Postgres has room for locks. So a MessageSid stands for one of 256 locks.
-- This makes no deadlock: messages share locks, and a callback takes a single one, before any row.

create function private.message_lock(provider_message_id text) returns bigint
language plpgsql
immutable
set search_path = ''
as $$
begin
  return hashtextextended('recruiting message ' || (hashtextextended(provider_message_id, 0) & 255), 0);
end
$$;

comment on function private.message_lock(text) is
  'Number of the advisory lock of a message and its callbacks. There are 256 locks, so messages share them.';

create function private.apply_early_callbacks() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock_shared(private.message_lock(new.provider_message_id));

  select
    coalesce((array_agg(e.status order by e.received_at desc))[1], new.status),
    coalesce(
      (array_agg(e.error_code order by e.received_at desc) filter (where e.error_code is not null))[1],
      new.error_code),
    coalesce(new.sent_at, min(e.received_at) filter (where e.status = 'sent')),
    coalesce(new.delivered_at, min(e.received_at) filter (where e.status = 'delivered')),
    coalesce(new.failed_at, min(e.received_at) filter (where e.status = 'failed'))
  into new.status, new.error_code, new.sent_at, new.delivered_at, new.failed_at
  from public.recruiting_message_events e
  where e.provider_message_id = new.provider_message_id and e.status is not null;

  return new;
end
$$;

comment on function private.apply_early_callbacks() is
  'Trigger: applies the callbacks that came before the message had its provider_message_id.';

create trigger apply_early_callbacks_on_insert
  before insert on public.recruiting_messages
  for each row when (new.provider_message_id is not null)
  execute function private.apply_early_callbacks();

create trigger apply_early_callbacks_on_update
  before update of provider_message_id on public.recruiting_messages
  for each row when (
    new.provider_message_id is not null
    and new.provider_message_id is distinct from old.provider_message_id
  )
  execute function private.apply_early_callbacks();

-- supabase/schemas/texting/texting_hours.sql

-- When a text may be sent: the hours that the law leaves open, and the time zones in which they count.

create table public.texting_hours (
  id uuid primary key default gen_random_uuid(),
  state text check (state ~ '^[A-Z]{2}$'),
  day_of_week smallint check (day_of_week between 0 and 6),
  opens time not null,
  closes time not null,
  source text not null check (btrim(source) <> ''),
  law_opens time,
  law_closes time,
  law_source text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique nulls not distinct (state, day_of_week),
  check (opens <= closes),
  check (num_nulls(law_opens, law_closes, law_source) in (0, 3))
);

comment on table public.texting_hours is
  'The hours in which texts may be sent, by the recipient''s state and day: never before `opens` and never from `closes` '
  'on, local time. A row of the state goes before one of all states; after that, a row of the day before one of all days. '
  'An operator may change rows; counsel must review them. Holidays are not in it; texting_closures is for them.';
comment on column public.texting_hours.state is
  'Two letters of a state, territory or Canadian province; null: every state without a row of its own.';
comment on column public.texting_hours.day_of_week is '0 is Sunday; null: every day without a row of its own.';
comment on column public.texting_hours.closes is 'The same as `opens`: nothing is sent on this day.';
comment on column public.texting_hours.source is 'The law, or what else the row comes from.';
comment on column public.texting_hours.law_opens is
  'opens as this service came with it. law_closes and law_source likewise: what is restored when an operator''s own hours are '
  'taken away. Null: there is nothing to restore.';

create trigger set_updated_at
  before update on public.texting_hours
  for each row execute function private.set_updated_at();

alter table public.texting_hours enable row level security;
grant select, insert, update, delete on public.texting_hours to service_role;

create table public.texting_closures (
  id uuid primary key default gen_random_uuid(),
  state text check (state ~ '^[A-Z]{2}$'),
  starts_on date not null,
  ends_on date,
  source text not null check (btrim(source) <> ''),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique nulls not distinct (state, starts_on, ends_on),
  check (ends_on >= starts_on)
);

comment on table public.texting_closures is
  'Days on which nothing is sent to a state, whatever texting_hours says. The rows of texting_hours stay as they are.';
comment on column public.texting_closures.state is 'As in texting_hours; null: every state.';
comment on column public.texting_closures.starts_on is 'The first day, in the recipient''s time.';
comment on column public.texting_closures.ends_on is 'The last day; null: until the row is taken away.';
comment on column public.texting_closures.source is 'Why, such as a holiday''s law.';

create trigger set_updated_at
  before update on public.texting_closures
  for each row execute function private.set_updated_at();

alter table public.texting_closures enable row level security;
grant select, insert, update, delete on public.texting_closures to service_role;

create table public.area_codes (
  area_code text primary key check (area_code ~ '^[2-9][0-9]{2}$'),
  state text check (state ~ '^[A-Z]{2}$'),
  country text not null check (country ~ '^[A-Z]{2}$'),
  timezones text[] not null check (cardinality(timezones) > 0 and array_position(timezones, null) is null),
  source text not null check (btrim(source) <> ''),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create index on public.area_codes (state);

comment on table public.area_codes is
  'The area codes of the North American Numbering Plan, with the state and the time zones of their area. An operator may '
  'change rows.';
comment on column public.area_codes.state is
  'Two letters of a state, territory or Canadian province; null in other countries. Where an area has several provinces, '
  'one of them.';
comment on column public.area_codes.country is 'Two letters (ISO 3166-1); US for its territories too.';
comment on column public.area_codes.timezones is 'IANA names: all the time zones in which a part of the area lies.';

create trigger set_updated_at
  before update on public.area_codes
  for each row execute function private.set_updated_at();

alter table public.area_codes enable row level security;
grant select, insert, update, delete on public.area_codes to service_role;

-- A trigger and not a check constraint, as for agencies: a row from a backup must never be refused.
create function private.require_known_timezones() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  timezone text;
begin
  foreach timezone in array new.timezones loop
    begin
      perform now() at time zone timezone;
    exception when invalid_parameter_value then
      raise exception 'timezones: "%" is not an IANA time zone name', private.quoted(timezone)
        using errcode = 'invalid_parameter_value', hint = 'For example America/New_York.';
    end;
  end loop;
  return new;
end
$$;

comment on function private.require_known_timezones() is
  'Trigger: refuses a list with a time zone that the server does not know.';

create trigger require_known_timezones
  before insert or update of timezones on public.area_codes
  for each row execute function private.require_known_timezones();

create function private.first_date() returns date
language plpgsql
stable
set search_path = ''
as $$
begin
  return (now() at time zone 'Pacific/Pago_Pago')::date;
end
$$;

comment on function private.first_date() is 'The earliest date that it is now in a state or territory of the US.';

create function private.text_window(
  phone text,
  state text,
  moment timestamptz,
  out opens_at timestamptz,
  out closes_at timestamptz
)
language plpgsql
stable
set search_path = ''
as $$
declare
  area public.area_codes;
  open_times tstzmultirange;
begin
  select a.* into area
  from public.area_codes a
  where a.area_code = substring(text_window.phone from '^\+1([2-9][0-9]{2})[0-9]{7}$');

  with known as (
    select area.state, z.timezone
    from unnest(area.timezones) z (timezone)
    union
    -- A recipient may have moved and kept the number. Within one state, the area is the narrower place.
    select a.state, z.timezone
    from public.area_codes a
    cross join unnest(a.timezones) z (timezone)
    where a.state = text_window.state and a.state is distinct from area.state
  ), places as (
    select k.state, k.timezone from known k
    union all
    select null, z.timezone
    from unnest(array['America/New_York', 'America/Chicago', 'America/Denver', 'America/Los_Angeles']) z (timezone)
    where not exists (select from known)
  ), closures as (
    select c.state, c.starts_on, coalesce(c.ends_on, 'infinity') as ends_on
    from public.texting_closures c
    where c.state is null or c.state in (select p.state from places p)
  ), days as (
    -- Today and the same day next week: each day of the week comes whole after this moment. Also after each closure.
    select distinct begins.day + n.days as day
    from (
      select (text_window.moment at time zone p.timezone)::date from places p
      union
      select c.ends_on + 1 from closures c where c.ends_on < 'infinity' and c.ends_on >= text_window.moment::date - 1
    ) begins (day)
    cross join generate_series(0, 8) n (days)
  ), place_hours as (
    select range_agg(h.open) as open
    from places p
    cross join days d
    left join lateral (
      select
        (d.day + q.opens) at time zone p.timezone as opens,
        (d.day + q.closes) at time zone p.timezone as closes
      from public.texting_hours q
      where (q.state = p.state or q.state is null)
        and (q.day_of_week = extract(dow from d.day) or q.day_of_week is null)
        and not exists (
          select
          from closures c
          where (c.state = p.state or c.state is null) and d.day between c.starts_on and c.ends_on
        )
      order by q.state nulls last, q.day_of_week nulls last
      limit 1
    ) q on true
    cross join lateral (
      -- No row: closed. And an opening that a clock change skips is moved, perhaps behind the closing.
      select case when q.opens < q.closes then tstzrange(q.opens, q.closes) else 'empty' end as open
    ) h
    group by p.state, p.timezone
  )
  select range_intersect_agg(h.open) into open_times
  from place_hours h;

  select greatest(lower(o.open), text_window.moment), upper(o.open) into opens_at, closes_at
  from unnest(open_times) o (open)
  where upper(o.open) > text_window.moment
  order by o.open
  limit 1;
  if not found then
    opens_at := 'infinity';
    closes_at := 'infinity';
  end if;
end
$$;

comment on function private.text_window(text, text, timestamptz) is
  'From when a text may be sent to this number, and until when: the first moment, from `moment` on, that is open by '
  'texting_hours and on a day without one of texting_closures; the same as `moment` when it is open. state: the lead''s, '
  'null when unknown. The area code''s state and time zones count, and the lead''s state where it is another one: the '
  'latest opening and the earliest closing of all. For a number without a known area code (toll-free, foreign, a short '
  'code) only the lead''s state counts. Without that, the hours of all states count, in the four time zones of the '
  'contiguous United States. Both are infinity when no day is open.';

-- supabase/schemas/texting/texting_hours_rows.sql

-- The rows of texting_hours and area_codes. A later correction is a migration of its own, which changes a row only if
-- it is still as it was inserted: what an operator has changed stays.

-- A rule that names sales calls, or only automated or recorded ones, counts for texts as well: that holds a text back
-- too long at worst. docs/operations.md says what is not in here.
insert into public.texting_hours (state, day_of_week, opens, closes, source) values
  (null, null, '08:00', '21:00', '47 CFR § 64.1200(c)(1)'),
  ('AL', null, '08:00', '20:00', 'Ala. Admin. Code r. 770-X-5-.17(1)(b)'),
  ('AL', 0, '00:00', '00:00', 'Ala. Admin. Code r. 770-X-5-.17(1)(b)'),
  ('CT', null, '09:00', '20:00', 'Conn. Gen. Stat. § 42-288a, as amended by Public Act 23-98'),
  ('FL', null, '08:00', '20:00', 'Fla. Stat. § 501.616(6)(a)'),
  ('KY', null, '10:00', '21:00', 'Ky. Rev. Stat. § 367.46955'),
  ('LA', null, '08:00', '20:00', 'Louisiana Public Service Commission, General Order R-29617 (secondary sources)'),
  ('LA', 0, '00:00', '00:00', 'Louisiana Public Service Commission, General Order R-29617 (secondary sources)'),
  ('MA', null, '08:00', '20:00', '201 Code Mass. Regs. 12.02(2)'),
  ('MD', null, '08:00', '20:00', 'Md. Code, Com. Law § 14-4502'),
  ('ME', null, '09:00', '17:00', 'Me. Rev. Stat. tit. 10, § 1498(3), automated calls'),
  ('ME', 0, '00:00', '00:00', 'Me. Rev. Stat. tit. 10, § 1498(3), automated calls'),
  ('ME', 6, '00:00', '00:00', 'Me. Rev. Stat. tit. 10, § 1498(3), automated calls'),
  ('MN', null, '09:00', '21:00', 'Minn. Stat. § 325E.30 (secondary sources)'),
  ('MS', null, '08:00', '20:00', 'Miss. Code § 77-3-723(1)'),
  ('MS', 0, '00:00', '00:00', 'Miss. Code § 77-3-723(1)'),
  ('NM', null, '09:00', '21:00', 'N.M. Stat. § 57-12-22(B)(5)'),
  ('NV', null, '09:00', '20:00', 'Nev. Rev. Stat. § 597.814(2)(a), automated calls; 8 p.m. from secondary sources'),
  ('OK', null, '08:00', '20:00', 'Okla. Stat. tit. 15, § 775C.4 (secondary sources)'),
  ('PA', 0, '00:00', '00:00', 'Pennsylvania, from October 18, 2026 on (one secondary source, which names no section)'),
  ('RI', null, '09:00', '18:00', 'R.I. Gen. Laws §§ 5-61-2(2), 5-61-3.6'),
  ('RI', 6, '10:00', '17:00', 'R.I. Gen. Laws §§ 5-61-2(2), 5-61-3.6'),
  ('RI', 0, '00:00', '00:00', 'R.I. Gen. Laws §§ 5-61-2(2), 5-61-3.6'),
  ('SD', null, '09:00', '21:00', 'S.D. Codified Laws § 37-30-28, automated calls'),
  ('SD', 0, '00:00', '00:00', 'S.D. Codified Laws § 37-30-28, automated calls'),
  ('SD', 6, '00:00', '00:00', 'S.D. Codified Laws § 37-30-28, automated calls'),
  ('TX', null, '09:00', '21:00', 'Tex. Bus. & Com. Code § 301.051'),
  ('TX', 0, '12:00', '21:00', 'Tex. Bus. & Com. Code § 301.051'),
  ('UT', null, '08:00', '21:00', 'Utah Code § 13-25a-103(3)'),
  ('UT', 0, '00:00', '00:00', 'Utah Code § 13-25a-103(3)'),
  ('WA', null, '08:00', '20:00', 'Wash. Rev. Code § 80.36.390, as amended by HB 1497 (2022)'),
  ('WY', null, '08:00', '20:00', 'Wyo. Stat. § 40-12-302 (secondary sources)');

insert into public.texting_hours (state, day_of_week, opens, closes, source)
select p.state, h.day_of_week, h.opens, h.closes, 'CRTC, Unsolicited Telecommunications Rules, part III'
from unnest(array['AB', 'BC', 'MB', 'NB', 'NL', 'NS', 'NT', 'NU', 'ON', 'PE', 'QC', 'SK', 'YT']) p (state)
cross join (values
  (null::smallint, time '09:00', time '21:30'),
  (0, '10:00', '18:00'),
  (6, '10:00', '18:00')
) h (day_of_week, opens, closes);

-- The hours that are restored when an operator's own hours are taken away.
update public.texting_hours set law_opens = opens, law_closes = closes, law_source = source;

insert into public.area_codes (area_code, state, country, timezones, source)
select c.area_code, a.state, a.country, string_to_array(a.timezones, ', '), 'libphonenumber, 2026'
from (values
  ('AL', 'US', 'America/Chicago', '205 251 256 334 659 938'),
  ('AK', 'US', 'America/Anchorage, America/Adak', '907'),
  ('AZ', 'US', 'America/Phoenix', '480 520 602 623'),
  ('AZ', 'US', 'America/Phoenix, America/Denver', '928'),
  ('AR', 'US', 'America/Chicago', '327 479 501 870'),
  ('CA', 'US', 'America/Los_Angeles', '209 213 279 310 323 341 350 369 408 415 424 442 510 530 559 562 619 626
    628 650 657 661 669 707 714 738 747 760 805 818 820 831 840 858 909 916 925 949 951'),
  ('CO', 'US', 'America/Denver', '303 719 720 748 970 983'),
  ('CT', 'US', 'America/New_York', '203 475 860 959'),
  ('DE', 'US', 'America/New_York', '302'),
  ('DC', 'US', 'America/New_York', '202 771'),
  ('FL', 'US', 'America/New_York', '239 305 321 324 352 386 407 561 645 656 727 728 754 772 786 813 863 904 941
    954'),
  ('FL', 'US', 'America/Chicago, America/New_York', '850'),
  ('GA', 'US', 'America/New_York', '229 404 470 478 678 706 762 770 912 943'),
  ('HI', 'US', 'Pacific/Honolulu', '808'),
  ('ID', 'US', 'America/Boise, America/Los_Angeles', '208 986'),
  ('IL', 'US', 'America/Chicago', '217 224 309 312 331 447 464 618 630 708 730 773 779 815 847 872'),
  ('IN', 'US', 'America/Indiana/Indianapolis', '260 317 463 765'),
  ('IN', 'US', 'America/Chicago, America/Indiana/Indianapolis', '219 574 812'),
  ('IA', 'US', 'America/Chicago', '319 515 563 641 712'),
  ('KS', 'US', 'America/Chicago', '316 913'),
  ('KS', 'US', 'America/Chicago, America/Denver', '620 785'),
  ('KY', 'US', 'America/New_York', '502 859'),
  ('KY', 'US', 'America/Chicago, America/New_York', '270 606'),
  ('LA', 'US', 'America/Chicago', '225 318 337 504 985'),
  ('ME', 'US', 'America/New_York', '207'),
  ('MD', 'US', 'America/New_York', '227 240 301 410 443 667'),
  ('MA', 'US', 'America/New_York', '339 351 413 508 617 774 781 857 978'),
  ('MI', 'US', 'America/Detroit', '231 248 269 313 517 586 616 734 810 947 989'),
  ('MI', 'US', 'America/Detroit, America/Menominee', '906'),
  ('MN', 'US', 'America/Chicago', '218 320 507 612 651 763 952'),
  ('MS', 'US', 'America/Chicago', '228 601 662 769'),
  ('MO', 'US', 'America/Chicago', '235 314 417 557 573 636 660 816 975'),
  ('MT', 'US', 'America/Denver', '406'),
  ('NE', 'US', 'America/Chicago', '402 531'),
  ('NE', 'US', 'America/Chicago, America/Denver', '308'),
  ('NV', 'US', 'America/Los_Angeles', '702 725'),
  ('NV', 'US', 'America/Los_Angeles, America/Denver', '775'),
  ('NH', 'US', 'America/New_York', '603'),
  ('NJ', 'US', 'America/New_York', '201 551 609 640 732 848 856 862 908 973'),
  ('NM', 'US', 'America/Denver', '505 575'),
  ('NY', 'US', 'America/New_York', '212 315 329 332 347 363 516 518 585 607 631 646 680 716 718 838 845 914 917
    929 934'),
  ('NC', 'US', 'America/New_York', '252 336 472 704 743 828 910 919 980 984'),
  ('ND', 'US', 'America/Chicago, America/Denver', '701'),
  ('OH', 'US', 'America/New_York', '216 220 234 283 326 330 380 419 440 513 567 614 740 937'),
  ('OK', 'US', 'America/Chicago', '405 539 572 580 918'),
  ('OR', 'US', 'America/Los_Angeles', '503 971'),
  ('OR', 'US', 'America/Los_Angeles, America/Boise', '541'),
  ('PA', 'US', 'America/New_York', '215 223 267 272 412 445 484 570 582 610 717 724 814 835 878'),
  ('RI', 'US', 'America/New_York', '401'),
  ('SC', 'US', 'America/New_York', '803 821 839 843 854 864'),
  ('SD', 'US', 'America/Chicago, America/Denver', '605'),
  ('TN', 'US', 'America/Chicago', '615 629 731 901 931'),
  ('TN', 'US', 'America/Chicago, America/New_York', '423'),
  ('TN', 'US', 'America/New_York', '865'),
  ('TX', 'US', 'America/Chicago', '210 214 254 281 325 346 361 409 430 432 469 512 682 713 726 737 806 817 830
    832 903 936 940 945 956 972 979'),
  ('TX', 'US', 'America/Denver', '915'),
  ('UT', 'US', 'America/Denver', '385 435 801'),
  ('VT', 'US', 'America/New_York', '802'),
  ('VA', 'US', 'America/New_York', '276 434 540 571 686 703 757 804 826 948'),
  ('WA', 'US', 'America/Los_Angeles', '206 253 360 425 509 564'),
  ('WV', 'US', 'America/New_York', '304 681'),
  ('WI', 'US', 'America/Chicago', '262 274 353 414 534 608 715 920'),
  ('WY', 'US', 'America/Denver', '307'),
  ('AS', 'US', 'Pacific/Pago_Pago', '684'),
  ('GU', 'US', 'Pacific/Guam', '671'),
  ('MP', 'US', 'Pacific/Guam', '670'),
  ('PR', 'US', 'America/Puerto_Rico', '787 939'),
  ('VI', 'US', 'America/Puerto_Rico', '340'),
  ('AB', 'CA', 'America/Edmonton', '368 403 587 780 825'),
  ('BC', 'CA', 'America/Vancouver', '604'),
  ('BC', 'CA', 'America/Vancouver, America/Edmonton', '250'),
  ('MB', 'CA', 'America/Winnipeg', '204 431 584'),
  ('NB', 'CA', 'America/Halifax', '428 506'),
  ('NL', 'CA', 'America/St_Johns, America/Halifax', '709 879'),
  ('NS', 'CA', 'America/Halifax', '782 902'),
  ('NT', 'CA', 'America/Whitehorse, America/Edmonton, America/Winnipeg, America/Toronto', '867'),
  ('ON', 'CA', 'America/Toronto', '226 249 289 343 365 382 416 437 519 548 613 647 683 705 742 753 905 942'),
  ('ON', 'CA', 'America/Toronto, America/Winnipeg', '807'),
  ('QC', 'CA', 'America/Toronto', '263 354 438 450 468 514 579 819 873'),
  ('QC', 'CA', 'America/Toronto, America/Halifax', '418'),
  (null, 'AG', 'America/Puerto_Rico', '268'),
  (null, 'AI', 'America/Puerto_Rico', '264'),
  (null, 'BB', 'America/Barbados', '246'),
  (null, 'BM', 'Atlantic/Bermuda', '441'),
  (null, 'BS', 'America/Toronto', '242'),
  (null, 'DM', 'America/Puerto_Rico', '767'),
  (null, 'DO', 'America/Santo_Domingo', '809 829 849'),
  (null, 'GD', 'America/Puerto_Rico', '473'),
  (null, 'JM', 'America/Jamaica', '658 876'),
  (null, 'KN', 'America/Puerto_Rico', '869'),
  (null, 'KY', 'America/Panama', '345'),
  (null, 'LC', 'America/Puerto_Rico', '758'),
  (null, 'MS', 'America/Puerto_Rico', '664'),
  (null, 'SX', 'America/Puerto_Rico', '721'),
  (null, 'TC', 'America/Grand_Turk', '649'),
  (null, 'TT', 'America/Puerto_Rico', '868'),
  (null, 'VC', 'America/Puerto_Rico', '784'),
  (null, 'VG', 'America/Puerto_Rico', '284')
) a (state, country, timezones, area_codes)
cross join regexp_split_to_table(a.area_codes, '\s+') c (area_code);

-- For these, libphonenumber has a wrong time zone, or lacks one that the area code of the same area has (for 306, that
-- of Lloydminster).
insert into public.area_codes (area_code, state, country, timezones, source)
select c.area_code, a.state, a.country, string_to_array(a.timezones, ', '), 'libphonenumber, 2026, time zones corrected'
from (values
  ('FL', 'US', 'America/New_York', '689'),
  ('FL', 'US', 'America/Chicago, America/New_York', '448'),
  ('IN', 'US', 'America/Chicago, America/Indiana/Indianapolis', '930'),
  ('KY', 'US', 'America/Chicago, America/New_York', '364'),
  ('OR', 'US', 'America/Los_Angeles, America/Boise', '458'),
  ('BC', 'CA', 'America/Vancouver, America/Edmonton', '236 257 672 778'),
  ('QC', 'CA', 'America/Toronto, America/Halifax', '273 367 581'),
  ('SK', 'CA', 'America/Regina, America/Edmonton', '306 474 639')
) a (state, country, timezones, area_codes)
cross join regexp_split_to_table(a.area_codes, '\s+') c (area_code);

-- New ones that overlay older ones and that libphonenumber does not have yet.
insert into public.area_codes (area_code, state, country, timezones, source)
select c.area_code, a.state, a.country, string_to_array(a.timezones, ', '), 'a public list of area codes, 2026'
from (values
  ('AL', 'US', 'America/Chicago', '483'),
  ('CA', 'US', 'America/Los_Angeles', '764 837'),
  ('IL', 'US', 'America/Chicago', '861'),
  ('MI', 'US', 'America/Detroit', '679'),
  ('MN', 'US', 'America/Chicago', '924'),
  ('NY', 'US', 'America/New_York', '624'),
  ('OH', 'US', 'America/New_York', '436')
) a (state, country, timezones, area_codes)
cross join regexp_split_to_table(a.area_codes, '\s+') c (area_code);

-- supabase/schemas/texting/queue.sql

-- The outbox: the texts that are to be sent, and what became of them. A text is sent only from here.

create table public.text_outbox (
  message_id uuid primary key references public.recruiting_messages (id) on delete cascade,
  kind text not null check (kind in ('agent', 'bot', 'greeting')),
  state text not null default 'pending'
    check (state in ('pending', 'sending', 'accepted', 'unconfirmed', 'refused', 'failed')),
  due_at timestamptz not null default now(),
  first_due_at timestamptz not null,
  attempt integer not null default 0 check (attempt >= 0),
  lease_until timestamptz,
  reason text,
  client_message_id uuid,
  conversation_id uuid not null references public.recruiting_conversations (id) on delete cascade,
  service_phone text not null,
  segments integer not null check (segments > 0),
  priority smallint not null generated always as (case kind when 'agent' then 0 else 1 end) stored,
  ordinal bigint generated always as identity,
  claim integer not null default 0,
  attempted_at timestamptz,
  accepted_at timestamptz,
  late_at timestamptz,
  lookups integer not null default 0,
  resends integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (conversation_id, client_message_id)
);

-- The indexes that claim_texts() reads. Accepted, refused and failed texts are in none of them, so that they stay small.
create index text_outbox_pending_idx on public.text_outbox (service_phone, priority, due_at, ordinal)
  where state = 'pending';
create index text_outbox_sending_idx on public.text_outbox (lease_until) where state = 'sending';
create index text_outbox_unconfirmed_idx on public.text_outbox (due_at, ordinal) where state = 'unconfirmed';
-- The bot's texts that wait, until a person is notified that one is late.
create index text_outbox_late_idx on public.text_outbox (created_at)
  where state = 'pending' and kind = 'bot' and late_at is null;
-- The text that was sent last in a conversation.
create index on public.text_outbox (conversation_id, attempted_at);
-- For alerts: texts that have been due for long, by number, and those that wait for an account or a login. The last condition is
-- always true. Without it, a plan that was made for a small table could take this index in place of
-- text_outbox_open_idx.
create index text_outbox_first_due_idx on public.text_outbox (service_phone, first_due_at)
  where state in ('pending', 'sending', 'unconfirmed') and first_due_at > '-infinity';
create index text_outbox_no_login_idx on public.text_outbox (service_phone, reason, first_due_at)
  where reason in ('credentials', 'no_account') and state in ('pending', 'sending');
-- For alerts: the latest texts of a number that have ended.
create index text_outbox_ended_idx on public.text_outbox (service_phone, attempted_at)
  where attempted_at is not null and state in ('accepted', 'refused', 'failed');
-- The texts before a text in its conversation.
create index text_outbox_open_idx on public.text_outbox (conversation_id, ordinal)
  where state in ('pending', 'sending', 'unconfirmed');

comment on table public.text_outbox is
  'Outbound texts and how far each has come. A text is sent only from here; texting/claim.sql has the states.';
comment on column public.text_outbox.kind is
  '`agent`: written by an agent. `bot` and `greeting`: sent by the service itself.';
comment on column public.text_outbox.due_at is
  'pending: not sent before. unconfirmed: when the provider is asked for it; infinity: never again.';
comment on column public.text_outbox.first_due_at is
  'When it first became due, whatever tries there were since. Quiet hours, a paused number and retry_text() move it. A trigger '
  'sets it to due_at.';
comment on column public.text_outbox.attempt is 'The number of times that its request to the provider has begun.';
comment on column public.text_outbox.lease_until is
  'Until then it belongs to the worker that has claimed it. After that the worker is dead.';
comment on column public.text_outbox.reason is
  'Why it waits or was not sent: `quiet_hours`, `number_paused`, `opted_out`, `suppressed`, `cancelled`, `later`, `no_response`, '
  '`worker_died`, `resend`, `unconfirmed`, `storage`, `media_not_found`, `country` (see TEXTING_COUNTRIES), '
  '`lead_returned`, `expired` (a greeting after its day), why the bot '
  'was stopped (see bot_sessions), or the provider''s error code or HTTP status. `credentials`: the provider refuses our login; '
  'it stays until the next outcome. `no_account`: no account at the provider is set.';
comment on column public.text_outbox.client_message_id is
  'Made by the agent''s page, so that one text that is sent twice is one text.';
comment on column public.text_outbox.conversation_id is
  'The message''s conversation. A trigger fills in this column, service_phone and segments.';
comment on column public.text_outbox.service_phone is 'The number that it is sent from: the conversation''s.';
comment on column public.text_outbox.segments is 'Its cost for the number''s rate.';
comment on column public.text_outbox.priority is
  'The lowest of a number''s due texts is sent first: what an agent writes does not wait for a morning''s greetings.';
comment on column public.text_outbox.ordinal is 'The order in which texts of a conversation are sent.';
comment on column public.text_outbox.claim is
  'Grows with each claim. A worker reports with the number of its claim, so that a late report changes nothing. (attempt '
  'goes back when the provider refused the login and not the text.)';
comment on column public.text_outbox.attempted_at is 'When the last request to the provider began.';
comment on column public.text_outbox.accepted_at is
  'When the provider had accepted it, at the latest: the end of the second that the provider names, or when we first knew '
  'it, whichever is earlier; not before attempted_at. Null: not accepted.';
comment on column public.text_outbox.late_at is
  'When a person was notified that a text of the bot had waited for a day.';
comment on column public.text_outbox.lookups is
  'The number of times that the provider did not know it since the last request.';
comment on column public.text_outbox.resends is 'The number of times that it was sent again after the provider did not know it.';

create trigger set_updated_at
  before update on public.text_outbox
  for each row execute function private.set_updated_at();

alter table public.text_outbox enable row level security;
grant select on public.text_outbox to authenticated;
grant select, insert, update, delete on public.text_outbox to service_role;

create policy "readers of a conversation read what it waits to send" on public.text_outbox
  for select to authenticated
  using (
    exists (
      select from public.recruiting_conversations c where c.id = text_outbox.conversation_id
    )
  );

create function private.complete_outbox_text() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  select m.conversation_id, c.service_phone, case when m.media = '[]' then private.text_segments(m.body) else 1 end
  into new.conversation_id, new.service_phone, new.segments
  from public.recruiting_messages m
  join public.recruiting_conversations c on c.id = m.conversation_id
  where m.id = new.message_id and m.direction = 'outbound';
  if not found then
    raise exception 'message_id: there is no such outbound message' using errcode = 'foreign_key_violation';
  end if;
  new.first_due_at := new.due_at;
  return new;
end
$$;

comment on function private.complete_outbox_text() is
  'Trigger: fills in the conversation, the number, the segments and first_due_at of a text. One with media counts as one '
  'segment.';

create trigger complete_outbox_text
  before insert on public.text_outbox
  for each row execute function private.complete_outbox_text();

create function private.move_outbox_texts() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  update public.text_outbox o
  set service_phone = new.service_phone
  where o.message_id = any (array(
    select waiting.message_id
    from public.text_outbox waiting
    where waiting.conversation_id = new.id and waiting.state in ('pending', 'sending', 'unconfirmed')
    order by waiting.ordinal
    for update
  ));
  return null;
end
$$;

comment on function private.move_outbox_texts() is
  'Trigger: what waits in a conversation is sent from its new number.';

create trigger move_outbox_texts
  after update of service_phone on public.recruiting_conversations
  for each row when (new.service_phone is distinct from old.service_phone)
  execute function private.move_outbox_texts();

create function private.forget_number_paused() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- A transaction that has locked a text is about to send or refuse it. And one statement may set many numbers to
  -- active, so to wait here could be to wait in a circle.
  update public.text_outbox o
  set reason = nullif(o.reason, 'number_paused'), first_due_at = greatest(o.first_due_at, now())
  where o.message_id = any (array(
    select held.message_id
    from public.text_outbox held
    where held.service_phone = new.phone and held.state = 'pending'
      and (held.reason = 'number_paused' or held.first_due_at < now())
    for update skip locked
  ));
  return null;
end
$$;

comment on function private.forget_number_paused() is
  'Trigger: texts do not wait for a paused number any more once it is active. Those that were due become due anew.';

create trigger forget_number_paused
  after update of status on public.service_numbers
  for each row when (new.status = 'active' and old.status <> 'active')
  execute function private.forget_number_paused();

create function private.queue_text(
  conversation_id uuid,
  kind text,
  body text,
  media jsonb default '[]',
  client_message_id uuid default null,
  sent_by uuid default null
) returns public.text_outbox
language plpgsql
set search_path = ''
as $$
declare
  conversation public.recruiting_conversations;
  new_message_id uuid;
  queued public.text_outbox;
begin
  -- One after another, so that a text with a lower ordinal never appears after a later one was sent.
  update public.recruiting_conversations c
  set
    last_text_at = greatest(c.last_text_at, now()),
    waiting_since = null,
    -- The bot does not know what an agent wants to remember.
    snoozed_until = case when queue_text.kind <> 'agent' then c.snoozed_until end,
    status = case when queue_text.sent_by is null then c.status else 'escalated' end,
    assigned_agent_id = coalesce(queue_text.sent_by, c.assigned_agent_id)
  where c.id = queue_text.conversation_id
  returning c.* into conversation;

  insert into public.recruiting_messages (conversation_id, direction, sender_type, sent_by, body, media)
  values (
    queue_text.conversation_id, 'outbound', case queue_text.kind when 'agent' then 'agent' else 'bot' end,
    queue_text.sent_by, queue_text.body, queue_text.media
  )
  returning id into new_message_id;

  insert into public.text_outbox (message_id, kind, due_at, reason, client_message_id)
  select new_message_id, queue_text.kind, d.due_at, d.reason, queue_text.client_message_id
  from private.next_sending(conversation, queue_text.kind) d
  returning * into queued;
  return queued;
end
$$;

comment on function private.queue_text(uuid, text, text, jsonb, uuid, uuid) is
  'Adds a text to a conversation, to be sent as soon as its hours, its number and the texts before it allow. kind: see '
  'text_outbox. media: [{url, content_type}]. sent_by: the agent who wrote it and has the conversation from now on. Consent is '
  'checked when it is sent. 23503 or 23502 when there is no such conversation, 23505 when the conversation has the '
  'client_message_id already.';

create function private.is_number_active(phone text, agency_id uuid) returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  select exists (
    select
    from public.service_numbers n
    where n.phone = is_number_active.phone and n.agency_id = is_number_active.agency_id and n.status = 'active'
  )
$$;

comment on function private.is_number_active(text, uuid) is
  'Whether this is a number of the agency, and not paused. '
  'Security definer because agents may not read the numbers of their agency. It says whether one sends, for texts in '
  'the timeline that wait.';
grant execute on function private.is_number_active(text, uuid) to authenticated;

create function private.text_state(message_status text, outbox_state text, due_at timestamptz, may_leave boolean)
returns text
language sql
stable
set search_path = ''
as $$
  select case
    when message_status = 'failed' and outbox_state is distinct from 'refused' then 'failed'
    when outbox_state = 'pending' then case when due_at > now() or not may_leave then 'held' else 'due' end
    when outbox_state in ('sending', 'unconfirmed', 'refused', 'failed') then outbox_state
    when message_status = 'delivered' then 'delivered'
    else 'sent'
  end
$$;

comment on function private.text_state(text, text, timestamptz, boolean) is
  'How far one of our texts has come: held, due (it is sent next), sending, unconfirmed, refused, sent, delivered or failed. '
  'outbox_state null: a text of before the outbox. may_leave: whether its number is active and there is an account; of a pending text alone.';
grant execute on function private.text_state(text, text, timestamptz, boolean) to authenticated;

create function private.next_sending(
  conversation public.recruiting_conversations,
  kind text,
  out due_at timestamptz,
  out reason text
)
language plpgsql
stable
set search_path = ''
as $$
begin
  due_at := (private.sending_hours(conversation, kind)).opens_at;
  reason := case
    when due_at > now() then 'quiet_hours'
    when exists (
      select from public.service_numbers n where n.phone = conversation.service_phone and n.status = 'paused'
    ) then 'number_paused'
  end;
end
$$;

comment on function private.next_sending(public.recruiting_conversations, text) is
  'From when a text of this kind is due, and by what it is held until then: `quiet_hours`, `number_paused`, or null.';

create function private.sending_hours(
  conversation public.recruiting_conversations,
  kind text,
  out opens_at timestamptz,
  out closes_at timestamptz
)
language plpgsql
stable
set search_path = ''
as $$
declare
  -- A minute is left for the request and the provider's queue.
  enough constant interval := '60 seconds';
  state constant text := (select l.state from public.recruiting_leads l where l.id = conversation.recruiting_lead_id);
begin
  if kind = 'agent' and conversation.last_message_at > now() - interval '12 hours' then
    opens_at := now();
    return;
  end if;
  select w.opens_at, w.closes_at into opens_at, closes_at
  from private.text_window(conversation.recruit_phone, state, now()) w;
  if opens_at <= now() and closes_at < now() + enough then
    select w.opens_at, w.closes_at into opens_at, closes_at
    from private.text_window(conversation.recruit_phone, state, closes_at) w;
  end if;
end
$$;

comment on function private.sending_hours(public.recruiting_conversations, text) is
  'From when a text of this kind may be sent to the recruit, now or later, and until when. closes_at is null for an '
  'agent''s reply within 12 hours of the recruit''s own text, which may be sent at any hour.';

-- The number of segments that a text is sent in. A segment has 140 octets; of several, each begins with a header of 6
-- octets. The alphabet decides: GSM-7 (3GPP TS 23.038) has 7 bits for a character, and any other character makes the
-- whole text UCS-2, with 16 bits. Neither a character nor one with its accents and joined emoji is divided between two
-- segments.

create function private.text_segments(body text) returns integer
language plpgsql
immutable
set search_path = ''
as $$
declare
  gsm constant text :=
    '[]\n\f\r !"#$%&''()*+,./0-9:;<=>?@A-Z[\\^_a-z{|}~¡£¤¥§¿ÄÅÆÉÑÖØÜßàäåæÇèéìñòöøùüΓΔΘΛΞΠΣΦΨΩ€-]';
  -- These need an escape character before them.
  gsm_extension constant text := '[]\f[\\^{|}~€]';
  -- Marks after a character that stay with it: accents, variation selectors, skin tones, tags, and joined characters.
  -- Flags are pairs of letters of their own.
  character constant text :=
    '(?:[\U0001F1E6-\U0001F1FF]{2}|.)'
    '(?:[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20F0\uFE00-\uFE0F\uFE20-\uFE2F\U0001F3FB-\U0001F3FF'
    '\U000E0020-\U000E007F]|\u200D[\u2600-\u27BF\U0001F300-\U0001FAFF]?)*';
  is_gsm constant boolean := coalesce(body, '') !~ ('[^' || substr(gsm, 2));
  -- Characters of 7 bits, or pairs of octets: of a text in one segment, and of each of several segments.
  single constant integer := case when is_gsm then 160 else 70 end;
  part constant integer := case when is_gsm then 153 else 67 end;
  wide constant text := case when is_gsm then gsm_extension else '[\U00010000-\U0010FFFF]' end;
  segments integer := 1;
  used integer := 0;
  unit text;
  size integer;
begin
  if length(body) + regexp_count(body, wide) <= single then
    return 1;
  end if;
  for unit in
    select m[1] from regexp_matches(body, case when is_gsm then '.' else character end, 'g') m
  loop
    size := length(unit) + regexp_count(unit, wide);
    if used + size > part then
      segments := segments + 1;
      used := 0;
    end if;
    used := used + size;
  end loop;
  return segments;
end
$$;

comment on function private.text_segments(text) is
  'The number of segments that the SMS provider sends and charges for this text; 1 for an empty one. As Twilio''s '
  'sms-segments-calculator counts; it may differ by one where accents of rare scripts lie between two segments.';

-- supabase/schemas/texting/conversations.sql

-- Conversations: their begin, who may write in them, who has them.

create function public.start_conversation(
  recruiting_lead_id uuid,
  agent_id uuid default null,
  service_phone text default null
) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.current_agent();
  lead public.recruiting_leads;
  lead_agent_id uuid;
  conversation public.recruiting_conversations;
begin
  if caller.id is null or not private.lock_active_agent(caller.id) then
    raise exception 'only an active agent may start a conversation' using errcode = 'insufficient_privilege';
  end if;
  -- Before the lead is read, so that nobody takes it back from the agency meanwhile.
  perform private.lock_consent(
    caller.agency_id, (select l.phone from public.recruiting_leads l where l.id = start_conversation.recruiting_lead_id));
  select l.* into lead
  from public.recruiting_leads l
  where l.id = start_conversation.recruiting_lead_id
    and l.agency_id = caller.agency_id
    and (l.agent_id = caller.id or caller.role = 'manager');
  if not found then
    raise exception 'recruiting_lead_id: there is no such lead' using errcode = 'PT404';
  elsif not pg_input_is_valid(coalesce(lead.phone, ''), 'public.e164') then
    perform private.invalid_field('recruiting_lead_id', 'the lead has no phone number in E.164');
  elsif agent_id is not null and not (private.lock_active_agent(agent_id) and exists (
    select from public.agents a where a.id = start_conversation.agent_id and a.agency_id = lead.agency_id
  )) then
    perform private.invalid_field('agent_id', 'must be an active agent of the lead''s agency');
  elsif service_phone is not null and not exists (
    select
    from public.service_numbers n
    where n.phone = start_conversation.service_phone and n.agency_id = lead.agency_id
  ) then
    perform private.invalid_field('service_phone', 'must be a number of the lead''s agency');
  end if;
  perform private.refuse_banned('recruiting_lead_id', lead.agency_id, lead.phone, lead.id, 'suppressed');

  lead_agent_id := (select a.id from public.agents a where a.id = lead.agent_id and a.is_active);
  conversation := private.open_conversation(lead, coalesce(agent_id, lead_agent_id), service_phone);
  if conversation.id is null then
    raise exception 'recruiting_lead_id: its agency has no active service number' using errcode = 'PT409';
  end if;

  if conversation.status <> 'escalated' then
    update public.recruiting_conversations c
    set assigned_agent_id = coalesce(start_conversation.agent_id, lead_agent_id, c.assigned_agent_id)
    where c.id = conversation.id;
  elsif agent_id is not null then
    -- From a person it is taken in this way alone.
    perform public.assign_conversation(conversation.id, agent_id);
  end if;
  -- The texts stand in the conversation now, and its agent is notified of them there.
  update public.agent_notifications n
  set read_at = now()
  where n.lead_id = lead.id and n.kind = 'unmatched_text' and n.read_at is null;
  return jsonb_build_object('conversation_id', conversation.id, 'service_phone', conversation.service_phone);
end
$$;

comment on function public.start_conversation(uuid, uuid, text) is
  'The conversation with a lead''s recruit: with service_phone, the one with this number of the agency; otherwise the '
  'existing one with the number of the agency that the recruit knows, or a new one with its least used active number. It takes over the recruit''s unmatched texts to that number, and '
  'the notifications of them count as read. The '
  'lead''s agent may call it, and a manager of its agency. It is assigned to the agent named, else to the lead''s. One '
  'that is escalated already goes to the agent named as assign_conversation() says, with its errors, else it stays as it is. '
  'Returns {conversation_id, service_phone}. '
  'Errors: 42501 (HTTP 403) when the caller is no active agent; PT404 for an unknown lead or another agent''s; 22023 '
  '(400) when the lead has no phone in E.164, or the named agent or number is none of the agency; PT403 '
  'when the recruit is suppressed; PT409 when the agency has no active number. '
  'Security definer because agents may not write the tables.';
grant execute on function public.start_conversation(uuid, uuid, text) to authenticated;

create function private.writer() returns public.agents
language plpgsql
set search_path = ''
as $$
declare
  caller constant public.agents := private.current_agent();
begin
  if caller.id is null or not private.lock_active_agent(caller.id) then
    raise exception 'only an active agent may write to recruits' using errcode = 'insufficient_privilege';
  end if;
  return caller;
end
$$;

comment on function private.writer() is
  'The active agent who is signed in, and does not leave before the transaction ends. 42501 when there is none.';

create function private.may_write(caller public.agents, conversation public.recruiting_conversations) returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return conversation.agency_id = caller.agency_id
    and (
      caller.role = 'manager'
      or conversation.assigned_agent_id = caller.id
      or conversation.assigned_agent_id is null and exists (
        select from public.recruiting_leads l where l.id = conversation.recruiting_lead_id and l.agent_id = caller.id
      )
    );
end
$$;

comment on function private.may_write(public.agents, public.recruiting_conversations) is
  'Whether this agent may write in a conversation: of those who may read it, the agency''s managers and one agent, the '
  'assigned one or else the lead''s.';

create function private.lock_to_write(caller public.agents, conversation_id uuid) returns public.recruiting_conversations
language plpgsql
set search_path = ''
as $$
declare
  conversation public.recruiting_conversations;
begin
  select c.* into conversation
  from public.recruiting_conversations c
  where c.id = lock_to_write.conversation_id and private.may_write(caller, c)
  for no key update;
  if not found then
    raise exception 'conversation_id: there is no such conversation' using errcode = 'PT404';
  end if;
  return conversation;
end
$$;

comment on function private.lock_to_write(public.agents, uuid) is
  'A conversation in which this agent may write, locked. PT404 for any other.';

create function private.notify_of_new_owner(conversations public.recruiting_conversations[], agent_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  changing constant public.recruiting_conversations[] := array(
    select c
    from unnest(conversations) c
    where c.status <> 'escalated' or c.assigned_agent_id <> notify_of_new_owner.agent_id
  );
begin
  -- Others need not answer any more, and the agent has not lost it any more.
  update public.agent_notifications n
  set read_at = now()
  from unnest(changing) c
  where n.conversation_id = c.id
    and n.read_at is null
    and case n.kind
      when 'taken_over' then n.agent_id = notify_of_new_owner.agent_id
      else n.agent_id <> notify_of_new_owner.agent_id
    end;
  insert into public.agent_notifications (agent_id, conversation_id, kind, by_agent_id, others, read_at)
  select
    l.agent_id, l.id, 'taken_over', notify_of_new_owner.agent_id,
    case when l.place = 1 then nullif(l.lost - 1, 0) end,
    -- The first has a notification. The others say that the agent had them, and may ask for them. Who does it knows it.
    case when l.place > 1 or l.agent_id = private.current_agent_id() then now() end
  from (
    select
      before as agent_id, c.id, row_number() over (partition by before order by c.id) as place,
      count(*) over (partition by before) as lost
    from unnest(changing) c
    cross join private.answering_agent(c) before
    where before <> notify_of_new_owner.agent_id
  ) l
  order by l.agent_id, l.place;
end
$$;

comment on function private.notify_of_new_owner(public.recruiting_conversations[], uuid) is
  'Notifies each agent who was to answer in some of these conversations, once, that this agent has them from now on (kind '
  '`taken_over`). A manager who gives the own ones away is not notified. The earlier notifications of others about them count as read. One '
  'that the agent has already is passed over. conversations: as they were before, and locked.';

create function public.assign_conversation(conversation_id uuid, agent_id uuid) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.writer();
  conversation public.recruiting_conversations;
begin
  if agent_id is null then
    perform private.invalid_field('agent_id', 'is required');
  elsif agent_id <> caller.id and caller.role <> 'manager' then
    perform private.invalid_field('agent_id', 'must be your own; only a manager may name another agent');
  elsif not (private.lock_active_agent(agent_id) and exists (
    select from public.agents a where a.id = assign_conversation.agent_id and a.agency_id = caller.agency_id
  )) then
    perform private.invalid_field('agent_id', 'must be an active agent of the agency');
  end if;

  conversation := private.lock_to_write(caller, conversation_id);
  if conversation.status <> 'escalated' or conversation.assigned_agent_id <> agent_id then
    perform private.refuse_waiting_texts(conversation.id, 'taken_over', 'bot');
    update public.recruiting_conversations c
    set status = 'escalated', assigned_agent_id = assign_conversation.agent_id
    where c.id = conversation.id;
    perform private.notify_of_new_owner(array[conversation], agent_id);
    if agent_id <> caller.id then
      perform private.notify_agents(conversation.id, null, 'handoff', 'assigned');
    end if;
  end if;
  return jsonb_build_object(
    'conversation_id', conversation.id, 'status', 'escalated', 'assigned_agent_id', agent_id);
end
$$;

comment on function public.assign_conversation(uuid, uuid) is
  'Gives a conversation to an agent, who is notified, unless it is the caller. A user who may write in it takes it over by naming '
  'itself; a manager may name any active agent of the agency. The bot says nothing more. Who had it is notified, and the earlier '
  'notifications of others about it count as read. Returns {conversation_id, '
  'status: escalated, assigned_agent_id}, also when the agent has it already. Errors: 22023 (HTTP 400) names agent_id; '
  '42501 (403) when the caller is no active agent; PT404 for a conversation in which the caller may not write. '
  'Security definer because agents may not write the tables.';
grant execute on function public.assign_conversation(uuid, uuid) to authenticated;

create function public.assign_conversations(ids uuid[], agent uuid) returns jsonb
language plpgsql
security definer
set search_path = ''
set lock_timeout = '2s'
as $$
declare
  caller constant public.agents := private.writer();
  locked public.recruiting_conversations[];
  given public.recruiting_conversations[];
begin
  if caller.role <> 'manager' then
    raise exception 'only a manager may give several conversations away' using errcode = 'insufficient_privilege';
  elsif coalesce(cardinality(ids), 0) not between 1 and 200 then
    perform private.invalid_field('ids', 'must be 1 to 200 conversations');
  elsif agent is null or not (private.lock_active_agent(agent) and exists (
    select from public.agents a where a.id = assign_conversations.agent and a.agency_id = caller.agency_id
  )) then
    perform private.invalid_field('agent', 'must be an active agent of the agency');
  end if;

  locked := array(
    select c
    from public.recruiting_conversations c
    where c.id = any (ids) and c.agency_id = caller.agency_id
    -- In one order, so that two managers never wait for each other.
    order by c.id
    for no key update
  );
  given := array(select c from unnest(locked) c where c.status <> 'escalated' or c.assigned_agent_id <> agent);
  perform private.refuse_waiting_texts(g.id, 'taken_over', 'bot') from unnest(given) g;
  update public.recruiting_conversations c
  set status = 'escalated', assigned_agent_id = assign_conversations.agent
  from unnest(given) g
  where c.id = g.id;
  perform private.notify_of_new_owner(given, agent);
  -- The agent is notified once, of the first.
  if cardinality(given) > 0 and agent <> caller.id then
    insert into public.agent_notifications (agent_id, conversation_id, kind, reason, others)
    values (agent, given[1].id, 'handoff', 'assigned', nullif(cardinality(given) - 1, 0));
  end if;
  return jsonb_build_object('given', cardinality(given), 'not_given', (
    select coalesce(jsonb_agg(i), '[]')
    from unnest(ids) i
    where not exists (
      select from public.recruiting_conversations c where c.id = i and c.agency_id = caller.agency_id
    )
  ));
end
$$;

comment on function public.assign_conversations(uuid[], uuid) is
  'Gives up to 200 conversations of a manager''s agency to one of its active agents, who is notified once. Each who had some of '
  'them is notified once, too. One that the agent has already stays as it is. Returns {given, not_given: [id]}: how many have '
  'changed hands, and the ids that are none of the agency''s. Errors: 22023 (HTTP 400) names ids or agent; 42501 (403) when the '
  'caller is no active manager; 55P03 when others have locked one for 2 seconds: then none has changed. '
  'Security definer because agents may not write the tables.';
grant execute on function public.assign_conversations(uuid[], uuid) to authenticated;

create function public.ask_for_conversation(conversation_id uuid) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.writer();
  conversation public.recruiting_conversations;
begin
  select c.* into conversation
  from public.recruiting_conversations c
  where c.id = ask_for_conversation.conversation_id
    and c.agency_id = caller.agency_id
    and (
      private.may_write(caller, c)
      or exists (
        select from public.recruiting_leads l where l.id = c.recruiting_lead_id and l.agent_id = caller.id
      )
      or exists (
        select from public.agent_notifications n
        where n.conversation_id = c.id and n.agent_id = caller.id and n.kind = 'taken_over'
      )
    )
  -- Another transaction may be assigning the conversation to the caller.
  for share;
  if not found then
    raise exception 'conversation_id: there is no such conversation' using errcode = 'PT404';
  elsif private.may_write(caller, conversation) then
    raise exception 'conversation_id: you may write in this conversation already' using errcode = 'PT409';
  elsif not exists (
    select from public.agents m where m.agency_id = caller.agency_id and m.role = 'manager' and m.is_active
  ) then
    raise exception 'conversation_id: the agency has no active manager who could give it to you' using errcode = 'PT409';
  end if;

  insert into public.agent_notifications (agent_id, conversation_id, kind, by_agent_id)
  select m.id, conversation.id, 'asked_for', caller.id
  from public.agents m
  where m.agency_id = conversation.agency_id
    and m.role = 'manager'
    and m.is_active
    and (
      m.id = conversation.assigned_agent_id
      or not exists (
        select from public.agents o
        where o.id = conversation.assigned_agent_id and o.role = 'manager' and o.is_active
      )
    )
  order by m.id
  on conflict do nothing;
  return jsonb_build_object('conversation_id', conversation.id);
end
$$;

comment on function public.ask_for_conversation(uuid) is
  'Asks the manager who has a conversation to give it to the caller, or each active manager of the agency where no manager '
  'has it. They are notified (kind `asked_for` of agent_notifications), once until they have read it. The recruit''s agent may '
  'ask, and the agent who has lost the conversation. Returns {conversation_id}. Errors: 42501 (HTTP 403) when the caller is no '
  'active agent; PT404 for any other conversation; PT409 when the caller may write in it already, or '
  'the agency has no active manager. '
  'Security definer because agents may not write the tables.';
grant execute on function public.ask_for_conversation(uuid) to authenticated;

create function private.unanswered_since(conversation public.recruiting_conversations) returns timestamptz
language plpgsql
stable
set search_path = ''
as $$
begin
  if private.texting_ban(conversation.agency_id, conversation.recruit_phone, conversation.recruiting_lead_id) is not null then
    return null;
  end if;
  return (
    select m.created_at
    from public.recruiting_messages m
    where m.conversation_id = conversation.id
      and m.direction = 'inbound'
      and m.created_at > coalesce(
        (
          select answer.created_at
          from public.recruiting_messages answer
          where answer.conversation_id = conversation.id
            and answer.direction = 'outbound'
            and answer.status is distinct from 'failed'
          order by answer.created_at desc
          limit 1
        ),
        '-infinity')
    order by m.created_at
    limit 1
  );
end
$$;

comment on function private.unanswered_since(public.recruiting_conversations) is
  'The value of waiting_since once one of our texts is not sent after all: the recruit''s first text since our latest one that has '
  'not failed. Null without one, after an opt-out, and of a suppressed recruit.';

-- supabase/schemas/texting/waiting.sql

-- Who waits for an answer: an agent may say that none is needed, or put it off.

create function private.lock_what_was_read(conversation_id uuid, read_up_to timestamptz)
returns public.recruiting_conversations
language plpgsql
set search_path = ''
as $$
declare
  conversation constant public.recruiting_conversations := private.lock_to_write(private.writer(), conversation_id);
begin
  if conversation.last_message_at > read_up_to then
    raise exception 'read_up_to: the recruit has written meanwhile' using errcode = 'PT409';
  end if;
  return conversation;
end
$$;

comment on function private.lock_what_was_read(uuid, timestamptz) is
  'A conversation in which the caller may write, locked. PT409 when the recruit has written after read_up_to, which is the '
  'created_at of the latest text that the caller has read; null: nothing is compared. Other errors as private.lock_to_write().';

create function public.no_reply_needed(conversation_id uuid, read_up_to timestamptz default null) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  conversation constant public.recruiting_conversations := private.lock_what_was_read(conversation_id, read_up_to);
begin
  update public.recruiting_conversations c
  set waiting_since = null, snoozed_until = null
  where c.id = conversation.id and c.due_since is not null;
  return jsonb_build_object('conversation_id', conversation.id);
end
$$;

comment on function public.no_reply_needed(uuid, timestamptz) is
  'The conversation is not due any more: waiting_since and snoozed_until are null until the next text, or reply_needed(). '
  'read_up_to: the created_at of the recruit''s latest text that the caller has read. Returns {conversation_id}. Errors: '
  '42501 (HTTP 403) when the caller is no active agent; PT404 for a conversation in which the caller may not write; PT409 '
  'when the recruit has written after read_up_to. '
  'Security definer because agents may not write the tables.';
grant execute on function public.no_reply_needed(uuid, timestamptz) to authenticated;

create function public.reply_needed(conversation_id uuid) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  conversation constant public.recruiting_conversations := private.lock_to_write(private.writer(), conversation_id);
  unanswered constant timestamptz := private.unanswered_since(conversation);
begin
  update public.recruiting_conversations c
  set
    waiting_since = unanswered,
    -- What was due without a text is due again by the time alone.
    snoozed_until = case
      when unanswered is null and private.texting_ban(c.agency_id, c.recruit_phone, c.recruiting_lead_id) is null then now()
    end
  where c.id = conversation.id and c.due_since is null;
  return jsonb_build_object('conversation_id', conversation.id);
end
$$;

comment on function public.reply_needed(uuid) is
  'Takes no_reply_needed() back: the recruit waits since the first text that we have not answered. Where each is answered, the '
  'conversation is due from now on. One who has opted out or is suppressed is not. Returns {conversation_id}. Errors: 42501 (HTTP 403) when the '
  'caller is no active agent; PT404 for a conversation in which the caller may not write. '
  'Security definer because agents may not write the tables.';
grant execute on function public.reply_needed(uuid) to authenticated;

create function public.snooze_conversation(id uuid, until timestamptz, read_up_to timestamptz default null) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  conversation constant public.recruiting_conversations := private.lock_what_was_read(id, read_up_to);
begin
  if until <= now() then
    perform private.invalid_field('until', 'must be in the future');
  elsif until > now() + interval '90 days' then
    perform private.invalid_field('until', 'must be within 90 days');
  end if;
  update public.recruiting_conversations c
  set snoozed_until = snooze_conversation.until
  where c.id = conversation.id;
  return jsonb_build_object('conversation_id', conversation.id, 'snoozed_until', until);
end
$$;

comment on function public.snooze_conversation(uuid, timestamptz, timestamptz) is
  'Puts a conversation off: until then it is not due, and nobody is notified that the recruit waits. Then it is due, also where '
  'the recruit does not wait. A text of the recruit or of an agent ends it, and so does null. read_up_to: as of '
  'no_reply_needed(). Returns {conversation_id, snoozed_until}. Errors: 22023 (HTTP 400) for a time that has passed, or more '
  'than 90 days ahead; 42501 (403) when the caller is no active agent; PT404 for a conversation in which the caller may not '
  'write; PT409 when the recruit has written after read_up_to. '
  'Security definer because agents may not write the tables.';
grant execute on function public.snooze_conversation(uuid, timestamptz, timestamptz) to authenticated;

-- supabase/schemas/texting/text_limits.sql

-- How much a user may send and upload. A person who types never comes near it; a page with a bug, or a stolen password,
-- costs money, holds up the number, and brings complaints of recruits.

create table private.text_limits (
  is_only boolean primary key default true check (is_only),
  waiting_texts integer not null default 10 check (waiting_texts > 0),
  texts_a_minute integer not null default 60 check (texts_a_minute > 0),
  files_an_hour integer not null default 30 check (files_an_hour > 0)
);

insert into private.text_limits default values;

comment on table private.text_limits is 'The limits of what users send and upload: one row, which the administrator may change.';
comment on column private.text_limits.waiting_texts is
  'Texts of agents that may wait in one conversation. Nobody writes ten texts to a person before the first has left.';
comment on column private.text_limits.texts_a_minute is
  'Texts that one user may send in a minute. Nobody types one each second.';
comment on column private.text_limits.files_an_hour is
  'Files that users may add to one conversation in an hour: as many as three texts hold.';

alter table private.text_limits enable row level security;
grant select, update on private.text_limits to service_role;

create function private.require_room(conversation_id uuid, agent_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  limits private.text_limits;
  seconds integer;
begin
  select l.* into limits from private.text_limits l;
  if (
    select count(*) >= limits.waiting_texts
    from public.text_outbox o
    where o.conversation_id = require_room.conversation_id and o.state = 'pending' and o.kind = 'agent'
  ) then
    raise exception 'conversation_id: % texts already wait to be sent to this recruit; send the next when one of them has left',
      private.quoted(limits.waiting_texts) using errcode = 'PT429';
  end if;
  seconds := private.seconds_until_allowed('texts of agent ' || agent_id, limits.texts_a_minute);
  if seconds is not null then
    raise exception 'you have sent % texts in a minute; send the next in % seconds',
      private.quoted(limits.texts_a_minute), private.quoted(seconds) using errcode = 'PT429', detail = private.quoted(seconds);
  end if;
end
$$;

comment on function private.require_room(uuid, uuid) is
  'Counts a text of this agent to this conversation, which the caller has locked. PT429 beyond private.text_limits; its '
  'detail is the number of seconds to wait, where that is known.';

create function private.may_add_file(conversation_id uuid) returns boolean
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return (
    select count(*)
    from storage.objects o
    where o.bucket_id = 'text-media'
      -- By the index of names. A copy of a recruit's file has no owner.
      and o.name ~>=~ (conversation_id || '/') and o.name ~<~ (conversation_id || '0')
      and o.owner_id is not null
      and o.created_at > now() - interval '1 hour'
  ) < (select l.files_an_hour from private.text_limits l);
end
$$;

comment on function private.may_add_file(uuid) is
  'Whether users may add another file to the conversation by private.text_limits. Uploads that are under way at the same time '
  'do not count each other. '
  'Security definer because users do not read all files of a conversation, nor the limits.';
grant execute on function private.may_add_file(uuid) to authenticated;

-- supabase/schemas/texting/send.sql

-- An agent sends a text: it is checked, and queued.

create function public.send_text(
  conversation_id uuid,
  body text,
  client_message_id uuid,
  media jsonb default '[]',
  take_over boolean default false
) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  max_length constant integer := 1600;
  caller constant public.agents := private.writer();
  files jsonb;
  conversation public.recruiting_conversations;
  owner text;
  queued public.text_outbox;
  is_duplicate boolean;
begin
  files := private.read_media(media, conversation_id);
  if private.visible_text(coalesce(body, '')) !~ '[^ \n]' and files = '[]' then
    perform private.invalid_field('body', 'must not be empty');
  elsif private.utf16_length(body) > max_length then
    perform private.invalid_field('body', format(
      'must have at most %s characters, counted in UTF-16 units (most emoji have 2 or more)', max_length));
  elsif client_message_id is null then
    perform private.invalid_field('client_message_id', 'is required');
  end if;

  -- A repeated call waits here while the first one is still running. Its text is found also where the conversation has
  -- changed hands since.
  select c.* into conversation
  from public.recruiting_conversations c
  where c.id = send_text.conversation_id and c.agency_id = caller.agency_id
  for no key update;
  select o.* into queued
  from public.text_outbox o
  where o.conversation_id = conversation.id and o.client_message_id = send_text.client_message_id;
  is_duplicate := found;

  if not is_duplicate then
    conversation := private.lock_to_write(caller, conversation_id);
    select concat_ws(' ', a.first_name, a.last_name) into owner
    from public.agents a
    where a.id = conversation.assigned_agent_id and a.id <> caller.id and a.is_active and conversation.status = 'escalated';
    if found and take_over is not true then
      raise exception 'take_over: % has this conversation', private.quoted(owner) using errcode = 'PT409';
    end if;
    if not exists (
      select from public.service_numbers n
      where n.phone = conversation.service_phone and n.agency_id = conversation.agency_id
    ) then
      raise exception 'conversation_id: its number is not one of the agency''s service numbers' using errcode = 'PT409';
    end if;
    perform private.refuse_banned(
      'conversation_id', conversation.agency_id, conversation.recruit_phone, conversation.recruiting_lead_id);
    perform private.require_room(conversation.id, caller.id);
    perform private.refuse_waiting_texts(conversation.id, 'taken_over', 'bot');
    perform private.notify_of_new_owner(array[conversation], caller.id);
    queued := private.queue_text(conversation.id, 'agent', body, files, client_message_id, caller.id);
  end if;

  return jsonb_build_object(
    'message_id', queued.message_id,
    'status', case when is_duplicate then 'duplicate' when queued.reason is null then 'queued' else 'held' end,
    'due_at', queued.due_at,
    'segments', queued.segments
  );
end
$$;

comment on function public.send_text(uuid, text, uuid, jsonb, boolean) is
  'Queues a text of the signed-in agent: the conversation''s assigned agent, without one the agent of its lead, or a '
  'manager of its agency. body: at most 1,600 UTF-16 units, with something to see in it; may be empty with media, at '
  'most 10 of {url, content_type}. A `bot` conversation is taken over: it becomes escalated, and the sender''s; the '
  'bot''s texts that wait are refused. One that another active agent has is taken over with take_over, which managers '
  'may; that agent is notified (see agent_notifications). Returns {message_id, status: queued|held|duplicate, due_at, '
  'segments}: held by quiet hours or a paused number; duplicate for a client_message_id that the conversation has, with '
  'the values of the first call, also for another owner. Errors: 22023 (HTTP 400) names the field; 42501 (403) when the '
  'caller is no active agent; PT404 for an unknown conversation or another agent''s; PT403 when the recruit has opted '
  'out or is suppressed; PT409 when another agent has the conversation, whom `take_over: <name> has this conversation` names, and when '
  'the conversation''s number is not one of the agency''s; PT429 (429) beyond private.text_limits: too many texts wait in '
  'the conversation, or the caller has sent too many in a minute. '
  'Security definer because agents may not write the tables.';
grant execute on function public.send_text(uuid, text, uuid, jsonb, boolean) to authenticated;

create function private.read_media(media jsonb, conversation_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  max_items constant integer := 10;
  files constant jsonb := coalesce(nullif(media, 'null'), '[]');
  item jsonb;
  path text;
  url text;
  content_type text;
  result jsonb := '[]';
begin
  if jsonb_typeof(files) <> 'array' then
    perform private.invalid_field('media', 'must be an array');
  elsif jsonb_array_length(files) > max_items then
    perform private.invalid_field('media', format('must have at most %s items', max_items));
  end if;
  for item in select i from jsonb_array_elements(files) with ordinality e (i, n) order by n loop
    path := format('media[%s]', jsonb_array_length(result));
    perform private.require_fields(item, path, array['url', 'content_type']);
    url := private.text_field(item, path, 'url', is_required => true);
    -- A name that an address could read as a way to another folder must not get to the worker, who may sign any file.
    if url !~ '^https://[^[:space:]/]+(/[^[:space:]]*)?$'
      and url !~ format('^text-media/%s/(?!\.+$)[-A-Za-z0-9!_.*''()&$@=;:+,]{1,200}$', conversation_id)
    then
      perform private.invalid_field(
        path || '.url',
        'must begin with https://, or be text-media/<conversation_id>/<name> with a name of A-Z, a-z, 0-9 and '
          '!-_.*''()&$@=;:+,');
    elsif length(url) > 2000 then
      perform private.invalid_field(path || '.url', 'must have at most 2000 characters');
    end if;
    content_type := private.text_field(item, path, 'content_type', is_required => true);
    if length(content_type) > 255 then
      perform private.invalid_field(path || '.content_type', 'must have at most 255 characters');
    end if;
    result := result || jsonb_build_object('url', url, 'content_type', content_type);
  end loop;
  return result;
end
$$;

comment on function private.read_media(jsonb, uuid) is
  'Reads and checks the media of a text: at most 10 of {url, content_type}. A url is https, or names an object of the '
  'conversation in the bucket text-media, by characters that stand for themselves in a URL.';

-- A text is sent once more, by an agent or an operator, or not at all.

create function private.retry_text(message_id uuid) returns public.text_outbox
language plpgsql
set search_path = ''
as $$
declare
  conversation public.recruiting_conversations;
  failed public.text_outbox;
  problem text;
begin
  select c.* into conversation
  from public.text_outbox o
  join public.recruiting_conversations c on c.id = o.conversation_id
  where o.message_id = retry_text.message_id;
  if not found then
    raise exception 'message_id: there is no such text' using errcode = 'PT404';
  end if;

  -- The consent's lock before rows, as everywhere.
  perform private.lock_consent(conversation.agency_id, conversation.recruit_phone);
  perform from public.recruiting_conversations c where c.id = conversation.id for no key update;
  select o.* into failed from public.text_outbox o where o.message_id = retry_text.message_id for update;

  problem := case
    when exists (
      select
      from public.recruiting_messages m
      where m.id = retry_text.message_id and m.provider_message_id is not null
    ) or failed.state = 'accepted' then 'the provider has accepted this text'
    when failed.state = 'refused' then format('this text was refused (%s)', failed.reason)
    when failed.state in ('pending', 'sending') then 'this text is not sent yet'
    when failed.state = 'unconfirmed' and failed.due_at < 'infinity' then
      'the provider is still being asked for this text'
  end;
  if problem is not null then
    raise exception 'message_id: %', private.quoted(problem) using errcode = 'PT409';
  end if;
  perform private.refuse_banned(
    'message_id', conversation.agency_id, conversation.recruit_phone, conversation.recruiting_lead_id);

  update public.recruiting_messages m
  set status = null, error_code = null, failed_at = null
  where m.id = retry_text.message_id;
  update public.recruiting_conversations c
  set waiting_since = private.unanswered_since(c)
  where c.id = conversation.id;
  -- So that the agent is notified if it fails again.
  delete from public.agent_notifications n
  where n.message_id = retry_text.message_id and n.kind = 'failed';
  update public.text_outbox o
  set state = 'pending', due_at = d.due_at, first_due_at = d.due_at, reason = d.reason, lease_until = null, lookups = 0, resends = 0
  from private.next_sending(conversation, failed.kind) d
  where o.message_id = retry_text.message_id
  returning o.* into failed;
  return failed;
end
$$;

comment on function private.retry_text(uuid) is
  'Makes a text that has failed, or of which the provider will not be asked any more, due once more, when its hours and '
  'number allow. One that is unconfirmed may then be sent twice. PT404 for an unknown text; PT409 when it waits, is '
  'being sent, was accepted or refused; PT403 when the recruit has opted out or is suppressed.';

create function public.retry_text(message_id uuid) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.writer();
  retried public.text_outbox;
begin
  -- No row is locked before the consent.
  if not exists (
    select
    from public.text_outbox o
    join public.recruiting_conversations c on c.id = o.conversation_id
    where o.message_id = retry_text.message_id and private.may_write(caller, c)
  ) then
    raise exception 'message_id: there is no such text' using errcode = 'PT404';
  end if;
  retried := private.retry_text(message_id);
  return jsonb_build_object(
    'message_id', retried.message_id,
    'status', case when retried.reason is null then 'queued' else 'held' end,
    'due_at', retried.due_at);
end
$$;

comment on function public.retry_text(uuid) is
  'Sends a text once more that has failed, or of which nobody knows whether it was sent: the recruit may then get it '
  'twice. For a user who may write in its conversation. Returns {message_id, status: queued|held, due_at}. Errors: 42501 '
  '(HTTP 403) when the caller is no active agent; PT404 for another text; PT409 when it waits, is being sent, was '
  'accepted or refused; PT403 when the recruit has opted out or is suppressed. '
  'Security definer because agents may not write the tables.';
grant execute on function public.retry_text(uuid) to authenticated;

create function public.cancel_text(message_id uuid) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.writer();
  conversation public.recruiting_conversations;
  waiting public.text_outbox;
begin
  select c.* into conversation
  from public.recruiting_conversations c
  where c.id = (select o.conversation_id from public.text_outbox o where o.message_id = cancel_text.message_id)
    and private.may_write(caller, c)
  for no key update;
  if not found then
    raise exception 'message_id: there is no such text' using errcode = 'PT404';
  end if;

  -- A worker that claims it comes before or after.
  select o.* into waiting from public.text_outbox o where o.message_id = cancel_text.message_id for update;
  if waiting.state = 'pending' then
    update public.text_outbox o set state = 'refused', reason = 'cancelled' where o.message_id = waiting.message_id;
    update public.recruiting_messages m
    set status = 'failed', failed_at = coalesce(m.failed_at, now())
    where m.id = waiting.message_id;
    update public.recruiting_conversations c
    set waiting_since = private.unanswered_since(c)
    where c.id = conversation.id;
  elsif (waiting.state, waiting.reason) is distinct from ('refused', 'cancelled') then
    raise exception 'message_id: %', private.quoted(case
      when waiting.state in ('sending', 'unconfirmed') then 'this text is being sent already'
      when waiting.state = 'accepted' then 'this text was sent'
      else 'this text was not sent'
    end) using errcode = 'PT409';
  end if;
  return jsonb_build_object('message_id', waiting.message_id, 'status', 'cancelled');
end
$$;

comment on function public.cancel_text(uuid) is
  'A text that waits is never sent: it is refused with the reason `cancelled`, and its message has failed. The recruit waits '
  'again for an answer, unless there is another. For a user who may write in its conversation. Returns {message_id, status: '
  'cancelled}, also when it was cancelled before. Errors: 42501 (HTTP 403) when the caller is no active agent; PT404 for '
  'another text; PT409 when it is being sent, was sent, or ended otherwise. '
  'Security definer because agents may not write the tables.';
grant execute on function public.cancel_text(uuid) to authenticated;

-- The bucket for the files of texts: <conversation id>/<name>. It is private. Twilio gets a file of an agent's text by
-- a URL that is signed for a day; one of a recruit's text is the worker's copy. Size and types are those that Twilio
-- takes and that phones show and make.
insert into storage.buckets as b (id, name, public, file_size_limit, allowed_mime_types)
values ('text-media', 'text-media', false, 5 * 1024 * 1024, array[
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'image/heic',
  'application/pdf',
  'text/vcard',
  'video/mp4',
  'video/3gpp',
  'audio/mpeg',
  'audio/amr'
])
on conflict (id) do update
set
  public = excluded.public,
  file_size_limit = excluded.file_size_limit,
  allowed_mime_types = excluded.allowed_mime_types;

create function private.conversation_of_file(name text) returns uuid
language sql
immutable
set search_path = ''
as $$
  select case
    when name ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[^/]+$' then left(name, 36)::uuid
  end
$$;

comment on function private.conversation_of_file(text) is
  'The conversation that a file in the bucket `text-media` belongs to, by its name; null for a name of another form.';
grant execute on function private.conversation_of_file(text) to authenticated;

-- The policies of recruiting_conversations apply inside the subqueries. A recruit's agent reads a conversation that
-- another agent has, but only that agent and managers write in it. A file is never replaced: its text may be on its
-- way.
create policy "writers of a conversation add files to it" on storage.objects
  for insert to authenticated
  with check (
    bucket_id = 'text-media'
    and exists (
      select
      from public.recruiting_conversations c
      where c.id = private.conversation_of_file(objects.name)
        and (
          c.assigned_agent_id is null
          or c.assigned_agent_id = (select private.current_agent_id())
          or c.agency_id = (select private.managed_agency_id())
        )
    )
    and private.may_add_file(private.conversation_of_file(name))
  );

create policy "readers of a conversation open its files" on storage.objects
  for select to authenticated
  using (
    bucket_id = 'text-media'
    and exists (
      select from public.recruiting_conversations c where c.id = private.conversation_of_file(objects.name)
    )
  );

-- supabase/schemas/texting/claim.sql

-- The claim: the worker takes texts of the outbox to post them, or to look them up.
--
-- | from | by | to |
-- | --- | --- | --- |
-- | pending, due | claim_texts() | sending |
-- | pending, due | claim_texts(), in quiet hours | pending, due when they end |
-- | pending | claim_texts() or record_consent(), the recruit has opted out | refused |
-- | pending | claim_texts(), the recruit is suppressed | refused |
-- | pending | claim_texts(), a greeting that could have been sent a day ago | refused |
-- | sending | outcome accepted | accepted |
-- | sending | outcome unconfirmed: the response was lost | unconfirmed, due in 20 s |
-- | sending | outcome later, credentials or number_paused: nothing was sent | pending |
-- | pending, due | hold_texts(): no account is set | pending, still due, with the reason |
-- | sending | outcome opted_out | refused |
-- | sending | outcome failed | failed |
-- | sending, lease over | claim_texts(): its worker is dead | unconfirmed, due now |
-- | unconfirmed, due | claim_texts(), for a look-up | unconfirmed, due in 60 s |
-- | unconfirmed | look-up: the provider knows it | accepted |
-- | unconfirmed | look-up: unknown, the first time | unconfirmed, due 2 min after |
-- | unconfirmed | look-up: unknown again | pending, to be sent once more |
-- | unconfirmed | the same, where nothing may be sent again | unconfirmed, due never |
-- | unconfirmed, resent | look-up: unknown 10 min after it was sent again | failed |
-- | the same | its worker has died, so that it may never have left | pending, at most 5 times in all |
-- | failed, not accepted | an operator: retry_text() | pending |
-- | unconfirmed, never | the same | pending |
-- | any | a callback with our id, a MessageSid and a status that we know: accept_text() | accepted |
--
-- Reports may be late or repeated. So a report changes a text only while the text is still in the state and in the
-- claim that the report is about. Both are compared under the row's lock. A report that a text was sent counts at any
-- time.
--
-- The functions read by the indexes of the outbox in their order. A plan that was made while the outbox was small would
-- read all of it once it has grown, so their settings leave the planner no other way.
--
-- No text is sent after an opt-out: claim_texts() has the lock of the recruit's consent from its check until the text is
-- `sending`. By the same lock only one worker at a time claims texts of a conversation.

create function private.is_behind(conversation_id uuid, ordinal bigint) returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (
    select
    from public.text_outbox o
    where o.conversation_id = is_behind.conversation_id
      and o.state in ('pending', 'sending', 'unconfirmed')
      and o.ordinal <> is_behind.ordinal
      and case o.state
        when 'sending' then true
        when 'unconfirmed' then o.due_at < 'infinity'
        -- One that has been claimed before keeps its place while it waits to be tried again. So does one that is about
        -- to be due: of two that are queued at once, the first may have a later due_at, and this transaction a still
        -- earlier now().
        else o.ordinal < is_behind.ordinal
          and (
            o.due_at <= now()
            or o.reason is distinct from 'quiet_hours' and (o.claim > 0 or o.due_at <= now() + interval '1 minute')
          )
      end
  );
end
$$;

comment on function private.is_behind(uuid, bigint) is
  'Whether another text of the conversation must be sent before the one with this ordinal: one that is on its way, or an '
  'earlier one that is due, or will be within a minute. One that quiet hours hold does not count.';

create function private.is_text_due() returns boolean
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_incremental_sort = off
-- The same settings as of claim_texts(): both keep the plans of the functions that they share.
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  return coalesce(
    (select w.due_at from private.waiting_greetings w order by w.due_at limit 1) <= now()
      or (select w.due_at from private.waiting_take_overs w order by w.due_at limit 1) <= now()
      or (select o.lease_until from public.text_outbox o where o.state = 'sending' order by o.lease_until limit 1) <= now()
      or (select o.due_at from public.text_outbox o where o.state = 'unconfirmed' order by o.due_at limit 1) <= now()
      or exists (
        select
        from private.due_numbers() n
        cross join lateral private.next_texts(n, 1)
        where n.busy_until <= now() + interval '1 second'
      ),
    false);
end
$$;

comment on function private.is_text_due() is
  'Whether a text, a greeting or a take-over is due. Cheap: by indexes of open rows, with any number of sent texts.';

-- The worker's way to texts to post and to look up.
--
-- For each number one statement takes the locks of the recruits' consents, and the next one claims the texts.
-- Other ways were tried (2026, 2 cores, claims of ten texts):
--
-- - One statement for both reads everything as it was before its locks. A text could be sent after its recruit's STOP.
-- - Text by text, each with its own checks and updates: 10.8 ms where one number has 4,000 due texts, here 5.3 ms.
-- - The due texts of all numbers in one order: with 4,000 texts of a busy number before those of a free one 236 ms,
-- here 8 ms.

create function public.claim_texts(max integer) returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_incremental_sort = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  lookups jsonb;
  posts record;
begin
  perform private.note_worker();
  -- Look-ups come first, because the texts behind them wait. They leave room for others.
  lookups := private.claim_lookups((max + 1) / 2);
  posts := private.claim_posts(max - jsonb_array_length(lookups));
  return jsonb_build_object('texts', lookups || posts.texts, 'next_at', posts.next_at);
end
$$;

comment on function public.claim_texts(integer) is
  'Gives the worker up to max texts, each for 60 seconds: {texts: [{message_id, task: post|look_up, claim, kind, to, from, '
  'messaging_service_sid|null, body, media, validity_seconds|null, attempted_at}], next_at|null}. '
  'To post: due, the next of its conversation, its number active and not busy, no opt-out, no suppression, no quiet hours. It is '
  '`sending` from then on, and must be sent at once. To look up: unconfirmed and due. claim is the number of the claim, for '
  'record_text_outcome() and record_text_lookup(). validity_seconds: how long the provider may keep it. next_at: when to '
  'call again, although nothing becomes due, because a number is busy or another worker has locked a text.';
grant execute on function public.claim_texts(integer) to service_role;

create function private.note_worker() returns void
language plpgsql
set search_path = ''
as $$
begin
  -- A run is noted every 30 seconds, so that most claims only read, and no claim waits for another.
  if not exists (
    -- A clock that was a day ahead was wrong.
    select
    from private.job_runs j
    where j.job = 'send texts' and j.started_at between now() - interval '30 seconds' and now() + interval '1 day'
  ) then
    insert into private.job_runs (job, started_at) values ('send texts', now()) on conflict do nothing;
    update private.job_runs j
    set started_at = now()
    where j.job = (select r.job from private.job_runs r where r.job = 'send texts' for no key update skip locked);
  end if;
end
$$;

comment on function private.note_worker() is 'Notes that the worker was called, for the alert `worker_late`.';

create function private.claim_posts(max integer, out texts jsonb, out next_at timestamptz)
language plpgsql
set search_path = ''
as $$
declare
  -- When to come again for what another worker has locked, and for what comes after texts that were held or refused.
  soon constant timestamptz := clock_timestamp() + interval '50 milliseconds';
  -- The time by which a number may be ahead of its rate
  burst constant interval := '1 second';
  number public.service_numbers;
  segment interval;
  found_texts record;
  claimed record;
begin
  texts := '[]';
  for number in select * from private.due_numbers() loop
    exit when jsonb_array_length(texts) >= max;
    select n.* into number
    from public.service_numbers n
    where n.phone = number.phone and n.status = 'active'
    for no key update skip locked;
    if not found then
      next_at := least(next_at, soon);
      continue;
    elsif number.busy_until > now() + burst then
      next_at := least(next_at, number.busy_until - burst);
      continue;
    end if;
    segment := make_interval(secs => least(1 / number.segments_per_second, 86400)::double precision);

    -- Those whose turn it is by the number's rate, each with the lock of its recruit's consent
    with next_texts as (
      select t.conversation_id, t.message_id, t.segments * segment as duration,
        greatest(number.busy_until, now()) + segment * (sum(t.segments) over (order by t.place) - t.segments) as starts_at
      -- No more than fit, and one that does not
      from private.next_texts(
        number, least(max - jsonb_array_length(texts), ceil(number.segments_per_second) + 2)::integer
      ) with ordinality as t (message_id, conversation_id, segments, place)
    ), timed as (
      select t.conversation_id, t.message_id, least(t.starts_at, t.starts_at + t.duration - burst) as turn_at
      from next_texts t
    ), locked as (
      select t.message_id, t.turn_at, case
        when t.turn_at <= now() then pg_try_advisory_xact_lock(private.consent_lock(c.agency_id, c.recruit_phone))
      end as is_ours
      from timed t
      join public.recruiting_conversations c on c.id = t.conversation_id
    )
    select
      array_agg(l.message_id) filter (where l.is_ours) as ids,
      count(l.is_ours) as count,
      min(l.turn_at) filter (where l.is_ours is null) as next_turn_at
    into found_texts
    from locked l;

    perform private.refuse_unwanted(found_texts.ids);

    -- Everything again, as it is now that nobody else claims texts of these conversations
    with locked as (
      select o.message_id, o.conversation_id, o.kind, o.state, o.due_at, o.ordinal, o.created_at
      from public.text_outbox o
      where o.message_id = any (found_texts.ids)
      for update skip locked
    ), waiting as (
      select l.message_id, h.opens_at, h.closes_at
      from locked l
      join public.recruiting_conversations c on c.id = l.conversation_id
      cross join lateral private.sending_hours(c, l.kind) h
      where l.state = 'pending' and l.due_at <= now()
        and private.texting_ban(c.agency_id, c.recruit_phone, c.recruiting_lead_id) is null
        and not private.is_behind(l.conversation_id, l.ordinal)
        and not private.is_expired(l.kind, l.created_at, c)
    ), held as (
      update public.text_outbox o
      set due_at = w.opens_at, first_due_at = w.opens_at, reason = 'quiet_hours'
      from waiting w
      where o.message_id = w.message_id and w.opens_at > now()
    ), claimed as (
      update public.text_outbox o
      set
        state = 'sending',
        attempt = o.attempt + 1,
        claim = o.claim + 1,
        attempted_at = clock_timestamp(),
        lease_until = clock_timestamp() + interval '60 seconds',
        lookups = 0,
        -- Whether the login is right is known with the outcome.
        reason = case when o.reason = 'credentials' then o.reason end
      from waiting w
      where o.message_id = w.message_id and w.opens_at <= now()
      returning o as text, w.closes_at
    ), later as (
      -- The conversations of a number take turns: the next text of one goes behind those that are due already.
      update public.text_outbox o
      set due_at = now()
      where o.due_at < now() and o.message_id in (
        select n.message_id
        from claimed c
        cross join lateral (
          select t.message_id
          from public.text_outbox t
          where t.conversation_id = (c.text).conversation_id and t.state = 'pending' and t.ordinal > (c.text).ordinal
          order by t.ordinal
          limit 1
          for update skip locked
        ) n
      )
    )
    select
      count(*) as count,
      sum((c.text).segments) as segments,
      coalesce(
        jsonb_agg(private.claimed_text(c.text, 'post', c.closes_at)
          order by (c.text).priority, (c.text).due_at, (c.text).ordinal),
        '[]') as texts
    into claimed
    from claimed c;

    texts := texts || claimed.texts;
    next_at := least(next_at, found_texts.next_turn_at, case when claimed.count < found_texts.count then soon end);
    update public.service_numbers n
    set busy_until = greatest(n.busy_until, now()) + segment * claimed.segments
    where n.phone = number.phone and claimed.count > 0;
  end loop;
end
$$;

comment on function private.claim_posts(integer) is
  'Texts to post now, number by number. An agent''s come first, then those that have been due for longest, while the '
  'conversations take turns; see claim_texts().';

create function private.refuse_unwanted(message_ids uuid[]) returns void
language plpgsql
set search_path = ''
set lock_timeout = '20ms'
as $$
declare
  late public.recruiting_conversations;
begin
  perform private.refuse_texts(c.agency_id, c.recruit_phone, b.ban)
  from public.text_outbox o
  join public.recruiting_conversations c on c.id = o.conversation_id
  cross join lateral (
    select private.texting_ban(c.agency_id, c.recruit_phone, c.recruiting_lead_id) as ban offset 0
  ) b
  where o.message_id = any (message_ids) and b.ban is not null;
  for late in
    select c.*
    from public.text_outbox o
    join public.recruiting_conversations c on c.id = o.conversation_id
    where o.message_id = any (message_ids) and private.is_expired(o.kind, o.created_at, c)
    for no key update of c
  loop
    perform private.refuse_waiting_texts(late.id, 'expired', 'greeting');
  end loop;
exception when lock_not_available then
  -- Somebody has locked one of them. The others do not wait.
  null;
end
$$;

comment on function private.refuse_unwanted(uuid[]) is
  'Refuses all waiting texts to the recruits of these texts who have opted out or are suppressed, and of these texts the greetings that could have '
  'been sent a day ago, such as those of a number that was paused. When somebody has locked one of them, none '
  'is refused, and a later claim does it. The caller holds the locks of the consents.';

create function private.is_expired(kind text, created_at timestamptz, conversation public.recruiting_conversations)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
declare
  a_day constant interval := '24 hours';
begin
  if kind <> 'greeting' or created_at > now() - a_day then
    return false;
  end if;
  return (
    select w.opens_at <= now() - a_day
    from private.text_window(
      conversation.recruit_phone,
      (select l.state from public.recruiting_leads l where l.id = conversation.recruiting_lead_id),
      created_at
    ) w
  );
end
$$;

comment on function private.is_expired(text, timestamptz, public.recruiting_conversations) is
  'Whether a text of the outbox is a greeting that could have been sent a day ago, by its hours.';

create function private.due_numbers() returns setof public.service_numbers
language plpgsql
stable
set search_path = ''
as $$
begin
  return query
  select n.*
  from public.service_numbers n
  where n.status = 'active'
    and (
      select true
      from public.text_outbox o
      where o.service_phone = n.phone and o.state = 'pending' and o.priority in (0, 1) and o.due_at <= now()
      order by o.priority, o.due_at
      limit 1
    )
  order by n.busy_until, n.phone;
end
$$;

comment on function private.due_numbers() is
  'The active numbers that have due texts, those that have been free for longest first.';

create function private.next_texts(
  number public.service_numbers,
  max integer,
  out message_id uuid,
  out conversation_id uuid,
  out segments integer
) returns setof record
language plpgsql
stable
set search_path = ''
as $$
begin
  return query
  select o.message_id, o.conversation_id, o.segments
  from public.text_outbox o
  join public.recruiting_conversations c on c.id = o.conversation_id and c.agency_id = number.agency_id
  where o.service_phone = number.phone
    and o.state = 'pending'
    and o.priority in (0, 1)
    and o.due_at <= now()
    and not private.is_behind(o.conversation_id, o.ordinal)
  order by o.priority, o.due_at, o.ordinal
  limit next_texts.max;
end
$$;

comment on function private.next_texts(public.service_numbers, integer) is
  'Up to max due texts of a number, each the next of its conversation, in the order in which they go.';

create function private.claimed_text(claimed public.text_outbox, task text, closes_at timestamptz default null)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  max_validity constant interval := '36000 seconds';
begin
  return (
    select jsonb_build_object(
      'message_id', claimed.message_id,
      'task', claimed_text.task,
      'claim', claimed.claim,
      'kind', claimed.kind,
      'to', c.recruit_phone,
      'country', (
        select a.country
        from public.area_codes a
        where a.area_code = substring(c.recruit_phone from '^\+1([2-9][0-9]{2})[0-9]{7}$')
      ),
      'from', c.service_phone,
      'messaging_service_sid', n.messaging_service_sid,
      'body', coalesce(m.body, ''),
      'media', m.media,
      'validity_seconds',
        case when closes_at is not null then floor(extract(epoch from least(closes_at - now(), max_validity))) end,
      'attempted_at', claimed.attempted_at
    )
    from public.recruiting_messages m
    join public.recruiting_conversations c on c.id = m.conversation_id
    left join public.service_numbers n on n.phone = c.service_phone
    where m.id = claimed.message_id
  );
end
$$;

comment on function private.claimed_text(public.text_outbox, text, timestamptz) is
  'A claimed text as the worker needs it; see claim_texts(). closes_at: when quiet hours begin; null: never.';

-- supabase/schemas/texting/look_ups.sql

-- The look-ups: whether the provider knows a text of which nobody has learnt whether it was sent.

create function private.claim_lookups(max integer, out texts jsonb)
language plpgsql
set search_path = ''
as $$
begin
  -- Nobody knows whether a dead worker has sent its text. One that was sent again gets its 10 minutes anyway.
  update public.text_outbox o
  set
    state = 'unconfirmed',
    reason = 'worker_died',
    claim = o.claim + 1,
    lease_until = null,
    attempted_at = coalesce(o.attempted_at, o.created_at),
    due_at = case when o.resends = 0 then now() else coalesce(o.attempted_at, o.created_at) + interval '10 minutes' end
  where o.message_id = any (array(
    select dead.message_id
    from public.text_outbox dead
    where dead.state = 'sending' and dead.lease_until <= now()
    order by dead.lease_until
    limit 1000
    for update skip locked
  ));

  with claimed as (
    update public.text_outbox o
    set
      claim = o.claim + 1,
      -- When another worker may look it up. A lease of its own would hold it longer than due_at says.
      due_at = clock_timestamp() + interval '60 seconds',
      attempted_at = coalesce(o.attempted_at, o.created_at)
    where o.message_id = any (array(
      select due.message_id
      from public.text_outbox due
      where due.state = 'unconfirmed' and due.due_at <= now()
      order by due.due_at, due.ordinal
      limit claim_lookups.max
      for update skip locked
    ))
    returning o as text
  )
  select coalesce(jsonb_agg(private.claimed_text(c.text, 'look_up') order by (c.text).ordinal), '[]') into texts
  from claimed c;
end
$$;

comment on function private.claim_lookups(integer) is
  'Texts of which nobody knows whether they were sent, for the worker to look up. See claim_texts().';

create function public.record_text_lookup(
  message_id uuid,
  claim integer,
  sids text[],
  may_resend boolean default true,
  created_at timestamptz[] default '{}'
) returns text
language plpgsql
set search_path = ''
as $$
declare
  place constant bigint := (
    select s.n
    from unnest(sids) with ordinality s (sid, n)
    where not exists (
      select from public.recruiting_messages m where m.provider_message_id = private.indexable_id(s.sid)
    )
    order by s.n
    limit 1
  );
  -- A text that ends every worker must not be sent for ever.
  max_resends constant integer := 5;
  claimed public.text_outbox;
begin
  if place is not null then
    return private.accept_text(message_id, sids[place], created_at[place]);
  end if;

  -- The provider does not know the text, so it may have failed.
  perform private.lock_conversation_of(message_id, with_consent => false);
  select o.* into claimed from public.text_outbox o where o.message_id = record_text_lookup.message_id for update;
  if claimed.claim is distinct from record_text_lookup.claim or claimed.state <> 'unconfirmed' then
    return claimed.state;
  elsif claimed.resends > 0 and not (claimed.reason = 'worker_died' and claimed.resends < max_resends and may_resend) then
    return (private.end_text(claimed, 'failed', 'unconfirmed', null)).state;
  elsif claimed.resends = 0 and claimed.lookups = 0 then
    update public.text_outbox o
    set lookups = 1, claim = o.claim + 1, due_at = o.attempted_at + interval '2 minutes'
    where o.message_id = claimed.message_id;
    return 'unconfirmed';
  elsif may_resend then
    update public.text_outbox o
    set state = 'pending', reason = 'resend', lookups = 0, resends = o.resends + 1, due_at = now()
    where o.message_id = claimed.message_id;
    return 'pending';
  else
    update public.text_outbox o
    set reason = 'unconfirmed', lookups = o.lookups + 1, claim = o.claim + 1, due_at = 'infinity'
    where o.message_id = claimed.message_id;
    perform private.notify_agents(claimed.conversation_id, claimed.message_id, 'failed');
    return 'unconfirmed';
  end if;
end
$$;

comment on function public.record_text_lookup(uuid, integer, text[], boolean, timestamptz[]) is
  'Records what the provider has of a text. sids: the MessageSids, oldest first, of its messages with the same numbers and '
  'body since attempted_at; created_at: the time that the provider names for each. The first sid that no other message has '
  'belongs to this text. Without one, the text is looked up again 2 minutes after it was sent. If it is unknown then too, it is sent once more, and the look-up 10 minutes later '
  'is the last. The text of a dead worker may never have left: it is sent again after the last look-up too, at most 5 times '
  'in all. may_resend = false: the text is not sent again, and its agent is notified. claim and the returned state: as in '
  'record_text_outcome().';
grant execute on function public.record_text_lookup(uuid, integer, text[], boolean, timestamptz[]) to service_role;

-- supabase/schemas/texting/settle.sql

-- The outcome of a claimed text. The states are in claim.sql.

create function public.record_text_outcome(
  message_id uuid,
  claim integer,
  outcome text,
  sid text default null,
  code text default null,
  retry_after integer default null,
  created_at timestamptz default null
) returns text
language plpgsql
set search_path = ''
as $$
declare
  credentials_pause constant integer := 60;
  claimed public.text_outbox;
  conversation public.recruiting_conversations;
begin
  if outcome = 'accepted' then
    return private.accept_text(message_id, sid, created_at);
  elsif outcome in ('opted_out', 'failed') then
    conversation := private.lock_conversation_of(message_id, with_consent => outcome = 'opted_out');
  end if;

  select o.* into claimed from public.text_outbox o where o.message_id = record_text_outcome.message_id for update;
  if claimed.claim is distinct from record_text_outcome.claim or claimed.state not in ('sending', 'unconfirmed') then
    return claimed.state;
  elsif claimed.state = 'unconfirmed' then
    -- A look-up without a response. It is not counted, so that nothing is sent again because of it.
    update public.text_outbox o
    set
      claim = o.claim + 1,
      due_at = now() + make_interval(secs => case outcome when 'credentials' then credentials_pause else 20 end)
    where o.message_id = claimed.message_id;
  elsif outcome in ('unconfirmed', 'later', 'credentials', 'number_paused') then
    update public.text_outbox o
    set
      state = case outcome when 'unconfirmed' then 'unconfirmed' else 'pending' end,
      reason = case outcome
        when 'unconfirmed' then coalesce(code, 'no_response')
        when 'later' then coalesce(code, 'later')
        when 'number_paused' then 'number_paused'
        when 'credentials' then 'credentials'
      end,
      due_at = case outcome
        when 'unconfirmed' then
          coalesce(o.attempted_at, now()) + case when o.resends = 0 then interval '20 seconds' else interval '10 minutes' end
        when 'later' then
          now() + make_interval(
            secs => least(greatest(coalesce(retry_after, least(5 * 2 ^ least(o.attempt - 1, 6), 300)), 1), 3600))
        when 'credentials' then now() + make_interval(secs => credentials_pause)
        when 'number_paused' then now()
      end,
      attempt = o.attempt - case outcome when 'credentials' then 1 else 0 end,
      lease_until = null
    where o.message_id = claimed.message_id
    returning o.* into claimed;
  elsif outcome = 'opted_out' then
    claimed := private.end_text(claimed, 'refused', 'opted_out', coalesce(code, '21610'));
    perform private.record_consent(
      conversation.agency_id, conversation.recruit_phone, 'opted_out', 'provider', message_id => claimed.message_id,
      -- The recruit may have opted in since.
      occurred_at => claimed.attempted_at);
  elsif outcome = 'refused' then
    claimed := private.end_text(claimed, 'refused', coalesce(code, 'refused'), null);
  elsif outcome = 'failed' then
    claimed := private.end_text(claimed, 'failed', coalesce(code, 'failed'), code);
  else
    raise exception 'outcome: "%" is unknown', private.quoted(outcome) using errcode = 'invalid_parameter_value';
  end if;

  if outcome = 'credentials' then
    perform private.postpone_texts(credentials_pause, 'credentials');
  elsif outcome = 'number_paused' and claimed.state = 'pending' then
    perform private.pause_number(claimed.service_phone, code);
  end if;
  return claimed.state;
end
$$;

comment on function public.record_text_outcome(uuid, integer, text, text, text, integer, timestamptz) is
  'Records what came of posting a text to the provider. claim is that of claim_texts(). outcome: `accepted` with the '
  'sid, and created_at, the time that the provider names (to the second); `unconfirmed`: the response was lost; `later`: not taken now, in retry_after seconds or after a growing pause; '
  '`credentials`: the account or its key is wrong, all that is due waits for 60 seconds; `opted_out`; `number_paused`: '
  'the number may not send; `failed`; `refused`: we do not send it. code: the provider''s error code, with `refused` our '
  'reason. A look-up that got no response is reported here too, as `later` or `credentials`. Returns the state in which '
  'the text is left, null when there is no such text. A late or repeated report changes nothing, but `accepted` counts '
  'always. 22023 for an unknown outcome.';
grant execute on function public.record_text_outcome(uuid, integer, text, text, text, integer, timestamptz) to service_role;

create function private.accept_text(message_id uuid, sid text, created_at timestamptz default null) returns text
language plpgsql
set search_path = ''
as $$
declare
  message_sid constant text := private.indexable_id(sid);
  sent public.text_outbox;
begin
  -- Before the rows, as every callback does.
  perform pg_advisory_xact_lock_shared(private.message_lock(message_sid));
  select o.* into sent from public.text_outbox o where o.message_id = accept_text.message_id for update;
  if not found then
    return null;
  end if;

  update public.recruiting_messages m
  set
    provider_message_id = case
      when not exists (select from public.recruiting_messages other where other.provider_message_id = message_sid)
        then message_sid
    end,
    status = case when m.status is null or m.status = 'failed' then 'queued' else m.status end,
    error_code = null,
    failed_at = null
  where m.id = sent.message_id and m.provider_message_id is null;
  update public.text_outbox o
  set
    state = 'accepted',
    reason = null,
    lease_until = null,
    accepted_at = least(
      o.accepted_at,
      -- The provider's time has no fractions, and its clock is another one.
      case when accept_text.created_at is not null
        then greatest(accept_text.created_at + interval '1 second', o.attempted_at)
      end,
      now())
  where o.message_id = sent.message_id and (o.state <> 'accepted' or accept_text.created_at is not null);
  return 'accepted';
end
$$;

comment on function private.accept_text(uuid, text, timestamptz) is
  'The provider has the text under this MessageSid: it is accepted, whatever was believed before, and its message gets '
  'the MessageSid unless it has one, or another message has this one. The callbacks that came before are applied. '
  'created_at: as in record_text_outcome(); null where the provider does not name it, as in callbacks. '
  'Returns accepted, or null when the text is not in the outbox.';

create function private.end_text(ended public.text_outbox, state text, reason text, code text) returns public.text_outbox
language plpgsql
set search_path = ''
as $$
begin
  update public.recruiting_messages m
  set status = 'failed', error_code = coalesce(code, m.error_code), failed_at = coalesce(m.failed_at, now())
  where m.id = ended.message_id;
  perform private.notify_of_failed_text(ended.conversation_id, ended.message_id);
  update public.text_outbox o
  set state = end_text.state, reason = end_text.reason, lease_until = null
  where o.message_id = ended.message_id
  returning o.* into ended;
  return ended;
end
$$;

comment on function private.end_text(public.text_outbox, text, text, text) is
  'Ends a text that was not sent: state refused or failed. Its message is failed, with the provider''s code, and its agent '
  'is notified. Returns the text as it is then.';

create function private.lock_conversation_of(message_id uuid, with_consent boolean)
returns public.recruiting_conversations
language plpgsql
set search_path = ''
as $$
declare
  conversation public.recruiting_conversations;
begin
  select c.* into conversation
  from public.recruiting_messages m
  join public.recruiting_conversations c on c.id = m.conversation_id
  where m.id = lock_conversation_of.message_id;
  if found and with_consent then
    perform private.lock_conversations_of(conversation.agency_id, conversation.recruit_phone);
  elsif found then
    perform from public.recruiting_conversations c where c.id = conversation.id for no key update;
  end if;
  return conversation;
end
$$;

comment on function private.lock_conversation_of(uuid, boolean) is
  'Locks what changes with one of our texts that fails, before the text itself, as everywhere: its conversation, with_consent all '
  'of lock_conversations_of(). Returns the conversation, null where there is no such text.';

create function private.notify_of_failed_text(conversation_id uuid, message_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.notify_agents(conversation_id, message_id, 'failed');
  update public.recruiting_conversations c
  set waiting_since = private.unanswered_since(c)
  where c.id = notify_of_failed_text.conversation_id;
end
$$;

comment on function private.notify_of_failed_text(uuid, uuid) is
  'The steps when one of our texts does not arrive, of the bot or a person: a person is notified, and the recruit waits for '
  'an answer again. The message is failed. The caller '
  'has locked the conversation.';

create function private.notify_of_late_texts() returns void
language plpgsql
set search_path = ''
as $$
declare
  late record;
begin
  for late in
    select o.message_id, o.conversation_id
    from public.text_outbox o
    where o.state = 'pending' and o.kind = 'bot' and o.late_at is null and o.created_at <= now() - interval '1 day'
    order by o.created_at
    limit 100
  loop
    -- Before the text, as everywhere. One that somebody has locked comes next time.
    perform
    from public.recruiting_conversations c
    where c.id = late.conversation_id
    for no key update skip locked;
    continue when not found;
    update public.text_outbox o
    set late_at = now()
    where o.message_id = (
      select waiting.message_id
      from public.text_outbox waiting
      where waiting.message_id = late.message_id and waiting.state = 'pending'
      for update skip locked
    );
    continue when not found;
    perform private.notify_agents(late.conversation_id, late.message_id, 'failed');
  end loop;
end
$$;

comment on function private.notify_of_late_texts() is
  'Notifies a person of the bot''s texts that have waited for a day, up to 100. They are sent anyway '
  'once they may be.';

create function private.postpone_texts(seconds integer, reason text) returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_incremental_sort = off
as $$
declare
  waiting constant uuid[] := array(
    select due.message_id
    from public.service_numbers n
    cross join (values (0), (1)) p (priority)
    join public.text_outbox due
      on due.service_phone = n.phone and due.state = 'pending' and due.priority = p.priority and due.due_at <= now()
    where n.status = 'active'
    for update of due skip locked
  );
  in_doubt constant uuid[] := array(
    select due.message_id
    from public.text_outbox due
    where due.state = 'unconfirmed' and due.due_at <= now()
    for update skip locked
  );
begin
  -- The claim too, so that a text keeps its place before those that are queued meanwhile.
  update public.text_outbox o
  set
    due_at = now() + make_interval(secs => seconds),
    claim = o.claim + 1,
    reason = case o.state when 'pending' then postpone_texts.reason else o.reason end
  where o.message_id = any (waiting || in_doubt);
end
$$;

comment on function private.postpone_texts(integer, text) is
  'Makes all that is due wait for this reason, because the provider refuses the account and not a text.';

create function public.hold_texts() returns integer
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_incremental_sort = off
as $$
declare
  newly_held integer;
begin
  perform private.note_worker();
  update public.text_outbox o
  set reason = 'no_account'
  where o.message_id = any (array(
    select due.message_id
    from public.service_numbers n
    cross join (values (0), (1)) p (priority)
    join public.text_outbox due
      on due.service_phone = n.phone and due.state = 'pending' and due.priority = p.priority and due.due_at <= now()
    where n.status = 'active' and due.reason is distinct from 'no_account'
    for update of due skip locked
  ));
  get diagnostics newly_held = row_count;
  return newly_held;
end
$$;

comment on function public.hold_texts() is
  'In place of claim_texts() where no account at the provider is set: gives the texts that are due the reason `no_account`. '
  'They stay due, so that they are sent as soon as there is an account. Returns how many did not have this reason before.';
grant execute on function public.hold_texts() to service_role;

-- supabase/schemas/texting/greetings.sql

-- The first text to a recruit, when the lead goes to an agency.
--
-- Leads are distributed under the distribution lock. So distribution only notes who is to be greeted, and the worker
-- does it before it claims texts, each in a transaction of its own. Whatever goes wrong with a greeting, the lead goes
-- on: skipped_greetings then has the reason. A greeting that takes too long costs only itself, and comes again later.

create function private.visible_name(name text) returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return nullif(btrim(regexp_replace(private.visible_text(name), '[ \n]+', ' ', 'g')), '');
end
$$;

comment on function private.visible_name(text) is
  'A name on one line, as its reader sees it; null when there is nothing to see.';

create function private.choose_agent(agency_id uuid, variadic preferred uuid[]) returns uuid
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select a.id
    from public.agents a
    where a.agency_id = choose_agent.agency_id
      and a.is_active
      and (a.id = any (preferred) or a.accepts_recruits or a.role = 'manager')
    order by array_position(preferred, a.id) nulls last, (a.away_until > now()) is true, a.accepts_recruits desc,
      a.last_assigned_at nulls first, a.id
    limit 1
  );
end
$$;

comment on function private.choose_agent(uuid, uuid[]) is
  'The agent who gets a conversation of this agency: the first of the preferred agents who is active, else the agent who has '
  'waited longest for a recruit, else a manager. Of those who are not preferred, one who is away comes last. Null where none '
  'of them is active.';

create function private.fill_template(template text, lead public.recruiting_leads, assigned_agent_id uuid default null)
returns text
language plpgsql
stable
set search_path = ''
as $$
declare
  first_name constant text := private.visible_name(lead.first_name);
  agency_name constant text := (
    select private.visible_name(a.name) from public.agencies a where a.id = lead.agency_id
  );
  agent_name constant text := (
    select private.visible_name(concat_ws(' ', a.first_name, a.last_name))
    from public.agents a
    where a.id = private.choose_agent(lead.agency_id, assigned_agent_id, lead.agent_id)
  );
  has_agent constant boolean := coalesce(lower(agent_name) <> lower(agency_name), false);
  names constant jsonb := jsonb_build_object(
    -- Applicants type their names themselves. What is no name is not sent on, such as an address.
    'first_name', case
      when length(first_name) <= 50 and first_name !~ '[0-9/:@<>{}|\\^_=+*#%&$]|\.[[:alpha:]]{2}' then first_name
      else 'there'
    end,
    'agent', case when has_agent then agent_name else 'an agent' end,
    'sentence_agent', case when has_agent then agent_name else 'An agent' end,
    'agency', agency_name);
begin
  -- In one pass, so that a name with braces in it stays as it is.
  return (
    select string_agg(coalesce(names ->> part[1], part[2]), '' order by ordinal)
    from regexp_matches(
      -- A sentence begins with a capital letter.
      regexp_replace(template, '(^|[.!?]\s+)\{agent\}', '\1{sentence_agent}', 'g'), '\{(\w+)\}|([^{]+)', 'g'
    ) with ordinality as parts (part, ordinal)
  );
end
$$;

comment on function private.fill_template(text, public.recruiting_leads, uuid) is
  'A text with the lead''s first name, the name of the agent who gets the conversation, and the agency''s name, each as '
  'visible_name(). The agent: assigned_agent_id, else the lead''s agent, else the next one of choose_agent(). `an agent` '
  'stands where the agency has none, or one of its own name. `there` stands for a first name that can hardly be one.';

create table public.skipped_greetings (
  recruiting_lead_id uuid primary key references public.recruiting_leads (id) on delete cascade,
  agency_id uuid not null references public.agencies (id),
  reason text not null check (
    reason in (
      'no_greeting', 'no_consent', 'no_phone', 'is_test', 'opted_out', 'suppressed', 'lead_returned', 'texted_before', 'no_number',
      'taken_over', 'too_long', 'expired', 'error')
  ),
  created_at timestamptz not null default clock_timestamp()
);

create index on public.skipped_greetings (agency_id);

comment on table public.skipped_greetings is
  'Greetings that were never queued. One that was queued is in text_outbox, whatever became of it.';
comment on column public.skipped_greetings.agency_id is 'The agency whose order the lead went to.';
comment on column public.skipped_greetings.reason is
  '`no_greeting`: the order has none any more. `no_consent`: the vendor has no text consent. `no_phone`: the lead has no phone '
  'number in E.164. `is_test`: a test lead. `opted_out`: the recruit had opted out before. `suppressed`: the recruit was suppressed. `lead_returned`: the lead was taken '
  'back from the agency. `texted_before`: the agency has texted the recruit before. `no_number`: the agency has no number. '
  '`taken_over`: an agent has the conversation. `too_long`: more than 1,600 UTF-16 units. `expired`: it could not be queued for '
  'a day. `error`: the database''s log has the SQLSTATE.';
comment on column public.skipped_greetings.created_at is 'When it was decided.';

alter table public.skipped_greetings enable row level security;
grant select on public.skipped_greetings to authenticated;
grant select, insert, update, delete on public.skipped_greetings to service_role;

create policy "readers of a lead read that it is not greeted" on public.skipped_greetings
  for select to authenticated
  using (exists (select from public.recruiting_leads l where l.id = skipped_greetings.recruiting_lead_id));

create function private.skip_greetings(lead_ids uuid[], reason text) returns void
language plpgsql
set search_path = ''
as $$
begin
  with skipped as (
    delete from private.waiting_greetings w where w.lead_id = any (skip_greetings.lead_ids) returning w.lead_id
  )
  insert into public.skipped_greetings (recruiting_lead_id, agency_id, reason)
  select l.id, l.agency_id, skip_greetings.reason
  from skipped s
  join public.recruiting_leads l on l.id = s.lead_id and l.agency_id is not null
  on conflict do nothing;
end
$$;

comment on function private.skip_greetings(uuid[], text) is
  'Of these leads, those that are still to be greeted are not greeted any more, for this reason of skipped_greetings.';

create function private.queue_greeting(lead public.recruiting_leads) returns text
language plpgsql
set search_path = ''
set lock_timeout = '20ms'
as $$
declare
  max_length constant integer := 1600;
  template text;
  has_consent boolean;
  conversation public.recruiting_conversations;
  body text;
  ban text;
begin
  select o.greeting_template, v.has_text_consent into template, has_consent
  from public.recruiting_orders o
  join public.vendors v on v.id = lead.vendor_id
  where o.id = lead.order_id;
  if template is null then
    return 'no_greeting';
  elsif not has_consent then
    return 'no_consent';
  elsif not pg_input_is_valid(coalesce(lead.phone, ''), 'public.e164') then
    return 'no_phone';
  elsif lead.vendor_metadata -> 'is_test' is not distinct from 'true' then
    return 'is_test';
  end if;

  perform private.lock_consent(lead.agency_id, lead.phone);
  ban := private.texting_ban(lead.agency_id, lead.phone, lead.id);
  if ban is not null then
    return ban;
  elsif not exists (select from public.recruiting_leads l where l.id = lead.id and l.agency_id = lead.agency_id) then
    return 'lead_returned';
  elsif exists (
    select
    from public.recruiting_conversations c
    join public.recruiting_messages m on m.conversation_id = c.id
    where c.recruit_phone = lead.phone and c.agency_id = lead.agency_id and m.direction = 'outbound'
  ) then
    return 'texted_before';
  end if;

  -- From a paused number it is sent once that is resumed.
  conversation := private.open_conversation(lead, lead.agent_id, takes_paused => true);
  if conversation.id is null then
    return 'no_number';
  elsif conversation.status <> 'bot' then
    return 'taken_over';
  end if;
  body := private.fill_template(template, lead, conversation.assigned_agent_id);
  if private.utf16_length(body) > max_length then
    raise string_data_right_truncation;
  end if;
  perform private.queue_text(conversation.id, 'greeting', body);
  return 'queued';
exception
  when string_data_right_truncation then
    return 'too_long';
  when lock_not_available then
    return 'locked';
  when others then
    -- Without the error's message, which may quote the lead.
    raise warning 'lead % is not greeted: SQLSTATE %', lead.id, sqlstate;
    return 'error';
end
$$;

comment on function private.queue_greeting(public.recruiting_leads) is
  'Queues the greeting of a lead that goes to an agency. Its order must have a greeting_template, its vendor '
  'has_text_consent, and the lead a phone in E.164. The recruit has not opted out, is not suppressed, and was never texted by the agency. '
  'Returns `queued`, the reason of skipped_greetings, or `locked`: it has waited 20 ms for a lock, and is to be done later. Fails '
  'only where the statement is cancelled.';

create function public.claim_greetings(max integer) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  claimed jsonb;
begin
  -- Where texts have not been sent for long, nobody expects a greeting any more.
  perform private.skip_greetings(array(
    select w.lead_id
    from private.waiting_greetings w
    where w.created_at <= now() - interval '24 hours'
    limit 1000
    for update skip locked
  ), 'expired');
  with taken as (
    update private.waiting_greetings w
    set attempt = w.attempt + 1, due_at = now() + interval '1 minute' * 2 ^ least(w.attempt, 10)
    where w.lead_id = any (array(
      select due.lead_id
      from private.waiting_greetings due
      where due.due_at <= now()
      order by due.due_at
      limit claim_greetings.max
      for update skip locked
    ))
    returning w.lead_id, w.created_at
  )
  select coalesce(jsonb_agg(t.lead_id order by t.created_at), '[]') into claimed from taken t;
  return claimed;
end
$$;

comment on function public.claim_greetings(integer) is
  'Gives the worker up to max leads whose greeting is due, for queue_greeting(): [lead_id], those that have waited longest. '
  'A greeting that fails is due again after 1, 2, 4, 8 minutes and so on. A lead that has waited for a day is not greeted any '
  'more: skipped_greetings has it as `expired`.';
grant execute on function public.claim_greetings(integer) to service_role;

create function public.queue_greeting(id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  lead public.recruiting_leads;
  outcome text;
begin
  select l.* into lead
  from private.waiting_greetings w
  join public.recruiting_leads l on l.id = w.lead_id
  where w.lead_id = queue_greeting.id;
  if lead.id is null then
    return;
  end if;
  outcome := private.queue_greeting(lead);
  if outcome = 'locked' then
    update private.waiting_greetings w set due_at = now() + interval '1 second' where w.lead_id = lead.id;
  elsif outcome = 'queued' then
    delete from private.waiting_greetings w where w.lead_id = lead.id;
  else
    perform private.skip_greetings(array[lead.id], outcome);
  end if;
end
$$;

comment on function public.queue_greeting(uuid) is
  'Queues the greeting of a lead that claim_greetings() has given, or notes in skipped_greetings why not. Where somebody has locked what it needs, it is due again '
  'in a second. A lead that does not wait any more is passed over.';
grant execute on function public.queue_greeting(uuid) to service_role;

-- supabase/schemas/texting/notify.sql

-- The notifications of agents.

create table public.agent_notifications (
  id uuid primary key default gen_random_uuid(),
  agent_id uuid not null references public.agents (id),
  conversation_id uuid references public.recruiting_conversations (id) on delete cascade,
  message_id uuid references public.recruiting_messages (id) on delete cascade,
  lead_id uuid references public.recruiting_leads (id) on delete cascade,
  kind text not null check (kind in ('text', 'opt_out', 'failed', 'handoff', 'taken_over', 'asked_for', 'lead', 'unmatched_text',
    'recruit_waiting', 'destination_off')),
  reason text,
  urgent boolean not null generated always as (coalesce(kind = 'handoff' and reason = 'distress', false)) stored,
  day date,
  by_agent_id uuid references public.agents (id),
  others integer check (others > 0),
  created_at timestamptz not null default now(),
  read_at timestamptz,
  unique (message_id, kind, agent_id),
  -- One for all texts of a recruit in a day.
  unique (lead_id, agent_id, day),
  check ((kind in ('lead', 'unmatched_text', 'destination_off')) = (conversation_id is null)),
  check ((kind in ('lead', 'unmatched_text')) = (lead_id is not null)),
  check ((kind = 'unmatched_text') = (day is not null)),
  check ((kind in ('taken_over', 'asked_for')) = (by_agent_id is not null)),
  check (others is null or kind in ('taken_over', 'handoff'))
);

create index on public.agent_notifications (agent_id, created_at);
create index agent_notifications_unread_idx on public.agent_notifications (agent_id, created_at) where read_at is null;
create index on public.agent_notifications (conversation_id);
create index on public.agent_notifications (by_agent_id) where by_agent_id is not null;
create index agent_notifications_recruit_waiting_idx on public.agent_notifications (conversation_id)
  where kind = 'recruit_waiting' and read_at is null;
-- However often a colleague asks, a manager is asked once until that is read.
create unique index agent_notifications_asked_for_idx
  on public.agent_notifications (conversation_id, agent_id, by_agent_id)
  where kind = 'asked_for' and read_at is null;

comment on table public.agent_notifications is
  'The notifications of an agent: about a text that the bot does not answer, with which it is stored; or about a lead, within '
  'some seconds. Realtime only says that there is a row: clients read the unread rows on every connect.';
comment on column public.agent_notifications.message_id is
  'The message that it is about; null for a lead, an unmatched text, and where only time has passed.';
comment on column public.agent_notifications.lead_id is
  'The recruit who was distributed, or has written; only with `lead` and `unmatched_text`.';
comment on column public.agent_notifications.day is
  'The day of the agency on which the recruit has written; only with `unmatched_text`.';
comment on column public.agent_notifications.kind is
  '`text`: the recruit has written; `opt_out`: and wants no texts any more; `failed`: a text could not be sent; '
  '`handoff`: the bot''s script has ended, or a colleague has given the conversation; `taken_over`: a colleague has it '
  'now; `asked_for`: a colleague asks for it; `lead`: a recruit was distributed to the agent, or the agency; '
  '`unmatched_text`: a recruit without a conversation has written (see waiting_texts); `recruit_waiting`: a recruit has '
  'waited for an answer for long (see notify_of_waiting_recruits()); `destination_off`: the service has switched off a '
  'destination of the agency.';
comment on column public.agent_notifications.reason is 'With `handoff`: as in bot_sessions.reason, or `assigned`; with `destination_off`: the name of the destination; '
  'with `lead`: `came_again` where the agent, or the agency, has the person already (repeat_rules).';
comment on column public.agent_notifications.urgent is
  'Whether the recruit may be in danger, so that a page shows it before the others, with the number of the 988 Lifeline.';
comment on column public.agent_notifications.by_agent_id is
  'With `taken_over`: who has the conversation now; with `asked_for`: who asks for it.';
comment on column public.agent_notifications.others is
  'How many further conversations went to another agent together with this one, and have no notification of their own; null: none.';
comment on column public.agent_notifications.read_at is 'When the agent has read it, or a recruit stopped waiting; null: not yet.';

alter table public.agent_notifications enable row level security;
grant select on public.agent_notifications to authenticated;
grant select, insert, update, delete on public.agent_notifications to service_role;

create policy "agents read their own notifications" on public.agent_notifications
  for select to authenticated
  using (agent_id = (select private.current_agent_id()));

create table private.waiting_notifications (
  id uuid primary key default gen_random_uuid(),
  conversation_id uuid references public.recruiting_conversations (id) on delete cascade,
  message_id uuid references public.recruiting_messages (id) on delete cascade,
  unmatched_text_id uuid references public.unmatched_texts (id) on delete cascade,
  kind text not null,
  reason text,
  created_at timestamptz not null default clock_timestamp(),
  check (num_nonnulls(conversation_id, unmatched_text_id) = 1)
);

create index on private.waiting_notifications (created_at);
create index on private.waiting_notifications (conversation_id);
create index on private.waiting_notifications (message_id);
create index on private.waiting_notifications (unmatched_text_id);

comment on table private.waiting_notifications is
  'Notifications that could not be written because somebody had locked the agents. Columns as in agent_notifications.';

alter table private.waiting_notifications enable row level security;
grant select, insert, update, delete on private.waiting_notifications to service_role;

create function public.mark_read(notification_ids uuid[]) returns integer
language plpgsql
security definer
set search_path = ''
as $$
declare
  newly_read integer;
begin
  update public.agent_notifications n
  set read_at = now()
  where n.id = any (notification_ids) and n.agent_id = private.current_agent_id() and n.read_at is null;
  get diagnostics newly_read = row_count;
  return newly_read;
end
$$;

comment on function public.mark_read(uuid[]) is
  'Marks notifications of the signed-in agent as read. Returns how many were not read before; ids that are not the '
  'agent''s own are passed over. '
  'Security definer because agents may not write the tables.';
grant execute on function public.mark_read(uuid[]) to authenticated;

create function private.answering_agent(conversation public.recruiting_conversations) returns uuid
language sql
stable
set search_path = ''
as $$
  select coalesce(
    (select a.id from public.agents a where a.id = conversation.assigned_agent_id and a.is_active),
    (
      select a.id
      from public.recruiting_leads l
      join public.agents a on a.id = l.agent_id and a.is_active
      where l.id = conversation.recruiting_lead_id
    ))
$$;

comment on function private.answering_agent(public.recruiting_conversations) is
  'The active agent who is to answer in a conversation: the assigned one, else the lead''s; null where there is none.';

create function private.notify_agents(conversation_id uuid, message_id uuid, kind text, reason text default null) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.notify_of_texts(conversation_id, array[message_id], kind, reason);
end
$$;

comment on function private.notify_agents(uuid, uuid, text, text) is
  'Does notify_of_texts() with one message. message_id null: it is about none.';

create function private.notify_of_texts(conversation_id uuid, message_ids uuid[], kind text, reason text default null)
returns void
language plpgsql
set search_path = ''
-- No text is lost or late because somebody has locked the agents.
set lock_timeout = '100ms'
as $$
declare
  conversation public.recruiting_conversations;
  answering uuid;
  notified uuid[];
begin
  if message_ids is null then
    return;
  end if;
  -- The conversation may be going to another agent.
  select c.* into conversation from public.recruiting_conversations c where c.id = notify_of_texts.conversation_id for share;
  answering := private.answering_agent(conversation);
  notified := array_remove(array[answering], null);
  if answering is null or exists (select from public.agents a where a.id = answering and a.away_until > now()) then
    notified := notified || array(
      select a.id
      from public.agents a
      where a.agency_id = conversation.agency_id and a.role = 'manager' and a.is_active and a.id is distinct from answering
    );
  end if;
  if notified = '{}' and conversation.assigned_agent_id is not null then
    notified := array[conversation.assigned_agent_id];
  end if;
  insert into public.agent_notifications (agent_id, conversation_id, message_id, kind, reason)
  select t.agent_id, conversation.id, m.message_id, notify_of_texts.kind, notify_of_texts.reason
  from unnest(message_ids) as m (message_id)
  cross join unnest(notified) as t (agent_id)
  on conflict on constraint agent_notifications_message_id_kind_agent_id_key do nothing;
exception when lock_not_available then
  insert into private.waiting_notifications (conversation_id, message_id, kind, reason)
  select notify_of_texts.conversation_id, m.message_id, notify_of_texts.kind, notify_of_texts.reason
  from unnest(message_ids) as m (message_id);
end
$$;

comment on function private.notify_of_texts(uuid, uuid[], text, text) is
  'Notifies the agent who is to answer in a conversation about messages of it, once for each kind (see agent_notifications): '
  'the assigned agent, else the lead''s, else each manager of the agency, as far as they are active. While that agent is '
  'away, each manager too, because no other colleague may read the conversation. Where nobody is active, the assigned '
  'agent, who may come back. message_ids null: none. Where others have locked the agents or the conversation, they '
  'are notified later, by deliver_notifications().';

create function private.notify_of_unmatched_text(received public.unmatched_texts) returns void
language plpgsql
set search_path = ''
-- No text is lost or late because somebody has locked the agents.
set lock_timeout = '100ms'
-- By the indexes, also with a plan that was made while the tables were small.
set enable_seqscan = off
as $$
declare
  recruit record;
begin
  select l.id, l.agent_id, a.id as agency_id, (now() at time zone a.timezone)::date as day into recruit
  from public.service_numbers n
  join public.agencies a on a.id = n.agency_id
  -- The recruit first: no plan reads the leads of an agency.
  join (
    select r.*
    from public.recruiting_leads r
    where r.phone = received.recruit_phone and length(r.phone) <= 16 and r.agency_id is not null
    offset 0
  ) l on l.agency_id = n.agency_id
  where n.phone = received.service_phone
  order by l.distributed_at desc nulls last, l.id
  limit 1;
  if not found then
    return;
  end if;

  with lead_agent as (
    select a.id, a.away_until > now() as is_away from public.agents a where a.id = recruit.agent_id and a.is_active
  )
  insert into public.agent_notifications (agent_id, lead_id, kind, day)
  select t.id, recruit.id, 'unmatched_text', recruit.day
  from (
    select id from lead_agent
    union
    select a.id
    from public.agents a
    where a.agency_id = recruit.agency_id and a.role = 'manager' and a.is_active
      and not exists (select from lead_agent where is_away is not true)
  ) t
  on conflict on constraint agent_notifications_lead_id_agent_id_day_key do nothing;
exception
  when lock_not_available then
    insert into private.waiting_notifications (unmatched_text_id, kind) values (received.id, 'unmatched_text');
  when others then
    -- Without the error's message, which may quote the text.
    raise warning 'unmatched text % was stored, but nobody was notified: SQLSTATE %', received.id, sqlstate;
end
$$;

comment on function private.notify_of_unmatched_text(public.unmatched_texts) is
  'Notifies the agent of a recruit that the recruit has written to a number of the agency without a conversation. Where the '
  'recruit has no active agent, it notifies each active manager; while the agent is away, both. Once for a recruit and day of the agency, and of several leads '
  'with the number the latest. Never fails. Where others have locked the agents, deliver_notifications() notifies them later.';

create function private.notify_of_due_leads() returns boolean
language plpgsql
set search_path = ''
-- By the index, also with a plan that was made while the table was small.
set enable_seqscan = off
as $$
declare
  deadline constant timestamptz := clock_timestamp() + interval '2 seconds';
  -- A long transaction keeps all versions of the agents, whose turns go on meanwhile, and then reads them.
  most constant integer := 500;
  taken integer;
  due uuid[];
  lead_id uuid;
begin
  with deleted as (
    delete from private.lead_notifications_due u
    where u.id = any (array(
      select w.id from private.lead_notifications_due w order by w.id limit most for update skip locked
    ))
    returning u.lead_id
  )
  select count(*), array_agg(distinct d.lead_id) into taken, due from deleted d;

  begin
    perform private.notify_of_leads(due);
  exception when others then
    -- One that fails costs only itself, and comes last the next time.
    foreach lead_id in array due loop
      begin
        if clock_timestamp() > deadline then
          raise lock_not_available using message = 'there is no time left for the lead';
        end if;
        perform private.notify_of_leads(array[lead_id]);
      exception when others then
        raise warning 'nobody is notified of the lead % yet (SQLSTATE %)', lead_id, sqlstate;
        insert into private.lead_notifications_due (lead_id) values (lead_id);
      end;
    end loop;
  end;
  return taken = most;
end
$$;

comment on function private.notify_of_due_leads() is
  'Notifies the agents of up to 500 leads of lead_notifications_due, those that have waited longest, each once. A lead whose '
  'notification fails stays there, with a warning. Returns whether there were as many.';

create function private.notify_of_leads(lead_ids uuid[]) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- A lead may be going to another agent: its notification goes along, or is that agent's.
  perform from public.recruiting_leads l where l.id = any (lead_ids) order by l.id for share;
  insert into public.agent_notifications (agent_id, lead_id, kind, reason)
  select coalesce(l.agent_id, m.id), l.id, 'lead', case when r.lead_id is not null then 'came_again' end
  from public.recruiting_leads l
  left join private.lead_repeats r on r.lead_id = l.id and r.action = 'same_agent' and l.order_id is null
  left join lateral (
    select a.id
    from public.agents a
    where l.agent_id is null and a.agency_id = l.agency_id and a.role = 'manager' and a.is_active
    -- Else the agents are read for a lead with an agent too, with all versions that the turns of a burst have left.
    offset 0
  ) m on true
  where l.id = any (lead_ids) and coalesce(l.agent_id, m.id) is not null;
  perform private.add_dispatches('lead.distributed', lead_ids);
end
$$;

comment on function private.notify_of_leads(uuid[]) is
  'Notifies the agents of leads that were distributed; of one without an agent, each active manager of its agency. Adds the '
  'dispatches of `lead.distributed`.';

create function private.deliver_notifications(began_at timestamptz default clock_timestamp()) returns boolean
language plpgsql
set search_path = ''
-- Rows that others have locked have their turn the next time.
set lock_timeout = '100ms'
as $$
declare
  late record;
  texts integer := 0;
  are_more_leads boolean := false;
begin
  begin
    for late in
      with taken as (
        select w.id from private.waiting_notifications w order by w.created_at limit 1000 for update skip locked
      ), deleted as (
        delete from private.waiting_notifications w using taken t where w.id = t.id returning w.*
      )
      select
        d.conversation_id, d.unmatched_text_id, d.kind, d.reason, count(*) as texts,
        array_agg(d.message_id order by d.created_at) as message_ids
      from deleted d
      group by d.conversation_id, d.unmatched_text_id, d.kind, d.reason
    loop
      texts := texts + late.texts;
      if late.unmatched_text_id is null then
        perform private.notify_of_texts(late.conversation_id, late.message_ids, late.kind, late.reason);
      else
        perform private.notify_of_unmatched_text(t) from public.unmatched_texts t where t.id = late.unmatched_text_id;
      end if;
    end loop;
  exception when others then
    raise warning 'notifications of texts are not delivered yet (SQLSTATE %)', sqlstate;
  end;
  begin
    perform private.notify_of_late_texts();
  exception when others then
    raise warning 'nobody is notified of late texts yet (SQLSTATE %)', sqlstate;
  end;
  begin
    are_more_leads := private.notify_of_due_leads();
  exception when others then
    raise warning 'nobody is notified of new leads yet (SQLSTATE %)', sqlstate;
  end;
  return (texts = 1000 or are_more_leads)
    and clock_timestamp() < began_at + interval '20 seconds'
    -- What could not be delivered waits anew.
    and coalesce(least(
      (select u.placed_at from private.lead_notifications_due u order by u.id limit 1),
      (select min(w.created_at) from private.waiting_notifications w)
    ) < began_at, false);
end
$$;

comment on function private.deliver_notifications(timestamptz) is
  'Delivers notifications that could not be written at once, of up to 1,000 texts and 500 leads, and those of the bot''s texts that are '
  'late. Never fails: what cannot be delivered now stays. The scheduler calls it every 10 seconds, and goes on, a transaction '
  'each time, while it returns true: began_at is when the first of these calls began. It returns whether anything that '
  'waited then is still to be delivered, for 20 s at most.';

-- supabase/schemas/texting/realtime.sql

-- Notifies open pages that there is something to read, through Supabase Realtime: ids alone. Realtime belongs to the
-- platform: it may be missing, switched off or failing, and no text is ever lost or late for it. What counts are the
-- rows.

create function private.broadcast(event text, payload jsonb, variadic topics text[]) returns void
language plpgsql
security definer
set search_path = ''
-- A text must not wait for Realtime's maintenance.
set lock_timeout = '100ms'
as $$
declare
  -- More than deliver_notifications() takes. A transaction that moves thousands of conversations holds their locks
  -- meanwhile.
  most constant integer := 2000;
  longest constant interval := '100 milliseconds';
  remaining integer := coalesce(nullif(current_setting('lead_intake.broadcasts_left', true), '')::integer, most);
  topic text;
  began_at timestamptz;
begin
  if remaining = 0 or to_regprocedure('realtime.send(jsonb, text, text, boolean)') is null then
    return;
  end if;
  for topic in
    select given.topic
    from unnest(topics) as given (topic)
    where given.topic is not null
      -- Realtime asks its policy when a page joins, and not for each event. The page of an agent who was set inactive
      -- stays.
      -- Not `not exists (…)`, whose plan reads all agents, and all versions that a burst of turns has left.
      and coalesce((
        select a.is_active
        from public.agents a
        where a.id = case when starts_with(given.topic, 'agent:') then substr(given.topic, 7)::uuid end
      ), true)
  loop
    exit when remaining = 0;
    began_at := clock_timestamp();
    perform realtime.send(payload, event, topic, true);
    -- realtime.send() may have waited for a lock, and does not say so. Of many rows only the first one waits.
    remaining := case when clock_timestamp() - began_at < longest then remaining - 1 else 0 end;
  end loop;
  perform set_config('lead_intake.broadcasts_left', remaining::text, true);
exception when others then
  raise warning '% was stored but not broadcast (SQLSTATE %)', event, sqlstate;
  perform set_config('lead_intake.broadcasts_left', '0', true);
end
$$;

comment on function private.broadcast(text, jsonb, text[]) is
  'Sends an event to private topics, where the project has Realtime; a topic of null is none, nor is the one of an agent who '
  'is not active. A failure of Realtime is a warning and nothing else. A transaction sends nothing more after 2,000 sends, a '
  'failure, or one that has taken 100 ms. '
  'Security definer because Realtime stores with its caller''s rights, and the service role has none there. Only '
  'triggers call it. They send ids to the agent whom they concern, and to the managers of the agency.';

create function private.broadcast_notification() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.broadcast(
    'notification',
    jsonb_build_object(
      'id', new.id, 'conversation_id', new.conversation_id, 'message_id', new.message_id, 'lead_id', new.lead_id,
      'kind', new.kind),
    'agent:' || new.agent_id);
  return null;
end
$$;

comment on function private.broadcast_notification() is
  'Trigger: sends the ids of a notification that is new, or now another agent''s, to the topic agent:<agent id>.';

create trigger broadcast_notification
  after insert or update of agent_id on public.agent_notifications
  for each row
  -- One that was written as read is nothing new.
  when (new.read_at is null)
  execute function private.broadcast_notification();

create function private.broadcast_changed(conversation public.recruiting_conversations, agent_before uuid) returns void
language plpgsql
set search_path = ''
-- No text is late because somebody has locked the recruits.
set lock_timeout = '100ms'
as $$
declare
  lead_agent_id uuid;
begin
  -- A statement may change thousands of conversations.
  if current_setting('lead_intake.broadcasts_left', true) = '0' then
    return;
  elsif conversation.assigned_agent_id is null or agent_before is null then
    begin
      select l.agent_id into lead_agent_id from public.recruiting_leads l where l.id = conversation.recruiting_lead_id;
    exception when lock_not_available then
      raise warning 'nobody was notified of a changed conversation, because recruiting_leads is locked';
      perform set_config('lead_intake.broadcasts_left', '0', true);
      return;
    end;
  end if;
  perform private.broadcast(
    'changed',
    jsonb_build_object('conversation_id', conversation.id),
    'agency:' || conversation.agency_id,
    'agent:' || coalesce(conversation.assigned_agent_id, lead_agent_id),
    'agent:' || nullif(
      coalesce(agent_before, lead_agent_id), coalesce(conversation.assigned_agent_id, lead_agent_id)));
end
$$;

comment on function private.broadcast_changed(public.recruiting_conversations, uuid) is
  'Sends {conversation_id} to the topic of its agency, and to the topics of the agent who is to answer, the assigned one or '
  'else the lead''s, and of the one before. agent_before: who was assigned before.';

create function private.broadcast_changed_conversation() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.broadcast_changed(new, old.assigned_agent_id);
  return null;
end
$$;

comment on function private.broadcast_changed_conversation() is
  'Trigger: a conversation has a new text, or other agents, or nobody waits any more, or not yet. Each text sets last_text_at.';

create trigger broadcast_changed
  after update of status, assigned_agent_id, waiting_since, snoozed_until, last_text_at on public.recruiting_conversations
  for each row execute function private.broadcast_changed_conversation();

create function private.broadcast_changed_message() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.broadcast_changed(c, c.assigned_agent_id)
  from public.recruiting_conversations c
  where c.id = new.conversation_id;
  return null;
end
$$;

comment on function private.broadcast_changed_message() is 'Trigger: the delivery status of a text has changed.';

create trigger broadcast_changed
  after update of status on public.recruiting_messages
  for each row when (new.status is distinct from old.status) execute function private.broadcast_changed_message();

create function private.broadcast_changed_copy() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.broadcast_changed(c, c.assigned_agent_id)
  from public.recruiting_messages m
  join public.recruiting_conversations c on c.id = m.conversation_id
  where m.id = new.message_id;
  return null;
end
$$;

comment on function private.broadcast_changed_copy() is 'Trigger: a file of a recruit was copied, or cannot be.';

create trigger broadcast_changed
  after update of state on public.media_copies
  for each row when (new.state is distinct from old.state) execute function private.broadcast_changed_copy();

create function private.broadcast_changed_recruit() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.broadcast(
    'changed',
    jsonb_build_object('lead_id', l.id, 'timeline_id', tg_argv[0] || ':' || new.id),
    variadic array['agency:' || l.agency_id] || array(
      select 'agent:' || l.agent_id where l.agent_id is not null
      union
      select 'agent:' || c.assigned_agent_id
      from public.recruiting_conversations c
      where c.recruiting_lead_id = l.id and c.assigned_agent_id is not null
    ))
  from public.recruiting_leads l
  where l.id = new.recruiting_lead_id;
  return null;
end
$$;

comment on function private.broadcast_changed_recruit() is
  'Trigger: a recruit has a new note, stage, call or change of hands. Its argument is the kind of the row in recruit_timeline. '
  'Sends {lead_id, timeline_id} to the topics of those who read what agents say about a recruit: the agency, the recruit''s '
  'agent, and each agent who is assigned a conversation with the recruit.';

create function private.allow_agent_topics() returns boolean
language plpgsql
set search_path = ''
as $$
begin
  if to_regclass('realtime.messages') is null or to_regprocedure('realtime.topic()') is null then
    return false;
  end if;
  drop policy if exists "agents receive what is sent to their own topics" on realtime.messages;
  create policy "agents receive what is sent to their own topics" on realtime.messages
    for select to authenticated
    using (
      extension = 'broadcast'
      and (select realtime.topic()) in (
        'agent:' || (select private.current_agent_id()), 'agency:' || (select private.managed_agency_id())
      )
    );
  return true;
end
$$;

comment on function private.allow_agent_topics() is
  'Lets each active agent join its own private topic of Realtime, agent:<agent id>, a manager also agency:<agency id>, and no '
  'other. Returns whether the project has Realtime''s table, which may come after the migrations: call it again then. It may be '
  'called any number of times.';

select private.allow_agent_topics();

-- supabase/schemas/texting/conversation_assignments.sql

-- Each time that a conversation with a recruit has changed hands.

create table public.conversation_assignments (
  id uuid primary key default gen_random_uuid(),
  conversation_id uuid not null references public.recruiting_conversations (id) on delete cascade,
  recruiting_lead_id uuid not null references public.recruiting_leads (id) on delete cascade,
  agency_id uuid not null references public.agencies (id),
  status text not null check (status in ('bot', 'escalated')),
  from_agent_id uuid,
  to_agent_id uuid,
  by_agent_id uuid,
  reason text,
  created_at timestamptz not null default clock_timestamp(),
  foreign key (from_agent_id, agency_id) references public.agents (id, agency_id),
  foreign key (to_agent_id, agency_id) references public.agents (id, agency_id),
  foreign key (by_agent_id, agency_id) references public.agents (id, agency_id)
);

create index on public.conversation_assignments (recruiting_lead_id, created_at, id);
create index on public.conversation_assignments (conversation_id);
create index on public.conversation_assignments (agency_id);
create index on public.conversation_assignments (from_agent_id, agency_id) where from_agent_id is not null;
create index on public.conversation_assignments (to_agent_id, agency_id) where to_agent_id is not null;
create index on public.conversation_assignments (by_agent_id, agency_id) where by_agent_id is not null;

comment on table public.conversation_assignments is
  'The times that a conversation with a recruit has gone to another agent, to the bot, or from it. A trigger writes it.';
comment on column public.conversation_assignments.recruiting_lead_id is 'The recruit of the conversation then.';
comment on column public.conversation_assignments.status is 'From then on: `bot`: the bot answers; `escalated`: the agent.';
comment on column public.conversation_assignments.from_agent_id is 'The agent who had it before; null: nobody.';
comment on column public.conversation_assignments.to_agent_id is 'The agent who has had it since; null: nobody.';
comment on column public.conversation_assignments.by_agent_id is
  'The agent who did it; null: the bot, or an operator.';
comment on column public.conversation_assignments.reason is
  'Why the bot gave it away, as in bot_sessions.reason; null: an agent or an operator did it.';

alter table public.conversation_assignments enable row level security;
grant select on public.conversation_assignments to authenticated;
grant select, insert, update, delete on public.conversation_assignments to service_role;

create policy "readers of a recruit read who had its conversations" on public.conversation_assignments
  for select to authenticated
  using (
    agency_id = (select private.managed_agency_id())
    or agency_id = (select private.current_agency_id())
      and (select true from public.recruiting_leads l where l.id = conversation_assignments.recruiting_lead_id)
  );

create trigger broadcast_recruit
  after insert on public.conversation_assignments
  for each row execute function private.broadcast_changed_recruit('hands');

create function private.note_assignment() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  insert into public.conversation_assignments (
    conversation_id, recruiting_lead_id, agency_id, status, from_agent_id, to_agent_id, by_agent_id
  )
  select new.id, new.recruiting_lead_id, new.agency_id, new.status, old.assigned_agent_id, new.assigned_agent_id,
    (select a.id from private.current_agent() a where a.agency_id = new.agency_id);
  return null;
end
$$;

comment on function private.note_assignment() is 'Trigger: a conversation with a recruit has changed hands.';

-- A text that is stored changes neither column, and does not come here. While the bot answers, its agent has nothing in hand.
create trigger note_assignment
  after update of status, assigned_agent_id on public.recruiting_conversations
  for each row when (
    new.recruiting_lead_id is not null
    and (
      new.status <> old.status
      or new.status = 'escalated' and new.assigned_agent_id <> old.assigned_agent_id
    )
  )
  execute function private.note_assignment();

-- supabase/schemas/texting/recruit_stages.sql

-- How far each recruit has come. Agents and the bot set stages.

create table public.recruit_stages (
  id uuid primary key default gen_random_uuid(),
  recruiting_lead_id uuid not null references public.recruiting_leads (id) on delete cascade,
  agency_id uuid not null references public.agencies (id),
  stage text not null check (stage in ('new', 'contacted', 'interview', 'licensed', 'hired', 'lost')),
  agent_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  foreign key (agent_id, agency_id) references public.agents (id, agency_id),
  check (ended_at >= created_at)
);

-- A recruit has one stage.
create unique index recruit_stages_current_idx on public.recruit_stages (recruiting_lead_id) where ended_at is null;
create index on public.recruit_stages (recruiting_lead_id, created_at, id);
-- The recruits of an agency in one stage.
create index on public.recruit_stages (agency_id, stage, ended_at, recruiting_lead_id);
create index on public.recruit_stages (agent_id, agency_id) where agent_id is not null;

comment on table public.recruit_stages is
  'The stages of recruits with their history. The one that has not ended is the recruit''s stage; without one it is `new`.';
comment on column public.recruit_stages.agency_id is 'The agency that had the recruit then.';
comment on column public.recruit_stages.agent_id is 'The agent who set it; null: the bot.';
comment on column public.recruit_stages.ended_at is 'When the next stage began, or the lead was returned; null: it is the stage now.';

alter table public.recruit_stages enable row level security;
grant select on public.recruit_stages to authenticated;
grant select, insert, update, delete on public.recruit_stages to service_role;

-- Not by exists(): the planner would read all recruits for the stages of one.
create policy "readers of a recruit read its stages in their agency" on public.recruit_stages
  for select to authenticated
  using (
    agency_id = (select private.managed_agency_id())
    or agency_id = (select private.current_agency_id())
      and (select true from public.recruiting_leads l where l.id = recruit_stages.recruiting_lead_id)
  );

create trigger broadcast_recruit
  after insert on public.recruit_stages
  for each row execute function private.broadcast_changed_recruit('stage');

-- supabase/schemas/texting/dispatch_events.sql

-- What recruits do by text, and what is noted about them, goes to the destinations of their agency.

create function private.dispatch_reply() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.add_dispatches('recruit.replied', array[c.recruiting_lead_id], jsonb_build_object(
    'text', jsonb_build_object('body', coalesce(new.body, ''), 'received_at', private.iso_time(new.created_at))))
  from public.recruiting_conversations c
  where c.id = new.conversation_id and c.recruiting_lead_id is not null;
  return null;
end
$$;

comment on function private.dispatch_reply() is 'Trigger: adds the dispatches of `recruit.replied`, with text: {body, received_at}.';

create trigger dispatch_reply
  after insert on public.recruiting_messages
  for each row when (new.direction = 'inbound')
  execute function private.dispatch_reply();

create function private.dispatch_opt_out() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' or old.state <> 'opted_out' then
    perform private.add_dispatches('recruit.opted_out', array(
      select l.id
      -- The recruit first: no plan reads the leads of an agency.
      from (
        select r.id, r.agency_id
        from public.recruiting_leads r
        where r.phone = new.phone and length(r.phone) <= 16 and r.agency_id is not null
        offset 0
      ) l
      where l.agency_id = new.agency_id
      order by l.id));
  end if;
  return null;
end
$$;

comment on function private.dispatch_opt_out() is
  'Trigger: adds the dispatches of `recruit.opted_out`, one for each lead of the agency with the number.';

create trigger dispatch_opt_out
  after insert or update of state on public.text_consents
  for each row when (new.state = 'opted_out')
  execute function private.dispatch_opt_out();

create function private.dispatch_stage() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.add_dispatches(
    'recruit.stage_changed', array[new.recruiting_lead_id], jsonb_build_object('stage', new.stage));
  return null;
end
$$;

comment on function private.dispatch_stage() is 'Trigger: adds the dispatches of `recruit.stage_changed`, with stage.';

create trigger dispatch_stage
  after insert on public.recruit_stages
  for each row execute function private.dispatch_stage();

create function private.notify_of_destination() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  insert into public.agent_notifications (agent_id, kind, reason)
  select a.id, 'destination_off', new.name
  from public.agents a
  where a.agency_id = new.agency_id and a.role = 'manager' and a.is_active;
  return null;
end
$$;

comment on function private.notify_of_destination() is
  'Trigger: notifies the managers of the agency that the service has switched off a destination.';

create trigger notify_of_destination
  after update of off_reason on public.destinations
  for each row when (new.off_reason is not null and old.off_reason is null and new.agent_id is null)
  execute function private.notify_of_destination();

create function private.mail_notifications() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.add_agent_mail(
    n.agent_id, 'agent.' || n.kind, n.lead_ids[1],
    case n.kind when 'lead' then '/recruits/' || n.lead_ids[1] else '/inbox/' || n.conversation_ids[1] end,
    cardinality(n.lead_ids) - 1)
  from (
    select
      a.agent_id, a.kind, array_agg(coalesce(a.lead_id, c.recruiting_lead_id) order by a.id) as lead_ids,
      array_agg(a.conversation_id order by a.id) as conversation_ids
    from added a
    -- The destinations of agents are few.
    join public.destinations d on d.agent_id = a.agent_id and 'agent.' || a.kind = any (d.events)
    left join public.recruiting_conversations c on c.id = a.conversation_id
    where coalesce(a.lead_id, c.recruiting_lead_id) is not null
    group by a.agent_id, a.kind
  ) n
  order by n.agent_id, n.kind;
  return null;
exception when others then
  -- The notification is worth more than the e-mail about it.
  raise warning 'no e-mail about a notification was added (SQLSTATE %)', sqlstate;
  return null;
end
$$;

comment on function private.mail_notifications() is
  'Trigger: adds the e-mails of agents who have chosen to get some about their notifications.';

create trigger mail_notifications
  after insert on public.agent_notifications
  referencing new table as added
  for each statement execute function private.mail_notifications();

-- supabase/schemas/bot/tables.sql

-- The bot's scripts, the sessions of conversations in them, and the answers of recruits.

create table public.bot_scripts (
  id uuid primary key default gen_random_uuid(),
  agency_id uuid not null references public.agencies (id),
  version integer not null check (version > 0),
  script jsonb,
  published_at timestamptz not null default now(),
  unique (agency_id, version)
);

comment on table public.bot_scripts is
  'The scripts that an agency has published. Rows are added and never changed: the newest is for conversations that begin, '
  'and a conversation keeps its own.';
comment on column public.bot_scripts.version is 'Counts an agency''s scripts from 1.';
comment on column public.bot_scripts.script is
  'The script (docs/bot.md has its members); null: the bot was switched off.';

create trigger refuse_change
  before update or delete or truncate on public.bot_scripts
  for each statement execute function private.refuse_change();

alter table public.bot_scripts enable row level security;
grant select on public.bot_scripts to authenticated;
grant select, insert on public.bot_scripts to service_role;

create policy "managers read their agency's scripts" on public.bot_scripts
  for select to authenticated
  using (agency_id = (select private.managed_agency_id()));

create type public.handoff_reason as enum (
  'asked', 'question', 'may_opt_out', 'machine', 'distress', 'bereavement', 'health', 'legal', 'minor', 'wrong_number',
  'other_person', 'accessibility', 'language', 'busy', 'automatic_reply', 'media', 'answers_greeting', 'not_understood');

comment on type public.handoff_reason is
  'Why the bot gives a conversation to a person. Only with the first two it may send a last text. The worker has its reasons '
  'from here.';

create table public.bot_sessions (
  conversation_id uuid primary key references public.recruiting_conversations (id) on delete cascade,
  script_id uuid not null references public.bot_scripts (id),
  question text not null,
  tries integer not null default 0 check (tries >= 0),
  answers jsonb not null default '{}' check (jsonb_typeof(answers) = 'object'),
  has_told_about boolean not null default false,
  state text not null default 'active' check (state in ('active', 'done', 'escalated', 'expired', 'stopped')),
  reason text,
  version integer not null default 1,
  asked_at timestamptz,
  heard_since timestamptz,
  asked_message_id uuid references public.recruiting_messages (id) on delete set null,
  remind_at timestamptz,
  expires_at timestamptz,
  wakes_at timestamptz generated always as (least(remind_at, expires_at)) stored,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (state <> 'escalated' or coalesce(reason = any (enum_range(null::public.handoff_reason)::text[]), false))
);

create index on public.bot_sessions (script_id);
create index on public.bot_sessions (asked_message_id);
-- For a monitor: how many there are of each state.
create index on public.bot_sessions (state);
create index bot_sessions_wakes_at_idx on public.bot_sessions (wakes_at) where state = 'active';

comment on table public.bot_sessions is 'Where a conversation stands in its script.';
comment on column public.bot_sessions.question is 'The id of the question that waits for an answer, or was the last.';
comment on column public.bot_sessions.tries is 'The number of texts in a row that did not answer the question.';
comment on column public.bot_sessions.answers is 'The answers by the id of the question, as in screening_answers.value.';
comment on column public.bot_sessions.has_told_about is
  'Whether the script''s `about` was said. It is said once.';
comment on column public.bot_sessions.state is
  '`active`: the bot answers. `done`: the script has come to an end of its own. `escalated`: a person goes on. `expired`: no '
  'answer came. `stopped`: an agent has written, the recruit has opted out, or the bot was switched off.';
comment on column public.bot_sessions.reason is
  'Why it is no longer active: `done`, the script''s own end, `not_interested`, one of handoff_reason '
  'where it is `escalated`, `expired`, `taken_over`, `opted_out`, `suppressed`, `switched_off`, `no_lead` (the lead was deleted or '
  'returned) or `failed`.';
comment on column public.bot_sessions.version is 'Grows with each change, so that a late worker changes nothing.';
comment on column public.bot_sessions.asked_at is
  'When the question was asked, the reminder aside; null: it is asked at the recruit''s next text.';
comment on column public.bot_sessions.heard_since is
  'When the provider had accepted an earlier text that asks the same question; null: there is none.';
comment on column public.bot_sessions.asked_message_id is
  'The text that asks it, the reminder aside; null: none has arrived.';
comment on column public.bot_sessions.remind_at is 'When the question is asked again; null: it is not, or has been.';
comment on column public.bot_sessions.expires_at is 'When the script ends without an answer.';
comment on column public.bot_sessions.wakes_at is 'The next of both.';

create trigger set_updated_at
  before update on public.bot_sessions
  for each row execute function private.set_updated_at();

alter table public.bot_sessions enable row level security;
grant select on public.bot_sessions to authenticated;
grant select, insert, update, delete on public.bot_sessions to service_role;

create policy "readers of a conversation read its session" on public.bot_sessions
  for select to authenticated
  using (
    exists (
      select from public.recruiting_conversations c where c.id = bot_sessions.conversation_id
    )
  );

create table public.bot_turns (
  conversation_id uuid primary key references public.recruiting_conversations (id) on delete cascade,
  first_at timestamptz not null default clock_timestamp(),
  due_at timestamptz not null,
  message_ids uuid[] not null check (cardinality(message_ids) <= 20),
  last_message_id uuid generated always as (message_ids[cardinality(message_ids)]) stored,
  lease_until timestamptz,
  attempt integer not null default 0,
  created_at timestamptz not null default now()
);

create index on public.bot_turns (due_at);

comment on table public.bot_turns is
  'Turns of the bot that are due or at work. The row is gone when the turn is done.';
comment on column public.bot_turns.first_at is 'When its first text came.';
comment on column public.bot_turns.due_at is
  '8 seconds after its last text, and 30 seconds after the first at most; or when quiet hours end.';
comment on column public.bot_turns.message_ids is 'The recruit''s texts that it answers, oldest first; none: only time has passed. The conversation of one who writes more goes '
  'to a person.';
comment on column public.bot_turns.last_message_id is 'The last of them.';
comment on column public.bot_turns.lease_until is
  'Until then it belongs to the worker that has claimed it. After that the worker is dead.';
comment on column public.bot_turns.attempt is 'The number of times that it was claimed. A worker reports with the number of its claim.';

alter table public.bot_turns enable row level security;
grant select, insert, update, delete on public.bot_turns to service_role;

create table public.screening_answers (
  lead_id uuid not null references public.recruiting_leads (id) on delete cascade,
  question text not null,
  value jsonb not null,
  said text not null,
  answered_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  primary key (lead_id, question)
);

comment on table public.screening_answers is 'The answers of a recruit to the bot''s questions; the latest answer of each.';
comment on column public.screening_answers.question is 'The id of the question in the script.';
comment on column public.screening_answers.value is
  '"yes" or "no", the name of a choice, a list of USPS codes, a number, or a text.';
comment on column public.screening_answers.said is 'The recruit''s own words, exactly; several texts are separated by line breaks.';

alter table public.screening_answers enable row level security;
grant select on public.screening_answers to authenticated;
grant select, insert, update, delete on public.screening_answers to service_role;

create policy "readers of a lead read its answers" on public.screening_answers
  for select to authenticated
  using (exists (select from public.recruiting_leads l where l.id = screening_answers.lead_id));

-- supabase/schemas/bot/scripts.sql

-- The scripts of an agency's bot.

create function public.publish_bot_script(agency_id uuid, script jsonb) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
begin
  if (private.managed_agency_id() = publish_bot_script.agency_id) is not true then
    raise exception 'only an active manager of the agency may publish a script' using errcode = 'insufficient_privilege';
  end if;
  return private.store_bot_script(publish_bot_script.agency_id, publish_bot_script.script);
end
$$;

comment on function public.publish_bot_script(uuid, jsonb) is
  'Publishes what the bot of an agency says from now on, in conversations that it has not begun; docs/bot.md has the members '
  'of a script. Returns {id, version}. A manager of the agency may call it. Errors: 42501 (HTTP 403) for anybody else; 22023 '
  '(400) with every problem, a line each: `<question id or member>: <problem>`. '
  'Security definer because agents may not write the tables.';
grant execute on function public.publish_bot_script(uuid, jsonb) to authenticated;

create function private.store_bot_script(agency_id uuid, script jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  problems constant text[] := private.bot_script_problems(script);
  stored public.bot_scripts;
begin
  if problems <> '{}' then
    raise exception '%', (select string_agg(private.quoted(p.problem, 200), e'\n') from unnest(problems) p (problem))
      using errcode = 'invalid_parameter_value';
  end if;
  -- Of two at once, the second one counts on.
  perform from public.agencies a where a.id = store_bot_script.agency_id for no key update;
  insert into public.bot_scripts (agency_id, version, script)
  select
    store_bot_script.agency_id,
    coalesce((private.newest_bot_script(store_bot_script.agency_id)).version, 0) + 1,
    store_bot_script.script
  returning * into stored;
  return jsonb_build_object('id', stored.id, 'version', stored.version);
end
$$;

comment on function private.store_bot_script(uuid, jsonb) is 'As publish_bot_script(), for a caller that may write the table.';

create function private.switch_bot_off(agency_id uuid) returns integer
language plpgsql
set search_path = ''
as $$
declare
  stopped uuid[];
begin
  perform from public.agencies a where a.id = switch_bot_off.agency_id for no key update;
  insert into public.bot_scripts (agency_id, version)
  select b.agency_id, b.version + 1
  from private.newest_bot_script(switch_bot_off.agency_id) b
  where b.script is not null;

  -- In the order of the locks: the conversations, then what the bot has of them.
  stopped := array(
    select c.id
    from public.recruiting_conversations c
    where c.agency_id = switch_bot_off.agency_id
      and (
        exists (select from public.bot_sessions s where s.conversation_id = c.id and s.state = 'active')
        or exists (select from public.bot_turns t where t.conversation_id = c.id)
      )
    order by c.id
    for no key update
  );
  perform private.stop_bot(s.id, 'switched_off') from unnest(stopped) as s (id);
  return cardinality(stopped);
end
$$;

comment on function private.switch_bot_off(uuid) is
  'Ends all that the bot of an agency has begun, until the next script is published. Returns the number of conversations.';

create function private.newest_bot_script(agency_id uuid) returns public.bot_scripts
language plpgsql
stable
set search_path = ''
as $$
declare
  newest public.bot_scripts;
begin
  select b.* into newest
  from public.bot_scripts b
  where b.agency_id = newest_bot_script.agency_id
  order by b.version desc
  limit 1;
  return newest;
end
$$;

comment on function private.newest_bot_script(uuid) is
  'The script that an agency published last; `script` is null where the bot was switched off. Null where nothing was published.';

-- supabase/schemas/bot/script_problems.sql

-- The problems of a script: all of them at once, so that its writer need not ask again and again.

create function private.bot_script_problems(script jsonb) returns text[]
language plpgsql
immutable
set search_path = ''
as $$
declare
  word constant text := '^[a-z][a-z0-9_]{0,39}$';
  opening constant text := case jsonb_typeof(script -> 'opening') when 'string' then script ->> 'opening' end;
  about constant text := case jsonb_typeof(script -> 'about') when 'string' then script ->> 'about' end;
  questions constant jsonb := case jsonb_typeof(script -> 'questions') when 'array' then script -> 'questions' else '[]' end;
  first_ask constant text := case jsonb_typeof(questions #> '{0,ask}') when 'string' then questions #>> '{0,ask}' end;
  problems text[] := '{}';
begin
  if jsonb_typeof(script) is distinct from 'object' then
    return array['script: must be an object'];
  end if;
  problems := problems
    || private.unknown_members(script, 'script', array[
      'opening', 'questions', 'done', 'about', 'not_interested', 'handoff', 'handoff_words', 'remind_after',
      'expire_after'])
    || private.bot_text_problems('opening:', script -> 'opening', is_required => true)
    || private.bot_text_problems('done:', script -> 'done', is_required => true)
    || private.bot_text_problems('about:', script -> 'about')
    || private.bot_text_problems('not_interested:', script -> 'not_interested')
    || private.bot_text_problems('handoff:', script -> 'handoff')
    || array_remove(array[
      case when opening not like '%{agency}%' then 'opening: must have {agency}' end,
      case when opening !~ '\mSTOP\M' then 'opening: must have the word STOP' end,
      case
        when private.filled_segments(opening || ' ' || first_ask) > 3
          then 'opening: with the first question it is longer than 3 segments'
        when private.filled_segments(opening || ' ' || about || ' ' || first_ask) > 3
          then 'about: with the opening and the first question it is longer than 3 segments'
      end,
      case when jsonb_array_length(questions) not between 1 and 12 then 'questions: must be a list of 1 to 12 questions' end,
      case when private.is_word_list(script -> 'handoff_words', 1) is not true
        then 'handoff_words: must be a list of 1 to 20 words' end,
      case when private.bot_duration(script -> 'remind_after') = '0'
        then 'remind_after: must be a time such as 20h, at most 30d' end,
      case when private.bot_duration(script -> 'expire_after') = '0'
        then 'expire_after: must be a time such as 3d, at most 30d' end,
      case when private.bot_duration(script -> 'remind_after')
          >= nullif(coalesce(private.bot_duration(script -> 'expire_after'), '3 days'), '0')
        then 'remind_after: must be shorter than expire_after' end
    ], null);

  with question as (
    select
      q as question, n::integer as place, coalesce(q ->> 'id' ~ word, false) as has_id,
      case when q ->> 'id' ~ word then q ->> 'id' else format('questions[%s]', n - 1) end as label
    from jsonb_array_elements(questions) with ordinality e (q, n)
  )
  select problems || coalesce(array_agg(p.problem), '{}') into problems
  from question q
  cross join lateral (
    select format('%s: must be an object', q.label) as problem where jsonb_typeof(q.question) <> 'object'
    union all
    select format('%s: id must be lower-case letters, digits and _', q.label)
    where jsonb_typeof(q.question) = 'object' and not q.has_id
    union all
    select format('%s: id stands twice', q.label)
    where q.has_id and exists (select from question o where o.label = q.label and o.place < q.place)
    union all
    select unnest(
      private.unknown_members(q.question, q.label, array['id', 'ask', 'answer', 'retry', 'then', 'only_if'])
      || private.bot_text_problems(q.label || ': ask', q.question -> 'ask', is_required => true)
      || private.bot_text_problems(q.label || ': retry', q.question -> 'retry')
    )
    where jsonb_typeof(q.question) = 'object'
    union all
    select format('about: with the question "%s" it is longer than 3 segments', q.label)
    where q.place > 1 and jsonb_typeof(q.question -> 'ask') = 'string'
      and private.filled_segments(about) <= 3 and private.filled_segments(q.question ->> 'ask') <= 3
      and private.filled_segments(about || ' ' || (q.question ->> 'ask')) > 3
    union all
    select format('%s: answer must be yes_no, states, text, a choice or a number', q.label)
    where jsonb_typeof(q.question) = 'object' and not private.is_bot_answer(q.question -> 'answer')
    union all
    select format('%s: answer has "%s" for two choices', q.label, w.word)
    from (
      select lower(btrim(w)) as word, c.name
      from jsonb_each(case when private.is_bot_answer(q.question -> 'answer') then q.question #> '{answer,choice}' end) c (name, words)
      cross join lateral (select jsonb_array_elements_text(c.words) union select c.name) as word (w)
    ) w
    group by w.word
    having count(distinct w.name) > 1
    union all
    select format('%s: %s must be an object', q.label, m.member)
    from unnest(array['then', 'only_if']) m (member)
    where jsonb_typeof(q.question -> m.member) <> 'object'
    union all
    select case
      when not t.answer = any (private.bot_answers(q.question -> 'answer')) then
        format('%s: then has "%s", which is not an answer', q.label, t.answer)
      when t.jump - 'skip_to' = '{}' and jsonb_typeof(t.jump -> 'skip_to') = 'string' then case
        when not exists (select from question l where l.place > q.place and l.label = t.jump ->> 'skip_to')
          then format('%s: then skips to "%s", which is not a later question', q.label, t.jump ->> 'skip_to')
      end
      when t.jump - 'end' = '{}' and t.jump ->> 'end' ~ word then null
      else format('%s: then must have {"skip_to": <question>} or {"end": <reason>}', q.label)
    end
    from jsonb_each(case jsonb_typeof(q.question -> 'then') when 'object' then q.question -> 'then' end) t (answer, jump)
    union all
    select case
      when e.label is null then format('%s: only_if has "%s", which is not an earlier question', q.label, o.id)
      when not coalesce(o.value #>> '{}' = any (private.bot_answers(e.question -> 'answer')), false) then
        format('%s: only_if has no answer of "%s"', q.label, o.id)
    end
    from jsonb_each(case jsonb_typeof(q.question -> 'only_if') when 'object' then q.question -> 'only_if' end) o (id, value)
    left join question e on e.label = o.id and e.place < q.place
  ) p
  where p.problem is not null;
  return array(select distinct p collate "C" from unnest(problems) p order by 1);
end
$$;

comment on function private.bot_script_problems(jsonb) is
  'The problems of a script, each `<question id or member>: <problem>`, in the order of their letters; empty where '
  'nothing is.';

create function private.unknown_members(value jsonb, label text, known text[]) returns text[]
language sql
immutable
set search_path = ''
as $$
  select array(select format('%s: has no member "%s"', label, k) from jsonb_object_keys(value) k where k <> all (known))
$$;

comment on function private.unknown_members(jsonb, text, text[]) is 'The problems of an object with members that are not known.';

create function private.bot_text_problems(label text, value jsonb, is_required boolean default false) returns text[]
language plpgsql
immutable
set search_path = ''
as $$
declare
  said constant text := value #>> '{}';
begin
  return case
    when value is null then case when is_required then array[label || ' is missing'] else '{}' end
    when jsonb_typeof(value) <> 'string' or said !~ '\S' then array[label || ' must be a text with something in it']
    else array_remove(array[
      case when regexp_replace(said, '\{(first_name|agent|agency)\}', '', 'g') ~ '[{}]'
        then label || ' may have no braces but {first_name}, {agent} and {agency}' end,
      case when private.filled_segments(said) > 3 then label || ' is longer than 3 segments' end
    ], null)
  end;
end
$$;

comment on function private.bot_text_problems(text, jsonb, boolean) is 'The problems of a text that a script sends.';

create function private.filled_segments(template text) returns integer
language sql
immutable
set search_path = ''
as $$
  select private.text_segments(regexp_replace(template, '\{(first_name|agent|agency)\}', repeat('x', 20), 'g'))
$$;

comment on function private.filled_segments(text) is 'The segments of a template with names of 20 letters.';

create function private.is_word_list(value jsonb, min integer) returns boolean
language plpgsql
immutable
set search_path = ''
as $$
begin
  if jsonb_typeof(value) is distinct from 'array' then
    return false;
  end if;
  return jsonb_array_length(value) between min and 20 and not exists (
    select from jsonb_array_elements(value) w where jsonb_typeof(w) <> 'string' or w #>> '{}' !~ '[[:alnum:]]'
  );
end
$$;

comment on function private.is_word_list(jsonb, integer) is 'Whether it is a list of texts, at least min and at most 20, each with a letter or digit.';

create function private.bot_duration(value jsonb) returns interval
language plpgsql
immutable
set search_path = ''
as $$
declare
  given constant text := value #>> '{}';
begin
  if jsonb_typeof(value) = 'string' and given ~ '^[1-9][0-9]{0,4}[mhd]$' and given::interval <= '30 days' then
    return given::interval;
  end if;
  return case when value is not null then '0'::interval end;
end
$$;

comment on function private.bot_duration(jsonb) is 'The time that `20h` or `3d` stands for; 0 for what is no such time, null for null.';

create function private.is_bot_answer(answer jsonb) returns boolean
language plpgsql
immutable
set search_path = ''
as $$
declare
  choice constant jsonb := answer -> 'choice';
  number constant jsonb := answer -> 'number';
begin
  return coalesce(case
    when answer in ('"yes_no"', '"states"', '"text"') then true
    when jsonb_typeof(answer) <> 'object' then false
    when answer - 'choice' = '{}' and jsonb_typeof(choice) = 'object' then
      (select count(*) between 2 and 12 and bool_and(k ~ '^[a-z][a-z0-9_]{0,39}$' and private.is_word_list(v, 0))
        from jsonb_each(choice) c (k, v))
    when answer - 'number' = '{}' and jsonb_typeof(number) = 'object' and number - 'min' - 'max' = '{}'
      and jsonb_typeof(number -> 'min') = 'number' and jsonb_typeof(number -> 'max') = 'number'
      then (number ->> 'min')::numeric <= (number ->> 'max')::numeric
  end, false);
end
$$;

comment on function private.is_bot_answer(jsonb) is 'Whether it is a kind of answer that a script may want.';

create function private.bot_answers(answer jsonb) returns text[]
language sql
immutable
set search_path = ''
as $$
  select case
    when answer = '"yes_no"' then array['yes', 'no']
    when private.is_bot_answer(answer) and answer ? 'choice' then array(select jsonb_object_keys(answer -> 'choice'))
    else '{}'
  end
$$;

comment on function private.bot_answers(jsonb) is 'The answers of a question that others may depend on: yes and no, or the names of its choices.';

-- supabase/schemas/bot/sessions.sql

-- The session of a conversation: how it goes on in its script, and ends. The locks are in the order of turns.sql.

create function private.end_bot_session(conversation_id uuid, reason text) returns void
language plpgsql
set search_path = ''
as $$
declare
  unanswered uuid;
begin
  delete from public.bot_turns t
  where t.conversation_id = end_bot_session.conversation_id
  returning t.last_message_id into unanswered;
  if unanswered is not null and reason <> 'taken_over' then
    perform private.notify_agents(conversation_id, unanswered, 'text');
  end if;
  update public.bot_sessions s
  set state = 'stopped', reason = end_bot_session.reason, version = s.version + 1
  where s.conversation_id = end_bot_session.conversation_id and s.state = 'active';
end
$$;

comment on function private.end_bot_session(uuid, text) is
  'The bot answers nothing more in a conversation: its turn is gone, and its session stopped. reason: as in bot_sessions. An '
  'agent is notified of the text that the turn would have answered, unless an agent writes (taken_over). The caller has locked '
  'the conversation.';

create function private.stop_bot(conversation_id uuid, reason text) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.end_bot_session(conversation_id, reason);
  perform private.refuse_waiting_texts(conversation_id, reason, 'bot');
end
$$;

comment on function private.stop_bot(uuid, text) is
  'Does end_bot_session(), and refuses the bot''s texts that wait, so that the recruit may wait again.';

create function private.end_session_of_taken_over() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.end_bot_session(new.id, 'taken_over');
  return null;
end
$$;

comment on function private.end_session_of_taken_over() is
  'Trigger: a person has the conversation now. Where the bot itself has given it away, its session has ended before.';

create trigger end_bot_session
  after update of status on public.recruiting_conversations
  for each row when (old.status = 'bot' and new.status <> 'bot')
  execute function private.end_session_of_taken_over();

create function private.end_sessions_of_opted_out() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_conversations_of(new.agency_id, new.phone);
  perform private.end_bot_session(c.id, 'opted_out')
  from public.recruiting_conversations c
  where c.agency_id = new.agency_id and c.recruit_phone = new.phone
  order by c.id;
  return null;
end
$$;

comment on function private.end_sessions_of_opted_out() is
  'Trigger: the bot answers nothing more in the conversations of a recruit who has opted out.';

create trigger end_bot_sessions
  after insert or update on public.text_consents
  for each row when (new.state = 'opted_out')
  execute function private.end_sessions_of_opted_out();

create function private.carry_out_step(
  conversation public.recruiting_conversations,
  message_id uuid,
  old public.bot_sessions,
  script_id uuid,
  step jsonb
) returns void
language plpgsql
set search_path = ''
as $$
declare
  ended constant jsonb := nullif(step -> 'ended', 'null');
  reply constant text := step ->> 'reply';
  answers constant jsonb := coalesce(nullif(step -> 'answered', 'null'), '[]');
  lead constant public.recruiting_leads := (
    select l from public.recruiting_leads l where l.id = conversation.recruiting_lead_id
  );
  sent public.text_outbox;
  heard_ids uuid[];
begin
  delete from public.bot_turns t where t.conversation_id = conversation.id returning t.message_ids into heard_ids;
  update public.recruiting_messages m
  set heard = case when step ->> 'heard' in ('answer', 'no_answer') and private.is_early(m, old) then 'early' else step ->> 'heard' end
  where m.id = any (heard_ids) and step ->> 'heard' is not null;
  if step ->> 'heard' = 'early' then
    perform private.notify_agents(conversation.id, message_id, 'text');
  end if;
  insert into public.screening_answers as a (lead_id, question, value, said)
  select lead.id, answered.question, answered.value, answered.said
  from jsonb_to_recordset(answers) as answered (question text, value jsonb, said text)
  on conflict on constraint screening_answers_pkey do update
  set value = excluded.value, said = excluded.said, answered_at = now();
  -- The first answer. A stage that is there was set by a person, or by an answer before.
  insert into public.recruit_stages (recruiting_lead_id, agency_id, stage)
  select lead.id, lead.agency_id, 'contacted'
  where answers <> '[]' and lead.agency_id is not null
  on conflict do nothing;

  if ended is not null then
    -- Before a person has the conversation, which ends what is still active.
    perform private.store_bot_session(conversation.id, old, script_id, step, null);
    if (ended ->> 'goes_to_person')::boolean then
      perform private.escalate(conversation);
    end if;
    perform private.notify_agents(conversation.id, message_id, 'handoff', ended ->> 'reason');
  end if;
  if reply is not null then
    -- The agent who has it by now.
    conversation.assigned_agent_id := (
      select c.assigned_agent_id from public.recruiting_conversations c where c.id = conversation.id
    );
    sent := private.queue_text(
      conversation.id, 'bot', private.fill_template(reply, lead, conversation.assigned_agent_id));
  end if;
  if ended is null then
    perform private.store_bot_session(conversation.id, old, script_id, step, sent.message_id);
  end if;
end
$$;

comment on function private.carry_out_step(public.recruiting_conversations, uuid, public.bot_sessions, uuid, jsonb) is
  'Does what a step says (see complete_bot_turn()), and ends the turn: the session, the answers, the reply in the outbox, and '
  'who is notified. message_id: the last text that the step answers; null: only time has passed. old: the session before it. '
  'The caller has locked all of them.';

create function private.store_bot_session(
  conversation_id uuid,
  old public.bot_sessions,
  script_id uuid,
  step jsonb,
  message_id uuid
) returns void
language plpgsql
set search_path = ''
as $$
declare
  next record;
  -- The last answers come with no session.
  answered constant jsonb := (
    select coalesce(jsonb_object_agg(a.question, a.value), '{}')
    from jsonb_to_recordset(coalesce(nullif(step -> 'answered', 'null'), '[]')) as a (question text, value jsonb)
  );
begin
  select * into next
  from jsonb_to_record(nullif(step -> 'session', 'null')) as s (
    question text, tries integer, answers jsonb, has_told_about boolean,
    asked_at timestamptz, remind_at timestamptz, expires_at timestamptz
  );
  if old.conversation_id is null then
    -- A step without a session and without an end has not begun: the next text is the first.
    insert into public.bot_sessions (
      conversation_id, script_id, question, answers, has_told_about, state, reason, asked_at, remind_at, expires_at,
      asked_message_id
    )
    select
      store_bot_session.conversation_id, b.id, coalesce(next.question, b.script #>> '{questions,0,id}'), answered,
      coalesce(next.has_told_about, false), coalesce(step #>> '{ended,state}', 'active'), step #>> '{ended,reason}',
      next.asked_at, next.remind_at, next.expires_at,
      case when next.asked_at is not null then store_bot_session.message_id end
    from public.bot_scripts b
    where b.id = store_bot_session.script_id and (next.question is not null or step #>> '{ended,state}' is not null);
  else
    update public.bot_sessions s
    set
      question = coalesce(next.question, s.question),
      tries = coalesce(next.tries, s.tries),
      answers = coalesce(next.answers, s.answers || answered),
      has_told_about = coalesce(next.has_told_about, s.has_told_about),
      state = coalesce(step #>> '{ended,state}', s.state),
      reason = coalesce(step #>> '{ended,reason}', s.reason),
      version = s.version + 1,
      asked_at = coalesce(next.asked_at, s.asked_at),
      remind_at = case when next is null then s.remind_at else next.remind_at end,
      expires_at = coalesce(next.expires_at, s.expires_at),
      heard_since = case
        when next.asked_at <> coalesce(s.asked_at, '-infinity') then (
          select least(s.heard_since, o.accepted_at)
          from public.text_outbox o
          where o.message_id = s.asked_message_id and s.asked_at is not null and s.question = next.question
        )
        else s.heard_since
      end,
      -- A reminder is not the question.
      asked_message_id = case
        when next.asked_at <> coalesce(s.asked_at, '-infinity') then store_bot_session.message_id
        else s.asked_message_id
      end
    where s.conversation_id = old.conversation_id;
  end if;
end
$$;

comment on function private.store_bot_session(uuid, public.bot_sessions, uuid, jsonb, uuid) is
  'Stores the session of a step, or how it has ended. message_id: the text that asks the next question, if any.';

create function private.forget_question(message_id uuid, may_arrive boolean) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- The opening is in the same text as the first question.
  delete from public.bot_sessions s
  where s.asked_message_id = forget_question.message_id and s.state = 'active' and s.version = 1 and not may_arrive;
  update public.bot_sessions s
  set asked_at = null, expires_at = null, asked_message_id = null, version = s.version + 1,
    remind_at = case when s.remind_at is not null then 'infinity'::timestamptz end
  where s.asked_message_id = forget_question.message_id and s.state = 'active';
end
$$;

comment on function private.forget_question(uuid, boolean) is
  'The text that asks a question has not arrived: the bot asks it again at the recruit''s next text, which is not an answer. '
  'Where it was the first text, the bot introduces itself again, unless it may still arrive. The caller has locked the '
  'conversation.';

create function private.forget_failed_question() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.forget_question(new.id, may_arrive => false);
  return null;
end
$$;

comment on function private.forget_failed_question() is 'Trigger: one of our texts has failed, which may have asked a question.';

create trigger forget_failed_question
  after update of status on public.recruiting_messages
  for each row when (new.status = 'failed' and old.status is distinct from 'failed' and new.direction = 'outbound')
  execute function private.forget_failed_question();

create function private.forget_late_question() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.forget_question(new.message_id, may_arrive => true);
  return null;
end
$$;

comment on function private.forget_late_question() is 'Trigger: a text has waited for a day, which may ask a question.';

create trigger forget_late_question
  after update of late_at on public.text_outbox
  for each row when (old.late_at is null and new.late_at is not null)
  execute function private.forget_late_question();

create function private.escalate(conversation public.recruiting_conversations) returns void
language plpgsql
set search_path = ''
as $$
declare
  lead_agent_id constant uuid := (
    select l.agent_id from public.recruiting_leads l where l.id = conversation.recruiting_lead_id
  );
begin
  update public.recruiting_conversations c
  set status = 'escalated', assigned_agent_id = chosen.id
  from private.choose_agent(conversation.agency_id, conversation.assigned_agent_id, lead_agent_id) chosen (id)
  where c.id = conversation.id and chosen.id is not null;
end
$$;

comment on function private.escalate(public.recruiting_conversations) is
  'Gives a conversation to a person: its assigned agent, else its lead''s, else the agent of the agency who has waited '
  'longest for a recruit and is not away, else a manager. It stays with the bot where none of them is active.';

create function private.note_reason() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.reason := (
    select s.reason
    from public.bot_sessions s
    -- It has ended in this transaction, before the conversation changed hands.
    where s.conversation_id = new.conversation_id and s.state in ('done', 'escalated') and s.updated_at = now()
  );
  return new;
end
$$;

comment on function private.note_reason() is 'Trigger: why the bot has given a conversation to a person.';

create trigger note_reason
  before insert on public.conversation_assignments
  for each row when (new.status = 'escalated' and new.by_agent_id is null)
  execute function private.note_reason();

create function public.hand_back_to_bot(conversation_id uuid) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.current_agent();
begin
  update public.recruiting_conversations c
  set status = 'bot'
  where c.id = hand_back_to_bot.conversation_id
    and c.agency_id = caller.agency_id
    and (c.assigned_agent_id = caller.id or caller.role = 'manager');
  if not found then
    raise exception 'conversation_id: there is no such conversation' using errcode = 'PT404';
  end if;
  -- What the bot only listens to is the person's, who has it until now.
  delete from public.bot_turns t where t.conversation_id = hand_back_to_bot.conversation_id;
  -- A script that has come to its end does not begin again, and none does while the bot is off.
  if (private.newest_bot_script(caller.agency_id)).script is not null then
    -- Where it has asked nothing yet, it introduces itself.
    delete from public.bot_sessions s
    where s.conversation_id = hand_back_to_bot.conversation_id
      and s.state = 'escalated'
      and s.asked_at is null
      and s.answers = '{}';
    update public.bot_sessions s
    set state = 'active', reason = null, tries = 0, version = s.version + 1, asked_at = null,
      asked_message_id = null, expires_at = null,
      -- Not before the question is asked, and not where the recruit has been reminded.
      remind_at = case when s.remind_at is not null then 'infinity'::timestamptz end
    where s.conversation_id = hand_back_to_bot.conversation_id
      and s.state in ('stopped', 'escalated')
      and s.reason not in ('switched_off', 'opted_out');
  end if;
  return jsonb_build_object('conversation_id', conversation_id, 'status', 'bot');
end
$$;

comment on function public.hand_back_to_bot(uuid) is
  'Gives a conversation back to the bot, which asks its question anew at the recruit''s next text. It stays assigned, so '
  'that its agent can read on. The assigned agent may call it, '
  'and a manager of its agency. Returns {conversation_id, status: bot}, also when the bot has it already. PT404 for an '
  'unknown conversation, or one of other agents. '
  'Security definer because agents may not write the tables.';
grant execute on function public.hand_back_to_bot(uuid) to authenticated;

-- supabase/schemas/bot/turns.sql

-- The bot's turns. A recruit's text makes a turn or extends it; the worker claims it, decides (bot/step.ts), and
-- completes it.
--
-- - none, a text to a conversation that the bot has, or has given to a person: due in 8 s
-- - none, claim_bot_turns() where the session's reminder or end is due: due now, without a text
-- - due, another text: due 8 s after it, within 30 s in all
-- - due, or its lease over, claim_bot_turns(): claimed for 60 s
-- - claimed, complete_bot_turn():
--   - a text has come since: due, as that text says
--   - the session has changed since, or the question has left: due
--   - quiet hours hold the next question: due when they end
--   - our text before it is not sent yet, or nobody knows whether it is: due in 10 s
--   - else: gone; the reply is in the outbox
-- - any, more than 20 texts: gone; a person goes on
-- - any, of a session that is escalated: never a reply; gone, and the answers stored, unless an agent has written since
-- - any, an agent writes, an opt-out, the bot is switched off: gone
--
-- Locks, in this order: the recruit's consent, the conversation, the turn, the session, texts of the outbox.

create function public.claim_bot_turns(max integer) returns jsonb
language plpgsql
set search_path = ''
-- By the indexes, also with a plan that was made while the tables were small (texting/claim.sql).
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  claimed jsonb;
begin
  -- Where only time has passed.
  insert into public.bot_turns (conversation_id, due_at, message_ids)
  select s.conversation_id, now(), '{}'
  from public.bot_sessions s
  where s.state = 'active' and s.wakes_at <= now()
    and not exists (select from public.bot_turns t where t.conversation_id = s.conversation_id)
  order by s.wakes_at
  limit claim_bot_turns.max
  on conflict do nothing;

  with taken as (
    update public.bot_turns t
    set attempt = t.attempt + 1, lease_until = clock_timestamp() + interval '60 seconds'
    where t.conversation_id = any (array(
      select due.conversation_id
      from public.bot_turns due
      where due.due_at <= now() and (due.lease_until is null or due.lease_until <= now())
      order by due.due_at
      limit claim_bot_turns.max
      for update skip locked
    ))
    returning t.conversation_id, t.attempt, t.due_at
  )
  select coalesce(
    jsonb_agg(jsonb_build_object('conversation_id', t.conversation_id, 'attempt', t.attempt) order by t.due_at), '[]')
  into claimed
  from taken t;
  return claimed;
end
$$;

comment on function public.claim_bot_turns(integer) is
  'Gives the worker up to max turns that are due, each for 60 seconds: [{conversation_id, attempt}]. It reads nothing of '
  'them, so that a turn that cannot be read holds up no other: read_bot_turn() does.';
grant execute on function public.claim_bot_turns(integer) to service_role;

create function private.is_turn_due() returns boolean
language sql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
  select coalesce(
    (
      select t.due_at
      from public.bot_turns t
      where t.lease_until is null or t.lease_until <= now()
      order by t.due_at
      limit 1
    ) <= now()
      or (select s.wakes_at from public.bot_sessions s where s.state = 'active' order by s.wakes_at limit 1) <= now(),
    false)
$$;

comment on function private.is_turn_due() is
  'Whether a turn of the bot is due, or a session''s reminder or end. Cheap: by indexes of open rows.';

create function public.read_bot_turn(conversation_id uuid, attempt integer) returns jsonb
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  -- The longest text that the provider takes.
  max_length constant integer := 1600;
begin
  return (
    select jsonb_build_object(
      'now', now(),
      'version', s.version,
      'script_id', b.id,
      'script', b.script,
      'session', case when s.conversation_id is not null then jsonb_build_object(
        'question', s.question, 'tries', s.tries, 'answers', s.answers, 'has_told_about', s.has_told_about,
        'asked_at', s.asked_at, 'remind_at', s.remind_at, 'expires_at', s.expires_at,
        'is_handed_over', s.state = 'escalated'
      ) end,
      'texts', (
        select coalesce(jsonb_agg(
          jsonb_build_object(
            'body', left(coalesce(m.body, ''), max_length),
            'is_automatic', m.id = t.last_message_id and private.is_automatic_reply(m),
            'is_early', coalesce(private.is_early(m, s), true),
            'consent', private.wish_to_end(private.visible_text(coalesce(m.body, '')))
          ) order by i.n
        ), '[]')
        from unnest(t.message_ids) with ordinality i (id, n)
        join public.recruiting_messages m on m.id = i.id
      )
    )
    from public.bot_turns t
    join public.recruiting_conversations c on c.id = t.conversation_id
    left join public.bot_sessions s on s.conversation_id = t.conversation_id
    left join lateral private.newest_bot_script(c.agency_id) newest on s.conversation_id is null
    left join public.bot_scripts b on b.id = coalesce(s.script_id, newest.id)
    where t.conversation_id = read_bot_turn.conversation_id and t.attempt = read_bot_turn.attempt
  );
end
$$;

comment on function public.read_bot_turn(uuid, integer) is
  'A claimed turn: {now, version|null, script_id|null, script|null, session|null: {question, tries, answers, '
  'has_told_about, asked_at, remind_at, expires_at, is_handed_over}, texts: [{body, is_automatic, is_early, consent}]}. Without texts only time has passed. '
  'There are at most 20, of each the first 1,600 characters; only the last one may be automatic. consent: as wish_to_end() says. is_early: as '
  'private.is_early() says, and true while it is not known. Null when the turn has '
  'ended or was claimed again since.';
grant execute on function public.read_bot_turn(uuid, integer) to service_role;

create function public.complete_bot_turn(
  conversation_id uuid,
  attempt integer,
  version integer,
  script_id uuid,
  texts integer,
  step jsonb
) returns text
language plpgsql
set search_path = ''
as $$
declare
  ended constant jsonb := nullif(step -> 'ended', 'null');
  reply constant text := step ->> 'reply';
  is_wrong_number constant boolean := coalesce(step ->> 'heard' = 'wrong_number', false);
  is_silent constant boolean := coalesce(step ->> 'heard' = 'early', false);
  conversation public.recruiting_conversations;
  turn public.bot_turns;
  old public.bot_sessions;
  ban text;
  stop_reason text;
  opens_at timestamptz;
begin
  select c.* into conversation from public.recruiting_conversations c where c.id = complete_bot_turn.conversation_id;
  if is_wrong_number then
    perform private.lock_conversations_of(conversation.agency_id, conversation.recruit_phone);
  else
    perform private.lock_consent(conversation.agency_id, conversation.recruit_phone);
  end if;
  select c.* into conversation
  from public.recruiting_conversations c
  where c.id = complete_bot_turn.conversation_id
  for no key update;
  select t.* into turn from public.bot_turns t where t.conversation_id = conversation.id for update;
  select s.* into old from public.bot_sessions s where s.conversation_id = conversation.id for update;
  if turn.attempt is distinct from complete_bot_turn.attempt then
    return 'dropped';
  elsif old.version is distinct from complete_bot_turn.version
    or (select count(*) from public.recruiting_messages m where m.id = any (turn.message_ids)) <> texts
    or is_silent and exists (
      select from public.recruiting_messages m where m.id = any (turn.message_ids) and not private.is_early(m, old)
    )
  then
    update public.bot_turns t set lease_until = null where t.conversation_id = conversation.id;
    return 'again';
  end if;

  if old.state = 'escalated' then
    if step is null or conversation.recruiting_lead_id is null or not private.may_listen(conversation) then
      delete from public.bot_turns t where t.conversation_id = conversation.id;
      return 'dropped';
    end if;
    perform private.carry_out_step(conversation, turn.last_message_id, old, script_id, step - '{reply,session,ended}'::text[]);
    if step ->> 'heard' = 'distress' then
      perform private.notify_agents(conversation.id, turn.last_message_id, 'handoff', 'distress');
    elsif is_wrong_number then
      perform private.suppress_wrong_number(conversation, turn);
    end if;
    return 'done';
  end if;

  ban := private.texting_ban(conversation.agency_id, conversation.recruit_phone, conversation.recruiting_lead_id);
  stop_reason := case
    when old.state <> 'active' then old.reason
    when conversation.status <> 'bot' then 'taken_over'
    when conversation.recruiting_lead_id is null then 'no_lead'
    when ban is not null then ban
    when (step is null or old.conversation_id is null)
      and (private.newest_bot_script(conversation.agency_id)).script is null then 'switched_off'
    when step is null then 'failed'
  end;
  if stop_reason is not null then
    perform private.stop_bot(conversation.id, stop_reason);
    return 'dropped';
  end if;

  -- A question waits for its hour and for our text before it, and is then worked out anew. So is a text of which nobody
  -- knows yet whether the question had left. A recruit who asks for a person is heard at once.
  if ended is null then
    opens_at := case when reply is not null then (private.sending_hours(conversation, 'bot')).opens_at else now() end;
    if opens_at <= now() and (
      is_silent and exists (
        select from public.recruiting_messages m where m.id = any (turn.message_ids) and private.is_early(m, old) is null
      )
      or reply is not null and exists (
        select
        from public.text_outbox o
        where o.conversation_id = conversation.id and o.state in ('pending', 'sending') and o.kind <> 'agent'
      )
    ) then
      opens_at := now() + interval '10 seconds';
    end if;
    if opens_at > now() then
      update public.bot_turns t set due_at = opens_at, lease_until = null where t.conversation_id = conversation.id;
      -- Nobody is called meanwhile for what has become due.
      update public.bot_sessions s
      set
        remind_at = case when s.remind_at < opens_at then opens_at else s.remind_at end,
        expires_at = case when s.expires_at < opens_at then opens_at else s.expires_at end
      where s.conversation_id = conversation.id and s.wakes_at < opens_at;
      return 'held';
    end if;
  end if;

  perform private.carry_out_step(conversation, turn.last_message_id, old, script_id, step);
  if is_wrong_number then
    perform private.suppress_wrong_number(conversation, turn);
  end if;
  return 'done';
end
$$;

comment on function public.complete_bot_turn(uuid, integer, integer, uuid, integer, jsonb) is
  'Stores what step() has decided for a claimed turn: the session, the answers, the reply in the outbox, and who is notified. '
  'attempt, version, script_id and the number of texts are those of the claim. step, null where there is none: '
  '{reply|null, session|null, heard?, answered?: [{question, value, said}], ended?: {state, reason, goes_to_person}}. heard: as '
  'recruiting_messages.heard; of `early` an agent is notified. Returns `done`; `again`: a text has come since, the session has '
  'changed, or the question has left; `held`: quiet hours, or our text before it, hold '
  'the question; `dropped`: something else has ended the turn.';
grant execute on function public.complete_bot_turn(uuid, integer, integer, uuid, integer, jsonb) to service_role;

create function private.suppress_wrong_number(conversation public.recruiting_conversations, turn public.bot_turns) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.record_consent(
    conversation.agency_id, conversation.recruit_phone, 'opted_out', 'wording', message_id => turn.last_message_id,
    words => (select string_agg(m.body, e'\n' order by m.created_at) from public.recruiting_messages m where m.id = any (turn.message_ids)),
    reason => 'a wrong number',
    occurred_at => (select m.created_at from public.recruiting_messages m where m.id = turn.last_message_id));
end
$$;

comment on function private.suppress_wrong_number(public.recruiting_conversations, public.bot_turns) is
  'Records an opt-out for a number that is not the recruit''s: its owner has never agreed to texts of the agency. The caller '
  'has locked the conversations of the number.';

create function private.is_early(message public.recruiting_messages, session public.bot_sessions) returns boolean
language plpgsql
stable
set search_path = ''
as $$
declare
  question constant public.text_outbox := (
    select o from public.text_outbox o where o.message_id = session.asked_message_id
  );
begin
  return case
    when session.asked_at is null or message.created_at >= session.heard_since or question.message_id is null then false
    when question.state = 'accepted' then coalesce(message.created_at < question.accepted_at, false)
    when question.state = 'pending' or question.due_at = 'infinity' then true
  end;
end
$$;

comment on function private.is_early(public.recruiting_messages, public.bot_sessions) is
  'Whether a recruit''s text came before the provider had accepted the question that the session asks (text_outbox.accepted_at), '
  'so that it is no answer to it. Null while nobody knows whether the provider has the question; true where nobody will.';

create function private.is_automatic_reply(message public.recruiting_messages) returns boolean
language plpgsql
stable
set search_path = ''
as $$
declare
  at_once constant interval := '2 seconds';
  -- More than a script sends.
  most_texts constant integer := 50;
begin
  return message.body <> ''
    and exists (
      select
      from public.text_outbox o
      where o.conversation_id = message.conversation_id
        and o.attempted_at between message.created_at - at_once and message.created_at
    )
    and exists (
      select
      from (
        select o.attempted_at
        from public.text_outbox o
        where o.conversation_id = message.conversation_id and o.attempted_at <= message.created_at
        order by o.attempted_at desc
        limit most_texts
      ) sent
      join public.recruiting_messages m
        on m.conversation_id = message.conversation_id
        and m.created_at between sent.attempted_at and least(sent.attempted_at + at_once, message.created_at)
      where m.direction = 'inbound' and m.id <> message.id and lower(btrim(m.body)) = lower(btrim(message.body))
    );
end
$$;

comment on function private.is_automatic_reply(public.recruiting_messages) is
  'Whether a machine seems to have written a recruit''s text: the same words came before, and both within 2 seconds of a text '
  'that we sent, one of the last 50.';

-- supabase/schemas/bot/begin_turns.sql

-- A recruit's text makes a turn of the bot or extends it: see turns.sql.

create function private.begin_bot_turn(conversation public.recruiting_conversations, message_ids uuid[]) returns boolean
language plpgsql
set search_path = ''
-- No text is lost or late because somebody has locked the agents.
set lock_timeout = '100ms'
as $$
declare
  debounce constant interval := '8 seconds';
  longest constant interval := '30 seconds';
  most_texts constant integer := 20;
  session public.bot_sessions;
  script public.bot_scripts;
  earlier integer;
  is_listening boolean;
begin
  if message_ids is null or conversation.recruiting_lead_id is null then
    return false;
  end if;
  select s.* into session from public.bot_sessions s where s.conversation_id = conversation.id;
  is_listening := coalesce(session.state = 'escalated', false);
  if is_listening and not private.may_listen(conversation) or not is_listening and conversation.status <> 'bot' then
    return false;
  end if;
  if session.conversation_id is null then
    script := private.newest_bot_script(conversation.agency_id);
  else
    select b.* into script from public.bot_scripts b where b.id = session.script_id;
  end if;
  if session.state not in ('active', 'escalated')
    or script.script is null
    or exists (select from public.service_numbers n where n.phone = conversation.recruit_phone)
  then
    return false;
  end if;

  earlier := (select cardinality(t.message_ids) from public.bot_turns t where t.conversation_id = conversation.id);
  if coalesce(earlier, 0) + cardinality(message_ids) > most_texts then
    if is_listening then
      return false;
    end if;
    perform private.carry_out_step(
      conversation, message_ids[cardinality(message_ids)], session, script.id,
      '{"ended": {"state": "escalated", "reason": "not_understood", "goes_to_person": true}}');
    return true;
  end if;

  insert into public.bot_turns as t (conversation_id, due_at, message_ids)
  values (conversation.id, clock_timestamp() + debounce, begin_bot_turn.message_ids)
  on conflict on constraint bot_turns_pkey do update
  set
    message_ids = t.message_ids || excluded.message_ids,
    -- One that only waits for its time begins now.
    first_at = case when t.message_ids = '{}' then excluded.first_at else t.first_at end,
    due_at = case when t.message_ids = '{}' then excluded.due_at else least(excluded.due_at, t.first_at + longest) end;
  return not is_listening;
exception when lock_not_available then
  return false;
end
$$;

comment on function private.begin_bot_turn(public.recruiting_conversations, uuid[]) is
  'Makes or extends the bot''s turn for a recruit''s texts, oldest first. A turn has at most 20: where there are more, the '
  'script ends as `not_understood` and a person goes on. Returns false where the bot does not answer: there is no text, a '
  'person has the conversation, it has no lead, its agency no script or its script has ended, the number is a service number, or '
  'somebody has locked what it needs. Where the bot has given it to a person, there may still be a turn, in which it '
  'only listens. The caller has locked the conversation.';

create function private.may_listen(conversation public.recruiting_conversations) returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return (private.newest_bot_script(conversation.agency_id)).script is not null
    and not exists (
      select
      from public.text_consent_events e
      where e.agency_id = conversation.agency_id and e.phone = conversation.recruit_phone and e.state = 'opted_out'
    )
    -- A text of an agent may ask anything.
    and (
      select m.sender_type
      from public.recruiting_messages m
      where m.conversation_id = conversation.id and m.direction = 'outbound'
      order by m.created_at desc, m.sender_type
      limit 1
    ) is distinct from 'agent';
end
$$;

comment on function private.may_listen(public.recruiting_conversations) is
  'Whether the bot fills in what a recruit answers after it has given the conversation to a person: it is on, no agent has '
  'written since, and the recruit has never opted out.';

create function private.take_texts_to_answer() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  conversation constant public.recruiting_conversations := (
    select c from public.recruiting_conversations c where c.id = new.conversation_id
  );
begin
  return case when not private.begin_bot_turn(conversation, new.message_ids) then new end;
end
$$;

comment on function private.take_texts_to_answer() is
  'Trigger: the bot takes the texts that it answers. It returns those that it does not, for an agent.';

create trigger take_texts_to_answer
  instead of insert on private.texts_to_answer
  for each row execute function private.take_texts_to_answer();

-- supabase/schemas/bot/dispatch_events.sql

-- A recruit who has answered all questions of the bot goes to the destinations of the agency.

create function private.dispatch_screening() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' or old.state <> 'done' then
    perform private.add_dispatches('recruit.screened', array[c.recruiting_lead_id], jsonb_build_object('screening', (
      select coalesce(jsonb_agg(jsonb_build_object('question', a.question, 'answer', a.value) order by a.answered_at, a.question), '[]')
      from public.screening_answers a
      where a.lead_id = c.recruiting_lead_id
    )))
    from public.recruiting_conversations c
    where c.id = new.conversation_id and c.recruiting_lead_id is not null;
  end if;
  return null;
end
$$;

comment on function private.dispatch_screening() is
  'Trigger: adds the dispatches of `recruit.screened`, with screening: [{question, answer}].';

create trigger dispatch_screening
  after insert or update of state on public.bot_sessions
  for each row when (new.state = 'done')
  execute function private.dispatch_screening();

-- supabase/schemas/desk/inbox.sql

-- The list of conversations that an agent's page shows, and how far its agent has read them.

create function private.recruit_of(recruiting_lead_id uuid, out name text, out email text, out state text, out agent_id uuid)
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  select concat_ws(' ', l.first_name, l.last_name), l.email, l.state, l.agent_id into name, email, state, agent_id
  from public.recruiting_leads l
  where l.id = recruit_of.recruiting_lead_id;
end
$$;

comment on function private.recruit_of(uuid) is
  'The name, e-mail address and state of a conversation''s recruit, and the agent who has the recruit; nulls where there is no lead. '
  'Security definer because an agent who was given the conversation with a colleague''s recruit does not read the '
  'recruit. It returns the name to readers of the conversation. Only the view inbox calls it.';
grant execute on function private.recruit_of(uuid) to authenticated;

create view public.inbox with (security_invoker = true) as
select c.id, c.agency_id, c.status, c.recruit_phone, c.service_phone, c.recruiting_lead_id, r.name, r.email, r.state,
  c.assigned_agent_id, nullif(concat_ws(' ', a.first_name, a.last_name), '') as agent,
  coalesce(c.assigned_agent_id, r.agent_id) as agent_id, c.waiting_since, c.due_since, c.last_text_at,
  m.body as last_body, m.direction as last_direction, coalesce(jsonb_array_length(m.media), 0) as last_media,
  coalesce(c.last_message_at > coalesce(read.read_up_to, '-infinity'), false) as is_unread,
  -- Not by exists(): the planner would read the opt-outs of all recruits for one page.
  coalesce((
    select t.state = 'opted_out'
    from public.text_consents t
    where t.agency_id = c.agency_id and t.phone = c.recruit_phone
  ), false) as is_opted_out,
  c.snoozed_until,
  case when c.snoozed_until is null then c.waiting_since is not null else c.snoozed_until <= now() end as is_due,
  exists (
    select
    from public.recruiting_messages f
    where f.conversation_id = c.id and f.direction = 'outbound' and f.status = 'failed'
      and not exists (
        select
        from public.recruiting_messages later
        where later.conversation_id = c.id and later.direction = 'outbound' and later.created_at > f.created_at
      )
      and not exists (select from public.text_outbox o where o.message_id = f.id and o.reason in ('cancelled', 'taken_over'))
  ) as is_failed,
  exists (
    select
    from public.text_outbox o
    where o.conversation_id = c.id and o.state = 'pending' and o.reason in ('quiet_hours', 'number_paused', 'no_account')
  ) as is_held
from public.recruiting_conversations c
left join lateral private.recruit_of(c.recruiting_lead_id) r on true
left join public.agents a on a.id = coalesce(c.assigned_agent_id, r.agent_id)
left join lateral (
  select t.body, t.direction, t.media
  from public.recruiting_messages t
  where t.conversation_id = c.id
  order by t.created_at desc
  limit 1
) m on true
left join public.conversation_reads read
  on read.conversation_id = c.id and read.agent_id = (select private.current_agent_id());

comment on view public.inbox is
  'The conversations that the signed-in agent reads, with the recruit, the agent who is to answer (agent_id and agent: '
  'the assigned agent, else the recruit''s) and the latest text (last_media: how many files). is_unread: the recruit has '
  'written since the caller has read it. is_due: the conversation is to be looked at: the recruit waits, or it was put off until a '
  'time that has come (snoozed_until). is_failed: '
  'our latest text was not delivered, and nobody has stopped it. is_held: one of our texts waits for the texting hours or for '
  'its number. Ask for one agency_id, and for pages by the last row: ordered by last_text_at and id, or by due_since and id '
  'where due_since is not null.';
grant select on public.inbox to authenticated;

create function public.read_conversation(conversation_id uuid, up_to timestamptz) returns integer
language plpgsql
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.current_agent();
  newly_read integer;
begin
  if caller.id is null then
    raise exception 'only an active agent may read a conversation' using errcode = 'insufficient_privilege';
  elsif up_to is null then
    perform private.invalid_field('up_to', 'is required');
  end if;

  insert into public.conversation_reads as r (conversation_id, agent_id, read_up_to)
  -- A later text is not read yet.
  select c.id, caller.id, least(up_to, now())
  from public.recruiting_conversations c
  where c.id = read_conversation.conversation_id
    and (
      c.assigned_agent_id = caller.id
      or caller.role = 'manager' and c.agency_id = caller.agency_id
      or exists (
        select from public.recruiting_leads l where l.id = c.recruiting_lead_id and l.agent_id = caller.id
      )
    )
  on conflict on constraint conversation_reads_pkey do update
  set read_up_to = greatest(r.read_up_to, excluded.read_up_to);
  if not found then
    raise exception 'conversation_id: there is no such conversation' using errcode = 'PT404';
  end if;

  update public.agent_notifications n
  set read_at = now()
  where n.agent_id = caller.id
    and n.conversation_id = read_conversation.conversation_id
    and n.read_at is null
    -- A text that was fetched later has the provider's time.
    and coalesce((select m.created_at from public.recruiting_messages m where m.id = n.message_id), n.created_at) <= up_to;
  get diagnostics newly_read = row_count;
  return newly_read;
end
$$;

comment on function public.read_conversation(uuid, timestamptz) is
  'The signed-in agent has read a conversation up to the text with this created_at, in microseconds as it was read. An '
  'earlier time than before changes nothing. The agent''s notifications about texts up to then are read too; returns how '
  'many were not before. Errors: 22023 (HTTP 400) without up_to; 42501 (403) when the caller is no active agent; PT404 for a '
  'conversation that the caller does not read. '
  'Security definer because agents may not write the tables.';
grant execute on function public.read_conversation(uuid, timestamptz) to authenticated;

-- The agency's agents as a manager's page shows them.

create view public.team with (security_invoker = true) as
select a.id, a.agency_id, a.first_name, a.last_name, a.role, a.is_active, a.accepts_recruits,
  a.user_id is not null as has_login, coalesce(c.waiting, 0) as waiting, coalesce(c.unread, 0) as unread,
  c.waiting_since, coalesce(l.recruits, 0) as recruits_7_days
from public.agents a
left join (
  select coalesce(w.assigned_agent_id, r.agent_id) as agent_id, count(*)::integer as waiting,
    (count(*) filter (where w.last_message_at > coalesce(read.read_up_to, '-infinity')))::integer as unread,
    min(w.due_since) as waiting_since
  from public.recruiting_conversations w
  left join public.recruiting_leads r on r.id = w.recruiting_lead_id
  left join public.conversation_reads read
    on read.conversation_id = w.id and read.agent_id = coalesce(w.assigned_agent_id, r.agent_id)
  where w.agency_id = (select private.managed_agency_id()) and w.due_since is not null
    and (w.snoozed_until is null or w.snoozed_until <= now())
  group by 1
) c on c.agent_id = a.id
left join (
  select d.agent_id, count(*)::integer as recruits
  from public.recruiting_orders o
  join public.recruiting_leads d
    on d.agency_id = o.agency_id and d.order_id = o.id and d.distributed_at > now() - interval '7 days'
  where o.agency_id = (select private.managed_agency_id())
  group by d.agent_id
) l on l.agent_id = a.id
where a.agency_id = (select private.managed_agency_id());

comment on view public.team is
  'The agents of a manager''s agency, each with the conversations that are due for them (waiting), how many of '
  'these the agent has not read (unread), since when the first waits (waiting_since; null: none), and the recruits of theirs '
  'that orders have brought in the last 7 days. Ask for pages by the last row, ordered by first_name and id.';
grant select on public.team to authenticated;

-- supabase/schemas/desk/search.sql

-- The search of conversations: by a recruit's name, e-mail address and number, and by words of the texts.

create extension if not exists pg_trgm with schema extensions;

-- Texts that hold three letters in a row: the search of an agency need not read all its texts.
create index recruiting_messages_words_idx on public.recruiting_messages using gin (body extensions.gin_trgm_ops);

create function private.like_pattern(words text) returns text
language sql
immutable
set search_path = ''
as $$
  select '%' || regexp_replace(words, '([\\%_])', '\\\1', 'g') || '%'
$$;

comment on function private.like_pattern(text) is 'The pattern of LIKE for what holds these characters, whatever they are.';
grant execute on function private.like_pattern(text) to authenticated;

create function private.conversations_with_words(agency_id uuid, words text) returns uuid[]
language plpgsql
stable
security definer
set search_path = ''
-- How often the words occur decides the plan.
set plan_cache_mode = force_custom_plan
as $$
begin
  if length(words) < 3 or agency_id is distinct from private.current_agency_id() then
    return '{}';
  end if;
  return array(
    select distinct m.conversation_id
    from public.recruiting_messages m
    join public.recruiting_conversations c on c.id = m.conversation_id
    where c.agency_id = conversations_with_words.agency_id
      and m.body ilike private.like_pattern(words)
      and m.created_at > now() - interval '90 days'
  );
end
$$;

comment on function private.conversations_with_words(uuid, text) is
  'The ids of the conversations of the caller''s agency with a text of 90 days that has these words in a row. None for less than '
  'three characters, and for another agency. The ids alone say nothing: the caller reads the conversations under the policies. '
  'Security definer because under the policies no index could find the words. It returns ids to search_inbox(), which '
  'reads the conversations under the policies.';
grant execute on function private.conversations_with_words(uuid, text) to authenticated;

create function public.search_inbox(agency_id uuid, typed text) returns setof public.inbox
language plpgsql
stable
set search_path = ''
as $$
declare
  sought constant text := btrim(typed);
  digits constant text := regexp_replace(sought, '[\s().+-]', '', 'g');
  is_phone constant boolean := digits ~ '^[0-9]{3,}$';
  patterns constant text[] := array(
    select private.like_pattern(word) from regexp_split_to_table(sought, '\s+') word where word <> '');
  with_words constant uuid[] := private.conversations_with_words(agency_id, sought);
begin
  return query
  select i.*
  from public.inbox i
  where i.agency_id = search_inbox.agency_id
    and cardinality(patterns) > 0
    and (
      is_phone and i.recruit_phone like '%' || digits || '%'
      or concat_ws(' ', i.name, i.email) ilike all (patterns)
      or i.id = any (with_words)
    );
end
$$;

comment on function public.search_inbox(uuid, text) is
  'The rows of inbox, as the caller reads it, of one agency, for what the caller has typed: each word is part of the name or '
  'the e-mail address; or it is part of the number, from three digits on; or a text of the last 90 days has the words in a '
  'row, from three characters on. Nothing typed finds nothing. Ask for pages as of inbox.';
grant execute on function public.search_inbox(uuid, text) to authenticated;

-- supabase/schemas/desk/quick_replies.sql

-- Quick replies: what the agents of an agency write often. Managers keep them.

create table public.quick_replies (
  id uuid primary key default gen_random_uuid(),
  agency_id uuid not null references public.agencies (id) on delete cascade,
  shortcut text not null check (shortcut ~ '^[a-z0-9_-]{1,32}$'),
  body text not null check (length(body) between 1 and 1600),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (agency_id, shortcut)
);

comment on table public.quick_replies is
  'The quick replies of an agency. An agent finds one by its shortcut, and may change the words before they are sent.';
comment on column public.quick_replies.shortcut is 'What an agent types after `/`: letters from a to z, digits, - and _.';
comment on column public.quick_replies.body is
  'The words, with the placeholders of a greeting: {first_name}, {agent} and {agency}.';

create trigger set_updated_at
  before update on public.quick_replies
  for each row execute function private.set_updated_at();

alter table public.quick_replies enable row level security;
grant select on public.quick_replies to authenticated;
grant select, insert, update, delete on public.quick_replies to service_role;

create policy "agents read the quick replies of their agency" on public.quick_replies
  for select to authenticated
  using (agency_id = (select private.current_agency_id()));

create function private.quick_reply_writer() returns public.agents
language plpgsql
set search_path = ''
as $$
declare
  caller constant public.agents := private.writer();
begin
  if caller.role <> 'manager' then
    raise exception 'only a manager may change quick replies' using errcode = 'insufficient_privilege';
  end if;
  return caller;
end
$$;

comment on function private.quick_reply_writer() is
  'The active manager who is signed in, and does not leave before the transaction ends. 42501 when there is none.';

create function public.save_quick_reply(
  shortcut text,
  body text,
  quick_reply_id uuid default null,
  seen_at timestamptz default null
) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  max_length constant integer := 1600;
  caller constant public.agents := private.quick_reply_writer();
  given_shortcut constant text := lower(btrim(shortcut));
  unknown constant text := (
    select p.given[1]
    from regexp_matches(body, '\{[^{}]*\}', 'g') p (given)
    where p.given[1] not in ('{first_name}', '{agent}', '{agency}')
    limit 1
  );
  saved public.quick_replies;
begin
  if coalesce(given_shortcut, '') !~ '^[a-z0-9_-]{1,32}$' then
    perform private.invalid_field('shortcut', 'must have 1 to 32 letters from a to z, digits, - or _');
  elsif private.visible_text(coalesce(body, '')) !~ '[^ \n]' then
    perform private.invalid_field('body', 'must not be empty');
  elsif private.utf16_length(body) > max_length then
    perform private.invalid_field('body', format(
      'must have at most %s characters, counted in UTF-16 units (most emoji have 2 or more)', max_length));
  elsif unknown is not null then
    perform private.invalid_field('body', format(
      'there is no placeholder %s. Use {first_name}, {agent} or {agency}', left(unknown, 50)));
  elsif regexp_replace(body, '\{(first_name|agent|agency)\}', '', 'g') ~ '[{}]' then
    perform private.invalid_field('body', 'must have no other braces than those of {first_name}, {agent} and {agency}');
  end if;

  if quick_reply_id is null then
    insert into public.quick_replies as q (agency_id, shortcut, body)
    values (caller.agency_id, given_shortcut, save_quick_reply.body)
    returning q.* into saved;
  else
    select q.* into saved
    from public.quick_replies q
    where q.id = quick_reply_id and q.agency_id = caller.agency_id
    for update;
    if not found then
      raise exception 'quick_reply_id: there is no such quick reply' using errcode = 'PT404';
    elsif saved.updated_at <> seen_at then
      raise exception 'seen_at: another manager has changed this quick reply meanwhile' using errcode = 'PT409';
    end if;
    update public.quick_replies q
    set shortcut = given_shortcut, body = save_quick_reply.body
    where q.id = saved.id
    returning q.* into saved;
  end if;
  return to_jsonb(saved) - 'agency_id';
exception when unique_violation then
  raise exception 'shortcut: another quick reply has it' using errcode = 'PT409';
end
$$;

comment on function public.save_quick_reply(text, text, uuid, timestamptz) is
  'Stores a quick reply of the manager''s agency: a new one, or with quick_reply_id another shortcut and body of one that there '
  'is. shortcut: 1 to 32 letters from a to z, digits, - or _; stored in lower case. body: at most 1,600 UTF-16 units, with no '
  'other placeholders than {first_name}, {agent} and {agency}. seen_at: its updated_at as the manager has read it, in '
  'microseconds; null: whatever has become of it. Returns {id, shortcut, body, created_at, updated_at}. Errors: 22023 (HTTP '
  '400) names the field, and the placeholder; 42501 (403) when the caller is no active manager; PT404 for an unknown one; '
  'PT409 when another has the shortcut, and when it was changed since seen_at. '
  'Security definer because agents may not write the tables.';
grant execute on function public.save_quick_reply(text, text, uuid, timestamptz) to authenticated;

create function public.delete_quick_reply(quick_reply_id uuid) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.quick_reply_writer();
begin
  delete from public.quick_replies q where q.id = quick_reply_id and q.agency_id = caller.agency_id;
  if not found then
    raise exception 'quick_reply_id: there is no such quick reply' using errcode = 'PT404';
  end if;
  return jsonb_build_object('id', quick_reply_id);
end
$$;

comment on function public.delete_quick_reply(uuid) is
  'Deletes a quick reply of the manager''s agency. Returns {id}. Errors: 42501 (HTTP 403) when the caller is no active manager; '
  'PT404 for an unknown one, also one that was deleted before. '
  'Security definer because agents may not write the tables.';
grant execute on function public.delete_quick_reply(uuid) to authenticated;

create function public.quick_replies_to(conversation_id uuid) returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.current_agent();
  conversation public.recruiting_conversations;
  lead public.recruiting_leads;
begin
  if caller.id is null then
    raise exception 'only an active agent may write to recruits' using errcode = 'insufficient_privilege';
  end if;
  select c.* into conversation
  from public.recruiting_conversations c
  where c.id = quick_replies_to.conversation_id and private.may_write(caller, c);
  if not found then
    raise exception 'conversation_id: there is no such conversation' using errcode = 'PT404';
  end if;
  select l.* into lead from public.recruiting_leads l where l.id = conversation.recruiting_lead_id;
  lead.agency_id := conversation.agency_id;
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', q.id, 'shortcut', q.shortcut, 'body', private.fill_template(q.body, lead, caller.id)
    ) order by q.shortcut), '[]')
    from public.quick_replies q
    where q.agency_id = conversation.agency_id
  );
end
$$;

comment on function public.quick_replies_to(uuid) is
  'The quick replies of the agency for the recruit of a conversation, with the recruit''s first name, the name of the caller '
  'and that of the agency in the place of the placeholders, as in a greeting: [{id, shortcut, body}], by shortcut. Errors: '
  '42501 (HTTP 403) when the caller is no active agent; PT404 for a conversation in which the caller may not write. '
  'Security definer because an agent who was given the conversation with a colleague''s recruit does not read the '
  'recruit, whose name is in the words. It asks first whether the caller may write in the conversation.';
grant execute on function public.quick_replies_to(uuid) to authenticated;

-- supabase/schemas/desk/recruits.sql

-- Recruits as agents work with them: who reads them, how a stage is set, and the calls.

create function private.assigned_recruits() returns uuid[]
language sql
stable
security definer
set search_path = ''
as $$
  select coalesce(array_agg(distinct l.id), '{}')
  from public.recruiting_conversations c
  join public.recruiting_leads l on l.id = c.recruiting_lead_id and l.agency_id = c.agency_id
  where c.assigned_agent_id = (select private.current_agent_id()) and l.agent_id is distinct from c.assigned_agent_id
$$;

comment on function private.assigned_recruits() is
  'The recruits of others, or of nobody, whose conversations are assigned to the agent who is signed in. '
  'Security definer because the policy of conversations reads recruits, so the policy of recruits may not read '
  'conversations. It returns ids of recruits whose conversations the caller has.';
grant execute on function private.assigned_recruits() to authenticated;

-- The last condition is asked for a row that is not the caller's by the others, and is read once for a statement.
create policy "agents read recruits they have or text, managers their agency's" on public.recruiting_leads
  for select to authenticated
  using (
    agent_id = (select private.current_agent_id())
    or agency_id = (select private.managed_agency_id())
    or id = any ((select private.assigned_recruits())::uuid[])
  );

create function private.lock_recruit(caller public.agents, recruiting_lead_id uuid) returns public.recruiting_leads
language plpgsql
set search_path = ''
as $$
declare
  lead public.recruiting_leads;
begin
  select l.* into lead
  from public.recruiting_leads l
  where l.id = lock_recruit.recruiting_lead_id
    and l.agency_id = caller.agency_id
    -- Nothing is written about a person who was erased.
    and l.first_name <> '(erased)'
    and (
      l.agent_id = caller.id
      or caller.role = 'manager'
      or exists (
        select
        from public.recruiting_conversations c
        where c.recruiting_lead_id = l.id and c.assigned_agent_id = caller.id
      )
    )
  -- The person may be erased at this moment. What is written is there before, and goes too, or is refused.
  for share;
  if not found then
    raise exception 'recruiting_lead_id: there is no such recruit' using errcode = 'PT404';
  end if;
  return lead;
end
$$;

comment on function private.lock_recruit(public.agents, uuid) is
  'A recruit about whom this agent may write: the recruit''s agent, the agent who is assigned a conversation with the recruit, '
  'and the managers of the agency. Nobody changes or erases it before the transaction ends. PT404 for any other.';

create function public.set_recruit_stage(recruiting_lead_id uuid, stage text) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  stages constant text[] := array['new', 'contacted', 'interview', 'licensed', 'hired', 'lost'];
  caller constant public.agents := private.writer();
  lead public.recruiting_leads;
begin
  if stage is null or stage <> all (stages) then
    perform private.invalid_field('stage', 'must be one of ' || array_to_string(stages, ', '));
  end if;
  lead := private.lock_recruit(caller, recruiting_lead_id);
  loop
    exit when stage = coalesce(
      (
        select s.stage
        from public.recruit_stages s
        where s.recruiting_lead_id = lead.id and s.ended_at is null
      ),
      'new');
    update public.recruit_stages s
    set ended_at = clock_timestamp()
    where s.recruiting_lead_id = lead.id and s.ended_at is null and s.stage <> set_recruit_stage.stage;
    -- Another agent, or the bot, may have set one meanwhile: it is looked at again.
    insert into public.recruit_stages (recruiting_lead_id, agency_id, stage, agent_id)
    values (lead.id, lead.agency_id, set_recruit_stage.stage, caller.id)
    on conflict do nothing;
    exit when found;
  end loop;
  return jsonb_build_object('recruiting_lead_id', lead.id, 'stage', stage);
end
$$;

comment on function public.set_recruit_stage(uuid, text) is
  'Sets the stage of a recruit: new, contacted, interview, licensed, hired or lost. The same stage again changes nothing. It '
  'changes neither consent nor bot. The recruit''s agent may call it, the agent who is assigned a conversation with the '
  'recruit, and the managers of the agency. Returns {recruiting_lead_id, stage}. Errors: 22023 (HTTP 400) names stage; 42501 '
  '(403) when the caller is no active agent; PT404 for a recruit that the caller does not read, or who was erased. '
  'Security definer because agents may not write the tables.';
grant execute on function public.set_recruit_stage(uuid, text) to authenticated;

create table public.recruit_calls (
  id uuid primary key default gen_random_uuid(),
  recruiting_lead_id uuid not null references public.recruiting_leads (id) on delete cascade,
  agency_id uuid not null references public.agencies (id),
  agent_id uuid not null,
  outcome text check (outcome in ('reached', 'no_answer', 'left_message', 'wrong_number')),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default now(),
  foreign key (agent_id, agency_id) references public.agents (id, agency_id)
);

create index on public.recruit_calls (recruiting_lead_id, created_at, id);
create index on public.recruit_calls (agency_id);
create index on public.recruit_calls (agent_id, agency_id);

comment on table public.recruit_calls is
  'The times that an agent has dialled the number of a recruit from the page. Whether anybody answered is what the agent says.';
comment on column public.recruit_calls.outcome is
  '`reached`, `no_answer`, `left_message` or `wrong_number`; null: the agent has said nothing.';

create trigger set_updated_at
  before update on public.recruit_calls
  for each row execute function private.set_updated_at();

create trigger broadcast_recruit
  after insert or update of outcome on public.recruit_calls
  for each row execute function private.broadcast_changed_recruit('call');

alter table public.recruit_calls enable row level security;
grant select on public.recruit_calls to authenticated;
grant select, insert, update, delete on public.recruit_calls to service_role;

create policy "readers of a recruit read its calls in their agency" on public.recruit_calls
  for select to authenticated
  using (
    agency_id = (select private.managed_agency_id())
    or agency_id = (select private.current_agency_id())
      and (select true from public.recruiting_leads l where l.id = recruit_calls.recruiting_lead_id)
  );

create function public.record_call(recruiting_lead_id uuid, call_id uuid, outcome text default null) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  outcomes constant text[] := array['reached', 'no_answer', 'left_message', 'wrong_number'];
  caller constant public.agents := private.writer();
  lead public.recruiting_leads;
  call public.recruit_calls;
begin
  if call_id is null then
    perform private.invalid_field('call_id', 'is required');
  elsif outcome <> all (outcomes) then
    perform private.invalid_field('outcome', 'must be one of ' || array_to_string(outcomes, ', '));
  end if;
  lead := private.lock_recruit(caller, recruiting_lead_id);
  insert into public.recruit_calls as c (id, recruiting_lead_id, agency_id, agent_id, outcome)
  values (call_id, lead.id, lead.agency_id, caller.id, record_call.outcome)
  on conflict (id) do update
  set outcome = coalesce(excluded.outcome, c.outcome)
  where (c.recruiting_lead_id, c.agent_id) = (excluded.recruiting_lead_id, excluded.agent_id)
  returning c.* into call;
  if call.id is null then
    raise exception 'call_id: another call has this id' using errcode = 'PT409';
  end if;
  return jsonb_build_object('id', call.id, 'outcome', call.outcome);
end
$$;

comment on function public.record_call(uuid, uuid, text) is
  'Records that the signed-in agent has dialled the number of a recruit, and the outcome if there is one: reached, no_answer, '
  'left_message or wrong_number. call_id: made by the agent''s page; the same id is the same call, and an outcome that is given '
  'replaces the one before. Who may call it, as of set_recruit_stage(). Returns {id, outcome|null}. Errors: 22023 (HTTP 400) '
  'names call_id or outcome; 42501 (403) when the caller is no active agent; PT404 for a recruit that the caller does not '
  'read, or who was erased; PT409 when another call has the id. '
  'Security definer because agents may not write the tables.';
grant execute on function public.record_call(uuid, uuid, text) to authenticated;

-- supabase/schemas/desk/notes.sql

-- Notes about a recruit: for the agency alone, and never sent.

create table public.recruit_notes (
  id uuid primary key default gen_random_uuid(),
  recruiting_lead_id uuid not null references public.recruiting_leads (id) on delete cascade,
  agent_id uuid not null references public.agents (id),
  body text not null check (length(body) between 1 and 4000),
  created_at timestamptz not null default clock_timestamp()
);

create index on public.recruit_notes (recruiting_lead_id, created_at, id);
create index on public.recruit_notes (agent_id);

comment on table public.recruit_notes is
  'Notes of agents about a recruit. Nobody sends them. Rows are added by add_note(), and go when the person is erased.';
comment on column public.recruit_notes.agent_id is 'The agent who wrote it.';
comment on column public.recruit_notes.body is 'Exactly as written.';

alter table public.recruit_notes enable row level security;
grant select on public.recruit_notes to authenticated;
grant select, insert, update, delete on public.recruit_notes to service_role;

-- The policy of the recruit applies inside the subquery. Not by exists(): the planner would read all recruits for the
-- notes of one.
create policy "readers of a recruit read its notes" on public.recruit_notes
  for select to authenticated
  using ((select true from public.recruiting_leads l where l.id = recruit_notes.recruiting_lead_id));

create function public.add_note(recruiting_lead_id uuid, body text, note_id uuid default null) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  max_length constant integer := 4000;
  caller constant public.agents := private.writer();
  given_id constant uuid := coalesce(note_id, gen_random_uuid());
  note public.recruit_notes;
begin
  if private.visible_text(coalesce(body, '')) !~ '[^ \n]' then
    perform private.invalid_field('body', 'must not be empty');
  elsif private.utf16_length(body) > max_length then
    perform private.invalid_field('body', format(
      'must have at most %s characters, counted in UTF-16 units (most emoji have 2 or more)', max_length));
  end if;

  perform private.lock_recruit(caller, recruiting_lead_id);
  insert into public.recruit_notes as n (id, recruiting_lead_id, agent_id, body)
  values (given_id, add_note.recruiting_lead_id, caller.id, add_note.body)
  on conflict (id) do nothing;
  select n.* into note from public.recruit_notes n where n.id = given_id;
  if (note.recruiting_lead_id, note.agent_id) is distinct from (add_note.recruiting_lead_id, caller.id) then
    raise exception 'note_id: another note has this id' using errcode = 'PT409';
  end if;
  return jsonb_build_object('id', note.id, 'created_at', note.created_at);
end
$$;

comment on function public.add_note(uuid, text, uuid) is
  'Adds a note of the signed-in agent about a recruit. Nobody sends it. The recruit''s agent may call it, the agent who is '
  'assigned a conversation with the recruit, and the managers of the agency. body: at most 4,000 UTF-16 units, with something '
  'to see in it. note_id: made by the agent''s page, else here; the same id is the same note, as it was at first. Returns {id, '
  'created_at}. Errors: 22023 (HTTP 400) names the field; 42501 (403) when the caller is no active agent; PT404 for a '
  'recruit whose notes the caller does not read, and for one who was erased; PT409 when another note has the id. '
  'Security definer because agents may not write the tables.';
grant execute on function public.add_note(uuid, text, uuid) to authenticated;

create trigger broadcast_recruit
  after insert on public.recruit_notes
  for each row execute function private.broadcast_changed_recruit('note');

-- supabase/schemas/desk/recruit_timeline.sql

-- All that has happened with a recruit, in one list.

create view public.texting_timeline with (security_invoker = true) as
select c.recruiting_lead_id, c.recruit_phone, 'text:' || m.id as id, m.created_at as at, 'text_in' as kind, null::uuid as agent_id,
  jsonb_build_object(
    'conversation_id', c.id, 'body', m.body, 'files', jsonb_array_length(m.media), 'heard', m.heard) as details
from public.recruiting_conversations c
join public.recruiting_messages m on m.conversation_id = c.id and m.direction = 'inbound'
union all
select c.recruiting_lead_id, c.recruit_phone, 'text:' || m.id, m.created_at, 'text_out', m.sent_by, jsonb_build_object(
  'conversation_id', c.id, 'body', m.body, 'files', jsonb_array_length(m.media), 'by', m.sender_type, 'state', s.state,
  'state_at', case s.state
    when 'delivered' then m.delivered_at
    when 'sent' then coalesce(o.accepted_at, m.sent_at)
    when 'refused' then m.failed_at
    when 'failed' then m.failed_at
    when 'sending' then o.attempted_at
    when 'unconfirmed' then o.attempted_at
  end,
  'sent_at', coalesce(o.accepted_at, m.sent_at),
  'reason', case
    when s.state = 'held' and o.due_at <= now() and o.reason is distinct from 'no_account' then 'number_paused'
    when s.state in ('held', 'unconfirmed', 'refused', 'failed') then coalesce(o.reason, m.error_code)
  end,
  'until', case
    when s.state = 'held' and o.due_at > now() or s.state = 'unconfirmed' and isfinite(o.due_at) then o.due_at
  end)
from public.recruiting_conversations c
join public.recruiting_messages m on m.conversation_id = c.id and m.direction = 'outbound'
left join public.text_outbox o on o.message_id = m.id
cross join lateral private.text_state(
  m.status, o.state, o.due_at, case when o.state = 'pending' then
    o.reason is distinct from 'no_account' and private.is_number_active(c.service_phone, c.agency_id) end
) s (state)
union all
select l.id, k.phone, 'consent:' || e.id, e.occurred_at, 'consent', e.agent_id,
  jsonb_build_object('state', e.state, 'source', e.source, 'reason', e.reason)
from public.text_consents k
join public.text_consent_events e on e.agency_id = k.agency_id and e.phone = k.phone
left join public.recruiting_leads l on l.agency_id = k.agency_id and l.phone = k.phone
union all
select g.recruiting_lead_id, null, 'greeting', g.created_at, 'never_queued', null, jsonb_build_object('reason', g.reason)
from public.skipped_greetings g
union all
select a.lead_id, null, 'answer:' || a.question, a.answered_at, 'answer', null,
  jsonb_build_object('question', a.question, 'value', a.value, 'said', a.said)
from public.screening_answers a
union all
select h.recruiting_lead_id, null, 'hands:' || h.id, h.created_at, 'hands', h.by_agent_id, jsonb_build_object(
  'status', h.status, 'from', nullif(concat_ws(' ', f.first_name, f.last_name), ''), 'from_agent_id', h.from_agent_id,
  'to', nullif(concat_ws(' ', t.first_name, t.last_name), ''), 'to_agent_id', h.to_agent_id, 'reason', h.reason)
from public.conversation_assignments h
left join public.agents f on f.id = h.from_agent_id
left join public.agents t on t.id = h.to_agent_id
union all
-- Where the bot gave the conversation to a person, or one took it, it has changed hands.
select c.recruiting_lead_id, c.recruit_phone, 'ended:' || c.id, s.updated_at, 'bot_ended', null, jsonb_build_object('reason', s.reason)
from public.recruiting_conversations c
join public.bot_sessions s on s.conversation_id = c.id
where s.state in ('expired', 'stopped') and s.reason <> 'taken_over' or s.state = 'done' and s.reason <> 'done';

comment on view public.texting_timeline is
  'What texting has left of a recruit, as the reader may read it. recruit_phone: of texts, consents and the bot''s end, so that '
  'those of a recruit without a lead are found too. kind and details: as in recruit_timeline.';
grant select on public.texting_timeline to authenticated, service_role;

create view public.recruit_timeline with (security_invoker = true) as
select e.recruiting_lead_id, e.id, e.at, e.kind, e.agent_id,
  nullif(concat_ws(' ', a.first_name, a.last_name), '') as agent, e.details
from (
  select l.id as recruiting_lead_id, 'received' as id, l.created_at as at, 'received' as kind, null::uuid as agent_id,
    '{}'::jsonb as details
  from public.recruiting_leads l
  union all
  select l.id, 'distributed', l.distributed_at, 'distributed', null, '{}'
  from public.recruiting_leads l
  where l.distributed_at is not null
  union all
  select t.recruiting_lead_id, t.id, t.at, t.kind, t.agent_id, t.details
  from public.texting_timeline t
  where t.recruiting_lead_id is not null
  union all
  select n.recruiting_lead_id, 'note:' || n.id, n.created_at, 'note', n.agent_id, jsonb_build_object('body', n.body)
  from public.recruit_notes n
  union all
  select s.recruiting_lead_id, 'stage:' || s.id, s.created_at, 'stage', s.agent_id, jsonb_build_object('stage', s.stage)
  from public.recruit_stages s
  union all
  select c.recruiting_lead_id, 'call:' || c.id, c.created_at, 'call', c.agent_id,
    jsonb_build_object('call_id', c.id, 'outcome', c.outcome)
  from public.recruit_calls c
  union all
  select g.recruiting_lead_id, 'given:' || g.id, g.created_at, 'given', null, jsonb_build_object(
    'from', nullif(concat_ws(' ', f.first_name, f.last_name), ''), 'to', nullif(concat_ws(' ', t.first_name, t.last_name), ''))
  from public.lead_assignments g
  left join public.agents f on f.id = g.from_agent_id
  left join public.agents t on t.id = g.to_agent_id
  where g.recruiting_lead_id is not null
) e
left join public.agents a on a.id = e.agent_id;

comment on view public.recruit_timeline is
  'What has happened with a recruit, as the signed-in agent reads it. kind: `received`, `distributed`, `text_in`: a text of the '
  'recruit (details: {conversation_id, body|null, files, heard|null}; heard: as recruiting_messages.heard), `text_out`: one of '
  'our texts ({conversation_id, body|null, files, by: bot|agent, state, state_at|null, sent_at|null, reason|null, until|null}; '
  'state: held, due, sending, unconfirmed, refused, sent, delivered or failed; reason: as text_outbox.reason; until: to when it '
  'is held), `never_queued`: a greeting ({reason}), `consent` ({state, source, reason|null}), `bot_ended`: without a person '
  '({reason}), `answer` ({question, '
  'value, said}), `note` ({body}), `stage` ({stage}; without an agent: the bot), `call` ({call_id, outcome|null}), `hands`: a conversation '
  'changed hands ({status, from|null, from_agent_id|null, to|null, to_agent_id|null, reason|null}; status `bot`: the bot answers; '
  'reason: why the bot gave it away), `given`: an operator gave the '
  'recruit to another agent ({from|null, to|null}). agent: who did it. Ask for one recruiting_lead_id, and for pages by the last row, ordered by at and id.';
grant select on public.recruit_timeline to authenticated;

-- supabase/schemas/desk/recruit_exports.sql

-- Who has taken the recruits of an agency out of the service, as a file.

create table public.recruit_exports (
  id uuid primary key default gen_random_uuid(),
  agency_id uuid not null references public.agencies (id) on delete cascade,
  agent_id uuid not null,
  recruits integer not null check (recruits between 0 and 1000000),
  created_at timestamptz not null default now(),
  foreign key (agent_id, agency_id) references public.agents (id, agency_id)
);

create index on public.recruit_exports (agency_id, created_at);
create index on public.recruit_exports (agent_id, agency_id);

comment on table public.recruit_exports is 'Each export of recruits by a manager, noted before the file was made.';
comment on column public.recruit_exports.agent_id is 'The manager.';
comment on column public.recruit_exports.recruits is 'The number of recruits in the file.';

alter table public.recruit_exports enable row level security;
grant select on public.recruit_exports to authenticated;
grant select, insert, update, delete on public.recruit_exports to service_role;

create policy "managers read their agency's" on public.recruit_exports
  for select to authenticated
  using (agency_id = (select private.managed_agency_id()));

create function public.note_export(recruits integer) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.current_agent();
  export_id uuid;
begin
  if caller.id is null or caller.role <> 'manager' then
    raise exception 'only a manager may export recruits' using errcode = 'insufficient_privilege';
  elsif recruits is null or recruits not between 0 and 1000000 then
    perform private.invalid_field('recruits', 'must be from 0 to 1,000,000');
  end if;
  insert into public.recruit_exports (agency_id, agent_id, recruits)
  values (caller.agency_id, caller.id, note_export.recruits)
  returning id into export_id;
  return jsonb_build_object('export_id', export_id);
end
$$;

comment on function public.note_export(integer) is
  'Records that the calling manager exports so many recruits of the agency. Call it before making the file. '
  'Returns {export_id}. Errors: 42501 (HTTP 403) for users who are not active managers; 22023 (400) names recruits. '
  'Security definer because agents may not write the tables.';
grant execute on function public.note_export(integer) to authenticated;

-- supabase/schemas/desk/agency_figures.sql

-- The figures of an agency, with which a manager begins the day, and the list that each of them counts.

create function private.figures_begin(days integer, out agency public.agencies, out first_day date, out begins timestamptz)
language plpgsql
stable
set search_path = ''
as $$
begin
  select a.* into agency from public.agencies a where a.id = private.managed_agency_id();
  if agency.id is null then
    raise exception 'only a manager reads the figures of an agency' using errcode = 'insufficient_privilege';
  elsif days is null or days not between 1 and 90 then
    perform private.invalid_field('days', 'must be from 1 to 90');
  end if;
  first_day := (now() at time zone agency.timezone)::date - (days - 1);
  begins := first_day::timestamp at time zone agency.timezone;
end
$$;

comment on function private.figures_begin(integer) is
  'The agency of the manager who calls, and the beginning of the last days in its time zone, today included. 42501 for who is '
  'no manager; 22023 names days.';

create function private.figure_leads(agency_id uuid, since timestamptz, until timestamptz, order_id uuid default null)
returns table (lead_id uuid, vendor_id uuid, distributed_at timestamptz)
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  select e.lead_id, e.vendor_id, e.at
  from private.lead_events e
  where e.result = 'distributed' and e.agency_id = figure_leads.agency_id and e.at >= since and e.at < until
    and (figure_leads.order_id is null or e.order_id = figure_leads.order_id);
end
$$;

comment on function private.figure_leads(uuid, timestamptz, timestamptz, uuid) is
  'The leads that the orders of an agency, or one of them, have brought from one time to another.';

create function private.figure_responses(agency public.agencies, begins timestamptz)
returns table (conversation_id uuid, written_at timestamptz, minutes integer)
language plpgsql
stable
set search_path = ''
-- The number of rows of the days decides the plan.
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  select c.id, first.created_at, private.waited_minutes(agency, first.created_at, answer.created_at)
  from public.recruiting_conversations c
  cross join lateral (
    select m.created_at
    from public.recruiting_messages m
    where m.conversation_id = c.id and m.direction = 'inbound'
    order by m.created_at
    limit 1
  ) first
  left join lateral (
    select m.created_at
    from public.recruiting_messages m
    where m.conversation_id = c.id and m.direction = 'outbound' and m.sender_type = 'agent' and m.created_at > first.created_at
      and m.status is distinct from 'failed'
    order by m.created_at
    limit 1
  ) answer on true
  where c.agency_id = agency.id and c.last_text_at >= begins and first.created_at >= begins;
end
$$;

comment on function private.figure_responses(public.agencies, timestamptz) is
  'The conversations in which the recruit has written for the first time since then, each with the minutes, in the hours of '
  'the agency, to the first text of an agent after it. Null: there is none. The bot does not count, and neither does a text '
  'that failed.';

create function private.figure_failures(agency_id uuid, begins timestamptz)
returns table (conversation_id uuid, failed_at timestamptz)
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  select c.id, failed.at
  from public.recruiting_conversations c
  cross join lateral (
    select max(m.created_at) as at
    from public.recruiting_messages m
    where m.conversation_id = c.id and m.direction = 'outbound' and m.status = 'failed' and m.created_at >= begins
      and not exists (select from public.text_outbox o where o.message_id = m.id and o.reason in ('cancelled', 'taken_over'))
  ) failed
  -- A conversation with a text of these days had its latest text in these days.
  where c.agency_id = figure_failures.agency_id and c.last_text_at >= begins and failed.at is not null;
end
$$;

comment on function private.figure_failures(uuid, timestamptz) is
  'The conversations of an agency in which one of our texts since then was not delivered, each with the time of the latest. '
  'One that somebody has stopped does not count: by cancelling it, or by taking over from the bot.';

create function private.figure_opt_outs(agency_id uuid, begins timestamptz)
returns table (event_id uuid, phone text, opted_out_at timestamptz)
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  select distinct on (e.phone) e.id, e.phone::text, e.occurred_at
  from public.text_consent_events e
  where e.agency_id = figure_opt_outs.agency_id and e.state = 'opted_out' and e.occurred_at >= begins
  order by e.phone, e.occurred_at desc, e.id;
end
$$;

comment on function private.figure_opt_outs(uuid, timestamptz) is
  'The numbers that have opted out of texts of an agency since then, each once, with the latest time.';

create function public.agency_figures(days integer default 14) returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  period constant record := private.figures_begin(agency_figures.days);
  agency constant public.agencies := period.agency;
  first_day constant date := period.first_day;
  begins constant timestamptz := period.begins;
begin
  return (
    with counted as (
      select l.vendor_id, (l.distributed_at at time zone agency.timezone)::date as day, count(*) as leads
      from private.figure_leads(agency.id, begins, 'infinity') l
      group by 1, 2
    ), of_vendors as (
      select v.vendor_id, jsonb_agg(coalesce(c.leads, 0) order by d.n) as leads
      from (select distinct c.vendor_id from counted c) v
      cross join generate_series(0, agency_figures.days - 1) d (n)
      left join counted c on c.vendor_id = v.vendor_id and c.day = first_day + d.n
      group by v.vendor_id
    ), waiting as (
      select count(*) as recruits, min(c.due_since) as since
      from public.recruiting_conversations c
      where c.agency_id = agency.id and c.due_since is not null
        and (c.snoozed_until is null or c.snoozed_until <= now())
    )
    select jsonb_build_object(
      'first_day', first_day, 'days', agency_figures.days,
      'vendors', (
        select coalesce(jsonb_agg(
          jsonb_build_object('id', v.vendor_id, 'vendor', private.vendor_name(v.vendor_id), 'leads', v.leads)
          order by private.vendor_name(v.vendor_id), v.vendor_id), '[]')
        from of_vendors v
      ),
      'first_response', (
        select jsonb_build_object(
          'recruits', count(*), 'answered', count(a.minutes),
          'median', percentile_disc(0.5) within group (order by a.minutes),
          'ninety', percentile_disc(0.9) within group (order by a.minutes))
        from private.figure_responses(agency, begins) a
      ),
      'waiting', (select jsonb_build_object('recruits', w.recruits, 'since', w.since) from waiting w),
      'opt_outs', (select count(*) from private.figure_opt_outs(agency.id, begins)),
      'failed', (select count(*) from private.figure_failures(agency.id, begins))
    )
  );
end
$$;

comment on function public.agency_figures(integer) is
  'The figures of a manager''s agency for the last days of its time zone, today included: {first_day, days, vendors: [{id, '
  'vendor, leads: [number of each day]}], first_response: {recruits, answered, median, ninety}, waiting: {recruits, since}, '
  'opt_outs, failed}. vendors: the leads that orders have brought. first_response: the minutes, in the hours of the agency, '
  'from the first text of each recruit who began to write in these days to the first text of an agent after it; the bot does '
  'not count, and neither does a text that failed. ninety: nine of ten were answered as fast. opt_outs: the numbers that have '
  'opted out. failed: the conversations in which one of our texts was not delivered. figure_list() has the rows behind each. '
  'Errors: 42501 (HTTP 403) for users who are not managers; 22023 (400) names days. '
  'Security definer because managers may not read vendors, and policies on each text would take long. It reads the '
  'caller''s own agency alone.';
grant execute on function public.agency_figures(integer) to authenticated;

create function public.figure_list(
  figure text, days integer default 14, day date default null, vendor_id uuid default null, order_id uuid default null
) returns table (
  id uuid, conversation_id uuid, recruiting_lead_id uuid, name text, phone text, agent text, at timestamptz, minutes integer
)
language plpgsql
stable
security definer
set search_path = ''
-- The recruits of the rows by their ids, and not all of the agency.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  period constant record := private.figures_begin(figure_list.days);
  agency constant public.agencies := period.agency;
  begins constant timestamptz := period.begins;
  since timestamptz := begins;
  until timestamptz := 'infinity';
begin
  if figure is null or figure not in ('leads', 'wrote', 'answered', 'failed', 'opt_outs') then
    perform private.invalid_field('figure', 'must be leads, wrote, answered, failed or opt_outs');
  elsif num_nonnulls(day, figure_list.vendor_id, figure_list.order_id) > 0 and figure <> 'leads' then
    perform private.invalid_field('figure', 'must be leads where a day, a vendor or an order is named');
  elsif day is not null then
    since := greatest(begins, day::timestamp at time zone agency.timezone);
    until := (day + 1)::timestamp at time zone agency.timezone;
  elsif figure_list.order_id is not null then
    since := '-infinity';
  end if;
  return query
  with listed as (
    select l.lead_id as id, null::uuid as conversation_id, l.lead_id as recruiting_lead_id, null::text as phone,
      l.distributed_at as at, null::integer as minutes
    from private.figure_leads(agency.id, since, until, figure_list.order_id) l
    where figure = 'leads' and (figure_list.vendor_id is null or l.vendor_id = figure_list.vendor_id)
    union all
    select r.conversation_id, r.conversation_id, null, null, r.written_at, r.minutes
    from private.figure_responses(agency, begins) r
    where figure = 'wrote' or figure = 'answered' and r.minutes is not null
    union all
    select f.conversation_id, f.conversation_id, null, null, f.failed_at, null
    from private.figure_failures(agency.id, begins) f
    where figure = 'failed'
    union all
    select o.event_id, c.id, l.id, o.phone, o.opted_out_at, null
    from private.figure_opt_outs(agency.id, begins) o
    left join lateral (
      select c.id
      from public.recruiting_conversations c
      where c.agency_id = agency.id and c.recruit_phone = o.phone
      order by c.last_text_at desc
      limit 1
    ) c on true
    left join lateral (
      select l.id
      from public.recruiting_leads l
      where l.agency_id = agency.id and l.phone = o.phone and length(l.phone) <= 16
      order by l.distributed_at desc nulls last, l.id
      limit 1
    ) l on true
    where figure = 'opt_outs'
  )
  select s.id, s.conversation_id, l.id, nullif(concat_ws(' ', l.first_name, l.last_name), ''),
    coalesce(s.phone, c.recruit_phone, l.phone), nullif(concat_ws(' ', a.first_name, a.last_name), ''), s.at, s.minutes
  from listed s
  left join public.recruiting_conversations c on c.id = s.conversation_id
  left join public.recruiting_leads l on l.id = coalesce(c.recruiting_lead_id, s.recruiting_lead_id)
  left join public.agents a on a.id = coalesce(c.assigned_agent_id, l.agent_id);
end
$$;

comment on function public.figure_list(text, integer, date, uuid, uuid) is
  'The rows that agency_figures() counts, of the same days: {id, conversation_id, recruiting_lead_id, name, phone, agent, at, '
  'minutes}. figure: `leads`, of one day and vendor where they are named, or of one order in all its days; `wrote`: the recruits who began to write, with the '
  'minutes to the first response; `answered`: those of them with one; `failed` and `opt_outs`. conversation_id and '
  'recruiting_lead_id are null where there is none. Ask for pages by the last row, ordered by at and id. Errors: 42501 (HTTP '
  '403) for users who are not managers; 22023 (400) names figure or days. '
  'Security definer because managers may not read vendors, and policies on each text would take long. It reads the '
  'caller''s own agency alone.';
grant execute on function public.figure_list(text, integer, date, uuid, uuid) to authenticated;

-- supabase/schemas/operators/tables.sql

-- The operators, and what they have done.

create table public.operators (
  user_id uuid primary key references auth.users (id) on delete cascade,
  created_at timestamptz not null default now()
);

comment on table public.operators is
  'The users who may do on their page what operators do by the command. A user may be an agent as well.';

alter table public.operators enable row level security;
grant select, insert, update, delete on public.operators to service_role;

create table public.erasures (
  id uuid primary key default gen_random_uuid(),
  asked_by text not null check (asked_by in ('phone', 'email')),
  erased jsonb not null check (jsonb_typeof(erased) = 'object'),
  provider_copies integer check (provider_copies >= 0),
  created_at timestamptz not null default now()
);

comment on table public.erasures is
  'One row each time a person was erased, as the proof that it was done. Nothing in it leads to the person.';
comment on column public.erasures.asked_by is 'By what the person was found: a phone or an e-mail address.';
comment on column public.erasures.erased is
  'The number of rows and files that were emptied or deleted, by their kind: {recruiting_lead, lead, file, ...}.';
comment on column public.erasures.provider_copies is
  'The number of texts to delete at the SMS provider; null: the provider was not asked, and its copies remain.';

alter table public.erasures enable row level security;
grant select, insert, update, delete on public.erasures to service_role;

create function private.action_members(action text) returns text[]
language sql
immutable
set search_path = ''
return case action
  when 'agency create' then '{agency_id}'
  when 'agency update' then '{agency_id,changes}'
  when 'agency remove' then '{agency_id}'
  when 'agent create' then '{agent_id,agency_id}'
  when 'agent update' then '{agent_id,changed}'
  when 'agent remove' then '{agent_id}'
  when 'agent leave' then '{agent_id,to_agent_id?,order_ids,lead_ids}'
  when 'agent invite' then '{agent_id}'
  when 'order create' then '{order_id,agency_id,changes}'
  when 'order update' then '{order_id,changes}'
  when 'order recount' then '{order_ids}'
  when 'order pause' then '{order_ids,agency_id?}'
  when 'order open' then '{order_ids,agency_id?}'
  when 'order close' then '{order_ids}'
  when 'vendor create' then '{vendor_id}'
  when 'vendor update' then '{vendor_id,changes?,dry_run?}'
  when 'vendor remove' then '{vendor_id}'
  when 'vendor parse' then '{vendor_id,delivery_id}'
  when 'mapping try' then '{delivery_id?,lead_id?}'
  when 'mapping save' then '{vendor_id}'
  when 'key create' then '{vendor_id,key_prefix}'
  when 'key revoke' then '{vendor_id,key_prefix}'
  when 'key rotate' then '{vendor_id,key_prefix}'
  when 'webhook set' then '{vendor_id,changes}'
  when 'webhook off' then '{vendor_id}'
  when 'secret create' then '{vendor_id,secret_id}'
  when 'secret revoke' then '{vendor_id,secret_id}'
  when 'lead list' then '{vendor_id?,agency_id?,agent_id?,order_id?}'
  when 'lead find' then '{by}'
  when 'lead show' then '{lead_id}'
  when 'lead waiting' then '{vendor_id?}'
  when 'lead distribute' then '{vendor_id?,lead_ids,dry_run?}'
  when 'lead assign' then '{to_agent_id,from_agent_id?,lead_ids}'
  when 'lead return' then '{lead_id}'
  when 'lead fetch' then '{vendor_id}'
  when 'lead reread' then '{vendor_id?,lead_ids,dry_run?}'
  when 'delivery show' then '{delivery_id}'
  when 'delivery replay' then '{delivery_ids,lead_ids?,dry_run?}'
  when 'delivery dismiss' then '{delivery_ids}'
  when 'delivery prune' then '{vendor_id?,count}'
  when 'person find' then '{by}'
  when 'person export' then '{by,lead_ids}'
  when 'person erase' then '{by,lead_ids}'
  when 'number add' then '{service_phone,agency_id}'
  when 'number set' then '{service_phone,changes}'
  when 'number pause' then '{service_phone}'
  when 'number resume' then '{service_phone}'
  when 'number remove' then '{service_phone}'
  when 'consent show' then '{by}'
  when 'consent list' then '{agency_id?}'
  when 'consent record' then '{agency_id,status,lead_ids}'
  when 'text unmatched' then '{}'
  when 'text waiting' then '{agency_id?}'
  when 'text outbox' then '{agency_id?}'
  when 'text adopt' then '{conversation_ids,lead_ids}'
  when 'text retry' then '{message_id,lead_id?}'
  when 'text reconcile' then '{service_phone?}'
  when 'text send' then '{}'
  when 'bot publish' then '{agency_id,script_id}'
  when 'bot off' then '{agency_id}'
  when 'bot sessions' then '{agency_id}'
  when 'bot answers' then '{agency_id}'
  when 'bot conversation' then '{lead_id}'
  when 'hours set' then '{state?,changes}'
  when 'destination create' then '{destination_id?,agency_id,lead_id?,dry_run?}'
  when 'destination update' then '{destination_id,changed?,lead_id?,dry_run?}'
  when 'destination test' then '{destination_id}'
  when 'destination pause' then '{destination_id}'
  when 'destination resume' then '{destination_id}'
  when 'destination rotate' then '{destination_id}'
  when 'destination remove' then '{destination_id}'
  when 'dispatch list' then '{agency_id?,destination_id?,lead_id?}'
  when 'dispatch show' then '{dispatch_id}'
  when 'dispatch retry' then '{dispatch_ids}'
  when 'operator add' then '{user_id}'
  when 'operator remove' then '{user_id}'
  when 'alert acknowledge' then '{alert_id}'
  when 'alert rule' then '{kind,changes}'
  when 'alert test' then '{}'
end::text[];

comment on function private.action_members(text) is
  'The members of the subject of an action, `?` after those that may be left out; null for an unknown action. An action is '
  'the noun and the verb of its command, and has the same name where it is done on the page.';

create function private.is_action_member(name text, value jsonb) returns boolean
language sql
immutable
set search_path = ''
return case
  when name like '%\_ids' or name = 'changed' then
    jsonb_typeof(value) = 'array'
    and not jsonb_path_exists(value, '$[*] ? (@.type() != "string")')
    and not exists (
      select from jsonb_array_elements_text(value) e (text)
      where e.text !~ case name when 'changed' then '^[a-z_]{1,63}$' else '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' end
    )
  when name = 'changes' then jsonb_typeof(value) = 'object'
  when name = 'dry_run' then value = 'true'
  when name = 'count' then jsonb_typeof(value) = 'number' and value::text ~ '^\d+$'
  else jsonb_typeof(value) = 'string' and value #>> '{}' ~ case
    when name like '%\_id' then '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    when name = 'by' then '^(phone|email|words)$'
    when name = 'service_phone' then '^(\+[1-9]\d{1,14}|\d{5,6})$'
    when name = 'key_prefix' then '^[\w-]{1,12}$'
    when name = 'state' then '^[A-Z]{2}$'
    -- `kind` and `status`
    else '^[a-z_]{1,63}$'
  end
end;

comment on function private.is_action_member(text, jsonb) is
  'Whether a value is one that this member of a subject can have. `changes` has the new value of each column that is set; '
  '`changed` only their names, where the values are data of a person. Ids are in lower case, because they are compared as texts.';

create function private.action_problem(action text, subject jsonb) returns text
language plpgsql
immutable
set search_path = ''
as $$
declare
  members constant text[] := private.action_members(action);
  member text;
  name text;
begin
  if members is null then
    return 'action: there is no such action';
  elsif jsonb_typeof(subject) is distinct from 'object' then
    return 'subject: must be an object';
  elsif exists (select from jsonb_object_keys(subject) k where not array[k, k || '?'] && members) then
    return format('subject: may have only these members: %s', coalesce(replace(nullif(array_to_string(members, ', '), ''), '?', ''), 'none'));
  end if;
  foreach member in array members loop
    name := rtrim(member, '?');
    if not subject ? name then
      continue when member <> name;
      return format('subject.%s: is missing', name);
    elsif not private.is_action_member(name, subject -> name) then
      return format('subject.%s: is not a value of this member', name);
    end if;
  end loop;
  return null;
end
$$;

comment on function private.action_problem(text, jsonb) is
  'Why operator_actions cannot have such a row, naming the member; null: it can.';
grant execute on function private.action_members(text), private.is_action_member(text, jsonb),
  private.action_problem(text, jsonb) to service_role;

create table public.operator_actions (
  id uuid primary key default gen_random_uuid(),
  -- Without a foreign key, because what was done stays known when the user is deleted.
  user_id uuid,
  done_by text check (done_by <> '' and length(done_by) <= 128),
  action text not null,
  subject jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  check (num_nonnulls(user_id, done_by) = 1),
  check (private.action_problem(action, subject) is null),
  -- An agency has many orders.
  check (user_id is null or octet_length(subject::text) <= 65536)
);

create index on public.operator_actions (created_at, id);
create index on public.operator_actions using gin (subject jsonb_path_ops);

comment on table public.operator_actions is
  'Each time an operator has changed something or has been shown data of a person, on the page or by the command. A row is '
  'never changed or deleted.';
comment on column public.operator_actions.user_id is 'The operator who was signed in: auth.users.id; null: it was done by the command.';
comment on column public.operator_actions.done_by is
  'The operator at the command: the name that was given with --as, else the login name on that computer; null: a user.';
comment on column public.operator_actions.action is
  'The noun and the verb of the command, such as `lead return`, also where it was done on the page. private.action_members() has all.';
comment on column public.operator_actions.subject is
  'The members that private.action_members() names for the action. Ids, and no data of a person: of a search by a phone, '
  '{by: phone}. dry_run: it was only shown what would change.';

alter table public.operator_actions enable row level security;
grant select, insert on public.operator_actions to service_role;

create table public.lead_returns (
  -- A lead is returned once.
  recruiting_lead_id uuid primary key references public.recruiting_leads (id) on delete cascade,
  agency_id uuid not null,
  order_id uuid not null,
  agent_id uuid,
  distributed_at timestamptz not null,
  reason text not null check (btrim(reason) <> '' and length(reason) <= 500),
  returned_by text default private.operator_name() check (returned_by <> '' and length(returned_by) <= 128),
  created_at timestamptz not null default clock_timestamp(),
  foreign key (agency_id, order_id) references public.recruiting_orders (agency_id, id),
  foreign key (agent_id, agency_id) references public.agents (id, agency_id)
);

create index on public.lead_returns (agency_id, order_id);
create index on public.lead_returns (agent_id, agency_id);
create index on public.lead_returns (distributed_at);
create index on public.lead_returns (created_at);

comment on table public.lead_returns is
  'The leads that operators have taken back, each with the agency, order and agent that had it. return_lead() writes it. A row '
  'goes with its lead; only the reason is emptied when the person is erased.';
comment on column public.lead_returns.agent_id is 'The agent who had the lead at last; null: the agency alone.';
comment on column public.lead_returns.distributed_at is 'When the order had got the lead.';
comment on column public.lead_returns.created_at is 'When it was returned.';
comment on column public.lead_returns.reason is 'The words of the operator.';
comment on column public.lead_returns.returned_by is 'The operator, as private.operator_name() says.';

alter table public.lead_returns enable row level security;
grant select, insert, update, delete on public.lead_returns to service_role;

-- supabase/schemas/operators/signed_in.sql

-- The signed-in user, agent or operator or both.

create function private.is_operator() returns boolean
language sql
stable
set search_path = ''
as $$
  select exists (select from public.operators o where o.user_id = private.current_user_id())
$$;

comment on function private.is_operator() is
  'Whether the user who is signed in is an operator. For functions that run with their owner''s rights.';

create function private.may_operate() returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  -- Not current_user, which is the owner in here. The command signs in to the database, and takes no role.
  select current_setting('role') in ('none', 'postgres', 'service_role') or private.is_operator()
$$;

comment on function private.may_operate() is
  'Whether the caller may read what operators read: an operator who is signed in, the service role, or the command. '
  'Security definer because users may not read who is an operator. It says it of the caller.';
grant execute on function private.may_operate() to authenticated, service_role;

create function private.require_operator() returns void
language plpgsql
stable
set search_path = ''
as $$
begin
  if not private.may_operate() then
    raise exception 'only an operator may do this' using errcode = '42501';
  end if;
end
$$;

comment on function private.require_operator() is
  '42501 unless private.may_operate(). For functions that run with their owner''s rights.';

create function public.signed_in_user() returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.current_agent();
begin
  return jsonb_build_object(
    'user_id', private.current_user_id(),
    'agent', case when caller.id is not null then jsonb_build_object(
      'id', caller.id, 'agency_id', caller.agency_id, 'first_name', caller.first_name, 'last_name', caller.last_name,
      'role', caller.role
    ) end,
    'agency', (
      select jsonb_build_object('id', g.id, 'name', g.name, 'timezone', g.timezone)
      from public.agencies g
      where g.id = caller.agency_id
    ),
    'is_operator', private.is_operator(),
    'migrations', private.newest_migration()
  );
end
$$;

comment on function public.signed_in_user() is
  'The data that a page needs about the user who is signed in: {user_id, agent: {id, agency_id, first_name, last_name|null, '
  'role}|null, agency: {id, name, timezone}|null, is_operator, migrations: the version of the newest one|null}. agent and '
  'agency are null for a user who is not an active agent. '
  'Security definer because users may not read who is an operator, nor the record of migrations. It returns what is '
  'the caller''s own.';
grant execute on function public.signed_in_user() to authenticated;

-- supabase/schemas/operators/lists.sql

-- The lists of operators: a view for each, which reads with the rights of its caller. A list that may be of one
-- agency or one vendor alone has `agency_id` or `vendor_id`. Those that operators read in a browser too: desk_lists.sql.

create view public.agency_list with (security_invoker = true) as
select a.id, a.name, a.timezone, to_char(a.opens_at, 'HH24:MI') || '-' || to_char(a.closes_at, 'HH24:MI') as hours,
  (select count(*)::int from public.agents g where g.agency_id = a.id and g.is_active) as active_agents,
  (select count(*)::int from public.recruiting_orders o where o.agency_id = a.id and o.status = 'open') as open_orders,
  a.created_at
from public.agencies a;

comment on view public.agency_list is 'Agencies, with their active agents and open orders. hours: when agents answer recruits, Monday to Friday.';
grant select on public.agency_list to service_role;

create view public.agent_list with (security_invoker = true) as
select a.id, a.agency_id, g.name as agency, a.first_name, a.last_name,
  concat_ws(' ', a.first_name, a.last_name) as agent, a.email, a.phone, a.role, a.is_active, a.accepts_recruits,
  a.user_id, a.last_assigned_at,
  case when a.away_until > now() then to_char(a.away_until at time zone g.timezone, 'YYYY-MM-DD') end as away_until
from public.agents a
join public.agencies g on g.id = a.agency_id;

comment on view public.agent_list is
  'Agents, with the name of their agency. away_until: the day, in its time zone, at whose start the agent is back.';
grant select on public.agent_list to service_role;

create view public.key_list with (security_invoker = true) as
select v.slug as vendor, k.vendor_id, k.key_prefix as key, k.label,
  case when k.revoked_at is not null then 'revoked' when k.expires_at <= now() then 'expired' else 'works' end as state,
  k.created_at as created, k.last_used_at as last_used, k.expires_at as expires, k.revoked_at as revoked
from public.vendor_api_keys k
join public.vendors v on v.id = k.vendor_id;

comment on view public.key_list is 'API keys by their first 12 characters; state: works, expired or revoked.';
grant select on public.key_list to service_role;

create view public.webhook_secret_list with (security_invoker = true) as
select s.vendor_id, s.id, s.kind, s.label,
  case when s.revoked_at is not null then 'revoked' when s.expires_at <= now() then 'expired' else 'works' end as state,
  s.created_at as created, s.expires_at as expires, s.revoked_at as revoked
from private.vendor_webhook_secrets s;

comment on view public.webhook_secret_list is
  'The secrets and tokens of webhooks, without the secrets themselves; state: works, expired or revoked.';
grant select on public.webhook_secret_list to service_role;

create view public.expiring_key_list with (security_invoker = true) as
select k.vendor, k.vendor_id, k.what, k.id as key, k.label, k.expires_at as expires,
  floor(extract(epoch from k.expires_at - now()) / 86400)::int as days_left
from private.expiring_keys(now()) k
where k.expires_at > now();

comment on view public.expiring_key_list is
  'Keys, webhook secrets and tokens of all vendors that will expire, without a newer one of the vendor and kind that is '
  'valid for longer. key: the first 12 characters of a key, else the id; days_left: whole days.';
grant select on public.expiring_key_list to service_role;

create view public.refused_proof_list with (security_invoker = true) as
select v.slug as vendor, p.vendor_id, p.reason, p.requests, p.created_at as first_at, p.updated_at as last_at
from private.refused_proofs p
join public.vendors v on v.id = p.vendor_id;

comment on view public.refused_proof_list is
  'Why requests to vendors'' webhooks got 401: how many, and when the first and the last of them came.';
grant select on public.refused_proof_list to service_role;

create view public.consent_list with (security_invoker = true) as
select c.changed_at, c.phone, g.name as agency, c.agency_id, c.state, c.source
from public.text_consents c
join public.agencies g on g.id = c.agency_id;

comment on view public.consent_list is 'The consent of each recruit who has said something to an agency.';
grant select on public.consent_list to service_role;

create view public.consent_event_list with (security_invoker = true) as
select e.occurred_at, e.phone, g.name as agency, e.agency_id, e.state, e.source, e.words, e.reason,
  concat_ws(' ', a.first_name, a.last_name) as manager, e.message_id, e.created_at, e.id
from public.text_consent_events e
join public.agencies g on g.id = e.agency_id
left join public.agents a on a.id = e.agent_id;

comment on view public.consent_event_list is 'The words of recruits about texts, and the manager who recorded them.';
grant select on public.consent_event_list to service_role;

create view public.greeting_list with (security_invoker = true) as
select t.order_id, t.agency_id, t.agency, t.status, t.vendors, t.numbers,
  case when t.numbers = 0 then 'nobody: no active number' when t.vendors = '{}' then 'nobody: no vendor has text consent'
    else 'recruits of ' || array_to_string(t.vendors, ', ') end as greets,
  private.text_segments(t.preview) as segments, t.template, t.preview, t.created_at
from (
  select o.id as order_id, o.agency_id, g.name as agency, o.status,
    array(
      select v.slug from public.vendors v
      where v.has_text_consent and (o.vendor_id is null or v.id = o.vendor_id)
      order by v.slug
    ) as vendors,
    (select count(*)::int from public.service_numbers n where n.agency_id = g.id and n.status = 'active') as numbers,
    o.greeting_template as template,
    private.fill_template(
      o.greeting_template,
      jsonb_populate_record(
        null::public.recruiting_leads,
        jsonb_build_object('first_name', 'Ada', 'agency_id', o.agency_id, 'agent_id', o.agent_id)
      )
    ) as preview,
    o.created_at
  from public.recruiting_orders o
  join public.agencies g on g.id = o.agency_id
  where o.greeting_template is not null
) t;

comment on view public.greeting_list is
  'The greetings of the orders. vendors: whose recruits are greeted; numbers: the agency''s active ones, without which '
  'nobody is greeted; preview: for a recruit named Ada, with the order''s agent, else the agency''s next one; segments: of '
  'the preview.';
grant select on public.greeting_list to service_role;

create view public.bot_session_list with (security_invoker = true) as
select s.conversation_id, b.agency_id, c.recruit_phone, concat_ws(' ', l.first_name, l.last_name) as name,
  b.version as script, s.state, s.reason, s.question, s.asked_at, s.answers, s.created_at
from public.bot_scripts b
join public.bot_sessions s on s.script_id = b.id
join public.recruiting_conversations c on c.id = s.conversation_id
left join public.recruiting_leads l on l.id = c.recruiting_lead_id;

comment on view public.bot_session_list is 'The conversations of the bot; script: its version.';
grant select on public.bot_session_list to service_role;

create view public.screening_answer_list with (security_invoker = true) as
select l.id as lead_id, l.agency_id, concat_ws(' ', l.first_name, l.last_name) as recruit, l.phone, l.email, v.slug as vendor,
  nullif(concat_ws(' ', g.first_name, g.last_name), '') as agent, a.answered_at, a.answers
from public.recruiting_leads l
join public.vendors v on v.id = l.vendor_id
left join public.agents g on g.id = l.agent_id
cross join lateral (
  select max(s.answered_at) as answered_at, jsonb_object_agg(s.question, s.value) as answers
  from public.screening_answers s
  where s.lead_id = l.id
  having count(*) > 0
) a
where l.agency_id is not null;

comment on view public.screening_answer_list is
  'The answers of recruits to the bot''s questions, a row for each recruit of an agency. answered_at: the latest answer; '
  'answers: by the id of the question, as in screening_answers.value.';
grant select on public.screening_answer_list to service_role;

create view public.hours_list with (security_invoker = true) as
select coalesce(q.state, 'all') as state, q.day_of_week as day,
  coalesce(to_char('2023-01-01'::date + q.day_of_week, 'FMday'), 'every day') as days, q.opens::text as opens,
  q.closes::text as closes,
  case when q.opens = q.closes then 'closed' else left(q.opens::text, 5) || '-' || left(q.closes::text, 5) end as hours,
  q.source, null::date as starts_on, null::date as ends_on
from public.texting_hours q
union all
select coalesce(c.state, 'all'), null, concat_ws(' ', case when c.ends_on is null then 'from' end, c.starts_on, 'to ' || c.ends_on),
  null, null, 'closed', c.source, c.starts_on, c.ends_on
from public.texting_closures c
where c.ends_on is null or c.ends_on >= private.first_date();

comment on view public.hours_list is
  'When texts may be sent. state: all for those without hours of their own; day: 0 for Sunday to 6, null for every day; '
  'opens, closes: in the recipient''s time, the same where nothing is sent. starts_on, ends_on: of a closure that is not over, '
  'whose days are closed whatever the hours are.';
grant select on public.hours_list to service_role;

-- supabase/schemas/operators/desk_lists.sql

-- The lists that an operator reads in a browser too. A signed-in user has no right on their tables. So these views
-- read with the rights of their owner, in the schema that the API does not offer. private.may_operate() is their row
-- security. The views of the API show what they have.

create view private.vendor_name_list as
select v.slug, v.name
from public.vendors v
where (select private.may_operate());

grant select on private.vendor_name_list to authenticated, service_role;

create view public.vendor_name_list with (security_invoker = true) as select * from private.vendor_name_list;

comment on view public.vendor_name_list is 'The names of vendors by their slugs, which other lists and commands have.';
grant select on public.vendor_name_list to authenticated, service_role;

create view private.order_list as
select o.id, o.agency_id, g.name as agency, o.agent_id, a.first_name as agent, o.vendor_id, v.slug as vendor, o.states,
  o.filled, o.quantity, coalesce(d.leads, 0) as leads_today, o.daily_cap, o.priority, o.status, o.starts_at, o.ends_at,
  o.created_at
from public.recruiting_orders o
join public.agencies g on g.id = o.agency_id
left join public.agents a on a.id = o.agent_id
left join public.vendors v on v.id = o.vendor_id
left join private.recruiting_order_days d on d.order_id = o.id and d.starts_at <= now() and d.ends_at > now()
where (select private.may_operate());

grant select on private.order_list to authenticated, service_role;

create view public.order_list with (security_invoker = true) as select * from private.order_list;

comment on view public.order_list is
  'Orders, with the names of the agency, the agent and the vendor. leads_today: by the agency''s own day, as the daily cap '
  'counts them.';
grant select on public.order_list to authenticated, service_role;

create view private.delivery_list as
select d.id, d.received_at, coalesce(v.slug, 'import') as vendor, d.vendor_id, d.route, d.row, d.vendor_lead_id, d.code,
  d.reason, d.status, d.lead_id, d.resolved_at, d.request_id, d.payload_bytes,
  case when d.payload is not null then 'whole' when d.payload_text is not null then 'beginning' else 'nothing' end
    as payload_kept
from public.rejected_deliveries d
left join public.vendors v on v.id = d.vendor_id
where (select private.may_operate());

grant select on private.delivery_list to authenticated, service_role;

create view public.delivery_list with (security_invoker = true) as select * from private.delivery_list;

comment on view public.delivery_list is
  'Rejected deliveries without their payloads; vendor_id: null for an import; payload_kept: whole, beginning or nothing.';
grant select on public.delivery_list to authenticated, service_role;

create view public.delivery_reason_list with (security_invoker = true) as
select md5(jsonb_build_array(d.vendor_id, d.code, d.reason)::text)::uuid as id, d.vendor, d.vendor_id, d.code, d.reason,
  count(*)::int as deliveries, min(d.received_at) as first_at, max(d.received_at) as last_at
from private.delivery_list d
where d.status = 'open'
group by d.vendor_id, d.vendor, d.code, d.reason;

comment on view public.delivery_reason_list is
  'Why open deliveries were rejected, with how many of each vendor; vendor_id: null for imports; id: of vendor, code and '
  'reason. Ask for pages by the last row, ordered by deliveries and id, both descending.';
grant select on public.delivery_reason_list to authenticated, service_role;

create view private.vendor_list as
select v.slug, v.name, v.parser, v.is_active as active, k.keys, v.webhook_scheme as webhook, v.rate_limit,
  v.silent_after::text, v.has_text_consent as text_consent, v.created_at as created, k.last_used, k.expires
from public.vendors v
cross join lateral (
  select
    count(*) filter (where k.is_valid)::int as keys,
    max(k.last_used_at) as last_used,
    min(k.expires_at) filter (where k.is_valid) as expires
  from (
    select k.last_used_at, k.expires_at,
      k.revoked_at is null and (k.expires_at is null or k.expires_at > now()) as is_valid
    from public.vendor_api_keys k
    where k.vendor_id = v.id
  ) k
) k
where (select private.may_operate());

grant select on private.vendor_list to authenticated, service_role;

create view public.vendor_list with (security_invoker = true) as select * from private.vendor_list;

comment on view public.vendor_list is
  'Vendors; keys: how many of their API keys work; last_used: when a key was used last; expires: when the first key that works '
  'expires, null for never.';
grant select on public.vendor_list to authenticated, service_role;

create view private.duplicate_list as
select d.id, d.received_at, v.slug as vendor, d.vendor_id, d.request_id, l.vendor_lead_id, d.lead_id,
  l.created_at as first_received
from public.recruiting_lead_duplicates d
join public.vendors v on v.id = d.vendor_id
join public.recruiting_leads l on l.id = d.lead_id
where (select private.may_operate());

grant select on private.duplicate_list to authenticated, service_role;

create view public.duplicate_list with (security_invoker = true) as select * from private.duplicate_list;

comment on view public.duplicate_list is
  'A row each time a lead came again: request_id of the request that was answered `duplicate`, and lead_id and '
  'vendor_lead_id of the lead that it is a duplicate of, which came first_received.';
grant select on public.duplicate_list to authenticated, service_role;

create view private.lead_list as
select l.id, l.created_at as received, v.slug as vendor, l.vendor_id, l.vendor_lead_id, l.distribution, l.agency_id,
  g.name as agency, l.agent_id, nullif(concat_ws(' ', a.first_name, a.last_name), '') as agent
from public.recruiting_leads l
join public.vendors v on v.id = l.vendor_id
left join public.agencies g on g.id = l.agency_id
left join public.agents a on a.id = l.agent_id
where (select private.may_operate());

grant select on private.lead_list to authenticated, service_role;

create view public.lead_list with (security_invoker = true) as select * from private.lead_list;

comment on view public.lead_list is
  'Recruiting leads, with nothing of the recruit. agency, agent: who has the lead; null: nobody, for which distribution '
  'gives the reason. Ask for pages by the last row, ordered by received and id, both descending.';
grant select on public.lead_list to authenticated, service_role;

create view private.waiting_lead_list as
select l.id, l.vendor_id, v.slug as vendor, l.vendor_lead_id, concat_ws(' ', l.first_name, l.last_name) as name,
  l.state, l.distribution, l.created_at as received
from (
  -- One by one, because each has an index of its own.
  select u.id, u.vendor_id, u.vendor_lead_id, u.first_name, u.last_name, u.state, u.distribution, u.created_at
  from public.recruiting_leads u
  where u.distribution = 'unmatched'
  union all
  select p.id, p.vendor_id, p.vendor_lead_id, p.first_name, p.last_name, p.state, p.distribution, p.created_at
  from public.recruiting_leads p
  where p.distribution = 'pending'
) l
join public.vendors v on v.id = l.vendor_id
where (select private.may_operate());

grant select on private.waiting_lead_list to authenticated, service_role;

create view public.waiting_lead_list with (security_invoker = true) as select * from private.waiting_lead_list;

comment on view public.waiting_lead_list is 'Recruiting leads that no order has got.';
grant select on public.waiting_lead_list to authenticated, service_role;

create view public.waiting_vendor_list with (security_invoker = true) as
select w.vendor_id, w.vendor, count(*)::int as leads
from private.waiting_lead_list w
group by w.vendor_id, w.vendor;

comment on view public.waiting_vendor_list is 'The vendors of leads that no order has got, with how many of each.';
grant select on public.waiting_vendor_list to authenticated, service_role;

create view private.unmatched_text_list as
select t.id, t.received_at, t.recruit_phone as "from", t.service_phone as "to", t.body,
  jsonb_array_length(t.media) as media, t.message_sid, l.id as lead_id,
  nullif(concat_ws(' ', l.first_name, l.last_name), '') as recruit, l.agency_id, g.name as agency, a.id as agent_id,
  nullif(concat_ws(' ', a.first_name, a.last_name), '') as agent
from public.unmatched_texts t
left join public.service_numbers n on n.phone = t.service_phone
left join lateral (
  select r.*
  from public.recruiting_leads r
  where r.phone = t.recruit_phone and length(r.phone) <= 16 and r.agency_id is not null
    and r.agency_id = coalesce(n.agency_id, r.agency_id)
  order by r.created_at desc, r.id
  limit 1
) l on true
left join public.agencies g on g.id = l.agency_id
left join public.agents a on a.id = l.agent_id and a.is_active
where (select private.may_operate());

grant select on private.unmatched_text_list to authenticated, service_role;

create view public.unmatched_text_list with (security_invoker = true) as select * from private.unmatched_text_list;

comment on view public.unmatched_text_list is
  'Texts that belong to no conversation yet; media: how many files. lead_id and the rest: the newest lead that has the phone '
  'and an agency (where the number is an agency''s, this one), with its active agent, as adopt_texts() takes it. Null without one.';
grant select on public.unmatched_text_list to authenticated, service_role;

create view private.number_list as
select n.phone, n.agency_id, g.name as agency, n.status, n.paused_reason, n.messaging_service_sid,
  n.segments_per_second::float8 as segments_per_second,
  (select count(*)::int from public.recruiting_conversations c where c.service_phone = n.phone) as conversations,
  (select count(*)::int from public.text_outbox o where o.service_phone = n.phone and o.state = 'pending') as waiting
from public.service_numbers n
join public.agencies g on g.id = n.agency_id
where (select private.may_operate());

grant select on private.number_list to authenticated, service_role;

create view public.number_list with (security_invoker = true) as select * from private.number_list;

comment on view public.number_list is 'Our numbers; waiting: the texts that are to be sent from them.';
grant select on public.number_list to authenticated, service_role;

create view private.waiting_recruit_list as
select c.id as conversation_id, c.agency_id, g.name as agency, a.id as agent_id,
  nullif(concat_ws(' ', a.first_name, a.last_name), '') as agent, c.recruiting_lead_id as lead_id,
  nullif(concat_ws(' ', l.first_name, l.last_name), '') as recruit, c.recruit_phone as phone, c.status,
  c.waiting_since as since, floor(extract(epoch from now() - c.waiting_since) / 60)::int as minutes
from public.recruiting_conversations c
join public.agencies g on g.id = c.agency_id
left join public.recruiting_leads l on l.id = c.recruiting_lead_id
-- As private.answering_agent(), which a user may not call.
left join public.agents own on own.id = c.assigned_agent_id and own.is_active
left join public.agents a on a.id = coalesce(own.id, l.agent_id) and a.is_active
where c.due_since is not null and c.waiting_since is not null and (select private.may_operate());

grant select on private.waiting_recruit_list to authenticated, service_role;

create view public.waiting_recruit_list with (security_invoker = true) as select * from private.waiting_recruit_list;

comment on view public.waiting_recruit_list is
  'Recruits who wait for an answer to their text. agent: who is to answer, null for the managers; status: bot while no person '
  'has taken the conversation over; minutes: how long they have waited, at night too.';
grant select on public.waiting_recruit_list to authenticated, service_role;

create function private.why_not_sent(state text, reason text, until text, number_status text, paused_reason text)
returns text
language sql
immutable
set search_path = ''
as $$
  select case state
    when 'held' then case
      when number_status is null then 'its number is not one of the agency''s'
      when number_status = 'paused' then 'its number is paused: ' || coalesce(paused_reason, 'no reason given')
      when reason = 'quiet_hours' and until = 'infinity' then 'quiet hours at all times, by the rows of texting_hours'
      when reason = 'quiet_hours' then 'quiet hours, until ' || until
      when reason = 'credentials' then 'Twilio refuses our login; tried again at ' || until
      when reason = 'no_account' then 'no account at Twilio is set: see TWILIO_ACCOUNT_SID'
      else 'tried again at ' || until || coalesce(', after ' || reason, '')
    end
    when 'due' then 'it is sent next'
    when 'sending' then 'it is being sent'
    when 'refused' then case reason
      when 'opted_out' then 'the recruit has opted out'
      when 'suppressed' then 'the recruit is suppressed'
      when 'cancelled' then 'an agent has cancelled it'
      when 'country' then 'greetings go to other countries alone: see TEXTING_COUNTRIES'
      when 'taken_over' then 'an agent has taken the conversation over from the bot'
      when 'lead_returned' then 'the lead was taken back from the agency'
      when 'expired' then 'it could not be sent for a day'
      else 'the bot was stopped: ' || coalesce(reason, 'no reason given')
    end
    when 'never_queued' then case reason
      when 'no_greeting' then 'the order has no greeting any more'
      when 'no_consent' then 'the vendor has no text consent'
      when 'no_phone' then 'the lead has no phone number that can be texted'
      when 'is_test' then 'it is a test lead'
      when 'opted_out' then 'the recruit had opted out before'
      when 'suppressed' then 'the recruit was suppressed'
      when 'lead_returned' then 'the lead was taken back from the agency'
      when 'texted_before' then 'the agency has texted the recruit before'
      when 'no_number' then 'the agency had no number'
      when 'taken_over' then 'an agent had the conversation already'
      when 'too_long' then 'it would have had more than 1,600 characters'
      when 'expired' then 'it could not be queued for a day'
      else 'an error, which the database''s log has'
    end
    when 'unconfirmed' then case
      when until <> 'infinity' then 'the response was lost; Twilio is asked for it at ' || until
      else 'nobody knows whether it was sent'
    end
    when 'failed' then case reason
      when 'unconfirmed' then 'nobody knows whether it was sent'
      when 'media_not_found' then 'a file of it is not in the bucket text-media'
      else 'Twilio: ' || coalesce(reason, 'no reason given')
    end
  end
$$;

comment on function private.why_not_sent(text, text, text, text, text) is
  'Why a text is in a state of private.text_state(), or was never queued, in words for operators; null for one that was sent. '
  'until: its due_at, in ISO 8601 or `infinity`. number_status: null where our number is not one of the agency''s.';
grant execute on function private.why_not_sent(text, text, text, text, text) to authenticated;

create view private.outbox_list as
select t.*, private.why_not_sent(t.state, t.reason, t.due_at, t.number, t.paused_reason) as why
from (
  select o.message_id, o.created_at, c.agency_id, g.name as agency, c.service_phone as "from", c.recruit_phone as "to",
    c.recruiting_lead_id as lead_id, o.kind,
    private.text_state(
      m.status, o.state, o.due_at, n.status is not distinct from 'active' and o.reason is distinct from 'no_account') as state,
    coalesce(o.reason, m.error_code) as reason,
    case when isfinite(o.due_at) then to_char(o.due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
      else 'infinity' end as due_at,
    o.attempt, o.segments, n.status as number, n.paused_reason, o.state as outbox_state
  from public.text_outbox o
  join public.recruiting_messages m on m.id = o.message_id
  join public.recruiting_conversations c on c.id = o.conversation_id
  join public.agencies g on g.id = c.agency_id
  left join public.service_numbers n on n.phone = c.service_phone and n.agency_id = c.agency_id
  where (o.state <> 'accepted' or m.status = 'failed') and (select private.may_operate())
  union all
  select null, s.created_at, s.agency_id, g.name, null, l.phone, l.id, 'greeting', 'never_queued', s.reason, null, 0, 0, null,
    null, null
  from public.skipped_greetings s
  join public.recruiting_leads l on l.id = s.recruiting_lead_id
  join public.agencies g on g.id = s.agency_id
  where (select private.may_operate())
) t;

grant select on private.outbox_list to authenticated, service_role;

create view public.outbox_list with (security_invoker = true) as select * from private.outbox_list;

comment on view public.outbox_list is
  'Our texts that Twilio does not have or could not deliver. state: held, due, sending, unconfirmed, refused, failed, or '
  'never_queued: a greeting of skipped_greetings, which has no message_id; why: the reason in words; due_at: ISO 8601 in UTC, or infinity; number: the state of our number, null where '
  'it is not one of the agency''s; outbox_state: as the outbox has it, pending, sending and unconfirmed are found by an index.';
grant select on public.outbox_list to authenticated, service_role;

-- supabase/schemas/operators/change_order.sql

-- Orders: who may change which column, and which values an order may have.

create function public.create_order(agency_id uuid, settings jsonb) returns public.recruiting_orders
language plpgsql
set search_path = ''
as $$
declare
  created_id uuid;
begin
  insert into public.recruiting_orders (agency_id, quantity)
  values (create_order.agency_id, (settings ->> 'quantity')::integer)
  returning id into created_id;
  return public.change_order(created_id, settings);
end
$$;

comment on function public.create_order(uuid, jsonb) is
  'Creates an order of an agency, which is open, and returns it. settings: quantity, and any other columns that change_order() '
  'takes, whose errors it has.';
grant execute on function public.create_order(uuid, jsonb) to service_role;

create function public.change_order(order_id uuid, changes jsonb, seen jsonb default null) returns public.recruiting_orders
language plpgsql
security definer
set search_path = ''
-- Longer, also while many read (private.admit_request()): the caller gets an error about a lock.
set statement_timeout = '4s'
set lock_timeout = '2s'
as $$
declare
  caller constant public.agents := private.current_agent();
  is_manager constant boolean := coalesce(caller.role = 'manager' and private.lock_active_agent(caller.id), false);
  is_operator constant boolean := private.is_operator();
  operates constant boolean := is_operator or caller.id is null and private.may_operate();
  stored public.recruiting_orders;
  saved public.recruiting_orders;
  columns text[];
  field text;
  today integer;
  before jsonb;
  after jsonb;
begin
  if not (operates or is_manager) then
    raise exception 'only a manager or an operator may change an order' using errcode = 'insufficient_privilege';
  end if;
  select o.* into stored
  from public.recruiting_orders o
  where o.id = change_order.order_id and (operates or o.agency_id = caller.agency_id)
  for no key update;
  if not found then
    raise exception 'order_id: there is no such order' using errcode = 'PT404';
  elsif jsonb_typeof(changes) is distinct from 'object' then
    perform private.invalid_field('changes', 'must be an object');
  end if;

  columns := case
    when not operates then '{status,daily_cap,states,greeting_template}'::text[]
    when not is_operator then
      '{status,daily_cap,states,greeting_template,quantity,priority,agent_id,vendor_id,starts_at,ends_at}'
    when is_manager and stored.agency_id = caller.agency_id then '{status,daily_cap,states,greeting_template,quantity}'
    else '{status,daily_cap,quantity}'
  end;
  for field in select k from jsonb_object_keys(changes) k loop
    if field <> all (columns) then
      perform private.invalid_field(
        field, case when operates then 'is not for operators to change' else 'is not for managers to change' end);
    elsif seen is not null and to_jsonb(stored) -> field is distinct from seen -> field
      and to_jsonb(stored) -> field <> changes -> field
    then
      raise exception '%: somebody has changed it meanwhile', private.quoted(field) using errcode = 'PT409';
    end if;
  end loop;

  saved := private.changed_order(stored, changes);
  if saved.status is distinct from stored.status then
    perform private.check_order_status(stored.status, saved, operates);
  end if;
  if not operates and changes ->> 'daily_cap' is not null then
    today := (
      select count(*)
      from public.recruiting_leads l
      join public.agencies g on g.id = saved.agency_id
      where l.agency_id = saved.agency_id and l.order_id = saved.id
        and l.distributed_at >= private.day_start(now(), g.timezone)
    );
    if saved.daily_cap < today then
      perform private.invalid_field('daily_cap', format('%s is less than the %s leads of today', saved.daily_cap, today));
    end if;
  end if;
  if saved.status in ('open', 'filled') then
    saved.status := case when saved.filled = saved.quantity then 'filled' else 'open' end;
  end if;

  select jsonb_object_agg(k, to_jsonb(stored) -> k), jsonb_object_agg(k, to_jsonb(saved) -> k) into before, after
  from jsonb_object_keys(changes) k
  where to_jsonb(stored) -> k <> to_jsonb(saved) -> k;
  if after is null then
    return stored;
  elsif not operates then
    insert into public.order_changes (agency_id, order_id, agent_id, before, after)
    values (stored.agency_id, stored.id, caller.id, before, after);
  elsif after - 'status' = '{}' then
    perform private.note_operator_action(
      case saved.status when 'open' then 'order open' when 'paused' then 'order pause' else 'order close' end,
      jsonb_build_object('order_ids', array[stored.id]));
  else
    perform private.note_operator_action('order update', jsonb_build_object('order_id', stored.id, 'changes', after));
  end if;
  update public.recruiting_orders o
  set
    status = saved.status, daily_cap = saved.daily_cap, states = saved.states, greeting_template = saved.greeting_template,
    quantity = saved.quantity, priority = saved.priority, agent_id = saved.agent_id, vendor_id = saved.vendor_id,
    starts_at = saved.starts_at, ends_at = saved.ends_at
  where o.id = stored.id
  returning o.* into saved;
  return saved;
exception when lock_not_available then
  raise exception 'Others have locked the order. Try again in a moment.' using errcode = 'PT409';
end
$$;

comment on function public.change_order(uuid, jsonb, jsonb) is
  'Changes an order and returns it as it is now. changes: the new values of columns; null takes one away. Managers change '
  'status (open or paused), daily_cap, states and greeting_template of the orders of their agency; operators status (also '
  'closed), daily_cap and quantity of any order; the service role all columns. A time without an offset is in the agency''s '
  'time zone. A quantity that is reached makes the order filled, and a higher one opens it again. seen: the values of these '
  'columns as the caller has read them; without it nothing is compared. A column that has its new value already is no '
  'change. What a manager changes is kept in order_changes, what an operator changes in operator_actions. Errors: 22023 '
  '(HTTP 400) names the column; 42501 (403) for a user who is neither an active manager nor an operator; PT404 for an unknown '
  'order or that of another agency; PT409 names a column that somebody has changed meanwhile, says why the order cannot have '
  'this status, or that others have held its lock for 2 s. '
  'Security definer because neither managers nor operators may write orders. It decides which orders and columns each '
  'of them may change.';
grant execute on function public.change_order(uuid, jsonb, jsonb) to authenticated;
grant execute on function public.change_order(uuid, jsonb, jsonb) to service_role;

create function private.changed_order(stored public.recruiting_orders, changes jsonb) returns public.recruiting_orders
language plpgsql
set search_path = ''
as $$
declare
  zone constant text := (select a.timezone from public.agencies a where a.id = stored.agency_id);
  saved public.recruiting_orders;
  inactive public.agents;
  field text;
begin
  foreach field in array array['quantity', 'daily_cap'] loop
    if (changes -> field)::text !~ '^[1-9]\d{0,5}$' and not (field = 'daily_cap' and changes -> field = 'null') then
      perform private.invalid_field(field, 'must be a whole number from 1 to 999,999');
    end if;
  end loop;
  if changes ? 'states' and not (
    changes -> 'states' = 'null'
    or jsonb_typeof(changes -> 'states') = 'array' and jsonb_array_length(changes -> 'states') between 1 and 100
      and not changes -> 'states' @? '$[*] ? (@.type() != "string" || !(@ like_regex "^[A-Z]{2}$"))'
  ) then
    perform private.invalid_field('states', 'must be two upper-case letters each, or null');
  elsif private.unknown_state(changes -> 'states') is not null then
    perform private.invalid_field('states', format('%s is no state', private.unknown_state(changes -> 'states')));
  elsif not private.is_greeting_template(changes ->> 'greeting_template') then
    perform private.invalid_field('greeting_template', 'give a text of at most 1,600 characters with {agency} and the word STOP, '
      'and no other braces than {agency}, {first_name} and {agent}. Characters are UTF-16 units: most emoji have 2 or more');
  end if;
  foreach field in array array['starts_at', 'ends_at'] loop
    if changes ->> field !~ 'T.*(Z|[+-]\d\d:\d\d)$' then
      changes := jsonb_set(changes, array[field], to_jsonb((changes ->> field)::timestamp at time zone zone));
    end if;
  end loop;
  saved := jsonb_populate_record(stored, changes);

  select a.* into inactive from public.agents a where a.id = (changes ->> 'agent_id')::uuid and not a.is_active;
  if found then
    perform private.invalid_field('agent_id', format('%s is inactive and gets no lead: npm run admin -- agent update %s --active true',
      private.quoted(inactive.first_name), inactive.id));
  elsif changes ? 'ends_at' and saved.ends_at <= now() then
    perform private.invalid_field(
      'ends_at', format('%s is in the past, so the order would get no lead', private.iso_time(saved.ends_at)));
  elsif saved.ends_at <= saved.starts_at then
    perform private.invalid_field(
      'ends_at', format('%s is not after the start, %s', private.iso_time(saved.ends_at), private.iso_time(saved.starts_at)));
  elsif saved.quantity < saved.filled then
    perform private.invalid_field(
      'quantity', format('%s is less than the %s leads it has already received', saved.quantity, saved.filled));
  end if;
  return saved;
end
$$;

comment on function private.changed_order(public.recruiting_orders, jsonb) is
  'The row of an order with these changes. 22023 names the column that cannot have its new value. The status is not checked.';

create function private.check_order_status(stored_status text, saved public.recruiting_orders, operates boolean) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- Only leads fill an order.
  if saved.status in ('open', 'paused') is not true and (operates and saved.status = 'closed') is not true then
    perform private.invalid_field(
      'status', case when operates then 'must be open, paused or closed' else 'must be open or paused' end);
  elsif not operates and stored_status not in ('open', 'paused') then
    raise exception 'status: the order is %', private.quoted(stored_status) using errcode = 'PT409';
  elsif saved.status <> 'closed' and saved.filled = saved.quantity then
    raise exception 'The order % has all of its % leads. Give it a higher quantity first.',
      private.quoted(saved.id::text), private.quoted(saved.quantity::text)
      using errcode = 'PT409';
  elsif saved.status = 'open' and saved.ends_at <= now() then
    raise exception 'The order % has ended. Give it a later end first.', private.quoted(saved.id::text) using errcode = 'PT409';
  elsif saved.status = 'paused' and stored_status <> 'open' then
    raise exception 'The order % is %, so it gets no leads as it is.',
      private.quoted(saved.id::text), private.quoted(stored_status) using errcode = 'PT409';
  end if;
end
$$;

comment on function private.check_order_status(text, public.recruiting_orders, boolean) is
  'Refuses a status that an order cannot have: 22023 for another word, PT409 says why.';

create function private.unknown_state(states jsonb) returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return (
    select state
    from jsonb_array_elements_text(case jsonb_typeof(states) when 'array' then states end) state
    where state <> all (regexp_split_to_array(
      'AL AK AS AZ AR AA AE AP CA CO CT DE DC FL GA GU HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ
      NM NY NC ND MP OH OK OR PA PR RI SC SD TN TX UT VT VI VA WA WV WI WY',
      '\s+'))
    limit 1
  );
end
$$;

comment on function private.unknown_state(jsonb) is
  'The first of these codes that is not a state of a lead (_shared/states.ts); null: each is one, or there are none.';

-- supabase/schemas/operators/distribute.sql

-- Distributes waiting leads, and says where they went.

create function public.distribute_leads(max integer, vendor_id uuid default null)
returns table (id uuid, vendor text, name text, state text, agency text, agent text, order_id uuid)
language plpgsql
security definer
set search_path = ''
-- Longer, also while many read (private.admit_request()): the operator gets an error about a lock.
set statement_timeout = '4s'
set lock_timeout = '2s'
as $$
declare
  begun timestamptz;
  leads uuid[];
begin
  perform private.require_operator();
  if max is null or max not between 1 and 100 then
    raise exception 'max: must be a whole number from 1 to 100' using errcode = 'PT400';
  end if;
  -- The leads that are distributed from here on are this call's.
  perform pg_advisory_xact_lock(private.distribution_lock());
  begun := clock_timestamp();
  perform public.distribute_waiting_leads(max, distribute_leads.vendor_id);
  leads := array(
    select l.id
    from public.recruiting_orders o
    join public.recruiting_leads l on l.agency_id = o.agency_id and l.order_id = o.id and l.distributed_at >= begun
    order by l.created_at, l.id
  );
  if leads <> '{}' then
    perform private.note_operator_action('lead distribute', jsonb_strip_nulls(
      jsonb_build_object('vendor_id', distribute_leads.vendor_id, 'lead_ids', leads)));
  end if;
  return query
    select l.id, v.slug, concat_ws(' ', l.first_name, l.last_name), l.state, g.name,
      concat_ws(' ', a.first_name, a.last_name), l.order_id
    from unnest(leads) with ordinality d (lead_id, place)
    join public.recruiting_leads l on l.id = d.lead_id
    join public.vendors v on v.id = l.vendor_id
    join public.agencies g on g.id = l.agency_id
    left join public.agents a on a.id = l.agent_id
    order by d.place;
exception when lock_not_available then
  raise exception 'Others are distributing leads, or have locked them. Try again in a moment.' using errcode = 'PT409';
end
$$;

comment on function public.distribute_leads(integer, uuid) is
  'Distributes at most so many waiting leads, of all vendors or of one, the oldest first, and returns them with the agency '
  'and the agent. For operators; of one who is signed in, a row of operator_actions says so. PT400 unless max is from 1 to '
  '100: new leads wait meanwhile. PT409 when others hold the locks for 2 s. 42501 for a user who is not an operator. '
  'Security definer because operators may not read or write the tables.';
grant execute on function public.distribute_leads(integer, uuid) to authenticated, service_role;

-- supabase/schemas/operators/assign.sql

-- Leads go to another agent, with what belongs to them.

create function public.assign_leads(
  to_agent_id uuid,
  lead_id uuid default null,
  from_agent_id uuid default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  to_agent constant public.agents := private.lock_assignee(to_agent_id, lead_id, from_agent_id);
  -- The notifications that go along.
  givers uuid[] := array[from_agent_id];
  is_returned boolean;
  recruits uuid[];
  sales_leads integer;
  conversations uuid[];
  notifications integer;
begin
  if lead_id is not null then
    -- Leads before conversations, as below.
    select array[l.agent_id], l.agency_id is null into givers, is_returned
    from public.recruiting_leads l where l.id = assign_leads.lead_id for no key update;
    if is_returned then
      raise exception 'lead_id: the lead was returned' using errcode = 'PT409';
    end if;
    -- A text locks its conversation before it notifies the agent, and so waits for this, or this for the text.
    givers := givers || array(
      select c.assigned_agent_id
      from public.recruiting_conversations c
      where c.recruiting_lead_id = assign_leads.lead_id
      order by c.id
      for no key update
    );
  end if;

  with given as materialized (
    -- Locked, so that who has it is who it is taken from.
    select l.id, l.agent_id
    from public.recruiting_leads l
    where (l.id = assign_leads.lead_id or l.agent_id = from_agent_id) and l.agent_id is distinct from to_agent.id
    order by l.id
    for no key update
  ),
  moved as (
    update public.recruiting_leads l set agent_id = to_agent.id from given g where l.id = g.id
    returning g.id, g.agent_id
  ),
  kept as (
    insert into public.lead_assignments (recruiting_lead_id, from_agent_id, to_agent_id)
    select m.id, m.agent_id, to_agent.id from moved m
  )
  select array_agg(m.id) into recruits from moved m;

  with given as materialized (
    select l.id, l.agent_id
    from public.leads l
    where (l.id = assign_leads.lead_id or l.agent_id = from_agent_id) and l.agent_id <> to_agent.id
    order by l.id
    for no key update
  ),
  moved as (
    update public.leads l set agent_id = to_agent.id from given g where l.id = g.id returning g.id, g.agent_id
  )
  insert into public.lead_assignments (sales_lead_id, from_agent_id, to_agent_id)
  select m.id, m.agent_id, to_agent.id from moved m;
  get diagnostics sales_leads = row_count;

  -- A conversation that nobody has taken over is the lead's agent's, who may be taking it over now.
  with moved as (
    update public.recruiting_conversations c
    set assigned_agent_id = to_agent.id
    where (
        c.recruiting_lead_id = assign_leads.lead_id
        or c.assigned_agent_id = from_agent_id
        or c.recruiting_lead_id = any (recruits) and c.assigned_agent_id is null
      )
      and c.agency_id = to_agent.agency_id
      and c.assigned_agent_id is distinct from to_agent.id
    returning c.id
  )
  select array_agg(m.id) into conversations from moved m;

  update public.agent_notifications n
  set agent_id = to_agent.id
  where n.id = any (array(
    -- Once, where several managers had the same notification.
    select distinct on (coalesce(u.message_id, u.id), u.kind) u.id
    from public.agent_notifications u
    where u.agent_id = any (givers)
      and u.agent_id <> to_agent.id
      and u.read_at is null
      -- These concern nobody else.
      and u.kind not in ('taken_over', 'asked_for')
      and (u.conversation_id = any (conversations) or u.lead_id = any (recruits))
      and not exists (
        select
        from public.agent_notifications known
        where known.message_id = u.message_id and known.kind = u.kind and known.agent_id = to_agent.id
      )
  ));
  get diagnostics notifications = row_count;

  return jsonb_build_object(
    'recruiting_leads', coalesce(cardinality(recruits), 0),
    'sales_leads', sales_leads,
    'conversations', coalesce(cardinality(conversations), 0),
    'notifications', notifications);
end
$$;

comment on function public.assign_leads(uuid, uuid, uuid) is
  'Gives one lead of either kind (lead_id), or all leads of an agent (from_agent_id), to an active agent of the same '
  'agency. Their conversations go along, and those that the old agent has taken over; so do the old agent''s unread '
  'notifications about them. A conversation of an agent''s lead that somebody else has taken over stays where it is; '
  'with one lead it goes along. Texts that wait are sent, because they are the conversation''s. Orders, turns and what '
  'the old agent has done stay. Who had each lead is kept in lead_assignments. Returns how many of '
  'each have moved: {recruiting_leads, sales_leads, conversations, notifications}. PT400 for both or neither; PT404 for '
  'an unknown lead or agent; PT409 for an inactive agent, one of another agency, and a lead that no agency has, as one '
  'that was returned.';
grant execute on function public.assign_leads(uuid, uuid, uuid) to service_role;

create function private.lock_assignee(to_agent_id uuid, lead_id uuid, from_agent_id uuid) returns public.agents
language plpgsql
set search_path = ''
as $$
declare
  assignee public.agents;
  giver record;
begin
  if num_nonnulls(lead_id, from_agent_id) <> 1 then
    raise exception 'give lead_id or from_agent_id, and not both' using errcode = 'PT400';
  end if;
  perform private.lock_active_agent(to_agent_id);
  -- Not so that distribution would pass over the agent meanwhile.
  select a.* into assignee from public.agents a where a.id = to_agent_id for key share;
  if not found then
    raise exception 'to_agent_id: there is no such agent' using errcode = 'PT404';
  elsif not assignee.is_active then
    raise exception 'to_agent_id: the agent is inactive' using errcode = 'PT409';
  elsif to_agent_id = from_agent_id then
    raise exception 'from_agent_id: it is the same agent' using errcode = 'PT400';
  end if;

  if lead_id is not null then
    select l.agency_id, l.distribution into giver
    from (
      select r.id, r.agency_id, r.distribution from public.recruiting_leads r
      union all
      select s.id, s.agency_id, null from public.leads s
    ) l
    where l.id = lock_assignee.lead_id;
  else
    -- Leads that are being given to this agent come before; for later ones distribution passes over the agent.
    select a.agency_id, null as distribution into giver from public.agents a where a.id = from_agent_id for no key update;
  end if;
  if not found then
    raise exception '%: there is no such one',
      private.quoted(case when lead_id is null then 'from_agent_id' else 'lead_id' end)
      using errcode = 'PT404';
  elsif giver.distribution = 'returned' then
    raise exception 'lead_id: the lead was returned' using errcode = 'PT409';
  elsif giver.agency_id is null then
    raise exception 'lead_id: the lead waits for an order, so it has no agency yet' using errcode = 'PT409';
  elsif giver.agency_id <> assignee.agency_id then
    raise exception 'to_agent_id: the agent is of another agency' using errcode = 'PT409';
  end if;
  return assignee;
end
$$;

comment on function private.lock_assignee(uuid, uuid, uuid) is
  'The agent who gets the leads of assign_leads(), after all that it refuses. The agent that they are taken from gets no '
  'leads until the transaction ends.';

-- supabase/schemas/operators/returns.sql

-- A bad lead goes back: an operator takes it from the agency that got it.

create function public.return_lead(lead_id uuid, reason text) returns jsonb
language plpgsql
security definer
set search_path = ''
-- Longer, also while many read (private.admit_request()): the operator gets an error about a lock.
set statement_timeout = '4s'
set lock_timeout = '2s'
as $$
begin
  perform private.require_operator();
  if coalesce(btrim(reason), '') = '' or length(reason) > 500 then
    raise exception 'reason: must be a text of 1 to 500 characters' using errcode = 'PT400';
  end if;
  perform private.note_operator_action('lead return', jsonb_build_object('lead_id', lead_id));
  return private.take_lead_back(lead_id, reason, private.operator_name());
exception when lock_not_available then
  raise exception 'lead_id: others have locked the lead. Try again in a moment.' using errcode = 'PT409';
end
$$;

comment on function public.return_lead(uuid, text) is
  'Takes a distributed recruiting lead back from its agency, for good. The order''s count falls by one, and an order '
  'that was filled is open again, or closed where it has ended. No agency has the lead any more, and it is never '
  'distributed again; sent again, it is a duplicate. Its conversations stay with the agency''s managers, without the '
  'lead and without an agent; the bot says nothing more in them, and texts that wait are refused (lead_returned). The '
  'notifications of the lead count as read. reason: 1 to 500 characters. lead_returns has who had the lead. Returns {lead_id, agency, agent|null, order_id, filled, quantity, '
  'order_status, conversations, texts}: of the order after it, and how many conversations and waiting texts there were. '
  'For operators; of one who is signed in, a row of operator_actions says so. PT400 names reason; PT404 for an unknown '
  'lead; PT409 when no order has the lead, it was returned before, a text to the recruit is being sent, or others hold a '
  'lock for 2 s. 42501 for a user who is not an operator. '
  'Security definer because operators may not read or write the tables.';
grant execute on function public.return_lead(uuid, text) to authenticated, service_role;

create function private.take_lead_back(lead_id uuid, reason text, returned_by text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  lead public.recruiting_leads;
  conversations uuid[];
  texts integer;
  counted public.recruiting_orders;
begin
  lead := private.lock_returned_lead(lead_id);
  conversations := array(
    select c.id from public.recruiting_conversations c where c.recruiting_lead_id = lead.id order by c.id for no key update);
  if exists (
    select
    from public.text_outbox o
    where o.conversation_id = any (conversations)
      and (o.state = 'sending' or o.state = 'unconfirmed' and o.due_at < 'infinity')
  ) then
    raise exception 'lead_id: a text to this recruit is being sent. Try again in some minutes.' using errcode = 'PT409';
  end if;
  texts := (
    select count(*) from public.text_outbox o where o.conversation_id = any (conversations) and o.state = 'pending');
  perform private.leave_conversation(c.id, lead.agent_id)
  from public.recruiting_conversations c
  where c.id = any (conversations)
  order by c.id;
  perform private.skip_greetings(array[lead.id], 'lead_returned');
  -- The agency works with the recruit no more.
  update public.recruit_stages s set ended_at = clock_timestamp() where s.recruiting_lead_id = lead.id and s.ended_at is null;
  update public.agent_notifications n set read_at = now() where n.lead_id = lead.id and n.read_at is null;

  insert into public.lead_returns (recruiting_lead_id, agency_id, order_id, agent_id, distributed_at, reason, returned_by)
  values (
    lead.id, lead.agency_id, lead.order_id, lead.agent_id, lead.distributed_at, take_lead_back.reason,
    take_lead_back.returned_by);
  -- While the agency has it.
  perform private.add_dispatches('lead.returned', array[lead.id], jsonb_build_object('reason', take_lead_back.reason));
  -- A trigger takes it off the count of its day.
  update public.recruiting_leads l
  set distribution = 'returned', agency_id = null, order_id = null, agent_id = null, distributed_at = null
  where l.id = lead.id;
  update public.recruiting_orders o
  set
    filled = greatest(o.filled - 1, 0),
    status = case
      when o.status <> 'filled' then o.status
      -- Nobody can open an order that has ended.
      when o.ends_at <= now() then 'closed'
      else 'open'
    end
  where o.id = lead.order_id
  returning * into counted;

  return jsonb_build_object(
    'lead_id', lead.id,
    'agency', (select g.name from public.agencies g where g.id = lead.agency_id),
    'agent', (select concat_ws(' ', a.first_name, a.last_name) from public.agents a where a.id = lead.agent_id),
    'order_id', counted.id,
    'filled', counted.filled,
    'quantity', counted.quantity,
    'order_status', counted.status,
    'conversations', cardinality(conversations),
    'texts', texts);
end
$$;

comment on function private.take_lead_back(uuid, text, text) is
  'What return_lead() does, without asking who calls it. returned_by: who is kept in lead_returns. 55P03 where others hold a lock.';

create function private.return_rejected_leads() returns integer
language plpgsql
set search_path = ''
set lock_timeout = '500ms'
as $$
declare
  rejected record;
  returned integer := 0;
begin
  for rejected in
    select p.id, p.lead_id, p.excerpt, p.reason, d.name, d.agency_id
    from private.dispatches p
    join public.destinations d on d.id = p.destination_id
    where p.return_due_at <= clock_timestamp()
    order by p.return_due_at
    limit 100
    for no key update of p skip locked
  loop
    begin
      if exists (
        select
        from public.recruiting_leads l
        where l.id = rejected.lead_id and l.agency_id = rejected.agency_id and l.order_id is not null
      ) then
        perform private.take_lead_back(
          rejected.lead_id, coalesce(
            case when rejected.reason !~ '^HTTP \d+$' then nullif(btrim(rejected.reason), '') end,
            nullif(btrim(rejected.excerpt), ''), 'rejected by the receiver'), rejected.name);
        returned := returned + 1;
      end if;
      update private.dispatches p set return_due_at = null where p.id = rejected.id;
    exception when others then
      -- A text to the recruit is being sent, or others hold a lock.
      update private.dispatches p set return_due_at = clock_timestamp() + interval '1 minute' where p.id = rejected.id;
    end;
  end loop;
  return returned;
end
$$;

comment on function private.return_rejected_leads() is
  'Returns the leads that receivers have rejected, with the words of the receiver as the reason. One that cannot be returned now, '
  'because a text to the recruit is being sent, is returned within minutes. Returns how many.';

create function private.return_rejected_lead() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.return_rejected_leads();
  return null;
end
$$;

comment on function private.return_rejected_lead() is 'Trigger: returns a lead as soon as its receiver has rejected it.';

create trigger return_rejected_lead
  after update of state on private.dispatches
  for each row when (new.return_due_at is not null and old.return_due_at is null)
  execute function private.return_rejected_lead();

create function private.lock_returned_lead(lead_id uuid) returns public.recruiting_leads
language plpgsql
set search_path = ''
as $$
declare
  seen public.recruiting_leads;
  lead public.recruiting_leads;
begin
  select l.* into seen from public.recruiting_leads l where l.id = lead_id;
  -- Before rows, as everywhere. No text to the recruit is claimed meanwhile, and no conversation begins.
  perform private.lock_consent(seen.agency_id, seen.phone);
  select l.* into lead from public.recruiting_leads l where l.id = lead_id for no key update;
  if lead.id is null then
    raise exception 'lead_id: there is no such recruiting lead' using errcode = 'PT404';
  elsif lead.distribution = 'returned' then
    raise exception 'lead_id: the lead was returned before' using errcode = 'PT409';
  elsif lead.order_id is null then
    raise exception 'lead_id: no order has got the lead' using errcode = 'PT409';
  elsif (lead.agency_id, lead.phone) is distinct from (seen.agency_id, seen.phone) then
    raise exception 'lead_id: others have changed the lead meanwhile. Try again.' using errcode = 'PT409';
  end if;
  return lead;
end
$$;

comment on function private.lock_returned_lead(uuid) is
  'A lead that an order has got, locked with the consent of its recruit. PT404 and PT409 as return_lead().';

create function private.leave_conversation(conversation_id uuid, agent_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  losing uuid[];
begin
  losing := array[agent_id, (
    select c.assigned_agent_id from public.recruiting_conversations c where c.id = leave_conversation.conversation_id
  )];
  perform private.refuse_waiting_texts(conversation_id, 'lead_returned');
  -- While the lead is known, so that the page of its agent is notified.
  update public.recruiting_conversations c
  set status = 'bot', assigned_agent_id = null
  where c.id = leave_conversation.conversation_id;
  update public.recruiting_conversations c
  set recruiting_lead_id = null
  where c.id = leave_conversation.conversation_id;
  update public.agent_notifications n
  set read_at = now()
  where n.conversation_id = leave_conversation.conversation_id and n.agent_id = any (losing) and n.read_at is null;
  perform private.end_bot_session(conversation_id, 'no_lead');
end
$$;

comment on function private.leave_conversation(uuid, uuid) is
  'Takes a conversation from its agents: the lead''s (agent_id) and the one who has it. It stays with the managers, who are '
  'notified of a text that the bot has not answered. The caller has locked the conversation.';

-- The first half has no condition: with one, the planner would read it whole for a page of leads.
create view private.lead_places with (security_invoker = true) as
select l.id, l.vendor_id, l.vendor_lead_id, l.first_name, l.last_name, l.phone, l.email, l.state, l.distribution,
  l.created_at, l.agency_id, l.agent_id, l.order_id, l.distributed_at, null::timestamptz as returned_at,
  null::text as return_reason, l.distribution <> 'returned' as is_last
from public.recruiting_leads l
union all
select l.id, l.vendor_id, l.vendor_lead_id, l.first_name, l.last_name, l.phone, l.email, l.state, l.distribution,
  l.created_at, r.agency_id, r.agent_id, r.order_id, r.distributed_at, r.created_at, r.reason, true
from public.lead_returns r
join public.recruiting_leads l on l.id = r.recruiting_lead_id;

comment on view private.lead_places is
  'Recruiting leads with the agency, agent and order that have them, or had them until they were returned. Ask for is_last: '
  'a returned lead has a second row, as it is now.';
grant select on private.lead_places to service_role;

-- supabase/schemas/operators/leave.sql

-- An agent leaves, and all that was the agent's goes to others.

create function private.leave_agent(agent_id uuid, to_agent_id uuid default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  leaving public.agents;
  manager_id uuid;
  texts integer;
  orders uuid[];
  moved jsonb;
  login text;
begin
  if to_agent_id = agent_id then
    raise exception 'to_agent_id: it is the agent who leaves' using errcode = 'PT400';
  end if;
  -- Acts of the agent at this moment come before, and so does all that others give to it. Nothing of it comes after. By
  -- their ids, so that two agents who leave do not wait for each other.
  perform case
    when u.id = leave_agent.agent_id then pg_advisory_xact_lock(private.agent_lock(u.id))
    else pg_advisory_xact_lock_shared(private.agent_lock(u.id))
  end
  from (select unnest(array[agent_id, to_agent_id]) as id order by 1) u;
  -- A lead that is being given to the agent comes before too, and distribution passes over the agent from now on.
  update public.agents a set is_active = false where a.id = leave_agent.agent_id returning a.* into leaving;
  if not found then
    raise exception 'agent_id: there is no such agent' using errcode = 'PT404';
  elsif exists (select from public.operators o where o.user_id = leaving.user_id) then
    raise exception 'agent_id: the login is an operator''s too. First: npm run admin -- operator remove <email>'
      using errcode = 'PT409';
  end if;

  select count(*) into texts
  from public.text_outbox o
  join public.recruiting_conversations c on c.id = o.conversation_id
  where c.assigned_agent_id = leaving.id and o.kind = 'agent' and o.state = 'pending';

  if to_agent_id is not null then
    moved := public.assign_leads(to_agent_id, from_agent_id => leaving.id);
  else
    select a.id into manager_id
    from public.agents a
    where a.agency_id = leaving.agency_id and a.role = 'manager' and a.is_active
    order by a.created_at, a.id
    limit 1
    for key share;
    moved := private.leave_to_agency(leaving, manager_id);
  end if;

  perform from public.recruiting_orders o where o.agent_id = leaving.id order by o.id for no key update;
  with changed as (
    update public.recruiting_orders o
    set agent_id = coalesce(to_agent_id, o.agent_id), status = case when to_agent_id is null then 'paused' else o.status end
    where o.agent_id = leaving.id and (o.status = 'open' or o.status = 'paused' and to_agent_id is not null)
    returning o.id
  )
  select coalesce(array_agg(c.id order by c.id), '{}') into orders from changed c;

  -- The last, because it waits for those who notify the agent, and they may wait for what is above.
  delete from auth.users u where u.id = leaving.user_id returning u.email into login;

  return moved || jsonb_build_object('order_ids', orders, 'texts', texts, 'manager_id', manager_id, 'login', login, 'is_last', not exists (
    select from public.agents a where a.agency_id = leaving.agency_id and a.is_active));
end
$$;

comment on function private.leave_agent(uuid, uuid) is
  'Makes an agent inactive for good. All that the agent has goes to to_agent_id as assign_leads() does it, with the open and '
  'paused orders that name the agent. Without to_agent_id recruits go to the agency, conversations as leave_to_agency() says, '
  'and open orders are paused. Texts that wait are sent as they were written. The login is deleted, and its sessions end. '
  'May be called again. Returns {recruiting_leads, sales_leads, conversations, notifications, texts: how many of each, order_ids: the '
  'orders, manager_id|null, login: e-mail|null, is_last: whether the agency has no active agent now}. Errors as of assign_leads(); PT409 for an operator''s login, and for what no agent is left for.';

create function private.leave_to_agency(leaving public.agents, manager_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  recruits uuid[];
  conversations uuid[];
  notifications integer;
begin
  if exists (select from public.leads l where l.agent_id = leaving.id) then
    raise exception 'to_agent_id: the agent has sales leads (%), and each needs an agent',
      private.quoted((select count(*) from public.leads l where l.agent_id = leaving.id)) using errcode = 'PT409';
  end if;

  with given as materialized (
    select l.id from public.recruiting_leads l where l.agent_id = leaving.id order by l.id for no key update
  ),
  moved as (
    update public.recruiting_leads l set agent_id = null from given g where l.id = g.id returning l.id
  ),
  kept as (
    insert into public.lead_assignments (recruiting_lead_id, from_agent_id)
    select m.id, leaving.id from moved m
  )
  select coalesce(array_agg(m.id), '{}') into recruits from moved m;

  perform
  from public.recruiting_conversations c
  where c.assigned_agent_id = leaving.id or c.recruiting_lead_id = any (recruits) and c.assigned_agent_id is null
  order by c.id
  for no key update;
  -- One that the bot has taken needs no agent. Of another one, a colleague may have the lead.
  with moved as (
    update public.recruiting_conversations c
    set assigned_agent_id = case when c.status = 'escalated' then coalesce(
      (
        select a.id
        from public.recruiting_leads l
        join public.agents a on a.id = l.agent_id and a.is_active
        where l.id = c.recruiting_lead_id
      ),
      manager_id,
      leaving.id) end
    where c.assigned_agent_id = leaving.id
    returning c.id, c.assigned_agent_id
  )
  select array_agg(m.id) into conversations from moved m;
  if exists (select from public.recruiting_conversations c where c.assigned_agent_id = leaving.id) then
    raise exception 'to_agent_id: the agent has taken conversations over, and no active manager is there for them'
      using errcode = 'PT409';
  end if;

  update public.agent_notifications n
  set agent_id = coalesce(
      (select c.assigned_agent_id from public.recruiting_conversations c where c.id = n.conversation_id), manager_id)
  where n.id = any (array(
    select u.id
    from public.agent_notifications u
    left join public.recruiting_conversations c on c.id = u.conversation_id
    where u.agent_id = leaving.id
      and u.read_at is null
      and u.kind not in ('taken_over', 'asked_for')
      and coalesce(c.assigned_agent_id, manager_id) is not null
      and not exists (
        select
        from public.agent_notifications known
        where known.agent_id = coalesce(c.assigned_agent_id, manager_id)
          and known.kind = u.kind
          and (known.message_id = u.message_id or known.lead_id = u.lead_id)
      )
  ));
  get diagnostics notifications = row_count;

  return jsonb_build_object(
    'recruiting_leads', cardinality(recruits),
    'sales_leads', 0,
    'conversations', coalesce(cardinality(conversations), 0),
    'notifications', notifications);
end
$$;

comment on function private.leave_to_agency(public.agents, uuid) is
  'Takes all that an agent has to the agency: recruits have no agent then. A conversation that the agent has taken over goes '
  'to the active agent of its lead, else to this manager; so do unread notifications. Who had each lead is kept in '
  'lead_assignments. Returns {recruiting_leads, sales_leads: 0, conversations, notifications}. PT409 where '
  'the agent has sales leads, which cannot be without an agent, or where no manager is there for conversations.';

-- supabase/schemas/operators/remove.sql

-- Removal of rows that were never used: an agency, an agent or a vendor that was made by mistake.

create function public.remove_agency(agency_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.remove_unused('public.agencies', agency_id);
end
$$;

comment on function public.remove_agency(uuid) is
  'Removes an agency to which nothing refers, not even an agent. PT404 for an unknown one; PT409 names what it has.';
grant execute on function public.remove_agency(uuid) to service_role;

create function public.remove_agent(agent_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  agent public.agents;
begin
  select a.* into agent from public.agents a where a.id = agent_id for update;
  if agent.user_id is not null then
    raise exception 'it has a login' using errcode = 'PT409';
  end if;
  perform private.remove_unused('public.agents', agent_id);
end
$$;

comment on function public.remove_agent(uuid) is
  'Removes an agent without a login to whom nothing refers. PT404 for an unknown one; PT409 names what the agent has.';
grant execute on function public.remove_agent(uuid) to service_role;

create function public.remove_vendor(vendor_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- Before the vendor is locked, as a request does: it notes the use of its key and then stores a lead.
  delete from public.vendor_api_keys k where k.vendor_id = remove_vendor.vendor_id and k.last_used_at is null;
  delete from private.vendor_webhook_secrets s where s.vendor_id = remove_vendor.vendor_id;
  -- Strangers make these.
  delete from private.refused_proofs p where p.vendor_id = remove_vendor.vendor_id;
  perform private.remove_unused('public.vendors', vendor_id);
end
$$;

comment on function public.remove_vendor(uuid) is
  'Removes a vendor that has never sent anything, with its unused keys and its webhook''s secrets. PT404 for an unknown '
  'one; PT409 names what it has, such as a key that was used.';
grant execute on function public.remove_vendor(uuid) to service_role;

create function private.remove_unused(holder regclass, holder_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  is_there boolean;
  referring record;
  uses text[] := '{}';
  n bigint;
begin
  -- A transaction that stores a row that refers to it waits for this lock by the foreign key. So what is counted now is
  -- all there is.
  execute format('select true from %s where id = $1 for update', holder) into is_there using holder_id;
  if is_there is null then
    raise exception 'there is no such one' using errcode = 'PT404';
  end if;

  for referring in
    select distinct k.conrelid::regclass as name, c.attname as "column", r.relname as word
    from pg_catalog.pg_constraint k
    join pg_catalog.pg_class r on r.oid = k.conrelid
    join pg_catalog.pg_attribute id on id.attrelid = k.confrelid and id.attname = 'id'
    join pg_catalog.pg_attribute c
      on c.attrelid = k.conrelid and c.attnum = k.conkey[array_position(k.confkey, id.attnum)]
    -- The counts of a monitor say nothing that the rows do not.
    where k.contype = 'f' and k.confrelid = holder and r.relname <> 'metric_days'
    order by r.relname
  loop
    execute format('select count(*) from %s where %I = $1', referring.name, referring."column") into n using holder_id;
    if n > 0 then
      uses := uses || format('%s (%s)', replace(referring.word, '_', ' '), n);
    end if;
  end loop;
  if uses <> '{}' then
    raise exception 'it has %', private.quoted(array_to_string(uses, ', '), 1000) using errcode = 'PT409';
  end if;
  execute format('delete from %s where id = $1', holder) using holder_id;
end
$$;

comment on function private.remove_unused(regclass, uuid) is
  'Removes a row of this table, by its id, to which no row of any table refers. PT404 when it is not there; PT409 with the '
  'tables that refer to it, and by how many rows, also by those that would go with it.';

-- supabase/schemas/operators/mend.sql

-- Mends: leads that a mapping has read badly are filled in, unmatched texts get their conversation, deliveries are
-- dismissed, a paused number is resumed.

create function public.leads_to_reread(
  vendor_id uuid default null,
  since timestamptz default null,
  after uuid default null,
  max integer default 500
) returns setof public.recruiting_leads
language sql
stable
set search_path = ''
as $$
  select l.*
  from public.recruiting_leads l
  where (after is null or l.id > after)
    and (leads_to_reread.vendor_id is null or l.vendor_id = leads_to_reread.vendor_id)
    and (since is null or l.created_at >= since)
    and l.vendor_metadata ? 'vendor_fields'
  order by l.id
  limit max
$$;

comment on function public.leads_to_reread(uuid, timestamptz, uuid, integer) is
  'Leads that have vendor_fields, by their ids, which is the next page''s `after`: of one vendor or of all (null), that came '
  'from this time on, or at any (null).';
grant execute on function public.leads_to_reread(uuid, timestamptz, uuid, integer) to service_role;

create function public.fill_leads(leads jsonb) returns setof public.recruiting_leads
language plpgsql
set search_path = ''
as $$
begin
  -- In one order, so that two calls do not wait for each other.
  perform
  from public.recruiting_leads l
  where l.id = any (array(select f.id from jsonb_to_recordset(leads) as f (id uuid)))
  order by l.id
  for no key update;

  return query
  update public.recruiting_leads l
  set vendor_metadata = l.vendor_metadata || f.gaps
  from (
    select r.id, (
      select coalesce(jsonb_object_agg(g.key, g.value), '{}')
      from jsonb_each(r.vendor_metadata) g
      -- The further fields about a value belong to it: a raw phone of one number is not that of another.
      left join (values ('phone_raw', 'phone'), ('state_raw', 'state'), ('email_is_alias', 'email')) as said (key, about)
        on said.key = g.key
      where g.key not in ('vendor_fields', 'is_test', 'resume_skipped')
        and private.is_blank(stored.vendor_metadata -> g.key)
        and private.is_blank(stored.vendor_metadata -> said.about)
        and not private.is_blank(g.value)
    ) as gaps
    from jsonb_to_recordset(leads) as r (id uuid, vendor_metadata jsonb)
    join public.recruiting_leads stored on stored.id = r.id
  ) f
  -- A lead whose person was erased meanwhile has none.
  where l.id = f.id and f.gaps <> '{}' and l.vendor_metadata ? 'vendor_fields'
  returning l.*;
end
$$;

comment on function public.fill_leads(jsonb) is
  'Fills what is empty in vendor_metadata of these leads, and changes nothing else. leads: [{id, vendor_metadata}], as a '
  'parser returns it. vendor_fields, is_test and resume_skipped stay as they are. Returns the leads that have changed.';
grant execute on function public.fill_leads(jsonb) to service_role;

create function private.is_blank(value jsonb) returns boolean
language sql
immutable
set search_path = ''
as $$
  select coalesce(value in ('null', '[]', '{}') or value #>> '{}' ~ '^[[:space:]]*$', true)
$$;

comment on function private.is_blank(jsonb) is 'Whether a value says nothing: no value, null, a blank text, an empty list or object.';

create function public.adopt_texts(recruit_phone text, service_phone text default null, lead_id uuid default null)
returns jsonb
language plpgsql
security definer
set search_path = ''
-- Longer, also while many read (private.admit_request()): the operator gets an error about a lock.
set statement_timeout = '4s'
set lock_timeout = '2s'
as $$
declare
  waiting record;
  opened public.recruiting_conversations;
  adopted jsonb := '[]';
begin
  perform private.require_operator();
  for waiting in
    select u."to" as number, u.lead_id, u.agency_id, u.agent_id, private.consent_lock(u.agency_id, u."from") as lock
    from private.unmatched_text_list u
    -- One text of each number: the list looks for the lead of each text.
    where u.id = any (array(
      select distinct on (t.service_phone) t.id
      from public.unmatched_texts t
      where t.recruit_phone = adopt_texts.recruit_phone
        and t.service_phone = coalesce(adopt_texts.service_phone, t.service_phone)
      order by t.service_phone
    ))
    -- The order of the locks (texting/consent.sql).
    order by lock, number
  loop
    if waiting.lead_id is null then
      -- The database's log keeps what is raised. So it has no recruit's phone.
      raise exception 'no lead % has this phone', private.quoted(coalesce((
        select 'of the agency of ' || n.phone from public.service_numbers n where n.phone = waiting.number
      ), 'with an agency')) using errcode = 'PT409';
    elsif waiting.lead_id <> adopt_texts.lead_id then
      raise exception 'lead_id: a newer lead of this phone has come meanwhile. Look again' using errcode = 'PT409';
    end if;
    perform private.lock_consent(waiting.agency_id, recruit_phone);
    -- Escalated at once, so that the agent is notified about the texts, which a trigger moves.
    insert into public.recruiting_conversations (
      recruiting_lead_id, agency_id, recruit_phone, service_phone, status, assigned_agent_id
    )
    select
      waiting.lead_id, waiting.agency_id, adopt_texts.recruit_phone, waiting.number,
      case when waiting.agent_id is null then 'bot' else 'escalated' end, waiting.agent_id
    -- An operator may have taken the lead back meanwhile.
    where exists (select from public.recruiting_leads l where l.id = waiting.lead_id and l.agency_id = waiting.agency_id)
    on conflict on constraint recruiting_conversations_recruit_phone_service_phone_key do nothing
    returning * into opened;
    if found then
      adopted := adopted || jsonb_build_object(
        'conversation_id', opened.id,
        'service_phone', opened.service_phone,
        'lead_id', opened.recruiting_lead_id,
        'agency_id', opened.agency_id,
        'agent_id', opened.assigned_agent_id,
        'texts', (select count(*) from public.recruiting_messages m where m.conversation_id = opened.id)
          -- Those that the worker takes over.
          + (
            select count(*)
            from public.unmatched_texts u
            where u.recruit_phone = opened.recruit_phone and u.service_phone = opened.service_phone
          ));
    end if;
  end loop;
  if adopted = '[]' then
    raise exception 'no text of this phone waits for a conversation' using errcode = 'PT404';
  end if;
  perform private.note_operator_action(
    'text adopt', jsonb_build_object(
      'conversation_ids', jsonb_path_query_array(adopted, '$[*].conversation_id'),
      'lead_ids', jsonb_path_query_array(adopted, '$[*].lead_id')));
  return adopted;
exception when lock_not_available then
  raise exception 'Others have locked the recruit''s consent. Try again in a moment.' using errcode = 'PT409';
end
$$;

comment on function public.adopt_texts(text, text, uuid) is
  'Makes the conversations for a recruit''s unmatched texts, one for each of our numbers (service_phone: for this one '
  'alone), with the newest lead that has an agency and the recruit''s phone (lead_id: with this one, or not at all). Where the '
  'number is an agency''s, it must be its lead. The lead''s agent, if active, has taken the conversation over, and is notified. '
  'What the texts say of a consent holds. Returns [{conversation_id, service_phone, lead_id, agency_id, agent_id|null, texts}]. '
  'For operators; of one who is signed in, a row of operator_actions says so. PT404 when no text waits; PT409 when there is no '
  'such lead, another one has come, or others hold the lock for 2 s. 42501 for a user who is not an operator. '
  'Security definer because operators may not read or write the tables.';
grant execute on function public.adopt_texts(text, text, uuid) to authenticated, service_role;

create function public.dismiss_deliveries(delivery_ids uuid[])
returns table (id uuid, status text, was_open boolean)
language plpgsql
security definer
set search_path = ''
set statement_timeout = '4s'
set lock_timeout = '2s'
as $$
#variable_conflict use_column
declare
  dismissed uuid[];
begin
  perform private.require_operator();
  if private.is_operator() then
    if cardinality(delivery_ids) between 1 and 100 is not true then
      raise exception 'delivery_ids: must be a list of 1 to 100 ids' using errcode = 'PT400';
    end if;
    perform private.note_operator_action('delivery dismiss', jsonb_build_object('delivery_ids', delivery_ids));
  end if;

  -- In one order, so that two calls do not wait for each other.
  perform from public.rejected_deliveries d where d.id = any (delivery_ids) order by d.id for no key update;
  with changed as (
    update public.rejected_deliveries d
    set status = 'dismissed'
    where d.id = any (delivery_ids) and d.status = 'open'
    returning d.id
  )
  select coalesce(array_agg(c.id), '{}') into dismissed from changed c;
  return query
    select d.id, d.status, d.id = any (dismissed) from public.rejected_deliveries d where d.id = any (delivery_ids) order by d.id;
exception when lock_not_available then
  raise exception 'Others are replaying these deliveries. Try again in a moment.' using errcode = 'PT409';
end
$$;

comment on function public.dismiss_deliveries(uuid[]) is
  'Takes rejected deliveries off the list of open ones, for good, and returns those that there are: their status now, and '
  'whether this call has changed it. One that was replayed stays so. For operators; one who is signed in gives 1 to 100 ids, '
  'and a row of operator_actions says so. PT400 for another number of ids; PT409 when others hold the locks for 2 s. 42501 for '
  'a user who is not an operator. '
  'Security definer because operators may not read or write the tables.';
grant execute on function public.dismiss_deliveries(uuid[]) to authenticated, service_role;

create function public.resume_number(phone text) returns public.service_numbers
language plpgsql
security definer
set search_path = ''
set statement_timeout = '4s'
set lock_timeout = '2s'
as $$
#variable_conflict use_variable
declare
  number public.service_numbers;
begin
  perform private.require_operator();
  select n.* into number from public.service_numbers n where n.phone = resume_number.phone for no key update;
  if number.phone is null then
    raise exception 'phone: % is not one of our numbers', private.quoted(phone) using errcode = 'PT404';
  elsif number.status = 'active' then
    return number;
  end if;
  perform private.note_operator_action('number resume', jsonb_build_object('service_phone', phone));
  update public.service_numbers n set status = 'active' where n.phone = resume_number.phone returning n.* into number;
  return number;
exception when lock_not_available then
  raise exception 'Others have locked the number. Try again in a moment.' using errcode = 'PT409';
end
$$;

comment on function public.resume_number(text) is
  'Sends what was held for a paused number, and what comes. Returns the number; one that is active stays as it is. '
  'For operators; of one who is signed in, a row of operator_actions says so. PT404 for a number that is not ours; PT409 when '
  'others hold the lock for 2 s. 42501 for a user who is not an operator. '
  'Security definer because operators may not read or write the tables.';
grant execute on function public.resume_number(text) to authenticated, service_role;

-- supabase/schemas/operators/hours.sql

-- The hours in which texts may be sent, as an operator sees and changes them.

create function public.set_texting_hours(
  state text,
  day_of_week integer,
  opens time,
  closes time,
  source text
) returns public.texting_hours
language plpgsql
set search_path = ''
as $$
declare
  changed public.texting_hours;
begin
  if not exists (select from public.area_codes a where a.state = coalesce(set_texting_hours.state, a.state)) then
    raise exception 'state: no area code is in "%"; give two letters such as IL', private.quoted(state)
      using errcode = 'PT400';
  elsif opens is null and state is null and day_of_week is null then
    raise exception 'the hours of all states and days can be changed, but not taken away' using errcode = 'PT400';
  elsif opens is null then
    select q.* into changed
    from public.texting_hours q
    where q.state is not distinct from set_texting_hours.state
      and q.day_of_week is not distinct from set_texting_hours.day_of_week
    for update;
    if changed.id is null then
      raise exception 'there are no such hours of their own' using errcode = 'PT404';
    elsif (changed.opens, changed.closes, changed.source) = (changed.law_opens, changed.law_closes, changed.law_source) then
      raise exception 'these are the hours of the law, which stay' using errcode = 'PT404';
    elsif changed.law_source is null then
      delete from public.texting_hours q where q.id = changed.id;
    else
      update public.texting_hours q
      set opens = q.law_opens, closes = q.law_closes, source = q.law_source
      where q.id = changed.id
      returning q.* into changed;
    end if;
    perform private.release_held_texts();
    return changed;
  end if;

  insert into public.texting_hours as q (state, day_of_week, opens, closes, source)
  values (
    set_texting_hours.state, set_texting_hours.day_of_week, set_texting_hours.opens, set_texting_hours.closes,
    set_texting_hours.source
  )
  on conflict on constraint texting_hours_state_day_of_week_key do update
  set opens = excluded.opens, closes = excluded.closes, source = excluded.source
  returning q.* into changed;
  perform private.release_held_texts();
  return changed;
end
$$;

comment on function public.set_texting_hours(text, integer, time, time, text) is
  'Sets the hours in which texts may be sent to a state (null: to all without hours of their own) on a day (0 is Sunday; '
  'null: on all days without hours of their own), or takes them away (opens null), so that the law''s or '
  'the wider ones count. closes the same as opens: never. Counts for every text that is not sent yet. Returns the row as it '
  'is then, or the one that is gone. PT400 for a state that is not one, and for taking the last hours away; PT404 when there are '
  'none to take away, or only the law''s; 23514 when it closes before it opens, or has no source.';
grant execute on function public.set_texting_hours(text, integer, time, time, text) to service_role;

create function public.close_hours(state text, starts_on date, until date, source text) returns public.texting_closures
language plpgsql
set search_path = ''
as $$
declare
  today constant date := private.first_date();
  closed public.texting_closures;
begin
  if not exists (select from public.area_codes a where a.state = coalesce(close_hours.state, a.state)) then
    raise exception 'state: no area code is in "%"; give two letters such as IL', private.quoted(state)
      using errcode = 'PT400';
  elsif until < today then
    raise exception 'until: % is over', private.quoted(until) using errcode = 'PT400';
  elsif until < coalesce(starts_on, today) then
    raise exception 'until: % is before %', private.quoted(until),
      private.quoted(coalesce(starts_on, today)) using errcode = 'PT400';
  end if;

  insert into public.texting_closures as c (state, starts_on, ends_on, source)
  values (close_hours.state, coalesce(close_hours.starts_on, today), until, close_hours.source)
  on conflict on constraint texting_closures_state_starts_on_ends_on_key do update set source = excluded.source
  returning c.* into closed;
  perform private.release_held_texts();
  return closed;
end
$$;

comment on function public.close_hours(text, date, date, text) is
  'Closes a state (null: every state) from a day (null: today) to a day (null: until open_hours()), both in the recipient''s '
  'time: no greeting and no text of the bot is sent on them, and agents'' texts wait as in quiet hours. The hours stay as '
  'they are. Returns the row. PT400 for a state that is not one, for a last day before the first one, and for one that is over; '
  '23514 without a source.';
grant execute on function public.close_hours(text, date, date, text) to service_role;

create function public.open_hours(state text) returns integer
language plpgsql
set search_path = ''
as $$
declare
  closures integer;
begin
  delete from public.texting_closures c
  where c.state is not distinct from open_hours.state
    and (c.ends_on is null or c.ends_on >= private.first_date());
  get diagnostics closures = row_count;
  perform private.release_held_texts() where closures > 0;
  return closures;
end
$$;

comment on function public.open_hours(text) is
  'Takes away the closures of a state (null: those of every state) that are not over. Returns how many there were.';
grant execute on function public.open_hours(text) to service_role;

create function private.release_held_texts() returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.text_outbox o
  set due_at = now(), first_due_at = now()
  where o.message_id = any (array(
    select held.message_id
    from public.text_outbox held
    where held.state = 'pending' and held.reason = 'quiet_hours' and held.due_at > now()
    order by held.ordinal
    for update
  ));
end
$$;

comment on function private.release_held_texts() is
  'Makes the texts due that quiet hours hold. The claim looks at the hours as they are then, and holds them again.';

create function public.text_hours(phone text, state text default null, out opens_at timestamptz, out closes_at timestamptz)
language sql
stable
set search_path = ''
as $$
  select w.opens_at, w.closes_at from private.text_window(text_hours.phone, text_hours.state, now()) w
$$;

comment on function public.text_hours(text, text) is
  'From when a text may be sent to this number, and until when, as of now. state: the recruit''s, where it is known.';
grant execute on function public.text_hours(text, text) to service_role;

-- supabase/schemas/operators/contact_pattern.sql

-- The search for the numbers and addresses of a person in vendors' payloads.

create function private.contact_pattern(phones text[], emails text[]) returns text
language plpgsql
immutable
set search_path = ''
as $$
declare
  -- The country codes of E.164 that have less than three digits (ITU-T E.164, annex D)
  short_country_code constant text := '^\+(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])';
  -- Between two digits of a number, also as forms encode it
  separator constant text := '(?:[^0-9A-Za-z",;:&=%<>{}]|%2[0-9BDEF]){0,3}';
begin
  -- No lookbehind: with one, a search takes a hundred times as long.
  return coalesce(
    (
      select string_agg(contact.pattern, '|')
      from (
        select
          '(?:^|[^0-9]|%2[0-9BDEF])(?:(?:00)?'
          || array_to_string(string_to_array(number.country, null), separator) || separator || ')?(?:0' || separator || ')?'
          || array_to_string(string_to_array(substr(number.phone, length(number.country) + 2), null), separator)
          || '(?:[^0-9]|$)'
        from (
          select p.phone, coalesce(substring(p.phone from short_country_code), substr(p.phone, 2, 3)) as country
          from unnest(phones) p (phone)
        ) number
        union all
        select
          -- A line break in JSON ends with a letter.
          '(?:^|[^a-z0-9._%+-]|\\[nrt]|%[0-9a-f]{2})'
          || replace(replace(regexp_replace(e.email, '([^a-z0-9@+])', '\\\1', 'g'), '+', '(?:\+|%2B)'), '@', '(?:@|%40)')
          || '(?:[^a-z0-9.-]|\.(?:[^a-z0-9]|$)|$)'
        from unnest(emails) e (email)
      ) contact (pattern)
    ),
    '(?!)'
  );
end
$$;

comment on function private.contact_pattern(text[], text[]) is
  'A regular expression (for ~*) that finds these numbers and addresses in a text, however they are written: with or '
  'without the country code, with separators, encoded in a form or in JSON. Without any it finds nothing.';

-- supabase/schemas/operators/person.sql

-- A person's right to know what is held, and to be forgotten: npm run admin -- person.
--
-- A person is a phone number or an e-mail address and whatever shares either, in one step: the leads and referrals that
-- have it, and then all that has one of their numbers and addresses. Two people who share an address are one person
-- here, so the operator who erases looks at find_person() first.
--
-- The proof of the person's words about texts stays, because the opt-out must hold: text_consents,
-- text_consent_events, and unmatched texts with a consent in them, which no agency may have recorded yet.

create type private.person as (
  phones text[],
  emails text[],
  pattern text,
  recruiting_leads uuid[],
  leads uuid[],
  referrals uuid[],
  deliveries uuid[],
  conversations uuid[]
);

comment on type private.person is
  'A person''s numbers in E.164, addresses in lower case, the pattern of private.contact_pattern() for both, and the ids of '
  'the rows that are the person''s. referrals: the person as others have named them.';

create function public.find_person(contact text)
returns table (kind text, id text, at timestamptz, detail text, stays boolean)
language plpgsql
stable
set search_path = ''
as $$
declare
  person constant private.person := private.person_of(contact);
begin
  return query
  select
    'recruiting_lead', l.id::text, l.created_at,
    concat_ws(', ', concat_ws(' ', l.first_name, l.last_name), l.phone, l.email, 'from ' || v.slug), false
  from public.recruiting_leads l
  join public.vendors v on v.id = l.vendor_id
  where l.id = any (person.recruiting_leads)
  union all
  select
    'lead', l.id::text, l.created_at,
    concat_ws(', ', concat_ws(' ', l.first_name, l.last_name), coalesce(l.phone_e164, l.phone), l.email, 'of ' || a.name), false
  from public.leads l
  join public.agencies a on a.id = l.agency_id
  where l.id = any (person.leads)
  union all
  select
    'referral', r.id::text, r.created_at,
    concat_ws(', ', concat_ws(' ', r.first_name, r.last_name), r.phone, r.email, 'named by a lead'), false
  from public.lead_referrals r
  where r.id = any (person.referrals)
  union all
  select 'delivery', d.id::text, d.received_at, concat_ws(', ', d.status, d.reason), false
  from public.rejected_deliveries d
  where d.id = any (person.deliveries)
  union all
  select
    'conversation', c.id::text, c.created_at,
    format('%s with %s, %s texts', c.recruit_phone, c.service_phone, (
      select count(*) from public.recruiting_messages m where m.conversation_id = c.id
    )), false
  from public.recruiting_conversations c
  where c.id = any (person.conversations)
  union all
  select
    'unmatched_text', t.id::text, t.received_at, concat_ws(' ', 'to', t.service_phone, t.consent), t.consent is not null
  from public.unmatched_texts t
  where t.recruit_phone = any (person.phones)
  union all
  select 'idempotency_key', k.key, k.created_at, 'ends ' || (k.created_at + k.retention)::text, false
  from private.idempotency_keys k
  where private.holds_contact(person, k.key)
  union all
  select 'file', f.bucket || '/' || f.name, f.created_at, null, false
  from private.person_files(person) f
  union all
  select 'consent', e.id::text, e.occurred_at, concat_ws(', ', e.phone, e.state, e.source, 'said to ' || a.name), true
  from public.text_consent_events e
  join public.agencies a on a.id = e.agency_id
  where e.phone = any (person.phones);
end
$$;

comment on function public.find_person(text) is
  'The data about the person with this phone in E.164 or e-mail address: kind (recruiting_lead, lead, referral, delivery, '
  'conversation, unmatched_text, idempotency_key, file, consent), id, when it came, and in words what it is. stays: '
  'erase_person() leaves it. What hangs on a lead or a conversation is not listed by itself. Reads all leads. PT400 for what '
  'is neither a phone nor an address.';
grant execute on function public.find_person(text) to service_role;

create function public.person_copies(contact text) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  person constant private.person := private.person_of(contact);
begin
  return jsonb_build_object(
    'phones', (
      select coalesce(jsonb_agg(distinct known.phone), '[]')
      from (
        select unnest(person.phones)
        union
        select c.recruit_phone from public.recruiting_conversations c where c.id = any (person.conversations)
      ) known (phone)
    ),
    'service_phones', (
      select coalesce(jsonb_agg(distinct ours.phone), '[]')
      from (
        select n.phone from public.service_numbers n
        union
        select c.service_phone from public.recruiting_conversations c where c.id = any (person.conversations)
        union
        select t.service_phone from public.unmatched_texts t where t.recruit_phone = any (person.phones)
      ) ours (phone)
      where ours.phone is not null
    ),
    'message_sids', (select coalesce(jsonb_agg(s), '[]') from private.person_message_sids(person) s),
    'files', (select coalesce(jsonb_agg(f order by f.bucket, f.name), '[]') from private.person_files(person) f)
  );
end
$$;

comment on function public.person_copies(text) is
  'The data about a person outside the tables, for the caller to delete before erase_person(): {phones, service_phones: '
  'our numbers, message_sids: of the texts that we know at the SMS provider, files: [{bucket, name, created_at}]}. Reads '
  'all leads. PT400 as find_person().';
grant execute on function public.person_copies(text) to service_role;

create function private.person_of(contact text) returns private.person
language plpgsql
stable
set search_path = ''
as $$
declare
  given constant text := lower(btrim(contact));
  phone_pattern text;
  last_digits text[];
  person private.person;
  found_phones text[];
  found_emails text[];
begin
  case private.contact_kind(given)
    when 'phone' then
      person.phones := array[given];
      person.emails := '{}';
    when 'email' then
      person.phones := '{}';
      person.emails := array[given];
    else
      raise exception 'contact: must be a phone number in E.164 or an e-mail address' using errcode = 'PT400';
  end case;

  -- First who has what was given, and then who has what they have.
  for step in 1..2 loop
    phone_pattern := private.contact_pattern(person.phones, '{}');
    last_digits := array(select '%' || right(p, 2) || '%' from unnest(person.phones) p);
    select
      coalesce(array_agg(m.id) filter (where m.kind = 'recruiting_lead'), '{}'),
      coalesce(array_agg(m.id) filter (where m.kind = 'lead'), '{}'),
      coalesce(array_agg(m.id) filter (where m.kind = 'referral'), '{}'),
      coalesce(array_agg(distinct m.phone) filter (where private.contact_kind(m.phone) = 'phone'), '{}'),
      coalesce(array_agg(distinct lower(m.email)) filter (where private.contact_kind(m.email) = 'email'), '{}')
    into person.recruiting_leads, person.leads, person.referrals, found_phones, found_emails
    from (
      select 'recruiting_lead' as kind, l.id, l.phone, l.email from public.recruiting_leads l
      union all
      select 'lead', l.id, coalesce(l.phone_e164, l.phone), l.email from public.leads l
      union all
      select 'referral', r.id, r.phone, r.email from public.lead_referrals r
    ) m
    where m.phone = any (person.phones)
      or lower(m.email) = any (person.emails)
      -- A number that is not in E.164. Its last digits are looked for first, because a pattern is slow.
      or m.phone like any (last_digits) and m.phone !~ '^\+[0-9]+$' and m.phone ~ phone_pattern;
    exit when step = 2;
    person.phones := array(select distinct p from unnest(person.phones || found_phones) p order by p);
    person.emails := array(select distinct e from unnest(person.emails || found_emails) e order by e);
  end loop;

  person.pattern := private.contact_pattern(person.phones, person.emails);
  person.conversations := array(
    select c.id
    from public.recruiting_conversations c
    where c.recruit_phone = any (person.phones) or c.recruiting_lead_id = any (person.recruiting_leads)
  );
  person.deliveries := array(
    select d.id
    from public.rejected_deliveries d
    where (d.payload is not null or d.payload_text is not null)
      and (
        d.lead_id = any (person.recruiting_leads || person.leads)
        or coalesce(d.payload::text, d.payload_text) ~* person.pattern
        or concat_ws(' ', d.vendor_lead_id, d.reason, d.context) ~* person.pattern
        or exists (
          select
          from public.recruiting_leads l
          where l.id = any (person.recruiting_leads) and l.vendor_id = d.vendor_id and l.vendor_lead_id = d.vendor_lead_id
        )
        or d.vendor_id is null and exists (
          select from public.leads l where l.id = any (person.leads) and l.external_id::text = d.vendor_lead_id
        )
      )
  );
  return person;
end
$$;

comment on function private.person_of(text) is
  'The person with this phone in E.164 or e-mail address. A delivery is the person''s when one of the person''s leads came '
  'of it, or when it holds a number or an address of the person. PT400 for what is neither.';

create function private.person_files(person private.person)
returns table (bucket text, name text, created_at timestamptz)
language sql
stable
set search_path = ''
as $$
  select o.bucket_id, o.name, o.created_at
  from storage.objects o
  where o.bucket_id = 'resumes' and o.name in (
      select l.resume_path from public.recruiting_leads l where l.id = any (person.recruiting_leads)
    )
    -- As private.conversation_of_file()
    or o.bucket_id = 'text-media' and left(o.name, 36) = any (person.conversations::text[])
$$;

comment on function private.person_files(private.person) is
  'The files of a person in storage: the resumes of the leads, what agents have sent in the conversations, and the copies '
  'of what the recruits have.';

create function private.person_message_sids(person private.person) returns setof text
language sql
stable
set search_path = ''
as $$
  select m.provider_message_id
  from public.recruiting_messages m
  where m.conversation_id = any (person.conversations) and m.provider_message_id is not null
  union
  select t.message_sid
  from public.unmatched_texts t
  where t.recruit_phone = any (person.phones) and t.consent is null and t.message_sid is not null
  order by 1
$$;

comment on function private.person_message_sids(private.person) is
  'The MessageSids of a person''s texts that do not stay, by which the SMS provider knows them.';

create function private.holds_contact(person private.person, id text) returns boolean
language sql
immutable
set search_path = ''
as $$
  select id ~* person.pattern or exists (select from unnest(person.emails) e (email) where strpos(lower(id), e.email) > 0)
$$;

comment on function private.holds_contact(private.person, text) is
  'Whether an id or a short text holds a number or an address of the person. Here lead-a@b.c holds a@b.c, which in a long text '
  'would be another address.';

-- supabase/schemas/operators/export_person.sql

-- The copy of what is held of a person, for that person.

create function public.export_person(contact text) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  person constant private.person := private.person_of(contact);
begin
  return jsonb_build_object(
    'phones', person.phones,
    'emails', person.emails,
    'recruiting_leads', (
      select coalesce(jsonb_agg(to_jsonb(l) || jsonb_build_object(
        'vendor', v.slug,
        'answers', (select jsonb_agg(a order by a.answered_at) from public.screening_answers a where a.lead_id = l.id),
        'notes', (
          select coalesce(jsonb_agg(n order by n.created_at), '[]')
          from public.recruit_notes n
          where n.recruiting_lead_id = l.id
        ),
        'stages', (
          select coalesce(jsonb_agg(s order by s.created_at), '[]')
          from public.recruit_stages s
          where s.recruiting_lead_id = l.id
        ),
        'calls', (
          select coalesce(jsonb_agg(c order by c.created_at), '[]')
          from public.recruit_calls c
          where c.recruiting_lead_id = l.id
        ),
        'conversation_changes', (
          select coalesce(jsonb_agg(jsonb_build_object(
            'at', h.created_at, 'status', h.status, 'from', concat_ws(' ', f.first_name, f.last_name),
            'to', concat_ws(' ', t.first_name, t.last_name)
          ) order by h.created_at), '[]')
          from public.conversation_assignments h
          left join public.agents f on f.id = h.from_agent_id
          left join public.agents t on t.id = h.to_agent_id
          where h.recruiting_lead_id = l.id
        ),
        'returned', (
          select jsonb_build_object('returned_at', r.created_at, 'reason', r.reason)
          from public.lead_returns r
          where r.recruiting_lead_id = l.id
        ),
        'dispatches', (
          select coalesce(jsonb_agg(to_jsonb(p) || jsonb_build_object('destination', d.name) order by p.seq), '[]')
          from private.dispatches p
          join public.destinations d on d.id = p.destination_id
          where p.lead_id = l.id
        ),
        'sent_again', (
          select coalesce(jsonb_agg(d.received_at order by d.received_at), '[]')
          from public.recruiting_lead_duplicates d
          where d.lead_id = l.id
        )
      ) order by l.created_at, l.id), '[]')
      from public.recruiting_leads l
      join public.vendors v on v.id = l.vendor_id
      where l.id = any (person.recruiting_leads)
    ),
    'leads', (
      select coalesce(jsonb_agg(to_jsonb(l) || jsonb_build_object(
        'metrics', (select to_jsonb(m) from public.lead_metrics m where m.lead_id = l.id),
        'demographics', (select to_jsonb(d) from public.lead_demographics d where d.lead_id = l.id),
        'activities', (select jsonb_agg(a order by a.occurred_at) from public.lead_activities a where a.lead_id = l.id),
        'presentations', (
          select jsonb_agg(p order by p.submitted_at) from public.lead_presentations p where p.lead_id = l.id
        ),
        'sales', (select jsonb_agg(s order by s.created_at) from public.lead_sales s where s.lead_id = l.id),
        'referrals', (
          select jsonb_agg(r order by r.created_at, r.position) from public.lead_referrals r where r.lead_id = l.id
        )
      ) order by l.created_at, l.id), '[]')
      from public.leads l
      where l.id = any (person.leads)
    ),
    'named_in_referrals', (
      select coalesce(jsonb_agg(r order by r.created_at), '[]')
      from public.lead_referrals r
      where r.id = any (person.referrals)
    ),
    'rejected_deliveries', (
      select coalesce(jsonb_agg(d order by d.received_at), '[]')
      from public.rejected_deliveries d
      where d.id = any (person.deliveries)
    ),
    'conversations', (
      select coalesce(jsonb_agg(to_jsonb(c) || jsonb_build_object(
        'messages', (
          select coalesce(jsonb_agg(to_jsonb(m) || jsonb_build_object('media_copies', (
            select coalesce(jsonb_agg(f order by f.position), '[]') from public.media_copies f where f.message_id = m.id
          )) order by m.created_at, m.id), '[]')
          from public.recruiting_messages m
          where m.conversation_id = c.id
        ),
        'bot_session', (select to_jsonb(b) from public.bot_sessions b where b.conversation_id = c.id)
      ) order by c.created_at), '[]')
      from public.recruiting_conversations c
      where c.id = any (person.conversations)
    ),
    'unmatched_texts', (
      select coalesce(jsonb_agg(t order by t.received_at), '[]')
      from public.unmatched_texts t
      where t.recruit_phone = any (person.phones)
    ),
    'text_consents', (
      select coalesce(jsonb_agg(c), '[]') from public.text_consents c where c.phone = any (person.phones)
    ),
    'text_consent_events', (
      select coalesce(jsonb_agg(e order by e.occurred_at), '[]')
      from public.text_consent_events e
      where e.phone = any (person.phones)
    ),
    'idempotency_keys', (
      select coalesce(jsonb_agg(k order by k.created_at), '[]')
      from private.idempotency_keys k
      where private.holds_contact(person, k.key)
    ),
    'files', (
      select coalesce(jsonb_agg(f order by f.bucket, f.name), '[]') from private.person_files(person) f
    )
  );
end
$$;

comment on function public.export_person(text) is
  'All data about the person with this phone in E.164 or e-mail address, as the rows are: {phones, emails, '
  'recruiting_leads with their answers, notes and dispatches, leads, named_in_referrals, rejected_deliveries, conversations with their messages '
  'and bot_session, unmatched_texts, text_consents, text_consent_events, idempotency_keys, files: [{bucket, name, '
  'created_at}]}. Reads all leads. PT400 as find_person().';
grant execute on function public.export_person(text) to service_role;

-- supabase/schemas/operators/erase_person.sql

-- Forgetting a person. person.sql says what is a person's, and what stays.

create function public.erase_person(contact text, deleted_sids text[] default null, deleted_files integer default 0)
returns jsonb
language plpgsql
set search_path = ''
-- Shorter than a deadlock takes to be seen: it is this function that gives up, and not a webhook.
set lock_timeout = '500ms'
as $$
declare
  erased_text constant text := '(erased)';
  person constant private.person := private.person_of(contact);
  message_sids text[];
  counts jsonb := jsonb_build_object('file', deleted_files);
  changed integer;
begin
  perform from public.recruiting_leads l where l.id = any (person.recruiting_leads) order by l.id for no key update;
  -- From here on a text that arrives waits, and then finds no conversation.
  perform from public.recruiting_conversations c where c.id = any (person.conversations) order by c.id for update;

  -- No worker claims a file of the person meanwhile.
  perform
  from public.recruiting_messages m
  join public.media_copies f on f.message_id = m.id
  where m.conversation_id = any (person.conversations)
  order by f.message_id, f.position
  for update of f;

  message_sids := array(select private.person_message_sids(person));
  if exists (
    select
    from public.text_outbox o
    where o.conversation_id = any (person.conversations) and o.state = 'sending' and o.lease_until > now()
  ) then
    raise exception 'a text to this person is being sent: try again in a minute' using errcode = 'PT409';
  elsif exists (
    select
    from public.recruiting_messages m
    join public.media_copies f on f.message_id = m.id
    where m.conversation_id = any (person.conversations) and f.lease_until > now()
  ) then
    raise exception 'a file of this person is being copied: try again in a minute' using errcode = 'PT409';
  elsif not message_sids <@ deleted_sids or exists (select from private.person_files(person)) then
    raise exception 'a text or a file has come meanwhile: try again' using errcode = 'PT409';
  end if;

  update public.recruiting_leads l
  set
    first_name = erased_text,
    -- Reports leave test leads out.
    vendor_metadata = case
      when l.vendor_metadata -> 'is_test' = 'true' then '{"is_test": true}' else '{}'
    end::jsonb,
    vendor_lead_id = case when private.holds_contact(person, l.vendor_lead_id)
      then private.erased_id(l.vendor_id, l.vendor_lead_id) else l.vendor_lead_id end,
    resume_path = null,
    distribution = case
      when l.agency_id is null and l.distribution <> 'returned' then 'not_requested' else l.distribution
    end
  where l.id = any (person.recruiting_leads);
  get diagnostics changed = row_count;
  counts := counts || jsonb_build_object('recruiting_lead', changed);
  update public.lead_returns r set reason = erased_text where r.recruiting_lead_id = any (person.recruiting_leads);
  delete from public.screening_answers a where a.lead_id = any (person.recruiting_leads);
  delete from public.recruit_notes n where n.recruiting_lead_id = any (person.recruiting_leads);
  delete from public.recruit_stages s where s.recruiting_lead_id = any (person.recruiting_leads);
  delete from public.conversation_assignments h where h.recruiting_lead_id = any (person.recruiting_leads);
  delete from public.recruit_calls c where c.recruiting_lead_id = any (person.recruiting_leads);
  update private.lead_fetches f set notice = '{}' where f.lead_id = any (person.recruiting_leads);
  delete from private.waiting_greetings w where w.lead_id = any (person.recruiting_leads);
  perform private.erase_dispatches(person.recruiting_leads);
  delete from public.skipped_greetings s where s.recruiting_lead_id = any (person.recruiting_leads);

  update public.leads l
  set
    first_name = erased_text, last_name = null, phone = erased_text, phone_e164 = null, email = null, address = null,
    city = null, state = erased_text, zip = null, language = null
  where l.id = any (person.leads);
  get diagnostics changed = row_count;
  counts := counts || jsonb_build_object('lead', changed);
  delete from public.lead_demographics d where d.lead_id = any (person.leads);
  -- Product and premium are counted, and name nobody.
  update public.lead_sales s
  set policy_number = null, face_amount = null, effective_date = null
  where s.lead_id = any (person.leads);
  -- The person whom the lead has named is another one. The words about the two go.
  update public.lead_referrals r set relationship = null, notes = null where r.lead_id = any (person.leads);

  update public.lead_referrals r
  set first_name = erased_text, last_name = null, phone = erased_text, email = null, relationship = null, notes = null
  where r.id = any (person.referrals);
  get diagnostics changed = row_count;
  counts := counts || jsonb_build_object('referral', changed);

  update public.rejected_deliveries d
  set
    payload = null,
    payload_text = null,
    context = '{}',
    vendor_lead_id = case when private.holds_contact(person, d.vendor_lead_id)
      then private.erased_id(d.vendor_id, d.vendor_lead_id) else d.vendor_lead_id end,
    reason = case when private.holds_contact(person, d.reason) then erased_text else d.reason end,
    -- A request of several leads stays open, because the leads of others in it must be sent again.
    status = case
      when d.status = 'open' and (
        d.row is not null
        or d.vendor_id is not null and d.route not like '%/bulk' and jsonb_typeof(d.payload) is distinct from 'array'
      ) then 'dismissed'
      else d.status
    end
  where d.id = any (person.deliveries);
  get diagnostics changed = row_count;
  counts := counts || jsonb_build_object('delivery', changed);

  delete from public.recruiting_message_events e where e.provider_message_id = any (message_sids);
  -- Messages, what is to be sent, and notifications go with it.
  delete from public.recruiting_conversations c where c.id = any (person.conversations);
  get diagnostics changed = row_count;
  counts := counts || jsonb_build_object('conversation', changed);

  delete from public.unmatched_texts t where t.recruit_phone = any (person.phones) and t.consent is null;
  get diagnostics changed = row_count;
  counts := counts || jsonb_build_object('unmatched_text', changed);
  update public.unmatched_texts t set media = '[]' where t.recruit_phone = any (person.phones) and t.media <> '[]';

  delete from private.idempotency_keys k where private.holds_contact(person, k.key);
  get diagnostics changed = row_count;
  counts := counts || jsonb_build_object('idempotency_key', changed);

  insert into public.erasures (asked_by, erased, provider_copies)
  values (case when contact like '%@%' then 'email' else 'phone' end, counts, cardinality(deleted_sids));
  return counts;
end
$$;

comment on function public.erase_person(text, text[], integer) is
  'Erases the person with this phone in E.164 or e-mail address, and notes it in erasures. Leads, referrals and rejected '
  'deliveries are emptied and stay, so counts, turns and duplicates stay right; conversations with their messages, '
  'unmatched texts and idempotency keys are deleted. What waits to be sent to a destination is cancelled, and those that got the person get `recruit.erased`. Consents, their proof, and unmatched texts with a consent in them '
  'stay. deleted_sids: the texts that the caller has deleted at the SMS provider before; null: it was not asked. '
  'deleted_files: how many files the caller has deleted before. Returns how many there were of each kind. PT409 when '
  'there is a text or a file that the caller has not deleted, or a text is being sent or a file copied just now; 55P03 '
  'when others have locked a row: nothing is erased then, and it can be called again. PT400 as find_person().';
grant execute on function public.erase_person(text, text[], integer) to service_role;

-- supabase/schemas/operators/leads.sql

-- Leads as an operator asks for them: those that came, and those of which something is known.

create function public.list_leads(
  of_vendor uuid default null,
  of_agency uuid default null,
  of_agent uuid default null,
  of_order uuid default null,
  of_distribution text default null,
  since date default null,
  until date default null,
  timezone text default 'UTC',
  after uuid default null,
  max_leads integer default 50,
  of_state text default null,
  distributed_since date default null,
  distributed_until date default null
) returns table (
  id uuid, received timestamptz, vendor text, vendor_lead_id text, name text, phone text, email text, state text,
  distribution text, distributed_at timestamptz, agency text, agent text, agency_id uuid, agent_id uuid, order_id uuid,
  returned_at timestamptz, return_reason text
)
language plpgsql
stable
set search_path = ''
-- The best index depends on the filters that are given.
set plan_cache_mode = force_custom_plan
set jit = off
as $$
declare
  -- The index of an order's leads has the agency first.
  agency_of_order constant uuid := (select o.agency_id from public.recruiting_orders o where o.id = of_order);
  after_received timestamptz;
begin
  perform private.today_in(timezone);
  if after is not null then
    select l.created_at into after_received from public.recruiting_leads l where l.id = after;
    if not found then
      raise exception 'after: there is no lead %', private.quoted(after) using errcode = 'PT404';
    end if;
  end if;

  return query
  select
    l.id, l.created_at, v.slug, l.vendor_lead_id, concat_ws(' ', l.first_name, l.last_name), l.phone, l.email, l.state,
    l.distribution, l.distributed_at, g.name, nullif(concat_ws(' ', a.first_name, a.last_name), ''), l.agency_id,
    l.agent_id, l.order_id, l.returned_at, l.return_reason
  from private.lead_places l
  join public.vendors v on v.id = l.vendor_id
  left join public.agencies g on g.id = l.agency_id
  left join public.agents a on a.id = l.agent_id
  where l.is_last
    and (of_vendor is null or l.vendor_id = of_vendor)
    and (of_agency is null or l.agency_id = of_agency)
    and (of_agent is null or l.agent_id = of_agent)
    and (of_order is null or l.agency_id = agency_of_order and l.order_id = of_order)
    and (of_distribution is null or l.distribution = of_distribution)
    and (of_state is null or l.state = of_state)
    and (after is null or (l.created_at, l.id) < (after_received, after))
    -- An index has no days of agencies. Wherever a day is, it neither begins nor ends a whole day away from UTC's.
    and (since is null or l.created_at >= (since - 1)::timestamp at time zone 'UTC')
    and (until is null or l.created_at < (until + 2)::timestamp at time zone 'UTC')
    and (since is null or l.created_at >= since::timestamp at time zone coalesce(g.timezone, list_leads.timezone))
    and (until is null or l.created_at < (until + 1)::timestamp at time zone coalesce(g.timezone, list_leads.timezone))
    and (distributed_since is null or l.distributed_at >= distributed_since::timestamp at time zone g.timezone)
    and (distributed_until is null or l.distributed_at < (distributed_until + 1)::timestamp at time zone g.timezone)
    -- No lead is distributed before it comes.
    and (distributed_until is null or l.created_at < (distributed_until + 2)::timestamp at time zone 'UTC')
  order by l.created_at desc, l.id desc
  limit max_leads;
end
$$;

comment on function public.list_leads(
  uuid, uuid, uuid, uuid, text, date, date, text, uuid, integer, text, date, date
) is
  'A page of the recruiting leads, the newest first. of_vendor to of_distribution, and of_state: only leads that have this; '
  'null: all. since and until: days on which they came, both included, in the time zone of the lead''s agency, else in this '
  'one. distributed_since and distributed_until: days of the agency on which they were distributed. after: the last lead of '
  'the page before. A page holds what is older than that lead, so leads that arrive meanwhile are neither repeated nor '
  'skipped. A returned lead has the agency, agent and order that had it. PT400 for an unknown time zone, PT404 for an '
  'unknown after.';
grant execute on function public.list_leads(
  uuid, uuid, uuid, uuid, text, date, date, text, uuid, integer, text, date, date
) to service_role;

create function public.find_leads(search text, max_each integer default 50)
returns table (
  kind text, id uuid, sender text, sender_id text, name text, phone text, email text, state text, received timestamptz,
  by_sender_id boolean
)
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_custom_plan
set jit = off
as $$
declare
  given constant text := btrim(search);
  wanted constant text := lower(given);
  wanted_id constant text := private.indexable_id(given);
  separators constant text := ' ()-.+/';
  -- Without the US country code
  plain constant text := regexp_replace(regexp_replace(given, '\D', '', 'g'), '^1(\d{10})$', '\1');
  -- Null for what is no phone number as a person writes it, or is too short to be one
  digits constant text := case when given ~ '^[+\d\s().-]+$' and length(plain) >= 7 then plain end;
  -- The digits in their order, whatever stands between them: a tenth of the time of taking the separators out.
  nearly constant text := regexp_replace('%' || digits, '(\d)', '\1%', 'g');
  first_id uuid;
  last_id uuid;
begin
  if coalesce(given, '') = '' then
    raise exception 'search: must not be blank' using errcode = 'PT400';
  end if;
  select r.first_id, r.last_id into first_id, last_id from private.id_range(given) r;

  return query
  select
    'recruiting', l.id, v.slug, l.vendor_lead_id, concat_ws(' ', l.first_name, l.last_name), l.phone, l.email,
    l.distribution, l.created_at, coalesce(l.vendor_lead_id = wanted_id, false)
  from public.recruiting_leads l
  join public.vendors v on v.id = l.vendor_id
  where l.vendor_lead_id = wanted_id
    or l.request_id = given
    or wanted in (lower(l.email), lower(l.first_name), lower(l.last_name))
    or (wanted like '% %' and lower(concat_ws(' ', l.first_name, l.last_name)) = wanted)
    or (l.phone like nearly and right(translate(l.phone, separators, ''), length(digits)) = digits)
    or l.id between first_id and last_id
  order by coalesce(l.vendor_lead_id = wanted_id, false) desc, l.created_at desc
  limit max_each;

  return query
  select
    'sales', l.id, l.source, l.external_id::text, concat_ws(' ', l.first_name, l.last_name), l.phone, l.email, l.status,
    l.created_at, l.external_id::text = wanted
  from public.leads l
  where l.external_id::text = wanted
    or wanted in (lower(l.email), lower(l.first_name), lower(l.last_name))
    or (wanted like '% %' and lower(concat_ws(' ', l.first_name, l.last_name)) = wanted)
    or (
      coalesce(l.phone_e164, l.phone) like nearly
      and right(translate(coalesce(l.phone_e164, l.phone), separators, ''), length(digits)) = digits
    )
    or l.id between first_id and last_id
  order by l.external_id::text = wanted desc, l.created_at desc
  limit max_each;

  -- A delivery has no columns for what a lead has, so its payload is searched.
  return query
  select
    'delivery', d.id, coalesce(v.slug, 'import'), d.vendor_lead_id, null::text, null::text, null::text,
    d.status || ': ' || d.reason, d.received_at, coalesce(d.vendor_lead_id = wanted_id, false)
  from public.rejected_deliveries d
  left join public.vendors v on v.id = d.vendor_id
  cross join lateral (select lower(coalesce(d.payload::text, d.payload_text)) as content) p
  where d.vendor_lead_id = wanted_id
    or d.request_id = given
    or strpos(p.content, wanted) > 0
    or (p.content like nearly and strpos(translate(p.content, separators, ''), digits) > 0)
    or d.id between first_id and last_id
  order by coalesce(d.vendor_lead_id = wanted_id, false) desc, d.received_at desc
  limit max_each;
end
$$;

comment on function public.find_leads(text, integer) is
  'Leads of both kinds (`recruiting`, `sales`) and rejected deliveries (`delivery`), by the '
  'sender''s own id, a request''s id, a phone, an e-mail address, a name, or the first 8 characters of an id or more. state: a recruiting '
  'lead''s distribution, a sales lead''s status, a delivery''s status and reason. Of each kind those with this very sender''s id (by_sender_id) come first, then the '
  'newest. Reads every lead. PT400 for a blank search.';
grant execute on function public.find_leads(text, integer) to service_role;

create function private.id_range(beginning text, out first_id uuid, out last_id uuid)
language plpgsql
immutable
set search_path = ''
as $$
declare
  given constant text := lower(btrim(beginning));
  lowest constant text := given || substr('00000000-0000-0000-0000-000000000000', length(given) + 1);
begin
  if length(given) >= 8 and lowest ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    first_id := lowest;
    last_id := given || substr('ffffffff-ffff-ffff-ffff-ffffffffffff', length(given) + 1);
  end if;
end
$$;

comment on function private.id_range(text) is
  'The first and the last id that begin with a text of at least 8 characters: an index of ids finds such a range. Null for '
  'what is not the beginning of an id. Less than 8 characters may well be a sender''s own id.';

create function private.today_in(timezone text) returns date
language plpgsql
stable
set search_path = ''
as $$
begin
  return (now() at time zone timezone)::date;
exception
  when invalid_parameter_value then
    raise exception 'timezone: "%" is not an IANA time zone name', private.quoted(timezone) using errcode = 'PT400';
end
$$;

comment on function private.today_in(text) is 'The day that it is in this time zone. PT400 for an unknown one.';

-- supabase/schemas/operators/show_lead.sql

-- The history of a lead: its row, and all that has happened to it.

create function public.show_lead(lead_id uuid) returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  shown json;
begin
  select json_build_object('kind', found.kind, 'lead', found.lead, 'timeline', found.timeline) into shown
  from (
    select 'recruiting' as kind, row_to_json(r) as lead, (
      select json_agg(json_build_object('at', e.at, 'event', e.event, 'detail', e.detail) order by e.at, e.step)
      from private.recruiting_lead_events(r.id) e
    ) as timeline
    from (
      select
        l.id, v.slug as vendor, l.vendor_lead_id, concat_ws(' ', l.first_name, l.last_name) as name, l.phone, l.email,
        l.state, l.distribution, g.name as agency, concat_ws(' ', a.first_name, a.last_name) as agent, l.resume_path,
        l.received_via, l.request_id, l.vendor_metadata
      from public.recruiting_leads l
      join public.vendors v on v.id = l.vendor_id
      left join public.agencies g on g.id = l.agency_id
      left join public.agents a on a.id = l.agent_id
      where l.id = lead_id
    ) r
    union all
    select 'sales', row_to_json(s), (
      select json_agg(json_build_object('at', e.at, 'event', e.event, 'detail', e.detail) order by e.at, e.step)
      from private.sales_lead_events(s.id) e
    )
    from (
      select
        l.id, l.external_id, l.source, concat_ws(' ', l.first_name, l.last_name) as name, l.phone, l.phone_e164, l.email,
        l.state, l.type, l.status, l.stage, g.name as agency, concat_ws(' ', a.first_name, a.last_name) as agent,
        l.distribution_id
      from public.leads l
      join public.agencies g on g.id = l.agency_id
      join public.agents a on a.id = l.agent_id
      where l.id = lead_id
    ) s
  ) found;
  if shown is null then
    raise exception 'lead_id: there is no such lead' using errcode = 'PT404';
  end if;
  return shown;
end
$$;

comment on function public.show_lead(uuid) is
  'A lead of either kind, and everything that happened to it, the oldest first: {kind: recruiting|sales, lead: {id, name, '
  '...}, timeline: [{at, event, detail}]}. PT404 for an unknown lead.';
grant execute on function public.show_lead(uuid) to service_role;

create function private.recruiting_lead_events(lead_id uuid)
returns table (at timestamptz, step integer, event text, detail text)
language plpgsql
stable
set search_path = ''
as $$
declare
  lead public.recruiting_leads;
begin
  select * into lead from public.recruiting_leads l where l.id = lead_id;

  return query
  with conversations as (
    select c.*
    from public.recruiting_conversations c
    where c.recruiting_lead_id = lead_id or c.recruit_phone = lead.phone
  )
  select lead.created_at, 1, 'stored', concat_ws(', ', 'via ' || lead.received_via, 'request ' || lead.request_id)
  union all
  select p.distributed_at, 2, 'distributed',
    concat_ws(', ', 'to ' || g.name, a.first_name || coalesce(' ' || a.last_name, ''), 'order ' || p.order_id)
  from private.lead_places p
  join public.agencies g on g.id = p.agency_id
  -- The agent who got it by distribution
  cross join lateral (
    select f.agent_id
    from (
      select s.from_agent_id, s.created_at, s.id from public.lead_assignments s where s.recruiting_lead_id = p.id
      union all
      select p.agent_id, 'infinity', null
    ) f (agent_id, at, id)
    order by f.at, f.id
    limit 1
  ) first
  left join public.agents a on a.id = first.agent_id
  where p.id = recruiting_lead_events.lead_id and p.is_last and p.distributed_at is not null
  union all
  select r.created_at, 7, 'returned', concat_ws(', ',
    'from ' || concat_ws(' ', a.first_name, a.last_name), 'of ' || g.name, 'by ' || r.returned_by, r.reason)
  from public.lead_returns r
  join public.agencies g on g.id = r.agency_id
  left join public.agents a on a.id = r.agent_id
  where r.recruiting_lead_id = recruiting_lead_events.lead_id
  union all
  select * from private.assignment_events(lead_id)
  union all
  select e.*
  from public.rejected_deliveries d, private.delivery_events(d) e
  where d.lead_id = recruiting_lead_events.lead_id
    or (d.vendor_id = lead.vendor_id and d.vendor_lead_id = lead.vendor_lead_id)
  union all
  select p.received_at, 3, 'sent again', 'request ' || p.request_id
  from public.recruiting_lead_duplicates p
  where p.lead_id = recruiting_lead_events.lead_id
  union all
  select c.created_at, 4, 'conversation', concat_ws(', ', c.recruit_phone || ' with ' || c.service_phone, c.status)
  from conversations c
  union all
  select t.received_at, 5, 'text without a conversation', t.body
  from public.unmatched_texts t
  where t.recruit_phone = lead.phone
  union all
  select t.* from private.texting_events(lead_id, lead.phone) t
  union all
  select e.* from private.dispatch_events(lead_id) e;
end
$$;

comment on function private.recruiting_lead_events(uuid) is
  'The events of a recruiting lead. step: the order of events of the same time.';

create function private.in_utc(moment timestamptz) returns text
language sql
stable
set search_path = ''
as $$
  select to_char(moment at time zone 'UTC', 'YYYY-MM-DD HH24:MI "UTC"')
$$;

comment on function private.in_utc(timestamptz) is 'A moment to the minute, in words for operators.';

create function private.texting_events(lead_id uuid, phone text)
returns table (at timestamptz, step integer, event text, detail text)
language sql
stable
set search_path = ''
as $$
  select e.at,
    case e.kind when 'text_in' then 5 when 'text_out' then 5 when 'consent' then 6 when 'answer' then 6 else 7 end,
    case e.kind
      when 'text_in' then 'text from the recruit'
      when 'text_out' then 'text to the recruit'
      when 'never_queued' then 'greeting never queued'
      when 'consent' then replace(e.details ->> 'state', '_', ' ')
      when 'hands' then 'conversation to ' || case e.details ->> 'status' when 'bot' then 'the bot' else 'a person' end
      when 'bot_ended' then 'the bot ended'
      else e.kind
    end,
    case e.kind
      when 'text_in' then concat_ws(' ', '[' || case e.details ->> 'heard'
        when 'early' then 'no answer: it came before the question had left'
        when 'no_answer' then 'no answer'
        when 'opening' then 'no answer: the bot began, or asked again'
        when 'person' then 'no answer: the recruit asks for a person'
        when 'question' then 'no answer: the recruit asks back'
        when 'about' then 'no answer: the recruit asks about the agency'
        when 'help' then 'no answer: HELP'
        when 'not_interested' then 'no answer: the recruit is not interested'
        when 'automatic_reply' then 'no answer: a machine wrote it'
        when 'answer' then null
        else 'no answer: ' || replace(e.details ->> 'heard', '_', ' ')
      end || ']', words.said)
      when 'text_out' then concat_ws(' ', '[' || concat_ws(', ',
        case e.details ->> 'state' when 'due' then 'queued' else e.details ->> 'state' end
          || coalesce(' ' || private.in_utc((e.details ->> 'state_at')::timestamptz), ''),
        case when e.details ->> 'state' in ('delivered', 'failed')
          then 'sent ' || private.in_utc((e.details ->> 'sent_at')::timestamptz) end,
        case when e.details ->> 'state' in ('held', 'unconfirmed', 'refused', 'failed') then private.why_not_sent(
          e.details ->> 'state', e.details ->> 'reason', coalesce(private.in_utc((e.details ->> 'until')::timestamptz), 'infinity'),
          case e.details ->> 'reason' when 'number_paused' then 'paused' else 'active' end, null) end
      ) || ']', words.said)
      when 'never_queued' then private.why_not_sent('never_queued', e.details ->> 'reason', null, null, null)
      when 'consent' then concat_ws(', ', 'by ' || (e.details ->> 'source'), e.details ->> 'reason')
      when 'answer' then format('%s: %s (%s)', e.details ->> 'question', e.details ->> 'value', e.details ->> 'said')
      when 'hands' then concat_ws(', ', 'from ' || (e.details ->> 'from'), 'to ' || (e.details ->> 'to'), e.details ->> 'reason')
      else e.details ->> 'reason'
    end
  from (
    select t.id, t.at, t.kind, t.details from public.texting_timeline t where t.recruiting_lead_id = texting_events.lead_id
    union
    select t.id, t.at, t.kind, t.details from public.texting_timeline t where t.recruit_phone = texting_events.phone
  ) e
  cross join lateral (
    select concat_ws(' ', nullif(e.details ->> 'body', ''), '(' || nullif((e.details ->> 'files')::integer, 0) || ' files)')
  ) words (said)
$$;

comment on function private.texting_events(uuid, text) is
  'The rows of texting_timeline of a lead, and of its phone, as private.recruiting_lead_events() has them.';

create function private.dispatch_events(lead_id uuid)
returns table (at timestamptz, step integer, event text, detail text)
language sql
stable
set search_path = ''
as $$
  select p.created_at, 8, 'to the destination ' || d.name, concat_ws(', ', p.event,
    p.state || case p.state
      when 'waiting' then ' until ' || private.in_utc(p.due_at)
      when 'delivered' then ' ' || private.in_utc(p.delivered_at)
      else ''
    end,
    'attempt ' || nullif(p.attempt, 0), coalesce(p.reason, 'HTTP ' || p.status),
    case when p.state <> 'delivered' then p.excerpt end)
  from private.dispatches p
  join public.destinations d on d.id = p.destination_id
  where p.lead_id = dispatch_events.lead_id
$$;

comment on function private.dispatch_events(uuid) is
  'What was sent about a lead to destinations, and what came back, as private.recruiting_lead_events() has it.';

create function private.sales_lead_events(lead_id uuid)
returns table (at timestamptz, step integer, event text, detail text)
language plpgsql
stable
set search_path = ''
as $$
declare
  lead public.leads;
begin
  select * into lead from public.leads l where l.id = lead_id;

  return query
  select lead.created_at, 1, 'stored', 'source ' || lead.source
  union all
  select * from private.assignment_events(lead_id)
  union all
  select e.*
  from public.rejected_deliveries d, private.delivery_events(d) e
  where d.lead_id = sales_lead_events.lead_id
    or (
      d.vendor_id is null and d.vendor_lead_id = lead.external_id::text
      and d.context ->> 'agency_id' = lead.agency_id::text
    )
  union all
  select w.occurred_at, 3, replace(w.type, '_', ' '), 'by ' || a.first_name || coalesce(' ' || a.last_name, '')
  from public.lead_activities w
  join public.agents a on a.id = w.agent_id
  where w.lead_id = sales_lead_events.lead_id
  union all
  select p.submitted_at, 4, 'presentation submitted', 'by ' || a.first_name || coalesce(' ' || a.last_name, '')
  from public.lead_presentations p
  join public.agents a on a.id = p.agent_id
  where p.lead_id = sales_lead_events.lead_id
  union all
  select s.created_at, 5, 'sale', concat_ws(', ', s.product, s.carrier, s.annual_premium || ' a year')
  from public.lead_sales s
  where s.lead_id = sales_lead_events.lead_id
  union all
  select r.created_at, 6, 'referral', concat_ws(' ', r.first_name, r.last_name, r.phone)
  from public.lead_referrals r
  where r.lead_id = sales_lead_events.lead_id;
end
$$;

comment on function private.sales_lead_events(uuid) is
  'The events of a sales lead. step: the order of events of the same time.';

create function private.assignment_events(lead_id uuid)
returns table (at timestamptz, step integer, event text, detail text)
language sql
stable
set search_path = ''
as $$
  select s.created_at, 3, 'assigned', concat_ws(', ',
    'from ' || coalesce(nullif(concat_ws(' ', f.first_name, f.last_name), ''), 'nobody'),
    'to ' || coalesce(nullif(concat_ws(' ', t.first_name, t.last_name), ''), 'the agency'),
    'by ' || s.assigned_by)
  from public.lead_assignments s
  left join public.agents t on t.id = s.to_agent_id
  left join public.agents f on f.id = s.from_agent_id
  where s.recruiting_lead_id = lead_id or s.sales_lead_id = lead_id
$$;

comment on function private.assignment_events(uuid) is
  'Each time a lead of either kind was given to another agent, as private.recruiting_lead_events() has it.';

create function private.delivery_events(delivery public.rejected_deliveries)
returns table (at timestamptz, step integer, event text, detail text)
language sql
stable
set search_path = ''
as $$
  select delivery.received_at, 0, 'refused', concat_ws(', ', delivery.reason, 'delivery ' || delivery.id)
  union all
  select delivery.resolved_at, 2, 'delivery ' || delivery.status, 'delivery ' || delivery.id
  where delivery.resolved_at is not null
$$;

comment on function private.delivery_events(public.rejected_deliveries) is
  'The events of a rejected delivery of a lead, as private.recruiting_lead_events() has it.';

-- supabase/schemas/operators/names.sql

-- The names that people call agencies, agents, vendors and orders.

create view private.named with (security_invoker = true) as
select 'agency' as noun, a.id, a.id as agency_id, array[a.name] as names from public.agencies a
union all
select 'agent', a.id, a.agency_id, array_remove(array[concat_ws(' ', a.first_name, a.last_name), a.email], null)
from public.agents a
union all
select 'vendor', v.id, null, array[v.slug, v.name] from public.vendors v
union all
select 'order', o.id, o.agency_id, '{}' from public.recruiting_orders o;

comment on view private.named is
  'The things that have names: noun is agency, agent, vendor or order; the first of the names tells it from others.';
grant select on private.named to service_role;

create function public.find_named(noun text, given text, agency_id uuid default null)
returns table (id uuid, name text)
language sql
stable
set search_path = ''
begin atomic
  select f.id, f.name
  from (
    select n.id, n.names[1] as name, bool_or(lower(c) = lower(given)) as is_whole,
      bool_or(bool_or(lower(c) = lower(given))) over () as has_whole
    from private.named n, unnest(n.names || n.id::text) c
    where n.noun = find_named.noun and (find_named.agency_id is null or n.agency_id = find_named.agency_id)
      and starts_with(lower(c), lower(given))
      and (c <> n.id::text or (select r.first_id from private.id_range(given) r) is not null)
    group by n.id, n.names
  ) f
  where f.is_whole or not f.has_whole
  order by f.id;
end;

comment on function public.find_named(text, text, uuid) is
  'The rows that have this name or id, in upper or lower case; else those that have one that begins so; of an id, the first '
  '8 characters at least. noun: agency, agent, vendor or order, of all agencies or of one.';
grant execute on function public.find_named(text, text, uuid) to service_role;

create function public.find_double(noun text, id uuid) returns text
language sql
stable
set search_path = ''
begin atomic
  select case
    when d.name like '%@%' then format('The e-mail address %s is that of the %s "%s" (%s)', d.name, o.noun, o.names[1], o.id)
    else format('There is the %s "%s" already (%s)', o.noun, o.names[1], o.id)
  end
  from private.named r
  join private.named o on o.noun = r.noun and o.id <> r.id
  cross join lateral unnest(r.names) as d (name)
  where r.noun = find_double.noun and r.id = find_double.id
    and lower(d.name) in (select lower(m) from unnest(o.names) m)
    -- Two agencies may have agents of the same name, but an address is one person's.
    and (r.noun <> 'agent' or o.agency_id = r.agency_id or d.name like '%@%')
  order by d.name like '%@%' desc, o.id
  limit 1;
end;

comment on function public.find_double(text, uuid) is
  'Says which other agency, agent or vendor has a name or an e-mail address of this one; null: none.';
grant execute on function public.find_double(text, uuid) to service_role;

create function public.find_lead(given text) returns table (id uuid, kind text, name text)
language sql
stable
set search_path = ''
begin atomic
  with found as (
    select l.id, 'recruiting' as kind, concat_ws(' ', l.first_name, l.last_name) as name, true as by_sender
    from public.vendors v
    join public.recruiting_leads l on l.vendor_id = v.id and l.vendor_lead_id = private.indexable_id(given)
    union all
    select l.id, 'sales', concat_ws(' ', l.first_name, l.last_name), true
    from public.leads l where l.external_id::text = lower(given)
    union all
    select l.id, 'recruiting', concat_ws(' ', l.first_name, l.last_name), false
    from private.id_range(given) r join public.recruiting_leads l on l.id between r.first_id and r.last_id
    union all
    select l.id, 'sales', concat_ws(' ', l.first_name, l.last_name), false
    from private.id_range(given) r join public.leads l on l.id between r.first_id and r.last_id
  )
  select f.id, f.kind, f.name from found f
  where f.by_sender or not exists (select from found o where o.by_sender)
  order by f.id;
end;

comment on function public.find_lead(text) is
  'The leads of either kind with this id of the sender''s; else with this id, or the first 8 characters of it, or more. '
  'kind: recruiting or sales.';
grant execute on function public.find_lead(text) to service_role;

-- supabase/schemas/operators/report.sql

-- The report: the number of leads, and what became of them.

create function public.report_leads(
  by text default 'day',
  since date default null,
  until date default null,
  timezone text default 'UTC',
  of_vendor uuid default null,
  of_agency uuid default null,
  day_of text default 'received'
) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  today constant date := private.today_in(timezone);
  first_day constant date := greatest(coalesce(since, least(until, today) - 6), '2000-01-01');
  -- Elsewhere it may be the day after tomorrow.
  last_day constant date := least(until, today + 2);
  none constant jsonb := '{"created": 0, "duplicates": 0, "refused": 0, "distributed": 0, "returned": 0, "unmatched": 0, '
    '"texted": 0, "answered": 0, "opted_out": 0}';
begin
  if coalesce(by, '') not in ('vendor', 'agency', 'agent', 'order', 'state', 'day') then
    raise exception 'by: must be vendor, agency, agent, order, state or day' using errcode = 'PT400';
  elsif coalesce(day_of, '') not in ('received', 'distributed') then
    raise exception 'day_of: must be received or distributed' using errcode = 'PT400';
  end if;

  return (
    with counted as (
      select c.*
      from private.count_leads_received(by, first_day, last_day, timezone, of_vendor, of_agency) c
      where day_of = 'received'
      union all
      select c.key, null, null, null, null, c.distributed, c.returned, null, null, null, null
      from private.count_leads_distributed(by, first_day, last_day, of_vendor, of_agency) c
      where day_of = 'distributed'
    ),
    sums as (
      select
        c.key, grouping(c.key) = 1 as is_total, sum(c.created) as created, sum(c.duplicates) as duplicates,
        sum(c.refused) as refused, sum(c.distributed) as distributed, sum(c.returned) as returned,
        sum(c.unmatched) as unmatched, sum(c.texted) as texted, sum(c.answered) as answered, sum(c.opted_out) as opted_out
      from counted c
      group by grouping sets ((c.key), ())
    ),
    reasons as (
      select r.key, r.is_total, jsonb_object_agg(r.reason, r.refused) as by_reason
      from (
        select c.key, grouping(c.key) = 1 as is_total, c.reason, sum(c.refused) as refused
        from counted c
        where c.reason is not null
        group by grouping sets ((c.key, c.reason), (c.reason))
      ) r
      group by r.key, r.is_total
    ),
    rows as (
      select
        s.key, s.is_total, coalesce(s.created, s.distributed) as leads,
        case by
          when 'vendor' then jsonb_build_object('vendor', coalesce(v.slug, 'import'))
          when 'agency' then jsonb_build_object('agency', g.name, 'agency_id', g.id)
          when 'agent' then jsonb_build_object(
            'agent', nullif(concat_ws(' ', a.first_name, a.last_name), ''), 'agency', g.name, 'agent_id', a.id)
          when 'order' then jsonb_build_object('order_id', o.id, 'agency', g.name)
          when 'state' then jsonb_build_object('state', s.key)
          else jsonb_build_object('day', s.key)
        end as names,
        jsonb_build_object(
          'created', s.created, 'duplicates', s.duplicates, 'refused', s.refused,
          'refused_by_reason', coalesce(r.by_reason, '{}'), 'distributed', s.distributed, 'returned', s.returned,
          'unmatched', s.unmatched, 'texted', s.texted, 'answered', s.answered, 'opted_out', s.opted_out
        ) as counts
      from sums s
      left join reasons r on r.is_total = s.is_total and r.key is not distinct from s.key
      left join public.vendors v on by = 'vendor' and v.id::text = s.key
      left join public.agents a on by = 'agent' and a.id::text = s.key
      left join public.recruiting_orders o on by = 'order' and o.id::text = s.key
      left join public.agencies g on g.id::text = coalesce(a.agency_id::text, o.agency_id::text, s.key)
    )
    select jsonb_build_object(
      'rows', coalesce(
        jsonb_agg(
          w.names || w.counts
          order by case when by = 'day' then w.key end desc, w.key is null, w.leads desc, w.key
        ) filter (where not w.is_total),
        '[]'),
      'totals', none || jsonb_strip_nulls((jsonb_agg(w.counts) filter (where w.is_total)) -> 0)
    )
    from rows w
  );
end
$$;

comment on function public.report_leads(text, date, date, text, uuid, uuid, text) is
  'Counts the leads of these days, by `vendor`, `agency`, `agent`, `order`, `state` or `day`: {rows, totals}. A row names '
  'what it is about (vendor; agency, agency_id; agent, agency, agent_id; order_id, agency; state; day, the newest first) and '
  'has created, duplicates, refused, refused_by_reason {<reason>: number}, distributed, returned, unmatched (they wait now), '
  'texted, answered and opted_out, as private.count_leads_received() says. With day_of `distributed` it has only distributed '
  'and returned, as private.count_leads_distributed() says, and the rest is null. totals has the same counts of everything, '
  'whatever the rows are by; what has no agency, agent, order or state stands in a row where these are null. The vendor '
  '`import` stands for imported sales leads; what is not known of them is null. since and until: days, both included, in the '
  'time zone of the lead''s agency, else in this one; null: seven days up to now. of_vendor, of_agency: only these. PT400 for '
  'an unknown `by`, day_of or time zone.';
grant execute on function public.report_leads(text, date, date, text, uuid, uuid, text) to service_role;

create function private.count_leads_received(
  by text,
  first_day date,
  last_day date,
  zone text,
  of_vendor uuid,
  of_agency uuid
)
returns table (
  key text, reason text, created bigint, duplicates bigint, refused bigint, distributed bigint, returned bigint,
  unmatched bigint, texted bigint, answered bigint, opted_out bigint
)
language plpgsql
stable
set search_path = ''
-- The number of rows of the days, and `by`, decide the plan.
set plan_cache_mode = force_custom_plan
set jit = off
set work_mem = '32MB'
as $$
declare
  -- An index has no days of agencies. Wherever a day is, it neither begins nor ends a whole day away from UTC's.
  earliest constant timestamptz := (first_day - 1)::timestamp at time zone 'UTC';
  latest constant timestamptz := (last_day + 2)::timestamp at time zone 'UTC';
begin
  return query
  with zones as materialized (
    select z.* from private.days_of_zones(first_day, last_day, zone) z
  ),
  events as materialized (
    select
      e.result, e.reason, e.vendor_id is null as is_import, e.distribution,
      case when e.result = 'created' then e.lead_id end as lead_id,
      o.phone is not null as is_opted_out,
      case by
        when 'vendor' then e.vendor_id::text
        when 'agency' then place.agency_id::text
        when 'agent' then place.agent_id::text
        when 'order' then place.order_id::text
        when 'state' then e.state
        else (first_day + width_bucket(e.at, z.midnights) - 1)::text
      end as key
    from private.lead_events e
    left join public.lead_returns r on r.recruiting_lead_id = e.lead_id
    cross join lateral (
      select coalesce(e.agency_id, r.agency_id), coalesce(e.agent_id, r.agent_id), coalesce(e.order_id, r.order_id)
    ) place (agency_id, agent_id, order_id)
    left join public.agencies g on g.id = place.agency_id
    join zones z on z.timezone = coalesce(g.timezone, zone)
    left join public.text_consents o on o.agency_id = place.agency_id and o.phone = e.phone and o.state = 'opted_out'
    where e.result <> 'distributed'
      and (of_vendor is null or e.vendor_id = of_vendor)
      and (of_agency is null or place.agency_id = of_agency)
      and e.at >= earliest and e.at < latest
      and e.at >= z.begins and e.at < z.ends
  ),
  texts as (
    select
      e.key,
      bool_or(
        m.direction = 'outbound' and m.provider_message_id is not null and m.status is distinct from 'failed'
      ) as is_texted,
      bool_or(m.direction = 'inbound') as is_answered
    from events e
    join public.recruiting_conversations c on c.recruiting_lead_id = e.lead_id
    join public.recruiting_messages m on m.conversation_id = c.id
    group by e.lead_id, e.key
  )
  select
    e.key, e.reason, count(*) filter (where e.result = 'created'),
    -- Of imports only created and refused are known.
    case when not e.is_import then count(*) filter (where e.result = 'duplicate') end,
    count(*) filter (where e.result = 'rejected'),
    case when not e.is_import then count(*) filter (where e.distribution = 'distributed') end,
    case when not e.is_import then count(*) filter (where e.distribution = 'returned') end,
    case when not e.is_import then count(*) filter (where e.distribution in ('unmatched', 'pending')) end,
    case when not e.is_import then 0::bigint end,
    case when not e.is_import then 0::bigint end,
    case when not e.is_import then count(*) filter (where e.is_opted_out) end
  from events e
  group by e.key, e.reason, e.is_import
  union all
  select
    t.key, null, 0, 0, 0, 0, 0, 0, count(*) filter (where t.is_texted), count(*) filter (where t.is_answered), 0
  from texts t
  group by 1;
end
$$;

comment on function private.count_leads_received(text, date, date, text, uuid, uuid) is
  'The leads of these days and their results, in the groups of report_leads(); key: its id, or the day. created, '
  'distributed, returned, unmatched, texted, answered and opted_out count leads, on the day on which the lead came, '
  'whenever the rest happened. A returned lead is not among the distributed ones. texted: the provider accepted one '
  'of our texts to the lead, and has not reported that it failed. answered: the lead has texted. opted_out: the lead''s '
  'agency may not text the lead''s phone now. duplicates and refused count deliveries, on their own day. Of imported '
  'leads only created and refused are known; the rest is null.';

create function private.count_leads_distributed(by text, first_day date, last_day date, of_vendor uuid, of_agency uuid)
returns table (key text, distributed bigint, returned bigint)
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_custom_plan
set jit = off
as $$
declare
  earliest constant timestamptz := (first_day - 1)::timestamp at time zone 'UTC';
  latest constant timestamptz := (last_day + 2)::timestamp at time zone 'UTC';
begin
  return query
  with zones as materialized (
    select z.* from private.days_of_zones(first_day, last_day, 'UTC') z
  ),
  moments as (
    select e.vendor_id, e.agency_id, e.agent_id, e.order_id, e.state, e.at as moment, true as is_distribution
    from private.lead_events e
    where e.result = 'distributed' and e.at >= earliest and e.at < latest
    union all
    select l.vendor_id, r.agency_id, r.agent_id, r.order_id, l.state, e.moment, e.is_distribution
    from public.lead_returns r
    join public.recruiting_leads l on l.id = r.recruiting_lead_id
    cross join lateral (values (r.distributed_at, true), (r.created_at, false)) e (moment, is_distribution)
    where r.created_at >= earliest and r.distributed_at < latest
  )
  select
    case by
      when 'vendor' then m.vendor_id::text
      when 'agency' then m.agency_id::text
      when 'agent' then m.agent_id::text
      when 'order' then m.order_id::text
      when 'state' then m.state
      else (first_day + width_bucket(m.moment, z.midnights) - 1)::text
    end,
    count(*) filter (where m.is_distribution),
    count(*) filter (where not m.is_distribution)
  from moments m
  join public.agencies g on g.id = m.agency_id
  join zones z on z.timezone = g.timezone
  where (of_vendor is null or m.vendor_id = of_vendor)
    and (of_agency is null or m.agency_id = of_agency)
    and m.moment >= z.begins and m.moment < z.ends
  group by 1;
end
$$;

comment on function private.count_leads_distributed(text, date, date, uuid, uuid) is
  'The leads that orders got on these days of their agency, and those that were returned on them, in the groups of '
  'report_leads(). A lead that was returned later stays counted on the day on which it was distributed, so that the sum of '
  'days that are over never changes.';

create function private.days_of_zones(first_day date, last_day date, zone text)
returns table (timezone text, begins timestamptz, ends timestamptz, midnights timestamptz[])
language sql
stable
rows 20
set search_path = ''
as $$
  -- A search in this list takes a tenth of the time of converting a moment.
  select z.timezone, min(z.midnight), max(z.midnight), array_agg(z.midnight order by z.midnight)
  from (
    select z.timezone, d.day at time zone z.timezone as midnight
    from (select g.timezone from public.agencies g union select days_of_zones.zone) z
    cross join generate_series(first_day::timestamp, last_day + 1, '1 day') d (day)
  ) z
  group by 1
$$;

comment on function private.days_of_zones(date, date, text) is
  'When each of these days begins, and the last one ends, in this time zone and in those of the agencies.';

-- supabase/schemas/operators/explain.sql

-- Why an order gets a lead, or does not, as of now.
--
-- Which order gets a lead is asked of private.best_order(), and which agent of private.next_agent(), so what is said
-- here is what distribution does. The reasons of the others are written here once more: the worlds of
-- supabase/tests/recruiting/distribution_model.test.sql compare both.

create type private.tried_order as (
  o public.recruiting_orders,
  place bigint,
  agency text,
  vendor text,
  vendor_name text,
  obstacle text
);

comment on type private.tried_order is
  'An order, its place among those that distribution tries, and why it gets no lead at all now (null: it may get one).';

create function public.explain_lead(lead_id uuid) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  lead public.recruiting_leads;
  best public.recruiting_orders;
begin
  select l.* into lead from public.recruiting_leads l where l.id = lead_id;
  if not found then
    raise exception 'lead_id: there is no such recruiting lead' using errcode = 'PT404';
  end if;
  best := private.best_order(lead.vendor_id, lead.state, now());

  return jsonb_build_object(
    'as_of', now(),
    'lead', (
      select jsonb_build_object(
        'id', lead.id, 'vendor', v.slug, 'state', lead.state, 'distribution', lead.distribution, 'order_id', lead.order_id,
        'distributed_at', lead.distributed_at
      )
      from public.vendors v
      where v.id = lead.vendor_id
    ),
    'orders', (
      select coalesce(jsonb_agg(private.order_line(t) || jsonb_build_object(
        'gets_it', coalesce((t.o).id = best.id, false),
        'reason', coalesce(
          t.obstacle,
          case when (t.o).vendor_id <> lead.vendor_id then format('wants leads of %s alone', t.vendor_name) end,
          case when (lead.state = any ((t.o).states)) is not true then 'wants leads from ' || array_to_string((t.o).states, ', ') end,
          case when (t.o).id = best.id then 'would get it, ' || private.for_agent(t.o) end,
          case when private.take_turns(t.o, best)
            then format('takes turns with order %s, which goes first now', left(best.id::text, 8)) end,
          format('order %s goes first', left(best.id::text, 8))
        )
      ) order by t.place), '[]')
      from private.orders_tried() t
    )
  );
end
$$;

comment on function public.explain_lead(uuid) is
  'The orders for a lead of the vendor and state of this one, in the order in which distribution tries them, and '
  'why each would get it now or not: {as_of, lead: {id, vendor, state|null, distribution, order_id|null, '
  'distributed_at|null}, orders: [{order_id, agency_id, agency, vendor|null, states|null, priority, filled, quantity, '
  'gets_it, reason}]}. Not closed orders. PT404 for an unknown lead.';
grant execute on function public.explain_lead(uuid) to service_role;

create function public.explain_order(order_id uuid) returns jsonb
language plpgsql
stable
security definer
set search_path = ''
-- As search_leads(): it reads the leads of seven days.
set statement_timeout = '6s'
-- The leads of the last days are found by an index of times, whatever the plan before was made for.
set plan_cache_mode = force_custom_plan
set jit = off
as $$
declare
  since constant timestamptz := now() - interval '7 days';
  mine public.recruiting_orders;
  tried private.tried_order[];
  ahead public.recruiting_orders[];
  -- The orders that take turns with it for some of the same leads.
  equals uuid[];
  gets_leads boolean;
  takes_turns boolean;
  came jsonb;
begin
  perform private.require_operator();
  select o.* into mine from public.recruiting_orders o where o.id = order_id;
  if not found then
    raise exception 'order_id: there is no such order' using errcode = 'PT404';
  end if;
  tried := array(select t from private.orders_tried() t order by t.place);
  ahead := array(
    select t.o
    from unnest(tried) t
    where t.obstacle is null
      and t.place < (select own.place from unnest(tried) own where (own.o).id = mine.id)
      and coalesce((t.o).vendor_id = mine.vendor_id, true)
      and coalesce((t.o).states && mine.states, true)
  );
  equals := array(
    select (t.o).id
    from unnest(tried) t
    where t.obstacle is null
      and (t.o).id <> mine.id
      and private.take_turns(t.o, mine)
      and coalesce((t.o).vendor_id = mine.vendor_id, true)
      and coalesce((t.o).states && mine.states, true)
  );
  gets_leads := (select own.obstacle is null from unnest(tried) own where (own.o).id = mine.id)
    and private.is_best_for_some(mine, ahead);
  takes_turns := (select own.obstacle is null from unnest(tried) own where (own.o).id = mine.id)
    and equals <> '{}'
    and (
      gets_leads
      -- Once those are as full as it is.
      or private.is_best_for_some(mine, array(select a from unnest(ahead) a where a.id <> all (equals)), equals)
    );

  -- Where the leads went that the order wants.
  select jsonb_object_agg(coalesce(l.order_id::text, 'waiting'), l.leads) into came
  from (
    select l.order_id, count(*) as leads
    from public.recruiting_leads l
    where l.created_at >= since
      and l.distribution not in ('not_requested', 'returned')
      and (mine.vendor_id is null or l.vendor_id = mine.vendor_id)
      and (mine.states is null or l.state = any (mine.states))
    group by l.order_id
  ) l;

  return jsonb_build_object(
    'as_of', now(),
    'order', (
      select jsonb_build_object(
        'order_id', mine.id, 'vendor', (select v.slug from public.vendors v where v.id = mine.vendor_id), 'states', mine.states,
        'status', mine.status, 'gets_leads', coalesce(gets_leads, false), 'takes_turns', coalesce(takes_turns, false))
    ),
    'since', since,
    'leads', (select coalesce(sum(c.value::bigint), 0) from jsonb_each_text(came) c),
    'waiting', coalesce((came ->> 'waiting')::bigint, 0),
    'orders', (
      select coalesce(jsonb_agg(private.order_line(t) || jsonb_build_object(
        'got', coalesce((came ->> (t.o).id::text)::bigint, 0),
        'gets_it', case when (t.o).id = mine.id then gets_leads else (t.o).id in (select (unnest(ahead)).id) end,
        'reason', coalesce(
          t.obstacle,
          case when (t.o).vendor_id <> mine.vendor_id then format('wants leads of %s alone', t.vendor_name) end,
          case when not (t.o).states && mine.states then 'wants leads from ' || array_to_string((t.o).states, ', ') end,
          case
            when (t.o).id = mine.id and takes_turns
              then private.turn_words(gets_leads) || case when gets_leads then ', ' || private.for_agent(t.o) else '' end
            when (t.o).id = any (equals) and takes_turns then 'takes turns with it, and '
              || case when (t.o).id in (select (unnest(ahead)).id) then 'goes first now' else 'comes after it now' end
            when (t.o).id = mine.id and gets_leads then 'gets what no other order takes first, ' || private.for_agent(t.o)
            when (t.o).id = mine.id then 'others go first for every lead it wants'
            when (t.o).id in (select (unnest(ahead)).id) then 'goes first'
            else 'comes after it'
          end
        )
      ) order by t.place), '[]')
      from unnest(tried) t
    )
  );
end
$$;

comment on function public.explain_order(uuid) is
  'Why an order gets leads now, or none: all orders but closed ones, in the order in which distribution tries them, and '
  'what each does to the leads that this one wants: {as_of, order: {order_id, vendor|null, states|null, status, '
  'gets_leads, takes_turns}, since, leads, waiting, orders: [{order_id, agency_id, agency, vendor|null, states|null, '
  'priority, filled, quantity, got, gets_it, reason}]}. leads: how many that it wants came since then (seven days), '
  'without those in bulk and tests; got: how many of them each order got; waiting: how many went to no order; '
  'gets_leads: whether it goes first for some lead now; takes_turns: whether it takes turns with other '
  'orders. For operators. PT404 for an unknown order; 42501 for a user who is not an operator. '
  'Security definer because operators may not read or write the tables.';
grant execute on function public.explain_order(uuid) to authenticated, service_role;

create function private.orders_tried() returns setof private.tried_order
language sql
stable
set search_path = ''
as $$
  select
    r.o,
    r.place,
    a.name,
    v.slug,
    v.name,
    case
      when (r.o).status <> 'open' then (r.o).status
      when (r.o).filled = (r.o).quantity then 'filled'
      when (r.o).starts_at > now() then 'begins ' || private.in_utc((r.o).starts_at)
      when (r.o).ends_at <= now() then 'ended ' || private.in_utc((r.o).ends_at)
      when private.room_under_cap((r.o).id, (r.o).daily_cap, now()) <= 0
        then format('has got its %s leads of today', (r.o).daily_cap)
    end
  from private.ranked_orders() r
  join public.agencies a on a.id = (r.o).agency_id
  left join public.vendors v on v.id = (r.o).vendor_id
$$;

comment on function private.orders_tried() is 'All orders but closed ones, as distribution sees them now.';

create function private.is_best_for_some(
  mine public.recruiting_orders,
  ahead public.recruiting_orders[],
  passed_over uuid[] default '{}'
) returns boolean
language plpgsql
stable
set search_path = ''
as $$
declare
  kind record;
begin
  for kind in
    -- A lead of another vendor or state would get the same as one of these: those that orders ahead name, and one
    -- that none of them names.
    select v.id as vendor_id, s.state
    from (
      select mine.vendor_id as id where mine.vendor_id is not null
      union all
      (
        select v.id
        from public.vendors v
        where mine.vendor_id is null and v.id not in (select a.vendor_id from unnest(ahead) a where a.vendor_id is not null)
        limit 1
      )
      union all
      select distinct a.vendor_id from unnest(ahead) a where mine.vendor_id is null and a.vendor_id is not null
    ) v
    cross join (
      select unnest(mine.states) as state
      union all
      select null where mine.states is null
    ) s
    -- An order ahead that takes everything leaves nothing to look for.
    where not exists (
      select
      from unnest(ahead) a
      where (a.vendor_id is null or a.vendor_id = mine.vendor_id) and (a.states is null or a.states @> mine.states)
    )
  loop
    if (private.best_order(kind.vendor_id, kind.state, now(), passed_over)).id = mine.id then
      return true;
    end if;
  end loop;
  -- Without orders ahead the loop has a vendor at least, unless there is none.
  return false;
end
$$;

comment on function private.is_best_for_some(public.recruiting_orders, public.recruiting_orders[], uuid[]) is
  'Whether there is a vendor and a state whose next lead the order gets now, as if there were none of the orders in '
  'passed_over. ahead: the other orders that get leads it wants before it.';

create function private.order_line(tried private.tried_order) returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'order_id', (tried.o).id, 'agency_id', (tried.o).agency_id, 'agency', tried.agency, 'vendor', tried.vendor,
    'states', (tried.o).states, 'priority', (tried.o).priority, 'filled', (tried.o).filled, 'quantity', (tried.o).quantity)
$$;

comment on function private.order_line(private.tried_order) is 'The words that tell an order from others, for explain_lead() and explain_order().';

create function private.for_agent(o public.recruiting_orders) returns text
language sql
stable
set search_path = ''
as $$
  select case when a.id is null then 'for no agent: none of the agency is active, not away and accepts recruits'
    else 'for ' || concat_ws(' ', a.first_name, a.last_name)
      || case when a.id <> o.agent_id then (
        select ', because its own agent is ' || case when own.is_active then 'away' else 'inactive' end
        from public.agents own
        where own.id = o.agent_id
      ) else '' end
    end
  from (select private.next_agent(o.agency_id, o.agent_id) as id) n
  left join public.agents a on a.id = n.id
$$;

comment on function private.for_agent(public.recruiting_orders) is 'The agent who gets the next lead of an order, in words.';

-- supabase/schemas/operators/actions.sql

-- The functions that operators call in a browser, besides distribute_leads().

create function private.record_action(action text, subject jsonb) returns uuid
language plpgsql
set search_path = ''
as $$
declare
  problem constant text := private.action_problem(action, subject);
  signed_in constant boolean := private.is_operator();
  action_id uuid;
begin
  if problem is not null then
    raise exception '%', private.quoted(problem, 200) using errcode = 'PT400';
  end if;
  insert into public.operator_actions (user_id, done_by, action, subject)
  values (
    case when signed_in then private.current_user_id() end, case when not signed_in then private.operator_name() end,
    record_action.action, record_action.subject)
  returning id into action_id;
  return action_id;
end
$$;

comment on function private.record_action(text, jsonb) is
  'Stores a row of operator_actions about the operator who is signed in, or about the one whom the command has set as '
  'admin.operator, in the transaction of the action, and returns its id. PT400 names the member of a wrong subject.';

create function private.note_operator_action(action text, subject jsonb) returns uuid
language sql
set search_path = ''
return case when private.is_operator() then private.record_action(action, subject) end;

comment on function private.note_operator_action(text, jsonb) is
  'record_action() of an operator who is signed in. Null where the command or the service acts: the command stores its own rows.';

create function public.begin_operator_action(action text, subject jsonb) returns uuid
language plpgsql
security definer
set search_path = ''
as $$
begin
  if not private.is_operator() then
    raise exception 'only an operator may do this' using errcode = '42501';
  elsif action in (
    'delivery show', 'delivery replay', 'lead find', 'lead show', 'mapping try', 'mapping save'
  ) is not true then
    raise exception 'action: the function that does it says so itself' using errcode = 'PT400';
  end if;
  return private.record_action(action, subject);
end
$$;

comment on function public.begin_operator_action(text, jsonb) is
  'Stores a row of operator_actions about the operator who is signed in, and returns its id. Called before the operator reads '
  'or searches, and before a route replays or saves: what another transaction does. PT400 for any other action, of which its '
  'own function stores the row, and for a subject that is not of the action, naming its member. 42501 for a user who is '
  'not an operator. '
  'Security definer because users may not read who is an operator, nor write operator_actions in another way.';
grant execute on function public.begin_operator_action(text, jsonb) to authenticated;

create function private.noted_subject(action_id uuid, action text, within interval default '1 minute') returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  noted jsonb;
begin
  if not private.is_operator() then
    raise exception 'only an operator may do this' using errcode = '42501';
  end if;
  -- The row was stored by an earlier transaction: the present one began before what it stores itself.
  select a.subject into noted
  from public.operator_actions a
  where a.id = action_id and a.user_id = private.current_user_id() and a.action = noted_subject.action
    and a.created_at between now() - within and now();
  if not found then
    raise exception 'action_id: there is no such action, or it is too old' using errcode = 'PT404';
  end if;
  return noted;
end
$$;

comment on function private.noted_subject(uuid, text, interval) is
  'The subject of what the operator who is signed in has begun within this time by begin_operator_action(). PT404 without '
  'such an action; 42501 for a user who is not an operator.';

create function public.read_payload(action_id uuid) returns text
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  read_id constant uuid := (private.noted_subject(action_id, 'delivery show') ->> 'delivery_id')::uuid;
begin
  return (
    select coalesce(jsonb_pretty(d.payload), d.payload_text)
    from public.rejected_deliveries d
    where d.id = read_id
  );
end
$$;

comment on function public.read_payload(uuid) is
  'The payload of the rejected delivery that an operator is about to read, as text: numbers stay exact. Null where nothing '
  'of it is kept. action_id: what begin_operator_action(''delivery show'', {delivery_id}) has returned to the same '
  'user in the last minute. Stored by the same call, the row could be taken back: a caller may have PostgREST convert the '
  'result, and the error shows it. PT404 without such an action; 42501 for a user who is not an operator. '
  'Security definer because operators may not read or write the tables.';
grant execute on function public.read_payload(uuid) to authenticated;

create function public.preview_replay(delivery_id uuid, lead jsonb) returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '20s'
set lock_timeout = '5s'
as $$
declare
  result jsonb;
begin
  result := public.replay_delivery(delivery_id, lead);
  raise exception 'taken back' using errcode = 'PVIEW';
exception
  when sqlstate 'PVIEW' then
    return result;
end
$$;

comment on function public.preview_replay(uuid, jsonb) is
  'The result that replay_delivery() would return, or its error. The replay is carried out and taken back, so nothing changes.';
grant execute on function public.preview_replay(uuid, jsonb) to service_role;

create function public.count_vendor_days(days integer default 14, timezone text default 'UTC')
returns table (vendor text, dates date[], leads integer[], refused integer[])
language plpgsql
stable
security definer
set search_path = ''
-- The number of rows of the days decides the plan.
set plan_cache_mode = force_custom_plan
as $$
declare
  last_day constant date := private.today_in(timezone);
  first_day constant date := last_day - (days - 1);
  begins constant timestamptz := first_day::timestamp at time zone timezone;
begin
  perform private.require_operator();
  if days is null or days not between 1 and 90 then
    raise exception 'days: must be from 1 to 90' using errcode = 'PT400';
  end if;

  return query
  with received as (
    select e.vendor_id, (e.at at time zone timezone)::date as day, count(*) filter (where e.result = 'created') as leads,
      count(*) filter (where e.result = 'rejected') as refused
    from private.lead_events e
    where e.result in ('created', 'rejected') and e.at >= begins
    group by 1, 2
  )
  select coalesce(v.slug, 'import'), array_agg(c.day order by c.day), array_agg(c.leads order by c.day),
    array_agg(c.refused order by c.day)
  from (
    select s.vendor_id, g.day::date as day, coalesce(sum(r.leads), 0)::integer as leads,
      coalesce(sum(r.refused), 0)::integer as refused
    from (select distinct r.vendor_id from received r) s
    cross join generate_series(first_day::timestamp, last_day::timestamp, '1 day') g (day)
    left join received r on r.vendor_id is not distinct from s.vendor_id and r.day = g.day::date
    group by s.vendor_id, g.day
  ) c
  left join public.vendors v on v.id = c.vendor_id
  group by c.vendor_id, v.slug
  order by sum(c.leads) desc, v.slug;
end
$$;

comment on function public.count_vendor_days(integer, text) is
  'The number of leads of each vendor on each of the last days, up to today, and of its deliveries that were refused; '
  'the vendor with the most leads first. leads and refused are in the order of dates. The vendor `import` stands for '
  'imported sales leads; a vendor of which nothing came is left out. Days are those of the time zone. PT400 unless days is '
  'from 1 to 90, and for an unknown time zone. 42501 for a user who is not an operator. '
  'Security definer because operators may not read or write the tables.';
grant execute on function public.count_vendor_days(integer, text) to authenticated, service_role;

-- supabase/schemas/operators/look_up.sql

-- What operators look up in a browser: a lead, and why it went where it is. Each reading is noted before it is done.

create function public.search_leads(action_id uuid, search text) returns jsonb
language plpgsql
stable
security definer
set search_path = ''
-- A search reads every lead. An operator who waits longer has searched again by then.
set statement_timeout = '6s'
as $$
declare
  most_each constant integer := 20;
begin
  perform private.noted_subject(action_id, 'lead find');
  return (
    select jsonb_build_object(
      'found', coalesce(jsonb_agg(to_jsonb(f) - 'place' order by f.by_sender_id desc, f.received desc) filter (where f.place <= most_each), '[]'),
      'cut', coalesce(jsonb_agg(distinct f.kind) filter (where f.place > most_each), '[]')
    )
    from (
      select l.*, row_number() over (partition by l.kind order by l.by_sender_id desc, l.received desc) as place
      from public.find_leads(search, most_each + 1) l
    ) f
  );
end
$$;

comment on function public.search_leads(uuid, text) is
  'The result of find_leads() for what an operator looks for: {found, cut}. found: up to 20 of each kind, those with this very id of their sender''s first, then the newest. '
  'cut: the kinds of which there are more. action_id: what begin_operator_action(''lead find'', {by: phone|email|words}) has '
  'returned to the same user in the last minute. The words themselves are not noted: they may be a person''s, who may be '
  'erased. 57014 after six seconds; other errors as private.noted_subject() and find_leads(). '
  'Security definer because operators may not read or write the tables.';
grant execute on function public.search_leads(uuid, text) to authenticated;

create function public.read_lead(action_id uuid) returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  lead_id constant uuid := private.noted_subject(action_id, 'lead show') ->> 'lead_id';
  shown constant jsonb := public.show_lead(lead_id);
begin
  return shown || jsonb_build_object('explained', case shown ->> 'kind' when 'recruiting' then public.explain_lead(lead_id) end);
end
$$;

comment on function public.read_lead(uuid) is
  'A lead as show_lead() returns it, with explained: the result of explain_lead(), or null for a sales lead. action_id: what '
  'begin_operator_action(''lead show'', {lead_id}) has returned to the same user in the last minute. Errors as '
  'private.noted_subject(), show_lead(). '
  'Security definer because operators may not read or write the tables.';
grant execute on function public.read_lead(uuid) to authenticated;

-- supabase/schemas/operators/mapping.sql

-- A vendor's mapping, which an operator edits in a browser beside the lead that it makes of a payload.

create view private.mapping_list as
select v.id as vendor_id, v.slug as vendor, v.name, v.is_active, jsonb_pretty(v.parser_config) as parser_config,
  md5(v.parser_config::text) as version
from public.vendors v
where v.parser = 'mapping' and (select private.may_operate());

grant select on private.mapping_list to authenticated, service_role;

create view public.mapping_list with (security_invoker = true) as select * from private.mapping_list;

comment on view public.mapping_list is
  'Vendors whose parser is mapping, with their parser_config as a text of JSON. version: what save_mapping() takes as `seen`.';
grant select on public.mapping_list to authenticated, service_role;

create function public.mapping_samples(vendor_id uuid, delivery_id uuid default null)
returns table(kind text, id uuid, received_at timestamptz, vendor_lead_id text, status text, reason text)
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_operator();
  return query
  select s.kind, s.id, s.received_at, s.vendor_lead_id, s.status, s.reason
  from (
    (
      select 'delivery' as kind, d.id, d.received_at, d.vendor_lead_id, d.status, d.reason
      from public.rejected_deliveries d
      where d.vendor_id = mapping_samples.vendor_id and d.payload is not null
      order by d.received_at desc
      limit 20
    )
    union
    select 'delivery', d.id, d.received_at, d.vendor_lead_id, d.status, d.reason
    from public.rejected_deliveries d
    where d.id = mapping_samples.delivery_id and d.vendor_id = mapping_samples.vendor_id and d.payload is not null
    union all
    select 'lead', l.id, l.created_at, l.vendor_lead_id, null, null
    from (
      select n.id
      from public.recruiting_leads n
      where n.vendor_id = mapping_samples.vendor_id and n.created_at > now() - interval '30 days'
      order by n.created_at desc
      limit 10
    ) newest
    join public.recruiting_leads l on l.id = newest.id
    where l.vendor_metadata ? 'vendor_fields'
  ) s
  order by s.kind, s.received_at desc;
end
$$;

comment on function public.mapping_samples(uuid, uuid) is
  'What a vendor''s mapping can be tried on: its newest 20 rejected deliveries whose payload is kept whole, delivery_id among '
  'them if it is one, and of its newest 10 leads those that still have vendor_fields. Newest first, deliveries before leads. '
  'status and reason are those of a delivery, and null for a lead. 42501 for a user who is not an operator. '
  'Security definer because operators may not read or write the tables.';
grant execute on function public.mapping_samples(uuid, uuid) to authenticated, service_role;

create function public.read_sample(action_id uuid) returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  -- Somebody who edits a mapping reads one payload after each change, for as long as a day of work.
  subject constant jsonb := private.noted_subject(action_id, 'mapping try', '12 hours');
  sample jsonb;
begin
  if subject ? 'delivery_id' then
    select jsonb_build_object(
      'kind', 'delivery', 'vendor_id', d.vendor_id, 'route', d.route, 'row', d.row, 'payload', jsonb_pretty(d.payload))
    into sample
    from public.rejected_deliveries d
    where d.id = (subject ->> 'delivery_id')::uuid and d.vendor_id is not null and d.payload is not null;
  elsif subject ? 'lead_id' then
    select jsonb_build_object(
      'kind', 'lead', 'vendor_id', l.vendor_id, 'first_name', l.first_name, 'vendor_lead_id', l.vendor_lead_id,
      'metadata', l.vendor_metadata::text, 'payload', jsonb_pretty(l.vendor_metadata -> 'vendor_fields'))
    into sample
    from public.recruiting_leads l
    where l.id = (subject ->> 'lead_id')::uuid and l.vendor_metadata ? 'vendor_fields';
  end if;
  if sample is null then
    raise exception 'action_id: its payload is not kept' using errcode = 'PT404';
  end if;
  return sample;
end
$$;

comment on function public.read_sample(uuid) is
  'A payload on which a mapping is tried, as texts of JSON: {kind: delivery, vendor_id, route, row|null, payload}, or {kind: '
  'lead, vendor_id, first_name, vendor_lead_id|null, metadata, payload: its vendor_fields}. action_id: what '
  'begin_operator_action(''mapping try'', {delivery_id} or {lead_id}) has returned to the same user in the last 12 hours. PT404 also where the '
  'payload is not kept any more. Other errors as private.noted_subject(). '
  'Security definer because operators may not read or write the tables.';
grant execute on function public.read_sample(uuid) to authenticated;

create function public.save_mapping(vendor_id uuid, parser_config jsonb, seen text) returns text
language plpgsql
set search_path = ''
set lock_timeout = '5s'
as $$
declare
  saved public.vendors;
begin
  select v.* into saved from public.vendors v where v.id = save_mapping.vendor_id for no key update;
  if not found then
    raise exception 'vendor_id: there is no such vendor' using errcode = 'PT404';
  elsif saved.parser is distinct from 'mapping' then
    raise exception 'vendor_id: its parser is %, which has no mapping',
      private.quoted(coalesce(saved.parser, 'none')) using errcode = 'PT409';
  elsif jsonb_typeof(save_mapping.parser_config) is distinct from 'object' then
    raise exception 'parser_config: must be an object' using errcode = 'PT400';
  elsif saved.parser_config = save_mapping.parser_config then
    -- Saved already: the response to the first call was lost, or somebody else has had the same idea.
    return md5(saved.parser_config::text);
  elsif seen is distinct from md5(saved.parser_config::text) then
    raise exception 'parser_config: somebody has changed it meanwhile' using errcode = 'PT409';
  end if;
  update public.vendors v set parser_config = save_mapping.parser_config where v.id = saved.id;
  return md5(save_mapping.parser_config::text);
end
$$;

comment on function public.save_mapping(uuid, jsonb, text) is
  'Saves the mapping of a vendor, and returns its new version. The edge function calls it once it has read the expressions, '
  'which the database cannot read, and once begin_operator_action(''mapping save'') has noted who saves. seen: the version that '
  'was edited, of mapping_list. PT404 for an unknown vendor; PT400 for what is no object; PT409 for a vendor of another '
  'parser, and where somebody has saved another mapping meanwhile.';
grant execute on function public.save_mapping(uuid, jsonb, text) to service_role;

-- supabase/schemas/operators/destination_lists.sql

-- The lists of destinations, and of what was sent, that managers of the agency and operators read (desk_lists.sql says how).

grant execute on function private.managed_agency_id() to service_role;

create view private.destination_list as
select d.id, d.agency_id, coalesce(g.name, 'operators') as agency, d.name, d.kind, d.url, d.address, d.is_on, d.off_reason, d.events,
  d.order_id, d.template, d.accepted_when, d.rejected_when, d.returns_rejected, d.max_at_once,
  array(
    select s.name from private.destination_secrets s where s.destination_id = d.id and s.kind = 'header' order by s.name
  ) as headers,
  (select count(*)::int from private.dispatches p where p.destination_id = d.id and p.state in ('waiting', 'sending')) as waiting,
  (
    select count(*)::int
    from private.dispatches p
    where p.destination_id = d.id and p.state = 'failed' and p.ended_at > now() - interval '24 hours'
  ) as failed_24h,
  (select max(p.delivered_at) from private.dispatches p where p.destination_id = d.id and p.state = 'delivered') as last_delivered_at,
  d.failing_since, d.failures,
  case when d.failing_since is not null then (
    select concat_ws(' ', 'HTTP ' || p.status, p.reason)
    from private.dispatches p
    where p.destination_id = d.id and p.attempt > 0 and p.state in ('waiting', 'failed')
    order by p.seq desc
    limit 1
  ) end as last_failure,
  d.created_at
from public.destinations d
left join public.agencies g on g.id = d.agency_id
where d.agent_id is null and ((select private.may_operate()) or d.agency_id = (select private.managed_agency_id()));

comment on view private.destination_list is 'Destinations, for operators and the managers of their agency.';
grant select on private.destination_list to authenticated, service_role;

create view public.destination_list with (security_invoker = true) as select * from private.destination_list;

comment on view public.destination_list is
  'Destinations, with the names of their headers and how their dispatches fare: waiting, failed_24h (in the last 24 hours), '
  'last_delivered_at, failing_since and failures (since the last success), last_failure (the last response while it fails). Operators '
  'see all, also `operators`, to which alerts go; managers those of their agency.';
grant select on public.destination_list to authenticated, service_role;

create view private.dispatch_list as
select p.id, p.destination_id, d.name as destination, d.agency_id, p.event, p.lead_id, l.first_name, p.state, p.attempt, p.due_at,
  p.status, p.excerpt, p.reason, p.delivered_at, p.created_at, p.seq
from private.dispatches p
join public.destinations d on d.id = p.destination_id
left join public.recruiting_leads l on l.id = p.lead_id
where d.agent_id is null and ((select private.may_operate()) or d.agency_id = (select private.managed_agency_id()));

comment on view private.dispatch_list is 'Dispatches without their bodies, for operators and the managers of their agency.';
grant select on private.dispatch_list to authenticated, service_role;

create view public.dispatch_list with (security_invoker = true) as select * from private.dispatch_list;

comment on view public.dispatch_list is
  'Dispatches without their bodies, which show_dispatch() has. first_name: of the lead; status, excerpt, reason: of the last response. '
  'Ask for pages by seq.';
grant select on public.dispatch_list to authenticated, service_role;

-- supabase/schemas/operators/destinations.sql

-- What managers, for their own agency, and operators do with destinations.

create function private.may_manage(agency_id uuid) returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  -- One of alerts has no agency.
  select private.may_operate() and agency_id is not null or coalesce(agency_id = private.managed_agency_id(), false)
$$;

comment on function private.may_manage(uuid) is
  'Whether the caller may change what is of this agency: an operator, or a manager of it. '
  'Security definer because users may not read who is an operator. It says it of the caller.';

create function private.lock_destination(destination_id uuid) returns public.destinations
language plpgsql
set search_path = ''
as $$
declare
  destination public.destinations;
begin
  select d.* into destination
  from public.destinations d
  where d.id = destination_id and d.agent_id is null and private.may_manage(d.agency_id)
  for no key update;
  if not found then
    if private.managed_agency_id() is null and not private.may_operate() then
      raise exception 'only a manager or an operator may do this' using errcode = '42501';
    end if;
    raise exception 'destination_id: there is no such destination' using errcode = 'PT404';
  end if;
  return destination;
end
$$;

comment on function private.lock_destination(uuid) is
  'The destination, locked, if the caller may change it: else 42501 for a user who is neither manager nor operator, and PT404. '
  'For functions that run with their owner''s rights.';

create function public.set_destination_state(destination_id uuid, is_on boolean) returns void
language plpgsql
security definer
set search_path = ''
set lock_timeout = '2s'
as $$
declare
  destination constant public.destinations := private.lock_destination(destination_id);
begin
  if is_on is null then
    raise exception 'is_on: is missing' using errcode = 'PT400';
  end if;
  update public.destinations d
  set is_on = set_destination_state.is_on, off_reason = null, failing_since = null, failures = 0
  where d.id = destination.id;
  if is_on then
    -- What waits for its next attempt need wait no longer.
    update private.dispatches p
    set due_at = clock_timestamp()
    where p.id = any (array(
      select w.id
      from private.dispatches w
      where w.destination_id = destination.id and w.state = 'waiting' and w.due_at > now()
      for no key update skip locked
    ));
  end if;
  perform private.note_operator_action(
    case when is_on then 'destination resume' else 'destination pause' end, jsonb_build_object('destination_id', destination.id));
end
$$;

comment on function public.set_destination_state(uuid, boolean) is
  'Pauses a destination, whose dispatches then wait, or resumes it: all that waits is due. PT404 for an unknown destination; 42501 for '
  'a user who is neither manager nor operator. '
  'Security definer because users may not read or write the tables.';

create function public.rotate_destination_secret(destination_id uuid) returns text
language plpgsql
security definer
set search_path = ''
set lock_timeout = '2s'
as $$
declare
  destination constant public.destinations := private.lock_destination(destination_id);
begin
  if destination.kind <> 'webhook' then
    raise exception 'destination_id: only a webhook has a secret' using errcode = 'PT409';
  end if;
  perform private.note_operator_action('destination rotate', jsonb_build_object('destination_id', destination.id));
  return private.add_signing_secret(destination.id);
end
$$;

comment on function public.rotate_destination_secret(uuid) is
  'Makes a new signing secret and returns it, once. Requests are signed with the old one too for a day. PT409 for an e-mail '
  'destination; PT404 and 42501 as set_destination_state(). '
  'Security definer because users may not read or write the tables.';

create function public.remove_destination(destination_id uuid) returns void
language plpgsql
security definer
set search_path = ''
set lock_timeout = '2s'
as $$
declare
  destination constant public.destinations := private.lock_destination(destination_id);
begin
  perform private.note_operator_action('destination remove', jsonb_build_object('destination_id', destination.id));
  delete from public.destinations d where d.id = destination.id;
end
$$;

comment on function public.remove_destination(uuid) is
  'Removes a destination with what waits for it and the record of what was sent. PT404 and 42501 as set_destination_state(). '
  'Security definer because users may not read or write the tables.';

create function public.test_destination(destination_id uuid) returns uuid
language plpgsql
security definer
set search_path = ''
set lock_timeout = '2s'
as $$
declare
  destination constant public.destinations := private.lock_destination(destination_id);
  test_id uuid;
begin
  insert into private.dispatches (destination_id, event, body)
  values (destination.id, 'test', jsonb_build_object(
    'type', 'test', 'timestamp', private.iso_time(clock_timestamp()),
    'data', jsonb_build_object(
      'lead', jsonb_build_object(
        'id', '00000000-0000-4000-8000-000000000000', 'vendor', jsonb_build_object('slug', 'test', 'name', 'Test'),
        'first_name', 'Test', 'last_name', 'Lead', 'email', 'test@example.com', 'phone', '+12025550100', 'city', 'Austin',
        'state', 'TX', 'zip', '78701', 'received_at', private.iso_time(clock_timestamp()), 'answers', '[]'::jsonb,
        'metadata', '{"is_test": true}'::jsonb, 'has_resume', false, 'link', null),
      'order_id', destination.order_id, 'agent', null)))
  returning id into test_id;
  perform private.note_operator_action('destination test', jsonb_build_object('destination_id', destination.id));
  return test_id;
end
$$;

comment on function public.test_destination(uuid) is
  'Queues a dispatch `test` with an invented lead, and returns its id. PT404 and 42501 as set_destination_state(). '
  'Security definer because users may not read or write the tables.';

create function public.retry_dispatches(dispatch_ids uuid[]) returns integer
language plpgsql
security definer
set search_path = ''
set lock_timeout = '2s'
as $$
declare
  allowed uuid[];
  retried integer;
begin
  if private.managed_agency_id() is null and not private.may_operate() then
    raise exception 'only a manager or an operator may do this' using errcode = '42501';
  end if;
  allowed := array(
    select p.id
    from private.dispatches p
    join public.destinations d on d.id = p.destination_id
    where p.id = any (dispatch_ids) and d.agent_id is null and (private.may_manage(d.agency_id) or d.agency_id is null and private.may_operate()));
  if not dispatch_ids <@ allowed then
    raise exception 'dispatch_ids: there is no such dispatch' using errcode = 'PT404';
  end if;
  perform from private.dispatches p where p.id = any (allowed) order by p.seq for no key update;
  update private.dispatches p
  set state = 'waiting', due_at = clock_timestamp(), first_due_at = clock_timestamp(), attempts_before = p.attempt, ended_at = null,
    return_due_at = null
  where p.id = any (allowed) and p.state in ('failed', 'rejected') and p.body is not null;
  get diagnostics retried = row_count;
  perform private.note_operator_action('dispatch retry', jsonb_build_object('dispatch_ids', to_jsonb(allowed)));
  return retried;
end
$$;

comment on function public.retry_dispatches(uuid[]) is
  'Sends again, at once and with the same ids, those of these dispatches that have failed or were rejected. Returns how many. PT404 where the caller may '
  'not see one of them; 42501 for a user who is neither manager nor operator. '
  'Security definer because users may not read or write the tables.';

create function public.show_dispatch(dispatch_id uuid) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  shown jsonb;
begin
  if private.managed_agency_id() is null and not private.may_operate() then
    raise exception 'only a manager or an operator may do this' using errcode = '42501';
  end if;
  select to_jsonb(l) || jsonb_build_object('body', p.body) into shown
  from private.dispatch_list l
  join private.dispatches p on p.id = l.id
  where l.id = show_dispatch.dispatch_id;
  if not found then
    raise exception 'dispatch_id: there is no such dispatch' using errcode = 'PT404';
  end if;
  perform private.note_operator_action('dispatch show', jsonb_build_object('dispatch_id', dispatch_id));
  return shown;
end
$$;

comment on function public.show_dispatch(uuid) is
  'A row of dispatch_list with its body: {type, timestamp, data}, null once the person was erased. Of an operator who is signed in, '
  'a row of operator_actions says so. PT404 where the caller may not see it; 42501 for a user who is neither manager nor operator. '
  'Security definer because users may not read the tables.';

grant execute on function public.set_destination_state(uuid, boolean),
  public.rotate_destination_secret(uuid), public.remove_destination(uuid), public.test_destination(uuid),
  public.retry_dispatches(uuid[]), public.show_dispatch(uuid) to authenticated, service_role;

-- supabase/schemas/operators/sample_event.sql

-- The event on which a destination's template is tried before it is saved.

create function public.sample_event(agency_id uuid, order_id uuid default null) returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'type', 'lead.distributed', 'timestamp', private.iso_time(l.distributed_at), 'data', private.lead_event(l))
  from public.recruiting_leads l
  where l.agency_id = sample_event.agency_id and l.distribution = 'distributed'
    and (sample_event.order_id is null or l.order_id = sample_event.order_id)
  order by l.distributed_at desc
  limit 1
$$;

comment on function public.sample_event(uuid, uuid) is
  'The event `lead.distributed` of the newest lead that the agency has, of this order unless it is null; null if it has none.';
grant execute on function public.sample_event(uuid, uuid) to service_role;

-- supabase/schemas/operators/save_destination.sql

-- The settings of a destination, and what they may be.

create function private.is_destination_url(url text) returns boolean
language sql
immutable
set search_path = ''
as $$
  select url ~ '^[\x21-\x7e]+$' and length(url) <= 2048 and (
    -- A name, not an address in any notation: its last label begins with a letter. What it resolves to is seen when it is sent to.
    url ~* '^https://([a-z0-9]([a-z0-9_-]*[a-z0-9])?\.)+[a-z]([a-z0-9-]*[a-z0-9])?(:[0-9]{1,5})?([/?][^#]*)?$'
    and url !~* '^https://[^/?:]*\.(localhost|local|internal)([/?:]|$)'
    -- The worker sends there on the local stack alone.
    or url ~* '^http://(localhost|127\.0\.0\.1)(:[0-9]{1,5})?([/?][^#]*)?$')
$$;

comment on function private.is_destination_url(text) is
  'Whether a destination can have the URL: https and the name of a host, without user information; or http to this computer.';

create function private.destination_problem(changes jsonb, kind text) returns text
language plpgsql
stable
set search_path = ''
as $$
declare
  known constant text[] := '{kind,url,address,events,order_id,template,accepted_when,rejected_when,returns_rejected,max_at_once,headers}';
  known_events constant text[] := '{lead.distributed,lead.returned,lead.reassigned,recruit.replied,recruit.screened,recruit.opted_out,'
    'recruit.stage_changed,recruit.erased}';
  setting record;
begin
  if jsonb_typeof(changes) is distinct from 'object' then
    return 'changes: must be an object';
  end if;
  for setting in select c.name, c.value, jsonb_typeof(c.value) as type, c.value #>> '{}' as given from jsonb_each(changes) c (name, value) loop
    if setting.name <> all (known) then
      return format('%s: there is no such setting', private.quoted(setting.name));
    elsif setting.name in ('url', 'template', 'accepted_when', 'rejected_when') and kind <> 'webhook' and setting.type <> 'null' then
      return format('%s: only a webhook has one', setting.name);
    elsif (case setting.name
      when 'kind' then setting.given is distinct from kind
      when 'url' then not coalesce(setting.type = 'string' and private.is_destination_url(setting.given), false)
      when 'address' then kind <> 'email' or setting.given !~ '^[^\s@]+@[^\s@]+\.[^\s@]+$' or length(setting.given) > 320
        or setting.type <> 'string'
      when 'events' then setting.type <> 'array' or setting.value = '[]' or exists (
        select from jsonb_array_elements(setting.value) e where e #>> '{}' <> all (known_events) or jsonb_typeof(e) <> 'string')
      when 'order_id' then setting.type <> 'null' and setting.given !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
      when 'returns_rejected' then setting.type <> 'boolean'
      when 'max_at_once' then setting.type <> 'number' or setting.given !~ '^([1-9]|1[0-6])$'
      when 'headers' then setting.type <> 'object'
      else setting.type not in ('string', 'null') or setting.given = ''
        or length(setting.given) > case setting.name when 'template' then 4000 else 1000 end
    end) then
      return setting.name || ': ' || case setting.name
        when 'kind' then 'must be webhook or email, and stays as it is'
        when 'url' then 'must be https with the name of a host, and without user information'
        when 'address' then 'must be the address of an e-mail destination'
        when 'events' then 'must be a list of: ' || array_to_string(known_events, ', ')
        when 'order_id' then 'must be the id of an order, or null'
        when 'returns_rejected' then 'must be true or false'
        when 'max_at_once' then 'must be from 1 to 16'
        when 'headers' then 'must be an object'
        else 'must be an expression of at most ' || case setting.name when 'template' then '4,000' else '1,000' end || ' characters'
      end;
    end if;
  end loop;
  return (
    select case
      when h.name !~ '^[A-Za-z0-9!#$%&''*+.^_`|~-]{1,128}$'
        or lower(h.name) ~ '^(webhook-|content-|proxy-|sec-)|^(host|connection|transfer-encoding|te|trailer|upgrade|expect|keep-alive|cookie)$'
        then 'headers: a request cannot have this header of its own'
      else 'headers: a value must be one line of 1 to 1,024 characters, or null'
    end
    from jsonb_each(case jsonb_typeof(changes -> 'headers') when 'object' then changes -> 'headers' else '{}' end) h (name, value)
    where h.name !~ '^[A-Za-z0-9!#$%&''*+.^_`|~-]{1,128}$'
      or lower(h.name) ~ '^(webhook-|content-|proxy-|sec-)|^(host|connection|transfer-encoding|te|trailer|upgrade|expect|keep-alive|cookie)$'
      or jsonb_typeof(h.value) not in ('string', 'null')
      or jsonb_typeof(h.value) = 'string' and (h.value #>> '{}' !~ '^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$' or length(h.value #>> '{}') > 1024)
    limit 1
  );
end
$$;

comment on function private.destination_problem(jsonb, text) is
  'Why a destination of this kind cannot have these settings, naming the setting and never a header''s value; null: it can.';

create function private.add_signing_secret(destination_id uuid) returns text
language plpgsql
set search_path = ''
as $$
declare
  made constant text := 'whsec_' || encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'base64');
begin
  update private.destination_secrets s
  set expires_at = least(s.expires_at, now() + interval '1 day')
  where s.destination_id = add_signing_secret.destination_id and s.kind = 'signing';
  insert into private.destination_secrets (destination_id, kind, secret) values (destination_id, 'signing', made);
  return made;
end
$$;

comment on function private.add_signing_secret(uuid) is
  'Adds a new secret, with which requests to the destination are signed, and returns it. The old one signs for a day more.';

create function public.save_destination(agency_id uuid, name text, changes jsonb) returns jsonb
language plpgsql
security definer
set search_path = ''
set lock_timeout = '2s'
as $$
declare
  owner_id constant uuid := coalesce(agency_id, private.managed_agency_id());
  given_name constant text := lower(btrim(name));
  headers constant jsonb := changes -> 'headers';
  is_new boolean := false;
  destination public.destinations;
  problem text;
begin
  if not private.may_manage(owner_id) then
    if private.may_operate() then
      raise exception 'agency_id: is missing' using errcode = 'PT400';
    end if;
    raise exception 'only a manager of the agency or an operator may do this' using errcode = '42501';
  elsif coalesce(given_name, '') !~ '^[a-z0-9][a-z0-9-]{0,62}$' then
    raise exception 'name: must have 1 to 63 letters from a to z, digits and -, and begin with no -' using errcode = 'PT400';
  elsif not exists (select from public.agencies a where a.id = owner_id) then
    raise exception 'agency_id: there is no such agency' using errcode = 'PT404';
  end if;
  select d.* into destination from public.destinations d where d.agency_id = owner_id and d.name = given_name and d.agent_id is null
  for no key update;
  if not found then
    is_new := true;
    destination.kind := case changes ->> 'kind' when 'email' then 'email' else 'webhook' end;
  end if;
  problem := coalesce(
    private.destination_problem(changes, destination.kind),
    case when is_new and not changes ?| array['url', 'address'] then case destination.kind when 'email' then 'address' else 'url' end || ': is missing' end);
  if problem is not null then
    raise exception '%', private.quoted(problem, 400) using errcode = 'PT400';
  elsif not exists (
    select
    where changes ->> 'order_id' is null
    union all
    select from public.recruiting_orders o where o.id = (changes ->> 'order_id')::uuid and o.agency_id = owner_id
  ) then
    raise exception 'order_id: the agency has no such order' using errcode = 'PT404';
  end if;

  if is_new then
    insert into public.destinations as d (agency_id, name, kind, url, address, events)
    values (
      owner_id, given_name, destination.kind, changes ->> 'url', changes ->> 'address',
      '{lead.distributed,lead.returned,recruit.erased}')
    returning d.* into destination;
  end if;
  update public.destinations d
  set
    url = coalesce(changes ->> 'url', d.url),
    address = coalesce(changes ->> 'address', d.address),
    events = case when changes ? 'events'
      then array(select distinct e from jsonb_array_elements_text(changes -> 'events') e order by 1) else d.events end,
    order_id = case when changes ? 'order_id' then (changes ->> 'order_id')::uuid else d.order_id end,
    template = case when changes ? 'template' then changes ->> 'template' else d.template end,
    accepted_when = case when changes ? 'accepted_when' then changes ->> 'accepted_when' else d.accepted_when end,
    rejected_when = case when changes ? 'rejected_when' then changes ->> 'rejected_when' else d.rejected_when end,
    returns_rejected = coalesce((changes ->> 'returns_rejected')::boolean, d.returns_rejected),
    max_at_once = coalesce((changes ->> 'max_at_once')::integer, d.max_at_once)
  where d.id = destination.id;

  delete from private.destination_secrets s
  where s.destination_id = destination.id and s.kind = 'header'
    and lower(s.name) in (select lower(h.name) from jsonb_object_keys(headers) h (name));
  insert into private.destination_secrets (destination_id, kind, name, secret)
  select distinct on (lower(h.name)) destination.id, 'header', h.name, h.value
  from jsonb_each_text(headers) h (name, value)
  where h.value is not null
  order by lower(h.name);
  if (select count(*) from private.destination_secrets s where s.destination_id = destination.id and s.kind = 'header') > 3 then
    raise exception 'headers: a destination has at most 3' using errcode = 'PT400';
  end if;

  if is_new then
    perform private.note_operator_action(
      'destination create', jsonb_build_object('destination_id', destination.id, 'agency_id', owner_id));
  else
    perform private.note_operator_action('destination update', jsonb_build_object(
      'destination_id', destination.id,
      'changed', (select coalesce(jsonb_agg(k order by k), '[]') from jsonb_object_keys(changes) k)));
  end if;
  return jsonb_strip_nulls(jsonb_build_object(
    'id', destination.id, 'name', destination.name, 'kind', destination.kind,
    'secret', case when is_new and destination.kind = 'webhook' then private.add_signing_secret(destination.id) end));
exception when unique_violation then
  raise exception 'name: another destination of the agency was created with it meanwhile. Try again.' using errcode = 'PT409';
end
$$;

comment on function public.save_destination(uuid, text, jsonb) is
  'Creates the destination of this name of the agency, or changes it. agency_id null: the manager''s own. changes: {kind (webhook unless it '
  'is email), url, address, events, order_id|null, template|null, accepted_when|null, rejected_when|null, returns_rejected, '
  'max_at_once, headers: {name: value|null}}; what is left out stays as it is, null removes it. The caller has checked the '
  'expressions. Returns {id, name, kind, secret}: secret, `whsec_...`, only of a new webhook, and never again. PT400 names the setting; '
  'PT404 for an unknown agency or order; PT409 where two create it at once; 42501 for a user who is neither a manager of the agency '
  'nor an operator. '
  'Security definer because users may not read or write the tables.';
grant execute on function public.save_destination(uuid, text, jsonb) to authenticated, service_role;

-- supabase/schemas/alerts/tables.sql

-- The alerts: conditions that somebody must know of, and the kinds of these, each with its rule.

create function private.is_threshold(threshold jsonb) returns boolean
language sql
immutable
set search_path = ''
as $$
  select jsonb_typeof(threshold) = 'object'
    and not jsonb_path_exists(threshold, '$.* ? (@.type() != "number" || @ <= 0 || @ > 1000000)')
$$;

comment on function private.is_threshold(jsonb) is
  'Whether the value is an object of which each member is a number above 0, up to a '
  'million: with any of these a check computes its times without an error.';

create table public.alert_rules (
  kind text primary key,
  -- check_alerts() calls it. The check limits it to functions of `private` that find alerts.
  finder text check (finder ~ '^find_'),
  is_on boolean not null default true,
  threshold jsonb not null check (private.is_threshold(threshold)),
  title text,
  advice text,
  link_label text,
  summary text,
  created_at timestamptz not null default now()
);

comment on table public.alert_rules is
  'The kinds of alerts with their rules: whether a kind is looked for, and from what on. The row of a kind stands below the '
  'function that finds its alerts.';
comment on column public.alert_rules.finder is
  'The function of the schema `private` that finds the alerts: (threshold jsonb, checked_at timestamptz) returns setof '
  'private.found_alert. Null: none does.';
comment on column public.alert_rules.threshold is 'The numbers of the rule, by name: {minutes}, {percent, days}, ...; {} where it has none.';
comment on column public.alert_rules.title is 'The heading of its alerts on the page of operators.';
comment on column public.alert_rules.advice is 'What to do about them, in a sentence or two.';
comment on column public.alert_rules.link_label is 'The words of the links of its alerts; null: they have none.';
comment on column public.alert_rules.summary is
  'The message about several of its alerts of an agency, with %s for their number and for the agency''s name; null: each has its own.';

alter table public.alert_rules enable row level security;
grant select, insert, update, delete on public.alert_rules to service_role;

create table public.alerts (
  id uuid primary key default gen_random_uuid(),
  kind text not null references public.alert_rules (kind),
  subject text not null check (subject <> ''),
  state text not null default 'open' check (state in ('open', 'acknowledged', 'resolved')),
  opened_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  resolved_at timestamptz,
  told_at timestamptz,
  details jsonb not null default '{}' check (jsonb_typeof(details) = 'object'),
  subject_name text,
  problem text,
  command text,
  link text,
  agency_id uuid,
  check ((state = 'resolved') = (resolved_at is not null))
);

create unique index alerts_unresolved_idx on public.alerts (kind, subject) where state <> 'resolved';
create index on public.alerts (kind, subject, opened_at);
create index on public.alerts (resolved_at) where state = 'resolved';
create index on public.alerts (told_at) where state = 'resolved' and told_at is not null;

comment on table public.alerts is
  'The alerts: one row for each time that a condition began. Nothing in it is of a person: no name, number or word.';
comment on column public.alerts.subject is
  'The slug of a vendor, the id of an order, agency or conversation, or our own number, by the kind; else the kind itself.';
comment on column public.alerts.state is
  '`open`: the condition is true; `acknowledged`: it is, and somebody has it in hand; `resolved`: it is over, or its '
  'rule is off.';
comment on column public.alerts.seen_at is 'When the condition was last found.';
comment on column public.alerts.told_at is
  'When the receiver of alerts last learnt, or may have, that it is open; null: it did not, or knows that it is over.';
comment on column public.alerts.details is 'The figures of the condition when it was last found: counts and times, by name.';
comment on column public.alerts.subject_name is 'The subject as people know it, such as `vendor talroo` or `order 5f0c6a3e of Prairie Life`.';
comment on column public.alerts.problem is 'What is wrong, to follow the name and a colon. Times are in UTC.';
comment on column public.alerts.command is 'The admin command that helps, without `npm run admin --`.';
comment on column public.alerts.link is 'The view of the desk that helps, such as `/operator/outbox`; null: none does.';
comment on column public.alerts.agency_id is 'The agency of the subject; null: it has none.';

alter table public.alerts enable row level security;
grant select, insert, update, delete on public.alerts to service_role;

create type private.found_alert as (subject text, details jsonb, subject_name text, problem text, command text, link text, agency_id uuid);

comment on type private.found_alert is
  'A subject of which the condition of a kind is true, with the figures about it, its words, its link and its agency, as public.alerts '
  'has them.';

create function private.counted(count bigint, noun text) returns text
language sql
immutable
set search_path = ''
as $$
  select format('%s %s', to_char(count, 'FM999,999,999,990'), case when count = 1 then noun else regexp_replace(noun, 'y$', 'ie') || 's' end)
$$;

comment on function private.counted(bigint, text) is 'A number of things, such as `1 lead` or `1,200 leads`.';

-- supabase/schemas/alerts/vendors.sql

-- The conditions of alerts about vendors. Each function returns the slugs of the active vendors of which its condition
-- is true.

create function private.find_leads_waiting(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language plpgsql
stable
set search_path = ''
as $$
declare
  latest constant timestamptz := checked_at - make_interval(mins => 1) * (threshold ->> 'minutes')::double precision;
begin
  return query
  select
    v.slug, jsonb_build_object('leads', sum(w.leads), 'since', private.iso_time(min(w.since))), 'vendor ' || v.slug,
    format(
      '%s without an order, the first since %s', private.counted(sum(w.leads)::bigint, 'lead'), private.in_utc(min(w.since))),
    'lead waiting --vendor ' || v.slug, '/operator/waiting', null::uuid
  from (
    select l.vendor_id, count(*) as leads, min(l.created_at) as since
    from public.recruiting_leads l
    where l.distribution = 'unmatched' and l.created_at <= latest
    group by l.vendor_id
    union all
    select l.vendor_id, count(*), min(l.created_at)
    from public.recruiting_leads l
    where l.distribution = 'pending' and l.created_at <= latest
    group by l.vendor_id
  ) w
  join public.vendors v on v.id = w.vendor_id and v.is_active
  group by v.slug;
end
$$;

comment on function private.find_leads_waiting(jsonb, timestamptz) is
  'Vendors with a lead that has been unmatched or pending for {minutes}: {leads, since}. Test leads and leads in bulk are '
  'neither.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label) values (
  'leads_waiting', 'find_leads_waiting', '{"minutes": 15}',
  'Waiting leads', 'Open an order for them. Where open orders want them, distribute them.',
  'Distribute the waiting leads');

create function private.find_deliveries_rejected(threshold jsonb, checked_at timestamptz)
returns setof private.found_alert
language plpgsql
stable
set search_path = ''
-- The index of open deliveries has them in this order, and the planner does not always know that they are few.
set enable_sort = off
set enable_incremental_sort = off
as $$
declare
  per_hour constant numeric := threshold ->> 'per_hour';
  share constant numeric := (threshold ->> 'percent')::numeric / 100;
  last constant integer := (threshold ->> 'last')::numeric;
  at_least constant numeric := threshold ->> 'at_least';
  oldest constant timestamptz := checked_at - interval '7 days';
begin
  return query
  with refused as materialized (
    select v.id, v.slug, hour.deliveries as in_hour, hour.since, array(
      select r.received_at
      from public.rejected_deliveries r
      where r.status = 'open' and r.vendor_id = v.id and r.received_at between oldest and checked_at
      order by r.received_at desc, r.id desc
      limit last
    ) as times
    from public.vendors v
    cross join lateral (
      select count(*) as deliveries, min(r.received_at) as since
      from public.rejected_deliveries r
      where r.status = 'open' and r.vendor_id = v.id
        and r.received_at > checked_at - interval '1 hour' and r.received_at <= checked_at
    ) hour
    where v.is_active
  ), found as (
    select
      f.slug, '--vendor ' || f.slug as sender, case when f.in_hour < per_hour then latest.deliveries end as of,
      case when f.in_hour < per_hour then latest.rejected else f.in_hour end as rejected,
      case when f.in_hour < per_hour then latest.since else f.since end as since
    from refused f
    cross join lateral (
      select count(*) as deliveries, count(*) filter (where d.is_rejected) as rejected,
        min(d.received_at) filter (where d.is_rejected) as since
      from (
        select a.*
        from (
          select t.received_at, true as is_rejected
          from unnest(f.times) t (received_at)
          union all
          (
            select d.received_at, false
            from public.recruiting_lead_duplicates d
            where d.vendor_id = f.id and d.received_at between oldest and checked_at
            order by d.received_at desc
            limit last
          )
          union all
          (
            select l.created_at, false
            from public.recruiting_leads l
            where l.vendor_id = f.id and l.created_at between oldest and checked_at
            order by l.created_at desc
            limit last
          )
        ) a (received_at, is_rejected)
        order by a.received_at desc
        limit last
      ) d
    ) latest
    where cardinality(f.times) >= least(per_hour, share * at_least)
      and (f.in_hour >= per_hour or latest.deliveries >= at_least and latest.rejected >= share * latest.deliveries)
    union all
    -- The importers of sales leads are not vendors, and count as one.
    select 'import', '--imports', null, count(*), min(r.received_at)
    from public.rejected_deliveries r
    where r.status = 'open' and r.vendor_id is null
      and r.received_at > checked_at - interval '1 hour' and r.received_at <= checked_at
      and not exists (select from public.vendors v where v.slug = 'import')
    having count(*) >= per_hour
  )
  select
    f.slug,
    jsonb_strip_nulls(jsonb_build_object('deliveries', f.rejected, 'of', f.of, 'since', private.iso_time(f.since))),
    'vendor ' || f.slug, format('%s, the first %s', private.counted(f.rejected, 'rejected delivery'), private.in_utc(f.since)),
    'delivery list ' || f.sender, '/operator/deliveries', null::uuid
  from found f;
end
$$;

comment on function private.find_deliveries_rejected(jsonb, timestamptz) is
  'Vendors with {per_hour} open rejected deliveries in the last hour, or with {percent} of their {last} deliveries of a '
  'week rejected and open, of {at_least}: {deliveries, since}, in the second case with {of}. Each lead counts as a delivery. '
  'The subject `import` has the rows of imports, by the hour alone.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label) values (
  'deliveries_rejected', 'find_deliveries_rejected', '{"per_hour": 10, "percent": 20, "last": 50, "at_least": 20}',
  'Rejected deliveries', 'Correct what rejects them, such as the mapping. Then replay.',
  'Replay or dismiss the rejected deliveries');

create function private.find_vendor_silent(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language plpgsql
stable
set search_path = ''
as $$
declare
  usual constant numeric := threshold ->> 'leads';
  last_hour constant timestamptz := date_trunc('hour', checked_at, 'UTC') - interval '1 hour';
  -- A lead that came exactly so long ago ends no silence.
  moment constant interval := '1 microsecond';
begin
  return query
  with usual_senders as materialized (
    select hour.vendor_id
    from generate_series(1, 4) week
    cross join lateral (
      select l.vendor_id
      from public.recruiting_leads l
      where l.created_at >= last_hour - week * interval '168 hours'
        and l.created_at < last_hour - week * interval '168 hours' + interval '1 hour'
      group by l.vendor_id
      having count(*) >= usual
    ) hour
    group by hour.vendor_id
    having count(*) = 4
  ), silent as materialized (
    select v.id, v.slug, silence.since, a.id is not null as is_open, (a.details ->> 'since')::timestamptz as latest_at
    from public.vendors v
    left join public.alerts a on a.kind = 'vendor_silent' and a.subject = v.slug and a.state <> 'resolved'
    cross join lateral (
      select case
        when v.silent_after is not null then checked_at - v.silent_after + moment
        -- Once it is open, a lead ends it, and nothing else. There was none in the hour before it was last seen.
        when a.id is not null then a.seen_at - interval '1 hour' + moment
        when v.id in (select s.vendor_id from usual_senders s) then last_hour
      end as since
    ) silence
    left join lateral (
      select l.id
      from public.recruiting_leads l
      where l.vendor_id = v.id and l.created_at >= silence.since and l.created_at <= checked_at
      order by l.created_at desc
      limit 1
    ) lead on true
    where v.is_active and silence.since is not null and lead.id is null
      and (v.silent_after is null or v.created_at <= silence.since)
  )
  select
    s.slug, jsonb_strip_nulls(jsonb_build_object('since', private.iso_time(latest.at))), 'vendor ' || s.slug,
    coalesce('has sent no lead since ' || private.in_utc(latest.at), 'has never sent a lead'), 'key list ' || s.slug,
    '/operator/vendors', null::uuid
  from silent s
  -- The last lead is looked for once, when the alert opens: far back, the search is long.
  cross join lateral (
    select case when s.is_open then s.latest_at else (
      select l.created_at
      from public.recruiting_leads l
      where l.vendor_id = s.id and l.created_at < s.since
        and exists (select from public.recruiting_leads any_lead where any_lead.vendor_id = s.id)
      order by l.created_at desc
      limit 1
    ) end as at
    -- Once for each vendor.
    offset 0
  ) latest;
end
$$;

comment on function private.find_vendor_silent(jsonb, timestamptz) is
  'Vendors without a lead for their silent_after, or, where that is null, in the last whole hour and since, if that hour had '
  '{leads} in each of the four weeks before: {since} is the time of the vendor''s last lead, if there is one. The hours are '
  'those of UTC. Stays until the vendor sends a lead.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label) values (
  'vendor_silent', 'find_vendor_silent', '{"leads": 5}',
  'Silent vendors', 'They have sent nothing for longer than usual. Ask them.',
  'See the vendors and their keys');

create function private.find_key_expires(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language plpgsql
stable
set search_path = ''
as $$
declare
  latest constant timestamptz := checked_at + interval '1 day' * (threshold ->> 'days')::double precision;
begin
  return query
  select distinct on (k.vendor)
    k.vendor,
    jsonb_strip_nulls(jsonb_build_object('what', k.what, 'prefix', p.prefix, 'expires_at', private.iso_time(k.expires_at))),
    'vendor ' || k.vendor, format('its %s expires %s', concat_ws(' ', k.what, p.prefix), private.in_utc(k.expires_at)),
    case k.what when 'api key' then 'key rotate ' else 'webhook show ' end || k.vendor, '/operator/vendors', null::uuid
  from private.expiring_keys(checked_at) k
  cross join lateral (select case k.what when 'api key' then k.id end as prefix) p
  -- An expired one is reported for another week: that it has expired mends nothing.
  where k.expires_at > checked_at - interval '7 days' and k.expires_at <= latest
  order by k.vendor, k.expires_at, k.what;
end
$$;

comment on function private.find_key_expires(jsonb, timestamptz) is
  'Vendors with a key, a webhook secret or a token that expires within {days}, or has in the last 7 days, and no newer '
  'one of its kind that is valid for longer: {what, prefix of a key, expires_at} of the first to expire.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label) values (
  'key_expires', 'find_key_expires', '{"days": 7}',
  'Keys of vendors', 'The people who run the service make the vendor a new key before the old one expires.',
  'See the vendors and their keys');

create function private.find_fetch_refused(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language plpgsql
stable
set search_path = ''
as $$
begin
  return query
  select
    h.slug, jsonb_build_object('leads', h.leads, 'since', private.iso_time(h.since), 'reason', h.reason), 'vendor ' || h.slug,
    format(
      '%s not fetched since %s: %s', private.counted(h.leads, 'lead'), private.in_utc(h.since),
      case h.reason
        when 'no_token' then 'it has no valid access token'
        else format('Meta refuses its access token (%s)', h.reason)
      end
    ),
    'vendor webhook check ' || h.slug, null, null::uuid
  from (
    select
      v.slug, count(*) as leads, min(f.held_since) as since,
      -- The reason of the latest attempt. One that came while the others were held has none.
      (array_agg(f.reason order by f.attempt desc) filter (where f.reason is not null))[1] as reason
    from private.lead_fetches f
    join public.vendors v on v.id = f.vendor_id and v.is_active
    where f.held_since <= checked_at
    group by v.slug
  ) h;
end
$$;

comment on function private.find_fetch_refused(jsonb, timestamptz) is
  'Vendors whose notices wait because their access token is refused, or they have none: {leads, since, reason}.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label) values (
  'fetch_refused', 'find_fetch_refused', '{}',
  'Leads that are not fetched', 'Meta refuses the access token. The people who run the service add a new one. Then all are fetched.',
  null);

-- supabase/schemas/alerts/orders.sql

-- The conditions of alerts about orders. Each function returns the ids of the orders of which its condition is true.

create function private.find_order_nearly_filled(threshold jsonb, checked_at timestamptz)
returns setof private.found_alert
language plpgsql
stable
set search_path = ''
as $$
declare
  share constant numeric := (threshold ->> 'percent')::numeric / 100;
  days constant numeric := threshold ->> 'days';
begin
  return query
  select
    o.id::text,
    jsonb_build_object(
      'agency', a.name, 'filled', o.filled, 'quantity', o.quantity, 'leads_7_days', recent.leads,
      'full_in_days', round(pace.days_left, 1)
    ),
    format('order %s of %s', left(o.id::text, 8), a.name), format('has %s of its %s leads', o.filled, o.quantity),
    format('order update %s --quantity %s', left(o.id::text, 8), 2 * o.quantity::bigint), '/operator/orders/' || o.id, o.agency_id
  from public.recruiting_orders o
  join public.agencies a on a.id = o.agency_id
  cross join lateral (
    select count(*) as leads
    from public.recruiting_leads l
    where l.agency_id = o.agency_id and l.order_id = o.id
      and l.distributed_at > checked_at - interval '7 days' and l.distributed_at <= checked_at
  ) recent
  -- As in public.order_pace.
  cross join lateral (
    select (o.quantity - o.filled) * age.days / nullif(recent.leads, 0) as days_left
    from (
      select least(7, greatest(1, extract(epoch from checked_at - greatest(o.created_at, o.starts_at)) / 86400)) as days
    ) age
  ) pace
  where o.status = 'open' and o.filled < o.quantity
    and (o.ends_at is null or o.ends_at > checked_at)
    and (o.filled >= share * o.quantity or pace.days_left <= days);
end
$$;

comment on function private.find_order_nearly_filled(jsonb, timestamptz) is
  'Open orders that have {percent} of their leads, or will be full within {days} at the pace of the last 7 days: {agency, '
  'filled, quantity, leads_7_days, full_in_days|null}. Not one that has ended.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label, summary) values (
  'order_nearly_filled', 'find_order_nearly_filled', '{"percent": 90, "days": 2}',
  'Orders that are nearly full', 'Ask the agency whether it wants more leads.',
  'See the order',
  '%s orders of %s are nearly full');

create function private.find_order_filled(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language sql
stable
set search_path = ''
as $$
  select
    o.id::text, jsonb_build_object('agency', a.name, 'filled', o.filled, 'quantity', o.quantity),
    format('order %s of %s', left(o.id::text, 8), a.name), format('is full, with %s leads', o.quantity),
    'order close ' || left(o.id::text, 8), '/operator/orders/' || o.id, o.agency_id
  from public.recruiting_orders o
  join public.agencies a on a.id = o.agency_id
  where o.status = 'filled'
$$;

comment on function private.find_order_filled(jsonb, timestamptz) is
  'Orders that have all of their leads, until they are closed or get a higher quantity: {agency, filled, quantity}.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label, summary) values (
  'order_filled', 'find_order_filled', '{}',
  'Full orders', 'They get no lead any more. Raise them, or close them.',
  'See the order',
  '%s orders of %s are full');

-- supabase/schemas/alerts/texting.sql

-- The conditions of alerts about texts. Each function returns the subjects of which its condition is true.

create function private.find_number_paused(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language sql
stable
set search_path = ''
as $$
  select
    n.phone, jsonb_build_object('agency', a.name), format('number %s of %s', n.phone, a.name),
    'paused, so its texts wait', 'number resume ' || n.phone, '/operator/numbers', n.agency_id
  from public.service_numbers n
  join public.agencies a on a.id = n.agency_id
  where n.status = 'paused'
$$;

comment on function private.find_number_paused(jsonb, timestamptz) is 'Our numbers that are paused.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label, summary) values (
  'number_paused', 'find_number_paused', '{}',
  'Paused numbers', 'No text leaves a paused number. Find the cause, and resume it.',
  'Resume numbers',
  '%s numbers of %s are paused');

create function private.find_texts_stuck(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language sql
stable
set search_path = ''
-- By the indexes of open texts, also while the planner does not know how few these are.
set enable_seqscan = off
set enable_bitmapscan = off
as $$
  -- The numbers that have open texts, each by one step of the index.
  with recursive numbers (phone) as (
    select min(o.service_phone)
    from public.text_outbox o
    where o.state in ('pending', 'sending', 'unconfirmed') and o.first_due_at > '-infinity'
    union all
    select (
      select min(o.service_phone)
      from public.text_outbox o
      where o.state in ('pending', 'sending', 'unconfirmed') and o.first_due_at > '-infinity' and o.service_phone > p.phone
    )
    from numbers p
    where p.phone is not null
  )
  select
    coalesce(t.subject, 'texts_stuck'),
    jsonb_strip_nulls(jsonb_build_object(
      'agency', max(a.name), 'texts', sum(t.texts), 'since', min(t.since), 'reason', max(t.reason)
    )),
    coalesce('number ' || t.subject || ' of ' || max(a.name), 'texts'),
    case max(t.reason)
      when 'credentials' then format('not sent since %s: the provider refuses the login', private.in_utc(min(t.since)))
      when 'no_account' then format('not sent since %s: TWILIO_ACCOUNT_SID is not set', private.in_utc(min(t.since)))
      else format('%s not sent, the first due %s', private.counted(sum(t.texts)::bigint, 'text'), private.in_utc(min(t.since)))
    end,
    'text outbox', '/operator/outbox', (array_agg(t.agency_id))[1]
  from (
    select n.phone as subject, n.agency_id, s.texts, s.since, null as reason
    from numbers p
    left join public.service_numbers n on n.phone = p.phone
    cross join lateral (
      select count(*) as texts, min(late.first_due_at) as since
      from (
        select o.first_due_at, o.reason
        from public.text_outbox o
        where o.service_phone = p.phone
          and o.state in ('pending', 'sending', 'unconfirmed')
          and o.first_due_at > '-infinity'
          and o.first_due_at <= checked_at - make_interval(secs => (threshold ->> 'minutes')::double precision * 60)
        order by o.first_due_at
        limit 1000
      ) late
      where coalesce(late.reason, '') not in ('credentials', 'no_account')
    ) s
    where n.status is distinct from 'paused'
    union all
    -- There is no account, or the provider refuses it, whatever the number.
    select null, null, s.texts, s.since, r.reason
    from public.service_numbers n
    cross join (values ('credentials'), ('no_account')) r (reason)
    cross join lateral (
      select count(*) as texts, min(late.first_due_at) as since
      from (
        select o.first_due_at
        from public.text_outbox o
        where o.service_phone = n.phone and o.reason = r.reason and o.state in ('pending', 'sending')
          -- What the index requires: the planner doesn't conclude it from r.
          and o.reason in ('credentials', 'no_account')
        order by o.first_due_at
        limit 1000
      ) late
    ) s
    where n.status = 'active'
  ) t
  left join public.agencies a on a.id = t.agency_id
  where t.texts > 0
    -- Without any number, texting is not set up.
    and exists (select from public.service_numbers)
  group by t.subject
$$;

comment on function private.find_texts_stuck(jsonb, timestamptz) is
  'Our numbers whose texts are not sent although they have been due for {minutes}; of numbers that are not ours, the kind. The '
  'kind too, at once, where no account is set or the provider refuses our login. Not those of a paused number, nor those that quiet hours hold. '
  'Of a number at most 1,000 texts are counted.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label, summary) values (
  'texts_stuck', 'find_texts_stuck', '{"minutes": 5}',
  'Texts that are not sent', 'Find out what holds them.',
  'See the texts that are not sent',
  'texts of %s numbers of %s are not sent');

create function private.find_texts_failing(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language sql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
  select
    a.id::text, jsonb_build_object('agency', a.name, 'failed', l.failed, 'opted_out', s.opted_out, 'texts', l.texts),
    'agency ' || a.name,
    format('of its last %s, ', private.counted(l.texts, 'text')) || concat_ws(
      ' and ', nullif(l.failed, 0) || ' failed',
      case s.opted_out when 0 then null when 1 then '1 was' else s.opted_out || ' were' end || ' answered by an opt-out'
    ),
    'text outbox --state failed --agency ' || left(a.id::text, 8), '/operator/outbox/failed/' || a.id, a.id
  from public.agencies a
  cross join lateral (
    select
      count(*) as texts,
      count(*) filter (
        where t.state <> 'refused' and exists (
          select
          from public.recruiting_messages m
          where m.id = t.message_id and m.direction = 'outbound' and m.status = 'failed'
        )
      ) as failed,
      min(t.attempted_at) as since,
      array_agg(t.conversation_id) as conversations
    from (
      select o.message_id, o.conversation_id, o.state, o.attempted_at
      from public.service_numbers n
      cross join lateral (
        select e.*
        from public.text_outbox e
        where e.service_phone = n.phone
          and e.attempted_at is not null
          and e.state in ('accepted', 'refused', 'failed')
        order by e.attempted_at desc
        limit (threshold ->> 'texts')::numeric::bigint
      ) o
      where n.agency_id = a.id
      order by o.attempted_at desc
      limit (threshold ->> 'texts')::numeric::bigint
    ) t
  ) l
  cross join lateral (
    select count(*) as opted_out
    from (
      -- First the few opt-outs, and not by exists(): no plan reads the conversation of each text.
      select distinct e.phone
      from public.text_consent_events e
      where e.agency_id = a.id and e.state = 'opted_out' and e.occurred_at >= l.since
      offset 0
    ) o
    where (
      select true
      from public.recruiting_conversations c
      where c.recruit_phone = o.phone and c.id = any (l.conversations)
      limit 1
    )
  ) s
  where l.texts >= (threshold ->> 'at_least')::numeric
    and (
      l.failed * 100 >= l.texts * (threshold ->> 'percent')::numeric
      or s.opted_out * 100 >= l.texts * (threshold ->> 'opt_out_percent')::numeric
    )
$$;

comment on function private.find_texts_failing(jsonb, timestamptz) is
  'The agencies of whose last {texts} texts, of at least {at_least}, {percent} or more have failed, or of whose recruits '
  '{opt_out_percent} of these texts or more have opted out since. Only what was posted to the provider counts.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label) values (
  'texts_failing', 'find_texts_failing', '{"percent": 5, "opt_out_percent": 3, "texts": 100, "at_least": 20}',
  'Texts that fail', 'Recruits don''t get them, or don''t want them. Ask the agency.',
  'See the texts that failed');

create function private.find_opt_out_unmatched(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language sql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
  with recursive numbers (phone) as (
    select min(coalesce(left(t.service_phone, 17), '')) from public.unmatched_texts t where t.consent = 'opted_out'
    union all
    select (
      select min(coalesce(left(t.service_phone, 17), ''))
      from public.unmatched_texts t
      where t.consent = 'opted_out' and coalesce(left(t.service_phone, 17), '') > p.phone
    )
    from numbers p
    where p.phone is not null
  )
  select
    coalesce(n.phone, 'opt_out_unmatched'),
    jsonb_strip_nulls(jsonb_build_object('agency', max(a.name), 'texts', sum(s.texts), 'since', min(s.since))),
    coalesce('number ' || n.phone || ' of ' || max(a.name), 'texts'),
    format(
      '%s without a conversation, the first %s', private.counted(sum(s.texts)::bigint, 'opt-out'), private.in_utc(min(s.since))),
    'text unmatched', '/operator/texts', (array_agg(n.agency_id))[1]
  from numbers p
  left join public.service_numbers n on n.phone = p.phone
  left join public.agencies a on a.id = n.agency_id
  cross join lateral (
    select count(*) as texts, min(waiting.received_at) as since
    from (
      select t.received_at
      from public.unmatched_texts t
      where t.consent = 'opted_out' and coalesce(left(t.service_phone, 17), '') = p.phone
      order by t.received_at
      limit 1000
    ) waiting
  ) s
  where p.phone is not null
  group by n.phone
$$;

comment on function private.find_opt_out_unmatched(jsonb, timestamptz) is
  'Our numbers that got an opt-out which belongs to no conversation; of numbers that are not ours, the kind. Of a number at '
  'most 1,000 texts are counted.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label, summary) values (
  'opt_out_unmatched', 'find_opt_out_unmatched', '{}',
  'Opt-outs for nobody', 'These recruits want no texts any more. Give each text a conversation.',
  'Give texts a conversation',
  '%s numbers of %s got opt-outs for nobody');

create function private.find_worker_late(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language sql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_incremental_sort = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
  with late as (
    select l.at, j.started_at as last_run
    from (select checked_at - make_interval(secs => (threshold ->> 'minutes')::double precision * 60)) l (at)
    left join private.job_runs j on j.job = 'send texts'
    where coalesce(j.started_at <= l.at, true)
  ), due as (
    select w.due_at as since from private.waiting_greetings w, late l where w.due_at <= l.at
    union all
    select w.due_at from private.waiting_take_overs w, late l where w.due_at <= l.at
    union all
    select u.placed_at from private.lead_notifications_due u, late l where u.placed_at <= l.at
    union all
    select greatest(t.due_at, t.lease_until) from public.bot_turns t, late l where greatest(t.due_at, t.lease_until) <= l.at
    union all
    select s.wakes_at from public.bot_sessions s, late l where s.state = 'active' and s.wakes_at <= l.at
    union all
    select o.lease_until from public.text_outbox o, late l where o.state = 'sending' and o.lease_until <= l.at
    union all
    select o.due_at from public.text_outbox o, late l where o.state = 'unconfirmed' and o.due_at <= l.at
    union all
    -- A busy number takes its time.
    select greatest(t.due_at, n.busy_until)
    from late l
    join public.service_numbers n on n.status = 'active' and n.busy_until <= l.at
    cross join lateral (
      select o.due_at
      from public.text_outbox o
      join public.recruiting_conversations c on c.id = o.conversation_id and c.agency_id = n.agency_id
      where o.service_phone = n.phone
        and o.state = 'pending'
        and o.priority in (0, 1)
        and o.due_at <= l.at
        and not private.is_behind(o.conversation_id, o.ordinal)
      order by o.priority, o.due_at, o.ordinal
    ) t
  )
  select
    'worker_late', jsonb_build_object('due', d.due, 'since', d.since), 'worker',
    format('not called since %s, with %s due', private.in_utc(d.since), d.due), 'text outbox', '/operator/outbox', null::uuid
  from late l
  cross join lateral (
    select count(*) as due, greatest(min(f.since), l.last_run) as since from (select u.since from due u limit 1000) f
  ) d
  where d.due > 0
$$;

comment on function private.find_worker_late(jsonb, timestamptz) is
  'The kind, where something has been due for {minutes} and the worker, or the scheduler that notifies agents of leads, has not '
  'run for as long. At most 1,000 are counted. Where texting is not set up, nothing of it is due.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label) values (
  'worker_late', 'find_worker_late', '{"minutes": 5}',
  'Sending texts', 'Nobody sends the texts that are due. The people who run the service start the worker.',
  'See the texts that are not sent');

-- supabase/schemas/alerts/order_stalled.sql

-- The alert about an open order that can't fill.

create function private.find_order_stalled(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language sql
stable
set search_path = ''
as $$
  with orders as materialized (
    select
      o.id, left(o.id::text, 8) as name, o.agency_id, a.name as agency, o.ends_at, o.quantity, o.daily_cap, v.slug as vendor,
      left_over.*,
      case
        -- Of several reasons the first: while an order has ended, nothing else matters.
        when o.ends_at <= checked_at then 'ended'
        when not v.is_active then 'vendor_inactive'
        when private.next_agent(o.agency_id, o.agent_id) is null then 'no_agent'
        when left_over.days * o.daily_cap < left_over.leads then 'capped'
      end as reason,
      ceil(left_over.leads::numeric / greatest(left_over.days, 1)) as cap
    from public.recruiting_orders o
    join public.agencies a on a.id = o.agency_id
    left join public.vendors v on v.id = o.vendor_id
    -- Days of the agency, with today and the last one.
    cross join lateral (
      select ((o.ends_at - interval '1 microsecond') at time zone a.timezone)::date
        - (greatest(o.starts_at, checked_at) at time zone a.timezone)::date + 1 as days,
        o.quantity - o.filled as leads
    ) left_over
    where o.status = 'open' and o.filled < o.quantity
  )
  select
    o.id::text, jsonb_build_object('agency', o.agency, 'reason', o.reason) || w.details,
    format('order %s of %s', o.name, o.agency), w.problem, w.command, '/operator/orders/' || o.id, o.agency_id
  from orders o
  cross join lateral (
    values
      (
        'ended', jsonb_build_object('ends_at', o.ends_at, 'missing', o.leads, 'quantity', o.quantity),
        format('ended %s, %s of %s leads short', private.in_utc(o.ends_at), o.leads, o.quantity), 'order close ' || o.name
      ),
      (
        'vendor_inactive', jsonb_build_object('vendor', o.vendor),
        format('wants leads of %s, which is inactive', o.vendor), format('vendor update %s --active true', o.vendor)
      ),
      (
        'no_agent', jsonb_build_object('agency_id', o.agency_id),
        'gives its leads to no agent, because none of its agency is active, not away and accepts recruits',
        'agent list --agency ' || left(o.agency_id::text, 8)
      ),
      (
        'capped', jsonb_build_object('possible', o.days * o.daily_cap, 'missing', o.leads, 'daily_cap', o.cap),
        format('can get %s of its %s missing leads until its end, by its daily cap', o.days * o.daily_cap, o.leads),
        format('order update %s --daily-cap %s', o.name, o.cap)
      )
  ) w (reason, details, problem, command)
  where o.reason is not null and w.reason = o.reason
$$;

comment on function private.find_order_stalled(jsonb, timestamptz) is
  'Open orders that can''t fill: they have ended, their vendor is inactive, their agency has nobody for them, or their daily '
  'cap times the days left is less than the leads left.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label, summary) values (
  'order_stalled', 'find_order_stalled', '{}',
  'Orders that can''t fill', 'Change these open orders, or close them.',
  'See the order',
  '%s orders of %s can''t fill');

-- supabase/schemas/alerts/recruits.sql

-- The recruits who wait for an answer: operators have an alert, and agents and managers a notification.

create function private.find_recruit_waiting(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language sql
stable
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
  select
    c.id::text, jsonb_build_object('agency', a.name, 'since', c.waiting_since, 'minutes', w.minutes),
    format('conversation %s of %s', left(c.id::text, 8), a.name),
    'a recruit waits for an answer since ' || private.in_utc(c.waiting_since), 'text waiting', '/operator/recruits', c.agency_id
  from public.recruiting_conversations c
  join public.agencies a on a.id = c.agency_id
  -- A recruit whose answer was put off waits from then on.
  cross join lateral private.waited_minutes(a, greatest(c.waiting_since, c.snoozed_until), checked_at) w (minutes)
  where c.waiting_since is not null
    and c.due_since <= checked_at - make_interval(secs => (threshold ->> 'minutes')::double precision * 60)
    and (c.snoozed_until is null or c.snoozed_until <= checked_at)
    and w.minutes >= (threshold ->> 'minutes')::numeric
    and private.texting_ban(c.agency_id, c.recruit_phone, c.recruiting_lead_id) is null
$$;

comment on function private.find_recruit_waiting(jsonb, timestamptz) is
  'The conversations in which a recruit has waited for {minutes} of the agency''s hours. Nobody waits who was answered, by a '
  'person or the bot, needs no reply, has opted out, or is suppressed. An answer that is put off is not waited for until then.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label, summary) values (
  'recruit_waiting', 'find_recruit_waiting', '{"minutes": 15, "managers_after": 60}',
  'Recruits who wait', 'The agent and the managers were notified. Ask them.',
  'See the recruits who wait',
  '%s recruits of %s wait');

create function private.recruit_notifications_due()
returns table (conversation_id uuid, message_id uuid, agent_id uuid)
language sql
stable
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
  select c.id, m.id, t.agent_id
  from public.alerts a
  join public.alert_rules r on r.kind = a.kind
  join public.recruiting_conversations c on c.id = a.subject::uuid
  -- The text since which the recruit waits
  cross join lateral (
    select i.id
    from public.recruiting_messages i
    where i.conversation_id = c.id and i.direction = 'inbound' and i.created_at >= c.waiting_since
    order by i.created_at, i.id
    limit 1
  ) m
  left join public.agents assigned on assigned.id = c.assigned_agent_id and assigned.is_active
  left join public.recruiting_leads l on l.id = c.recruiting_lead_id
  left join public.agents of_lead on of_lead.id = l.agent_id and of_lead.is_active
  cross join lateral (
    select coalesce(assigned.id, of_lead.id) as agent_id
    union
    select g.id
    from public.agents g
    where g.agency_id = c.agency_id and g.role = 'manager' and g.is_active
      and (
        coalesce(assigned.id, of_lead.id) is null
        or (a.details ->> 'minutes')::numeric >= (r.threshold ->> 'managers_after')::numeric
      )
  ) t
  where a.kind = 'recruit_waiting'
    and a.state <> 'resolved'
    and t.agent_id is not null
    and not exists (
      select
      from public.agent_notifications n
      where n.message_id = m.id and n.kind = 'recruit_waiting' and n.agent_id = t.agent_id
    )
$$;

comment on function private.recruit_notifications_due() is
  'The agents who are yet to be notified of recruits who wait, by their alerts: the assigned agent, else the lead''s, else each manager, as '
  'far as they are active; after {managers_after} minutes each manager. With the text since which the recruit waits.';

create function private.notify_of_waiting_recruits() returns void
language plpgsql
set search_path = ''
-- Rows that others have locked have their turn the next time.
set lock_timeout = '100ms'
as $$
declare
  locked uuid[];
begin
  update public.agent_notifications n
  set read_at = now()
  from public.recruiting_conversations c
  join public.recruiting_messages m on m.conversation_id = c.id
  where n.kind = 'recruit_waiting' and n.read_at is null and c.id = n.conversation_id and m.id = n.message_id
    and (c.waiting_since is null or c.waiting_since > m.created_at or c.snoozed_until > now());

  -- Where a conversation goes to another agent, its notification goes along, or is that agent's.
  locked := array(
    select c.id
    from public.recruiting_conversations c
    where c.id in (select u.conversation_id from private.recruit_notifications_due() u)
    order by c.id
    limit 1000
    for share skip locked
  );
  if locked = '{}' then
    return;
  end if;
  insert into public.agent_notifications (agent_id, conversation_id, message_id, kind)
  select u.agent_id, u.conversation_id, u.message_id, 'recruit_waiting'
  from private.recruit_notifications_due() u
  where u.conversation_id = any (locked)
  on conflict on constraint agent_notifications_message_id_kind_agent_id_key do nothing;
exception when others then
  raise warning 'nobody is notified of waiting recruits yet (SQLSTATE %)', sqlstate;
end
$$;

comment on function private.notify_of_waiting_recruits() is
  'Notifies agents and managers of recruits who wait, of up to 1,000 conversations, each once for a text. Never fails: what '
  'cannot be sent now is sent the next time. Notifications of recruits who no longer wait count as read. check_alerts() calls it.';

-- supabase/schemas/alerts/check.sql

-- The check that opens, updates and resolves alerts.

create function private.found_alerts(checked_at timestamptz)
returns table (kind text, subject text, details jsonb, subject_name text, problem text, command text, link text, agency_id uuid)
language plpgsql
stable
set search_path = ''
as $$
declare
  rule public.alert_rules;
begin
  for rule in select r.* from public.alert_rules r where r.is_on and r.finder is not null loop
    return query execute format('select $1, f.* from private.%I($2, $3) f', rule.finder)
      using rule.kind, rule.threshold, checked_at;
  end loop;
end
$$;

comment on function private.found_alerts(timestamptz) is
  'The conditions that are true at checked_at, of the kinds whose rule is on: one row for each kind and subject.';

create function private.check_alerts() returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  last_run timestamptz;
  checked_at timestamptz;
  opened integer;
  resolved integer;
begin
  -- Not `on conflict` alone: it would wait for a check that runs.
  insert into private.job_runs (job, started_at)
  select 'check alerts', now() where not exists (select from private.job_runs j where j.job = 'check alerts')
  on conflict do nothing;
  -- Two schedulers may run: one of them checks.
  select j.started_at into last_run from private.job_runs j where j.job = 'check alerts' for update skip locked;
  if not found then
    return null;
  end if;
  -- A clock that is set back would end what only time has begun, and begin it again. One that was a day ahead was wrong.
  checked_at := case when last_run < now() + interval '1 day' then greatest(now(), last_run) else now() end;

  -- In one order, as the claims and records of their messages do.
  perform from public.alerts a where a.state <> 'resolved' order by a.kind, a.subject for no key update;
  with found as (
    select * from private.found_alerts(checked_at)
  ), ended as (
    update public.alerts a
    set state = 'resolved', resolved_at = checked_at
    where a.state <> 'resolved'
      and not exists (select from found f where f.kind = a.kind and f.subject = a.subject)
    returning a.id
  ), written as (
    insert into public.alerts as a (kind, subject, details, subject_name, problem, command, link, agency_id, opened_at, seen_at)
    select f.*, checked_at, checked_at
    from found f
    on conflict (kind, subject) where state <> 'resolved'
    do update set
      seen_at = excluded.seen_at, details = excluded.details, subject_name = excluded.subject_name,
      problem = excluded.problem, command = excluded.command, link = excluded.link,
      agency_id = excluded.agency_id
    returning xmax = 0 as is_new
  )
  select (select count(*) from ended), (select count(*) from written w where w.is_new) into resolved, opened;

  perform private.notify_of_waiting_recruits();
  perform private.return_rejected_leads();
  perform private.prune_dispatches();
  update private.job_runs j
  set started_at = checked_at, ended_at = clock_timestamp()
  where j.job = 'check alerts';
  return jsonb_build_object(
    'open', (select count(*) from public.alerts a where a.state <> 'resolved'), 'opened', opened, 'resolved', resolved
  );
end
$$;

comment on function private.check_alerts() is
  'Opens an alert for each condition that is true, updates those that are known, and resolves those that are over or '
  'whose rule is off, notifies agents of recruits who wait, and returns rejected leads that could not be returned at once, and prunes dispatches. A scheduler runs it each minute. Returns {open, opened, '
  'resolved}: numbers of alerts; null while another check runs.';

-- supabase/schemas/alerts/lists.sql

-- The lists of alerts and of jobs, for operators.

create view private.alert_list as
select a.id, a.kind, a.subject, coalesce(a.subject_name, a.subject) as name, a.problem, a.command, a.link, r.title, r.advice,
  r.link_label, a.state, a.opened_at, a.seen_at, a.resolved_at, a.details
from public.alerts a
join public.alert_rules r on r.kind = a.kind
where (select private.may_operate());

grant select on private.alert_list to authenticated, service_role;

create view public.alert_list with (security_invoker = true) as select * from private.alert_list;

comment on view public.alert_list is
  'Alerts. name: the subject as people know it; problem: what is wrong, to follow the name and a colon; command: the admin '
  'command that helps; link: the view of the desk that helps, with link_label; title and advice: those of its kind.';
grant select on public.alert_list to authenticated, service_role;

create view private.job_list as
select j.job, j.started_at, j.ended_at
from private.job_runs j
where (select private.may_operate());

grant select on private.job_list to authenticated, service_role;

create view public.job_list with (security_invoker = true) as select * from private.job_list;

comment on view public.job_list is 'The last run of each job of the scheduler, such as `check alerts`.';
grant select on public.job_list to authenticated, service_role;

-- supabase/schemas/alerts/acts.sql

-- The acts of operators on alerts: one is taken in hand, and a rule is changed.

create function public.acknowledge_alert(alert_id uuid) returns public.alerts
language plpgsql
security definer
set search_path = ''
as $$
declare
  alert public.alerts;
begin
  perform private.require_operator();
  update public.alerts a set state = 'acknowledged' where a.id = alert_id and a.state = 'open';
  if found then
    perform private.note_operator_action('alert acknowledge', jsonb_build_object('alert_id', alert_id));
  end if;
  select * into alert from public.alerts a where a.id = alert_id;
  if not found then
    raise exception 'alert_id: there is no such alert' using errcode = 'PT404';
  elsif alert.state = 'resolved' then
    raise exception 'alert_id: the alert was resolved %', private.quoted(private.in_utc(alert.resolved_at))
      using errcode = 'PT409';
  end if;
  return alert;
end
$$;

comment on function public.acknowledge_alert(uuid) is
  'Says that somebody has an alert in hand: its receiver is not notified again until it is resolved. Again, it changes nothing. Of an '
  'operator who is signed in, a row of operator_actions says so. Returns the alert. PT404 where there is none, PT409 where it is resolved, 42501 for a user who is not an operator. '
  'Security definer because operators may not read or write the tables.';
grant execute on function public.acknowledge_alert(uuid) to authenticated, service_role;

create function public.set_alert_rule(kind text, is_on boolean default null, threshold jsonb default '{}')
returns public.alert_rules
language plpgsql
security definer
set search_path = ''
as $$
declare
  rule public.alert_rules;
  name text;
begin
  perform private.require_operator();
  select * into rule from public.alert_rules r where r.kind = set_alert_rule.kind for update;
  if not found then
    raise exception 'kind: "%" is none; give one of: %', private.quoted(kind), private.quoted((
      select string_agg(r.kind, ', ' order by r.kind) from public.alert_rules r
    ), 1000) using errcode = 'PT400';
  elsif not private.is_threshold(threshold) then
    raise exception 'threshold: give each as a number above 0, up to 1,000,000' using errcode = 'PT400';
  end if;
  select t.name into name from jsonb_object_keys(threshold) t (name) where not rule.threshold ? t.name limit 1;
  if found then
    raise exception 'threshold: "%" is none of this kind; it has: %', private.quoted(name), private.quoted(coalesce(
      (select string_agg(k.name, ', ' order by k.name) from jsonb_object_keys(rule.threshold) k (name)), 'none'
    )) using errcode = 'PT400';
  end if;

  update public.alert_rules r
  set is_on = coalesce(set_alert_rule.is_on, r.is_on), threshold = r.threshold || set_alert_rule.threshold
  where r.kind = rule.kind
  returning r.* into rule;
  perform private.note_operator_action('alert rule', jsonb_build_object(
    'kind', kind, 'changes', jsonb_strip_nulls(jsonb_build_object('is_on', set_alert_rule.is_on)) || set_alert_rule.threshold));
  return rule;
end
$$;

comment on function public.set_alert_rule(text, boolean, jsonb) is
  'Turns the rule of a kind on or off (null: as it is), and sets the numbers that threshold names; the others stay. It counts '
  'from the next check on. Returns the rule. PT400 for a kind or a number that is not one, 42501 for a user who is not an operator. '
  'Security definer because operators may not read or write the tables.';
grant execute on function public.set_alert_rule(text, boolean, jsonb) to authenticated, service_role;

-- supabase/schemas/alerts/notify.sql

-- The notification of operators: dispatches of the destination `operators`, whose receiver is the worker's setting
-- ALERT_WEBHOOK_URL. destinations/claim.sql has the states of a dispatch. Of alerts:
--
-- - an alert without a notification: `alert.opened`
-- - one that is open, its notification 24 h ago: `alert.repeated`
-- - one that is resolved, with a notification: `alert.resolved`
-- - a dispatch whose alerts have resolved before it went out, or whose rule is off: cancelled
-- - one that did not arrive: sent again until its alerts have resolved, and then for a week
--
-- alerts.told_at is what the receiver may know. A lost outcome sets it, because the request may have arrived; a refused
-- one does not. So an alert that was opened and resolved while the receiver was away has no notification.

create view private.alert_notifications_due as
with pending as (
  select a.kind, a.subject, a.opened_at
  from private.dispatches p
  cross join lateral unnest(p.alert_ids) alert (id)
  join public.alerts a on a.id = alert.id
  where p.destination_id = (select d.id from public.destinations d where d.agency_id is null and d.name = 'operators')
    and p.state in ('waiting', 'sending')
), found as (
  select a.*, 'alert.' || case when a.told_at is null then 'opened' else 'repeated' end as event,
    coalesce(a.told_at, a.opened_at) as began_at
  from public.alerts a
  where a.state <> 'resolved'
    and (a.told_at is null or a.state = 'open' and a.told_at <= now() - interval '24 hours' and a.kind <> 'order_filled')
  union all
  select a.*, 'alert.resolved', a.resolved_at
  from public.alerts a
  where a.state = 'resolved' and a.told_at is not null
)
select f.*, r.summary
from found f
join public.alert_rules r on r.kind = f.kind and r.is_on
-- Of a subject only the oldest: else the end of an alert could arrive after the next one.
where not exists (
  select from pending p where p.kind = f.kind and p.subject = f.subject and p.opened_at <= f.opened_at
) and not exists (
  select
  from found earlier
  where earlier.kind = f.kind and earlier.subject = f.subject and earlier.opened_at < f.opened_at
);

comment on view private.alert_notifications_due is
  'The alerts of which the receiver is to be notified, and the event. An alert that has a pending dispatch waits for it, as does '
  'the next one of its subject, and one whose rule is off ends silently.';

grant select on private.alert_notifications_due to service_role;

create function private.make_alert_dispatches() returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
-- claim_dispatches() switches them off.
set enable_hashjoin = on
set enable_sort = on
as $$
declare
  -- One claim at a time, so that nothing is made twice.
  operators constant uuid := (
    select d.id from public.destinations d where d.agency_id is null and d.name = 'operators' for no key update skip locked);
begin
  if operators is null then
    return;
  end if;
  perform
  from public.alerts a
  where a.id in (
    select unnest(p.alert_ids)
    from private.dispatches p
    where p.destination_id = operators and p.state = 'waiting' and p.reason = 'worker_died')
  order by a.kind, a.subject, a.id
  for no key update;
  -- Nobody knows whether a dead worker has sent its request.
  update public.alerts a
  set told_at = now()
  from private.dispatches p
  where p.destination_id = operators and p.state = 'waiting' and p.reason = 'worker_died' and a.id = any (p.alert_ids)
    and a.told_at is null;

  update private.dispatches p
  set
    alert_ids = n.needed,
    state = case n.needed when '{}' then 'cancelled' else p.state end,
    ended_at = case n.needed when '{}' then clock_timestamp() end
  from private.dispatches o
  cross join lateral (
    select array(
      select a.id
      from public.alerts a
      join public.alert_rules r on r.kind = a.kind and r.is_on
      where a.id = any (o.alert_ids)
        and case o.event
          when 'alert.opened' then a.state <> 'resolved' when 'alert.repeated' then a.state = 'open' else true end
      order by array_position(o.alert_ids, a.id)
    ) as needed
  ) n
  where o.destination_id = operators and o.state = 'waiting' and o.alert_ids <> n.needed and p.id = o.id and p.state = 'waiting';

  update public.alerts a
  set told_at = null
  from public.alert_rules r
  where r.kind = a.kind and not r.is_on and a.state = 'resolved' and a.told_at is not null;

  insert into private.dispatches (destination_id, event, alert_ids, body)
  select operators, t.event, array_agg(t.id), jsonb_build_object(
    'text', concat(
      case t.event when 'alert.opened' then 'Open: ' when 'alert.repeated' then 'Still open: ' else 'Over: ' end,
      case count(*) when 1 then min(concat_ws(': ', coalesce(t.subject_name, t.subject), t.problem))
        else format(min(t.summary), count(*), min(t.agency)) end, '.'),
    'kind', t.kind, 'state', t.state, 'since', private.iso_time(min(t.opened_at))
  ) || case count(*) when 1 then jsonb_build_object('subject', min(t.subject), 'details', (array_agg(t.details))[1])
    else jsonb_build_object(
      'subject', min(t.agency_id::text), 'details', jsonb_build_object('agency', min(t.agency), 'count', count(*))) end
  from (
    select d.*, g.name as agency
    from private.alert_notifications_due d
    left join public.agencies g on g.id = d.agency_id
  ) t
  -- Those of an agency that began in the same minute are one message.
  group by t.event, t.kind, t.state, case
    when t.summary is not null and t.agency is not null then concat(t.agency_id, date_trunc('minute', t.began_at)) else t.id::text end
  order by min(t.opened_at);
end
$$;

comment on function private.make_alert_dispatches() is
  'Makes the dispatches of alerts that are due, and cancels those that are no longer needed. claim_dispatches() calls it where the '
  'receiver is set up.';

create function private.record_alerts(sent private.dispatches, state text, is_lost boolean) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform from public.alerts a where a.id = any (sent.alert_ids) order by a.kind, a.subject, a.id for no key update;
  update public.alerts a
  set told_at = case
    when record_alerts.state = 'delivered' then case when sent.event <> 'alert.resolved' then now() end
    when record_alerts.state = 'waiting' then coalesce(a.told_at, case when is_lost then now() end)
  end
  where a.id = any (sent.alert_ids);
  if record_alerts.state = 'delivered' then
    -- The receiver is back, so what waits for it need wait no longer.
    update private.dispatches p
    set due_at = clock_timestamp()
    where p.id = any (array(
      select w.id
      from private.dispatches w
      where w.destination_id = sent.destination_id and w.state = 'waiting' and w.due_at > clock_timestamp()
      for no key update skip locked
    ));
  end if;
end
$$;

comment on function private.record_alerts(private.dispatches, text, boolean) is
  'Notes in the alerts of a dispatch what the receiver knows of them. state: in which it is left. is_lost: it may have arrived.';

create function private.is_heartbeat_due(run private.job_runs) returns boolean
language sql
stable
set search_path = ''
as $$
  select run.job = 'check alerts'
    and run.ended_at > now() - interval '5 minutes'
    -- A time that lies ahead was of a wrong clock.
    -- Not now(): a worker that waited for another began before that one notified the monitor.
    and (
      run.heartbeat_at is null
      or run.heartbeat_at not between clock_timestamp() - interval '5 minutes' and clock_timestamp()
    )
$$;

comment on function private.is_heartbeat_due(private.job_runs) is
  'Whether a monitor is to learn that alerts are checked: a check has completed in the last 5 minutes, and it was not '
  'notified in these.';

create function public.claim_heartbeat(has_heartbeat boolean) returns boolean
language plpgsql
set search_path = ''
as $$
begin
  perform private.note_setting('heartbeat', has_heartbeat);
  update private.job_runs j set heartbeat_at = clock_timestamp() where has_heartbeat and private.is_heartbeat_due(j);
  return found;
end
$$;

comment on function public.claim_heartbeat(boolean) is
  'Whether this worker, and no other, notifies the monitor that alerts are checked. has_heartbeat: whether it has a URL for that.';

create function private.is_alert_due() returns boolean
language plpgsql
stable
set search_path = ''
-- By the indexes of what is open, also while the planner does not know how little that is.
set enable_seqscan = off
as $$
begin
  return exists (
    select
    from private.sending_settings s
    -- Where there was no URL, the worker is asked again from time to time.
    where (s.is_set or s.asked_at not between now() - interval '5 minutes' and now())
      and case s.name
        when 'alerts' then exists (select from private.alert_notifications_due)
        when 'heartbeat' then exists (select from private.job_runs j where private.is_heartbeat_due(j))
      end
  );
end
$$;

comment on function private.is_alert_due() is
  'Whether the worker would make a notification of an alert, or notify the monitor. While no URL is set: every 5 minutes, to learn '
  'whether one is.';

create function public.test_alert() returns uuid
language plpgsql
set search_path = ''
as $$
declare
  test_id uuid;
begin
  insert into private.dispatches (destination_id, event, body)
  select d.id, 'test', jsonb_build_object(
    'text', 'This is a test: alerts arrive here.', 'kind', 'test', 'subject', 'test', 'state', 'open',
    'since', private.iso_time(now()), 'details', '{}'::jsonb
  )
  from public.destinations d
  where d.agency_id is null and d.name = 'operators'
  returning id into test_id;
  -- The worker is asked at once, also where it had no URL before.
  update private.sending_settings s set asked_at = '-infinity' where s.name = 'alerts';
  return test_id;
end
$$;

comment on function public.test_alert() is
  'Queues a dispatch `test` to the receiver of alerts, which the worker sends once, within some seconds. Returns its id in '
  'private.dispatches, whose state, status and reason then say what became of it: `not_configured` where no URL is set.';

grant execute on function public.claim_heartbeat(boolean), public.test_alert() to service_role;

-- supabase/schemas/alerts/schedule.sql

-- The jobs of a hosted project. pg_cron checks the alerts, notifies agents, and has pg_net call POST /worker/run while
-- work is due. Locally `npm start` does the same (dev/local/scheduler.ts). Where the extensions are missing, nothing here
-- does anything.

create function public.are_texts_due() returns boolean
language sql
stable
set search_path = ''
as $$
  select private.is_text_due() or private.is_turn_due()
$$;

comment on function public.are_texts_due() is 'Whether the worker would find a text, a greeting or a turn of the bot.';
grant execute on function public.are_texts_due() to service_role;

create function private.is_work_due() returns boolean
language sql
stable
set search_path = ''
as $$
  select public.are_texts_due() or private.is_fetch_due() or private.is_media_due() or private.is_alert_due()
    or private.is_dispatch_due()
$$;

comment on function private.is_work_due() is 'Whether a job of the worker would find something to do.';

create function private.call_worker() returns bigint
language plpgsql
set search_path = ''
as $$
declare
  url text;
  key text;
begin
  if not private.is_work_due() then
    return null;
  end if;
  select s.decrypted_secret into url from vault.decrypted_secrets s where s.name = 'worker_url';
  select s.decrypted_secret into key from vault.decrypted_secrets s where s.name = 'worker_key';
  if url is null or key is null then
    if public.are_texts_due() or private.is_fetch_due() then
      raise exception 'texts or leads to fetch are due, but Vault lacks the secret %',
        private.quoted(case when url is null then 'worker_url' else 'worker_key' end);
    end if;
    -- The project may want neither texts nor notifications of alerts.
    return null;
  end if;
  return net.http_post(
    url := url,
    body := '{}',
    headers := jsonb_build_object('Authorization', 'Bearer ' || key, 'Content-Type', 'application/json'),
    -- The worker claims for 40 s.
    timeout_milliseconds := 60000
  );
end
$$;

comment on function private.call_worker() is
  'Has pg_net call POST /worker/run while work is due. Returns the id of pg_net''s request, or null. Vault''s secret `worker_url` is the '
  'address, and `worker_key` the key. While texts or leads to fetch are due, an error names the secret that is missing; pg_cron '
  'keeps it in cron.job_run_details.';

revoke execute on function private.call_worker() from service_role;

create function private.schedule_jobs() returns text[]
language plpgsql
set search_path = ''
as $$
declare
  jobs text[] := '{check alerts,notify agents}';
begin
  if to_regclass('cron.job') is null then
    return '{}';
  end if;
  perform cron.schedule('check alerts', '* * * * *', 'select private.check_alerts()');
  -- Beside the texts, which never wait for a burst of leads.
  -- No procedure: one that commits can have no search_path of its own.
  perform cron.schedule('notify agents', '10 seconds', 'do $do$ declare began_at constant timestamptz := clock_timestamp(); '
    'begin while private.deliver_notifications(began_at) loop commit; end loop; end $do$');
  if to_regclass('net.http_request_queue') is not null and to_regclass('vault.decrypted_secrets') is not null then
    jobs := jobs || '{run worker}'::text[];
    perform cron.schedule('run worker', '10 seconds', 'select private.call_worker()');
  end if;
  perform cron.schedule(
    'prune runs of jobs',
    '17 3 * * *',
    'delete from cron.job_run_details where end_time < now() - interval ''7 days'' and jobid in '
    '(select jobid from cron.job where jobname in (''check alerts'', ''notify agents'', ''run worker''))'
  );
  return jobs;
end
$$;

comment on function private.schedule_jobs() is
  'Has pg_cron run private.check_alerts() each minute, and every 10 seconds private.deliver_notifications() and '
  'private.call_worker(), and forget the records of these runs after a week. Returns the names of the jobs: `check alerts` and '
  '`notify agents` need pg_cron, `run worker` pg_net and Vault as well. May be called again.';

revoke execute on function private.schedule_jobs() from service_role;

-- Where the project can have the extensions. One that gets them later calls private.schedule_jobs() itself.
do $$
begin
  if exists (select from pg_available_extensions e where e.name = 'pg_cron') then
    create extension if not exists pg_cron with schema pg_catalog;
    if exists (select from pg_available_extensions e where e.name = 'pg_net') then
      create extension if not exists pg_net with schema extensions;
    end if;
    perform private.schedule_jobs();
  end if;
exception when others then
  -- A project may never text, so this is no reason to stop a deployment.
  raise warning 'no job is run by pg_cron: %', sqlerrm;
end
$$;

-- supabase/schemas/alerts/metrics.sql

-- The figures of the service for a monitor.

create table private.metric_days (
  day date not null,
  metric text not null check (metric in ('leads', 'texts', 'dispatches')),
  vendor_id uuid references public.vendors (id) on delete cascade,
  result text not null,
  count bigint not null check (count >= 0),
  created_at timestamptz not null default now(),
  unique nulls not distinct (day, metric, vendor_id, result)
);

create index on private.metric_days (vendor_id);

comment on table private.metric_days is
  'How many leads, texts and dispatches there were on each day (UTC). A count never falls, so it stays when rows are pruned or erased.';
comment on column private.metric_days.vendor_id is 'The vendor of leads; null: imports. Null for texts.';
comment on column private.metric_days.result is
  'Of leads: `created`, `duplicate` or `rejected`. Of texts the state in which they have ended: `accepted`, `refused` or '
  '`failed`. Of dispatches: `delivered`, `rejected` or `failed`.';

alter table private.metric_days enable row level security;
grant select, insert, update, delete on private.metric_days to service_role;

create function private.count_metric_days() returns void
language plpgsql
set search_path = ''
-- By the indexes on times, also while the planner does not know how few rows a day has.
set enable_seqscan = off
as $$
declare
  -- The last day that was counted is counted again: some of its rows came later. So is yesterday for an hour, because
  -- transactions end after midnight, and today where a clock was ahead.
  since constant timestamptz := least(
    (select max(d.day) from private.metric_days d where d.result <> 'rejected'),
    ((now() - interval '1 hour') at time zone 'UTC')::date
  )::timestamp at time zone 'UTC';
begin
  insert into private.metric_days as m (day, metric, vendor_id, result, count)
  select (c.at at time zone 'UTC')::date, c.metric, c.vendor_id, c.result, count(*)
  from (
    select e.at, 'leads' as metric, e.vendor_id, e.result
    from private.lead_events e
    where e.result in ('created', 'duplicate') and e.at >= since
    union all
    select o.attempted_at, 'texts', null, o.state
    from public.service_numbers n
    join public.text_outbox o on o.service_phone = n.phone
    where o.attempted_at >= since and o.state in ('accepted', 'refused', 'failed')
    union all
    select p.ended_at, 'dispatches', null, p.state
    from private.dispatches p
    where p.ended_at >= since and p.state in ('delivered', 'rejected', 'failed')
  ) c
  group by 1, 2, 3, 4
  -- In one order, so that two monitors do not wait for each other.
  order by 1, 2, 3, 4
  on conflict on constraint metric_days_day_metric_vendor_id_result_key
    do update set count = excluded.count where m.count < excluded.count;
end
$$;

comment on function private.count_metric_days() is
  'Counts the leads, texts and dispatches of today, and of the last day that was counted. The first time it begins with today, within the '
  'first hour of a day (UTC) with yesterday.';

create function private.count_rejections() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- Not by reading the rows later: of a vendor only the newest ones are kept.
  insert into private.metric_days as m (day, metric, vendor_id, result, count)
  select (now() at time zone 'UTC')::date, 'leads', i.vendor_id, 'rejected', count(*)
  from inserted i
  group by i.vendor_id
  -- In one order, so that two transactions do not wait for each other.
  order by i.vendor_id
  on conflict on constraint metric_days_day_metric_vendor_id_result_key
    do update set count = m.count + excluded.count;
  return null;
end
$$;

comment on function private.count_rejections() is 'Trigger: counts rejected deliveries in their day.';

create trigger count_rejections
  after insert on public.rejected_deliveries
  referencing new table as inserted
  for each statement execute function private.count_rejections();

create function public.read_metrics() returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '10s'
as $$
begin
  perform private.count_metric_days();
  -- One value, because the API returns at most 1,000 rows.
  return (
    with vendor_labels as materialized (
      select v.id, case when row_number() over (order by v.created_at, v.id) < 199 then v.slug else 'other' end as vendor
      from public.vendors v
      union all
      -- A vendor may have this slug as well: then it is counted with the imports.
      select null, 'import'
    ), agency_labels as materialized (
      select a.id, case when row_number() over (order by a.created_at, a.id) < 200 then a.id::text else 'other' end as agency
      from public.agencies a
    ), orders as materialized (
      select
        case when o.place < 200 then o.id::text else 'other' end as "order",
        case when o.place < 200 then l.agency else 'other' end as agency, o.filled, o.quantity
      from (
        select p.*, row_number() over (order by p.created_at desc, p.id) as place
        from public.recruiting_orders p
        where p.status in ('open', 'paused', 'filled')
      ) o
      join agency_labels l on l.id = o.agency_id
    ), waiting as materialized (
      select l.vendor_id, 'unmatched' as distribution, count(*) as leads
      from public.recruiting_leads l
      where l.distribution = 'unmatched'
      group by l.vendor_id
      union all
      select l.vendor_id, 'pending', count(*)
      from public.recruiting_leads l
      where l.distribution = 'pending'
      group by l.vendor_id
    ), counted as materialized (
      select d.metric, d.vendor_id, d.result, sum(d.count) as count
      from private.metric_days d
      group by d.metric, d.vendor_id, d.result
    ), samples (name, labels, value) as (
      select
        'lead_intake_leads_total', jsonb_build_object('vendor', v.vendor, 'result', r.result),
        coalesce(sum(d.count), 0)
      from vendor_labels v
      cross join unnest(array['created', 'duplicate', 'rejected']) r (result)
      left join counted d
        on d.vendor_id is not distinct from v.id and d.metric = 'leads' and d.result = r.result
      group by v.vendor, r.result
      union all
      select
        'lead_intake_leads_waiting', jsonb_build_object('vendor', v.vendor, 'distribution', s.distribution),
        coalesce(sum(w.leads), 0)
      from vendor_labels v
      cross join unnest(array['unmatched', 'pending']) s (distribution)
      left join waiting w on w.vendor_id = v.id and w.distribution = s.distribution
      where v.id is not null
      group by v.vendor, s.distribution
      union all
      select f.name, jsonb_build_object('agency', o.agency, 'order', o."order"), sum(f.leads)
      from orders o
      cross join lateral (
        values ('lead_intake_order_filled', o.filled), ('lead_intake_order_quantity', o.quantity)
      ) f (name, leads)
      group by f.name, o.agency, o."order"
      union all
      select 'lead_intake_texts_total', jsonb_build_object('state', s.state), coalesce(sum(d.count), 0)
      from unnest(array['accepted', 'refused', 'failed']) s (state)
      left join counted d on d.metric = 'texts' and d.result = s.state
      group by s.state
      union all
      select 'lead_intake_texts_open', jsonb_build_object('state', s.state), (
        select count(*)
        from public.text_outbox o
        where o.state in ('pending', 'sending', 'unconfirmed') and o.state = s.state
      )
      from unnest(array['pending', 'sending', 'unconfirmed']) s (state)
      union all
      select 'lead_intake_texts_oldest_due_seconds', '{}', coalesce(extract(epoch from now() - (
        select min(o.first_due_at)
        from public.text_outbox o
        where o.state in ('pending', 'sending', 'unconfirmed')
          and o.first_due_at > '-infinity' and o.first_due_at <= now()
      )), 0)
      union all
      select 'lead_intake_dispatches_total', jsonb_build_object('state', s.state), coalesce(sum(d.count), 0)
      from unnest(array['delivered', 'rejected', 'failed']) s (state)
      left join counted d on d.metric = 'dispatches' and d.result = s.state
      group by s.state
      union all
      select 'lead_intake_dispatches_open', jsonb_build_object('state', s.state), (
        select count(*)
        from private.dispatches p
        where p.state in ('waiting', 'sending') and p.state = s.state
      )
      from unnest(array['waiting', 'sending']) s (state)
      union all
      -- What waits for a destination that is off is not due.
      select 'lead_intake_dispatches_oldest_due_seconds', '{}', coalesce(max(extract(epoch from now() - p.first_due_at)), 0)
      from public.destinations d
      cross join lateral (
        select o.first_due_at
        from private.dispatches o
        where o.destination_id = d.id and o.state in ('waiting', 'sending') and o.first_due_at <= now()
        order by o.first_due_at
        limit 1
      ) p
      where d.is_on
      union all
      select 'lead_intake_recruits_unanswered', jsonb_build_object('agency', a.agency), count(c.id)
      from agency_labels a
      left join public.recruiting_conversations c on c.agency_id = a.id and c.due_since is not null
        and c.waiting_since is not null
      group by a.agency
      union all
      select 'lead_intake_bot_sessions', jsonb_build_object('state', s.state), (
        select count(*) from public.bot_sessions b where b.state = s.state
      )
      from unnest(array['active', 'done', 'escalated', 'expired', 'stopped']) s (state)
      union all
      select 'lead_intake_alerts', jsonb_build_object('kind', r.kind, 'state', s.state), count(a.id)
      from public.alert_rules r
      cross join unnest(array['open', 'acknowledged']) s (state)
      left join public.alerts a on a.kind = r.kind and a.state = s.state and a.state <> 'resolved'
      group by r.kind, s.state
    )
    select jsonb_agg(jsonb_build_object('name', s.name, 'labels', s.labels, 'value', s.value)) from samples s
  );
end
$$;

comment on function public.read_metrics() is
  'The figures of now for a monitor: [{name, labels, value}], one for each series. Names that end in `_total` '
  'never fall. A label has at most 200 values: the newest orders and the oldest vendors and agencies, and `other` for the '
  'rest. Orders that are closed are left out. The vendor `import` stands for imported sales leads.';
grant execute on function public.read_metrics() to service_role;

-- supabase/schemas/alerts/destinations.sql

-- The condition of alerts about destinations.

create function private.find_destination_failing(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language plpgsql
stable
set search_path = ''
as $$
declare
  latest constant timestamptz := checked_at - make_interval(mins => 1) * (threshold ->> 'minutes')::double precision;
begin
  return query
  select
    d.id::text, jsonb_build_object('failures', d.failures, 'since', private.iso_time(d.failing_since)),
    format('destination %s of %s', d.name, g.name),
    case when d.off_reason is null then format('%s and no success since %s', private.counted(d.failures, 'failure'), private.in_utc(d.failing_since))
      else 'switched off: ' || rtrim(d.off_reason, '.') end,
    format('dispatch list --destination %s --state failed', d.name), '/operator/destinations', d.agency_id
  from public.destinations d
  join public.agencies g on g.id = d.agency_id
  where d.agent_id is null and (d.off_reason is not null
    or d.is_on and d.failing_since <= latest and d.failures >= (threshold ->> 'at_least')::numeric);
end
$$;

comment on function private.find_destination_failing(jsonb, timestamptz) is
  'Destinations of agencies to which nothing but failures went for {minutes}, {at_least} of them, and those that the service has '
  'switched off: {failures, since}.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label, summary) values (
  'destination_failing', 'find_destination_failing', '{"minutes": 60, "at_least": 5}',
  'Destinations that fail', 'Their agency corrects the receiver or the destination. Then send again what has failed.',
  'Destinations',
  '%s destinations of %s fail');

-- supabase/schemas/worker/claim_dispatches.sql

-- The worker claims dispatches and sends them: destinations/claim.sql has their states. This area spans all others: before a
-- claim, the dispatches of alerts are made.

create function public.claim_dispatches(max integer, can_mail boolean, alert_url_is_set boolean) returns jsonb
language plpgsql
set search_path = ''
-- By the indexes, also with a plan that was made while the tables were small.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
as $$
declare
  failing_at_once constant integer := 8;
  is_failing boolean;
  free integer;
  destinations uuid[];
  destination_id uuid;
  taken uuid[] := '{}';
  claimed jsonb;
  next_at timestamptz;
begin
  perform private.note_setting('mail', can_mail);
  perform private.note_setting('alerts', alert_url_is_set);
  perform private.end_lapsed_dispatches();
  if alert_url_is_set then
    perform private.make_alert_dispatches();
  else
    update private.dispatches p
    set state = 'failed', reason = 'not_configured', ended_at = clock_timestamp()
    from public.destinations d
    where d.agency_id is null and p.destination_id = d.id and p.state = 'waiting' and p.event = 'test';
  end if;

  -- Those that work come first. Of the others, which may take long to answer, only some are tried at once.
  foreach is_failing in array '{false,true}'::boolean[] loop
    free := claim_dispatches.max - cardinality(taken);
    if is_failing then
      free := least(free, failing_at_once - (
        select count(*)
        from public.destinations d
        join private.dispatches p on p.destination_id = d.id and p.state = 'sending'
        where d.failing_since is not null
      ));
    end if;
    continue when free <= 0;
    destinations := array(
      select d.id
      from public.destinations d
      cross join lateral (
        select p.due_at
        from private.dispatches p
        where p.destination_id = d.id and p.state = 'waiting'
        order by p.due_at, p.seq
        limit 1
      ) w
      cross join lateral (
        select count(*) as sending from private.dispatches p where p.destination_id = d.id and p.state = 'sending'
      ) f
      where d.is_on and (d.failing_since is not null) = is_failing and w.due_at <= clock_timestamp()
        and f.sending < case when is_failing then 1 else d.max_at_once end
        and case when d.agency_id is null then alert_url_is_set else can_mail or d.kind = 'webhook' end
      order by f.sending, w.due_at
      limit free
      for no key update of d skip locked
    );
    foreach destination_id in array destinations loop
      taken := taken || private.take_dispatches(
        destination_id,
        -- An equal share, so that none waits for another that has more to send.
        least(ceil(free / cardinality(destinations)::numeric)::integer, claim_dispatches.max - cardinality(taken)));
    end loop;
  end loop;

  select coalesce(
    jsonb_agg(
      jsonb_build_object(
        'id', p.id, 'attempt', p.attempt, 'event', p.event, 'lead_id', p.lead_id, 'body', p.body,
        'destination', jsonb_build_object(
          'id', d.id, 'kind', d.kind, 'url', d.url,
          'address', coalesce(d.address, (select a.email from public.agents a where a.id = d.agent_id)), 'template', d.template,
          'accepted_when', d.accepted_when, 'rejected_when', d.rejected_when,
          'headers', (
            select coalesce(jsonb_object_agg(s.name, s.secret), '{}')
            from private.destination_secrets s
            where s.destination_id = d.id and s.kind = 'header'
          ),
          'secrets', (
            select coalesce(jsonb_agg(s.secret order by s.created_at desc), '[]')
            from private.destination_secrets s
            where s.destination_id = d.id and s.kind = 'signing' and (s.expires_at is null or s.expires_at > now())
          ))
      ) order by t.place),
    '[]')
  into claimed
  from unnest(taken) with ordinality t (id, place)
  join private.dispatches p on p.id = t.id
  join public.destinations d on d.id = p.destination_id;

  select min(case
    when f.sending < case when d.failing_since is null then d.max_at_once else 1 end then least(w.due_at, f.lease_until)
    -- The worker that sends these comes again.
    else f.lease_until
  end) into next_at
  from public.destinations d
  cross join lateral (
    select min(p.lease_until) as lease_until, count(*) as sending
    from private.dispatches p
    where p.destination_id = d.id and p.state = 'sending'
  ) f
  left join lateral (
    select p.due_at
    from private.dispatches p
    where p.destination_id = d.id and p.state = 'waiting'
    order by p.due_at, p.seq
    limit 1
  ) w on true
  -- Alerts are sent again by a later run.
  where d.is_on and d.agency_id is not null and (can_mail or d.kind = 'webhook');
  return jsonb_build_object('dispatches', claimed, 'next_at', private.iso_time(next_at));
end
$$;

comment on function public.claim_dispatches(integer, boolean, boolean) is
  'Gives the worker up to max dispatches that are due, each for 60 seconds: {dispatches: [{id, attempt, event, lead_id|null, body, '
  'destination: {id, kind, url|null, address|null, template|null, accepted_when|null, rejected_when|null, headers: {name: value}, '
  'secrets: [whsec_...]}}], next_at|null: when the next one is due, or a lease ends}. secrets: the newest first; during a day after a rotation there are two. Of a destination '
  'at most max_at_once are with workers, one while its last attempt has failed, and of a lead one at a time, in the order of its '
  'events. Those that work come before those that fail, of which at most 8 are with workers; each has an equal share of max. can_mail: without it no e-mail is claimed; alert_url_is_set: without it no '
  'alert. The destination of alerts has no url and no secrets. Pass id and attempt to record_dispatch().';
grant execute on function public.claim_dispatches(integer, boolean, boolean) to service_role;

-- supabase/schemas/worker/record_dispatch.sql

-- What became of a dispatch that a worker has sent: destinations/claim.sql has its states.

create function public.record_dispatch(
  id uuid,
  attempt integer,
  outcome text,
  status integer default null,
  excerpt text default null,
  reason text default null,
  retry_after integer default null
) returns text
language plpgsql
set search_path = ''
set lock_timeout = '5s'
as $$
declare
  -- In seconds. Without another one, it has failed.
  pauses constant integer[] := '{5,300,1800,7200,18000,36000,36000}';
  sent private.dispatches;
  destination public.destinations;
  ends_as text := case outcome when 'gone' then 'failed' else outcome end;
  pause integer;
begin
  if outcome not in ('delivered', 'rejected', 'gone', 'retry', 'failed') then
    raise exception 'outcome: "%" is unknown', private.quoted(outcome) using errcode = 'invalid_parameter_value';
  end if;
  select p.* into sent from private.dispatches p where p.id = record_dispatch.id for no key update;
  if not found or sent.state in ('delivered', 'cancelled')
    or (sent.state <> 'sending' or sent.attempt <> record_dispatch.attempt) and outcome <> 'delivered'
  then
    return sent.state;
  end if;
  select d.* into destination from public.destinations d where d.id = sent.destination_id;

  pause := pauses[sent.attempt - sent.attempts_before];
  if ends_as = 'retry' then
    ends_as := case when sent.body is null then 'cancelled' when pause is null then 'failed' else 'waiting' end;
  end if;
  if destination.agency_id is null and outcome <> 'delivered' then
    ends_as := case when sent.event = 'test' or sent.event = 'alert.resolved' and sent.created_at <= now() - interval '7 days'
      then 'failed' else 'waiting' end;
    pause := least(10 * 2 ^ least(sent.attempt - 1, 9), 3600);
    retry_after := least(coalesce(retry_after, 0), 3600);
  end if;
  update private.dispatches p
  set
    state = ends_as,
    lease_until = null,
    due_at = case when ends_as = 'waiting'
      then clock_timestamp() + make_interval(secs => greatest(pause, least(coalesce(retry_after, 0), 86400))) else p.due_at end,
    delivered_at = case when ends_as = 'delivered' then clock_timestamp() end,
    ended_at = case when ends_as <> 'waiting' then clock_timestamp() end,
    status = record_dispatch.status,
    -- The receiver may quote the person.
    excerpt = case when p.body is not null then left(record_dispatch.excerpt, 500) end,
    reason = case when p.body is not null then left(record_dispatch.reason, 500) end,
    return_due_at = case
      when ends_as = 'rejected' and destination.returns_rejected and p.body is not null and p.event in ('lead.distributed', 'lead.reassigned')
      then clock_timestamp() end
  where p.id = sent.id;
  if destination.agency_id is null then
    perform private.record_alerts(sent, ends_as, record_dispatch.status is null and record_dispatch.reason in ('lost', 'timeout'));
  end if;

  if ends_as <> 'waiting' and sent.lead_id is not null then
    update private.dispatches p
    set due_at = clock_timestamp()
    where p.id = (
      select next.id
      from private.dispatches next
      where next.destination_id = sent.destination_id and next.lead_id = sent.lead_id and next.state in ('waiting', 'sending')
      order by next.seq
      limit 1
    ) and p.state = 'waiting' and p.attempt = p.attempts_before;
  end if;

  if outcome in ('delivered', 'rejected') then
    if destination.failing_since is not null then
      update public.destinations d set failing_since = null, failures = 0 where d.id = destination.id;
    end if;
  else
    update public.destinations d
    set failing_since = coalesce(d.failing_since, clock_timestamp()), failures = d.failures + 1
    where d.id = destination.id
    returning d.* into destination;
    if destination.is_on and destination.agency_id is not null
      and (outcome = 'gone' or destination.failing_since <= clock_timestamp() - interval '5 days')
    then
      update public.destinations d
      set is_on = false, off_reason = case outcome
        when 'gone' then 'The receiver answered 410 Gone.' else 'Nothing but failures for five days.' end
      where d.id = destination.id;
    end if;
  end if;
  return ends_as;
end
$$;

comment on function public.record_dispatch(uuid, integer, text, integer, text, text, integer) is
  'Records what became of a dispatch. id and attempt are those of claim_dispatches(). outcome: `delivered`; `rejected`: the receiver '
  'has refused it for good; `gone`: the receiver wants nothing any more (410), so that its destination is switched off; `retry`: '
  'sent again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, or after retry_after seconds where that is longer, at most a day, '
  'and then failed; `failed`: never sent again. status, excerpt and reason: of the response, see private.dispatches. Returns the resulting state; null if there is no '
  'such dispatch. A late report changes nothing unless it was delivered. Five days of nothing but failures switch the destination '
  'off. Alerts are sent again after 10 s to 1 h until they have resolved, and then for a week. 22023 for an unknown outcome.';

grant execute on function public.record_dispatch(uuid, integer, text, integer, text, text, integer) to service_role;
