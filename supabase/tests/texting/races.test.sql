-- Texts that are queued, claimed, reported and refused at once, over several connections. What they commit is deleted at
-- the end.
begin;
create extension if not exists dblink with schema extensions;
select plan(24);
\ir ../helpers.psql

select pg_temp.create_committed('race', 'ann', 'race cal');
-- What the provider has got, kept as events that mean nothing, because each connection can add to them
create view pg_temp.requests as
select e.provider_status::uuid as message_id, e.provider_message_id as sid, e.received_at
from public.recruiting_message_events e
where e.provider_message_id like 'race request %';
-- Some conversations have the same recruit, and there are two numbers.
select pg_temp.commit($sql$
  insert into public.service_numbers (phone, agency_id, segments_per_second) values
    ('+19995550100', md5('race')::uuid, 1000000), ('+19995550101', md5('race')::uuid, 1000000);
  -- Replies may be sent at any hour.
  insert into public.recruiting_conversations (
    id, agency_id, recruit_phone, service_phone, status, assigned_agent_id, last_message_at
  )
  select md5('race ' || n)::uuid, md5('race')::uuid, '+1999556' || 1000 + n % 40, '+1999555010' || n / 40,
    'escalated', md5('ann')::uuid, now() + interval '1 hour'
  from generate_series(1, 50) n;
$sql$);

-- 60 texts: connections 1 to 4 queue them, and six workers send them meanwhile. Now and then a worker dies, before
-- its request, after it, or before it reports a look-up. Its lease ends at once, and look-ups are due at once, so that
-- the test does not take minutes.
create temp table finished as select * from pg_temp.race(10, $work$
  do $do$
  declare claim jsonb; claimed jsonb; sid text; sids text[]; task_id uuid; fate double precision;
  begin
    if {worker} <= 4 then
      for n in 1..15 loop perform private.queue_text(md5('race ' || 1 + (n * 7 + {worker} * 13) % 50)::uuid, 'agent', 'Hi'); commit;
      end loop;
      return;
    end if;
    for round in 1..1000 loop
      claim := public.claim_texts(7);
      commit;
      for claimed in select t from jsonb_array_elements(claim -> 'texts') t loop
        task_id := (claimed ->> 'message_id')::uuid;
        fate := random();
        if claimed ->> 'task' = 'look_up' then
          select array_agg(e.provider_message_id) into sids
          from public.recruiting_message_events e where e.provider_status = task_id::text;
          if fate > 0.1 then perform public.record_text_lookup(task_id, (claimed -> 'claim')::integer, sids);
          end if;
        else
          -- One that was sent again is not lost a second time: it would fail.
          if fate > 0.05 or exists (select from public.text_outbox o where o.message_id = task_id and o.attempt > 1) then
            sid := 'race request ' || gen_random_uuid();
            insert into public.recruiting_message_events (provider_message_id, provider_status) values (sid, task_id);
            commit;
          end if;
          if fate > 0.15 then
            perform public.record_text_outcome(
              task_id, (claimed -> 'claim')::integer, case when fate > 0.25 then 'accepted' else 'unconfirmed' end,
              case when fate > 0.25 then sid end);
          end if;
        end if;
        commit;
        update public.text_outbox o
        set lease_until = now()
        where o.message_id = task_id and o.claim = (claimed -> 'claim')::integer and o.lease_until > now();
        commit;
      end loop;
      exit when 60 = (
        select count(*) from public.text_outbox o
        where o.state = 'accepted' and o.conversation_id in (select md5('race ' || n)::uuid from generate_series(1, 50) n));
      update public.text_outbox o
      set due_at = now()
      from (
        select d.message_id from public.text_outbox d
        where d.state = 'unconfirmed' and d.lease_until is null and d.due_at > now()
        for update skip locked
      ) d
      where o.message_id = d.message_id;
      commit;
      perform pg_sleep(0.02);
      -- The next transaction begins after the pause, and sees what has become due.
      commit;
    end loop;
  end
  $do$
$work$) result;
select is((select count(*)::integer from finished), 10, 'six workers and four that queue texts end');
select results_eq(
  'select count(*), count(distinct message_id) from requests', 'values (60::bigint, 60::bigint)',
  'each of 60 texts is requested once, with any process killed at any time');
select is_empty(
  $$select from (
      select o.ordinal, lag(o.ordinal) over (partition by o.conversation_id order by r.received_at) as previous
      from requests r join public.text_outbox o using (message_id)) texts
    where ordinal < previous$$,
  'the texts of each conversation are requested in their order');
select is_empty(
  $$select from requests r join public.recruiting_messages m on m.id = r.message_id
    where m.provider_message_id is distinct from r.sid$$,
  'each message has the MessageSid of its own request');
select ok(not private.is_text_due(), 'nothing is left to do');

-- 50 recruits: each says STOP while a worker claims the texts that wait for them.
select pg_temp.commit($sql$
  insert into public.recruiting_conversations (id, agency_id, recruit_phone, service_phone, last_message_at)
  select md5('race stop ' || n)::uuid, md5('race')::uuid, '+1999557' || 1000 + n, '+19995550100', now() + interval '1 hour'
  from generate_series(1, 50) n;
  do $do$
  begin for n in 1..50 loop perform private.queue_text(md5('race stop ' || n)::uuid, 'agent', 'Hi'); end loop;
  end
  $do$;
$sql$);
select * from pg_temp.race(4, $work$
  do $do$
  begin
    for n in 1..50 loop
      if {worker} = 1 then
        -- The others have begun.
        while not exists (select from public.text_outbox o where o.state = 'sending') loop
          perform pg_sleep(0.001);
        end loop;
        perform private.record_consent(md5('race')::uuid, '+1999557' || 1000 + n, 'opted_out', 'keyword', 'STOP');
        commit;
        -- So that neither side is long ahead of the other.
        perform pg_sleep(0.001);
      -- Together they claim fewer than there are.
      elsif n <= 15 then perform public.claim_texts(1);
      end if;
      commit;
    end loop;
  end
  $do$
$work$);
create temp table stopped as
select o.state, o.attempted_at, t.changed_at
from public.text_consents t
join public.recruiting_conversations c on c.recruit_phone = t.phone and c.agency_id = t.agency_id
join public.text_outbox o on o.conversation_id = c.id
where t.agency_id = md5('race')::uuid and t.state = 'opted_out';
select is((select count(*)::integer from stopped), 50, '50 recruits have opted out');
select is_empty(
  $$select from stopped where state = 'sending' and attempted_at > changed_at$$, 'no text is claimed after its recruit''s STOP');
select cmp_ok((select count(*) from stopped where state = 'sending'), '>', 0::bigint, 'some are claimed before');
select cmp_ok((select count(*) from stopped where state <> 'sending'), '>', 0::bigint, 'some are not');
select pg_temp.commit('do $do$ begin perform public.claim_texts(1000); end $do$');
select is(
  (select count(*)::integer from public.text_outbox o join public.recruiting_conversations c on c.id = o.conversation_id
   where c.recruit_phone like '+1999557%' and o.state = 'refused'),
  (select count(*)::integer from stopped where state <> 'sending'), 'and those are never sent');

-- 50 texts: an agent cancels them, the last one first, while workers claim them.
select pg_temp.commit($sql$
  insert into public.recruiting_conversations (
    id, agency_id, recruit_phone, service_phone, status, assigned_agent_id, last_message_at
  )
  select md5('race cancel ' || n)::uuid, md5('race')::uuid, '+1999556' || 2000 + n, '+19995550101', 'escalated', md5('ann')::uuid,
    now() + interval '1 hour'
  from generate_series(1, 50) n;
  do $do$
  begin for n in 1..50 loop perform private.queue_text(md5('race cancel ' || n)::uuid, 'agent', 'Hi'); end loop;
  end
  $do$;
$sql$);
select * from pg_temp.race(3, $work$
  do $do$
  declare text_id uuid;
  begin
    perform set_config('request.jwt.claims', json_build_object('sub', md5('user ann')::uuid)::text, false);
    for n in reverse 50..1 loop
      if {worker} = 1 then
        select o.message_id into text_id from public.text_outbox o where o.conversation_id = md5('race cancel ' || n)::uuid;
        begin
          perform public.cancel_text(text_id);
          insert into public.recruiting_message_events (provider_message_id, provider_status)
          values ('race cancelled', text_id);
        exception when sqlstate 'PT409' then null;
        end;
      else perform public.claim_texts(1);
      end if;
      commit;
    end loop;
  end
  $do$
$work$);
create temp table cancelled as
select o.state, o.attempt, o.reason, e.id is not null as is_cancelled
from public.text_outbox o
join public.recruiting_conversations c on c.id = o.conversation_id and c.recruit_phone like '+19995562%'
left join public.recruiting_message_events e on e.provider_message_id = 'race cancelled' and e.provider_status = o.message_id::text;
select is((select count(*)::integer from cancelled), 50, '50 texts were there to be cancelled and claimed');
select is_empty(
  $$select * from cancelled
    where concat_ws(' ', state, attempt, reason) <> case when is_cancelled then 'refused 0 cancelled' else 'sending 1' end$$,
  'each is cancelled or sent, and its agent knows which');

-- Forty texts: each is reported as accepted while a callback, a look-up and late reports say something about it.
select pg_temp.commit($sql$
  delete from public.recruiting_conversations where agency_id = md5('race')::uuid;
  insert into public.recruiting_conversations (
    id, agency_id, recruit_phone, service_phone, status, assigned_agent_id, last_message_at
  )
  select md5('race ' || n)::uuid, md5('race')::uuid, '+1999558' || 1000 + n, '+19995550100', 'escalated', md5('ann')::uuid,
    now() + interval '1 hour'
  from generate_series(1, 40) n;
  do $do$
  begin for n in 1..40 loop perform private.queue_text(md5('race ' || n)::uuid, 'agent', 'Hi'); end loop; perform public.claim_texts(100);
  end
  $do$;
$sql$);
select * from pg_temp.race(5, $work$
  do $do$
  declare text public.text_outbox;
  begin
    for n in 1..40 loop
      select o.* into text from public.text_outbox o where o.conversation_id = md5('race ' || n)::uuid;
      case {worker}
        when 1 then perform public.record_text_outcome(text.message_id, 1, 'accepted', 'race SM' || n);
        when 2 then perform public.record_text_outcome(text.message_id, 1, 'unconfirmed');
        when 3 then perform private.accept_text(text.message_id, 'race SM' || n);
        when 4 then perform public.update_sms_status('race SM' || n, 'delivered', null);
        when 5 then perform public.record_text_lookup(text.message_id, 1, array['race SM' || n]);
      end case;
      commit;
    end loop;
  end
  $do$
$work$);
select results_eq(
  $$select o.state, m.status, count(distinct m.provider_message_id) from public.text_outbox o
    join public.recruiting_messages m on m.id = o.message_id where m.provider_message_id like 'race SM%' group by 1, 2$$,
  $$values ('accepted', 'delivered', 40::bigint)$$, 'whatever comes first, each text is accepted, with its callback');

-- One text five times at once, as from a page that got no response and tries again
create temp table sent as select result::jsonb from pg_temp.race(5, $$
  select public.send_text(md5('race 1')::uuid, 'Hi {worker}', md5('race client')::uuid)
  from (select set_config('request.jwt.claims', json_build_object('sub', md5('user ann')::uuid)::text, false)) signed_in
$$) result;
select results_eq(
  $$select result ->> 'status', count(*), count(distinct result - 'status') from sent group by 1 order by 1$$,
  $$values ('duplicate', 4::bigint, 1::bigint), ('queued', 1, 1)$$, 'one text five times at once is queued once');
select is((select count(distinct result - 'status')::integer from sent), 1, 'all return the same');
select is((select count(*)::integer from public.recruiting_messages where conversation_id = md5('race 1')::uuid), 2, 'and one message');

-- Two texts of one recruit, of which indexes give the later one first. A transaction that changes both must wait for
-- the first one before it locks the second, or two such changes would wait for each other.
select pg_temp.commit($sql$
  delete from public.recruiting_conversations where agency_id = md5('race')::uuid;
  insert into public.recruiting_conversations (id, agency_id, recruit_phone, service_phone)
  values (md5('race 2')::uuid, md5('race')::uuid, '+19995590001', '+19995550100'),
    (md5('race 1')::uuid, md5('race')::uuid, '+19995590001', '+19995550101');
  do $do$
  begin for n in 1..2 loop perform private.queue_text(md5('race ' || n)::uuid, 'bot', 'Hi'); end loop;
  end
  $do$;
  -- All of one number, that is paused
  update public.service_numbers set status = 'paused' where agency_id = md5('race')::uuid;
  update public.text_outbox o
  set reason = 'number_paused', service_phone = '+19995550100', due_at = now() - o.ordinal * interval '1 minute'
  where o.conversation_id in (md5('race 1')::uuid, md5('race 2')::uuid);
$sql$);
create function pg_temp.hold_first_text() returns void language sql as $$
  select pg_temp.hold('select o.kind from public.text_outbox o where o.conversation_id = md5(''race 1'')::uuid for update')
$$;
select pg_temp.hold_first_text(), extensions.dblink_connect('second', pg_temp.dsn());
select pg_temp.send_and_wait('second', $$select private.refuse_texts(md5('race')::uuid, '+19995590001', 'opted_out')$$);
select isnt_empty(
  $$select from extensions.dblink('operator', $sql$
      select o.kind from public.text_outbox o where o.conversation_id = md5('race 2')::uuid for update skip locked
    $sql$) as texts (kind text)$$,
  'an opt-out locks the texts that it refuses in their order');
select extensions.dblink_cancel_query('second'), extensions.dblink_disconnect('second'), pg_temp.let_go();

select pg_temp.hold_first_text();
select pg_temp.commit($sql$ set lock_timeout = '5s'; update public.service_numbers set status = 'active' where agency_id = md5('race')::uuid
$sql$);
select pg_temp.let_go();
select results_eq(
  $$select o.reason from public.text_outbox o where o.conversation_id in (md5('race 1')::uuid, md5('race 2')::uuid) order by o.ordinal$$,
  array['number_paused', null], 'a number that is active again waits for none of its texts');

-- Locks are taken in one order, so that two never wait for each other: this query waits for the first row, which
-- somebody holds, before it locks the second.
create function pg_temp.waits_before(query text, first text, second text) returns boolean language plpgsql as $$
declare
  is_free boolean;
begin
  perform pg_temp.hold(first), extensions.dblink_connect('second', pg_temp.dsn());
  perform pg_temp.send_and_wait('second', query);
  is_free := exists (select from extensions.dblink('operator', second || ' skip locked') as free (ignored text));
  perform extensions.dblink_cancel_query('second'), extensions.dblink_disconnect('second'), pg_temp.let_go();
  return is_free;
end
$$;
select pg_temp.commit($sql$
  update public.text_outbox o set state = 'sending', claim = 1, reason = null where o.conversation_id = md5('race 1')::uuid;
  insert into public.recruiting_leads (id, vendor_id, first_name, agency_id, agent_id)
  values (md5('race lead')::uuid, md5('race')::uuid, 'Ada', md5('race')::uuid, md5('ann')::uuid);
$sql$);
create function pg_temp.conversation_at(place text) returns text language sql as $$
  select format('(select %s(id::text)::uuid from public.recruiting_conversations where agency_id = md5(''race'')::uuid)', place)
$$;
create function pg_temp.lock_conversation(place text) returns text language sql as $$
  select 'select status from public.recruiting_conversations where id = ' || pg_temp.conversation_at(place) || ' for no key update'
$$;
-- The one with the lower id comes later in the index.
select pg_temp.commit('update public.recruiting_conversations set recruiting_lead_id = md5(''race lead'')::uuid where id = '
  || pg_temp.conversation_at(place)) from (values (1, 'max'), (2, 'min')) p (n, place) order by n;
select ok(
  pg_temp.waits_before(query,
    $$select status from public.recruiting_conversations where id = md5('race 1')::uuid for no key update$$,
    $$select kind from public.text_outbox where conversation_id = md5('race 1')::uuid for update$$),
  message)
from public.text_outbox o
cross join lateral (values
  (format('select public.record_text_outcome(%L, 1, %L, null, %L)', o.message_id, 'opted_out', '21610'),
    'a worker that reports an opt-out locks the conversation before the text, as an agent who cancels it does'),
  (format('select public.record_text_outcome(%L, 1, %L, null, %L)', o.message_id, 'refused', 'country'),
    'so does one that does not send the text'),
  (format('select public.update_sms_status(%L, %L, %L, message_id => %L)', 'race SM', 'failed', '21610', o.message_id),
    'a callback that says so does the same')
) q (query, message)
where o.conversation_id = md5('race 1')::uuid;
select ok(
  pg_temp.waits_before(
    $$select public.assign_leads(md5('race cal')::uuid, md5('race lead')::uuid)$$, pg_temp.lock_conversation('min'),
    pg_temp.lock_conversation('max')),
  'giving a lead away locks its conversations in the order of an opt-out');

-- Texts that stayed behind when their recruit opted out; somebody has locked one of them. Another recruit's text is due
-- too.
select pg_temp.commit($sql$
  delete from public.text_outbox o using public.recruiting_conversations c
  where c.id = o.conversation_id and c.agency_id = md5('race')::uuid;
  update public.service_numbers set status = 'active', busy_until = '-infinity' where agency_id = md5('race')::uuid;
  insert into public.recruiting_conversations (id, agency_id, recruit_phone, service_phone, last_message_at)
  select md5('behind ' || n)::uuid, md5('race')::uuid, '+1999558000' || n, '+19995550100', now() from generate_series(1, 2) n;
  do $do$ begin perform private.record_consent(md5('race')::uuid, '+19995580001', 'opted_out', 'keyword', 'STOP'); end $do$;
  insert into public.recruiting_messages (id, conversation_id, direction, sender_type, body)
  select md5('behind ' || n)::uuid, md5(conversation)::uuid, 'outbound', 'agent', 'Hi'
  from (values (1, 'behind 1'), (2, 'behind 1'), (3, 'behind 2')) as texts (n, conversation);
  insert into public.text_outbox (message_id, kind, state, due_at)
  select md5('behind ' || n)::uuid, 'agent', 'pending', now() - interval '1 hour' from generate_series(1, 3) n
$sql$);
select pg_temp.hold($$select o.kind from public.text_outbox o where o.message_id = md5('behind 1')::uuid for update$$);
select extensions.dblink_connect('second', pg_temp.dsn());
select extensions.dblink_exec('second', $$set lock_timeout = '5s'$$);
select results_eq(
  $$select message_id from extensions.dblink('second',
    $sql$select t ->> 'message_id' from jsonb_array_elements(public.claim_texts(10) -> 'texts') t$sql$) as texts (message_id text)$$,
  array[md5('behind 3')::uuid::text], 'a claim waits for no text that is to be refused, and gives none of them out');
select extensions.dblink_disconnect('second'), pg_temp.let_go();
select pg_temp.commit('do $do$ begin perform public.claim_texts(10); end $do$');
select results_eq(
  $$select o.state from public.text_outbox o where o.message_id in (md5('behind 1')::uuid, md5('behind 2')::uuid)$$,
  array['refused', 'refused'], 'the next claim refuses them');

select pg_temp.remove_committed('race');
select * from finish();
rollback;
