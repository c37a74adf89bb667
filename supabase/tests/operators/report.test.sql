-- The report of leads, compared with the same counts made in the plainest way, over random leads.
begin;
select plan(48);
\ir ../helpers.psql

select setseed(0.20261122);
select pg_temp.create_vendor('vendor ' || n) from generate_series(1, 3) n;
select pg_temp.create_agency(name, timezone, variadic array[name || ' ann', name || ' bob'])
from (values ('east', 'America/New_York'), ('west', 'America/Los_Angeles'), ('tokyo', 'Asia/Tokyo')) a (name, timezone);
insert into public.recruiting_orders (id, agency_id, quantity, status)
select md5('order ' || name)::uuid, md5(name)::uuid, 1000, 'paused' from unnest(array['east', 'west', 'tokyo']) name;

create function pg_temp.pick(variadic choices text[]) returns text language sql as $$
  select choices[1 + floor(random() * cardinality(choices))::integer]
$$;
-- Around the day on which the clocks of the United States go forward.
create function pg_temp.moment() returns timestamptz language sql as $$
  select timestamptz '2026-03-05T00:00Z' + random() * interval '7 days'
$$;

insert into public.recruiting_leads (
  id, vendor_id, first_name, vendor_metadata, distribution, agency_id, agent_id, order_id, distributed_at, created_at)
select
  md5('lead ' || n)::uuid, md5('vendor ' || 1 + n % 3)::uuid, 'Lead',
  jsonb_strip_nulls(jsonb_build_object('phone', '+1312555' || 1000 + n % 200, 'state', pg_temp.pick('TX', 'IL', null))),
  case when agency is not null then pg_temp.pick('distributed', 'distributed', 'not_requested')
    else pg_temp.pick('unmatched', 'pending', 'not_requested') end,
  md5(agency)::uuid, case when n % 4 > 0 then md5(agency || pg_temp.pick(' ann', ' bob'))::uuid end,
  case when n % 5 > 0 then md5('order ' || agency)::uuid end, case when agency is not null then pg_temp.moment() end, pg_temp.moment()
from generate_series(1, 400) n, lateral (select pg_temp.pick('east', 'west', 'tokyo', null) as agency where n > 0) a;
insert into public.lead_returns (recruiting_lead_id, agency_id, order_id, agent_id, distributed_at, reason, created_at)
select l.id, l.agency_id, l.order_id, l.agent_id, l.distributed_at, 'wrong number', l.distributed_at + random() * interval '4 days'
from public.recruiting_leads l
where l.first_name = 'Lead' and l.distribution = 'distributed' and l.order_id is not null and random() < 0.3;
update public.recruiting_leads l
set distribution = 'returned', agency_id = null, order_id = null, agent_id = null, distributed_at = null
from public.lead_returns r where r.recruiting_lead_id = l.id;
insert into public.recruiting_conversations (id, recruiting_lead_id, agency_id, recruit_phone, service_phone)
select md5('talk ' || n)::uuid, md5('lead ' || 1 + n % 250)::uuid, md5('east')::uuid, '+1312666' || 1000 + n, '+13125550100'
from generate_series(1, 300) n;
insert into public.recruiting_messages (conversation_id, direction, sender_type, provider_message_id, status)
select
  md5('talk ' || 1 + n % 300)::uuid, direction, case direction when 'inbound' then 'recruit' else 'bot' end,
  case when random() < 0.7 then 'SM' || n end, pg_temp.pick('queued', 'sent', 'delivered', 'failed', null)
from generate_series(1, 500) n, lateral (select pg_temp.pick('inbound', 'outbound') as direction where n > 0) m;
update public.recruiting_conversations c set last_message_at = m.created_at
from public.recruiting_messages m where m.conversation_id = c.id and m.direction = 'inbound';
insert into public.text_consents (agency_id, phone, state, source)
select md5(agency)::uuid, '+1312555' || 1000 + n, pg_temp.pick('opted_in', 'opted_out'), 'keyword'
from generate_series(0, 199) n, unnest(array['east', 'west', 'tokyo']) agency where random() < 0.3;
insert into public.recruiting_lead_duplicates (lead_id, vendor_id, received_at)
select l.id, l.vendor_id, pg_temp.moment() from public.recruiting_leads l where l.first_name = 'Lead' and random() < 0.4;
insert into public.rejected_deliveries (request_id, route, vendor_id, code, reason, payload_bytes, context, received_at)
select
  'r', '/', md5('vendor ' || nullif(n % 4, 0))::uuid, 'BAD_REQUEST', pg_temp.pick('no name', 'too large', 'no JSON'), 1,
  case when n % 4 > 0 then '{}' else jsonb_build_object(
    'agency_id', md5(agency)::uuid, 'agent_id', md5(agency || pg_temp.pick(' ann', ' bob', ' nobody'))::uuid) end, pg_temp.moment()
from generate_series(1, 200) n, lateral (select pg_temp.pick('east', 'west', 'nowhere') as agency where n > 0) a;
insert into public.leads (id, agency_id, agent_id, first_name, phone, state, type, source, created_at)
select
  md5('sale ' || n)::uuid, md5(agency)::uuid, md5(agency || pg_temp.pick(' ann', ' bob'))::uuid, 'Sale', '1', 'IL', 'fe',
  pg_temp.pick('platform', 'platform', 'manual'), pg_temp.moment()
from generate_series(1, 150) n, lateral (select pg_temp.pick('east', 'west', 'tokyo') as agency where n > 0) a;

-- One row for each thing that a report counts, with all that it may be by.
create function pg_temp.things(since date, until date, zone text, only_vendor uuid, only_agency uuid)
returns table (field text, reason text, vendor text, agency text, agent text, "order" text, state text, day text, month text)
language sql as $$
  with deliveries as (
    select d.*, g.id as of_agency, a.id as of_agent, coalesce(g.timezone, zone) as timezone
    from public.rejected_deliveries d
    left join public.agencies g on g.id = (d.context ->> 'agency_id')::uuid
    left join public.agents a on a.id = (d.context ->> 'agent_id')::uuid and a.agency_id = g.id
  ),
  recruits as (
    select l.id, l.vendor_id, l.phone, l.email, l.vendor_metadata, l.state, l.distribution, l.created_at, p.*, coalesce(g.timezone, zone) as timezone
    from public.recruiting_leads l
    left join public.lead_returns r on r.recruiting_lead_id = l.id
    cross join lateral (
      select coalesce(l.agency_id, r.agency_id), coalesce(l.agent_id, r.agent_id), coalesce(l.order_id, r.order_id)
    ) p (agency_id, agent_id, order_id)
    left join public.agencies g on g.id = p.agency_id
  ),
  texts as (
    select c.recruiting_lead_id, m.*
    from public.recruiting_messages m join public.recruiting_conversations c on c.id = m.conversation_id
  ),
  things as (
    select 'created' as field, null as reason, l.vendor_id, l.agency_id, l.agent_id, l.order_id, l.state, l.created_at as at, l.timezone
    from recruits l
    union all
    select 'distributed', null, l.vendor_id, l.agency_id, l.agent_id, l.order_id, l.state, l.created_at, l.timezone
    from recruits l where l.distribution = 'distributed'
    union all
    select 'returned', null, l.vendor_id, l.agency_id, l.agent_id, l.order_id, l.state, l.created_at, l.timezone
    from recruits l where l.distribution = 'returned'
    union all
    select 'unmatched', null, l.vendor_id, l.agency_id, l.agent_id, l.order_id, l.state, l.created_at, l.timezone
    from recruits l where l.distribution in ('unmatched', 'pending')
    union all
    select 'texted', null, l.vendor_id, l.agency_id, l.agent_id, l.order_id, l.state, l.created_at, l.timezone
    from recruits l
    where exists (
      select from texts t
      where t.recruiting_lead_id = l.id and t.direction = 'outbound' and t.provider_message_id is not null
        and coalesce(t.status, '') <> 'failed')
    union all
    select 'answered', null, l.vendor_id, l.agency_id, l.agent_id, l.order_id, l.state, l.created_at, l.timezone
    from recruits l where exists (select from texts t where t.recruiting_lead_id = l.id and t.direction = 'inbound')
    union all
    select 'opted_out', null, l.vendor_id, l.agency_id, l.agent_id, l.order_id, l.state, l.created_at, l.timezone
    from recruits l where exists (
      select from public.text_consents c where c.agency_id = l.agency_id and c.phone = l.phone and c.state = 'opted_out')
    union all
    select
      case when exists (
        select from public.recruiting_leads e
        where e.created_at < l.created_at and (e.phone = l.phone or e.email = l.email) and e.distribution <> 'returned'
          and not coalesce((e.vendor_metadata ->> 'is_test')::boolean, false)
      ) then 'repeats' else 'first' end,
      null, l.vendor_id, l.agency_id, l.agent_id, l.order_id, l.state, l.created_at, l.timezone
    from recruits l where not coalesce((l.vendor_metadata ->> 'is_test')::boolean, false)
    union all
    select 'duplicates', null, l.vendor_id, l.agency_id, l.agent_id, l.order_id, l.state, p.received_at, l.timezone
    from public.recruiting_lead_duplicates p join recruits l on l.id = p.lead_id
    union all
    select f.field, case f.field when 'refused_by_reason' then d.reason end, d.vendor_id, d.of_agency, d.of_agent, null, null,
      d.received_at, d.timezone
    from deliveries d, unnest(array['refused', 'refused_by_reason']) f (field)
    union all
    select 'created', null, null, l.agency_id, l.agent_id, null, l.state, l.created_at, g.timezone
    from public.leads l join public.agencies g on g.id = l.agency_id where l.source = 'platform'
  )
  select t.field, t.reason, coalesce(v.slug, 'import'), t.agency_id::text, t.agent_id::text, t.order_id::text, t.state,
    (t.at at time zone t.timezone)::date::text, to_char(t.at at time zone t.timezone, 'YYYY-MM')
  from things t left join public.vendors v on v.id = t.vendor_id
  where (t.at at time zone t.timezone)::date between since and until and (only_vendor is null or t.vendor_id = only_vendor)
    and (only_agency is null or t.agency_id = only_agency)
$$;

-- A row of a report as one line for each count that is not 0.
create function pg_temp.lines(key text, counts jsonb)
returns table (key text, field text, reason text, number integer) language sql as $$
  select lines.key, c.field, null, c.value::text::integer
  from jsonb_each(counts) c (field, value) where jsonb_typeof(c.value) = 'number' and c.value <> '0'
  union all
  select lines.key, 'refused_by_reason', r.key, r.value::integer from jsonb_each_text(counts -> 'refused_by_reason') r
$$;

create temp table periods as
select * from (values
  ('of all days', date '2026-03-01', date '2026-03-20', 'UTC', null::uuid, null::uuid),
  ('of two days, one with 23 hours', '2026-03-07', '2026-03-08', 'America/Chicago', null, null),
  ('of a vendor', '2026-03-06', '2026-03-09', 'Asia/Kolkata', md5('vendor 2')::uuid, null),
  ('of an agency', '2026-03-06', '2026-03-09', 'UTC', null, md5('east')::uuid)
) c (name, since, until, zone, only_vendor, only_agency);
-- All groupings of all days, and two of the others.
create temp table cases as
select * from periods, (values
  ('vendor', 'vendor'), ('agency', 'agency_id'), ('agent', 'agent_id'), ('order', 'order_id'), ('state', 'state'), ('day', 'day'),
  ('month', 'month')
) b (by, key)
where name = 'of all days' or by in ('vendor', 'day');

create temp table expected as
select p.name as period, t.* from periods p, pg_temp.things(p.since, p.until, p.zone, p.only_vendor, p.only_agency) t;
create temp table reports as
select c.name as period, c.by, c.key, public.report_leads(c.by, c.since, c.until, c.zone, c.only_vendor, c.only_agency) as report
from cases c;
select set_eq(
  format(
    $$select l.* from reports x, jsonb_array_elements(x.report -> 'rows') r (counts), pg_temp.lines(r.counts ->> x.key, r.counts) l
      where (x.period, x.by) = (%L, %L)$$, name, by),
  format(
    $$select %1$I, field, reason, count(*)::integer from expected
      where period = %2$L and (%1$L = 'vendor' or field not in ('repeats', 'first')) group by 1, 2, 3$$, by, name),
  format('the rows of a report by %s %s', by, name))
from cases;
select set_eq(
  format(
    $$select l.* from reports x, pg_temp.lines(null, x.report -> 'totals') l where (x.period, x.by) = (%L, %L)$$, name, by),
  format(
    $$select null::text, field, reason, count(*)::integer from expected
      where period = %L and (%L = 'vendor' or field not in ('repeats', 'first')) group by 2, 3$$, name, by),
  format('the totals %s are the same by %s', name, by))
from cases;

-- By the day on which an order got them, also those that were returned later; and those that were returned.
create function pg_temp.placements(since date, until date, only_vendor uuid, only_agency uuid)
returns table (field text, vendor text, agency text, agent text, "order" text, state text, day text, month text) language sql as $$
  select t.field, v.slug, t.agency_id::text, t.agent_id::text, t.order_id::text, l.state, d.day::text, to_char(d.day, 'YYYY-MM')
  from (
    select 'distributed' as field, l.id, l.agency_id, l.agent_id, l.order_id, l.distributed_at as at
    from public.recruiting_leads l where l.order_id is not null
    union all
    select 'distributed', r.recruiting_lead_id, r.agency_id, r.agent_id, r.order_id, r.distributed_at from public.lead_returns r
    union all
    select 'returned', r.recruiting_lead_id, r.agency_id, r.agent_id, r.order_id, r.created_at from public.lead_returns r
  ) t
  join public.recruiting_leads l on l.id = t.id
  join public.vendors v on v.id = l.vendor_id
  join public.agencies g on g.id = t.agency_id
  cross join lateral (select (t.at at time zone g.timezone)::date as day) d
  where d.day between since and until and (only_vendor is null or l.vendor_id = only_vendor)
    and (only_agency is null or t.agency_id = only_agency)
$$;
select set_eq(
  format(
    $$select l.key, l.field, l.number
      from jsonb_array_elements(public.report_leads(%1$L, %2$L, %3$L, %4$L, %5$L, %6$L, 'distributed') -> 'rows') r (counts),
        pg_temp.lines(r.counts ->> %7$L, r.counts) l$$,
    by, since, until, zone, only_vendor, only_agency, key),
  format(
    $$select %1$I, field, count(*)::integer from pg_temp.placements(%2$L, %3$L, %4$L, %5$L) group by 1, 2$$,
    by, since, until, only_vendor, only_agency),
  format('by the day of distribution, the rows of a report by %s %s', by, name))
from cases;
create temp table sums as
select public.report_leads('agency', '2026-03-01', '2026-03-09', day_of => 'distributed') -> 'rows' as before;
do $$
begin
  perform public.return_lead(l.id, 'late')
  from (
    select l.id from public.recruiting_leads l where l.order_id is not null and l.distributed_at < '2026-03-09T00:00Z' order by l.id limit 3
  ) l;
end
$$;
select is(
  public.report_leads('agency', '2026-03-01', '2026-03-09', day_of => 'distributed') -> 'rows', before,
  'a lead that is returned now changes no sum of days that are over')
from sums;

create function pg_temp.report_row(by text, field text, value text) returns jsonb language sql as $$
  select r.counts from jsonb_array_elements(public.report_leads(by, '2026-03-01', '2026-03-20') -> 'rows') r (counts)
  where r.counts ->> field is not distinct from value
$$;
select is(
  pg_temp.report_row('vendor', 'vendor', 'import') - 'created' - 'refused' - 'refused_by_reason',
  '{"vendor": "import", "duplicates": null, "distributed": null, "returned": null, "unmatched": null, "texted": null,
    "answered": null, "opted_out": null, "repeats": null, "first": null}', 'what is not known of imported leads is null');
select is(
  (select array_agg(k order by k) from jsonb_object_keys(pg_temp.report_row('agent', 'agent_id', md5('east ann')::uuid::text)) k),
  array['agency', 'agent', 'agent_id', 'answered', 'created', 'distributed', 'duplicates', 'opted_out', 'refused',
    'refused_by_reason', 'returned', 'texted', 'unmatched'], 'a row has the names of what it is about, and the counts');
select is(
  (select array_agg(r ->> 'day' order by n)
    from jsonb_array_elements(public.report_leads('day', '2026-03-07', '2026-03-10') -> 'rows') with ordinality as rows (r, n)),
  array['2026-03-10', '2026-03-09', '2026-03-08', '2026-03-07'], 'days stand with the newest first');

delete from public.recruiting_lead_duplicates;
delete from public.rejected_deliveries;
delete from public.leads;
update public.recruiting_leads set created_at = now() - interval '1 day' * (case when id = md5('lead 1')::uuid then 0 else 8 end);
select is(
  (public.report_leads() #>> '{totals,created}')::integer, 1, 'a report is of seven days, unless more are asked for');
select is(
  public.report_leads('day', '2020-01-01', '2020-01-02'),
  '{"rows": [], "totals": {"created": 0, "duplicates": 0, "refused": 0, "refused_by_reason": {}, "distributed": 0,
    "returned": 0, "unmatched": 0, "texted": 0, "answered": 0, "opted_out": 0}}', 'where nothing came, the totals are 0');
select throws_ok(
  $$select public.report_leads('week')$$, 'PT400', 'by: must be vendor, agency, agent, order, state, day or month', 'an unknown kind of row');
select throws_ok(
  $$select public.report_leads(day_of => 'returned')$$, 'PT400', 'day_of: must be received or distributed', 'an unknown moment');
select throws_ok(
  $$select public.report_leads(timezone => 'Mars/Base')$$, 'PT400', 'timezone: "Mars/Base" is not an IANA time zone name',
  'an unknown time zone');

select * from finish();
rollback;
