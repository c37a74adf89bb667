-- The words of alerts, the same for the command `check`, the page of operators and the webhook. None of them is of a
-- person: a conversation and an order are named by their ids and their agency.

create function private.alert_name(kind text, subject text, details jsonb) returns text
language sql
immutable
set search_path = ''
as $$
  select case
    when kind = 'texts_failing' then 'agency ' || coalesce(details ->> 'agency', left(subject, 8))
    else concat_ws(
      ' of ',
      case
        when subject = kind then case kind when 'worker_late' then 'worker' else 'texts' end
        when kind in ('leads_waiting', 'deliveries_rejected', 'vendor_silent', 'key_expires', 'fetch_refused') then
          'vendor ' || subject
        when kind like 'order\_%' then 'order ' || left(subject, 8)
        when kind = 'recruit_waiting' then 'conversation ' || left(subject, 8)
        else 'number ' || subject
      end,
      details ->> 'agency'
    )
  end
$$;

comment on function private.alert_name(text, text, jsonb) is
  'The name of an alert''s subject, such as `vendor talroo` or `order 5f0c6a3e of Prairie Life`.';

create function private.counted(count bigint, noun text) returns text
language sql
immutable
set search_path = ''
as $$
  select format('%s %s', to_char(count, 'FM999,999,999,990'), case when count = 1 then noun else regexp_replace(noun, 'y$', 'ie') || 's' end)
$$;

comment on function private.counted(bigint, text) is 'A number of things, such as `1 lead` or `1,200 leads`.';

create function private.alert_problem(kind text, details jsonb) returns text
language sql
stable
set search_path = ''
as $$
  with said as (
    select
      private.in_utc((details ->> 'since')::timestamptz) as since,
      private.counted(coalesce(details ->> 'leads', details ->> 'deliveries', details ->> 'texts')::bigint, case kind
        when 'leads_waiting' then 'lead'
        when 'fetch_refused' then 'lead'
        when 'deliveries_rejected' then 'rejected delivery'
        when 'opt_out_unmatched' then 'opt-out'
        else 'text'
      end) as counted,
      details ->> 'quantity' as quantity
  )
  select case kind
    when 'texts_stuck' then case
      when details ->> 'reason' = 'credentials' then format('not sent since %s: the provider refuses the login', s.since)
      when details ->> 'reason' = 'no_account' then format('not sent since %s: TWILIO_ACCOUNT_SID is not set', s.since)
      else format('%s not sent, the first due %s', s.counted, s.since)
    end
    when 'number_paused' then 'paused, so its texts wait'
    when 'leads_waiting' then format('%s without an order, the first since %s', s.counted, s.since)
    when 'deliveries_rejected' then format('%s, the first %s', s.counted, s.since)
    when 'fetch_refused' then format(
      '%s not fetched since %s: %s', s.counted, s.since, case details ->> 'reason'
        when 'no_token' then 'it has no valid access token'
        else format('Meta refuses its access token (%s)', details ->> 'reason')
      end)
    when 'vendor_silent' then coalesce('has sent no lead since ' || s.since, 'has never sent a lead')
    when 'order_nearly_filled' then format('has %s of its %s leads', details ->> 'filled', s.quantity)
    when 'order_filled' then format('is full, with %s leads', s.quantity)
    when 'order_stalled' then case details ->> 'reason'
      when 'ended' then format(
        'ended %s, %s of %s leads short', private.in_utc((details ->> 'ends_at')::timestamptz), details ->> 'missing', s.quantity)
      when 'capped' then format(
        'can get %s of its %s missing leads until its end, by its daily cap', details ->> 'possible', details ->> 'missing')
      when 'no_agent' then 'gives its leads to no agent, because none of its agency is active, not away and accepts recruits'
      when 'vendor_inactive' then format('wants leads of %s, which is inactive', details ->> 'vendor')
    end
    when 'recruit_waiting' then format('a recruit waits for an answer since %s', s.since)
    when 'texts_failing' then format('of its last %s, ', s.counted) || concat_ws(
      ' and ', nullif(details ->> 'failed', '0') || ' failed',
      case details ->> 'opted_out' when '0' then null when '1' then '1 was' else (details ->> 'opted_out') || ' were' end
        || ' answered by an opt-out')
    when 'key_expires' then format(
      'its %s expires %s', concat_ws(' ', details ->> 'what', details ->> 'prefix'),
      private.in_utc((details ->> 'expires_at')::timestamptz))
    when 'opt_out_unmatched' then format('%s without a conversation, the first %s', s.counted, s.since)
    when 'worker_late' then format('not called since %s, with %s due', s.since, details ->> 'due')
  end
  from said s
$$;

comment on function private.alert_problem(text, jsonb) is
  'The problem of an alert, as words that follow alert_name() and a colon. Times are in UTC. Null for a kind that is unknown.';

create function private.alert_command(kind text, subject text, details jsonb) returns text
language sql
immutable
set search_path = ''
as $$
  select case kind
    when 'texts_stuck' then 'text outbox'
    when 'number_paused' then 'number resume ' || subject
    when 'leads_waiting' then 'lead waiting --vendor ' || subject
    when 'deliveries_rejected' then 'delivery list ' || case subject when 'import' then '--imports' else '--vendor ' || subject end
    when 'fetch_refused' then 'vendor webhook check ' || subject
    when 'vendor_silent' then 'key list ' || subject
    when 'order_nearly_filled' then format('order update %s --quantity %s', o.name, 2 * (details ->> 'quantity')::bigint)
    when 'order_filled' then 'order close ' || o.name
    when 'order_stalled' then case details ->> 'reason'
      when 'capped' then format('order update %s --daily-cap %s', o.name, details ->> 'daily_cap')
      when 'no_agent' then 'agent list --agency ' || left(details ->> 'agency_id', 8)
      when 'vendor_inactive' then format('vendor update %s --active true', details ->> 'vendor')
      else 'order close ' || o.name
    end
    when 'recruit_waiting' then 'text waiting'
    when 'texts_failing' then format('text outbox --state failed --agency %s', o.name)
    when 'key_expires' then case details ->> 'what' when 'api key' then 'key rotate ' else 'webhook show ' end || subject
    when 'opt_out_unmatched' then 'text unmatched'
    when 'worker_late' then 'text outbox'
  end
  from (values (left(subject, 8))) o (name)
$$;

comment on function private.alert_command(text, text, jsonb) is
  'The admin command that helps with an alert, without `npm run admin --`. Null for a kind that is unknown.';

-- A user needs these rights for the view below, which is called with the rights of the user.
grant execute on function private.alert_name(text, text, jsonb), private.counted(bigint, text), private.alert_problem(text, jsonb),
  private.alert_command(text, text, jsonb), private.in_utc(timestamptz) to authenticated;

create view private.alert_list as
select a.id, a.kind, a.subject, private.alert_name(a.kind, a.subject, a.details) as name,
  private.alert_problem(a.kind, a.details) as problem, private.alert_command(a.kind, a.subject, a.details) as command,
  a.state, a.opened_at, a.seen_at, a.resolved_at, a.details
from public.alerts a
where (select private.may_operate());

comment on view private.alert_list is 'Alerts with their words, for operators.';
grant select on private.alert_list to authenticated, service_role;

create view public.alert_list with (security_invoker = true) as select * from private.alert_list;

comment on view public.alert_list is
  'Alerts. name: the subject as people know it; problem: what is wrong, to follow the name and a colon; command: the admin '
  'command that helps.';
grant select on public.alert_list to authenticated, service_role;

create view private.job_list as
select j.job, j.started_at, j.ended_at
from private.job_runs j
where (select private.may_operate());

comment on view private.job_list is 'The last run of each job, for operators.';
grant select on private.job_list to authenticated, service_role;

create view public.job_list with (security_invoker = true) as select * from private.job_list;

comment on view public.job_list is 'The last run of each job of the scheduler, such as `check alerts`.';
grant select on public.job_list to authenticated, service_role;
