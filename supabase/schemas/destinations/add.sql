-- The dispatches of events about recruits. They are made in the transaction of what happens.

create function private.lead_event(lead public.recruiting_leads) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  metadata constant jsonb := lead.vendor_metadata;
begin
  return jsonb_build_object(
    'lead', jsonb_build_object(
      'id', lead.id,
      'vendor', (select jsonb_build_object('slug', v.slug, 'name', v.name) from public.vendors v where v.id = lead.vendor_id),
      'first_name', lead.first_name, 'last_name', lead.last_name, 'email', lead.email, 'phone', lead.phone,
      'city', metadata -> 'city', 'state', lead.state, 'zip', metadata -> 'zip',
      'received_at', private.iso_time(lead.created_at),
      'answers', case when jsonb_typeof(metadata -> 'answers') = 'array' then metadata -> 'answers' else '[]' end,
      'metadata', metadata - 'answers',
      'has_resume', lead.resume_path is not null,
      'link', '/recruits/' || lead.id),
    'order_id', lead.order_id,
    'agent', (
      select jsonb_build_object('id', a.id, 'first_name', a.first_name, 'last_name', a.last_name, 'email', a.email)
      from public.agents a
      where a.id = lead.agent_id
    ));
end
$$;

comment on function private.lead_event(public.recruiting_leads) is
  'The data of each event about a lead: {lead: {id, vendor: {slug, name}, first_name, last_name, email, phone, city, state, '
  'zip, received_at, answers: [{question, answer}], metadata, has_resume, link}, order_id, agent: {id, first_name, last_name, '
  'email}|null}. link is the path in the desk, to which the worker adds the desk''s address.';

create function private.add_dispatches(event text, lead_ids uuid[], extra jsonb default '{}') returns void
language plpgsql
set search_path = ''
-- To plan the query takes far longer than to run it. By the indexes, also with a plan that was made while the tables were small.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  insert into private.dispatches (destination_id, event, lead_id, body)
  select d.id, add_dispatches.event, d.lead_id, jsonb_build_object(
    'type', add_dispatches.event, 'timestamp', private.iso_time(clock_timestamp()),
    'data', private.lead_event(d.lead) || extra)
  from (
    select t.id, i.id as lead_id, l.lead
    from unnest(lead_ids) with ordinality i (id, place)
    -- Without statistics, the planner might read all leads of the agency instead.
    cross join lateral (
      select stored as lead, stored.agency_id, stored.order_id
      from public.recruiting_leads stored
      where stored.id = i.id
      offset 0
    ) l
    join public.destinations t on t.agency_id = l.agency_id
    where add_dispatches.event = any (t.events) and (t.order_id is null or t.order_id = l.order_id)
    order by i.place, t.id
    -- One that is being removed is not waited for.
    for key share of t skip locked
  ) d;
exception when others then
  -- A text, an opt-out or a notification is worth more than what is sent about it.
  raise warning 'no dispatch of % was added (SQLSTATE %)', event, sqlstate;
end
$$;

comment on function private.add_dispatches(text, uuid[], jsonb) is
  'Adds a dispatch of this event for each of the leads and each destination of its agency that wants the event, also of one '
  'that is off. extra: further members of the event''s data. Call it while the agency has the lead. An error adds none, with a '
  'warning, and does not reach the caller.';

create function private.dispatch_reassignments() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.add_dispatches('lead.reassigned', array(
    select a.recruiting_lead_id from added a where a.recruiting_lead_id is not null order by a.recruiting_lead_id));
  return null;
end
$$;

comment on function private.dispatch_reassignments() is 'Trigger: adds the dispatches of `lead.reassigned`.';

create trigger dispatch_reassignments
  after insert on public.lead_assignments
  referencing new table as added
  for each statement execute function private.dispatch_reassignments();

create function private.erase_dispatches(lead_ids uuid[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  got jsonb;
begin
  -- In one order, so that two erasures do not wait in a circle.
  perform from private.dispatches p where p.lead_id = any (lead_ids) order by p.seq for no key update;
  select jsonb_agg(to_jsonb(s)) into got
  from (
    select p.destination_id, p.lead_id
    from private.dispatches p
    where p.lead_id = any (lead_ids) and p.attempt > 0 and p.event <> 'recruit.erased'
    union
    -- The record of what was sent may have been pruned.
    select d.id, l.id
    from public.recruiting_leads l
    join public.destinations d on d.agency_id = l.agency_id and (d.order_id is null or d.order_id = l.order_id)
    where l.id = any (lead_ids) and greatest(l.distributed_at, d.created_at) < now() - interval '30 days'
  ) s;
  update private.dispatches p
  set
    body = null, excerpt = null, reason = null,
    -- A worker may have sent one that it has. Once it says so, or its lease is over, it ends.
    state = case p.state when 'waiting' then 'cancelled' else p.state end,
    ended_at = coalesce(p.ended_at, case p.state when 'waiting' then now() end)
  where p.lead_id = any (lead_ids) and p.event <> 'recruit.erased';
  insert into private.dispatches (destination_id, event, lead_id, body)
  select d.id, 'recruit.erased', g.lead_id, jsonb_build_object(
    'type', 'recruit.erased', 'timestamp', private.iso_time(clock_timestamp()),
    'data', jsonb_build_object('lead', jsonb_build_object('id', g.lead_id)))
  from jsonb_to_recordset(got) as g (destination_id uuid, lead_id uuid)
  join public.destinations d on d.id = g.destination_id and 'recruit.erased' = any (d.events);
end
$$;

comment on function private.erase_dispatches(uuid[]) is
  'Cancels what waits to be sent about these leads, empties what was sent, and adds `recruit.erased`, {lead: {id}}, for each '
  'destination that may have got one.';
