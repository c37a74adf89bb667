-- The same call many times at once, over several connections. What they commit is deleted at the end.
begin;
create extension if not exists dblink with schema extensions;
select plan(20);
\ir helpers.psql

-- Runs the command on several connections at once and returns the result of each. {worker} is the number of the
-- connection. A call that waited too long for a lock is repeated, as the functions do. With fail = false, a connection
-- that fails has no result.
create function pg_temp.race_again(workers integer, command text, fail boolean default true) returns setof text
language plpgsql as $$
begin
  for i in 1..workers loop
    perform extensions.dblink_connect('worker' || i, pg_temp.dsn());
  end loop;
  for i in 1..workers loop
    perform extensions.dblink_send_query('worker' || i, replace(command, '{worker}', i::text));
  end loop;
  for i in 1..workers loop
    begin
      return query select result from extensions.dblink_get_result('worker' || i, fail) as results (result text);
    exception when lock_not_available then
      return query
      select result from extensions.dblink(pg_temp.dsn(), replace(command, '{worker}', i::text)) as results (result text);
    end;
    perform extensions.dblink_disconnect('worker' || i);
  end loop;
end
$$;

create function pg_temp.clean_up() returns void language sql as $$
  select pg_temp.remove_committed('race'), pg_temp.commit($sql$
    delete from private.idempotency_keys where scope = 'delivery ' || md5('race')::uuid;
    delete from public.recruiting_message_events where provider_message_id like 'race %';
    delete from auth.users where id = md5('race')::uuid;
  $sql$)
$$;
select pg_temp.clean_up(), pg_temp.create_committed('race', 'race');
select pg_temp.commit($sql$
  insert into auth.users (id, email) values (md5('race')::uuid, 'test-race@example.com');
  update public.agents set user_id = md5('race')::uuid where id = md5('race')::uuid;
  insert into public.leads (id, agency_id, agent_id, first_name, phone, state, type) values
    (md5('race')::uuid, md5('race')::uuid, md5('race')::uuid, 'Lea', '1', 'TX', 'fe');
  update public.vendors set webhook_scheme = 'meta' where id = md5('race')::uuid;
  insert into private.vendor_webhook_secrets (id, vendor_id, secret) values
    (md5('race')::uuid, md5('race')::uuid, 'secret');
  insert into public.recruiting_conversations (id, agency_id, recruit_phone, service_phone) values
    (md5('race')::uuid, md5('race')::uuid, '+19995550001', '+19995550002');
$sql$);

-- The same 500 leads in four imports at once, two of them in the opposite order
create temp table imports as select result::jsonb from pg_temp.race_again(4, $$
  select public.import_leads(md5('race')::uuid, md5('race')::uuid, null, (
    select json_agg(json_build_object('index', n, 'external_id', md5('race ' || n)::uuid, 'first_name', 'Ada',
      'phone', '1', 'state', 'TX', 'type', 'fe') order by case when {worker} % 2 = 0 then n else -n end)
    from generate_series(0, 499) n))
$$) result;
select is(
  (select sum(jsonb_array_length(result -> 'imported'))::integer from imports), 500,
  'the same import four times at once imports each lead once');
select is(
  (select sum(jsonb_array_length(result -> 'duplicates'))::integer from imports), 1500,
  'the same import four times at once reports each lead three times as a duplicate');
select is_empty(
  $$select e from imports, jsonb_array_elements(result -> 'imported' || (result -> 'duplicates')) e
    where not exists (
      select from public.leads l
      where l.id = (e ->> 'id')::uuid and l.external_id = md5('race ' || (e ->> 'index'))::uuid)$$,
  'each entry has the id of the stored lead');
select is((select count(*)::integer from imports), 4, 'none of the four imports fails');

-- The same 500 recruiting leads in four bulk requests at once
create temp table bulks as select result::jsonb from pg_temp.race_again(4, $$
  select public.ingest_recruiting_lead_batch(encode(sha256('race'), 'hex'), (
    select jsonb_agg(jsonb_build_object('row', n, 'first_name', 'Ada', 'vendor_lead_id', 'race ' || n)
      order by case when {worker} % 2 = 0 then n else -n end)
    from generate_series(0, 499) n))
$$) result;
select results_eq(
  $$select sum((result -> 'created')::integer)::integer, sum((result -> 'duplicates')::integer)::integer, count(*)::integer
    from bulks$$,
  'values (500, 1500, 4)', 'the same bulk request four times at once creates each lead once');

-- One lead twenty times at once
create temp table leads_at_once as select result::jsonb from pg_temp.race_again(20, $$
  select public.ingest_recruiting_leads(jsonb_build_array(jsonb_build_object(
    'key_hash', encode(sha256('race'), 'hex'), 'lead', jsonb_build_object(
    'id', md5('race worker {worker}')::uuid, 'first_name', 'Ada', 'vendor_lead_id', 'one',
    'vendor_metadata', '{"is_test": true}'::jsonb)))) -> 0
$$) result;
select results_eq(
  $$select result ->> 'status', count(*) from leads_at_once group by 1 order by 1$$,
  $$values ('created', 1::bigint), ('duplicate', 19)$$,
  'of twenty leads at once with one vendor_lead_id, one is created');
select is((select count(distinct result -> 'id')::integer from leads_at_once), 1, 'all twenty return its id');

-- One call twenty times at once, as from a client that got no response and tries again
create temp table retries as select result::jsonb
from pg_temp.race_again(20, pg_temp.ingest_query(pg_temp.key_of('race'), jsonb_build_object(
  'id', md5('race retry')::uuid, 'first_name', 'Ada', 'vendor_lead_id', 'retry',
  'vendor_metadata', '{"is_test": true}'::jsonb))) result;
select results_eq(
  $$select result ->> 'status', count(*) from retries group by 1$$, $$values ('created', 20::bigint)$$,
  'the same call twenty times at once returns created each time');

-- One delivery of a webhook twenty times at once
create function pg_temp.deliver(lead_id text) returns text language sql as $$
  select format($sql$
    select public.ingest_recruiting_leads(jsonb_build_array(jsonb_build_object(
      'lead', jsonb_build_object('id', md5(%L)::uuid, 'first_name', 'Ada', 'vendor_metadata', '{"is_test": true}'::jsonb),
      'webhook', jsonb_build_object('secret_id', md5('race')::uuid, 'delivery_id', 'one', 'part', 0)))) -> 0
  $sql$, lead_id)
$$;
create temp table deliveries as select result::jsonb
from pg_temp.race_again(20, pg_temp.deliver('race delivery {worker}'), fail => false) result;
select results_eq(
  $$select count(*) filter (where result ->> 'status' = 'created'), count(distinct result ->> 'id'), (
      select count(*) from public.recruiting_leads where vendor_id = md5('race')::uuid and vendor_lead_id is null)
    from deliveries$$,
  'values (1::bigint, 1::bigint, 1::bigint)',
  'of one delivery twenty times at once, one is created, and those that do not fail return its id');

-- One delivery again while the first is at work, which fails at last
select pg_temp.commit($sql$
  delete from private.idempotency_keys where scope = 'delivery ' || md5('race')::uuid
$sql$);
select extensions.dblink_connect('first', pg_temp.dsn());
select extensions.dblink_exec('first', 'begin');
select result from extensions.dblink('first', pg_temp.deliver('race first')) as results (result text);
create function pg_temp.deliver_again() returns text language sql as $$
  select coalesce(result::jsonb ->> 'status', result::jsonb #>> '{error,code}')
  from extensions.dblink(pg_temp.dsn(), pg_temp.deliver('race again')) as results (result text)
$$;
select is(pg_temp.deliver_again(), 'PT409', 'a delivery again while the first is at work is PT409');
select extensions.dblink_exec('first', 'rollback');
select is(pg_temp.deliver_again(), 'created', 'a delivery that failed has not used its id up');
select extensions.dblink_disconnect('first');

-- One message twenty times at once
create temp table messages as select result::jsonb from pg_temp.race_again(20, $$
  select public.receive_sms('+19995550001', '+19995550002', 'race SM1', 'Hi {worker}', '[]')
$$) result;
select results_eq(
  $$select result ->> 'status', count(*), (select count(*) from public.recruiting_messages
      where provider_message_id = 'race SM1') from messages group by 1$$,
  $$values ('received', 20::bigint, 1::bigint)$$, 'one MessageSid twenty times at once is stored once');

-- A hundred messages, each stored at the same time as its callback
select pg_temp.race_again(2, $$
  do $do$
  begin
    for n in 1..100 loop
      if {worker} = 1 then
        insert into public.recruiting_messages (conversation_id, direction, sender_type, provider_message_id)
        values (md5('race')::uuid, 'outbound', 'bot', 'race pair ' || n);
      else
        perform public.update_sms_status('race pair ' || n, 'delivered', null);
      end if;
      commit;
    end loop;
  end
  $do$
$$);
select results_eq(
  $$select status, count(*) from public.recruiting_messages where provider_message_id like 'race pair %' group by 1$$,
  $$values ('delivered', 100::bigint)$$, 'no callback is lost when it comes while its message is being stored');

-- A thousand messages in two transactions, one from the first on and one from the last, while their callbacks come
create temp table many_at_once as select * from pg_temp.race_again(6, $$
  do $do$
  begin
    for n in 1..500 loop
      if {worker} > 2 then
        perform public.update_sms_status('race many ' || {worker} % 2 || ' ' || abs(({worker} / 5) * 501 - n), 'delivered', null);
        commit;
      else
        insert into public.recruiting_messages (conversation_id, direction, sender_type, provider_message_id)
        values (md5('race')::uuid, 'outbound', 'bot',
          'race many ' || {worker} % 2 || ' ' || abs(({worker} - 1) * 501 - n));
      end if;
    end loop;
  end
  $do$
$$);
select results_eq(
  $$select status, count(*) from public.recruiting_messages where provider_message_id like 'race many %' group by 1$$,
  $$values ('delivered', 1000::bigint)$$, 'messages and callbacks never wait for each other in a circle');

-- Different callbacks of one message at once
create temp table callbacks as select result::jsonb from pg_temp.race_again(10, $$
  select public.update_sms_status('race pair 1', (array['queued', 'sent', 'delivered', 'failed'])[{worker} % 4 + 1], null)
$$) result;
select results_eq(
  $$select result ->> 'status', count(*) from callbacks group by 1$$, $$values ('updated', 10::bigint)$$,
  'ten callbacks of one message at once all update it');
select is(
  (select status from public.recruiting_messages where provider_message_id = 'race pair 1'),
  (select status from public.recruiting_message_events where provider_message_id = 'race pair 1'
   order by received_at desc limit 1),
  'the message has the status of the last callback');

-- One callback twenty times at once, as from a client that got no response and tries again
create temp table repeated_callbacks as select result::jsonb from pg_temp.race_again(20, $$
  select public.update_sms_status('race pair 2', 'sent', null, md5('race')::uuid)
$$) result;
select results_eq(
  $$select result ->> 'status', count(*), (
      select count(*) from public.recruiting_message_events where id = md5('race')::uuid)
    from repeated_callbacks group by 1$$,
  $$values ('updated', 20::bigint, 1::bigint)$$, 'one callback twenty times at once is stored once');

-- One submission ten times at once
create temp table submissions as select result::jsonb from pg_temp.race_again(10, $$
  select public.submit_lead_presentation(
    md5('race')::uuid, '{"children": {worker}}', '{"product": "Term", "annual_premium": 10}',
    '[{"first_name": "Ron", "phone": "1"}]', md5('race')::uuid)
  from (select set_config('request.jwt.claims', json_build_object('sub', md5('race')::uuid)::text, false)) signed_in
$$) result;
select results_eq(
  $$select result -> 'duplicate', count(*), count(distinct result - 'duplicate') from submissions group by 1 order by 2$$,
  $$values ('false'::jsonb, 1::bigint, 1::bigint), ('true', 9, 1)$$,
  'one submission ten times at once is stored once');
select results_eq(
  $$select (select count(distinct result - 'duplicate') from submissions), presentations_submitted, sales, annual_premium,
      referrals
    from public.lead_metrics where lead_id = md5('race')::uuid$$,
  'values (1::bigint, 1, 1, 10.00, 1)', 'all ten return the same, and the metrics count one');

select is_empty('select * from public.check_daily_counts()', 'the kept counts of the days are right');

select pg_temp.clean_up();
select * from finish();
rollback;
