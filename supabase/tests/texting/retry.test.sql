-- An operator sends a text once more.
begin;
select plan(8);
\ir ../helpers.psql

select pg_temp.create_agency('agency', 'UTC', 'agent');
select pg_temp.create_conversation('conversation', '+12015550101', '+12015550102', 'agent', spoke => '1 hour');
select pg_temp.add_text('text', 'conversation', state => 'failed', due => '-1 day');
update public.recruiting_messages set status = 'failed', error_code = '30003', failed_at = now() where id = md5('text')::uuid;
update public.text_outbox set reason = '30003', attempt = 3, lookups = 2, resends = 1 where message_id = md5('text')::uuid;
select private.notify_of_texts(md5('conversation')::uuid, array[md5('text')::uuid], 'failed');
select private.notify_of_texts(md5('conversation')::uuid, array[md5('text')::uuid], 'text');

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
  'the agent is notified again if it fails again');
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
