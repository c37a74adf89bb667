-- Rules for every table, function and foreign key.
begin;
select plan(10);

create view pg_temp.own_tables as
select c.oid, c.relname
from pg_class c
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p');

create view pg_temp.own_functions as
select p.*, p.oid::regprocedure::text as signature
from pg_proc p
where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace)
  -- Functions of extensions do not count.
  and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e');

select is_empty(
  $$select relname from pg_class c where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)
      and c.relkind in ('r', 'p') and not relrowsecurity$$,
  'every table has row level security');

select is_empty($$select relname from pg_temp.own_tables where obj_description(oid, 'pg_class') is null$$, 'every table has a comment');

select is_empty(
  $$select relname from pg_temp.own_tables t where not exists (
    select from pg_attribute a
    where a.attrelid = t.oid and a.attname in ('created_at', 'received_at', 'published_at', 'opened_at') and a.attnotnull)$$,
  'every table has the time at which a row was made');

select is_empty(
  $$select relname, a.attname from pg_temp.own_tables t join pg_attribute a on a.attrelid = t.oid
    where a.attnum > 0 and a.atttypid = 'timestamp'::regtype$$,
  'no timestamp is without a time zone');

select is_empty(
  $$select relname from pg_temp.own_tables t
    join pg_attribute a on a.attrelid = t.oid and a.attname = 'updated_at'
    where not exists (select from pg_trigger g where g.tgrelid = t.oid and g.tgfoid = 'private.set_updated_at'::regproc)$$,
  'every updated_at is set by the shared trigger');

select is_empty(
  'select signature from pg_temp.own_functions where array_to_string(proconfig, chr(10)) !~ ''search_path=""'' or '
  'proconfig is null and prokind <> ''p''',
  -- A procedure commits, which it cannot do with settings of its own.
  'every function has an empty search_path');

select is_empty(
  $$select signature from pg_temp.own_functions where obj_description(oid, 'pg_proc') is null$$,
  'every function has a comment');

select is_empty(
  $$select c.conrelid::regclass, c.conname
    from pg_constraint c
    join pg_temp.own_tables t on t.oid = c.conrelid
    where c.contype = 'f' and not exists (
      select from pg_index i
      where i.indrelid = c.conrelid and (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey)$$,
  'every foreign key has an index that begins with its columns');

select is_empty(
  $$select t.relname, action, array_agg(p.polname)
    from pg_temp.own_tables t
    join pg_policy p on p.polrelid = t.oid and p.polpermissive
    cross join unnest(array['r', 'a', 'w', 'd']::"char"[]) action
    where p.polcmd in (action, '*')
    group by t.relname, action having count(*) > 1$$,
  'a table has one policy for each action: join conditions with `or` in the one that is in its file of supabase/schemas');

select is_empty(
  $$select c.relname from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('v', 'm')
      and not coalesce(c.reloptions @> '{security_invoker=true}', false)
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')$$,
  'a view reads with the rights of its caller');

select * from finish();
rollback;
