-- The check that opens, updates and resolves alerts.

create function private.found_alerts(checked_at timestamptz)
returns table (kind text, subject text, details jsonb, subject_name text, problem text, command text, link text, agency_id uuid)
language plpgsql
stable
set search_path = ''
as $$
declare
  rule public.alert_rules;
begin
  for rule in select r.* from public.alert_rules r where r.is_on and r.finder is not null loop
    return query execute format('select $1, f.* from private.%I($2, $3) f', rule.finder)
      using rule.kind, rule.threshold, checked_at;
  end loop;
end
$$;

comment on function private.found_alerts(timestamptz) is
  'The true conditions at checked_at, of the kinds whose rule is on: one row for each kind and subject.';

create function private.check_alerts() returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  last_run timestamptz;
  checked_at timestamptz;
  opened integer;
  resolved integer;
begin
  -- `on conflict` alone would wait for a running check.
  insert into private.job_runs (job, started_at)
  select 'check alerts', now() where not exists (select from private.job_runs j where j.job = 'check alerts')
  on conflict do nothing;
  -- Of two schedulers, only one checks.
  select j.started_at into last_run from private.job_runs j where j.job = 'check alerts' for update skip locked;
  if not found then
    return null;
  end if;
  -- A clock that was set back would resolve alerts that only time has opened, and open them again. A time that is a day ahead was wrong.
  checked_at := case when last_run < now() + interval '1 day' then greatest(now(), last_run) else now() end;

  -- In one order, as the claims and records of their messages do.
  perform from public.alerts a where a.state <> 'resolved' order by a.kind, a.subject for no key update;
  with found as (
    select * from private.found_alerts(checked_at)
  ), ended as (
    update public.alerts a
    set state = 'resolved', resolved_at = checked_at
    where a.state <> 'resolved'
      and not exists (select from found f where f.kind = a.kind and f.subject = a.subject)
    returning a.id
  ), written as (
    insert into public.alerts as a (kind, subject, details, subject_name, problem, command, link, agency_id, opened_at, seen_at)
    select f.*, checked_at, checked_at
    from found f
    on conflict (kind, subject) where state <> 'resolved'
    do update set
      seen_at = excluded.seen_at, details = excluded.details, subject_name = excluded.subject_name,
      problem = excluded.problem, command = excluded.command, link = excluded.link,
      agency_id = excluded.agency_id
    returning xmax = 0 as is_new
  )
  select (select count(*) from ended), (select count(*) from written w where w.is_new) into resolved, opened;

  perform private.notify_of_waiting_recruits();
  perform private.return_rejected_leads();
  perform private.prune_dispatches();
  update private.job_runs j
  set started_at = checked_at, ended_at = clock_timestamp()
  where j.job = 'check alerts';
  return jsonb_build_object(
    'open', (select count(*) from public.alerts a where a.state <> 'resolved'), 'opened', opened, 'resolved', resolved
  );
end
$$;

comment on function private.check_alerts() is
  'Opens an alert for each true condition, updates known ones, and resolves those that are over or whose rule is off. Also '
  'notifies agents of waiting recruits, returns rejected leads that could not be returned at once, and prunes dispatches. A '
  'scheduler runs it each minute. Returns {open, opened, resolved}: numbers of alerts; null while another check runs.';
