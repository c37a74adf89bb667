-- Leads go to another agent, with what belongs to them, by an operator or a manager.

create function public.assign_leads(
  to_agent_id uuid,
  lead_id uuid default null,
  from_agent_id uuid default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  to_agent constant public.agents := private.lock_assignee(to_agent_id, lead_id, from_agent_id);
  -- The notifications that go along.
  givers uuid[] := array[from_agent_id];
  is_returned boolean;
  was_held boolean;
  is_barred boolean;
  recruits uuid[];
  sales_leads integer;
  conversations uuid[];
  notifications integer;
begin
  if lead_id is not null then
    -- Leads are locked before conversations, as below.
    select
      array[l.agent_id], l.agency_id is null and l.distribution <> 'repeat', l.distribution = 'repeat',
      l.distribution = 'repeat' and (l.first_name = '(erased)' or private.is_suppressed(l.phone, l.email))
    into givers, is_returned, was_held, is_barred
    from public.recruiting_leads l where l.id = assign_leads.lead_id for no key update;
    if is_returned then
      raise exception 'lead_id: the lead was returned' using errcode = 'PT409';
    elsif is_barred then
      raise exception 'lead_id: its person is suppressed or was erased' using errcode = 'PT409';
    end if;
    -- A text locks its conversation before it notifies the agent, so this and the text wait for each other in one order.
    givers := givers || array(
      select c.assigned_agent_id
      from public.recruiting_conversations c
      where c.recruiting_lead_id = assign_leads.lead_id
      order by c.id
      for no key update
    );
  end if;
  if was_held then
    -- While no agency has the lead: the agency's destinations get `lead.distributed`, and not `lead.reassigned`.
    insert into public.lead_assignments (recruiting_lead_id, to_agent_id) values (assign_leads.lead_id, to_agent.id);
    insert into private.lead_notifications_due (lead_id) values (assign_leads.lead_id);
  end if;

  with given as materialized (
    -- Locked, so that the previous agent is the recorded one.
    select l.id, l.agent_id
    from public.recruiting_leads l
    where (l.id = assign_leads.lead_id or l.agent_id = from_agent_id) and l.agent_id is distinct from to_agent.id
    order by l.id
    for no key update
  ),
  moved as (
    update public.recruiting_leads l
    set
      agent_id = to_agent.id,
      agency_id = to_agent.agency_id,
      -- A held repeat goes to its first agent now.
      distribution = case l.distribution when 'repeat' then 'distributed' else l.distribution end,
      distributed_at = case l.distribution when 'repeat' then clock_timestamp() else l.distributed_at end
    from given g
    where l.id = g.id
    returning g.id, g.agent_id
  ),
  kept as (
    insert into public.lead_assignments (recruiting_lead_id, from_agent_id, to_agent_id)
    select m.id, m.agent_id, to_agent.id from moved m where was_held is not true
  )
  select array_agg(m.id) into recruits from moved m;

  with given as materialized (
    select l.id, l.agent_id
    from public.leads l
    where (l.id = assign_leads.lead_id or l.agent_id = from_agent_id) and l.agent_id <> to_agent.id
    order by l.id
    for no key update
  ),
  moved as (
    update public.leads l set agent_id = to_agent.id from given g where l.id = g.id returning g.id, g.agent_id
  )
  insert into public.lead_assignments (sales_lead_id, from_agent_id, to_agent_id)
  select m.id, m.agent_id, to_agent.id from moved m;
  get diagnostics sales_leads = row_count;

  -- A conversation that nobody has taken over is the lead's agent's, who may be taking it over now.
  with moved as (
    update public.recruiting_conversations c
    set assigned_agent_id = to_agent.id
    where (
        c.recruiting_lead_id = assign_leads.lead_id
        or c.assigned_agent_id = from_agent_id
        or c.recruiting_lead_id = any (recruits) and c.assigned_agent_id is null
      )
      and c.agency_id = to_agent.agency_id
      and c.assigned_agent_id is distinct from to_agent.id
    returning c.id
  )
  select array_agg(m.id) into conversations from moved m;

  update public.agent_notifications n
  set agent_id = to_agent.id
  where n.id = any (array(
    -- Only one, if several managers had the same notification.
    select distinct on (coalesce(u.message_id, u.id), u.kind) u.id
    from public.agent_notifications u
    where u.agent_id = any (givers)
      and u.agent_id <> to_agent.id
      and u.read_at is null
      -- These concern nobody else.
      and u.kind not in ('taken_over', 'asked_for')
      and (u.conversation_id = any (conversations) or u.lead_id = any (recruits))
      and not exists (
        select
        from public.agent_notifications known
        where known.message_id = u.message_id and known.kind = u.kind and known.agent_id = to_agent.id
      )
  ));
  get diagnostics notifications = row_count;

  return jsonb_build_object(
    'recruiting_leads', coalesce(cardinality(recruits), 0),
    'sales_leads', sales_leads,
    'conversations', coalesce(cardinality(conversations), 0),
    'notifications', notifications);
end
$$;

comment on function public.assign_leads(uuid, uuid, uuid) is
  'Gives one lead of either kind (lead_id), or all leads of an agent (from_agent_id), to an active agent of the same agency. '
  'Their conversations go along, and those that the old agent has taken over; so do the old agent''s unread notifications '
  'about them. A conversation of an agent''s lead that somebody else has taken over stays where it is; with one lead it goes '
  'along. Waiting texts are sent, because they belong to the conversation. Orders, turns and the old agent''s history stay. '
  'A lead that is held as a repeat also goes to the agent''s agency, like one that is distributed: the agent is notified, '
  'and the agency''s destinations get `lead.distributed`. lead_assignments records who had each lead. Returns the '
  'numbers that moved: {recruiting_leads, sales_leads, conversations, notifications}. PT400 for both or neither; PT404 for an '
  'unknown lead or agent; PT409 for an inactive agent, one of another agency, a lead that no agency has, as one that was '
  'returned, and a held lead whose person is suppressed or was erased.';
grant execute on function public.assign_leads(uuid, uuid, uuid) to service_role;

create function public.assign_recruits(ids uuid[], agent uuid) returns jsonb
language plpgsql
security definer
set search_path = ''
set lock_timeout = '2s'
as $$
declare
  caller constant public.agents := private.writer();
  given uuid[];
begin
  if caller.role <> 'manager' then
    raise exception 'only a manager may give recruits to an agent' using errcode = 'insufficient_privilege';
  elsif coalesce(cardinality(ids), 0) not between 1 and 200 then
    perform private.invalid_field('ids', 'must be 1 to 200 recruits');
  elsif agent is null or not (private.lock_active_agent(agent) and exists (
    select from public.agents a where a.id = assign_recruits.agent and a.agency_id = caller.agency_id
  )) then
    perform private.invalid_field('agent', 'must be an active agent of the agency');
  end if;

  given := array(
    select l.id
    from public.recruiting_leads l
    where l.id = any (ids) and l.agency_id = caller.agency_id and l.first_name <> '(erased)'
      and l.agent_id is distinct from agent
    -- In one order, so that two managers never wait for each other.
    order by l.id
    for no key update
  );
  perform public.assign_leads(agent, g.id) from unnest(given) g (id);
  -- The agent is notified once, of the first.
  if cardinality(given) > 0 and agent <> caller.id then
    insert into public.agent_notifications (agent_id, lead_id, kind, others)
    values (agent, given[1], 'lead', nullif(cardinality(given) - 1, 0));
  end if;
  return jsonb_build_object('given', cardinality(given));
end
$$;

comment on function public.assign_recruits(uuid[], uuid) is
  'Gives up to 200 recruits of a manager''s agency to one of its active agents, as assign_leads() does, and notifies the agent '
  'once. Recruits that the agent has already, and those of other agencies, stay as they are. Returns {given}: how many have '
  'changed hands. Errors: 22023 (HTTP 400) names ids or agent; 42501 (403) for users who are not active managers; 55P03 if '
  'another transaction has locked one of them for 2 seconds: then none has changed. '
  'Security definer because agents may not write the tables.';
grant execute on function public.assign_recruits(uuid[], uuid) to authenticated;

create function private.lock_assignee(to_agent_id uuid, lead_id uuid, from_agent_id uuid) returns public.agents
language plpgsql
set search_path = ''
as $$
declare
  assignee public.agents;
  giver record;
begin
  if num_nonnulls(lead_id, from_agent_id) <> 1 then
    raise exception 'give lead_id or from_agent_id, and not both' using errcode = 'PT400';
  end if;
  perform private.lock_active_agent(to_agent_id);
  -- Not so that distribution would pass over the agent meanwhile.
  select a.* into assignee from public.agents a where a.id = to_agent_id for key share;
  if not found then
    raise exception 'to_agent_id: there is no such agent' using errcode = 'PT404';
  elsif not assignee.is_active then
    raise exception 'to_agent_id: the agent is inactive' using errcode = 'PT409';
  elsif to_agent_id = from_agent_id then
    raise exception 'from_agent_id: it is the same agent' using errcode = 'PT400';
  end if;

  if lead_id is not null then
    select l.agency_id, l.distribution into giver
    from (
      select r.id, r.agency_id, r.distribution from public.recruiting_leads r
      union all
      select s.id, s.agency_id, null from public.leads s
    ) l
    where l.id = lock_assignee.lead_id;
  else
    -- Waits for leads that are being given to this agent; afterwards distribution skips the agent.
    select a.agency_id, null as distribution into giver from public.agents a where a.id = from_agent_id for no key update;
  end if;
  if not found then
    raise exception '%: there is no such one',
      private.quoted(case when lead_id is null then 'from_agent_id' else 'lead_id' end)
      using errcode = 'PT404';
  elsif giver.distribution = 'returned' then
    raise exception 'lead_id: the lead was returned' using errcode = 'PT409';
  elsif giver.agency_id is null and giver.distribution is distinct from 'repeat' then
    raise exception 'lead_id: the lead waits for an order, so it has no agency yet' using errcode = 'PT409';
  elsif giver.agency_id <> assignee.agency_id then
    raise exception 'to_agent_id: the agent is of another agency' using errcode = 'PT409';
  end if;
  return assignee;
end
$$;

comment on function private.lock_assignee(uuid, uuid, uuid) is
  'Returns the agent who gets the leads of assign_leads(), after its checks. The previous agent gets no leads until the '
  'transaction ends.';
