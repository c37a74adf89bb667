-- The actions of operators on alerts: acknowledging one, and changing a rule.

create function public.acknowledge_alert(alert_id uuid) returns public.alerts
language plpgsql
security definer
set search_path = ''
as $$
declare
  alert public.alerts;
begin
  perform private.require_operator();
  update public.alerts a set state = 'acknowledged' where a.id = alert_id and a.state = 'open';
  if found then
    perform private.note_operator_action('alert acknowledge', jsonb_build_object('alert_id', alert_id));
  end if;
  select * into alert from public.alerts a where a.id = alert_id;
  if not found then
    raise exception 'alert_id: there is no such alert' using errcode = 'PT404';
  elsif alert.state = 'resolved' then
    raise exception 'alert_id: the alert was resolved %', private.quoted(private.in_utc(alert.resolved_at))
      using errcode = 'PT409';
  end if;
  return alert;
end
$$;

comment on function public.acknowledge_alert(uuid) is
  'Acknowledges an alert: its receiver is not notified again until it is resolved. A repeated call changes nothing. For a '
  'signed-in operator, it adds a row to operator_actions. Returns the alert. PT404 if there is none, PT409 if it is resolved, '
  '42501 for a user who is not an operator. Security definer because operators may not read or write the tables.';
grant execute on function public.acknowledge_alert(uuid) to authenticated, service_role;

create function public.set_alert_rule(kind text, is_on boolean default null, threshold jsonb default '{}')
returns public.alert_rules
language plpgsql
security definer
set search_path = ''
as $$
declare
  rule public.alert_rules;
  name text;
begin
  perform private.require_operator();
  select * into rule from public.alert_rules r where r.kind = set_alert_rule.kind for update;
  if not found then
    raise exception 'kind: "%" is none; give one of: %', private.quoted(kind), private.quoted((
      select string_agg(r.kind, ', ' order by r.kind) from public.alert_rules r
    ), 1000) using errcode = 'PT400';
  elsif not private.is_threshold(threshold) then
    raise exception 'threshold: give each as a number above 0, up to 1,000,000' using errcode = 'PT400';
  end if;
  select t.name into name from jsonb_object_keys(threshold) t (name) where not rule.threshold ? t.name limit 1;
  if found then
    raise exception 'threshold: "%" is none of this kind; it has: %', private.quoted(name), private.quoted(coalesce(
      (select string_agg(k.name, ', ' order by k.name) from jsonb_object_keys(rule.threshold) k (name)), 'none'
    )) using errcode = 'PT400';
  end if;

  update public.alert_rules r
  set is_on = coalesce(set_alert_rule.is_on, r.is_on), threshold = r.threshold || set_alert_rule.threshold
  where r.kind = rule.kind
  returning r.* into rule;
  perform private.note_operator_action('alert rule', jsonb_build_object(
    'kind', kind, 'changes', jsonb_strip_nulls(jsonb_build_object('is_on', set_alert_rule.is_on)) || set_alert_rule.threshold));
  return rule;
end
$$;

comment on function public.set_alert_rule(text, boolean, jsonb) is
  'Turns the rule of a kind on or off (null: unchanged), and sets the numbers that threshold names; the others stay. The next '
  'check uses them. Returns the rule. PT400 for a kind or a number that is not one, 42501 for a user who is not an operator. '
  'Security definer because operators may not read or write the tables.';
grant execute on function public.set_alert_rule(text, boolean, jsonb) to authenticated, service_role;
