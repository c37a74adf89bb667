-- The procedure that the pop-out calls with the agent's own session. It first reads each part of the submission from
-- JSON, whose keys are the column names, into a row of its table.

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

  -- A repeated call waits here while the first one is still running.
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

  -- Read from the tables, so that a repeated call returns the result of the first one.
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
  'Stores what an agent learned and sold in a presentation: all of it or nothing. The lead''s agent may call it, and a manager '
  'of its agency. demographics, sale (or null) and each of referrals are objects. Their keys are the column names of '
  'lead_demographics, lead_sales (product and annual_premium required) and lead_referrals (first_name and phone required). New '
  'demographics replace all earlier ones; null or {} leaves them unchanged. Returns {presentation_id, sale_id|null, '
  'referral_ids, duplicate}; a repeated client_submission_id returns the first result and stores nothing. Errors: 22023 (HTTP '
  '400) names the field, such as `sale.annual_premium: is required`; 42501 (403) if the caller is not an active agent; PT404 '
  '(404) when the caller may not read the lead.';
grant execute on function public.submit_lead_presentation(uuid, jsonb, jsonb, jsonb, uuid) to authenticated;

create function private.read_demographics(demographics jsonb) returns public.lead_demographics
language plpgsql
set search_path = ''
as $$
declare
  path constant text := 'demographics';
  result public.lead_demographics;
begin
  perform private.require_fields(demographics, path, array[
    'date_of_birth', 'marital_status', 'spouse_name', 'children', 'occupation', 'employer', 'annual_income',
    'tobacco_user', 'beneficiary_name', 'notes'
  ]);
  result.date_of_birth := private.date_field(demographics, path, 'date_of_birth');
  result.marital_status := private.text_field(demographics, path, 'marital_status');
  result.spouse_name := private.text_field(demographics, path, 'spouse_name');
  result.children := private.count_field(demographics, path, 'children');
  result.occupation := private.text_field(demographics, path, 'occupation');
  result.employer := private.text_field(demographics, path, 'employer');
  result.annual_income := private.amount_field(demographics, path, 'annual_income');
  result.tobacco_user := private.boolean_field(demographics, path, 'tobacco_user');
  result.beneficiary_name := private.text_field(demographics, path, 'beneficiary_name');
  result.notes := private.text_field(demographics, path, 'notes');
  if result.date_of_birth > current_date then
    perform private.invalid_field(path || '.date_of_birth', 'must not be in the future');
  end if;
  return result;
end
$$;

comment on function private.read_demographics(jsonb) is
  'Reads and checks the columns of lead_demographics from a JSON object.';
grant execute on function private.read_demographics(jsonb) to authenticated;

create function private.read_sale(sale jsonb) returns public.lead_sales
language plpgsql
set search_path = ''
as $$
declare
  path constant text := 'sale';
  result public.lead_sales;
begin
  perform private.require_fields(sale, path, array[
    'product', 'carrier', 'policy_number', 'face_amount', 'annual_premium', 'payment_frequency', 'effective_date'
  ]);
  result.product := private.text_field(sale, path, 'product', is_required => true);
  result.carrier := private.text_field(sale, path, 'carrier');
  result.policy_number := private.text_field(sale, path, 'policy_number');
  result.face_amount := private.amount_field(sale, path, 'face_amount');
  result.annual_premium := private.amount_field(sale, path, 'annual_premium', is_required => true);
  result.payment_frequency := private.text_field(sale, path, 'payment_frequency');
  result.effective_date := private.date_field(sale, path, 'effective_date');
  if result.payment_frequency not in ('monthly', 'quarterly', 'semiannual', 'annual') then
    perform private.invalid_field(
      path || '.payment_frequency', 'must be monthly, quarterly, semiannual or annual');
  end if;
  return result;
end
$$;

comment on function private.read_sale(jsonb) is 'Reads and checks the columns of lead_sales from a JSON object.';
grant execute on function private.read_sale(jsonb) to authenticated;

create function private.read_referrals(referrals jsonb) returns public.lead_referrals[]
language plpgsql
set search_path = ''
as $$
declare
  result public.lead_referrals[] := '{}';
  referral public.lead_referrals;
  item jsonb;
  path text;
begin
  if jsonb_typeof(referrals) <> 'array' then
    perform private.invalid_field('referrals', 'must be an array');
  end if;
  for item in select i from jsonb_array_elements(referrals) with ordinality as e (i, n) order by n loop
    path := format('referrals[%s]', cardinality(result));
    perform private.require_fields(item, path, array[
      'first_name', 'last_name', 'phone', 'email', 'relationship', 'notes'
    ]);
    referral.position := cardinality(result) + 1;
    referral.first_name := private.text_field(item, path, 'first_name', is_required => true);
    referral.last_name := private.text_field(item, path, 'last_name');
    referral.phone := private.text_field(item, path, 'phone', is_required => true);
    referral.email := private.text_field(item, path, 'email');
    referral.relationship := private.text_field(item, path, 'relationship');
    referral.notes := private.text_field(item, path, 'notes');
    result := result || referral;
  end loop;
  return result;
end
$$;

comment on function private.read_referrals(jsonb) is 'Reads and checks the rows of lead_referrals from a JSON array.';
grant execute on function private.read_referrals(jsonb) to authenticated;
