-- Every field of submit_lead_presentation() is checked, and the error names it.
begin;
select plan(35);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_lead('lead', 'ann');
select pg_temp.become('ann');

select throws_ok(
  format('select public.submit_lead_presentation(md5(%L)::uuid, %L, %L, %L)', 'lead', demographics, sale, referrals),
  '22023', message, message)
from (
  select
    case when starts_with(message, 'demographics') then value end,
    case when starts_with(message, 'sale') then value end,
    case when starts_with(message, 'referrals') then value else '[]' end,
    message
  from (values
    ('[]', 'demographics: must be an object'),
    ('{"hobby": "chess"}', 'demographics.hobby: unknown field'),
    ('{"lead_id": "x"}', 'demographics.lead_id: unknown field'),
    ('{"date_of_birth": "05/04/1961"}', 'demographics.date_of_birth: must be a date, YYYY-MM-DD'),
    ('{"date_of_birth": "1961-02-30"}', 'demographics.date_of_birth: must be a date that exists'),
    ('{"date_of_birth": "2961-02-01"}', 'demographics.date_of_birth: must not be in the future'),
    ('{"date_of_birth": 1961}', 'demographics.date_of_birth: must be a string'),
    ('{"marital_status": 1}', 'demographics.marital_status: must be a string'),
    ('{"children": "2"}', 'demographics.children: must be a whole number from 0 to 100'),
    ('{"children": 1.5}', 'demographics.children: must be a whole number from 0 to 100'),
    ('{"children": 1e99}', 'demographics.children: must be a whole number from 0 to 100'),
    ('{"annual_income": "41,000"}', 'demographics.annual_income: must be a number from 0 to 999999999999.99'),
    ('{"tobacco_user": "no"}', 'demographics.tobacco_user: must be true or false'),
    ('[]', 'sale: must be an object'),
    ('{"agent_id": "x"}', 'sale.agent_id: unknown field'),
    ('{}', 'sale.product: is required'),
    ('{"product": " \t\r\n", "annual_premium": 1}', 'sale.product: is required'),
    ('{"product": 5, "annual_premium": 1}', 'sale.product: must be a string'),
    ('{"product": "Term"}', 'sale.annual_premium: is required'),
    ('{"product": "Term", "annual_premium": "12"}', 'sale.annual_premium: must be a number from 0 to 999999999999.99'),
    ('{"product": "Term", "annual_premium": 1e12}', 'sale.annual_premium: must be a number from 0 to 999999999999.99'),
    ('{"product": "Term", "annual_premium": 1, "face_amount": -5}', 'sale.face_amount: must be a number from 0 to 999999999999.99'),
    ('{"product": "Term", "annual_premium": 1, "payment_frequency": "weekly"}',
      'sale.payment_frequency: must be monthly, quarterly, semiannual or annual'),
    ('{"product": "Term", "annual_premium": 1, "effective_date": "soon"}', 'sale.effective_date: must be a date, YYYY-MM-DD'),
    ('{}', 'referrals: must be an array'),
    ('[1]', 'referrals[0]: must be an object'),
    ('[{"phone": "1"}]', 'referrals[0].first_name: is required'),
    ('[{"first_name": "Ron"}]', 'referrals[0].phone: is required'),
    ('[{"first_name": "Ron", "phone": 5550101}]', 'referrals[0].phone: must be a string'),
    ('[{"first_name": "Ron", "phone": "1"}, {"first_name": "Al", "phone": "1", "age": 4}]', 'referrals[1].age: unknown field'),
    ('[{"first_name": "Ron", "phone": "1", "notes": false}]', 'referrals[0].notes: must be a string')
  ) as wrong (value, message)
) as submissions (demographics, sale, referrals, message);

select lives_ok(
  format('select public.submit_lead_presentation(md5(%L)::uuid, %L, %L, %L)', 'lead', demographics, sale, referrals),
  description)
from (values
  ('{"children": 0, "annual_income": 0, "tobacco_user": null, "date_of_birth": " "}', null, '[]', 'zeros, nulls and blanks are allowed'),
  ('{"children": 2.0, "annual_income": 1e3, "notes": "🌷"}', null, '[]', 'numbers in other notations are allowed'),
  (null, '{"product": "Term", "annual_premium": 0, "payment_frequency": ""}', '[]', 'a premium of 0 is allowed'),
  (null, null, (select jsonb_agg('{"first_name": "Ron", "phone": "1"}'::jsonb) from generate_series(1, 500))::text,
    '500 referrals are allowed')
) as right_ (demographics, sale, referrals, description);

select * from finish();
rollback;
