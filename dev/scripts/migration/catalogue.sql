-- The catalogue of a database, one row for each object or grant: its name, and everything that defines it.
-- Left out are the system's own schemas, members of extensions and the order of columns: a migration can only add a
-- column at the end, wherever the schema file has it.
with members as (
  select classid, objid from pg_catalog.pg_depend where deptype = 'e'
), schemas as (
  select * from pg_catalog.pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'
), relations as (
  select c.*, c.oid::regclass::text as name
  from pg_catalog.pg_class c
  join schemas s on s.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'S', 'f', 'c')
    and (c.tableoid, c.oid) not in (select classid, objid from members)
), functions as (
  select p.*, p.oid::regprocedure::text as name
  from pg_catalog.pg_proc p
  join schemas s on s.oid = p.pronamespace
  where (p.tableoid, p.oid) not in (select classid, objid from members)
), types as (
  select t.*, t.oid::regtype::text as name
  from pg_catalog.pg_type t
  join schemas s on s.oid = t.typnamespace
  where t.typtype in ('e', 'd', 'r') and (t.tableoid, t.oid) not in (select classid, objid from members)
), access_lists (object, owner, list) as (
  select 'schema ' || nspname, nspowner, coalesce(nspacl, acldefault('n', nspowner)) from schemas
  union all
  select
    'relation ' || name, relowner,
    coalesce(relacl, acldefault((case relkind when 'S' then 's' else 'r' end)::"char", relowner))
  from relations
  where relkind <> 'c'
  union all
  select format('column %s.%I', r.name, a.attname), r.relowner, a.attacl
  from relations r
  join pg_catalog.pg_attribute a on a.attrelid = r.oid
  where not a.attisdropped
  union all
  select 'function ' || name, proowner, coalesce(proacl, acldefault('f', proowner)) from functions
  union all
  select 'type ' || name, typowner, coalesce(typacl, acldefault('T', typowner)) from types
  union all
  select
    format('new objects of kind %s in %s made by %s', defaclobjtype, coalesce(n.nspname, 'any schema'), defaclrole::regrole),
    defaclrole, defaclacl
  from pg_catalog.pg_default_acl d
  left join pg_catalog.pg_namespace n on n.oid = d.defaclnamespace
)

select 'schema ' || nspname as object, format('owner %s', nspowner::regrole) as definition from schemas
union all
select 'extension ' || extname, format('schema %s', extnamespace::regnamespace) from pg_catalog.pg_extension
union all
select
  'relation ' || name,
  format(
    'kind %s, owner %s, persistence %s, row level security %s, forced %s, options %s, replica identity %s, partitions %s %s',
    relkind, relowner::regrole, relpersistence, relrowsecurity, relforcerowsecurity, reloptions, relreplident,
    pg_get_partkeydef(oid), pg_get_expr(relpartbound, oid))
from relations
union all
select
  format('column %s.%I', r.name, a.attname),
  format(
    '%s, not null %s, default %s, generated %s, identity %s, collation %s, storage %s, compression %s, options %s',
    format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid), a.attgenerated, a.attidentity,
    a.attcollation::regcollation, a.attstorage, a.attcompression, a.attoptions)
from relations r
join pg_catalog.pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
where r.relkind <> 'S'
union all
select
  format('sequence %I.%I', schemaname, sequencename),
  format('%s, start %s, %s to %s, by %s, cycle %s, cache %s', data_type, start_value, min_value, max_value, increment_by, cycle, cache_size)
from pg_catalog.pg_sequences
union all
select
  format('constraint %I on %s', c.conname, coalesce(r.name, t.name)), pg_get_constraintdef(c.oid)
from pg_catalog.pg_constraint c
left join relations r on r.oid = c.conrelid
left join types t on t.oid = c.contypid
where r.oid is not null or t.oid is not null
union all
select 'index ' || i.indexrelid::regclass, format('%s, valid %s', pg_get_indexdef(i.indexrelid), i.indisvalid)
from pg_catalog.pg_index i
join relations r on r.oid = i.indrelid
union all
select format('trigger %I on %s', t.tgname, r.name), format('%s, enabled %s', pg_get_triggerdef(t.oid), t.tgenabled)
from pg_catalog.pg_trigger t
join relations r on r.oid = t.tgrelid
where not t.tgisinternal
union all
-- A view is a rule too.
select format('rule %I on %s', w.rulename, r.name), format('%s, enabled %s', pg_get_ruledef(w.oid), w.ev_enabled)
from pg_catalog.pg_rewrite w
join relations r on r.oid = w.ev_class
union all
select
  format('policy %I on %s', p.polname, r.name),
  format(
    'for %s, permissive %s, to %s, using %s, with check %s', p.polcmd, p.polpermissive, p.polroles::regrole[],
    pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid))
from pg_catalog.pg_policy p
join relations r on r.oid = p.polrelid
union all
select
  'function ' || name,
  format('owner %s, %s', proowner::regrole, case when prokind = 'a' then 'aggregate' else pg_get_functiondef(oid) end)
from functions
union all
select
  'type ' || t.name,
  format(
    'owner %s, %s, not null %s, default %s, values %s, range of %s', t.typowner::regrole,
    format_type(t.typbasetype, t.typtypmod), t.typnotnull, t.typdefault,
    (select array_agg(e.enumlabel order by e.enumsortorder) from pg_catalog.pg_enum e where e.enumtypid = t.oid),
    (select g.rngsubtype::regtype from pg_catalog.pg_range g where g.rngtypid = t.oid))
from types t
union all
select 'statistics ' || s.stxname, pg_get_statisticsobjdef(s.oid)
from pg_catalog.pg_statistic_ext s
join relations r on r.oid = s.stxrelid
union all
select format('publication %I of %I.%I', pubname, schemaname, tablename), format('%s where %s', attnames, rowfilter)
from pg_catalog.pg_publication_tables
union all
select 'event trigger ' || evtname, format('on %s of %s calls %s, enabled %s', evtevent, evttags, evtfoid::regproc, evtenabled)
from pg_catalog.pg_event_trigger
union all
select
  format('grant on %s to %s', l.object, case a.grantee when 0 then 'public' else a.grantee::regrole::text end),
  string_agg(
    a.privilege_type || case when a.is_grantable then ' with grant option' else '' end, ', ' order by a.privilege_type)
from access_lists l
cross join aclexplode(l.list) a
group by l.object, a.grantee
union all
select format('comment on %s %s', i.type, i.identity), d.description
from pg_catalog.pg_description d
cross join pg_identify_object(d.classoid, d.objoid, d.objsubid) i
where (d.classoid = 'pg_namespace'::regclass and d.objoid in (select oid from schemas))
  -- Objects with a lower number are the system's own.
  or (d.objoid >= 16384 and (d.classoid, d.objoid) not in (select classid, objid from members))
order by object
