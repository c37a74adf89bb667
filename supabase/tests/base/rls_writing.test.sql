-- Only the service role writes; the exception is submit_lead_presentation().
begin;
select plan(218);
\ir ../helpers.psql

select pg_temp.create_people();
select pg_temp.create_vendor('vendor');
insert into public.recruiting_leads (id, vendor_id, first_name, agency_id, agent_id) values
  (md5('recruit')::uuid, md5('vendor')::uuid, 'Ada', md5('agency')::uuid, md5('ann')::uuid);
select pg_temp.create_lead(name, 'ann') from unnest(array['lead', 'bare lead', 'metrics lead']) name;
insert into public.lead_presentations (id, lead_id, agent_id) values (md5('presentation')::uuid, md5('lead')::uuid, md5('ann')::uuid);
insert into public.lead_demographics (lead_id, children) values (md5('lead')::uuid, 1);
select pg_temp.create_conversation('conversation', '+19995550001', '+19995550002', 'ann');

-- For each table an insert without a mistake.
create temp table inserts ("table", columns, "values") as values
  ('agencies', 'name, timezone', $$'New', 'UTC'$$),
  ('agents', 'agency_id, first_name', $$md5('agency')::uuid, 'New'$$),
  ('vendors', 'slug, name', $$'test-new', 'New'$$),
  ('vendor_api_keys', 'vendor_id, key_hash, key_prefix', $$md5('vendor')::uuid, repeat('f', 64), 'x'$$),
  ('recruiting_orders', 'agency_id, quantity, status', $$md5('agency')::uuid, 1, 'closed'$$),
  ('recruiting_leads', 'vendor_id, first_name', $$md5('vendor')::uuid, 'New'$$),
  ('leads', 'agency_id, agent_id, first_name, phone, state, type', $$md5('agency')::uuid, md5('ann')::uuid, 'New', '1', 'TX', 'fe'$$),
  ('lead_metrics', 'lead_id', $$md5('metrics lead')::uuid$$),
  ('lead_activities', 'lead_id, agent_id, type', $$md5('lead')::uuid, md5('ann')::uuid, 'presentation_started'$$),
  ('lead_presentations', 'lead_id, agent_id', $$md5('lead')::uuid, md5('ann')::uuid$$),
  ('lead_demographics', 'lead_id', $$md5('bare lead')::uuid$$),
  ('lead_sales', 'presentation_id, lead_id, agent_id, product, annual_premium',
    $$md5('presentation')::uuid, md5('lead')::uuid, md5('ann')::uuid, 'Term', 1$$),
  ('lead_referrals', 'presentation_id, lead_id, agent_id, first_name, phone',
    $$md5('presentation')::uuid, md5('lead')::uuid, md5('ann')::uuid, 'Ron', '1'$$),
  ('recruiting_conversations', 'agency_id, recruit_phone, service_phone', $$md5('agency')::uuid, '+19995550008', '+19995550009'$$),
  ('recruiting_messages', 'conversation_id, direction, sender_type', $$md5('conversation')::uuid, 'inbound', 'recruit'$$),
  ('recruiting_message_events', 'provider_message_id', $$'test SM'$$),
  ('rejected_deliveries', 'request_id, route, code, reason, payload_bytes', $$'test', '/', 'BAD_REQUEST', 'bad', 1$$),
  ('recruiting_lead_duplicates', 'lead_id, vendor_id', $$md5('recruit')::uuid, md5('vendor')::uuid$$),
  ('unmatched_texts', 'message_sid', $$'test SM'$$);

delete from public.lead_metrics where lead_id = md5('metrics lead')::uuid;

create temp table statements as
select "table", 'insert' as verb, format('insert into public.%I (%s) values (%s)', "table", columns, "values") as sql
from inserts
union all
-- Sets a column to the value that it has.
select "table", 'update', format('update public.%I set %2$I = %2$I', "table", split_part(columns, ', ', 1)) from inserts
union all
select "table", 'delete', format('delete from public.%I', "table") from inserts;

-- Whether this person may run the statement: `done` or `denied`. It is always rolled back.
create function pg_temp.try(name text, sql text) returns text language plpgsql as $$
begin
  perform pg_temp.become(name);
  execute sql;
  raise exception 'done' using errcode = 'ZZ000';
exception
  when insufficient_privilege then return 'denied';
  when sqlstate 'ZZ000' then return 'done';
end
$$;

select is(pg_temp.try(person, sql), 'denied', format('%s: %s %s', person, verb, "table"))
from statements, unnest(array['ann', 'mia', 'anon']) person
order by person, "table", verb;

select is(
  pg_temp.try('service_role', sql),
  case when "table" = 'recruiting_message_events' and verb <> 'insert' then 'denied' else 'done' end,
  format('service_role: %s %s', verb, "table"))
from statements
-- Other rows refer to agencies and agents, so deleting all of them fails for another reason.
where verb <> 'delete'
order by "table", verb;

select is(pg_temp.try('service_role', format('delete from public.%I where %s', "table", which)), 'done', 'service_role: delete ' || "table")
from (values
  ('leads', $$id = md5('lead')::uuid$$), ('recruiting_conversations', $$id = md5('conversation')::uuid$$),
  ('recruiting_leads', $$false$$), ('agencies', 'false'), ('vendor_api_keys', 'false')
) as deletions ("table", which);

-- An agent may write demographics only through the procedure.
select pg_temp.become('ann');
select is_empty(
  'update public.lead_demographics set children = 9 returning lead_id', 'an agent who updates demographics directly finds no row');
select throws_ok(
  format('insert into public.lead_demographics (lead_id) values (%L)', md5('bare lead')::uuid),
  '42501', null, 'an agent may not insert demographics directly');
select lives_ok(
  format('select public.submit_lead_presentation(%L, %L)', md5('lead')::uuid, '{"children": 2}'),
  'the procedure writes them');
select throws_ok(
  format('insert into public.lead_presentations (lead_id, agent_id) values (%L, %L)', md5('lead')::uuid, md5('ann')::uuid),
  '42501', null, 'after the procedure, in the same transaction, an agent may still not insert directly');
reset role;

select * from finish();
rollback;
