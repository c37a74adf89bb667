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
