-- Exports of recruits: who may note one, and who reads it.
begin;
select plan(8);
\ir ../helpers.psql

select pg_temp.create_people();
create function pg_temp.note(name text, recruits integer) returns jsonb language sql as $$
  select pg_temp.value_as(name, format('public.note_export(%L)', recruits))
$$;

select ok(pg_temp.note('mia', 12) ? 'export_id', 'a manager notes an export');
select results_eq(
  $$select agency_id, agent_id, recruits from public.recruit_exports where agency_id = md5('agency')::uuid$$,
  $$values (md5('agency')::uuid, md5('mia')::uuid, 12)$$, 'with who made it, and how many recruits it has');
select throws_ok(format('select pg_temp.note(%L, %s)', who, recruits), code, message, who || ': ' || message)
from (values
  ('ann', '1', '42501', 'only a manager may export recruits'), ('former', '1', '42501', 'only a manager may export recruits'),
  ('visitor', '1', '42501', 'only a manager may export recruits'), ('mia', '-1', '22023', 'recruits: must be from 0 to 1,000,000'),
  ('mia', 'null', '22023', 'recruits: must be from 0 to 1,000,000')
) c (who, recruits, code, message);
select pg_temp.become('mia');
select throws_ok(
  $$insert into public.recruit_exports (agency_id, agent_id, recruits) values (md5('agency')::uuid, md5('mia')::uuid, 1)$$, '42501',
  null, 'nobody writes the table');
reset role;

select * from finish();
rollback;
