-- What becomes of a lead whose person has an earlier lead, of whatever vendor; and of one whose person is suppressed.
begin;
select plan(61);
\ir ../helpers.psql

select pg_temp.create_vendor('first', repeat('a', 64)), pg_temp.create_vendor('second', repeat('b', 64));
select pg_temp.create_agency('agency', 'UTC', 'ann', 'bob'), pg_temp.create_agency('other', 'UTC', 'cal');
insert into public.recruiting_orders (id, agency_id, vendor_id, quantity, priority) values
  (md5('order')::uuid, md5('agency')::uuid, md5('first')::uuid, 1000, 1000),
  (md5('second order')::uuid, md5('other')::uuid, md5('second')::uuid, 1000, 1000);

-- The id of a lead is md5 of its name, and so is its vendor_lead_id.
create function pg_temp.lead_of(name text, phone text, email text default null, more jsonb default '{}') returns jsonb
language sql as $$
  select jsonb_build_object(
    'id', md5(name)::uuid, 'vendor_lead_id', name, 'first_name', 'Ada',
    'vendor_metadata', jsonb_strip_nulls(jsonb_build_object('phone', phone, 'email', email)) || more)
$$;
create function pg_temp.come(name text, vendor text, phone text, email text default null, more jsonb default '{}')
returns jsonb language sql as $$
  select pg_temp.ingest_lead(repeat(case vendor when 'first' then 'a' else 'b' end, 64), pg_temp.lead_of(name, phone, email, more))
$$;
create function pg_temp.filled(name text) returns integer language sql as $$
  select filled from public.recruiting_orders where id = md5(name)::uuid
$$;
create function pg_temp.make_rule(action text, match text[] default '{phone,email}', vendor text default null, agency text default null)
returns void language plpgsql as $$
begin
  delete from public.repeat_rules where true;
  insert into public.repeat_rules (vendor_id, agency_id, match, within, action)
  values (md5(vendor)::uuid, md5(agency)::uuid, match, '30 days', action);
end
$$;
create view pg_temp.stored as
select l.vendor_lead_id as name, l.distribution, l.order_id, a.first_name as agent, l.agency_id from public.recruiting_leads l
left join public.agents a on a.id = l.agent_id;

-- The rules themselves.
select throws_ok(
  format('insert into public.repeat_rules (match, within, action) values (%s)', given), error, null, description)
from (values
  ('a rule matches by phone or email', $$'{name}', '1 day', 'hold'$$, '23514'),
  ('a rule matches by something', $$'{}', '1 day', 'hold'$$, '23514'),
  ('a rule looks back', $$'{phone}', '0', 'hold'$$, '23514'),
  ('a rule has an action', $$'{phone}', '1 day', 'merge'$$, '23514')
) c (description, given, error);
select pg_temp.make_rule('hold');
select throws_ok(
  $$insert into public.repeat_rules (match, within, action) values ('{phone}', '1 day', 'duplicate')$$, '23505', null,
  'there is one rule for each vendor and agency, also for none');

-- Without a rule.
create function pg_temp.person_scans() returns bigint language sql as $$
  select sum(pg_stat_get_xact_numscans(c.oid))::bigint from pg_class c
  where c.relname in ('recruiting_leads_phone_idx', 'recruiting_leads_email_idx', 'person_locks_pkey', 'suppressions_pkey')
$$;
delete from public.repeat_rules where true;
-- Of an empty table that was large, the planner would ask an index whether it has any row.
truncate public.suppressions;
create temp table scans as select pg_temp.person_scans() as before;
select pg_temp.come('n1', 'first', '+13125550100', 'nan@example.com'), pg_temp.come('n2', 'second', '+13125550100', 'nan@example.com');
select is(pg_temp.person_scans(), before, 'without a rule and a suppression, nobody''s other leads are looked up') from scans;
select is((select array_agg(distribution) from stored where name in ('n1', 'n2')), '{distributed,distributed}', 'and each lead is distributed');
select pg_temp.make_rule('hold');
insert into public.recruiting_leads (vendor_id, first_name, vendor_metadata, distribution)
select md5('first')::uuid, 'Crowd', jsonb_build_object('phone', '+1312557' || to_char(n, 'FM0000')), 'not_requested' from generate_series(1, 2000) n;
create temp table reads as select pg_temp.rows_read('public.recruiting_leads') as before;
select pg_temp.come('n3', 'second', '+13125550100', 'nan@example.com');
select cmp_ok(pg_temp.rows_read('public.recruiting_leads') - before, '<', 200::bigint, 'with one, few of 2,000 leads are read') from reads;

-- hold
select is(pg_temp.come('h1', 'first', '+13125550101', 'ada@example.com') #>> '{distributed_to,agency_id}', md5('agency')::uuid::text,
  'the first lead of a person is distributed');
select is(pg_temp.come('h2', 'second', '+13125550101'), jsonb_build_object('id', md5('h2')::uuid, 'status', 'created', 'distributed_to', null),
  'a lead with the phone of another vendor''s goes to nobody');
select is(pg_temp.come('h3', 'second', '+13125550102', 'Ada@Example.com') -> 'distributed_to', 'null'::jsonb, 'and so does one with the email');
select results_eq(
  $$select name, distribution from stored where name like 'h_' order by 1$$,
  $$values ('h1', 'distributed'), ('h2', 'repeat'), ('h3', 'repeat')$$, 'these are held');
select results_eq(
  $$select lead_id, earlier_id, action from private.lead_repeats where lead_id in (md5('h2')::uuid, md5('h3')::uuid)
    order by lead_id = md5('h3')::uuid$$,
  $$values (md5('h2')::uuid, md5('h1')::uuid, 'hold'), (md5('h3')::uuid, md5('h1')::uuid, 'hold')$$, 'which lead they repeat is kept');
select is(pg_temp.filled('second order'), 1, 'no order is charged');
select is(pg_temp.come('h2', 'second', '+13125550101') ->> 'status', 'created', 'a repeated call gets the first result');
select is(public.distribute_waiting_leads(100), 0, 'a held lead does not wait for an order');
select isnt(pg_temp.come('h4', 'second', '+13125550102') -> 'distributed_to', 'null'::jsonb,
  'a held lead is no earlier lead: the phone that only it has is new');
select is(pg_temp.come('h5', 'second', null) #>> '{distributed_to,agency_id}', md5('other')::uuid::text, 'a lead without phone and email is new');
select is(pg_temp.come('h6', 'second', '+13125550101', null, '{"is_test": true}') ->> 'status', 'created', 'a test is stored');
select is((select distribution from stored where name = 'h6'), 'not_requested', 'and is no repeat');

-- Which lead counts.
create function pg_temp.is_held(after_change text) returns boolean language plpgsql as $$
declare
  person constant text := '+1312556' || to_char((random() * 8999 + 1000)::integer, 'FM0000');
  name constant text := gen_random_uuid();
begin
  perform pg_temp.come(name || 'a', 'first', person);
  execute replace(after_change, '{lead}', quote_literal(md5(name || 'a')::uuid));
  perform pg_temp.come(name || 'b', 'second', person);
  return (select l.distribution = 'repeat' from public.recruiting_leads l where l.id = md5(name || 'b')::uuid);
end
$$;
select is(pg_temp.is_held(change), expected, description)
from (values
  ('a lead of 29 days ago is an earlier lead', 'update public.recruiting_leads set created_at = now() - interval ''29 days'' where id = {lead}', true),
  ('one of 31 days ago is none', 'update public.recruiting_leads set created_at = now() - interval ''31 days'' where id = {lead}', false),
  ('one that was returned is none', $$select public.return_lead({lead}, 'bad')$$, false),
  ('a test is none', $$update public.recruiting_leads set vendor_metadata = vendor_metadata || '{"is_test": true}' where id = {lead}$$, false),
  ('an erased one is none', $$update public.recruiting_leads set vendor_metadata = '{}' where id = {lead}$$, false),
  ('one without an agency is an earlier lead',
    $$update public.recruiting_leads set distribution = 'unmatched', order_id = null, agency_id = null, agent_id = null, distributed_at = null where id = {lead}$$, true)
) c (description, change, expected);

select pg_temp.make_rule('hold', '{email}');
select isnt(pg_temp.come('e1', 'second', '+13125550101') -> 'distributed_to', 'null'::jsonb, 'a rule for emails does not look at phones');
select pg_temp.make_rule('hold', vendor => 'first');
select isnt(pg_temp.come('v1', 'second', '+13125550101') -> 'distributed_to', 'null'::jsonb, 'a rule of a vendor is for its new leads');
select is(pg_temp.come('v2', 'first', '+13125550101') -> 'distributed_to', 'null'::jsonb, 'no matter which vendor sent the earlier one');
select pg_temp.make_rule('hold', agency => 'other');
select pg_temp.come('g1', 'first', '+13125550103');
select isnt(pg_temp.come('g2', 'second', '+13125550103') -> 'distributed_to', 'null'::jsonb,
  'a rule of an agency is for people whose lead the agency has');
select is(pg_temp.come('g3', 'first', '+13125550103') -> 'distributed_to', 'null'::jsonb, 'as it has now');

-- duplicate
select pg_temp.make_rule('duplicate');
select pg_temp.come('d1', 'first', '+13125550104');
select is(pg_temp.come('d2', 'first', '+13125550104'), jsonb_build_object('id', md5('d1')::uuid, 'status', 'duplicate'),
  'the same vendor gets the id of its earlier lead');
select is(pg_temp.come('d3', 'second', '+13125550104'), jsonb_build_object('id', private.refused_id(md5('second')::uuid, 'd3'), 'status', 'duplicate'),
  'another vendor gets an id of no lead');
select is(
  pg_temp.ingest_lead(repeat('b', 64), pg_temp.lead_of('d3', '+13125550104') || jsonb_build_object('id', md5('d3 again')::uuid)) ->> 'id',
  private.refused_id(md5('second')::uuid, 'd3')::text, 'and the same when it sends the lead again');
select is_empty($$select from stored where name in ('d2', 'd3')$$, 'neither is stored');
select set_eq(
  $$select id, lead_id, vendor_id, reason from public.recruiting_lead_duplicates$$,
  $$values
    (private.refused_id(md5('first')::uuid, 'd2'), md5('d1')::uuid, md5('first')::uuid, 'same_person'),
    (private.refused_id(md5('second')::uuid, 'd3'), md5('d1')::uuid, md5('second')::uuid, 'same_person')$$,
  'why they were refused is kept');
select results_eq(
  $$select m.vendor_lead_id, m.result, m.lead_id from public.match_leads(md5('second')::uuid, '{d3,d9}') m$$,
  $$values ('d3', 'duplicate', md5('d1')::uuid), ('d9', 'unknown', null)$$, 'and a list of the vendor''s ids knows them');
select is(
  public.ingest_recruiting_lead_batch(repeat('b', 64), jsonb_build_array(
    pg_temp.lead_of('d4', '+13125550104') || '{"row": 0}', pg_temp.lead_of('d5', '+13125550105') || '{"row": 1}',
    pg_temp.lead_of('d6', '+13125550105') || '{"row": 2}')),
  '{"created": 1, "duplicates": 2, "errors": []}', 'in bulk they count as duplicates');

-- same_agent
select pg_temp.make_rule('same_agent');
select pg_temp.come('s1', 'first', '+13125550106');
create temp table turn as select agent, pg_temp.filled('order') as filled, pg_temp.filled('second order') as second_filled
from stored where name = 's1';
delete from private.lead_notifications_due where true;
select is(
  pg_temp.come('s2', 'second', '+13125550106') -> 'distributed_to',
  jsonb_build_object('agency_id', md5('agency')::uuid, 'agent_id', (select md5(agent)::uuid from turn)),
  'the lead goes to the agent who has the person');
select row_eq($$select pg_temp.filled('order'), pg_temp.filled('second order'), order_id, distribution from stored where name = 's2'$$,
  row((select filled from turn), (select second_filled from turn), null::uuid, 'distributed'::text), 'and no order is charged');
select private.deliver_notifications();
select results_eq(
  $$select agent_id, lead_id, kind, reason from public.agent_notifications where lead_id = md5('s2')::uuid$$,
  $$select md5(agent)::uuid, md5('s2')::uuid, 'lead', 'came_again' from turn$$, 'the agent is notified that the person came again');
update public.agents set away_until = now() + interval '1 day' where id = (select md5(agent)::uuid from turn);
select is(
  pg_temp.come('s8', 'second', '+13125550106') -> 'distributed_to', jsonb_build_object('agency_id', md5('agency')::uuid, 'agent_id', null),
  'while the agent is away, the lead goes to the agency');
delete from public.recruiting_leads where id = md5('s8')::uuid;
update public.agents set away_until = null where true;
update public.agents set is_active = false where id = (select md5(agent)::uuid from turn);
select is(
  pg_temp.come('s3', 'second', '+13125550106') -> 'distributed_to', jsonb_build_object('agency_id', md5('agency')::uuid, 'agent_id', null),
  'if the agent has left, the lead goes to the agency');
update public.agents set is_active = true where true;
update public.recruiting_orders set status = 'paused' where id = md5('order')::uuid;
select pg_temp.come('s4', 'first', '+13125550107');
update public.recruiting_leads set distribution = 'unmatched', order_id = null, agency_id = null, agent_id = null, distributed_at = null
where id = md5('s4')::uuid;
select is(pg_temp.come('s5', 'second', '+13125550107') #>> '{distributed_to,agency_id}', md5('other')::uuid::text,
  'if nobody has the person, an order gets the lead');
update public.recruiting_orders set status = 'open' where id = md5('order')::uuid;
update public.recruiting_leads set distribution = 'pending' where id = md5('s4')::uuid;
delete from public.recruiting_leads where id = md5('s5')::uuid;
insert into public.recruiting_leads (id, vendor_id, first_name, vendor_metadata, distribution) values
  (md5('s6')::uuid, md5('second')::uuid, 'Ada', '{"phone": "+13125550107"}', 'pending'),
  (md5('s7')::uuid, md5('second')::uuid, 'Ada', '{"phone": "+13125550107"}', 'pending');
insert into private.lead_repeats (lead_id, earlier_id, action) values
  (md5('s6')::uuid, md5('s4')::uuid, 'same_agent'), (md5('s7')::uuid, md5('gone')::uuid, 'same_agent');
select public.distribute_pending_leads(array[md5('s6')::uuid]);
select results_eq(
  $$select l.agency_id, l.agent_id = e.agent_id, l.order_id from public.recruiting_leads l, public.recruiting_leads e
    where l.id = md5('s6')::uuid and e.id = md5('s4')::uuid$$,
  $$values (md5('agency')::uuid, true, null::uuid)$$, 'a pending lead follows its earlier lead, which was pending too');
select is((select agency_id from public.recruiting_leads where id = md5('s7')::uuid), md5('other')::uuid,
  'an order gets one whose earlier lead was deleted meanwhile');

-- The most specific rule decides.
delete from public.repeat_rules where true;
insert into public.repeat_rules (vendor_id, agency_id, match, within, action) values
  (null, null, '{phone}', '30 days', 'duplicate'),
  (null, md5('agency')::uuid, '{phone}', '30 days', 'hold'),
  (md5('second')::uuid, null, '{phone}', '30 days', 'same_agent'),
  (md5('second')::uuid, md5('agency')::uuid, '{phone}', '30 days', 'duplicate');
select pg_temp.come('m1', 'first', '+13125550108');
select is(pg_temp.come('m2', 'second', '+13125550108') ->> 'status', 'duplicate', 'a rule of both goes first');
delete from public.repeat_rules where num_nonnulls(vendor_id, agency_id) = 2;
select is(pg_temp.come('m3', 'second', '+13125550108') #>> '{distributed_to,agency_id}', md5('agency')::uuid::text, 'then one of the vendor');
select pg_temp.come('m4', 'first', '+13125550109');
delete from public.repeat_rules where vendor_id is not null;
select is(pg_temp.come('m5', 'second', '+13125550109') -> 'distributed_to', 'null'::jsonb, 'then one of the agency');

-- Several leads of a person in one call.
create function pg_temp.come_together(vendor text, variadic people text[]) returns jsonb language sql as $$
  select public.ingest_recruiting_leads(jsonb_agg(jsonb_build_object('key_hash', repeat(case vendor when 'first' then 'a' else 'b' end, 64),
    'lead', pg_temp.lead_of(split_part(p, ' ', 1), nullif(split_part(p, ' ', 2), '-'), nullif(split_part(p, ' ', 3), '-'))) order by n))
  from unnest(people) with ordinality p (p, n)
$$;
select pg_temp.make_rule('hold');
select pg_temp.come_together('first', 't1 +13125550110 -', 't2 +13125550110 t@example.com', 't3 - t@example.com', 't4 +13125550110 -', 't5 - t@example.com');
select results_eq(
  $$select name, distribution from stored where name like 't_' order by 1$$,
  $$values ('t1', 'distributed'), ('t2', 'repeat'), ('t3', 'distributed'), ('t4', 'repeat'), ('t5', 'repeat')$$,
  'of a call, the first lead of a person is the earlier one');
select pg_temp.make_rule('duplicate');
select is(
  pg_temp.come_together('first', 'u1 +13125550111 -', 'u2 +13125550111 -') -> 1,
  jsonb_build_object('id', md5('u1')::uuid, 'status', 'duplicate'), 'the second is a duplicate of it');
select pg_temp.make_rule('same_agent');
select is(pg_temp.come_together('first', 'w1 +13125550112 -', 'w2 +13125550112 -') #>> '{1,distribution}', 'pending',
  'or waits until it is known who gets the first');
select public.distribute_pending_leads(array[md5('w2')::uuid]);
select is((select count(distinct agent)::integer from stored where name in ('w1', 'w2') and agency_id is not null), 1, 'and follows it');
-- A dry run.
select pg_temp.make_rule('duplicate');
select results_eq(
  $$select public.preview_recruiting_lead(repeat(key, 64), pg_temp.lead_of('p1', '+13125550112')) from (values ('b'), ('a')) k (key)$$,
  $$values ('{"status": "duplicate", "id": null, "distributed_to": null}'::jsonb),
    (jsonb_build_object('status', 'duplicate', 'id', md5('w2')::uuid, 'distributed_to', null))$$,
  'a dry run shows a duplicate, and the id of a lead of the vendor');
select is(
  public.preview_recruiting_lead_batch(repeat('a', 64), jsonb_build_array(
    pg_temp.lead_of('p2', '+13125550112'), pg_temp.lead_of('p3', '+13125550199'), pg_temp.lead_of('p4', '+13125550199'))),
  jsonb_build_array(
    jsonb_build_object('status', 'duplicate', 'id', md5('w2')::uuid), '{"status": "created", "id": null}'::jsonb,
    '{"status": "duplicate", "id": null}'::jsonb), 'and one of leads in bulk too, also of one person twice');
select pg_temp.make_rule('same_agent');
select is(
  public.preview_recruiting_lead(repeat('b', 64), pg_temp.lead_of('p1', '+13125550112')) #>> '{distributed_to,agency_id}',
  md5('agency')::uuid::text, 'who would get the lead');
select pg_temp.make_rule('hold');
select is(public.preview_recruiting_lead(repeat('b', 64), pg_temp.lead_of('p1', '+13125550112')),
  '{"status": "created", "id": null, "distributed_to": null}', 'and that nobody would');

-- A newer lead that no agency has hides none that an agency has: an agent keeps the person.
delete from public.repeat_rules where true;
select pg_temp.come('k1', 'first', '+13125550119');
insert into public.recruiting_leads (id, vendor_id, first_name, vendor_metadata, distribution) values
  (md5('k2')::uuid, md5('first')::uuid, 'Ada', '{"phone": "+13125550119"}', 'not_requested');
update public.recruiting_leads set created_at = now() - interval '1 hour' where id = md5('k1')::uuid;
select pg_temp.make_rule('same_agent');
select pg_temp.come('k3', 'first', '+13125550119');
select results_eq(
  $$select k3.agent, k3.order_id is null from stored k1, stored k3 where (k1.name, k3.name, k1.agent) = ('k1', 'k3', k3.agent)$$,
  $$select agent, true from stored where name = 'k1'$$, 'the earlier lead is the newest one that somebody has');

-- Suppressed people.
insert into public.suppressions (kind, value, reason, source, ends_at) values
  ('phone', '+13125550113', 'asked', 'operator', null), ('email', 'never@example.com', 'asked', 'operator', null),
  ('phone', '+13125550114', 'asked', 'operator', now() - interval '1 day');
select pg_temp.come('x1', 'first', '+13125550113'), pg_temp.come('x2', 'first', null, 'never@example.com'), pg_temp.come('x3', 'first', '+13125550114');
select results_eq(
  $$select name, distribution from stored where name in ('x1', 'x2', 'x3') order by 1$$,
  $$values ('x1', 'suppressed'), ('x2', 'suppressed'), ('x3', 'distributed')$$, 'a lead of a suppressed person goes to nobody');
select is(public.preview_recruiting_lead(repeat('a', 64), pg_temp.lead_of('x4', '+13125550113')) -> 'distributed_to', 'null'::jsonb,
  'as a dry run shows');
insert into public.recruiting_leads (id, vendor_id, first_name, vendor_metadata, distribution) values
  (md5('x5')::uuid, md5('first')::uuid, 'Ada', '{"phone": "+13125550113"}', 'unmatched');
select public.distribute_waiting_leads(100);
select is((select distribution from public.recruiting_leads where id = md5('x5')::uuid), 'suppressed',
  'nor does one that waits when its person is suppressed');

select * from finish();
rollback;
