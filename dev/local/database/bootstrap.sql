-- The objects of a hosted Supabase project before its first migration: roles, the `extensions` schema, default
-- privileges. Not a migration, because a hosted project and `supabase start` bring all of it themselves. It runs once
-- in the life of a database: a second time it would grant again what the first migration has taken back.

-- Roles belong to the whole server, which may have a second database.
do $$
begin
  if to_regrole('authenticator') is null then
    create role anon nologin noinherit;
    create role authenticated nologin noinherit;
    create role service_role nologin noinherit bypassrls;
    -- The role that PostgREST logs in as. The launcher sets the passwords, so that none is written down here.
    create role authenticator login noinherit;
    -- The role that auth and storage log in as. At its first request the package that serves them grants everything in
    -- every schema with row level security to the API roles. So it must own nothing outside its own two schemas. It may
    -- read all data, because Postgres then answers such a grant with a warning. A role without any right would be
    -- refused.
    create role supabase_lite login noinherit bypassrls;
    grant pg_read_all_data to supabase_lite with inherit true;
    grant anon, authenticated, service_role to authenticator, postgres, supabase_lite;
    -- The settings of a hosted project. A role's apply at log-in, and only authenticator logs in: PostgREST applies those
    -- of anon and authenticated itself when it switches roles, and service_role has none, so it keeps the 8 s of
    -- authenticator.
    alter role anon set statement_timeout to '3s';
    alter role authenticated set statement_timeout to '8s';
    alter role authenticator set statement_timeout to '8s';
    alter role authenticator set lock_timeout to '8s';
  end if;
end
$$;

do $$
begin
  execute format('grant create on database %I to supabase_lite', current_database());
  execute format('alter database %I set search_path to "$user", public, extensions', current_database());
end
$$;

grant usage on schema public to anon, authenticated, service_role;

-- Hosted projects grant everything new in `public` to the API roles, and the first migration takes that back. Without
-- it here, a forgotten revoke would go unnoticed until deployment.
alter default privileges for role postgres in schema public
  grant all on tables to postgres, anon, authenticated, service_role;
alter default privileges for role postgres in schema public
  grant all on functions to postgres, anon, authenticated, service_role;
alter default privileges for role postgres in schema public
  grant all on sequences to postgres, anon, authenticated, service_role;

create schema extensions;
grant usage on schema extensions to anon, authenticated, service_role, supabase_lite;
alter default privileges for role postgres in schema extensions
  grant execute on functions to postgres, anon, authenticated, service_role, supabase_lite;
create extension pgcrypto with schema extensions;

create schema auth authorization supabase_lite;
grant usage on schema auth to anon, authenticated, service_role;
alter default privileges for role supabase_lite in schema auth
  grant execute on functions to anon, authenticated, service_role;

-- Storage metadata is reached through the storage service, and row level security decides what a role sees there.
create schema storage authorization supabase_lite;
grant usage on schema storage to anon, authenticated, service_role;
alter default privileges for role supabase_lite in schema storage
  grant all on tables to anon, authenticated, service_role;
