-- Logging the activity of the presentation pop-out.
begin;
select plan(13);

insert into public.agencies (id, name, timezone) values (md5('agency')::uuid, 'Agency', 'UTC');
insert into public.agents (id, agency_id, first_name) values
  (md5('agent')::uuid, md5('agency')::uuid, 'Ann'), (md5('colleague')::uuid, md5('agency')::uuid, 'Cal');
insert into public.agents (id, agency_id, first_name, is_active) values
  (md5('former')::uuid, md5('agency')::uuid, 'Fay', false);
insert into public.leads (id, agency_id, agent_id, first_name, phone, state, type) values
  (md5('lead')::uuid, md5('agency')::uuid, md5('agent')::uuid, 'Lea', '1', 'TX', 'fe'),
  (md5('former lead')::uuid, md5('agency')::uuid, md5('former')::uuid, 'Leo', '1', 'TX', 'fe');

select is(
  public.log_presentation_activity(md5('lead')::uuid, md5('agent')::uuid, type), '{}', type || ' is logged')
from unnest(array['presentation_started', 'presentation_resumed', 'presentation_paused']) type;
select results_eq(
  $$select type, agent_id, occurred_at from public.lead_activities where lead_id = md5('lead')::uuid order by type$$,
  $$values ('presentation_paused', md5('agent')::uuid, now()), ('presentation_resumed', md5('agent')::uuid, now()),
    ('presentation_started', md5('agent')::uuid, now())$$,
  'each activity is one row with its agent and time');
select results_eq(
  $$select presentations_started, presentations_resumed, presentations_paused, last_activity_at
    from public.lead_metrics where lead_id = md5('lead')::uuid$$,
  'values (1, 1, 1, now())', 'the activities are counted in lead_metrics');

select throws_ok(
  format('select public.log_presentation_activity(%L, %L, %L)', md5(lead)::uuid, md5(agent)::uuid, type),
  code, message, description)
from (values
  ('nobody', 'agent', 'presentation_started', 'PT404', 'lead_id: no such lead of this agent', 'an unknown lead'),
  ('lead', 'nobody', 'presentation_started', 'PT404', 'lead_id: no such lead of this agent', 'an unknown agent'),
  ('lead', 'colleague', 'presentation_started', 'PT404', 'lead_id: no such lead of this agent',
    'another agent''s lead'),
  ('former lead', 'former', 'presentation_started', 'PT400', 'agent_id: the agent is deactivated',
    'a deactivated agent'),
  ('lead', 'former', 'presentation_started', 'PT404', 'lead_id: no such lead of this agent',
    'a deactivated agent and another agent''s lead'),
  ('lead', 'agent', 'presentation_submitted', 'PT400',
    'type: must be presentation_started, presentation_resumed or presentation_paused', 'an unknown type'),
  ('lead', 'agent', null, 'PT400',
    'type: must be presentation_started, presentation_resumed or presentation_paused', 'no type')
) as wrong (lead, agent, type, code, message, description);
select is(
  (select count(*)::integer from public.lead_activities
   where lead_id in (md5('lead')::uuid, md5('former lead')::uuid)), 3,
    'a refused activity stores nothing');

select * from finish();
rollback;
