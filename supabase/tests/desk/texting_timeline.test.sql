-- texting_timeline: how far each text has come, what the recruit and the bot did, and who reads it.
begin;
select plan(4);
\ir ../helpers.psql

select pg_temp.create_people();
select pg_temp.create_vendor('vendor');
insert into public.service_numbers (phone, agency_id) values ('+19995550100', md5('agency')::uuid);
insert into public.recruiting_leads (id, vendor_id, first_name, agency_id, agent_id, vendor_metadata)
values (md5('ada')::uuid, md5('vendor')::uuid, 'Ada', md5('agency')::uuid, md5('ann')::uuid, '{"phone": "+19995550001"}');
select pg_temp.create_conversation('talk', '+19995550001', '+19995550100', lead => 'ada');

-- Our texts, a minute apart
create temporary table texts (n, state, due_at, reason, status, error_code) as values
  (1, 'accepted', null::timestamptz, null, 'delivered', null), (2, 'accepted', null, null, 'queued', null),
  (3, 'accepted', null, null, 'failed', '30003'), (4, 'refused', null, 'opted_out', 'failed', '21610'),
  (5, 'failed', null, '21211', 'failed', '21211'), (6, 'pending', '2097-01-01 12:00Z', 'quiet_hours', null, null),
  (7, 'pending', null, null, null, null), (8, 'sending', null, null, null, null),
  (9, 'unconfirmed', '2097-01-01 12:00Z', 'no_response', null, null), (10, 'unconfirmed', 'infinity', 'unconfirmed', null, null);
insert into public.recruiting_messages (id, conversation_id, direction, sender_type, created_at, status, error_code, delivered_at, failed_at)
select md5(n::text)::uuid, md5('talk')::uuid, 'outbound', 'bot', at, status, error_code,
  case when status = 'delivered' then at + interval '3 seconds' end, case when status = 'failed' then at + interval '4 seconds' end
from texts, lateral (select '2026-01-01 12:00Z'::timestamptz + n * interval '1 minute' as at) t;
insert into public.text_outbox (message_id, kind, state, due_at, reason, attempted_at, accepted_at)
select md5(n::text)::uuid, 'bot', state, coalesce(due_at, at), reason, at + interval '1 second',
  case when state = 'accepted' then at + interval '2 seconds' end
from texts, lateral (select '2026-01-01 12:00Z'::timestamptz + n * interval '1 minute' as at) t;
create function pg_temp.texts() returns text language sql as $$
  select string_agg(concat_ws(' ', t.details ->> 'state',
    to_char((t.details ->> 'state_at')::timestamptz at time zone 'UTC', 'MI:SS'), t.details ->> 'reason',
    left(t.details ->> 'until', 4)), ', ' order by t.at)
  from public.texting_timeline t where t.recruiting_lead_id = md5('ada')::uuid and t.kind = 'text_out'
$$;
grant execute on function pg_temp.texts() to authenticated;
select pg_temp.become('ann');
select is(pg_temp.texts(), 'delivered 01:03, sent 02:02, failed 03:04 30003, refused 04:04 opted_out, failed 05:04 21211, '
  'held quiet_hours 2097, due, sending 08:01, unconfirmed 09:01 no_response 2097, unconfirmed 10:01 unconfirmed',
  'each text has its state, the time of it, the reason, and to when it is held');
reset role;
update public.service_numbers set status = 'paused' where phone = '+19995550100';
select pg_temp.become('ann');
select matches(pg_temp.texts(), 'held number_paused, sending', 'what is due at a paused number is held, also for agents');
reset role;

-- What else happened
select set_config('request.jwt.claims', '', true);
delete from public.recruiting_messages;
insert into public.bot_scripts (id, agency_id, version, script) values (md5('script')::uuid, md5('agency')::uuid, 1, '{"questions": [{"id": "licensed"}]}');
create function pg_temp.step(step jsonb) returns void language sql as $$
  select private.carry_out_step(c, null, s, md5('script')::uuid, step)
  from public.recruiting_conversations c left join public.bot_sessions s on s.conversation_id = c.id where c.id = md5('talk')::uuid
$$;
insert into public.skipped_greetings (recruiting_lead_id, agency_id, reason, created_at)
values (md5('ada')::uuid, md5('agency')::uuid, 'no_consent', now() - interval '2 hours');
insert into public.recruiting_messages (id, conversation_id, direction, sender_type, body, heard, created_at)
values (md5('in')::uuid, md5('talk')::uuid, 'inbound', 'recruit', 'hm', 'no_answer', now() - interval '1 hour');
select pg_temp.step('{"ended": {"state": "escalated", "reason": "asked", "goes_to_person": true}}');
select private.record_consent(md5('agency')::uuid, '+19995550001', 'opted_out', 'admin', reason => 'by phone');
select pg_temp.become('ann');
select is(
  (select string_agg(concat_ws(' ', t.kind, t.details ->> 'status', t.details ->> 'heard', t.details ->> 'reason'), ', ' order by t.at)
    from public.recruit_timeline t where t.recruiting_lead_id = md5('ada')::uuid and t.kind not in ('received', 'distributed')),
  'never_queued no_consent, text_in no_answer, hands escalated asked, consent by phone',
  'a greeting that was never queued, a text that was not an answer, the hand-over with its reason, and the opt-out');
reset role;
select is(
  (select string_agg(e.event || ': ' || e.detail, ', ' order by e.at, e.step)
    from private.recruiting_lead_events(md5('ada')::uuid) e where e.event not in ('stored', 'conversation')),
  'greeting never queued: the vendor has no text consent, or the lead says no, text from the recruit: hm (no answer to the bot: the bot did not understand it), '
  'conversation to a person: to ann (the recruit asks for a person), opted out: by admin (by phone)',
  'an operator reads the same');

select * from finish();
rollback;
