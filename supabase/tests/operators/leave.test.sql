-- An agent leaves: what becomes of all that the agent has, also while leads come and texts are sent over several
-- connections. What these commit is deleted at the end.
begin;
create extension if not exists dblink with schema extensions;
select plan(43);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_vendor('vendor');
insert into public.service_numbers (phone, agency_id) values ('+19995550400', md5('agency')::uuid);

-- A recruit of this agent, with a conversation that `takes` has taken over, an unread text in it, and one of our texts.
create function pg_temp.add_recruit(name text, agent text default 'ann', takes text default 'ann') returns void
language plpgsql as $$
begin
  insert into public.recruiting_leads (id, vendor_id, first_name, agency_id, agent_id, distribution, distributed_at)
  values (md5(name)::uuid, md5('vendor')::uuid, name, md5('agency')::uuid, md5(agent)::uuid, 'distributed', now());
  perform pg_temp.create_conversation(
    name, '+1999' || right(translate(md5(name), 'abcdef', '123456'), 7), '+19995550400', takes, lead => name);
  insert into public.recruiting_messages (id, conversation_id, direction, sender_type, body)
  values (md5(name)::uuid, md5(name)::uuid, 'inbound', 'recruit', 'Hi'),
    (md5(name || ' ours')::uuid, md5(name)::uuid, 'outbound', 'agent', 'Ho');
  insert into public.text_outbox (message_id, kind, due_at) values (md5(name || ' ours')::uuid, 'agent', now() + interval '1 day');
  insert into public.agent_notifications (agent_id, conversation_id, message_id, kind)
  values (md5(coalesce(takes, agent))::uuid, md5(name)::uuid, md5(name)::uuid, 'text');
end
$$;
-- The agent of the lead and of its conversation, and the unread notifications about it.
create function pg_temp.owners(name text) returns text language sql as $$
  select concat_ws(' ', coalesce(l.first_name, '-'), c.status, coalesce(ca.first_name, '-'),
    (select string_agg(na.first_name, ' ' order by na.first_name)
      from public.agent_notifications n join public.agents na on na.id = n.agent_id
      where n.conversation_id = c.id and n.read_at is null))
  from public.recruiting_leads r
  join public.recruiting_conversations c on c.recruiting_lead_id = r.id
  left join public.agents l on l.id = r.agent_id
  left join public.agents ca on ca.id = c.assigned_agent_id
  where r.id = md5(name)::uuid
$$;
create function pg_temp.leave(agent text, other text default null) returns jsonb language sql as $$
  select public.leave_agent(md5(agent)::uuid, md5(other)::uuid) - 'manager_id' - 'order_ids'
$$;

select set_config('admin.operator', 'olivia', true);

-- To another agent
select pg_temp.add_recruit('one'), pg_temp.add_recruit('of the bot', takes => null), pg_temp.add_recruit('of cal', 'cal', 'ann'),
  pg_temp.add_recruit('taken', 'ann', 'mia'), pg_temp.create_lead('sale', 'ann');
insert into public.recruiting_orders (id, agency_id, agent_id, quantity, status)
select md5('order ' || status)::uuid, md5('agency')::uuid, md5('ann')::uuid, 10, status
from unnest(array['open', 'paused', 'closed']) status;
create function pg_temp.orders() returns text language sql as $$
  select string_agg(a.first_name || ' ' || o.status, ', ' order by o.status, a.first_name)
  from public.recruiting_orders o join public.agents a on a.id = o.agent_id
$$;
savepoint before;
select is(
  pg_temp.leave('ann', 'cal'),
  '{"recruiting_leads": 3, "sales_leads": 1, "conversations": 3, "notifications": 3, "texts": 2,
    "is_last": false}'::jsonb || jsonb_build_object('login', md5('ann') || '@example.com'),
  'what an agent has is counted');
select is(pg_temp.owners('one'), 'cal escalated cal cal', 'a recruit goes to the agent who is named, with what is unread');
select is(pg_temp.owners('of the bot'), 'cal bot cal cal', 'so does one whom the bot answers');
select is(pg_temp.owners('of cal'), 'cal escalated cal cal', 'and the recruit of a colleague');
select is(pg_temp.owners('taken'), 'cal escalated mia mia', 'a conversation that a colleague has taken over stays');
select is((select agent_id from public.leads where id = md5('sale')::uuid), md5('cal')::uuid, 'a sales lead goes along');
select is(pg_temp.orders(), 'ann closed, cal open, cal paused', 'orders name the other agent, and closed ones stay as they were');
select is(
  (select string_agg(o.state, ' ') from public.text_outbox o where o.message_id = md5('one ours')::uuid), 'pending',
  'a text that waits is sent anyway');
select ok(not a.is_active and a.user_id is null, 'the agent is inactive, and has no login') from public.agents a where a.id = md5('ann')::uuid;
select is((select count(*)::integer from auth.users where id = md5('user ann')::uuid), 0, 'the login is gone');
select is(
  (select count(*)::integer from public.lead_assignments where from_agent_id = md5('ann')::uuid and to_agent_id = md5('cal')::uuid
    and assigned_by = 'olivia'),
  4, 'who had each lead is kept');
select is(
  pg_temp.leave('ann', 'cal') - 'is_last',
  '{"recruiting_leads": 0, "sales_leads": 0, "conversations": 0, "notifications": 0, "texts": 0, "login": null}',
  'again, nothing is left to move');
rollback to before;

-- To the agency
select throws_ok(
  $$select pg_temp.leave('ann')$$, 'PT409', 'to_agent_id: the agent has sales leads (1), and each needs an agent',
  'a sales lead needs an agent');
delete from public.leads where id = md5('sale')::uuid;
select is(
  pg_temp.leave('ann') - 'login',
  '{"recruiting_leads": 3, "sales_leads": 0, "conversations": 2, "notifications": 3, "texts": 2, "is_last": false}',
  'what goes to the agency is counted');
select is(pg_temp.owners('one'), '- escalated mia mia', 'a recruit has no agent then, and a manager has the conversation');
select is(pg_temp.owners('of the bot'), '- bot - mia', 'one whom the bot answers needs none');
select is(pg_temp.owners('of cal'), 'cal escalated cal cal', 'a colleague gets the own recruit back');
select is(pg_temp.owners('taken'), '- escalated mia mia', 'what a manager has taken over stays');
select is(pg_temp.orders(), 'ann closed, ann paused, ann paused', 'the orders of the agent are paused');
select is(
  (select count(*)::integer from public.lead_assignments where from_agent_id = md5('ann')::uuid and to_agent_id is null), 3,
  'that the agency has each lead is kept');
rollback to before;

-- Refusals
select throws_ok($$select pg_temp.leave('nobody')$$, 'PT404', 'agent_id: there is no such agent', 'an agent who is unknown');
select throws_ok($$select pg_temp.leave('ann', 'former')$$, 'PT409', 'to_agent_id: the agent is inactive', 'another who has left');
select throws_ok($$select pg_temp.leave('ann', 'eve')$$, 'PT409', 'to_agent_id: the agent is of another agency', 'another agency');
select throws_ok($$select pg_temp.leave('ann', 'ann')$$, 'PT400', 'to_agent_id: it is the agent who leaves', 'the same agent');
insert into public.operators (user_id) values (md5('user ann')::uuid);
select throws_ok(
  $$select pg_temp.leave('ann', 'cal')$$, 'PT409',
  'agent_id: the login is an operator''s too. First: npm run admin -- operator remove <email>', 'an operator''s login is not deleted');
delete from public.operators where user_id = md5('user ann')::uuid;
delete from public.leads where id = md5('sale')::uuid;
update public.agents set is_active = false where id = md5('mia')::uuid;
select throws_ok($$select pg_temp.leave('ann')$$, 'PT409', null, 'conversations need a manager, where nobody is named');
select is((select is_active from public.agents where id = md5('ann')::uuid), true, 'then all stays as it was');

-- At the same moment: the agent sends texts, recruits write, leads come, and others give leads to the agent.
rollback to before;
select pg_temp.create_committed('leaves', 'lea', 'max');
select pg_temp.commit_of('leaves', $sql$
  update public.agents set role = 'manager' where id = md5('lea')::uuid;
  insert into public.recruiting_orders (agency_id, vendor_id, quantity, priority) values ({id}, {id}, 1000, 2000);
  insert into public.service_numbers (phone, agency_id) values ('+19995550500', {id});
  insert into public.recruiting_conversations (
    id, agency_id, recruit_phone, service_phone, status, assigned_agent_id
  )
  select md5('leaves ' || n)::uuid, {id}, '+1999559' || 1000 + n, '+19995550500', 'escalated',
    case when n % 2 = 0 then md5('lea')::uuid else md5('max')::uuid end
  from generate_series(1, 40) n;
$sql$);
select is((select count(*)::integer from pg_temp.race(6, replace($work$
  do $do$
  begin
    for n in 1..20 loop
      begin
        if {worker} = 1 then
          if n = 10 then
            perform public.leave_agent(md5('lea')::uuid, md5('max')::uuid);
          else
            perform pg_sleep(0.005);
          end if;
        elsif {worker} <= 3 then
          -- As a manager she may take any conversation over.
          perform set_config('request.jwt.claims', json_build_object('sub', md5('user lea')::uuid, 'role', 'authenticated')::text, true);
          perform public.send_text(
            md5('leaves ' || n * 2 - {worker} + 2)::uuid, 'Hello', md5('leaves {worker} ' || n)::uuid, take_over => true);
          insert into public.recruiting_message_events (provider_message_id, provider_status) values ('race leave', 'sent');
        elsif {worker} = 4 then
          perform public.receive_sms('+1999559' || 1000 + n, '+19995550500', 'leaves text ' || n, 'Hello', '[]');
        elsif {worker} = 5 then
          perform public.ingest_recruiting_leads(jsonb_build_array(jsonb_build_object('key_hash', '{key}', 'lead',
            jsonb_build_object('id', md5('leaves {worker} ' || n)::uuid, 'first_name', 'Ada', 'vendor_metadata', '{}'::jsonb))));
        else
          perform public.assign_leads(md5('lea')::uuid, from_agent_id => md5('max')::uuid);
        end if;
      exception when insufficient_privilege or sqlstate 'PT409' then
        insert into public.recruiting_message_events (provider_message_id, provider_status) values ('race leave', sqlstate);
      end;
      commit;
    end loop;
  end
  $do$
$work$, '{key}', pg_temp.key_of('leaves')))), 6, 'nobody waits in a circle');
select pg_temp.commit('do $do$ begin perform private.try_distribute_pending(), private.deliver_notifications(); end $do$');
select is(
  (select count(*)::integer from public.recruiting_leads where vendor_id = md5('leaves')::uuid and agent_id = md5('max')::uuid), 20,
  'each lead that came is the other agent''s');
select is(
  (select count(*)::integer from public.recruiting_conversations
    where agency_id = md5('leaves')::uuid and assigned_agent_id = md5('max')::uuid),
  40, 'so is each conversation, also one in which another agent wrote');
select is(
  (select count(*)::integer from public.text_outbox o join public.recruiting_conversations c on c.id = o.conversation_id
    where c.agency_id = md5('leaves')::uuid),
  (select count(*)::integer from public.recruiting_message_events
    where provider_message_id = 'race leave' and provider_status = 'sent'), 'no text is lost that was accepted');
select throws_ok(
  format('select * from extensions.dblink(pg_temp.connected(), %L) as r (ignored text)', format(
    $$select set_config('request.jwt.claims', %L, true) || public.send_text(md5('leaves 2')::uuid, 'Hello', md5('late')::uuid, take_over => true)$$,
    json_build_object('sub', md5('user lea')::uuid, 'role', 'authenticated'))),
  '42501', null, 'after that the agent sends none');
select is_empty(
  $$select n.kind from public.agent_notifications n
    where n.agent_id = md5('lea')::uuid and n.read_at is null and n.kind not in ('taken_over', 'asked_for')$$,
  'nothing that is unread is left');

-- One after the other: a text that the agent is sending, and a lead that is on its way
select pg_temp.commit_of('leaves', $sql$
  insert into auth.users (id, email) values (md5('user lea')::uuid, md5('leaves')::uuid || 'lea');
  update public.agents set user_id = md5('user lea')::uuid, is_active = true where id = md5('lea')::uuid;
  update public.agents set accepts_recruits = false where id = md5('max')::uuid
$sql$);
select extensions.dblink_connect('other', pg_temp.dsn());
select pg_temp.hold(format(
  $$select set_config('request.jwt.claims', %L, true) || public.send_text(md5('leaves 1')::uuid, 'Bye', md5('bye')::uuid, take_over => true)$$,
  json_build_object('sub', md5('user lea')::uuid, 'role', 'authenticated')));
select pg_temp.send_and_wait('other', $$select public.leave_agent(md5('lea')::uuid, md5('max')::uuid)$$);
select pg_temp.let_go('commit');
select is(pg_temp.answer_of('other')::jsonb -> 'conversations', '1',
  'a text that is being sent is waited for, and its conversation goes along');
-- A greeting whose lead has just gone to another agent, as the worker had read it
select pg_temp.commit_of('leaves', $sql$
  update public.agents set is_active = true where id = md5('lea')::uuid;
  insert into public.recruiting_leads (
    id, vendor_id, first_name, vendor_metadata, agency_id, agent_id, distribution, distributed_at
  )
  values (md5('greeted')::uuid, {id}, 'Dee', '{"phone": "+19995590990"}', {id}, md5('lea')::uuid, 'distributed', now())
$sql$);
select pg_temp.hold($$select public.leave_agent(md5('lea')::uuid, md5('max')::uuid)$$);
select pg_temp.send_and_wait('other',
  $$select private.open_conversation(l, l.agent_id) from public.recruiting_leads l where l.id = md5('greeted')::uuid$$);
select pg_temp.let_go('commit');
select is((select count(*)::integer from extensions.dblink_get_result('other') as r (result text)), 1,
  'a conversation that begins while its agent leaves waits for that');
select * from extensions.dblink_get_result('other') as r (result text);
select is(
  (select array[c.assigned_agent_id, l.agent_id] from public.recruiting_conversations c
    join public.recruiting_leads l on l.id = c.recruiting_lead_id where l.id = md5('greeted')::uuid),
  array[null, md5('max')::uuid], 'and is the lead''s new agent''s');
select pg_temp.commit($$delete from public.recruiting_leads where id = md5('greeted')::uuid;
  update public.agents set is_active = true where id = md5('lea')::uuid$$);
select pg_temp.hold(pg_temp.ingest_query(pg_temp.key_of('leaves'), '{"first_name": "Bea", "vendor_metadata": {}}'));
select pg_temp.send_and_wait('other', $$select public.leave_agent(md5('lea')::uuid, md5('max')::uuid)$$);
select pg_temp.let_go('commit');
select is(pg_temp.answer_of('other')::jsonb -> 'recruiting_leads', '1',
  'a lead that is being given to the agent is waited for, and goes along');
select pg_temp.commit($$update public.agents set is_active = true where id = md5('lea')::uuid$$);
select pg_temp.hold($$select public.leave_agent(md5('lea')::uuid, md5('max')::uuid)$$);
select is(
  (select result::jsonb ->> 'distribution' from extensions.dblink(pg_temp.connected(),
    pg_temp.ingest_query(pg_temp.key_of('leaves'), '{"first_name": "Cy", "vendor_metadata": {}}')) as r (result text)),
  'pending', 'a lead that comes while the agent leaves waits for nobody');
select pg_temp.send_and_wait('other', $$select public.assign_leads(md5('lea')::uuid, from_agent_id => md5('max')::uuid)$$);
select pg_temp.let_go('commit');
select is(pg_temp.answer_of('other'), 'PT409 to_agent_id: the agent is inactive', 'and nothing is given to the agent any more');
select pg_temp.commit('do $do$ begin perform private.try_distribute_pending(); end $do$');
select is(
  (select l.agent_id from public.recruiting_leads l where l.vendor_id = md5('leaves')::uuid and l.first_name = 'Cy'), null,
  'the lead that waited does not go to the agent who has left');
select is_empty(
  $$select l.first_name from public.recruiting_leads l where l.agent_id = md5('lea')::uuid$$, 'the agent has no lead in the end');

-- Sales leads that come meanwhile: one is being imported, another one is replayed
create function pg_temp.bring_back() returns void language sql as $$
  select pg_temp.commit_of('leaves', $sql$
    insert into auth.users (id, email) values (md5('user lea')::uuid, md5('leaves')::uuid || 'lea');
    update public.agents set user_id = md5('user lea')::uuid, is_active = true where id = md5('lea')::uuid
  $sql$)
$$;
select pg_temp.bring_back();
select pg_temp.hold($$select public.import_leads(md5('leaves')::uuid, md5('lea')::uuid, null, json_build_array(json_build_object(
  'index', 0, 'external_id', md5('sale')::uuid, 'first_name', 'Dan', 'phone', '1', 'state', 'TX', 'type', 'fe')))$$);
select pg_temp.send_and_wait('other', $$select public.leave_agent(md5('lea')::uuid, md5('max')::uuid)$$);
select pg_temp.let_go('commit');
select is(pg_temp.answer_of('other')::jsonb -> 'sales_leads', '1', 'a lead that is being imported is waited for, and goes along');
select pg_temp.bring_back();
select pg_temp.commit($$insert into public.rejected_deliveries (id, request_id, route, code, reason, payload_bytes, context)
  values (md5('leaves')::uuid, 'test', '/api/leads/import', 'INVALID', 'phone is missing', 2,
    jsonb_build_object('agency_id', md5('leaves')::uuid, 'agent_id', md5('lea')::uuid))$$);
select pg_temp.hold($$select public.leave_agent(md5('lea')::uuid, md5('max')::uuid)$$);
select pg_temp.send_and_wait('other', $$select public.replay_delivery(md5('leaves')::uuid, jsonb_build_object(
  'external_id', md5('sale 2')::uuid, 'first_name', 'Dan', 'phone', '1', 'state', 'TX', 'type', 'fe'))$$);
select pg_temp.let_go('commit');
select is(pg_temp.answer_of('other'), 'PT400 agent_id: the agent is deactivated', 'one that is replayed while the agent leaves is refused');
select pg_temp.commit($$delete from public.rejected_deliveries where id = md5('leaves')::uuid$$);

select pg_temp.commit($$delete from public.operator_actions where subject ->> 'agent_id' = md5('lea')::uuid::text$$);
select extensions.dblink_disconnect('other');
select pg_temp.remove_committed('leaves');
select * from finish();
rollback;
