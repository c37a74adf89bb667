-- An agent leaves, and all that was the agent's goes to others.

create function public.leave_agent(agent_id uuid, to_agent_id uuid default null) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  owner_id constant uuid := (select a.agency_id from public.agents a where a.id = leave_agent.agent_id);
  leaving public.agents;
  manager_id uuid;
  texts integer;
  orders uuid[];
  moved jsonb;
  login text;
begin
  if agent_id = private.current_agent_id() then
    raise exception 'agent_id: it is you. Another manager can do it' using errcode = 'PT409';
  elsif not private.may_manage(owner_id) then
    -- It says which error.
    perform private.lock_agency(owner_id, 'agent');
  elsif to_agent_id = agent_id then
    raise exception 'to_agent_id: it is the agent who leaves' using errcode = 'PT400';
  end if;
  -- Waits for the agent's current actions and for assignments to the agent; none can follow. Locked by id, so that two
  -- leaving agents do not wait for each other.
  perform case
    when u.id = leave_agent.agent_id then pg_advisory_xact_lock(private.agent_lock(u.id))
    else pg_advisory_xact_lock_shared(private.agent_lock(u.id))
  end
  from (select unnest(array[agent_id, to_agent_id]) as id order by 1) u;
  perform private.lock_agency(owner_id, 'agent');
  -- Waits for a lead that is being given to the agent; from now on distribution skips the agent.
  select a.* into leaving from public.agents a where a.id = leave_agent.agent_id;
  perform private.keep_manager(leaving, jsonb_populate_record(leaving, '{"is_active": false}'), 'agent_id');
  update public.agents a set is_active = false where a.id = leaving.id returning a.* into leaving;
  if exists (select from public.operators o where o.user_id = leaving.user_id) then
    raise exception 'agent_id: the login is an operator''s too. First: npm run admin -- operator remove <email>'
      using errcode = 'PT409';
  end if;

  select count(*) into texts
  from public.text_outbox o
  join public.recruiting_conversations c on c.id = o.conversation_id
  where c.assigned_agent_id = leaving.id and o.kind = 'agent' and o.state = 'pending';

  if to_agent_id is not null then
    moved := public.assign_leads(to_agent_id, from_agent_id => leaving.id);
  else
    select a.id into manager_id
    from public.agents a
    where a.agency_id = leaving.agency_id and a.role = 'manager' and a.is_active
    order by a.created_at, a.id
    limit 1
    for key share;
    moved := private.leave_to_agency(leaving, manager_id);
  end if;

  perform from public.recruiting_orders o where o.agent_id = leaving.id order by o.id for no key update;
  with changed as (
    update public.recruiting_orders o
    set agent_id = coalesce(to_agent_id, o.agent_id), status = case when to_agent_id is null then 'paused' else o.status end
    where o.agent_id = leaving.id and (o.status = 'open' or o.status = 'paused' and to_agent_id is not null)
    returning o.id
  )
  select coalesce(array_agg(c.id order by c.id), '{}') into orders from changed c;

  -- Last, because it waits for transactions that notify the agent, which may wait for the rows above.
  delete from auth.users u where u.id = leaving.user_id returning u.email into login;

  perform private.note_operator_action('agent leave', jsonb_strip_nulls(jsonb_build_object(
    'agent_id', leaving.id, 'to_agent_id', to_agent_id, 'order_ids', orders, 'lead_ids', (
      select coalesce(jsonb_agg(coalesce(a.recruiting_lead_id, a.sales_lead_id)), '[]')
      from public.lead_assignments a
      where a.from_agent_id = leaving.id and a.created_at = now()
    ))));
  return moved || jsonb_build_object('order_ids', orders, 'texts', texts, 'manager_id', manager_id, 'login', login, 'is_last', not exists (
    select from public.agents a where a.agency_id = leaving.agency_id and a.is_active));
end
$$;

comment on function public.leave_agent(uuid, uuid) is
  'Makes an agent permanently inactive. Everything that the agent has goes to to_agent_id as with assign_leads(), with the '
  'open and paused orders that name the agent. Without to_agent_id, recruits go to the agency, conversations as with '
  'leave_to_agency(), and open orders are paused. Waiting texts are sent as written. The login is deleted, and its sessions '
  'end. May be called again. A manager may call it for the others of the own agency, an operator for any agent. Returns '
  '{recruiting_leads, sales_leads, conversations, notifications, texts: how many of each, order_ids: the orders, '
  'manager_id|null, login: e-mail|null, is_last: whether the agency has no active agent now}. Errors as of assign_leads(); '
  '42501 for a user who is neither a manager nor an operator; PT404 for an agent of another agency; PT409 for the caller, the '
  'last active manager, an operator''s login, and for what no agent is left for. Security definer because managers and '
  'operators may not write the tables. It decides whom each of them may send away.';

create function public.preview_leave(agent_id uuid, to_agent_id uuid default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  result jsonb;
begin
  result := public.leave_agent(agent_id, to_agent_id);
  raise exception 'taken back' using errcode = 'PVIEW';
exception
  when sqlstate 'PVIEW' then
    return result;
end
$$;

comment on function public.preview_leave(uuid, uuid) is
  'What leave_agent() would return, or its error, for the question before it. It is carried out and taken back, so nothing '
  'changes.';
grant execute on function public.leave_agent(uuid, uuid), public.preview_leave(uuid, uuid) to authenticated, service_role;

create function private.leave_to_agency(leaving public.agents, manager_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  recruits uuid[];
  conversations uuid[];
  notifications integer;
begin
  if exists (select from public.leads l where l.agent_id = leaving.id) then
    raise exception 'to_agent_id: the agent has sales leads (%), and each needs an agent',
      private.quoted((select count(*) from public.leads l where l.agent_id = leaving.id)) using errcode = 'PT409';
  end if;

  with given as materialized (
    select l.id from public.recruiting_leads l where l.agent_id = leaving.id order by l.id for no key update
  ),
  moved as (
    update public.recruiting_leads l set agent_id = null from given g where l.id = g.id returning l.id
  ),
  kept as (
    insert into public.lead_assignments (recruiting_lead_id, from_agent_id)
    select m.id, leaving.id from moved m
  )
  select coalesce(array_agg(m.id), '{}') into recruits from moved m;

  perform
  from public.recruiting_conversations c
  where c.assigned_agent_id = leaving.id or c.recruiting_lead_id = any (recruits) and c.assigned_agent_id is null
  order by c.id
  for no key update;
  -- One that the bot has taken needs no agent. Of another one, a colleague may have the lead.
  with moved as (
    update public.recruiting_conversations c
    set assigned_agent_id = case when c.status = 'escalated' then coalesce(
      (
        select a.id
        from public.recruiting_leads l
        join public.agents a on a.id = l.agent_id and a.is_active
        where l.id = c.recruiting_lead_id
      ),
      manager_id,
      leaving.id) end
    where c.assigned_agent_id = leaving.id
    returning c.id, c.assigned_agent_id
  )
  select array_agg(m.id) into conversations from moved m;
  if exists (select from public.recruiting_conversations c where c.assigned_agent_id = leaving.id) then
    raise exception 'to_agent_id: the agent has taken conversations over, and no active manager is there for them'
      using errcode = 'PT409';
  end if;

  update public.agent_notifications n
  set agent_id = coalesce(
      (select c.assigned_agent_id from public.recruiting_conversations c where c.id = n.conversation_id), manager_id)
  where n.id = any (array(
    select u.id
    from public.agent_notifications u
    left join public.recruiting_conversations c on c.id = u.conversation_id
    where u.agent_id = leaving.id
      and u.read_at is null
      and u.kind not in ('taken_over', 'asked_for')
      and coalesce(c.assigned_agent_id, manager_id) is not null
      and not exists (
        select
        from public.agent_notifications known
        where known.agent_id = coalesce(c.assigned_agent_id, manager_id)
          and known.kind = u.kind
          and (known.message_id = u.message_id or known.lead_id = u.lead_id)
      )
  ));
  get diagnostics notifications = row_count;

  return jsonb_build_object(
    'recruiting_leads', cardinality(recruits),
    'sales_leads', 0,
    'conversations', coalesce(cardinality(conversations), 0),
    'notifications', notifications);
end
$$;

comment on function private.leave_to_agency(public.agents, uuid) is
  'Gives everything that an agent has to the agency: recruits then have no agent. A conversation that the agent has taken over '
  'goes to the active agent of its lead, else to this manager; so do unread notifications. lead_assignments records who had '
  'each lead. Returns {recruiting_leads, sales_leads: 0, conversations, notifications}. PT409 if the agent has sales leads, '
  'which need an agent, or if there is no manager for the conversations.';
