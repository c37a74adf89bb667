-- A recruit's stage, calls and timeline, and who may see and change them.
begin;
create extension if not exists dblink with schema extensions;
select plan(46);
\ir ../helpers.psql
-- The seed has some.
delete from public.recruit_stages;

select pg_temp.create_people(), pg_temp.create_vendor('vendor');
insert into public.agents (id, agency_id, user_id, first_name)
values (md5('dan')::uuid, md5('agency')::uuid, md5('user visitor')::uuid, 'dan');
insert into public.recruiting_leads (id, vendor_id, first_name, agency_id, agent_id)
values (md5('ada')::uuid, md5('vendor')::uuid, 'Ada', md5('agency')::uuid, md5('ann')::uuid);
select pg_temp.create_conversation('talk', '+19995550001', '+19995550100', 'cal', lead => 'ada');
insert into public.recruit_notes (recruiting_lead_id, agent_id, body) values (md5('ada')::uuid, md5('ann')::uuid, 'Calls at noon');

create function pg_temp.attempt(name text, query text) returns text language sql as $$
  select pg_temp.result_as(name, 'select ' || query)
$$;
create function pg_temp.set_stage(name text, stage text) returns text language sql as $$
  select pg_temp.attempt(name, format('public.set_recruit_stage(%L, %L) ->> ''stage''', md5('ada')::uuid, stage))
$$;
create function pg_temp.sees_ada(name text) returns text language sql as $$
  select pg_temp.attempt(name, format('count(*) from public.recruiting_leads where id = %L', md5('ada')::uuid))
$$;

-- Reading
select is(pg_temp.sees_ada(name), expected, format('%s reads the recruit: %s', name, expected))
from (values ('ann', '1'), ('cal', '1'), ('mia', '1'), ('visitor', '0'), ('former', '0'), ('eve', '0'), ('otto', '0')) p (name, expected);
select is(pg_temp.attempt(name, 'count(*) from public.recruit_notes'), expected, format('%s reads the notes: %s', name, expected))
from (values ('ann', '1'), ('cal', '1'), ('mia', '1'), ('visitor', '0'), ('otto', '0')) p (name, expected);

-- Setting a stage
select is(pg_temp.set_stage('ann', 'new'), 'new', 'a recruit is new');
select is_empty('select from public.recruit_stages', 'which takes no row');
select is(pg_temp.set_stage('ann', 'contacted'), 'contacted', 'the recruit''s agent sets a stage');
select is(pg_temp.set_stage('cal', 'interview'), 'interview', 'the agent who has the conversation sets a stage');
select is(pg_temp.set_stage('mia', 'licensed'), 'licensed', 'a manager sets a stage');
select is(pg_temp.set_stage('ann', 'licensed'), 'licensed', 'the same stage again is the same');
select results_eq(
  $$select s.stage, a.first_name, s.ended_at is null
    from public.recruit_stages s join public.agents a on a.id = s.agent_id order by s.created_at$$,
  $$values ('contacted', 'ann', false), ('interview', 'cal', false), ('licensed', 'mia', true)$$,
  'each stage has its row, with who has set it; the same stage again changes nothing');
select is(pg_temp.set_stage(name, 'hired'), expected, format('%s sets a stage: %s', name, expected))
from (values
  ('visitor', 'PT404 recruiting_lead_id: there is no such recruit'), ('otto', 'PT404 recruiting_lead_id: there is no such recruit'),
  ('former', '42501 only an active agent may write to recruits'), ('anon', '42501 permission denied for function set_recruit_stage')
) p (name, expected);
select is(pg_temp.set_stage('ann', stage), '22023 stage: must be one of new, contacted, interview, licensed, hired, lost', 'an unknown stage names the field')
from (values ('retired'), (null)) s (stage);

-- Calls
create function pg_temp.dial(name text, call text, outcome text default null) returns text language sql as $$
  select pg_temp.attempt(name, format(
    'coalesce(public.record_call(%L, %L, %L) ->> ''outcome'', ''none'')', md5('ada')::uuid, md5(call)::uuid, outcome))
$$;
select is(pg_temp.dial('ann', 'one'), 'none', 'a call is recorded without an outcome');
select is(pg_temp.dial('ann', 'one', 'no_answer'), 'no_answer', 'then with one');
select is(pg_temp.dial('ann', 'one'), 'no_answer', 'a repeat without one keeps it');
select is((select count(*)::integer from public.recruit_calls), 1, 'all of these are one call');
select cmp_ok(
  (select count(*)::integer from realtime.messages
    where topic = 'agency:' || md5('agency')::uuid and payload ->> 'timeline_id' = 'call:' || md5('one')::uuid), '>=', 2,
  'open pages hear of the call, and of its outcome');
select is(pg_temp.dial('cal', 'one'), 'PT409 call_id: another call has this id', 'the id of another''s call is refused');
select is(pg_temp.dial('ann', 'two', 'asleep'), '22023 outcome: must be one of reached, no_answer, left_message, wrong_number',
  'an unknown outcome names the field');
select is(pg_temp.dial('ann', null), '22023 call_id: is required', 'a call has an id');
select is(pg_temp.dial('visitor', 'two'), 'PT404 recruiting_lead_id: there is no such recruit', 'nobody else records a call');

-- The timeline
insert into public.recruiting_messages (conversation_id, direction, sender_type, created_at)
select md5('talk')::uuid, direction, sender, at::timestamptz
from (values
  ('inbound', 'recruit', '2026-01-01 10:00+00'), ('outbound', 'bot', '2026-01-01 11:00+00'), ('inbound', 'recruit', '2026-01-02 10:00+00')
) m (direction, sender, at);
insert into public.screening_answers (lead_id, question, value, said) values (md5('ada')::uuid, 'licensed', '"yes"', 'Yes');
select pg_temp.become('cal');
select results_eq(
  $$select kind, agent, details - 'conversation_id' - 'call_id' from public.recruit_timeline
    where recruiting_lead_id = md5('ada')::uuid order by kind, at$$,
  $$values
    ('answer', null, '{"question": "licensed", "value": "yes", "said": "Yes"}'::jsonb),
    ('call', 'ann', '{"outcome": "no_answer"}'), ('note', 'ann', '{"body": "Calls at noon"}'), ('received', null, '{}'),
    ('stage', 'ann', '{"stage": "contacted"}'), ('stage', 'cal', '{"stage": "interview"}'), ('stage', 'mia', '{"stage": "licensed"}'),
    ('text_in', null, '{"body": null, "files": 0, "heard": null}'), ('text_in', null, '{"body": null, "files": 0, "heard": null}'),
    ('text_out', null, '{"body": null, "files": 0, "by": "bot", "state": "sent", "state_at": null, "sent_at": null, "reason": null, "until": null}')$$,
  'the timeline has all of it');
reset role;
update public.recruiting_leads l set distributed_at = l.created_at where l.id = md5('ada')::uuid;
select results_eq(
  $$select kind from public.recruit_timeline
    where recruiting_lead_id = md5('ada')::uuid and kind in ('received', 'distributed') order by at, id$$,
  $$values ('received'), ('distributed')$$, 'a recruit is received before it is distributed, also in one transaction');

-- Changes of hands
select pg_temp.attempt('mia', format('public.assign_conversation(%L, %L)', md5('talk')::uuid, md5('ann')::uuid));
select pg_temp.attempt('mia', format('public.assign_conversation(%L, %L)', md5('talk')::uuid, md5('mia')::uuid));
select pg_temp.attempt('mia', format('(public.hand_back_to_bot(%L))::text', md5('talk')::uuid));
update public.recruiting_conversations set last_text_at = now() where id = md5('talk')::uuid;
insert into public.lead_assignments (recruiting_lead_id, from_agent_id, to_agent_id, assigned_by)
values (md5('ada')::uuid, md5('ann')::uuid, md5('cal')::uuid, 'olivia');
select pg_temp.become('ann');
select is(
  (select string_agg(concat_ws(' ', kind, agent, details ->> 'from', '>', details ->> 'to', details ->> 'status'), ', ' order by at)
    from public.recruit_timeline where recruiting_lead_id = md5('ada')::uuid and kind in ('hands', 'given')),
  'given ann > cal, hands mia cal > ann escalated, hands mia ann > mia escalated, hands mia mia > mia bot',
  'the timeline has each change of hands');
reset role;
-- As assign_leads() and agent_leave() do.
update public.recruiting_conversations set assigned_agent_id = md5('cal')::uuid where id = md5('talk')::uuid and status = 'bot';
select is(
  (select count(*)::integer from public.conversation_assignments where conversation_id = md5('talk')::uuid), 3,
  'what the bot has stays with it when another agent is to answer after it');
select pg_temp.become('ann');
select throws_ok('select assigned_by from public.lead_assignments', '42501', null, 'who the operator is, no agent reads');
reset role;

-- The bot
insert into public.recruiting_leads (id, vendor_id, first_name, agency_id)
values (md5('ben')::uuid, md5('vendor')::uuid, 'Ben', md5('agency')::uuid);
select pg_temp.create_conversation('botted', '+19995550002', '+19995550100', lead => 'ben');
insert into public.bot_scripts (id, agency_id, version, script) values (md5('script')::uuid, md5('agency')::uuid, 1, null);
create function pg_temp.answer(question text) returns void language plpgsql as $$
begin
  perform private.carry_out_step(
    (select c from public.recruiting_conversations c where c.id = md5('botted')::uuid), null, null, md5('script')::uuid,
    jsonb_build_object('answered', jsonb_build_array(jsonb_build_object('question', question, 'value', 'yes', 'said', 'Yes'))));
end
$$;
select pg_temp.answer('licensed');
select results_eq(
  $$select stage, agent_id from public.recruit_stages where recruiting_lead_id = md5('ben')::uuid$$,
  $$values ('contacted', null::uuid)$$, 'the first answer to the bot makes a recruit contacted');
select pg_temp.become('mia');
select public.set_recruit_stage(md5('ben')::uuid, 'lost');
reset role;
select pg_temp.answer('hours');
select results_eq(
  $$select stage from public.recruit_stages where recruiting_lead_id = md5('ben')::uuid and ended_at is null$$,
  array['lost'], 'a later answer does not take back what a person has set');

-- Plans
set local enable_seqscan = off;
grant execute on function pg_temp.plan_of(text) to authenticated;
select pg_temp.become('ann');
select matches(
  pg_temp.plan_of($$select l.id from public.recruiting_leads l join public.recruit_stages s on s.recruiting_lead_id = l.id
    where s.agency_id = md5('agency')::uuid and s.stage = 'hired' and s.ended_at is null and l.agent_id = md5('ann')::uuid$$),
  'recruit_stages_(agency_id_stage_ended_at_recruiting_lead_id|current)_idx', 'recruits of a stage are read by an index');
select matches(
  pg_temp.plan_of('select * from public.recruiting_leads'), 'BitmapOr.*recruiting_leads_agent_idx.*recruiting_leads_pkey',
  'reading recruits uses indexes, also for those that are assigned');
select doesnt_match(
  pg_temp.plan_of($$select * from public.recruit_timeline where recruiting_lead_id = md5('ada')::uuid
    order by at desc, id desc limit 50$$),
  'Seq Scan on (recruit|screening)', 'the timeline of a recruit reads that recruit''s rows');
reset role;
set local enable_seqscan = on;

-- Two at once, who each commit
select pg_temp.create_committed('stages', 'stage ann');
select pg_temp.commit_of('stages', $sql$
  insert into public.recruiting_leads (id, vendor_id, first_name, agency_id, agent_id)
  values ({id}, {id}, 'Race', {id}, md5('stage ann')::uuid)$sql$);
select * from pg_temp.race(3, $work$ do $do$ begin
  perform set_config('request.jwt.claims', json_build_object('sub', md5('user stage ann')::uuid)::text, false);
  for n in 1..40 loop
    if {worker} = 3 then
      insert into public.recruit_stages (recruiting_lead_id, agency_id, stage)
      values (md5('stages')::uuid, md5('stages')::uuid, 'contacted') on conflict do nothing;
    else
      perform public.set_recruit_stage(md5('stages')::uuid, case when (n + {worker}) % 2 = 0 then 'hired' else 'lost' end);
    end if;
    commit;
  end loop;
end $do$ $work$);
select is(
  (select count(*)::integer from public.recruit_stages where recruiting_lead_id = md5('stages')::uuid and ended_at is null), 1,
  'of many that are set at once one is the stage');
select is_empty(
  $$select from (
      select stage, lag(stage) over (order by created_at, ended_at nulls last) as before from public.recruit_stages
      where recruiting_lead_id = md5('stages')::uuid
    ) s where stage = before$$, 'and none follows itself');
select pg_temp.remove_committed('stages');

select * from finish();
rollback;
