-- Every function that runs with its owner's rights, by name, so that nobody adds one without noticing.
begin;
select plan(1);

select set_eq(
  $$select p.oid::regprocedure::text from pg_proc p
    where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace) and p.prosecdef
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')$$,
  array[
    'private.current_agent()', 'private.current_agent_id()', 'private.current_agency_id()',
    'private.managed_agency_id()', 'private.count_lead_activity()', 'private.count_lead_presentation()',
    'private.count_lead_sale()', 'private.count_lead_referral()', 'private.newest_migration()',
    'private.admit_request()',
    'private.assigned_recruits()', 'private.is_number_active(text,uuid)', 'set_recruit_stage(uuid,text)', 'record_call(uuid,uuid,text)',
    'private.broadcast(text,jsonb,text[])', 'cancel_text(uuid)', 'retry_text(uuid)',
    'assign_conversation(uuid,uuid)', 'no_reply_needed(uuid,timestamp with time zone)', 'search_leads(uuid,text)', 'read_lead(uuid)', 'mapping_samples(uuid,uuid)', 'read_sample(uuid)', 'note_export(integer)', 'agency_figures(integer)', 'figure_list(text,integer,date,uuid,uuid)',
    'assign_conversations(uuid[],uuid)',
    'change_order(uuid,jsonb,jsonb)', 'reply_needed(uuid)',
    'snooze_conversation(uuid,timestamp with time zone,timestamp with time zone)', 'private.conversations_with_words(uuid,text)', 'mark_read(uuid[])', 'send_text(uuid,text,uuid,jsonb,boolean)', 'private.may_add_file(uuid)',
    'ask_for_conversation(uuid)', 'add_note(uuid,text,uuid)', 'save_quick_reply(text,text,uuid,timestamp with time zone)',
    'delete_quick_reply(uuid)', 'quick_replies_to(uuid)',
    'start_conversation(uuid,uuid,text)', 'hand_back_to_bot(uuid)', 'record_text_consent(text,text,text)',
    'publish_bot_script(uuid,jsonb)', 'private.recruit_of(uuid)', 'private.own_service_phones()', 'private.vendor_name(uuid)',
    'read_conversation(uuid,timestamp with time zone)', 'signed_in_user()', 'begin_operator_action(text,jsonb)',
    'private.may_operate()', 'read_payload(uuid)', 'distribute_leads(integer,uuid)', 'acknowledge_alert(uuid)',
    'set_alert_rule(text,boolean,jsonb)', 'count_vendor_days(integer,text)', 'return_lead(uuid,text)',
    'adopt_texts(text,text,uuid)', 'dismiss_deliveries(uuid[])', 'resume_number(text)', 'explain_order(uuid)'
  ],
  'only these functions are security definer, and docs/security.md says of each why');

select * from finish();
rollback;
