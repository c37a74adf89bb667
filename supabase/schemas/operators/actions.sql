-- The functions that operators call in a browser, besides distribute_leads().

create function private.record_action(action text, subject jsonb) returns uuid
language plpgsql
set search_path = ''
as $$
declare
  problem constant text := private.action_problem(action, subject);
  signed_in constant boolean := private.is_operator();
  action_id uuid;
begin
  if problem is not null then
    raise exception '%', private.quoted(problem, 200) using errcode = 'PT400';
  end if;
  insert into public.operator_actions (user_id, done_by, action, subject)
  values (
    case when signed_in then private.current_user_id() end, case when not signed_in then private.operator_name() end,
    record_action.action, record_action.subject)
  returning id into action_id;
  return action_id;
end
$$;

comment on function private.record_action(text, jsonb) is
  'Stores a row of operator_actions about the operator who is signed in, or about the one whom the command has set as '
  'admin.operator, in the transaction of the action, and returns its id. PT400 names the member of a wrong subject.';

create function private.note_operator_action(action text, subject jsonb) returns uuid
language sql
set search_path = ''
return case when private.is_operator() then private.record_action(action, subject) end;

comment on function private.note_operator_action(text, jsonb) is
  'record_action() of an operator who is signed in. Null where the command or the service acts: the command stores its own '
  'rows.';

create function public.begin_operator_action(action text, subject jsonb) returns uuid
language plpgsql
security definer
set search_path = ''
as $$
begin
  if not private.is_operator() then
    raise exception 'only an operator may do this' using errcode = '42501';
  elsif action in (
    'delivery show', 'delivery replay', 'lead find', 'lead show', 'mapping try', 'mapping save'
  ) is not true then
    raise exception 'action: the function that does it says so itself' using errcode = 'PT400';
  end if;
  return private.record_action(action, subject);
end
$$;

comment on function public.begin_operator_action(text, jsonb) is
  'Stores a row of operator_actions about the operator who is signed in, and returns its id. Call it before the operator reads '
  'or searches, and before a route replays or saves, which another transaction does. PT400 for any other action, whose own '
  'function stores the row, and for a subject that does not match the action, naming its member. 42501 for a user who is not '
  'an operator. Security definer because users may not read who is an operator, nor write operator_actions in another way.';
grant execute on function public.begin_operator_action(text, jsonb) to authenticated;

create function private.noted_subject(action_id uuid, action text, within interval default '1 minute') returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  noted jsonb;
begin
  if not private.is_operator() then
    raise exception 'only an operator may do this' using errcode = '42501';
  end if;
  -- The row was stored by an earlier transaction: the present one began before what it stores itself.
  select a.subject into noted
  from public.operator_actions a
  where a.id = action_id and a.user_id = private.current_user_id() and a.action = noted_subject.action
    and a.created_at between now() - within and now();
  if not found then
    raise exception 'action_id: there is no such action, or it is too old' using errcode = 'PT404';
  end if;
  return noted;
end
$$;

comment on function private.noted_subject(uuid, text, interval) is
  'Returns the subject of the action that the signed-in operator began within this time with begin_operator_action(). PT404 '
  'without such an action; 42501 for a user who is not an operator.';

create function public.read_payload(action_id uuid) returns text
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  read_id constant uuid := (private.noted_subject(action_id, 'delivery show') ->> 'delivery_id')::uuid;
begin
  return (
    select coalesce(jsonb_pretty(d.payload), d.payload_text)
    from public.rejected_deliveries d
    where d.id = read_id
  );
end
$$;

comment on function public.read_payload(uuid) is
  'The payload of the rejected delivery that an operator is about to read, as text: numbers stay exact. Null if nothing of it '
  'is kept. action_id: the result of begin_operator_action(''delivery show'', {delivery_id}) for the same user in the last '
  'minute. If the same call stored the row, it could be rolled back: a caller could make PostgREST convert the result, and the '
  'error would reveal it. PT404 without such an action; 42501 for a user who is not an operator. Security definer because '
  'operators may not read or write the tables.';
grant execute on function public.read_payload(uuid) to authenticated;

create function public.preview_replay(delivery_id uuid, lead jsonb) returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '20s'
set lock_timeout = '5s'
as $$
declare
  result jsonb;
begin
  result := public.replay_delivery(delivery_id, lead);
  raise exception 'taken back' using errcode = 'PVIEW';
exception
  when sqlstate 'PVIEW' then
    return result;
end
$$;

comment on function public.preview_replay(uuid, jsonb) is
  'The result that replay_delivery() would return, or its error. The replay is carried out and rolled back, so nothing '
  'changes.';
grant execute on function public.preview_replay(uuid, jsonb) to service_role;

create function public.count_vendor_days(days integer default 14, timezone text default 'UTC')
returns table (vendor text, dates date[], leads integer[], refused integer[])
language plpgsql
stable
security definer
set search_path = ''
-- The number of rows of the days decides the plan.
set plan_cache_mode = force_custom_plan
as $$
declare
  last_day constant date := private.today_in(timezone);
  first_day constant date := last_day - (days - 1);
  begins constant timestamptz := first_day::timestamp at time zone timezone;
begin
  perform private.require_operator();
  if days is null or days not between 1 and 90 then
    raise exception 'days: must be from 1 to 90' using errcode = 'PT400';
  end if;

  return query
  with received as (
    select e.vendor_id, (e.at at time zone timezone)::date as day, count(*) filter (where e.result = 'created') as leads,
      count(*) filter (where e.result = 'rejected') as refused
    from private.lead_events e
    where e.result in ('created', 'rejected') and e.at >= begins
    group by 1, 2
  )
  select coalesce(v.slug, 'import'), array_agg(c.day order by c.day), array_agg(c.leads order by c.day),
    array_agg(c.refused order by c.day)
  from (
    select s.vendor_id, g.day::date as day, coalesce(sum(r.leads), 0)::integer as leads,
      coalesce(sum(r.refused), 0)::integer as refused
    from (select distinct r.vendor_id from received r) s
    cross join generate_series(first_day::timestamp, last_day::timestamp, '1 day') g (day)
    left join received r on r.vendor_id is not distinct from s.vendor_id and r.day = g.day::date
    group by s.vendor_id, g.day
  ) c
  left join public.vendors v on v.id = c.vendor_id
  group by c.vendor_id, v.slug
  order by sum(c.leads) desc, v.slug;
end
$$;

comment on function public.count_vendor_days(integer, text) is
  'The number of leads of each vendor on each of the last days, up to today, and of its deliveries that were refused; the '
  'vendor with the most leads first. leads and refused are in the order of dates. The vendor `import` stands for imported '
  'sales leads; vendors without any are omitted. Days are those of the time zone. PT400 unless days is from 1 to 90, and for '
  'an unknown time zone. 42501 for a user who is not an operator. Security definer because operators may not read or write the '
  'tables.';
grant execute on function public.count_vendor_days(integer, text) to authenticated, service_role;
