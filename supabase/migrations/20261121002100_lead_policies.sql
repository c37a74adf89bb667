create policy "an agent reads its leads, a manager its agency's" on public.leads
  for select to authenticated
  using (
    agent_id = (select private.current_agent_id())
    or agency_id = (select private.managed_agency_id())
  );

-- What hangs on a lead is seen by whoever sees the lead; the policy above applies inside the subquery.

create policy "whoever reads the lead" on public.lead_metrics
  for select to authenticated
  using (exists (select from public.leads l where l.id = lead_metrics.lead_id));

create policy "whoever reads the lead" on public.lead_activities
  for select to authenticated
  using (exists (select from public.leads l where l.id = lead_activities.lead_id));

create policy "whoever reads the lead" on public.lead_presentations
  for select to authenticated
  using (exists (select from public.leads l where l.id = lead_presentations.lead_id));

create policy "whoever reads the lead" on public.lead_demographics
  for select to authenticated
  using (exists (select from public.leads l where l.id = lead_demographics.lead_id));

create policy "whoever reads the lead" on public.lead_sales
  for select to authenticated
  using (exists (select from public.leads l where l.id = lead_sales.lead_id));

create policy "whoever reads the lead" on public.lead_referrals
  for select to authenticated
  using (exists (select from public.leads l where l.id = lead_referrals.lead_id));
