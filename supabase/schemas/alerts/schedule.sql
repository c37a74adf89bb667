-- The jobs of a hosted project. pg_cron checks the alerts, and has pg_net call POST /texting/work when texts, files or
-- alerts are due, and POST /recruiting/fetches/work when leads are to be fetched. Locally `npm start` does the same
-- (dev/local/scheduler.ts). Where the extensions are missing, nothing here does anything.

create function public.are_texts_due() returns boolean
language sql
stable
set search_path = ''
as $$
  select private.is_text_due() or private.is_turn_due()
$$;

comment on function public.are_texts_due() is 'Whether the worker would find a text, a greeting or a turn of the bot.';
grant execute on function public.are_texts_due() to service_role;

create function private.is_work_due() returns boolean
language sql
stable
set search_path = ''
as $$
  select public.are_texts_due() or private.is_media_due() or private.is_alert_due()
$$;

comment on function private.is_work_due() is 'Whether a step of the worker would find something to do.';

create function private.call_worker(path text, due text) returns bigint
language plpgsql
set search_path = ''
as $$
declare
  url text;
  key text;
begin
  select s.decrypted_secret into url from vault.decrypted_secrets s where s.name = 'texting_worker_url';
  select s.decrypted_secret into key from vault.decrypted_secrets s where s.name = 'texting_worker_key';
  if url is null or key is null then
    raise exception '% are due, but Vault lacks the secret %',
      private.quoted(due), private.quoted(case when url is null then 'texting_worker_url' else 'texting_worker_key' end);
  end if;
  return net.http_post(
    -- One secret names the project for all workers.
    url := regexp_replace(url, '/texting/work/*$', '') || path,
    body := '{}',
    headers := jsonb_build_object('Authorization', 'Bearer ' || key, 'Content-Type', 'application/json'),
    -- A worker claims texts for 40 s, and leads for 20 s.
    timeout_milliseconds := 60000
  );
end
$$;

comment on function private.call_worker(text, text) is
  'Has pg_net call a worker of the functions, such as /texting/work, because `texts` are due, say. Returns the id of pg_net''s request. The key is the '
  'Vault''s secret `texting_worker_key`; the secret `texting_worker_url` has the address of /texting/work, of which the others '
  'are made. An error names the one that is missing; pg_cron keeps it in cron.job_run_details.';

revoke execute on function private.call_worker(text, text) from service_role;

create function private.request_text_work() returns bigint
language plpgsql
set search_path = ''
as $$
begin
  if not private.is_work_due() then
    return null;
  end if;
  if not public.are_texts_due() and (
    select count(*) from vault.decrypted_secrets s where s.name in ('texting_worker_url', 'texting_worker_key')
  ) < 2 then
    -- The project may want neither texts nor to be told of alerts.
    return null;
  end if;
  return private.call_worker('/texting/work', 'texts');
end
$$;

comment on function private.request_text_work() is
  'Has pg_net call POST /texting/work when texts, files or alerts are due. Returns as private.call_worker() does, or null. While texts are due, an error names the secret that is missing.';

revoke execute on function private.request_text_work() from service_role;

create function private.request_fetch_work() returns bigint
language plpgsql
set search_path = ''
as $$
begin
  if not private.is_fetch_due() then
    return null;
  end if;
  return private.call_worker('/recruiting/fetches/work', 'leads to fetch');
end
$$;

comment on function private.request_fetch_work() is
  'Has pg_net call POST /recruiting/fetches/work when leads are to be fetched. Returns as private.call_worker() does, or null.';

revoke execute on function private.request_fetch_work() from service_role;

create function private.schedule_jobs() returns text[]
language plpgsql
set search_path = ''
as $$
declare
  jobs text[] := '{check alerts,notify agents}';
begin
  if to_regclass('cron.job') is null then
    return '{}';
  end if;
  perform cron.schedule('check alerts', '* * * * *', 'select private.check_alerts()');
  -- Beside the texts, which never wait for a burst of leads.
  -- No procedure: one that commits can have no search_path of its own.
  perform cron.schedule('notify agents', '10 seconds', 'do $do$ declare began_at constant timestamptz := clock_timestamp(); '
    'begin while private.deliver_notifications(began_at) loop commit; end loop; end $do$');
  if to_regclass('net.http_request_queue') is not null and to_regclass('vault.decrypted_secrets') is not null then
    jobs := jobs || '{send texts,fetch leads}'::text[];
    perform cron.schedule('send texts', '10 seconds', 'select private.request_text_work()');
    perform cron.schedule('fetch leads', '10 seconds', 'select private.request_fetch_work()');
  end if;
  perform cron.schedule(
    'prune runs of jobs',
    '17 3 * * *',
    'delete from cron.job_run_details where end_time < now() - interval ''7 days'' and jobid in '
    '(select jobid from cron.job where jobname in (''check alerts'', ''notify agents'', ''send texts'', ''fetch leads''))'
  );
  return jobs;
end
$$;

comment on function private.schedule_jobs() is
  'Has pg_cron run private.check_alerts() each minute, and every 10 seconds private.deliver_notifications(), '
  'private.request_text_work() and private.request_fetch_work(), and forget the records of these runs after a week. Returns '
  'the names of the jobs: `check alerts` and `notify agents` need pg_cron, `send texts` and `fetch leads` pg_net and Vault as '
  'well. May be called again.';

revoke execute on function private.schedule_jobs() from service_role;

-- Where the project can have the extensions. One that gets them later calls private.schedule_jobs() itself.
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
