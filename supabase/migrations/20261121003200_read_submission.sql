-- The parts of a submission, read from JSON whose keys are the column names, into rows of their tables.

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
  'The columns of lead_demographics from their JSON object, checked.';
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

comment on function private.read_sale(jsonb) is 'The columns of lead_sales from their JSON object, checked.';
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

comment on function private.read_referrals(jsonb) is 'The rows of lead_referrals from their JSON array, checked.';
grant execute on function private.read_referrals(jsonb) to authenticated;
