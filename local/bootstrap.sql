-- What a hosted Supabase project has before its first migration: roles, the `extensions` schema, default privileges.
-- Not a migration, because a hosted project and `supabase start` bring all of it themselves. It runs at every start of
-- the local stack, before auth and storage create their schemas, so every statement can be repeated.

do $$
begin
  if to_regrole('anon') is null then
    create role anon nologin noinherit;
  end if;
  if to_regrole('authenticated') is null then
    create role authenticated nologin noinherit;
  end if;
  if to_regrole('service_role') is null then
    create role service_role nologin noinherit bypassrls;
  end if;
  if to_regrole('authenticator') is null then
    -- The launcher sets the password, so that none is written down here.
    create role authenticator login noinherit;
  end if;

  execute format('alter database %I set search_path to "$user", public, extensions', current_database());
end
$$;

grant anon, authenticated, service_role to authenticator;
grant anon, authenticated, service_role to postgres;

-- What auth and storage log in as. At its first request the package that serves them grants everything in every schema
-- with row level security to the API roles, so it must own nothing outside its own two schemas; reading all data makes
-- Postgres answer such a grant with a warning, where it would refuse it to a role without any right.
do $$
begin
  if to_regrole('supabase_lite') is null then
    create role supabase_lite login noinherit bypassrls;
  end if;
  execute format('grant create on database %I to supabase_lite', current_database());
end
$$;
grant anon, authenticated, service_role to supabase_lite;
grant pg_read_all_data to supabase_lite with inherit true;

-- A role's settings apply at log-in, and only authenticator logs in: PostgREST applies those of anon and authenticated
-- itself when it switches roles, and service_role has none, so it keeps the 8 s of authenticator.
alter role anon set statement_timeout to '3s';
alter role authenticated set statement_timeout to '8s';
alter role authenticator set statement_timeout to '8s';
alter role authenticator set lock_timeout to '8s';

grant usage on schema public to anon, authenticated, service_role;

-- Hosted projects grant everything new in `public` to the API roles; the first migration takes that back, and without
-- it here a forgotten revoke would go unnoticed until deployment.
alter default privileges for role postgres in schema public
  grant all on tables to postgres, anon, authenticated, service_role;
alter default privileges for role postgres in schema public
  grant all on functions to postgres, anon, authenticated, service_role;
alter default privileges for role postgres in schema public
  grant all on sequences to postgres, anon, authenticated, service_role;

create schema if not exists extensions;
grant usage on schema extensions to anon, authenticated, service_role;
alter default privileges for role postgres in schema extensions
  grant execute on functions to postgres, anon, authenticated, service_role;
create extension if not exists pgcrypto with schema extensions;

create schema if not exists auth;
alter schema auth owner to supabase_lite;
grant usage on schema auth to anon, authenticated, service_role;
alter default privileges for role supabase_lite in schema auth
  grant execute on functions to anon, authenticated, service_role;

-- Storage metadata is reached through the storage service, and row level security decides what a role sees there.
create schema if not exists storage;
alter schema storage owner to supabase_lite;
grant usage on schema storage to anon, authenticated, service_role;
alter default privileges for role supabase_lite in schema storage
  grant all on tables to anon, authenticated, service_role;
