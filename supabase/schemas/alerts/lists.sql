-- The lists of alerts and of jobs, for operators.

create view private.alert_list as
select a.id, a.kind, a.subject, coalesce(a.subject_name, a.subject) as name, a.problem, a.command, a.link, r.title, r.advice,
  r.link_label, a.state, a.opened_at, a.seen_at, a.resolved_at, a.details
from public.alerts a
join public.alert_rules r on r.kind = a.kind
where (select private.may_operate());

grant select on private.alert_list to authenticated, service_role;

create view public.alert_list with (security_invoker = true) as select * from private.alert_list;

comment on view public.alert_list is
  'Alerts. name: the subject as people know it; problem: what is wrong, to follow the name and a colon; command: the admin '
  'command that helps; link: the view of the desk that helps, with link_label; title and advice: those of its kind.';
grant select on public.alert_list to authenticated, service_role;

create view private.job_list as
select j.job, j.started_at, j.ended_at
from private.job_runs j
where (select private.may_operate());

grant select on private.job_list to authenticated, service_role;

create view public.job_list with (security_invoker = true) as select * from private.job_list;

comment on view public.job_list is 'The last run of each job of the scheduler, such as `check alerts`.';
grant select on public.job_list to authenticated, service_role;
