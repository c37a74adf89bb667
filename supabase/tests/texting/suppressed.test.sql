-- Nobody texts a person who is suppressed, by the phone or by the lead's e-mail address. What the person writes is stored.
begin;
select plan(18);
\ir ../helpers.psql

select pg_temp.create_people();
insert into public.vendors (id, slug, name, has_text_consent) values (md5('vendor')::uuid, 'test-vendor', 'Vendor', true);
insert into public.service_numbers (phone, agency_id, segments_per_second) values ('+19995550100', md5('agency')::uuid, 100);
delete from public.texting_hours;
insert into public.texting_hours (opens, closes, source) values ('00:00', '24:00', 'test');
insert into public.recruiting_orders (id, agency_id, quantity, greeting_template)
values (md5('order')::uuid, md5('agency')::uuid, 9, '{agency}: STOP ends this.');
insert into public.recruiting_leads (
  id, vendor_id, first_name, vendor_metadata, distribution, agency_id, agent_id, order_id, distributed_at)
select md5(name)::uuid, md5('vendor')::uuid, name, jsonb_build_object('phone', phone, 'email', name || '@Example.com'), 'distributed',
  md5('agency')::uuid, md5('ann')::uuid, md5('order')::uuid, now()
from (values ('phone', '+19995550001'), ('email', '+19995550002'), ('other', '+19995550003'), ('new', '+19995550004')) l (name, phone);
select pg_temp.create_conversation(name, '+1999555000' || n, '+19995550100', agent, lead => name, spoke => '1 minute')
from (values ('phone', 1, 'ann'), ('email', 2, 'ann'), ('other', 3, 'ann')) c (name, n, agent);
select pg_temp.add_text(name || ' ' || state, name, state => state, due => due)
from unnest(array['phone', 'email', 'other']) name
cross join (values ('failed', interval '-1 day'), ('pending', '-1 minute')) s (state, due);

-- Calls a function as the manager of the agency.
create function pg_temp.as_mia(call text) returns jsonb language sql as $$
  select pg_temp.value_as('mia', 'public.' || call)
$$;

insert into public.suppressions (kind, value, reason, source) values
  ('phone', '+19995550001', 'asked us', 'test'),
  ('email', private.suppression_hash('email', 'email@example.com'), '(erased)', 'erased'),
  ('phone', '+19995550004', 'asked us', 'test');

-- What waits when the person is suppressed
create temp table claimed as select t ->> 'message_id' as id from jsonb_array_elements(public.claim_texts(10) -> 'texts') t;
select results_eq('select id::uuid from claimed', array[md5('other pending')::uuid], 'a text that waits is claimed for others alone');
select results_eq(
  $$select c.recruit_phone::text, o.state, o.reason, m.status, m.error_code
    from public.text_outbox o
    join public.recruiting_messages m on m.id = o.message_id
    join public.recruiting_conversations c on c.id = m.conversation_id
    where o.message_id in (md5('phone pending')::uuid, md5('email pending')::uuid) order by 1$$,
  $$values ('+19995550001', 'refused', 'suppressed', 'failed', null::text),
    ('+19995550002', 'refused', 'suppressed', 'failed', null)$$,
  'those to suppressed people are refused, and say why');

-- Every other way to send one
select throws_ok(
  format('select pg_temp.as_mia(%L)', statement), 'PT403',
  field || ': the recruit is suppressed, so nobody may text this person', statement)
from (values
  ('send_text(md5(''phone'')::uuid, ''Hi'', gen_random_uuid(), take_over => true)', 'conversation_id'),
  ('send_text(md5(''email'')::uuid, ''Hi'', gen_random_uuid(), take_over => true)', 'conversation_id'),
  ('retry_text(md5(''phone failed'')::uuid)', 'message_id'),
  ('start_conversation(md5(''phone'')::uuid)', 'recruiting_lead_id'),
  ('start_conversation(md5(''new'')::uuid)', 'recruiting_lead_id')
) s (statement, field);
select throws_ok(
  $$select private.retry_text(md5('email failed')::uuid)$$, 'PT403', 'message_id: the recruit is suppressed, so nobody may text this person',
  'nor does an operator send it once more');
select lives_ok(
  $$select pg_temp.as_mia('send_text(md5(''other'')::uuid, ''Hi'', gen_random_uuid(), take_over => true)')$$, 'others are texted');
insert into private.waiting_greetings (lead_id) values (md5('new')::uuid);
select public.queue_greeting(md5('new')::uuid);
select results_eq(
  $$select reason from public.skipped_greetings where recruiting_lead_id = md5('new')::uuid$$, array['suppressed'],
  'the person is not greeted');

-- What the person writes
select private.store_bot_script(md5('agency')::uuid, '{
  "opening": "{agency}. STOP ends this.", "questions": [{"id": "licensed", "ask": "Licensed?", "answer": "yes_no"}],
  "done": "Bye", "handoff_words": ["agent"]}');
update public.recruiting_conversations set status = 'bot', assigned_agent_id = null where id in (md5('phone')::uuid, md5('other')::uuid);
select is(
  public.receive_sms('+19995550001', '+19995550100', 'test SM1', 'I changed my mind', '[]') ->> 'status', 'received',
  'a text of the person has the response of any other');
select is(body, 'I changed my mind', 'it is stored') from public.recruiting_messages where provider_message_id = 'test SM1';
select is_empty($$select from public.bot_turns where conversation_id = md5('phone')::uuid$$, 'the bot does not answer');
select results_eq(
  $$select kind::text from public.agent_notifications where conversation_id = md5('phone')::uuid and read_at is null$$, array['text'],
  'an agent is notified');

-- The person is suppressed while the bot answers
insert into public.bot_sessions (conversation_id, script_id, question)
select md5('other')::uuid, id, 'licensed' from public.bot_scripts where agency_id = md5('agency')::uuid;
select public.receive_sms('+19995550003', '+19995550100', 'test SM2', 'Hello', '[]');
update public.bot_turns set due_at = now();
create temp table claims as select t from jsonb_array_elements(public.claim_bot_turns(10)) t;
create temp table turns as
select t || public.read_bot_turn((t ->> 'conversation_id')::uuid, (t -> 'attempt')::integer) as turn from claims;
insert into public.suppressions (kind, value, reason, source) values ('email', 'other@example.com', 'asked us', 'test');
select is(
  public.complete_bot_turn((turn ->> 'conversation_id')::uuid, (turn -> 'attempt')::integer, (turn ->> 'version')::integer,
    (turn ->> 'script_id')::uuid, jsonb_array_length(turn -> 'texts'), '{"reply": "Licensed?", "session": {"question": "licensed", "tries": 0, "answers": {}}}'),
  'dropped', 'the bot''s turn ends without a text')
from turns;
select results_eq(
  $$select state, reason from public.bot_sessions where conversation_id = md5('other')::uuid$$, $$values ('stopped', 'suppressed')$$,
  'its session says why');

-- No more
delete from public.suppressions;
select lives_ok(
  $$select pg_temp.as_mia('send_text(md5(''phone'')::uuid, ''Hi'', gen_random_uuid(), take_over => true)')$$, 'without the row the person is texted');
select lives_ok($$select pg_temp.as_mia('start_conversation(md5(''new'')::uuid)')$$, 'and a conversation begins');

select * from finish();
rollback;
