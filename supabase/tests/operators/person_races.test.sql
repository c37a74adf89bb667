-- Texts and notes that come at the moment at which their recruit is erased, over several connections. What they commit is
-- deleted at the end.
begin;
create extension if not exists dblink with schema extensions;
select plan(10);
\ir ../helpers.psql

create function pg_temp.clean_up() returns void language sql as $$
  select pg_temp.remove_committed('erasure');
  select pg_temp.commit($sql$
    delete from public.unmatched_texts where recruit_phone like '+1999559%';
    delete from public.erasures where asked_by = 'phone' and erased -> 'conversation' = '1';
  $sql$);
$$;
select pg_temp.create_committed('erasure');
select pg_temp.clean_up();
select pg_temp.create_committed('erasure', 'erasure ann');
select pg_temp.commit_of('erasure', $sql$
  insert into public.recruiting_conversations (agency_id, recruit_phone, service_phone)
  select {id}, '+1999559000' || n, '+19995590100' from generate_series(1, 22) n;
  insert into public.recruiting_leads (id, vendor_id, first_name, vendor_metadata, agency_id, agent_id)
  values (md5('erasure lead')::uuid, {id}, 'Ada', '{"phone": "+19995591000"}', {id}, md5('erasure ann')::uuid);
$sql$);

create function pg_temp.ask(connection text, query text) returns text language sql as $$
  select r.result from extensions.dblink(connection, query) as r (result text)
$$;
select extensions.dblink_connect('first', pg_temp.dsn()), extensions.dblink_connect('second', pg_temp.dsn());

-- The text comes second.
select extensions.dblink_exec('first', 'begin');
select pg_temp.ask('first', $$select public.erase_person('+19995590001') ->> 'conversation'$$);
select extensions.dblink_send_query('second',
  $$select public.receive_sms('+19995590001', '+19995590100', 'erasure 1', 'Hi', '[]') ->> 'status'$$);
select pg_sleep(0.2);
select is(extensions.dblink_is_busy('second'), 1, 'a text waits while its recruit is erased');
select extensions.dblink_exec('first', 'commit');
select is(pg_temp.answer_of('second'), 'no_conversation', 'then it has no conversation any more');
select is(
  (select array_agg(t.body) from public.unmatched_texts t where t.recruit_phone = '+19995590001'), array['Hi'],
  'and is kept as a new one');

-- The text comes first.
select extensions.dblink_exec('first', 'begin');
select pg_temp.ask('first', $$select public.receive_sms('+19995590002', '+19995590100', 'erasure 2', 'Hi', '[]') ->> 'status'$$);
select extensions.dblink_send_query('second', $$select public.erase_person('+19995590002', '{}') ->> 'conversation'$$);
select is(left(pg_temp.answer_of('second'), 5), '55P03', 'who erases gives up, and not the text');
select extensions.dblink_exec('first', 'commit');
select extensions.dblink_send_query('second', $$select public.erase_person('+19995590002', '{}') ->> 'conversation'$$);
select is(left(pg_temp.answer_of('second'), 5), 'PT409', 'and the text is to be deleted at the provider first');
select is(
  pg_temp.ask('second', $$select public.erase_person('+19995590002', '{erasure 2}') ->> 'conversation'$$), '1',
  'after which the recruit is erased');

-- Twenty recruits are erased while each of them sends two texts.
select from pg_temp.race(3, $work$
  do $do$
  begin
    for n in 3..22 loop
      if {worker} < 3 then
        perform public.receive_sms('+1999559000' || n, '+19995590100', format('erasure %s %s', {worker}, n), 'Hi', '[]');
      else
        begin
          perform public.erase_person('+1999559000' || n);
        exception when lock_not_available then
          null;
        end;
      end if;
      commit;
    end loop;
  end
  $do$
$work$);
select is_empty(
  $$select from public.recruiting_messages m
    where m.provider_message_id like 'erasure %'
      and exists (select from public.unmatched_texts t where t.message_sid = m.provider_message_id)$$,
  'no text of twenty who are erased meanwhile is refused or stored twice');

-- A note is written while the recruit is erased.
select extensions.dblink_exec('first', 'begin');
select pg_temp.ask('first', $$select public.erase_person('+19995591000') ->> 'recruiting_lead'$$);
select pg_temp.ask('second', $$select set_config(
  'request.jwt.claims', json_build_object('sub', md5('user erasure ann')::uuid)::text, false)$$);
select pg_temp.send_and_wait('second', $$select public.add_note(md5('erasure lead')::uuid, 'Her aunt is ill') ->> 'id'$$);
select is(extensions.dblink_is_busy('second'), 1, 'a note waits while its recruit is erased');
select extensions.dblink_exec('first', 'commit');
select is(left(pg_temp.answer_of('second'), 5), 'PT404', 'then it is refused');
select is_empty($$select from public.recruit_notes n where n.recruiting_lead_id = md5('erasure lead')::uuid$$, 'and not stored');

select extensions.dblink_disconnect('first'), extensions.dblink_disconnect('second');
select pg_temp.clean_up();
select * from finish();
rollback;
