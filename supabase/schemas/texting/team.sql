-- What a manager's page shows of the agency's agents.

create view public.team with (security_invoker = true) as
select a.id, a.agency_id, a.first_name, a.last_name, a.role, a.is_active, a.accepts_recruits,
  a.user_id is not null as has_login, coalesce(c.waiting, 0) as waiting, coalesce(c.unread, 0) as unread,
  c.waiting_since, coalesce(l.recruits, 0) as recruits_7_days
from public.agents a
left join (
  select coalesce(w.assigned_agent_id, r.agent_id) as agent_id, count(*)::integer as waiting,
    (count(*) filter (where w.last_message_at > coalesce(read.read_up_to, '-infinity')))::integer as unread,
    min(w.waiting_since) as waiting_since
  from public.recruiting_conversations w
  left join public.recruiting_leads r on r.id = w.recruiting_lead_id
  left join public.conversation_reads read
    on read.conversation_id = w.id and read.agent_id = coalesce(w.assigned_agent_id, r.agent_id)
  where w.agency_id = (select private.managed_agency_id()) and w.waiting_since is not null
  group by 1
) c on c.agent_id = a.id
left join (
  select d.agent_id, count(*)::integer as recruits
  from public.recruiting_orders o
  join public.recruiting_leads d
    on d.agency_id = o.agency_id and d.order_id = o.id and d.distributed_at > now() - interval '7 days'
  where o.agency_id = (select private.managed_agency_id())
  group by d.agent_id
) l on l.agent_id = a.id
where a.agency_id = (select private.managed_agency_id());

comment on view public.team is
  'The agents of a manager''s agency, each with the conversations that wait for an answer of theirs (waiting), how many of '
  'these the agent has not read (unread), since when the first waits (waiting_since; null: none), and the recruits of theirs '
  'that orders have brought in the last 7 days. Ask for pages by the last row, ordered by first_name and id.';
grant select on public.team to authenticated;
