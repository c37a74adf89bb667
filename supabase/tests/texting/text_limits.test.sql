-- How much users may send and upload, also by calls at once. What the race commits is deleted at the end.
begin;
create extension if not exists dblink with schema extensions;
select plan(14);
\ir ../helpers.psql

select results_eq(
  $$select waiting_texts, texts_a_minute, files_an_hour from private.text_limits$$, $$values (10, 60, 30)$$, 'the limits are one row');

-- Twelve calls at once to one conversation, which takes ten, and to ten by a user who may send eight.
select pg_temp.create_committed('race', 'race ann', 'race cal');
select pg_temp.commit($sql$
  insert into public.service_numbers (phone, agency_id) values ('+19995550100', md5('race')::uuid);
  insert into public.recruiting_conversations (id, agency_id, recruit_phone, service_phone, status, assigned_agent_id, last_message_at)
  select md5('race ' || n)::uuid, md5('race')::uuid, '+1999556' || 1000 + n, '+19995550100', 'escalated',
    md5(case when n <= 10 then 'race ann' else 'race cal' end)::uuid, now() + interval '1 hour'
  from generate_series(1, 11) n;
$sql$);
create function pg_temp.flood(agent text, conversation text) returns bigint language sql as $$
  select count(*) from pg_temp.race(12, format($sql$
    select public.send_text(md5(%s)::uuid, 'Hi', gen_random_uuid())
    from (select set_config('request.jwt.claims', %L, false)) signed_in
  $sql$, conversation, json_build_object('sub', md5('user ' || agent)::uuid)), 'left out') result
  where result is not null
$$;
select is(pg_temp.flood('race cal', '''race 11'''), 10::bigint, 'of twelve texts to one recruit at once ten are queued');
select pg_temp.commit($sql$
  insert into private.request_counts values ('texts of agent ' || md5('race ann')::uuid, clock_timestamp(), 52);
$sql$);
select is(
  pg_temp.flood('race ann', $$'race ' || 1 + {worker} % 10$$), 8::bigint,
  'of twelve texts at once to ten recruits a user has queued what the minute leaves');
select pg_temp.remove_committed('race');
select pg_temp.commit($$delete from private.request_counts where bucket like 'texts of agent %'$$);

-- The words, and what a refusal leaves
select pg_temp.create_people();
insert into public.service_numbers (phone, agency_id) values ('+19995550110', md5('agency')::uuid);
select pg_temp.create_conversation('full', '+19995550001', '+19995550110', 'ann', spoke => '0'),
  pg_temp.create_conversation('free', '+19995550002', '+19995550110', 'ann', spoke => '0'),
  pg_temp.create_conversation('bot', '+19995550003', '+19995550110', spoke => '0');
create function pg_temp.send(conversation text, client text default gen_random_uuid()::text, person text default 'ann')
returns text language plpgsql as $$
declare
  result text;
begin
  perform pg_temp.become(person);
  result := public.send_text(md5(conversation)::uuid, 'Hi', md5(client)::uuid) ->> 'status';
  perform set_config('role', 'none', true);
  return result;
end
$$;
update private.text_limits set waiting_texts = 2, texts_a_minute = 5;
select pg_temp.send('full', client) from unnest(array['one', 'two']) client;
select throws_ok(
  $$select pg_temp.send('full')$$, 'PT429',
  'conversation_id: 2 texts already wait to be sent to this recruit; send the next when one of them has left', 'a recruit for whom texts wait');
select is(pg_temp.send('full', 'two'), 'duplicate', 'a text that was queued is found anyway');
update public.text_outbox set state = 'accepted' where conversation_id = md5('full')::uuid;
select is(pg_temp.send('full'), 'queued', 'and the next is queued once they have left');
select is(pg_temp.send('free') || ' ' || pg_temp.send('free'), 'queued queued', 'another recruit is texted');
select throws_ok(
  $$select pg_temp.send('bot', person => 'mia') from generate_series(1, 3)$$, 'PT429', null, 'a manager has the same limit');
select is(
  (select status from public.recruiting_conversations where id = md5('bot')::uuid), 'bot', 'a text that is refused takes no conversation over');
select pg_temp.create_conversation('more', '+19995550004', '+19995550110', 'ann', spoke => '0');
select throws_like($$select pg_temp.send('more')$$, 'you have sent 5 texts in a minute; send the next in % seconds', 'a user who has sent too many');
update private.request_counts set window_start = window_start - interval '1 minute' where bucket like 'texts of agent %';
select is(pg_temp.send('more'), 'queued', 'a minute later the user sends again');

-- Files
create function pg_temp.upload(conversation text, name text) returns text language plpgsql as $$
begin
  perform pg_temp.become('ann');
  insert into storage.objects (bucket_id, name, owner_id) values ('text-media', md5(conversation)::uuid || '/' || name, 'ann');
  perform set_config('role', 'none', true);
  return 'added';
exception when insufficient_privilege then
  perform set_config('role', 'none', true);
  return 'refused';
end
$$;
update private.text_limits set files_an_hour = 2;
-- A copy of a recruit's own file
insert into storage.objects (bucket_id, name) values ('text-media', md5('full')::uuid || '/copy.jpg');
select is(
  array[pg_temp.upload('full', '1.jpg'), pg_temp.upload('full', '2.jpg'), pg_temp.upload('full', '3.jpg'), pg_temp.upload('free', '1.jpg')],
  '{added,added,refused,added}', 'a conversation takes so many files of its users in an hour');
update storage.objects set created_at = now() - interval '1 hour' where bucket_id = 'text-media';
select is(pg_temp.upload('full', '3.jpg'), 'added', 'and more an hour later');
set local enable_seqscan = off;
select matches(
  pg_temp.plan_of(format($$select from storage.objects o where o.name ~>=~ %L and o.name ~<~ %L$$, 'a/', 'a0')), 'Index', 'they are counted by an index');

select * from finish();
rollback;
