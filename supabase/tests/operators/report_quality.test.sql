-- What leads are worth, compared with counts made in the plainest way over random leads; and who may read it.
begin;
select plan(32);
\ir ../helpers.psql

select setseed(0.20261128);
select pg_temp.create_people();
update public.agencies set timezone = 'America/New_York' where id = md5('agency')::uuid;
select pg_temp.create_vendor('vendor ' || n) from generate_series(1, 3) n;
insert into public.recruiting_orders (id, agency_id, quantity, status)
select md5('order ' || name)::uuid, md5(name)::uuid, 1000, 'paused' from unnest(array['agency', 'elsewhere']) name;
-- A day of the latest year in which all of these days are over: only the last 400 days are counted.
create function pg_temp.day(month_and_day text) returns date language sql as $$
  select (extract(year from now() - interval '75 days') || '-' || month_and_day)::date
$$;
create function pg_temp.pick(variadic choices text[]) returns text language sql as $$
  select choices[1 + floor(random() * cardinality(choices))::integer]
$$;
-- The leads of few persons, so that many come again: by the phone, by the address, or by both.
insert into public.recruiting_leads (
  id, vendor_id, first_name, vendor_metadata, distribution, agency_id, order_id, distributed_at, created_at)
select
  md5('lead ' || n)::uuid, md5('vendor ' || 1 + n % 3)::uuid, 'Lead',
  jsonb_strip_nulls(jsonb_build_object(
    'phone', case when n % 3 > 0 then '+1312555' || 1000 + floor(random() * 150) end,
    'email', case when n % 5 > 0 then floor(random() * 200) || '@example.com' end, 'is_test', case when n % 50 = 0 then true end)),
  case when agency is null then pg_temp.pick('unmatched', 'not_requested', 'suppressed', 'repeat') else 'distributed' end,
  md5(agency)::uuid, md5('order ' || agency)::uuid, case when agency is not null then moment end, moment
from generate_series(1, 400) n, lateral (
  select pg_temp.pick('agency', 'elsewhere', null) as agency, pg_temp.day('01-25') + timetz '00:00Z' + random() * interval '45 days' as moment
  where n > 0) a;
insert into public.lead_returns (recruiting_lead_id, agency_id, order_id, distributed_at, reason)
select l.id, l.agency_id, l.order_id, l.distributed_at, pg_temp.pick('wrong number', 'no interest')
from public.recruiting_leads l where l.order_id is not null and random() < 0.2;
update public.recruiting_leads l
set distribution = 'returned', agency_id = null, order_id = null, distributed_at = null
from public.lead_returns r where r.recruiting_lead_id = l.id;
-- Some leads have two conversations, and two in three texts are ours.
insert into public.recruiting_conversations (id, recruiting_lead_id, agency_id, recruit_phone, service_phone)
select md5('talk ' || n)::uuid, l.id, l.agency_id, '+1312666' || 1000 + n, '+13125550100'
from generate_series(1, 300) n
join public.recruiting_leads l on l.id = md5('lead ' || 1 + n % 200)::uuid and l.agency_id is not null;
insert into public.recruiting_messages (conversation_id, direction, sender_type, provider_message_id, status)
select
  c.id, direction, case direction when 'inbound' then 'recruit' else 'bot' end, case when random() < 0.7 then 'SM' || n end,
  pg_temp.pick('delivered', 'failed', null)
from generate_series(1, 500) n
cross join lateral (select pg_temp.pick('inbound', 'outbound', 'outbound') as direction where n > 0) m
join public.recruiting_conversations c on c.id = md5('talk ' || 1 + n % 300)::uuid;
update public.recruiting_conversations c set last_message_at = now()
from public.recruiting_messages m where m.conversation_id = c.id and m.direction = 'inbound';
insert into public.text_consents (agency_id, phone, state, source)
select md5(agency)::uuid, '+1312555' || 1000 + n, pg_temp.pick('opted_in', 'opted_out'), 'keyword'
from generate_series(0, 149) n, unnest(array['agency', 'elsewhere']) agency where random() < 0.4;
insert into public.bot_scripts (id, agency_id, version, script) values (md5('script')::uuid, md5('agency')::uuid, 1, '{}');
insert into public.bot_sessions (conversation_id, script_id, question, state, reason)
select c.id, md5('script')::uuid, 'q', pg_temp.pick('done', 'expired', 'stopped'), 'done'
from public.recruiting_conversations c where random() < 0.6;
insert into public.recruit_stages (recruiting_lead_id, agency_id, stage, ended_at)
select l.id, coalesce(l.agency_id, r.agency_id), stage, 'infinity'
from public.recruiting_leads l left join public.lead_returns r on r.recruiting_lead_id = l.id
cross join unnest(array['contacted', 'interview', 'licensed', 'hired', 'lost']) stage
where coalesce(l.agency_id, r.agency_id) is not null and random() < 0.4;

-- The same counts lead by lead.
create function pg_temp.counts(since date, until date, only_agency uuid, zone text)
returns table (vendor_id uuid, figure text, number bigint) language sql as $$
  select l.vendor_id, f.figure, count(*)
  from public.recruiting_leads l
  left join public.lead_returns r on r.recruiting_lead_id = l.id
  cross join lateral (values
    ('leads', true),
    ('repeats', exists (
      select from public.recruiting_leads e
      where e.created_at < l.created_at and (e.phone = l.phone or e.email = l.email) and e.distribution <> 'returned'
        and e.vendor_metadata ->> 'is_test' is null)),
    ('suppressed', l.distribution = 'suppressed'),
    ('returned', r.recruiting_lead_id is not null),
    ('returned: ' || r.reason, r.reason is not null),
    ('texted', exists (
      select from public.recruiting_conversations c join public.recruiting_messages m on m.conversation_id = c.id
      where c.recruiting_lead_id = l.id and m.direction = 'outbound' and m.provider_message_id is not null
        and coalesce(m.status, '') <> 'failed')),
    ('replied', exists (
      select from public.recruiting_conversations c join public.recruiting_messages m on m.conversation_id = c.id
      where c.recruiting_lead_id = l.id and m.direction = 'inbound')),
    ('opted_out', exists (
      select from public.text_consents o
      where o.agency_id in (l.agency_id, r.agency_id) and o.phone = l.phone and o.state = 'opted_out')),
    ('screened', exists (
      select from public.bot_sessions s join public.recruiting_conversations c on c.id = s.conversation_id
      where c.recruiting_lead_id = l.id and s.state = 'done')),
    ('new', l.agency_id is not null or r.recruiting_lead_id is not null)
  ) f (figure, holds)
  where f.holds and l.vendor_metadata ->> 'is_test' is null and (l.created_at at time zone zone)::date between since and until
    and (only_agency is null or only_agency in (l.agency_id, r.agency_id))
  group by 1, 2
  union all
  select l.vendor_id, s.stage, count(distinct l.id)
  from public.recruiting_leads l
  join public.recruit_stages s on s.recruiting_lead_id = l.id and (only_agency is null or s.agency_id = only_agency)
  where (l.created_at at time zone zone)::date between since and until and l.vendor_metadata ->> 'is_test' is null
  group by 1, 2
$$;
create function pg_temp.figures(since date, until date, only_agency uuid, zone text)
returns table (vendor_id uuid, figure text, number bigint) language sql as $$
  select q.vendor_id, f.key, f.value::bigint
  from public.vendor_quality(since, until, only_agency, zone) q
  cross join jsonb_each_text(to_jsonb(q) - array['vendor_id', 'vendor', 'returned_by_reason']) f
  where f.value <> '0'
  union all
  select q.vendor_id, 'returned: ' || r.key, r.value::bigint
  from public.vendor_quality(since, until, only_agency, zone) q cross join jsonb_each_text(q.returned_by_reason) r
$$;
create temp table cases as
select * from (values
  ('of all days', pg_temp.day('01-01'), pg_temp.day('04-01'), null::uuid, 'UTC'),
  ('of some days elsewhere', pg_temp.day('02-03'), pg_temp.day('02-20'), null, 'Asia/Tokyo'),
  ('of one day', pg_temp.day('02-14'), pg_temp.day('02-14'), null, 'UTC'),
  ('of an agency, in its time zone', pg_temp.day('02-03'), pg_temp.day('03-01'), md5('agency')::uuid, 'America/New_York'),
  ('of another agency', pg_temp.day('01-01'), pg_temp.day('04-01'), md5('elsewhere')::uuid, 'UTC')
) c (name, since, until, only_agency, zone);
select set_eq(
  format('select * from pg_temp.figures(%L, %L, %L, %L)', since, until, only_agency, zone),
  format('select * from pg_temp.counts(%L, %L, %L, %L)', since, until, only_agency, zone), 'the figures ' || name)
from cases;
select set_eq(
  $$select distinct c.figure from pg_temp.counts(pg_temp.day('01-01'), pg_temp.day('04-01'), null, 'UTC') c$$,
  $$select unnest(array['leads', 'repeats', 'suppressed', 'returned', 'returned: wrong number', 'returned: no interest', 'texted',
    'replied', 'opted_out', 'screened', 'new', 'contacted', 'interview', 'licensed', 'hired', 'lost'])$$,
  'the leads have each figure');
select is(
  (select array_agg(q.leads) from public.vendor_quality(pg_temp.day('01-01'), pg_temp.day('04-01')) q),
  (select array_agg(q.leads order by q.leads desc) from public.vendor_quality(pg_temp.day('01-01'), pg_temp.day('04-01')) q),
  'the vendor with the most leads stands first');

-- The days that are counted before they are read.
insert into public.recruiting_leads (vendor_id, first_name, vendor_metadata, created_at)
select md5('vendor ' || 1 + n % 3)::uuid, 'Lead', jsonb_build_object('phone', '+1312555' || 1000 + n), pg_temp.day('02-14') + timetz '12:00Z'
from generate_series(1, 120) n;
delete from private.quality_days;
do $$begin while private.count_quality_days() > 0 loop end loop; end$$;
select results_eq(
  $$select d.day, jsonb_array_length(d.counts) from private.quality_days d where d.counts is not null$$,
  $$values (pg_temp.day('02-14'), 3)$$, 'a day with many leads is counted');
insert into cases values ('of a day that is cut in two', pg_temp.day('02-14'), pg_temp.day('02-14'), null, 'Asia/Tokyo');
select set_eq(
  format('select * from pg_temp.figures(%L, %L, %L, %L)', since, until, only_agency, zone),
  format('select * from pg_temp.counts(%L, %L, %L, %L)', since, until, only_agency, zone), 'the figures ' || name || ', counted before')
from cases;
create function pg_temp.leads_of_day() returns bigint language sql as $$
  select sum(q.leads)::bigint from public.vendor_quality(pg_temp.day('02-14'), pg_temp.day('02-14')) q
$$;
create temp table before as select pg_temp.leads_of_day() as leads;
delete from public.recruiting_leads where created_at = pg_temp.day('02-14') + timetz '12:00Z' and phone = '+13125551001';
select is(pg_temp.leads_of_day(), leads, 'what happens to its leads later does not show at once') from before;
update private.quality_days set counted_at = now() - interval '2 days' where day = pg_temp.day('02-14');
select is(private.count_quality_days(), 1, 'a day is counted again after some time');
select is(pg_temp.leads_of_day(), leads - 1, 'which then has what happened since') from before;

-- Who may read it.
create function pg_temp.allowed(person text, agency text) returns text language plpgsql as $$
begin
  perform pg_temp.become(person);
  perform from public.vendor_quality('2026-01-01', '2026-04-01', md5(agency)::uuid);
  perform set_config('role', 'none', true);
  return 'yes';
exception when insufficient_privilege then
  return 'no';
end
$$;
insert into public.operators (user_id) values (md5('user visitor')::uuid);
select is(pg_temp.allowed(person, agency), allowed, format('%s may read %s: %s', person, coalesce(agency, 'all agencies'), allowed))
from (values
  ('visitor', null, 'yes'), ('visitor', 'agency', 'yes'), ('mia', 'agency', 'yes'), ('mia', 'elsewhere', 'no'), ('mia', null, 'no'),
  ('ann', 'agency', 'no'), ('former', 'agency', 'no'), ('anon', 'agency', 'no'), ('service_role', null, 'yes')
) c (person, agency, allowed);
select throws_ok($$select public.vendor_quality('2026-02-02', '2026-02-01')$$, 'PT400', 'until: must be a day from since on', 'days in the wrong order');
select throws_ok(
  $$select public.vendor_quality('2026-02-01', '2026-02-01', timezone => 'Mars/Base')$$, 'PT400',
  'timezone: "Mars/Base" is not an IANA time zone name', 'an unknown time zone');
set local enable_seqscan = off;
select matches(
  pg_temp.plan_of($$select l.id from private.repeated_leads l where l.created_at >= now() - interval '1 day' and l.earlier_id is not null$$),
  'recruiting_leads_created_idx', 'the leads of some days are found by their index');
reset enable_seqscan;

-- How fast agents respond, and what was texted.
delete from public.recruiting_messages;
delete from public.recruiting_conversations;
insert into public.recruiting_conversations (id, agency_id, recruit_phone, service_phone, assigned_agent_id, status, last_text_at)
select md5('chat ' || n)::uuid, md5('agency')::uuid, '+1312777' || 1000 + n, '+13125550100', md5('cal')::uuid, 'escalated',
  '2026-03-04T15:00Z'
from generate_series(1, 5) n;
-- The first four wait 10, 20, 30 and 40 minutes for ann; the last one for nobody yet, and is cal's.
insert into public.recruiting_messages (id, conversation_id, direction, sender_type, sent_by, created_at)
select md5('text ' || n || direction)::uuid, md5('chat ' || n)::uuid, direction,
  case direction when 'inbound' then 'recruit' else 'agent' end, case direction when 'outbound' then md5('ann')::uuid end,
  timestamptz '2026-03-04T15:00Z' + case direction when 'outbound' then n * interval '10 minutes' else interval '0' end
from generate_series(1, 5) n, unnest(array['inbound', 'outbound']) direction where direction = 'inbound' or n < 5;
select results_eq(
  $$select r.week::text, r.agent, r.recruits::integer, r.answered::integer, r.median, r.ninety
    from public.report_responses('2026-03-01', '2026-03-07') r$$,
  $$values ('2026-03-02', 'ann', 4, 4, 20, 40), ('2026-03-02', 'cal', 1, 0, null, null)$$,
  'an agent has the recruits whom the agent answered, and those who wait for the agent');
select is_empty($$select from public.report_responses('2026-03-05', '2026-03-07')$$, 'a recruit counts in the days of the first text');
select is_empty(
  format($$select from public.report_responses('2026-03-01', '2026-03-07', %L)$$, md5('elsewhere')::uuid), 'only of the agency that is asked for');
select * from finish();
rollback;
