-- All rights, read from the catalogue, so that an unintended grant on any object is found.
begin;
select plan(12);

create view pg_temp.table_grants as
select c.oid::regclass::text as "table", r.rolname::text as role, p.privilege
from pg_class c
cross join pg_roles r
cross join unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']) p (privilege)
where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)
  and c.relkind in ('r', 'p')
  and r.rolname in ('anon', 'authenticated', 'service_role')
  and has_table_privilege(r.rolname, c.oid, p.privilege);

create view pg_temp.own_functions as
select p.oid, p.pronamespace::regnamespace::text || '.' || p.proname as function
from pg_proc p
where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace)
  -- Functions of extensions do not count.
  and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e');

create view pg_temp.function_grants as
select p.function, r.rolname::text as role
from pg_temp.own_functions p
cross join pg_roles r
where r.rolname in ('anon', 'authenticated', 'service_role') and has_function_privilege(r.rolname, p.oid, 'execute');

select is_empty($$select * from pg_temp.table_grants where role = 'anon'$$, 'anon has no privilege on any table');

select is_empty(
  $$select c.oid::regclass, a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and has_column_privilege('anon', c.oid, a.attnum, 'select, insert, update, references')$$,
  'anon has no privilege on any column');

select set_eq(
  $$select "table", privilege from pg_temp.table_grants where role = 'authenticated'$$,
  $$values
    ('agencies', 'select'), ('agents', 'select'), ('recruiting_orders', 'select'), ('recruiting_leads', 'select'),
    ('leads', 'select'), ('lead_metrics', 'select'), ('lead_activities', 'select'), ('lead_presentations', 'select'),
    ('lead_demographics', 'select'), ('lead_sales', 'select'), ('lead_referrals', 'select'),
    ('recruiting_conversations', 'select'), ('recruiting_messages', 'select'),
    ('text_consents', 'select'), ('text_consent_events', 'select'), ('agent_notifications', 'select'),
    ('service_numbers', 'select'), ('text_outbox', 'select'), ('bot_scripts', 'select'), ('bot_sessions', 'select'),
    ('screening_answers', 'select'), ('conversation_reads', 'select'), ('unmatched_texts', 'select'),
    ('media_copies', 'select'), ('recruit_notes', 'select'), ('recruit_stages', 'select'),
    ('recruit_calls', 'select'), ('conversation_assignments', 'select'), ('quick_replies', 'select'),
    ('recruit_exports', 'select'), ('order_changes', 'select'), ('skipped_greetings', 'select')$$,
  'a signed-in user may select from these tables and has no other privilege on a whole table');

select set_eq(
  $$select distinct c.relname::text, p.privilege
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    cross join unnest(array['insert', 'update']) p (privilege)
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and has_column_privilege('authenticated', c.oid, a.attnum, p.privilege)$$,
  $$values ('lead_presentations', 'insert'), ('lead_demographics', 'insert'), ('lead_demographics', 'update'),
    ('lead_sales', 'insert'), ('lead_referrals', 'insert')$$,
  'a signed-in user may write columns of only those tables that submit_lead_presentation() fills');

select set_eq(
  $$select "table", privilege from pg_temp.table_grants where role = 'service_role' and "table" not like 'private.%'$$,
  $$select c.relname::text, p.privilege
    from pg_class c cross join unnest(array['select', 'insert', 'update', 'delete']) p (privilege)
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and not (c.relname in ('recruiting_message_events', 'text_consent_events', 'bot_scripts', 'operator_actions', 'lead_assignments')
          and p.privilege = 'update'
        or c.relname in ('text_consent_events', 'bot_scripts', 'operator_actions') and p.privilege = 'delete')$$,
  'the service role reads and writes every table, but never changes events, scripts and actions, nor deletes some of them');

select is_empty(
  $$select c.relname, r.rolname, p.privilege
    from pg_class c
    cross join pg_roles r
    cross join unnest(array['select', 'insert', 'update', 'delete']) p (privilege)
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'v'
      and r.rolname in ('anon', 'authenticated', 'service_role')
      and has_table_privilege(r.rolname, c.oid, p.privilege)
        <> (p.privilege = 'select' and case r.rolname
          when 'authenticated' then c.relname in ('inbox', 'recruit_timeline', 'texting_timeline', 'order_pace', 'team', 'waiting_texts',
            'delivery_list', 'delivery_reason_list', 'mapping_list', 'lead_list', 'waiting_lead_list', 'waiting_vendor_list',
            'unmatched_text_list', 'waiting_recruit_list', 'alert_list', 'job_list', 'duplicate_list', 'number_list', 'order_list',
            'vendor_name_list', 'vendor_list', 'outbox_list')
          when 'service_role' then c.relname not in ('inbox', 'recruit_timeline', 'order_pace', 'team', 'waiting_texts')
          else false
        end)$$,
  'a view is for the service role alone, to read, and these for a signed-in user');

select set_eq(
  $$select c.relname::text from pg_class c
    where c.relnamespace = 'private'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
      and has_any_column_privilege('authenticated', c.oid, 'select, insert, update')$$,
  array['delivery_list', 'mapping_list', 'lead_list', 'waiting_lead_list', 'unmatched_text_list', 'waiting_recruit_list', 'alert_list', 'job_list',
    'duplicate_list', 'number_list', 'order_list', 'vendor_name_list', 'vendor_list', 'outbox_list'],
  'of the schema private a signed-in user reads the lists of operators alone');

select set_eq(
  $$select function from pg_temp.function_grants where role = 'anon'$$, array['private.admit_request'],
  'anon may execute no function but the one that PostgREST calls in each request');

select set_eq(
  $$select function from pg_temp.function_grants where role = 'authenticated'$$,
  array[
    'private.admit_request', 'public.submit_lead_presentation', 'public.set_recruit_stage', 'public.record_call',
    'private.assigned_recruits', 'private.is_number_active', 'private.may_add_file', 'private.text_state', 'private.why_not_sent', 'public.mark_read', 'public.send_text', 'public.start_conversation',
    'public.hand_back_to_bot', 'public.record_text_consent', 'public.publish_bot_script', 'public.read_conversation', 'public.cancel_text', 'public.retry_text', 'public.assign_conversation',
    'public.ask_for_conversation', 'public.add_note', 'public.save_quick_reply',
    'public.delete_quick_reply', 'public.quick_replies_to', 'public.no_reply_needed', 'public.search_leads', 'public.read_lead', 'public.mapping_samples', 'public.read_sample', 'public.note_export', 'public.agency_figures', 'public.figure_list',
    'public.assign_conversations', 'public.change_order', 'public.reply_needed', 'public.snooze_conversation', 'public.search_inbox',
    'private.conversations_with_words', 'private.like_pattern', 'public.signed_in_user', 'public.begin_operator_action', 'public.read_payload',
    'public.distribute_leads', 'public.acknowledge_alert', 'public.set_alert_rule', 'public.count_vendor_days', 'private.may_operate',
    'private.recruit_of', 'private.own_service_phones', 'private.vendor_name', 'private.day_start', 'private.current_agent_id', 'private.current_agency_id',
    'public.return_lead', 'public.adopt_texts', 'public.dismiss_deliveries', 'public.resume_number',
    'public.explain_order',
    'private.managed_agency_id', 'private.submitting_lead_id', 'private.quoted', 'private.invalid_field', 'private.require_fields',
    'private.text_field', 'private.amount_field', 'private.count_field', 'private.boolean_field', 'private.date_field',
    'private.read_demographics', 'private.read_sale', 'private.read_referrals', 'private.conversation_of_file'
  ],
  'a signed-in user may execute what agents and operators call and the helpers that it and the policies call');

select set_eq(
  $$select function from pg_temp.function_grants where role = 'service_role' and function like 'public.%'$$,
  array[
    'public.add_lead_fetches', 'public.claim_lead_fetches', 'public.record_lead_fetch', 'public.refetch_lead',
    'public.claim_media_copies', 'public.record_media_copy', 'public.queue_media_copies',
    'public.authenticate_vendor', 'public.identify_vendor', 'public.create_vendor_api_key', 'public.revoke_vendor_api_key',
    'public.identify_webhook', 'public.record_refused_proofs', 'public.create_vendor_webhook_secret', 'public.revoke_vendor_webhook_secret',
    'public.ingest_recruiting_leads', 'public.distribute_pending_leads', 'public.abandon_recruiting_leads', 'public.preview_recruiting_lead',
    'public.preview_recruiting_lead_batch',
    'public.begin_resume_upload', 'public.left_over_resumes', 'public.forget_resume_uploads',
    'public.ingest_recruiting_lead_batch', 'public.count_request', 'public.service_health', 'public.import_leads',
    'public.log_presentation_activity', 'public.claim_texts', 'public.hold_texts', 'public.claim_greetings', 'public.queue_greeting',
    'public.claim_take_overs', 'public.take_over_texts', 'public.record_text_outcome', 'public.record_text_lookup',
    'public.receive_sms', 'public.update_sms_status', 'public.claim_bot_turns', 'public.read_bot_turn', 'public.complete_bot_turn', 'public.record_rejections',
    'public.replay_delivery', 'public.distribute_waiting_leads', 'public.check_daily_counts', 'public.prune_deliveries',
    'public.assign_leads', 'public.remove_agency', 'public.remove_agent', 'public.remove_vendor', 'public.leads_to_reread',
    'public.fill_leads', 'public.adopt_texts', 'public.dismiss_deliveries', 'public.resume_number', 'public.set_texting_hours', 'public.close_hours', 'public.open_hours', 'public.text_hours',
    'public.find_person', 'public.export_person', 'public.person_copies', 'public.erase_person',
    'public.list_leads', 'public.find_leads', 'public.show_lead', 'public.report_leads', 'public.return_lead',
    'public.acknowledge_alert', 'public.set_alert_rule', 'public.recount_orders', 'public.explain_lead', 'public.explain_order',
    'public.create_order', 'public.change_order', 'public.rotate_vendor_api_keys', 'public.distribute_leads', 'public.find_named', 'public.find_lead', 'public.find_double',
    'public.preview_replay', 'public.count_vendor_days', 'public.mapping_samples', 'public.save_mapping',
    'public.read_metrics', 'public.are_texts_due', 'public.claim_alert_deliveries', 'public.record_alert_delivery', 'public.test_alert'
  ],
  'the service role may execute what the edge functions and administrators call');

select is_empty(
  $$select c.relname from pg_class c where c.relnamespace = 'private'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
      and has_any_column_privilege('anon', c.oid, 'select, insert, update')$$,
  'anon reads and writes nothing in the schema private');

create table public.made_by_a_later_migration (id uuid);
create function public.made_by_a_later_migration() returns integer language sql as 'select 1';
select ok(
  not has_table_privilege('anon', 'public.made_by_a_later_migration', 'select')
  and not has_table_privilege('authenticated', 'public.made_by_a_later_migration', 'select')
  and not has_function_privilege('anon', 'public.made_by_a_later_migration()', 'execute'),
  'a new table or function is open to nobody until a grant says so');

select * from finish();
rollback;
