-- Texts, numbers, conversations and leads that come at the same moment as an opt-out, over several connections. What
-- they commit is deleted at the end.
begin;
create extension if not exists dblink with schema extensions;
select plan(13);
\ir ../helpers.psql

select pg_temp.create_committed('race', 'ann');
select pg_temp.commit($sql$
  update public.agents set role = 'manager', accepts_recruits = false where id = md5('ann')::uuid;
  update public.vendors set has_text_consent = true where id = md5('race')::uuid;
  insert into public.service_numbers (phone, agency_id, segments_per_second) values
    ('+19995552000', md5('race')::uuid, 1000000), ('+19995552001', md5('race')::uuid, 1000000);
  -- Replies may be sent at any hour.
  insert into public.recruiting_conversations (
    id, agency_id, recruit_phone, service_phone, status, assigned_agent_id, last_message_at
  )
  select md5('race ' || n)::uuid, md5('race')::uuid, '+1999557' || 1000 + n, '+19995552000', 'escalated', md5('ann')::uuid,
    now() + interval '1 hour'
  from generate_series(1, 20) n;
$sql$);

-- Twenty recruits text STOP while their agent's texts are queued and claimed, and the provider refuses some of them.
select pg_temp.race(6, $work$
  do $do$
  declare claimed jsonb;
  begin
    for n in 1..20 loop
      if {worker} = 1 then perform public.receive_sms('+1999557' || 1000 + n, '+19995552000', 'race stop ' || n, 'STOP', '[]');
      elsif {worker} <= 3 then perform private.queue_text(md5('race ' || n)::uuid, 'agent', 'Hi');
      else
        for claimed in select t from jsonb_array_elements(public.claim_texts(3) -> 'texts') t loop
          commit;
          if random() < 0.3 then
            perform public.record_text_outcome((claimed ->> 'message_id')::uuid, (claimed -> 'claim')::integer, 'opted_out');
          else
            perform public.update_sms_status('race ' || (claimed ->> 'message_id'), 'failed', '21610',
              message_id => (claimed ->> 'message_id')::uuid);
          end if;
        end loop;
      end if;
      commit;
    end loop;
  end
  $do$
$work$);
create view pg_temp.texts as
select c.recruit_phone, o.*
from public.text_outbox o join public.recruiting_conversations c on c.id = o.conversation_id
where c.agency_id = md5('race')::uuid;
select is(
  (select count(*)::integer from public.text_consents where agency_id = md5('race')::uuid and state = 'opted_out'), 20,
  'twenty recruits who text STOP are opted out');
select is_empty(
  $$select * from pg_temp.texts t where exists (
      select from public.text_consent_events e
      where e.agency_id = md5('race')::uuid and e.phone = t.recruit_phone and e.occurred_at < t.attempted_at)$$,
  'no text is sent after an opt-out');
-- The second text of a conversation comes to its turn after the first.
select from pg_temp.race(1, $$select public.claim_texts(1000)::text$$) claimed;
select from pg_temp.race(1, $$select public.claim_texts(1000)::text$$) claimed;
select is((select count(*)::integer from pg_temp.texts where state in ('pending', 'sending')), 0, 'and none is left that would be');

-- A number is added while recruits text STOP to it.
select pg_temp.race(5, $work$
  do $do$
  begin
    for n in 1..10 loop
      if {worker} = 5 then insert into public.service_numbers (phone, agency_id) values ('+1999555' || 2100 + n, md5('race')::uuid);
      else
        perform public.receive_sms('+1999557' || 2000 + n * 10 + {worker}, '+1999555' || 2100 + n, 'race new ' || n || '-{worker}',
          'Stop!', '[]');
      end if;
      commit;
    end loop;
  end
  $do$
$work$);
select is(
  (select count(*)::integer from public.text_consents
   where agency_id = md5('race')::uuid and phone like '+19995572%' and state = 'opted_out'),
  40, 'no STOP is lost that comes while its number is added');

-- A conversation is made while its recruit texts STOP.
select pg_temp.race(3, $work$
  do $do$
  begin
    for n in 1..20 loop
      if {worker} = 3 then
        insert into public.recruiting_conversations (agency_id, recruit_phone, service_phone)
        values (md5('race')::uuid, '+1999557' || 3000 + n, '+19995552200');
      else
        perform public.receive_sms('+1999557' || 3000 + n, '+19995552200', 'race made ' || n || '-{worker}',
          case {worker} when 1 then 'Stop!' else 'Hi' end, '[]');
      end if;
      commit;
    end loop;
  end
  $do$
$work$);
select is(
  (select count(*)::integer from public.text_consents
   where agency_id = md5('race')::uuid and phone like '+19995573%' and state = 'opted_out'),
  20, 'no STOP is lost that comes while its conversation is made');
select results_eq(
  $$select count(*), count(c.last_message_at) from public.recruiting_messages m
    join public.recruiting_conversations c on c.id = m.conversation_id where m.provider_message_id like 'race made %'$$,
  'values (40::bigint, 40::bigint)', 'and no text is; each conversation has the time of its texts');
select is_empty($$select from public.unmatched_texts where message_sid like 'race made %'$$, 'none is left unmatched');

-- One text and one callback many times at once
select pg_temp.race(5, $$ select public.receive_sms('+19995571001', '+19995552000', 'race repeated', 'START', '[]')::text
$$);
select results_eq(
  $$select count(*) from public.text_consent_events e
    join public.recruiting_messages m on m.id = e.message_id where m.provider_message_id = 'race repeated'$$,
  array[1::bigint], 'a text five times at once is one event');

-- Agents begin a conversation with one recruit, while leads of the recruit are distributed.
select pg_temp.commit($sql$
  insert into public.recruiting_leads (id, vendor_id, first_name, vendor_metadata, distribution,
    agency_id, agent_id, distributed_at)
  select md5('race lead ' || n)::uuid, md5('race')::uuid, 'Ada', jsonb_build_object('phone', '+1312555' || 1000 + n), 'distributed',
    md5('race')::uuid, md5('ann')::uuid, now()
  from generate_series(1, 10) n;
  insert into public.recruiting_orders (agency_id, vendor_id, quantity, priority, greeting_template)
  values (md5('race')::uuid, md5('race')::uuid, 1000, 1000, 'Hi {first_name}, {agent} of {agency}. STOP to opt out.');
$sql$);
select pg_temp.race(6, $work$
  do $do$
  begin
    perform set_config('request.jwt.claims', json_build_object('sub', md5('user ann')::uuid)::text, false);
    for n in 1..10 loop
      if {worker} <= 3 then perform public.start_conversation(md5('race lead ' || n)::uuid);
      else
        perform public.ingest_recruiting_leads(jsonb_build_array(jsonb_build_object(
          'key_hash', encode(sha256('race'), 'hex'), 'lead', jsonb_build_object(
          'id', gen_random_uuid(), 'first_name', 'Ada', 'vendor_lead_id', n || '-{worker}',
          'vendor_metadata', jsonb_build_object('phone', '+1312555' || 1000 + n)))));
        perform private.try_distribute_pending();
        perform public.queue_greeting(lead_id) from private.waiting_greetings order by created_at;
      end if;
      commit;
    end loop;
  end
  $do$
$work$);
select results_eq(
  $$select count(*), count(distinct recruit_phone) from public.recruiting_conversations
    where agency_id = md5('race')::uuid and recruit_phone like '+1312555%'$$,
  'values (10::bigint, 10::bigint)', 'each recruit has one conversation');
select is(
  (select count(*)::integer from public.recruiting_leads where vendor_id = md5('race')::uuid and vendor_lead_id is not null), 30,
  'every lead is stored');
select cmp_ok(
  (select max(count) from (select count(*) from pg_temp.texts where kind = 'greeting' group by recruit_phone) greetings), '=', 1::bigint,
  'nobody is greeted twice');
select is_empty(
  $$select from public.recruiting_leads where vendor_id = md5('race')::uuid and distribution = 'unmatched'$$,
  'and no greeting keeps a lead from its agency');

-- Two agents begin one at the same moment, while the number that the first one got becomes the one that is used more.
select pg_temp.commit($sql$
  insert into public.recruiting_leads (id, vendor_id, first_name, vendor_metadata, distribution,
    agency_id, agent_id, distributed_at)
  values (md5('race lead 11')::uuid, md5('race')::uuid, 'Ada', '{"phone": "+13125552011"}', 'distributed', md5('race')::uuid,
    md5('ann')::uuid, now())
$sql$);
select extensions.dblink_connect(name, pg_temp.dsn()) from unnest(array['first', 'second']) name;
select extensions.dblink_exec(name, format('begin; set local request.jwt.claims = %L', json_build_object('sub', md5('user ann')::uuid)))
from unnest(array['first', 'second']) name;
create temp table first as select result::jsonb from extensions.dblink('first',
  $$select public.start_conversation(md5('race lead 11')::uuid)$$) as results (result text);
select pg_temp.commit(format($sql$
  insert into public.recruiting_conversations (agency_id, recruit_phone, service_phone)
  select md5('race')::uuid, '+1999559' || 1000 + n, %L from generate_series(1, 100) n
$sql$, result ->> 'service_phone')) from first;
select pg_temp.send_and_wait('second', $$select public.start_conversation(md5('race lead 11')::uuid)$$);
select extensions.dblink_exec('first', 'commit');
select is(
  (select result::jsonb from extensions.dblink_get_result('second') as results (result text)), (select result from first),
  'the second gets the conversation of the first');
select extensions.dblink_disconnect(name) from unnest(array['first', 'second']) name;

select pg_temp.remove_committed('race');
select * from finish();
rollback;
