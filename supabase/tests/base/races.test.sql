-- The same call many times at once, over several connections. What they commit is deleted at the end.
begin;
create extension if not exists dblink with schema extensions;
select plan(18);
\ir ../helpers.psql

select pg_temp.create_committed('race', 'ann');
select pg_temp.commit_of('race', $sql$
  insert into public.leads (id, agency_id, agent_id, first_name, phone, state, type) values
    ({id}, {id}, md5('ann')::uuid, 'Lea', '1', 'TX', 'fe');
  update public.vendors set webhook_scheme = 'meta' where id = {id};
  insert into private.vendor_webhook_secrets (id, vendor_id, secret) values ({id}, {id}, 'secret');
  insert into public.recruiting_conversations (id, agency_id, recruit_phone, service_phone) values
    ({id}, {id}, '+19995550001', '+19995550002');
$sql$);

-- The same 200 leads in four imports at once, two of them in the opposite order
create temp table imports as select result::jsonb from pg_temp.race(4, $$
  select public.import_leads(md5('race')::uuid, md5('ann')::uuid, null, (
    select json_agg(json_build_object('index', n, 'external_id', md5('race ' || n)::uuid, 'first_name', 'Ada',
      'phone', '1', 'state', 'TX', 'type', 'fe') order by case when {worker} % 2 = 0 then n else -n end)
    from generate_series(0, 199) n))
$$, 'repeated') result;
select results_eq(
  $$select count(*), sum(jsonb_array_length(result -> 'imported')), sum(jsonb_array_length(result -> 'duplicates')) from imports$$,
  'values (4::bigint, 200::bigint, 600::bigint)',
  'of the same import four times at once none fails; each lead is imported once, and three times a duplicate');
select is_empty(
  $$select e from imports, jsonb_array_elements(result -> 'imported' || (result -> 'duplicates')) e
    where not exists (
      select from public.leads l
      where l.id = (e ->> 'id')::uuid and l.external_id = md5('race ' || (e ->> 'index'))::uuid)$$,
  'each entry has the id of the stored lead');

-- The same 200 recruiting leads in four bulk requests at once
create temp table bulks as select result::jsonb from pg_temp.race(4, $$
  select public.ingest_recruiting_lead_batch(encode(sha256('race'), 'hex'), (
    select jsonb_agg(jsonb_build_object('row', n, 'first_name', 'Ada', 'vendor_lead_id', 'race ' || n)
      order by case when {worker} % 2 = 0 then n else -n end)
    from generate_series(0, 199) n))
$$, 'repeated') result;
select results_eq(
  $$select sum((result -> 'created')::integer)::integer, sum((result -> 'duplicates')::integer)::integer, count(*)::integer from bulks$$,
  'values (200, 600, 4)', 'the same bulk request four times at once creates each lead once');

-- 300 messages, each stored at the same time as its callback
select pg_temp.race(2, $$
  do $do$
  begin
    for n in 1..300 loop
      if {worker} = 1 then
        insert into public.recruiting_messages (conversation_id, direction, sender_type, provider_message_id)
        values (md5('race')::uuid, 'outbound', 'bot', 'race pair ' || n);
      else perform public.update_sms_status('race pair ' || n, 'delivered', null);
      end if;
      commit;
    end loop;
  end
  $do$
$$, 'repeated');
select results_eq(
  $$select status, count(*) from public.recruiting_messages where provider_message_id like 'race pair %' group by 1$$,
  $$values ('delivered', 300::bigint)$$, 'no callback is lost when it comes while its message is being stored');

-- 300 messages in two transactions, one from the first on and one from the last, while their callbacks come
create temp table many_at_once as select * from pg_temp.race(6, $$
  do $do$
  begin
    for n in 1..150 loop
      if {worker} > 2 then
        perform public.update_sms_status('race many ' || {worker} % 2 || ' ' || abs(({worker} / 5) * 151 - n), 'delivered', null);
        commit;
      else
        insert into public.recruiting_messages (conversation_id, direction, sender_type, provider_message_id)
        values (md5('race')::uuid, 'outbound', 'bot', 'race many ' || {worker} % 2 || ' ' || abs(({worker} - 1) * 151 - n));
      end if;
    end loop;
  end
  $do$
$$, 'repeated');
select results_eq(
  $$select status, count(*) from public.recruiting_messages where provider_message_id like 'race many %' group by 1$$,
  $$values ('delivered', 300::bigint)$$, 'messages and callbacks never wait for each other in a circle');

-- One call ten times at once. How many results have each status, and how many different results there are besides it.
create function pg_temp.at_once(query text, failure text default 'repeated') returns text language sql as $$
  with results as (
    select coalesce(result ->> 'status', result ->> 'duplicate') as status, result - 'status' - 'duplicate' - 'distributed_to' as rest
    from (select result::jsonb from pg_temp.race(10, query, failure) result) raced
  )
  select (select string_agg(n || ' ' || status, ', ' order by n) from (select status, count(*) as n from results group by 1) counted)
    || ': ' || count(distinct rest) filter (where status is not null) from results
$$;
create function pg_temp.deliver(lead_id text) returns text language sql as $$
  select format($sql$
    select public.ingest_recruiting_leads(jsonb_build_array(jsonb_build_object(
      'lead', jsonb_build_object('id', md5(%L)::uuid, 'first_name', 'Ada', 'vendor_metadata', '{"is_test": true}'::jsonb),
      'webhook', jsonb_build_object('secret_id', md5('race')::uuid, 'delivery_id', 'one', 'part', 0)))) -> 0
  $sql$, lead_id)
$$;
select is(pg_temp.at_once(query), expected, description)
from (values
  ('1 created, 9 duplicate: 1', 'of ten leads at once with one vendor_lead_id one is created, and all return its id', $$
    select public.ingest_recruiting_leads(jsonb_build_array(jsonb_build_object(
      'key_hash', encode(sha256('race'), 'hex'), 'lead', jsonb_build_object('id', md5('race worker {worker}')::uuid,
      'first_name', 'Ada', 'vendor_lead_id', 'one', 'vendor_metadata', '{"is_test": true}'::jsonb)))) -> 0$$),
  ('10 created: 1', 'the same call ten times at once, as after a lost response, returns created each time',
    pg_temp.ingest_query(pg_temp.key_of('race'), jsonb_build_object('id', md5('race retry')::uuid, 'first_name', 'Ada',
      'vendor_lead_id', 'retry', 'vendor_metadata', '{"is_test": true}'::jsonb))),
  ('10 received: 1', 'one MessageSid ten times at once is received each time',
    $$select public.receive_sms('+19995550001', '+19995550002', 'race SM1', 'Hi {worker}', '[]')$$),
  ('10 updated: 1', 'ten callbacks of one message at once all update it', $$
    select public.update_sms_status('race pair 1', (array['queued', 'sent', 'delivered', 'failed'])[{worker} % 4 + 1], null)$$),
  ('10 updated: 1', 'one callback ten times at once has one result',
    $$select public.update_sms_status('race pair 2', 'sent', null, md5('race')::uuid)$$),
  ('1 false, 9 true: 1', 'of one submission ten times at once one is no duplicate, and all return the same', $$
    select public.submit_lead_presentation(
      md5('race')::uuid, '{"children": {worker}}', '{"product": "Term", "annual_premium": 10}',
      '[{"first_name": "Ron", "phone": "1"}]', md5('race')::uuid)
    from (select set_config('request.jwt.claims', json_build_object('sub', md5('user ann')::uuid)::text, false)) signed_in$$)
) as calls (expected, description, query);
select matches(
  pg_temp.at_once(pg_temp.deliver('race delivery {worker}'), 'left out'), '(^1 created|, 1 created).*: 1$',
  'of one delivery ten times at once one is created, and those that do not fail return its id');
select results_eq(
  $$select
      (select count(*) from public.recruiting_leads where vendor_id = md5('race')::uuid and vendor_lead_id is null),
      (select count(*) from public.recruiting_messages where provider_message_id = 'race SM1'),
      (select count(*) from public.recruiting_message_events where id = md5('race')::uuid)$$,
  'values (1::bigint, 1::bigint, 1::bigint)', 'the delivery, the message and the callback are stored once');
select is(
  (select status from public.recruiting_messages where provider_message_id = 'race pair 1'),
  (select status from public.recruiting_message_events where provider_message_id = 'race pair 1' order by received_at desc limit 1),
  'the message has the status of the last callback');
select results_eq(
  $$select presentations_submitted, sales, annual_premium, referrals from public.lead_metrics where lead_id = md5('race')::uuid$$,
  'values (1, 1, 10.00, 1)', 'the metrics count one submission');

-- One delivery again while the first is at work, which fails at last
select pg_temp.commit_of('race', $$delete from private.idempotency_keys where scope = 'delivery ' || {id}$$);
select pg_temp.hold(pg_temp.deliver('race first'));
create function pg_temp.deliver_again() returns text language sql as $$
  select coalesce(result::jsonb ->> 'status', result::jsonb #>> '{error,code}')
  from extensions.dblink(pg_temp.connected(), pg_temp.deliver('race again')) as results (result text)
$$;
select is(pg_temp.deliver_again(), 'PT409', 'a delivery again while the first is at work is PT409');
select pg_temp.let_go();
select is(pg_temp.deliver_again(), 'created', 'a delivery that failed has not used its id up');

select is_empty('select * from public.check_daily_counts()', 'the kept counts of the days are right');

select pg_temp.remove_committed('race');
select * from finish();
rollback;
