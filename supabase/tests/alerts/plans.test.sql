-- The conditions of texts read what is wrong and little more, however much was sent, is held or was said before.
begin;
select plan(10);
\ir ../helpers.psql

-- Forgets what the planner knew of these tables, which differs with what has run before, and keeps autovacuum away.
truncate public.service_numbers, public.recruiting_conversations, public.recruiting_messages, public.text_outbox,
  public.unmatched_texts, public.text_consents, private.waiting_greetings, private.lead_notifications_due, public.alerts cascade;
-- Triggers of conversations would take most of the time.
alter table public.recruiting_conversations disable trigger user;
select pg_temp.create_agency('agency'), pg_temp.create_agency('other');
insert into public.service_numbers (phone, agency_id, status)
select '+1999555' || 1000 + n, md5('agency')::uuid, case when n <= 2 then 'active' else 'paused' end from generate_series(1, 3) n;
select pg_temp.create_conversation('c ' || n, '+1999666' || 1000 + n, '+1999555' || 1001 + n % 3, spoke => '0')
from generate_series(0, 1019) n;
create function pg_temp.add_texts(texts integer, state text, due interval) returns void language sql as $$
  with messages as (
    insert into public.recruiting_messages (conversation_id, direction, sender_type, body, status)
    select md5('c ' || n % 1020)::uuid, 'outbound', 'agent', 'Hi', case state when 'failed' then 'failed' end
    from generate_series(0, texts - 1) n
    returning id
  )
  insert into public.text_outbox (message_id, kind, state, due_at, attempted_at)
  select id, 'agent', add_texts.state, now() + due, case when state <> 'pending' then now() + due end from messages
$$;
create temp table tables as select unnest(array[
  'public.text_outbox', 'public.recruiting_messages', 'public.recruiting_conversations', 'public.unmatched_texts',
  'public.text_consents', 'public.text_consent_events']::regclass[]);
create function pg_temp.rows_read(kind text) returns bigint language plpgsql as $$
declare
  before constant bigint := (select sum(pg_temp.rows_read(t.oid)) from pg_temp.tables t (oid));
begin
  execute format(
    'select * from public.alert_rules r, private.%I(r.threshold, now()) where r.kind = %L', 'find_' || kind, kind);
  return (select sum(pg_temp.rows_read(t.oid)) from pg_temp.tables t (oid)) - before;
end
$$;

-- Nothing is wrong: much was sent, hours hold texts, a paused number holds texts, opt-outs belong to conversations.
select pg_temp.add_texts(1000, 'accepted', '-1 day');
select pg_temp.add_texts(3600, 'pending', '1 hour');
insert into public.recruiting_messages (conversation_id, direction, sender_type, body)
select md5('c ' || n)::uuid, 'outbound', 'agent', 'Hi' from generate_series(2, 1019, 3) n;
insert into public.text_outbox (message_id, kind, due_at)
select m.id, 'agent', now() - interval '1 day' from public.recruiting_messages m
where not exists (select from public.text_outbox o where o.message_id = m.id);
insert into public.unmatched_texts (recruit_phone, service_phone, body)
select '+1999777' || 1000 + n, '+19995551001', 'Hello' from generate_series(1, 500) n;
insert into public.text_consent_events (agency_id, phone, state, source, occurred_at)
select md5('agency')::uuid, '+1999666' || 1000 + n, 'opted_out', 'keyword', now() - interval '2 days'
from generate_series(0, 499) n;
update public.recruiting_conversations set waiting_since = now() - interval '1 minute' where id in (
  select md5('c ' || n)::uuid from generate_series(0, 249) n);

select cmp_ok(pg_temp.rows_read(kind), '<', most::bigint, kind || ' reads little of 5,000 texts')
from (values
  ('texts_stuck', 50), ('texts_held', 10), ('opt_out_unmatched', 10), ('worker_late', 50), ('recruit_waiting', 20),
  -- The last 100 of each number, with their messages.
  ('texts_failing', 1000)
) k (kind, most);
insert into private.job_runs (job, started_at) values ('send texts', now()) on conflict (job) do update set started_at = now();
select is(pg_temp.rows_read('worker_late'), 0::bigint, 'where the worker runs, worker_late reads nothing');

-- All is wrong.
update public.text_outbox
set first_due_at = now() - interval '1 hour', reason = case service_phone when '+19995551001' then 'no_account' end
where state = 'pending';
-- Those without an account are read twice, and index entries of old rows of the paused number are passed over.
select cmp_ok(pg_temp.rows_read('texts_stuck'), '<', 4100::bigint, 'of a number 1,000 texts are counted');
update public.text_outbox set first_due_at = 'infinity', created_at = now() - interval '3 days' where state = 'pending';
select cmp_ok(pg_temp.rows_read('texts_held'), '<', 4100::bigint, 'of a number 1,000 texts are held for long');
update public.recruiting_conversations set waiting_since = now() - interval '1 minute';
update public.recruiting_conversations set waiting_since = now() - interval '9 days' where id in (
  select md5('c ' || n)::uuid from generate_series(500, 509) n);
select cmp_ok(
  pg_temp.rows_read('recruit_waiting'), '<', 200::bigint, 'of 1,000 recruits who wait, those are read who wait for long');

select * from finish();
rollback;
