-- Operators give a text a conversation, dismiss deliveries, cancel texts, or resume a number, at the same moment. What they commit is deleted at the end.
begin;
create extension if not exists dblink with schema extensions;
select plan(9);
\ir ../helpers.psql

select pg_temp.create_committed('race', 'bob');
select pg_temp.commit_of('race', $sql$
  insert into public.recruiting_leads (id, vendor_id, first_name, vendor_metadata, agency_id, distribution, distributed_at)
  values (md5('race lead')::uuid, {id}, 'Ada', '{"phone": "+19995551001"}', {id}, 'distributed', now());
  select public.receive_sms('+19995551001', '+19995550300', 'race unmatched', 'Hello', '[]');
  insert into public.rejected_deliveries (id, request_id, route, vendor_id, code, reason, payload_bytes)
  select md5('race ' || n)::uuid, 'test', '/recruiting/ingest', {id}, 'BAD_REQUEST', 'no name', 2
  from generate_series(1, 50) n;
$sql$);
select is(
  (select count(*) from pg_temp.race(6, $$select public.adopt_texts('+19995551001')::text$$, 'left out')), 1::bigint,
  'of six who give a text a conversation one does');
select is(
  (select count(*) from public.recruiting_messages m join public.recruiting_conversations c on c.id = m.conversation_id
    where c.recruit_phone = '+19995551001'),
  1::bigint, 'which has the text once');
select is(
  (select sum(result::integer) from pg_temp.race(6, $$
    select count(*) filter (where was_open)::text
    from public.dismiss_deliveries(array(
      select md5('race ' || n)::uuid from generate_series(1, 50) n order by (n * {worker}) % 7))$$) as result),
  50::bigint, 'of six who dismiss the same deliveries each is counted by one');
select pg_temp.hold($$select 1 from public.rejected_deliveries where id = md5('race 1')::uuid for update$$);
select pg_temp.commit_of('race', $$update public.rejected_deliveries set status = 'open' where vendor_id = {id} and id <> md5('race 1')::uuid$$);
select throws_ok(
  $$select * from extensions.dblink(
      pg_temp.connected(), 'select * from public.dismiss_deliveries(array[md5(''race 1'')::uuid])')
    as r (id uuid, status text, was_open boolean)$$,
  'PT409', 'Others are replaying these deliveries. Try again in a moment.', 'one that is being replayed is waited for, and then left');
select pg_temp.let_go();

-- Texts
select pg_temp.commit_of('race', $sql$
  insert into public.recruiting_conversations (id, agency_id, recruit_phone, service_phone, status)
  select md5('race ' || n)::uuid, {id}, '+1999555' || 2000 + n, '+19995550300', 'bot' from generate_series(1, 50) n;
  insert into public.recruiting_messages (id, conversation_id, direction, sender_type, body)
  select md5('race ' || n)::uuid, md5('race ' || n)::uuid, 'outbound', 'bot', 'Hi' from generate_series(1, 50) n;
  insert into public.text_outbox (message_id, kind, state, due_at)
  select md5('race ' || n)::uuid, 'bot', 'pending', 'infinity' from generate_series(1, 50) n;
$sql$);
select is(
  (select sum(result::integer) from pg_temp.race(6, $$
    select public.cancel_texts(array(
      select md5('race ' || n)::uuid from generate_series(1, 50) n order by (n * {worker}) % 7))::text$$) as result),
  50::bigint, 'of six who cancel the same texts each is counted by one');

-- Numbers, by one who is signed in
select pg_temp.commit_of('race', $sql$
  insert into public.operators (user_id) values (md5('user bob')::uuid);
  insert into public.service_numbers (phone, agency_id, status) values ('+19995550600', {id}, 'paused');
$sql$);
select results_eq(
  $$select * from pg_temp.race(4, $race$
    select (public.resume_number('+19995550600')).status
    from (select set_config('request.jwt.claims', json_build_object('sub', md5('user bob')::uuid)::text, false)) signed_in$race$)$$,
  $$select 'active' from generate_series(1, 4)$$, 'four times an operator resumes a number: it is active');
select is(
  (select count(*)::integer from public.operator_actions where user_id = md5('user bob')::uuid), 1, 'which is noted once');
select pg_temp.commit($$update public.service_numbers set status = 'paused' where phone = '+19995550600'$$);
select pg_temp.hold($$select 1 from public.service_numbers where phone = '+19995550600' for update$$);
select throws_ok(
  $$select * from extensions.dblink(pg_temp.connected(), 'select public.resume_number(''+19995550600'')::text')
    as r (number text)$$,
  'PT409', 'Others have locked the number. Try again in a moment.', 'one that others have locked is waited for, and then left');
select pg_temp.let_go();
select is((select n.status from public.service_numbers n where n.phone = '+19995550600'), 'paused', 'and stays paused');
select pg_temp.commit($$delete from public.operator_actions where user_id = md5('user bob')::uuid$$);
select pg_temp.remove_committed('race');

select * from finish();
rollback;
