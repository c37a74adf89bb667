-- Quick replies: who keeps them, what is refused, and what they say to a recruit.
begin;
create extension if not exists dblink with schema extensions;
select plan(59);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_vendor('vendor');
insert into public.recruiting_leads (id, vendor_id, first_name, agency_id, agent_id) values
  (md5('ada')::uuid, md5('vendor')::uuid, 'Ada', md5('agency')::uuid, md5('ann')::uuid),
  (md5('odd')::uuid, md5('vendor')::uuid, 'www.example.com', md5('agency')::uuid, md5('ann')::uuid);
select pg_temp.create_conversation(name, recruit, '+19995550100', agent, lead => lead)
from (values
  ('hers', '+19995550001', 'ann', 'ada'), ('odd', '+19995550002', 'ann', 'odd'), ('given', '+19995550003', 'cal', 'ada'),
  ('of nobody', '+19995550004', null, null)) c (name, recruit, agent, lead);
create function pg_temp.save(
  person text, shortcut text, body text, id uuid default null, seen timestamptz default null, agency text default null) returns jsonb language sql as $$
  select pg_temp.value_as(person, format('public.save_quick_reply(%L, %L, %L, %L, %L)', shortcut, body, id, seen, md5(agency)::uuid))
$$;
create function pg_temp.forget(person text, id uuid) returns jsonb language sql as $$
  select pg_temp.value_as(person, format('public.delete_quick_reply(%L)', id))
$$;
create function pg_temp.replies(person text, conversation text) returns jsonb language sql as $$
  select pg_temp.value_as(person, format('public.quick_replies_to(%L)', md5(conversation)::uuid))
$$;
create function pg_temp.id_of(shortcut text) returns uuid language sql as $$
  select q.id from public.quick_replies q where q.shortcut = id_of.shortcut and q.agency_id = md5('agency')::uuid
$$;

-- Who writes
select is(pg_temp.save('mia', ' Call ', 'Hi {first_name}, this is {agent}.') - '{id,created_at,updated_at}'::text[],
  '{"shortcut": "call", "body": "Hi {first_name}, this is {agent}."}', 'a manager stores one, in lower case');
select isnt(pg_temp.save('mia', 'bye', 'Bye'), null, 'and another');
select isnt(pg_temp.save('otto', 'call', 'Elsewhere'), null, 'another agency may have the same shortcut');
select throws_ok(format('select pg_temp.save(%L, %L, %L)', person, 'x', 'x'), '42501', null, person || ' may not store one')
from unnest(array['ann', 'former', 'visitor', 'anon']) person;
select throws_ok(format('select pg_temp.forget(%L, pg_temp.id_of(%L))', person, 'bye'), '42501', null, person || ' may not delete one')
from unnest(array['ann', 'former', 'visitor', 'anon']) person;
select throws_ok(
  $$select pg_temp.save('otto', 'call', 'x', pg_temp.id_of('call'))$$, 'PT404', 'quick_reply_id: there is no such quick reply',
  'another agency''s manager changes none');
select throws_ok(
  $$select pg_temp.forget('otto', pg_temp.id_of('call'))$$, 'PT404', 'quick_reply_id: there is no such quick reply', 'nor deletes one');
select pg_temp.become('mia');
select throws_ok(statement, '42501', null, 'a manager does not write the table: ' || statement)
from unnest(array[
  'insert into public.quick_replies (agency_id, shortcut, body) values (md5(''agency'')::uuid, ''x'', ''x'')',
  'update public.quick_replies set body = ''x''', 'delete from public.quick_replies']) statement;
reset role;

-- What is refused
select throws_ok(format('select pg_temp.save(%L, %L, %L)', 'mia', shortcut, body), code, message, message)
from (values
  ('x', 'Hi {surname} and {first_name}', '22023', 'body: there is no placeholder {surname}. Use {first_name}, {agent} or {agency}'),
  ('x', 'Hi {First_name}', '22023', 'body: there is no placeholder {First_name}. Use {first_name}, {agent} or {agency}'),
  ('x', 'Hi {}', '22023', 'body: there is no placeholder {}. Use {first_name}, {agent} or {agency}'),
  ('x', 'Hi {agent', '22023', 'body: must have no other braces than those of {first_name}, {agent} and {agency}'),
  ('x', e' \n\u200b', '22023', 'body: must not be empty'), ('x', null, '22023', 'body: must not be empty'),
  ('x', repeat('a', 1601), '22023', 'body: must have at most 1600 characters, counted in UTF-16 units (most emoji have 2 or more)'),
  ('two words', 'x', '22023', 'shortcut: must have 1 to 32 letters from a to z, digits, - or _'),
  (null, 'x', '22023', 'shortcut: must have 1 to 32 letters from a to z, digits, - or _'),
  (repeat('a', 33), 'x', '22023', 'shortcut: must have 1 to 32 letters from a to z, digits, - or _'),
  ('CALL', 'x', 'PT409', 'shortcut: another quick reply has it')
) c (shortcut, body, code, message);
select is(
  (select bool_and(private.is_greeting_template('{agency} STOP ' || given)) from unnest(array['{first_name}', '{agent}', '{agency}']) given),
  true, 'the placeholders are those of a greeting');
select is((select array_agg(shortcut order by shortcut) from public.quick_replies where agency_id = md5('agency')::uuid), '{bye,call}',
  'nothing of these is stored');

-- An existing one
update public.quick_replies set created_at = now() - interval '1 hour', updated_at = now();
select is(pg_temp.save('mia', 'bye', 'Good bye', pg_temp.id_of('bye'), now()) ->> 'body', 'Good bye', 'a manager changes one');
select throws_ok(
  $$select pg_temp.save('mia', 'bye', 'Ciao', pg_temp.id_of('bye'), now() - interval '1 second')$$, 'PT409',
  'seen_at: somebody else has changed this quick reply meanwhile', 'but not one that was changed meanwhile');
select throws_ok(
  $$select pg_temp.save('mia', 'call', 'Ciao', pg_temp.id_of('bye'))$$, 'PT409', 'shortcut: another quick reply has it',
  'nor to another one''s shortcut');
select throws_ok(
  $$select pg_temp.save('mia', 'x', 'x', gen_random_uuid())$$, 'PT404', 'quick_reply_id: there is no such quick reply', 'nor an unknown one');

-- What they say
select is(pg_temp.replies('ann', 'hers') #>> '{1,body}', 'Hi Ada, this is ann.', 'it has the recruit''s first name, and the caller''s');
select is(jsonb_path_query_array(pg_temp.replies('ann', 'hers'), '$[*].shortcut'), '["bye", "call"]', 'they stand by shortcut');
select is(pg_temp.replies('mia', 'hers') #>> '{1,body}', 'Hi Ada, this is mia.', 'a manager''s has the manager''s name');
select is(pg_temp.replies('cal', 'given') #>> '{1,body}', 'Hi Ada, this is cal.', 'who has the conversation needs no recruit');
select is(pg_temp.replies('ann', 'odd') #>> '{1,body}', 'Hi there, this is ann.', 'what is no name is not sent');
select is(pg_temp.save('mia', 'call', '{agent} of {agency} here', pg_temp.id_of('call')) ->> 'shortcut', 'call', 'with other placeholders');
select is(pg_temp.replies('mia', 'of nobody') #>> '{1,body}', 'mia of agency here', 'without a recruit it has the agency''s name anyway');
select throws_ok(format('select pg_temp.replies(%L, %L)', person, conversation), code, null, format('%s gets none for %s', person, conversation))
from (values ('cal', 'hers', 'PT404'), ('ann', 'given', 'PT404'), ('otto', 'hers', 'PT404'), ('former', 'hers', '42501'),
  ('anon', 'hers', '42501')) c (person, conversation, code);

-- Operators, for any agency; the command's name of one stands for the address in the token of one who is signed in.
set local admin.operator = 'Lin';
insert into public.operators (user_id) values (md5('user visitor')::uuid);
create temp table theirs as select pg_temp.save('visitor', 'hours', 'We open at 9', null, null, 'agency') ->> 'id' as id;
select is(pg_temp.save('visitor', 'hours', 'We open at 8', id::uuid) ->> 'body', 'We open at 8', 'an operator stores one and changes it')
from theirs;
select throws_ok(format('select pg_temp.save(%L, ''x'', ''x'', null, null, %L)', person, agency), 'PT404',
  'agency_id: there is no such agency', format('%s stores none for %s', person, agency))
from (values ('visitor', null), ('visitor', 'nowhere'), ('otto', 'agency')) c (person, agency);
create function pg_temp.listed(person text) returns text language sql as $$
  select pg_temp.result_as(person,
    'select array(select q.shortcut from public.quick_reply_list q where q.agency_id = md5(''agency'')::uuid order by q.shortcut)')
$$;
select is(pg_temp.listed(person), shortcuts, person || ' reads the list: ' || shortcuts)
from (values ('visitor', '{bye,call,hours}'), ('mia', '{bye,call,hours}'), ('ann', '{}'), ('otto', '{}'), ('former', '{}')) c (person, shortcuts);
select is(pg_temp.forget('visitor', id::uuid) ->> 'id', id, 'an operator deletes it') from theirs;
select results_eq(
  format('select c.action, c.changed_by, c.before || c.after from public.agency_changes c where c.subject_id = %L order by c.created_at', id),
  $$values ('quick_reply create', 'Lin', '{"shortcut": "hours", "body": "We open at 9"}'::jsonb),
    ('quick_reply update', 'Lin', '{"body": "We open at 8"}'), ('quick_reply remove', 'Lin', '{"shortcut": "hours", "body": "We open at 8"}')$$,
  'the agency''s history names the operator')
from theirs;
select results_eq(
  'select a.action, a.subject from public.operator_actions a order by a.created_at',
  format($$select 'quick_reply ' || act, '{"agency_id": "%s", "quick_reply_id": "%s"}'::jsonb
    from unnest(array['create', 'update', 'remove']) act$$, md5('agency')::uuid, id),
  'and so do the operators'' actions, where managers'' are not')
from theirs;

select is(pg_temp.forget('mia', pg_temp.id_of('bye')) ? 'id', true, 'a manager deletes one');
select is((select array_agg(shortcut) from public.quick_replies where agency_id = md5('agency')::uuid), '{call}', 'and it is gone');

select * from finish();
rollback;
