-- Leads go to another agent, or their vendor is removed, while leads and texts come, over several connections. What they
-- commit is deleted at the end.
begin;
create extension if not exists dblink with schema extensions;
select plan(15);
\ir ../helpers.psql

select pg_temp.create_committed('race', 'ann', 'bob');
select pg_temp.commit_of('race', $sql$
  insert into public.recruiting_orders (agency_id, vendor_id, quantity, priority) values ({id}, {id}, 1000, 2000);
  insert into public.service_numbers (phone, agency_id) values ('+19995550300', {id});
  insert into public.recruiting_conversations (
    id, agency_id, recruit_phone, service_phone, status, assigned_agent_id
  )
  select md5('race ' || n)::uuid, {id}, '+1999558' || 1000 + n, '+19995550300', 'escalated', md5('ann')::uuid
  from generate_series(1, 10) n;
  insert into public.recruiting_messages (id, conversation_id, direction, sender_type, provider_message_id, body)
  select md5('race sent ' || n)::uuid, md5('race ' || n)::uuid, 'outbound', 'agent', 'race sent ' || n, 'Hi'
  from generate_series(1, 10) n;
  insert into public.text_outbox (message_id, kind, state)
  select md5('race sent ' || n)::uuid, 'agent', 'accepted' from generate_series(1, 10) n;
$sql$);

-- All leads and conversations go to and fro between two agents, while recruits write, texts fail and leads come.
create temp table finished as select * from pg_temp.race(6, replace($work$
  do $do$
  begin
    for n in 1..10 loop
      if {worker} <= 2 then
        perform public.assign_leads(md5('ann')::uuid, from_agent_id => md5('bob')::uuid);
        commit;
        perform public.assign_leads(md5('bob')::uuid, from_agent_id => md5('ann')::uuid);
      elsif {worker} = 3 then
        perform public.receive_sms('+1999558' || 1000 + n, '+19995550300', 'race text ' || n, 'Hello', '[]');
      elsif {worker} = 4 then
        perform public.update_sms_status('race sent ' || n, 'failed', '30003');
      else
        perform public.ingest_recruiting_leads(jsonb_build_array(jsonb_build_object('key_hash', '{key}', 'lead',
          jsonb_build_object('id', md5('race {worker} ' || n)::uuid, 'first_name', 'Ada', 'vendor_metadata', '{}'::jsonb))));
      end if;
      commit;
    end loop;
  end
  $do$
$work$, '{key}', pg_temp.key_of('race')));
select is((select count(*)::integer from finished), 6, 'nobody waits in a circle');
-- Where others had locked the conversation.
select pg_temp.commit('do $do$ begin perform private.deliver_notifications(); end $do$');
select is(
  (select count(*)::integer from public.agent_notifications n where n.conversation_id in (
    select id from public.recruiting_conversations where agency_id = md5('race')::uuid)),
  20, 'each text and each failure has one notification');
select is_empty(
  $$select n.kind from public.agent_notifications n join public.recruiting_conversations c on c.id = n.conversation_id
    where c.agency_id = md5('race')::uuid and n.agent_id <> c.assigned_agent_id$$,
  'to the agent who has the conversation in the end');
select is((select count(*)::integer from public.recruiting_leads where vendor_id = md5('race')::uuid), 20, 'each lead is stored');
select pg_temp.commit($$update public.agents set is_active = false where id = md5('ann')::uuid$$);
select * from extensions.dblink(pg_temp.connected(), $$
  select public.distribute_pending_leads(array(select id from public.recruiting_leads where vendor_id = md5('race')::uuid))
$$) as r (result text);
select * from extensions.dblink(
  pg_temp.connected(), $$select public.assign_leads(md5('bob')::uuid, from_agent_id => md5('ann')::uuid)$$
) as r (result text);
select is(
  (select count(*)::integer from public.recruiting_leads
    where vendor_id = md5('race')::uuid and agent_id = md5('bob')::uuid),
  20, 'all are the agent''s who stays');

-- A text that is being stored, and a failure whose notification is being written
select pg_temp.commit($$
  update public.agents set is_active = true where id = md5('ann')::uuid;
  delete from public.agent_notifications where agent_id = md5('bob')::uuid$$);
select extensions.dblink_connect('other', pg_temp.dsn());
select pg_temp.hold($$select public.receive_sms('+19995581001', '+19995550300', 'race late', 'Hello', '[]')$$);
select pg_temp.send_and_wait('other', $$select public.assign_leads(md5('ann')::uuid, from_agent_id => md5('bob')::uuid)$$);
select pg_temp.let_go('commit');
select is(pg_temp.answer_of('other')::jsonb -> 'notifications', '1',
  'a text that is being stored is waited for, and its notification goes along');
select pg_temp.hold($$select public.assign_leads(md5('bob')::uuid, from_agent_id => md5('ann')::uuid)$$);
select pg_temp.send_and_wait('other',
  $$select private.notify_of_texts(md5('race 2')::uuid, array[md5('race sent 2')::uuid], 'failed')$$);
select pg_temp.let_go('commit');
select is((select count(*)::integer from extensions.dblink_get_result('other') as r (result text)), 1, 'a failure waits too');
select * from extensions.dblink_get_result('other') as r (result text);
select results_eq(
  $$select agent_id from public.agent_notifications where message_id = md5('race sent 2')::uuid$$,
  $$values (md5('bob')::uuid)$$, 'and the new agent is notified');

-- A lead of which its agent is being notified
select pg_temp.commit_of('race', $sql$
  delete from public.agent_notifications where kind = 'lead';
  insert into private.lead_notifications_due (lead_id) select id from public.recruiting_leads where vendor_id = {id} order by id limit 2;
$sql$);
create temp table due as select id from public.recruiting_leads where vendor_id = md5('race')::uuid order by id limit 2;
create function pg_temp.notified_of_leads() returns table (lead_id uuid, agent text) language sql as $$
  select n.lead_id, a.first_name
  from due join public.agent_notifications n on n.lead_id = due.id and n.kind = 'lead' join public.agents a on a.id = n.agent_id
$$;
select pg_temp.hold(format($$select public.assign_leads(md5('ann')::uuid, lead_id => %L)$$, (select id from due limit 1)));
-- What waits for longer than 0.1 s, as on a machine that is busy, has its turn the next time.
select r.result from generate_series(1, 2),
  lateral extensions.dblink(pg_temp.connected(), 'select private.deliver_notifications()') as r (result text);
select results_eq(
  'select agent from pg_temp.notified_of_leads()', $$values ('bob')$$, 'of a lead that is being given nobody is notified yet, of others they are');
select pg_temp.let_go('commit');
select * from extensions.dblink(pg_temp.connected(), 'select private.deliver_notifications()') as r (result text);
select set_eq(
  'select * from pg_temp.notified_of_leads()',
  $$select id, case when id = (select id from due limit 1) then 'ann' else 'bob' end from due$$,
  'then the agent who has it is notified, and nobody else');
select pg_temp.commit_of('race', $sql$
  delete from public.agent_notifications where kind = 'lead';
  insert into private.lead_notifications_due (lead_id) select id from public.recruiting_leads where vendor_id = {id} order by id limit 2;
$sql$);
select pg_temp.hold('select private.deliver_notifications()');
select pg_temp.send_and_wait(
  'other', format($$select public.assign_leads(md5('ann')::uuid, lead_id => %L)$$, (select id from due offset 1)));
select pg_temp.let_go('commit');
select is((select count(*)::integer from extensions.dblink_get_result('other') as r (result text)), 1, 'a lead whose notification is being written waits');
select * from extensions.dblink_get_result('other') as r (result text);
select results_eq('select distinct agent from pg_temp.notified_of_leads()', $$values ('ann')$$, 'and its notification goes along');

-- A lead of a vendor that is being removed
select pg_temp.create_committed('removed');
select pg_temp.hold(pg_temp.ingest_query(pg_temp.key_of('removed'), '{"first_name": "Ada", "vendor_metadata": {}}'));
select pg_temp.send_and_wait('other', $$select public.remove_vendor(md5('removed')::uuid)$$);
select pg_temp.let_go('commit');
select is(pg_temp.answer_of('other'), 'PT409 it has recruiting leads (1)', 'a vendor whose lead is being stored stays');
select pg_temp.create_committed('removed');
select pg_temp.hold($$select public.remove_vendor(md5('removed')::uuid)$$);
select throws_ok(
  format('select * from extensions.dblink(pg_temp.connected(), %L) as r (result text)',
    pg_temp.ingest_query(pg_temp.key_of('removed'), '{"first_name": "Ada", "vendor_metadata": {}}')),
  '55P03', null, 'a lead waits for its vendor''s removal, and gives up');
select pg_temp.let_go('commit');
select is(
  (select result::jsonb #>> '{error,code}' from extensions.dblink(pg_temp.connected(),
    pg_temp.ingest_query(pg_temp.key_of('removed'), '{"first_name": "Ada", "vendor_metadata": {}}')) as r (result text)),
  'PT401', 'after it, the key is unknown');

select extensions.dblink_disconnect('other');
select pg_temp.remove_committed('race'), pg_temp.remove_committed('removed');
select * from finish();
rollback;
