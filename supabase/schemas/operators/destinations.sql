-- What managers, for their own agency, and operators do with destinations.

create function private.lock_destination(destination_id uuid) returns public.destinations
language plpgsql
set search_path = ''
as $$
declare
  destination public.destinations;
begin
  select d.* into destination
  from public.destinations d
  where d.id = destination_id and d.agent_id is null and private.may_manage(d.agency_id)
  for no key update;
  if not found then
    if private.managed_agency_id() is null and not private.may_operate() then
      raise exception 'only a manager or an operator may do this' using errcode = '42501';
    end if;
    raise exception 'destination_id: there is no such destination' using errcode = 'PT404';
  end if;
  return destination;
end
$$;

comment on function private.lock_destination(uuid) is
  'Returns the destination, locked, if the caller may change it. 42501 for a user who is neither manager nor operator; '
  'otherwise PT404. For functions that run with their owner''s rights.';

create function public.set_destination_state(destination_id uuid, is_on boolean) returns void
language plpgsql
security definer
set search_path = ''
set lock_timeout = '2s'
as $$
declare
  destination constant public.destinations := private.lock_destination(destination_id);
begin
  if is_on is null then
    raise exception 'is_on: is missing' using errcode = 'PT400';
  end if;
  update public.destinations d
  set is_on = set_destination_state.is_on, off_reason = null, failing_since = null, failures = 0
  where d.id = destination.id;
  if is_on then
    -- What waits for its next attempt need wait no longer.
    update private.dispatches p
    set due_at = clock_timestamp()
    where p.id = any (array(
      select w.id
      from private.dispatches w
      where w.destination_id = destination.id and w.state = 'waiting' and w.due_at > now()
      for no key update skip locked
    ));
  end if;
  perform private.note_operator_action(
    case when is_on then 'destination resume' else 'destination pause' end, jsonb_build_object('destination_id', destination.id));
end
$$;

comment on function public.set_destination_state(uuid, boolean) is
  'Pauses a destination, whose dispatches then wait, or resumes it: all waiting dispatches become due. PT404 for an unknown '
  'destination; 42501 for a user who is neither manager nor operator. Security definer because users may not read or write the '
  'tables.';

create function public.rotate_destination_secret(destination_id uuid) returns text
language plpgsql
security definer
set search_path = ''
set lock_timeout = '2s'
as $$
declare
  destination constant public.destinations := private.lock_destination(destination_id);
begin
  if destination.kind <> 'webhook' then
    raise exception 'destination_id: only a webhook has a secret' using errcode = 'PT409';
  end if;
  perform private.note_operator_action('destination rotate', jsonb_build_object('destination_id', destination.id));
  return private.add_signing_secret(destination.id);
end
$$;

comment on function public.rotate_destination_secret(uuid) is
  'Makes a new signing secret and returns it, once. Requests are signed with the old one too for a day. PT409 for an e-mail '
  'destination; PT404 and 42501 as set_destination_state(). '
  'Security definer because users may not read or write the tables.';

create function public.remove_destination(destination_id uuid) returns void
language plpgsql
security definer
set search_path = ''
set lock_timeout = '2s'
as $$
declare
  destination constant public.destinations := private.lock_destination(destination_id);
begin
  perform private.note_operator_action('destination remove', jsonb_build_object('destination_id', destination.id));
  delete from public.destinations d where d.id = destination.id;
end
$$;

comment on function public.remove_destination(uuid) is
  'Removes a destination with its waiting dispatches and its log. PT404 and 42501 as set_destination_state(). Security definer '
  'because users may not read or write the tables.';

create function public.test_destination(destination_id uuid) returns uuid
language plpgsql
security definer
set search_path = ''
set lock_timeout = '2s'
as $$
declare
  destination constant public.destinations := private.lock_destination(destination_id);
  test_id uuid;
begin
  insert into private.dispatches (destination_id, event, body)
  values (destination.id, 'test', jsonb_build_object(
    'type', 'test', 'timestamp', private.iso_time(clock_timestamp()),
    'data', jsonb_build_object(
      'lead', jsonb_build_object(
        'id', '00000000-0000-4000-8000-000000000000', 'vendor', jsonb_build_object('slug', 'test', 'name', 'Test'),
        'first_name', 'Test', 'last_name', 'Lead', 'email', 'test@example.com', 'phone', '+12025550100', 'city', 'Austin',
        'state', 'TX', 'zip', '78701', 'received_at', private.iso_time(clock_timestamp()), 'answers', '[]'::jsonb,
        'metadata', '{"is_test": true}'::jsonb, 'has_resume', false, 'link', null),
      'order_id', destination.order_id, 'agent', null)))
  returning id into test_id;
  perform private.note_operator_action('destination test', jsonb_build_object('destination_id', destination.id));
  return test_id;
end
$$;

comment on function public.test_destination(uuid) is
  'Queues a dispatch `test` with an invented lead, and returns its id. PT404 and 42501 as set_destination_state(). '
  'Security definer because users may not read or write the tables.';

create function public.retry_dispatches(dispatch_ids uuid[]) returns integer
language plpgsql
security definer
set search_path = ''
set lock_timeout = '2s'
as $$
declare
  allowed uuid[];
  retried integer;
begin
  if private.managed_agency_id() is null and not private.may_operate() then
    raise exception 'only a manager or an operator may do this' using errcode = '42501';
  end if;
  allowed := array(
    select p.id
    from private.dispatches p
    join public.destinations d on d.id = p.destination_id
    where p.id = any (dispatch_ids) and d.agent_id is null and (private.may_manage(d.agency_id) or d.agency_id is null and private.may_operate()));
  if not dispatch_ids <@ allowed then
    raise exception 'dispatch_ids: there is no such dispatch' using errcode = 'PT404';
  end if;
  perform from private.dispatches p where p.id = any (allowed) order by p.seq for no key update;
  update private.dispatches p
  set state = 'waiting', due_at = clock_timestamp(), first_due_at = clock_timestamp(), attempts_before = p.attempt, ended_at = null,
    return_due_at = null
  where p.id = any (allowed) and p.state in ('failed', 'rejected') and p.body is not null
    -- The body has the whole lead, which may be another agency's by now.
    and (p.lead_id is null or p.event in ('lead.returned', 'recruit.erased') or exists (
      select
      from public.recruiting_leads l
      join public.destinations d on d.agency_id = l.agency_id
      where l.id = p.lead_id and d.id = p.destination_id
    ));
  get diagnostics retried = row_count;
  perform private.note_operator_action('dispatch retry', jsonb_build_object('dispatch_ids', to_jsonb(allowed)));
  return retried;
end
$$;

comment on function public.retry_dispatches(uuid[]) is
  'Sends these dispatches again if they failed or were rejected, at once and with the same ids. Events about a lead that '
  'the agency no longer has are not sent, `lead.returned` and `recruit.erased` aside. Returns the number sent. PT404 where the '
  'caller may not see one of them; 42501 for a user who is neither manager nor operator. Security definer because users may '
  'not read or write the tables.';

create function public.show_dispatch(dispatch_id uuid) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  shown jsonb;
begin
  if private.managed_agency_id() is null and not private.may_operate() then
    raise exception 'only a manager or an operator may do this' using errcode = '42501';
  end if;
  select to_jsonb(l) || jsonb_build_object('body', p.body) into shown
  from private.dispatch_list l
  join private.dispatches p on p.id = l.id
  where l.id = show_dispatch.dispatch_id;
  if not found then
    raise exception 'dispatch_id: there is no such dispatch' using errcode = 'PT404';
  end if;
  perform private.note_operator_action('dispatch show', jsonb_build_object('dispatch_id', dispatch_id));
  return shown;
end
$$;

comment on function public.show_dispatch(uuid) is
  'A row of dispatch_list with its body: {type, timestamp, data}, null once the person was erased. For a signed-in operator, '
  'it adds a row to operator_actions. PT404 where the caller may not see it; 42501 for a user who is neither manager nor '
  'operator. Security definer because users may not read the tables.';

grant execute on function public.set_destination_state(uuid, boolean),
  public.rotate_destination_secret(uuid), public.remove_destination(uuid), public.test_destination(uuid),
  public.retry_dispatches(uuid[]), public.show_dispatch(uuid) to authenticated, service_role;
