-- The jobs of a hosted project. pg_cron checks the alerts, counts what leads are worth, notifies agents, and has pg_net
-- call POST /worker/run while work is due. Locally `npm start` does the same (dev/local/scheduler.ts). Without the
-- extensions, nothing here has an effect.

create function public.are_texts_due() returns boolean
language sql
stable
set search_path = ''
as $$
  select private.is_text_due() or private.is_turn_due()
$$;

comment on function public.are_texts_due() is 'Whether the worker would find a text, a greeting or a turn of the bot.';
grant execute on function public.are_texts_due() to service_role;

create function private.is_other_work_due() returns boolean
language sql
stable
set search_path = ''
as $$
  select private.is_fetch_due() or private.is_alert_due() or private.is_dispatch_due()
$$;

comment on function private.is_other_work_due() is 'Whether a job that needs no account at Twilio would find something to do.';

create function private.is_work_due() returns boolean
language sql
stable
set search_path = ''
as $$
  select public.are_texts_due() or private.is_media_due() or private.is_other_work_due()
$$;

comment on function private.is_work_due() is 'Whether a job of the worker would find something to do.';

create function private.call_worker() returns bigint
language plpgsql
set search_path = ''
as $$
declare
  url text;
  key text;
begin
  if not private.is_work_due() then
    return null;
  end if;
  select s.decrypted_secret into url from vault.decrypted_secrets s where s.name = 'worker_url';
  select s.decrypted_secret into key from vault.decrypted_secrets s where s.name = 'worker_key';
  if url is null or key is null then
    if public.are_texts_due() or private.is_fetch_due() then
      raise exception 'texts or leads to fetch are due, but Vault lacks the secret %',
        private.quoted(case when url is null then 'worker_url' else 'worker_key' end);
    end if;
    -- The project may need neither texts nor notifications of alerts.
    return null;
  end if;
  return net.http_post(
    url := url,
    body := '{}',
    headers := jsonb_build_object('Authorization', 'Bearer ' || key, 'Content-Type', 'application/json'),
    -- The worker claims for 40 s.
    timeout_milliseconds := 60000
  );
end
$$;

comment on function private.call_worker() is
  'Makes pg_net call POST /worker/run if work is due. Returns the id of pg_net''s request, or null. Vault''s secret '
  '`worker_url` is the address, and `worker_key` the key. While texts or leads to fetch are due, an error names the secret '
  'that is missing; pg_cron keeps it in cron.job_run_details.';

revoke execute on function private.call_worker() from service_role;

create function private.schedule_jobs() returns text[]
language plpgsql
set search_path = ''
as $$
declare
  jobs text[] := '{check alerts,count quality,notify agents}';
begin
  if to_regclass('cron.job') is null then
    return '{}';
  end if;
  perform cron.schedule('check alerts', '* * * * *', 'select private.check_alerts()');
  perform cron.schedule('count quality', '* * * * *', 'select private.count_quality_days()');
  -- Beside the texts, which never wait for a burst of leads.
  -- No procedure: one that commits can have no search_path of its own.
  perform cron.schedule('notify agents', '10 seconds', 'do $do$ declare began_at constant timestamptz := clock_timestamp(); '
    'begin while private.deliver_notifications(began_at) loop commit; end loop; end $do$');
  if to_regclass('net.http_request_queue') is not null and to_regclass('vault.decrypted_secrets') is not null then
    jobs := jobs || '{run worker}'::text[];
    perform cron.schedule('run worker', '10 seconds', 'select private.call_worker()');
  end if;
  perform cron.schedule(
    'prune runs of jobs',
    '17 3 * * *',
    'delete from cron.job_run_details where end_time < now() - interval ''7 days'' and jobid in '
    '(select jobid from cron.job where jobname in (''check alerts'', ''count quality'', ''notify agents'', ''run worker''))'
  );
  return jobs;
end
$$;

comment on function private.schedule_jobs() is
  'Schedules with pg_cron private.check_alerts() and private.count_quality_days() each minute, private.deliver_notifications() '
  'and private.call_worker() every 10 seconds, and the deletion of the records of these runs after a week. Returns the names '
  'of the jobs: `run worker` needs pg_net and Vault as well as pg_cron. May be called again.';

revoke execute on function private.schedule_jobs() from service_role;

-- If the extensions are available. If they are installed later, call private.schedule_jobs().
do $$
begin
  if exists (select from pg_available_extensions e where e.name = 'pg_cron') then
    create extension if not exists pg_cron with schema pg_catalog;
    if exists (select from pg_available_extensions e where e.name = 'pg_net') then
      create extension if not exists pg_net with schema extensions;
    end if;
    perform private.schedule_jobs();
  end if;
exception when others then
  -- A project may never text, so this is no reason to stop a deployment.
  raise warning 'no job is run by pg_cron: %', sqlerrm;
end
$$;
