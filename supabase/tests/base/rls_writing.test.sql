-- What a signed-in user may write is written by submit_lead_presentation() alone.
begin;
select plan(11);
\ir ../helpers.psql

select pg_temp.create_people();
select pg_temp.create_lead(name, 'ann') from unnest(array['lead', 'bare lead']) name;
insert into public.lead_presentations (id, lead_id, agent_id) values (md5('presentation')::uuid, md5('lead')::uuid, md5('ann')::uuid);
insert into public.lead_demographics (lead_id, children) values (md5('lead')::uuid, 1);

-- The tables of which a signed-in user may write columns; privileges.test.sql has the grants of all tables and roles.
create function pg_temp.try(name text, sql text) returns text language plpgsql as $$
begin
  perform pg_temp.become(name);
  execute sql;
  return 'done';
exception
  when insufficient_privilege then return 'denied';
end
$$;

select is(pg_temp.try(person, format('insert into public.%I (%s) values (%s)', "table", columns, "values")), 'denied',
  format('%s: insert %s', person, "table"))
from (values
  ('lead_presentations', 'lead_id, agent_id', $$md5('lead')::uuid, md5('ann')::uuid$$),
  ('lead_demographics', 'lead_id', $$md5('bare lead')::uuid$$),
  ('lead_sales', 'presentation_id, lead_id, agent_id, product, annual_premium',
    $$md5('presentation')::uuid, md5('lead')::uuid, md5('ann')::uuid, 'Term', 1$$),
  ('lead_referrals', 'presentation_id, lead_id, agent_id, first_name, phone',
    $$md5('presentation')::uuid, md5('lead')::uuid, md5('ann')::uuid, 'Ron', '1'$$)
) as inserts ("table", columns, "values"), unnest(array['ann', 'mia']) person
order by person, "table";

-- An agent may write demographics only through the procedure.
select pg_temp.become('ann');
select is_empty(
  'update public.lead_demographics set children = 9 returning lead_id', 'an agent who updates demographics directly finds no row');
select lives_ok(
  format('select public.submit_lead_presentation(%L, %L)', md5('lead')::uuid, '{"children": 2}'),
  'the procedure writes them');
select throws_ok(
  format('insert into public.lead_presentations (lead_id, agent_id) values (%L, %L)', md5('lead')::uuid, md5('ann')::uuid),
  '42501', null, 'after the procedure, in the same transaction, an agent may still not insert directly');
reset role;

select * from finish();
rollback;
