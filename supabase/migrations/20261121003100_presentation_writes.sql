-- What a signed-in agent may write: exactly what submit_lead_presentation() stores, and only while it runs. The
-- function runs under its caller's own rights, so the caller needs grants and policies to insert; the policies hold for
-- one lead at a time, the one that the function has announced in a setting of the transaction. The API gives no way to
-- change a setting, so the same insert sent straight to the table is refused.

create function private.submitting_lead_id() returns uuid
language sql
stable
set search_path = ''
as $$
  select nullif(current_setting('lead_intake.submitting_lead_id', true), '')::uuid
$$;

comment on function private.submitting_lead_id() is
  'The lead whose presentation this transaction is submitting at the moment, or null.';
grant execute on function private.submitting_lead_id() to authenticated;

grant insert (lead_id, agent_id, client_submission_id) on public.lead_presentations to authenticated;
grant
  insert (
    lead_id, date_of_birth, marital_status, spouse_name, children, occupation, employer, annual_income, tobacco_user,
    beneficiary_name, notes
  ),
  update (
    date_of_birth, marital_status, spouse_name, children, occupation, employer, annual_income, tobacco_user,
    beneficiary_name, notes
  )
  on public.lead_demographics to authenticated;
grant
  insert (
    presentation_id, lead_id, agent_id, product, carrier, policy_number, face_amount, annual_premium,
    payment_frequency, effective_date
  )
  on public.lead_sales to authenticated;
grant
  insert (
    presentation_id, lead_id, agent_id, position, first_name, last_name, phone, email, relationship, notes
  )
  on public.lead_referrals to authenticated;

create policy "the caller submits a presentation of a lead it reads" on public.lead_presentations
  for insert to authenticated
  with check (
    lead_id = (select private.submitting_lead_id())
    and agent_id = (select private.current_agent_id())
    and exists (select from public.leads l where l.id = lead_presentations.lead_id)
  );

create policy "with a presentation of a lead it reads" on public.lead_demographics
  for insert to authenticated
  with check (
    lead_id = (select private.submitting_lead_id())
    and exists (select from public.leads l where l.id = lead_demographics.lead_id)
  );

create policy "with a later presentation of a lead it reads" on public.lead_demographics
  for update to authenticated
  using (
    lead_id = (select private.submitting_lead_id())
    and exists (select from public.leads l where l.id = lead_demographics.lead_id)
  );

create policy "with a presentation of a lead it reads" on public.lead_sales
  for insert to authenticated
  with check (
    lead_id = (select private.submitting_lead_id())
    and agent_id = (select private.current_agent_id())
    and exists (select from public.leads l where l.id = lead_sales.lead_id)
  );

create policy "with a presentation of a lead it reads" on public.lead_referrals
  for insert to authenticated
  with check (
    lead_id = (select private.submitting_lead_id())
    and agent_id = (select private.current_agent_id())
    and exists (select from public.leads l where l.id = lead_referrals.lead_id)
  );
