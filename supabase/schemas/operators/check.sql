-- The faults of the running service, one row for each, with the command that helps. Made for cron: all is well when
-- there is no row.

create type private.finding as (kind text, name text, problem text, command text);

comment on type private.finding is 'A row of check_service().';

create function public.check_service() returns table (kind text, name text, problem text, command text)
language plpgsql
stable
-- An operator who is signed in has no right on the tables.
security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
set jit = off
as $$
begin
  perform private.require_operator();
  return query select * from private.check_orders();
  return query select * from private.check_vendors();
  return query select * from private.check_leads();
  return query select * from private.check_texting();
  return query select * from private.check_keys();
  return query
  select
    'order', left(c.order_id::text, 8),
    format('the day from %s on is counted as %s leads, and has %s', private.in_utc(c.starts_at), c.kept, c.counted),
    'order recount'
  from public.check_daily_counts() c
  order by c.starts_at, c.order_id;
end
$$;

comment on function public.check_service() is
  'The findings of now, those of one kind together: kind (order, vendor, delivery, lead, text, number, worker, key), name '
  '(of a vendor or number, or the first 8 characters of an id), problem, and the admin command that helps. Reads every '
  'lead, because it compares the daily counts. 42501 for a user who is no operator.';
grant execute on function public.check_service() to authenticated, service_role;

create function private.check_orders() returns setof private.finding
language sql
stable
set search_path = ''
as $$
  select 'order', left(o.id::text, 8), f.problem, f.command
  from public.recruiting_orders o
  join public.agencies a on a.id = o.agency_id
  left join public.vendors v on v.id = o.vendor_id
  -- Days of the agency, with today and the last one.
  cross join lateral (
    select ((o.ends_at - interval '1 microsecond') at time zone a.timezone)::date
      - (greatest(o.starts_at, now()) at time zone a.timezone)::date + 1 as days,
      o.quantity - o.filled as leads
  ) remaining
  cross join lateral (
    values
      (
        o.ends_at <= now(),
        format('ended %s, %s of %s leads short', private.in_utc(o.ends_at), remaining.leads, o.quantity),
        format('order close %s', left(o.id::text, 8))
      ),
      (
        o.ends_at > now() and remaining.days * o.daily_cap < remaining.leads,
        format('can get %s of its %s missing leads until its end, by its daily cap', remaining.days * o.daily_cap, remaining.leads),
        format('order update %s --daily-cap %s', left(o.id::text, 8), ceil(remaining.leads::numeric / greatest(remaining.days, 1)))
      ),
      (
        coalesce(o.ends_at > now(), true) and private.next_agent(o.agency_id, o.agent_id) is null,
        'gives its leads to no agent, because none of its agency is active and accepts recruits',
        format('agent list --agency %s', left(o.agency_id::text, 8))
      ),
      (
        coalesce(o.ends_at > now(), true) and not v.is_active,
        format('wants leads of %s, which is inactive', v.slug),
        format('vendor update %s --active true', v.slug)
      )
  ) f (applies, problem, command)
  where o.status = 'open' and o.filled < o.quantity and f.applies
  order by o.created_at, o.id
$$;

comment on function private.check_orders() is
  'Open orders that can''t fill: they have ended, their agency has nobody for them, their vendor is inactive, or their daily '
  'cap times the days left is less than the leads left.';

create function private.check_vendors() returns setof private.finding
language sql
stable
set search_path = ''
as $$
  with quiet as materialized (
    select v.id, v.slug
    from public.vendors v
    where v.is_active
      -- Not `not exists`, for which the planner may read all leads of a vendor.
      and v.id not in (select l.vendor_id from public.recruiting_leads l where l.created_at >= now() - interval '1 day')
  ), arrivals as (
    -- A refused delivery, too, shows that its vendor sends.
    select l.vendor_id, l.created_at as arrived_at
    from public.recruiting_leads l
    where l.created_at >= now() - interval '60 days'
    union all
    select d.vendor_id, d.received_at
    from public.recruiting_lead_duplicates d
    where d.received_at >= now() - interval '60 days'
    union all
    select r.vendor_id, r.received_at
    from public.rejected_deliveries r
    where r.received_at >= now() - interval '60 days'
  ), latest as (
    select q.slug, a.arrived_at, max(a.arrived_at) over (partition by q.slug) as last_at
    from quiet q
    join arrivals a on a.vendor_id = q.id
  ), gaps as (
    select
      l.slug, l.last_at, l.arrived_at,
      extract(epoch from l.arrived_at - lag(l.arrived_at) over (partition by l.slug order by l.arrived_at))::double precision
        as seconds
    from latest l
    where l.arrived_at >= l.last_at - interval '30 days'
  ), habits as (
    -- The usual gap is the one in which a moment lies on average. The plain mean would be seconds where a vendor sends
    -- many leads at once, and would not know of nights and weekends.
    select
      g.slug, g.last_at,
      make_interval(secs => coalesce(sum(g.seconds * g.seconds) / nullif(sum(g.seconds), 0), 0)) as gap
    from gaps g
    group by g.slug, g.last_at
    having count(distinct (g.arrived_at at time zone 'UTC')::date) >= 5
  )
  select
    'vendor', h.slug,
    format(
      'has sent nothing since %s; its usual gap is %s', private.in_utc(h.last_at),
      case
        when h.gap < interval '1 hour' then 'less than an hour'
        when h.gap < interval '48 hours' then format('about %s h', round(extract(epoch from h.gap) / 3600))
        else format('about %s days', round(extract(epoch from h.gap) / 86400))
      end
    ),
    format('key list %s', h.slug)
  from habits h
  where h.last_at < now() - greatest(3 * h.gap, interval '1 day')
  order by h.slug
$$;

comment on function private.check_vendors() is
  'Active vendors that sent on five days at least, and then nothing for three times their usual gap, a day at least. The gap '
  'is that of the 30 days before they last sent. One that has been silent for 60 days is not looked at any more.';

create function private.check_leads() returns setof private.finding
language sql
stable
set search_path = ''
as $$
  (
    select
      'delivery', coalesce(v.slug, 'import'), format('%s rejected, the first %s', sum(r.count), private.in_utc(min(r.since))),
      format('delivery list --%s', coalesce('vendor ' || v.slug, 'imports'))
    from (
      select d.vendor_id, count(*), min(d.received_at) as since
      from public.rejected_deliveries d
      where d.status = 'open'
      group by d.vendor_id
    ) r
    left join public.vendors v on v.id = r.vendor_id
    group by v.slug
    order by v.slug
  )
  union all
  (
    select
      'lead', v.slug,
      format('%s waiting for an order, the first %s', sum(w.count), private.in_utc(min(w.since)))
        || coalesce('; open orders want ' || sum(w.count) filter (where w.is_wanted), ''),
      format('lead %s --vendor %s', case when bool_or(w.is_wanted) then 'distribute' else 'waiting' end, v.slug)
    from (
      select k.*, (private.best_order(k.vendor_id, k.state, now())).id is not null as is_wanted
      from (
        select l.vendor_id, l.state, count(*), min(l.created_at) as since
        from public.recruiting_leads l
        where l.distribution = 'unmatched'
        group by l.vendor_id, l.state
      ) k
    ) w
    join public.vendors v on v.id = w.vendor_id
    group by v.slug
    order by v.slug
  )
  union all
  (
    select
      'lead', v.slug, format('%s pending, the first %s', count(*), private.in_utc(min(l.created_at))),
      format('lead distribute --vendor %s', v.slug)
    from public.recruiting_leads l
    join public.vendors v on v.id = l.vendor_id
    where l.distribution = 'pending' and l.created_at < now() - interval '5 minutes'
    group by v.slug
    order by v.slug
  )
$$;

comment on function private.check_leads() is
  'By vendor: open rejected deliveries, leads that no order wanted, and leads that are pending for more than five minutes.';

create function private.check_texting() returns setof private.finding
language sql
stable
set search_path = ''
as $$
  (
    select
      'text', coalesce(nullif(btrim(left(t.service_phone, 20)), ''), 'unknown'),
      format(
        '%s %s a conversation, the first %s', count(*), case when t.consent is null then 'without' else 'opting out without' end,
        private.in_utc(min(t.received_at))
      ),
      'text unmatched'
    from (
      select u.service_phone, u.received_at, case when u.consent = 'opted_out' then u.consent end as consent
      from public.unmatched_texts u
    ) t
    group by t.service_phone, t.consent
    order by t.consent nulls last, t.service_phone
  )
  union all
  (
    select
      'number', n.phone, 'paused' || coalesce(': ' || n.paused_reason, ''), format('number resume %s', n.phone)
    from public.service_numbers n
    where n.status = 'paused'
    order by n.phone
  )
  union all
  (
    select 'text', o.service_phone, format('%s %s', count(*), p.problem), p.command
    from public.text_outbox o
    left join public.service_numbers n on n.phone = o.service_phone
    cross join lateral (
      values
        (
          o.state = 'unconfirmed' and o.due_at = 'infinity', 'perhaps not sent, and Twilio is asked no more',
          'text outbox --state unconfirmed'
        ),
        (
          o.state = 'sending' and o.lease_until < now() - interval '5 minutes', 'left by a worker that died',
          'text outbox --state sending'
        ),
        (
          o.state = 'pending' and o.claim >= 5 and o.reason not in ('quiet_hours', 'number_paused'),
          'tried five times or more, and not sent', 'text outbox --state held'
        ),
        -- Without any number, texting is not set up.
        (
          o.state = 'pending' and n.phone is null and exists (select from public.service_numbers),
          'waiting for a number that is none of ours', 'text outbox --state held'
        )
    ) p (applies, problem, command)
    where o.state in ('pending', 'sending', 'unconfirmed') and p.applies
    group by o.service_phone, p.problem, p.command
    order by o.service_phone, p.problem
  )
  union all
  (
    -- A call of the worker would have taken these at once. A busy number takes its time.
    select
      'worker', 'texting', format('not called since %s, with %s due', private.in_utc(min(due.since)), count(*)),
      'text outbox'
    from (
      select w.due_at from private.waiting_greetings w
      union all
      select u.placed_at from private.untold_leads u
      union all
      select o.lease_until from public.text_outbox o where o.state = 'sending'
      union all
      select o.due_at from public.text_outbox o where o.state = 'unconfirmed'
      union all
      select greatest(o.due_at, n.busy_until)
      from public.text_outbox o
      join public.service_numbers n on n.phone = o.service_phone
      join public.recruiting_conversations c on c.id = o.conversation_id and c.agency_id = n.agency_id
      where o.state = 'pending' and n.status = 'active' and o.due_at < now() - interval '5 minutes'
        and not private.is_behind(o.conversation_id, o.ordinal)
    ) due (since)
    where due.since < now() - interval '5 minutes'
    having count(*) > 0
  )
$$;

comment on function private.check_texting() is
  'Texts that belong to no conversation (opt-outs first), paused numbers, texts that no worker moves by itself, and, where '
  'texts have been due for more than five minutes, that the worker is not called. Nothing where texting is not set up.';

create function private.check_keys() returns setof private.finding
language sql
stable
set search_path = ''
as $$
  select
    'key', k.key_prefix,
    format('of %s expires %s; last used %s', v.slug, private.in_utc(k.expires_at), coalesce(private.in_utc(k.last_used_at), 'never')),
    format('key rotate %s', v.slug)
  from public.vendor_api_keys k
  join public.vendors v on v.id = k.vendor_id and v.is_active
  where k.revoked_at is null and k.expires_at > now() and k.expires_at <= now() + interval '14 days'
  order by k.expires_at
$$;

comment on function private.check_keys() is 'Valid keys of active vendors that expire within 14 days.';
