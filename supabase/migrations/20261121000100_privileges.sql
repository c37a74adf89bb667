-- Nothing in this database rests on default privileges: what a role may do is granted beside the table or function it
-- concerns. Hosted projects grant everything new in `public` to the API roles and Postgres grants execute on every
-- function to everybody, so both are taken back before the first object exists.
alter default privileges in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges in schema public revoke all on functions from anon, authenticated, service_role;
alter default privileges in schema public revoke all on sequences from anon, authenticated, service_role;
alter default privileges revoke execute on functions from public;

create schema private;
comment on schema private is 'Helpers of the functions, triggers and policies in public. No API exposes it.';
revoke all on schema private from public;

-- Usage alone gives nothing away: execute is granted helper by helper.
grant usage on schema private to authenticated, service_role;
