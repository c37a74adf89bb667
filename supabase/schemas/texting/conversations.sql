-- The begin of a conversation, and the consents that a manager records.

create function public.start_conversation(recruiting_lead_id uuid, agent_id uuid default null) returns jsonb
language plpgsql
-- Agents may not write the tables. Who may begin a conversation is decided here.
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.current_agent();
  lead public.recruiting_leads;
  lead_agent_id uuid;
  conversation public.recruiting_conversations;
begin
  if caller.id is null then
    raise exception 'only an active agent may start a conversation' using errcode = 'insufficient_privilege';
  end if;
  select l.* into lead
  from public.recruiting_leads l
  where l.id = start_conversation.recruiting_lead_id
    and l.agency_id = caller.agency_id
    and (l.agent_id = caller.id or caller.role = 'manager');
  if not found then
    raise exception 'recruiting_lead_id: there is no such lead' using errcode = 'PT404';
  elsif not pg_input_is_valid(coalesce(lead.phone, ''), 'public.e164') then
    perform private.invalid_field('recruiting_lead_id', 'the lead has no phone number in E.164');
  elsif agent_id is not null and not exists (
    select from public.agents a
    where a.id = start_conversation.agent_id and a.agency_id = lead.agency_id and a.is_active
  ) then
    perform private.invalid_field('agent_id', 'must be an active agent of the lead''s agency');
  end if;

  lead_agent_id := (select a.id from public.agents a where a.id = lead.agent_id and a.is_active);
  conversation := private.open_conversation(lead, coalesce(agent_id, lead_agent_id));
  if conversation.id is null then
    raise exception 'recruiting_lead_id: its agency has no active service number' using errcode = 'PT409';
  end if;

  update public.recruiting_conversations c
  set assigned_agent_id = coalesce(
    start_conversation.agent_id,
    -- An agent who has taken a conversation over keeps it.
    case when c.status = 'escalated' then c.assigned_agent_id end,
    lead_agent_id,
    c.assigned_agent_id)
  where c.id = conversation.id;
  -- The texts stand in the conversation now, and its agent is told of them there.
  update public.agent_notifications n
  set read_at = now()
  where n.lead_id = lead.id and n.kind = 'unmatched_text' and n.read_at is null;
  return jsonb_build_object('conversation_id', conversation.id, 'service_phone', conversation.service_phone);
end
$$;

comment on function public.start_conversation(uuid, uuid) is
  'The conversation with a lead''s recruit: the one that there is with the number of the agency that the recruit knows, '
  'or a new one with its least used active number. It takes over the recruit''s unmatched texts to that number, and '
  'what agents were told of them counts as read. The '
  'lead''s agent may call it, and a manager of its agency. It is assigned to the agent named, else to the lead''s; one '
  'that is escalated already changes its agent only for one who is named. Returns {conversation_id, service_phone}. '
  'Errors: 42501 (HTTP 403) when the caller is no active agent; PT404 for an unknown lead or another agent''s; 22023 '
  '(400) when the lead has no phone in E.164 or the named agent is no active one of the agency; PT409 when the agency has '
  'no active number.';
grant execute on function public.start_conversation(uuid, uuid) to authenticated;

create function public.record_text_consent(phone text, state text, reason text) returns jsonb
language plpgsql
-- Agents may not write the tables. Only managers may record a consent, only their agency's, and only with a reason.
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.current_agent();
begin
  if caller.role is distinct from 'manager' then
    raise exception 'only an active manager may record a consent' using errcode = 'insufficient_privilege';
  elsif not pg_input_is_valid(coalesce(phone, ''), 'public.e164') then
    perform private.invalid_field('phone', 'must be a number in E.164, such as +13125550100');
  elsif coalesce(state, '') not in ('opted_in', 'opted_out') then
    perform private.invalid_field('state', 'must be opted_in or opted_out');
  elsif coalesce(reason, '') !~ '[^[:space:]]' then
    perform private.invalid_field('reason', 'is required');
  end if;
  perform private.record_consent(caller.agency_id, phone, state, 'manager', agent_id => caller.id, reason => reason);
  return jsonb_build_object('phone', phone, 'state', state);
end
$$;

comment on function public.record_text_consent(text, text, text) is
  'Records what a recruit has said otherwise than by text, for the agency of the signed-in manager: state opted_in or '
  'opted_out, with the reason. An opt-out refuses the texts that wait. Returns {phone, state}. Errors: 42501 (HTTP 403) '
  'when the caller is no active manager; 22023 (400) names the field. The provider keeps a list of its own: to a '
  'recruit who has texted STOP to a number, it sends nothing from it before START, whatever is recorded here.';
grant execute on function public.record_text_consent(text, text, text) to authenticated;

create function private.open_conversation(lead public.recruiting_leads, agent_id uuid)
returns public.recruiting_conversations
language plpgsql
set search_path = ''
as $$
declare
  -- Counting more conversations of a number would take long, and no longer matters.
  max_count constant integer := 1000;
  number text;
  opened public.recruiting_conversations;
begin
  -- When two calls come at once, the second finds the conversation of the first.
  perform private.lock_consent(lead.agency_id, lead.phone);
  number := coalesce(
    (
      select c.service_phone
      from public.recruiting_conversations c
      join public.service_numbers n on n.phone = c.service_phone and n.agency_id = c.agency_id
      where c.recruit_phone = lead.phone and c.agency_id = lead.agency_id
      order by c.last_message_at desc nulls last, c.created_at desc
      limit 1
    ),
    (
      select n.phone
      from public.service_numbers n
      cross join lateral (
        select t.received_at
        from public.unmatched_texts t
        where t.recruit_phone = lead.phone and length(t.recruit_phone) <= 16
          and t.service_phone = n.phone and length(t.service_phone) <= 16
        order by t.received_at desc, t.id desc
        limit 1
      ) latest
      where n.agency_id = lead.agency_id
      order by latest.received_at desc
      limit 1
    ),
    (
      select n.phone
      from public.service_numbers n
      cross join lateral (
        select count(*) as conversations, max(latest.created_at) as used_at
        from (
          select c.created_at
          from public.recruiting_conversations c
          where c.service_phone = n.phone
          order by c.created_at desc
          limit max_count
        ) latest
      ) use
      where n.agency_id = lead.agency_id
        and n.status = 'active'
        -- The number may have been another agency's.
        and not exists (
          select
          from public.recruiting_conversations c
          where c.recruit_phone = lead.phone and c.service_phone = n.phone
        )
      order by use.conversations, use.used_at nulls first, n.phone
      limit 1
    ));
  if number is null then
    return null;
  end if;

  insert into public.recruiting_conversations as c (
    recruiting_lead_id, agency_id, recruit_phone, service_phone, assigned_agent_id
  )
  values (lead.id, lead.agency_id, lead.phone, number, open_conversation.agent_id)
  on conflict (recruit_phone, service_phone) do update
  set recruiting_lead_id = coalesce(c.recruiting_lead_id, excluded.recruiting_lead_id)
  -- Somebody may have just made it for another agency.
  where c.agency_id = excluded.agency_id
  returning c.* into opened;
  return opened;
end
$$;

comment on function private.open_conversation(public.recruiting_leads, uuid) is
  'The conversation of a lead''s recruit with its agency: the one with the number of the agency that the recruit has last '
  'been in touch with, paused or not. Else a new one, assigned to this agent (null: nobody), with the active number that '
  'has the fewest conversations, counted up to 1,000; of several, the one that has got none for longest. The lead has an '
  'agency and a phone in E.164. Null when the agency has no active number.';
