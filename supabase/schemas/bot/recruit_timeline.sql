-- All that has happened with a recruit, in one list.

create function private.current_timezone() returns text
language sql
stable
-- Agents may not read their agency.
security definer
set search_path = ''
as $$
  select a.timezone from public.agencies a where a.id = private.current_agency_id()
$$;

comment on function private.current_timezone() is 'The time zone of the agency of the active agent who is signed in, or null.';
grant execute on function private.current_timezone() to authenticated;

create view public.recruit_timeline with (security_invoker = true) as
select e.recruiting_lead_id, e.id, e.at, e.kind, e.agent_id,
  nullif(concat_ws(' ', a.first_name, a.last_name), '') as agent, e.details
from (
  select l.id as recruiting_lead_id, 'received' as id, l.created_at as at, 'received' as kind, null::uuid as agent_id,
    '{}'::jsonb as details
  from public.recruiting_leads l
  union all
  select l.id, 'distributed', l.distributed_at, 'distributed', null, '{}'
  from public.recruiting_leads l
  where l.distributed_at is not null
  union all
  select t.recruiting_lead_id, concat_ws(':', 'texts', t.conversation_id, t.day), t.at, 'texts', null, jsonb_build_object(
    'conversation_id', t.conversation_id, 'from_recruit', t.from_recruit, 'from_us', t.from_us)
  from (
    select c.recruiting_lead_id, c.id as conversation_id,
      (m.created_at at time zone coalesce((select private.current_timezone()), 'UTC'))::date as day,
      min(m.created_at) as at,
      count(*) filter (where m.direction = 'inbound') as from_recruit,
      count(*) filter (where m.direction = 'outbound') as from_us
    from public.recruiting_conversations c
    join public.recruiting_messages m on m.conversation_id = c.id
    where c.recruiting_lead_id is not null
    group by 1, 2, 3
  ) t
  union all
  select s.lead_id, 'answer:' || s.question, s.answered_at, 'answer', null,
    jsonb_build_object('question', s.question, 'value', s.value, 'said', s.said)
  from public.screening_answers s
  union all
  select n.recruiting_lead_id, 'note:' || n.id, n.created_at, 'note', n.agent_id, jsonb_build_object('body', n.body)
  from public.recruit_notes n
  union all
  select s.recruiting_lead_id, 'stage:' || s.id, s.created_at, 'stage', s.agent_id, jsonb_build_object('stage', s.stage)
  from public.recruit_stages s
  union all
  select c.recruiting_lead_id, 'call:' || c.id, c.created_at, 'call', c.agent_id,
    jsonb_build_object('call_id', c.id, 'outcome', c.outcome)
  from public.recruit_calls c
  union all
  select h.recruiting_lead_id, 'hands:' || h.id, h.created_at, 'hands', h.by_agent_id, jsonb_build_object(
    'status', h.status, 'from', nullif(concat_ws(' ', f.first_name, f.last_name), ''), 'from_agent_id', h.from_agent_id,
    'to', nullif(concat_ws(' ', t.first_name, t.last_name), ''), 'to_agent_id', h.to_agent_id)
  from public.conversation_assignments h
  left join public.agents f on f.id = h.from_agent_id
  left join public.agents t on t.id = h.to_agent_id
  union all
  select g.recruiting_lead_id, 'given:' || g.id, g.created_at, 'given', null, jsonb_build_object(
    'from', nullif(concat_ws(' ', f.first_name, f.last_name), ''), 'to', nullif(concat_ws(' ', t.first_name, t.last_name), ''))
  from public.lead_assignments g
  left join public.agents f on f.id = g.from_agent_id
  left join public.agents t on t.id = g.to_agent_id
  where g.recruiting_lead_id is not null
) e
left join public.agents a on a.id = e.agent_id;

comment on view public.recruit_timeline is
  'What has happened with a recruit, as the signed-in agent reads it. kind: `received`, `distributed`, `texts` (details: '
  '{conversation_id, from_recruit, from_us}, how many on a day of the agency, at the first of them), `answer` ({question, '
  'value, said}), `note` ({body}), `stage` ({stage}; without an agent: the bot), `call` ({call_id, outcome|null}), `hands`: a conversation '
  'changed hands ({status, from|null, from_agent_id|null, to|null, to_agent_id|null}; status `bot`: the bot answers), `given`: an operator gave the '
  'recruit to another agent ({from|null, to|null}). agent: who did it. Ask for one recruiting_lead_id, and for pages by the last row, ordered by at and id.';
grant select on public.recruit_timeline to authenticated;
