-- The lists of alerts and of jobs, for operators.

create view private.alert_list as
select a.id, a.kind, a.subject, coalesce(a.subject_name, a.subject) as name, a.problem, a.command, a.link, r.title, r.advice,
  r.link_label, a.state, a.opened_at, a.seen_at, a.resolved_at, a.details, r.severity,
  coalesce((a.details ->> 'since')::timestamptz, (a.details ->> 'ends_at')::timestamptz, a.opened_at) as since,
  a.agency_id
from public.alerts a
join public.alert_rules r on r.kind = a.kind
where (select private.may_operate());

grant select on private.alert_list to authenticated, service_role;

create view public.alert_list with (security_invoker = true) as select * from private.alert_list;

comment on view public.alert_list is
  'Alerts. name: the subject as people know it; problem: what is wrong, to follow the name and a colon; command: the admin '
  'command that helps; link: the view of the desk that helps, with link_label; title, advice and severity: those of its kind; since: '
  'when the trouble began, as far as this is known, else when a check found it; agency_id: the agency of the subject, null '
  'without one.';
grant select on public.alert_list to authenticated, service_role;

create view private.job_list as
select j.job, j.started_at, j.ended_at
from private.job_runs j
where (select private.may_operate());

grant select on private.job_list to authenticated, service_role;

create view public.job_list with (security_invoker = true) as select * from private.job_list;

comment on view public.job_list is 'The last run of each job of the scheduler, such as `check alerts`.';
grant select on public.job_list to authenticated, service_role;

create view private.operator_counts as
select
  (
    select count(distinct case a.kind when 'leads_waiting' then a.kind else a.id::text end)::int
    from public.alerts a
    where a.state = 'open'
  ) as alerts,
  (select count(*)::int from public.rejected_deliveries d where d.status = 'open') as deliveries,
  (
    (select count(*) from public.recruiting_leads l where l.distribution = 'unmatched')
    + (select count(*) from public.recruiting_leads l where l.distribution = 'pending')
  )::int as leads,
  (
    select count(*)::int from public.recruiting_conversations c
    where c.due_since is not null and c.waiting_since is not null
  ) as recruits,
  (select count(*)::int from public.unmatched_texts) as texts
where (select private.may_operate());

grant select on private.operator_counts to authenticated, service_role;

create view public.operator_counts with (security_invoker = true) as select * from private.operator_counts;

comment on view public.operator_counts is
  'One row with how much waits for an operator: alerts that nobody has in hand (those about waiting leads count as one), open rejected deliveries, leads that no order '
  'has got, recruits without an answer, and unmatched texts. No row for a user who is not an operator.';
grant select on public.operator_counts to authenticated, service_role;

create function public.operator_pulse() returns table (
  leads integer, leads_before integer, distributed integer, texts integer, texts_failed integer, dispatches_failed integer
)
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  today constant timestamptz := date_trunc('day', now(), 'UTC');
begin
  perform private.require_operator();
  return query
  select l.leads, l.before, l.distributed, t.texts, t.failed, d.failed
  from (
    select
      count(*) filter (where r.created_at >= today)::int as leads,
      count(*) filter (where r.created_at < today)::int as before,
      count(*) filter (where r.created_at >= today and r.distribution = 'distributed')::int as distributed
    from public.recruiting_leads r
    where r.created_at >= today or r.created_at >= today - interval '168 h' and r.created_at <= now() - interval '168 h'
  ) l
  cross join (
    select
      count(*) filter (where m.status is distinct from 'failed')::int as texts,
      count(*) filter (where m.status = 'failed')::int as failed
    from public.service_numbers n
    join public.text_outbox o on o.service_phone = n.phone
    join public.recruiting_messages m on m.id = o.message_id
    where o.attempted_at >= now() - interval '24 h' and o.state in ('accepted', 'failed')
  ) t
  cross join (
    select count(*)::int as failed
    from private.dispatches p
    where p.ended_at >= now() - interval '24 h' and p.state in ('failed', 'rejected')
  ) d;
end
$$;

comment on function public.operator_pulse() is
  'How the service does, for operators: leads of today (UTC), those by this time a week ago, and how many of today are '
  'distributed; texts that were sent in 24 hours and those that failed; dispatches that could not be delivered in 24 hours. 42501 for a user who is not an operator. Security '
  'definer because operators may not read the tables.';
grant execute on function public.operator_pulse() to authenticated;
