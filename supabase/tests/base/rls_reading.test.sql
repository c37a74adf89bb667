-- The rows that each reads: an agent, a manager, the manager of another agency, a user who is not an agent, anon. The table of
-- docs/frontend.md says the same in words; docs/frontend.test.ts holds the two against each other.
begin;
select plan(377);
\ir ../helpers.psql

select pg_temp.create_people();
select pg_temp.create_vendor('vendor', repeat('a', 64));

-- In every table one row for each of: ann, cal, the agency itself (where no agent is needed), and otto elsewhere.
create temp table owners as
select owner, md5(agency)::uuid as agency_id, md5(agent)::uuid as agent_id
from (values ('ann', 'agency', 'ann'), ('cal', 'agency', 'cal'), ('agency', 'agency', null), ('otto', 'elsewhere',
  'otto'))
  o (owner, agency, agent);
insert into public.recruiting_orders (id, agency_id, agent_id, quantity, status)
select md5('order ' || owner)::uuid, agency_id, agent_id, 1, 'closed' from owners;
insert into public.recruiting_leads (id, vendor_id, first_name, agency_id, agent_id)
select md5('recruit ' || owner)::uuid, md5('vendor')::uuid, owner, agency_id, agent_id from owners
union all select md5('recruit nobody')::uuid, md5('vendor')::uuid, 'nobody', null, null;
insert into public.leads (id, agency_id, agent_id, first_name, phone, state, type, stage)
select md5('lead ' || owner)::uuid, agency_id, agent_id, owner, '1', 'TX', 'fe', 'of ' || owner from owners where agent_id is not null;
insert into public.lead_activities (lead_id, agent_id, type)
select id, agent_id, 'presentation_started' from public.leads where agent_id in (select agent_id from owners);
insert into public.lead_presentations (id, lead_id, agent_id)
select id, id, agent_id from public.leads where agent_id in (select agent_id from owners);
insert into public.lead_demographics (lead_id) select id from public.leads where agent_id in (select agent_id from owners);
insert into public.lead_sales (presentation_id, lead_id, agent_id, product, annual_premium)
select id, id, agent_id, 'Term', 1 from public.leads where agent_id in (select agent_id from owners);
insert into public.lead_referrals (presentation_id, lead_id, agent_id, first_name, phone)
select id, id, agent_id, 'Ron', '1' from public.leads where agent_id in (select agent_id from owners);
insert into public.recruiting_conversations (id, agency_id, assigned_agent_id, recruit_phone, service_phone)
select md5('conversation ' || owner)::uuid, agency_id, agent_id, '+1999555100' || row_number() over (), '+19995550000'
from owners;
-- A conversation with a recruit of ann's, assigned to nobody.
insert into public.recruiting_conversations (id, recruiting_lead_id, agency_id, recruit_phone, service_phone) values
  (md5('conversation recruit')::uuid, md5('recruit ann')::uuid, md5('agency')::uuid, '+19995552000', '+19995550000');
insert into public.recruiting_messages (conversation_id, direction, sender_type)
select id, 'inbound', 'recruit' from public.recruiting_conversations where service_phone = '+19995550000';
insert into public.media_copies (message_id, position) select id, 0 from public.recruiting_messages where direction = 'inbound';
with texts as (
  insert into public.recruiting_messages (conversation_id, direction, sender_type)
  select id, 'outbound', 'bot' from public.recruiting_conversations where service_phone = '+19995550000'
  returning id
)
insert into public.text_outbox (message_id, kind) select id, 'bot' from texts;
insert into public.text_consents (agency_id, phone, state, source)
select agency_id, recruit_phone, 'opted_in', 'test' from public.recruiting_conversations
where service_phone = '+19995550000';
insert into public.text_consent_events (agency_id, phone, state, source)
select agency_id, recruit_phone, 'opted_in', 'keyword' from public.recruiting_conversations
where service_phone = '+19995550000';
insert into public.agent_notifications (agent_id, conversation_id, message_id, kind)
select agent.id, message.conversation_id, message.id, 'text'
from (
  select id, row_number() over (order by id) as n from public.agents
  where agency_id in (md5('agency')::uuid, md5('elsewhere')::uuid)
) agent
join (
  select m.id, m.conversation_id, row_number() over (order by m.id) as n
  from public.recruiting_messages m
  join public.recruiting_conversations c on c.id = m.conversation_id and c.service_phone = '+19995550000'
) message using (n);
insert into public.conversation_reads (conversation_id, agent_id, read_up_to)
select md5('conversation ' || owner)::uuid, agent_id, now() from owners where agent_id is not null
union all select md5('conversation agency')::uuid, md5('mia')::uuid, now();
insert into public.operators (user_id) values (md5('user ann')::uuid);
insert into public.service_numbers (phone, agency_id) values
  ('+19995550000', md5('agency')::uuid), ('+19995550001', md5('elsewhere')::uuid);
insert into public.recruiting_message_events (provider_message_id) values ('test');
insert into public.unmatched_texts (message_sid) values ('test');
-- Of each recruit a text to both agencies' numbers, and one of a stranger.
update public.recruiting_leads l
set vendor_metadata = jsonb_build_object('phone', '+1999777000' || n.n)
from (select owner, row_number() over (order by owner) as n from owners) n
where l.id = md5('recruit ' || n.owner)::uuid;
insert into public.unmatched_texts (recruit_phone, service_phone)
select p.phone, n.phone
from public.service_numbers n
cross join (
  select phone from public.recruiting_leads where phone like '+1999777000_' union all values ('+19997779999')
) p
where n.phone like '+1999555000_';
insert into public.rejected_deliveries (request_id, route, vendor_id, code, reason, payload_bytes) values
  ('test', '/recruiting/ingest', md5('vendor')::uuid, 'BAD_REQUEST', 'no name', 2);
insert into public.erasures (asked_by, erased) values ('phone', '{}');
insert into public.alerts (kind, subject) values ('number_paused', '+19995550000');
insert into public.bot_scripts (id, agency_id, version)
select md5('script ' || agency_id)::uuid, agency_id, 1 from owners group by agency_id;
insert into public.bot_sessions (conversation_id, script_id, question)
select id, md5('script ' || agency_id)::uuid, 'licensed' from public.recruiting_conversations where service_phone = '+19995550000';
insert into public.bot_turns (conversation_id, due_at, message_ids) values (md5('conversation ann')::uuid, now(), '{}');
insert into public.screening_answers (lead_id, question, value, said)
select md5('recruit ' || owner)::uuid, 'licensed', '"yes"', 'Yes' from owners;
insert into public.skipped_greetings (recruiting_lead_id, agency_id, reason)
select distinct a.lead_id, l.agency_id, 'no_number' from public.screening_answers a join public.recruiting_leads l on l.id = a.lead_id where l.agency_id is not null;
insert into public.quick_replies (agency_id, shortcut, body) select agency_id, 'bye', 'Bye' from owners group by agency_id;
insert into public.recruit_exports (agency_id, agent_id, recruits)
values (md5('agency')::uuid, md5('mia')::uuid, 1), (md5('elsewhere')::uuid, md5('otto')::uuid, 1);
insert into public.order_changes (agency_id, order_id, agent_id, before, after)
select distinct on (o.agency_id) o.agency_id, o.id, m.id, '{}'::jsonb, '{"daily_cap": 1}'::jsonb
from public.recruiting_orders o
join public.agents m on m.agency_id = o.agency_id and m.first_name in ('mia', 'otto');
insert into public.push_subscriptions (agency_id, agent_id, user_id, endpoint, p256dh, auth)
select a.agency_id, a.id, a.user_id, a.id, repeat('B', 87), repeat('a', 22) from public.agents a where a.user_id is not null;
insert into public.agency_changes (agency_id, changed_by, action, subject_id, before, after)
select a.id, 'olivia', 'agency update', a.id, '{}', '{}' from public.agencies a where a.id in (md5('agency')::uuid, md5('elsewhere')::uuid);
insert into public.recruit_notes (recruiting_lead_id, agent_id, body)
select md5('recruit ' || owner)::uuid, coalesce(agent_id, md5('mia')::uuid), 'Call on Monday' from owners;
insert into public.recruit_stages (recruiting_lead_id, agency_id, stage)
select md5('recruit ' || owner)::uuid, agency_id, 'lost' from owners;
insert into public.recruit_calls (recruiting_lead_id, agency_id, agent_id)
select md5('recruit ' || owner)::uuid, agency_id, coalesce(agent_id, md5('mia')::uuid) from owners;
insert into public.conversation_assignments (conversation_id, recruiting_lead_id, agency_id, status)
select md5('conversation ' || owner)::uuid, md5('recruit ' || owner)::uuid, agency_id, 'bot' from owners;
insert into public.lead_assignments (recruiting_lead_id) select md5('recruit ' || owner)::uuid from owners;
insert into public.recruiting_lead_duplicates (lead_id, vendor_id) values
  (md5('recruit ann')::uuid, md5('vendor')::uuid);

-- The number of rows of the table that this person reads, or `denied`.
create function pg_temp.sees(name text, "table" text) returns text language plpgsql as $$
declare
  rows text;
begin
  perform pg_temp.become(name);
  begin
    execute format('select count(*) from public.%I', "table") into rows;
  exception when insufficient_privilege then
    rows := 'denied';
  end;
  perform set_config('role', 'none', true);
  return rows;
end
$$;

create temp table readers ("table" text, ann text, mia text, otto text);
insert into readers values
  ('agencies',                   '0', '1', '1'),
  ('agents',                     '4', '4', '2'),
  ('recruiting_orders',          '1', '3', '1'),
  ('recruiting_leads',           '1', '3', '1'),
  ('recruit_rows',               '1', '3', '1'),
  ('leads',                      '1', '2', '1'),
  ('lead_stages',                '1', '2', '1'),
  ('lead_metrics',               '1', '2', '1'),
  ('lead_activities',            '1', '2', '1'),
  ('lead_presentations',         '1', '2', '1'),
  ('lead_demographics',          '1', '2', '1'),
  ('lead_sales',                 '1', '2', '1'),
  ('lead_referrals',             '1', '2', '1'),
  ('recruiting_conversations',   '2', '4', '1'),
  ('inbox',                      '2', '4', '1'),
  ('inbox_counts',               '1', '1', '1'),
  ('conversation_reads',         '1', '3', '1'),
  ('order_pace',                 '0', '3', '1'),
  ('team',                       '0', '4', '2'),
  ('recruiting_messages',        '4', '8', '2'),
  ('text_outbox',                '2', '4', '1'),
  ('media_copies',               '2', '4', '1'),
  ('text_consents',              '2', '4', '1'),
  ('text_consent_events',        '2', '4', '1'),
  ('agent_notifications',        '1', '1', '1'),
  ('service_numbers',            '0', '1', '1'),
  ('bot_scripts',                '0', '1', '1'),
  ('bot_sessions',               '2', '4', '1'),
  ('screening_answers',          '1', '3', '1'),
  ('skipped_greetings',          '1', '3', '1'),
  ('recruit_notes',              '1', '3', '1'),
  ('recruit_stages',             '1', '3', '1'),
  ('recruit_calls',              '1', '3', '1'),
  ('conversation_assignments',   '1', '3', '1'),
  ('lead_assignments',           '1', '3', '1'),
  ('recruit_timeline',           '10', '26', '8'),
  ('texting_timeline',           '9', '21', '6'),
  ('quick_replies',              '1', '1', '1'),
  ('recruit_exports',            '0', '1', '1'),
  ('order_changes',              '0', '1', '1'),
  ('push_subscriptions',         '1', '1', '1'),
  ('agency_changes',             '0', '1', '1'),
  ('unmatched_texts',            '1', '3', '1'),
  ('waiting_texts',              '1', '3', '1'),
  ('bot_turns',                  'denied', 'denied', 'denied'),
  ('alerts',                     'denied', 'denied', 'denied'),
  ('alert_rules',                'denied', 'denied', 'denied'),
  ('erasures',                   'denied', 'denied', 'denied'),
  ('repeat_rules',               'denied', 'denied', 'denied'),
  ('operators',                  'denied', 'denied', 'denied'),
  ('operator_actions',           'denied', 'denied', 'denied'),
  ('lead_returns',               'denied', 'denied', 'denied'),
  ('destinations',               'denied', 'denied', 'denied'),
  ('suppressions',               'denied', 'denied', 'denied'),
  ('vendors',                    'denied', 'denied', 'denied'),
  ('vendor_api_keys',            'denied', 'denied', 'denied'),
  ('recruiting_message_events',  'denied', 'denied', 'denied'),
  ('rejected_deliveries',        'denied', 'denied', 'denied'),
  ('recruiting_lead_duplicates', 'denied', 'denied', 'denied'),
  ('texting_hours',              'denied', 'denied', 'denied'),
  ('texting_closures',       'denied', 'denied', 'denied'),
  ('area_codes',                 'denied', 'denied', 'denied');

select set_eq(
  'select "table" from readers',
  $$select c.relname::text from pg_class c
    where c.relnamespace = 'public'::regnamespace and (c.relkind in ('r', 'p')
      -- Views of operators have rows for operators alone.
      or c.relkind = 'v' and c.relname not like '%\_list' and c.relname <> 'operator_counts'
        and has_table_privilege('authenticated', c.oid, 'select'))$$,
  'every table is here, and every view of agents and managers');

select is(
  pg_temp.sees(name, "table"), expected,
  format('%s in %s: %s, by the policy in its file of supabase/schemas', name, "table", expected))
from readers
cross join lateral (values
  ('ann', ann), ('mia', mia), ('otto', otto), ('anon', 'denied'),
  ('visitor', case ann when 'denied' then 'denied' else '0' end),
  ('former', case ann when 'denied' then 'denied' else '0' end)
) as people (name, expected);

-- The rows.
select pg_temp.become('ann');
select results_eq('select first_name from public.leads', array['ann'], 'the lead that an agent reads is the agent''s own');
select results_eq('select first_name from public.recruiting_leads', array['ann'], 'the recruit that an agent reads is the agent''s own');
select set_eq(
  'select id from public.recruiting_conversations',
  array[md5('conversation ann')::uuid, md5('conversation recruit')::uuid],
  'an agent reads the conversations assigned to the agent, and those with the agent''s recruits');
reset role;
select pg_temp.become('mia');
select set_eq(
  'select first_name from public.recruiting_leads', array['ann', 'cal', 'agency'],
  'a manager reads the agency''s recruits, also without an agent, but none that were never distributed');
reset role;

select * from finish();
rollback;
