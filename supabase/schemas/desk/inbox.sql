-- The list of conversations that an agent's page shows, and how far its agent has read them.

create function private.recruit_of(recruiting_lead_id uuid, out name text, out email text, out state text, out agent_id uuid)
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  select concat_ws(' ', l.first_name, l.last_name), l.email, l.state, l.agent_id into name, email, state, agent_id
  from public.recruiting_leads l
  where l.id = recruit_of.recruiting_lead_id;
end
$$;

comment on function private.recruit_of(uuid) is
  'The name, e-mail address and state of a conversation''s recruit, and the agent who has the recruit; nulls where there is no '
  'lead. Security definer because an agent who was given the conversation with a colleague''s recruit does not read the '
  'recruit. It returns the name to readers of the conversation. Only the views inbox and inbox_counts call it.';
grant execute on function private.recruit_of(uuid) to authenticated;

create function private.was_stopped(reason text) returns boolean
language plpgsql
immutable
set search_path = ''
as $$
begin
  return reason in (
    'cancelled', 'taken_over', 'answered', 'script_ended', 'switched_off', 'no_lead', 'no_greeting', 'no_consent'
  );
end
$$;

comment on function private.was_stopped(text) is
  'Whether the reason of a text in the outbox says that it was stopped, by somebody or because it was no longer needed. Other '
  'texts that were not sent have failed.';
grant execute on function private.was_stopped(text) to authenticated;

-- What the list and its counts share, without what is read for each row that is shown.
create view private.conversation_states with (security_invoker = true) as
select c.id, c.agency_id, c.status, c.recruit_phone, c.service_phone, c.recruiting_lead_id, c.assigned_agent_id,
  c.waiting_since, c.due_since, c.snoozed_until, c.last_text_at, c.last_message_at,
  case when c.snoozed_until is null then c.waiting_since is not null else c.snoozed_until <= now() end as is_due,
  exists (
    select
    from public.recruiting_messages f
    where f.conversation_id = c.id and f.direction = 'outbound' and f.status = 'failed'
      and not exists (
        select
        from public.recruiting_messages later
        where later.conversation_id = c.id and later.direction = 'outbound' and later.created_at > f.created_at
      )
      and not exists (select from public.text_outbox o where o.message_id = f.id and private.was_stopped(o.reason))
  ) as is_failed,
  exists (
    select
    from public.text_outbox o
    where o.conversation_id = c.id and o.state = 'pending' and o.reason in ('quiet_hours', 'number_paused', 'no_account')
  ) as is_held
from public.recruiting_conversations c;

comment on view private.conversation_states is
  'The conversations that the signed-in agent reads, with what decides in which part of the inbox each is. Only inbox and '
  'inbox_counts read it.';
grant select on private.conversation_states to authenticated;

create view public.inbox with (security_invoker = true) as
select c.id, c.agency_id, c.status, c.recruit_phone, c.service_phone, c.recruiting_lead_id, r.name, r.email, r.state,
  c.assigned_agent_id, nullif(concat_ws(' ', a.first_name, a.last_name), '') as agent,
  coalesce(c.assigned_agent_id, r.agent_id) as agent_id, c.waiting_since, c.due_since, c.last_text_at,
  m.body as last_body, m.direction as last_direction, m.sender_type as last_sender, m.sent_by as last_sent_by,
  w.first_name as last_author, coalesce(jsonb_array_length(m.media), 0) as last_media,
  coalesce(c.last_message_at > coalesce(read.read_up_to, '-infinity'), false) as is_unread,
  -- Not by exists(): the planner would read the opt-outs of all recruits for one page.
  coalesce((
    select t.state = 'opted_out'
    from public.text_consents t
    where t.agency_id = c.agency_id and t.phone = c.recruit_phone
  ), false) as is_opted_out,
  c.snoozed_until, c.is_due, c.is_failed, c.is_held,
  c.status = 'bot' and exists (
    select from public.bot_sessions s where s.conversation_id = c.id and s.state = 'active'
  ) as has_bot
from private.conversation_states c
left join lateral private.recruit_of(c.recruiting_lead_id) r on true
left join public.agents a on a.id = coalesce(c.assigned_agent_id, r.agent_id)
left join lateral (
  select t.body, t.direction, t.sender_type, t.sent_by, t.media
  from public.recruiting_messages t
  where t.conversation_id = c.id
  order by t.created_at desc
  limit 1
) m on true
left join public.agents w on w.id = m.sent_by
left join public.conversation_reads read
  on read.conversation_id = c.id and read.agent_id = (select private.current_agent_id());

comment on view public.inbox is
  'The conversations that the signed-in agent reads, with the recruit, the agent who is to answer (agent_id and agent: the '
  'assigned agent, else the recruit''s) and the latest text (last_sender: recruit, bot or agent; last_author: the first '
  'name of the agent; last_media: how many files). is_unread: the recruit has written since the caller has read it. is_due: '
  'the recruit waits, or snoozed_until has passed. is_failed: our latest text was not delivered, and '
  'was not stopped (was_stopped()). is_held: one of our texts waits for the texting hours or for its number. has_bot: the '
  'bot answers the next text. Ask for one agency_id, and for pages by the last row: ordered by last_text_at and id, or by due_since and id where due_since is not null.';
grant select on public.inbox to authenticated;

create view public.inbox_counts with (security_invoker = true) as
select c.agency_id,
  (count(*) filter (where c.due_since is not null and c.is_due))::integer as waiting,
  (count(*) filter (where c.due_since is not null and c.is_due and c.agent_id = c.reader))::integer as waiting_for_me,
  (count(*) filter (where c.status = 'bot'))::integer as bot,
  (count(*) filter (where c.is_failed))::integer as failed,
  (count(*) filter (where c.is_held))::integer as held,
  count(*)::integer as total,
  (count(*) filter (where c.agent_id = c.reader))::integer as mine,
  (count(*) filter (where c.agent_id is null))::integer as nobody
from (
  -- The recruit is read only where no agent is assigned.
  select s.agency_id, s.status, s.due_since, s.is_due, s.is_failed, s.is_held,
    (select private.current_agent_id()) as reader,
    case when s.assigned_agent_id is null then (select r.agent_id from private.recruit_of(s.recruiting_lead_id) r)
    else s.assigned_agent_id end as agent_id
  from private.conversation_states s
) c
group by c.agency_id;

comment on view public.inbox_counts is
  'How many conversations of inbox are in each part of it: due (waiting), of these those that the signed-in agent is to answer '
  '(waiting_for_me), with the bot, with a latest text that was not delivered (failed), with a text that is held, all (total), of the '
  'signed-in agent (mine) and of no agent (nobody). Ask for one agency_id; without a conversation there is no row.';
grant select on public.inbox_counts to authenticated;

create function public.read_conversation(conversation_id uuid, up_to timestamptz) returns integer
language plpgsql
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.current_agent();
  newly_read integer;
begin
  if caller.id is null then
    raise exception 'only an active agent may read a conversation' using errcode = 'insufficient_privilege';
  elsif up_to is null then
    perform private.invalid_field('up_to', 'is required');
  end if;

  insert into public.conversation_reads as r (conversation_id, agent_id, read_up_to)
  -- A later text is not read yet.
  select c.id, caller.id, least(up_to, now())
  from public.recruiting_conversations c
  where c.id = read_conversation.conversation_id
    and (
      c.assigned_agent_id = caller.id
      or caller.role = 'manager' and c.agency_id = caller.agency_id
      or exists (
        select from public.recruiting_leads l where l.id = c.recruiting_lead_id and l.agent_id = caller.id
      )
    )
  on conflict on constraint conversation_reads_pkey do update
  set read_up_to = greatest(r.read_up_to, excluded.read_up_to);
  if not found then
    raise exception 'conversation_id: there is no such conversation' using errcode = 'PT404';
  end if;

  update public.agent_notifications n
  set read_at = now()
  where n.agent_id = caller.id
    and n.conversation_id = read_conversation.conversation_id
    and n.read_at is null
    -- A text that was fetched later has the provider's time.
    and coalesce((select m.created_at from public.recruiting_messages m where m.id = n.message_id), n.created_at) <= up_to;
  get diagnostics newly_read = row_count;
  return newly_read;
end
$$;

comment on function public.read_conversation(uuid, timestamptz) is
  'Records that the signed-in agent has read a conversation up to the text with this created_at, with microseconds. An earlier '
  'time than before changes nothing. The agent''s notifications about texts up to then are read too; returns how many were not '
  'before. Errors: 22023 (HTTP 400) without up_to; 42501 (403) if the caller is not an active agent; PT404 for a conversation '
  'that the caller may not read. Security definer because agents may not write the tables.';
grant execute on function public.read_conversation(uuid, timestamptz) to authenticated;

create function public.text_hours_of(conversation_id uuid) returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.current_agent();
  conversation public.recruiting_conversations;
  hours record;
begin
  select c.* into conversation
  from public.recruiting_conversations c
  where c.id = text_hours_of.conversation_id and private.may_write(caller, c);
  if not found then
    raise exception 'conversation_id: there is no such conversation' using errcode = 'PT404';
  end if;
  hours := private.sending_hours(conversation, 'agent');
  return jsonb_build_object(
    'at', now(), 'opens_at', hours.opens_at, 'closes_at', hours.closes_at,
    'timezones', (
      select coalesce(jsonb_agg(z.timezone order by z.clock), '[]')
      from (
        select now() at time zone k.timezone as clock, min(k.timezone) as timezone
        from public.area_codes a
        cross join unnest(a.timezones) k (timezone)
        where a.area_code = substring(conversation.recruit_phone from '^\+1([2-9][0-9]{2})[0-9]{7}$')
          or a.state = (select l.state from public.recruiting_leads l where l.id = conversation.recruiting_lead_id)
        group by 1
      ) z
    ));
end
$$;

comment on function public.text_hours_of(uuid) is
  'When a text that the caller writes now would be sent: {at, opens_at, closes_at, timezones}. at: now; opens_at: the same, '
  'or when the quiet hours end, `infinity` where no day is open; closes_at: when they begin, null while the recruit may be '
  'answered at any hour. timezones: those in which the recruit may live, by the area code and the state, one of each time of '
  'day; none where nothing is known. Errors: PT404 for a conversation in which the caller may not write. Security definer '
  'because agents do not read the hours. It first checks that the caller may write in the conversation.';
grant execute on function public.text_hours_of(uuid) to authenticated;

-- The agency's agents as a manager's page shows them.

create view public.team with (security_invoker = true) as
select a.id, a.agency_id, a.first_name, a.last_name, a.role, a.is_active, a.accepts_recruits,
  a.user_id is not null as has_login, coalesce(c.waiting, 0) as waiting, coalesce(c.unread, 0) as unread,
  c.waiting_since, coalesce(l.recruits, 0) as recruits_7_days
from public.agents a
left join (
  select coalesce(w.assigned_agent_id, r.agent_id) as agent_id, count(*)::integer as waiting,
    (count(*) filter (where w.last_message_at > coalesce(read.read_up_to, '-infinity')))::integer as unread,
    min(w.due_since) as waiting_since
  from public.recruiting_conversations w
  left join public.recruiting_leads r on r.id = w.recruiting_lead_id
  left join public.conversation_reads read
    on read.conversation_id = w.id and read.agent_id = coalesce(w.assigned_agent_id, r.agent_id)
  where w.agency_id = (select private.managed_agency_id()) and w.due_since is not null
    and (w.snoozed_until is null or w.snoozed_until <= now())
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
  'The agents of a manager''s agency, each with the conversations that are due for them (waiting), how many of these the agent '
  'has not read (unread), since when the first waits (waiting_since; null: none), and the number of their recruits from orders '
  'in the last 7 days. For pages, continue after the last row, ordered by first_name and id.';
grant select on public.team to authenticated;
