-- The e-mails that agents get by choice.

create function public.set_my_mail(about text[]) returns text[]
language plpgsql
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.current_agent();
  chosen constant text[] := array(select distinct a from unnest(about) a order by a);
begin
  if caller.id is null then
    raise exception 'only an active agent may do this' using errcode = '42501';
  elsif not chosen <@ '{lead,recruit_waiting}' then
    raise exception 'about: must be a list of: lead, recruit_waiting' using errcode = 'PT400';
  elsif chosen <> '{}' and coalesce(caller.email, '') = '' then
    raise exception 'about: you have no e-mail address. Ask the people who run the service' using errcode = 'PT409';
  end if;
  update public.agents a set mail_about = chosen where a.id = caller.id and a.is_active;
  insert into public.destinations as d (agency_id, agent_id, name, kind, events)
  values (
    caller.agency_id, caller.id, 'agent-' || caller.id, 'email', array(select 'agent.' || c from unnest(chosen) c))
  on conflict (agent_id) where kind = 'email'
    do update set events = excluded.events, is_on = true, off_reason = null, failing_since = null, failures = 0;
  return chosen;
end
$$;

comment on function public.set_my_mail(text[]) is
  'Sets what the signed-in agent gets e-mails about: `lead`, a new recruit; `recruit_waiting`, a recruit who waits for an '
  'answer; {}: nothing. Returns the choice. An e-mail has the recruit''s first name alone, and an agent gets at most one in '
  'five minutes. PT400 for anything else; PT409 for an agent without an e-mail address; 42501 for a user who is not an active '
  'agent. Security definer because agents may not write the tables.';
grant execute on function public.set_my_mail(text[]) to authenticated;

create function private.add_agent_mail(agent_id uuid, event text, lead_id uuid, link text, others integer) returns void
language plpgsql
set search_path = ''
as $$
declare
  -- Two that are made at once wait for each other.
  destination constant uuid := (
    select d.id
    from public.destinations d
    where d.agent_id = add_agent_mail.agent_id and d.is_on and event = any (d.events)
    for no key update
  );
  latest private.dispatches;
  due timestamptz;
begin
  if destination is null then
    return;
  end if;
  select p.* into latest from private.dispatches p where p.destination_id = destination order by p.seq desc limit 1 for no key update;
  if latest.state = 'waiting' and latest.attempt = 0 then
    update private.dispatches p
    set body = jsonb_set(p.body, '{data,others}', to_jsonb((p.body #>> '{data,others}')::integer + 1 + others))
    where p.id = latest.id;
    return;
  end if;
  -- After it was sent, which may be later than it was due.
  due := greatest(clock_timestamp(), latest.due_at + interval '5 minutes', latest.delivered_at + interval '5 minutes');
  insert into private.dispatches (destination_id, event, lead_id, body, due_at, first_due_at)
  select destination, add_agent_mail.event, l.id, jsonb_build_object(
    'type', add_agent_mail.event, 'timestamp', private.iso_time(clock_timestamp()),
    'data', jsonb_build_object(
      'lead', jsonb_build_object('id', l.id, 'first_name', l.first_name, 'link', link), 'others', others)), due, due
  from public.recruiting_leads l
  where l.id = add_agent_mail.lead_id;
end
$$;

comment on function private.add_agent_mail(uuid, text, uuid, text, integer) is
  'Adds an e-mail to an agent who has chosen the event, with {lead: {id, first_name, link}, others}: others are how many '
  'further recruits there are. It is due five minutes after the last one; until then the others are counted in it.';

create function private.end_agent_mail() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  delete from public.destinations d where d.agent_id = new.id;
  return null;
end
$$;

comment on function private.end_agent_mail() is 'Trigger: an agent who has left gets no more e-mails.';

create trigger end_agent_mail
  after update of is_active on public.agents
  for each row when (old.is_active and not new.is_active)
  execute function private.end_agent_mail();
