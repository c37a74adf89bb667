-- The conditions of alerts about texts. Each function returns the subjects for which its condition is true.

create function private.find_number_paused(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language sql
stable
set search_path = ''
as $$
  select
    n.phone, jsonb_build_object('agency', a.name), format('number %s of %s', n.phone, a.name),
    'paused, so its texts wait', 'number resume ' || n.phone, '/operator/numbers', n.agency_id
  from public.service_numbers n
  join public.agencies a on a.id = n.agency_id
  where n.status = 'paused'
$$;

comment on function private.find_number_paused(jsonb, timestamptz) is 'Our numbers that are paused.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label, summary, severity) values (
  'number_paused', 'find_number_paused', '{}',
  'Paused numbers', 'No text leaves a paused number. Find the cause, and resume it.',
  'Resume numbers',
  '%s numbers of %s are paused',
  1);

create function private.find_texts_stuck(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language sql
stable
set search_path = ''
-- By the indexes of open texts, also while the planner does not know how few these are.
set enable_seqscan = off
set enable_bitmapscan = off
as $$
  -- The numbers that have open texts, each by one step of the index.
  with recursive numbers (phone) as (
    select min(o.service_phone)
    from public.text_outbox o
    where o.state in ('pending', 'sending', 'unconfirmed') and o.first_due_at > '-infinity'
    union all
    select (
      select min(o.service_phone)
      from public.text_outbox o
      where o.state in ('pending', 'sending', 'unconfirmed') and o.first_due_at > '-infinity' and o.service_phone > p.phone
    )
    from numbers p
    where p.phone is not null
  )
  select
    coalesce(t.subject, 'texts_stuck'),
    jsonb_strip_nulls(jsonb_build_object(
      'agency', max(a.name), 'texts', sum(t.texts), 'since', min(t.since), 'reason', max(t.reason)
    )),
    coalesce('number ' || t.subject || ' of ' || max(a.name), 'texts'),
    case max(t.reason)
      when 'credentials' then format('not sent since %s: the provider refuses the login', private.in_utc(min(t.since)))
      when 'no_account' then format('not sent since %s: TWILIO_ACCOUNT_SID is not set', private.in_utc(min(t.since)))
      else format('%s not sent, the first due %s', private.counted(sum(t.texts)::bigint, 'text'), private.in_utc(min(t.since)))
    end,
    'text outbox', '/operator/outbox', (array_agg(t.agency_id))[1]
  from (
    select n.phone as subject, n.agency_id, s.texts, s.since, null as reason
    from numbers p
    left join public.service_numbers n on n.phone = p.phone
    cross join lateral (
      select count(*) as texts, min(late.first_due_at) as since
      from (
        select o.first_due_at, o.reason
        from public.text_outbox o
        where o.service_phone = p.phone
          and o.state in ('pending', 'sending', 'unconfirmed')
          and o.first_due_at > '-infinity'
          and o.first_due_at <= checked_at - make_interval(secs => (threshold ->> 'minutes')::double precision * 60)
        order by o.first_due_at
        limit 1000
      ) late
      where coalesce(late.reason, '') not in ('credentials', 'no_account')
    ) s
    where n.status is distinct from 'paused'
    union all
    -- There is no account, or the provider refuses it, whatever the number.
    select null, null, s.texts, s.since, r.reason
    from public.service_numbers n
    cross join (values ('credentials'), ('no_account')) r (reason)
    cross join lateral (
      select count(*) as texts, min(late.first_due_at) as since
      from (
        select o.first_due_at
        from public.text_outbox o
        where o.service_phone = n.phone and o.reason = r.reason and o.state in ('pending', 'sending')
          -- What the index requires: the planner doesn't conclude it from r.
          and o.reason in ('credentials', 'no_account')
        order by o.first_due_at
        limit 1000
      ) late
    ) s
    where n.status = 'active'
  ) t
  left join public.agencies a on a.id = t.agency_id
  where t.texts > 0
    -- Without any number, texting is not set up.
    and exists (select from public.service_numbers)
  group by t.subject
$$;

comment on function private.find_texts_stuck(jsonb, timestamptz) is
  'Our numbers whose texts are not sent although they have been due for {minutes}; of numbers that are not ours, the kind. The '
  'kind too, at once, where no account is set or the provider refuses our login. Not those of a paused number, nor those that '
  'quiet hours hold. Of a number at most 1,000 texts are counted.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label, summary, severity) values (
  'texts_stuck', 'find_texts_stuck', '{"minutes": 5}',
  'Texts that are not sent', 'Find out what holds them.',
  'See the texts that are not sent',
  'texts of %s numbers of %s are not sent',
  1);

create function private.find_texts_failing(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language sql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
  select
    a.id::text, jsonb_build_object('agency', a.name, 'failed', l.failed, 'opted_out', s.opted_out, 'texts', l.texts),
    'agency ' || a.name,
    format('of its last %s, ', private.counted(l.texts, 'text')) || concat_ws(
      ' and ', nullif(l.failed, 0) || ' failed',
      case s.opted_out when 0 then null when 1 then '1 was' else s.opted_out || ' were' end || ' answered by an opt-out'
    ),
    'text outbox --state failed --agency ' || left(a.id::text, 8),
    case when l.failed > 0 then '/operator/outbox/failed/' || a.id else '/operator/agencies/' || a.id || '/orders' end, a.id
  from public.agencies a
  cross join lateral (
    select
      count(*) as texts,
      count(*) filter (
        where t.state <> 'refused' and exists (
          select
          from public.recruiting_messages m
          where m.id = t.message_id and m.direction = 'outbound' and m.status = 'failed'
        )
      ) as failed,
      min(t.attempted_at) as since,
      array_agg(t.conversation_id) as conversations
    from (
      select o.message_id, o.conversation_id, o.state, o.attempted_at
      from public.service_numbers n
      cross join lateral (
        select e.*
        from public.text_outbox e
        where e.service_phone = n.phone
          and e.attempted_at is not null
          and e.state in ('accepted', 'refused', 'failed')
        order by e.attempted_at desc
        limit (threshold ->> 'texts')::numeric::bigint
      ) o
      where n.agency_id = a.id
      order by o.attempted_at desc
      limit (threshold ->> 'texts')::numeric::bigint
    ) t
  ) l
  cross join lateral (
    select count(*) as opted_out
    from (
      -- First the few opt-outs, and not by exists(): no plan reads the conversation of each text.
      select distinct e.phone
      from public.text_consent_events e
      where e.agency_id = a.id and e.state = 'opted_out' and e.occurred_at >= l.since
      offset 0
    ) o
    where (
      select true
      from public.recruiting_conversations c
      where c.recruit_phone = o.phone and c.id = any (l.conversations)
      limit 1
    )
  ) s
  where l.texts >= (threshold ->> 'at_least')::numeric
    and (
      l.failed * 100 >= l.texts * (threshold ->> 'percent')::numeric
      or s.opted_out * 100 >= l.texts * (threshold ->> 'opt_out_percent')::numeric
    )
$$;

comment on function private.find_texts_failing(jsonb, timestamptz) is
  'The agencies of whose last {texts} texts, of at least {at_least}, {percent} or more have failed, or of whose recruits '
  '{opt_out_percent} of these texts or more have opted out since. Only what was posted to the provider counts.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label) values (
  'texts_failing', 'find_texts_failing', '{"percent": 5, "opt_out_percent": 3, "texts": 100, "at_least": 20}',
  'Failed texts and opt-outs', 'Failed: see the codes. Opt-outs: read the greetings of the agency''s orders, ask the agency what '
  'it writes, and pause the orders until recruits want its texts.',
  'See the texts that failed');

create function private.find_opt_out_unmatched(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language sql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
  with recursive numbers (phone) as (
    select min(coalesce(left(t.service_phone, 17), '')) from public.unmatched_texts t where t.consent = 'opted_out'
    union all
    select (
      select min(coalesce(left(t.service_phone, 17), ''))
      from public.unmatched_texts t
      where t.consent = 'opted_out' and coalesce(left(t.service_phone, 17), '') > p.phone
    )
    from numbers p
    where p.phone is not null
  )
  select
    coalesce(n.phone, 'opt_out_unmatched'),
    jsonb_strip_nulls(jsonb_build_object('agency', max(a.name), 'texts', sum(s.texts), 'since', min(s.since))),
    coalesce('number ' || n.phone || ' of ' || max(a.name), 'texts'),
    format(
      '%s without a conversation, the first %s', private.counted(sum(s.texts)::bigint, 'opt-out'), private.in_utc(min(s.since))),
    'text unmatched', '/operator/texts', (array_agg(n.agency_id))[1]
  from numbers p
  left join public.service_numbers n on n.phone = p.phone
  left join public.agencies a on a.id = n.agency_id
  cross join lateral (
    select count(*) as texts, min(waiting.received_at) as since
    from (
      select t.received_at
      from public.unmatched_texts t
      where t.consent = 'opted_out' and coalesce(left(t.service_phone, 17), '') = p.phone
      order by t.received_at
      limit 1000
    ) waiting
  ) s
  where p.phone is not null
  group by n.phone
$$;

comment on function private.find_opt_out_unmatched(jsonb, timestamptz) is
  'Our numbers that received an opt-out without a conversation; of numbers that are not ours, the kind. Of a number at most '
  '1,000 texts are counted.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label, summary, severity) values (
  'opt_out_unmatched', 'find_opt_out_unmatched', '{}',
  'Opt-outs for nobody', 'These recruits want no texts any more. Give each text a conversation.',
  'Give texts a conversation',
  '%s numbers of %s got opt-outs for nobody',
  1);

create function private.find_worker_late(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language sql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_incremental_sort = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
  with late as (
    select l.at, j.started_at as last_run
    from (select checked_at - make_interval(secs => (threshold ->> 'minutes')::double precision * 60)) l (at)
    left join private.job_runs j on j.job = 'send texts'
    where coalesce(j.started_at <= l.at, true)
  ), due as (
    select w.due_at as since from private.waiting_greetings w, late l where w.due_at <= l.at
    union all
    select w.due_at from private.waiting_take_overs w, late l where w.due_at <= l.at
    union all
    select u.placed_at from private.lead_notifications_due u, late l where u.placed_at <= l.at
    union all
    select greatest(t.due_at, t.lease_until) from public.bot_turns t, late l where greatest(t.due_at, t.lease_until) <= l.at
    union all
    select s.wakes_at from public.bot_sessions s, late l where s.state = 'active' and s.wakes_at <= l.at
    union all
    select o.lease_until from public.text_outbox o, late l where o.state = 'sending' and o.lease_until <= l.at
    union all
    select o.due_at from public.text_outbox o, late l where o.state = 'unconfirmed' and o.due_at <= l.at
    union all
    -- A busy number takes its time.
    select greatest(t.due_at, n.busy_until)
    from late l
    join public.service_numbers n on n.status = 'active' and n.busy_until <= l.at
    cross join lateral (
      select o.due_at
      from public.text_outbox o
      join public.recruiting_conversations c on c.id = o.conversation_id and c.agency_id = n.agency_id
      where o.service_phone = n.phone
        and o.state = 'pending'
        and o.priority in (0, 1)
        and o.due_at <= l.at
        and not private.is_behind(o.conversation_id, o.ordinal)
      order by o.priority, o.due_at, o.ordinal
    ) t
  )
  select
    'worker_late', jsonb_build_object('due', d.due, 'since', d.since), 'worker',
    format('not called since %s, with %s due', private.in_utc(d.since), d.due), 'text outbox', '/operator/outbox', null::uuid
  from late l
  cross join lateral (
    select count(*) as due, greatest(min(f.since), l.last_run) as since from (select u.since from due u limit 1000) f
  ) d
  where d.due > 0
$$;

comment on function private.find_worker_late(jsonb, timestamptz) is
  'The kind, where something has been due for {minutes} and the worker, or the scheduler that notifies agents of leads, has '
  'not run for as long. At most 1,000 are counted. Where texting is not set up, nothing of it is due.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label, severity) values (
  'worker_late', 'find_worker_late', '{"minutes": 5}',
  'Sending texts', 'Nobody sends the texts that are due. Operators start the worker.',
  'See the texts that are not sent',
  1);
