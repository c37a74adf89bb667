-- Recruits who wait for an answer: which hours count, the alert, and who is notified.
begin;
select plan(42);
\ir ../helpers.psql

select pg_temp.create_agency('agency', 'America/Chicago', 'ann', 'bob');
-- Recruits of other tests may wait; this one's outcome must not depend on them.
truncate public.recruiting_conversations cascade;
delete from public.alerts;
delete from private.job_runs;
update public.alert_rules set is_on = kind = 'recruit_waiting';
insert into public.agents (id, agency_id, first_name, role, is_active)
select md5(name)::uuid, md5('agency')::uuid, name, 'manager', name <> 'gone' from unnest(array['mia', 'moe', 'gone']) name;
select pg_temp.create_vendor('vendor');
insert into public.recruiting_leads (id, vendor_id, first_name, distribution, agency_id, agent_id)
values (md5('lead')::uuid, md5('vendor')::uuid, 'Ada', 'distributed', md5('agency')::uuid, md5('bob')::uuid);

-- The minutes of the agency's hours. 2026-03-06 is a Friday; two days later its clocks go forward.
select is(
  private.waited_minutes(a, (since || ' America/Chicago')::timestamptz, (until || ' America/Chicago')::timestamptz), minutes,
  format('%s to %s', since, until))
from public.agencies a
cross join (values
  ('2026-03-06 10:00', '2026-03-06 10:15', 15),
  ('2026-03-06 08:00', '2026-03-06 09:15', 15),
  ('2026-03-06 17:55', '2026-03-06 18:30', 5),
  ('2026-03-06 17:55', '2026-03-07 12:00', 5),
  ('2026-03-06 17:55', '2026-03-09 08:59', 5),
  ('2026-03-06 17:55', '2026-03-09 09:10', 15),
  ('2026-03-06 18:00', '2026-03-09 09:00', 0),
  ('2026-03-08 10:00', '2026-03-09 09:20', 20),
  ('2026-03-06 09:00', '2026-03-13 09:00', 5 * 540),
  ('2025-12-31 17:50', '2026-01-01 09:05', 15)
) m (since, until, minutes)
where a.id = md5('agency')::uuid;

-- Open from Monday to Friday, day and night.
update public.agencies set timezone = 'UTC', opens_at = '00:00', closes_at = '24:00' where id = md5('agency')::uuid;
-- The moment of a check: a Wednesday at noon.
create function pg_temp.noon() returns timestamptz language sql as $$ select timestamptz '2026-03-11 12:00Z' $$;
create function pg_temp.waits(since interval, changes text default 'status = status') returns void language plpgsql as $$
begin
  perform pg_temp.create_conversation('talk', '+19996660001', '+19995550100', lead => 'lead');
  update public.recruiting_conversations c set waiting_since = pg_temp.noon() - since where c.id = md5('talk')::uuid;
  execute format('update public.recruiting_conversations set %s where id = md5(''talk'')::uuid', changes);
end
$$;
create function pg_temp.found(statements text) returns text language plpgsql as $$
declare
  findings text;
begin
  begin
    execute statements;
    select string_agg(replace(f.subject, md5('talk')::uuid::text, 'talk') || ' ' || (f.details ->> 'minutes'), ',') into findings
    from public.alert_rules r, private.find_recruit_waiting(r.threshold, pg_temp.noon()) f where r.kind = 'recruit_waiting';
    raise exception using errcode = 'UNDO0';
  exception when sqlstate 'UNDO0' then
    null;
  end;
  return findings;
end
$$;
select is(pg_temp.found(statements), finding, statements)
from (values
  ($$select pg_temp.waits('14 minutes 59 seconds')$$, null),
  ($$select pg_temp.waits('15 minutes')$$, 'talk 15'),
  ($$select pg_temp.waits('1 day')$$, 'talk 1440'),
  ($$select pg_temp.waits('15 minutes', 'waiting_since = null')$$, null),
  ($$select pg_temp.waits('15 minutes', 'status = ''escalated'', assigned_agent_id = md5(''ann'')::uuid')$$, 'talk 15'),
  ($$select pg_temp.waits('15 minutes'); update public.agencies set opens_at = '11:50'$$, null),
  ($$select pg_temp.waits('15 minutes'); update public.agencies set closes_at = '11:50'$$, null),
  ($$select pg_temp.waits('15 minutes'); update public.agencies set timezone = 'America/Chicago', opens_at = '06:30', closes_at = '07:00'$$, 'talk 15'),
  ($$select pg_temp.waits('3 days 6 hours'); update public.agencies set opens_at = '11:50', closes_at = '12:10'$$, 'talk 50'),
  ($$update public.alert_rules set threshold = threshold || '{"minutes": 5}'; select pg_temp.waits('5 minutes')$$, 'talk 5'),
  ($$insert into public.text_consents (agency_id, phone, state, source)
    values (md5('agency')::uuid, '+19996660001', 'opted_out', 'keyword'); select pg_temp.waits('15 minutes')$$, null),
  ($$insert into public.text_consents (agency_id, phone, state, source)
    values (md5('agency')::uuid, '+19996660001', 'opted_in', 'keyword'); select pg_temp.waits('15 minutes')$$, 'talk 15')
) c (statements, finding);

-- Agents who are notified by check_alerts().
-- A conversation whose recruit has waited for so many minutes of the agency's hours, whatever day it is.
create function pg_temp.talk(name text, minutes integer, assigned text default null, lead text default 'lead') returns void
language plpgsql as $$
declare
  since constant timestamptz := (
    select max(s)
    from public.agencies a, generate_series(now() - interval '4 days', now(), interval '1 minute') s
    where a.id = md5('agency')::uuid and private.waited_minutes(a, s, now()) = minutes
  );
begin
  perform pg_temp.create_conversation(
    name, '+1999666' || 2000 + (select count(*) from public.recruiting_conversations), '+19995550100', assigned, lead => lead);
  perform public.receive_sms(c.recruit_phone, c.service_phone, 'SM ' || name, 'Is it still open?', '[]', md5('text ' || name)::uuid)
  from public.recruiting_conversations c where c.id = md5(name)::uuid;
  update public.recruiting_messages m set created_at = since where m.id = md5('text ' || name)::uuid;
  update public.recruiting_conversations c set waiting_since = since where c.id = md5(name)::uuid;
end
$$;
create function pg_temp.notified(name text) returns text language sql as $$
  select string_agg(a.first_name, ' ' order by a.first_name)
  from public.agent_notifications n join public.agents a on a.id = n.agent_id
  where n.kind = 'recruit_waiting' and n.conversation_id = md5(name)::uuid and n.message_id = md5('text ' || name)::uuid
$$;

select pg_temp.talk('short', 14), pg_temp.talk('15', 15, 'ann'), pg_temp.talk('of lead', 59), pg_temp.talk('60', 60, 'ann'),
  pg_temp.talk('nobody', 15, null, null);
select is(private.check_alerts(), '{"open": 4, "opened": 4, "resolved": 0}', 'each recruit who waits is an alert');
select set_eq(
  'select subject from public.alerts', $$select md5(n)::uuid::text from unnest(array['15', 'of lead', '60', 'nobody']) n$$,
  'by the conversation');
select is(pg_temp.notified(name), agents, description)
from (values
  ('short', null, 'after 14 minutes nobody is notified'),
  ('15', 'ann', 'after 15 minutes the assigned agent is'),
  ('of lead', 'bob', 'else the lead''s agent'),
  ('60', 'ann mia moe', 'after 60 minutes the active managers too'),
  ('nobody', 'mia moe', 'without an agent the managers are notified at once')
) t (name, agents, description);
create temp table earlier as select id, created_at from public.agent_notifications where kind = 'recruit_waiting';
select matches(
  (select concat_ws(': ', a.subject_name, a.problem, a.command, a.link) from public.alerts a where a.subject = md5('60')::uuid::text),
  format('^conversation %s of agency: a recruit waits for an answer since [A-Z][a-z]+ \d+, \d{4}, \d+:\d\d [AP]M UTC: text waiting: /operator/recruits$',
    left(md5('60'), 8)), 'in words, with the command and the link');
select is(private.check_alerts(), '{"open": 4, "opened": 0, "resolved": 0}', 'the alerts stay');
select set_eq(
  $$select id from public.agent_notifications where kind = 'recruit_waiting' and read_at is null$$, 'select id from earlier', 'and nobody is notified twice');

-- The recruit writes again, and the conversation goes to another agent.
select public.receive_sms(c.recruit_phone, c.service_phone, 'SM again', 'Hello?', '[]')
from public.recruiting_conversations c where c.id = md5('15')::uuid;
select private.check_alerts();
select is(pg_temp.notified('15'), 'ann', 'a further text notifies nobody again');
update public.recruiting_conversations set assigned_agent_id = md5('bob')::uuid where id = md5('15')::uuid;
select private.check_alerts();
select is(pg_temp.notified('15'), 'ann bob', 'the agent who has the conversation by now is notified');
update public.agents set is_active = false where id = md5('bob')::uuid;
select private.check_alerts();
select is(pg_temp.notified('of lead'), 'bob mia moe', 'where nobody active is left, the managers are');

-- How it ends
select private.queue_text(md5('15')::uuid, 'agent', 'Yes');
select private.queue_text(md5('of lead')::uuid, 'bot', 'Yes');
update public.recruiting_conversations set waiting_since = null where id = md5('60')::uuid;
select public.receive_sms(c.recruit_phone, c.service_phone, 'SM stop', 'Stop', '[]')
from public.recruiting_conversations c where c.id = md5('nobody')::uuid;
select is(private.check_alerts(), '{"open": 0, "opened": 0, "resolved": 4}', 'an answer, no need of one, and an opt-out end it');
select is_empty(
  $$select from public.agent_notifications where kind = 'recruit_waiting' and read_at is null$$, 'and then there is nothing to read');
select is_empty(
  $$select from public.alerts a
    where a.details::text ~ '\+1999|Ada|open\?' or not a.details ?& array['agency', 'since', 'minutes']
      or a.details - array['agency', 'since', 'minutes'] <> '{}'$$,
  'an alert has nothing of a person');
update public.alert_rules set is_on = false;
select pg_temp.talk('late', 60, 'ann');
select private.check_alerts();
select is(pg_temp.notified('late'), null, 'where the rule is off, nobody is notified');
update public.alert_rules set is_on = true, threshold = '{"minutes": 20, "managers_after": 30}' where kind = 'recruit_waiting';
select pg_temp.talk('20', 20, 'ann'), pg_temp.talk('30', 30, 'ann'), pg_temp.talk('19', 19, 'ann');
select private.check_alerts();
select is(array[pg_temp.notified('19'), pg_temp.notified('20'), pg_temp.notified('30')], array[null, 'ann', 'ann mia moe'], 'by the rule''s own minutes');

-- A notification that fails
create function private.refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
create trigger refuse before insert on public.agent_notifications for each row execute function private.refuse();
update public.agents set is_active = true where id = md5('bob')::uuid;
update public.recruiting_conversations set assigned_agent_id = md5('bob')::uuid where id = md5('20')::uuid;
select isnt(private.check_alerts(), null, 'a notification that fails ends no check');
drop trigger refuse on public.agent_notifications;
select private.check_alerts();
select is(pg_temp.notified('20'), 'ann bob', 'and comes the next time');

select * from finish();
rollback;
