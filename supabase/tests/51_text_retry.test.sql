-- An operator sends a text once more.
begin;
select plan(8);

insert into public.agencies (id, name, timezone) values (md5('agency')::uuid, 'Agency', 'UTC');
insert into public.agents (id, agency_id, first_name) values (md5('agent')::uuid, md5('agency')::uuid, 'Ann');
insert into public.recruiting_conversations (id, agency_id, recruit_phone, service_phone, status, assigned_agent_id) values
  (md5('conversation')::uuid, md5('agency')::uuid, '+12015550101', '+12015550102', 'escalated', md5('agent')::uuid);
insert into public.recruiting_messages (
  id, conversation_id, direction, sender_type, body, status, error_code, failed_at
) values
  (md5('text')::uuid, md5('conversation')::uuid, 'outbound', 'agent', 'Hi', 'failed', '30003', now());
insert into public.text_outbox (message_id, kind, state, reason, due_at, attempt, lookups, resends) values
  (md5('text')::uuid, 'agent', 'failed', '30003', now() - interval '1 day', 3, 2, 1);
select private.notify_agent(md5('conversation')::uuid, md5('text')::uuid, 'failed');
select private.notify_agent(md5('conversation')::uuid, md5('text')::uuid, 'text');

select throws_ok('select private.retry_text(gen_random_uuid())', 'PT404', 'message_id: there is no such text',
  'an unknown text is an error');
select results_eq(
  $$select state, due_at, reason, attempt, lookups, resends from private.retry_text(md5('text')::uuid)$$,
  $$values ('pending', now(), null::text, 3, 0, 0)$$,
  'a failed text is due again, and looked for and sent again as a new one; its attempts are counted on');
select results_eq(
  $$select status, error_code, failed_at from public.recruiting_messages where id = md5('text')::uuid$$,
  $$values (null::text, null::text, null::timestamptz)$$, 'its message has not failed any more');
select results_eq(
  $$select kind from public.agent_notifications where message_id = md5('text')::uuid$$, $$values ('text')$$,
  'the agent is told again if it fails again');
select throws_ok($$select private.retry_text(md5('text')::uuid)$$, 'PT409', 'message_id: this text is not sent yet',
  'a text that waits is not sent once more');

update public.text_outbox set state = 'failed' where message_id = md5('text')::uuid;
select private.record_consent(md5('agency')::uuid, '+12015550101', 'opted_out', 'keyword');
select throws_ok($$select private.retry_text(md5('text')::uuid)$$, 'PT403',
  'message_id: the recruit has opted out of texts from this agency', 'nothing is sent to a recruit who has opted out');
update public.recruiting_messages set provider_message_id = 'test SM1' where id = md5('text')::uuid;
select throws_ok($$select private.retry_text(md5('text')::uuid)$$, 'PT409',
  'message_id: the provider has accepted this text', 'a text that the provider has accepted is never sent again');
select is(state, 'failed', 'what is refused changes nothing') from public.text_outbox where message_id = md5('text')::uuid;

select * from finish();
rollback;
