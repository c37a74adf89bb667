-- A role may do only what is granted to it by name, beside the table or function concerned. Two defaults work against
-- that, so they are removed before the first object is made: hosted projects grant everything new in `public` to the
-- API roles, and Postgres grants execute on every new function to everybody.
alter default privileges in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges in schema public revoke all on functions from anon, authenticated, service_role;
alter default privileges in schema public revoke all on sequences from anon, authenticated, service_role;
alter default privileges revoke execute on functions from public;

-- A project may have a schema of this name already.
create schema if not exists private;
comment on schema private is 'Helpers of the functions, triggers and policies in public. No API exposes it.';
revoke all on schema private from public;

-- The service role may call all of them: it passes every policy anyway. Other users may call those that are granted
-- to them by name.
grant usage on schema private to anon, authenticated, service_role;
alter default privileges in schema private grant execute on functions to service_role;
