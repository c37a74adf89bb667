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
  check (others is null or kind in ('taken_over', 'handoff', 'lead'))
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
  'The notifications of agents. Those about a text that the bot does not answer are stored with it; those about a lead follow '
  'within seconds. Realtime only announces a row: clients read the unread rows on every connect.';
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
comment on column public.agent_notifications.reason is
  'With `handoff`: as in bot_sessions.reason, or `assigned`; with `destination_off`: the name of the destination; with `lead`: '
  '`came_again` where the agent, or the agency, has the person already (repeat_rules).';
comment on column public.agent_notifications.urgent is
  'Whether the recruit may be in danger, so that a page shows it before the others, with the number of the 988 Lifeline.';
comment on column public.agent_notifications.by_agent_id is
  'With `taken_over`: who has the conversation now; with `asked_for`: who asks for it.';
comment on column public.agent_notifications.others is
  'How many further conversations went to another agent together with this one, and have no notification of their own; null: '
  'none.';
comment on column public.agent_notifications.read_at is
  'When the agent has read it, or a recruit stopped waiting; null: not yet.';

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
  'Notifications that could not be written because the agents were locked. Columns as in agent_notifications.';

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
  'Marks notifications of the signed-in agent as read. Returns how many were not read before; other ids are skipped. Security '
  'definer because agents may not write the tables.';
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
  'the assigned agent, else the lead''s, else each manager of the agency, as far as they are active. While that agent is away, '
  'each manager too, because no other colleague may read the conversation. If nobody is active, the assigned agent, who may '
  'return. message_ids null: none. If the agents or the conversation are locked, deliver_notifications() notifies them later.';

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
  'recruit has no active agent, it notifies each active manager; while the agent is away, both. Once for a recruit and day of '
  'the agency, and of several leads with the number the latest. Never fails. Where others have locked the agents, '
  'deliver_notifications() notifies them later.';
