-- record_text_outcome() and record_text_lookup(): each outcome in each state, late and repeated reports.
begin;
select plan(103);
\ir ../helpers.psql

select pg_temp.create_agency('agency', 'UTC', 'agent');
insert into public.service_numbers (phone, agency_id, segments_per_second) values
  ('+19995550100', md5('agency')::uuid, 1000), ('+19995550101', md5('agency')::uuid, 1000);
delete from public.texting_hours;
insert into public.texting_hours (opens, closes, source) values ('00:00', '24:00', 'test');
select pg_temp.create_conversation('x', '+19995550001', '+19995550100', 'agent'),
  pg_temp.create_conversation('same recruit', '+19995550001', '+19995550101', 'agent'),
  pg_temp.create_conversation('y', '+19995550002', '+19995550100', 'agent');

create function pg_temp.drop_texts() returns void language sql as $$
  delete from public.recruiting_messages m using public.recruiting_conversations c
  where c.id = m.conversation_id and c.agency_id = md5('agency')::uuid;
  update public.service_numbers set status = 'active', busy_until = '-infinity' where agency_id = md5('agency')::uuid
$$;
-- Calls it with the rights that the worker has.
create function pg_temp.call_as_worker(query text) returns text language plpgsql as $$
declare
  result text;
begin
  set local role service_role;
  execute query into result;
  reset role;
  return result;
end
$$;
-- The number of the claim, as the worker gets it
create function pg_temp.claim(name text) returns integer language sql as $$
  select (t -> 'claim')::integer
  from jsonb_array_elements(pg_temp.call_as_worker('select public.claim_texts(10)')::jsonb -> 'texts') t
  where t ->> 'message_id' = md5(name)::uuid::text
$$;
create function pg_temp.record(name text, claim integer, outcome text, sid text default null, code text default null,
  retry_after integer default null)
returns text language sql as $$
  select pg_temp.call_as_worker(format('select public.record_text_outcome(%L, %L, %L, %L, %L, %L)',
    md5(name)::uuid, claim, outcome, sid, code, retry_after))
$$;
create function pg_temp.look_up(name text, claim integer, sids text[] default '{}', may_resend boolean default true)
returns text language sql as $$
  select pg_temp.call_as_worker(
    format('select public.record_text_lookup(%L, %L, %L, %L)', md5(name)::uuid, claim, sids, may_resend))
$$;
-- A new text that a worker sends
create function pg_temp.send(name text, conversation text default 'x') returns integer language plpgsql as $$
begin
  perform pg_temp.drop_texts();
  perform pg_temp.add_text(name, conversation);
  return pg_temp.claim(name);
end
$$;
create function pg_temp.become_due(name text) returns void language sql as $$
  update public.text_outbox set due_at = now() where message_id = md5(name)::uuid
$$;
create function pg_temp.claim_again(name text) returns integer language sql as $$
  select pg_temp.become_due(name);
  select pg_temp.claim(name)
$$;
-- Seconds from now, or from when the request began
create function pg_temp.due_in(name text, since_attempt boolean default false) returns numeric language sql as $$
  select round(extract(epoch from o.due_at - case when since_attempt then o.attempted_at else now() end), 0)
  from public.text_outbox o where o.message_id = md5(name)::uuid
$$;
create function pg_temp.text(name text) returns text language sql as $$
  select concat_ws(' ', o.state, o.attempt, o.reason) from public.text_outbox o where o.message_id = md5(name)::uuid
$$;
create function pg_temp.message(name text) returns text language sql as $$
  select concat_ws(' ', coalesce(m.provider_message_id, 'no sid'), m.status, m.error_code)
  from public.recruiting_messages m where m.id = md5(name)::uuid
$$;
create function pg_temp.notices() returns text language sql as $$
  select string_agg(n.kind, ' ' order by n.kind) from public.agent_notifications n
  where n.agent_id = md5('agent')::uuid
$$;

-- Accepted
select is(pg_temp.record('one', pg_temp.send('one'), 'accepted', 'test SM1'), 'accepted', 'an accepted text is accepted');
select is(pg_temp.text('one'), 'accepted 1', 'in the outbox');
select is(pg_temp.message('one'), 'test SM1 queued', 'and its message has the MessageSid');
select is(pg_temp.record('one', 1, 'accepted', 'test SM1'), 'accepted', 'the same report again changes nothing');
select is(pg_temp.record('one', 1, outcome, code => '30001'), 'accepted', 'nor does ' || outcome || ' after it')
from unnest(array['unconfirmed', 'later', 'credentials', 'opted_out', 'number_paused', 'failed']) outcome;
select is(pg_temp.message('one'), 'test SM1 queued', 'the message stays as it is');
select is(pg_temp.record('unknown', 1, outcome, 'test SM9'), null, 'there is nothing to record of an unknown text: ' || outcome)
from unnest(array['accepted', 'failed', 'opted_out']) outcome;
select throws_ok(
  $$select pg_temp.record('one', pg_temp.send('one'), 'lost')$$, '22023', 'outcome: "lost" is unknown',
  'an unknown outcome is refused');

select pg_temp.send('one');
select public.update_sms_status('test SM early', 'delivered', null);
select pg_temp.record('one', 1, 'accepted', 'test SM early');
select is(pg_temp.message('one'), 'test SM early delivered', 'a callback that came before the response is applied');

select is(
  pg_temp.record('three', pg_temp.claim('three'), 'accepted', 'test SM early') || ', ' || pg_temp.message('three'),
  'accepted, no sid queued', 'a MessageSid that another message has is not taken, but the text is not sent again')
from pg_temp.add_text('three', 'y');

-- The time of acceptance: an hour after its request began
create function pg_temp.accepted_after(report text) returns interval language plpgsql as $$
begin
  update public.text_outbox set attempted_at = now() - interval '1 hour' where message_id = md5('one')::uuid;
  execute format(report, md5('one')::uuid);
  return (select accepted_at - attempted_at from public.text_outbox where message_id = md5('one')::uuid);
end
$$;
select is(
  pg_temp.accepted_after(format(report, pg_temp.send('one'))), passed::interval, 'accepted, at the latest: ' || description)
from (values
  ('select public.record_text_outcome(%%L, %s, ''accepted'', ''SM'', created_at => now() - interval ''30 minutes'')', '00:30:01',
    'when the provider''s second is over'),
  ('select public.record_text_outcome(%%L, %s, ''accepted'', ''SM'', created_at => now() - interval ''2 hours'')', '0',
    'not before the request, where the provider''s clock is behind'),
  ('select public.record_text_outcome(%%L, %s, ''accepted'', ''SM'', created_at => now() + interval ''2 hours'')', '1:00:00',
    'not after the report, where it is ahead'),
  ('select public.record_text_outcome(%%L, %s, ''accepted'', ''SM'')', '1:00:00', 'when it is reported, without a time'),
  ('select private.accept_text(%%1$L, ''SM''); '
    'select public.record_text_outcome(%%1$L, %s, ''accepted'', ''SM'', created_at => now() - interval ''30 minutes'')', '00:30:01',
    'by the response, where a callback came first'),
  ('update public.text_outbox set state = ''unconfirmed''; '
    'select public.record_text_lookup(%%L, %s, ''{SM}'', created_at => array[now() - interval ''30 minutes''])', '00:30:01',
    'by a look-up')
) c (report, passed, description);

-- Unconfirmed, and found
select is(pg_temp.record('one', pg_temp.send('one'), 'unconfirmed'), 'unconfirmed', 'a lost response leaves a text unconfirmed');
select is(pg_temp.text('one'), 'unconfirmed 1 no_response', 'it says why');
select is(pg_temp.due_in('one', true), 20::numeric, 'it is looked up 20 seconds after it was sent');
select is(pg_temp.claim_again('one'), 2, 'each claim has its number');
select is(pg_temp.look_up('one', 2, '{test SM2,test SM3}'), 'accepted', 'a message of the provider is this text');
select is(pg_temp.message('one'), 'test SM2 queued', 'the first one is');
select is(pg_temp.look_up('one', 2), 'accepted', 'a late look-up that found nothing changes nothing');

select pg_temp.add_text('two', 'y');
select pg_temp.record('two', pg_temp.claim('two'), 'accepted', 'test SM5');
select pg_temp.add_text('three', 'y');
select pg_temp.record('three', pg_temp.claim('three'), 'unconfirmed', code => '503');
select is(pg_temp.look_up('three', pg_temp.claim_again('three'), '{test SM5}'), 'unconfirmed', 'a message that another text has is not this one');
select is(pg_temp.due_in('three', true), 120::numeric, 'it is looked up again 2 minutes after it was sent');
select is(pg_temp.look_up('three', pg_temp.claim_again('three'), '{test SM5,test SM6}'), 'accepted', 'then it is found');

-- A worker that is late
select pg_temp.send('one');
update public.text_outbox set lease_until = now() where message_id = md5('one')::uuid;
select is(pg_temp.claim('one'), 3, 'the text of a dead worker is claimed');
select is(pg_temp.record('one', 1, outcome, code => '30001'), 'unconfirmed', 'its late report changes nothing: ' || outcome)
from unnest(array['unconfirmed', 'later', 'credentials', 'opted_out', 'number_paused', 'failed']) outcome;
select is(pg_temp.text('one'), 'unconfirmed 1 worker_died', 'the text is still looked up');
select is(pg_temp.record('one', 1, 'accepted', 'test SM7'), 'accepted', 'but that it was accepted counts');
select is(pg_temp.message('one'), 'test SM7 queued', 'with its MessageSid');

-- Not found
select pg_temp.record('one', pg_temp.send('one'), 'unconfirmed');
create temp table first_lookup as select pg_temp.claim_again('one') as claim;
select is(pg_temp.look_up('one', claim), 'unconfirmed', 'a text that the provider does not know stays unconfirmed') from first_lookup;
select pg_temp.become_due('one');
select is(pg_temp.look_up('one', claim), 'unconfirmed', 'the same report again changes nothing') from first_lookup;
select is(lookups, 1, 'it is counted once') from public.text_outbox where message_id = md5('one')::uuid;
select is(
  array[pg_temp.record('one', pg_temp.claim('one'), 'later'), pg_temp.due_in('one')::text, lookups::text], '{unconfirmed,20,1}',
  'a look-up without a response is not counted')
from public.text_outbox where message_id = md5('one')::uuid;
select is(pg_temp.look_up('one', pg_temp.claim_again('one')), 'pending', 'unknown a second time, it is sent once more');
select is(pg_temp.text('one'), 'pending 1 resend', 'at once');
create temp table resent as select pg_temp.claim('one') as claim;
select is(pg_temp.text('one'), 'sending 2', 'by the next worker');
select is(pg_temp.look_up('one', claim - 1), 'sending', 'a late look-up changes nothing') from resent;
select is(pg_temp.record('one', claim, 'unconfirmed'), 'unconfirmed', 'its response may be lost too') from resent;
select is(pg_temp.due_in('one', true), 600::numeric, 'then it is looked up 10 minutes later');
select is(pg_temp.look_up('one', pg_temp.claim_again('one')), 'failed', 'and is never sent a third time');
select is(pg_temp.text('one') || ', ' || pg_temp.message('one'), 'failed 2 unconfirmed, no sid failed', 'it has failed');
select is(pg_temp.notices(), 'failed', 'and its agent is notified');
select is(private.accept_text(md5('one')::uuid, 'test SM8'), 'accepted', 'a callback with our id proves anyway that it was sent');
select is(pg_temp.message('one'), 'test SM8 queued', 'then its message has not failed');

select pg_temp.record('one', pg_temp.send('one'), 'unconfirmed');
select pg_temp.look_up('one', pg_temp.claim_again('one'));
select is(pg_temp.look_up('one', pg_temp.claim_again('one'), may_resend => false), 'unconfirmed', 'where nothing may be sent again it is not');
select is(
  array[due_at::text, reason, pg_temp.notices()], '{infinity,unconfirmed,failed}', 'its agent is notified, and it is never looked up again')
from public.text_outbox where message_id = md5('one')::uuid;

-- Later
select is(pg_temp.record('one', pg_temp.send('one'), 'later', code => '20429'), 'pending', 'what is not taken now is sent later');
select is(pg_temp.text('one') || ' ' || pg_temp.due_in('one'), 'pending 1 20429 5', 'in five seconds');
select pg_temp.become_due('one');
select is(pg_temp.record('one', 1, 'later'), 'pending', 'the same report again changes nothing');
select is(pg_temp.due_in('one'), 0::numeric, 'it is due');
select pg_temp.record('one', pg_temp.claim('one'), 'later');
select is(pg_temp.text('one') || ' ' || pg_temp.due_in('one'), 'pending 2 later 10', 'the second time in ten');
update public.text_outbox set attempt = 40, due_at = now() where message_id = md5('one')::uuid;
select pg_temp.record('one', pg_temp.claim('one'), 'later');
select is(pg_temp.due_in('one'), 300::numeric, 'never in more than five minutes');
select pg_temp.record('one', pg_temp.claim_again('one'), 'later', retry_after => 77);
select is(pg_temp.due_in('one'), 77::numeric, 'or when the provider says');

-- Credentials
select pg_temp.send('one');
select pg_temp.add_text('two', 'x'), pg_temp.add_text('three', 'y'), pg_temp.add_text('four', 'same recruit');
update public.text_outbox set due_at = now() + interval '1 hour' where message_id = md5('four')::uuid;
update public.text_outbox set attempt = 3, state = 'unconfirmed' where message_id = md5('three')::uuid;
select is(pg_temp.record('one', 1, 'credentials'), 'pending', 'with wrong credentials a text waits');
select is(
  array[pg_temp.text('one'), pg_temp.text('two'), pg_temp.text('three')],
  '{pending 0 credentials,pending 0 credentials,unconfirmed 3}', 'its attempts are as before, and what will be sent says why it waits');
select is(
  array[pg_temp.due_in('one'), pg_temp.due_in('two'), pg_temp.due_in('three'), pg_temp.due_in('four')], '{60,60,60,3600}',
  'all that is due waits for a minute');
select pg_temp.add_text('later', 'x');
select is(pg_temp.claim('later'), null, 'what is queued meanwhile does not go first');
select pg_temp.become_due(name) from unnest(array['one', 'two']) name;
select is(pg_temp.record('one', 1, 'failed'), 'pending', 'the report of the first claim has no effect any more');
select is(pg_temp.text('one') || ' ' || pg_temp.claim('one'), 'pending 0 credentials 2', 'then it is claimed');
select is(pg_temp.text('one'), 'sending 1 credentials', 'whether the login is right now is known with the outcome');
select pg_temp.record('one', 2, 'accepted', 'test SM8');
select is(pg_temp.text('one'), 'accepted 1', 'as here');

-- The number pauses
select is(pg_temp.record('one', pg_temp.send('one'), 'number_paused', code => '30034'), 'pending', 'a text waits for its number');
select is(pg_temp.text('one'), 'pending 1 number_paused', 'it says so');
select is(status || ' ' || paused_reason, 'paused 30034', 'the number is paused')
from public.service_numbers where phone = '+19995550100';
select is(pg_temp.claim('one'), null, 'and sends nothing');

-- Opted out
select pg_temp.send('one');
select is(pg_temp.record('one', 1, 'opted_out', code => '21610'), 'refused', 'a text to somebody who has opted out is refused');
select is(pg_temp.text('one') || ', ' || pg_temp.message('one'), 'refused 1 opted_out, no sid failed 21610', 'its message has failed');
select is(pg_temp.notices(), 'failed', 'its agent is notified');
select is(
  (select state || ' ' || source from public.text_consents where phone = '+19995550001'), 'opted_out provider', 'the opt-out holds');
select pg_temp.record('one', 1, 'opted_out', code => '21610');
select is((select count(*)::integer from public.text_consent_events where phone = '+19995550001'), 1, 'it is recorded once');
select pg_temp.add_text('four', 'same recruit');
select is(pg_temp.claim('four'), null, 'and holds for all numbers of the agency');

-- A person has taken over while a text of the bot was being sent
create function pg_temp.come_back(outcome text, change text default '') returns text language plpgsql as $$
begin
  perform pg_temp.drop_texts(), pg_temp.add_text('one', 'talk', 'bot');
  perform pg_temp.add_text('waits', 'talk', 'bot', due => '1 hour');
  execute change;
  perform pg_temp.record('one', pg_temp.claim('one'), coalesce(nullif(outcome, 'resend'), 'unconfirmed'));
  if outcome = 'resend' then
    perform pg_temp.look_up('one', pg_temp.claim_again('one')) from generate_series(1, 2);
  end if;
  return concat_ws(', ', pg_temp.text('one'), pg_temp.message('one'));
end
$$;
select pg_temp.create_conversation('talk', '+19995550003', '+19995550100', 'agent', status => 'bot', spoke => '1 minute');
select matches(pg_temp.come_back(outcome), '^pending', format('what the bot has sent comes back (%s)', outcome))
from unnest(array['later', 'resend']) outcome;
update public.recruiting_conversations set status = 'escalated' where id = md5('talk')::uuid;
select is(
  pg_temp.come_back(outcome), 'refused 1 taken_over, no sid failed', format('it does not, once a person has the conversation (%s)', outcome))
from unnest(array['later', 'number_paused', 'resend']) outcome;
select is(pg_temp.come_back('credentials'), 'refused 0 taken_over, no sid failed', 'also where the login is wrong');
select is(pg_temp.text('waits'), 'pending 0', 'what comes back refuses no other text');
select matches(pg_temp.come_back('later', $$update public.text_outbox set hands_over = true$$), '^pending', 'the bot''s last text is repeated');
select matches(
  pg_temp.come_back('later', $$update public.text_outbox set state = 'failed'; select private.retry_text(md5('one')::uuid)$$), '^pending',
  'so is one that a person has sent again');

-- Failed
select is(pg_temp.record('one', pg_temp.send('one', 'y'), 'failed', code => '21211'), 'failed', 'what the provider refuses has failed');
select is(pg_temp.text('one') || ', ' || pg_temp.message('one'), 'failed 1 21211, no sid failed 21211', 'with its code');
select is(pg_temp.notices(), 'failed', 'and its agent is notified');
select pg_temp.add_text('two', 'y');
select is(pg_temp.claim('two'), 1, 'the next text of the conversation goes on');

-- A worker that dies again and again
select pg_temp.drop_texts(), pg_temp.add_text('dead', 'y');
-- A worker claims the text and dies. Ten minutes later the provider is asked for it, and does not know it.
create function pg_temp.die(reason text default 'worker_died') returns text language plpgsql as $$
declare
  id constant uuid := md5('dead')::uuid;
  claim integer;
begin
  update public.service_numbers set busy_until = '-infinity';
  perform public.claim_texts(1);
  update public.text_outbox o
  set state = 'unconfirmed', reason = die.reason, claim = o.claim + 1, lookups = 1, lease_until = null
  where o.message_id = id and o.state = 'sending'
  returning o.claim into claim;
  return public.record_text_lookup(id, claim, '{}');
end
$$;

select is(pg_temp.die(), 'pending', 'a text whose worker has died is sent again');
select is(pg_temp.die(), 'pending', 'and once more, because its second worker may have died before it left too');
select is(pg_temp.die('no_response'), 'failed', 'a text that did leave and is not known is failed');

update public.text_outbox set state = 'pending', due_at = now(), resends = 0 where message_id = md5('dead')::uuid;
select is(
  array(select pg_temp.die() from generate_series(1, 6)), '{pending,pending,pending,pending,pending,failed}'::text[],
  'a text that ends every worker is not sent for ever');
select is((select attempt from public.text_outbox where message_id = md5('dead')::uuid), 9, 'each was an attempt');

select * from finish();
rollback;
