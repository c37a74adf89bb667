-- A manager gives recruits of the agency to an agent: who may, what goes along, and who is notified.
begin;
select plan(14);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_vendor('vendor');
insert into public.recruiting_leads (id, vendor_id, first_name, agency_id, agent_id)
select md5(name)::uuid, md5('vendor')::uuid, name, md5(agency)::uuid, md5(agent)::uuid
from (values
  ('Ada', 'agency', 'ann'), ('Ben', 'agency', null), ('Cy', 'agency', 'cal'), ('(erased)', 'agency', 'ann'),
  ('Eli', 'elsewhere', 'eve')
) r (name, agency, agent);
select pg_temp.create_conversation('talk', '+19995550001', '+19995550100', 'ann', lead => 'Ada');

create function pg_temp.assign(name text, agent text, variadic recruits text[]) returns text language plpgsql as $$
declare
  result text;
begin
  perform pg_temp.become(name);
  result := public.assign_recruits(array(select md5(r)::uuid from unnest(recruits) r), md5(agent)::uuid) ->> 'given';
  reset role;
  return result;
end
$$;
create function pg_temp.owners() returns text language sql as $$
  select string_agg(l.first_name || ' ' || coalesce(a.first_name, '-'), ', ' order by l.first_name)
  from public.recruiting_leads l
  left join public.agents a on a.id = l.agent_id
  where l.vendor_id = md5('vendor')::uuid
$$;

select throws_ok(format('select pg_temp.assign(%L, %L, %L)', who, agent, 'Ada'), code, message, who || ', ' || agent || ': ' || message)
from (values
  ('ann', 'cal', '42501', 'only a manager may give recruits to an agent'),
  ('former', 'cal', '42501', 'only an active agent may write to recruits'),
  ('mia', 'eve', '22023', 'agent: must be an active agent of the agency'),
  ('mia', 'former', '22023', 'agent: must be an active agent of the agency')
) c (who, agent, code, message);
select throws_ok($$select pg_temp.assign('mia', 'cal', variadic '{}'::text[])$$, '22023', 'ids: must be 1 to 200 recruits', 'none at all');
select throws_ok(
  $$select pg_temp.assign('mia', 'cal', variadic array(select n::text from generate_series(1, 201) n))$$, '22023',
  'ids: must be 1 to 200 recruits', 'too many');
select is(pg_temp.assign('otto', 'eve', 'Ada'), '0', 'a manager of another agency gives nothing of this one');
select is(pg_temp.owners(), '(erased) ann, Ada ann, Ben -, Cy cal, Eli eve', 'which changes nothing');

select is(pg_temp.assign('mia', 'cal', 'Ada', 'Ben', 'Cy', '(erased)', 'Eli', 'Ada'), '2', 'a manager gives recruits to an agent');
select is(pg_temp.owners(), '(erased) ann, Ada cal, Ben cal, Cy cal, Eli eve', 'those of the agency that the agent did not have');
select is(
  (select a.first_name from public.recruiting_conversations c join public.agents a on a.id = c.assigned_agent_id
   where c.id = md5('talk')::uuid),
  'cal', 'their conversations go along');
select results_eq(
  $$select a.first_name, n.kind, n.others from public.agent_notifications n join public.agents a on a.id = n.agent_id
    where n.read_at is null and n.lead_id is not null$$,
  $$values ('cal', 'lead', 1)$$, 'the agent is notified once, and of how many');
select results_eq(
  $$select f.first_name, t.first_name from public.lead_assignments s
    left join public.agents f on f.id = s.from_agent_id join public.agents t on t.id = s.to_agent_id order by 1 nulls last$$,
  $$values ('ann', 'cal'), (null, 'cal')$$, 'who had each recruit is kept');
select is(pg_temp.assign('mia', 'cal', 'Ada', 'Ben'), '0', 'a repeated call changes nothing');

select * from finish();
rollback;
