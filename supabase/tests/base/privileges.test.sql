-- What holds of every grant, read from the catalogue, so that an unintended one is found. A grant stands beside its table
-- or function; rls_reading.test.sql counts the rows of each table and view that it opens.
begin;
select plan(14);

create view pg_temp.table_grants as
select c.oid::regclass::text as "table", r.rolname::text as role, p.privilege
from pg_class c
cross join pg_roles r
cross join unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']) p (privilege)
where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)
  and c.relkind in ('r', 'p')
  and r.rolname in ('anon', 'authenticated', 'service_role')
  and has_table_privilege(r.rolname, c.oid, p.privilege);

-- Written once, because many questions below read them.
create temp table own_functions as
select p.oid, p.pronamespace::regnamespace::text || '.' || p.proname as function, p.prosecdef as is_definer,
  p.prorettype = 'trigger'::regtype as is_trigger, pg_get_functiondef(p.oid) as definition
from pg_proc p
where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace)
  -- Functions of extensions do not count.
  and p.oid not in (select d.objid from pg_depend d where d.classid = 'pg_proc'::regclass and d.deptype = 'e');

create temp table function_grants as
select p.function, r.rolname::text as role
from pg_temp.own_functions p
cross join pg_roles r
where r.rolname in ('anon', 'authenticated', 'service_role') and has_function_privilege(r.rolname, p.oid, 'execute');

select is_empty($$select * from pg_temp.table_grants where role = 'anon'$$, 'anon has no privilege on any table');

select is_empty(
  $$select c.oid::regclass, a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and has_column_privilege('anon', c.oid, a.attnum, 'select, insert, update, references')$$,
  'anon has no privilege on any column');

select is_empty(
  $$select "table", privilege from pg_temp.table_grants
    where role = 'authenticated' and (privilege <> 'select' or "table" like 'private.%')$$,
  'a signed-in user has no privilege on a whole table but to select, and none in the schema private');

select set_eq(
  $$select distinct c.relname::text, p.privilege
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    cross join unnest(array['insert', 'update']) p (privilege)
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and has_column_privilege('authenticated', c.oid, a.attnum, p.privilege)$$,
  $$values ('lead_presentations', 'insert'), ('lead_demographics', 'insert'), ('lead_demographics', 'update'),
    ('lead_sales', 'insert'), ('lead_referrals', 'insert')$$,
  'a signed-in user may write columns of only those tables that submit_lead_presentation() fills');

select set_eq(
  $$select "table", privilege from pg_temp.table_grants where role = 'service_role' and "table" not like 'private.%'$$,
  $$select c.relname::text, p.privilege
    from pg_class c cross join unnest(array['select', 'insert', 'update', 'delete']) p (privilege)
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and not (c.relname in ('recruiting_message_events', 'text_consent_events', 'bot_scripts', 'operator_actions', 'agency_changes', 'lead_assignments')
          and p.privilege = 'update'
        or c.relname in ('text_consent_events', 'bot_scripts', 'operator_actions', 'agency_changes') and p.privilege = 'delete')$$,
  'the service role reads and writes every table, but never changes events, scripts and actions, nor deletes some of them');

select is_empty(
  $$select c.oid::regclass, r.rolname, p.privilege
    from pg_class c
    cross join pg_roles r
    cross join unnest(array['select', 'insert', 'update', 'delete']) p (privilege)
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('v', 'm')
      and r.rolname in ('anon', 'authenticated', 'service_role') and (r.rolname = 'anon' or p.privilege <> 'select')
      and has_table_privilege(r.rolname, c.oid, p.privilege)$$,
  'nobody may do more with a view than read it, and anon not even that');

select is_empty(
  $$select c.relname from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'v'
      and not has_table_privilege('authenticated', c.oid, 'select') and not has_table_privilege('service_role', c.oid, 'select')$$,
  'somebody may read each view');

select is_empty(
  $$select c.relname from pg_class c
    where c.relnamespace = 'private'::regnamespace and c.relkind in ('v', 'm')
      and has_any_column_privilege('authenticated', c.oid, 'select') and pg_get_viewdef(c.oid) !~ 'private\.(may_operate|current_agent_id)\(\)'
      and not coalesce(c.reloptions @> '{security_invoker=true}', false)$$,
  'a view of the schema private that a signed-in user may read has rows for operators alone, the caller''s own, or those that '
  'its policies allow');

select set_eq(
  $$select function from pg_temp.function_grants where role = 'anon'$$, array['private.admit_request'],
  'anon may execute no function but the one that PostgREST calls in each request');

-- Those that find out who is signed in, also by another function, and not only to note it.
create temp table asking as
with recursive calls as materialized (
  select p.oid, p.function, p.is_definer, parts[1] as called
  from pg_temp.own_functions p
  cross join regexp_matches(p.definition, '\y(\w+\.\w+)\(', 'g') as name (parts)
  where p.function not in ('private.note_operator_action', 'private.record_action')
), asking as (
  select oid, function, is_definer from pg_temp.own_functions where definition ~ '\yauth\.uid\(\)'
  union
  select c.oid, c.function, c.is_definer from asking a join calls c on c.called = a.function
)
select * from asking;

select cmp_ok((select count(*) from asking), '>', 60::bigint, 'functions that ask who is signed in were found');

select set_eq(
  $$select g.function from pg_temp.function_grants g join pg_temp.own_functions p using (function)
    where g.role = 'authenticated' and p.oid not in (select oid from asking where is_definer)
      -- No API exposes the others, which have the user's own rights.
      and (p.is_definer or g.function like 'public.%')$$,
  array['private.admit_request', 'private.applications_of', 'private.is_number_active', 'private.may_add_file', 'private.recruit_of',
    'private.screening_questions', 'private.text_consent_of', 'private.vendor_name', 'public.preview_leave',
    'public.search_inbox', 'public.submit_lead_presentation'],
  'a function that a signed-in user may execute asks who that is, except for eight helpers and three with the user''s own rights');

select is_empty(
  $$select function from pg_temp.own_functions p
    where function like 'public.%' and not is_trigger and not exists (
      select from pg_temp.function_grants g where g.function = p.function and g.role in ('authenticated', 'service_role'))$$,
  'somebody may execute each public function: a new one has its grant');

select is_empty(
  $$select c.relname from pg_class c where c.relnamespace = 'private'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
      and has_any_column_privilege('anon', c.oid, 'select, insert, update')$$,
  'anon reads and writes nothing in the schema private');

create table public.made_by_a_later_migration (id uuid);
create function public.made_by_a_later_migration() returns integer language sql as 'select 1';
select ok(
  not has_table_privilege('anon', 'public.made_by_a_later_migration', 'select')
  and not has_table_privilege('authenticated', 'public.made_by_a_later_migration', 'select')
  and not has_function_privilege('anon', 'public.made_by_a_later_migration()', 'execute'),
  'a new table or function is open to nobody until a grant says so');

select * from finish();
rollback;
