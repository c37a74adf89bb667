-- What is for operators is for nobody else: their functions, their lists, and their tables.
begin;
select plan(19);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_vendor('vendor');
insert into public.operators (user_id) values (md5('user visitor')::uuid);

create temp table calls (statement text);
insert into calls values
  ('select public.acknowledge_alert(gen_random_uuid())'), ('select public.add_suppression(''12'', ''x'')'),
  ('select public.adopt_texts(''+19995550001'')'), ('select public.begin_operator_action(''delivery show'', ''{}'')'),
  ('select public.cancel_texts(array[gen_random_uuid()])'), ('select public.count_vendor_days()'),
  ('select public.count_wanted_leads()'), ('select public.create_order(gen_random_uuid(), ''{}'')'),
  ('select public.create_vendor_api_key(''test-vendor'', null)'), ('select public.dismiss_deliveries(array[gen_random_uuid()])'),
  ('select public.distribute_leads(1)'), ('select public.explain_order(gen_random_uuid())'),
  ('select public.mapping_samples(gen_random_uuid())'), ('select public.operator_pulse()'),
  ('select public.read_lead(gen_random_uuid())'), ('select public.read_payload(gen_random_uuid())'),
  ('select public.read_sample(gen_random_uuid())'), ('select public.remove_suppression(''+19995550001'')'),
  ('select public.resume_number(''+19995550100'')'), ('select public.return_lead(gen_random_uuid(), ''x'')'),
  ('select public.search_leads(gen_random_uuid(), ''x'')'), ('select public.set_alert_rule(''none'')'),
  ('select public.use_law_hours(''NV'')');
select is_empty(
  $$select p.proname from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.prokind = 'f' and has_function_privilege('authenticated', p.oid, 'execute')
      -- Managers call this one too, for their own agency: order_standings.test.sql.
      and pg_get_functiondef(p.oid) ~ 'require_operator' and p.proname <> 'order_standings'
      and not exists (select from calls where statement ~ format('public\.%s\(', p.proname))$$,
  'each function that requires an operator is among these');
select is(
  array_agg(c.statement || ': ' || c.result) filter (where c.result
    !~ case name when 'anon' then '^42501 permission denied for function ' else '^42501 only an operator may do this$' end),
  null, format('%s may call none of them', name))
from unnest(array['anon', 'ann', 'mia', 'former']) name,
  lateral (select statement, pg_temp.result_as(name, statement) as result from calls) c
group by name;
select is(
  array_agg(statement) filter (where pg_temp.result_as('visitor', statement) ~ '^42501'), null, 'an operator may call each') from calls;
select is(
  array_agg(statement) filter (where pg_temp.result_as('service_role', statement) ~ '^42501'
    <> (statement ~ 'begin_|cancel_|pulse|read_|search_|use_law')), null, 'the service role those that the command calls') from calls;
select is(
  left(pg_temp.result_as(name, $$select public.save_mapping(gen_random_uuid(), '{}', '')$$), 5), '42501',
  format('%s saves no mapping past the check of its expressions', name))
from unnest(array['ann', 'visitor']) name;
select is_empty(
  $$select from unnest(array['distribute_named_leads', 'import_recruiting_leads', 'match_leads', 'report_responses', 'report_texts']) name
    join pg_proc p on p.proname = name where has_function_privilege('authenticated', p.oid, 'execute')$$,
  'no user of the API calls what is for the command');

-- A row for each list that reads this table alone.
delete from public.rejected_deliveries;
insert into public.rejected_deliveries (request_id, route, code, reason, payload_bytes)
values ('a request', '/recruiting/ingest', 'BAD_REQUEST', 'no name', 2);
create temp table lists as
select relname as list from pg_class
where relnamespace = 'public'::regnamespace and relname like '%\_list' and has_table_privilege('authenticated', oid, 'select')
  -- Managers read their own.
  and relname not in ('agency_list', 'agent_list');
select is(
  array_agg(list order by list) filter (where pg_temp.result_as(name, format('select count(*)::text from public.%I', list))
    is distinct from case name when 'anon' then '42501 permission denied for view ' || list else '0' end),
  null, format('%s reads no row of a list', name))
from unnest(array['anon', 'ann', 'mia', 'former']) name cross join lists group by name;
select is(pg_temp.result_as(name, 'select count(*) from public.delivery_list'), '1', name || ' reads the lists')
from unnest(array['visitor', 'service_role']) name;
select is(
  array_agg(name) filter (where pg_temp.result_as('visitor', 'select count(*) from public.' || name) !~ '^(0$|42501)'), null,
  'an operator reads no row of a table')
from unnest(array['rejected_deliveries', 'recruiting_leads', 'unmatched_texts', 'vendors', 'operators', 'operator_actions']) name;

delete from public.operators where user_id = md5('user visitor')::uuid;
select is(
  array_agg(statement) filter (where pg_temp.result_as('visitor', statement) !~ '^42501'), null, 'who was an operator is none at once')
from calls;
select is(
  array_agg(list) filter (where pg_temp.result_as('visitor', format('select count(*) from public.%I', list)) <> '0'), null,
  'and reads no list')
from lists;

select * from finish();
rollback;
