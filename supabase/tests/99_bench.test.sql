-- Thousands of texts of one recruit: the texts of all others go on, and a person is told of the flood.
begin;
select plan(1);
\ir helpers.psql

-- Forgets what the planner knew of these tables, which differs with what has run before, and keeps autovacuum away.
truncate public.service_numbers, public.recruiting_conversations, public.recruiting_messages, public.text_outbox,
  public.unmatched_texts cascade;
update public.recruiting_orders set status = 'closed';
select pg_temp.create_people(), pg_temp.create_vendor('vendor', encode(sha256('test-vendor'), 'hex'));
update public.vendors set has_text_consent = true where id = md5('vendor')::uuid;
insert into public.service_numbers (phone, agency_id, segments_per_second) values ('+19995550100', md5('agency')::uuid, 100000);
insert into public.recruiting_orders (agency_id, vendor_id, quantity, greeting_template)
values (md5('agency')::uuid, md5('vendor')::uuid, 100, 'Hi {first_name}. {agency}, STOP to opt out.');
delete from public.quiet_hours;
insert into public.quiet_hours (opens, closes, source) values ('00:00', '24:00', 'test');
select private.store_bot_script(md5('agency')::uuid, '{
  "opening": "{agency}. STOP ends this.", "questions": [{"id": "licensed", "ask": "Licensed?", "answer": "yes_no"}],
  "done": "Bye", "handoff": "A person will write.", "handoff_words": ["agent"]}');

create function pg_temp.begin_talk(name text) returns void language plpgsql as $$
begin
  insert into public.recruiting_leads (id, vendor_id, first_name, distribution, agency_id, agent_id, distributed_at)
  values (md5(name)::uuid, md5('vendor')::uuid, 'Ada', 'distributed', md5('agency')::uuid, md5('ann')::uuid, now());
  perform pg_temp.create_conversation(
    name, '+1999' || lpad((hashtext(name) & 8388607)::text, 7, '0'), '+19995550100', lead => name);
end
$$;
create function pg_temp.write(name text, body text default 'ok') returns void language sql as $$
  select public.receive_sms(c.recruit_phone, c.service_phone, gen_random_uuid()::text, body, '[]')
  from public.recruiting_conversations c where c.id = md5(name)::uuid
$$;
create function pg_temp.told(name text) returns text language sql as $$
  select string_agg(format('%s %s %s', a.first_name, n.kind, coalesce(n.reason, count::text)), ', ' order by n.kind, n.reason)
  from (
    select agent_id, kind, reason, count(*) as count from public.agent_notifications
    where conversation_id = md5(name)::uuid group by agent_id, kind, reason
  ) n join public.agents a on a.id = n.agent_id
$$;
create function pg_temp.state_of(name text) returns text language sql as $$
  select concat_ws(' ', c.status, s.state, s.reason)
  from public.recruiting_conversations c left join public.bot_sessions s on s.conversation_id = c.id where c.id = md5(name)::uuid
$$;
-- How many rows of a table and its indexes a query reads.
create function pg_temp.rows_read(relation regclass) returns bigint language sql as $$
  select pg_stat_get_xact_tuples_returned(relation) + sum(pg_stat_get_xact_tuples_returned(indexrelid))::bigint
  from pg_index where indrelid = relation
$$;
create function pg_temp.rows_read(relation regclass, query text) returns bigint language plpgsql as $$
declare
  before constant bigint := pg_temp.rows_read(relation);
begin
  execute query;
  return pg_temp.rows_read(relation) - before;
end
$$;


create function pg_temp.timed(label text, query text) returns text language plpgsql as $$
declare t timestamptz := clock_timestamp();
begin execute query; return diag(format('%s: %s ms', label, round(extract(epoch from clock_timestamp()-t)*1000)));
exception when query_canceled then return diag(label || ': cancelled'); end $$;
select pg_temp.begin_talk('flood');
insert into public.recruiting_messages (conversation_id, direction, sender_type, body, created_at)
select md5('flood')::uuid, 'inbound', 'recruit', 'ok', now() - interval '1 day' - n * interval '1 second'
from generate_series(1, 5000) n;
with sent as (
  insert into public.recruiting_messages (conversation_id, direction, sender_type, body, created_at)
  select md5('flood')::uuid, 'outbound', 'bot', 'Hi', now() - n * interval '1 minute' from generate_series(1, 60) n
  returning id, created_at
)
insert into public.text_outbox (message_id, kind, state, attempted_at) select id, 'bot', 'accepted', created_at from sent;


update public.recruiting_messages set created_at = (select created_at from public.recruiting_messages where direction='outbound' limit 1) where false;
select pg_temp.timed('350 texts', $q$select pg_temp.write('flood') from generate_series(1, 350)$q$);
update public.bot_turns set due_at = now();
set local statement_timeout = '60s';
select pg_temp.timed('claim turns', $q$select public.read_bot_turn(conversation_id, 0) from public.bot_turns$q$);
create function pg_temp.add_unmatched(recruit text, service text, opt_out integer default null, days integer default 10)
returns void language sql as $$
  insert into public.unmatched_texts (id, message_sid, recruit_phone, service_phone, body, received_at)
  select md5(recruit || service || n)::uuid, format('flood %s %s %s', recruit, service, n), recruit, service,
    case when n = opt_out then 'STOP' when n = opt_out - 1 then 'START' else 'ok' end,
    now() - make_interval(days => days) + n * interval '1 second'
  from generate_series(1, 9000) n
$$;
create function pg_temp.ingest(name text, phone text) returns void language sql as $$
  select pg_temp.ingest_lead(encode(sha256('test-vendor'), 'hex'), jsonb_build_object(
    'id', md5(name)::uuid, 'vendor_lead_id', name, 'first_name', 'Ada', 'vendor_metadata', jsonb_build_object('phone', phone)))
$$;

select pg_temp.add_unmatched('+13125550001', '+19995550100'), pg_temp.ingest('flood lead', '+13125550001');
select pg_temp.timed('greet', $q$select public.claim_greetings(10); select public.queue_greeting(md5('flood lead')::uuid)$q$);
select pg_temp.timed('rest', $q$select public.take_over_texts(conversation_id) from private.waiting_take_overs, generate_series(1,9)$q$) where to_regclass('private.waiting_take_overs') is not null;
select ok(false);
select * from finish(); rollback;
