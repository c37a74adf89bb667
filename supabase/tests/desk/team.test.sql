-- The page of a manager: the orders with their pace, and the agents with what waits for them.
begin;
select plan(14);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_vendor('vendor');
update public.agencies set timezone = 'America/Chicago' where id = md5('agency')::uuid;
insert into public.recruiting_orders (id, agency_id, agent_id, vendor_id, states, quantity, status, created_at, starts_at)
select md5(name)::uuid, md5('agency')::uuid, md5(agent)::uuid, md5(vendor)::uuid, states, quantity, status, now() - age, now() - began
from (values
  ('old', 'ann', 'vendor', array['TX'], 100, 'open', interval '90 days', null),
  ('young', null, null, null, 10, 'open', '4 hours', null),
  ('later', null, null, null, 10, 'open', '90 days', interval '4 days'),
  ('to come', null, null, null, 10, 'open', '1 day', interval '-3 days'),
  ('paused', null, null, null, 10, 'paused', '90 days', null),
  ('idle', null, null, null, 10, 'open', '90 days', null)
) o (name, agent, vendor, states, quantity, status, age, began);
-- Leads that the order has got so long ago.
create function pg_temp.got(name text, leads integer, ago interval, agent text default 'ann') returns void language plpgsql as $$
begin
  insert into public.recruiting_leads (vendor_id, first_name, distribution, agency_id, agent_id, order_id, distributed_at)
  select md5('vendor')::uuid, 'Lead', 'distributed', md5('agency')::uuid, md5(agent)::uuid, md5(name)::uuid, now() - ago
  from generate_series(1, leads);
  update public.recruiting_orders set filled = filled + leads where id = md5(name)::uuid;
end
$$;
select pg_temp.got('old', 40, '8 days'), pg_temp.got('old', 10, '6 days'), pg_temp.got('old', 4, '0', 'cal'),
  pg_temp.got('young', 6, '1 hour'), pg_temp.got('later', 6, '1 day'), pg_temp.got('paused', 7, '2 days');

select pg_temp.become('mia');
select results_eq(
  $$select name, p.leads_7_days, p.per_day, p.full_in_days
    from unnest(array['old', 'young', 'later', 'to come', 'paused', 'idle']) with ordinality o (name, place)
    left join public.order_pace p on p.id = md5(o.name)::uuid
    order by o.place$$,
  $$values ('old', 14, 2.0, 23), ('young', 6, null, null), ('later', 6, 1.5, 3), ('to come', 0, null, null), ('paused', 7, 1.0, null),
    ('idle', 0, 0.0, null)$$,
  'the pace of an order is that of the last 7 days, or of those since it began, if these are three, and says when the order is full');
select results_eq(
  $$select vendor, agent, states, quantity, filled from public.order_pace where id = md5('old')::uuid$$,
  $$values ('vendor', 'ann', array['TX'], 100, 54)$$, 'a manager reads whose leads an order is for, and who gets them');
select results_eq(
  $$select vendor, agent from public.order_pace where id = md5('idle')::uuid$$, $$values (null::text, null::text)$$,
  'an order may be for any vendor''s leads, and for every agent');
reset role;
update public.recruiting_leads
set distributed_at = private.day_start(now(), 'America/Chicago') - case when agent_id = md5('cal')::uuid then interval '0' else '1 ms' end
where order_id = md5('old')::uuid and distributed_at > now() - interval '7 days';
select pg_temp.become('mia');
select is(p.leads_today, 4, 'the leads of today are those of the agency''s day')
from public.order_pace p where p.id = md5('old')::uuid;
select is(p.leads_today + p.leads_7_days, 0, 'an order without leads has none') from public.order_pace p where p.id = md5('idle')::uuid;
reset role;

insert into public.recruiting_leads (id, vendor_id, first_name, distribution, agency_id, agent_id, order_id, distributed_at)
values (md5('recruit')::uuid, md5('vendor')::uuid, 'Ada', 'distributed', md5('agency')::uuid, md5('cal')::uuid, md5('young')::uuid, now());
select pg_temp.create_conversation(name, recruit, '+19995550100', agent, lead => lead)
from (values
  ('ann 1', '+19995550001', 'ann', null), ('ann two', '+19995550002', 'ann', null), ('cal 1', '+19995550003', null, 'recruit'),
  ('answered', '+19995550004', 'cal', null), ('nobody''s', '+19995550005', null, null)
) c (name, recruit, agent, lead);
update public.recruiting_conversations c
set waiting_since = now() - interval '1 hour' * length(w.name), last_message_at = now()
from (values ('ann 1'), ('ann two'), ('cal 1'), ('nobody''s')) w (name)
where c.id = md5(w.name)::uuid;
insert into public.conversation_reads (conversation_id, agent_id, read_up_to) values
  (md5('ann 1')::uuid, md5('ann')::uuid, now()), (md5('ann two')::uuid, md5('ann')::uuid, now() - interval '1 minute'),
  (md5('cal 1')::uuid, md5('mia')::uuid, now());

select pg_temp.become('mia');
select results_eq(
  'select first_name, waiting, unread, waiting_since, recruits_7_days from public.team order by first_name',
  $$values ('ann', 2, 1, now() - interval '7 hours', 29), ('cal', 1, 1, now() - interval '5 hours', 5),
    ('former', 0, 0, null, 0), ('mia', 0, 0, null, 0)$$,
  'of each agent a manager reads what waits, what of it the agent has not read, and the recruits that orders have brought');
select results_eq(
  'select first_name, role, is_active, accepts_recruits, has_login from public.team where first_name in (''ann'', ''former'') order by 1',
  $$values ('ann', 'agent', true, true, true), ('former', 'manager', false, false, true)$$, 'and what the agent is');
reset role;

create function pg_temp.sees(name text) returns bigint[] language sql as $$
  select pg_temp.result_as(name, 'select array[(select count(*) from public.team), (select count(*) from public.order_pace)]')::bigint[]
$$;
select is(pg_temp.sees(name), rows::bigint[], format('%s reads %s agents and orders', name, rows))
from (values ('mia', array[4, 6]), ('otto', array[2, 0]), ('ann', array[0, 0]), ('former', array[0, 0]), ('visitor', array[0, 0]))
  p (name, rows);

set local enable_seqscan = off;
grant execute on function pg_temp.plan_of(text) to authenticated;
set local role authenticated;
select matches(
  pg_temp.plan_of($$select * from public.order_pace order by created_at desc, id desc limit 50$$),
  'recruiting_leads_order_day_idx', 'the leads of an order''s last days are found by an index');
select doesnt_match(
  pg_temp.plan_of('select * from public.team order by first_name, id limit 50'),
  'Seq Scan on recruiting_(conversations|leads)',
  'what waits for a team, and its recruits, are found by indexes');
reset role;

select * from finish();
rollback;
