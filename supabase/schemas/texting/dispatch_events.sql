-- What recruits do by text, and what is noted about them, goes to the destinations of their agency.

create function private.dispatch_reply() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.add_dispatches('recruit.replied', array[c.recruiting_lead_id], jsonb_build_object(
    'text', jsonb_build_object('body', coalesce(new.body, ''), 'received_at', private.iso_time(new.created_at))))
  from public.recruiting_conversations c
  where c.id = new.conversation_id and c.recruiting_lead_id is not null;
  return null;
end
$$;

comment on function private.dispatch_reply() is
  'Trigger: adds the dispatches of `recruit.replied`, with text: {body, received_at}.';

create trigger dispatch_reply
  after insert on public.recruiting_messages
  for each row when (new.direction = 'inbound')
  execute function private.dispatch_reply();

create function private.dispatch_opt_out() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' or old.state <> 'opted_out' then
    perform private.add_dispatches('recruit.opted_out', array(
      select l.id
      -- The recruit first: no plan reads the leads of an agency.
      from (
        select r.id, r.agency_id
        from public.recruiting_leads r
        where r.phone = new.phone and length(r.phone) <= 16 and r.agency_id is not null
        offset 0
      ) l
      where l.agency_id = new.agency_id
      order by l.id));
  end if;
  return null;
end
$$;

comment on function private.dispatch_opt_out() is
  'Trigger: adds the dispatches of `recruit.opted_out`, one for each lead of the agency with the number.';

create trigger dispatch_opt_out
  after insert or update of state on public.text_consents
  for each row when (new.state = 'opted_out')
  execute function private.dispatch_opt_out();

create function private.dispatch_stage() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.add_dispatches(
    'recruit.stage_changed', array[new.recruiting_lead_id], jsonb_build_object('stage', new.stage));
  return null;
end
$$;

comment on function private.dispatch_stage() is 'Trigger: adds the dispatches of `recruit.stage_changed`, with stage.';

create trigger dispatch_stage
  after insert on public.recruit_stages
  for each row execute function private.dispatch_stage();

create function private.notify_of_destination() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  insert into public.agent_notifications (agent_id, kind, reason)
  select a.id, 'destination_off', new.name
  from public.agents a
  where a.agency_id = new.agency_id and a.role = 'manager' and a.is_active;
  return null;
end
$$;

comment on function private.notify_of_destination() is
  'Trigger: notifies the managers of the agency that the service has switched off a destination.';

create trigger notify_of_destination
  after update of off_reason on public.destinations
  for each row when (new.off_reason is not null and old.off_reason is null and new.agent_id is null)
  execute function private.notify_of_destination();

create function private.dispatch_notifications() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  n record;
begin
  for n in
    select
      d.id as destination_id, d.kind as destination_kind, a.agent_id, a.kind,
      array_agg(coalesce(a.lead_id, c.recruiting_lead_id) order by a.id) as lead_ids,
      array_agg(a.conversation_id order by a.id) as conversation_ids, array_agg(a.id order by a.id) as ids
    from added a
    -- The destinations of agents are few.
    join public.destinations d on d.agent_id = a.agent_id
    left join public.recruiting_conversations c on c.id = a.conversation_id
    where case d.kind
      when 'push' then a.read_at is null
      else 'agent.' || a.kind = any (d.events) and coalesce(a.lead_id, c.recruiting_lead_id) is not null
    end
    group by d.id, a.agent_id, a.kind
    order by a.agent_id, d.id, a.kind
  loop
    if n.destination_kind = 'push' then
      perform private.add_pushes(n.destination_id, n.ids);
    else
      perform private.add_agent_mail(
        n.agent_id, 'agent.' || n.kind, n.lead_ids[1],
        case n.kind when 'lead' then '/recruits/' || n.lead_ids[1] else '/inbox/' || n.conversation_ids[1] end,
        cardinality(n.lead_ids) - 1);
    end if;
  end loop;
  return null;
exception when others then
  -- The notification is worth more than what is sent about it.
  raise warning 'nothing was sent about a notification (SQLSTATE %)', sqlstate;
  return null;
end
$$;

comment on function private.dispatch_notifications() is
  'Trigger: adds the e-mails of agents who have chosen to get some about their notifications, and pushes to their browsers.';

create trigger dispatch_notifications
  after insert on public.agent_notifications
  referencing new table as added
  for each statement execute function private.dispatch_notifications();

create function private.add_pushes(destination_id uuid, notification_ids uuid[]) returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into private.dispatches (id, destination_id, event, lead_id, body)
  -- One for each notification and browser.
  select md5(n.id || ' ' || d.id)::uuid, d.id, 'agent.' || n.kind, l.id, jsonb_build_object(
    'type', 'agent.' || n.kind, 'timestamp', private.iso_time(clock_timestamp()),
    'data', jsonb_build_object(
      'notification_id', n.id, 'kind', n.kind, 'urgent', n.urgent, 'conversation_id', n.conversation_id, 'lead_id', n.lead_id,
      'first_name', l.first_name))
  from public.agent_notifications n
  left join public.recruiting_conversations c on c.id = n.conversation_id
  left join public.recruiting_leads l on l.id = coalesce(n.lead_id, c.recruiting_lead_id)
  join public.destinations d on d.id = add_pushes.destination_id
  where n.id = any (notification_ids)
  -- A browser that is being removed is not waited for.
  for key share of d skip locked
  on conflict (id) do nothing;
end
$$;

comment on function private.add_pushes(uuid, uuid[]) is
  'Adds a push of each of these notifications to a browser, with data: {notification_id, kind, urgent, conversation_id|null, lead_id|null, '
  'first_name|null}: nothing else of the recruit.';
