-- lead_metrics always has the right counts, with any writer of the rows that it counts.
begin;
select plan(15);
\ir ../helpers.psql

select pg_temp.create_agency('agency', 'UTC', 'agent');
select pg_temp.create_lead('lead ' || n, 'agent') from generate_series(1, 3) n;

create view pg_temp.metrics as
select presentations_started as started, presentations_resumed as resumed, presentations_paused as paused,
  presentations_submitted as submitted, sales, annual_premium as premium, referrals, last_activity_at
from public.lead_metrics
where lead_id = md5('lead 1')::uuid;

select is(
  (select count(*)::integer from public.lead_metrics m join public.leads l on l.id = m.lead_id where l.agency_id = md5('agency')::uuid),
  3, 'every new lead has a row');
select row_eq('select * from metrics', row(0, 0, 0, 0, 0, 0::numeric(14, 2), 0, null::timestamptz), 'in a new row every count is zero');

insert into public.lead_activities (lead_id, agent_id, type, occurred_at) values
  (md5('lead 1')::uuid, md5('agent')::uuid, 'presentation_started', '2026-01-05 10:00Z'),
  (md5('lead 1')::uuid, md5('agent')::uuid, 'presentation_paused', '2026-01-05 10:10Z'),
  (md5('lead 1')::uuid, md5('agent')::uuid, 'presentation_resumed', '2026-01-05 10:20Z'),
  (md5('lead 1')::uuid, md5('agent')::uuid, 'presentation_paused', '2026-01-05 10:05Z');
select row_eq(
  'select * from metrics', row(1, 1, 2, 0, 0, 0::numeric(14, 2), 0, '2026-01-05 10:20Z'::timestamptz),
  'activities are counted by type, and last_activity_at is the latest');
delete from public.lead_activities where type = 'presentation_paused' and occurred_at = '2026-01-05 10:05Z';
select is(paused, 1, 'a deleted activity is not counted') from metrics;

insert into public.lead_presentations (id, lead_id, agent_id, submitted_at) values
  (md5('p1')::uuid, md5('lead 1')::uuid, md5('agent')::uuid, '2026-01-06'),
  (md5('p2')::uuid, md5('lead 1')::uuid, md5('agent')::uuid, '2026-01-04');
insert into public.lead_sales (id, presentation_id, lead_id, agent_id, product, annual_premium) values
  (md5('s1')::uuid, md5('p1')::uuid, md5('lead 1')::uuid, md5('agent')::uuid, 'Term', 1200.50),
  (md5('s2')::uuid, md5('p2')::uuid, md5('lead 1')::uuid, md5('agent')::uuid, 'Whole', 99.50);
insert into public.lead_referrals (presentation_id, lead_id, agent_id, first_name, phone)
select md5('p1')::uuid, md5('lead 1')::uuid, md5('agent')::uuid, 'Ron', '1' from generate_series(1, 3);
select row_eq(
  'select * from metrics', row(1, 1, 1, 2, 2, 1300::numeric(14, 2), 3, '2026-01-06Z'::timestamptz),
  'presentations, sales, premiums and referrals are counted');

update public.lead_sales set annual_premium = 1000 where id = md5('s1')::uuid;
select is(premium, 1099.50, 'a corrected premium replaces the earlier one') from metrics;
select is(sales, 2, 'a corrected sale is still one sale') from metrics;
delete from public.lead_sales where id = md5('s1')::uuid;
select is(premium, 99.50, 'the premium of a deleted sale is not counted') from metrics;
delete from public.lead_presentations where id = md5('p1')::uuid;
select row_eq(
  'select * from metrics', row(1, 1, 1, 1, 1, 99.50::numeric(14, 2), 0, '2026-01-06Z'::timestamptz),
  'the sales and referrals of a deleted presentation are not counted');

select is(
  (select sum(presentations_started + presentations_submitted + sales + referrals)::integer from public.lead_metrics
   where lead_id in (md5('lead 2')::uuid, md5('lead 3')::uuid)),
  0, 'other leads'' counts do not change');

update public.lead_sales set annual_premium = 999999999999.99 where id = md5('s2')::uuid;
insert into public.lead_sales (presentation_id, lead_id, agent_id, product, annual_premium)
values (md5('p2')::uuid, md5('lead 1')::uuid, md5('agent')::uuid, 'Whole', 999999999999.99);
select is(premium, 1999999999999.98, 'the sum of the largest possible premiums fits') from metrics;

delete from public.leads where id = md5('lead 1')::uuid;
select is_empty('select * from metrics', 'a deleted lead has no metrics');

-- updated_at
update public.leads set created_at = '2020-01-01', updated_at = '2020-01-01' where id = md5('lead 2')::uuid;
select is(updated_at, now(), 'updated_at is the time of the change, even when the update sets another')
from public.leads where id = md5('lead 2')::uuid;
select is(created_at, '2020-01-01'::timestamptz, 'created_at may be set')
from public.leads where id = md5('lead 2')::uuid;
update public.lead_metrics set updated_at = '2020-01-01' where lead_id = md5('lead 2')::uuid;
select is(updated_at, now(), 'updated_at of lead_metrics is the time of the change too')
from public.lead_metrics where lead_id = md5('lead 2')::uuid;

select * from finish();
rollback;
