-- A recruit writes to a number of the agency without a conversation: who is notified, and who reads the text.
begin;
create extension if not exists dblink with schema extensions;
select plan(38);
\ir ../helpers.psql

select pg_temp.create_people();
select pg_temp.create_vendor('vendor');
insert into public.agents (id, agency_id, first_name, role) values (md5('moe')::uuid, md5('agency')::uuid, 'moe', 'manager');
insert into public.service_numbers (phone, agency_id) values
  ('+19995550100', md5('agency')::uuid), ('+19995550101', md5('agency')::uuid), ('+19995550200', md5('elsewhere')::uuid);
create function pg_temp.create_recruit(name text, phone text, agent text, ago interval default '1 day', agency text default 'agency')
returns void language plpgsql as $$
begin
  insert into public.recruiting_leads (
    id, vendor_id, first_name, vendor_metadata, distribution, agency_id, agent_id, distributed_at)
  values (md5(name)::uuid, md5('vendor')::uuid, name, jsonb_build_object('phone', phone), 'distributed', md5(agency)::uuid,
    md5(agent)::uuid, now() - ago);
end
$$;
create function pg_temp.write(recruit text, service text default '+19995550100', body text default 'Hi') returns text
language sql as $$ select public.receive_sms(recruit, service, gen_random_uuid()::text, body, '[]') ->> 'status' $$;
create function pg_temp.notified(lead text) returns text[] language sql as $$
  select coalesce(array_agg(concat_ws(' ', a.first_name, n.kind) order by n.day, a.first_name), '{}')
  from public.agent_notifications n join public.agents a on a.id = n.agent_id where n.lead_id = md5(lead)::uuid
$$;

-- Agents who are notified
select pg_temp.create_recruit('Ada', '+19995551001', 'ann');
select is(pg_temp.write('+19995551001'), 'no_conversation', 'the response stays');
select is(pg_temp.notified('Ada'), '{ann unmatched_text}', 'the recruit''s agent is notified');
select results_eq(
  $$select n.conversation_id, n.message_id, n.day, n.read_at from public.agent_notifications n where n.lead_id = md5('Ada')::uuid$$,
  $$values (null::uuid, null::uuid, (now() at time zone 'UTC')::date, null::timestamptz)$$, 'of the recruit and the day');
select is((select count(*)::integer from public.unmatched_texts where recruit_phone = '+19995551001'), 1, 'the text is kept where it was');
select pg_temp.write('+19995551001', service) from unnest(array['+19995550100', '+19995550101']) service, generate_series(1, 10);
select is(pg_temp.notified('Ada'), '{ann unmatched_text}', 'a flood has one notification, over all numbers of the agency');
update public.agent_notifications set day = day - 1, read_at = now() where lead_id = md5('Ada')::uuid;
select pg_temp.write('+19995551001');
select is(pg_temp.notified('Ada'), '{ann unmatched_text,ann unmatched_text}', 'and again on the next day');
update public.agencies set timezone = 'Pacific/Kiritimati' where id = md5('agency')::uuid;
delete from public.agent_notifications where lead_id = md5('Ada')::uuid;
select pg_temp.write('+19995551001');
select is(
  (select day from public.agent_notifications where lead_id = md5('Ada')::uuid), (now() at time zone 'Pacific/Kiritimati')::date, 'the day is the agency''s own');
update public.agencies set timezone = 'UTC' where id = md5('agency')::uuid;

select pg_temp.create_recruit('Bea', '+19995551002', null);
select pg_temp.write('+19995551002');
select is(pg_temp.notified('Bea'), '{mia unmatched_text,moe unmatched_text}', 'without an agent each active manager is notified');
select pg_temp.create_recruit('Cleo', '+19995551003', 'former');
select pg_temp.write('+19995551003');
select is(pg_temp.notified('Cleo'), '{mia unmatched_text,moe unmatched_text}', 'an inactive agent counts as none');
select pg_temp.create_recruit('Dora 1', '+19995551004', 'ann', '2 days'), pg_temp.create_recruit('Dora 2', '+19995551004', 'cal');
select pg_temp.write('+19995551004');
select is(pg_temp.notified('Dora 1') || pg_temp.notified('Dora 2'), '{cal unmatched_text}', 'of two leads the latest counts');
select pg_temp.write('+19995551004', body => 'STOP');
select is(
  (select state::text from public.text_consents where phone = '+19995551004' and agency_id = md5('agency')::uuid), 'opted_out',
  'an opt-out holds as before');

-- Agents who are not notified
select pg_temp.create_recruit('Eve', '+19995551005', 'ann');
select pg_temp.write('+19995551005', '+19995550200'), pg_temp.write('+19995551005', '+19995559999');
select is(pg_temp.notified('Eve'), '{}', 'nobody is notified of a text to another agency''s number, or to an unknown one');
select is(
  array[pg_temp.write('+19995559999'), pg_temp.write(null), pg_temp.write(repeat('1', 60000)), pg_temp.write('+19995551005', null),
    pg_temp.write('+19995551005', repeat('1', 60000))],
  array_fill('no_conversation'::text, array[5]), 'texts of strangers, and numbers of any length, are kept');
select pg_temp.create_conversation('talk', '+19995551005', '+19995550100', 'ann', lead => 'Eve');
select pg_temp.write('+19995551005');
select is(pg_temp.notified('Eve'), '{}', 'with a conversation it is a message');

-- Readers
create function pg_temp.reads(person text) returns text[] language plpgsql as $$
declare
  names text[];
begin
  perform pg_temp.become(person);
  names := (select array_agg(distinct w.name || coalesce(' of ' || w.agent, '') order by w.name || coalesce(' of ' || w.agent, ''))
    from public.waiting_texts w);
  perform set_config('role', 'none', true);
  return names;
end
$$;
-- cal has a conversation with the recruit of nobody, and may begin no other.
select pg_temp.create_conversation('of bea', '+19995551002', '+19995550101', 'cal', lead => 'Bea');
select is(pg_temp.reads(person), readers::text[], person || ' reads the texts of ' || coalesce(readers, 'nobody'))
from (values ('ann', '{Ada of ann,Dora 1 of ann}'), ('cal', '{Dora 2 of cal}'), ('mia', '{Ada of ann,Bea,Cleo of former,Dora 2 of cal}'),
  ('otto', null), ('eve', null), ('former', null), ('visitor', null)) r (person, readers);
delete from public.recruiting_conversations where id = md5('of bea')::uuid;
select pg_temp.become('ann');
select results_eq(
  $$select recruiting_lead_id, agency_id, agent_id, recruit_phone, service_phone, body, media, consent from public.waiting_texts
    where name = 'Ada' order by received_at, id limit 1$$,
  $$values (md5('Ada')::uuid, md5('agency')::uuid, md5('ann')::uuid, '+19995551001', '+19995550100', 'Hi', '[]'::jsonb, null)$$,
  'with the recruit, and as it was sent');
select is(public.start_conversation(md5('Ada')::uuid) ->> 'service_phone', '+19995550100', 'a conversation takes them over');
select is((select count(*)::integer from public.waiting_texts where name = 'Ada' and service_phone = '+19995550100'), 0, 'and they wait no more');
select is((select array_agg(distinct service_phone) from public.waiting_texts where name = 'Ada'), '{+19995550101}',
  'those to another number wait on');
select is(public.start_conversation(md5('Ada')::uuid, service_phone => '+19995550101') ->> 'service_phone', '+19995550101',
  'until the conversation with that number is begun, beside the existing one');
select throws_ok($$select public.start_conversation(md5('Ada')::uuid, service_phone => '+19995550200')$$, '22023',
  'service_phone: must be a number of the lead''s agency', 'a number of another agency is refused');
reset role;
select is_empty(
  $$select from public.agent_notifications where lead_id = md5('Ada')::uuid and kind = 'unmatched_text' and read_at is null$$,
  'nor is anybody notified of them');

-- Nothing that goes wrong costs the text
-- A recruit of the seed, whose agent others can lock
insert into public.service_numbers (phone, agency_id) values ('+19995550300', 'a0000001-0000-4000-8000-000000000001');
create function pg_temp.notified_of_seed() returns integer language sql as $$
  select count(*)::integer from public.agent_notifications
  where lead_id = '30000002-0000-4000-8000-000000000002' and agent_id = 'b0000003-0000-4000-8000-000000000003' and kind = 'unmatched_text'
$$;
select pg_temp.hold($$select id::text from public.agents where id = 'b0000003-0000-4000-8000-000000000003' for update$$);
select is(pg_temp.write('+13125550122', '+19995550300'), 'no_conversation', 'a text is stored while somebody has locked its agent');
select is(pg_temp.notified_of_seed(), 0, 'whose notification waits');
select pg_temp.let_go();
select private.deliver_notifications();
select is(pg_temp.notified_of_seed(), 1, 'and is delivered');
create function pg_temp.fail() returns trigger language plpgsql as $$ begin raise exception 'no room' using errcode = '53100'; end $$;
create trigger fail before insert on public.agent_notifications for each row execute function pg_temp.fail();
select is(pg_temp.write('+19995551002', '+19995550101'), 'no_conversation', 'a text is stored when its notification fails');
drop trigger fail on public.agent_notifications;

-- However many leads and texts there are
insert into public.recruiting_leads (vendor_id, first_name, vendor_metadata, distribution, agency_id, agent_id, distributed_at)
select md5('vendor')::uuid, 'Lead', jsonb_build_object('phone', '+1888' || 1000000 + n), 'distributed', md5('agency')::uuid,
  md5('cal')::uuid, now() - n * interval '1 second'
from generate_series(1, 1500) n;
insert into public.unmatched_texts (recruit_phone, service_phone)
select '+1777' || n, '+1666' || 1000 + n % 500 from generate_series(1, 1500) n;
set local max_parallel_workers_per_gather = 0;
create function pg_temp.rows_read(read_table regclass, query text, person text) returns bigint language plpgsql as $$
declare
  before constant bigint := pg_temp.rows_read(read_table);
begin
  perform pg_temp.become(person);
  execute query;
  perform set_config('role', 'none', true);
  return pg_temp.rows_read(read_table) - before;
end
$$;
select cmp_ok(
  pg_temp.rows_read('public.recruiting_leads', $$select pg_temp.write('+18881001000')$$), '<', 5::bigint,
  'a text reads its own recruit, with a plan that was made for few');
analyze public.recruiting_leads, public.unmatched_texts;
select cmp_ok(
  pg_temp.rows_read('public.recruiting_leads', $$select pg_temp.write('+18881001001')$$), '<', 5::bigint, 'and of many');
select cmp_ok(
  pg_temp.rows_read(read_table, 'select * from public.waiting_texts order by received_at, id limit 50', 'cal'), '<', 200::bigint,
  'a page of waiting texts reads few ' || read_table)
from unnest(array['public.unmatched_texts', 'public.recruiting_leads']::regclass[]) read_table;
select pg_temp.become('cal');
select is((select count(*)::integer from public.waiting_texts where name = 'Lead'), 2, 'and has them');
reset role;


-- Managers are notified too while the agent is away.
select pg_temp.create_recruit('Clara', '+19995551023', 'ann');
update public.agents set away_until = now() + interval '1 second' where id = md5('ann')::uuid;
select pg_temp.write('+19995551023');
select is(
  pg_temp.notified('Clara'), '{ann unmatched_text,mia unmatched_text,moe unmatched_text}', 'while the agent is away, each active manager too');

select * from finish();
rollback;
