-- The lists of settings that managers of the agency and operators read (desk_lists.sql says how).

create view private.agency_list as
select a.id, a.name, a.timezone, a.opens_at, a.closes_at,
  to_char(a.opens_at, 'HH24:MI') || '-' || to_char(a.closes_at, 'HH24:MI') as hours,
  (select count(*)::int from public.agents g where g.agency_id = a.id and g.is_active) as active_agents,
  (select count(*)::int from public.recruiting_orders o where o.agency_id = a.id and o.status = 'open') as open_orders,
  a.created_at,
  (select coalesce(sum(o.filled), 0)::int from public.recruiting_orders o where o.agency_id = a.id and o.status = 'open') as filled,
  (select coalesce(sum(o.quantity), 0)::int from public.recruiting_orders o where o.agency_id = a.id and o.status = 'open') as quantity,
  (select count(*)::int from public.service_numbers n where n.agency_id = a.id) as numbers,
  (select count(*)::int from public.service_numbers n where n.agency_id = a.id and n.status = 'paused') as paused_numbers,
  (select b.script is not null from public.bot_scripts b where b.agency_id = a.id order by b.version desc limit 1) is true as has_bot,
  (
    select count(*)::int from public.recruiting_conversations c
    where c.agency_id = a.id and c.due_since is not null and c.waiting_since is not null
  ) as waiting,
  (select count(*)::int from public.destinations d where d.agency_id = a.id and d.agent_id is null) as destinations
from public.agencies a
where (select private.may_operate()) or a.id = (select private.managed_agency_id());

grant select on private.agency_list to authenticated, service_role;

create view public.agency_list with (security_invoker = true) as select * from private.agency_list;

comment on view public.agency_list is
  'Agencies, with their active agents and open orders; for a manager the own one. hours: when agents answer recruits, Monday '
  'to Friday. filled and quantity: the leads of the open orders, so far and in all; has_bot: whether the bot is on; waiting: the '
  'recruits who wait for an answer; destinations: not those of its agents.';
grant select on public.agency_list to authenticated, service_role;

create view private.agent_list as
select a.id, a.agency_id, g.name as agency, a.first_name, a.last_name,
  concat_ws(' ', a.first_name, a.last_name) as agent, a.email, a.phone, a.role, a.is_active, a.accepts_recruits,
  a.user_id, a.last_assigned_at,
  case when a.away_until > now() then to_char(a.away_until at time zone g.timezone, 'YYYY-MM-DD') end as away_until,
  a.away_until as away_until_time,
  case when u.id is null then 'none' when u.email_confirmed_at is null then 'invited' else 'works' end as login,
  a.mail_about,
  (select count(*)::int from public.push_subscriptions s where s.agent_id = a.id) as push_browsers
from public.agents a
join public.agencies g on g.id = a.agency_id
left join auth.users u on u.id = a.user_id
where (select private.may_operate()) or a.agency_id = (select private.managed_agency_id());

grant select on private.agent_list to authenticated, service_role;

create view public.agent_list with (security_invoker = true) as select * from private.agent_list;

comment on view public.agent_list is
  'Agents, with the name of their agency; for a manager those of the own one. away_until: the day, in its time zone, at whose '
  'start the agent is back; away_until_time: agents.away_until as it is stored; login: none, invited (the link waits) or '
  'works; mail_about: agents.mail_about; push_browsers: the number of browsers to which the agent''s notifications are pushed.';
grant select on public.agent_list to authenticated, service_role;

create view private.bot_script_list as
select b.id, b.agency_id, b.version, b.script, b.published_at
from public.bot_scripts b
where (select private.may_operate()) or b.agency_id = (select private.managed_agency_id());

grant select on private.bot_script_list to authenticated, service_role;

create view public.bot_script_list with (security_invoker = true) as select * from private.bot_script_list;

comment on view public.bot_script_list is
  'The scripts that an agency has published, for its managers and operators. script: null where the bot was switched off. For '
  'pages, continue after the last row, ordered by version, descending.';
grant select on public.bot_script_list to authenticated, service_role;

create view private.number_list as
select n.phone, n.agency_id, g.name as agency, n.status, n.paused_reason, n.messaging_service_sid,
  n.segments_per_second::float8 as segments_per_second,
  (select count(*)::int from public.recruiting_conversations c where c.service_phone = n.phone) as conversations,
  held.waiting, held.waiting_since
from public.service_numbers n
join public.agencies g on g.id = n.agency_id
cross join lateral (
  select count(*)::int as waiting, min(o.created_at) as waiting_since
  from public.text_outbox o
  where o.service_phone = n.phone and o.state = 'pending'
) held
where (select private.may_operate()) or n.agency_id = (select private.managed_agency_id());

grant select on private.number_list to authenticated, service_role;

create view public.number_list with (security_invoker = true) as select * from private.number_list;

comment on view public.number_list is
  'Our numbers; for a manager those of the own agency. waiting: the texts that are to be sent from them, the '
  'oldest written at waiting_since.';
grant select on public.number_list to authenticated, service_role;

create view private.quick_reply_list as
select q.id, q.agency_id, q.shortcut, q.body, q.updated_at
from public.quick_replies q
where (select private.may_operate()) or q.agency_id = (select private.managed_agency_id());

grant select on private.quick_reply_list to authenticated, service_role;

create view public.quick_reply_list with (security_invoker = true) as select * from private.quick_reply_list;

comment on view public.quick_reply_list is
  'The quick replies of an agency, for its managers and operators. For pages, continue after the last row, ordered by shortcut '
  'and id.';
grant select on public.quick_reply_list to authenticated, service_role;

create view private.agency_change_list as
select c.id, c.agency_id, c.created_at, c.agent_id, c.changed_by, c.action, c.subject_id,
  coalesce(
    (select concat_ws(' ', a.first_name, a.last_name) from public.agents a where a.id = c.subject_id),
    (select g.name from public.agencies g where g.id = c.subject_id),
    (select d.name from public.destinations d where d.id = c.subject_id),
    (select q.shortcut from public.quick_replies q where q.id = c.subject_id),
    c.before ->> 'name', c.before ->> 'shortcut') as subject,
  c.before, c.after
from public.agency_changes c
where (select private.may_operate()) or c.agency_id = (select private.managed_agency_id());

grant select on private.agency_change_list to authenticated, service_role;

create view public.agency_change_list with (security_invoker = true) as select * from private.agency_change_list;

comment on view public.agency_change_list is
  'The rows of agency_changes, for the managers of the agency and operators, with the name of what has changed: subject, null '
  'where it is gone. For pages, continue after the last row, ordered by created_at and id, both descending.';
grant select on public.agency_change_list to authenticated, service_role;
