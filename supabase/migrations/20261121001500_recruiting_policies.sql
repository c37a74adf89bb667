-- An agent sees what names it, a manager what belongs to its agency. Tables without a policy, and roles without a
-- grant, see nothing. Nobody but the service role writes.

create policy "a manager reads its agency" on public.agencies
  for select to authenticated
  using (id = (select private.managed_agency_id()));

create policy "an agent reads its agency's agents" on public.agents
  for select to authenticated
  using (agency_id = (select private.current_agency_id()));

create policy "an agent reads the orders that name it, a manager its agency's" on public.recruiting_orders
  for select to authenticated
  using (
    agent_id = (select private.current_agent_id())
    or agency_id = (select private.managed_agency_id())
  );

create policy "an agent reads its recruits, a manager its agency's" on public.recruiting_leads
  for select to authenticated
  using (
    agent_id = (select private.current_agent_id())
    or agency_id = (select private.managed_agency_id())
  );
