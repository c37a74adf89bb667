-- Leads in a list, by what is known of them, and what happened to one.
begin;
select plan(51);
\ir ../helpers.psql

update public.recruiting_orders set status = 'paused';
select pg_temp.create_vendor('one'), pg_temp.create_vendor('other');
select pg_temp.create_agency('east', 'America/New_York', 'ann', 'bob'), pg_temp.create_agency('tokyo', 'Asia/Tokyo', 'cho');
insert into public.recruiting_orders (id, agency_id, quantity) select md5('order')::uuid, md5('east')::uuid, 10;
create function pg_temp.add_lead(name text, vendor text, at timestamptz, distribution text, agency text default null,
  agent text default null, order_name text default null, metadata jsonb default '{}')
returns void language plpgsql as $$
begin
  insert into public.recruiting_leads (
    id, vendor_id, vendor_lead_id, first_name, vendor_metadata, distribution, agency_id, agent_id, order_id, distributed_at,
    created_at)
  values (
    md5(name)::uuid, md5(vendor)::uuid, 'ref ' || name, initcap(name), metadata, distribution, md5(agency)::uuid,
    md5(agent)::uuid, md5(order_name)::uuid, case when agency is not null then at end, at);
end
$$;
select
  pg_temp.add_lead('first', 'one', '2026-03-08T04:59Z', 'distributed', 'east', 'ann', 'order'),
  pg_temp.add_lead('second', 'other', '2026-03-08T05:00Z', 'distributed', 'east', 'bob', 'order'),
  -- Their time is the same.
  pg_temp.add_lead('third', 'one', '2026-03-08T15:30Z', 'distributed', 'tokyo', 'cho'),
  pg_temp.add_lead('fourth', 'one', '2026-03-08T15:30Z', 'unmatched'),
  pg_temp.add_lead('fifth', 'one', '2026-03-09T04:00Z', 'distributed', 'east', null, 'order',
    '{"last_name": "O''Hara", "phone": "(312) 555-0142", "email": "Fifth@Example.com", "state": "IL"}');

-- The names of the leads that a call of list_leads() returns, in lower case.
create function pg_temp.listed(arguments text) returns text language plpgsql as $$
declare
  names text;
begin
  execute format(
    $sql$select string_agg(v.vendor_lead_id, ' ' order by v.n)
      from (
        select substr(l.vendor_lead_id, 5) as vendor_lead_id, row_number() over () as n
        from public.list_leads(%s) l
        where l.vendor in ('test-one', 'test-other')
      ) v$sql$,
    arguments) into names;
  return coalesce(names, '');
end
$$;
create function pg_temp.newest_of(variadic names text[]) returns text language sql as $$
  select string_agg(name, ' ' order by md5(name)::uuid desc) from unnest(names) name
$$;

select is(pg_temp.listed(arguments), expected, 'list: ' || arguments)
from (values
  ($$since => '2026-03-01', until => '2026-03-30'$$, 'fifth ' || pg_temp.newest_of('third', 'fourth') || ' second first'),
  ($$of_vendor => md5('other')::uuid$$, 'second'),
  ($$of_agency => md5('east')::uuid$$, 'fifth second first'),
  ($$of_agent => md5('bob')::uuid$$, 'second'),
  ($$of_order => md5('order')::uuid$$, 'fifth second first'),
  ($$of_distribution => 'unmatched', of_vendor => md5('one')::uuid$$, 'fourth'),
  ($$of_vendor => md5('one')::uuid, of_agency => md5('east')::uuid$$, 'fifth first'),
  ($$of_vendor => md5('other')::uuid, of_agent => md5('cho')::uuid$$, ''),
  -- March 8 has 23 hours in New York, from 05:00 to 04:00 in UTC.
  ($$of_agency => md5('east')::uuid, since => '2026-03-08', until => '2026-03-08'$$, 'second'),
  ($$of_agency => md5('east')::uuid, until => '2026-03-07'$$, 'first'),
  ($$of_agency => md5('east')::uuid, since => '2026-03-09'$$, 'fifth'),
  ($$of_agency => md5('tokyo')::uuid, since => '2026-03-09', until => '2026-03-09'$$, 'third'),
  ($$of_distribution => 'unmatched', since => '2026-03-08', until => '2026-03-08'$$, 'fourth'),
  ($$of_distribution => 'unmatched', since => '2026-03-09', until => '2026-03-09', timezone => 'Asia/Tokyo'$$, 'fourth'),
  ($$of_agency => md5('east')::uuid, since => '2026-03-08', timezone => 'Asia/Tokyo', until => '2026-03-08'$$, 'second'),
  ($$of_state => 'IL', of_vendor => md5('one')::uuid$$, 'fifth'),
  ($$of_state => 'TX', of_vendor => md5('one')::uuid$$, ''),
  -- The days on which they were distributed are the agency's too.
  ($$distributed_since => '2026-03-08', distributed_until => '2026-03-08'$$, 'second'),
  ($$distributed_until => '2026-03-07'$$, 'first'),
  ($$distributed_since => '2026-03-09'$$, 'fifth third'),
  ($$distributed_since => '2026-03-09', timezone => 'Asia/Tokyo', of_agency => md5('east')::uuid$$, 'fifth'),
  ($$of_agency => md5('east')::uuid, max_leads => 2$$, 'fifth second'),
  ($$of_agency => md5('east')::uuid, max_leads => 2, after => md5('second')::uuid$$, 'first'),
  ($$of_agency => md5('east')::uuid, after => md5('first')::uuid$$, '')
) c (arguments, expected);
select results_eq(
  $$select id, received, vendor, vendor_lead_id, name, phone, email, state, distribution, distributed_at, agency, agent,
      agency_id, agent_id, order_id, returned_at, return_reason
    from public.list_leads(of_agency => md5('east')::uuid, max_leads => 1)$$,
  $$values (md5('fifth')::uuid, timestamptz '2026-03-09T04:00Z', 'test-one', 'ref fifth', 'Fifth O''Hara', '(312) 555-0142',
    'Fifth@Example.com', 'IL', 'distributed', timestamptz '2026-03-09T04:00Z', 'east', null::text,
    md5('east')::uuid, null::uuid, md5('order')::uuid, null::timestamptz, null::text)$$,
  'what a list has of a lead');
select results_eq(
  $$select l.id, l.received, l.vendor, l.vendor_lead_id, l.distribution, l.agency, l.agent
    from public.lead_list l
    where l.vendor = 'test-one' and l.received < '2026-04-01'
    order by l.received desc, l.id <> md5('third')::uuid$$,
  $$values
    (md5('fifth')::uuid, timestamptz '2026-03-09T04:00Z', 'test-one', 'ref fifth', 'distributed', 'east', null),
    (md5('third')::uuid, '2026-03-08T15:30Z', 'test-one', 'ref third', 'distributed', 'tokyo', 'cho'),
    (md5('fourth')::uuid, '2026-03-08T15:30Z', 'test-one', 'ref fourth', 'unmatched', null, null),
    (md5('first')::uuid, '2026-03-08T04:59Z', 'test-one', 'ref first', 'distributed', 'east', 'ann')$$,
  'what operators'' list has of leads');

-- Pages of one lead each, while leads of the same and of later times arrive
create temp table pages (n serial, id uuid);
do $$
declare
  last_id uuid;
begin
  loop
    select l.id into last_id
    from public.list_leads(since => '2026-03-01', until => '2026-03-30', after => last_id, max_leads => 1) l;
    exit when not found;
    insert into pages (id) values (last_id);
    perform pg_temp.add_lead('new ' || (select max(n) from pages), 'one', '2026-03-10T00:00Z', 'unmatched');
  end loop;
end
$$;
select is(
  (select array_agg(substr(l.vendor_lead_id, 5) order by p.n) from pages p join public.recruiting_leads l using (id)),
  string_to_array('fifth ' || pg_temp.newest_of('third', 'fourth') || ' second first', ' '),
  'pages neither repeat nor skip a lead while others arrive');


-- A returned lead stands once, with who had it.
update public.recruiting_orders set filled = 3 where id = md5('order')::uuid;
select set_config('admin.operator', 'olivia', true), public.return_lead(md5('second')::uuid, 'wrong number');
select results_eq(
  $$select id, distribution, distributed_at, agency, agent, order_id, returned_at is not null, return_reason
    from public.list_leads(of_agency => md5('east')::uuid, distributed_since => '2026-03-08', distributed_until => '2026-03-08')$$,
  $$values (md5('second')::uuid, 'returned', timestamptz '2026-03-08T05:00Z', 'east', 'bob', md5('order')::uuid, true,
    'wrong number')$$,
  'a returned lead is listed once, with the agency, agent and order that had it');
select results_eq(
  $$select e ->> 'event', e ->> 'detail' from json_array_elements(public.show_lead(md5('second')::uuid) -> 'timeline') e$$,
  $$values ('stored', ''), ('distributed', 'to bob of east by the order ' || md5('order')::uuid),
    ('returned', 'from bob of east by olivia: wrong number')$$,
  'what happened to it');
select is(pg_temp.listed($$of_distribution => 'returned', of_vendor => md5('other')::uuid$$), 'second', 'list: returned');

select throws_ok(
  $$select public.list_leads(after => md5('nobody')::uuid)$$, 'PT404', 'after: there is no lead ' || md5('nobody')::uuid,
  'an unknown page');
select throws_ok(
  $$select public.list_leads(timezone => 'Mars/Base')$$, 'PT400', 'timezone: "Mars/Base" is not an IANA time zone name',
  'an unknown time zone');

-- Facts about a lead
insert into public.leads (id, external_id, agency_id, agent_id, first_name, phone, phone_e164, state, type)
values (md5('sale')::uuid, md5('outside')::uuid, md5('east')::uuid, md5('ann')::uuid, 'Sal', '312 555 0142', '+13125550142', 'IL', 'fe');
insert into public.rejected_deliveries (id, request_id, route, vendor_id, vendor_lead_id, code, reason, payload, payload_bytes)
values (md5('delivery')::uuid, 'r', '/', md5('one')::uuid, 'ref fifth', 'BAD_REQUEST', 'no name', '{"tel": "+1 312.555.0142"}', 1);
select is(
  (select string_agg(f.kind || ' ' || f.sender, ', ') from public.find_leads(search) f), expected, 'found by ' || search)
from (values
  ('ref fifth', 'recruiting test-one, delivery test-one'),
  (' FIFTH@example.com ', 'recruiting test-one'),
  ('o''hara', 'recruiting test-one'),
  ('fifth O''HARA', 'recruiting test-one'),
  ('+13125550142', 'recruiting test-one, sales platform, delivery test-one'),
  ('555-0142', 'recruiting test-one, sales platform, delivery test-one'),
  ('0142', 'delivery test-one'),
  (md5('sale')::uuid::text, 'sales platform'),
  (left(upper(md5('sale')), 8), 'sales platform'),
  (left(md5('sale'), 7), null),
  (md5('outside')::uuid::text, 'sales platform'),
  ('Sal', 'sales platform'),
  ('nobody', null)
) c (search, expected);
insert into public.recruiting_leads (vendor_id, vendor_lead_id, first_name, distribution, created_at)
values (md5('one')::uuid, '5550142', 'Old', 'not_requested', now() - interval '1 year');
select is(
  (select array_agg((f.sender_id, f.by_sender_id)::text) from public.find_leads('5550142', 1) f where f.kind = 'recruiting'),
  '{"(5550142,t)"}', 'the very id of the sender goes before what came later');
delete from public.recruiting_leads l where l.vendor_lead_id = '5550142';
select throws_ok($$select public.find_leads(' ')$$, 'PT400', 'search: must not be blank', 'a search for nothing');

select is(
  (select array_agg(e ->> 'event' order by n)
    from json_array_elements(public.show_lead(md5('fifth')::uuid) -> 'timeline') with ordinality as events (e, n)),
  array['stored', 'distributed', 'refused'], 'what happened to a lead');
select is(
  (public.show_lead(md5('fifth')::uuid) -> 'lead')::jsonb - 'vendor_metadata',
  jsonb_build_object(
    'id', md5('fifth')::uuid, 'vendor', 'test-one', 'vendor_lead_id', 'ref fifth', 'name', 'Fifth O''Hara',
    'phone', '(312) 555-0142', 'email', 'Fifth@Example.com', 'state', 'IL', 'distribution', 'distributed', 'agency', 'east',
    'agent', '', 'resume_path', null, 'received_via', null, 'request_id', null), 'what is shown of a lead');
select is(public.show_lead(md5('sale')::uuid) ->> 'kind', 'sales', 'a sales lead is shown as well');
select throws_ok(
  $$select public.show_lead(md5('nobody')::uuid)$$, 'PT404', 'lead_id: there is no such lead', 'an unknown lead');

select * from finish();
rollback;
