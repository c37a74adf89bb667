-- The agent of the order's agency to whom a recruiting lead goes.
begin;
select plan(19);
\ir ../helpers.psql

update public.recruiting_orders set status = 'paused';
select pg_temp.create_agency('agency', 'UTC', 'first', 'second', 'third');
insert into public.agents (id, agency_id, first_name, role, created_at)
values (md5('manager')::uuid, md5('agency')::uuid, 'manager', 'manager', '2025-01-01');
select pg_temp.create_agency('elsewhere', 'UTC', 'stranger');
update public.agents set created_at = '2024-01-01' where id = md5('stranger')::uuid;
select pg_temp.create_vendor('vendor', repeat('a', 64));
insert into public.recruiting_orders (id, agency_id, quantity) values (md5('order')::uuid, md5('agency')::uuid, 1000);

-- The first names of the agents that the next leads go to.
create function pg_temp.next(leads integer) returns text[] language sql as $$
  select array_agg(a.first_name order by n)
  from (
    select n, (pg_temp.ingest_lead(
      repeat('a', 64), jsonb_build_object('id', gen_random_uuid(), 'first_name', 'Ada')
    ) #>> '{distributed_to,agent_id}')::uuid as id
    from generate_series(1, leads) n
  ) lead
  left join public.agents a on a.id = lead.id
$$;

select is(
  pg_temp.next(7), array['first', 'second', 'third', 'first', 'second', 'third', 'first'],
  'agents take turns, those who never had a lead first; managers are left out');
select is(
  (select array_agg(first_name order by last_assigned_at desc) from public.agents
   where agency_id = md5('agency')::uuid and last_assigned_at is not null),
  array['first', 'third', 'second'],
  'every turn is recorded with its time');

update public.agents set accepts_recruits = true where id = md5('manager')::uuid;
select is(private.next_agent(md5('agency')::uuid, null), md5('manager')::uuid, 'a preview says whose turn it is, of those who never had a lead first');
select is(pg_temp.next(2), array['manager', 'second'], 'a manager who accepts recruits takes turns too');
update public.agents set accepts_recruits = false where id = md5('manager')::uuid;

update public.agents set accepts_recruits = false where id = md5('third')::uuid;
select is(pg_temp.next(2), array['first', 'second'], 'an agent who accepts none is passed over');
update public.agents set is_active = false where id = md5('first')::uuid;
select is(pg_temp.next(2), array['second', 'second'], 'an inactive agent is passed over');

update public.recruiting_orders set agent_id = md5('third')::uuid where id = md5('order')::uuid;
select is(pg_temp.next(2), array['third', 'third'], 'the order''s agent gets all, whether accepting recruits or not');
update public.recruiting_orders set agent_id = md5('manager')::uuid where id = md5('order')::uuid;
select is(pg_temp.next(1), array['manager'], 'the order''s agent may be a manager');
update public.recruiting_orders set agent_id = md5('first')::uuid where id = md5('order')::uuid;
select is(pg_temp.next(2), array['second', 'second'], 'when the order''s agent is inactive the others take turns');

update public.agents set is_active = true where id = md5('first')::uuid;

-- Away: as inactive, until a moment
update public.agents set accepts_recruits = true, away_until = now() + interval '1 second' where first_name in ('first', 'third');
select is(pg_temp.next(2), array['second', 'second'], 'an agent who is away is passed over, also one whom the order names');
select is(
  private.next_agent(md5('agency')::uuid, md5('first')::uuid), md5('second')::uuid, 'and the preview of a lead says so');
select is(
  private.for_agent(o), 'for second, because its own agent is away', 'as does what explains an order')
from public.recruiting_orders o where o.id = md5('order')::uuid;
update public.agents set away_until = now() where first_name = 'first';
select is(pg_temp.next(2), array['first', 'first'], 'from that moment on the agent gets leads again, and nothing has to run for it');
update public.agents set away_until = 'infinity' where agency_id = md5('agency')::uuid;
select is(pg_temp.next(1), array[null], 'while all are away, the agency gets the lead with no agent');
select is(private.next_agent(md5('agency')::uuid, md5('first')::uuid), null, 'as the preview says');
update public.agents set away_until = null where agency_id = md5('agency')::uuid;
update public.agents set accepts_recruits = false where id = md5('third')::uuid;

update public.agents set is_active = false where agency_id = md5('agency')::uuid;
select is(pg_temp.next(1), array[null], 'without an active agent the agency gets the lead with no agent');
select is((select filled from public.recruiting_orders where id = md5('order')::uuid), 24, 'the order counts a lead without an agent too');

update public.agents set is_active = true where id = md5('third')::uuid;
update public.recruiting_orders set agent_id = null where id = md5('order')::uuid;
select is(pg_temp.next(1), array[null], 'an active agent who accepts no recruits gets none from an order without an agent');
select is(
  (select last_assigned_at from public.agents where id = md5('stranger')::uuid), null,
  'an agent of another agency never has a turn');

select * from finish();
rollback;
