-- A claim reads what is due and little more, however much has been sent, is held, or waits for a number.
begin;
select plan(18);
\ir ../helpers.psql

-- Forgets what the planner knew of these tables, which differs with what has run before, and keeps autovacuum away.
truncate public.service_numbers, public.recruiting_conversations, public.recruiting_messages, public.text_outbox cascade;
-- Triggers of conversations would take most of the time.
alter table public.recruiting_conversations disable trigger user;
select pg_temp.create_agency('agency');
insert into public.service_numbers (phone, agency_id, status, segments_per_second)
select '+1999555' || 1000 + n, md5('agency')::uuid, case when n <= 20 then 'active' else 'paused' end, 100000
from generate_series(1, 40) n;
select pg_temp.create_conversation('c ' || n, '+1999666' || 1000 + n, '+1999555' || 1001 + n % 40, spoke => '0')
from generate_series(0, 799) n;

create function pg_temp.add_texts(texts integer, state text, due interval default '0',
  every integer default 1, first integer default 0)
returns void language sql as $$
  with messages as (
    insert into public.recruiting_messages (conversation_id, direction, sender_type, body)
    select md5('c ' || (first + n * every) % 800)::uuid, 'outbound', 'agent', 'Hi' from generate_series(0, texts - 1) n
    returning id
  )
  insert into public.text_outbox (message_id, kind, state, due_at)
  select id, 'agent', add_texts.state, now() + due from messages
$$;

-- Plans are kept for long: these are made while the outbox has few texts, all of them sent, and is known to.
select pg_temp.add_texts(20, 'accepted');
analyze public.text_outbox;
select public.claim_texts(10), private.is_text_due() from generate_series(1, 10);
-- In each row of 40 conversations, the first 20 have an active number.
select pg_temp.add_texts(1500, 'accepted');
select pg_temp.add_texts(200, 'failed');
select pg_temp.add_texts(500, 'pending', '1 hour');

select cmp_ok(pg_temp.rows_read('public.text_outbox', query), '<', 10::bigint, description)
from (values
  ('where nothing is due, a claim reads next to nothing', 'select public.claim_texts(10)'),
  ('nor does the question whether something is due', 'select private.is_text_due()')
) q (description, query);

-- Due, but of numbers that are paused
select pg_temp.add_texts(100, 'pending', every => 40, first => 20 + n) from generate_series(0, 4) n;
select ok(not private.is_text_due(), 'texts of paused numbers are not due');
select cmp_ok(pg_temp.rows_read('public.text_outbox', query), '<', 50::bigint, description)
from (values
  ('a claim does not read the texts of paused numbers', 'select public.claim_texts(10)'),
  ('nor does the question whether something is due', 'select private.is_text_due()')
) q (description, query);

-- Many that are due
select pg_temp.add_texts(100, 'pending', '-1 hour', every => 40, first => n) from generate_series(0, 9) n;
select ok(private.is_text_due(), 'texts of active numbers are due');
select cmp_ok(pg_temp.rows_read('public.text_outbox', 'select private.is_text_due()'), '<', 100::bigint, 'of 1,000 due texts, the question reads a few');
select cmp_ok(pg_temp.rows_read('public.text_outbox', 'select public.claim_texts(10)'), '<', 500::bigint, 'a claim of ten reads a few too');
select is((select count(*)::integer from public.text_outbox where state = 'sending'), 10, 'and claims ten');

-- A number that is busy
update public.service_numbers set busy_until = now() + interval '1 hour';
select cmp_ok(pg_temp.rows_read('public.text_outbox', 'select public.claim_texts(10)'), '<', 100::bigint, 'the backlog of busy numbers is not read');

-- Workers that have died
update public.text_outbox set lease_until = now() where state = 'sending';
select cmp_ok(pg_temp.rows_read('public.text_outbox', 'select public.claim_texts(10)'), '<', 500::bigint, 'dead workers'' texts are found by an index');
select cmp_ok(pg_temp.rows_read('public.text_outbox', 'select public.hold_texts()'), '<', 10000::bigint, 'what is due is held by an index');
select cmp_ok(pg_temp.rows_read('public.text_outbox', $$select private.postpone_texts(60, 'credentials')$$), '<', 10000::bigint, 'what is due is postponed by an index');
select ok(not private.is_text_due(), 'then nothing is due');

-- Recruits' files: a thousand that are copied, and some that wait
with messages as (
  insert into public.recruiting_messages (conversation_id, direction, sender_type, media)
  select md5('c ' || n % 800)::uuid, 'inbound', 'recruit', '[{"url": "https://api.twilio.com/1"}]' from generate_series(1, 1000) n
  returning id
)
insert into public.media_copies (message_id, position, state, path, content_type)
select id, 0, 'copied', id::text, 'image/jpeg' from messages;
select cmp_ok(pg_temp.rows_read('public.media_copies', query), '<', 10::bigint, description)
from (values
  ('of files that are copied, a claim reads next to none', 'select public.claim_media_copies(2)'),
  ('nor does the question whether a file is due', 'select private.is_media_due()')
) q (description, query);
update public.media_copies set state = 'waiting', path = null, content_type = null, due_at = now() - interval '1 hour'
where message_id in (select message_id from public.media_copies limit 300);
select cmp_ok(pg_temp.rows_read('public.media_copies', 'select private.is_media_due()'), '<', 330::bigint, 'of 300 due files, the question reads at most these');
select cmp_ok(pg_temp.rows_read('public.media_copies', 'select public.claim_media_copies(2)'), '<', 330::bigint, 'nor does a claim');

select * from finish();
rollback;
