-- An agent puts a conversation off in the moment in which the recruit writes, over two connections. What they commit is
-- deleted at the end.
begin;
create extension if not exists dblink with schema extensions;
select plan(4);
\ir ../helpers.psql

select pg_temp.create_committed('race', 'ann');
select pg_temp.commit($sql$
  insert into public.service_numbers (phone, agency_id) values ('+19995550100', md5('race')::uuid);
  insert into public.recruiting_conversations (
    id, agency_id, recruit_phone, service_phone, status, assigned_agent_id, last_message_at
  )
  select md5('race ' || n)::uuid, md5('race')::uuid, '+1999556' || 1000 + n, '+19995550100', 'escalated', md5('ann')::uuid,
    '2026-11-01T12:00:00Z'
  from generate_series(1, 2) n;
$sql$);
create function pg_temp.putting_off(act text) returns text language sql as $$
  select format(
    'select public.%s from (select set_config(''request.jwt.claims'', json_build_object(''sub'', %L)::text, false)) signed_in',
    act, md5('user ann')::uuid)
$$;

-- The text first: it is stored, and not yet committed, when the agent puts off what was there before.
select extensions.dblink_connect('agent', pg_temp.dsn());
select pg_temp.hold($$select public.receive_sms('+19995561001', '+19995550100', 'race 1', 'Wait!', '[]')::text$$, 'recruit');
select pg_temp.send_and_wait('agent', pg_temp.putting_off(
  $$snooze_conversation(md5('race 1')::uuid, now() + interval '1 day', '2026-11-01T12:00:00Z')::text$$));
select pg_temp.let_go('commit', 'recruit');
select throws_ok(
  $$select from extensions.dblink_get_result('agent') as results (result text)$$, 'PT409',
  'read_up_to: the recruit has written meanwhile', 'what the agent has not read is not put off');
select is(
  (select snoozed_until from public.recruiting_conversations where id = md5('race 1')::uuid), null, 'the recruit waits');
select extensions.dblink_disconnect('agent');

-- The agent first: the text ends it.
select pg_temp.hold(pg_temp.putting_off(
  $$snooze_conversation(md5('race 2')::uuid, now() + interval '1 day', '2026-11-01T12:00:00Z')::text$$), 'agent');
select pg_temp.send_and_wait('recruit', $$select public.receive_sms('+19995561002', '+19995550100', 'race 2', 'Wait!', '[]')::text$$);
select pg_temp.let_go('commit', 'agent');
select isnt(
  (select result from extensions.dblink_get_result('recruit') as results (result text)), null, 'the text is stored');
select is(
  (select concat_ws(' ', snoozed_until, case when waiting_since is not null then 'waits' end)
    from public.recruiting_conversations where id = md5('race 2')::uuid), 'waits', 'and the recruit waits');
select extensions.dblink_disconnect('recruit');

select pg_temp.remove_committed('race');
select * from finish();
rollback;
