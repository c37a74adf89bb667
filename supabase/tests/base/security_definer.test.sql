-- Every function that runs with its owner's rights says why in its comment, and docs/schema.md lists them by it.
begin;
select plan(2);

create temp table definers as
select p.oid::regprocedure::text as name, obj_description(p.oid, 'pg_proc') as comment
from pg_proc p
where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace) and p.prosecdef
  and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e');

select cmp_ok((select count(*) from definers), '>', 50::bigint, 'the functions were found');
select is_empty(
  $$select name from definers where comment !~ ' Security definer because \S.*\.$' is not false$$,
  'the comment of each security definer function ends with "Security definer because …"');

select * from finish();
rollback;
