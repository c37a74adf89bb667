-- All that has happened with a recruit, in one list.

create view public.texting_timeline with (security_invoker = true) as
select c.recruiting_lead_id, c.recruit_phone, 'text:' || m.id as id, m.created_at as at, 'text_in' as kind, null::uuid as agent_id,
  jsonb_build_object(
    'conversation_id', c.id, 'body', m.body, 'files', jsonb_array_length(m.media), 'heard', m.heard) as details
from public.recruiting_conversations c
join public.recruiting_messages m on m.conversation_id = c.id and m.direction = 'inbound'
union all
select c.recruiting_lead_id, c.recruit_phone, 'text:' || m.id, m.created_at, 'text_out', m.sent_by, jsonb_build_object(
  'conversation_id', c.id, 'body', m.body, 'files', jsonb_array_length(m.media), 'by', m.sender_type, 'state', s.state,
  'state_at', case s.state
    when 'delivered' then m.delivered_at
    when 'sent' then coalesce(o.accepted_at, m.sent_at)
    when 'refused' then m.failed_at
    when 'failed' then m.failed_at
    when 'sending' then o.attempted_at
    when 'unconfirmed' then o.attempted_at
  end,
  'sent_at', coalesce(o.accepted_at, m.sent_at),
  'reason', case
    when s.state = 'held' and o.due_at <= now() and o.reason is distinct from 'no_account' then 'number_paused'
    when s.state in ('held', 'unconfirmed', 'refused', 'failed') then coalesce(o.reason, m.error_code)
  end,
  'until', case
    when s.state = 'held' and o.due_at > now() or s.state = 'unconfirmed' and isfinite(o.due_at) then o.due_at
  end)
from public.recruiting_conversations c
join public.recruiting_messages m on m.conversation_id = c.id and m.direction = 'outbound'
left join public.text_outbox o on o.message_id = m.id
cross join lateral private.text_state(
  m.status, o.state, o.due_at, case when o.state = 'pending' then
    o.reason is distinct from 'no_account' and private.is_number_active(c.service_phone, c.agency_id) end
) s (state)
union all
select l.id, k.phone, 'consent:' || e.id, e.occurred_at, 'consent', e.agent_id,
  jsonb_build_object('state', e.state, 'source', e.source, 'reason', e.reason)
from public.text_consents k
join public.text_consent_events e on e.agency_id = k.agency_id and e.phone = k.phone
left join public.recruiting_leads l on l.agency_id = k.agency_id and l.phone = k.phone
union all
select g.recruiting_lead_id, null, 'greeting', g.created_at, 'never_queued', null, jsonb_build_object('reason', g.reason)
from public.skipped_greetings g
union all
select a.lead_id, null, 'answer:' || a.question, a.answered_at, 'answer', null,
  jsonb_build_object('question', a.question, 'value', a.value, 'said', a.said)
from public.screening_answers a
union all
select h.recruiting_lead_id, null, 'hands:' || h.id, h.created_at, 'hands', h.by_agent_id, jsonb_build_object(
  'status', h.status, 'from', nullif(concat_ws(' ', f.first_name, f.last_name), ''), 'from_agent_id', h.from_agent_id,
  'to', nullif(concat_ws(' ', t.first_name, t.last_name), ''), 'to_agent_id', h.to_agent_id, 'reason', h.reason)
from public.conversation_assignments h
left join public.agents f on f.id = h.from_agent_id
left join public.agents t on t.id = h.to_agent_id
union all
-- Where the bot gave the conversation to a person, or one took it, it has changed hands.
select c.recruiting_lead_id, c.recruit_phone, 'ended:' || c.id, s.updated_at, 'bot_ended', null, jsonb_build_object('reason', s.reason)
from public.recruiting_conversations c
join public.bot_sessions s on s.conversation_id = c.id
where s.state in ('expired', 'stopped') and s.reason <> 'taken_over' or s.state = 'done' and s.reason <> 'done';

comment on view public.texting_timeline is
  'The texting events of a recruit that the reader may read. recruit_phone: for texts, consents and the bot''s end, so that '
  'those without a lead are found too. kind and details: as in recruit_timeline.';
grant select on public.texting_timeline to authenticated, service_role;

create view public.recruit_timeline with (security_invoker = true) as
select e.recruiting_lead_id, e.id, e.at, e.kind, e.agent_id,
  nullif(concat_ws(' ', a.first_name, a.last_name), '') as agent, e.details
from (
  -- Its id goes before `distributed`, which often has the same time.
  select l.id as recruiting_lead_id, 'arrived' as id, l.created_at as at, 'received' as kind, null::uuid as agent_id,
    '{}'::jsonb as details
  from public.recruiting_leads l
  union all
  select l.id, 'distributed', l.distributed_at, 'distributed', null, '{}'
  from public.recruiting_leads l
  where l.distributed_at is not null
  union all
  select t.recruiting_lead_id, t.id, t.at, t.kind, t.agent_id, t.details
  from public.texting_timeline t
  where t.recruiting_lead_id is not null
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
  select g.recruiting_lead_id, 'given:' || g.id, g.created_at, 'given', null, jsonb_build_object(
    'from', nullif(concat_ws(' ', f.first_name, f.last_name), ''), 'to', nullif(concat_ws(' ', t.first_name, t.last_name), ''))
  from public.lead_assignments g
  left join public.agents f on f.id = g.from_agent_id
  left join public.agents t on t.id = g.to_agent_id
  where g.recruiting_lead_id is not null
) e
left join public.agents a on a.id = e.agent_id;

comment on view public.recruit_timeline is
  'The events of a recruit that the signed-in agent may read. kind: `received`, `distributed`, `text_in`: a text of the '
  'recruit (details: {conversation_id, body|null, files, heard|null}; heard: as recruiting_messages.heard), `text_out`: one of '
  'our texts ({conversation_id, body|null, files, by: bot|agent, state, state_at|null, sent_at|null, reason|null, until|null}; '
  'state: held, due, sending, unconfirmed, refused, sent, delivered or failed; reason: as text_outbox.reason; until: to when '
  'it is held), `never_queued`: a greeting ({reason}), `consent` ({state, source, reason|null}), `bot_ended`: without a person '
  '({reason}), `answer` ({question, value, said}), `note` ({body}), `stage` ({stage}; without an agent: the bot), `call` '
  '({call_id, outcome|null}), `hands`: a conversation changed hands ({status, from|null, from_agent_id|null, to|null, '
  'to_agent_id|null, reason|null}; status `bot`: the bot answers; reason: why the bot gave it away), `given`: an operator gave '
  'the recruit to another agent ({from|null, to|null}). agent: who did it. Ask for one recruiting_lead_id, and for pages by '
  'the last row, ordered by at and id.';
grant select on public.recruit_timeline to authenticated;
