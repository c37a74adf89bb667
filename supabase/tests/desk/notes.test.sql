-- Notes about a recruit: who writes and reads them, and what becomes of them.
begin;
create extension if not exists dblink with schema extensions;
select plan(34);
\ir ../helpers.psql
-- The seed has some.
delete from public.recruit_notes;

select pg_temp.create_people(), pg_temp.create_vendor('vendor');
insert into public.recruiting_leads (id, vendor_id, first_name, vendor_metadata, agency_id, agent_id) values
  (md5('of ann')::uuid, md5('vendor')::uuid, 'Ada', '{"phone": "+19995550001"}', md5('agency')::uuid, md5('ann')::uuid),
  (md5('of nobody')::uuid, md5('vendor')::uuid, 'Bea', '{}', md5('agency')::uuid, null),
  (md5('of eve')::uuid, md5('vendor')::uuid, 'Eva', '{}', md5('elsewhere')::uuid, md5('eve')::uuid);
create function pg_temp.add(person text, recruit text, body text, note text default null) returns jsonb language sql as $$
  select pg_temp.value_as(person, format('public.add_note(%L, %L, %L)', md5(recruit)::uuid, body, md5(note)::uuid))
$$;
create function pg_temp.reads(person text) returns text[] language sql as $$
  select pg_temp.result_as(person, 'select array(select n.body from public.recruit_notes n order by n.created_at)')::text[]
$$;

-- Who writes
select is(pg_temp.add('ann', 'of ann', 'Has a licence in TX', 'first') ->> 'id', md5('first')::uuid::text, 'the recruit''s agent writes a note');
select results_eq(
  $$select agent_id, recruiting_lead_id, body from public.recruit_notes$$,
  $$values (md5('ann')::uuid, md5('of ann')::uuid, 'Has a licence in TX')$$, 'it is stored with its author');
select isnt(pg_temp.add('mia', 'of ann', 'Second'), null, 'so does a manager');
select isnt(pg_temp.add('mia', 'of nobody', 'Third'), null, 'also about a recruit without an agent');
select throws_ok(
  format($$select pg_temp.add(%L, %L, 'No')$$, person, recruit), code, message, format('%s about the recruit %s: %s', person, recruit, code))
from (values
  ('cal', 'of ann', 'PT404', 'recruiting_lead_id: there is no such recruit'),
  ('ann', 'of nobody', 'PT404', 'recruiting_lead_id: there is no such recruit'),
  ('otto', 'of ann', 'PT404', 'recruiting_lead_id: there is no such recruit'),
  ('mia', 'of eve', 'PT404', 'recruiting_lead_id: there is no such recruit'),
  ('mia', 'unknown', 'PT404', 'recruiting_lead_id: there is no such recruit'),
  ('former', 'of ann', '42501', null), ('visitor', 'of ann', '42501', null)
) c (person, recruit, code, message);
select pg_temp.become('anon');
select throws_ok($$select public.add_note(md5('of ann')::uuid, 'No')$$, '42501', null, 'nobody else may call it');
reset role;
select pg_temp.become('ann');
select throws_ok(
  format($$%s$$, statement), '42501', null, 'an agent does not write the table: ' || split_part(statement, ' ', 1))
from unnest(array[
  'insert into public.recruit_notes (recruiting_lead_id, agent_id, body) values (md5(''of ann'')::uuid, md5(''ann'')::uuid, ''x'')',
  'update public.recruit_notes set body = ''x''', 'delete from public.recruit_notes']) statement;
reset role;

-- Who reads
select is(pg_temp.reads('ann'), '{Has a licence in TX,Second}', 'the recruit''s agent reads them');
select is(pg_temp.reads('mia'), '{Has a licence in TX,Second,Third}', 'a manager reads those of the agency');
select is(pg_temp.reads('cal'), '{}', 'a colleague reads none');
select is(pg_temp.reads('otto') || pg_temp.reads('eve') || pg_temp.reads('visitor'), '{}', 'nor does anybody elsewhere');
select pg_temp.create_conversation('talk', '+19995550001', '+19995550100', 'cal', lead => 'of ann');
select is(pg_temp.reads('cal'), '{Has a licence in TX,Second}', 'who is assigned the conversation reads them');
select isnt(pg_temp.add('cal', 'of ann', 'Fourth'), null, 'and writes one');
update public.recruiting_conversations set assigned_agent_id = md5('mia')::uuid where id = md5('talk')::uuid;
select is(pg_temp.reads('cal'), '{}', 'until another agent has the conversation');

-- What is refused
select throws_ok(format($$select pg_temp.add('ann', 'of ann', %L)$$, body), '22023', message, message)
from (values
  (repeat('a', 10000), 'body: must have at most 4000 characters, counted in UTF-16 units (most emoji have 2 or more)'),
  (repeat('😀', 2001), 'body: must have at most 4000 characters, counted in UTF-16 units (most emoji have 2 or more)'),
  (e' \n\u200b', 'body: must not be empty'), (null, 'body: must not be empty')
) c (body, message);
select is((select count(*)::integer from public.recruit_notes), 4, 'nothing of these is stored');

-- The same note again
select is(pg_temp.add('ann', 'of ann', 'Otherwise', 'first') ->> 'id', md5('first')::uuid::text, 'the same id is the same note');
select is((select body from public.recruit_notes where id = md5('first')::uuid), 'Has a licence in TX', 'as it was at first');
select throws_ok(
  $$select pg_temp.add('mia', 'of ann', 'Mine', 'first')$$, 'PT409', 'note_id: another note has this id', 'but not another agent''s');

-- What becomes of them
select is(
  (select jsonb_path_query_array(public.export_person('+19995550001'), '$.recruiting_leads[0].notes[*].body')),
  '["Has a licence in TX", "Second", "Fourth"]', 'a person''s copy has them');
select isnt(public.erase_person('+19995550001', '{}'), null, 'the person is erased');
select is((select array_agg(body) from public.recruit_notes), '{Third}', 'and the notes with it');
select throws_ok(
  $$select pg_temp.add('ann', 'of ann', 'Late')$$, 'PT404', 'recruiting_lead_id: there is no such recruit',
  'nothing is written about the person any more');

select * from finish();
rollback;
