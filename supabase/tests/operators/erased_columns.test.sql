-- The fate of each column when a person is erased. A new table has to be named here, and a new column that is not
-- emptied.
begin;
select plan(10);
\ir ../helpers.psql

-- The rows that stay, with the columns that are not emptied. `kept`: what docs/security.md says of it. `harmless`: it says
-- nothing of the person.
create temp table kept_rows (name, fate, columns) as values
  ('recruiting_leads', 'harmless', 'id vendor_id distribution request_id received_via agency_id agent_id order_id
    distributed_at created_at updated_at'),
  ('leads', 'harmless', 'id external_id agency_id agent_id distribution_id type source status stage created_at updated_at'),
  ('lead_sales', 'kept', 'product annual_premium'),
  ('lead_sales', 'harmless', 'id presentation_id lead_id agent_id carrier payment_frequency created_at updated_at'),
  ('lead_referrals', 'harmless', 'id presentation_id lead_id agent_id position created_at'),
  ('rejected_deliveries', 'harmless', 'id request_id route vendor_id row code payload_bytes status lead_id
    received_at resolved_at'),
  -- With a consent in it; others are deleted.
  ('unmatched_texts', 'kept', 'message_sid recruit_phone service_phone body opt_out_type received_at'),
  ('unmatched_texts', 'harmless', 'id copies_media'),
  ('text_consents', 'kept', 'phone state source changed_at'),
  ('text_consents', 'harmless', 'agency_id created_at'),
  ('text_consent_events', 'kept', 'phone state source words message_id agent_id reason occurred_at'),
  ('text_consent_events', 'harmless', 'id agency_id created_at'),
  ('lead_metrics', 'harmless', 'lead_id presentations_started presentations_resumed presentations_paused
    presentations_submitted sales annual_premium referrals last_activity_at created_at updated_at'),
  ('lead_activities', 'kept', 'type occurred_at'),
  ('lead_activities', 'harmless', 'id lead_id agent_id created_at'),
  ('lead_presentations', 'kept', 'submitted_at'),
  ('lead_presentations', 'harmless', 'id lead_id agent_id client_submission_id created_at'),
  ('lead_returns', 'harmless', 'recruiting_lead_id agency_id order_id agent_id distributed_at returned_by created_at'),
  ('private.lead_fetches', 'harmless', 'id vendor_id leadgen_id page_id form_id request_id state due_at attempt lease_until
    failing_since held_since reason lead_id created_at updated_at'),
  ('private.dispatches', 'emptied', 'body excerpt reason'),
  ('private.dispatches', 'harmless', 'id destination_id event lead_id alert_ids state due_at first_due_at attempt attempts_before
    lease_until status return_due_at delivered_at ended_at seq created_at'),
  ('recruiting_lead_duplicates', 'harmless', 'id lead_id vendor_id request_id reason received_at'),
  ('private.lead_repeats', 'harmless', 'lead_id earlier_id action created_at'),
  -- Those of a lead; those of a conversation are deleted.
  ('agent_notifications', 'harmless', 'id agent_id conversation_id message_id lead_id kind reason day by_agent_id others created_at
    read_at');
create temp table deleted_rows (name, person) as values
  ('screening_answers', 'lead_id'), ('recruit_notes', 'recruiting_lead_id'), ('recruit_stages', 'recruiting_lead_id'),
  ('recruit_calls', 'recruiting_lead_id'), ('conversation_assignments', 'recruiting_lead_id'), ('private.waiting_greetings', 'lead_id'), ('skipped_greetings', 'recruiting_lead_id'), ('lead_demographics', 'lead_id'),
  ('recruiting_conversations', 'id'), ('conversation_reads', 'conversation_id'), ('recruiting_messages', 'conversation_id'),
  ('text_outbox', 'conversation_id'), ('media_copies', 'message_id'), ('bot_sessions', 'conversation_id'), ('bot_turns', 'conversation_id'),
  ('agent_notifications', 'conversation_id'), ('private.waiting_notifications', 'conversation_id'),
  ('private.waiting_take_overs', 'conversation_id'),
  ('recruiting_message_events', 'provider_message_id'), ('unmatched_texts', 'message_sid'), ('suppressions', 'value'), ('private.idempotency_keys', 'key');
-- Tables that are about nobody: about agencies, vendors, users and the service itself, or with ids, counts and times
-- alone.
create temp table others (name) as select unnest(array[
  'agencies', 'agents', 'vendors', 'vendor_api_keys', 'private.vendor_webhook_secrets', 'private.refused_proofs',
  'private.request_counts', 'private.request_slots', 'private.text_limits', 'recruiting_orders', 'private.recruiting_order_choices', 'private.recruiting_order_days',
  'private.lead_notifications_due', 'repeat_rules', 'private.person_locks', 'private.resume_uploads', 'private.abandoned_leads', 'service_numbers', 'texting_hours',
  'texting_closures', 'area_codes', 'quick_replies', 'recruit_exports', 'order_changes', 'agency_changes', 'bot_scripts', 'operators', 'operator_actions', 'erasures', 'lead_assignments',
  'private.job_runs', 'private.metric_days', 'private.quality_days', 'private.open_delivery_counts', 'alert_rules', 'alerts',
  'destinations', 'push_subscriptions', 'private.destination_secrets', 'private.sending_settings']);

select set_eq(
  $$select c.oid::regclass::text from pg_class c
    where c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)$$,
  $$select name from kept_rows union select name from deleted_rows union select name from others$$,
  'each table is about a person, or about nobody');
-- Of a generated column nothing stays that the columns which it is computed from do not have.
create temp table emptied_columns as
select a.attrelid::regclass::text as name, a.attname::text as of_column
from pg_attribute a
where a.attrelid in (select name::regclass from kept_rows) and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
except select name, c from kept_rows cross join regexp_split_to_table(columns, '\s+') c;
select is_empty(
  $$select name, c from kept_rows cross join regexp_split_to_table(columns, '\s+') c
    except select attrelid::regclass::text, attname from pg_attribute$$,
  'each column that is kept or harmless is one');
select is_empty(
  $$select name, c from kept_rows cross join regexp_split_to_table(columns, '\s+') c group by 1, 2 having count(*) > 1$$,
  'and has one fate');

-- A person with something in each of them
select pg_temp.create_agency('agency', 'UTC', 'ann');
select pg_temp.create_vendor('vendor');
insert into public.recruiting_leads (id, vendor_id, vendor_lead_id, first_name, vendor_metadata, resume_path) values (
  md5('person')::uuid, md5('vendor')::uuid, '+13125550142', 'Maria',
  '{"phone": "+13125550142", "email": "maria@example.com", "last_name": "Lopez", "state": "IL"}', 'maria.pdf');
insert into private.lead_fetches (id, vendor_id, leadgen_id, notice, request_id, state, lead_id) values (
  md5('person')::uuid, md5('vendor')::uuid, '1', '{"leadgen_id": 1, "name": "Maria"}', 'request', 'done', md5('person')::uuid);
insert into public.recruiting_orders (id, agency_id, quantity) values (md5('order')::uuid, md5('agency')::uuid, 1);
insert into public.lead_returns (recruiting_lead_id, agency_id, order_id, distributed_at, reason)
values (md5('person')::uuid, md5('agency')::uuid, md5('order')::uuid, now(), 'Maria is no agent');
insert into public.leads (id, agency_id, agent_id, first_name, last_name, phone, phone_e164, email, address, city, state,
  zip, language, type)
values (md5('person')::uuid, md5('agency')::uuid, md5('ann')::uuid, 'Maria', 'Lopez', '312-555-0142', '+13125550142',
  'maria@example.com', '1 Elm St', 'Gary', 'IL', '60601', 'es', 'fe');
insert into public.lead_presentations (id, lead_id, agent_id) values (md5('person')::uuid, md5('person')::uuid, md5('ann')::uuid);
insert into public.lead_demographics (lead_id, spouse_name) values (md5('person')::uuid, 'Juan');
insert into public.lead_sales (id, presentation_id, lead_id, agent_id, product, annual_premium, policy_number,
  face_amount, effective_date)
values (md5('person')::uuid, md5('person')::uuid, md5('person')::uuid, md5('ann')::uuid, 'Term', 600, 'P-1', 9000, '2026-01-01');
select pg_temp.create_lead('other', 'ann');
insert into public.lead_presentations (id, lead_id, agent_id) values (md5('other')::uuid, md5('other')::uuid, md5('ann')::uuid);
insert into public.lead_referrals (id, presentation_id, lead_id, agent_id, first_name, last_name, phone, email, relationship,
  notes)
values (md5('person')::uuid, md5('other')::uuid, md5('other')::uuid, md5('ann')::uuid, 'Maria', 'Lopez', '+13125550142',
  'maria@example.com', 'aunt', 'kind');
-- A delivery has one of the two payloads.
insert into public.rejected_deliveries (id, request_id, route, vendor_id, vendor_lead_id, code, reason, payload,
  payload_text, context, payload_bytes)
select md5(id)::uuid, 'request', '/recruiting/ingest', md5('vendor')::uuid, '+13125550142', 'BAD_REQUEST', 'not +13125550142', payload,
  payload_text, '{"phone": "+13125550142"}', 9
from (values ('person', '{"phone": "+13125550142"}'::jsonb, null), ('text', null, 'phone=+13125550142')) d (id, payload, payload_text);
select pg_temp.create_conversation('person', '+13125550142', '+13125550100', 'ann', lead => 'person');
insert into public.conversation_reads (conversation_id, agent_id, read_up_to) values (md5('person')::uuid, md5('ann')::uuid, now());
select public.receive_sms('+13125550142', '+13125550100', 'SM1', 'I am Maria', '[{"url": "https://example.com/2"}]',
  md5('text')::uuid, copies_media => true);
select public.update_sms_status('SM1', 'delivered', null);
select pg_temp.add_text('answer', 'person', state => 'accepted');
insert into public.bot_scripts (id, agency_id, version) values (md5('script')::uuid, md5('agency')::uuid, 1);
insert into public.bot_sessions (conversation_id, script_id, question) values (md5('person')::uuid, md5('script')::uuid, 'licensed');
insert into public.bot_turns (conversation_id, due_at, message_ids) values (md5('person')::uuid, now(), array[md5('text')::uuid]);
insert into private.waiting_notifications (conversation_id, kind) values (md5('person')::uuid, 'text');
insert into private.waiting_greetings (lead_id) values (md5('person')::uuid);
insert into public.skipped_greetings (recruiting_lead_id, agency_id, reason) values (md5('person')::uuid, md5('agency')::uuid, 'no_number');
insert into private.waiting_take_overs (conversation_id) values (md5('person')::uuid);
insert into public.screening_answers (lead_id, question, value, said) values (md5('person')::uuid, 'licensed', '"yes"', 'Yes');
insert into public.recruit_notes (recruiting_lead_id, agent_id, body) values (md5('person')::uuid, md5('ann')::uuid, 'Maria''s aunt');
insert into public.recruit_stages (recruiting_lead_id, agency_id, stage) values (md5('person')::uuid, md5('agency')::uuid, 'lost');
insert into public.recruit_calls (recruiting_lead_id, agency_id, agent_id)
values (md5('person')::uuid, md5('agency')::uuid, md5('ann')::uuid);
insert into public.conversation_assignments (conversation_id, recruiting_lead_id, agency_id, status)
values (md5('person')::uuid, md5('person')::uuid, md5('agency')::uuid, 'bot');
insert into public.unmatched_texts (id, message_sid, recruit_phone, service_phone, body, media) values
  (md5('SM2')::uuid, 'SM2', '+13125550142', '+13125550101', 'Maria here', '[]'),
  (md5('person')::uuid, 'SM3', '+13125550142', '+13125550101', 'STOP', '[{"url": "https://example.com/1"}]');
insert into public.destinations (id, agency_id, name, kind, url, events)
values (md5('destination')::uuid, md5('agency')::uuid, 'crm', 'webhook', 'https://example.com', '{}');
insert into private.dispatches (id, destination_id, event, lead_id, body, state, ended_at, attempt, excerpt, reason)
values (md5('person')::uuid, md5('destination')::uuid, 'lead.distributed', md5('person')::uuid, '{"data": {"lead": {"first_name": "Maria"}}}',
  'failed', now(), 8, 'no Maria here', 'Maria');
insert into private.idempotency_keys (scope, key, part, result) values ('import', '+13125550142', 0, '{}');
insert into public.suppressions (kind, value, reason, source) values ('phone', '+13125550142', 'Maria asked', 'operator');

-- The number of rows of the person in a table of deleted_rows.
create function pg_temp.rows_of(name text, person text) returns integer language plpgsql as $$
declare
  count integer;
begin
  execute format('select count(*) from %s where %I::text = any ($1)', name, person) into count
  using array[md5('person')::uuid::text, md5('text')::uuid::text, 'SM1', 'SM2', '+13125550142'];
  return count;
end
$$;
-- Values of a column that is to be emptied.
create function pg_temp.values_of(name text, of_column text) returns text language plpgsql as $$
declare
  found text;
begin
  execute format(
    'select string_agg(%I::text, '' '') from %s t where (to_jsonb(t) ->> %L)::uuid in ($1, $2)', of_column, name,
    case name when 'lead_returns' then 'recruiting_lead_id' else 'id' end) into found
  using md5('person')::uuid, md5('text')::uuid;
  return found;
end
$$;
create view pg_temp.emptied as
select name, of_column, pg_temp.values_of(name, of_column) as has from emptied_columns;

select is_empty($$select name from deleted_rows where pg_temp.rows_of(name, person) = 0$$, 'this person has rows in each table that loses them');
select is_empty($$select name, of_column from pg_temp.emptied where has is null or has in ('[]', '{}')$$,
  'and something in each column that is emptied: insert a value above, or name the column as harmless');
select cmp_ok((select count(*)::integer from pg_temp.emptied), '>', 30, '... of which there are many');
create temp table before as select * from pg_temp.emptied;
select lives_ok($$select public.erase_person('+13125550142', array['SM1', 'SM2'])$$, 'the person is erased');
select is_empty($$select name from deleted_rows where pg_temp.rows_of(name, person) > 0$$, 'then these rows are gone');
select is_empty(
  $$select e.* from pg_temp.emptied e join before b using (name, of_column)
    where e.has = b.has or replace(e.has, '(erased)', '') !~ '^(\[\]|\{\}| |sha256:[0-9a-f]{64})*$'$$, 'and these columns say nothing');
select results_eq(
  $$select recruit_phone, body from public.unmatched_texts where recruit_phone = '+13125550142'$$, $$values ('+13125550142', 'STOP')$$,
  'what was said about texts stays');

select * from finish();
rollback;
