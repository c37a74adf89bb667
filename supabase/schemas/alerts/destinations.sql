-- The condition of alerts about destinations.

create function private.find_destination_failing(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language plpgsql
stable
set search_path = ''
as $$
declare
  latest constant timestamptz := checked_at - make_interval(mins => 1) * (threshold ->> 'minutes')::double precision;
begin
  return query
  select
    d.id::text, jsonb_build_object('failures', d.failures, 'since', private.iso_time(d.failing_since)),
    format('destination %s of %s', d.name, g.name),
    case when d.off_reason is null then format('%s and no success since %s', private.counted(d.failures, 'failure'), private.in_utc(d.failing_since))
      else 'switched off: ' || rtrim(d.off_reason, '.') end,
    format('dispatch list --destination %s --state failed', d.name), '/operator/destinations', d.agency_id
  from public.destinations d
  join public.agencies g on g.id = d.agency_id
  where d.agent_id is null and (d.off_reason is not null
    or d.is_on and d.failing_since <= latest and d.failures >= (threshold ->> 'at_least')::numeric);
end
$$;

comment on function private.find_destination_failing(jsonb, timestamptz) is
  'Destinations of agencies with only failures for {minutes}, at least {at_least}, and those that the service has switched '
  'off: {failures, since}.';

insert into public.alert_rules (kind, finder, threshold, title, advice, link_label, summary) values (
  'destination_failing', 'find_destination_failing', '{"minutes": 60, "at_least": 5}',
  'Destinations that fail', 'Their agency corrects the receiver or the destination. Then send again what has failed.',
  'Destinations',
  '%s destinations of %s fail');
