-- The notifications of agents.

create table public.agent_notifications (
  id uuid primary key default gen_random_uuid(),
  agent_id uuid not null references public.agents (id),
  conversation_id uuid references public.recruiting_conversations (id) on delete cascade,
  message_id uuid references public.recruiting_messages (id) on delete cascade,
  lead_id uuid references public.recruiting_leads (id) on delete cascade,
  kind text not null check (kind in ('text', 'opt_out', 'failed', 'handoff', 'taken_over', 'asked_for', 'lead', 'unmatched_text',
    'recruit_waiting', 'destination_off')),
  reason text,
  urgent boolean not null generated always as (coalesce(kind = 'handoff' and reason = 'distress', false)) stored,
  day date,
  by_agent_id uuid references public.agents (id),
  others integer check (others > 0),
  created_at timestamptz not null default now(),
  read_at timestamptz,
  unique (message_id, kind, agent_id),
  -- One for all texts of a recruit in a day.
  unique (lead_id, agent_id, day),
  check ((kind in ('lead', 'unmatched_text', 'destination_off')) = (conversation_id is null)),
  check ((kind in ('lead', 'unmatched_text')) = (lead_id is not null)),
  check ((kind = 'unmatched_text') = (day is not null)),
  check ((kind in ('taken_over', 'asked_for')) = (by_agent_id is not null)),
  check (others is null or kind in ('taken_over', 'handoff'))
);

create index on public.agent_notifications (agent_id, created_at);
create index agent_notifications_unread_idx on public.agent_notifications (agent_id, created_at) where read_at is null;
create index on public.agent_notifications (conversation_id);
create index on public.agent_notifications (by_agent_id) where by_agent_id is not null;
create index agent_notifications_recruit_waiting_idx on public.agent_notifications (conversation_id)
  where kind = 'recruit_waiting' and read_at is null;
-- However often a colleague asks, a manager is asked once until that is read.
create unique index agent_notifications_asked_for_idx
  on public.agent_notifications (conversation_id, agent_id, by_agent_id)
  where kind = 'asked_for' and read_at is null;

comment on table public.agent_notifications is
  'The notifications of an agent: about a text that the bot does not answer, with which it is stored; or about a lead, within '
  'some seconds. Realtime only says that there is a row: clients read the unread rows on every connect.';
comment on column public.agent_notifications.message_id is
  'The message that it is about; null for a lead, an unmatched text, and where only time has passed.';
comment on column public.agent_notifications.lead_id is
  'The recruit who was distributed, or has written; only with `lead` and `unmatched_text`.';
comment on column public.agent_notifications.day is
  'The day of the agency on which the recruit has written; only with `unmatched_text`.';
comment on column public.agent_notifications.kind is
  '`text`: the recruit has written; `opt_out`: and wants no texts any more; `failed`: a text could not be sent; '
  '`handoff`: the bot''s script has ended, or a colleague has given the conversation; `taken_over`: a colleague has it '
  'now; `asked_for`: a colleague asks for it; `lead`: a recruit was distributed to the agent, or the agency; '
  '`unmatched_text`: a recruit without a conversation has written (see waiting_texts); `recruit_waiting`: a recruit has '
  'waited for an answer for long (see notify_of_waiting_recruits()); `destination_off`: the service has switched off a '
  'destination of the agency.';
comment on column public.agent_notifications.reason is 'With `handoff`: as in bot_sessions.reason, or `assigned`; with `destination_off`: the name of the destination; '
  'with `lead`: `came_again` where the agent, or the agency, has the person already (repeat_rules).';
comment on column public.agent_notifications.urgent is
  'Whether the recruit may be in danger, so that a page shows it before the others, with the number of the 988 Lifeline.';
comment on column public.agent_notifications.by_agent_id is
  'With `taken_over`: who has the conversation now; with `asked_for`: who asks for it.';
comment on column public.agent_notifications.others is
  'How many further conversations went to another agent together with this one, and have no notification of their own; null: none.';
comment on column public.agent_notifications.read_at is 'When the agent has read it, or a recruit stopped waiting; null: not yet.';

alter table public.agent_notifications enable row level security;
grant select on public.agent_notifications to authenticated;
grant select, insert, update, delete on public.agent_notifications to service_role;

create policy "agents read their own notifications" on public.agent_notifications
  for select to authenticated
  using (agent_id = (select private.current_agent_id()));

create table private.waiting_notifications (
  id uuid primary key default gen_random_uuid(),
  conversation_id uuid references public.recruiting_conversations (id) on delete cascade,
  message_id uuid references public.recruiting_messages (id) on delete cascade,
  unmatched_text_id uuid references public.unmatched_texts (id) on delete cascade,
  kind text not null,
  reason text,
  created_at timestamptz not null default clock_timestamp(),
  check (num_nonnulls(conversation_id, unmatched_text_id) = 1)
);

create index on private.waiting_notifications (created_at);
create index on private.waiting_notifications (conversation_id);
create index on private.waiting_notifications (message_id);
create index on private.waiting_notifications (unmatched_text_id);

comment on table private.waiting_notifications is
  'Notifications that could not be written because somebody had locked the agents. Columns as in agent_notifications.';

alter table private.waiting_notifications enable row level security;
grant select, insert, update, delete on private.waiting_notifications to service_role;

create function public.mark_read(notification_ids uuid[]) returns integer
language plpgsql
security definer
set search_path = ''
as $$
declare
  newly_read integer;
begin
  update public.agent_notifications n
  set read_at = now()
  where n.id = any (notification_ids) and n.agent_id = private.current_agent_id() and n.read_at is null;
  get diagnostics newly_read = row_count;
  return newly_read;
end
$$;

comment on function public.mark_read(uuid[]) is
  'Marks notifications of the signed-in agent as read. Returns how many were not read before; ids that are not the '
  'agent''s own are passed over. '
  'Security definer because agents may not write the tables.';
grant execute on function public.mark_read(uuid[]) to authenticated;

create function private.answering_agent(conversation public.recruiting_conversations) returns uuid
language sql
stable
set search_path = ''
as $$
  select coalesce(
    (select a.id from public.agents a where a.id = conversation.assigned_agent_id and a.is_active),
    (
      select a.id
      from public.recruiting_leads l
      join public.agents a on a.id = l.agent_id and a.is_active
      where l.id = conversation.recruiting_lead_id
    ))
$$;

comment on function private.answering_agent(public.recruiting_conversations) is
  'The active agent who is to answer in a conversation: the assigned one, else the lead''s; null where there is none.';

create function private.notify_agents(conversation_id uuid, message_id uuid, kind text, reason text default null) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.notify_of_texts(conversation_id, array[message_id], kind, reason);
end
$$;

comment on function private.notify_agents(uuid, uuid, text, text) is
  'Does notify_of_texts() with one message. message_id null: it is about none.';

create function private.notify_of_texts(conversation_id uuid, message_ids uuid[], kind text, reason text default null)
returns void
language plpgsql
set search_path = ''
-- No text is lost or late because somebody has locked the agents.
set lock_timeout = '100ms'
as $$
declare
  conversation public.recruiting_conversations;
  answering uuid;
  notified uuid[];
begin
  if message_ids is null then
    return;
  end if;
  -- The conversation may be going to another agent.
  select c.* into conversation from public.recruiting_conversations c where c.id = notify_of_texts.conversation_id for share;
  answering := private.answering_agent(conversation);
  notified := array_remove(array[answering], null);
  if answering is null or exists (select from public.agents a where a.id = answering and a.away_until > now()) then
    notified := notified || array(
      select a.id
      from public.agents a
      where a.agency_id = conversation.agency_id and a.role = 'manager' and a.is_active and a.id is distinct from answering
    );
  end if;
  if notified = '{}' and conversation.assigned_agent_id is not null then
    notified := array[conversation.assigned_agent_id];
  end if;
  insert into public.agent_notifications (agent_id, conversation_id, message_id, kind, reason)
  select t.agent_id, conversation.id, m.message_id, notify_of_texts.kind, notify_of_texts.reason
  from unnest(message_ids) as m (message_id)
  cross join unnest(notified) as t (agent_id)
  on conflict on constraint agent_notifications_message_id_kind_agent_id_key do nothing;
exception when lock_not_available then
  insert into private.waiting_notifications (conversation_id, message_id, kind, reason)
  select notify_of_texts.conversation_id, m.message_id, notify_of_texts.kind, notify_of_texts.reason
  from unnest(message_ids) as m (message_id);
end
$$;

comment on function private.notify_of_texts(uuid, uuid[], text, text) is
  'Notifies the agent who is to answer in a conversation about messages of it, once for each kind (see agent_notifications): '
  'the assigned agent, else the lead''s, else each manager of the agency, as far as they are active. While that agent is '
  'away, each manager too, because no other colleague may read the conversation. Where nobody is active, the assigned '
  'agent, who may come back. message_ids null: none. Where others have locked the agents or the conversation, they '
  'are notified later, by deliver_notifications().';

create function private.notify_of_unmatched_text(received public.unmatched_texts) returns void
language plpgsql
set search_path = ''
-- No text is lost or late because somebody has locked the agents.
set lock_timeout = '100ms'
-- By the indexes, also with a plan that was made while the tables were small.
set enable_seqscan = off
as $$
declare
  recruit record;
begin
  select l.id, l.agent_id, a.id as agency_id, (now() at time zone a.timezone)::date as day into recruit
  from public.service_numbers n
  join public.agencies a on a.id = n.agency_id
  -- The recruit first: no plan reads the leads of an agency.
  join (
    select r.*
    from public.recruiting_leads r
    where r.phone = received.recruit_phone and length(r.phone) <= 16 and r.agency_id is not null
    offset 0
  ) l on l.agency_id = n.agency_id
  where n.phone = received.service_phone
  order by l.distributed_at desc nulls last, l.id
  limit 1;
  if not found then
    return;
  end if;

  with lead_agent as (
    select a.id, a.away_until > now() as is_away from public.agents a where a.id = recruit.agent_id and a.is_active
  )
  insert into public.agent_notifications (agent_id, lead_id, kind, day)
  select t.id, recruit.id, 'unmatched_text', recruit.day
  from (
    select id from lead_agent
    union
    select a.id
    from public.agents a
    where a.agency_id = recruit.agency_id and a.role = 'manager' and a.is_active
      and not exists (select from lead_agent where is_away is not true)
  ) t
  on conflict on constraint agent_notifications_lead_id_agent_id_day_key do nothing;
exception
  when lock_not_available then
    insert into private.waiting_notifications (unmatched_text_id, kind) values (received.id, 'unmatched_text');
  when others then
    -- Without the error's message, which may quote the text.
    raise warning 'unmatched text % was stored, but nobody was notified: SQLSTATE %', received.id, sqlstate;
end
$$;

comment on function private.notify_of_unmatched_text(public.unmatched_texts) is
  'Notifies the agent of a recruit that the recruit has written to a number of the agency without a conversation. Where the '
  'recruit has no active agent, it notifies each active manager; while the agent is away, both. Once for a recruit and day of the agency, and of several leads '
  'with the number the latest. Never fails. Where others have locked the agents, deliver_notifications() notifies them later.';

create function private.notify_of_due_leads() returns boolean
language plpgsql
set search_path = ''
-- By the index, also with a plan that was made while the table was small.
set enable_seqscan = off
as $$
declare
  deadline constant timestamptz := clock_timestamp() + interval '2 seconds';
  -- A long transaction keeps all versions of the agents, whose turns go on meanwhile, and then reads them.
  most constant integer := 500;
  taken integer;
  due uuid[];
  lead_id uuid;
begin
  with deleted as (
    delete from private.lead_notifications_due u
    where u.id = any (array(
      select w.id from private.lead_notifications_due w order by w.id limit most for update skip locked
    ))
    returning u.lead_id
  )
  select count(*), array_agg(distinct d.lead_id) into taken, due from deleted d;

  begin
    perform private.notify_of_leads(due);
  exception when others then
    -- One that fails costs only itself, and comes last the next time.
    foreach lead_id in array due loop
      begin
        if clock_timestamp() > deadline then
          raise lock_not_available using message = 'there is no time left for the lead';
        end if;
        perform private.notify_of_leads(array[lead_id]);
      exception when others then
        raise warning 'nobody is notified of the lead % yet (SQLSTATE %)', lead_id, sqlstate;
        insert into private.lead_notifications_due (lead_id) values (lead_id);
      end;
    end loop;
  end;
  return taken = most;
end
$$;

comment on function private.notify_of_due_leads() is
  'Notifies the agents of up to 500 leads of lead_notifications_due, those that have waited longest, each once. A lead whose '
  'notification fails stays there, with a warning. Returns whether there were as many.';

create function private.notify_of_leads(lead_ids uuid[]) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- A lead may be going to another agent: its notification goes along, or is that agent's.
  perform from public.recruiting_leads l where l.id = any (lead_ids) order by l.id for share;
  insert into public.agent_notifications (agent_id, lead_id, kind, reason)
  select coalesce(l.agent_id, m.id), l.id, 'lead', case when r.lead_id is not null then 'came_again' end
  from public.recruiting_leads l
  left join private.lead_repeats r on r.lead_id = l.id and r.action = 'same_agent' and l.order_id is null
  left join lateral (
    select a.id
    from public.agents a
    where l.agent_id is null and a.agency_id = l.agency_id and a.role = 'manager' and a.is_active
    -- Else the agents are read for a lead with an agent too, with all versions that the turns of a burst have left.
    offset 0
  ) m on true
  where l.id = any (lead_ids) and coalesce(l.agent_id, m.id) is not null;
  perform private.add_dispatches('lead.distributed', lead_ids);
end
$$;

comment on function private.notify_of_leads(uuid[]) is
  'Notifies the agents of leads that were distributed; of one without an agent, each active manager of its agency. Adds the '
  'dispatches of `lead.distributed`.';

create function private.deliver_notifications(began_at timestamptz default clock_timestamp()) returns boolean
language plpgsql
set search_path = ''
-- Rows that others have locked have their turn the next time.
set lock_timeout = '100ms'
as $$
declare
  late record;
  texts integer := 0;
  are_more_leads boolean := false;
begin
  begin
    for late in
      with taken as (
        select w.id from private.waiting_notifications w order by w.created_at limit 1000 for update skip locked
      ), deleted as (
        delete from private.waiting_notifications w using taken t where w.id = t.id returning w.*
      )
      select
        d.conversation_id, d.unmatched_text_id, d.kind, d.reason, count(*) as texts,
        array_agg(d.message_id order by d.created_at) as message_ids
      from deleted d
      group by d.conversation_id, d.unmatched_text_id, d.kind, d.reason
    loop
      texts := texts + late.texts;
      if late.unmatched_text_id is null then
        perform private.notify_of_texts(late.conversation_id, late.message_ids, late.kind, late.reason);
      else
        perform private.notify_of_unmatched_text(t) from public.unmatched_texts t where t.id = late.unmatched_text_id;
      end if;
    end loop;
  exception when others then
    raise warning 'notifications of texts are not delivered yet (SQLSTATE %)', sqlstate;
  end;
  begin
    perform private.notify_of_late_texts();
  exception when others then
    raise warning 'nobody is notified of late texts yet (SQLSTATE %)', sqlstate;
  end;
  begin
    are_more_leads := private.notify_of_due_leads();
  exception when others then
    raise warning 'nobody is notified of new leads yet (SQLSTATE %)', sqlstate;
  end;
  return (texts = 1000 or are_more_leads)
    and clock_timestamp() < began_at + interval '20 seconds'
    -- What could not be delivered waits anew.
    and coalesce(least(
      (select u.placed_at from private.lead_notifications_due u order by u.id limit 1),
      (select min(w.created_at) from private.waiting_notifications w)
    ) < began_at, false);
end
$$;

comment on function private.deliver_notifications(timestamptz) is
  'Delivers notifications that could not be written at once, of up to 1,000 texts and 500 leads, and those of the bot''s texts that are '
  'late. Never fails: what cannot be delivered now stays. The scheduler calls it every 10 seconds, and goes on, a transaction '
  'each time, while it returns true: began_at is when the first of these calls began. It returns whether anything that '
  'waited then is still to be delivered, for 20 s at most.';
