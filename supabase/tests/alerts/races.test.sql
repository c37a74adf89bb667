-- Alerts and their notifications over several connections. What they commit is deleted at the end.
begin;
create extension if not exists dblink with schema extensions;
select plan(10);
\ir ../helpers.psql

select pg_temp.create_committed('race', 'ann', 'bob');
-- Always open but at weekends; its recruits have waited for a week.
select pg_temp.commit_of('race', $sql$
  update public.agencies set opens_at = '00:00', closes_at = '24:00' where id = {id};
  insert into public.service_numbers (phone, agency_id) values ('+19995550300', {id});
  insert into public.recruiting_leads (id, vendor_id, agency_id, agent_id, first_name, distribution)
  select md5('race lead ' || n)::uuid, {id}, {id}, md5('ann')::uuid, 'Ada', 'distributed' from generate_series(1, 50) n;
  insert into public.recruiting_conversations (id, agency_id, recruiting_lead_id, recruit_phone, service_phone, waiting_since)
  select md5('race ' || n)::uuid, {id}, md5('race lead ' || n)::uuid, '+1999558' || 1000 + n, '+19995550300', now() - interval '7 days'
  from generate_series(1, 50) n;
  insert into public.recruiting_messages (id, conversation_id, direction, sender_type, body, created_at)
  select md5('race text ' || n)::uuid, md5('race ' || n)::uuid, 'inbound', 'recruit', 'Hi', now() - interval '7 days'
  from generate_series(1, 50) n;
$sql$);
create function pg_temp.notified() returns table (agent text, recruits bigint) language sql as $$
  select t.names, count(*)
  from (
    select string_agg(a.first_name, ' ') as names
    from public.agent_notifications n join public.agents a on a.id = n.agent_id
    where n.kind = 'recruit_waiting' and a.agency_id = md5('race')::uuid
    group by n.conversation_id
  ) t
  group by t.names
$$;

-- Several schedulers
create temp table checks as select * from pg_temp.race(4, 'select private.check_alerts()::text') as c (result);
select is((select count(*)::integer from checks), 4, 'several checks at once all end');
select is(
  (select count(*)::integer from public.alerts a where a.kind = 'recruit_waiting' and a.state <> 'resolved'
    and a.subject in (select c.id::text from public.recruiting_conversations c where c.agency_id = md5('race')::uuid)),
  50, 'each recruit who waits is one alert');
select results_eq('select * from pg_temp.notified()', $$values ('ann', 50::bigint)$$, 'and is notified once');

-- A lead goes to another agent while a check runs: the check comes first, or passes the conversation over.
select pg_temp.commit($$delete from public.agent_notifications where kind = 'recruit_waiting' and agent_id = md5('ann')::uuid$$);
select pg_temp.hold($$select public.assign_leads(md5('bob')::uuid, lead_id => md5('race lead 1')::uuid)$$);
select * from extensions.dblink(pg_temp.connected(), 'select private.check_alerts()') as c (result text);
select results_eq('select * from pg_temp.notified()', $$values ('ann', 49::bigint)$$, 'of a conversation that is being given nobody is notified');
select pg_temp.let_go('commit');
select * from extensions.dblink(pg_temp.connected(), 'select private.check_alerts()') as c (result text);
select set_eq('select * from pg_temp.notified()', $$values ('ann', 49::bigint), ('bob', 1)$$, 'but the next time, who has it then');
select pg_temp.commit($$delete from public.agent_notifications where kind = 'recruit_waiting' and agent_id = md5('ann')::uuid$$);
select pg_temp.hold('select private.check_alerts()');
select extensions.dblink_connect('giver', pg_temp.dsn());
select pg_temp.send_and_wait('giver', $$select public.assign_leads(md5('bob')::uuid, lead_id => md5('race lead 2')::uuid)$$);
select pg_temp.let_go('commit');
select * from extensions.dblink_get_result('giver') as r (result text);
select extensions.dblink_disconnect('giver');
select set_eq('select * from pg_temp.notified()', $$values ('ann', 48::bigint), ('bob', 2)$$, 'earlier notifications go along');

-- The row of the worker's runs
select pg_temp.commit($$insert into private.job_runs (job, started_at) values ('send texts', now() - interval '1 hour')
  on conflict (job) do update set started_at = excluded.started_at$$);
select pg_temp.hold($$select started_at from private.job_runs where job = 'send texts' for update$$);
select lives_ok(
  $$select * from extensions.dblink(pg_temp.dsn() || ' options=''-c lock_timeout=1s''', 'select public.claim_texts(0)') as c (result text)$$,
  'a claim does not wait for another that notes its run');
select pg_temp.let_go();
select * from extensions.dblink(pg_temp.connected(), 'select public.claim_texts(0)') as c (result text);
select ok(
  (select j.started_at > now() - interval '1 minute' from private.job_runs j where j.job = 'send texts'), 'which the next one does');

-- The monitor
select pg_temp.commit($$insert into private.job_runs (job, started_at, ended_at) values ('check alerts', now(), now())
  on conflict (job) do update set ended_at = now(), heartbeat_at = null$$);
select pg_temp.hold('select now()');
select is(
  (select result from extensions.dblink(pg_temp.connected(),
    'select public.claim_heartbeat(true)') as c (result boolean)), true, 'a worker is to tell the monitor');
select is(
  (select result from extensions.dblink('operator',
    'select public.claim_heartbeat(true)') as c (result boolean)), false,
  'and not another one as well, whose transaction began before');
select pg_temp.let_go();

select pg_temp.remove_committed('race');
select pg_temp.commit($$delete from public.alerts;
  delete from private.job_runs where job in ('send texts', 'check alerts')$$);
select * from finish();
rollback;
