-- Leads are returned while others come, are assigned, or are written to, over several connections. What they commit is
-- deleted at the end.
begin;
create extension if not exists dblink with schema extensions;
select plan(17);
\ir ../helpers.psql

select pg_temp.create_committed('race', 'ann', 'bob');
select pg_temp.commit_of('race', $sql$
  insert into public.recruiting_orders (id, agency_id, vendor_id, quantity, priority) values ({id}, {id}, {id}, 60, 2000);
  insert into public.service_numbers (phone, agency_id) values ('+19995550600', {id});
$sql$);
create view pg_temp.orders as
select o.filled, o.quantity, o.status, count(l.id)::integer as leads,
  (select count(*)::integer from public.lead_returns r where r.order_id = o.id) as returned,
  (select sum(d.leads)::integer from private.recruiting_order_days d where d.order_id = o.id) as counted
from public.recruiting_orders o
left join public.recruiting_leads l on l.agency_id = o.agency_id and l.order_id = o.id
where o.agency_id = md5('race')::uuid
group by o.id;

-- 120 leads come for an order of 60, while two operators return 15 each, the first that they see.
create temp table finished as select * from pg_temp.race(6, replace($work$
  do $do$
  declare
    lead uuid;
    returned integer := 0;
  begin
    while {worker} > 4 and returned < 15 loop
      select l.id into lead from public.recruiting_leads l
      where l.vendor_id = md5('race')::uuid and l.distribution = 'distributed' order by l.distributed_at limit 1;
      begin
        perform public.return_lead(lead, 'wrong number');
        returned := returned + 1;
      exception when sqlstate 'PT409' or sqlstate 'PT404' then
        -- A lead that came while others distributed waits, until somebody distributes again.
        perform private.try_distribute_pending();
        perform pg_sleep(0.002);
      end;
      commit;
    end loop;
    for n in 1..30 loop
      exit when {worker} > 4;
      perform public.ingest_recruiting_leads(jsonb_build_array(jsonb_build_object('key_hash', '{key}', 'lead',
        jsonb_build_object('id', md5('race {worker} ' || n)::uuid, 'first_name', 'Ada', 'vendor_metadata',
          jsonb_build_object('phone', '+1999{worker}56' || 1000 + n)))));
      commit;
    end loop;
  end
  $do$
$work$, '{key}', pg_temp.key_of('race')));
select is((select count(*)::integer from finished), 6, 'nobody waits in a circle');
select is(returned, 30, 'each return is done once') from pg_temp.orders;
select is(filled, leads, 'the order counts the leads that it has') from pg_temp.orders;
select is(counted, leads, 'and so do its days') from pg_temp.orders;
-- While it was locked, others went to other orders.
select pg_temp.commit(replace($send$
  do $do$
  begin
    for n in 1..60 loop
      perform public.ingest_recruiting_leads(jsonb_build_array(jsonb_build_object('key_hash', '{key}', 'lead',
        jsonb_build_object('id', md5('race later ' || n)::uuid, 'first_name', 'Ada', 'vendor_metadata',
          jsonb_build_object('phone', '+1999756' || 1000 + n)))));
      commit;
    end loop;
  end
  $do$
$send$, '{key}', pg_temp.key_of('race')));
select is((filled, leads, counted, status)::text, '(60,60,60,filled)', 'others come for those that were returned') from pg_temp.orders;

-- The same lead four times at once
create temp table one as
select l.id from public.recruiting_leads l
where l.vendor_id = md5('race')::uuid and l.distribution = 'distributed' order by l.id limit 1;
create temp table once as select * from pg_temp.race(4, format($$select public.return_lead(%L, 'twice')$$, (table one)), 'left out');
select is((select count(*)::integer from once), 1, 'of four returns of a lead at once one is done');
select is((filled, leads, counted, status)::text, '(59,59,59,open)', 'and it is counted once') from pg_temp.orders;

-- Beside an assignment
create temp table two as
select row_number() over (order by l.id) as n, l.id from public.recruiting_leads l
where l.vendor_id = md5('race')::uuid and l.distribution = 'distributed' order by l.id limit 4;
select extensions.dblink_connect('other', pg_temp.dsn());
select pg_temp.hold(format(
  $$update public.recruiting_leads set agent_id = md5('ann')::uuid where id = %1$L;
    select public.assign_leads(md5('bob')::uuid, lead_id => %1$L)$$, id)) from two where n = 1;
select pg_temp.send_and_wait('other', format($$select public.return_lead(%L, 'x') ->> 'agent'$$, id)) from two where n = 1;
select pg_temp.let_go('commit');
select is(pg_temp.answer_of('other'), 'bob', 'a lead is returned by the agent who has got it meanwhile');
select pg_temp.hold(format($$select public.return_lead(%L, 'x')$$, id)) from two where n = 2;
select pg_temp.send_and_wait('other', format($$select public.assign_leads(md5('bob')::uuid, lead_id => %L)$$, id)) from two where n = 2;
select pg_temp.let_go('commit');
select is(pg_temp.answer_of('other'), 'PT409 lead_id: the lead was returned', 'what is being returned is given to nobody');

-- Beside the agent who begins a conversation
create function pg_temp.begin_as_ann(id uuid) returns text language sql as $$
  select format($q$
    with claims as materialized (
      select set_config('request.jwt.claims', json_build_object('sub', md5('user ann')::uuid, 'role', 'authenticated')::text, false)
    )
    select public.start_conversation(%L) from claims where set_config is not null
  $q$, id)
$$;
select pg_temp.commit(format('update public.recruiting_leads set agent_id = md5(''ann'')::uuid where id in (%L, %L)',
  (select id from two where n = 3), (select id from two where n = 4)));
select pg_temp.hold(pg_temp.begin_as_ann(id)) from two where n = 3;
select pg_temp.send_and_wait('other', format($$select public.return_lead(%L, 'x') ->> 'conversations'$$, id)) from two where n = 3;
select pg_temp.let_go('commit');
select is(pg_temp.answer_of('other'), '1', 'a conversation that is being begun is waited for');
select is_empty(
  $$select from public.recruiting_conversations
    where agency_id = md5('race')::uuid and num_nonnulls(recruiting_lead_id, assigned_agent_id) > 0$$,
  'and is nobody''s then');
select pg_temp.hold(format($$select public.return_lead(%L, 'x')$$, id)) from two where n = 4;
select pg_temp.send_and_wait('other', pg_temp.begin_as_ann(id)) from two where n = 4;
select pg_temp.let_go('commit');
select is(pg_temp.answer_of('other'), 'PT404 recruiting_lead_id: there is no such lead', 'about a lead that is being returned no conversation begins');

-- Beside an operator who gives its texts a conversation
create temp table adopted as
select l.id, l.phone from public.recruiting_leads l
where l.vendor_id = md5('race')::uuid and l.distribution = 'distributed' order by l.id limit 1;
select pg_temp.commit(format(
  $$insert into public.unmatched_texts (message_sid, recruit_phone, service_phone, body)
    values ('race adopted', %L, '+19995550600', 'Hi')$$, phone)) from adopted;
select pg_temp.hold(format($$select public.return_lead(%L, 'x')$$, id)) from adopted;
select pg_temp.send_and_wait('other', format($$select public.adopt_texts(%L)$$, phone)) from adopted;
select pg_temp.let_go('commit');
select throws_like(
  $$select * from extensions.dblink_get_result('other') as r (result text)$$, 'no text of this phone waits for a conversation',
  'a lead that is being returned gets no conversation');
select * from extensions.dblink_get_result('other') as r (result text);

-- Beside the worker that greets
select pg_temp.commit_of('race', $sql$
  update public.recruiting_orders set quantity = 100, greeting_template = 'Hi from {agency}. STOP ends it.' where id = {id};
  update public.vendors set has_text_consent = true where id = {id};
$sql$);
select * from extensions.dblink(pg_temp.connected(), pg_temp.ingest_query(pg_temp.key_of('race'), jsonb_build_object(
  'id', md5('race greeted')::uuid, 'first_name', 'Ada', 'vendor_metadata', '{"phone": "+19995569999"}'::jsonb))) as r (result text);
select is((select distribution from public.recruiting_leads where id = md5('race greeted')::uuid), 'distributed', 'a lead to greet');
select pg_temp.hold($$select public.queue_greeting(md5('race greeted')::uuid)$$);
select pg_temp.send_and_wait('other', $$select public.return_lead(md5('race greeted')::uuid, 'x') ->> 'texts'$$);
select pg_temp.let_go('commit');
select is(pg_temp.answer_of('other'), '1', 'a greeting that is being queued is waited for, and not sent');
select is_empty(
  $$select from public.text_outbox o join public.recruiting_conversations c on c.id = o.conversation_id
    where c.agency_id = md5('race')::uuid and o.state = 'pending'$$, 'no text waits');
select is((filled, leads, counted)::text, format('(%s,%s,%s)', leads, leads, leads), 'the counts agree to the end') from pg_temp.orders;

select extensions.dblink_disconnect('other');
select pg_temp.remove_committed('race');
select * from finish();
rollback;
