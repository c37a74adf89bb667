-- submit_lead_presentation(): who may call it, what it stores, and what a repeated call does.
begin;
select plan(24);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_lead('lead', 'ann'), pg_temp.create_lead('second lead', 'ann');

-- Calls it as the API does for a signed-in user, with the claims of the JWT and the role.
create function pg_temp.submit_as(
  name text, lead text, demographics jsonb default null, sale jsonb default null, referrals jsonb default '[]',
  submission text default null
) returns jsonb language sql as $$
  select pg_temp.value_as(name, format(
    'public.submit_lead_presentation(%L, %L, %L, %L, %L)', md5(lead)::uuid, demographics, sale, referrals, md5('submission ' || submission)::uuid))
$$;

-- Rights to call it
select throws_ok(format('select pg_temp.submit_as(%L, %L)', name, 'lead'), code, message, name || ' may not call it')
from (values
  ('visitor', '42501', 'only an active agent may submit a presentation'),
  ('former', '42501', 'only an active agent may submit a presentation'),
  ('cal', 'PT404', 'lead_id: no such lead among those you may read'),
  ('eve', 'PT404', 'lead_id: no such lead among those you may read'),
  ('otto', 'PT404', 'lead_id: no such lead among those you may read')
) as refused (name, code, message);
select throws_ok(
  $$select pg_temp.submit_as('ann', 'no lead')$$, 'PT404', 'lead_id: no such lead among those you may read',
  'an unknown lead is refused');

-- Stored rows
create temp table first as select pg_temp.submit_as(
  'ann', 'lead',
  '{"date_of_birth": "1961-05-04", "marital_status": "married", "spouse_name": "Sam", "children": 2, "occupation": "cook",
    "employer": "Diner", "annual_income": 41000.555, "tobacco_user": false, "beneficiary_name": "Sam", "notes": " call late "}',
  '{"product": "Whole life", "carrier": "Acme", "policy_number": "P-1", "face_amount": 25000, "annual_premium": 1200.5,
    "payment_frequency": "monthly", "effective_date": "2026-12-01"}',
  '[{"first_name": "Ron", "phone": "555 0101"},
    {"first_name": "Al", "last_name": "Ba", "phone": "(555) 0102", "email": "al@b.c", "relationship": "brother", "notes": "x"}]',
  'one') as result;

select is(
  (select array_agg(k order by k) from first, jsonb_object_keys(result) k),
  array['duplicate', 'presentation_id', 'referral_ids', 'sale_id'], 'the result has these keys');
select is(result -> 'duplicate', 'false', 'a first submission is no duplicate') from first;
select results_eq(
  $$select p.lead_id, p.agent_id, p.client_submission_id, p.submitted_at
    from first join public.lead_presentations p on p.id = (result ->> 'presentation_id')::uuid$$,
  $$values (md5('lead')::uuid, md5('ann')::uuid, md5('submission one')::uuid, now())$$, 'the presentation is stored');
select results_eq(
  $$select date_of_birth, marital_status, spouse_name, children, occupation, employer, annual_income, tobacco_user,
      beneficiary_name, notes from public.lead_demographics where lead_id = md5('lead')::uuid$$,
  $$values ('1961-05-04'::date, 'married', 'Sam', 2, 'cook', 'Diner', 41000.56, false, 'Sam', 'call late')$$,
  'the demographics are stored, trimmed and rounded to cents');
select results_eq(
  $$select s.presentation_id::text, s.lead_id, s.agent_id, product, carrier, policy_number, face_amount, annual_premium,
      payment_frequency, effective_date
    from first join public.lead_sales s on s.id = (result ->> 'sale_id')::uuid$$,
  $$select result ->> 'presentation_id', md5('lead')::uuid, md5('ann')::uuid, 'Whole life', 'Acme', 'P-1', 25000.00,
      1200.50, 'monthly', '2026-12-01'::date from first$$,
  'the sale is stored');
select results_eq(
  $$select first_name, last_name, phone, email, relationship, notes, r.agent_id
    from first, jsonb_array_elements_text(result -> 'referral_ids') with ordinality as e (id, n)
    join public.lead_referrals r on r.id = e.id::uuid
    order by n$$,
  $$values ('Ron', null, '555 0101', null, null, null, md5('ann')::uuid),
    ('Al', 'Ba', '(555) 0102', 'al@b.c', 'brother', 'x', md5('ann')::uuid)$$,
  'the referrals are stored in their order');

-- A repeated call
select is(
  pg_temp.submit_as('ann', 'lead', '{"children": 9}', '{"product": "Other", "annual_premium": 1}', '[]', 'one'),
  result || '{"duplicate": true}', 'a repeated client_submission_id returns the first result')
from first;
select is(
  pg_temp.submit_as('mia', 'lead', null, null, '[]', 'one'),
  result || '{"duplicate": true}', 'a repeated client_submission_id of another person returns the first result')
from first;
select results_eq(
  $$select d.children, m.presentations_submitted, m.sales
    from public.lead_demographics d join public.lead_metrics m using (lead_id)
    where lead_id = md5('lead')::uuid$$,
  'values (2, 1, 1)', 'a repeated client_submission_id stores nothing');
select is(
  pg_temp.submit_as('ann', 'second lead', null, null, '[]', 'one') -> 'duplicate', 'false',
  'the same client_submission_id for another lead is another submission');
select is(
  array[pg_temp.submit_as('ann', 'second lead') ->> 'duplicate', pg_temp.submit_as('ann', 'second lead') ->> 'duplicate'],
  array['false', 'false'], 'without a client_submission_id each call is a new presentation');
select is(
  (select presentations_submitted from public.lead_metrics where lead_id = md5('second lead')::uuid), 3,
  'each of these presentations is counted');

-- Later submissions
select is(
  pg_temp.submit_as('mia', 'lead', '{"children": 3, "notes": null}') - 'presentation_id',
  '{"sale_id": null, "referral_ids": [], "duplicate": false}', 'a manager of the agency may submit, also without sale and referrals');
select results_eq(
  $$select children, notes, spouse_name from public.lead_demographics where lead_id = md5('lead')::uuid$$,
  'values (3, null::text, null::text)', 'new demographics replace all earlier ones');
select results_eq(
  $$select agent_id from public.lead_presentations where lead_id = md5('lead')::uuid order by agent_id = md5('ann')::uuid$$,
  $$values (md5('mia')::uuid), (md5('ann')::uuid)$$, 'a presentation has the agent who submitted it');
select pg_temp.submit_as('ann', 'lead', demographics, 'null', 'null')
from unnest(array[null, 'null', '{}']::jsonb[]) demographics;
select is(children, 3, 'missing or empty demographics leave the earlier ones unchanged')
from public.lead_demographics where lead_id = md5('lead')::uuid;

-- All or nothing
select throws_ok(
  $$select pg_temp.submit_as('ann', 'lead', '{"children": 7}', '{"product": "Term", "annual_premium": 5}',
      '[{"first_name": "Ron", "phone": "1"}, {"first_name": "Al"}]', 'two')$$,
  '22023', 'referrals[1].phone: is required', 'one wrong field refuses the whole submission');
select is(
  (select row(children, sales, (select count(*) from public.lead_presentations p
     where p.client_submission_id = md5('submission two')::uuid))::text
   from public.lead_demographics join public.lead_metrics using (lead_id) where lead_id = md5('lead')::uuid),
  '(3,1,0)', 'of a refused submission nothing is stored');

select * from finish();
rollback;
