-- Recruits who wait for an answer: operators get an alert, and agents and managers a notification.

create function private.find_recruit_waiting(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language sql
stable
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
  select
    c.id::text, jsonb_build_object('agency', a.name, 'since', c.waiting_since, 'minutes', w.minutes),
    format('conversation %s of %s', left(c.id::text, 8), a.name),
    'a recruit waits for an answer since ' || private.in_utc(c.waiting_since), 'text waiting', '/operator/recruits', c.agency_id
  from public.recruiting_conversations c
  join public.agencies a on a.id = c.agency_id
  -- A recruit in a snoozed conversation waits from the end of the snooze.
  cross join lateral private.waited_minutes(a, greatest(c.waiting_since, c.snoozed_until), checked_at) w (minutes)
  where c.waiting_since is not null
    and c.due_since <= checked_at - make_interval(secs => (threshold ->> 'minutes')::double precision * 60)
    and (c.snoozed_until is null or c.snoozed_until <= checked_at)
    and w.minutes >= (threshold ->> 'minutes')::numeric
    and private.texting_ban(c.agency_id, c.recruit_phone, c.recruiting_lead_id) is null
$$;

comment on function private.find_recruit_waiting(jsonb, timestamptz) is
  'The conversations in which a recruit has waited for {minutes} of the agency''s hours. Nobody waits who was answered, by a '
  'person or the bot, needs no reply, has opted out, or is suppressed. An answer that is put off is not waited for until then.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label, summary, severity) values (
  'recruit_waiting', 'find_recruit_waiting', '{"minutes": 15, "managers_after": 60}',
  'Recruits who wait', 'The agent and the managers were notified. Ask them.',
  'See the recruits who wait',
  '%s recruits of %s wait',
  1);

create function private.recruit_notifications_due()
returns table (conversation_id uuid, message_id uuid, agent_id uuid)
language sql
stable
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
  select c.id, m.id, t.agent_id
  from public.alerts a
  join public.alert_rules r on r.kind = a.kind
  join public.recruiting_conversations c on c.id = a.subject::uuid
  -- The text since which the recruit waits
  cross join lateral (
    select i.id
    from public.recruiting_messages i
    where i.conversation_id = c.id and i.direction = 'inbound' and i.created_at >= c.waiting_since
    order by i.created_at, i.id
    limit 1
  ) m
  left join public.agents assigned on assigned.id = c.assigned_agent_id and assigned.is_active
  left join public.recruiting_leads l on l.id = c.recruiting_lead_id
  left join public.agents of_lead on of_lead.id = l.agent_id and of_lead.is_active
  cross join lateral (
    select coalesce(assigned.id, of_lead.id) as agent_id
    union
    select g.id
    from public.agents g
    where g.agency_id = c.agency_id and g.role = 'manager' and g.is_active
      and (
        coalesce(assigned.id, of_lead.id) is null
        or (a.details ->> 'minutes')::numeric >= (r.threshold ->> 'managers_after')::numeric
      )
  ) t
  where a.kind = 'recruit_waiting'
    and a.state <> 'resolved'
    and t.agent_id is not null
    and not exists (
      select
      from public.agent_notifications n
      where n.message_id = m.id and n.kind = 'recruit_waiting' and n.agent_id = t.agent_id
    )
$$;

comment on function private.recruit_notifications_due() is
  'The agents to be notified of waiting recruits, by their alerts: the assigned agent, else the lead''s, else each manager, if '
  'active; after {managers_after} minutes each manager. With the text since which the recruit waits.';

create function private.notify_of_waiting_recruits() returns void
language plpgsql
set search_path = ''
-- Locked rows follow the next time.
set lock_timeout = '100ms'
as $$
declare
  locked uuid[];
begin
  update public.agent_notifications n
  set read_at = now()
  from public.recruiting_conversations c
  join public.recruiting_messages m on m.conversation_id = c.id
  where n.kind = 'recruit_waiting' and n.read_at is null and c.id = n.conversation_id and m.id = n.message_id
    and (c.waiting_since is null or c.waiting_since > m.created_at or c.snoozed_until > now());

  -- If a conversation goes to another agent, its notification goes along, or is already that agent's.
  locked := array(
    select c.id
    from public.recruiting_conversations c
    where c.id in (select u.conversation_id from private.recruit_notifications_due() u)
    order by c.id
    limit 1000
    for share skip locked
  );
  if locked = '{}' then
    return;
  end if;
  insert into public.agent_notifications (agent_id, conversation_id, message_id, kind)
  select u.agent_id, u.conversation_id, u.message_id, 'recruit_waiting'
  from private.recruit_notifications_due() u
  where u.conversation_id = any (locked)
  on conflict on constraint agent_notifications_message_id_kind_agent_id_key do nothing;
exception when others then
  raise warning 'nobody is notified of waiting recruits yet (SQLSTATE %)', sqlstate;
end
$$;

comment on function private.notify_of_waiting_recruits() is
  'Notifies agents and managers of recruits who wait, of up to 1,000 conversations, once for each text. Never fails: '
  'notifications that cannot be sent now are sent the next time. Notifications of recruits who no longer wait count as read. '
  'check_alerts() calls it.';
