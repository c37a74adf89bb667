-- The table of recruits on the pages of agents and managers.

create view public.recruit_rows with (security_invoker = true) as
select l.id, l.agency_id, l.agent_id, l.first_name, l.last_name, l.phone, l.email, l.state, l.created_at, l.resume_path,
  l.vendor_metadata,
  -- Each value is a sub-select, which Postgres evaluates after it has sorted and cut the list.
  private.vendor_name(l.vendor_id) as vendor,
  (select concat_ws(' ', a.first_name, a.last_name) from public.agents a where a.id = l.agent_id) as agent,
  coalesce(
    (select s.stage from public.recruit_stages s where s.recruiting_lead_id = l.id and s.ended_at is null),
    'new') as stage,
  (select max(c.last_text_at) from public.recruiting_conversations c where c.recruiting_lead_id = l.id) as last_text_at,
  (
    select c.id from public.recruiting_conversations c where c.recruiting_lead_id = l.id order by c.last_text_at desc limit 1
  ) as conversation_id,
  (
    select min(c.waiting_since)
    from public.recruiting_conversations c
    where c.recruiting_lead_id = l.id and (c.snoozed_until is null or c.snoozed_until <= now())
  ) as waiting_since,
  array(
    select n.id
    from public.agent_notifications n
    where n.lead_id = l.id and n.agent_id = (select private.current_agent_id()) and n.kind = 'lead' and n.read_at is null
  ) as unread,
  -- The orders of the table. Keyset pages need values that are never null, in the order of a page's own comparison.
  lower(concat_ws(' ', l.first_name, l.last_name)) collate "C" as by_name,
  coalesce(l.phone, '') collate "C" as by_phone,
  coalesce(l.state, '') collate "C" as by_state,
  lower(coalesce(private.vendor_name(l.vendor_id), '')) collate "C" as by_vendor,
  array_position(array['new', 'contacted', 'interview', 'licensed', 'hired', 'lost'], coalesce(
    (select s.stage from public.recruit_stages s where s.recruiting_lead_id = l.id and s.ended_at is null),
    'new')) as by_stage,
  coalesce(
    (select lower(concat_ws(' ', a.first_name, a.last_name)) from public.agents a where a.id = l.agent_id),
    '') collate "C" as by_agent,
  coalesce(
    (select max(c.last_text_at) from public.recruiting_conversations c where c.recruiting_lead_id = l.id),
    '-infinity') as by_text
from public.recruiting_leads l;

comment on view public.recruit_rows is
  'The recruits that the signed-in agent reads, with the names of the vendor and the agent (null: none), the stage, the time of '
  'the latest text and its conversation (null: none), since when the recruit waits for an answer (waiting_since; null: does not, '
  'or is snoozed), and unread: the ids of the caller''s unread notifications about the recruit as a new one. Ask '
  'for one agency_id, and for pages by the last row, ordered by created_at or by a column by_… and id.';
grant select on public.recruit_rows to authenticated;
