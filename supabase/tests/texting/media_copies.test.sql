-- The queue of recruits' files: who reads it, and what becomes of a file that is claimed.
begin;
select plan(26);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_vendor('vendor');
select pg_temp.create_conversation('of ' || owner, recruit, '+19995550000', owner)
from (values ('ann', '+19995551001'), ('cal', '+19995551002')) c (owner, recruit);

create function pg_temp.receive(recruit text, sid text, files integer, copies boolean default true) returns text
language sql as $$
  select public.receive_sms(recruit, '+19995550000', sid, 'Hi', coalesce((
    select jsonb_agg(jsonb_build_object('url', sid || '/' || n, 'content_type', 'image/jpeg') order by n)
    from generate_series(0, files - 1) n
  ), '[]'), copies_media => copies) ->> 'status'
$$;
create function pg_temp.copies(sid text) returns text language sql as $$
  select string_agg(concat_ws(' ', c.position, c.state, c.reason), ', ' order by c.position)
  from public.media_copies c
  join public.recruiting_messages m on m.id = c.message_id
  where m.provider_message_id = sid
$$;
create function pg_temp.id_of(sid text) returns uuid language sql as $$
  select m.id from public.recruiting_messages m where m.provider_message_id = sid
$$;

select is(pg_temp.receive('+19995551001', 'two', 2), 'received', 'a text with two files is received');
select is(pg_temp.copies('two'), '0 waiting, 1 waiting', 'and both wait to be copied');
select pg_temp.receive('+19995551001', 'two', 2);
select is(pg_temp.copies('two'), '0 waiting, 1 waiting', 'once, however often it comes');
select pg_temp.receive('+19995551001', 'none', 0), pg_temp.receive('+19995551001', 'off', 1, false);
select is(count(*), 2::bigint, 'a text without files queues nothing, nor does one while there is no account')
from public.media_copies;

-- Without a conversation
select is(pg_temp.receive('+19995551009', 'early', 1), 'no_conversation', 'a text may come before its conversation');
select pg_temp.receive('+19995551009', 'early off', 1, false);
select pg_temp.create_conversation('new', '+19995551009', '+19995550000', 'ann');
select is(pg_temp.copies('early'), '0 waiting', 'and its file is copied then');
select is(pg_temp.copies('early off'), null, 'but not one of a time without an account');

-- Claims
create temporary table claimed as select f.* from jsonb_to_recordset(public.claim_media_copies(10)) as f (
  message_id uuid, "position" integer, attempt integer, url text, path text);
select set_eq(
  'select position, url, attempt, path from claimed',
  format(
    'values (0, %L, 1, %L), (1, %L, 1, %L), (0, %L, 1, %L)',
    'two/0', md5('of ann')::uuid || '/' || pg_temp.id_of('two') || '-0',
    'two/1', md5('of ann')::uuid || '/' || pg_temp.id_of('two') || '-1',
    'early/0', md5('new')::uuid || '/' || pg_temp.id_of('early') || '-0'),
  'a claim has the files, and the name of each copy below its conversation');
select is(public.claim_media_copies(10), '[]', 'nobody else gets them meanwhile');
select ok(not private.is_media_due(), 'and nothing is due');
update public.media_copies set due_at = now(), lease_until = now() where position = 1;
select ok(private.is_media_due(), 'the file of a worker that has died is due');
select is(
  public.claim_media_copies(10) -> 0 ->> 'attempt', '2', 'and is claimed again');

-- Outcomes
select is(public.record_media_copy(pg_temp.id_of('two'), 1, 1, 'failed', reason => 'gone'), 'waiting', 'a late report changes nothing');
select is(
  public.record_media_copy(pg_temp.id_of('two'), 1, 1, 'copied', 'a/b', 'image/png'), 'copied', 'but a copy that is there counts');
select is(
  public.record_media_copy(pg_temp.id_of('two'), 1, 2, 'failed', reason => 'gone'), 'copied', 'and stays');
select is(public.record_media_copy(pg_temp.id_of('two'), 0, 1, 'later', reason => 'HTTP 500'), 'waiting', 'a fault is tried again');
select is(due_at, now() + interval '10 seconds', 'after 10 seconds')
from public.media_copies where message_id = pg_temp.id_of('two') and position = 0;
select is(public.record_media_copy(gen_random_uuid(), 0, 1, 'copied', 'a/b', 'image/png'), null, 'of a deleted text nothing is recorded');
select throws_ok(
  format('select public.record_media_copy(%L, 0, 1, %L)', pg_temp.id_of('early'), 'lost'), '22023', 'outcome: "lost" is unknown');

-- The end of patience
update public.media_copies set due_at = now(), queued_at = now() - interval '25 hours', attempt = 5 where reason = 'HTTP 500';
update public.media_copies set due_at = now(), queued_at = now() - interval '25 hours', attempt = 4
where message_id = pg_temp.id_of('early');
select is(jsonb_array_length(public.claim_media_copies(10)), 1, 'after a day and 5 attempts a file is not claimed any more');
select is(pg_temp.copies('two'), '0 failed HTTP 500, 1 copied', 'and has failed with its last reason');

-- Queued again
select public.record_media_copy(pg_temp.id_of('early'), 0, 5, 'failed', reason => 'too_large');
select is(public.queue_media_copies(array['two', 'early', 'off', 'none', 'unknown']), 2,
  'a file that was not given is queued again, and one that never was; not one that is too large');
select is(pg_temp.copies('two') || '; ' || pg_temp.copies('off') || '; ' || pg_temp.copies('early'),
  '0 waiting HTTP 500, 1 copied; 0 waiting; 0 failed too_large', 'so they wait');
select is(public.queue_media_copies(array['two', 'early', 'off']), 0, 'a second time changes nothing');

-- Readers
select is(
  (select array_agg(pg_temp.result_as(name, 'select count(*) from public.media_copies')::bigint order by n) from unnest(array['ann', 'cal', 'mia', 'otto']) with ordinality p (name, n)),
  array[4, 0, 4, 0]::bigint[], 'who reads the conversation reads of its files, and nobody else');
select throws_ok($$select pg_temp.become('ann'); update public.media_copies set state = 'waiting'$$, '42501', null, 'no agent writes them');

select * from finish();
rollback;
