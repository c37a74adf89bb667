create function public.submit_lead_presentation(
  lead_id uuid,
  demographics jsonb,
  sale jsonb default null,
  referrals jsonb default '[]',
  client_submission_id uuid default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  caller_id constant uuid := private.current_agent_id();
  has_demographics constant boolean := demographics not in ('null', '{}');
  has_sale constant boolean := sale <> 'null';
  new_demographics public.lead_demographics;
  new_sale public.lead_sales;
  new_referrals public.lead_referrals[];
  submission_id uuid;
  is_duplicate boolean;
begin
  if caller_id is null then
    raise exception 'only an active agent may submit a presentation' using errcode = 'insufficient_privilege';
  elsif not exists (select from public.leads l where l.id = submit_lead_presentation.lead_id) then
    raise exception 'lead_id: no such lead among those you may read' using errcode = 'PT404';
  end if;

  if has_demographics then
    new_demographics := private.read_demographics(demographics);
  end if;
  if has_sale then
    new_sale := private.read_sale(sale);
  end if;
  new_referrals := private.read_referrals(coalesce(nullif(referrals, 'null'), '[]'));

  perform set_config('lead_intake.submitting_lead_id', lead_id::text, true);

  -- A repeat that comes while the first is still running waits here for its commit.
  insert into public.lead_presentations as p (lead_id, agent_id, client_submission_id)
  values (submit_lead_presentation.lead_id, caller_id, submit_lead_presentation.client_submission_id)
  on conflict on constraint lead_presentations_lead_id_client_submission_id_key do nothing
  returning p.id into submission_id;
  is_duplicate := not found;

  if is_duplicate then
    select p.id into submission_id
    from public.lead_presentations p
    where p.lead_id = submit_lead_presentation.lead_id
      and p.client_submission_id = submit_lead_presentation.client_submission_id;
  end if;

  if has_demographics and not is_duplicate then
    insert into public.lead_demographics (
      lead_id, date_of_birth, marital_status, spouse_name, children, occupation, employer, annual_income, tobacco_user,
      beneficiary_name, notes
    )
    values (
      submit_lead_presentation.lead_id, new_demographics.date_of_birth, new_demographics.marital_status,
      new_demographics.spouse_name, new_demographics.children, new_demographics.occupation, new_demographics.employer,
      new_demographics.annual_income, new_demographics.tobacco_user, new_demographics.beneficiary_name,
      new_demographics.notes
    )
    on conflict on constraint lead_demographics_pkey do update
    set
      date_of_birth = excluded.date_of_birth,
      marital_status = excluded.marital_status,
      spouse_name = excluded.spouse_name,
      children = excluded.children,
      occupation = excluded.occupation,
      employer = excluded.employer,
      annual_income = excluded.annual_income,
      tobacco_user = excluded.tobacco_user,
      beneficiary_name = excluded.beneficiary_name,
      notes = excluded.notes;
  end if;

  if has_sale and not is_duplicate then
    insert into public.lead_sales (
      presentation_id, lead_id, agent_id, product, carrier, policy_number, face_amount, annual_premium,
      payment_frequency, effective_date
    )
    values (
      submission_id, submit_lead_presentation.lead_id, caller_id, new_sale.product, new_sale.carrier,
      new_sale.policy_number, new_sale.face_amount, new_sale.annual_premium, new_sale.payment_frequency,
      new_sale.effective_date
    );
  end if;

  if not is_duplicate then
    insert into public.lead_referrals (
      presentation_id, lead_id, agent_id, position, first_name, last_name, phone, email, relationship, notes
    )
    select
      submission_id, submit_lead_presentation.lead_id, caller_id, r.position, r.first_name, r.last_name, r.phone,
      r.email, r.relationship, r.notes
    from unnest(new_referrals) r;
  end if;

  perform set_config('lead_intake.submitting_lead_id', '', true);

  -- Read back instead of remembered, so that a repeat answers what the first submission did.
  return jsonb_build_object(
    'presentation_id', submission_id,
    'sale_id', (select s.id from public.lead_sales s where s.presentation_id = submission_id),
    'referral_ids', (
      select coalesce(jsonb_agg(r.id order by r.position), '[]')
      from public.lead_referrals r
      where r.presentation_id = submission_id
    ),
    'duplicate', is_duplicate
  );
end
$$;

comment on function public.submit_lead_presentation(uuid, jsonb, jsonb, jsonb, uuid) is
  'Stores what an agent learned and sold in a presentation, all or nothing, for the lead''s agent or a manager of its '
  'agency. demographics, sale (or null) and each of referrals are objects whose keys are the column names of '
  'lead_demographics, lead_sales (product and annual_premium required) and lead_referrals (first_name and phone '
  'required). The latest demographics replace the earlier ones whole; null or {} leaves them. Returns '
  '{presentation_id, sale_id|null, referral_ids, duplicate}; a repeated client_submission_id returns the first result '
  'and stores nothing. Errors: 22023 (HTTP 400) names the field, such as `sale.annual_premium: is required`; 42501 '
  '(403) when the caller is no active agent; PT404 (404) when it may not read the lead.';
grant execute on function public.submit_lead_presentation(uuid, jsonb, jsonb, jsonb, uuid) to authenticated;
