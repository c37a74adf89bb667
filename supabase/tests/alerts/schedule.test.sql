-- The scheduler of a hosted project. pg_cron, pg_net and Vault cannot be installed where this was written, so stand-ins
-- with their names and arguments take their places. Where a database has the true ones, nothing is tested here.
begin;
select plan(17);
\ir ../helpers.psql

select pg_temp.create_agency('agency');
insert into public.service_numbers (phone, agency_id) values ('+19995550000', md5('agency')::uuid);
select pg_temp.create_conversation('conversation', '+12025550101', '+19995550000');
insert into public.recruiting_messages (id, conversation_id, direction, sender_type, body)
values (md5('text')::uuid, md5('conversation')::uuid, 'outbound', 'agent', 'Hi');

create function pg_temp.tests() returns setof text language plpgsql as $$
begin
  if to_regnamespace('cron') is not null or to_regnamespace('net') is not null or to_regnamespace('vault') is not null then
    return next skip('this database has one of the extensions', 18);
    return;
  end if;
  -- Texts of other tests may be due; this one's outcome must not depend on them.
  update public.text_outbox set due_at = 'infinity', lease_until = 'infinity';
  delete from public.alerts;
  update private.sending_settings set is_set = false, asked_at = now();

  return next is(private.schedule_jobs(), '{}', 'without the extensions nothing is scheduled');

  create schema cron;
  create table cron.job (jobname text primary key, schedule text, command text);
  create function cron.schedule(job_name text, schedule text, command text) returns bigint language sql as
    'insert into cron.job values (job_name, schedule, command)
      on conflict (jobname) do update set schedule = excluded.schedule, command = excluded.command returning 1';
  return next is(private.schedule_jobs(), '{check alerts,count quality,notify agents}', 'pg_cron alone checks the alerts, counts, and notifies agents');
  create schema net;
  create table net.http_request_queue (id bigint generated always as identity, url text, headers jsonb, timeout integer);
  create function net.http_post(
    url text, body jsonb default '{}', params jsonb default '{}',
    headers jsonb default '{"Content-Type": "application/json"}', timeout_milliseconds integer default 5000
  ) returns bigint language sql as
    'insert into net.http_request_queue (url, headers, timeout) values (url, headers, timeout_milliseconds) returning id';
  create schema vault;
  create table vault.decrypted_secrets (name text, decrypted_secret text);

  return next is(private.schedule_jobs(), '{check alerts,count quality,notify agents,run worker}', 'with all of them the worker is called');
  perform private.schedule_jobs();
  return next results_eq(
    'select jobname, schedule from cron.job order by jobname',
    $q$values ('check alerts', '* * * * *'), ('count quality', '* * * * *'), ('notify agents', '10 seconds'), ('prune runs of jobs', '17 3 * * *'),
      ('run worker', '10 seconds')$q$,
    'there are five jobs, also when it is called again');

  execute (select command from cron.job where jobname = 'run worker');
  return next is_empty('select from net.http_request_queue', 'while nothing is due, nothing is called');

  insert into public.alerts (kind, subject) values ('number_paused', '+19995550000');
  return next is(private.call_worker(), null, 'nor while an alert is open and no URL for it is set');
  update private.sending_settings set is_set = true;
  return next is(private.call_worker(), null, 'nor where the worker is not known');
  update private.sending_settings set is_set = false;

  insert into public.text_outbox (message_id, kind) values (md5('text')::uuid, 'agent');
  return next throws_ok(
    'select private.call_worker()', 'P0001',
    'texts or leads to fetch are due, but Vault lacks the secret worker_url', 'a URL that is missing is named');
  insert into vault.decrypted_secrets values ('worker_url', 'https://project.example/functions/v1/worker/run');
  return next throws_ok(
    'select private.call_worker()', 'P0001',
    'texts or leads to fetch are due, but Vault lacks the secret worker_key', 'so is a key');
  insert into vault.decrypted_secrets values ('worker_key', 'the key');
  execute (select command from cron.job where jobname = 'run worker');
  return next results_eq(
    $q$select url, headers ->> 'Authorization', timeout from net.http_request_queue$q$,
    $q$values ('https://project.example/functions/v1/worker/run', 'Bearer the key', 60000)$q$,
    'once a text is due, the function is called with its key');

  update public.text_outbox set due_at = now() + interval '1 hour' where message_id = md5('text')::uuid;
  return next is(private.call_worker(), null, 'a text that is due later waits');

  update private.sending_settings set is_set = true where name = 'alerts';
  return next isnt(private.call_worker(), null, 'for an alert that is open the function is called');

  insert into private.lead_notifications_due (lead_id) values (md5('nothing')::uuid);
  execute (select command from cron.job where jobname = 'notify agents');
  return next is_empty('select from private.lead_notifications_due', 'notifications that are due are delivered');

  update private.sending_settings set is_set = false;
  perform pg_temp.create_vendor('vendor');
  perform public.add_lead_fetches(md5('vendor')::uuid, 'request', '[{"leadgen_id": "1", "notice": {}}]');
  return next isnt(private.call_worker(), null, 'so it is for a lead to fetch');
  delete from vault.decrypted_secrets;
  return next throws_ok(
    'select private.call_worker()', 'P0001',
    'texts or leads to fetch are due, but Vault lacks the secret worker_url', 'or what is missing is named');

  create table cron.job_run_details (jobid bigint, end_time timestamptz);
  alter table cron.job add column jobid bigint generated always as identity;
  insert into cron.job_run_details
  select j.jobid, now() - age
  from cron.job j cross join unnest(array[interval '1 day', interval '8 days']) age
  where j.jobname = 'run worker'
  union all values (-1, now() - interval '8 days');
  execute (select command from cron.job where jobname = 'prune runs of jobs');
  return next is((select count(*) from cron.job_run_details), 2::bigint, 'the records of old runs go, and those of other jobs stay');
  return next ok(
    not has_function_privilege('service_role', 'private.call_worker()', 'execute')
    and not has_function_privilege('service_role', 'private.schedule_jobs()', 'execute'),
    'only the owner of the database calls the scheduler');
end
$$;

select * from pg_temp.tests();
select * from finish();
rollback;
