-- The condition of texts that are held for long: the numbers for which it is true.

create function private.find_texts_held(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language sql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
  select
    n.phone, jsonb_build_object('agency', a.name, 'texts', held.texts, 'since', held.since),
    format('number %s of %s', n.phone, a.name),
    format(
      '%s %s waited for more than %s, the first written %s', private.counted(held.texts, 'text'),
      case held.texts when 1 then 'has' else 'have' end,
      private.counted(floor((threshold ->> 'hours')::numeric)::bigint, 'hour'), private.in_utc(held.since)
    ),
    'text outbox --agency ' || left(a.id::text, 8), '/operator/outbox', n.agency_id
  from public.service_numbers n
  join public.agencies a on a.id = n.agency_id
  cross join lateral (
    select count(*) as texts, min(old.created_at) as since
    from (
      select o.created_at, o.first_due_at
      from public.text_outbox o
      where o.service_phone = n.phone
        and o.state = 'pending'
        and o.created_at > '-infinity'
        and o.created_at <= checked_at - make_interval(secs => (threshold ->> 'hours')::double precision * 3600)
      order by o.created_at
      limit 1000
    ) old
    -- One that has been due is find_texts_stuck()'s.
    where old.first_due_at > checked_at
  ) held
  where n.status = 'active' and held.texts > 0
$$;

comment on function private.find_texts_held(jsonb, timestamptz) is
  'Our numbers whose texts have been held for {hours}, such as for a state that has no open hours, and have never been due. '
  'Not those of a paused number. Of the oldest 1,000 texts of a number that wait.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label, summary, severity) values (
  'texts_held', 'find_texts_held', '{"hours": 48}',
  'Texts held too long', 'See what holds each. A state may have no open hours.',
  'See the texts that are not sent',
  'texts of %s numbers of %s have been held for long',
  1);
