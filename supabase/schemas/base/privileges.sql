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
