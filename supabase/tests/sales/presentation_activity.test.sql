-- Logging the activity of the presentation pop-out.
begin;
select plan(12);
\ir ../helpers.psql

select pg_temp.create_agency('agency', 'UTC', 'agent', 'colleague', 'former');
update public.agents set is_active = false where id = md5('former')::uuid;
select pg_temp.create_lead('lead', 'agent'), pg_temp.create_lead('former lead', 'former');

select is(public.log_presentation_activity(md5('lead')::uuid, md5('agent')::uuid, type), '{}', type || ' is logged')
from unnest(array['presentation_started', 'presentation_resumed', 'presentation_paused']) type;
select results_eq(
  $$select type, agent_id, occurred_at from public.lead_activities where lead_id = md5('lead')::uuid order by type$$,
  $$values ('presentation_paused', md5('agent')::uuid, now()), ('presentation_resumed', md5('agent')::uuid, now()),
    ('presentation_started', md5('agent')::uuid, now())$$,
  'each activity is one row with its agent and time');

select throws_ok(
  format('select public.log_presentation_activity(%L, %L, %L)', md5(lead)::uuid, md5(agent)::uuid, type),
  code, message, description)
from (values
  ('nobody', 'agent', 'presentation_started', 'PT404', 'lead_id: no such lead of this agent', 'an unknown lead'),
  ('lead', 'nobody', 'presentation_started', 'PT404', 'lead_id: no such lead of this agent', 'an unknown agent'),
  ('lead', 'colleague', 'presentation_started', 'PT404', 'lead_id: no such lead of this agent', 'another agent''s lead'),
  ('former lead', 'former', 'presentation_started', 'PT400', 'agent_id: the agent is deactivated', 'a deactivated agent'),
  ('lead', 'former', 'presentation_started', 'PT404', 'lead_id: no such lead of this agent',
    'a deactivated agent and another agent''s lead'),
  ('lead', 'agent', 'presentation_submitted', 'PT400',
    'type: must be presentation_started, presentation_resumed or presentation_paused', 'an unknown type'),
  ('lead', 'agent', null, 'PT400', 'type: must be presentation_started, presentation_resumed or presentation_paused', 'no type')
) as wrong (lead, agent, type, code, message, description);
select is(
  (select count(*)::integer from public.lead_activities
   where lead_id in (md5('lead')::uuid, md5('former lead')::uuid)), 3, 'a refused activity stores nothing');

select * from finish();
rollback;
