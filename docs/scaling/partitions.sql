-- Partitions by time: what begins them, makes those of the coming time, and drops old ones. ../scaling.md tells how to
-- use it. Partitions are in the schema private, which no API exposes.

create function private.lock_with_references(parent regclass) returns void
language plpgsql
set search_path = ''
-- Below the deadlock_timeout (1 s): when two wait for each other, this one gives up and nobody else gets an error.
set lock_timeout = '200ms'
as $$
declare
  -- A partition that comes or goes has its foreign keys' triggers on the tables that it refers to.
  tables constant text := (
    select string_agg(distinct t::text, ', ')
    from (
      select parent as t
      union all
      select confrelid::regclass from pg_constraint where conrelid = parent and contype = 'f'
      union all
      select conrelid::regclass from pg_constraint where confrelid = parent and contype = 'f'
    ) concerned
  );
begin
  for attempt in 1..30 loop
    begin
      execute format('lock table %s in access exclusive mode', tables);
      return;
    exception when lock_not_available then
      if attempt = 30 then
        raise;
      end if;
      perform pg_sleep(0.5);
    end;
  end loop;
end
$$;

comment on function private.lock_with_references(regclass) is
  'Locks a table, those that it refers to and those that refer to it until the end of the transaction. Tries for about 20 s, and lets others wait '
  'for 200 ms at most in each try; then 55P03.';

create function private.begin_partitions(parent regclass, time_column name) returns timestamptz
language plpgsql
set search_path = ''
set timezone = 'UTC'
as $$
declare
  -- At least 28 days ahead, because rows of a later time are refused until the first partition is attached.
  bound constant timestamptz := date_trunc('month', now()) + interval '2 months';
begin
  perform private.lock_with_references(parent);
  execute format('alter table %s add constraint first_partition check (%I < %L) not valid', parent, time_column, bound);
  return bound;
end
$$;

comment on function private.begin_partitions(regclass, name) is
  'Bounds the rows of a table by a time, 1 to 2 months from now, and returns it. So the whole table can become the first '
  'partition of a new one without being read under a lock. Rows of a later time are refused from then on: go on with '
  'attach_first_partition() before, or drop the constraint first_partition.';

create function private.partition_bounds(parent regclass)
returns table (partition regclass, starts_at timestamptz, ends_at timestamptz)
language plpgsql
stable
set search_path = ''
set timezone = 'UTC'
as $$
begin
  return query
    select
      c.oid::regclass,
      substring(pg_get_expr(c.relpartbound, c.oid) from 'FROM \(''(.+)''\) TO')::timestamptz,
      substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \(''(.+)''\)')::timestamptz
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = parent and pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT';
end
$$;

comment on function private.partition_bounds(regclass) is
  'The partitions of a table and their times; starts_at is null for the first. Without the default partition.';

create function private.add_partition(parent regclass, starts_at timestamptz, ends_at timestamptz) returns void
language plpgsql
set search_path = ''
set timezone = 'UTC'
as $$
declare
  name constant text := (select relname from pg_class where oid = parent);
  time_column constant text := substring(pg_get_partkeydef(parent) from '\((.+)\)');
  partition constant text := format('private.%I', name || to_char(starts_at, '_YYYYMMDD'));
  rest constant text := format('private.%I', name || '_default');
  is_late boolean;
begin
  execute format('create table %s (like %s including all)', partition, parent);
  execute format('alter table %s enable row level security', partition);

  execute format(
    'select exists (select from %1$s where %2$s >= %3$L and %2$s < %4$L)', rest, time_column, starts_at, ends_at)
    into is_late;
  if is_late then
    -- Outside the table no trigger takes the rows for deleted ones.
    execute format('alter table %s detach partition %s', parent, rest);
    execute format(
      'with late as (delete from %1$s where %2$s >= %3$L and %2$s < %4$L returning *) insert into %5$s select * from late',
      rest, time_column, starts_at, ends_at, partition);
  end if;
  execute format('alter table %s attach partition %s for values from (%L) to (%L)', parent, partition, starts_at, ends_at);
  if is_late then
    execute format('alter table %s attach partition %s default', parent, rest);
  end if;
end
$$;

comment on function private.add_partition(regclass, timestamptz, timestamptz) is
  'Adds a partition, and takes into it what has come into the default partition meanwhile.';

create function private.attach_first_partition(parent regclass, old regclass) returns void
language plpgsql
set search_path = ''
set timezone = 'UTC'
as $$
declare
  bound constant text := (
    select substring(pg_get_constraintdef(oid) from '''(.+)''')
    from pg_constraint
    where conrelid = old and conname = 'first_partition'
  );
  rest constant text := format('private.%I', (select relname from pg_class where oid = parent) || '_default');
begin
  -- `like` has copied it.
  execute format('alter table %s drop constraint first_partition', parent);
  execute format('alter table %s attach partition %s for values from (minvalue) to (%L)', parent, old, bound);
  execute format('alter table %s drop constraint first_partition', old);

  execute format('create table %s (like %s including all)', rest, parent);
  execute format('alter table %s enable row level security', rest);
  execute format('alter table %s attach partition %s default', parent, rest);
end
$$;

comment on function private.attach_first_partition(regclass, regclass) is
  'Makes the table that begin_partitions() has bounded the first partition, and adds a default partition, so that a row '
  'is stored even when nobody has added the partition of its time.';

create function private.maintain_partitions(parent regclass, period interval, keep interval default null)
returns integer
language plpgsql
set search_path = ''
set timezone = 'UTC'
as $$
declare
  newest timestamptz := (select max(b.ends_at) from private.partition_bounds(parent) b);
  old regclass;
  changed integer := 0;
begin
  if newest < now() + 2 * period
    or exists (select from private.partition_bounds(parent) b where b.ends_at <= now() - keep)
  then
    perform private.lock_with_references(parent);
  end if;

  while newest < now() + 2 * period loop
    perform private.add_partition(parent, newest, newest + period);
    newest := newest + period;
    changed := changed + 1;
  end loop;

  for old in
    select b.partition from private.partition_bounds(parent) b where b.ends_at <= now() - keep
  loop
    execute format('alter table %s detach partition %s', parent, old);
    execute format('drop table %s', old);
    changed := changed + 1;
  end loop;
  return changed;
end
$$;

comment on function private.maintain_partitions(regclass, interval, interval) is
  'Adds the partitions of the next two periods, and drops those whose rows are all older than keep; null: none. Returns '
  'how many came and went. Call it once a day: mostly there is nothing to do, and nothing is locked. 55P03 when somebody '
  'keeps the table for 20 s; then nothing has changed.';
