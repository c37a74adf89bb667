-- Notifications about leads and texts.
begin;
select plan(26);
\ir ../helpers.psql

-- At most 500 leads have their turn at once, and other files have left some.
delete from private.lead_notifications_due where true;
select pg_temp.create_agency('staffed');
select pg_temp.create_vendor('vendor', repeat('a', 64));
insert into public.agents (id, agency_id, first_name, role, is_active, accepts_recruits)
select md5(name)::uuid, md5('staffed')::uuid, name, role, is_active, accepts
from (values ('ann', 'agent', true, true), ('mia', 'manager', true, false), ('moe', 'manager', true, false), ('gone', 'manager', false, false))
  a (name, role, is_active, accepts);

create function pg_temp.notified(lead text) returns text[] language sql as $$
  select array_agg(a.first_name order by a.first_name)
  from public.agent_notifications n join public.agents a on a.id = n.agent_id
  where n.lead_id = md5(lead)::uuid and n.kind = 'lead'
$$;
create function pg_temp.distribute(lead text, agent text default 'ann') returns text[] language plpgsql as $$
begin
  update public.agents set accepts_recruits = id is not distinct from md5(agent)::uuid where agency_id = md5('staffed')::uuid;
  insert into public.recruiting_leads (id, vendor_id, first_name, distribution)
  values (md5(lead)::uuid, md5('vendor')::uuid, lead, 'pending');
  perform private.distribute_pending(seconds => 60);
  perform private.deliver_notifications();
  return pg_temp.notified(lead);
end
$$;

update public.recruiting_orders set status = 'paused';
select is(pg_temp.distribute('early'), null, 'nobody is notified about a lead that no order wants');
insert into public.recruiting_orders (agency_id, quantity) values (md5('staffed')::uuid, 100);
select is(pg_temp.distribute('one'), '{ann}', 'a lead''s agent is notified');
select is(pg_temp.distribute('two', null), '{mia,moe}', 'without an agent each active manager is notified');
select is_empty('select from private.lead_notifications_due', 'then nobody is left to be notified');
select lives_ok('select private.deliver_notifications()', 'the scheduler goes on');
select is(pg_temp.notified('one'), '{ann}', 'nobody is notified twice');

-- A notification that fails
create function private.refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
create trigger refuse before insert on public.agent_notifications
  for each row when (new.kind = 'lead' and new.agent_id = md5('ann')::uuid) execute function private.refuse();
select is(pg_temp.distribute('three'), null, 'nobody is notified while it fails');
select is(pg_temp.distribute('four', null), '{mia,moe}', 'others are');
select results_eq(
  $$select l.first_name, l.distribution, l.agent_id
    from private.lead_notifications_due u join public.recruiting_leads l on l.id = u.lead_id$$,
  $$values ('three', 'distributed', md5('ann')::uuid)$$, 'the lead has its agent, and waits');
delete from public.agent_notifications where lead_id = md5('three')::uuid;
drop trigger refuse on public.agent_notifications;
update public.recruiting_leads set agent_id = md5('moe')::uuid where id = md5('three')::uuid;
select private.deliver_notifications();
select is(pg_temp.notified('three'), '{moe}', 'then the agent who has the lead by now is notified');
insert into private.lead_notifications_due (lead_id) values (md5('nothing')::uuid);
select private.deliver_notifications();
select is_empty('select from private.lead_notifications_due', 'nobody is notified of a lead that is gone');

-- Notifications about a text: the rows that are stored before it, and the active agents
create function pg_temp.notified_of_text(status text, assigned text, of_lead text, inactive text[], away text[] default '{}') returns text[]
language plpgsql as $$
declare
  conversation constant uuid := gen_random_uuid();
begin
  update public.agents a set is_active = a.first_name <> all (inactive || array['gone']),
    away_until = case when a.first_name = any (away) then now() + interval '1 second' else now() end
  where a.agency_id = md5('staffed')::uuid;
  update public.recruiting_leads l set agent_id = md5(of_lead)::uuid where l.id = md5('one')::uuid;
  insert into public.recruiting_conversations (
    id, recruiting_lead_id, agency_id, recruit_phone, service_phone, status, assigned_agent_id
  )
  values (conversation, md5('one')::uuid, md5('staffed')::uuid, '+1999' || lpad((random() * 1e7)::int::text, 7, '0'), '+19995550001', status, md5(assigned)::uuid);
  perform public.receive_sms(c.recruit_phone, c.service_phone, c.id::text, 'Hi', '[]')
  from public.recruiting_conversations c where c.id = conversation;
  return array(
    select a.first_name from public.agent_notifications n join public.agents a on a.id = n.agent_id
    where n.conversation_id = conversation and n.kind = 'text' order by 1);
end
$$;
select is(pg_temp.notified_of_text(status, assigned, of_lead, inactive), agents, description)
from (values
  ('bot', null, 'ann', '{}'::text[], '{ann}'::text[], 'the bot has it and no script: the lead''s agent'),
  ('bot', 'moe', 'ann', '{}', '{moe}', 'an assigned agent goes before the lead''s'),
  ('bot', 'moe', 'ann', '{moe}', '{ann}', 'an inactive agent counts as none'),
  ('bot', null, null, '{}', '{mia,moe}', 'nobody: each manager'),
  ('bot', null, 'ann', '{ann,mia}', '{moe}', 'nobody who is active: each active manager'),
  ('escalated', 'moe', 'ann', '{}', '{moe}', 'a person has it: that person'),
  ('escalated', 'moe', 'ann', '{moe}', '{ann}', 'who has left: the lead''s agent'),
  ('escalated', 'moe', 'ann', '{moe,ann,mia}', '{moe}', 'nobody is active: the assigned agent, who may come back')
) c (status, assigned, of_lead, inactive, agents, description);
select is(pg_temp.notified_of_text(status, assigned, 'ann', inactive, away), agents, description)
from (values
  ('bot', null, '{}'::text[], '{ann}'::text[], '{ann,mia,moe}'::text[], 'an agent who is away: each manager too'),
  ('escalated', 'mia', '{}', '{mia}', '{mia,moe}', 'of managers too, each once'),
  ('bot', null, '{}', '{ann,mia,moe}', '{ann,mia,moe}', 'also those who are away'),
  ('bot', null, '{mia,moe}', '{ann}', '{ann}', 'without a manager, the agent alone'),
  ('bot', 'moe', '{}', '{ann}', '{moe}', 'that the lead''s agent is away changes nothing for an assigned one')
) c (status, assigned, inactive, away, agents, description);
select is(
  (select array_agg(distinct c.status) from public.recruiting_conversations c
    where c.agency_id = md5('staffed')::uuid and c.assigned_agent_id is null),
  '{bot}', 'the status stays');
select is_empty('select from public.bot_turns', 'without a script the bot has no turn');

select * from finish();
rollback;
