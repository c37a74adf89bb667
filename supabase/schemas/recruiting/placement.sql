-- The place of leads: the best order that can accept them now, and its agents, all locked.

create function private.find_placement(
  pending private.pending_lead[],
  moment timestamptz,
  placed private.placed_lead[]
) returns private.placement
language plpgsql
set search_path = ''
as $$
declare
  first constant private.pending_lead := pending[1];
  passed_over uuid[] := '{}';
  are_locked boolean := false;
  chosen public.recruiting_orders;
  leads integer;
  agent_ids uuid[];
begin
  -- Each statement takes a new snapshot (the function is volatile, the isolation level read committed), so each choice
  -- sees everything committed before it.
  loop
    chosen := private.best_order(first.vendor_id, first.state, moment, passed_over);
    if chosen.id is null then
      return row(case when are_locked then 'locked' else 'unwanted' end, null, null, null, null, null)::private.placement;
    end if;
    passed_over := passed_over || chosen.id;
    -- Operators do not take the distribution lock, so the order may have changed since it was chosen. The agency is
    -- locked here because the lead's foreign key locks it, and would wait for it.
    perform
    from public.recruiting_orders o
    join public.agencies a on a.id = o.agency_id
    where o.id = chosen.id and o is not distinct from chosen
    for no key update of o skip locked
    for key share of a skip locked;
    if not found then
      are_locked := true;
      continue;
    end if;

    leads := cardinality(pending);
    if leads > 1 then
      leads := private.leads_for_order(chosen, pending, moment, passed_over);
    end if;
    -- After the lock, because a count can change without the order's row. The leads of this call are not counted yet.
    if chosen.daily_cap is not null then
      leads := least(
        leads,
        private.room_under_cap(chosen.id, chosen.daily_cap, moment)
          - (select count(*) from unnest(placed) p where p.order_id = chosen.id)
      );
    end if;
    continue when leads <= 0;

    agent_ids := private.lock_agents(chosen.agency_id, chosen.agent_id, leads);
    if agent_ids is not null then
      return row(
        'placed', leads, chosen.id, chosen.agency_id, agent_ids, chosen.greeting_template is not null
      )::private.placement;
    end if;
    are_locked := true;
  end loop;
end
$$;

comment on function private.find_placement(private.pending_lead[], timestamptz, private.placed_lead[]) is
  'Finds and locks the best order that can accept the first of these leads at this moment, and its agents. The '
  'placement applies to that lead and all consecutive leads with the same order. placed: the leads of this call that '
  'already have a place. The caller holds the distribution lock.';

-- The agents whom distribution may choose.
create view private.present_agents with (security_invoker = true) as
select a.id, a.agency_id, a.accepts_recruits, a.last_assigned_at, a.created_at
from public.agents a
where a.is_active and (a.away_until > now()) is not true;

comment on view private.present_agents is 'The active agents who are not away.';
-- To lock a row is to be able to update it.
grant select, update on private.present_agents to service_role;

create function private.lock_agents(agency_id uuid, named_agent_id uuid, wanted integer) returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  agent_ids uuid[];
begin
  if named_agent_id is not null and exists (
    select from private.present_agents a where a.id = named_agent_id and a.agency_id = lock_agents.agency_id
  ) then
    return (select array[a.id] from private.present_agents a where a.id = named_agent_id for no key update skip locked);
  end if;

  agent_ids := array(
    select a.id
    from private.present_agents a
    where a.agency_id = lock_agents.agency_id and a.accepts_recruits
    order by a.last_assigned_at nulls first, a.created_at, a.id
    limit wanted
    for no key update skip locked
  );
  if agent_ids = '{}' and exists (
    select from private.present_agents a where a.agency_id = lock_agents.agency_id and a.accepts_recruits
  ) then
    return null;
  end if;
  return agent_ids;
end
$$;

comment on function private.lock_agents(uuid, uuid, integer) is
  'Locks the agents for the next leads of an order, at most as many as requested. Returns their ids in the order of '
  'their turns: only the named agent, if active and not away; otherwise the unlocked agents who have waited longest. '
  'Empty if the agency has no such agent; null if it has, but the named agent, or all of them, are locked.';

create function private.next_agent(agency_id uuid, named_agent_id uuid) returns uuid
language sql
stable
set search_path = ''
as $$
  select coalesce(
    (select a.id from private.present_agents a where a.id = named_agent_id and a.agency_id = next_agent.agency_id),
    (
      select a.id
      from private.present_agents a
      where a.agency_id = next_agent.agency_id and a.accepts_recruits
      order by a.last_assigned_at nulls first, a.created_at, a.id
      limit 1
    )
  )
$$;

comment on function private.next_agent(uuid, uuid) is
  'Returns the first agent that lock_agents() would choose if no agent were locked; null if the agency has no such agent.';
