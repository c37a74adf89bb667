-- The conditions of alerts about vendors. Each function returns the active vendors for which its condition is true.

create function private.find_leads_waiting(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language plpgsql
stable
set search_path = ''
as $$
declare
  latest constant timestamptz := checked_at - make_interval(mins => 1) * (threshold ->> 'minutes')::double precision;
begin
  return query
  select
    v.slug, jsonb_build_object('leads', sum(w.leads), 'since', private.iso_time(min(w.since))), 'vendor ' || v.slug,
    format(
      '%s without an order, the first since %s', private.counted(sum(w.leads)::bigint, 'lead'), private.in_utc(min(w.since))),
    'lead waiting --vendor ' || v.slug, '/operator/waiting', null::uuid
  from (
    select l.vendor_id, count(*) as leads, min(l.created_at) as since
    from public.recruiting_leads l
    where l.distribution = 'unmatched' and l.created_at <= latest
    group by l.vendor_id
    union all
    select l.vendor_id, count(*), min(l.created_at)
    from public.recruiting_leads l
    where l.distribution = 'pending' and l.created_at <= latest
    group by l.vendor_id
  ) w
  join public.vendors v on v.id = w.vendor_id and v.is_active
  group by v.slug;
end
$$;

comment on function private.find_leads_waiting(jsonb, timestamptz) is
  'Vendors with a lead that has been unmatched or pending for {minutes}: {leads, since}. Test leads and leads in bulk are '
  'neither.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label) values (
  'leads_waiting', 'find_leads_waiting', '{"minutes": 15}',
  'Waiting leads', 'Open an order for them. Where open orders want them, distribute them.',
  'See the waiting leads');

create function private.find_deliveries_rejected(threshold jsonb, checked_at timestamptz)
returns setof private.found_alert
language plpgsql
stable
set search_path = ''
-- The index of open deliveries has them in this order, and the planner does not always know that they are few.
set enable_sort = off
set enable_incremental_sort = off
as $$
declare
  per_hour constant numeric := threshold ->> 'per_hour';
  share constant numeric := (threshold ->> 'percent')::numeric / 100;
  last constant integer := (threshold ->> 'last')::numeric;
  at_least constant numeric := threshold ->> 'at_least';
  oldest constant timestamptz := checked_at - interval '7 days';
begin
  return query
  with refused as materialized (
    select v.id, v.slug, hour.deliveries as in_hour, hour.since, array(
      select r.received_at
      from public.rejected_deliveries r
      where r.status = 'open' and r.vendor_id = v.id and r.received_at between oldest and checked_at
      order by r.received_at desc, r.id desc
      limit last
    ) as times
    from public.vendors v
    cross join lateral (
      select count(*) as deliveries, min(r.received_at) as since
      from public.rejected_deliveries r
      where r.status = 'open' and r.vendor_id = v.id
        and r.received_at > checked_at - interval '1 hour' and r.received_at <= checked_at
    ) hour
    where v.is_active
  ), found as (
    select
      f.slug, '--vendor ' || f.slug as sender, case when f.in_hour < per_hour then latest.deliveries end as of,
      case when f.in_hour < per_hour then latest.rejected else f.in_hour end as rejected,
      case when f.in_hour < per_hour then latest.since else f.since end as since
    from refused f
    cross join lateral (
      select count(*) as deliveries, count(*) filter (where d.is_rejected) as rejected,
        min(d.received_at) filter (where d.is_rejected) as since
      from (
        select a.*
        from (
          select t.received_at, true as is_rejected
          from unnest(f.times) t (received_at)
          union all
          (
            select d.received_at, false
            from public.recruiting_lead_duplicates d
            where d.vendor_id = f.id and d.received_at between oldest and checked_at
            order by d.received_at desc
            limit last
          )
          union all
          (
            select l.created_at, false
            from public.recruiting_leads l
            where l.vendor_id = f.id and l.created_at between oldest and checked_at
            order by l.created_at desc
            limit last
          )
        ) a (received_at, is_rejected)
        order by a.received_at desc
        limit last
      ) d
    ) latest
    where cardinality(f.times) >= least(per_hour, share * at_least)
      and (f.in_hour >= per_hour or latest.deliveries >= at_least and latest.rejected >= share * latest.deliveries)
    union all
    -- The importers of sales leads are not vendors, and count as one.
    select 'import', '--imports', null, count(*), min(r.received_at)
    from public.rejected_deliveries r
    where r.status = 'open' and r.vendor_id is null
      and r.received_at > checked_at - interval '1 hour' and r.received_at <= checked_at
      and not exists (select from public.vendors v where v.slug = 'import')
    having count(*) >= per_hour
  )
  select
    f.slug,
    jsonb_strip_nulls(jsonb_build_object('deliveries', f.rejected, 'of', f.of, 'since', private.iso_time(f.since))),
    'vendor ' || f.slug, format('%s, the first %s', private.counted(f.rejected, 'rejected delivery'), private.in_utc(f.since)),
    'delivery list ' || f.sender, '/operator/deliveries', null::uuid
  from found f;
end
$$;

comment on function private.find_deliveries_rejected(jsonb, timestamptz) is
  'Vendors with {per_hour} open rejected deliveries in the last hour, or with {percent} of their {last} deliveries of a '
  'week rejected and open, of {at_least}: {deliveries, since}, in the second case with {of}. Each lead counts as a delivery. '
  'The subject `import` has the rows of imports, by the hour alone.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label, severity) values (
  'deliveries_rejected', 'find_deliveries_rejected', '{"per_hour": 10, "percent": 20, "last": 50, "at_least": 20}',
  'Rejected deliveries', 'Correct what rejects them, such as the mapping. Then replay.',
  'Replay or dismiss them',
  1);

create function private.find_vendor_silent(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language plpgsql
stable
set search_path = ''
as $$
declare
  usual constant numeric := threshold ->> 'leads';
  last_hour constant timestamptz := date_trunc('hour', checked_at, 'UTC') - interval '1 hour';
  -- A lead that came exactly so long ago ends no silence.
  moment constant interval := '1 microsecond';
begin
  return query
  with usual_senders as materialized (
    select hour.vendor_id
    from generate_series(1, 4) week
    cross join lateral (
      select l.vendor_id
      from public.recruiting_leads l
      where l.created_at >= last_hour - week * interval '168 hours'
        and l.created_at < last_hour - week * interval '168 hours' + interval '1 hour'
      group by l.vendor_id
      having count(*) >= usual
    ) hour
    group by hour.vendor_id
    having count(*) = 4
  ), silent as materialized (
    select v.id, v.slug, silence.since, a.id is not null as is_open, (a.details ->> 'since')::timestamptz as latest_at
    from public.vendors v
    left join public.alerts a on a.kind = 'vendor_silent' and a.subject = v.slug and a.state <> 'resolved'
    cross join lateral (
      select case
        when v.silent_after is not null then checked_at - v.silent_after + moment
        -- Once it is open, only a lead ends it. There was none in the hour before it was last seen.
        when a.id is not null then a.seen_at - interval '1 hour' + moment
        when v.id in (select s.vendor_id from usual_senders s) then last_hour
      end as since
    ) silence
    left join lateral (
      select l.id
      from public.recruiting_leads l
      where l.vendor_id = v.id and l.created_at >= silence.since and l.created_at <= checked_at
      order by l.created_at desc
      limit 1
    ) lead on true
    where v.is_active and silence.since is not null and lead.id is null
      and (v.silent_after is null or v.created_at <= silence.since)
  )
  select
    s.slug, jsonb_strip_nulls(jsonb_build_object('since', private.iso_time(latest.at))), 'vendor ' || s.slug,
    coalesce('has sent no lead since ' || private.in_utc(latest.at), 'has never sent a lead'), 'key list ' || s.slug,
    '/operator/vendors/keys', null::uuid
  from silent s
  -- The last lead is looked for once, when the alert opens: far back, the search is long.
  cross join lateral (
    select case when s.is_open then s.latest_at else (
      select l.created_at
      from public.recruiting_leads l
      where l.vendor_id = s.id and l.created_at < s.since
        and exists (select from public.recruiting_leads any_lead where any_lead.vendor_id = s.id)
      order by l.created_at desc
      limit 1
    ) end as at
    -- Once for each vendor.
    offset 0
  ) latest;
end
$$;

comment on function private.find_vendor_silent(jsonb, timestamptz) is
  'Vendors without a lead for their silent_after, or, where that is null, in the last whole hour and since, if that hour had '
  '{leads} in each of the four weeks before: {since} is the time of the vendor''s last lead, if there is one. The hours are '
  'those of UTC. Stays until the vendor sends a lead.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label) values (
  'vendor_silent', 'find_vendor_silent', '{"leads": 5}',
  'Silent vendors', 'They have sent nothing for longer than usual. Ask them.',
  'See the vendors and their keys');

create function private.find_key_expires(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language plpgsql
stable
set search_path = ''
as $$
declare
  latest constant timestamptz := checked_at + interval '1 day' * (threshold ->> 'days')::double precision;
begin
  return query
  select distinct on (k.vendor)
    k.vendor,
    jsonb_strip_nulls(jsonb_build_object('what', k.what, 'prefix', p.prefix, 'expires_at', private.iso_time(k.expires_at))),
    'vendor ' || k.vendor, format('its %s expires %s', concat_ws(' ', k.what, p.prefix), private.in_utc(k.expires_at)),
    case k.what when 'api key' then 'key rotate ' else 'webhook show ' end || k.vendor, '/operator/vendors/keys', null::uuid
  from private.expiring_keys(checked_at) k
  cross join lateral (select case k.what when 'api key' then k.id end as prefix) p
  -- An expired one is reported for another week: that it has expired mends nothing.
  where k.expires_at > checked_at - interval '7 days' and k.expires_at <= latest
  order by k.vendor, k.expires_at, k.what;
end
$$;

comment on function private.find_key_expires(jsonb, timestamptz) is
  'Vendors with a key, a webhook secret or a token that expires within {days}, or expired in the last 7 days, without a newer '
  'one of its kind that is valid longer: {what, prefix of a key, expires_at} of the first to expire.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label) values (
  'key_expires', 'find_key_expires', '{"days": 7}',
  'Keys of vendors', 'Operators make the vendor a new key before the old one expires.',
  'See the vendors and their keys');

create function private.find_fetch_refused(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language plpgsql
stable
set search_path = ''
as $$
begin
  return query
  select
    h.slug, jsonb_build_object('leads', h.leads, 'since', private.iso_time(h.since), 'reason', h.reason), 'vendor ' || h.slug,
    format(
      '%s not fetched since %s: %s', private.counted(h.leads, 'lead'), private.in_utc(h.since),
      case h.reason
        when 'no_token' then 'it has no valid access token'
        else format('Meta refuses its access token (%s)', h.reason)
      end
    ),
    'vendor webhook check ' || h.slug, null, null::uuid
  from (
    select
      v.slug, count(*) as leads, min(f.held_since) as since,
      -- The reason of the latest attempt. One that came while the others were held has none.
      (array_agg(f.reason order by f.attempt desc) filter (where f.reason is not null))[1] as reason
    from private.lead_fetches f
    join public.vendors v on v.id = f.vendor_id and v.is_active
    where f.held_since <= checked_at
    group by v.slug
  ) h;
end
$$;

comment on function private.find_fetch_refused(jsonb, timestamptz) is
  'Vendors whose notices wait because their access token is refused, or they have none: {leads, since, reason}.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label, severity) values (
  'fetch_refused', 'find_fetch_refused', '{}',
  'Leads that are not fetched', 'Meta refuses the access token. Operators add a new one. Then all are fetched.',
  null,
  1);
