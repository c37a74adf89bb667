-- The table of recruits: what a row says, who reads it, and its orders.
begin;
select plan(10);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_vendor('vendor');
insert into public.recruiting_leads (id, vendor_id, first_name, vendor_metadata, agency_id, agent_id)
select md5(name)::uuid, md5('vendor')::uuid, name, metadata::jsonb, md5('agency')::uuid, md5(agent)::uuid
from (values
  ('ada', '{"last_name": "Zorn", "state": "TX", "phone": "+13125550101"}', 'ann'), ('Ben', '{}', 'cal'), ('Éva', '{"state": "IL"}', null)
) r (name, metadata, agent);
select pg_temp.create_conversation('talk', '+13125550101', '+19995550100', 'ann', lead => 'ada');
update public.recruiting_conversations set last_text_at = '2026-11-20 10:00+00', waiting_since = '2026-11-20 09:00+00' where id = md5('talk')::uuid;
insert into public.recruit_stages (recruiting_lead_id, agency_id, stage) values (md5('Ben')::uuid, md5('agency')::uuid, 'hired');
insert into public.agent_notifications (id, agent_id, lead_id, kind)
select md5(name)::uuid, md5(name)::uuid, md5('ada')::uuid, 'lead' from unnest(array['ann', 'mia']) name;

create function pg_temp.rows_of(name text, by text) returns text language plpgsql as $$
declare
  result text;
begin
  perform pg_temp.become(name);
  execute format('select string_agg(first_name, '' '' order by %I, id) from public.recruit_rows where agency_id = %L', by, md5('agency')::uuid)
  into result;
  reset role;
  return result;
end
$$;

select is(pg_temp.rows_of(name, 'by_name'), expected, format('%s reads: %s', name, expected))
from (values ('mia', 'ada Ben Éva'), ('ann', 'ada'), ('otto', null)) p (name, expected);
select is(pg_temp.rows_of('mia', by), expected, format('ordered %s: %s', by, expected))
from (values ('by_state', 'Ben Éva ada'), ('by_agent', 'Éva ada Ben')) o (by, expected);
select is(split_part(pg_temp.rows_of('mia', by), ' ', 3), last, format('ordered %s, %s is last', by, last))
from (values ('by_stage', 'Ben'), ('by_text', 'ada')) o (by, last);

select pg_temp.become('ann');
select results_eq(
  format(
    $$select vendor, agent, stage, last_text_at, conversation_id, waiting_since, unread from public.recruit_rows where agency_id = %L$$,
    md5('agency')::uuid),
  $$values ('vendor', 'ann', 'new', timestamptz '2026-11-20 10:00+00', md5('talk')::uuid,
    timestamptz '2026-11-20 09:00+00', array[md5('ann')::uuid])$$,
  'a row has the names of its vendor and agent, the stage, the latest text, and the caller''s own unread notifications');
reset role;
update public.recruiting_conversations set snoozed_until = now() + interval '1 hour' where id = md5('talk')::uuid;
select pg_temp.become('ann');
select is((select waiting_since from public.recruit_rows where id = md5('ada')::uuid), null, 'a snoozed recruit does not wait');
reset role;
select pg_temp.become('anon');
select throws_ok('select from public.recruit_rows', '42501', null, 'a visitor reads nothing');
reset role;

select * from finish();
rollback;
