-- Since when a text is due, which tries do not move; and the worker's runs.
begin;
select plan(16);
\ir ../helpers.psql

-- A run is noted once in 30 seconds, and tests before have called the worker.
delete from private.job_runs where job = 'send texts';

select pg_temp.create_agency('agency', 'UTC', 'agent');
truncate public.service_numbers, public.recruiting_conversations cascade;
-- Workers of other tests may have run.
delete from private.job_runs;
insert into public.service_numbers (phone, agency_id, segments_per_second) values ('+19995550100', md5('agency')::uuid, 1000);
delete from public.texting_hours;
delete from public.texting_closures;
insert into public.texting_hours (opens, closes, source) values ('00:00', '24:00', 'test');
create function pg_temp.close_hours() returns void language sql as $$
  insert into public.texting_closures (state, starts_on, ends_on, source)
  values (null, (now() - interval '2 days')::date, (now() + interval '2 days')::date, 'test')
$$;
-- A text that was due an hour ago, in a conversation of its own.
create function pg_temp.late(name text, changes text default 'state = ''pending''', kind text default 'agent') returns void
language plpgsql as $$
begin
  perform pg_temp.create_conversation(name, '+19995' || lpad((random() * 999999)::int::text, 6, '0'), '+19995550100', 'agent');
  perform pg_temp.add_text(name, name, kind);
  execute format(
    $q$update public.text_outbox set due_at = now(), first_due_at = now() - interval '1 hour', %s where message_id = md5(%L)::uuid$q$,
    changes, name);
end
$$;
-- Seconds from now
create function pg_temp.first_due(name text) returns integer language sql as $$
  select extract(epoch from o.first_due_at - now())::integer from public.text_outbox o where o.message_id = md5(name)::uuid
$$;
create function pg_temp.is_moved(name text) returns boolean language sql as $$
  select o.first_due_at = o.due_at and o.due_at > now() + interval '1 day' from public.text_outbox o where o.message_id = md5(name)::uuid
$$;
create function pg_temp.claim(name text) returns integer language sql as $$
  select (t -> 'claim')::integer from jsonb_array_elements(public.claim_texts(10) -> 'texts') t
  where t ->> 'message_id' = md5(name)::uuid::text
$$;

select pg_temp.create_conversation('new', '+19995551000', '+19995550100', 'agent');
select is((private.queue_text(md5('new')::uuid, 'agent', 'Hi')).first_due_at, now(), 'a text is due when it is queued');
delete from public.text_outbox;

-- Tries
select pg_temp.late('tried');
select public.record_text_outcome(md5('tried')::uuid, pg_temp.claim('tried'), 'later', retry_after => 60);
select is(pg_temp.first_due('tried'), -3600, 'a try does not move it');
update public.text_outbox set due_at = now();
select public.record_text_outcome(md5('tried')::uuid, pg_temp.claim('tried'), 'unconfirmed');
update public.text_outbox set due_at = now();
select public.record_text_lookup(md5('tried')::uuid, pg_temp.claim('tried'), '{}');
update public.text_outbox set due_at = now();
select is(public.record_text_lookup(md5('tried')::uuid, pg_temp.claim('tried'), '{}'), 'pending', 'one that was lost is sent again');
select is(pg_temp.first_due('tried'), -3600, 'nor does that move it');
select public.record_text_outcome(md5('tried')::uuid, pg_temp.claim('tried'), 'credentials');
select is(pg_temp.first_due('tried'), -3600, 'nor a refused login');
select pg_temp.late('given up', 'state = ''failed''');
select private.retry_text(md5('given up')::uuid);
select is(pg_temp.first_due('given up'), 0, 'a person who sends it once more does');

-- A paused number
select pg_temp.late('of paused');
update public.service_numbers set status = 'paused';
select is(pg_temp.first_due('of paused'), -3600, 'a pause does not move it');
update public.service_numbers set status = 'active';
select is(pg_temp.first_due('of paused'), 0, 'the end of it does');
delete from public.text_outbox;

-- Quiet hours
select pg_temp.late('at night');
select pg_temp.close_hours();
select is(pg_temp.claim('at night'), null, 'in quiet hours nothing is claimed');
select ok(pg_temp.is_moved('at night'), 'and they move it to their end');
select public.receive_sms(c.recruit_phone, c.service_phone, 'SM answer', 'Hello', '[]')
from public.recruiting_conversations c where c.id = md5('at night')::uuid;
select is(pg_temp.first_due('at night'), 0, 'until the recruit writes, who may be answered');
select is((private.queue_text(md5('new')::uuid, 'agent', 'Hi')).first_due_at > now() + interval '1 day', true, 'one that is queued then is due at their end');
select pg_temp.late('greeting', kind => 'greeting'), pg_temp.claim('greeting');
select public.open_hours(null);
select is(pg_temp.first_due('greeting'), 0, 'or until hours are changed');

-- The worker's runs
select is((select started_at from private.job_runs where job = 'send texts'), now(), 'a claim notes that the worker runs');
update private.job_runs set started_at = now() - case job when 'send texts' then interval '29 seconds' else '0' end;
select public.claim_texts(1);
select is((select started_at from private.job_runs where job = 'send texts'), now() - interval '29 seconds', 'every 30 seconds');
update private.job_runs set started_at = now() + interval '25 hours' where job = 'send texts';
select public.claim_texts(1);
select is((select started_at from private.job_runs where job = 'send texts'), now(), 'also where the clock was wrong');

select * from finish();
rollback;
