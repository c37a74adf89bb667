-- Many conversations that a manager gives to one agent: who may, who is notified, and two managers at once.
begin;
select plan(21);
\ir ../helpers.psql

select pg_temp.create_people();
select pg_temp.create_conversation(name, recruit, '+19995550000', owner, agency => agency)
from (values
  ('one', '+19995551001', 'ann', 'agency'), ('two', '+19995551002', 'ann', 'agency'), ('bot', '+19995551003', null, 'agency'),
  ('his', '+19995551004', 'cal', 'agency'), ('elsewhere', '+19995551005', 'eve', 'elsewhere')
) c (name, recruit, owner, agency);

create function pg_temp.assign(name text, agent text, variadic conversations text[]) returns jsonb language sql as $$
  select pg_temp.value_as(name, format(
    'public.assign_conversations(%L, %L)', array(select md5(c)::uuid from unnest(conversations) c), md5(agent)::uuid))
$$;

create view pg_temp.notified as
select a.first_name as name, n.kind, n.others
from public.agent_notifications n
join public.agents a on a.id = n.agent_id and a.agency_id = md5('agency')::uuid
where n.read_at is null;

select throws_ok(format('select pg_temp.assign(%L, %L, %L)', who, agent, 'one'), code, message, who || ', ' || agent || ': ' || message)
from (values
  ('ann', 'cal', '42501', 'only a manager may give several conversations away'),
  ('former', 'cal', '42501', 'only an active agent may write to recruits'),
  ('visitor', 'cal', '42501', 'only an active agent may write to recruits'),
  ('mia', 'eve', '22023', 'agent: must be an active agent of the agency'),
  ('mia', 'former', '22023', 'agent: must be an active agent of the agency'),
  ('mia', 'nobody', '22023', 'agent: must be an active agent of the agency')
) c (who, agent, code, message);
select throws_ok($$select pg_temp.assign('mia', 'cal', variadic '{}'::text[])$$, '22023', 'ids: must be 1 to 200 conversations', 'none at all');
select throws_ok(
  $$select pg_temp.assign('mia', 'cal', variadic array(select n::text from generate_series(1, 201) n))$$, '22023',
  'ids: must be 1 to 200 conversations', 'too many');
select is(pg_temp.assign('otto', 'eve', 'one') ->> 'given', '0', 'a manager of another agency gives nothing of this one');

select is(
  pg_temp.assign('mia', 'cal', 'one', 'two', 'bot', 'his', 'elsewhere', 'one'),
  jsonb_build_object('given', 3, 'not_given', jsonb_build_array(md5('elsewhere')::uuid)), 'a manager gives several away');
select is(
  (select string_agg(a.first_name || ' ' || c.status, ', ' order by c.recruit_phone)
   from public.recruiting_conversations c join public.agents a on a.id = c.assigned_agent_id where c.service_phone = '+19995550000'),
  'cal escalated, cal escalated, cal escalated, cal escalated, eve escalated', 'which are the agent''s then');
select results_eq(
  $$select name, kind, others from pg_temp.notified order by 1$$,
  $$values ('ann', 'taken_over', 1), ('cal', 'handoff', 2)$$, 'each agent is notified once, and of how many');
select pg_temp.become('ann');
select lives_ok(
  format('select public.ask_for_conversation(%L)', md5(name)::uuid), 'who had it may ask for ' || name)
from unnest(array['one', 'two']) name;
reset role;
delete from public.agent_notifications where kind = 'asked_for';
select is(
  (select count(*)::integer from realtime.messages
    where topic = 'agent:' || md5('ann')::uuid and event = 'notification'
      -- Other tests commit theirs.
      and payload ->> 'conversation_id' in (md5('one')::uuid::text, md5('two')::uuid::text)), 1,
  'and one event says so');
select is(pg_temp.assign('mia', 'cal', 'one', 'two') ->> 'given', '0', 'a second time nothing changes');
select is((select count(*)::integer from pg_temp.notified), 2, 'and nobody is notified again');
select is(pg_temp.assign('mia', 'mia', 'one') ->> 'given', '1', 'a manager may take them');
select results_eq(
  $$select name, kind, others from pg_temp.notified order by 1, 2, 3$$,
  $$values ('ann', 'taken_over', 1), ('cal', 'handoff', 2), ('cal', 'taken_over', null)$$,
  'the agent who loses it is notified, and a manager not of the own');
select is(pg_temp.assign('mia', 'ann', 'one', 'two', 'bot') ->> 'given', '3', 'of two agents');
select results_eq(
  $$select name, kind, others from pg_temp.notified order by 1, 2, 3$$,
  $$values ('ann', 'handoff', 2), ('cal', 'taken_over', 1), ('cal', 'taken_over', null)$$,
  'each who loses some is notified once of them, and the manager who gives them is not');

select * from finish();
rollback;
