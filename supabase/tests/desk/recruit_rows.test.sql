-- The table of recruits: what a row says, who reads it, and its orders.
begin;
select plan(21);
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

insert into public.bot_scripts (id, agency_id, version, script) values (md5('script')::uuid, md5('agency')::uuid, 1,
  '{"questions": [{"id": "licensed"}, {"id": "states"}, {"id": "hours"}, {"id": "start"}]}');
insert into public.bot_sessions (conversation_id, script_id, question) values (md5('talk')::uuid, md5('script')::uuid, 'hours');
insert into public.screening_answers (lead_id, question, value, said)
select md5('ada')::uuid, a.* from (values ('states', '["TX"]'::jsonb, 'Texas'), ('licensed', '"yes"', 'yep')) a;

create function pg_temp.rows_of(name text, by text) returns text language sql as $$
  select pg_temp.result_as(name, format(
    'select string_agg(first_name, '' '' order by %I, id) from public.recruit_rows where agency_id = %L', by, md5('agency')::uuid))
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

select results_eq(
  format('select screening, asking, screening_answers from public.recruit_rows where agency_id = %L', md5('agency')::uuid),
  $$values ('asking', array[3, 4], jsonb '[{"question": "licensed", "value": "yes", "said": "yep"},
    {"question": "states", "value": ["TX"], "said": "Texas"}]')$$,
  'an agent reads the answers of a recruit in the order of the script, and which question the bot asks');
reset role;
update public.bot_sessions set state = 'escalated', reason = 'asked' where conversation_id = md5('talk')::uuid;
select pg_temp.become('mia');
select results_eq(
  'select first_name, screening, asking, jsonb_array_length(screening_answers) from public.recruit_rows order by by_name',
  $$values ('ada', 'answered', null::integer[], 2), ('Ben', 'not_asked', null, 0), ('Éva', 'not_asked', null, 0)$$,
  'a manager reads the answers of all');
reset role;
delete from public.screening_answers;
select pg_temp.become('mia');
select is((select screening from public.recruit_rows where id = md5('ada')::uuid), 'unanswered', 'the bot has asked in vain');
reset role;

create function pg_temp.consent_of(name text) returns text language sql as $$
  select pg_temp.result_as('mia', format($q$select coalesce(consent, 'null') from public.recruit_rows where id = %L$q$, md5(name)::uuid))
$$;
select is(concat_ws(' ', pg_temp.consent_of('ada'), pg_temp.consent_of('Ben')), 'none null', 'nobody has agreed to texts by themselves');

-- The same person again, from a vendor whose form asks for the consent, with a colleague; and with another agency.
select pg_temp.create_vendor('asks');
update public.vendors set has_text_consent = true where id = md5('asks')::uuid;
insert into public.recruiting_leads (id, vendor_id, first_name, vendor_metadata, agency_id, agent_id)
values (md5('afar')::uuid, md5('asks')::uuid, 'afar', '{"phone": "+13125550101"}', md5('elsewhere')::uuid, md5('eve')::uuid);
select is(pg_temp.consent_of('ada'), 'none', 'a consent is for one agency');
insert into public.recruiting_leads (id, vendor_id, first_name, vendor_metadata, agency_id, agent_id)
values (md5('again')::uuid, md5('asks')::uuid, 'again', '{"phone": "+13125550101"}', md5('agency')::uuid, md5('cal')::uuid);
select is(concat_ws(' ', pg_temp.consent_of('ada'), pg_temp.consent_of('again')), 'given given',
  'a consent is for a phone: every application with it says the same');
update public.recruiting_leads set vendor_metadata = vendor_metadata || '{"consent": {"given": false}}' where id = md5('again')::uuid;
select is(pg_temp.consent_of('again'), 'none', 'but not where the application itself says no');
select pg_temp.become('ann');
select results_eq(
  'select first_name, applications from public.recruit_rows',
  $$values ('ada', 2)$$,
  'a row counts the applications of the person to the agency, also those of colleagues');
reset role;
delete from public.recruiting_leads where id = md5('again')::uuid;
update public.recruiting_conversations set last_message_at = now() where id = md5('talk')::uuid;
select is(pg_temp.consent_of('ada'), 'given', 'who writes may be texted');
insert into public.text_consents (agency_id, phone, state, source) values (md5('agency')::uuid, '+13125550101', 'opted_out', 'keyword');
update public.vendors set has_text_consent = true where id = md5('vendor')::uuid;
select is(pg_temp.consent_of('ada'), 'opted_out', 'but not after an opt-out, whatever the vendor says');
insert into public.suppressions (kind, value, reason, source) values ('phone', '+13125550101', 'asked', 'operator');
select is(pg_temp.consent_of('ada'), 'suppressed', 'nobody may text who is suppressed');

update public.recruiting_conversations set snoozed_until = now() + interval '1 hour' where id = md5('talk')::uuid;
select pg_temp.become('ann');
select is((select waiting_since from public.recruit_rows where id = md5('ada')::uuid), null, 'a snoozed recruit does not wait');
reset role;
select pg_temp.become('anon');
select throws_ok('select from public.recruit_rows', '42501', null, 'a visitor reads nothing');
reset role;

select * from finish();
rollback;
