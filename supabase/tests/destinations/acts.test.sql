-- What managers and operators do with destinations, and that nobody else sees or changes anything of them.
begin;
select plan(55);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_vendor('vendor');
insert into public.operators (user_id) values (md5('user visitor')::uuid);
insert into public.recruiting_orders (id, agency_id, quantity, status) values
  (md5('order')::uuid, md5('agency')::uuid, 1, 'closed'), (md5('foreign')::uuid, md5('elsewhere')::uuid, 1, 'closed');
insert into public.recruiting_leads (id, vendor_id, first_name, agency_id, agent_id)
values (md5('Lea')::uuid, md5('vendor')::uuid, 'Lea', md5('agency')::uuid, md5('ann')::uuid);

create function pg_temp.save(name text, destination text, changes jsonb default '{"url": "https://crm.example.com/in"}', agency text default null)
returns text language sql as $$
  select pg_temp.result_as(name, format(
    'select public.save_destination(%L, %L, %L)', md5(agency)::uuid, destination, changes))
$$;
create function pg_temp.id_of(name text) returns uuid language sql as $$
  select d.id from public.destinations d where d.name = id_of.name and d.agency_id is not null
$$;

-- Saving
select matches(pg_temp.save('mia', 'crm'), '"secret": "whsec_[A-Za-z0-9+/]{43}="', 'a manager creates a destination, and gets its secret once');
select is(pg_temp.save('mia', 'CRM ', '{"max_at_once": 2}')::jsonb,
  jsonb_build_object('id', pg_temp.id_of('crm'), 'name', 'crm', 'kind', 'webhook'), 'and changes it, without a secret');
select results_eq('select url, max_at_once, events, is_on from public.destinations where name = ''crm''',
  $$values ('https://crm.example.com/in', 2, '{lead.distributed,lead.returned,recruit.erased}'::text[], true)$$,
  'what is left out stays, and three events are sent unless others are chosen');
select matches(pg_temp.save('visitor', 'theirs', agency => 'elsewhere'), 'whsec_', 'an operator creates one of any agency');
select is(pg_temp.save('visitor', 'crm'), 'PT400 agency_id: is missing', 'and has to name it');
select is(pg_temp.save('visitor', 'crm', agency => 'nobody'), 'PT404 agency_id: there is no such agency', 'an existing one');
select is(pg_temp.save(who, 'crm', agency => 'agency'), '42501 only a manager of the agency or an operator may do this', who || ' may not')
from unnest(array['ann', 'former', 'otto']) who;
select matches(pg_temp.save('anon', 'crm', agency => 'agency'), '^42501 permission denied', 'nor may a visitor');
select is(pg_temp.save('mia', name), 'PT400 name: must have 1 to 63 letters from a to z, digits and -, and begin with no -', format('not %L', name))
from unnest(array['-a', 'a_b', repeat('a', 64)]) name;
select is(pg_temp.save('mia', 'new', '{}'), 'PT400 url: is missing', 'a webhook has a URL');
select is(pg_temp.save('mia', 'new', '{"kind": "email"}'), 'PT400 address: is missing', 'an e-mail destination an address');
select matches(pg_temp.save('mia', 'inbox', '{"kind": "email", "address": "new@example.com", "events": ["recruit.erased"]}'), '^((?!secret).)*$', 'and no secret');
select results_eq(
  'select action, after -> ''events'' from public.agency_changes where subject_id = pg_temp.id_of(''inbox'')',
  $$values ('destination create', '["recruit.erased"]'::jsonb)$$, 'the history has one row of it, with its events');
select is(pg_temp.save('mia', 'crm', changes::jsonb), 'PT400 ' || problem, 'not ' || changes)
from (values
  ('{"colour": "red"}', 'colour: there is no such setting'),
  ('{"kind": "email"}', 'kind: must be webhook or email, and stays as it is'),
  ('{"events": []}', 'events: must be a list of: lead.distributed, lead.returned, lead.reassigned, recruit.replied, recruit.screened, '
    'recruit.opted_out, recruit.stage_changed, recruit.erased'),
  ('{"max_at_once": 17}', 'max_at_once: must be from 1 to 16'),
  ('{"template": 5}', 'template: must be an expression of at most 4,000 characters'),
  ('{"headers": {"Host": "a"}}', 'headers: a request cannot have this header of its own'),
  ('{"headers": {"X-A": "a\nb"}}', 'headers: a value must be one line of 1 to 1,024 characters, or null'),
  ('{"headers": {"X-A": "a", "X-B": "b", "X-C": "c", "X-D": "d"}}', 'headers: a destination has at most 3')
) wrong (changes, problem);
select is(pg_temp.save('mia', 'crm', jsonb_build_object('order_id', md5('foreign')::uuid)), 'PT404 order_id: the agency has no such order', 'nor the order of another');
select is(array(
  select u from unnest(array[
    'http://example.com', 'https://user@example.com', 'https://10.0.0.1/', 'https://0x7f.1', 'https://2130706433', 'https://[::1]/',
    'https://localhost', 'https://a.localhost/', 'https://db.internal:443', 'https://printer.local', 'http://127.0.0.1@example.com/',
    'http://127.0.0.2', 'https://exa mple.com', 'ftp://example.com', 'https://example.com/#a', 'https://example.1'
  ]) u where private.is_destination_url(u)), '{}', 'a URL is https to the name of a host');
select is(array(
  select u from unnest(array['https://example.com', 'https://hooks.example.co.uk:8443/a?b=c', 'http://127.0.0.1:9000/in', 'http://localhost:9000']) u
  where not private.is_destination_url(u)), '{}', 'or http to this computer');

select matches(pg_temp.save('mia', 'crm', '{"headers": {"X-A": "a", "X-B": "b"}}'), 'webhook', 'headers of its own are kept');
select matches(pg_temp.save('mia', 'crm', '{"headers": {"x-a": null, "X-B": "c"}}'), 'webhook', 'are changed, and removed with null');
select results_eq('select headers from public.destination_list where name = ''crm''', $$values ('{X-B}'::text[])$$, 'their names are shown');

-- Acts
create temp table acts (name text, statement text) on commit drop;
insert into acts values
  ('pause', format('select public.set_destination_state(%L, false)', pg_temp.id_of('crm'))),
  ('resume', format('select public.set_destination_state(%L, true)', pg_temp.id_of('crm'))),
  ('rotate', format('select public.rotate_destination_secret(%L)', pg_temp.id_of('crm'))),
  ('test', format('select public.test_destination(%L)', pg_temp.id_of('crm')));
select private.add_dispatches('lead.distributed', array[md5('Lea')::uuid]);
update private.dispatches set state = 'failed', ended_at = now(), attempt = 8 where destination_id = pg_temp.id_of('crm');
insert into acts select 'show', format('select public.show_dispatch(%L)', id) from private.dispatches where destination_id = pg_temp.id_of('crm');
insert into acts select 'retry', format('select public.retry_dispatches(array[%L::uuid])', id) from private.dispatches where destination_id = pg_temp.id_of('crm');
insert into acts values ('remove', format('select public.remove_destination(%L)', pg_temp.id_of('crm')));
select is(
  array(select distinct left(pg_temp.result_as('otto', a.statement), 5) from acts a), '{PT404}', 'the manager of another agency finds none of it');
select is(
  array(select distinct left(pg_temp.result_as(who, a.statement), 5) from acts a cross join unnest(array['ann', 'former', 'anon']) who), '{42501}',
  'agents, managers who have left and visitors may do nothing');
select is(
  array(select who from unnest(array['ann', 'former', 'otto', 'anon']) who
    where coalesce(pg_temp.result_as(who, 'select string_agg(name, '','') from public.destination_list where agency <> ''elsewhere'''), '') !~ '^(42501.*)?$'),
  '{}', 'nor see it');
select is(pg_temp.result_as('mia', 'select string_agg(name, '','' order by name) from public.destination_list'), 'crm,inbox', 'a manager sees those of the agency');
update public.destinations set failing_since = now(), failures = 1 where name = 'inbox';
select is(
  pg_temp.result_as('mia', 'select string_agg(name, '','' order by place) from public.destination_list'), 'inbox,crm',
  'what fails is before what has failed');
update public.destinations set failing_since = null, failures = 0 where name = 'inbox';
select is(pg_temp.result_as('visitor', 'select count(*) from public.destination_list where name in (''crm'', ''inbox'', ''theirs'', ''operators'')'), '4', 'an operator all');
select is(pg_temp.result_as('mia', 'select concat_ws('' '', destination, event, first_name, state) from public.dispatch_list where destination = ''crm'''),
  'crm lead.distributed Lea failed', 'and what was sent');
select is(pg_temp.result_as('otto', 'select count(*) from public.dispatch_list'), '0', 'no other manager does');
select is(pg_temp.result_as('mia', (select statement from acts where name = 'show'))::jsonb #>> '{body,data,lead,first_name}', 'Lea', 'a manager reads the body');
select is(pg_temp.result_as('mia', (select statement from acts where name = 'retry')), '1', 'sends it again,');
select is(pg_temp.result_as('mia', (select statement from acts where name = 'retry')), '0', 'once,');
select is(pg_temp.result_as('mia', (select statement from acts where name = 'pause')), '', 'pauses,');
select is((select is_on from public.destinations where name = 'crm'), false, 'which shows,');
update public.destinations set off_reason = 'gone' where name = 'crm';
select is(pg_temp.result_as('mia', (select statement from acts where name = 'resume')), '', 'resumes,');
select results_eq('select is_on, off_reason from public.destinations where name = ''crm''', 'values (true, null::text)', 'also what the service has switched off,');
select matches(pg_temp.result_as('mia', (select statement from acts where name = 'test')), '^[0-9a-f-]{36}$', 'and tests it');
select matches(pg_temp.result_as('mia', (select statement from acts where name = 'rotate')), '^whsec_', 'a new secret is shown once');
select is(
  (select array_agg(s.expires_at - now() order by s.created_at) from private.destination_secrets s
   where s.destination_id = pg_temp.id_of('crm') and s.kind = 'signing'),
  array[interval '1 day', null], 'and the old one signs for a day more');
select is(
  (select array_agg(jsonb_array_length(c #> '{destination,secrets}')) from jsonb_array_elements(public.claim_dispatches(1, false, false) -> 'dispatches') c),
  '{2}', 'so that the worker gets both');
update private.destination_secrets set expires_at = now() - interval '1 second' where expires_at is not null;
select pg_temp.result_as('mia', (select statement from acts where name = 'test'));
select is(
  (select array_agg(jsonb_array_length(c #> '{destination,secrets}')) from jsonb_array_elements(public.claim_dispatches(1, false, false) -> 'dispatches') c),
  '{1}', 'until then');
select is(pg_temp.result_as('mia', (select statement from acts where name = 'remove')), '', 'removed,');
select is_empty('select from private.dispatches p left join public.destinations d on d.id = p.destination_id where d.id is null', 'all of it is gone');

-- What operators do is noted.
select matches(pg_temp.save('visitor', 'theirs', '{"max_at_once": 1}', 'elsewhere'), 'theirs', 'an operator changes one');
select pg_temp.result_as('visitor', format('select public.set_destination_state(%L, false)', pg_temp.id_of('theirs')));
select pg_temp.result_as('visitor', format('select public.rotate_destination_secret(%L)', pg_temp.id_of('theirs')));
select pg_temp.result_as('visitor', format('select public.test_destination(%L)', pg_temp.id_of('theirs')));
select pg_temp.result_as('visitor', format('select public.remove_destination(%L)', pg_temp.id_of('theirs')));
select results_eq(
  'select action, subject - ''destination_id'' - ''agency_id'' from public.operator_actions where user_id = md5(''user visitor'')::uuid order by created_at',
  $$values ('destination create', '{}'::jsonb), ('destination update', '{"changed": ["max_at_once"]}'), ('destination pause', '{}'),
    ('destination rotate', '{}'), ('destination test', '{}'), ('destination remove', '{}')$$,
  'each act of an operator is noted, without a secret');

select * from finish();
rollback;
