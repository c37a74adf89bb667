-- Rows that the tables of sales leads and conversations refuse.
begin;
select plan(35);
\ir ../helpers.psql

select pg_temp.create_agency('agency', 'UTC', 'agent', 'colleague'), pg_temp.create_agency('other agency', 'UTC', 'other agent');
insert into public.leads (id, external_id, agency_id, agent_id, first_name, phone, state, type) values
  (md5('lead')::uuid, md5('external')::uuid, md5('agency')::uuid, md5('agent')::uuid, 'Lea', '1', 'TX', 'fe');
insert into public.lead_presentations (id, lead_id, agent_id, client_submission_id) values
  (md5('presentation')::uuid, md5('lead')::uuid, md5('agent')::uuid, md5('submission')::uuid);
select pg_temp.create_conversation('conversation', '+19995550001', '+19995550002');

create function pg_temp.lead(change jsonb) returns void language sql as $$
  insert into public.leads
    (agency_id, agent_id, first_name, phone, state, type, source, status, stage, phone_e164)
  select agency_id, agent_id, first_name, phone, state, type, source, status, stage, phone_e164
  from jsonb_populate_record(
    null::public.leads,
    jsonb_build_object('agency_id', md5('agency')::uuid, 'agent_id', md5('agent')::uuid, 'first_name', 'Lea',
      'phone', '1', 'state', 'TX', 'type', 'fe', 'source', 'platform', 'status', 'open', 'stage', 'new') || change)
$$;

select lives_ok(format('select pg_temp.lead(%L)', jsonb_build_object('type', type)), 'a lead of type ' || type)
from unnest(array['fwk', 'csk', 'br', 'union', 'ncr', 'pos', 'dcard', 'fe', 'globe']) type;

select throws_ok(format('select pg_temp.lead(%L)', change), code, null, description)
from (values
  ('{"type": "life"}', '23514', 'a type that is not in the list'),
  ('{"type": null}', '23502', 'no type'),
  ('{"first_name": " "}', '23514', 'a blank first name'),
  ('{"phone": ""}', '23514', 'a blank phone'),
  ('{"state": ""}', '23514', 'a blank state'),
  ('{"source": "import"}', '23514', 'an unknown source'),
  ('{"status": ""}', '23514', 'a blank status'),
  ('{"phone_e164": "3125550100"}', '23514', 'a phone_e164 that is not E.164')
) as refused (change, code, description);
select throws_ok(
  format('select pg_temp.lead(%L)', jsonb_build_object('agent_id', md5('other agent')::uuid)),
  '23503', null, 'an agent of another agency');

select results_eq(
  $$insert into public.leads (agency_id, agent_id, first_name, phone, state, type)
    values (md5('agency')::uuid, md5('agent')::uuid, 'Lea', 'ask for Lea', 'Texas', 'fe')
    returning source, status, stage$$,
  $$values ('platform', 'open', 'new')$$, 'a new lead is open and new, and may have any phone and state');
select throws_ok(
  $$insert into public.leads (external_id, agency_id, agent_id, first_name, phone, state, type)
    values (md5('external')::uuid, md5('agency')::uuid, md5('colleague')::uuid, 'Lea', '1', 'TX', 'fe')$$,
  '23505', null, 'an external_id twice in one agency');
select lives_ok(
  $$insert into public.leads (external_id, agency_id, agent_id, first_name, phone, state, type)
    values (md5('external')::uuid, md5('other agency')::uuid, md5('other agent')::uuid, 'Lea', '1', 'TX', 'fe')$$,
  'the same external_id in another agency');

select throws_ok(
  $$insert into public.lead_activities (lead_id, agent_id, type)
    values (md5('lead')::uuid, md5('colleague')::uuid, 'presentation_started')$$,
  '23503', 'agent_id: not the agent of this lead', 'an activity of an agent who is not the lead''s agent');
select throws_ok(
  $$insert into public.lead_sales (presentation_id, lead_id, agent_id, product, annual_premium)
    values (md5('presentation')::uuid, md5('lead')::uuid, md5('colleague')::uuid, 'Term', 1)$$,
  '23503', null, 'a sale of an agent who did not submit the presentation');
select throws_ok(
  $$insert into public.lead_presentations (lead_id, agent_id, client_submission_id)
    values (md5('lead')::uuid, md5('agent')::uuid, md5('submission')::uuid)$$,
  '23505', null, 'one submission stored twice');

select throws_ok(
  $$insert into public.recruiting_conversations (agency_id, recruit_phone, service_phone)
    values (md5('agency')::uuid, '+19995550001', '+19995550002')$$,
  '23505', null, 'two conversations between the same numbers');
select throws_ok(
  format(
    'insert into public.recruiting_conversations (agency_id, recruit_phone, service_phone)
     values (md5(''agency'')::uuid, %L, %L)', recruit, service),
  '23514', null, description)
from (values
  ('3125550101', '+19995550002', 'a recruit''s number without its country'),
  ('+1234567890123456', '+19995550002', 'a recruit''s number of 16 digits'),
  ('12345', '+19995550002', 'a recruit with a short code'),
  ('+19995550001', '1234', 'a short code of 4 digits'),
  ('+19995550001', 'MG0123456789abcdef', 'a messaging service in place of a number')
) as refused (recruit, service, description);
select lives_ok(
  format(
    'insert into public.recruiting_conversations (agency_id, recruit_phone, service_phone)
     values (md5(''agency'')::uuid, %L, %L)', recruit, service),
  format('a conversation of %s and %s', recruit, service))
from (values ('+6421555019', '12345'), ('+6421555019', '123456'), ('+6421555019', '+123456789012345'))
as stored (recruit, service);
select throws_ok(
  $$update public.recruiting_conversations set status = 'escalated' where id = md5('conversation')::uuid$$,
  '23514', null, 'an escalated conversation without an agent');
select throws_ok(
  $$insert into public.recruiting_messages (conversation_id, direction, sender_type) values (md5('conversation')::uuid, 'inbound', 'bot')$$,
  '23514', null, 'an inbound message that is not from the recruit');

select * from finish();
rollback;
